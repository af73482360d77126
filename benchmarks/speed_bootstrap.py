"""All-pairs bootstrap: this package against the bare matrix product it needs and against loops over pairs.

Run ``python benchmarks/speed_bootstrap.py [--repeats 9] [--skip-large] [--busy]``. Simulated scores of 129 systems x 50
topics (8256 pairs), one metric; every figure is the shortest of several runs, ours and the peers' in turn, so that a
busy moment hits both. Loops over pairs are timed on some pairs and scaled up to 8256; the table says so. Decisions and
p-values mean the whole call: checking the scores, drawing, testing, building the labelled result.

On a machine that does other work, ``--busy`` counts processor time on one core. The loops over pairs use one core in
any case, so against them that understates what two cores give.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running.draws import bootstrap_counts, bootstrap_indices
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import limit_threads
from metaeval.table.scores import as_scores
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.counting import count_beside_zero

N_SYSTEMS, N_TOPICS = 129, 50
LOOP_PAIRS, SCIPY_PAIRS = 200, 20
Rows = list[tuple[str, float, str]]
clock: Callable[[], float] = time.perf_counter


def shortest(tasks: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the shortest time of every task, run in turn after one round that is not counted."""
    times = {name: float("inf") for name in tasks}
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            start = clock()
            task()
            if turn:
                times[name] = min(times[name], clock() - start)
    return times


def loop_over_pairs(differences: NDArray[np.float64], indices: NDArray[np.int64]) -> list[float]:
    """Return studentised bootstrap p-values by a loop over pairs, each vectorised in NumPy."""
    n_topics = differences.shape[1]
    p_values = []
    for z in differences:
        resampled = (z - z.mean())[indices]
        t = resampled.mean(axis=1) / (resampled.std(axis=1, ddof=1) / np.sqrt(n_topics))
        observed = z.mean() / (z.std(ddof=1) / np.sqrt(n_topics))
        p_values.append((np.abs(t) >= abs(observed)).mean())
    return p_values


