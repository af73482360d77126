"""What a reader may point at in a picture: where it is, and what there is to say of it.

A function that draws also notes its marks (`note_points`, `note_line`, `note_cells`, `note_pairs`); a page reads them
with `marks_json` and shows their words beside the pointer. The figure itself stays as it is drawn, and so do the files.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from metaeval.base.arrays import Floats
from metaeval.base.escaping import visible
from metaeval.figures.style import paper_corner

type Kind = Literal["point", "line", "cell", "pair"]
type Column = Sequence[object] | NDArray[Any] | pd.Series | str
"""One word for every mark, or one for all of them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Marks:
    """Marks of one kind in one panel."""

    kind: Kind
    """Points stand for themselves; those of a line are joined in their order; cells are squares of side 1; a pair is
    two cells of a square map, on both sides of its diagonal."""
    panel: int
    """Place of the axes in the figure."""
    x: Floats
    y: Floats
    """In the units of the axes."""
    low: Floats | None
    high: Floats | None
    """Ends of the bar through each point, along x, or along y where `upright`."""
    say: str
    """What there is to say, with the names of columns in braces."""
    columns: Mapping[str, list[str]]
    """Words for the braces, one for every mark."""
    of: tuple[str, ...]
    """Columns that name what the mark is of: a system, two systems, a metric."""
    label: str
    """What the key calls all of them; empty if they are in none."""
    color: str
    """Of a line."""
    upright: bool
    names: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """Rows and columns of a map of pairs, in order, and what group each belongs to; the first stands at 1."""

    def words(self) -> list[str]:
        """Return what is said of every mark."""
        rows = zip(*self.columns.values(), strict=True) if self.columns else [()] * len(self.x)
        return [self.say.format(**dict(zip(self.columns, row, strict=True))) for row in rows]


_NOTED: WeakKeyDictionary[Figure, list[Marks]] = WeakKeyDictionary()


def note_points(  # noqa: PLR0913 - what there is to know of marks
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    say: str,
    words: Mapping[str, Column],
    *,
    kind: Kind = "point",
    of: Sequence[str] = (),
    span: tuple[ArrayLike, ArrayLike] | None = None,
    upright: bool = False,
    label: str = "",
    color: str = "",
    names: Sequence[object] = (),
    groups: Sequence[str] = (),
) -> None:
    """Note points, with the bars through them; parameters as the fields of `Marks`."""
    across, up = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    across, up = np.atleast_1d(across).ravel(), np.atleast_1d(up).ravel()
    ends = [None, None] if span is None else [np.broadcast_to(np.asarray(end, dtype=float), up.shape) for end in span]
    columns = {name: _listed(column, len(up)) for name, column in words.items()}
    braced = set(re.findall(r"\{(\w+)\}", say))
    if not braced | set(of) <= set(columns):
        raise ValueError(f"words for {', '.join(sorted((braced | set(of)) - set(columns)))} are missing")
    figure = axes.figure
    if not isinstance(figure, Figure):
        raise TypeError("marks belong to axes of a figure")
    made = Marks(
        kind=kind,
        panel=figure.axes.index(axes),
        x=across,
        y=up,
        low=ends[0],
        high=ends[1],
        say=say,
        columns=columns,
        of=tuple(of),
        label=label,
        color=to_hex(color) if color else "",
        upright=upright,
        names=tuple(visible(str(name)) for name in names),
        groups=tuple(map(visible, groups)),
    )
    _NOTED.setdefault(figure, []).append(made)


note_line = partial(note_points, kind="line")
"""Note the points of one line, in their order."""
note_cells = partial(note_points, kind="cell")
"""Note cells of a map by their middles."""
note_pairs = partial(note_points, kind="pair")
"""Note the pairs of a square map whose rows and columns, `names`, stand at the whole numbers from 1 on."""


def marks_of(figure: Figure) -> tuple[Marks, ...]:
    """Return what was noted of a figure."""
    return tuple(_NOTED.get(figure, ()))


def marks_json(figure: Figure) -> str:
    """Return the marks of a drawn figure for a page, as JSON; empty if there are none.

    Places are points from the upper left corner, as in the figure's SVG. A column is a list of words and the place of
    each mark's word in it, or words alone where most differ.
    """
    noted = [_written(figure, marks) for marks in marks_of(figure)]
    groups = [group for group in noted if group["x"]]
    return json.dumps(groups, ensure_ascii=False, separators=(",", ":")) if groups else ""


def shared_marks(own: str, other: str) -> str:
    """Return the marks of a figure as JSON, less what is said of them, where another form of it says the same.

    A page takes that from the other form, group by group.
    """
    if not own or not other:
        return own
    groups, others = json.loads(own), json.loads(other)
    if len(groups) == len(others):
        groups = [
            {name: value for name, value in group.items() if name in _PLACES or value != same.get(name)}
            for group, same in zip(groups, others, strict=True)
        ]
    return json.dumps(groups, ensure_ascii=False, separators=(",", ":"))


_PLACES = frozenset({"x", "y", "low", "high", "from", "to", "size", "upright"})
"""What differs between the forms of a figure."""


def _listed(column: Column, length: int) -> list[str]:
    words = [column] * length if isinstance(column, str) else [str(word) for word in column]
    if len(words) != length:
        raise ValueError(f"{len(words)} words for {length} marks")
    return [visible(word) for word in words]


