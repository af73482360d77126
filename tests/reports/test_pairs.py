"""What pages say of two systems is said in the direction that was asked for."""

import numpy as np
import pytest

from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.questions.table.study import study_table
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


def test_pairs_on_too_few_topics_are_counted_beside_the_answer():
    """On five topics random signs go no lower than 2/32 = .0625, whatever t says, and on six than 2/64 = .03125.

    Paired t of a and b, with differences .9, 1, 1.1, 1 and 1, is 1 / (.0707 / 2.236) = 31.6, of b and c, with 1.1, .9,
    .9, 1.1 and 1, 22.4, and of a and c 63. On the sixth topic that is added b and c are equal.
    """
    noise = np.array([0.9, 1.0, 1.1, 1.0, 1.0])
    board = {"a": np.full(5, 3.0), "b": 3.0 - noise, "c": np.array([1.0, 1.1, 1.0, 0.9, 1.0])}
    said = "With so few topics no exact test goes below p = 0.0625, so 3 pairs with smaller p-values by paired t do not"
    assert f"). {said} count." in study_table(as_scores(board)).report().summary[0]
    more = {"a": [*board["a"], 3.0], "b": [*board["b"], 1.0], "c": [*board["c"], 1.0]}
    some = study_table(as_scores(more)).report().summary[0]
    assert "= 0.05 by paired t, but differs on so few topics that no exact test could," in some
    options = {"n_resamples": 20, "n_splits": 2, "rng": 0, "alpha": 0.01}
    board = {name: [*of, of[0]] for name, of in board.items()}
    second = study_leaderboard(as_scores(board), **options).report().summary[1]
    assert second.startswith("With so few topics no exact test goes below p = 0.0312, so 3 pairs")


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
