"""Notes, which say beside an answer what was left out or assumed, and what programs know them by whatever their words.

A note is text. One that anything depends on has a class of its own, which copies, pickles, our files, `str` and words
added before or behind it keep. No f-string can: the tests let none have such a note.
"""

import json
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Self

_LISTS = frozenset({"notes", "sources", "arrival"})
"""Attributes of scores that are lists of texts."""
_LONGEST = 10**7


class KindOfNote(str):
    """A note that programs know by its class."""

    __slots__ = ()

    def __str__(self) -> Self:
        return self

    def __add__(self, behind: str) -> Self:
        return reworded(self, super().__add__(behind))

    def __radd__(self, before: str) -> Self:
        return reworded(self, before + str.__str__(self))


class Remark(KindOfNote):
    """A note that explains and changes no number: of all notes, `--quiet` hides these alone."""

    __slots__ = ()


class CalledAsFile(Remark):
    """That a metric has no name of its own."""

    __slots__ = ()


class PooledJudges(KindOfNote):
    """That the votes of several judges count as one kind's: not where each judge's are taken apart."""

    __slots__ = ()


class OneSidedVoter(KindOfNote):
    """That a voter goes by the side: where each voter's votes are taken apart, the page itself says so."""

    __slots__ = ()


class UnseenErrors(KindOfNote):
    """That too few judges say anything to see which errors they share: none of them can be left out."""

    __slots__ = ()


class FixedSides(KindOfNote):
    """That every pair of systems had the same one on the left: sides and systems cannot be told apart."""

    __slots__ = ()


class MadeJudge(KindOfNote):
    """That a judge's labels are made of those of others."""

    judge: str

    def __new__(cls, words: str, judge: str = "") -> Self:
        """Return the note on a judge."""
        note = super().__new__(cls, words)
        note.judge = judge
        return note


class UnsaidDirection(KindOfNote):
    """That more is taken to be better under metrics whose names do not say so: not where these are judges."""

    __slots__ = ()


class KeptGaps(KindOfNote):
    """How many scores are missing where gaps are kept: said anew of every part of the scores."""

    __slots__ = ()


class SettledGaps(KindOfNote):
    """What was made of missing scores: counted as 0, or dropped."""

    brief: str
    """The same without names."""

    def __new__(cls, words: str, brief: str = "") -> Self:
        """Return the note, which is its own short form where it has no other."""
        note = super().__new__(cls, words)
        note.brief = brief or words
        return note


class AboutItems(KindOfNote):
    """What the items of the scores are, which does not hold of means over several."""

    __slots__ = ()


class ItemErrors(KindOfNote):
    """What items are of which files give standard errors: whole tasks with many answers each."""

    errors: Mapping[str, Mapping[str, Mapping[str, float]]]
    """Metric to system to item to the standard error of the score there."""

    def __new__(cls, words: str, errors: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None) -> Self:
        """Return the note with what the files give."""
        note = super().__new__(cls, words)
        note.errors = errors or {}
        return note


class CorpusMeans(KindOfNote):
    """What rates of errors are of a whole corpus, where topics weigh by a column of sizes that was left out."""

    by: str
    """The column."""
    means: Mapping[str, Mapping[str, float]]
    """Metric to system to weighted mean."""

    def __new__(cls, words: str, by: str = "", means: Mapping[str, Mapping[str, float]] | None = None) -> Self:
        """Return the note with the means."""
        note = super().__new__(cls, words)
        note.by, note.means = by, means or {}
        return note


class OfferedClusters(KindOfNote):
    """That a column which was left out puts topics into groups that may be clusters."""

    column: str
    clusters: Mapping[str, str]
    """Topic to group."""

    def __new__(cls, words: str, column: str = "", clusters: Mapping[str, str] | None = None) -> Self:
        """Return the note with the groups."""
        note = super().__new__(cls, words)
        note.column, note.clusters = column, clusters or {}
        return note


class OfferedQuestions(KindOfNote):
    """That a column which was left out puts votes into groups of one pair each, which may be those of a question."""

    column: str

    def __new__(cls, words: str, column: str = "") -> Self:
        """Return the note with the column."""
        note = super().__new__(cls, words)
        note.column = column
        return note


class TakenClusters(KindOfNote):
    """That a column which is not called so counts as clusters: not where somebody says what these are."""

    __slots__ = ()


