"""Reading TREC runs and qrels: every rule of the format, against a literal reader written here."""

import csv
import decimal
import io
import lzma
import math
import re
import sys
import tracemalloc
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metaeval.collection.documents import CollectionWarning
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.io.interop import collection_from
from metaeval.io.qrels import read_qrels
from metaeval.io.sources import Source, system_names
from metaeval.io.trec import read_collection, read_runs
from metaeval.io.trec_lines import QRELS, RUN, scan
from metaeval.io.writing import write_bytes

QRELS_TEXT = "1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n2 0 d1 1\n"
RUN_TEXT = "1 Q0 d9 1 3.5 bm25\n1 Q0 d1 2 2.5 bm25\n2 Q0 d1 1 1 bm25\n"
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
TIES = pytest.mark.filterwarnings("ignore::metaeval.collection.documents.CollectionWarning")


def literal_lines(content):
    """Divide a file into (line number, fields), as the format is described."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [
        (number, line.split())
        for number, line in enumerate(lines, start=1)
        if not line.startswith(b"#") and line.split()
    ]


ORDERS = {
    "score": (lambda entry: (entry[1], entry[0]), True),
    "ties-ascending": (lambda entry: (-entry[1], entry[0]), False),
    "rank": (lambda entry: entry[2], False),
    "input": (lambda _: 0, False),
}


def literal_run(content, *, order="score", precision=float):
    """Read a run slowly: {topic: [(document, score)]} in order, or the number of the first line at fault."""
    lists = {}
    faults = []
    for number, fields in literal_lines(content):
        if len(fields) < 6 or not NUMBER.fullmatch(fields[4]) or not math.isfinite(float(fields[4])):
            return number
        if len(fields) > 6 and (not NUMBER.fullmatch(fields[3]) or NUMBER.fullmatch(fields[5])):
            return number
        listed = lists.setdefault(fields[0].decode(), [])
        if fields[2] in [document for document, _, _ in listed]:
            faults.append(number)
        listed.append((fields[2], precision(float(fields[4])), float(fields[3]) if order == "rank" else 0.0))
    if faults:
        return faults[0]
    for listed in lists.values():
        listed.sort(key=ORDERS[order][0], reverse=ORDERS[order][1])
    return {topic: [document for document, _, _ in listed] for topic, listed in lists.items()}


def literal_qrels(content):
    """Read qrels slowly: {topic: {document: level}}, or the number of the first line at fault."""
    judged = {}
    faults = []
    for number, fields in literal_lines(content):
        if len(fields) != 4 or not re.fullmatch(rb"[+-]?\d+", fields[3]):
            return number
        part = judged.setdefault(fields[0].decode(), {})
        if fields[2] in part:
            faults.append(number)
        part[fields[2]] = int(fields[3])
    return faults[0] if faults else judged


def taken_apart(collection, system=0):
    """Return {topic: [(rank, document, level)]} of one run."""
    lists = {}
    for column, topic in enumerate(collection.topics):
        number = system * collection.n_topics + column
        part = slice(collection.offsets[number], collection.offsets[number + 1])
        places = collection.judgments[part]
        lists[topic] = list(
            zip(
                collection.ranks[part].tolist(),
                collection.document_ids[places].tolist(),
                collection.levels[places].tolist(),
                strict=True,
            )
        )
    return lists


def compiled_literally(run, judged):
    """Return what `taken_apart` must give."""
    return {
        topic: [
            (rank, document, levels[document])
            for rank, document in enumerate(run.get(topic, []), start=1)
            if document in levels
        ]
        for topic, levels in judged.items()
    }


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(QRELS_TEXT)
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("trec")


# --- the format, against the literal reader -----------------------------------------------------------------------

blanks = st.sampled_from([" ", "\t", "  ", " \t ", "\x0b", "\x0c"])
line_ends = st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\n# a comment\n", "\n   \n"])
topics = st.sampled_from(["1", "2", "10", "q#7", "é"])
documents = st.text("ab#1éZ.", min_size=1, max_size=4).filter(lambda name: not name.isspace())
scores = st.one_of(
    st.integers(-2, 3).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["1e2", "+.5", "-3.", "0.10000000000000000000001", "1E-3", "00012.50", "123456789012345678901234567890"]
    ),
)


@st.composite
def run_files(draw):
    """Draw a sound run file: any white space, line ends, comments, blank lines, topics in any order."""
    keys = draw(st.lists(st.tuples(topics, documents), min_size=1, max_size=12, unique=True))
    lines = []
    ranks = draw(st.permutations(range(len(keys))))
    for (topic, document), rank in zip(keys, ranks, strict=True):
        fields = [topic, "Q0", document, str(rank), draw(scores), "tag", *draw(st.sampled_from([[], [], ["more"]]))]
        separators = [draw(blanks) for _ in fields[1:]]
        body = "".join(a + b for a, b in zip(fields, [*separators, ""], strict=True))
        lines.append(draw(st.sampled_from(["", " ", "\t"])) + body + draw(line_ends))
    text = draw(st.sampled_from(["", "\ufeff", "# first\n", "\n"])) + "".join(lines)
    return draw(st.sampled_from([text, text.rstrip("\r\n \t")])).encode()


@st.composite
def qrels_files(draw):
    """Draw a sound qrels file."""
    keys = draw(st.lists(st.tuples(topics, documents), min_size=1, max_size=12, unique=True))
    return "".join(
        draw(blanks).join([topic, "0.5", document, str(draw(st.integers(-3, 4)))]) + draw(line_ends)
        for topic, document in keys
    ).encode()


@TIES
@given(run_files(), qrels_files(), st.sampled_from(["score", "ties-ascending", "rank", "input"]), st.booleans())
@example(b"1 Q0 a 1 0 tag", b"1 0 a 1", "score", True)  # noqa: FBT003
def test_reading_equals_the_literal_reader(place, run, qrels, order, single):
    """Ranks, judgments and list lengths are those of a reader that follows the definition line by line."""
    (place / "run.txt").write_bytes(run)
    (place / "qrels.txt").write_bytes(qrels)
    precision = (lambda score: float(np.float32(score))) if single else float
    with np.errstate(over="ignore"):
        expected, judged = literal_run(run, order=order, precision=precision), literal_qrels(qrels)
    options = {"order": order, "score_precision": "float32" if single else "float64"}
    if not set(expected) & set(judged):
        with pytest.raises(FileFormatError, match="no topic in common"):
            read_collection(place / "run.txt", place / "qrels.txt", **options)
        return
    collection = read_collection(place / "run.txt", place / "qrels.txt", **options)
    assert set(collection.topics) == set(judged)
    assert taken_apart(collection) == compiled_literally(expected, judged)
    lengths = {topic: len(expected.get(topic, [])) for topic in judged}
    assert dict(zip(collection.topics, collection.n_retrieved[0].tolist(), strict=True)) == lengths
    table = read_runs(place / "run.txt", **options)["tag"]
    lists = {topic: part["doc_id"].str.encode("utf-8").tolist() for topic, part in table.groupby("query_id")}
    assert lists == expected


@TIES
@given(run_files(), st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(place, run, random):
    """With order='score' any permutation of the lines gives the same table."""
    lines = [line for line in run.decode().removeprefix("\ufeff").split("\n") if line.strip() and line[0] != "#"]
    (place / "one.txt").write_text("\n".join(lines))
    random.shuffle(lines)
    (place / "other.txt").write_text("\n".join(lines))
    pd.testing.assert_frame_equal(read_runs(place / "one.txt")["tag"], read_runs(place / "other.txt")["tag"])


faults = st.sampled_from(
    [
        "1 Q0 d1 1 0.5",
        "1 Q0 d1 1 high tag",
        "1 Q0 d1 1 nan tag",
        "1 Q0 d1 1 -inf tag",
        "1 Q0 d1 1 1e999 tag",
        "1 Q0 d1 1 1,5 tag",
        "1 Q0 d1 1 1_0 tag",
        "1 Q0 d1 1 0x1p3 tag",
        "1 Q0 d1 1 1e tag",
        "1 Q0 d1 1 1e+ tag",
        "1 Q0 d1 1 . tag",
        "1 Q0 d1 1 - tag",
        "1 Q0 d1 1 1.2.3 tag",
        "1 Q0 a doc 1 0.5 tag",
        "1 Q0 doc 1 1 0.5 tag",
        "tag",
    ]
)


@given(run_files(), st.lists(faults, min_size=1, max_size=2), st.data())
def test_the_first_faulty_line_is_named(place, run, added, data):
    """A malformed line, a score that is no finite number: the error has the line number the literal reader finds."""
    lines = run.decode().removeprefix("\ufeff").split("\n")
    for line in added:
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    content = "\n".join(lines).encode()
    (place / "faulty.txt").write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        read_runs(place / "faulty.txt")
    assert caught.value.line == literal_run(content)
    assert caught.value.path == str(place / "faulty.txt")
    assert repr(lines[caught.value.line - 1].strip()) in str(caught.value)


@given(run_files(), st.data())
def test_the_first_repeated_document_is_named(place, run, data):
    """A document twice in a topic: the error has the line of the first repetition, and that of what it repeats."""
    found = [fields for _, fields in literal_lines(run)]
    repeated = data.draw(st.lists(st.sampled_from(found), min_size=1, max_size=3))
    content = b"\n".join(b" ".join(fields) for fields in data.draw(st.permutations(found + repeated)))
    (place / "repeated.txt").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"this document stands in this topic already, in line \d+") as caught:
        read_runs(place / "repeated.txt")
    assert caught.value.line == literal_run(content)
    earlier = int(re.search(r"in line (\d+);", str(caught.value))[1])
    lines = content.split(b"\n")
    assert lines[earlier - 1].split()[:3:2] == lines[caught.value.line - 1].split()[:3:2]
    assert earlier < caught.value.line


decimals = st.from_regex(NUMBER.pattern.decode(), fullmatch=True, alphabet="0123456789+-.eE")


@given(st.lists(st.one_of(decimals, st.floats(allow_nan=False, allow_infinity=False).map(repr)), min_size=1))
@example(["9007199254740993", "9007199254740992.5", "1e23", "8.41e21", "2.2250738585072014e-308", "5e-324", "1e-400"])
@example(["179769313486231580793", "0." + "0" * 30 + "1" * 40, "1" * 400 + "e-399", "-0", "-0.0", "+0e999"])
@example([f"{2**53 + 1}.{'0' * 30}", f"{2**53 + 1}.{'0' * 30}1", "123456789012345678901234567890e-20"])
def test_numbers_are_read_as_python_reads_them(numbers):
    """Every decimal number becomes the nearest float, ties to even, the sign of zero kept; overflow is an error."""
    content = "\n".join(f"1 Q0 d{place} 1 {number} t" for place, number in enumerate(numbers)).encode()
    expected = [float(number) for number in numbers]
    if not all(map(math.isfinite, expected)):
        with pytest.raises(FileFormatError, match="must be finite"):
            scan(content, RUN, path="run")
        return
    found = scan(content, RUN, path="run").numbers
    assert found.tobytes() == np.array(expected).tobytes()


def test_many_drawn_numbers_are_read_exactly():
    """Numbers of 17 and more digits, and those halfway between two floats, are exact."""
    generator = np.random.default_rng(5)
    floats = generator.integers(0, 2**64, size=20_000, dtype=np.uint64).view(np.float64)
    floats = floats[np.isfinite(floats)]
    ordinary = generator.normal(scale=20, size=20_000)
    halfway = [
        f"{2 * int(odd) + 1}e{power}"
        for odd, power in zip(
            generator.integers(2**52, 2**53, size=5_000), generator.integers(0, 3, size=5_000), strict=True
        )
    ]
    texts = [*map(repr, floats.tolist()), *map(repr, ordinary.tolist()), *halfway]
    texts += [f"{value:.25f}" for value in ordinary[:5_000].tolist()]
    with decimal.localcontext(prec=200):
        for value in generator.uniform(0.1, 0.11, size=2_000).tolist():
            middle = format((decimal.Decimal(value) + decimal.Decimal(math.nextafter(value, 1.0))) / 2, "f")
            texts += [middle, middle + "1", middle.removesuffix("5") + "49"]  # on, just above and just below
    content = "\n".join(f"1 Q0 d 1 {text} t" for text in texts).encode()
    assert scan(content, RUN, path="run").numbers.tolist() == list(map(float, texts))


def mostly(sound, rare):
    """Draw something sound nine times out of ten."""
    return st.integers(0, 9).flatmap(lambda place: st.sampled_from(sound if place else rare))


similar_lines = st.tuples(
    mostly(["1 Q0 "], ["12345678 Q0 ", "1 Q00 ", " 1 Q0 ", "1\tQ0 ", "#1 Q0 ", "\n1 Q0 ", "1 Q0  ", "1 "]),
    st.text("ab\x01é", min_size=1, max_size=18),
    mostly([" 1 ", " 12  ", "\t3\t", " 1234567890 "], [" x ", " ", " 1 2 ", " 1\n"]),
    mostly(
        ["1", "2.25", "-.5", "-1.5", "5.", "-0", "0.30000001192092896", "7205759403792793.5"],
        ["+2", "1e3", ".", "-", "1.2.3", "1x", "1e999", "12345678901234567890", "9007199254740993"],
    ),
    mostly([" t\n"], [" t \n", " t\r\n", " a-longer-tag\n", "\n", " t 5\n", " t"]),
).map("".join)


@given(st.lists(similar_lines, max_size=12))
@example(["1 Q0 a 1 2.5 t\n", "1 Q0 b 2 1.5 t"])
@example(["1 Q0 a 1 2.5 t\n", "1 Q0  2 1.5 t\n"])
@example(["1 Q0 a 1 2.5 t x\n", "1 Q0 b 2 1.5 t x\n", "1 Q0 c x 1.5 t x\n"])
@example([f"1 Q0 a 1 {number} t\n" for number in ("-1.5", "9007199254740993", "9007199254740993." + "0" * 9, "1")])
@example(["1 Q0 a 1 2.5 t\n", "1 Q0 b 2 1.5 tt\n", "1 Q0 c 3 1.25 tt\n", "1 Q0 d 3 1.25 t\n"])
def test_lines_that_resemble_the_one_before_are_read_as_any_other(lines):
    """Documents, numbers, topics and the first line at fault are those of a literal reader, however alike lines are."""
    content = "".join(["1 Q0 first 1 9 t\n", *lines]).encode()
    taken, n_wide = [], 0
    for number, fields in literal_lines(content):
        wide = len(fields) > 6 and (not NUMBER.fullmatch(fields[3]) or NUMBER.fullmatch(fields[5]))
        if len(fields) < 6 or wide or not NUMBER.fullmatch(fields[4]) or not math.isfinite(float(fields[4])):
            with pytest.raises(FileFormatError) as caught:
                scan(content, RUN, path="run")
            assert caught.value.line == number
            return
        taken.append((fields[0], fields[2], float(fields[4]).hex(), fields[5]))
        n_wide += len(fields) > 6
    found = scan(content, RUN, path="run")
    owners = found.per_line(range(len(found.topics))).tolist()
    topics, tags = [found.topics[owner] for owner in owners], [found.tags[owner] for owner in owners]
    numbers = [number.hex() for number in found.numbers.tolist()]
    assert list(zip(topics, found.documents(), numbers, tags, strict=True)) == taken
    assert found.n_wide == n_wide


@given(st.integers(-(10**22), 10**22))
def test_levels_are_whole_numbers_within_16_bits(place, level):
    """A level outside ±32767 is refused, with its line."""
    (place / "level.txt").write_text(f"1 0 a 0\n1 0 b {level}\n")
    if abs(level) <= 32_767:
        assert read_qrels(place / "level.txt").levels.tolist() == [0, level]
    else:
        with pytest.raises(FileFormatError, match=r"line 2: the relevance must lie within ±32767"):
            read_qrels(place / "level.txt")


@given(qrels_files())
def test_qrels_equal_the_literal_reader(place, content):
    """Topics in natural order, documents in byte order, levels as written, -1 included."""
    (place / "qrels.txt").write_bytes(content)
    judgments = read_qrels(place / "qrels.txt")
    found = {}
    for column, topic in enumerate(judgments.topics):
        part = slice(*judgments.topic_offsets[column : column + 2])
        names = judgments.document_ids[part].tolist()
        assert names == sorted(names)
        found[topic] = dict(zip(names, judgments.levels[part].tolist(), strict=True))
    assert found == literal_qrels(content)


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "no line to read; expected lines with the columns topic Q0 document rank score tag"),
        (b"# only\n\n#comments\n", None, "no line to read"),
        (b"1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5\n", 2, r"must have 6 columns \(topic .* tag\), and this one has fewer"),
        (
            b"1 Q0 d1 1 x t\n1 Q0 d2 2 y t\n",
            1,
            r"the score \(column 5\) must be a decimal number; the line is '1 Q0 d1 1 x t'$",
        ),
        (b"\r\n1 Q0 d1 1 NaN t\r\n", 2, r"the score \(column 5\) must be finite; the line is '1 Q0 d1 1 NaN t'"),
        (b"1 Q0 d1 1 Infinity t", 1, "must be finite; the line is '1 Q0 d1 1 Infinity t'$"),
        (b"1 Q0 d1 1 " + b"9" * 400 + b" t", 1, "must be finite"),
        (b"1 Q0 doc 7 x 3 2.5 t", 1, "the score .* must be a decimal number"),
        (b"1 Q0 doc 7 3 2.5 t", 1, "more than 6 columns has a number for its tag .* holds no blanks"),
        (b"1 Q0 my doc 3 0.5 t", 1, r"the rank \(column 4\) must be a finite number; .* holds no blanks"),
        (b"1 Q0 d1 1 2 t\n1 Q0 d1 2 1 t\n", 2, "already, in line 1; keep one of them; the line is '1 Q0 d1 2 1 t'"),
        (b"1 Q0 d1 1 2 t\n2 Q0 d2 2 1 u\n", 2, "a second tag, 'u' after 't': .* pass `split_tags=True`"),
        (b"1 Q0 d\0 1 2 t\n", 1, "a zero byte: this is no text file"),
        ("1 Q0 d 1 2 t\n".encode("utf-16"), None, "the file is UTF-16; save it as UTF-8"),
        (b"1 Q0 d 1 2 t\n1 Q0 \xe9 1 1 t\n", 2, "no UTF-8"),
        (b"\x1f\x8b\x08broken", None, "compressed"),
    ],
)
def test_faulty_runs_are_refused_with_file_line_and_line(tmp_path, qrels, content, line, message):
    """Every fault names the file and, where there is one, the line."""
    path = tmp_path / "faulty.run"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_collection(path, qrels)
    assert caught.value.line == line
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "no line to read; expected lines with the columns topic iteration document relevance"),
        (b"1 0 d1\n", 1, "and this one has fewer"),
        (b"1 0 d1 1\n1 0 d2 1 0.3\n", 2, "and this one has more; the line is '1 0 d2 1 0.3'"),
        (b"1 0 d1 1.0.0\n", 1, r"the relevance \(column 4\) must be a decimal number"),
        (b"1 0 d1 relevant\n", 1, "must be a decimal number"),
        (b"1 0 d1 nan\n", 1, "must be"),
        (b"1 0 d1 1\n\n2 0 d1 1\n1 0 d1 0\n", 4, "judged twice on this topic, first in line 1; keep one"),
    ],
)
def test_faulty_qrels_are_refused_with_file_line_and_line(tmp_path, content, line, message):
    """The same for qrels."""
    path = tmp_path / "faulty.qrels"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_qrels(path)
    assert caught.value.line == line


def test_a_long_line_is_shortened_in_the_message(tmp_path):
    """A message does not hold a megabyte."""
    (tmp_path / "long.txt").write_text("x" * 1_000_000)
    with pytest.raises(FileFormatError) as caught:
        read_runs(tmp_path / "long.txt")
    assert len(str(caught.value)) < 500
    for length, shown in ((120, "x" * 120), (121, "x" * 120 + "…")):
        (tmp_path / "long.txt").write_text("x" * length)
        with pytest.raises(FileFormatError, match=f"the line is '{shown}'$"):
            read_runs(tmp_path / "long.txt")


def test_equal_ranks_are_refused_when_they_order_the_list(tmp_path, qrels):
    """order='rank' needs ranks that differ; otherwise the rank column may hold anything."""
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n1 Q0 c 1 0 t\n")
    assert read_runs(path)["t"].shape == (4, 4)
    with pytest.raises(FileFormatError, match="line 4: this rank is given in this topic already, in line 1"):
        read_collection(path, qrels, order="rank")
    path.write_text("1 Q0 a first 2 t\n")
    assert read_runs(path)["t"].shape == (1, 4)
    with pytest.raises(FileFormatError, match=r"line 1: the rank .* must be a finite number"):
        read_runs(path, order="rank")


def test_options_outside_their_rule_are_refused(tmp_path, qrels):
    """Names of choices, numbers of workers and standard input asked for twice."""
    (tmp_path / "run.txt").write_text(RUN_TEXT)
    for options, message in (
        ({"retrieved": "some"}, "no choice for retrieved 'some'"),
        ({"order": "scores"}, "no order of documents 'scores'; did you mean 'score'"),
        ({"score_precision": "float16"}, "no score precision 'float16'"),
        ({"missing": "drop"}, "no rule for missing topics 'drop'"),
        ({"n_jobs": 0}, r"`n_jobs` must be 1 or more"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            read_collection(tmp_path / "run.txt", qrels, **options)
    with pytest.raises(UnknownNameError):
        read_runs(tmp_path / "run.txt", order="scores")
    with pytest.raises(InvalidOptionError, match="cannot both be '-'"):
        read_collection("-", "-")


def test_runs_and_qrels_without_a_common_topic_are_refused(tmp_path, qrels):
    """Topics are matched by their text: 01 is not 1."""
    (tmp_path / "run.txt").write_text("01 Q0 d1 1 1 t\n")
    with pytest.raises(FileFormatError, match="no topic in common: runs answer 01, the qrels judge 1, 2"):
        read_collection(tmp_path / "run.txt", qrels)


# --- which files, and what they are called ------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Make a folder of three runs, two with the same tag, beside things that are no runs."""
    runs = tmp_path / "runs"
    (runs / "below").mkdir(parents=True)
    (runs / ".hidden").write_text("no run")
    (runs / "below" / "other.txt").write_text("no run")
    for name, tag in (("input.r10.txt", "same"), ("input.r9", "same"), ("third.run", "lm")):
        write_bytes(runs / f"{name}.gz", RUN_TEXT.replace("bm25", tag).encode())
    return runs


