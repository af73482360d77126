"""Rank-biased precision (RBP)."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError
from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.ndcg import discounted_gains
from metaeval.metrics.parameters import Cutoff, Level, Rule
from metaeval.metrics.quantisation import LINEAR
from metaeval.metrics.spec import MetricSpec

_Persistence = Annotated[
    float,
    Rule(
        lambda p: 0 < p < 1,
        "above 0 and below 1",
        "none is assumed, since tools differ (0.8 in ir_measures, 0.9 in trec_eval, 0.95 in NTCIREVAL)",
    ),
]


def rank_biased_precision(
    lists: RankedLists,
    *,
    p: _Persistence,
    k: Cutoff | None = None,
    max_level: Level | None = None,
    rel: Level | None = None,
) -> NDArray[np.float64]:
    r"""Mean gain per document of a reader who continues from each rank to the next with probability p.

    Notes
    -----
    .. math:: RBP = \frac{1 - p}{gain(H)} \sum_r g(r)\, p^{r-1}

    (Moffat and Zobel 2008; Sakai and Kando 2008, equation 9).
    """
    top = lists.scale_level(max_level)
    if rel is None:
        gains, most = lists.gain_of_level, lists.gain_of_level[top]
    else:
        if lists.gains != LINEAR:
            message = f"RBP takes gains= or rel= (binary gains), not both: gains={lists.gains}, rel={rel}"
            raise InvalidOptionError(message)
        gains, most = (np.arange(len(lists.gain_of_level)) >= rel).astype(np.float64), 1.0
    if not most >= lists.largest(gains) or (most == 0 and lists.n_with_gain().any()):
        raise InvalidOptionError(
            f"RBP divides by the gain of the top level, {lists.number_of(top):g}, so no level may have more: "
            f"gains={lists.gains} gives it {most:g}"
        )
    weights = (1.0 - p) * p ** np.arange(-1.0, lists.longest)
    sums = discounted_gains(lists.offsets, lists.ranks, lists.levels, gains, weights, depth(k))
    return lists.share(sums, np.array(most))


SPECS = (
    MetricSpec(
        name="RBP", kernel=rank_biased_precision, real_grades=True, graded=True, monotone=True, cite="moffat2008"
    ),
)
