"""Intervals of agreement, of judges or with people, also where the units that were drawn do not differ at all.

Where every unit (topic, or item) says the same, resamples do not vary, and no interval has no width: among n units
without an exception a share of :math:`1 - (a/2)^{1/n}` may still be exceptions (Clopper and Pearson), so the ends are
where the statistic would be if that share of the units were the worst, or the best, that units can be.
"""

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import t_half_width
from metaeval.running.equality import RELATIVE

_FEWEST = 2


def reach(n_units: Ints, confidence_level: float) -> Floats:
    """Return what multiplies a standard deviation over resamples; NaN for one unit, which tells of no other."""
    return t_half_width(np.sqrt(n_units / np.maximum(n_units - 1, 1)), n_units, confidence_level)


def left_out_spread(values: Floats, times: Floats) -> float:
    """Return what `reach` multiplies, from the values without one unit of each kind, of which there are so many.

    Examples
    --------
    >>> units = np.array([1.0, 2.0, 3.0, 3.0])
    >>> without = (units.sum() - np.unique(units)) / 3
    >>> round(float(left_out_spread(without, np.array([1.0, 1.0, 2.0])) / (units.std() / 2)), 9)
    1.0
    """
    observed, n = np.isfinite(values), times.sum()
    values, times = values[observed], times[observed]
    if times.sum() < _FEWEST:
        return float("nan")
    middle = (times @ values) / times.sum()
    return float((n - 1.0) * np.sqrt(times @ (values - middle) ** 2 / times.sum() / n))


def ends_of(  # noqa: PLR0913, PLR0917 - a statistic, its units and its range
    value: Floats, half: Floats, n_units: Ints, least: Floats, most: Floats, confidence_level: float
) -> tuple[Floats, Floats]:
    """Return both ends of the intervals of a statistic, cut to its range; none has no width.

    `least` and `most` are what it is where every unit is as bad, or as good, as one can be.

    Examples
    --------
    >>> one, ten = np.array([1.0]), np.array([10])
    >>> [end.round(3).tolist() for end in ends_of(one, 0.0 * one, ten, 0.0 * one, one, 0.95)]
    [[0.692], [1.0]]
    """
    same = (half <= RELATIVE * (1.0 + np.abs(value))) & (n_units >= _FEWEST) & (most > least)
    others = 1.0 - ((1.0 - confidence_level) / 2.0) ** (1.0 / np.maximum(n_units, 1))
    low = np.where(same, value - others * (value - least), value - half)
    high = np.where(same, value + others * (most - value), value + half)
    flat = (n_units >= _FEWEST) & ~(most > least)  # nothing that could differ
    return np.where(flat, np.nan, np.maximum(low, least)), np.where(flat, np.nan, np.minimum(high, most))
