"""The pictures of systems under one metric: their scores, their means in order, how far from a baseline they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from metaeval.base.unit import unit
from metaeval.base.words import name_of_metric, number, p_value
from metaeval.errors import UnknownNameError
from metaeval.figures.marks import note_points
from metaeval.figures.shown import NAMED_ROWS, STROKES
from metaeval.figures.style import (
    FOOT,
    RIMMED,
    THEME,
    bars,
    drawn_narrow,
    fitted_names,
    inch_axes,
    key_above,
    mark_value,
    page_width,
    row_names,
    rows_figure,
    score_label,
    short_name,
    styled,
    text_width,
    tidy_axes,
)
from metaeval.table.scores import Scores, better_direction
from metaeval.table.structure import mean_over_topics, settled_mean_over_topics

_SCORE = number(4)
_LIMITS, _NAMES = (72, 56, 44, 36, 30, 24), 0.5
"""Letters of names, of which a wide picture takes as many as leave them this share of a column's width."""


@styled
def score_distributions(scores: Scores, metric: str) -> Figure:
    """Draw how the topics' scores of every system are spread, best mean first.

    Up to `NAMED_ROWS` systems get a row each, with a stroke per topic (per quantile where these are thousands); more
    stand side by side by rank.

    Raises
    ------
    UnknownNameError
        If the scores have no such metric.
    """
    return draw_spread(spread_of(scores, metric))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spread:
    """What is drawn of the scores of systems under a metric, best mean first."""

    metric: str
    higher: bool
    systems: list[str]
    n_topics: int
    topics: list[str]
    """None where they are more than `STROKES`."""
    means: NDArray[np.float64]
    strokes: NDArray[np.float64]
    """System x topic; where topics are more than `STROKES`, as many quantiles from the least score to the largest."""
    quantiles: NDArray[np.float64]
    """`_SHARES` x system."""


_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def spread_of(scores: Scores, metric: str) -> Spread:
    """Return what `draw_spread` draws: a page does so twice, and sorts millions of scores once.

    Raises
    ------
    UnknownNameError
        If the scores have no such metric.
    """
    metrics = scores["metric"].to_numpy().tolist()
    if metric not in metrics:
        raise UnknownNameError("metric", metric, metrics)
    of_metric = scores.isel(metric=[metrics.index(metric)])
    order = np.argsort(-settled_mean_over_topics(of_metric)[0], kind="stable")
    values, n_topics = of_metric.to_numpy()[0], of_metric.sizes["topic"]
    many = n_topics > STROKES
    shares = np.append(np.linspace(0.0, 1.0, STROKES) if many else [], _SHARES)
    quantiles = np.stack([_quantiles(values[row], shares) for row in order])
    return Spread(
        metric=metric,
        higher=bool(better_direction(of_metric)[0] > 0),
        systems=scores["system"].to_numpy()[order].tolist(),
        n_topics=n_topics,
        topics=[] if many else scores["topic"].to_numpy().tolist(),
        means=mean_over_topics(of_metric)[0, order],
        strokes=quantiles[:, : -len(_SHARES)] if many else values[order],
        quantiles=quantiles[:, -len(_SHARES) :].T,
    )


@styled
def draw_spread(spread: Spread) -> Figure:
    """Draw what `score_distributions` draws."""
    means, names, topics = spread.means, spread.systems, spread.topics
    if len(names) > NAMED_ROWS:
        return _compact_distributions(spread)
    rows = np.arange(len(names))
    figure, axes = rows_figure(names, row_height=0.21, top=0.42)
    stroke_label = f"one {unit().topic}" if topics else f"{STROKES} quantiles of {spread.n_topics:,} {unit().topics}"
    _strokes(axes, spread.strokes, rows, color=THEME["pale-blue"], linewidth=0.9, label=stroke_label)
    _, low, middle, high, _ = spread.quantiles
    bars(axes, low, high, rows, color=THEME["blue"], linewidth=2.2, label=f"middle half of the {unit().topics}")
    axes.plot(middle, rows, "|", color=THEME["blue"], markersize=8, markeredgewidth=1.6, label="median")
    axes.plot(means, rows, "o", color=THEME["orange"], markersize=4.8, label="mean", **RIMMED)
    if topics:
        note_points(
            axes,
            spread.strokes.ravel(),
            np.repeat(rows, len(topics)),
            f"{{system}}, {unit().topic} {{topic}}: {{metric}} {{score}}",
            {
                "system": np.repeat(names, len(topics)),
                "topic": topics * len(names),
                "metric": name_of_metric(spread.metric),
                "score": [_SCORE(score) for score in spread.strokes.ravel()],
            },
            of=("system",),
        )
    _note_spread(axes, (means, rows), spread)
    axes.set_xlabel(_score_axis(spread))
    _padded_limits(axes, spread.strokes)
    key_above(axes, columns=4)
    return figure


