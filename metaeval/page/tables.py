"""Tables of a report: one description of columns for every way out.

CSV keeps names, and numbers at full precision, with an apostrophe before what a spreadsheet would compute. LaTeX
(`metaeval.page.latex`), Markdown (`metaeval.page.markdown`), HTML (`metaeval.page.html`) and the terminal show
what people read, such as ``80/120 = 66.7 %`` (the form of Table 3 in Sakai and Kando 2008).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, ClassVar, Literal, NamedTuple

import pandas as pd

from metaeval.base.escaping import csv_text
from metaeval.base.short_repr import ShortRepr
from metaeval.base.words import (
    WrittenFigure,
    WrittenInterval,
    absent,
    drawn_number,
    intervals,
    name_of_metric,
    named_by,
    names_now,
    p_drawn,
    p_value,
    text,
)

type Write = Callable[[object], str]
"""Turns a value into text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table as displayed."""

    name: str
    """Column of the table's frame."""
    label: str
    """Heading."""
    write: Callable[[object], str] = text
    """Turns a value into text."""
    align: Literal["left", "right"] = "left"
    group: str = ""
    """Heading above neighbouring columns that share it."""
    under: bool = False
    """On a page the value stands under that of the column before, in the same cell, which keeps a wide table narrow."""
    rising: bool = False
    """Whether a page sorts numbers from the smallest on when the heading is first pressed, as it does what `p_value`
    writes; others are sorted from the largest on."""
    cells: Callable[[pd.DataFrame], Iterable[object]] | None = None
    """Makes the cells from a frame that lacks the column, as an interval from its ends."""


METRIC = Column(name="metric", label="Metric", write=name_of_metric)
"""The column of metrics, by the names that people call them."""


def of_metrics(frame: pd.DataFrame) -> tuple[Column, ...]:
    """Return the column of metrics where there are several: a wide table has no room for one name in every row.

    Examples
    --------
    >>> len(of_metrics(pd.DataFrame({"metric": ["AP", "AP"]}))), len(of_metrics(pd.DataFrame({"metric": ["AP", "RR"]})))
    (0, 1)
    """
    return (METRIC,) if len(frame["metric"].unique()) > 1 else ()


def left(write: Write = text, group: str = "", /, **labels: str) -> tuple[Column, ...]:
    """Return columns of words: names with their headings, all written alike and under one heading.

    Examples
    --------
    >>> [column.label for column in left(first="First", second="Second")]
    ['First', 'Second']
    """
    return tuple(Column(name=name, label=label, write=write, group=group) for name, label in labels.items())


def right(write: Write = text, group: str = "", /, **labels: str) -> tuple[Column, ...]:
    """Return columns of numbers, as `left` does those of words.

    Examples
    --------
    >>> from metaeval.base.words import whole
    >>> [(column.align, column.group) for column in right(whole, "Runs", runs="all", pooled="pooled")]
    [('right', 'Runs'), ('right', 'Runs')]
    """
    return tuple(replace(column, align="right") for column in left(write, group, **labels))


def rising(write: Write = text, group: str = "", /, **labels: str) -> tuple[Column, ...]:
    """Return columns of numbers of which the smallest are looked for, such as ranks."""
    return tuple(replace(column, rising=True) for column in right(write, group, **labels))


def under(write: Write = text, group: str = "", /, **labels: str) -> tuple[Column, ...]:
    """Return columns of numbers that a page shows under the column before, in the same cell."""
    return tuple(replace(column, under=True) for column in right(write, group, **labels))


def ranged(write: Write, draws: float | None = None, /, **labels: str) -> tuple[Column, ...]:
    """Return columns of numbers with their headings, and under each its interval: from ``NAME_low`` and ``NAME_high``.

    Examples
    --------
    >>> from metaeval.base.words import number
    >>> frame = pd.DataFrame({"f1": [0.9], "f1_low": [0.85], "f1_high": [0.95]})
    >>> columns = ranged(number(2), f1="F1")
    >>> [str(ends) for ends in columns[1].cells(frame)], [column.label for column in columns]
    (['0.85 to 0.95'], ['F1', 'interval'])
    """
    columns: list[Column] = []
    for name, heading in labels.items():
        columns += right(write, **{name: heading})
        cells = partial(_interval_cells, name=name, write=write, draws=draws)
        columns.append(Column(name=f"{name}_interval", label="interval", align="right", under=True, cells=cells))
    return tuple(columns)


