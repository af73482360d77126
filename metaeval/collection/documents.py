"""Collections of whole documents: per system and topic the ranks of the judged documents, compiled once.

Every measure depends only on the judged documents of a ranked list and their ranks. So a `Collection` keeps those
alone, as ragged arrays, and re-judging it is a change of one small vector.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.collection.ranking import (
    Identifiers,
    JudgedDocuments,
    Judgments,
    Lines,
    OtherDocuments,
    RankedRun,
    RankingProblem,
    complete_codes,
    identifier_array,
    rank_documents,
)
from metaeval.errors import InvalidOptionError, MetaevalWarning, ScoresError, UnknownNameError
from metaeval.scores import Missing, natural_order

__all__ = [
    "NOT_POOLED",
    "UNJUDGED",
    "Collection",
    "CollectionStatistics",
    "CollectionWarning",
    "Judgments",
    "RetrievedDocuments",
    "assemble_collection",
    "collection_from_rankings",
    "judgments_from",
    "lines_of",
    "repetition_error",
    "take_segments",
    "warn_of_ties",
]

UNJUDGED = -1
NOT_POOLED = int(np.iinfo(np.int16).min)
_TOP = 10
_SHOWN = 5
_MANY_TIES = 0.1
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


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
class Collection:
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
        Current level of every document with a line in the qrels. `UNJUDGED` (-1) is pooled but not judged,
        `NOT_POOLED` is not even pooled; every other negative level is judged non-relevant.
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
        Every retrieved document, on request (``keep="all"``).
    notes : tuple of str
        What reading had to say.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    judgments: NDArray[np.int32]
    n_retrieved: NDArray[np.int32]
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
    def n_systems(self) -> int:
        """Number of runs."""
        return len(self.systems)

    @property
    def n_topics(self) -> int:
        """Number of topics, those with nothing relevant included."""
        return len(self.topics)

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
        return (self.levels != UNJUDGED) & (self.levels != NOT_POOLED)

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
        position = _positions([topic], self.topics, "topic")[0]
        part = self.document_ids[self.topic_offsets[position] : self.topic_offsets[position + 1]]
        return [name.decode() for name in part.tolist()]

    def rejudge(self, levels: NDArray[np.integer]) -> "Collection":
        """Return the same runs under other judgments.

        Parameters
        ----------
        levels : integer array (n_judgments,)
            The new level of every document of the qrels; `UNJUDGED` for one dropped from the judgments but pooled,
            `NOT_POOLED` for one that was not even pooled.

        Raises
        ------
        InvalidOptionError
            If the number of levels differs, or a level is no 16-bit whole number.
        """
        array = np.asarray(levels)
        if array.shape != self.levels.shape:
            message = f"levels must hold one level per judgment, shape {self.levels.shape}, not {array.shape}"
            raise InvalidOptionError(message)
        return replace(self, levels=_as_levels(array))

    def select(self, *, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> "Collection":
        """Return a part of the collection, in the order named; `top_level` stays that of the whole.

        Parameters
        ----------
        systems, topics : iterable of str, optional
            Names to keep; all of them by default.

        Raises
        ------
        UnknownNameError
            If a name is not in the collection.
        InvalidOptionError
            If a name stands twice or nothing would be left.
        """
        rows = _positions(systems, self.systems, "system")
        columns = _positions(topics, self.topics, "topic")
        lists = (rows[:, None] * self.n_topics + columns).ravel()
        topic_offsets, kept = take_segments(self.topic_offsets, columns)
        moved = np.full(self.n_judgments, -1, dtype=np.int32)
        moved[kept] = np.arange(len(kept), dtype=np.int32)
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

    def handle_missing(self, missing: Missing = "zero") -> "Collection":
        """Decide what happens where a run lacks a topic that has something relevant.

        Parameters
        ----------
        missing : {"zero", "error", "drop-systems", "drop-topics"}
            "zero" leaves the collection as it is (such a list is empty, so every measure gives 0) and notes the
            count; the others refuse, or drop the runs or topics concerned and note which.

        Raises
        ------
        ScoresError
            With "error", naming the runs and topics; or if dropping leaves nothing.
        """
        if missing not in (choices := ("zero", "error", "drop-systems", "drop-topics")):
            raise UnknownNameError("rule for missing topics", str(missing), choices)
        lacking = self.missing
        if not lacking.any():
            return self
        rows = np.flatnonzero(lacking.any(axis=1))
        worst = [f"{self.systems[row]!r} lacks {lacking[row].sum()} of {self.n_topics} topics" for row in rows]
        text = "; ".join(worst[:_SHOWN]) + (f"; and {len(worst) - _SHOWN} runs more" if len(worst) > _SHOWN else "")
        if missing == "error":
            message = f"{text}; pass missing='zero', 'drop-systems' or 'drop-topics'"
            raise ScoresError(message)
        if missing == "zero":
            return replace(self, notes=(*self.notes, f"empty lists, scored 0: {int(lacking.sum())} ({text})"))
        axis, names = (1, self.systems) if missing == "drop-systems" else (0, self.topics)
        gone = lacking.any(axis=axis)
        if gone.all():
            message = f"missing={missing!r} would leave nothing: {text}; pass missing='zero'"
            raise ScoresError(message)
        kind = missing.removeprefix("drop-")
        left = self.select(**{kind: [name for name, out in zip(names, gone, strict=True) if not out]})
        dropped = ", ".join(name for name, out in zip(names, gone, strict=True) if out)
        return replace(left, notes=(*self.notes, f"{kind} dropped: {int(gone.sum())} ({dropped}), since {text}"))

    def with_groups(
        self,
        groups: Mapping[str, str] | pd.Series | None = None,
        *,
        pooled: Mapping[str, bool] | pd.Series | Iterable[str] | None = None,
    ) -> "Collection":
        """Return the collection with a group for every system, or with the systems that built the pool.

        Parameters
        ----------
        groups : mapping of str to str, or Series indexed by system, optional
            Group of every system; other names in it are ignored.
        pooled : mapping of str to bool, Series indexed by system, or iterable of str, optional
            Whether a system built the pool ("yes" and "no" are understood), or the names of those that did.

        Raises
        ------
        InvalidOptionError
            If a system has no group, or `pooled` leaves one out or holds something else than yes and no.
        """
        names = None if groups is None else _looked_up(_mapping(groups, "groups"), self.systems, "groups")
        if pooled is not None and not isinstance(pooled, Mapping | pd.Series):
            chosen = set(_chosen_names(pooled, "pooled"))
            if unknown := sorted(chosen - set(self.systems)):
                raise UnknownNameError("system", unknown[0], self.systems)
            pooled = {name: name in chosen for name in self.systems}
        marks = None if pooled is None else _looked_up(_mapping(pooled, "pooled"), self.systems, "pooled")
        return replace(
            self,
            groups=self.groups if names is None else tuple(map(str, names)),
            pooled=self.pooled if marks is None else np.array([_as_truth(mark) for mark in marks], dtype=bool),
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
    keep_all: bool = False,
) -> Collection:
    """Compile lists that are in order already: for each system and topic the documents, best first.

    Parameters
    ----------
    rankings : mapping of system to mapping of topic to sequence of document identifiers
        Topics that are not in the qrels are ignored and noted.
    qrels : mapping of topic to mapping of document to level
    keep_all : bool
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
    table, others = JudgedDocuments.of(judged), OtherDocuments()
    runs: dict[str, RankedRun] = {}
    answered: set[str] = set()
    for system, given in rankings.items():
        lists = {str(topic): names for topic, names in given.items()}
        answered.update(lists)
        lines = lines_of(
            [str(name).encode() for names in lists.values() for name in names],
            list(lists),
            np.repeat(np.arange(len(lists)), [len(names) for names in lists.values()]),
            known=judged.topics,
        )
        try:
            run = rank_documents(lines, table, n_topics=len(judged.topics), order="input", keep_all=keep_all)
        except RankingProblem as problem:
            raise repetition_error(str(system), lines, problem) from None
        runs[str(system)] = complete_codes(run, others, len(judged.levels))
    return assemble_collection(judged, runs, answered, n_codes=len(judged.levels) + others.n_codes)


