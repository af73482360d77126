"""Reading votes on pairs of systems: tables and JSON of arenas and of preference judges, recognised by content."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import has_parquet
from metaeval.base.names import first_double
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.files import read_bytes, text_of
from metaeval.io.score_forms import refuse_collections
from metaeval.io.sheets import header_names, sheet_of
from metaeval.io.sources import list_sources, listed_paths
from metaeval.table.vote_columns import vote_columns
from metaeval.table.votes import Collected, Votes

_CHUNK = 64 * 2**20
_ROWS = 1_000_000
_JSON = re.compile(rb"\s*(\[\s*)?\{\s*\"")
_SAMPLE = 64

VOTES = (
    "these are votes on pairs of systems, not scores or labels of each; rank the systems by them with metaeval votes "
    "(study_votes), or compare them with scores of the same systems with metaeval agree (study_settled)"
)
"""What is said of votes where something else is wanted."""

type Table = Mapping[str, NDArray[Any]]


def read_votes(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Votes:
    """Read votes on pairs of systems.

    Parameters
    ----------
    paths : path, or sequence of path
        Tables with a header (CSV, TSV), JSON lines or a JSON list, packed or not, or folders of them; several files are
        one set of votes.
        What the columns may be called is said with `metaeval.table.votes.as_votes`.
    columns : mapping of str to str, optional
        Which column is "left", "right", "winner", "question", "voter" or "weight", where its name does not say so.
    covariates : sequence of str, optional
        Columns of numbers that may matter beside the systems; "position" needs none.
    words : mapping of str to {"left", "right", "tie", "none"}, optional
        What other words for the winner mean; rows of "none" are no votes and left out.

    Returns
    -------
    metaeval.table.votes.Votes

    Raises
    ------
    FileFormatError
        If a file holds no votes, a system plays itself, or a winner did not play.
    UnknownNameError
        If a column is not there.

    See Also
    --------
    metaeval.studies.votes.study_votes

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "arena.jsonl")
    ...     _ = path.write_text('{"model_a": "x", "model_b": "y", "winner": "model_b", "question_id": 7}')
    ...     read_votes(path).to_frame()[["left", "right", "share"]].to_numpy().tolist()
    [['x', 'y', 0.0]]
    """
    files = files_of_votes(paths)
    return votes_of(((path, read_bytes(path)) for path in files), columns=columns, covariates=covariates, words=words)


def files_of_votes(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that are meant, those of folders one by one."""
    given = [str(path) for path in listed_paths(paths, "paths")]
    if not given:
        raise InvalidOptionError("`paths` is empty; give a file of votes")
    return [source.path for source in list_sources(given, nested=True)]


