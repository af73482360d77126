"""The picture of evidence that grows while topics or votes come in."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from metaeval.figures import style
from metaeval.figures.marks import note_points

_KINDS = {"decided": "decided", "open": "not decided"}
_HIGHEST, _LOWEST = 12.0, -2.5
"""Powers of ten beyond which evidence is not followed."""


@style.styled
def evidence_lines(paths: pd.DataFrame, *, n_pairs: int, alpha: float, counted_in: str) -> Figure:
    """Draw the evidence of pairs by the number of units so far, and what decides.

    Parameters
    ----------
    paths : pandas.DataFrame
        Columns system_a, system_b, units, log10_evidence and decided_at (NaN where the pair is not decided).
    n_pairs, alpha, counted_in
        All pairs, the level, and the plural of what comes in.
    """
    figure = Figure(figsize=(style.page_width(), 3.2))
    axes = style.inch_axes(
        figure, left=0.75, right=style.key_room(_KINDS.values(), "pairs"), top=0.15, bottom=style.FOOT
    )
    for (first, second), rows in paths.groupby(["system_a", "system_b"], sort=False):
        decided_at = float(rows["decided_at"].iloc[0])
        index = int(np.isnan(decided_at))
        evidence = rows["log10_evidence"].clip(_LOWEST, _HIGHEST)
        axes.plot(
            rows["units"],
            evidence,
            color=style.CYCLE[index],
            linestyle=style.DASHES[index],
            linewidth=1.0,
            alpha=0.8,
            label=list(_KINDS.values())[index],
        )
        last = rows.iloc[[-1]]
        when = f"decided after {decided_at:,.0f} {counted_in}" if index == 0 else "not decided"
        note_points(
            axes, last["units"], evidence.iloc[[-1]], "{pair}: {when}", {"pair": f"{first}, {second}", "when": when}
        )
    for level in {np.log10(n_pairs / alpha), np.log10(1 / alpha)}:
        axes.axhline(level, color=style.THEME["muted"], linestyle=(0, (4, 3)), linewidth=0.8)
    handles = {label: handle for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda power, _: _written(power)))
    axes.set_xlabel(counted_in)
    axes.set_ylabel("evidence")
    style.tidy_axes(axes, grid="y")
    style.key_beside(axes, list(handles.values()), list(handles), title="pairs")
    return figure


def _written(power: float) -> str:
    """Write a power of ten as people read it.

    Examples
    --------
    >>> [_written(power) for power in (0.0, 2.0, -1.0, 8.0)]
    ['1', '100', '0.1', '10⁸']
    """
    exponent = round(power)
    if -2 <= exponent <= 4:  # noqa: PLR2004 - numbers that are read at a glance
        return f"{10.0**exponent:g}"
    return "10" + str(exponent).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
