import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import FileFormatError
from metaeval.inex.file_rules import InexWarning
from metaeval.inex.reading import read_assessments, read_element_sizes, read_pool, read_submission

PIECES = ["T1", " Q0 d1 ", " 1", " 0.5", " run", " /a[1]", " 5:10", "\n", "\t", ",", "X", "-1", "\r"]
PIECES += ["<assessments topic='1'>", "<file name='1'>", "<element path='/a' size='3' rsize='1'/>", "</file>", "<!--"]
PIECES += ["</assessments>", "<inex-submission>", "<topic topic-id='1'>", "<result>", "<path>", "</", ">", "&a;"]
QRELS = "T1 Q0 d1 300 1000 100 100:200 500:100\nT1 Q0 d2 200 400 0 0:200\nT1 Q0 d3 0 800\nT2 Q0 d4 100 500 50 50:100\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="file.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_judgments_of_the_specification(file):
    """The example judgments come out as documents and passages, with line numbers."""
    judged = read_assessments(file(QRELS))
    assert judged.scale == "passages"
    assert judged.documents[
        ["topic", "document", "relevant_size", "size", "best_entry", "line"]
    ].to_numpy().tolist() == [
        ["T1", "d1", 300, 1000, 100, 1],
        ["T1", "d2", 200, 400, 0, 2],
        ["T1", "d3", 0, 800, -1, 3],
        ["T2", "d4", 100, 500, 50, 4],
    ]
    assert judged.passages[["document", "offset", "length", "line"]].to_numpy().tolist() == [
        ["d1", 100, 200, 1],
        ["d1", 500, 100, 1],
        ["d2", 0, 200, 2],
        ["d4", 50, 100, 4],
    ]
    assert judged.elements.empty
    assert judged.notes == ()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "empty"),
        ("T1 0 d1 1\n", 1, "whole documents"),
        (QRELS + "\nT1 Q0 d1 0 1000\n", 6, "judged twice on topic T1, first in line 1"),
        (QRELS + "T3 Q0 d1 many 1000\n", 5, "rsize .* must be a whole number from 0, not 'many'"),
        (QRELS + "T3 Q0 d1 10 -5\n", 5, "doclen must be a whole number"),
        (QRELS + "T3 Q0 d1 10 50 0 0-10\n", 5, "offset:length"),
        (QRELS + "T3 Q0 d1 10 50 0 0:\n", 5, "offset:length"),
        (QRELS + "T3 Q0 d1 100 500 0 450:100\n", 5, "lie within its document"),
        (QRELS + "T3 Q0 d1 100 500 0 0:60 50:40\n", 5, "must not overlap"),
        (QRELS + "T3 Q0 d1 100 500 0 0:60 60:40\n", 5, "touch are one"),
        (QRELS + "T3 Q0\nT3 Q0 d1\n", 5, "this one has 2 columns"),
    ],
)
def test_bad_judgments_are_refused_with_their_line(file, text, line, says):
    """Every error names the file and the line."""
    path = file(text)
    with pytest.raises(FileFormatError, match=says) as refused:
        read_assessments(path)
    assert (refused.value.path, refused.value.line) == (str(path), line)


def test_text_that_is_no_utf8_is_refused_with_its_line(tmp_path):
    """A byte that is no UTF-8 is named with its line, and a byte-order mark is passed over."""
    (tmp_path / "run").write_bytes(b"1 Q0 d 1 0.5 run 0 9\n1 Q0 \xfc 2 0.4 run 0 9\n")
    with pytest.raises(FileFormatError, match="0xfc is no UTF-8") as refused:
        read_submission(tmp_path / "run")
    assert refused.value.line == 2
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbf1 Q0 d 1 0.5 run 0 9\n")
    assert read_submission(tmp_path / "run").answered == ("1",)


@given(st.binary(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join).map(str.encode))
@pytest.mark.filterwarnings("ignore::metaeval.inex.file_rules.InexWarning")
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    """Whatever a file holds, reading it ends in tables or in an error that names the file."""
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(content)
    for read in (read_submission, read_assessments, read_element_sizes, read_pool):
        try:
            read(path, lenient=True)
        except FileFormatError as error:
            assert error.path == str(path)  # noqa: PT017 - most bytes are no file, some are


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("T3 Q0 d1 600 500 0 0:600", "rsize is larger than doclen"),
        ("T3 Q0 d1 100 500 20", "best entry point but no passage"),
        ("T3 Q0 d1 100 500 20 20:90", "do not sum up to rsize"),
        ("T3 Q0 d1 100 500 501 20:100", "best entry point lies outside"),
    ],
)
def test_what_real_judgments_have_is_warned_of_and_kept(file, line, says):
    """Faults that official files are known to have give a warning with file and line, also when strict."""
    path = file(QRELS + line + "\n")
    with pytest.warns(InexWarning, match=rf"{path.name}, line 5: .*{says}"):
        judged = read_assessments(path)
    assert judged.documents["relevant_size"].tolist()[-1] == int(line.split()[3])
    assert len(judged.notes) == 1


