"""What collections of documents, elements and passages share: names, groups, and judgments that can be changed.

Judgments are passed on documents, whatever the runs retrieve. So every collection has a side that is a collection of
documents (`JudgedCollection.by_document`), and names, groups, levels and notes stand there, once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.scores import Missing

if TYPE_CHECKING:
    from metaeval.collection.documents import Collection

Retrieved = Literal["judged", "all"]
"""Whether a collection holds the judged documents of every run alone, or all that were retrieved, which pools need."""

_LEVELS = np.iinfo(np.int16)
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedCollection(Result, ABC):
    """Runs and judgments of one test collection: of documents, elements or passages."""

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
                f"levels must hold one level per judgment, shape {self.by_document.levels.shape}, not {array.shape}"
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
            If a name stands twice or nothing would be left.
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
            If a name stands twice or no run would be left.

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
        kept = [name for name in self.systems if name not in set(names)]
        if not kept:
            raise InvalidOptionError(f"no run would be left to score: {first_few(names)} are all there are")
        building = rows if self.pooled is None else rows[self.pooled[rows]]
        return self._with(pool_runs=self.by_document.pooled_with(building)).select(systems=kept)

    def with_notes(self, notes: Iterable[str]) -> Self:
        """Return the collection with more to say (`notes`)."""
        return self._with(notes=(*self.notes, *notes))

    def handle_missing(self, missing: Missing = "zero") -> Self:
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
        check_choice(missing, "rule for missing topics", ("zero", "error", "drop-systems", "drop-topics"))
        lacking = self.missing
        if not lacking.any():
            return self
        rows = np.flatnonzero(lacking.any(axis=1))
        worst = [f"{self.systems[row]!r} lacks {lacking[row].sum()} of {self.n_topics} topics" for row in rows]
        text = first_few(worst, between="; ")
        if missing == "error":
            raise ScoresError(f"{text}; pass missing='zero', 'drop-systems' or 'drop-topics'")
        if missing == "zero":
            return self._with(
                notes=(*self.notes, *self._unanswered(), f"empty lists, scored 0: {lacking.sum():,} ({text})")
            )
        axis, names = (1, self.systems) if missing == "drop-systems" else (0, self.topics)
        gone = lacking.any(axis=axis)
        if gone.all():
            raise ScoresError(f"missing={missing!r} would leave nothing: {text}; pass missing='zero'")
        kind = missing.removeprefix("drop-")
        left = self.select(**{kind: [name for name, out in zip(names, gone, strict=True) if not out]})
        dropped = ", ".join(name for name, out in zip(names, gone, strict=True) if out)
        return left._with(notes=(*self.notes, f"{kind} dropped: {int(gone.sum())} ({dropped}), since {text}"))  # noqa: SLF001 - its own part

    def _unanswered(self) -> list[str]:
        """Name the topics that no run answers: those of other runs, or of another part of the collection."""
        topics = [topic for topic, out in zip(self.topics, self.missing.all(axis=0), strict=True) if out]
        ways = "every run scores 0 there, and missing='drop-topics' leaves them out"
        several = len(self.systems) > 1
        return (
            [f"topics that no run answers: {len(topics):,} ({first_few(topics)}); {ways}"] if topics and several else []
        )

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
        names = None if groups is None else _looked_up(_mapping(groups, "groups"), self.systems, "groups")
        if pooled is not None and not isinstance(pooled, Mapping | pd.Series):
            chosen = set(_chosen_names(pooled, "pooled"))
            others = () if self.by_document.pool_runs is None else self.by_document.pool_runs.systems
            for name in sorted(chosen - {*self.systems, *others}):
                check_choice(name, "system", self.systems)
            pooled = {name: name in chosen for name in self.systems}
        marks = None if pooled is None else _looked_up(_mapping(pooled, "pooled"), self.systems, "pooled")
        pool_runs = self.by_document.pool_runs
        if names is not None and pool_runs is not None:
            own = _looked_up(_mapping(groups or {}, "groups"), pool_runs.systems, "groups")
            pool_runs = replace(pool_runs, groups=tuple(map(str, own)))
        return self._with(
            pool_runs=pool_runs,
            groups=self.groups if names is None else tuple(map(str, names)),
            pooled=self.pooled if marks is None else np.array([_as_truth(mark) for mark in marks], dtype=bool),
        )


def as_levels(levels: NDArray[np.integer]) -> NDArray[np.int16]:
    """Return levels of judgments in the 16 bits that hold them.

    Examples
    --------
    >>> as_levels(np.array([2, 0, -1]))
    array([ 2,  0, -1], dtype=int16)
    """
    if levels.dtype.kind not in "iu":
        raise InvalidOptionError(f"levels must be whole numbers, not {levels.dtype}; regrade takes real-valued grades")
    if levels.size and (levels.min() < _LEVELS.min or levels.max() > _LEVELS.max):
        message = f"levels must lie from {_LEVELS.min} to {_LEVELS.max}; these reach {levels.min()} to {levels.max()}"
        raise InvalidOptionError(message)
    return levels.astype(np.int16)


def _chosen_names(names: Iterable[str], what: str) -> list[str]:
    if isinstance(names, str):
        message = f"{what} must be a sequence of names, not the single string {names!r}; write [{names!r}]"
        raise InvalidOptionError(message)
    return [str(name) for name in names]


def positions(names: Iterable[str] | None, known: tuple[str, ...], kind: str) -> NDArray[np.int64]:
    """Return where the names stand, each once; all of them for None."""
    if names is None:
        return np.arange(len(known))
    chosen = _chosen_names(names, f"{kind}s")
    place = {name: number for number, name in enumerate(known)}
    for name in chosen:
        if name not in place:
            raise UnknownNameError(kind, name, known)
    if not chosen or len(set(chosen)) < len(chosen):
        raise InvalidOptionError(f"{kind}s must name at least one {kind}, each once, not {chosen!r}")
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


def renumbered(kept: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """Return for each of `size` places where it comes to stand when only the `kept` ones stay, -1 for nowhere.

    Examples
    --------
    >>> renumbered(np.array([3, 1]), 4)
    array([-1,  1, -1,  0], dtype=int32)
    """
    moved = np.full(size, -1, dtype=np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    return moved


def _looked_up[T](table: Mapping[str, T], systems: tuple[str, ...], what: str) -> list[T]:
    absent = [name for name in systems if name not in table]
    if absent:
        covered = f"{len(systems) - len(absent)} of {len(systems)} systems"
        raise InvalidOptionError(f"{what}= covers {covered}; absent: {first_few(absent)}")
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
        raise InvalidOptionError(f"pooled= must say yes or no (true or false, 1 or 0) for every system, not {value!r}")
    return truth
