"""What people write around a table: titles above its header, sources below it, the header once more between rows."""

import csv
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.names import first_double, is_number, shortened
from metaeval.io.sheets import Sheet
from metaeval.table.roles import ERRORS, role_of_name, role_of_row, says_of

_HEAD, _TAIL, _NARROWEST, _FEWEST_NUMBERS = 24, 6, 3, 2
_MOST_SPREADS, _FEWEST_SPREADS = 2001, 5
_DELIMITERS = "\t,;"
_FOOTNOTE = re.compile(
    r"[*†‡§#(\[]|(source|quelle|note|notes|anmerkung|hinweis|legende|legend|remark|nota|fuente|fonte|stand|as of)\b|"
    r".*(:\s|\s\S+\s)",
    re.IGNORECASE,
)


def table_alone(sheet: Sheet) -> tuple[Sheet, list[str]]:
    r"""Return a sheet without what stands around its table, and say what that is.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet, notes = table_alone(sheet_of(b"Results\ntopic,a,b\n1,.2,.3\n2,.4,.1\nSource: our own\n", "x.csv"))
    >>> sheet.sample()[0], notes
    (['topic', 'a', 'b'], ["left out line 1, above the header ('Results')", "left out line 5, below the table ('Source: our own')"])
    """  # noqa: E501 - as it is shown
    if sheet.lines is not None or not sheet.has_lines:
        return sheet, []
    head = sheet.content.split(b"\n", _HEAD)[:_HEAD]
    delimiter, full_width = _shape(head, sheet.delimiter)
    divided = [_cells(line, delimiter) for line in head]
    rows, width = _without_hollow(divided, full_width)
    header = next((at for at, cells in enumerate(rows) if _is_header(cells, rows[at + 1 :], width)), None)
    if header is None and delimiter in _DELIMITERS:
        whole = next((at for at, cells in enumerate(rows) if len(cells) == width and all(cells[1:])), None)
        header = whole if whole is not None and _holds_numbered_names(rows[whole], width) else None
    if header is None:
        return sheet, []
    above = [at for at, cells in enumerate(rows[:header]) if any(cells)]
    if any(_may_be_header(rows[at], width) or _is_row(head[at]) for at in above):
        return sheet, []
    told = {at: f"above the header ({_shown(rows[at])})" for at in above}
    again = head[header].strip()
    repeated = sheet.content.count(b"\n" + again) > int(header > 0)
    below = [line for line in sheet.content.rstrip().rsplit(b"\n", _TAIL)[1:] if line.strip()]
    model = next((cells for cells in divided[header + 1 :] if len(cells) == full_width), [])
    footed = bool(below) and _is_footnote(below[-1], delimiter, full_width, model)
    if not (told or repeated or footed):
        return sheet, []
    lines = sheet.content.split(b"\n")
    headers = [at for at, line in enumerate(lines) if at > header and line.strip() == again]
    if headers:
        _refuse_two_tables(sheet, [_cells(line, delimiter) for line in lines], header, headers[0])
    told |= dict.fromkeys(headers, "the header again: rows above and below it are read as one table")
    told |= _footnotes(lines, delimiter, full_width, model)
    if not told:
        return sheet, []
    kept = [at for at in range(len(lines)) if at not in told]
    content = b"\n".join(lines[at] for at in kept)
    numbers = [at + 1 for at in kept]
    notes = [f"left out line {at + 1}, {what}" for at, what in sorted(told.items())]
    titles = tuple(" ".join(filter(None, rows[at])) for at in above)
    return replace(sheet, content=content, delimiter=delimiter, lines=numbers, above=titles), notes


def _refuse_two_tables(sheet: Sheet, rows: Sequence[Sequence[str]], first: int, second: int) -> None:
    """Refuse rows below a second header that have the names of rows above it, and other values.

    What rows are called by is the fewest first columns that no two rows above it share.
    """
    above, below = ([row for row in section if any(row)] for section in (rows[first + 1 : second], rows[second + 1 :]))
    widths = range(1, len(rows[first]))
    width = next((width for width in widths if len({*(tuple(row[:width]) for row in above)}) == len(above)), 0)
    if not width:
        return
    named = {tuple(row[:width]): row for row in above}
    again = [row for row in below if tuple(row[:width]) in named]
    if 2 * len(again) <= len(below) or all(row == named[tuple(row[:width])] for row in again):
        return
    end = second
    while sum(map(bool, rows[end - 1])) <= 1:  # an empty line, and the title of the second table
        end -= 1
    raise sheet.error(
        f"lines {first + 1} and {second + 1} are the same header, and rows called alike stand below both with other "
        f"values ({', '.join(again[0][:width])!r}), so that these are two tables; take one of them into a file of its "
        f"own (sed '{end + 1},$d' keeps the first, sed '1,{second}d' the second)"
    )