class RunVariances(KindOfNote):
    """That scores are means over repeats, and how much runs of the systems differ: `metaeval.table.runs`."""

    runs: Mapping[str, Mapping[str, Mapping[str, float]]]
    """Metric to system to the ``variance`` that runs add to its mean, and its degrees of ``freedom``; of systems with
    several runs also the number of ``repeats``, the variance of a ``run`` (which may come out below 0), that which one
    repeat has in the ``score`` of a topic, and that of the ``means`` of runs over these very topics."""

    def __new__(cls, words: str, runs: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None) -> Self:
        """Return the note with what runs add."""
        note = super().__new__(cls, words)
        note.runs = runs or {}
        return note


class NoRuns(KindOfNote):
    """That repeats are no runs of whole systems: the first of one item has nothing to do with the first of another."""

    __slots__ = ()


_KINDS: Mapping[str, type[KindOfNote]] = {
    kind.__name__: kind for kind in (*KindOfNote.__subclasses__(), *Remark.__subclasses__())
}


HEARD: ContextVar[list[str] | None] = ContextVar("HEARD", default=None)
"""What was told of the data of the call that is being answered."""


def tell(notes: Iterable[str]) -> None:
    """Note what is said of data, for a result that keeps no notes itself."""
    heard = HEARD.get()
    if heard is not None:
        heard.extend(note for note in notes if note not in heard)


def reworded[Note: str](note: Note, words: str) -> Note:
    """Return a note of the same kind in other words.

    Examples
    --------
    >>> type(reworded(Remark("all had names"), "a.csv: all had names")).__name__
    'Remark'
    """
    return type(note)(words, **getattr(note, "__dict__", {}))


def as_stored(notes: Iterable[str]) -> list[object]:
    """Return notes for a file: text, and with its kind where it has one.

    Examples
    --------
    >>> as_stored(["one", Remark("two")])
    ['one', {'kind': 'Remark', 'words': 'two'}]
    >>> from_stored(as_stored([SettledGaps("1 was dropped: x", "1 was dropped")]))[0].brief
    '1 was dropped'
    """
    return [
        {"kind": type(note).__name__, "words": str.__str__(note), **getattr(note, "__dict__", {})}
        if isinstance(note, KindOfNote)
        else str(note)
        for note in notes
    ]


def from_stored(stored: Iterable[object]) -> list[str]:
    """Return the notes that `as_stored` was given; what is no text is written as such."""
    return [_note(entry) for entry in stored]


def storable(attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return attributes of scores as every format of files holds them: lists of texts are written as JSON."""
    return {
        name: json.dumps(as_stored(entry), ensure_ascii=False) if isinstance(entry, list) else entry
        for name, entry in attributes.items()
    }


def from_storable(attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return attributes as they were before a file held them: notes and sources are lists, other texts stay.

    Examples
    --------
    >>> from_storable(storable({"notes": ["one"], "missing": "pairwise"})), from_storable({"notes": "theirs"})
    ({'notes': ['one'], 'missing': 'pairwise'}, {'notes': ['theirs']})
    """
    return {name: _texts(entry) if name in _LISTS else entry for name, entry in attributes.items()}


def _texts(entry: object) -> list[str]:
    if not isinstance(entry, str):
        return [*entry] if isinstance(entry, Iterable) else [str(entry)]
    try:
        listed = json.loads(entry) if entry.startswith("[") and len(entry) < _LONGEST else None
    except (ValueError, RecursionError):
        listed = None
    return from_stored(listed) if isinstance(listed, list) else [entry]


def _note(entry: object) -> str:
    kind = _KINDS.get(str(entry.get("kind"))) if isinstance(entry, Mapping) else None
    if kind is None or not isinstance(entry, Mapping):
        return str(entry)
    words = str(entry.get("words", ""))
    if kind is ItemErrors:
        return ItemErrors(words, _numbers(entry.get("errors"), deep=True))
    if kind is RunVariances:
        return RunVariances(words, _numbers(entry.get("runs"), deep=True))
    if kind is CorpusMeans:
        return CorpusMeans(words, str(entry.get("by", "")), _numbers(entry.get("means"), deep=False))
    if kind is MadeJudge:
        return MadeJudge(words, str(entry.get("judge", "")))
    return SettledGaps(words, str(entry.get("brief", words))) if kind is SettledGaps else kind(words)


def _numbers(stored: Any, *, deep: bool) -> Any:  # noqa: ANN401 - as a file has it
    """Return numbers by the names above them; none where a file holds something else."""
    try:
        return {
            name: _numbers(inside, deep=False) if deep else {below: float(value) for below, value in inside.items()}
            for name, inside in stored.items()
        }
    except (AttributeError, TypeError, ValueError):
        return {}
