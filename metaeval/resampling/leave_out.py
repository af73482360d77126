"""Leaving a group out of the pool: whether the judgments would have been fair to runs that did not build them.

The pool is built again without the runs of one group, the judgments are restricted to it, and the group's own runs
are scored under what remains. What only that group contributed is then missing for it, as it would be for a new
system.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_kind, check_number, check_share
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.collection.documents import NOT_POOLED, Collection, JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.resampling.pool_depths import EntryDepths, EntryDepthsByGroup, entry_depths_by_group
from metaeval.resampling.pools import OriginalPool, original_pool
from metaeval.running.equality import RELATIVE, difference, reaches
from metaeval.running.workers import parallel_map
from metaeval.tests_stat.paired_t import paired_t_statistics
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import student_p

Keep = Literal["depth", "size"]
Baseline = Literal["judgments", "pool"]

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

WHOLE = 100.0
_NOISE = 1e-9
_FALLS = np.array([-100.0, -50.0, -20.0, -10.0, 0.0])  # a fall of exactly 10 % is in [-10, 0)
_RISES = np.array([10.0, 50.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupsLeftOut(Result):
    """Scores of every run with all judgments and with those without its group."""

    scores: xr.Dataset
    """Dims ``metric``, ``system`` and ``topic`` (those that `metaeval.score` counts); ``full`` and
    ``reduced``; coordinates ``group`` and ``pooled`` on ``system``, ``higher_is_better`` on ``metric``."""
    groups: pd.DataFrame
    """Index ``group``; ``runs`` and ``pooled_runs``, ``dropped`` and ``dropped_relevant`` (judged documents lost with
    it), ``emptied`` (topics with nothing relevant left) and ``judged_share`` of the pool without it (NaN where
    documents without judgment were not read)."""
    keep: Keep
    """What the pool without the group keeps."""
    baseline: Baseline = "judgments"
    """What the old score is under: all judgments, or those inside the pool that could be rebuilt."""
    pool_share: float = 100.0
    """How much of the rebuilt pool it starts from, in % of its documents."""
    original: OriginalPool
    """The pool of all pooled runs."""
    emptied: tuple[tuple[str, str], ...]
    """Where the group alone contributed every relevant document."""
    notes: tuple[str, ...]
    """What to know when reading the scores."""

    @property
    def n_outside(self) -> int:
        """Judged documents outside every pooled run's pool; under all judgments they are kept whoever is left out."""
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
        statistic = t_of_change(old, new)
        p_value = student_p(old.shape[2] - 1, statistic, old.shape[2]).p
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
        decided = tests["p_value"].where(tests["p_value"].isna(), is_significant(tests["p_value"].to_numpy(), alpha))
        counts = decided.groupby(tests["metric"], sort=False).agg(["sum", "count"])
        table = pd.DataFrame({"significant": counts["sum"], "not_significant": counts["count"] - counts["sum"]})
        return table.astype(np.int64).assign(share=table["significant"] / counts["count"].where(counts["count"] > 0))

    def _found(self) -> str:
        rows = self.significance()
        n_tested = rows["significant"] + rows["not_significant"]
        words = [f"{row.significant} under {row.Index}" for row in rows.itertuples()]
        runs = f"without its group's documents, of {n_tested.max()} runs"
        return f"{runs} {first_few(words)} change significantly, uncorrected"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, run and topic: the score under all judgments and under those left."""
        columns = ["metric", "system", "group", "topic", "full", "reduced"]
        return self.scores.to_dataframe(dim_order=["metric", "system", "topic"]).reset_index()[columns]


def leave_group_out(  # noqa: PLR0913 - one keyword per choice
    collection: JudgedCollection,
    metrics: object,
    *,
    keep: Keep = "depth",
    baseline: Baseline = "judgments",
    pool_share: float = 100.0,
    pool_depth: int | None = None,
    registry: Registry | None = None,
) -> GroupsLeftOut:
    r"""Score every run with the judgments that remain without its group's contribution to the pool.

    Parameters
    ----------
    collection : JudgedCollection
        With groups, and with marks of the pooled runs (all runs are taken for pooled where there are none). Its
        current levels are the full judgments, so a reduced pool can be the start.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
    keep : {"depth", "size"}
        The pool of the other runs keeps its depth, so that what only the group contributed is lost [1]_, or
        its number of documents, so that it reaches deeper into the other runs [2]_. Documents it
        then takes in that were never judged stay so, which ``groups["judged_share"]`` shows.
    baseline : {"judgments", "pool"}
        The old score is that under all judgments, of which those outside the rebuilt pool are kept whoever is left
        out; or, as in [3]_, that under the judgments inside the rebuilt pool, and all others are dropped from old and
        new alike.
    pool_share : float, default 100
        With ``baseline="pool"``, start from the shallowest pools with at least this many percent of the documents of
        the rebuilt one, and ask whether so few judgments would still serve new systems ([3]_, "Limitations").
    pool_depth : int, optional
        Depth to which the runs were pooled, where it is known; see `metaeval.resampling.pools.original_pool`. With
        it and ``keep="depth"`` a collection without unjudged documents will do.
    registry : Registry, optional
        Where metric names are looked up.

    Returns
    -------
    GroupsLeftOut
        One row a ``metric``, ``system`` (with its ``group``) and ``topic`` in ``to_frame()``: the score under ``full``
        judgments and ``reduced`` ones, in units of the metric. ``groups`` counts what is lost with each group.

    Raises
    ------
    InvalidOptionError
        If the collection has no groups, all pooled runs are of one group, the pool cannot be built, or a share of it
        is outside (0, 100] or below 100 with ``baseline="judgments"``.
    UnknownNameError
        For a metric, a rule to keep or a baseline that is not known.

    See Also
    --------
    metaeval.resampling.sufficiency.pool_sufficiency : the same for pools of several sizes

    Notes
    -----
    With ``baseline="judgments"``, judged documents outside the pool of all pooled runs are kept whoever is left out,
    since no group's absence would have hidden them; their number is ``n_outside``. The relative change of a score is

    .. math:: 100 \, (\text{new} - \text{old}) / \text{old}

    negative where the score fell; [3]_ (section "Leave-One-Out", Tables 8-10) has the other sign. Whole groups as in
    [4]_.

    References
    ----------
    .. [1] Zobel (1998). How reliable are the results of large-scale information retrieval experiments? SIGIR.
       :doi:`10.1145/290941.291014`
    .. [2] Piwowarski, Trotman and Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM TOIS.
       :doi:`10.1145/1416950.1416951`
    .. [3] Pal, Mitra and Kamps (2010). Evaluation effort, reliability and reusability in XML retrieval. JASIST.
       :doi:`10.1002/asi.21403`
    .. [4] Büttcher, Clarke, Yeung and Soboroff (2007). Reliable information retrieval evaluation with incomplete and
       biased judgements. SIGIR. :doi:`10.1145/1277741.1277755`

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2"], "2": ["d5"]}, "b": {"1": ["d2", "d3"], "2": ["d5"]}}
    >>> qrels = {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d5": 1}}
    >>> collection = collection_from_rankings(runs, qrels).with_groups({"a": "one", "b": "two"})
    >>> left = leave_group_out(collection, ["P@10"], pool_depth=2)
    >>> left.changes().to_numpy()
    array([[-50., -50.]])
    """
    check_kind(collection, "collection", "JudgedCollection")
    check_choice(keep, "rule for the pool without a group", get_args(Keep))
    check_choice(baseline, "baseline", get_args(Baseline))
    check_number(pool_share, "pool_share", above=0, most=100, unit="%")
    if pool_share < WHOLE and baseline != "pool":
        message = f"`pool_share={pool_share:g}` starts from a part of the rebuilt pool, so it needs `baseline='pool'`"
        raise InvalidOptionError(message)
    names, numbers = numbered_groups(collection)
    documents = collection.by_document
    chosen = resolve_metrics(metrics, registry=registry)
    original = original_pool(documents, pool_depth=pool_depth)
    by_group = entry_depths_by_group(documents, numbers, complete=keep == "size" or pool_share < WHOLE)
    sizes, start = original.n_documents, original.depths
    if pool_share < WHOLE:
        sizes = by_group.whole.per_topic(by_group.whole.within(start)) if original.known else sizes
        sizes = part_of_pool(sizes, pool_share)
        start = by_group.whole.depth_of_size(sizes)
    inside = by_group.whole.within(start)[: documents.n_judgments]
    counted = scored_topics(documents)
    if baseline == "pool":
        collection = collection.rejudge(np.where(inside, documents.levels, np.int16(NOT_POOLED)))
        documents = collection.by_document
    full = metric_values(collection, chosen)
    reduced, rows, emptied = full.copy(), [], []
    shared = (collection, chosen, numbers, by_group, start, sizes if keep == "size" else None, inside)
    done = parallel_map(_without_group, range(len(names)), shared=shared, description="leaving groups out")
    for number, (name, (values, lost, left, empty)) in enumerate(zip(names, done, strict=True)):
        mine = np.flatnonzero(numbers[: documents.n_systems] == number)
        reduced[:, mine] = full[:, mine] if values is None else values
        emptied += [(name, documents.topics[topic]) for topic in np.flatnonzero(empty & counted)]
        others = int((numbers[documents.n_systems :] == number).sum())
        rows.append(_group_row(documents, mine, others, lost, left, int((empty & counted).sum()), by_group.whole))
    return GroupsLeftOut(
        scores=_both_scores(collection, chosen, full[:, :, counted], reduced[:, :, counted], counted),
        groups=pd.DataFrame(rows, index=pd.Index(names, name="group")),
        keep=keep,
        baseline=baseline,
        pool_share=float(pool_share),
        original=original,
        emptied=tuple(emptied),
        notes=(*original.notes, *_left_out_notes(original, baseline, emptied, n_runs=len(collection.systems))),
    )


def _without_group(  # noqa: PLR0913, PLR0917 - what all groups share
    number: int,
    collection: JudgedCollection,
    metrics: tuple[AnyMetric, ...],
    numbers: Ints,
    by_group: EntryDepthsByGroup,
    start: Ints,
    sizes: Ints | None,
    inside: Flags,
) -> tuple[Floats | None, Flags, Flags, Flags]:
    """Leave one group out: the scores of its runs (None: as before), what is lost and left, and topics emptied."""
    documents = collection.by_document
    entries = by_group.without(number)
    left = entries.within(start if sizes is None else entries.depth_of_size(sizes))
    lost = inside & ~left[: documents.n_judgments]
    levels = np.where(lost, np.int16(NOT_POOLED), documents.levels)
    values = None
    if (levels != documents.levels).any():
        mine = np.flatnonzero(numbers[: documents.n_systems] == number)
        rejudged = collection.select(systems=[collection.systems[row] for row in mine]).rejudge(levels)
        values = metric_values(rejudged, metrics)
    return values, lost, left, (documents.n_relevant > 0) & (documents.rejudge(levels).n_relevant == 0)


def part_of_pool(sizes: Ints, percent: float) -> Ints:
    """Return so many percent of pools, in documents, rounded up."""
    return np.ceil(sizes * percent / WHOLE - _NOISE).astype(np.int64)


def tally_changes(changes: Floats) -> Ints:
    """Count relative changes (in %) in `CHANGE_INTERVALS`; NaN is a score that was 0 and is not any more.

    Examples
    --------
    >>> tally_changes(np.array([-50.0, -0.1, 0.0, 0.0, 10.0, 10.5, np.nan]))
    array([0, 0, 1, 0, 1, 2, 0, 2, 0, 1])
    """
    flat = np.ravel(changes)
    defined = flat[~np.isnan(flat)]
    size = 100.0 + np.abs(100.0 + defined)  # a fall of 10 %, often 10.000000000000002, is 90 less 100
    defined = difference(defined, 0.0, size, 0.0)
    zero = len(_FALLS)
    falls = reaches(defined[:, None], _FALLS, size[:, None]).sum(axis=1)
    rises = zero + 1 + reaches(defined[:, None], _RISES, size[:, None]).sum(axis=1)
    interval = np.where(defined < 0, falls, np.where(defined == 0, zero, rises))
    counted = np.bincount(interval, minlength=len(CHANGE_INTERVALS) - 1)
    return np.append(counted, len(flat) - len(defined))


def numbered_groups(collection: JudgedCollection) -> tuple[list[str], Ints]:
    """Return the groups in the order of their first runs, and every run's number.

    Pooled runs that are not scored follow the others; groups of those alone have numbers past the names.
    """
    if collection.groups is None:
        message = "the collection has no groups to leave out; name each run's group (`groups`)"
        raise InvalidOptionError(message)
    names = list(dict.fromkeys(collection.groups))
    number_of = {name: number for number, name in enumerate(names)}
    pool_runs = collection.by_document.pool_runs
    others = () if pool_runs is None else pool_runs.groups or ()
    numbers = np.array(
        [number_of.setdefault(name, len(number_of)) for name in (*collection.groups, *others)], dtype=np.int64
    )
    pooled = np.ones(len(collection.groups), dtype=bool) if collection.pooled is None else collection.pooled
    building = {name for name, is_pooled in zip(collection.groups, pooled, strict=True) if is_pooled} | {*others}
    if len(building) <= 1:
        raise InvalidOptionError(
            f"the pool was built by {'group ' + repr(*building) if building else 'no group'} alone, so nothing is "
            "left of it without; at least two groups must have a pooled run"
        )
    return names, numbers


def scored_topics(collection: Collection) -> Flags:
    """Return which topics count in a mean; refuse judgments with nothing relevant on any."""
    if not collection.has_relevant.any():
        raise InvalidOptionError("no topic has a relevant document (level above 0) in the judgments")
    return collection.counted


def _group_row(  # noqa: PLR0913, PLR0917 - the parts of a row
    collection: Collection, mine: Ints, others: int, lost: Flags, left: Flags, emptied: int, entries: EntryDepths
) -> dict[str, object]:
    judged = collection.judged
    in_pool = int(left.sum())
    return {
        "runs": len(mine),
        "pooled_runs": others + (len(mine) if collection.pooled is None else int(collection.pooled[mine].sum())),
        "dropped": int((lost & judged).sum()),
        "dropped_relevant": int((lost & (collection.levels > 0)).sum()),
        "emptied": emptied,
        "judged_share": (left[: len(judged)] & judged).sum() / in_pool if entries.complete and in_pool else np.nan,
    }


def _both_scores(
    collection: JudgedCollection, metrics: tuple[AnyMetric, ...], full: Floats, reduced: Floats, counted: Flags
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


def _left_out_notes(
    original: OriginalPool, baseline: Baseline, emptied: Sequence[tuple[str, str]], *, n_runs: int
) -> list[str]:
    notes = []
    if original.n_outside and baseline == "judgments":
        notes.append(
            f"{original.n_outside:,} judged documents outside every pooled run's pool are kept for all {n_runs} runs"
        )
    if emptied:
        examples = first_few(emptied, write=" on ".join)
        notes.append(
            f"{len(emptied):,} times a group alone contributed every relevant document of a topic, which counts 0 for "
            f"its runs ({examples})"
        )
    return notes


def t_of_pairs(values: Floats, first: Ints, second: Ints) -> Floats:
    """Return the paired t statistic of every pair of rows under every metric, (metric, pair).

    One call of the kernel serves all metrics; the tolerance of every pair is that of `Question.tolerance`.
    """
    n_metrics, n_rows, n_topics = values.shape
    rows = values.reshape(-1, n_topics)
    starts = n_rows * np.arange(n_metrics)[:, None]
    a, b = ((starts + side).ravel() for side in (first, second))
    sizes = np.abs(rows).sum(axis=1)
    return paired_t_statistics(rows, a, b, RELATIVE * (sizes[a] + sizes[b])).reshape(n_metrics, -1)


def t_of_change(old: Floats, new: Floats) -> Floats:
    """Return the paired t statistic over topics of every run's new scores against its old ones, (metric, run)."""
    rows = np.arange(old.shape[1])
    return t_of_pairs(np.concatenate([new, old], axis=1), rows, rows + len(rows))
