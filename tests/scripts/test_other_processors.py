"""benchmarks/studies/other_processors.py: kernels of other processors give the same answers; others would be seen."""

import importlib.util
import sys

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def program(studies):
    """Load the program."""
    spec = importlib.util.spec_from_file_location("other_processors", studies / "other_processors.py")
    module = sys.modules["other_processors"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_fitted_curves_and_others_are_the_same(program, tmp_path):
    """Curves had half of their digits, and whole answers are compared; the report names whatever differs."""
    names = ["compare_curves", "hierarchical", "rank_intervals", "bradley_terry"]
    report = program.compared(names, tmp_path)
    rows = [line for line in report.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 2
    assert all(row.endswith("| 0 |") for row in rows), report


def test_what_differs_is_seen(program):
    """A number by more than 1e-9 of the largest of its column, a word, a missing number; not rounding."""
    frame = pd.DataFrame({"name": ["a", "b"], "value": [1.0, 1e-6]})
    before = [*program.leaves({"table": frame})]
    for change, count in ((1e-11, 0), (1e-8, 1), (np.nan, 1)):
        after = [*program.leaves({"table": frame.assign(value=frame["value"] + [0.0, change])})]
        assert len(program.differences(before, after)[0]) == count, change
    assert program.differences(before, [*program.leaves({"table": frame.assign(name=["a", "c"])})])[0]
    assert program.apart(np.array([3]), np.array([3.0])) == np.inf
