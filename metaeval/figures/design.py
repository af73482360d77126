"""The picture of a design: how many topics it takes to find a difference."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from metaeval.base.unit import unit
from metaeval.base.words import name_of_metric, number, whole
from metaeval.figures import style
from metaeval.figures.marks import note_line, note_points

_PER_ROW = 3
_KEY_COLUMNS = 6
_WRITE = number(4)


@style.styled
def topics_by_difference(
    curve: pd.DataFrame, asked: pd.DataFrame, *, names: Mapping[str, str], at_hand: int | None = None
) -> Figure:
    """Draw the topics needed over the difference to be found, one panel a design and one line a metric.

    Parameters
    ----------
    curve : pandas.DataFrame
        Columns metric, method, difference, n_topics (missing where there is no number).
    asked : pandas.DataFrame
        The same columns, for the differences that were asked for: they are dots.
    names : mapping of str to str
        What each method is called.
    at_hand : int, optional
        Topics that there are already: a line across.
    """
    metrics = list(dict.fromkeys(curve["metric"]))
    keyed = len(metrics) > 1
    n_rows = int(np.ceil(len(metrics) / _KEY_COLUMNS)) if keyed else 0
    columns = min(_PER_ROW, len(names))
    figure, panels = style.panel_grid(
        [style.metric_label(name) for name in names.values()], columns=columns, height=2.2, left=0.75, top=0.2 * n_rows
    )
    topics = pd.concat([curve, asked])["n_topics"].dropna().astype(float)
    lowest, highest = topics.min(), topics.max()
    if at_hand is not None:
        lowest, highest = min(lowest, at_hand), max(highest, at_hand)
    for method, axes in zip(names, panels, strict=True):
        for index, metric in enumerate(metrics):
            tables = (
                table[(table["metric"] == metric) & (table["method"] == method)].dropna(subset="n_topics")
                for table in (curve, asked)
            )
            _draw(axes, *tables, metric=str(metric), place=index)
        if at_hand is not None:
            axes.axhline(at_hand, **style.BOUND)
            axes.annotate(
                *(f"{whole(at_hand)} at hand", (0.02, at_hand)),
                xycoords=axes.get_yaxis_transform(),
                xytext=(0, 2),
                textcoords="offset points",
                fontsize=7.5,
            )
        axes.set(xscale="log", yscale="log", ylim=(lowest / 1.3, highest * 1.3))
        style.tidy_axes(axes, grid="both", spines=("left", "bottom"))
        axes.set_xlabel("width of the interval" if method == "interval" else "difference to be found")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if highest < 1000 * lowest else (1.0,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: whole(value)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
    style.label_first_column(panels, columns, f"{unit().topics} needed")
    if keyed:
        style.key_of_figure(figure, *panels[0].get_legend_handles_labels(), columns=_KEY_COLUMNS)
    return figure


def _draw(axes: Axes, curve: pd.DataFrame, asked: pd.DataFrame, *, metric: str, place: int) -> None:
    """Draw the line of one metric, and its dots where it was asked for."""
    label, color = style.metric_label(metric), style.CYCLE[place % len(style.CYCLE)]
    dashes = style.DASHES[place // len(style.CYCLE) % len(style.DASHES)]
    say = f"{{metric}}, {{difference}}: {{topics}} {unit().topics}"
    options: dict[str, Any] = {"of": ("metric",), "label": label, "color": color}
    (x, y, words), (x_asked, y_asked, words_asked) = (_spoken(table, metric) for table in (curve, asked))
    axes.plot(x, y, color=color, label=label, linestyle=dashes)
    note_line(axes, x, y, say, words, **options)
    axes.plot(x_asked, y_asked, "o", markersize=5, color=color, **style.RIMMED)
    note_points(axes, x_asked, y_asked, say, words_asked, **options)


def _spoken(part: pd.DataFrame, metric: str) -> tuple[pd.Series, pd.Series, Mapping[str, pd.Series | str]]:
    """Return the places of points, and what is said of them."""
    x, y = part["difference"], part["n_topics"].astype(float)
    return x, y, {"metric": name_of_metric(metric), "difference": x.map(_WRITE), "topics": y.map(whole)}
