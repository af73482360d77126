"""Threads within this process, and one way to report progress.

Nothing below the command line prints. Long loops go through `track` or `metaeval.running.workers.parallel_map`; outside
of notebooks they stay silent until a caller opens `reporting` with something that shows progress, or `show_progress`.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ContextDecorator, ExitStack, contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache, wraps
from itertools import islice
from threading import Lock
from time import perf_counter
from typing import Any, ClassVar, Concatenate

from metaeval.base.checks import check_jobs, check_threads
from metaeval.running.progress import ProgressReporter, TerminalBars, cell_bars

_reporter: ContextVar[ProgressReporter | None] = ContextVar("metaeval_progress")
"""Not set, the notebook that this process works for shows progress, and nothing else does."""
_limit: ContextVar[int | None] = ContextVar("metaeval_threads", default=None)
_TIMED, _PIECES = 16, 4
"""Pieces for every thread: of those that the first is timed of, and of those that are shared out."""
_SHORT = 3e-4
"""Seconds of work that are not worth waking a thread for."""


@contextmanager
def reporting(reporter: ProgressReporter | None) -> Iterator[None]:
    """Send the progress of everything inside the block to `reporter`, or nowhere."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def show_progress(*, hidden: bool = False) -> AbstractContextManager[None]:
    """Show or hide progress bars, inside a block or from now on.

    In a notebook progress is shown below the cell without being asked for, where a task takes more than a second; in
    a script or on a terminal only inside ``with show_progress():``, on standard error. Bars of what is done vanish.

    Parameters
    ----------
    hidden : bool, default False
        Show none, in a notebook neither.

    Returns
    -------
    context manager
        For a ``with`` statement. Without one, ``show_progress(hidden=True)`` hides bars for the rest of the session,
        and ``show_progress()`` brings those of notebooks back.

    See Also
    --------
    metaeval.questions.power.study.study_power : one of the functions that work long

    Examples
    --------
    >>> from metaeval import show_progress, simulate_scores, study_power
    >>> with show_progress(hidden=True):
    ...     study = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
    """
    return _Switch(hidden=hidden)


class _Switch(AbstractContextManager[None]):
    """Holds for the session, or where it is entered for a block."""

    hides: ClassVar[bool] = False
    """Whether the session hides all bars."""

    def __init__(self, *, hidden: bool) -> None:
        self._hidden, self._before, self._block = hidden, _Switch.hides, ExitStack()
        _Switch.hides = hidden

    def __enter__(self) -> None:
        _Switch.hides = self._before
        bars = None if self._hidden else cell_bars()
        if bars is None and not self._hidden:
            from rich.console import Console  # noqa: PLC0415 - only who shows bars needs it

            terminal_bars = self._block.enter_context(TerminalBars(Console(stderr=True, highlight=False)))
            self._block.enter_context(reporting(terminal_bars))
        else:
            self._block.enter_context(reporting(bars))

    def __exit__(self, *error: object) -> None:
        self._block.close()


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
        reporter = None if _Switch.hides else cell_bars()
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


def allowed_threads() -> int:
    """Return how many threads compiled kernels may use here: at most as many as numba finds cores or is told."""
    most = _most_threads()
    return min(most, _limit.get() or most)


def _most_threads() -> int:
    import numba  # noqa: PLC0415 - only for who calls kernels

    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]  # not in its stubs


def on_threads[**P](kernel: Callable[Concatenate[int, int, P], None]) -> Callable[Concatenate[int, P], None]:
    """Let a kernel that does the tasks from `start` to `stop` - 1 be called with how many there are, on every core.

    Tasks must not share anything they write, so that the answer cannot depend on the number of cores. numba has loops
    that do the same, but compiles them for three times as long.

    Examples
    --------
    >>> def squares(start: int, stop: int, found: list[int]) -> None:
    ...     for task in range(start, stop):
    ...         found[task] = task**2
    >>> on_threads(squares)(4, found := [0] * 4)
    >>> found
    [0, 1, 4, 9]
    """

    @wraps(kernel, updated=())
    def shared_out(n: int, /, *args: P.args, **named: P.kwargs) -> None:
        threads = min(allowed_threads(), n)
        if threads <= 1:
            kernel(0, n, *args, **named)
            return
        first = n // (_TIMED * threads)
        if first:  # where the rest takes no longer than to wake the others, they are left asleep
            begun = perf_counter()
            kernel(0, first, *args, **named)
            if (perf_counter() - begun) * (n - first) < _SHORT * first:
                kernel(first, n, *args, **named)
                return
        size = -(-(n - first) // (_PIECES * threads))
        starts = iter(range(first, n, size))

        def work() -> None:
            for start in starts:
                kernel(start, min(start + size, n), *args, **named)

        try:
            others = [_kernel_threads(os.getpid()).submit(work) for _ in range(threads - 1)]
            work()
            for future in others:
                if not future.cancel():  # it may have begun
                    future.result()
        finally:
            deque(starts, maxlen=0)  # after an error or an interrupt nobody begins another piece

    del shared_out.__wrapped__  # whose first arguments are others
    return shared_out


@lru_cache(maxsize=1)
def _kernel_threads(_process: int) -> ThreadPoolExecutor:
    """Return the threads of a process, which a fork of it does not inherit."""
    return ThreadPoolExecutor(_most_threads(), "kernels")


class _OneOrder(ContextDecorator):
    """Hold products of matrices and what solves or decomposes them to one thread: several add up in another order.

    The limit belongs to the process: whoever comes first sets it, and whoever leaves last, maybe in another thread,
    restores what was before. What is imported inside may bring a library, which whoever comes next finds.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.inside, self._n_modules = 0, -1
        self._before: dict[str, tuple[Any, int]] = {}

    def __enter__(self) -> None:
        with self._lock:
            if self._n_modules != len(sys.modules):
                self._n_modules = len(sys.modules)
                for library in _libraries(self._n_modules).lib_controllers:
                    if library.user_api == "blas":
                        self._before.setdefault(library.filepath, (library, library.get_num_threads()))
                        _set_threads(library, 1)
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.inside -= 1
            if not self.inside:
                for library, n_threads in self._before.values():
                    _set_threads(library, n_threads)
                self._before, self._n_modules = {}, -1


def _set_threads(library: Any, n_threads: int) -> None:  # noqa: ANN401 - threadpoolctl ships no types
    """Set the threads of a library, also from a thread that was not the first to do so, whom threadpoolctl ignores."""
    getattr(library, "_real_set_num_threads", library.set_num_threads)(n_threads)


in_one_order = _OneOrder()
"""A block, or a decorator of a function: inside, linear algebra has the same bits for any number of cores."""


@contextmanager
def limit_threads(n_threads: int | None) -> Iterator[None]:
    """Hold compiled kernels to `n_threads` cores inside the block (None: leave as is), and matrix products to one.

    The threads of a matrix product would also keep spinning for a while after it, and take the cores from the kernel
    that comes next.
    """
    limit = check_threads(n_threads)
    before = _limit.get()
    if limit is not None:
        _limit.set(min(int(limit), before or int(limit)))
    try:
        with in_one_order, _libraries(len(sys.modules)).limit(limits=limit, user_api="openmp"):
            yield
    finally:
        _limit.set(before)  # no token: a generator may be closed elsewhere


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> Any:  # noqa: ANN401 - threadpoolctl ships no types
    """Find these libraries: more than a millisecond, hence anew only where a module has brought another."""
    import threadpoolctl  # noqa: PLC0415 - only for who limits threads

    return threadpoolctl.ThreadpoolController()
