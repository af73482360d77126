import gzip
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import COLUMNS, Assessments, Submission, empty_table, table_of
from metaeval.inex.file_rules import InexWarning
from metaeval.inex.reading import read_assessments, read_element_sizes, read_pool, read_submission, read_submissions
from metaeval.inex.writing import write_assessments, write_element_sizes, write_submission

NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=8).filter(
    lambda name: not (name.endswith(".xml") or name.startswith("<"))  # a file that begins with "<" is XML
)
PATHS = st.lists(st.tuples(st.sampled_from(["p", "bdy", "ss1"]), st.integers(1, 9)), min_size=1, max_size=4).map(
    lambda steps: "".join(f"/{tag}[{number}]" for tag, number in steps)
)
SIZES = st.integers(0, 10**7)
PLACES = {
    "element": st.tuples(PATHS, st.just(""), st.just(-1), st.just(-1)),
    "range": st.tuples(PATHS, PATHS, st.just(-1), st.just(-1)),
    "passage": st.tuples(st.just(""), st.just(""), SIZES, SIZES),
    "entry point": st.tuples(st.just(""), st.just(""), SIZES, st.just(-1)),
}


def same(left, right, *, but=("line",)):
    assert_frame_equal(left.drop(columns=list(but)), right.drop(columns=list(but)))


def _submission(lists, kind, draw):
    rows = []
    for topic, documents in lists.items():
        for rank, document in enumerate(documents, start=1):
            rows.append((topic, document, *draw(PLACES[kind]), float(rank), 0.5 - float(rank), 0))
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS["results"])
    results = table_of("results", dict(zip(COLUMNS["results"], columns, strict=True)))
    return Submission(run="a&b<'\"", participant="7", task="CO", results=results, answered=tuple(lists))


LISTS = st.dictionaries(NAMES, st.lists(NAMES, max_size=4), max_size=3)


@given(lists=LISTS, kind=st.sampled_from(list(PLACES)), data=st.data())
def test_a_submission_in_xml_comes_back(tmp_path_factory, lists, kind, data):
    """What is written is read back: every location, rank, score, name and empty list."""
    made = _submission(lists, kind, data.draw)
    path = write_submission(made, tmp_path_factory.mktemp("run") / "run.xml.gz")
    read = read_submission(path)
    same(read.results, made.results)
    assert (read.run, read.participant, read.task, read.answered) == (
        made.run,
        made.participant,
        made.task,
        made.answered,
    )


@given(lists=LISTS.filter(lambda lists: any(lists.values())), kind=st.sampled_from(list(PLACES)), data=st.data())
def test_a_submission_in_lines_comes_back(tmp_path_factory, lists, kind, data):
    """The form of 2009 and 2010 keeps results, ranks and scores; topics without results are lost."""
    made = _submission(lists, kind, data.draw)
    read = read_submission(write_submission(made, tmp_path_factory.mktemp("run") / "run.txt", form="lines"))
    same(read.results, made.results)
    assert read.answered == tuple(topic for topic, documents in lists.items() if documents)


def test_lines_give_every_result_a_rank_and_a_score(tmp_path):
    """Where a run has neither, the order of its results becomes both."""
    results = table_of("results", {"topic": ["1", "1", "2"], "document": ["a", "b", "a"], "offset": [4, 9, -1]})
    path = write_submission(Submission(run="r", results=results), tmp_path / "run.txt", form="lines")
    with pytest.warns(InexWarning, match="place was not found"):
        assert read_submission(path).results[["rank", "rsv"]].to_numpy().tolist() == [[1, -1], [2, -2], [1, -1]]


def test_lines_hold_one_kind_of_location(tmp_path):
    """Elements and passages together need XML; an unknown form is named."""
    results = table_of(
        "results", {"topic": ["1", "1"], "document": ["a", "b"], "path": ["/a[1]", ""], "offset": [-1, 3]}
    )
    mixed = Submission(run="r", results=results, answered=("1",))
    with pytest.raises(InvalidOptionError, match="`form='xml'`"):
        write_submission(mixed, tmp_path / "run", form="lines")
    with pytest.raises(UnknownNameError, match="xml, lines"):
        write_submission(mixed, tmp_path / "run", form="json")
    same(read_submission(write_submission(mixed, tmp_path / "run.xml")).results, results)


