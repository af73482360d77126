# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The pictures of agreement: matrices as heat maps, shares of votes, and where two metrics disagree."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from metaeval.base.words import bracketed, name_of_metric, number, share
from metaeval.figures import style
from metaeval.figures.marks import note_cells, note_line, note_points

_KIND_WORDS = {
    "both": "significant under both",
    "only predictor": "only under {}",
    "only truth": "only under {}",
    "conflict": "in opposite directions",
}
"""What the classes of disagreement are called; braces hold the metric's name."""

_KIND_COLOURS = {
    "both": style.CYCLE[5],
    "only predictor": style.CYCLE[1],
    "only truth": style.CYCLE[2],
    "conflict": style.CYCLE[11],
}
_KIND_MARKERS = {"both": "o", "only predictor": "^", "only truth": "s", "conflict": "X"}
_FEW = 14
_BLUE = "#1a7fc1"
_MOST_DOTS = 3000
_LINE = 0.16
"""Inches between two names of a list."""
_VALUE = number(3)
_MOST_LARGE = 30
"""So many names of a map of votes are written large."""


@style.styled
def matrix_map(matrix: pd.DataFrame, *, lowest: float = 0.5) -> Figure:
    """Draw a matrix of agreement that is the same both ways as a heat map with its numbers.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Square; values up to 1, NaN where undefined.
    lowest : float, default 0.5
        Values from here down have the palest colour.
    """
    names = [style.metric_label(name, 40) for name in matrix.index]
    n = len(names)
    size = 8.5 if n <= _FEW or style.drawn_narrow() else 6.5
    listed = n * _LINE if style.drawn_narrow() else 0.0  # names below a map that has no room for them beside it
    left = 0.3 if listed else 0.55 + max(style.text_width(name, size) for name in names)
    side = min(0.52 * n, style.page_width() - left - 0.1)
    cell = side / n
    figure = Figure(figsize=(style.page_width(), 0.3 + min(cell, 0.34) * n + 0.1 + listed))
    axes = style.inch_axes(figure, left=left, right=style.page_width() - left - side, top=0.3, bottom=0.1 + listed)
    values = matrix.to_numpy(dtype=float)
    strength = np.clip((np.nan_to_num(values, nan=lowest) - lowest) / (1 - lowest), 0, 1)
    pixels = np.array([[(*to_rgba(_BLUE)[:3], 0.06 + 0.84 * level) for level in row] for row in strength])
    axes.imshow(pixels, interpolation="none", aspect="auto", extent=(0.5, n + 0.5, n + 0.5, 0.5))
    style.tidy_axes(axes, grid="", spines=())
    axes.set_xticks([])
    axes.set_yticks([])
    inch = 1 / side
    for position, name in enumerate(names, 1):
        y = 1 - (position - 0.5) / n
        look: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "center_baseline", "fontsize": size}
        axes.text(-0.08 * inch, y, str(position), color=style.THEME["muted"], **look)
        if listed:
            below = {"xycoords": "figure points", "va": "center_baseline", "fontsize": size}
            axes.annotate(f"{position}  {name}", (4, 72 * (listed - (position - 0.5) * _LINE)), **below)  # type: ignore[arg-type]  # properties of a text
        else:
            axes.text(-0.34 * inch, y, name, **look)
        axes.text(position, 0.4, str(position), ha="center", va="bottom", fontsize=size - 1, color=style.THEME["muted"])
    rows, columns = np.indices((n, n)).reshape(2, -1)
    full_names = [name_of_metric(name) for name in matrix.index]
    note_cells(
        axes,
        columns + 1,
        rows + 1,
        "{row} and {column}: {value}",
        {
            "row": [full_names[row] for row in rows],
            "column": [full_names[column] for column in columns],
            "value": [_VALUE(value) for value in values.ravel()],
        },
        of=("row", "column"),
    )
    digits = 2 if cell > style.text_width(".88", size - 1) + 0.03 else 1
    written = not listed or cell > style.text_width(".8", size - 1)
    for row, column in np.ndindex(n, n) if written else ():
        value = values[row, column]
        words = "–" if np.isnan(value) else f"{value:.{digits}f}".removeprefix("0") if value < 1 else "1"
        color = "#fefefe" if strength[row, column] > 0.62 else style.THEME["ink"]  # noqa: PLR2004 - dark enough
        look = {"ha": "center", "va": "center_baseline", "fontsize": size - 1}
        axes.text(column + 1, row + 1, words, color=color, **look)
    style.cell_edges(axes, n)
    return figure


