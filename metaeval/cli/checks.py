"""What the value of one option must be: said where the option is declared, checked before the first file is opened.

A check is called with the value and with the name of its option. It returns the value, in its one spelling where it
has several, or refuses it. So the checks of the library serve as they are: what they call an argument is the option
here (`metaeval.base.checks.check_share`, or `whole_number` and `finite_number` with their limits).
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import typer

from metaeval.base.checks import MOST_REPLICATES, check_count, check_number
from metaeval.base.conditions import limits_of
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE

type Check = Callable[[Any, str], Any]
"""Takes the value of an option and the option's name; returns the value, or raises what says the rule."""

MOST_SYSTEMS = 10**6
"""Largest number of systems an option takes."""
_NAMES: dict[Check, Callable[[], Iterable[str]]] = {}
"""The names that a check takes, where these are those of a table."""
_LINE = 80
_COMPARED = re.compile(r"(?P<column>[^<>=]+)(?P<sign>[<>]=?)\s*(?P<limit>[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)")
_OTHER_THAN = re.compile(r"(?P<column>[^<>=!]+)(?P<sign>!=)\s*(?P<limit>\S.*)")


def refusal(option: str, rule: str, value: object) -> InvalidOptionError:
    """Return the error for a value that is not what the rule says in words.

    Examples
    --------
    >>> print(refusal("--budget", "a time above 0, such as 30s", "soon"))
    --budget takes a time above 0, such as 30s, not 'soon'
    """
    text = repr(value)
    excerpt = text if len(text) <= _LINE else f"{text[:60]}… ({len(text)} characters)"
    return InvalidOptionError(f"{option} takes {rule}, not {excerpt}")


# ------------------------------------------------------------------------------------------------------------ numbers


def whole_number(least: int = 1, most: int = MOST_REPLICATES, *, zero: bool = False) -> Check:
    """Take whole numbers from `least` to `most`, and 0 if it means none."""
    return partial(check_count, least=least, most=most, zero=zero)


def finite_number(*, above: float | None = None, least: float | None = None, most: float | None = None) -> Check:
    """Take finite numbers within these limits."""
    return partial(check_number, above=above, least=least, most=most)


def numbers(such_as: str, check: Check) -> Check:
    """Take numbers by comma, each once and each of which passes the check."""

    def check_each(value: str, option: str) -> str:
        try:
            values = parse_numbers(value)
        except ValueError:
            raise refusal(option, f"numbers by comma, such as {such_as}", value) from None
        for amount in values:
            check(amount, f"each of {option}")
        if len(set(values)) < len(values):
            raise refusal(option, "each number once", value)
        return value

    return check_each


def parse_numbers(text: str) -> list[float]:
    """Turn numbers separated by commas into a list.

    Examples
    --------
    >>> parse_numbers("0,5, 10")
    [0.0, 5.0, 10.0]
    """
    return [float(word) for word in text.split(",")]


# -------------------------------------------------------------------------------------------------------------- words


def one_of(*choices: str) -> Check:
    """Take one of a few words; case does not matter, nor whether dashes or underscores join them."""
    spellings = {_folded(word): word for word in choices}

    def check(value: str, option: str) -> str:
        if _folded(value) not in spellings:
            raise UnknownNameError(f"value of {option}", value, choices)
        return spellings[_folded(value)]

    _NAMES[check] = lambda: choices
    return check


def several(check: Check, *, every: bool = False) -> Check:
    """Take names by comma, each of which passes the check, each once; with `every`, the word "all" too."""

    def check_all(value: str, option: str) -> str:
        asked = by_comma(value)
        if not asked:
            raise refusal(option, "names by comma", value)
        if every and [_folded(name) for name in asked] == ["all"]:
            return "all"
        return ",".join(dict.fromkeys(check(name, option) for name in asked))

    _NAMES[check_all] = lambda: [*names_taken(check), *(["all"] if every else [])]
    return check_all


def by_comma(text: str, known: Collection[str] = ()) -> list[str]:
    """Split a list of names at its commas; "all" stands for every known one.

    Examples
    --------
    >>> by_comma("t, sign"), by_comma("all", ["t", "sign"])
    (['t', 'sign'], ['t', 'sign'])
    """
    asked = [name.strip() for name in text.split(",") if name.strip()]
    return [*known] if known and asked == ["all"] else asked


def a_test(value: str, _option: str) -> str:
    """Take a significance test, under any name the field has for it."""
    return TESTS.find(value).name


