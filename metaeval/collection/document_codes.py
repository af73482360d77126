"""Documents by their identifiers: judgments and other documents, found through tables of hashes.

Documents stay bytes in one buffer throughout; nothing here makes a Python object per line. Identity of documents is
decided by comparing their bytes; a hash only says where to look.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.base import take_segments
from metaeval.collection.grades import grade_values
from metaeval.collection.subtopics import Subtopics
from metaeval.running.compiled import compiled, compiled_part

WORD_BYTES = 8
"""How many bytes `word_at` takes at once."""

type Identifiers = NDArray[np.bytes_] | NDArray[np.object_]
"""Document identifiers (UTF-8): bytes of one width, or Python bytes where one width would waste memory."""
_PRIME = np.uint64(0x100000001B3)
_BASIS = np.uint64(0xCBF29CE484222325)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)
_MOST_PADDING = 8
_SMALL = 2**20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RetrievedDocuments(ShortRepr):
    """Every document that was retrieved, judged or not, best first."""

    offsets: Ints
    """List number system * n_topics + topic is ``codes[offsets[i]:offsets[i + 1]]``. Shape (n_systems * n_topics +
    1,)."""
    codes: NDArray[np.int32]
    """The same code is the same document of the same topic. A code below the collection's ``n_judgments`` is the
    position of that document in ``levels``; a document without a line in the qrels has a higher one. Shape
    (n_retrieved,)."""
    n_codes: int
    """Codes lie below it."""
    first: NDArray[np.int32] | None = None
    """Of runs of elements and passages: the rank of each document's first result. Shape (n_retrieved,)."""

    def taken(self, lists: Ints, moved: NDArray[np.int32]) -> Self:
        """Return the documents of these lists, by their new codes."""
        offsets, entries = take_segments(self.offsets, lists)
        return replace(
            self,
            offsets=offsets,
            codes=moved[self.codes[entries]],
            n_codes=int(moved.max(initial=-1)) + 1,
            first=None if self.first is None else self.first[entries],
        )


class Judgments(NamedTuple):
    """The compiled qrels of a collection: topics in natural order, documents of a topic in order of their id."""

    topics: tuple[str, ...]
    topic_offsets: Ints
    """The judgments of topic t stand at ``topic_offsets[t]:topic_offsets[t + 1]``. Shape (n_topics + 1,)."""
    document_ids: Identifiers
    """Ascending inside a topic; see `identifier_array`."""
    levels: NDArray[np.int16]
    """Shape (n_judgments,)."""
    notes: tuple[str, ...] = ()
    """What reading them had to say."""
    grades: Floats | None = None
    """The grade of every level from 0, where grades are not whole; None where levels are the grades."""
    subtopics: Subtopics | None = None
    """The same by subtopic, where the judgments have them; the level of a document is then its highest."""

    @property
    def numbers(self) -> Floats:
        """Grade of every document; a negative one is no judgment."""
        return grade_values(self.levels, self.grades)


class UnjudgedDocuments(NamedTuple):
    """Retrieved documents that have no judgment: identifiers (``text[offsets[i]:offsets[i + 1]]``) and topics."""

    text: NDArray[np.uint8]
    offsets: Ints
    topics: Ints


@dataclass(frozen=True, slots=True, eq=False)
class JudgedDocuments(ShortRepr):
    """Where to find the judgment of a document; looking up changes nothing, so threads may share it."""

    text: NDArray[np.uint8]
    offsets: Ints
    hashes: NDArray[np.uint64]
    """Identifier ``text[offsets[j]:offsets[j + 1]]`` and hash of every judgment j."""
    slots: NDArray[np.int32]
    """Judgments by hash, one table a topic, open addressing with linear probing; -1 is free."""
    slot_bounds: Ints
    """Where the table of each topic begins; its size is a power of two, at least twice the judgments. Shape (n_topics
    + 1,)."""

    @classmethod
    def of(cls, judgments: Judgments) -> Self:
        """Lay the judgments out for `rank_documents`."""
        names = judgments.document_ids.tolist()
        lengths = np.fromiter(map(len, names), dtype=np.int64, count=len(names))
        text = np.frombuffer(b"".join(names), dtype=np.uint8)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        hashes = hash_documents(text, offsets[:-1], lengths)
        sizes = [_slots_for(count) for count in np.diff(judgments.topic_offsets).tolist()]
        slot_bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        slots = np.full(slot_bounds[-1], -1, dtype=np.int32)
        enter_by_hash(hashes, judgments.topic_offsets, slots, slot_bounds)
        return cls(text, offsets, hashes, slots, slot_bounds)


