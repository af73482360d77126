"""Where documents enter the pool: the smallest rank at which any pooled run has them.

Everything about a pool follows from this one number a document (its *entry depth*): the pool of depth d is the
documents that entered by d, and its size at every depth is a cumulative count. So the lists are read once, however
many pools are asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count
from metaeval.base.names import name_order
from metaeval.base.results import Result
from metaeval.collection.base import Rounds
from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.running.compiled import compiled

NEVER = int(np.iinfo(np.int32).max)
"""Entry depth of a document that no pooled run has."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EntryDepths(Result):
    """Where every document enters the pool of some systems."""

    depth: NDArray[np.int32]
    """Smallest rank in any of the systems; `NEVER` where none has it. Codes below the collection's ``n_judgments`` are
    positions in its levels. Shape (n_codes,)."""
    system: NDArray[np.int32]
    """The first by name of the runs that have it there, as its place among all names of runs; -1 where none has. No
    two documents of a topic share depth and system, so both together order the pool as rank-by-rank pooling meets
    it. Shape (n_codes,)."""
    topic: NDArray[np.int32]
    """Topic position; -1 for a document without judgment that none of the systems has. Shape (n_codes,)."""
    ends: NDArray[np.int32]
    """Length of the longest list of the systems on each topic. Shape (n_topics,)."""
    longest: int
    """Length of the longest list of the collection."""
    complete: bool
    """Whether documents without a line in the qrels are there too, so that sizes count all distinct documents."""

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.ends)

    def over_codes(self, marked: Flags) -> Flags:
        """Return what is marked among the judgments, or among all documents, as marks of all documents."""
        return np.concatenate([marked, np.zeros(len(self.depth) - len(marked), dtype=bool)])

    def per_topic(self, marked: Flags) -> Ints:
        """Count what is marked among the judgments, or among all documents, in each topic."""
        return np.bincount(self.topic[: len(marked)][marked], minlength=self.n_topics)

    def counts(self, chosen: Flags | None = None) -> Ints:
        """Return how many documents (of those chosen) are in the pool at each depth, (n_topics, longest + 1)."""
        inside = self.depth != NEVER if chosen is None else self.over_codes(chosen) & (self.depth != NEVER)
        cells = self.topic[inside].astype(np.int64) * (self.longest + 1) + self.depth[inside]
        counted = np.bincount(cells, minlength=self.n_topics * (self.longest + 1))
        return np.cumsum(counted.reshape(self.n_topics, self.longest + 1), axis=1)

    def depth_of_size(self, sizes: NDArray[np.integer]) -> Ints:
        """Return for each topic the smallest depth whose pool holds at least `sizes` distinct documents.

        Shapes: `sizes` (..., n_topics), result (..., n_topics).
        """
        wanted = np.asarray(sizes)
        counts = self.counts()
        depths = np.empty(wanted.shape, dtype=np.int64)
        for topic in range(self.n_topics):  # one short search each
            depths[..., topic] = np.searchsorted(counts[topic], wanted[..., topic])
        return np.minimum(depths, self.ends)

    def within(self, depths: NDArray[np.integer] | int) -> Flags:
        """Return which documents are in the pool of a depth, one for all topics or one a topic."""
        limit = np.broadcast_to(np.asarray(depths), (self.n_topics,))
        return (self.topic >= 0) & (self.depth <= limit[self.topic])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EntryDepthsByGroup(Result):
    """Entry depths with any one group left out, from a single pass over the lists."""

    whole: EntryDepths
    """Of all pooled runs."""
    best_group: NDArray[np.int32]
    """Group of the run that has the document highest. Shape (n_codes,)."""
    other: NDArray[np.int32]
    """Smallest rank in any pooled run of another group. Shape (n_codes,)."""

    def without(self, group: int) -> EntryDepths:
        """Return the entry depths when the runs of `group` are left out (``system`` is not known then: -1)."""
        return EntryDepths(
            depth=np.where(self.best_group == group, self.other, self.whole.depth),
            system=np.full_like(self.whole.system, -1),
            topic=self.whole.topic,
            ends=self.whole.ends,
            longest=self.whole.longest,
            complete=self.whole.complete,
        )


def check_reach(number: object, name: str) -> int:
    """Return a depth or a size if it is a whole number of at least 1; beyond every list there is nothing more."""
    return min(check_count(number, name), NEVER - 1)


def check_rounds(rounds: Rounds) -> Rounds:
    """Return by what runs go on in each round of pooling, if that is known."""
    check_choice(rounds, "kind of rounds", get_args(Rounds))
    return rounds


