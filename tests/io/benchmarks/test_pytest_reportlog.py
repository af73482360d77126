"""Logs of pytest-reportlog 0.4, in the form that its README shows: a system a file, a test an item; shares by hand."""

import json

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look

PHASES = ("setup", "call", "teardown")


def log_of(*tests):
    """Return the log of a session: of each test its name and the outcomes of its phases."""
    records = [{"pytest_version": "8.3.2", "$report_type": "SessionStart"}]
    records.append({"nodeid": "test_x.py", "result": [], "outcome": "passed", "$report_type": "CollectReport"})
    for name, *outcomes in tests:
        for phase, outcome in zip(PHASES, outcomes, strict=False):
            report = {"nodeid": f"test_x.py::{name}", "outcome": outcome, "when": phase, "duration": 0.5}
            records.append(report | {"$report_type": "TestReport", "keywords": {name: 1}, "longrepr": None})
    return "\n".join(map(json.dumps, [*records, {"exitstatus": 1, "$report_type": "SessionFinish"}])) + "\n"


GOOD, BAD, ERROR, SKIPPED = ["passed"] * 3, ["passed", "failed", "passed"], ["failed"], ["skipped"]


def test_a_test_passes_where_no_phase_fails(put):
    """Of four tests the first system passes three, the second one: one fails in its call, one before, one after."""
    names = ["a", "b", "c", "d"]
    rows = {"good.jsonl": [GOOD, GOOD, GOOD, BAD], "new.jsonl": [BAD, ERROR, ["passed", "passed", "failed"], GOOD]}
    folder = put(
        {file: log_of(*([name, *row] for name, row in zip(names, tests, strict=True))) for file, tests in rows.items()}
    )
    scores = read_scores(folder)
    assert scores.sel(metric="passed").mean("topic").to_series().to_dict() == {"good": 0.75, "new": 0.25}
    assert scores["topic"].to_numpy().tolist() == [f"test_x.py::{name}" for name in names]
    assert look(folder).contents.tool == "pytest-reportlog"


def test_skipped_and_repeated_tests(put):
    """A skipped test is no item; of one that is run again on failure (pytest-rerunfailures) the last run counts."""
    again = log_of(["a", "passed", "rerun"], ["a", *GOOD], ["b", *BAD], ["c", *SKIPPED])
    scores = read_scores(put({"x.jsonl": again, "y.jsonl": log_of(["a", *BAD], ["b", *GOOD])}))
    assert scores.sel(metric="passed").to_pandas().to_numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert any("left out 1 test that was skipped" in note for note in scores.attrs["notes"])


def test_logs_of_two_sessions_in_one_file_are_refused(put):
    """The same test twice says nothing of which counts; nor does an outcome that pytest has not."""
    with pytest.raises(FileFormatError, match="was run twice; give the log of one session"):
        read_scores(put({"x.jsonl": log_of(["a", *GOOD], ["a", *GOOD]), "y.jsonl": log_of(["a", *GOOD])}))
    with pytest.raises(FileFormatError, match="a test has passed, failed or was skipped"):
        read_scores(put({"x.jsonl": log_of(["a", "passed", None]), "y.jsonl": log_of(["a", *GOOD])}))
