"""Paired t test over all pairs of systems."""

from dataclasses import replace

import numpy as np

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.running.compiled import compiled, worth_loading
from metaeval.running.parallel import on_threads
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Question, ask
from metaeval.tests_stat.result import PairwiseResult, pairwise_result
from metaeval.tests_stat.robust import pair_estimates, t_evidence

_FEW = 2_000_000
"""Differences whose t takes NumPy less time than loading compiled code does."""


@documented
def paired_t_test(
    scores: object,
    *,
    alternative: Alternative = "two-sided",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    baseline: str | None = None,
) -> PairwiseResult:
    r"""Test which systems differ in mean score by the paired t test, for roughly normal differences.

    Parameters
    ----------
    scores, alternative, correction, alpha, baseline

    Returns
    -------
    PairwiseResult
        The statistic is the paired t. Columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.wilcoxon.wilcoxon_test
    metaeval.tests_stat.bootstrap.bootstrap_test

    Notes
    -----
    .. math:: t = \frac{\bar z}{s / \sqrt{T}}, \qquad s^2 = \frac{1}{T - 1} \sum_j (z_j - \bar z)^2

    with :math:`z_j` the difference on topic j of T, against Student's t with T - 1 degrees of freedom, as
    ``scipy.stats.ttest_rel``. Where SciPy has NaN, the answer is plain: systems equal on every topic get t = 0 and
    p = 1; a difference that is the same on every one of n topics gets an infinite t and the p-value of the test by
    random signs, :math:`2^{1 - n}` (one-sided :math:`2^{-n}`), for no spread tells of nothing but the signs.

    Topics in random clusters, or with weights :math:`w_j`: t is the (weighted) mean over its CR2 standard error [1]_
    [2]_, against Student's t with Satterthwaite's degrees of freedom, both with the identity for working model (the
    defaults of R's clubSandwich); without clusters every topic is one. Degrees of freedom below 4 tell of clusters too
    few or too uneven to be sure of anything. Topics in fixed clusters (strata): the variance of each stratum's mean by
    itself [3]_. Where there are gaps, every pair has the error and the degrees of freedom of its common topics; a pair
    with fewer than two of them, or in fewer than two clusters, has t = 0 and p = 1, and
    ``details["pairs_without_evidence"]`` counts such pairs. ``data`` then holds ``n_common`` and
    ``degrees_of_freedom``.

    Scores that are means over runs (repeats such as seeds) have these in their error, by Satterthwaite's degrees of
    freedom: see `metaeval.tests_stat.runs`, which every other test asks as well.

    References
    ----------
    .. [1] Bell and McCaffrey (2002). Bias reduction in standard errors for linear regression with multi-stage samples.
       Survey Methodology 28(2), 169-181.
    .. [2] Pustejovsky and Tipton (2018). Small-sample methods for cluster-robust variance estimation and hypothesis
       testing in fixed effects models. Journal of Business and Economic Statistics 36(4), 672-683.
       :doi:`10.1080/07350015.2016.1247004`
    .. [3] Cochran (1977). Sampling Techniques, sections 5.3 and 5.4.

    Examples
    --------
    >>> result = paired_t_test([[0.3, 0.5, 0.9], [0.2, 0.3, 0.6]], correction="none")
    >>> round(float(result.data["p_value"][0, 0]), 4)
    0.0742
    """
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test="t")
    if not question.plain:
        return _robust_t_test(question, correction)
    statistic = t_statistics(question)
    equal = question.n_apart == 0 if question.one_sided else statistic == 0.0
    evidence = t_evidence(question, statistic, question.n_topics - 1.0, equal)
    return pairwise_result(
        question, replace(evidence, error=_errors(question, statistic)), test="t", correction=correction
    )


