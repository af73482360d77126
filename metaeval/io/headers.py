"""The names of columns: found in a header, checked against the rows below it, and told to whoever missed one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from metaeval.base.label_words import says_yes_or_no
from metaeval.base.names import first_double, first_few, is_number, merge_labels, shortened
from metaeval.base.unit import unit
from metaeval.errors import closest_names
from metaeval.io.sheets import Sheet, delimiter_name, header_names
from metaeval.table.arrivals import date_columns
from metaeval.table.number_columns import left_out_columns
from metaeval.table.roles import ColumnRoles, RoleColumn, column_roles, place_of_second_table

_MOST_SHOWN = 40
_MOST_ROWS = 20_000
_UNENDED = r'{sub(/\r$/,"")}'
"""What takes the ends of lines that Windows writes off, in a filter that looks at the last cell."""

_OF_NUMBERS = {"", *"0123456789+-.,"}


def is_heading(cell: str) -> bool:
    """Whether the first cell of a column of numbers can be the column's name, and nothing that is meant as a number.

    Examples
    --------
    >>> [is_heading(cell) for cell in ("weight", "#docs", "23456789012345678", "6o8", "-", "inf", "NaN")]
    [True, True, False, False, False, False, False]
    """
    text = cell.strip().casefold()
    return text[:1] not in _OF_NUMBERS and not text.startswith(("nan", "inf"))


def even_rows(sheet: Sheet, names: Sequence[str]) -> Iterator[tuple[int, int | None, list[str]]]:
    """Yield the place, the line and the cells of every row below a header; an error for another number of cells."""
    body = sheet.without_header()
    for position, (line, cells) in enumerate(body.numbered()):
        if len(cells) != len(names):
            raise body.error(ragged(cells, len(names), body), position)
        yield position, line, cells


def place_of(column: str, names: Sequence[str], sheet: Sheet) -> int:
    """Return the position of a column that the caller named, or an error with the nearest names."""
    if column not in names:
        near = closest_names(column, names)
        guess = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
        raise sheet.error(f"there is no column {column!r}{guess}; {columns_found(names)}")
    return names.index(column)


def roles_of_sheet(
    names: Sequence[str], sheet: Sheet, *, chosen: Mapping[str, str] | None = None, ignored: Iterable[str] = ()
) -> ColumnRoles:
    """Return which column is what, as the names in the header of a sheet and the cells below tell."""
    body = sheet.without_header()
    return column_roles(
        names,
        chosen=chosen,
        ignored=ignored,
        cells=lambda name: _cells_of(names, body.sample(), name),
        all_cells=lambda name: _cells_of(names, islice(body.rows(), _MOST_ROWS), name),
    )


def _cells_of(names: Sequence[str], rows: Iterable[Sequence[str]], name: str) -> list[str]:
    at = names.index(name)
    return [cells[at].strip() for cells in rows if len(cells) == len(names)]


def unique_names(names: Sequence[str], what: str, sheet: Sheet) -> list[str]:
    """Return names as `metaeval.table.scores` wants them, or an error for one that appears twice."""
    _, cleaned = merge_labels(np.arange(len(names)), names, what)
    if len(cleaned) < len(names):
        again = first_double(name.strip() for name in names)
        word = unit().topic if what == "topic" else what
        ways = "" if what == "metric" else ", or pass `duplicates='first'` or `'mean'`"
        raise sheet.error(f"{word} {again!r} appears twice; rename one, or keep one{ways}")
    return cleaned


def names_and_rows(sheet: Sheet) -> tuple[list[str], list[list[str]], Sheet]:
    """Return the names of the columns, the rows, and the sheet without its header; a table without rows is refused."""
    body = sheet.without_header()
    rows = list(body.rows())
    if not rows:
        raise sheet.error("the table has a header and no rows; save it again with them")
    return fitting_names(header_names(sheet.sample()[0]), rows, body)[0], rows, body


def fitting_names(names: list[str], rows: Iterable[Sequence[str]], body: Sheet) -> tuple[list[str], list[str]]:
    """Check that every row has a cell for every name, and that every name names one column."""
    first: list[str] = []
    start: Sequence[str] = ()
    shifted, longer = names, False
    unnamed: set[int] = set()
    filled: set[int] = set()
    for position, cells in enumerate(rows):
        if not position:
            start, longer = cells, bool(names) and len(cells) == len(names) + 1
            shifted = ["", *names] if longer else names
            unnamed = {at for at, name in [*enumerate(names), *enumerate(shifted)] if at and not name}
            unnamed |= {len(names)} if longer else set()
        if len(cells) != (len(start) if longer else len(names) or len(start)):
            odd = (start, 0) if longer else (cells, position)
            raise body.error(ragged(odd[0], len(names) or len(start), body), odd[1])
        first.append(cells[0])
        if len(filled) < len(unnamed):
            filled.update(at for at in unnamed if at not in filled and cells[at].strip())
    if longer and len(names) not in filled:
        shifted = [*names, ""]
    elif longer and any(is_number(cell) and not cell.strip().isdecimal() for cell in first):
        raise body.error(ragged(start, len(names), body), 0)  # scores, so a name is missing
    refuse_faulty_names(shifted, {at for at in filled if shifted and not shifted[at]}, body)
    return shifted, first


def refuse_faulty_names(names: Sequence[str], filled: Collection[int], body: Sheet) -> None:
    """Refuse a name that two columns have, and the columns of `filled` that hold something but no name."""
    if filled:
        below = next(body.rows())
        if second := place_of_second_table(below):
            raise body.error(
                f"a second table stands beside the first, from column {second + 1} on; save each as a file"
            )
        empty = next((at for at, name in enumerate(names) if at and not name and at not in filled), 0)
        if empty and any(names[empty:]):
            plain = b'"' not in body.content and len(body.delimiter.strip(" ")) == 1
            sign = "" if body.delimiter == "\t" else f" -d'{body.delimiter}'"
            raise body.error(
                f"column {min(filled) + 1} has no name, and stands in a block beside the table, from column "
                f"{empty + 2} on; cut that off{f' (cut{sign} -f1-{empty})' * plain}, or save it as a file"
            )
        is_header = all(map(str.strip, below[1:])) and not any(map(is_number, below))
        way = f", or join it with the line below ({_joining(body.delimiter)})" * is_header
        raise body.error(f"column {min(filled) + 1} has no name; name it in the header{way}")
    again = first_double(name for name in names if name)
    if again is not None:
        first, second = [position for position, name in enumerate(names) if name == again][:2]
        raise body.error(f"columns {first + 1} and {second + 1} are both called {again!r}; rename one, or leave it out")


def _joining(sign: str) -> str:
    """Return what joins a header of merged cells with the one below it: each name counts for the empty cells behind."""
    sign = {"\t": r"\t"}.get(sign, sign)
    fill = 'NR==1{for(i=1;i<=NF;i++){if($i!="")x=$i;h[i]=x};next}'
    return f"""awk 'BEGIN{{FS=OFS="{sign}"}}{_UNENDED}{fill}NR==2{{for(i=1;i<=NF;i++)$i=(h[i]==""?"":h[i]" ")$i}}1'"""


def refuse_two_levels(sheet: Sheet) -> None:
    """Refuse a header of two levels, as pandas writes it: two lines of names, and one that names the rows alone."""
    upper, lower, rows = (*sheet.sample()[:3], [], [], [])[:3]
    if len(upper) == len(lower) == len(rows) > 1 and rows[0].strip() and not any(map(str.strip, rows[1:])):
        if any(map(is_number, lower)) or not all(map(str.strip, lower)):
            return
        sign = {"\t": r"\t"}.get(sheet.delimiter, sheet.delimiter)
        flat = 'NR<3{for(i=2;i<=NF;i++)h[i]=$i (NR>1?"_" h[i]:"");next}NR==3{for(i=2;i<=NF;i++)$i=h[i]}1'
        way = f"""awk 'BEGIN{{FS=OFS="{sign}"}}{_UNENDED}{flat}'"""
        raise sheet.error(f"the header has two levels, as pandas writes them; join them in one line ({way})")


def ragged(cells: Sequence[str], width: int, sheet: Sheet) -> str:
    """Say that a row has too few or too many cells."""
    hint = ""
    if sheet.delimiter == "," and len(cells) in {2 * width, 2 * width - 1}:
        hint = "; if commas are decimal signs, write the file again with points"
    if width == 1:
        hint = "; if what stands above it is a title, leave that line out"
    last = sheet.content.rpartition(b"\n")[2].decode(errors="replace").strip()
    if len(cells) < width and last and last == sheet.delimiter.join(cells).strip():
        hint = ", or leave the last line out, which is cut short as where a file was not written to its end (sed '$d')"
    return (
        f"a row of {len(cells)} cells, and the table has {width} columns, divided by "
        f"{delimiter_name(sheet.delimiter)}; give every row the same number{hint}"
    )


def notes_on_words(words: Mapping[str, Sequence[str]], *, clustered: bool) -> list[str]:
    """Return the note on columns of words that were left out, and which could say where topics belong.

    Examples
    --------
    >>> print(*notes_on_words({"set": ["a", "a", "b", "b"], "q": ["1?", "2?", "3?", "4?"]}, clustered=False))
    left out columns of words (set, q); `columns={'cluster': 'set'}` if topics of a 'set' share noise or matter apart
    >>> notes_on_words({}, clustered=False)
    []
    """
    dated = [RoleColumn(name, "time", "a date") for name in date_columns(words)]
    words = {name: cells for name, cells in words.items() if name not in {column.name for column in dated}}
    if not words:
        return left_out_columns(dated)
    shared = [
        name
        for name, cells in words.items()
        if all(cells) and 1 < len({*cells}) <= len(cells) // 2 and not says_yes_or_no(cells)
    ]
    note = f"left out columns of words ({first_few(list(words))})"
    if shared and not clustered:
        way = f"`columns={{'cluster': {shared[0]!r}}}`"
        note += f"; {way} if {unit().topics} of a {shared[0]!r} share noise or matter apart"
    return [note, *left_out_columns(dated)]


def note_of_unnamed(names: Sequence[str], place: int | None) -> list[str]:
    """Say which columns without a name are left out: the first, where one at `place` names the rows, and empty ones.

    Those at the end are signs at the ends of lines.

    Examples
    --------
    >>> note_of_unnamed(["", "topic", "a"], 1), note_of_unnamed(["", "a"], 0)
    (['left out the first column, which has no name'], [])
    >>> note_of_unnamed(["topic", "", "a", "b", "", "c", ""], 0)
    ['left out columns 2, 5, without a name or a cell']
    """
    first = ["left out the first column, which has no name"] if names and not names[0] and place else []
    last = max((at for at, name in enumerate(names) if name), default=0)
    empty = [str(at + 1) for at, name in enumerate(names[:last]) if at and not name]
    told = f"left out column{'s' * (len(empty) > 1)} {first_few(empty)}, without a name or a cell"
    return first + [told] * bool(empty)


def columns_found(names: Sequence[str]) -> str:
    """Say which columns were found, the first of very many."""
    return f"columns found: {first_few(names, most=_MOST_SHOWN, write=lambda name: repr(shortened(name)))}"


def ways_to_name(names: Sequence[str], unknown: Sequence[str] = (), lacking: Sequence[str] = ()) -> str:
    """Say which columns were found, and how to name the unknown ones: as the parts that are lacking, or as nothing.

    Examples
    --------
    >>> print(ways_to_name(["team", "topic", "score"], ["team"], ["system"]))
    columns found: 'team', 'topic', 'score'; pass `columns={'system': 'team'}`
    """
    listing = columns_found(names)
    if not unknown:
        return listing
    columns: dict[str, object] = dict(zip(lacking, unknown, strict=False))
    remaining = list(unknown[len(columns) :])
    columns |= {"ignore": remaining} if remaining else {}
    several = len(columns) > 1 or len(unknown) < len(lacking)
    return f"{listing}; pass `columns={columns!r}`" + " if these are the right ones" * several
