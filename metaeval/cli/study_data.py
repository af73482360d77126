"""A study file as data: what it may say, and what is refused by name.

A study file may come from anybody, so it can only say what is asked of which files. What it may hold follows from how
an option is declared: who works, how an answer is shown and what is written is refused. Nothing is opened here but the
study itself, and the files whose checksums it states.
"""

import glob
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Container, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from metaeval.base.checks import show
from metaeval.base.names import shortened
from metaeval.cli import checks
from metaeval.cli.options import OUTPUT, WORKING
from metaeval.cli.typer_inside import declaration
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError

_KEYS = ("command", "folder", "version", "options", "checksums")
NO_STUDIES = frozenset({"check-metric", "doctor", "metrics", "simulate"})
"""Commands that ask nothing of data: no study file names one, and none is written beside their reports."""
RUN = frozenset({"plugin"})
"""Options whose files are run."""
_WORK = frozenset({*WORKING, "threads"})
"""Options about who works, which change no result."""
_SHOWN = frozenset(OUTPUT) - {"title", "description"}
"""Options about how an answer is shown, beside the forms that exclude --json."""
_LONGEST = 2**20
"""Bytes: a hundred times what a report writes, and little to go through."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|' + r"'[^'\n]*+'?|#[^\n]*+")
_NESTED = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){8}")
"""Keys within keys: TOML's reader takes time and memory with the square of their number."""
_AT_LINE = re.compile(r"(?P<rule>.*) \(at line (?P<line>\d+), column \d+\)")
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{4000}")
_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_LARGEST = 10**40
_MOST_TRIED = 4
"""Lines that could hold a key: each is tried by reading the study up to it."""


class StudyData(NamedTuple):
    """What a study file says."""

    path: Path
    command: str
    options: list[str]
    """Words of the command line, an option and its value in one."""
    inputs: list[str]
    """Files, which hold from the folder one is in."""
    programs: dict[str, str]
    """Files that the study wants run, with their checksums."""
    places: "Places"


class Places(NamedTuple):
    """Where in a study the values of parameters stand, for messages about them."""

    file: "TomlFile"
    keys: dict[str, str]
    """By parameter."""
    values: dict[str, list[str]]
    """By parameter."""
    table: str = "options"

    def hold(self, name: str, key: str, texts: list[str]) -> None:
        """Note the key of a parameter, and its values: those by comma too, and files without names before them."""
        self.keys[name] = key
        parts = [value for text in texts for value in (text, *text.split(","), text.rpartition("=")[2])]
        self.values[name] = [value.strip() for value in parts]

    def without(self, names: Container[str]) -> "Places":
        """Return the same without parameters that were typed, too: there the study may not be what is wrong."""
        keys = {name: key for name, key in self.keys.items() if name not in names}
        return self._replace(keys=keys, values={name: self.values[name] for name in keys})

    def before(self, name: str) -> str:
        """Return file and line of a parameter's value, to be put before a message; "" for what the study says not."""
        return self.file.place(self.keys[name], self.table) if name in self.keys else ""

    def before_error(self, error: Exception, message: str, labels: Mapping[str, str]) -> str:
        """Return the same for what a command says of its options, by the value or the option's label that it names."""
        value = getattr(error, "name", None)
        if isinstance(error, FileFormatError) and error.path is not None and not os.path.lexists(error.path):
            value = error.path
        names = [name for name, texts in self.values.items() if value in texts]
        if len(names) != 1:
            spoken = ((re.search(rf"(?<![\w-]){re.escape(labels[name])}(?![\w-])", message), name) for name in labels)
            first = sorted((match.start(), name) for match, name in spoken if match)[:1]  # others are ways out
            names = [name for start, name in first if start == 0 or isinstance(error, InvalidOptionError)]
        return self.before(names[0]) if names else ""


def may_say(parameter: Any) -> bool:  # noqa: ANN401 - click's
    """Whether a study may set a parameter: a part of the question, whose files are read, and not written."""
    option = declaration(parameter)
    if parameter.name in _WORK | _SHOWN or "out" in option.needs or "as_json" in option.excludes:
        return False
    return option.parser is None or bool(_reads(parameter)) or parameter.name in RUN


def _reads(parameter: Any) -> str:  # noqa: ANN401 - click's
    """Return what checks a parameter of files that are read: `file_to_read` or `files_to_read`; else nothing."""
    name = getattr(declaration(parameter).check, "__qualname__", "").partition(".")[0]
    return name if name in {checks.file_to_read.__name__, checks.files_to_read.__name__} else ""