def pooled_systems(collection: Collection, systems: Iterable[str] | None = None) -> Ints:
    """Return the positions of the runs that build pools: those named, else those marked as pooled, else all."""
    if systems is not None:
        names = [str(name) for name in ([systems] if isinstance(systems, str) else systems)]
        position = {name: number for number, name in enumerate(collection.systems)}
        for name in names:
            check_choice(name, "system", collection.systems)
        chosen = np.array(sorted({position[name] for name in names}), dtype=np.int64)
    elif collection.pooled is not None:
        chosen = np.flatnonzero(collection.pooled)
    else:
        chosen = np.arange(collection.n_systems)
    if not chosen.size and (systems is not None or collection.pool_runs is None):
        raise InvalidOptionError("no run builds the pool: mark at least one with `pooled`, or name `systems`")
    return chosen


def lists_relevant_only(collection: Collection) -> bool:
    """Say whether every line of the qrels is of a relevant document, so that they do not say what was judged."""
    return bool((collection.full_levels > 0).all())


def refuse_unknown_pool(collection: Collection) -> None:
    """Refuse judgments that list relevant documents only where nothing else says how much was judged."""
    if collection.pool_sizes is None and lists_relevant_only(collection):
        raise InvalidOptionError(
            f"all {collection.n_judgments:,} judgments are of relevant documents, so they do not say which documents "
            "were judged, and a pool of their number would lose relevant ones: give the number of documents judged "
            "for a topic (`judged_pool_size`) or the depth to which the runs were pooled "
            "(`pool_depth`)"
        )


def entry_depths(
    collection: Collection, systems: Ints | None = None, *, complete: bool = True, rounds: Rounds = "documents"
) -> EntryDepths:
    """Find where every document enters the pool; ranks are those of documents, or of their first results."""
    lists = _pool_lists(collection, systems, complete=complete, rounds=rounds)
    lengths = pool_lengths(collection, systems, rounds=rounds)
    if not lengths.any():
        raise InvalidOptionError("the pooled runs retrieve nothing for any topic of the qrels, so there is no pool")
    n_codes = _n_codes(collection)
    depth = np.full(n_codes, NEVER, dtype=np.int32)
    first = np.full(n_codes, -1, dtype=np.int32)
    topic = _known_topics(collection, n_codes)
    others = () if collection.pool_runs is None else collection.pool_runs.systems
    position = np.argsort(name_order((*collection.systems, *others)))
    for pool_list in lists:
        _enter(*pool_list[:4], position[pool_list.numbers], collection.n_topics, depth, first, topic)
    return EntryDepths(
        depth=depth,
        system=first,
        topic=topic,
        ends=lengths.max(axis=0),
        longest=max(int(collection.n_retrieved.max(initial=0)), int(lengths.max())),
        complete=collection.retrieved is not None,
    )


def entry_depths_by_group(
    collection: Collection, group_of: Ints, *, complete: bool, rounds: Rounds = "documents"
) -> EntryDepthsByGroup:
    """Find where every document enters the pool when any one group is left out.

    Shapes: `group_of` (n_systems,).
    """
    full = entry_depths(collection, complete=complete, rounds=rounds)
    n_codes = _n_codes(collection)
    best = np.full(n_codes, NEVER, dtype=np.int32)
    group = np.full(n_codes, -1, dtype=np.int32)
    next_best = np.full(n_codes, NEVER, dtype=np.int32)
    for pool_list in _pool_lists(collection, None, complete=complete, rounds=rounds):
        _enter_by_group(*pool_list[:4], group_of[pool_list.numbers], collection.n_topics, best, group, next_best)
    return EntryDepthsByGroup(whole=full, best_group=group, other=next_best)


def reciprocal_rank_sums(collection: Collection, systems: Ints | None = None) -> Floats:
    """Return the sum over the pooled runs of 1 / rank of every document, (n_codes,); 0 where none has it."""
    lists = _pool_lists(collection, systems, complete=True)
    sums = np.zeros(_n_codes(collection))
    for pool_list in lists:
        _sum_inverse_ranks(pool_list.offsets, pool_list.codes, pool_list.rows, collection.n_topics, sums)
    return sums


def pool_lengths(
    collection: Collection, systems: Ints | None = None, *, rounds: Rounds = "documents"
) -> NDArray[np.int32]:
    """Return the lengths of the lists that build pools, (n_runs, n_topics); see `entry_depths`.

    By results a list ends with the first result of its last document.
    """
    chosen = pooled_systems(collection) if systems is None else systems
    every, others = collection.retrieved, collection.pool_runs
    by_result = rounds == "results"
    first = every.first if by_result and every is not None else None
    lengths = (
        collection.n_retrieved if every is None or first is None else _ends(every.offsets, first, collection.n_topics)
    )
    if systems is not None or others is None:
        return lengths[chosen]
    first = others.first if by_result else None
    other_lengths = others.n_retrieved if first is None else _ends(others.offsets, first, collection.n_topics)
    return np.concatenate([lengths[chosen], other_lengths])


