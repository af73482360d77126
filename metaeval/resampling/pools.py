"""Pools: which documents the runs put before the assessor, at any depth or size, and what was found there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.cells import first_few
from metaeval.checks import check_count, check_number
from metaeval.collection.base import JudgedCollection
from metaeval.collection.documents import NOT_POOLED, Collection
from metaeval.compiled import compiled
from metaeval.errors import InvalidOptionError
from metaeval.resampling.entry_depths import NEVER, EntryDepths, entry_depths, pooled_systems, retrieved_lists

__all__ = [
    "DEFAULT_SIZES",
    "Coverage",
    "OriginalPool",
    "PoolGrowth",
    "RunDepths",
    "coverage",
    "original_pool",
    "pool",
    "pool_growth",
    "run_depths",
]

DEFAULT_SIZES = (50, 100, 200, 300, 400, 500)
"""Pool sizes of Piwowarski, Trotman and Lalmas (2008), Tables V and VI."""

_FEW_NEW = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OriginalPool:
    """The 100 % pool: the one that was judged, or the closest that the runs at hand give.

    Attributes
    ----------
    depths : int64 array (n_topics,)
        Pool depth of every topic.
    known : bool
        Whether the depth was given; else it is for each topic the smallest whose pool is as large as the pooled set
        of the qrels.
    n_documents : int64 array (n_topics,)
        The original pool's number of documents: that of the generated pool where the depth is known, that of the
        qrels where it is not. -1 where the depth is known and documents without judgment were not read.
    levels : int16 array (n_judgments,)
        The qrels restricted to the pool; `NOT_POOLED` outside.
    per_topic : pandas.DataFrame
        Index ``topic``; ``depth``, ``pool`` (documents in the generated pool), ``judged_in_pool``, ``judged`` and
        ``relevant`` (in the qrels), ``judged_held`` and ``relevant_held`` (of these in the pool), and ``reached``:
        whether the runs are long enough for the depth or size.
    notes : tuple of str
        What the pool lacks, in words.
    """

    depths: NDArray[np.int64]
    known: bool
    n_documents: NDArray[np.int64]
    levels: NDArray[np.int16]
    per_topic: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def judged_share(self) -> float:
        """Share of the generated pool that is judged (NaN where documents without judgment were not read)."""
        return self._share("judged_in_pool", "pool")

    @property
    def held_share(self) -> float:
        """Share of the judged documents that the pool holds."""
        return self._share("judged_held", "judged")

    @property
    def relevant_held_share(self) -> float:
        """Share of the relevant documents that the pool holds."""
        return self._share("relevant_held", "relevant")

    @property
    def n_outside(self) -> int:
        """Number of judged documents outside the pool."""
        return int((self.per_topic["judged"] - self.per_topic["judged_held"]).sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row a topic."""
        return self.per_topic.reset_index()

    def _share(self, part: str, whole: str) -> float:
        total = float(self.per_topic[whole].sum())
        return float(self.per_topic[part].sum()) / total if total > 0 else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoolGrowth:
    """What deeper and deeper pools find.

    Attributes
    ----------
    counts : xarray.Dataset
        Dims ``topic`` and ``depth`` (from 1); ``documents`` (distinct documents in the pool; -1 where those without
        judgment were not read), ``judged`` and ``relevant`` (those among them).
    few : float
        New relevant documents per further judged one that count as few.
    """

    counts: xr.Dataset
    few: float

    def critical_depths(self) -> pd.Series:
        """Return for each topic the depth past which few new relevant documents appear; NaN where none is seen.

        It is the smallest depth d such that from d, and from every depth after it, the rest of the pool holds at
        most `few` relevant documents per judged one. The last depth that adds a judged document cannot qualify:
        nothing is known past it.
        """
        judged, relevant = (self.counts[name].to_numpy().astype(float) for name in ("judged", "relevant"))
        left = judged[:, -1:] - judged
        rate = (relevant[:, -1:] - relevant) / np.where(left > 0, left, np.nan)
        many = np.where(left > 0, rate > self.few, False)  # noqa: FBT003 - the value where nothing is left
        last_with_many = np.where(many.any(axis=1), many.shape[1] - np.argmax(many[:, ::-1], axis=1), 0)
        critical = np.maximum(last_with_many + 1, 1).astype(float)
        known = left[np.arange(len(left)), np.minimum(critical.astype(int), left.shape[1]) - 1] > 0
        return pd.Series(
            np.where(known, critical, np.nan), index=pd.Index(self.counts["topic"].to_numpy(), name="topic")
        )

    def means(self) -> pd.DataFrame:
        """Return the means over topics at each depth, index ``depth``."""
        return self.counts.mean("topic").to_dataframe()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a topic and depth."""
        return self.counts.to_dataframe().reset_index()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coverage:
    """How much of what some runs retrieve is judged, rank by rank.

    Attributes
    ----------
    counts : xarray.Dataset
        Dims ``size`` (of the pool), ``system`` and ``rank``; ``in_pool`` (size, system, rank): results, over topics,
        that are judged and in the pool of that size; ``judged`` (system, rank): judged at all; ``results``
        (system, rank): results there.
    """

    counts: xr.Dataset

    def at_rank(self) -> xr.Dataset:
        """Return the share judged at each rank over all runs: ``in_pool`` (size, rank) and ``judged`` (rank)."""
        total = self.counts.sum("system")
        return (total[["in_pool", "judged"]] / total["results"].where(total["results"] > 0)).transpose(..., "rank")

    def up_to_rank(self) -> xr.Dataset:
        """Return the share judged among the results at a rank or above it."""
        total = self.counts.sum("system").cumsum("rank").assign_coords(rank=self.counts["rank"])
        return (total[["in_pool", "judged"]] / total["results"].where(total["results"] > 0)).transpose(..., "rank")

    def to_frame(self) -> pd.DataFrame:
        """Return one row a size and rank: share judged there, and at that rank or above."""
        here, above = (table["in_pool"].to_dataframe() for table in (self.at_rank(), self.up_to_rank()))
        return here.rename(columns={"in_pool": "at_rank"}).assign(up_to_rank=above["in_pool"]).reset_index()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunDepths:
    """How deep pools of a size reach into the runs (Piwowarski et al., Table VI).

    Attributes
    ----------
    n_topics, n_runs, n_answers : int
        Topics, pooled runs, and their non-empty lists.
    table : pandas.DataFrame
        Index ``size``; ``mean_depth`` (mean over non-empty lists of the last rank that went into the pool),
        ``documents`` (mean number of documents in the pool) and ``short`` (topics whose runs end before).
    """

    n_topics: int
    n_runs: int
    n_answers: int
    table: pd.DataFrame

    @property
    def runs_per_topic(self) -> float:
        """Mean number of runs that answer a topic."""
        return self.n_answers / self.n_topics

    def to_frame(self) -> pd.DataFrame:
        """Return one row a size."""
        return self.table.reset_index()


def pool(
    collection: JudgedCollection,
    *,
    systems: Iterable[str] | None = None,
    depth: int | None = None,
    size: int | None = None,
) -> NDArray[np.bool_]:
    """Return which documents are in a pool of the runs.

    Parameters
    ----------
    collection : JudgedCollection
    systems : iterable of str, optional
        The runs that build it; those marked as pooled by default, all where none is marked.
    depth : int, optional
        The top `depth` documents of every run.
    size : int, optional
        Rank by rank, until at least `size` distinct documents of the topic are in. The round is completed, so a pool
        may hold a few more; it holds fewer where the runs end.

    Returns
    -------
    bool array (n_codes,)
        One entry a document: the first ``n_judgments`` are those of the qrels, in their order; the others follow as
        in ``collection.retrieved`` (absent where these were not read).

    Raises
    ------
    InvalidOptionError
        Unless exactly one of depth and size is given, as a whole number of at least 1; or if a size is asked for
        and documents without judgment were not read.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 1}}, retrieved="all")
    >>> pool(collection, depth=1)
    array([ True, False, False,  True])
    >>> pool(collection, size=3)
    array([ True,  True, False,  True])
    """
    documents = collection.by_document
    if (depth is None) == (size is None):
        message = f"give either depth= or size=, not depth={depth!r} and size={size!r}"
        raise InvalidOptionError(message)
    chosen = pooled_systems(documents, systems)
    if size is None:
        return entry_depths(documents, chosen, complete=False).within(_whole(depth, "depth"))
    entries = entry_depths(documents, chosen)
    return entries.within(entries.depth_of_size(np.full(documents.n_topics, _whole(size, "size"))))


def original_pool(collection: JudgedCollection, *, depth: int | None = None) -> OriginalPool:
    """Rebuild the pool that was judged, and say how close it comes.

    Parameters
    ----------
    collection : JudgedCollection
        Its current levels are taken as the qrels, so a collection that was reduced before is measured as it is.
    depth : int, optional
        The depth to which the runs were pooled, where it is known. Without it the depth of each topic is the
        smallest at which the pool of the runs is at least as large as the pooled set (lines of the qrels, also those
        at -1), as in Pal, Mitra and Kamps (2010, section "Reducing Pool Depth").

    Returns
    -------
    OriginalPool

    Raises
    ------
    InvalidOptionError
        If the depth is no whole number of at least 1; if it is not given and the collection was read without the
        documents that have no judgment; or if no run is marked as pooled.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0}}, retrieved="all")
    >>> found = original_pool(collection)
    >>> found.depths.tolist(), round(found.judged_share, 3), round(found.held_share, 3)
    ([2], 0.667, 0.667)
    """
    documents = collection.by_document
    if depth is None and documents.retrieved is None:
        message = (
            "the depth of the original pool is not known and cannot be found without the documents that have no "
            "judgment: give the depth, or read the collection with retrieved='all'"
        )
        raise InvalidOptionError(message)
    entries = entry_depths(documents, complete=depth is None)
    in_qrels = _per_topic(documents, documents.levels != NOT_POOLED)
    if depth is None:
        depths = entries.depth_of_size(in_qrels)
        reached = entries.counts()[:, -1] >= in_qrels
    else:
        depths = np.full(documents.n_topics, _whole(depth, "depth"), dtype=np.int64)
        reached = documents.n_retrieved[pooled_systems(documents)].max(axis=0) >= depths
    n_pool = np.full(documents.n_topics, -1, dtype=np.int64)
    inside = entries.within(depths)
    if entries.complete:
        n_pool = np.bincount(entries.topic[inside], minlength=documents.n_topics)
    held = inside[: documents.n_judgments]
    judged, relevant = documents.judged, documents.levels > 0
    table = pd.DataFrame(
        {
            "depth": depths,
            "pool": n_pool if entries.complete else np.nan,
            "judged_in_pool": _per_topic(documents, judged & held),
            "judged": _per_topic(documents, judged),
            "relevant": _per_topic(documents, relevant),
            "judged_held": _per_topic(documents, judged & held),
            "relevant_held": _per_topic(documents, relevant & held),
            "reached": reached,
        },
        index=pd.Index(documents.topics, name="topic"),
    )
    return OriginalPool(
        depths=depths,
        known=depth is not None,
        n_documents=in_qrels if depth is None else n_pool,
        levels=np.where(held, documents.levels, np.int16(NOT_POOLED)),
        per_topic=table,
        notes=_pool_notes(table, known=depth is not None),
    )


def pool_growth(
    collection: JudgedCollection,
    *,
    systems: Iterable[str] | None = None,
    depth: int | None = None,
    few: float = _FEW_NEW,
) -> PoolGrowth:
    """Count what the pool holds at every depth: distinct documents, judged ones, relevant ones.

    Parameters
    ----------
    collection : JudgedCollection
    systems : iterable of str, optional
        The runs that build the pool; as in `pool`.
    depth : int, optional
        Deepest pool; the longest list by default. Past the depth that was judged hardly a document is judged, so
        counts there stand still.
    few : float
        For `PoolGrowth.critical_depths`.

    Returns
    -------
    PoolGrowth

    Raises
    ------
    InvalidOptionError
        If the depth is no whole number of at least 1, `few` is negative or no run is left.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 1}}, retrieved="all")
    >>> pool_growth(collection).means()[["judged", "relevant"]].to_numpy()
    array([[2., 2.],
           [3., 2.],
           [4., 2.]])
    """
    documents = collection.by_document
    check_number(few, "few", least=0, unit="relevant documents per judged one")
    entries = entry_depths(documents, pooled_systems(documents, systems), complete=False)
    deepest = entries.longest if depth is None else min(_whole(depth, "depth"), entries.longest)
    counted = {
        "documents": entries.counts() if entries.complete else np.full((documents.n_topics, deepest + 1), -1),
        "judged": entries.counts(_over_codes(documents.judged, entries)),
        "relevant": entries.counts(_over_codes(documents.levels > 0, entries)),
    }
    counts = xr.Dataset(
        {name: (("topic", "depth"), table[:, 1 : deepest + 1]) for name, table in counted.items()},
        coords={"topic": list(documents.topics), "depth": np.arange(1, deepest + 1)},
    )
    return PoolGrowth(counts=counts, few=float(few))


def coverage(
    collection: JudgedCollection,
    *,
    sizes: Sequence[int] = DEFAULT_SIZES,
    systems: Iterable[str] | None = None,
    depth: int | None = None,
) -> Coverage:
    """Count how many results of new runs are judged at each rank, for pools of several sizes.

    Parameters
    ----------
    collection : JudgedCollection
        Read with every retrieved document.
    sizes : sequence of int
        Documents a topic, by rank-by-rank pooling of the pooled runs.
    systems : iterable of str, optional
        The runs to look at; those outside the pool by default.
    depth : int, optional
        Last rank; the longest list by default.

    Returns
    -------
    Coverage
        A result counts as judged at a size if it is in that pool and judged in the qrels.

    Raises
    ------
    InvalidOptionError
        If a size or the depth is no whole number of at least 1, every run is pooled, or the collection was read
        without the documents that have no judgment.

    Notes
    -----
    Piwowarski, Trotman and Lalmas (2008), Figure 3.
    """
    documents = collection.by_document
    entries = entry_depths(documents)
    wanted = np.sort(_sizes(sizes))
    chosen = _new_systems(documents) if systems is None else pooled_systems(documents, systems)
    deepest = entries.longest if depth is None else min(_whole(depth, "depth"), entries.longest)
    steps = entries.depth_of_size(np.repeat(wanted[:, None], documents.n_topics, axis=1))
    judged = _over_codes(documents.judged, entries)
    offsets, _, codes, _ = retrieved_lists(documents, complete=True)
    found = np.zeros((len(wanted) + 2, len(chosen), deepest), dtype=np.int64)
    _cover(offsets, codes, chosen, documents.n_topics, np.where(judged, entries.depth, NEVER), judged, steps, found)
    names = [documents.systems[row] for row in chosen]
    counts = xr.Dataset(
        {
            "in_pool": (("size", "system", "rank"), np.cumsum(found[:-2], axis=0)),
            "judged": (("system", "rank"), found[-2]),
            "results": (("system", "rank"), found[-1]),
        },
        coords={"size": wanted, "system": names, "rank": np.arange(1, deepest + 1)},
    )
    return Coverage(counts=counts)


def run_depths(
    collection: JudgedCollection, *, sizes: Sequence[int] = DEFAULT_SIZES, systems: Iterable[str] | None = None
) -> RunDepths:
    """Find how deep pools of several sizes reach into the runs.

    Parameters
    ----------
    collection : JudgedCollection
        Read with every retrieved document.
    sizes : sequence of int
        Documents a topic, by rank-by-rank pooling.
    systems : iterable of str, optional
        The runs that build the pools; as in `pool`.

    Returns
    -------
    RunDepths

    Raises
    ------
    InvalidOptionError
        As `coverage`.

    Notes
    -----
    Piwowarski, Trotman and Lalmas (2008), Table VI.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1}}, retrieved="all")
    >>> run_depths(collection, sizes=[2, 4]).table["mean_depth"].tolist()
    [1.0, 2.5]
    """
    documents = collection.by_document
    chosen = pooled_systems(documents, systems)
    entries = entry_depths(documents, chosen)
    wanted = _sizes(sizes)
    depths = entries.depth_of_size(np.repeat(wanted[:, None], documents.n_topics, axis=1))
    lengths = documents.n_retrieved[chosen]
    answered = lengths > 0
    reached = np.minimum(depths[:, None], lengths[None])
    counts = entries.counts()
    held = counts[np.arange(documents.n_topics), depths]
    table = pd.DataFrame(
        {
            "mean_depth": [one[answered].mean() if answered.any() else np.nan for one in reached],
            "documents": held.mean(axis=1),
            "short": (held < wanted[:, None]).sum(axis=1),
        },
        index=pd.Index(wanted, name="size"),
    )
    return RunDepths(n_topics=documents.n_topics, n_runs=len(chosen), n_answers=int(answered.sum()), table=table)


def _over_codes(marked: NDArray[np.bool_], entries: EntryDepths) -> NDArray[np.bool_]:
    whole = np.zeros(len(entries.depth), dtype=bool)
    whole[: len(marked)] = marked
    return whole


def _per_topic(collection: Collection, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.bincount(collection.topic_of_judgment[marked], minlength=collection.n_topics)


def _new_systems(collection: Collection) -> NDArray[np.int64]:
    if collection.pooled is None or collection.pooled.all():
        message = "every run builds the pool, so none is new: mark the pooled ones with pooled=, or name systems="
        raise InvalidOptionError(message)
    return np.flatnonzero(~collection.pooled)


def _whole(number: object, name: str) -> int:
    return min(check_count(number, name), NEVER - 1)


def _sizes(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the pool sizes asked for, checked, in the order given."""
    numbers = np.array([_whole(size, "sizes") for size in sizes], dtype=np.int64)
    if not len(numbers) or len(np.unique(numbers)) < len(numbers):
        message = f"sizes= must name at least one pool size, each once, not {list(sizes)!r}"
        raise InvalidOptionError(message)
    return numbers


