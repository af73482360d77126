"""From the lines of a run to ranks of judged documents: order the lists, refuse repetitions, look documents up.

As in `metaeval.collection.document_codes`, nothing here makes a Python object per line. Why this is no table of
another package stands in docs/contributing.md.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.collection.base import Retrieved
from metaeval.collection.document_codes import (
    JudgedDocuments,
    OtherDocuments,
    UnjudgedDocuments,
    copied_documents,
    find_documents,
    hash_documents,
    judged_ranks,
    same_bytes,
    slot_of,
)
from metaeval.running.compiled import compiled, compiled_part

Order = Literal["score", "ties-ascending", "rank", "input"]
"""How a list is ordered: by score with ties by identifier, descending or ascending; by rank; or as the lines stand."""

_LONG = 2**16
_SHOWN = 100


class Lines(NamedTuple):
    """Retrieved documents of one run in the order given."""

    text: NDArray[np.uint8]
    """Holds the document identifiers."""
    starts: Ints
    lengths: Ints
    """Where in `text` each identifier stands. Shape (n_lines,)."""
    keys: Floats
    """What the lists are ordered by, descending: the score, or minus the rank. Shape (n_lines,)."""
    lists: Ints
    """Which list each line belongs to: the topic's position, or the number of topics and more for topics that are not
    in the qrels. Shape (n_lines,)."""
    n_lists: int
    """Lists are numbered below it."""


class RankedRun(NamedTuple):
    """One run against the judgments, list after list in the order of the topics."""

    n_retrieved: Ints
    n_judged: Ints
    """Length of every list, and of its judged part. Shape (n_topics,)."""
    ranks: NDArray[np.int32]
    """Rank of every judged document in its list, from 1."""
    judgments: NDArray[np.int32]
    """Which judgment it is."""
    tied: float = np.nan
    """Share of documents whose score another document of the list has too; NaN where scores did not order it."""
    codes: NDArray[np.int32] | None = None
    """On request, the judgment of every retrieved document, -1 for the unjudged."""
    unjudged: UnjudgedDocuments | None = None
    """On request, the documents with code -1."""
    strange: Sequence[bytes] = ()
    """Where no document is judged, the first of them as they are written."""
    first: NDArray[np.int32] | None = None
    """Of runs of elements and passages, with `codes`: the rank of each document's first result."""

    def completed(self, others: OtherDocuments, n_judgments: int) -> "RankedRun":
        """Give the documents without judgments codes that are the same in every run."""
        if self.codes is None or self.unjudged is None:
            return self
        codes = self.codes.copy()
        codes[codes < 0] = n_judgments + others.add(self.unjudged)
        return self._replace(codes=codes, unjudged=None)


class RankingProblem(Exception):  # noqa: N818 - never leaves the package: readers turn it into an error with a place
    """Two lines of one list, at the positions `first` and `second`, that share what `kind` says: document or rank."""

    def __init__(self, kind: str, first: int, second: int) -> None:
        super().__init__(f"lines {first} and {second} share a {kind}")
        self.kind, self.first, self.second = kind, first, second


def rank_documents(
    lines: Lines, table: JudgedDocuments, *, n_topics: int, order: Order = "score", retrieved: Retrieved = "judged"
) -> RankedRun:
    """Put the lists of one run in order and find the judged documents in them."""
    hashes = hash_documents(lines.text, lines.starts, lines.lengths)
    sequence, bounds = ordered_lists(lines, order, hashes=hashes)
    bounds = bounds[: n_topics + 1]
    judged = (table.text, table.offsets, table.hashes, table.slots, table.slot_bounds)
    codes = find_documents(lines.text, lines.starts, lines.lengths, hashes, sequence, bounds, *judged)
    ranks, judgments, n_judged = judged_ranks(codes, bounds)
    every = retrieved == "all"
    shown = () if n_judged.any() else sequence[:_SHOWN].tolist()
    return RankedRun(
        n_retrieved=np.diff(bounds),
        n_judged=n_judged,
        ranks=ranks,
        judgments=judgments,
        tied=tied_share(lines.keys, sequence, bounds) if order in {"score", "ties-ascending"} else np.nan,
        codes=codes if every else None,
        unjudged=_unjudged(lines, sequence, bounds, codes) if every else None,
        strange=[lines.text[(at := lines.starts[one]) : at + lines.lengths[one]].tobytes() for one in shown],
    )


