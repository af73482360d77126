"""Measures of diversity: how well a list covers the subtopics of its topic, and how little it repeats."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.errors import InvalidOptionError
from metaeval.metrics.bounds import OVER_GREEDY
from metaeval.metrics.lists import RankedLists, depth
from metaeval.metrics.parameters import Cutoff, Level, Rule
from metaeval.metrics.spec import Kernel, MetricSpec
from metaeval.metrics.sums import share_of_whole
from metaeval.running.compiled import compiled, compiled_part

_AT_ONCE = 16
"""Documents of a list that are looked up at a time: a walk may end after any."""
_Share = Annotated[float, Rule(lambda value: 0 <= value <= 1, "between 0 and 1")]
_Below = Annotated[float, Rule(lambda value: 0 <= value < 1, "0 or more and below 1")]


class _Entries(NamedTuple):
    """The relevant documents of every list, and of every topic, with the subtopics that each is about."""

    lists: Ints
    """The relevant documents of list i are those from ``lists[i]`` to ``lists[i + 1]``. Shape (n_systems * n_topics +
    1,)."""
    starts: Ints
    """Its judged documents are ``judgments[starts[i]:starts[i + 1]]``, as in the collection."""
    judgments: NDArray[np.uint32]
    relevant: Flags
    """Whether a judgment is of a relevant document."""
    topics: Ints
    """The judgments of topic t are ``topics[t]:topics[t + 1]``."""
    offsets: NDArray[np.uint32]
    """The entries of judgment j are ``offsets[j]:offsets[j + 1]``."""
    codes: Ints
    """Which subtopic of all topics. Shape (n_entries,)."""
    first: Ints
    """The subtopics of topic t are ``first[t]:first[t + 1]``."""
    levels: Ints
    """Level of every entry, 0 where its document is not judged relevant now. Shape (n_entries,)."""
    weights: Floats
    """Weight of every subtopic; 0 where nothing is relevant. Shape (n_subtopics,)."""
    whole: Floats
    """Sum of the weights of every topic."""


def _entries(lists: RankedLists, rel: int) -> _Entries:
    """Take those whose level is at least `rel`; subtopics without any do not count, as in ndeval."""
    collection = lists.collection
    subtopics = collection.subtopics
    if subtopics is None:
        raise InvalidOptionError(
            "measures of diversity need judgments by subtopic: lines of topic, subtopic, document and grade, in which "
            "some document is about several subtopics, or `subtopics='keep'` where every document is about one"
        )
    relevant = collection.levels > 0
    judgments = np.repeat(np.arange(len(relevant)), np.diff(subtopics.offsets))
    selected = (subtopics.levels >= rel) & relevant[judgments]
    topic = collection.topic_of_judgment[judgments[selected]]
    codes = subtopics.codes[selected] + subtopics.topic_offsets[topic]
    sizes = np.bincount(judgments[selected], minlength=len(relevant))
    weights = np.where(np.bincount(codes, minlength=len(subtopics.names)) > 0, subtopics.weights, 0.0)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    return _Entries(
        lists=lists.offsets,
        starts=collection.offsets,
        judgments=collection.judgments.view(np.uint32),
        relevant=relevant,
        topics=collection.topic_offsets,
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32),
        codes=codes,
        first=subtopics.topic_offsets,
        levels=subtopics.levels[selected].astype(np.int64),
        weights=weights,
        whole=np.diff(sums[subtopics.topic_offsets]),
    )


@compiled_part
def take_relevant(entries: _Entries, at: int, taken: NDArray[np.uint32], wanted: int) -> int:
    """Put the next relevant documents of a list into `taken`, as many as it holds; return the place behind them.

    Whether a document is relevant is unpredictable, so the search has no branch.
    """
    n_taken, most = 0, min(wanted, len(taken))
    while n_taken < most:
        document = entries.judgments[at]
        taken[n_taken] = document
        n_taken += entries.relevant[document]
        at += 1
    return at


# -------------------------------------------------------------------------------------------- gains that wear off


class _Novelty(NamedTuple):
    """Sums of discounted novel gain, and what they are divided by."""

    found: Floats
    """Of the lists. Shape (n_systems, n_topics)."""
    ideal: Floats
    """Of a greedy ideal list. Shape (n_topics,)."""
    scaled: Floats
    """Of the lists, as it stands over `bound`."""
    bound: Floats
    """Of a list beyond any real. Shape (n_topics,)."""


def _novelty(  # noqa: PLR0913 - parameters of measures
    lists: RankedLists,
    discounts: Floats,
    *,
    alpha: float,
    k: int | None,
    rel: int = 1,
    max_level: int | None = None,
    scale: float | None = None,
) -> _Novelty:
    """Sum what each document adds about subtopics that wear off by `alpha`, or by the grade if there is a `max_level`.

    With a `scale` the bound is the sum of the weights, and that is what the sums are multiplied by. Shapes: `discounts`
    (longest + 1,), by rank.
    """
    entries = _entries(lists, rel)
    if max_level is None:
        gain, wear = np.ones(lists.highest + 1), np.full(lists.highest + 1, 1.0 - alpha)
        top = lists.highest
    else:
        top = lists.scale_level(max_level)
        gain = np.exp2(lists.numbers - lists.number_of(top)) - np.exp2(-lists.number_of(top))
        wear = 1.0 - gain
    deepest = min(depth(k), len(discounts) - 1)
    gains, wears = gain[entries.levels], wear[entries.levels]
    gained = novelty_sums(entries, lists.ranks, gains, wears, discounts, deepest).reshape(lists.lengths.shape)
    ideal = greedy_sums(entries, gains, wears, discounts, deepest)
    if scale is not None:
        return _Novelty(gained, ideal, gained * scale, entries.whole)
    ranks = np.arange(len(discounts) - 1)
    bound = float((gain[top] * wear[top] ** ranks * discounts[1:])[:deepest].sum())
    return _Novelty(gained, ideal, gained, bound * entries.whole)


@compiled
def novelty_sums(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    entries: _Entries, ranks: NDArray[np.int32], gains: Floats, wear: Floats, discounts: Floats, deepest: int
) -> Floats:
    """Sum the discounted novel gain of every list."""
    lists, offsets, codes, first = entries.lists, entries.offsets, entries.codes, entries.first
    sums, taken = np.zeros(len(lists) - 1), np.empty(_AT_ONCE, dtype=np.uint32)
    left = np.empty(len(entries.weights))
    n_topics = len(first) - 1
    for number in range(len(lists) - 1):
        topic = number % n_topics
        most = 2.0 * entries.whole[topic]
        for index in range(first[topic], first[topic + 1]):
            left[index] = entries.weights[index]
        list_ranks = ranks[lists[number] : lists[number + 1]]
        total, at = 0.0, entries.starts[number]
        for index, rank in enumerate(list_ranks):
            discount = discounts[min(rank, len(discounts) - 1)]
            if rank > deepest or (total > 0.0 and total + discount * most == total):
                break  # or nothing below changes the sum, a cut-off of its own to one that falls fast
            if index % _AT_ONCE == 0:
                at = take_relevant(entries, at, taken, len(list_ranks) - index)
            document, novel = taken[index % _AT_ONCE], 0.0
            for entry in range(offsets[document], offsets[document + 1]):
                novel += left[codes[entry]] * gains[entry]
                left[codes[entry]] *= wear[entry]
            total += novel * discount
        sums[number] = total
    return sums


@compiled
def alike(entries: _Entries, gains: Floats, start: int, stop: int) -> tuple[Ints, Ints]:
    """Part the documents of a topic into kinds, of equal gains under equal subtopics: the nodes of a tree of these.

    Returns the last document of every kind, -1 where a node is on the way to others only, and of every document the
    one before it of its kind.
    """
    offsets, codes = entries.offsets, entries.codes
    most = offsets[stop] - offsets[start] + 1
    entry_of, last = np.empty(most, dtype=np.int64), np.full(most, -1)
    child, sibling, before = np.full(most, -1), np.full(most, -1), np.full(stop - start, -1)
    n = 1
    for document in range(start, stop):
        kind = 0
        for entry in range(offsets[document], offsets[document + 1]):
            above, kind = kind, child[kind]
            while kind >= 0 and (codes[entry_of[kind]] != codes[entry] or gains[entry_of[kind]] != gains[entry]):
                kind = sibling[kind]
            if kind < 0:
                kind = n
                n += 1
                entry_of[kind], sibling[kind], child[above] = entry, child[above], kind
        before[document - start], last[kind] = last[kind], document
    return last[1:n], before


@compiled
def greedy_sums(entries: _Entries, gains: Floats, wear: Floats, discounts: Floats, deepest: int) -> Floats:
    """Sum the same of a list that takes the document with most novel gain next; of equals the last identifier.

    What a document adds never grows, so that a kind that added less than the best does now is passed over.
    """
    topics, offsets, codes = entries.topics, entries.offsets, entries.codes
    sums = np.zeros(len(topics) - 1)
    left = entries.weights.copy()
    for topic in range(len(topics) - 1):
        last, before = alike(entries, gains, topics[topic], topics[topic + 1])
        gain_bounds = np.full(len(last), np.inf)
        for rank in range(1, deepest + 1):
            best, gained = 0, 0.0
            for kind in range(len(last)):
                document = last[kind]
                if document < 0 or gain_bounds[kind] < gained:
                    continue
                gain_bounds[kind] = 0.0
                for entry in range(offsets[document], offsets[document + 1]):
                    gain_bounds[kind] += left[codes[entry]] * gains[entry]
                if gain_bounds[kind] > gained or (gain_bounds[kind] == gained and document > last[best]):
                    best, gained = kind, gain_bounds[kind]
            added = gained * discounts[rank]
            sums[topic] += added
            if sums[topic] + added == sums[topic]:
                break  # nothing below adds more
            document = last[best]
            for entry in range(offsets[document], offsets[document + 1]):
                left[codes[entry]] *= wear[entry]
            last[best] = before[document - topics[topic]]
    return sums


def _log_discounts(lists: RankedLists, k: int | None) -> Floats:
    ranks = np.arange(_deepest(lists, k) + 1, dtype=np.float64)
    discounts: Floats = np.log2(ranks + 1, out=np.ones(len(ranks)), where=ranks > 0)
    return 1.0 / discounts


def _reciprocal_ranks(lists: RankedLists, k: int | None) -> Floats:
    return 1.0 / np.maximum(np.arange(_deepest(lists, k) + 1.0), 1.0)


def _deepest(lists: RankedLists, k: int | None) -> int:
    """Return the largest rank that counts: the cut-off, else the longest list or the largest topic."""
    return k or max(lists.longest, int(np.diff(lists.collection.topic_offsets).max(initial=1)))


def _measure(name: str, sums: Callable[..., _Novelty], doc: str, *, ideal: bool = False) -> Kernel:
    """Return the kernel of sums over their bound, or over those of an ideal list."""

    @wraps(sums)
    def kernel(lists: RankedLists, **values: Any) -> Floats:  # noqa: ANN401 - of its own parameters
        novelty = sums(lists, **values)
        return share_of_whole(novelty.found, novelty.ideal) if ideal else share_of_whole(novelty.scaled, novelty.bound)

    kernel.__name__ = kernel.__qualname__ = name
    kernel.__doc__ = doc
    return kernel


def _alpha_gain(lists: RankedLists, *, alpha: _Share = 0.5, k: Cutoff | None = None, rel: Level = 1) -> _Novelty:
    r"""Discount novel gain by the logarithm of the rank.

    .. math:: \alpha DCG_k = \sum_{r \le k} \frac{1}{\log_2(r + 1)} \sum_{s} J(r, s) (1 - \alpha)^{n(r, s)}

    with J whether the document at rank r is about subtopic s, and n how many above it are (Clarke et al. 2008). The
    ideal list takes the document with most novel gain next, of equals the last by identifier, as ndeval does.
    """
    return _novelty(lists, _log_discounts(lists, k), alpha=alpha, k=k, rel=rel)


def _err(
    lists: RankedLists,
    *,
    alpha: _Share = 0.5,
    k: Cutoff | None = None,
    max_level: Level | None = None,
    rel: Level = 1,
) -> _Novelty:
    """Discount novel gain by the rank, which makes the expected reciprocal rank of every subtopic.

    A document satisfies a reader with probability `alpha`, whatever its grade, as in ndeval; with `max_level` by its
    grade, :math:`(2^g - 1) / 2^{max}` (Chapelle et al. 2011). ndeval leaves out the division at k = 1.
    """
    return _novelty(lists, _reciprocal_ranks(lists, k), alpha=alpha, k=k, rel=rel, max_level=max_level)


def _rbp(lists: RankedLists, *, alpha: _Share = 0.5, beta: _Below = 0.5, rel: Level = 1) -> _Novelty:
    r"""Discount novel gain by a reader who continues from each rank to the next with probability beta.

    .. math:: NRBP = \frac{1 - (1 - \alpha) \beta}{S} \sum_r \beta^{r - 1} \sum_s J(r, s) (1 - \alpha)^{n(r, s)}

    with S subtopics (Clarke, Kolla and Vechtomova 2009).
    """
    discounts = beta ** np.maximum(np.arange(_deepest(lists, None) + 1.0) - 1.0, 0.0)
    return _novelty(lists, discounts, alpha=alpha, k=None, rel=rel, scale=1.0 - (1.0 - alpha) * beta)


alpha_dcg = _measure(
    "alpha_dcg",
    _alpha_gain,
    "Discounted novel gain over that of a list whose every document is about every subtopic.",
)
alpha_ndcg = _measure(
    "alpha_ndcg", _alpha_gain, "Discounted novel gain of the top k over that of a greedy ideal list.", ideal=True
)
err_ia = _measure(
    "err_ia",
    _err,
    "Mean over subtopics of the expected reciprocal rank, over that of a list that satisfies all as well as any can.",
)
nerr_ia = _measure("nerr_ia", _err, "ERR_IA over that of a greedy ideal list.", ideal=True)
nrbp = _measure("nrbp", _rbp, "Novel gain of a reader who continues from each rank to the next with probability beta.")
nnrbp = _measure("nnrbp", _rbp, "NRBP over that of a greedy ideal list.", ideal=True)


# --------------------------------------------------------------------------------------------- means over the subtopics


def average_precision_ia(lists: RankedLists, *, rel: Level = 1) -> Floats:
    """Mean over subtopics of average precision (MAP-IA, intent-aware)."""
    entries = _entries(lists, rel)
    sizes = np.bincount(entries.codes, minlength=len(entries.weights))
    worth = np.divide(entries.weights, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return share_of_whole(_counted(lists, entries, worth, None, 2), entries.whole)


def precision_ia(lists: RankedLists, *, k: Cutoff, rel: Level = 1) -> Floats:
    """Mean over subtopics of precision in the top k."""
    entries = _entries(lists, rel)
    return share_of_whole(_counted(lists, entries, entries.weights, k, 0) / k, entries.whole)


def subtopic_recall(lists: RankedLists, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Share of the topic's subtopics that the top k cover (S-recall, I-rec)."""
    entries = _entries(lists, rel)
    there = (entries.weights > 0).astype(np.float64)
    n_subtopics = np.diff(np.concatenate([[0.0], np.cumsum(there)])[entries.first])
    return share_of_whole(_counted(lists, entries, there, k, 1), n_subtopics)


