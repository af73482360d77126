"""Speed of comparing metrics with human scores, beside SciPy called resample by resample.

    python benchmarks/speed_human.py

Made data of the size of WMT's segment level: 14 systems, 785 segments in 40 documents, 5 metrics. The whole study is
timed, and its bootstrap of one correlation over systems beside a loop over resamples that draws whole documents and
calls SciPy; and the published exchange tests of all pairs of 32 metrics beside loops over draws, which are those of the
metrics task's own program (no package of it can be installed). Ratios are of one run.
"""

import time

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, pearsonr

from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import item_scores
from metaeval.agreement.meta_evaluation import meta_metrics
from metaeval.questions.human.study import study_human

SYSTEMS, SEGMENTS, DOCUMENTS, METRICS = 14, 785, 40, 5
RESAMPLES = 1000
CAMPAIGN = 32
"""Metrics of a campaign."""


def made(n_metrics: int = METRICS) -> pd.DataFrame:
    """Make the table, human scores and metrics of differing closeness."""
    rng = np.random.default_rng(0)
    human = np.linspace(0, 1, SYSTEMS)[:, None] + rng.normal(0, 1, (SYSTEMS, SEGMENTS))
    columns = {f"metric{m}": (human + rng.normal(0, m + 0.5, human.shape)).ravel() for m in range(n_metrics)}
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


def exchanged_one_by_one(frame: pd.DataFrame, draws: int) -> dict[str, float]:
    """Time a draw of the exchange test of one pair of metrics: scores for Pearson's r, verdicts for tied accuracy."""
    rng = np.random.default_rng(0)
    human, a, b = (frame[name].to_numpy() for name in ("human", "metric0", "metric1"))
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    start = time.perf_counter()
    for _ in range(draws):
        keep = rng.binomial(1, 0.5, len(a))
        pearsonr(human, keep * a + (1 - keep) * b)[0] - pearsonr(human, (1 - keep) * a + keep * b)[0]
    found = {"pearson:item": (time.perf_counter() - start) / draws}
    first, second = np.triu_indices(SYSTEMS, 1)
    people, *metrics = (np.sign(t[first] - t[second]) for t in (one.reshape(SYSTEMS, -1) for one in (human, a, b)))
    right = [one == people for one in metrics]
    start = time.perf_counter()
    for _ in range(draws):
        keep = rng.binomial(1, 0.5, people.shape).astype(bool)
        np.where(keep, *right).mean(axis=0).mean() - np.where(keep, *right[::-1]).mean(axis=0).mean()
    return found | {"acc_eq": (time.perf_counter() - start) / draws}


def exchanged_at_once(frame: pd.DataFrame) -> dict[str, float]:
    """Time the same by `meta_metrics`, a draw and pair, with everything that it does for each draw."""
    scores = item_scores(frame, reference="human", item="segment", cluster="document")
    found = {}
    for task in ("pearson:item", "acc_eq"):
        seconds = []
        for draws in (1, 1, 1 + RESAMPLES):
            start = time.perf_counter()
            meta_metrics(scores, tasks=task, exchange="published", n_resamples=draws, n_chance=0, rng=0)
            seconds.append(time.perf_counter() - start)
        found[task] = (seconds[2] - seconds[1]) / RESAMPLES / (CAMPAIGN * (CAMPAIGN - 1) / 2)
    return found


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
    many = made(CAMPAIGN)
    loop, ours = exchanged_one_by_one(many, 200), exchanged_at_once(many)
    for task, seconds in loop.items():
        print(f"exchange test of a pair, {task}, per draw: {seconds / ours[task]:.0f} x faster than a loop")


if __name__ == "__main__":
    main()
