"""Reports that earlier versions wrote, kept as they wrote them without their pages and figures.

``metaeval power scores.csv --test t --out schema-N`` by the last commits that wrote schema 1 (bf969278), 2 (5ec1a3bd)
and 3 (3571f3b8), on the scores.csv beside them. Expected values are those that the older version printed.
"""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from metaeval import read_scores
from metaeval.errors import FileFormatError
from metaeval.page.json_answer import SCHEMA

HERE = Path(__file__).parent / "older_reports"
FOLDERS = sorted(HERE.glob("schema-*"))


@pytest.fixture
def copies(tmp_path):
    """Copy the older reports and their scores to where they may be written over."""
    shutil.copytree(HERE, tmp_path, dirs_exist_ok=True)


def test_each_schema_of_before_has_its_report():
    """Whoever raises the number of the schema leaves a folder of the version before."""
    current = int(SCHEMA.removeprefix("metaeval/"))
    assert [folder.name for folder in FOLDERS] == [f"schema-{number}" for number in range(1, current)]
    for folder in FOLDERS:
        record = json.loads((folder / "provenance.json").read_text("utf-8"))
        assert record["schema"] == folder.name.replace("schema-", "metaeval/")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_scores_of_an_older_report_are_read(folder):
    """Its means under AP are those of its own table."""
    printed = pd.read_csv(folder / "tables" / "ranking_AP.csv").set_index("system")["mean"]
    means = read_scores(folder).sel(metric="AP").mean("topic").to_series()
    pd.testing.assert_series_equal(means.sort_index(), printed.sort_index(), check_names=False, rtol=1e-12)
    assert read_scores(folder / "data").equals(read_scores(folder))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_answer_given_as_data_leads_to_its_inputs(folder):
    """Who gives the JSON that metaeval wrote hears what it is, and which files to give instead."""
    with pytest.raises(FileFormatError, match=r"metaeval power wrote it as its answer; .* made from: scores\.csv$"):
        read_scores(folder / "provenance.json")


@pytest.mark.parametrize("folder", [folder.name for folder in FOLDERS])
@pytest.mark.usefixtures("copies")
def test_an_older_report_is_written_over_when_asked(folder, command):
    """It is known as a report, and nothing of it stays."""
    ended = command("power", "scores.csv", "--test", "t", "--out", folder, "--overwrite", "-q")
    assert ended.code == 0, ended.err
    assert json.loads(Path(folder, "provenance.json").read_text("utf-8"))["schema"] == SCHEMA


@pytest.mark.parametrize("folder", [folder.name for folder in FOLDERS if (folder / "data" / "study.toml").exists()])
@pytest.mark.usefixtures("copies")
def test_an_older_study_is_asked_again(folder, command):
    """Its options and files are those of then, and so are the counts of significant pairs."""
    printed = pd.read_csv(Path(folder, "tables", "discriminative_power.csv"))
    ended = command("--study", f"{folder}/data/study.toml", "--json", "-q")
    assert ended.code == 0, ended.err
    rows = pd.DataFrame(ended.json()["results"])
    keys = ["metric", "correction"]
    both = printed.merge(rows[rows["test"] == "t"], on=keys, suffixes=("_then", "_now"))
    assert len(both) == len(printed) == 8
    assert (both["n_significant_then"] == both["n_significant_now"]).all()
