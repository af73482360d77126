"""Signed rank sums of every pair, and their distribution over all sign vectors: kernels of the Wilcoxon test."""

from typing import Literal, NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.running.compiled import compiled
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import on_threads

Ties = Literal["paper", "float"]
ALLOWANCES = {"paper": RELATIVE, "float": 0.0}
"""Reading of ties to the share of the sizes of the scores that two sizes may be apart and still tie."""


class RankSums(NamedTuple):
    """What the signed-rank test needs of every pair: arrays (pair,)."""

    plus: Floats
    """Sum of the mid-ranks of the positive differences."""
    minus: Floats
    """Sum of the mid-ranks of the negative differences."""
    n_zero: Floats
    """Topics without a difference."""
    ties: Floats
    """Sum of t**3 - t over the groups of t equal non-zero sizes."""


def signed_rank_sums(values: Floats, first: Ints, second: Ints, *, rank_zeros: bool, ties: Ties = "paper") -> RankSums:
    """Rank the sizes of the differences of every pair and add up the ranks of each sign.

    Shapes: `values` (system, topic), `first, second` (pair,).

    Examples
    --------
    >>> values = np.array([[2.0, 4.0, 5.0], [1.0, 5.0, 5.0]])
    >>> sums = signed_rank_sums(values, np.array([0]), np.array([1]), rank_zeros=False)
    >>> [column.item() for column in sums]
    [1.5, 1.5, 1.0, 6.0]
    """
    columns = np.empty((4, len(first)))
    _rank_sum_columns(len(first), values, first, second, rank_zeros, ALLOWANCES[ties], columns)
    return RankSums(*columns)


@on_threads
@compiled
def _rank_sum_columns(  # noqa: PLR0913, PLR0917 - kernels take positions only
    start: int,
    stop: int,
    values: Floats,
    first: Ints,
    second: Ints,
    rank_zeros: bool,  # noqa: FBT001 - as above
    allowance: float,
    columns: Floats,
) -> None:
    """Fill in an array (4, pair): R+, R-, topics without a difference, sum of t**3 - t; see `signed_rank_sums`.

    The sizes of either sign are sorted apart and then merged, which gives the mid-ranks without sorting signs along.
    Two neighbours tie when they are no further apart than the allowance for the scores they come from. Those have lost
    their places in sorting, but the smallest and the largest scores of the pair settle nearly every case; only where
    a gap lies between what these two allow are the sizes settled with their scores, and ranked again.
    """
    n_topics = values.shape[1]
    for pair in range(start, stop):
        a, b = values[first[pair]], values[second[pair]]
        sizes = np.empty(n_topics)
        n_plus = 0
        n_minus = 0
        n_gaps = 0
        smallest = np.inf
        largest = 0.0
        for topic in range(n_topics):
            difference = a[topic] - b[topic]
            scores = abs(a[topic]) + abs(b[topic])
            if difference > allowance * scores:
                sizes[n_plus] = difference
                n_plus += 1
            elif difference < -allowance * scores:
                n_minus += 1
                sizes[n_topics - n_minus] = -difference
            else:
                n_gaps += np.isnan(difference)
                continue
            smallest = min(smallest, scores)
            largest = max(largest, scores)
        n_zero = n_topics - n_plus - n_minus - n_gaps
        ranked = n_zero if rank_zeros else 0
        plus_sizes, minus_sizes = np.sort(sizes[:n_plus]), np.sort(sizes[n_topics - n_minus :])
        sure, possible = 2.0 * allowance * smallest, 2.0 * allowance * largest
        plus, minus, ties, settled = _merged_ranks(plus_sizes, minus_sizes, ranked, sure, possible)
        if not settled:
            _settle_sizes(a, b, allowance, sizes)
            wins = a > b
            plus_sizes, minus_sizes = np.sort(sizes[wins & (sizes > 0.0)]), np.sort(sizes[~wins & (sizes > 0.0)])
            plus, minus, ties, settled = _merged_ranks(plus_sizes, minus_sizes, ranked, 0.0, 0.0)
        columns[0, pair] = plus
        columns[1, pair] = minus
        columns[2, pair] = n_zero
        columns[3, pair] = ties


