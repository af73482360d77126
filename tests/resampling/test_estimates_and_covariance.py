"""Ranks from estimates and their covariance: equal to ranks from scores that have it, laws, and degenerate input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.errors import InvalidOptionError
from metaeval.resampling.estimates_and_covariance import rank_intervals_from_covariance
from metaeval.resampling.ranks import rank_intervals


def test_ranks_are_those_of_scores_with_this_covariance():
    """Means of topics, their covariance and their degrees of freedom say what the scores say, up to other draws."""
    values = np.random.default_rng(1).normal(np.linspace(0, 1, 6)[:, None], 0.8, (6, 40))
    values += np.random.default_rng(2).normal(size=40)
    scores = rank_intervals(as_scores(values), rng=1).data
    found = rank_intervals_from_covariance(values.mean(axis=1), np.cov(values) / 40, freedom=39, rng=1).data
    np.testing.assert_allclose(found["p_better"], scores["p_better"], atol=0.02)
    assert np.abs(found["rank_low"].to_numpy() - scores["rank_low"].to_numpy()).max() <= 1
    np.testing.assert_allclose(found["statistic"], scores["statistic"], rtol=1e-9)


def test_a_common_error_is_none():
    """What all systems share changes no difference."""
    estimates, square = [0.3, 0.2, 0.0], np.diag([0.01, 0.02, 0.01])
    one, other = (rank_intervals_from_covariance(estimates, square + more, rng=2).data for more in (0.0, 5.0))
    np.testing.assert_allclose(one["statistic"], other["statistic"], rtol=1e-9)
    np.testing.assert_allclose(one["p_better"], other["p_better"], atol=0.03)


def test_the_order_of_systems_does_not_matter():
    """Turned about, the same ranks."""
    estimates, square = np.array([0.3, 0.25, 0.0, 0.1]), np.diag([0.01, 0.02, 0.01, 0.005])
    one = rank_intervals_from_covariance(estimates, square, systems=list("abcd"), rng=3).to_frame()
    other = rank_intervals_from_covariance(estimates[::-1], square[::-1, ::-1], systems=list("dcba"), rng=3).to_frame()
    columns = ["system", "rank_low", "rank_high", "p_best"]
    assert one[columns].equals(other[columns])


@given(st.integers(0, 2**32), st.integers(2, 6), st.floats(1, 1e6), st.floats(1e-3, 1e3))
@settings(max_examples=25)
def test_an_expected_covariance_is_a_shape(seed, n, freedom, size):
    """Its size, and an error that all systems share, change nothing."""
    generator = np.random.default_rng(seed)
    estimates, parts, expected = (generator.normal(size=shape) for shape in ((n,), (n, n + 1), (n, n + 1)))
    shape = expected @ expected.T
    options = {"freedom": freedom, "n_draws": 100, "rng": 1}
    one, other = (
        rank_intervals_from_covariance(estimates, parts @ parts.T, expected=given, **options).data
        for given in (shape, size * (shape + 0.5))
    )
    np.testing.assert_allclose(one["p_better"], other["p_better"], atol=0.021)
    assert one["rank_low"].equals(other["rank_low"])


def test_equal_errors_are_the_default():
    """Where systems are as equal and independent as expected, it does not matter that this was said."""
    estimates = np.random.default_rng(1).normal(size=8)
    one, other = (
        rank_intervals_from_covariance(estimates, np.eye(8) / 9, freedom=20, expected=given, rng=1).data["p_better"]
        for given in (None, np.eye(8))
    )
    np.testing.assert_allclose(one, other, atol=0.02)


def test_true_values_are_not_further_apart_for_larger_errors():
    """A system that hardly anybody voted on is drawn to the others, and does not draw those that many did."""
    estimates, errors = [3.0, 0.3, 0.0, -0.3], np.array([3.0, 0.03, 0.03, 0.03])
    found = rank_intervals_from_covariance(estimates, np.diag(errors**2), expected=np.diag(errors**2), rng=1)
    frame = found.to_frame().set_index("system")
    assert frame.loc["system1", ["rank_low", "rank_high"]].tolist() == [1, 4]
    assert frame.loc["system1", "p_best"] < 0.75
    assert found.data["significant"].to_numpy()[0].tolist() == [False] * 3 + [True] * 3


def test_few_clusters_leave_what_is_expected():
    """One cluster says nothing of single systems: that with the larger error expected has more ranks."""
    estimates = np.arange(6.0)[::-1]
    covariance = np.outer(*[np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])] * 2)
    expected = np.diag([1.0, 1.0, 100.0, 1.0, 1.0, 1.0])
    found, alike = (
        rank_intervals_from_covariance(estimates, covariance, freedom=1, expected=one, rng=1).data
        for one in (expected, None)
    )
    width, other = ((one["rank_high"] - one["rank_low"]).to_numpy()[0] for one in (found, alike))
    assert width.argmax() == 2
    assert width[2] >= other[2]
    assert width.sum() < other.sum()


def test_no_error_leaves_no_doubt():
    """Certain estimates have certain ranks, and equal ones share theirs."""
    found = rank_intervals_from_covariance([2.0, 1.0, 1.0], np.zeros((3, 3)), rng=1).data
    assert found["rank_low"].to_numpy().tolist() == [[1, 2, 2]]
    assert found["rank_high"].to_numpy().tolist() == [[1, 3, 3]]
    assert found["p_best"].to_numpy().tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("estimates", "covariance"),
    [([1.0], [[1.0]]), ([1.0, 2.0], np.eye(3)), ([1.0, np.nan], np.eye(2)), (1.0, np.eye(2))],
)
def test_what_is_no_covariance_is_refused(estimates, covariance):
    """One system, another shape, a gap."""
    with pytest.raises(InvalidOptionError, match="`estimates` must be"):
        rank_intervals_from_covariance(estimates, covariance)
    with pytest.raises(InvalidOptionError, match="`estimates` must be"):
        rank_intervals_from_covariance([1.0, 2.0], np.eye(2), expected=np.eye(3))
    with pytest.raises(InvalidOptionError, match="2 different names"):
        rank_intervals_from_covariance([1.0, 2.0], np.eye(2), systems=["a", "a"])
