"""Whether judging more would change decisions: pools of several sizes, each group left out of them in turn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_kind, check_share
from metaeval.base.results import Result
from metaeval.base.words import share, span
from metaeval.collection.base import Rounds
from metaeval.collection.documents import NOT_POOLED, JudgedCollection
from metaeval.errors import EstimationError
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.resampling.coverage import DEFAULT_SIZES, RunDepths, run_depths
from metaeval.resampling.leave_out import numbered_groups, scored_topics, t_of_change, t_of_pairs
from metaeval.resampling.pool_depths import EntryDepthsByGroup, entry_depths_by_group
from metaeval.running.workers import parallel_map
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import student_p

VERDICTS = ("better", "similar", "worse")
_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoolSufficiency(Result):
    """How often a pool of n documents without a group leads to other decisions about its runs."""

    counts: xr.Dataset
    """Dims ``metric``, ``size``, ``full`` and ``reduced`` (`VERDICTS`); ``same`` (metric, size): runs whose scores
    differ significantly under all judgments and under those of the pool without their group; ``other`` (metric,
    size, full, reduced): runs of the left-out group against every run of another group, by what the test says under
    all judgments and under those of the pool."""
    n_runs: int
    """Runs behind each count of ``same``."""
    alpha: float
    """Level of the paired t tests."""
    depths: RunDepths
    """How deep the pools (of all pooled runs) reach into the runs."""
    notes: tuple[str, ...]
    """What to know when reading the counts."""

    @property
    def n_comparisons(self) -> int:
        """Comparisons behind each 3 x 3 table."""
        return int(self.counts["other"].isel(metric=0, size=0).sum())

    def same(self) -> xr.DataArray:
        """Return the share of runs whose score changed significantly, dims (metric, size)."""
        return (self.counts["same"] / self.n_runs).rename("same")

    def reversed(self) -> xr.DataArray:
        """Return the share of comparisons that turned from better to worse or back, dims (metric, size)."""
        comparisons = self.counts["other"]
        turned = comparisons.sel(full="better", reduced="worse") + comparisons.sel(full="worse", reduced="better")
        return (turned / self.n_comparisons).drop_vars(["full", "reduced"], errors="ignore").rename("reversed")

    def changed(self) -> xr.DataArray:
        """Return the share of comparisons with another verdict of any kind, dims (metric, size)."""
        comparisons = self.counts["other"]
        unchanged = sum(
            (comparisons.sel(full=verdict, reduced=verdict, drop=True) for verdict in VERDICTS),
            start=xr.zeros_like(comparisons[..., 0, 0]),
        )
        return (1.0 - unchanged / self.n_comparisons).drop_vars(["full", "reduced"], errors="ignore").rename("changed")

    def verdicts(self) -> pd.DataFrame:
        """Return the 3 x 3 tables, one row a cell: how many comparisons have this verdict in full and this reduced."""
        return self.counts["other"].to_dataframe(name="n").reset_index()

    def _found(self) -> str:
        rows = self.to_frame().query("size == size.min()")
        changed = span(rows["metric"], rows["changed"], map(share, rows["changed"]))
        pools = f"pools of {rows['size'].iloc[0]} documents without a group"
        return f"{pools} change {changed} of {self.n_comparisons:,} decisions"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and size: ``same``, ``reversed`` and ``changed`` (Piwowarski et al., Table V)."""
        table = xr.merge([self.same(), self.reversed(), self.changed()])
        return table.to_dataframe(dim_order=["metric", "size"]).reset_index()[
            ["metric", "size", "same", "reversed", "changed"]
        ]


