"""How much two rankings of the same systems agree: Kendall's tau, AP correlation, Spearman's rho, rank-biased overlap.

Pearson's r stands beside them: what the scores themselves have in common, straight lines being the rule.

Every function takes two arrays of scores, higher better, whose last axis is the systems: `truth` is the reference,
`estimate` the ranking under test (tau, rho, r and rank-biased overlap are symmetric and take them either way). Leading
axes broadcast, so one call compares a reference with every replicate of every metric. Scores that are equal but for
rounding are ties (`metaeval.running.equality`), by their own sizes; who knows the scores that means were made from
settles the means first (`metaeval.running.equality.settled_means`).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtr

from metaeval.agreement.overlap import rank_biased_overlap
from metaeval.agreement.ranking_pairs import RankingPairs, Undefined, pair_rankings
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice
from metaeval.base.side_by_side import side_by_side
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads

_EXACT_UP_TO = 33  # SciPy's limit for the exact distribution of tau


@side_by_side("truth", "estimate")
def kendall_tau(
    truth: ArrayLike, estimate: ArrayLike, *, variant: Literal["b", "a"] = "b", undefined: Undefined = "error"
) -> Floats:
    r"""Return Kendall's tau: the share of pairs that both rankings order alike minus the share ordered oppositely.

    Parameters
    ----------
    truth, estimate : array_like (..., n)
        Scores of the same n systems, higher better; leading axes broadcast.
    variant : {"b", "a"}
        "b" divides by what ties leave possible; "a" divides by all pairs, a tie counting as neither.
    undefined : {"error", "nan"}
        What becomes of a ranking in which all systems tie (only ``variant="b"`` is undefined there).

    Returns
    -------
    array (...)
        Between -1 and 1; a plain number for two plain rankings.

    Raises
    ------
    ScoresError
        If there are fewer than two systems, the arrays do not fit each other, a score is not finite, or tau is
        undefined.
    InvalidOptionError
        If an option is unknown.

    Notes
    -----
    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_1)(P - T_2)}}, \qquad \tau_a = \frac{C - D}{P}

    with C concordant and D discordant pairs of P = n(n - 1)/2, of which :math:`T_1` tie in the truth and :math:`T_2` in
    the estimate [1]_.

    References
    ----------
    .. [1] M. G. Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3).

    Examples
    --------
    >>> float(kendall_tau([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.3, 0.4]).round(4))
    0.6667
    """
    check_choice(variant, "variant", ("b", "a"))
    rankings = pair_rankings(truth, estimate, undefined=undefined)
    counts = _counted(rankings).astype(np.float64)
    n_pairs = rankings.n * (rankings.n - 1) / 2
    score, ties_truth, ties_estimate = counts.T
    if variant == "a":
        return rankings.answer(score / n_pairs, undefined, "tau")
    possible = np.sqrt((n_pairs - ties_truth) * (n_pairs - ties_estimate))
    values = np.divide(score, possible, out=np.full(len(score), np.nan), where=possible > 0)
    return rankings.answer(values, undefined, "tau_b")


@side_by_side("truth", "estimate")
def kendall_p_value(truth: ArrayLike, estimate: ArrayLike, *, undefined: Undefined = "error") -> Floats:
    """Return the two-sided p-value of tau under the hypothesis that the two rankings are independent.

    Parameters
    ----------
    truth, estimate, undefined
        As in `kendall_tau`.

    Returns
    -------
    array (...)

    Raises
    ------
    ScoresError, InvalidOptionError
        As `kendall_tau`.

    Notes
    -----
    As ``scipy.stats.kendalltau(method="auto")``: the exact distribution of the number of discordant pairs without
    ties and up to 33 systems (or at most one pair from perfect agreement or reversal), else the normal approximation
    with the variance for ties.

    Examples
    --------
    >>> float(kendall_p_value([1, 2, 3, 4], [1, 2, 3, 4]).round(4))
    0.0833
    """
    rankings = pair_rankings(truth, estimate, undefined=undefined)
    counts = _counted(rankings)
    n, n_pairs = rankings.n, rankings.n * (rankings.n - 1) // 2
    untied = (counts[:, 1] == 0) & (counts[:, 2] == 0)
    discordant = (n_pairs - counts[:, 0]) // 2
    near = np.minimum(discordant, n_pairs - discordant)  # the distribution is symmetric
    exact = untied & ((n <= _EXACT_UP_TO) | (near <= 1))
    values = 2 * ndtr(-np.abs(counts[:, 0]) / np.sqrt(_variance_of_score(rankings)))
    values[exact] = _exact_p(n, near[exact])
    return rankings.answer(values, undefined, "the p-value of tau")


@side_by_side("truth", "estimate")
def tau_ap(
    truth: ArrayLike,
    estimate: ArrayLike,
    *,
    ties: Literal["a", "b"] = "a",
    symmetric: bool = False,
    undefined: Undefined = "error",
) -> Floats:
    r"""Return the AP correlation of `estimate` with the reference `truth`: a tau in which errors at the top weigh most.

    Parameters
    ----------
    truth : array_like (..., n)
        Scores that give the reference ranking.
    estimate : array_like (..., n)
        Scores that give the ranking under test.
    ties : {"a", "b"}
        Without ties both are the plain coefficient (made symmetric by "b").

        - "a": the mean over all ways to break the ties, of estimate and of truth, computed exactly;
        - "b": the mean of both directions, in each of which the systems tied at the top are left out, a system is
          compared only with those strictly above it, and a tie in the other ranking is not concordant.
    symmetric : bool
        The mean of both directions (``ties="b"`` always is).
    undefined : {"error", "nan"}
        What becomes of a ranking in which all systems tie (only ``ties="b"`` is undefined there).

    Returns
    -------
    array (...)
        Between -1 and 1. The plain coefficient is not symmetric.

    Raises
    ------
    ScoresError, InvalidOptionError
        As `kendall_tau`.

    Notes
    -----
    .. math:: \tau_{AP} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1

    where C(i) counts the systems above rank i of the ranking under test that the reference too has above the one
    there [1]_; the forms for ties are those of [2]_.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson (2008). A new rank correlation coefficient for information retrieval.
       SIGIR, 587-594. :doi:`10.1145/1390334.1390435`
    .. [2] J. Urbano, M. Marrero (2017). The treatment of ties in AP correlation. ICTIR, 321-324.
       :doi:`10.1145/3121050.3121106`

    Examples
    --------
    >>> float(tau_ap([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.3, 0.4]).round(4))
    0.7778
    >>> float(tau_ap([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.4, 0.3]).round(4))
    0.3333
    """
    check_choice(ties, "reading of ties", ("a", "b"))
    rankings = pair_rankings(truth, estimate, undefined=undefined)
    values, back = np.empty((2, len(rankings.truth)))
    _tau_ap(len(values), rankings.truth, rankings.estimate, ties == "a", values)
    if symmetric or ties == "b":
        _tau_ap(len(values), rankings.estimate, rankings.truth, ties == "a", back)
        values = (values + back) / 2
    return rankings.answer(values, undefined, "tau_AP")


@side_by_side("truth", "estimate")
def spearman(truth: ArrayLike, estimate: ArrayLike, *, undefined: Undefined = "error") -> Floats:
    """Return Spearman's rho: the correlation of the ranks, tied systems sharing the mean of their ranks.

    Parameters
    ----------
    truth, estimate, undefined
        As in `kendall_tau`.

    Returns
    -------
    array (...)

    Raises
    ------
    ScoresError, InvalidOptionError
        As `kendall_tau`.

    Examples
    --------
    >>> float(spearman([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.3, 0.4]).round(4))
    0.8
    """
    from scipy.stats import rankdata  # noqa: PLC0415 - a second

    rankings = pair_rankings(truth, estimate, undefined=undefined)
    a, b = (rankdata(scores, axis=1) - (rankings.n + 1) / 2 for scores in (rankings.truth, rankings.estimate))
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    values = np.divide((a * b).sum(axis=1), spread, out=np.full(len(spread), np.nan), where=spread > 0)
    return rankings.answer(values, undefined, "rho")


@side_by_side("truth", "estimate")
def pearson(truth: ArrayLike, estimate: ArrayLike, *, undefined: Undefined = "error") -> Floats:
    r"""Return Pearson's r of the scores of two rankings.

    Not of ranks but of scores: one system far from the others decides it, and a judge whose scale is bent has a
    lower r although it ranks all systems alike.

    Parameters
    ----------
    truth, estimate, undefined
        As in `kendall_tau`.

    Returns
    -------
    array (...)
        Between -1 and 1.

    Raises
    ------
    ScoresError, InvalidOptionError
        As `kendall_tau`.

    Notes
    -----
    .. math:: r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}
        {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}

    Examples
    --------
    >>> float(pearson([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.3, 0.4]).round(4))
    0.8
    """
    rankings = pair_rankings(truth, estimate, undefined=undefined)
    a, b = (_centred(scores) for scores in (rankings.truth, rankings.estimate))
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    values = np.divide((a * b).sum(axis=1), spread, out=np.full(len(spread), np.nan), where=spread > 0)
    return rankings.answer(np.clip(values, -1.0, 1.0), undefined, "r")


def _centred(values: Floats) -> Floats:
    """Return rows less their means and in units of their range, so that no square vanishes; 0 where all tie."""
    span = np.ptp(values, axis=1, keepdims=True)
    apart = values - values[:, :1]  # exact where scores are close, whatever is added to all of them
    scaled = np.divide(apart, span, out=np.zeros_like(apart), where=span > 0)
    return scaled - np.where(span > 0, scaled.mean(axis=1, keepdims=True), 0.0)


CORRELATIONS: Mapping[str, Callable[..., Floats]] = MappingProxyType(
    {"tau": kendall_tau, "tau_ap": tau_ap, "rho": spearman, "rbo": rank_biased_overlap}
)
"""Every comparison of two rankings, by its short name, as ``f(truth, estimate)``."""


# --------------------------------------------------------------------------------------------------- p-values of tau


def _exact_p(n: int, near: Ints) -> Floats:
    """Return 2 P(D <= near) for the number of discordant pairs D of a random order of n, at most 1."""
    if n > _EXACT_UP_TO:  # one order has no discordant pair, n - 1 orders have one
        return 2 * np.exp(np.log(1.0 + near * (n - 1.0)) - gammaln(n + 1.0))
    return np.minimum(1.0, 2 * np.cumsum(_inversions(n))[near])


def _inversions(n: int) -> Floats:
    """Return the probability of 0, 1, ... discordant pairs in a random order: one more item adds 0 to i - 1 of them."""
    chances = np.ones(1)
    for size in range(2, n + 1):
        chances = np.convolve(chances, np.full(size, 1 / size))
    return chances


def _variance_of_score(rankings: RankingPairs) -> Floats:
    """Return the variance of C - D under independence; NaN where all systems tie in one ranking."""
    n = rankings.n
    sums_truth, sums_estimate = _tie_sums(rankings.truth), _tie_sums(rankings.estimate)
    total = n * (n - 1) * (2 * n + 5)
    first = (total - sums_truth[:, 2] - sums_estimate[:, 2]) / 18
    second = 2 * (sums_truth[:, 0] / 2) * (sums_estimate[:, 0] / 2) / (n * (n - 1))
    third = sums_truth[:, 1] * sums_estimate[:, 1] / (9 * n * (n - 1) * max(n - 2, 1))
    variance = first + second + third
    all_tied = (sums_truth[:, 0] == n * (n - 1)) | (sums_estimate[:, 0] == n * (n - 1))
    return np.where(all_tied, np.nan, variance)


def _tie_sums(values: Floats) -> Floats:
    """Sum t(t - 1), t(t - 1)(t - 2) and t(t - 1)(2t + 5) over the groups of t tied systems, one row a ranking."""
    from scipy.stats import rankdata  # noqa: PLC0415 - a second

    t = rankdata(values, "max", axis=1) - rankdata(values, "min", axis=1) + 1.0
    return np.stack([((t - 1) * factor).sum(axis=1) for factor in (np.ones_like(t), t - 2, 2 * t + 5)], axis=1)


# ----------------------------------------------------------------------------------------------------------- kernels


def _counted(rankings: RankingPairs) -> Ints:
    counts = np.empty((len(rankings.truth), 3), dtype=np.int64)
    _count_pairs(len(counts), rankings.truth, rankings.estimate, counts)
    return counts


@on_threads
@compiled
def _count_pairs(start: int, stop: int, truth: Floats, estimate: Floats, counts: Ints) -> None:
    """Count per row concordant minus discordant pairs, pairs tied in the truth and pairs tied in the estimate."""
    for row in range(start, stop):
        a, b = truth[row], estimate[row]
        score, ties_truth, ties_estimate = 0, 0, 0
        for i in range(len(a)):
            for j in range(i):
                sign_truth = int(a[i] > a[j]) - int(a[i] < a[j])
                sign_estimate = int(b[i] > b[j]) - int(b[i] < b[j])
                score += sign_truth * sign_estimate
                ties_truth += sign_truth == 0
                ties_estimate += sign_estimate == 0
        counts[row, 0] = score
        counts[row, 1] = ties_truth
        counts[row, 2] = ties_estimate


@on_threads
@compiled
def _tau_ap(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int,
    stop: int,
    truth: Floats,
    estimate: Floats,
    averaged: bool,  # noqa: FBT001 - over ties; a kernel takes no names
    values: Floats,
) -> None:
    """Average tau_AP over all ways to break ties, else return one direction of the form for ties in both rankings.

    Each system's rank is uniform over the ranks of its group. At the k-th place of a group of g, each of the other
    members stands above with chance (k - 1) / (g - 1). The other form is NaN where all of `estimate` ties.
    """
    n = truth.shape[1]
    for row in range(start, stop):
        total = 0.0
        counted = 0
        for j in range(n):
            above, tied = 0, -1  # the system itself ties
            halves_above, halves_tied = 0, -1 if averaged else 0
            for i in range(n):
                is_above, ties = int(estimate[row, i] > estimate[row, j]), int(estimate[row, i] == estimate[row, j])
                halves = 2 * int(truth[row, i] > truth[row, j]) + int(averaged & (truth[row, i] == truth[row, j]))
                above += is_above
                tied += ties
                halves_above += is_above * halves
                halves_tied += ties * halves
            mean = 0.0
            last = tied if averaged else 0
            for tied_above in range(last + 1):
                if above + tied_above > 0:
                    share = tied_above / tied if tied > 0 else 0.0
                    mean += (halves_above / 2.0 + share * (halves_tied / 2.0)) / (above + tied_above)
            total += mean / (last + 1)
            counted += above > 0
        if averaged:
            counted = n - 1
        values[row] = 2.0 * total / counted - 1.0 if counted > 0 else np.nan
