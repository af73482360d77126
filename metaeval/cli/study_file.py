"""A study as a file: what was asked, written beside every report, so that it can be asked again."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.cli.option import given_at
from metaeval.cli.study_data import RUN, Places, may_say, read_study, refuse_programs
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    import typer

    from metaeval.base.provenance import Provenance

STUDY_FILE = "study.toml"
TRUST = "--trust"
_MOST_CHECKED = 1000


def study_text(context: "typer.Context", provenance: "Provenance", *, below: Path) -> str:
    """Write down what a command was asked."""
    from metaeval.io.files import path_from  # noqa: PLC0415 - loaded by now

    lines = [
        f"# `metaeval --study {STUDY_FILE}` asks this again; options behind it are added, and win.",
        f"command = {_written(context.info_name or '')}",
        f"folder = {_written(Path(path_from(below, Path.cwd())).as_posix())}  # where paths begin, from here",
        f"version = {_written(provenance.versions.get('metaeval', ''))}",
        "",
        "[options]",
    ]
    inputs = [
        source for parameter in _arguments(context.command) for source in _listed(context.params[str(parameter.name)])
    ]
    lines += [f"inputs = {_written(inputs)}"] if inputs else []
    for parameter in context.command.params:
        name = str(parameter.name)
        if parameter.param_type_name == "argument" or not may_say(parameter):
            continue
        if name != "seed" and not given_at(context, name):
            continue
        value = context.params[name]
        key = max(parameter.secondary_opts if value is False else parameter.opts, key=len).removeprefix("--")
        lines.append(f"{key} = {_written(True if isinstance(value, bool) else value)}")
    checked = provenance.inputs
    if len(checked) > _MOST_CHECKED:
        programs = {str(text) for name in RUN for text in _listed(context.params.get(name))}
        checked = {name: checksum for name, checksum in checked.items() if name in programs}
    if checked:
        lines += ["", "[checksums]  # SHA-256 of what was read"]
        lines += [f"{_written(name)} = {_written(checksum)}" for name, checksum in checked.items()]
    return "\n".join(lines) + "\n"


def words_of_study(
    path: Path, behind: list[str], command_called: Callable[[str], Any], names: list[str], *, trust: bool = False
) -> tuple[list[str], dict[str, str], Places]:
    """Return a study's command line in words, the programs it runs with their checksums, and where its values stand.

    The study's inputs stand behind a ``--``, so that none of them can be taken for an option. What was typed behind it
    stands as it was typed: nobody leaves the folder one is in.
    """
    study = read_study(path, command_called, names)
    command = command_called(study.command)
    options, inputs, trusted = _split(behind, command)
    if not (trust or trusted):
        refuse_programs(study)
    words = [study.command, *study.options, *options]
    words += ["--", *study.inputs, *inputs] if study.inputs or inputs else []
    return words, study.programs, study.places.without(_typed(options, inputs, command))


def _split(behind: list[str], command: Any) -> tuple[list[str], list[str], bool]:  # noqa: ANN401 - click's
    """Return the options and the inputs among words, and whether ``--trust`` was one of the former."""
    by_name = {name: parameter for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options: list[str] = []
    inputs: list[str] = []
    trust, left = False, iter(behind)
    for word in left:
        if word == "--":
            inputs += left
        elif word == TRUST:
            trust = True
        elif word == "-" or not word.startswith("-"):
            inputs.append(word)
        else:
            options.append(word)
            if _wants_value(word, by_name):
                value = next(left, None)
                if value is None:
                    raise InvalidOptionError(f"{word} needs a value; write it behind, as in {word} VALUE")
                options.append(value)
    return options, inputs, trust


def _typed(options: list[str], inputs: list[str], command: Any) -> set[str]:  # noqa: ANN401 - click's
    """Return the parameters that options and inputs behind a study set."""
    names = {letter for word in options if word[:2] != "--" for letter in (f"-{parameter}" for parameter in word[1:])}
    names |= {word.partition("=")[0] for word in options}
    params = [
        parameter for parameter in command.params if names.intersection([*parameter.opts, *parameter.secondary_opts])
    ]
    return {str(parameter.name) for parameter in (*params, *(_arguments(command) if inputs else ()))}


def _wants_value(word: str, known: Mapping[str, Any]) -> bool:
    """Whether the value of an option is the next word; one letter may stand for an option, and several together."""
    if word.startswith("--") or word in known:
        parameter = known.get(word)
        return parameter is not None and not parameter.is_flag
    for position, letter in enumerate(word[1:], start=1):
        parameter = known.get(f"-{letter}")
        if parameter is not None and not parameter.is_flag:
            return position == len(word) - 1
    return False


def _arguments(command: Any) -> list[Any]:  # noqa: ANN401 - click's
    return [parameter for parameter in command.params if parameter.param_type_name == "argument"]


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
