"""Two single-threaded workers against one, for tests on halves of the topics.

Usage: python benchmarks/speed_workers.py [--seconds 25] [--workers 2]

Each piece of work is first made long enough for one process on one core (some 25 seconds), then done by one and by so
many workers of one thread each, in turns. Workers are started for each turn, and their start counts. The answers must
be the same bits. Processor time is that of this process and of its workers: what it grows by is what sharing costs,
also on a machine that is busy, where the ratio by the clock means nothing.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from joblib.externals.loky import get_reusable_executor

from metaeval.resampling.split_halves import split_half
from metaeval.running.parallel import limit_threads
from metaeval.running.workers import working
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import Scores

TARGET = 1.8
TURNS = 2


def halves(scores: Scores, number: int) -> np.ndarray:
    """Test on so many halves of the topics, as Ogilvie and Lalmas did."""
    return split_half(scores, n_splits=number, n_resamples=2000, rng=0).counts.to_array().to_numpy()


WORK = {"halves of the topics, four tests": halves}


def timed(
    work: Callable[[Scores, int], np.ndarray], scores: Scores, number: int, workers: int
) -> tuple[np.ndarray, ...]:
    """Return the answer, and seconds by the clock and of processor time, workers and their start included."""
    before, begun = _processor(), time.perf_counter()
    with working(workers, n_threads=workers), limit_threads(1):
        answer = work(scores, number)
    seconds = time.perf_counter() - begun
    if workers > 1:
        get_reusable_executor().shutdown(wait=True)  # the time of workers is known when they have ended
    return answer, np.array([seconds, _processor() - before])


def _processor() -> float:
    return sum(
        getattr(resource.getrusage(who), name)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        for name in ("ru_utime", "ru_stime")
    )


def main() -> None:
    """Time the work and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=25.0, help="of the work for one process")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    scores = simulate_scores(n_systems=60, n_topics=100, metrics=["AP", "nDCG@10", "P@10"], rng=0)
    for name, work in WORK.items():
        timed(work, scores, 2, 1)  # compiles
        few = 4
        number = max(4, round(few * options.seconds / timed(work, scores, few, 1)[1][1]))
        spent: dict[int, list[np.ndarray]] = {1: [], options.workers: []}
        answers = []
        for _ in range(TURNS):
            for workers, those in spent.items():
                answer, seconds = timed(work, scores, number, workers)
                answers.append(answer)
                those.append(seconds)
        assert all(np.array_equal(answers[0], one, equal_nan=True) for one in answers), "workers changed the result"
        (alone, used), (together, used_together) = (np.min(those, axis=0) for those in spent.values())
        print(f"{name}: {number} pieces, same bits")
        print(f"  one process, one thread: {alone:.1f} s by the clock, {used:.1f} s of processor time")
        print(f"  {options.workers} workers of one thread: {together:.1f} s, {used_together:.1f} s of processor time")
        print(f"  by the clock {alone / together:.2f} x (target: {TARGET} x with two, on a quiet machine)")
        print(f"  processor time {used_together / used:.2f} x: alone on {options.workers} cores that allows", end=" ")
        print(f"{options.workers * used / used_together:.2f} x")


if __name__ == "__main__":
    main()
