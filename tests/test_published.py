"""The page of five papers leaves out no table and no figure, and its commands do what it says."""

import html
import re
import shlex
import sys
from itertools import chain
from pathlib import Path
from typing import NamedTuple

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
    "Ogilvie": (arabic(4), ["1a, b", "1c, d"]),
    "Sakai": (arabic(7), arabic(8)),
    "Pal": (arabic(12), arabic(6)),
    "Piwowarski": (ROMAN, arabic(7)),
    "Kazai": (arabic(3), arabic(3)),
}
"""The tables and the figures of each paper."""


class Row(NamedTuple):
    """A table, figure or formula of a paper, with its command by its letter and where the answer holds it."""

    what: str
    shows: str
    command: str
    where: str
    difference: str

    @property
    def promised(self):
        """Files of the folder, and words of the answer."""
        return re.findall(r"`([^`]+)`", self.where), re.findall(r"“([^”]+)”", self.where)


def cells(part, number):
    """Return the rows of the table of a paper that has so many columns, without its head."""
    lines = [line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return [line for line in lines if len(line) == number and line[0] != "row"]


PARTS = {re.match(r"\w+", part)[0]: part for part in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]}
ROWS = {name: [Row(*line) for line in cells(part, 5)] for name, part in PARTS.items()}
COMMANDS = {
    (name, letter): command
    for name, part in PARTS.items()
    for letter, command in re.findall(r"^\| ([A-Z]) \| (.+) \|$", part, flags=re.MULTILINE)
}


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
    """Each has a row of its own, a command of the paper's table, and something that the command promises."""
    for word, numbers in zip(("Table", "Figure"), PAPERS[paper], strict=True):
        assert sorted(row.what for row in ROWS[paper] if row.what.startswith(word)) == sorted(
            f"{word} {number}" for number in numbers
        )
    assert all((paper, row.command) in COMMANDS and any(row.promised) for row in ROWS[paper])


def test_the_page_has_as_many_rows_as_it_says():
    """And no command that no row needs."""
    assert f"({sum(map(len, ROWS.values()))} rows)" in PAGE.read_text("utf-8").replace("\n", " ")
    assert {(name, row.command) for name, rows in ROWS.items() for row in rows} == set(COMMANDS)


@pytest.mark.parametrize("asked", COMMANDS, ids="-".join)
def test_commands_yield_what_they_promise(asked, collections, monkeypatch, capsys):
    """Every command of the page ends well, and the files and words of its rows are there; a link holds the words."""
    paper, letter = asked
    promised = [row.promised for row in ROWS[paper] if row.command == letter]
    files, words = (chain.from_iterable(part) for part in zip(*promised, strict=True))
    if link := re.fullmatch(r"\[.+\]\((.+)\)", COMMANDS[asked]):
        answer, folder = (PAGE.parent / link[1]).read_text("utf-8"), PAGE.parent
    else:
        line = shlex.split(COMMANDS[asked].strip("`"))
        monkeypatch.chdir(collections)
        monkeypatch.setattr(sys, "argv", [*line, "--quiet", *(["--overwrite"] if "--out" in line else [])])
        assert main() == 0, capsys.readouterr().err
        answer, folder = capsys.readouterr().out, collections
        if "--out" in line:
            folder = collections / line[line.index("--out") + 1]
            answer = html.unescape((folder / "index.html").read_text("utf-8"))
    assert [one for one in files if not (folder / one).is_file()] == []
    assert [one for one in words if one not in answer] == []
