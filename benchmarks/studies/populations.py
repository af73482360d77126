"""Real tables taken as whole populations of topics, samples from them, and how an interval did on the samples.

A table is the truth: samples of topics are drawn from it with replacement, so every quantity can be computed from it.
The systems are its own, all or some at random; a new choice comes every fourth sample.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from metaeval.io.trec import read_collection
from metaeval.metrics.scoring import score

type Floats = NDArray[np.float64]

LEAST_TOPICS = 48
BOARDS = ("livebench", "alpacaeval", "belebele", "mteb")
"""Collections that are boards of models, not of runs."""
SAMPLES_A_CHOICE = 4
"""Samples of topics from one choice of systems, whose truths are computed once."""
ROBUST_MEASURES = ("AP", "nDCG@10", "P@10", "RR")


@dataclass(frozen=True)
class Population:
    """All scores of one table under one metric."""

    name: str
    matrix: bool
    """Whether it is one of the 48 complete tables of ``trec-matrices`` on which the goals are set."""
    scores: Floats
    """Systems that differ, higher better. Shape (system, topic)."""
    columns: NDArray[np.int64]
    """Where the systems are in the table: the same in every table of a collection. Shape (system,)."""
    every: Floats
    """All systems of the table, in its own order."""


@dataclass(frozen=True)
class Sample:
    """Some systems of a population, and topics drawn from it."""

    truth: Floats
    """Shape (system, topic of the population)."""
    seen: Floats
    """Shape (system, topic drawn)."""
    choice: int
    """Of the systems: samples of one choice share their truth."""
    seed: int


def populations(folder: Path, *, matrices_only: bool = False) -> list[Population]:
    """Return every table at hand: 48 of TREC tracks, then larger and stranger ones."""
    found = [
        _population(path.stem, pd.read_csv(path), matrix=True) for path in sorted(folder.glob("trec-matrices/*.csv"))
    ]
    if not matrices_only:
        found += [_population(name, frame, matrix=False) for name, frame in _others(folder)]
    return [one for one in found if not one.matrix or one.scores.shape[1] >= LEAST_TOPICS]


def _population(name: str, frame: pd.DataFrame, *, matrix: bool) -> Population:
    values = frame.select_dtypes("number").to_numpy(dtype=float).T
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has gaps")
    different, columns = np.unique(values, axis=0, return_index=True)
    return Population(name, matrix, different, columns, values)


def _others(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and the scores (topic, system) of every further table."""
    yield "mq2007", pd.read_csv(folder / "trec-matrices" / "mq2007_statap_top26.csv.gz", index_col=0).T
    covid = pd.read_csv(folder / "trec-covid-r1" / "per_topic_trec_eval.csv.gz")
    passages = pd.read_csv(folder / "trec-dl19-passage" / "per_topic_trec_eval.csv.gz")
    for name, table, metrics in (
        ("covid", covid, ("map", "ndcg_cut_10", "P_5", "bpref")),
        ("dl19", passages, ("map", "ndcg_cut_10", "P_10", "recip_rank")),
    ):
        for metric in metrics:
            yield f"{name}_{metric}", table.pivot_table(index="topic", columns="run", values=metric)
    for name, frame in _robust(folder / "trec2003-robust").items():
        yield f"robust2003_{name}", frame
    yield from _boards(folder)


