"""Measures that count relevant documents down to a rank: P, R, Success, Rprec and RR."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff, Level
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled


def precision(lists: RankedLists, *, k: Cutoff, rel: Level = 1) -> Floats:
    """Share of relevant documents in the top k, divided by k even if fewer were retrieved."""
    return lists.share(_found(lists, k, rel), np.array(k))


def recall(lists: RankedLists, *, k: Cutoff, rel: Level = 1) -> Floats:
    """Share of the topic's relevant documents that are in the top k."""
    return lists.share(_found(lists, k, rel), lists.n_relevant(rel))


def success(lists: RankedLists, *, k: Cutoff, rel: Level = 1) -> Floats:
    """1 if a relevant document is in the top k, else 0."""
    return lists.share(np.minimum(_found(lists, k, rel), 1), np.array(1))


def r_precision(lists: RankedLists, *, rel: Level = 1) -> Floats:
    """Precision at rank R, the topic's number of relevant documents."""
    relevant = lists.n_relevant(rel)
    hits = count_relevant(lists.offsets, lists.ranks, lists.levels, relevant, rel)
    return lists.share(hits, relevant)


def reciprocal_rank(lists: RankedLists, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """1 / rank of the first relevant document; 0 if there is none in the top k."""
    first = first_relevant(lists.offsets, lists.ranks, lists.levels, rel)
    reached = (first > 0) & (first <= depth(k))
    return lists.share(reached / np.maximum(first, 1), np.array(1))


def _found(lists: RankedLists, k: int, rel: int) -> Ints:
    return count_relevant(lists.offsets, lists.ranks, lists.levels, np.full(lists.n_topics, depth(k)), rel)


@compiled
def count_relevant(offsets: Ints, ranks: NDArray[np.int32], levels: NDArray[np.int16], depths: Ints, rel: int) -> Ints:
    """Count the documents of every list at level `rel` or above down to its topic's depth."""
    counts = np.zeros(len(offsets) - 1, dtype=np.int64)
    for number in range(len(offsets) - 1):
        deepest = depths[number % len(depths)]
        count = 0
        for entry in range(offsets[number], offsets[number + 1]):
            if ranks[entry] > deepest:
                break
            count += levels[entry] >= rel
        counts[number] = count
    return counts


@compiled
def first_relevant(offsets: Ints, ranks: NDArray[np.int32], levels: NDArray[np.int16], rel: int) -> Ints:
    """Find the rank of the first document at level `rel` or above in every list; 0 where there is none."""
    first = np.zeros(len(offsets) - 1, dtype=np.int64)
    for number in range(len(offsets) - 1):
        for entry in range(offsets[number], offsets[number + 1]):
            if levels[entry] >= rel:
                first[number] = ranks[entry]
                break
    return first


SPECS = (
    MetricSpec(name="P", kernel=precision, real_grades=True, monotone=True, cite="vanrijsbergen1979"),
    MetricSpec(name="R", kernel=recall, real_grades=True, monotone=True, cite="vanrijsbergen1979"),
    MetricSpec(name="Success", kernel=success, real_grades=True, monotone=True, ideal=1.0, cite="voorhees2004"),
    MetricSpec(name="RR", kernel=reciprocal_rank, real_grades=True, monotone=True, ideal=1.0, cite="voorhees1999"),
    MetricSpec(name="Rprec", kernel=r_precision, real_grades=True, monotone=True, ideal=1.0, cite="buckley2005"),
)
