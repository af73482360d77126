# ruff: noqa: RUF001 - typographic minus and Greek letters are meant for people
"""The pictures of a comparison of judges: agreement with a reference, agreement of all pairs, topics one by one."""

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from metaeval.base.words import bracketed, number
from metaeval.figures import style
from metaeval.figures.marks import note_cells, note_points

_SHADES = LinearSegmentedColormap.from_list("agreement", ["#f3e3d7", "#ffffff", "#a6cee6", "#0072b2"])
_DARK = 0.72
_LARGEST_CELL, _SMALLEST_MAP = 0.6, 1.8
"""In inches: of few judges a map stays small."""
_WRITTEN = 16
_VALUE = number(3)


@style.styled
def agreement_dots(frame: pd.DataFrame, *, label: str) -> Figure:
    """Draw the agreement of every metric or judge with its interval, best first.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns name, value, low and high; NaN where there is no interval. Where there are columns chance and
        chance_high, a grey bar from one to the other.
    label : str
        What the axis says.
    """
    ordered = frame.sort_values("value", ascending=False, kind="stable")
    rows = np.arange(len(ordered))
    figure, axes = style.rows_figure(ordered["name"].tolist(), row_height=0.22, top=0.15)
    low, high = (ordered[name].fillna(ordered["value"]) for name in ("low", "high"))
    if "chance" in ordered:
        style.bars(axes, ordered["chance"], ordered["chance_high"], rows, color=style.THEME["rule"], linewidth=4)
    style.bars(axes, low, high, rows, color=style.CYCLE[0], linewidth=1.7)
    axes.plot(ordered["value"], rows, "o", color=style.CYCLE[0], markersize=5.4, **style.RIMMED)
    bounds = zip(ordered["value"], ordered["low"], ordered["high"], strict=True)
    note_points(
        axes,
        ordered["value"],
        rows,
        "{name}: {value}",
        {"name": ordered["name"], "value": [bracketed(*triple, _VALUE) for triple in bounds]},
        of=("name",),
        span=(low, high),
    )
    axes.axvline(0, color=style.THEME["muted"], linewidth=0.8, zorder=1)
    axes.set(xlim=(float(np.nanmin([0.0, *low])) - 0.03, 1.02), xlabel=label)
    return figure


@style.styled
def agreement_heat_map(matrix: pd.DataFrame, *, label: str) -> Figure:
    """Draw a square table of agreement: rows and columns are judges, a darker field agrees more.

    Parameters
    ----------
    matrix : pandas.DataFrame
        From `LabelAgreement.matrix`.
    label : str
        What the key says.
    """
    names = style.short_names(matrix.index.tolist(), 12 if style.drawn_narrow() else 22)
    count = len(names)
    left = 0.2 + max(style.text_width(name, 7.5) for name in names)
    side = min(style.page_width() - left - 0.95, max(_LARGEST_CELL * count, _SMALLEST_MAP))
    right = style.page_width() - left - side
    figure = Figure(figsize=(style.page_width(), side + style.FOOT + left * 0.8))
    axes = style.inch_axes(figure, left=left, right=right, top=0.12, bottom=style.FOOT + left * 0.8 - 0.12)
    values = matrix.to_numpy(dtype=float)
    picture = axes.imshow(values, cmap=_SHADES, vmin=-0.5, vmax=1.0, interpolation="nearest", aspect="auto")
    axes.set_xticks(range(count), names, rotation=90, fontsize=7.5)
    axes.set_yticks(range(count), names, fontsize=7.5)
    style.tidy_axes(axes, grid="", spines=())
    axes.tick_params(length=0, labelsize=7.5)
    across, down = np.indices(values.shape).reshape(2, -1)
    note_cells(
        axes,
        down,
        across,
        "{row} and {column}: {value}",
        {
            "row": [str(matrix.index[position]) for position in across],
            "column": [str(matrix.columns[position]) for position in down],
            "value": [_VALUE(value) for value in values.ravel()],
        },
        of=("row", "column"),
    )
    if count <= _WRITTEN:
        for row, column in np.argwhere(np.isfinite(values)):
            value = values[row, column]
            ink = style.THEME["paper"] if value > _DARK else style.THEME["ink"]
            axes.text(column, row, f"{value:.2f}".replace("-", "−"), ha="center", va="center", fontsize=7.5, color=ink)
    position = figure.add_axes((1 - (right - 0.2) / style.page_width(), 0.45, 0.02, 0.4))
    bar = figure.colorbar(picture, cax=position)
    bar.set_label(label, color=style.THEME["muted"], fontsize=8.5)
    bar.ax.tick_params(labelsize=7.5, colors=style.THEME["muted"], labelcolor=style.THEME["ink"])
    bar.outline.set_visible(False)
    return figure


@style.styled
def topic_dots(per_topic: pd.DataFrame, *, statistic: str, label: str) -> Figure:
    """Draw one statistic on every topic: a stroke a pair of judges where there are several, and a dot at their mean.

    Parameters
    ----------
    per_topic : pandas.DataFrame
        Columns topic, first, second and the statistic.
    statistic : str
    label : str
    """
    order = per_topic.groupby("topic", sort=False)[statistic].mean().sort_values(ascending=False, kind="stable")
    row_of = {topic: row for row, topic in enumerate(order.index)}
    names = [str(name) for name in order.index]
    figure, axes = style.rows_figure(names, row_height=0.2, top=0.3, above="topic")
    if len(per_topic[["first", "second"]].drop_duplicates()) > 1:
        measured = per_topic[per_topic[statistic].notna()]
        rows = measured["topic"].map(row_of)
        axes.plot(measured[statistic], rows, "|", color=style.THEME["pale-blue"], markersize=7, markeredgewidth=1.0)
    note_points(
        axes,
        order,
        range(len(order)),
        "topic {topic}: {value}",
        {"topic": names, "value": [_VALUE(value) for value in order]},
        of=("topic",),
    )
    axes.plot(order, range(len(order)), "o", color=style.CYCLE[1], markersize=4.6, **style.RIMMED)
    axes.set(xlim=(-0.02, 1.02), xlabel=label)
    return figure
