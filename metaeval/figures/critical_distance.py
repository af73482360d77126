"""The diagram of critical distance: systems at their mean ranks, joined where they do not differ."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from metaeval.base.words import number
from metaeval.figures import style
from metaeval.figures.marks import note_points

_LINE, _BAR, _HEAD = 0.23, 0.11, 0.75
"""Inches of a name, of a bar, and of what stands above the axis."""
_TWO = number(2)


@style.styled
def critical_distances(alike: Sequence[Sequence[str]], mean_ranks: Mapping[str, float], *, distance: float) -> Figure:
    """Draw systems at their mean ranks, with a bar over those among which none differs (Demšar 2006).

    Parameters
    ----------
    alike : sequence of sequence of str
        Sets of systems among which none differs from another.
    mean_ranks : mapping of str to float
        The mean rank of every system, 1 the best.
    distance : float
        How far apart mean ranks have to be for two systems to differ.
    """
    systems = sorted(mean_ranks, key=lambda system: (mean_ranks[system], system))
    places = np.array([mean_ranks[system] for system in systems])
    bars = [sorted(map(systems.index, members)) for members in alike if len(members) > 1]
    n_left = (len(systems) + 1) // 2
    names = style.short_names(systems, 12 if style.drawn_narrow() else 28)
    room = 0.15 + max(style.text_width(name, 8.5) for name in names)
    low = _BAR * (len(bars) + 1.5)
    foot = low + _LINE * n_left
    figure = Figure(figsize=(style.page_width(), _HEAD + foot))
    axes = style.inch_axes(figure, left=room, right=room, top=0.0, bottom=0.0)
    axes.set(xlim=(1, len(systems)), ylim=(-foot, _HEAD))
    axes.set_axis_off()
    axes.plot([1, len(systems)], [0, 0], color=style.THEME["ink"], linewidth=0.9, clip_on=False)
    step = max(1, len(systems) // 10)
    for rank in range(1, len(systems) + 1, step):
        axes.plot([rank, rank], [0, 0.06], color=style.THEME["ink"], linewidth=0.9, clip_on=False)
        axes.text(rank, 0.09, str(rank), ha="center", va="bottom", fontsize=8.5)
    axes.plot([1, 1 + distance], [0.45, 0.45], color=style.THEME["orange"], linewidth=2, clip_on=False)
    words = f"critical distance {_TWO(distance)}; mean rank, 1 the best"
    axes.text(1, 0.5, words, ha="left", va="bottom", fontsize=8.5, color=style.THEME["muted"])
    for at, (place, name) in enumerate(zip(places.tolist(), names, strict=True)):
        left = at < n_left
        depth = -low - _LINE * ((at if left else len(systems) - 1 - at) + 0.5)
        end = 1 if left else len(systems)
        axes.plot([place, place, end], [0, depth, depth], color=style.THEME["muted"], linewidth=0.7, clip_on=False)
        offset = (-4, 0) if left else (4, 0)
        axes.annotate(
            name,
            (end, depth),
            xytext=offset,
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=8.5,
            annotation_clip=False,
        )
    for line, members in enumerate(bars):
        ends, depth = places[[members[0], members[-1]]], -_BAR * (line + 1)
        axes.plot(ends + np.array([-0.02, 0.02]), [depth, depth], color=style.CYCLE[0], linewidth=3, clip_on=False)
    axes.plot(places, np.zeros(len(places)), "o", color=style.CYCLE[0], markersize=4.5, clip_on=False, **style.RIMMED)
    note_points(
        axes,
        places,
        np.zeros(len(places)),
        "{system}: mean rank {rank}",
        {"system": systems, "rank": [_TWO(place) for place in places.tolist()]},
        of=("system",),
    )
    return figure
