"""Draws of the true means: the pull of the noise, and what they are drawn towards."""

import numpy as np
import pytest
from scipy.stats import chi2

from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.resampling.true_means import Posterior, _Noise, _pull, posterior_of_means
from metaeval.table.scores import as_scores


def draws_of(values, n_draws=2000):
    """Return draws of the true means of these scores, and the means seen."""
    units = residuals_of_units(as_scores(values))
    every = np.arange(len(values))
    blocks = posterior_of_means(units, 0, every, every).draws(n_draws, np.random.default_rng(2))
    return np.concatenate(list(blocks)), units.oriented[0]


@pytest.mark.parametrize("shape", [(4, 30), (12, 8)])
def test_pull_is_that_of_chen_and_others(shape):
    """Their equation 23 in its own letters: p variables, n observations, S the sample's covariance."""
    made = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[0] + 1)[:, None]
    p, n = shape
    s = made @ made.T / n
    trace = np.trace(s)
    above = (1 - 2 / p) * np.trace(s @ s) + trace**2
    expected = min(1.0, above / ((n + 1 - 2 / p) * (np.trace(s @ s) - trace**2 / p)))
    assert _pull(s, n) == _pull(4.0 * s, n) == pytest.approx(expected)


def test_one_direction_and_one_error_are_pulled_all_the_way():
    """Two topics show one direction of the noise, and say nothing of the others."""
    error = np.array([1.0, -2.0, 0.5])
    assert _pull(np.outer(error, error), 1) == _pull(np.array([[2.0]]), 30) == _pull(np.eye(3), 30) == 1.0


def test_draws_are_about_the_shrunken_means():
    """Little noise: the means seen. Much noise and no differences: all nearly the same."""
    generator = np.random.default_rng(1)
    draws, means = draws_of(np.array([[0.0], [1.0], [3.0]]) + 0.01 * generator.normal(size=(3, 50)))
    np.testing.assert_allclose(draws.mean(axis=0), means, atol=0.001)
    draws, means = draws_of(generator.normal(size=(12, 40)))
    assert draws.mean(axis=0).std() < 0.8 * means.std()
    np.testing.assert_allclose(draws.mean(axis=1), means.mean())


def test_draws_come_in_mirrored_pairs_and_as_many_as_asked():
    """Of an odd number one more; where nothing is seen a pair exchanges what two systems have."""
    assert len(draws_of(np.random.default_rng(3).normal(size=(4, 20)), 7)[0]) == 8
    ties, _ = draws_of(np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]), 100)
    np.testing.assert_allclose(ties[:50], ties[50:, ::-1])


def seen(*observed, variance=1.0, alike=False):
    """Return a posterior whose noise has this variance along every axis."""
    size = len(observed)
    noise = _Noise(np.eye(size + 1)[:, :size], np.broadcast_to(np.asarray(variance, dtype=float), size), 12.0)
    return Posterior(3.0, np.array(observed), noise, np.arange(size + 1), alike)


@pytest.mark.parametrize("observed", [(0.3, -0.2), (2.0, 1.0, -3.0, 0.5), (9.0,)])
def test_laws_are_those_of_sums(observed):
    """Scales are f / chi-square; the share of noise u has the density of the formula, by sums over a grid."""
    places = (np.arange(400) + 0.5) / 400
    scale, share = seen(*observed).laws(np.array(np.meshgrid(places, places, indexing="ij")).reshape(2, -1))
    np.testing.assert_allclose(np.sort(np.unique(scale)), np.sort(12.0 / chi2.ppf(places, 12.0)))
    root = (np.arange(200_000) + 0.5) / 200_000  # of u, whose density has a pole
    square, size = np.square(observed).sum(), len(observed)
    for number in (0, 200, 399):
        own, found = scale.reshape(400, 400)[number, 0], share.reshape(400, 400)[number]
        density = root ** (size - 1) * np.exp(-0.5 * square * root**2 / own)  # 1 / u times that of what is seen
        cumulated = np.cumsum(density) / density.sum()
        np.testing.assert_allclose(np.interp(found, root**2, cumulated), places, atol=0.004)


