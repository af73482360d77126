"""Have strengths changed between two sets of votes? Log odds by hand, the size of the test, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f

from metaeval.errors import EstimationError
from metaeval.models.vote_shift import strength_shift
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def pair(n_first, n_second, **more):
    """Return votes of two systems, every other one turned round."""
    winners = ["a"] * n_first + ["b"] * n_second
    rows = [("ab"[n % 2], "ba"[n % 2], winner) for n, winner in enumerate(winners)]
    return as_votes(pd.DataFrame(rows, columns=["left", "right", "winner"]).assign(**more))


def test_two_systems_by_hand():
    """30 to 10, then 20 to 20: log odds fall by log 3, with the variance 1/30 + 1/10 + 1/20 + 1/20 times n / (n - 1).

    The side is a covariate of its own, balanced among the votes of both systems, so that it changes little.
    """
    found = strength_shift(pair(30, 10), pair(20, 20))
    assert found.frame.set_index("system")["shift"].to_dict() == pytest.approx(
        {"a": -np.log(3) / 2, "b": np.log(3) / 2}
    )
    variance = (1 / 30 + 1 / 10 + 1 / 20 + 1 / 20) * 80 / 79
    assert found.p_value == pytest.approx(f.sf(np.log(3) ** 2 / variance, 1, 79), rel=0.1)
    assert found.is_significant


def test_halves_of_one_set_are_equal_and_turned_votes_are_not():
    """Of 40 random halves of one set of votes few differ at 5 %; a set whose winners are turned round does."""
    votes = as_votes(simulate_votes(n_systems=5, n_votes=1500, rng=1))
    rng, p_values = np.random.default_rng(2), []
    for _ in range(40):
        is_first = rng.random(len(votes.share)) < 0.5
        p_values.append(strength_shift(votes.where(is_first), votes.where(~is_first)).p_value)
    assert np.mean(np.array(p_values) < 0.05) <= 0.15
    assert np.median(p_values) > 0.2
    found = strength_shift(votes.where(is_first), replace(votes.where(~is_first), share=1 - votes.share[~is_first]))
    assert found.p_value < 1e-6
    assert found.frame["shift"].sum() == pytest.approx(0)


def test_a_question_in_both_is_one_cluster():
    """The same votes twice: every question judged alike at both dates, and its two votes are no independent ones."""
    questions = [f"q{n}" for n in range(40)]
    before, after = pair(26, 14, question=questions), pair(24, 16, question=questions)
    others = pair(24, 16, question=[f"r{n}" for n in range(40)])
    assert strength_shift(before, after).p_value < strength_shift(before, others).p_value


def test_what_has_no_shift():
    """Other systems, groups that no votes connect, and a system that never lost at one date."""
    other = as_votes([{"left": "x", "right": "y", "winner": "x"}])
    with pytest.raises(EstimationError, match="do not connect the systems"):
        strength_shift(pair(3, 2), other)
    with pytest.raises(EstimationError):
        strength_shift(pair(30, 10), pair(40, 0))


@pytest.mark.parametrize("after", [0.0, 1.5])
def test_a_judge_that_begins_to_like_long_answers_has_changed(after):
    """Strengths stay as they are; a logistic fit of each set by itself says what length is worth."""
    rng = np.random.default_rng(4)

    def votes(worth):
        sides = np.array([rng.choice(3, 2, replace=False) for _ in range(600)])
        lengths = rng.normal(0.0, 1.0, (600, 2))
        odds = 0.5 * (sides[:, 1] - sides[:, 0]) + worth * (lengths[:, 0] - lengths[:, 1])
        won = rng.random(600) < 1 / (1 + np.exp(-odds))
        frame = pd.DataFrame({"model_a": np.array([*"xyz"])[sides[:, 0]], "model_b": np.array([*"xyz"])[sides[:, 1]]})
        frame["winner"] = np.where(won, "model_a", "model_b")
        return as_votes(frame.assign(length_a=lengths[:, 0], length_b=lengths[:, 1]))

    shift = strength_shift(votes(0.0), votes(after))
    (pull,) = shift.covariates.to_dict("records")
    assert pull["name"] == "length"
    assert pull["significant"] == (after > 0)
    assert pull["after"] == pytest.approx(after, abs=0.35)
    assert after or not shift.is_significant  # of what is left out, strengths seem to shrink
