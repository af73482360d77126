"""Logs of what assessors did when: a table with a header, one row an action or a document."""

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.base.columns import LOG, first_called
from metaeval.base.names import shortened
from metaeval.io.headers import refuse_faulty_names
from metaeval.io.sheets import Sheet, header_names, read_sheet


def read_assessment_log(path: str | os.PathLike[str]) -> pd.DataFrame:
    r"""Read a log of assessors: times or durations of work on the documents of a topic.

    Parameters
    ----------
    path : path
        A table with a header: ``topic``, ``document``, and ``seconds`` (spent) or ``time`` (of an action, in seconds or
        as a date); where known ``action`` (load, highlight, unhighlight or assess) and ``place`` (the path of an
        element, a point in text, or an offset). Other columns are passed over.

    Returns
    -------
    pandas.DataFrame
        ``topic``, ``document`` and ``seconds``, else ``time``, and what is known of ``action`` and ``place``, in the
        order of the file.

    Raises
    ------
    FileFormatError
        With file and line, if a column is missing, a row has another length, a topic or document has no name, or
        seconds are no number from 0.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = file.write_text("topic,document,seconds\n209,co/2001/r7022,61.5\n")
    >>> read_assessment_log(file).to_numpy().tolist()
    [['209', 'co/2001/r7022', 61.5]]
    """
    sheet = read_sheet(Path(path))
    body = sheet.without_header()
    rows = list(body.rows())
    header = header_names(sheet.sample()[0])
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise body.error(f"the header has {len(header)} columns and this row {len(row)}", number)
    refuse_faulty_names(header, set(), body)
    names = [name.casefold() for name in header]
    places = {role: first_called(names, words, str) for role, words in LOG.items()}
    wanted = ("topic", "document", "time" if places["seconds"] is None else "seconds")
    for role in wanted:
        if places[role] is None:
            words = "seconds or time" if role == "time" else role
            raise sheet.error(f"a log needs a column {words}; there are {', '.join(names)}")
    roles = (*wanted, *(role for role in ("action", "place") if places[role] is not None))
    columns = {role: [row[places[role] or 0].strip() for row in rows] for role in roles}
    frame = pd.DataFrame(columns, dtype=object)
    for role in wanted[:2]:
        if "" in columns[role]:
            raise body.error(f"a {role} without a name; every {role} needs one", columns[role].index(""))
    values = np.array([_number(cell) for cell in columns[wanted[2]]], dtype=np.float64)
    if wanted[2] == "seconds":
        _refuse(body, frame["seconds"], ~(np.isfinite(values) & (values >= 0)))
    return frame.assign(**{wanted[2]: values}) if np.isfinite(values).all() else frame


def _number(cell: str) -> float:
    """Return a number as everybody writes it (a moment may have more digits than a float), else NaN."""
    with suppress(ValueError):
        return float(cell) if cell.isascii() and "_" not in cell else np.nan
    return np.nan


def _refuse(body: Sheet, cells: pd.Series, wrong: np.ndarray) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise body.error(f"seconds must be a number from 0, not {shortened(cells.iloc[row])!r}", row)
