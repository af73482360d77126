"""The page of five papers leaves out no table and no figure, and its commands do what it says."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from metaeval.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "published" / "every-table-and-figure.md"
if not PAGE.is_file():
    pytest.skip("needs the checkout around the tests, which lie alone here", allow_module_level=True)
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")


def arabic(last):
    """Return the numbers from 1 as they are written."""
    return [str(number) for number in range(1, last + 1)]


PAPERS = {
    "Ogilvie": (arabic(4), arabic(1)),
    "Sakai": (arabic(7), arabic(8)),
    "Pal": (arabic(12), arabic(6)),
    "Piwowarski": (ROMAN, arabic(7)),
    "Kazai": (arabic(3), arabic(3)),
}
"""The tables and the figures of each paper."""


def sections():
    """Return the section of each paper, by the first word of its title."""
    parts = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {re.match(r"\w+", part)[0]: part for part in parts}


def commands():
    """Yield every command line in the tables."""
    for name, part in sections().items():
        for place, line in enumerate(re.findall(r"`(metaeval [^`]+)`", part)):
            yield pytest.param(line, id=f"{name}-{place}-{shlex.split(line)[1]}")


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    """Make the collections of the page, as it says."""
    folder = tmp_path_factory.mktemp("papers")
    lines = re.findall(r"^\$ (metaeval simulate .*)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        for line in lines:
            patched.setattr(sys, "argv", [*shlex.split(line), "--quiet"])
            assert main() == 0
    return folder


@pytest.mark.parametrize("paper", PAPERS)
def test_no_table_and_no_figure_is_left_out(paper):
    """Every number stands in the first column of the paper's table, once."""
    rows = re.findall(r"^\| ([^|]+) \|", sections()[paper], flags=re.MULTILINE)[1:]
    for word, numbers in zip(("Tables?", "Figures?"), PAPERS[paper], strict=True):
        listed = [one for row in rows for part in re.findall(rf"{word} ([\dIVX, ]+)", row) for one in part.split(", ")]
        assert sorted(listed) == sorted(numbers)


@pytest.mark.parametrize("line", [*commands()])
def test_commands_run(line, collections, monkeypatch, capsys):
    """Every command of the page ends well and answers."""
    monkeypatch.chdir(collections)
    monkeypatch.setattr(sys, "argv", [*shlex.split(line), "--quiet", *(["--overwrite"] if "--out" in line else [])])
    assert main() == 0, capsys.readouterr().err
    assert capsys.readouterr().out.strip()
