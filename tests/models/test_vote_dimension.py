"""Does one dimension do? Against circles made on purpose, arenas that have one dimension, and counting."""

from itertools import combinations

import numpy as np
import pandas as pd

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
