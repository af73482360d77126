"""The bump chart: ranks of the same systems on two boards, each with the ranks that its items leave open."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from metaeval.base.words import whole
from metaeval.figures import style
from metaeval.figures.marks import Column, note_points
from metaeval.figures.style import THEME

MOST_LINES = 40
"""Of more systems only those that move most are drawn."""
_ROW, _TOP, _LEAST = 0.168, 0.42, 1.1
_LANES, _NARROW_LANES, _LANE = 6, 3, 0.055
"""Whiskers stand in so many lanes beside each other, each this wide (in inches), so that they can be seen."""


def movers(changes: pd.DataFrame) -> pd.DataFrame:
    """Return the systems that are drawn: in pairs settled in opposite directions, then those that move most."""
    moved = (changes["first"] - changes["second"]).abs()
    order = np.lexsort((-moved.to_numpy(), ~changes["opposite"].to_numpy(dtype=bool)))
    return changes.iloc[np.sort(order[:MOST_LINES])].sort_values("first", kind="stable", ignore_index=True)


@style.styled
def rank_changes(changes: pd.DataFrame, boards: Sequence[str]) -> Figure:
    """Draw every system as a line from its rank on one board to its rank on another, with the intervals of both.

    Orange: in a pair that both boards settle, in opposite directions; blue: the two intervals have no rank in common;
    grey: all others. Of more than `MOST_LINES` systems only those that move most are drawn.

    Parameters
    ----------
    changes : pandas.DataFrame
        One row a system: system, opposite, moved, and first, first_low, first_high, second, second_low and second_high
        (missing ends have no whisker).
    boards : sequence of two str
    """
    drawn = movers(changes)
    color = np.where(drawn["opposite"], THEME["orange"], np.where(drawn["moved"], THEME["blue"], THEME["muted"]))
    names = style.short_names(drawn["system"].tolist(), 11 if style.drawn_narrow() else 26)
    size, most = 8.0, len(changes)
    room = 0.58 + max(style.text_width(name, size) for name in names)
    height = max(_LEAST, _ROW * min(most, 1.15 * MOST_LINES))
    figure = Figure(figsize=(style.page_width(), height + _TOP + 0.1))
    axes = style.inch_axes(figure, left=room, right=room, top=_TOP, bottom=0.1)
    width = style.page_width() - 2 * room
    axes.set(xlim=(0, width), ylim=(most + 0.6, 0.4))
    axes.set_axis_off()
    n_lanes = _NARROW_LANES if style.drawn_narrow() else _LANES
    ends = 0.12 + n_lanes * _LANE
    gap = _ROW * (most + 0.2) / height
    for index, (side, board) in enumerate(zip(("first", "second"), boards, strict=True)):
        rank = drawn[side].to_numpy(dtype=float)
        low, high = (drawn[f"{side}_{end}"].to_numpy(dtype=float) for end in ("low", "high"))
        order = np.argsort(rank, kind="stable")
        lanes = np.empty(len(rank))
        lanes[order] = 0.12 + _LANE * (np.arange(len(rank)) % n_lanes)
        edge, inside = (0.0, ends) if index == 0 else (width, width - ends)
        x = lanes if index == 0 else width - lanes
        axes.vlines(x, low, high, colors=color.tolist(), linewidth=1.1, alpha=0.55, zorder=2)
        axes.plot(np.stack([np.full(len(x), edge), np.full(len(x), inside)]), [rank, rank], color=THEME["rule"], lw=0.6)
        axes.scatter(x, rank, s=9, c=color, zorder=4, linewidths=0)
        words: dict[str, Column] = {
            "system": drawn["system"],
            "board": board,
            "rank": rank.astype(int),
            "low": [whole(value) for value in low],
            "high": [whole(value) for value in high],
        }
        note_points(
            axes, x, rank, "{system}, {board}: rank {rank}, interval {low} to {high}", words, of=("system",),
            span=(low, high), upright=True,
        )  # fmt: skip
        level = np.empty(len(rank))
        level[order] = _spread(rank[order], gap, most + 0.5)
        outward = -1 if index == 0 else 1
        for name, row, of_system in zip(names, level, rank, strict=True):
            axes.annotate(
                f"{name} {of_system:.0f}" if index == 0 else f"{of_system:.0f} {name}",
                (edge, of_system),
                (edge + outward * 0.14, row),
                textcoords="data",
                ha="right" if index == 0 else "left",
                va="center_baseline",
                fontsize=size,
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": THEME["rule"], "linewidth": 0.6, "shrinkA": 1, "shrinkB": 0},
            )
        _head_side(axes, board, edge, "right" if index == 0 else "left")
    for first, second, of_system in zip(drawn["first"], drawn["second"], color, strict=True):
        strong = of_system != THEME["muted"]
        weight, layer = (1.5, 3) if strong else (0.9, 1)
        axes.plot([ends, width - ends], [first, second], color=of_system, linewidth=weight, zorder=layer)
    return figure


def _head_side(axes: Axes, board: str, edge: float, align: Literal["left", "right"]) -> None:
    """Write the name of a board above its side."""
    axes.annotate(
        *(style.short_name(board), (edge, 1.0), (0, 8)),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha=align,
        fontweight="bold",
        annotation_clip=False,
    )


def _spread(levels: NDArray[np.float64], gap: float, lowest: float) -> NDArray[np.float64]:
    """Move sorted levels as little as possible, so that neighbours are a gap apart, and none is above 1 or too low."""
    steps = gap * np.arange(len(levels))
    apart = np.asarray(isotonic_regression(levels - steps).x)
    return np.clip(apart, 1.0, max(1.0, lowest - steps[-1])) + steps
