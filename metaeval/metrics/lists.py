"""What a measure looks at: the relevant documents of every ranked list, picked out of a collection once.

Every measure here but one depends only on the relevant documents: their ranks, how many judged documents stand above
them, and what the topic holds. So one compiled pass over the judged documents serves all measures, and the passes
that follow touch the relevant few.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.metric_names import Call, GainTable
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.base import is_judged
from metaeval.collection.documents import NOT_POOLED, Collection, JudgedCollection
from metaeval.collection.grades import level_from
from metaeval.errors import InvalidOptionError
from metaeval.metrics.quantisation import LINEAR
from metaeval.running.compiled import compiled
from metaeval.running.equality import difference
from metaeval.running.parallel import on_threads

NO_CUTOFF = int(np.iinfo(np.int32).max)
"""A depth below every list's end."""


class JudgedLists(Protocol):
    """Base class of the lists that kernels receive: `RankedLists`, `ElementLists` and `PassageLists`."""

    @property
    def collection(self) -> JudgedCollection:
        """Where they come from."""

    @property
    def lengths(self) -> NDArray[np.int32]:
        """Number of results in every list, shape (n_systems, n_topics)."""

    def n_relevant(self) -> Ints:
        """Return how many relevant things every topic has, shape (n_topics,)."""


_BITS = 21
_MASK = (1 << _BITS) - 1


