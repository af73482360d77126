"""Runs, judgments and lists of scores in JSON: what they score, and how what is no number or name is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import as_scores, read_scores
from metaeval.collection.documents import CollectionWarning
from metaeval.errors import FileFormatError, MetaevalError
from metaeval.io.interop import collection_from
from metaeval.io.qrels import judgments_of
from metaeval.io.run_formats import run_of
from metaeval.io.trec import read_collection
from metaeval.metrics import score

pytestmark = pytest.mark.filterwarnings(f"ignore::{CollectionWarning.__module__}.{CollectionWarning.__name__}")

QRELS = '{"q1": {"d1": 2, "d2": 1}, "q2": {"d9": 1}}'
RUN = '{"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d8": 2.0, "d9": 1.0}}'


def test_runs_and_judgments_of_the_command_line_may_be_json(tmp_path):
    """DCG by hand: (1 + 2/log2 3) / (2 + 1/log2 3) = .8597 and 1/log2 3 = .6309, as collection_from gives them."""
    (tmp_path / "qrels.json").write_text(QRELS)
    (tmp_path / "run.json").write_text(RUN)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 1\nq2 0 d9 1\n")
    for qrels in ("qrels.json", "qrels.txt"):
        collection = read_collection([tmp_path / "run.json"], tmp_path / qrels)
        assert collection.systems == ("run",)
        assert score(collection, ["nDCG@10"], fewest=1).to_numpy().ravel() == pytest.approx([0.8597187, 0.6309298])


LISTS = {"DMF": [0.012, 0.014, 0.009, 0.007, 0.008], "GMF": [0.025, 0.009, 0.022, 0.005, 0.012]}


@pytest.mark.parametrize("systems", [("DMF", "GMF"), ("007", "1e3"), ("1.10", "1.1"), ("NA", "true"), ("None", "2000")])
def test_lists_of_scores_by_system_are_read_as_in_memory(tmp_path, systems):
    """Whatever the systems are called: the scores of as_scores, the metric called as the file, topics numbered."""
    lists = dict(zip(systems, LISTS.values(), strict=True))
    (tmp_path / "tuned.json").write_text(json.dumps(lists))
    found, expected = read_scores(tmp_path / "tuned.json"), as_scores(lists)
    assert found["metric"].to_numpy().tolist() == ["tuned"]
    for dim in ("system", "topic"):
        assert found[dim].to_numpy().tolist() == expected[dim].to_numpy().tolist()
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()
    assert any("topics are numbered 1 to 5" in note for note in found.attrs["notes"])


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        *(("null", "the cell is empty"), ("[2]", "nothing nested"), ("{}", "nothing nested"), ("1e999", "not finite")),
        *(("9" * 5000, "cannot be read"), ("", "DMF 5, GMF 4")),
    ],
)
def test_what_is_no_score_in_a_list_is_refused(tmp_path, cell, said):
    """Gaps, nested values, numbers beyond any, and lists of other lengths."""
    text = json.dumps(LISTS).replace(", 0.012]", f", {cell}]" if cell else "]")
    (tmp_path / "tuned.json").write_text(text)
    with pytest.raises(MetaevalError, match=said):
        read_scores(tmp_path / "tuned.json")


names = st.text(min_size=1, max_size=4).filter(lambda text: text.strip() and "\0" not in text and text.isprintable())
runs = st.dictionaries(
    names,
    st.dictionaries(names, st.floats(-1e6, 1e6) | st.integers(-1000, 1000), min_size=1, max_size=5),
    min_size=1,
    max_size=4,
)


@given(runs, st.data())
def test_a_file_of_json_is_what_the_object_is(tmp_path_factory, run, data):
    """Whatever the names and numbers: the collection of the files is that of the objects, by records too."""
    qrels = {topic: {name: data.draw(st.integers(-1, 3)) for name in part} for topic, part in run.items()}
    folder = tmp_path_factory.mktemp("json")
    expected = collection_from({"r": run}, qrels)
    fields = ("query_id", "doc_id", "score")
    records = [
        dict(zip(fields, (topic, name, number), strict=True)) for topic in run for name, number in run[topic].items()
    ]
    for text in (json.dumps(run), json.dumps(records, indent=1), "\n".join(map(json.dumps, records))):
        (folder / "r.json").write_text(text)
        (folder / "q.json").write_text(json.dumps(qrels))
        found = read_collection([folder / "r.json"], folder / "q.json")
        assert (found.topics, found.systems) == (expected.topics, ("r",))
        for name in ("offsets", "ranks", "judgments", "levels", "document_ids", "n_retrieved"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist()


WRONG = (
    "null",
    "{}",
    "[]",
    "[1]",
    '{"a": 1}',
    "Infinity",
    "-Infinity",
    "NaN",
    "1e999",
    "true",
    '"x"',
    '"1.0"',
    "9" * 400,
)


@pytest.mark.parametrize("cell", [*WRONG, "9" * 5000])
def test_what_is_no_number_is_refused_by_name(cell):
    """In judgments, scores and ranks, nested or in records: an error that names the file, and the entry if JSON can."""
    record = '[{"query_id": "q1", "doc_id": "d1", "%s": %s}]'
    nested = '{"q1": {"d1": %s, "d2": 1}}'
    said = (
        r"^x\.json(, line 1: the JSON cannot be read|: the file holds JSON: document 'd1' on query 'q1' needs a finite)"
    )
    for text in (nested % cell, record % ("relevance", cell)):
        with pytest.raises(FileFormatError, match=said) as caught:
            judgments_of(text.encode(), "x.json")
        assert len(str(caught.value)) <= 600
    for text, ranked in ((nested % cell, False), (record % ("score", cell), False), (record % ("rank", cell), True)):
        with pytest.raises(FileFormatError, match=said):
            run_of(text.encode(), path="x.json", ranked=ranked)


@pytest.mark.parametrize(
    "cell", ["null", "{}", "[]", "NaN", "1.5", "1e999", "true", '""', '" "', "9" * 5000, '"\\ud800"']
)
def test_what_is_no_name_is_refused(cell):
    """A topic, and a document, of records; the error names the rule."""
    for names in (f'{{"query_id": {cell}, "doc_id": "d1"', f'{{"query_id": "q1", "doc_id": {cell}'):
        for column in ("relevance", "score"):
            text = f'[{names}, "{column}": 1}}]'.encode()
            with pytest.raises(FileFormatError, match=r"identifier|cannot be read"):
                judgments_of(text, "x.json") if column == "relevance" else run_of(text, path="x.json", ranked=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "without a document"),
        ('{"q1": {}}', "it holds no document"),
        ('{"q1": {"d1": 1, "d1": 2}}', "the name 'd1' appears twice in one object"),
        ('{"q1": [1, 2]}', "expected .query: .document: score"),
        ('{"bm25": {"q1": {"d1": 1}}}', "document 'q1' on query 'bm25' needs a finite number"),
        ('{"q1": {"d1": 1}', "the JSON is cut short or broken"),
        ('{"q1": {"d\\u0000": 1}}', "holds a zero byte"),
        ('[{"query_id": "q", "doc_id": "d", "score": 1}, {"query_id": "q"}]', "has no doc_id, which the first has"),
        ('[{"query_id": "q", "doc_id": "d", "score": 1}, {"query_id": "q", "doc_id": "d", "score": 2}]', "already"),
    ],
)
def test_other_json_is_refused(tmp_path, text, said):
    """A file of several runs, of lists, or cut short; a document twice."""
    (tmp_path / "r.json").write_text(text)
    (tmp_path / "q.json").write_text(QRELS)
    with pytest.raises(FileFormatError, match=said):
        read_collection([tmp_path / "r.json"], tmp_path / "q.json")
