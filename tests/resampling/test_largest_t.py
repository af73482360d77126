"""The largest studentised difference: how the work is cut changes nothing."""

import numpy as np
import pytest

from metaeval.resampling import largest_t
from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.table.scores import as_scores
from metaeval.tests_stat.pairs import all_pairs

VALUES = np.random.default_rng(1).normal(size=(2, 7, 20))


def largest(*, each_system=True, n_resamples=300):
    units = residuals_of_units(as_scores(VALUES))
    pairs = all_pairs(7)
    squares = largest_t.squared_deviations(units, *pairs)
    return largest_t.largest_t(
        units,
        [pairs, pairs],
        list(squares),
        each_system=each_system,
        n_resamples=n_resamples,
        generator=np.random.default_rng(2),
    )


@pytest.mark.parametrize(("name", "value"), [("_TILE", 4), ("_BLOCK", 17)])
def test_tiles_and_blocks_change_nothing(monkeypatch, name, value):
    """Pairs and resamples at a time bound memory alone."""
    expected = largest()
    monkeypatch.setattr(largest_t, name, value)
    np.testing.assert_allclose(largest(), expected, rtol=1e-12)


def test_the_largest_of_all_is_the_largest_of_each():
    """One maximum for all systems is over those of every system."""
    np.testing.assert_allclose(largest(each_system=False)[:, 0], largest().max(axis=1))


def test_squares_are_those_of_the_t_test():
    """Q over the number of topics squared is the squared standard error of a paired difference."""
    units = residuals_of_units(as_scores(VALUES))
    first, second = all_pairs(7)
    expected = (VALUES[0, first] - VALUES[0, second]).var(axis=1, ddof=1) / 20
    np.testing.assert_allclose(largest_t.squared_deviations(units, first, second)[0] / 20**2, expected)
