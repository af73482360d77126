"""Few votes that all say the same are no certainty, whatever their errors are clustered by."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from metaeval.models.settling import votes_predicted
from metaeval.models.vote_strengths import bradley_terry
from metaeval.table.scores import as_scores

CIRCLE = [("A", "B"), ("B", "C"), ("C", "A")]


def _circles(n_questions, n_voters):
    rows = [(a, b, "left", f"q{q}", f"v{q % n_voters}") for q in range(n_questions) for a, b in CIRCLE]
    return pd.DataFrame(rows, columns=["left", "right", "winner", "question", "voter"])


@pytest.mark.parametrize("clusters", [None, ["question"], ["voter"], []])
@pytest.mark.parametrize(("n_questions", "n_voters"), [(6, 6), (6, 2), (60, 60), (60, 7)])
def test_clusters_that_are_all_alike_leave_the_error_of_independent_votes(clusters, n_questions, n_voters):
    """In a circle every question says the same, and each strength is as uncertain as its votes are few."""
    votes = _circles(n_questions, n_voters)
    found, independent = bradley_terry(votes, clusters=clusters), bradley_terry(votes, clusters=[])
    error = found.to_frame()["standard_error"].to_numpy()
    np.testing.assert_allclose(error, independent.to_frame()["standard_error"].to_numpy(), rtol=1e-9)
    assert found.inflation == pytest.approx(1.0)
    assert any("which is no certainty" in note for note in found.notes) == (clusters != [])
    # by hand: residual 1/2 and information 1/4 a vote; each of n votes a pair, in a circle of three
    assert error[0] == pytest.approx(np.sqrt(8 / (9 * n_questions) * len(votes) / (len(votes) - 1)), rel=1e-6)


def test_one_pair_that_every_cluster_agrees_on_has_an_error_too():
    """Each question splits A against B evenly, while C's wins vary by question."""
    rows = [("A", "B", word, f"q{q}") for q in range(8) for word in ("left", "right")]
    rows += [(system, "C", "left" if q % 4 else "right", f"q{q}") for q in range(8) for system in "AB"]
    found = bradley_terry(pd.DataFrame(rows, columns=["left", "right", "winner", "question"]))
    assert (found.comparison().data["standard_error"].to_numpy() > 0.3).all()


@given(st.integers(2, 30), st.booleans())
def test_metrics_that_predict_all_votes_or_none_have_an_exact_interval(n, right):
    """Six of six is 54 to 100 %, as Clopper and Pearson have it."""
    topics = [str(topic) for topic in range(n)]
    votes = pd.DataFrame({"left": "a", "right": "b", "winner": "left" if right else "right", "question": topics})
    scores = as_scores([[0.9] * n, [0.1] * n], systems=["a", "b"], topics=topics, metrics=["AP"])
    row = votes_predicted(votes, scores).iloc[0]
    exact = binomtest(n * right, n).proportion_ci(method="exact")
    assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high))


def test_scores_that_are_all_equal_predict_half_of_each_vote_without_certainty():
    """Half of a vote on each of six questions is three of six."""
    topics = list("pqrstu")
    votes = pd.DataFrame({"left": "a", "right": "b", "winner": "left", "question": topics})
    scores = as_scores([[0.5] * 6, [0.5] * 6], systems=["a", "b"], topics=topics, metrics=["AP"])
    row = votes_predicted(votes, scores).iloc[0]
    exact = binomtest(3, 6).proportion_ci(method="exact")
    assert (row["share"], row["low"], row["high"]) == pytest.approx((0.5, exact.low, exact.high))
