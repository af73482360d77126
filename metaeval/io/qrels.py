"""Judgments in the text format of TREC: topic, iteration, document, relevance; or in the grades of NTCIR."""

import os
import re
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.names import natural_order
from metaeval.collection.document_codes import Identifiers, Judgments, hash_documents, identifier_array
from metaeval.collection.grades import LARGEST_GRADE, coded
from metaeval.collection.ranking import first_repetition
from metaeval.collection.subtopics import BySubtopic
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.duplicates import Duplicates, note_of, single
from metaeval.io.files import note_of_blanks, read_bytes, text_of
from metaeval.io.json_rankings import scan_json
from metaeval.io.trec_lines import QRELS, LineLayout, Scan, line_error, refuse_swapped, scan_text

_LEVELS = {b"S": 3, b"A": 2, b"B": 1, b"C": 0}
_GRADES = "S, A, B and C, or L0 to L9"
_THREE = LineLayout(
    columns=("topic", "document", "relevance"), document=1, number=2, rank=-1, tag=-1, open_ended=False, whole=True
)
_BLANK = rb"[^\S\n]"
_LINE = re.compile(rb"(?m)^(?!#)" + _BLANK + rb"*\S.*")
_WORD = re.compile(rb"[SABC]|L\d")
_LAST = re.compile(rb"(?m)(?<=\s)(?:[SABC]|L\d)(?=" + _BLANK + rb"*$)")
_NOT_LAST = re.compile(rb"(?m)^(?!#|" + _BLANK + rb"*$)(?!.*\s(?:[SABC]|L\d)" + _BLANK + rb"*$).*")
_SECOND = re.compile(
    rb"(?m)^(?!#)(%b*\S+%b+)([SABC])(%b+\S+%b+)([01])(?=%b*$)" % (_BLANK, _BLANK, _BLANK, _BLANK, _BLANK)
)


class Graded(NamedTuple):
    """A file of judgments whose relevance is a number in every line."""

    content: bytes
    """As long as the file, line for line."""
    layout: LineLayout
    """Which column holds what."""
    note: str
    """How grades were read; empty where there were none."""
    free_second: bool = True
    """Whether column 2 may hold what a reader likes, such as a subtopic; else it is a grade or the document."""


def graded(content: bytes, *, path: str) -> Graded:
    r"""Turn the grades of a file of judgments into levels; a file without them stays as it is.

    Notes
    -----
    S, A, B and C (highly relevant, relevant, partially relevant, not relevant) become 3, 2, 1 and 0, as Sakai and
    Kando (2008) count their gains; L0 to L9 become 0 to 9.

    Examples
    --------
    >>> graded(b"1\tA\td1\t1\n1\tC\td2\t0\n", path="rel1").content
    b'1\tA\td1\t2\n1\tC\td2\t0\n'
    >>> graded(b"0001 d1 L2\n", path="x").layout.columns
    ('topic', 'document', 'relevance')
    """
    first = _LINE.search(content)
    words = first[0].split() if first else []
    n_words = len(words)
    if n_words == len(QRELS.columns) and words[1] in _LEVELS and words[-1] in {b"0", b"1"}:
        note = _note("column 2; column 4, a binary reading, is not used")
        return Graded(_from_second(content, path), QRELS, note, free_second=False)
    if n_words in {len(_THREE.columns), len(QRELS.columns)} and _WORD.fullmatch(words[-1]):
        if match := _NOT_LAST.search(content):
            message = f"the relevance must be a grade in every line, as in the first: {_GRADES}"
            raise line_error(content, match.start(), message, path)
        layout = _THREE if n_words == len(_THREE.columns) else QRELS
        numbered = _LAST.sub(_digits, content)
        return Graded(numbered, layout, _note(f"column {n_words}"), free_second=layout is QRELS)
    return Graded(content, QRELS, "")


def _note(where: str) -> str:
    return f"the judgments are graded ({_GRADES}) in {where}; S, A, B and C count as levels 3, 2, 1 and 0"