def a_correction(value: str, _option: str) -> str:
    """Take a correction for many tests, under any name the field has for it."""
    try:
        name = CORRECTIONS.canonical(value)
    except UnknownNameError:
        name = ""
    if name not in CORRECTIONS:  # family-wise is none for many tests, and so no advice either
        raise UnknownNameError("correction", value, CORRECTIONS)
    return name


def correction_or_own(value: str, _option: str) -> str:
    """Take a correction, or a test's own family-wise p-values."""
    return CORRECTIONS.canonical(value)


def names(what: str) -> Check:
    """Take names by comma that only the input can check; here there must be some."""

    def check(value: str, option: str) -> str:
        from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads the package's grammar

        if not split_names(value):
            raise refusal(option, what, value)
        return value

    return check


def _built_in() -> Iterable[str]:
    from metaeval.metrics.builtin import BUILTIN  # noqa: PLC0415 - loads numba

    return BUILTIN.metrics


names_of_metrics = names("names of metrics by comma, such as AP,nDCG@10")
"""Where runs are scored, they are looked up before the first file is opened (`metaeval.cli.option_rules`)."""


_NAMES |= {
    a_test: lambda: TESTS,
    a_correction: lambda: CORRECTIONS,
    correction_or_own: lambda: [*CORRECTIONS, FAMILY_WISE],
    names_of_metrics: _built_in,
}


def has_names(check: Check | None) -> bool:
    """Whether a check takes the names of a table."""
    return check in _NAMES


def names_taken(check: Check | None) -> Iterable[str]:
    """Return the names that a check knows, in the order of their table; none where only the input can tell.

    Examples
    --------
    >>> [*names_taken(one_of("zero", "drop"))], [*names_taken(a_correction)][:2], names_taken(a_name)
    (['zero', 'drop'], ['none', 'bonferroni'], ())
    """
    return _NAMES[check]() if check in _NAMES else ()


def completed(check: Check | None, incomplete: str, *, several: bool) -> list[str]:
    """Return the values of an option that begin as what was typed; of several by comma, the last one.

    Examples
    --------
    >>> completed(a_correction, "bon", several=False), completed(a_correction, "none,fdr", several=True)
    (['bonferroni'], ['none,fdr_bh', 'none,fdr_by'])
    """
    before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
    left = [name for name in names_taken(check) if name not in before.split(",")]
    return [before + comma + name for name in left if name.startswith(last)]


def a_name(value: str | list[str], option: str) -> str | list[str]:
    """Take a name, once or several times, that only the input can check; none may be empty."""
    if not all(name.strip() for name in _listed(value)):
        raise refusal(option, "a name", "")
    return value


def pairs_of_names(value: list[str], option: str) -> list[str]:
    """Take two names by comma, once or several times, that only the input can check."""
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads the package's grammar

    for pair in _listed(value):
        if len(set(split_names(pair))) != 2:  # noqa: PLR2004 - a pair
            raise refusal(option, "two metrics with a comma between them", pair)
    return value


def assignments(check: Check | None = None, *, at_last: bool = False) -> Check:
    """Take NAME=VALUE, several times; the check looks at the name and at the value of each."""

    def check_each(value: list[str], option: str) -> list[str]:
        for name, text in parse_assignments(value, option, at_last=at_last).items():
            if check is not None:
                check(name, text)
        return value

    return check_each


def parse_assignments(texts: Sequence[str] | None, option: str, *, at_last: bool = False) -> dict[str, str]:
    """Turn texts like ``name=value`` into a mapping; cut at the first sign, or `at_last` where a name may hold one.

    Examples
    --------
    >>> parse_assignments(["relevant=1", "not=0"], "--word")
    {'relevant': '1', 'not': '0'}
    >>> parse_assignments(["B=A=tie"], "--word", at_last=True)
    {'B=A': 'tie'}
    """
    by_name: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = (piece.strip() for piece in (text.rpartition("=") if at_last else text.partition("=")))
        if not equals or not name or not value:
            raise refusal(option, "NAME=VALUE", text)
        if by_name.setdefault(name, value) != value:
            raise InvalidOptionError(f"{option} says two things of {name}: {by_name[name]} and {value}; keep one")
    return by_name


