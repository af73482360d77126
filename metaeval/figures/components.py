"""The pictures of components of variance: their shares, and the dependability of other designs."""

from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, PercentFormatter

from metaeval.base.unit import unit
from metaeval.base.words import number, share, whole
from metaeval.figures import style
from metaeval.figures.marks import note_line, note_points

_VALUE = number(3)


@style.styled
def component_bars(components: pd.DataFrame) -> Figure:
    """Draw of every component its share of the variance between two systems, with its interval.

    Parameters
    ----------
    components : pandas.DataFrame
        Columns component (as it is to be called), difference_share, difference_low and difference_high, of one metric;
        what both systems share has none and is left out.
    """
    estimated = components.dropna(subset="difference_share").reset_index(drop=True)
    rows = np.arange(len(estimated))
    figure, axes = style.rows_figure(estimated["component"].tolist(), row_height=0.26, top=0.15)
    values, low, high = (100 * estimated[f"difference_{name}"] for name in ("share", "low", "high"))
    style.bars(axes, low, high, rows, color=style.CYCLE[0], linewidth=1.7)
    axes.plot(values, rows, "o", color=style.CYCLE[0], markersize=5.4, **style.RIMMED)
    note_points(
        axes,
        values,
        rows,
        "{component}: {share}, {low} to {high}",
        {
            "component": estimated["component"],
            **{
                name: (percent / 100).map(share)
                for name, percent in {"share": values, "low": low, "high": high}.items()
            },
        },
        of=("component",),
        span=(low, high),
    )
    axes.set_xlim(-1, 101)
    axes.xaxis.set_major_formatter(PercentFormatter(decimals=0))
    axes.set_xlabel("share of the variance between two systems")
    return figure


@style.styled
def dependability_lines(plan: pd.DataFrame, *, key: str, at_hand: float, target: float) -> Figure:
    """Draw the dependability of differences over the number of items, a line a design.

    Parameters
    ----------
    plan : pandas.DataFrame
        Columns items, erho2, and the one of `key`, by which lines differ.
    key : str
        Title of the key and name of the column.
    at_hand : float
        Items that there are: a line upwards.
    target : float
        A line across.
    """
    lines = list(plan.groupby(key, sort=False))
    labels = [str(name) for name, _ in lines]
    keyed = len(lines) > 1
    figure = Figure(figsize=(style.page_width(), 3.0))
    right = style.key_room(labels, key) if keyed else 0.2
    axes = style.inch_axes(figure, left=0.7, right=right, top=0.15, bottom=style.FOOT)
    looks = zip(cycle(style.CYCLE), cycle(style.DASHES), strict=False)
    for (name, design), (color, dashes) in zip(lines, looks, strict=False):
        axes.plot(design["items"], design["erho2"], color=color, linestyle=dashes, label=str(name))
        note_line(
            axes,
            design["items"],
            design["erho2"],
            f"{{items}} {unit().topics}{f', {{name}} {key}' if keyed else ''}: {{value}}",
            {"items": design["items"].map(whole), "name": str(name), "value": design["erho2"].map(_VALUE)},
            of=("name",) if keyed else (),
            label=str(name) if keyed else "",
            color=color,
        )
    axes.axvline(at_hand, **style.BOUND)
    axes.axhline(target, **style.BOUND)
    axes.set_xscale("log")
    axes.set_ylim(top=1.005)
    axes.set_xlabel(f"{unit().topics} (line: at hand)")
    axes.set_ylabel("Eρ²")  # noqa: RUF001 - as papers write it
    axes.xaxis.set_major_formatter(lambda value, _: whole(value))
    axes.xaxis.set_minor_formatter(NullFormatter())
    style.tidy_axes(axes, grid="both")
    if keyed:
        style.key_beside(axes, *axes.get_legend_handles_labels(), title=key)
    return figure
