"""Chapters load a name when it is asked for, and no other module."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import metaeval.inex
import metaeval.reports

SEEN = "import sys, metaeval.reports as r; before = set(sys.modules); r.{}; print(*set(sys.modules) - before)"


@pytest.mark.parametrize("module", [metaeval.inex, metaeval.reports])
def test_a_chapter_has_the_names_of_its_stub(module):
    """All of them can be had, by `dir` too, and no others."""
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text("utf-8"))
    named = {one.asname for line in stub.body if isinstance(line, ast.ImportFrom) for one in line.names}
    assert dir(module) == sorted(module.__all__) == sorted(named)
    assert all(getattr(module, name).__name__ == name for name in module.__all__)
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'"):
        module.__getattr__("nothing")


def test_a_name_loads_its_own_module_alone():
    """A table needs no page."""
    done = subprocess.run([sys.executable, "-c", SEEN.format("Table")], capture_output=True, text=True, check=True)
    assert "metaeval.page.tables" in done.stdout.split()
    assert "metaeval.page.html" not in done.stdout.split()
