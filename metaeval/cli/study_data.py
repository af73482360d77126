"""A study file as data: what it may say, and what is refused by name.

A study file may come from anybody, so it can only say what is asked of which files. What it may hold is listed here, an
option a name; whatever is not listed is refused. Nothing is opened here but the study itself, and the files whose
checksums it states.
"""

import glob
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from metaeval.errors import FileFormatError, UnknownNameError

__all__ = ["Study", "is_program", "may_say", "read_study", "refuse_programs"]

_KEYS = ("command", "folder", "version", "options", "checksums")
_ASKED = frozenset(
    """
    adaptive_budget adaptive_rate adaptive_start adaptive_step against alpha alternative approximate audit baseline
    bayes bayesian bin_width budget built_with choose cluster cluster_column clusters collections column correction
    cost covariate_column current description difference digits epsilon exclude_systems exclude_topics expect gains
    group_column group_regex human_topics ignore_column interval_resamples item item_column labelled lenient level
    limit longest_break lower_is_better map_metric maps margin marks max_error method metric_column metric_pair
    metrics min_difference min_f1 min_tau missing more_documents n_topics no_header order outside pair people permute
    plain_p pool_depth pool_shares pool_sizes pooled_column power pymc question ranked reductions reference rel
    relevant_from repeat_column repeats replicates resample resamples rope rounds rows sampling scale score_precision
    scoring seed splits statistic steps system system_column systems systems_in test tested time title tolerance_unit
    tolerances top topic_sizes topics trials undefined value_column variance weight_column where without word
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Parameters that are words, numbers and switches of a question."""
_READ = frozenset(
    """
    cluster_file covariate documents element_sizes groups judged_pool_size log new_runs pool pool_runs pools qrels runs
    second system_list topic_list
    """.split()  # noqa: SIM905 - as above
)
"""Parameters that name files to read."""
_NAMED = frozenset({"new_runs", "pool", "pool_runs", "pools", "runs", "second"})
"""Those of them that take NAME=FILE and patterns, as inputs do."""
_RUN = frozenset({"plugin"})
"""Parameters that name programs."""
_WORK = frozenset({"dask", "threads", "workers"})
_LONGEST = 2**20
"""Bytes: a hundred times what a report writes, and little to go through."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|' + r"'[^'\n]*+'?|#[^\n]*+")
_NESTED = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){8}")
"""Keys within keys: TOML's reader takes time and memory with the square of their number."""
_CHECKSUM = re.compile(r"[0-9a-f]{64}")


class Study(NamedTuple):
    """What a study file says.

    Attributes
    ----------
    path : path
    command : str
    options : list of str
        Words of the command line, an option and its value in one.
    inputs : list of str
        Files, which hold from the folder one is in.
    programs : dict of str to str
        Files that the study wants run, with their checksums.
    """

    path: Path
    command: str
    options: list[str]
    inputs: list[str]
    programs: dict[str, str]


def may_say(name: str) -> bool:
    """Whether a study may set a parameter of this name."""
    return name in _ASKED or name in _READ or name in _RUN


def is_program(command: str, name: str, text: str) -> bool:
    """Whether a value of a parameter names a file that is run."""
    return name in _RUN or (command == "check-metric" and name == "metric" and text.endswith(".py"))


def read_study(path: Path, command_called: Callable[[str], Any], names: list[str]) -> Study:
    """Read a study file, and refuse what is no part of a question.

    Parameters
    ----------
    path : path
    command_called : callable
        Returns the command of a name.
    names : list of str
        Of all commands.

    Raises
    ------
    FileFormatError
        If the file is no TOML, lacks the command, holds what a study may not, names a program without a checksum, or
        if something that it read has changed.
    UnknownNameError
        If there is no such command.
    """
    file = _File(path)
    name = file.word("command")
    if name.split()[0] not in names:
        raise UnknownNameError("command", name, names)
    command = command_called(name.split()[0])
    if "out" not in {one.name for one in command.params}:
        file.refuse("command", f"{name!r} makes data and asks nothing, so it is no study", "type the command instead")
    if name not in names:
        raise UnknownNameError("command", name, names)
    checksums = {file.from_here(one): known for one, known in file.checksums().items()}
    given = dict(file.table("options"))
    inputs, programs = _inputs(file, command, given.pop("inputs", None))
    options, more = _options(file, command, given)
    programs += more
    _refuse_changed(file, checksums, programs)
    _refuse_unchecked(file, checksums, programs)
    return Study(path, name, options, inputs, {one: checksums[one] for one in programs})


def _inputs(file: "_File", command: Any, value: object) -> tuple[list[str], list[str]]:  # noqa: ANN401 - click's
    """Return the inputs, and the programs among them."""
    if value is None:
        return [], []
    argument = next((one for one in command.params if one.param_type_name == "argument"), None)
    if argument is None:
        file.refuse("inputs", f"{command.name} reads no inputs", "take the line out")
    inputs, programs = [], []
    for text in file.texts("inputs", value):
        if is_program(command.name, argument.name, text):
            programs.append(file.from_here(text))
            inputs.append(programs[-1])
        else:
            # names of metrics stand beside programs
            inputs.append(file.input("inputs", text, named_file=command.name != "check-metric"))
    return inputs, programs


def _options(file: "_File", command: Any, given: Mapping[str, object]) -> tuple[list[str], list[str]]:  # noqa: ANN401 - click's
    """Return the options as words, and the programs that they name."""
    known = {
        word.removeprefix("--"): one
        for one in command.params
        if one.param_type_name == "option" and one.name != "help"
        for word in (*one.opts, *one.secondary_opts)
        if word.startswith("--")
    }
    words: list[str] = []
    programs: list[str] = []
    for key, value in given.items():
        one = known.get(key)
        if one is None:
            may = [word for word, other in known.items() if may_say(other.name)]
            file.refuse(key, str(UnknownNameError(f"option of {command.name}", key, may)))
        if not may_say(one.name):
            what = "which machines work" if one.name in _WORK else "where and how the answer goes"
            file.refuse(key, f"a study does not say {what}", f"take the line out, and type --{key} behind the study")
        if one.is_flag:
            if value is not True:
                file.refuse(key, f"{key} takes no value but true, not {_shown(value)}", "leave the line out otherwise")
            words.append(f"--{key}")
            continue
        texts = [file.value(one.name, key, text) for text in file.texts(key, value)]
        programs += texts if one.name in _RUN else []
        words += [f"--{key}={text}" for text in (texts if one.multiple else [",".join(texts)])]
    return words, programs


def refuse_programs(study: Study) -> None:
    """Refuse the programs of a study, which nobody said to trust, by name and checksum."""
    if study.programs:
        shown = " and ".join(f"{one!r} (SHA-256 {checksum})" for one, checksum in study.programs.items())
        message = (
            f"the study wants a program run: {shown}; read it, and if you trust it add --trust behind the study, or "
            "take its line out"
        )
        raise FileFormatError(message, path=study.path)


class _File:
    """A study file, read: its values one by one, each refused with the line that holds it."""

    def __init__(self, path: Path) -> None:
        from metaeval.io.files import read_text  # noqa: PLC0415 - loads what reading needs

        self.path = path
        self.text = read_text(path)
        if len(self.text) > _LONGEST:
            message = f"a study has at most {_LONGEST} letters, and this has {len(self.text)}; check the file"
            raise FileFormatError(message, path=path)
        self.held = self._parsed()
        for key in self.held:
            if key not in _KEYS:
                self.refuse(key, str(UnknownNameError("key of a study", key, _KEYS)))
        folder = self.word("folder") if "folder" in self.held else "."
        base = os.path.realpath(path.parent / folder)
        if not os.path.isdir(base):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
            self.refuse("folder", f"there is no folder {folder!r} from here", "name the one in which its paths begin")
        try:
            self.base = os.path.relpath(base)
        except ValueError:  # another drive
            self.base = base

    def _parsed(self) -> dict[str, Any]:
        bare = _STRING.sub("_", self.text.replace("'''", "'").replace('"""', '"'))
        nested = _NESTED.search(bare)
        if nested is not None:
            message = "keys within keys within keys: a study has the tables [options] and [checksums], and no others"
            raise FileFormatError(message, path=self.path)
        try:
            return tomllib.loads(self.text)
        except RecursionError:
            message = "lists within lists within lists: a value of a study is a text, a number or a list of these"
            raise FileFormatError(message, path=self.path) from None
        except ValueError as error:  # TOML's own errors, and numbers of thousands of digits
            raise FileFormatError(f"this is no TOML: {error}", path=self.path) from error

    def refuse(self, key: str, rule: str, way_out: str = "") -> NoReturn:
        """Refuse what stands at a key."""
        found = re.search(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=", self.text, flags=re.MULTILINE)
        line = None if found is None else self.text.count("\n", 0, found.start()) + 1
        start = "" if key in rule else f"{key}: "
        raise FileFormatError(start + (f"{rule}; {way_out}" if way_out else rule), path=self.path, line=line)

    def word(self, key: str) -> str:
        """Return a text that stands at the top."""
        value = self.held.get(key)
        if not isinstance(value, str) or "\0" in value or not value.strip():
            example = "command" if key == "command" else key
            self.refuse(key, f"a study names its {example} as a text, not {_shown(value)}", 'as in command = "power"')
        return value

    def table(self, key: str) -> dict[str, Any]:
        """Return a table, empty if there is none."""
        value = self.held.get(key, {})
        if not isinstance(value, dict):
            self.refuse(key, f"{key} is a table, not {_shown(value)}", f"write [{key}], with a line for each")
        return value

    def texts(self, key: str, value: object) -> list[str]:
        """Return a value as texts: one, or those of a list."""
        listed = value if isinstance(value, list) else [value]
        if not listed:
            self.refuse(key, f"{key} needs a value, not an empty list", "leave the line out otherwise")
        for one in listed:
            if isinstance(one, bool) or not isinstance(one, str | int | float):
                self.refuse(key, f"{key} needs a value, not {_shown(one)}", "write a text, a number or a list of these")
            if isinstance(one, str) and "\0" in one:
                self.refuse(key, f"a zero character stands in {_shown(one)}", "take it out")
        return [str(one) for one in listed]

    def value(self, name: str, key: str, text: str) -> str:
        """Return the value of an option; files hold from the folder one is in."""
        if name in _NAMED:
            return self.input(key, text)
        if name in _RUN:
            return self.from_here(text)
        if name in _READ and not (name == "judged_pool_size" and text.strip().isdecimal()):
            found = self.from_here(text)
            self._refuse_pipe(key, text, found)
            return found
        return text

    def input(self, key: str, text: str, *, named_file: bool = True) -> str:
        """Return an input, NAME=FILE or a pattern among them, as one that holds from the folder one is in."""
        if text.startswith("-") and text != "-":
            way_out = f"options have lines of their own, and a file of that name is './{text}'"
            self.refuse(key, f"an input is the name of a file, and {_shown(text)} looks like an option", way_out)
        if not named_file:
            return text
        pieces = text.split("=")
        named = [("=".join(pieces[:cut]), "=".join(pieces[cut:])) for cut in range(1, len(pieces))]
        # as `metaeval.io.sources.named_source` has it: the whole, else the first that is there, else the last
        for name, file in [("", text), *(one for one in named if one[0].strip())]:
            found = self.from_here(file)
            if file == "-" or os.path.exists(found):  # noqa: PTH110 - no error for a long name
                self._refuse_pipe(key, file, found)
                return f"{name}={found}" if name else found
        if named and named[-1][0].strip():
            return f"{named[-1][0]}={self.from_here(named[-1][1])}"
        return self.from_here(text)

    def from_here(self, text: str) -> str:
        """Return a path of the study as one from the folder one is in; nobody goes to the folder of the study."""
        if text == "-" or self.base == "." or os.path.isabs(text):  # noqa: PTH117 - as typed
            return text
        plain = os.path.join(self.base, text)  # noqa: PTH118 - nothing is tidied up: links stay
        if glob.has_magic(text) and not os.path.exists(plain):  # noqa: PTH110 - no error for a long name
            return os.path.join(glob.escape(self.base), text)  # noqa: PTH118 - as above
        return plain

    def _refuse_pipe(self, key: str, text: str, found: str) -> None:
        if text != "-" and not _is_plain(found):
            self.refuse(key, f"{text!r} is neither a file nor a folder", "take it out, and type it behind the study")

    def checksums(self) -> dict[str, str]:
        """Return the checksums, by file as the study names it."""
        found = self.table("checksums")
        for name, known in found.items():
            if not isinstance(known, str) or not _CHECKSUM.fullmatch(known):
                self.refuse(name, f"a checksum is 64 digits of SHA-256, not {_shown(known)}", "take the line out")
            if "\0" in name or not name:
                self.refuse(name, f"{name!r} is no name of a file", "take the line out")
        return found


def _is_plain(path: str) -> bool:
    """Whether a path leads to a file or a folder, or to nothing; other things may be waited for without end."""
    from metaeval.io.files import file_status  # noqa: PLC0415 - loads what reading needs

    status = file_status(path)
    return status is None or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)


def _refuse_changed(file: _File, checksums: Mapping[str, str], programs: list[str]) -> None:
    from metaeval.provenance import file_checksum  # noqa: PLC0415 - loads what a record needs

    changed = []
    for name, known in checksums.items():
        if name != "-" and not _is_plain(name):
            message = f"[checksums] names {name!r}, which is neither a file nor a folder; take the line out"
            raise FileFormatError(message, path=file.path)
        try:
            same = name == "-" or file_checksum(name) == known
        except OSError as error:
            message = (
                f"{name!r}, which this study read, cannot be read ({error.strerror}); put it back, or take its line out"
            )
            raise FileFormatError(message, path=file.path) from None
        changed += [] if same else [name]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        way = "take the lines out of [checksums] to ask the same of new data"
        if changed[0] in programs:
            way = "read it; if it is to run, write its new checksum into [checksums]"
        message = f"{changed[0]!r}{more} is not what this study read (SHA-256); {way}"
        raise FileFormatError(message, path=file.path)


def _refuse_unchecked(file: _File, checksums: Mapping[str, str], programs: list[str]) -> None:
    from metaeval.provenance import file_checksum  # noqa: PLC0415 - loads what a record needs

    for one in programs:
        if one not in checksums:
            own = json.dumps(one if file.base == "." else os.path.relpath(one, file.base), ensure_ascii=False)
            message = (
                f"the study wants the program {one!r} run, and states no checksum of it; read it, and if you trust it "
                f'write the line {own} = "{file_checksum(one)}" below [checksums]'
            )
            raise FileFormatError(message, path=file.path)


def _shown(value: object) -> str:
    text = json.dumps(value, default=str) if not isinstance(value, dict) else "a table"
    return text if len(text) <= 80 else f"{text[:80]}…"  # noqa: PLR2004 - a line
