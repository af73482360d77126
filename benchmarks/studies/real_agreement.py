"""Intervals for the agreement of two metrics: how often they hold the expected F1, precision and recall.

The tables of a collection are paired in a circle (AP with ERR, ERR with nDCG, …), a table that is alone with its own
scores rounded to quarters of the highest. The expected values for so many topics and the spread of an oracle come from
many samples of the population. Decisions are those of the t test after Benjamini and Yekutieli, intervals those of
`agreement_intervals`.
"""

import time
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from populations import BOARDS, Population, judged, samples
from real_power import NORMAL_WIDTH, at_every_size, missed, report, summed

from metaeval.agreement.decisions import agreement_counts, agreement_shares
from metaeval.resampling.agreement_interval import agreement_intervals, verdicts_of_draws
from metaeval.table.scores import Scores, as_scores
from metaeval.tests_stat.comparison import compare_systems

CORRECTION = "fdr_by"
MEASURES = ("f1", "precision", "recall")
SAMPLES, TRUTHS, FEWEST_TRUTHS = 12, 2000, 100


def judge(tables: list[Population], scale: float) -> pd.DataFrame:
    """Return one row a pair of tables, number of topics, of systems and measure."""
    return judged(pairs(tables), at_every_size, setting=_setting, scale=scale)


def pairs(tables: list[Population]) -> list[Population]:
    """Return pairs of metrics as populations whose scores have them on a third axis."""
    made = []
    campaigns = [one for one in tables if not one.name.startswith(BOARDS)]  # parts of a board have items of their own
    for _, group in groupby(campaigns, key=lambda one: one.name.split("_")[0]):
        own = list(group)
        for place, one in enumerate(own[:1] if len(own) == 2 else own):
            other = own[(place + 1) % len(own)]
            columns, first, second = np.intersect1d(one.columns, other.columns, return_indices=True)
            scores = np.stack([one.scores[first], other.scores[second]], axis=-1)
            if len(own) == 1:
                step = one.scores.max() / 4.0
                scores[..., 1] = np.round(scores[..., 1] / step) * step
            made.append(Population(f"{one.name} {other.name}", one.matrix, scores, columns, scores))
    return made


def _setting(population: Population, n_topics: int, n_systems: int, scale: float) -> list[dict[str, Any]]:
    generator = np.random.default_rng(n_topics)
    found, choice, known = [], -1, pd.DataFrame()
    for one in samples(population, n_topics=n_topics, n_systems=n_systems, n_samples=max(2, round(SAMPLES * scale))):
        if one.choice != choice and (choice < 0 or len(one.truth) < len(population.scores)):
            known = expected(_scores(one.truth), n_topics, max(FEWEST_TRUTHS, round(TRUTHS * scale)), generator)
        choice = one.choice
        start = time.process_time()
        row = (
            agreement_intervals(_scores(one.seen), correction=CORRECTION, rng=one.seed, n_threads=1).to_frame().iloc[0]
        )
        seconds = time.process_time() - start
        ends = {end: [row[f"{name}_{end}"] for name in MEASURES] for end in ("low", "high")}
        found.append(known.assign(value=row[[*MEASURES]].to_numpy(dtype=float), **ends, seconds=seconds))
    there = pd.concat(found).dropna()
    return summed(there, "value", "measure", {"topics": n_topics, "systems": n_systems})


def _scores(values: np.ndarray) -> Scores:
    return as_scores(np.moveaxis(values, -1, 0), metrics=["predictor", "truth"])


def expected(scores: Scores, n_topics: int, n_truths: int, generator: np.random.Generator) -> pd.DataFrame:
    """Return the mean of every measure over samples of so many topics and the oracle's width."""
    lists = generator.integers(0, scores.sizes["topic"], (n_truths, n_topics))
    result = compare_systems(scores, test="t", correction=CORRECTION)
    verdict = verdicts_of_draws(scores, result, lists, alpha=result.alpha, generator=generator, n_threads=1)
    found = agreement_shares(*agreement_counts(verdict)[:2])
    values = np.stack([found[name][:, 0, 1] for name in MEASURES])
    return pd.DataFrame(
        {
            "measure": MEASURES,
            "truth": np.nanmean(values, axis=1),
            "oracle": NORMAL_WIDTH * np.nanstd(values, axis=1),
        }
    )


TEXT = f"""## Agreement of two metrics, with intervals

Nominal 95 % intervals for the expected F1, precision and recall of the pairs of systems that are significant by the t
test after Benjamini and Yekutieli, under one metric and another of the same collection, or under one and its scores
rounded to quarters of the highest. No interval is given, and none counted, where a measure is undefined in more than a
tenth of the resamples. The oracle's width is {NORMAL_WIDTH} standard deviations over {TRUTHS} samples. 60 systems are
all where there are fewer. Seconds of processor time for all measures and powers.

"""


def section(rows: pd.DataFrame) -> str:
    """Write what was found."""
    return TEXT + "\n".join(report(rows, "measure"))


def failures(rows: pd.DataFrame) -> list[str]:
    """Return where coverage is below the goal; these intervals are the safe ones (`section`)."""
    return missed(rows, "measure", safe=True)
