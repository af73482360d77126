# ruff: noqa: RUF001 - typographic minus is meant for people
"""The picture of all pairs of systems: which of the two is better, and whether the data show it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from metaeval.base.words import number, p_value
from metaeval.figures import style
from metaeval.figures.marks import note_pairs
from metaeval.figures.shown import NAMED_ROWS

_SELF, _UNTESTED = 9, 8
_SIGNED, _NAMED_NARROW = 25, 15
_WRITE = number(4)
_STRIP, _STRIP_KEY, _STRIP_COLUMNS = 0.2, 0.17, 4
"""Room for the strip of groups below the map and for a line of its key, in inches, and groups in such a line."""
_FEWEST = 2
"""Groups, and systems in one of them, that are worth a strip."""
_BLUE, _ORANGE, _GREY = "#1a7fc1", "#dd6b1f", "#8492a3"
_MAP_COLOURS = {  # see-through rather than pale, so that they fit a light and a dark page
    2: to_rgba(_BLUE),
    1: to_rgba(_BLUE, 0.36),
    0: to_rgba(_GREY, 0.14),
    -1: to_rgba(_ORANGE, 0.4),
    -2: to_rgba(_ORANGE),
    _SELF: to_rgba(_GREY, 0.6),
    _UNTESTED: to_rgba(_GREY, 0.0),
}


@style.styled
def significance_map(
    decisions: pd.DataFrame,
    *,
    correction: str | None,
    pairs: pd.DataFrame | None = None,
    groups: Mapping[str, str] | None = None,
) -> Figure:
    """Draw which system is better than which under one metric.

    Blue: the row's system is better than the column's; orange: worse. Strong colour: significant after the
    correction; pale: only without it.

    Parameters
    ----------
    decisions : pandas.DataFrame
        Square, systems in rows and columns, the best first: 2 or -2 where the row's is significantly better or worse
        after the correction, 1 or -1 where only without it, 0 where neither, NaN where the pair was not tested.
    correction : str or None
        What the correction is called; None where the decisions rest on none.
    pairs : pandas.DataFrame, optional
        What a reader can ask of a pair: system_a, system_b, difference, low and high (its interval, where there is
        one), p_value and p_corrected.
    groups : mapping of str to str, optional
        System to group: strips at the right and below show where the systems of each group stand.
    """
    states = decisions.fillna(_UNTESTED).to_numpy(dtype=np.int8, copy=True)
    np.fill_diagonal(states, _SELF)
    n_systems = len(states)
    named = n_systems <= (_NAMED_NARROW if style.drawn_narrow() else NAMED_ROWS)
    labels = style.short_names(decisions.index.tolist(), 14 if style.drawn_narrow() else 28)
    left = 0.5 + max(style.text_width(label, 7.5) for label in labels) if named else 0.75
    side = min(n_systems * 0.36, style.page_width() - left - 0.2, 5.9)
    members = _members(decisions.index, groups)
    key_rows = (5 if correction else 3) if style.drawn_narrow() else 2
    in_row = 1 if style.drawn_narrow() else _STRIP_COLUMNS
    head, foot = 0.5, (0.35 if style.drawn_narrow() else 0.51) + key_rows * _STRIP_KEY
    foot += _STRIP + _STRIP_KEY * int(np.ceil(len(members) / in_row)) if members else 0.0
    height = head + side + foot
    figure = Figure(figsize=(style.page_width(), height))
    axes = style.inch_axes(figure, left=left, right=style.page_width() - left - side, top=head, bottom=foot)
    pixels = np.array([[_MAP_COLOURS[int(state)] for state in row] for row in states])
    axes.imshow(pixels, interpolation="none", aspect="auto", extent=(0.5, n_systems + 0.5, n_systems + 0.5, 0.5))
    style.tidy_axes(axes, grid="", spines=())
    if named:
        _name_cells(axes, labels)
    else:
        ticks = np.unique([1, *range(20, n_systems - 9, 20), n_systems])
        axes.set_yticks(ticks)
        axes.set_xticks(ticks)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, labelsize=7.5)
        axes.set_ylabel("row: a system, by its mean, best first")
    if pairs is not None:
        _note_pairs(axes, decisions, pairs, correction, [(groups or {}).get(name, "") for name in decisions.index])
    if members:
        _group_strips(axes, members, n_systems, cell=side / n_systems)
    if n_systems <= (_NAMED_NARROW if style.drawn_narrow() else _SIGNED):
        _signs(axes, states)
    words = "column: the other system, in the same order"
    start = (0.09 - left) / side if style.drawn_narrow() else 0.0  # longer than a narrow figure's map
    axes.text(
        start, 1 + 0.3 / side, words, transform=axes.transAxes, va="bottom", fontsize=8.5, color=style.THEME["muted"]
    )
    _map_key(figure, correction, left=left, foot=foot - _STRIP * bool(members))
    if members:
        _group_key(figure, members, left=left)
    return figure


def _name_cells(axes: Axes, labels: Sequence[str]) -> None:
    """Name the rows, number the columns, and draw the lines between the cells, all as one path each way."""
    numbers = np.arange(1, len(labels) + 1)
    style.row_names(axes, labels, numbers, size=7.5, ranks=numbers.tolist())
    axes.set_xticks([])
    for position in range(1, len(labels) + 1):
        axes.text(position, 0.38, str(position), ha="center", va="bottom", fontsize=7, color=style.THEME["muted"])
    style.cell_edges(axes, len(labels))


def _members(systems: pd.Index, groups: Mapping[str, str] | None) -> dict[str, list[int]]:
    """Return the places of every group's systems, the largest groups first; none where no group has two."""
    members: dict[str, list[int]] = {}
    for position, system in enumerate(systems, 1):
        if name := (groups or {}).get(system):
            members.setdefault(str(name), []).append(position)
    if len(members) < _FEWEST or max(map(len, members.values())) < _FEWEST:
        return {}
    ordered = sorted(members.items(), key=lambda one: -len(one[1]))
    if len(ordered) > len(style.CYCLE):
        merged = sorted(position for _, places in ordered[len(style.CYCLE) - 1 :] for position in places)
        ordered = [*ordered[: len(style.CYCLE) - 1], (f"{len(ordered) - len(style.CYCLE) + 1} other groups", merged)]
    return dict(ordered)