def test_a_folder_holds_one_run_a_file_in_natural_order(folder, qrels):
    """Runs are named by tag; those that share one by their file, and that is said; nothing is merged."""
    collection = read_collection(folder, qrels)
    assert collection.systems == ("input.r9", "input.r10", "lm")
    assert collection.notes == ("2 runs have the tag 'same' and are named by their files: input.r9, input.r10",)
    assert collection.n_retrieved.tolist() == [[2, 1]] * 3


def test_patterns_lists_and_names_say_which_files(folder, qrels):
    """A pattern, a list, NAME=path and a mapping; what does not exist, or twice, is refused."""
    assert read_collection(str(folder / "*.r[0-9]*.gz"), qrels).systems == ("input.r9", "input.r10")
    third = folder / "third.run.gz"
    assert read_collection([str(folder / "input*"), third], qrels).systems == ("input.r9", "input.r10", "lm")
    assert read_collection([f"mine={third}", folder / "input.r9.gz"], qrels).systems == ("mine", "same")
    assert read_collection({"mine": third}, qrels).systems == ("mine",)
    assert list(read_runs(folder)) == ["input.r9", "input.r10", "lm"]
    for paths, message in (
        (str(folder / "none*"), "no file matches this pattern"),
        (folder / "third.run", "did you mean 'third.run.gz'"),
        ([third, third], "given twice"),
        ([], "no file was given"),
        (folder / "below" / "deeper", "no such file"),
    ):
        with pytest.raises(ValueError, match=message):
            read_collection(paths, qrels)


