"""The command line: one file per command; everything heavy loads when its command runs."""

import typer

from metaeval.cli.checks import Commands
from metaeval.errors import MetaevalError

__all__ = ["app", "main"]

app = Commands(
    name="metaeval",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Can this metric be trusted to tell two systems apart?\n\n"
        "Start with `metaeval report SCORES.csv`: it writes a folder whose index.html answers. "
        "`metaeval power` gives the same numbers in the terminal.\n\n"
        "Exit codes: 0 done, 2 usage, 3 bad input, 4 could not be estimated, 130 interrupted."
    ),
)
simulate_app = Commands(no_args_is_help=True, help="Make example data with a known truth.")
app.add_typer(simulate_app, name="simulate")


def _version(value: bool) -> None:  # noqa: FBT001 - typer's callback
    if value:
        from importlib.metadata import version  # noqa: PLC0415

        typer.echo(f"metaeval {version('metaeval')}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),  # noqa: FBT001, FBT003
) -> None:
    """Take the options that stand before a command."""


def main() -> int:
    """Run the command line and return the exit code.

    Bad input and bad options end with a message that says what to do, never with a traceback.
    """
    try:
        app()
    except SystemExit as end:
        return int(end.code or 0)
    except MetaevalError as error:
        from metaeval.cli.console import error_console, exit_code  # noqa: PLC0415

        error_console().print(f"Error: {error}", style="bold red", markup=False, soft_wrap=True)
        return exit_code(error)
    return 0


from metaeval.cli import (  # noqa: E402, F401 - each registers its commands on the apps above
    agree,
    assessment,
    assessors,
    compare_metrics,
    design,
    human,
    judgments,
    metrics,
    power,
    reliability,
    report,
    score,
    simulate,
    topics,
)