def parse_where(texts: Sequence[str] | None) -> dict[str, str]:
    """Turn conditions on columns into a mapping, as `metaeval.read_scores` takes it: a sign belongs to its number.

    Examples
    --------
    >>> parse_where(["year>=2020", "n=10..20", "kind=a<b", "judge!=lefty"])
    {'year': '>=2020', 'n': '10..20', 'kind': 'a<b', 'judge': '!=lefty'}
    """
    compared = [
        (text, _COMPARED.fullmatch(text.strip()) or _OTHER_THAN.fullmatch(text.strip())) for text in texts or ()
    ]
    for text, match in compared:
        column, _, value = text.partition("=")
        if match is None and re.match(r"\s*[<>]", value) and (limits := limits_of(value)):
            such_as = f"{column.strip()}{limits[0][0]}{limits[0][1]:g}"
            raise refusal("--where", f"a sign without = before it, such as '{such_as}'", text)
    plain = [f"{match['column']}={match['sign']}{match['limit']}" if match else text for text, match in compared]
    return parse_assignments(plain, "--where")


def read_by(parse: Callable[[Any], object]) -> Check:
    """Take what a command's own parser reads; its error is the refusal."""

    def check(value: object, _option: str) -> object:
        parse(value)
        return value

    return check


def _folded(text: str) -> str:
    return text.strip().casefold().replace("_", "-")


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


# -------------------------------------------------------------------------------------------------------------- files


def file_path(text: str | Path) -> Path:
    """Turn what was typed into a path, if it can be the name of a file at all.

    An empty text would stand for the folder one is in.

    Examples
    --------
    >>> file_path("runs/qrels.txt").name
    'qrels.txt'
    """
    if not str(text).strip() or "\0" in str(text):
        raise typer.BadParameter(f"{str(text)!r} is no name of a file")
    try:
        kind_of_file(Path(text))
    except InvalidOptionError as error:
        raise typer.BadParameter(str(error)) from None
    return Path(text)


def file_to_read(what: str = "a file", *, folder: bool = False) -> Check:
    """Take a file that is there (or, with `folder`, a folder); it is looked up, not opened."""

    def check(value: Path, _option: str) -> Path:
        kind = "file" if str(value) == "-" else kind_of_file(value)
        if kind == "absent":
            from metaeval.io.sources import list_sources  # noqa: PLC0415 - its error names the nearest files

            list_sources(str(value))
        if kind == "device" or (kind == "folder" and not folder):
            message = f"this is a {'folder' if kind == 'folder' else 'device and no file'}; name {what}"
            raise FileFormatError(message, path=value)
        return value

    return check


def files_to_read(*, first: bool = True) -> Check:
    """Take files, folders or patterns, also as NAME=FILE.

    Whether they are there is found out by their reader; those that are not read `first` are looked for at once, lest
    a slip costs the reading of the others.
    """

    def check(value: str | list[str], option: str) -> str | list[str]:
        for text in _listed(value):
            if not text.strip() or "\0" in text:
                raise refusal(option, "names of files", text)
            for name in {text, text.rpartition("=")[2]}:
                kind_of_file(Path(name))
        if not first:
            from metaeval.io.sources import run_sources  # noqa: PLC0415 - loads numba

            run_sources(_listed(value))
        return value

    return check


def file_to_write(*, folder: bool = False) -> Check:
    """Take a name under which a file (or, with `folder`, a folder of files) can be written."""

    def check(value: Path, option: str) -> Path:
        from metaeval.base.provenance import of_the_system  # noqa: PLC0415 - loads what a record needs

        kind = kind_of_file(value)
        above = next((ancestor for ancestor in value.absolute().parents if ancestor.exists()), Path("/"))
        trouble = ""
        if folder and kind in {"file", "device"}:
            trouble = f"{str(value)!r} is a file; name a folder"
        elif not folder and kind == "folder":
            trouble = f"{str(value)!r} is a folder; name a file"
        elif not folder and not value.absolute().parent.is_dir():
            trouble = f"there is no folder {str(value.parent)!r}; make it or name another"
        elif not above.is_dir() or not os.access(above, os.W_OK) or of_the_system(above.stat()):
            trouble = f"nothing can be written in {str(above)!r}; name a place elsewhere"
        if trouble:
            raise InvalidOptionError(f"{option}: {trouble}")
        return value

    return check


def kind_of_file(path: Path) -> str:
    """Say what stands under a name without opening it: a "file" (or a pipe), a "folder", a "device", or "absent"."""
    try:
        status = path.stat()
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            excerpt = str(path) if len(str(path)) <= _LINE else f"{str(path)[:60]}…"
            raise InvalidOptionError(f"{excerpt!r} is no name of a file: {error.strerror}") from None
        return "absent"
    from metaeval.base.provenance import of_the_system  # noqa: PLC0415 - loads what a record needs

    if of_the_system(status):
        raise InvalidOptionError(f"{str(path)!r} is no file of data: /proc and /sys hold no data; name another")
    if stat.S_ISDIR(status.st_mode):
        return "folder"
    return "file" if stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode) else "device"