def _counted(lists: RankedLists, entries: _Entries, worth: Floats, k: int | None, kind: int) -> Floats:
    return count_sums(entries, lists.ranks, worth, depth(k), kind).reshape(lists.lengths.shape)


@compiled
def count_sums(entries: _Entries, ranks: NDArray[np.int32], worth: Floats, deepest: int, kind: int) -> Floats:
    """Sum over the subtopics of every list: all that is found (kind 0), what is new (1), or the precision there (2)."""
    lists, offsets, codes, first = entries.lists, entries.offsets, entries.codes, entries.first
    sums, taken = np.zeros(len(lists) - 1), np.empty(_AT_ONCE, dtype=np.uint32)
    seen = np.zeros(len(worth), dtype=np.int64)
    n_topics = len(first) - 1
    for number in range(len(lists) - 1):
        topic = number % n_topics
        for index in range(first[topic], first[topic + 1]):
            seen[index] = 0
        list_ranks = ranks[lists[number] : lists[number + 1]]
        total, at = 0.0, entries.starts[number]
        for index, rank in enumerate(list_ranks):
            if rank > deepest:
                break
            if index % _AT_ONCE == 0:
                at = take_relevant(entries, at, taken, len(list_ranks) - index)
            document = taken[index % _AT_ONCE]
            for entry in range(offsets[document], offsets[document + 1]):
                code = codes[entry]
                seen[code] += 1
                if kind == 0 or (kind == 1 and seen[code] == 1):
                    total += worth[code]
                elif kind == 2:  # noqa: PLR2004 - as above
                    total += worth[code] * seen[code] / rank
        sums[number] = total
    return sums


