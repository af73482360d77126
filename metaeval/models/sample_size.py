r"""How many topics a new collection needs, before it is built: power of a test, or width of an interval.

Three questions, all after Sakai (2016, "Topic set size design"): enough topics for a paired t test to find a
difference, for a one-way analysis of variance over m systems to find one between the best and the worst, or for the
confidence interval of a difference to be narrow. The exact non-central distributions are the default; Sakai's closed
approximations are kept for comparison with published tables.

The variances that they take come from topics judged before (`metaeval.models.variances`).
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtri, gammaln, ncfdtr, ndtr, ndtri, stdtrit

from metaeval.base.checks import check_choice, check_count, check_number, check_share
from metaeval.base.unit import unit
from metaeval.errors import EstimationError
from metaeval.tests_stat.noncentral_t import detectable_shift, two_sided_power

DesignMethod = Literal["exact", "approximate"]
MOST_TOPICS = 10_000_000


def topic_set_size_for_t(
    min_difference: float,
    difference_variance: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: DesignMethod = "exact",
) -> int:
    r"""Return the fewest topics with which a two-sided paired t test finds a difference with a given power.

    Parameters
    ----------
    min_difference : float
        Smallest true difference of two means worth finding, in the metric's unit.
    difference_variance : float
        Variance of the difference of two systems on one topic (see
        `metaeval.models.variances.pilot_variance`; twice a score's variance).
    alpha : float, default 0.05
        Significance level.
    power : float, default 0.8
        Wanted chance of finding it.
    method : {"exact", "approximate"}
        Non-central t distribution, or Sakai's closed formula.

    Returns
    -------
    int
        A number of topics, 2 at least.

    Raises
    ------
    InvalidOptionError
        If an argument is outside its rule.
    EstimationError
        If more than ten million topics would be needed.

    Notes
    -----
    Exact: the smallest n whose `paired_t_power` is at least `power`. Approximate, with :math:`\Delta` the difference
    over the standard deviation of differences ([1]_, section 2.3):

    .. math:: n = \left\lceil \left(\frac{z_{1 - \alpha/2} + z_{power}}{\Delta}\right)^2 + \frac{z_{1-\alpha/2}^2}{2}
              \right\rceil

    References
    ----------
    .. [1] Sakai (2016). Topic set size design. Information Retrieval Journal. :doi:`10.1007/s10791-015-9273-z`

    Examples
    --------
    >>> topic_set_size_for_t(0.1, 0.1), topic_set_size_for_t(0.1, 0.1, method="approximate")
    (81, 81)
    """
    _check(alpha, min_difference=min_difference, difference_variance=difference_variance)
    check_number(power, "power", above=alpha, below=1, unit="above alpha")
    if _chosen(method) == "approximate":
        z = ndtri(1 - alpha / 2)
        needed = (z + ndtri(power)) ** 2 * difference_variance / min_difference**2 + z**2 / 2
        return max(2, math.ceil(_within(needed)))
    return int(_within(float(units_for_effect(min_difference / difference_variance**0.5, alpha=alpha, power=power))))


def units_for_effect(
    effect: ArrayLike, *, share: ArrayLike = 1.0, alpha: ArrayLike = 0.05, power: float = 0.8
) -> NDArray[np.float64]:
    r"""Return the fewest topics, or clusters, with which a two-sided t test finds effects with a given power.

    Notes
    -----
    The smallest u with :math:`P(|T'| \ge t_\alpha) \ge power`, T' with :math:`cu - 1` degrees of freedom and
    non-centrality :math:`effect \sqrt{cu}`, c the share.

    Examples
    --------
    >>> units_for_effect([0.5, 0.1, 0.0]).tolist()
    [34.0, 787.0, inf]
    """
    sizes, shares, levels = np.broadcast_arrays(
        *(np.asarray(argument, dtype=np.float64) for argument in (effect, share, alpha))
    )
    sizes = np.abs(sizes)
    needed = np.where(np.isnan(sizes), np.nan, np.inf)
    z = ndtri(1.0 - levels / 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        guess = ((z + ndtri(power)) ** 2 / sizes**2 + z**2 / 2.0) / shares  # Sakai's
    asked = guess <= MOST_TOPICS
    guess, sizes, shares, levels = guess[asked], sizes[asked], shares[asked], levels[asked]

    def enough(units: NDArray[np.float64], at: NDArray[np.intp] | slice = slice(None)) -> NDArray[np.bool_]:
        worth = shares[at] * units
        return two_sided_power(sizes[at] * np.sqrt(worth), worth - 1.0, alpha=levels[at]) >= power

    least = np.maximum(2.0, np.floor(1.0 / shares) + 1.0)
    high = np.maximum(least, np.ceil(1.05 * guess) + 2.0)
    while not (reached := enough(high)).all():
        high = np.where(reached, high, 2.0 * high)
    low = np.maximum(least, np.floor(0.95 * guess) - 2.0)
    low = np.where(enough(low), least - 1.0, low)
    while len(left := np.flatnonzero(high - low > 1.0)):
        middle = np.floor((low[left] + high[left]) / 2.0)
        reached = enough(middle, left)
        low[left], high[left] = np.where(reached, low[left], middle), np.where(reached, middle, high[left])
    needed[asked] = high
    return needed


def paired_t_power(n_topics: int, min_difference: float, difference_variance: float, *, alpha: float = 0.05) -> float:
    r"""Return the chance that a two-sided paired t test finds a difference.

    Notes
    -----
    Both tails of the non-central t with n - 1 degrees of freedom and the shift :math:`\sqrt{n} \, minD / \sigma_d`.

    Examples
    --------
    >>> round(paired_t_power(81, 0.1, 0.1), 3)
    0.803
    """
    _check(alpha, min_difference=min_difference, difference_variance=difference_variance)
    check_count(n_topics, "n_topics", least=2)
    shift = min_difference * math.sqrt(n_topics / difference_variance)
    return float(two_sided_power(shift, n_topics - 1, alpha=alpha))


def largest_variance_for_t(n_topics: int, min_difference: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the variance of a difference up to which a two-sided paired t test finds the difference with a power.

    Examples
    --------
    >>> round(largest_variance_for_t(81, 0.1), 4)
    0.1007
    """
    return float(n_topics * (min_difference / detectable_shift(n_topics - 1, alpha=alpha, power=power)) ** 2)


def topic_set_size_for_anova(  # noqa: PLR0913 - the quantities of a design
    min_difference: float,
    variance: float,
    n_systems: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: DesignMethod = "exact",
) -> int:
    r"""Return the fewest topics with which a one-way analysis of variance over m systems finds a difference.

    Parameters
    ----------
    min_difference : float
        Smallest true difference between the best and the worst system worth finding.
    variance : float
        Variance of one system's score over topics (see `metaeval.models.variances.pilot_variance`).
    n_systems : int
        m, at least 2.
    alpha, power, method
        As in `topic_set_size_for_t`.

    Returns
    -------
    int
        A number of topics, 2 at least.

    Raises
    ------
    InvalidOptionError
        If an argument is outside its rule.
    EstimationError
        If more than ten million topics would be needed.

    Notes
    -----
    The smallest n with power at least `power`, where the worst case of all other systems midway between the two gives
    :math:`\lambda = n \, minD^2 / (2 \sigma^2)`. "approximate" replaces the non-central F by Sakai's normal
    approximation (see `anova_power`).

    Examples
    --------
    >>> topic_set_size_for_anova(0.1, 0.05, 10), topic_set_size_for_anova(0.1, 0.05, 10, method="approximate")
    (158, 157)
    """
    _check(alpha, min_difference=min_difference, variance=variance)
    check_number(power, "power", above=alpha, below=1, unit="above alpha")
    return _fewest(lambda n: anova_power(n, min_difference, variance, n_systems, alpha=alpha, method=method) >= power)


def anova_power(  # noqa: PLR0913 - the quantities of a design
    n_topics: int,
    min_difference: float,
    variance: float,
    n_systems: int,
    *,
    alpha: float = 0.05,
    method: DesignMethod = "exact",
) -> float:
    r"""Return the chance that a one-way analysis of variance finds that not all systems are equal.

    Notes
    -----
    Approximation of the non-central F distribution ([1]_, section 2.4, after Nagata): with
    :math:`\varphi_A = m - 1`, :math:`\varphi_E = m(n - 1)`, w the critical value,
    :math:`c = (\varphi_A + 2\lambda)/(\varphi_A + \lambda)` and
    :math:`\varphi^* = (\varphi_A + \lambda)^2 / (\varphi_A + 2\lambda)`,

    .. math:: 1 - power \approx \Phi\!\left(\frac{\sqrt{w/\varphi_E}\sqrt{2\varphi_E - 1}
              - \sqrt{c/\varphi_A}\sqrt{2\varphi^* - 1}}{\sqrt{c/\varphi_A + w/\varphi_E}}\right)

    References
    ----------
    .. [1] Sakai (2016). Topic set size design. Information Retrieval Journal. :doi:`10.1007/s10791-015-9273-z`

    Examples
    --------
    >>> round(anova_power(158, 0.1, 0.05, 10), 4)
    0.802
    """
    _check(alpha, min_difference=min_difference, variance=variance)
    check_count(n_topics, "n_topics", least=2)
    check_count(n_systems, "n_systems", least=2)
    between, within = n_systems - 1, n_systems * (n_topics - 1)
    critical = fdtri(between, within, 1 - alpha)
    shift = n_topics * min_difference**2 / (2 * variance)
    if _chosen(method) == "exact":
        return float(1 - ncfdtr(between, within, shift, critical))
    factor = (between + 2 * shift) / (between + shift)
    freedom = (between + shift) ** 2 / (between + 2 * shift)
    upper = np.sqrt(critical / within * (2 * within - 1)) - np.sqrt(factor / between * (2 * freedom - 1))
    return float(1 - ndtr(upper / np.sqrt(factor / between + critical / within)))


def topic_set_size_for_interval(
    width: float, difference_variance: float, *, alpha: float = 0.05, method: DesignMethod = "exact"
) -> int:
    r"""Return the fewest topics for which the interval of a difference is expected to be no wider than `width`.

    Parameters
    ----------
    width : float
        :math:`\delta`, the whole interval from end to end, in the metric's unit.
    difference_variance : float
        Variance of the difference of two systems on one topic.
    alpha : float, default 0.05
        One less the confidence level.
    method : {"exact", "approximate"}
        Expected standard deviation by the gamma function, or by its expansion.

    Returns
    -------
    int
        A number of topics, 2 at least.

    Raises
    ------
    InvalidOptionError
        If an argument is outside its rule.
    EstimationError
        If more than ten million topics would be needed.

    Notes
    -----
    The smallest n with :math:`2 t_{\alpha}(n - 1) E[s]/\sqrt n \le \delta`, where

    .. math:: E[s] = \sigma_d \sqrt{\frac{2}{n - 1}} \, \frac{\Gamma(n/2)}{\Gamma((n - 1)/2)}
              \approx \sigma_d \left(1 - \frac{1}{4 (n - 1)}\right)

    ([1]_, section 2.5).

    References
    ----------
    .. [1] Sakai (2016). Topic set size design. Information Retrieval Journal. :doi:`10.1007/s10791-015-9273-z`

    Examples
    --------
    >>> topic_set_size_for_interval(0.1, 0.1)
    156
    """
    _check(alpha, width=width, difference_variance=difference_variance)
    return _fewest(lambda n: interval_width(n, difference_variance, alpha=alpha, method=method) <= width)


def interval_width(
    n_topics: int, difference_variance: float, *, alpha: float = 0.05, method: DesignMethod = "exact"
) -> float:
    """Return the expected width of the confidence interval of a difference between two systems.

    Examples
    --------
    >>> round(interval_width(156, 0.1), 4)
    0.0999
    """
    _check(alpha, difference_variance=difference_variance)
    check_count(n_topics, "n_topics", least=2)
    freedom = n_topics - 1
    if _chosen(method) == "exact":
        shrink = np.sqrt(2 / freedom) * np.exp(gammaln(n_topics / 2) - gammaln(freedom / 2))
    else:
        shrink = 1 - 1 / (4 * freedom)
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * shrink * np.sqrt(difference_variance / n_topics))


def _check(alpha: float, **sizes: float) -> None:
    """Refuse a level outside its rule, and differences, variances and widths that are not above 0."""
    for name, size in sizes.items():
        check_number(size, name, above=0)
    check_share(alpha, "alpha")


def _fewest(enough: Callable[[int], bool]) -> int:
    """Return the smallest n from 2 for which `enough` holds, by doubling and halving."""
    high = 2
    while not enough(high):
        high = _within(2 * high)
    return bisect_left(range(high), 1, lo=max(2, high // 2), key=enough)


def _within[Number: (int, float)](needed: Number) -> Number:
    if needed > MOST_TOPICS:
        raise EstimationError(
            f"more than {MOST_TOPICS} {unit().topics} would be needed: the difference asked for is too small"
        )
    return needed


def _chosen(method: str) -> str:
    check_choice(method, "method", get_args(DesignMethod))
    return method
