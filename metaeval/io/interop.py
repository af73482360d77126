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

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice, refused
from metaeval.base.names import natural_order
from metaeval.collection.assembly import RetrievedLines, collection_of_lines, judgments_from, warn_of_ties
from metaeval.collection.base import Retrieved, named_once
from metaeval.collection.document_codes import Judgments, identifier_array
from metaeval.collection.documents import Collection
from metaeval.collection.grades import coded
from metaeval.collection.rank_column import Doubt, doubt_of_ranks, warn_of_doubts
from metaeval.collection.ranking import Order
from metaeval.collection.subtopics import BySubtopic
from metaeval.errors import InvalidOptionError
from metaeval.io.qrels import SubtopicRule, read_qrels
from metaeval.io.rankings import Rows, RowSource, ranking_rows
from metaeval.io.trec import ScorePrecision, as_precision, read_runs
from metaeval.running.parallel import track
from metaeval.table.scores import Missing

_LEVELS = 2**15


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
        for name, data in track(list(named_once(runs, "run").items()), description="reading runs"):
            source = RowSource("run", f"run {name!r}")
            if isinstance(data, str | os.PathLike):
                data = next(iter(read_runs([Path(data)], order="input").values()))  # noqa: PLW2901 - what it holds
            rows = ranking_rows(data, source, "rank" if order == "rank" else "score")
            doubts[name] = None if order in ("rank", "input") else _doubt(rows)
            keys = -rows.numbers if order == "rank" else as_precision(rows.numbers, score_precision)
            documents = [rows.documents[code].encode() for code in rows.document_codes.tolist()]
            yield RetrievedLines(name, documents, rows.topics, rows.topic_codes, keys)

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
    source = RowSource("qrels", "qrels")
    rows = ranking_rows(_dataset(data) if isinstance(data, str) else data, source, "level")
    if large := np.flatnonzero(np.abs(rows.numbers + 0.5) > _LEVELS).tolist():
        message = f"levels must lie from -32768 to 32767; {rows.place(large[0])} has {rows.numbers[large[0]]:g}"
        raise source.error(message)
    if rows.subtopics is not None:
        judgments = _by_subtopic(rows, rows.subtopics, source)
        return judgments._replace(subtopics=None) if subtopics == "collapse" else judgments
    judged: dict[str, dict[str, float]] = {}
    for row, level in enumerate(rows.numbers.tolist()):
        of_topic = judged.setdefault(rows.topics[rows.topic_codes[row]], {})
        document = rows.documents[rows.document_codes[row]]
        if document in of_topic:
            raise source.error(f"{rows.place(row)} is judged twice; keep one")
        of_topic[document] = level
    return judgments_from(judged)


def _by_subtopic(rows: "Rows", words: Sequence[str], source: RowSource) -> Judgments:
    """Compile judgments whose rows name a subtopic."""
    topics = natural_order(rows.topics)
    number_of = {topic: number for number, topic in enumerate(topics)}
    lists = np.array([number_of[topic] for topic in rows.topics], dtype=np.int64)[rows.topic_codes]
    names = identifier_array([name.encode() for name in rows.documents])
    levels, grades = coded(rows.numbers)
    by_subtopic = BySubtopic.of(lists, names[rows.document_codes], words, levels, len(topics))
    if by_subtopic.again is not None:
        later = by_subtopic.again[1]
        raise source.error(f"{rows.place(later)} is judged twice on subtopic {words[later]!r}; keep one")
    return Judgments(
        topics=tuple(topics),
        topic_offsets=np.searchsorted(lists[by_subtopic.lines], np.arange(len(topics) + 1)).astype(np.int64),
        document_ids=names[rows.document_codes][by_subtopic.lines],
        levels=by_subtopic.levels,
        notes=(by_subtopic.note("a column of the judgments"),),
        grades=grades,
        subtopics=by_subtopic.subtopics,
    )


def _doubt(rows: Rows) -> Doubt | None:
    """Compare a column of ranks with the scores, where there is one and it holds numbers."""
    ranks = pd.to_numeric(pd.Series(rows.ranks, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    return doubt_of_ranks(ranks, rows.numbers, rows.topic_codes) if len(ranks) == len(rows.numbers) else None


def _dataset(name: str) -> object:
    try:
        datasets = import_module("ir_datasets")
    except ImportError:
        message = f"`qrels`: there is no file {name!r}; for a dataset of that id install ir_datasets"
        raise InvalidOptionError(message) from None
    return datasets.load(name)
