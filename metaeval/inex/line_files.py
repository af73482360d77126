"""INEX files of one line a thing: FOL judgments, runs in TREC style, tables of element sizes.

A file is cut at white space once, for all lines, and a column is converted as a whole. Only where that fails is the
line looked for.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.columns import SIZES, first_called
from metaeval.base.names import shortened
from metaeval.errors import FileFormatError
from metaeval.inex.assessments import LARGEST, UNKNOWN, Assessments, Submission, empty_table, table_of
from metaeval.inex.file_rules import Findings, Names, checked_file, document_name
from metaeval.io.files import first_words, text_of

_RUN_WORDS, _TREC_QRELS_WORDS = 6, 4
_JUDGMENT_WORDS = 5
_MOST_DIGITS = 18
_NOWHERE = frozenset({b"X", b"x", b"-1"})
_WHOLE = re.compile(rb"[0-9]+\Z")
_PASSAGE = re.compile(rb"([0-9]+):([0-9]+)\Z")


class _Words(NamedTuple):
    """The words of all lines that hold any, and where they stand."""

    words: list[bytes]
    counts: Ints
    lines: Ints
    findings: Findings

    @classmethod
    def of(cls, content: bytes, findings: Findings, what: str) -> "_Words":
        """Cut a file into words; `what` is named where there is none."""
        content = text_of(content, findings.path)
        text = np.frombuffer(content + b"\n", dtype=np.uint8)
        space = (text == ord(" ")) | ((text >= ord("\t")) & (text <= ord("\r")))
        begins = np.flatnonzero(~space & np.r_[True, space[:-1]])
        counts = np.diff(np.searchsorted(begins, np.flatnonzero(text == ord("\n"))), prepend=0)
        filled = np.flatnonzero(counts)
        if not len(filled):
            raise findings.refuse(f"the file is empty; name {what}")
        return cls(content.split(), counts[filled], filled + 1, findings)

    def column(self, number: int) -> list[bytes]:
        """Return the word of a number in every line; all lines have equally many."""
        return self.words[number :: int(self.counts[0])]

    def line_of(self, row: int) -> int:
        return int(self.lines[row])

    def refuse(self, message: str, row: int) -> FileFormatError:
        return self.findings.refuse(message, self.line_of(row))

    def names(self, column: Sequence[bytes], what: str, convert: Callable[[str], str] = str) -> NDArray[np.object_]:
        """Decode a column of names, equal words as one object; one without anything to see is an error."""
        decoded = {word: convert(word.decode()) for word in set(column)}
        if not all(map(str.strip, decoded.values())):
            row = next(row for row, word in enumerate(column) if not decoded[word].strip())
            self.findings.named(what, decoded[column[row]], self.line_of(row))
        return np.array([decoded[word] for word in column], dtype=object)

    def uniform(self, allowed: Sequence[int], what: str) -> int:
        """Return how many words every line has."""
        n_words = int(self.counts[0])
        bad = np.flatnonzero(self.counts != n_words)
        if n_words not in allowed or len(bad):
            row = int(bad[0]) if n_words in allowed else 0
            raise self.refuse(f"{what}; this line has {self.counts[row]} columns", row)
        return n_words

    def numbers(self, column: Sequence[bytes], what: str) -> Floats:
        try:
            values = np.fromiter(map(float, column), dtype=np.float64, count=len(column))
        except ValueError:
            values = np.array([_float(word) for word in column])
        if any(b"_" in word for word in column):  # Python takes 1_0 for 10
            values[[b"_" in word for word in column]] = np.nan
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            row = int(bad[0])
            raise self.refuse(f"{what} must be a number, not {shortened(column[row].decode())!r}", row)
        return values

    def whole(self, column: Sequence[bytes], what: str, rows: NDArray[np.integer] | None = None) -> Ints:
        """Return whole numbers; `rows` says in which row each stands, where not in every one."""
        wrong = [number for number, word in enumerate(column) if not word.isdigit() or len(word) > _MOST_DIGITS]
        if not wrong:
            values = np.array(column, dtype=np.bytes_).astype(np.int64) if column else np.empty(0, dtype=np.int64)
            wrong = np.flatnonzero(values > LARGEST).tolist()
        if wrong:
            word = column[wrong[0]]
            limit = f" up to {LARGEST}" if word.isdigit() else ""
            message = f"{what} must be a whole number from 0{limit}, not {shortened(word.decode())!r}"
            raise self.refuse(message, wrong[0] if rows is None else int(rows[wrong[0]]))
        return values


def _float(word: bytes) -> float:
    try:
        return float(word)
    except ValueError:
        return np.nan


def submission_of_lines(content: bytes, findings: Findings) -> Submission:
    """Read a run in TREC style with a location: topic Q0 document rank rsv run, then one of four kinds of location."""
    parsed = _Words.of(content, findings, "a run")
    if parsed.counts[0] == _RUN_WORDS:
        message = (
            "this is a run of whole documents (6 columns, no location); read it with metaeval.read_collection, or give "
            "INEX submissions"
        )
        raise parsed.refuse(message, 0)
    rule = "a run has topic, Q0, document, rank, rsv, run and a location of one or two columns, the same in every line"
    n_words = parsed.uniform((7, 8), rule)
    topics = parsed.names(parsed.column(0), "topic")
    results = {
        "topic": topics,
        "document": parsed.names(parsed.column(2), "document", document_name),
        "rank": parsed.numbers(parsed.column(3), "the rank"),
        "rsv": parsed.numbers(parsed.column(4), "the rsv"),
        "line": parsed.lines,
        **_locations(parsed, n_words),
    }
    runs = list(dict.fromkeys(parsed.column(5)))
    if len(runs) > 1:
        line = parsed.line_of(parsed.column(5).index(runs[1]))
        value = f"{runs[1].decode()!r} after {runs[0].decode()!r}"
        findings.broken("a file holds one run", value, line, instead="the first name counts for all lines")
    table = _grouped(table_of("results", results), findings)
    return Submission(run=runs[0].decode(), results=table, answered=tuple(dict.fromkeys(topics)), source=findings.path)


def _locations(found: _Words, n_words: int) -> dict[str, NDArray[np.generic]]:
    first = found.column(6)
    if first[0].startswith(b"/"):
        names = Names(found.findings)
        columns = {"path": first} if n_words == _RUN_WORDS + 1 else {"path": first, "end_path": found.column(7)}
        normal = names.path if len(columns) == 1 else names.point
        lines = found.lines.tolist()
        return {
            name: np.array([normal(word.decode(), line) for word, line in zip(column, lines, strict=True)], object)
            for name, column in columns.items()
        }
    nowhere = np.array([word in _NOWHERE for word in first])
    for row in np.flatnonzero(nowhere):
        rule = "a result's place was not found (X or -1); it takes its rank without a place"
        found.findings.remark(rule, found.words[row * n_words + 2].decode(), found.line_of(int(row)))
    columns = {"offset": first} if n_words == _RUN_WORDS + 1 else {"offset": first, "length": found.column(7)}
    return {
        name: np.where(nowhere, UNKNOWN, found.whole(numbers, f"the {name}"))
        for name, column in columns.items()
        for numbers in [[b"0" if lost else word for word, lost in zip(column, nowhere.tolist(), strict=True)]]
    }


def _grouped(results: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """Bring the lines of a topic together, each list in the order of its lines."""
    topic = pd.factorize(results["topic"])[0]
    back = np.flatnonzero(np.diff(topic) < 0) + 1
    if len(back):
        line, name = int(results["line"].iloc[back[0]]), results["topic"].iloc[back[0]]
        findings.remark("the lines of a topic stand together; here they are brought together", f"topic {name}", line)
        results = results.iloc[np.argsort(topic, kind="stable")].reset_index(drop=True)
        topic = np.sort(topic)
    same = topic[1:] == topic[:-1]
    rank, rsv = results["rank"].to_numpy(), results["rsv"].to_numpy()
    for rule, bad in (
        ("rsv rises down the list; the order of lines counts", same & (rsv[1:] > rsv[:-1])),
        ("ranks fall down the list; the order of lines counts", same & (rank[1:] < rank[:-1])),
    ):
        findings.each(results, np.r_[False, bad], rule, "rank {rank:g}, rsv {rsv:g} in topic {topic}")
    return results


def is_fol_judgments(content: bytes) -> bool:
    """Say whether the first line is one of FOL judgments, and not of a run."""
    words = first_words(content)
    if len(words) < _JUDGMENT_WORDS or not all(_WHOLE.match(word) for word in words[3:6]):
        return False
    return all(_PASSAGE.match(word) for word in words[6:])


def assessments_of_lines(content: bytes, findings: Findings) -> Assessments:
    """Read FOL judgments: topic Q0 document rsize doclen [bep [offset:length]+]."""
    parsed = _Words.of(content, findings, "judgments")
    short = np.flatnonzero(parsed.counts < _JUDGMENT_WORDS)
    if len(short):
        row = int(short[0])
        kind = " (4 columns are judgments of whole documents)" if parsed.counts[row] == _TREC_QRELS_WORDS else ""
        message = f"a line has topic, Q0, document, rsize, doclen, and then bep and passages{kind}"
        raise parsed.refuse(f"{message}; this one has {parsed.counts[row]} columns", row)
    begins = np.r_[0, np.cumsum(parsed.counts)[:-1]]
    words = parsed.words
    topics, documents, relevant, size = ([words[begin + at] for begin in begins] for at in (0, 2, 3, 4))
    with_bep = np.flatnonzero(parsed.counts > _JUDGMENT_WORDS)
    bep = np.full(len(begins), UNKNOWN, dtype=np.int64)
    entry_words = [words[begins[row] + 5] for row in with_bep]
    bep[with_bep] = parsed.whole(entry_words, "the best entry point", with_bep)
    table = table_of(
        "documents",
        {
            "topic": parsed.names(topics, "topic"),
            "document": parsed.names(documents, "document", document_name),
            "relevant_size": parsed.whole(relevant, "rsize (highlighted characters)"),
            "size": parsed.whole(size, "doclen"),
            "best_entry": np.where(parsed.counts == _JUDGMENT_WORDS + 1, UNKNOWN, bep),
            "line": parsed.lines,
        },
    )
    _refuse_repeated(table, findings)
    passages = _passages(parsed, begins, table)
    _remark_judgments(table, passages, parsed.counts, findings)
    return checked_file("passages", table, empty_table("elements"), passages, findings)


def _refuse_repeated(table: pd.DataFrame, findings: Findings) -> None:
    repeated = np.flatnonzero(table.duplicated(["topic", "document"]).to_numpy(dtype=bool))
    if len(repeated):
        judgment = table.iloc[repeated[0]]
        first = table[(table["topic"] == judgment["topic"]) & (table["document"] == judgment["document"])]["line"].iloc[
            0
        ]
        message = f"document {judgment['document']} is judged twice on topic {judgment['topic']}, first in line {first}"
        raise findings.refuse(f"{message}; keep one of them", int(judgment["line"]))


def _passages(found: _Words, begins: Ints, table: pd.DataFrame) -> pd.DataFrame:
    counts = np.maximum(found.counts - _JUDGMENT_WORDS - 1, 0)
    owner = np.repeat(np.arange(len(counts)), counts)
    positions = begins[owner] + 6 + np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    texts = [found.words[at] for at in positions]
    if not all(map(_PASSAGE.match, texts)):
        row = next(number for number, text in enumerate(texts) if not _PASSAGE.match(text))
        message = f"a passage is offset:length, two whole numbers, not {shortened(texts[row].decode())!r}"
        raise found.refuse(message, int(owner[row]))
    ends = b" ".join(texts).replace(b":", b" ").split()
    pairs = found.whole(ends, "the offset and the length of a passage", np.repeat(owner, 2)).reshape(-1, 2)
    return table_of(
        "passages",
        {
            "topic": table["topic"].to_numpy()[owner],
            "document": table["document"].to_numpy()[owner],
            "offset": pairs[:, 0],
            "length": pairs[:, 1],
            "line": found.lines[owner],
        },
    )


def _remark_judgments(table: pd.DataFrame, passages: pd.DataFrame, counts: Ints, findings: Findings) -> None:
    keys = ["topic", "document"]
    sums = passages.groupby(keys, sort=False)["length"].sum().rename("sum").reset_index()
    total = table[keys].merge(sums, on=keys, how="left")["sum"].fillna(0).to_numpy()
    relevant, size, bep = (table[name].to_numpy() for name in ("relevant_size", "size", "best_entry"))
    for rule, bad in (
        ("rsize is larger than doclen; it is kept", relevant > size),
        (
            "a line has a best entry point but no passage; the document counts without both, its rsize still counts",
            counts == _JUDGMENT_WORDS + 1,
        ),
        (
            "the passages' lengths do not sum up to rsize; both are kept",
            (total != relevant) & (counts != _JUDGMENT_WORDS + 1),
        ),
        ("the best entry point lies outside the document; it is kept", bep > size),
    ):
        value = "rsize {relevant_size}, passages {total:g}, doclen {size}, bep {best_entry} for {document}"
        findings.each(table.assign(total=total), bad, rule, value)


def sizes_of_lines(content: bytes, findings: Findings) -> pd.DataFrame:
    """Read a table of element sizes: document, path, size; cut at white space or commas, with or without a header."""
    plain = content.replace(b",", b" ").replace(b'"', b"")
    parsed = _Words.of(plain, findings, "a table of document, path, size")
    parsed.uniform((len(SIZES),), "a table of sizes has document, path and size")
    columns = dict(zip(SIZES, (parsed.column(number) for number in range(3)), strict=True))
    head = [word.decode() for word in parsed.words[: len(SIZES)]]
    places = {role: first_called(head, words, str.casefold) for role, words in SIZES.items()}
    if None not in places.values():
        columns = {role: parsed.column(position)[1:] for role, position in places.items() if position is not None}
        parsed = parsed._replace(lines=parsed.lines[1:])
    lines, names = parsed.lines, Names(findings)
    table = pd.DataFrame(
        {
            "document": parsed.names(columns["document"], "document", document_name),
            "path": np.array([names.path(w.decode(), n) for w, n in zip(columns["path"], lines, strict=True)], object),
            "size": parsed.whole(columns["size"], "a size (characters)"),
        }
    ).astype({"document": object, "path": object})
    return _checked_table(table, lines, findings)


def _checked_table(table: pd.DataFrame, lines: Ints, findings: Findings) -> pd.DataFrame:
    repeated = table.duplicated(["document", "path"]).to_numpy(dtype=bool)
    same = table.duplicated().to_numpy(dtype=bool)
    empty = table["size"].to_numpy() == 0
    for rule, bad, instead in (
        ("an element has one size", repeated & ~same, "the first counts"),
        ("a size must be 1 or more", empty, "the element is left out, as if its size were missing"),
    ):
        findings.each(table.assign(line=lines), bad, rule, "{size} for {path} in {document}", instead=instead)
    return table[~repeated & ~empty].reset_index(drop=True)
