"""Which resamples of the studentised bootstrap are extreme: quickly where rounding cannot matter, else exactly.

Kernels of `metaeval.tests_stat.studentised`, in three steps. `sort_resamples` compares A^2 with the threshold times Q
and lists the resamples too close to it for single precision; `sum_again` adds those up topic by topic; `tally_extreme`
and `find_place` put both together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.running.compiled import compiled
from metaeval.running.equality import RELATIVE

TALLY = 5  # rows: |t*| >= |t|, t* >= t, t* <= t, and the two kinds of resample without variance, 0/0 and c/0
_ZERO_OVER_ZERO, _CONSTANT_OVER_ZERO = 3, 4


class UnitPairs(NamedTuple):
    """Some pairs, each in a unit that single precision can square; arrays (pair,)."""

    first: Ints
    second: Ints
    scale: Floats  # a power of two that brings the larger centred score near 1: it rounds nothing
    observed: Floats  # sum of z over the topics; exactly 0 where the systems' means are equal
    tolerance: Floats  # how far two sums over the topics may lie apart and still be one number
    slack: Floats  # bounds the rounding of A in any order of summation, and holds the tolerance


class Tile(NamedTuple):
    """Some pairs under one metric, with what all their resamples need."""

    pairs: UnitPairs
    spreads: Floats  # (pair,): sum of w squared over the topics
    products: NDArray[np.float32]  # (pair, resample): Q
    sums: Floats  # (system, resample): A of a pair is the difference of two rows
    n_topics: int
    rounding: float  # bounds that of Q, relative, in any order of summation: its terms are squares


class Sorted(NamedTuple):
    """Where the resamples of some pairs lie; what is close counts as neither."""

    sure: Ints  # (2, pair): surely beyond the threshold, surely short of it
    before: Ints  # (pair,): surely before the place; -1 where fewer than that have Q > 0
    cases: Ints  # (case, 3), pair by pair: pair, resample, and whether it is close to the place


class ExactSums(NamedTuple):
    """The close cases summed again; arrays (case,)."""

    totals: Floats  # A
    deviations: NDArray[
        np.float64
    ]  # root of the sum of squares about the mean; A divided by it is t but for a constant
    kinds: Ints  # 0, or for a resample without variance the row of a tally that counts it

    @classmethod
    def none_yet(cls, n_cases: int) -> "ExactSums":
        """Return what `sum_again` fills in."""
        return cls(np.zeros(n_cases), np.zeros(n_cases), np.zeros(n_cases, dtype=np.int64))


@compiled
def square_deviations(  # noqa: PLR0913, PLR0917 - a kernel
    values: Floats,
    means: Floats,
    pairs: UnitPairs,
    n_topics: int,
    squares: NDArray[np.float32],
    spreads: Floats,
) -> None:
    """Fill in w squared per pair and topic of a block, and add it to the sum per pair.

    A deviation within its noise is 0 exactly, so that a resample of such topics has Q = 0.
    """
    for pair in range(len(pairs.first)):
        a, b = values[pairs.first[pair]], values[pairs.second[pair]]
        mean_a, mean_b = means[pairs.first[pair]], means[pairs.second[pair]]
        scale, tolerance = pairs.scale[pair], pairs.tolerance[pair]
        for topic in range(len(a)):
            left, right = a[topic] - mean_a, b[topic] - mean_b
            deviation = scale * (left - right)
            noise = _noise(scale * left, scale * right, tolerance, n_topics)
            square = deviation * deviation if abs(deviation) > noise else 0.0
            squares[pair, topic] = square
            spreads[pair] += square


@compiled
def _noise(a: float, b: float, tolerance: float, n_topics: int) -> float:
    """Return how far from 0 a deviation on one topic may lie and still be 0 up to rounding.

    It is made of two scores and of two means: a centred score and its mean are together at least the score.
    """
    return RELATIVE * (abs(a) + abs(b)) + tolerance / n_topics


@compiled
def sort_resamples(
    tile: Tile,
    two_sided: bool,  # noqa: FBT001 - a kernel
    place: int,
    guess: float,
) -> tuple[Ints, Ints, Ints]:
    """Sort the resamples of every pair by its observed t and, unless `place` is 0, by the place among the largest.

    Returns what `Sorted` holds.
    """
    n_resamples = tile.products.shape[1]
    far = np.empty(n_resamples if place else 0, dtype=np.int64)
    ratios = np.empty(len(far))
    n_pairs, n_cases = len(tile.spreads), 0
    sure, before = np.zeros((2, n_pairs), dtype=np.int64), np.full(n_pairs, -1)
    cases = np.empty((4 * n_pairs, 3), dtype=np.int64)
    for pair in range(n_pairs):
        if len(cases) < n_cases + 2 * n_resamples:
            grown = np.empty((2 * len(cases) + 2 * n_resamples, 3), dtype=np.int64)
            grown[:n_cases] = cases[:n_cases]
            cases = grown
        if tile.spreads[pair] > 0.0:
            n_cases = _sort_by_threshold(tile, pair, two_sided, sure, cases, n_cases)
        if place:
            n_far, threshold = _near_place(tile, pair, place, guess, far, ratios)
            if n_far >= place:
                before[pair], n_cases = _sort_by_place(tile, pair, threshold, far[:n_far], cases, n_cases)
    return sure, before, cases[:n_cases].copy()


@compiled
def _share(tile: Tile, pair: int) -> float:
    """Return z's own A^2 / Q, with which those of resamples are compared."""
    square = tile.pairs.observed[pair] * tile.pairs.observed[pair]
    return square / (tile.spreads[pair] + square / tile.n_topics)


