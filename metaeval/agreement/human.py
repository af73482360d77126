"""How well metrics agree with human scores, in translation, summarisation and wherever systems are scored by item.

A table of metric x system x item, the human score among its metrics, with gaps where something was not scored. Every
statistic is computed from the cells that hold both the metric and the human score.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.drawn_intervals import ends_of, reach
from metaeval.agreement.human_statistics import STATISTICS, Score, Statistic, none_where_flat
from metaeval.agreement.items import (
    FEWEST,
    ComparedCells,
    cluster_sizes,
    cluster_sums,
    compared_cells,
    in_content_order,
    oriented,
    reference_of,
)
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_share
from metaeval.base.names import count, first_few
from metaeval.base.results import Figure, Result
from metaeval.base.words import number, span_of
from metaeval.errors import ScoresError
from metaeval.running.draws import RNGLike, bootstrap_counts, bootstrap_indices, resolve_rng
from metaeval.running.equality import difference, reaches, settle
from metaeval.running.parallel import in_one_order
from metaeval.running.workers import parallel_map

Level = Literal["system", "item", "all"]
Resample = Literal["items", "systems", "both"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HumanAgreement(Result):
    """Agreement of every metric with the human scores."""

    table: pd.DataFrame
    """One row a metric, best first: ``metric``, ``n_systems``, ``n_items``, ``n_cells`` (with both scores), ``n_used``
    (systems, items on which the statistic is defined, or cells), ``value``, ``low``, ``high``."""
    resampled: Mapping[str, Floats]
    """The statistic of every metric on every resample, NaN where undefined. Shape (n_resamples,)."""
    reference: str
    statistic: Statistic
    level: Level
    resample: Resample
    """The question."""
    confidence_level: float
    n_resamples: int
    random_source: str

    def _found(self) -> str:
        rows = self.table
        best = rows.iloc[0]
        words = span_of(*(rows[name] for name in ("metric", "value", "low", "high")), write=number(2))
        if not (best["low"] > rows["high"].iloc[1:].max()):  # one metric alone has no others
            return f"agreement of {count(len(rows), 'metric')} with {self.reference}, none clearly the best: {words}"
        return f"{best['metric']} agrees best of {count(len(rows), 'metric')} with {self.reference}: {words}"

    def to_frame(self) -> pd.DataFrame:
        """Return the table with the question in columns of its own."""
        return self.table.assign(reference=self.reference, statistic=self.statistic, level=self.level)

    def _draw(self) -> Figure:
        """Draw the agreement of every metric with its interval, best first."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        label = f"{self.statistic} with {self.reference} ({self.level})"
        return agreement_dots(self.table.rename(columns={"metric": "name"}), label=label)


