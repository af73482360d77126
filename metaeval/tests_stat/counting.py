"""How often a resampled difference is at least as extreme as the observed one, for every pair at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_count, check_threads
from metaeval.running.compiled import compiled
from metaeval.running.parallel import allowed_threads, in_one_order, on_threads

_PAIRS_PER_TASK = 64
RESAMPLES_AT_ONCE = 1024  # two rows of a block fit in a first-level cache, the block of 129 systems in the second

_SINGLE = 2.0**-22  # of two numbers' sizes: more than what single precision rounds off them and their difference
_TINY, _HUGE = 1e-37, 1e37  # no number in between is too small or too large for single precision


def check_resamples(n_resamples: int) -> int:
    """Return `n_resamples` if it is a whole number from 1 to `metaeval.base.checks.MOST_ROUNDS`, else raise.

    Examples
    --------
    >>> check_resamples(1000)
    1000
    """
    return check_count(n_resamples, "n_resamples")


@contextmanager
def tile_pool(n_threads: int | None) -> Iterator[ThreadPoolExecutor]:
    """Open the threads that share out the tiles; inside, a matrix product uses one core."""
    pool = ThreadPoolExecutor(check_threads(n_threads) or allowed_threads())
    with in_one_order:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt waits for the tiles begun, not for all


def count_extreme(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    statistics: Floats,
    first: Ints,
    second: Ints,
    observed: Floats,
    tolerance: Floats,
    each_tail: bool = True,  # noqa: FBT001, FBT002 - kernels take positions only
) -> Ints:
    """Count the resamples whose pair difference D is at least as extreme as the observed d.

    Shapes: `statistics` (system, resample), `first, second` (pair,), `observed` (pair,), `tolerance` (pair,), result
    (3, pair).

    Values that are equal up to rounding differ in the last bits, and on discrete scores such ties carry real
    probability: a difference that falls short by no more than `tolerance` counts as equal, hence as extreme.

    Examples
    --------
    >>> resampled = np.array([[3.0, 1.0, -2.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> count_extreme(resampled, np.array([0]), np.array([1]), np.array([1.0]), np.array([1e-9])).ravel()
    array([3, 2, 3])
    """
    counts = np.zeros((3, len(first)), dtype=np.int64)
    if not each_tail:
        counts[1:] = -1
    arguments = (statistics, first, second, observed, tolerance, bool(each_tail))
    _count_extreme(-(-len(first) // _PAIRS_PER_TASK), *arguments, counts)
    return counts


@on_threads
@compiled
def _count_extreme(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    begin: int,
    end: int,
    statistics: Floats,
    first: Ints,
    second: Ints,
    observed: Floats,
    tolerance: Floats,
    each_tail: bool,  # noqa: FBT001 - kernels take positions only
    counts: Ints,
) -> None:
    n_pairs, n_resamples = len(first), statistics.shape[1]
    for task in range(begin, end):
        start = task * _PAIRS_PER_TASK
        stop = min(start + _PAIRS_PER_TASK, n_pairs)
        for left in range(0, n_resamples, RESAMPLES_AT_ONCE):
            right = min(left + RESAMPLES_AT_ONCE, n_resamples)
            for pair in range(start, stop):
                a = statistics[first[pair], left:right]
                b = statistics[second[pair], left:right]
                size = abs(observed[pair]) - tolerance[pair]
                far = 0
                for resample in range(right - left):
                    far += abs(a[resample] - b[resample]) >= size
                counts[0, pair] += far
                if each_tail:
                    least = observed[pair] - tolerance[pair]
                    most = observed[pair] + tolerance[pair]
                    above = 0
                    below = 0
                    for resample in range(right - left):
                        difference = a[resample] - b[resample]
                        above += difference >= least
                        below += difference <= most
                    counts[1, pair] += above
                    counts[2, pair] += below


def count_beside_zero(statistics: Floats, sizes: Floats, relative: float, first: Ints, second: Ints) -> Ints:
    """Count the resamples whose pair difference is at least 0, and those where it is at most 0.

    Shapes: `statistics, sizes` (system, resample), `first, second` (pair,), result (2, pair). A difference within
    `relative` times both sizes is 0.

    Notes
    -----
    Single precision, twice as fast, settles nearly every block of resamples: a difference beyond its rounding and what
    is 0 at most. Only blocks with another difference are counted again, in double precision.

    Examples
    --------
    >>> sums = np.array([[0.1 + 0.2, 2.0, 1.0], [0.3, 1.0, 2.0]])
    >>> count_beside_zero(sums, sums, 1e-12, np.array([0]), np.array([1])).ravel()
    array([2, 2])
    """
    size = np.maximum(statistics.max(axis=1), -statistics.min(axis=1))
    with np.errstate(over="ignore"):  # what is too large gets an infinite margin
        single = statistics.astype(np.float32)
        margin = np.where(size < _HUGE, relative * sizes.max(axis=1) + _SINGLE * size + _TINY, np.inf)
    counts = np.zeros((2, len(first)), dtype=np.int64)
    arguments = (statistics, single, sizes, margin, relative, first, second)
    _count_beside_zero(-(-len(first) // _PAIRS_PER_TASK), *arguments, counts)
    return counts


@on_threads
@compiled
def _count_beside_zero(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    begin: int,
    end: int,
    statistics: Floats,
    single: NDArray[np.float32],
    sizes: Floats,
    margin: Floats,
    relative: float,
    first: Ints,
    second: Ints,
    counts: Ints,
) -> None:
    n_pairs, n_resamples = len(first), statistics.shape[1]
    for task in range(begin, end):
        start = task * _PAIRS_PER_TASK
        stop = min(start + _PAIRS_PER_TASK, n_pairs)
        for left in range(0, n_resamples, RESAMPLES_AT_ONCE):
            right = min(left + RESAMPLES_AT_ONCE, n_resamples)
            for pair in range(start, stop):
                system_a, system_b = first[pair], second[pair]
                within = np.float32(margin[system_a] + margin[system_b])
                above, below = _beyond(single[system_a, left:right], single[system_b, left:right], within)
                if above + below < right - left:
                    a, b = statistics[system_a, left:right], statistics[system_b, left:right]
                    size_a, size_b = sizes[system_a, left:right], sizes[system_b, left:right]
                    above = 0
                    below = 0
                    for resample in range(right - left):
                        difference = a[resample] - b[resample]
                        allowed = relative * size_a[resample] + relative * size_b[resample]
                        above += difference > allowed
                        below += difference < -allowed
                counts[0, pair] += right - left - below
                counts[1, pair] += right - left - above


@compiled
def _beyond(a: NDArray[np.float32], b: NDArray[np.float32], within: np.float32) -> tuple[int, int]:
    """Count the differences above `within`, and those below its opposite, in numbers as narrow as what is compared."""
    above, below = np.int32(0), np.int32(0)
    for resample in range(len(a)):
        difference = a[resample] - b[resample]
        above = np.int32(above + np.int32(difference > within))
        below = np.int32(below + np.int32(difference < -within))
    return int(above), int(below)
