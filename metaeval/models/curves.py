r"""Shapes of the error rate as topics are added, fitted to counts of swaps and judged by the sizes held out.

No shape is right for all data. An exponential is right for one pair of systems whose true difference is fixed; over
many pairs the close ones keep swapping long after the distant ones have settled, so the error falls more slowly.
The orthant curve follows from that picture: the pairs' true differences are normal with standard deviation a, and
a mean over z topics adds noise with variance c²/z.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from metaeval.checks import check_choice
from metaeval.errors import EstimationError
from metaeval.resampling.swap import ErrorRates

__all__ = [
    "CURVES",
    "Curve",
    "CurveComparison",
    "ErrorCurve",
    "absolute_thresholds",
    "compare_curves",
    "fit_curve",
    "held_out",
    "orthant_rate",
]

type Floats = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_FOURTH = ((_NODES + 1) / 2) ** 4
_GONE = 50.0
_FOURTH_WEIGHTS = 2 * ((_NODES + 1) / 2) ** 3 * _WEIGHTS
SIZES_TO_COMPARE = 4
"""Fewest sizes that can be split into some to fit on and some to predict."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A shape of the error rate.

    Attributes
    ----------
    parameters : tuple of str
        Their names; all are positive and are fitted on the log scale.
    rate : callable
        ``rate(sizes, threshold, *parameters)``; parameters may be arrays that broadcast against the sizes.
    starts : callable
        ``starts(sizes, rates, threshold)``: rows of parameters to begin from.
    formula : str
    free : callable
        ``free(threshold)``: how many of the parameters the data speak about.
    most : tuple of float, optional
        Largest value of each parameter; none by default.
    """

    parameters: tuple[str, ...]
    rate: Callable[..., Floats]
    starts: Callable[[Floats, Floats, float], Floats]
    formula: str
    free: Callable[[float], int]
    most: tuple[float, ...] | None = None


def _exponential(z: Floats, _: float, a1: ArrayLike, a2: ArrayLike) -> Floats:
    return np.asarray(a1 * np.exp(-np.asarray(a2) * z))


def _power(z: Floats, _: float, scale: ArrayLike, slope: ArrayLike) -> Floats:
    return np.asarray(scale * np.asarray(z, dtype=np.float64) ** (-np.asarray(slope)))


def _stretched(z: Floats, _: float, scale: ArrayLike, reach: ArrayLike, shape: ArrayLike) -> Floats:
    steepness = np.asarray(shape) * np.log(z / np.asarray(reach))
    # Past exp(_GONE) the rate is zero to the last digit; a search may ask for far more, which would overflow.
    return np.asarray(scale * np.exp(-np.exp(np.minimum(steepness, _GONE))))


def _floor(z: Floats, _: float, a1: ArrayLike, a2: ArrayLike, floor: ArrayLike) -> Floats:
    return np.asarray(floor, dtype=np.float64) + _exponential(z, _, a1, a2)


def _orthant(z: Floats, threshold: float, ratio: ArrayLike, a: ArrayLike) -> Floats:
    return orthant_rate(z, a=a, c=np.asarray(ratio) * np.asarray(a), threshold=threshold)


def _exponential_starts(z: Floats, rates: Floats, _: float) -> Floats:
    slope, level = _line(z, np.log(rates))
    return np.array([[np.exp(level), max(-slope, 1e-4)]])


def _power_starts(z: Floats, rates: Floats, _: float) -> Floats:
    slope, level = _line(np.log(z), np.log(rates))
    return np.array([[np.exp(level), max(-slope, 1e-2)]])


def _stretched_starts(z: Floats, rates: Floats, _: float) -> Floats:
    rows = []
    for scale in (0.5, 0.99):
        shape, level = _line(np.log(z), np.log(-np.log(np.minimum(rates / scale, 0.99))))
        rows.append([scale, np.exp(-level / max(shape, 0.1)), max(shape, 0.1)])
    return np.array(rows)


def _floor_starts(z: Floats, rates: Floats, _: float) -> Floats:
    rows = []
    for share in (0.1, 0.5, 0.9):
        floor = share * rates.min()
        slope, level = _line(z, np.log(rates - floor))
        rows.append([np.exp(level), max(-slope, 1e-4), floor])
    return np.array(rows)


def _orthant_starts(_z: Floats, _rates: Floats, threshold: float) -> Floats:
    ratios, spreads = np.logspace(-1, 1.5, 16), np.logspace(-1, 2, 16) * threshold if threshold else np.ones(1)
    return np.array([[ratio, spread] for ratio in ratios for spread in spreads])


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    slope, level = np.polynomial.polynomial.polyfit(x, y, 1)[::-1]
    return float(slope), float(level)


CURVES: Mapping[str, Curve] = MappingProxyType(
    {
        "exponential": Curve(
            parameters=("a1", "a2"),
            rate=_exponential,
            starts=_exponential_starts,
            formula="a1 exp(-a2 z)",
            free=lambda _: 2,
        ),
        "power": Curve(
            parameters=("scale", "slope"),
            rate=_power,
            starts=_power_starts,
            formula="scale z^-slope",
            free=lambda _: 2,
        ),
        "stretched_exponential": Curve(
            parameters=("scale", "reach", "shape"),
            rate=_stretched,
            starts=_stretched_starts,
            formula="scale exp(-(z / reach)^shape), scale ≤ 1",
            free=lambda _: 3,
            most=(1.0, np.inf, np.inf),
        ),
        "exponential_with_floor": Curve(
            parameters=("a1", "a2", "floor"),
            rate=_floor,
            starts=_floor_starts,
            formula="floor + a1 exp(-a2 z)",
            free=lambda _: 3,
        ),
        "orthant": Curve(
            parameters=("ratio", "a"),
            rate=_orthant,
            starts=_orthant_starts,
            formula="2 Φ₂(-t/v, -t/v; -r), v² = a² + c²/z, r = a²/v², ratio = c/a",
            free=lambda threshold: 2 if threshold else 1,
        ),
    }
)
"""Every shape, the published one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCurve:
    """One shape fitted to one metric at one margin.

    Attributes
    ----------
    family : str
        Key of `CURVES`.
    parameters : mapping of str to float
        Fitted values. The orthant's ``a`` is 1 at a margin of 0, where only the ratio c/a matters.
    threshold : float
        Margin in the metric's unit.
    weighted_error : float
        Root mean square of (observed - fitted) / sqrt(p (1 - p)) over the sizes fitted.
    """

    family: str
    parameters: Mapping[str, float]
    threshold: float
    weighted_error: float

    def rate(self, sizes: ArrayLike) -> Floats:
        """Return the error rate at some sizes."""
        values = np.asarray(sizes, dtype=np.float64)
        return CURVES[self.family].rate(values, self.threshold, *self.parameters.values())

    def minimum_topics(self, max_error: float, *, limit: int = 10**6) -> float:
        """Return the smallest whole size up to `limit` with an error rate of at most `max_error`; else infinity.

        Every shape falls with size, so the answer is found by halving.
        """
        if not float(self.rate(limit)) <= max_error:
            return np.inf
        low, high = 0, limit
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if float(self.rate(middle)) <= max_error else (middle, high)
        return float(high)


