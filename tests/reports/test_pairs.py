"""What pages say of two systems is said in the direction that was asked for."""

import pytest

from metaeval.questions.leaderboard.study import study_leaderboard

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