def read_study(path: Path, command_called: Callable[[str], Any], names: list[str]) -> StudyData:
    """Read a study file, and refuse what is no part of a question."""
    file = _File(path)
    name = file.word("command")
    if name.split()[0] in NO_STUDIES:
        rule, way_out = f"{name!r} asks nothing of data, so it is no study", "type the command instead"
        file.refuse("command", rule, way_out, table="")
    if name not in names:
        raise file.unknown_command(name, names)
    command = command_called(name)
    checksums = {file.from_here(file_path): checksum for file_path, checksum in file.checksums().items()}
    settings = dict(file.table("options"))
    places = Places(file, {}, {})
    inputs = _inputs(file, places, command, settings.pop("inputs", None))
    options, programs = _options(file, places, command, settings)
    _refuse_changed(file, checksums, programs)
    _refuse_unchecked(file, checksums, programs)
    return StudyData(path, name, options, inputs, {file_path: checksums[file_path] for file_path in programs}, places)


def _inputs(file: "_File", places: Places, command: Any, value: object) -> list[str]:  # noqa: ANN401 - click's
    if value is None:
        return []
    argument = next((parameter for parameter in command.params if parameter.param_type_name == "argument"), None)
    if argument is None:
        file.refuse("inputs", f"{command.name} reads no inputs", "take the line out")
    inputs = [file.input("inputs", text) for text in file.texts("inputs", value)]
    places.hold(argument.name, "inputs", inputs)
    return inputs


def _options(
    file: "_File",
    places: Places,
    command: Any,  # noqa: ANN401 - click's
    given: Mapping[str, object],
) -> tuple[list[str], list[str]]:
    """Return the options as words, and the programs that they name."""
    parameters = {
        word.removeprefix("--"): parameter
        for parameter in command.params
        if parameter.param_type_name == "option" and parameter.name != "help"
        for word in (*parameter.opts, *parameter.secondary_opts)
        if word.startswith("--")
    }
    words: list[str] = []
    programs: list[str] = []
    for key, value in given.items():
        parameter = parameters.get(key)
        if parameter is None:
            may = [word for word, candidate in parameters.items() if may_say(candidate)]
            file.refuse(key, str(UnknownNameError(f"option of {command.name}", key, may)))
        if not may_say(parameter):
            subject = "which machines work" if parameter.name in _WORK else "where and how the answer goes"
            file.refuse(key, f"a study does not say {subject}", f"take the line out, and type --{key} behind the study")
        if parameter.is_flag:
            if value is not True:
                file.refuse(key, f"{key} takes no value but true, not {_shown(value)}", "leave the line out otherwise")
            words.append(f"--{key}")
            places.hold(parameter.name, key, [])
            continue
        texts = [file.value(parameter, key, text) for text in file.texts(key, value)]
        places.hold(parameter.name, key, texts)
        programs += texts if parameter.name in RUN else []
        words += [f"--{key}={text}" for text in (texts if parameter.multiple else [",".join(texts)])]
    return words, programs


def refuse_programs(study: StudyData) -> None:
    """Refuse the programs of a study, which nobody said to trust, by name and checksum."""
    if study.programs:
        listed = " and ".join(f"{program!r} (SHA-256 {checksum})" for program, checksum in study.programs.items())
        message = (
            f"the study wants a program run: {listed}; read it, and if you trust it add --trust behind the study, or "
            "take its line out"
        )
        raise FileFormatError(message, path=study.path)


