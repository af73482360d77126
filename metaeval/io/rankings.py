"""The rows of runs and judgments that are Python objects, or JSON: topic, document and number of each."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.columns import RANKINGS
from metaeval.base.names import first_double, loses_digits, shortened
from metaeval.collection.base import identifier
from metaeval.errors import InvalidOptionError

type Part = Literal["topic", "document", "score", "level", "rank"]

_ITERATORS: Mapping[str, tuple[str, ...]] = {
    "run": ("scoreddocs_iter", "to_dict"),
    "qrels": ("qrels_iter", "get_qrels", "to_dict"),
}
_EXPECTED: Mapping[str, str] = {
    "run": "{query: {document: score}}, a frame or an iterable with query_id, doc_id and score",
    "qrels": "{query: {document: level}}, a frame or an iterable with query_id, doc_id and relevance",
}


class RowSource(NamedTuple):
    """Where data came from, for messages."""

    kind: Literal["run", "qrels"]
    name: str

    def error(self, message: str) -> InvalidOptionError:
        """Return the error that names them."""
        return InvalidOptionError(f"{self.name}: {message}")


class Rows(NamedTuple):
    """Topic, document and number of every row; names once, rows as codes."""

    topics: list[str]
    topic_codes: NDArray[np.int64]
    documents: list[str]
    document_codes: NDArray[np.int64]
    numbers: NDArray[np.float64]
    ranks: Sequence[Any] | None
    subtopics: list[str] | None = None

    def place(self, row: int) -> str:
        """Name a row by its document and query."""
        document, topic = self.documents[self.document_codes[row]], self.topics[self.topic_codes[row]]
        return f"document {shortened(repr(document))} on query {shortened(repr(topic))}"


def ranking_rows(data: object, source: RowSource, number: Part) -> Rows:
    """Return the rows of whatever `data` is, or say what is wrong with it."""
    table = _table(data, source, number)
    if not len(table.documents):
        raise source.error("it holds no document")
    if not len(table.topics) == len(table.documents) == len(table.numbers):
        raise source.error("its columns have different lengths")
    topics = _identifiers(table.topics, "query", source)
    documents = _identifiers(table.documents, "document", source)
    rows = Rows(*topics, *documents, np.zeros(0), table.ranks)
    if table.subtopics is not None and source.kind == "qrels":
        names, codes = _identifiers(table.subtopics, "subtopic", source)
        rows = rows._replace(subtopics=[names[code] for code in codes.tolist()])
    return rows._replace(numbers=_finite(table.numbers, rows, source))


class _RankingTable(NamedTuple):
    topics: Sequence[Any]
    documents: Sequence[Any]
    numbers: Sequence[Any]
    ranks: Sequence[Any] | None = None
    subtopics: Sequence[Any] | None = None


def _table(data: object, source: RowSource, number: Part) -> _RankingTable:
    """Take the columns out of whatever `data` is."""
    if isinstance(data, Mapping):
        return _from_mapping(data, source, number)
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        frame = (
            data if isinstance(data, pd.DataFrame) else pd.DataFrame({name: list(data[name]) for name in data.columns})
        )
        names = [str(name) for name in frame.columns]
        if (again := first_double(names)) is not None:
            raise source.error(f"two columns are called {again!r}; keep one")
        return _picked({name: frame.iloc[:, position].tolist() for position, name in enumerate(names)}, source, number)
    for method in _ITERATORS[source.kind]:
        if hasattr(data, method):
            return _table(getattr(data, method)(), source, number)
    if isinstance(data, Iterable):
        return _from_records(list(data), source, number)
    raise source.error(f"expected {_EXPECTED[source.kind]}, not {type(data).__name__}")


def _from_mapping(data: Mapping[Any, Any], source: RowSource, number: Part) -> _RankingTable:
    if number == "rank":
        raise source.error("`order='rank'` needs a frame with a column rank; a mapping holds only scores")
    for topic, inner in data.items():
        if not isinstance(inner, Mapping):
            message = f"expected {_EXPECTED[source.kind]}; under {topic!r} stands {type(inner).__name__} {inner!r:.40}"
            raise source.error(message)
    topics = list(chain.from_iterable([topic] * len(inner) for topic, inner in data.items()))
    documents = list(chain.from_iterable(data.values()))
    return _RankingTable(topics, documents, list(chain.from_iterable(inner.values() for inner in data.values())))


def _from_records(records: list[Any], source: RowSource, number: Part) -> _RankingTable:
    if not records:
        raise source.error("it holds no document; an iterator can be read only once")
    words = dict.fromkeys(chain.from_iterable(RANKINGS.values()))
    named = isinstance(records[0], Mapping)
    fields = [word for word in words if (word in records[0] if named else hasattr(records[0], word))]
    cells: dict[str, list[Any]] = {}
    for name in fields:
        try:
            cells[name] = [record[name] if named else getattr(record, name) for record in records]
        except (KeyError, TypeError, AttributeError):
            lacks = (at for at, record in enumerate(records) if not _has(record, name, named=named))
            raise source.error(f"record {next(lacks)} (from 0) has no {name}, which the first has") from None
    others: dict[str, list[Any]] = {str(name): [] for name in records[0]} if named else {}  # an error names them
    return _picked(others | cells, source, number)


def _has(record: object, name: str, *, named: bool) -> bool:
    return isinstance(record, Mapping) and name in record if named else hasattr(record, name)


def _picked(columns: Mapping[str, Sequence[Any]], source: RowSource, number: Part) -> _RankingTable:
    parts: tuple[Part, ...] = ("topic", "document", number)
    chosen = [next((word for word in RANKINGS[role] if word in columns), None) for role in parts]
    for role, word in zip(parts, chosen, strict=True):
        if word is None:
            message = f"no {role}: expected one of {', '.join(RANKINGS[role])}, found {', '.join(columns) or 'nothing'}"
            raise source.error(message)
    topics, documents, numbers = (columns[str(word)] for word in chosen)
    subtopics = next((columns[word] for word in RANKINGS["subtopic"] if word in columns), None)
    return _RankingTable(topics, documents, numbers, columns.get("rank"), subtopics)


def _identifiers(values: Sequence[Any], what: str, source: RowSource) -> tuple[list[str], NDArray[np.int64]]:
    kinds = {kind for kind in set(map(type, values)) if kind is bool or not issubclass(kind, str | bytes | Integral)}
    for value in values if kinds else ():  # pandas takes True for 1, and cannot count lists
        if type(value) in kinds and not (pd.api.types.is_scalar(value) and pd.isna(value)):
            _as_text(value, what, source)
    codes, present = pd.factorize(pd.Series(values, dtype=object))
    if (codes < 0).any():
        raise source.error(f"row {int(np.argmax(codes < 0))} (from 0) has no {what} identifier")
    names = [_as_text(value, what, source) for value in present]
    if len(set(names)) < len(names):  # 1 and "1" are one name
        again, names_once = pd.factorize(np.array(names, dtype=object))
        return names_once.tolist(), again[codes].astype(np.int64)
    return names, codes.astype(np.int64)


def _as_text(value: object, what: str, source: RowSource) -> str:
    try:
        return identifier(value, what)
    except InvalidOptionError as error:
        raise source.error(str(error)) from None


def _finite(numbers: Sequence[Any], rows: Rows, source: RowSource) -> NDArray[np.float64]:
    cells = list(numbers)
    values = np.asarray(cells) if set(map(type, cells)) in ({int}, {float}) else None
    if values is not None and values.dtype.kind in "iuf":
        good = np.isfinite(values)
    else:  # numpy would make one kind of several: of True a 1, of long whole numbers floats
        good = np.array([_is_finite(value) for value in cells], dtype=bool)
    if not good.all():
        row = int(np.argmin(good))
        raise source.error(f"{rows.place(row)} needs a finite number, not {_shown(cells[row])}")
    floats = np.array(cells, dtype=np.float64)
    for row in np.flatnonzero(np.abs(floats) >= 2**53).tolist():  # beyond it, not every whole number is a float
        cell = cells[row]
        if isinstance(cell, Integral) and loses_digits(int(cell), float(floats[row])):
            raise source.error(
                f"{rows.place(row)} has {shortened(cell)}, more digits than a score can hold (2**53); divide all by "
                "one number"
            )
    return floats


def _shown(value: object) -> str:
    try:
        return shortened(repr(value))
    except ValueError:  # Python writes no number of more than 4,300 digits
        return shortened(value)


def _is_finite(value: object) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
