"""Labels by annotators in JSON: what is read, and what is refused with file and key."""

import gzip
import json

import numpy as np
import pytest

from metaeval import read_annotations
from metaeval.agreement.labels import as_labels
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.judges import read_judges
from metaeval.io.annotations import holds_annotations
from metaeval.io.labels import read_labels


@pytest.fixture
def write(tmp_path):
    """Write a JSON file and return its path."""

    def written(content):
        path = tmp_path / "human_annotations.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return written


def test_numbers_and_gaps(write):
    """Items in natural order, null and NaN and what was not labelled are gaps, true is 1."""
    frame = read_annotations(
        write({"ann": {"d10": 2, "d9": True, "d1": None}, "ben": {"d9": float("nan"), "d10": 0.5}})
    )
    assert frame.index.tolist() == ["d1", "d9", "d10"]
    assert frame.columns.tolist() == ["ann", "ben"]
    np.testing.assert_array_equal(frame, [[np.nan, np.nan], [1, np.nan], [2, 0.5]])


def test_text_stays_text_and_packed_files_are_read(tmp_path):
    """Words are labels as they stand."""
    path = tmp_path / "llm_annotations.json.gz"
    path.write_bytes(gzip.compress(b'{"gpt": {"1": "yes", "2": "no "}}'))
    assert read_annotations(path)["gpt"].tolist() == ["yes", "no "]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("ann,1,2\n", "no JSON"),
        ("{}", "one object"),
        ([{"ann": {"1": 1}}], "one object"),
        ('{"ann": {"1": 1}}\n{"ben": {"1": 1}}\n', "one object"),
        ({"ann": [1, 2]}, r"ann: an annotator has an object of items, not a list"),
        ({"ann": {"1": {"label": 1}}}, r"ann\.1: a label is text or a number, not an object"),
        ({"ann": {"1": [1, 2]}}, r"ann\.1: .* not a list"),
        ('{"ann": {"1": Infinity}}', r"ann\.1: a label is finite"),
        ('{"ann": {"1": 9007199254740993}}', r"ann\.1: a label has more digits"),
        ('{"ann": {"1": 1' + "0" * 400 + "}}", r"ann\.1: a label is a number that a float can hold"),
        ({" ": {"1": 1}}, "an annotator has no name"),
        ({"ann": {"": 1}}, "ann: an item has no name"),
        ({"ann": {"1": None}, "ben": {}}, "no annotator labelled anything"),
        ('{"ann": {"1": 1, "1": 2}}', "appears twice"),
        ('{"ann": {"1": 1', "cut short"),
        ({f"d{place}": {str(place): 1} for place in range(4000)}, "outer names are those of annotators"),
    ],
)
def test_refusals(write, content, words):
    """The message names the file, and the key where one is wrong."""
    with pytest.raises(FileFormatError, match=words) as caught:
        read_annotations(write(content))
    assert "human_annotations.json" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "annotations"),
    [
        ('{"ann": {"1": 2, "2": "good"}, "ben": {"1": null}}', True),
        ('{"ann": {"runid": "good", "map": null}, "ben": {"runid": "bad", "map": null}}', True),
        ('{"ann": {"AP": 0.5, "nDCG": 0.7}, "ben": {"AP": 0.4, "nDCG": 0.6}}', False),
        ('{"ann": {"1": {"d1": 2}}}', False),
        ('{"ann": [1, 2]}', False),
        ('[{"run_id": "a", "topic_id": "1", "measure": "AP", "value": 0.5}]', False),
        ('{"run_id": "a", "topic_id": "1"}\n{"run_id": "b", "topic_id": "1"}', False),
        ("topic,item,ann,ben\n1,d1,0,1", False),
        ("{}", False),
    ],
)
def test_annotations_are_told_by_content(content, annotations):
    """An object of objects of labels; records, tables and anything deeper are something else."""
    assert holds_annotations(content.encode(), "file") is annotations


def test_annotations_of_judges(tmp_path):
    """Each file is read as `read_annotations` does, under its name; nobody is in two of them."""
    (tmp_path / "people.json").write_text('{"ann": {"1": "a"}, "ben": {"2": "b"}}')
    (tmp_path / "llm.json").write_text('{"gpt": {"1": "a"}}')
    paths = [tmp_path / "people.json", f"machines={tmp_path / 'llm.json'}"]
    found = read_judges(paths)
    assert (found.labels, found.assessments, found.scores) == (None, {}, {})
    assert list(found.annotations) == ["people", "machines"]
    assert found.annotations["people"].equals(read_annotations(tmp_path / "people.json"))
    with pytest.raises(InvalidOptionError, match="these are annotations in JSON"):
        read_judges(paths, words={"a": 1})
    (tmp_path / "again.json").write_text('{"ann": {"1": "a"}}')
    with pytest.raises(FileFormatError, match="annotator 'ann' is in another file too"):
        read_judges([*paths, tmp_path / "again.json"])
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    with pytest.raises(FileFormatError, match=r"this holds annotations, and .*qrels labels"):
        read_judges([*paths, tmp_path / "qrels"])


@pytest.mark.parametrize(
    "text",
    [
        '{"x": {"1\\ud800": 1}, "y": {"1": 1}}',
        '{"x\\ud800": {"1": 1}, "y": {"1": 1}}',
        '{"x": {"1": "good\\ud800"}, "y": {"1": "good"}}',
    ],
)
def test_half_of_a_letter_is_refused(tmp_path, text):
    """JSON can write one that no other file can; in a name of an item or annotator, or a label."""
    path = tmp_path / "labels.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"\\ud800' holds half of a letter; write the whole one"):
        read_annotations(path)


def test_classes_of_doccano_are_names(tmp_path):
    """Numbers of classes are in no order, several classes of a text are one label, and files are annotators."""
    rows = [
        {"id": at, "text": "x", "annotations": [{"label": 1 + at % 3, "user": by} for by in "ab"]} for at in range(6)
    ]
    path = tmp_path / "project.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    labels = as_labels(read_judges(path).labels)
    assert (labels.judges, labels.words, labels.ordered) == (("a", "b"), ("class 1", "class 2", "class 3"), False)
    for name in ("ann", "ben"):
        rows = [{"id": at, "text": "x", "label": ["b", "a"][: 1 + at % 2]} for at in range(4)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judged = read_judges([tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"]).labels
    assert {name: column.tolist() for name, column in judged.items()} == dict.fromkeys(
        ("ann", "ben"), ["b", "a, b"] * 2
    )


def test_flat_records_of_argilla_are_labels_of_who_gave_them(tmp_path):
    """What a model suggests is one judge more; a draft is no label."""
    path = tmp_path / "records.json"
    asked = {"rating.responses": [2, 3], "rating.responses.users": ["ann", "bob"]}
    first = {"id": "a", **asked, "rating.responses.status": ["submitted", "draft"], "rating.suggestion": 4}
    second = {"id": "b", **asked, "rating.suggestion": 1, "rating.suggestion.agent": "gpt"}
    path.write_text(json.dumps([{**first, "rating.suggestion.agent": "gpt"}, second]))
    labels = read_labels(path)
    assert labels.loc["b"].to_dict() == {"ann": 2, "bob": 3, "gpt": 1}
    assert labels.loc["a"].dropna().to_dict() == {"ann": 2, "gpt": 4}
