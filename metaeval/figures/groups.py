"""The critical-difference diagram: systems along an axis, joined by bars where they cannot be separated."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metaeval.base.words import number
from metaeval.figures import style
from metaeval.figures.marks import note_points

_SCORE = number(4)
_ROW, _BAR = 0.2, 0.13
"""Heights of a name and of a bar, in inches."""


@style.styled
def critical_difference(groups: pd.DataFrame, label: str, *, higher_is_better: bool = True) -> Figure:
    """Draw systems along the axis of their scores, the best at the right; each bar joins a group that shares a letter.

    Dots on a bar are its systems: groups by decisions about pairs need not be neighbours without a gap.

    Parameters
    ----------
    groups : pandas.DataFrame
        One metric's rows, best first: system, mean, letters (apart by blanks if longer than one).
    label : str
        What the axis is.
    higher_is_better : bool, default True
    """
    systems = groups["system"].astype(str).tolist()
    means = groups["mean"].to_numpy(dtype=float)
    written = groups["letters"].astype(str).tolist()
    apart = any(" " in text for text in written)  # so they are where some have two characters
    letters = [text.split() if apart else list(text) for text in written]
    bars = [
        [index for index, marks in enumerate(letters) if letter in marks]
        for letter in dict.fromkeys(mark for marks in letters for mark in marks)
    ]
    bars = [members for members in bars if len(members) > 1]
    names = style.short_names(systems, 16 if style.drawn_narrow() else 28)
    better = (len(names) + 1) // 2  # named at the right, the best on top; the others at the left, the worst on top
    rows = [*range(better), *range(len(names) - better)[::-1]]
    size = 8.5
    sides = [
        0.2 + max((style.text_width(name, size) for name in side_names), default=0)
        for side_names in (names[better:], names[:better])
    ]
    room = 0.12 + _BAR * len(bars)
    height = room + _ROW * better + 0.05
    figure = Figure(figsize=(style.page_width(), style.FOOT + height))
    axes = style.inch_axes(figure, left=sides[0], right=sides[1], top=style.FOOT, bottom=0.0)
    axes.set_ylim(height, 0.0)
    reach = (means.max() - means.min()) or max(abs(means.max()), 1.0) * 0.1
    ends = means.min() - 0.04 * reach, means.max() + 0.04 * reach
    axes.set_xlim(*(ends if higher_is_better else ends[::-1]))
    axes.set_yticks([])
    style.tidy_axes(axes, grid="", spines=("top",))
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(label)
    edges = axes.get_xlim()
    for index, (name, mean, row) in enumerate(zip(names, means, rows, strict=True)):
        level, edge = room + _ROW * (row + 0.5), edges[index < better]
        axes.plot([mean, mean, edge], [0.0, level, level], color=style.THEME["muted"], linewidth=0.7, zorder=1)
        axes.annotate(
            *(name, (edge, level), (4 if index < better else -4, 0)),
            textcoords="offset points",
            ha="left" if index < better else "right",
            va="center_baseline",
            fontsize=size,
            annotation_clip=False,
        )
    for index, members in enumerate(bars):
        level, marks = 0.12 + _BAR * index, means[members]
        axes.plot(
            [marks.min(), marks.max()], [level, level], color=style.THEME["blue"], linewidth=2.4, solid_capstyle="round"
        )
        axes.plot(marks, np.full(len(marks), level), "o", color=style.THEME["blue"], markersize=3.6, **style.RIMMED)
    axes.plot(
        means, np.zeros(len(means)), "o", color=style.THEME["orange"], markersize=4.8, clip_on=False, **style.RIMMED
    )
    words = {"system": systems, "mean": list(map(_SCORE, means)), "letters": written}
    note_points(axes, means, np.zeros(len(means)), "{system}: {mean}, groups {letters}", words, of=("system",))
    return figure
