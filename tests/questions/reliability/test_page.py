"""The report of a reliability test: its numbers are the study's, with and without submitted runs."""

from dataclasses import replace

import pandas as pd
import pytest

from metaeval.inex.ordered_runs import RELIABILITY_RUNS
from metaeval.inex.simulation import simulate_inex
from metaeval.page.html import render_page
from metaeval.questions.reliability.page import reliability_report
from metaeval.questions.reliability.study import study_reliability

HOSTILE = "<script>alert(1)</script> $x$"


@pytest.fixture(scope="module")
def study():
    """Study a simulated campaign of 2004 with submitted runs, one with a name that could do harm."""
    made = simulate_inex(
        year=2004,
        n_systems=5,
        n_topics=3,
        n_documents=100,
        n_results=60,
        relevant_documents=10,
        rng=2,
        published=False,
    )
    runs = [replace(made.submissions[0], run=HOSTILE), *made.submissions[1:]]
    return study_reliability(made.assessments, runs, sizes=made.sizes)


def test_tables_show_the_study(study):
    """The table in the form of the paper's Table 1, the verdicts, and the best runs under each metric."""
    tables = {table.name: table for table in reliability_report(study).tables()}
    first = study.metrics[0]
    cells = [[cell.text for cell in row] for row in tables["runs-SOG"].cells()]
    own = study.runs[study.runs["metric"] == first].set_index("run")
    assert [row[0] for row in cells] == ["irb", "frb", "ia", "id", "lo", "ao"]
    assert [row[3] for row in cells] == [f"{value:.4f}" for value in own["value"]]
    assert [row[4] for row in cells] == [str(rank) for rank in own["rank"]]
    assert [row[2] for row in cells] == [f"{100 * share:.1f} %" for share in own["overlap"]]
    assert len(tables["verdicts"].cells()) == 8
    assert tables[f"top-{first}"].frame.equals(study.top(first))
    made = [[cell.text for cell in row] for row in tables["simulated-runs"].cells()]
    assert made == [list(item) for item in RELIABILITY_RUNS.items()]
    assert [row[0].text for row in tables["expectations"].cells()] == ["ideal", "overlap"]


def test_words_and_pictures(study, words_of):
    """Verdicts are told in the summary, hostile names are text, and every curve is a picture."""
    page = replace(study.report(), warnings=("mind the gap",))
    words, markup = words_of(page), render_page(page)
    met = int(study.verdicts.query("expectation == 'ideal'")["met"].sum())
    assert 0 < met < 4
    assert page.summary[0].startswith(f"Not all: {met} of 4 metrics rank")
    assert page.summary[1].endswith("means over 3 topics, without a test.")
    places = {row[0].text: [cell.text for cell in row[1:]] for row in page.key_figures.cells()}
    assert places["inex2002(quant=SOG)"][:2] == ["5", "frb"]
    assert "Mind the gap" in words
    assert "<script>alert(1)" not in markup
    names = [picture.name for picture in page.pictures()]
    assert names == ["curve-0", "curve-1", "curve-2", "curve-3", "overlap"]


def test_mean_ranks_are_in_the_order_of_numbers(study):
    """The lowest comes first, however many digits it has."""
    ranks = study.submissions["metric"].eq(study.metrics[0]) * 0.5 + 9.5
    (section,) = reliability_report(
        replace(study, submissions=study.submissions.assign(rank=ranks, overlap=0.0))
    ).sections[-1:]
    assert "that of all runs is 9.5 to 10.0." in section.blocks[0].paragraphs[0]


def test_the_tree_in_words(focused_tree):
    """On the tree of the paper irb shares its place with ia under nXCG."""
    names = ["nxCGpercent(quant=SOG)", "inex2002(quant=SOG)", "xQ(quant=SOG)"]
    said = {
        name: reliability_report(study_reliability(focused_tree.tree_assessments(), metrics=[name])).summary[0]
        for name in names[:2]
    }
    assert said[names[0]] == "Yes, in a tie: nxCGpercent(quant=SOG) ranks the ideal run irb first together with ia."
    assert said[names[1]].startswith("No: inex2002(quant=SOG)")
    page = reliability_report(study_reliability(focused_tree.tree_assessments(), metrics=names))
    assert [section.id for section in page.sections[:3]] == ["runs", "verdicts", "curves"]
    assert "submissions" not in {section.id for section in page.sections}
    assert len(page.pictures()) == 2


def test_the_folder(study, tmp_path):
    """The page, its tables and the values of every run."""
    index = study.report().save(tmp_path / "out")
    assert index.name == "index.html"
    found = pd.read_csv(next((tmp_path / "out").rglob("runs.csv")))
    assert found["value"].tolist() == pytest.approx(study.runs["value"].tolist())
    assert list((tmp_path / "out").rglob("submissions.csv"))
