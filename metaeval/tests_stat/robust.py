r"""Weighted means with standard errors that hold for clusters, strata, weights and gaps, for every pair at once.

For one mean the sandwich needs no matrix. With :math:`u_j = w_j / \sum w` the share of topic j, :math:`e_j` its
distance from the mean, and the topics of cluster g having n topics, :math:`p = \sum_g u_j` and :math:`q = \sum_g
u_j^2`, and :math:`s = \sum u_j^2` over all topics, the matrix that CR2 adjusts by is

.. math:: B_g = I - 1 u_g' - u_g 1' + s 1 1'.

It moves only what :math:`1` and :math:`u_g` span, where it is a matrix of two rows, whose inverse root has a closed
form:

.. math:: B_g^{-1/2} u_g = \alpha 1 + \beta u_g, \quad
          \alpha = \frac{q - s p}{t r}, \quad \beta = \frac{1 + s n - p + r}{t r}, \quad
          r^2 = (1 - p)^2 + n (s - q), \quad t^2 = 2 + s n - 2 p + 2 r.

Hence the variance of the mean, :math:`V = \sum_g (\alpha \sum_g e_j + \beta \sum_g u_j e_j)^2`, and Satterthwaite's
degrees of freedom, in one pass over the topics of a pair. With topics that are clusters of their own and weigh alike
this is the standard error of the plain mean and T - 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats
from metaeval.running.compiled import compiled
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import on_threads
from metaeval.table.array import has_gaps
from metaeval.table.units import TopicUnits
from metaeval.tests_stat.pairs import Estimates, Evidence, Question
from metaeval.tests_stat.tails import student_p, student_tail

type Places = NDArray[np.int64]


def pair_estimates(question: Question) -> Estimates:
    """Return the mean difference of every metric and pair with its robust standard error.

    Notes
    -----
    Bell and McCaffrey (2002); Pustejovsky and Tipton (2018), with the identity for working model, as clubSandwich's
    default. Strata: the variance of every stratum's mean by itself, times its squared share of the weight;
    Satterthwaite's degrees of freedom over the strata (Cochran 1977, equation 5.16). The one topic of a stratum counts
    with its distance from the mean of all, which errs on the safe side.
    """
    return difference_estimates(question.values, question.units, question.first, question.second)


def t_evidence(question: Question, statistic: Floats, freedom: Floats | float, equal: Flags) -> Evidence:
    """Ask Student's t; where the two are equal throughout, nothing speaks for either side."""
    n_units = question.n_units if np.isinf(statistic).any() else 1
    if not question.one_sided:
        return Evidence(statistic=statistic, two_sided=student_p(freedom, statistic, n_units))
    greater, less = (student_tail(freedom, side * statistic, n_units) for side in (-1.0, 1.0))
    return Evidence(statistic=statistic, greater=greater.certain(equal), less=less.certain(equal))


def difference_estimates(values: Floats, units: TopicUnits, first: Places, second: Places) -> Estimates:
    """Return the mean difference of any pairs with its robust standard error, as `pair_estimates`.

    Shapes: `values` (metric, system, topic), `first, second` (pair,).
    """
    return _stacked([_estimates(metric_values, first, second, _Layout.of(units)) for metric_values in values])


def mean_estimates(values: Floats, units: TopicUnits) -> Estimates:
    """Return the mean of every system with its robust standard error.

    Shapes: `values` (metric, system, topic).
    """
    if units.plain and values.shape[2] > 1 and not has_gaps(values):
        return Estimates(*np.stack([_plain_estimates(metric_values) for metric_values in values], axis=1))
    systems = np.arange(values.shape[1])
    nothing = np.full_like(systems, len(systems))
    with_zeros = np.concatenate([values, np.zeros_like(values[:, :1])], axis=1)
    return _stacked([_estimates(metric_values, systems, nothing, _Layout.of(units)) for metric_values in with_zeros])


