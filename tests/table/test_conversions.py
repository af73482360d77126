"""Objects of other libraries: none is imported, and each becomes a frame or a mapping without losing anything."""

import subprocess
import sys
from decimal import Decimal
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from forms_of_scores import METRICS, SYSTEMS, TOPICS, VALUES, long_frame

from metaeval import as_scores
from metaeval.errors import InvalidOptionError
from metaeval.table.conversions import plain
from metaeval.table.means import as_means
from metaeval.table.votes import as_votes

LOSSY = 2**53 + 1


def _assert_all(data):
    np.testing.assert_array_equal(as_scores(data).sel(metric=METRICS, system=SYSTEMS, topic=TOPICS).to_numpy(), VALUES)


def test_frames_of_polars():
    """Frames, and lazy ones that are collected."""
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(long_frame().to_dict("list"))
    _assert_all(frame)
    _assert_all(frame.lazy())
    wide = polars.DataFrame({"qid": TOPICS, "bm25": VALUES[0, 0], "lm": VALUES[0, 1]})
    assert as_scores({"AP": wide}).sizes["topic"] == 3


def test_tables_of_arrow():
    """Columns of Arrow keep every digit of whole numbers beside gaps."""
    arrow = pytest.importorskip("pyarrow")
    _assert_all(arrow.table(long_frame().to_dict("list")))
    assert plain(arrow.table({"score": [LOSSY, None]}))["score"].tolist()[0] == LOSSY


def test_what_can_become_pandas():
    """An object with columns and a way to pandas is asked for it."""

    class Frame:
        columns = ("system",)

        def to_pandas(self):
            return long_frame()

    _assert_all(Frame())


def test_structured_arrays_and_records():
    """Arrays with named fields, and records of any kind."""
    _assert_all(long_frame().to_records(index=False))
    _assert_all(record for record in long_frame().to_dict("records"))
    assert plain([{"score": LOSSY}, {"score": 0.5}])["score"].tolist() == [LOSSY, 0.5]


def _ranx(kind, **held):
    return type(kind, (SimpleNamespace,), {"__module__": "ranx.data_structures"})(**held)


def test_runs_of_ranx():
    """Runs that ranx has scored carry their scores by query; its report holds means alone, and says what to pass."""
    runs = [
        _ranx(
            "Run",
            name=system,
            scores={metric: dict(zip(TOPICS, VALUES[m, s], strict=True)) for m, metric in enumerate(METRICS)},
        )
        for s, system in enumerate(SYSTEMS)
    ]
    _assert_all(runs)
    _assert_all({run.name: run for run in runs})
    with pytest.raises(InvalidOptionError, match="holds means"):
        as_scores(_ranx("Report", model_names=SYSTEMS))


@pytest.mark.parametrize("data", [3, "text", pd.DataFrame({"a": [1]}), [[1, 2], [3, 4]], ModuleType("x")])
def test_what_is_plain_stays(data):
    """Numbers, text, frames and lists are what they are."""
    assert plain(data) is data


def test_no_library_is_imported():
    """What is not there is not needed."""
    code = "import sys, metaeval; metaeval.as_scores([[1, 0], [0, 1]]); print('polars' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_whatever_hands_out_a_stream_of_arrow():
    """A relation of DuckDB has columns and a stream, and no way to pandas by a known name (form of duckdb 2.0.1)."""
    polars = pytest.importorskip("polars")

    class Relation:
        def __init__(self, columns):
            self.frame = polars.DataFrame(columns)
            self.columns = self.frame.columns

        def __arrow_c_stream__(self, requested_schema=None):
            return self.frame.__arrow_c_stream__(requested_schema)

    _assert_all(Relation(long_frame().to_dict("list")))
    assert plain(Relation({"score": [LOSSY, None]}))["score"].tolist()[0] == LOSSY
    assert plain(polars.DataFrame({"score": [LOSSY, None]}))["score"].tolist()[0] == LOSSY
    votes = as_votes(Relation({"left": ["a", "b"], "right": ["b", "c"], "winner": ["left", "tie"]}))
    assert votes.share.tolist() == [1.0, 0.5]
    board = as_means(Relation({"model": ["a", "b"], "acc": [Decimal("0.7"), Decimal("0.6")], "acc_se": [0.02, 0.03]}))
    assert (board.means.tolist(), board.errors.tolist()) == ([[0.7, 0.6]], [[0.02, 0.03]])


def test_results_of_ir_measures():
    """`calc` gives means and the results of queries, `iter_calc` those alone (ir_measures 0.4.3): by hand."""
    ir_measures = pytest.importorskip("ir_measures")
    judged = [ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("2", "c", 1), ir_measures.Qrel("2", "d", 1)]
    orders = {"x": {"1": "ab", "2": "cbd"}, "y": {"1": "ba", "2": "cd"}}
    runs = {
        name: [
            ir_measures.ScoredDoc(topic, document, -rank)
            for topic, documents in of_topic.items()
            for rank, document in enumerate(documents)
        ]
        for name, of_topic in orders.items()
    }
    wanted = {"x": [1, (1 + 2 / 3) / 2], "y": [0.5, 1]}
    for calc in (ir_measures.calc, ir_measures.iter_calc):
        scores = as_scores({name: calc([ir_measures.AP], judged, run) for name, run in runs.items()})
        assert {name: scores.sel(metric="AP", system=name).to_numpy().tolist() for name in runs} == {
            name: pytest.approx(values) for name, values in wanted.items()
        }
