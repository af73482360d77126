"""What joblib does not promise to keep: who was named to do the work, how processes start, and how they die.

It is used here and nowhere else (tests/test_borrowed_names.py); joblib is loaded with the first call.
"""

from typing import TYPE_CHECKING, NamedTuple

from metaeval.running.children import own_modules

if TYPE_CHECKING:
    from distributed import Client

_OF_THIS_MACHINE = {"LokyBackend", "SequentialBackend", "ThreadingBackend"}


class NamedWorkers(NamedTuple):
    """Whom ``joblib.parallel_config`` names around a call."""

    number: int
    nested: bool
    """Whether this is a worker already."""
    far: bool
    """Whether they are not simply processes of this machine."""
    client: "Client | None"
    """The connection with a Dask cluster."""


def named_workers(n_jobs: int | None) -> NamedWorkers:
    """Return who is named, `n_jobs` of them if that is a number."""
    from joblib.parallel import get_active_backend  # noqa: PLC0415 - see above

    backend, named = get_active_backend()
    wanted = next(number for number in (n_jobs, named, backend.default_n_jobs) if number is not None)
    name = type(backend).__name__
    return NamedWorkers(
        number=1 if backend.nesting_level else max(1, int(backend.effective_n_jobs(wanted))),
        nested=bool(backend.nesting_level),
        far=name not in _OF_THIS_MACHINE,
        client=backend.client if name == "DaskDistributedBackend" else None,
    )


def start_tracker() -> None:
    """Start the process that puts away what joblib's workers leave behind."""
    from joblib.externals.loky.backend import resource_tracker  # noqa: PLC0415 - see above

    with own_modules:
        resource_tracker.ensure_running()


def says_a_worker_died(error: Exception) -> bool:
    """Say whether an error is that of joblib's pool of processes that lost one."""
    from joblib.externals.loky.process_executor import BrokenProcessPool  # noqa: PLC0415 - see above

    return isinstance(error, BrokenProcessPool)