def _plain_estimates(values: Floats) -> Floats:
    """Return the fields of `Estimates` where topics are units of their own and none is missing, without a kernel."""
    n_topics = values.shape[1]
    spread, size = values.std(axis=1, ddof=1), np.abs(values).mean(axis=1)
    varies = spread > RELATIVE * size
    error, freedom = np.where(varies, spread / np.sqrt(n_topics), 0.0), np.where(varies, n_topics - 1.0, np.nan)
    counts = np.full((2, len(values)), float(n_topics))
    return np.stack([values.mean(axis=1), error, freedom, *counts, (size > 0.0).astype(np.float64)])


class _Layout(NamedTuple):
    """Topics in the order in which the kernel goes through them: stratum by stratum, cluster by cluster."""

    order: Places
    weights: Floats  # in that order
    cluster_starts: Places  # where each cluster starts, and the end
    stratum_starts: Places  # which cluster each stratum starts with, and the end
    alike: bool  # whether topics weigh alike and are units of their own

    @classmethod
    def of(cls, units: TopicUnits) -> "_Layout":
        order = np.lexsort((units.unit, units.stratum))
        unit, stratum = units.unit[order], units.stratum[order]
        cluster_starts = np.flatnonzero(np.diff(unit, prepend=-1))
        strata = np.flatnonzero(np.diff(stratum[cluster_starts], prepend=-1))
        return cls(
            order,
            units.weights[order],
            np.append(cluster_starts, len(order)),
            np.append(strata, len(cluster_starts)),
            units.plain,
        )


def _stacked(columns: list[Floats]) -> Estimates:
    return Estimates(*np.stack(columns, axis=1))


def _estimates(values: Floats, first: Places, second: Places, layout: _Layout) -> Floats:
    ordered = np.ascontiguousarray(values[:, layout.order])
    starts = layout.cluster_starts, layout.stratum_starts
    columns = np.empty((6, len(first)))
    _estimate_pairs(len(first), ordered, first, second, layout.weights, *starts, layout.alike, columns)
    return columns


@on_threads
@compiled
def _estimate_pairs(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    start: int,
    stop: int,
    values: Floats,
    first: Places,
    second: Places,
    weights: Floats,
    cluster_starts: Places,
    stratum_starts: Places,
    alike: bool,  # noqa: FBT001 - likewise
    columns: Floats,
) -> None:
    """Fill in an array (6, pair), the fields of `Estimates`; see `_Layout`."""
    for pair in range(start, stop):
        differences = values[first[pair]] - values[second[pair]]
        sizes = np.abs(values[first[pair]]) + np.abs(values[second[pair]])
        columns[:, pair] = _estimate(differences, sizes, weights, cluster_starts, stratum_starts, alike)


@compiled
def _estimate(  # noqa: PLR0913, PLR0917 - as above
    differences: Floats,
    sizes: Floats,
    weights: Floats,
    cluster_starts: Places,
    stratum_starts: Places,
    alike: bool,  # noqa: FBT001 - likewise
) -> Floats:
    """Return the fields of `Estimates` for the differences of one pair; NaN is a topic that it does not have."""
    weight, total, size, apart = 0.0, 0.0, 0.0, 0.0
    n_topics = 0
    for topic in range(len(differences)):
        if not np.isnan(differences[topic]):
            n_topics += 1
            weight += weights[topic]
            total += weights[topic] * differences[topic]
            size += weights[topic] * sizes[topic]
            apart += weights[topic] * abs(differences[topic])
    fields = np.zeros(6)
    fields[2] = np.nan
    fields[3] = n_topics
    if n_topics == 0:
        return fields
    tolerance = RELATIVE * size
    mean = total / weight
    variance, over_freedom, own_freedom = 0.0, 0.0, np.nan
    n_units, n_strata = 0, 0
    for stratum in range(len(stratum_starts) - 1):
        starts = cluster_starts[stratum_starts[stratum] : stratum_starts[stratum + 1] + 1]
        if alike:
            share, centre, stratum_variance, freedom, n_clusters = _estimate_stratum_alike(differences)
        else:
            share, centre, stratum_variance, freedom, n_clusters = _estimate_stratum(differences, weights, starts)
        if n_clusters == 0:
            continue
        if n_clusters == 1:  # its spread is unknown: its distance from the mean of all is more
            stratum_variance, freedom = (centre - mean) ** 2, 1.0
        stratum_variance *= (share / weight) ** 2
        n_strata += 1
        n_units += n_clusters
        variance += stratum_variance
        over_freedom += stratum_variance * stratum_variance / freedom
        own_freedom = freedom
    fields[0] = mean if abs(total) > tolerance else 0.0
    fields[4] = n_units
    fields[5] = apart > tolerance
    if n_units > 1 and variance * weight * weight * n_units > tolerance * tolerance:
        fields[1] = np.sqrt(variance)
        fields[2] = own_freedom if n_strata == 1 else variance * variance / over_freedom
    return fields


