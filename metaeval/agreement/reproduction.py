"""An experiment and its replica: orders of documents, scores of topics, and effects over a baseline, with intervals.

Everything is a function of weighted means over topics. Its error is that of the mean of its influence values (the
infinitesimal jackknife), which `metaeval.tests_stat.robust` gives for clusters, strata, weights and gaps; a ratio of
effects has Fieller's interval, which says where the data bound none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from scipy.special import chdtri, ndtri, stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.short_repr import ShortRepr
from metaeval.running import equality
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads
from metaeval.table.units import TopicUnits
from metaeval.tests_stat.robust import difference_estimates, mean_estimates
from metaeval.tests_stat.tails import student_p

_LIST = ["system", "topic"]


class Quantity(NamedTuple):
    """A quantity of a replica, with what its interval is made from; arrays of one shape."""

    value: Floats
    error: Floats
    """Standard error; of a root mean square the relative error of the mean square."""
    freedom: Floats
    """Degrees of freedom of Student's t; NaN where nothing says how topics vary."""
    root_mean_square: bool = False

    def ends(self, alpha: float) -> tuple[Floats, Floats]:
        r"""Return the interval that misses the true value with probability alpha; NaN where there is none.

        A mean square is taken for a multiple of :math:`\chi^2` with as many degrees of freedom as its relative error
        says, fewer by the squared ratio of the normal quantile to Student's.
        """
        reach = stdtrit(self.freedom, 1.0 - alpha / 2.0) * np.where(self.error > 0.0, self.error, np.nan)
        if self.root_mean_square:
            freedom = 2.0 * (ndtri(1.0 - alpha / 2.0) / reach) ** 2
            low, high = (self.value * np.sqrt(freedom / chdtri(freedom, tail)) for tail in (alpha / 2, 1 - alpha / 2))
            return low, high
        return self.value - reach, self.value + reach


class EffectRatio(NamedTuple):
    """The effect of a replica over that of the original, with the second moments of Fieller's interval."""

    original: Floats
    replica: Floats
    variance_original: Floats
    variance_replica: Floats
    covariance: Floats
    freedom: Floats

    @property
    def value(self) -> Floats:
        """The ratio; NaN where the original has no effect."""
        return _ratio(self.replica, self.original)

    def ends(self, alpha: float) -> tuple[Floats, Floats]:
        r"""Return Fieller's interval; NaN where none is bounded, because the original's own effect may be 0.

        All ratios :math:`\theta` for which the mean of (effect of the replica - :math:`\theta` effect of the original)
        does not differ significantly from 0.
        """
        a, squared = self._surely_some(alpha)
        b = self.original * self.replica - squared * self.covariance
        c = self.replica**2 - squared * self.variance_replica
        root, divisor = np.sqrt(np.maximum(b * b - a * c, 0.0)), np.where(a > 0.0, a, np.nan)
        return (b - root) / divisor, (b + root) / divisor

    def unbounded(self, alpha: float) -> Flags:
        """Return where the original's own effect does not differ significantly from 0."""
        return self._surely_some(alpha)[0] <= 0.0

    def _surely_some(self, alpha: float) -> tuple[Floats, Floats]:
        """Return what is above 0 where the original has an effect, and the squared quantile of Student's t."""
        squared = stdtrit(self.freedom, 1.0 - alpha / 2.0) ** 2
        return self.original**2 - squared * self.variance_original, squared


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reproduced(ShortRepr):
    """Original and replica under every metric; arrays (metric, system) of the systems of both."""

    original: Floats
    replica: Floats
    """Means."""
    n_topics: Floats
    """Topics that count: common ones where there are any."""
    same: Flags
    """Whether all scores are equal on all of these topics."""
    difference: Quantity
    """Replica less original."""
    p_value: Floats
    """Of the paired t test; of Welch's where the topics are others."""
    rmse: Quantity
    """Root mean squared difference of the scores; NaN where the topics are others."""
    effect_ratio: EffectRatio | None
    """None without a baseline; NaN for the baseline itself."""
    delta_ri: Quantity | None
    """Relative improvement over the baseline of the original, less that of the replica."""


