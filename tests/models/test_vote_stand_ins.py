"""Judges on votes: one that reads the side is turned away by name, a copy of the people's law is not."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from metaeval.models.vote_stand_ins import side_is_separable, strengths_at_no_side
from metaeval.models.vote_strengths import bradley_terry
from metaeval.questions.boards.study_decided import study_settled
from metaeval.simulate import simulate_votes
from metaeval.table.votes import as_votes

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


def against_a_baseline(n_questions, seed, *, swapped):
    """Return people's votes on four systems against a baseline that wins most: on the left, or on either side."""
    generator = np.random.default_rng(seed)
    rows = []
    for question in range(n_questions):
        for system, chance in {"m1": 0.6, "m2": 0.7, "m3": 0.8, "m4": 0.65}.items():
            wins, turned = generator.random() < chance, swapped and generator.random() < 0.5
            sides = (system, "base") if turned else ("base", system)
            rows.append((f"q{question}", *sides, "left" if wins != turned else "right"))
    return pd.DataFrame(rows, columns=["question", "left", "right", "winner"])


def test_a_baseline_always_on_the_left_is_no_side():
    """The same votes as a judge's are not turned away for the strength of the baseline, which stands on the left."""
    votes = against_a_baseline(150, 5, swapped=False)
    study = study_settled({"people": votes, "copy": votes}, reference="people", of_judges=True, rng=1)
    (row,) = study.verdicts.to_dict("records")
    assert not row["sided"]
    assert row["verdict"] != "may not"
    assert np.isnan(row["left"])
    assert any("stands the same way round" in note for note in study.notes)
    assert not side_is_separable(as_votes(votes))
    turned = study_settled(
        {"people": votes, "copy": against_a_baseline(150, 6, swapped=True)}, reference="people", of_judges=True, rng=1
    )
    assert 0.4 < turned.verdicts["left"][0] < 0.6


@pytest.mark.parametrize(("n_questions", "n_systems", "high"), [(10, 5, 0.7), (10, 6, 0.95), (20, 3, 0.7)])
def test_a_baseline_always_on_the_left_has_no_effect_of_the_side(n_questions, n_systems, high):
    """The side is the baseline's strength: rounding tells them apart in none; strengths are those of votes alone."""
    winners = [
        (f"q{q}", "base", f"m{i}", "left" if (7 * q + 3 * i) % n_questions < share * n_questions else "right")
        for q in range(n_questions)
        for i, share in enumerate(np.linspace(1 - high if high < 0.9 else 0.5, high, n_systems))
    ]
    votes = as_votes(pd.DataFrame(winners, columns=["question", "left", "right", "winner"]))
    fitted = strengths_at_no_side(votes, ties="half", alpha=0.05)
    assert fitted.coefficients.empty
    assert fitted.covariance == pytest.approx(bradley_terry(votes, covariates=[]).covariance)


def test_sides_that_go_in_a_circle_are_told():
    """Each of three beats the next on the left: no strengths explain that; in a line they do."""
    circle = pd.DataFrame({"left": list("abc"), "right": list("bca"), "winner": "left"})
    assert side_is_separable(as_votes(circle))
    assert not side_is_separable(as_votes(circle.iloc[:2]))


def test_few_pairs_settle_nothing():
    """A coin orders two pairs as people do in a quarter of the cases: no Yes."""
    votes = pd.concat([against_a_baseline(200, 7, swapped=True)])
    votes = votes[votes[["left", "right"]].isin(["base", "m2", "m3"]).all(axis=1)]
    study = study_settled({"people": votes, "copy": votes}, reference="people", of_judges=True, rng=1)
    (row,) = study.verdicts.to_dict("records")
    assert row["n_pairs"] < 5
    assert (row["verdict"], row["cleared_if_equal"]) == ("not settled", 0.0)