def _digits(found: re.Match[bytes]) -> bytes:
    """Write a grade as a number of the same length."""
    return b"%d" % _LEVELS[found[0]] if found[0] in _LEVELS else b" " + found[0][1:]


def _from_second(content: bytes, path: str) -> bytes:
    """Put the level of the grade in column 2 in the place of the number in column 4."""
    lines = _SECOND.findall(content)
    if len(lines) < len(_LINE.findall(content)):
        odd_line = next(line for line in _LINE.finditer(content) if not _SECOND.match(content, line.start()))
        message = "a line must have a topic, a grade (S, A, B or C), a document and 0 or 1, as the first has"
        raise line_error(content, odd_line.start(), message, path)
    if len({match[1::2] for match in lines}) > len({match[1] for match in lines}):
        raise _contradiction(content, path)
    return _SECOND.sub(lambda match: match[1] + match[2] + match[3] + b"%d" % _LEVELS[match[2]], content)


def _contradiction(content: bytes, path: str) -> FileFormatError:
    """Return the error for the first grade whose number differs from that in a line before."""
    first: dict[bytes, re.Match[bytes]] = {}
    for match in _SECOND.finditer(content):
        before = first.setdefault(match[2], match)
        if before[4] != match[4]:
            break
    line = content.count(b"\n", 0, before.start()) + 1
    message = (
        f"grade {match[2].decode()} counts as {match[4].decode()} here and as {before[4].decode()} in line {line}, so "
        "column 2 is no grade or column 4 no binary reading of it; write 0 in column 2 to have the numbers read"
    )
    return line_error(content, match.start(), message, path)


SubtopicRule = Literal["keep", "collapse"]

_ITERATIONS = (b"0", b"Q0", b"q0")
_LARGE, _SPARSE = 10_000_000, 50


def read_qrels(
    path: str | os.PathLike[str], *, duplicates: Duplicates = "error", subtopics: SubtopicRule | None = None
) -> Judgments:
    r"""Read judgments in TREC format (topic, iteration, document, relevance), or in the grades of NTCIR.

    Parameters
    ----------
    path : path
        The file, compressed or not, or "-" for standard input. Grades are S, A, B and C (levels 3, 2, 1 and 0), or L0
        to L9: in lines of topic, grade, document and a binary reading of the grade, which is not used; of topic,
        iteration, document and grade; or of topic, document and grade, as NTCIREVAL reads them. A relevance may be
        real-valued, such as 1.7; then grades equal up to rounding are one, and a negative one is no judgment, as it is
        among whole ones.
    duplicates : {"error", "first", "mean"}
        What to do where a document is judged several times on a topic: reject the file, keep the first judgment, or
        take the mean of those that are not negative.
    subtopics : {"keep", "collapse"}, optional
        Column 2 is a subtopic (topic, subtopic, document, grade, as in the diversity task of the Web tracks) where a
        document appears twice on a topic with different ones; with "keep" also where every document has one, and they
        differ. "collapse" keeps only the highest grade of a document, which measures without subtopics take either
        way.

    Returns
    -------
    Judgments
        Topics in natural order, documents of a topic in the order of their identifiers. Where some relevance is not
        whole, `grades` says what every level stands for.

    Raises
    ------
    FileFormatError
        For a malformed line, a relevance that is no number within ±32767, more than 32,000 distinct ones
        that are not whole, a document judged twice (on one subtopic), an empty file.

    See Also
    --------
    metaeval.io.trec.read_runs
    metaeval.io.trec.read_collection

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("1 0 d2 0\n1 0 d1 2\n")
    >>> read_qrels(file).levels.tolist()
    [2, 0]
    >>> _ = file.write_text("0001\tA\tgakkai-1\t1\n0001\tC\tgakkai-2\t0\n")
    >>> read_qrels(file).levels.tolist()
    [2, 0]
    """
    check_choice(duplicates, "rule for `duplicates`", get_args(Duplicates))
    if subtopics is not None:
        check_choice(subtopics, "rule for `subtopics`", get_args(SubtopicRule))
    return judgments_of(read_bytes(path), str(path), duplicates, subtopics=subtopics)


