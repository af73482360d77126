"""The forest plot: an estimate and its interval for every collection, all together, and a new one."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metaeval.figures.marks import note_points
from metaeval.figures.style import CYCLE, RIMMED, THEME, bars, rows_figure, styled

_LOOKS = {"collection": (CYCLE[0], "s", 1.4), "together": (THEME["ink"], "D", 3.0), "new": (CYCLE[1], "", 3.0)}


@styled
def forest_rows(rows: pd.DataFrame, *, label: str, alike: float | None) -> Figure:
    """Draw estimates with their intervals, one row each.

    Parameters
    ----------
    rows : pandas.DataFrame
        Columns name, kind ("collection", "together" or "new"), value (missing for "new"), low, high, weight (0 to 1)
        and words (the figures as written).
    label : str
        What the axis says.
    alike : float, optional
        Where a line stands: the value of no difference.
    """
    figure, axes = rows_figure(rows["name"].tolist(), row_height=0.21, top=0.12)
    if alike is not None:
        axes.axvline(alike, color=THEME["muted"], linewidth=0.8, zorder=1)
    places = np.arange(len(rows))
    for kind, (color, marker, width) in _LOOKS.items():
        of_kind = (rows["kind"] == kind).to_numpy()
        drawn = rows[of_kind]
        bars(axes, drawn["low"], drawn["high"], places[of_kind], color=color, linewidth=width)
        if marker:
            sizes = 3.0 + 6.0 * np.sqrt(drawn["weight"].fillna(0.2)) if kind == "collection" else [6.0] * len(drawn)
            for value, row, size in zip(drawn["value"], places[of_kind], sizes, strict=True):
                axes.plot(value, row, marker, color=color, markersize=size, **RIMMED)
        middle = drawn["value"].fillna((drawn["low"] + drawn["high"]) / 2.0)
        names = {"name": drawn["name"].tolist(), "words": drawn["words"].tolist()}
        note_points(axes, middle, places[of_kind], "{name}: {words}", names, span=(drawn["low"], drawn["high"]))
    axes.set_xlabel(label)
    return figure
