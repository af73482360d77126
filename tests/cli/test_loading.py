"""Loading pandas and xarray without what these look for."""

import subprocess
import sys

import pytest

from metaeval.errors import EstimationError

LINES = """
import sys
from metaeval.cli.loading import load_tables
load_tables(arrow={arrow})
print(*(name for name in ("pandas", "xarray", "pyarrow", "dask") if name in sys.modules))
import pandas, xarray
assert xarray.DataArray([1.0]).sum() == 1.0
assert pandas.Series(["a", "b"]).str.upper().tolist() == ["A", "B"]
for name in ("pyarrow", "dask.array"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert "halted" not in str(error), error
"""


@pytest.mark.parametrize("arrow", [False, True])
def test_what_is_hidden_is_there_afterwards(arrow):
    """Where it is installed; pandas looks for pyarrow where tables may come from other programs."""
    done = subprocess.run([sys.executable, "-c", LINES.format(arrow=arrow)], capture_output=True, text=True, check=True)
    loaded = {"pandas", "xarray"}
    assert loaded <= set(done.stdout.split()) <= loaded | ({"pyarrow"} if arrow else set())


@pytest.mark.parametrize(
    ("words", "arrow"),
    [
        ("power AP.csv --test t", False),
        ("power AP.csv --test t --rope 0.1", False),
        ("power AP.csv --test t --rope 0.1 --bayesian hierarchical", True),
        ("power AP.csv --workers 2", True),
        ("power AP.csv --dask tcp://127.0.0.1:1", True),
        ("topics AP.csv --pymc", True),
        ("metrics --plugin AP.csv", True),
    ],
)
@pytest.mark.usefixtures("table")
def test_pandas_has_pyarrow_where_tables_are_exchanged(command, monkeypatch, words, arrow):
    """Samplers and other processes bring texts that pandas can read only with it."""
    told = []

    def load(*, arrow):
        told.append(arrow)
        raise EstimationError("enough")

    monkeypatch.setattr("metaeval.cli.option_rules.load_tables", load)
    assert command(*words.split()).err == "Error: enough\n"
    assert told == [arrow]
