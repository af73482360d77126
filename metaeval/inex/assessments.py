"""What INEX files say, as tables: submissions (runs) and assessments, before they are compiled to a collection.

Readers make these, the simulator makes these, and `element_collection` and `passage_collection` compile them. They
are plain tables, so that anybody can make them from other sources.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Ints
from metaeval.base.names import count, shortened
from metaeval.base.results import Result
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.running.parallel import track

Scale = Literal["2002", "2003", "2005", "passages"]
TOO_SMALL = -1
"""The exhaustivity written "?": relevant text, but too small to judge how exhaustive it is (2005)."""
UNKNOWN = -1
"""A size, offset or length that the file does not give."""

LARGEST = 10**12
"""The largest size, offset, length or grade: a million of them still add up in 64 bits."""

_TEXTS = ("topic", "document", "path", "end_path", "start", "end", "best_entry_point")
_NUMBERS = ("rank", "rsv", "specificity")


def _typed(*columns: str) -> dict[str, type]:
    """Return the kind of every column: text, number or whole number."""
    kinds = {**dict.fromkeys(_TEXTS, str), **dict.fromkeys(_NUMBERS, np.float64)}
    return {name: kinds.get(name, np.int64) for name in columns}


COLUMNS = {
    "results": _typed("topic", "document", "path", "end_path", "offset", "length", "rank", "rsv", "line"),
    "documents": _typed("topic", "document", "relevant_size", "size", "best_entry", "best_entry_point", "line"),
    "elements": _typed("topic", "document", "path", "exhaustivity", "specificity", "size", "relevant_size", "line"),
    "passages": _typed("topic", "document", "offset", "length", "start", "end", "line"),
    "pools": _typed("topic", "document", "path", "end_path", "line"),
}
"""The tables of submissions and assessments: their columns, and what is in each."""


def whole_column(table: pd.DataFrame, column: str, *, source: str = "") -> Ints:
    """Return a column of sizes, offsets or lengths, `UNKNOWN` where it or one of its cells is absent.

    Examples
    --------
    >>> whole_column(pd.DataFrame({"length": [30.0, None]}), "length").tolist()
    [30, -1]
    """
    if column not in table or not len(table):
        return np.full(len(table), UNKNOWN, dtype=np.int64)
    if table[column].dtype == np.int64 and abs(table[column]).max() <= LARGEST:
        return np.array(table[column])
    try:
        numbers = table[column].to_numpy(dtype=np.float64, na_value=UNKNOWN)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([_as_float(cell) for cell in table[column].tolist()])
    wrong = ~((np.abs(numbers) <= LARGEST) & (numbers == np.rint(numbers)))
    if wrong.any():
        row = table.iloc[int(np.argmax(wrong))]
        location = "".join(f"{key} {row[key]!r}, " for key in ("topic", "document") if key in row)
        message = f"{location}{column} must be a whole number up to {LARGEST}, not {shortened(row[column])}"
        line = int(row["line"]) if "line" in row else UNKNOWN
        raise FileFormatError(message, path=source or None, line=line if line > 0 else None)
    return numbers.astype(np.int64)


def _as_float(cell: object) -> float:
    try:
        return float(str(cell))
    except (TypeError, ValueError):
        return np.nan


def table_of(kind: str, values: Mapping[str, Sequence[object] | NDArray[np.generic]]) -> pd.DataFrame:
    """Make one of the tables (a key of `COLUMNS`) from some of its columns; the others say that nothing is known."""
    length = len(next(iter(values.values())))
    missing = {str: "", np.int64: UNKNOWN, np.float64: np.nan}
    table = {}
    for name, cell_type in COLUMNS[kind].items():
        dtype = object if cell_type is str else cell_type
        column = values[name] if name in values else np.full(length, missing[cell_type], dtype=dtype)
        table[name] = pd.Series(np.asarray(column, dtype=dtype), dtype=dtype)
    return pd.DataFrame(table)


def empty_table(kind: str) -> pd.DataFrame:
    """Make one of the tables without rows."""
    return table_of(kind, dict.fromkeys(COLUMNS[kind], ()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Submission(Result):
    """One run."""

    run: str
    participant: str = ""
    task: str = ""
    """As the file names them; empty where it does not."""
    results: pd.DataFrame = field(default_factory=lambda: empty_table("results"), repr=False)
    """One row a result (``COLUMNS["results"]``), the results of a topic in the order in which they are evaluated. An
    element has ``path``; a range of elements ``path`` and ``end_path`` (two paths, or two points in text); a passage
    ``offset`` and ``length`` in characters; a best entry point ``offset`` alone. What a result lacks is "" or
    `UNKNOWN`; ``rank`` and ``rsv`` are NaN where not given."""
    answered: tuple[str, ...] = ()
    """Topics that the run answers, those with an empty list included."""
    source: str = ""
    """The file it came from."""

    def _found(self) -> str:
        results, answered = count(len(self.results), "result"), count(len(self.answered), "topic")
        return f"{self.run}: {results} of {answered}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assessments(Result):
    """The judgments of one or more topics."""

    scale: Scale
    """What exhaustivity and specificity mean. "2002": relevance 0 to 3 and coverage, stored as exhaustivity and as
    specificity 0 N, 1 L, 2 S, 3 E. "2003" (and 2004): both 0 to 3. "2005" (and 2006): exhaustivity 0, 1, 2 or
    `TOO_SMALL`, specificity in [0, 1]. "passages" (2007 on): highlighted passages and best entry points only."""
    documents: pd.DataFrame = field(default_factory=lambda: empty_table("documents"), repr=False)
    """One row a topic and completely assessed document (``COLUMNS["documents"]``), also those with nothing relevant:
    highlighted and total characters, best entry point as an offset or, in ``best_entry_point``, as a point."""
    elements: pd.DataFrame = field(default_factory=lambda: empty_table("elements"), repr=False)
    """One row an assessed element (``COLUMNS["elements"]``); empty for "passages"."""
    passages: pd.DataFrame = field(default_factory=lambda: empty_table("passages"), repr=False)
    """One row a highlighted passage (``COLUMNS["passages"]``), by offset or by points in text."""
    source: str = ""
    """The file or folder they came from."""
    notes: tuple[str, ...] = ()
    """What reading had to say."""

    def _found(self) -> str:
        topics = count(self.documents["topic"].nunique(), "topic")
        return f"{count(len(self.documents), 'assessed document')} of {topics}, on the scale of {self.scale}"


def list_after_list(topics: Ints, n_topics: int, limit: int) -> tuple[Ints, Ints, int]:
    """Return which results have a topic (not -1) and lie within the limit, their ranks, and how many lists are cut."""
    order = np.argsort(topics, kind="stable")
    order = order[np.searchsorted(topics[order], 0) :]
    counts = np.bincount(topics[order], minlength=n_topics)
    ranks = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[ranks <= limit], ranks[ranks <= limit], int((counts > limit).sum())


def each_run[T](submissions: Iterable[Submission], compile_run: Callable[[Submission], T]) -> dict[str, T]:
    """Compile runs one after the other.

    Examples
    --------
    >>> each_run([Submission(run="a"), Submission(run="b")], lambda submission: len(submission.results))
    {'a': 0, 'b': 0}
    """
    runs: dict[str, T] = {}
    sources: dict[str, str] = {}
    for submission in track(list(submissions), description="runs"):
        if submission.run in runs:
            raise InvalidOptionError(
                f"two runs are called {submission.run!r} ({sources[submission.run] or 'no file'} and "
                f"{submission.source or 'no file'}); run names must be unique"
            )
        runs[submission.run] = compile_run(submission)
        sources[submission.run] = submission.source
    if not runs:
        raise InvalidOptionError("there is no run; give at least one")
    return runs
