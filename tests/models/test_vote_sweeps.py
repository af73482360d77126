"""Pairs of which one system won all votes: the exact sign test on votes that share no question and no voter."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from metaeval.models.vote_sweeps import swept_pairs
from metaeval.table.votes import as_votes

UNITS = ("question", "voter")


def made(rows):
    """Return votes of which the left system won each: left, right, question, voter."""
    return as_votes(pd.DataFrame(rows, columns=["left", "right", *UNITS]).assign(winner="left"))


def most_apart(rows):
    """Return the largest number of votes of which no two share a question or voter, by trying all sets."""
    for size in range(len(rows), 1, -1):
        for some in combinations(rows, size):
            if len({question for question, _ in some}) == len({voter for _, voter in some}) == size:
                return size
    return 1


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=7), min_size=1, max_size=4)
)
@settings(max_examples=40)
def test_votes_that_share_nothing(pairs):
    """As many as any choice of votes has, pair by pair; the test and the limits are those of tosses of a coin."""
    votes = made([("best", f"s{place}", *one) for place, rows in enumerate(pairs) for one in rows])
    found = swept_pairs(votes, [name for name in UNITS if votes.n_units(name) > 1]).set_index("against")
    known = [votes.n_units(name) > 1 for name in UNITS]  # as the study asks
    for place, rows in enumerate(pairs):
        row = found.loc[f"s{place}"]
        expected = most_apart(rows) if all(known) else len({one[known[1]] for one in rows}) if any(known) else len(rows)
        assert row["independent"] == expected
        assert row["p_value"] == pytest.approx(binomtest(expected, expected).pvalue)
        limit = binomtest(expected, expected, alternative="greater").proportion_ci(0.95).low
        assert row["least_share"] == pytest.approx(limit)
        assert row["least_difference"] == pytest.approx(np.log(limit / (1 - limit)))
    assert (found["p_corrected"] >= found["p_value"]).all()
    assert (found["settled"] == (found["p_corrected"] <= 0.05)).all()


def test_a_pair_that_both_won_leaves_no_sweeps():
    """A tie is enough, and so is one vote of many for the other."""
    rows = [{"left": "a", "right": "b", "winner": "a"}] * 5
    assert len(swept_pairs(as_votes(rows), [])) == 1
    for other in ("tie", "b"):
        assert swept_pairs(as_votes([*rows, {"left": "b", "right": "a", "winner": other}]), []).empty


def test_counts_are_votes():
    """Wins alone, of which nobody knows who gave them."""
    rows = [{"left": "a", "right": "b", "wins": 0, "losses": 9, "ties": 0}]
    found = swept_pairs(as_votes(rows), []).iloc[0]
    assert found[["system", "against", "votes", "independent"]].tolist() == ["b", "a", 9, 9]
