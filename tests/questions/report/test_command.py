"""`metaeval report`: from tables, and from runs and judgments, to a folder."""

import json
import os
import sys

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("one_core")


def test_writes_the_whole_folder(command, table, tmp_path):
    """index.html, tables, figures, data and provenance are there, and the page holds the numbers."""
    ended = command("report", *table, "--interval-resamples", 20, "--no-topics")
    assert ended.code == 0, ended.err
    folder = tmp_path / "metaeval-report"
    assert {path.name for path in folder.iterdir()} == {"index.html", "tables", "figures", "data", "provenance.json"}
    assert {"scores.nc", "pairs.csv.gz"} <= {path.name for path in (folder / "data").iterdir()}
    assert json.loads((folder / "provenance.json").read_text())["random_source"] == "seed 0"
    page = (folder / "index.html").read_text()
    assert "Discriminative power" in page
    assert "Topic set size" not in page


def test_says_how_many_topics_are_enough(command, table, tmp_path):
    """By default the page tells topics needed with intervals and error curves, as `metaeval topics` does."""
    ended = command("report", *table, "--interval-resamples", 0, "--seed", 3)
    assert ended.code == 0, ended.err
    folder = tmp_path / "metaeval-report"
    page = (folder / "index.html").read_text()
    for words in ("Topic set size", "Error rates by topic set size", "swap method"):
        assert words in page
    needed = pd.read_csv(folder / "tables" / "minimum_topics.csv").set_index(["metric", "tolerance"])["text"]
    rows = command("topics", *table, "--no-bayes", "--interval-resamples", 0, "--seed", 3, "--json").json()["results"]
    assert needed.to_dict() == {(row["metric"], row["tolerance"]): row["text"] for row in rows}
    for kind, name in (("figures", "error_rates.svg"), ("tables", "error_rates.tex"), ("data", "error_rates.csv")):
        assert (folder / kind / name).stat().st_size > 0


def test_too_few_topics_are_said_and_the_rest_stands(command, tmp_path):
    """Nine topics hold no two sets of five: the section says so, and the report is written."""
    pd.DataFrame(np.random.default_rng(0).random((9, 4)), columns=list("abcd")).to_csv(tmp_path / "AP.csv", index=False)
    ended = command("report", "AP.csv", "--interval-resamples", 0)
    assert ended.code == 0, ended.err
    assert "9 topics are too few" in (tmp_path / "metaeval-report" / "index.html").read_text()


def test_topics_in_clusters_are_said_and_the_rest_stands(command, tmp_path):
    """A set of topics cannot be drawn from them: the section says so with the way out, and the report is written."""
    rows = [f"{t},{s},{len(s) * t % 7},{t % 4}" for t in range(12) for s in ("a", "bbb")]
    (tmp_path / "AP.csv").write_text("\n".join(["topic,system,score,cluster", *rows]))
    ended = command("report", "AP.csv", "--test", "t", "--interval-resamples", 0)
    assert ended.code == 0, ended.err
    assert "or ignore them (--clusters ignore)" in (tmp_path / "metaeval-report" / "index.html").read_text()


def test_the_record_holds_only_options_that_apply(command, table, tmp_path):
    """Options of scoring runs have no place in the record of a report on tables."""
    assert command("report", table[0], "--interval-resamples", 0, "--no-topics").code == 0
    options = json.loads((tmp_path / "metaeval-report" / "provenance.json").read_text())["options"]
    assert {"qrels", "metrics", "plugin", "undefined", "order", "score_precision"}.isdisjoint(options)
    assert {"inputs", "alpha", "systems_in", "missing"} <= set(options)


def test_an_older_report_is_only_replaced_on_request(command, table):
    """A second report into the same folder is refused with the way out, and replaced with --overwrite."""
    quick = ("--interval-resamples", 0, "--no-topics")
    assert command("report", table[0], *quick).code == 0
    refused = command("report", table[0], *quick)
    assert refused.code == 2
    assert "overwrite" in refused.err
    assert command("report", table[0], *quick, "--overwrite").code == 0


def test_nothing_is_left_of_a_report_that_failed(command, table, tmp_path, monkeypatch):
    """When drawing is interrupted the folder does not exist and no scrap lies beside it."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("metaeval.page.folder.render_page", interrupt)
    before = set(tmp_path.iterdir())
    assert command("report", table[0], "--interval-resamples", 0, "--no-topics").code == 130
    assert set(tmp_path.iterdir()) == before


def test_from_runs_and_judgments(command, simulated_collection, tmp_path):
    """The report of runs describes the collection and shows precision against recall."""
    ended = command(
        "report", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt",
        *("--groups", simulated_collection / "groups.csv"),
        *("--metrics", "AP,nDCG@10,P@10", "--interval-resamples", 0, "--no-topics", "--out", "r"),
    )  # fmt: skip
    assert ended.code == 0, ended.err
    page = (tmp_path / "r" / "index.html").read_text()
    for words in ("Collection statistics", "Precision and recall", "Unjudged in top 10"):
        assert words in page
    inputs = json.loads((tmp_path / "r" / "provenance.json").read_text())["inputs"]
    assert len(inputs) == 6 + 2
    options = json.loads((tmp_path / "r" / "provenance.json").read_text())["options"]
    assert options["metrics"] == "AP,nDCG@10,P@10"
    assert "systems_in" not in options


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
def test_what_is_wrong_with_runs_is_said(command, simulated_collection, words, code, said):
    """The message names the option's rule or the nearest names."""
    ended = command(
        "report", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", "--no-topics", *words
    )
    assert ended.code == code
    assert said in ended.err


def test_json_of_a_report(command, table):
    """--json prints the same rows as the table of the page."""
    answer = command("report", table[0], "--interval-resamples", 0, "--no-topics", "--json").json()
    assert answer["command"] == "report"
    assert len(answer["results"]) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_a_folder_whose_name_is_no_utf_8(command, tmp_path):
    """The report is written there, from a file in another such folder, with everything that belongs to it."""
    home = tmp_path / os.fsdecode(b"in\xff")
    home.mkdir()
    table = home / "AP.csv"
    table.write_text("topic,a,b\n" + "".join(f"{n},0.{n},0.{n + 1}\n" for n in range(1, 9)))
    out = tmp_path / os.fsdecode(b"out\xff")
    ended = command("power", table, "--resamples", 50, "--seed", 1, "--out", out)
    assert ended.code == 0, ended.err
    assert "in\\udcff" in (out / "index.html").read_text("utf-8")
    assert json.loads((out / "provenance.json").read_text("utf-8"))["command"] == "power"
