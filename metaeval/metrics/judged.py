"""Share of judged documents at the top of a list (Judged): how far the other measures can be trusted."""

import numpy as np
from numpy.typing import NDArray

from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled


def judged(lists: RankedLists, *, k: Cutoff | None = None) -> NDArray[np.float64]:
    """Share of the documents retrieved in the top k that have a judgment; a shorter list counts at its own length."""
    collection = lists.collection
    counts = count_judged(collection.offsets, collection.ranks, collection.judgments, collection.judged, depth(k))
    return lists.share(counts, np.minimum(lists.lengths, depth(k)))


@compiled
def count_judged(
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    judgments: NDArray[np.int32],
    judged: NDArray[np.bool_],
    k: int,
) -> NDArray[np.int64]:
    """Count the judged documents of every list, down to rank `k`."""
    counts = np.zeros(len(offsets) - 1, dtype=np.int64)
    for number in range(len(offsets) - 1):
        count = 0
        for entry in range(offsets[number], offsets[number + 1]):
            if ranks[entry] > k:
                break
            count += judged[judgments[entry]]
        counts[number] = count
    return counts


SPECS = (MetricSpec(name="Judged", kernel=judged, real_grades=True, judged_only=False, without_relevant=None),)