class _Sides(NamedTuple):
    """Scores (metric, system, topic) of the original and of the replica."""

    original: Floats
    replica: Floats
    units: tuple[TopicUnits, TopicUnits]
    paired: bool

    @classmethod
    def of(cls, original: Floats, replica: Floats, units: tuple[TopicUnits, TopicUnits], *, paired: bool) -> Self:
        if paired:  # a topic that either lacks counts for neither
            gaps = np.isnan(original) | np.isnan(replica)
            original, replica = np.where(gaps, np.nan, original), np.where(gaps, np.nan, replica)
        return cls(original, replica, units, paired)

    def means(self) -> tuple[Floats, Floats]:
        return _means(self.original, self.units[0]), _means(self.replica, self.units[1])

    def summed(self, original: Floats, replica: Floats) -> tuple[Floats, Floats]:
        """Return error and degrees of freedom of the sum of two means: over the same topics, or independent."""
        if self.paired:
            together = mean_estimates(original + replica, self.units[0])
            return together.error, together.freedom
        sides = [mean_estimates(values, units) for values, units in zip((original, replica), self.units, strict=True)]
        squares = np.stack([side.error**2 for side in sides])
        weighed = sum(square**2 / side.certain_freedom for square, side in zip(squares, sides, strict=True))
        told = np.all([side.n_units > 1 for side in sides], axis=0) & (weighed > 0.0)
        freedom = np.divide(squares.sum(axis=0) ** 2, weighed, out=np.full(told.shape, np.nan), where=told)
        return np.sqrt(squares.sum(axis=0)), freedom


def reproduced(  # noqa: PLR0913 - two tables, and how they go together
    original: Floats,
    replica: Floats,
    units: tuple[TopicUnits, TopicUnits],
    *,
    paired: bool,
    baseline: int | None = None,
    direction: Floats | float = 1.0,
) -> Reproduced:
    """Compare the scores of an experiment with those of its replica.

    Shapes: `original, replica` (metric, system, topic), their systems the same; the topics too if `paired`. `direction`
    (metric, 1): -1 where lower is better.
    """
    sides = _Sides.of(original, replica, units, paired=paired)
    means = sides.means()
    nothing = np.full(means[0].shape, np.nan)
    if paired:
        stacked, systems = np.concatenate([sides.original, sides.replica], axis=1), np.arange(original.shape[1])
        estimates = difference_estimates(stacked, units[0], systems + len(systems), systems)
        p_value = student_p(estimates.certain_freedom, estimates.statistic, estimates.n_units).p
        difference = Quantity(estimates.mean, estimates.error, estimates.freedom)
        p_value = np.where(estimates.n_units > 1, p_value, np.nan)
        same, n_topics = estimates.apart == 0.0, estimates.n_topics
        squares = mean_estimates((sides.replica - sides.original) ** 2, units[0])
        rmse = np.where(same, 0.0, np.sqrt(squares.mean))
        relative_error = np.where(same, np.nan, _ratio(squares.error, squares.mean))
        of_topics = Quantity(rmse, relative_error, squares.freedom, root_mean_square=True)
    else:
        error, freedom = sides.summed(-sides.original, sides.replica)
        difference = Quantity(means[1] - means[0], error, freedom)
        p_value = student_p(freedom, _ratio(difference.value, error)).p
        same, of_topics = np.zeros(nothing.shape, dtype=bool), Quantity(nothing, nothing, nothing)
        n_topics = np.minimum(*(np.sum(~np.isnan(values), axis=2) for values in sides[:2])).astype(np.float64)
    ratio, delta_ri = (None, None) if baseline is None else _effects(sides, baseline, direction)
    return Reproduced(
        original=means[0],
        replica=means[1],
        n_topics=n_topics,
        same=same,
        difference=difference,
        p_value=p_value,
        rmse=of_topics,
        effect_ratio=ratio,
        delta_ri=delta_ri,
    )


