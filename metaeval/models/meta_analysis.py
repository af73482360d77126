"""Estimates of several collections put together: their mean, how far they differ, what to expect of another one."""

from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, ndtr, stdtrit

from metaeval.base.arrays import Floats
from metaeval.tests_stat.tails import student_p

Between = Literal["iterated", "dl"]
"""How the variance between collections is estimated: Paule and Mandel's iteration, or DerSimonian and Laird's step."""
FEW = 4
"""Of so many collections and fewer the variance between them is barely known."""
PRIOR_ERRORS = 2.0
"""Scale of the half-normal prior of tau, in typical standard errors of a collection."""
_TWO, _THREE = 2, 3
_NODES, _FAR = 400, 8.0
"""Of the quadrature over tau, and how many typical widths it goes."""


class Together(NamedTuple):
    """What several estimates say together."""

    mean: float
    low: float
    high: float
    p_value: float
    """Two-sided, of a mean of 0; of a posterior twice the smaller tail."""
    tau: float
    """Standard deviation between collections: estimated, or the median of the posterior."""
    i2: float
    """Share of the variance of the estimates that is between collections, 0 to 1."""
    p_equal: float
    """Cochran's Q, by the chi-squared law: of all collections having one true value."""
    new_low: float
    new_high: float
    """Between which the true value of a new collection is expected; NaN of two collections."""


class Alone(NamedTuple):
    """What several estimates say of these collections and no others."""

    here: float
    here_low: float
    here_high: float
    p_here: float
    """Two-sided, of a mean of 0."""


def combine_these(estimates: Floats, variances: Floats, freedom: Floats, *, confidence_level: float = 0.95) -> Alone:
    r"""Return the mean of the true values of these collections, each weighted by its precision: fixed effects.

    With :math:`w_i = 1 / v_i` the mean is :math:`\sum w_i y_i / \sum w_i` with the variance :math:`1 / \sum w_i`,
    whether collections differ or not (Rice, Higgins and Lumley 2018): the fixed mean and error of
    `statsmodels.stats.meta_analysis.combine_effects`. The interval has Student's t with Satterthwaite's
    :math:`(\sum w_i)^2 / \sum (w_i^2 / \nu_i)` degrees of freedom.

    Parameters
    ----------
    estimates, variances, freedom : array (collections,)
        Variances above 0, with :math:`\nu` degrees of freedom, infinite for those that are known.
    confidence_level : float

    Returns
    -------
    Alone

    Examples
    --------
    >>> alone = combine_these(np.array([0.2, 0.4]), np.array([0.01, 0.01]), np.array([49.0, 49.0]))
    >>> [round(value, 3) for value in alone]
    [0.3, 0.16, 0.44, 0.0]
    """
    weights = 1.0 / variances
    total = weights.sum()
    with np.errstate(divide="ignore"):
        of_mean = float(total**2 / (weights**2 / freedom).sum())
    mean, error = float((weights * estimates).sum() / total), float(1.0 / np.sqrt(total))
    half = float(stdtrit(of_mean, (1.0 + confidence_level) / 2.0)) * error
    return Alone(mean, mean - half, mean + half, float(student_p(of_mean, np.array([mean / error])).p[0]))


def combine(
    estimates: Floats, variances: Floats, *, between: Between = "iterated", confidence_level: float = 0.95
) -> Together:
    r"""Put independent estimates with known variances together by a model of random effects.

    Mean, :math:`\tau^2`, Cochran's Q and :math:`I^2` (not below 0) are those of
    `statsmodels.stats.meta_analysis.combine_effects`; the mean is weighted by :math:`w_i = 1 / (v_i + \tau^2)`. Its
    interval is that of Hartung and Knapp (2001), :math:`\bar y \pm t_{k-1} \sqrt{q / \sum w_i}` with
    :math:`q = \sum w_i (y_i - \bar y)^2 / (k - 1)`, and q counts as 1 at least: estimates that chance leaves close
    together would else give an interval narrower than their own errors allow (the "ad hoc" correction of Knapp and
    Hartung; Röver, Knapp and Friede 2015). p is of the same statistic. The prediction interval is
    :math:`\bar y \pm t_{k-2} \sqrt{\tau^2 + 1 / \sum w_i}` (Higgins, Thompson and Spiegelhalter 2009).

    Parameters
    ----------
    estimates, variances : array (collections,)
        At least two; variances above 0.
    between : {"iterated", "dl"}
    confidence_level : float

    Returns
    -------
    Together

    Examples
    --------
    >>> effects, variances = np.array([0.10, 0.30, 0.35, 0.65, 0.45, 0.15]), np.array([3, 3, 5, 1, 5, 2]) / 100
    >>> together = combine(effects, variances, between="dl")
    >>> round(together.mean, 3), round(together.tau**2, 4), round(together.i2, 2)
    (0.344, 0.0398, 0.61)
    """
    from statsmodels.stats.meta_analysis import combine_effects  # noqa: PLC0415 - of this question alone

    n = len(estimates)
    with np.errstate(divide="ignore", invalid="ignore"):  # its I² divides by Q, its roots take negative variances
        fitted = combine_effects(estimates, variances, method_re=between, use_t=True)
    tau2 = float(fitted.tau2)
    mean, spread2, own_error = fitted.mean_effect_re, fitted.var_hksj_re, fitted.sd_eff_w_re
    if tau2 < 0.0:  # as DerSimonian and Laird's may be
        tau2, mean, spread2, own_error = 0.0, fitted.mean_effect_fe, fitted.var_hksj_fe, fitted.sd_eff_w_fe
    mean, own_error = float(mean), float(own_error)
    q = max(float(fitted.q), 0.0)  # a difference of sums, which may end below 0
    upper = (1.0 + confidence_level) / 2.0
    error = max(float(np.sqrt(spread2)), own_error)
    half, p_value = stdtrit(n - 1, upper) * error, student_p(n - 1, np.array([mean / error])).p[0]
    ahead = stdtrit(n - _TWO, upper) * np.hypot(np.sqrt(tau2), own_error) if n > _TWO else np.nan
    return Together(
        mean=mean,
        low=mean - float(half),
        high=mean + float(half),
        p_value=float(p_value),
        tau=float(np.sqrt(tau2)),
        i2=_share_between(q, n),
        p_equal=float(chdtrc(n - 1, q)),
        new_low=mean - float(ahead),
        new_high=mean + float(ahead),
    )


