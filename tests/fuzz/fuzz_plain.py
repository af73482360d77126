"""The words every second opinion is made of: text, lines, numbers, cells. Literal, and without a line of metaeval."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from fuzz_harness import Case, RefusedError

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
GAPS = ("", "na", "n/a", "nan", "null", "none")
AVERAGES = ("all", "amean", "mean", "average", "avg")
DELIMITERS = ("\t", ",", ";", " ", "|")


def is_average(name: str) -> bool:
    """Whether a name is a word for an average, whatever marks stand around it, or that word twice."""
    parts = {part.strip(" \t\v\f\r\n\x1c\x1d\x1e\x1f\x85\xa0._/:()[]-,*#").casefold() for part in name.split(",")}
    return len(parts - {""}) == 1 and (parts - {""}).issubset(AVERAGES)


def text_of(content: bytes) -> str:
    """UTF-8, with or without one byte-order mark."""
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise RefusedError("no UTF-8") from None


def lines_of(text: str) -> list[str]:
    """Lines end at LF, CRLF or CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def words_of(line: str) -> list[str]:
    """Words stand apart by blanks, tabs and the other white space of C."""
    return [word for word in re.split(r"[ \t\v\f]+", line) if word]


def number_of(text: str) -> float:
    """Read a finite decimal number in ASCII digits."""
    if not _DECIMAL.fullmatch(text):
        raise RefusedError("no number")
    value = float(text)
    if math.isinf(value):
        raise RefusedError("not finite")
    return value


def is_number(text: str) -> bool:
    """Whether `number_of` would take it."""
    try:
        number_of(text)
    except RefusedError:
        return False
    return True


def keeps_digits(text: str) -> bool:
    """Whether a float holds a number as it is written: an identifier of many digits is none."""
    value = number_of(text)
    return abs(value) < 2**53 or Fraction(text) in {Fraction(value), Fraction(repr(value))}


def whole_of(text: str, least: int, most: int = 2**63 - 1) -> int:
    """Read a whole number in ASCII digits between two bounds."""
    if not _WHOLE.fullmatch(text):
        raise RefusedError("no whole number")
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > 30:
        raise RefusedError("whole number out of bounds")
    value = int(digits or "0") * (-1 if text.startswith("-") else 1)
    if not least <= value <= most:
        raise RefusedError("whole number out of bounds")
    return value


def natural(names: Sequence[str]) -> list[str]:
    """Sort so that numbers inside names count as numbers."""

    def key(name: str) -> tuple[list[tuple[int, int, str]], str]:
        found = []
        for digits, other in re.findall(r"([0-9]+)|([^0-9]+)", name):
            short = digits.lstrip("0")
            found.append((1, 0, other) if other else (0, len(short), short))
        return found, name

    return sorted(names, key=key)


def cells_of(text: str, delimiter: str) -> list[list[str]]:  # noqa: C901 - a literal reading, step by step
    """Cut text into rows of cells: quotation marks around a cell may hold anything, doubled they are one."""
    text = "\n".join(lines_of(text))
    if delimiter == " ":
        text = "\n".join(line.strip() for line in re.sub(r"[\t\v\f]", " ", text).split("\n"))
    rows: list[list[str]] = []
    row: list[str] = []
    at, end = 0, len(text)
    while at <= end:
        while at < end and text[at] == " ":
            at += 1
        cell = ""
        if at < end and text[at] == '"':
            at += 1
            while True:
                stop = text.find('"', at)
                if stop < 0:
                    raise RefusedError("a quotation mark is not closed")
                cell += text[at:stop]
                at = stop + 1
                if at < end and text[at] == '"':
                    cell += '"'
                    at += 1
                    continue
                break
            if at < end and text[at] not in {delimiter, "\n"}:
                raise RefusedError("text after a closing quotation mark")
        else:
            stop = at
            while stop < end and text[stop] not in {delimiter, "\n"}:
                stop += 1
            cell, at = text[at:stop], stop
        row.append(cell)
        if at >= end or text[at] == "\n":
            if any(row) and (len(row) > 1 or row[0].strip()):
                rows.append(row)
            row = []
        at += 1
    return rows


