"""Runs and judgments that are Python objects already, recognised by their shape; no other package is needed.

================  ==============================================  ============================================
what              runs                                            qrels
================  ==============================================  ============================================
plain Python      ``{query: {document: score}}``                  ``{query: {document: level}}``
ir_measures       iterable of ``ScoredDoc``, or such a frame      iterable of ``Qrel``, or such a frame
PyTerrier         frame with qid, docno, score (and rank)         frame with qid, docno, label; a dataset
ranx              ``Run``, or frame with q_id, doc_id, score      ``Qrels``, or frame with q_id, doc_id, score
ir_datasets       ``scoreddocs_iter()``                           ``qrels_iter()``, a dataset, or its id
metaeval          path of a file in TREC format                   path, or what `read_qrels` returned
================  ==============================================  ============================================
"""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, refused
from metaeval.base.columns import RANKINGS
from metaeval.base.names import first_double, loses_digits, natural_order, shortened
from metaeval.collection.assembly import RetrievedLines, collection_of_lines, judgments_from, warn_of_ties
from metaeval.collection.base import Retrieved
from metaeval.collection.document_codes import Judgments, identifier_array
from metaeval.collection.documents import Collection
from metaeval.collection.grades import coded
from metaeval.collection.rank_column import Doubt, doubt_of_ranks, warn_of_doubts
from metaeval.collection.ranking import Order
from metaeval.collection.subtopics import BySubtopic
from metaeval.errors import InvalidOptionError
from metaeval.io.qrels import SubtopicRule, read_qrels
from metaeval.io.trec import ScorePrecision, as_precision, read_runs
from metaeval.running.parallel import track
from metaeval.table.scores import Missing

type Part = Literal["topic", "document", "score", "level", "rank"]

_ITERATORS: Mapping[str, tuple[str, ...]] = {
    "run": ("scoreddocs_iter", "to_dict"),
    "qrels": ("qrels_iter", "get_qrels", "to_dict"),
}
_EXPECTED: Mapping[str, str] = {
    "run": "{query: {document: score}}, a frame or an iterable with query_id, doc_id and score",
    "qrels": "{query: {document: level}}, a frame or an iterable with query_id, doc_id and relevance",
}


_LEVELS = 2**15


class _Source(NamedTuple):
    """Where data came from, for messages."""

    kind: Literal["run", "qrels"]
    name: str

    def error(self, message: str) -> InvalidOptionError:
        return InvalidOptionError(f"{self.name}: {message}")