def d_ndcg(lists: RankedLists, *, k: Cutoff | None = None) -> Floats:
    r"""Discounted global gain of the top k over that of an ideal list, by global gain.

    Notes
    -----
    .. math:: gg(d) = \sum_s P(s)\, g_s(d)

    with P the weights of subtopics as shares (Sakai and Song 2011).
    """
    entries = _entries(lists, 1)
    gains = entries.weights[entries.codes] * lists.gain_of_level[entries.levels]
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    totals = sums[entries.offsets[1:]] - sums[entries.offsets[:-1]]
    discounts = _log_discounts(lists, k)
    deepest = min(depth(k), len(discounts) - 1)
    gained = global_gains(entries, lists.ranks, totals, discounts, deepest)
    topic = lists.collection.topic_of_judgment
    order = np.lexsort((-totals, topic))
    ranks = np.arange(1, len(totals) + 1) - entries.topics[topic]
    weighed = totals[order] * np.where(ranks <= deepest, discounts[np.minimum(ranks, deepest)], 0.0)
    ideal = np.bincount(topic, weights=weighed, minlength=lists.n_topics)
    return share_of_whole(gained.reshape(lists.lengths.shape), ideal)


@compiled
def global_gains(entries: _Entries, ranks: NDArray[np.int32], gains: Floats, discounts: Floats, deepest: int) -> Floats:
    """Sum discounted gains of every list."""
    lists = entries.lists
    sums, taken = np.zeros(len(lists) - 1), np.empty(_AT_ONCE, dtype=np.uint32)
    for number in range(len(lists) - 1):
        list_ranks = ranks[lists[number] : lists[number + 1]]
        at = entries.starts[number]
        for index, rank in enumerate(list_ranks):
            if rank > deepest:
                break
            if index % _AT_ONCE == 0:
                at = take_relevant(entries, at, taken, len(list_ranks) - index)
            sums[number] += gains[taken[index % _AT_ONCE]] * discounts[rank]
    return sums


