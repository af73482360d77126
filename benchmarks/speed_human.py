"""Speed of comparing metrics with human scores, beside SciPy called resample by resample.

    python benchmarks/speed_human.py

Made data of the size of WMT's segment level: 14 systems, 785 segments in 40 documents, 5 metrics. The whole study is
timed, and its bootstrap of one correlation over systems beside a loop over resamples that draws whole documents and
calls SciPy. Ratios are of one run.
"""

import time

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import item_scores
from metaeval.studies.human import study_human

SYSTEMS, SEGMENTS, DOCUMENTS, METRICS = 14, 785, 40, 5
RESAMPLES = 1000


def made() -> pd.DataFrame:
    """Make the table, human scores and metrics of differing closeness."""
    rng = np.random.default_rng(0)
    human = np.linspace(0, 1, SYSTEMS)[:, None] + rng.normal(0, 1, (SYSTEMS, SEGMENTS))
    columns = {f"metric{m}": (human + rng.normal(0, m + 0.5, human.shape)).ravel() for m in range(METRICS)}
    names = {
        "system": np.repeat([f"s{s}" for s in range(SYSTEMS)], SEGMENTS),
        "segment": np.tile(np.arange(SEGMENTS).astype(str), SYSTEMS),
        "document": np.tile([f"d{s % DOCUMENTS}" for s in range(SEGMENTS)], SYSTEMS),
    }
    return pd.DataFrame(names | {"human": human.ravel()} | columns)


def by_scipy(frame: pd.DataFrame, resamples: int) -> float:
    """Time the bootstrap of Kendall's tau over systems for one metric, documents drawn one resample at a time."""
    rng = np.random.default_rng(0)
    wide = {name: frame.pivot_table(index="system", columns="segment", values=name) for name in ("human", "metric0")}
    document = frame.drop_duplicates("segment").set_index("segment")["document"].loc[wide["human"].columns].to_numpy()
    members = [np.flatnonzero(document == f"d{d}") for d in range(DOCUMENTS)]
    human, metric = (wide[name].to_numpy() for name in ("human", "metric0"))
    start = time.perf_counter()
    for _ in range(resamples):
        items = np.concatenate([members[d] for d in rng.integers(0, DOCUMENTS, DOCUMENTS)])
        kendalltau(human[:, items].mean(axis=1), metric[:, items].mean(axis=1))
    return (time.perf_counter() - start) / resamples


def main() -> None:
    """Print the figures."""
    frame = made()
    scores = item_scores(frame, reference="human", item="segment", cluster="document")
    one = scores.sel(metric=["human", "metric0"])
    human_agreement(one, statistic="kendall", n_resamples=2, rng=0)  # compiles
    start = time.perf_counter()
    human_agreement(one, statistic="kendall", n_resamples=RESAMPLES, rng=0)
    ours = (time.perf_counter() - start) / RESAMPLES
    print(f"bootstrap of tau over systems, per resample: {by_scipy(frame, 100) / ours:.0f} x faster than a SciPy loop")
    start = time.perf_counter()
    study_human(scores, rng=0)
    print(f"whole study, {SYSTEMS} x {SEGMENTS} x {METRICS}, clusters, B = 1000: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
