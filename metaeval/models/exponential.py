"""The exponential model of the error rate, as published: fast, well known, and too hopeful beyond the sizes seen."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_share
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.side_by_side import side_by_side
from metaeval.base.unit import unit
from metaeval.base.words import share, two_digits
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.models.curves import held_out
from metaeval.models.least_squares import settled_minimum
from metaeval.resampling.swap import ErrorRates
from metaeval.running.parallel import in_one_order

_GROUPS = 5
"""Of the trials: left out in turn."""

_THROUGH_BOTH = "a curve through two sizes fits them whatever they are"

FitScale = Literal["log", "rate"]
PUBLISHED_CRITERION = 27.991
"""The chi-square value that Pal, Mitra and Kamps (2010) hold their fits against (.995, "50 degrees of freedom")."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExponentialFit(Result):
    """The fit of Y = A1 exp(-A2 X), with its diagnostics."""

    a1: float
    a2: float
    """Error rate at no topics, and its decline per topic. ``a2 <= 0`` means that the error does not fall."""
    se_a1: float
    se_a2: float
    """Standard errors of least squares. They take the sizes to be independent, which sizes that share topics are not:
    descriptive only. NaN with two sizes."""
    chi_squared: float
    """Sum of (O - E)²/E over the sizes fitted, rates in percent."""
    degrees_of_freedom: int
    """Sizes fitted less 2."""
    sizes: Ints
    rates: Floats
    """What was fitted."""
    zero_sizes: tuple[int, ...]
    """Sizes without a single swap, which have no logarithm and were left out of a fit on the log scale."""
    scale: FitScale
    held_out_error: float
    """Root mean square error of the rates predicted for the upper half of the sizes from the lower half, as a share of
    their mean; NaN with fewer than four sizes or no error among them."""
    held_out_bias: float
    """Mean predicted over mean seen, less one."""

    def _found(self) -> str:
        curve = f"the error rate is {two_digits(self.a1)} exp({two_digits(-self.a2)} n) with n {unit().topics}"
        sizes = f"{count(len(self.sizes), 'size')} from {self.sizes.min()} to {self.sizes.max()}"
        falls = f"{share(0.05)} at {two_digits(self.minimum_topics(0.05))}" if self.a2 > 0.0 else "which does not fall"
        return f"{curve}, fitted to {sizes}: {falls}"

    def rate(self, sizes: ArrayLike) -> Floats:
        """Return the error rate at some sizes."""
        return np.asarray(self.a1 * np.exp(-self.a2 * np.asarray(sizes, dtype=np.float64)))

    def minimum_topics(self, max_error: float, *, limit: float = np.inf) -> float:
        """Return the smallest whole size up to `limit` with an error rate of at most `max_error`; else infinity.

        Not a number to quote far beyond the sizes fitted: see `metaeval.models.minimum_topics`.
        """
        check_share(max_error, "max_error")
        if self.a1 <= max_error:
            return 1.0
        size = max(1.0, float(np.ceil(np.log(self.a1 / max_error) / self.a2 - 1e-9))) if self.a2 > 0 else np.inf
        return size if size <= limit else np.inf


