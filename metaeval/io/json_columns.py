"""JSON lines by columns: lines that are plainly alike, in a tenth of the time that objects take."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.checks import has_parquet
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import parse_json

_NAME = re.compile(r"[A-Za-z0-9_]+")
_ESCAPED = re.compile(rb"\\u00[3-7]")
"""A letter, a digit or an underscore in other signs, with which a name would not be found."""


def columns_of_lines(text: bytes, wanted: Callable[[Iterable[str]], Sequence[str]]) -> dict[str, Any] | None:
    r"""Return the columns that are wanted of those in the first line, None for lines that are not plainly alike.

    Plainly alike are lines that all have each of these names once, and a text or a number under it as the first has. A
    number with a point is not taken: a name keeps its last zero.

    Examples
    --------
    >>> columns_of_lines(b'{"a": 1.10}\n{"a": 1.1}\n', list) is None
    True
    """
    if not has_parquet():
        return None
    try:
        first = parse_json(text.lstrip().split(b"\n", 1)[0], "")
    except FileFormatError:
        return None
    if not isinstance(first, dict):
        return None
    names = wanted(first)
    kinds = {name: type(first[name]) for name in names}
    n_lines = text.count(b"\n") - text.count(b"\n\n") + (not text.endswith(b"\n"))
    if not kinds or not set(kinds.values()) <= {str, int} or not _all_alike(text, kinds, n_lines):
        return None
    return _by_polars(text, kinds, n_lines)


def _all_alike(text: bytes, kinds: Mapping[str, type], n_lines: int) -> bool:
    """Whether each name stands before a colon as often as there are lines, and before a text where it should."""
    if _ESCAPED.search(text) or not all(map(_NAME.fullmatch, kinds)):
        return False
    for name, kind in kinds.items():
        quoted = b'"%b"' % name.encode()
        if text.count(quoted) != n_lines and len(re.findall(rb"%b\s*:" % quoted, text)) != n_lines:
            return False
        if kind is str and sum(text.count(quoted + colon) for colon in (b':"', b': "')) != n_lines:
            return False
    return True


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
