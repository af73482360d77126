"""The table of all commands, and the program that loads one when it is called.

Nothing heavy is loaded here: ``metaeval --help`` and ``--version`` need no more than this.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from metaeval.base.needs import NEEDS
from metaeval.cli.help import HelpedGroup

PROGRAMS = "metaeval.programs"
"""Where the context of a command has the programs of a study, each with the checksum it must have to be run."""
PLACES = "metaeval.places"
"""Where it has the `metaeval.cli.study_data.Places` of a study."""

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    group: {name: need["line"] for name, need in NEEDS.items() if need["group"] == group}
    for group in dict.fromkeys(need["group"] for need in NEEDS.values())
}
"""Every command with its first line, by question, in the order in which a newcomer reads."""
COMMANDS: Mapping[str, str] = {name: words for group in QUESTIONS.values() for name, words in group.items()}
"""Every command with its first line. Its module has the same name."""


class _CommandTable(Mapping[str, Any]):
    """Commands by name, each loaded when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a command, or a group of them
        if name not in COMMANDS:
            raise KeyError(name)
        word = name.replace("-", "_")
        return getattr(import_module(f"metaeval.questions.{word}.command"), f"{word}_command")

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def command_called(name: str) -> Any:  # noqa: ANN401 - a command
    """Return a command of the table."""
    return _CommandTable()[name]


class LazyGroup(HelpedGroup):
    """The program: it knows the names of its commands, and loads one when it is called."""

    def __init__(self, *args: Any, **settings: Any) -> None:  # noqa: ANN401 - typer's
        super().__init__(*args, **settings)
        self.commands = _CommandTable()  # type: ignore[assignment]  # typer asks it for no more than this

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own signature
        """Put the words of a study in place of ``--study FILE``, before those that stand behind it."""
        typed = list(args)
        trust = typed[:1] == ["--trust"]
        option, _, file = typed[trust].partition("=") if len(typed) > trust else ("", "", "")
        if option == "--study" and (file or len(typed) > trust + 1):
            from metaeval.cli.study_file import words_of_study  # noqa: PLC0415 - only where there is one

            file, behind = (file, typed[trust + 1 :]) if file else (typed[trust + 1], typed[trust + 2 :])
            args, programs, places = words_of_study(
                Path(file), behind, lambda name: self.get_command(ctx, name), list(COMMANDS), trust=trust
            )
            _name_programs(programs)
            ctx.meta.update({PROGRAMS: programs, PLACES: places})
        plain = int(args[:1] == ["--no-config"])
        if args[plain:] and args[plain] not in COMMANDS and args[plain][:1] != "-" and _is_there(args[plain]):
            args = [*args[:plain], "look", *args[plain:]]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - typer's own signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def groups(self, ctx: Any) -> Mapping[str, Mapping[str, str]]:  # noqa: ANN401, ARG002 - as above
        """Return the commands by question, without loading any."""
        return QUESTIONS


def _is_there(text: str) -> bool:
    """Whether a word is a file or folder, or NAME=FILE, and so no command that was mistyped."""
    return any(Path(part).exists() for part in (text, text.partition("=")[2]) if part)


def _name_programs(programs: Mapping[str, str]) -> None:
    """Say which programs a study runs before the first of them is."""
    from metaeval.base.escaping import visible  # noqa: PLC0415 - only here
    from metaeval.cli.console import error_console  # noqa: PLC0415 - rich

    for file, checksum in programs.items():
        words = f"Running the program {file} (SHA-256 {checksum}), which the study names and --trust allows."
        error_console().print(visible(words), markup=False, soft_wrap=True)
