"""How long the swap method takes: 78 systems, 107 topics, sizes 5 to 50, 50 trials, 5 tolerances, 5 metrics.

Run: python benchmarks/speed_swap.py [--threads 2]
"""

import argparse
import platform
import resource
import time
from itertools import combinations

import numpy as np

from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_sets import draw_topic_sets

SIZES = range(5, 51)
BOOTSTRAP_SIZES = (5, 7, 10, 14, 19, 26, 37, 50)


def simulated_scores(seed: int) -> np.ndarray:
    """Scores with system, topic and residual effects of a usual size."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(0, 0.08, (5, 78, 1)) + rng.normal(0, 0.15, (5, 1, 107)) + rng.normal(0, 0.12, (5, 78, 107))
    return np.clip(0.3 + effects, 0, 1)


def literal_seconds(scores: np.ndarray) -> float:
    """Time a plain loop over the pairs of one metric, tolerance, size and trial."""
    first, second = draw_topic_sets(np.random.default_rng(0), 107, 25, 1, "disjoint")[0]
    start = time.perf_counter()
    swaps = 0
    for a, b in combinations(scores[0], 2):
        swaps += (a[first].mean() - b[first].mean()) * (a[second].mean() - b[second].mean()) < 0
    return time.perf_counter() - start


def main() -> None:
    """Print seconds and memory, with the machine they were taken on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    threads = parser.parse_args().threads
    scores = simulated_scores(0)
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, {threads} threads")
    for name in ("first call (compiles, or loads what was compiled before)", "second call"):
        start = time.perf_counter()
        swap_method(scores, sizes=SIZES, rng=0, n_threads=threads)
        print(f"swap method, {name}: {time.perf_counter() - start:.2f} s")
    start = time.perf_counter()
    topic_bootstrap(scores, sizes=BOOTSTRAP_SIZES, n_topic_resamples=200, rng=0, n_threads=threads)
    print(f"topic bootstrap, 200 replicates at 8 sizes: {time.perf_counter() - start:.2f} s")
    cells = 5 * 5 * len(SIZES) * 50
    print(f"plain loop over pairs, one cell times {cells}: {literal_seconds(scores) * cells:.0f} s (extrapolated)")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
