"""How much two rankings of the same systems agree: Kendall's tau, AP correlation, Spearman's rho, rank-biased overlap.

Every function takes two arrays of scores, higher better, whose last axis is the systems: `x` is the reference (the
truth), `y` the ranking under test. Leading axes broadcast, so one call compares a reference with every replicate of
every metric. Scores that are equal on paper are ties (`metaeval.equality`), by their own sizes; who knows the scores
that means were made from settles the means first (`metaeval.equality.settled_means`).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from scipy.stats import norm

from metaeval.checks import check_choice, check_count, check_share
from metaeval.compiled import compiled, compiled_parallel
from metaeval.equality import settle
from metaeval.errors import ScoresError

__all__ = [
    "CORRELATIONS",
    "best_of_reference",
    "kendall_p_value",
    "kendall_tau",
    "rank_biased_overlap",
    "spearman",
    "tau_ap",
]

type Floats = NDArray[np.float64]
Undefined = Literal["error", "nan"]

_EXACT_UP_TO = 33  # SciPy's limit for the exact distribution of tau


class _Rankings(NamedTuple):
    """Both arrays settled, with their leading axes made one."""

    x: Floats
    y: Floats
    shape: tuple[int, ...]

    @property
    def n(self) -> int:
        return self.x.shape[1]

    def answer(self, values: Floats, undefined: Undefined, what: str) -> Floats:
        """Return one value per ranking in the caller's shape, or refuse those that are not defined."""
        missing = np.isnan(values)
        if undefined == "error" and missing.any():
            first = np.unravel_index(int(missing.argmax()), self.shape) if self.shape else ()
            where = f" (first at {tuple(map(int, first))})" if first else ""
            message = (
                f"{what} is not defined for {int(missing.sum())} of {missing.size} rankings{where}, because all "
                "systems of x or of y have one score; leave them out, or pass undefined='nan'"
            )
            raise ScoresError(message)
        return values.reshape(self.shape)[()]


def kendall_tau(
    x: ArrayLike, y: ArrayLike, *, variant: Literal["b", "a"] = "b", undefined: Undefined = "error"
) -> Floats:
    r"""Return Kendall's tau: the share of pairs that both rankings order alike minus the share ordered oppositely.

    Parameters
    ----------
    x, y : array_like (..., n)
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
    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_x)(P - T_y)}}, \qquad \tau_a = \frac{C - D}{P}

    with C concordant and D discordant pairs of P = n(n - 1)/2, of which :math:`T_x` tie in x and :math:`T_y` in y
    [1]_.

    References
    ----------
    .. [1] M. G. Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3).

    Examples
    --------
    >>> float(kendall_tau([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.3, 0.4]).round(4))
    0.6667
    """
    check_choice(variant, "variant", ("b", "a"))
    rankings = _rankings(x, y, undefined)
    counts = _count_pairs(rankings.x, rankings.y).astype(np.float64)
    n_pairs = rankings.n * (rankings.n - 1) / 2
    score, ties_x, ties_y = counts.T
    if variant == "a":
        return rankings.answer(score / n_pairs, undefined, "tau")
    possible = np.sqrt((n_pairs - ties_x) * (n_pairs - ties_y))
    values = np.divide(score, possible, out=np.full(len(score), np.nan), where=possible > 0)
    return rankings.answer(values, undefined, "tau_b")


def kendall_p_value(x: ArrayLike, y: ArrayLike, *, undefined: Undefined = "error") -> Floats:
    """Return the two-sided p-value of tau under "the two rankings have nothing to do with each other".

    Parameters
    ----------
    x, y, undefined
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
    rankings = _rankings(x, y, undefined)
    counts = _count_pairs(rankings.x, rankings.y)
    n, n_pairs = rankings.n, rankings.n * (rankings.n - 1) // 2
    untied = (counts[:, 1] == 0) & (counts[:, 2] == 0)
    discordant = (n_pairs - counts[:, 0]) // 2
    near = np.minimum(discordant, n_pairs - discordant)  # the distribution is symmetric
    exact = untied & ((n <= _EXACT_UP_TO) | (near <= 1))
    values = 2 * norm.sf(np.abs(counts[:, 0]) / np.sqrt(_variance_of_score(rankings)))
    values[exact] = _exact_p(n, near[exact])
    return rankings.answer(values, undefined, "the p-value of tau")


def tau_ap(
    x: ArrayLike,
    y: ArrayLike,
    *,
    ties: Literal["a", "b"] = "a",
    symmetric: bool = False,
    undefined: Undefined = "error",
) -> Floats:
    r"""Return the AP correlation of `y` with the reference `x`: a tau in which errors at the top weigh most.

    Parameters
    ----------
    x : array_like (..., n)
        Scores that give the reference ranking.
    y : array_like (..., n)
        Scores that give the ranking under test.
    ties : {"a", "b"}
        Without ties both are the plain coefficient (made symmetric by "b").

        - "a": the mean over all ways to break the ties, of y and of x, computed exactly;
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
    rankings = _rankings(x, y, undefined)
    kernel = _tau_ap_a if ties == "a" else _tau_ap_b
    values = kernel(rankings.x, rankings.y)
    if symmetric or ties == "b":
        values = (values + kernel(rankings.y, rankings.x)) / 2
    return rankings.answer(values, undefined, "tau_AP")


