"""Tables of systems and items beside human scores: one file, or metrics and human scores in files of their own."""

import os
from collections.abc import Mapping, Sequence

import pandas as pd

from metaeval.errors import FileFormatError
from metaeval.io.blocks import GAP_WORDS, columns_found, fitting_names, is_number
from metaeval.io.files import list_sources
from metaeval.io.sheets import header_names, read_sheet

__all__ = ["ITEM_WORDS", "SYSTEM_WORDS", "item_columns", "read_items", "system_column"]

SYSTEM_WORDS = ("system", "sys", "model", "run", "name", "submission")
"""Names of a column of systems, in lower case."""
ITEM_WORDS = ("item", "topic", "segment", "segid", "seg", "doc", "document", "docid", "id", "sample")
"""Names of a column of items, in lower case; several of them name an item together."""


def read_items(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    system: str | None = None,
    item: Sequence[str] = (),
    where: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    r"""Read scores of systems on items; several files are joined by system and item.

    Parameters
    ----------
    paths : path, or sequence of path
        Tables with a header, one row a system and item (or a system alone), a column a metric or human score.
    system : str, optional
        Column of systems; by default the first that is called as one.
    item : sequence of str
        Columns that name an item together; by default those that are called as one. In other files the columns may
        differ in case.
    where : mapping of str to str, optional
        Rows to keep: those with this text in this column, in the files that have it.

    Returns
    -------
    pandas.DataFrame
        Every column; numbers as numbers, empty cells NaN. Rows that only some files have stay, with gaps.

    Raises
    ------
    FileFormatError
        If a column cannot be found, two files hold the same column of scores, or in one of them it holds text.
    InvalidOptionError
        If no file is given, or one twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = pathlib.Path(folder, "bleu.csv"), pathlib.Path(folder, "people.tsv")
    ...     _ = one.write_text("system,doc,BLEU\na,d1,0.3\nb,d1,0.2\n"), two.write_text("SYS\tDOC\tDA\na\td1\t80\n")
    ...     read_items([one, two])["DA"].tolist()
    [80.0, nan]
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    frames = [_read(source.path, where or {}) for source in list_sources([str(path) for path in given])]
    for column in where or {}:
        if not any(column in frame.columns for _, frame in frames):
            message = f"no table has a column {column!r} to choose rows by (where=, --where)"
            raise FileFormatError(f"{message}; {columns_found(list(frames[0][1].columns))}", path=frames[0][0])
    label, first = frames[0]
    keys = [system_column(first, system, label), *item_columns(first, item, label)]
    whole = _numbers(first, keys)
    for other_label, text in frames[1:]:
        found = [system_column(text, system, other_label), *item_columns(text, item or keys[1:], other_label)]
        other = _numbers(text.rename(columns=dict(zip(found, keys, strict=True))), keys)
        both = [str(column) for column in other.columns if column in whole.columns and column not in keys]
        again = [one for one in both if any(pd.api.types.is_numeric_dtype(part[one]) for part in (other, whole))]
        if again:
            raise FileFormatError(f"column {again[0]!r} is in {label} too; rename one", path=other_label)
        whole = whole.merge(other.drop(columns=both), on=keys, how="outer")
    return whole


def system_column(frame: pd.DataFrame, asked: str | None, label: str) -> str:
    """Return the column of systems: the one asked for, ignoring case where needed, else the first so called."""
    return _one_of(frame, (asked,) if asked else SYSTEM_WORDS, label, "systems (--system)")


def item_columns(frame: pd.DataFrame, asked: Sequence[str], label: str) -> list[str]:
    """Return the columns that name an item; none in a table of one row a system."""
    if asked:
        return [_one_of(frame, (name,), label, "items (--item)") for name in asked]
    return [str(column) for column in frame.columns if str(column).casefold() in ITEM_WORDS]


def _one_of(frame: pd.DataFrame, words: Sequence[str], label: str, what: str) -> str:
    names = [str(column) for column in frame.columns]
    for word in words:
        exact = [name for name in names if name == word] or [
            name for name in names if name.casefold() == word.casefold()
        ]
        if exact:
            return exact[0]
    message = f"no column of {what} called {' or '.join(words)}; {columns_found(names)}"
    raise FileFormatError(message, path=label)


def _read(path: str, where: Mapping[str, str]) -> tuple[str, pd.DataFrame]:
    sheet = read_sheet(path)
    body = sheet.without_header()
    rows = list(body.rows())
    if not rows:
        raise sheet.error("the table has a header and no row")
    names = fitting_names(header_names(sheet.sample()[0]), rows, body)
    frame = pd.DataFrame(rows, columns=names)
    for column, text in where.items():
        if column in frame.columns:
            frame = frame[frame[column] == text]
            if frame.empty:
                raise sheet.error(f"no row has {text!r} in column {column!r}")
    return str(path), frame


def _numbers(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({name: frame[name] if name in keys else _as_numbers(frame[name]) for name in frame.columns})


def _as_numbers(column: pd.Series) -> pd.Series:
    """Turn a column into numbers where every cell is a number or a gap, and not all are gaps."""
    cells = column.str.strip()
    gap = cells.str.casefold().isin(GAP_WORDS)
    if gap.all() or not cells[~gap].map(is_number).all():
        return cells
    return cells.where(~gap).astype(float)
