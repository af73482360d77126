r"""How many topics a new collection needs, before it is built: power of a test, or width of an interval.

Three questions, all after Sakai (2016, "Topic set size design"): enough topics for a paired t test to find a
difference, for a one-way analysis of variance over m systems to find one between the best and the worst, or for the
confidence interval of a difference to be narrow. The exact non-central distributions are the default; Sakai's closed
approximations are kept for comparison with published tables.

Two variances occur. The paired t test and the interval take the variance of a *difference* between two systems on one
topic; the analysis of variance takes that of one system's score. With independent systems of equal variance the former
is twice the latter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import fdtri, gammaln, ncfdtr, ndtr, ndtri, stdtrit

from metaeval.checks import check_choice, check_count, check_number, check_share
from metaeval.equality import centred
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.scores import as_scores, oriented_values

__all__ = [
    "DesignMethod",
    "PilotVariance",
    "VarianceMethod",
    "anova_power",
    "interval_width",
    "paired_t_power",
    "pilot_variance",
    "topic_set_size_for_anova",
    "topic_set_size_for_interval",
    "topic_set_size_for_t",
]

type Floats = NDArray[np.float64]
DesignMethod = Literal["exact", "approximate"]
VarianceMethod = Literal["residual", "within", "pairs"]
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
        Variance of the difference of two systems on one topic (see `pilot_variance`; twice a score's variance).
    alpha : float, default 0.05
        Significance level.
    power : float, default 0.8
        Wanted chance of finding it.
    method : {"exact", "approximate"}
        Non-central t distribution, or Sakai's closed formula.

    Returns
    -------
    int

    Raises
    ------
    InvalidOptionError
        If an argument is outside its rule.
    EstimationError
        If more than ten million topics would be needed.

    Notes
    -----
    Exact: the smallest n whose `paired_t_power` is at least `power`. Approximate, with :math:`\Delta` the difference
    over the standard deviation of differences (Sakai 2016, section 2.3):

    .. math:: n = \left\lceil \left(\frac{z_{1 - \alpha/2} + z_{power}}{\Delta}\right)^2 + \frac{z_{1-\alpha/2}^2}{2}
              \right\rceil

    Examples
    --------
    >>> topic_set_size_for_t(0.1, 0.1), topic_set_size_for_t(0.1, 0.1, method="approximate")
    (81, 81)
    """
    check_number(min_difference, "min_difference", above=0)
    check_number(difference_variance, "difference_variance", above=0)
    check_share(alpha, "alpha")
    check_number(power, "power", above=alpha, below=1, unit="above alpha")
    if _chosen(method) == "approximate":
        z = ndtri(1 - alpha / 2)
        needed = (z + ndtri(power)) ** 2 * difference_variance / min_difference**2 + z**2 / 2
        return _whole(needed)
    return _fewest(
        lambda n: paired_t_power(n, min_difference, difference_variance, alpha=alpha) >= power,
    )


def paired_t_power(n_topics: int, min_difference: float, difference_variance: float, *, alpha: float = 0.05) -> float:
    r"""Return the chance that a two-sided paired t test finds a difference.

    Parameters
    ----------
    n_topics : int
        At least 2.
    min_difference, difference_variance, alpha
        As in `topic_set_size_for_t`.

    Notes
    -----
    :math:`P(t'^2 \ge t_{\alpha}^2)` with :math:`t'^2` non-central F with 1 and n - 1 degrees of freedom and
    :math:`\lambda = n \, minD^2 / \sigma_d^2`: both tails of the non-central t.

    Examples
    --------
    >>> round(paired_t_power(81, 0.1, 0.1), 3)
    0.803
    """
    check_number(min_difference, "min_difference", above=0)
    check_number(difference_variance, "difference_variance", above=0)
    check_share(alpha, "alpha")
    check_count(n_topics, "n_topics", least=2)
    critical = stdtrit(n_topics - 1, 1 - alpha / 2) ** 2
    return float(1 - ncfdtr(1, n_topics - 1, n_topics * min_difference**2 / difference_variance, critical))


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
        Variance of one system's score over topics (see `pilot_variance`).
    n_systems : int
        m, at least 2.
    alpha, power, method
        As in `topic_set_size_for_t`.

    Returns
    -------
    int

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
    check_number(min_difference, "min_difference", above=0)
    check_number(variance, "variance", above=0)
    check_share(alpha, "alpha")
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

    Parameters
    ----------
    n_topics : int
        At least 2.
    min_difference, variance, n_systems, alpha, method
        As in `topic_set_size_for_anova`.

    Notes
    -----
    Approximation of the non-central F distribution (Sakai 2016, section 2.4, after Nagata): with
    :math:`\varphi_A = m - 1`, :math:`\varphi_E = m(n - 1)`, w the critical value,
    :math:`c = (\varphi_A + 2\lambda)/(\varphi_A + \lambda)` and
    :math:`\varphi^* = (\varphi_A + \lambda)^2 / (\varphi_A + 2\lambda)`,

    .. math:: 1 - power \approx \Phi\!\left(\frac{\sqrt{w/\varphi_E}\sqrt{2\varphi_E - 1}
              - \sqrt{c/\varphi_A}\sqrt{2\varphi^* - 1}}{\sqrt{c/\varphi_A + w/\varphi_E}}\right)

    Examples
    --------
    >>> round(anova_power(158, 0.1, 0.05, 10), 4)
    0.802
    """
    check_number(min_difference, "min_difference", above=0)
    check_number(variance, "variance", above=0)
    check_share(alpha, "alpha")
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

    Sakai (2016, section 2.5).

    Examples
    --------
    >>> topic_set_size_for_interval(0.1, 0.1)
    156
    """
    check_number(width, "width", above=0)
    check_number(difference_variance, "difference_variance", above=0)
    check_share(alpha, "alpha")
    return _fewest(lambda n: interval_width(n, difference_variance, alpha=alpha, method=method) <= width)


