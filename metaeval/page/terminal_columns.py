"""Columns of a table at the width of a terminal: no heading and no number breaks inside a word.

A table that is too wide gives way in this order: headings and words go on at a blank, intervals at their "to", and then
columns that still have no room stand in further parts below, each behind the columns of names. A heading that is wider
than the terminal by itself is not broken: there the table is wider.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable
from rich.text import Text as RichText

_GAP = 2
_SHARE_OF_NAMES = 3
"""A name that is one long word takes up to this part of the width."""
_SHARE_OF_WORDS = 8
"""Words in cells keep at least this part of the width where they need it."""
_BETWEEN = " to "


@dataclass(frozen=True, slots=True)
class TerminalColumn:
    """A column as a terminal shows it."""

    head: RichText
    group: RichText
    cells: Sequence[RichText]
    align: str
    beside: bool = False
    """Whether it stays with the column before."""

    def natural(self) -> int:
        """Return its width where nothing is folded."""
        return max(map(_widest_line, (self.head, *self.cells)), default=0)

    def least(self, width: int) -> int:
        """Return the width below which a word of the heading, or a cell that is a number, would break."""
        words = [_longest_word(self.head), _longest_word(self.group)]
        if self.align == "right":
            return max(*words, *map(_widest_line, self.cells), 0)
        longest = max(map(_longest_word, self.cells), default=0)
        name = min(max(map(_widest_line, self.cells), default=0), width // _SHARE_OF_WORDS)
        return max(*words, min(max(longest, name), width // _SHARE_OF_NAMES))

    def folded(self) -> "TerminalColumn":
        """Return the column with its intervals on two lines."""
        if self.align != "right":
            return self
        return replace(self, cells=[RichText(cell.plain.replace(_BETWEEN, " to\n"), cell.style) for cell in self.cells])


@dataclass(frozen=True, slots=True)
class FittedTable:
    """Columns that are laid out when the width is known."""

    columns: Sequence[TerminalColumn]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, or its parts."""
        del console
        for index, columns in enumerate(self.parts(options.max_width)):
            if index:
                yield ""
            yield _drawn(columns, options.max_width)

    def parts(self, width: int) -> list[list[TerminalColumn]]:
        """Return the columns in as few parts as fit the width."""
        folded = [column.folded() for column in self.columns]
        for columns in (self.columns, folded):
            if _total([column.least(width) for column in columns]) <= width:
                return [list(columns)]
        names = _leading(self.columns)
        if len(names) > 1 and _total([candidate.least(width) for candidate in names]) > width // 2:
            names = names[:1]
        parts = [[*names]]
        for unit in _units(self.columns[len(names) :]):
            if (
                len(parts[-1]) > len(names)
                and _total([candidate.least(width) for candidate in (*parts[-1], *unit)]) > width
            ):
                parts.append([*names])
            parts[-1] += unit
        return parts


def _leading(columns: Sequence[TerminalColumn]) -> list[TerminalColumn]:
    """Return the columns of names at the left: the first one at least, and one column fewer than there are."""
    n_names = next((index for index, column in enumerate(columns) if column.align != "left"), len(columns))
    n_names = max(min(n_names, len(columns) - 1), 1)
    while n_names < len(columns) and columns[n_names].beside:
        n_names += 1
    return list(columns[:n_names])


def _units(columns: Sequence[TerminalColumn]) -> Iterator[list[TerminalColumn]]:
    """Yield columns with those that stay beside them."""
    starts = [0]
    for column in columns:
        starts.append(starts[-1] + (not column.beside))
    for _, members in groupby(zip(starts[1:], columns, strict=True), key=lambda one: one[0]):
        yield [column for _, column in members]


def _drawn(columns: Sequence[TerminalColumn], width: int) -> RichTable:
    heads, above = [], ""
    grouped = any(column.group.plain for column in columns)
    for column in columns:
        over = column.group.plain if column.group.plain != above else ""  # said once over neighbours that share it
        heads.append(RichText(f"{over}\n{column.head.plain}") if grouped else column.head)
        above = column.group.plain
    natural = [max(column.natural(), _widest_line(head)) for column, head in zip(columns, heads, strict=True)]
    least = [column.least(width) for column in columns]
    rooms = _shared(natural, least, width)
    table = RichTable(box=None, show_edge=False, pad_edge=False, width=_total(rooms))
    for column, head, room in zip(columns, heads, rooms, strict=True):
        table.add_column(head, justify=column.align, overflow="fold", width=room)  # type: ignore[arg-type]  # left or right
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table


def _shared(natural: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """Return a width for every column: the widest are cut until all fit, none below its least.

    Examples
    --------
    >>> _shared([10, 30, 4], [5, 8, 4], 30)
    [10, 12, 4]
    """
    most = max(natural, default=0)
    while (
        _total(widths := [max(low, min(preferred, most)) for preferred, low in zip(natural, least, strict=True)])
        > width
        and most
    ):
        most -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widest_line(words: RichText) -> int:
    return max((line.cell_len for line in words.split("\n")), default=0)


def _longest_word(words: RichText) -> int:
    return max((RichText(word).cell_len for word in words.plain.split()), default=0)
