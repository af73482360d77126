"""All-pairs tests other than the bootstrap: this package against bare matrix products and against loops over pairs.

Run ``python benchmarks/speed_tests.py [--repeats 15]``. Simulated scores of 129 systems x 50 topics (8256 pairs), one
metric; every figure is the shortest of several runs, ours and the peers' in turn, so that a busy moment hits both.
SciPy is called once a pair on some pairs and scaled up to 8256. A whole call checks the scores, tests, corrects and
builds the labelled result; corrections cost extra and have lines of their own.
"""

import argparse
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from metaeval.running.parallel import limit_threads
from metaeval.table.scores import as_scores
from metaeval.tests_stat.max_t import max_t_test
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.permutations import permuted_scores
from metaeval.tests_stat.randomisation import block_rows, count_flips, random_signs, randomisation_test
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sign import sign_test
from metaeval.tests_stat.tukey import range_of_permuted_sums, studentised_range_tail, tukey_hsd_test
from metaeval.tests_stat.wilcoxon import wilcoxon_test

N_SYSTEMS, N_TOPICS = 129, 50
N_PAIRS = N_SYSTEMS * (N_SYSTEMS - 1) // 2
Rows = list[tuple[str, float, str]]


def shortest(
    tasks: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return the shortest time of every task, run in turn after one round that is not counted."""
    times = {name: float("inf") for name in tasks}
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            start = clock()
            task()
            if turn:
                times[name] = min(times[name], clock() - start)
    return times


def neighbours(values: NDArray[np.float64], n_pairs: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return some pairs of systems for the peers."""
    return list(pairwise(values[: n_pairs + 1]))


def by_distribution(values: NDArray[np.float64], repeats: int) -> Rows:
    """Time paired t, Wilcoxon and sign, whole calls, beside SciPy pair by pair."""
    scores = as_scores(values)
    some = neighbours(values, 60)

    def binomial(a: NDArray[np.float64], b: NDArray[np.float64]) -> object:
        return stats.binomtest(int((a > b).sum()), int((a != b).sum()))

    tests: dict[str, tuple[Callable[..., PairwiseResult], Callable[..., object]]] = {
        "paired t": (paired_t_test, stats.ttest_rel),
        "Wilcoxon": (wilcoxon_test, stats.wilcoxon),
        "sign": (sign_test, binomial),
    }
    rows: Rows = []
    for name, (ours, peer) in tests.items():
        times = shortest(
            {
                "ours": lambda ours=ours: ours(scores, correction="none"),
                "by": lambda ours=ours: ours(scores, correction="fdr_by"),
            },
            repeats,
        )
        loop = shortest({"peer": lambda peer=peer: [peer(a, b) for a, b in some]}, 2)["peer"] * N_PAIRS / len(some)
        rows += [
            (f"{name}, {N_PAIRS} pairs", times["ours"], "target <= 0.050 s"),
            ("  with Benjamini-Yekutieli", times["by"], ""),
            ("  SciPy pair by pair (scaled up)", loop, f"{loop / times['ours']:.0f} x ours"),
        ]
    return rows


def randomisation(values: NDArray[np.float64], n_resamples: int, repeats: int) -> Rows:
    """Time the randomisation test against the bare product of signs and system scores."""
    scores = as_scores(values)
    questions = {side: ask(scores, alternative=side) for side in ("two-sided", "better")}
    signs = next(random_signs(np.random.default_rng(0), n_resamples, N_TOPICS, rows=n_resamples))

    def counted(side: str) -> object:
        with limit_threads(None):
            rows = block_rows(questions[side])
            blocks = random_signs(np.random.default_rng(0), n_resamples, N_TOPICS, rows=rows)
            return count_flips(questions[side], blocks)

    times = shortest(
        {
            "bare": lambda: signs @ values.T,
            "two-sided": lambda: counted("two-sided"),
            "better": lambda: counted("better"),
            "whole": lambda: randomisation_test(scores, correction="none", n_resamples=n_resamples, rng=0),
        },
        4 * repeats,
    )
    some = neighbours(values, 4)

    def mean(sample: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return sample.mean(axis=axis)

    def scipy_loop() -> None:
        for a, b in some:
            stats.permutation_test(
                (a - b,), mean, permutation_type="samples", n_resamples=n_resamples, vectorized=True, rng=0
            )

    loop = shortest({"peer": scipy_loop}, 2)["peer"] * N_PAIRS / len(some)
    bare = times["bare"]
    return [
        (f"bare product signs x scores, B = {n_resamples}", bare, ""),
        ("  signs, product and counting", times["two-sided"], f"{times['two-sided'] / bare:.1f} x bare (target <= 10)"),
        ("  the same for both tails", times["better"], f"{times['better'] / bare:.1f} x bare (target <= 10)"),
        ("  randomisation test, the whole call", times["whole"], f"{times['whole'] / bare:.1f} x bare"),
        ("  scipy.stats.permutation_test (scaled up)", loop, f"{loop / times['whole']:.0f} x ours"),
    ]


def tukey(values: NDArray[np.float64], n_resamples: int, repeats: int) -> Rows:
    """Time the randomised Tukey test by permutation, topic and system, beside NumPy; and the studentised range."""
    scores = as_scores(values)
    columns = np.ascontiguousarray(values.T)
    cells = n_resamples * N_TOPICS * N_SYSTEMS
    few = n_resamples // 50
    q = np.linspace(0, 10, N_PAIRS)
    freedom = (N_SYSTEMS - 1) * (N_TOPICS - 1)

    def numpy_loop() -> None:
        rng = np.random.default_rng(0)
        for _ in range(few):
            sums = rng.permuted(columns, axis=1).sum(axis=0)
            sums.max() - sums.min()

    times = shortest(
        {
            "kernel": lambda: range_of_permuted_sums(n_resamples, columns, np.uint64(1), 0, np.empty(n_resamples)),
            "whole": lambda: tukey_hsd_test(scores, n_resamples=n_resamples, rng=0),
            "numpy": numpy_loop,
            "parametric": lambda: tukey_hsd_test(scores, method="parametric"),
            "tail": lambda: studentised_range_tail(q, n_means=N_SYSTEMS, freedom=freedom),
            "scipy": lambda: stats.studentized_range.sf(q[N_PAIRS // 3], N_SYSTEMS, freedom),
        },
        repeats,
    )
    loop, scipy_tail = times["numpy"] * n_resamples / few, times["scipy"] * N_PAIRS
    return [
        (
            f"randomised Tukey, B = {n_resamples}, permuting",
            times["kernel"],
            f"{1e9 * times['kernel'] / cells:.2f} ns per permutation x topic x system (target <= 2)",
        ),
        ("  the whole call", times["whole"], f"{1e9 * times['whole'] / cells:.2f} ns"),
        ("  NumPy, permutation by permutation (scaled up)", loop, f"{loop / times['whole']:.1f} x ours"),
        ("parametric Tukey, the whole call", times["parametric"], ""),
        (f"  studentised range, {N_PAIRS} values", times["tail"], ""),
        ("  scipy.stats.studentized_range (scaled up)", scipy_tail, f"{scipy_tail / times['tail']:.0f} x ours"),
    ]


def max_t(values: NDArray[np.float64], n_resamples: int, repeats: int) -> Rows:
    """Time randomised max-t beside the products of the permuted scores, and beside NumPy, in processor time.

    The products are of every two systems' scores, one permutation after the other: NumPy gives them to a routine of
    BLAS that makes one half of such a symmetric matrix. Few at a time, they stay in a cache, as ours do.
    """
    scores = as_scores(values)
    centred = np.ascontiguousarray((values - values.mean(axis=0)).T)
    few = 15
    permuted = permuted_scores(centred, np.uint64(1), 0, few)
    first, second = np.triu_indices(N_SYSTEMS, 1)

    memory = np.empty((few, N_SYSTEMS, N_SYSTEMS))

    def products() -> None:
        with limit_threads(1):
            for _ in range(100):
                np.matmul(permuted.transpose(0, 2, 1), permuted, out=memory)

    def numpy_loop() -> None:
        for one in permuted:
            differences = one[:, first] - one[:, second]
            t = np.abs(differences.mean(axis=0) / differences.std(axis=0, ddof=1))
            np.maximum.accumulate(np.sort(t))

    times = shortest(
        {
            "products": products,
            "whole": lambda: max_t_test(scores, n_resamples=n_resamples, rng=0),
            "numpy": numpy_loop,
        },
        repeats,
        time.process_time,
    )
    bare, loop = times["products"] * n_resamples / (100 * few), times["numpy"] * n_resamples / few
    return [
        (f"max-t, B = {n_resamples}, the whole call, processor time", times["whole"], ""),
        ("  bare products (scaled up)", bare, f"ours {times['whole'] / bare:.1f} x bare (target <= 3)"),
        ("  NumPy, permutation by permutation (scaled up)", loop, f"{loop / times['whole']:.0f} x ours"),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    values = np.round(np.random.default_rng(0).beta(1, 3, (N_SYSTEMS, N_TOPICS)), 4)
    values += np.linspace(0, 0.3, N_SYSTEMS)[:, None]
    rows = by_distribution(values, repeats)
    rows += randomisation(values, 1000, repeats) + randomisation(values, 10_000, repeats)
    rows += tukey(values, 10_000, max(3, repeats // 3)) + max_t(values, 10_000, repeats)
    for name, seconds, note in rows:
        print(f"{name:52}{f'{seconds:.4f} s':>12}  {note}")


if __name__ == "__main__":
    main()
