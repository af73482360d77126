"""The picture of the alt-test: how far every judge comes, and the line that it must reach."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metaeval.base.words import share
from metaeval.figures.marks import note_points
from metaeval.figures.style import CYCLE, RIMMED, THEME, rows_figure, styled


@styled
def judge_dots(judges: pd.DataFrame, *, statistic: str, line: float) -> Figure:
    """Draw one statistic of every judge, best first; judges that pass are filled.

    Parameters
    ----------
    judges : pandas.DataFrame
        From `metaeval.agreement.AltTest`.
    statistic : str
        A column of shares.
    line : float
        Where to draw the line.
    """
    ordered = judges.sort_values([statistic, "advantage_probability"], ascending=False, kind="stable")
    rows = np.arange(len(ordered))
    figure, axes = rows_figure(ordered["judge"].tolist(), row_height=0.22, top=0.15)
    axes.axvline(line, color=THEME["muted"], linewidth=0.8, zorder=1)
    values, passed = ordered[statistic].to_numpy(), ordered["passes"].to_numpy(dtype=bool)
    axes.plot(values[passed], rows[passed], "o", color=CYCLE[0], markersize=5.4, **RIMMED)
    axes.plot(values[~passed], rows[~passed], "o", markersize=5.4, mfc=THEME["paper"], mec=CYCLE[0])
    note_points(
        axes,
        values,
        rows,
        "{judge}: {what} {value}; {passes}",
        {
            "judge": ordered["judge"],
            "what": statistic.replace("_", " "),
            "value": [share(value) for value in values],
            "passes": ["passes" if has_passed else "does not pass" for has_passed in passed],
        },
        of=("judge",),
    )
    axes.set(xlim=(-0.03, 1.03), xlabel=f"{statistic.replace('_', ' ')} (filled: passes)")
    return figure
