"""Votes needed: against the errors that so many votes really have, laws, and degenerate input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.vote_strengths import bradley_terry
from metaeval.models.votes_needed import PairEvidence, vote_plan
from metaeval.resampling.estimates_and_covariance import rank_intervals_from_covariance
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def test_needed_votes_by_hand():
    """Errors fall as the root of the votes, of which those at hand are known: t tests with Bonferroni's quantile."""
    fitted = bradley_terry(simulate_votes(n_systems=5, n_votes=800, rng=1))
    row = vote_plan(fitted).to_frame().query("not settled").iloc[0]
    data = fitted.comparison().data
    pairs = list(zip(data["system_a"].to_numpy(), data["system_b"].to_numpy(), strict=True))
    place = pairs.index((row["system_a"], row["system_b"]))
    t, freedom = (float(data[name][0, place]) for name in ("statistic", "degrees_of_freedom"))
    threshold = stats.t.isf(0.025 / 10, freedom)
    kept = 1 - 1 / np.mean(data["statistic"].to_numpy()[0] ** 2)
    power = []
    for m in (row["votes_needed"] / 800, row["votes_needed"] / 1.1 / 800):
        law = stats.norm(abs(t) * m**0.5 * (1 / m + (1 - 1 / m) * kept), ((1 - 1 / m) * (1 + (m - 1) * kept)) ** 0.5)
        power.append(law.sf(threshold) + law.cdf(-threshold))
    assert power[1] < 0.8 <= power[0]
    assert float(f"{row['votes_needed']:.1e}") == row["votes_needed"]


@pytest.mark.parametrize(("size", "noise", "times"), [(1.0, 0.5, 3.0), (2.5, 2.0, 10.0), (0.2, 0.1, 1.5)])
def test_the_chance_of_a_pair_is_that_of_differences_drawn(size, noise, times):
    """True differences given the one seen, new votes given these, and both together: what is settled so is counted."""
    draw, kept = np.random.default_rng(2), 1 / (1 + noise)
    true = kept * size + kept**0.5 * draw.standard_normal(10**6)
    new = true + draw.standard_normal(10**6) / (times - 1) ** 0.5
    together = (size + (times - 1) * new) / times * times**0.5
    limit = 2.0 * (1 + noise / times) ** 0.5
    evidence = PairEvidence(np.array([size]), np.array([2.0]), noise, noise, np.array([False]))
    assert evidence.chance(np.array([times])).item() == pytest.approx((np.abs(together) >= limit).mean(), abs=0.002)


def test_planned_votes_settle_pairs_as_often_as_said():
    """With so many times the votes, of another arena of the same strengths, the pairs are settled as often as said."""
    said, settled = [], []
    for seed in range(12):
        strengths = np.random.default_rng(seed).normal(0.0, 0.5, 8)
        votes = _votes_of(strengths, 400, seed)
        fitted = bradley_terry(votes, clusters=[])
        evidence = vote_plan(fitted, vote_ranks(fitted, n_draws=1000, rng=0)).evidence
        more = pd.concat([votes, _votes_of(strengths, 1600, 100 + seed)], ignore_index=True)
        ranks = vote_ranks(bradley_terry(more, clusters=[]), n_draws=1000, rng=0)
        chance, open_ones = evidence.chance(np.full(28, 5.0)), ~evidence.decided
        likely = open_ones & (chance > 0.5)
        said += chance[likely].tolist()
        settled += ranks.data["significant"].to_numpy()[0][likely].tolist()
    assert len(said) > 50
    assert np.mean(settled) == pytest.approx(np.mean(said), abs=0.1)


def _votes_of(strengths, n, seed):
    """Return independent votes on systems of these strengths."""
    draw = np.random.default_rng([seed, n])
    left = draw.integers(0, len(strengths), n)
    right = (left + draw.integers(1, len(strengths), n)) % len(strengths)
    won = draw.random(n) < 1 / (1 + np.exp(strengths[right] - strengths[left]))
    return pd.DataFrame({"left": left, "right": right, "winner": np.where(won, "left", "right")}).astype(str)


@given(st.integers(0, 2**32), st.integers(2, 6), st.floats(0.05, 1.0))
@settings(max_examples=12)
def test_one_rule_for_a_pair_and_for_a_share(seed, n, share):
    """The votes for a share are the least with which the pairs' chances have that mean; at hand, none is open."""
    fitted = bradley_terry(simulate_votes(n_systems=n, n_questions=12, n_votes=300, rng=seed))
    plan = vote_plan(fitted, vote_ranks(fitted, n_draws=1000, rng=0))
    votes, decided = plan.votes_for_share(share), plan.evidence.decided.mean()
    assert (votes == plan.n_votes) == (decided >= share)
    if np.isfinite(votes) and votes > plan.n_votes:
        before = max(votes / plan.n_votes / 1.11, 1.0 + 1e-9)
        chances = [plan.evidence.chance(np.array([one])).mean() for one in (before, votes / plan.n_votes)]
        assert chances[0] - 1e-9 <= share <= chances[1] + 1e-9
    needed = plan.to_frame()["votes_needed"].dropna()
    if len(needed) and n == 2:
        assert needed.item() == plan.votes_for_share(plan.power)


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
