"""`metaeval report`: from tables, and from runs and judgments, to a folder."""

import json

import pytest


def test_writes_the_whole_folder(command, table, tmp_path):
    """index.html, tables, figures, data and provenance are there, and the page holds the numbers."""
    ended = command("report", *table, "--interval-resamples", 20)
    assert ended.code == 0, ended.err
    folder = tmp_path / "metaeval-report"
    assert {path.name for path in folder.iterdir()} == {"index.html", "tables", "figures", "data", "provenance.json"}
    assert {"scores.nc", "scores.parquet"} <= {path.name for path in (folder / "data").iterdir()}
    assert json.loads((folder / "provenance.json").read_text())["random_source"] == "seed 0"
    assert "Discriminative power" in (folder / "index.html").read_text()


def test_an_older_report_is_only_replaced_on_request(command, table):
    """A second report into the same folder is refused with the way out, and replaced with --overwrite."""
    quick = ("--interval-resamples", 0)
    assert command("report", table[0], *quick).code == 0
    refused = command("report", table[0], *quick)
    assert refused.code == 2
    assert "overwrite" in refused.err
    assert command("report", table[0], *quick, "--overwrite").code == 0


def test_nothing_is_left_of_a_report_that_failed(command, table, tmp_path, monkeypatch):
    """When drawing is interrupted the folder does not exist and no scrap lies beside it."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("metaeval.reports.folder.render_page", interrupt)
    before = set(tmp_path.iterdir())
    assert command("report", table[0], "--interval-resamples", 0).code == 130
    assert set(tmp_path.iterdir()) == before


def test_from_runs_and_judgments(command, made_collection, tmp_path):
    """The report of runs describes the collection and shows precision against recall."""
    ended = command(
        "report", made_collection / "runs", "--qrels", made_collection / "qrels.txt",
        *("--groups", made_collection / "groups.csv", "--group-column", "group"),
        *("--metrics", "AP,nDCG@10,P@10", "--interval-resamples", 0, "--out", "r"),
    )  # fmt: skip
    assert ended.code == 0, ended.err
    page = (tmp_path / "r" / "index.html").read_text()
    for words in ("The collection", "Precision and recall", "Unjudged in top 10"):
        assert words in page
    inputs = json.loads((tmp_path / "r" / "provenance.json").read_text())["inputs"]
    assert len(inputs) == 6 + 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--metrics", "nGDC@10"], 2, "nDCG"),
        (["--undefined", "ignore"], 2, "drop"),
        (["--order", "up"], 2, "score"),
        (["--plugin", "absent.py"], 2, "absent.py"),
        (["--map-metric", "XP"], 2, "AP"),
        (["--top", "1"], 2, "top"),
    ],
)
def test_what_is_wrong_with_runs_is_said(command, made_collection, words, code, said):
    """The message names the option's rule or the nearest names."""
    ended = command("report", made_collection / "runs", "--qrels", made_collection / "qrels.txt", *words)
    assert ended.code == code
    assert said in ended.err


def test_json_of_a_report(command, table):
    """--json prints the same rows as the table of the page."""
    answer = command("report", table[0], "--interval-resamples", 0, "--json").json()
    assert answer["command"] == "report"
    assert len(answer["results"]) == 2
