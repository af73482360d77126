"""In which order systems and units take their random numbers: one that their data decide, not where they stand.

A random number that belongs to a row of a table gives another answer when the rows are exchanged. Here it belongs to a
place in an order made from means and residuals. Systems that are equal in all that decides their place can be exchanged
without changing anything that a model sees, so that they share what is found for them.
"""

from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.running.equality import settle

type Whole = Ints

_ROUNDING = 1e3
"""Sizes of the numbers that decide: sums of products, which a matrix product may add up in any order."""


class SystemPlaces(NamedTuple):
    """Where the systems come in an order that their data decide."""

    order: Whole
    """The system in every place. Those that can be exchanged keep the order of the rows. Shape (place,)."""
    group: Whole
    """One number for systems that can be exchanged. Shape (system,)."""

    def shared(self, values: Floats) -> Floats:
        """Return the mean of every group for each of its systems, (..., system)."""
        number = np.bincount(self.group)
        rows = values.reshape(-1, values.shape[-1])
        sums = np.array([np.bincount(self.group, row) for row in rows])
        return (sums / number)[:, self.group].reshape(values.shape)


def places_of_systems(means: Floats, residual: Floats) -> SystemPlaces:
    """Order systems by mean, then by how their errors vary, alone and with those of others.

    Shapes: `means` (system,), `residual` (system, unit).

    Examples
    --------
    >>> scores = np.array([[1.0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    >>> means = scores.mean(axis=1)
    >>> order, group = places_of_systems(means, scores - means[:, None])
    >>> order.tolist(), group.tolist()
    ([2, 0, 1], [1, 2, 0])
    """
    inner = residual - residual.mean(axis=0)
    covariance = inner @ inner.T
    level = max(float(np.trace(covariance)) / len(means), np.finfo(float).tiny)
    covariance /= level
    apart = (means - means.mean()) / max(float(np.abs(means - means.mean()).max()), np.finfo(float).tiny)
    others = covariance @ covariance
    sums = (covariance.diagonal(), others.diagonal(), covariance @ apart, others @ apart, (covariance**3).sum(axis=1))
    keys = [apart, *(settle(key, np.full(len(key), _ROUNDING * np.abs(key).max())) for key in sums)]
    ranks = np.array([np.unique(key, return_inverse=True)[1] for key in keys])
    return SystemPlaces(np.lexsort(ranks[::-1]), np.unique(ranks, axis=1, return_inverse=True)[1].ravel())


def places_of_units(residual: Floats, sizes: Floats, order: Whole, stratum: Whole) -> Whole:
    """Return the unit in every place of an order by stratum, size, and the errors of the systems one after the other.

    Shapes: `residual` (system, unit), `sizes` (unit,), `order` (place,), `stratum` (unit,).

    Examples
    --------
    >>> places_of_units(np.array([[1.0, -1.0, 0.0]]), np.ones(3), np.array([0]), np.zeros(3)).tolist()
    [1, 2, 0]
    """
    keys = settle(residual.ravel(), np.full(residual.size, np.abs(residual).max() * _ROUNDING)).reshape(residual.shape)
    return np.lexsort([*keys[order[::-1]], sizes, stratum])