def lines_of(
    documents: Sequence[bytes],
    topics: Sequence[str],
    topic_codes: NDArray[np.integer],
    *,
    known: Sequence[str],
    keys: NDArray[np.float64] | None = None,
) -> Lines:
    """Lay out retrieved documents that come as Python objects for `rank_documents`.

    Parameters
    ----------
    documents : sequence of bytes (n_lines,)
        Identifiers.
    topics : sequence of str
        Names of the topics.
    topic_codes : integer array (n_lines,)
        Which of `topics` each line belongs to.
    known : sequence of str
        Topics of the qrels.
    keys : float64 array (n_lines,), optional
        What lists are ordered by, descending; not needed for lists in order.
    """
    place = {topic: number for number, topic in enumerate(known)}
    lists = np.array([place.setdefault(topic, len(place)) for topic in topics], dtype=np.int64)
    lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
    return Lines(
        text=np.frombuffer(b"".join(documents), dtype=np.uint8),
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        keys=np.zeros(len(documents)) if keys is None else keys,
        lists=lists[topic_codes],
        n_lists=len(place),
    )


def repetition_error(system: str, lines: Lines, problem: RankingProblem) -> InvalidOptionError:
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
        levels=judgments.levels,
        full_levels=judgments.levels,
        document_ids=judgments.document_ids,
        top_level=max(int(judgments.levels.max()), 0),
        tied=np.array([run.tied for run in ranked]),
        retrieved=RetrievedDocuments(offsets=_offsets(n_retrieved), codes=np.concatenate(codes), n_codes=n_codes)
        if codes
        else None,
        notes=notes,
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
    worst = ", ".join(f"{name} {share:.0%}" for share, name in sorted(many, reverse=True)[:_SHOWN])
    message = (
        f"in {len(many)} of {collection.n_systems} runs more than {_MANY_TIES:.0%} of the documents have tied scores "
        f"({worst}{', …' if len(many) > _SHOWN else ''}); ties are ordered by document identifier, descending, as in "
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
        levels=_as_levels(np.array([level for part in ordered for _, level in part])),
    )


