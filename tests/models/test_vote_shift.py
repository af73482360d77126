"""Have strengths changed between two sets of votes? Log odds by hand, the size of the test, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import f, t, ttest_rel

from metaeval.errors import EstimationError
from metaeval.models.vote_shift import strength_shift
from metaeval.questions.boards.study_decided import study_settled
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


def test_the_only_judge_of_either_set_is_no_cluster():
    """What is asked is how the two differ: their names change nothing, where two clusters would tell no error."""
    bare = strength_shift(pair(30, 10), pair(20, 20))
    named = strength_shift(pair(30, 10, judge="people"), pair(20, 20, judge="gpt"))
    pd.testing.assert_frame_equal(named.frame, bare.frame)
    assert named.p_value == bare.p_value


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
    pull, side = shift.covariates.to_dict("records")
    assert (pull["name"], side["name"], side["significant"]) == ("length", "position", False)
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
    assert side["before"] == pytest.approx(fit.params[3], rel=1e-4)
    assert side["p_value"] == pytest.approx(2 * t.sf(abs(fit.params[7]) / np.sqrt(covariance[7, 7]), 1199), rel=1e-3)
    assert pull["before"] == pytest.approx(fit.params[2], rel=1e-4)
    assert pull["after"] == pytest.approx(fit.params[2] + fit.params[6], rel=1e-4)
    assert pull["p_value"] == pytest.approx(2 * t.sf(abs(fit.params[6]) / np.sqrt(covariance[6, 6]), 1199), rel=1e-3)
    statistic = fit.params[4:6] @ np.linalg.solve(covariance[4:6, 4:6], fit.params[4:6])
    assert shift.p_value == pytest.approx(f.sf(statistic * 1198 / (2 * 1199), 2, 1198), rel=1e-3)


def by_question(lean, seed, n=300):
    """Return votes on the same 300 questions by a judge with a lean to the left, of log odds."""
    sides = np.random.default_rng(1).permuted(np.tile(np.arange(4), (n, 1)), axis=1)[:, :2]
    won = np.random.default_rng(seed).random(n) < 1 / (1 + np.exp(-0.5 * (sides[:, 1] - sides[:, 0]) - lean))
    frame = pd.DataFrame({"left": np.array([*"wxyz"])[sides[:, 0]], "right": np.array([*"wxyz"])[sides[:, 1]]})
    return as_votes(frame.assign(winner=np.where(won, "left", "right"), question=[f"q{at}" for at in range(n)]))


def test_a_judge_that_begins_to_go_by_the_side_has_changed():
    """The left of two equals wins 88 % where it won half; strengths are as before, and the headline says both."""
    before, after = by_question(0.0, 2), by_question(2.0, 3)
    shift = strength_shift(before, after)
    side = shift.covariates.set_index("name").loc["position"]
    assert side["after"] - side["before"] == pytest.approx(2.0, abs=0.5)
    assert side["significant"]
    assert not shift.is_significant
    said = study_settled({"before": before, "after": after}, of_judges=True, changed=True, rng=0).report().summary[0]
    assert said.startswith("The judge has changed: ")
    assert "of its votes on two equals go to the left, " in said


def test_a_side_that_wins_every_vote_is_compared_by_its_share():
    """Paired by question: Student's t of the differences, as SciPy has it."""
    before, after = by_question(0.0, 2), by_question(99.0, 3)
    side = strength_shift(before, after).covariates.set_index("name").loc["position"]
    assert np.isposinf(side["after"])
    assert side["p_value"] == pytest.approx(ttest_rel(after.share, before.share).pvalue, rel=1e-6)


def test_a_lean_that_stays_is_no_change():
    """A judge that always liked the left: of 40 pairs of dates about one in twenty differs."""
    p_values = [
        strength_shift(by_question(1.0, seed), by_question(1.0, 100 + seed)).covariates["p_value"].item()
        for seed in range(40)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 2 * (0.05 * 0.95 / 40) ** 0.5
