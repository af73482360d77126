"""`metaeval assessment`: figures, JSON and a report from INEX files of any year."""

import re
import shutil

import pytest

from metaeval.agreement.assessment_tables import SHORT
from metaeval.simulate.inex import simulate_inex
from metaeval.studies.assessment import study_assessments


def made(year):
    return simulate_inex(year=year, n_systems=3, n_topics=3, n_documents=80, n_results=50, pool_size=30, rng=4)


@pytest.mark.parametrize("year", [2004, 2005, 2007])
def test_the_answer_as_json(command, tmp_path, year):
    """The figures are those of the study on the same data."""
    campaign = made(year)
    campaign.write_collection(tmp_path / "made")
    words = ("assessment", "made/assessments", "--runs", "made/submissions", "--second", "made/second")
    rows = command(*words, "--element-sizes", "made/sizes.txt", "--json").json()["results"]
    study = study_assessments(
        campaign.assessments,
        submissions=campaign.submissions,
        second=campaign.second_assessments,
        sizes=campaign.sizes,
    )
    expected = study.to_frame()
    assert [(row["question"], row["statistic"]) for row in rows] == expected.iloc[:, :2].apply(tuple, axis=1).tolist()
    assert [row["value"] for row in rows] == pytest.approx(expected["value"].tolist())


def test_the_answer_in_words_and_as_a_page(command, tmp_path):
    """Pools, a log and the release's own folders are read too."""
    made(2005).write_collection(tmp_path / "made")
    shutil.move(tmp_path / "made" / "second", tmp_path / "made" / "assessments" / "others")
    (tmp_path / "log.csv").write_text("topic,document,seconds\n2005001,co/made/r10000,50\n")
    pool = '<pool topic="2005001"><file file="co/made/r10000"><path path="/article[1]"/></file></pool>'
    (tmp_path / "pool.xml").write_text(pool)
    words = ("assessment", "made/assessments", "--second", "made/assessments", "--pools", "pool.xml")
    ended = command(*words)
    assert ended.code == 0
    assert "Agreement on elements" in ended.out
    assert "documents assessed, mean of a topic" in ended.out
    assert "give a log" in ended.out
    ended = command(*words, "--log", "log.csv", "--out", "page")
    assert (ended.code, ended.out) == (0, "Report written: open page/index.html\n")
    assert "How were the assessments made?" in (tmp_path / "page" / "index.html").read_text()


@pytest.mark.parametrize("year", [2002, 2004, 2005, 2006, 2007])
def test_figures_are_written_as_on_the_page(command, tmp_path, year):
    """Counts have no decimals, shares are percentages, and no key of the study is shown as it is."""
    campaign = made(year)
    campaign.write_collection(tmp_path / "made")
    log = campaign.assessments.documents[["topic", "document"]].assign(seconds=50)
    log.to_csv(tmp_path / "log.csv", index=False)
    words = ("assessment", "made/assessments", "--runs", "made/submissions", "--second", "made/second")
    ended = command(*words, "--element-sizes", "made/sizes.txt", "--log", "log.csv")
    cells = [re.split(r"\s{2,}", line.strip()) for line in ended.out.splitlines()]
    rows = {row[1]: row[2] for row in cells if len(row) == 3}
    assert rows["topics"] == "3"
    assert len(rows) > 10
    assert not re.search(r"\d\.\d{3}|_|per topic", ended.out)
    assert not any(re.search(r"share| at ", name) for name in rows)
    if year == 2005:
        study = study_assessments(campaign.assessments, sizes=campaign.sizes)
        sizes = study.sizes.set_index("exhaustivity")
        assert rows["median size in characters, too small to judge"] == f"{sizes['median']['?']:.0f}"
        assert rows[f"with fewer than {SHORT} characters, exhaustivity 1"] == f"{100 * sizes['short']['1']:.1f} %"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "nowhere"),
        (("made/assessments", "--log", "log.csv"), "a log needs a column seconds or time"),
        (("made/assessments", "--log", "none.csv"), "none.csv"),
        (("made/assessments", "--second", "made/assessments"), "no folder called others"),
    ],
)
def test_bad_files_stop(command, tmp_path, words, message):
    """They end with the exit code of bad input and say what is wrong."""
    made(2005).write_collection(tmp_path / "made")
    (tmp_path / "log.csv").write_text("topic,document\n1,d1\n")
    ended = command("assessment", *words)
    assert ended.code == 3
    assert message in ended.err
