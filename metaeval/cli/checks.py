"""What the value of an option must be: said where the option is declared, checked before the first file is opened.

Every function here but `Commands` makes the ``callback=`` of one option. The command line calls it as soon as it has
taken the words apart, so a slip of the fingers costs no reading. What depends on several options at once is checked
by `check_together`, after them and still before the command begins.
"""

import errno
import math
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from metaeval.cli.wording import in_options, speaking_of
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, UnknownNameError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.procedures import Table

if TYPE_CHECKING:
    from metaeval.metrics.registry import Registry

__all__ = [
    "MOST_DRAWS",
    "Commands",
    "check_scores_file",
    "column_names",
    "corrections",
    "error_rate",
    "file_path",
    "file_to_read",
    "file_to_write",
    "files_to_read",
    "given_at",
    "library",
    "names",
    "number",
    "numbers",
    "one_of",
    "pair_tests",
    "parse_assignments",
    "parse_numbers",
    "read_by",
    "several_of",
    "whole",
]

MOST_DRAWS = 1_000_000
"""Largest number of draws, trials or replicates an option takes: more is a slip, or a machine kept busy for weeks."""

_REGISTRY = "metaeval.registry"
_SCORING = ("reliability", "assessors")
"""Commands that score by --metrics without --qrels."""

_COUNTING = ("power", "report")
"""Commands that count discriminative power, as published."""

type Callback = Callable[..., Any]
type Known = Sequence[str] | Callable[[], Iterable[str]]


