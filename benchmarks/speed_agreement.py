"""Agreement of many metrics: every pair of systems tested under each, and the matrices made.

Run ``python benchmarks/speed_agreement.py [--repeats 3]``. Simulated scores of 30 metrics x 143 systems x 30 topics
(10 153 pairs), percentile bootstrap with B = 10 000, Benjamini and Yekutieli; then the intervals over 200 draws of
topics, and five thousand rankings against a reference. The shortest of several runs counts; the peer, SciPy's Kendall
tau, is timed on some rankings and scaled up.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.overlap import rank_biased_overlap
from metaeval.agreement.rankings import kendall_tau, spearman, tau_ap
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.table.scores import as_scores

N_METRICS, N_SYSTEMS, N_TOPICS = 30, 143, 30


def shortest(task: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of a task after one round that is not counted."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    rng = np.random.default_rng(0)
    quality = rng.normal(0, 0.1, N_SYSTEMS)[:, None] + rng.normal(0, 0.15, (N_SYSTEMS, N_TOPICS))
    scores = as_scores(quality + rng.normal(0, 0.08, (N_METRICS, N_SYSTEMS, N_TOPICS)))
    agreement = decision_agreement(scores, test="bootstrap_percentile", n_resamples=10_000, rng=0)
    tasks: dict[str, Callable[[], object]] = {
        "percentile bootstrap, B = 10 000, matrices": lambda: decision_agreement(
            scores, test="bootstrap_percentile", n_resamples=10_000, rng=0
        ),
        "studentised bootstrap, B = 10 000, matrices": lambda: decision_agreement(
            scores, test="bootstrap", n_resamples=10_000, rng=0
        ),
        "intervals, 200 draws of topics, closed form": lambda: agreement_intervals(scores, agreement=agreement, rng=0),
        "thresholds for all 870 ordered pairs of metrics": agreement.thresholds,
        "every pair of metrics as rows": agreement.to_frame,
    }
    print(f"{N_METRICS} metrics x {N_SYSTEMS} systems x {N_TOPICS} topics (target: matrices within 30 s on two cores)")
    for name, task in tasks.items():
        print(f"  {name}: {shortest(task, repeats):.2f} s")
    reference, rankings = rng.random(N_SYSTEMS), rng.random((5, 100, 12, N_SYSTEMS))
    print("5 levels x 100 replicates x 12 metrics, 143 systems, against one reference")
    for function in (kendall_tau, tau_ap, spearman, rank_biased_overlap):
        print(f"  {function.__name__}: {shortest(lambda f=function: f(reference, rankings), repeats):.2f} s")
    some = rankings.reshape(-1, N_SYSTEMS)[:200]
    peer = shortest(lambda: [stats.kendalltau(reference, one) for one in some], 1) * 6000 / len(some)
    print(f"  scipy.stats.kendalltau, one call a ranking (scaled up): {peer:.2f} s")


if __name__ == "__main__":
    main()
