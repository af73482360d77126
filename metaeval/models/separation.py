"""How many topics would part two systems, if they differ as much as they seem to? And how little that may say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_power, check_share
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.words import span_of, two_digits
from metaeval.errors import InvalidOptionError
from metaeval.models.sample_size import units_for_effect
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores, settled_mean_over_topics
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.detectable_difference import first_level, named_pairs
from metaeval.tests_stat.likely_effects import MOST_PAIRS, SeenDifferences, likely_effects
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.robust import difference_estimates
from metaeval.tests_stat.runs import Runs

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

    def _found(self) -> str:
        rows = self.table.dropna(subset="units_needed")
        n = int((rows["units_needed"] <= rows["units"]).sum())
        names = rows["first"] + " and " + rows["second"] + " under " + rows["metric"]
        needed = (rows[f"units_needed{end}"] for end in ("", "_low", "_high"))
        told = f"; {self.unit}s needed: {span_of(names, *needed, write=two_digits)}" if len(rows) else ""
        return f"{n} of {count(len(rows), 'pair')} have enough {self.unit}s to differ significantly{told}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and pair.

        ``rank`` of the first system; ``difference`` of the means (positive: the first is better) and its ``error``;
        ``effect``, that over the standard deviation on one topic (of one unit's worth: with clusters, the standard
        error times the root of the clusters); ``likely``, the true effect to be expected, with ``likely_low`` and
        ``likely_high``; ``topics`` and ``units`` at hand; ``units_needed``, and ``units_needed_low`` and
        ``units_needed_high`` if the true effect were the largest and the smallest likely one: infinite where 0 lies
        between them, or more than ten million would be needed; and the same as topics, at the present number in a
        cluster. NaN where the difference does not vary. ``likely`` and what is needed are NaN too where runs of the two
        systems differ (`metaeval.tests_stat.runs`), whose part of the ``error`` no number of topics takes away.
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
        Wanted chance that a new sample of so many topics finds a difference.
    correction : str, default "none"
        Test each pair at the level of this correction's first step (`metaeval.tests_stat.detectable_difference`).
    confidence_level : float, default 0.95
        Of the likely effects.

    Returns
    -------
    Separation
        One row a ``metric`` and pair (``first``, ``second``) in ``to_frame()``: ``difference`` of the means in units of
        the metric, the ``likely`` true effect, and ``topics_needed`` with ``topics_needed_low`` and
        ``topics_needed_high``; see `Separation.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError
        As `metaeval.tests_stat.detectable_difference.detectable_differences`.

    See Also
    --------
    metaeval.tests_stat.detectable_difference.detectable_differences

    Notes
    -----
    The pairs that seem within reach are those whose effect was overestimated: for the effects seen, on real tables of
    50 topics, the t test would have a power of .61 for neighbours in the ranking and of .67 for all pairs, where .8 was
    asked for. So effects are drawn towards 0, by the law that all pairs of the table have, and the topics needed are
    those at which a paired t test finds a difference with the chance asked for over all that the true effect may be
    (`metaeval.tests_stat.likely_effects`). On real tables their power is .80 to .82 on average over all pairs (.76
    where there are two systems), and .58 to .79 for the best and the next (``benchmarks/reports/real_populations.md``).
    Where 0 is among the likely effects, no number of topics is enough for sure.

    With clusters the t is that of CR2, and what is needed is clusters of the present sizes; G unequal clusters count as
    :math:`\nu + 1` equal ones, and more of them in proportion. For scores of 0 and 1 the t test stands for McNemar's,
    which needs about as many topics.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=5, n_topics=50, metrics=["AP"], rng=1)
    >>> found = topics_to_separate(scores, pairs="top").to_frame()
    >>> found[["first", "second", "topics_needed", "topics_needed_high"]]
         first   second  topics_needed  topics_needed_high
    0  system5  system1         1193.0                 inf
    """
    scores = engine_scores(scores, "topics to separate systems")
    check_share(confidence_level, "confidence_level")
    check_power(power, alpha)
    correction = CORRECTIONS.canonical(correction)
    unit: Literal["topic", "cluster"] = "cluster" if "cluster" in scores.coords else "topic"
    ranks, order = _ranks(scores)
    columns = []
    for number, name in enumerate(scores["metric"].to_numpy().tolist()):
        first, second = _pairs(scores, pairs, order[number])
        systems = scores["system"].to_numpy()
        named = {"metric": name, "rank": ranks[number, first], "first": systems[first], "second": systems[second]}
        level = first_level(correction, alpha, len(first))
        values = oriented_values(scores)[number : number + 1]
        needed = _needed(values, units_of(scores), (first, second), level, power, confidence_level)
        if (runs := Runs.of(scores, first, second)) is not None:
            needed |= _beyond_runs(needed, runs.variance[number])
        columns.append(pd.DataFrame(named | needed))
    return Separation(
        table=pd.concat(columns, ignore_index=True),
        unit=unit,
        alpha=float(alpha),
        power=float(power),
        confidence_level=float(confidence_level),
        correction=correction,
    )


def _needed(  # noqa: PLR0913, PLR0917 - scores, pairs and what is asked
    values: Floats, units: TopicUnits, pairs: tuple[Places, Places], level: float, power: float, confidence_level: float
) -> dict[str, Floats]:
    """Return the columns of `Separation.to_frame` that are numbers of pairs, by the scores under one metric."""
    every = all_pairs(values.shape[1])
    some = slice(None, None, max(1, len(every[0]) // MOST_PAIRS))
    estimates = difference_estimates(values, units, *pairs)
    seen = SeenDifferences.of(estimates)
    family = SeenDifferences.of(difference_estimates(values, units, *(side[some] for side in every)))
    likely = likely_effects(seen, family, n_systems=values.shape[1])
    effect, low, high = likely.interval(confidence_level)
    mean, error, _, n_topics, n_units, _ = (array[0] for array in estimates)
    share = seen.worth / np.maximum(n_units, 1.0)
    size = np.maximum(np.abs(low), np.abs(high)), np.where(low * high > 0.0, np.minimum(np.abs(low), np.abs(high)), 0.0)
    nothing = np.isnan(effect)
    ends = units_for_effect(np.where(nothing, np.nan, np.stack(size)), share=share, alpha=level, power=power)
    needed = {"": likely.units_needed(power=power, share=share, level=level), "_low": ends[0], "_high": ends[1]}
    per_unit = n_topics / np.maximum(n_units, 1.0) if units.clustered else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.where(error > 0.0, mean / (error * np.sqrt(seen.worth)), np.nan)
    return {
        "difference": np.where(n_topics > 0, mean, np.nan),
        "error": error,
        "effect": observed,
        "likely": effect,
        "likely_low": low,
        "likely_high": high,
        "topics": n_topics.astype(np.int64),
        "units": n_units.astype(np.int64),
        **{f"units_needed{end}": number for end, number in needed.items()},
        **{f"topics_needed{end}": np.ceil(number * per_unit) for end, number in needed.items()},
    }


def _beyond_runs(needed: dict[str, Floats], of_runs: Floats) -> dict[str, Floats]:
    """Return the columns that change where runs add to the variance of a difference: no number of topics is told."""
    names = [name for name in needed if name.startswith(("likely", "units_needed", "topics_needed"))]
    told = {name: np.where(of_runs > 0.0, np.nan, needed[name]) for name in names}
    return told | {"error": np.sqrt(needed["error"] ** 2 + of_runs)}


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
