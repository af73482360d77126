"""Runs and judgments that are Python objects: every shape gives the same collection, everything else an error."""

import sys
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.documents import CollectionWarning
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.io.interop import collection_from, qrels_from
from metaeval.io.qrels import read_qrels
from metaeval.io.trec import read_collection

ROWS = [("1", "d1", 2.5), ("1", "d9", 3.5), ("10", "d2", -1.0), ("2", "d1", 0.0), ("10", "d1", 7.0)]
LEVELS = [("1", "d1", 2), ("1", "d2", 0), ("2", "d1", 1), ("10", "d2", -1), ("10", "d1", 3)]


def nested(rows):
    """Turn rows into {query: {document: value}}."""
    made = {}
    for query, document, value in rows:
        made.setdefault(query, {})[document] = value
    return made


def frame(rows, *names):
    """Turn rows into a pandas frame with these column names."""
    return pd.DataFrame(rows, columns=list(names))


def pyterrier_run():
    """Make a result frame as PyTerrier has it: docid is a row number, query the text."""
    table = frame(ROWS, "qid", "docno", "score").assign(docid=range(5), query="some words")
    return table.assign(rank=table.groupby("qid")["score"].rank(ascending=False).astype(int) - 1)


class Ranx:
    """What ranx.Run and ranx.Qrels offer."""

    def __init__(self, rows):
        self.rows = rows

    def to_dict(self):
        """Return the rows as ranx does."""
        return nested(self.rows)


TrecQrel = namedtuple("TrecQrel", ["query_id", "doc_id", "relevance", "iteration"])  # noqa: PYI024 - as ir_datasets


def _ir_measures(name, row):
    return getattr(pytest.importorskip("ir_measures"), name)(*row)


def _polars(rows, columns):
    return pytest.importorskip("polars").DataFrame(rows, schema=columns, orient="row")


RUNS = {
    "mapping": lambda: nested(ROWS),
    "ir_measures frame": lambda: frame(ROWS, "query_id", "doc_id", "score"),
    "ir_measures records": lambda: [_ir_measures("ScoredDoc", row) for row in ROWS],
    "ir_measures iterator": lambda: (_ir_measures("ScoredDoc", row) for row in ROWS),
    "PyTerrier frame": pyterrier_run,
    "ranx object": lambda: Ranx(ROWS),
    "ranx frame": lambda: frame(ROWS, "q_id", "doc_id", "score"),
    "polars frame": lambda: _polars(ROWS, ["query_id", "doc_id", "score"]),
    "categories": lambda: frame(ROWS, "qid", "docno", "score").astype({"qid": "category", "docno": "category"}),
    "old strings": lambda: frame(ROWS, "qid", "docno", "score").astype({"qid": object, "docno": object}),
    "numbers as queries": lambda: frame(ROWS, "qid", "docno", "score").astype({"qid": "int32"}),
    "bytes as documents": lambda: nested([(query, document.encode(), value) for query, document, value in ROWS]),
    "ir_datasets": lambda: SimpleNamespace(
        scoreddocs_iter=lambda: iter([_ir_measures("ScoredDoc", row) for row in ROWS])
    ),
    "records of dictionaries": lambda: [{"query_id": q, "doc_id": d, "score": s} for q, d, s in ROWS],
}
QRELS = {
    "mapping": lambda: nested(LEVELS),
    "ir_measures frame": lambda: frame(LEVELS, "query_id", "doc_id", "relevance"),
    "ir_measures records": lambda: [_ir_measures("Qrel", row) for row in LEVELS],
    "PyTerrier frame": lambda: frame(LEVELS, "qid", "docno", "label"),
    "PyTerrier dataset": lambda: SimpleNamespace(get_qrels=lambda: frame(LEVELS, "qid", "docno", "label")),
    "ranx object": lambda: Ranx(LEVELS),
    "ranx frame": lambda: frame(LEVELS, "q_id", "doc_id", "score"),
    "ir_datasets": lambda: SimpleNamespace(qrels_iter=lambda: (TrecQrel(*row, "0") for row in LEVELS)),
    "ir_datasets iterator": lambda: (TrecQrel(*row, "0") for row in LEVELS),
    "whole floats": lambda: frame(LEVELS, "qid", "docno", "label").astype({"label": float}),
    "polars frame": lambda: _polars(LEVELS, ["qid", "docno", "label"]),
    "compiled": lambda: qrels_from(nested(LEVELS)),
}


def described(collection):
    """Return everything that a collection holds."""
    return (
        collection.topics,
        collection.offsets.tolist(),
        collection.ranks.tolist(),
        collection.judgments.tolist(),
        collection.n_retrieved.tolist(),
        collection.topic_offsets.tolist(),
        collection.levels.tolist(),
        collection.document_ids.tolist(),
        collection.tied.tolist(),
    )