def without_spreads(sheet: Sheet) -> tuple[Sheet, list[str]]:
    r"""Return a sheet without the rows of errors below every row, called ± or std, or by nothing; and say so.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet, notes = without_spreads(sheet_of(b"model,x,y\nnew,61,42\nstd,1,.9\nold,60,41\nstd,1,1\n", "x.csv"))
    >>> [cells[0] for cells in sheet.rows()], notes
    (['model', 'new', 'old'], ["left out the rows called 'std', a standard deviation of the row above each (0.9 to 1)"])
    """
    third = next(islice(sheet.rows(), 2, None), [""])
    called = third[0].strip()
    role = role_of_name(called)[0]
    if (called and role not in ERRORS) or len(third) < _FEWEST_NUMBERS:
        return sheet, []
    rows = [cells for cells in islice(sheet.rows(), _MOST_SPREADS) if any(map(str.strip, cells))]
    spreads = _spreads_below(rows, called) if len(rows) < _MOST_SPREADS else None
    if spreads is None:
        return sheet, []
    title, kind = (f"called {called!r}", says_of(role)) if called else ("without a name", "what looks like an error")
    ends = f"{np.nanmin(spreads):g} to {np.nanmax(spreads):g}"
    keep = sheet.keep
    alone = sheet.only(lambda cells: cells[0].strip() != called and (keep is None or keep(cells)))
    return alone, [f"left out the rows {title}, {kind} of the row above each ({ends})"]


def _spreads_below(rows: Sequence[Sequence[str]], called: str) -> Floats | None:
    """Return the numbers of every second row below a header, where all are called so and hold errors of the others."""
    names, below = ([cells[0].strip() for cells in rows[start::2]] for start in (1, 2))
    named = all(names) and len({*names}) == len(names) and not any(map(is_number, names)) and rows[0][0].strip()
    alternate = len(rows) >= _FEWEST_SPREADS and len(rows) % 2 and {*below} == {called}
    if not named or not alternate or len({*map(len, rows)}) > 1:
        return None
    numbers = np.array(
        [[float(cell) if is_number(cell.strip()) else math.nan for cell in cells[1:]] for cells in rows[1:]]
    )
    scores, spreads = numbers[::2], numbers[1::2]
    if not (np.isfinite(scores).any() and np.isfinite(spreads).any()) or np.nanmin(spreads) < 0:
        return None
    return spreads if 2 * np.nanmedian(spreads) <= np.nanmedian(np.abs(scores)) else None


def without_titles(sheet: Sheet) -> Sheet:
    r"""Return a sheet from its header on where the lines above it have one cell, as titles have; `titles` says which.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = without_titles(sheet_of(b"Agreement of 2024,,\n\nitem,ann,ben\n1,good,bad\n2,bad,bad\n", "x.csv"))
    >>> next(sheet.rows()), sheet.titles
    (['item', 'ann', 'ben'], ("left out line 1, above the header ('Agreement of 2024')",))
    """
    head = sheet.content.split(b"\n", _HEAD)[:_HEAD]
    if sheet.lines is not None or not sheet.has_lines:
        return sheet
    for delimiter in _DELIMITERS:
        rows = [_cells(line, delimiter) for line in head]
        (width, often), *_ = Counter(map(len, filter(any, rows))).most_common(1) or [(0, 0)]
        if width > 1 and 2 * often > sum(map(any, rows)):
            rows, width = _without_hollow(rows, width)
            start = next((at for at, cells in enumerate(rows) if sum(map(bool, cells)) > 1), 0)
            above = head[:start]
            are_titles = any(map(any, rows[:start])) and not any(
                line.count(b'"') % 2 or _is_row(line) for line in above
            )
            named = len(rows[start]) in {width - 1, width} and all(rows[start][1:])
            named = named and not any(map(is_number, rows[start]))
            if are_titles and named and (width >= _NARROWEST or any(" " in cell for cell in rows[0])):
                below, notes = _from_line(sheet, delimiter, start, rows)
                return replace(below, titles=tuple(notes))
    return sheet


def below_titles(sheet: Sheet, is_header: Callable[[Sequence[str]], bool]) -> tuple[Sheet, list[str]]:
    r"""Return a sheet from the line on that is a header, by its names, and say what stands above it.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet, notes = below_titles(sheet_of(b"Votes;;\n\na;b;won\nx;y;x\n", "x.csv"), lambda names: "won" in names)
    >>> next(sheet.rows()), notes
    (['a', 'b', 'won'], ["left out line 1, above the header ('Votes')"])
    """
    head = sheet.content.split(b"\n", _HEAD)[:_HEAD]
    for delimiter in dict.fromkeys((sheet.delimiter, *_DELIMITERS)):
        rows = [_cells(line, delimiter) for line in head]
        header = next((at for at, cells in enumerate(rows) if is_header(cells)), 0)
        above = [at for at, cells in enumerate(rows[:header]) if any(cells)]
        width = len(rows[header])
        alike = [rows[at] for at in above if len(rows[at]) == width and all(rows[at])]
        if above and not alike and not any(_may_be_header(rows[at], width) or _is_row(head[at]) for at in above):
            return _from_line(sheet, delimiter, header, rows)
    return sheet, []


