"""What is equal up to rounding: fractions as the second opinion, units, and wild neighbours."""

from fractions import Fraction
from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from metaeval.running.equality import _settled, difference, reaches, settle, settled_means

UNITS = (1.0, 0.1, 1000.0, 1 / 7, 1e-9)
whole = arrays(np.int64, st.tuples(st.integers(2, 7), st.integers(1, 9)), elements=st.integers(-9, 9))


def signs(values):
    """Compare every two numbers of a row."""
    return np.sign(values[:, None] - values[None, :])


@pytest.mark.parametrize("unit", UNITS)
@given(whole)
def test_means_tie_and_rank_as_those_of_whole_numbers(unit, scores):
    """Means of multiples of any unit, in any order of the topics, are equal where their exact sums are."""
    shuffled = np.stack([np.roll(row, place) for place, row in enumerate(scores)])
    np.testing.assert_array_equal(signs(settled_means(shuffled * unit)), signs(scores.sum(axis=1)))


@given(whole, st.sampled_from([10**9, 10**12, 10**20]), st.integers(0, 7))
def test_a_wild_system_changes_nothing_between_two_others(scores, cell, place):
    """Whatever a third system scores, also where its scores cancel to a mean amid the others, these rank as before."""
    sums = scores.sum(axis=1)
    for wild in ([cell] * 9, [cell, *[1] * 8], [cell, -cell, 1, *[0] * 6]):
        row = wild[: scores.shape[1]]
        at = min(place, len(scores))
        found = settled_means(np.insert(scores / 10, at, row, axis=0))
        np.testing.assert_array_equal(signs(np.delete(found, at)), signs(sums))


@given(whole)
def test_settled_rows_are_settled_and_ascend_as_before(scores):
    """Settling again changes nothing, no order is turned round, and each row is settled by itself."""
    means, size = (scores / 10).mean(axis=1), np.abs(scores / 10).mean(axis=1)
    once = settle(means, size)
    np.testing.assert_array_equal(settle(once, size), once)
    assert (signs(once) * signs(means) >= 0).all()
    np.testing.assert_array_equal(settle([means, -means], [size, size])[0], once)


def test_what_is_no_number_or_infinite_stays():
    """NaN ties with nothing, an infinity with itself alone, and a row without numbers is a row."""
    values = np.array([np.inf, 0.5, np.nan, -np.inf, 0.3, 0.1 + 0.2, np.inf])
    np.testing.assert_array_equal(settle(values), [np.inf, 0.5, np.nan, -np.inf, 0.3, 0.3, np.inf])
    np.testing.assert_array_equal(settle(values, np.abs(values)), settle(values))
    assert settle(np.zeros((0, 3))).shape == (0, 3)
    assert settle(np.zeros((3, 0))).shape == (3, 0)


@given(st.integers(-99, 99), st.integers(-99, 99), st.integers(-99, 99), st.sampled_from([10, 7, 100, 1000]))
def test_differences_reach_bounds_as_fractions_do(a, b, bound, parts):
    """A difference of two scores is 0, and reaches a bound, exactly where the fractions say so."""
    x, y, least = (one / parts for one in (a, b, bound))
    assert np.sign(difference(x, y, abs(x), abs(y))) == np.sign(a - b)
    assert bool(reaches(x - y, least, abs(x) + abs(y))) == (Fraction(a - b, parts) >= Fraction(bound, parts))


def test_steps_of_a_tenth_are_one_step():
    """All the ways to write 0.1 as a difference of tenths are one number."""
    pairs = [(high / 10, low / 10) for low, high in combinations(range(11), 2) if high - low == 1]
    gaps, sizes = np.array([(a - b, a + b) for a, b in pairs]).T
    assert len(set(gaps.tolist())) > 1
    assert len(set(settle(gaps, sizes).tolist())) == 1


def test_settled_means_are_those_of_every_table():
    """A stack of tables is settled table by table, over their topics."""
    tables = np.random.default_rng(0).integers(0, 10, (4, 3, 5)) / 10
    assert np.array_equal(settled_means(tables), np.stack([settled_means(table) for table in tables]))


def test_rows_are_settled_each_by_itself():
    """Numbers of a row that are one on paper become one, in whatever order, and whatever stands in other rows."""
    rows = np.array([[0.5, 0.1 + 0.2, 0.3], [0.9, 0.2, 0.7], [0.8 - 0.7, 0.4, 0.3 - 0.2]])
    sizes = [[0.5, 0.3, 0.3], [0.9, 0.2, 0.7], [1.5, 0.4, 0.5]]
    assert [len(set(row)) for row in settle(rows, sizes).tolist()] == [2, 3, 2]
    near = np.array([[0.5, np.nextafter(0.3, 1), 0.3], [0.9, 0.2, 0.7]])
    assert [len(set(row)) for row in settle(near).tolist()] == [2, 3]


def test_rows_are_settled_alike_with_and_without_compiled_code():
    """To the last bit, with gaps and infinite values among them."""
    rng = np.random.default_rng(4)
    for _ in range(100):
        shape = tuple(rng.integers(1, (6, 40)))
        values = rng.integers(0, 5, shape) * 0.1 + rng.integers(0, 3, shape) * 0.3 - rng.integers(0, 3, shape) * 0.3
        for odd in (np.nan, np.inf, -np.inf):
            values[rng.random(shape) < 0.04] = odd
        asked = values, 2 * rng.random(shape), np.argsort(values, axis=-1)
        with np.errstate(invalid="ignore"):
            plain = _settled.py_func(*asked)
        assert plain.view(np.int64).tolist() == _settled(*asked).view(np.int64).tolist()
