"""What a measure of passages looks at: results with their highlighted characters under the current judgments."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.short_repr import ShortRepr
from metaeval.errors import InvalidOptionError
from metaeval.inex.passage_runs import Results
from metaeval.inex.passages import PassageCollection
from metaeval.metrics.lists import lists_for
from metaeval.metrics.parameters import Rule
from metaeval.metrics.sums import running_sums, share_of_whole

_OVERLAP = ("refuse", "thorough", "uniform")
Overlap = Annotated[str, Rule(_OVERLAP.__contains__, "refuse, thorough or uniform")]
"""What happens to overlapping results: refused, or only unseen text counts (thorough: in relevant documents alone)."""
Compat = Annotated[str, Rule(("inex_eval",).__contains__, "inex_eval")]
"""Whose arithmetic is followed where it differs from the definition."""


class TextRead(NamedTuple):
    """How much text was read, result after result."""

    relevant: NDArray[np.int64]
    """Highlighted characters that a result adds. Shape (n,)."""
    reached: NDArray[np.int64]
    """Characters read from the top of the list through it. Shape (n,)."""
    total: NDArray[np.int64]
    """Characters of the whole list. Shape (n_systems, n_topics)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageLists(ShortRepr):
    """The lists of a `PassageCollection` under its current levels, as a kernel receives them."""

    collection: PassageCollection
    """Where they come from."""
    offsets: NDArray[np.int64]
    """List number system * n_topics + topic is the part ``offsets[i]:offsets[i + 1]`` of `results`. Shape (n_systems *
    n_topics + 1,)."""
    results: Results
    """The results in documents whose highlighted text counts."""
    lengths: NDArray[np.int32]
    """Number of results in the whole list. Shape (n_systems, n_topics)."""
    n_articles: NDArray[np.int32]
    """Number of distinct documents in the whole list. Shape (n_systems, n_topics)."""
    n_documents: NDArray[np.int64]
    """Documents with highlighted text. Shape (n_topics,)."""
    n_characters: NDArray[np.int64]
    """Highlighted characters. Shape (n_topics,)."""

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.lengths.shape[1]

    def n_relevant(self) -> NDArray[np.int64]:
        """Return the number of documents of every topic that have highlighted text."""
        return self.n_documents

    def first_results(self) -> NDArray[np.int64]:
        """Return where in `results` each article of each list has its first result."""
        number = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        # Articles are numbered by their first results, so those are where the number of the article rises.
        highest = np.maximum.accumulate((number << 32) + self.results.articles)
        return np.flatnonzero(np.diff(highest, prepend=-1))

    def per_list(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the offsets of lists that keep only these places of `results`."""
        return np.searchsorted(places, self.offsets).astype(np.int64)

    def text_read(self, overlap: str) -> TextRead:
        """Return what every result adds, and how much was read by then."""
        collection, results = self.collection, self.results
        collection.refuse(["no length"], task="a measure of passages")
        if overlap == "refuse":
            collection.refuse(["overlap"], task="the focused task")
            return TextRead(results.relevant, results.reached, collection.n_characters)
        if overlap == "uniform":
            return TextRead(results.unseen_relevant, results.unseen_reached, collection.n_unseen_characters)
        seen = running_sums(self.offsets, results.lengths - results.unseen_lengths)
        total = collection.n_characters.ravel().copy()
        filled = np.flatnonzero(np.diff(self.offsets))
        total[filled] -= seen[self.offsets[filled + 1] - 1]
        return TextRead(results.unseen_relevant, results.reached - seen, total.reshape(self.lengths.shape))


@lists_for.register
def passage_lists(collection: PassageCollection) -> PassageLists:
    """Pick the results in documents that have highlighted text under the collection's current levels."""
    by_document = collection.by_document
    counts = (by_document.levels > 0) & (collection.text.relevant_sizes > 0)
    offsets, results = collection.offsets, collection.results
    selected = counts[results.documents]
    if not selected.all():
        offsets = np.concatenate([[0], np.cumsum(selected)]).astype(np.int64)[offsets]
        results = Results._make(column[selected] for column in results)
    return PassageLists(
        collection=collection,
        offsets=offsets,
        results=results,
        lengths=collection.n_retrieved,
        n_articles=by_document.n_retrieved,
        n_documents=_per_topic(counts.astype(np.int64), by_document.topic_offsets),
        n_characters=_per_topic(np.where(counts, collection.text.relevant_sizes, 0), by_document.topic_offsets),
    )


def thresholds(wholes: NDArray[np.int64], points: Sequence[Fraction], *, bins: int | None = None) -> NDArray[np.int64]:
    """Return how much of every topic's whole reaches each recall point, shape (n_topics, n_points)."""
    exact = [[-(-point.numerator * int(total) // point.denominator) for point in points] for total in wholes]
    needed = np.array(exact, dtype=np.int64).reshape(len(wholes), len(points))
    if bins is None:
        return needed
    edges = [point * bins for point in points]
    if any(edge.denominator > 1 for edge in edges):
        message = f"compat='inex_eval' knows recall in steps of 1/{bins} only, not {[float(point) for point in points]}"
        raise InvalidOptionError(message)
    missed = np.floor(bins * share_of_whole(needed, wholes[:, None])) < np.array([int(edge) for edge in edges])
    return needed + missed


def _per_topic(values: NDArray[np.int64], topic_offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.diff(np.concatenate([[0], np.cumsum(values)])[topic_offsets])
