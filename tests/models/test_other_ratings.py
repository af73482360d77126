"""Ratings of others: against the kept values of evalica, and against votes counted one by one."""

import numpy as np
import pandas as pd
import pytest

from metaeval.io.votes import read_votes
from metaeval.models.other_ratings import elo_ratings, vote_ratings
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


@pytest.mark.parametrize("name", ["simple.csv", "food.csv", "llmfao.csv.gz"])
def test_ratings_are_those_of_evalica(data_folder, name):
    """All seven; Newman's has no scale of its own, so both have the geometric mean 1; Elo in the order of the file."""
    found = vote_ratings(read_votes(data_folder / "votes" / name))
    kept = pd.read_csv(data_folder / "votes" / f"{name.split('.')[0]}-golden.csv", dtype={"item": str})
    kept = kept.pivot_table(index="item", columns="algorithm", values="score").loc[found.index]
    kept["newman"] /= np.exp(np.log(kept["newman"]).mean())
    assert set(kept) == set(found)
    for column in kept:
        np.testing.assert_allclose(found[column], kept[column], atol=1e-9, rtol=0, err_msg=column)


def test_elo_vote_by_vote():
    """As its formula says; over orders the mean is near the strengths' order, and one order is no other."""
    frame = simulate_votes(n_systems=4, n_votes=300, rng=1)
    given = as_votes(frame)
    ratings = dict.fromkeys(given.systems, 1000.0)
    for row in frame.itertuples():
        expected = 1 / (1 + 10 ** ((ratings[row.right] - ratings[row.left]) / 400))
        step = 16 * ({"left": 1, "right": 0, "tie": 0.5}[row.winner] - expected)
        ratings[row.left] += step
        ratings[row.right] -= step
    found = elo_ratings(given, k=16, rng=1)
    np.testing.assert_allclose(found.given, list(ratings.values()))
    assert found.to_frame().set_index("system")["given"].to_dict() == pytest.approx(ratings)
    assert (found.deviation > 1).all()
    assert abs(found.mean.mean() - 1000) < 1e-6


def test_without_a_bound_models_are_missing():
    """Who never lost has a win rate, and no strength."""
    rows = pd.DataFrame([("a", "b", "left")], columns=["left", "right", "winner"])
    found = vote_ratings(rows)
    assert found["average_win_rate"].tolist() == [1.0, 0.0]
    assert "bradley_terry" not in found
