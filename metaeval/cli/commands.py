"""The table of all commands, and the program that loads one when it is called.

Nothing heavy is loaded here: ``metaeval --help`` and ``--version`` need no more than this.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

PROGRAMS = "metaeval.programs"
"""Where the context of a command has the programs of a study, each with the checksum it must have to be run."""
PLACES = "metaeval.places"
"""Where it has the `metaeval.cli.study_data.Places` of a study."""

COMMANDS: Mapping[str, str] = {
    "report": "Write a report: significant differences under each metric, and the topics it needs.",
    "power": "Count the pairs of systems that differ significantly under each metric.",
    "table": "Print a table of systems and metrics for a paper, with significance marks.",
    "leaderboard": "Test which ranks of a leaderboard are reliable, and how well the benchmark separates systems.",
    "topics": "Estimate how many topics each metric needs, with intervals.",
    "compare-metrics": "Compare candidate metrics with each other and with the one in use, before adopting one.",
    "compare-tests": "Compare significance tests by how often the other half of the topics contradicts a decision.",
    "agree": "Compare metrics by the conclusions about systems that they lead to.",
    "judgments": "Test what fewer judgments would change, and whether new systems are evaluated fairly.",
    "judges": "Test whether a judge, person or machine, may replace the assessors.",
    "human": "Compare automatic metrics with human scores.",
    "design": "Compute how many topics a new collection needs.",
    "score": "Score runs with judgments: the mean of every run, and on request every topic.",
    "metrics": "List the metrics: built in, from installed packages, and from plug-in files.",
    "check-metric": "Test a metric of your own with the laws of the built-in ones.",
    "assessment": "Analyse assessments of elements and passages: pools, grades, time, agreement.",
    "reliability": "Test measures of XML retrieval on six runs whose correct order is known.",
    "simulate": "Simulate example data with known true values.",
    "doctor": "Check the installation: versions, compiled code, cores, workers, figures.",
}
"""Every command with its first line, in the order in which a newcomer reads. Its module has the same name."""


class _Table(Mapping[str, Any]):
    """Commands by name, each loaded when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a command, or a group of them
        if name not in COMMANDS:
            raise KeyError(name)
        word = name.replace("-", "_")
        return getattr(import_module(f"metaeval.cli.{word}"), word)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def command_called(name: str) -> Any:  # noqa: ANN401 - a command
    """Return a command of the table."""
    return _Table()[name]


class LazyGroup(TyperGroup):
    """The program: it knows the names of its commands, and loads one when it is called."""

    _listing = False

    def __init__(self, *args: Any, **settings: Any) -> None:  # noqa: ANN401 - typer's
        super().__init__(*args, **settings)
        self.commands = _Table()  # type: ignore[assignment]  # typer asks it for no more than this

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own signature
        """Put the words of a study in place of ``--study FILE``, before those that stand behind it."""
        rest = list(args)
        trust = rest[:1] == ["--trust"]
        option, _, file = rest[trust].partition("=") if len(rest) > trust else ("", "", "")
        if option == "--study" and (file or len(rest) > trust + 1):
            from metaeval.cli.study_file import words_of_study  # noqa: PLC0415 - only where there is one

            file, behind = (file, rest[trust + 1 :]) if file else (rest[trust + 1], rest[trust + 2 :])
            args, programs, places = words_of_study(
                Path(file), behind, lambda name: self.get_command(ctx, name), list(COMMANDS), trust=trust
            )
            _name_programs(programs)
            ctx.meta.update({PROGRAMS: programs, PLACES: places})
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer's own signature
        """Return a command; while commands are listed, one that has its first line only."""
        if self._listing and cmd_name in COMMANDS:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name], rich_markup_mode="markdown")
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - typer's own signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own signature
        """Write the help without loading any command."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def _name_programs(programs: Mapping[str, str]) -> None:
    """Say which programs a study runs before the first of them is."""
    from metaeval.base.escaping import visible  # noqa: PLC0415 - only here
    from metaeval.cli.console import error_console  # noqa: PLC0415 - rich

    for file, checksum in programs.items():
        words = f"Running the program {file} (SHA-256 {checksum}), which the study names and --trust allows."
        error_console().print(visible(words), markup=False, soft_wrap=True)
