"""Leaving a group out of the pool: whether the judgments would have been fair to runs that did not build them.

The pool is built again without the runs of one group, the judgments are restricted to it, and the group's own runs
are scored under what remains. What only that group contributed is then missing for it, as it would be for a new
system.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtr

from metaeval.cells import first_few
from metaeval.checks import check_choice, check_share
from metaeval.collection.base import JudgedCollection
from metaeval.collection.documents import NOT_POOLED, Collection
from metaeval.equality import RELATIVE, at_least, difference
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.metrics.registry import Registry
from metaeval.metrics.score import metric_values, resolve_metrics
from metaeval.metrics.spec import AnyMetric
from metaeval.parallel import track
from metaeval.resampling.coverage import DEFAULT_SIZES, RunDepths, run_depths
from metaeval.resampling.entry_depths import EntryDepths, EntryDepthsByGroup, entry_depths_by_group
from metaeval.resampling.pools import OriginalPool, original_pool
from metaeval.tests_stat.paired_t import paired_t_statistics

__all__ = [
    "CHANGE_INTERVALS",
    "VERDICTS",
    "GroupsLeftOut",
    "Keep",
    "PoolSufficiency",
    "leave_group_out",
    "pool_sufficiency",
    "tally_changes",
]

Keep = Literal["depth", "size"]

CHANGE_INTERVALS = (
    "(-inf, -100)",
    "[-100, -50)",
    "[-50, -20)",
    "[-20, -10)",
    "[-10, 0)",
    "0",
    "(0, 10)",
    "[10, 50)",
    "[50, inf)",
    "old score 0",
)
"""Relative changes in %, new less old, in the intervals of Pal, Mitra and Kamps (2010), who write a fall as positive;
and what their tables had no case of: a fall of more than 100 % (a score that turned negative), and a score that was 0
and is not any more."""

VERDICTS = ("better", "similar", "worse")
_FALLS = np.array([-100.0, -50.0, -20.0, -10.0, 0.0])  # a fall of exactly 10 % is in [-10, 0)
_RISES = np.array([10.0, 50.0])
_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupsLeftOut:
    """Every run under all judgments and under those left without its group.

    Attributes
    ----------
    scores : xarray.Dataset
        Dims ``metric``, ``system`` and ``topic`` (those with something relevant in the full judgments); ``full`` and
        ``reduced``; coordinates ``group`` and ``pooled`` on ``system``, ``higher_is_better`` on ``metric``.
    groups : pandas.DataFrame
        Index ``group``; ``runs`` and ``pooled_runs``, ``dropped`` and ``dropped_relevant`` (judged documents lost
        with it), ``emptied`` (topics with nothing relevant left) and ``judged_share`` of the pool without it (NaN
        where documents without judgment were not read).
    keep : {"depth", "size"}
        What the pool without the group keeps.
    original : OriginalPool
        The pool of all pooled runs.
    emptied : tuple of (group, topic)
        Where the group alone contributed every relevant document.
    notes : tuple of str
        What to know when reading the scores.
    """

    scores: xr.Dataset
    groups: pd.DataFrame
    keep: Keep
    original: OriginalPool
    emptied: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def n_outside(self) -> int:
        """Judged documents outside every pooled run's pool; they are kept whoever is left out."""
        return self.original.n_outside

    def changes(self, *, per_topic: bool = False) -> xr.DataArray:
        """Return the relative change (new - old) / old in %, of mean scores or of every topic's.

        A score that was 0 and still is has change 0; one that was 0 and is not any more has NaN. A negative old
        score counts by its size, so that a positive change always means a larger value.
        """
        old, new = (self.scores[name] for name in ("full", "reduced"))
        if not per_topic:
            old, new = old.mean("topic"), new.mean("topic")
        old_size, new_size = (abs(self.scores[name]) for name in ("full", "reduced"))
        if not per_topic:
            old_size, new_size = old_size.mean("topic"), new_size.mean("topic")
        gained = xr.apply_ufunc(difference, new, old, new_size, old_size)
        something = xr.apply_ufunc(difference, old, 0.0, old_size, 0.0) != 0
        return (100.0 * gained / abs(old).where(something)).where(gained != 0, 0.0).rename("change")

    def distribution(self, *, per_topic: bool = False) -> pd.DataFrame:
        """Return how many changes lie in each of `CHANGE_INTERVALS`, a column for every metric.

        Overall, a run counts once (Pal et al., Table 8); per topic, every run and topic does (Table 9).
        """
        changes = self.changes(per_topic=per_topic).to_numpy()
        columns = {
            str(name): tally_changes(row) for name, row in zip(self.scores["metric"].values, changes, strict=True)
        }
        return pd.DataFrame(columns, index=pd.Index(CHANGE_INTERVALS, name="change in %"))

    def tests(self) -> pd.DataFrame:
        """Return one row a metric and run: mean scores, change in %, and the two-sided paired t test over topics.

        Change and statistic have one sign: positive where the score rose.
        """
        old, new = (self.scores[name].to_numpy() for name in ("full", "reduced"))
        statistic = _t_of_change(old, new)
        p_value = 2.0 * stdtr(old.shape[2] - 1, -np.abs(statistic))
        table = xr.Dataset(
            {
                "full": self.scores["full"].mean("topic"),
                "reduced": self.scores["reduced"].mean("topic"),
                "change": self.changes(),
                "statistic": (("metric", "system"), statistic),
                "p_value": (("metric", "system"), p_value),
            }
        )
        columns = ["metric", "system", "group", "pooled", *table.data_vars]
        return table.to_dataframe(dim_order=["metric", "system"]).reset_index()[columns]

    def significance(self, *, alpha: float = 0.05) -> pd.DataFrame:
        """Return for each metric how many runs changed significantly (Pal et al., Table 10); NaN on a single topic."""
        check_share(alpha, "alpha")
        tests = self.tests()
        decided = (tests["p_value"] <= alpha).where(tests["p_value"].notna()).astype(float)
        found = decided.groupby(tests["metric"], sort=False).agg(["sum", "count"])
        table = pd.DataFrame({"significant": found["sum"], "not_significant": found["count"] - found["sum"]})
        return table.astype(np.int64).assign(share=table["significant"] / found["count"].where(found["count"] > 0))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, run and topic: the score under all judgments and under those left."""
        columns = ["metric", "system", "group", "topic", "full", "reduced"]
        return self.scores.to_dataframe(dim_order=["metric", "system", "topic"]).reset_index()[columns]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoolSufficiency:
    """How often a pool of n documents without a group leads to other decisions about its runs.

    Attributes
    ----------
    counts : xarray.Dataset
        Dims ``metric``, ``size``, ``full`` and ``reduced`` (`VERDICTS`); ``same`` (metric, size): runs whose scores
        differ significantly under all judgments and under those of the pool without their group; ``other`` (metric,
        size, full, reduced): runs of the left-out group against every run of another group, by what the test says
        under all judgments and under those of the pool.
    n_runs : int
        Runs behind each count of ``same``.
    alpha : float
        Level of the paired t tests.
    depths : RunDepths
        How deep the pools (of all pooled runs) reach into the runs.
    notes : tuple of str
        What to know when reading the counts.
    """

    counts: xr.Dataset
    n_runs: int
    alpha: float
    depths: RunDepths
    notes: tuple[str, ...]

    @property
    def n_comparisons(self) -> int:
        """Comparisons behind each 3 x 3 table."""
        return int(self.counts["other"].isel(metric=0, size=0).sum())

    def same(self) -> xr.DataArray:
        """Return the share of runs whose score changed significantly, dims (metric, size)."""
        return (self.counts["same"] / self.n_runs).rename("same")

    def reversed(self) -> xr.DataArray:
        """Return the share of comparisons that turned from better to worse or back, dims (metric, size)."""
        other = self.counts["other"]
        turned = other.sel(full="better", reduced="worse") + other.sel(full="worse", reduced="better")
        return (turned / self.n_comparisons).drop_vars(["full", "reduced"], errors="ignore").rename("reversed")

    def changed(self) -> xr.DataArray:
        """Return the share of comparisons with another verdict of any kind, dims (metric, size)."""
        other = self.counts["other"]
        kept = sum(
            (other.sel(full=one, reduced=one, drop=True) for one in VERDICTS), start=xr.zeros_like(other[..., 0, 0])
        )
        return (1.0 - kept / self.n_comparisons).drop_vars(["full", "reduced"], errors="ignore").rename("changed")

    def verdicts(self) -> pd.DataFrame:
        """Return the 3 x 3 tables, one row a cell: how many comparisons have this verdict in full and this reduced."""
        return self.counts["other"].to_dataframe(name="n").reset_index()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and size: ``same``, ``reversed`` and ``changed`` (Piwowarski et al., Table V)."""
        table = xr.merge([self.same(), self.reversed(), self.changed()])
        return table.to_dataframe(dim_order=["metric", "size"]).reset_index()[
            ["metric", "size", "same", "reversed", "changed"]
        ]


