r"""Means of systems where scores are missing: a score is what its system and its topic add up to, and an error.

With known cells K, topic weights w and :math:`x_{sj} = \alpha_s + \beta_j + e_{sj}`, least squares weighted by w gives
the mean of a system over all topics, :math:`\alpha_s + \sum_j w_j \beta_j / \sum_j w_j`. It is the weighted sum of all
differences of pairs on the topics that they share which agrees best with each of them. Where nothing is missing it is
the plain mean. Two systems alone are compared on the topics that both have, so their means are over these: the sum over
j is, too, for others know no difference. All sums are products of matrices over systems and topics.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.running.parallel import in_one_order

type Floats = NDArray[np.float64]
type Whole = NDArray[np.int64]
_PAIR = 2


class TwoWay(NamedTuple):
    """The fit of one metric's table."""

    means: Floats
    """Weighted mean of what system and topic add up to, over all topics; of two systems over those that both have.
    Shape (system,)."""
    topics: Floats
    """What a topic adds to a system's mean, 0 where nobody has it. Shape (topic,)."""
    influence: Floats
    """What a topic adds to the error of a mean, times the weight of all topics: where nothing is missing the distance
    from the mean, times the topic's weight. Shape (system, topic)."""


@in_one_order
def linked(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which systems are joined to the first by topics that they share, and by those of others. Shape (system,).

    Examples
    --------
    >>> linked(np.array([[True, True, False], [False, True, False], [False, False, True]])).tolist()
    [True, True, False]
    """
    there = known.astype(np.float64)
    reached = np.arange(len(known)) == 0
    while True:
        more = reached | (there @ (reached @ there > 0) > 0)
        if (more == reached).all():
            return reached
        reached = more


@in_one_order
def two_way(values: Floats, weights: Floats, unit: Whole | None = None, stratum: Whole | None = None) -> TwoWay:
    """Fit systems and topics to a table (system, topic) with gaps whose systems are all `linked`.

    The influences of a system that has g of G units (of a stratum) are larger by the root of g / (g - 1) over
    G / (G - 1): that of all units is left to whoever sums them up.

    Examples
    --------
    >>> found = two_way(np.array([[0.2, 0.4, 0.9], [0.1, 0.3, np.nan], [0.3, 0.5, 1.0]]), np.ones(3))
    >>> found.means.round(3).tolist(), found.topics.round(3).tolist()
    ([0.5, 0.4, 0.6], [-0.3, -0.1, 0.4])
    """
    observed = np.isfinite(values)
    there, filled = observed.astype(np.float64), np.where(observed, values, 0.0)
    number = there.sum(axis=0)
    weights = np.where(number > 0, weights, 0.0)
    over = np.where(number == _PAIR, weights, 0.0) if len(values) == _PAIR else weights
    total, share, number = float(weights.sum()), over / over.sum(), np.maximum(number, 1.0)
    centre = filled.sum(axis=0) / number
    apart = there * (filled - centre)
    information = np.diag(there @ weights) - (there * (weights / number)) @ there.T
    level = float(information.trace()) / len(values) ** 2
    inverse = np.linalg.inv(information + level) - 1.0 / (level * len(values) ** 2)
    systems = inverse @ (apart @ weights)
    topics = np.where(weights > 0, centre - (systems @ there) / number, 0.0)
    middle = float(topics @ share)
    error = there * (apart + (systems @ there) / number - systems[:, None]) * weights
    direct = inverse @ (error * _few_units(observed, unit, stratum))
    influence = total * (share * (topics - middle) + direct - (there @ (share / number)) @ direct)
    return TwoWay(systems + middle, topics - middle, influence)


def _few_units(known: NDArray[np.bool_], unit: Whole | None, stratum: Whole | None) -> Floats:
    """Return the factor of every cell's influence for the few units that its system has, (system, topic)."""
    n_topics = known.shape[1]
    unit = np.arange(n_topics) if unit is None else unit
    first = np.unique(unit, return_index=True)[1]
    n_observed = np.zeros((len(known), len(first)))
    np.add.at(n_observed.T, unit, known.T.astype(np.float64))
    of_unit = np.zeros(len(first), dtype=np.int64) if stratum is None else stratum[first]
    strata = (of_unit[:, None] == np.arange(of_unit.max() + 1)).astype(np.float64)
    n_units, every = np.maximum((n_observed > 0) @ strata, 2.0), np.maximum(strata.sum(axis=0), 2.0)
    return np.sqrt(n_units / (n_units - 1.0) / (every / (every - 1.0)))[:, of_unit[unit]]