class TomlFile:
    """A file of options, read: its values one by one, each refused with the line that holds it."""

    kind = "a study"
    tables = "has the tables [options] and [checksums], and no others"

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        if len(self.text) > _LONGEST:
            message = f"{self.kind} has at most {_LONGEST} letters, and this has {len(self.text)}; check the file"
            raise FileFormatError(message, path=path)
        self.held = self._parsed()

    def _parsed(self) -> dict[str, Any]:
        bare = _STRING.sub("_", self.text.replace("'''", "'").replace('"""', '"'))
        nested = _NESTED.search(bare)
        if nested is not None:
            message = f"keys within keys within keys: {self.kind} {self.tables}"
            raise FileFormatError(message, path=self.path)
        try:
            return tomllib.loads(self.text)
        except RecursionError:
            message = f"lists within lists within lists: a value of {self.kind} is a text, a number or a list of these"
            raise FileFormatError(message, path=self.path) from None
        except tomllib.TOMLDecodeError as error:
            told = _AT_LINE.match(str(error))
            rule, line = (told["rule"], int(told["line"])) if told else (str(error), None)
            if rule.startswith("Cannot"):
                rule = f"a key or a table appears twice ({rule})"
            raise FileFormatError(f"this is no TOML: {rule}", path=self.path, line=line) from error
        except ValueError as error:
            long = _LONG_NUMBER.search(self.text)
            line = None if long is None else self.text.count("\n", 0, long.start()) + 1
            message = "a number of thousands of digits, which no option takes; write it shorter"
            raise FileFormatError(message, path=self.path, line=line) from error

    def line(self, key: str, table: str = "") -> int | None:
        """Return the line of a key, at the top or in a table; None where it cannot be told, as inside ``{}``.

        What looks like the key may be part of a text, or stand in another table. So TOML's own reader is asked: with
        the study up to there, and any value, the key must be in its place.
        """
        key_pattern = rf"[\"']?{re.escape(key)}[\"']?[ \t]*"
        heads = (
            rf"(?:[\"']?{table}[\"']?[ \t]*\.[ \t]*)?{key_pattern}="
            if table
            else rf"{key_pattern}=|\[[ \t]*{key_pattern}\]"
        )
        for match in islice(re.finditer(rf"^[ \t]*(?:{heads})", self.text, re.MULTILINE), _MOST_TRIED):
            with_it = self.text[: match.end()] + ("0" if match[0].endswith("=") else "")
            try:
                before, after = map(tomllib.loads, (self.text[: match.start()], with_it))
            except ValueError:
                continue
            if table:
                before, after = before.get(table, {}), after.get(table, {})
            if key in after and key not in before:
                return self.text.count("\n", 0, match.start()) + 1
        return None

    def place(self, key: str, table: str = "") -> str:
        """Return the file and the line of a key, to be put before a message."""
        line = self.line(key, table)
        return f"{self.path}: " if line is None else f"{self.path}, line {line}: "

    def refuse(self, key: str, rule: str, way_out: str = "", *, table: str = "options") -> NoReturn:
        """Refuse what stands at a key."""
        start = "" if key in rule else f"{key}: "
        message = start + (f"{rule}; {way_out}" if way_out else rule)
        raise FileFormatError(message, path=self.path, line=self.line(key, table))

    def texts(self, key: str, value: object, *, table: str = "options") -> list[str]:
        """Return a value as texts: one, or those of a list."""
        listed = value if isinstance(value, list) else [value]
        if not listed:
            self.refuse(key, f"{key} needs a value, not an empty list", "leave the line out otherwise", table=table)
        for member in listed:
            if isinstance(member, bool) or not isinstance(member, str | int | float):
                way_out = "write a text, a number or a list of these"
                self.refuse(key, f"{key} needs a value, not {_shown(member)}", way_out, table=table)
            if isinstance(member, int) and abs(member) > _LARGEST:
                self.refuse(
                    key, f"{key} is {show(member)}", "no option takes a number of more than 40 digits", table=table
                )
            if isinstance(member, str) and "\0" in member:
                self.refuse(key, f"a zero character stands in {_shown(member)}", "take it out", table=table)
        return [str(member) for member in listed]


