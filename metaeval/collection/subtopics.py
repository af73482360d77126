"""Judgments by subtopic: which subtopics of its topic each judged document is about, and with what grade."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import count, first_few, natural_order
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.base import take_segments
from metaeval.collection.pools import Recoded
from metaeval.errors import InvalidOptionError

USUAL_OF_SUBTOPICS = (
    *("alpha_nDCG@10", "nERR_IA@10", "nNRBP", "AP_IA", "P_IA@10", "StRecall@10", "D_nDCG@10", "Dsharp_nDCG@10"),
)
"""The measures to take where none are named."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subtopics(ShortRepr):
    """The subtopics of every topic, and the grades of documents under each."""

    names: tuple[str, ...]
    """Names of all subtopics, topic after topic."""
    topic_offsets: NDArray[np.int64]
    """Those of topic t stand at ``topic_offsets[t]:topic_offsets[t + 1]``. Shape (n_topics + 1,)."""
    weights: NDArray[np.float64]
    """Weight of every subtopic; 1 unless given. Shape (n_subtopics,)."""
    offsets: NDArray[np.int64]
    """The entries of judgment j stand at ``offsets[j]:offsets[j + 1]``. Shape (n_judgments + 1,)."""
    codes: NDArray[np.int64]
    """Which subtopic of its topic, from 0. Shape (n_entries,)."""
    levels: NDArray[np.int16]
    """Level there, as in `Collection.levels`. Shape (n_entries,)."""

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topic_offsets) - 1

    def on_topics(self, columns: NDArray[np.int64], kept: NDArray[np.int64]) -> Self:
        """Return the subtopics of some topics, with the entries of their judgments."""
        topic_offsets, places = take_segments(self.topic_offsets, columns)
        offsets, entries = take_segments(self.offsets, kept)
        return replace(
            self,
            names=tuple(self.names[position] for position in places.tolist()),
            topic_offsets=topic_offsets,
            weights=self.weights[places],
            offsets=offsets,
            codes=self.codes[entries],
            levels=self.levels[entries],
        )

    def with_further(self, new: Recoded) -> Self:
        """Return the same entries where further documents, about no subtopic, are judged."""
        lengths = new.spread(np.diff(self.offsets), 0)
        return replace(self, offsets=np.concatenate([[0], np.cumsum(lengths)]))

    def idle_weights(self, weights: Mapping[str, Mapping[str, float]], topics: tuple[str, ...]) -> list[str]:
        """Note the subtopics that have a weight and no judgment, if there are any, those of other topics last."""
        bounds = zip(topics, pairwise(self.topic_offsets.tolist()), strict=True)
        judged = {topic: set(self.names[start:stop]) for topic, (start, stop) in bounds}
        listed = {topic: weights.get(topic, {}) for topic in judged} | dict(weights)
        idle = [
            f"{subtopic} of topic {topic}"
            for topic, of_topic in listed.items()
            for subtopic in of_topic
            if subtopic not in judged.get(topic, ())
        ]
        note = f"weights of {count(len(idle), 'subtopic')} without judgments do not count: {first_few(idle)}"
        return [f"{note}; the others of a topic are shares of their own sum"] if idle else []

    def with_weights(self, weights: Mapping[str, Mapping[str, float]], topics: tuple[str, ...]) -> Self:
        """Return them with weights by topic and subtopic; those of a topic count as shares of their sum."""
        subtopic_weights = np.full(len(self.names), np.nan)
        for column, topic in enumerate(topics):
            for position in range(self.topic_offsets[column], self.topic_offsets[column + 1]):
                subtopic_weights[position] = weights.get(topic, {}).get(self.names[position], np.nan)
        wrong = np.flatnonzero(~((subtopic_weights >= 0) & np.isfinite(subtopic_weights)))
        if wrong.size:
            column = int(np.searchsorted(self.topic_offsets, wrong[0], side="right")) - 1
            problem = "has none" if np.isnan(subtopic_weights[wrong[0]]) else f"has {subtopic_weights[wrong[0]]:g}"
            raise InvalidOptionError(
                f"every subtopic needs a weight of 0 or more; subtopic {self.names[wrong[0]]!r} of topic "
                f"{topics[column]!r} {problem}"
            )
        sums = np.diff(np.concatenate([[0.0], np.cumsum(subtopic_weights > 0)])[self.topic_offsets])
        empty = np.flatnonzero((sums == 0) & (np.diff(self.topic_offsets) > 0))
        if empty.size:
            raise InvalidOptionError(f"all subtopics of topic {topics[empty[0]]!r} have the weight 0; one needs more")
        return replace(self, weights=subtopic_weights)


class BySubtopic(NamedTuple):
    """Lines of topic, subtopic, document and level put together: one judgment a document, its highest level."""

    subtopics: Subtopics
    lines: NDArray[np.int64]
    """The first line of every document, topic after topic in the order of identifiers. Shape (n_judgments,)."""
    levels: NDArray[np.int16]
    """Highest level of every document. Shape (n_judgments,)."""
    several: bool
    """Whether some document is judged on several subtopics of a topic."""
    again: tuple[int, int] | None
    """Two lines that judge one document on one subtopic of a topic, where there are such."""

    @classmethod
    def of(
        cls,
        lists: NDArray[np.int64],
        documents: NDArray[Any],
        words: Sequence[str],
        levels: NDArray[np.int16],
        n_topics: int,
    ) -> "BySubtopic":
        """Put lines together; `words` names the subtopic of each."""
        names = natural_order(set(words))
        index_of = {name: number for number, name in enumerate(names)}
        second = np.array([index_of[word] for word in words], dtype=np.int64)
        lines = np.lexsort((second, documents, lists))
        lists, documents, second, levels = lists[lines], documents[lines], second[lines], levels[lines]
        new = np.append(True, (documents[1:] != documents[:-1]) | (lists[1:] != lists[:-1]))
        new_subtopic = np.append(True, second[1:] != second[:-1])
        same = np.flatnonzero(~new & ~new_subtopic)
        first, later = sorted((int(lines[same[0] - 1]), int(lines[same[0]]))) if len(same) else (-1, -1)
        starts = np.flatnonzero(new)
        n_names = len(names)
        present, codes = np.unique(lists * n_names + second, return_inverse=True)
        topic_offsets = np.searchsorted(present, np.arange(n_topics + 1) * n_names)
        subtopics = Subtopics(
            names=tuple(names[number] for number in (present % n_names).tolist()),
            topic_offsets=topic_offsets,
            weights=np.ones(len(present)),
            offsets=np.append(starts, len(lines)),
            codes=codes - topic_offsets[lists],
            levels=levels,
        )
        highest = np.maximum.reduceat(levels, starts)
        return cls(
            subtopics, lines[starts], highest, bool((new_subtopic & ~new).any()), (first, later) if len(same) else None
        )

    def note(self, where: str) -> str:
        """Say what names the subtopics, and how many there are."""
        subtopics = self.subtopics
        remark = "" if self.several else ", one for every document"
        return (
            f"{where} names subtopics, {count(len(subtopics.names), 'subtopic')} of "
            f"{count(subtopics.n_topics, 'topic')}"
            f"{remark}: measures without subtopics take the highest grade of a document"
        )
