"""Orders that data decide: laws of permutations and units."""

import numpy as np
import pytest

from metaeval.resampling.exchangeable import places_of_systems, places_of_units
from metaeval.running.equality import settled_means

EQUAL = np.array([[1, 1, 0, 0, 0, 0.0], [0, 0, 1, 1, 0, 0], [0, 1, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0]])
BOARDS = {"drawn": np.random.default_rng(0).normal(size=(6, 9)), "0/1, with a copy": EQUAL}


def residuals(values):
    """Return what the orders are made from."""
    return values.mean(axis=1), values - values.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("values", BOARDS.values(), ids=list(BOARDS))
@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_the_order_follows_the_data(values, unit):
    """Rows and columns permuted, and the unit of the scores, leave every system and topic its place."""
    generator = np.random.default_rng(1)
    rows, columns = (generator.permutation(n) for n in values.shape)
    one, other = places_of_systems(*residuals(values)), places_of_systems(*residuals(unit * values[rows][:, columns]))
    np.testing.assert_array_equal(one.group[rows][other.order], one.group[one.order])
    for moved, places in ((values, one), (values[rows][:, columns], other)):
        taken = places_of_units(residuals(moved)[1], np.ones(moved.shape[1]), places.order, np.zeros(moved.shape[1]))
        laid = moved[places.order][:, taken]
        np.testing.assert_allclose(laid, values[one.order][:, _taken(values, one)])


def _taken(values, places):
    n = values.shape[1]
    return places_of_units(residuals(values)[1], np.ones(n), places.order, np.zeros(n))


def test_systems_that_can_be_exchanged_share():
    """Copies are of one group, others of their own; what is found is shared within."""
    places = places_of_systems(*residuals(EQUAL))
    assert places.group[0] == places.group[3]
    assert len(set(places.group.tolist())) == 3
    shared = places.shared(np.array([[4.0, 1.0, 2.0, 0.0]]))
    assert shared.tolist() == [[2.0, 1.0, 2.0, 2.0]]


@pytest.mark.parametrize("seed", range(5))
def test_systems_that_change_places_with_the_topics_share(seed):
    """One's topics in another order are the other's, and a third's its own; in binary their sums differ."""
    drawn = np.random.default_rng(seed).integers(0, 11, (3, 6)) / 10
    one, third = np.concatenate([drawn[0], drawn[1]]), np.tile(drawn[2], 2)
    values = np.stack([one, third, np.roll(one, 6)])
    places = places_of_systems(settled_means(values), residuals(values)[1])
    assert places.group[0] == places.group[2] != places.group[1]


def test_strata_stay_together():
    """Topics are ordered inside their stratum, larger units last."""
    residual = np.array([[3.0, 1.0, 2.0, 0.0]])
    taken = places_of_units(residual, np.array([1.0, 1.0, 1.0, 5.0]), np.array([0]), np.array([1, 0, 1, 0]))
    assert taken.tolist() == [1, 3, 2, 0]
