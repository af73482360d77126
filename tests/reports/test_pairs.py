"""What pages say of two systems is said in the direction that was asked for."""

import numpy as np
import pytest

from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.table.scores import as_scores

OLD = (0.2, 0.4, 0.5, 0.6, 0.3, 0.4, 0.7, 0.1)
NEW = (0.3, 0.6, 0.6, 0.8, 0.4, 0.6, 0.8, 0.3)


@pytest.mark.parametrize(
    ("options", "heads", "difference"),
    [
        ({}, ["old", "new"], -0.15),
        ({"requirements": ["new >= old"]}, ["new", "old"], 0.15),
        ({"requirements": ["new >= 0.2", "new >= old - 0.01"]}, ["new", "old"], 0.15),
        ({"requirements": ["old >= new"]}, ["old", "new"], -0.15),
        ({"requirements": ["new >= 0.2"]}, ["old", "new"], -0.15),
        ({"baseline": "old"}, ["new", "old"], 0.15),
        ({"baseline": "new"}, ["old", "new"], -0.15),
    ],
)
def test_the_difference_has_the_sign_of_what_was_asked(options, heads, difference):
    """By hand: half of the differences are 0.1 and half 0.2; nobody asks, first less second as they stand."""
    study = study_leaderboard({"old": list(OLD), "new": list(NEW)}, n_resamples=20, rng=0, **options)
    table = study.report().key_figures
    assert [column.label for column in table.columns if column.group == "Mean"] == heads
    (row,) = table.data.to_dict("records") if table.data is not None else table.frame.to_dict("records")
    assert row["difference"] == pytest.approx(difference)
    assert row["difference_low"] < row["difference"] < row["difference_high"]
    assert [row["system_a"], row["system_b"]] == heads
    assert heads[row["better"] < 0] == "new"


def test_a_first_place_that_rests_on_next_to_nothing_says_so_with_the_answer():
    """By hand: a is better than b on 6 of 400 topics, and equal on all others; c is far behind.

    A first place that is open claims nothing that could rest on little: it says so behind the answer.
    """
    scores = np.random.default_rng(0).integers(0, 2, 400).astype(float)
    scores[:10] = 0.0
    board = {
        "b": scores,
        "a": np.where(np.arange(400) < 6, 1.0, scores),
        "c": np.where(np.arange(400) < 320, 0, scores),
    }
    rests = "The first place rests on 6 of 400 topics: "
    options = {"n_resamples": 20, "n_splits": 2, "rng": 0}
    assert f". {rests}" in study_leaderboard(as_scores(board), **options).report().summary[0]
    asked, answer, *others = study_leaderboard(as_scores(board), baseline="c", **options).report().summary
    assert (rests in asked, rests in answer, any(rests in words for words in others)) == (False, True, False)
    board["a"] = np.where(np.arange(400) < 2, 1.0, scores)
    first, *others = study_leaderboard(as_scores(board), **options).report().summary
    assert "rests on" not in first
    assert others[0].startswith("The first place rests on 2 of 400 topics: ")


def test_a_requirement_that_rests_on_next_to_nothing_says_so_with_the_answer():
    """It needs one topic less to be open; so has the verdict on two systems, which stands behind it."""
    better = [0.01, 0.02, 0.03, 0.01, 0.02, 0.01]
    board = {"new": [0.3 + more for more in better], "old": [0.3] * 6}
    first, *_ = study_leaderboard(board, requirements=["new >= old + 0.008"], n_resamples=20, rng=0).report().summary
    assert "is established" in first
    assert ". new >= old + 0.008 under metric1 rests on 1 of 6 topics: " in first