def leave_group_out(
    collection: JudgedCollection,
    metrics: object,
    *,
    keep: Keep = "depth",
    pool_depth: int | None = None,
    registry: Registry | None = None,
) -> GroupsLeftOut:
    r"""Score every run under the judgments that would be there without its group's contribution to the pool.

    Parameters
    ----------
    collection : JudgedCollection
        With groups, and with marks of the pooled runs (all runs are taken for pooled where there are none). Its
        current levels are the full judgments, so a reduced pool can be the start.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
    keep : {"depth", "size"}
        The pool of the other runs keeps its depth, so that what only the group contributed is lost (Zobel 1998), or
        its number of documents, so that it reaches deeper into the other runs (Piwowarski et al. 2008). Documents it
        then takes in that were never judged stay so, which ``groups["judged_share"]`` shows.
    pool_depth : int, optional
        Depth to which the runs were pooled, where it is known; see `metaeval.resampling.pools.original_pool`. With
        it and ``keep="depth"`` a collection without unjudged documents will do.
    registry : Registry, optional
        Where metric names are looked up.

    Returns
    -------
    GroupsLeftOut

    Raises
    ------
    InvalidOptionError
        If the collection has no groups, all pooled runs are of one group, or the pool cannot be built.
    UnknownNameError
        For a metric, or a rule to keep, that is not known.

    Notes
    -----
    Judged documents outside the pool of all pooled runs are kept whoever is left out, since no group's absence would
    have hidden them; their number is ``n_outside``. The relative change of a score is

    .. math:: 100 \, (\text{new} - \text{old}) / \text{old}

    negative where the score fell; the paper has the other sign.

    Pal, Mitra and Kamps (2010, section "Leave-One-Out", Tables 8-10); Büttcher et al. (2007) for whole groups.

    Examples
    --------
    >>> from metaeval.collection.documents import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2"], "2": ["d5"]}, "b": {"1": ["d2", "d3"], "2": ["d5"]}}
    >>> qrels = {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d5": 1}}
    >>> collection = collection_from_rankings(runs, qrels).with_groups({"a": "one", "b": "two"})
    >>> left = leave_group_out(collection, ["P@10"], pool_depth=2)
    >>> left.changes().to_numpy()
    array([[-50., -50.]])
    """
    check_choice(keep, "rule for the pool without a group", get_args(Keep))
    names, numbers = _groups(collection)
    documents = collection.by_document
    chosen = resolve_metrics(metrics, registry=registry)
    original = original_pool(documents, pool_depth=pool_depth)
    by_group = entry_depths_by_group(documents, numbers, complete=keep == "size")
    inside = by_group.whole.within(original.depths)[: documents.n_judgments]
    counted = _counted(documents)
    full = metric_values(collection, chosen)
    reduced, rows, emptied = full.copy(), [], []
    for number, name in enumerate(track(names, description="leaving groups out")):
        mine = np.flatnonzero(numbers == number)
        entries = by_group.without(number)
        depths = original.depths if keep == "depth" else entries.depth_of_size(original.n_documents)
        left = entries.within(depths)
        lost = inside & ~left[: documents.n_judgments]
        levels = np.where(lost, np.int16(NOT_POOLED), documents.levels)
        if (levels != documents.levels).any():
            part = collection.select(systems=[collection.systems[row] for row in mine]).rejudge(levels)
            reduced[:, mine] = metric_values(part, chosen)
        empty = counted & _has_relevant(documents, documents.levels) & ~_has_relevant(documents, levels)
        emptied += [(name, documents.topics[topic]) for topic in np.flatnonzero(empty)]
        rows.append(_group_row(documents, mine, lost, left, int(empty.sum()), by_group.whole))
    return GroupsLeftOut(
        scores=_both_scores(collection, chosen, full[:, :, counted], reduced[:, :, counted], counted),
        groups=pd.DataFrame(rows, index=pd.Index(names, name="group")),
        keep=keep,
        original=original,
        emptied=tuple(emptied),
        notes=(*original.notes, *_left_out_notes(original, emptied, n_runs=len(collection.systems))),
    )


