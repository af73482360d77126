"""Normalised discounted cumulated gain (nDCG), and the sum of discounted gains that RBP shares."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled

_Base = Annotated[float, Rule(lambda a: 1 < a < np.inf, "above 1")]


def ndcg(lists: RankedLists, *, a: _Base | None = None, k: Cutoff | None = None) -> Floats:
    r"""Discounted gain of the top k over that of an ideal ranking.

    Notes
    -----
    .. math:: nDCG_k = \sum_{r \le k} dg(r) \Big/ \sum_{r \le k} dg_I(r)

    With `a`, :math:`dg(r) = g(r)` for r ≤ a and :math:`g(r) / \log_a(r)` below (Sakai and Kando 2008, equation 4,
    who take a = 2 and k = 1000; ranks 1 and 2 then count the same). Without, :math:`dg(r) = g(r) / \log_2(r + 1)`.
    """
    ranks = np.arange(lists.longest + 1, dtype=np.float64)
    if a is None:
        discounts = np.log2(ranks + 1, out=np.ones(len(ranks)), where=ranks > 0)
    else:
        discounts = np.log(ranks, out=np.full(len(ranks), np.log(a)), where=ranks > a) / np.log(a)
    weights = 1.0 / discounts
    sums = discounted_gains(lists.offsets, lists.ranks, lists.levels, lists.gain_of_level, weights, depth(k))
    ideal = discounted_gains(*lists.ideal(), lists.gain_of_level, weights, depth(k))
    return lists.share(sums, ideal)


@compiled
def discounted_gains(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    offsets: Ints, ranks: NDArray[np.int32], levels: NDArray[np.int16], gain_of_level: Floats, weights: Floats, k: int
) -> Floats:
    """Sum gain times weight of rank over every list, down to rank `k`; ``weights[r]`` belongs to rank r."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        total = 0.0
        for entry in range(offsets[number], offsets[number + 1]):
            if ranks[entry] > k:
                break
            total += gain_of_level[levels[entry]] * weights[ranks[entry]]
        sums[number] = total
    return sums


SPECS = (
    MetricSpec(name="nDCG", kernel=ndcg, real_grades=True, graded=True, monotone=True, ideal=1.0, cite="jarvelin2002"),
)
