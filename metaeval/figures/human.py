"""The pictures of a comparison with human scores: systems as points, metric against metric."""

from textwrap import wrap

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from metaeval.base.words import number, p_value
from metaeval.figures import style
from metaeval.figures.marks import note_cells, note_points

_COLUMNS = 3
_SCORE = number(3)


@style.styled
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
    names = [style.short_name(metric, 26) for metric in metrics]
    figure, panels = style.panel_grid(names, columns=_COLUMNS, height=1.6, left=0.62)
    for metric, axes in zip(metrics, panels, strict=True):
        axes.plot(means[metric], means[reference], "o", color=style.CYCLE[0], markersize=4.6, **style.RIMMED)
        note_points(
            axes,
            means[metric],
            means[reference],
            "{system}: {metric} {own}, {reference} {human}",
            {
                "system": means.index.tolist(),
                "metric": metric,
                "own": means[metric].map(_SCORE),
                "reference": reference,
                "human": means[reference].map(_SCORE),
            },
            of=("system",),
        )
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_xlabel("mean score of the metric")
        style.tidy_axes(axes, grid="y")
    style.label_first_column(panels, _COLUMNS, "mean human score")
    return figure


@style.styled
def comparison_map(table: pd.DataFrame, *, order: list[str]) -> Figure:
    """Draw which metric follows people significantly better than which: a field a pair, the better one in the row.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns metric_a, metric_b, difference, p_corrected and significant.
    order : list of str
        Metrics, best first.
    """
    names = style.short_names(order, 13 if style.drawn_narrow() else 24)
    count = len(order)
    left = 0.25 + max(style.text_width(name, 8) for name in names)
    side = min(style.page_width() - left - 0.15, 0.34 * count)
    figure = Figure(figsize=(style.page_width(), side + 0.43 + left))
    axes = style.inch_axes(figure, left=left, right=style.page_width() - left - side, top=0.3, bottom=left + 0.1)
    words = "blue: the row's metric is significantly better than the column's"
    if style.drawn_narrow():
        axes.annotate(
            "\n".join(wrap(words, 48)), (4, 72 * (side + 0.3 + left - 0.1)), xycoords="figure points", fontsize=8.5
        )
    else:
        axes.set_title(words, fontsize=8.5, loc="left")
    row_of = {name: row for row, name in enumerate(order)}
    shades = np.zeros((count, count))
    for a, b, difference, decided in table[["metric_a", "metric_b", "difference", "significant"]].to_numpy().tolist():
        if decided and difference:
            better, worse = (a, b) if difference > 0 else (b, a)
            shades[row_of[better], row_of[worse]] = 1.0
    leads = table["difference"].to_numpy() >= 0
    better = [name if leads[row] else second for row, (name, second) in enumerate(_named(table))]
    worse = [second if leads[row] else name for row, (name, second) in enumerate(_named(table))]
    note_cells(
        axes,
        [row_of[name] for name in worse],
        [row_of[name] for name in better],
        "{better} over {worse}: {difference}, p {p}",
        {
            "better": better,
            "worse": worse,
            "difference": table["difference"].abs().map(_SCORE),
            "p": table["p_corrected"].map(p_value),
        },
        of=("better", "worse"),
    )
    for row, column in np.argwhere(shades > 0):
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, color=style.THEME["blue"], linewidth=0))
    axes.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    axes.set_xticks(range(count), names, rotation=90)
    axes.set_yticks(range(count), names)
    style.tidy_axes(axes, grid="", spines=())
    axes.tick_params(length=0, labelsize=8)
    axes.set_xticks(np.arange(-0.5, count), minor=True)
    axes.set_yticks(np.arange(-0.5, count), minor=True)
    axes.grid(which="minor", color=style.THEME["rule"], linewidth=0.6)
    axes.tick_params(which="minor", length=0)
    return figure


def _named(table: pd.DataFrame) -> list[tuple[str, str]]:
    return [(str(a), str(b)) for a, b in zip(table["metric_a"], table["metric_b"], strict=True)]
