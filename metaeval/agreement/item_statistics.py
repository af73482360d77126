"""What each topic of a benchmark contributes: who passes it, and whether it ranks systems as the others do."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import number
from metaeval.errors import InvalidOptionError
from metaeval.running.equality import difference
from metaeval.table.scores import Scores, better_direction, oriented_values
from metaeval.table.structure import engine_scores, topic_weights

_FEWEST = 3  # systems for a correlation
_KINDS = ("all pass", "all fail", "all equal", "negative", "")
_ROUNDING = 1e-12
"""A correlation nearer to 0 is none: its sum has the last digit of its parts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemAnalysis(Result):
    """Item statistics of every topic, per metric."""

    data: xr.Dataset
    """Dims ``metric`` and ``topic``: ``mean`` over the systems (the share that pass, for scores of 0 and 1) and
    ``standard_deviation``, ``n_systems`` that have a score, ``at_ceiling`` and ``at_floor`` (shares of these at the
    best and at the worst of the scale), ``discrimination`` (NaN where it is undefined) and ``kind``: "all pass",
    "all fail", "all equal" (elsewhere on the scale), "negative" (discrimination below 0) or nothing. Also ``floor``
    and ``ceiling`` (metric), the worst and the best of the scale in the metric's own direction, and a coordinate
    ``cluster`` or ``stratum`` where topics have one."""
    scale_given: bool
    """Whether the scale was given for every metric; else it is the worst and the best score that occur."""

    def _found(self) -> str:
        words = [
            f"{row.negative} of {row.n_topics} {unit().topics} rank systems against the others under {row.metric} "
            f"(median discrimination {number(2)(row.discrimination)})"
            for row in self.summary().itertuples()
        ]
        return first_few(words)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and topic."""
        frame = self.data.drop_vars(["floor", "ceiling"]).to_dataframe(dim_order=["metric", "topic"]).reset_index()
        grouping = [name for name in ("cluster", "stratum") if name in frame]
        columns = ["mean", "standard_deviation", "n_systems", "at_ceiling", "at_floor", "discrimination", "kind"]
        return frame[["metric", "topic", *grouping, *columns]]

    def negative(self) -> pd.DataFrame:
        """Return the topics whose discrimination is below 0, the lowest first."""
        frame = self.to_frame()
        topics = frame[frame["discrimination"] < 0]
        return topics.sort_values("discrimination", kind="stable", ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """Return one row a metric.

        Topics ``all_pass``, ``all_fail``, ``all_equal`` and ``negative``; ``discrimination`` of the median topic with
        its ``low`` and ``high`` quartile; shares of all scores ``at_ceiling`` and ``at_floor``.
        """
        rows = []
        for metric in self.data["metric"].to_numpy().tolist():
            of_metric = self.data.sel(metric=metric)
            kind, n_systems = of_metric["kind"].to_numpy(), of_metric["n_systems"]
            correlations = of_metric["discrimination"].to_numpy()
            correlations = correlations[np.isfinite(correlations)]
            low, middle, high = np.quantile(correlations, (0.25, 0.5, 0.75)) if len(correlations) else (np.nan,) * 3
            rows.append(
                {
                    "metric": metric,
                    "n_topics": len(kind),
                    **{name.replace(" ", "_"): int((kind == name).sum()) for name in _KINDS[:-1]},
                    "discrimination": float(middle),
                    "low": float(low),
                    "high": float(high),
                    "at_ceiling": float((of_metric["at_ceiling"] * n_systems).sum() / n_systems.sum()),
                    "at_floor": float((of_metric["at_floor"] * n_systems).sum() / n_systems.sum()),
                    "floor": float(of_metric["floor"]),
                    "ceiling": float(of_metric["ceiling"]),
                }
            )
        return pd.DataFrame(rows)


def analyse_items(
    scores: object, *, scale: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None
) -> ItemAnalysis:
    r"""Compute item statistics of every topic: how many systems pass it, and its correlation with the other topics.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come: a topic is described by the systems that have it.
    scale : (float, float) or mapping of metric to (float, float), optional
        Lowest and highest possible score; where nothing is said, the lowest and the highest that occur.

    Returns
    -------
    ItemAnalysis
        One row a ``metric`` and ``topic`` in ``to_frame()``: ``mean`` and ``standard_deviation`` over ``n_systems`` in
        units of the metric, ``at_ceiling`` and ``at_floor`` (0 to 1), ``discrimination`` (-1 to 1, NaN where it is
        undefined) and ``kind``, "" where there is nothing to say; also ``cluster`` or ``stratum`` where topics have
        one.

    Raises
    ------
    ScoresError
        If scores have gaps that nobody decided to keep.
    InvalidOptionError
        If a scale does not go up, or is that of an unknown metric.

    See Also
    --------
    metaeval.resampling.topic_subsets.compare_subsets

    Notes
    -----
    Discrimination is the corrected item-total correlation [1]_: over systems, Pearson's correlation of the score on
    the topic with the mean over all *other* topics (weighted where topics have weights). For scores of 0 and 1 it is
    the point-biserial correlation with the rest. Where systems lack scores, each score is first taken less its topic's
    mean over the systems there, so that a system is not taken for better because it lacks the hard topics; without
    gaps that changes nothing. Undefined where all systems score alike on the topic or on the rest, or fewer than three
    have it. With S systems it is known to about :math:`(1 - r^2)/\sqrt{S - 1}`: among many topics some are below 0 by
    chance.

    References
    ----------
    .. [1] Henrysson (1963). Correction of item-total correlations in item analysis. Psychometrika 28(2), 211-218.
       :doi:`10.1007/BF02289618`

    Examples
    --------
    >>> found = analyse_items([[1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [1, 0, 0, 0, 1]])
    >>> found.data["kind"].to_numpy()[0].tolist()
    ['all pass', 'negative', '', 'all fail', 'negative']
    >>> found.data["discrimination"].to_numpy()[0].round(3).tolist()
    [nan, -0.5, nan, nan, -0.866]
    """
    scores = engine_scores(scores, "analysis of items")
    values, turn = oriented_values(scores), better_direction(scores)
    observed = np.isfinite(values)
    n_systems = observed.sum(axis=1)
    worst, best, all_given = _ends(scores, scale)
    filled, size = np.where(observed, values, 0.0), np.abs(np.where(observed, values, 0.0))
    mean = filled.sum(axis=1) / np.maximum(n_systems, 1)
    left = less_mean(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((left**2).sum(axis=1) / np.where(n_systems > 1, n_systems - 1, np.nan))
    top, bottom = ((array * turn)[:, None, None] for array in (best, worst))
    at_top = (observed & (difference(filled, top, size, np.abs(top)) >= 0)).sum(axis=1) / n_systems
    at_bottom = (observed & (difference(filled, bottom, size, np.abs(bottom)) <= 0)).sum(axis=1) / n_systems
    correlation = discrimination(scores)
    kind = np.select(
        [at_top == 1, at_bottom == 1, ~left.any(axis=1), correlation < 0], list(_KINDS[:-1]), default=_KINDS[-1]
    )
    columns = {
        "mean": mean * turn[:, None],
        "standard_deviation": spread,
        "n_systems": n_systems,
        "at_ceiling": at_top,
        "at_floor": at_bottom,
        "discrimination": correlation,
        "kind": kind,
    }
    group_coords = {
        name: ("topic", scores[name].to_numpy()) for name in ("cluster", "stratum") if name in scores.coords
    }
    return ItemAnalysis(
        data=xr.Dataset(
            {name: (("metric", "topic"), array) for name, array in columns.items()}
            | {"floor": ("metric", worst), "ceiling": ("metric", best)},
            coords={"metric": scores["metric"].to_numpy(), "topic": scores["topic"].to_numpy(), **group_coords},
        ),
        scale_given=all_given,
    )


def discrimination(scores: Scores) -> Floats:
    """Return the correlation of every topic with the rest, (metric, topic); see `analyse_items`.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> discrimination(as_scores([[3, 2, 1], [2, 3, 1], [1, 1, 3]])).round(3).tolist()
    [[-0.866, -0.866, -1.0]]
    """
    values, weights = oriented_values(scores), topic_weights(scores)
    observed = np.isfinite(values)
    left, weighed = less_mean(values), observed * weights
    parts = left * weights
    others = weighed.sum(axis=2, keepdims=True) - weighed
    size = np.where(observed, np.abs(values), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest_mean = np.where(observed, (parts.sum(axis=2, keepdims=True) - parts) / others, np.nan)
        sizes = 2.0 * (size * weights).sum(axis=2, keepdims=True) / weighed.sum(axis=2, keepdims=True)
        of_rest = less_mean(rest_mean, np.broadcast_to(sizes, rest_mean.shape))
        spread = np.sqrt((left**2).sum(axis=1) * (of_rest**2).sum(axis=1))
        correlation = (left * of_rest).sum(axis=1) / spread
    correlation = np.where(np.abs(correlation) < _ROUNDING, 0.0, correlation)
    return np.where((spread > 0) & (observed.sum(axis=1) >= _FEWEST), np.clip(correlation, -1.0, 1.0), np.nan)


def less_mean(values: Floats, size: Floats | None = None) -> Floats:
    """Take off the mean over the systems that are there; 0 where one is not, or equals the mean up to rounding."""
    observed = np.isfinite(values)
    filled = np.where(observed, values, 0.0)
    size = np.where(observed, np.abs(filled) if size is None else size, 0.0)
    n = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    mean, mean_size = (array.sum(axis=1, keepdims=True) / n for array in (filled, size))
    return np.where(observed, difference(filled, mean, size, mean_size), 0.0)


def _ends(
    scores: Scores, scale: tuple[float, float] | Mapping[str, tuple[float, float]] | None
) -> tuple[Floats, Floats, bool]:
    """Return the worst and the best score of every metric, and whether all were given."""
    names = scores["metric"].to_numpy().tolist()
    values = scores.to_numpy()
    scale_of = scale if isinstance(scale, Mapping) else dict.fromkeys(names, scale) if scale is not None else {}
    for name in scale_of:
        check_choice(name, "metric", names)
    lowest, highest = np.nanmin(values, axis=(1, 2)), np.nanmax(values, axis=(1, 2))
    for index, name in enumerate(names):
        if name in scale_of:
            lowest[index], highest[index] = scale_of[name]
            if not lowest[index] < highest[index]:
                message = f"scale of {name!r} must go from a lower to a higher score, not {scale_of[name]!r}"
                raise InvalidOptionError(message)
    rises = better_direction(scores) > 0
    return np.where(rises, lowest, highest), np.where(rises, highest, lowest), len(scale_of) == len(names)
