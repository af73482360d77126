"""Collections of whole documents: per system and topic the ranks of the judged documents, compiled once.

Every measure depends only on the judged documents of a ranked list and their ranks. So a `Collection` keeps those
alone, as ragged arrays, and re-judging it is a change of one small vector.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.cells import first_few, natural_order
from metaeval.collection.base import JudgedCollection, Retrieved, as_levels, positions, renumbered, take_segments
from metaeval.collection.ranking import (
    Identifiers,
    JudgedDocuments,
    Judgments,
    Lines,
    Order,
    OtherDocuments,
    RankedRun,
    RankingProblem,
    complete_codes,
    identifier_array,
    rank_documents,
)
from metaeval.errors import InvalidOptionError, MetaevalWarning

__all__ = [
    "NOT_POOLED",
    "UNJUDGED",
    "Collection",
    "CollectionStatistics",
    "CollectionWarning",
    "Judgments",
    "RetrievedDocuments",
    "RetrievedLines",
    "assemble_collection",
    "collection_from_rankings",
    "collection_of_lines",
    "is_judged",
    "judgments_from",
    "warn_of_ties",
]

UNJUDGED = -1
NOT_POOLED = int(np.iinfo(np.int16).min)
_TOP = 10
_MANY_TIES = 0.1


class CollectionWarning(MetaevalWarning):
    """Something about the runs or judgments that changes how scores should be read."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RetrievedDocuments:
    """Every document that was retrieved, judged or not, best first.

    Attributes
    ----------
    offsets : int64 array (n_systems * n_topics + 1,)
        List number system * n_topics + topic is ``codes[offsets[i]:offsets[i + 1]]``.
    codes : int32 array (n_retrieved,)
        The same code is the same document of the same topic. A code below the collection's ``n_judgments`` is the
        position of that document in ``levels``; a document without a line in the qrels has a higher one.
    n_codes : int
        Codes lie below it.
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    n_codes: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collection(JudgedCollection):
    """Runs and judgments of one test collection.

    Attributes
    ----------
    systems : tuple of str
        Names of the runs.
    topics : tuple of str
        All topics of the qrels in natural order, also those with nothing relevant.
    offsets : int64 array (n_systems * n_topics + 1,)
        List number system * n_topics + topic holds the judged documents ``offsets[i]:offsets[i + 1]``.
    ranks : int32 array (n,)
        Rank in the full list, from 1, ascending inside a list.
    judgments : int32 array (n,)
        Which judgment: a position in `levels`.
    n_retrieved : int32 array (n_systems, n_topics)
        Length of the full list; 0 where the run lacks the topic.
    topic_offsets : int64 array (n_topics + 1,)
        The judgments of topic t stand at ``topic_offsets[t]:topic_offsets[t + 1]``.
    levels : int16 array (n_judgments,)
        Current level of every document with a line in the qrels. A negative level is pooled but not judged
        (`is_judged`), such as `UNJUDGED` (-1); `NOT_POOLED` is not even pooled.
    full_levels : int16 array (n_judgments,)
        The levels of the qrels as read.
    document_ids : Identifiers (n_judgments,)
        Document identifiers (UTF-8 bytes), ascending inside a topic.
    top_level : int
        Highest level of the full qrels over all topics, kept when topics are selected.
    tied : float64 array (n_systems,)
        Share of a run's retrieved documents whose score another document of the same list has too; NaN where no
        scores were seen.
    groups : tuple of str or None
        Group (team, model family) of every system.
    pooled : bool array (n_systems,) or None
        Which runs built the pool that was judged.
    retrieved : RetrievedDocuments or None
        Every retrieved document, on request (``retrieved="all"``).
    notes : tuple of str
        What reading had to say.
    """

    systems: tuple[str, ...] = field()  # a field of its own in the place of the inherited property; so below
    topics: tuple[str, ...] = field()
    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    judgments: NDArray[np.int32]
    n_retrieved: NDArray[np.int32] = field()
    topic_offsets: NDArray[np.int64]
    levels: NDArray[np.int16]
    full_levels: NDArray[np.int16]
    document_ids: Identifiers
    top_level: int
    tied: NDArray[np.float64]
    groups: tuple[str, ...] | None = None
    pooled: NDArray[np.bool_] | None = None
    retrieved: RetrievedDocuments | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def n_judgments(self) -> int:
        """Number of lines in the qrels."""
        return len(self.levels)

    @property
    def topic_of_judgment(self) -> NDArray[np.int64]:
        """Topic position of every judgment."""
        return np.repeat(np.arange(self.n_topics), np.diff(self.topic_offsets))

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which documents of `levels` count as judged now."""
        return is_judged(self.levels)

    @property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant documents (level above 0) of every topic now."""
        return self._per_topic(self.levels > 0)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a run lacks a topic that has something relevant in the full qrels, shape (n_systems, n_topics)."""
        return (self.n_retrieved == 0) & (self._per_topic(self.full_levels > 0) > 0)[None]

    @property
    def by_document(self) -> "Collection":
        """The collection as whole documents: itself. Collections of elements and passages answer with their own."""
        return self

    def documents(self, topic: str) -> list[str]:
        """Return the document identifiers of one topic, in the order of its levels."""
        position = positions([topic], self.topics, "topic")[0]
        part = self.document_ids[self.topic_offsets[position] : self.topic_offsets[position + 1]]
        return [name.decode() for name in part.tolist()]

    def _with(self, **changes: Any) -> Self:  # noqa: ANN401 - any field of a Collection
        return replace(self, **changes)

    def _part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Self:
        lists = self._lists(rows, columns)
        topic_offsets, kept = take_segments(self.topic_offsets, columns)
        moved = renumbered(kept, self.n_judgments)
        offsets, entries = take_segments(self.offsets, lists)
        return replace(
            self,
            systems=tuple(self.systems[row] for row in rows),
            topics=tuple(self.topics[column] for column in columns),
            offsets=offsets,
            ranks=self.ranks[entries],
            judgments=moved[self.judgments[entries]],
            n_retrieved=self.n_retrieved[np.ix_(rows, columns)],
            topic_offsets=topic_offsets,
            levels=self.levels[kept],
            full_levels=self.full_levels[kept],
            document_ids=self.document_ids[kept],
            tied=self.tied[rows],
            groups=None if self.groups is None else tuple(self.groups[row] for row in rows),
            pooled=None if self.pooled is None else self.pooled[rows],
            retrieved=None if self.retrieved is None else _take_retrieved(self.retrieved, lists, moved, len(kept)),
        )

    def unjudged_share(self, depth: int = _TOP) -> NDArray[np.float64]:
        """Return the share of unjudged documents among each run's top `depth`, over all topics, shape (n_systems,).

        Topics with nothing judged under the current levels are left out; a run with no list at all has NaN.
        """
        counted = self._per_topic(self.judged) > 0
        top = (self.ranks <= depth) & self.judged[self.judgments]
        filled = np.concatenate([[0], np.cumsum(top)])
        judged = np.diff(filled[self.offsets]).reshape(self.n_systems, self.n_topics)[:, counted].sum(axis=1)
        shown = np.minimum(self.n_retrieved, depth)[:, counted].sum(axis=1)
        return np.where(shown > 0, 1.0 - judged / np.maximum(shown, 1), np.nan)

    def statistics(self) -> "CollectionStatistics":
        """Describe the collection: topics, judgments per level, groups, runs, ties, unjudged documents."""
        present = [int(level) for level in np.unique(self.levels[self.judged])]
        columns = {f"level {level}": self._per_topic(self.levels == level) for level in present}
        per_topic = pd.DataFrame(
            {"judged": self._per_topic(self.judged), "relevant": self.n_relevant, **columns},
            index=pd.Index(self.topics, name="topic"),
        )
        per_system = pd.DataFrame(
            {
                "topics": (self.n_retrieved > 0).sum(axis=1),
                "retrieved": self.n_retrieved.sum(axis=1, dtype=np.int64),
                "tied": self.tied,
                "unjudged_at_10": self.unjudged_share(_TOP),
            },
            index=pd.Index(self.systems, name="system"),
        )
        return CollectionStatistics(
            n_topics=self.n_topics,
            n_topics_with_relevant=int((self.n_relevant > 0).sum()),
            n_systems=self.n_systems,
            n_groups=None if self.groups is None else len(set(self.groups)),
            n_pooled=None if self.pooled is None else int(self.pooled.sum()),
            n_missing=int(self.missing.sum()),
            per_topic=per_topic,
            per_system=per_system,
        )

    def _per_topic(self, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.diff(np.concatenate([[0], np.cumsum(marked, dtype=np.int64)])[self.topic_offsets])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectionStatistics:
    """What a collection holds, for the head of a report.

    Attributes
    ----------
    n_topics, n_topics_with_relevant, n_systems : int
        Sizes.
    n_groups, n_pooled : int or None
        Number of groups and of pooled runs, where they are known.
    n_missing : int
        Lists that are empty although the topic has something relevant.
    per_topic : pandas.DataFrame
        Index ``topic``; number of documents ``judged``, ``relevant`` and at each level (``level 2``).
    per_system : pandas.DataFrame
        Index ``system``; ``topics`` answered, documents ``retrieved``, share of ``tied`` scores, share
        ``unjudged_at_10`` of the top ten.
    """

    n_topics: int
    n_topics_with_relevant: int
    n_systems: int
    n_groups: int | None
    n_pooled: int | None
    n_missing: int
    per_topic: pd.DataFrame
    per_system: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return one row a quantity: its total (where a sum means something), mean, minimum and maximum."""
        counts = {
            "topics": self.n_topics,
            "topics with something relevant": self.n_topics_with_relevant,
            "runs": self.n_systems,
            "groups": self.n_groups,
            "pooled runs": self.n_pooled,
            "empty lists": self.n_missing,
        }
        rows = [{"quantity": name, "total": float(count)} for name, count in counts.items() if count is not None]
        rows += [_summary(f"{name} per topic", column, total=True) for name, column in self.per_topic.items()]
        labels = {
            "retrieved": "retrieved per run",
            "tied": "share of tied scores per run",
            "unjudged_at_10": "share unjudged in the top 10 per run",
        }
        rows += [_summary(label, self.per_system[name], total=name == "retrieved") for name, label in labels.items()]
        return pd.DataFrame(rows, columns=["quantity", "total", "mean", "min", "max"])


def collection_from_rankings(
    rankings: Mapping[str, Mapping[str, Sequence[str]]],
    qrels: Mapping[str, Mapping[str, int]],
    *,
    retrieved: Retrieved = "judged",
) -> Collection:
    """Compile lists that are in order already: for each system and topic the documents, best first.

    Parameters
    ----------
    rankings : mapping of system to mapping of topic to sequence of document identifiers
        Topics that are not in the qrels are ignored and noted.
    qrels : mapping of topic to mapping of document to level
    retrieved : {"judged", "all"}
        Also keep every retrieved document (`Collection.retrieved`).

    Returns
    -------
    Collection
        ``tied`` is NaN, since there are no scores.

    Raises
    ------
    InvalidOptionError
        If a document stands twice in a list, a level is no whole number, or there is no system, no topic or no topic
        in common.

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
        message = "there is no run; give at least one"
        raise InvalidOptionError(message)

    def listed() -> Iterator[RetrievedLines]:
        for system, given in rankings.items():
            lists = {str(topic): names for topic, names in given.items()}
            documents = [str(name).encode() for names in lists.values() for name in names]
            codes = np.repeat(np.arange(len(lists)), [len(names) for names in lists.values()])
            yield RetrievedLines(str(system), documents, list(lists), codes, np.zeros(len(documents)))

    return collection_of_lines(judged, listed(), order="input", retrieved=retrieved)


class RetrievedLines(NamedTuple):
    """The retrieved documents of one run, as Python objects.

    Attributes
    ----------
    system : str
    documents : sequence of bytes (n_lines,)
        Identifiers.
    topics : sequence of str
        Names of the topics answered.
    topic_codes : integer array (n_lines,)
        Which of `topics` each line belongs to.
    keys : float64 array (n_lines,)
        What lists are ordered by, descending.
    """

    system: str
    documents: Sequence[bytes]
    topics: Sequence[str]
    topic_codes: NDArray[np.integer]
    keys: NDArray[np.float64]

    def laid_out(self, known: Sequence[str]) -> Lines:
        """Return what `rank_documents` takes; `known` are the topics of the judgments."""
        place = {topic: number for number, topic in enumerate(known)}
        lists = np.array([place.setdefault(topic, len(place)) for topic in self.topics], dtype=np.int64)
        lengths = np.fromiter(map(len, self.documents), dtype=np.int64, count=len(self.documents))
        return Lines(
            text=np.frombuffer(b"".join(self.documents), dtype=np.uint8),
            starts=np.cumsum(lengths) - lengths,
            lengths=lengths,
            keys=self.keys,
            lists=lists[self.topic_codes],
            n_lists=len(place),
        )


def collection_of_lines(
    judgments: Judgments, runs: Iterable[RetrievedLines], *, order: Order, retrieved: Retrieved
) -> Collection:
    """Rank runs that come as Python objects, and put them together with their judgments.

    Raises
    ------
    InvalidOptionError
        If a document stands twice in a list, two documents share a rank with ``order="rank"``, or runs and judgments
        have no topic in common.
    """
    table, others = JudgedDocuments.of(judgments), OtherDocuments()
    ranked: dict[str, RankedRun] = {}
    answered: set[str] = set()
    for run in runs:
        lines = run.laid_out(judgments.topics)
        try:
            own = rank_documents(lines, table, n_topics=len(judgments.topics), order=order, retrieved=retrieved)
        except RankingProblem as problem:
            raise _repetition_error(run.system, lines, problem) from None
        ranked[run.system] = complete_codes(own, others, len(judgments.levels))
        answered.update(run.topics)
    return assemble_collection(judgments, ranked, answered, n_codes=len(judgments.levels) + others.n_codes)


def _repetition_error(system: str, lines: Lines, problem: RankingProblem) -> InvalidOptionError:
    """Say which document stands twice in a run that came as Python objects, or which two share a rank."""
    start, length = int(lines.starts[problem.second]), int(lines.lengths[problem.second])
    name = lines.text[start : start + length].tobytes().decode()
    if problem.kind == "document":
        return InvalidOptionError(f"run {system!r} has document {name!r} twice in one topic; keep one")
    rank = -lines.keys[problem.second]
    return InvalidOptionError(
        f"run {system!r} has two documents at rank {rank:g} of one topic, the second {name!r}; ranks must be unique "
        "with order='rank'"
    )


def assemble_collection(
    judgments: Judgments,
    runs: Mapping[str, RankedRun],
    answered: Iterable[str],
    *,
    n_codes: int,
    notes: tuple[str, ...] = (),
) -> Collection:
    """Put ranked runs and their judgments together.

    Parameters
    ----------
    judgments : Judgments
    runs : mapping of system to RankedRun
        With codes for every document, or without codes in all of them.
    answered : iterable of str
        Topics that any run answers, also those without judgments.
    n_codes : int
        Codes lie below it.
    notes : tuple of str
        What reading had to say.

    Raises
    ------
    InvalidOptionError
        If runs and judgments have no topic in common.
    """
    ranked = list(runs.values())
    levels = np.maximum(judgments.levels, np.int16(NOT_POOLED + 1))  # what has a line was pooled
    n_retrieved = np.stack([run.n_retrieved for run in ranked]).astype(np.int32)
    codes = [run.codes for run in ranked if run.codes is not None]
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
        top_level=max(int(levels.max()), 0),
        tied=np.array([run.tied for run in ranked]),
        retrieved=RetrievedDocuments(offsets=_offsets(n_retrieved), codes=np.concatenate(codes), n_codes=n_codes)
        if codes
        else None,
        notes=(*notes, *_notes_of_levels(judgments.levels)),
    )
    return _with_foreign_topics(collection, answered)