def interval_width(
    n_topics: int, difference_variance: float, *, alpha: float = 0.05, method: DesignMethod = "exact"
) -> float:
    """Return the expected width of the confidence interval of a difference between two systems.

    Parameters
    ----------
    n_topics : int
        At least 2.
    difference_variance, alpha, method
        As in `topic_set_size_for_interval`.

    Examples
    --------
    >>> round(interval_width(156, 0.1), 4)
    0.0999
    """
    check_number(difference_variance, "difference_variance", above=0)
    check_share(alpha, "alpha")
    check_count(n_topics, "n_topics", least=2)
    freedom = n_topics - 1
    if _chosen(method) == "exact":
        shrink = np.sqrt(2 / freedom) * np.exp(gammaln(n_topics / 2) - gammaln(freedom / 2))
    else:
        shrink = 1 - 1 / (4 * freedom)
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * shrink * np.sqrt(difference_variance / n_topics))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotVariance:
    """Variance per metric, from the scores at hand.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a metric and collection, and a row "pooled" a metric where there are several: ``variance`` of one
        system's score, ``difference_variance`` (of a pair's difference on one topic, twice that), and the
        ``degrees_of_freedom`` that weigh a collection in the pooled row.
    method : {"residual", "within", "pairs"}
    """

    table: pd.DataFrame
    method: VarianceMethod

    def pooled(self) -> pd.DataFrame:
        """Return one row a metric: pooled over the collections, or as it is where there is one."""
        return self.table.groupby("metric", sort=False).tail(1).reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table.copy()


def pilot_variance(
    scores: object,
    *,
    method: VarianceMethod = "residual",
    pairs: Sequence[tuple[str, str]] | None = None,
) -> PilotVariance:
    r"""Estimate the variance that the designs need from scores on topics that were already judged.

    Parameters
    ----------
    scores : Scores, anything `metaeval.as_scores` takes, or a list or a mapping of collection name to Scores
        Several collections are pooled by degrees of freedom. (A mapping of metric to DataFrame is one collection.)
    method : {"residual", "within", "pairs"}
        "residual": of a two-way layout, systems and topics taken out; the difference variance is then the mean over
        all pairs, and the topics' own difficulty, which cancels in a paired comparison, does not count.
        "within": about each system's own mean, topics not taken out (Sakai's one-way estimate, larger).
        "pairs": from the differences of the pairs named.
    pairs : sequence of (str, str), optional
        Pairs of systems for ``method="pairs"``; their variances are averaged.

    Returns
    -------
    PilotVariance

    Raises
    ------
    EstimationError
        If the systems do not differ from each other on any topic, so that there is no variance to plan with.
    ScoresError
        If the scores have gaps.
    InvalidOptionError
        If an option is outside its rule.

    Notes
    -----
    With m systems and n topics, :math:`V_{within} = \sum_{ij} (x_{ij} - \bar x_{i\cdot})^2 / (m (n - 1))` and
    :math:`V_{residual} = \sum_{ij} (x_{ij} - \bar x_{i\cdot} - \bar x_{\cdot j} + \bar x)^2 / ((m - 1)(n - 1))`
    (Sakai 2016, section 2.2); :math:`\sigma_d^2 = 2 V`. Pooled: :math:`\sum_C \nu_C V_C / \sum_C \nu_C`.

    Examples
    --------
    >>> found = pilot_variance([[0.1, 0.5, 0.3], [0.2, 0.4, 0.6]]).pooled()
    >>> found["difference_variance"].round(4).tolist(), found["degrees_of_freedom"].tolist()
    ([0.04], [2])
    """
    check_choice(method, "method", get_args(VarianceMethod))
    if (method == "pairs") != bool(pairs):
        message = f"pairs= names the pairs of systems of method='pairs'; got method={method!r} and pairs={pairs!r}"
        raise InvalidOptionError(message)
    rows = [
        {"collection": name, **row}
        for name, collection in _collections(scores).items()
        for row in _variances(collection, method, pairs)
    ]
    frame = pd.DataFrame(rows)
    if len(frame["collection"].unique()) > 1:
        frame = _with_pooled(frame)
    return PilotVariance(table=frame, method=method)


