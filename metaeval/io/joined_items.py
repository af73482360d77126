"""Several columns that name an item together, as document and segment do, or the variables of promptfoo."""

import re
from collections.abc import Iterator, Sequence

from metaeval.base.names import comma_list, split_at_commas
from metaeval.io.blocks import TableOptions
from metaeval.io.chosen_rows import column_names
from metaeval.io.headers import ragged
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows

_BETWEEN = "::"
_FEWEST = 2
PROMPTED = re.compile(r"\[[^\[\]]+\] ")
"""How promptfoo begins the name of a column: [system] prompt; what was asked stands beside, in columns of words."""


def columns_to_join(sheet: Sheet, options: TableOptions) -> list[str]:
    r"""Return the columns that name an item together: those that the caller names by comma, or promptfoo's variables.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = sheet_of(b"doc,seg,a,b\nx,1,.5,.4\nx,2,.4,.6\n", "t.csv")
    >>> columns_to_join(sheet, TableOptions(columns={"topic": "doc,seg"}, missing="error"))
    ['doc', 'seg']
    """
    asked = options.columns.get("topic")
    if options.form is not None or not (isinstance(asked, str) or not options.columns):
        return []
    names = header_names(sheet.sample()[0])
    if isinstance(asked, str):
        several = [] if asked in names or "," not in asked else split_at_commas([asked], names.__contains__)
        return several if {*several} <= {*names} else []
    if sum(map(bool, map(PROMPTED.match, names))) < _FEWEST:
        return []
    names = column_names(sheet)
    variables = [name for name in names if name and not PROMPTED.match(name)]
    rows = [cells for cells in sheet.without_header().rows() if len(cells) == len(names)]
    for n_columns in range(1, len(variables) + 1):
        places = [names.index(name) for name in variables[:n_columns]]
        if len({tuple(cells[at] for at in places) for cells in rows}) == len(rows):
            return variables[:n_columns] if n_columns > 1 else []
    return []


def joined_items(sheet: Sheet, columns: Sequence[str]) -> tuple[Sheet, str]:
    r"""Return a table with one column in place of several, which name an item together, and what it is called.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> joined, name = joined_items(sheet_of(b"doc,seg,a\nx,1,.5\nx,2,.4\n", "t.csv"), ["doc", "seg"])
    >>> list(joined.rows()), name
    ([['doc,seg', 'a'], ['x::1', '.5'], ['x::2', '.4']], 'doc,seg')
    """
    names, body = column_names(sheet), sheet.without_header()
    places = [names.index(column) for column in columns]
    seen: dict[str, tuple[str, ...]] = {}

    def others(cells: Sequence[str]) -> list[str]:
        return [cell for at, cell in enumerate(cells) if at not in places]

    def joined() -> Iterator[tuple[int | None, list[str]]]:
        for position, (line, cells) in enumerate(body.numbered()):
            if len(cells) != len(names):
                raise body.error(ragged(cells, len(names), body), position)
            pieces = tuple(cells[at].strip() for at in places)
            item = _BETWEEN.join(pieces) if any(pieces) else ""
            if seen.setdefault(item, pieces) != pieces:
                raise body.error(f'two items would have one name, {item!r}: names are joined by "::"', position)
            yield line if sheet.has_lines else None, [item, *others(cells)]

    called = comma_list(columns)
    return sheet_of_rows(sheet.label, [called, *others(names)], joined(), left_out=sheet.left_out), called
