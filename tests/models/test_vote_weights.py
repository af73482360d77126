"""Judges of unequal reliability in votes: against a slow likelihood, in simulation, and where nothing can be told."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from metaeval.errors import EstimationError, ScoresError
from metaeval.models import bradley_terry, judge_weights
from metaeval.table.votes import as_votes

WEIGHTS, SIDES = np.array([0.6, 1.0, 1.5]), np.array([-0.2, 0.1, 0.3])


def _votes(n_votes=3000, *, n_systems=4, weights=WEIGHTS, sides=SIDES, seed=1, ties=0.0):
    """Return independent votes by the model, with weights and sides that are known."""
    rng = np.random.default_rng(seed)
    strengths = np.linspace(-1.5, 1.5, n_systems)
    left = rng.integers(0, n_systems, n_votes)
    right = (left + rng.integers(1, n_systems, n_votes)) % n_systems
    judge = rng.integers(0, len(weights), n_votes)
    odds = weights[judge] * (strengths[left] - strengths[right]) + sides[judge]
    won = np.where(rng.random(n_votes) < 1 / (1 + np.exp(-odds)), "left", "right").astype(object)
    won[rng.random(n_votes) < ties] = "tie"
    names = np.array([f"s{number}" for number in range(n_systems)], dtype=object)
    voters = np.array([f"j{number}" for number in range(len(weights))], dtype=object)
    return pd.DataFrame(
        {
            "left": names[left],
            "right": names[right],
            "winner": won,
            "question": rng.integers(0, 200, n_votes).astype(str),
            "voter": voters[judge],
        }
    )


def _slow_maximum(votes, ties):
    """Maximise the likelihood, one vote after the other, by a general method."""
    systems, judges = sorted({*votes["left"], *votes["right"]}), sorted(set(votes["voter"]))
    n, k = len(systems), len(judges)

    def loss(free):
        strengths = np.append(free[: n - 1], -free[: n - 1].sum())
        logs = np.append(free[n - 1 : n + k - 2], -free[n - 1 : n + k - 2].sum())
        total = 0.0
        for row in votes.itertuples():
            judge = judges.index(row.voter)
            apart = strengths[systems.index(row.left)] - strengths[systems.index(row.right)]
            odds = np.exp(logs[judge]) * apart + free[n + k - 2 + judge]
            if ties == "davidson":
                tie = np.exp(free[-1])
                outcome = {"left": np.exp(odds / 2), "right": np.exp(-odds / 2), "tie": tie}
                total -= np.log(outcome[row.winner] / sum(outcome.values()))
            else:
                total -= {"left": 1.0, "right": 0.0, "tie": 0.5}[row.winner] * odds - np.log1p(np.exp(odds))
        return total

    free = minimize(loss, np.zeros(n + 2 * k - 2 + (ties == "davidson")), method="BFGS", tol=1e-6).x
    logs = np.append(free[n - 1 : n + k - 2], -free[n - 1 : n + k - 2].sum())
    return np.append(free[: n - 1], -free[: n - 1].sum()), np.exp(logs), free[n + k - 2 : n + 2 * k - 2]


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_the_maximum_of_a_slow_likelihood(ties):
    """Strengths, weights and sides are those that maximise the likelihood, summed vote by vote by scipy's BFGS."""
    votes = _votes(300, n_systems=3, ties=0.15)
    strengths, weights, sides = _slow_maximum(votes, ties)
    found = judge_weights(votes, ties=ties)
    table = found.to_frame().sort_values("judge")
    ordered = np.argsort(found.strengths.systems)
    assert found.strengths.strengths[ordered] == pytest.approx(strengths, abs=1e-3)
    assert table["weight"].to_numpy() == pytest.approx(weights, abs=1e-3)
    assert table["side"].to_numpy() == pytest.approx(sides, abs=1e-3)


def test_what_was_put_in():
    """The intervals of many votes hold the weights and sides that made them, and weigh by a geometric mean of 1."""
    table = judge_weights(_votes(20_000)).to_frame().sort_values("judge")
    truth = WEIGHTS / np.exp(np.log(WEIGHTS).mean())
    assert (table["low"] < truth).all()
    assert (table["high"] > truth).all()
    assert (table["side_low"] < SIDES).all()
    assert (table["side_high"] > SIDES).all()
    assert np.log(table["weight"]).mean() == pytest.approx(0, abs=1e-12)


def test_errors_of_equal_judges():
    """With one weight for all and no side, strengths have the errors of Bradley and Terry's, to sampling error."""
    votes = _votes(6000, weights=np.ones(3), sides=np.zeros(3))
    found, plain = judge_weights(votes), bradley_terry(votes, clusters=["question"])
    ours, theirs = (np.diag(fitted.covariance) for fitted in (found.strengths, plain))
    assert ours == pytest.approx(theirs, rel=0.3)


def test_two_systems():
    """Of two systems the log odds of each judge, without sides, are in proportion to the weights: by hand."""
    shares = {"a": (30, 10), "b": (40, 20)}  # log odds log 3 and log 2
    rows = [
        {"winner": f"x{won}", "loser": f"x{1 - won}", "voter": judge}
        for judge, (wins, losses) in shares.items()
        for won in (1,) * wins + (0,) * losses
    ]
    votes = as_votes(pd.DataFrame(rows).rename(columns={"winner": "left", "loser": "right"}).assign(winner="left"))
    table = judge_weights(replace(votes, placed=False)).to_frame()
    assert table["weight"].iloc[0] / table["weight"].iloc[1] == pytest.approx(np.log(3) / np.log(2))
    assert table["side"].isna().all()


def test_judges_turned_away():
    """Who says the same of all, tosses a coin or leans to one side is turned away by name, and the others stay."""
    votes = _votes(4000, weights=np.array([0.8, 1.2, 1.0, 1e-9, 1.0]), sides=np.array([0, 0, 0, 0, 3.0]))
    votes.loc[votes["voter"] == "j2", "winner"] = "left"
    found = judge_weights(votes)
    notes = found.table.set_index("judge")["note"]
    assert notes["j2"] == "it always says the same"
    assert "cannot be told from 0" in notes["j3"]
    assert "one-sided" in notes["j4"]
    assert (notes[["j0", "j1"]] == "").all()
    assert sum("turned away: j" in note for note in found.notes) == 3
    assert "3 judges of 5 turned away" in found.answer


def test_ties_alone():
    """Votes without a winner tell no weight."""
    with pytest.raises(EstimationError):
        judge_weights(_votes(300).assign(winner="tie"))


@pytest.mark.parametrize("voters", [["j0"], None])
def test_one_judge(voters):
    """A single voter, or none named, cannot be weighed."""
    votes = _votes(300)
    votes = votes.drop(columns="voter") if voters is None else votes[votes["voter"].isin(voters)]
    with pytest.raises(ScoresError, match="cannot be weighed"):
        judge_weights(votes)


def test_few_votes_are_taken_together():
    """Voters with fewer votes than asked for are one judge."""
    votes = _votes(600, weights=np.ones(4), sides=np.zeros(4))
    voter = votes["voter"].where(votes["voter"] != "j3", [f"few{number % 10}" for number in range(len(votes))])
    table = judge_weights(votes.assign(voter=voter)).table.set_index("judge")
    assert table.loc["other voters", "n_votes"] == (votes["voter"] == "j3").sum()
