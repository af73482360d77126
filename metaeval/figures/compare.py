"""The pictures of a comparison of metrics: what is gained against what is lost, and how top-heavy each is."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from metaeval.base.words import interval, name_of_metric, number, share
from metaeval.figures import style
from metaeval.figures.marks import note_line, note_points

_ALIKE = _DASHED = 4
_GAP = 0.16


@style.styled
def trade_off(frame: pd.DataFrame, *, second: str, label: str, front: Sequence[str], current: str | None) -> Figure:
    """Draw discriminative power against a second quality, a point a metric, with the intervals of both.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, power, power_low, power_high and the second quality, with its ``_low`` and ``_high`` where there
        are intervals.
    second : str
    label : str
        What the upright axis says.
    front : sequence of str
        Metrics that no other beats.
    current : str or None
        The metric in use.
    """
    measured = frame[frame[second].notna()].reset_index(drop=True)
    figure = Figure(figsize=(style.page_width(), 4.4))
    axes = style.inch_axes(figure, left=0.75, right=0.2, top=0.2, bottom=style.FOOT)
    x, y = 100 * measured["power"].to_numpy(), measured[second].to_numpy()
    ends = [interval(low, high) for low, high in zip(measured["power_low"], measured["power_high"], strict=True)]
    note_points(
        axes,
        x,
        y,
        "{metric}: discriminative power {power}, interval {ends}; {label} {value}",
        {
            "metric": measured["metric"].map(name_of_metric),
            "power": measured["power"].map(share),
            "ends": ends,
            "label": label,
            "value": measured[second].map(number(3)),
        },
        of=("metric",),
        span=(100 * measured["power_low"], 100 * measured["power_high"]),
    )
    best = measured["metric"].isin(front).to_numpy()
    for mask, color in ((~best, style.THEME["muted"]), (best, style.CYCLE[0])):
        look: dict[str, Any] = {"color": color, "linewidth": 1.0, "alpha": 0.55}
        style.bars(axes, 100 * measured["power_low"][mask], 100 * measured["power_high"][mask], y[mask], **look)
        if f"{second}_low" in measured:
            low, high = (measured[f"{second}_{end}"].fillna(measured[second])[mask] for end in ("low", "high"))
            style.bars(axes, low, high, x[mask], upright=True, **look)
        axes.plot(x[mask], y[mask], "o", color=color, markersize=6, **style.RIMMED)
    order = np.argsort(x[best])
    axes.plot(x[best][order], y[best][order], color=style.CYCLE[0], linewidth=0.8, linestyle=(0, (2, 2)), zorder=2)
    in_use = (measured["metric"] == current).to_numpy()
    axes.plot(x[in_use], y[in_use], "o", markersize=12, markerfacecolor="none", markeredgecolor=style.CYCLE[1])
    _names(axes, x, y, [style.metric_label(name, 20) for name in measured["metric"]])
    axes.set(xlabel="discriminative power: share of significantly different pairs (%)", ylabel=label)
    style.tidy_axes(axes, grid="y")
    axes.grid(axis="x", color=style.THEME["rule"], linewidth=0.6)
    return figure


def _names(axes: Any, x: np.ndarray, y: np.ndarray, names: Sequence[str]) -> None:  # noqa: ANN401 - matplotlib Axes
    """Write names beside their points, each on the first of eight places that is still free."""
    axes.figure.canvas.draw_idle()
    low_x, high_x = axes.get_xlim()
    low_y, high_y = axes.get_ylim()
    width, height = style.page_width() - 1.0, 3.7
    inches = np.stack([(x - low_x) / (high_x - low_x) * width, (y - low_y) / (high_y - low_y) * height], axis=1)
    taken: list[tuple[float, float, float, float]] = [(px - 0.06, py - 0.06, px + 0.06, py + 0.06) for px, py in inches]
    for (px, py), name in zip(inches, names, strict=True):
        wide = style.text_width(name, 8)
        places = [(0.08, 0.05), (0.08, -0.16), (-0.08 - wide, 0.05), (-0.08 - wide, -0.16)]
        places += [(-wide / 2, 0.12), (-wide / 2, -0.24), (0.1, -0.05), (-0.1 - wide, -0.05)]
        places += [(0.1, 0.06 + _GAP * step) for step in range(1, 5)]
        boxes = [(px + dx, py + dy, px + dx + wide, py + dy + 0.12) for dx, dy in places]
        free = next((box for box in boxes if not any(_overlap(box, occupied) for occupied in taken)), boxes[0])
        taken.append(free)
        offset = (72 * (free[0] - px), 72 * (free[1] - py))
        point = (px / width * (high_x - low_x) + low_x, py / height * (high_y - low_y) + low_y)
        axes.annotate(name, point, xytext=offset, textcoords="offset points", fontsize=8, color=style.THEME["ink"])


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@style.styled
def heaviness_panels(curves: xr.DataArray) -> Figure:
    """Draw the score of a list whose only relevant document stands at rank 1, 2, …, a panel a number of relevant ones.

    Parameters
    ----------
    curves : xarray.DataArray (metric, relevant, rank)
    """
    relevant = curves["relevant"].to_numpy().tolist()
    names = [style.metric_label(name) for name in curves["metric"].to_numpy()]
    key = style.key_room(names, line=0.7)
    cell = (style.page_width() - 0.7 - key) / len(relevant)
    top = 1.04 * float(curves.max())
    tall = 3.0 if style.drawn_narrow() else max(3.1, 0.7 + 0.2 * len(names))
    n_rows = len(relevant) if style.drawn_narrow() else 1
    figure = Figure(figsize=(style.page_width(), n_rows * tall))
    lines = []
    for panel, many in enumerate(relevant):
        if style.drawn_narrow():
            axes = style.inch_axes(
                figure, left=0.62, right=key, top=panel * tall + 0.3, bottom=(n_rows - 1 - panel) * tall + style.FOOT
            )
        else:
            right = style.page_width() - 0.62 - (panel + 1) * cell + 0.45
            axes = style.inch_axes(figure, left=0.62 + panel * cell, right=right, top=0.3, bottom=style.FOOT)
        lines = [
            axes.plot(
                curves["rank"],
                curves.sel(relevant=many).to_numpy()[row],
                color=style.CYCLE[row % _ALIKE],
                linestyle=style.DASHES[row // _ALIKE % _DASHED],
                linewidth=1.5,
            )[0]
            for row in range(len(names))
        ]
        for row, name in enumerate(curves["metric"].to_numpy().tolist()):
            values = curves.sel(relevant=many).to_numpy()[row]
            note_line(
                axes,
                curves["rank"].to_numpy(),
                values,
                "{metric}, {many} relevant documents, one found at rank {rank}: {value}",
                {
                    "metric": name_of_metric(name),
                    "many": str(many),
                    "rank": curves["rank"].to_numpy().tolist(),
                    "value": [number(3)(value) for value in values],
                },
                of=("metric",),
                label=names[row],
                color=style.CYCLE[row % _ALIKE],
            )
        axes.set_title(f"{many} relevant documents", fontsize=9, fontweight="bold", loc="left")
        axes.set(ylim=(0, top), xlim=(1, float(curves["rank"].max())))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.set_xlabel("rank of the only relevant document found")
        if style.drawn_narrow() or not panel:
            axes.set_ylabel("score of the list")
        style.tidy_axes(axes, grid="y")
        if panel == (0 if style.drawn_narrow() else len(relevant) - 1):
            style.key_beside(axes, lines, names)
    return figure