def warn_of_ties(collection: Collection) -> None:
    """Warn once, two calls up, if scores leave much of some run's order to the document identifiers.

    Warns
    -----
    CollectionWarning
        If more than a tenth of the documents of a run are tied.
    """
    many = [
        (share, name) for share, name in zip(collection.tied, collection.systems, strict=True) if share > _MANY_TIES
    ]
    if not many:
        return
    worst = first_few(sorted(many, reverse=True), write=lambda one: f"{one[1]} {one[0]:.0%}")
    message = (
        f"in {len(many)} of {collection.n_systems} runs more than {_MANY_TIES:.0%} of the documents have tied scores "
        f"({worst}); ties are ordered by document identifier, descending, as in "
        "trec_eval; order='rank' or 'input' takes the runs' own order"
    )
    warn(message, CollectionWarning, stacklevel=3)


def judgments_from(qrels: Mapping[str, Mapping[str, int]]) -> Judgments:
    """Compile judgments given as a mapping of topic to mapping of document to level.

    Raises
    ------
    InvalidOptionError
        If there is no judgment, or a level is no 16-bit whole number.
    """
    by_name = {str(topic): part for topic, part in qrels.items()}
    topics = natural_order(by_name)
    ordered = [sorted((str(doc).encode(), level) for doc, level in by_name[topic].items()) for topic in topics]
    if not any(ordered):
        message = "there is no judgment; qrels must hold a level for at least one document"
        raise InvalidOptionError(message)
    documents = [doc for part in ordered for doc, _ in part]
    if any(doc.endswith(b"\0") for doc in documents):
        message = "a document identifier ends in a zero byte, which arrays of bytes cannot hold; rename it"
        raise InvalidOptionError(message)
    return Judgments(
        topics=tuple(topics),
        topic_offsets=np.cumsum([0, *map(len, ordered)], dtype=np.int64),
        document_ids=identifier_array(documents),
        levels=as_levels(np.array([level for part in ordered for _, level in part])),
    )


