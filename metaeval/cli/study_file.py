"""A study as a file: what was asked, written beside every report, so that it can be asked again."""

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.cli.checks import file_path
from metaeval.cli.option import declared, given_at
from metaeval.errors import FileFormatError, UnknownNameError

if TYPE_CHECKING:
    import typer

    from metaeval.provenance import Provenance

__all__ = ["STUDY_FILE", "study_text", "words_of_study"]

STUDY_FILE = "study.toml"
_KEYS = ("command", "folder", "version", "options", "checksums")
_OF_OUTPUT = frozenset({"out", "overwrite", "quiet", "as_json", "as_latex", "as_markdown", "as_html", "as_csv"})
"""Where an answer goes is no part of the question."""


_MOST_CHECKED = 1000
_PATHS = frozenset({"RUNS", "PATH"})
"""What the help calls options that take paths, beside those of `metaeval.cli.option.path`."""


def study_text(context: "typer.Context", provenance: "Provenance", *, below: Path) -> str:
    """Write down what a command was asked.

    Parameters
    ----------
    context : typer.Context
        Of the command.
    provenance : Provenance
        Its record, for the checksums and the version.
    below : path
        The folder that the file will stand in; paths are kept as they were typed, and begin where they began.

    Returns
    -------
    str
        TOML: ``command``, ``folder``, ``version``, and the tables ``options`` and ``checksums``.
    """
    lines = [
        f"# `metaeval --study {STUDY_FILE}` asks this again; options behind it are added, and win.",
        f"command = {_written(context.info_name or '')}",
        f"folder = {_written(Path(os.path.relpath(Path.cwd(), below)).as_posix())}  # where paths begin, from here",
        f"version = {_written(provenance.versions.get('metaeval', ''))}",
        "",
        "[options]",
    ]
    inputs = [part for one in _arguments(context.command) for part in _listed(context.params[str(one.name)])]
    lines += [f"inputs = {_written(inputs)}"] if inputs else []
    for one in context.command.params:
        name = str(one.name)
        if one.param_type_name == "argument" or name in _OF_OUTPUT:
            continue
        if name != "seed" and not given_at(context, name):
            continue
        value = context.params[name]
        key = max(one.secondary_opts if value is False else one.opts, key=len).removeprefix("--")
        lines.append(f"{key} = {_written(True if isinstance(value, bool) else value)}")
    if 0 < len(provenance.inputs) <= _MOST_CHECKED:
        lines += ["", "[checksums]  # SHA-256 of what was read"]
        lines += [f"{_written(name)} = {_written(checksum)}" for name, checksum in provenance.inputs.items()]
    return "\n".join(lines) + "\n"


def words_of_study(path: Path, behind: list[str], command_called: Callable[[str], Any], names: list[str]) -> list[str]:
    """Read a study, go where its paths begin, and return the words of its command line.

    Parameters
    ----------
    path : path
    behind : list of str
        What was typed behind the file: options that are added. Their paths begin where they were typed.
    command_called : callable
        Returns the command of a name.
    names : list of str
        Of all commands.

    Raises
    ------
    FileFormatError
        If the file is no TOML, lacks the command, holds what a study has not, or something that it read has changed.
    UnknownNameError
        If there is no such command, or the command has no such option.
    """
    study = _study(path)
    first, *rest = str(study["command"]).split() or [""]
    if first not in names:
        raise UnknownNameError("command", first, names)
    command = command_called(first)
    for word in rest:
        known = list(getattr(command, "commands", {}))
        if word not in known:
            raise UnknownNameError(f"command below {first}", word, known)
        command = command.commands[word]
    options = study["options"]
    words = [*_options(options, command, path), *_from_here(behind, command)]
    os.chdir(path.parent / str(study.get("folder", ".")))
    _refuse_changed(study["checksums"], path)
    return [first, *rest, *map(str, _listed(options.get("inputs", []))), *words]


