"""Binary preference (bpref) and its two other scalings."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.metrics.lists import RankedLists
from metaeval.metrics.parameters import Level
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled


def bpref(lists: RankedLists, *, rel: Level = 1) -> Floats:
    r"""How seldom judged non-relevant documents stand above relevant ones.

    Notes
    -----
    .. math:: bpref = \frac{1}{R} \sum_{relevant} \Big(1 - \frac{\min(R, n)}{\min(R, N)}\Big)

    with n the judged non-relevant documents above it and the fraction 0 where n is 0 (Sakai and Kando 2008,
    equation 5; trec_eval). Unjudged documents make no difference.
    """
    relevant, others = _sizes(lists, rel)
    return _preference(lists, rel, cap=relevant, scale=np.minimum(relevant, others))


def bpref_r(lists: RankedLists, *, rel: Level = 1) -> Floats:
    """bpref scaled by R always, also where the topic has fewer non-relevant documents (Sakai and Kando 2008, eq. 6)."""  # noqa: D403 - its name is lower case
    relevant, _ = _sizes(lists, rel)
    return _preference(lists, rel, cap=relevant, scale=relevant)


def bpref_n(lists: RankedLists, *, rel: Level = 1) -> Floats:
    """bpref scaled by N always and without a cap at R (bpref_allnonrel, RankEff)."""  # noqa: D403 - its name is lower case
    _, others = _sizes(lists, rel)
    return _preference(lists, rel, cap=others, scale=others)


def _sizes(lists: RankedLists, rel: int) -> tuple[Ints, Ints]:
    relevant = lists.n_relevant(rel)
    return relevant, lists.n_judged - relevant


def _preference(lists: RankedLists, rel: int, *, cap: Ints, scale: Ints) -> Floats:
    sums = preference_sums(lists.offsets, lists.judged_ranks, lists.levels, cap, scale, rel)
    return lists.share(sums, lists.n_relevant(rel))


@compiled
def preference_sums(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    offsets: Ints, judged_ranks: NDArray[np.int32], levels: NDArray[np.int16], cap: Ints, scale: Ints, rel: int
) -> Floats:
    """Sum 1 - min(cap, n)/scale over the relevant documents of every list; cap and scale belong to topics."""
    sums = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        topic = number % len(cap)
        n_relevant = 0
        total = 0.0
        for entry in range(offsets[number], offsets[number + 1]):
            if levels[entry] >= rel:
                n_relevant += 1
                above = judged_ranks[entry] - n_relevant
                total += 1.0
                if above > 0:
                    total -= min(cap[topic], above) / scale[topic]
        sums[number] = total
    return sums


SPECS = (
    MetricSpec(name="bpref", kernel=bpref, real_grades=True, monotone=True, ideal=1.0, cite="buckley2004"),
    MetricSpec(name="bpref_R", kernel=bpref_r, real_grades=True, monotone=True, ideal=1.0, cite="sakai2007"),
    MetricSpec(name="bpref_N", kernel=bpref_n, real_grades=True, monotone=True, ideal=1.0, cite="sakai2007"),
)