@compiled
def _sort_by_threshold(  # noqa: PLR0913, PLR0917 - a kernel
    tile: Tile,
    pair: int,
    two_sided: bool,  # noqa: FBT001 - a kernel takes no names
    sure: Ints,
    cases: Ints,
    n_cases: int,
) -> int:
    """Fill in how many are surely on either side, and list the others; returns how many cases are listed."""
    a, b, row = tile.sums[tile.pairs.first[pair]], tile.sums[tile.pairs.second[pair]], tile.products[pair]
    factor = tile.pairs.scale[pair] if tile.pairs.observed[pair] >= 0.0 else -tile.pairs.scale[pair]
    slack, share = tile.pairs.slack[pair], _share(tile, pair)
    n_beyond = 0
    n_not_short = 0
    n_flat = 0
    for resample in range(len(row)):
        total = factor * (a[resample] - b[resample])
        beyond, not_short, flat = _sides(abs(total) if two_sided else total, row[resample], share, slack, tile)
        n_beyond += beyond
        n_not_short += not_short
        n_flat += flat
    if n_beyond < n_not_short or n_flat > 0:
        n_beyond = 0
        n_not_short = 0
        for resample in range(len(row)):
            total = factor * (a[resample] - b[resample])
            beyond, not_short, flat = _sides(abs(total) if two_sided else total, row[resample], share, slack, tile)
            close = beyond != not_short or flat
            cases[n_cases, 0], cases[n_cases, 1], cases[n_cases, 2] = pair, resample, 0
            n_cases += close
            n_beyond += beyond and not close
            n_not_short += beyond or close
    sure[0, pair] = n_beyond
    sure[1, pair] = len(row) - n_not_short
    return n_cases


@compiled
def _sides(total: float, squares: float, share: float, slack: float, tile: Tile) -> tuple[bool, bool, bool]:
    """Say whether A is surely beyond the threshold, not surely short of it, and whether the variance may be nil."""
    less = total - slack
    more = total + slack
    size = abs(total) + slack
    return (
        less * abs(less) > share * (1.0 + tile.rounding) * squares,
        more * abs(more) >= share * (1.0 - tile.rounding) * squares,
        size * size >= tile.n_topics * (1.0 - tile.rounding) * squares,  # A^2 = T Q where w is one number
    )