def _from_line(sheet: Sheet, delimiter: str, start: int, rows: Sequence[Sequence[str]]) -> tuple[Sheet, list[str]]:
    """Return a sheet from a line on, and what stands above it."""
    content = sheet.content.split(b"\n", start)[start]
    lines = range(start + 1, start + content.count(b"\n") + 3)
    notes = [
        f"left out line {at + 1}, above the header ({_shown(cells)})"
        for at, cells in enumerate(rows[:start])
        if any(cells)
    ]
    return replace(sheet, content=content, delimiter=delimiter, lines=lines), notes


def _without_hollow(rows: Sequence[Sequence[str]], width: int) -> tuple[list[list[str]], int]:
    """Return rows, and their width, without columns that are empty in each of them: these have no names either."""
    filled = [at for at in range(width) if not at or any(len(cells) == width and cells[at] for cells in rows)]
    return [[cells[at] for at in filled] if len(cells) == width else list(cells) for cells in rows], len(filled)


def _shape(head: Sequence[bytes], delimiter: str) -> tuple[str, int]:
    """Return what divides most lines into most cells, and how many these are."""
    widths = {len(_cells(line, delimiter)) for line in head if line.strip()}
    if len(widths) == 1 and max(widths) > 1:
        return delimiter, max(widths)
    best = (delimiter, 0)
    for sign in dict.fromkeys((delimiter, *_DELIMITERS)):
        counts = Counter(len(_cells(line, sign)) for line in head if line.strip())
        width, often = max(counts.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
        if width >= _NARROWEST and 2 * often > sum(counts.values()) and width > best[1]:
            best = (sign, width)
    return best


def _cells(line: bytes, delimiter: str) -> list[str]:
    text = line.decode("utf-8", "replace").rstrip("\r")
    try:
        rows = list(
            csv.reader(
                [text.replace("\t", " ") if delimiter == " " else text], delimiter=delimiter, skipinitialspace=True
            )
        )
    except csv.Error:
        return []
    return [cell.strip() for cell in rows[0]] if rows else []


def _is_header(cells: Sequence[str], below: Iterable[Sequence[str]], width: int) -> bool:
    """Whether all cells but the first hold names, each once, above a row with numbers."""
    first = next((row for row in below if any(row)), ())
    named = _may_be_header(cells, width) and not any(map(is_number, cells))
    return named and len(first) == width and any(map(is_number, first[1:]))


def _holds_numbered_names(cells: Sequence[str], width: int) -> bool:
    numbers = [cell for cell in cells[1:] if is_number(cell)]
    return _may_be_header(cells, width) and not is_number(cells[0]) and all(map(str.isdecimal, numbers))


def _may_be_header(cells: Sequence[str], width: int) -> bool:
    names = cells[1:]
    return width >= _NARROWEST and len(cells) == width and all(names) and first_double(names) is None


def _is_row(line: bytes) -> bool:
    """Whether a line is one of a table, however it is divided: no cell is empty, and they hold numbers or words."""
    divided = [cells for cells in (_cells(line, sign) for sign in _DELIMITERS) if len(cells) >= _NARROWEST]
    return any(all(cells) and (any(map(is_number, cells[1:])) or " " not in "".join(cells)) for cells in divided)


def _is_footnote(line: bytes, delimiter: str, width: int, model: Sequence[str]) -> bool:
    """Whether a row has nothing but words in its first cell, that are no name, and not a row divided otherwise."""
    cells = _cells(line, delimiter)
    alone = bool(cells) and bool(cells[0]) and not any(cells[1:]) and len(cells) in {1, width}
    if not alone or is_number(cells[0]) or _is_divided_otherwise(cells[0], model):
        return False
    return bool(_FOOTNOTE.match(cells[0])) or ("=" in cells[0] and role_of_row(cells[0]) == "n")


def _is_divided_otherwise(text: str, model: Sequence[str]) -> bool:
    """Whether another sign than the table's divides a text as a row, with numbers, or nothing, where that has them."""
    if text.split(maxsplit=1)[0].endswith(":"):
        return False
    numbers = [at for at, cell in enumerate(model) if is_number(cell)]
    numbers = numbers[1:] if len(numbers) > _FEWEST_NUMBERS and not numbers[0] else numbers  # a name may be a number
    for cells in (text.split(), *(text.split(sign) for sign in _DELIMITERS)):
        below = [cells[at].strip() for at in numbers] if len(cells) == len(model) else []
        if any(below) and all(is_number(cell) or not cell for cell in below):
            return True
    return False


def _footnotes(lines: Sequence[bytes], delimiter: str, width: int, model: Sequence[str]) -> dict[int, str]:
    notes: dict[int, str] = {}
    for at in range(len(lines) - 1, max(-1, len(lines) - 1 - 2 * _TAIL), -1):
        cells = _cells(lines[at], delimiter)
        if any(cells):
            if not _is_footnote(lines[at], delimiter, width, model):
                break
            notes[at] = f"below the table ({_shown(cells)})"
    return notes


def _shown(cells: Sequence[str]) -> str:
    return shortened(repr(", ".join(filter(None, cells))), 60)
