"""The one table of the shapes that the error rate may take as topics are added.

No shape is right for all data. An exponential is right for one pair of systems whose true difference is fixed; over
many pairs the close ones keep swapping long after the distant ones have settled, so the error falls more slowly.
The orthant curve follows from that picture: the pairs' true differences are normal with standard deviation a, and
a mean over z topics adds noise with variance c²/z.

A row says what a sentence calls a shape, and how least squares fits it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.polynomial.polynomial import polyfit
from numpy.typing import ArrayLike, NDArray

from metaeval.running.parallel import in_one_order

type Floats = NDArray[np.float64]
_GONE = 50.0


def _fourth_root_rule(count: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss and Legendre in the fourth root, which crowd where a threshold is small."""
    x, weights = np.polynomial.legendre.leggauss(count)
    return ((x + 1) / 2) ** 4, 2 * ((x + 1) / 2) ** 3 * weights


_FOURTH, _FOURTH_WEIGHTS = _fourth_root_rule(64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A shape as least squares fits it."""

    parameters: tuple[str, ...]
    """Their names; all are positive and are fitted on the log scale."""
    rate: Callable[..., Floats]
    """``rate(sizes, threshold, *parameters)``; parameters may be arrays that broadcast against the sizes."""
    starts: Callable[[Floats, Floats, float], Floats]
    """``starts(sizes, rates, threshold)``: parameters to begin from, an array (branch, choice, parameter). A search
    begins from the best choice of every branch, because the sum of squares may have a minimum in each."""
    free: Callable[[float], int] | None = None
    """``free(threshold)``: how many of the parameters the data speak about; all of them by default."""
    most: tuple[float, ...] | None = None
    """Largest value of each parameter; none by default."""

    def n_free(self, threshold: float) -> int:
        """Return how many of the parameters the data speak about."""
        return len(self.parameters) if self.free is None else self.free(threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One row of the table of shapes."""

    name: str
    """What a user types, and what results say."""
    title: str
    """What a sentence calls it."""
    formula: str
    curve: Curve
    cite: tuple[str, ...] = ()
    """Keys of `metaeval.base.bibliography`; none for a shape of our own."""


# ------------------------------------------------------------------------------------------------ for least squares


@in_one_order
def orthant_rate(sizes: ArrayLike, *, a: ArrayLike, c: ArrayLike, threshold: ArrayLike = 0.0) -> Floats:
    r"""Return the chance that two topic sets of a size disagree about a random pair of systems.

    Notes
    -----
    With :math:`v^2 = a^2 + c^2/z` and :math:`\rho = a^2 / v^2` the rate is
    :math:`2 \Phi_2(-t/v, -t/v; -\rho)`, :math:`\Phi_2` the standard bivariate normal distribution function. Its
    derivative in the correlation is the bivariate density (Plackett 1954), so that

    .. math:: p_t(z) = \frac{1}{\pi} \int_0^{\arccos \rho} \exp\left(-\frac{t^2/v^2}{1 - \cos\theta}\right) d\theta

    which is :math:`\arccos(\rho)/\pi` at t = 0 and loses no digits to cancellation. It is done here by Gauss-Legendre
    quadrature with 64 nodes in the fourth root of the angle, which follows the steep rise near 0 of a small threshold
    (relative error below 1e-7).

    Examples
    --------
    >>> orthant_rate([5, 50], a=0.1, c=0.3).round(4)
    array([0.3838, 0.1781])
    >>> orthant_rate([25], a=0.1, c=0.3, threshold=0.02).round(4)
    array([0.1243])
    """
    a, noise = np.asarray(a, dtype=np.float64), np.asarray(c, dtype=np.float64) ** 2 / np.asarray(sizes, np.float64)
    variance = a**2 + noise
    angle = np.arctan2(np.sqrt(noise * (2 * a**2 + noise)), a**2)  # the arc cosine of the correlation, exact near 1
    theta = angle[..., None] * _FOURTH
    height = (np.asarray(threshold, dtype=np.float64) ** 2 / variance)[..., None]
    with np.errstate(divide="ignore"):
        integrand = np.exp(np.where(height > 0, -height / (2 * np.sin(theta / 2) ** 2), 0.0))
    return np.asarray((integrand @ _FOURTH_WEIGHTS) * angle / np.pi)


def _exponential_rate(z: Floats, _: float, level: ArrayLike, rate: ArrayLike, floor: ArrayLike = 0.0) -> Floats:
    return np.asarray(floor) + np.asarray(level) * np.exp(-np.asarray(rate) * z)


def _power_rate(z: Floats, _: float, level: ArrayLike, slope: ArrayLike) -> Floats:
    return np.asarray(level * np.asarray(z, dtype=np.float64) ** (-np.asarray(slope)))


def _stretched_rate(z: Floats, _: float, level: ArrayLike, decay: ArrayLike, shape: ArrayLike) -> Floats:
    steepness = np.asarray(shape) * np.log(z / np.asarray(decay))
    # Past exp(_GONE) the rate is zero to the last digit; a search may ask for far more, which would overflow.
    return np.asarray(level * np.exp(-np.exp(np.minimum(steepness, _GONE))))


def _orthant_curve(z: Floats, threshold: float, ratio: ArrayLike, a: ArrayLike) -> Floats:
    return orthant_rate(z, a=a, c=np.asarray(ratio) * np.asarray(a), threshold=threshold)


def _decay_starts(x: Floats, rates: Floats, least: float, shares: Sequence[float] = (0.0,)) -> Floats:
    """Draw a line through the logarithms of what lies above a floor, a share of the least rate."""
    rows = []
    for floor in np.multiply(shares, rates.min()):
        level, slope = polyfit(x, np.log(rates - floor), 1)
        rows.append([np.exp(level), max(-slope, least), floor])
    return np.array([rows])


def _exponential_starts(z: Floats, rates: Floats, _: float) -> Floats:
    return _decay_starts(z, rates, 1e-4)[..., :2]


def _power_starts(z: Floats, rates: Floats, _: float) -> Floats:
    return _decay_starts(np.log(z), rates, 1e-2)[..., :2]


def _floor_starts(z: Floats, rates: Floats, _: float) -> Floats:
    return _decay_starts(z, rates, 1e-4, (0.1, 0.5, 0.9))


def _stretched_starts(z: Floats, rates: Floats, _: float) -> Floats:
    rows = []
    for scale in (0.5, 0.99):
        level, shape = polyfit(np.log(z), np.log(-np.log(np.minimum(rates / scale, 0.99))), 1)
        rows.append([scale, np.exp(-level / max(shape, 0.1)), max(shape, 0.1)])
    return np.array([rows])


def _orthant_starts(_z: Floats, _rates: Floats, threshold: float) -> Floats:
    """Branches of ever larger spreads: those far below the threshold are a valley of their own."""
    ratios, spreads = np.logspace(-1, 1.5, 11), np.logspace(-1, 2, 8) * threshold if threshold else np.ones(1)
    rows = np.array([[ratio, spread] for spread in spreads for ratio in ratios])
    return rows.reshape(4 if threshold else 1, -1, 2)


# ------------------------------------------------------------------------------------------------------- the table

_ROWS = (
    Family(
        name="exponential",
        title="exponential",
        formula="a1 exp(-a2 z)",
        cite=("pal2010",),
        curve=Curve(parameters=("a1", "a2"), rate=_exponential_rate, starts=_exponential_starts),
    ),
    Family(
        name="power",
        title="power law",
        formula="level z^-slope",
        curve=Curve(parameters=("level", "slope"), rate=_power_rate, starts=_power_starts),
    ),
    Family(
        name="stretched_exponential",
        title="stretched exponential",
        formula="level exp(-(z / decay)^shape), level ≤ 1",
        curve=Curve(
            parameters=("level", "decay", "shape"),
            rate=_stretched_rate,
            starts=_stretched_starts,
            most=(1.0, np.inf, np.inf),
        ),
    ),
    Family(
        name="exponential_with_floor",
        title="exponential with a floor",
        formula="floor + a1 exp(-a2 z)",
        curve=Curve(parameters=("a1", "a2", "floor"), rate=_exponential_rate, starts=_floor_starts),
    ),
    Family(
        name="orthant",
        title="orthant curve",
        formula="2 Φ₂(-t/v, -t/v; -r), v² = a² + c²/z, r = a²/v², ratio = c/a",
        curve=Curve(
            parameters=("ratio", "a"),
            rate=_orthant_curve,
            starts=_orthant_starts,
            free=lambda threshold: 2 if threshold else 1,
        ),
    ),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({row.name: row for row in _ROWS})
"""Name to `Family`: every shape, the published one first."""

CURVES: Mapping[str, Curve] = MappingProxyType({row.name: row.curve for row in _ROWS})
"""Name to `Curve`: how least squares fits each."""
