"""Judgments in grades, as NTCIR and NTCIREVAL write them: S, A, B and C, or L0 to L9.

A grade becomes a digit where it stands, so that the one scanner of TREC files reads what is left, and every message
still shows the line as it is in the file.
"""

import re
from typing import NamedTuple

from metaeval.errors import FileFormatError
from metaeval.io.trec_lines import QRELS, LineLayout, line_error

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