EXPECTED = (
    ("1", "2", "10"),
    [0, 1, 2, 4],
    [2, 1, 1, 2],
    [0, 2, 3, 4],
    [[2, 1, 2]],
    [0, 2, 3, 5],
    [2, 0, 1, 3, -1],
    [b"d1", b"d2", b"d1", b"d1", b"d2"],
    [0.0],
)


@pytest.mark.parametrize("shape", RUNS)
def test_runs_of_every_shape_are_recognised(shape):
    """Whatever holds a run, the collection is the same."""
    assert described(collection_from({"bm25": RUNS[shape]()}, nested(LEVELS))) == EXPECTED


@pytest.mark.parametrize("shape", QRELS)
def test_qrels_of_every_shape_are_recognised(shape):
    """Whatever holds the judgments, the collection is the same."""
    assert described(collection_from({"bm25": nested(ROWS)}, QRELS[shape]())) == EXPECTED


def test_files_and_objects_may_be_mixed(tmp_path):
    """A path stands for what the file holds, and reading files gives the same as reading objects."""
    run = tmp_path / "run.txt"
    run.write_text("".join(f"{query} Q0 {document} 0 {score} tag\n" for query, document, score in ROWS))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{query} 0 {document} {level}\n" for query, document, level in LEVELS))
    mixed = collection_from({"file": run, "object": nested(ROWS)}, str(qrels))
    assert mixed.systems == ("file", "object")
    for name in mixed.systems:
        assert described(mixed.select(systems=[name])) == EXPECTED
    assert described(read_collection(run, qrels)) == EXPECTED
    assert qrels_from(qrels).levels.tolist() == read_qrels(qrels).levels.tolist()


@given(st.permutations(ROWS), st.permutations(LEVELS))
def test_the_order_of_rows_does_not_matter(rows, levels):
    """Lists are ordered by score, topics and judgments by name."""
    assert described(collection_from({"a": frame(rows, "qid", "docno", "score")}, nested(levels))) == EXPECTED