@in_one_order
def human_agreement(  # noqa: PLR0913 - every option is one question
    scores: xr.DataArray,
    *,
    reference: str | None = None,
    statistic: Statistic = "pearson",
    level: Level = "system",
    resample: Resample = "items",
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RNGLike = None,
) -> HumanAgreement:
    r"""Measure the agreement of metrics with human scores.

    Parameters
    ----------
    scores : DataArray (metric, system, item)
        From `item_scores`; with a coordinate ``cluster`` whole clusters are resampled, and metrics where less is better
        are turned first.
    reference : str, optional
        The human scores; by default what `item_scores` noted.
    statistic : {"pearson", "spearman", "kendall", "accuracy"}
        Kendall's is tau-b. "accuracy": share of the pairs that people put in an order which the metric puts
        in the same.
    level : {"system", "item", "all"}
        "system": over systems, of their means over items. "item": over the systems of one item, then the mean over the
        items where at least three systems have both scores and people do not give all of them one; where the metric
        alone does, its agreement is 0. "all": over all cells at once.
    resample : {"items", "systems", "both"}
        What the interval asks about: other items (clusters, where there are some), other systems, or both.
    confidence_level : float
    n_resamples : int
    rng : None, int or Generator

    Returns
    -------
    HumanAgreement
        One row a ``metric`` in ``to_frame()``, best first: ``value`` of the statistic with ``low`` and ``high``,
        ``n_systems``, ``n_items``, ``n_cells`` (with both scores) and ``n_used`` (those on which the statistic is
        defined); and what was asked: ``reference``, ``statistic``, ``level``.

    Raises
    ------
    UnknownNameError, InvalidOptionError
        For a statistic, level, or option that does not exist.
    ScoresError
        If fewer than three systems have both scores.

    See Also
    --------
    metaeval.agreement.metric_comparison.compare_with_human : which of two metrics agrees better

    Notes
    -----
        A cell that lacks the metric or the human score is left out for that metric, of both. Intervals are
    :math:`r \pm t_{n-1}\, d \sqrt{n/(n-1)}`, n the clusters, items or systems drawn (the fewer, where both are), d the
    root mean square distance of the resamples :math:`r^*` from r, cut to the statistic's range; where a single unit
    has the statistic there is none, and where resamples do not vary, as many units may be exceptions as none among n
    can exclude (Clopper and Pearson). Over items they cover the agreement to be expected with as many other items, for
    Kendall's tau and accuracy of systems too often (``benchmarks/reports/human_agreement_coverage.md``; intervals over
    systems were not calibrated). Quantiles of the resamples [1]_ may leave out r itself: drawing items again adds noise
    to the means of close systems, so that :math:`r^*` lies below r. Accuracy as in [2]_. With resampled systems a
    system drawn twice ties with itself: such pairs are no pairs for "accuracy".

    References
    ----------
    .. [1] Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
       methods. TACL. :doi:`10.1162/tacl_a_00417`
    .. [2] Kocmi et al. (2021). To ship or not to ship. WMT.

    Examples
    --------
    >>> from metaeval.agreement.items import item_scores
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(8)[:, None] + rng.normal(0, 2, (8, 30))
    >>> cells = {"human": human.ravel(), "good": (human + rng.normal(0, 1, (8, 30))).ravel()}
    >>> names = {"system": np.repeat(list("abcdefgh"), 30), "item": np.tile(np.arange(30), 8)}
    >>> table = item_scores(pd.DataFrame(names | cells), reference="human")
    >>> human_agreement(table, statistic="kendall", rng=0).table["value"].round(2).tolist()
    [1.0]
    """
    name = reference_of(scores, reference)
    check_choice(statistic, "statistic", STATISTICS)
    check_choice(level, "level", ("system", "item", "all"))
    check_choice(resample, "way to resample", ("items", "systems", "both"))
    check_share(confidence_level, "confidence_level")
    check_count(n_resamples, "n_resamples", least=0)
    scores = in_content_order(oriented(scores), name)
    source = resolve_rng(rng)
    n_clusters = len(np.unique(scores["cluster"])) if "cluster" in scores.coords else scores.sizes["item"]
    counts = bootstrap_counts(bootstrap_indices(source.generator, n_resamples, n_clusters), n_clusters)
    drawn = source.generator.random((n_resamples, scores.sizes["system"]))
    rows = []
    drawn_values: dict[str, Floats] = {}
    metrics = [str(label) for label in scores["metric"].to_numpy() if str(label) != name]
    every = [compared_cells(scores, metric, reference=name) for metric in metrics]
    shared = (level, STATISTICS[statistic], resample, counts, drawn)
    estimates = parallel_map(_resampled, every, shared=shared, description=f"{statistic} with {name}, {level}")
    for metric, cells, (value, used, resampled) in zip(metrics, every, estimates, strict=True):
        drawn_values[metric] = resampled
        units = _units(cells, resample, STATISTICS[statistic] if level == "item" else None)
        low, high = _interval(value, resampled, units, statistic, confidence_level)
        rows.append(
            {
                "metric": metric,
                "n_systems": len(cells.systems),
                "n_items": int(cells.there.any(axis=0).sum()),
                "n_cells": int(cells.there.sum()),
                "n_used": used,
                "value": value,
                "low": low,
                "high": high,
            }
        )
    table = pd.DataFrame(rows).sort_values("value", ascending=False, kind="stable", key=_settled).reset_index(drop=True)
    return HumanAgreement(
        table=table,
        resampled=MappingProxyType(drawn_values),
        reference=name,
        statistic=statistic,
        level=level,
        resample=resample,
        confidence_level=float(confidence_level),
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


def _settled(values: "pd.Series[float]") -> Floats:
    """Make statistics equal that are so up to rounding; each is a sum of terms whose absolute values make at most 1."""
    return settle(values.to_numpy(dtype=np.float64), np.ones(len(values)))


def _units(cells: ComparedCells, resample: Resample, of_items: Score | None) -> int:
    """Count what is drawn and has something to say: systems, clusters, or the fewer of the two."""
    items = cells.there.any(axis=0) if of_items is None else np.isfinite(_statistic_of_items(cells, of_items))
    n_systems, n_clusters = len(cells.systems), len(np.unique(cells.clusters[items]))
    return {"systems": n_systems, "items": n_clusters, "both": min(n_systems, n_clusters)}[resample]


def _interval(
    value: float, resampled: Floats, units: int, statistic: Statistic, confidence_level: float
) -> tuple[float, float]:
    finite = resampled[np.isfinite(resampled)]
    if len(finite) < 2:  # noqa: PLR2004 - a standard deviation takes two
        return float("nan"), float("nan")
    half = reach(np.array(units), confidence_level) * np.sqrt(((finite - value) ** 2).mean())
    least, most = np.array(0.0 if statistic == "accuracy" else -1.0), np.array(1.0)
    low, high = ends_of(np.array(value), half, np.array(units), least, most, confidence_level)
    return float(low), float(high)


type _Found = tuple[float, int, Floats]


class _Drawn(NamedTuple):
    """What the resamples draw; None where it stays as it is."""

    n: int
    counts: Floats | None  # (resample, cluster): how often each cluster
    systems: Ints | None  # (resample, system): positions of systems


def _resampled(  # noqa: PLR0913, PLR0917 - the question, and what is drawn for it
    cells: ComparedCells, level: Level, statistic: Score, resample: Resample, counts: Floats, drawn: Floats
) -> _Found:
    """Return the statistic of one metric, how much of the data it used, and its resamples."""
    systems = (drawn[:, : len(cells.systems)] * len(cells.systems)).astype(np.int64)
    draws = _Drawn(
        n=len(drawn),
        counts=counts if resample != "systems" else None,
        systems=systems if resample != "items" else None,
    )
    return _LEVELS[level](cells, statistic, draws)


def _by_system(cells: ComparedCells, statistic: Score, drawn: _Drawn) -> _Found:
    *sums, number = cluster_sums(cells)
    parts = list(zip(sums, cluster_sizes(cells), strict=True))
    n_cells = number.sum(axis=0)
    means = [settle(scores.sum(axis=0) / n_cells, size.sum(axis=0) / n_cells) for scores, size in parts]
    value = float(statistic(*means))
    if drawn.counts is None:
        human, metric = (np.tile(mean, (drawn.n, 1)) for mean in means)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            total = drawn.counts @ number
            human, metric = (
                settle((drawn.counts @ scores) / total, (drawn.counts @ size) / total) for scores, size in parts
            )
    if drawn.systems is not None:
        human, metric = (np.take_along_axis(scores, drawn.systems, axis=1) for scores in (human, metric))
    complete = np.isfinite(human).all(axis=1)
    resampled = np.full(drawn.n, np.nan)
    if complete.any():
        resampled[complete] = statistic(human[complete], metric[complete])
    return value, len(cells.systems), resampled


def _by_item(cells: ComparedCells, statistic: Score, drawn: _Drawn) -> _Found:
    values = _statistic_of_items(cells, statistic)
    defined = np.isfinite(values)
    if not defined.any():
        return float("nan"), 0, np.full(drawn.n, np.nan)
    resampled = np.empty(drawn.n)
    weights = None if drawn.counts is None else drawn.counts[:, cells.clusters]
    for row in range(drawn.n):
        item_values = (
            values
            if drawn.systems is None
            else _statistic_of_items(_with_systems(cells, drawn.systems[row]), statistic)
        )
        weight = np.ones(len(item_values)) if weights is None else weights[row]
        finite = np.isfinite(item_values)
        total = weight[finite].sum()
        resampled[row] = (weight[finite] @ item_values[finite]) / total if total else np.nan
    used = np.isfinite(_statistic_of_items(cells, statistic, lambda of_item, *values: of_item(*values)))
    return float(values[defined].mean()), int(used.sum()), resampled


def _statistic_of_items(
    cells: ComparedCells, statistic: Score, of_item: Callable[[Score, Floats, Floats], Floats] = none_where_flat
) -> Floats:
    """Return the statistic of every item over its systems; items with the same systems present go together."""
    values = np.full(cells.there.shape[1], np.nan)
    patterns, which = np.unique(cells.there, axis=1, return_inverse=True)
    for index, pattern in enumerate(patterns.T):
        if pattern.sum() >= FEWEST:
            items = np.flatnonzero(which.ravel() == index)
            block = np.ix_(pattern, items)
            values[items] = of_item(statistic, cells.human[block].T, cells.metric[block].T)
    return values


def _with_systems(cells: ComparedCells, systems: Ints) -> ComparedCells:
    drawn = {name: getattr(cells, name)[systems] for name in ("human", "metric", "there", "systems")}
    return replace(cells, **drawn)


def _by_cell(cells: ComparedCells, statistic: Score, drawn: _Drawn) -> _Found:
    there = cells.there
    value = float(statistic(cells.human[there], cells.metric[there]))
    resampled = np.empty(drawn.n)
    for row in range(drawn.n):
        drawn_cells = cells if drawn.systems is None else _with_systems(cells, drawn.systems[row])
        repeats = drawn_cells.there.astype(np.int64)
        if drawn.counts is not None:
            repeats = repeats * drawn.counts[row].astype(np.int64)[cells.clusters]
        chosen = np.repeat(np.arange(repeats.size), repeats.ravel())
        resampled[row] = (
            statistic(drawn_cells.human.ravel()[chosen], drawn_cells.metric.ravel()[chosen]) if len(chosen) else np.nan
        )
    return value, int(there.sum()), resampled


_LEVELS: Mapping[str, Callable[..., _Found]] = {"system": _by_system, "item": _by_item, "all": _by_cell}


def _lead(a: Floats, b: Floats) -> Floats:
    return difference(a, b, np.abs(a), np.abs(b))


def flat_items(scores: xr.DataArray, *, reference: str) -> tuple[dict[str, int], int]:
    """Count the items on which each metric alone gives one score to all systems, and those where people order some.

    Examples
    --------
    >>> from metaeval.agreement.items import item_scores
    >>> names = {"system": list("abcabc"), "item": list("111222")}
    >>> cells = {"human": [1, 2, 3, 2, 2, 2], "flat": [5, 5, 5, 1, 2, 3], "good": [1, 2, 4, 1, 2, 3]}
    >>> frame = pd.DataFrame(names | cells)
    >>> flat_items(item_scores(frame, reference="human"), reference="human")
    ({'flat': 1, 'good': 0}, 1)
    """
    human = scores.sel(metric=reference).to_numpy()
    counts, ordered = {}, _varies(human, np.isfinite(human))
    for metric in (str(label) for label in scores["metric"].to_numpy() if str(label) != reference):
        values = scores.sel(metric=metric).to_numpy()
        there = np.isfinite(human) & np.isfinite(values)
        enough = there.sum(axis=0) >= FEWEST
        counts[metric] = int((enough & _varies(human, there) & ~_varies(values, there)).sum())
    return counts, int(ordered.sum())


def _varies(values: Floats, there: Flags) -> Flags:
    """Whether the values of an item, of the systems that are there, are not all one up to rounding."""
    high, low = (np.where(there, values, end).T for end in (-np.inf, np.inf))
    size = np.where(there, np.abs(values), 0.0).max(axis=0)
    return np.asarray(high.max(axis=1) - low.min(axis=1) > 1e-12 * size)


def pair_agreement(scores: xr.DataArray, *, reference: str | None = None, min_difference: float = 0.0) -> pd.DataFrame:
    """Count the pairs of systems, scored differently by people on an item, that the metric orders as they do.

    Parameters
    ----------
    scores : DataArray (metric, system, item)
    reference : str, optional
    min_difference : float
        Pairs count whose human scores differ by at least this (25 points of 100 in WMT's relative ranking from direct
        assessment), and differ at all; 0.7 and 0.45 differ by exactly 0.25 here.

    Returns
    -------
    pandas.DataFrame
        Index ``metric``: ``pairs``, ``agree``, ``tied`` (the metric ties them), ``unknown`` (the metric lacks one), and
        ``tau``, (agree - others) / pairs: a tie or a gap of the metric counts against it.

    Raises
    ------
    ScoresError
        If no pair of systems differs by so much.

    Notes
    -----
    The "Kendall's tau-like formulation" of the WMT metrics tasks [1]_.

    References
    ----------
    .. [1] Mathur et al. (2020). Results of the WMT20 metrics shared task. WMT, section 3.3.

    Examples
    --------
    >>> from metaeval.agreement.items import item_scores
    >>> frame = pd.DataFrame(
    ...     {"system": list("abc"), "item": ["1"] * 3, "human": [90, 50, 70], "BLEU": [0.5, 0.2, 0.6]}
    ... )
    >>> found = pair_agreement(item_scores(frame, reference="human"), min_difference=25)
    >>> found.loc["BLEU", ["pairs", "agree"]].astype(int).tolist()
    [1, 1]
    """
    name = reference_of(scores, reference)
    scores = oriented(scores)
    human = scores.sel(metric=name).to_numpy()
    first, second = np.triu_indices(len(human), 1)
    size = np.abs(human[first]) + np.abs(human[second])
    gap = difference(human[first], human[second], size, 0.0)
    pairs, items = np.nonzero(reaches(np.abs(gap), min_difference, size) & (np.abs(gap) > 0))
    first_better = gap[pairs, items] > 0
    better, worse = (np.where(first_better == wanted, first[pairs], second[pairs]) for wanted in (True, False))
    if not len(pairs):
        if (np.isfinite(human).sum(axis=0) < 2).all():  # noqa: PLR2004 - a pair
            named = first_few([*map(repr, scores["item"].to_numpy().tolist())], most=3)
            raise ScoresError(
                f"no item has a score in {name} of two systems (items are {named}); name the items by what the systems "
                "share (`item`)"
            )
        if not min_difference:
            raise ScoresError(f"no two systems differ in {name} on any item, so there is no pair to agree about")
        raise ScoresError(f"no two systems differ by {min_difference:g} in {name} on any item; lower `min_difference`")
    rows = {}
    for metric in (str(label) for label in scores["metric"].to_numpy() if str(label) != name):
        values = scores.sel(metric=metric).to_numpy()
        ahead = _lead(values[better, items], values[worse, items])
        agree = int((ahead > 0).sum())
        rows[metric] = {
            "pairs": len(ahead),
            "agree": agree,
            "tied": int((ahead == 0).sum()),
            "unknown": int(np.isnan(ahead).sum()),
            "tau": (2 * agree - len(ahead)) / len(ahead),
        }
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.index.name = "metric"
    return frame
