"""Q-measure (Q): average precision for graded relevance."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled

_Persistence = Annotated[float, Rule(lambda beta: 0 <= beta < np.inf, "0 or more")]


def q_measure(lists: RankedLists, *, beta: _Persistence = 1.0, k: Cutoff | None = None) -> NDArray[np.float64]:
    r"""Mean over all relevant documents of the blended ratio (cumulative gain and precision) at their ranks.

    Notes
    -----
    .. math:: Q = \frac{1}{R} \sum_r isrel(r) \frac{\beta\, cg(r) + count(r)}{\beta\, cg_I(r) + r}

    (Sakai and Kando 2008, equations 1 and 2); a document counts as relevant if it has a gain, and the ideal
    cumulative gain stays flat below rank R. With graded gains Q may rise when a document of a low level moves below
    one of a high level, since each relevant document adds one ratio, whatever its own gain; AP never does.
    """
    offsets, _, levels = lists.ideal()
    ideal = np.concatenate([[0.0], np.cumsum(lists.gain_of_level[levels])])
    sums = blended_ratio_sums(
        lists.offsets, lists.ranks, lists.levels, lists.gain_of_level, offsets, ideal, depth(k), beta
    )
    return lists.share(sums, np.diff(offsets))


@compiled
def blended_ratio_sums(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    levels: NDArray[np.int16],
    gain_of_level: NDArray[np.float64],
    ideal_offsets: NDArray[np.int64],
    ideal: NDArray[np.float64],
    k: int,
    beta: float,
) -> NDArray[np.float64]:
    """Sum the blended ratio at the relevant documents of every list; `ideal` is a running sum over all topics."""
    sums = np.zeros(len(offsets) - 1)
    n_topics = len(ideal_offsets) - 1
    for number in range(len(offsets) - 1):
        start, stop = ideal_offsets[number % n_topics], ideal_offsets[number % n_topics + 1]
        n_relevant = 0
        gain_so_far = total = 0.0
        for entry in range(offsets[number], offsets[number + 1]):
            rank = ranks[entry]
            if rank > k:
                break
            gain = gain_of_level[levels[entry]]
            if gain > 0:
                n_relevant += 1
                gain_so_far += gain
                best = ideal[min(start + rank, stop)] - ideal[start]
                total += (beta * gain_so_far + n_relevant) / (beta * best + rank)
        sums[number] = total
    return sums


SPECS = (MetricSpec(name="Q", kernel=q_measure, real_grades=True, graded=True, ideal=1.0, cite="sakai2008"),)
