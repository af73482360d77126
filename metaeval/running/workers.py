"""Workers: who does the pieces of repeated work, this process, others of this machine, or a Dask cluster.

Studies hand their pieces to `parallel_map` or `finished_tasks`. Who does them is said once, around the call, as joblib
has it (``joblib.parallel_config``; the command line opens `working`), or by ``n_jobs`` where a function takes it. Seeds
belong to the pieces, so that the answer is the same to the last bit. A piece whose worker dies is done again.
"""

import logging
import os
import pickle
import platform
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib import metadata
from itertools import chain, count, islice
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, NamedTuple

from metaeval.base.checks import check_jobs, check_threads
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.running.children import ignore_settings, own_modules
from metaeval.running.joblib_inside import named_workers, says_a_worker_died, start_tracker
from metaeval.running.parallel import limit_threads, track

if TYPE_CHECKING:
    from distributed import Client

_MOST_DEATHS = 5
_AHEAD = 2
"""Pieces that a worker of a cluster is handed at once, so that it need not wait for the next."""
_PATIENCE = 10
"""Seconds in which a scheduler must answer and have a worker."""
_SAME = ("metaeval", "numpy", "scipy", "numba", "joblib", "cloudpickle")
"""Packages of which a worker must have the version that is here."""

type _Warned = list[tuple[Warning | str, type[Warning], str, int]]


class Crew(NamedTuple):
    """Who does the work."""

    n_workers: int = 1
    far: bool = False
    """Whether they are not simply processes of this machine: a backend such as Dask's, named by the caller."""
    client: "Client | None" = None
    """The connection with a Dask cluster."""

    @property
    def alone(self) -> bool:
        """Whether this process does all of it."""
        return self.n_workers == 1 and not self.far


def crew(n_jobs: int | None = None) -> Crew:
    """Return who does the work: `n_jobs` workers, or whom ``joblib.parallel_config`` names around the call.

    A worker works alone: pieces are not cut up once more.

    Examples
    --------
    >>> import joblib
    >>> with joblib.parallel_config(n_jobs=3):
    ...     crew().n_workers, crew(2).n_workers, crew(1).alone
    (3, 2, True)
    """
    if n_jobs is not None:
        check_jobs(n_jobs)
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return Crew()  # nobody can have named workers to joblib before it was loaded
    named = named_workers(n_jobs)
    return Crew() if named.nested else Crew(named.number, named.far, named.client)


