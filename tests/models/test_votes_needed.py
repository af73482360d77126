"""Votes needed: against the errors that so many votes really have, laws, and degenerate input."""

import numpy as np
import pytest
from scipy import stats

from metaeval.models.vote_strengths import bradley_terry
from metaeval.models.votes_needed import vote_plan
from metaeval.resampling.estimates_and_covariance import rank_intervals_from_covariance
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def test_needed_votes_by_hand():
    """Errors fall as the root of the votes: t is then Bonferroni's quantile and that of the power."""
    fitted = bradley_terry(simulate_votes(n_systems=5, n_votes=800, rng=1))
    row = vote_plan(fitted).to_frame().query("not settled").iloc[0]
    data = fitted.comparison().data
    pairs = list(zip(data["system_a"].to_numpy(), data["system_b"].to_numpy(), strict=True))
    place = pairs.index((row["system_a"], row["system_b"]))
    t, freedom = (float(data[name][0, place]) for name in ("statistic", "degrees_of_freedom"))
    times = ((stats.t.isf(0.025 / 10, freedom) + stats.norm.isf(0.2)) / t) ** 2
    needed = times * 800
    assert needed <= row["votes_needed"] < 1.1 * needed
    assert float(f"{row['votes_needed']:.1e}") == row["votes_needed"]


def test_ranks_decide_where_they_are_given():
    """Pairs are settled as the ranks say, and those that are open need more votes than there are."""
    fitted = bradley_terry(simulate_votes(n_systems=6, n_votes=900, rng=2))
    ranks = rank_intervals_from_covariance(fitted.strengths, fitted.covariance, systems=fitted.systems, rng=1)
    table = vote_plan(fitted, ranks).to_frame()
    assert table["settled"].sum() == ranks.data["significant"].sum()
    assert (table.loc[~table["settled"], "votes_needed"] > 900).all()


def test_more_votes_on_the_same_questions_are_worth_less():
    """Never fewer than on new ones, and for some pairs no number is enough."""
    table = vote_plan(bradley_terry(simulate_votes(n_questions=12, by_question=1.0, rng=2))).to_frame()
    open_ones = table[~table["settled"]]
    assert (open_ones["votes_needed_same"] >= open_ones["votes_needed"] - 1).all()
    assert np.isinf(open_ones["votes_needed_same"]).any()
    assert table[table["settled"]]["votes_needed"].isna().all()


def test_the_next_votes_lower_the_errors_as_said():
    """Votes put on a pair, and the information inverted anew."""
    fitted = bradley_terry(as_votes(simulate_votes(n_systems=5, n_votes=300, rng=3)))
    best = vote_plan(fitted, n_next=100).following.iloc[0]
    a, b = (fitted.systems.index(best[side]) for side in ("system_a", "system_b"))
    chance = 1 / (1 + np.exp(fitted.strengths[b] - fitted.strengths[a]))
    step = np.zeros(5)
    step[[a, b]] = 1, -1
    more = np.linalg.pinv(fitted.information) + 100 * chance * (1 - chance) * np.outer(step, step)
    fall = 1 - np.sqrt(np.linalg.pinv(more).trace() / fitted.information.trace())
    assert best["fall"] == pytest.approx(fall, abs=1e-10)


def test_equal_systems_are_never_settled():
    """All ties: no number of votes is enough."""
    rows = [{"left": a, "right": b, "winner": "tie", "question": q} for q in range(3) for a, b in ("ab", "bc")]
    table = vote_plan(bradley_terry(rows)).to_frame()
    assert np.isinf(table["votes_needed"]).all()


def test_all_settled_need_none():
    """Two systems far apart."""
    rows = [{"left": "a", "right": "b", "winner": "b" if one % 10 == 0 else "a", "question": one} for one in range(400)]
    plan = vote_plan(bradley_terry(rows))
    assert plan.votes_for_share(0.75) == 400
