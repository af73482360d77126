"""Expected error rates: SciPy's normal law pair by pair, simulated topic sets, and the laws of rates."""

from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from threadpoolctl import threadpool_limits

from metaeval.models.expected_rates import SIZES, _normal, expected_rates
from metaeval.models.true_differences import Differences

FEW = np.flatnonzero(SIZES <= 10_000)


def drawn_at(seed, *, n_draws=3, n_systems=6, level=0.4, noise=0.15, quiet=0):
    """Draws of differences about some level; some pairs may be without noise."""
    generator = np.random.default_rng(seed)
    pairs = list(combinations(range(n_systems), 2))
    levels = level + 0.05 * generator.normal(size=(n_draws, n_systems))
    value = np.stack([levels[:, a] - levels[:, b] for a, b in pairs], axis=1) * generator.uniform(0.5, 1, len(pairs))
    own = noise**2 * generator.uniform(1, 2, (n_draws, n_systems))
    shared = generator.uniform(-0.2, 0.8, len(pairs))
    first, second = (own[:, list(ones)] for ones in zip(*pairs, strict=True))
    logs = np.log(first + second - 2 * shared * np.sqrt(first * second))
    logs[:, :quiet] = -np.inf
    return Differences(value, logs, levels, own, len(pairs))


def literal_rates(drawn, tolerances, *, relative):
    """Return the rates pair by pair: both systems win by the tolerance, means normal over topic sets."""
    n_draws, n_systems = drawn.level.shape
    found = np.zeros((n_draws, len(tolerances), len(SIZES)))
    for draw in range(n_draws):
        for place, tolerance in enumerate(tolerances):
            for size_place, size in enumerate(SIZES):
                for pair, (a, b) in enumerate(combinations(range(n_systems), 2)):
                    if drawn.log_variance[draw, pair] == -np.inf:
                        continue
                    middle = (drawn.level[draw, a] + drawn.level[draw, b]) / 2
                    mean = {a: middle + drawn.value[draw, pair] / 2, b: middle - drawn.value[draw, pair] / 2}
                    own = {a: drawn.own[draw, a], b: drawn.own[draw, b]}
                    shared = (own[a] + own[b] - np.exp(drawn.log_variance[draw, pair])) / 2
                    both = 2.0
                    for winner, loser in ((a, b), (b, a)):
                        keep, lead = (1 - tolerance, 0.0) if relative else (1.0, tolerance)
                        variance = keep**2 * own[winner] + own[loser] - 2 * keep * shared
                        gap = keep * mean[winner] - mean[loser] - lead
                        both *= stats.norm.sf(0.0, loc=gap, scale=np.sqrt(variance / size))
                    found[draw, place, size_place] += both
    return found / drawn.compared


@pytest.mark.parametrize("relative", [True, False])
def test_rates_are_scipys_pair_by_pair(relative):
    """At tolerance 0 and above, relative and absolute, pairs without noise among them."""
    drawn, tolerances = drawn_at(0, quiet=2), np.array([0.0, 0.02, 0.1])
    found = expected_rates(drawn, tolerances, relative=relative)
    expected = literal_rates(drawn, tolerances, relative=relative)
    np.testing.assert_allclose(found[..., FEW], expected[..., FEW], atol=1e-4)
    np.testing.assert_allclose(found, expected, atol=5e-4)
    clear = expected[:, 1:] > 1e-6
    np.testing.assert_allclose(found[:, 1:][clear], expected[:, 1:][clear], rtol=3e-4)


def test_normal_differences_have_the_arctangent_rate():
    """Over many pairs with normal u the rate at tolerance 0 is arccos(n κ² / (1 + n κ²)) / π, known exactly."""
    kappa, n_systems = 0.3, 150
    n_pairs = n_systems * (n_systems - 1) // 2
    u = kappa * stats.norm.ppf((np.arange(n_pairs) + 0.5) / n_pairs)[None]
    drawn = Differences(u, np.zeros_like(u), np.zeros((1, n_systems)), np.ones((1, n_systems)), n_pairs)
    found = expected_rates(drawn, np.array([0.0]), relative=False)[0, 0]
    expected = np.arccos(SIZES * kappa**2 / (1 + SIZES * kappa**2)) / np.pi
    np.testing.assert_allclose(found[FEW], expected[FEW], rtol=1e-4)


@pytest.mark.parametrize("relative", [True, False])
def test_rates_are_those_of_simulated_topic_sets(relative):
    """Two systems with normal scores, two sets of seven topics drawn half a million times."""
    generator = np.random.default_rng(1)
    mean, covariance, tolerance, size = np.array([0.5, 0.45]), np.array([[0.04, 0.015], [0.015, 0.02]]), 0.08, SIZES[5]
    sets = generator.multivariate_normal(mean, covariance / size, (500_000, 2))
    unit = sets.max(axis=2) if relative else 1.0
    gap = sets[..., 0] - sets[..., 1]
    winner = np.where(np.abs(gap) >= tolerance * unit, np.sign(gap), 0)
    expected = (winner.prod(axis=1) < 0).mean()
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    drawn = Differences(
        np.array([[0.05]]), np.array([[np.log(variance)]]), mean[None], np.diag(covariance)[None].copy(), 1
    )
    found = expected_rates(drawn, np.array([tolerance]), relative=relative)[0, 0, 5]
    assert abs(found - expected) < 4 * np.sqrt(expected / 500_000)


