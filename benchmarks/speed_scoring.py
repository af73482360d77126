"""Scoring 110 runs x 250 topics x 1000 documents: this package against pytrec_eval, in one process.

Run ``python benchmarks/speed_scoring.py [--systems 110] [--peer-systems 4]``. Twelve measures that both have are
computed on the same made lists. pytrec_eval is timed on a few runs one by one (its time is proportional to their
number) and the fastest is scaled up; that is said in the output. Its dictionaries are built beforehand and not counted,
nor is our reading: both start from what they hold in memory. Every score of those runs is compared, to 1e-5.
"""

import argparse
import dataclasses
import time
from collections.abc import Callable

import numpy as np

from metaeval.collection.documents import UNJUDGED, Collection
from metaeval.metrics import metric_values, resolve_metrics, score
from metaeval.running.parallel import limit_threads

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
SAKAI = [
    "AP", "AP'", "Q", "Q'", "nDCG(a=2)@1000", "nDCG'(a=2)@1000",
    "nDCG@10", "bpref", "RBP(p=0.8)", "RBP(p=0.95)", "P@10", "RR",
]  # fmt: skip
DEPTH = 1000
JUDGED = 400
SPREAD = 3000


def simulated_collection(n_systems: int, n_topics: int, rng: np.random.Generator) -> Collection:
    """Make lists of 1000 documents with about a third of each topic's 400 judged ones, a fifth of these relevant."""
    levels = rng.choice(np.array([0, 1, 2, 3], dtype=np.int16), p=[0.8, 0.12, 0.05, 0.03], size=n_topics * JUDGED)
    ranks, judgments, lengths = [], [], []
    first = np.arange(n_topics)[:, None] * JUDGED
    for _ in range(n_systems):
        drawn = rng.permuted(np.tile(np.arange(1, SPREAD + 1, dtype=np.int32), (n_topics, 1)), axis=1)[:, :JUDGED]
        order = np.argsort(drawn, axis=1)
        sorted_ranks = np.take_along_axis(drawn, order, axis=1)
        kept = sorted_ranks <= DEPTH
        ranks.append(sorted_ranks[kept])
        judgments.append((order + first)[kept].astype(np.int32))
        lengths.append(kept.sum(axis=1))
    return Collection(
        systems=tuple(f"run{number}" for number in range(n_systems)),
        topics=tuple(str(number) for number in range(1, n_topics + 1)),
        offsets=np.concatenate([[0], np.cumsum(np.concatenate(lengths))]),
        ranks=np.concatenate(ranks),
        judgments=np.concatenate(judgments),
        n_retrieved=np.full((n_systems, n_topics), DEPTH, dtype=np.int32),
        topic_offsets=np.arange(n_topics + 1, dtype=np.int64) * JUDGED,
        levels=levels,
        full_levels=levels,
        document_ids=np.array([f"j{number}" for number in range(len(levels))], dtype=bytes),
        top_level=3,
        tied=np.zeros(n_systems),
    )


def peer_run(collection: Collection, system: int) -> dict[str, dict[str, float]]:
    """Write one run as the dictionaries that pytrec_eval takes."""
    run = {}
    for column, topic in enumerate(collection.topics):
        number = system * collection.n_topics + column
        part = slice(collection.offsets[number], collection.offsets[number + 1])
        names = [f"u{rank}" for rank in range(1, DEPTH + 1)]
        for rank, place in zip(collection.ranks[part].tolist(), collection.judgments[part].tolist(), strict=True):
            names[rank - 1] = f"j{place}"
        run[topic] = {name: float(DEPTH - place) for place, name in enumerate(names)}
    return run


def best_time(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several timings, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Time both and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--systems", type=int, default=110)
    parser.add_argument("--topics", type=int, default=250)
    parser.add_argument("--peer-systems", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    import pytrec_eval

    rng = np.random.default_rng(0)
    collection = simulated_collection(options.systems, options.topics, rng)
    lines = int(collection.n_retrieved.sum())
    print(f"{options.systems} runs x {options.topics} topics x {DEPTH} documents = {lines / 1e6:.1f} million lines")
    print(f"compiled: {len(collection.ranks) / 1e6:.2f} million judged documents")

    qrels = {
        topic: {f"j{place}": int(collection.levels[place]) for place in range(column * JUDGED, (column + 1) * JUDGED)}
        for column, topic in enumerate(collection.topics)
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()))
    runs = [peer_run(collection, system) for system in range(min(options.peer_systems, options.systems))]
    results = [evaluator.evaluate(run) for run in runs]
    measured = min(best_time(lambda run=run: evaluator.evaluate(run), 2) for run in runs)
    peer = measured * options.systems
    print(f"pytrec_eval, {len(MEASURES)} measures: {measured * 1e3:.1f} ms for one run; scaled to all: {peer:.1f} s")

    metrics = resolve_metrics(list(MEASURES))
    values = metric_values(collection, metrics)
    worst = max(
        abs(values[row, system, column] - result[topic][theirs])
        for row, theirs in enumerate(MEASURES.values())
        for system, result in enumerate(results)
        for column, topic in enumerate(collection.topics)
    )
    print(f"largest difference of a score: {worst:.1e}")
    assert worst < 1e-5

    dropped = np.where(rng.random(len(collection.levels)) < 0.5, UNJUDGED, collection.levels).astype(np.int16)
    other = resolve_metrics(SAKAI)
    tasks = {
        "scoring the same 12 measures": lambda: metric_values(collection, metrics),
        "re-judging and scoring them": lambda: metric_values(collection.rejudge(dropped), metrics),
        "scoring to labelled Scores": lambda: score(collection, metrics),
        "scoring Sakai and Kando's measures": lambda: metric_values(collection, other),
    }
    for n_threads in sorted({1, options.threads}):
        with limit_threads(n_threads):
            for name, task in tasks.items():
                task()
                ours = best_time(task, 15)
                print(f"{n_threads} core(s), {name}: {ours * 1e3:.1f} ms, {peer / ours:.0f} times faster")
    print(f"collection {dataclasses.asdict(collection)['ranks'].nbytes * 2 / 2**20:.0f} MiB of ranks and judgments")


if __name__ == "__main__":
    main()
