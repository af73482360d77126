"""Does one dimension do? Against circles made on purpose, arenas that have one dimension, and counting."""

import math
from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f

from metaeval.models.vote_dimension import one_dimension
from metaeval.models.vote_strengths import bradley_terry, win_matrix
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def circle(n_questions=60):
    """Return votes in which a beats b, b beats c and c beats a, mostly."""
    generator = np.random.default_rng(1)
    rows = []
    for question in range(n_questions):
        for left, right in (("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("b", "d"), ("c", "d")):
            winner = "left" if generator.random() < 0.8 else "right"
            rows.append((left, right, winner, question))
    return as_votes(pd.DataFrame(rows, columns=["left", "right", "winner", "question"]))


def test_a_circle_is_no_dimension():
    """Found, and named among the pairs."""
    votes = circle()
    found = one_dimension(votes, bradley_terry(votes))
    assert found.p_value < 1e-6
    assert (found.n_cyclic, found.n_triads) == (1, 4)
    assert set(found.to_frame()[["system_a", "system_b"]].to_numpy()[:3].ravel()) == {"a", "b", "c"}


def test_one_dimension_is_seldom_rejected():
    """Of 40 arenas with one, at most five at level .05, clustered as they are."""
    p = []
    for seed in range(40):
        votes = as_votes(simulate_votes(n_systems=6, n_questions=60, n_votes=1500, rng=seed))
        p.append(one_dimension(votes, bradley_terry(votes)).p_value)
    assert np.mean(np.array(p) < 0.05) <= 5 / 40


def test_triads_by_counting():
    """All triads one by one."""
    votes = as_votes(simulate_votes(n_systems=9, spread=0.1, n_votes=300, rng=3))
    wins = win_matrix(votes)
    cyclic = triads = 0
    for trio in combinations(range(9), 3):
        over = [wins[a, b] > wins[b, a] for a, b in ((trio[0], trio[1]), (trio[1], trio[2]), (trio[2], trio[0]))]
        even = any(wins[a, b] == wins[b, a] for a, b in combinations(trio, 2))
        triads += not even
        cyclic += not even and (all(over) or not any(over))
    found = one_dimension(votes, bradley_terry(votes))
    assert (found.n_cyclic, found.n_triads) == (cyclic, triads)


def test_two_systems_leave_nothing_to_check():
    """One pair, one difference."""
    votes = as_votes(simulate_votes(n_systems=2, rng=1))
    found = one_dimension(votes, bradley_terry(votes))
    assert np.isnan(found.p_value)
    assert found.n_triads == 0


def test_all_ties_leave_nothing_to_explain():
    """Shares of a half have no spread."""
    votes = as_votes([{"left": "a", "right": "b", "winner": "tie", "question": one} for one in range(3)])
    found = one_dimension(votes, bradley_terry(votes))
    assert np.isnan(found.explained)


def literal_fit(frame, fitted, way):
    """F of the misfit, its p and freedom, the share explained, and z of every pair: vote by vote, pair by pair."""
    strength = dict(zip(fitted.systems, fitted.strengths, strict=True))
    residuals, told = defaultdict(lambda: defaultdict(list)), {}
    for number, vote in enumerate(frame.itertuples()):
        first, second = sorted((vote.left, vote.right))
        share = {"left": 1.0, "tie": 0.5, "right": 0.0}[vote.winner]
        share = share if vote.left == first else 1 - share
        expected = 1 / (1 + math.exp(strength[second] - strength[first]))
        residuals[first, second][getattr(vote, way) if way != "vote" else number].append(share - expected)
        told.setdefault((first, second), (expected, []))[1].append(share)
    above, noise, n_pairs, rows = 0.0, 0.0, 0, {}
    for pair, by_cluster in residuals.items():
        expected, shares = told[pair]
        sums = [sum(parts) for parts in by_cluster.values()]
        model = len(shares) * expected * (1 - expected)
        total, n = sum(sums), len(sums)
        variance = n / (n - 1) * sum((one - total / n) ** 2 for one in sums) if n > 1 else 0.0
        if n > 1:
            above, noise, n_pairs = above + total**2 / model, noise + variance / model, n_pairs + 1
        rows[pair] = (len(shares), np.mean(shares), expected, total / math.sqrt(max(variance, model)))
    freedom = (n_pairs - len(strength) + 1, (len(frame) if way == "vote" else frame[way].nunique()) - 1)
    statistic = n_pairs * above / (freedom[0] * noise)
    off = sum(n * (share - expected) ** 2 for n, share, expected, _ in rows.values())
    explained = 1 - off / sum(n * (share - 0.5) ** 2 for n, share, *_ in rows.values())
    return statistic, freedom, explained, rows


@pytest.mark.parametrize(("way", "clusters"), [("question", ["question"]), ("voter", ["voter"]), ("vote", [])])
def test_the_fit_is_that_of_its_definition(way, clusters):
    """With clusters of either kind, or none; one pair met on one question alone, and tells nothing of noise there."""
    frame = simulate_votes(n_systems=5, n_questions=11, n_voters=7, n_votes=230, spread=0.8, rng=4)
    lone = pd.DataFrame(
        [("system1", "new", "tie", "question1", "voter1")] * 2 + [("new", "system2", "left", "question1", "voter1")],
        columns=["left", "right", "winner", "question", "voter"],
    )
    lone = pd.concat([lone, lone.assign(winner="right")])
    frame = pd.concat([frame, lone], ignore_index=True)
    fitted = bradley_terry(frame, clusters=clusters)
    found = one_dimension(frame, fitted)
    statistic, freedom, explained, rows = literal_fit(frame, fitted, way)
    assert (found.clusters, found.freedom) == (way, freedom)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(f.sf(statistic, *freedom))
    assert found.explained == pytest.approx(explained)
    table = found.to_frame()
    assert np.abs(table["z"]).is_monotonic_decreasing
    for row in table.itertuples():
        turned = (row.system_a, row.system_b) not in rows
        n, share, expected, z = rows[tuple(sorted((row.system_a, row.system_b)))]
        seen = (row.votes, row.share, row.expected, row.z)
        assert seen == pytest.approx((n, 1 - share, 1 - expected, -z) if turned else (n, share, expected, z))
    assert len(table) == len(rows)


def test_counts_say_what_their_votes_do():
    """Rows of wins and losses have the fit of as many single votes."""
    counts = pd.DataFrame(
        [("a", "b", 7, 3), ("b", "c", 6, 5), ("c", "a", 4, 2)], columns=["left", "right", "wins", "losses"]
    )
    single = pd.DataFrame(
        [
            (row.left, row.right, side)
            for row in counts.itertuples()
            for side, n in (("left", row.wins), ("right", row.losses))
            for _ in range(n)
        ],
        columns=["left", "right", "winner"],
    )
    fits = [one_dimension(votes, bradley_terry(votes)) for votes in (counts, single)]
    for name in ("statistic", "p_value", "explained", "n_cyclic", "n_triads"):
        assert getattr(fits[0], name) == pytest.approx(getattr(fits[1], name))
    assert fits[0].freedom == fits[1].freedom == (1, 26)
    pd.testing.assert_frame_equal(fits[0].to_frame(), fits[1].to_frame())