def _interval_cells(frame: pd.DataFrame, *, name: str, write: Write, draws: float | None) -> list[Any]:
    """Return the interval of every number of a column."""
    if f"{name}_low" not in frame:
        return ["no interval"] * len(frame)
    return intervals(frame[f"{name}_low"], frame[f"{name}_high"], write, draws=draws, about=frame[name])


def bounded(
    frame: pd.DataFrame,
    measures: Mapping[str, tuple[str, Write]],
    label: str = "interval",
    *,
    draws: float | None = None,
) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return a frame with its intervals written out, and the columns of `ranged`, with another heading of intervals.

    Examples
    --------
    >>> from metaeval.base.words import number
    >>> frame = pd.DataFrame({"f1": [0.9], "f1_low": [0.85], "f1_high": [0.95]})
    >>> shown, columns = bounded(frame, {"f1": ("F1", number(2))})
    >>> [str(ends) for ends in shown["f1_interval"]], [column.label for column in columns]
    (['0.85 to 0.95'], ['F1', 'interval'])
    """
    columns = [column for name, (head, write) in measures.items() for column in ranged(write, draws, **{name: head})]
    headed = tuple(replace(column, label=label) if column.cells else column for column in columns)
    return with_made_cells(frame, headed), headed


def ends_named(name: str, prefix: str = "") -> dict[str, str]:
    """Return how the columns of the ends of an interval are renamed, so that they are those of a number.

    Examples
    --------
    >>> ends_named("difference")
    {'low': 'difference_low', 'high': 'difference_high'}
    """
    return {f"{prefix}{end}": f"{name}_{end}" for end in ("low", "high")}


def p_values(
    frame: pd.DataFrame, labels: Mapping[str, str], group: str = "", *, raw: Mapping[str, str], n_resamples: int | None
) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return a frame with its p-values written out, and their columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"p": [0.01], "holm": [0.2]})
    >>> shown, columns = p_values(frame, {"p": "p", "holm": "Holm"}, raw={"holm": "p"}, n_resamples=9999)
    >>> shown[["p", "holm", "holm_sort"]].to_numpy().tolist()
    [['0.010', '0.20', 0.2]]
    """
    written = {
        name: [p_drawn(p, n_resamples, first) for p, first in zip(frame[name], frame[raw.get(name, name)], strict=True)]
        for name in labels
    }
    keys = {f"{name}_sort": frame[name] for name in labels}
    columns = rising(text, group, **labels)
    return with_cells(frame, **written).assign(**keys), columns


def with_cells(frame: pd.DataFrame, **cells: Iterable[object]) -> pd.DataFrame:
    """Return a frame with cells as they are: where all are text, pandas would forget what else figures know."""
    return frame.assign(**{name: pd.Series([*column], frame.index, dtype=object) for name, column in cells.items()})


def with_made_cells(frame: pd.DataFrame, columns: Iterable[Column]) -> pd.DataFrame:
    """Return a frame with the cells that its columns make."""
    lacking = (column for column in columns if column.name not in frame)
    return with_cells(frame, **{column.name: column.cells(frame) for column in lacking if column.cells is not None})