def ordered_lists(lines: Lines, order: Order, *, hashes: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Return the lines list by list and best first, and where in that sequence each list begins (and the last ends)."""
    counts, in_order = list_sizes(lines.lists, lines.n_lists)
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    sequence = np.arange(len(lines.lists)) if in_order else np.argsort(lines.lists, kind="stable")
    first, second = first_repetition(lines.text, lines.starts, lines.lengths, hashes, sequence, bounds)
    if second >= 0:
        raise RankingProblem("document", int(first), int(second))
    if order != "input":
        ascending = order == "ties-ascending"
        if counts.max(initial=0) > _LONG:
            sequence = _sorted_in_blocks(lines, sequence, ascending=ascending)
        else:
            sort_lists(lines.text, lines.starts, lines.lengths, lines.keys, sequence, bounds, ascending)
    if order == "rank":
        first, second = first_equal_keys(lines.keys, sequence, bounds)
        if second >= 0:
            raise RankingProblem("rank", int(first), int(second))
    return sequence, bounds


def _sorted_in_blocks(lines: Lines, sequence: Ints, *, ascending: bool) -> Ints:
    """Do what `sort_lists` does for very long lists, where reading identifiers from all over a file takes the time."""
    sequence = sequence[np.lexsort((-lines.keys[sequence], lines.lists[sequence]))]
    keys, lists, lengths = lines.keys[sequence], lines.lists[sequence], lines.lengths[sequence]
    new = np.flatnonzero((keys[1:] != keys[:-1]) | (lists[1:] != lists[:-1])) + 1
    blocks = np.concatenate([[0], new, [len(sequence)]]).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    text = copied_documents(lines.text, lines.starts[sequence], offsets)
    text.flags.writeable = False  # as the bytes of a file are, so that kernels are compiled for one kind of text
    within = np.arange(len(sequence))
    sort_lists(text, offsets[:-1], lengths, keys, within, blocks, ascending)
    return sequence[within]


def _unjudged(lines: Lines, sequence: Ints, bounds: Ints, codes: NDArray[np.int32]) -> UnjudgedDocuments:
    absent = np.flatnonzero(codes < 0)
    chosen = sequence[absent]
    offsets = np.concatenate([[0], np.cumsum(lines.lengths[chosen])]).astype(np.int64)
    topics = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))[absent]
    return UnjudgedDocuments(copied_documents(lines.text, lines.starts[chosen], offsets), offsets, topics)


@compiled
def list_sizes(lists: Ints, n_lists: int) -> tuple[Ints, bool]:
    """Return how many lines each list has, and whether list follows list."""
    counts = np.zeros(n_lists, dtype=np.int64)
    in_order = True
    before = 0
    for line in range(len(lists)):
        number = lists[line]
        counts[number] += 1
        in_order &= before <= number
        before = number
    return counts, in_order


@compiled
def first_repetition(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    text: NDArray[np.uint8], starts: Ints, lengths: Ints, hashes: NDArray[np.uint64], sequence: Ints, bounds: Ints
) -> tuple[int, int]:
    """Return the first line that repeats a document of its list, after the line it repeats; (-1, -1) if none does."""
    longest = 1
    for number in range(len(bounds) - 1):
        longest = max(longest, bounds[number + 1] - bounds[number])
    n_slots = 2
    while n_slots < 4 * longest:
        n_slots *= 2
    slots = np.full(n_slots, -1, dtype=np.int64)
    owner = np.full(n_slots, -1, dtype=np.int64)
    mask = np.uint64(n_slots - 1)
    earlier, later = -1, -1
    for number in range(len(bounds) - 1):
        for position in range(bounds[number], bounds[number + 1]):
            line = sequence[position]
            slot = slot_of(hashes[line], mask)
            while owner[slot] == number:
                previous = slots[slot]
                if hashes[previous] == hashes[line] and same_bytes(
                    text,
                    starts[line],
                    starts[line] + lengths[line],
                    text,
                    starts[previous],
                    starts[previous] + lengths[previous],
                ):
                    if later < 0 or line < later:
                        earlier, later = previous, line
                    break
                slot = (slot + np.uint64(1)) & mask
            else:
                owner[slot] = number
                slots[slot] = line
    return earlier, later


@compiled
def first_equal_keys(keys: Floats, sequence: Ints, bounds: Ints) -> tuple[int, int]:
    """Return two lines of one list with the same key, the later one as early as possible; (-1, -1) if none."""
    earlier, later = -1, -1
    for number in range(len(bounds) - 1):
        for position in range(bounds[number] + 1, bounds[number + 1]):
            previous, current = sequence[position - 1], sequence[position]
            last = max(previous, current)
            if keys[previous] == keys[current] and (later < 0 or last < later):
                earlier, later = min(previous, current), last
    return earlier, later


@compiled
def tied_share(keys: Floats, sequence: Ints, bounds: Ints) -> float:
    """Return the share of lines whose key a neighbour in the ordered list has too; 0 if there are no lines."""
    tied = 0
    for number in range(len(bounds) - 1):
        first, stop = bounds[number], bounds[number + 1]
        for position in range(first, stop):
            key = keys[sequence[position]]
            before = position > first and keys[sequence[position - 1]] == key
            after = position + 1 < stop and keys[sequence[position + 1]] == key
            if before or after:
                tied += 1
    return tied / max(bounds[-1], 1)


@compiled_part
def _goes_before(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    text: NDArray[np.uint8],
    starts: Ints,
    lengths: Ints,
    keys: Floats,
    one: int,
    other: int,
    ascending: bool,  # noqa: FBT001 - likewise
) -> bool:
    if keys[one] != keys[other]:
        return keys[one] > keys[other]
    if ascending:
        one, other = other, one
    for step in range(min(lengths[one], lengths[other])):
        left, right = text[starts[one] + step], text[starts[other] + step]
        if left != right:
            return left > right
    return lengths[one] > lengths[other]


@compiled
def sort_lists(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    text: NDArray[np.uint8],
    starts: Ints,
    lengths: Ints,
    keys: Floats,
    sequence: Ints,
    bounds: Ints,
    ascending: bool,  # noqa: FBT001 - likewise
) -> None:
    """Order every list in place by key, descending, then by identifier, descending or ascending.

    A merge sort of the runs already in order: most files come sorted, and then this is one pass.
    """
    spare = np.empty_like(sequence)
    for number in range(len(bounds) - 1):
        begin, end = bounds[number], bounds[number + 1]
        while True:
            n_merges = 0
            left = begin
            while left < end:
                middle = _end_of_sorted(text, starts, lengths, keys, sequence, left, end, ascending)
                if middle == end:
                    break
                right = _end_of_sorted(text, starts, lengths, keys, sequence, middle, end, ascending)
                for position in range(left, middle):
                    spare[position] = sequence[position]
                from_left, from_right = left, middle
                for position in range(left, right):
                    if from_left >= middle:
                        break
                    if from_right < right and _goes_before(
                        text, starts, lengths, keys, sequence[from_right], spare[from_left], ascending
                    ):
                        sequence[position] = sequence[from_right]
                        from_right += 1
                    else:
                        sequence[position] = spare[from_left]
                        from_left += 1
                n_merges += 1
                left = right
            if n_merges == 0:
                break


@compiled_part
def _end_of_sorted(  # noqa: PLR0913, PLR0917 - a kernel takes plain arrays
    text: NDArray[np.uint8],
    starts: Ints,
    lengths: Ints,
    keys: Floats,
    sequence: Ints,
    begin: int,
    end: int,
    ascending: bool,  # noqa: FBT001 - likewise
) -> int:
    position = begin + 1
    while position < end:
        previous, current = sequence[position - 1], sequence[position]
        # most neighbours differ in their key: no need to look at identifiers
        if keys[previous] <= keys[current] and _goes_before(text, starts, lengths, keys, current, previous, ascending):
            break
        position += 1
    return position
