"""From ranked runs and judgments to a `Collection`: those of readers, and those that are Python objects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.label_words import first_far
from metaeval.base.names import count, first_few, natural_order
from metaeval.collection.base import Retrieved, identifiers, named_once
from metaeval.collection.document_codes import (
    JudgedDocuments,
    Judgments,
    OtherDocuments,
    RetrievedDocuments,
    identifier_array,
)
from metaeval.collection.documents import NOT_POOLED, UNJUDGED, Collection, CollectionWarning
from metaeval.collection.grades import coded, grades_note
from metaeval.collection.ranking import Lines, Order, RankedRun, RankingProblem, rank_documents
from metaeval.collection.topic_names import topics_meant_alike, way_to_match
from metaeval.errors import InvalidOptionError, warn

_FEWEST_LISTS = 20
"""Fewer lists may well hold nothing that is judged."""
_MANY_TIES = 0.1


def collection_from_rankings(
    rankings: Mapping[str, Mapping[str, Sequence[str]]],
    qrels: Mapping[str, Mapping[str, float]],
    *,
    retrieved: Retrieved = "judged",
) -> Collection:
    """Compile lists that are in order already: for each system and topic the documents, best first.

    Examples
    --------
    >>> collection = collection_from_rankings(
    ...     {"bm25": {"1": ["d3", "d9", "d1"]}}, {"1": {"d1": 2, "d2": 1, "d3": 0}}
    ... )
    >>> collection.ranks.tolist(), collection.levels[collection.judgments].tolist()
    ([1, 3], [0, 2])
    """
    judged = judgments_from(qrels)
    if not rankings:
        raise InvalidOptionError("there is no run; give at least one")

    def listed() -> Iterator[RetrievedLines]:
        for system, ranking in named_once(rankings, "run").items():
            lists = named_once(ranking, "query")
            if any(isinstance(names, Mapping) for names in lists.values()):
                raise InvalidOptionError(
                    f"run {system!r} holds a score for every document, and lists in order were asked for; documents "
                    f"with scores are ranked by metaeval.score(runs, qrels, metrics)"
                )
            documents = identifiers([name for names in lists.values() for name in names], "document")
            codes = np.repeat(np.arange(len(lists)), [len(names) for names in lists.values()])
            yield RetrievedLines(system, documents, list(lists), codes, np.zeros(len(documents)))

    return collection_of_lines(judged, listed(), order="input", retrieved=retrieved)


class RetrievedLines(NamedTuple):
    """The retrieved documents of one run, as Python objects."""

    system: str
    documents: Sequence[bytes]
    """Identifiers."""
    topics: Sequence[str]
    """Names of the topics answered."""
    topic_codes: NDArray[np.integer]
    """Which of `topics` each line belongs to. Shape (n_lines,)."""
    keys: NDArray[np.float64]
    """What lists are ordered by, descending. Shape (n_lines,)."""

    def laid_out(self, known: Sequence[str]) -> Lines:
        """Return what `rank_documents` takes; `known` are the topics of the judgments."""
        number_of = {topic: number for number, topic in enumerate(known)}
        lists = np.array([number_of.setdefault(topic, len(number_of)) for topic in self.topics], dtype=np.int64)
        lengths = np.fromiter(map(len, self.documents), dtype=np.int64, count=len(self.documents))
        return Lines(
            text=np.frombuffer(b"".join(self.documents), dtype=np.uint8),
            starts=np.cumsum(lengths) - lengths,
            lengths=lengths,
            keys=self.keys,
            lists=lists[self.topic_codes],
            n_lists=len(number_of),
        )


def collection_of_lines(
    judgments: Judgments, runs: Iterable[RetrievedLines], *, order: Order, retrieved: Retrieved
) -> Collection:
    """Rank runs that come as Python objects, and put them together with their judgments."""
    table, others = JudgedDocuments.of(judgments), OtherDocuments()
    ranked: dict[str, RankedRun] = {}
    answered: set[str] = set()
    for run in runs:
        lines = run.laid_out(judgments.topics)
        try:
            ranking = rank_documents(lines, table, n_topics=len(judgments.topics), order=order, retrieved=retrieved)
        except RankingProblem as problem:
            raise _repetition_error(run.system, lines, problem) from None
        ranked[run.system] = ranking.completed(others, len(judgments.levels))
        answered.update(run.topics)
    return assemble_collection(judgments, ranked, answered, n_codes=len(judgments.levels) + others.n_codes)


def _repetition_error(system: str, lines: Lines, problem: RankingProblem) -> InvalidOptionError:
    """Say which document appears twice in a run that came as Python objects, or which two share a rank."""
    start, length = int(lines.starts[problem.second]), int(lines.lengths[problem.second])
    name = lines.text[start : start + length].tobytes().decode()
    if problem.kind == "document":
        return InvalidOptionError(f"run {system!r} has document {name!r} twice in one topic; keep one")
    rank = -lines.keys[problem.second]
    return InvalidOptionError(
        f"run {system!r} has two documents at rank {rank:g} of one topic, the second {name!r}; ranks must be unique "
        "with `order='rank'`"
    )


def assemble_collection(
    judgments: Judgments,
    runs: Mapping[str, RankedRun],
    answered: Iterable[str],
    *,
    n_codes: int,
    notes: tuple[str, ...] = (),
) -> Collection:
    """Put ranked runs and their judgments together."""
    ranked = list(runs.values())
    levels = np.maximum(judgments.levels, np.int16(NOT_POOLED + 1))  # what has a line was pooled
    n_retrieved = np.stack([run.n_retrieved for run in ranked]).astype(np.int32)
    codes = [run.codes for run in ranked if run.codes is not None]
    first = [run.first for run in ranked if run.first is not None]
    collection = Collection(
        systems=tuple(runs),
        topics=judgments.topics,
        offsets=_offsets(np.stack([run.n_judged for run in ranked])),
        ranks=np.concatenate([run.ranks for run in ranked]),
        judgments=np.concatenate([run.judgments for run in ranked]),
        n_retrieved=n_retrieved,
        topic_offsets=judgments.topic_offsets,
        levels=levels,
        full_levels=levels,
        document_ids=judgments.document_ids,
        grades=judgments.grades,
        subtopics=judgments.subtopics,
        top_level=max(int(levels.max()), 0),
        tied=np.array([run.tied for run in ranked]),
        retrieved=RetrievedDocuments(
            offsets=_offsets(n_retrieved),
            codes=np.concatenate(codes),
            n_codes=n_codes,
            first=np.concatenate(first) if first else None,
        )
        if codes
        else None,
        notes=(*notes, *judgments.notes, *_notes_of_grades(judgments), *_without_judged(judgments, runs)),
    )
    return _with_foreign_topics(collection, answered)


def warn_of_ties(collection: Collection, order: Order) -> None:
    """Warn once, two calls up, if scores leave much of some run's order to the document identifiers."""
    many = [
        (share, name) for share, name in zip(collection.tied, collection.systems, strict=True) if share > _MANY_TIES
    ]
    if not many:
        return
    rule = "ascending" if order == "ties-ascending" else "descending, as in trec_eval"
    worst = first_few(sorted(many, reverse=True), write=lambda one: f"{one[1]} {100 * one[0]:.0f} %")
    message = (
        f"in {len(many)} of {collection.n_systems} runs more than {100 * _MANY_TIES:.0f} % of the documents have tied "
        f"scores ({worst}). Ties are ordered by document identifier, {rule}. To keep the runs' own order use "
        "`order='rank'` or `'input'`"
    )
    warn(message, CollectionWarning)


