"""One map over independent pieces of work, and one way to report progress.

Nothing below the command line prints. Long loops go through `track` or `parallel_map`; they stay silent until a
caller opens `reporting` with something that shows progress.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import numpy as np

from metaeval.checks import check_jobs, check_threads

__all__ = ["ProgressReporter", "limit_threads", "parallel_map", "reporting", "track"]


class ProgressReporter(Protocol):
    """What shows progress: told of a task when it starts, on every step and when it ends."""

    def start(self, description: str, total: int | None) -> object:
        """Begin a task and return the handle for it."""

    def advance(self, task: object, steps: int = 1) -> None:
        """Say that `steps` more steps are done."""

    def finish(self, task: object) -> None:
        """End the task."""


_reporter: ContextVar[ProgressReporter | None] = ContextVar("metaeval_progress", default=None)


@contextmanager
def reporting(reporter: ProgressReporter) -> Iterator[None]:
    """Send the progress of everything inside the block to `reporter`."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def track[T](items: Iterable[T], *, description: str, total: int | None = None) -> Iterator[T]:
    """Yield `items` one by one, telling the current reporter (if any) as each is done.

    Examples
    --------
    >>> sum(track([1, 2, 3], description="adding"))
    6
    """
    reporter = _reporter.get()
    if reporter is None:
        yield from items
        return
    if total is None and isinstance(items, Sequence):
        total = len(items)
    task = reporter.start(description, total)
    try:
        for item in items:
            yield item
            reporter.advance(task)
    finally:
        reporter.finish(task)


def parallel_map[T, R](
    function: Callable[[T, np.random.Generator], R],
    items: Sequence[T],
    *,
    generator: np.random.Generator,
    n_jobs: int = 1,
    description: str = "working",
) -> list[R]:
    """Apply `function(item, generator)` to every item, each with its own spawned generator, in order.

    The seeds belong to the items, not to the workers, so the result is the same for any `n_jobs`.

    Parameters
    ----------
    function : callable
        Must be importable by worker processes when `n_jobs` is not 1.
    items : sequence
        The pieces of work.
    generator : numpy.random.Generator
        Parent of the per-item generators.
    n_jobs : int, default 1
        Worker processes, as in joblib (-1: every core). A joblib backend chosen by the caller
        (``joblib.parallel_config``) is used.
    description : str
        What the progress display calls this work.

    Returns
    -------
    list
        One result per item, in the order of `items`.
    """
    n_jobs = check_jobs(n_jobs)
    generators = generator.spawn(len(items))
    work = zip(items, generators, strict=True)
    if n_jobs == 1:
        done = track(work, description=description, total=len(items))
        return [function(item, own) for item, own in done]
    import joblib  # noqa: PLC0415 - only the parallel path pays for it

    jobs = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(function)(item, own) for item, own in work
    )
    return list(track(jobs, description=description, total=len(items)))


@contextmanager
def limit_threads(n_threads: int | None) -> Iterator[None]:
    """Hold compiled kernels and matrix products to `n_threads` cores inside the block (None: leave as is).

    Raises
    ------
    InvalidOptionError
        If `n_threads` is below 1 or beyond every machine.
    """
    if check_threads(n_threads) is None:
        yield
        return
    import numba  # noqa: PLC0415 - only for who limits threads
    import threadpoolctl  # noqa: PLC0415 - likewise

    before = numba.get_num_threads()
    numba.set_num_threads(min(int(n_threads or before), before))
    try:
        with threadpoolctl.threadpool_limits(n_threads):
            yield
    finally:
        numba.set_num_threads(before)
