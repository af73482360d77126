"""How long measures of passages take: 79 runs, 107 topics, 1500 passages a list, 5 measures, 100 reduced judgments.

Run: python benchmarks/speed_passages.py [--runs 79] [--replicates 100]
"""

import argparse
import resource
import time

import numpy as np
import pandas as pd

from metaeval import score
from metaeval.collection.documents import UNJUDGED
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.passages import passage_collection
from metaeval.metrics.scoring import metric_values, resolve_metrics

N_TOPICS, DEPTH, N_DOCUMENTS = 107, 1500, 20_000
JUDGED, RELEVANT = 600, 60
METRICS = ["iP@0.01", "AiP", "AgP", "AgP(mode=t2i)", "char_prec"]
LENGTHS = np.array([200, 400, 800, 1500])


def made_assessments(rng: np.random.Generator) -> Assessments:
    """Judge 600 documents a topic; a tenth of them has one to four passages."""
    documents, passages = [], []
    for topic in range(N_TOPICS):
        chosen = rng.choice(N_DOCUMENTS, JUDGED, replace=False)
        for place, document in enumerate(chosen.tolist()):
            row = {"topic": f"T{topic:03}", "document": f"d{document}", "relevant_size": 0, "size": 12_000}
            if place < RELEVANT:
                n_passages = int(rng.integers(1, 5))
                for number in range(n_passages):
                    start = number * 3000 + int(rng.integers(0, 1000))
                    length = int(rng.integers(50, 2000))
                    passages.append(row | {"offset": start, "length": length})
                    row["relevant_size"] += length
            documents.append(row | {"best_entry": -1})
    return Assessments(scale="passages", documents=pd.DataFrame(documents), passages=pd.DataFrame(passages))


def made_run(name: str, assessments: Assessments, rng: np.random.Generator) -> Submission:
    """Return 1500 passages a topic, four to a document, some of them in relevant documents near the top."""
    relevant = assessments.documents[assessments.documents["relevant_size"] > 0].groupby("topic")["document"]
    every = np.array([f"d{number}" for number in range(N_DOCUMENTS)], dtype=object)
    documents = []
    for _, names in relevant:
        good = rng.permutation(names.to_numpy(dtype=object))[: RELEVANT // 2]
        others = np.setdiff1d(rng.permutation(every)[: DEPTH // 4 + len(good)], good)[: DEPTH // 4 - len(good)]
        keys = np.concatenate([rng.random(len(good)) ** 2, rng.random(len(others))])
        documents.append(np.repeat(np.concatenate([good, others])[np.argsort(keys)], 4)[:DEPTH])
    n_results = sum(map(len, documents))
    results = pd.DataFrame(
        {
            "topic": np.repeat([str(topic) for topic, _ in relevant], [len(part) for part in documents]),
            "document": np.concatenate(documents),
            "path": "",
            "end_path": "",
            "offset": np.tile([0, 3000, 6000, 9000], n_results // 4) + rng.integers(0, 1500, n_results),
            "length": rng.choice(LENGTHS, n_results),
            "rank": np.nan,
            "rsv": np.nan,
            "line": np.arange(1, n_results + 1),
        }
    )
    return Submission(run=name, results=results)


def main() -> None:
    """Print seconds and memory, with the machine they were taken on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=79)
    parser.add_argument("--replicates", type=int, default=100)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    assessments = made_assessments(rng)
    runs = [made_run(f"run{number}", assessments, rng) for number in range(options.runs)]
    score(passage_collection(runs[:2], assessments), METRICS)  # compile the kernels

    start = time.perf_counter()
    collection = passage_collection(runs, assessments)
    compiled = time.perf_counter()
    score(collection, METRICS)
    scored = time.perf_counter()
    levels = collection.by_document.full_levels
    metrics = resolve_metrics(METRICS)
    for _ in range(options.replicates):
        reduced = np.where(rng.random(len(levels)) < 0.5, levels, UNJUDGED).astype(np.int16)
        metric_values(collection.rejudge(reduced), metrics)
    done = time.perf_counter()

    rows = int(collection.n_retrieved.sum())
    print(f"{options.runs} runs x {N_TOPICS} topics, {rows:,} results, {len(METRICS)} measures")
    print(f"compiling {compiled - start:.2f} s, scoring {scored - compiled:.2f} s (target 15 s together)")
    print(f"{options.replicates} reduced judgments: {done - scored:.2f} s (target 300 s)")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
