"""Tables of plain text by columns: without quotation marks, and with as many delimiters in every line.

A compiled reader takes a third of the time there. Cells stay text, as they are written.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from io import BytesIO

import numpy as np
import pandas as pd

from metaeval.io.benchmarks.contents import parts_of_lines
from metaeval.io.sheets import Sheet

_ROWS = 250_000
_PART = 16 * 2**20
_LINE_END, _RETURN, _SPACE = map(ord, "\n\r ")


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
