"""What all studies share: each is saved as a folder and written as one file, and says what its scores were read as."""

import json

import pandas as pd
import pytest
from every import EVERY, answer

from metaeval import as_scores, read_scores, simulate_scores, study_power
from metaeval.errors import InvalidOptionError, MetaevalError, UnknownNameError

STUDIES = [name for name in EVERY if name.startswith("study_") and "," not in name]
pytestmark = pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")  # so little data reaches no level


@pytest.fixture(scope="module")
def study():
    """Return a small study."""
    return study_power(simulate_scores(n_systems=4, n_topics=12, rng=1), tests=["t"], rng=1)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_writes_every_form(name, tmp_path):
    """Each ending gives what the report's own method gives; a page has every picture, wide and narrow."""
    made = answer(name)
    report = made.report()
    own = {".json": report.to_json, ".csv": report.to_csv, ".tex": report.to_latex, ".md": report.to_markdown}
    for ending, text in own.items():
        written = made.write(tmp_path / f"answer{ending}").read_text(encoding="utf-8")
        assert written == text()
    page = made.write(tmp_path / "answer.html").read_text(encoding="utf-8")
    assert page.count('<svg class="chart"') == 2 * len(report.pictures())


def test_a_page_and_a_folder(study, tmp_path):
    """The page is one file, and the folder is that of the report."""
    page = study.write(str(tmp_path / "page.HTML"))
    assert page.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    index = study.save(tmp_path / "folder")
    assert index == tmp_path / "folder" / "index.html"
    assert {one.name for one in index.parent.iterdir()} >= {"index.html", "provenance.json", "tables", "figures"}
    with pytest.raises(InvalidOptionError):
        study.save(index.parent / "data")
    assert study.save(index.parent, overwrite=True) == index


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_saves_its_report(name, monkeypatch):
    """A study hands what it is told to the report that it makes."""
    made = answer(name)
    seen = []
    monkeypatch.setattr(type(made.report()), "save", lambda _, folder, **options: seen.append((folder, options)))
    made.save("folder", overwrite=True, pdf=True)
    assert seen == [("folder", {"overwrite": True, "pdf": True})]


@pytest.mark.parametrize("ending", [".docx", ".pdf", "", ".nc"])
def test_other_endings_are_refused(study, tmp_path, ending):
    """An ending that no form has is an error that names those that exist."""
    with pytest.raises(UnknownNameError, match=r"Known: .html, .json, .csv, .tex, .md"):
        study.write(tmp_path / f"answer{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [None, 3, ["a.csv"], True])
def test_a_path_is_a_name(study, path):
    """What is no name of a file is refused before any work."""
    with pytest.raises(InvalidOptionError, match="must be the name of a file"):
        study.write(path)


def test_a_folder_that_is_not_there(study, tmp_path):
    """A file cannot be written where there is no folder, or where a folder is."""
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "none" / "answer.csv", tmp_path / "folder.csv"):
        with pytest.raises(MetaevalError):
            study.write(path)


def test_provenance_says_what_the_scores_were_read_as(tmp_path):
    """The page and its record say it, of frames and of files."""
    frame = pd.DataFrame({"bm25": [0.1, 0.2, 0.4], "lm": [0.2, 0.3, 0.3]}, index=["301", "302", "303"])
    report = study_power(frame, tests=["t"], rng=1).report()
    read_as = "wide frame: 3 topics in rows, 2 systems in columns (by their labels)"
    assert report.provenance.read_as == read_as == as_scores(frame).attrs["read_as"]
    assert read_as in report.to_html()
    assert json.loads(report.to_json())["provenance"]["read_as"] == read_as
    frame.to_csv(tmp_path / "ap.csv", index_label="topic")
    scores = read_scores(tmp_path / "ap.csv")
    assert scores.attrs["read_as"] == "wide table, systems in columns: 1 metric, 2 systems, 3 topics"
    frame.T.to_csv(tmp_path / "turned.csv", index_label="system")
    assert read_scores(tmp_path / "turned.csv").attrs["read_as"].startswith("wide table, systems in rows")
