"""Compatibility (Compat): how far a list is from the ideal ranking that is most like it."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.metrics.lists import RankedLists
from metaeval.metrics.parameters import Cutoff, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled

_Persistence = Annotated[float, Rule(lambda p: 0 < p < 1, "above 0 and below 1")]
_DEPTH = 1000


def compatibility(lists: RankedLists, *, p: _Persistence = 0.95, k: Cutoff | None = None) -> Floats:
    r"""Rank-biased overlap with the ideal ranking most like the list, over that of the ideal ranking with itself.

    Notes
    -----
    The ideal ranking has the relevant documents by falling level; among equals those retrieved stand first, in the
    order of the list. With :math:`L_i` the first i documents of the list and :math:`I_i` those of the ideal ranking

    .. math:: RBO(L, I) = \sum_{i=1}^{k} p^{i-1}\, \frac{|L_i \cap I_i|}{i} \Big/ \sum_{i=1}^{k} p^{i-1},
              \qquad Compat = \frac{RBO(L, I)}{RBO(I, I)}

    (Clarke, Vtyurina and Smucker 2021). A ranking that ends before depth i stays as it is. Only the order of the
    levels matters, not their size. A document counts from the later of its two ranks on, so the sums need one pass
    over the relevant documents of a list. Where documents of a list share a score, the rule for them decides both
    its order and the ideal ranking; that is settled when runs are read.
    """
    deepest = _DEPTH if k is None else k
    depths = np.arange(1.0, deepest + 1)
    from_rank = np.cumsum((p ** (depths - 1) / depths)[::-1])[::-1]
    at_higher_level = lists.counts[:, ::-1].cumsum(axis=1)[:, ::-1] - lists.counts
    sums = overlap_sums(lists.offsets, lists.ranks, lists.levels, at_higher_level, np.ascontiguousarray(from_rank))
    best = np.concatenate([[0.0], np.cumsum(from_rank)])[np.minimum(lists.n_relevant(), deepest)]
    return lists.share(sums, best)


@compiled
def overlap_sums(
    offsets: Ints, ranks: NDArray[np.int32], levels: NDArray[np.int16], at_higher_level: Ints, from_rank: Floats
) -> Floats:
    """Sum over the relevant documents of every list what each adds from the later of its two ranks on.

    Shapes: `at_higher_level` (n_topics, highest + 1), `from_rank` (depth,).
    """
    sums = np.zeros(len(offsets) - 1)
    n_topics, n_levels = at_higher_level.shape
    n_seen = np.zeros(n_levels, dtype=np.int64)
    for number in range(len(offsets) - 1):
        topic = number % n_topics
        total = 0.0
        for entry in range(offsets[number], offsets[number + 1]):
            level = levels[entry]
            n_seen[level] += 1
            later = max(np.int64(ranks[entry]), at_higher_level[topic, level] + n_seen[level])
            if later <= len(from_rank):
                total += from_rank[later - 1]
        for entry in range(offsets[number], offsets[number + 1]):
            n_seen[levels[entry]] = 0
        sums[number] = total
    return sums


SPECS = (
    MetricSpec(name="Compat", kernel=compatibility, real_grades=True, monotone=True, ideal=1.0, cite="clarke2021"),
)