def _boards(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield boards of models: the categories of LiveBench, and halves of AlpacaEval and of two boards of MTEB."""
    questions = pd.read_csv(folder / "leaderboards" / "livebench_2025-01-13.csv.gz", index_col=[0, 1, 2])
    for category, part in questions.groupby(level=2):
        yield f"livebench_{category}", part.dropna(axis=1)
    prompts = pd.read_csv(
        folder / "leaderboards" / "alpacaeval2_weighted_preferences.csv.gz", index_col=[0, 1]
    ).dropna()
    belebele = pd.read_csv(folder / "mteb" / "belebele_190x376x6.csv.gz")
    belebele = belebele.pivot_table(index="topic", columns="system", values="nDCG@10")
    models = pd.read_csv(folder / "mteb" / "mteb_eng_v2.csv", index_col=0)
    models = models.loc[:, (models >= 0).all()]  # relative tolerances are for scores from 0 on
    for half in (0, 1):
        yield f"alpacaeval_{half + 1}", prompts.iloc[half::2]
        yield f"belebele_{half + 1}", belebele.iloc[half::2]
        yield f"mteb_{half + 1}", models.iloc[:, half::2]


@cache
def _robust(folder: Path) -> Mapping[str, pd.DataFrame]:
    """Return the scores of the 17 runs of TREC 2003 Robust, from runs and judgments."""
    scores = score(read_collection(sorted(folder.glob("runs/*.gz")), folder / "qrels.txt.xz"), list(ROBUST_MEASURES))
    return {str(name): scores.sel(metric=name).to_pandas().T for name in scores["metric"].to_numpy()}


def samples(population: Population, *, n_topics: int, n_systems: int | None, n_samples: int) -> Iterator[Sample]:
    """Yield samples of topics under some systems, all of them by default; the same for every statement."""
    generator = np.random.default_rng([crc32(population.name.encode()), n_topics, n_systems or 0])
    scores = population.scores
    for number in range(n_samples):
        if number % SAMPLES_A_CHOICE == 0:
            count = min(n_systems or len(scores), len(scores))
            chosen = scores[np.sort(generator.choice(len(scores), count, replace=False))]
        drawn = generator.integers(0, scores.shape[1], n_topics)
        yield Sample(chosen, np.ascontiguousarray(chosen[:, drawn]), number // SAMPLES_A_CHOICE, number)


def judged(
    tables: list[Population], judge: Callable[..., list[dict[str, Any]]], *, n_jobs: int = 2, **options: object
) -> pd.DataFrame:
    """Return the rows that `judge` makes of every table, each with the table's name."""
    rows = Parallel(n_jobs=n_jobs, verbose=0)(delayed(judge)(one, **options) for one in tables)
    return pd.DataFrame(
        [
            {"table": one.name, "matrix": one.matrix} | row
            for one, found in zip(tables, rows, strict=True)
            for row in found
        ]
    )


def interval_figures(truth: ArrayLike, estimate: ArrayLike, low: ArrayLike, high: ArrayLike, level: float) -> pd.Series:
    """Return how intervals of one row did: bias, rms, held, share above and below, width over oracle.

    Values are taken as they are: pass logarithms for counts and rates. The oracle's width is that of a right interval
    of an unbiased estimator with the estimate's own spread.
    """
    truth, estimate, low, high = (np.asarray(one, dtype=float) for one in (truth, estimate, low, high))
    error = estimate - truth
    spread = error.std(ddof=1) if len(error) > 1 else np.nan
    width = float(np.median(high - low))
    return pd.Series(
        {
            "samples": len(error),
            "bias": float(np.median(error)),
            "rms": float(np.sqrt((error**2).mean())),
            "held": float(((low <= truth) & (truth <= high)).mean()),
            "truth above": float((truth > high).mean()),
            "truth below": float((truth < low).mean()),
            "width": width,
            "over oracle": width / (2.0 * float(ndtri((1.0 + level) / 2.0)) * spread) if spread > 0 else np.nan,
        }
    )


def mean_and_error(values: pd.Series) -> tuple[float, float]:
    """Return the mean over tables, and its standard error over collections: tables of one share their topics."""
    groups = values.groupby([str(name).split("_")[0] for name in values.index]).agg(["sum", "size"])
    residual = groups["sum"] - values.mean() * groups["size"]
    n = len(groups)
    return float(values.mean()), float(np.sqrt((residual**2).sum() * n / max(n - 1, 1)) / len(values))
