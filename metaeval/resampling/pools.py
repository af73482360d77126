"""Pools: which documents the runs put before the assessor, and what was found there as they grew."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import check_kind, check_number
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.words import from_to, share
from metaeval.collection.documents import NOT_POOLED, JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.resampling.pool_depths import (
    check_reach,
    entry_depths,
    lists_relevant_only,
    pool_lengths,
    refuse_unknown_pool,
)

_FEW_NEW = 0.02
_ROUND = 5
_MOST_ROUNDS = 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OriginalPool(Result):
    """The judged pool as rebuilt from the runs: the 100 % pool."""

    depths: NDArray[np.int64]
    """Pool depth of every topic. Shape (n_topics,)."""
    known: bool
    """Whether the depth was given; else it is for each topic the smallest whose pool is as large as the pooled set of
    the qrels, or as the size that `with_judged_pool` gave."""
    n_documents: NDArray[np.int64]
    """The original pool's number of documents: that of the generated pool where the depth is known, else the size
    given, or that of the qrels. -1 where the depth is known and documents without judgment were not read. Shape
    (n_topics,)."""
    levels: NDArray[np.int16]
    """The qrels restricted to the pool; `NOT_POOLED` outside. Shape (n_judgments,)."""
    per_topic: pd.DataFrame
    """See `to_frame`; the index is ``topic``."""
    notes: tuple[str, ...]
    """What the pool lacks, in words."""

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

    def _found(self) -> str:
        depth = from_to(str(self.depths.min()), str(self.depths.max()))
        held = f"holds {share(self.held_share)} of the judged documents"
        return f"the pool of depth {depth} {held} and {share(self.relevant_held_share)} of the relevant ones"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a topic.

        The columns are ``topic``, ``pool_depth``, ``pool`` (documents in the generated pool), ``judged_in_pool``,
        ``judged`` and ``relevant`` (in the qrels), ``judged_held`` and ``relevant_held`` (of these in the pool), and
        ``reached``: whether the runs are long enough for the depth or size.
        """
        return self.per_topic.reset_index()

    def _share(self, part: str, whole: str) -> float:
        total = float(self.per_topic[whole].sum())
        return float(self.per_topic[part].sum()) / total if total > 0 else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoolGrowth(Result):
    """What deeper and deeper pools find."""

    counts: xr.Dataset
    """Dims ``topic`` and ``pool_depth`` (from 1); ``documents`` (distinct documents in the pool; -1 where those
    without judgment were not read), ``judged`` and ``relevant`` (those among them)."""
    few: float
    """New relevant documents per further judged one that count as few."""

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
        seen = left[np.arange(len(left)), np.minimum(critical.astype(int), left.shape[1]) - 1] > 0
        return pd.Series(
            np.where(seen, critical, np.nan), index=pd.Index(self.counts["topic"].to_numpy(), name="topic")
        )

    def topics(self) -> pd.DataFrame:
        """Return one row a topic: what its pool holds, its critical depth, and what the pool holds there.

        ``pool_depth`` is the first depth at which everything judged is in; see `critical_depths`.
        """
        judged, relevant = (self.counts[name].to_numpy() for name in ("judged", "relevant"))
        critical = self.critical_depths()
        index = np.nan_to_num(critical.to_numpy(), nan=1.0).astype(np.int64) - 1
        at = [
            np.where(critical.notna(), counts[np.arange(len(counts)), index], np.nan) for counts in (judged, relevant)
        ]
        return pd.DataFrame(
            {
                "pool_depth": (judged < judged[:, -1:]).sum(axis=1) + 1,
                "judged": judged[:, -1],
                "relevant": relevant[:, -1],
                "critical_depth": critical,
                "judged_there": at[0],
                "relevant_there": at[1],
            }
        ).reset_index()

    def by_topic(self) -> pd.DataFrame:
        """Return what a topic's pool holds at depth 1, at up to forty others, at its critical depth and its end."""
        depths = self.counts["pool_depth"].to_numpy()
        step = max(_ROUND, _ROUND * -(-len(depths) // (_ROUND * _MOST_ROUNDS)))
        frame = self.counts[["judged", "relevant"]].to_dataframe(dim_order=["topic", "pool_depth"]).reset_index()
        per_topic = self.topics().set_index("topic")
        ends, critical = (frame["topic"].map(per_topic[name]) for name in ("pool_depth", "critical_depth"))
        depth = frame["pool_depth"]
        selected = (depth % step == 0) | (depth == 1) | (depth == ends) | (depth == critical)
        return frame[selected & (depth <= ends)].reset_index(drop=True)

    def means(self) -> pd.DataFrame:
        """Return the means over topics at each depth, index ``pool_depth``."""
        return self.counts.mean("topic").to_dataframe()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a topic and depth."""
        return self.counts.to_dataframe().reset_index()


def original_pool(collection: JudgedCollection, *, pool_depth: int | None = None) -> OriginalPool:
    """Rebuild the judged pool from the runs, and compare it with the judgments.

    Parameters
    ----------
    collection : JudgedCollection
        Its current levels are taken as the qrels, so a collection that was reduced before is measured as it is.
    pool_depth : int, optional
        The depth to which the runs were pooled, where it is known. Without it the depth of each topic is the
        smallest at which the pool of the runs is at least as large as the pooled set (lines of the qrels, also those
        at -1), as in [1]_ (section "Reducing Pool Depth"), or as the size that `with_judged_pool` gave.

    Returns
    -------
    OriginalPool
        One row a ``topic`` in ``to_frame()``: ``pool_depth``, documents in the ``pool``, ``judged`` and ``relevant``
        documents and how many of them the pool holds, and whether the runs ``reached`` it; see
        `OriginalPool.to_frame`. ``levels`` holds the judgments inside the pool.

    Raises
    ------
    InvalidOptionError
        If the depth is no whole number of at least 1; if it is not given and the collection was read without the
        documents that have no judgment; if no run is marked as pooled; or if the judgments list relevant documents only
        and neither a depth nor a size is known.

    See Also
    --------
    with_judged_pool : judgments that list relevant documents only

    References
    ----------
    .. [1] Pal, Mitra and Kamps (2010). Evaluation effort, reliability and reusability in XML retrieval. JASIST.
       :doi:`10.1002/asi.21403`

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0}}, retrieved="all")
    >>> found = original_pool(collection)
    >>> found.depths.tolist(), round(found.judged_share, 3), round(found.held_share, 3)
    ([2], 0.667, 0.667)
    """
    check_kind(collection, "collection", "JudgedCollection")
    documents = collection.by_document
    if pool_depth is None and documents.retrieved is None:
        raise InvalidOptionError(
            "the depth of the original pool is not known and cannot be found without the documents that have no "
            "judgment: give the depth, or read the collection with `retrieved='all'`"
        )
    if pool_depth is None:
        refuse_unknown_pool(documents)
    entries = entry_depths(documents, complete=pool_depth is None)
    size = (
        documents.pool_sizes if documents.pool_sizes is not None else entries.per_topic(documents.levels != NOT_POOLED)
    )
    if pool_depth is None:
        depths = entries.depth_of_size(size)
        reached = entries.counts()[:, -1] >= size
    else:
        depths = np.full(documents.n_topics, check_reach(pool_depth, "pool_depth"), dtype=np.int64)
        reached = pool_lengths(documents).max(axis=0) >= depths
    n_pool = np.full(documents.n_topics, -1, dtype=np.int64)
    inside = entries.within(depths)
    if entries.complete:
        n_pool = entries.per_topic(inside)
    in_pool = inside[: documents.n_judgments]
    judged, relevant = documents.judged, documents.levels > 0
    table = pd.DataFrame(
        {
            "pool_depth": depths,
            "pool": n_pool if entries.complete else np.nan,
            "judged_in_pool": entries.per_topic(judged & in_pool),
            "judged": entries.per_topic(judged),
            "relevant": entries.per_topic(relevant),
            "judged_held": entries.per_topic(judged & in_pool),
            "relevant_held": entries.per_topic(relevant & in_pool),
            "reached": reached,
        },
        index=pd.Index(documents.topics, name="topic"),
    )
    return OriginalPool(
        depths=depths,
        known=pool_depth is not None,
        n_documents=size if pool_depth is None else n_pool,
        levels=np.where(in_pool, documents.levels, np.int16(NOT_POOLED)),
        per_topic=table,
        notes=_pool_notes(table, known=pool_depth is not None, silent=lists_relevant_only(documents)),
    )


def pool_by_depth(
    collection: JudgedCollection,
    *,
    pool_depth: int | None = None,
    few: float = _FEW_NEW,
) -> PoolGrowth:
    """Count what the pool holds at every depth: distinct documents, judged ones, relevant ones.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 1}}, retrieved="all")
    >>> pool_by_depth(collection).means()[["judged", "relevant"]].to_numpy()
    array([[2., 2.],
           [3., 2.],
           [4., 2.]])
    """
    documents = collection.by_document
    check_number(few, "few", least=0, unit="relevant documents per judged one")
    entries = entry_depths(documents, complete=False)
    deepest = entries.longest if pool_depth is None else min(check_reach(pool_depth, "pool_depth"), entries.longest)
    counted = {
        "documents": entries.counts() if entries.complete else np.full((documents.n_topics, deepest + 1), -1),
        "judged": entries.counts(documents.judged),
        "relevant": entries.counts(documents.levels > 0),
    }
    counts = xr.Dataset(
        {name: (("topic", "pool_depth"), table[:, 1 : deepest + 1]) for name, table in counted.items()},
        coords={"topic": list(documents.topics), "pool_depth": np.arange(1, deepest + 1)},
    )
    return PoolGrowth(counts=counts, few=float(few))


def with_judged_pool(
    collection: JudgedCollection,
    *,
    size: int | Mapping[str, int] | None = None,
    pool_depth: int | None = None,
) -> JudgedCollection:
    """Say how many documents were judged, for judgments that do not: where they list relevant documents only.

    Notes
    -----
    The pool of a size is that of the smallest depth at which it holds at least so many documents, as [1]_ (section
    "Reducing Pool Depth") have it. INEX assessments from 2007 on and many collections of later years list what is
    relevant and nothing else; their pools held about 600 documents a topic.

    References
    ----------
    .. [1] Pal, Mitra and Kamps (2010). Evaluation effort, reliability and reusability in XML retrieval. JASIST.
       :doi:`10.1002/asi.21403`

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1", "d2"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1}}, retrieved="all")
    >>> whole = with_judged_pool(collection, size=3)
    >>> whole.by_document.levels.tolist(), original_pool(whole).depths.tolist()
    ([1, 0, 0], [2])
    """
    if (size is None) == (pool_depth is None):
        raise InvalidOptionError("give the size of the judged pool or the depth of pooling, one of them")
    documents = collection.by_document
    entries = entry_depths(documents)
    if pool_depth is not None:
        depths = np.full(documents.n_topics, check_reach(pool_depth, "pool_depth"), dtype=np.int64)
    else:
        sizes = _sizes_of_topics(documents.topics, size)
        depths = entries.depth_of_size(sizes)
        collection = collection._with(pool_sizes=sizes)  # noqa: SLF001 - one family
    if not lists_relevant_only(documents):
        return collection
    further = entries.within(depths)
    further[: documents.n_judgments] = False
    return collection.judge_further(further, entries.topic)


def _sizes_of_topics(topics: tuple[str, ...], size: int | Mapping[str, int] | None) -> NDArray[np.int64]:
    """Return the pool size of every topic, checked."""
    if not isinstance(size, Mapping):
        return np.full(len(topics), check_reach(size, "the judged pool's size"), dtype=np.int64)
    size_of = {str(topic): number for topic, number in size.items()}
    lacking = [topic for topic in topics if topic not in size_of]
    if lacking:
        raise InvalidOptionError(
            f"the sizes of judged pools cover {len(topics) - len(lacking)} of {len(topics)} topics; absent: "
            f"{first_few(lacking)}"
        )
    return np.array([check_reach(size_of[topic], f"the judged pool's size on topic {topic!r}") for topic in topics])


def _pool_notes(table: pd.DataFrame, *, known: bool, silent: bool) -> tuple[str, ...]:
    notes = []
    if silent and (table["pool"] > table["judged_in_pool"]).any():
        notes.append(
            "the judgments list relevant documents only, and count nothing else in the pool as judged; "
            "with_judged_pool does"
        )
    if (outside := int((table["judged"] - table["judged_held"]).sum())) > 0:
        share = outside / table["judged"].sum()
        lost = int((table["relevant"] - table["relevant_held"]).sum())
        notes.append(
            f"{outside:,} judged documents ({100 * share:.1f} %), {lost:,} of them relevant, are outside the pool of "
            "the runs"
        )
    if (unjudged := (table["pool"] - table["judged_in_pool"]).sum()) > 0:
        share = unjudged / table["pool"].sum()
        notes.append(f"{int(unjudged):,} documents ({100 * share:.1f} %) of the pool of the runs are not judged")
    short = table.index[~table["reached"]]
    if len(short):
        limit = "depth" if known else "number of judged documents"
        where = f"{len(short)} topics ({first_few(short)})"
        notes.append(f"the pooled runs end before the {limit} in {where}: all they hold is taken")
    return tuple(notes)
