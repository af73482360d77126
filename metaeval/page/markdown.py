"""Tables as Markdown: pipes between the cells, names that no renderer reads as markup."""

import re
from typing import TYPE_CHECKING

from metaeval.base.escaping import visible

if TYPE_CHECKING:
    from metaeval.page.tables import Cell, Table

_OBEYED = re.compile(r"[\\`*_{}\[\]<>|~&$]|^\s*[#+-](?=\s)")


def escape_markdown(words: str) -> str:
    r"""Return a text in which Markdown finds nothing to obey, in a cell of a table too.

    Examples
    --------
    >>> print(escape_markdown("a_b | *c*"))
    a\_b \| \*c\*
    """
    return _OBEYED.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", visible(words.replace("\n", " ")))


def table_markdown(table: "Table") -> str:
    """Return the table as Markdown, its title and caption before it.

    A heading above headings stands before each of them: Markdown has one line of heads.
    """
    labels = (f"{column.group}: {column.label}" if column.group else column.label for column in table.columns)
    heads = [escape_markdown(label) for label in labels]
    rules = ["---:" if column.align == "right" else ":---" for column in table.columns]
    rows = [[_cell(cell) for cell in row] for row in table.cells()]
    caption = escape_markdown(f"{table.title}. {table.caption}".strip())
    return "\n".join([caption, "", *(f"| {' | '.join(row)} |" for row in (heads, rules, *rows)), ""])


def _cell(cell: "Cell") -> str:
    words = escape_markdown(cell.text)
    words = f"**{words}**" if cell.bold else words
    return f"{words}<sup>{escape_markdown(cell.marks)}</sup>" if cell.marks else words
