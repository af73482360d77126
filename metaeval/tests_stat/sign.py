"""Sign test over all pairs of systems."""

from typing import Literal, get_args

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_number
from metaeval.running.compiled import compiled
from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Evidence, ask
from metaeval.tests_stat.result import PairwiseResult, pairwise_result
from metaeval.tests_stat.tails import even_binomial_tail, smaller, times

Method = Literal["exact", "mid-p"]


@documented
def sign_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    method: Method = "exact",
    zero_tol: float = 0.0,
    alternative: Alternative = "two-sided",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    baseline: str | None = None,
) -> PairwiseResult:
    r"""Test which systems win more topics than they lose, ignoring the size of differences.

    Parameters
    ----------
    scores
    method : {"exact", "mid-p"}
        "mid-p" counts half of the probability of what was seen, so that the test is less conservative.
    zero_tol : float, default 0.0
        Differences up to this size, in the unit of the scores, are ties and are left out; some published results
        use 0.01. Equality is that of `metaeval.running.equality`, topic by topic: two scores that differ by rounding
        alone (0.1 + 0.2 and 0.3) tie in any case, and so does a difference at the limit (0.8 - 0.7 and 0.1).
    alternative, correction, alpha, baseline

    Returns
    -------
    PairwiseResult
        The statistic is topics won minus topics lost; ``details["most_ties"]`` is the largest number of topics that any
        pair tied on, one per metric, and ``details["mcnemar"]`` says whether all scores are 0 or 1. Columns:
        `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.wilcoxon.wilcoxon_test

    Notes
    -----
    With w topics won and l lost out of n = w + l, exactly, as ``scipy.stats.binomtest(w, n)``:

    .. math:: p_> = P(X \ge w), \quad p_< = P(X \le w), \quad p = \min(1, 2 \min(p_>, p_<)),
              \qquad X \sim \mathrm{Bin}(n, 1/2)

    and with ``method="mid-p"``, :math:`p_> = P(X > w) + P(X = w) / 2` and :math:`p_<` likewise. A pair that ties on
    every topic has p = 1. Where there are gaps, every pair is compared on its common topics. Signs know no clusters,
    strata and weights: with these the test refuses.

    On scores of 0 and 1 this *is* McNemar's test [1]_: w and l are the discordant topics b and c, and with m the
    smaller of them :math:`p = \min(1, 2 P(X \le m))`, or mid-p :math:`2 P(X < m) + P(X = m)` [2]_.

    References
    ----------
    .. [1] McNemar (1947). Note on the sampling error of the difference between correlated proportions or percentages.
       Psychometrika 12, 153-157. :doi:`10.1007/BF02295996`
    .. [2] Fagerland, Lydersen and Laake (2013). The McNemar test for binary matched-pairs data: mid-p and asymptotic
       are better than exact conditional. BMC Medical Research Methodology 13, 91. :doi:`10.1186/1471-2288-13-91`

    Examples
    --------
    >>> result = sign_test([[0.3, 0.5, 0.9, 0.4], [0.2, 0.3, 0.6, 0.4]], correction="none")
    >>> float(result.data["p_value"][0, 0])
    0.25
    """
    check_number(zero_tol, "zero_tol", least=0, unit="in the unit of the scores")
    check_choice(method, "method", get_args(Method))
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test="sign")
    won, lost = np.stack(
        [sign_counts(values, question.first, question.second, float(zero_tol)) for values in question.values], axis=1
    )
    played = won + lost
    greater, less = (even_binomial_tail(side, played, mid_p=method == "mid-p") for side in (lost, won))
    evidence = Evidence(
        statistic=np.subtract(won, lost, dtype=np.float64),
        two_sided=times(smaller(greater, less), 2),
        greater=greater,
        less=less,
    )
    size = np.abs(question.values)
    details = {
        "method": method,
        "zero_tol": float(zero_tol),
        "most_ties": (question.n_common - played).max(axis=1).tolist(),
        "mcnemar": zero_tol < 1.0 and bool(((size == 0.0) | (size == 1.0) | np.isnan(size)).all()),
    }
    return pairwise_result(question, evidence, test="sign", correction=correction, details=details)


@compiled
def sign_counts(values: Floats, first: Ints, second: Ints, zero_tol: float) -> Ints:
    """Return on how many topics the first system of every pair wins and loses: an array (2, pair).

    Shapes: `values` (system, topic), `first, second` (pair,).
    """
    counts = np.zeros((2, len(first)), dtype=np.int64)
    for pair in range(len(first)):
        a, b = values[first[pair]], values[second[pair]]
        won = 0
        lost = 0
        for topic in range(values.shape[1]):
            difference = a[topic] - b[topic]
            limit = zero_tol + RELATIVE * (abs(a[topic]) + abs(b[topic]) + zero_tol)
            won += difference > limit
            lost += difference < -limit
        counts[0, pair] = won
        counts[1, pair] = lost
    return counts