def pool_sufficiency(
    collection: JudgedCollection,
    metrics: object,
    *,
    sizes: Sequence[int] = DEFAULT_SIZES,
    alpha: float = 0.05,
    registry: Registry | None = None,
) -> PoolSufficiency:
    """Ask for several pool sizes whether judging more would change decisions about a group that is left out.

    Parameters
    ----------
    collection : JudgedCollection
        With groups, read with every retrieved document. Its current levels are the full judgments.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
    sizes : sequence of int
        Documents a topic, by rank-by-rank pooling.
    alpha : float
        Level of the two-sided paired t tests, uncorrected as published.
    registry : Registry, optional
        Where metric names are looked up.

    Returns
    -------
    PoolSufficiency

    Raises
    ------
    InvalidOptionError
        If the collection has no groups, all pooled runs are of one group, an option is outside its rule, or the
        collection was read without the documents that have no judgment.
    EstimationError
        If a single topic has something relevant.
    UnknownNameError
        For a metric that is not known.

    Notes
    -----
    Judgments A are all of them whatever the size, B those in the pool of n documents of the other groups' pooled runs
    (others are dropped). Piwowarski, Trotman and Lalmas (2008), section 5.2.1, Table V; that table counts as `other`
    the pairs whose order changed significantly, for which `reversed` is the strict and `changed` the wide reading.
    Every comparison of two runs of different groups is counted twice, once with each side's group left out.
    """
    check_share(alpha, "alpha")
    _, numbers = _groups(collection)
    documents = collection.by_document
    depths = run_depths(documents, sizes=sizes)
    wanted = depths.table.index.to_numpy()
    chosen = resolve_metrics(metrics, registry=registry)
    by_group = entry_depths_by_group(documents, numbers, complete=True)
    counted = _counted(documents)
    if counted.sum() < _FEWEST:
        message = "a paired t test needs two topics with a relevant document; there is one"
        raise EstimationError(message)
    full = metric_values(collection, chosen)[:, :, counted]
    signs = np.array([[1 if one.higher_is_better else -1] for one in chosen])
    same = np.zeros((len(chosen), len(wanted)), dtype=np.int64)
    other = np.zeros((len(chosen), len(wanted), 3, 3), dtype=np.int64)
    for step, size in enumerate(wanted.tolist()):
        left_out = np.empty_like(full)
        for mine, reduced in _without_each_group(collection, by_group, numbers, size, chosen):
            left_out[:, mine] = reduced[:, mine][:, :, counted]
            others = np.setdiff1d(np.arange(len(numbers)), mine)
            first, second = np.repeat(mine, len(others)), np.tile(others, len(mine))
            before, after = (1 - signs * _verdicts(one, first, second, alpha) for one in (full, reduced[:, :, counted]))
            for row, cells in enumerate(3 * before + after):
                other[row, step] += np.bincount(cells, minlength=9).reshape(3, 3)
        same[:, step] = _significant(_t_of_change(full, left_out), full.shape[2], alpha).sum(axis=1)
    counts = xr.Dataset(
        {"same": (("metric", "size"), same), "other": (("metric", "size", "full", "reduced"), other)},
        coords={
            "metric": [one.name for one in chosen],
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
    return PoolSufficiency(counts=counts, n_runs=len(numbers), alpha=float(alpha), depths=depths, notes=tuple(short))


def tally_changes(changes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count relative changes (in %) in `CHANGE_INTERVALS`; NaN is a score that was 0 and is not any more.

    Examples
    --------
    >>> tally_changes(np.array([-50.0, -0.1, 0.0, 0.0, 10.0, 10.5, np.nan]))
    array([0, 0, 1, 0, 1, 2, 0, 2, 0, 1])
    """
    flat = np.ravel(changes)
    found = flat[~np.isnan(flat)]
    size = 100.0 + np.abs(100.0 + found)  # a fall of 10 %, often 10.000000000000002, is 90 less 100
    found = difference(found, 0.0, size, 0.0)
    zero = len(_FALLS)
    falls = at_least(found[:, None], _FALLS, size[:, None]).sum(axis=1)
    rises = zero + 1 + at_least(found[:, None], _RISES, size[:, None]).sum(axis=1)
    place = np.where(found < 0, falls, np.where(found == 0, zero, rises))
    counted = np.bincount(place, minlength=len(CHANGE_INTERVALS) - 1)
    return np.append(counted, len(flat) - len(found))


def _groups(collection: JudgedCollection) -> tuple[list[str], NDArray[np.int64]]:
    """Return the groups in the order of their first runs, and every run's number."""
    if collection.groups is None:
        message = "the collection has no groups to leave out; name each run's group (with_groups, --groups)"
        raise InvalidOptionError(message)
    names = list(dict.fromkeys(collection.groups))
    place = {name: number for number, name in enumerate(names)}
    numbers = np.array([place[name] for name in collection.groups], dtype=np.int64)
    pooled = np.ones(len(numbers), dtype=bool) if collection.pooled is None else collection.pooled
    building = {names[number] for number in numbers[pooled]}
    if len(building) <= 1:
        message = (
            f"the pool was built by {'group ' + repr(*building) if building else 'no group'} alone, so nothing is "
            "left of it without; at least two groups must have a pooled run"
        )
        raise InvalidOptionError(message)
    return names, numbers


def _without_each_group(
    collection: JudgedCollection,
    by_group: EntryDepthsByGroup,
    numbers: NDArray[np.int64],
    size: int,
    metrics: tuple[AnyMetric, ...],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Yield the runs of each group, and the scores of all runs in a pool of so many documents of the others."""
    documents = collection.by_document
    wanted = np.full(documents.n_topics, size)
    untouched = None  # groups without a pooled run all leave the same pool
    for number in track(range(int(numbers.max()) + 1), description=f"pools of {size} documents"):
        mine = np.flatnonzero(numbers == number)
        pooled = documents.pooled is None or bool(documents.pooled[mine].any())
        if not pooled and untouched is not None:
            yield mine, untouched
            continue
        entries = by_group.without(number)
        left = entries.within(entries.depth_of_size(wanted))[: documents.n_judgments]
        levels = np.where(left, documents.levels, np.int16(NOT_POOLED))
        reduced = metric_values(collection.rejudge(levels), metrics)
        untouched = untouched if pooled else reduced
        yield mine, reduced


def _counted(collection: Collection) -> NDArray[np.bool_]:
    counted = _has_relevant(collection, collection.full_levels)
    if not counted.any():
        message = "no topic has a relevant document (level above 0) in the judgments"
        raise InvalidOptionError(message)
    return counted


def _has_relevant(collection: Collection, levels: NDArray[np.int16]) -> NDArray[np.bool_]:
    return np.bincount(collection.topic_of_judgment[levels > 0], minlength=collection.n_topics) > 0


def _group_row(  # noqa: PLR0913, PLR0917 - the parts of a row
    collection: Collection,
    mine: NDArray[np.int64],
    lost: NDArray[np.bool_],
    left: NDArray[np.bool_],
    emptied: int,
    entries: EntryDepths,
) -> dict[str, object]:
    judged = collection.judged
    in_pool = int(left.sum())
    return {
        "runs": len(mine),
        "pooled_runs": len(mine) if collection.pooled is None else int(collection.pooled[mine].sum()),
        "dropped": int((lost & judged).sum()),
        "dropped_relevant": int((lost & (collection.levels > 0)).sum()),
        "emptied": emptied,
        "judged_share": (left[: len(judged)] & judged).sum() / in_pool if entries.complete and in_pool else np.nan,
    }


def _both_scores(
    collection: JudgedCollection,
    metrics: tuple[AnyMetric, ...],
    full: NDArray[np.float64],
    reduced: NDArray[np.float64],
    counted: NDArray[np.bool_],
) -> xr.Dataset:
    dims = ("metric", "system", "topic")
    pooled = np.ones(len(collection.systems), dtype=bool) if collection.pooled is None else collection.pooled
    return xr.Dataset(
        {"full": (dims, full), "reduced": (dims, reduced)},
        coords={
            "metric": [one.name for one in metrics],
            "system": list(collection.systems),
            "topic": [name for name, one in zip(collection.topics, counted, strict=True) if one],
            "group": ("system", list(collection.groups or ())),
            "pooled": ("system", pooled),
            "higher_is_better": ("metric", [one.higher_is_better for one in metrics]),
        },
    )


def _left_out_notes(original: OriginalPool, emptied: Sequence[tuple[str, str]], *, n_runs: int) -> list[str]:
    notes = []
    if original.n_outside:
        notes.append(
            f"{original.n_outside} judged documents outside every pooled run's pool are kept for all {n_runs} runs"
        )
    if emptied:
        shown = first_few(emptied, write=" on ".join)
        notes.append(
            f"{len(emptied)} times a group alone contributed every relevant document of a topic, which counts 0 for "
            f"its runs ({shown})"
        )
    return notes


def _t_statistics(
    values: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the paired t statistic of every pair of rows under every metric, (metric, pair).

    One call of the kernel serves all metrics; the tolerance of every pair is that of `Question.tolerance`.
    """
    n_metrics, n_rows, n_topics = values.shape
    rows = values.reshape(-1, n_topics)
    starts = n_rows * np.arange(n_metrics)[:, None]
    a, b = ((starts + side).ravel() for side in (first, second))
    sizes = np.abs(rows).sum(axis=1)
    return paired_t_statistics(rows, a, b, RELATIVE * (sizes[a] + sizes[b])).reshape(n_metrics, -1)


def _t_of_change(old: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the paired t statistic over topics of every run's new scores against its old ones, (metric, run)."""
    rows = np.arange(old.shape[1])
    return _t_statistics(np.concatenate([new, old], axis=1), rows, rows + len(rows))


def _significant(statistic: NDArray[np.float64], n_topics: int, alpha: float) -> NDArray[np.bool_]:
    return 2.0 * stdtr(n_topics - 1, -np.abs(statistic)) <= alpha


def _verdicts(
    values: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64], alpha: float
) -> NDArray[np.int64]:
    """Return 1 where the first run has significantly higher values, -1 where the second has, else 0."""
    statistic = _t_statistics(values, first, second)
    return np.where(_significant(statistic, values.shape[2], alpha), np.sign(statistic), 0).astype(np.int64)
