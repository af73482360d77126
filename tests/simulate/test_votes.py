"""Simulated votes: the strengths that were asked for come back, and nothing else is in them."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.models.vote_strengths import bradley_terry
from metaeval.simulate.votes import simulate_votes


def test_true_strengths_come_back():
    """Without ties and effects, votes without end are Bradley and Terry's model."""
    frame = simulate_votes(n_systems=5, by_question=0, by_voter=0, ties=0, n_votes=200_000, rng=1)
    found = bradley_terry(frame, clusters=[]).strengths
    true = list(frame.attrs["strengths"].values())
    np.testing.assert_allclose(found, true, atol=0.03)


def test_no_system_plays_itself():
    """Both sides are drawn, and ties come as often as asked."""
    frame = simulate_votes(n_systems=2, n_votes=5000, ties=0.3, rng=2)
    assert (frame["left"] != frame["right"]).all()
    assert abs((frame["winner"] == "tie").mean() - 0.3) < 0.03


@pytest.mark.parametrize("options", [{"n_systems": 1}, {"n_votes": 0}, {"ties": 1.0}, {"spread": -1}])
def test_what_cannot_be_simulated(options):
    """One system, no votes, nothing but ties, a negative spread."""
    with pytest.raises(InvalidOptionError):
        simulate_votes(**options)