@st.composite
def trees(draw):
    """Draw an assessed document: paths, none twice, and degrees that do not rise on the way down."""
    paths = sorted({"/article[1]", *("/article[1]" + path for path in draw(st.lists(PATHS, max_size=6)))})
    degree = {}
    for path in paths:
        above = next(
            (degree[other] for other in reversed(paths) if path.startswith(other + "/") and other in degree), 3
        )
        degree[path] = draw(st.integers(1, above))
    return degree


@given(
    documents=st.dictionaries(NAMES, trees(), max_size=3),
    scale=st.sampled_from(["2002", "2003", "2005"]),
    data=st.data(),
)
def test_assessments_of_elements_come_back(tmp_path_factory, documents, scale, data):
    """What is written of the scales of 2002, 2003 and 2005 is read back, topic by topic."""
    rows, heads = [], []
    topics = ("7", "10")
    for topic in topics:
        for document, degrees in documents.items():
            size = data.draw(st.integers(1, 10**6))
            highlighted = data.draw(st.integers(1, size))
            heads.append((topic, document, highlighted if scale == "2005" else -1, size if scale == "2005" else -1))
            for path, degree in degrees.items():
                if scale == "2005":
                    rows.append((topic, document, path, (-1, 1, 2)[degree - 1], highlighted / size, size, highlighted))
                else:
                    grade = data.draw(st.sampled_from([1, 3]))
                    rows.append((topic, document, path, degree, float(grade), -1, -1))
        heads.append((topic, "nothing in it", 0 if scale == "2005" else -1, -1))
    columns = list(zip(*rows, strict=True)) or [()] * 7
    elements = table_of("elements", dict(zip(list(COLUMNS["elements"])[:7], columns, strict=True)))
    heads = dict(zip(list(COLUMNS["documents"])[:4], zip(*heads, strict=True), strict=True))
    made = Assessments(scale=scale, documents=table_of("documents", heads), elements=elements)
    folder = write_assessments(made, tmp_path_factory.mktemp("judged") / "all")
    read = read_assessments(folder)
    if documents:
        assert read.scale == scale
    order = {topic: number for number, topic in enumerate(topics)}
    for name in ("documents", "elements", "passages"):
        table = getattr(read, name)
        same(
            table.sort_values("topic", key=lambda one: one.map(order), kind="stable", ignore_index=True),
            getattr(made, name),
        )


@st.composite
def highlighted(draw):
    """Draw the passages of a document: apart from one another, in order."""
    steps = draw(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 500)), max_size=4))
    passages, end = [], 0
    for gap, length in steps:
        passages.append((end + gap, length))
        end += gap + length
    return passages, end + draw(st.integers(1, 100))


@given(topics=st.dictionaries(st.sampled_from("abc"), st.dictionaries(NAMES, highlighted(), min_size=1), min_size=1))
def test_assessments_of_passages_come_back(tmp_path_factory, topics):
    """What is written as FOL judgments is read back, documents with nothing relevant included."""
    documents, passages = [], []
    for topic, judged in topics.items():
        for document, (found, size) in judged.items():
            entry = found[0][0] if found else -1
            documents.append((topic, document, sum(length for _, length in found), size, entry))
            passages += [(topic, document, offset, length) for offset, length in found]
    made = Assessments(
        scale="passages",
        documents=table_of(
            "documents", dict(zip(list(COLUMNS["documents"])[:5], zip(*documents, strict=True), strict=True))
        ),
        passages=table_of(
            "passages",
            dict(zip(list(COLUMNS["passages"])[:4], list(zip(*passages, strict=True)) or [()] * 4, strict=True)),
        ),
    )
    read = read_assessments(write_assessments(made, tmp_path_factory.mktemp("judged") / "qrels.txt.gz"))
    same(read.documents, made.documents)
    same(read.passages, made.passages)


def test_passages_by_points_come_back(tmp_path):
    """Points in text need XML, and offsets cannot be written as points."""
    passages = {
        "topic": ["1"],
        "document": ["d"],
        "length": [9],
        "start": ["/a[1]/text()[1].0"],
        "end": ["/a[1]/text()[1].9"],
    }
    documents = {"topic": ["1"], "document": ["d"], "relevant_size": [9], "best_entry_point": ["/a[1]/text()[1].2"]}
    made = Assessments(
        scale="passages",
        documents=table_of("documents", documents),
        passages=table_of("passages", passages),
    )
    read = read_assessments(write_assessments(made, tmp_path / "folder"))
    assert read.scale == "passages"
    same(read.passages, made.passages)
    same(read.documents, made.documents)
    by_offset = replace(made, scale="2005", passages=made.passages.assign(start="", offset=4))
    with pytest.raises(InvalidOptionError, match="have no points to write"):
        write_assessments(by_offset, tmp_path / "other")


