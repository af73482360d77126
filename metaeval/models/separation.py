"""How many topics would part two systems, if they differ as much as they seem to? And how little that may say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.base.arrays import Ints
from metaeval.base.checks import check_power, check_share
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError
from metaeval.models.sample_size import units_for_effect
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores, settled_mean_over_topics
from metaeval.table.units import units_of
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.detectable_difference import first_level, named_pairs
from metaeval.tests_stat.noncentral_t import shift_interval
from metaeval.tests_stat.pairs import Estimates, all_pairs
from metaeval.tests_stat.robust import difference_estimates

type Places = Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Separation(Result):
    """Topics needed for a significant difference between pairs of systems."""

    table: pd.DataFrame
    """One row a metric and pair; see `to_frame`."""
    unit: Literal["topic", "cluster"]
    """What is counted as sampled."""
    alpha: float
    power: float
    confidence_level: float
    correction: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and pair.

        ``rank`` of the first system; ``difference`` of the means (positive: the first is better) and its ``error``;
        ``effect``, that over the standard deviation on one topic (of one unit's worth: with clusters, the standard
        error times the root of the clusters), with ``effect_low`` and ``effect_high``; ``topics`` and ``units`` at
        hand; ``units_needed`` if the effect is as observed, and ``units_needed_low`` and ``units_needed_high`` for the
        largest and the smallest effect in its interval: infinite where the interval holds 0, or more than ten million
        would be needed; and the same as topics, at the present number in a cluster. NaN where the difference does not
        vary.
        """
        return self.table.copy()