def _effects(sides: _Sides, baseline: int, direction: Floats | float) -> tuple[EffectRatio, Quantity]:
    """Return effect ratio and difference of relative improvements, on the topics that baseline and system have."""
    below = [np.broadcast_to(values[:, [baseline]], values.shape) for values in sides[:2]]
    complete = [
        ~np.isnan(values) & ~np.isnan(of_baseline) for values, of_baseline in zip(sides[:2], below, strict=True)
    ]
    (old, new), (old_base, new_base) = (
        [np.where(there, values, np.nan) for there, values in zip(complete, group, strict=True)]
        for group in (sides[:2], below)
    )
    gains = old - old_base, new - new_base
    effects = [mean_estimates(gain, units) for gain, units in zip(gains, sides.units, strict=True)]
    improved = [
        _gain(*pair, units) for pair, units in zip(((old, old_base), (new, new_base)), sides.units, strict=True)
    ]
    variances = [effect.error**2 for effect in effects]
    covariance = np.zeros_like(variances[0])
    if sides.paired:
        covariance = (sides.summed(*gains)[0] ** 2 - sum(variances)) / 2.0
    ratio = _ratio(improved[1], improved[0])
    _, freedom = sides.summed(-ratio[..., None] * gains[0], gains[1])
    itself = np.arange(old.shape[1]) == baseline
    fieller = EffectRatio(
        improved[0], improved[1], variances[0], variances[1], covariance, np.where(itself, np.nan, freedom)
    )
    relative, influence = zip(
        *(_relative(*pair, units) for pair, units in zip(((old, old_base), (new, new_base)), sides.units, strict=True)),
        strict=True,
    )
    error, freedom = sides.summed(influence[0], -influence[1])
    value = np.where(itself, np.nan, direction * (relative[0] - relative[1]))
    return fieller, Quantity(value, np.where(np.isnan(value), np.nan, error), freedom)


def _relative(values: Floats, of_baseline: Floats, units: TopicUnits) -> tuple[Floats, Floats]:
    """Return mean over mean of the baseline, and the influence of every topic on that ratio."""
    mean, base = _means(values, units), _means(of_baseline, units)
    ratio = _ratio(mean, base)
    return ratio, _ratio(values - ratio[..., None] * of_baseline, base[..., None])


def _gain(values: Floats, of_baseline: Floats, units: TopicUnits) -> Floats:
    """Return by how much means exceed those of the baseline; exactly 0 where they are equal up to rounding."""
    parts = values, of_baseline
    means, sizes = ([_means(part, units) for part in side] for side in (parts, map(np.abs, parts)))
    return equality.difference(*means, *sizes)


def _means(values: Floats, units: TopicUnits) -> Floats:
    estimates = mean_estimates(values, units)
    return np.where(estimates.n_topics > 0, estimates.mean, np.nan)


def _ratio(above: Floats, below: Floats) -> Floats:
    above, below = np.broadcast_arrays(above, below)
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0.0)


# ------------------------------------------------------------------------------------------------ orders of documents


