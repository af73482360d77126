"""The pictures of runs as lines over recall or rank."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from metaeval.base.words import number
from metaeval.figures import style
from metaeval.figures.marks import note_line
from metaeval.figures.shown import NAMED_LINES

_MARKED, _LONGEST = 20, 76
"""Lines of more points have no marks; longer names of runs are cut."""
_MARKED_PLACES = 25
"""So many places of a line say what they are."""
_VALUE = number(3)


@style.styled
def run_curves(curves: xr.DataArray, *, across: str, up: str, top: float | None = None) -> Figure:
    """Draw one line a run over recall or rank; few runs are all named, of many only the best and the last.

    Parameters
    ----------
    curves : xarray.DataArray (system, any other)
        Values from 0 on, averaged over the topics.
    across, up : str
        What the axes say.
    top : float, optional
        Where the upright axis ends; by default a little above the highest value.
    """
    top = top if top is not None else min(1.02, 1.08 * max(float(curves.max()), 1e-3))
    values, places = curves.to_numpy(), curves[curves.dims[1]].to_numpy()
    order = np.argsort(-values.mean(axis=1), kind="stable")
    names, values = curves["system"].to_numpy()[order], values[order]
    named = range(len(names)) if len(names) <= NAMED_LINES else (0, len(names) - 1)
    labels = style.short_names(names[list(named)].tolist(), _LONGEST)
    columns = max(1, int((style.page_width() - 0.8) / (0.45 + max(style.text_width(label, 8) for label in labels))))
    key = 0.12 + 0.17 * int(np.ceil(len(labels) / columns))
    figure = Figure(figsize=(style.page_width(), 4.05 + key))
    axes = style.inch_axes(figure, left=0.75, right=0.15, top=key, bottom=style.FOOT)
    others = np.delete(values, list(named), axis=0)
    broken = np.hstack([others, np.full((len(others), 1), np.nan)]).ravel()  # all lines as one path
    axes.plot(np.tile([*places, np.nan], len(others)), broken, color=style.THEME["pale-blue"], linewidth=0.8)
    marker = "o" if len(places) <= _MARKED else None
    for index, row in enumerate(named):
        look: dict[str, Any] = {"color": style.CYCLE[index], "label": labels[index], "zorder": 4 - index / 10}
        axes.plot(places, values[row], linewidth=1.7, marker=marker, markersize=3.4, **look)
    _note_curves(axes, places, values, names.tolist(), dict(zip(named, labels, strict=True)), across)
    axes.set(xlim=(0, 1.01 * float(places[-1])), ylim=(0, top), xlabel=across, ylabel=up)
    style.tidy_axes(axes, grid="y")
    style.key_above(axes, columns=columns, handlelength=2.0)
    return figure


def _note_curves(  # noqa: PLR0913, PLR0917 - the lines and what they are called
    axes: Axes,
    places: NDArray[Any],
    values: NDArray[Any],
    names: Sequence[str],
    labels: Mapping[int, str],
    across: str,
) -> None:
    """Note every run's line, with a mark at a few dozen places of it at most."""
    chosen = np.unique(np.linspace(0, len(places) - 1, min(len(places), _MARKED_PLACES)).round().astype(int))
    axis_name = across.split(":", maxsplit=1)[0]
    for row, name in enumerate(names):
        note_line(
            axes,
            places[chosen],
            values[row, chosen],
            "{system}: {value} at {what} {place}",
            {
                "system": name,
                "value": [_VALUE(value) for value in values[row, chosen]],
                "what": axis_name,
                "place": [f"{position:g}" for position in places[chosen]],
            },
            of=("system",),
            label=labels.get(row, ""),
            color=style.CYCLE[list(labels).index(row)] if row in labels else style.THEME["blue"],
        )