class IdealLists(NamedTuple):
    """Ideal rankings: the relevant documents of each topic by decreasing gain."""

    offsets: Ints
    """Shape (n_topics + 1,)."""
    ranks: NDArray[np.int32]
    """1, 2, … inside each topic. Shape (n,)."""
    levels: NDArray[np.int16]
    """Shape (n,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankedLists(ShortRepr):
    """The relevant documents of every list: the argument of a kernel."""

    collection: Collection
    """Where they come from; its arrays hold the judged non-relevant documents too."""
    offsets: Ints
    """List number system * n_topics + topic is the part ``offsets[i]:offsets[i + 1]`` of the next four. Shape
    (n_systems * n_topics + 1,)."""
    ranks: NDArray[np.int32]
    """Rank from 1 in the list being measured: the full list, or the condensed one for ``judged_only=True``. Shape
    (n,)."""
    judged_ranks: NDArray[np.int32]
    pooled_ranks: NDArray[np.int32]
    """Rank among the judged and among the pooled documents of the list, the document itself included. Shape (n,)."""
    levels: NDArray[np.int16]
    """All above 0; codes where there are `grades`. Shape (n,)."""
    lengths: NDArray[np.int32]
    """Number of documents in the list being measured. Shape (n_systems, n_topics)."""
    n_judged_retrieved: NDArray[np.int32]
    """Number of judged documents in the list. Shape (n_systems, n_topics)."""
    counts: Ints
    """Judged documents of each topic at each level; all levels below 1 are counted at 0. Shape (n_topics, highest +
    1)."""
    top_level: int
    """Highest level over all topics of the full judgments."""
    gains: Call | GainTable
    """The quantisation in force."""
    gain_of_level: Floats
    """Its gain for every level from 0."""
    grades: Floats | None = None
    """The grade that every level from 0 stands for, where grades are not whole. Shape (highest + 1,)."""

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.lengths.shape[1]

    @property
    def highest(self) -> int:
        """Highest level that any table over levels must hold."""
        return self.counts.shape[1] - 1

    @property
    def n_judged(self) -> Ints:
        """Number of judged documents of every topic."""
        return self.counts.sum(axis=1)

    @property
    def longest(self) -> int:
        """Largest rank that a list or an ideal list can have."""
        return max(int(self.lengths.max(initial=0)), int(self.n_relevant().max(initial=0)), 1)

    def n_relevant(self, rel: int = 1) -> Ints:
        """Return the number of documents of every topic at level `rel` or above."""
        return self.counts[:, rel:].sum(axis=1)

    def n_with_gain(self) -> Ints:
        """Return the number of documents of every topic that have a gain above 0."""
        return self.counts @ (self.gain_of_level[: self.highest + 1] > 0).astype(np.int64)

    @property
    def numbers(self) -> Floats:
        """Grade of every level from 0, shape (highest + 1,)."""
        return np.arange(self.highest + 1, dtype=np.float64) if self.grades is None else self.grades

    def number_of(self, level: int) -> float:
        """Return the grade of a level."""
        return float(level if self.grades is None else self.grades[level])

    def level_from(self, rel: float) -> int:
        """Return the lowest level whose grade is at least `rel`."""
        return level_from(rel, self.grades)

    def with_top(self, top: float | None) -> "RankedLists":
        """Return the lists with room for a top of the scale above all real-valued grades; None leaves it to them.

        Raises
        ------
        InvalidOptionError
            If a document stands above it.
        """
        if top is None or self.grades is None:
            return self
        apart = difference(self.grades[-1], top, self.grades[-1], abs(top)).item()
        if apart > 0:
            message = f"max_level={top:g} must be at least {self.grades[-1]:g}, the highest grade of the judgments"
            raise InvalidOptionError(message)
        if apart == 0:
            return self
        counts = np.column_stack([self.counts, np.zeros(self.n_topics, dtype=np.int64)])
        grades = np.append(self.grades, float(top))
        return replace(self, counts=counts, grades=grades, gain_of_level=np.append(self.gain_of_level, float(top)))

    def scale_level(self, max_level: int | None) -> int:
        """Return the level that counts as the top of the scale: `max_level`, else that of the full judgments.

        Raises
        ------
        InvalidOptionError
            If a document stands above it.
        """
        top = self.top_level if max_level is None else max_level
        present = np.flatnonzero(self.counts.any(axis=0))
        if present.size and int(present[-1]) > top:
            message = f"max_level={top} must be at least {int(present[-1])}, the highest level judged"
            raise InvalidOptionError(message)
        return top

    def largest(self, gains: Floats) -> float:
        """Return the largest gain of a level that some document has; 0 if none has one."""
        return float(np.nanmax(gains[: self.highest + 1][self.counts.any(axis=0)], initial=0.0))

    def condensed(self) -> "RankedLists":
        """Return the lists without their unjudged documents, ranks closed up."""
        return replace(self, ranks=self.judged_ranks, pooled_ranks=self.judged_ranks, lengths=self.n_judged_retrieved)

    def with_gains(self, gains: Call | GainTable, gain_of_level: Floats) -> "RankedLists":
        """Return the lists under another quantisation."""
        return replace(self, gains=gains, gain_of_level=gain_of_level)

    def named_gains(self) -> Mapping[float, float]:
        """Return the gain of every grade that the quantisation in force names, by grade; read-only."""
        named = np.flatnonzero(~np.isnan(self.gain_of_level))
        levels = named if self.grades is None else self.grades[named]
        return MappingProxyType(dict(zip(levels.tolist(), self.gain_of_level[named].tolist(), strict=True)))

    def ideal(self) -> IdealLists:
        """Return the ideal ranking of every topic under the gains in force."""
        gains = self.gain_of_level[: self.highest + 1]
        order = np.argsort(-gains, kind="stable")
        order = order[gains[order] > 0]
        repeats = self.counts[:, order]
        sizes = repeats.sum(axis=1)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        levels = np.repeat(np.tile(order, self.n_topics), repeats.ravel())
        ranks = np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], sizes)
        return IdealLists(offsets, ranks.astype(np.int32), levels.astype(np.int16))

    def share(self, sums: NDArray[np.number], whole: NDArray[np.number]) -> Floats:
        """Return sums over lists divided by a topic's whole, shape (n_systems, n_topics); 0 where the whole is 0."""
        table = np.asarray(sums, dtype=np.float64).reshape(self.lengths.shape)
        return np.divide(table, whole, out=np.zeros(table.shape), where=np.broadcast_to(whole > 0, table.shape))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankedTopic(ShortRepr):
    """The judged documents of one list on one topic: the argument of a plug-in metric."""

    ranks: Ints
    """Ranks of the judged documents that were retrieved, from 1, ascending. Shape (n,)."""
    levels: NDArray[Any]
    """Their levels; 0 is judged non-relevant. Where grades are not whole, the grades: float64. Shape (n,)."""
    gains: Floats
    """Their gains under the quantisation in force (linear unless ``gains=`` says otherwise). Shape (n,)."""
    n_retrieved: int
    """Length of the list."""
    n_per_level: Mapping[float, int]
    """Number of judged documents of the topic at each level, retrieved or not; read-only, as all runs share it."""
    gain_of_level: Mapping[float, float]
    """Gain of every level of the scale under the quantisation in force, ``gain_of_level[top_level]`` that of the
    highest; only of the levels that are named where ``gains=`` is a table. Read-only."""
    ideal_gains: Floats
    """Gains above 0 of the topic's documents, retrieved or not, in descending order: those of an ideal ranking.
    Read-only. Shape (n_with_gain,)."""
    top_level: float
    """Highest level over all topics of the full judgments."""

    def n_relevant(self, rel: float = 1) -> int:
        """Return the number of documents of the topic at level `rel` or above, retrieved or not."""
        return sum(count for level, count in self.n_per_level.items() if level >= rel)


