"""Notes, which say beside an answer what was left out or assumed, and what programs know them by whatever their words.

A note is text. One that anything depends on has a class of its own, which copies, pickles, our files, `str` and words
added before or behind it keep. No f-string can: the tests let none have such a note.
"""

from collections.abc import Iterable, Mapping
from typing import Self


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


_KINDS: Mapping[str, type[KindOfNote]] = {kind.__name__: kind for kind in KindOfNote.__subclasses__()}


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


def _note(entry: object) -> str:
    kind = _KINDS.get(str(entry.get("kind"))) if isinstance(entry, Mapping) else None
    if kind is None or not isinstance(entry, Mapping):
        return str(entry)
    words = str(entry.get("words", ""))
    return SettledGaps(words, str(entry.get("brief", words))) if kind is SettledGaps else kind(words)
