"""Generalised precision (Kekäläinen and Järvelin 2002): the mean gain of the top k."""

import numpy as np

from metaeval.metrics import RankedLists, RankedTopic, metric


def all_lists_at_once(lists: RankedLists, *, k: int) -> np.ndarray:
    """Compute it for every run and topic in one go; optional, for speed."""
    gains = np.where(lists.ranks <= k, lists.gain_of_level[lists.levels], 0.0)
    sums = np.diff(np.concatenate([[0.0], np.cumsum(gains)])[lists.offsets])
    return lists.share(sums, np.array(k))


@metric(
    name="MeanGain",
    kernel=all_lists_at_once,
    graded=True,
    bounds=(0.0, np.inf),
    monotone=True,
    cite="doi:10.1002/asi.10137",
)
def generalised_precision(topic: RankedTopic, *, k: int) -> float:
    """Mean gain of the top k, counting k documents even if fewer were retrieved."""
    return topic.gains[topic.ranks <= k].sum() / k