def collection_from(  # noqa: PLR0913 - one keyword per rule of reading
    runs: Mapping[str, object],
    qrels: object,
    *,
    retrieved: Retrieved = "judged",
    order: Order = "score",
    score_precision: ScorePrecision = "float64",
    missing: Missing = "zero",
    subtopics: SubtopicRule | None = None,
    groups: Mapping[str, str] | pd.Series | None = None,
    pooled: Mapping[str, bool] | pd.Series | Iterable[str] | None = None,
) -> Collection:
    """Compile runs and judgments that are Python objects.

    Parameters
    ----------
    runs : mapping of system name to run
        A run is any of: a mapping ``{query: {document: score}}``; an object whose ``to_dict()`` gives one
        (``ranx.Run``); a DataFrame of pandas or polars with the columns of ir_measures (query_id, doc_id, score),
        PyTerrier (qid, docno, score) or ranx (q_id, doc_id, score); an iterable of records with such fields
        (``ir_measures.ScoredDoc``); the path of a TREC file.
    qrels : object
        The same shapes with relevance, label or score as level; an ir_datasets dataset or its id; a path; `Judgments`.
    retrieved, order, score_precision, missing, groups, pooled
        See `metaeval.io.trec.read_collection`; ``order="rank"`` needs a column rank, ``order="input"`` takes the order
        of the rows.
    subtopics : {"keep", "collapse"}, optional
        Judgments with a column subtopic (or subtopic_id) are by subtopic; "collapse" keeps only the highest level of a
        document. Of files see `metaeval.io.qrels.read_qrels`.

    Returns
    -------
    Collection
        Systems in the order of `runs`.

    Raises
    ------
    InvalidOptionError
        If an object has none of these shapes, an identifier is blank or neither text nor a whole number, a score is no
        finite number, a level no number within 16 bits, a document appears twice, or runs and qrels have no topic in
        common.

    Warns
    -----
    CollectionWarning
        As `metaeval.io.trec.read_collection`.

    Examples
    --------
    >>> collection = collection_from({"bm25": {"1": {"d1": 2.5, "d9": 3.5}}}, {"1": {"d1": 2, "d2": 0}})
    >>> collection.ranks.tolist(), collection.document_ids[collection.judgments].tolist()
    ([2], [b'd1'])
    """
    check_choice(retrieved, "choice for retrieved", get_args(Retrieved))
    check_choice(order, "order of documents", get_args(Order))
    check_choice(score_precision, "score precision", get_args(ScorePrecision))
    check_choice(missing, "rule for missing topics", get_args(Missing))
    if not isinstance(runs, Mapping) or not runs:
        rule = f"must map system names to runs and hold at least one, not {type(runs).__name__}: {runs!r:.60}"
        raise refused("runs", rule, runs)
    judgments, doubts = qrels_from(qrels, subtopics=subtopics), dict[str, Doubt | None]()

    def listed() -> Iterator[RetrievedLines]:
        for name, data in track(list(runs.items()), description="reading runs"):
            source = _Source("run", f"run {str(name)!r}")
            rows = _rows(data, source, "rank" if order == "rank" else "score")
            doubts[str(name)] = None if order in ("rank", "input") else _doubt(rows)
            keys = -rows.numbers if order == "rank" else as_precision(rows.numbers, score_precision)
            documents = [rows.documents[code].encode() for code in rows.document_codes.tolist()]
            yield RetrievedLines(str(name), documents, rows.topics, rows.topic_codes, keys)

    collection = collection_of_lines(judgments, listed(), order=order, retrieved=retrieved)
    warn_of_ties(collection, order)
    warn_of_doubts(doubts)
    return collection.with_groups(groups, pooled=pooled).handle_missing(missing)


def qrels_from(data: object, *, subtopics: SubtopicRule | None = None) -> Judgments:
    """Compile judgments that are a Python object.

    Examples
    --------
    >>> qrels_from([{"qid": 1, "docno": "d1", "label": 2}, {"qid": 1, "docno": "d0", "label": 0}]).levels.tolist()
    [0, 2]
    """
    if subtopics is not None:
        check_choice(subtopics, "rule for `subtopics`", get_args(SubtopicRule))
    if isinstance(data, Judgments):
        return data
    if isinstance(data, os.PathLike) or (isinstance(data, str) and Path(data).exists()):
        return read_qrels(data, subtopics=subtopics)
    source = _Source("qrels", "qrels")
    rows = _rows(_dataset(data) if isinstance(data, str) else data, source, "level")
    if large := np.flatnonzero(np.abs(rows.numbers + 0.5) > _LEVELS).tolist():
        message = f"levels must lie from -32768 to 32767; {rows.place(large[0])} has {rows.numbers[large[0]]:g}"
        raise source.error(message)
    if rows.subtopics is not None:
        found = _by_subtopic(rows, rows.subtopics, source)
        return found._replace(subtopics=None) if subtopics == "collapse" else found
    judged: dict[str, dict[str, float]] = {}
    for row, level in enumerate(rows.numbers.tolist()):
        part = judged.setdefault(rows.topics[rows.topic_codes[row]], {})
        document = rows.documents[rows.document_codes[row]]
        if document in part:
            raise source.error(f"{rows.place(row)} is judged twice; keep one")
        part[document] = level
    return judgments_from(judged)