def topics_to_separate(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    pairs: Literal["adjacent", "top", "all"] | Sequence[tuple[str, str]] = "adjacent",
    alpha: float = 0.05,
    power: float = 0.8,
    correction: str = "none",
    confidence_level: float = 0.95,
) -> Separation:
    r"""Estimate the number of topics needed for a significant difference of pairs, such as the best two systems.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come.
    pairs : {"adjacent", "top", "all"} or sequence of (str, str)
        Every system and the next in the order of the means; the first of these pairs alone; all pairs; or those named.
    alpha : float, default 0.05
        Significance level of the family, which is the pairs asked for.
    power : float, default 0.8
        Wanted chance of finding the difference.
    correction : str, default "none"
        Test each pair at the level of this correction's first step (`metaeval.tests_stat.detectable_difference`).
    confidence_level : float, default 0.95
        Of the interval of the effect.

    Raises
    ------
    ScoresError, InvalidOptionError
        As `metaeval.tests_stat.detectable_difference.detectable_differences`.

    See Also
    --------
    metaeval.tests_stat.detectable_difference.detectable_differences

    Notes
    -----
    The observed effect is :math:`d = t / \sqrt{\nu + 1}`, for independent topics the mean difference over its standard
    deviation; the topics needed are those at which a paired t test would find a true effect of d
    (`metaeval.models.sample_size.units_for_effect`). An observed effect is a guess, and the pairs that
    seem within reach are those whose effect was overestimated: with the topics said to be needed for .8 on real tables
    of 50 topics, the t test has a power of .61 for neighbours in the ranking and of .67 for all pairs
    (``benchmarks/reports/real_populations.md``). So the interval says more: its ends are the shifts under which a t as
    large, or as small, as that observed has half of what the confidence level leaves, over :math:`\sqrt{\nu + 1}`
    [1]_. Where it holds 0, no number of topics is enough for sure.

    With clusters the t is that of CR2, and what is needed is clusters of the present sizes; G unequal clusters count as
    :math:`\nu + 1` equal ones, and more of them in proportion. For scores of 0 and 1 the t test stands for McNemar's,
    which needs about as many topics.

    References
    ----------
    .. [1] Steiger and Fouladi (1997). Noncentrality interval estimation and the evaluation of statistical models. In
       What If There Were No Significance Tests?, 221-257.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=5, n_topics=50, metrics=["AP"], rng=1)
    >>> found = topics_to_separate(scores, pairs="top").to_frame()
    >>> found[["first", "second", "topics_needed", "topics_needed_high"]]
         first   second  topics_needed  topics_needed_high
    0  system5  system1          470.0                 inf
    """
    scores = engine_scores(scores, "topics to separate systems")
    check_share(confidence_level, "confidence_level")
    check_power(power, alpha)
    correction = CORRECTIONS.canonical(correction)
    unit: Literal["topic", "cluster"] = "cluster" if "cluster" in scores.coords else "topic"
    values, units = oriented_values(scores), units_of(scores)
    ranks, order = _ranks(scores)
    tables = []
    for number, name in enumerate(scores["metric"].to_numpy().tolist()):
        first, second = _pairs(scores, pairs, order[number])
        estimates = Estimates(
            *(array[0] for array in difference_estimates(values[number : number + 1], units, first, second))
        )
        varies = estimates.error > 0.0
        statistic = np.where(varies, estimates.mean, np.nan) / np.where(varies, estimates.error, np.nan)
        worth = np.where(varies, estimates.freedom, np.nan) + 1.0
        low, high = shift_interval(statistic, worth - 1.0, confidence_level=confidence_level)
        open_end = (low <= 0.0) & (high >= 0.0)
        far, near = np.maximum(np.abs(low), np.abs(high)), np.minimum(np.abs(low), np.abs(high))
        shifts = np.stack([np.abs(statistic), far, np.where(open_end, 0.0, near)])
        needed = units_for_effect(
            shifts / np.sqrt(worth),
            share=worth / np.maximum(estimates.n_units, 1),
            alpha=first_level(correction, alpha, len(first)),
            power=power,
        )
        topics = np.ceil(needed * (estimates.n_topics / np.maximum(estimates.n_units, 1) if unit == "cluster" else 1.0))
        systems = scores["system"].to_numpy()
        tables.append(
            pd.DataFrame(
                {
                    "metric": name,
                    "rank": ranks[number, first],
                    "first": systems[first],
                    "second": systems[second],
                    "difference": np.where(estimates.n_topics > 0, estimates.mean, np.nan),
                    "error": estimates.error,
                    "effect": statistic / np.sqrt(worth),
                    "effect_low": low / np.sqrt(worth),
                    "effect_high": high / np.sqrt(worth),
                    "topics": estimates.n_topics.astype(np.int64),
                    "units": estimates.n_units.astype(np.int64),
                    **dict(zip(("units_needed", "units_needed_low", "units_needed_high"), needed, strict=True)),
                    **dict(zip(("topics_needed", "topics_needed_low", "topics_needed_high"), topics, strict=True)),
                }
            )
        )
    return Separation(
        table=pd.concat(tables, ignore_index=True),
        unit=unit,
        alpha=float(alpha),
        power=float(power),
        confidence_level=float(confidence_level),
        correction=correction,
    )


def _ranks(scores: Scores) -> tuple[Places, Places]:
    """Return for every metric the rank of each system, 1 the best and ties sharing the better, and the order."""
    means = settled_mean_over_topics(scores)
    ranks = 1 + (means[:, None, :] > means[:, :, None]).sum(axis=2)
    return ranks, np.argsort(-means, axis=1, kind="stable")


def _pairs(scores: Scores, pairs: str | Sequence[tuple[str, str]], order: Places) -> tuple[Places, Places]:
    if pairs == "all":
        first, second = all_pairs(len(order))
        return order[first], order[second]
    if pairs in ("adjacent", "top"):
        last = 1 if pairs == "top" else len(order) - 1
        return order[:last], order[1 : last + 1]
    if isinstance(pairs, str):
        raise InvalidOptionError(
            f"`pairs` must be 'adjacent', 'top', 'all' or a list of pairs of systems, not {pairs!r}"
        )
    return named_pairs(scores, pairs=pairs)