def _robust_t_test(question: Question, correction: str) -> PairwiseResult:
    """Test by the standard error that holds for what the topics bring."""
    estimates = pair_estimates(question)
    evidence = t_evidence(question, estimates.statistic, estimates.certain_freedom, estimates.without_evidence)
    details = {} if question.units.plain else {"standard_error": "CR2"}
    evidence = replace(evidence, estimates=estimates, error=estimates.error)
    return pairwise_result(question, evidence, test="t", correction=correction, details=details)


def _errors(question: Question, statistic: Floats) -> Floats:
    """Return the standard errors behind t: the mean over t, and where the means are equal that of the differences."""
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.abs(question.mean_differences() / statistic)
    apart = question.n_apart if (statistic == 0.0).any() else statistic
    for metric_errors, values, t, differ in zip(errors, question.values, statistic, apart, strict=True):
        tied = t == 0.0
        spread = (values[question.first[tied]] - values[question.second[tied]]).std(axis=1, ddof=1)
        metric_errors[tied] = np.where(differ[tied] > 0, spread / np.sqrt(question.n_topics), 0.0)
    return errors


def t_statistics(question: Question) -> Floats:
    """Return the paired t of every metric and pair."""
    return np.stack(
        [
            paired_t_statistics(values, question.first, question.second, tolerance)
            for values, tolerance in zip(question.values, question.tolerance, strict=True)
        ]
    )


def paired_t_statistics(values: Floats, first: Ints, second: Ints, tolerance: Floats) -> Floats:
    """Return t of every pair; 0 for equal means, infinite for a constant difference.

    Shapes: `values` (system, topic), `first, second` (pair,), `tolerance` (pair,).
    """
    loaded = worth_loading(values.shape[1] * len(first), few=_FEW)
    return (_statistics if loaded else _numpy_statistics)(values, first, second, tolerance)


def _numpy_statistics(values: Floats, first: Ints, second: Ints, tolerance: Floats) -> Floats:
    """Return what the kernel below does, to the last bit: every sum goes topic by topic."""
    n_topics = values.shape[1]
    differences = values.T.take(first, axis=1) - values.T.take(second, axis=1)
    total, squares = np.zeros(len(first)), np.zeros(len(first))
    for row in differences:
        total += row
    mean = total / n_topics
    for row in differences:
        squares += (row - mean) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):  # no spread
        statistics = mean / np.sqrt(squares / (n_topics - 1) / n_topics)
    spread = squares * n_topics > tolerance * tolerance
    return np.where(np.abs(total) <= tolerance, 0.0, np.where(spread, statistics, np.copysign(np.inf, total)))


def _statistics(values: Floats, first: Ints, second: Ints, tolerance: Floats) -> Floats:
    statistics = np.empty(len(first))
    _fill_in(len(first), np.ascontiguousarray(values), first, second, tolerance, statistics)
    return statistics


@on_threads
@compiled
def _fill_in(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    start: int, stop: int, values: Floats, first: Ints, second: Ints, tolerance: Floats, statistics: Floats
) -> None:
    n_topics = values.shape[1]
    for pair in range(start, stop):
        a, b = values[first[pair]], values[second[pair]]
        total = 0.0
        for topic in range(n_topics):
            total += a[topic] - b[topic]
        mean = total / n_topics
        squares = 0.0
        for topic in range(n_topics):
            squares += (a[topic] - b[topic] - mean) ** 2
        if abs(total) <= tolerance[pair]:
            statistics[pair] = 0.0
        elif squares * n_topics > tolerance[pair] * tolerance[pair]:
            statistics[pair] = mean / np.sqrt(squares / (n_topics - 1) / n_topics)
        else:
            statistics[pair] = np.copysign(np.inf, total)


def equal_pairs(values: Floats, first: Ints, second: Ints, tolerance: Floats) -> Flags:
    """Say which pairs are equal on every topic (t is 0 also where they are equal only on average)."""
    apart = np.zeros(len(first))
    for topic in values.T:  # one by one, for there may be very many pairs
        apart += np.abs(topic[first] - topic[second])
    return apart <= tolerance