def _from_here(words: list[str], command: Any) -> list[str]:  # noqa: ANN401 - click's
    """Return words typed behind a study with paths that hold in every folder."""
    options = {name: one for one in command.params for name in (*one.opts, *one.secondary_opts)}
    paths = {one.name for one, option in declared(command) if option.parser is file_path or option.metavar in _PATHS}
    found, last = [], None
    for word in words:
        name, equals, value = word.partition("=")
        if last is not None:
            found.append(_absolute(word) if last in paths else word)
            last = None
        elif word.startswith("-"):
            one = options.get(name)
            found.append(f"{name}={_absolute(value)}" if equals and one is not None and one.name in paths else word)
            last = one.name if one is not None and not equals and not one.is_flag else None
        else:
            found.append(_absolute(word))
    return found


def _absolute(word: str) -> str:
    """Return a path as one that holds in every folder; it may have a name before it, NAME=FILE."""
    name, equals, file = word.partition("=")
    if equals and not set(name) & set("/\\"):
        return f"{name}={os.path.abspath(file)}"  # noqa: PTH100 - links stay as they are typed
    return word if word == "-" else os.path.abspath(word)  # noqa: PTH100 - as above


def _study(path: Path) -> dict[str, Any]:
    from metaeval.io.files import read_text  # noqa: PLC0415 - loads what reading needs

    try:
        study = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        message = f"this is no TOML: {error}"
        raise FileFormatError(message, path=str(path)) from error
    for key in study:
        if key not in _KEYS:
            raise FileFormatError(str(UnknownNameError("key of a study", key, _KEYS)), path=str(path))
    if not isinstance(study.get("command"), str):
        message = 'a study names its command: command = "power"'
        raise FileFormatError(message, path=str(path))
    for key in ("options", "checksums"):
        if not isinstance(study.setdefault(key, {}), dict):
            message = f"{key} is a table: [{key}], with a line for each"
            raise FileFormatError(message, path=str(path))
    return study


def _options(given: Mapping[str, Any], command: Any, path: Path) -> Iterator[str]:  # noqa: ANN401 - click's
    known = {
        name.removeprefix("--"): one
        for one in command.params
        if one.param_type_name == "option"
        for name in (*one.opts, *one.secondary_opts)
        if name.startswith("--")
    }
    for key, value in given.items():
        if key == "inputs":
            continue
        if key not in known:
            raise FileFormatError(str(UnknownNameError(f"option of {command.name}", key, known)), path=str(path))
        one = known[key]
        if one.is_flag:
            if value is not True:
                message = f"{key} takes no value but true (leave the line out otherwise), not {value!r}"
                raise FileFormatError(message, path=str(path))
            yield f"--{key}"
        elif isinstance(value, bool | dict):
            message = f"{key} needs a value, not {json.dumps(value)}"
            raise FileFormatError(message, path=str(path))
        else:
            parts = [str(part) for part in _listed(value)]
            for part in parts if one.multiple else [",".join(parts)]:
                yield f"--{key}={part}"


def _refuse_changed(checksums: Mapping[str, Any], path: Path) -> None:
    from metaeval.provenance import file_checksum  # noqa: PLC0415 - loads what a record needs

    changed = [name for name, known in checksums.items() if name != "-" and file_checksum(name) != known]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        message = (
            f"{changed[0]!r}{more} is not what this study read (SHA-256); take the lines out of [checksums] to ask the "
            "same of new data"
        )
        raise FileFormatError(message, path=str(path))


def _arguments(command: Any) -> list[Any]:  # noqa: ANN401 - click's
    return [one for one in command.params if one.param_type_name == "argument"]


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - whatever TOML or an option holds
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _written(value: object) -> str:
    """Write a value as TOML, whose texts, numbers and lists are JSON's."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    text = json.dumps(value if isinstance(value, bool | int | float) else str(value), ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")  # JSON may leave it as it is, TOML may not
