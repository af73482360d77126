"""Ways to judge less, and the table of them: which judgments would be left had less been judged.

Every way takes a collection and some steps, and answers with the levels that `Collection.rejudge` takes. All steps of
one call belong together: what a smaller step keeps, a larger one keeps too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Ints
from metaeval.base.names import drawn_by_name, first_few, name_order
from metaeval.base.results import Result
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.base import is_judged
from metaeval.collection.documents import NOT_POOLED, UNJUDGED, Collection
from metaeval.errors import InvalidOptionError
from metaeval.resampling.coverage import DEFAULT_SIZES
from metaeval.resampling.pool_depths import EntryDepths, entry_depths, reciprocal_rank_sums
from metaeval.resampling.pools import original_pool
from metaeval.running.compiled import compiled
from metaeval.running.equality import settle

_FEWEST_OTHERS = 10
_NOISE = 1e-9
_BELOW_ONE = 0.999


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reduced(Result):
    """The remaining judgments at each step."""

    levels: NDArray[np.int16]
    """For ``collection.rejudge(levels[i])``: the level of what is kept, `UNJUDGED` for what was pooled and is not
    judged any more, `NOT_POOLED` for what is not even pooled. In topics that are not kept the levels stay as they
    are. Shape (n_steps, n_judgments)."""
    topics: Flags
    """Which topics are kept, of those that count in a mean (`JudgedCollection.counted`). Shape (n_steps, n_topics)."""
    judged: Ints
    relevant: Ints
    """Judged and relevant documents that are left in the topics kept. Shape (n_steps,)."""
    emptied: Ints
    """Topics among those kept that have nothing relevant left. Shape (n_steps,)."""
    notes: tuple[str, ...] = ()
    """What could not be done as asked, and topics with nothing relevant left."""

    def _found(self) -> str:
        left = [
            f"{relevant:,} relevant of {judged:,}" for judged, relevant in zip(self.judged, self.relevant, strict=True)
        ]
        return f"judged documents left: {first_few(left)}"


class ReductionTask(NamedTuple):
    """What a way to judge less is given."""

    collection: Collection
    steps: tuple[float, ...]
    """In % or in documents."""
    rng: np.random.Generator
    pool_depth: int | None = None
    """Depth to which the runs were pooled; None finds it for each topic (see `original_pool`)."""
    reciprocal_rank_share: float = 1.0
    """Share of the pool that "reciprocal-rank" takes by summed inverse rank; the rest comes in rank by rank."""
    rel: int = 1
    """Lowest level that counts as relevant."""


def _stratified(task: ReductionTask) -> Reduced:
    collection = task.collection
    relevant = (collection.levels >= task.rel).astype(np.int64)
    groups = 2 * collection.topic_of_judgment + relevant
    position, sizes = _random_places(task, groups, 2 * collection.n_topics, collection.judged)
    least = np.where(np.arange(len(sizes)) % 2 == 1, 1, _FEWEST_OTHERS)
    limits = [np.maximum(least, np.floor(sizes * step / 100 + _NOISE)) for step in task.steps]
    masks = [position < limit[groups] for limit in limits]
    return keep_documents(collection, masks, task.steps, code=UNJUDGED, rel=task.rel)


def _random(task: ReductionTask) -> Reduced:
    collection = task.collection
    position, sizes = _random_places(task, collection.topic_of_judgment, collection.n_topics, collection.judged)
    return _first_of_topics(task, position, sizes)


def _relevant(task: ReductionTask) -> Reduced:
    collection = task.collection
    relevant = collection.levels >= task.rel
    position, sizes = _random_places(task, collection.topic_of_judgment, collection.n_topics, relevant)
    topics = collection.topic_of_judgment
    masks = [~relevant | (position < _part(sizes, step)[topics]) for step in task.steps]
    return keep_documents(collection, masks, task.steps, code=UNJUDGED, rel=task.rel)


def unknown_order(collection: Collection) -> str:
    """Say why the order of the judged documents is not known, if it is not."""
    nameless = int((collection.document_ids == b"").sum())
    if not nameless:
        return ""
    return (
        f"{nameless:,} judged documents have no line in the judgments, so their place in the order of identifiers is "
        "not known; judgments with a line for every judged document have it"
    )


def _order(task: ReductionTask) -> Reduced:
    collection = task.collection
    if message := unknown_order(collection):
        raise InvalidOptionError(message)
    before = np.cumsum(collection.judged) - collection.judged
    starts = np.append(before, 0)[collection.topic_offsets[:-1]] if len(before) else before
    position = before - np.repeat(starts, np.diff(collection.topic_offsets))
    return _first_of_topics(task, position, _sums(collection, collection.judged))


def _topics(task: ReductionTask) -> Reduced:
    collection = task.collection
    by_name = name_order(collection.topics)
    counted = by_name[collection.counted[by_name]]
    shuffled = task.rng.permutation(counted)
    topic_mask = np.zeros((len(task.steps), collection.n_topics), dtype=bool)
    for row, step in zip(topic_mask, task.steps, strict=True):
        row[shuffled[: int(_part(np.array(len(counted)), step))]] = True
    everything = np.ones(collection.n_judgments, dtype=bool)
    every = [everything] * len(task.steps)
    return keep_documents(collection, every, task.steps, code=UNJUDGED, topics=topic_mask, rel=task.rel)


def _depth(task: ReductionTask) -> Reduced:
    collection = task.collection
    original = original_pool(collection, pool_depth=task.pool_depth)
    entries = entry_depths(collection, complete=False)
    pools = [entries.within(_part(original.depths, step)) for step in task.steps]
    return keep_documents(collection, pools, task.steps, code=NOT_POOLED, notes=original.notes, rel=task.rel)


def _ranks(task: ReductionTask) -> Reduced:
    collection = task.collection
    entries = entry_depths(collection)
    pools = [entries.within(np.full(collection.n_topics, step, dtype=np.int64)) for step in task.steps]
    return keep_documents(collection, pools, task.steps, code=NOT_POOLED, rel=task.rel)


def _share(task: ReductionTask) -> Reduced:
    collection = task.collection
    entries = entry_depths(collection)
    original = original_pool(collection, pool_depth=task.pool_depth)
    wanted = np.ceil(np.outer(task.steps, original.n_documents) / 100 - _NOISE).astype(np.int64)
    pools = [entries.within(depths) for depths in entries.depth_of_size(wanted)]
    return keep_documents(collection, pools, task.steps, code=NOT_POOLED, notes=original.notes, rel=task.rel)


def _size(task: ReductionTask) -> Reduced:
    collection = task.collection
    entries = entry_depths(collection)
    wanted = np.repeat(np.array(task.steps, dtype=np.int64)[:, None], collection.n_topics, axis=1)
    pools = [entries.within(depths) for depths in entries.depth_of_size(wanted)]
    notes = _size_notes(collection, entries, pools, task.steps)
    return keep_documents(collection, pools, task.steps, code=NOT_POOLED, notes=notes, rel=task.rel)


def _reciprocal_rank(task: ReductionTask) -> Reduced:
    collection = task.collection
    entries = entry_depths(collection)
    retrieved = np.flatnonzero(entries.system >= 0)
    score = settle(reciprocal_rank_sums(collection)[retrieved])  # ties go to whom rank-by-rank pooling meets first
    topic, met = entries.topic[retrieved], (entries.system[retrieved], entries.depth[retrieved])
    by_score, by_rank = np.lexsort((*met, -score, topic)), np.lexsort((*met, topic))
    sizes = np.bincount(topic, minlength=collection.n_topics)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    pools = []
    for size in task.steps:
        voted = np.zeros(len(retrieved), dtype=bool)
        n_voted = np.floor(size * task.reciprocal_rank_share + _NOISE)
        voted[by_score] = np.arange(len(retrieved)) - starts < n_voted
        passed = np.concatenate([[0], np.cumsum(~voted[by_rank])])
        chosen = voted.copy()
        chosen[by_rank] |= passed[1:] - passed[starts] <= size - n_voted
        inside = np.zeros(len(entries.depth), dtype=bool)
        inside[retrieved[chosen]] = True
        pools.append(inside)
    notes = _size_notes(collection, entries, pools, task.steps)
    return keep_documents(collection, pools, task.steps, code=NOT_POOLED, notes=notes, rel=task.rel)


def _random_places(task: ReductionTask, groups: Ints, n_groups: int, chosen: Flags) -> tuple[Ints, Ints]:
    """Return each chosen document's place in a random order of its group, from 0, and the size of every group."""
    drawn = drawn_by_name(task.collection.topics, task.collection.topic_of_judgment, task.rng)
    keys = groups + _BELOW_ONE * drawn  # one sort by group and chance; no key reaches the next group
    rows = np.flatnonzero(chosen)
    order = rows[np.argsort(keys[rows], kind="stable")]
    sizes = np.bincount(groups[rows], minlength=n_groups)
    places = np.zeros(len(groups), dtype=np.int64)
    places[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places, sizes


def _part(counts: Ints, percent: float) -> Ints:
    """Return so many percent, to the nearest whole number, halves up, at least 1 of what is there."""
    nearest = np.floor(counts * percent / 100 + 0.5 + _NOISE).astype(np.int64)
    return np.minimum(np.maximum(nearest, 1), counts)


def _first_of_topics(task: ReductionTask, place: Ints, sizes: Ints) -> Reduced:
    topics = task.collection.topic_of_judgment
    masks = [place < _part(sizes, step)[topics] for step in task.steps]
    return keep_documents(task.collection, masks, task.steps, code=UNJUDGED, rel=task.rel)


def _sums(collection: Collection, marked: Flags) -> Ints:
    """Count what is marked in each topic, (..., n_topics)."""
    rows = np.ascontiguousarray(marked).reshape(-1, collection.n_judgments)
    return _count(rows, collection.topic_offsets).reshape(*marked.shape[:-1], collection.n_topics)


@compiled
def _count(marked: Flags, offsets: Ints) -> Ints:
    counted = np.zeros((len(marked), len(offsets) - 1), dtype=np.int64)
    for row in range(len(marked)):
        for topic in range(len(offsets) - 1):
            for document in range(offsets[topic], offsets[topic + 1]):
                counted[row, topic] += marked[row, document]
    return counted


def keep_documents(  # noqa: PLR0913 - the parts of an answer
    collection: Collection,
    kept: Sequence[Flags],
    steps: Sequence[float],
    *,
    code: int,
    topics: Flags | None = None,
    notes: Sequence[str] = (),
    rel: int = 1,
) -> Reduced:
    """Put together what is left when only some documents stay; what is not judged now stays as it is.

    Shapes: `topics` (n_steps, n_topics).
    """
    now = collection.levels
    stays = np.stack([mask[: collection.n_judgments] for mask in kept])
    levels = np.where(stays | (now == NOT_POOLED), now, np.int16(code))
    if topics is None:
        topics = np.repeat(collection.counted[None], len(steps), axis=0)
    n_relevant = _sums(collection, levels >= rel)
    n_judged = _sums(collection, is_judged(levels))
    empty = topics & (_sums(collection, now >= rel) > 0) & (n_relevant == 0)
    return Reduced(
        levels=levels,
        topics=topics,
        judged=(n_judged * topics).sum(axis=1),
        relevant=(n_relevant * topics).sum(axis=1),
        emptied=empty.sum(axis=1),
        notes=(*notes, *_empty_notes(collection, empty, steps)),
    )


def _empty_notes(collection: Collection, empty: Flags, steps: Sequence[float]) -> list[str]:
    return [
        f"at step {step:g}, nothing relevant is left in {_topics_named(collection, row)}"
        for step, row in zip(steps, empty, strict=True)
        if row.any()
    ]


def _size_notes(
    collection: Collection, entries: EntryDepths, pools: Sequence[Flags], steps: Sequence[float]
) -> list[str]:
    notes = []
    largest = pools[int(np.argmax(steps))][: collection.n_judgments]
    if outside := int((collection.judged & ~largest).sum()):
        notes.append(f"{outside:,} judged documents are outside the largest pool")
    unjudged = []
    for inside, step in zip(pools, steps, strict=True):
        short = entries.per_topic(inside) < step
        if short.any():
            notes.append(
                f"the pooled runs hold fewer than {step:g} documents in {_topics_named(collection, short)}: all are "
                "taken"
            )
        size = int(inside.sum())
        if lacking := size - int((inside[: collection.n_judgments] & collection.judged).sum()):
            unjudged.append(f"{lacking:,} of {size:,} documents in pools of {step:g}")
    if unjudged:
        notes.append(f"not judged are {', '.join(unjudged)}")
    return notes


def _topics_named(collection: Collection, marked: Flags) -> str:
    names = [*compress(collection.topics, marked)]
    return f"{len(names)} topic{'s' * (len(names) != 1)} ({first_few(names)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction(ShortRepr):
    """A way to judge less."""

    name: str
    title: str
    """What people call it."""
    function: Callable[[ReductionTask], Reduced]
    """Takes a checked task, gives what is left."""
    summary: str
    """What it does, in a line."""
    cite: tuple[str, ...]
    """Keys of `metaeval.base.bibliography`."""
    random: bool = False
    """Whether another draw gives another answer."""
    default_steps: tuple[float, ...] = (80.0, 60.0, 40.0, 20.0)
    """As published."""
    unit: str = "%"
    """What steps are counted in: "%", "documents" (a topic) or "ranks" (of every run)."""
    share_of: str = "judged documents"
    """What steps in % are a share of: "judged documents", "relevant documents", "topics" or "pool depth"."""
    needs_retrieved: bool = False
    """Whether the collection must hold every retrieved document (``retrieved="all"``). "depth" does without where the
    depth of the original pool is given."""

    @property
    def counted_in(self) -> str:
        """What steps are counted in, in words.

        Examples
        --------
        >>> REDUCTIONS["ranks"].counted_in
        'ranks of every run'
        """
        words = {"documents": "documents a topic", "ranks": "ranks of every run"}
        return words.get(self.unit, f"% of the {self.share_of}")


_DEPTH_STEPS = (90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0, 5.0)
_SIZE_STEPS = tuple(float(size) for size in DEFAULT_SIZES[::-1])

_ROWS = (
    Reduction(
        name="stratified",
        title="A random part of the relevant and of the other documents",
        function=_stratified,
        summary="random relevant and random other documents of each topic stay judged",
        cite=("sakai2008", "buckley2004"),
        random=True,
        default_steps=(90.0, 70.0, 50.0, 30.0, 10.0),
    ),
    Reduction(
        name="random",
        title="A random part of all judged documents",
        function=_random,
        summary="random documents of each topic stay judged",
        cite=("yilmaz2006", "pal2010"),
        random=True,
    ),
    Reduction(
        name="relevant",
        title="A random part of the relevant documents",
        function=_relevant,
        summary="random relevant documents of each topic stay judged, and all others",
        cite=("pal2010",),
        random=True,
        share_of="relevant documents",
    ),
    Reduction(
        name="order",
        title="The assessor stops early",
        function=_order,
        summary="the assessor goes through the pool by document identifier and stops early",
        cite=("pal2010",),
    ),
    Reduction(
        name="topics",
        title="Fewer topics",
        function=_topics,
        summary="random topics stay, with all their judgments",
        cite=("pal2010",),
        random=True,
        share_of="topics",
    ),
    Reduction(
        name="depth",
        title="Pools of a smaller depth",
        function=_depth,
        summary="pools at a share of the original depth",
        cite=("zobel1998", "pal2010"),
        default_steps=_DEPTH_STEPS,
        share_of="pool depth",
        needs_retrieved=True,
    ),
    Reduction(
        name="ranks",
        title="Pools of the top documents of every run",
        function=_ranks,
        summary="the documents that a pooled run has at so high a rank",
        cite=("zobel1998",),
        default_steps=(50.0, 20.0, 10.0, 5.0),
        unit="ranks",
        needs_retrieved=True,
    ),
    Reduction(
        name="share",
        title="Shallower pools, by their number of documents",
        function=_share,
        summary="the shallowest pools with at least a share of the original number of documents",
        cite=("pal2010",),
        default_steps=_DEPTH_STEPS,
        needs_retrieved=True,
    ),
    Reduction(
        name="size",
        title="Pools of at least so many documents",
        function=_size,
        summary="the shallowest pools with at least so many documents",
        cite=("piwowarski2008",),
        default_steps=_SIZE_STEPS,
        unit="documents",
        needs_retrieved=True,
    ),
    Reduction(
        name="reciprocal-rank",
        title="Reciprocal-rank pool",
        function=_reciprocal_rank,
        summary="the documents with the largest summed inverse rank over the runs",
        cite=("piwowarski2008",),
        default_steps=_SIZE_STEPS,
        unit="documents",
        needs_retrieved=True,
    ),
)

REDUCTIONS: Mapping[str, Reduction] = MappingProxyType({row.name: row for row in _ROWS})
"""Name to `Reduction`, in the order of lists and help."""
