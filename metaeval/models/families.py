"""The one table of the shapes that the error rate may take as topics are added.

No shape is right for all data. An exponential is right for one pair of systems whose true difference is fixed; over
many pairs the close ones keep swapping long after the distant ones have settled, so the error falls more slowly.
The orthant curve follows from that picture: the pairs' true differences are normal with standard deviation a, and
a mean over z topics adds noise with variance c²/z. In the mixed one the pairs differ in how noisy they are, too.

A row says what a sentence calls a shape, how least squares fits it (`Curve`) and what the Bayesian model takes for
granted about it (`Prior`); one of the two may be missing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, owens_t

__all__ = ["BAYESIAN", "CURVES", "FAMILIES", "Curve", "Family", "Prior", "orthant_rate", "straight_line"]

type Floats = NDArray[np.float64]
_GONE = 50.0


def _fourth_root_rule(count: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss and Legendre in the fourth root, which crowd where a threshold is small."""
    x, weights = np.polynomial.legendre.leggauss(count)
    return ((x + 1) / 2) ** 4, 2 * ((x + 1) / 2) ** 3 * weights


def _nodes(count: int) -> tuple[Floats, Floats]:
    x, weights = np.polynomial.hermite_e.hermegauss(count)
    return x, weights / weights.sum()


