"""On what does it rest that two systems differ? Topics without which a pair is no longer significant.

Such topics are a witness: whoever leaves them out sees the decision fall, whatever the way they were found. They are
found greedily and tested, so there may be fewer; the tests compare them with brute force.

For the paired t test :math:`t^2 = (n - 1) r / (n - r)` with :math:`r = S^2 / Q`, the squared sum of the differences
over the sum of their squares. Without a topic of difference d it is :math:`(S - d)^2 / (Q - d^2)`, which falls in d up
to :math:`Q / S` and rises after it, and dropping :math:`Q / S` itself leaves that number where it is. Of differences in
ascending order those to drop are thus the ones around it, and each step looks at two: O(1), whatever the topics.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.running.equality import RELATIVE, reaches
from metaeval.table.scores import Scores, by_name, oriented_values
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.robust import mean_estimates
from metaeval.tests_stat.runs import Runs
from metaeval.tests_stat.tails import student_tail

_DIGITS = 9
"""Of differences, the largest of a pair being 1, by which topics are chosen: equal ones are then equal in any unit."""
_MARGIN = 1e-9
_MOST = 1e9
_AT_ONCE = 2_000_000
_EXACT = 8
"""Clusters are weighed again when an eighth more of them are dropped, and each time while they are few."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claims:
    """Pairs of which one system is significantly better by the t test."""

    differences: Floats
    """The better system less the other one, NaN where one has no score. Shape (pair, topic)."""
    sizes: Floats
    """Sizes of the two scores, added up. Shape (pair, topic)."""
    levels: Floats
    """Up to which p-value the pair is significant. Shape (pair,)."""
    fewest: int
    """Topics, or clusters, on which the two have to differ for an exact test to reach the level."""
    two_sided: bool
    units: TopicUnits
    runs: Runs | None = None
    """What runs add to the variances, where scores are means over runs. Shape (pair,)."""

    def hold(self, gone: Flags) -> Flags:
        """Test the pairs without these units, (pair, unit), and say which are as significant as they were."""
        without = gone[:, self.units.unit]
        left, sizes = (np.where(without, np.nan, values) for values in (self.differences, self.sizes))
        if self.units.plain and self.runs is None:
            statistic, freedom, n_units = _plain_t(left, sizes)
        else:
            estimates = mean_estimates(left[None], self.units)
            if self.runs is not None:
                error, spread = self.runs.widen(estimates.error, estimates.freedom)
                estimates = estimates._replace(error=error, freedom=spread)
            statistic = np.where(estimates.without_evidence, 0.0, estimates.statistic)[0]
            freedom, n_units = estimates.certain_freedom[0], estimates.n_units[0]
        p = student_tail(freedom, -statistic, n_units).p * (1 + self.two_sided)
        apart = np.abs(self.units.sums(left)) > RELATIVE * self.units.sums(sizes)
        enough = (n_units > 1) & (apart.sum(axis=1) >= self.fewest)
        return reaches(self.levels, p, self.levels) & (statistic > 0.0) & enough

    def witnesses(self) -> Flags:
        """Return units without which each pair is not significant: (pair, unit); none where none was found."""
        gone = _around_the_turn(self) if self.units.plain and self.runs is None else _by_rounds(self)
        return gone & ~self.hold(gone)[:, None]

    def hold_but_for_few(self, gone: Flags) -> Flags:
        """Say which pairs the test still finds without these units, though an exact one no longer can: (pair,)."""
        return replace(self, fewest=0).hold(gone) & ~self.hold(gone)


