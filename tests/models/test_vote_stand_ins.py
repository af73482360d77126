"""Judges on votes: one that reads the side is turned away by name, a copy of the people's law is not."""

import numpy as np
import pytest
from scipy.special import expit

from metaeval.questions.boards.study_decided import study_settled
from metaeval.simulate import simulate_votes

MADE = {"n_systems": 6, "n_questions": 100, "n_votes": 1500, "spread": 1.5, "ties": 0.1}


@pytest.fixture(scope="module")
def study():
    """People, votes of the same law, votes for one side: always, and in 87 %."""
    people, copy = (simulate_votes(**MADE, rng=seed) for seed in (1, 2))
    generator = np.random.default_rng(3)
    leaning = np.where(generator.random(len(copy)) < 0.87, "right", "left")
    votes = {"people": people, "copy": copy, "side": copy.assign(winner="left"), "lean": copy.assign(winner=leaning)}
    return study_settled(votes, reference="people", of_judges=True, rng=1)


def test_a_judge_that_reads_the_side_is_turned_away_by_name(study):
    """By construction: all votes, or 87 %, go to one side, and strengths are nothing beside that."""
    verdicts = study.verdicts.set_index("judge")
    assert verdicts.loc[["side", "lean"], "verdict"].tolist() == ["may not", "may not"]
    assert verdicts.loc[["side", "lean"], "sided"].tolist() == [True, True]
    summary = study.report().summary[0]
    assert "side may not replace people for ranking systems: 100 % of its votes" in summary
    right = 1 - verdicts.loc["lean", "left"]
    assert 0.85 < right < 0.89
    assert f"lean may not replace people for ranking systems: {100 * right:.0f} % of its votes" in summary
    assert "go to the right" in summary


def test_a_copy_of_the_peoples_law_is_not_turned_away(study):
    """It orders the pairs that people settle alike, and is cleared where the chance on the page is high."""
    row = study.verdicts.set_index("judge").loc["copy"]
    assert row["verdict"] != "may not"
    assert row["low"] <= row["alike"] <= row["high"]
    assert 0 < row["cleared_if_equal"] <= 1


def test_effect_of_the_side_is_that_of_the_model(study):
    """The share of two equals is the logistic of the coefficient of position; the neighbour's that of a mean gap."""
    fitted = study.fitted["lean"]
    position = fitted.coefficients.set_index("name").loc["position", "estimate"]
    row = study.verdicts.set_index("judge").loc["lean"]
    assert row["left"] == pytest.approx(expit(position))
    assert row["neighbour"] == pytest.approx(expit(np.ptp(fitted.strengths) / 5))


def test_verdicts_are_for_judges_beside_a_reference():
    """Votes beside votes have none where the question is not about judges, or nobody of three is named."""
    votes = {name: simulate_votes(n_systems=4, n_votes=300, rng=seed) for seed, name in enumerate("abc")}
    assert study_settled(votes, of_judges=True, rng=1).verdicts.empty
    assert study_settled(votes, reference="a", rng=1).verdicts.empty