def spearman(x: ArrayLike, y: ArrayLike, *, undefined: Undefined = "error") -> Floats:
    """Return Spearman's rho: the correlation of the ranks, tied systems sharing the mean of their ranks.

    Parameters
    ----------
    x, y, undefined
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
    rankings = _rankings(x, y, undefined)
    a, b = (_centred_ranks(values, np.argsort(values, axis=1)) for values in (rankings.x, rankings.y))
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    values = np.divide((a * b).sum(axis=1), spread, out=np.full(len(spread), np.nan), where=spread > 0)
    return rankings.answer(values, undefined, "rho")


def rank_biased_overlap(x: ArrayLike, y: ArrayLike, *, p: float = 0.9, ties: Literal["w", "a"] = "w") -> Floats:
    r"""Return the extrapolated rank-biased overlap: how much the two rankings share, the top weighing most.

    Parameters
    ----------
    x, y : array_like (..., n)
        As in `kendall_tau`; both hold the same n systems, so that they agree wholly at depth n and beyond.
    p : float, default 0.9
        Persistence, in (0, 1): a reader goes on to the next rank with this probability. 0.9 puts 86 % of the weight
        on the first ten ranks.
    ties : {"w", "a"}
        "w": tied systems share the best of their ranks, so that a depth may hold more systems than its number, and
        the agreement there is relative to how many it holds (Webber et al.). "a": the mean over all ways to break
        the ties.

    Returns
    -------
    array (...)
        Between 0 and 1. It has no value for "unrelated": two random rankings of few systems overlap much.

    Raises
    ------
    ScoresError
        If there are fewer than two systems, the arrays do not fit each other or a score is not finite.
    InvalidOptionError
        If `p` lies outside (0, 1) or `ties` is unknown.

    Notes
    -----
    With :math:`S_d` and :math:`T_d` what stands in the first d ranks,

    .. math:: \mathrm{RBO} = (1 - p) \sum_{d=1}^{n} A_d\, p^{d-1} + p^n, \qquad
              A_d = \frac{2 |S_d \cap T_d|}{|S_d| + |T_d|}

    which is equation 32 of [1]_, with the agreement under ties of its section 4, for two rankings of the same
    systems. The form "a" is from [2]_.

    References
    ----------
    .. [1] W. Webber, A. Moffat, J. Zobel (2010). A similarity measure for indefinite rankings. ACM TOIS 28(4),
       article 20. :doi:`10.1145/1852102.1852106`
    .. [2] M. Corsi, J. Urbano (2024). The treatment of ties in rank-biased overlap. SIGIR.
       :doi:`10.1145/3626772.3657700`

    Examples
    --------
    >>> float(rank_biased_overlap([3, 2, 1], [2, 3, 1], p=0.9).round(4))
    0.9
    """
    check_choice(ties, "reading of ties", ("w", "a"))
    check_share(p, "p")
    rankings = _rankings(x, y, "error")
    kernel = _overlap_w if ties == "w" else _overlap_a
    return rankings.answer(kernel(rankings.x, rankings.y, float(p)), "error", "rank-biased overlap")


def best_of_reference(x: ArrayLike, y: ArrayLike, *, k: int = 10) -> tuple[Floats, Floats]:
    """Return the scores of the reference's best `k` systems under both, ready for any of the correlations.

    A high correlation over all systems can hide that there is none among the best.

    Parameters
    ----------
    x, y : array_like (..., n)
        As in `kendall_tau`; `x` chooses.
    k : int, default 10
        How many systems to keep, at least 2; all of them if there are no more. Of systems that tie for the last
        place the earlier ones are taken.

    Returns
    -------
    x, y : arrays (..., k)

    Raises
    ------
    InvalidOptionError
        If `k` is below 2.
    ScoresError
        As `kendall_tau`.

    Examples
    --------
    >>> best_of_reference([0.1, 0.4, 0.3], [5, 6, 7], k=2)
    (array([0.4, 0.3]), array([6., 7.]))
    """
    check_count(k, "k", least=2)  # one system has no order
    rankings = _rankings(x, y, "error")
    chosen = np.argsort(-rankings.x, axis=1, kind="stable")[:, : int(k)]
    a, b = (np.take_along_axis(values, chosen, axis=1) for values in (rankings.x, rankings.y))
    shape = (*rankings.shape, chosen.shape[1])
    return a.reshape(shape), b.reshape(shape)


CORRELATIONS: Mapping[str, Callable[..., Floats]] = MappingProxyType(
    {"tau": kendall_tau, "tau_ap": tau_ap, "rho": spearman, "rbo": rank_biased_overlap}
)
"""Every comparison of two rankings, by its short name, as ``f(reference, under_test)``."""


# ---------------------------------------------------------------------------------------------------------- checking


def _rankings(x: ArrayLike, y: ArrayLike, undefined: str) -> _Rankings:
    check_choice(undefined, "rule for what is undefined", ("error", "nan"))
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    for name, values in (("x", a), ("y", b)):
        if values.ndim == 0 or values.shape[-1] < 2:  # noqa: PLR2004 - one system has no order
            message = f"{name} must hold the scores of at least two systems on its last axis, not shape {values.shape}"
            raise ScoresError(message)
        if not np.isfinite(values).all():
            bad = values[~np.isfinite(values)][0]
            message = f"{name} must hold finite scores, not {bad}; leave such systems out of both rankings"
            raise ScoresError(message)
    if a.shape[-1] != b.shape[-1]:
        message = f"x and y must rank the same systems, not {a.shape[-1]} and {b.shape[-1]} of them"
        raise ScoresError(message)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        message = f"the leading axes of x {a.shape} and y {b.shape} do not fit each other"
        raise ScoresError(message) from None
    flat_a, flat_b = (np.ascontiguousarray(np.broadcast_to(settle(v), shape)).reshape(-1, shape[-1]) for v in (a, b))
    return _Rankings(flat_a, flat_b, shape[:-1])


# --------------------------------------------------------------------------------------------------- p-values of tau


def _exact_p(n: int, near: NDArray[np.int64]) -> Floats:
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


def _variance_of_score(rankings: _Rankings) -> Floats:
    """Return the variance of C - D under independence; NaN where all systems tie in one ranking."""
    n = rankings.n
    sums_x, sums_y = _tie_sums(rankings.x), _tie_sums(rankings.y)
    total = n * (n - 1) * (2 * n + 5)
    first = (total - sums_x[:, 2] - sums_y[:, 2]) / 18
    second = 2 * (sums_x[:, 0] / 2) * (sums_y[:, 0] / 2) / (n * (n - 1))
    third = sums_x[:, 1] * sums_y[:, 1] / (9 * n * (n - 1) * max(n - 2, 1))
    variance = first + second + third
    all_tied = (sums_x[:, 0] == n * (n - 1)) | (sums_y[:, 0] == n * (n - 1))
    return np.where(all_tied, np.nan, variance)


def _tie_sums(values: Floats) -> Floats:
    """Sum t(t - 1), t(t - 1)(t - 2) and t(t - 1)(2t + 5) over the groups of t tied systems, one row a ranking."""
    t = _tied_with(values).astype(np.float64)
    return np.stack([((t - 1) * factor).sum(axis=1) for factor in (np.ones_like(t), t - 2, 2 * t + 5)], axis=1)


# ----------------------------------------------------------------------------------------------------------- kernels


@compiled_parallel
def _count_pairs(x: Floats, y: Floats) -> NDArray[np.int64]:
    """Return per row concordant minus discordant pairs, pairs tied in x and pairs tied in y."""
    counts = np.zeros((len(x), 3), dtype=np.int64)
    for row in numba.prange(len(x)):
        a, b = x[row], y[row]
        score, ties_x, ties_y = 0, 0, 0
        for i in range(len(a)):
            for j in range(i):
                sign_x = (a[i] > a[j]) - (a[i] < a[j])
                sign_y = (b[i] > b[j]) - (b[i] < b[j])
                score += sign_x * sign_y
                ties_x += sign_x == 0
                ties_y += sign_y == 0
        counts[row, 0] = score
        counts[row, 1] = ties_x
        counts[row, 2] = ties_y
    return counts


@compiled_parallel
def _centred_ranks(values: Floats, order: NDArray[np.int64]) -> Floats:
    """Return per row the ranks less their mean, tied systems sharing the mean of their ranks."""
    n = values.shape[1]
    ranks = np.empty(values.shape)
    for row in numba.prange(len(values)):
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and values[row, order[row, stop]] == values[row, order[row, start]]:
                stop += 1
            for place in range(start, stop):
                ranks[row, order[row, place]] = (start + stop - n) / 2
            start = stop
    return ranks


@compiled_parallel
def _tied_with(values: Floats) -> NDArray[np.int64]:
    """Return for every system how many (itself included) have its score."""
    counts = np.zeros(values.shape, dtype=np.int64)
    for row in numba.prange(len(values)):
        for i in range(values.shape[1]):
            counts[row, i] = (values[row] == values[row, i]).sum()
    return counts


@compiled_parallel
def _tau_ap_a(x: Floats, y: Floats) -> Floats:
    """Average tau_AP over all ways to break ties: each system's rank is uniform over the ranks of its group.

    At the k-th place of a group of g, each of the other members stands above with chance (k - 1) / (g - 1).
    """
    n = x.shape[1]
    values = np.empty(len(x))
    for row in numba.prange(len(x)):
        total = 0.0
        for j in range(n):
            above, tied = 0, 0
            agree_above, agree_tied = 0.0, 0.0
            for i in range(n):
                if i == j or y[row, i] < y[row, j]:
                    continue
                agree = 1.0 if x[row, i] > x[row, j] else 0.5 if x[row, i] == x[row, j] else 0.0
                if y[row, i] > y[row, j]:
                    above += 1
                    agree_above += agree
                else:
                    tied += 1
                    agree_tied += agree
            mean = 0.0
            for place in range(tied + 1):
                if above + place > 0:
                    share = place / tied if tied > 0 else 0.0
                    mean += (agree_above + share * agree_tied) / (above + place)
            total += mean / (tied + 1)
        values[row] = 2.0 * total / (n - 1) - 1.0
    return values


@compiled_parallel
def _tau_ap_b(x: Floats, y: Floats) -> Floats:
    """Return one direction of the form for ties in both rankings; NaN where all of y ties."""
    n = x.shape[1]
    values = np.empty(len(x))
    for row in numba.prange(len(x)):
        total = 0.0
        n_below_top = 0
        for j in range(n):
            above, agree = 0, 0
            for i in range(n):
                if y[row, i] > y[row, j]:
                    above += 1
                    agree += x[row, i] > x[row, j]
            if above > 0:
                n_below_top += 1
                total += agree / above
        values[row] = 2.0 * total / n_below_top - 1.0 if n_below_top > 0 else np.nan
    return values


@compiled
def _group_of(scores: Floats, item: int) -> tuple[int, int]:
    """Return the first and the last rank (from 0) of the group that ties with an item."""
    first = (scores > scores[item]).sum()
    return first, first + (scores == scores[item]).sum() - 1


@compiled_parallel
def _overlap_w(x: Floats, y: Floats, p: float) -> Floats:
    n = x.shape[1]
    values = np.empty(len(x))
    for row in numba.prange(len(x)):
        shared = np.zeros(n)  # how many systems enter both at this depth, and either
        entered = np.zeros(n)
        for item in range(n):
            a, _ = _group_of(x[row], item)
            b, _ = _group_of(y[row], item)
            shared[max(a, b)] += 1.0
            entered[a] += 1.0
            entered[b] += 1.0
        in_both, in_either, weight, total = 0.0, 0.0, 1.0, 0.0
        for depth in range(n):
            in_both += shared[depth]
            in_either += entered[depth]
            total += weight * 2.0 * in_both / in_either
            weight *= p
        values[row] = (1.0 - p) * total + weight
    return values


@compiled_parallel
def _overlap_a(x: Floats, y: Floats, p: float) -> Floats:
    n = x.shape[1]
    values = np.empty(len(x))
    for row in numba.prange(len(x)):
        shared = np.zeros(n)
        for item in range(n):
            first_x, last_x = _group_of(x[row], item)
            first_y, last_y = _group_of(y[row], item)
            for depth in range(max(first_x, first_y), n):  # chance to stand in the first depth + 1 ranks of both
                in_x = min(1.0, (depth + 1 - first_x) / (last_x + 1 - first_x))
                in_y = min(1.0, (depth + 1 - first_y) / (last_y + 1 - first_y))
                shared[depth] += in_x * in_y
        weight, total = 1.0, 0.0
        for depth in range(n):
            total += weight * shared[depth] / (depth + 1)
            weight *= p
        values[row] = (1.0 - p) * total + weight
    return values
