"""Missing scores: means with and without an allowance for them, and whether they go with the scores."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_share
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit_of
from metaeval.base.words import share
from metaeval.errors import ScoresError
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores
from metaeval.table.structure import (
    engine_scores,
    mean_over_own_topics,
    mean_over_topics,
    settled_mean_over_topics,
    topic_weights,
)
from metaeval.table.two_way import linked, two_way
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.tails import student_p

RELATIONS = ("topics", "systems", "both")
_BLOCK = 5  # topics that lack the same systems: no accident


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MissingScores(Result):
    """Missing scores: means with and without them, and whether they go with the scores."""

    systems: pd.DataFrame
    """One row a metric and system; see `to_frame`."""
    counts: pd.DataFrame
    """One row a metric; see `summary`."""
    related: pd.DataFrame
    """Three rows a metric; see `relations`."""
    confidence_level: float

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics with missing scores."""
        return tuple(self.counts["metric"])

    def _found(self) -> str:
        words = [
            f"{share(row.share)} of the scores are missing under {row.metric} ({row.n_missing:,} of {row.n_scores:,})"
            for row in self.counts.itertuples()
        ]
        return first_few(words)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best first.

        The columns are ``metric``, ``system``, ``rank``, ``mean`` (over all topics, by system and topic), ``rank_own``
        and ``mean_own`` (over the topics that the system has), ``mean_common`` (over those that all systems have; NaN
        without any), ``n_topics`` (those that it has) and ``missing`` (the share that it lacks).
        """
        return self.systems.copy()

    def summary(self) -> pd.DataFrame:
        """Return one row a metric.

        ``n_missing`` scores of ``n_scores`` and their ``share``; ``n_systems`` and ``n_topics`` that lack some;
        ``n_common`` topics that all systems have; ``in_blocks``, the share of the missing scores on topics that lack
        the same systems as four others or more: gaps that were planned, or that one cause made.
        """
        return self.counts.copy()

    def relations(self) -> pd.DataFrame:
        """Return three rows a metric: how much higher missing scores would be than those at hand, and why.

        Relation ``topics``: because of the topics on which they are missing; ``systems``: because of the systems that
        lack them. Means by system and topic allow for both. Relation ``both``: beyond what system and topic add up to,
        which they do not allow for. ``difference``, its interval from ``low`` to ``high``, and ``p_value``; NaN where
        that cannot be told.
        """
        return self.related.copy()

    def _draw(self, metric: str | None = None) -> Figure:
        """Draw by how much each system's mean over its own topics differs, under one metric (the first by default)."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        name = self.metrics[0] if metric is None else metric
        check_choice(name, "metric", self.metrics)
        of_metric = self.systems[self.systems["metric"] == name]
        frame = pd.DataFrame({"name": of_metric["system"], "value": of_metric["mean_own"] - of_metric["mean"]})
        return agreement_dots(frame.assign(low=np.nan, high=np.nan), label=f"{name}: mean of own topics less mean")


@in_one_order
def missing_scores(scores: object, *, confidence_level: float = 0.95) -> MissingScores:
    r"""Compare means with and without an allowance for missing scores, and test whether these go with the scores.

    Parameters
    ----------
    scores : Scores
        Read with ``missing="pairwise"``; clusters and weights are taken into account.
    confidence_level : float, default 0.95

    Returns
    -------
    MissingScores
        One row a ``metric`` and ``system`` in ``to_frame()``, best first: see `MissingScores.to_frame`. Means are in
        units of the metric.

    Raises
    ------
    ScoresError
        If nothing is missing, or some systems share no topic with the others, not even by way of third ones.

    See Also
    --------
    metaeval.resampling.ranks.rank_intervals : ranks by the same means

    Notes
    -----
    Means are those of :math:`x_{sj} = \alpha_s + \beta_j + e_{sj}` by least squares over the scores at hand: a system
    that lacks hard topics is not better for it. This holds as long as what is missing depends on systems and topics
    only ("missing at random") and a system is not relatively better on one kind of topics.

    **Topics** (and systems likewise): the mean of :math:`\beta_j` over the missing scores less that over those at
    hand, a ratio whose error is that of the topics (clusters). **Both**: with :math:`m_s` and :math:`m_j` the shares
    that a system, and a topic, lacks, and :math:`z_{sj} = (m_s - \bar m)(m_j - \bar m)` less what system and topic
    add up to in it, :math:`\gamma` is the slope of e on z over the scores at hand, and the difference is
    :math:`\gamma` times the mean of z over the missing ones: whether systems with gaps do relatively worse on topics
    with gaps, where they have them. Intervals are Student's with as many degrees of freedom as there are equally
    weighty topics, :math:`1 / \sum h_j^2 - 1` with :math:`h_j` a topic's share of the weight.

    Scores alone cannot tell whether a score is missing because of what it would have been: no sign here is no proof.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> board = [[0.94, 0.8, 0.3, 0.2], [0.8, 0.8, np.nan, np.nan], [0.8, 0.7, 0.34, 0.1]]
    >>> found = missing_scores(as_scores(board, missing="pairwise"))
    >>> found.to_frame()[["system", "mean", "mean_own", "mean_common"]].round(3)
        system   mean  mean_own  mean_common
    0  system1  0.560     0.560         0.87
    1  system2  0.513     0.800         0.80
    2  system3  0.485     0.485         0.75
    """
    check_share(confidence_level, "confidence_level")
    scores = engine_scores(scores, "missing scores")
    values, names = scores.to_numpy(), scores["metric"].to_numpy().tolist()
    observed = np.isfinite(values)
    lacking = [index for index in range(len(values)) if not observed[index].all()]
    if not lacking:
        raise ScoresError("missing scores: none is missing")
    apart = [names[index] for index in lacking if not linked(observed[index]).all()]
    if apart:
        raise ScoresError(
            f"missing scores: under {apart[0]!r} some systems share no {unit_of(scores).topic} with others"
        )
    ahead, means, own_means = settled_mean_over_topics(scores), mean_over_topics(scores), mean_over_own_topics(scores)
    tables, counts, related = [], [], []
    for index in lacking:
        there, labels = observed[index], {"metric": names[index]}
        common = there.all(axis=0)
        at = scores.isel(metric=[index], topic=np.flatnonzero(common))
        turned = np.where(ahead[index] == means[index], own_means[index], -own_means[index])
        table = pd.DataFrame(
            labels
            | {
                "system": scores["system"].to_numpy(),
                "rank": _ranks(ahead[index]),
                "mean": means[index],
                "rank_own": _ranks(turned),
                "mean_own": own_means[index],
                "mean_common": mean_over_own_topics(at)[0] if common.any() else np.nan,
                "n_topics": there.sum(axis=1),
                "missing": 1.0 - there.mean(axis=1),
            }
        )
        tables.append(table.sort_values("rank", kind="stable"))
        counts.append(labels | _counts(there))
        related += [labels | row for row in _relations(scores, values[index], confidence_level)]
    return MissingScores(
        systems=pd.concat(tables, ignore_index=True),
        counts=pd.DataFrame(counts),
        related=pd.DataFrame(related),
        confidence_level=float(confidence_level),
    )