@compiled
def _estimate_stratum_alike(differences: Floats) -> tuple[float, float, float, float, int]:
    """Return what `_estimate_stratum` does where topics weigh alike and are units of their own, much faster."""
    number, total = 0, 0.0
    for topic in range(len(differences)):
        if not np.isnan(differences[topic]):
            number += 1
            total += differences[topic]
    mean, squares = total / number, 0.0
    for topic in range(len(differences)):
        if not np.isnan(differences[topic]):
            squares += (differences[topic] - mean) ** 2
    return number, mean, squares / (max(number - 1, 1) * number), number - 1.0, number


@compiled
def _estimate_stratum(differences: Floats, weights: Floats, starts: Places) -> tuple[float, float, float, float, int]:
    """Return the weight of one stratum, its mean, the CR2 variance of it, degrees of freedom and clusters met."""
    weight, total, squares = 0.0, 0.0, 0.0
    for topic in range(starts[0], starts[-1]):
        if not np.isnan(differences[topic]):
            weight += weights[topic]
            total += weights[topic] * differences[topic]
            squares += weights[topic] ** 2
    if weight == 0.0:
        return 0.0, 0.0, 0.0, 1.0, 0
    mean, s = total / weight, squares / (weight * weight)
    variance = 0.0
    n_clusters = 0
    trace, diagonal, on_diagonal = 0.0, 0.0, 0.0  # of P = D - f c' - c f' + s c c', see `metaeval.tests_stat.robust`
    ff, fc, cc = 0.0, 0.0, 0.0
    for cluster in range(len(starts) - 1):
        n, p, q, plain, weighted = 0.0, 0.0, 0.0, 0.0, 0.0
        for topic in range(starts[cluster], starts[cluster + 1]):
            if not np.isnan(differences[topic]):
                u = weights[topic] / weight
                n += 1.0
                p += u
                q += u * u
                plain += differences[topic] - mean
                weighted += u * (differences[topic] - mean)
        if n == 0.0:
            continue
        n_clusters += 1
        r = np.sqrt(max(0.0, (1.0 - p) ** 2 + n * (s - q)))
        t = np.sqrt(2.0 + s * n - 2.0 * p + 2.0 * r)
        if r <= RELATIVE:  # it is the only one
            continue
        a = (q - s * p) / (t * r)
        b = (1.0 + s * n - p + r) / (t * r)
        variance += (a * plain + b * weighted) ** 2
        c = a * n + b * p
        d = a * a * n + 2.0 * a * b * p + b * b * q
        f = a * p + b * q
        low_rank = -2.0 * f * c + s * c * c
        trace += d + low_rank
        diagonal += d * d
        on_diagonal += d * low_rank
        ff += f * f
        fc += f * c
        cc += c * c
    if n_clusters < 2:  # noqa: PLR2004 - two have a spread
        return weight, mean, 0.0, 1.0, n_clusters
    low_rank_square = 2.0 * ff * cc + 2.0 * fc * fc - 4.0 * s * fc * cc + s * s * cc * cc
    return weight, mean, variance, trace * trace / (diagonal + 2.0 * on_diagonal + low_rank_square), n_clusters