def d_sharp_ndcg(lists: RankedLists, *, gamma: _Share = 0.5, k: Cutoff | None = None) -> Floats:
    """Share of subtopics covered (I-rec) and D_nDCG, averaged with weight gamma on the first (D#-nDCG)."""
    return gamma * subtopic_recall(lists, k=k) + (1.0 - gamma) * d_ndcg(lists, k=k)


SPECS = tuple(
    MetricSpec(
        name=name,
        kernel=kernel,
        subtopics=True,
        real_grades=True,
        graded=graded,
        judged_only=True,
        bounds=bounds,
        cite=cite,
    )
    for name, kernel, graded, bounds, cite in (
        ("alpha_DCG", alpha_dcg, False, (0.0, 1.0), "clarke2008"),
        ("alpha_nDCG", alpha_ndcg, False, (0.0, OVER_GREEDY), "clarke2008"),
        ("ERR_IA", err_ia, False, (0.0, 1.0), "chapelle2011"),
        ("nERR_IA", nerr_ia, False, (0.0, OVER_GREEDY), "chapelle2011"),
        ("NRBP", nrbp, False, (0.0, 1.0), "clarke2009"),
        ("nNRBP", nnrbp, False, (0.0, OVER_GREEDY), "clarke2009"),
        ("AP_IA", average_precision_ia, False, (0.0, 1.0), "agrawal2009"),
        ("P_IA", precision_ia, False, (0.0, 1.0), "agrawal2009"),
        ("StRecall", subtopic_recall, False, (0.0, 1.0), "zhai2003"),
        ("D_nDCG", d_ndcg, True, (0.0, 1.0), "sakai2011"),
        ("Dsharp_nDCG", d_sharp_ndcg, True, (0.0, 1.0), "sakai2011"),
    )
)
