"""Draws of the true means: the pull of the noise, and what they are drawn towards."""

import numpy as np
import pytest

from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.resampling.true_means import Posterior, _pull, posterior_of_means
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


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_every_law_gets_its_share_of_the_draws(share):
    """To one pair of draws: under the first law nothing is noisy, under the last each draw is its own."""
    laws = Posterior(
        centre=3.0,
        axes=np.eye(2),
        observed=np.zeros(2),
        noise=np.ones(2),
        signal=np.ones((1, 1, 2)),
        scale=np.array([0.0, 1.0]),
        share=np.array([1 - share, share]).reshape(2, 1, 1),
        order=np.arange(2),
    )
    draws = np.concatenate(list(laws.draws(400, np.random.default_rng(0))))
    assert draws.shape == (400, 2)
    assert abs((draws != 3.0).all(axis=1).sum() - 400 * share) <= 2


def test_equal_means_leave_the_scale_of_the_noise():
    """Where nothing is seen, the true means may still differ, by as much as the noise hides."""
    values = np.zeros((2, 50))
    values[0, :20] = values[1, 10:30] = 1.0
    draws, means = draws_of(values)
    assert means[0] == means[1]
    error = (values[0] - values[1]).std(ddof=1) / np.sqrt(50)
    assert 0.2 * error < np.diff(draws, axis=1).std() < error