def judgments_from(qrels: Mapping[str, Mapping[str, float]]) -> Judgments:
    """Compile judgments given as a mapping of topic to mapping of document to level or real-valued grade.

    Examples
    --------
    >>> judgments_from({"1": {"d1": 1.7, "d2": 0}}).numbers.tolist()
    [1.7, 0.0]
    """
    by_name = named_once(qrels, "query")
    topics = natural_order(by_name)
    ordered = [sorted(_judged(by_name[topic]).items()) for topic in topics]
    if not any(ordered):
        raise InvalidOptionError("there is no judgment; qrels must hold a level for at least one document")
    documents = [doc for of_topic in ordered for doc, _ in of_topic]
    if any(doc.endswith(b"\0") for doc in documents):
        message = "a document identifier ends in a zero byte, which arrays of bytes cannot hold; rename it"
        raise InvalidOptionError(message)
    values = np.array([level for of_topic in ordered for _, level in of_topic])
    if values.dtype.kind not in "iuf":
        raise InvalidOptionError(f"levels must be numbers, not {values.dtype}")
    levels, grades = coded(values)
    return Judgments(
        topics=tuple(topics),
        topic_offsets=np.cumsum([0, *map(len, ordered)], dtype=np.int64),
        document_ids=identifier_array(documents),
        levels=levels,
        grades=grades,
    )


