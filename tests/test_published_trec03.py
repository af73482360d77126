"""The page on Sakai and Kando shows its kept report on TREC03, and the report is what the data give."""

import re
import runpy
from pathlib import Path

import pytest

from metaeval.collection.documents import CollectionWarning

ROOT = Path(__file__).parents[1]
if not (ROOT / "benchmarks" / "studies").is_dir():
    pytest.skip("needs benchmarks/studies, which a checkout alone has", allow_module_level=True)
REPORT = (ROOT / "benchmarks" / "reports" / "sakai-kando-trec03.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "published" / "sakai-kando-2008.md").read_text("utf-8")
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "studies" / "sakai_kando_trec03.py"))


@pytest.fixture(scope="module")
def trec03(data_folder):
    """Read the collection as the script does."""
    if not (data_folder / "trec2003-robust").is_dir():
        pytest.skip(f"no trec2003-robust in {data_folder}")
    with pytest.warns(CollectionWarning, match="tied scores"):
        return SCRIPT["read"](data_folder)


def _plain(line):
    """Return a row of a table without the differences between a report and a page."""
    line = line.translate({0x2212: "-", 0x2032: "'"})
    return re.sub(r"\s+|---|, (all judgments|10 %)(?= \| printed)", "", line)


def test_the_page_shows_tables_of_the_report():
    """Every row of every table on TREC03 is in the report, figure by figure."""
    part = PAGE[PAGE.index("## TREC03 on its own runs") : PAGE.index("## The experiment in one command")]
    kept = {_plain(line) for line in REPORT.splitlines()}
    shown = [line for line in part.splitlines() if line.startswith("|")]
    assert len(shown) > 50
    assert [line for line in shown if _plain(line) not in kept] == []


def test_the_collection_is_the_one_of_the_paper(trec03):
    """N, R and S of Table 2, to the last digit: what the script finds now is in the report, and is what is printed."""
    table = SCRIPT["table_2"](trec03)
    assert table in REPORT
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    assert len(rows) == 6
    assert [here for _, here, _ in rows] == [printed for _, _, printed in rows]


def test_the_powers_of_table_3_are_what_the_script_finds_now(trec03):
    """One run of each of 16 teams, and their significant pairs with all judgments and with 10 %, come out as kept."""
    study = SCRIPT["Study"](trec03, 2, 0)
    assert ", ".join(study.chosen) in REPORT
    assert len(study.chosen) == 16
    table = [[cell.strip() for cell in line.split("|")] for line in REPORT.split("## Table 3(a)")[1].splitlines()]
    here = table[2].index("here")
    kept = {row[1]: row[here].split("/")[0] for row in table[4:14]}
    pairs = (study.frame.drop_duplicates("metric").set_index("metric")["power_full"] * 120).round()
    assert {name: f"{found:.0f}" for name, found in pairs.items()} == kept
    assert study.tested("found").le(120).all(axis=None)
