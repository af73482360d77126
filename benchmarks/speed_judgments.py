"""Rankings under fewer judgments: this package against pytrec_eval, in one process, and one worker against two.

Usage: python benchmarks/speed_judgments.py [--folder FOLDER] [--replicates 100] [--workers 1,2] [--peer-runs 3]

Stratified reduction at 5 levels, 12 measures, tau and tau_AP of every ranking with the full one. FOLDER holds what
make_large_collection.py made (110 runs x 250 topics x 1000 documents); a smaller collection is made without it.

The peer does what one would do without this package: for every level a reduced qrels, every run evaluated under it by
pytrec_eval (one call for all twelve measures), and means; the correlations are not even counted. It is timed on a few
runs at every level of one replicate and scaled to all runs and replicates; that is said in the output. Its dictionaries
of runs are built beforehand and not counted, nor is our reading.
"""

import argparse
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from metaeval.collection.documents import UNJUDGED, Collection, CollectionWarning
from metaeval.io.trec import read_collection
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.stability_result import Stability
from metaeval.simulate.collection import simulate_collection

MEASURES = {
    "AP": "map",
    "AP@100": "map_cut_100",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@100": "ndcg_cut_100",
    "P@10": "P_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
    "Success@10": "success_10",
}
LEVELS = (10.0, 30.0, 50.0, 70.0, 90.0)


def load(folder: str | None) -> Collection:
    """Read the large collection, or make a small one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        if folder is None:
            return simulate_collection(
                n_groups=10, runs_per_group=3, n_topics=60, n_documents=2000, depth=500, pool_depth=30, rng=0
            ).to_collection()
        return read_collection([str(Path(folder) / "runs")], Path(folder) / "qrels.txt")


def peer_run(collection: Collection, system: int) -> dict[str, dict[str, float]]:
    """Write one run as the dictionaries that pytrec_eval takes; unjudged documents get names of their own."""
    run = {}
    for column, topic in enumerate(collection.topics):
        number = system * collection.n_topics + column
        part = slice(collection.offsets[number], collection.offsets[number + 1])
        length = int(collection.n_retrieved[system, column])
        names = [f"u{rank}" for rank in range(1, length + 1)]
        for rank, place in zip(collection.ranks[part].tolist(), collection.judgments[part].tolist(), strict=True):
            names[rank - 1] = f"j{place}"
        run[topic] = {name: float(length - place) for place, name in enumerate(names)}
    return run


def peer_seconds(collection: Collection, n_runs: int) -> tuple[float, float]:
    """Time one replicate of the peer on a few runs; return seconds for all runs: by the clock, of processor time."""
    import pytrec_eval

    runs = [peer_run(collection, system) for system in range(n_runs)]
    generator = np.random.default_rng(0)
    clocks = (time.perf_counter, time.process_time)
    begun = np.array([clock() for clock in clocks])
    reduced = reduce_judgments(collection, reduction="stratified", steps=LEVELS, rng=generator)
    seconds = np.array([clock() for clock in clocks]) - begun
    for levels in reduced.levels:
        begun = np.array([clock() for clock in clocks])
        qrels = {
            topic: {
                f"j{place}": int(levels[place])
                for place in range(collection.topic_offsets[column], collection.topic_offsets[column + 1])
                if levels[place] != UNJUDGED
            }
            for column, topic in enumerate(collection.topics)
        }
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()))
        written = np.array([clock() for clock in clocks])
        for run in runs:
            found = evaluator.evaluate(run)
            [float(np.mean([topic[name] for topic in found.values()])) for name in MEASURES.values()]
        scored = np.array([clock() for clock in clocks]) - written
        seconds += written - begun + scored * collection.n_systems / n_runs
    return float(seconds[0]), float(seconds[1])


def check(collection: Collection, study: Stability, n_runs: int) -> float:
    """Return the largest difference between our full means and pytrec_eval's on a few runs."""
    import pytrec_eval

    qrels = {
        topic: {
            f"j{place}": int(collection.levels[place])
            for place in range(collection.topic_offsets[column], collection.topic_offsets[column + 1])
        }
        for column, topic in enumerate(collection.topics)
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()))
    counted = [name for name, n in zip(collection.topics, collection.n_relevant, strict=True) if n]
    worst = 0.0
    for system in range(n_runs):
        found = evaluator.evaluate(peer_run(collection, system))
        theirs = [np.mean([found[topic][name] for topic in counted]) for name in MEASURES.values()]
        worst = max(worst, float(np.abs(study.data["reference"][:, system].to_numpy() - theirs).max()))
    return worst


def main() -> None:
    """Time both and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder")
    parser.add_argument("--replicates", type=int, default=100)
    parser.add_argument("--tested", type=int, default=0, help="replicates in which every pair is tested, too")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--peer-runs", type=int, default=3)
    options = parser.parse_args()
    begun = time.perf_counter()
    collection = load(options.folder)
    shape = f"{collection.n_systems} runs x {collection.n_topics} topics"
    judged = f"{len(collection.ranks) / 1e6:.1f} million judged documents in lists"
    print(f"{shape}, {judged} ({time.perf_counter() - begun:.0f} s to read)")
    measure_stability(
        collection, list(MEASURES), steps=[50], n_replicates=1, n_tested=options.tested, rng=0
    )  # compiles
    studies, seconds, used = [], {}, {}
    for workers in map(int, options.workers.split(",")):
        begun, busy = time.perf_counter(), time.process_time()
        studies.append(
            measure_stability(
                collection,
                list(MEASURES),
                steps=LEVELS,
                n_replicates=options.replicates,
                n_tested=options.tested,
                rng=0,
                n_jobs=workers,
            )
        )
        seconds[workers] = time.perf_counter() - begun
        used[workers] = time.process_time() - busy
        print(
            f"{workers} worker(s): {options.replicates} replicates x {len(LEVELS)} levels in {seconds[workers]:.1f} s "
            f"({used[workers]:.1f} s of processor time in this process)"
        )
    for other in studies[1:]:
        assert studies[0].data.identical(other.data), "the number of workers changed the result"
    first, *_, last = seconds.values() if len(seconds) > 1 else [1.0, 1.0]
    print(f"same bits for {options.workers} workers; speed-up {first / last:.2f}")
    print(f"largest difference of a full mean from pytrec_eval: {check(collection, studies[0], 1):.1e}")
    wall, processor = (
        options.replicates * one for one in peer_seconds(collection, min(options.peer_runs, collection.n_systems))
    )
    print(
        f"pytrec_eval, {options.peer_runs} runs timed at every level of a replicate, scaled to all: {wall:.0f} s, "
        f"{processor:.0f} s of processor time"
    )
    for workers, own in seconds.items():
        print(f"{workers} worker(s): {wall / own:.0f} times faster by the clock")
    if 1 in used:
        print(f"1 worker: {processor / used[1]:.0f} times less processor time")
    unit = 1024 if sys.platform == "linux" else 1024 * 1024
    peaks = [resource.getrusage(who).ru_maxrss / unit for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(
        f"peak memory: {peaks[0]:.0f} MiB here (the peer's dictionaries too), {peaks[1]:.0f} MiB in a worker that ended"
    )


if __name__ == "__main__":
    main()
