"""A column that puts items into groups: a difference that these contradict is no yes, at any door."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores, study_table
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