def _plain_t(left: Floats, sizes: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the paired t, its degrees of freedom and the number of topics, as `metaeval.tests_stat.paired_t`."""
    n, total = np.isfinite(left).sum(axis=1).astype(np.float64), np.nansum(left, axis=1)
    tolerance = RELATIVE * np.nansum(sizes, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no topic, or no spread
        mean = total / n
        squares = np.nansum((left - mean[:, None]) ** 2, axis=1)
        statistic = mean / np.sqrt(squares / (n - 1.0) / n)
    spread = squares * n > tolerance**2
    statistic = np.where(spread, statistic, np.copysign(np.inf, total))
    return np.where((np.abs(total) <= tolerance) | (n <= 1.0), 0.0, statistic), np.maximum(n - 1.0, 1.0), n


class _Sums(NamedTuple):
    """Of the differences of each pair in ascending order, what the first so many add up to. Shape (pair, topic + 1)."""

    total: Floats
    squares: Floats
    apart: Floats
    """How many are not 0."""

    @classmethod
    def of(cls, ascending: Floats) -> "_Sums":
        sums = [np.zeros((len(ascending), ascending.shape[1] + 1)) for _ in cls._fields]
        for values, added in zip((ascending, ascending**2, ascending != 0.0), sums, strict=True):
            np.cumsum(values, axis=1, out=added[:, 1:])
        return cls(*sums)

    def outside(self, pairs: Ints, low: Ints, high: Ints) -> list[Floats]:
        """Return the sums over all but the places from `low` to before `high`."""
        return [values[pairs, -1] - values[pairs, high] + values[pairs, low] for values in self]


def _rounded(values: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.round(values / np.nanmax(np.abs(values), axis=1, keepdims=True), _DIGITS)


def _around_the_turn(claims: Claims) -> Flags:
    """Return the topics to drop where topics are units that all weigh alike: those around Q / S."""
    differences = _rounded(claims.differences)
    order = np.argsort(differences, axis=1, kind="stable")  # NaN last
    ascending = np.take_along_axis(differences, order, axis=1)
    n = ascending.shape[1] - np.isnan(ascending).sum(axis=1)
    sums = _Sums.of(np.nan_to_num(ascending) if (n < ascending.shape[1]).any() else ascending)
    turn = sums.squares[:, -1] / sums.total[:, -1]
    low = (ascending <= turn[:, None]).sum(axis=1)
    high = low.copy()
    critical, places = _critical(claims, differences.shape[1]), np.arange(differences.shape[1])
    going = np.arange(len(differences))
    while len(going):
        total, squares, apart = sums.outside(going, low[going], high[going])
        left = n[going] - high[going] + low[going]
        going_on = _significant(claims, going, (total, squares, apart), left, critical)
        going, total, squares = going[going_on], total[going_on], squares[going_on]
        below, above = (_without(ascending[going, end[going]], total, squares) for end in (low - 1, high % len(places)))
        lower = (low[going] > 0) & ((below <= above) | (high[going] >= n[going]))
        low[going] -= lower
        high[going] += ~lower
    dropped, gone = (places >= low[:, None]) & (places < high[:, None]), np.zeros(differences.shape, dtype=bool)
    np.put_along_axis(gone, order, dropped, axis=1)
    return gone


def _without(differences: Floats, total: Floats, squares: Floats) -> Floats:
    """Return r without one difference of each pair; less than any where their sum is not positive then."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(differences < total, (total - differences) ** 2 / (squares - differences**2), -1.0)


def _critical(claims: Claims, most: int) -> tuple[Floats, Ints]:
    """Return the squared t that each level asks of so many topics, (level, topics), and which level a pair has."""
    levels, which = np.unique(claims.levels, return_inverse=True)
    with np.errstate(invalid="ignore"):
        return stdtrit(np.arange(most + 1) - 1.0, levels[:, None] / (1 + claims.two_sided)) ** 2, which


def _significant(
    claims: Claims, pairs: Ints, sums: Sequence[Floats], left: Ints, critical: tuple[Floats, Ints]
) -> Flags:
    """Say which of some pairs still are significant, by their sums over the topics left."""
    total, squares, apart = sums
    asked, level = critical
    with np.errstate(divide="ignore", invalid="ignore"):
        around = squares - total**2 / left
        t_squared = total**2 * (left - 1.0) / (left * around)
        enough = np.where(
            around > RELATIVE * squares,
            t_squared >= asked[level[pairs], left] * (1.0 - _MARGIN),
            0.5 ** (left - claims.two_sided) <= claims.levels[pairs] * (1.0 + _MARGIN),
        )
    return enough & (total > 0.0) & (left > 1) & (apart >= claims.fewest)


def _by_rounds(claims: Claims) -> Flags:
    """Return the clusters, or topics with weights, to drop: the fewest of an order that test as not significant."""
    turns, n_units = _order(claims)
    few, many = np.zeros(len(turns)), np.maximum(n_units - 1.0, 0.0)  # what is left of many is one unit: no evidence
    while (open_ones := many - few > 1).any():
        middle = np.where(open_ones, (few + many) // 2, many)
        still = claims.hold(turns < middle[:, None])
        few, many = np.where(open_ones & still, middle, few), np.where(open_ones & ~still, middle, many)
    return turns < many[:, None]


def _order(claims: Claims) -> tuple[Floats, Floats]:
    r"""Return when each unit goes, infinite for one without scores, and how many units each pair has.

    With :math:`u_g` and :math:`n_g` the sums of the differences and of the weights in a cluster, the next to go is the
    one without which :math:`S^2 / \sum (u_g - m n_g)^2` is least, m the mean.
    """
    units = claims.units
    sums = units.sums(np.nan_to_num(_rounded(claims.differences)))
    weights = units.sums(1.0 * ~np.isnan(claims.differences))
    there = weights > 0.0
    turns = np.where(there, np.nan, np.inf)
    n_gone = 0
    while n_gone < sums.shape[1]:
        here = np.isnan(turns)
        u, n = np.where(here, sums, 0.0), np.where(here, weights, 0.0)
        s, w, uu, un, nn = (values.sum(axis=1, keepdims=True) for values in (u, n, u * u, u * n, n * n))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (s - u) / (w - n)
            around = uu - u * u - 2.0 * mean * (un - u * n) + mean**2 * (nn - n * n)
            ratio = np.where(s - u > RELATIVE, (s - u) ** 2 / around, -1.0)
        ratio = np.where(here, np.round(np.nan_to_num(ratio, nan=_MOST, posinf=_MOST), _DIGITS), np.inf)
        rank = np.argsort(np.argsort(ratio, axis=1, kind="stable"), axis=1)
        step = max(1, n_gone // _EXACT)
        turns, n_gone = np.where(here & (rank < step), n_gone + rank, turns), n_gone + step
    return turns, there.sum(axis=1).astype(np.float64)


def witness_frame(data: xr.Dataset, scores: Scores, levels: Floats, *, fewest: int, two_sided: bool) -> pd.DataFrame:
    """Return the rows of `metaeval.tests_stat.result.PairwiseResult.rests_on`.

    Shapes: `levels` (metric, pair), up to which p-value each pair is significant, NaN where it is not.
    """
    significant = data["significant"].to_numpy() & ~np.isnan(levels)
    metrics, pairs = np.nonzero(significant)
    scores = by_name(scores, "topic")  # so that their order decides nothing
    units, values, better = units_of(scores), oriented_values(scores), data["better"].to_numpy()
    systems = pd.Index(scores["system"].to_numpy())
    sides = [systems.get_indexer(pd.Index(data[side].to_numpy())) for side in ("system_a", "system_b")]
    rows = pd.Index(scores["metric"].to_numpy()).get_indexer(pd.Index(data["metric"].to_numpy()))
    gone, n_units = np.zeros((len(pairs), units.n_units), dtype=bool), np.zeros(len(pairs), dtype=np.int64)
    too_few = np.zeros(len(pairs), dtype=bool)
    runs = Runs.of(scores, *sides)
    step = max(1, _AT_ONCE // scores.sizes["topic"])
    for start in range(0, len(pairs), step):
        block = slice(start, start + step)
        metric, pair = metrics[block], pairs[block]
        a, b = (values[rows[metric], side[pair]] for side in sides)
        claims = Claims(
            differences=(a - b) * better[metric, pair, None],
            sizes=np.abs(a) + np.abs(b),
            levels=levels[metric, pair],
            fewest=fewest,
            two_sided=two_sided,
            units=units,
            runs=None if runs is None else runs.at((rows[metric], pair)),
        )
        gone[block], n_units[block] = claims.witnesses(), units.held(~np.isnan(a - b))
        too_few[block] = claims.hold_but_for_few(gone[block])
    names = np.array(units.names if units.clustered else scores["topic"].to_numpy().tolist(), dtype=object)
    n_dropped = gone.sum(axis=1)
    named = np.split(names[np.nonzero(gone)[1]], np.cumsum(n_dropped)[:-1]) if len(pairs) else []
    a, b = (data[side].to_numpy()[pairs] for side in ("system_a", "system_b"))
    frame = pd.DataFrame(
        {
            "metric": data["metric"].to_numpy()[metrics],
            "system_a": a,
            "system_b": b,
            "winner": np.where(better[significant] > 0, a, b),
            "n_dropped": n_dropped,
            "n_units": n_units,
            "share": n_dropped / np.maximum(n_units, 1),
            "rests_on": pd.Series(list(map(tuple, named)), dtype=object),
            "too_few": too_few,
        }
    )
    order = np.lexsort((data["p_value"].to_numpy()[significant] * -1.0, n_dropped / np.maximum(n_units, 1)))
    return frame.iloc[order[n_dropped[order] > 0]].reset_index(drop=True)


def first_places(scores: Scores) -> pd.DataFrame:
    """Return topics without which the system of the best mean is no longer ahead of another one: exactly the fewest.

    What is dropped is where it is ahead of that system most; clusters go as wholes.

    Parameters
    ----------
    scores : Scores
        Checked. With gaps, where means are not those of the scores that there are, there is no answer.

    Returns
    -------
    pandas.DataFrame
        One row a metric, none where the best mean is shared: ``metric``, ``system``, the ``rival``, and as
        `metaeval.tests_stat.result.PairwiseResult.rests_on` ``n_dropped``, ``n_units``, ``share`` and ``rests_on``.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> found = first_places(as_scores([[0.9, 0.5, 0.1], [0.1, 0.5, 0.2]]))
    >>> found["system"][0], found["rival"][0], int(found["n_dropped"][0]), found["rests_on"][0]
    ('system1', 'system2', 1, ('1',))
    """
    scores = by_name(by_name(scores, "topic"), "system")
    units, names, rows = units_of(scores), scores["system"].to_numpy().tolist(), []
    labels = np.array(units.names if units.clustered else scores["topic"].to_numpy().tolist(), dtype=object)
    for metric, values in zip(scores["metric"].to_numpy().tolist(), oriented_values(scores), strict=True):
        sums, sizes = units.sums(values), units.sums(np.abs(values))
        first = int(np.argmax(sums.sum(axis=1)))
        margins, tolerance = sums[first] - sums, RELATIVE * (sizes + sizes[first]).sum(axis=1)
        total = np.where(np.arange(len(names)) == first, np.inf, margins.sum(axis=1))
        if len(names) < 2 or not (total > tolerance).all():  # NaN too  # noqa: PLR2004 - a rival
            continue
        order = np.argsort(-_rounded(margins), axis=1, kind="stable")
        left = total[:, None] - np.cumsum(np.take_along_axis(margins, order, axis=1), axis=1)
        n_dropped = np.where(np.isinf(total), np.inf, (left > tolerance[:, None]).argmin(axis=1) + 1)
        rival = int(np.argmin(n_dropped))
        n, gone = int(n_dropped[rival]), np.sort(order[rival, : int(n_dropped[rival])])
        named = tuple(labels[gone].tolist())
        rows.append([metric, names[first], names[rival], n, units.n_units, n / units.n_units, named])
    columns = ["metric", "system", "rival", "n_dropped", "n_units", "share", "rests_on"]
    return pd.DataFrame(rows, columns=columns)
