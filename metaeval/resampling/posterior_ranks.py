"""Ranks and pairs of systems that draws of their true means leave open, all at once or for each system.

At each end of a system's ranks `cut` draws are left out. The cut is the largest with which enough draws have all ranks
inside. A pair is decided by the same cut: where at most so many draws have the other order.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.resampling.cluster_residuals import UnitResiduals
from metaeval.resampling.exchangeable import SystemPlaces, places_of_systems
from metaeval.resampling.true_means import draws_of_means
from metaeval.running.equality import RELATIVE, settle

type Whole = Ints
type Square = Flags


class RankBands(NamedTuple):
    """What the draws say of one metric's systems."""

    low: Whole
    high: Whole
    """Least and largest rank kept; systems equal on every topic share all their ranks. Shape (system,)."""
    error: Floats
    """Monte-Carlo standard error of the ends of the band. Shape (system,)."""
    ahead: Floats
    """Share of the draws in which the row's true mean is better; half for equal systems. Shape (system, system)."""
    sure: Square
    """Whether the row is better for sure, as the row, and as the column, is asked. Shape (2, system, system)."""
    cut: Floats
    """Share of the draws left out at an end. Shape (system,)."""
    cut_error: Floats


def bands_of_ranks(  # noqa: PLR0913 - the sample and what is asked
    units: UnitResiduals, metric: int, squares: Floats, *, level: float, simultaneous: bool, n_draws: int, seed: int
) -> RankBands:
    """Return bands of ranks under one metric; `squares` (system, system) says how much each difference varies."""
    oriented, spans = units.oriented[metric], units.spans[metric]
    places = places_of_systems(oriented, units.residual[metric])
    draws = np.concatenate(list(draws_of_means(units, metric, places, n_draws, np.random.default_rng(seed))))
    still = squares * len(units.sizes) <= (RELATIVE * (spans[:, None] + spans)) ** 2
    return bands_of_draws(draws, oriented, still, places, squares, level=level, simultaneous=simultaneous)


