"""Shapes of the error rate fitted to counts of swaps and judged by the sizes held out."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike
from scipy.optimize import least_squares, leastsq

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice, check_kind
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.side_by_side import side_by_side
from metaeval.base.unit import unit
from metaeval.base.words import span, two_digits
from metaeval.errors import EstimationError
from metaeval.models.families import CURVES
from metaeval.models.least_squares import settled_minimum
from metaeval.resampling.swap import ErrorRates
from metaeval.running.equality import reaches
from metaeval.running.parallel import in_one_order

_NEAR = 1e-5
"""What a parameter may change the residuals by, errors beside their standard deviation, and count for nothing."""
_FAR = 2.0
"""How much further a parameter is tried that may count for nothing, on the log scale."""
_MOST_CALLS = 150
"""After so many a search goes on along a flat valley, where nothing is won but digits of a parameter."""
SIZES_TO_COMPARE = 4
"""Fewest sizes that can be split into some to fit on and some to predict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCurve(Result):
    """One shape fitted to one metric at one tolerance."""

    family: str
    """Key of `metaeval.models.families.CURVES`."""
    parameters: Mapping[str, float]
    """Fitted values. The orthant's ``a`` is 1 at a tolerance of 0, where only the ratio c/a matters; a floor that sinks
    below all rates is 0."""
    threshold: float
    """ToleranceUnit in the metric's unit."""
    weighted_error: float
    """Root mean square of (observed - fitted) / sqrt(p (1 - p)) over the sizes fitted."""

    def rate(self, sizes: ArrayLike) -> Floats:
        """Return the error rate at some sizes."""
        values = np.asarray(sizes, dtype=np.float64)
        return CURVES[self.family].rate(values, self.threshold, *self.parameters.values())

    def minimum_topics(self, max_error: float, *, limit: int = 10**6) -> float:
        """Return the smallest whole size up to `limit` with an error rate of at most `max_error`; else infinity.

        Every shape falls with size, so the answer is found by halving.
        """
        smallest = bisect_left(range(limit + 1), 1, lo=1, key=lambda size: float(self.rate(size)) <= max_error)
        return float(smallest) if smallest <= limit else np.inf


@side_by_side("sizes", "swaps", "comparisons")
@in_one_order
def fit_curve(
    family: str,
    sizes: ArrayLike,
    swaps: ArrayLike,
    comparisons: ArrayLike,
    *,
    threshold: float = 0.0,
) -> ErrorCurve:
    r"""Fit one shape to counts of swaps by weighted least squares on the rate scale.

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
    {'level': 0.4, 'slope': 0.5}
    """
    check_choice(family, "curve", CURVES)
    z, swaps, comparisons = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (sizes, swaps, comparisons)))
    curve = CURVES[family]
    n_free = curve.n_free(threshold)
    _check_falling(z, swaps, comparisons, n_free)
    smooth = (swaps + 0.5) / (comparisons + 1.0)
    seen, weight = swaps / comparisons, np.sqrt(smooth * (1.0 - smooth))

    def residuals(logs: Floats) -> Floats:
        values = np.exp(logs)
        parameters = (values[..., index, None] for index in range(len(curve.parameters)))
        return (curve.rate(z, threshold, *parameters) - seen) / weight

    def loss(logs: Floats) -> Floats:
        return np.asarray(np.mean(residuals(logs) ** 2, axis=-1))

    choices = np.log(curve.starts(z, smooth, threshold))
    starts = choices[np.arange(len(choices)), np.argmin(loss(choices), axis=1)]
    most = np.log(curve.most)[:n_free] if curve.most else np.full(n_free, np.inf)
    ends = np.stack([_least_squares(residuals, start, n_free, most) for start in starts])
    best = _settled(residuals, ends[int(np.argmin(loss(ends)))], n_free, most)
    return ErrorCurve(
        family=family,
        parameters=MappingProxyType(dict(zip(curve.parameters, np.exp(best).tolist(), strict=True))),
        threshold=float(threshold),
        weighted_error=float(np.sqrt(loss(best))),
    )


