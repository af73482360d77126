"""Speed of the study behind `metaeval judges` with runs.

    python benchmarks/speed_judges.py

Made data of the size of DL19: 61 runs, 43 topics of 200 judged documents, a reference and 11 judges who each relabel a
share, groups, 4 metrics, B = 1000. The whole study is timed by the clock and in processor time, and beside it the
labels alone.
"""

import time

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels, as_labels
from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import Collection
from metaeval.questions.judges.study import study_judges

RUNS, TOPICS, ITEMS, JUDGES = 61, 43, 200, 11
METRICS = ("nDCG@10", "AP", "RR", "P@10")


def made() -> tuple[Labels, Collection]:
    """Make labels of a reference and of judges who draw more and more of them anew, and runs of differing quality."""
    rng = np.random.default_rng(0)
    levels = rng.choice(4, (TOPICS, ITEMS), p=[0.55, 0.2, 0.15, 0.1])
    names = [f"d{item}" for item in range(ITEMS)]
    index = pd.MultiIndex.from_product([map(str, range(TOPICS)), names], names=["topic", "item"])
    columns = {"reference": levels.ravel()}
    for judge in range(JUDGES):
        drawn = rng.random(levels.shape) < 0.05 + 0.07 * judge
        columns[f"judge{judge}"] = np.where(drawn, rng.permuted(levels, axis=1), levels).ravel()
    runs = {}
    for run in range(RUNS):
        order = np.argsort(-(levels * (0.3 + run / RUNS) + rng.normal(0, 1.2, levels.shape)), axis=1)[:, :100]
        runs[f"run{run}"] = {str(topic): [names[item] for item in row] for topic, row in enumerate(order)}
    labels = as_labels(pd.DataFrame(columns, index=index, dtype=float))
    highest = labels.table.max(axis=1).astype(int)
    return labels, collection_from_rankings(runs, {topic: highest.xs(topic).to_dict() for topic in labels.topics})


def main() -> None:
    """Print the figures."""
    labels, collection = made()
    groups = {name: "first" if place % 3 else "others" for place, name in enumerate(collection.systems)}
    asked = {"collection": collection, "metrics": METRICS, "groups": groups}
    small = collection_from_rankings(
        {"a": {"0": ["d0"], "1": ["d0"]}, "b": {"0": ["d1"], "1": ["d1"]}, "c": {"0": ["d2"], "1": ["d2"]}},
        {topic: {"d0": 1, "d1": 0, "d2": 1} for topic in "01"},
    )
    tiny = as_labels({name: {t: {"d0": 1, "d1": 0, "d2": 1} for t in "01"} for name in ("reference", "judge")})
    study_judges(tiny, collection=small, reference="reference", metrics=METRICS, n_resamples=2, rng=0)  # compiles
    for what, options in (
        (f"{RUNS} runs x {TOPICS} topics x {JUDGES + 1} judges x {len(METRICS)} metrics", asked),
        (f"labels alone, {labels.table.shape[0]} items x {JUDGES + 1} judges", {}),
    ):
        clock, processor = time.perf_counter(), time.process_time()
        study_judges(labels, reference="reference", n_resamples=1000, rng=0, **options)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        print(f"{what}, B = 1000: {clock:.1f} s, {processor:.1f} s of processor time")


if __name__ == "__main__":
    main()
