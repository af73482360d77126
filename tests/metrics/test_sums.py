"""Sums, shares and largest values inside lists, against the same said list by list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.metrics.sums import best_from, list_sums, running_sums, share_of_whole

LISTS = st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=6)


def _laid_end_to_end(lists):
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return offsets, np.array([value for one in lists for value in one], dtype=np.int64)


@given(lists=LISTS)
def test_sums_stay_inside_their_list(lists):
    """Running sums start anew with every list; a list without an entry has the sum 0."""
    offsets, values = _laid_end_to_end(lists)
    assert running_sums(offsets, values).tolist() == [sum(one[: at + 1]) for one in lists for at in range(len(one))]
    assert list_sums(offsets, values.astype(np.float64)).tolist() == [float(sum(one)) for one in lists]


def test_a_share_of_nothing_is_none():
    """Shapes are broadcast as everywhere; a whole of 0, or less, has no share."""
    assert share_of_whole(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([4, 0])).tolist() == [[0.25, 0.0], [0.75, 0.0]]
    assert share_of_whole(np.array([1.0]), np.array([-1])).tolist() == [0.0]


def _literal(values, amounts, needed):
    return [max((v for v, amount in zip(values, amounts, strict=True) if amount >= one), default=0.0) for one in needed]


@given(
    lists=st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=6), min_size=1, max_size=6),
    needed=st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=5).map(sorted), min_size=1, max_size=3),
)
def test_the_best_from_each_point_on_is_the_largest_value_where_enough_was_found(lists, needed):
    """List by list and point by point; topics come round again system by system."""
    needed = [one[:1] * (5 - len(one)) + one for one in needed]
    offsets, values = _laid_end_to_end([[value for value, _ in one] for one in lists])
    amounts = [np.cumsum([more for _, more in one], dtype=np.int64).tolist() for one in lists]
    found = best_from(offsets, values / 10, _laid_end_to_end(amounts)[1], np.array(needed, dtype=np.int64))
    expected = [
        _literal([value / 10 for value, _ in one], amounts[number], needed[number % len(needed)])
        for number, one in enumerate(lists)
    ]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("asked", "best"), [(1, 0.9), (2, 0.5), (3, 0.4), (4, 0.0)])
def test_the_best_by_hand(asked, best):
    """Of .9, .2, .5 and .4 with 1, 1, 2 and 3 found, the largest from so many on."""
    values = np.array([0.9, 0.2, 0.5, 0.4])
    found = best_from(np.array([0, 4]), values, np.array([1, 1, 2, 3]), np.array([[asked]]))
    assert found.tolist() == [[best]]
