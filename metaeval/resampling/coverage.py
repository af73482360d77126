"""Pools of several sizes: how much of what new runs retrieve is judged, and how deep they reach into their own runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import refused
from metaeval.base.results import Result
from metaeval.collection.base import Rounds
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.resampling.pool_depths import (
    NEVER,
    check_reach,
    check_rounds,
    entry_depths,
    pool_lengths,
    pooled_systems,
    refuse_unknown_pool,
    retrieved_lists,
)
from metaeval.running.compiled import compiled

DEFAULT_SIZES = (50, 100, 200, 300, 400, 500)
"""Pool sizes of Piwowarski, Trotman and Lalmas (2008), Tables V and VI."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coverage(Result):
    """How much of what some runs retrieve is judged, rank by rank."""

    counts: xr.Dataset
    """Dims ``size`` (of the pool), ``system`` and ``rank``; ``in_pool`` (size, system, rank): results, over topics,
    that are judged and in the pool of that size; ``judged`` (system, rank): judged at all; ``results`` (system,
    rank): results there."""

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
class RunDepths(Result):
    """How deep pools of a size reach into the runs (Piwowarski et al., Table VI)."""

    n_topics: int
    n_runs: int
    n_answers: int
    """Topics, pooled runs, and their non-empty lists."""
    table: pd.DataFrame
    """Index ``size``; ``mean_depth`` (mean over non-empty lists of the last rank that went into the pool),
    ``documents`` (mean number of documents in the pool) and ``short`` (topics whose runs end before)."""

    @property
    def runs_per_topic(self) -> float:
        """Mean number of runs that answer a topic."""
        return self.n_answers / self.n_topics

    def to_frame(self) -> pd.DataFrame:
        """Return one row a size."""
        return self.table.reset_index()


def coverage(
    collection: JudgedCollection,
    *,
    sizes: Sequence[int] = DEFAULT_SIZES,
    systems: Iterable[str] | None = None,
    rounds: Rounds = "documents",
) -> Coverage:
    """Count how many results of new runs are judged at each rank, for pools of several sizes.

    Notes
    -----
    Figure 3 of [1]_, for runs of documents. Of runs of elements the distinct documents are counted here, each at its
    rank among them, in pools of each run's next document, or with ``rounds="results"`` of the document of its next
    result. The paper counts elements, in pools of the latter kind: `metaeval.inex.new_run_coverage`.

    References
    ----------
    .. [1] Piwowarski, Trotman and Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM TOIS.
       :doi:`10.1145/1416950.1416951`
    """
    documents = collection.by_document
    refuse_unknown_pool(documents)
    entries = entry_depths(documents, rounds=check_rounds(rounds))
    wanted = np.sort(_sizes(sizes))
    chosen = _new_systems(documents) if systems is None else pooled_systems(documents, systems)
    steps = entries.depth_of_size(np.repeat(wanted[:, None], documents.n_topics, axis=1))
    judged = entries.over_codes(documents.judged)
    offsets, _, codes, _ = retrieved_lists(documents, complete=True)
    longest = int(documents.n_retrieved.max(initial=0))
    tallies = np.zeros((len(wanted) + 2, len(chosen), longest), dtype=np.int64)
    _cover(offsets, codes, chosen, documents.n_topics, np.where(judged, entries.depth, NEVER), judged, steps, tallies)
    names = [documents.systems[row] for row in chosen]
    counts = xr.Dataset(
        {
            "in_pool": (("size", "system", "rank"), np.cumsum(tallies[:-2], axis=0)),
            "judged": (("system", "rank"), tallies[-2]),
            "results": (("system", "rank"), tallies[-1]),
        },
        coords={"size": wanted, "system": names, "rank": np.arange(1, longest + 1)},
    )
    return Coverage(counts=counts)


def run_depths(
    collection: JudgedCollection, *, sizes: Sequence[int] = DEFAULT_SIZES, rounds: Rounds = "documents"
) -> RunDepths:
    """Find how deep pools of several sizes reach into the runs.

    Notes
    -----
    Table VI of [1]_. Of runs of elements a depth is a rank among the distinct documents of a run, as in the paper for
    2004; with ``rounds="results"`` it is one among its results, as in the paper for 2005 and 2006, where each run adds
    the document of its next result in a round of pooling. A list ends with the first result of its last document.

    References
    ----------
    .. [1] Piwowarski, Trotman and Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM TOIS.
       :doi:`10.1145/1416950.1416951`

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d4", "d1"]}}
    >>> collection = collection_from_rankings(runs, {"1": {"d1": 1}}, retrieved="all")
    >>> run_depths(collection, sizes=[2, 4]).table["mean_depth"].tolist()
    [1.0, 2.5]
    """
    documents = collection.by_document
    entries = entry_depths(documents, rounds=check_rounds(rounds))
    wanted = _sizes(sizes)
    depths = entries.depth_of_size(np.repeat(wanted[:, None], documents.n_topics, axis=1))
    lengths = pool_lengths(documents, rounds=rounds)
    answered = lengths > 0
    reached = np.minimum(depths[:, None], lengths[None])
    counts = entries.counts()
    pool_sizes = counts[np.arange(documents.n_topics), depths]
    table = pd.DataFrame(
        {
            "mean_depth": [of_size[answered].mean() if answered.any() else np.nan for of_size in reached],
            "documents": pool_sizes.mean(axis=1),
            "short": (pool_sizes < wanted[:, None]).sum(axis=1),
        },
        index=pd.Index(wanted, name="size"),
    )
    return RunDepths(n_topics=documents.n_topics, n_runs=len(lengths), n_answers=int(answered.sum()), table=table)


def _new_systems(collection: Collection) -> NDArray[np.int64]:
    if collection.pooled is None or collection.pooled.all():
        message = "every run builds the pool, so none is new: mark the pooled ones with `pooled`, or name `systems`"
        raise InvalidOptionError(message)
    return np.flatnonzero(~collection.pooled)


def _sizes(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the pool sizes asked for, checked, in the order given."""
    numbers = np.array([check_reach(size, "sizes") for size in sizes], dtype=np.int64)
    if not len(numbers) or len(np.unique(numbers)) < len(numbers):
        raise refused("sizes", f"must name at least one pool size, each once, not {list(sizes)!r}", sizes)
    return numbers


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
            index = systems[number] * n_topics + topic
            start = offsets[index]
            for rank in range(min(offsets[index + 1] - start, found.shape[2])):
                code = codes[start + rank]
                found[n_steps + 1, number, rank] += 1
                if judged[code]:
                    found[n_steps, number, rank] += 1
                for step in range(n_steps):
                    if entry[code] <= steps[step, topic]:
                        found[step, number, rank] += 1
                        break