def is_judged(levels: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Say which levels are judgments: 0 and above. A negative one is none, as trec_eval has it, whatever its size.

    Examples
    --------
    >>> is_judged(np.array([2, 0, -1, -2])).tolist()
    [True, True, False, False]
    """
    return levels >= 0


def _notes_of_levels(levels: NDArray[np.int16]) -> list[str]:
    """Say which levels below -1 there are: some tools take spam at -2 as judged non-relevant."""
    present, counts = np.unique(levels[levels < UNJUDGED], return_counts=True)
    if not len(present):
        return []
    named = ", ".join(f"{level} ({count:,})" for level, count in zip(present.tolist(), counts.tolist(), strict=True))
    note = (
        f"documents at negative levels count as pooled but not judged, as in trec_eval: {named}; give them level 0 to "
        "count them as judged non-relevant"
    )
    return [note]


def _offsets(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _take_retrieved(
    retrieved: RetrievedDocuments, lists: NDArray[np.int64], moved: NDArray[np.int32], n_kept: int
) -> RetrievedDocuments:
    offsets, entries = take_segments(retrieved.offsets, lists)
    recoded = np.concatenate([moved, np.arange(n_kept, n_kept + retrieved.n_codes - len(moved), dtype=np.int32)])
    return RetrievedDocuments(offsets=offsets, codes=recoded[retrieved.codes[entries]], n_codes=len(recoded))


def _summary(label: str, column: pd.Series, *, total: bool) -> dict[str, object]:
    return {
        "quantity": label,
        "total": float(column.sum()) if total else np.nan,
        "mean": column.mean(),
        "min": column.min(),
        "max": column.max(),
    }


def _with_foreign_topics(collection: Collection, topics: Iterable[str]) -> Collection:
    answered = set(topics)
    foreign = natural_order(answered - set(collection.topics))
    if len(foreign) == len(answered):
        message = (
            f"runs and qrels have no topic in common: runs answer {first_few(foreign)}, the qrels judge "
            f"{first_few(collection.topics)}; topics are matched by their id as written"
        )
        raise InvalidOptionError(message)
    if not foreign:
        return collection
    note = f"topics of the runs without judgments, ignored: {len(foreign)} ({first_few(foreign)})"
    return replace(collection, notes=(*collection.notes, note))
