"""HiXEval (2005): precision and recall in highlighted characters, whatever the exhaustivity."""

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import UNKNOWN
from metaeval.inex.measures.element_lists import ElementLists
from metaeval.inex.measures.gains import Alpha, results_of, was_shown
from metaeval.metrics.lists import depth
from metaeval.metrics.parameters import Cutoff
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads


def highlighted_precision(lists: ElementLists, *, k: Cutoff | None = None, alpha: Alpha = 1.0) -> NDArray[np.float64]:
    """Share of highlighted characters among all that the top k show (HiXEval)."""
    credited, returned = _characters(lists, k, alpha)
    return np.divide(credited, returned, out=np.zeros(credited.shape), where=returned > 0)


def highlighted_recall(lists: ElementLists, *, k: Cutoff | None = None, alpha: Alpha = 1.0) -> NDArray[np.float64]:
    """Share of the topic's highlighted characters that the top k show (HiXEval)."""
    credited, _ = _characters(lists, k, alpha)
    total = np.broadcast_to(_highlighted(lists), credited.shape)
    return np.divide(credited, total, out=np.zeros(credited.shape), where=total > 0)


def highlighted_f(lists: ElementLists, *, k: Cutoff | None = None, alpha: Alpha = 1.0) -> NDArray[np.float64]:
    """Harmonic mean of precision and recall in highlighted characters of the top k (HiXEval)."""
    precision, recall = highlighted_precision(lists, k=k, alpha=alpha), highlighted_recall(lists, k=k, alpha=alpha)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros(total.shape), where=total > 0)


def _highlighted(lists: ElementLists) -> NDArray[np.int64]:
    """Return the highlighted characters of every topic, in documents that keep their judgment."""
    documents = lists.collection.by_document
    relevant = documents.levels > 0
    highlighted = lists.collection.highlighted
    if (highlighted[relevant] == UNKNOWN).any():
        raise InvalidOptionError(
            "HiXEval needs the highlighted characters of every relevant document, which these assessments "
            f"(scale {lists.collection.scale}) do not give"
        )
    amounts = np.where(relevant, highlighted, 0)
    return np.bincount(documents.topic_of_judgment, weights=amounts, minlength=lists.n_topics).astype(np.int64)


def _relevant_topics(lists: ElementLists, *, k: Cutoff | None = None, alpha: Alpha = 1.0) -> NDArray[np.int64]:  # noqa: ARG001 - the parameters of the metric
    return _highlighted(lists)


def _characters(lists: ElementLists, k: int | None, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the highlighted characters credited to the top k of every list, and all characters shown."""
    collection = lists.collection
    elements = collection.elements
    highlighted = np.where(lists.relevant, elements.relevant_sizes, 0)
    ranks = np.arange(len(collection.results)) - np.repeat(collection.offsets[:-1], np.diff(collection.offsets))
    used = collection.elements_returned[ranks < depth(k)]
    lists.refuse_unknown_size(used[elements.sizes[used] == UNKNOWN], what="HiXEval")
    lacking = used[highlighted[used] == UNKNOWN]
    if lacking.size:
        raise InvalidOptionError(
            f"HiXEval needs the highlighted characters of {collection.place_of(int(lacking[0]))}; nobody said them"
        )
    credited, returned = np.zeros((2, *lists.lengths.shape))
    arguments = (*results_of(lists), elements.parents, elements.sizes, highlighted, depth(k), alpha)
    _highlighted_shown(credited.size, *arguments, credited.reshape(-1), returned.reshape(-1))
    return credited, returned


@on_threads
@compiled
def _highlighted_shown(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    results: NDArray[np.int32],
    element_offsets: NDArray[np.int64],
    parents: NDArray[np.int32],
    sizes: NDArray[np.int64],
    highlighted: NDArray[np.int64],
    k: int,
    alpha: float,
    found: NDArray[np.float64],
    shown: NDArray[np.float64],
) -> None:
    n_topics = len(element_offsets) - 1
    for number in range(first, last):
        start, stop = element_offsets[number % n_topics], element_offsets[number % n_topics + 1]
        up = parents[start:stop]
        returned = np.zeros(stop - start, dtype=np.bool_)
        before = np.zeros(stop - start, dtype=np.int64)  # highlighted characters of each element that were shown
        for position in range(offsets[number], min(offsets[number + 1], offsets[number] + k)):
            element = results[position]
            text = highlighted[start + element]
            again = text if was_shown(element, up, returned) else min(before[element], text)
            found[number] += text - alpha * again
            shown[number] += sizes[start + element]
            returned[element] = True
            before[element] += text - again
            around = up[element]
            while around >= 0:
                before[around] += text - again
                around = up[around]


SPECS = tuple(
    MetricSpec(
        name=name, kernel=kernel, on="elements", relevant=_relevant_topics, bounds=(0.0, most), cite="pehcevski2005"
    )
    for name, kernel, most in (
        ("HiXP", highlighted_precision, 1.0),
        ("HiXR", highlighted_recall, np.inf),
        ("HiXF", highlighted_f, 2.0),
    )
)