def bands_of_draws(  # noqa: PLR0913 - the draws, what they are of, and what is asked
    draws: Floats,
    oriented: Floats,
    still: Square,
    places: SystemPlaces,
    squares: Floats,
    *,
    level: float,
    simultaneous: bool,
) -> RankBands:
    """Return bands of ranks by draws of the true means (draw, system).

    `oriented` (system,) are the means seen, and `still` (system, system) says whose difference has no error.
    """
    equal = still & (oriented[:, None] == oriented)
    number = len(draws)
    ranks = ranks_of(draws)
    counts = _pair_counts(ranks, equal, places, squares)
    most = min(int((1.0 - level) * number * (1.0 + RELATIVE)), max(number // 2 - 1, 0))
    pools = [_Pool.of(ranks, places.group == places.group[system]) for system in range(len(equal))]
    depths = _depths(ranks, pools)
    if simultaneous:
        depths = depths.min(axis=1, keepdims=True)
    needed = int(np.ceil(level * number * (1.0 - RELATIVE)))
    reach = int(np.ceil(np.sqrt(number * level * (1.0 - level))))
    wanted = number - np.clip([needed, needed + reach, needed - reach], 1, number)
    cuts = np.minimum(np.sort(depths, axis=0)[wanted], most)
    cuts = np.broadcast_to(cuts, (3, len(equal)))
    cut, cut_error = cuts[0], (cuts[2] - cuts[1]) / 2.0
    off = np.ceil(np.sqrt(cut_error**2 + cut + 1.0)).astype(np.int64) * (number > 1)
    low, high = _ends(pools, cut)
    wide, narrow = (_ends(pools, np.clip(cut + move, 0, max(number // 2 - 1, 0))) for move in (-off, off))
    error = np.maximum(narrow[0] - wide[0], wide[1] - narrow[1]) / 2.0
    above = oriented[:, None] > oriented
    sure = np.stack([(cut[:, None] >= counts.T) & above, (cut >= counts.T) & above])
    if simultaneous:
        sure[:] = _closed(sure[0])
    copies = equal.sum(axis=1)
    rank = 1 + above.sum(axis=0)
    return RankBands(
        low=np.minimum(np.maximum(low, 1 + sure[1].sum(axis=0)), rank),
        high=np.maximum(np.minimum(high + copies - 1, len(equal) - sure[0].sum(axis=1)), rank),
        error=error,
        ahead=np.where(equal, 0.5, counts / number),
        sure=sure,
        cut=cut / number,
        cut_error=cut_error / number,
    )


def ranks_of(draws: Floats) -> Whole:
    """Return 1 + the systems that are better, in every draw.

    Examples
    --------
    >>> ranks_of(np.array([[0.2, 0.5, 0.2, 0.1]])).tolist()
    [[2, 1, 2, 4]]
    """
    order = np.argsort(-draws, axis=1, kind="stable")
    ordered = np.take_along_axis(draws, order, axis=1)
    position = np.arange(draws.shape[1])[None].repeat(len(draws), axis=0)
    position[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = 0
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, 1 + np.maximum.accumulate(position, axis=1), axis=1)
    return ranks


def counts_at_top(draws: Floats, sizes: Sequence[int]) -> Floats:
    """Count how often each system is among the best so many, (size, system); equals share what places there are.

    Examples
    --------
    >>> counts_at_top(np.array([[0.2, 0.5, 0.2], [0.4, 0.1, 0.3]]), [1, 2]).tolist()
    [[1.0, 1.0, 0.0], [1.5, 1.0, 1.5]]
    """
    count = np.empty((len(sizes), draws.shape[1]))
    for row, size in enumerate(sizes):
        last = np.partition(draws, -size, axis=1)[:, -size, None]
        above, level = draws > last, draws == last
        left = size - above.sum(axis=1, keepdims=True)
        count[row] = (above + level * (left / level.sum(axis=1, keepdims=True))).sum(axis=0)
    return count


def _pair_counts(ranks: Whole, equal: Square, places: SystemPlaces, squares: Floats) -> Floats:
    """Return in how many draws the row is ahead, (system, system); in all of them for equal systems.

    Pairs that can be exchanged without changing the data share their mean.
    """
    columns = np.ascontiguousarray(ranks.T)
    counts = np.array([(system_ranks < columns).sum(axis=1) for system_ranks in columns], dtype=np.float64)
    counts[equal] = len(ranks)
    if len(np.unique(places.group)) < len(equal):
        row, column = np.broadcast_arrays(places.group[:, None], places.group)
        size = settle(squares.ravel(), np.full(squares.size, 1e3 * squares.max()))
        keys = np.stack([row.ravel(), column.ravel(), np.unique(size, return_inverse=True)[1], equal.ravel()])
        kind = np.unique(keys, axis=1, return_inverse=True)[1].ravel()
        counts = (np.bincount(kind, counts.ravel()) / np.bincount(kind))[kind].reshape(counts.shape)
    return counts


class _Pool(NamedTuple):
    """The ranks of systems that can be exchanged, all draws together."""

    upto: Whole
    """How many are at most so large, from 0 to the number of systems."""
    size: int
    """Systems."""

    @classmethod
    def of(cls, ranks: Whole, members: Square) -> "_Pool":
        return cls(np.bincount(ranks[:, members].ravel(), minlength=len(members) + 1).cumsum(), int(members.sum()))


def _depths(ranks: Whole, pools: list[_Pool]) -> Whole:
    """Return up to which cut every draw is inside the band of every system's ranks, (draw, system)."""
    columns = []
    for system_ranks, (upto, size) in zip(ranks.T, pools, strict=True):
        columns.append((np.minimum(upto[system_ranks], upto[-1] - upto[system_ranks - 1]) - 1) // size)
    return np.stack(columns, axis=1)


def _ends(pools: list[_Pool], cut: Whole) -> tuple[Whole, Whole]:
    """Return the bands that leave out so many draws at each end, (system,)."""
    low = [np.searchsorted(upto, leave * size, "right") for (upto, size), leave in zip(pools, cut, strict=True)]
    high = [
        np.searchsorted(upto, upto[-1] - 1 - leave * size, "right")
        for (upto, size), leave in zip(pools, cut, strict=True)
    ]
    return np.array(low), np.array(high)


def _closed(better: Square) -> Square:
    """Add what follows: a better than b, and b than c."""
    while True:
        more = better | (better.astype(np.float32) @ better.astype(np.float32) > 0)
        if (more == better).all():
            return better
        better = more
