"""Sums, shares and largest values inside every list, where lists stand one after the other."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.running.compiled import compiled


def running_sums(offsets: Ints, values: Ints) -> Ints:
    """Add whole numbers up inside every list."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return sums[1:] - np.repeat(sums[offsets[:-1]], np.diff(offsets))


@compiled
def list_sums(offsets: Ints, values: Floats) -> Floats:
    """Add up the values of every list, in the order of its ranks."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        for position in range(offsets[number], offsets[number + 1]):
            sums[number] += values[position]
    return sums


def share_of_whole(amounts: NDArray[np.number], wholes: NDArray[np.number]) -> Floats:
    """Divide, giving 0 where the whole is 0."""
    amounts, wholes = np.broadcast_arrays(amounts, wholes)
    return np.divide(amounts, wholes, out=np.zeros(amounts.shape), where=wholes > 0)


@compiled
def best_from(offsets: Ints, values: Floats, amounts: Ints, needed: Ints) -> Floats:
    """Return the largest value from each recall point on, for every list; 0 where it is never reached.

    Shapes: `offsets` (n_lists + 1,), `values` (n,), `amounts` (n,), `needed` (n_topics, n_points).
    """
    n_topics, n_points = needed.shape
    best_values = np.zeros((len(offsets) - 1, n_points))
    for number in range(len(offsets) - 1):
        asked = needed[number % n_topics]
        best = 0.0
        point = n_points - 1
        for position in range(offsets[number + 1] - 1, offsets[number] - 1, -1):
            while point >= 0 and asked[point] > amounts[position]:
                best_values[number, point] = best
                point -= 1
            best = max(best, values[position])
        while point >= 0:
            best_values[number, point] = best
            point -= 1
    return best_values