_FOURTH, _FOURTH_WEIGHTS = _fourth_root_rule(64)
_FEW, _FEW_WEIGHTS = _fourth_root_rule(32)
_MIXING = {False: _nodes(13), True: _nodes(7)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A shape as least squares fits it.

    Attributes
    ----------
    parameters : tuple of str
        Their names; all are positive and are fitted on the log scale.
    rate : callable
        ``rate(sizes, threshold, *parameters)``; parameters may be arrays that broadcast against the sizes.
    starts : callable
        ``starts(sizes, rates, threshold)``: rows of parameters to begin from.
    free : callable, optional
        ``free(threshold)``: how many of the parameters the data speak about; all of them by default.
    most : tuple of float, optional
        Largest value of each parameter; none by default.
    """

    parameters: tuple[str, ...]
    rate: Callable[..., Floats]
    starts: Callable[[Floats, Floats, float], Floats]
    free: Callable[[float], int] | None = None
    most: tuple[float, ...] | None = None

    def n_free(self, threshold: float) -> int:
        """Return how many of the parameters the data speak about."""
        return len(self.parameters) if self.free is None else self.free(threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """A shape as the Bayesian model takes it.

    Attributes
    ----------
    parameters : tuple of str
        Positive parameters at tolerance 0; with a tolerance above 0 those of ``with_tolerance`` follow.
    centre, scale : tuple of float
        Median and standard deviation of the log of each parameter under its log-normal prior, ``with_tolerance``
        included.
    rate : callable
        ``rate(xp, sizes, *parameters)``, ``xp`` NumPy or PyTensor.
    with_tolerance : tuple of str, default ()
        Parameters that only a tolerance above 0 asks for.
    spread : float or None
        Scale of the half-normal prior of a last parameter ``spread``; None if there is none.
    """

    parameters: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    rate: Callable[..., Any]
    with_tolerance: tuple[str, ...] = ()
    spread: float | None = None

    def names(self, *, tolerance: bool) -> tuple[str, ...]:
        """Return the names of the log-normal parameters."""
        return self.parameters + (self.with_tolerance if tolerance else ())

    def every_name(self, *, tolerance: bool) -> tuple[str, ...]:
        """Return the names of all parameters."""
        return self.names(tolerance=tolerance) + (("spread",) if self.spread is not None else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One row of the table of shapes.

    Attributes
    ----------
    name : str
        What a user types, and what results say.
    title : str
        What a sentence calls it.
    formula : str
    cite : tuple of str
        Keys of `metaeval.bibliography`; none for a shape of our own.
    curve : Curve or None
        None if least squares does not fit it.
    prior : Prior or None
        None if the Bayesian model does not take it.
    """

    name: str
    title: str
    formula: str
    cite: tuple[str, ...] = ()
    curve: Curve | None = None
    prior: Prior | None = None


# ------------------------------------------------------------------------------------------------ for least squares


def orthant_rate(sizes: ArrayLike, *, a: ArrayLike, c: ArrayLike, threshold: ArrayLike = 0.0) -> Floats:
    r"""Return the chance that two topic sets of a size disagree about a random pair of systems.

    Parameters
    ----------
    sizes : array
        Topics in each set.
    a : array
        Standard deviation of the true difference of a random pair, in the metric's unit.
    c : array
        Standard deviation of the difference on one topic about the pair's true difference.
    threshold : array, default 0
        By how much a system must win on both sets.

    Returns
    -------
    array
        Of the common shape of all arguments.

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


def _in_numpy(rate: Callable[..., Any]) -> Callable[..., Floats]:
    """Return the rate of the Bayesian model as least squares calls it."""
    return lambda z, _, *parameters: np.asarray(rate(np, z, *map(np.asarray, parameters)))


def _power_rate(z: Floats, _: float, level: ArrayLike, slope: ArrayLike) -> Floats:
    return np.asarray(level * np.asarray(z, dtype=np.float64) ** (-np.asarray(slope)))


def _stretched_rate(z: Floats, _: float, level: ArrayLike, decay: ArrayLike, shape: ArrayLike) -> Floats:
    steepness = np.asarray(shape) * np.log(z / np.asarray(decay))
    # Past exp(_GONE) the rate is zero to the last digit; a search may ask for far more, which would overflow.
    return np.asarray(level * np.exp(-np.exp(np.minimum(steepness, _GONE))))


def _orthant_curve(z: Floats, threshold: float, ratio: ArrayLike, a: ArrayLike) -> Floats:
    return orthant_rate(z, a=a, c=np.asarray(ratio) * np.asarray(a), threshold=threshold)


def _exponential_starts(z: Floats, rates: Floats, _: float) -> Floats:
    slope, level = straight_line(z, np.log(rates))
    return np.array([[np.exp(level), max(-slope, 1e-4)]])


def _power_starts(z: Floats, rates: Floats, _: float) -> Floats:
    slope, level = straight_line(np.log(z), np.log(rates))
    return np.array([[np.exp(level), max(-slope, 1e-2)]])


def _stretched_starts(z: Floats, rates: Floats, _: float) -> Floats:
    rows = []
    for scale in (0.5, 0.99):
        shape, level = straight_line(np.log(z), np.log(-np.log(np.minimum(rates / scale, 0.99))))
        rows.append([scale, np.exp(-level / max(shape, 0.1)), max(shape, 0.1)])
    return np.array(rows)


def _floor_starts(z: Floats, rates: Floats, _: float) -> Floats:
    rows = []
    for share in (0.1, 0.5, 0.9):
        floor = share * rates.min()
        slope, level = straight_line(z, np.log(rates - floor))
        rows.append([np.exp(level), max(-slope, 1e-4), floor])
    return np.array(rows)


def _orthant_starts(_z: Floats, _rates: Floats, threshold: float) -> Floats:
    ratios, spreads = np.logspace(-1, 1.5, 16), np.logspace(-1, 2, 16) * threshold if threshold else np.ones(1)
    return np.array([[ratio, spread] for ratio in ratios for spread in spreads])


def straight_line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return slope and level of the line of least squares.

    Examples
    --------
    >>> slope, level = straight_line(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    >>> round(slope, 12), round(level, 12)
    (2.0, 1.0)
    """
    slope, level = np.polynomial.polynomial.polyfit(x, y, 1)[::-1]
    return float(slope), float(level)


# ------------------------------------------------------------------------------------------- for the Bayesian model


def _orthant(xp: Any, z: Any, ratio: Any, reach: Any = None, spread: Any = None) -> Any:  # noqa: ANN401 - NumPy or PyTensor
    """Error rate of pairs with normal true differences; `reach` is a over the threshold, None without a threshold."""
    x, weights = _MIXING[reach is not None] if spread is not None else (np.zeros(1), np.ones(1))
    scale = ratio if spread is None else ratio[..., None] * xp.exp(spread[..., None] * x)
    noise = (scale**2) / z[..., None] if spread is not None else (scale**2 / z)[..., None]
    angle = xp.arctan2(xp.sqrt(noise * (2.0 + noise)), 1.0 + 0.0 * noise)
    if reach is None:
        return (angle * weights).sum(-1) / np.pi
    height = 1.0 / (reach[..., None] ** 2 * (1.0 + noise))
    if xp is np:
        return (_both_beyond(height, noise) * weights).sum(-1)
    theta = angle[..., None] * _FEW
    inside = xp.exp(-height[..., None] / (2.0 * xp.sin(theta / 2.0) ** 2))
    return ((inside * _FEW_WEIGHTS).sum(-1) * angle * weights).sum(-1) / np.pi


def _both_beyond(height: Floats, noise: Floats) -> Floats:
    r"""Return the orthant probability in closed form: several times faster than the quadrature, which has a gradient.

    With :math:`b = \sqrt{(1 - \rho)/(1 + \rho)}`, h the tolerance in standard deviations and T the function of Owen
    (1956,
    Annals of Mathematical Statistics 27) it is :math:`4 T(h/b, b) - 2 \Phi(-h/b) (1 - 2 \Phi(-h))`, the branch of his
    formula for equal tolerances that loses few digits.
    """
    slope = np.sqrt(noise / (2.0 + noise))
    tolerance = np.sqrt(height)
    beyond = tolerance / slope
    return np.maximum(4.0 * owens_t(beyond, slope) - 2.0 * ndtr(-beyond) * (1.0 - 2.0 * ndtr(-tolerance)), 0.0)


def _plain_orthant(xp: Any, z: Any, ratio: Any, reach: Any = None) -> Any:  # noqa: ANN401 - as above
    return _orthant(xp, z, ratio, reach)


def _mixed_orthant(xp: Any, z: Any, ratio: Any, *rest: Any) -> Any:  # noqa: ANN401 - as above
    *reach, spread = rest
    return _orthant(xp, z, ratio, reach[0] if reach else None, spread)


def _exponential(xp: Any, z: Any, level: Any, rate: Any) -> Any:  # noqa: ANN401 - as above
    return level * xp.exp(-rate * z)


def _power(xp: Any, z: Any, level: Any, slope: Any) -> Any:  # noqa: ANN401 - as above
    return level * xp.exp(-slope * xp.log(z))


def _stretched(xp: Any, z: Any, level: Any, decay: Any, shape: Any) -> Any:  # noqa: ANN401 - as above
    return level * xp.exp(-xp.exp(shape * (xp.log(z) - xp.log(decay))))


def _with_floor(xp: Any, z: Any, level: Any, rate: Any, floor: Any) -> Any:  # noqa: ANN401 - as above
    return floor + level * xp.exp(-rate * z)


# ------------------------------------------------------------------------------------------------------- the table

_RATIO = (float(np.log(2.5)), 1.5)
_REACH = (0.7, 1.2)
_ROWS = (
    Family(
        name="exponential",
        title="exponential",
        formula="a1 exp(-a2 z)",
        cite=("pal2010",),
        curve=Curve(parameters=("a1", "a2"), rate=_in_numpy(_exponential), starts=_exponential_starts),
        prior=Prior(parameters=("a1", "a2"), centre=(-1.2, -3.5), scale=(1.0, 1.0), rate=_exponential),
    ),
    Family(
        name="power",
        title="power law",
        formula="level z^-slope",
        curve=Curve(parameters=("level", "slope"), rate=_power_rate, starts=_power_starts),
        prior=Prior(parameters=("level", "slope"), centre=(-0.5, -0.7), scale=(1.0, 0.5), rate=_power),
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
        prior=Prior(
            parameters=("level", "decay", "shape"), centre=(-0.7, 3.0, -0.5), scale=(0.5, 1.5, 0.5), rate=_stretched
        ),
    ),
    Family(
        name="exponential_with_floor",
        title="exponential with a floor",
        formula="floor + a1 exp(-a2 z)",
        curve=Curve(parameters=("a1", "a2", "floor"), rate=_in_numpy(_with_floor), starts=_floor_starts),
        prior=Prior(
            parameters=("a1", "a2", "floor"), centre=(-1.2, -3.0, -3.0), scale=(1.0, 1.0, 1.0), rate=_with_floor
        ),
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
        prior=Prior(
            parameters=("ratio",),
            centre=(_RATIO[0], _REACH[0]),
            scale=(_RATIO[1], _REACH[1]),
            rate=_plain_orthant,
            with_tolerance=("a_over_margin",),
        ),
    ),
    Family(
        name="mixed_orthant",
        title="mixed orthant curve",
        formula="E 2 Φ₂(-t/v, -t/v; -r), v² = a² + c²/z, r = a²/v², log(c/a) ~ N(log ratio, spread²)",
        prior=Prior(
            parameters=("ratio",),
            centre=(_RATIO[0], _REACH[0]),
            scale=(_RATIO[1], _REACH[1]),
            rate=_mixed_orthant,
            with_tolerance=("a_over_margin",),
            spread=0.5,
        ),
    ),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({row.name: row for row in _ROWS})
"""Name to `Family`: every shape, the published one first."""

CURVES: Mapping[str, Curve] = MappingProxyType({row.name: row.curve for row in _ROWS if row.curve is not None})
"""Those that least squares fits."""

BAYESIAN: Mapping[str, Prior] = MappingProxyType({row.name: row.prior for row in _ROWS if row.prior is not None})
"""Those that the Bayesian model takes."""
