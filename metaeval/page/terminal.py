"""A report in the terminal: its facts, its answer, and the tables of its brief sections."""

import re

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from metaeval.base.escaping import visible
from metaeval.page.blocks import Item, Items, Page, Section, Text
from metaeval.page.tables import Table

_LONGEST = 80
"""More rows than this are for a page or a file."""
_OPTION = re.compile(r"(?<!\S)--[a-z]")


def show_report(report: Page, console: Console) -> None:
    """Print a report: what was asked, the answer in words, and the tables that hold it."""
    facts = report.facts_line()
    console.print(_line(report.title, "bold"), soft_wrap=True)
    for words in (report.description, facts):
        if words:
            console.print(_line(words), soft_wrap=True)
    console.print()
    for place, paragraph in enumerate(report.summary):
        _say(paragraph, console)
        console.print()
        if place == 0 and report.key_figures is not None:
            console.print(terminal_table(report.key_figures))
            console.print()
    for section in report.sections:
        if section.brief:
            _show_section(section, console)


def _say(words: str, console: Console) -> None:
    """Print words on lines as wide as the terminal; in a pipe, and where they hold an option to copy, on one line."""
    console.print(_line(words), soft_wrap=not console.is_terminal or _OPTION.search(words) is not None)


def _show_section(section: Section, console: Console) -> None:
    for block in section.open_blocks():
        if isinstance(block, Table):
            console.print(terminal_table(block))
        elif isinstance(block, Text | Items):
            for words in block.paragraphs if isinstance(block, Text) else map(_item, block.items):
                _say(words, console)
        else:
            continue
        console.print()


def _item(item: Item) -> str:
    return f"{item.term}: {item.words}" if item.term else item.words


def terminal_table(table: Table) -> Group:
    """Return a table for the terminal: title, rows as the page writes them, caption."""
    shown = RichTable(box=None, show_edge=False, pad_edge=False)
    above, grouped = "", any(column.group for column in table.columns)
    marked = [table.marked(column) for column in table.columns]  # marks have a column, so that numbers stay aligned
    for column, apart in zip(table.columns, marked, strict=True):
        over = column.group if column.group != above else ""  # said once over neighbours that share it
        words = f"{over}\n{column.label}" if grouped else column.label
        shown.add_column(_line(words), justify=column.align, overflow="fold")
        if apart:
            shown.add_column("", overflow="fold")
        above = column.group
    rows = table.cells()
    for row in rows[:_LONGEST]:
        cells = [_line(cell.text, "bold" * cell.bold) for cell in row]
        raised = [[_line(cell.marks)] if apart else [] for cell, apart in zip(row, marked, strict=True)]
        shown.add_row(*(one for cell, beside in zip(cells, raised, strict=True) for one in (cell, *beside)))
    parts: list[RenderableType] = [_line(table.title, "bold"), shown]
    if len(rows) > _LONGEST:
        parts.append(_line(f"… and {len(rows) - _LONGEST} more rows, which --out writes"))
    if table.caption:
        parts.append(Padding(_line(table.caption, "dim"), (0, 0)))
    return Group(*parts)


def _line(words: str, style: str = "") -> RichText:
    return RichText(visible(words, keep="\n"), style=style)