def test_a_line_of_six_columns_has_no_entry_point(file):
    """As in inex_eval, a best entry point without passages does not count, while rsize does."""
    with pytest.warns(InexWarning):
        judged = read_assessments(file("T Q0 d 100 500 20\n"))
    assert judged.documents["best_entry"].tolist() == [-1]
    assert judged.passages.empty


def test_lenient_reading_keeps_what_strict_refuses(file):
    """With lenient=True an overlap of passages is a warning."""
    path = file("T3 Q0 d1 100 500 0 0:60 50:40\n")
    with pytest.warns(InexWarning, match="must not overlap; it stays as it is"):
        assert len(read_assessments(path, lenient=True).passages) == 2


RUNS = {
    "passage": ("1 Q0 9996 1 0.9999 RunX 465 3426", {"offset": 465, "length": 3426, "path": "", "end_path": ""}),
    "element": (
        "1 Q0 9996.xml 1 0.9999 RunX /article[1]/bdy/sec[1]",
        {"offset": -1, "length": -1, "path": "/article[1]/bdy[1]/sec[1]", "end_path": ""},
    ),
    "range": (
        "1 Q0 9996 1 0.9999 RunX /article[1]/p[1] /article[1]/p[4]",
        {"offset": -1, "length": -1, "path": "/article[1]/p[1]", "end_path": "/article[1]/p[4]"},
    ),
    "entry point": ("1 Q0 9996 1 0.9999 RunX 465", {"offset": 465, "length": -1, "path": "", "end_path": ""}),
    "nowhere": ("1 Q0 9996 1 0.9999 RunX 1 2\n1 Q0 9996 2 0.9 RunX X X", {"offset": -1, "length": -1, "path": ""}),
}


@pytest.mark.parametrize("kind", RUNS)
def test_locations_are_told_by_their_columns(file, kind):
    """Passage, element, range and entry point are found out from the first line."""
    text, expected = RUNS[kind]
    with warnings.catch_warnings():
        if kind == "nowhere":
            warnings.simplefilter("ignore", InexWarning)
        run = read_submission(file(text))
    last = run.results.iloc[-1]
    assert {name: last[name] for name in expected} == expected
    assert (run.run, last["document"], run.answered) == ("RunX", "9996", ("1",))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (" \n", None, "empty"),
        ("1 Q0 d 1 0.5 run\n", 1, "read_collection"),
        ("1 Q0 d 1 0.5 run 0 9\n1 Q0 e 2 0.4 run 0\n1 Q0 f\n", 2, "this line has 7 columns"),
        ("1 Q0 d 1 0.5 run 0 9 7 7\n", 1, "this line has 10 columns"),
        ("1 Q0 d 1 0.5 run 0 9\n\n1 Q0 e 2 nan run 0 8\n1 Q0 f 3 inf run 0 8\n", 3, "rsv must be a number, not 'nan'"),
        ("1 Q0 d one 0.5 run 0 9\n", 1, "rank must be a number, not 'one'"),
        ("1 Q0 d 1 0.5 run 0 9\n1 Q0 e 2 0.4 run 0 -9\n", 2, "length must be a whole number from 0, not '-9'"),
        ("1 Q0 d 1 0.5 run 0 9\n1 Q0 e 2 0.4 run /a[1] 9\n", 2, "offset must be a whole number from 0"),
        ("1 Q0 d 1 0.5 run /a[1]\n1 Q0 e 2 0.4 run 5\n", 2, "path"),
        ("1 Q0 d 1 0.5 run /a[1]/*\n", 1, "no step of a path"),
        ("1 Q0 d 1 0.5 run 0 9\n1 Q0 e 2 0.4 walk 0 8\n", 2, "a file holds one run; got 'walk' after 'run'"),
        (QRELS, 1, "these are judgments"),
    ],
)
def test_bad_runs_are_refused_with_their_line(file, text, line, says):
    """Every error names the file and the line."""
    path = file(text)
    with pytest.raises(FileFormatError, match=says) as refused:
        read_submission(path)
    assert (refused.value.path, refused.value.line) == (str(path), line)


