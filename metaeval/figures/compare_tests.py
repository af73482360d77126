"""The picture of a comparison of tests: how many pairs each rejects, against how often it errs."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from metaeval.figures import style
from metaeval.figures.marks import note_points

_COLUMNS, _KEYS = 3, 4


@style.styled
def rejections_against_errors(frame: pd.DataFrame) -> Figure:
    """Draw every test as a mark, the share of pairs rejected against the error rate, one panel a metric.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, test (as people call it), rejected and error_rate, each with its ends in ``_low`` and
        ``_high``; all shares. A test without an error rate has no mark.
    """
    metrics, tests = (list(dict.fromkeys(frame[name])) for name in ("metric", "test"))
    columns = min(_COLUMNS, len(metrics)) if len(metrics) != 4 else 2  # noqa: PLR2004 - two rows of two
    top = 0.1 + 0.2 * int(np.ceil(len(tests) / _KEYS))
    titles = [style.metric_label(name, 34) for name in metrics]
    figure, panels = style.panel_grid(titles, columns=columns, height=1.9, left=0.68, top=top)
    marks: list[dict[str, Any]] = [
        {"color": style.CYCLE[index % len(style.CYCLE)], "marker": style.MARKERS[index % len(style.MARKERS)]}
        for index in range(len(tests))
    ]
    for metric, axes in zip(metrics, panels, strict=True):
        of_metric = (100 * frame[frame["metric"] == metric].set_index("test").drop(columns="metric")[_DRAWN]).dropna()
        for test, look in zip(tests, marks, strict=True):
            if test not in of_metric.index:
                continue
            row = of_metric.loc[test]
            line = {"color": look["color"], "linewidth": 1.2, "alpha": 0.5}
            style.bars(axes, [row["error_rate_low"]], [row["error_rate_high"]], [row["rejected"]], **line)
            style.bars(axes, [row["rejected_low"]], [row["rejected_high"]], [row["error_rate"]], upright=True, **line)
            note_points(
                axes,
                [row["error_rate"]],
                [row["rejected"]],
                "{test} under {metric}: {rejected} % of the pairs rejected, {error} % of them errors",
                {
                    "test": test,
                    "metric": str(metric),
                    "rejected": f"{row['rejected']:.1f}",
                    "error": f"{row['error_rate']:.2f}",
                },
                of=("metric",),
                label=test,
                color=look["color"],
                span=([row["error_rate_low"]], [row["error_rate_high"]]),
            )
            axes.plot(row["error_rate"], row["rejected"], linestyle="", markersize=6.2, **look, **style.RIMMED)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_xlabel("errors on the other half (% of rejected)")
        style.tidy_axes(axes, grid="y")
    style.label_first_column(panels, columns, "pairs rejected (%)")
    handles = [Line2D([], [], linestyle="", markersize=6.2, **look, **style.RIMMED) for look in marks]
    style.key_of_figure(figure, handles, tests, columns=_KEYS)
    return figure


_DRAWN = [f"{name}{end}" for name in ("rejected", "error_rate") for end in ("", "_low", "_high")]
