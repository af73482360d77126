"""What a lab sets for its folder, in `metaeval.toml` or `[tool.metaeval]` of `pyproject.toml`: how tables are read.

The file that is nearest, in the folder one is in or above, counts, and may come from anybody. So it can only say what
columns of tables are and what becomes of gaps; what it sets is noted in every answer, and what is typed wins.
"""

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.base.words import listed
from metaeval.cli.option import declared
from metaeval.cli.options import ABOUT_TABLES, READING
from metaeval.cli.study_data import Places, TomlFile
from metaeval.errors import FileFormatError, UnknownNameError

SETTINGS = "metaeval.settings"
"""Where the context of a command has its `Settings`, or None where they are not wanted."""
NO_SETTINGS = "--no-config"
_LARGEST = 2**20
_SECTION = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*metaeval[ \t]*\][^\n]*\n", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)
SETTABLE = tuple(
    name
    for name, (kind, _) in READING["scores"].items()
    if (name in ABOUT_TABLES or name in {"missing", "duplicates", "clusters", "lower_is_better", "higher_is_better"})
    and getattr(kind, "__metadata__", [None])[0].parser is None
)
"""Options of commands that read score tables, about these alone; none of them names a file."""


class Settings(NamedTuple):
    """What a file sets of one command."""

    path: str
    words: list[str]
    """As they would be typed."""
    names: frozenset[str]
    """Of the parameters."""

    def note(self) -> str:
        """Say what is set, and how it is not."""
        return f"{self.path} sets {listed(self.words)} ({NO_SETTINGS} before the command leaves it out)"


class _SettingsFile(TomlFile):
    kind = "a file of settings"
    tables = "has no tables"

    def refuse_key(self, key: str, *, owned: bool) -> None:
        keys = [name.replace("_", "-") for name in SETTABLE]
        if owned:
            rule = f"{key} is typed, and set by no file: settings say how tables are read, and nothing else"
            self.refuse(key, rule, f"take the line out; may be set: {', '.join(keys)}", table="")
        self.refuse(key, str(UnknownNameError("setting", key, keys)), table="")


def settings_for(command: Any, typed: Collection[str]) -> tuple[Settings, Places] | None:  # noqa: ANN401 - click's
    """Return what the nearest file sets of a command that reads score tables, but for what was typed."""
    parameters = {str(parameter.name): (parameter, option) for parameter, option in declared(command)}
    if "systems_in" not in parameters or "help" in typed:
        return None
    file = _nearest(Path.cwd())
    if file is None:
        return None
    values = {}
    for key, value in file.held.items():
        name = key.replace("-", "_")
        if name not in SETTABLE:
            file.refuse_key(key, owned=_is_option(key.replace("_", "-")))
        values[name] = (key, value)
    runs = "qrels" in typed
    places, words = Places(file, {}, {}, table=""), []
    for name, (key, value) in values.items():
        parameter, option = parameters[name]
        texts = _texts(file, parameter, key, value)
        excluded = name in typed or any(other in typed for other in option.excludes)
        if excluded or (runs and name in ABOUT_TABLES):
            continue
        places.hold(name, key, texts)
        label = max(parameter.opts, key=len)
        values_of = texts if parameter.multiple else [",".join(texts)]
        words += [f"{label}={text}" for text in values_of] if texts else [label]
    return (Settings(str(file.path), words, frozenset(places.keys)), places) if words else None


def _texts(file: TomlFile, parameter: Any, key: str, value: object) -> list[str]:  # noqa: ANN401 - click's
    """Return the values of an option; none of one that has no value."""
    if not parameter.is_flag:
        return file.texts(key, value, table="")
    if value is not True:
        file.refuse(key, f"{key} takes no value but true, not {value!r}", "leave the line out otherwise", table="")
    return []


def _nearest(folder: Path) -> _SettingsFile | None:
    """Return the nearest file of settings, from a folder upwards."""
    for above in (folder, *folder.parents):
        text = _content(above / "metaeval.toml")
        if text is not None:
            return _SettingsFile(_from_here(above / "metaeval.toml"), text)
        project = _content(above / "pyproject.toml") or ""
        section = _SECTION.search(project)
        if section is not None:
            end = _NEXT.search(project, section.end())
            own = project[section.end() : end.start() if end else None]
            return _SettingsFile(
                _from_here(above / "pyproject.toml"), "\n" * project.count("\n", 0, section.end()) + own
            )
    return None


def _from_here(path: Path) -> Path:
    return Path(os.path.relpath(path))


def _content(path: Path) -> str | None:
    """Return what a file holds; None where there is none, or no plain file of a size to be read."""
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > _LARGEST:
            if path.name == "pyproject.toml":
                return None
            message = f"a file of settings has at most {_LARGEST} bytes; check it, or give {NO_SETTINGS}"
            raise FileFormatError(message, path=_from_here(path))
        return path.read_text("utf-8", errors="replace")
    except OSError as error:
        if path.name == "pyproject.toml":
            return None
        message = f"the settings cannot be read ({error.strerror}); mend that, or give {NO_SETTINGS} before the command"
        raise FileFormatError(message, path=_from_here(path)) from error


def _is_option(name: str) -> bool:
    """Whether some command has an option of this name."""
    from metaeval.cli.commands import COMMANDS, command_called  # noqa: PLC0415 - loads all of them, for an error

    commands = map(command_called, COMMANDS)
    return any(f"--{name}" in parameter.opts for command in commands for parameter in command.params)
