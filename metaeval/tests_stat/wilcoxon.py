"""Wilcoxon signed-rank test over all pairs of systems."""

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Evidence, Question, ask
from metaeval.tests_stat.result import PairwiseResult, pairwise_result
from metaeval.tests_stat.signed_ranks import ALLOWANCES, RankSums, Ties, enumerated_tails, signed_rank_sums
from metaeval.tests_stat.tails import Tails, normal_tail, times

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
Method = Literal["auto", "exact", "asymptotic"]

_AUTO_EXACT_TOPICS = 50  # SciPy's limits for method="auto": exact without ties up to here,
_AUTO_ENUMERATED_TOPICS = 13  # and every sign vector where there are ties
_MOST_EXACT_TOPICS = 1000  # the table of the exact distribution grows with the cube of the topics: a few seconds here


@documented
def wilcoxon_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    zero_method: ZeroMethod = "wilcox",
    method: Method = "auto",
    continuity: bool = False,
    ties: Ties = "paper",
    alternative: Alternative = "two-sided",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    baseline: str | None = None,
) -> PairwiseResult:
    r"""Test which systems differ by the signed ranks of their differences per topic.

    Parameters
    ----------
    scores
    zero_method : {"wilcox", "pratt", "zsplit"}
        What happens to topics without a difference: they are left out; they are ranked but their ranks are dropped
        [2]_; their ranks are split evenly between the two sides.
    method : {"auto", "exact", "asymptotic"}
        "exact" takes the distribution for n different sizes (conservative where there are ties, since the rank sum is
        rounded away from significance); "asymptotic" the normal approximation with the correction of the variance
        for ties, and Cureton's [3]_ for "pratt". "auto" chooses for each pair as SciPy 1.18 does: up to 50 topics
        without zeros and ties "exact"; up to 13 topics with them the exact distribution given the ties (all sign
        vectors); otherwise "asymptotic". ``details["pairs_by_method"]`` says how many pairs went each way.
    continuity : bool, default False
        Move the rank sum by 0.5 towards its mean before the normal approximation. (SciPy calls it `correction`,
        which here is the correction for testing many pairs.)
    ties : {"paper", "float"}
        Which sizes of differences tie, and which differences are zero. "paper": those that are equal up to rounding,
        by the rule of `metaeval.running.equality`, topic by topic: 0.3 - 0.2 and 0.8 - 0.7. "float": those that are one
        number in the computer's last bit, where these two differ by 8e-17 and get two ranks; so does SciPy, and so do
        results made with it.
    alternative, correction, alpha, baseline

    Returns
    -------
    PairwiseResult
        The statistic is the signed rank sum, R+ minus R-. Columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError
        If the scores have gaps (without ``missing="pairwise"``), or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule, or "exact" is asked for more than 1000 topics.

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.sign.sign_test
    metaeval.tests_stat.paired_t.paired_t_test

    Notes
    -----
    With R+ the sum of the mid-ranks of the positive differences, n topics ranked, and groups of t tied sizes [1]_,

    .. math:: z = \frac{R_+ - n (n + 1) / 4}{\sqrt{\left(n (n + 1)(2 n + 1) - \sum (t^3 - t) / 2\right) / 24}}

    Every p-value equals that of ``scipy.stats.wilcoxon`` on scores in which no rounding hides a tie: hits instead of
    tenths. With ``ties="float"`` it equals SciPy's on the very same numbers. Scores that are not multiples of anything
    have no such ties, and the two readings agree. Sizes are tied from neighbour to neighbour in ascending order. Where
    SciPy has NaN the answer is plain: systems equal on every topic have p = 1. Where there are gaps, every pair is
    ranked on its common topics, and takes the method for so many. Ranks know no clusters, strata and weights: with
    these the test refuses.

    References
    ----------
    .. [1] Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
       :doi:`10.2307/3001968`
    .. [2] Pratt (1959). JASA 54, 655-667.
    .. [3] Cureton (1967). JASA 62, 1068-1069.

    Examples
    --------
    >>> result = wilcoxon_test([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], correction="none")
    >>> float(result.data["p_value"][0, 0]), float(result.data["statistic"][0, 0])
    (0.125, 10.0)
    """
    check_choice(zero_method, "zero_method", get_args(ZeroMethod))
    check_choice(method, "method", get_args(Method))
    check_choice(ties, "reading of ties", get_args(Ties))
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test="wilcoxon")
    n_topics = question.n_common
    if method == "exact" and n_topics.max() > _MOST_EXACT_TOPICS:
        raise InvalidOptionError(
            f"`method='exact'` goes up to {_MOST_EXACT_TOPICS} topics, not {n_topics.max()}; use `method='asymptotic'`"
        )
    tested = [
        _test_metric(question, values, n_common, zero_method, method, continuity, ties)
        for values, n_common in zip(question.values, n_topics, strict=True)
    ]
    statistic = np.stack([sums.plus - sums.minus for sums, _, _ in tested])
    greater, less, two_sided = map(Tails, *np.stack([tails for _, tails, _ in tested], axis=2))
    evidence = Evidence(statistic=statistic, two_sided=two_sided, greater=greater, less=less)
    details = {
        "zero_method": zero_method,
        "method": method,
        "continuity": bool(continuity),
        "ties": ties,
        "pairs_by_method": [{name: int(pairs.sum()) for name, pairs in routes.items()} for _, _, routes in tested],
    }
    return pairwise_result(question, evidence, test="wilcoxon", correction=correction, details=details)