def given_at(context: typer.Context, name: str) -> bool:
    """Say whether a parameter was given on the command line (and is no default)."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _checked(check: Callable[[Any, str], Any]) -> Callback:
    """Return the callback that passes what was typed, with the name of its option, through a check."""

    def callback(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:  # noqa: ANN401 - any option's
        if value is None or context.resilient_parsing or not given_at(context, str(parameter.name)):
            return value
        option = parameter.opts[0] if parameter.opts[0].startswith("-") else str(parameter.metavar)
        try:
            return check(value, option)
        except MetaevalError as error:
            _translate(error, context)
            if option not in str(error):
                error.args = (f"{option}: {error}", *error.args[1:])
            raise

    return callback


def _refuse(option: str, rule: str, value: object, hint: str = "") -> InvalidOptionError:
    text = repr(value)
    shown = text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"  # noqa: PLR2004 - a line's length
    return InvalidOptionError(f"{option} takes {rule}, not {shown}{hint}")


# -------------------------------------------------------------------------------------------------------- one number


def whole(low: int, high: int | None = None, *, also: Sequence[int] = ()) -> Callback:
    """Take whole numbers from `low` to `high`, and those in `also`."""
    extra = "".join(f"{one} or " for one in also)
    rule = f"{extra}a whole number of at least {low}" if high is None else f"{extra}a whole number from {low} to {high}"

    def check(value: int, option: str) -> int:
        if value not in also and not low <= value <= (math.inf if high is None else high):
            raise _refuse(option, rule, value)
        return value

    return _checked(check)


def number(rule: str, holds: Callable[[float], bool]) -> Callback:
    """Take finite numbers for which the rule holds; `rule` says it in words, as in "a level between 0 and 1"."""

    def check(value: float, option: str) -> float:
        if not (math.isfinite(value) and holds(value)):
            raise _refuse(option, rule, value)
        return value

    return _checked(check)


def error_rate() -> Callback:
    """Take an error rate to stay within: better than a coin."""
    return number("a share above 0 and below 0.5", lambda share: 0 < share < 0.5)  # noqa: PLR2004 - a coin


def library(load: Callable[[], Callable[[Any], object]], *, high: int | None = None) -> Callback:
    """Put a value through the check that the library itself makes, and refuse what no machine ends."""

    def check(value: Any, option: str) -> Any:  # noqa: ANN401 - the library's
        load()(value)
        if high is not None and value > high:
            raise _refuse(option, f"at most {high}", value)
        return value

    return _checked(check)


# --------------------------------------------------------------------------------------------------------- one word


def one_of(*choices: str) -> Callback:
    """Take one of a few words; case does not matter, nor whether dashes or underscores join them."""

    def check(value: str, option: str) -> str:
        return _found(value, choices, option, f"{', '.join(choices[:-1])} or {choices[-1]}")

    return _checked(check)


def _found(value: str, known: Sequence[str], option: str, rule: str) -> str:
    folded = {_folded(name): name for name in known}
    if _folded(value) not in folded:
        near = get_close_matches(_folded(value), folded, n=3, cutoff=0.6)
        hint = f"; did you mean {' or '.join(folded[one] for one in near)}?" if near else ""
        raise _refuse(option, rule, value, hint)
    return folded[_folded(value)]


def _folded(text: str) -> str:
    return text.strip().casefold().replace("_", "-")


# ------------------------------------------------------------------------------------------------- several, by comma


def several_of(known: Known, *, every: bool = False, canonical: Callable[[str], str] = str) -> Callback:
    """Take names by comma, each of `known` once; with `every`, the word "all" too."""

    def check(value: str, option: str) -> str:
        choices = list(known() if callable(known) else known)
        rule = ", ".join(choices) + (", or all" if every else "")
        asked = _split(value, option, rule)
        if every and [_folded(name) for name in asked] == ["all"]:
            return "all"
        return ",".join(dict.fromkeys(_found(canonical(name), choices, option, rule) for name in asked))

    return _checked(check)


def pair_tests(*, several: bool = False) -> Callback:
    """Take a test, or several by comma, under any name the field has for it."""

    def known() -> list[str]:
        return [*TESTS]

    return _of_table(TESTS, known, several=several)


def corrections(*, family_wise: bool = False, several: bool = False) -> Callback:
    """Take a correction, or several by comma, under any name the field has for it."""

    def known() -> list[str]:
        return [*CORRECTIONS.named] if family_wise else [*CORRECTIONS]

    return _of_table(CORRECTIONS, known, several=several)


def _of_table(table: Table[Any], known: Callable[[], list[str]], *, several: bool) -> Callback:
    def canonical(name: str) -> str:
        try:
            return table.canonical(name)
        except InvalidOptionError:
            return name

    return several_of(known, every=True, canonical=canonical) if several else _single(known, canonical)


def _single(known: Callable[[], list[str]], canonical: Callable[[str], str]) -> Callback:
    def check(value: str, option: str) -> str:
        choices = known()
        return _found(canonical(value), choices, option, f"one of {', '.join(choices)}")

    return _checked(check)


def names(what: str) -> Callback:
    """Take names by comma that only the input or a registry can check; here there must be some. Metrics mostly."""

    def check(value: str, option: str) -> str:
        from metaeval.metrics.names import split_names  # noqa: PLC0415 - loads the package's grammar

        if not split_names(value):
            raise _refuse(option, what, value)
        return value

    return _checked(check)


def numbers(rule: str, holds: Callable[[float], bool]) -> Callback:
    """Take finite numbers by comma for which the rule holds, each once."""

    def check(value: str, option: str) -> str:
        found = parse_numbers(value, option, rule)
        if not all(math.isfinite(one) and holds(one) for one in found):
            raise _refuse(option, rule, value)
        if len(set(found)) < len(found):
            raise _refuse(option, f"{rule}, each once", value)
        return value

    return _checked(check)


def read_by(parse: Callable[[str], object]) -> Callback:
    """Take what a command's own parser reads; its error is the refusal."""

    def check(value: str, _option: str) -> str:
        parse(value)
        return value

    return _checked(check)


def parse_numbers(text: str, option: str, rule: str = "numbers separated by commas, such as 0,5,10") -> list[float]:
    """Turn numbers separated by commas into a list.

    Examples
    --------
    >>> parse_numbers("0,5, 10", "--tolerances")
    [0.0, 5.0, 10.0]
    """
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise _refuse(option, rule, text) from None