@style.styled
def share_map(shares: pd.DataFrame, votes: pd.DataFrame) -> Figure:
    """Draw the share of votes of the row's system against the column's: blue where it wins more, orange where less.

    Parameters
    ----------
    shares : pandas.DataFrame
        Square, best system first; NaN where two did not meet.
    votes : pandas.DataFrame
        Votes on every pair, in the same order.
    """
    names = style.short_names(list(map(str, shares.index)), 12 if style.drawn_narrow() else 24)
    count = len(names)
    size = 8.0 if count <= _MOST_LARGE else 5.5
    left = 0.25 + max(style.text_width(name, size) for name in names)
    side = min(style.page_width() - left - 0.15, 0.34 * count)
    figure = Figure(figsize=(style.page_width(), side + 0.1 + left))
    axes = style.inch_axes(figure, left=left, right=style.page_width() - left - side, top=0.1, bottom=left)
    values = shares.to_numpy(dtype=float)
    pixels = np.ones((count, count, 4))
    for row, column in np.ndindex(count, count):
        apart = 0.0 if np.isnan(values[row, column]) else 2.0 * values[row, column] - 1.0
        color = style.THEME["blue"] if apart > 0 else style.THEME["orange"]
        pixels[row, column] = to_rgba(str(color), abs(float(apart)))
    axes.imshow(pixels, interpolation="none", aspect="auto", extent=(-0.5, count - 0.5, count - 0.5, -0.5))
    row, column = (indices[~np.isnan(values).ravel()] for indices in np.indices((count, count)).reshape(2, -1))
    note_cells(
        axes,
        column,
        row,
        "{row} against {column}: {share} of {votes} votes",
        {
            "row": [str(shares.index[index]) for index in row],
            "column": [str(shares.index[index]) for index in column],
            "share": [share(values[pair]) for pair in zip(row, column, strict=True)],
            "votes": [f"{votes.to_numpy()[pair]:,.0f}" for pair in zip(row, column, strict=True)],
        },
        of=("row", "column"),
    )
    axes.set_xticks(range(count), names, rotation=90)
    axes.set_yticks(range(count), names)
    style.tidy_axes(axes, grid="", spines=())
    axes.tick_params(length=0, labelsize=size)
    return figure


@style.styled
def agreement_rows(frame: pd.DataFrame, *, min_f1: float) -> Figure:
    """Draw F1 with its interval, one row a comparison, and a line at what counts as the same.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns label, f1, and f1_low and f1_high where there are intervals; rows with the same words in a column
        group stand below these.
    min_f1 : float
    """
    names: list[str] = []
    heads: list[int] = []
    places: list[int] = []
    for group, rows in frame.groupby("group" if "group" in frame else np.zeros(len(frame)), sort=False):
        if "group" in frame:
            heads.append(len(names))
            names.append(str(group))
        places += range(len(names), len(names) + len(rows))
        names += rows["label"].tolist()
    figure, axes = style.rows_figure(names, row_height=0.24 if not heads else 0.2, top=0.25, limit=46, heads=heads)
    y = np.array(places)
    if "f1_low" in frame:
        style.bars(axes, frame["f1_low"], frame["f1_high"], y, color=style.THEME["pale-blue"], linewidth=3.0)
    axes.plot(frame["f1"], y, "o", color=style.THEME["blue"], markersize=4.8, zorder=4)
    ends = (frame["f1_low"], frame["f1_high"]) if "f1_low" in frame else None
    values = zip(frame["f1"], *(ends or (frame["f1"] * np.nan, frame["f1"] * np.nan)), strict=True)
    note_points(
        axes,
        frame["f1"],
        y,
        "{label}{group}: F1 {value}",
        {
            "label": frame["label"],
            "group": frame["group"].map(", {}".format) if "group" in frame else "",
            "value": [bracketed(*triple, _VALUE) for triple in values],
        },
        of=("label",),
        span=ends,
    )
    style.mark_value(axes, min_f1, f"{min_f1:g}")
    lowest = float(np.nanmin([0.5, *frame["f1"], *frame.get("f1_low", ())]))
    axes.set(xlim=(np.floor(lowest * 10) / 10, 1.01), xlabel="F1 of the significant pairs")
    return figure


