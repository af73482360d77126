"""Reading votes on pairs of systems: tables and JSON of arenas and of preference judges, recognised by content."""

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, combinations, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import is_number, shortened
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.around_tables import below_titles
from metaeval.io.benchmarks.contents import Json, has_lines, json_parts, parts_of_lines, read_json, starts_json
from metaeval.io.by_values import votes_by_values, way_to_vote_by_column
from metaeval.io.files import read_bytes, text_of
from metaeval.io.headers import ragged
from metaeval.io.plain_columns import columns_of_lines, is_plain, plain_columns
from metaeval.io.score_forms import refuse_collections
from metaeval.io.sheets import Sheet, header_names, sheet_of
from metaeval.io.sources import list_sources, listed_paths
from metaeval.table.vote_columns import vote_columns
from metaeval.table.vote_rows import Repeated
from metaeval.table.vote_set import Votes
from metaeval.table.vote_winners import Refuse
from metaeval.table.votes import Collected, Table, columns_of_rows

_CHUNK = 16 * 2**20
_CHUNKS = 100
_LONGEST_CELL = 2**24
"""Letters of an answer, which tables of votes may have beside them."""
_SAMPLE = 64 * 1024
_TITLES = 24
"""Lines among which a header is looked for."""
_LONGEST = 18
"""Digits of the number of a row."""
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_TOKEN = re.compile(rb"\"((?:[^\"\\]|\\.)*)\"|[\[\]{}:]", re.DOTALL)

_MOST_SYSTEMS = 1000
"""Lines of a table of wins of one system over another, which is read in one piece."""
_NOBODY = frozenset({"", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "x", "X", "nan", "NaN", "NA"})
"""What stands where a system would play itself."""
_READ_AS_WINS = "rows and columns are the same systems: a cell says how often its row beat its column"
VOTES = (
    "these are votes on pairs of systems, not scores or labels of each; rank the systems by them with metaeval votes "
    "(study_votes), or compare them with scores of the same systems with metaeval agree (study_settled)"
)
"""What is said of votes where something else is wanted."""


def read_votes(  # noqa: PLR0913 - what is read, and how
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    duplicates: Repeated = "keep",
) -> Votes:
    """Read votes on pairs of systems.

    Parameters
    ----------
    paths : path, or sequence of path
        Tables with a header (CSV, TSV), JSON lines or a JSON list, packed or not, or folders of them; several files are
        one set of votes.
        What the columns may be called is said with `metaeval.table.votes.as_votes`.
    columns : mapping of str to str, optional
        Which column is "left", "right", "winner" (or "loser"), "question", "voter", "weight" or "count" (of the votes
        that a row stands for), where its name does not say so.
    covariates : sequence of str, optional
        Columns of numbers that may matter beside the systems; "position" needs none.
    words : mapping of str to {"left", "right", "tie", "none", "name"}, optional
        What other words for the winner mean; rows of "none" are no votes and left out. The names of the two systems
        come before all words that are not said here; "name" says so where all could be sides, as those of A and B.
    where : mapping of str to str, optional
        Rows that count: those with this text in this column, such as ``{"judge": "gpt-4"}``.
    duplicates : {"keep", "first"}
        What becomes of rows that are alike in all columns, those that are not read included: each is a vote, or the
        first alone. An identifier of its own makes a row another.

    Returns
    -------
    metaeval.table.votes.Votes
        Every row of the files is in it, or its ``notes`` count it.

    Raises
    ------
    FileFormatError
        If a file holds no votes, a row has another number of cells than the header, a system plays itself, or a winner
        did not play.
    UnknownNameError
        If a column is not there.

    See Also
    --------
    metaeval.questions.votes.study.study_votes

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "arena.jsonl")
    ...     _ = path.write_text('{"model_a": "x", "model_b": "y", "winner": "model_b", "question_id": 7}')
    ...     read_votes(path).to_frame()[["left", "right", "share"]].to_numpy().tolist()
    [['x', 'y', 0.0]]
    """
    contents = ((path, read_bytes(path)) for path in files_of_votes(paths))
    return votes_of(contents, columns=columns, covariates=covariates, words=words, where=where, duplicates=duplicates)


