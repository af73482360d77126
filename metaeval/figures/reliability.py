"""The pictures of a reliability test: curves of the simulated runs, overlap against score of submitted ones."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from metaeval.base.words import number, share
from metaeval.figures import style
from metaeval.figures.marks import note_line, note_points
from metaeval.figures.shown import AXES

_KEY_TITLE = "mean of the curve"
_LINES = (*style.CYCLE[:5], style.CYCLE[8], *style.CYCLE[6:8])  # two blues would be one on a dark page
_MARKED = 25
_COLUMNS = 3
_NAMED = 8
_VALUE = number(3)


@style.styled
def simulated_run_curves(curve: xr.DataArray) -> Figure:
    """Draw the curve of every run, the best one first in the key.

    Parameters
    ----------
    curve : xarray.DataArray (system, axis)
        Averaged over topics; the axis is one of `AXES`.
    """
    axis = str(next(dim for dim in curve.dims if dim != "system"))
    values, places = curve.transpose("system", axis).to_numpy(), curve[axis].to_numpy()
    names = style.short_names(curve["system"].to_numpy().tolist())
    labels = [f"{name} {mean:.3f}" for name, mean in zip(names, values.mean(axis=1), strict=True)]
    key = style.key_room(labels, _KEY_TITLE, line=0.8)
    figure = Figure(figsize=(style.page_width(), 3.6))
    axes = style.inch_axes(figure, left=0.75, right=key, top=0.15, bottom=style.FOOT)
    for row, label in enumerate(labels):
        look: dict[str, Any] = {"color": _LINES[row % len(_LINES)], "linestyle": style.DASHES[row % len(style.DASHES)]}
        if len(places) <= _MARKED:
            look |= {"marker": "o", "markersize": 3.6}
        axes.plot(places, values[row], linewidth=1.7, label=label, zorder=4 - row / 10, **look)
        note_line(
            axes,
            places,
            values[row],
            "{run}: {value} at {what} {place}",
            {
                "run": str(curve["system"].to_numpy()[row]),
                "value": [_VALUE(value) for value in values[row]],
                "what": AXES[axis][0].split(",")[0],
                "place": [f"{position:.3g}" for position in places],
            },
            of=("run",),
            label=label,
            color=look["color"],
        )
    axes.set(xlim=(0, float(places.max()) * 1.01), ylim=(0, max(1.03, float(values.max()) * 1.03)))
    axes.set(xlabel=AXES[axis][0], ylabel=AXES[axis][1])
    style.tidy_axes(axes, grid="y")
    handles, _ = axes.get_legend_handles_labels()
    order = np.argsort(-values.mean(axis=1).round(9), kind="stable")
    style.key_beside(axes, [handles[row] for row in order], [labels[row] for row in order], title=_KEY_TITLE)
    return figure


@style.styled
def overlap_scatters(submissions: pd.DataFrame) -> Figure:
    """Draw every submitted run as a point, overlap against score, one panel a metric; few runs have their names.

    Parameters
    ----------
    submissions : pandas.DataFrame
        Columns metric, run, value and overlap.
    """
    metrics = submissions["metric"].drop_duplicates().tolist()
    columns = min(_COLUMNS, len(metrics)) if len(metrics) != 4 else 2  # noqa: PLR2004 - two rows of two
    names = [style.short_name(metric, 34) for metric in metrics]
    figure, panels = style.panel_grid(names, columns=columns, height=1.6, left=0.68)
    for metric, axes in zip(metrics, panels, strict=True):
        of_metric = submissions[submissions["metric"] == metric]
        axes.plot(
            100 * of_metric["overlap"],
            of_metric["value"],
            "o",
            color=style.THEME["blue"],
            markersize=4.6,
            **style.RIMMED,
        )
        note_points(
            axes,
            100 * of_metric["overlap"],
            of_metric["value"],
            "{run}: {metric} {value}, overlap {overlap}",
            {
                "run": of_metric["run"],
                "metric": str(metric),
                "value": of_metric["value"].map(_VALUE),
                "overlap": of_metric["overlap"].map(share),
            },
            of=("run",),
        )
        axes.set(xlim=(-3, 103), ylim=(0, 1.15 * float(of_metric["value"].max()) or 1))
        if len(of_metric) <= _NAMED:
            _name_points(axes, of_metric)
        axes.xaxis.set_major_formatter(PercentFormatter(decimals=0))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_xlabel("overlap of the run")
        style.tidy_axes(axes, grid="y")
    style.label_first_column(panels, columns, "mean score")
    return figure


def _name_points(axes: Axes, runs: pd.DataFrame) -> None:
    """Write the name of every run beside its point, on the side with more room, each on a line of its own."""
    line = 0.08 * axes.get_ylim()[1]
    lowest = {"left": -line / 2, "right": -line / 2}
    for name, across, value in runs.sort_values("value")[["run", "overlap", "value"]].to_numpy().tolist():
        side, step = ("left", 5) if across < 0.5 else ("right", -5)  # noqa: PLR2004 - the middle
        lowest[side] = max(value, lowest[side] + line)
        axes.annotate(
            *(style.short_name(name, 20), (100 * across, value), (100 * across + step, lowest[side])),
            ha=side,
            va="center",
            fontsize=6.5,
            color=style.THEME["muted"],
            arrowprops={"arrowstyle": "-", "color": style.THEME["rule"], "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3},
        )
