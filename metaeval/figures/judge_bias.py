"""Figure of group bias: a dot and an interval for every group and judge."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metaeval.base.words import bracketed, number
from metaeval.figures.marks import note_points
from metaeval.figures.style import RIMMED, THEME, bars, key_above, rows_figure, styled


@styled
def favour_dots(table: pd.DataFrame, *, reference: str, adjusted: bool) -> Figure:
    """Draw what every group gains under every judge, people beside them, with intervals over topics and systems.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `metaeval.agreement.FavouredGroups`.
    reference : str
    adjusted : bool
        Which of the two figures; where a judge has none, its row stays empty.
    """
    value, before = ("adjusted", "adjusted_") if adjusted else ("figure", "")
    names: list[str] = []
    heads, rows = [], np.empty(len(table))
    for group, selected in table.reset_index(drop=True).groupby("group", sort=False):
        heads.append(len(names))
        rows[selected.index] = len(names) + 1 + np.arange(len(selected))
        names += [str(group), *selected["judge"].tolist()]
    figure, axes = rows_figure(names, row_height=0.21, top=0.42, heads=heads)
    axes.axvline(0, color=THEME["muted"], linewidth=0.8, zorder=1)
    for kind, colour, mark in (("judge", THEME["blue"], "o"), ("person", THEME["orange"], "D")):
        mask = (table["kind"] == kind).to_numpy() & table[value].notna().to_numpy()
        if mask.any():
            selected = table[mask]
            low, high = (selected[f"{before}{side}_both"].to_numpy() for side in ("low", "high"))
            bars(axes, low, high, rows[mask], color=colour, linewidth=1.6)
            note_points(
                axes,
                selected[value],
                rows[mask],
                "{group} under {judge}: {value}",
                {
                    "group": selected["group"],
                    "judge": selected["judge"],
                    "value": [bracketed(*triple, number(4)) for triple in zip(selected[value], low, high, strict=True)],
                },
                of=("group", "judge"),
                span=(low, high),
                label=kind,
                color=colour,
            )
            axes.plot(selected[value], rows[mask], mark, color=colour, markersize=4.8, label=kind, **RIMMED)
    scale = ", adjusted for the judge's scale" if adjusted else ""
    quantity = "gain per standard deviation" if "standard_deviation" in table else "gain of the group"
    axes.set_xlabel(f"{quantity} beside {reference}{scale}")
    if table[value].notna().any():
        key_above(axes, columns=2)
    return figure
