"""Sums, shares and largest values inside every list, where lists stand one after the other."""

import numpy as np
from numpy.typing import NDArray

from metaeval.compiled import compiled

__all__ = ["best_from", "list_sums", "running_sums", "share"]


def running_sums(offsets: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add whole numbers up inside every list."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return sums[1:] - np.repeat(sums[offsets[:-1]], np.diff(offsets))


@compiled
def list_sums(offsets: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the values of every list, in the order of its ranks."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        for place in range(offsets[number], offsets[number + 1]):
            sums[number] += values[place]
    return sums


def share(amounts: NDArray[np.number], wholes: NDArray[np.number]) -> NDArray[np.float64]:
    """Divide, giving 0 where the whole is 0."""
    amounts, wholes = np.broadcast_arrays(amounts, wholes)
    return np.divide(amounts, wholes, out=np.zeros(amounts.shape), where=wholes > 0)


@compiled
def best_from(
    offsets: NDArray[np.int64],
    values: NDArray[np.float64],
    amounts: NDArray[np.int64],
    needed: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the largest value from each recall point on, for every list; 0 where it is never reached.

    Parameters
    ----------
    offsets : int64 array (n_lists + 1,)
        Lists follow each other system by system, topic by topic.
    values : float64 array (n,)
        Precision at every place that may hold the largest.
    amounts : int64 array (n,)
        What was found by then; never falls inside a list.
    needed : int64 array (n_topics, n_points)
        What each point asks for; rises with the point.
    """
    n_topics, n_points = needed.shape
    found = np.zeros((len(offsets) - 1, n_points))
    for number in range(len(offsets) - 1):
        asked = needed[number % n_topics]
        best = 0.0
        point = n_points - 1
        for place in range(offsets[number + 1] - 1, offsets[number] - 1, -1):
            while point >= 0 and asked[point] > amounts[place]:
                found[number, point] = best
                point -= 1
            best = max(best, values[place])
        while point >= 0:
            found[number, point] = best
            point -= 1
    return found