@styled
def system_ranking(
    means: pd.DataFrame, metric: str, *, higher_is_better: bool = True, label: str | None = None
) -> Figure:
    """Draw the systems of one metric in order of their means, each mean with its interval.

    Long lists are folded into columns that share one scale.

    Parameters
    ----------
    means : pandas.DataFrame
        Columns metric, system, mean, low, high, rank.
    metric : str
    higher_is_better : bool, default True
    label : str, optional
        What the dots are, where they are no means.
    """
    return _ranked_rows(
        means[means["metric"] == metric],
        label or score_label(metric, f"mean {{}} over the {unit().topics}", higher=higher_is_better),
        say="{rank}. {system}: {what} {mean}, interval {low} to {high}",
        what=name_of_metric(metric) if label is None else label,
    )


@styled
def baseline_differences(
    differences: pd.DataFrame, metric: str, *, baseline: str, higher_is_better: bool = True
) -> Figure:
    """Draw by how much systems differ from a baseline under one metric, best first, each with its interval.

    Full dots differ significantly; long lists are folded into columns that share one scale.

    Parameters
    ----------
    differences : pandas.DataFrame
        Columns metric, system, mean (the system's less the baseline's), low and high (NaN where there is no interval),
        rank (among all systems, the baseline too), p_corrected, significant.
    metric : str
    baseline : str
    higher_is_better : bool, default True
    """
    of_metric = differences[differences["metric"] == metric]
    interval = of_metric["low"].map(_SCORE) + " to " + of_metric["high"].map(_SCORE)
    return _ranked_rows(
        of_metric.assign(
            full=of_metric["significant"].astype(bool),
            interval=np.where(of_metric["low"].isna(), "", ", interval " + interval),
            p=of_metric["p_corrected"].map(p_value),
        ),
        f"{score_label(metric, 'mean {}', higher=True)} minus that of {short_name(baseline)}"
        + " (lower is better)" * (not higher_is_better),
        say="{rank}. {system}: {mean}{interval}, p {p}",
        baseline=short_name(baseline),
    )


def _ranked_rows(part: pd.DataFrame, label: str, *, say: str, what: str = "", baseline: str | None = None) -> Figure:
    """Draw named rows by their rank, folded into columns where they are many.

    Dots where a column `full` is false are hollow; a line at zero is that of the baseline.
    """
    part = part.sort_values("rank", kind="stable")
    n_columns = 1 if drawn_narrow() else int(np.clip(np.ceil(len(part) / NAMED_ROWS), 1, 3))
    length = int(np.ceil(len(part) / n_columns))
    size = 8.5 if n_columns == 1 else 6.6
    height, top = 0.21 if n_columns == 1 else 0.165, 0.1 if baseline is None else 0.25
    width = page_width() / n_columns
    limits = (28,) if drawn_narrow() else (*_LIMITS, 28 if n_columns == 1 else 18)
    for limit in limits:
        names, row_height = fitted_names(part["system"].tolist(), limit, height)
        widest = max(text_width(line, size) for name in names for line in name.split("\n"))
        if widest <= _NAMES * width:
            break
    ranks, left = part["rank"].tolist(), 0.55 + widest
    ranks = ranks if len({*ranks}) > 1 or len(ranks) == 1 else []  # a rank that all share says nothing
    figure = Figure(figsize=(page_width(), top + FOOT + row_height * length))
    ends = np.append(part[["mean", "low", "high"]].to_numpy(dtype=float), [] if baseline is None else 0.0)
    lowest, highest = np.nanmin(ends), np.nanmax(ends)
    margin = 0.03 * ((highest - lowest) or 1.0)
    for column in range(n_columns):
        inside = slice(column * length, (column + 1) * length)
        rows = part.iloc[inside]
        axes = inch_axes(
            figure, left=column * width + left, right=page_width() - (column + 1) * width + 0.12, top=top, bottom=FOOT
        )
        y = np.arange(len(rows))
        axes.set_ylim(length - 0.4, -0.6)
        if baseline is not None:
            mark_value(axes, 0.0, baseline)
        bars(axes, rows["low"], rows["high"], y, color=THEME["pale-blue"], linewidth=2.4)
        note_points(
            axes,
            rows["mean"],
            y,
            say,
            {
                **{name: rows[name] for name in ("rank", "system", "interval", "p") if name in rows},
                "what": what,
                **{name: rows[name].map(_SCORE) for name in ("mean", "low", "high")},
            },
            of=("system",),
            span=(rows["low"], rows["high"]),
        )
        dots: dict[str, Any] = {"color": THEME["blue"], "markersize": 4.4 if n_columns == 1 else 3.2, "zorder": 4}
        full = rows["full"].to_numpy() if "full" in rows else np.ones(len(rows), dtype=bool)
        axes.plot(rows["mean"][full], y[full], "o", **dots)
        if not full.all():
            axes.plot(rows["mean"][~full], y[~full], "o", markerfacecolor=THEME["paper"], **dots)
        axes.set_xlim(lowest - margin, highest + margin)
        row_names(axes, names[inside], y, size=size, ranks=ranks[inside])
        tidy_axes(axes, grid="x", spines=("bottom",))
        axes.locator_params(
            axis="x", nbins=7 if n_columns == 1 else 4, integer=bool((ends % 1.0 == 0.0).all())
        )  # ranks
        if n_columns == 1:
            axes.set_xlabel(label)
    if n_columns > 1:
        figure.text(0.5, 0.012, label, ha="center", va="bottom", fontsize=8.5, color=THEME["muted"])
    return figure