@compiled
def _near_place(  # noqa: PLR0917, PLR0913 - a kernel
    tile: Tile, pair: int, place: int, guess: float, far: Ints, ratios: Floats
) -> tuple[int, float]:
    """List the resamples with A^2 / Q above some level that more than `place` of them reach.

    Returns how many they are and the value at the place, as exact as Q is. The level starts at the guess and falls
    until the place lies clear of it; fewer than `place` are left only if no more have Q > 0.
    """
    a, b, row = tile.sums[tile.pairs.first[pair]], tile.sums[tile.pairs.second[pair]], tile.products[pair]
    scale = tile.pairs.scale[pair]
    level = guess
    while True:
        n_far = 0
        for resample in range(len(row)):
            total = scale * (a[resample] - b[resample])
            far[n_far] = resample
            n_far += (total * total >= level * row[resample]) and row[resample] > 0.0
        threshold = 0.0
        if n_far >= place:
            for position in range(n_far):
                total = scale * (a[far[position]] - b[far[position]])
                ratios[position] = total * total / row[far[position]]
            threshold = _largest(ratios[:n_far], place)
        if level == 0.0 or threshold * (1.0 - 8.0 * tile.rounding) > level:
            return n_far, threshold
        level = level * 0.5 if level > 1e-3 else 0.0  # noqa: PLR2004 - far below any place worth asking for


@compiled
def _sort_by_place(  # noqa: PLR0913, PLR0917 - a kernel
    tile: Tile, pair: int, threshold: float, far: Ints, cases: Ints, n_cases: int
) -> tuple[int, int]:
    """Count the resamples surely before the place, and list those close, `threshold` being A^2 / Q there, roughly."""
    a, b, row = tile.sums[tile.pairs.first[pair]], tile.sums[tile.pairs.second[pair]], tile.products[pair]
    scale, slack = tile.pairs.scale[pair], tile.pairs.slack[pair]
    before = 0
    for resample in far:
        size = scale * abs(a[resample] - b[resample])
        beyond, _, flat = _sides(size, row[resample], threshold * (1.0 + 2.0 * tile.rounding), slack, tile)
        _, not_short, _ = _sides(size, row[resample], threshold * (1.0 - 2.0 * tile.rounding), slack, tile)
        if beyond and not flat:
            before += 1
        elif not_short:
            cases[n_cases, 0], cases[n_cases, 1], cases[n_cases, 2] = pair, resample, 1
            n_cases += 1
    return before, n_cases


@compiled
def sum_again(  # noqa: PLR0913, PLR0917 - a kernel
    values: Floats,
    means: Floats,
    pairs: UnitPairs,
    counts: NDArray[np.uint8],
    first: int,
    cases: Ints,
    sums: ExactSums,
) -> None:
    """Sum again the cases whose resamples are rows of `counts` (resample, topic), which begin with resample `first`."""
    for case in range(len(cases)):
        row = cases[case, 1] - first
        if 0 <= row < len(counts):
            sums.totals[case], sums.deviations[case], sums.kinds[case] = _resum(
                values, means, pairs, cases[case, 0], counts[row]
            )


@compiled
def _resum(
    values: Floats, means: Floats, pairs: UnitPairs, pair: int, counts: NDArray[np.uint8]
) -> tuple[float, float, int]:
    """Return A, the root of the sum of squares about the mean and the kind of one resample, in the order of topics."""
    a, b, scale = values[pairs.first[pair]], values[pairs.second[pair]], pairs.scale[pair]
    mean_a, mean_b = means[pairs.first[pair]], means[pairs.second[pair]]
    total = 0.0
    low = np.inf
    high = -np.inf
    apart = 0.0
    for topic in range(len(a)):
        count = counts[topic]  # no branch: nobody foresees which topics are drawn
        left, right = a[topic] - mean_a, b[topic] - mean_b
        deviation = scale * (left - right)
        noise = _noise(scale * left, scale * right, pairs.tolerance[pair], len(a))
        deviation = 0.0 if abs(deviation) <= noise else deviation
        total += count * deviation
        low = deviation if (count > 0) & (deviation < low) else low
        high = deviation if (count > 0) & (deviation > high) else high
        apart = 2.0 * noise if (count > 0) & (2.0 * noise > apart) else apart
    if high - low <= apart:
        return total, 0.0, _ZERO_OVER_ZERO if max(high, -low) <= apart else _CONSTANT_OVER_ZERO
    mean = total / len(a)
    squares = 0.0
    for topic in range(len(a)):
        squares += counts[topic] * (scale * ((a[topic] - mean_a) - (b[topic] - mean_b)) - mean) ** 2
    return total, np.sqrt(squares), 0