class _File(TomlFile):
    """A study file."""

    def __init__(self, path: Path) -> None:
        from metaeval.io.files import path_from, read_text  # noqa: PLC0415 - loads what reading needs

        super().__init__(path, read_text(path))
        for key in self.held:
            if key not in _KEYS:
                self.refuse(key, str(UnknownNameError("key of a study", key, _KEYS)), table="")
        folder = self.word("folder") if "folder" in self.held else "."
        base = os.path.realpath(path.parent / folder)
        if not os.path.isdir(base):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
            rule = f"there is no folder {folder!r} from here"
            self.refuse("folder", rule, "name the one in which its paths begin", table="")
        self.base = path_from(".", base)

    def unknown_command(self, name: str, names: list[str]) -> UnknownNameError:
        """Return the error for a command that there is not."""
        error = UnknownNameError("command", name, names)
        error.args = (f"{self.place('command')}{error}",)
        return error

    def word(self, key: str) -> str:
        """Return a text that stands at the top."""
        value = self.held.get(key)
        if not isinstance(value, str) or "\0" in value or not value.strip():
            example = "command" if key == "command" else key
            rule = f"a study names its {example} as a text, not {_shown(value)}"
            self.refuse(key, rule, 'as in command = "power"', table="")
        return value

    def table(self, key: str) -> dict[str, Any]:
        """Return a table, empty if there is none."""
        value = self.held.get(key, {})
        if not isinstance(value, dict):
            self.refuse(key, f"{key} is a table, not {_shown(value)}", f"write [{key}], with a line for each", table="")
        return value

    def value(self, parameter: Any, key: str, text: str) -> str:  # noqa: ANN401 - click's
        """Return the value of an option; files hold from the folder one is in."""
        if _reads(parameter) == checks.files_to_read.__name__:
            return self.input(key, text)
        if parameter.name in RUN:
            return self.from_here(text)
        if _reads(parameter) or (parameter.name == "judged_pool_size" and not text.strip().isdecimal()):
            path = self.from_here(text)
            self._refuse_pipe(key, text, path)
            return path
        return text

    def input(self, key: str, text: str) -> str:
        """Return an input, NAME=FILE or a pattern among them, as one that holds from the folder one is in."""
        if text.startswith("-") and text != "-":
            way_out = f"options have lines of their own, and a file of that name is './{text}'"
            self.refuse(key, f"an input is the name of a file, and {_shown(text)} looks like an option", way_out)
        pieces = text.split("=")
        named = [("=".join(pieces[:cut]), "=".join(pieces[cut:])) for cut in range(1, len(pieces))]
        # as `metaeval.io.sources.named_source` has it: the whole, else the first that is there, else the last
        for name, file in [("", text), *(pair for pair in named if pair[0].strip())]:
            path = self.from_here(file)
            if file == "-" or os.path.exists(path):  # noqa: PTH110 - no error for a long name
                self._refuse_pipe(key, file, path)
                return f"{name}={path}" if name else path
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

    def as_said(self, path: str) -> str:
        """Return a path among the checksums as the study has it."""
        return next(name for name in self.held["checksums"] if self.from_here(name) == path)

    def _refuse_pipe(self, key: str, text: str, found: str) -> None:
        if text != "-" and not _is_plain(found):
            self.refuse(key, f"{text!r} is neither a file nor a folder", "take it out, and type it behind the study")

    def checksums(self) -> dict[str, str]:
        """Return the checksums, by file as the study names it."""
        checksums = self.table("checksums")
        for name, checksum in checksums.items():
            if not isinstance(checksum, str) or not _CHECKSUM.fullmatch(checksum):
                rule = f"a checksum is 64 digits of SHA-256, not {_shown(checksum)}"
                self.refuse(name, rule, "take the line out", table="checksums")
            if "\0" in name or not name:
                self.refuse(name, f"{name!r} is no name of a file", "take the line out", table="checksums")
        return checksums


def _is_plain(path: str) -> bool:
    """Whether a path leads to a file or a folder, or to nothing; other things may be waited for without end."""
    from metaeval.base.provenance import of_the_system  # noqa: PLC0415 - loads what a record needs
    from metaeval.io.files import file_status  # noqa: PLC0415 - loads what reading needs

    status = file_status(path)
    kind = 0 if status is None else stat.S_IFMT(status.st_mode)
    return status is None or (kind in {stat.S_IFREG, stat.S_IFDIR} and not of_the_system(status))


def _refuse_changed(file: _File, checksums: Mapping[str, str], programs: list[str]) -> None:
    from metaeval.base.provenance import file_checksum  # noqa: PLC0415 - loads what a record needs

    changed = []
    for name, checksum in checksums.items():
        if name != "-" and not _is_plain(name):
            rule = f"[checksums] names {name!r}, which is neither a file nor a folder"
            file.refuse(file.as_said(name), rule, "take the line out", table="checksums")
        try:
            same = name == "-" or file_checksum(name) == checksum
        except OSError as error:
            rule = f"{name!r}, which this study read, cannot be read ({error.strerror})"
            file.refuse(file.as_said(name), rule, "put it back, or take its line out", table="checksums")
        changed += [] if same else [name]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        way = "take the lines out of [checksums] to ask the same of new data"
        if changed[0] in programs:
            way = "read it; if it is to run, write its new checksum into [checksums]"
        rule = f"{changed[0]!r}{more} is not what this study read (SHA-256)"
        file.refuse(file.as_said(changed[0]), rule, way, table="checksums")


def _refuse_unchecked(file: _File, checksums: Mapping[str, str], programs: list[str]) -> None:
    from metaeval.base.provenance import file_checksum  # noqa: PLC0415 - loads what a record needs
    from metaeval.io.files import path_from  # noqa: PLC0415 - likewise

    for path in programs:
        if path not in checksums:
            try:
                checksum = file_checksum(path)
            except OSError as error:
                message = f"the study wants the program {path!r} run, and it cannot be read ({error.strerror}); "
                message += "put it back, or take it out of the study"
                raise FileFormatError(message, path=file.path) from error
            key = json.dumps(path if file.base == "." else path_from(file.base, path), ensure_ascii=False)
            message = (
                f"the study wants the program {path!r} run, and states no checksum of it; read it, and if you trust it "
                f'write the line {key} = "{checksum}" below [checksums]'
            )
            raise FileFormatError(message, path=file.path)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return shortened(f"[{', '.join(map(_shown, value))}]", 80)
    return show(value) if type(value) is int else shortened(json.dumps(value, default=str), 80)