def _ends(offsets: Ints, first: NDArray[np.int32], n_topics: int) -> NDArray[np.int32]:
    """Return the last first result of every list, 0 of an empty one, (n_systems, n_topics)."""
    last = np.append(first, 0)[offsets[1:] - 1]
    return np.where(np.diff(offsets) > 0, last, 0).astype(np.int32).reshape(-1, n_topics)


class _Lists(NamedTuple):
    """Lists that go into a pool: rows of some lists, and the number of the run that each row is."""

    offsets: Ints
    ranks: NDArray[np.int32]
    codes: NDArray[np.int32]
    rows: Ints
    numbers: Ints


def _pool_lists(
    collection: Collection, systems: Ints | None, *, complete: bool, rounds: Rounds = "documents"
) -> list[_Lists]:
    """Return the lists of the runs that build a pool, and of those that are not scored."""
    chosen = pooled_systems(collection) if systems is None else systems
    offsets, ranks, codes, _ = retrieved_lists(collection, complete=complete)
    every, by_result = collection.retrieved, rounds == "results"
    if by_result and every is not None and every.first is not None:
        ranks = every.first
    lists = [_Lists(offsets, ranks, codes, chosen, chosen)]
    others = collection.pool_runs
    if systems is None and others is not None:
        rows = np.arange(len(others.systems))
        places = others.first if by_result and others.first is not None else others.ranks
        lists.append(_Lists(others.offsets, places, others.codes, rows, collection.n_systems + rows))
    return lists


def _n_codes(collection: Collection) -> int:
    return collection.n_judgments if collection.retrieved is None else collection.retrieved.n_codes


def retrieved_lists(
    collection: Collection, *, complete: bool
) -> tuple[Ints, NDArray[np.int32], NDArray[np.int32], int]:
    """Return offsets, ranks, codes and their number; no ranks where every retrieved document is there."""
    if collection.retrieved is not None:
        every = collection.retrieved
        return every.offsets, np.zeros(0, dtype=np.int32), every.codes, every.n_codes
    if complete:
        raise InvalidOptionError(
            "pool sizes count documents without judgment, and this collection was read without them: read it with "
            "`retrieved='all'`"
        )
    return collection.offsets, collection.ranks, collection.judgments, collection.n_judgments


def _known_topics(collection: Collection, n_codes: int) -> NDArray[np.int32]:
    topics = np.full(n_codes, -1, dtype=np.int32)
    topics[: collection.n_judgments] = collection.topic_of_judgment
    return topics


@compiled
def _enter(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    offsets: Ints,
    ranks: NDArray[np.int32],
    codes: NDArray[np.int32],
    systems: Ints,
    numbers: Ints,
    n_topics: int,
    depth: NDArray[np.int32],
    system: NDArray[np.int32],
    topic_of: NDArray[np.int32],
) -> None:
    for row, number in zip(systems, numbers):  # noqa: B905 - no strict= in a kernel
        for topic in range(n_topics):
            start, stop = offsets[row * n_topics + topic], offsets[row * n_topics + topic + 1]
            for position in range(start, stop):
                rank = ranks[position] if len(ranks) else position - start + 1
                code = codes[position]
                topic_of[code] = topic
                if rank < depth[code] or (rank == depth[code] and number < system[code]):
                    depth[code] = rank
                    system[code] = number


@compiled
def _enter_by_group(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    offsets: Ints,
    ranks: NDArray[np.int32],
    codes: NDArray[np.int32],
    systems: Ints,
    groups: Ints,
    n_topics: int,
    best: NDArray[np.int32],
    best_group: NDArray[np.int32],
    other: NDArray[np.int32],
) -> None:
    for row, group in zip(systems, groups):  # noqa: B905 - no strict= in a kernel
        for topic in range(n_topics):
            start, stop = offsets[row * n_topics + topic], offsets[row * n_topics + topic + 1]
            for position in range(start, stop):
                rank = ranks[position] if len(ranks) else position - start + 1
                code = codes[position]
                if group == best_group[code]:
                    best[code] = min(best[code], rank)
                elif rank < best[code]:
                    other[code] = best[code]
                    best[code] = rank
                    best_group[code] = group
                elif rank < other[code]:
                    other[code] = rank


@compiled
def _sum_inverse_ranks(offsets: Ints, codes: NDArray[np.int32], systems: Ints, n_topics: int, sums: Floats) -> None:
    for row in systems:
        for index in range(row * n_topics, (row + 1) * n_topics):
            start = offsets[index]
            for position in range(start, offsets[index + 1]):
                sums[codes[position]] += 1.0 / (position - start + 1)