def depth(k: int | None) -> int:
    """Return the cutoff as a kernel wants it."""
    return NO_CUTOFF if k is None else min(k, NO_CUTOFF)


@singledispatch
def lists_for(collection: JudgedCollection) -> Any:  # noqa: ANN401 - of what the collection ranks
    """Return what the kernels of measures take; each kind of collection registers its own."""
    raise TypeError(type(collection).__name__)


@lists_for.register
def ranked_lists(collection: Collection) -> RankedLists:
    """Pick the relevant documents of every list under the collection's current levels."""
    levels = collection.levels
    largest = int(np.diff(collection.topic_offsets).max(initial=0))
    if largest > _MASK:
        raise InvalidOptionError(f"a topic may have at most {_MASK} judgments; the largest has {largest}")
    judgments = collection.judgments.view(np.uint32)  # never negative, and said so it compiles to faster look-ups
    tallies = _tallies(levels)
    totals = np.empty(collection.n_systems * collection.n_topics, dtype=np.int64)
    _tally(len(totals), collection.offsets, judgments, tallies, totals)
    offsets = np.concatenate([[0], np.cumsum(totals & _MASK)])
    ranks, judged_ranks, pooled_ranks = np.empty((3, offsets[-1]), dtype=np.int32)
    own_levels = np.empty(offsets[-1], dtype=np.int16)
    listed = (collection.offsets, collection.ranks, judgments, levels, tallies, offsets)
    _relevant_documents(len(totals), *listed, ranks, judged_ranks, pooled_ranks, own_levels)
    shape = (collection.n_systems, collection.n_topics)
    grades = collection.grades
    highest = max(int(levels.max(initial=0)), collection.top_level, 0) if grades is None else len(grades) - 1
    return RankedLists(
        collection=collection,
        offsets=offsets,
        ranks=ranks,
        judged_ranks=judged_ranks,
        pooled_ranks=pooled_ranks,
        levels=own_levels,
        lengths=collection.n_retrieved,
        n_judged_retrieved=((totals >> _BITS) & _MASK).astype(np.int32).reshape(shape),
        counts=_counts(collection, highest),
        top_level=collection.top_level,
        gains=LINEAR,
        gain_of_level=np.arange(highest + 1, dtype=np.float64) if grades is None else grades,
        grades=grades,
    )


