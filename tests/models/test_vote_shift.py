"""Have strengths changed between two sets of votes? Log odds by hand, the size of the test, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import f, t

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
    """Strengths at equal length stay as they are, of which a logistic model with robust errors has the p-value."""
    rng = np.random.default_rng(4)

    def votes(worth):
        sides = np.array([rng.choice(3, 2, replace=False) for _ in range(600)])
        lengths = rng.normal(0.0, 1.0, (600, 2))
        odds = 0.5 * (sides[:, 1] - sides[:, 0]) + worth * (lengths[:, 0] - lengths[:, 1])
        won = rng.random(600) < 1 / (1 + np.exp(-odds))
        frame = pd.DataFrame({"model_a": np.array([*"xyz"])[sides[:, 0]], "model_b": np.array([*"xyz"])[sides[:, 1]]})
        frame["winner"] = np.where(won, "model_a", "model_b")
        return as_votes(frame.assign(length_a=lengths[:, 0], length_b=lengths[:, 1]))

    sets = (votes(0.0), votes(after))
    shift = strength_shift(*sets)
    (pull,) = shift.covariates.to_dict("records")
    assert pull["name"] == "length"
    assert pull["significant"] == (after > 0)
    assert pull["after"] == pytest.approx(after, abs=0.35)
    assert not shift.is_significant  # without the length strengths would seem to shrink
    halves = [
        np.column_stack(
            [(v.left == 1) * 1.0 - (v.right == 1), (v.left == 2) * 1.0 - (v.right == 2), *v.unasked.values()]
        )
        for v in sets
    ]
    designs = [np.column_stack([half, np.ones(600)]) for half in halves]
    design = np.block([[designs[0], np.zeros((600, 4))], [designs[1], designs[1]]])
    fit = sm.Logit(np.concatenate([v.share for v in sets]), design).fit(disp=0, cov_type="HC0", tol=1e-12)
    covariance = fit.cov_params() * 1200 / 1199
    assert pull["before"] == pytest.approx(fit.params[2], rel=1e-4)
    assert pull["after"] == pytest.approx(fit.params[2] + fit.params[6], rel=1e-4)
    assert pull["p_value"] == pytest.approx(2 * t.sf(abs(fit.params[6]) / np.sqrt(covariance[6, 6]), 1199), rel=1e-3)
    statistic = fit.params[4:6] @ np.linalg.solve(covariance[4:6, 4:6], fit.params[4:6])
    assert shift.p_value == pytest.approx(f.sf(statistic * 1198 / (2 * 1199), 2, 1198), rel=1e-3)
