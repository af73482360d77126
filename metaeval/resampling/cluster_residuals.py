"""Scores laid out by the units that are drawn: what every topic, or cluster of topics, adds to the error of a mean.

The mean score of a system is a ratio, the sum of its scores over the sum of their weights, and what a unit adds to its
error is the residual of the unit's sum. One form does for topics, clusters of any sizes, weights and strata.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.compiled import compiled
from metaeval.running.equality import settle
from metaeval.running.parallel import in_one_order
from metaeval.table.array import has_gaps
from metaeval.table.runs import run_variances
from metaeval.table.scores import Scores, better_direction, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.two_way import linked, two_way
from metaeval.table.units import TopicUnits, check_resampling_of, units_of

_EXPONENT = 1000  # of a unit: beyond, a power of two is not a number in double precision


class UnitResiduals(NamedTuple):
    """Scores laid out by what is drawn."""

    means: Floats
    """In the metric's own direction. Shape (metric, system)."""
    oriented: Floats
    """Turned so that higher is better; those equal up to rounding are equal. Shape (metric, system)."""
    spans: Floats
    """Sum of the sizes of the weighted scores: what rounding is measured by. Shape (metric, system)."""
    residual: Floats
    """Weighted sum of the turned scores of a unit, less the mean (within the stratum) times the unit's size. Shape
    (metric, system, unit)."""
    sizes: Floats
    """Sum of the weights of a unit's topics; 1 for a topic without weight. Shape (unit,)."""
    stratum: Ints
    """Numbered from 0; all 0 where there are no strata. Shape (unit,)."""
    topics: TopicUnits
    """How the topics are grouped, which also draws them."""
    kind: str
    """"topic", "cluster" or "stratum"."""
    held: Ints | None = None
    """Units of which a system has a score, where some are missing. Shape (metric, system)."""
    runs: tuple[Floats, Floats] | None = None
    """Of means over runs what these add to the variances of means, and its degrees of freedom (`metaeval.table.runs`),
    each (metric, system)."""

    @property
    def inflation(self) -> Floats:
        """Return n / (n - 1) for every unit, n being the units of its stratum."""
        number = np.bincount(self.stratum)[self.stratum]
        return number / (number - 1.0)

    def squares(self, first: Ints, second: Ints) -> Floats:
        """Return the sum of the squared residuals of the differences of pairs, inflated: (metric, pair)."""
        return np.stack([_squares_of_pairs(of_metric, self.inflation, first, second) for of_metric in self.residual])

    def freedom(self, first: Ints, second: Ints) -> Floats:
        """Return the degrees of freedom of the differences of pairs: units less strata, (metric, pair)."""
        n_strata = int(self.stratum.max()) + 1
        if self.held is None:
            return np.full((len(self.means), len(first)), float(len(self.sizes) - n_strata))
        return np.maximum(np.minimum(self.held[:, first], self.held[:, second]) - n_strata, 1.0)

    def scaled(self) -> tuple["UnitResiduals", Floats]:
        """Turn the residuals into units of their own, and return these: a power of two a metric, which rounds nothing.

        No square overflows beside it. The means stay as they are.
        """
        _, exponent = np.frexp(self.spans.max(axis=1))
        scale = np.ldexp(1.0, exponent.clip(-_EXPONENT, _EXPONENT))
        oriented, spans = self.oriented / scale[:, None], self.spans / scale[:, None]
        residual = np.divide(self.residual, scale[:, None, None], out=self.residual)
        runs = self.runs and (self.runs[0] / scale[:, None] ** 2, self.runs[1])
        return self._replace(oriented=oriented, spans=spans, residual=residual, runs=runs), scale


def resampled_scores(data: object, *, what: str) -> Scores:
    """Return scores as `residuals_of_units` takes them, rejecting what engines that draw units would ignore."""
    scores = engine_scores(data, what)
    units = units_of(scores)
    if units.stratified and units.weighted:
        raise InvalidOptionError(
            f"{what}: weights of {unit().topics} and fixed {unit().clusters} (strata) do not go together here; leave "
            "out one of them"
        )
    topics = unit().topics
    check_resampling_of(
        units,
        what=what,
        instead=f"`with_clusters(scores, 'fixed')` asks another question, of new {topics} in these same clusters"
        if units.clustered
        else f"`with_clusters(scores, 'ignore')` takes {topics} as independent",
    )
    _check_gaps(scores, units, what)
    return scores


