"""A report in the terminal: its facts, its answer, and the tables of its brief sections."""

import re
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text as RichText

from metaeval.base.escaping import visible
from metaeval.page.blocks import Item, Items, Page, Section, Text
from metaeval.page.tables import Cell, Table
from metaeval.page.terminal_columns import FittedTable, TerminalColumn

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
    for words in report.first_changes():
        _say("Note: " + words, console)
    console.print()
    for index, paragraph in enumerate(report.summary):
        _say(paragraph, console)
        console.print()
        if index == 0 and report.key_figures is not None:
            console.print(terminal_table(report.key_figures), crop=False)
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
            console.print(terminal_table(block), crop=False)
        elif isinstance(block, Text | Items):
            for words in block.paragraphs if isinstance(block, Text) else map(_item, block.items):
                _say(words, console)
        else:
            continue
        console.print()


def _item(item: Item) -> str:
    return f"{item.led} {item.words}".strip()


def terminal_table(table: Table) -> Group:
    """Return a table for the terminal: title, rows as the page writes them, caption."""
    rows = table.cells()
    parts: list[RenderableType] = [_line(table.title, "bold"), FittedTable(_shown(table, rows[:_LONGEST]))]
    if len(rows) > _LONGEST:
        parts.append(_line(f"… and {len(rows) - _LONGEST} more rows, which --out writes"))
    if table.caption:
        parts.append(Padding(_line(table.caption, "dim"), (0, 0)))
    return Group(*parts)


def _shown(table: Table, rows: Sequence[Sequence[Cell]]) -> list[TerminalColumn]:
    """Return the columns of a table; marks have one of their own, so that numbers stay aligned."""
    columns = []
    for index, column in enumerate(table.columns):
        cells = [_line(row[index].text, "bold" * row[index].bold) for row in rows]
        head = TerminalColumn(_line(column.label), _line(column.group), cells, column.align, beside=column.under)
        columns.append(head)
        if table.marked(column):
            marks = [_line(row[index].marks) for row in rows]
            columns.append(TerminalColumn(_line(""), _line(column.group), marks, "left", beside=True))
    return columns


def _line(words: str, style: str = "") -> RichText:
    return RichText(visible(words, keep="\n"), style=style)
