"""A study as a file: what was asked, written beside every report, so that it can be asked again; data, no program."""

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from metaeval.cli.checks import file_path
from metaeval.cli.option import declared, given_at
from metaeval.errors import FileFormatError, UnknownNameError
from metaeval.visible import visible

if TYPE_CHECKING:
    from metaeval.provenance import Provenance

__all__ = ["STUDY_FILE", "study_text", "words_of_study"]

STUDY_FILE = "study.toml"
TRUST = "--trust"
_KEYS = ("command", "folder", "version", "options", "checksums")
_OF_OUTPUT = frozenset({
    *("out", "overwrite", "pdf", "quiet", "as_json", "as_latex", "as_markdown", "as_html", "as_csv"),
    *("keep", "scores", "dask"),
})  # fmt: skip
"""Where an answer goes, and where it is worked out, is no part of the question; who asks says it."""
_WRITING = frozenset({"simulate"})
"""Commands that make files and answer no question."""
_RUNNING = frozenset({"check-metric"})
"""Commands whose input is a program."""


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

    Notes
    -----
    A study is data, and may come from anybody. It says what is asked, and never where an answer is written, which
    machines work, or, without `TRUST` typed behind it, which program runs; its inputs cannot become options.
    """
    study = _study(path)
    name = study["command"]
    if name in _WRITING or name not in names:
        known = [one for one in names if one not in _WRITING]
        raise FileFormatError(str(UnknownNameError("command of a study", name, known)), path=str(path))
    command = command_called(name)
    given = study["options"]
    trusted = TRUST in behind
    options, inputs = _from_here([word for word in behind if word != TRUST], command)
    asked = [*_options(given, command, path), *options]
    os.chdir(path.parent / study["folder"])
    for file in _files_of(given, command):
        _refuse_odd_file(file, path, folder=True)
    programs = _programs(study, path, trusted=trusted)
    _refuse_changed(study["checksums"], path)
    if programs:
        typer.echo(visible(f"{path} runs the program {programs}"), err=True)
    return [name, *asked, "--", *map(str, _listed(given.get("inputs", []))), *inputs]


def _programs(study: Mapping[str, Any], path: Path, *, trusted: bool) -> str:
    """Name the programs that a study runs, each with its checksum; refuse them where nobody trusts them."""
    given = study["options"]
    inputs = _listed(given.get("inputs")) if study["command"] in _RUNNING else []
    programs = [*_listed(given.get("plugin")), *(one for one in inputs if str(one).endswith(".py"))]
    for program in map(str, programs):
        if program not in study["checksums"]:
            message = (
                f"this study runs the program {program!r} and has no checksum of it; read the program, and add "
                f'{json.dumps(program)} = "SHA-256" below [checksums]'
            )
            raise FileFormatError(message, path=str(path))
    told = ", ".join(f"{program!r} (SHA-256 {study['checksums'][str(program)]})" for program in programs)
    if programs and not trusted:
        message = f"this study runs the program {told}; read it, and type {TRUST} behind the study to run it"
        raise FileFormatError(message, path=str(path))
    return told


def _from_here(words: list[str], command: Any) -> tuple[list[str], list[str]]:  # noqa: ANN401 - click's
    """Return options and inputs typed behind a study, with paths that hold in every folder."""
    options = {name: one for one in command.params for name in (*one.opts, *one.secondary_opts)}
    paths = {one.name for one in _of_paths(command)}
    if "--" in words:
        at = words.index("--")
        before, inputs = _from_here(words[:at], command)
        return before, [*inputs, *map(_absolute, words[at + 1 :])]
    found, inputs, last = [], [], None
    for word in words:
        name, equals, value = word.partition("=")
        if last is not None:
            found.append(_absolute(word) if last in paths else word)
            last = None
        elif word.startswith("-") and word != "-":
            one = options.get(name)
            found.append(f"{name}={_absolute(value)}" if equals and one is not None and one.name in paths else word)
            last = one.name if one is not None and not equals and not one.is_flag else None
        else:
            inputs.append(_absolute(word))
    return found, inputs


def _absolute(word: str) -> str:
    """Return a path as one that holds in every folder; it may have a name before it, NAME=FILE."""
    name, equals, file = word.partition("=")
    if equals and not set(name) & set("/\\"):
        return f"{name}={os.path.abspath(file)}"  # noqa: PTH100 - links stay as they are typed
    return word if word == "-" else os.path.abspath(word)  # noqa: PTH100 - as above


def _study(path: Path) -> dict[str, Any]:
    from metaeval.io.files import read_text  # noqa: PLC0415 - loads what reading needs

    _refuse_odd_file(path, path)
    try:
        study = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = "this is no TOML: " + (str(error) if isinstance(error, ValueError) else "it is nested too deeply")
        raise FileFormatError(message, path=str(path)) from None
    for key in study:
        if key not in _KEYS:
            raise FileFormatError(str(UnknownNameError("key of a study", key, _KEYS)), path=str(path))
    for key, default, what in (("command", None, 'command = "power"'), ("folder", ".", 'folder = ".."')):
        if not isinstance(study.setdefault(key, default), str):
            message = f"a study names its {key}: {what}"
            raise FileFormatError(message, path=str(path))
    for key in ("options", "checksums"):
        if not isinstance(study.setdefault(key, {}), dict):
            message = f"{key} is a table: [{key}], with a line for each"
            raise FileFormatError(message, path=str(path))
    for text in _texts(study):
        if not text.isprintable():
            message = f"{text!r} holds a sign that cannot be printed; names and values are printable text"
            raise FileFormatError(message, path=str(path))
    return study


def _texts(value: object) -> Iterator[str]:
    """Yield every name and text of a study."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _files_of(given: Mapping[str, Any], command: Any) -> Iterator[str]:  # noqa: ANN401 - click's
    """Yield the files that the inputs and options of a study name; of ``NAME=FILE`` both readings."""
    of_paths = {name.removeprefix("--") for one in _of_paths(command) for name in one.opts}
    for key in {"inputs", *of_paths} & given.keys():
        for part in map(str, _listed(given[key])):
            yield part
            yield part.partition("=")[2]