@dataclass(slots=True, eq=False)
class OtherDocuments(ShortRepr):
    """Codes of (topic, document) in the order in which they are added."""

    text: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    offsets: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    topics: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """Identifier ``text[offsets[code]:offsets[code + 1]]``, topic and hash of every code; room for more at the end."""
    slots: NDArray[np.int32] = field(default_factory=lambda: np.full(2, -1, dtype=np.int32))
    """Codes by hash: one table, its size a power of two, at least twice the codes; -1 is free."""
    n_codes: int = 0
    """Codes in use."""

    def add(self, documents: UnjudgedDocuments) -> NDArray[np.int32]:
        """Return the code of every document, giving new ones to those not seen before."""
        self._make_room(len(documents.topics), len(documents.text))
        hashes = hash_documents(documents.text, documents.offsets[:-1], np.diff(documents.offsets))
        entered = (self.text, self.offsets, self.topics, self.hashes, self.slots, self.n_codes)
        text, offsets, topics = documents
        codes, self.n_codes = add_documents(text, offsets, topics, _with_topic(hashes, topics), *entered)
        return codes

    def _make_room(self, n_new: int, n_bytes: int) -> None:
        needed = self.n_codes + n_new
        if needed > len(self.topics):
            more = 2 * needed - len(self.topics)
            self.topics = np.concatenate([self.topics, np.empty(more, dtype=np.int64)])
            self.hashes = np.concatenate([self.hashes, np.empty(more, dtype=np.uint64)])
            self.offsets = np.concatenate([self.offsets, np.empty(more, dtype=np.int64)])
        used = int(self.offsets[self.n_codes])
        if used + n_bytes > len(self.text):
            self.text = np.concatenate([self.text, np.empty(2 * (used + n_bytes) - len(self.text), dtype=np.uint8)])
        if _slots_for(needed) > len(self.slots):
            self.slots = np.full(_slots_for(needed), -1, dtype=np.int32)
            bounds = np.array([0, self.n_codes]), np.array([0, len(self.slots)])
            enter_by_hash(self.hashes, bounds[0], self.slots, bounds[1])


def identifier_array(names: Sequence[bytes]) -> Identifiers:
    """Return identifiers as an array that indexing, comparing and ``tolist`` work on alike, whichever kind it is.

    Arrays of one width are compact for the identifiers of real collections, which are about equally long. One of a
    megabyte among many short ones would ask for a megabyte each, so such names stay Python objects.

    Examples
    --------
    >>> identifier_array([b"d1", b"d10"]).dtype, identifier_array([b"d1"] * 9 + [b"x" * 10**6]).dtype
    (dtype('S3'), dtype('O'))
    """
    lengths = [len(name) for name in names]
    if max(lengths, default=0) * len(names) <= _MOST_PADDING * sum(lengths) + _SMALL:
        return np.array(names, dtype=np.bytes_)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _slots_for(n_codes: int) -> int:
    return 1 << (2 * max(n_codes, 1) - 1).bit_length()


def _with_topic(hashes: NDArray[np.uint64], topics: Ints) -> NDArray[np.uint64]:
    return (hashes ^ (topics.astype(np.uint64) * _SPREAD)) * _MIX


@compiled_part
def slot_of(code_hash: np.uint64, mask: np.uint64) -> np.uint64:
    """Return where a table of so many slots is first looked into."""
    return (code_hash ^ (code_hash >> _HALF)) & mask


@compiled_part
def same_bytes(one: NDArray[np.uint8], start: int, stop: int, other: NDArray[np.uint8], first: int, last: int) -> bool:  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    """Say whether two pieces of text are the same."""
    if stop - start != last - first:
        return False
    while stop - start >= WORD_BYTES:
        if word_at(one, start) != word_at(other, first):
            return False
        start += WORD_BYTES
        first += WORD_BYTES
    for step in range(stop - start):  # noqa: SIM110 - compiled
        # an index without sign needs no check for being negative
        if one[np.uint64(start + step)] != other[np.uint64(first + step)]:
            return False
    return True


@compiled_part
def word_at(text: NDArray[np.uint8], place: int) -> np.uint64:
    """Return eight bytes as one number, the first the lowest; the compiler makes one instruction of it."""
    at = np.uint64(place)
    return (
        np.uint64(text[at])
        | np.uint64(text[at + np.uint64(1)]) << np.uint64(8)
        | np.uint64(text[at + np.uint64(2)]) << np.uint64(16)
        | np.uint64(text[at + np.uint64(3)]) << np.uint64(24)
        | np.uint64(text[at + np.uint64(4)]) << np.uint64(32)
        | np.uint64(text[at + np.uint64(5)]) << np.uint64(40)
        | np.uint64(text[at + np.uint64(6)]) << np.uint64(48)
        | np.uint64(text[at + np.uint64(7)]) << np.uint64(56)
    )


@compiled
def hash_documents(text: NDArray[np.uint8], starts: Ints, lengths: Ints) -> NDArray[np.uint64]:
    """Return the 64-bit FNV-1a hash of every identifier."""
    hashes = np.empty(len(starts), dtype=np.uint64)
    for line in range(len(starts)):
        value = _BASIS
        for position in range(starts[line], starts[line] + lengths[line]):
            value = (value ^ np.uint64(text[np.uint64(position)])) * _PRIME
        hashes[line] = value
    return hashes