def files_of_votes(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that are meant, those of folders one by one."""
    listed = [str(path) for path in listed_paths(paths, "paths")]
    if not listed:
        raise InvalidOptionError("`paths` is empty; give a file of votes")
    return [source.path for source in list_sources(listed, nested=True)]


def votes_of(  # noqa: PLR0913 - as above
    contents: Iterable[tuple[str, bytes]],
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    duplicates: Repeated = "keep",
) -> Votes:
    """Return the votes of files that were read already, as one set; see `read_votes`."""
    collected = Collected(columns or {}, covariates, words, where, duplicates)
    path = ""
    for path, content in contents:
        collected.next_file(partial(_way_of_columns, content, path))
        try:
            for table, refuse in _tables(content, path, collected):
                collected.add(table, refuse)
        except (UnknownNameError, FileFormatError):
            raise
        except (ScoresError, InvalidOptionError) as error:
            raise FileFormatError(str(error), path=path) from error
    try:
        return collected.votes()
    except ScoresError as error:
        raise FileFormatError(str(error), path=path) from error


def _way_of_columns(content: bytes, path: str) -> str:
    """Say which columns seem to hold votes by their values; "" where none do."""
    told = votes_by_values(content, path)
    if told is None:
        return way_to_vote_by_column(content, path)
    words = f" and `words={told.words!r}`" if told.words else ""
    return told.ways if told.is_open else f"by their values pass `columns={told.columns!r}`" + words


def holds_votes(content: bytes, label: str) -> bool:
    r"""Say whether a file holds votes, by the names in its first row.

    Examples
    --------
    >>> holds_votes(b"left,right,winner,prompt\na,b,tie,1", "x"), holds_votes(b"topic,item,ann,ben\n1,d,0,1", "x")
    (True, False)
    """
    if starts_json(content):
        return vote_columns(_first_names(content[:_SAMPLE])) is not None
    head = content[:_SAMPLE].split(b"\n", _TITLES)[:_TITLES]
    return _wins_of(content, label) is not None or any(
        _is_header_of_votes(b"\n".join(head[:size]) + b"\n", label) for size in (1, _TITLES)
    )


def _wins_of(content: bytes, label: str) -> "_Wins | None":
    """Return the cells of a square table whose rows and columns have the same names; None of any other."""
    if content.count(b"\n") > _MOST_SYSTEMS or content.count(b"\r") > 2 * _MOST_SYSTEMS:
        return None
    try:
        sheet = sheet_of(content, label)
        header, *rows = ([cell.strip() for cell in cells] for cells in sheet.rows())
    except (FileFormatError, ValueError):
        return None
    names = header[len(header) - len(rows) :]
    is_square = len(rows) > 1 and len(header) - len(rows) in {0, 1} and {*map(len, rows)} == {len(names) + 1}
    if not is_square or sorted(names) != sorted(cells[0] for cells in rows) or len({*names}) < len(names):
        return None
    if not all(is_number(cell) or cell in _NOBODY for cells in rows for cell in cells[1:]):
        return None
    return _Wins(sheet, [cells[0] for cells in rows], names, [cells[1:] for cells in rows])


class _Wins(NamedTuple):
    """How often whoever has a row beat whoever has a column."""

    sheet: Sheet
    rows: list[str]
    columns: list[str]
    cells: list[list[str]]

    def counts(self) -> list[dict[str, object]]:
        """Return a row a pair with its wins and losses; refuse cells that count nothing."""
        n_of = {
            (left, right): self._number(at, left, right, cell)
            for at, (left, cells) in enumerate(zip(self.rows, self.cells, strict=True))
            for right, cell in zip(self.columns, cells, strict=True)
        }
        pairs = ((left, right) for left, right in combinations(self.rows, 2) if n_of[left, right] + n_of[right, left])
        return [
            {"left": left, "right": right, "wins": n_of[left, right], "losses": n_of[right, left]}
            for left, right in pairs
        ]

    def _number(self, at: int, left: str, right: str, cell: str) -> int:
        number = 0.0 if cell in _NOBODY else float(cell)
        if number < 0 or number % 1 or (left == right and number):
            raise self.sheet.error(
                f"rows and columns have the same names, as where a cell says how often its row beat its column, and "
                f"{left!r} by {right!r} is {shortened(cell)!r}, no such count; write votes a pair a row (left, right, "
                "wins, losses, ties), where cells are scores call rows otherwise, and where a cell counts the items "
                "with two labels of two judges, write a row an item with a column a judge (metaeval judges)",
                at + 1,
            )
        return int(number)


def _is_header_of_votes(head: bytes, label: str) -> bool:
    try:
        sheet, _ = _without_titles(sheet_of(head, label), {})
        return vote_columns(header_names(next(sheet.rows()))) is not None
    except (FileFormatError, StopIteration):
        return False


def _without_titles(sheet: Sheet, named: Mapping[str, str]) -> tuple[Sheet, list[str]]:
    """Return a sheet from the header of votes on; those named for it count where they are there."""

    def is_header(cells: Sequence[str]) -> bool:
        names = header_names(cells)
        return {*named.values()} <= {*names} and vote_columns(names, named) is not None

    return (sheet, []) if is_header(next(sheet.rows())) else below_titles(sheet, is_header)


def _first_names(content: bytes) -> list[str]:
    r"""Return the names of the first object of JSON, or of the first in a list, as far as the content goes.

    Examples
    --------
    >>> _first_names(b'[{"left": "a", "said": {"by": "left"}, "right": [{"b": 1}]}, {"c": 1}]')
    ['left', 'said', 'right']
    """
    depth, text, names = 0, "", []
    for token in _TOKEN.finditer(content):
        sign = token[0][:1]
        if sign == b'"':
            text = token[1].decode(errors="replace")
        elif sign == b":" and depth == 1:
            names.append(text)
        elif sign == b"{" or (sign == b"[" and depth):
            depth += 1
        elif sign in b"]}":
            depth -= 1
            if depth <= 0:
                break
    return names


class VotesError(FileFormatError):
    """Votes where scores or labels are wanted: an error but for those who ask for either."""

    def __init__(self, label: str, content: bytes) -> None:
        super().__init__(VOTES, path=label)
        self.label, self.content = label, content


def refuse_votes(content: bytes, label: str) -> None:
    """Refuse a file of votes where scores or labels are wanted, and say what ranks systems by votes."""
    if holds_votes(content, label):
        if not starts_json(content) and (wins := _wins_of(content, label)) is not None:
            wins.counts()
        raise VotesError(label, content)


def _tables(content: bytes, label: str, collected: Collected) -> Iterator[tuple[Table, Refuse]]:
    """Yield the rows of a file some at a time, with the columns that matter, and what makes the error of a row."""
    if not starts_json(content):
        if (wins := _wins_of(content, label)) is not None:
            collected.left_out([_READ_AS_WINS])
            yield columns_of_rows(wins.counts(), collected), lambda _place, rule: FileFormatError(rule, path=label)
            return
        with _long_cells():
            yield from _sheet_tables(sheet_of(content, label), collected)
        return
    text = text_of(content, label)
    if has_lines(text):
        yield from _line_tables(text, label, collected)
    elif (json := read_json(content, label, numbers_as_text=True)) is not None:
        yield _of_records(json, collected)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as answers are."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _line_tables(text: bytes, label: str, collected: Collected) -> Iterator[tuple[Table, Refuse]]:
    """Yield JSON lines: in columns where they are plainly alike, else as objects."""
    first_line = 1
    for chunk in parts_of_lines(text, _CHUNK):
        table = columns_of_lines(chunk, lambda first: collected.wanted(first, first), collected.same)
        if table is not None:
            yield table, _refuse_lines(chunk, label, first_line)
        else:
            for json in json_parts(chunk, label, first_line):
                yield _of_records(json, collected)
        first_line += chunk.count(b"\n")


def _refuse_lines(part: bytes, label: str, first_line: int) -> Refuse:
    def refuse(place: int, rule: str) -> FileFormatError:
        lines = (number for number, match in enumerate(_LINE.finditer(part), first_line) if not match[0].isspace())
        return FileFormatError(rule, path=label, line=next(islice(lines, place, None)))

    return refuse


def _of_records(json: Json, collected: Collected) -> tuple[Table, Refuse]:
    if not json.records:
        json.refuse("votes in JSON are a list of objects, or one object a line")

    def refuse(place: int, rule: str) -> FileFormatError:
        return json.error(rule, at=place)

    return columns_of_rows(json.records, collected), refuse


def _sheet_tables(sheet: Sheet, collected: Collected) -> Iterator[tuple[Table, Refuse]]:
    refuse_collections(sheet, "a table of votes")
    sheet, titles = _without_titles(sheet, collected.named)
    collected.left_out(titles)
    names = header_names(next(sheet.rows()))
    wanted = collected.wanted(names, dict(zip(names, next(sheet.without_header().rows(), []), strict=False)))
    places = [names.index(name) for name in wanted]
    plain = is_plain(sheet, len(names))
    columns = plain_columns(sheet, len(names), places) if plain else _sheet_columns(sheet, names, places)
    start = 0
    for some in columns:
        yield dict(zip(wanted, some, strict=True)), _refuse_rows(sheet, start, plain=plain)
        start += len(some[0])


def _refuse_rows(sheet: Sheet, start: int, *, plain: bool) -> Refuse:
    def refuse(place: int, rule: str) -> FileFormatError:
        if plain:
            at = start + place + 1
            return FileFormatError(rule, path=sheet.label, line=sheet.lines[at] if sheet.lines else at + 1)
        return sheet.without_header().error(rule, start + place)

    return refuse


def _sheet_columns(sheet: Sheet, names: Sequence[str], places: Sequence[int]) -> Iterator[list[NDArray[Any]]]:
    """Yield some columns in rows some at a time; an error for a row of another number of cells than the header."""
    body, start = sheet.without_header(), 0
    chunks, first = body.chunks(), next(body.rows(), [])
    more = len(first) == len(names) + 1
    numbered = more and bool(first[-1].strip())  # as R numbers its rows, else a delimiter ends each
    last = -1
    while rows := list(chain.from_iterable(islice(chunks, _CHUNKS))):
        fits = [len(cells) == len(names) + more for cells in rows]
        if numbered:
            numbers = [_number(cells[0]) for cells in rows]
            fits = [fit and later > before for fit, later, before in zip(fits, numbers, [last, *numbers], strict=False)]
            last = numbers[-1]
        elif more:
            fits = [fit and not cells[-1].strip() for fit, cells in zip(fits, rows, strict=True)]
        if not all(fits):
            odd = fits.index(False)
            raise body.error(ragged(rows[odd], len(names), body), start + odd)
        yield [np.array([cells[column + numbered] for cells in rows], dtype=object) for column in places]
        start += len(rows)


def _number(cell: str) -> int:
    return int(cell) if cell.isascii() and cell.isdecimal() and len(cell) < _LONGEST else -1