def _compact_distributions(spread: Spread) -> Figure:
    figure = Figure(figsize=(page_width(), 4.1))
    axes = inch_axes(figure, left=0.75, right=0.15, top=0.42, bottom=FOOT)
    n_systems = len(spread.systems)
    ranks = np.arange(1, n_systems + 1)
    edge, low, middle, high, top = spread.quantiles
    thick = min(4.5, 0.62 * 72 * (page_width() - 0.9) / n_systems)
    bars(
        axes,
        edge,
        top,
        ranks,
        color=THEME["pale-blue"],
        linewidth=0.8,
        upright=True,
        label=f"5 % to 95 % of {unit().topics}",
    )
    bars(axes, low, high, ranks, color=THEME["pale-blue"], linewidth=thick, upright=True, label="middle half")
    axes.plot(ranks, middle, "_", color=THEME["blue"], markersize=thick + 1, markeredgewidth=1.3, label="median")
    axes.plot(ranks, spread.means, color=THEME["orange"], linewidth=1.5, label="mean")
    _note_spread(axes, (ranks, spread.means), spread, upright=True)
    axes.set_xlim(0, n_systems + 1)
    axes.set_xticks(np.unique([1, *range(20, n_systems - 9, 20), n_systems]))
    axes.set_xlabel("systems, by rank of their mean (names: ranking of the systems)")
    axes.set_ylabel(_score_axis(spread))
    tidy_axes(axes, grid="y")
    key_above(axes, columns=4)
    return figure


def _score_axis(spread: Spread) -> str:
    return score_label(spread.metric, f"{{}} of {unit().a_topic}", higher=spread.higher)


def _note_spread(
    axes: Axes, place: tuple[NDArray[Any], NDArray[Any]], spread: Spread, *, upright: bool = False
) -> None:
    _, low, middle, high, _ = spread.quantiles
    statistics = {"mean": spread.means, "low": low, "middle": middle, "high": high}
    note_points(
        axes,
        *place,
        "{rank}. {system}: mean {metric} {mean}, median {middle}, middle half {low} to {high}",
        {
            "rank": [str(rank) for rank in range(1, len(spread.systems) + 1)],
            "system": spread.systems,
            "metric": name_of_metric(spread.metric),
            **{name: [_SCORE(value) for value in ends] for name, ends in statistics.items()},
        },
        of=("system",),
        span=(low, high),
        upright=upright,
    )


def _quantiles(values: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quantiles of the numbers that are known, bit by bit as `numpy.nanquantile` computes them.

    That partitions around each quantile, which for a thousand of them takes several times as long as to sort.
    """
    ordered = np.sort(values[~np.isnan(values)])
    if not len(ordered):
        return np.full(len(shares), np.nan)
    position = (len(ordered) - 1) * shares
    before = position.astype(np.int64)
    low, high, fraction = ordered[before], ordered[np.minimum(before + 1, len(ordered) - 1)], position - before
    return np.where(fraction < 0.5, low + (high - low) * fraction, high - (high - low) * (1.0 - fraction))  # noqa: PLR2004 - nearer


def _strokes(axes: Axes, values: NDArray[np.float64], rows: NDArray[np.int64], **style: object) -> None:
    """Draw one short upright stroke per value, all as one path."""
    x = np.repeat(values, 3, axis=1).ravel()
    offsets = np.tile([-0.3, 0.3, np.nan], values.shape[1])
    y = (rows[:, None] + offsets).ravel()
    axes.plot(x, y, solid_capstyle="butt", **style)  # type: ignore[arg-type]  # properties of a line


def _padded_limits(axes: Axes, values: NDArray[np.float64]) -> None:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    pad = 0.015 * ((high - low) or 1.0)
    axes.set_xlim(low - pad, high + pad)
