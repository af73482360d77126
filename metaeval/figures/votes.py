"""The picture of votes: the share of votes of every system against every other."""

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from metaeval.base.words import share
from metaeval.figures.marks import note_cells
from metaeval.figures.style import (
    THEME,
    drawn_narrow,
    inch_axes,
    page_width,
    short_names,
    styled,
    text_width,
    tidy_axes,
)

MOST_SYSTEMS = 60
"""A picture shows the best systems up to so many."""


@styled
def share_map(shares: pd.DataFrame, votes: pd.DataFrame) -> Figure:
    """Draw the share of votes of the row's system against the column's: blue where it wins more, orange where less.

    Parameters
    ----------
    shares : pandas.DataFrame
        Square, best system first; NaN where two did not meet.
    votes : pandas.DataFrame
        Votes on every pair, in the same order.
    """
    names = short_names(list(map(str, shares.index)), 12 if drawn_narrow() else 24)
    count = len(names)
    size = 8.0 if count <= MOST_SYSTEMS // 2 else 5.5
    left = 0.25 + max(text_width(name, size) for name in names)
    side = min(page_width() - left - 0.15, 0.34 * count)
    figure = Figure(figsize=(page_width(), side + 0.1 + left))
    axes = inch_axes(figure, left=left, right=page_width() - left - side, top=0.1, bottom=left)
    values = shares.to_numpy(dtype=float)
    pixels = np.ones((count, count, 4))
    for row, column in np.ndindex(count, count):
        apart = 0.0 if np.isnan(values[row, column]) else 2.0 * values[row, column] - 1.0
        color = THEME["blue"] if apart > 0 else THEME["orange"]
        pixels[row, column] = to_rgba(str(color), abs(float(apart)))
    axes.imshow(pixels, interpolation="none", aspect="auto", extent=(-0.5, count - 0.5, count - 0.5, -0.5))
    row, column = (one[~np.isnan(values).ravel()] for one in np.indices((count, count)).reshape(2, -1))
    note_cells(
        axes,
        column,
        row,
        "{row} against {column}: {share} of {votes} votes",
        {
            "row": [str(shares.index[place]) for place in row],
            "column": [str(shares.index[place]) for place in column],
            "share": [share(values[pair]) for pair in zip(row, column, strict=True)],
            "votes": [f"{votes.to_numpy()[pair]:,.0f}" for pair in zip(row, column, strict=True)],
        },
        of=("row", "column"),
    )
    axes.set_xticks(range(count), names, rotation=90)
    axes.set_yticks(range(count), names)
    tidy_axes(axes, grid="", spines=())
    axes.tick_params(length=0, labelsize=size)
    return figure
