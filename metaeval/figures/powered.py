"""The picture of a prediction-powered comparison: what a judge takes off the intervals of the people."""

import pandas as pd
from matplotlib.figure import Figure

from metaeval.base.unit import unit
from metaeval.base.words import bracketed, number
from metaeval.figures.marks import note_points
from metaeval.figures.style import BOUND, RIMMED, THEME, bars, key_above, metric_label, rows_figure, styled


@styled
def gained_intervals(frame: pd.DataFrame, metric: str, *, n_topics: int, differences: bool) -> Figure:
    """Draw two intervals a row: of the human topics alone, and with the judge.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns label, estimate, low, high, human_estimate, human_low, human_high and n_equivalent.
    metric : str
    n_topics : int
        That people judged.
    differences : bool
        Whether rows are differences, for which 0 is a line to cross.
    """
    names = [
        f"{label} ({equivalent:.0f} {unit().topics})" if pd.notna(equivalent) else str(label)
        for label, equivalent in zip(frame["label"], frame["n_equivalent"], strict=True)
    ]
    figure, axes = rows_figure(names, row_height=0.26, top=0.35, limit=52)
    places = range(len(frame))
    upper, lower = ([row + by for row in places] for by in (-0.16, 0.16))
    bars(axes, frame["human_low"], frame["human_high"], upper, color=THEME["pale-blue"], linewidth=3.0)
    bars(axes, frame["low"], frame["high"], lower, color=THEME["blue"], linewidth=3.0)
    axes.plot(
        frame["human_estimate"],
        upper,
        "o",
        color=THEME["pale-blue"],
        label=f"{n_topics} human {unit().topics}",
        **RIMMED,
    )
    axes.plot(frame["estimate"], lower, "o", color=THEME["blue"], label="and the judge", **RIMMED)
    for who, at, before in ((f"the human {unit().topics} alone", upper, "human_"), ("and the judge", lower, "")):
        estimate, low, high = (frame[f"{before}{name}"] for name in ("estimate", "low", "high"))
        note_points(
            axes,
            estimate,
            at,
            "{label}: {value}, {who}",
            {
                "label": frame["label"],
                "value": [bracketed(*triple, number(4)) for triple in zip(estimate, low, high, strict=True)],
                "who": who,
            },
            of=("label",),
            span=(low, high),
        )
    if differences:
        axes.axvline(0.0, **BOUND)
    key_above(axes, columns=2)
    axes.set_xlabel(f"{'difference in ' * differences}{metric_label(metric)}, with what the {unit().topics} are worth")
    return figure