def _collections(scores: object) -> dict[str, object]:
    if isinstance(scores, Mapping) and not all(isinstance(value, pd.DataFrame) for value in scores.values()):
        return {str(name): value for name, value in scores.items()}
    if isinstance(scores, list) and scores and not np.isscalar(scores[0]) and hasattr(scores[0], "dims"):
        return {f"collection{number}": value for number, value in enumerate(scores, start=1)}
    return {"collection1": scores}


def _variances(
    collection: object, method: VarianceMethod, pairs: Sequence[tuple[str, str]] | None
) -> list[dict[str, object]]:
    scores = as_scores(collection)
    values = oriented_values(scores)
    if method == "pairs":
        variance, freedom = _pair_variance(values, scores["system"].to_numpy().tolist(), pairs or ())
    else:
        variance, freedom = _VARIANCES[method](values)
    if not variance.all():
        message = (
            f"under {str(scores['metric'].to_numpy()[variance == 0][0])!r} there is no variance left to plan with "
            f"(method={method!r}): the systems differ by a constant, or not at all"
        )
        raise EstimationError(message)
    return [
        {
            "metric": str(metric),
            "variance": float(one),
            "difference_variance": 2.0 * float(one),
            "degrees_of_freedom": freedom,
        }
        for metric, one in zip(scores["metric"].to_numpy(), variance, strict=True)
    ]


def _within(values: Floats) -> tuple[Floats, int]:
    _, n_systems, n_topics = values.shape
    own, _ = centred(values, np.abs(values), axis=2)
    freedom = n_systems * (n_topics - 1)
    return (own**2).sum(axis=(1, 2)) / freedom, freedom


def _residual(values: Floats) -> tuple[Floats, int]:
    _, n_systems, n_topics = values.shape
    residual, _ = centred(*centred(values, np.abs(values), axis=2), axis=1)
    freedom = (n_systems - 1) * (n_topics - 1)
    return (residual**2).sum(axis=(1, 2)) / freedom, freedom


def _pair_variance(values: Floats, names: list[str], pairs: Sequence[tuple[str, str]]) -> tuple[Floats, int]:
    for name in (name for pair in pairs for name in pair):
        check_choice(name, "system", names)
    first, second = (np.array([names.index(pair[side]) for pair in pairs]) for side in (0, 1))
    own, _ = centred(values[:, first] - values[:, second], np.abs(values[:, first]) + np.abs(values[:, second]), axis=2)
    freedom = values.shape[2] - 1
    return (own**2).sum(axis=2).mean(axis=1) / freedom / 2, len(pairs) * freedom


_VARIANCES: dict[str, Callable[[Floats], tuple[Floats, int]]] = {"residual": _residual, "within": _within}


def _with_pooled(frame: pd.DataFrame) -> pd.DataFrame:
    blocks = []
    for metric, block in frame.groupby("metric", sort=False):
        weight = block["degrees_of_freedom"]
        variance = float((block["variance"] * weight).sum() / weight.sum())
        pooled = {"collection": "pooled", "metric": metric, "variance": variance}
        pooled |= {"difference_variance": 2 * variance, "degrees_of_freedom": int(weight.sum())}
        blocks += [block, pd.DataFrame([pooled])]
    return pd.concat(blocks, ignore_index=True)


def _fewest(enough: Callable[[int], bool]) -> int:
    """Return the smallest n from 2 for which `enough` holds, by doubling and halving."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_TOPICS:
            message = f"more than {MOST_TOPICS} topics would be needed: the difference asked for is too small"
            raise EstimationError(message)
    low = high // 2 if high > 2 else 1  # noqa: PLR2004 - two topics are the fewest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _whole(needed: float) -> int:
    if needed > MOST_TOPICS:
        message = f"more than {MOST_TOPICS} topics would be needed: the difference asked for is too small"
        raise EstimationError(message)
    return max(2, int(np.ceil(needed)))


def _chosen(method: str) -> str:
    check_choice(method, "method", get_args(DesignMethod))
    return method
