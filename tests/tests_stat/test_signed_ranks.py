"""Signed rank sums and their enumerated distribution against literal computations."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.signed_ranks import enumerated_tails, signed_rank_sums


def literal_tails(differences, *, rank_zeros):
    """Enumerate all sign vectors of one pair, in whole numbers."""
    sizes = np.abs(differences)
    kept = sizes[(sizes > 0) | rank_zeros]
    ranks = [int(2 * (kept < size).sum() + (kept == size).sum() + 1) if size > 0 else 0 for size in sizes]
    observed = sum(rank for rank, difference in zip(ranks, differences, strict=True) if difference > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product([0, 1], repeat=len(ranks))
    ]
    return sum(s >= observed for s in sums) / len(sums), sum(s <= observed for s in sums) / len(sums)


@given(arrays(np.int64, st.integers(2, 7), elements=st.integers(-3, 3)), st.booleans())
def test_table_of_tied_ranks_equals_enumeration(differences, rank_zeros):
    """Adding one rank at a time to a table gives the distribution over all sign vectors."""
    values = np.stack([differences, np.zeros_like(differences)]).astype(float)
    for scores, allowance in ((values, 0.0), (values, RELATIVE), (values / 10 + 0.3, RELATIVE)):
        found = enumerated_tails(scores, np.array([0]), np.array([1]), rank_zeros, allowance)
        np.testing.assert_allclose(found[:, 0], literal_tails(differences, rank_zeros=rank_zeros), rtol=1e-14)


@given(arrays(np.int64, st.tuples(st.just(2), st.integers(2, 30)), elements=st.integers(0, 5)), st.booleans())
def test_rank_sums_are_those_of_ranked_sizes(values, rank_zeros):
    """The merge of two sorted halves gives the mid-ranks that SciPy's ranking gives."""
    differences = values[0] - values[1]
    kept = differences if rank_zeros else differences[differences != 0]
    ranks = scipy.stats.rankdata(np.abs(kept))
    _, groups = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    expected = [ranks[kept > 0].sum(), ranks[kept < 0].sum(), (differences == 0).sum(), (groups**3 - groups).sum()]
    for scores, ties in ((values / 1, "float"), (values / 1, "paper"), (values / 10, "paper"), (values / 7, "paper")):
        found = signed_rank_sums(scores, np.array([0]), np.array([1]), rank_zeros=rank_zeros, ties=ties)
        np.testing.assert_allclose([column.item() for column in found], expected)


def settled_sizes(x, y):
    """Settle sizes one by one: zero, or tied with their neighbour, where no further apart than their scores allow."""
    share = Fraction(RELATIVE)
    scores = zip(x.tolist(), y.tolist(), strict=True)
    cells = [(Fraction(abs(a - b)), Fraction(abs(a)) + Fraction(abs(b)), place) for place, (a, b) in enumerate(scores)]
    cells = [cell for cell in cells if cell[0] > share * cell[1]]
    largest = {size: max(scores for other, scores, _ in cells if other == size) for size, _, _ in cells}
    cells = sorted((size, largest[size], place) for size, _, place in cells)
    settled = np.zeros(len(x))
    for number, (size, scores, place) in enumerate(cells):
        before = cells[number - 1]
        tied = number > 0 and size - before[0] <= share * (scores + before[1])
        settled[place] = settled[before[2]] if tied else float(size)
    return settled


@pytest.mark.parametrize("spread", [0.0, 3.0, 12.0])
def test_doubtful_gaps_are_settled_by_their_own_scores(spread):
    """Sizes some 1e-12 apart, of scores from 1e-6 to 1e6: zeros and ties are those of the rule, in fractions."""
    rng = np.random.default_rng(int(spread))
    for _ in range(40):
        base = 10.0 ** rng.uniform(-spread / 2, spread / 2, 12)
        gaps = rng.choice([0.0, 0.5, 0.5 + 3e-13, 0.5 + 9e-13, 0.5 + 5e-12, 2e-12], 12) * rng.choice([-1, 1], 12)
        x, y = base + gaps, base
        sizes = settled_sizes(x, y)
        kept = sizes > 0
        ranks = scipy.stats.rankdata(sizes[kept])
        wins = (x > y)[kept]
        _, groups = np.unique(sizes[kept], return_counts=True)
        found = signed_rank_sums(np.array([x, y]), np.array([0]), np.array([1]), rank_zeros=False)
        expected = [ranks[wins].sum(), ranks[~wins].sum(), (~kept).sum(), (groups**3 - groups).sum()]
        np.testing.assert_allclose([column.item() for column in found], expected)
