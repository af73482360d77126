# ruff: noqa: RUF001 - typographic minus and Greek letters are meant for people
"""The pictures of discriminative power: significance levels of all pairs, shares of pairs, and their differences."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from metaeval.base.words import bracketed, number, share
from metaeval.figures import style
from metaeval.figures.marks import Column, note_line, note_points

_KEY_TITLE = "significantly different pairs at α"
_SOLID, _DASHED = 6, 4
_SMALL_NOTE: dict[str, Any] = {
    "textcoords": "offset points",
    "fontsize": 7.5,
    "color": style.THEME["muted"],
    "annotation_clip": False,
}


@style.styled
def asl_curves(curves: pd.DataFrame, *, alpha: float, significant: Mapping[str, int]) -> Figure:
    """Draw the achieved significance levels of all pairs, sorted, one line a metric, from 0 to twice alpha.

    Parameters
    ----------
    curves : pandas.DataFrame
        Columns metric and asl, a row a pair; with system_a and system_b a reader can see which pair it is.
    alpha : float
        The level; a line is drawn at it.
    significant : mapping of str to int
        How many pairs of every metric are significant at that level.
    """
    metrics = list(dict.fromkeys(curves["metric"]))
    parts = [curves[curves["metric"] == name].sort_values("asl", kind="stable") for name in metrics]
    levels = [curve["asl"].to_numpy(dtype=float) for curve in parts]
    n_pairs = len(levels[0])
    ranks = np.arange(1, n_pairs + 1)
    right = min(float(n_pairs), max(1.0, *(float(np.interp(2 * alpha, line, ranks)) for line in levels)) * 1.04)
    counts = [significant[name] for name in metrics]
    labels = [f"{style.metric_label(name, 34)}: {number}" for name, number in zip(metrics, counts, strict=True)]
    key = style.key_room(labels, _KEY_TITLE)
    figure = Figure(figsize=(style.page_width(), 3.2 if style.drawn_narrow() else max(3.9, 0.9 + 0.24 * len(metrics))))
    axes = style.inch_axes(figure, left=0.75, right=key, top=0.15, bottom=style.FOOT)
    handles = []
    for index, line in enumerate(levels):
        dash = style.DASHES[index // _SOLID % _DASHED]
        look: dict[str, Any] = {"color": style.CYCLE[index % len(style.CYCLE)], "linestyle": dash, "linewidth": 1.6}
        mark: dict[str, Any] = {
            "marker": style.MARKERS[index % len(style.MARKERS)],
            "markersize": 6.4,
            "markeredgewidth": 0,
        }
        axes.plot(ranks, line, **look)
        pairs = parts[index].get("system_a", ""), parts[index].get("system_b", "")
        _note_levels(axes, metrics[index], line, *pairs, label=labels[index], color=look["color"])
        if line[0] < alpha < line[-1]:
            axes.plot(np.interp(alpha, line, ranks), alpha, color=look["color"], zorder=4, **mark)
        handles.append(Line2D([], [], **look, **mark))
    axes.axhline(alpha, **style.BOUND)
    axes.annotate(
        f"α = {alpha:g}", (0, alpha), xytext=(4, 4), textcoords="offset points", fontsize=8, color=style.THEME["ink"]
    )
    axes.set(xlim=(0, right), ylim=(0, 2 * alpha))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.set_xlabel(f"pairs of systems, sorted by achieved significance level ({n_pairs:,} in all)")
    axes.set_ylabel("achieved significance level (ASL)")
    style.tidy_axes(axes, grid="y")
    order = np.argsort([-number for number in counts], kind="stable")
    style.key_beside(axes, [handles[index] for index in order], [labels[index] for index in order], title=_KEY_TITLE)
    return figure


def _note_levels(  # noqa: PLR0913 - a curve and what it is of
    axes: Axes, metric: str, levels: NDArray[np.float64], a: Column, b: Column, *, label: str, color: str
) -> None:
    ranks = range(1, len(levels) + 1)
    who = "" if isinstance(a, str) else "{a} and {b}: "
    note_line(
        axes,
        ranks,
        levels,
        f"{who}ASL {{asl}} under {{metric}}, pair {{rank}} in order",
        {
            "metric": str(metric),
            "a": a,
            "b": b,
            "asl": [f"{level:.4f}" for level in levels],
            "rank": [str(rank) for rank in ranks],
        },
        of=("metric",) if isinstance(a, str) else ("metric", "a", "b"),
        label=label,
        color=color,
    )


@style.styled
def power_dots(frame: pd.DataFrame) -> Figure:
    """Draw the share of significantly different pairs, with its interval, under every correction side by side.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per metric, test and correction; columns metric, power and, where there are intervals, power_low and
        power_high; test and correction as people call them, corrections drawn in the order in which their column
        sorts (a categorical one sorts by its categories).
    """
    tests = list(dict.fromkeys(frame["test"]))
    corrections = list(dict.fromkeys(frame["correction"].sort_values(kind="stable")))
    extremes = frame.groupby("metric", sort=False)["power"].agg(["min", "max"])
    order = extremes.sort_values(["min", "max"], ascending=False, kind="stable").index  # as the title counts: corrected
    single = len(tests) == 1
    rows = [(metric, test) for metric in order for test in (tests if single else ["", *tests])]
    row_of = {row: index for index, row in enumerate(rows)}
    names = [style.metric_label(metric, 40) if single or not test else test for metric, test in rows]
    heads = set() if single else {index for index, (_, test) in enumerate(rows) if not test}
    height = 0.2 + 0.13 * len(corrections) if single else 0.22
    top = 0.24 + 0.18 * int(np.ceil(len(corrections) / 3))
    right = 0.55 if single else 0.15
    figure, axes = style.rows_figure(names, row_height=height, top=top, right=right, limit=40, heads=heads)
    shifts = np.linspace(-1, 1, len(corrections)) * (0.17 if single else 0.09) * (len(corrections) - 1)
    for index, (correction, shift) in enumerate(zip(corrections, shifts, strict=True)):
        of_correction = frame[frame["correction"] == correction]
        y = np.array([row_of[row] for row in zip(of_correction["metric"], of_correction["test"], strict=True)]) + shift
        color, mark = style.CYCLE[index % len(style.CYCLE)], style.MARKERS[index % len(style.MARKERS)]
        if "power_low" in of_correction:
            style.bars(
                axes, 100 * of_correction["power_low"], 100 * of_correction["power_high"], y, color=color, linewidth=1.5
            )
        look: dict[str, Any] = {"color": color, "label": correction, "clip_on": False, **style.RIMMED}
        axes.plot(100 * of_correction["power"], y, mark, markersize=5.6 if single else 5.0, **look)
        ends = [of_correction.get(name, of_correction["power"] * np.nan) for name in ("power_low", "power_high")]
        note_points(
            axes,
            100 * of_correction["power"],
            y,
            "{metric}, {test}, {correction}: {power} of the pairs",
            {
                "metric": of_correction["metric"],
                "test": of_correction["test"],
                "correction": str(correction),
                "power": [bracketed(*triple) for triple in zip(of_correction["power"], *ends, strict=True)],
            },
            of=("metric",),
            span=(100 * ends[0], 100 * ends[1]),
            label=str(correction),
            color=color,
        )
        right_ends = ends[1].fillna(of_correction["power"])
        for x, level, power in zip(100 * right_ends, y, of_correction["power"], strict=True) if single else ():
            axes.annotate(share(power), (x, level), xytext=(7, 0), va="center", **_SMALL_NOTE)
    axes.set(xlim=(0, 100), xlabel="discriminative power: share of significantly different pairs (%)")
    style.key_above(axes, columns=3)
    return figure


@style.styled
def power_differences(frame: pd.DataFrame) -> Figure:
    """Draw how far the discriminative powers of two metrics lie apart, with intervals.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric_a, metric_b, difference (of a minus b, as a share), low, high.
    """
    labels = [
        f"{style.metric_label(a)} − {style.metric_label(b)}"
        for a, b in zip(frame["metric_a"], frame["metric_b"], strict=True)
    ]
    rows = np.arange(len(labels))
    figure, axes = style.rows_figure(labels, row_height=0.26, top=0.15, limit=50)
    low, high = 100 * frame["low"].to_numpy(), 100 * frame["high"].to_numpy()
    middle = 100 * frame["difference"].to_numpy()
    clear = (low > 0) | (high < 0)
    axes.axvline(0, color=style.THEME["ink"], linewidth=0.9, zorder=1)
    for mask, color, face in ((clear, "blue", "blue"), (~clear, "muted", "paper")):
        style.bars(axes, low[mask], high[mask], rows[mask], color=style.THEME[color], linewidth=1.6)
        rim: dict[str, Any] = {"markeredgecolor": style.THEME[color], "markeredgewidth": 1.3, "zorder": 4}
        axes.plot(middle[mask], rows[mask], "o", color=style.THEME[face], markersize=5.4, **rim)
    axes.set_xlabel("difference in discriminative power (percentage points)")
    note_points(
        axes,
        middle,
        rows,
        "{a} minus {b}: {difference} points, interval {low} to {high}",
        {
            "a": frame["metric_a"],
            "b": frame["metric_b"],
            **{
                name: [number(1)(value) for value in ends]
                for name, ends in (("difference", middle), ("low", low), ("high", high))
            },
        },
        of=("a", "b"),
        span=(low, high),
    )
    return figure


@style.styled
def decided_bars(frame: pd.DataFrame, kind: Literal["probable", "completions"] = "probable") -> Figure:
    """Draw what is decided of the pairs of systems under each metric: shares that add up to all pairs.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, n_pairs, and n_apart, n_equivalent and n_undecided; or for "completions" n_hold, n_open and
        n_other. One row a metric.
    kind : {"probable", "completions"}
        What decides: probabilities, or all completions of the judgments.
    """
    figure, axes = style.rows_figure([style.metric_label(name) for name in frame["metric"]], row_height=0.34, top=0.3)
    y, start = np.arange(len(frame)), np.zeros(len(frame))
    for column, (words, color) in _DECIDED[kind].items():
        percent = 100 * (frame[column] / frame["n_pairs"]).to_numpy()
        axes.barh(
            y, percent, left=start, height=0.62, color=color, edgecolor=style.THEME["paper"], linewidth=0.8, label=words
        )
        note_points(
            axes,
            start + percent / 2,
            y,
            "{metric}: {count} of {pairs} pairs, {words}",
            {"metric": frame["metric"], "count": frame[column], "pairs": frame["n_pairs"], "words": words},
            of=("metric",),
            span=(start, start + percent),
            label=words,
        )
        for row, (low, width) in enumerate(zip(start, percent, strict=True)):
            if width > _ROOM:
                look: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": 7.5}
                ink = style.THEME["ink"] if color == style.THEME["rule"] else "#fefefe"
                axes.text(low + width / 2, row, f"{width:.0f} %", color=ink, **look)
        start = start + percent
    axes.set(xlim=(0, 100), xlabel="pairs of systems (%)")
    style.key_above(axes, columns=3)
    return figure


_DECIDED = {
    "probable": {
        "n_apart": ("one system better by more than the region", style.THEME["blue"]),
        "n_undecided": ("undecided", style.THEME["rule"]),
        "n_equivalent": ("practically equal", style.CYCLE[2]),
    },
    "completions": {
        "n_hold": ("significant whatever the unjudged documents are", style.THEME["blue"]),
        "n_open": ("significant as judged", style.CYCLE[2]),
        "n_other": ("not significant", style.THEME["rule"]),
    },
}
"""What is decided of a pair, in the order of the bars, with its words and its colour."""
_ROOM = 6
"""Percent of the width that a number needs."""
