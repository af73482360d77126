"""Topics as users: power and leaderboard from long Parquet, and the bootstrap beside the product that it needs.

Run ``python benchmarks/speed_scale.py [--topics 100000] [--large]``. Simulated scores of 21 systems under 5 metrics,
written as long Parquet with dictionaries of names; ``power``, with its page too, and ``leaderboard`` read it. Times
are processor time, also of the process that tries the file, and by the clock, which tells only where nothing else runs;
memory is the largest resident set of a process. The bare product is that of counts and differences in double
precision, on one core, over some of the topics and scaled up. --large adds 5 systems on 5,000,000 topics, and on
10,000,000 by two workers of a Dask cluster, whose answer must be that of this process to the last bit.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
from distributed import LocalCluster
from numpy.typing import NDArray

from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running.parallel import in_one_order
from metaeval.running.workers import working
from metaeval.table.scores import as_scores

N_SYSTEMS, N_RESAMPLES = 21, 1000
METRICS = ("nDCG@10", "Recall@10", "AP@10", "RR@10", "P@10")
BARE_TOPICS = 50_000


def simulated(n_topics: int, n_systems: int, n_metrics: int) -> NDArray[np.float64]:
    """Return scores in hundredths, (metric, system, topic), whose systems differ little beside the topics."""
    rng = np.random.default_rng(1)
    hardness = rng.beta(1, 3, n_topics)
    values = np.empty((n_metrics, n_systems, n_topics))
    for system in range(n_systems):
        for own in values[:, system]:
            own[:] = hardness * (0.9 + 0.01 * system / n_systems) + rng.normal(0, 0.15, n_topics)
    return np.round(values, 2, out=values).clip(0, 1, out=values)


def write_long(values: NDArray[np.float64], path: Path) -> None:
    """Write scores as a long table, names as dictionaries."""
    n_metrics, n_systems, n_topics = values.shape
    names = {
        "metric": (METRICS[:n_metrics], np.repeat(np.arange(n_metrics, dtype=np.uint32), n_systems * n_topics)),
        "system": (
            [f"recommender{number:02}" for number in range(1, n_systems + 1)],
            np.tile(np.repeat(np.arange(n_systems, dtype=np.uint32), n_topics), n_metrics),
        ),
        "topic": (
            [f"user{number}" for number in range(1, n_topics + 1)],
            np.tile(np.arange(n_topics, dtype=np.uint32), n_metrics * n_systems),
        ),
    }
    columns = {part: pl.Series(list(own), dtype=pl.Categorical).gather(code) for part, (own, code) in names.items()}
    pl.DataFrame(columns | {"score": values.ravel()}).write_parquet(path)


def write_simulated(n_topics: int, path: Path) -> None:
    """Write simulated scores as a long table."""
    write_long(simulated(n_topics, N_SYSTEMS, len(METRICS)), path)


def command(*words: str) -> tuple[float, float, float]:
    """Return processor seconds, seconds by the clock and GiB of one command."""
    start = time.perf_counter()
    started = subprocess.Popen([sys.executable, "-m", "metaeval", *words], stdout=subprocess.DEVNULL)  # noqa: S603
    _, code, used = os.wait4(started.pid, 0)
    if code:
        raise SystemExit(f"metaeval {' '.join(words)} ended with {code}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 2**20


def beside_product(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return processor seconds of bootstrap sensitivity, and of the bare product."""
    n_metrics, n_systems, n_topics = values.shape
    scores = as_scores(values)
    bootstrap_sensitivity(scores.isel(topic=slice(0, 10_000)), n_resamples=100, rng=0)  # compiles
    first, second = np.triu_indices(n_systems, 1)
    some = values[0, :, : min(n_topics, BARE_TOPICS)]
    differences = some[first] - some[second]
    counts = np.random.default_rng(0).poisson(1, (N_RESAMPLES, some.shape[1])).astype(np.float64)
    with in_one_order:
        start = time.process_time()
        counts @ differences.T
        bare = (time.process_time() - start) * n_metrics * n_topics / some.shape[1]
    start = time.process_time()
    bootstrap_sensitivity(scores, n_resamples=N_RESAMPLES, rng=0)
    return time.process_time() - start, bare


def by_dask(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return seconds by the clock of bootstrap sensitivity in this process, and on a cluster of two workers."""
    scores = as_scores(values)
    start = time.perf_counter()
    expected = bootstrap_sensitivity(scores, n_resamples=N_RESAMPLES, rng=0)
    alone = time.perf_counter() - start
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        start = time.perf_counter()
        with working(cluster=cluster.scheduler_address):
            found = bootstrap_sensitivity(scores, n_resamples=N_RESAMPLES, rng=0)
        far = time.perf_counter() - start
    if not found.data.identical(expected.data):
        raise SystemExit("a Dask cluster gives another answer")
    return alone, far


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--large", action="store_true", help="5 systems on 5,000,000 topics too (some minutes)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "users.parquet")
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:  # a command's memory begins with that of its parent
            apart.submit(write_simulated, arguments.topics, path).result()
        page = ("--out", str(Path(folder, "page")))
        for words in (("power", "--test", "t"), ("power",), ("power", *page), ("leaderboard",)):
            seconds, clock, memory = command(*words[:1], str(path), *words[1:], "--seed", "1", "--quiet")
            shown = " ".join(words).replace(page[1], "page")
            print(f"{shown:40}{seconds:8.1f} s {memory:6.2f} GiB, {clock:.0f} s by the clock")
    sizes = [(arguments.topics, N_SYSTEMS, len(METRICS)), (5_000_000, 5, 1)]
    for n_topics, n_systems, n_metrics in sizes[: 2 if arguments.large else 1]:
        seconds, bare = beside_product(simulated(n_topics, n_systems, n_metrics))
        size = f"{n_metrics} x {n_systems} x {n_topics:,}"
        print(f"{size:40}{seconds:8.1f} s {seconds / bare:6.2f} x the bare product ({bare:.1f} s)")
    if arguments.large:
        alone, far = by_dask(simulated(10_000_000, 5, 1))
        print(f"{'1 x 5 x 10,000,000, by the clock':40}{alone:8.1f} s, by two Dask workers {far:.1f} s, the same bits")


if __name__ == "__main__":
    main()
