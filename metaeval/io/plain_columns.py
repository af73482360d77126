"""Columns of plain files, without an object a cell: of JSON lines that are alike, and of tables without quotes.

That takes a tenth, and a third, of the time. Cells stay text, as they are written.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Ints
from metaeval.base.checks import has_parquet
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import parse_json, parts_of_lines
from metaeval.io.sheets import Sheet

_ESCAPED = re.compile(rb"\\u00[2-7]")
"""A letter, a digit or a hyphen in other signs, with which a name would not be found."""
_APART = re.compile(rb"\"[ \t\r\v\f]+:")
_WORD = 8
_ROWS, _PART = 250_000, 16 * 2**20
_LINE_END, _RETURN, _COLON, _QUOTE, _BACKSLASH, _SPACE = map(ord, '\n\r:"\\ ')


def columns_of_lines(
    text: bytes,
    wanted: Callable[[Mapping[str, object]], Sequence[str]],
    same: Callable[[Iterable[str], Iterable[str]], bool],
) -> dict[str, Any] | None:
    r"""Return the columns that are `wanted` of those in the first line, None for lines that are not plainly alike.

    Plainly alike are lines with the same names in the same order, with a text or a whole number where the first line
    has one, of which none that stands deeper would be read (`same`). Numbers with a point are not taken: a name keeps
    its last zero.

    Examples
    --------
    >>> columns_of_lines(b'{"a": 1.10}\n{"a": 1.1}\n', list, lambda *_: True) is None
    True
    """
    if not has_parquet() or _ESCAPED.search(text):
        return None
    try:
        first = parse_json(text.lstrip().split(b"\n", 1)[0], "")
    except FileFormatError:
        return None
    kinds = {name: type(first[name]) for name in wanted(first)} if isinstance(first, dict) else {}
    enough = text.count(b":") >= len(kinds) * text.count(b"\n")  # lest places of very many short lines be looked for
    places = _places_of_names(text) if kinds and enough and set(kinds.values()) <= {str, int} else None
    if places is None or not _all_alike(text, places, kinds, lambda names: same(first, names)):
        return None
    return _by_polars(text, kinds, len(places))


def _all_alike(text: bytes, places: Ints, kinds: Mapping[str, type], same: Callable[[Iterable[str]], bool]) -> bool:
    """Whether all lines have the names of the first, each that is wanted once, and texts where it has one."""
    names = _names(text, places[0])
    if not same(names) or any(names.count(name) != 1 for name in kinds):
        return False
    padded = np.frombuffer(b" " * _WORD + text + b" " * (2 * _WORD - len(text) % _WORD), dtype=np.uint8)
    for column, name in enumerate(names):
        colons = places[:, column] + _WORD
        first_byte, two = (padded[colons + ahead] for ahead in (1, 2))
        if kinds.get(name) is str and (np.where(first_byte == _SPACE, two, first_byte) != _QUOTE).any():
            return False
        if not _stands_before(padded.view("<u8"), colons, b'"%b"' % name.encode()):
            return False
    return True


def _stands_before(words: NDArray[np.uint64], places: Ints, text: bytes) -> bool:
    """Whether a text stands before all places, looked at eight bytes at a time."""
    for end in range(len(text), 0, -_WORD):
        block, shift = places >> 3, (places & 7).astype(np.uint64) * 8
        eight = (words[block - 1] >> shift) | (words[block] << (64 - shift))
        chunk = text[max(end - _WORD, 0) : end]
        if ((eight >> np.uint64(8 * (_WORD - len(chunk)))) != int.from_bytes(chunk, "little")).any():
            return False
        places = places - _WORD
    return True


def _places_of_names(text: bytes) -> Ints | None:
    """Return the places of the colons behind names, a row a line; None where lines have different numbers of them."""
    signs = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", dtype=np.uint8)
    colons, ends = (np.flatnonzero(signs == sign) for sign in (_COLON, _LINE_END))
    before = signs[colons - 1]
    if (before <= _SPACE).any() and _APART.search(text):
        return None
    colons = colons[(before == _QUOTE) & (signs[colons - 2] != _BACKSLASH)]
    numbers = np.diff(np.searchsorted(colons, ends), prepend=0)
    filled = numbers > 0
    if not filled.any() or (numbers[filled] != numbers[filled][0]).any():
        return None
    return colons.reshape(int(filled.sum()), -1)


def _names(text: bytes, colons: Ints) -> list[str]:
    """Return the names before some colons."""
    return [text[text.rfind(b'"', 0, colon - 1) + 1 : colon - 1].decode() for colon in colons.tolist()]


def _by_polars(text: bytes, kinds: Mapping[str, type], n_lines: int) -> dict[str, Any] | None:
    import polars as pl  # noqa: PLC0415 - an extra

    schema = {name: pl.String if kind is str else pl.Int64 for name, kind in kinds.items()}
    try:
        frame = pl.read_ndjson(BytesIO(text), schema=schema)
    except pl.exceptions.PolarsError:
        return None
    columns = {name: _categories(frame[name]) for name in kinds} if frame.height == n_lines else {"": None}
    return None if any(column is None for column in columns.values()) else columns


def _categories(column: Any) -> Any:  # noqa: ANN401 - polars' own
    """Return a column as pandas has it, texts as categories, of which there are few; None where a cell has none."""
    if column.null_count():
        return None
    if str(column.dtype) != "String":
        return column.to_numpy()
    import polars as pl  # noqa: PLC0415 - an extra

    words = column.unique().to_list()
    if any("\0" in word for word in words):  # what polars makes of half a letter
        return None
    codes = column.cast(pl.Enum(words)).to_physical().cast(pl.Int64).to_numpy()
    return pd.Categorical.from_codes(codes.astype(np.int64), categories=pd.Index(words, dtype=object))


def is_plain(sheet: Sheet, width: int) -> bool:
    r"""Whether every line of a table is a row of this many cells, without a quotation mark.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> [is_plain(sheet_of(text, "x"), 2) for text in (b"a,b\n1,2\n", b"a,b\n1,2,3\n", b'a,b\n"1",2\n')]
    [True, False, False]
    """
    if width < 2 or sheet.delimiter == " " or b'"' in sheet.content:  # noqa: PLR2004 - a delimiter must stand somewhere
        return False
    return all(_is_even(chunk, ord(sheet.delimiter), width - 1) for chunk in parts_of_lines(sheet.content, _PART))


def _is_even(lines: bytes, sign: int, number: int) -> bool:
    """Whether a sign stands in every line as often as this, and no line consists of nothing else."""
    signs = np.frombuffer(lines if lines.endswith(b"\n") else lines + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(signs == _LINE_END)
    before = np.searchsorted(np.flatnonzero(signs == sign), ends)
    if (np.diff(before, prepend=0) != number).any():
        return False
    first = signs[np.append(0, ends[:-1] + 1)]
    hollow = (first == sign) | (first == _SPACE) | (first == _RETURN)
    return not hollow.any() or re.search(rb"(?m)^[%b \r]+$" % re.escape(bytes([sign])), lines) is None


def plain_columns(sheet: Sheet, width: int, places: Sequence[int]) -> Iterator[list[pd.Categorical]]:
    """Yield some columns of a plain table below its header, in rows some at a time; categories are text."""
    for frame in pd.read_csv(
        BytesIO(sheet.content),
        sep=sheet.delimiter,
        header=None,
        skiprows=1,
        names=range(width),
        usecols=sorted({*places}),
        dtype=object,
        na_filter=False,
        skipinitialspace=True,
        quoting=csv.QUOTE_NONE,
        chunksize=_ROWS,
        encoding="utf-8",
    ):
        factorized = (pd.factorize(frame[column].to_numpy()) for column in places)
        yield [pd.Categorical.from_codes(codes, pd.Index(texts, dtype=object)) for codes, texts in factorized]