def ranked_topics(lists: RankedLists, numbers: Ints, *, judged_only: bool) -> Iterator[tuple[int, int, RankedTopic]]:
    """Yield system, topic and what a plug-in function gets, for the lists of those numbers."""
    collection = lists.collection
    judged = collection.judged
    codes = collection.levels.astype(np.int64)
    levels = codes if collection.grades is None else collection.numbers
    per_topic: list[Mapping[float, int]] = []
    for start, stop in zip(collection.topic_offsets[:-1], collection.topic_offsets[1:], strict=True):
        present, counts = np.unique(levels[start:stop][judged[start:stop]], return_counts=True)
        per_topic.append(MappingProxyType(dict(zip(present.tolist(), counts.tolist(), strict=True))))
    ideal_offsets, _, ideal_levels = lists.ideal()
    ideal_gains = lists.gain_of_level[ideal_levels]
    ideal_gains.setflags(write=False)
    gain_of_level = lists.named_gains()
    for number in numbers:
        system, topic = divmod(int(number), collection.n_topics)
        span = slice(collection.offsets[number], collection.offsets[number + 1])
        judgments = collection.judgments[span]
        has_judgment = judged[judgments]
        kept_codes = codes[judgments[has_judgment]]
        own_levels = levels[judgments[has_judgment]]
        ranks = (
            np.arange(1, len(own_levels) + 1) if judged_only else collection.ranks[span][has_judgment].astype(np.int64)
        )
        seen = RankedTopic(
            ranks=ranks,
            levels=own_levels,
            gains=lists.gain_of_level[np.maximum(kept_codes, 0)],
            n_retrieved=int(lists.lengths[system, topic]),
            n_per_level=per_topic[topic],
            gain_of_level=gain_of_level,
            ideal_gains=ideal_gains[ideal_offsets[topic] : ideal_offsets[topic + 1]],
            top_level=lists.top_level if lists.grades is None else lists.number_of(lists.top_level),
        )
        yield system, topic, seen


def _counts(collection: Collection, highest: int) -> Ints:
    judged = np.flatnonzero(collection.judged)
    cells = collection.topic_of_judgment[judged] * (highest + 1) + np.maximum(collection.levels[judged], 0)
    size = collection.n_topics * (highest + 1)
    return np.bincount(cells, minlength=size).reshape(collection.n_topics, highest + 1)


def _tallies(levels: NDArray[np.int16]) -> Ints:
    """Return what each document adds to three counts in one number: relevant, judged and pooled, 21 bits each."""
    pooled = levels != NOT_POOLED
    judged = is_judged(levels)
    return (levels > 0) + (judged.astype(np.int64) << _BITS) + (pooled.astype(np.int64) << 2 * _BITS)


@on_threads
@compiled
def _tally(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int, stop: int, offsets: Ints, judgments: NDArray[np.uint32], tallies: Ints, totals: Ints
) -> None:
    """Add up the counts of every list."""
    for number in range(start, stop):
        list_judgments = judgments[offsets[number] : offsets[number + 1]]
        total = 0
        for index in range(len(list_judgments)):
            total += tallies[list_judgments[index]]
        totals[number] = total


@on_threads
@compiled
def _relevant_documents(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int,
    stop: int,
    offsets: Ints,
    ranks: NDArray[np.int32],
    judgments: NDArray[np.uint32],
    levels: NDArray[np.int16],
    tallies: Ints,
    starts: Ints,
    own_ranks: NDArray[np.int32],
    judged_ranks: NDArray[np.int32],
    pooled_ranks: NDArray[np.int32],
    own_levels: NDArray[np.int16],
) -> None:
    """Pick the relevant documents of every list, with the counts down to each.

    Whether a document is relevant is unpredictable, so the search has no branch: every document is written to the
    next free place, which moves on only after a relevant one, and the search ends with the last relevant one.
    """
    sums = np.empty(starts[stop] - starts[start], dtype=np.int64)
    for number in range(start, stop):
        list_judgments = judgments[offsets[number] : offsets[number + 1]]
        places = own_ranks[starts[number] : starts[number + 1]]  # until the ranks themselves are put there
        totals = sums[starts[number] - starts[start] : starts[number + 1] - starts[start]]
        n_relevant = position = total = 0
        while n_relevant < len(places):
            tally = tallies[list_judgments[position]]
            total += tally
            places[n_relevant] = position
            totals[n_relevant] = total
            n_relevant += tally & 1
            position += 1
        for entry in range(len(places)):
            where = places[entry]
            here = starts[number] + entry
            own_ranks[here] = ranks[offsets[number] + where]
            own_levels[here] = levels[list_judgments[where]]
            judged_ranks[here] = (totals[entry] >> _BITS) & _MASK
            pooled_ranks[here] = totals[entry] >> 2 * _BITS