def scipy_over_pairs(differences: NDArray[np.float64], n_resamples: int) -> list[float]:
    """Return the same by `scipy.stats.bootstrap`, one call a pair."""

    def studentised(sample: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return sample.mean(axis=axis) / (sample.std(axis=axis, ddof=1) / np.sqrt(sample.shape[axis]))

    p_values = []
    for z in differences:
        found = stats.bootstrap(
            (z - z.mean(),), studentised, n_resamples=n_resamples, method="percentile", rng=1, vectorized=True
        )
        p_values.append((np.abs(found.bootstrap_distribution) >= abs(studentised(z, 0))).mean())
    return p_values


def studentised(values: NDArray[np.float64], n_resamples: int, repeats: int) -> Rows:
    """Time the studentised bootstrap over all pairs against its bare product and against loops."""
    scores = as_scores(values)
    first, second = np.triu_indices(len(values), 1)
    differences = values[first] - values[second]
    indices = bootstrap_indices(np.random.default_rng(0), n_resamples, values.shape[1])
    counts = bootstrap_counts(indices, values.shape[1])
    some = np.random.default_rng(1).permutation(len(first))
    ours = f"p-values and decisions, B = {n_resamples}"
    tasks: dict[str, Callable[[], object]] = {
        "bare": lambda: counts @ differences.T,
        "plain": lambda: bootstrap_test(scores, correction="none", n_resamples=n_resamples, rng=0),
        "by": lambda: bootstrap_test(scores, correction="fdr_by", n_resamples=n_resamples, rng=0, p_value_rule="plain"),
        "required": lambda: bootstrap_sensitivity(scores, n_resamples=n_resamples, rng=0),
    }
    times = shortest(tasks, repeats)
    loops = shortest(
        {
            "numpy": lambda: loop_over_pairs(differences[some[:LOOP_PAIRS]], indices),
            "scipy": lambda: scipy_over_pairs(differences[some[:SCIPY_PAIRS]], n_resamples),
        },
        2,
    )
    loops["numpy"] *= len(first) / LOOP_PAIRS
    loops["scipy"] *= len(first) / SCIPY_PAIRS
    bare, plain = times["bare"], times["plain"]
    return [
        (f"bare product counts x differences, B = {n_resamples}", bare, ""),
        (ours, plain, f"{plain / bare:.2f} x bare (target <= 2)"),
        ("  the same with Benjamini-Yekutieli", times["by"], f"{times['by'] / bare:.2f} x bare"),
        ("  with the difference required", times["required"], f"{times['required'] / plain:.2f} x without"),
        ("  NumPy loop over pairs (scaled up)", loops["numpy"], f"{loops['numpy'] / plain:.0f} x ours (target >= 100)"),
        ("  scipy.stats.bootstrap (scaled up)", loops["scipy"], f"{loops['scipy'] / plain:.0f} x ours (target >= 300)"),
    ]


def percentile(values: NDArray[np.float64], n_resamples: int, repeats: int) -> Rows:
    """Time the percentile bootstrap against the bare product of counts and system scores."""
    scores = as_scores(values)
    first, second = np.triu_indices(len(values), 1)
    draws = bootstrap_counts(bootstrap_indices(np.random.default_rng(0), n_resamples, values.shape[1]), values.shape[1])
    counts = np.ascontiguousarray(draws.T)

    def counted(sums: NDArray[np.float64]) -> NDArray[np.int64]:
        return count_beside_zero(sums, sums, RELATIVE, first, second)

    times = shortest(
        {
            "bare": lambda: draws @ values.T,
            "counting": lambda: counted(values @ counts),
            "whole": lambda: bootstrap_test(
                scores, method="percentile", correction="none", n_resamples=n_resamples, rng=0
            ),
        },
        4 * repeats,
    )
    bare = times["bare"]
    return [
        (f"bare product counts x scores, B = {n_resamples}", bare, ""),
        ("  percentile: product and counting", times["counting"], f"{times['counting'] / bare:.1f} x bare"),
        ("  percentile: the whole call", times["whole"], f"{times['whole'] / bare:.1f} x bare (target <= 10)"),
    ]


def intervals(values: NDArray[np.float64]) -> Rows:
    """Time intervals for discriminative power, 200 topic resamples, of the t test and of the bootstrap."""
    scores = as_scores(values)
    times = shortest(
        {
            test: lambda test=test: discriminative_power_interval(scores, test=test, corrections=("none",), rng=0)
            for test in ("t", "bootstrap_sensitivity")
        },
        4,
    )
    slow, fast = times["bootstrap_sensitivity"], times["t"]
    return [
        ("interval for power, t test", fast, ""),
        ("  studentised bootstrap", slow, f"{slow / fast:.0f} x the t test (target <= 20)"),
    ]


def memory(values: NDArray[np.float64]) -> Rows:
    """Measure the peak beyond the input at B = 10 000, as Python's allocator sees it."""
    scores = as_scores(values)
    calls: dict[str, Callable[[], object]] = {
        "p-values": lambda: bootstrap_test(scores, correction="none", n_resamples=10_000, rng=0),
        "difference required": lambda: bootstrap_sensitivity(scores, n_resamples=10_000, rng=0),
    }
    rows: Rows = []
    for name, call in calls.items():
        call()
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        rows.append((f"peak memory, B = 10000, {name}", float("nan"), f"{peak:.0f} MiB (target < 100)"))
    return rows


def large() -> Rows:
    """Time 200 systems x 6980 topics, B = 1000."""
    scores = as_scores(np.random.default_rng(0).beta(1, 3, (200, 6980)))
    start = clock()
    bootstrap_test(scores, correction="none", rng=0)
    plain = clock() - start
    start = clock()
    bootstrap_sensitivity(scores, rng=0)
    required = clock() - start
    return [
        ("200 systems x 6980 topics, B = 1000", plain, "target <= 10 s"),
        ("  with the difference required", required, f"{required / plain:.2f} x without"),
    ]


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--skip-large", action="store_true", help="leave out 6980 topics (about 20 s)")
    parser.add_argument("--busy", action="store_true", help="processor time on one core instead of the wall clock")
    arguments = parser.parse_args()
    if arguments.busy:
        global clock  # noqa: PLW0603 - one switch for a script
        clock = time.process_time
    with limit_threads(1 if arguments.busy else None):
        report(arguments.repeats, skip_large=arguments.skip_large)


def report(repeats: int, *, skip_large: bool) -> None:
    """Measure everything and print it."""
    values = np.round(np.random.default_rng(0).beta(1, 3, (N_SYSTEMS, N_TOPICS)), 4)
    values += np.linspace(0, 0.3, N_SYSTEMS)[:, None]
    rows = studentised(values, 1000, repeats)
    rows += studentised(values, 10_000, max(2, repeats // 3))
    rows += percentile(values, 1000, repeats) + percentile(values, 10_000, repeats)
    rows += intervals(values) + memory(values)
    if not skip_large:
        rows += large()
    for name, seconds, note in rows:
        shown = "" if np.isnan(seconds) else f"{seconds:.4f} s"
        print(f"{name:52}{shown:>12}  {note}")


if __name__ == "__main__":
    main()
