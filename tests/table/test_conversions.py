"""Objects of other libraries: none is imported, and each becomes a frame or a mapping without losing anything."""

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from forms_of_scores import METRICS, SYSTEMS, TOPICS, VALUES, long_frame

from metaeval import as_scores
from metaeval.errors import InvalidOptionError
from metaeval.table.conversions import plain

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