@compiled
def _merged_ranks(
    plus_sizes: Floats, minus_sizes: Floats, ranked: int, sure: float, possible: float
) -> tuple[float, float, float, bool]:
    """Rank two sorted rows of sizes together: R+, R-, the sum of t**3 - t, and whether no gap was in doubt.

    A gap up to `sure` is a tie, one beyond `possible` is none; `ranked` sizes have the lower ranks already.
    """
    n_plus, n_minus = len(plus_sizes), len(minus_sizes)
    plus = 0.0
    minus = 0.0
    ties = 0.0
    settled = True
    i = 0
    j = 0
    while i < n_plus or j < n_minus:
        from_i, from_j = i, j
        last = min(plus_sizes[i] if i < n_plus else np.inf, minus_sizes[j] if j < n_minus else np.inf)
        while i < n_plus or j < n_minus:
            next_plus = plus_sizes[i] if i < n_plus else np.inf
            next_minus = minus_sizes[j] if j < n_minus else np.inf
            size = min(next_plus, next_minus)
            if size - last > sure:
                settled &= size - last > possible
                break
            last = size
            if next_plus <= next_minus:
                i += 1
            else:
                j += 1
        tied = (i - from_i) + (j - from_j)
        rank = ranked + 0.5 * (tied + 1)
        plus += rank * (i - from_i)
        minus += rank * (j - from_j)
        ties += float(tied) * tied * tied - tied
        ranked += tied
    return plus, minus, ties, settled


@compiled
def _settle_sizes(a: Floats, b: Floats, allowance: float, settled: Floats) -> None:
    """Fill in the size of the difference on every topic, one number for all that tie, 0 where there is none or a gap.

    As `metaeval.running.equality.settle`, with zeros kept apart. Of sizes that are one number already, the one with the
    largest scores speaks for all, so that the order of the topics does not matter.
    """
    n_topics = len(a)
    sizes = np.abs(a - b)
    scores = np.abs(a) + np.abs(b)
    for topic in range(n_topics):
        if not sizes[topic] > allowance * scores[topic]:
            sizes[topic] = 0.0
    order = np.argsort(sizes)
    lowest = 0.0
    scores_before = 0.0
    start = 0
    while start < n_topics:
        size = sizes[order[start]]
        stop = start
        scores_here = 0.0
        while stop < n_topics and sizes[order[stop]] == size:
            scores_here = max(scores_here, scores[order[stop]])
            stop += 1
        if lowest == 0.0 or size - sizes[order[start - 1]] > allowance * (scores_before + scores_here):
            lowest = size
        for position in range(start, stop):
            settled[order[position]] = lowest
        scores_before = scores_here
        start = stop


def enumerated_tails(
    values: Floats,
    first: Ints,
    second: Ints,
    rank_zeros: bool,  # noqa: FBT001 - as its kernel
    allowance: float,
) -> Floats:
    """Return P(R+ >= observed) and P(R+ <= observed) over all sign vectors, given the ties: an array (2, pair).

    Twice a mid-rank is a whole number, so the distribution of 2 R+ fills a short table, one rank at a time; that is
    the enumeration without its 2**T steps. Zeros keep their place under any sign, so they add nothing.
    """
    tails = np.empty((2, len(first)))
    _fill_tails(len(first), values, first, second, rank_zeros, allowance, tails)
    return tails


@on_threads
@compiled
def _fill_tails(  # noqa: PLR0913, PLR0917 - kernels take positions only
    start: int,
    stop: int,
    values: Floats,
    first: Ints,
    second: Ints,
    rank_zeros: bool,  # noqa: FBT001 - as above
    allowance: float,
    tails: Floats,
) -> None:
    n_topics = values.shape[1]
    for pair in range(start, stop):
        a, b = values[first[pair]], values[second[pair]]
        sizes = np.empty(n_topics)
        _settle_sizes(a, b, allowance, sizes)
        chance = np.zeros(n_topics * (n_topics + 1) + 1)
        chance[0] = 1.0
        highest = 0
        observed = 0
        for topic in range(n_topics):
            size = sizes[topic]
            if size == 0.0:
                continue
            twice_rank = 1
            for other_topic in range(n_topics):
                if sizes[other_topic] != 0.0 or (rank_zeros and not np.isnan(a[other_topic] - b[other_topic])):
                    twice_rank += 2 * (sizes[other_topic] < size) + (sizes[other_topic] == size)
            if a[topic] > b[topic]:
                observed += twice_rank
            for rank_sum in range(highest, -1, -1):
                half = 0.5 * chance[rank_sum]
                chance[rank_sum] = half
                chance[rank_sum + twice_rank] += half
            highest += twice_rank
        tails[0, pair] = chance[observed : highest + 1].sum()
        tails[1, pair] = chance[: observed + 1].sum()