def _written(figure: Figure, marks: Marks) -> dict[str, object]:
    """Return marks as JSON has them, those that stand outside the axes left out."""
    axes = figure.axes[marks.panel]
    if marks.kind == "pair":
        return _written_pairs(figure, axes, marks)
    x, y = _points(figure, axes, marks.x, marks.y)
    (left, right), (top, bottom) = _frame(figure, axes)
    inside = np.isfinite(x) & np.isfinite(y)
    inside &= (x >= left - 1) & (x <= right + 1) & (y >= top - 1) & (y <= bottom + 1)
    indices = np.flatnonzero(inside)
    written: dict[str, object] = {"kind": marks.kind, "x": _short(x[indices]), "y": _short(y[indices])}
    if marks.low is not None and marks.high is not None:
        ends = (marks.low, marks.high)
        low, high = (
            np.clip(_points(figure, axes, marks.x, end)[1], top, bottom)
            if marks.upright
            else np.clip(_points(figure, axes, end, marks.y)[0], left, right)
            for end in ends
        )
        middle = y if marks.upright else x
        written |= {"low": _short(_kept(low, middle)[indices]), "high": _short(_kept(high, middle)[indices])}
        written |= {"upright": True} if marks.upright else {}
    if marks.kind == "line" and len(indices):
        corners = np.array([[left, top], [right, bottom]])
        places = np.column_stack([x, y])
        for name, inner, beyond in (("from", indices[0], indices[0] - 1), ("to", indices[-1], indices[-1] + 1)):
            if 0 <= beyond < len(x) and np.isfinite(places[beyond]).all():
                written[name] = _short(_crossing(places[inner], places[beyond], corners))
    if marks.kind == "cell":
        (x0, x1), (y0, y1) = _points(figure, axes, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
        written["size"] = _short(np.abs([x1 - x0, y1 - y0]))
    written |= _said(marks, indices)
    names = list(marks.columns)
    written |= {"of": [names.index(name) for name in marks.of]} if marks.of else {}
    written |= {"label": visible(marks.label)} if marks.label else {}
    written |= {"color": marks.color} if marks.color else {}
    return written


def _written_pairs(figure: Figure, axes: Axes, marks: Marks) -> dict[str, object]:
    """Return a map of pairs: the middle of its first cell, the size of one, and pairs in order, as far as known."""
    middles, size = _points(figure, axes, np.array([1.0, 2.0]), np.array([1.0, 2.0])), len(marks.names)
    upper = np.triu_indices(size, 1)
    first, second = marks.x.astype(int), marks.y.astype(int)
    order = np.lexsort((second, first))
    complete = len(order) == len(upper[0]) and all(
        np.array_equal(side[order], all_of) for side, all_of in zip((first, second), upper, strict=True)
    )
    return {
        "kind": "pair",
        "x": _short([middles[0][0]]),
        "y": _short([middles[1][0]]),
        "size": [round(float(at[1] - at[0]), 3) for at in middles],
        "names": list(marks.names),
        **({"groups": list(marks.groups)} if marks.groups else {}),
        **({} if complete else {"pairs": [first[order].tolist(), second[order].tolist()]}),
        **_said(marks, order),
    }


def _said(marks: Marks, kept: NDArray[np.intp]) -> dict[str, object]:
    """Return what is said of some marks: columns by their place, and their words."""
    names = list(marks.columns)
    return {
        "say": visible(re.sub(r"\{(\w+)\}", lambda brace: f"{{{names.index(brace[1])}}}", marks.say)),
        "words": [_coded([words[index] for index in kept]) for words in marks.columns.values()],
    }


def _points(figure: Figure, axes: Axes, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return data coordinates as points from the upper left corner of the figure."""
    axes.get_xlim(), axes.get_ylim()  # whatever limits are due are settled now
    with np.errstate(divide="ignore", invalid="ignore"):  # a zero has no place on a logarithmic axis
        places = axes.transData.transform(np.column_stack([x, y])) * 72 / figure.dpi
    left, top = paper_corner(figure)
    return places[:, 0] - left, top - places[:, 1]


def _frame(figure: Figure, axes: Axes) -> Floats:
    """Return left and right, top and bottom of axes in points."""
    corners = axes.transAxes.transform([[0, 0], [1, 1]]) * 72 / figure.dpi
    left, top = paper_corner(figure)
    return np.array([corners[:, 0] - left, top - corners[::-1, 1]])


def _crossing(inside: Floats, outside: Floats, corners: Floats) -> Floats:
    """Return where the way from a point inside a frame to one outside meets the frame."""
    way = outside - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = np.where(way > 0, corners[1] - inside, corners[0] - inside) / way
    return inside + way * np.clip(np.nanmin(np.where(way == 0, np.nan, reached)), 0, 1)


def _kept(ends: Floats, middle: Floats) -> Floats:
    """Put a bar without an end onto its point."""
    return np.where(np.isfinite(ends), ends, middle)


def _short(values: Iterable[float]) -> list[float]:
    return [round(float(value), 1) for value in values]


def _coded(words: list[str]) -> object:
    """Return one word for all as it is, few words with their places, many as they stand."""
    distinct = list(dict.fromkeys(words))
    if len(distinct) == 1:
        return distinct[0]
    if 2 * len(distinct) > len(words):
        return words
    places = {word: code for code, word in enumerate(distinct)}
    return [distinct, [places[word] for word in words]]
