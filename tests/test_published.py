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
            yield pytest.param(line, PROMISES[name][place], id=f"{name}-{place}-{shlex.split(line)[1]}")


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


PROMISES = {
    "Ogilvie": (
        (r"Gen4", r"Strict4", r"Gen5", r"Strict5"),
        (r"^Tests on halves of the topics, Benjamini", r"Wilcoxon signed", r"Bootstrap,"),
        (
            *("tables/inex2002_precision.csv", "tables/inex2002_recall.csv", "tables/inex2002_f1.csv"),
            *(f"tables/inex2002(nonrel=indicator)_{name}.csv" for name in ("precision", "recall", "f1")),
        ),
        ("tables/nxCG(task=thorough)@25_f1.csv", "tables/MAep(task=thorough)_f1.csv"),
        ("figures/disagreement_MAep(quant=Gen5_task=thorough)_MAep(quant=GenLifted_task=thorough).svg",),
    ),
    "Sakai": (
        ("tables/collection.csv", "tables/runs.csv"),
        ("tables/half-score.csv", "figures/top-heaviness.svg"),
        (r"^Mean scores", r"^team1-run1 +0\.\d+"),
        (
            r"^τ with the full ranking: 10 %",
            r"^Discriminative power: 10 %",
            r"Diff. required",
            r"^Differences found with 10 %",
        ),
    ),
    "Pal": (
        (r"^Stability of the ranking: a random part of the relevant documents", r"^20\.3 %"),
        (
            "tables/stability_share.csv",
            "tables/run_depths.csv",
            "figures/pool_growth.svg",
            "figures/pool_growth_topics.svg",
        ),
        (r"^Stability of the ranking: fewer topics", r"^τ with the full ranking: 20 % of the topics"),
        ("figures/precision-recall.svg", "figures/precision-recall-best.svg"),
        (r"by the exponential as published", r"^Tolerance +iP@0\.01 +AiP", r"^0 % +[<>≤]?\d+"),
        ("tables/exponential.csv", "tables/minimum_topics_published.csv", "figures/published_curves.svg"),
        (
            r"^Runs by the relative change of their mean score",
            r"^Runs and topics by the relative change of the score",
            r"^\(.∞, .50\] +\d",
            r"^\(0, 10\] +\d",
            r"^\(50, 100\] +\d",
        ),
        (
            "tables/changes_size_run_and_topic.csv",
            "tables/left_out_size.csv",
            "tables/groups_size.csv",
            "tables/pool_sufficiency.csv",
        ),
        (r"^τ at equal effort", r"^Depth chosen topic by topic"),
    ),
    "Piwowarski": (
        (r"mean seconds: relevant documents", r"mean hours of a topic", r"by the times of INEX 2003"),
        (r"relevant elements, mean of a topic", r"mean specificity: article", r"exponent of their power law"),
        ("tables/pool_sufficiency.csv", "tables/run_depths.csv"),
        (r"called relevant by both", r"both call the element relevant", r"both give the same grades"),
        (r"highlighted by both", r"that are assessed \(C-Rule 1\) +100\.0 %"),
        (
            r"relevant documents found by 20 documents",
            r"in a pool of 50 documents",
            r"passages per document of the pool after rank \d+",
            r"in a pool of 50 elements",
        ),
        (r"median size in characters, exhaustivity 1",),
        (r"where the first passage begins", r"median distance to the nearest passage"),
        (r"^Rankings and significant pairs under different judges", r"^Agreement of every pair"),
    ),
    "Kazai": (
        (
            "tables/simulated-runs.csv",
            "tables/runs-SOG.csv",
            "tables/top-nxCGpercent(quant=SOG).csv",
            "figures/curve-0.svg",
            "figures/curve-1.svg",
        ),
    ),
}
"""What each command of a paper's table promises, in order: lines of its answer, or, where it writes a folder, files."""


def test_every_command_has_a_promise():
    """A command that promises nothing could answer anything."""
    found = {name: len(re.findall(r"`metaeval [^`]+`", part)) for name, part in sections().items()}
    assert found == {name: len(rows) for name, rows in PROMISES.items()}


@pytest.mark.parametrize(("line", "promised"), [*commands()])
def test_commands_yield_what_they_promise(line, promised, collections, monkeypatch, capsys):
    """Every command of the page ends well, and the rows or files of its table or figure are there."""
    words = shlex.split(line)
    monkeypatch.chdir(collections)
    monkeypatch.setattr(sys, "argv", [*words, "--quiet", *(["--overwrite"] if "--out" in words else [])])
    assert main() == 0, capsys.readouterr().err
    answer = capsys.readouterr().out
    if "--out" in words:
        folder = collections / words[words.index("--out") + 1]
        missing = [one for one in promised if not (folder / one).is_file()]
    else:
        missing = [one for one in promised if not re.search(one, answer, flags=re.MULTILINE)]
    assert not missing, answer
