"""Average precision (AP)."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff, Level
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled


def average_precision(lists: RankedLists, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    r"""Mean over all relevant documents of the precision at their ranks; 0 for one that was not retrieved.

    Notes
    -----
    .. math:: AP = \frac{1}{R} \sum_r isrel(r) \frac{count(r)}{r}

    (Sakai and Kando 2008, equation 3.) With a cutoff only ranks up to k are summed, still over R, as trec_eval's
    ``map_cut``. On the condensed list it is AP', which others call induced AP.
    """
    sums = precision_sums(lists.offsets, lists.ranks, lists.levels, depth(k), rel)
    return lists.share(sums, lists.n_relevant(rel))


@compiled
def precision_sums(offsets: Ints, ranks: NDArray[np.int32], levels: NDArray[np.int16], k: int, rel: int) -> Floats:
    """Sum the precision at the relevant documents of every list, down to rank `k`."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        n_relevant = 0
        total = 0.0
        for entry in range(offsets[number], offsets[number + 1]):
            if ranks[entry] > k:
                break
            if levels[entry] >= rel:
                n_relevant += 1
                total += n_relevant / ranks[entry]
        sums[number] = total
    return sums


SPECS = (MetricSpec(name="AP", kernel=average_precision, real_grades=True, monotone=True, ideal=1.0, cite="sakai2008"),)
