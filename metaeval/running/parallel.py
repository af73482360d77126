"""Threads within this process, and one way to report progress.

Nothing below the command line prints. Long loops go through `track` or `metaeval.running.workers.parallel_map`; outside
of notebooks they stay silent until a caller opens `reporting` with something that shows progress, or `show_progress`.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from itertools import islice
from typing import Any

from metaeval.base.checks import check_jobs, check_threads
from metaeval.running.progress import ProgressReporter, TerminalBars, cell_bars

_reporter: ContextVar[ProgressReporter | None] = ContextVar("metaeval_progress")
"""Not set, the notebook that this process works for shows progress, and nothing else does."""


@contextmanager
def reporting(reporter: ProgressReporter | None) -> Iterator[None]:
    """Send the progress of everything inside the block to `reporter`, or nowhere."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


@contextmanager
def show_progress(*, hidden: bool = False) -> Iterator[None]:
    """Show or hide progress bars inside the block.

    In a notebook progress is shown below the cell without being asked for, where a task takes more than a second; in
    a script or on a terminal only inside such a block, on standard error.

    Parameters
    ----------
    hidden : bool, default False
        Show none, in a notebook neither.

    See Also
    --------
    metaeval.studies.power.study_power : one of the functions that work long

    Examples
    --------
    >>> from metaeval import show_progress, simulate_scores, study_power
    >>> with show_progress(hidden=True):
    ...     study = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
    """
    bars = None if hidden else cell_bars()
    if hidden or bars is not None:
        with reporting(bars):
            yield
        return
    from rich.console import Console  # noqa: PLC0415 - only who shows bars needs it

    with TerminalBars(Console(stderr=True, highlight=False)) as shown, reporting(shown):
        yield


def track[T](items: Iterable[T], *, description: str, total: int | None = None) -> Iterator[T]:
    """Yield `items` one by one, telling the current reporter (if any) as each is done.

    Examples
    --------
    >>> sum(track([1, 2, 3], description="adding"))
    6
    """
    try:
        reporter = _reporter.get()
    except LookupError:
        reporter = cell_bars()
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


def ahead[T](items: Iterable[T]) -> Iterator[T]:
    """Yield items while a thread makes the next one.

    Examples
    --------
    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    left, end = iter(items), object()
    with ThreadPoolExecutor(1) as pool:
        coming: Future[Any] = pool.submit(next, left, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, left, end)
            yield item


def _n_workers(n_jobs: int) -> int:
    if check_jobs(n_jobs) > 0:
        return n_jobs
    import joblib  # noqa: PLC0415 - only this choice asks for the number of cores

    return max(1, int(joblib.cpu_count()) + 1 + n_jobs)


@contextmanager
def limit_threads(n_threads: int | None) -> Iterator[None]:
    """Hold compiled kernels and matrix products to `n_threads` cores inside the block (None: leave as is)."""
    if check_threads(n_threads) is None:
        yield
        return
    import numba  # noqa: PLC0415 - only for who limits threads

    before = numba.get_num_threads()
    numba.set_num_threads(min(int(n_threads or before), before))
    try:
        with limit_libraries(n_threads):
            yield
    finally:
        numba.set_num_threads(before)


def limit_libraries(n_threads: int | None, *, kind: str | None = None) -> AbstractContextManager[Any]:
    """Hold the libraries that bring threads of their own, or those of one kind ("blas"), to `n_threads` cores."""
    return _libraries(len(sys.modules)).limit(limits=n_threads, user_api=kind)


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> Any:  # noqa: ANN401 - threadpoolctl ships no types
    """Find these libraries: more than a millisecond, hence anew only where a module has brought another."""
    import threadpoolctl  # noqa: PLC0415 - only for who limits threads

    return threadpoolctl.ThreadpoolController()