def _ranks(ahead: Floats) -> Ints:
    """Return 1 + the systems that are better."""
    return len(ahead) - np.searchsorted(np.sort(ahead), ahead, side="right") + 1


def _counts(known: Flags) -> dict[str, float]:
    """Return how many scores are missing, and how."""
    missing = ~known
    _, kind, sizes = np.unique(missing, axis=1, return_inverse=True, return_counts=True)
    of_topic = missing.sum(axis=0)
    return {
        "n_missing": int(missing.sum()),
        "n_scores": missing.size,
        "share": float(missing.mean()),
        "n_systems": int(missing.any(axis=1).sum()),
        "n_topics": int((of_topic > 0).sum()),
        "n_common": int((of_topic == 0).sum()),
        "in_blocks": float(of_topic[sizes[kind.ravel()] >= _BLOCK].sum() / missing.sum()),
    }


def _relations(scores: Scores, values: Floats, level: float) -> list[dict[str, object]]:
    """Return how missing scores go with topics, with systems, and with both beyond their sum."""
    weights, units = topic_weights(scores), units_of(scores)
    observed = np.isfinite(values)
    missing = ~observed & observed.any(axis=0)
    fit = two_way(values, weights)
    error = np.where(observed, values - fit.means[:, None] - fit.topics, 0.0)
    lacks, lacked = missing.mean(axis=1), missing.mean(axis=0)
    product = np.outer(lacks - lacks.mean(), lacked - lacked.mean())
    of_product = two_way(np.where(observed, product, np.nan), weights)
    left = product - of_product.means[:, None] - of_product.topics
    square = weights * observed * left**2
    away = float((weights * missing * left).sum() / max(float((weights * missing).sum()), np.finfo(float).tiny))
    total = float(square.sum())
    if total > RELATIVE * float((weights * observed * product**2).sum()):
        slope = float((weights * left * error).sum()) / total
        influence = away / total * (weights * left * (error - slope * left) * observed).sum(axis=0)
        interaction = _interval(away * slope, influence, square.sum(axis=0), units, level)
    else:
        interaction = _interval(np.nan, np.zeros(1), np.zeros(1), None, level)
    topics = _contrast(fit.topics, weights * missing.sum(axis=0), weights * observed.sum(axis=0), units, level)
    systems = _contrast(fit.means, missing @ weights, observed @ weights, None, level)
    return [{"relation": name, **row} for name, row in zip(RELATIONS, (topics, systems, interaction), strict=True)]


def _contrast(
    levels: Floats, missing: Floats, known: Floats, units: TopicUnits | None, level: float
) -> dict[str, float]:
    """Return the mean level of missing scores less that of the others, with its interval."""
    without, within = (float(levels @ weight / weight.sum()) for weight in (missing, known))
    influence = missing * (levels - without) / missing.sum() - known * (levels - within) / known.sum()
    return _interval(without - within, influence, missing, units, level)


def _interval(value: float, parts: Floats, weight: Floats, units: TopicUnits | None, level: float) -> dict[str, float]:
    """Return a value with its interval from what topics (or systems) add to its error, and how much each weighs."""
    if units is not None:
        if units.stratified:
            parts = parts - (np.bincount(units.stratum, parts) / np.bincount(units.stratum))[units.stratum]
        parts, weight = np.bincount(units.unit, parts), np.bincount(units.unit, weight)
    number = float(weight.sum() ** 2 / max(float((weight**2).sum()), np.finfo(float).tiny))
    row = dict.fromkeys(("difference", "low", "high", "p_value"), np.nan)
    if not number > 1.0 + RELATIVE or not np.isfinite(value):
        return row
    error = float(np.sqrt((parts**2).sum() * number / (number - 1.0)))
    half = float(stdtrit(number - 1.0, 0.5 + level / 2.0)) * error
    t = 0.0 if value == 0.0 else value / error if error > 0.0 else np.inf
    p_value = float(student_p(number - 1.0, np.asarray(t), number).p)
    return row | {"difference": value, "low": value - half, "high": value + half, "p_value": p_value}
