"""Power of a two-sided t test from the non-central t distribution, and what it takes for a given power; for arrays."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtr, gammaln, ndtr, stdtrit

from metaeval.base.arrays import Floats

_REACH = 8.5  # standard deviations of a normal variable that are integrated over
_NODES = 64
_SMOOTH = 0.5  # of the two integrals the one over the spread is smooth where the spread moves the edge by less
_TOLERANCES = {"xatol": 1e-10, "xrtol": 1e-10, "fatol": 0.0, "frtol": 0.0}


def two_sided_power(shift: ArrayLike, freedom: ArrayLike, *, alpha: ArrayLike = 0.05) -> Floats:
    r"""Return the chance that a two-sided t test at level alpha finds something.

    Notes
    -----
    :math:`P(|T'| \ge c)` with c the critical value: an integral over the normal numerator or over the spread in the
    denominator of T', whichever is smooth, by Gauss's rule. It agrees with ``scipy.stats.nct`` and goes on where that
    has NaN (few degrees of freedom at a corrected level).

    Examples
    --------
    >>> two_sided_power([0.0, 2.8, 4.0], 40).round(4).tolist()
    [0.05, 0.78, 0.9739]
    """
    shift, freedom, alpha = _together(shift, freedom, alpha)
    chance = _beyond(np.abs(shift).ravel(), freedom.ravel(), _critical(freedom, alpha).ravel())
    return chance.reshape(shift.shape)


def detectable_shift(freedom: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.8) -> Floats:
    """Return the true mean over its standard error at which a two-sided t test has a given power.

    Examples
    --------
    >>> detectable_shift([9, 40, 1e6]).round(4).tolist()
    [3.1496, 2.8711, 2.8016]
    """
    freedom, alpha = _together(freedom, alpha)
    return _solved(freedom, _critical(freedom, alpha), power)


def _together(*arrays: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(array, dtype=np.float64) for array in arrays)))


def _critical(freedom: Floats, alpha: Floats) -> Floats:
    edge: Floats = -stdtrit(freedom, alpha / 2)
    return edge


def _solved(freedom: Floats, edge: Floats, chance: float) -> Floats:
    """Return the shift at which T' lies beyond the edge, in either direction, with this chance."""
    cases, inverse = np.unique(np.stack([freedom.ravel(), edge.ravel()]), axis=1, return_inverse=True)
    shifts = np.full(cases.shape[1], np.nan)
    finite = np.isfinite(cases).all(axis=0)
    shifts[finite] = _roots(cases[0, finite], cases[1, finite], chance)
    return shifts[inverse.ravel()].reshape(freedom.shape)


def _roots(freedom: Floats, edge: Floats, chance: float) -> Floats:
    """Solve by Chandrupatla's rule, between bounds that are doubled until the root lies inside."""
    from scipy.optimize.elementwise import find_root  # noqa: PLC0415 - only a plan needs it

    low = np.zeros_like(edge)
    high = edge + 2.0 * (1.0 + edge / np.sqrt(2.0 * freedom))
    while (short := _beyond(high, freedom, edge) < chance).any():
        low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)

    def off(at: Floats, freedom: Floats, edge: Floats) -> Floats:
        return _beyond(at, freedom, edge) - chance

    return np.asarray(find_root(off, (low, high), args=(freedom, edge), tolerances=_TOLERANCES).x)


def _beyond(shift: Floats, freedom: Floats, edge: Floats) -> Floats:
    """Return the chance that T' lies above the edge (above 0), or below its opposite."""
    chances = np.empty_like(shift)
    over_numerator = edge >= _SMOOTH * np.sqrt(2.0 * freedom)
    for chosen, integral in ((over_numerator, _over_numerator), (~over_numerator, _over_spread)):
        places = np.flatnonzero(chosen)
        for block in np.array_split(places, 1 + len(places) // 4096):
            chances[block] = integral(shift[block, None], freedom[block, None], edge[block, None])
    return chances


def _over_numerator(shift: Floats, freedom: Floats, edge: Floats) -> Floats:
    """Integrate P(spread <= y / edge) over the size y of the numerator."""
    low = np.maximum(0.0, shift - _REACH)
    width = np.maximum(shift + _REACH, 0.0) - low
    nodes, weights = _gauss()
    y = low + width * nodes
    density = np.exp(-((y - shift) ** 2) / 2) + np.exp(-((y + shift) ** 2) / 2)
    integral: Floats = (width * weights * density * chdtr(freedom, freedom * (y / edge) ** 2)).sum(axis=1)
    return integral / np.sqrt(2.0 * np.pi)


def _over_spread(shift: Floats, freedom: Floats, edge: Floats) -> Floats:
    """Integrate P(numerator >= edge u) over the spread u, the root of chi squared over its degrees of freedom."""
    reach = _REACH / np.sqrt(2.0 * freedom)
    low = np.maximum(0.0, 1.0 - reach)
    width = 1.0 + reach - low
    nodes, weights = _gauss()
    u = low + width * nodes
    log_density = (freedom - 1.0) * np.log(u) - freedom * u**2 / 2.0 + np.log(2.0)
    log_density += freedom / 2.0 * np.log(freedom / 2.0) - gammaln(freedom / 2.0)
    beyond = ndtr(shift - edge * u) + ndtr(-shift - edge * u)
    integral: Floats = (width * weights * np.exp(log_density) * beyond).sum(axis=1)
    return integral


@cache
def _gauss() -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss's rule on the interval from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1.0) / 2.0, weights / 2.0
