"""Scan the bytes of a TREC file: fields, topics, numbers, and the first line that breaks a rule.

One compiled pass serves every kind of white space, both line ends and any file size, so there is no second parser
that could disagree with it. Why this is no table reader of another package stands in docs/contributing.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.collection.document_codes import same_bytes
from metaeval.errors import FileFormatError
from metaeval.io.decimals import EXACT, EXPONENTS, POWERS, UNSURE, WRONG, read_digits, read_number, scaled
from metaeval.io.files import first_words, text_of
from metaeval.io.repairs import filter_for
from metaeval.io.words import end_of_word, is_blank, start_of_word
from metaeval.running.compiled import compiled

_INFINITE, _TOO_FEW, _TOO_MANY, _RANK, _SHIFTED = range(WRONG + 1, WRONG + 6)
_SPACE, _NEWLINE, _HASH, _MINUS = (ord(sign) for sign in " \n#-")
_SHOWN = 120
_LONGEST_NAME = 1000
_LONGEST_RANK = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class LineLayout:
    """Which column of a file holds what."""

    columns: tuple[str, ...]
    """Names of the columns a line must have, for messages."""
    document: int
    number: int
    """Position of the document identifier and of the number."""
    rank: int
    tag: int
    """Position of a column with a rank and with the system's tag; -1 if there is none."""
    open_ended: bool
    """Whether more columns may follow; then the rank must be a number and the tag none, since an identifier with a
    blank in it would otherwise shift the columns unseen."""
    whole: bool
    """Whether the number must be a whole one."""