def parse_assignments(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """Turn texts like ``name=value`` into a mapping.

    Examples
    --------
    >>> parse_assignments(["relevant=1", "not=0"], "--word")
    {'relevant': '1', 'not': '0'}
    """
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise _refuse(option, "NAME=VALUE", text)
        if found.setdefault(name, value) != value:
            message = f"{option} says two things of {name}: {found[name]} and {value}; keep one"
            raise InvalidOptionError(message)
    return found


def column_names(value_rule: Callable[[str, str], object] | None = None) -> Callback:
    """Take a name, or NAME=VALUE pairs whose two sides the rule looks at, once or several times; none may be empty."""

    def check(value: str | list[str], option: str) -> str | list[str]:
        listed = [value] if isinstance(value, str) else value
        if not all(one.strip() for one in listed):
            raise _refuse(option, "a name", "")
        if value_rule is not None:
            for name, text in parse_assignments(listed, option).items():
                value_rule(name, text)
        return value

    return _checked(check)


def _split(value: str, option: str, rule: str) -> list[str]:
    asked = [name.strip() for name in value.split(",") if name.strip()]
    if not asked:
        raise _refuse(option, rule, value)
    return asked


# ------------------------------------------------------------------------------------------------------------- files


def file_path(text: str | Path) -> Path:
    """Turn what was typed into a path (``parser=`` of an option), if it can be the name of a file at all.

    An empty text would stand for the folder one is in.

    Examples
    --------
    >>> file_path("runs/qrels.txt").name
    'qrels.txt'
    """
    if not str(text).strip() or "\0" in str(text):
        message = f"{str(text)!r} is no name of a file"
        raise typer.BadParameter(message)
    try:
        _kind(Path(text))
    except InvalidOptionError as error:
        raise typer.BadParameter(str(error)) from None
    return Path(text)


def file_to_read(what: str = "a file", *, folder: bool = False) -> Callback:
    """Take a file that is there (or, with `folder`, a folder); it is looked up, not opened."""

    def check(value: str | Path, _option: str) -> str | Path:
        path = Path(value)
        if str(path) != "-" and _kind(path) == "absent":
            from metaeval.io.sources import list_sources  # noqa: PLC0415 - its error names the nearest files

            list_sources(str(path))
        if not folder and _kind(path) == "folder":
            message = f"this is a folder; name {what}"
            raise FileFormatError(message, path=path)
        if str(path) != "-" and _kind(path) == "device":
            message = f"this is a device and no file; name {what}"
            raise FileFormatError(message, path=path)
        return value

    return _checked(check)


def files_to_read(*, first: bool = True) -> Callback:
    """Take files, folders or patterns, also as NAME=FILE.

    Whether they are there is found out by their reader; those that are not read `first` are looked for at once, lest
    a slip costs the reading of the others.
    """

    def check(value: str | list[str], option: str) -> str | list[str]:
        for text in [value] if isinstance(value, str) else value:
            if not text.strip() or "\0" in text:
                raise _refuse(option, "names of files", text)
            for place in {text, text.rpartition("=")[2]}:
                _kind(Path(place))
        if not first:
            from metaeval.io.sources import run_sources  # noqa: PLC0415 - loads numba

            run_sources([value] if isinstance(value, str) else value)
        return value

    return _checked(check)


def file_to_write(*, folder: bool = False) -> Callback:
    """Take a name under which a file (or, with `folder`, a folder of files) can be written."""

    def check(value: Path, option: str) -> Path:
        kind = _kind(value)
        if folder and kind in {"file", "device"}:
            message = f"{option}: {str(value)!r} is a file; name a folder"
            raise InvalidOptionError(message)
        if not folder and kind == "folder":
            message = f"{option}: {str(value)!r} is a folder; name a file"
            raise InvalidOptionError(message)
        above = next((one for one in value.absolute().parents if one.exists()), Path("/"))
        if not folder and not value.absolute().parent.is_dir():
            message = f"{option}: there is no folder {str(value.parent)!r}; make it or name another"
            raise InvalidOptionError(message)
        if not above.is_dir() or not os.access(above, os.W_OK):
            message = f"{option}: nothing can be written in {str(above)!r}; name a place elsewhere"
            raise InvalidOptionError(message)
        return value

    return _checked(check)


def _kind(path: Path) -> str:
    """Say what stands under a name without opening it: a file (or a pipe), a folder, a device, or nothing."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            shown = str(path) if len(str(path)) <= 80 else f"{str(path)[:60]}…"  # noqa: PLR2004 - a line's length
            message = f"{shown!r} is no name of a file: {error.strerror}"
            raise InvalidOptionError(message) from None
        return "absent"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) or stat.S_ISFIFO(mode) else "device"


# ------------------------------------------------------------------------------------------- several options at once

_ENDINGS = (".nc", ".parquet", ".csv", ".tsv")
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_FOR_RUNS = ("plugin", "undefined", "order", "score_precision", "element_sizes", "lenient")
_BELONGS: Mapping[str, tuple[str, ...]] = {
    "group_column": ("groups",),
    "pooled_column": ("groups",),
    "gains": ("audit",),
    "longest_break": ("log",),
    "overwrite": ("out", "pairs", "scores"),
}
"""Options that do nothing without another one, or without any of a few."""
_BELONGS_IN: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("assessors", "metrics"): ("runs",),
    ("assessors", "test"): ("runs",),
    ("assessors", "correction"): ("runs",),
    ("assessors", "alpha"): ("runs",),
    ("design", "pool"): ("inputs",),
    ("design", "qrels"): ("inputs",),
}
"""The same, in one command."""
_EXCLUDE = (("groups", "group_regex"), ("audit", "metrics"), ("as_json", "as_latex"))
"""Options of which one makes the other pointless."""


def check_together(context: typer.Context) -> None:
    """Refuse options that contradict each other or do nothing beside the others, and metrics that nobody knows.

    Raises
    ------
    InvalidOptionError
        Naming both options and which to leave out or to add.
    """
    given = context.params
    options = {str(parameter.name): parameter.opts[0] for parameter in context.command.params}
    options["inputs"] = "INPUTS"
    for name in given:
        needed = _BELONGS_IN.get((str(context.info_name), name), _BELONGS.get(name, ()))
        there = [other for other in needed if other in given]
        if there and given_at(context, name) and not any(given[other] for other in there):
            others = " or ".join(options[other] for other in there)
            message = f"{options[name]} does nothing without {others}; add that, or leave {options[name]} out"
            raise InvalidOptionError(message)
    for first, second in _EXCLUDE:
        if first in given and second in given and given_at(context, first) and given_at(context, second):
            message = f"{options[first]} and {options[second]} exclude each other; give one of them"
            raise InvalidOptionError(message)
    _check_kind(context, options)
    _check_tests(context)
    _check_metrics(context)
    _check_out(context)


def _check_out(context: typer.Context) -> None:
    """Refuse an output that must not or cannot be written."""
    given = context.params
    overwrite = given.get("overwrite", False)
    if given.get("pairs") is not None:
        _check_replaced(given["pairs"], "--pairs: ", overwrite=overwrite)
    if given.get("scores") is not None:
        check_scores_file(given["scores"], overwrite=overwrite)
    if given.get("out") is not None:
        from metaeval.io.folders import check_folder  # noqa: PLC0415 - loads what writing needs

        check_folder(given["out"], overwrite=overwrite)


def check_scores_file(path: Path, *, overwrite: bool) -> None:
    """Refuse a file of scores of an unknown format, or one that must not be replaced."""
    kept = [suffix for suffix in map(str.casefold, path.suffixes) if suffix not in _PACKED]
    if not kept or kept[-1] not in _ENDINGS:
        raise UnknownNameError("file ending", kept[-1] if kept else path.name, _ENDINGS)
    _check_replaced(path, "", overwrite=overwrite)


def _check_replaced(path: Path, option: str, *, overwrite: bool) -> None:
    if not overwrite and _kind(path) != "absent":
        message = f"{option}{str(path)!r} exists already; pass --overwrite to replace it, or name another file"
        raise InvalidOptionError(message)


def _check_kind(context: typer.Context, options: Mapping[str, str]) -> None:
    """Refuse options that belong to the other kind of input: runs with judgments, or tables of scores."""
    given = context.params
    if "qrels" not in given:
        return
    if given["qrels"] is not None and given_at(context, "systems_in"):
        message = "--systems-in is about score tables, and with --qrels the inputs are runs; leave it out"
        raise InvalidOptionError(message)
    if given["qrels"] is None and "systems_in" in given:
        for name in _FOR_RUNS:
            if given_at(context, name):
                message = (
                    f"{options[name]} is about runs and judgments, and without --qrels the input is a score table; "
                    "leave it out"
                )
                raise InvalidOptionError(message)


def _check_tests(context: typer.Context) -> None:
    """Refuse tests that cannot be asked as the other options ask."""
    given = context.params
    if not isinstance(given.get("test"), str):
        return
    asked = given["test"].split(",")
    side = given.get("alternative")
    if side not in (None, "two-sided") and given_at(context, "alternative"):
        fixed = [TESTS[name] for name in asked if name in TESTS and TESTS[name].one_sided_substitute]
        if fixed:
            message = (
                f"--alternative {side}: the test {fixed[0].name} is two-sided only; choose another test, such as "
                f"{fixed[0].one_sided_substitute}"
            )
            raise InvalidOptionError(message)
    corrections = str(given.get("correction")).split(",")
    if context.info_name in _COUNTING and asked == ["bootstrap_sensitivity"] and not {"none", "all"} & set(corrections):
        message = (
            f"--correction {given['correction']}: the test bootstrap_sensitivity stands uncorrected, as published, for "
            "its p-values k/B can be 0; choose the test t or bootstrap, or --correction none"
        )
        raise InvalidOptionError(message)
    n_resamples, alpha = given.get("resamples"), given.get("alpha")
    if "bootstrap_sensitivity" in asked and n_resamples is not None and isinstance(alpha, float):
        least = math.ceil(1 / alpha - 1e-9)
        if n_resamples < least:
            message = (
                f"--resamples {n_resamples} is too few to read off the difference required at --alpha {alpha:g}; "
                f"give at least {least}"
            )
            raise InvalidOptionError(message)
    if given.get("correction") == "family-wise" and not TESTS.find(asked[0]).family_wise:
        message = f"--correction family-wise: the test {asked[0]} has no family-wise p-values; choose another"
        raise InvalidOptionError(message)


def registry_of(context: typer.Context) -> "Registry":
    """Return the metrics of the package, of installed packages and of the plug-in files given, each run once."""
    if _REGISTRY not in context.meta:
        from metaeval.metrics.plugins import default_registry, load_plugin  # noqa: PLC0415 - loads numba

        registry = default_registry()
        for path in dict.fromkeys(context.params.get("plugin") or ()):
            registry = registry.extend(*load_plugin(path))
        context.meta[_REGISTRY] = registry
    return context.meta[_REGISTRY]


def _check_metrics(context: typer.Context) -> None:
    """Refuse metrics of runs that nobody knows; those of a score table are its columns, which only it can tell."""
    given = context.params
    if given.get("plugin"):
        registry_of(context)
    scored = given.get("qrels") is not None or context.info_name in _SCORING
    asked = [name for name in ("metrics", "audit") if scored and given_at(context, name) and name in given]
    if asked:
        from metaeval.metrics.names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
        from metaeval.metrics.score import resolve_metrics  # noqa: PLC0415 - as above

        for name in asked:
            chosen = resolve_metrics(split_names(given[name]), registry=registry_of(context))
            known = [metric.name for metric in chosen]
            for other in (given.get("current"), given.get("map_metric"), *(given.get("lower_is_better") or ())):
                if other is not None and other not in known:
                    raise UnknownNameError(f"metric among those of --{name}:", other, known)
    for text in _gains(given.get("gains")) if scored else ():
        try:
            registry_of(context).resolve(f"nDCG(gains={text})")
        except InvalidOptionError as error:
            rule = "tables of grades in braces, such as {1:1,2:5}, or names of quantisations, such as exponential"
            raise _refuse("--gains", rule, text) from error


def _gains(text: str | None) -> list[str]:
    if not text:
        return []
    from metaeval.metrics.names import split_names  # noqa: PLC0415 - as above

    return split_names(text)


# --------------------------------------------------------------------------------------------------------- the hook


class _CheckedCommand(TyperCommand):
    """A command that looks at all its options together before it begins, and speaks of options in its errors."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own signature
        from metaeval.io.folders import claiming  # noqa: PLC0415 - loads what writing needs

        with claiming(), speaking_of(_options_of(ctx)):  # a folder found good is the command's own until its end
            try:
                check_together(ctx)
                return super().invoke(ctx)
            except MetaevalError as error:
                _translate(error, ctx)
                raise


def _translate(error: MetaevalError, context: typer.Context) -> None:
    """Put the message of an error into the words of the command line, with the notes added to it."""
    notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
    error.args = (in_options(str(error) + notes, _options_of(context)), *error.args[1:])


def _options_of(context: typer.Context) -> list[str]:
    return [option for parameter in context.command.params for option in parameter.opts if option.startswith("-")]


class Commands(typer.Typer):
    """The app: every command registered on it is checked as this module says."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:  # noqa: ANN401 - typer's settings
        """Register a command; see `typer.Typer.command`."""
        return super().command(name, **({"cls": _CheckedCommand} | settings))
