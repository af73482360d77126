r"""Escape control and bidirectional characters in text that comes from files.

A name may hold letters that nobody sees and a program obeys: escape sequences that repaint a terminal, controls that
turn the direction of writing round, line ends. No such name is refused, for it is somebody's data; wherever people
read it, these letters are written out, as ``\u001b``. Parquet and NetCDF hold every name as it is.

In CSV another letter matters: spreadsheets compute a cell that begins with ``=``, ``+``, ``-`` or ``@``. Text that
does gets an apostrophe before it, which says "text" to them; numbers stay numbers.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# controls of both kinds, the ends of lines and paragraphs, what turns the direction round, and halves of letters
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_COMPUTED = ("=", "+", "-", "@", "\t", "\r")


def visible(words: str, *, keep: str = "") -> str:
    r"""Return words in which every hidden letter is written out, but for those in `keep`.

    Examples
    --------
    >>> print(visible("bm25\x1b[31m"))
    bm25\u001b[31m
    """
    return _HIDDEN.sub(lambda found: found[0] if found[0] in keep else f"\\u{ord(found[0]):04x}", words)


def shielded(value: object) -> object:
    """Return a cell of CSV that no spreadsheet takes for a formula.

    Examples
    --------
    >>> shielded("=1+1"), shielded("-0.5"), shielded(-0.5), shielded("bm25")
    ("'=1+1", '-0.5', -0.5, 'bm25')
    """
    if not isinstance(value, str) or not value.startswith(_COMPUTED):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def csv_text(frame: "pd.DataFrame") -> str:
    """Return a table as CSV: a header, commas, full precision, one line feed per row, no formulas.

    Examples
    --------
    >>> import pandas as pd
    >>> print(csv_text(pd.DataFrame({"system": ["@home", "bm25"], "difference": [-0.5, 0.25]})), end="")
    system,difference
    '@home,-0.5
    bm25,0.25
    """
    return _shielded_table(frame).to_csv(index=False, lineterminator="\n")


def _shielded_table(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table none of whose cells and headings a spreadsheet takes for a formula."""
    written = frame.rename(columns=shielded)
    for column, kind in enumerate(frame.dtypes):
        if kind == object or str(kind) in {"str", "string", "category"}:  # noqa: E721 - a dtype
            names = {name: shielded(name) for name in frame.iloc[:, column].unique()}
            if any(name is not safe for name, safe in names.items()):
                written.isetitem(column, frame.iloc[:, column].astype(object).map(names).to_numpy())
    return written