def combine_with_prior(
    estimates: Floats, variances: Floats, *, prior_scale: float | None = None, confidence_level: float = 0.95
) -> Together:
    r"""Put independent estimates together with a half-normal prior of :math:`\tau` and a flat one of the mean.

    Given :math:`\tau` the mean is normal (Röver 2020), so that one integral is left, over :math:`\tau`; it is done by
    Gauss and Legendre's rule. Intervals are equal-tailed.

    Parameters
    ----------
    estimates, variances : array (collections,)
        As for `combine`.
    prior_scale : float, optional
        Of the half-normal law; by default `PRIOR_ERRORS` times the median standard error.
    confidence_level : float

    Returns
    -------
    Together

    Examples
    --------
    >>> together = combine_with_prior(np.array([0.2, 0.5, 0.3]), np.array([0.01, 0.01, 0.01]))
    >>> [round(end, 2) for end in (together.low, together.mean, together.high)]
    [0.1, 0.33, 0.56]
    """
    q = float(np.sum((estimates - np.average(estimates, weights=1.0 / variances)) ** 2 / variances))
    scale = PRIOR_ERRORS * float(np.sqrt(np.median(variances))) if prior_scale is None else prior_scale
    typical = scale + np.sqrt(scale * np.ptp(estimates))
    nodes, weights = _gauss()
    tau = _FAR * typical * (nodes + 1.0) / 2.0
    total = variances + tau[:, None] ** 2
    centres = (estimates / total).sum(axis=1) / (1.0 / total).sum(axis=1)
    spread2 = 1.0 / (1.0 / total).sum(axis=1)
    misfit = ((estimates - centres[:, None]) ** 2 / total).sum(axis=1)
    log_density = -0.5 * (misfit + np.log(total).sum(axis=1) - np.log(spread2) + (tau / scale) ** 2)
    weight = weights * np.exp(log_density - log_density.max())
    weight /= weight.sum()

    def quantile(probability: float, deviations: Floats) -> float:
        reach = np.array([centres.min(), centres.max()]) + _FAR * deviations.max() * np.array([-1.0, 1.0])
        return float(brentq(lambda end: weight @ ndtr((end - centres) / deviations) - probability, *reach, xtol=1e-13))

    below = float(weight @ ndtr(-centres / np.sqrt(spread2)))
    sides = ((1.0 - confidence_level) / 2.0, (1.0 + confidence_level) / 2.0)
    low, high = (quantile(side, np.sqrt(spread2)) for side in sides)
    new_low, new_high = (quantile(side, np.sqrt(spread2 + tau**2)) for side in sides)
    return Together(
        mean=float(weight @ centres),
        low=low,
        high=high,
        p_value=2.0 * min(below, 1.0 - below),
        tau=float(np.interp(0.5, np.cumsum(weight) - weight / 2.0, tau)),
        i2=_share_between(q, len(estimates)),
        p_equal=float(chdtrc(len(estimates) - 1, q)),
        new_low=new_low,
        new_high=new_high,
    )


@cache
def _gauss() -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss's rule on the interval from -1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _share_between(q: float, n: int) -> float:
    return max(1.0 - (n - 1) / q, 0.0) if q > 0.0 else 0.0