def test_names_climb_until_they_differ():
    """Tag, then file name, then path; a tag may be another run's file name."""
    names, notes = system_names([("t", Source("x/a.txt")), ("t", Source("y/a.txt")), ("u", Source("z/a.txt"))])
    assert names == ["x/a.txt", "y/a.txt", "u"]
    assert notes == ["2 runs have the tag 't' and are named by their files: x/a.txt, y/a.txt"]
    names, notes = system_names([("t", Source("a.txt")), ("t", Source("b.txt")), ("a", Source("c.txt"))])
    assert names == ["a.txt", "b", "c"]
    assert len(notes) == 2
    with pytest.raises(InvalidOptionError, match="two runs would be named 'x'"):
        system_names([("t", Source("a.txt", "x")), ("u", Source("b.txt", "x"))])


def test_a_file_of_several_tags_is_several_runs_on_request(tmp_path, qrels):
    """split_tags=True takes the lines of each tag for a run, whatever their order."""
    path = tmp_path / "all.txt"
    path.write_text("1 Q0 d1 1 2 a\n1 Q0 d1 1 5 b\n2 Q0 d1 1 2 a\n1 Q0 d3 2 6 b\n1 Q0 d2 2 3 a\n1 Q0 x 0 1 b\n")
    collection = read_collection(path, qrels, split_tags=True, retrieved="all")
    assert collection.systems == ("a", "b")
    assert taken_apart(collection, 0) == {"1": [(1, b"d2", 0), (2, b"d1", 2)], "2": [(1, b"d1", 1)]}
    assert taken_apart(collection, 1) == {"1": [(1, b"d3", 1), (2, b"d1", 2)], "2": []}
    assert collection.notes == ("empty lists, scored 0: 1 ('b' lacks 1 of 2 topics)",)
    tables = read_runs(path, split_tags=True)
    assert tables["b"]["doc_id"].tolist() == ["d3", "d1", "x"]
    assert tables["b"]["score"].tolist() == [6, 5, 1]
    path.write_text("q3 0 d1 2 7 b\n0 0 d1 2 4 a\nq3 0 d3 1 5 a\n")
    tables = read_runs(path, split_tags=True)
    assert tables["a"][["query_id", "doc_id", "score"]].to_numpy().tolist() == [["0", "d1", 4], ["q3", "d3", 5]]
    path.write_text("1 Q0 d1 1 2 a\n1 Q0 d1 1 5 b\n1 Q0 d3 2 6 b\n1 Q0 d1 2 3 b\n")
    with pytest.raises(FileFormatError, match="line 4: this document stands in this topic already, in line 2"):
        read_collection(path, qrels, split_tags=True)