@side_by_side("sizes", "rates")
@in_one_order
def fit_exponential(sizes: ArrayLike, rates: ArrayLike, *, scale: FitScale = "log") -> ExponentialFit:
    r"""Fit the exponential decay of an error rate with the number of topics.

    Parameters
    ----------
    sizes : array (size,)
        Topics in each set, ascending.
    rates : array (size,)
        Error rates, from 0 to 1.
    scale : {"log", "rate"}
        Least squares on the logarithm, as published (sizes with a rate of 0 are left out and named), or on the rate
        itself, weighted by 1 / (p (1 - p)), which keeps them.

    Returns
    -------
    ExponentialFit
        ``a1`` and ``a2`` with standard errors ``se_a1`` and ``se_a2`` (NaN with two sizes) and the diagnostics of the
        fit; ``rate(sizes)`` is the error rate by the curve, ``minimum_topics(max_error)`` the topics that it asks for.

    Raises
    ------
    EstimationError
        If fewer than two sizes have an error above 0.
    InvalidOptionError
        If sizes or rates are outside their rules.

    Notes
    -----
    .. math:: Y = A_1 e^{-A_2 X}, \qquad \ln Y = \ln A_1 - A_2 X

    Pal, Mitra and Kamps (2010), equations 3 and 4. The standard error of A1 on the log scale is A1 times that of its
    logarithm. The paper names no scale for its chi-square and takes 50 degrees of freedom, the number of its trials;
    here rates are in percent and the degrees of freedom are sizes less two. Either way it measures closeness, not
    evidence, since the sizes share their topics.

    Examples
    --------
    >>> fit = fit_exponential([5, 10, 20], [0.2, 0.1, 0.025])
    >>> round(fit.a1, 3), round(fit.a2, 4), fit.minimum_topics(0.05)
    (0.4, 0.1386, 15.0)
    """
    check_choice(scale, "scale", get_args(FitScale))
    x, y = _checked(sizes, rates)
    fitted = y > 0 if scale == "log" else np.ones(len(y), dtype=bool)
    a1, a2, se_a1, se_a2 = _FITS[scale](x[fitted], y[fitted])
    expected = a1 * np.exp(-a2 * x[fitted])
    error, bias = _held_out_error(x, y, scale)
    return ExponentialFit(
        a1=a1,
        a2=a2,
        se_a1=se_a1,
        se_a2=se_a2,
        chi_squared=float(100.0 * np.sum((y[fitted] - expected) ** 2 / expected)),
        degrees_of_freedom=int(fitted.sum()) - 2,
        sizes=x[fitted].astype(np.int64),
        rates=y[fitted],
        zero_sizes=tuple(x[y == 0].astype(int).tolist()),
        scale=scale,
        held_out_error=error,
        held_out_bias=bias,
    )


def exponential_table(error_rates: ErrorRates, *, half_swaps: bool = True) -> pd.DataFrame:
    """Fit every metric and tolerance, one row each.

    ``within_published_criterion`` is None of a fit through two sizes, which nothing could speak against.

    Examples
    --------
    >>> from metaeval.resampling.swap import swap_method
    >>> noise = np.random.default_rng(1).random((6, 60))
    >>> exponential_table(swap_method(noise, tolerances=[0], rng=0))[["metric", "tolerance", "n_zero_sizes"]]
        metric  tolerance  n_zero_sizes
    0  metric1     0.0             0
    """
    rates = error_rates.rates(half_swaps=half_swaps)
    return pd.DataFrame(
        [
            {"metric": metric, "tolerance": tolerance}
            | _row(error_rates.sizes, rates.sel({"metric": metric, "tolerance": tolerance}).to_numpy())
            for metric in error_rates.metrics
            for tolerance in error_rates.tolerances
        ]
    )


def exponential_errors(error_rates: ErrorRates, *, half_swaps: bool = True) -> pd.DataFrame:
    """Return the Monte-Carlo standard errors of `exponential_table`, by leaving out a fifth of the trials."""
    groups = min(_GROUPS, error_rates.n_trials)
    group_of = np.arange(error_rates.n_trials) % groups
    if groups == 1:
        return exponential_table(error_rates, half_swaps=half_swaps).select_dtypes("number") * np.nan
    again = [
        exponential_table(
            replace(error_rates, counts=error_rates.counts.isel(trial=np.flatnonzero(group_of != group))),
            half_swaps=half_swaps,
        ).select_dtypes("number")
        for group in range(groups)
    ]
    spread = np.stack(again).std(axis=0, ddof=0) * np.sqrt(groups - 1)
    return pd.DataFrame(spread, columns=again[0].columns)