RUN = LineLayout(
    columns=("topic", "Q0", "document", "rank", "score", "tag"),
    document=2,
    number=4,
    rank=3,
    tag=5,
    open_ended=True,
    whole=False,
)
QRELS = LineLayout(
    columns=("topic", "iteration", "document", "relevance"),
    document=2,
    number=3,
    rank=-1,
    tag=-1,
    open_ended=False,
    whole=False,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scan:
    """Where everything stands in a file."""

    content: bytes
    """The file, as `metaeval.io.files.text_of` has it."""
    path: str
    """Its name, for messages."""
    starts: Ints
    lengths: Ints
    """Document identifier of every line that is neither empty nor a comment. Shape (n_lines,)."""
    numbers: Floats
    ranks: Floats
    """The number of every line; the ranks are empty unless asked for. Shape (n_lines,)."""
    segment_bounds: Ints
    """Lines of one topic and tag that stand together. Shape (n_segments + 1,)."""
    topics: list[bytes]
    tags: list[bytes]
    """Topic and tag of every segment."""
    n_wide: int
    """Lines with more columns than the layout names."""

    def error(self, line: int, message: str) -> FileFormatError:
        """Return the error that names a line of this scan, by its number in the file, and shows it."""
        return line_error(self.content, int(self.starts[line]), message, self.path)

    def line_number(self, line: int) -> int:
        """Return the number in the file of a line of this scan."""
        return self.content.count(b"\n", 0, int(self.starts[line])) + 1

    def names(self, what: Literal["topic", "tag"]) -> list[str]:
        """Return the topic or tag of every segment as text."""
        names = self.topics if what == "topic" else self.tags
        longest = max(map(len, names))
        if longest > _LONGEST_NAME:
            line = int(self.segment_bounds[[len(name) for name in names].index(longest)])
            raise self.error(line, f"a {what} of {longest:,} bytes; at most {_LONGEST_NAME:,} are read, so shorten it")
        return [name.decode() for name in names]

    def per_line(self, codes: Sequence[int]) -> Ints:
        """Return for every line the number of its segment."""
        return np.repeat(np.array(codes, dtype=np.int64), np.diff(self.segment_bounds))

    def words_behind(self, lines: Ints) -> Floats:
        """Return the word behind the document identifier of some lines as a number, NaN where it is none."""
        ends = (self.starts[lines] + self.lengths[lines]).tolist()
        words = [self.content[end : end + _LONGEST_RANK].split(maxsplit=1)[0] for end in ends]
        return np.array([float(word) if _is_number(word) else np.nan for word in words])

    def words_before(self) -> list[str]:
        """Return the word before the document identifier of every line."""
        starts = self.starts.tolist()
        lines = (self.content[self.content.rfind(b"\n", 0, start) + 1 : start] for start in starts)
        return [line.split()[-1].decode() for line in lines]

    def documents(self, lines: Ints | None = None) -> list[bytes]:
        """Return the document identifiers of some lines, of all by default."""
        chosen = slice(None) if lines is None else lines
        starts, lengths = self.starts[chosen], self.lengths[chosen]
        return [
            self.content[start:stop] for start, stop in zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        ]


def scan(content: bytes, layout: LineLayout, *, path: str, ranked: bool = False) -> Scan:
    """Find topics, documents and numbers of every line."""
    return scan_text(text_of(content, path), layout, path=path, ranked=ranked)


def scan_text(content: bytes, layout: LineLayout, *, path: str, ranked: bool = False) -> Scan:
    """Do what `scan` does for a content that `metaeval.io.files.text_of` has gone over already."""
    columns = (len(layout.columns), layout.document, layout.number, layout.rank, layout.tag)
    starts, lengths, numbers, ranks, segments, unsure, n_wide, problem, offset = scan_lines(
        np.frombuffer(content, dtype=np.uint8),
        len(content) // (2 * len(layout.columns)) + 1,  # no line is shorter; memory is used where it is written
        columns,
        (layout.open_ended, layout.whole, ranked),
        POWERS,
        EXPONENTS,
    )
    overflow, infinite = _settle(content, unsure, numbers, ranks)
    if infinite and (problem == 0 or overflow < offset):
        problem, offset = infinite, overflow
    if problem == WRONG and _is_special(content, int(offset), layout.number):
        problem = _INFINITE
    if problem:
        raise line_error(content, int(offset), _rule(int(problem), layout), path, layout)
    if not len(starts):
        raise FileFormatError(f"no line to read; expected lines with the columns {' '.join(layout.columns)}", path=path)
    return Scan(
        content=content,
        path=path,
        starts=starts,
        lengths=lengths,
        numbers=numbers,
        ranks=ranks,
        segment_bounds=np.append(segments[:, 0], len(starts)),
        topics=[content[start:stop] for start, stop in segments[:, 1:3].tolist()],
        tags=[content[start:stop] for start, stop in segments[:, 3:5].tolist()],
        n_wide=int(n_wide),
    )


def refuse_swapped(content: bytes, wanted: LineLayout, *, path: str) -> None:
    """Refuse a file whose first line is one of judgments where a run is wanted, or the other way round."""
    words = first_words(content)
    if wanted is RUN:
        kinds, layout = ("a file of judgments", "a run"), QRELS
        wrong = len(words) == len(QRELS.columns) and _is_number(words[QRELS.number])
        if wrong and _is_number(words[2]) and not _is_number(words[1]):  # topic, document, rank and score
            return
    else:
        kinds, layout = ("a run", "judgments"), RUN
        wrong = is_run(words)
    if wrong:
        message = (
            f"this is {kinds[0]} ({' '.join(layout.columns)}), and {kinds[1]} ({' '.join(wanted.columns)}) should "
            f"stand here; give {kinds[1]}, or exchange the two where they are swapped"
        )
        raise FileFormatError(message, path=path)


def is_run(words: Sequence[bytes]) -> bool:
    """Whether the words of a first line are those of a run."""
    return len(words) >= len(RUN.columns) and _is_number(words[RUN.number]) and not words[RUN.tag].isdigit()


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def line_error(
    content: bytes, place: int, message: str, path: str, layout: LineLayout | None = None
) -> FileFormatError:
    """Return the error for the line around byte `place`: its number, the rule, the line, and what gives it a layout."""
    begin = content.rfind(b"\n", 0, place) + 1
    end = content.find(b"\n", place)
    line = content[begin : len(content) if end < 0 else end].decode(errors="replace").strip()
    excerpt = line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
    number = content.count(b"\n", 0, place) + 1
    if layout is not None and number > 1 and (end < 0 or not content[end:].strip()):
        ways = "it is the last one, so the file may be cut off; get it again, or leave the line out"
    else:
        text = "" if layout is None else content.decode(errors="replace")
        ways = "" if layout is None else filter_for(line, layout.columns, path=path, first=number == 1, content=text)
    full_message = f"{message}; the line is {excerpt!r}" + (f"; {ways}" if ways else "")
    return FileFormatError(full_message, path=path, line=number)


def _is_special(content: bytes, place: int, column: int) -> bool:
    """Return whether a column of the line at `place` holds nan, inf or infinity, numbers to other readers."""
    end = content.find(b"\n", place)
    line = content[place : len(content) if end < 0 else end]
    return line.split()[column].lstrip(b"+-").lower() in {b"nan", b"inf", b"infinity"}


def _rule(problem: int, layout: LineLayout) -> str:
    names = f"{len(layout.columns)} columns ({' '.join(layout.columns)})"
    number = f"the {layout.columns[layout.number]} (column {layout.number + 1})"
    return {
        _TOO_FEW: f"a line must have {names}, and this one has fewer",
        _TOO_MANY: f"a line must have {names}, and this one has more",
        _RANK: f"the rank (column {layout.rank + 1}) must be a finite number; a document identifier holds no blanks",
        _SHIFTED: f"a line with more than {len(layout.columns)} columns has a number for its tag (column "
        f"{layout.tag + 1}); a document identifier holds no blanks",
        WRONG: f"{number} must be a {'whole number' if layout.whole else 'decimal number'}",
        _INFINITE: f"{number} must be {'a whole number within ±32767' if layout.whole else 'finite'}",
    }[problem]


def _settle(content: bytes, unsure: Ints, numbers: Floats, ranks: Floats) -> tuple[int, int]:
    """Fill in the numbers that need more than 64 bits; return place and problem of the first that overflows, else 0.

    The line that broke a rule has no place among them, and a rank that does not order only tells whether columns moved.
    """
    for line, is_rank, start, stop in unsure.tolist():
        value = float(content[start:stop])
        if math.isinf(value):
            return start, (_RANK if is_rank else _INFINITE)
        filled = ranks if is_rank else numbers
        if line < len(filled):
            filled[line] = value
    return 0, 0


@compiled
def scan_lines(  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917 - one pass over the bytes, compiled
    text: NDArray[np.uint8],
    n_most: int,
    columns: tuple[int, int, int, int, int],
    rules: tuple[bool, bool, bool],
    powers: NDArray[np.uint64],
    exponents: Ints,
) -> tuple[
    Ints,
    Ints,
    Floats,
    Floats,
    Ints,
    Ints,
    int,
    int,
    int,
]:
    """Return starts, lengths, numbers, ranks, segments, unsure numbers, the count of wide lines, problem and place."""
    n_columns, document, number, rank, tag = columns
    open_ended, integer_only, ranked = rules
    starts = np.empty(n_most, dtype=np.int64)
    lengths = np.empty(n_most, dtype=np.int64)
    numbers = np.empty(n_most)
    ranks = np.empty(n_most if ranked else 0)
    segments = np.empty((64, 5), dtype=np.int64)
    unsure = np.empty((64, 4), dtype=np.int64)
    first = np.zeros(n_columns, dtype=np.int64)
    last = np.zeros(n_columns, dtype=np.int64)
    n_lines, n_segments, n_unsure, n_wide = 0, 0, 0, 0
    problem, line_start = 0, 0
    end = len(text)
    n_between = number - document - 1
    head, head_length, tail, tail_length = 0, 0, 0, 0
    position = 0
    while position < end:
        line_start = position
        if head_length:  # most lines begin and end as the one before: the rest is read in one go
            start = position + head_length
            if start < end and same_bytes(text, position, start, text, head, head + head_length):
                stop = end_of_word(text, start)
                at = stop
                for _ in range(n_between):
                    at = end_of_word(text, start_of_word(text, at))
                at = start_of_word(text, at)
                negative = at < end and text[np.uint64(at)] == _MINUS
                digits, power, at = read_digits(text, at + negative, integer_only)
                if (
                    power <= 0
                    and stop > start
                    and end - at >= tail_length
                    and same_bytes(text, at, at + tail_length, text, tail, tail + tail_length)
                ):
                    status, value = scaled(digits, power, False, powers, exponents)  # noqa: FBT003 - as above
                    if status == EXACT:
                        starts[n_lines], lengths[n_lines] = start, stop - start
                        numbers[n_lines] = -value if negative else value
                        n_lines += 1
                        position = at + tail_length
                        continue
        n_fields = 0
        sign = text[np.uint64(position)]
        if sign == _HASH:
            while position < end and text[np.uint64(position)] != _NEWLINE:
                position += 1
        while position < end:
            sign = text[np.uint64(position)]
            if sign == _NEWLINE:
                break
            if sign <= _SPACE and is_blank(sign):
                position += 1
                continue
            start = position
            position = end_of_word(text, start)
            if n_fields < n_columns:
                first[n_fields], last[n_fields] = start, position
            n_fields += 1
        position += 1
        if n_fields == 0:
            continue
        if n_fields < n_columns:
            problem = _TOO_FEW
            break
        if n_fields > n_columns:
            n_wide += 1
            if not open_ended:
                problem = _TOO_MANY
                break
        if n_fields > n_columns:
            n_to_read = 3
        elif ranked:
            n_to_read = 2
        else:
            n_to_read = 1
        for field in range(n_to_read):
            column = number if field == 0 else rank if field == 1 else tag
            status, value = read_number(
                text, first[column], last[column], integer_only and field == 0, powers, exponents
            )
            if field == 2:  # noqa: PLR2004 - the tag
                problem = _SHIFTED if status < WRONG else 0
            elif status >= WRONG:
                problem = status if field == 0 else _RANK
            elif status == UNSURE:
                unsure = _with_row(unsure, n_unsure)
                unsure[n_unsure, 0], unsure[n_unsure, 1] = n_lines, field
                unsure[n_unsure, 2], unsure[n_unsure, 3] = first[column], last[column]
                n_unsure += 1
            elif field == 0:
                numbers[n_lines] = value
            elif ranked:
                ranks[n_lines] = value
            if problem:
                break
        if problem:
            break
        starts[n_lines], lengths[n_lines] = first[document], last[document] - first[document]
        if n_segments == 0 or not (
            same_bytes(text, segments[n_segments - 1, 1], segments[n_segments - 1, 2], text, first[0], last[0])
            and (
                tag < 0
                or same_bytes(
                    text, segments[n_segments - 1, 3], segments[n_segments - 1, 4], text, first[tag], last[tag]
                )
            )
        ):
            segments = _with_row(segments, n_segments)
            segments[n_segments, 0], segments[n_segments, 1], segments[n_segments, 2] = n_lines, first[0], last[0]
            segments[n_segments, 3] = first[tag] if tag >= 0 else 0
            segments[n_segments, 4] = last[tag] if tag >= 0 else 0
            n_segments += 1
        n_lines += 1
        if n_fields == n_columns and not ranked:
            head, head_length = line_start, first[document] - line_start
            tail, tail_length = last[number], position - last[number]
        else:
            head_length = 0
    return (
        starts[:n_lines],
        lengths[:n_lines],
        numbers[:n_lines],
        ranks[: n_lines if ranked else 0],
        segments[:n_segments],
        unsure[:n_unsure],
        n_wide,
        problem,
        line_start,
    )


@compiled
def _with_row(table: Ints, n_rows: int) -> Ints:
    """Return the table with room for row number `n_rows`."""
    if n_rows < len(table):
        return table
    larger = np.empty((2 * len(table), table.shape[1]), dtype=np.int64)
    for row in range(n_rows):
        for column in range(table.shape[1]):
            larger[row, column] = table[row, column]
    return larger