def rows_of(content: bytes, *, alone: bool = False) -> list[list[str]]:
    """Rows of a table, cut by the first of tab, comma, semicolon and blank that divides all rows evenly.

    With `alone`, what stands around the table is left out.
    """
    text = text_of(content)
    tried = {}
    for delimiter in DELIMITERS:
        try:
            cut = _by_one_blank(text) if delimiter == " " else cells_of(text, delimiter)
        except RefusedError:
            continue
        tried[delimiter] = [[hyphened(cell) if at else cell for at, cell in enumerate(row)] for row in cut]
    divided = [table_alone(rows) if alone else rows for rows in tried.values() if rows and len(rows[0]) > 1]
    for rows in divided:
        others = {len(row) for row in rows[1:]}
        if others <= {len(rows[0])} or others == {len(rows[0]) + 1}:
            return rows
    rows = [*divided, tried.get(",", [])][0]
    if not rows:
        raise RefusedError("no rows")
    return rows


def _by_one_blank(text: str) -> list[list[str]]:
    """Cells between single blanks, some empty, where these are as many in each row; else words between any."""
    rows = [line.split(" ") for line in lines_of(text) if line.strip()]
    cut = cells_of(text, " ")
    evenly = len({*map(len, rows)}) == 1 and "" not in rows[0][:-1] and len({*map(len, cut)}) > 1
    return rows if evenly and "  " in text and not {*'"\t'} & {*text} else cut


def hyphened(cell: str) -> str:
    """Write a hyphen for the minus sign of a number, which may stand anywhere but first in a row."""
    return re.sub("^\N{MINUS SIGN}(?=[0-9.][0-9.eE+-]* *$)", "-", cell)


def table_alone(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without the header once more, and without remarks at the end: words in the first cell alone."""
    header = [cell.strip() for cell in rows[0]]
    kept = [rows[0], *(row for row in rows[1:] if [cell.strip() for cell in row] != header)]
    while len(kept) > 2 and kept[-1][0].strip() and not any(cell.strip() for cell in kept[-1][1:]):
        kept.pop()
    return kept


def with_titles(opinions: Callable[[Case], Sequence[Any]]) -> Callable[[Case], list[Any]]:
    """Let the lines above a table that are none of its rows stay, or be left out."""

    def every(case: Case) -> list[Any]:
        found: list[Any] = []
        reasons: list[Exception] = []
        for files in product(*map(_untitled, case.files)):
            try:
                found += opinions(case._replace(files=files))
            except (RefusedError, ValueError, LookupError) as error:
                reasons.append(error)
        if not found:
            raise reasons[0]
        return found

    return every


def _untitled(content: bytes) -> Iterator[bytes]:
    """Yield a content, and what is left without its first lines, as long as these are no rows."""
    lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", content)
    for at in range(max(1, min(6, len(lines) - 2))):
        yield b"".join(lines[at:])
        if any(len(cells) > 2 and all(map(bytes.strip, cells)) for cells in map(lines[at].split, (b"\t", b",", b";"))):
            return


def names_in(cells: Sequence[str]) -> list[str]:
    """Names in a header; what pandas writes for none counts as none."""
    names = [cell.strip() for cell in cells]
    return ["" if re.fullmatch(r"Unnamed: [0-9]+", name) else name for name in names]


def fitted(names: list[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Give names to all columns: rows may have one cell more, empty at their end, or a name without a title before."""
    if rows and all(len(row) == len(names) + 1 for row in rows):
        if all(not row[-1].strip() for row in rows):
            names = [*names, ""]
        elif any(is_number(row[0].strip()) and not re.fullmatch(r"\s*[0-9]+\s*", row[0]) for row in rows):
            raise RefusedError("a name is missing")
        else:
            names = ["", *names]
    if any(len(row) != len(names) for row in rows):
        raise RefusedError("rows of different lengths")
    given = [name for name in names if name]
    if len(set(given)) < len(given):
        raise RefusedError("two columns of one name")
    return names


def name_of(text: str) -> str:
    """Take the blanks off a name; nothing is no name."""
    name = text.strip()
    if not name:
        raise RefusedError("an empty name")
    return name
