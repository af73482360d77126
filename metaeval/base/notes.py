"""Notes, which say beside an answer what was left out or assumed, and what programs know them by whatever their words.

A note is text. One that anything depends on has a class of its own, which copies, pickles and our files keep.
"""

from collections.abc import Iterable, Mapping
from typing import Self


class Remark(str):
    """A note that explains and changes no number: of all notes, `--quiet` hides these alone."""

    __slots__ = ()


class KeptGaps(str):
    """How many scores are missing where gaps are kept: said anew of every part of the scores."""

    __slots__ = ()


class SettledGaps(str):  # noqa: SLOT000 - it has an attribute
    """What was made of missing scores: counted as 0, or dropped."""

    brief: str
    """The same without names."""

    def __new__(cls, words: str, brief: str = "") -> Self:
        """Return the note, which is its own short form where it has no other."""
        note = super().__new__(cls, words)
        note.brief = brief or words
        return note


class AboutItems(str):
    """What the items of the scores are, which does not hold of means over several."""

    __slots__ = ()


_KINDS: Mapping[str, type[str]] = {kind.__name__: kind for kind in (Remark, KeptGaps, SettledGaps, AboutItems)}


def reworded(note: str, words: str) -> str:
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
        {"kind": type(note).__name__, "words": str(note), **getattr(note, "__dict__", {})}
        if type(note).__name__ in _KINDS
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
