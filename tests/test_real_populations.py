"""The statements that are judged on real topics keep to their goals, on two tables and few samples."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
STATEMENTS = sorted(path.stem for path in BENCHMARKS.glob("real_*.py") if path.stem != "real_populations")


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_holds_on_real_topics(name, data_folder, monkeypatch):
    """No goal is missed by more than four standard errors."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    bench = importlib.import_module("real_populations")
    tables = importlib.import_module("populations").populations(data_folder, matrices_only=True)
    statement = importlib.import_module(name)
    rows = statement.judge([one for one in tables if one.name in bench.QUICK], bench.QUICK_SCALE)
    assert not statement.failures(rows)
