"""The likelihood of votes: outcome by outcome, its derivatives by differences, its maximum, and where there is none."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import EstimationError
from metaeval.models.vote_model import (
    extra_scores,
    fit_votes,
    information,
    moments_of,
    scores_by,
    vote_cells,
)
from metaeval.table.votes import as_votes

MODELS = [
    (davidson, covariates) for davidson, covariates in product([False, True], [(), ("length",), ("length", "tone")])
]


def frame_of(n_votes=60, seed=1):
    """Return votes on four systems with two covariates and weights."""
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(4, 2, replace=False) for _ in range(n_votes)]
    return pd.DataFrame(
        {
            "left": [f"s{a}" for a, _ in pairs],
            "right": [f"s{b}" for _, b in pairs],
            "winner": rng.choice(["left", "right", "tie"], n_votes, p=[0.45, 0.35, 0.2]),
            "length": rng.normal(size=n_votes),
            "tone": rng.normal(size=n_votes),
            "weight": rng.choice([1.0, 3.0], n_votes),
            "question": rng.integers(0, 5, n_votes).astype(str),
        }
    )


def literal_likelihood(frame, covariates, parameters, *, davidson):
    """Add up the logarithm of the probability of every vote's outcome; a tie is half of either where it is none."""
    total = 0.0
    for _, vote in frame.iterrows():
        odds = parameters[int(vote["left"][1])] - parameters[int(vote["right"][1])]
        odds += sum(parameters[4 + place] * vote[name] for place, name in enumerate(covariates))
        if davidson:
            worth = {"left": math.exp(odds / 2), "right": math.exp(-odds / 2), "tie": math.exp(parameters[-1])}
            total += vote["weight"] * math.log(worth[vote["winner"]] / sum(worth.values()))
        else:
            share = {"left": 1.0, "tie": 0.5, "right": 0.0}[vote["winner"]]
            left = 1 / (1 + math.exp(-odds))
            total += vote["weight"] * (share * math.log(left) + (1 - share) * math.log(1 - left))
    return total


def gradient(cells, parameters):
    moments = moments_of(cells, parameters)
    nowhere = np.zeros(len(cells.left), dtype=np.int64)
    extra = extra_scores(cells, moments, cells.weight)
    return scores_by(cells, cells.weight * moments.residual, extra, nowhere, 1)[0]