def test_topics_that_alternate_are_brought_together(file):
    """Lists keep the order of their lines, with one warning that names the first line out of place."""
    path = file("2 Q0 a 1 0.9 r 0 5\n1 Q0 b 1 0.9 r 0 5\n2 Q0 c 2 0.8 r 0 5\n1 Q0 d 2 0.7 r 0 5\n")
    with pytest.warns(InexWarning, match="line 3: the lines of a topic stand together"):
        run = read_submission(path)
    assert run.results["document"].tolist() == ["a", "c", "b", "d"]
    assert run.answered == ("2", "1")


def test_order_of_lines_counts_and_disagreement_is_told(file):
    """Neither rank nor score reorder lines, and a rise is remarked."""
    with pytest.warns(InexWarning, match="rsv rises.*\n.*ranks fall") as told:
        run = read_submission(file("1 Q0 a 2 0.1 r 0 5\n1 Q0 b 1 0.9 r 0 5\n"))
    assert run.results["document"].tolist() == ["a", "b"]
    assert len(told) == 1


def test_malformed_paths_stay_when_lenient(file):
    """A path that is none matches nothing, and is remarked."""
    with pytest.warns(InexWarning, match="matches no assessment"):
        run = read_submission(file("1 Q0 d 1 0.5 run /a[1]/*\n"), lenient=True)
    assert run.results["path"].tolist() == ["/a[1]/*"]


@pytest.mark.parametrize(
    "text",
    [
        "d1.xml /a 40\nd1 /a[1]/b[1] 30\n",
        "d1\t/a[1]\t40\nd1\t/a[1]/b[1]\t30",
        "path,size,file\n/a[1],40,d1\n/a[1]/b[1],30,d1\n",
        '"document","path","size"\n"d1","/a[1]",40\n"d1","/a[1]/b[1]",30\n',
    ],
)
def test_sizes_in_any_delimiter(file, text):
    """Tables of sizes may be cut by blanks, tabs or commas, and a header gives the order."""
    assert read_element_sizes(file(text)).to_numpy().tolist() == [["d1", "/a[1]", 40], ["d1", "/a[1]/b[1]", 30]]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("d /a[1] 0\n", 1, "a size must be 1 or more"),
        ("d /a[1] 4\nd /a[1] 5\n", 2, "one size"),
        ("d /a[1] big\n", 1, "size .* must be a whole number"),
        ("d /a[1] 4\nd 4\n", 2, "2 columns"),
        ("", None, "empty"),
    ],
)
def test_bad_sizes_are_refused_with_their_line(file, text, line, says):
    """Every error names the line."""
    with pytest.raises(FileFormatError, match=says) as refused:
        read_element_sizes(file(text))
    assert refused.value.line == line


def test_lenient_sizes_leave_out_what_has_none(file):
    """An element of size 0 is as good as missing; the first of two sizes counts."""
    with pytest.warns(InexWarning, match="left out"):
        sizes = read_element_sizes(file("d /a[1] 4\nd /a[1] 5\nd /b[1] 0\nd /a[1] 4\n"), lenient=True)
    assert sizes.to_numpy().tolist() == [["d", "/a[1]", 4]]


def test_real_judgments_and_runs(data_folder):
    """The counts that come with the samples: 120 topics, 10329 relevant documents; runs of 118 and 117 topics."""
    folder = data_folder / "inex-samples"
    judged = read_assessments(folder / "qrels.inex2009-2010.fol.txt")
    assert (len(judged.documents), judged.documents["topic"].nunique()) == (10329, 120)
    sums = judged.passages.groupby(["topic", "document"])["length"].sum()
    expected = judged.documents.set_index(["topic", "document"])["relevant_size"]
    assert (sums.sort_index() == expected.sort_index()).all()
    for name, results, topics in (("bert-2fold", 5900, 118), ("bert-map199", 5850, 117)):
        run = read_submission(folder / f"run.{name}.focused.fol.txt")
        assert (len(run.results), len(run.answered), run.run) == (results, topics, "TREC2INEX")
    with pytest.warns(InexWarning, match="line 51: rsv rises"):
        read_submission(folder / "run.fault-repeated-topic.fol.txt")