def test_laws_of_many_systems_at_the_ends():
    """Nothing seen and far more than noise, where the gamma law has no digits left."""
    chance = np.array([[0.5, 0.5, 0.5], [0.01, 0.5, 0.99]])
    for observed in (np.zeros(1), np.zeros(3000), np.full(3000, 1e-3)):
        share = seen(*observed).laws(chance)[1]
        np.testing.assert_allclose(share, chance[1] ** (2.0 / len(observed)), rtol=1e-2)
    assert (seen(*np.full(3000, 1e150)).laws(chance)[1] < 1e-290).all()


def test_one_variance_of_true_means_is_the_same_law_where_noise_is_equal():
    """Systems of equal errors: along every axis the share that the formula has, at any chance."""
    chances = np.random.default_rng(0).random((2, 50))
    for observed in ((0.3, -0.2), (2.0, 1.0, -3.0, 0.5), (0.0,), (30.0, 40.0)):
        (scale, share), (same, shares) = (seen(*observed, alike=one).laws(chances) for one in (False, True))
        np.testing.assert_array_equal(scale, same)
        np.testing.assert_allclose(shares, np.broadcast_to(share[:, None], shares.shape), rtol=0.03, atol=1e-4)


def test_one_variance_of_true_means_under_unequal_noise():
    """Noisy axes are drawn further: moments against sums over the variance of the true means and their scale."""
    observed, variance = np.array([1.0, -2.0, 3.0]), np.array([0.1, 1.0, 20.0])
    number = np.arange(4000)
    chances = np.stack([(number + 0.5) / 4000, (number + 0.5) * 0.6180339887 % 1])
    share = seen(*observed, variance=variance, alike=True).laws(chances)[1]
    level, found = variance.mean(), []
    for own in 12.0 / chi2.ppf((np.arange(100) + 0.5) / 100, 12.0):
        noise = np.exp(-(np.arange(6000) + 0.5) / 200)  # share that noise of mean variance has: flat in its logarithm
        total = own * (variance[:, None] + level * (1 / noise - 1))
        density = np.exp(-0.5 * (np.log(total) + observed[:, None] ** 2 / total).sum(axis=0))
        found.append((own * variance[:, None] / total) @ density / density.sum())
    np.testing.assert_allclose(share.mean(axis=0), np.mean(found, axis=0), rtol=0.02)
    assert (np.diff(share, axis=1) > 0).all()


@pytest.mark.parametrize("alike", [False, True])
def test_draws_use_every_law_once(alike):
    """Pairs of draws are spread evenly: means and variances are those of the laws to a few per cent."""
    posterior = seen(1.0, -2.0, 0.5, alike=alike)
    draws = np.concatenate(list(posterior.draws(40_000, np.random.default_rng(0)))) - 3.0
    scale, share = posterior.laws(np.random.default_rng(1).random((2, 20_000)))
    share, scale = share.reshape(len(scale), -1), scale[:, None]
    np.testing.assert_allclose(draws.mean(axis=0)[:3], (1 - share).mean(axis=0) * posterior.observed, atol=0.02)
    spread = ((1 - share) * scale).mean(axis=0) + np.var(1 - share, axis=0) * posterior.observed**2
    np.testing.assert_allclose(draws.var(axis=0)[:3], spread, rtol=0.04)


def test_equal_means_leave_the_scale_of_the_noise():
    """Where nothing is seen, the true means may still differ, by as much as the noise hides."""
    values = np.zeros((2, 50))
    values[0, :20] = values[1, 10:30] = 1.0
    draws, means = draws_of(values)
    assert means[0] == means[1]
    error = (values[0] - values[1]).std(ddof=1) / np.sqrt(50)
    assert 0.2 * error < np.diff(draws, axis=1).std() < error
