"""Identical systems in every command that compares systems: kept and listed, or left out and named."""

import shutil

import pytest

from metaeval.io.tables import write_scores
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import identical_systems

FAST = {
    "power": ("--interval-resamples", "20"),
    "agree": ("--interval-resamples", "20"),
    "topics": ("--no-bayes", "--trials", "5", "--interval-resamples", "0"),
    "compare-metrics": ("--interval-resamples", "20"),
}
"""Commands that take score tables of systems, with what makes them quick."""


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """Write scores of five systems, two of which are the same, and name the second of these."""
    scores = simulate_scores(n_systems=5, n_topics=12, metrics=("AP", "P@10"), n_duplicates=1, rng=3)
    (group,) = identical_systems(scores)
    path = tmp_path_factory.mktemp("twins") / "scores.csv"
    write_scores(scores, path)
    return path, group[1]


@pytest.mark.parametrize("name", FAST)
def test_who_is_identical_is_named(command, twins, name):
    """Whatever a command does with an identical system, its name stands in the answer or the notes."""
    path, twin = twins
    ended = command(name, path, *FAST[name], "--seed", 1)
    assert ended.code == 0, ended.err
    notes = [line for line in (ended.out + ended.err).split("\n\n") if "dentical" in line]
    assert any(twin in " ".join(note.split()) for note in notes), ended.out + ended.err


def test_a_report_names_them_on_its_page(command, twins, tmp_path):
    """The page says who is identical, and who was left out of the error rates."""
    path, twin = twins
    ended = command("report", path, "--test", "t", "--interval-resamples", 0, "--out", tmp_path / "page")
    assert ended.code == 0, ended.err
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert f"identical to another one under every metric and were left out: {twin}" in page


def test_judgments_name_whom_they_leave_out(command, tmp_path):
    """Of two equal runs the first by name is ranked; the other stays in the pool, and is named."""
    folder = simulate_collection(n_groups=2, runs_per_group=2, n_topics=6, n_documents=80, depth=20, rng=1)
    folder = folder.write_collection(tmp_path / "made")
    copy = shutil.copy(min((folder / "runs").iterdir()), tmp_path / "copy.txt")
    words = ("--qrels", next(folder.glob("qrels*")), "--metrics", "AP", "--replicates", 2, "--tested", 0)
    ended = command("judgments", folder / "runs", f"copy={copy}", *words, "--question", "fewer-topics")
    assert ended.code == 0, ended.err
    said = " ".join((ended.out + ended.err).split())
    assert "1 of 5 systems are identical to another one under every metric and were left out: team1-run1 (they" in said
