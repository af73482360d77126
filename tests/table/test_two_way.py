"""Means by system and topic: least squares done literally, laws, and plain means where nothing is missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.table.two_way import _few_units, linked, two_way


def gappy(seed, n_systems=5, n_topics=30, share=0.4):
    """Return a table with gaps and weights."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n_systems, n_topics)) + generator.normal(size=(n_systems, 1))
    values[generator.random(values.shape) < share] = np.nan
    return values, generator.random(n_topics) + 0.5


def literal(values, weights):
    """Return the means of a regression on dummies of systems and topics, row by row."""
    rows, right = [], []
    for system, topic in np.argwhere(np.isfinite(values)):
        row = np.zeros(sum(values.shape))
        row[[system, len(values) + topic]] = 1.0
        rows.append(row * np.sqrt(weights[topic]))
        right.append(values[system, topic] * np.sqrt(weights[topic]))
    found = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0]
    met = np.where(np.isfinite(values).any(axis=0), weights, 0.0)
    return found[: len(values)] + found[len(values) :] @ met / met.sum()


@pytest.mark.parametrize("seed", range(3))
def test_means_are_those_of_a_regression(seed):
    """Means against dummies, and influences against the derivative of the means by a topic's weight."""
    values, weights = gappy(seed)
    found = two_way(values, weights)
    np.testing.assert_allclose(found.means, literal(values, weights), rtol=1e-9)
    plain = two_way(values, weights, np.zeros(30, dtype=np.int64)).influence  # one unit: none is lacking
    met, step = weights[np.isfinite(values).any(axis=0)].sum(), 1e-6
    for topic in np.flatnonzero(np.isfinite(values).sum(axis=0) > 1)[:5]:
        more = weights.copy()
        more[topic] *= 1.0 + step
        slope = (two_way(values, more).means - found.means) / step * met
        np.testing.assert_allclose(plain[:, topic], slope, atol=1e-4)


def test_a_whole_table_has_plain_means():
    """Weighted means, and every score's distance from them."""
    values, weights = gappy(1, share=0.0)
    found = two_way(values, weights)
    means = values @ weights / weights.sum()
    np.testing.assert_allclose(found.means, means, rtol=1e-12)
    np.testing.assert_allclose(found.influence, weights * (values - means[:, None]), atol=1e-12)


@given(seed=st.integers(0, 1000), shift=st.floats(-5, 5), unit=st.floats(0.1, 10))
def test_topics_move_no_difference(seed, shift, unit):
    """A harder topic moves no difference, a better system its own mean alone, another unit all in proportion."""
    values, weights = gappy(seed, share=0.2)
    found = two_way(values, weights)
    harder, better = values.copy(), values.copy()
    harder[:, 3] += shift
    better[2] += shift
    np.testing.assert_allclose(np.ptp(two_way(harder, weights).means - found.means), 0.0, atol=1e-9)
    np.testing.assert_allclose(two_way(better, weights).means - found.means, np.eye(5)[2] * shift, atol=1e-9)
    np.testing.assert_allclose(two_way(values * unit, weights).influence, found.influence * unit, atol=1e-9)


def test_few_units_count_as_few():
    """A system with two of four topics: its error is larger by the root of 2 over 4 / 3, the other's stays."""
    values = np.array([[1.0, 2.0, 3.0, 5.0], [2.0, 1.0, np.nan, np.nan]])
    one, without = (two_way(values, np.ones(4), unit).influence for unit in (None, np.zeros(4, dtype=np.int64)))
    squares = [np.square(found[1] - found[0]).sum() for found in (one, without)]
    assert squares[1] < squares[0] < squares[1] * 2.0 / (4 / 3) + 1e-12


def test_the_units_of_a_stratum_are_counted_by_system():
    """Of a system's units in a stratum, n beside the stratum's N: a cell counts (n / (n - 1)) / (N / (N - 1))."""
    unit, stratum = np.array([1, 1, 0, 0, 2, 2, 3, 4, 5]), np.array([0, 0, 1, 1, 1, 1, 0, 1, 0])
    known = np.ones((3, 9), dtype=bool)
    known[1, [2, 3]] = False  # a unit of the second stratum
    known[2, 4] = False  # a part of one
    factors = _few_units(known, unit, stratum)
    for system, topic in np.ndindex(known.shape):
        own = stratum == stratum[topic]
        n, every = (max(len({*unit[own & seen]}), 2) for seen in (known[system], np.ones(9, dtype=bool)))
        assert factors[system, topic] == pytest.approx(np.sqrt((n / (n - 1)) / (every / (every - 1))))
    assert factors[1, 4] == pytest.approx(np.sqrt(4 / 3))


def test_chains_of_topics_link():
    """Systems that share nothing are joined by a third, and one alone by nobody."""
    known = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 1]], dtype=bool)
    assert linked(known).tolist() == [True, True, True, False]


def test_two_systems_have_their_means_over_what_both_have():
    """Of (.1, nothing, .3) and (.2, .9, .6) those on the first and last topic: .2 and .4, as far apart as the pair."""
    values = np.array([[0.1, np.nan, 0.3], [0.2, 0.9, 0.6]])
    fit = two_way(values, np.ones(3), np.zeros(3, dtype=np.int64))
    np.testing.assert_allclose(fit.means, [0.2, 0.4])
    np.testing.assert_allclose(fit.influence / 3, np.array([[-0.1, 0.0, 0.1], [-0.2, 0.0, 0.2]]) / 2, atol=1e-12)
    np.testing.assert_allclose(two_way(values, np.array([1.0, 5.0, 3.0])).means, [0.25, 0.5])
