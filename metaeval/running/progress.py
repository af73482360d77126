"""Where progress is shown: bars on a terminal, a line in a file, a bar in the output of a notebook's cell."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from rich.console import Console

_SECONDS, _LONG, _MANY_MINUTES = 5.0, 60.0, 100
"""Seconds after which a task can be foretold, seconds still to go that are worth a word, minutes told as hours."""
_PATIENCE, _PAUSE = 1.0, 0.2
"""Seconds that a task takes before a notebook shows it, and between two changes of what is shown."""


class ProgressReporter(Protocol):
    """What shows progress: told of a task when it starts, on every step and when it ends."""

    def start(self, description: str, total: int | None) -> object:
        """Begin a task and return the handle for it."""

    def advance(self, task: object, steps: int = 1) -> None:
        """Say that `steps` more steps are done."""

    def finish(self, task: object) -> None:
        """End the task."""


class TerminalBars:
    """Shows progress as bars on a terminal, and as one line per task elsewhere.

    Of a task that has run for seconds and will take minutes it says how many, and what would be `quicker`. The first
    step is left out, which may have compiled kernels.
    """

    def __init__(self, console: "Console", quicker: str = "") -> None:
        from rich.progress import (  # noqa: PLC0415 - only who shows bars needs them
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._console = console
        self._quicker = quicker
        self._foretold: set[str] = set()
        self._first: dict[object, tuple[float, float]] = {}
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
        """Begin a task."""
        if not self._console.is_terminal and not self._bars.tasks:  # the steps inside a task stay unsaid
            self._console.print(f"{description} …", markup=False)
        return self._bars.add_task(description, total=total)

    def advance(self, task: object, steps: int = 1) -> None:
        """Say that more steps are done, and once how long the rest will take."""
        self._bars.advance(task, steps)  # type: ignore[arg-type]  # the handle that start returned
        progress = next(candidate for candidate in self._bars.tasks if candidate.id == task)
        elapsed = progress.elapsed or 0.0
        since, before = self._first.setdefault(task, (elapsed, progress.completed))
        done = progress.completed - before
        if not progress.total or progress.description in self._foretold or elapsed < _SECONDS or not done:
            return
        left = (elapsed - since) * (progress.total - progress.completed) / done
        if left >= _LONG:
            self._foretold |= {candidate.description for candidate in self._bars.tasks}  # those it is a step of, too
            words = f"{progress.description}: about {_minutes(left)} left"
            self._console.print(f"{words}; {self._quicker}" if self._quicker else words, markup=False, soft_wrap=True)

    def finish(self, task: object) -> None:
        """End the task."""
        self._first.pop(task, None)
        self._bars.remove_task(task)  # type: ignore[arg-type]  # the handle that start returned


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < _MANY_MINUTES:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{round(minutes / 60)} hours"


@dataclass(slots=True, eq=False)
class _Task:
    description: str
    total: int | None
    since: float
    done: int = 0

    def words(self, now: float) -> str:
        steps = f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,}"
        return f"{self.description}: {steps}, {now - self.since:.0f} s"


@dataclass(frozen=True, slots=True)
class _CellLines:
    """What a cell shows: lines with bars, or without them where a notebook shows text alone."""

    tasks: tuple[tuple[str, int, int | None], ...]

    def __repr__(self) -> str:
        return "\n".join(words for words, _, _ in self.tasks)

    def _repr_html_(self) -> str:
        return "".join(
            f'<div><progress value="{done}" max="{total or max(done, 1)}"></progress> {escape(words)}</div>'
            for words, done, total in self.tasks
        )


class CellBars:
    """Shows progress below the cell of a notebook, of the tasks that are open; what is done vanishes.

    It uses what every notebook has, IPython's displays that can be replaced; the bars of tqdm and rich need ipywidgets
    there, and warn where it is absent.

    Parameters
    ----------
    display : callable
        ``IPython.display.display``.
    clock : callable
        Seconds from somewhere on.
    """

    def __init__(self, display: Callable[..., Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._display, self._clock = display, clock
        self._tasks: list[_Task] = []
        self._handle: Any = None
        self._shown_at = 0.0

    def start(self, description: str, total: int | None) -> object:
        """Begin a task."""
        task = _Task(description, total, self._clock())
        self._tasks.append(task)
        return task

    def advance(self, task: object, steps: int = 1) -> None:
        """Say that more steps are done; what is shown changes a few times a second."""
        if isinstance(task, _Task):
            task.done += steps
        now = self._clock()
        if self._tasks and now - self._tasks[0].since >= _PATIENCE and now - self._shown_at >= _PAUSE:
            self._show(self._tasks, now)

    def finish(self, task: object) -> None:
        """End the task; nothing is left in sight of the outermost one."""
        outermost = self._tasks[:1] == [task]
        if outermost and self._handle is not None:
            self._show([], self._clock())
            self._handle = None
        self._tasks = [] if outermost else [open_task for open_task in self._tasks if open_task is not task]

    def _show(self, tasks: list[_Task], now: float) -> None:
        lines = _CellLines(tuple((task.words(now), task.done, task.total) for task in tasks))
        self._shown_at = now
        told_apart = {"metaeval": "progress"}  # from answers, by whoever keeps what a notebook shows
        if self._handle is None:
            self._handle = self._display(lines, display_id=True, metadata=told_apart)
        else:
            self._handle.update(lines, metadata=told_apart)


def cell_bars() -> CellBars | None:
    """Return what shows progress in the notebook that this process works for; None if it works for none."""
    ipython = sys.modules.get("IPython")  # a kernel has loaded it
    if ipython is None or not hasattr(ipython.get_ipython(), "kernel"):
        return None
    return _bars_of(import_module("IPython.display").display)


@cache
def _bars_of(display: Callable[..., Any]) -> CellBars:
    """Return the bars of this process: a step inside a task must find the task."""
    return CellBars(display)