def _as_levels(levels: NDArray[np.integer]) -> NDArray[np.int16]:
    if levels.dtype.kind not in "iu":
        message = f"levels must be whole numbers, not {levels.dtype}"
        raise InvalidOptionError(message)
    if levels.size and (levels.min() < NOT_POOLED or levels.max() > -NOT_POOLED - 1):
        message = (
            f"levels must lie from {NOT_POOLED} to {-NOT_POOLED - 1}; these reach {levels.min()} to {levels.max()}"
        )
        raise InvalidOptionError(message)
    return levels.astype(np.int16)


def _offsets(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _chosen_names(names: Iterable[str], what: str) -> list[str]:
    if isinstance(names, str):
        message = f"{what} must be a sequence of names, not the single string {names!r}; write [{names!r}]"
        raise InvalidOptionError(message)
    return [str(name) for name in names]


def _positions(names: Iterable[str] | None, known: tuple[str, ...], kind: str) -> NDArray[np.int64]:
    if names is None:
        return np.arange(len(known))
    chosen = _chosen_names(names, f"{kind}s")
    place = {name: number for number, name in enumerate(known)}
    for name in chosen:
        if name not in place:
            raise UnknownNameError(kind, name, known)
    if not chosen or len(set(chosen)) < len(chosen):
        message = f"{kind}s must name at least one {kind}, each once, not {chosen!r}"
        raise InvalidOptionError(message)
    return np.array([place[name] for name in chosen], dtype=np.int64)


def take_segments(
    offsets: NDArray[np.int64], segments: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets of chosen segments put one after another, and the places of their entries.

    Examples
    --------
    >>> take_segments(np.array([0, 2, 5]), np.array([1, 0]))
    (array([0, 3, 5]), array([2, 3, 4, 0, 1]))
    """
    lengths = np.diff(offsets)[segments]
    taken = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return taken, np.arange(taken[-1]) + np.repeat(offsets[:-1][segments] - taken[:-1], lengths)


def _take_retrieved(
    retrieved: RetrievedDocuments, lists: NDArray[np.int64], moved: NDArray[np.int32], n_kept: int
) -> RetrievedDocuments:
    offsets, entries = take_segments(retrieved.offsets, lists)
    recoded = np.concatenate([moved, np.arange(n_kept, n_kept + retrieved.n_codes - len(moved), dtype=np.int32)])
    return RetrievedDocuments(offsets=offsets, codes=recoded[retrieved.codes[entries]], n_codes=len(recoded))


def _looked_up[T](table: Mapping[str, T], systems: tuple[str, ...], what: str) -> list[T]:
    absent = [name for name in systems if name not in table]
    if absent:
        shown = ", ".join(absent[:_SHOWN]) + (" …" if len(absent) > _SHOWN else "")
        message = f"{what}= covers {len(systems) - len(absent)} of {len(systems)} systems; absent: {shown}"
        raise InvalidOptionError(message)
    return [table[name] for name in systems]


def _mapping(table: Mapping[str, Any] | pd.Series, what: str) -> Mapping[str, Any]:
    if not isinstance(table, pd.Series):
        return table
    if not table.index.is_unique:
        message = f"{what}= names system {table.index[table.index.duplicated()][0]!r} twice; keep one line"
        raise InvalidOptionError(message)
    return {str(name): value for name, value in table.items()}


def _as_truth(value: object) -> bool:
    truth = _TRUTH.get(str(value).casefold())
    if truth is None:
        message = f"pooled= must say yes or no (true or false, 1 or 0) for every system, not {value!r}"
        raise InvalidOptionError(message)
    return truth


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
            f"runs and qrels have no topic in common: runs answer {', '.join(foreign[:_SHOWN])}, the qrels judge "
            f"{', '.join(collection.topics[:_SHOWN])}; topics are matched by their id as written"
        )
        raise InvalidOptionError(message)
    if not foreign:
        return collection
    shown = ", ".join(foreign[:_SHOWN]) + (" …" if len(foreign) > _SHOWN else "")
    note = f"topics of the runs without judgments, ignored: {len(foreign)} ({shown})"
    return replace(collection, notes=(*collection.notes, note))
