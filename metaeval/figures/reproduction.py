"""The picture of a replica: the scores of topics in the original and in the replica."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from metaeval.base.words import number
from metaeval.figures import style
from metaeval.figures.marks import note_points

_COLUMNS = 3
_SCORE = number(3)


@style.styled
def topic_scatters(topics: pd.DataFrame) -> Figure:
    """Draw every topic as a point, its score in the replica against that in the original, one panel a system.

    Parameters
    ----------
    topics : pandas.DataFrame
        Columns system, topic, original and replica.
    """
    systems = topics["system"].unique().tolist()
    figure, panels = style.panel_grid(style.short_names(systems, 26), columns=_COLUMNS, height=1.8, left=0.62)
    ends = topics[["original", "replica"]].min().min(), topics[["original", "replica"]].max().max()
    for system, axes in zip(systems, panels, strict=True):
        scores = topics[topics["system"] == system]
        axes.plot(ends, ends, color=style.THEME["rule"], linewidth=0.8, zorder=1)
        axes.plot(scores["original"], scores["replica"], "o", color=style.CYCLE[0], markersize=3.6, **style.RIMMED)
        note_points(
            axes,
            scores["original"],
            scores["replica"],
            "{topic}: original {original}, replica {replica}",
            {
                "topic": scores["topic"].tolist(),
                "original": scores["original"].map(_SCORE),
                "replica": scores["replica"].map(_SCORE),
            },
            of=("topic",),
        )
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_xlabel("original")
        style.tidy_axes(axes, grid="both")
    style.label_first_column(panels, _COLUMNS, "replica")
    return figure
