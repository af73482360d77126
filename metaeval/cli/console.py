"""What every command shares: the two consoles, progress, warnings, exit codes."""

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import typer
from rich.console import Console

from metaeval.base.escaping import visible
from metaeval.base.provenance import recording_inputs
from metaeval.cli.messages import in_options
from metaeval.errors import EstimationError, InvalidOptionError, MetaevalError, OutputError
from metaeval.running.parallel import reporting
from metaeval.running.progress import TerminalBars

EXIT_CODES = {
    0: "done",
    1: "not established",
    2: "usage",
    3: "bad input",
    4: "no estimate",
    5: "could not write",
    6: "open",
    70: "defect",
    130: "interrupted",
    143: "terminated",
}
_PIPE_WIDTH = 160
_LINES = "\n"
"""Our own words may have several."""


class NotEstablishedError(MetaevalError):
    """What a command was asked to check does not hold; the command itself has done its work."""


class OpenError(MetaevalError):
    """What a command was asked to check is shown neither to hold nor not to hold; it has done its work."""


def exit_code(error: MetaevalError) -> int:
    """Return the exit code for an error (see `EXIT_CODES`); 3, bad input, is that of every other one.

    Examples
    --------
    >>> exit_code(InvalidOptionError("alpha"))
    2
    """
    codes = {NotEstablishedError: 1, InvalidOptionError: 2, EstimationError: 4, OutputError: 5, OpenError: 6}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), 3)


def out_console() -> Console:
    """Return the console on standard output: as wide as the terminal, or wide enough for any table in a pipe."""
    return Console(highlight=False, soft_wrap=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def error_console() -> Console:
    """Return the console on standard error, where progress, notes and warnings go."""
    return Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else _PIPE_WIDTH)


@dataclass(slots=True)
class Session:
    """One run of a command: what it has to say besides its answer."""

    quiet: bool
    messages: list[str] = field(default_factory=list)
    caught: list[warnings.WarningMessage] = field(default_factory=list)

    def warned(self) -> list[str]:
        """Return the warnings given so far, each once."""
        return list(dict.fromkeys(in_options(str(warning.message)) for warning in self.caught))

    def say(self, text: str) -> None:
        """Write a line for people on standard error, unless asked to be quiet."""
        if not self.quiet:
            self.insist(text)

    @staticmethod
    def insist(text: str) -> None:
        """Write a line that nobody can ask to be spared."""
        error_console().print(visible(in_options(text), keep=_LINES), markup=False, soft_wrap=True)


@contextmanager
def command_session(*, quiet: bool, quicker: str = "") -> Iterator[Session]:
    """Show progress, collect warnings and record inputs while a command works; print the warnings at its end.

    Beside the time that a long task will take it says what would be `quicker`.
    """
    with recording_inputs(), warnings.catch_warnings(record=True) as caught:
        session = Session(quiet=quiet, caught=caught)
        warnings.simplefilter("default")
        try:
            if quiet:
                yield session
            else:
                with TerminalBars(error_console(), quicker) as bars, reporting(bars):
                    yield session
        finally:
            session.messages += session.warned()
            for message in session.messages:
                words = f"Warning: {visible(message, keep=_LINES)}"
                error_console().print(words, style="yellow", markup=False, soft_wrap=True)


def answer(words: str, *, end: str = "\n", for_programs: bool = False) -> None:
    """Print an answer on standard output; names from files show what they hide.

    What programs read is UTF-8 with lines that end in LF, as files are, unless a terminal shows it.
    """
    if for_programs and isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    typer.echo(visible(words, keep=_LINES) + end, nl=False)
