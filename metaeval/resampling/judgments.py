"""Ways to judge less: which judgments would be left had fewer documents, or fewer topics, been judged.

Every reduction takes a collection and some steps, and answers with the levels that `Collection.rejudge` takes. All
steps of one call belong together: what a smaller step keeps, a larger one keeps too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import isfinite
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from metaeval.cells import first_few
from metaeval.checks import check_choice, check_number
from metaeval.collection.base import JudgedCollection
from metaeval.collection.documents import NOT_POOLED, UNJUDGED, Collection, is_judged
from metaeval.compiled import compiled
from metaeval.draws import RNGLike, resolve_rng
from metaeval.equality import settle
from metaeval.errors import InvalidOptionError
from metaeval.resampling.coverage import DEFAULT_SIZES
from metaeval.resampling.entry_depths import EntryDepths, entry_depths, reciprocal_rank_sums
from metaeval.resampling.pools import original_pool

__all__ = ["REDUCTIONS", "Pooling", "Reduced", "Reduction", "check_steps", "keep_documents", "reduce_judgments"]

_FEWEST_OTHERS = 10
_NOISE = 1e-9
_BELOW_ONE = 0.999


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reduced:
    """Judgments that are left at each step.

    Attributes
    ----------
    levels : int16 array (n_steps, n_judgments)
        For ``collection.rejudge(levels[i])``: the level of what is kept, `UNJUDGED` for what was pooled and is not
        judged any more, `NOT_POOLED` for what is not even pooled. In topics that are not kept the levels stay as
        they are.
    topics : bool array (n_steps, n_topics)
        Which topics are kept, of those with something relevant in the full judgments (the others have no score).
    judged, relevant : int64 array (n_steps,)
        Judged and relevant documents that are left in the topics kept.
    emptied : int64 array (n_steps,)
        Topics among those kept that have nothing relevant left.
    notes : tuple of str
        What could not be done as asked, and topics with nothing relevant left.
    """

    levels: NDArray[np.int16]
    topics: NDArray[np.bool_]
    judged: NDArray[np.int64]
    relevant: NDArray[np.int64]
    emptied: NDArray[np.int64]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """What the reductions by pool need to know.

    Attributes
    ----------
    pool_depth : int or None
        Depth to which the runs were pooled; None finds it for each topic (see `original_pool`).
    reciprocal_rank_share : float
        Share of the pool that "reciprocal-rank" takes by summed inverse rank; the rest comes in rank by rank.
    """

    pool_depth: int | None = None
    reciprocal_rank_share: float = 1.0


class _Reducer(Protocol):
    def __call__(
        self, collection: Collection, steps: Sequence[float], rng: np.random.Generator, pooling: Pooling = ..., /
    ) -> Reduced: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """A way to judge less.

    Attributes
    ----------
    name : str
    function : callable
        ``function(collection, steps, rng, pooling) -> Reduced``; `reduce_judgments` checks its arguments.
    random : bool
        Whether another draw gives another answer.
    default_steps : tuple of float
        As published.
    unit : str
        What steps are counted in: "%" or "documents" (a topic).
    needs_retrieved : bool
        Whether the collection must hold every retrieved document (``retrieved="all"``). "depth" does without where the
        depth of the original pool is given.
    summary : str
        What it does, in a line.
    cite : tuple of str
        Keys of `metaeval.bibliography`.
    """

    name: str
    function: _Reducer
    random: bool
    default_steps: tuple[float, ...]
    unit: str
    needs_retrieved: bool
    summary: str
    cite: tuple[str, ...]


def reduce_judgments(  # noqa: PLR0913 - one keyword per choice
    collection: JudgedCollection,
    *,
    reduction: str,
    steps: Sequence[float] | None = None,
    rng: RNGLike = None,
    pool_depth: int | None = None,
    reciprocal_rank_share: float = 1.0,
) -> Reduced:
    """Reduce the judgments of a collection in one of the ways of `REDUCTIONS`.

    Parameters
    ----------
    collection : JudgedCollection
        A `Collection`, or one of elements or passages: a document's judgments go or stay together. Its current
        levels are reduced, so a reduction can start from another one.
    reduction : str
        - "stratified": of the R relevant and N other judged documents of a topic, in random order, the first
          max(1, trunc(R j / 100)) and max(10, trunc(N j / 100));
        - "random": a random j % of all judged documents of each topic;
        - "relevant": a random j % of the relevant documents, at least one a topic; the others stay;
        - "order": the first j % of the judged documents in the order of their identifiers, at least one;
        - "topics": a random j % of the topics, with all their judgments;
        - "depth": the pool at j % of its original depth, at least 1;
        - "share": the shallowest pool with at least j % of the original number of documents;
        - "size": runs pooled rank by rank until at least n documents of the topic are in;
        - "reciprocal-rank": the first n documents by summed inverse rank over the pooled runs.
    steps : sequence of float, optional
        j in % (above 0, at most 100) or n in documents; the published ones by default.
    rng : None, int or numpy.random.Generator
        Source of the draws; one draw serves all steps.
    pool_depth : int, optional
        Depth to which the runs were pooled, where it is known; see `metaeval.resampling.pools.original_pool`.
    reciprocal_rank_share : float, default 1
        With "reciprocal-rank", the share of the n documents that is taken by summed inverse rank; the rest is taken
        rank by rank, run after run, up to exactly n. At 0 the whole pool is, which is what to compare the former with
        at equal n.

    Returns
    -------
    Reduced

    Raises
    ------
    UnknownNameError
        If there is no such reduction.
    InvalidOptionError
        If a step is outside its rule, or the collection lacks what a pool needs.

    Notes
    -----
    Shares of documents and topics are rounded to the nearest whole number, halves up, except where the formula
    truncates (Table 1 of Pal, Mitra and Kamps holds 5,164 of 6,460 relevant documents at 80 %: truncating would have
    cost some forty more). Judged documents outside every pooled run's pool are dropped by "depth", "share", "size"
    and "reciprocal-rank", and counted in the notes.

    Examples
    --------
    >>> from metaeval.collection.documents import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 2}})
    >>> reduced = reduce_judgments(collection, reduction="order", steps=[50, 100])
    >>> reduced.levels
    array([[ 1,  0, -1, -1],
           [ 1,  0,  0,  2]], dtype=int16)
    >>> reduced.judged.tolist(), reduced.relevant.tolist()
    ([2, 4], [1, 2])
    """
    check_choice(reduction, "reduction", REDUCTIONS)
    check_number(reciprocal_rank_share, "reciprocal_rank_share", least=0, most=1)
    chosen = REDUCTIONS[reduction]
    return chosen.function(
        collection.by_document,
        check_steps(chosen, steps),
        resolve_rng(rng).generator,
        Pooling(pool_depth=pool_depth, reciprocal_rank_share=float(reciprocal_rank_share)),
    )


def check_steps(reduction: Reduction, steps: Sequence[float] | None) -> tuple[float, ...]:
    """Return the steps asked for, or the published ones.

    Raises
    ------
    InvalidOptionError
        If there is none, one stands twice, or one is outside (0, 100] % or no whole number of documents.
    """
    if steps is None:
        return reduction.default_steps
    chosen = tuple(steps) if not isinstance(steps, int | float) else (steps,)
    percent = reduction.unit == "%"
    rule = "above 0 and at most 100 %" if percent else "whole numbers of documents, at least 1"
    for step in chosen:
        number = isinstance(step, int | float | np.integer | np.floating) and not isinstance(step, bool)
        if not number or not isfinite(step) or not (0 < step <= 100 if percent else step >= 1 and step == int(step)):  # noqa: PLR2004 - percent
            message = f"steps= of {reduction.name!r} must be {rule}, not {step!r}"
            raise InvalidOptionError(message)
    if not chosen or len(set(chosen)) < len(chosen):
        message = f"steps= must name at least one step, each once, not {chosen!r}"
        raise InvalidOptionError(message)
    return tuple(float(step) for step in chosen)


def _stratified(
    collection: Collection, steps: Sequence[float], rng: np.random.Generator, _pooling: Pooling = Pooling()
) -> Reduced:
    relevant = (collection.levels > 0).astype(np.int64)
    groups = 2 * collection.topic_of_judgment + relevant
    place, sizes = _random_places(groups, 2 * collection.n_topics, collection.judged, rng)
    least = np.where(np.arange(len(sizes)) % 2 == 1, 1, _FEWEST_OTHERS)
    limits = [np.maximum(least, np.floor(sizes * step / 100 + _NOISE)) for step in steps]
    return keep_documents(collection, [place < limit[groups] for limit in limits], steps, code=UNJUDGED)


def _random(
    collection: Collection, steps: Sequence[float], rng: np.random.Generator, _pooling: Pooling = Pooling()
) -> Reduced:
    place, sizes = _random_places(collection.topic_of_judgment, collection.n_topics, collection.judged, rng)
    return _first_of_topics(collection, place, sizes, steps)


def _relevant(
    collection: Collection, steps: Sequence[float], rng: np.random.Generator, _pooling: Pooling = Pooling()
) -> Reduced:
    relevant = collection.levels > 0
    place, sizes = _random_places(collection.topic_of_judgment, collection.n_topics, relevant, rng)
    topics = collection.topic_of_judgment
    kept = [~relevant | (place < _part(sizes, step)[topics]) for step in steps]
    return keep_documents(collection, kept, steps, code=UNJUDGED)


def _order(
    collection: Collection, steps: Sequence[float], _rng: np.random.Generator, _pooling: Pooling = Pooling()
) -> Reduced:
    before = np.cumsum(collection.judged) - collection.judged
    starts = np.append(before, 0)[collection.topic_offsets[:-1]] if len(before) else before
    sizes = np.bincount(collection.topic_of_judgment[collection.judged], minlength=collection.n_topics)
    return _first_of_topics(collection, before - np.repeat(starts, np.diff(collection.topic_offsets)), sizes, steps)


def _topics(
    collection: Collection, steps: Sequence[float], rng: np.random.Generator, _pooling: Pooling = Pooling()
) -> Reduced:
    counted = np.flatnonzero(_counted(collection))
    shuffled = rng.permutation(counted)
    kept = np.zeros((len(steps), collection.n_topics), dtype=bool)
    for row, step in zip(kept, steps, strict=True):
        row[shuffled[: int(_part(np.array(len(counted)), step))]] = True
    everything = np.ones(collection.n_judgments, dtype=bool)
    return keep_documents(collection, [everything] * len(steps), steps, code=UNJUDGED, topics=kept)


def _depth(
    collection: Collection, steps: Sequence[float], _rng: np.random.Generator, pooling: Pooling = Pooling()
) -> Reduced:
    original = original_pool(collection, pool_depth=pooling.pool_depth)
    entries = entry_depths(collection, complete=False)
    pools = [entries.within(_part(original.depths, step)) for step in steps]
    return keep_documents(collection, pools, steps, code=NOT_POOLED, notes=original.notes)


def _share(
    collection: Collection, steps: Sequence[float], _rng: np.random.Generator, pooling: Pooling = Pooling()
) -> Reduced:
    entries = entry_depths(collection)
    original = original_pool(collection, pool_depth=pooling.pool_depth)
    wanted = np.ceil(np.outer(steps, original.n_documents) / 100 - _NOISE).astype(np.int64)
    pools = [entries.within(depths) for depths in entries.depth_of_size(wanted)]
    return keep_documents(collection, pools, steps, code=NOT_POOLED, notes=original.notes)


def _size(
    collection: Collection, steps: Sequence[float], _rng: np.random.Generator, _pooling: Pooling = Pooling()
) -> Reduced:
    entries = entry_depths(collection)
    wanted = np.repeat(np.array(steps, dtype=np.int64)[:, None], collection.n_topics, axis=1)
    pools = [entries.within(depths) for depths in entries.depth_of_size(wanted)]
    return keep_documents(
        collection, pools, steps, code=NOT_POOLED, notes=_size_notes(collection, entries, pools, steps)
    )


def _reciprocal_rank(
    collection: Collection, steps: Sequence[float], _rng: np.random.Generator, pooling: Pooling = Pooling()
) -> Reduced:
    entries = entry_depths(collection)
    found = np.flatnonzero(entries.system >= 0)
    score = settle(reciprocal_rank_sums(collection)[found])  # ties go to whom rank-by-rank pooling meets first
    topic, met = entries.topic[found], (entries.system[found], entries.depth[found])
    by_score, by_rank = np.lexsort((*met, -score, topic)), np.lexsort((*met, topic))
    sizes = np.bincount(topic, minlength=collection.n_topics)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    pools = []
    for size in steps:
        voted = np.zeros(len(found), dtype=bool)
        n_voted = np.floor(size * pooling.reciprocal_rank_share + _NOISE)
        voted[by_score] = np.arange(len(found)) - starts < n_voted
        passed = np.concatenate([[0], np.cumsum(~voted[by_rank])])
        chosen = voted.copy()
        chosen[by_rank] |= passed[1:] - passed[starts] <= size - n_voted
        inside = np.zeros(len(entries.depth), dtype=bool)
        inside[found[chosen]] = True
        pools.append(inside)
    return keep_documents(
        collection, pools, steps, code=NOT_POOLED, notes=_size_notes(collection, entries, pools, steps)
    )


def _random_places(
    groups: NDArray[np.int64], n_groups: int, chosen: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each chosen document's place in a random order of its group, from 0, and the size of every group."""
    keys = groups + _BELOW_ONE * rng.random(len(groups))  # one sort by group and chance; no key reaches the next group
    rows = np.flatnonzero(chosen)
    order = rows[np.argsort(keys[rows], kind="stable")]
    sizes = np.bincount(groups[rows], minlength=n_groups)
    places = np.zeros(len(groups), dtype=np.int64)
    places[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places, sizes


def _part(counts: NDArray[np.int64], percent: float) -> NDArray[np.int64]:
    """Return so many percent, to the nearest whole number, halves up, at least 1 of what is there."""
    nearest = np.floor(counts * percent / 100 + 0.5 + _NOISE).astype(np.int64)
    return np.minimum(np.maximum(nearest, 1), counts)


def _first_of_topics(
    collection: Collection, place: NDArray[np.int64], sizes: NDArray[np.int64], steps: Sequence[float]
) -> Reduced:
    topics = collection.topic_of_judgment
    return keep_documents(collection, [place < _part(sizes, step)[topics] for step in steps], steps, code=UNJUDGED)


def _counted(collection: Collection) -> NDArray[np.bool_]:
    return _sums(collection, collection.full_levels > 0) > 0


def _sums(collection: Collection, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count what is marked in each topic, (..., n_topics)."""
    rows = np.ascontiguousarray(marked).reshape(-1, collection.n_judgments)
    return _count(rows, collection.topic_offsets).reshape(*marked.shape[:-1], collection.n_topics)


@compiled
def _count(marked: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    counted = np.zeros((len(marked), len(offsets) - 1), dtype=np.int64)
    for row in range(len(marked)):
        for topic in range(len(offsets) - 1):
            for place in range(offsets[topic], offsets[topic + 1]):
                counted[row, topic] += marked[row, place]
    return counted


def keep_documents(  # noqa: PLR0913 - the parts of an answer
    collection: Collection,
    kept: Sequence[NDArray[np.bool_]],
    steps: Sequence[float],
    *,
    code: int,
    topics: NDArray[np.bool_] | None = None,
    notes: Sequence[str] = (),
) -> Reduced:
    """Put together what is left when only some documents stay; what is not judged now stays as it is.

    Parameters
    ----------
    collection : Collection
    kept : sequence of bool arrays, one a step
        Over the judgments (entries past them are ignored).
    steps : sequence of float
        For the notes.
    code : int
        `UNJUDGED` or `NOT_POOLED`: what the other judged documents become. Documents that are pooled and unjudged
        already become `NOT_POOLED` too where they are not kept.
    topics : bool array (n_steps, n_topics), optional
        Topics that are kept; by default all with something relevant in the full judgments.
    notes : sequence of str
    """
    now = collection.levels
    stays = np.stack([one[: collection.n_judgments] for one in kept])
    levels = np.where(stays | (now == NOT_POOLED), now, np.int16(code))
    if topics is None:
        topics = np.repeat(_counted(collection)[None], len(steps), axis=0)
    n_relevant = _sums(collection, levels > 0)
    n_judged = _sums(collection, is_judged(levels))
    empty = topics & (_sums(collection, now > 0) > 0) & (n_relevant == 0)
    return Reduced(
        levels=levels,
        topics=topics,
        judged=(n_judged * topics).sum(axis=1),
        relevant=(n_relevant * topics).sum(axis=1),
        emptied=empty.sum(axis=1),
        notes=(*notes, *_empty_notes(collection, empty, steps)),
    )


def _empty_notes(collection: Collection, empty: NDArray[np.bool_], steps: Sequence[float]) -> list[str]:
    return [
        f"at step {step:g}, {int(row.sum())} topics have nothing relevant left ({_names(collection, row)})"
        for step, row in zip(steps, empty, strict=True)
        if row.any()
    ]


def _size_notes(
    collection: Collection, entries: EntryDepths, pools: Sequence[NDArray[np.bool_]], steps: Sequence[float]
) -> list[str]:
    notes = []
    largest = pools[int(np.argmax(steps))][: collection.n_judgments]
    if outside := int((collection.judged & ~largest).sum()):
        notes.append(f"{outside} judged documents are outside the largest pool")
    for inside, step in zip(pools, steps, strict=True):
        short = np.bincount(entries.topic[inside], minlength=collection.n_topics) < step
        if short.any():
            notes.append(
                f"the pooled runs hold fewer than {step:g} documents in {int(short.sum())} topics "
                f"({_names(collection, short)}): all are taken"
            )
        unjudged = int(inside.sum()) - int((inside[: collection.n_judgments] & collection.judged).sum())
        if unjudged:
            notes.append(f"{unjudged} of {int(inside.sum())} documents of the pool of {step:g} are not judged")
    return notes


def _names(collection: Collection, marked: NDArray[np.bool_]) -> str:
    return first_few([*compress(collection.topics, marked)])


_RANDOM_STEPS = (80.0, 60.0, 40.0, 20.0)
_DEPTH_STEPS = (90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0, 5.0)
_SIZE_STEPS = tuple(float(size) for size in DEFAULT_SIZES[::-1])

REDUCTIONS: Mapping[str, Reduction] = MappingProxyType(
    {
        one.name: one
        for one in (
            Reduction(
                name="stratified",
                function=_stratified,
                random=True,
                default_steps=(90.0, 70.0, 50.0, 30.0, 10.0),
                unit="%",
                needs_retrieved=False,
                summary="random relevant and random other documents of each topic stay judged",
                cite=("sakai2008", "buckley2004"),
            ),
            Reduction(
                name="random",
                function=_random,
                random=True,
                default_steps=_RANDOM_STEPS,
                unit="%",
                needs_retrieved=False,
                summary="random documents of each topic stay judged",
                cite=("yilmaz2006", "pal2010"),
            ),
            Reduction(
                name="relevant",
                function=_relevant,
                random=True,
                default_steps=_RANDOM_STEPS,
                unit="%",
                needs_retrieved=False,
                summary="random relevant documents of each topic stay judged, and all others",
                cite=("pal2010",),
            ),
            Reduction(
                name="order",
                function=_order,
                random=False,
                default_steps=_RANDOM_STEPS,
                unit="%",
                needs_retrieved=False,
                summary="the assessor goes through the pool by document identifier and stops early",
                cite=("pal2010",),
            ),
            Reduction(
                name="topics",
                function=_topics,
                random=True,
                default_steps=_RANDOM_STEPS,
                unit="%",
                needs_retrieved=False,
                summary="random topics stay, with all their judgments",
                cite=("pal2010",),
            ),
            Reduction(
                name="depth",
                function=_depth,
                random=False,
                default_steps=_DEPTH_STEPS,
                unit="%",
                needs_retrieved=True,
                summary="pools at a share of the original depth",
                cite=("zobel1998", "pal2010"),
            ),
            Reduction(
                name="share",
                function=_share,
                random=False,
                default_steps=_DEPTH_STEPS,
                unit="%",
                needs_retrieved=True,
                summary="the shallowest pools with a share of the original number of documents",
                cite=("pal2010",),
            ),
            Reduction(
                name="size",
                function=_size,
                random=False,
                default_steps=_SIZE_STEPS,
                unit="documents",
                needs_retrieved=True,
                summary="runs pooled rank by rank until enough documents are in",
                cite=("piwowarski2008",),
            ),
            Reduction(
                name="reciprocal-rank",
                function=_reciprocal_rank,
                random=False,
                default_steps=_SIZE_STEPS,
                unit="documents",
                needs_retrieved=True,
                summary="the documents with the largest summed inverse rank over the runs",
                cite=("piwowarski2008",),
            ),
        )
    }
)