def fit_curve(
    family: str,
    sizes: ArrayLike,
    swaps: ArrayLike,
    comparisons: ArrayLike,
    *,
    threshold: float = 0.0,
) -> ErrorCurve:
    r"""Fit one shape to counts of swaps by weighted least squares on the rate scale.

    Parameters
    ----------
    family : str
        One of `CURVES`.
    sizes : array (size,)
        Topics in each set.
    swaps, comparisons : array (size,)
        Counts; a swap may be half (a tie).
    threshold : float, default 0
        Margin in the metric's unit (see `absolute_thresholds`); only the orthant curve uses it.

    Returns
    -------
    ErrorCurve

    Raises
    ------
    EstimationError
        If there are fewer sizes than parameters, nothing was compared, no swap was seen, or the error does not fall
        with size.
    UnknownNameError
        For another family.

    Notes
    -----
    Minimises :math:`\sum_z (S_z/N_z - p(z))^2 / (\tilde p_z (1 - \tilde p_z))` with
    :math:`\tilde p_z = (S_z + 1/2)/(N_z + 1)`. Sizes without swaps stay in. No standard errors are given: the sizes
    share topics, so the counts are far from independent, and standard errors that take them to be are many times
    too small.

    Examples
    --------
    >>> fitted = fit_curve("power", [4, 16, 64], [400, 200, 100], 2000)
    >>> {name: round(value, 3) for name, value in fitted.parameters.items()}
    {'scale': 0.4, 'slope': 0.5}
    """
    check_choice(family, "curve", CURVES)
    z, swaps, comparisons = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (sizes, swaps, comparisons)))
    curve = CURVES[family]
    n_free = curve.free(threshold)
    _check_falling(z, swaps, comparisons, n_free)
    smooth = (swaps + 0.5) / (comparisons + 1.0)
    weight = np.sqrt(smooth * (1.0 - smooth))

    def residuals(logs: Floats) -> Floats:
        return (curve.rate(z, threshold, *np.exp(logs)) - swaps / comparisons) / weight

    starts = np.log(curve.starts(z, smooth, threshold))
    fixed = starts[0, n_free:]
    losses = [float(np.sum(residuals(start) ** 2)) for start in starts]
    start = starts[int(np.argmin(losses))][:n_free]
    most = np.log(curve.most)[:n_free] if curve.most else np.full(n_free, np.inf)
    reach = (start - 12.0, np.minimum(start + 12.0, most))
    found = least_squares(
        lambda free: residuals(np.append(free, fixed)), start, bounds=reach, x_scale="jac", xtol=1e-12
    )
    values = np.exp(np.append(found.x, fixed))
    return ErrorCurve(
        family=family,
        parameters=MappingProxyType(dict(zip(curve.parameters, values.tolist(), strict=True))),
        threshold=float(threshold),
        weighted_error=float(np.sqrt(np.mean(found.fun**2))),
    )


