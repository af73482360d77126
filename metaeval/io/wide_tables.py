"""Wide tables: a header of systems and a row a topic, or the other way round; one metric a file."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.io.blocks import (
    AVERAGES,
    GAP_WORDS,
    BadCellError,
    Block,
    TableOptions,
    columns_found,
    fitting_names,
    is_measure,
    is_number,
    listed,
    place_of,
    to_numbers,
    unique_names,
    ways_to_name,
)
from metaeval.io.files import Source
from metaeval.io.sheets import Sheet, header_names
from metaeval.scores import column_roles

__all__ = ["read_wide"]

_SHOWN = 5


def read_wide(sheet: Sheet, source: Source, options: TableOptions) -> Block:
    """Read a table of systems by topics; the metric is named after the file.

    Parameters
    ----------
    sheet : Sheet
    source : Source
    options : TableOptions

    Returns
    -------
    Block

    Raises
    ------
    FileFormatError
        For a row of another length, a cell without a score, a name that stands twice, or a table whose orientation or
        topic column cannot be told.
    """
    rows = list(sheet.rows())
    has_header = _has_header(rows[0], sheet, options)
    body = sheet.without_header() if has_header else sheet
    names, rows = (header_names(rows[0]), rows[1:]) if has_header else ([], rows)
    if not rows:
        raise sheet.error("the table has a header and no rows; it needs a row for every topic")
    names = fitting_names(names, rows, body)
    transposed = _has_systems_in_rows(names, rows, sheet, options)
    place = _identifiers(names, rows, sheet, options, transposed=transposed)
    left_out = {place_of(column, names, sheet) for column in options.ignored} | {place}
    used = [at for at in range(len(rows[0])) if at not in left_out and (not names or names[at])]
    if not used:
        raise sheet.error(f"no column is left that could hold scores; {columns_found(names)}")
    down = None if place is None else [cells[place].strip() for cells in rows]
    across = [names[at] for at in used] if names else None
    scores = _grid(body, rows, used, (down, across), options)
    notes = _notes_on_identifiers(names, place, options, transposed=transposed)
    if transposed:
        return _block(body, source, scores, (down, across), notes, options)
    return _block(body, source, scores.T, (across, down), notes, options)


def _block(  # noqa: PLR0913, PLR0917 - what a block is made of
    body: Sheet,
    source: Source,
    scores: NDArray[np.float64],
    names: tuple[list[str] | None, list[str] | None],
    notes: list[str],
    options: TableOptions,
) -> Block:
    """Name what has no name, leave out averages, and check the names. `scores` has the shape (system, topic)."""
    systems, topics = names
    if systems is None:
        systems = [f"system{number}" for number in range(1, len(scores) + 1)]
        notes.append(f"no names of systems, so they are numbered {systems[0]} to {systems[-1]}")
    numbered = topics is None
    if topics is None:
        topics = [str(number) for number in range(1, scores.shape[1] + 1)]
        notes.append(f"no topic column, so topics are numbered 1 to {topics[-1]}")
    averages = [topic for topic in topics if topic.casefold() in AVERAGES]
    real = [at for at, topic in enumerate(topics) if topic not in averages]
    topics = [topics[at] for at in real]
    if averages:
        notes.append(f"left out the averages ({', '.join(averages)})")
    _refuse_metrics(body, systems, topics, options)
    return Block(
        label=source.path,
        scores=scores[None][:, :, real],
        labels={
            "metric": [source.own_name],
            "system": unique_names(systems, "system", body),
            "topic": unique_names(topics, "topic", body),
        },
        notes=notes,
        numbered=numbered,
    )


def _refuse_metrics(body: Sheet, systems: Sequence[str], topics: Sequence[str], options: TableOptions) -> None:
    """Refuse averages by metric, and the metrics of one system, which look like a wide table."""
    if options.form == "wide":
        return
    measures = list(systems) if all(map(is_measure, systems)) else [topic for topic in topics if is_measure(topic)]
    if measures:
        message = (
            f"{listed(measures)} seem to be metrics, neither systems nor topics; a wide table holds one metric. Write "
            "the scores of every topic in long form, or pass form='wide' if these are no metrics"
        )
        raise body.error(message)


def _has_header(first: Sequence[str], sheet: Sheet, options: TableOptions) -> bool:
    """Whether the first row holds names; an error where it could as well hold scores."""
    if options.header is not None:
        return options.header
    names = header_names(first)
    if column_roles(names, chosen=options.chosen, ignored=options.ignored).parts or not names[0]:
        return True
    numeric = [name for name in names if is_number(name)]
    if len(numeric) == len(names) or any(not name.isdecimal() for name in numeric):
        message = (
            f"the first line ({', '.join(map(repr, names[:_SHOWN]))}, …) holds numbers where names are expected; add a "
            "line of names, or pass header=False if there is none (header=True if these are names)"
        )
        raise sheet.error(message, 0)
    return True


def _has_systems_in_rows(
    names: Sequence[str], rows: Sequence[Sequence[str]], sheet: Sheet, options: TableOptions
) -> bool:
    """Where the systems are; an error where the table looks otherwise than said."""
    first = column_roles(names[:1]).parts.keys()
    insisting = options.columns.keys() & {"system", "topic"}
    if options.systems_in == "rows":
        if "topic" in first and not insisting:
            message = f"systems_in='rows' expects names of systems in the first column, but it is called {names[0]!r}"
            raise sheet.error(f"{message}; rename it, or leave systems_in out")
        return True
    if insisting:
        return options.systems_in is None and "system" in insisting
    if "system" in first and options.systems_in == "columns":
        raise sheet.error(f"the first column is called {names[0]!r}; pass systems_in='rows', or rename it")
    if names and not first and _looks_transposed(names, rows):
        message = (
            f"the header holds numbers ({', '.join(names[1:4])}, …) and the first column names ({rows[0][0]!r}, …), so "
            "systems seem to stand in rows; pass systems_in='rows', or call the first column topic if they do not"
        )
        raise sheet.error(message)
    return "system" in first


def _looks_transposed(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    return all(name.isdecimal() for name in names[1:] if name) and not any(is_number(cells[0]) for cells in rows)


def _identifiers(
    names: Sequence[str], rows: Sequence[Sequence[str]], sheet: Sheet, options: TableOptions, *, transposed: bool
) -> int | None:
    """Return the column that names the rows, or None if they have no names."""
    part = "system" if transposed else "topic"
    if part in options.columns:
        return None if options.columns[part] is None else place_of(options.columns[part], names, sheet)
    if not names:
        return None if all(is_number(cells[0]) for cells in rows) else 0
    named = column_roles(names, ignored=options.ignored).parts.get(part)
    if named is not None:
        return names.index(named)
    if not names[0] or transposed:
        return 0
    return 0 if _first_column_is_identifier(names, rows, sheet) else None


def _first_column_is_identifier(names: Sequence[str], rows: Sequence[Sequence[str]], sheet: Sheet) -> bool:
    """Judge a first column of an unknown name by its cells: text, or whole numbers beyond the scores, are topics."""
    cells = [row[0].strip() for row in rows if row[0].strip().casefold() not in AVERAGES]
    numbers = [cell for cell in cells if is_number(cell) or cell.casefold() in GAP_WORDS]
    ways = f"call it topic, or pass columns={{'topic': {names[0]!r}}} (columns={{'topic': None}} if it is a system)"
    if not numbers:
        return True
    if len(numbers) < len(cells):
        odd = next(cell for cell in cells if cell not in numbers)
        message = f"column {names[0]!r} holds numbers and text ({odd!r}); if it names topics, {ways}"
        raise sheet.without_header().error(message, [row[0].strip() for row in rows].index(odd))
    if not all(cell.isdecimal() for cell in cells) or len(set(cells)) < len(cells):
        return False
    others = [float(cell) for row in rows for cell in row[1:] if is_number(cell)]
    if max(map(int, cells)) > max(others, default=math.inf) and any(not number.is_integer() for number in others):
        return True
    raise sheet.error(f"column {names[0]!r} could hold topic ids or scores (whole numbers, no two alike); {ways}")


def _notes_on_identifiers(
    names: Sequence[str], place: int | None, options: TableOptions, *, transposed: bool
) -> list[str]:
    """Say so where a topic column was recognised by its cells alone."""
    if transposed or place is None or not names or not names[place] or "topic" in options.columns:
        return []
    known = column_roles([names[place]]).parts
    return [] if known else [f"column {names[place]!r} was taken for the topic"]


def _grid(
    body: Sheet,
    rows: Sequence[Sequence[str]],
    used: Sequence[int],
    titles: tuple[Sequence[str] | None, Sequence[str] | None],
    options: TableOptions,
) -> NDArray[np.float64]:
    """Read the cells of the used columns as numbers, shape (row, column)."""
    down, across = titles
    numbers = np.empty((len(rows), len(used)))
    for position, cells in enumerate(rows):
        try:
            numbers[position] = to_numbers([cells[at] for at in used], options.missing)
        except BadCellError as error:
            column = f"column {used[error.place] + 1}" if across is None else f"column {across[error.place]!r}"
            row = "" if down is None else f", row {down[position]!r}"
            hint = f" ({ways_to_name(across)})" if across and not position else ""
            raise body.error(f"{column}{row}: {error.rule}{hint}", position) from None
    return numbers
