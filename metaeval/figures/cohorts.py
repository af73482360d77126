"""The picture of cohorts: topics that decide nothing among so many best systems, and among random ones."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from metaeval.base.unit import unit
from metaeval.base.words import share
from metaeval.figures import style
from metaeval.figures.marks import Column, note_line, note_points

_LINES = {"curve_top": "the best", "curve_random": "at random"}


@style.styled
def idle_topics(curve: pd.DataFrame, cohorts: pd.DataFrame) -> Figure:
    """Draw the share of topics that decide nothing by the number of systems.

    Parameters
    ----------
    curve : pandas.DataFrame
        Columns size, curve_top and curve_random.
    cohorts : pandas.DataFrame
        Columns cohort, n_counted and idle: dots.
    """
    figure = Figure(figsize=(style.page_width(), 2.8))
    axes = style.inch_axes(
        figure, left=0.75, right=style.key_room(_LINES.values(), "systems"), top=0.15, bottom=style.FOOT
    )
    say = f"{{share}} of {unit().topics} decide nothing among {{size}} systems, {{which}}"
    for index, (column, label) in enumerate(_LINES.items()):
        axes.plot(curve["size"], curve[column], color=style.CYCLE[index], linestyle=style.DASHES[index], label=label)
        words: dict[str, Column] = {
            "share": curve[column].map(share),
            "size": curve["size"].astype(str),
            "which": label,
        }
        note_line(axes, curve["size"], curve[column], say, words, label=label, color=style.CYCLE[index])
    handles, labels = axes.get_legend_handles_labels()
    axes.plot(cohorts["n_counted"], cohorts["idle"], "o", color=style.CYCLE[0], markersize=5, **style.RIMMED)
    of_cohorts: dict[str, Column] = {"cohort": cohorts["cohort"], "share": cohorts["idle"].map(share)}
    sentence = f"{{cohort}}: {{share}} of {unit().topics} decide nothing"
    note_points(axes, cohorts["n_counted"], cohorts["idle"], sentence, of_cohorts, of=("cohort",))
    axes.set_xlim(left=min(2, curve["size"].min()))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("systems")
    axes.set_ylabel(f"{unit().topics} that decide nothing")
    style.tidy_axes(axes, grid="y")
    style.key_beside(axes, handles, labels, title="systems")
    return figure