def _test_metric(  # noqa: PLR0913, PLR0917 - handed through
    question: Question,
    values: NDArray[np.float64],
    n_topics: NDArray[np.int64],
    zero_method: ZeroMethod,
    method: Method,
    continuity: bool,  # noqa: FBT001 - handed through
    ties: Ties,
) -> tuple[RankSums, Tails, dict[str, NDArray[np.bool_]]]:
    """Test one metric: rank sums, p-values (greater, less, two-sided) by pair, and which pairs took which method."""
    rank_zeros = zero_method != "wilcox"
    sums = signed_rank_sums(values, question.first, question.second, rank_zeros=rank_zeros, ties=ties)
    routes = _routes(method, n_topics, sums)
    all_tails = Tails(np.ones((3, len(question.first))), np.zeros((3, len(question.first))))
    for name, pairs in routes.items():
        selected = RankSums(*(column[pairs] for column in sums))
        if not pairs.any():
            continue
        if name == "asymptotic":
            tails = _normal_tails(selected, n_topics[pairs], zero_method, continuity)
        elif name == "exact":
            tails = _with_two_sided(_table_tails(selected, n_topics[pairs], zero_method))
        else:
            pair = question.first[pairs], question.second[pairs]
            tails = _with_two_sided(enumerated_tails(values, *pair, rank_zeros, ALLOWANCES[ties]))
        all_tails.p[:, pairs], all_tails.log10[:, pairs] = tails
    return sums, all_tails.certain(sums.n_zero == n_topics), routes


def _routes(method: Method, n_topics: NDArray[np.int64], sums: RankSums) -> dict[str, NDArray[np.bool_]]:
    """Say which pairs take which method."""
    every = np.ones(len(sums.plus), dtype=bool)
    if method != "auto":
        return {method: every}
    distinct = (sums.n_zero == 0) & (sums.ties == 0)
    exact = distinct & (n_topics <= _AUTO_EXACT_TOPICS)
    enumerated = ~distinct & (n_topics <= _AUTO_ENUMERATED_TOPICS)
    return {"exact": exact, "enumerated": enumerated, "asymptotic": ~exact & ~enumerated}


def _n_ranked(sums: RankSums, n_topics: NDArray[np.int64], zero_method: ZeroMethod) -> NDArray[np.float64]:
    return n_topics - sums.n_zero if zero_method == "wilcox" else n_topics.astype(np.float64)


def _normal_tails(
    sums: RankSums,
    n_topics: NDArray[np.int64],
    zero_method: ZeroMethod,
    continuity: bool,  # noqa: FBT001 - handed through
) -> Tails:
    zero = sums.n_zero
    ranked = _n_ranked(sums, n_topics, zero_method)
    ties = sums.ties + (zero**3 - zero if zero_method == "zsplit" else 0.0)
    spread = ranked * (ranked + 1) * (2 * ranked + 1) - ties / 2
    if zero_method == "pratt":
        spread -= zero * (zero + 1) * (2 * zero + 1)
    error = np.sqrt(spread / 24)
    error[error == 0] = np.inf  # no difference at all: z = 0
    z = (sums.plus - sums.minus) / 2 / error
    step = 0.5 / error if continuity else np.zeros_like(error)
    # Closer to its mean than the step, SciPy's two-sided z passes through 0 and out again: hence no 2 min(p, p).
    one_sided = normal_tail(np.stack([step - z, step + z]))
    two_sided = times(normal_tail(-np.abs(z - np.sign(z) * step)[None]), 2)
    return Tails(*(np.concatenate(parts) for parts in zip(one_sided, two_sided, strict=True)))


def _with_two_sided(tails: NDArray[np.float64]) -> Tails:
    p = np.concatenate([tails, np.minimum(1.0, 2 * tails.min(axis=0, keepdims=True))])
    return Tails(p, np.log10(p))


def _table_tails(sums: RankSums, n_topics: NDArray[np.int64], zero_method: ZeroMethod) -> NDArray[np.float64]:
    ranked = _n_ranked(sums, n_topics, zero_method)
    plus = sums.plus + (sums.n_zero * (sums.n_zero + 1) / 4 if zero_method == "zsplit" else 0.0)
    tails = np.empty((2, len(plus)))
    for n, distribution in enumerate(_rank_sum_distributions(int(ranked.max()))):
        pairs = ranked == n
        if pairs.any():
            at_most = np.minimum(1.0, np.cumsum(distribution))
            # The distribution is symmetric: P(R >= r) = P(R <= n (n + 1) / 2 - r).
            tails[0, pairs] = at_most[len(at_most) - 1 - np.floor(plus[pairs]).astype(np.int64)]
            tails[1, pairs] = at_most[np.ceil(plus[pairs]).astype(np.int64)]
    return tails


def _rank_sum_distributions(most: int) -> Iterator[NDArray[np.float64]]:
    """Yield P(R+ = r), r = 0 … n (n + 1) / 2, for n = 0 … most: each rank is added to R+ or not, evenly."""
    distribution = np.ones(1)
    yield distribution
    for rank in range(1, most + 1):
        longer = np.zeros(len(distribution) + rank)
        longer[: len(distribution)] = distribution / 2
        longer[rank:] += distribution / 2
        distribution = longer
        yield distribution