def test_other_orders_are_taken_from_the_rank_or_the_rows():
    """order='rank' takes the column rank, order='input' the rows as they stand."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    table = pd.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "score": [1, 2, 3], "rank": [2, 0, 1]})
    found = {}
    for order in ("score", "rank", "input"):
        collection = collection_from({"run": table}, qrels, order=order)
        found[order] = b"".join(collection.document_ids[collection.judgments]).decode()
    assert found == {"score": "cba", "rank": "bca", "input": "abc"}


def test_ties_are_ordered_by_identifier_and_warned_of():
    """Equal scores go by identifier, descending, in the precision asked for."""
    run = {"1": {"a": 1.0, "b": 1.0 + 1e-12, "c": 1.0}}
    qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    with pytest.warns(CollectionWarning, match=r"1 of 1 runs more than 10 % .* \(run 67 %\)"):
        double = collection_from({"run": run}, qrels)
    with pytest.warns(CollectionWarning, match=r"run 100 %"):
        single = collection_from({"run": run}, qrels, score_precision="float32")
    assert double.document_ids[double.judgments].tolist() == [b"b", b"c", b"a"]
    assert single.document_ids[single.judgments].tolist() == [b"c", b"b", b"a"]


def test_every_retrieved_document_is_kept_on_request():
    """retrieved='all' gives the same document of two runs the same code."""
    runs = {"a": {"1": {"x": 3, "y": 2, "d": 1}}, "b": {"1": {"y": 2, "z": 1}}}
    retrieved = collection_from(runs, {"1": {"d": 1}}, retrieved="all").retrieved
    assert retrieved.codes.tolist() == [1, 2, 0, 2, 3]
    assert retrieved.n_codes == 4


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"d1": 0.5}, "run 'a': expected {query: {document: score}}, .*; under 'd1' stands float 0.5"),
        (3, "run 'a': expected .*, not int"),
        ([], "run 'a': it holds no document"),
        ({}, "run 'a': it holds no document"),
        (pd.DataFrame({"qid": ["1"], "doc": ["x"], "score": [1]}), "no document: expected one of doc_id, .*found qid"),
        (pd.DataFrame({"qid": ["1"], "docno": ["x"]}), "no score: expected one of score, found qid, docno"),
        (frame([(None, "x", 1.0)], "qid", "docno", "score"), r"row 0 \(from 0\) has no query identifier"),
        (frame([("1", "x", 1.0), (" ", "y", 1.0)], "qid", "docno", "score"), "query identifier is blank .' '"),
        ({"1": {b"": 1.0}}, "document identifier is blank"),
        (frame([(1.5, "x", 1.0)], "qid", "docno", "score"), "query identifiers must be .*, not 1.5 .float"),
        ({"1": {"x": np.nan}}, "document 'x' on query '1' needs a finite number, not nan"),
        ({"1": {"y": 1, "x": -np.inf}}, "document 'x' on query '1' needs a finite number, not -inf"),
        ({"1": {"x": "0.5"}}, "document 'x' on query '1' needs a finite number, not '0.5'"),
        ({"1": {"x": True}}, "document 'x' on query '1' needs a finite number, not True"),
        (frame([("1", "x", 1.0), ("1", "x", 2.0)], "qid", "docno", "score"), "run 'a' has document 'x' twice"),
        ({1: {"x": 1.0}, "1": {"x": 2.0}}, "run 'a' has document 'x' twice"),
        ({"1": {"x": 2**53 + 1}}, "document 'x' on query '1' has 9007199254740993, more digits than a score can hold"),
        ({"1": {"y": 0.5, "x": 10**400}}, "document 'x' on query '1' needs a finite number, not 1000"),
        ({"1": {"x": 2**70 + 1}}, "document 'x' on query '1' has 1180591620717411303425, more digits"),
        (frame([("1", "x", 2**53 + 1)], "qid", "docno", "score"), "more digits than a score can hold"),
        ({"1": {b"\xff": 1.0}}, "document identifiers must be text or whole numbers"),
        ({"1": {"\ud800": 1.0}}, "document identifiers must be text or whole numbers"),
        ({10**5000: {"x": 1.0}}, "query identifiers must be text or whole numbers"),
        (
            pd.DataFrame([["1", "x", 1, 2]], columns=["qid", "docno", "score", "score"]),
            "two columns are called 'score'",
        ),
        ({"2": {"x": 1.0}}, "no topic in common"),
        ("nowhere.txt", "there is no such file"),
    ],
)
def test_runs_that_cannot_be_used_are_refused(run, message):
    """The error names the run, the rule and what was received."""
    with pytest.raises(ValueError, match=message):
        collection_from({"a": run}, {"1": {"x": 1}})


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ([("1", "x", 1)], "qrels: no topic"),
        (frame([("1", "x", 1), ("1", "x", 1)], "qid", "docno", "label"), "document 'x' on query '1' is judged twice"),
        ({"1": {"x": 70_000}}, "levels must lie from -32768"),
        ({"1": {"x": 1e30}}, r"levels must lie from -32768 to 32767; document 'x' on query '1' has 1e\+30"),
        ({"1": {"x": 32_768}}, "levels must lie from -32768"),
        ({"1": {"x": -32_769}}, "levels must lie from -32768"),
        ({}, "qrels: it holds no document"),
    ],
)
def test_qrels_that_cannot_be_used_are_refused(qrels, message):
    """The error says what is wrong with the judgments."""
    with pytest.raises(InvalidOptionError, match=message):
        collection_from({"a": {"1": {"x": 1.0}}}, qrels)


def test_a_dataset_id_is_loaded_through_ir_datasets(monkeypatch):
    """A text that is no file names a dataset; without ir_datasets the error says what to install."""
    dataset = SimpleNamespace(qrels_iter=lambda: (TrecQrel(*row, "0") for row in LEVELS))
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load={"made/up": dataset}.__getitem__))
    assert described(collection_from({"bm25": nested(ROWS)}, "made/up")) == EXPECTED
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InvalidOptionError, match="no file 'made/up'; for a dataset of that id install ir_datasets"):
        qrels_from("made/up")


def test_options_outside_their_rule_are_refused():
    """Choices are checked before anything is read; ranks need a column and must be unique."""
    run, qrels = {"1": {"x": 1.0}}, {"1": {"x": 1}}
    with pytest.raises(UnknownNameError, match="no order of documents 'scores'; did you mean 'score'"):
        collection_from({"a": run}, qrels, order="scores")
    with pytest.raises(InvalidOptionError, match="`order='rank'` needs a frame with a column rank"):
        collection_from({"a": run}, qrels, order="rank")
    with pytest.raises(InvalidOptionError, match="two documents at rank 3 of one topic, the second 'y'"):
        collection_from({"a": [{"qid": 1, "docno": name, "rank": 3} for name in "xy"]}, qrels, order="rank")
    with pytest.raises(InvalidOptionError, match="`runs` must map system names to runs"):
        collection_from([run], qrels)


def test_missing_topics_and_groups_are_handled_as_for_files():
    """The same rules hold for objects and files."""
    runs = {"a": nested(ROWS), "b": {"1": {"d1": 1.0}}}
    collection = collection_from(runs, nested(LEVELS), groups={"a": "x", "b": "y"}, pooled=["a"])
    assert collection.groups == ("x", "y")
    assert collection.pooled.tolist() == [True, False]
    assert collection.notes == ("empty lists, scored 0: 2 ('b' lacks 2 of 3 topics)",)
    assert collection_from(runs, nested(LEVELS), missing="drop-topics").topics == ("1",)