def _by_subtopic(rows: "_Rows", words: Sequence[str], source: _Source) -> Judgments:
    """Compile judgments whose rows name a subtopic."""
    topics = natural_order(rows.topics)
    place = {topic: number for number, topic in enumerate(topics)}
    lists = np.array([place[topic] for topic in rows.topics], dtype=np.int64)[rows.topic_codes]
    names = identifier_array([name.encode() for name in rows.documents])
    levels, grades = coded(rows.numbers)
    found = BySubtopic.of(lists, names[rows.document_codes], words, levels, len(topics))
    if found.again is not None:
        later = found.again[1]
        raise source.error(f"{rows.place(later)} is judged twice on subtopic {words[later]!r}; keep one")
    return Judgments(
        topics=tuple(topics),
        topic_offsets=np.searchsorted(lists[found.lines], np.arange(len(topics) + 1)).astype(np.int64),
        document_ids=names[rows.document_codes][found.lines],
        levels=found.levels,
        notes=(found.note("a column of the judgments"),),
        grades=grades,
        subtopics=found.subtopics,
    )


class _Rows(NamedTuple):
    """Topic, document and number of every row; names once, rows as codes."""

    topics: list[str]
    topic_codes: NDArray[np.int64]
    documents: list[str]
    document_codes: NDArray[np.int64]
    numbers: NDArray[np.float64]
    ranks: Sequence[Any] | None
    subtopics: list[str] | None = None

    def place(self, row: int) -> str:
        document, topic = self.documents[self.document_codes[row]], self.topics[self.topic_codes[row]]
        return f"document {document!r} on query {topic!r}"


def _rows(data: object, source: _Source, number: Part) -> _Rows:
    table = _table(data, source, number)
    if not len(table.documents):
        raise source.error("it holds no document")
    if not len(table.topics) == len(table.documents) == len(table.numbers):
        raise source.error("its columns have different lengths")
    topics = _identifiers(table.topics, "query", source)
    documents = _identifiers(table.documents, "document", source)
    rows = _Rows(*topics, *documents, np.zeros(0), table.ranks)
    if table.subtopics is not None and source.kind == "qrels":
        names, codes = _identifiers(table.subtopics, "subtopic", source)
        rows = rows._replace(subtopics=[names[code] for code in codes.tolist()])
    return rows._replace(numbers=_finite(table.numbers, rows, source))


class _Table(NamedTuple):
    topics: Sequence[Any]
    documents: Sequence[Any]
    numbers: Sequence[Any]
    ranks: Sequence[Any] | None = None
    subtopics: Sequence[Any] | None = None


def _table(data: object, source: _Source, number: Part) -> _Table:
    """Take the columns out of whatever `data` is."""
    if isinstance(data, str | os.PathLike):
        data = next(iter(read_runs([Path(data)], order="input").values()))
    if isinstance(data, Mapping):
        return _from_mapping(data, source, number)
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        frame = (
            data if isinstance(data, pd.DataFrame) else pd.DataFrame({name: list(data[name]) for name in data.columns})
        )
        names = [str(name) for name in frame.columns]
        if (again := first_double(names)) is not None:
            raise source.error(f"two columns are called {again!r}; keep one")
        return _picked({name: frame.iloc[:, place].tolist() for place, name in enumerate(names)}, source, number)
    for method in _ITERATORS[source.kind]:
        if hasattr(data, method):
            return _table(getattr(data, method)(), source, number)
    if isinstance(data, Iterable):
        return _from_records(list(data), source, number)
    raise source.error(f"expected {_EXPECTED[source.kind]}, not {type(data).__name__}")


def _from_mapping(data: Mapping[Any, Any], source: _Source, number: Part) -> _Table:
    if number == "rank":
        raise source.error("`order='rank'` needs a frame with a column rank; a mapping holds only scores")
    for topic, inner in data.items():
        if not isinstance(inner, Mapping):
            message = f"expected {_EXPECTED[source.kind]}; under {topic!r} stands {type(inner).__name__} {inner!r:.40}"
            raise source.error(message)
    topics = list(chain.from_iterable([topic] * len(inner) for topic, inner in data.items()))
    documents = list(chain.from_iterable(data.values()))
    return _Table(topics, documents, list(chain.from_iterable(inner.values() for inner in data.values())))


