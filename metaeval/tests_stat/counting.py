"""How often a resampled difference is at least as extreme as the observed one, for every pair at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import numba
import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from metaeval.base.checks import check_count, check_threads
from metaeval.running.compiled import compiled_parallel
from metaeval.running.parallel import limit_threads

_PAIRS_PER_TASK = 64
_RESAMPLES_PER_BLOCK = 1024  # two rows of a block fit in a first-level cache, the block of 129 systems in the second


def check_resamples(n_resamples: int) -> int:
    """Return `n_resamples` if it is a whole number from 1 to `metaeval.base.checks.MOST_ROUNDS`, else raise.

    Examples
    --------
    >>> check_resamples(1000)
    1000
    """
    return check_count(n_resamples, "n_resamples")


@contextmanager
def kernel_threads(n_threads: int | None) -> Iterator[None]:
    """Hold compiled kernels to `n_threads` cores (None: all allowed) and matrix products to one, inside the block.

    The threads of a matrix product keep spinning for a while after it and take the cores from the kernel that comes
    next: where small products and kernels take turns, one thread for the products is several times faster.
    """
    with limit_threads(n_threads), _libraries().limit(limits=1, user_api="blas"):
        yield


@contextmanager
def tile_pool(n_threads: int | None) -> Iterator[ThreadPoolExecutor]:
    """Open the threads that share out the tiles; inside, a matrix product uses one core."""
    pool = ThreadPoolExecutor(check_threads(n_threads) or numba.get_num_threads())
    with _libraries().limit(limits=1, user_api="blas"):
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt waits for the tiles begun, not for all


@cache
def _libraries() -> threadpoolctl.ThreadpoolController:
    """Find the libraries that bring threads: a millisecond, hence once."""
    return threadpoolctl.ThreadpoolController()


@compiled_parallel
def count_extreme(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    statistics: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    observed: NDArray[np.float64],
    tolerance: NDArray[np.float64],
    each_tail: bool = True,  # noqa: FBT001, FBT002 - kernels take positions only
) -> NDArray[np.int64]:
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
    n_pairs = len(first)
    n_resamples = statistics.shape[1]
    counts = np.zeros((3, n_pairs), dtype=np.int64)
    if not each_tail:
        counts[1:] = -1
    for task in numba.prange((n_pairs + _PAIRS_PER_TASK - 1) // _PAIRS_PER_TASK):
        start = task * _PAIRS_PER_TASK
        stop = min(start + _PAIRS_PER_TASK, n_pairs)
        for left in range(0, n_resamples, _RESAMPLES_PER_BLOCK):
            right = min(left + _RESAMPLES_PER_BLOCK, n_resamples)
            for pair in range(start, stop):
                a = statistics[first[pair], left:right]
                b = statistics[second[pair], left:right]
                size = abs(observed[pair]) - tolerance[pair]
                far = 0
                for place in range(right - left):
                    far += abs(a[place] - b[place]) >= size
                counts[0, pair] += far
                if each_tail:
                    least = observed[pair] - tolerance[pair]
                    most = observed[pair] + tolerance[pair]
                    above = 0
                    below = 0
                    for place in range(right - left):
                        difference = a[place] - b[place]
                        above += difference >= least
                        below += difference <= most
                    counts[1, pair] += above
                    counts[2, pair] += below
    return counts


@compiled_parallel
def count_beside_zero(
    statistics: NDArray[np.float64], noise: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the resamples whose pair difference is at least 0, and those where it is at most 0.

    Shapes: `statistics, noise` (system, resample), `first, second` (pair,), result (2, pair).

    Notes
    -----
    The least and the largest share of a system settle nearly every block of resamples; only where a difference lies
    between what these two allow is the block counted again, resample by resample.

    Examples
    --------
    >>> sums = np.array([[0.1 + 0.2, 2.0, 1.0], [0.3, 1.0, 2.0]])
    >>> count_beside_zero(sums, 1e-12 * sums, np.array([0]), np.array([1])).ravel()
    array([2, 2])
    """
    n_pairs = len(first)
    n_systems, n_resamples = statistics.shape
    least = np.empty(n_systems)
    most = np.empty(n_systems)
    for system in range(n_systems):
        least[system] = noise[system].min()
        most[system] = noise[system].max()
    counts = np.zeros((2, n_pairs), dtype=np.int64)
    for task in numba.prange((n_pairs + _PAIRS_PER_TASK - 1) // _PAIRS_PER_TASK):
        start = task * _PAIRS_PER_TASK
        stop = min(start + _PAIRS_PER_TASK, n_pairs)
        for left in range(0, n_resamples, _RESAMPLES_PER_BLOCK):
            right = min(left + _RESAMPLES_PER_BLOCK, n_resamples)
            for pair in range(start, stop):
                a, b = statistics[first[pair], left:right], statistics[second[pair], left:right]
                sure, possible = least[first[pair]] + least[second[pair]], most[first[pair]] + most[second[pair]]
                above = 0
                below = 0
                equal = 0
                for place in range(right - left):
                    difference = a[place] - b[place]
                    above += difference > possible
                    below += difference < -possible
                    equal += abs(difference) <= sure
                if above + below + equal < right - left:
                    noise_a, noise_b = noise[first[pair], left:right], noise[second[pair], left:right]
                    above = 0
                    below = 0
                    for place in range(right - left):
                        difference = a[place] - b[place]
                        above += difference > noise_a[place] + noise_b[place]
                        below += difference < -(noise_a[place] + noise_b[place])
                counts[0, pair] += right - left - below
                counts[1, pair] += right - left - above
    return counts