def pool_sufficiency(  # noqa: PLR0913 - one keyword per choice
    collection: JudgedCollection,
    metrics: object,
    *,
    sizes: Sequence[int] = DEFAULT_SIZES,
    alpha: float = 0.05,
    rounds: Rounds = "documents",
    registry: Registry | None = None,
) -> PoolSufficiency:
    """Test for several pool sizes whether more judgments would change decisions about a group that is left out.

    Parameters
    ----------
    collection : JudgedCollection
        With groups, read with every retrieved document. Its current levels are the full judgments.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
    sizes : sequence of int
        Documents a topic, by rank-by-rank pooling.
    alpha : float
        Level of the two-sided paired t tests, uncorrected as published.
    rounds : {"documents", "results"}
        What each run adds to the pool in a round: its next document, or the document of its next result (of elements
        and passages), as at INEX 2005 and 2006.
    registry : Registry, optional
        Where metric names are looked up.

    Returns
    -------
    PoolSufficiency
        One row a ``metric`` and ``size`` of pools in ``to_frame()``: shares (0 to 1) of runs whose scores change
        significantly (``same``), and of comparisons with other groups' runs that are ``reversed``, or ``changed`` in
        any way.

    Raises
    ------
    InvalidOptionError
        If the collection has no groups, all pooled runs are of one group, an option is outside its rule, or the
        collection was read without the documents that have no judgment.
    EstimationError
        If a single topic has something relevant.
    UnknownNameError
        For a metric that is not known, or other `rounds`.

    See Also
    --------
    metaeval.resampling.leave_out.leave_group_out : every run with and without its group

    Notes
    -----
    Judgments A are all of them whatever the size, B those in the pool of n documents of the other groups' pooled runs
    (others are dropped). Section 5.2.1 and Table V of [1]_; that table counts as `other`
    the pairs whose order changed significantly, for which `reversed` is the strict and `changed` the wide reading.
    Every comparison of two runs of different groups is counted twice, once with each side's group left out.

    References
    ----------
    .. [1] Piwowarski, Trotman and Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM TOIS.
       :doi:`10.1145/1416950.1416951`
    """
    check_kind(collection, "collection", "JudgedCollection")
    check_share(alpha, "alpha")
    names, numbers = numbered_groups(collection)
    documents = collection.by_document
    depths = run_depths(documents, sizes=sizes, rounds=rounds)
    wanted = depths.table.index.to_numpy()
    chosen = resolve_metrics(metrics, registry=registry)
    by_group = entry_depths_by_group(documents, numbers, complete=True, rounds=rounds)
    counted = scored_topics(documents)
    if counted.sum() < _FEWEST:
        raise EstimationError("a paired t test needs two topics with a relevant document; there is one")
    full = metric_values(collection, chosen)[:, :, counted]
    same = np.zeros((len(chosen), len(wanted)), dtype=np.int64)
    comparisons = np.zeros((len(chosen), len(wanted), 3, 3), dtype=np.int64)
    first_of = numbers[: documents.n_systems]
    pooled = np.ones(documents.n_systems, dtype=bool) if documents.pooled is None else documents.pooled
    building = {*first_of[pooled].tolist(), *numbers[documents.n_systems :].tolist()}
    pieces = [[number] for number in range(len(names)) if number in building]
    pieces += [unpooled] if (unpooled := [number for number in range(len(names)) if number not in building]) else []
    shared = (collection, by_group, first_of, chosen, full, counted, float(alpha))
    for step, size in enumerate(wanted.tolist()):
        description = f"pools of {size} documents"
        done = parallel_map(_without_groups, pieces, [size] * len(pieces), shared=shared, description=description)
        left_out = np.empty_like(full)
        for groups, (reduced, cells) in zip(pieces, done, strict=True):
            left_out[:, np.isin(first_of, groups)] = reduced
            comparisons[:, step] += cells
        same[:, step] = _significant(t_of_change(full, left_out), full.shape[2], alpha).sum(axis=1)
    counts = xr.Dataset(
        {"same": (("metric", "size"), same), "other": (("metric", "size", "full", "reduced"), comparisons)},
        coords={
            "metric": [metric.name for metric in chosen],
            "size": wanted,
            "full": list(VERDICTS),
            "reduced": list(VERDICTS),
        },
    )
    short = [
        f"the pooled runs hold fewer than {size} documents in {n} topics"
        for size, n in depths.table["short"].items()
        if n
    ]
    return PoolSufficiency(
        counts=counts, n_runs=documents.n_systems, alpha=float(alpha), depths=depths, notes=tuple(short)
    )


def _without_groups(  # noqa: PLR0913, PLR0917 - what all groups share
    groups: list[int],
    size: int,
    collection: JudgedCollection,
    by_group: EntryDepthsByGroup,
    numbers: Ints,
    metrics: tuple[AnyMetric, ...],
    full: Floats,
    counted: Flags,
    alpha: float,
) -> tuple[Floats, Ints]:
    """Return the scores of the runs of groups in a pool of the others' documents, and what becomes of decisions.

    Groups go together that leave the same pool: one by one, or all that have no pooled run.
    """
    documents = collection.by_document
    entries = by_group.without(groups[0])
    left = entries.within(entries.depth_of_size(np.full(documents.n_topics, size)))[: documents.n_judgments]
    levels = np.where(left, documents.levels, np.int16(NOT_POOLED))
    reduced = metric_values(collection.rejudge(levels), metrics)[:, :, counted]
    signs = np.array([[1 if one.higher_is_better else -1] for one in metrics])
    cells = np.zeros((len(metrics), 3, 3), dtype=np.int64)
    for group in groups:
        mine, others = np.flatnonzero(numbers == group), np.flatnonzero(numbers != group)
        first, second = np.repeat(mine, len(others)), np.tile(others, len(mine))
        before, after = (1 - signs * _verdicts(one, first, second, alpha) for one in (full, reduced))
        for row, codes in enumerate(3 * before + after):
            cells[row] += np.bincount(codes, minlength=9).reshape(3, 3)
    return reduced[:, np.isin(numbers, groups)], cells


def _significant(statistic: Floats, n_topics: int, alpha: float) -> Flags:
    return is_significant(student_p(n_topics - 1, statistic, n_topics).p, alpha)


def _verdicts(values: Floats, first: Ints, second: Ints, alpha: float) -> Ints:
    """Return 1 where the first run has significantly higher values, -1 where the second has, else 0."""
    statistic = t_of_pairs(values, first, second)
    return np.where(_significant(statistic, values.shape[2], alpha), np.sign(statistic), 0).astype(np.int64)
