"""A law over all text readers: what a line is, what divides words, and what is no text at all."""

import struct
import zlib
from functools import partial

import pandas as pd
import pytest

from metaeval.errors import FileFormatError
from metaeval.inex.assessment_log import read_assessment_log
from metaeval.inex.reading import read_assessments, read_element_sizes, read_submission
from metaeval.io.files import read_names, text_of
from metaeval.io.groups import read_groups, read_pool_sizes, read_subtopic_weights
from metaeval.io.items import read_items
from metaeval.io.labels import read_labels
from metaeval.io.qrels import read_qrels
from metaeval.io.tables import read_scores
from metaeval.io.trec import read_runs

READERS = {
    "runs": ("1 Q0 d1 1 3.5 bm25\n1 Q0 d2 2 2.5 bm25\n2 Q0 d1 1 0.5 bm25\n", read_runs),
    "qrels": ("1 0 d1 2\n1 0 d2 0\n2 0 d1 1\n", lambda path: [part.tolist() for part in read_qrels(path)[1:4]]),
    "wide table": ("topic,a,b\n1,0.1,0.2\n2,0.4,0.3\n", lambda path: read_scores(path).to_series().to_frame("score")),
    "table by blanks": ("topic a b\n1 0.1 0.2\n2 0.4 0.3\n", lambda path: read_scores(path).to_series().to_frame("s")),
    "groups": ("run,team\na,x\nb,y\n", partial(read_groups, systems=["a", "b"])),
    "labels": ("topic,item,ann,ben\n1,d1,0,1\n1,d2,1,1\n", read_labels),
    "items": ("system,item,BLEU\na,1,0.3\nb,1,0.2\n", read_items),
    "names": ("bm25\nd\tquery likelihood\n", lambda path: pd.DataFrame(list(read_names(path)))),
    "pool sizes": ("d,608\n415,611\n", lambda path: pd.Series(read_pool_sizes(path)).to_frame()),
    "subtopic weights": ("d,1,0.5\nd,2,1\n", lambda path: pd.DataFrame(read_subtopic_weights(path))),
    "log": ("topic,document,seconds\n1,d1,3\n1,d2,4\n", read_assessment_log),
    "INEX run": (
        "1 Q0 9996 1 0.9 RunX /article[1]/bdy[1]\n1 Q0 9996 2 0.8 RunX /article[1]/p[1]\n",
        lambda path: read_submission(path).results,
    ),
    "INEX judgments": (
        "T1 Q0 d1 300 1000 100 100:200 500:100\nT1 Q0 d3 0 800\n",
        lambda path: read_assessments(path).documents,
    ),
    "INEX sizes": ("d /article[1] 40000\nd /article[1]/bdy[1] 36000\n", read_element_sizes),
}
BLANKS = {"runs", "qrels", "table by blanks", "INEX run", "INEX judgments", "INEX sizes"}
ENDS = {
    "CR LF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "mixed": lambda text: text.replace("\n", "\r", 1).replace("\n", "\r\n", 1),
    "none at the end": lambda text: text.removesuffix("\n"),
    "CR, none at the end": lambda text: text.replace("\n", "\r").removesuffix("\r"),
    "blank lines of CR": lambda text: text.replace("\n", "\r\r"),
}


def shown(found):
    """Return what was read as text."""
    tables = isinstance(found, dict) and all(isinstance(part, pd.DataFrame) for part in found.values())
    frames = found.values() if tables else [found]
    return [part.to_csv() if isinstance(part, pd.DataFrame) else repr(part) for part in frames]


def without_lines(found):
    """Leave the numbers of lines out, which blank lines shift."""
    return found.drop(columns="line", errors="ignore") if isinstance(found, pd.DataFrame) else found


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", READERS)
def test_every_line_end_is_one(tmp_path, name, end):
    """LF, CR LF and CR alone end a line for every reader, mixed too, and the last line needs none."""
    text, read = READERS[name]
    path = tmp_path / "content.txt"
    path.write_bytes(text.encode())
    expected = shown(without_lines(read(path)))
    path.write_bytes(ENDS[end](text).encode())
    assert shown(without_lines(read(path))) == expected