def votes_of(
    contents: Iterable[tuple[str, bytes]],
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Votes:
    """Return the votes of files that were read already, as one set; see `read_votes`."""
    collected = Collected(columns or {}, covariates, words)
    path = ""
    for path, content in contents:
        try:
            for table in _tables(content, path, collected):
                collected.add(table)
        except UnknownNameError:
            raise
        except (ScoresError, InvalidOptionError) as error:
            raise FileFormatError(str(error), path=path) from error
    try:
        return collected.votes()
    except ScoresError as error:
        raise FileFormatError(str(error), path=path) from error


def holds_votes(content: bytes, label: str) -> bool:
    r"""Say whether a file holds votes, by its first lines.

    Examples
    --------
    >>> holds_votes(b"left,right,winner,prompt\na,b,tie,1", "x"), holds_votes(b"topic,item,ann,ben\n1,d,0,1", "x")
    (True, False)
    """
    if _JSON.match(content):
        rows = re.findall(rb"\"([A-Za-z0-9_ ]+)\"\s*:", content[:_CHUNK].split(b"\n", 1)[0][: _SAMPLE * 1024])
        return vote_columns(dict.fromkeys(name.decode() for name in rows)) is not None
    first = content[: _SAMPLE * 1024].split(b"\n", 1)[0]
    try:
        names = header_names(next(sheet_of(first + b"\n", label).rows()))
    except (FileFormatError, StopIteration):
        return False
    return vote_columns(names) is not None


class VotesError(FileFormatError):
    """Votes where scores or labels are wanted: an error but for those who ask for either."""

    def __init__(self, label: str, content: bytes) -> None:
        super().__init__(VOTES, path=label)
        self.label, self.content = label, content


def refuse_votes(content: bytes, label: str) -> None:
    """Refuse a file of votes where scores or labels are wanted, and say what ranks systems by votes."""
    if holds_votes(content, label):
        raise VotesError(label, content)


def _tables(content: bytes, label: str, collected: Collected) -> Iterator[Table]:
    """Yield the rows of a file some at a time, with the columns that matter."""
    content = text_of(content, label)
    if not _JSON.match(content):
        yield from _sheet_tables(content, label, collected)
        return
    if content.lstrip().startswith(b"["):
        yield _of_rows(_parsed(content, label), collected)
        return
    start = 0
    while start < len(content):
        end = content.rfind(b"\n", start, start + _CHUNK) if start + _CHUNK < len(content) else len(content)
        end = end if end > start else (content.find(b"\n", start) + 1 or len(content))
        if chunk := content[start:end].strip():
            yield _json_lines(chunk, label, collected)
        start = end


def _json_lines(chunk: bytes, label: str, collected: Collected) -> Table:
    first = _parsed(b"[" + chunk.split(b"\n", 1)[0] + b"]", label)[0]
    wanted = collected.wanted(first)
    flat = all(isinstance(first[name], str | int | float) for name in wanted)
    if flat and has_parquet() and (made := _by_polars(chunk, wanted)) is not None:
        return made
    lines = [line for line in chunk.split(b"\n") if not line.isspace() and line]
    return _of_rows(_parsed(b"[" + b",".join(lines) + b"]", label), collected)


def _by_polars(chunk: bytes, wanted: Sequence[str]) -> Table | None:
    """Return columns of lines that are all alike, ten times faster than by Python's parser; None for others."""
    import polars as pl  # noqa: PLC0415 - an extra

    try:
        frame = pl.read_ndjson(BytesIO(chunk), infer_schema_length=_SAMPLE)
    except pl.exceptions.PolarsError:
        return None
    if not set(wanted) <= set(frame.columns):
        return None
    return {name: _categories(frame[name]) for name in wanted}


def _categories(column: Any) -> Any:  # noqa: ANN401 - polars' own
    """Return a column as pandas has it: words as categories, of which there are few."""
    if str(column.dtype) != "String":
        return column.to_numpy()
    import polars as pl  # noqa: PLC0415 - an extra

    words = column.unique().drop_nulls().to_list()
    codes = column.cast(pl.Enum(words)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return pd.Categorical.from_codes(codes, categories=pd.Index(words, dtype=object))


def _of_rows(rows: Any, collected: Collected) -> Table:  # noqa: ANN401 - as parsed
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InvalidOptionError("votes in JSON are a list of objects, or one object a line")
    names = dict.fromkeys(name for row in rows for name in row)
    made = {}
    for name in collected.wanted(names):
        cells = np.empty(len(rows), dtype=object)
        cells[:] = [row.get(name) for row in rows]
        made[name] = cells
    return made


def _parsed(content: bytes, label: str) -> Any:  # noqa: ANN401 - whatever it holds
    try:
        return json.loads(content)
    except (json.JSONDecodeError, RecursionError) as error:
        raise FileFormatError(f"the file begins as JSON and is none ({error})", path=label) from None


def _sheet_tables(content: bytes, label: str, collected: Collected) -> Iterator[Table]:
    sheet = sheet_of(content, label)
    refuse_collections(sheet, "a table of votes")
    names = header_names(next(sheet.rows()))
    if (again := first_double(name for name in names if name)) is not None:
        raise sheet.error(f"two columns are called {again!r}; rename one, or leave it out", 0)
    wanted = collected.wanted(names)
    separator = r"\s+" if sheet.delimiter == " " else sheet.delimiter
    try:
        for frame in pd.read_csv(
            BytesIO(sheet.content),
            sep=separator,
            names=names,
            header=0,
            usecols=wanted,
            skipinitialspace=True,
            dtype="category",
            keep_default_na=False,
            na_values=[""],
            chunksize=_ROWS,
            encoding="utf-8",
        ):
            kept = frame.dropna(how="all")  # of blank lines
            yield {str(name): kept[name].array for name in kept}
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise FileFormatError(f"a row has another number of cells than the header ({error})", path=label) from None
