"""How well every metric agrees with people over several tasks, which of two does better, and how far above chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.drawn_intervals import ends_of
from metaeval.agreement.items import FEWEST, reference_of
from metaeval.agreement.meta_cells import cells_of_set
from metaeval.agreement.meta_chance import Chance, chance_of, compare_with_chance, near_limit
from metaeval.agreement.meta_exchanges import (
    SENTINELS,
    Exchange,
    Found,
    MetaOptions,
    Resample,
    measure_task,
)
from metaeval.agreement.meta_tasks import MEASURES, MetaTask, check_tasks, parse_tasks
from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice, check_count, check_share, refused, t_half_width
from metaeval.base.names import first_few, natural_order
from metaeval.base.results import Figure, Result
from metaeval.base.words import bracketed, number
from metaeval.errors import ScoresError
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import reaches
from metaeval.running.parallel import in_one_order
from metaeval.running.workers import parallel_map
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.letters import letter_names, shared_letters
from metaeval.tests_stat.result import is_significant

AVERAGE = "average"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetaMetrics(Result):
    """Agreement of every metric with people in every task, and on average."""

    table: pd.DataFrame
    """See `to_frame`."""
    average: pd.DataFrame
    """One row a metric that every task has, best first: ``metric``, ``value``, ``n_items`` (of the task with the
    fewest), ``low``, ``high``, ``rank``,
    ``letters``, ``chance``, ``chance_high``, ``p_chance``, ``p_chance_error``, ``above_chance``."""
    pairs: pd.DataFrame
    """One row a task (the last is "average") and pair of metrics, the better one first: ``task``, ``metric_a``,
    ``metric_b``, ``difference``, ``p`` (one-sided), ``p_corrected``."""
    sentinels: pd.DataFrame
    """One row a task and made-up metric, or other human score: ``task``, ``metric``, ``value``, ``n_items``."""
    tasks: pd.DataFrame
    """One row a task: ``task``, ``measure``, ``level``, ``group``, ``sets``, ``weight`` (all sum to 1), ``n_metrics``,
    ``n_systems``, ``n_items`` (with human scores), ``n_cells``, ``n_clusters``, ``exchange``."""
    resampled: Mapping[str, pd.DataFrame]
    """The measure of every metric (columns) on resampled clusters, by task."""
    correction: str
    alpha: float
    confidence_level: float
    n_resamples: int
    n_shuffles: int
    """How often scores were shuffled, for chance."""
    all_shuffles: bool
    """Whether these are all the ways to shuffle."""
    resample: Resample
    over: str
    as_published: bool
    random_source: str

    def _found(self) -> str:
        rows = self.lead()
        best = rows.iloc[0]
        figure = bracketed(best["value"], best["low"], best["high"], number(3))
        open_best = rows.loc[rows["rank"] == rows["rank"].iloc[0], "metric"].tolist()
        if len(open_best) > 1:
            return f"none of {first_few(open_best)} agrees significantly best with people: {open_best[0]} {figure}"
        return f"{rows['metric'].iloc[0]} agrees best with people: {figure}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a task and metric, best first, the rows of the average last.

        The columns are ``task``, ``metric``, ``value``, ``n_items`` (that it rests on), ``n_ordered`` (on which the
        metric gives not all systems one score; with one or two there is no verdict about chance, with none it is never
        above), ``low``, ``high``, ``rank`` (clusters of metrics), ``letters`` (metrics that share one are not
        significantly different after correction; what could be compared with no other has none), ``chance`` and
        ``chance_high`` (mean and 97.5 % quantile of the metric's scores shuffled over the systems of each item),
        ``p_chance`` (share of shuffles that reach the value) and its Monte-Carlo ``p_chance_error``, ``above_chance``
        (whether that share is .025 at most), ``threshold`` of ties and ``other_half`` (value with the threshold of the
        other half of the items) where one is fitted, ``error`` where the value itself is drawn.
        """
        return pd.concat([self.table, self.average.assign(task=AVERAGE)], ignore_index=True)

    def _draw(self) -> Figure:
        """Draw the average of every metric with its interval, best first."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        label = "average agreement with people" if self.is_averaged() else "agreement with people"
        return agreement_dots(self.lead().rename(columns={"metric": "name"}), label=label)

    def is_averaged(self) -> bool:
        """Whether averages over tasks lead: there are several tasks, and metrics that have all of them."""
        return len(self.tasks) > 1 and len(self.average) > 0

    def lead(self) -> pd.DataFrame:
        """Return the averages where they lead, else the rows of the first task, whose values are as measured."""
        return self.average if self.is_averaged() else self.table[self.table["task"] == self.tasks["task"].iloc[0]]

    def lead_pairs(self) -> pd.DataFrame:
        """Return the comparisons of what leads."""
        return self.task_pairs(AVERAGE if self.is_averaged() else str(self.tasks["task"].iloc[0]))

    def matrix(self) -> pd.DataFrame:
        """Return the values with a row a metric, best on average first, and a column a task."""
        wide = self.table.pivot(index="metric", columns="task", values="value")  # noqa: PD010 - keeps NaN
        return wide.reindex(index=self.order(), columns=self.tasks["task"].tolist())

    def order(self) -> list[str]:
        """Return all metrics, best on average first, then those that not every task has."""
        return list(dict.fromkeys([*self.average["metric"], *self.table["metric"]]))

    def task_pairs(self, task: str = AVERAGE) -> pd.DataFrame:
        """Return the comparisons of one task."""
        check_choice(task, "task", [*self.tasks["task"], AVERAGE])
        return self.pairs[self.pairs["task"] == task].drop(columns="task").reset_index(drop=True)


@in_one_order
def meta_metrics(  # noqa: PLR0913 - every option is one question
    scores: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    tasks: str | Sequence[str] | Sequence[MetaTask] = "spa, acc_eq, pearson:item",
    reference: str | None = None,
    ceiling: Sequence[str] = (),
    over: Literal["all", "common"] = "all",
    exchange: Exchange = "clusters",
    resample: Resample = "items",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    n_flips: int = 10_000,
    n_chance: int = 1000,
    as_published: bool = False,
    rng: RNGLike = None,
) -> MetaMetrics:
    r"""Measure the agreement of metrics with people as the metrics tasks of WMT do, over several tasks.

    Parameters
    ----------
    scores : DataArray (metric, system, item), or mapping of set to DataArray
        From `item_scores`, a set for each language pair, data set or aspect. A coordinate ``system_score``
        (metric, system) holds scores of systems that are no means of items, such as BLEU of a whole text.
    tasks : str or sequence
        ``MEASURE:LEVEL:GROUP``, by comma, each for every set. Measures: accuracy (over the pairs of systems of all sets
        together), pearson, spearman, kendall (of systems, or ``:item``: over all cells; ``:item:item`` and
        ``:item:system``: mean over items, or over systems), spa, acc_eq, tau_eq, pairwise_pearson.
    reference : str, optional
        The human scores; by default what `item_scores` noted.
    ceiling : sequence of str
        Other human scores among the metrics: how well they agree with `reference` is shown beside the made-up metrics,
        where they have all cells that people scored.
    over : {"all", "common"}
        What a metric's score of a system is: that given, or its mean over all items, as in the metrics tasks; or its
        mean over the items that people scored.
    exchange : {"clusters", "items", "cells", "systems", "published"}
        What two metrics exchange under the null hypothesis; "published" is what the metrics tasks do. Correlations and
        accuracy of systems exchange systems where "clusters" is asked for.
    resample : {"items", "systems", "both"}
        What the intervals ask about: other items (clusters, where there are some), other systems, or both.
    correction : str
        Over the pairs of metrics of a task; the ranks are those of uncorrected p, as they are printed.
    alpha, confidence_level : float
    n_resamples : int
        Resamples, and exchanges of every pair of metrics.
    n_flips : int
        Sign flips that the p-values of ``spa`` are shares of.
    n_chance : int
        Shuffles that chance is estimated from, more where they do not decide; all ways to shuffle where these are no
        more.
    as_published : bool
        Whether ``acc_eq`` and ``tau_eq`` see ties as the metrics tasks did, between numbers that are the same in a
        computer: 1.1 and 0.6 + 0.5 tie, 0.3 and 0.1 + 0.2 do not. By default both are ties. Also whether p of ``spa``
        counts ties of flips whole, by the order of systems, and whether items (or systems) on which a metric gives one
        score to all are left out of its mean correlation; by default its agreement there is 0.
    rng : None, int or Generator

    Returns
    -------
    MetaMetrics
        One row a ``task`` and ``metric`` in ``to_frame()``, best first, those of the average over tasks last: ``value``
        with ``low`` and ``high``, ``rank`` and ``letters``, and what chance gives; see `MetaMetrics.to_frame`. Missing
        is what a task, or the average, does not have.

    Raises
    ------
    ScoresError
        If a metric lacks a cell that people scored, people scored fewer than two systems, or no metric is left.
    EstimationError
        If a task cannot exchange what was asked for.
    InvalidOptionError, UnknownNameError
        For an option, task or set that does not exist.

    See Also
    --------
    metaeval.agreement.human.human_agreement : one statistic, with what each metric lacks left out

    Notes
    -----
    - ``spa`` [1]_: :math:`1 - \overline{|p_h - p_m|}` over pairs of systems, p the share of sign flips of the
      differences on items whose sum reaches that observed; all pairs, metrics and people share the flips. Flips with
      just that sum count half (mid-p), so that the order of two systems does not matter; as published they count whole.
    - ``acc_eq`` [2]_: share of the pairs of systems on an item that a metric orders or ties as people do, mean over
      items; differences up to a threshold are ties, the one that makes the mean largest (the least such). It is fitted
      to the people that the metric is judged by; ``other_half`` is not. ``tau_eq`` is :math:`2\,acc - 1`.
    - ``pairwise_pearson``: correlation of the differences of all pairs of systems within items, in both orders.
    - ``accuracy`` [3]_: a pair that people tie agrees only if the metric ties it.

    Two metrics are compared by exchanging their standardised scores [4]_, verdicts for ``acc_eq``;
    p = (k + 1)/(B + 1), one-sided for the better one. The published exchange of verdicts takes the pairs of an item for
    independent and calls equal metrics different three to four times too often; clusters are sound for the systems at
    hand, systems for others too (``benchmarks/reports/metric-exchange.md``). Tasks of one set share the exchanges, so
    that averages can be compared. A rank is a cluster of metrics: a new one begins with the first metric that one of
    the current cluster beats. Intervals over items are :math:`v \pm t_{n-1} d \sqrt{n/(n-1)}`, d the root mean square
    distance of the resamples; over systems the jackknife. In draws, spa takes p by the normal distribution, and
    thresholds of ties and ranks of Spearman's rho stay as they are.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024). Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy. WMT.
    .. [2] Deutsch, Foster and Freitag (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and
       tie calibration. EMNLP.
    .. [3] Kocmi et al. (2021). To ship or not to ship. WMT.
    .. [4] Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
       methods. TACL. :doi:`10.1162/tacl_a_00417`

    Examples
    --------
    >>> from metaeval.agreement.items import item_scores
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6)[:, None] + rng.normal(0, 2, (6, 40))
    >>> cells = {"human": human, "good": human + rng.normal(0, 1, (6, 40)), "poor": rng.normal(0, 1, (6, 40))}
    >>> names = {"system": np.repeat(list("abcdef"), 40), "item": np.tile(np.arange(40), 6)}
    >>> frame = pd.DataFrame(names | {name: part.ravel() for name, part in cells.items()})
    >>> found = meta_metrics(item_scores(frame, reference="human"), tasks="spa, acc_eq", n_resamples=99, rng=0)
    >>> found.average[["metric", "value", "rank"]].round(2).to_dict("records")
    [{'metric': 'good', 'value': 0.93, 'rank': 1}, {'metric': 'poor', 'value': 0.48, 'rank': 2}]
    """
    sets = dict(scores) if isinstance(scores, Mapping) else {"": scores}
    if not sets:
        raise ScoresError("there is no set of scores")
    check_choice(over, "system score (`over`)", ("all", "common"))
    check_choice(exchange, "exchange", ("published", "clusters", "items", "cells", "systems"))
    check_choice(resample, "way to resample", ("items", "systems", "both"))
    check_share(alpha, "alpha")
    check_share(confidence_level, "confidence_level")
    for requested, name in ((n_resamples, "n_resamples"), (n_flips, "n_flips")):
        check_count(requested, name, least=1)
    check_count(n_chance, "n_chance", least=0)
    correction = CORRECTIONS.canonical(correction)
    chosen = _tasks(tasks, list(sets))
    seed = resolve_seed(rng)
    named = {test_set: scores for test_set, scores in sets.items() if any(test_set in task.sets for task in chosen)}
    for name in ceiling:
        others = {
            str(m)
            for test_set in named.values()
            for m in test_set["metric"].to_numpy()
            if m != reference_of(test_set, reference)
        }
        check_choice(name, "other human scores (`ceiling`)", natural_order(others))
    cells = {
        test_set: cells_of_set(
            test_set, table, reference_of(table, reference), over=over, as_published=as_published, ceiling=ceiling
        )
        for test_set, table in named.items()
    }
    asked = MetaOptions(cells, tuple(chosen), seed, n_resamples, n_flips, exchange, resample)
    done = parallel_map(measure_task, list(range(len(chosen))), shared=(asked,), description="tasks")
    chance = chance_of(asked, n_chance, partial(_undecided, asked, done))
    return _result(asked, done, chance, correction, alpha, confidence_level, over, ceiling)


def _tasks(tasks: str | Sequence[str] | Sequence[MetaTask], sets: Sequence[str]) -> list[MetaTask]:
    if not isinstance(tasks, str) and tasks and all(isinstance(task, MetaTask) for task in tasks):
        chosen = [task for task in tasks if isinstance(task, MetaTask)]
        check_tasks(chosen, sets)
    elif isinstance(tasks, str) or all(isinstance(task, str) for task in tasks):
        chosen = parse_tasks([str(task) for task in tasks] if not isinstance(tasks, str) else tasks, sets)
    else:
        raise refused("tasks", "must be names of measures, such as 'spa, acc_eq'", tasks)
    names = [task.name for task in chosen]
    if len({*names}) < len(names):
        raise refused("tasks", "must be different from one another", names)
    return chosen


# -------------------------------------------------------------------------------------------------------- the result


def _result(  # noqa: PLR0913, PLR0917 - what was asked and found
    asked: MetaOptions,
    found: Sequence[Found],
    chance: Chance,
    correction: str,
    alpha: float,
    confidence_level: float,
    over: str,
    ceiling: Sequence[str],
) -> MetaMetrics:
    tables, pairs = [], []
    for task, outcome, shuffled in zip(asked.tasks, found, chance.tasks, strict=True):
        low = MEASURES[task.measure].low
        of_chance = compare_with_chance(outcome.columns["value"], shuffled, exact=chance.exact)
        columns = dict(outcome.columns) | _decided(
            of_chance, outcome.columns["n_ordered"], task, _orders(asked, task, outcome)
        )
        spread = _spread(outcome.drawn, outcome.jackknife, outcome.n_units)
        columns |= _ends(outcome.columns["value"], spread, confidence_level, low)
        table, compared = _ranked(outcome.metrics, columns, outcome.hybrids, outcome.observed, correction, alpha)
        tables.append(table.assign(task=task.name))
        pairs.append(compared.assign(task=task.name))
    average, compared = _average(asked, found, chance, (correction, alpha, confidence_level))
    pairs.append(compared.assign(task=AVERAGE))
    sentinels = pd.DataFrame(
        [
            {"task": task.name, "metric": name, "value": value, "n_items": n_items}
            for task, outcome in zip(asked.tasks, found, strict=True)
            for name, value, n_items in zip(
                [*SENTINELS, *ceiling], outcome.sentinels, outcome.sentinel_items, strict=True
            )
        ]
    )
    first = [
        "task",
        "metric",
        "value",
        "n_items",
        "n_ordered",
        "low",
        "high",
        "rank",
        "letters",
        "chance",
        "chance_high",
        "p_chance",
        "p_chance_error",
        "above_chance",
    ]
    table = pd.concat(tables, ignore_index=True)
    return MetaMetrics(
        table=table[[*first, "threshold", "other_half", "error"]],
        average=average[[name for name in first[1:] if name != "n_ordered"]],
        pairs=pd.concat(pairs, ignore_index=True)[["task", "metric_a", "metric_b", "difference", "p", "p_corrected"]],
        sentinels=sentinels,
        tasks=_task_table(asked, found, _weights(asked)),
        resampled=MappingProxyType(
            {
                task.name: pd.DataFrame(outcome.drawn + outcome.columns["value"], columns=list(outcome.metrics))
                for task, outcome in zip(asked.tasks, found, strict=True)
                if outcome.drawn is not None
            }
        ),
        correction=correction,
        alpha=float(alpha),
        confidence_level=float(confidence_level),
        n_resamples=int(asked.n_resamples),
        n_shuffles=len(chance.tasks[0]),
        all_shuffles=chance.exact,
        resample=asked.resample,
        over=over,
        as_published=all(cells.as_published for cells in asked.cells.values()),
        random_source=f"seed {asked.seed}",
    )


def _orders(asked: MetaOptions, task: MetaTask, outcome: Found) -> Flags:
    """Say which metrics give not all systems one score: on some item, or of systems where these are compared."""
    on_items = np.asarray(outcome.columns["n_ordered"]) > 0
    if task.level == "item":
        return on_items
    return on_items | np.any([np.ptp(cells.metric_means, axis=1) > 0.0 for cells in asked.of(task)], axis=0)


def _decided(columns: Mapping[str, Any], n_ordered: Floats, task: MetaTask, orders: Flags) -> dict[str, Any]:
    """Return what is said beside chance, without a verdict on metrics that order systems on hardly any item."""
    few = (n_ordered < FEWEST) & (n_ordered > 0) & (task.level == "item")
    gone = {name: np.where(few, np.nan, columns[name]) for name in ("p_chance", "p_chance_error")}
    return _never_above({**columns, **gone, "above_chance": np.where(few, None, columns["above_chance"])}, orders)


def _never_above(columns: Mapping[str, Any], orders: Flags) -> dict[str, Any]:
    """Return the same with p 1 where a metric gives all systems one score, as every shuffle of that is the same."""
    flat = ~orders & np.isfinite(columns["p_chance"])
    sure = {"p_chance": 1.0, "p_chance_error": 0.0, "above_chance": False}
    return {**columns} | {name: np.where(flat, value, columns[name]) for name, value in sure.items()}


def _task_table(asked: MetaOptions, found: Sequence[Found], weights: Floats) -> pd.DataFrame:
    rows = []
    for task, measured, weight in zip(asked.tasks, found, weights, strict=True):
        every = asked.of(task)
        judged = [cells.there.any(axis=0) for cells in every]
        rows.append(
            {
                "task": task.name,
                "measure": task.measure,
                "level": task.level,
                "group": task.group,
                "sets": ",".join(task.sets),
                "weight": weight,
                "n_metrics": len(measured.metrics),
                "n_systems": sum(len(cells.systems) for cells in every),
                "n_items": int(sum(measured.sum() for measured in judged)),
                "n_cells": int(sum(cells.there.sum() for cells in every)),
                "n_clusters": sum(len(np.unique(cells.clusters[at])) for cells, at in zip(every, judged, strict=True)),
                "exchange": measured.unit,
            }
        )
    return pd.DataFrame(rows)


def _spread(drawn: Floats | None, jackknife: Mapping[str, Floats], n: int) -> tuple[Floats, int] | None:
    """Return the standard error of the measure of every metric and the fewest units behind it; None where unknown."""
    variance: Floats | float = 0.0
    units = []
    if drawn is not None:
        if n < 2 or len(drawn) < 2:  # noqa: PLR2004 - a standard deviation
            return None
        with np.errstate(invalid="ignore"):
            variance = variance + np.nanmean(np.where(np.isfinite(drawn).any(axis=0), drawn, 0.0) ** 2, axis=0) * n / (
                n - 1
            )
        units.append(n)
    for of_set in jackknife.values():
        n = len(of_set)
        variance = variance + (of_set**2).sum(axis=0) * (n - 1) / n
        units.append(n)
    return (np.sqrt(variance), min(units)) if units else None


def _ends(value: Floats, spread: tuple[Floats, int] | None, confidence_level: float, low: float) -> dict[str, Floats]:
    if spread is None:
        return {"low": np.full(len(value), np.nan), "high": np.full(len(value), np.nan)}
    half = t_half_width(spread[0], spread[1], confidence_level)
    ends = ends_of(value, half, np.array(spread[1]), np.array(low), np.array(1.0), confidence_level)
    return dict(zip(("low", "high"), ends, strict=True))


class _Blend(NamedTuple):
    """How tasks are averaged: each brought to 0 to 1 by its range, by weight, over the metrics that all have."""

    metrics: list[str]
    at: list[list[int]]
    """Where these metrics are, by task."""
    lows: Floats
    scale: Floats

    @classmethod
    def of(cls, asked: MetaOptions, found: Sequence[Found]) -> "_Blend":
        common = [name for name in found[0].metrics if all(name in outcome.metrics for outcome in found)]
        lows = np.array([MEASURES[task.measure].low for task in asked.tasks])
        weights = _weights(asked)
        at = [[outcome.metrics.index(name) for name in common] for outcome in found]
        return cls(common, at, lows, weights / (1.0 - lows))

    def added(self, parts: Sequence[Floats], *, offset: bool) -> Floats:
        """Add up what was found of every task for the metrics in `parts`; values have their range's offset."""
        shifted = [figures - low if offset else figures for figures, low in zip(parts, self.lows, strict=True)]
        return np.asarray(sum(factor * figures for factor, figures in zip(self.scale, shifted, strict=True)))

    def picked(self, parts: Sequence[Floats], *, offset: bool = True) -> Floats:
        """Add up the figures of all metrics of every task (..., metric)."""
        return self.added(
            [figures[..., columns] for figures, columns in zip(parts, self.at, strict=True)], offset=offset
        )