@pytest.mark.parametrize("blank", ["\t", "\v", "\f", " \f "])
@pytest.mark.parametrize("name", sorted(BLANKS))
def test_what_divides_words(tmp_path, name, blank):
    """Where blanks divide words, tabs, vertical tabs and form feeds do; they end no line."""
    text, read = READERS[name]
    path = tmp_path / "content.txt"
    path.write_bytes(text.encode())
    expected = shown(read(path))
    path.write_bytes(text.replace(" ", blank).encode())
    assert shown(read(path)) == expected


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029", "\xa0", "\x1c", "\x1e"])
@pytest.mark.parametrize("name", READERS)
def test_signs_of_other_alphabets_end_no_line(tmp_path, name, sign):
    """What Python's own `str.splitlines` takes for a line end is a sign inside a word here."""
    text, read = READERS[name]
    word = {"runs": "d2", "qrels": "d2", "INEX run": "9996", "INEX judgments": "d3", "log": "d2", "labels": "d2"}
    old = word.get(name, "a" if "table" in name or name in {"groups", "items"} else "d")
    new = f"{old}{sign}x"
    path = tmp_path / "content.txt"
    path.write_bytes(text.encode())
    n_lines = "".join(shown(read(path))).count("\n")
    changed = text
    for before, after in (("", ","), (" ", " "), ("\n", " "), ("\n", "\t")):
        changed = changed.replace(f"{before}{old}{after}", f"{before}{new}{after}")
    path.write_bytes((new + changed[1:] if name == "INEX sizes" else changed).encode())
    if "table" in name and not new.isprintable() and sign != "\xa0":
        with pytest.raises(FileFormatError, match="holds a control character"):
            read(path)
        return
    found = shown(read(path) if name != "groups" else read_groups(path, systems=[new, "b"]))
    assert "".join(found).count("\n") == n_lines
    assert any(new in part or repr(new)[1:-1] in part for part in found) or name == "qrels"


@pytest.mark.parametrize("name", READERS)
def test_a_zero_byte_is_no_text(tmp_path, name):
    """A zero byte is refused with its line, counted by line ends of every kind."""
    text, read = READERS[name]
    path = tmp_path / "content.txt"
    first, rest = text.split("\n", 1)
    path.write_bytes(f"{first}\r{rest}".encode()[:-1] + b"\0\n")
    line = text.count("\n")
    with pytest.raises(FileFormatError, match=rf"content\.txt, line {line}: a zero byte: this is no text file"):
        read(path)


def png():
    """Make the smallest picture."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0\0")), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("name", READERS)
def test_a_picture_is_named_as_one(tmp_path, name):
    """Every text reader says what a file is that is no text."""
    path = tmp_path / "content.txt"
    path.write_bytes(png())
    with pytest.raises(FileFormatError, match=r"this is a picture \(PNG\), not a text file"):
        READERS[name][1](path)


@pytest.mark.parametrize(
    ("stray", "content", "says"),
    [
        ("plot.png", png(), r"a picture \(PNG\), not a text file.*one of 3 files in the folder.*\*\.run"),
        ("README", b"# Runs\n\nThese are the runs.\n", r"line 3: a line must have 6 columns.*\*\.run"),
        ("qrels.txt", b"1 0 d1 1\n", r"this is a file of judgments.*\*\.run"),
    ],
)
def test_a_stray_file_in_a_folder_of_runs(tmp_path, stray, content, says):
    """What is no run is named as what it is, with the pattern that leaves it out."""
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text(READERS["runs"][0].replace("bm25", name))
    (tmp_path / stray).write_bytes(content)
    with pytest.raises(FileFormatError, match=rf"(?s){stray}.*{says}"):
        read_runs(tmp_path)
    assert list(read_runs(str(tmp_path / "*.run"))) == ["a.run", "b.run"]


def test_a_faulty_run_in_a_folder_is_no_stray_file(tmp_path):
    """A line further down that breaks a rule is the run's own fault; nobody is told to leave the run out."""
    (tmp_path / "a.run").write_text("1 Q0 d1 1 3.5 a\n1 Q0 d2 2 x a\n")
    with pytest.raises(FileFormatError, match=r"line 2: the score") as caught:
        read_runs(tmp_path)
    assert "leave it out" not in str(caught.value)


def test_the_way_past_a_stray_file_without_a_common_ending(tmp_path):
    """Where runs have no ending in common, their common beginning does, or else they are named one by one."""
    for name in ("input.bm25", "input.lm", "notes"):
        (tmp_path / name).write_text("words and words\n" if name == "notes" else f"1 Q0 d1 1 3.5 {name}\n")
    with pytest.raises(FileFormatError, match=r"name the others: .*input\.\*"):
        read_runs(tmp_path)
    (tmp_path / "other").write_text("1 Q0 d1 1 3.5 other\n")
    with pytest.raises(FileFormatError, match="name the others one by one"):
        read_runs(tmp_path)


def test_only_lone_returns_are_changed():
    """Text without them is handed on as it is, without a copy."""
    text = b"one\r\ntwo\r\n"
    assert text_of(text, "x") is text
    assert text_of(b"one\r\r\ntwo\r", "x") == b"one\n\r\ntwo\n"