def _of_paths(command: Any) -> list[Any]:  # noqa: ANN401 - click's
    """Return the options of a command that take files or folders."""
    return [one for one, option in declared(command) if option.parser is file_path or option.metavar in _PATHS]


def _refuse_odd_file(name: str | Path, study: Path, *, folder: bool = False) -> None:
    """Refuse a pipe or a device, or a folder, where data are meant: reading one may never end."""
    place = Path(name)
    if place.exists() and not place.is_file() and not (folder and place.is_dir()):
        message = f"{str(name)!r} is no regular file; name a file of data"
        raise FileFormatError(message, path=str(study))


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
            if not all(isinstance(part, str) for part in _listed(value)):
                message = f"inputs are names of files, not {json.dumps(value, default=str)}"
                raise FileFormatError(message, path=str(path))
            continue
        if key not in known:
            raise FileFormatError(str(UnknownNameError(f"option of {command.name}", key, known)), path=str(path))
        rule = _rule_broken(known[key], key, value)
        if rule:
            raise FileFormatError(rule, path=str(path))
        if known[key].is_flag:
            yield f"--{key}"
        else:
            parts = [str(part) for part in _listed(value)]
            for part in parts if known[key].multiple else [",".join(parts)]:
                yield f"--{key}={part}"


def _rule_broken(option: Any, key: str, value: object) -> str:  # noqa: ANN401 - click's
    """Say what is wrong with an option of a study, and the way out; "" where nothing is."""
    if option.name in _OF_OUTPUT:
        return f"{key} is no part of a study, which says what is asked; take the line out and type --{key} behind it"
    shown = json.dumps(value, default=str)
    if option.is_flag:
        return "" if value is True else f"{key} takes no value but true (leave the line out otherwise), not {shown}"
    single = not isinstance(value, bool | dict) and not any(isinstance(part, list | dict) for part in _listed(value))
    return "" if single else f"{key} needs a value, not {shown}"


def _refuse_changed(checksums: Mapping[str, Any], path: Path) -> None:
    from metaeval.provenance import file_checksum  # noqa: PLC0415 - loads what a record needs

    for name in checksums:
        _refuse_odd_file(name, path)
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
