"""Threads within this process, and one way to report progress.

Nothing below the command line prints. Long loops go through `track` or `metaeval.workers.parallel_map`; they stay
silent until a caller opens `reporting` with something that shows progress.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from itertools import islice
from typing import Protocol

from metaeval.checks import check_jobs, check_threads

__all__ = ["ProgressReporter", "limit_threads", "reporting", "threaded_map", "track"]


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


def threaded_map[T, R](function: Callable[[T], R], items: Sequence[T], *, n_jobs: int) -> Iterator[R]:
    """Map in order on threads, with at most one result more than workers waiting, so that memory stays bounded.

    Examples
    --------
    >>> list(threaded_map(len, ["a", "bc"], n_jobs=2))
    [1, 2]
    """
    workers = min(_n_workers(n_jobs), len(items))
    if workers == 1:
        yield from map(function, items)
        return
    pending: deque[Future[R]] = deque()
    left = iter(items)
    with ThreadPoolExecutor(workers) as pool:
        try:
            pending.extend(pool.submit(copy_context().run, function, item) for item in islice(left, workers + 1))
            while pending:
                yield pending.popleft().result()
                pending.extend(pool.submit(copy_context().run, function, item) for item in islice(left, 1))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _n_workers(n_jobs: int) -> int:
    if check_jobs(n_jobs) > 0:
        return n_jobs
    import joblib  # noqa: PLC0415 - only this choice asks for the number of cores

    return max(1, int(joblib.cpu_count()) + 1 + n_jobs)


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