def _judged(levels: Mapping[str, float]) -> dict[bytes, float]:
    """Return the levels of the documents of one topic."""
    by_document = dict(zip(identifiers([*levels], "document"), levels.values(), strict=True))
    if len(by_document) < len(levels):
        named_once(levels, "document")
    return by_document


def _without_judged(judgments: Judgments, runs: Mapping[str, RankedRun]) -> list[str]:
    """Name the runs that retrieve no judged document; where none of several lists has one, identifiers differ."""
    lists = {name: int((run.n_retrieved > 0).sum()) for name, run in runs.items()}
    strange = [name for name, run in runs.items() if lists[name] and not run.n_judged.any()]
    if not strange:
        return []
    judged = judgments.document_ids[0].decode(errors="replace") if len(judgments.document_ids) else ""
    alike = _alike_but_for_case(judgments, runs[strange[0]])
    if sum(lists.values()) >= _FEWEST_LISTS and len(strange) == sum(map(bool, lists.values())):
        raise InvalidOptionError(
            f"no run retrieves any judged document ({judged!r} is one that is judged): documents are matched by their "
            f"identifier as written, and those of runs and qrels differ{alike}"
        )
    listed = f"{len(strange)} ({first_few(strange)})"
    return [f"runs that retrieve no judged document, so that nothing in them counts: {listed}{alike}"]


def _alike_but_for_case(judgments: Judgments, run: RankedRun) -> str:
    """Say that documents of a run are judged under names in other letters, small or capital."""
    folded = {document.lower(): document for document in run.strange}
    judged = (
        next((name for name in judgments.document_ids.tolist() if name.lower() in folded), None) if folded else None
    )
    if judged is None:
        return ""
    written, wanted = (name.decode(errors="replace") for name in (folded[judged.lower()], judged))
    return f"; {written!r} in the runs and {wanted!r} in the qrels differ only in case: write both alike"


def _notes_of_grades(judgments: Judgments) -> list[str]:
    """Say that grades are real-valued, and which levels below -1 there are: some tools take -2 as non-relevant."""
    levels = judgments.levels
    notes = _far_grades(levels) if judgments.grades is None else [grades_note(judgments.grades)]
    present, counts = np.unique(levels[levels < UNJUDGED], return_counts=True)
    if not len(present):
        return notes
    named = ", ".join(f"{level} ({count:,})" for level, count in zip(present.tolist(), counts.tolist(), strict=True))
    note = (
        f"documents at negative levels count as pooled but not judged, as in trec_eval: {named}; give them level 0 to "
        "count them as judged non-relevant"
    )
    return [*notes, note]


def _far_grades(levels: NDArray[np.integer]) -> list[str]:
    """Say which grades lie far above steps of 1, as 9 and 99 do where they stand for no grade; 0, 1, 3, 7 are grades.

    Examples
    --------
    >>> _far_grades(np.array([0, 1, 2, 3, 9]))[0].partition(";")[0], _far_grades(np.array([0, 1, 3, 7]))
    ('grades far above all others (0 to 3) count as such: 9 (1 line)', [])
    """
    grades, counts = np.unique(levels[levels >= 0], return_counts=True)
    start = first_far(grades)
    if start == len(grades):
        return []
    told = [
        f"{grade} ({count(n, 'line')})"
        for grade, n in zip(grades[start:].tolist(), counts[start:].tolist(), strict=True)
    ]
    others = f"{grades[0]} to {grades[start - 1]}"
    way = "where they stand for no grade or are slips, leave out these lines of the qrels, or mend them"
    return [f"grades far above all others ({others}) count as such: {first_few(told)}; {way}"]


def _offsets(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _with_foreign_topics(collection: Collection, topics: Iterable[str]) -> Collection:
    answered = set(topics)
    foreign = natural_order(answered - set(collection.topics))
    pairs = topics_meant_alike(answered, collection.topics) if foreign else []
    way = "; " + way_to_match(answered, collection.topics, pairs) if pairs else ""
    if len(foreign) == len(answered):
        raise InvalidOptionError(
            f"runs and qrels have no topic in common: runs answer {first_few(foreign)}, the qrels judge "
            f"{first_few(collection.topics)}; topics are matched by their id as written{way}"
        )
    if pairs:
        raise InvalidOptionError(
            f"runs and qrels write {count(len(pairs), 'topic')} differently, such as {pairs[0][0]!r} in the runs and "
            f"{pairs[0][1]!r} in the qrels; topics are matched by their id as written{way}"
        )
    if not foreign:
        return collection
    note = f"topics of the runs without judgments, ignored: {len(foreign)} ({first_few(foreign)})"
    return replace(collection, notes=(*collection.notes, note))