def frame_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a frame, with figures as they are; see `with_cells`."""
    drawn = {name for row in rows for name, cell in row.items() if isinstance(cell, WrittenFigure | WrittenInterval)}
    return with_cells(pd.DataFrame(rows), **{name: [row.get(name) for row in rows] for name in drawn})


def with_errors(
    frame: pd.DataFrame,
    writers: Mapping[str, Write | None],
    carry: Callable[[object, object, Write | None], str] = drawn_number,
    *,
    error: str = "error",
) -> pd.DataFrame:
    """Return a frame whose means over draws are written with the digits that their standard errors leave them.

    The errors are in the columns ``<name>_error``; `carry` writes a figure with them, in the way of its writer, or as a
    share without one.

    Examples
    --------
    >>> from metaeval.base.words import share
    >>> with_errors(pd.DataFrame({"power": [0.691], "power_error": [0.002]}), {"power": share})["power"].tolist()
    ['69 %']
    """
    written = {
        name: [carry(*row, write) for row in zip(frame[name], frame[f"{name}_{error}"], strict=True)]
        for name, write in writers.items()
    }
    return with_cells(frame, **written).assign(**{f"{name}_sort": frame[name] for name in writers})


class Cell(NamedTuple):
    """A cell of a page."""

    text: str
    sort: str
    """What the rows are sorted by."""
    align: str
    under: str = ""
    """What stands under the text, in the same cell."""
    marks: str = ""
    """What stands raised after the text, such as a dagger."""
    bold: bool = False
    """Whether the text stands out."""
    room: int = 0
    """Letters of the longest marks of the column: where they have their room in every row, numbers stay aligned."""


class Heading(NamedTuple):
    """The heading of a column of a page."""

    label: str
    align: str
    group: str
    """The heading above, which neighbours share."""
    under: str = ""
    """What stands under the label."""
    rising: bool = False
    """Whether the smallest number comes first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps(ShortRepr):
    """Values of a table at other numbers, for a slider on the page."""

    what: str
    """What there is a number of, such as "Topics"."""
    frames: Mapping[int, pd.DataFrame]
    """A frame with the table's rows and columns at every number, rising."""
    at: int
    """The number at which the table itself stands."""

    def __post_init__(self) -> None:
        numbers = [*self.frames]
        if self.at not in self.frames or numbers != sorted(numbers):
            raise ValueError(f"steps rise and hold the number of their table, {self.at}; these are {numbers}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table(ShortRepr):
    """A table of a report: data and display."""

    kind: ClassVar[str] = "table"

    name: str
    """Of the files it becomes; made safe when they are written."""
    title: str
    caption: str
    """What it shows and how to read it."""
    frame: pd.DataFrame
    """One row per row shown; a column ``<name>_sort`` sorts the column ``<name>`` where its text would not do,
    ``<name>_marks`` holds what stands raised after it, and ``<name>_bold`` says where it stands out."""
    columns: tuple[Column, ...]
    data: pd.DataFrame | None = None
    """What goes into the CSV file if not `frame` itself."""
    steps: Steps | None = None
    """What it shows at other numbers of something."""
    precision: str = ""
    """The largest Monte-Carlo errors of figures that do not carry theirs; see `errors`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", with_made_cells(self.frame, self.columns))  # frozen
        data = None if self.data is None else _with_shown(self.data, self.frame, self.columns)
        object.__setattr__(self, "data", data)
        if names := names_now():  # a table is written after its report was made
            write = named_by(names)
            columns = (
                replace(column, write=write) if column.write is name_of_metric else column for column in self.columns
            )
            object.__setattr__(self, "columns", tuple(columns))

    @property
    def errors(self) -> str:
        """The largest Monte-Carlo errors of its figures, which a page says once; nothing where nothing was drawn."""
        return errors_of([self])

    @property
    def is_long(self) -> bool:
        """Whether key figures with its rows, of which some have a second line, push the first figure out of sight."""
        return len(self.frame) * (1 + any(column.under for column in self.columns)) > _MOST_LINES

    def cells(self) -> list[list[Cell]]:
        """Return the rows as text, ready for a template."""
        by_column = []
        for column in self.columns:
            values = self.frame[column.name].tolist()
            keys = self._beside(column, "sort", values)
            marks = self._beside(column, "marks", [""] * len(values))
            bold = self._beside(column, "bold", [False] * len(values))
            room = max(map(len, marks), default=0)
            by_column.append(
                [
                    Cell(column.write(value), _sort_key(key), column.align, marks=raised, bold=bool(out), room=room)
                    for value, key, raised, out in zip(values, keys, marks, bold, strict=True)
                ]
            )
        return [list(row) for row in zip(*by_column, strict=True)]

    def file_frame(self) -> pd.DataFrame:
        """Return the columns that are shown, and every other one but for what only marks a value."""
        shown = [column.name for column in self.columns]
        return self.frame[
            shown + [name for name in self.frame if not str(name).endswith(_MARKING) and name not in shown]
        ]

    def marked(self, column: Column) -> bool:
        """Say whether anything stands raised after the values of a column."""
        return any(self._beside(column, "marks", []))

    def _beside(self, column: Column, kind: str, default: list[Any]) -> list[Any]:
        """Return what the frame says about every value of a column."""
        name = f"{column.name}_{kind}"
        return self.frame[name].tolist() if name in self.frame else default

    def headings(self) -> list[Heading]:
        """Return the headings of a page's columns: a column shown under another has none of its own."""
        heads: list[Heading] = []
        for column, is_stacked in zip(self.columns, self._are_stacked(), strict=True):
            if is_stacked:
                heads[-1] = heads[-1]._replace(under=column.label)
            else:
                rising = column.rising or column.write is p_value
                heads.append(Heading(column.label, column.align, column.group, rising=rising))
        return heads

    def _are_stacked(self) -> list[bool]:
        """Return which columns stand under the one before: of two in a row the second has a place of its own."""
        stacked: list[bool] = []
        for column in self.columns:
            stacked.append(column.under and bool(stacked) and not stacked[-1])
        return stacked

    def stacked_cells(self) -> list[list[Cell]]:
        """Return the rows for the columns of `headings`."""
        return [self._stacked(row) for row in self.cells()]

    def steps_json(self) -> str:
        """Return what a page's slider reads: the numbers, the place of the table's own, and the cells at each.

        A cell is its text, what it is sorted by, and what stands under it.
        """
        if self.steps is None:
            return ""
        numbers = list(self.steps.frames)
        cells = [
            [[[cell.text, cell.sort, cell.under] for cell in row] for row in replace(self, frame=frame).stacked_cells()]
            for frame in self.steps.frames.values()
        ]
        told = {"what": self.steps.what, "numbers": numbers, "at": numbers.index(self.steps.at), "cells": cells}
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"))

    def _stacked(self, row: list[Cell]) -> list[Cell]:
        cells: list[Cell] = []
        for is_stacked, cell in zip(self._are_stacked(), row, strict=True):
            if is_stacked:
                cells[-1] = cells[-1]._replace(under=cell.text)
            else:
                cells.append(cell)
        return cells

    def groups(self, *, stacked: bool = False) -> list[tuple[str, int]]:
        """Return the headings above the headings with how many columns each spans; none if no column has one."""
        left_out = self._are_stacked() if stacked else [False] * len(self.columns)
        names = [column.group for column, is_out in zip(self.columns, left_out, strict=True) if not is_out]
        return [(name, len(list(members))) for name, members in groupby(names)] if any(names) else []


_MARKING = ("_marks", "_bold")
_MOST_LINES = 6
"""Lines of key figures that stand open on a page, in a window of which a figure is to begin in the upper 700 pixels."""


def errors_of(tables: Iterable[Table]) -> str:
    """Return the largest Monte-Carlo errors of figures of some tables, and of the ends of their intervals, by unit."""
    largest: dict[str, dict[str, str]] = {}
    said: dict[str, None] = {}
    for table in tables:
        said[table.precision] = None
        for cell in _drawn_cells(table):
            of_kind = largest.setdefault(_kind_of_error(cell), {})
            of_kind[cell.unit] = max(cell.error, of_kind.get(cell.unit, "0"), key=float)
    return ", ".join(
        filter(None, [*said, *(f"of {kind} {_amounts(by_unit)}" for kind, by_unit in sorted(largest.items()))])
    )


def _drawn_cells(table: Table) -> Iterator[WrittenFigure | WrittenInterval]:
    """Yield the cells of a table that carry an error."""
    for name in {column.name for column in table.columns} & set(table.frame):
        cells = table.frame[name]
        for cell in cells.tolist() if cells.dtype == object else ():
            if isinstance(cell, WrittenFigure | WrittenInterval) and cell.error:
                yield cell


def _kind_of_error(cell: WrittenFigure | WrittenInterval) -> str:
    alone = isinstance(cell, WrittenFigure) and cell == cell.value
    return "figures" if alone else "the ends of intervals"


def _amounts(errors: Mapping[str, str]) -> str:
    return " and ".join(f"{most}{unit.rstrip('s') if most == '1' else unit}" for unit, most in sorted(errors.items()))


def _with_shown(data: pd.DataFrame, frame: pd.DataFrame, columns: tuple[Column, ...]) -> pd.DataFrame:
    """Return data with the numbers shown that lack in them, where both are the same rows in the same order."""
    shared = [name for name in frame if name in data]
    if not shared or not data.index.equals(frame.index):
        return data
    written = [name for name in shared if frame[name].dtype.kind == "O" and data[name].dtype.kind != "O"]
    if not frame[shared].drop(columns=written).equals(data[shared].drop(columns=written)):
        return data
    numbers = {str(name).removesuffix("_sort"): frame[name] for name in frame if frame[name].dtype.kind in "iuf"}
    more = {column.name for column in columns} - {*data}
    more -= {name for name in more & {*numbers} if any(numbers[name].equals(data[other]) for other in data)}
    return data.assign(**{name: values for name, values in numbers.items() if name in more})


def table_csv(table: Table) -> str:
    """Return the table's data as CSV: a header, commas, full precision, one line feed per row.

    Where no other data are given, what is shown comes first, and after it the numbers behind what is written out.
    """
    return csv_text(table.file_frame() if table.data is None else table.data)


def _sort_key(value: object) -> str:
    if absent(value):
        return ""
    return repr(float(value)) if isinstance(value, int | float) else str(value)
