"""What is resampled: topics, clusters, topics within strata."""

import numpy as np
import pytest

from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.table.scores import as_scores

VALUES = np.random.default_rng(0).random((2, 3, 24))


def test_topics_are_units_of_one():
    """Without coordinates the residuals are scores less their mean."""
    units = residuals_of_units(as_scores(VALUES))
    np.testing.assert_allclose(units.residual, VALUES - VALUES.mean(axis=2, keepdims=True))
    np.testing.assert_allclose(units.inflation, 24 / 23)
    assert (units.kind, set(units.sizes)) == ("topic", {1.0})


def test_weighted_clusters_are_sums():
    """A ratio: sums of weighted scores over sums of weights, residuals that add up to 0."""
    names, weights = np.array([f"c{one % 11:02}" for one in range(24)]), np.linspace(0.5, 2.0, 24)
    scores = as_scores(VALUES).assign_coords(cluster=("topic", names), weight=("topic", weights))
    units = residuals_of_units(scores)
    means = (VALUES * weights).sum(axis=2) / weights.sum()
    np.testing.assert_allclose(units.means, means)
    np.testing.assert_allclose(units.residual.sum(axis=2), 0.0, atol=1e-12)
    inside = names == "c03"
    expected = (VALUES * weights)[:, :, inside].sum(axis=2) - means * weights[inside].sum()
    np.testing.assert_allclose(units.residual[:, :, 3], expected)
    assert units.sizes[3] == pytest.approx(weights[inside].sum())


def test_lower_is_better_is_turned():
    """Means stay in the metric's own direction."""
    units = residuals_of_units(as_scores(VALUES, higher_is_better=False))
    np.testing.assert_allclose(units.means, VALUES.mean(axis=2))
    np.testing.assert_allclose(units.oriented, -VALUES.mean(axis=2))


def test_strata_are_drawn_each_by_itself():
    """Every resample holds as many topics of a stratum as there are; topics stay where they stood."""
    strata = np.array(list("abcb" * 6))
    units = residuals_of_units(as_scores(VALUES).assign_coords(stratum=("topic", strata)))
    (counts,) = units.topics.counts(np.random.default_rng(3), 50)
    for name, number in (("a", 6), ("b", 12), ("c", 6)):
        np.testing.assert_array_equal(counts[strata == name].sum(axis=0), number)
    centred = units.residual[0, 0][strata == "b"]
    np.testing.assert_allclose(centred, VALUES[0, 0][strata == "b"] - VALUES[0, 0][strata == "b"].mean())
