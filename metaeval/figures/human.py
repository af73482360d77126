"""The pictures of a comparison with human scores: agreement, systems as points, metric against metric."""

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from metaeval.figures.style import (
    CYCLE,
    FOOT,
    PAGE_WIDTH,
    RIMMED,
    THEME,
    bars,
    inch_axes,
    rows_figure,
    short_name,
    styled,
    text_width,
    tidy_axes,
)

__all__ = ["comparison_map", "correlation_dots", "system_scatters"]

_COLUMNS = 3


@styled
def correlation_dots(frame: pd.DataFrame, *, label: str) -> Figure:
    """Draw the agreement of every metric with its interval, best first.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, value, low and high.
    label : str
        What the axis says.
    """
    ordered = frame.sort_values("value", ascending=False, kind="stable")
    rows = np.arange(len(ordered))
    figure, axes = rows_figure(ordered["metric"].tolist(), row_height=0.22, top=0.15)
    low, high = (ordered[name].fillna(ordered["value"]) for name in ("low", "high"))
    bars(axes, low, high, rows, color=CYCLE[0], linewidth=1.7)
    axes.plot(ordered["value"], rows, "o", color=CYCLE[0], markersize=5.4, **RIMMED)
    least = float(np.nanmin([*low, 0.0]))
    axes.set_xlim(least - 0.03, 1.02)
    axes.axvline(0, color=THEME["muted"], linewidth=0.8, zorder=1)
    axes.set_xlabel(label)
    return figure


@styled
def system_scatters(means: pd.DataFrame, *, reference: str, metrics: list[str]) -> Figure:
    """Draw every system as a point, human score against metric, one panel a metric.

    Parameters
    ----------
    means : pandas.DataFrame
        Systems in rows, metrics and the reference in columns.
    reference : str
    metrics : list of str
        Panels, in this order.
    """
    rows = math.ceil(len(metrics) / _COLUMNS)
    cell = PAGE_WIDTH / _COLUMNS
    figure = Figure(figsize=(PAGE_WIDTH, rows * cell + 0.1))
    height = rows * cell + 0.1
    for place, metric in enumerate(metrics):
        row, column = divmod(place, _COLUMNS)
        axes = inch_axes(
            figure,
            left=column * cell + 0.62,
            right=PAGE_WIDTH - (column + 1) * cell + 0.2,
            top=row * cell + 0.28,
            bottom=height - (row + 1) * cell + 0.1 + FOOT,
        )
        axes.plot(means[metric], means[reference], "o", color=CYCLE[0], markersize=4.6, **RIMMED)
        axes.set_title(short_name(metric, 26), fontsize=9, fontweight="bold", loc="left")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_xlabel("mean score of the metric")
        if column == 0:
            axes.set_ylabel(f"mean {short_name(reference, 20)}")
        tidy_axes(axes, grid="y")
    return figure


@styled
def comparison_map(table: pd.DataFrame, *, order: list[str], alpha: float) -> Figure:
    """Draw which metric follows people significantly better than which: a field a pair, the better one in the row.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns metric_a, metric_b, difference and p_corrected.
    order : list of str
        Metrics, best first.
    alpha : float
    """
    names = [short_name(name, 24) for name in order]
    count = len(order)
    left = 0.25 + max(text_width(name, 8) for name in names)
    side = min(PAGE_WIDTH - left - 0.15, 0.34 * count)
    figure = Figure(figsize=(PAGE_WIDTH, side + 0.43 + left))
    axes = inch_axes(figure, left=left, right=PAGE_WIDTH - left - side, top=0.3, bottom=left + 0.1)
    axes.set_title("blue: the row's metric is significantly better than the column's", fontsize=8.5, loc="left")
    place = {name: row for row, name in enumerate(order)}
    shades = np.zeros((count, count))
    for a, b, difference, p in table[["metric_a", "metric_b", "difference", "p_corrected"]].to_numpy().tolist():
        if p <= alpha and difference:
            better, worse = (a, b) if difference > 0 else (b, a)
            shades[place[better], place[worse]] = 1.0
    for row, column in np.argwhere(shades > 0):
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, color=THEME["blue"], linewidth=0))
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_xticks(range(count), names, rotation=90)
    axes.set_yticks(range(count), names)
    tidy_axes(axes, grid="", spines=())
    axes.tick_params(length=0, labelsize=8)
    axes.set_xticks(np.arange(-0.5, count), minor=True)
    axes.set_yticks(np.arange(-0.5, count), minor=True)
    axes.grid(which="minor", color=THEME["rule"], linewidth=0.6)
    axes.tick_params(which="minor", length=0)
    return figure