@compiled
def tally_extreme(tile: Tile, two_sided: bool, found: Sorted, sums: ExactSums, tally: Ints) -> None:  # noqa: FBT001 - a kernel
    """Add one tile's counts to `tally` (5, pair)."""
    n_resamples = tile.products.shape[1]
    case = 0
    for pair in range(len(tile.spreads)):
        if tile.spreads[pair] == 0.0:  # all resamples are 0/0, and extreme if z = 0 too
            tally[_ZERO_OVER_ZERO, pair] += n_resamples
            if tile.pairs.observed[pair] == 0.0:
                tally[:3, pair] += n_resamples
        sign = 1.0 if tile.pairs.observed[pair] >= 0.0 else -1.0
        t = abs(tile.pairs.observed[pair]) / np.sqrt(tile.spreads[pair])
        tie = _tie(tile, pair, t)
        same, opposite = found.sure[0, pair], found.sure[1, pair]
        while case < len(found.cases) and found.cases[case, 0] == pair:
            if not found.cases[case, 2]:
                total = abs(sums.totals[case]) if two_sided else sign * sums.totals[case]
                kind = sums.kinds[case]
                if kind == 0:
                    same += total + tie >= t * sums.deviations[case]
                    opposite += total - tie <= t * sums.deviations[case]
                else:
                    tally[kind, pair] += 1
                    if kind == _CONSTANT_OVER_ZERO:  # infinitely far on the side of c
                        same += total > 0.0
                        opposite += total < 0.0
            case += 1
        if two_sided:
            tally[0, pair] += same
        else:
            tally[1, pair] += same if sign > 0.0 else opposite
            tally[2, pair] += opposite if sign > 0.0 else same


@compiled
def _tie(tile: Tile, pair: int, t: float) -> float:
    """Return how far A may lie from t times the root of the squares and still be equal to it.

    The tolerance is for a sum over the topics; the root of the sum of squares has a share of it that t magnifies.
    """
    return tile.pairs.tolerance[pair] * (1.0 + t / np.sqrt(tile.n_topics))


@compiled
def find_place(tile: Tile, place: int, found: Sorted, sums: ExactSums, placed: Floats) -> None:
    """Fill in the absolute mean of the resample at a place, sorted by A^2 / Q, which is the order of |t*|.

    c/0 comes first by itself, because A^2 / Q is largest where A^2 = T Q; 0/0 is left out. The place counted from the
    first of the close ones is exact; among those that tie there, the largest |A| is taken.
    """
    ratios = np.empty(len(found.cases))
    stop = 0
    for pair in range(len(tile.spreads)):
        start = stop
        while stop < len(found.cases) and found.cases[stop, 0] == pair:
            start = stop if found.cases[stop, 2] == 0 else start
            ratios[stop] = abs(sums.totals[stop]) / sums.deviations[stop]  # infinite without variance
            stop += 1
        start += start < stop and found.cases[start, 2] == 0
        placed[pair] = 0.0
        if found.before[pair] >= 0:
            t = _largest(ratios[start:stop].copy(), place - found.before[pair])
            largest = 0.0
            for case in range(start, stop):
                size = abs(sums.totals[case])
                apart = abs(size - t * sums.deviations[case])
                if ratios[case] == t or (t < np.inf and apart <= _tie(tile, pair, t)):
                    largest = max(largest, size)
            placed[pair] = largest / tile.n_topics / tile.pairs.scale[pair]


@compiled
def _largest(values: Floats, place: int) -> float:
    """Return the value at `place` (from 1), largest first, by Hoare's selection; reorders `values`."""
    left = 0
    right = len(values) - 1
    wanted = place - 1
    while left < right:
        pivot = values[(left + right) // 2]
        low = left
        high = right
        while low <= high:
            while values[low] > pivot:
                low += 1
            while values[high] < pivot:
                high -= 1
            if low <= high:
                values[low], values[high] = values[high], values[low]
                low += 1
                high -= 1
        if wanted <= high:
            right = high
        elif wanted >= low:
            left = low
        else:
            break
    return values[wanted]