def _from_records(records: list[Any], source: _Source, number: Part) -> _Table:
    if not records:
        raise source.error("it holds no document; an iterator can be read only once")
    if isinstance(records[0], Mapping):
        return _picked({name: [record[name] for record in records] for name in records[0]}, source, number)
    words = dict.fromkeys(chain.from_iterable(RANKINGS.values()))
    fields = [word for word in words if hasattr(records[0], word)]
    return _picked({name: [getattr(record, name) for record in records] for name in fields}, source, number)


def _picked(columns: Mapping[str, Sequence[Any]], source: _Source, number: Part) -> _Table:
    parts: tuple[Part, ...] = ("topic", "document", number)
    chosen = [next((word for word in RANKINGS[part] if word in columns), None) for part in parts]
    for part, word in zip(parts, chosen, strict=True):
        if word is None:
            message = f"no {part}: expected one of {', '.join(RANKINGS[part])}, found {', '.join(columns) or 'nothing'}"
            raise source.error(message)
    topics, documents, numbers = (columns[str(word)] for word in chosen)
    subtopics = next((columns[word] for word in RANKINGS["subtopic"] if word in columns), None)
    return _Table(topics, documents, numbers, columns.get("rank"), subtopics)


def _doubt(rows: _Rows) -> Doubt | None:
    """Compare a column of ranks with the scores, where there is one and it holds numbers."""
    ranks = pd.to_numeric(pd.Series(rows.ranks, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    return doubt_of_ranks(ranks, rows.numbers, rows.topic_codes) if len(ranks) == len(rows.numbers) else None


def _identifiers(values: Sequence[Any], what: str, source: _Source) -> tuple[list[str], NDArray[np.int64]]:
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


def _as_text(value: object, what: str, source: _Source) -> str:
    text: str | None = None
    if isinstance(value, str | bytes) and not value.strip():
        raise source.error(f"a {what} identifier is blank ({value!r}); name it")
    with suppress(ValueError):  # no UTF-8, or a number of thousands of digits
        match value:
            case str():
                text = value.encode().decode()
            case bytes():
                text = value.decode()
            case Integral() if not isinstance(value, bool | np.bool_):
                text = str(int(value))
    if text is None:
        shown = f"{shortened(repr(value)) if isinstance(value, str | bytes | float) else type(value).__name__}"
        raise source.error(f"{what} identifiers must be text or whole numbers, not {shown} ({type(value).__name__})")
    return text


def _finite(numbers: Sequence[Any], rows: _Rows, source: _Source) -> NDArray[np.float64]:
    cells = list(numbers)
    values = np.asarray(cells) if set(map(type, cells)) in ({int}, {float}) else None
    if values is not None and values.dtype.kind in "iuf":
        good = np.isfinite(values)
    else:  # numpy would make one kind of several: of True a 1, of long whole numbers floats
        good = np.array([_is_finite(value) for value in cells], dtype=bool)
    if not good.all():
        row = int(np.argmin(good))
        raise source.error(f"{rows.place(row)} needs a finite number, not {shortened(repr(cells[row]))}")
    floats = np.array(cells, dtype=np.float64)
    for row in np.flatnonzero(np.abs(floats) >= 2**53).tolist():  # beyond it, not every whole number is a float
        cell = cells[row]
        if isinstance(cell, Integral) and loses_digits(int(cell), float(floats[row])):
            raise source.error(
                f"{rows.place(row)} has {cell}, more digits than a score can hold (2**53); divide all by one number"
            )
    return floats


def _is_finite(value: object) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _dataset(name: str) -> object:
    try:
        datasets = import_module("ir_datasets")
    except ImportError:
        message = f"`qrels`: there is no file {name!r}; for a dataset of that id install ir_datasets"
        raise InvalidOptionError(message) from None
    return datasets.load(name)