def test_standard_input_is_a_run_or_the_qrels(monkeypatch, tmp_path, qrels):
    """The path - reads standard input."""
    run = tmp_path / "run.txt"
    run.write_text(RUN_TEXT)
    expected = taken_apart(read_collection(run, qrels))
    for paths, content in ((("-", qrels), RUN_TEXT), ((run, "-"), QRELS_TEXT)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert taken_apart(read_collection(*paths)) == expected


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_compressed_files_equal_plain_ones(tmp_path, qrels, ending):
    """Runs and qrels are unpacked by content."""
    plain = tmp_path / "run.txt"
    plain.write_text(RUN_TEXT)
    packed = write_bytes(tmp_path / f"run.txt{ending}", RUN_TEXT.encode())
    packed_qrels = write_bytes(tmp_path / f"qrels.txt{ending}", QRELS_TEXT.encode())
    assert taken_apart(read_collection(packed, packed_qrels)) == taken_apart(read_collection(plain, qrels))


# --- the collection that comes out --------------------------------------------------------------------------------


def test_ties_are_warned_of_once(tmp_path, qrels):
    """One warning names the runs with many ties; the share of each run is kept."""
    for name, second in (("a", "5"), ("b", "5"), ("c", "4")):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 x 1 5 {name}\n1 Q0 y 2 {second} {name}\n")
    words = r"in 2 of 3 runs more than 10 % .* \(b 100 %, a 100 %\)\. Ties are ordered by document identifier, "
    with pytest.warns(CollectionWarning, match=words + "ascending"):
        read_collection(str(tmp_path / "*.run"), qrels, order="ties-ascending")
    with pytest.warns(CollectionWarning, match=words + "descending, as in trec_eval") as caught:
        collection = read_collection(str(tmp_path / "*.run"), qrels)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert collection.tied.tolist() == [1, 1, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(read_collection(str(tmp_path / "*.run"), qrels, order="rank").tied).all()


@pytest.mark.parametrize(("n_documents", "told"), [(19, True), (20, False), (21, False)])
def test_a_tenth_of_ties_is_not_many(tmp_path, qrels, n_documents, told):
    """Two tied documents of twenty pass without a word, of nineteen they do not."""
    lines = (f"1 Q0 d{place} {place} {100 - max(place, 1)} a\n" for place in range(n_documents))
    (tmp_path / "a.run").write_text("".join(lines))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CollectionWarning)
        collection = read_collection(tmp_path / "a.run", qrels)
    assert collection.tied.tolist() == [2 / n_documents]
    assert any("tied scores" in str(one.message) for one in caught) == told


def test_groups_pooled_runs_and_missing_topics_are_passed_on(tmp_path, qrels):
    """read_collection applies groups, pooled and missing as the collection's own methods do."""
    (tmp_path / "a.run").write_text(RUN_TEXT.replace("bm25", "a"))
    (tmp_path / "b.run").write_text("1 Q0 d1 1 1 b\n9 Q0 d1 1 1 b\n")
    options = {"groups": {"a": "x", "b": "y"}, "pooled": ["b"]}
    collection = read_collection(str(tmp_path / "*.run"), qrels, **options)
    assert (collection.groups, collection.pooled.tolist()) == (("x", "y"), [False, True])
    assert collection.notes == (
        "topics of the runs without judgments, ignored: 1 (9)",
        "empty lists, scored 0: 1 ('b' lacks 1 of 2 topics)",
    )
    assert read_collection(str(tmp_path / "*.run"), qrels, missing="drop-systems").systems == ("a",)


def test_workers_do_not_change_the_answer(tmp_path):
    """Any number of workers gives the same arrays, also with every document kept."""
    generator = np.random.default_rng(3)
    for run in range(7):
        lines = [
            f"{topic} Q0 d{document} 0 {generator.normal():.4f} run{run}"
            for topic in range(5)
            for document in generator.permutation(60)[:20]
        ]
        (tmp_path / f"run{run}.txt").write_text("\n".join(lines))
    (tmp_path / "qrels").write_text("\n".join(f"{t} 0 d{d} {d % 3}" for t in range(5) for d in range(0, 60, 3)))
    one, many = (
        read_collection(str(tmp_path / "run*"), tmp_path / "qrels", retrieved="all", n_jobs=n_jobs) for n_jobs in (1, 4)
    )
    for name in ("offsets", "ranks", "judgments", "n_retrieved", "tied"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()
    assert one.retrieved.codes.tobytes() == many.retrieved.codes.tobytes()
    assert one.retrieved.n_codes == many.retrieved.n_codes
    assert one.systems == many.systems


def test_a_fault_in_one_of_many_files_is_the_first_in_their_order(tmp_path, qrels):
    """With several workers the error is still that of the first faulty file."""
    for number in range(8):
        (tmp_path / f"{number}.run").write_text(RUN_TEXT if number < 5 else "broken\n")
    for n_jobs in (1, 3):
        with pytest.raises(FileFormatError, match=r"5\.run, line 1"):
            read_collection(str(tmp_path / "*.run"), qrels, n_jobs=n_jobs)


# --- real files ---------------------------------------------------------------------------------------------------


@TIES
def test_the_order_of_documents_is_trec_evals(data_folder):
    """On 12 runs of TREC-COVID, many with ties, the order equals trec_eval's: 32-bit scores, then identifiers."""
    folder = data_folder / "trec-covid-r1"
    runs = read_runs(folder / "runs", score_precision="float32")
    with lzma.open(folder / "rankings.tsv.xz", "rt") as lines:
        limit = csv.field_size_limit(10**7)
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["run"] in runs]
        csv.field_size_limit(limit)
    lists = {name: dict(list(table.groupby("query_id")["doc_id"])) for name, table in runs.items()}
    assert len(rows) == 12 * 30
    for row in rows:
        assert lists[row["run"]][row["topic"]].tolist() == row["docnos"].split(" ")


@TIES
@pytest.mark.parametrize(
    ("name", "qrels", "lowest", "column"),
    [
        ("trec-covid-r1", "qrels-rnd1.txt.gz", 1, "map"),
        ("trec-dl19-passage", "qrels.txt.gz", 1, "map"),
        ("trec-dl19-passage", "qrels.txt.gz", 2, "map_rel2"),
    ],
)
def test_average_precision_from_the_collection_is_trec_evals(data_folder, name, qrels, lowest, column):
    """AP, written out from ranks and levels, equals trec_eval's on every run and topic."""
    folder = data_folder / name
    collection = read_collection(folder / "runs", folder / qrels, score_precision="float32")
    published = pd.read_csv(folder / "per_topic_trec_eval.csv.gz", dtype={"topic": str}).set_index(["run", "topic"])
    relevant = collection.levels >= lowest
    n_relevant = np.add.reduceat(relevant, collection.topic_offsets[:-1])
    for number in range(collection.n_systems * collection.n_topics):
        row, place = divmod(number, collection.n_topics)
        part = slice(collection.offsets[number], collection.offsets[number + 1])
        ranks = collection.ranks[part][relevant[collection.judgments[part]]]
        found = (np.arange(1, len(ranks) + 1) / ranks).sum() / max(n_relevant[place], 1)
        expected = published.loc[(collection.systems[row], collection.topics[place]), column]
        assert abs(found - expected) < 1e-6


def _written(folder, name, lines):
    (folder / name).write_text(
        "".join(f"{topic} Q0 {document} {rank} {score} {name}\n" for topic, document, rank, score in lines)
    )
    return folder / name


RANK_COLUMNS = {
    "as trec_eval wants it": (lambda rank: (rank, 10 - rank), None),
    "distances": (lambda rank: (rank, 0.1 * rank), "in 1 of 2 runs scores rise from the first rank on .odd"),
    "rank and score swapped": (lambda rank: (9.75 - rank, rank), "in 1 of 2 runs ranks are no whole numbers .odd"),
    "ranks turned round": (lambda rank: (10 - rank, 10 - rank), "scores rise from the first rank on"),
    "ranks all alike": (lambda rank: (0, 0.1 * rank), None),
    "ranks that are words": (lambda rank: ("x", 0.1 * rank), None),
    "scores all alike": (lambda rank: (rank, 1), None),
}


@pytest.mark.parametrize(("order", "words"), RANK_COLUMNS.values(), ids=RANK_COLUMNS.keys())
@pytest.mark.parametrize("form", ["files", "frames"])
@pytest.mark.filterwarnings("ignore:in . of 2 runs more than 10 %")
def test_ranks_that_contradict_the_scores_are_told(tmp_path, order, words, form):
    """A run ordered by distance, or with swapped columns, scores what its end deserves: the reader says so."""
    lists = [(topic, f"d{rank}", *order(rank)) for topic in ("1", "2", "3") for rank in range(1, 9)]
    plain = [(topic, f"d{rank}", rank, 10 - rank) for topic in ("1", "2", "3") for rank in range(1, 9)]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d1 1\n" for topic in ("1", "2", "3")))
    if form == "files":
        read = partial(read_collection, [_written(tmp_path, "odd", lists), _written(tmp_path, "plain", plain)])
    else:
        names = ["query_id", "doc_id", "rank", "score"]
        read = partial(
            collection_from, {"odd": pd.DataFrame(lists, columns=names), "plain": pd.DataFrame(plain, columns=names)}
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(tmp_path / "qrels")
    told = [str(one.message) for one in caught if "more than 10 %" not in str(one.message)]
    assert len(told) == (words is not None)
    assert words is None or re.search(words, told[0])
    if form == "files":
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read(tmp_path / "qrels", order="input")
        assert not caught


def test_the_runs_of_tracks_raise_no_doubt(data_folder):
    """No run of these tracks is read the wrong way round, whatever its ranks look like."""
    for runs in ("trec-dl19-passage/runs", "trec-covid-r1/runs"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read_runs(data_folder / runs)
        assert [one for one in caught if "scores rise" in str(one.message) or "whole" in str(one.message)] == []


def test_documents_that_no_run_shares_with_the_judgments(tmp_path):
    """Identifiers of another kind make every score 0, so they are refused; a single such run is named."""
    lines = [(str(topic), f"d{rank}", rank, 10 - rank) for topic in range(20) for rank in range(1, 4)]
    other = [(topic, f"MARCO_{document}", rank, score) for topic, document, rank, score in lines]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 MARCO_d1 1\n" for topic in range(20)))
    good, strange = _written(tmp_path, "good", other), _written(tmp_path, "strange", lines)
    with pytest.raises(FileFormatError, match=r"qrels: no run retrieves any judged document \('MARCO_d1' is one"):
        read_collection(strange, tmp_path / "qrels")
    notes = read_collection([good, strange], tmp_path / "qrels").notes
    assert notes == ("runs that retrieve no judged document, so that nothing in them counts: 1 (strange)",)


def test_topics_that_no_run_answers_are_named(tmp_path):
    """Judgments of other topics, a training set's for example, would lower every score: the note says the way out."""
    lines = [("1", "d1", 1, 2.0), ("2", "d1", 1, 2.0)]
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n7 0 d1 1\n8 0 d1 1\n")
    runs = [_written(tmp_path, "a", lines), _written(tmp_path, "b", lines[:1])]
    notes = read_collection(runs, tmp_path / "qrels").notes
    assert notes[0].startswith(
        "topics that no run answers: 2 (7, 8); every run scores 0 there, and `missing='drop-topics'`"
    )
    assert read_collection(runs, tmp_path / "qrels", missing="drop-topics").topics == ("1",)


def test_the_files_of_trec_eval_are_read(data_folder):
    """Those of its own tests: comments, '#' inside identifiers, junk at the end of lines, a missing topic."""
    folder = data_folder / "golden" / "trec_eval"
    cut = read_collection(folder / "results.trunc", folder / "qrels.test")
    assert cut.n_retrieved.tolist() == [[500, 0, 84]]
    assert "columns after the sixth, ignored in lines: 5" in cut.notes[0]
    assert "lacks 1 of 3 topics" in cut.notes[1]
    plain = read_qrels(folder / "qrels.test")
    commented = read_qrels(folder / "qrels.test.with-comments")
    assert commented.levels.tolist() != []
    assert sum(b"#" in name for name in commented.document_ids.tolist()) > 0
    assert len(commented.levels) == len(plain.levels)
    assert read_qrels(folder / "qrels.rel_level").levels.max() > 1
    assert scan((folder / "qrels.test").read_bytes(), QRELS, path="qrels").n_wide == 0


# -------------------------------------------------------------------------------------------- what is huge or swapped


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1" + "0" * 100_100 + "e-200000", 0.0),  # was read as 1e100: the exponent was cut at 100,000
        ("0." + "0" * 200_000 + "1e200001", 1.0),
        ("9" * 5000 + "e-5000", 1.0),
        ("-" + "1" * 5000 + "e-4999", -1.1111111111111112),
        ("1e-400", 0.0),
        ("5e-324", 5e-324),
        ("18446744073709551617", 18446744073709551617.0),
        ("0" * 5000 + "7", 7.0),
        ("1e" + "0" * 5000 + "2", 100.0),
    ],
)
def test_numbers_far_beyond_64_bits_have_their_value(tmp_path, number, value):
    """However it is spelled, a number that a float can hold is read as that float."""
    path = tmp_path / "a.run"
    path.write_text(f"1 Q0 d1 1 {number} a\n")
    assert read_runs(path)["a"]["score"].tolist() == [value]


@pytest.mark.parametrize("number", ["9" * 5000, "1e309", "-1e400", "1e" + "9" * 5000, "nan", "-inf", "Infinity"])
def test_scores_without_a_float_are_refused(tmp_path, number):
    """What overflows, and what is no number at all to compare by, is an error with its line."""
    path = tmp_path / "a.run"
    path.write_text(f"1 Q0 d1 1 1 a\n1 Q0 d2 1 {number} a\n")
    with pytest.raises(FileFormatError, match=r"line 2: the score \(column 5\) must be finite"):
        read_runs(path)


@pytest.mark.parametrize("level", ["9" * 5000, "-" + "9" * 30, "18446744073709551616", "32768", "-32768", "inf", "1e5"])
def test_levels_beyond_16_bits_are_refused(tmp_path, level):
    """A level that no 16-bit number holds is an error with its line and the rule."""
    path = tmp_path / "qrels.txt"
    path.write_text(f"1 0 d1 1\n1 0 d2 {level}\n")
    with pytest.raises(FileFormatError, match=r"line 2: the relevance.*(within ±32767|must be finite)"):
        read_qrels(path)
    path.write_text("1 0 d1 1\n1 0 d2 " + "0" * 5000 + "3\n")
    assert read_qrels(path).levels.tolist() == [1, 3]


def test_one_very_long_identifier_costs_its_own_length(tmp_path):
    """Twenty thousand short identifiers and one of a megabyte: 18.6 GiB, when all were as wide as the widest."""
    documents = [f"d{number}" for number in range(20_000)] + ["x" * 1_000_000]
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("".join(f"1 Q0 {name} 1 {-rank} a\n" for rank, name in enumerate(documents)))
    qrels.write_text("".join(f"1 0 {name} {len(name) % 2}\n" for name in documents))
    tracemalloc.start()
    collection = read_collection(run, qrels, retrieved="all", n_jobs=1)
    table = read_runs(run)["a"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * 2**20
    assert collection.documents("1") == sorted(documents)
    assert table["doc_id"].tolist() == documents
    assert collection.ranks.tolist() == list(range(1, 20_002))
    assert collection.select(topics=["1"]).documents("1") == sorted(documents)


@pytest.mark.parametrize(("what", "line"), [("topic", "{} Q0 d1 1 0.5 a\n"), ("tag", "2 Q0 d1 1 0.5 {}\n")])
def test_very_long_names_are_refused(tmp_path, what, line):
    """Topics and systems label every table: a name of more than a thousand bytes is refused, naming the limit."""
    path = tmp_path / "a.run"
    path.write_text(line.format("1" * 1000))
    assert len(read_runs(path)) == 1
    path.write_text(line.format("1" * 1001))
    with pytest.raises(FileFormatError, match=rf"line 1: a {what} of 1,001 bytes; at most 1,000 are read"):
        read_runs(path)


def test_runs_and_qrels_that_are_swapped_are_named(tmp_path):
    """Either file in the place of the other is recognised by its columns."""
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("1 Q0 d1 1 0.5 a\n")
    qrels.write_text("1 0 d1 1\n")
    with pytest.raises(FileFormatError, match=r"a\.run: this is a run .*give judgments, or exchange the two"):
        read_collection(qrels, run)
    with pytest.raises(FileFormatError, match=r"a\.run: this is a run"):
        read_qrels(run)
    with pytest.raises(FileFormatError, match=r"qrels\.txt: this is a file of judgments .*exchange the two"):
        read_collection(qrels, qrels)


def test_names_with_blanks_that_are_none(tmp_path):
    """A document whose name holds a no-break space is its own, in runs and judgments, and it is said."""
    run, other, qrels = (tmp_path / name for name in ("a.run", "b.run", "x.qrels"))
    run.write_text("1 Q0 d\u00a01 1 2 a\n1 Q0 d2 2 1 a\n", encoding="utf-8")
    other.write_text("1 Q0 d2 1 2 b\n1 Q0 d3 2 1 b\n", encoding="utf-8")
    qrels.write_text("1 0 d\u00a01 1\n1 0 d2 0\n", encoding="utf-8")
    notes = read_collection([run, other], qrels).notes
    assert [note.partition(": ")[0] for note in notes if "U+00A0" in note] == [str(run), str(qrels)]


def test_documents_in_another_case_are_named_in_small_collections_too(tmp_path):
    """One topic is enough for a note, for scores are 0 and no more; it shows a document in both spellings."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    run = _written(tmp_path, "a", [(1, "D1", 1, 3), (1, "D2", 2, 2)])
    notes = read_collection(run, tmp_path / "qrels").notes
    nothing = "runs that retrieve no judged document, so that nothing in them counts: 1 (a)"
    assert notes == (f"{nothing}; 'D1' in the runs and 'd1' in the qrels differ only in case: write both alike",)


def test_documents_before_the_iteration_are_refused(tmp_path):
    """The way out, the columns in order, is what is meant."""
    lines = [(1, "d1", 0, 1), (1, "d2", 0, 0), (2, "d1", 0, 1), (2, "d3", 0, 0)]
    path = tmp_path / "qrels"
    path.write_text("".join(f"{a} {b} {c} {d}\n" for a, b, c, d in lines))
    with pytest.raises(FileFormatError, match=r"line 2: all documents in column 3 are '0'.*\$1, \$3, \$2, \$4"):
        read_qrels(path)
    path.write_text("".join(f"{a} {c} {b} {d}\n" for a, b, c, d in lines))
    assert read_qrels(path).levels.tolist() == [1, 0, 1, 0]
