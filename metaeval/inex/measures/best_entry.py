"""Entry points into documents: distance to the assessor's best one (BEPD), hits within a reader's patience (T2I)."""

from typing import Annotated

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.inex.highlighted_text import HighlightedText
from metaeval.inex.measures.passage_lists import PassageLists
from metaeval.metrics.parameters import Cutoff, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.metrics.sums import list_sums, share_of_whole
from metaeval.running.compiled import compiled

_Positive = Annotated[float, Rule(lambda value: 0 < value < np.inf, "above 0")]
_Characters = Annotated[int, Rule(lambda count: count >= 1, "at least 1 character")]


def best_entry_point_distance(
    lists: PassageLists,
    *,
    A: _Positive,  # noqa: N803 - the letter of the campaign, written in the metric's name
    mean_length: _Positive,
) -> Floats:
    r"""Mean nearness of the entry points of relevant articles to the best ones; 0 for one that was not returned.

    Notes
    -----
    .. math:: BEPD = \frac{1}{N_{rel}} \sum_d \frac{A \bar L}{A \bar L + |x_d - b_d|}

    over the returned articles that have a best entry point b (INEX 2006, best in context). That the divisor is the
    number of relevant articles is reconstructed, not read in a source.
    """
    lists.collection.refuse(["repeated"], task="best in context")
    entries = lists.collection.text.best_entries[lists.results.documents]
    starts = lists.results.starts
    near = A * mean_length / (A * mean_length + np.abs(starts - entries))
    sums = list_sums(lists.offsets, np.where((entries >= 0) & (starts >= 0), near, 0.0))
    return share_of_whole(sums.reshape(lists.lengths.shape), lists.n_documents)


def tolerated_hits(lists: PassageLists, *, k: Cutoff, tol: _Characters = 300) -> Floats:
    """Share of the first k results that have highlighted text within tol other characters from their start.

    Notes
    -----
    The binary form of tolerance to irrelevance (de Vries, Kazai and Lalmas 2004); several results may lead to the
    same passage, and each counts.
    """
    inside = np.flatnonzero(lists.results.ranks <= k)
    documents = lists.results.documents[inside].astype(np.int64)
    hits = _hits(documents, lists.results.starts[inside], lists.collection.text, tol)
    return list_sums(lists.per_list(inside), hits).reshape(lists.lengths.shape) / k


@compiled
def _hits(documents: Ints, starts: Ints, text: HighlightedText, tol: int) -> Floats:
    """Return 1 for every place from which highlighted text is less than `tol` characters away, else 0."""
    hits = np.zeros(len(documents))
    for result in range(len(documents)):
        start = starts[result]
        if start < 0:
            continue
        for number in range(text.offsets[documents[result]], text.offsets[documents[result] + 1]):
            if text.stops[number] > start:
                hits[result] = text.starts[number] - start < tol
                break
    return hits


SPECS = (
    MetricSpec(name="BEPD", kernel=best_entry_point_distance, on="passages", cite="lalmas2007"),
    MetricSpec(name="T2IHits", kernel=tolerated_hits, on="passages", cite="devries2004"),
)