@pytest.mark.parametrize(("davidson", "covariates"), MODELS)
def test_the_likelihood_and_its_derivatives_are_those_of_every_vote(davidson, covariates):
    """Value by outcomes one by one; scores and information by differences of it."""
    frame = frame_of()
    cells = vote_cells(as_votes(frame, covariates=list(covariates)), davidson=davidson)
    assert cells.n_parameters == 4 + len(covariates) + davidson
    parameters = np.random.default_rng(2).normal(0, 0.5, cells.n_parameters)

    def literal(shifted):
        return literal_likelihood(frame, covariates, shifted, davidson=davidson)

    assert moments_of(cells, parameters).likelihood == pytest.approx(literal(parameters))
    steps = 1e-5 * np.eye(cells.n_parameters)
    slopes = [(literal(parameters + step) - literal(parameters - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient(cells, parameters), slopes, atol=1e-5)
    curvature = [(gradient(cells, parameters + step) - gradient(cells, parameters - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(information(cells, moments_of(cells, parameters))[0], -np.array(curvature), atol=1e-4)


@pytest.mark.parametrize("davidson", [False, True])
def test_scores_and_information_of_groups_are_those_of_their_votes_alone(davidson):
    """Together they are those of all votes."""
    votes = as_votes(frame_of(), covariates=["length", "tone"])
    cells = vote_cells(votes, davidson=davidson)
    parameters = np.random.default_rng(3).normal(0, 0.5, cells.n_parameters)
    moments, group = moments_of(cells, parameters), votes.units["question"]
    extra = extra_scores(cells, moments, cells.weight)
    scores = scores_by(cells, cells.weight * moments.residual, extra, group, 5)
    matrices = information(cells, moments, group=group, n_groups=5)
    for number in range(5):
        mask = group == number
        own = cells._replace(
            **{name: getattr(cells, name)[mask] for name in ("left", "right", "share", "weight", "covariates")}
        )
        np.testing.assert_allclose(scores[number], gradient(own, parameters), atol=1e-12)
        np.testing.assert_allclose(matrices[number], information(own, moments_of(own, parameters))[0], atol=1e-12)
    np.testing.assert_allclose(scores.sum(axis=0), gradient(cells, parameters), atol=1e-12)


@pytest.mark.parametrize("davidson", [False, True])
def test_cells_are_pairs_or_their_outcomes(davidson):
    """Weights and wins counted vote by vote; as much is expected of them as of the votes."""
    frame = frame_of()
    cells = vote_cells(as_votes(frame), davidson=davidson)
    counted = {}
    for vote in frame.itertuples():
        first, second = sorted((vote.left, vote.right))
        share = {"left": 1.0, "tie": 0.5, "right": 0.0}[vote.winner]
        share = share if vote.left == first else 1 - share
        key = (int(first[1]), int(second[1]), share if davidson else None)
        weight, won = counted.get(key, (0.0, 0.0))
        counted[key] = (weight + vote.weight, won + vote.weight * share)
    found = {
        (int(a), int(b), float(share) if davidson else None): (weight, share)
        for a, b, share, weight in zip(cells.left, cells.right, cells.share, cells.weight, strict=True)
    }
    assert found == {key: (weight, pytest.approx(won / weight)) for key, (weight, won) in counted.items()}
    parameters = np.array([0.4, -0.2, 0.1, -0.3, *[-0.5] * davidson])
    assert moments_of(cells, parameters).likelihood == pytest.approx(
        literal_likelihood(frame, (), parameters, davidson=davidson)
    )


@pytest.mark.parametrize(("davidson", "covariates"), MODELS)
def test_at_the_maximum_nothing_is_left_to_climb(davidson, covariates):
    """The slope is 0, strengths have the mean 0, and the errors are the inverse information on all but their level."""
    cells = vote_cells(as_votes(frame_of(200), covariates=list(covariates)), davidson=davidson)
    fit = fit_votes(cells)
    np.testing.assert_allclose(gradient(cells, fit.parameters), 0.0, atol=1e-7)
    assert fit.parameters[:4].sum() == pytest.approx(0.0, abs=1e-12)
    found = information(cells, moments_of(cells, fit.parameters))[0]
    np.testing.assert_allclose(fit.bread @ found @ fit.bread, fit.bread, atol=1e-10)
    np.testing.assert_allclose(fit.bread[:, :4].sum(axis=1), 0.0, atol=1e-10)
    np.testing.assert_allclose(fit.bread, fit.bread.T, atol=0)


def test_a_covariate_that_parts_all_wins_from_all_losses_has_no_coefficient():
    """The longer answer always wins, and the likelihood rises for ever: that is said, and no number overflows."""
    frame = frame_of().assign(winner="left").drop(columns="weight")
    frame["length"] = np.abs(frame["length"]) + 0.1
    turned = frame["tone"] > 0
    frame.loc[turned, "winner"], frame.loc[turned, "length"] = "right", -frame["length"]
    cells = vote_cells(as_votes(frame, covariates=["length"]), davidson=False)
    with pytest.raises(EstimationError, match="the likelihood of these votes has no maximum: a covariate"):
        fit_votes(cells)


@pytest.mark.parametrize("column", ["same", "constant"])
def test_a_covariate_that_says_what_strengths_say_has_no_coefficient(column):
    """One that is the difference of two strengths, and one that is 0 in every vote."""
    frame = frame_of()
    strength = {"s0": 1.0, "s1": 0.0, "s2": 0.5, "s3": -1.0}
    columns = {"same": frame["left"].map(strength) - frame["right"].map(strength), "constant": 0.0 * frame["tone"]}
    votes = replace(as_votes(frame), covariates={column: columns[column].to_numpy()})
    with pytest.raises(EstimationError, match="two covariates say the same, or one never changes"):
        fit_votes(vote_cells(votes, davidson=False))
