"""Is this installation in order? Versions, compiled code, cores, workers, figures: each tried, not assumed."""

import io
import os
import platform
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd
from packaging.requirements import Requirement
from packaging.version import Version

from metaeval.errors import EstimationError
from metaeval.running.children import start_python

_WRONG_PRODUCT = 3
_DEVELOPING = frozenset({"browser", "dev", "docs", "mutation", "package", "test"})
_PRODUCTS = """
import sys
import numpy as np
from scipy.linalg.blas import dgemm, sgemm

for rows, inner, columns in ((3, 3, 3), (100, 900, 48), (257, 301, 129), (600, 600, 600)):
    print(f"{rows} x {inner} by {inner} x {columns}")
    left = (np.arange(rows * inner) % 7 - 3).reshape(rows, inner)
    right = (np.arange(inner * columns) % 5 - 2).reshape(inner, columns)
    exact = left @ right
    for kind, multiply in ((float, dgemm), (np.float32, sgemm)):
        a, b = left.astype(kind), right.astype(kind)
        if not (np.array_equal(a @ b, exact) and np.array_equal(multiply(1.0, a, b), exact)):
            sys.exit(3)
"""
"""Products of whole numbers, which every kernel gives exactly; the size is written before it is tried."""


class Finding(NamedTuple):
    """What one look at the installation found."""

    part: str
    """What was looked at."""
    state: Literal["fine", "absent", "broken"]
    """"absent" is what an extra would bring; nothing is wrong."""
    found: str
    advice: str = ""
    """What to do; empty where there is nothing to do."""


def examine_installation(*, workers: bool = True) -> pd.DataFrame:
    """Look at every part of the installation, and try what can fail.

    Examples
    --------
    >>> found = examine_installation(workers=False)
    >>> found["part"].tolist()[:2]
    ['metaeval', 'Python']
    """
    looks: list[Callable[[], Iterator[Finding]]] = [_packages, _machine, _products, _kernels, _figures, _scratch]
    if workers:
        looks.append(_workers)
    return pd.DataFrame([finding for look in looks for finding in look()], columns=Finding._fields)


def _packages() -> Iterator[Finding]:
    distribution = metadata.distribution("metaeval")
    yield Finding("metaeval", "fine", f"{distribution.version}, in {Path(__file__).parents[2]}")
    yield Finding("Python", "fine", f"{platform.python_version()} ({platform.python_implementation()})")
    extras = [extra for extra in distribution.metadata.get_all("Provides-Extra") or () if extra not in _DEVELOPING]
    for requirement in map(Requirement, distribution.requires or ()):
        for extra in ("", *extras):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                yield _package(requirement, extra)
                break


def _package(requirement: Requirement, extra: str) -> Finding:
    name, limits = requirement.name, requirement.specifier
    of = f" (extra {extra})" if extra else ""
    install = f"pip install 'metaeval[{extra}]'" if extra else f"pip install '{name}{limits}'"
    try:
        installed = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name + of, "absent" if extra else "broken", "not installed", install)
    if not limits.contains(Version(installed).base_version):
        return Finding(name + of, "broken", f"{installed}, and metaeval works beside {limits}", install)
    return Finding(name + of, "fine", installed)


def _machine() -> Iterator[Finding]:
    from threadpoolctl import threadpool_info  # noqa: PLC0415 - a second, with numba

    from metaeval.running.parallel import allowed_threads  # noqa: PLC0415 - as above

    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("Cores", "fine", f"{allowed} allowed of {os.cpu_count()}; {platform.machine()}, {platform.system()}")
    pools = {f"{pool['user_api']}: {pool['internal_api']}, {pool['num_threads']} threads" for pool in threadpool_info()}
    threads = "; ".join(sorted(pools)) or "none seen"
    yield Finding("Threads", "fine", f"{threads}; numba: {allowed_threads()}")
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        yield Finding("Memory", "fine", f"{size:.1f} GiB")


