"""Tests of the table of commands and of the program that loads one when it is called."""

import subprocess
import sys

import pytest

from metaeval.cli.commands import COMMANDS

HEAVY = {"numpy", "pandas", "scipy", "xarray", "numba", "polars", "matplotlib", "statsmodels", "pymc"}
HEAVY |= {"pyarrow", "dask", "joblib", "rich"}


def test_help_of_the_program_loads_no_command(command, monkeypatch):
    """It lists them all, in the order of the table, from the table alone."""
    monkeypatch.setattr("metaeval.cli.commands.import_module", lambda name: pytest.fail(f"{name} was loaded"))
    listed = [line.split()[0] for line in command("--help").out.splitlines() if line.startswith("  ")]
    assert [word for word in listed if word in COMMANDS] == [*COMMANDS]


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--version"], set()),
        (["--help"], set()),
        ([], set()),
        (["no-such-command"], {"numpy", "rich"}),  # its message is printed beside the bars of progress
        (["power", "--help"], {"numpy", "rich"}),  # the table of tests speaks of random draws
        (["power", "table.csv", "--test", "t"], {"numpy", "pandas", "scipy", "xarray", "rich"}),
    ],
)
def test_nothing_heavier_is_loaded_than_what_is_asked_for(arguments, allowed, tmp_path):
    """Help and version come at once: a library that a command does not need is not loaded for it."""
    rows = [f"t{topic},{topic % 3},{topic % 5}" for topic in range(12)]
    (tmp_path / "table.csv").write_text("\n".join(["topic,A,B", *rows, ""]))
    words = f"""
import sys
from metaeval.__main__ import main
sys.argv = ["metaeval", *{arguments!r}]
main()
print(*sys.modules, file=sys.stderr, sep=chr(10))
"""
    ended = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = HEAVY.intersection(ended.stderr.split("\n"))
    assert loaded <= allowed, loaded - allowed