def _group_strips(axes: Axes, members: Mapping[str, list[int]], n_systems: int, *, cell: float) -> None:
    """Draw the strips at the right of the rows and below the columns, all systems of a group as one path each."""
    beside, width = n_systems + 0.5 + 0.09 / cell, 72 * 0.1
    for color, places in zip(_group_colours(members), members.values(), strict=True):
        at = np.array(places)
        line: dict[str, Any] = {"color": color, "linewidth": width, "clip_on": False}
        style.bars(axes, at - 0.46, at + 0.46, np.full(len(at), beside), upright=True, **line)
        style.bars(axes, at - 0.46, at + 0.46, np.full(len(at), beside), **line)
    axes.set(xlim=(0.5, n_systems + 0.5), ylim=(n_systems + 0.5, 0.5))


def _group_colours(members: Mapping[str, list[int]]) -> list[str]:
    """Return a colour a group, grey for those that have none of their own."""
    return [_GREY if name.endswith("other groups") else style.CYCLE[index] for index, name in enumerate(members)]


def _group_key(figure: Figure, members: Mapping[str, list[int]], *, left: float) -> None:
    figure.legend(
        [Patch(facecolor=color, linewidth=0) for color in _group_colours(members)],
        style.short_names(list(members), 22),
        loc="lower left",
        bbox_to_anchor=(_key_left(left), 0.0),
        ncols=1 if style.drawn_narrow() else _STRIP_COLUMNS,
        **style.KEY_STYLE,
    )


def _note_pairs(
    axes: Axes, decisions: pd.DataFrame, pairs: pd.DataFrame, correction: str | None, groups: Sequence[str]
) -> None:
    """Note every pair, the system that stands higher first."""
    a, b = (decisions.index.get_indexer(pd.Index(pairs[side])) for side in ("system_a", "system_b"))
    turned = a > b
    sign, first, second = np.where(turned, -1.0, 1.0), np.minimum(a, b), np.maximum(a, b)
    low, high = (np.where(turned, -pairs[far_end], pairs[end]) for end, far_end in (("low", "high"), ("high", "low")))
    states = np.nan_to_num(np.abs(decisions.to_numpy(dtype=float)[first, second])).astype(int)
    verdicts = ("not significant", f"significant before {correction} only", "significant")
    ends = [
        f" [{_WRITE(value)}, {_WRITE(far_end)}]" if np.isfinite(value) else ""
        for value, far_end in zip(low, high, strict=True)
    ]
    note_pairs(
        axes,
        first,
        second,
        "{difference}{ends}, p {p}" + (f", {correction} {{corrected}}" if correction else "") + "; {verdict}",
        {
            "difference": [_WRITE(value) for value in sign * pairs["difference"]],
            "ends": ends,
            "p": pairs["p_value"].map(p_value),
            "corrected": pairs["p_corrected"].map(p_value),
            "verdict": [verdicts[state] for state in states],
        },
        names=decisions.index.tolist(),
        groups=groups if any(groups) else (),
    )


def _key_left(left: float) -> float:
    """Return where the keys of a map begin, as a share of the width."""
    return (0.09 if style.drawn_narrow() else min(left, 0.9)) / style.page_width() - 0.012


def _signs(axes: Axes, states: NDArray[np.int8]) -> None:
    """Say better and worse by sign too, where there is room."""
    for row, column in np.argwhere((states != 0) & (np.abs(states) <= 2)):  # noqa: PLR2004 - the four decisions
        state = int(states[row, column])
        color = "#fefefe" if abs(state) == 2 else style.THEME["ink"]  # noqa: PLR2004 - strong colour
        sign = "+" if state > 0 else "−"
        axes.text(column + 1, row + 1, sign, ha="center", va="center_baseline", fontsize=7.5, color=color)


def _map_key(figure: Figure, correction: str | None, *, left: float, foot: float) -> None:
    how = f"after {correction}" if correction else "significant"
    words = {2: f"row better, {how}", -2: f"column better, {how}", 0: "not significantly different"}
    if correction:
        words |= {1: "row better, only uncorrected", -1: "column better, only uncorrected"}
    order = [state for state in (2, 1, -2, -1, 0) if state in words]
    figure.legend(
        [Patch(facecolor=_MAP_COLOURS[state], linewidth=0) for state in order],
        [words[state] for state in order],
        loc="upper left",
        bbox_to_anchor=(_key_left(left), (foot - 0.08) / figure.get_size_inches()[1]),
        ncols=1 if style.drawn_narrow() else 3,
        **style.KEY_STYLE,
    )