def _row(sizes: tuple[int, ...], rates: Floats) -> dict[str, object]:
    names = ("a1", "se_a1", "a2", "se_a2", "chi_squared", "degrees_of_freedom")
    fit: ExponentialFit | None = None
    within: bool | None = False
    try:
        fit = fit_exponential(sizes, rates)
    except EstimationError as error:
        note = str(error)
    else:
        within = fit.chi_squared <= PUBLISHED_CRITERION if fit.degrees_of_freedom else None
        note = "" if fit.a2 > 0 else "the error rate does not fall with size"
        note = note if within is not None else "; ".join(filter(None, (note, _THROUGH_BOTH)))
    return {name: getattr(fit, name, np.nan) for name in names} | {
        "within_published_criterion": within,
        "n_zero_sizes": int((rates == 0).sum()),
        "held_out_error": getattr(fit, "held_out_error", np.nan),
        "held_out_bias": getattr(fit, "held_out_bias", np.nan),
        "note": note,
    }


def _checked(sizes: ArrayLike, rates: ArrayLike) -> tuple[Floats, Floats]:
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(rates, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or not (np.diff(x, prepend=0.0) > 0).all():
        message = f"`sizes` must be ascending numbers above 0, one for each rate; there are {x.size} and {y.size} rates"
        raise InvalidOptionError(message)
    if not ((y >= 0) & (y <= 1)).all():
        raise InvalidOptionError(f"error rates must lie in [0, 1] at every size, not {y[~((y >= 0) & (y <= 1))][0]:g}")
    if (y > 0).sum() < 2:  # noqa: PLR2004 - two parameters
        raise EstimationError(
            f"{int((y > 0).sum())} of {len(y)} sizes have an error above 0, and an exponential needs two: "
            "the error is already (nearly) zero, or more trials are needed"
        )
    return x, y


def _fit_log(x: Floats, y: Floats) -> tuple[float, float, float, float]:
    centred = x - x.mean()
    slope = float(centred @ np.log(y) / (centred @ centred))
    level = float(np.log(y).mean() - slope * x.mean())
    residual = np.log(y) - level - slope * x
    variance = residual @ residual / (len(x) - 2) if len(x) > 2 else np.nan  # noqa: PLR2004 - two parameters
    se_slope = np.sqrt(variance / (centred @ centred))
    se_level = np.sqrt(variance * (1 / len(x) + x.mean() ** 2 / (centred @ centred)))
    return float(np.exp(level)), -slope, float(np.exp(level) * se_level), float(se_slope)


def _fit_rate(x: Floats, y: Floats) -> tuple[float, float, float, float]:
    seen = y > 0
    a1, a2, *_ = _fit_log(x[seen], y[seen])
    floored = np.maximum(y, y[seen].min() / 2)
    weight = np.sqrt(floored * (1 - np.minimum(floored, 0.999)))

    middle = float(x.mean())  # beside which the decline is of the size of the level

    def residuals(parameters: Floats) -> Floats:
        return (np.exp(parameters[..., :1] - parameters[..., 1:] * x / middle) - y) / weight

    search = least_squares(residuals, [np.log(a1), a2 * middle], x_scale="jac", xtol=1e-12)
    level, decline = settled_minimum(residuals, search.x) / (1.0, middle)
    fitted = np.exp(level - decline * x)
    slopes, left = np.stack([fitted, -x * fitted] / weight, axis=1), (fitted - y) / weight
    if len(x) == 2:  # noqa: PLR2004 - two parameters
        return float(np.exp(level)), float(decline), np.nan, np.nan
    covariance = np.linalg.pinv(slopes.T @ slopes) * (left @ left) / (len(x) - 2)
    se_level, se_decline = np.sqrt(np.diag(covariance))
    return float(np.exp(level)), float(decline), float(np.exp(level) * se_level), float(se_decline)


_FITS = {"log": _fit_log, "rate": _fit_rate}


def _held_out_error(x: Floats, y: Floats, scale: FitScale) -> tuple[float, float]:
    later = held_out(x)
    early = ~later & ((y > 0) if scale == "log" else True)
    if len(x) < 4 or (y[~later] > 0).sum() < 2 or not y[later].any():  # noqa: PLR2004 - two to fit, two to predict
        return np.nan, np.nan
    a1, a2, *_ = _FITS[scale](x[early], y[early])
    missed = a1 * np.exp(-a2 * x[later]) - y[later]
    return float(np.sqrt(np.mean(missed**2)) / y[later].mean()), float(missed.mean() / y[later].mean())