def _weights(asked: MetaOptions) -> Floats:
    weights = np.array([task.weight for task in asked.tasks], dtype=np.float64)
    return np.asarray(weights / weights.sum())


def _undecided(asked: MetaOptions, found: Sequence[Found], shuffled: Sequence[Floats]) -> bool:
    """Whether more shuffles may change which metrics, in a task or on average, are above chance."""
    values, blend = [outcome.columns["value"] for outcome in found], _Blend.of(asked, found)
    pairs = [*zip(values, shuffled, strict=True), (blend.picked(values), blend.picked(shuffled))]
    shares = [compare_with_chance(value, drawn, exact=False)["p_chance"] for value, drawn in pairs]
    return near_limit(np.concatenate(shares), len(shuffled[0]))


def _average(
    asked: MetaOptions, found: Sequence[Found], chance: Chance, decided: tuple[str, float, float]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add up values, resamples, exchanges and shuffles of every task by weight."""
    correction, alpha, confidence_level = decided
    blend = _Blend.of(asked, found)
    value = blend.picked([outcome.columns["value"] for outcome in found])
    shuffled = blend.picked(chance.tasks)
    draws = [outcome.drawn for outcome in found if outcome.drawn is not None]
    drawn = blend.picked(draws, offset=False) if len(draws) == len(found) else None
    jackknife: dict[str, Floats] = {}
    for outcome, indices, factor in zip(found, blend.at, blend.scale, strict=True):
        for name, rows in outcome.jackknife.items():
            jackknife[name] = jackknife.get(name, 0.0) + factor * rows[:, indices]
    spread = (
        None
        if drawn is None and not jackknife
        else _spread(drawn, jackknife, min(outcome.n_units for outcome in found))
    )
    first, second = np.triu_indices(len(blend.metrics), 1)
    hybrids, observed = [], []
    for outcome, indices in zip(found, blend.at, strict=True):
        a, b = np.array(indices, dtype=int)[first], np.array(indices, dtype=int)[second]
        sign, n = np.where(a < b, 1.0, -1.0), len(outcome.metrics)
        low, high = np.minimum(a, b), np.maximum(a, b)
        row = low * n - low * (low + 1) // 2 + high - low - 1
        hybrids.append(sign[:, None] * outcome.hybrids[row])
        observed.append(sign * outcome.observed[row])
    items = [outcome.columns["n_items"][at] for outcome, at in zip(found, blend.at, strict=True)]
    columns = {"value": value, "n_items": np.min(items, axis=0)}
    orders = [_orders(asked, task, outcome)[at] for task, outcome, at in zip(asked.tasks, found, blend.at, strict=True)]
    columns |= _never_above(compare_with_chance(value, shuffled, exact=chance.exact), np.any(orders, axis=0))
    columns |= _ends(value, spread, confidence_level, 0.0)
    exchanged = blend.added(hybrids, offset=False), blend.added(observed, offset=False)
    return _ranked(blend.metrics, columns, *exchanged, correction, alpha)


def _ranked(  # noqa: PLR0913, PLR0917 - what was found and how it is decided
    metrics: Sequence[str], columns: Mapping[str, Any], hybrids: Floats, observed: Floats, correction: str, alpha: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the metrics, best first, with clusters and letters, and all pairs, the better one first."""
    names = natural_order(metrics)
    table = pd.DataFrame({"metric": [*metrics], **columns})
    table["place"] = [names.index(name) for name in table["metric"]]
    table = table.sort_values(["value", "place"], ascending=[False, True]).drop(columns="place")
    order = table.index.to_numpy()
    table = table.reset_index(drop=True)
    n = len(metrics)
    index = np.zeros((n, n), dtype=np.int64)
    index[np.triu_indices(n, 1)] = np.arange(len(observed))
    first, second = np.triu_indices(n, 1)
    a, b = order[first], order[second]
    row, sign = index[np.minimum(a, b), np.maximum(a, b)], np.where(a < b, 1.0, -1.0)
    reached = reaches(sign[:, None] * hybrids[row], (sign * observed[row])[:, None], 2.0)
    p = (reached.sum(axis=1) + 1.0) / (hybrids.shape[1] + 1.0)
    value = table["value"].to_numpy()
    p[~np.isfinite(observed[row]) | ~np.isfinite(hybrids[row]).any(axis=1)] = np.nan
    corrected, tested = np.full(len(p), np.nan), np.isfinite(p)
    if tested.any():
        corrected[tested] = adjust(p[tested], correction)
    compared = pd.DataFrame(
        {
            "metric_a": table["metric"].to_numpy()[first],
            "metric_b": table["metric"].to_numpy()[second],
            "difference": value[first] - value[second],
            "p": p,
            "p_corrected": corrected,
        }
    )
    beaten = np.zeros((n, n), dtype=bool)
    beaten[first, second] = is_significant(p, alpha)
    different = np.zeros((n, n), dtype=bool)
    known = np.eye(n, dtype=bool)
    known[first, second] = known[second, first] = tested
    different[first, second] = different[second, first] = is_significant(corrected, alpha) | ~tested
    letters = shared_letters(different) if n else np.zeros((0, 0), dtype=bool)
    signs = np.array(letter_names(letters.shape[1]), dtype=object)
    table["rank"] = clusters_of(beaten)
    compares = known.sum(axis=1) > 1  # with another
    table["letters"] = [
        "".join(signs[mine]) if any_other else "" for mine, any_other in zip(letters, compares, strict=True)
    ]
    return table, compared


def clusters_of(beaten: Flags) -> list[int]:
    """Return the ranks of metrics in order: a new one begins at the first that one of the current cluster beats.

    Examples
    --------
    >>> clusters_of(np.array([[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool))
    [1, 1, 2, 2]
    """
    ranks: list[int] = []
    start = 0
    for index in range(len(beaten)):
        rank = ranks[-1] if ranks else 1
        if beaten[start:index, index].any():
            start, rank = index, rank + 1
        ranks.append(rank)
    return ranks