def _least_squares(residuals: Callable[[Floats], Floats], start: Floats, n_free: int, most: Floats) -> Floats:
    """Return the parameters of least squares, the free ones within bounds: by MINPACK where these stop nothing."""
    begin, fixed = start[:n_free], start[n_free:]
    low, high = begin - 12.0, np.minimum(begin + 12.0, most)

    def of_free(free: Floats) -> Floats:
        return residuals(np.concatenate((free, fixed)))

    with np.errstate(all="ignore"):  # a step too far ends in no number, and is taken back
        solution, *_ = leastsq(of_free, begin, xtol=1e-12, ftol=1e-12, maxfev=_MOST_CALLS, full_output=True)
    if not ((low < solution) & (solution < high)).all():
        solution = least_squares(of_free, begin, bounds=(low, high), x_scale="jac", xtol=1e-12).x
    return np.concatenate((solution, fixed))


def _settled(residuals: Callable[[Floats], Floats], end: Floats, n_free: int, most: Floats) -> Floats:
    """Return the end of a search to its last digits: at a bound that it came to, and still where nothing more counts.

    A floor that sinks below all rates is 0, and a spread far above the threshold a round number: how far either went is
    the search's affair.
    """
    best, moves = end.copy(), np.arange(len(end)) < n_free
    for index in np.flatnonzero(moves):
        limit = most[index] if best[index] > most[index] - _NEAR else -np.inf
        for far, stop in ((limit, limit), (best[index] + _FAR, np.floor(best[index]))):
            moved = np.where(np.arange(len(best)) == index, far, best)
            with np.errstate(all="ignore"):
                counts = np.abs(residuals(moved) - residuals(best))
            if moves[index] and (counts < _NEAR).all():
                best[index], moves[index] = stop, False

    def of_moving(values: Floats) -> Floats:
        logs = np.broadcast_to(best, (*values.shape[:-1], len(best))).copy()
        logs[..., moves] = values
        return residuals(logs)

    with np.errstate(all="ignore"):
        moved = settled_minimum(of_moving, best[moves])
    if (moved < most[moves[:n_free]]).all():
        best[moves] = moved
    return best


def _check_falling(z: Floats, swaps: Floats, comparisons: Floats, n_free: int) -> None:
    if len(z) < max(n_free, 2):
        raise EstimationError(
            f"{len(z)} size{'s' * (len(z) > 1)} cannot determine {n_free} parameters; count swaps at more sizes"
        )
    if not (comparisons > 0).all():
        message = f"nothing was compared at size {int(z[np.argmin(comparisons)])}, so there is no error rate to fit"
        raise EstimationError(message)
    if not swaps.any():
        message = "no swap was seen at any size: the error rate is already zero and its course cannot be estimated"
        raise EstimationError(message)
    logs, rates = np.log(z), swaps / comparisons
    leans = logs - logs.mean()
    if reaches(leans @ rates, 0.0, np.abs(leans) @ rates):  # the slope of the line of least squares, but for its scale
        raise EstimationError(
            f"the error rate does not fall with size, so no number of {unit().topics} can be derived from it"
        )


