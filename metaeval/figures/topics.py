"""The pictures of a topics study: error curves, differences that last, and topic counts with their intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator
from numpy.typing import NDArray

from metaeval.base.unit import unit
from metaeval.base.words import absent, interval, share
from metaeval.figures import style
from metaeval.figures.marks import note_line, note_points

_PERCENTS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_LOWEST, _HIGHEST = 0.002, 0.55
_IN_ROW = 5
"""Keys of tolerances side by side."""
_ALIKE = 4  # so many colours of the cycle differ for everyone, on a dark page too; then the dashes change


@style.styled
def error_panels(frame: pd.DataFrame, *, tolerances: Sequence[str], max_error: float, seen_to: int) -> Figure:
    """Draw the error rate against the size of the topic sets, one panel a metric and one line a tolerance.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, tolerance, size, seen, fitted and, where there are bands, median (drawn instead of fitted), low
        and high, with predicted_low and predicted_high for the bars behind what was seen; rates as shares. Rates of
        zero have no place on the logarithmic scale.
    tolerances : sequence of str
        What the tolerances are called, in ascending order.
    max_error : float
        A line is drawn at it.
    seen_to : int
        Largest size observed; the curves are dashed beyond.
    """
    metrics, levels = list(dict.fromkeys(frame["metric"])), np.unique(frame["tolerance"])
    columns, largest = min(2, len(metrics)), int(frame["size"].max())
    names = [style.metric_label(name) for name in metrics]
    top = 0.15 + 0.2 * int(np.ceil(len(levels) / _IN_ROW))
    figure, panels = style.panel_grid(names, columns=columns, height=2.3, left=0.72, top=top)
    for metric, axes in zip(metrics, panels, strict=True):
        for index, (tolerance, name) in enumerate(zip(levels, tolerances, strict=True)):
            selected = frame[(frame["metric"] == metric) & (frame["tolerance"] == tolerance)]
            color, label = style.CYCLE[index % len(style.CYCLE)], f"tolerance {style.short_name(name)}"
            _error_line(axes, selected, color, seen_to, label=label)
            _note_errors(axes, selected, color, label=label, tolerance=str(name))
        _error_scale(axes, max_error)
        axes.set(xlim=(0, largest), xlabel=f"{unit().topics} in each set")
    style.label_first_column(panels, columns, "error rate")
    style.key_of_figure(figure, *panels[0].get_legend_handles_labels(), columns=_IN_ROW)
    return figure


@style.styled
def tolerance_panels(frame: pd.DataFrame, *, tolerances: Sequence[str], max_error: float) -> Figure:
    """Draw the error rates seen, one panel a tolerance and one line a metric: metrics compared at equal sizes.

    Every panel has a scale of its own: the tolerances differ far more than the metrics.

    Parameters
    ----------
    frame, tolerances, max_error
        As in `error_panels`; only the columns metric, tolerance, size and seen are used.
    """
    metrics, levels = list(dict.fromkeys(frame["metric"])), np.unique(frame["tolerance"])
    names = [style.metric_label(f"tolerance {name}") for name in tolerances]
    n_rows = int(np.ceil(len(metrics) / 6))
    columns = min(3, len(levels))
    figure, panels = style.panel_grid(names, columns=columns, height=2.1, left=0.72, top=0.15 + 0.2 * n_rows)
    for tolerance, axes in zip(levels, panels, strict=True):
        for index, metric in enumerate(metrics):
            selected = frame[(frame["metric"] == metric) & (frame["tolerance"] == tolerance) & (frame["seen"] > 0)]
            look: dict[str, Any] = {"color": style.CYCLE[index % len(style.CYCLE)], "linewidth": 1.4}
            dashes = style.DASHES[index // _ALIKE % _ALIKE]
            axes.plot(selected["size"], selected["seen"], label=style.metric_label(metric), linestyle=dashes, **look)
            note_line(
                axes,
                selected["size"],
                selected["seen"],
                f"{{metric}}, {{size}} {unit().topics}, {{tolerance}}: error rate {{seen}} as observed",
                {
                    "metric": str(metric),
                    "size": selected["size"],
                    "tolerance": f"tolerance {tolerances[levels.tolist().index(tolerance)]}",
                    "seen": selected["seen"].map(share),
                },
                of=("metric",),
                label=style.metric_label(metric),
                color=look["color"],
            )
        seen = frame.loc[(frame["tolerance"] == tolerance) & (frame["seen"] > 0), "seen"]
        _error_scale(axes, max_error, seen.min() / 1.2, seen.max() * 1.2)
        axes.set_xlabel(f"{unit().topics} in each set")
    style.label_first_column(panels, columns, "error rate")
    style.key_of_figure(figure, *panels[0].get_legend_handles_labels(), columns=6)
    return figure


@style.styled
def difference_panels(frame: pd.DataFrame, marks: pd.DataFrame, *, max_error: float) -> Figure:
    """Draw how often a difference of a given size changes its sign on other topics, one panel a metric.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a metric and bin: metric, lower_edge, upper_edge, error_rate, low, high.
    marks : pandas.DataFrame
        One row a metric: metric and difference, the one that can be trusted (missing if none can).
    max_error : float
        A line is drawn at it.
    """
    metrics = list(dict.fromkeys(frame["metric"]))
    columns, right = min(3, len(metrics)), float(frame["lower_edge"].max())
    top = max(50.0, 102 * float(np.nanmax(frame[["error_rate", "high"]].to_numpy(), initial=0.0)))
    names = [style.metric_label(name) for name in metrics]
    figure, panels = style.panel_grid(names, columns=columns, height=1.7, left=0.6, top=0.1)
    for metric, axes in zip(metrics, panels, strict=True):
        of_metric = frame[frame["metric"] == metric]
        middle = _bin_centres(of_metric)
        style.bars(
            axes,
            100 * of_metric["low"],
            100 * of_metric["high"],
            middle,
            color=style.THEME["pale-blue"],
            linewidth=2.6,
            upright=True,
        )
        axes.plot(middle, 100 * of_metric["error_rate"], "o", color=style.THEME["blue"], markersize=3.6, zorder=4)
        note_points(
            axes,
            middle,
            100 * of_metric["error_rate"],
            "{metric}, difference from {lower} to {upper}: error rate {error}, interval {bounds}",
            {
                "metric": str(metric),
                "lower": [f"{edge:.3g}" for edge in of_metric["lower_edge"]],
                "upper": [f"{edge:.3g}" for edge in of_metric["upper_edge"]],
                "error": of_metric["error_rate"].map(share),
                "bounds": [interval(*ends) for ends in zip(of_metric["low"], of_metric["high"], strict=True)],
            },
            of=("metric",),
            span=(100 * of_metric["low"], 100 * of_metric["high"]),
            upright=True,
        )
        axes.axhline(100 * max_error, **style.BOUND)
        (difference,) = marks.loc[marks["metric"] == metric, "difference"]
        if np.isfinite(difference):
            axes.axvline(difference, color=style.THEME["orange"], linewidth=1.2, zorder=1)
            side, shift = ("right", -4) if difference > 0.6 * right else ("left", 4)
            axes.annotate(
                f"{difference:g}",
                (difference, top),
                xytext=(shift, -2),
                textcoords="offset points",
                ha=side,
                va="top",
                fontsize=8,
                color=style.THEME["orange"],
            )
        axes.set(ylim=(0, top), xlim=(0, None), xlabel="difference on the first set")
        style.tidy_axes(axes, grid="y")
    style.label_first_column(panels, columns, "error rate (%)")
    return figure


@style.styled
def count_rows(frame: pd.DataFrame, *, at_hand: int) -> Figure:
    """Draw topic counts with their intervals, one row a metric and tolerance, on a logarithmic scale.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, label (of the tolerance), median, low, high.
    at_hand : int
        Topics at hand; a line is drawn at it.
    """
    rows: list[tuple[str, int | None]] = []
    for metric, selected in frame.groupby("metric", sort=False):
        rows += [
            (style.metric_label(metric), None),
            *((str(frame.loc[index, "label"]), int(index)) for index in selected.index),
        ]
    heads = {position for position, (_, index) in enumerate(rows) if index is None}
    figure, axes = style.rows_figure([name for name, _ in rows], row_height=0.2, top=0.3, right=0.3, heads=heads)
    y = np.array([position for position, (_, index) in enumerate(rows) if index is not None])
    selected = frame.loc[[index for _, index in rows if index is not None]]
    far = 10.0 ** np.ceil(
        np.log10(np.nanmax(np.where(np.isfinite(selected["high"]), selected["high"], selected["median"])))
    )
    far = float(np.clip(far, 10.0 * at_hand, 1e6))
    low, high = (np.clip(selected[name].fillna(far), 1, far) for name in ("low", "high"))
    style.bars(axes, low, high, y, color=style.THEME["pale-blue"], linewidth=3.2)
    inside = selected["median"].to_numpy() <= far
    axes.plot(
        selected["median"].to_numpy()[inside], y[inside], "o", color=style.THEME["blue"], markersize=4.8, **style.RIMMED
    )
    note_points(
        axes,
        np.fmin(selected["median"].fillna(far), far),
        y,
        f"{{metric}}, {{tolerance}}: {{median}} {unit().topics}, interval {{low}} to {{high}}",
        {
            "metric": selected["metric"],
            "tolerance": selected["label"],
            **{name: [_topics(value) for value in selected[name]] for name in ("median", "low", "high")},
        },
        of=("metric",),
        span=(low, high),
    )
    style.mark_value(axes, at_hand, f"{at_hand} {unit().topics} at hand")
    axes.set(xscale="log", xlim=(1, far))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"{unit().topics} needed in each set (logarithmic scale)")
    return figure


def _topics(value: float) -> str:
    """Write a number of topics, which may be too many for any collection."""
    return f"{value:.0f}" if np.isfinite(value) else "no upper limit"


def _modelled(part: pd.DataFrame) -> pd.Series:
    """Return the model's median as far as it goes, or the curve fitted where there is no model."""
    return part["median"] if "median" in part and part["median"].notna().any() else part["fitted"]


