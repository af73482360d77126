"""Pieces of text against each other: what of a result is highlighted, and what of it an earlier result showed already.

Everything is half open, ``[start, stop)`` in characters, and kernels take plain arrays.
"""

import numpy as np

from metaeval.base.arrays import Flags, Ints
from metaeval.running.compiled import compiled


@compiled
def highlighted(starts: Ints, stops: Ints, start: int, stop: int) -> int:
    """Count the characters of ``[start, stop)`` that lie in passages; they ascend and do not overlap."""
    total = 0
    for number in range(len(starts)):
        if starts[number] >= stop:
            break
        total += max(0, min(stop, stops[number]) - max(start, starts[number]))
    return total


@compiled
def compare_results(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    bounds: Ints,
    order: Ints,
    starts: Ints,
    lengths: Ints,
    documents: Ints,
    passage_offsets: Ints,
    passage_starts: Ints,
    passage_stops: Ints,
) -> tuple[Ints, Ints, Ints, Flags]:
    """Compare the results of every article with its passages and with the results before them.

    Shapes: `bounds` (n_articles + 1,), `order` (n_results,), `starts, lengths` (n_results,), `documents` (n_results,),
    result (n_results,), result (n_results,), result (n_results,).
    """
    n_results = len(starts)
    relevant = np.zeros(n_results, dtype=np.int64)
    unseen_lengths = lengths.copy()
    unseen_relevant = np.zeros(n_results, dtype=np.int64)
    overlaps = np.zeros(n_results, dtype=np.bool_)
    largest = 0
    for article in range(len(bounds) - 1):
        largest = max(largest, bounds[article + 1] - bounds[article])
    seen_starts = np.empty(largest + 1, dtype=np.int64)
    seen_stops = np.empty(largest + 1, dtype=np.int64)
    for article in range(len(bounds) - 1):
        document = documents[order[bounds[article]]] if bounds[article] < bounds[article + 1] else -1
        first = passage_offsets[document] if document >= 0 else 0
        last = passage_offsets[document + 1] if document >= 0 else 0
        begins, ends = passage_starts[first:last], passage_stops[first:last]
        n_seen = 0
        for position in range(bounds[article], bounds[article + 1]):
            result = order[position]
            start, stop = starts[result], starts[result] + lengths[result]
            if start < 0 or start == stop:
                continue
            relevant[result] = highlighted(begins, ends, start, stop)
            low = 0
            while low < n_seen and seen_stops[low] <= start:
                low += 1
            high = low
            while high < n_seen and seen_starts[high] < stop:
                high += 1
            seen = slice(low, high)
            overlaps[result] = high > low
            unseen_lengths[result], unseen_relevant[result] = _unseen(
                begins, ends, seen_starts[seen], seen_stops[seen], start, stop
            )
            _merge(seen_starts[: n_seen + 1], seen_stops[: n_seen + 1], low, high, start, stop)
            n_seen += 1 - (high - low)
    return relevant, unseen_lengths, unseen_relevant, overlaps


@compiled
def _unseen(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    begins: Ints, ends: Ints, seen_starts: Ints, seen_stops: Ints, start: int, stop: int
) -> tuple[int, int]:
    """Count characters, and highlighted ones, of ``[start, stop)`` between the pieces that it meets."""
    new = 0
    new_relevant = 0
    reached = start
    for number in range(len(seen_starts) + 1):
        gap_end = seen_starts[number] if number < len(seen_starts) else stop
        if gap_end > reached:
            new += gap_end - reached
            new_relevant += highlighted(begins, ends, reached, gap_end)
        if number < len(seen_starts):
            reached = seen_stops[number]
    return new, new_relevant


@compiled
def _merge(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    seen_starts: Ints, seen_stops: Ints, low: int, high: int, start: int, stop: int
) -> None:
    """Put ``[start, stop)`` among what was seen, in place of the pieces `low` to `high` that it meets.

    The arrays have one place more than there are pieces.
    """
    if high > low:
        start = min(start, seen_starts[low])
        stop = max(stop, seen_stops[high - 1])
    n_seen = len(seen_starts) - 1
    shift = 1 - (high - low)
    if shift > 0:
        for number in range(n_seen - 1, high - 1, -1):
            seen_starts[number + 1] = seen_starts[number]
            seen_stops[number + 1] = seen_stops[number]
    else:
        for number in range(high, n_seen):
            seen_starts[number + shift] = seen_starts[number]
            seen_stops[number + shift] = seen_stops[number]
    seen_starts[low] = start
    seen_stops[low] = stop