def judgments_of(
    content: bytes, path: str, duplicates: Duplicates = "error", *, subtopics: SubtopicRule | None = None
) -> Judgments:
    """Read judgments from a content that was read already; see `read_qrels`."""
    read = _QrelsLines.of(content, path)
    scan = read.found
    letters = np.frombuffer(scan.content, dtype=np.uint8)
    hashes = hash_documents(letters, scan.starts, scan.lengths)
    sequence = np.argsort(read.lists, kind="stable")
    first, second = first_repetition(letters, scan.starts, scan.lengths, hashes, sequence, read.offsets(sequence))
    document_ids = identifier_array(scan.documents())
    if second >= 0 and read.free_second:
        _refuse_swapped_columns(read, document_ids, second)
    every = subtopics == "keep"
    if read.free_second and duplicates == "error" and (second >= 0 or every):
        by_subtopic = read.by_subtopic(document_ids, every=every and second < 0)
        if by_subtopic is not None:
            return by_subtopic._replace(subtopics=None) if subtopics == "collapse" else by_subtopic
    if second < 0:
        return read.judgments(document_ids, np.lexsort((document_ids, read.lists)))
    if duplicates == "error":
        message = (
            f"this document is judged twice on this topic, first in line {scan.line_number(first)}; keep one, or pass "
            "`duplicates='first'` or `'mean'`"
        )
        raise scan.error(second, message)
    return read.once(document_ids, duplicates)


def _refuse_swapped_columns(read: "_QrelsLines", document_ids: Identifiers, line: int) -> None:
    """Refuse documents that are all 0 behind words that differ: documents stand behind the iteration, not before."""
    if document_ids[0] in _ITERATIONS and (document_ids == document_ids[0]).all():
        words = read.found.words_before()
        if len({*words}) > 1:
            document = document_ids[0].decode()
            message = (
                f"all documents in column 3 are {document!r}, and column 2 holds {words[0]!r}: documents and "
                "iterations seem to be exchanged; write topic, iteration, document, "
                "relevance (awk '{print $1, $3, $2, $4}')"
            )
            raise read.found.error(line, message)


def judgments_by_subtopic(content: bytes, path: str) -> Judgments:
    """Read judgments that `judgments_of` took, of subtopics and documents in place of documents: SUBTOPIC/DOCUMENT."""
    read = _QrelsLines.of(content, path)
    if not read.free_second:
        message = "these judgments have no column of subtopics, and those of another judge have; write it as column 2"
        raise FileFormatError(message, path=path)
    pairs = zip(read.found.words_before(), read.found.documents(), strict=True)
    items = identifier_array([f"{word}/{document.decode()}".encode() for word, document in pairs])
    return read.judgments(items, np.lexsort((items, read.lists)))


def repeated_judgments_of(content: bytes, path: str) -> list[Judgments]:
    """Read judgments of one judge who judged pairs several times; the k-th holds the k-th line of every pair."""
    read = _QrelsLines.of(content, path)
    document_ids = identifier_array(read.found.documents())
    sequence = np.lexsort((document_ids, read.lists))  # lines of one pair in their order, since the sort is stable
    documents, lists = document_ids[sequence], read.lists[sequence]
    new = np.append(True, (documents[1:] != documents[:-1]) | (lists[1:] != lists[:-1]))
    starts = np.flatnonzero(new)
    repeat_index = np.arange(len(sequence)) - starts[np.cumsum(new) - 1]
    n_repeats = int(repeat_index.max()) + 1
    if n_repeats * len(starts) > max(_LARGE, _SPARSE * len(sequence)):
        message = f"{n_repeats} lines for one pair, among {len(starts)} pairs in {len(sequence)} lines, are no repeats"
        raise read.found.error(int(sequence[np.argmax(repeat_index)]), message)
    return [read.judgments(document_ids, sequence[repeat_index == repeat]) for repeat in range(n_repeats)]


def _scanned(content: bytes, path: str) -> tuple[Scan, Graded]:
    """Find what stands where, in JSON or lines, and how grades were read."""
    scan = scan_json(content, path=path, number="level")
    if scan is not None:
        return scan, Graded(scan.content, QRELS, "", free_second=False)
    refuse_swapped(content, QRELS, path=path)
    text = text_of(content, path)
    read = graded(text, path=path)
    return replace(scan_text(read.content, read.layout, path=path), content=text), read


