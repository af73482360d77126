"""Names are text in every reader of runs, judgments, groups and lists: what looks like a number is none."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval import choose_data, read_collection
from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import CollectionWarning
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.io.files import read_names
from metaeval.io.groups import read_clusters, read_covariate, read_groups, read_pool_sizes, read_subtopic_weights
from metaeval.io.interop import collection_from, qrels_from
from metaeval.io.qrels import read_qrels
from metaeval.io.trec import read_runs
from metaeval.metrics import score

pytestmark = pytest.mark.filterwarnings(f"ignore::{CollectionWarning.__module__}.{CollectionWarning.__name__}")

NAMES = (
    *("1.10", "1.1", "007", "7", "1e3", "1000", "2e3", "2000", "NA", "nan", "NaN", "true", "True", "None", "null"),
    *("inf", "-1", "0x10", "16", "1_0", "10", str(2**63), "12345678901234567890", "12345678901234567891", "1.0", "1"),
)
BLANKS = ("a b", "1 000", "d 1")
"""Names that files of columns divided by blanks cannot hold."""
ROWS = [(topic, document) for topic in NAMES for document in NAMES]


def _level(topic, document):
    return 1 + (NAMES + BLANKS).index(document) * 7 % 3 + (NAMES + BLANKS).index(topic) % 2


def _nested(names, value):
    return {topic: {document: value(topic, document) for document in names} for topic in names}


def _lines(form):
    return "".join(form.format(topic, document, _level(topic, document)) for topic, document in ROWS)


def _frame(names, column):
    rows = [(topic, document, _level(topic, document)) for topic in names for document in names]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", column])


def _records(names, column):
    return json.dumps(_frame(names, column).to_dict("records"))


FILES = {
    "lines": (_lines("{} 0 {} {}\n"), _lines("{} Q0 {} 1 {} run\n"), NAMES),
    "nested JSON": (*[json.dumps(_nested(NAMES + BLANKS, _level))] * 2, NAMES + BLANKS),
    "records": (_records(NAMES + BLANKS, "relevance"), _records(NAMES + BLANKS, "score"), NAMES + BLANKS),
    "JSON lines": (
        "\n".join(map(json.dumps, _frame(NAMES + BLANKS, "relevance").to_dict("records"))),
        "\n".join(map(json.dumps, _frame(NAMES + BLANKS, "score").to_dict("records"))),
        NAMES + BLANKS,
    ),
}


def _levels(judgments):
    bounds = judgments.topic_offsets.tolist()
    return {
        topic: dict(
            zip(
                (name.decode() for name in judgments.document_ids[start:stop].tolist()),
                judgments.levels[start:stop].tolist(),
                strict=True,
            )
        )
        for topic, start, stop in zip(judgments.topics, bounds, bounds[1:], strict=False)
    }


@pytest.mark.parametrize("form", FILES)
def test_topics_and_documents_of_files_are_text(tmp_path, form):
    """Judgments and runs keep every name as it is written, each one a name of its own."""
    judged, run, names = FILES[form]
    (tmp_path / "q").write_text(judged)
    (tmp_path / "r").write_text(run)
    expected = _nested(names, _level)
    assert _levels(read_qrels(tmp_path / "q")) == expected
    table = read_runs([tmp_path / "r"])
    (frame,) = table.values()
    found = {topic: dict(zip(part["doc_id"], part["score"], strict=True)) for topic, part in frame.groupby("query_id")}
    assert found == expected
    collection = read_collection([tmp_path / "r"], tmp_path / "q")
    assert set(collection.topics) == set(names)
    assert collection.n_retrieved.tolist() == [[len(names)] * len(names)]
    assert len(collection.judgments) == len(names) ** 2


@pytest.mark.parametrize("made", ["mapping", "frame", "categories", "strings", "records", "bytes"])
def test_topics_and_documents_in_memory_are_text(made):
    """The same of mappings, frames of any dtype, and records."""
    names = NAMES + BLANKS
    frame = _frame(names, "relevance")
    data = {
        "mapping": lambda: _nested(names, _level),
        "frame": lambda: frame,
        "categories": lambda: frame.astype({"query_id": "category", "doc_id": "category"}),
        "strings": lambda: frame.astype({"query_id": "string", "doc_id": "string"}),
        "records": lambda: frame.to_dict("records"),
        "bytes": lambda: frame.assign(doc_id=[name.encode() for name in frame["doc_id"]]),
    }[made]()
    expected = _nested(names, _level)
    assert _levels(qrels_from(data)) == expected
    runs = frame.rename(columns={"relevance": "score"})
    collection = collection_from(dict.fromkeys(NAMES, runs), data)
    assert collection.systems == NAMES
    assert len(collection.judgments) == len(NAMES) * len(names) ** 2


def test_whole_numbers_are_names_and_no_other_numbers():
    """301 is '301'; 301.0, 1e3, True and what is missing might be another name, and are refused by name."""
    frame = pd.DataFrame({"qid": [301, 2**63], "docno": [7, 10**20], "label": [1, 2]}, dtype=object)
    assert _levels(qrels_from(frame)) == {"301": {"7": 1}, str(2**63): {str(10**20): 2}}
    assert _levels(qrels_from(pd.DataFrame({"qid": [301], "docno": [7], "label": [1]}))) == {"301": {"7": 1}}
    for wrong in (301.0, np.float32(7), float("inf"), True, np.True_, None, pd.NA, np.nan, [1], {}, 10**5000, 1j):
        for column in ("qid", "docno"):
            broken = frame.copy()
            broken[column] = [wrong, "x"]
            with pytest.raises(InvalidOptionError, match=r"identifier"):
                qrels_from(broken)
        if wrong.__hash__ is not None:
            with pytest.raises(InvalidOptionError, match=r"run identifier"):
                collection_from({wrong: {"1": {"d": 1}}}, {"1": {"d": 1}})


def test_two_names_that_are_one_are_never_merged():
    """1 and '1' under two keys of one mapping would lose what stands under the first."""
    good = {"1": {"d": 1, "e": 0}}
    for runs, qrels in (
        ({"a": {1: ["d"], "1": ["e"]}}, good),
        ({1: {"1": ["d"]}, "1": {"1": ["e"]}}, good),
        ({"a": {"1": ["d"]}}, {1: {"d": 1}, "1": {"e": 1}}),
        ({"a": {"1": ["d"]}}, {"1": {7: 1, "7": 0}}),
    ):
        with pytest.raises(InvalidOptionError, match=r"two \w+ identifiers are|twice"):
            collection_from_rankings(runs, qrels)
    with pytest.raises(InvalidOptionError, match="two run identifiers are '1'"):
        collection_from({1: good, "1": good}, good)


@pytest.mark.parametrize("sep", [",", "\t", ";"])
def test_names_in_tables_of_groups_are_text(tmp_path, sep):
    """Groups, clusters, numbers of systems, sizes of pools, weights of subtopics, and lists of names."""
    names = NAMES + BLANKS
    table = tmp_path / "t.csv"

    def written(head, cell):
        rows = [sep.join((name, cell(name))) for name in names]
        table.write_text("\n".join([*([sep.join(head)] if head else []), *rows]) + "\n")
        return table

    assert read_groups(written(("system", "group"), str), systems=names) == {name: name for name in names}
    assert read_clusters(written(("topic", "cluster"), str), topics=names) == {name: name for name in names}
    at = {name: float(place) for place, name in enumerate(names)}
    number = written(("system", "words"), lambda name: str(names.index(name)))
    assert read_covariate(number, systems=names).of_system == at
    sizes = written(("topic", "size"), lambda name: str(names.index(name) + 1))
    assert read_pool_sizes(sizes) == {name: place + 1 for place, name in enumerate(names)}
    weights = written(("topic", "subtopic", "weight"), lambda name: f"{name}{sep}{names.index(name)}")
    assert read_subtopic_weights(weights) == {name: {name: float(place)} for name, place in at.items()}
    table.write_text("\n".join(names) + "\n")
    assert list(read_names(table)) == list(names)


def test_names_are_chosen_and_left_out_as_text():
    """1 is not 1.0, nor 007 seven: each name finds itself alone."""
    ranked = {name: {topic: ["d"] for topic in NAMES} for name in NAMES}
    collection = collection_from_rankings(ranked, {topic: {"d": 1} for topic in NAMES})
    scores = score(collection, ["P@1"])
    for data in (collection, scores):
        for name in NAMES:
            left = choose_data(data, exclude_systems=[name], exclude_topics=[name])
            systems = left.systems if data is collection else left["system"].to_numpy()
            topics = left.topics if data is collection else left["topic"].to_numpy()
            assert set(NAMES) - set(systems) == set(NAMES) - set(topics) == {name}
            with pytest.raises(MetaevalError):
                choose_data(data, exclude_systems=[f"{name}.00"])
