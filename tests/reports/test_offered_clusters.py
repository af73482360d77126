"""A column that puts items into groups: a difference that these contradict is no yes, at any door."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, paired_t_test, read_scores, study_leaderboard, study_power, study_table
from metaeval.table.structure import with_clusters
from metaeval.tests_stat.comparison import compare_systems

RNG = np.random.default_rng(3)
GROUPS = np.repeat([f"c{at}" for at in range(8)], 15)
GAIN = np.repeat(np.array([0.12, -0.06, 0.1, -0.05, 0.11, -0.04, 0.08, -0.02]), 15)
"""Of groups: +0.03 on average, each item of a group alike, so that eight groups do not tell it from nothing."""


@pytest.fixture
def frame():
    """Two systems on 120 items in 8 groups."""
    old = np.round(RNG.uniform(0.3, 0.6, 120), 3)
    rows = {"item": [f"q{at}" for at in range(120)], "category": GROUPS}
    noise = np.random.default_rng(4).normal(0.0, 0.02, 120)
    return pd.concat(
        [
            pd.DataFrame(rows).assign(system="old", score=old),
            pd.DataFrame(rows).assign(system="new", score=np.round(old + GAIN + noise, 4)),
        ]
    )


def test_a_column_that_contradicts_a_difference_leaves_it_open(frame, tmp_path):
    """The p-value is that of the test with these clusters; in memory and from a file the same."""
    frame.to_csv(tmp_path / "scores.csv", index=False)
    items = frame["item"].unique().tolist()
    plain = as_scores(frame.drop(columns="category"))
    p_value = compare_systems(as_scores(plain, clusters=dict(zip(items, GROUPS, strict=True)))).data["p_value"].item()
    assert compare_systems(plain).data["p_value"].item() < 0.05 < p_value
    for scores in (as_scores(frame), read_scores(tmp_path / "scores.csv").assign_coords(metric=["score"])):
        first = study_table(scores).report().summary[0]
        assert first.startswith("Open: new is better than old under score by 0.0")
        assert f". By category, 8 clusters, the two do not differ significantly (p = {p_value:.2f})." in first


def test_groups_that_agree_leave_a_yes(frame):
    """The same gain everywhere is a yes, whatever the column says; so is one of a column of two groups."""
    gain = frame["system"].eq("new") * 0.05
    alike = frame.assign(score=np.tile(frame["score"].to_numpy()[:120], 2) + gain + 0.001 * np.arange(240) % 0.01)
    few = frame.assign(category=np.where(frame["category"] < "c4", "x", "y"))
    for table in (alike, few):
        assert study_table(as_scores(table)).report().summary[0].startswith("Yes: new is significantly better")


def test_of_several_pairs_those_that_do_not_hold_are_counted(frame):
    """A third system, the old one but for noise without a mean: both pairs with the new one are lost, no other is."""
    old = frame[frame["system"] == "old"]
    third = old.assign(system="third", score=old["score"] + np.resize([0.001, -0.001], 120))
    first = study_table(as_scores(pd.concat([frame, third]))).report().summary[0]
    assert "By category, 8 clusters, 2 of these 2 pairs do not differ." in first


def test_a_pair_that_a_column_leaves_open_is_open_at_every_door(frame):
    """The key figures say open beside the p-value that decides; frames, marks, counts, ranks and the object say so."""
    scores = as_scores(frame)
    items = frame["item"].unique().tolist()
    clusters = dict(zip(items, GROUPS, strict=True))
    by_groups = paired_t_test(as_scores(frame.drop(columns="category"), clusters=clusters)).data["p_value"].item()
    table, power, board = (
        study(scores, rng=1, **more) for study, more in ((study_table, {}), (study_power, {}), (study_leaderboard, {}))
    )
    for study in (table, power, board):
        report = study.report()
        assert report.summary[0].startswith("Open: new is better than old")
        assert "is significantly better" not in report.summary[0]
        row = report.key_figures.frame.iloc[0]
        assert row["verdict"] == "open"
        assert row["p_by_column_sort"] == pytest.approx(by_groups, rel=1e-12)
    assert (table.to_frame()[["n_above", "n_below"]] == 0).all(axis=None)
    assert (power.to_frame()["n_significant"] == 0).all()
    assert board.ranks is None  # of 8 groups nothing can be drawn
    assert all(
        "groups" in board.unanswered[name] or "clusters" in board.unanswered[name]
        for name in board.unanswered
        if "Ranks" in name
    )
    result = compare_systems(scores)
    (row,) = result.to_frame().to_dict("records")
    assert (row["significant"], row["p_by_column"]) == (False, pytest.approx(by_groups, rel=1e-12))
    assert result.verdicts().tolist() == [[0]]
    assert str(result).startswith("PairwiseResult: it is open whether new is better than old under score")
    assert result.with_correction("holm").data["significant"].item() is False


def test_a_test_that_resamples_and_adjusts_itself_is_held_as_well(frame):
    """Whatever the test, the t test of the groups decides too; a level that its p-value reaches makes a yes."""
    scores = as_scores(frame)
    for test in ("randomised_tukey", "bootstrap", "sign"):
        found = compare_systems(scores, test=test, rng=1)
        assert not found.data["significant"].item(), test
    assert compare_systems(scores, alpha=0.5).data["significant"].item()


def test_a_wide_table_offers_its_columns_as_a_long_one_does(frame, tmp_path):
    """A row an item, a column a system, and one of groups beside: the same verdict, in memory and from a file."""
    long = study_table(as_scores(frame)).report().summary[0]
    wide = frame.pivot_table("score", ["item", "category"], "system", sort=False).reset_index()
    wide.to_csv(tmp_path / "wide.csv", index=False)
    in_file = read_scores(tmp_path / "wide.csv")
    assert "`columns={'cluster': 'category'}` counts these as clusters" in " ".join(in_file.attrs["notes"])
    for scores in (in_file.assign_coords(metric=["score"]), as_scores(wide).assign_coords(metric=["score"])):
        first = study_table(scores).report().summary[0]
        assert first.replace("item by item", "topic by topic") == long


@pytest.mark.parametrize("shape", ["long", "wide"])
def test_a_task_that_counts_as_a_cluster_says_so_and_how_it_does_not(frame, shape, tmp_path):
    """Nobody named clusters: the note names the column, and goes where somebody says what clusters are."""
    table = frame.rename(columns={"category": "task"})
    if shape == "wide":
        table = table.pivot_table("score", ["item", "task"], "system", sort=False).reset_index()
    table.to_csv(tmp_path / "scores.csv", index=False)
    scores = read_scores(tmp_path / "scores.csv")
    (note,) = [note for note in scores.attrs["notes"] if "'task'" in note]
    assert "items of one 'task' count as a cluster; `with_clusters(scores, 'ignore')` takes them as independent" in note
    alone = with_clusters(scores, "ignore")
    assert "cluster" not in alone.coords
    assert not any("'task'" in note for note in alone.attrs["notes"])
    said = read_scores(tmp_path / "scores.csv", columns={"cluster": "task"})
    assert not any("'task'" in note for note in said.attrs["notes"])