class _QrelsLines(NamedTuple):
    """The lines of a file of judgments."""

    found: Scan
    """What stands where; messages show the file's own lines."""
    topics: list[str]
    """In natural order."""
    lists: NDArray[np.int64]
    """Which topic. Shape (n_lines,)."""
    levels: NDArray[np.int16]
    """Shape (n_lines,)."""
    grades: NDArray[np.float64] | None
    """As in `Judgments`."""
    note: str
    free_second: bool
    """Whether column 2 may name subtopics."""

    @classmethod
    def of(cls, content: bytes, path: str) -> "_QrelsLines":
        """Scan a file."""
        scan, read = _scanned(content, path)
        topics = scan.names("topic")
        names = natural_order(set(topics))
        index_of = {name: number for number, name in enumerate(names)}
        extreme = np.flatnonzero(np.abs(scan.numbers) > LARGEST_GRADE)
        if len(extreme):
            raise scan.error(int(extreme[0]), f"the relevance must lie within ±{LARGEST_GRADE}")
        try:
            levels, grades = coded(scan.numbers)
        except InvalidOptionError as error:
            raise FileFormatError(str(error), path=path) from None
        note = "; ".join(filter(None, (read.note, note_of_blanks(scan.content, path))))
        lists = scan.per_line([index_of[name] for name in topics])
        return cls(scan, names, lists, levels, grades, note, read.free_second)

    def once(self, document_ids: Identifiers, rule: Duplicates) -> Judgments:
        """Return the judgments with one for every pair of topic and document; a negative one is none."""
        _, document = np.unique(document_ids, return_inverse=True)
        numbers = np.where(self.found.numbers < 0, np.nan, self.found.numbers) if rule == "mean" else self.found.numbers
        selected = single(self.lists * (int(document.max()) + 1) + document, numbers, rule)
        values = np.where(np.isnan(selected.numbers), self.found.numbers[selected.rows], selected.numbers)
        levels, grades = coded(values)
        every = self.levels.copy()
        every[selected.rows] = levels
        note = "; ".join(filter(None, (self.note, *note_of(selected.n_left, "judgment", rule))))
        lines = selected.rows[np.lexsort((document_ids[selected.rows], self.lists[selected.rows]))]
        return self._replace(levels=every, grades=grades, note=note).judgments(document_ids, lines)

    def by_subtopic(self, document_ids: Identifiers, *, every: bool) -> Judgments | None:
        """Return the judgments with column 2 as subtopics.

        None where it is the same in all lines, or, unless `every`, no document appears twice with different ones.
        """
        words = self.found.words_before()
        grouped = BySubtopic.of(self.lists, document_ids, words, self.levels, len(self.topics))
        if len(set(words)) == 1 or not (every or grouped.several):
            return None
        if grouped.again is not None:
            first, later = grouped.again
            message = (
                f"this document is judged twice on subtopic {words[later]!r} of this topic, first in line "
                f"{self.found.line_number(first)}; keep one, or pass `duplicates='first'` or `'mean'` to take column 2 "
                "for no subtopic"
            )
            raise self.found.error(later, message)
        judged = self.judgments(document_ids, grouped.lines)
        note = grouped.note("column 2 of the judgments")
        return judged._replace(levels=grouped.levels, subtopics=grouped.subtopics, notes=(*judged.notes, note))

    def offsets(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the lines of each topic begin, topic by topic."""
        counts = np.bincount(self.lists[lines], minlength=len(self.topics))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def judgments(self, document_ids: Identifiers, lines: NDArray[np.int64]) -> Judgments:
        """Put lines together, given in order of topic and document."""
        return Judgments(
            topics=tuple(self.topics),
            topic_offsets=self.offsets(lines),
            document_ids=document_ids[lines],
            levels=self.levels[lines],
            notes=(self.note,) if self.note else (),
            grades=self.grades,
        )