@compiled
def enter_by_hash(hashes: NDArray[np.uint64], bounds: Ints, slots: NDArray[np.int32], slot_bounds: Ints) -> None:
    """Enter the codes ``bounds[i]:bounds[i + 1]`` into the free table ``slots[slot_bounds[i]:slot_bounds[i + 1]]``."""
    for number in range(len(bounds) - 1):
        table = slots[slot_bounds[number] : slot_bounds[number + 1]]
        mask = np.uint64(len(table) - 1)
        for code in range(bounds[number], bounds[number + 1]):
            slot = slot_of(hashes[code], mask)
            while table[slot] >= 0:
                slot = (slot + np.uint64(1)) & mask
            table[slot] = code


@compiled
def find_documents(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    text: NDArray[np.uint8],
    starts: Ints,
    lengths: Ints,
    hashes: NDArray[np.uint64],
    sequence: Ints,
    bounds: Ints,
    known_text: NDArray[np.uint8],
    known_offsets: Ints,
    known_hashes: NDArray[np.uint64],
    slots: NDArray[np.int32],
    slot_bounds: Ints,
) -> NDArray[np.int32]:
    """Return the judgment of every document of the lists in `sequence`, one a topic, -1 where there is none."""
    codes = np.empty(bounds[-1], dtype=np.int32)
    for topic in range(len(bounds) - 1):
        table = slots[slot_bounds[topic] : slot_bounds[topic + 1]]
        mask = np.uint64(len(table) - 1)
        for position in range(bounds[topic], bounds[topic + 1]):
            line = sequence[position]
            slot = slot_of(hashes[line], mask)
            code = table[slot]
            start, stop = starts[line], starts[line] + lengths[line]
            while code >= 0 and not (
                known_hashes[code] == hashes[line]
                and same_bytes(text, start, stop, known_text, known_offsets[code], known_offsets[code + 1])
            ):
                slot = (slot + np.uint64(1)) & mask
                code = table[slot]
            codes[position] = code
    return codes


@compiled
def judged_ranks(codes: NDArray[np.int32], bounds: Ints) -> tuple[NDArray[np.int32], NDArray[np.int32], Ints]:
    """Return rank and judgment of every judged document, list after list, and how many each list has."""
    ranks, judgments = np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int32)
    n_judged = np.zeros(len(bounds) - 1, dtype=np.int64)
    n_found = 0
    for topic in range(len(bounds) - 1):
        before = n_found
        for position in range(bounds[topic], bounds[topic + 1]):
            ranks[n_found], judgments[n_found] = position - bounds[topic] + 1, codes[position]
            n_found += codes[position] >= 0  # what is not judged is written over
        n_judged[topic] = n_found - before
    return ranks[:n_found].copy(), judgments[:n_found].copy(), n_judged


@compiled
def add_documents(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    text: NDArray[np.uint8],
    offsets: Ints,
    topics: Ints,
    hashes: NDArray[np.uint64],
    known_text: NDArray[np.uint8],
    known_offsets: Ints,
    known_topics: Ints,
    known_hashes: NDArray[np.uint64],
    slots: NDArray[np.int32],
    n_codes: int,
) -> tuple[NDArray[np.int32], int]:
    """Return the code of every document, entering those the table lacks, and how many codes it has then."""
    mask = np.uint64(len(slots) - 1)
    codes = np.empty(len(topics), dtype=np.int32)
    for line in range(len(topics)):
        start, stop = offsets[line], offsets[line + 1]
        slot = slot_of(hashes[line], mask)
        code = slots[slot]
        while code >= 0 and not (
            known_hashes[code] == hashes[line]
            and known_topics[code] == topics[line]
            and same_bytes(text, start, stop, known_text, known_offsets[code], known_offsets[code + 1])
        ):
            slot = (slot + np.uint64(1)) & mask
            code = slots[slot]
        if code < 0:
            code = n_codes
            slots[slot] = code
            known_hashes[code], known_topics[code] = hashes[line], topics[line]
            first = known_offsets[code]
            for step in range(stop - start):
                known_text[first + step] = text[start + step]
            known_offsets[code + 1] = first + stop - start
            n_codes += 1
        codes[line] = code
    return codes, n_codes


@compiled
def copied_documents(text: NDArray[np.uint8], starts: Ints, offsets: Ints) -> NDArray[np.uint8]:
    """Return the identifiers that begin at `starts`, one after the other, divided at `offsets`."""
    copied = np.empty(offsets[-1], dtype=np.uint8)
    for line in range(len(starts)):
        for step in range(offsets[line + 1] - offsets[line]):
            copied[offsets[line] + step] = text[starts[line] + step]
    return copied