def _kernels() -> Iterator[Finding]:
    """Compile or load one kernel, and say where compiled code is kept."""
    import numpy as np  # noqa: PLC0415 - a moment

    from metaeval.metrics.judged import count_judged  # noqa: PLC0415 - loads numba

    begun = time.perf_counter()
    counts = count_judged(
        np.array([0, 2]), np.array([1, 3], np.int32), np.array([0, 1], np.int32), np.array([True, False]), 3
    )
    took = time.perf_counter() - begun
    if counts.tolist() != [1]:
        yield Finding("Compiled code", "broken", f"counts {counts.tolist()} where 1 is right", "reinstall numba")
        return
    cache_path = getattr(getattr(count_judged, "stats", None), "cache_path", None)
    if cache_path is None:
        yield Finding(
            "Compiled code", "fine", "works; made anew by every process", "let NUMBA_CACHE_DIR name a lasting folder"
        )
        return
    n_cached = len(list(Path(cache_path).rglob("*.nbc")))
    yield Finding("Compiled code", "fine", f"works ({took:.2f} s); {n_cached} pieces kept in {cache_path}")


def _products() -> Iterator[Finding]:
    """Multiply matrices in a process of their own: a kernel that does not suit the processor ends the process."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start_python("-u", "-X", "utf8", "-c", _PRODUCTS, **pipes) as done:
        output, complaint = (stream.decode(errors="replace") for stream in done.communicate())
    if not done.returncode:
        yield Finding("Matrix products", "fine", "exact for whole numbers, in NumPy and SciPy")
        return
    last = output.splitlines()[-1] if output else "before the first product"
    if done.returncode < 0:
        failure = f"the process ended by {signal.Signals(-done.returncode).name}"
    elif done.returncode == _WRONG_PRODUCT:
        failure = "a wrong result"
    else:
        failure = (complaint.splitlines() or [f"exit code {done.returncode}"])[-1]
    forced = os.environ.get("OPENBLAS_CORETYPE")
    advice = (
        f"unset OPENBLAS_CORETYPE, which is {forced}"
        if forced
        else "let OPENBLAS_CORETYPE be Sandybridge, or Prescott, or install another release of numpy and scipy"
    )
    yield Finding("Matrix products", "broken", f"{failure}: {last}", advice)


def _figures() -> Iterator[Finding]:
    """Draw one."""
    from matplotlib import get_cachedir  # noqa: PLC0415 - half a second
    from matplotlib.figure import Figure  # noqa: PLC0415 - with it

    figure, drawn = Figure(figsize=(1, 1)), io.BytesIO()
    figure.subplots().plot([0, 1])
    figure.savefig(drawn, format="svg")
    fine = drawn.getvalue().rstrip().endswith(b"</svg>")
    yield Finding("Figures", "fine" if fine else "broken", f"matplotlib draws; its cache is {get_cachedir()}")


def _scratch() -> Iterator[Finding]:
    folder = tempfile.gettempdir()
    try:
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x")
    except OSError as error:
        yield Finding(
            "Temporary files", "broken", f"{folder}: {error.strerror}", "let TMPDIR name a folder to write in"
        )
        return
    yield Finding("Temporary files", "fine", folder)


def _workers() -> Iterator[Finding]:
    from metaeval.running.workers import parallel_map, working  # noqa: PLC0415 - loads joblib

    begun = time.perf_counter()
    try:
        with working(2):
            doubled = list(parallel_map(_double, [1, 2, 3, 4], shared=(), description="asking two workers"))
    except (OSError, RuntimeError, EstimationError) as error:
        yield Finding("Workers", "broken", str(error), "work without --workers")
        return
    right = doubled == [2, 4, 6, 8]
    yield Finding("Workers", "fine" if right else "broken", f"2 answered in {time.perf_counter() - begun:.1f} s")


def _double(number: int) -> int:
    return 2 * number