def threads_each(n_threads: int | None, n_jobs: int | None = None) -> int | None:
    """Return how many of `n_threads` cores (None: every core) a worker may use, so that all together use no more.

    Examples
    --------
    >>> import joblib
    >>> threads_each(4)
    4
    >>> with joblib.parallel_config(n_jobs=2):
    ...     threads_each(4), threads_each(1)
    (2, 1)
    """
    check_threads(n_threads)
    who = crew(n_jobs)
    if who.alone:
        return n_threads
    if who.far:
        return 1
    import joblib  # noqa: PLC0415 - as above

    return max(1, (n_threads or int(joblib.cpu_count())) // who.n_workers)


def parallel_map[R](
    function: Callable[..., R],
    *columns: Sequence[Any],
    shared: Sequence[Any] = (),
    n_jobs: int | None = None,
    description: str = "working",
) -> list[R]:
    """Return ``function(*row, *shared)`` for every row of the columns, in their order, whoever does the work.

    Examples
    --------
    >>> parallel_map(pow, [2, 3], [3, 2])
    [8, 9]
    """
    rows, who = list(zip(*columns, strict=True)), crew(n_jobs)
    if len(rows) == 1:
        n_jobs = 1
    elif not who.far:
        n_jobs = max(1, min(who.n_workers, len(rows)))  # none is started in vain
    done = finished_tasks(function, rows, shared=shared, n_jobs=n_jobs)
    results = dict(track(done, description=description, total=len(rows)))
    return [results[index] for index in range(len(rows))]


def finished_tasks[R](
    function: Callable[..., R],
    tasks: Iterable[tuple[Any, ...]],
    *,
    shared: Sequence[Any] = (),
    n_jobs: int | None = None,
    threads: bool = False,
) -> Iterator[tuple[int, R]]:
    """Yield the place and the result of ``function(*task, *shared)`` for every task, each as soon as it is done."""
    who = crew(n_jobs)
    if who.alone:
        for index, task in enumerate(tasks):
            yield index, function(*task, *shared)
        return
    here = threads and not who.far
    # the limit of matrix products belongs to the process: threads that set it in turn must all find it set
    with limit_threads(1 if here else None):
        yield from _shared_out(function, tasks, shared, who, here=here)


def _shared_out[R](
    function: Callable[..., R], tasks: Iterable[tuple[Any, ...]], shared: Sequence[Any], who: Crew, *, here: bool
) -> Iterator[tuple[int, R]]:
    """Yield what workers do, again and again until nobody dies."""
    begun: dict[int, tuple[Any, ...]] = {}
    failed, warned = dict[int, Exception](), dict[int, _Warned]()
    new = _handed_out(tasks, begun, failed)
    try:
        for deaths in count(1):
            work = chain([*begun.items()], new)
            try:
                with closing(_joined(function, work, shared, who, here=here)) as outcomes:
                    for index, result, piece_warnings in outcomes:
                        del begun[index]
                        warned[index] = piece_warnings
                        if isinstance(result, _Failed):
                            failed[index] = result.error
                        else:
                            yield index, result
            except Exception as error:  # noqa: BLE001 - raised again, unless it says that a worker died
                _raise_unless_dead(error, who, deaths, len(begun))
            else:
                break
        if failed:  # where several did, that of the first piece, whoever was sooner
            raise failed[min(failed)]
    finally:
        for index in sorted(warned):
            for message, category, file, line in warned[index]:
                warnings.warn_explicit(message, category, file, line)


def _handed_out(
    tasks: Iterable[tuple[Any, ...]], begun: dict[int, tuple[Any, ...]], failed: Collection[int]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield tasks with their places until one has failed, and note those that somebody has begun."""
    for index, task in enumerate(tasks):
        if failed:
            return
        begun[index] = task
        yield index, task


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that are started in the block leave an interrupt to this one, which ends them.

    A terminal sends it to the whole group, and each worker would print where it was at work.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_trackers()  # they would lift the block once they have started, in the middle of what follows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Start the processes that put away what others leave behind, and have them do so without a word.

    After an interrupt they may find that somebody was faster, and would warn of it behind our last words.
    """
    before = sys.warnoptions[:]
    sys.warnoptions.append("ignore:resource_tracker")  # handed on to interpreters that this one starts
    try:
        with own_modules:
            resource_tracker.ensure_running()
            start_tracker()
    finally:
        sys.warnoptions[:] = before


@contextmanager
def _left(found: Generator[Any]) -> Iterator[None]:
    """Stop the workers where the block is left early, on purpose or not: joblib warns of what they did in vain."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.close()


class _Home(NamedTuple):
    """Where the work comes from, and whether it goes far."""

    node: str
    process: int
    far: bool


def _joined[R](
    function: Callable[..., R],
    pieces: Iterable[tuple[int, tuple[Any, ...]]],
    shared: Sequence[Any],
    who: Crew,
    *,
    here: bool,
) -> Generator[tuple[int, "R | _Failed", _Warned]]:
    """Yield place, result and warnings of every piece as joblib's workers are done with it."""
    home = _Home(platform.node(), os.getpid(), who.far)
    if who.client is not None:
        yield from _on_cluster(who.client, partial(partial, _piece, function, home), pieces, shared)
        return
    import joblib  # noqa: PLC0415 - only where there are workers

    # one piece a batch, so that no more than those in flight are lost
    workers = joblib.Parallel(
        n_jobs=who.n_workers,
        backend="threading" if here else None,
        batch_size=1,
        return_as="generator_unordered",
        max_nbytes="1M",
        mmap_mode="c",  # looks writable, as the kernels were compiled for, and is not written to
    )
    with own_modules:  # to the end: one that died is replaced
        with _deaf_children():
            outcomes = workers(joblib.delayed(_piece)(function, home, index, *task, *shared) for index, task in pieces)
        with _left(outcomes):
            for outcome in outcomes:  # noqa: UP028 - it is left as the block says
                yield outcome


def _on_cluster(
    client: "Client",
    prepared: Callable[..., Callable[..., Any]],
    pieces: Iterable[tuple[int, tuple[Any, ...]]],
    shared: Sequence[Any],
) -> Generator[Any]:
    """Yield what the workers of a Dask cluster return.

    joblib's own way to Dask works here where a cluster has a single worker left, and waits for ever for a piece that
    killed its workers.
    """
    from distributed import as_completed  # noqa: PLC0415 - an extra
    from distributed.protocol.pickle import dumps, loads  # noqa: PLC0415 - likewise

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # so that it is there again when a worker died
        remote = client.submit(loads, dumps(tuple(shared)), pure=False)
    under_way = as_completed(loop=client.loop)
    begun = set()

    def hand_out(places: int) -> None:
        for index, task in islice(pieces, max(0, places)):  # none, where workers died
            future = client.submit(_with_shared, prepared(index, *task), remote, pure=False)
            begun.add(future)
            under_way.add(future)

    pieces = iter(pieces)
    try:
        hand_out(_AHEAD * len(client.nthreads()))
        while begun:
            future = next(under_way)
            outcome = future.result()
            begun.remove(future)
            yield outcome
            hand_out(_AHEAD * len(client.nthreads()) - len(begun))
    finally:
        with suppress(Exception):  # there may be nobody left to be told
            client.cancel([*begun, remote], force=True)


def _with_shared[R](piece: Callable[..., R], shared: tuple[Any, ...]) -> R:
    return piece(*shared)


def _piece[R](
    function: Callable[..., R], home: _Home, place: int, /, *arguments: object
) -> tuple[int, "R | _Failed", _Warned]:
    """Do one piece where a worker is; what it warns of, and the error it ends in, are told at home."""
    if (platform.node(), os.getpid()) == home[:2]:  # a thread: warnings and limits belong to the whole process
        return place, _tried(function, arguments), []
    ignore_settings()
    with warnings.catch_warnings(record=True) as caught, limit_threads(1 if home.far else None):
        warnings.simplefilter("default")
        result = _tried(function, arguments)
    if isinstance(result, _Failed):
        result = _Failed(_portable(result.error))
    return place, result, [(warning.message, warning.category, warning.filename, warning.lineno) for warning in caught]


def _tried[R](function: Callable[..., R], arguments: Sequence[object]) -> "R | _Failed":
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - raised where the work comes from
        return _Failed(error)


class _Failed(NamedTuple):
    """What a piece returns that raised an error."""

    error: Exception


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent: itself, with what is lost on the way as a note, or one that says the same."""
    error.add_note("".join(["In a worker:\n", *traceback.format_exception(error)]))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - of any kind: what makes an error may ask for anything
        kind = next(base for base in type(error).mro() if vars(base).get("__init__") is None)  # made of a message
        return kind(str(error))
    return error


def _raise_unless_dead(error: Exception, who: Crew, deaths: int, n_left: int) -> None:
    """Raise what ends the work: any error but the death of a worker of this machine, and that too once too often."""
    if who.far and type(error).__module__.partition(".")[0] in {"distributed", "tornado"}:
        if type(error).__name__ == "KilledWorker":
            message = (
                "a piece of work killed every worker of the Dask cluster that tried it, most likely for want of memory;"
                " give the workers more (dask worker --memory-limit), or ask for less at once"
            )
        else:
            message = f"the Dask cluster is gone ({type(error).__name__}), and {n_left} pieces of work were under way"
        raise EstimationError(message) from error
    if not says_a_worker_died(error):
        raise error
    if deaths >= _MOST_DEATHS:
        raise EstimationError(
            f"workers died {deaths} times, most likely killed by the system for want of memory; {who.n_workers} were "
            "at work: take fewer (`n_jobs`), or ask for less at once"
        ) from error


# ---------------------------------------------------------------------------------------------- around a whole command


@contextmanager
def working(
    n_workers: int | None = None, *, cluster: str | None = None, n_threads: int | None = None
) -> Iterator[None]:
    """Let everything inside the block that repeats work be done by workers.

    Examples
    --------
    >>> with working(2):
    ...     crew().n_workers
    2
    """
    if cluster is None and n_workers in {None, 1}:
        yield
        return
    import joblib  # noqa: PLC0415 - only where there are workers

    if cluster is not None:
        with _reached(cluster) as client, joblib.parallel_config(backend="dask", client=client):
            yield
        return
    with joblib.parallel_config(n_jobs=n_workers):
        per_worker = None if n_threads is None else threads_each(n_threads)
    with joblib.parallel_config(backend="loky", n_jobs=n_workers, inner_max_num_threads=per_worker):
        yield


@contextmanager
def _reached(address: str) -> "Iterator[Client]":
    """Connect with a Dask cluster that gives the same answers as this machine."""
    try:
        import distributed  # noqa: PLC0415 - an extra
    except ImportError as error:
        message = "a Dask cluster is reached through the package distributed: pip install 'metaeval[dask]'"
        raise InvalidOptionError(message) from error
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL)  # whatever ends the work is said once, in our words
    try:
        with _client(distributed.Client, address) as client:
            _check_workers(client)
            yield client
    finally:
        log.setLevel(level)


def _client(connect: Callable[..., "Client"], address: str) -> "Client":
    """Connect with the scheduler, and see that there are workers."""
    try:
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidOptionError(
            f"no Dask scheduler answers at {address} (within {_PATIENCE} seconds): start it with `dask scheduler`, and "
            f"workers with `dask worker {address} --nthreads 1`"
        ) from error
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        client.close()
        message = f"the Dask cluster at {address} has no workers: dask worker {address} --nthreads 1"
        raise InvalidOptionError(message) from error
    return client


def _check_workers(client: "Client") -> None:
    """Refuse workers whose answers might differ: other versions, or several threads in one process."""
    for worker, n_threads in client.nthreads().items():
        if n_threads != 1:
            raise InvalidOptionError(
                f"the Dask worker {worker} works on {n_threads} pieces at once in one process, which compiled kernels "
                "do not bear; start workers with --nthreads 1, and one a core with --nworkers"
            )
    _compare(client, "Python", platform.python_version)
    for package in _SAME:
        _compare(client, package, metadata.version, package)


def _compare(client: "Client", name: str, version: Callable[..., str], *arguments: str) -> None:
    """Refuse a worker that has another version; only Python's own functions run there, which it has in any case."""
    try:
        here = version(*arguments)
    except metadata.PackageNotFoundError:
        return
    for worker, installed in client.run(version, *arguments, on_error="return").items():
        if installed != here:
            has = installed if isinstance(installed, str) else "none"
            raise InvalidOptionError(
                f"the Dask worker {worker} has {name} {has}, and here it is {here}; install the same versions on every "
                "machine, so that the answer does not depend on who works"
            )