def document_orders(
    original: Mapping[str, pd.DataFrame], replica: Mapping[str, pd.DataFrame], *, p: float = 0.95, depth: int = 1000
) -> pd.DataFrame:
    r"""Compare the documents of an experiment and of its replica, list by list.

    Parameters
    ----------
    original, replica : mapping of str to pandas.DataFrame
        For each system a table with the columns query_id, doc_id and rank, as `metaeval.io.trec.read_runs` returns.
    p : float, default 0.95
        Persistence of rank-biased overlap.
    depth : int, default 1000
        What stands below is left out.

    Returns
    -------
    pandas.DataFrame
        One row a ``system`` of both and ``topic`` of either: ``n_original`` and ``n_replica`` documents, ``n_both``,
        ``tau_union`` (-1 to 1; NaN where the replica has fewer than two) and ``rbo`` (0 to 1).

    Notes
    -----
    Kendall's tau union [1]_ is tau of the replica's order and of the positions of its documents in the union of both
    lists, in which those of the original come first, in its order. It is 1 for two lists without a common document.
    Rank-biased overlap is that to the depth D of the longer list,
    :math:`\sum_{d=1}^{D} p^{d-1} |S_d \cap T_d| / d` over :math:`\sum_{d=1}^{D} p^{d-1}`.

    References
    ----------
    .. [1] T. Breuer, N. Ferro, N. Fuhr, M. Maistro, T. Sakai, P. Schaer, I. Soboroff (2020). How to measure the
       reproducibility of system-oriented IR experiments. SIGIR, 349-358. :doi:`10.1145/3397271.3401036`

    Examples
    --------
    >>> lists = [
    ...     pd.DataFrame({"query_id": "1", "doc_id": documents, "rank": [1, 2, 3]})
    ...     for documents in (["d1", "d2", "d3"], ["d2", "d5", "d3"])
    ... ]
    >>> document_orders({"a": lists[0]}, {"a": lists[1]})[["n_both", "tau_union", "rbo"]].round(3).to_numpy().tolist()
    [[2.0, 0.333, 0.377]]
    """
    systems = [system for system in original if system in replica]
    old, new = (_ranked(lists, systems, depth) for lists in (original, replica))
    lists = pd.MultiIndex.from_frame(pd.concat([old, new])[_LIST].drop_duplicates(ignore_index=True))
    retrieved = new.merge(old, on=[*_LIST, "document"], how="left", suffixes=("", "_original"))
    number = lists.get_indexer(pd.MultiIndex.from_frame(retrieved[_LIST]))
    order = np.lexsort((retrieved["rank"], number))
    number, rank = number[order], retrieved["rank"].to_numpy()[order]
    at = retrieved["rank_original"].to_numpy(dtype=np.float64)[order]
    n_old, n_new = (
        np.bincount(lists.get_indexer(pd.MultiIndex.from_frame(of[_LIST])), minlength=len(lists)) for of in (old, new)
    )
    offsets = np.concatenate([[0], np.cumsum(n_new)]).astype(np.int64)
    discordant = np.zeros(len(lists))
    _count_discordant(len(lists), offsets, np.where(np.isnan(at), depth + rank, at), discordant)
    pairs = n_new * (n_new - 1) / 2.0
    common = ~np.isnan(at)
    longest = np.maximum(n_old, n_new)
    below = np.concatenate([[0.0], np.cumsum(p ** np.arange(depth) / np.arange(1, depth + 1))])
    entry = np.maximum(rank, at)[common].astype(np.int64)  # from this depth on both lists hold the document
    gained = below[longest[number[common]]] - below[entry - 1]
    overlap = np.bincount(number[common], weights=gained, minlength=len(lists))
    return lists.to_frame(index=False).assign(
        n_original=n_old,
        n_replica=n_new,
        n_both=np.bincount(number[common], minlength=len(lists)),
        tau_union=_ratio(pairs - 2.0 * discordant, pairs),
        rbo=np.minimum(_ratio(overlap * (1.0 - p), 1.0 - p**longest), 1.0),
    )


def _ranked(lists: Mapping[str, pd.DataFrame], systems: list[str], depth: int) -> pd.DataFrame:
    """Return system, topic, document and rank of all lists, ranks from 1 without a gap."""
    frames = [lists[system].assign(system=system) for system in systems]
    frame = pd.concat(frames).rename(columns={"query_id": "topic", "doc_id": "document"})
    frame = frame[[*_LIST, "document", "rank"]].reset_index(drop=True)
    frame["rank"] = frame.groupby(_LIST, sort=False)["rank"].rank(method="first").astype(np.int64)
    return frame[frame["rank"] <= depth]


@on_threads
@compiled
def _count_discordant(start: int, stop: int, offsets: Ints, positions: Floats, counts: Floats) -> None:
    """Count in every list the pairs of documents that the union has in the other order."""
    for number in range(start, stop):
        discordant = 0
        for later in range(offsets[number], offsets[number + 1]):
            for earlier in range(offsets[number], later):
                discordant += positions[earlier] > positions[later]
        counts[number] = discordant