@style.styled
def disagreement_panels(
    pairs: pd.DataFrame, densities: pd.DataFrame, *, predictor: str, truth: str, cut: float = np.nan
) -> Figure:
    """Draw where two metrics agree: leads under both as a scatter, and densities over the size of the difference.

    The form of Figure 1 of Ogilvie and Lalmas (2006).

    Parameters
    ----------
    pairs : pandas.DataFrame
        Columns kind ("both", "only predictor", "only truth" or "conflict"), lead_predictor and lead_truth.
    densities : pandas.DataFrame
        Columns kind, difference and density.
    predictor, truth : str
        The two metrics.
    cut : float, optional
        A threshold on the difference to mark.
    """
    names = {"only predictor": style.metric_label(predictor, 36), "only truth": style.metric_label(truth, 36)}
    counts = pairs["kind"].value_counts()
    labels = {
        kind: f"{words.format(names.get(kind, ''))} ({counts[kind]})"
        for kind, words in _KIND_WORDS.items()
        if counts.get(kind, 0)
    }
    columns = (
        4 if sum(style.text_width(words, 7.5) + 0.35 for words in labels.values()) < style.page_width() - 0.5 else 2
    )
    top = 0.35 if len(labels) <= columns else 0.52
    if style.drawn_narrow():
        columns, top, row = 1, 0.2 * len(labels), 2.9 + style.FOOT + 0.2
        figure = Figure(figsize=(style.page_width(), top + 2 * row))
        scatter = style.inch_axes(figure, left=0.75, right=0.15, top=top, bottom=row + style.FOOT + 0.2)
        curves = style.inch_axes(figure, left=0.75, right=0.15, top=top + row, bottom=style.FOOT + 0.2)
    else:
        figure = Figure(figsize=(style.page_width(), top + 2.9 + style.FOOT))
        scatter = style.inch_axes(figure, left=0.75, right=style.page_width() - 3.65, top=top, bottom=style.FOOT)
        curves = style.inch_axes(figure, left=4.55, right=0.15, top=top, bottom=style.FOOT)
    for kind, label in labels.items():
        of_kind = pairs[pairs["kind"] == kind]
        dots = of_kind.iloc[:: max(1, len(of_kind) // _MOST_DOTS)]
        look: dict[str, Any] = {"color": _KIND_COLOURS[kind], "markersize": 3.0, "markeredgewidth": 0, "alpha": 0.65}
        scatter.plot(dots["lead_predictor"], dots["lead_truth"], _KIND_MARKERS[kind], label=label, **look)
        named = {name: dots[name] for name in ("system_a", "system_b") if name in dots}
        who = "{system_a} and {system_b}: " if named else ""
        note_points(
            scatter,
            dots["lead_predictor"],
            dots["lead_truth"],
            who + "{kind}; lead {x} under {predictor}, {y} under {truth}",
            {
                **named,
                "kind": _KIND_WORDS[kind].format(names.get(kind, "")),
                "predictor": name_of_metric(predictor),
                "truth": name_of_metric(truth),
                "x": dots["lead_predictor"].map(_VALUE),
                "y": dots["lead_truth"].map(_VALUE),
            },
            of=tuple(named),
            label=label,
            color=_KIND_COLOURS[kind],
        )
        curve = densities[densities["kind"] == kind]
        note_line(
            curves,
            curve["difference"],
            curve["density"],
            "{kind}: density {y} at a difference of {x}",
            {
                "kind": _KIND_WORDS[kind].format(names.get(kind, "")),
                "x": curve["difference"].map(_VALUE),
                "y": curve["density"].map("{:.3g}".format),
            },
            label=label,
            color=_KIND_COLOURS[kind],
        )
        curves.plot(curve["difference"], curve["density"], color=_KIND_COLOURS[kind], linewidth=1.5)
    _zero_lines(scatter)
    style.tidy_axes(scatter, grid="")
    scatter.set_xlabel(f"lead under {style.metric_label(predictor, 32)}")
    scatter.set_ylabel(f"lead under {style.metric_label(truth, 28)}")
    scatter.locator_params(nbins=5)
    style.tidy_axes(curves, grid="y")
    curves.set(xlim=(0, None), ylim=(0, None), xlabel=f"|difference| under {style.metric_label(predictor, 22)}")
    curves.set_ylabel("density of pairs")
    curves.locator_params(nbins=5)
    if cut > 0:
        curves.axvline(cut, color=style.THEME["muted"], linewidth=1.0, linestyle=(0, (4, 3)))
    handles, words = scatter.get_legend_handles_labels()
    corner = ((0.05 if style.drawn_narrow() else 0.4) / style.page_width(), 1.0)
    look = style.KEY_STYLE | {"fontsize": 7.5}
    figure.legend(handles, words, loc="upper left", bbox_to_anchor=corner, ncols=columns, borderaxespad=0.1, **look)
    return figure


def _zero_lines(axes: Axes) -> None:
    low, high = axes.get_ylim()
    if low < 0 < high:
        axes.axhline(0, color=style.THEME["rule"], linewidth=0.8, zorder=0)
    low, high = axes.get_xlim()
    if low < 0 < high:
        axes.axvline(0, color=style.THEME["rule"], linewidth=0.8, zorder=0)
