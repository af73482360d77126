"""Random permutations of the systems within every topic, one reproducible stream per permutation.

NumPy draws one permutation at a time from one stream; a compiled kernel that runs on several cores needs a stream for
each. Every permutation therefore has its own SplitMix64 sequence (Steele, Lea and Flood 2014, section 3), keyed by a
64-bit seed and the permutation's number: permutation 17 is the same on any number of cores and in blocks of any size.
"""

import numpy as np
from numpy.typing import NDArray

from metaeval.running.compiled import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def draw_seed(generator: np.random.Generator) -> np.uint64:
    """Draw the 64-bit seed that keys every permutation of one test."""
    return np.uint64(generator.integers(0, 2**64, dtype=np.uint64))


@compiled
def mix(state: np.uint64) -> np.uint64:
    """Return the output of SplitMix64 for one state of its counter."""
    state = (state ^ (state >> np.uint64(30))) * _MULTIPLY_1
    state = (state ^ (state >> np.uint64(27))) * _MULTIPLY_2
    return state ^ (state >> np.uint64(31))


@compiled
def permutation_key(seed: np.uint64, number: int) -> np.uint64:
    """Return where the stream of permutation `number` starts; mixed twice, so that neighbours share nothing."""
    return mix(seed ^ mix(np.uint64(number) * _STEP + _STEP))


@compiled
def shuffle(row: NDArray[np.float64], state: np.uint64) -> np.uint64:
    """Shuffle `row` in place (Fisher and Yates) and return the state to go on from.

    A number below n is the high half of n times 32 random bits; every outcome's probability is then within
    n / 2**32 of its share, which no number of resamples can notice. One draw of 64 bits serves two places.
    """
    position = len(row) - 1
    while position > 0:
        state += _STEP
        bits = mix(state)
        partner = ((bits & _LOW_HALF) * np.uint64(position + 1)) >> _HALF
        row[position], row[partner] = row[partner], row[position]
        position -= 1
        partner = ((bits >> _HALF) * np.uint64(position + 1)) >> _HALF
        row[position], row[partner] = row[partner], row[position]
        position -= 1
    return state


@compiled
def permute_scores(values: NDArray[np.float64], seed: np.uint64, start: int, permuted: NDArray[np.float64]) -> None:
    """Fill `permuted` (permutation, topic, system) with `values` (topic, system) under those numbered from `start`."""
    for number in range(len(permuted)):
        state = permutation_key(seed, start + number)
        for topic in range(len(values)):
            row = permuted[number, topic]
            for system in range(len(row)):  # numba's own assignment takes longer than the shuffle
                row[system] = values[topic, system]
            state = shuffle(row, state)


def permuted_scores(values: NDArray[np.float64], seed: np.uint64, start: int, stop: int) -> NDArray[np.float64]:
    """Return the scores under the permutations numbered from `start` to `stop` - 1.

    Shapes: `values` (topic, system), result (permutation, topic, system).
    """
    permuted = np.empty((stop - start, *values.shape))
    permute_scores(values, seed, start, permuted)
    return permuted


def topic_permutations(seed: np.uint64, start: int, stop: int, *, n_topics: int, n_systems: int) -> NDArray[np.int64]:
    """Return the permutations themselves: an array (permutation, topic, system) of system positions.

    Entry [b, j, i] is the system whose score on topic j stands in the place of system i under permutation b.

    Examples
    --------
    >>> topic_permutations(np.uint64(1), 0, 2, n_topics=3, n_systems=4).shape
    (2, 3, 4)
    """
    positions = np.tile(np.arange(n_systems, dtype=np.float64), (n_topics, 1))
    return permuted_scores(positions, seed, start, stop).astype(np.int64)
