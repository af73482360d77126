"""Collections of whole documents: per system and topic the ranks of the judged documents, compiled once.

Every measure depends only on the judged documents of a ranked list and their ranks. So a `Collection` keeps those
alone, as ragged arrays, and re-judging it is a change of one small vector.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.collection.base import (
    On,
    Undefined,
    as_levels,
    is_judged,
    looked_up_systems,
    positions,
    renumbered,
    take_segments,
)
from metaeval.collection.document_codes import Identifiers, RetrievedDocuments
from metaeval.collection.grades import coded, grade_values, level_from, levels_reached
from metaeval.collection.pools import PoolRuns, pool_marks, recoded
from metaeval.collection.statistics import CollectionStatistics
from metaeval.collection.subtopics import USUAL_OF_SUBTOPICS, Subtopics
from metaeval.errors import InvalidOptionError, MetaevalWarning, ScoresError
from metaeval.table.scores import Missing

UNJUDGED = -1
NOT_POOLED = int(np.iinfo(np.int16).min)
_USUAL = ("AP", "nDCG@10", "nDCG", "Q", "RBP(p=0.8)", "bpref", "P@10", "RR")
_USUAL_OF_REAL_GRADES = ("nDCG@10", "nDCG", "Q", "RBP(p=0.8)")


class CollectionWarning(MetaevalWarning):
    """Something about the runs or judgments that changes how scores should be read."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedCollection(Result, ABC):
    """Runs and judgments of one test collection: of documents, elements or passages."""

    on: ClassVar[On]
    """What is ranked."""

    @property
    @abstractmethod
    def usual_metrics(self) -> tuple[str, ...]:
        """The measures to take where none are named: for elements and passages those of the campaigns."""

    def _found(self) -> str:
        judgments = count(len(self.by_document.levels), "judged document")
        return f"{count(len(self.systems), 'run')}, {count(len(self.topics), 'topic')}, {judgments}"

    @property
    @abstractmethod
    def by_document(self) -> "Collection":
        """The same runs as lists of documents, each at the rank of its first result; documents give themselves."""

    @property
    @abstractmethod
    def n_retrieved(self) -> NDArray[np.int32]:
        """Number of results of every list, shape (n_systems, n_topics)."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.by_document.systems

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics with judgments in natural order, also those with nothing relevant."""
        return self.by_document.topics

    @property
    def groups(self) -> tuple[str, ...] | None:
        """Group of every run."""
        return self.by_document.groups

    @property
    def pooled(self) -> NDArray[np.bool_] | None:
        """Which runs built the pool that was judged."""
        return self.by_document.pooled

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading and compiling had to say."""
        return self.by_document.notes

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a run lacks a topic that has something relevant in the full judgments, (n_systems, n_topics)."""
        return self.by_document.missing

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which topics count in a mean: all, as in trec_eval; of elements and passages those with something relevant.

        The full judgments say which those are. Shape (n_topics,).
        """
        documents = self.by_document
        return np.ones(self.n_topics, dtype=bool) if documents.undefined == "zero" else documents.has_relevant

    @property
    def n_systems(self) -> int:
        """Number of runs."""
        return len(self.systems)

    @property
    def n_topics(self) -> int:
        """Number of topics, those with nothing relevant included."""
        return len(self.topics)

    @abstractmethod
    def _with(self, **changes: Any) -> Self:  # noqa: ANN401 - any field of a Collection
        """Return the collection with other names, groups, levels or notes."""

    @abstractmethod
    def _part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Self:
        """Return the systems and topics at these positions."""

    @abstractmethod
    def judge_further(self, further: NDArray[np.bool_], topics: NDArray[np.integer]) -> Self:
        """Return the collection with further documents judged and not relevant.

        Parameters
        ----------
        further : bool array (n_codes,)
            By the codes of ``by_document.retrieved``; none that has a line in the judgments.
        topics : integer array (n_codes,)
            Topic position of every document.
        """

    def _lists(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the lists of these systems and topics."""
        return (rows[:, None] * self.n_topics + columns).ravel()

    def rejudge(self, levels: NDArray[np.integer]) -> Self:
        """Return the same runs under other judgments of documents.

        Parameters
        ----------
        levels : integer array (n_judgments,)
            The new level of every document of the judgments (a code, where grades are real-valued: `Collection.grades`;
            `Collection.regrade` takes the numbers); `UNJUDGED` for one dropped from the judgments but
            pooled, `NOT_POOLED` for one that was not even pooled. The elements and the highlighted text of a document
            are all kept if its level is above 0, and all lost otherwise.

        Raises
        ------
        InvalidOptionError
            If the number of levels differs, a level is no 16-bit whole number, or no grade belongs to it.
        """
        array = np.asarray(levels)
        if array.shape != self.by_document.levels.shape:
            raise InvalidOptionError(
                f"`levels` must hold one level per judgment, shape {self.by_document.levels.shape}, not {array.shape}"
            )
        table = self.by_document.grades
        if table is not None and array.size and array.max() >= len(table):
            message = f"level {array.max()} stands for no grade: there are {len(table) - 1} above 0; use regrade"
            raise InvalidOptionError(message)
        return self._with(levels=as_levels(array))

    def select(self, *, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Self:
        """Return a part of the collection, in the order named; the top level of the judgments stays that of the whole.

        Parameters
        ----------
        systems, topics : iterable of str, optional
            Names to keep; all of them by default.

        Raises
        ------
        UnknownNameError
            If a name is not in the collection.
        InvalidOptionError
            If a name appears twice or nothing would be left.
        """
        return self._part(positions(systems, self.systems, "system"), positions(topics, self.topics, "topic"))

    def set_aside(self, systems: Iterable[str]) -> Self:
        """Return the collection without some runs, which stay part of the pool.

        Parameters
        ----------
        systems : iterable of str
            Runs that are not scored, such as those that break a rule of the task and were pooled all the same. They
            count as pooled, unless marks of pooled runs (``with_groups(pooled=…)``) say that they are not.

        Raises
        ------
        UnknownNameError
            If a name is not in the collection.
        InvalidOptionError
            If a name appears twice or no run would be left.

        Examples
        --------
        >>> from metaeval.collection.assembly import collection_from_rankings
        >>> runs = {"a": {"1": ["d1", "d2"]}, "invalid": {"1": ["d3"]}}
        >>> collection = collection_from_rankings(runs, {"1": {"d1": 1, "d3": 0}}, retrieved="all")
        >>> scored = collection.set_aside(["invalid"])
        >>> scored.systems, scored.by_document.pool_runs.systems
        (('a',), ('invalid',))
        """
        names = list(systems)
        if not names:
            return self
        rows = positions(names, self.systems, "system")
        remaining = [name for name in self.systems if name not in set(names)]
        if not remaining:
            raise InvalidOptionError(f"no run would be left to score: {first_few(names)} are all there are")
        building = rows if self.pooled is None else rows[self.pooled[rows]]
        return self._with(pool_runs=self.by_document.pooled_with(building)).select(systems=remaining)

    def with_notes(self, notes: Iterable[str]) -> Self:
        """Return the collection with more to say (`notes`)."""
        return self._with(notes=(*self.notes, *notes))

    def handle_missing(self, missing: Missing = "zero") -> Self:
        """Decide what happens where a run lacks a topic.

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
        check_choice(missing, "rule for missing topics", ("zero", "error", "drop-systems", "drop-topics"))
        lacking = self.n_retrieved == 0 if missing == "drop-topics" else self.missing
        if not lacking.any():
            return self
        rows = np.flatnonzero(lacking.any(axis=1))
        worst = [f"{self.systems[row]!r} lacks {lacking[row].sum()} of {self.n_topics} topics" for row in rows]
        text = first_few(worst, between="; ")
        if missing == "error":
            raise ScoresError(f"{text}; pass `missing='zero'`, `'drop-systems'` or `'drop-topics'`")
        if missing == "zero":
            return self.with_notes([*self._unanswered(), f"empty lists, scored 0: {lacking.sum():,} ({text})"])
        axis, names = (1, self.systems) if missing == "drop-systems" else (0, self.topics)
        gone = lacking.any(axis=axis)
        if gone.all():
            raise ScoresError(f"`missing={missing!r}` would leave nothing: {text}; pass `missing='zero'`")
        kind = missing.removeprefix("drop-")
        left = self.select(**{kind: [name for name, out in zip(names, gone, strict=True) if not out]})
        dropped = ", ".join(name for name, out in zip(names, gone, strict=True) if out)
        return left.with_notes([f"{kind} dropped: {int(gone.sum())} ({dropped}), since {text}"])

    def _unanswered(self) -> list[str]:
        """Name the topics that no run answers: those of other runs, or of another part of the collection."""
        topics = [topic for topic, out in zip(self.topics, self.missing.all(axis=0), strict=True) if out]
        if not topics or len(self.systems) == 1:
            return []
        ways = "every run scores 0 there, and `missing='drop-topics'` leaves them out"
        return [f"topics that no run answers: {len(topics):,} ({first_few(topics)}); {ways}"]

    def with_groups(
        self,
        groups: Mapping[str, str] | pd.Series | None = None,
        *,
        pooled: Mapping[str, bool] | pd.Series | Iterable[str] | None = None,
    ) -> Self:
        """Return the collection with a group for every system, or with the systems that built the pool.

        Parameters
        ----------
        groups : mapping of str to str, or Series indexed by system, optional
            Group of every system, and of the pooled ones that are not scored; other names in it are ignored.
        pooled : mapping of str to bool, Series indexed by system, or iterable of str, optional
            Whether a system built the pool ("yes" and "no" are understood), or the names of those that did.

        Raises
        ------
        InvalidOptionError
            If a system has no group, or `pooled` leaves one out or holds something else than yes and no.
        """
        names = None if groups is None else looked_up_systems(groups, self.systems, "groups")
        pool_runs = self.by_document.pool_runs
        marks = self.pooled if pooled is None else pool_marks(pooled, self.systems, pool_runs)
        if names is not None and pool_runs is not None:
            pool_groups = looked_up_systems({} if groups is None else groups, pool_runs.systems, "groups")
            pool_runs = replace(pool_runs, groups=tuple(map(str, pool_groups)))
        return self._with(
            pool_runs=pool_runs,
            groups=self.groups if names is None else tuple(map(str, names)),
            pooled=marks,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collection(JudgedCollection):
    """Runs and judgments of one test collection."""

    on: ClassVar[On] = "documents"
    systems: tuple[str, ...] = field()  # a field of its own in the place of the inherited property; so below
    """Names of the runs."""
    topics: tuple[str, ...] = field()
    """All topics of the qrels in natural order, also those with nothing relevant."""
    offsets: NDArray[np.int64]
    """List number system * n_topics + topic holds the judged documents ``offsets[i]:offsets[i + 1]``. Shape (n_systems
    * n_topics + 1,)."""
    ranks: NDArray[np.int32]
    """Rank in the full list, from 1, ascending inside a list. Shape (n,)."""
    judgments: NDArray[np.int32]
    """Which judgment: a position in `levels`. Shape (n,)."""
    n_retrieved: NDArray[np.int32] = field()
    """Length of the full list; 0 where the run lacks the topic. Shape (n_systems, n_topics)."""
    topic_offsets: NDArray[np.int64]
    """The judgments of topic t stand at ``topic_offsets[t]:topic_offsets[t + 1]``. Shape (n_topics + 1,)."""
    levels: NDArray[np.int16]
    """Current level of every document with a line in the qrels. A negative level is pooled but not judged
    (`is_judged`), such as `UNJUDGED` (-1); `NOT_POOLED` is not even pooled. Where grades are real-valued these are
    codes, and `numbers` has the grades. Shape (n_judgments,)."""
    full_levels: NDArray[np.int16]
    """The levels of the qrels as read. Shape (n_judgments,)."""
    document_ids: Identifiers
    """Document identifiers (UTF-8 bytes), ascending inside a topic."""
    top_level: int
    """Highest level of the full qrels over all topics, kept when topics are selected."""
    tied: NDArray[np.float64]
    """Share of a run's retrieved documents whose score another document of the same list has too; NaN where no scores
    were seen. Shape (n_systems,)."""
    grades: NDArray[np.float64] | None = None
    """The grade that every level from 0 stands for, ascending, where grades are not all whole; None where levels are
    the grades."""
    subtopics: Subtopics | None = field(default=None, repr=False)
    """The judgments by subtopic, where there are any; a document that is dropped from `levels` is dropped there too."""
    groups: tuple[str, ...] | None = None
    """Group (team, model family) of every system."""
    pooled: NDArray[np.bool_] | None = None
    """Which runs built the pool that was judged. Shape (n_systems,)."""
    retrieved: RetrievedDocuments | None = field(default=None, repr=False)
    """Every retrieved document, on request (``retrieved="all"``)."""
    pool_runs: PoolRuns | None = field(default=None, repr=False)
    """Runs that built the pool and are not scored (`set_aside`)."""
    pool_sizes: NDArray[np.int64] | None = field(default=None, repr=False)
    """Documents judged for each topic, where the qrels do not say it (`metaeval.resampling.pools.with_judged_pool`).
    Shape (n_topics,)."""
    notes: tuple[str, ...] = ()
    """What reading had to say."""
    undefined: Undefined = "zero"
    """What becomes of topics with nothing relevant in the full judgments where no measure or option says it."""

    @property
    def usual_metrics(self) -> tuple[str, ...]:
        """The measures to take where none are named."""
        if self.subtopics is not None:
            return USUAL_OF_SUBTOPICS
        return _USUAL if self.grades is None else _USUAL_OF_REAL_GRADES

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
    def numbers(self) -> NDArray[np.float64]:
        """Grade of every document of `levels` now: the level, or what it stands for. A negative one is no judgment."""
        return grade_values(self.levels, self.grades)

    def level_from(self, rel: float | None) -> int:
        """Return the lowest level that counts as relevant: with a grade of at least `rel`, of any above 0 for None."""
        return 1 if rel is None else level_from(rel, self.grades)

    def regrade(self, grades: NDArray[np.floating]) -> Self:
        """Return the same runs under other grades, whole or real-valued: `rejudge` in numbers.

        Parameters
        ----------
        grades : float array (n_judgments,)
            The new grade of every document of the judgments; NaN for one that is not judged.

        Raises
        ------
        InvalidOptionError
            If the number of grades differs, one lies beyond ±32767, or more than 32,000 distinct ones are not whole.

        Examples
        --------
        >>> from metaeval.collection.assembly import collection_from_rankings
        >>> collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1, "d2": 0}})
        >>> again = collection.regrade(np.array([1.7, np.nan]))
        >>> again.numbers.tolist(), again.grades.tolist()
        ([1.7, -1.0], [0.0, 1.0, 1.7])
        """
        new_grades = np.asarray(grades, dtype=np.float64)
        if new_grades.shape != self.levels.shape:
            raise InvalidOptionError(
                f"`grades` must hold one per judgment, shape {self.levels.shape}, not {new_grades.shape}"
            )
        full = grade_values(self.full_levels, self.grades)
        top = grade_values(np.array([self.top_level]), self.grades)
        # one table for both, so that a level says the same in each
        levels, table = coded(np.concatenate([np.where(np.isnan(new_grades), UNJUDGED, new_grades), full, top]))
        return replace(
            self,
            levels=levels[: len(new_grades)],
            full_levels=levels[len(new_grades) : -1],
            grades=table,
            top_level=int(levels[-1]),
            subtopics=None,  # whose levels the new table does not hold
        )

    def at_thresholds(self, thresholds: Sequence[float]) -> Self:
        """Return the same runs under whole levels: how many of the thresholds the grade of a document reaches.

        Parameters
        ----------
        thresholds : sequence of float
            Ascending, above 0: with ``(0.5, 1.5, 2.5)`` grades are rounded to levels 0 to 3.

        Raises
        ------
        InvalidOptionError
            If there is none, or they do not ascend from above 0.

        Examples
        --------
        >>> from metaeval.collection.assembly import collection_from_rankings
        >>> collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1.7, "d2": 0.2}})
        >>> collection.at_thresholds([0.5, 1.5]).levels.tolist()
        [2, 0]
        """
        reached = levels_reached(thresholds, self.grades)
        return replace(
            self,
            levels=reached(self.levels),
            full_levels=reached(self.full_levels),
            grades=None,
            top_level=int(reached(np.array([self.top_level], dtype=np.int16))[0]),
            subtopics=self.subtopics and replace(self.subtopics, levels=reached(self.subtopics.levels)),
        )

    def with_subtopic_weights(self, weights: Mapping[str, Mapping[str, float]]) -> Self:
        """Return the collection with weights of its subtopics, such as how often each is meant.

        Parameters
        ----------
        weights : mapping of topic to mapping of subtopic to float
            0 or more for every subtopic of the judgments; they count as shares of their topic's sum. Others are noted.

        Raises
        ------
        InvalidOptionError
            If the judgments have no subtopics, or one has no such weight.
        """
        if self.subtopics is None:
            message = "weights are for judgments by subtopic (topic subtopic document grade), and these have none"
            raise InvalidOptionError(message)
        weighted = replace(self, subtopics=self.subtopics.with_weights(weights, self.topics))
        return weighted.with_notes(self.subtopics.idle_weights(weights, self.topics))

    @property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant documents (level above 0) of every topic now."""
        return self._per_topic(self.levels > 0)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a run lacks a topic that has something relevant in the full qrels, shape (n_systems, n_topics)."""
        return (self.n_retrieved == 0) & self.has_relevant[None]

    @property
    def has_relevant(self) -> NDArray[np.bool_]:
        """Which topics have something relevant in the full judgments."""
        return self._per_topic(self.full_levels > 0) > 0

    @property
    def by_document(self) -> "Collection":
        """The collection as whole documents: itself. Collections of elements and passages answer with their own."""
        return self

    def documents(self, topic: str) -> list[str]:
        """Return the document identifiers of one topic, in the order of its levels."""
        position = positions([topic], self.topics, "topic")[0]
        identifiers = self.document_ids[self.topic_offsets[position] : self.topic_offsets[position + 1]]
        return [name.decode() for name in identifiers.tolist()]

    def _with(self, **changes: Any) -> Self:  # noqa: ANN401 - any field of a Collection
        return replace(self, **changes)

    def pooled_with(self, rows: NDArray[np.int64]) -> PoolRuns | None:
        """Return the runs that count in pools alone, with these further ones (`set_aside`)."""
        if not len(rows):
            return self.pool_runs
        lists = self._lists(rows, np.arange(self.n_topics))
        every = self.retrieved
        segments = (self.offsets, self.judgments) if every is None else (every.offsets, every.codes)
        offsets, entries = take_segments(segments[0], lists)
        further = PoolRuns(
            systems=tuple(self.systems[row] for row in rows),
            groups=None if self.groups is None else tuple(self.groups[row] for row in rows),
            n_retrieved=self.n_retrieved[rows],
            offsets=offsets,
            ranks=self.ranks[entries] if every is None else np.zeros(0, dtype=np.int32),
            codes=segments[1][entries],
            first=None if every is None or every.first is None else every.first[entries],
        )
        return further if self.pool_runs is None else self.pool_runs.joined(further)

    def _part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Self:
        lists = self._lists(rows, columns)
        topic_offsets, selected = take_segments(self.topic_offsets, columns)
        n_codes = self.n_judgments if self.retrieved is None else self.retrieved.n_codes
        unjudged = np.arange(len(selected), len(selected) + n_codes - self.n_judgments, dtype=np.int32)
        moved = np.concatenate([renumbered(selected, self.n_judgments), unjudged])
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
            levels=self.levels[selected],
            full_levels=self.full_levels[selected],
            document_ids=self.document_ids[selected],
            tied=self.tied[rows],
            groups=None if self.groups is None else tuple(self.groups[row] for row in rows),
            pooled=None if self.pooled is None else self.pooled[rows],
            retrieved=None if self.retrieved is None else self.retrieved.taken(lists, moved),
            pool_runs=None if self.pool_runs is None else self.pool_runs.on_topics(columns, moved),
            pool_sizes=None if self.pool_sizes is None else self.pool_sizes[columns],
            subtopics=None if self.subtopics is None else self.subtopics.on_topics(columns, selected),
        )

    def judge_further(self, further: NDArray[np.bool_], topics: NDArray[np.integer]) -> Self:
        """Return the collection with these documents (by code) judged and not relevant; see `JudgedCollection`."""
        every = self.retrieved
        if every is None:
            message = "documents without a line in the qrels were not kept; read the collection with `retrieved='all'`"
            raise InvalidOptionError(message)
        new = recoded(self.topic_offsets, further, topics)
        codes = new.moved[every.codes]
        judged = codes < new.topic_offsets[-1]
        counted = np.concatenate([[0], np.cumsum(judged)])
        ranks = np.arange(1, len(codes) + 1) - np.repeat(every.offsets[:-1], np.diff(every.offsets))
        columns = np.arange(self.n_topics)
        return replace(
            self,
            offsets=counted[every.offsets].astype(np.int64),
            ranks=ranks[judged].astype(np.int32),
            judgments=codes[judged],
            topic_offsets=new.topic_offsets,
            levels=new.spread(self.levels, 0),
            full_levels=new.spread(self.full_levels, 0),
            document_ids=new.spread(self.document_ids, b""),  # type: ignore[arg-type]  # of bytes either way
            retrieved=replace(every, codes=codes),
            pool_runs=None if self.pool_runs is None else self.pool_runs.on_topics(columns, new.moved),
            subtopics=None if self.subtopics is None else self.subtopics.with_further(new),
        )

    def unjudged_share(self, depth: int = 10) -> NDArray[np.float64]:
        """Return the share of unjudged documents among each run's top `depth`, over all topics, shape (n_systems,).

        Topics with nothing judged under the current levels are left out; a run with no list at all has NaN.
        """
        counted = self._per_topic(self.judged) > 0
        top = (self.ranks <= depth) & self.judged[self.judgments]
        filled = np.concatenate([[0], np.cumsum(top)])
        judged = np.diff(filled[self.offsets]).reshape(self.n_systems, self.n_topics)[:, counted].sum(axis=1)
        n_top = np.minimum(self.n_retrieved, depth)[:, counted].sum(axis=1)
        return np.where(n_top > 0, 1.0 - judged / np.maximum(n_top, 1), np.nan)

    def statistics(self) -> CollectionStatistics:
        """Describe the collection: topics, judgments per level, groups, runs, ties, unjudged documents."""
        present = [] if self.grades is not None else [int(level) for level in np.unique(self.levels[self.judged])]
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
                "unjudged_at_10": self.unjudged_share(10),
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
