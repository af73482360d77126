"""Inferred average precision (infAP), for pools of which only a sample was judged."""

import numpy as np
from numpy.typing import NDArray

from metaeval.metrics.lists import RankedLists
from metaeval.metrics.parameters import Level
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled

_EPSILON = 0.00001


def inferred_average_precision(lists: RankedLists, *, rel: Level = 1) -> NDArray[np.float64]:
    r"""Average precision of the whole pool, estimated from a random sample of judgments.

    Notes
    -----
    The precision at a relevant document of rank r is estimated as

    .. math:: \frac{1}{r} + \frac{r - 1}{r} \cdot \frac{pooled}{r - 1} \cdot
        \frac{relevant + \epsilon}{relevant + nonrelevant + 2 \epsilon}

    with the counts of pooled and of judged documents above it and :math:`\epsilon = 10^{-5}` (Yilmaz and Aslam
    2006, as trec_eval computes it). A document at a negative level is pooled but not judged; one without a line in the
    judgments is outside the pool. R counts the judged relevant documents.
    """
    sums = inferred_precision_sums(
        lists.offsets, lists.ranks, lists.judged_ranks, lists.pooled_ranks, lists.levels, rel
    )
    return lists.share(sums, lists.n_relevant(rel))


@compiled
def inferred_precision_sums(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    judged_ranks: NDArray[np.int32],
    pooled_ranks: NDArray[np.int32],
    levels: NDArray[np.int16],
    rel: int,
) -> NDArray[np.float64]:
    """Sum the expected precision at the relevant documents of every list."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        n_relevant = 0
        total = 0.0
        for entry in range(offsets[number], offsets[number + 1]):
            if levels[entry] >= rel:
                share = (n_relevant + _EPSILON) / (judged_ranks[entry] - 1 + 2 * _EPSILON)
                total += (1.0 + (pooled_ranks[entry] - 1) * share) / ranks[entry]
                n_relevant += 1
        sums[number] = total
    return sums


SPECS = (MetricSpec(name="infAP", kernel=inferred_average_precision, real_grades=True, cite="yilmaz2006"),)
