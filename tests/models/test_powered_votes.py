"""Prediction-powered strengths: the literal sums question by question, laws, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import EstimationError, ScoresError
from metaeval.models.powered_votes import powered_strengths
from metaeval.models.vote_strengths import bradley_terry
from metaeval.simulate.votes import simulate_votes

QUESTIONS = [f"q{number}" for number in range(1, 21)]


@pytest.fixture(scope="module")
def votes():
    """Simulate a judge's votes on sixty questions."""
    return simulate_votes(n_systems=4, n_questions=60, n_votes=2000, rng=1)


def influence(votes, names, questions):
    """Return the derivative of strengths by every question, from scores and information vote by vote."""
    strengths = dict(zip(names, bradley_terry(votes, clusters=[]).strengths, strict=True))
    information, scores = np.zeros((len(names),) * 2), np.zeros((len(questions), len(names)))
    for vote in votes.itertuples():
        a, b = names.index(vote.left), names.index(vote.right)
        p = 1 / (1 + np.exp(strengths[vote.right] - strengths[vote.left]))
        apart = np.zeros(len(names))
        apart[a], apart[b] = 1, -1
        information += p * (1 - p) * np.outer(apart, apart)
        scores[questions.index(vote.question)] += ({"left": 1.0, "right": 0.0, "tie": 0.5}[vote.winner] - p) * apart
    return np.array(list(strengths.values())), scores @ np.linalg.pinv(information, rcond=1e-9)


def test_literal_sums(votes):
    """Strengths, lambda and covariance as the notes say."""
    generator = np.random.default_rng(2)
    people = votes[votes["question"].isin(QUESTIONS)]
    people = people.assign(winner=np.where(generator.random(len(people)) < 0.3, "left", people["winner"]))
    found = powered_strengths(people, votes)
    names, questions = list(found.systems), sorted(votes["question"].unique())
    common = votes[votes["question"].isin(QUESTIONS)]
    parts = [influence(own, names, questions) for own in (people, votes, common)]
    moved = parts[1][1] - parts[2][1]
    weight = np.clip(-(parts[0][1] * moved).sum() / (moved**2).sum(), 0, 1)
    assert found.judge_weight == pytest.approx(weight)
    np.testing.assert_allclose(found.strengths, parts[0][0] + weight * (parts[1][0] - parts[2][0]), atol=1e-9)
    total = parts[0][1] + weight * moved
    np.testing.assert_allclose(found.covariance, 20 / 19 * total.T @ total, atol=1e-9)
    assert found.n_common == len(common)
    assert found.to_frame()["system"].tolist() == [names[place] for place in np.argsort(-found.strengths)]
    frame = found.to_frame().set_index("system").loc[names]
    sides = (("", found.strengths, found.covariance), ("people_", found.people, found.people_covariance))
    for start, values, square in sides:
        reach = 2.0930240544 * np.sqrt(
            square.diagonal()
        )  # of t with 19 degrees of freedom: 20 questions with votes of people
        np.testing.assert_allclose(frame[f"{start}low"], values - reach, rtol=1e-8)
        np.testing.assert_allclose(frame[f"{start}high"], values + reach, rtol=1e-8)


def test_a_judge_who_votes_as_people_do_adds_its_votes(votes):
    """With the same votes on a third of the questions the answer is near that of all of them."""
    found = powered_strengths(votes[votes["question"].isin(QUESTIONS)], votes)
    assert found.n_equivalent == pytest.approx(2000, rel=0.15)
    assert (found.to_frame()["standard_error"] < found.to_frame()["people_error"]).all()
    np.testing.assert_allclose(found.strengths, bradley_terry(votes).strengths, atol=0.12)


def test_a_judge_who_draws_lots_adds_nothing(votes):
    """Lambda is small, and the errors are no larger than those of people."""
    generator = np.random.default_rng(3)
    lots = votes.assign(winner=generator.choice(["left", "right"], len(votes)))
    found = powered_strengths(votes[votes["question"].isin(QUESTIONS)], lots)
    assert found.judge_weight < 0.3
    assert found.covariance.trace() <= found.people_covariance.trace() * (1 + 1e-9)


def test_what_cannot_be_answered(votes):
    """No questions, nothing in common, and no strengths."""
    with pytest.raises(ScoresError, match="name no question"):
        powered_strengths(votes.drop(columns="question"), votes)
    with pytest.raises(ScoresError, match="did not vote on any"):
        powered_strengths(votes.assign(question="elsewhere"), votes)
    lone = pd.DataFrame([("system1", "system2", "left", "q1")] * 3, columns=["left", "right", "winner", "question"])
    with pytest.raises((EstimationError, ScoresError)):
        powered_strengths(lone, votes)