@given(st.floats(-7.9, 7.9))
def test_the_normal_table_is_scipys(x):
    """To a ten-thousandth wherever a rate could notice."""
    assert _normal(x) == pytest.approx(stats.norm.cdf(x), rel=1e-4)


@given(st.integers(0, 1000), st.sampled_from([0.1, 10.0, 1000.0, 1e-9, 1e9]))
def test_the_unit_of_the_scores_does_not_matter(seed, factor):
    """Relative tolerances stay, absolute ones scale with the scores."""
    drawn, tolerances = drawn_at(seed, n_draws=1), np.array([0.0, 0.05, 0.2])
    scaled = Differences(
        factor * drawn.value, drawn.log_variance + 2 * np.log(factor), factor * drawn.level, factor**2 * drawn.own, 15
    )
    for relative, levels in ((True, tolerances), (False, factor * tolerances)):
        np.testing.assert_allclose(
            expected_rates(scaled, levels, relative=relative),
            expected_rates(drawn, tolerances, relative=relative),
            rtol=1e-6,
            atol=1e-14,
        )


@given(st.integers(0, 1000), st.floats(-3, 3))
def test_a_constant_added_matters_to_relative_leads_alone(seed, shift):
    """At tolerance 0, and with an absolute one, nothing depends on how high the scores are."""
    drawn, tolerances = drawn_at(seed, n_draws=1), np.array([0.0, 0.05])
    shifted = drawn._replace(level=drawn.level + shift)
    np.testing.assert_allclose(
        expected_rates(shifted, tolerances, relative=False),
        expected_rates(drawn, tolerances, relative=False),
        rtol=1e-9,
        atol=1e-15,
    )
    np.testing.assert_array_equal(
        expected_rates(shifted, tolerances[:1], relative=True), expected_rates(drawn, tolerances[:1], relative=True)
    )


@given(st.integers(0, 1000), st.sampled_from([0.4, 0.1, 0.02, -0.05]), st.booleans())
def test_more_is_never_worse(seed, level, relative):
    """No rate rises with the tolerance, or from any number of topics on, nor is one above a half, near zero too."""
    drawn = drawn_at(seed, n_draws=2, level=level)
    found = expected_rates(drawn, np.array([0.0, 1e-9, 0.05, 0.1, 0.3, 0.9]), relative=relative)
    assert (np.diff(found, axis=1) <= 0).all()
    assert found.min() >= 0
    assert found.max() <= 0.5 + 1e-12
    assert (np.diff(found[:, 0], axis=-1) <= 0).all()


@given(st.integers(0, 1000), st.booleans())
def test_what_else_is_asked_does_not_matter(seed, relative):
    """A tolerance by itself has the rates it has beside others."""
    drawn = drawn_at(seed, n_draws=1)
    beside = expected_rates(drawn, np.array([0.0, 0.05, 0.1]), relative=relative)
    for place, tolerance in enumerate((0.0, 0.05, 0.1)):
        alone = expected_rates(drawn, np.array([tolerance]), relative=relative)
        np.testing.assert_array_equal(alone[:, 0], beside[:, place])


def test_no_mean_is_below_zero_where_a_share_is_taken():
    """Draws of means below 0 count as 0 under a relative tolerance: the level is at least half the difference."""
    drawn = drawn_at(3, n_systems=2, level=-0.05)
    lifted = drawn._replace(level=np.broadcast_to(np.abs(drawn.value) / 2, drawn.level.shape).copy())
    rates = [expected_rates(one, np.array([0.1]), relative=True) for one in (drawn, lifted)]
    assert (drawn.level.mean(axis=1) < lifted.level[:, 0]).all()
    np.testing.assert_allclose(*rates, rtol=1e-9, atol=1e-15)
    assert rates[0].max() < expected_rates(drawn, np.array([0.0]), relative=True).max()


def test_only_pairs_that_differ_count():
    """A pair without noise never errs and is compared all the same, if it is said to be; equal systems are not."""
    plain = drawn_at(2, n_systems=3)
    known = plain._replace(log_variance=np.where(np.arange(3) == 1, -np.inf, plain.log_variance))
    tolerances = np.array([0.0, 0.05])
    rates = [expected_rates(one, tolerances, relative=False) for one in (plain, known, known._replace(compared=2))]
    alone = plain._replace(log_variance=np.where(np.arange(3) != 1, -np.inf, plain.log_variance))
    np.testing.assert_allclose(rates[0] - rates[1], expected_rates(alone, tolerances, relative=False), atol=1e-12)
    np.testing.assert_allclose(rates[2], 1.5 * rates[1], rtol=1e-12)


def test_systems_worlds_apart_never_err():
    """At any difference past all bins the rate is nothing, and at none it is a half."""
    one = np.array([[1e6]])
    drawn = Differences(one, np.zeros((1, 1)), np.zeros((1, 2)), np.ones((1, 2)), 1)
    assert expected_rates(drawn, np.array([0.0, 0.1]), relative=False).max() < 1e-12
    equal = drawn._replace(value=0 * one)
    np.testing.assert_allclose(expected_rates(equal, np.array([0.0]), relative=False), 0.5, atol=1e-3)


def test_rates_do_not_depend_on_the_threads_of_a_product():
    """To the last bit, with so many draws that a library would share the product out."""
    drawn, found = drawn_at(5, n_draws=60, n_systems=12), []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(expected_rates(drawn, np.array([0.0]), relative=False))
    np.testing.assert_array_equal(*found)
