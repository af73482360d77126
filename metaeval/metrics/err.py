"""Expected reciprocal rank (ERR), plain and over that of an ideal ranking (nERR)."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff, Level
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled


def expected_reciprocal_rank(lists: RankedLists, *, k: Cutoff | None = None, max_level: Level | None = None) -> Floats:
    r"""Mean 1/rank at which a reader stops, satisfied with a probability given by the document's level.

    Notes
    -----
    .. math:: ERR = \sum_r \frac{1}{r} R_r \prod_{i < r} (1 - R_i), \qquad R_i = \frac{2^{level} - 1}{2^{max}}

    (Chapelle, Metzler, Zhang and Grinspan 2009).
    """
    sums = stopping_sums(lists.offsets, lists.ranks, lists.levels, _satisfaction(lists, max_level), depth(k))
    return lists.share(sums, np.array(1))


def normalised_expected_reciprocal_rank(
    lists: RankedLists, *, k: Cutoff | None = None, max_level: Level | None = None
) -> Floats:
    """ERR over the ERR of an ideal ranking, both down to rank k."""
    satisfaction = _satisfaction(lists, max_level)
    sums = stopping_sums(lists.offsets, lists.ranks, lists.levels, satisfaction, depth(k))
    ideal = stopping_sums(*lists.ideal(), satisfaction, depth(k))
    return lists.share(sums, ideal)


def _satisfaction(lists: RankedLists, max_level: int | None) -> Floats:
    top = lists.number_of(lists.scale_level(max_level))
    return np.exp2(lists.numbers - top) - np.exp2(-top)


@compiled
def stopping_sums(
    offsets: Ints, ranks: NDArray[np.int32], levels: NDArray[np.int16], satisfaction: Floats, k: int
) -> Floats:
    """Sum the probability of stopping at a rank over that rank, for every list, down to rank `k`."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        total = 0.0
        going_on = 1.0
        for entry in range(offsets[number], offsets[number + 1]):
            if ranks[entry] > k:
                break
            stop = satisfaction[levels[entry]]
            total += going_on * stop / ranks[entry]
            going_on *= 1.0 - stop
        sums[number] = total
    return sums


SPECS = tuple(
    MetricSpec(name=name, kernel=kernel, real_grades=True, monotone=True, ideal=ideal, cite="chapelle2009")
    for name, kernel, ideal in (
        ("ERR", expected_reciprocal_rank, None),
        ("nERR", normalised_expected_reciprocal_rank, 1.0),
    )
)
