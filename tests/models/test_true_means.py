"""Draws of the true means: the pull of the noise, and what they are drawn towards."""

import numpy as np
import pytest

from metaeval.models.true_means import _pull, draw_true_means
from metaeval.resampling.unit_residuals import residuals_of_units
from metaeval.scores import as_scores


@pytest.mark.parametrize("shape", [(4, 30), (12, 8)])
def test_pull_is_that_of_ledoit_and_wolf(shape):
    """Their b² over d², written out: distances from the sample's covariance, with few topics and with many."""
    made = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[0] + 1)[:, None]
    size, n = shape
    sample = made @ made.T / n
    target = np.trace(sample) / size * np.eye(size)
    away = ((sample - target) ** 2).sum()
    spread = sum(((np.outer(one, one) - sample) ** 2).sum() for one in made.T) / n**2
    assert _pull(made / n) == pytest.approx(min(1.0, spread / away))


def test_draws_are_about_the_shrunken_means():
    """Little noise: the means seen. Much noise and no differences: all nearly the same."""
    generator = np.random.default_rng(1)
    clear = residuals_of_units(as_scores(np.array([[0.0], [1.0], [3.0]]) + 0.01 * generator.normal(size=(3, 50))))
    (draws,) = draw_true_means(clear, [np.arange(3)], n_draws=400, generator=np.random.default_rng(2))
    np.testing.assert_allclose(draws.mean(axis=0), clear.oriented[0], atol=0.01)
    noise = residuals_of_units(as_scores(generator.normal(size=(12, 40))))
    (draws,) = draw_true_means(noise, [np.arange(12)], n_draws=400, generator=np.random.default_rng(2))
    assert draws.mean(axis=0).std() < 0.8 * noise.oriented[0].std()
    np.testing.assert_allclose(draws.mean(axis=1), noise.oriented[0].mean())