@in_one_order
def placed(scores: Scores) -> Flags:
    """Say which systems have scores enough to stand beside the others under every metric. Shape (system,).

    They have two units at least, and share topics with most others, if need be by way of third ones.
    """
    observed = np.isfinite(scores.to_numpy())
    enough = np.array((units_of(scores).held(observed) > 1).all(axis=0))
    for there in observed:
        most = int(np.argmax(there @ there.sum(axis=0)))
        order = np.r_[most, np.delete(np.arange(len(there)), most)]
        joined = np.zeros(len(there), dtype=bool)
        joined[order] = linked(there[order])
        enough &= joined
    return enough


def _check_gaps(scores: Scores, units: TopicUnits, what: str) -> None:
    """Refuse scores that lack too many to place all systems beside each other."""
    if not has_gaps(scores.to_numpy()) or (there := placed(scores)).all():
        return
    name, kind = scores["system"].to_numpy()[~there][0], unit().cluster if units.clustered else unit().topic
    raise ScoresError(
        f"{what}: {str(name)!r} has scores in one {kind} only, or shares none with the other systems, so that nothing "
        "places it; leave such systems out, or read the scores with `missing='drop-systems'`"
    )


def residuals_of_units(scores: Scores) -> UnitResiduals:
    """Lay out scores from `resampled_scores` by the coordinates ``cluster``, ``stratum`` and ``weight``.

    Where scores are missing the means are those of system and topic, and a topic's part is its influence on them.
    """
    names = (scores[dim].to_numpy().tolist() for dim in ("metric", "system"))
    return _residuals(scores)._replace(runs=run_variances(scores.attrs.get("notes"), *names))


@in_one_order
def _residuals(scores: Scores) -> UnitResiduals:
    values, topics = oriented_values(scores), units_of(scores)
    if has_gaps(values):
        return _residuals_with_gaps(scores, values, topics)
    weights = topics.weights
    stratum = np.zeros(topics.n_units, dtype=np.int64) if topics.clustered else topics.stratum
    sums, sizes = topics.sums(values), np.bincount(topics.unit, weights)
    strata = (stratum[:, None] == np.arange(stratum.max() + 1)).astype(np.float64)
    centre = (sums @ strata) / (sizes @ strata)
    oriented = values @ (weights / weights.sum())
    spans = np.stack([np.abs(of_metric) @ weights for of_metric in values])
    return UnitResiduals(
        means=oriented * better_direction(scores)[:, None],
        oriented=settle(oriented, spans / weights.sum()),
        spans=spans,
        residual=_less(sums, centre, stratum, sizes),
        sizes=sizes,
        stratum=stratum,
        topics=topics,
        kind="cluster" if topics.clustered else "stratum" if topics.stratified else "topic",
    )


def _less(sums: Floats, centre: Floats, stratum: Ints, sizes: Floats) -> Floats:
    """Return what is left of the sums of units, shape (metric, system, unit)."""
    residual = np.empty_like(sums)
    for metric_sums, left, centres in zip(sums, residual, centre, strict=True):
        np.subtract(metric_sums, centres[:, stratum] * sizes, out=left)
    return residual


def _residuals_with_gaps(scores: Scores, values: Floats, topics: TopicUnits) -> UnitResiduals:
    """Lay out scores of which some are missing."""
    fits = [two_way(of_metric, topics.weights, topics.unit, topics.stratum) for of_metric in values]
    size = np.nanmax(np.abs(values), axis=(1, 2))[:, None] * np.ones(values.shape[1])
    oriented = np.stack([of_metric.means for of_metric in fits])
    stratum = np.zeros(topics.n_units, dtype=np.int64) if topics.clustered else topics.stratum
    residual = replace(topics, weighted=False).sums(np.stack([of_metric.influence for of_metric in fits]))
    if stratum.any():
        strata = (stratum[:, None] == np.arange(stratum.max() + 1)).astype(np.float64)
        residual -= ((residual @ strata) / strata.sum(axis=0))[..., stratum]
    return UnitResiduals(
        means=oriented * better_direction(scores)[:, None],
        oriented=settle(oriented, size),
        spans=size * topics.total,
        residual=np.ascontiguousarray(residual),
        sizes=np.bincount(topics.unit, topics.weights),
        stratum=stratum,
        topics=topics,
        kind="cluster" if topics.clustered else "stratum" if topics.stratified else "topic",
        held=topics.held(np.isfinite(values)),
    )


@compiled
def _squares_of_pairs(residual: Floats, inflation: Floats, first: Ints, second: Ints) -> Floats:
    squares = np.empty(len(first))
    for pair in range(len(first)):
        a, b = residual[first[pair]], residual[second[pair]]
        total = 0.0
        for at in range(len(a)):
            total += inflation[at] * (a[at] - b[at]) ** 2
        squares[pair] = total
    return squares