def _pool_notes(table: pd.DataFrame, *, known: bool) -> tuple[str, ...]:
    notes = []
    if (outside := int((table["judged"] - table["judged_held"]).sum())) > 0:
        share = outside / table["judged"].sum()
        lost = int((table["relevant"] - table["relevant_held"]).sum())
        notes.append(
            f"{outside} judged documents ({share:.1%}), {lost} of them relevant, are outside the pool of the runs"
        )
    if (unjudged := (table["pool"] - table["judged_in_pool"]).sum()) > 0:
        share = unjudged / table["pool"].sum()
        notes.append(f"{int(unjudged)} documents ({share:.1%}) of the pool of the runs are not judged")
    short = table.index[~table["reached"]]
    if len(short):
        what = "depth" if known else "number of judged documents"
        where = f"{len(short)} topics ({first_few(short)})"
        notes.append(f"the pooled runs end before the {what} in {where}: all they hold is taken")
    return tuple(notes)


@compiled
def _cover(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    systems: NDArray[np.int64],
    n_topics: int,
    entry: NDArray[np.int32],
    judged: NDArray[np.bool_],
    steps: NDArray[np.int64],
    found: NDArray[np.int64],
) -> None:
    """Count at the first step whose pool holds the result; the last two rows count judged and all results."""
    n_steps = len(steps)
    for number in range(len(systems)):
        for topic in range(n_topics):
            one = systems[number] * n_topics + topic
            start = offsets[one]
            for rank in range(min(offsets[one + 1] - start, found.shape[2])):
                code = codes[start + rank]
                found[n_steps + 1, number, rank] += 1
                if judged[code]:
                    found[n_steps, number, rank] += 1
                for step in range(n_steps):
                    if entry[code] <= steps[step, topic]:
                        found[step, number, rank] += 1
                        break