@given(
    st.dictionaries(
        st.tuples(NAMES.filter(lambda name: not set(name) & set('",')), PATHS), st.integers(1, 10**9), min_size=1
    )
)
def test_sizes_come_back(tmp_path_factory, sizes):
    """A table of sizes is read back as it was written."""
    made = pd.DataFrame([(*place, size) for place, size in sizes.items()], columns=["document", "path", "size"])
    made = made.astype({"document": object, "path": object})
    assert_frame_equal(read_element_sizes(write_element_sizes(made, tmp_path_factory.mktemp("s") / "sizes.xz")), made)


XML = (
    "<assessments topic='{}'><file file='d'><path path='/a' exhaustiveness='{}' specificity='1'/></file></assessments>"
)


@pytest.fixture
def release(tmp_path):
    """Make a folder like a release: done and in progress, main and others."""
    for place, topic, degree in (
        ("done/CO/main/topic-1/pool-5.xml", 1, 1),
        ("done/CO/main/topic-2/pool-6.xml", 2, 2),
        ("done/CO/others/topic-2/pool-7.xml", 2, 3),
        ("in_progress/CO/main/topic-3/pool-8.xml", 3, 1),
    ):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(XML.format(topic, degree))
    (tmp_path / "README").write_text("no assessments")
    return tmp_path


def test_a_release_holds_first_and_second_judgments(release):
    """First judgments of finished topics are read, second ones where asked for."""
    first, second = read_assessments(release), read_assessments(release, second=True)
    assert first.elements[["topic", "exhaustivity"]].to_numpy().tolist() == [["1", 1], ["2", 2]]
    assert second.elements[["topic", "exhaustivity"]].to_numpy().tolist() == [["2", 3]]
    with pytest.raises(FileFormatError, match="second judgments"):
        read_assessments(release / "in_progress", second=True)


def test_a_topic_in_two_files_is_assessed_twice(release):
    """Two assessors of a topic cannot be read as one, and scales cannot be mixed."""
    files = sorted(release.glob("done/CO/*/topic-2/*.xml"))
    with pytest.raises(FileFormatError, match=r"topic '2' is assessed in .*pool-6\.xml too; .*second=True"):
        read_assessments(files)
    other = release / "old.xml"
    other.write_text(
        "<assessments topic='9'><file file='d'><path path='/a' relevance='1' coverage='E'/></file></assessments>"
    )
    with pytest.raises(FileFormatError, match=r"different scales: 2002 .*old.xml\), 2003"):
        read_assessments([files[0], other])


def test_several_submissions(tmp_path):
    """Runs of one name are told apart by their files, and packed files and names given by hand are read."""
    line = "1 Q0 d 1 0.5 same 0 9\n"
    (tmp_path / "runs").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "runs" / name).write_text(line)
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"<inex-submission><topic topic-id='1'/></inex-submission>"))
    with pytest.warns(InexWarning, match="2 runs have the tag 'same'"):
        read = read_submissions([str(tmp_path / "runs"), f"mine={tmp_path / 'c.gz'}"])
    assert [one.run for one in read] == ["a", "b", "mine"]
    with pytest.warns(InexWarning, match="2 runs"):
        again = read_submissions([tmp_path / "runs", tmp_path / "c.gz"], n_jobs=2)
    assert [one.run for one in again] == ["a", "b", "c"]
    same(again[0].results, read[0].results, but=())