def held_out(sizes: ArrayLike) -> Flags:
    """Return which sizes are held out: the upper half (the middle one of an odd number is fitted).

    Examples
    --------
    >>> held_out([5, 10, 15, 20, 25])
    array([False, False, False,  True,  True])
    """
    count = np.asarray(sizes).size
    return np.arange(count) >= (count + 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveComparison(Result):
    """Curves of every metric and tolerance, evaluated on held-out sizes."""

    table: pd.DataFrame
    """One row a metric, tolerance and family: ``held_out_error`` (root mean square of (predicted - seen) / sqrt(p (1 -
    p)) over the held-out sizes, the scale of the fit, on which a rate near zero does not drown the others),
    ``held_out_bias`` (mean predicted over mean seen, less one), ``weighted_error`` of the fit to all sizes, its
    ``parameters``, and a ``note`` where a shape could not be fitted."""
    curves: Mapping[tuple[str, float, str], ErrorCurve]
    """Fits to all sizes."""
    best: str | None
    """The family with the smallest root mean square of ``held_out_error`` over metrics and tolerances; None if there
    are too few sizes to hold any out."""

    def summary(self) -> pd.DataFrame:
        """Return one row a family, the best first: error and bias on held-out sizes over all metrics and tolerances."""
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

    def _found(self) -> str:
        if self.best is None:
            n_curves = count(self.table["family"].nunique(), "curve")
            return f"too few sizes to hold any out, so that none of {n_curves} is chosen"
        errors = self.summary()
        written = span(errors["family"], errors["held_out_error"], map(two_digits, errors["held_out_error"]))
        return f"the error of curves on sizes that they were not fitted to is {written}"

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table.copy()


def absolute_thresholds(error_rates: ErrorRates) -> xr.DataArray:
    """Return every tolerance in the metric's own unit, dims (metric, tolerance).

    A relative tolerance p becomes p times the mean, over pairs, sizes and trials, of the larger of the two means.
    """
    tolerances = error_rates.counts["tolerance"]
    scale = error_rates.counts["larger_mean"].mean(("size", "trial"))
    if error_rates.tolerance_unit == "absolute":
        scale = xr.ones_like(scale)
    return (scale * tolerances.assign_coords(tolerance=tolerances)).transpose("metric", "tolerance")


def compare_curves(error_rates: ErrorRates, *, families: Sequence[str] = tuple(CURVES)) -> CurveComparison:
    """Fit every curve to every metric and tolerance, and measure how well small sizes predict large ones.

    Parameters
    ----------
    error_rates : ErrorRates
        From `metaeval.resampling.swap.swap_method`. A zero difference counts as half a swap (at tolerance 0).
    families : sequence of str, default all of `metaeval.models.families.CURVES`

    Returns
    -------
    CurveComparison
        One row a ``metric``, ``tolerance`` and ``family`` of curves in ``to_frame()``: ``held_out_error``,
        ``held_out_bias`` and ``weighted_error``, the ``parameters``, and a ``note``; see `CurveComparison`. ``best``
        names the family with the smallest error on held-out sizes.

    Raises
    ------
    UnknownNameError
        For a family that is not in `metaeval.models.families.CURVES`.

    Notes
    -----
    The held-out error comes from a fit to the lower half of the sizes, tried on the upper half. The cells of one
    data set share topics and systems, so pointwise cross-validation would flatter every shape; predicting larger
    sizes than any that were seen is the use these curves are put to. A winner by a hair is no winner: look at the
    whole table. One family is chosen for all metrics and tolerances, because a choice cell by cell follows the noise:
    on
    200 of the 1153 topics of MQ2007 it took the power law at tolerance 0 in 12 of 20 samples, and twice the topics
    needed; chosen over all tolerances, the median answer was 458 where 485 is true.

    Examples
    --------
    >>> from metaeval.resampling.swap import swap_method
    >>> noise = np.random.default_rng(1).random((8, 60))
    >>> compared = compare_curves(swap_method(noise + np.arange(8)[:, None] / 20, rng=0, tolerances=[0, 0.05]))
    >>> len(compared.table)
    10
    """
    check_kind(error_rates, "error_rates", "ErrorRates")
    for family in families:
        check_choice(family, "curve", CURVES)
    totals = error_rates.totals(half_swaps=True)
    thresholds = absolute_thresholds(error_rates)
    rows, curves = [], {}
    for metric in error_rates.metrics:
        for tolerance in error_rates.tolerances:
            cell = totals.sel({"metric": metric, "tolerance": tolerance})
            threshold = float(thresholds.sel({"metric": metric, "tolerance": tolerance}))
            sizes, swaps, compared = (cell[name].to_numpy().astype(float) for name in ("size", "swaps", "comparisons"))
            for family in families:
                row, curve = _judge(family, (sizes, swaps, compared), threshold)
                rows.append({"metric": metric, "tolerance": tolerance, "family": family, **row})
                if curve is not None:
                    curves[metric, tolerance, family] = curve
    bare = CurveComparison(table=pd.DataFrame(rows), curves=MappingProxyType(curves), best=None)
    ranking = bare.summary()
    complete = ranking[ranking["n_fitted"] == ranking["n_fitted"].max()]
    best = str(complete["family"].iloc[0]) if len(complete) else None
    return CurveComparison(table=bare.table, curves=bare.curves, best=best)


def _judge(
    family: str, counts: tuple[Floats, Floats, Floats], threshold: float
) -> tuple[dict[str, object], ErrorCurve | None]:
    row: dict[str, object] = dict.fromkeys(("held_out_error", "held_out_bias", "weighted_error"), np.nan)
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
