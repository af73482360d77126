"""Rows of a score table chosen by what is in their columns, before anything else is read of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from metaeval.base.conditions import left_out_by, limits_of, texts_that_meet
from metaeval.base.names import first_few
from metaeval.errors import ScoresError
from metaeval.io.headers import even_rows, place_of, roles_of_sheet
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows

NO_ROWS = "`where` chooses rows of score tables"
_MEANT = ("system", "topic", "metric", "group")
"""Parts of a table that mean something where they are the same in all rows; other columns have done their work."""


def chosen_rows(sheet: Sheet, where: Mapping[str, str], chosen: Mapping[str, str]) -> tuple[Sheet, str]:
    r"""Return the rows that have this in these columns (`metaeval.base.conditions`), without the columns, and a note.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = sheet_of(b"year,topic,bm25\n2019,1,.5\n2020,1,.6\n2020,2,.7\n", "ap.csv")
    >>> kept, note = chosen_rows(sheet, {"year": "2020"}, {})
    >>> list(kept.rows()), note
    ([['topic', 'bm25'], ['1', '.6'], ['2', '.7']], '2 of 3 rows, with year 2020')
    """
    names = column_names(sheet)
    meant = _meant(names, sheet, chosen)
    places = [at for at, name in enumerate(names) if name not in where or name in meant]
    counts = dict.fromkeys((True, False), 0)

    def selected() -> Iterator[tuple[int | None, list[str]]]:
        for line, cells, is_chosen in rows_where(sheet, names, where):
            counts[is_chosen] += 1
            if is_chosen:
                yield line, [cells[at] for at in places]

    header = [names[at] for at in places]
    made = sheet_of_rows(sheet.label, header, selected(), left_out=sheet.left_out, delimiter=sheet.delimiter)
    return made, f"{counts[True]:,} of {sum(counts.values()):,} rows, with {_conditions(where)}"


def column_names(sheet: Sheet) -> list[str]:
    """Return the name of every column of a table with rows, "" for one that has none."""
    head, first = header_names(sheet.sample()[0]), next(sheet.without_header().rows(), None)
    if first is None:
        raise sheet.error("the table has a header and no rows; it needs a row for every score")
    if len(first) != len(head) + 1:
        return head
    # names of rows as R writes them, or a delimiter at the end of every row
    return ["", *head] if first[-1].strip() else [*head, ""]


def rows_where(
    sheet: Sheet, names: Sequence[str], where: Mapping[str, str]
) -> Iterator[tuple[int | None, list[str], bool]]:
    """Yield the line and the cells of every row, and whether it has these texts in these columns; some must have."""
    wanted = {place_of(column, names, sheet): text.strip() for column, text in where.items()}
    met = {at: _met_in(sheet, at, names[at], text) for at, text in wanted.items()}
    there: dict[int, dict[str, None]] = {at: {} for at in wanted}
    chosen = False
    for _, line, cells in even_rows(sheet, names):
        for at, values in there.items():
            values.setdefault(cells[at].strip())
        is_chosen = all(cells[at].strip() in texts for at, texts in met.items())
        chosen |= is_chosen
        yield line, cells, is_chosen
    if chosen:
        return
    absent = next((at for at, texts in met.items() if texts.isdisjoint(there[at])), None)
    if absent is None:
        raise sheet.error(f"no row has {_conditions(where)} at once" if where else "the table has a header and no rows")
    listed = first_few(sorted(there[absent]))
    raise sheet.error(f"no row has {wanted[absent]!r} in column {names[absent]!r}; there are {listed}")


def _met_in(sheet: Sheet, at: int, column: str, text: str) -> set[str]:
    """Return the texts of a column that meet a condition; the column is gone through where numbers are compared."""
    if limits_of(text) is None and not left_out_by(text):
        return {text}
    counts = Counter(cells[at].strip() for cells in sheet.without_header().rows() if at < len(cells))
    return texts_that_meet(column, text, counts)


def _conditions(where: Mapping[str, str]) -> str:
    return " and ".join(f"{column} {text.strip()}" for column, text in where.items())


def _meant(names: Sequence[str], sheet: Sheet, chosen: Mapping[str, str]) -> set[str]:
    """Return the columns that say what is scored, whatever they hold."""
    try:
        parts = roles_of_sheet(names, sheet, chosen=chosen).parts
    except ScoresError:  # two columns could play one part: the one that rows were chosen by does not
        parts = {}
    return {column for role, column in parts.items() if role in _MEANT}