def test_warnings_of_several_files_come_as_one(tmp_path):
    """Each file says its own, once a rule with how many more."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"1 Q0 d 1 0.1 {name} 0 9\n1 Q0 d 2 0.2 {name} 9 9\n1 Q0 d 3 0.3 {name} 18 9\n")
    with pytest.warns(InexWarning) as told:
        read_submissions(tmp_path)
    assert len(told) == 1
    assert str(told[0].message).count("rsv rises down the list") == 2
    assert str(told[0].message).count("; 1 more in this file") == 2


def test_a_wrong_file_is_named(tmp_path):
    """Assessments given as a run, and a run as assessments, say what they begin with."""
    (tmp_path / "a.xml").write_text(XML.format(1, 1))
    with pytest.raises(FileFormatError, match="begins with <assessments>, not with <inex-submission>"):
        read_submission(tmp_path / "a.xml")
    with pytest.raises(FileFormatError, match=r"did you mean 'a\.xml'"):
        read_assessments(tmp_path / "b.xml")


def test_empty_tables_have_the_kinds_of_full_ones():
    """Columns are of the declared kinds also without rows."""
    kinds = empty_table("elements").dtypes
    assert [kinds[name] for name in COLUMNS["elements"]] == [
        np.dtype(object) if kind is str else np.dtype(kind) for kind in COLUMNS["elements"].values()
    ]


HUGE = {
    "above": "1000000000001",
    "63 bits": str(2**63),
    "64 bits": str(2**64 + 1),
    "5000 digits": "9" * 5000,
    "divided": "1_0",
    "another script": "\u0661",
    "base 16": "0x10",
    "exponent": "1e3",
    "none": "many",
}
NUMBERS = {
    "offset of a result": '<inex-submission run-id="r"><topic topic-id="1">\n<result><file>d</file><fol offset="{}"/>'
    "</result></topic></inex-submission>",
    "length of a result": '<inex-submission run-id="r"><topic topic-id="1">\n<result><file>d</file>'
    '<fol offset="0" length="{}"/></result></topic></inex-submission>',
    "size of an element": '<assessments topic="1">\n<file name="d"><element path="/a[1]" exhaustivity="1" size="{}" '
    'rsize="5"/></file></assessments>',
    "size of a passage": '<assessments topic="1">\n<file name="d"><passage start="/a[1]" end="/a[1]" size="{}"/></file>'
    "</assessments>",
    "exhaustivity": '<assessments topic="1">\n<file file="d"><path path="/a[1]" exhaustiveness="{}" specificity="1"/>'
    "</file></assessments>",
    "offset in lines": "1 Q0 d 1 0.5 r 0 5\n1 Q0 e 2 0.4 r {} 5\n",
    "length in lines": "1 Q0 d 1 0.5 r 0 5\n1 Q0 e 2 0.4 r 0 {}\n",
    "highlighted characters": "1 Q0 d 0 100\n1 Q0 e {} 100\n",
    "length of a document": "1 Q0 d 0 100\n1 Q0 e 0 {}\n",
    "best entry point": "1 Q0 d 0 100\n1 Q0 e 5 100 {} 0:5\n",
    "start of a passage": "1 Q0 d 0 100\n1 Q0 e 5 100 0 {}:5\n",
    "length of a passage": "1 Q0 d 0 100\n1 Q0 e 5 100 0 0:{}\n",
}


def _reader(text):
    return read_submission if "r 0" in text or "inex-submission" in text else read_assessments


@pytest.mark.parametrize("number", HUGE.values(), ids=HUGE.keys())
@pytest.mark.parametrize("text", NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_that_are_none_or_too_large_are_refused_with_their_line(tmp_path, text, number):
    """A number beyond the limit, or written as only Python reads it, is an error with file and line."""
    path = tmp_path / "file"
    path.write_text(text.format(number))
    with pytest.raises(FileFormatError, match=r"file, line 2: .*whole number") as refused:
        _reader(text)(path)
    assert len(str(refused.value)) < 1500


@pytest.mark.parametrize("text", NUMBERS.values(), ids=NUMBERS.keys())
def test_the_largest_number_is_read(tmp_path, text):
    """Numbers up to the limit are read, and compiled collections add them up without an overflow."""
    path = tmp_path / "file"
    path.write_text(text.format("1000000000000"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InexWarning)
        assert _reader(text)(path, lenient=True) is not None


@pytest.mark.parametrize("number", ["1_0", "\u0661", "nan", "1e400", "9" * 5000, ""])
@pytest.mark.parametrize("what", ["rank", "rsv"])
def test_ranks_and_scores_are_numbers_as_everybody_writes_them(tmp_path, what, number):
    """What Python alone takes for a number is none."""
    path = tmp_path / "run.xml"
    path.write_text(
        f'<inex-submission run-id="r"><topic topic-id="1"><result><file>d</file><path>/a[1]</path>\n<{what}>{number}'
        f"</{what}></result></topic></inex-submission>"
    )
    with pytest.raises(FileFormatError, match=rf"run\.xml, line 2: the {what} must be a number"):
        read_submission(path)
    if number and not number.startswith("9"):
        path.write_text(f"1 Q0 d 1 0.5 r /a[1]\n1 Q0 e {number} {number} r /a[1]\n")
        with pytest.raises(FileFormatError, match=r"run\.xml, line 2: the rank must be a number"):
            read_submission(path)


ATTACKS = {
    "deep": ("<a>" * 200_000, "begins with <a>"),
    "deep inside": ('<assessments topic="1">' + "<x>" * 200_000, "may hold"),
    "entity bomb": (
        '<!DOCTYPE z [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><assessments topic="&b;"/>',
        "declares an entity",
    ),
    "parameter entity": ('<!DOCTYPE z [<!ENTITY % a "b"> %a;]><assessments topic="1"/>', "declares an entity"),
    "file of the system": (
        '<!DOCTYPE z [<!ENTITY a SYSTEM "file:///etc/passwd">]><assessments topic="1">&a;</assessments>',
        "declares an entity",
    ),
    "unknown encoding": ('<?xml version="1.0" encoding="rot13"?><assessments topic="1"/>', "line 1: "),
    "long path": (
        '<assessments topic="1"><file file="d"><path path="'
        + "/a[1]" * 3000
        + '" exhaustiveness="1" specificity="1"/>',
        "at most 10000 characters",
    ),
    "long position": (
        '<assessments topic="1"><file file="d"><path path="/a[' + "9" * 20_000 + ']" exhaustiveness="1"/>',
        "at most 10000 characters",
    ),
}


@pytest.mark.parametrize(("text", "rule"), ATTACKS.values(), ids=ATTACKS.keys())
def test_hostile_xml_is_refused_at_once(tmp_path, text, rule):
    """Nesting without end, entities and paths without end are errors with a line, found in a moment."""
    path = tmp_path / "file.xml"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=rf"file\.xml, line \d+: .*{rule}|file\.xml, {rule}"):
        read_assessments(path)


def test_one_long_word_among_many_lines_takes_no_memory(tmp_path):
    """Columns are not made as wide as their longest word."""
    path = tmp_path / "run.txt"
    lines = [f"1 Q0 d{row} {row} {-row}.5 r /a[1]" for row in range(20_000)]
    path.write_text("\n".join([*lines, f"1 Q0 e 20000 -20000.{'0' * 1_000_000} r /a[1]"]))
    tracemalloc.start()
    assert len(read_submission(path).results) == 20_001
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


@pytest.mark.parametrize("blank", ["", " ", "\u3000", "\x85"], ids=ascii)
@pytest.mark.parametrize("kind", ["submission", "assessments", "pool", "judgments", "run", "sizes"])
@pytest.mark.parametrize("what", ["topic", "document"])
def test_nothing_is_named_by_nothing(tmp_path, kind, what, blank):
    """No format takes an empty name, one of white space, or ".xml" alone for a topic or document."""
    topic, document = (blank, "d") if what == "topic" else ("1", f"{blank}.xml")
    results = f"<result><file>{document}</file><path>/a</path></result>"
    text, read = {
        "submission": (
            f'<inex-submission><topic topic-id="{topic}">\n{results}</topic></inex-submission>',
            read_submission,
        ),
        "assessments": (
            f'<assessments topic="{topic}">\n<file name="{document}"/></assessments>',
            read_assessments,
        ),
        "pool": (f'<pool topic="{topic}">\n<file name="{document}"/></pool>', read_pool),
        "judgments": (f"1 Q0 d 0 9\n{topic} Q0 {document} 0 9\n", read_assessments),
        "run": (f"1 Q0 d 1 9 r /a\n{topic} Q0 {document} 1 9 r /a\n", read_submission),
        "sizes": (f"d /a 9\n{document} /b 9\n", read_element_sizes),
    }[kind]
    if kind in {"judgments", "run", "sizes"} and not (blank.strip(" ") or what == "document"):
        return  # one word less
    if kind == "sizes" and what == "topic":
        return  # it has none
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")
    line = 1 if what == "topic" and kind in {"submission", "assessments", "pool"} else 2
    with pytest.raises(FileFormatError, match=f"line {line}: a {what} without a name; every {what} needs one"):
        read(path)
