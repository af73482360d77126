"""What every command shares: the two consoles, progress, warnings, JSON, exit codes."""

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

import pandas as pd
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from metaeval.errors import EstimationError, InvalidOptionError, MetaevalError
from metaeval.parallel import reporting
from metaeval.provenance import Provenance, recording_inputs

__all__ = ["EXIT_CODES", "Session", "command_session", "exit_code", "json_document", "percent", "print_table"]

EXIT_CODES = {0: "done", 2: "usage", 3: "bad input", 4: "could not be estimated", 130: "interrupted"}
_PIPE_WIDTH = 160
_INTERRUPTED = 130


def exit_code(error: MetaevalError) -> int:
    """Return the exit code for an error: 2 for an option, 4 where nothing can be estimated, 3 for bad input."""
    if isinstance(error, InvalidOptionError):
        return 2
    return 4 if isinstance(error, EstimationError) else 3


def out_console() -> Console:
    """Return the console on standard output: as wide as the terminal, or wide enough for any table in a pipe."""
    return Console(highlight=False, soft_wrap=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def error_console() -> Console:
    """Return the console on standard error, where progress, notes and warnings go."""
    return Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else _PIPE_WIDTH)


class _Bars:
    """Shows progress as bars on a terminal, and as one line per task elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def start(self, description: str, total: int | None) -> object:
        if not self._console.is_terminal and not self._bars.tasks:  # the steps inside a task stay unsaid
            self._console.print(f"{description} …", markup=False)
        return self._bars.add_task(description, total=total)

    def advance(self, task: object, steps: int = 1) -> None:
        self._bars.advance(task, steps)  # type: ignore[arg-type]  # the handle that start returned

    def finish(self, task: object) -> None:
        self._bars.remove_task(task)  # type: ignore[arg-type]  # the handle that start returned


@dataclass(slots=True)
class Session:
    """One run of a command: what it has to say besides its answer."""

    quiet: bool
    messages: list[str] = field(default_factory=list)
    caught: list[warnings.WarningMessage] = field(default_factory=list)

    def warned(self) -> list[str]:
        """Return the warnings given so far, each once."""
        return list(dict.fromkeys(str(warning.message) for warning in self.caught))

    def say(self, text: str) -> None:
        """Write a line for people on standard error, unless asked to be quiet."""
        if not self.quiet:
            error_console().print(text, markup=False, soft_wrap=True)


@contextmanager
def command_session(*, quiet: bool) -> Iterator[Session]:
    """Show progress, collect warnings and record inputs while a command works; print the warnings at its end."""
    with recording_inputs(), warnings.catch_warnings(record=True) as caught:
        session = Session(quiet=quiet, caught=caught)
        warnings.simplefilter("default")
        try:
            if quiet:
                yield session
            else:
                with _Bars(error_console()) as bars, reporting(bars):
                    yield session
        except KeyboardInterrupt:
            error_console().print("Interrupted; nothing half-written was left behind.")
            raise typer.Exit(_INTERRUPTED) from None
        finally:
            session.messages += session.warned()
            for message in session.messages:
                error_console().print(f"Warning: {message}", style="yellow", markup=False, soft_wrap=True)


def json_document(
    command: str,
    rows: pd.DataFrame | Sequence[Mapping[str, object]],
    *,
    provenance: Provenance,
    messages: Sequence[str],
) -> str:
    """Return the JSON answer of a command: flat rows, full precision, null for what is undefined."""
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else list(rows)
    document = {
        "schema": "metaeval/1",
        "command": command,
        "options": provenance.to_dict()["options"],
        "results": records,
        "warnings": list(messages),
        "provenance": provenance.to_dict(),
    }
    return json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False)


def percent(count: int, total: int) -> str:
    """Write a share as Sakai and Kando's tables do.

    Examples
    --------
    >>> percent(80, 120)
    '80/120 = 66.7 %'
    """
    return f"{count}/{total} = {100 * count / total:.1f} %"


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, caption: str = "") -> None:
    """Print a table on standard output; numbers to the right, names as they are."""
    table = Table(title=title, caption=caption or None, title_justify="left", caption_justify="left", box=None)
    for place, column in enumerate(columns):
        numeric = bool(rows) and not isinstance(rows[0][place], str)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    out_console().print(table)


def _cell(value: object) -> str:
    from rich.markup import escape  # noqa: PLC0415 - names may look like markup

    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return escape(f"{value:.4f}" if isinstance(value, float) else str(value))


def _plain(value: object) -> object:
    """Turn numpy and pandas values into JSON's own, and what is undefined into null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or value is pd.NA or isinstance(value, str | bool):
        return None if value is pd.NA else value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | bool) else str(value)