def _note_errors(axes: Axes, part: pd.DataFrame, color: str, *, label: str, tolerance: str) -> None:
    """Note what the model says at every size, and what was seen there."""
    line = _modelled(part)
    told = zip(line, part.get("low", line * np.nan), part.get("high", line * np.nan), strict=True)
    positive = (line > 0).to_numpy()
    words = [share(value) + ("" if absent(low) else f", interval {interval(low, high)}") for value, low, high in told]
    observed = ["" if absent(seen) else f"; observed {share(seen)}" for seen in part["seen"]]
    note_line(
        axes,
        part["size"].to_numpy()[positive],
        line.to_numpy()[positive],
        f"{{metric}}, {{size}} {unit().topics}, tolerance {{tolerance}}: error rate {{rate}}{{observed}}",
        {
            "metric": part["metric"][positive],
            "size": part["size"][positive],
            "tolerance": tolerance,
            "rate": [word for word, is_positive in zip(words, positive, strict=True) if is_positive],
            "observed": [word for word, is_positive in zip(observed, positive, strict=True) if is_positive],
        },
        of=("metric",),
        label=label,
        color=color,
    )


def _error_line(axes: Axes, part: pd.DataFrame, color: str, seen_to: int, *, label: str) -> None:
    sizes, line = part["size"].to_numpy(dtype=float), _modelled(part)
    if "low" in part:
        low, high = (part[name].clip(lower=_LOWEST / 10).to_numpy() for name in ("low", "high"))
        axes.fill_between(sizes, low, high, color=color, alpha=0.16, linewidth=0)
    near, far = sizes <= seen_to, sizes >= seen_to
    axes.plot(sizes[near], line[near], color=color, linewidth=1.4, label=label)
    axes.plot(sizes[far], line[far], color=color, linewidth=1.2, linestyle=(0, (3, 2)))
    dots = part[part["seen"] > 0]
    if "predicted_low" in part:
        ends = part[["size", "predicted_low", "predicted_high"]].dropna()
        look: dict[str, Any] = {"color": color, "linewidth": 0.8, "alpha": 0.6, "upright": True}
        style.bars(axes, ends["predicted_low"], ends["predicted_high"], ends["size"], **look)
    axes.plot(dots["size"], dots["seen"], "o", color=color, markersize=2.4, markeredgewidth=0, alpha=0.75)


def _error_scale(axes: Axes, max_error: float, low: float = _LOWEST, high: float = _HIGHEST) -> None:
    """Give an axis percentages on a logarithmic scale, from `low` to `high` as far as they make sense."""
    low = min(np.fmax(low, _LOWEST), max_error / 1.2)
    high = max(np.fmin(high, _HIGHEST), 1.2 * max_error)
    axes.axhline(max_error, **style.BOUND)
    axes.set(yscale="log", ylim=(low, high))
    axes.yaxis.set_major_locator(FixedLocator([value for value in _PERCENTS if low <= value <= high]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    style.tidy_axes(axes, grid="y")


def _bin_centres(part: pd.DataFrame) -> NDArray[np.float64]:
    low, high = part["lower_edge"].to_numpy(), part["upper_edge"].to_numpy()
    width = np.min(high[np.isfinite(high)] - low[np.isfinite(high)]) if np.isfinite(high).any() else 0.0
    return np.asarray(low + width / 2)