def _check_falling(z: Floats, swaps: Floats, comparisons: Floats, n_free: int) -> None:
    if len(z) < max(n_free, 2):
        message = f"{len(z)} sizes cannot determine {n_free} parameters; count swaps at more sizes"
        raise EstimationError(message)
    if not (comparisons > 0).all():
        message = f"nothing was compared at size {int(z[np.argmin(comparisons)])}, so there is no error rate to fit"
        raise EstimationError(message)
    if not swaps.any():
        message = "no swap was seen at any size: the error rate is already zero and its course cannot be estimated"
        raise EstimationError(message)
    if _line(np.log(z), swaps / comparisons)[0] >= 0:
        message = "the error rate does not fall with size, so no number of topics can be derived from it"
        raise EstimationError(message)


def held_out(sizes: ArrayLike) -> NDArray[np.bool_]:
    """Return which sizes are held out: the upper half (the middle one of an odd number is fitted).

    Examples
    --------
    >>> held_out([5, 10, 15, 20, 25])
    array([False, False, False,  True,  True])
    """
    count = np.asarray(sizes).size
    return np.arange(count) >= (count + 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveComparison:
    """Every shape on every metric and margin, judged by sizes it has not seen.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a metric, margin and family: ``held_out_error`` (root mean square of (predicted - seen) /
        sqrt(p (1 - p)) over the held-out sizes, the scale of the fit, on which a rate near zero does not drown the
        others), ``held_out_bias`` (mean predicted over mean seen, less one), ``weighted_error`` of the fit to all
        sizes, its ``parameters``, and a ``note`` where a shape could not be fitted.
    curves : mapping of (metric, margin, family) to ErrorCurve
        Fits to all sizes.
    best : str or None
        The family with the smallest root mean square of ``held_out_error`` over metrics and margins; None if there
        are too few sizes to hold any out.
    """

    table: pd.DataFrame
    curves: Mapping[tuple[str, float, str], ErrorCurve]
    best: str | None

    def summary(self) -> pd.DataFrame:
        """Return one row a family, the best first: error and bias on held-out sizes over all metrics and margins."""
        scored = self.table.dropna(subset=["held_out_error"])
        grouped = scored.groupby("family", sort=False)
        frame = pd.DataFrame(
            {
                "held_out_error": grouped["held_out_error"].agg(lambda errors: np.sqrt(np.mean(errors**2))),
                "held_out_bias": grouped["held_out_bias"].mean(),
                "n_fitted": grouped.size(),
            }
        )
        return frame.sort_values("held_out_error", kind="stable").reset_index()

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table.copy()


def absolute_thresholds(error_rates: ErrorRates) -> xr.DataArray:
    """Return every margin in the metric's own unit, dims (metric, margin).

    A relative margin p becomes p times the mean, over pairs, sizes and trials, of the larger of the two means.
    """
    margins = error_rates.counts["margin"]
    ones = xr.ones_like(error_rates.counts["larger_mean"].mean(("size", "trial")))
    scale = ones if error_rates.margin == "absolute" else error_rates.counts["larger_mean"].mean(("size", "trial"))
    return (scale * margins.assign_coords(margin=margins)).transpose("metric", "margin")


def compare_curves(error_rates: ErrorRates, *, families: Sequence[str] = tuple(CURVES)) -> CurveComparison:
    """Fit every shape to every metric and margin, and see how well the small sizes predict the large ones.

    Parameters
    ----------
    error_rates : ErrorRates
        From `metaeval.resampling.swap.swap_method`. A zero difference counts as half a swap (at margin 0).
    families : sequence of str, default all of `CURVES`

    Returns
    -------
    CurveComparison

    Raises
    ------
    UnknownNameError
        For a family that is not in `CURVES`.

    Notes
    -----
    The held-out error comes from a fit to the lower half of the sizes, tried on the upper half. The cells of one
    data set share topics and systems, so pointwise cross-validation would flatter every shape; predicting larger
    sizes than any that were seen is the use these curves are put to. A winner by a hair is no winner: look at the
    whole table. One family is chosen for all metrics and margins, because a choice cell by cell follows the noise: on
    200 of the 1153 topics of MQ2007 it took the power law at margin 0 in 12 of 20 samples, and twice the topics
    needed; chosen over all margins, the median answer was 433 where 485 is true.

    Examples
    --------
    >>> from metaeval.resampling.swap import swap_method
    >>> noise = np.random.default_rng(1).random((8, 60))
    >>> compared = compare_curves(swap_method(noise + np.arange(8)[:, None] / 20, rng=0, margins=[0, 0.05]))
    >>> len(compared.table)
    10
    """
    for family in families:
        check_choice(family, "curve", CURVES)
    totals = error_rates.totals(half_swaps=True)
    thresholds = absolute_thresholds(error_rates)
    rows, curves = [], {}
    for metric in error_rates.metrics:
        for margin in error_rates.margins:
            cell = totals.sel({"metric": metric, "margin": margin})
            threshold = float(thresholds.sel({"metric": metric, "margin": margin}))
            sizes, swaps, compared = (cell[name].to_numpy().astype(float) for name in ("size", "swaps", "comparisons"))
            for family in families:
                row, curve = _judge(family, (sizes, swaps, compared), threshold)
                rows.append({"metric": metric, "margin": margin, "family": family, **row})
                if curve is not None:
                    curves[metric, margin, family] = curve
    bare = CurveComparison(table=pd.DataFrame(rows), curves=MappingProxyType(curves), best=None)
    ranking = bare.summary()
    complete = ranking[ranking["n_fitted"] == ranking["n_fitted"].max()]
    best = str(complete["family"].iloc[0]) if len(complete) else None
    return CurveComparison(table=bare.table, curves=bare.curves, best=best)


def _judge(
    family: str, counts: tuple[Floats, Floats, Floats], threshold: float
) -> tuple[dict[str, object], ErrorCurve | None]:
    row: dict[str, object] = {"held_out_error": np.nan, "held_out_bias": np.nan, "weighted_error": np.nan}
    row |= {"parameters": "", "note": ""}
    try:
        curve = fit_curve(family, *counts, threshold=threshold)
    except EstimationError as error:
        return row | {"note": str(error)}, None
    row["weighted_error"] = curve.weighted_error
    row["parameters"] = ", ".join(f"{name} = {value:.4g}" for name, value in curve.parameters.items())
    later = held_out(counts[0])
    if len(later) < SIZES_TO_COMPARE:
        return row | {"note": f"fewer than {SIZES_TO_COMPARE} sizes: none can be held out"}, curve
    try:
        early = fit_curve(family, *(column[~later] for column in counts), threshold=threshold)
    except EstimationError as error:
        return row | {"note": f"fit to the lower half of the sizes: {error}"}, curve
    sizes, swaps, compared = (column[later] for column in counts)
    smooth = (swaps + 0.5) / (compared + 1.0)
    missed = early.rate(sizes) - swaps / compared
    row["held_out_error"] = float(np.sqrt(np.mean(missed**2 / (smooth * (1.0 - smooth)))))
    if swaps.any():
        row["held_out_bias"] = float(missed.sum() / (swaps / compared).sum())
    return row, curve
