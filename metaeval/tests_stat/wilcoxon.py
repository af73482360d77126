"""Wilcoxon signed-rank test over all pairs of systems."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from metaeval.checks import check_choice
from metaeval.compiled import compiled, compiled_parallel
from metaeval.equality import RELATIVE
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.pairs import Alternative, Evidence, Question, ask
from metaeval.tests_stat.result import PairwiseResult, answer

__all__ = ["RankSums", "signed_rank_sums", "wilcoxon_test"]

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
Method = Literal["auto", "exact", "asymptotic"]
Ties = Literal["paper", "float"]

_AUTO_EXACT_TOPICS = 50  # SciPy's limits for method="auto": exact without ties up to here,
_AUTO_ENUMERATED_TOPICS = 13  # and every sign vector where there are ties
_MOST_EXACT_TOPICS = 1000  # the table of the exact distribution grows with the cube of the topics: a few seconds here
_ALLOWANCES = {"paper": RELATIVE, "float": 0.0}  # share of the sizes of the scores that a tie may be apart


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
    r"""Decide which systems differ, by the ranks of the sizes of their differences per topic.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    zero_method : {"wilcox", "pratt", "zsplit"}
        What happens to topics without a difference: they are left out; they are ranked but their ranks are dropped
        (Pratt 1959); their ranks are split evenly between the two sides.
    method : {"auto", "exact", "asymptotic"}
        "exact" takes the distribution for n different sizes (conservative where there are ties, since the rank sum is
        rounded away from significance); "asymptotic" the normal approximation with the correction of the variance
        for ties, and Cureton's (1967) for "pratt". "auto" chooses for each pair as SciPy 1.18 does: up to 50 topics
        without zeros and ties "exact"; up to 13 topics with them the exact distribution given the ties (all sign
        vectors); otherwise "asymptotic". ``details["pairs_by_method"]`` says how many pairs went each way.
    continuity : bool, default False
        Move the rank sum by 0.5 towards its mean before the normal approximation. (SciPy calls it `correction`,
        which here is the correction for testing many pairs.)
    ties : {"paper", "float"}
        Which sizes of differences tie, and which differences are zero. "paper": those that are one number on paper,
        by the rule of `metaeval.equality`, topic by topic: 0.3 - 0.2 and 0.8 - 0.7. "float": those that are one
        number in the computer's last bit, where these two differ by 8e-17 and get two ranks; so does SciPy, and so do
        results made with it.
    alternative : {"two-sided", "greater", "less", "better"}
        See `metaeval.tests_stat.pairs.ask`.
    correction : str, default "fdr_by"
        See `metaeval.tests_stat.correction.adjust`.
    alpha : float, default 0.05
        Significance level.
    baseline : str, optional
        Compare with this system only.

    Returns
    -------
    PairwiseResult
        The statistic is the signed rank sum, R+ minus R-.

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule, or "exact" is asked for more than 1000 topics.

    Notes
    -----
    With R+ the sum of the mid-ranks of the positive differences, n topics ranked, and groups of t tied sizes,

    .. math:: z = \frac{R_+ - n (n + 1) / 4}{\sqrt{\left(n (n + 1)(2 n + 1) - \sum (t^3 - t) / 2\right) / 24}}

    Every p-value equals that of ``scipy.stats.wilcoxon`` on scores in which no rounding hides a tie: hits instead of
    tenths. With ``ties="float"`` it equals SciPy's on the very same numbers. Scores that are not multiples of anything
    have no such ties, and the two readings agree. Sizes are tied from neighbour to neighbour in ascending order. Where
    SciPy has NaN the answer is plain: systems equal on every topic have p = 1.

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin 1, 80-83; Pratt (1959), JASA 54, 655-667; Cureton (1967), JASA 62,
    1068-1069.

    Examples
    --------
    >>> result = wilcoxon_test([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], correction="none")
    >>> float(result.data["p_value"][0, 0]), float(result.data["statistic"][0, 0])
    (0.125, 10.0)
    """
    _check_names(zero_method, method, ties)
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline)
    n_topics = question.n_topics
    if method == "exact" and n_topics > _MOST_EXACT_TOPICS:
        message = f'method="exact" goes up to {_MOST_EXACT_TOPICS} topics, not {n_topics}; use method="asymptotic"'
        raise InvalidOptionError(message)
    tested = [_test_metric(question, values, zero_method, method, continuity, ties) for values in question.values]
    statistic = np.stack([sums.plus - sums.minus for sums, _, _ in tested])
    greater, less, two_sided = np.stack([p_values for _, p_values, _ in tested], axis=1)
    if question.one_sided:
        evidence = Evidence(statistic=statistic, greater=greater, less=less)
    else:
        evidence = Evidence(statistic=statistic, two_sided=two_sided)
    details = {
        "zero_method": zero_method,
        "method": method,
        "continuity": bool(continuity),
        "ties": ties,
        "pairs_by_method": [{name: int(pairs.sum()) for name, pairs in routes.items()} for _, _, routes in tested],
    }
    return answer(question, evidence, test="wilcoxon", correction=correction, details=details)


class RankSums(NamedTuple):
    """What the signed-rank test needs of every pair: arrays (pair,)."""

    plus: NDArray[np.float64]
    """Sum of the mid-ranks of the positive differences."""
    minus: NDArray[np.float64]
    """Sum of the mid-ranks of the negative differences."""
    n_zero: NDArray[np.float64]
    """Topics without a difference."""
    ties: NDArray[np.float64]
    """Sum of t**3 - t over the groups of t equal non-zero sizes."""


def signed_rank_sums(
    values: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    rank_zeros: bool,
    ties: Ties = "paper",
) -> RankSums:
    """Rank the sizes of the differences of every pair and add up the ranks of each sign.

    Parameters
    ----------
    values : array (system, topic)
    first, second : array (pair,)
    rank_zeros : bool
        Whether topics without a difference take the lowest ranks (which are added to neither sum).
    ties : {"paper", "float"}
        See `wilcoxon_test`.

    Examples
    --------
    >>> values = np.array([[2.0, 4.0, 5.0], [1.0, 5.0, 5.0]])
    >>> sums = signed_rank_sums(values, np.array([0]), np.array([1]), rank_zeros=False)
    >>> [column.item() for column in sums]
    [1.5, 1.5, 1.0, 6.0]
    """
    return RankSums(*rank_sum_columns(values, first, second, rank_zeros, _ALLOWANCES[ties]))


def _check_names(zero_method: str, method: str, ties: str) -> None:
    check_choice(zero_method, "zero_method", get_args(ZeroMethod))
    check_choice(method, "method", get_args(Method))
    check_choice(ties, "reading of ties", get_args(Ties))


def _test_metric(  # noqa: PLR0913, PLR0917 - handed through
    question: Question,
    values: NDArray[np.float64],
    zero_method: ZeroMethod,
    method: Method,
    continuity: bool,  # noqa: FBT001 - handed through
    ties: Ties,
) -> tuple[RankSums, NDArray[np.float64], dict[str, NDArray[np.bool_]]]:
    """Test one metric: rank sums, p-values (greater, less, two-sided) by pair, and which pairs took which method."""
    rank_zeros = zero_method != "wilcox"
    sums = signed_rank_sums(values, question.first, question.second, rank_zeros=rank_zeros, ties=ties)
    routes = _routes(method, question.n_topics, sums)
    p_values = np.ones((3, len(question.first)))
    for name, pairs in routes.items():
        part = RankSums(*(column[pairs] for column in sums))
        if not pairs.any():
            continue
        if name == "asymptotic":
            p_values[:, pairs] = _normal_p_values(part, question.n_topics, zero_method, continuity)
        elif name == "exact":
            p_values[:, pairs] = _with_two_sided(_table_tails(part, question.n_topics, zero_method))
        else:
            pair = question.first[pairs], question.second[pairs]
            tails = enumerated_tails(values, *pair, rank_zeros, _ALLOWANCES[ties])
            p_values[:, pairs] = _with_two_sided(tails)
    p_values[:, sums.n_zero == question.n_topics] = 1.0
    return sums, p_values, routes


def _routes(method: Method, n_topics: int, sums: RankSums) -> dict[str, NDArray[np.bool_]]:
    """Say which pairs take which method."""
    every = np.ones(len(sums.plus), dtype=bool)
    if method != "auto":
        return {method: every}
    distinct = (sums.n_zero == 0) & (sums.ties == 0)
    exact = distinct & (n_topics <= _AUTO_EXACT_TOPICS)
    enumerated = ~distinct & (n_topics <= _AUTO_ENUMERATED_TOPICS)
    return {"exact": exact, "enumerated": enumerated, "asymptotic": ~exact & ~enumerated}


def _n_ranked(sums: RankSums, n_topics: int, zero_method: ZeroMethod) -> NDArray[np.float64]:
    return n_topics - sums.n_zero if zero_method == "wilcox" else np.full_like(sums.n_zero, n_topics)


def _normal_p_values(
    sums: RankSums,
    n_topics: int,
    zero_method: ZeroMethod,
    continuity: bool,  # noqa: FBT001 - handed through
) -> NDArray[np.float64]:
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
    return np.stack([ndtr(step - z), ndtr(step + z), 2 * ndtr(-np.abs(z - np.sign(z) * step))])


def _with_two_sided(tails: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([tails, np.minimum(1.0, 2 * tails.min(axis=0, keepdims=True))])


def _table_tails(sums: RankSums, n_topics: int, zero_method: ZeroMethod) -> NDArray[np.float64]:
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


@compiled_parallel
def rank_sum_columns(
    values: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    rank_zeros: bool,  # noqa: FBT001 - kernels take positions only
    allowance: float,
) -> NDArray[np.float64]:
    """Return an array (4, pair): R+, R-, topics without a difference, sum of t**3 - t; see `signed_rank_sums`.

    The sizes of either sign are sorted apart and then merged, which gives the mid-ranks without sorting signs along.
    Two neighbours tie when they are no further apart than the allowance for the scores they come from. Those have lost
    their places in sorting, but the smallest and the largest scores of the pair settle nearly every case; only where
    a gap lies between what these two allow are the sizes settled with their scores, and ranked again.
    """
    n_topics = values.shape[1]
    columns = np.empty((4, len(first)))
    for pair in numba.prange(len(first)):
        a, b = values[first[pair]], values[second[pair]]
        sizes = np.empty(n_topics)
        n_plus = 0
        n_minus = 0
        smallest = np.inf
        largest = 0.0
        for topic in range(n_topics):
            difference = a[topic] - b[topic]
            scores = abs(a[topic]) + abs(b[topic])
            if difference > allowance * scores:
                sizes[n_plus] = difference
                n_plus += 1
            elif difference < -allowance * scores:
                n_minus += 1
                sizes[n_topics - n_minus] = -difference
            else:
                continue
            smallest = min(smallest, scores)
            largest = max(largest, scores)
        ranked = n_topics - n_plus - n_minus if rank_zeros else 0
        plus_sizes, minus_sizes = np.sort(sizes[:n_plus]), np.sort(sizes[n_topics - n_minus :])
        sure, possible = 2.0 * allowance * smallest, 2.0 * allowance * largest
        plus, minus, ties, settled = _merged_ranks(plus_sizes, minus_sizes, ranked, sure, possible)
        if not settled:
            _settle_sizes(a, b, allowance, sizes)
            wins = a > b
            plus_sizes, minus_sizes = np.sort(sizes[wins & (sizes > 0.0)]), np.sort(sizes[~wins & (sizes > 0.0)])
            plus, minus, ties, settled = _merged_ranks(plus_sizes, minus_sizes, ranked, 0.0, 0.0)
        columns[0, pair] = plus
        columns[1, pair] = minus
        columns[2, pair] = n_topics - n_plus - n_minus
        columns[3, pair] = ties
    return columns


@compiled
def _merged_ranks(
    plus_sizes: NDArray[np.float64], minus_sizes: NDArray[np.float64], ranked: int, sure: float, possible: float
) -> tuple[float, float, float, bool]:
    """Rank two sorted rows of sizes together: R+, R-, the sum of t**3 - t, and whether no gap was in doubt.

    A gap up to `sure` is a tie, one beyond `possible` is none; `ranked` sizes have the lower ranks already.
    """
    n_plus, n_minus = len(plus_sizes), len(minus_sizes)
    plus = 0.0
    minus = 0.0
    ties = 0.0
    settled = True
    i = 0
    j = 0
    while i < n_plus or j < n_minus:
        from_i, from_j = i, j
        last = min(plus_sizes[i] if i < n_plus else np.inf, minus_sizes[j] if j < n_minus else np.inf)
        while i < n_plus or j < n_minus:
            next_plus = plus_sizes[i] if i < n_plus else np.inf
            next_minus = minus_sizes[j] if j < n_minus else np.inf
            size = min(next_plus, next_minus)
            if size - last > sure:
                settled &= size - last > possible
                break
            last = size
            if next_plus <= next_minus:
                i += 1
            else:
                j += 1
        tied = (i - from_i) + (j - from_j)
        rank = ranked + 0.5 * (tied + 1)
        plus += rank * (i - from_i)
        minus += rank * (j - from_j)
        ties += float(tied) * tied * tied - tied
        ranked += tied
    return plus, minus, ties, settled


@compiled
def _settle_sizes(
    a: NDArray[np.float64], b: NDArray[np.float64], allowance: float, settled: NDArray[np.float64]
) -> None:
    """Fill in the size of the difference on every topic, one number for all that tie and 0 where there is none.

    As `metaeval.equality.settle`, with zeros kept apart. Of sizes that are one number already, the one with the
    largest scores speaks for all, so that the order of the topics does not matter.
    """
    n_topics = len(a)
    sizes = np.abs(a - b)
    scores = np.abs(a) + np.abs(b)
    for topic in range(n_topics):
        if sizes[topic] <= allowance * scores[topic]:
            sizes[topic] = 0.0
    order = np.argsort(sizes)
    lowest = 0.0
    scores_before = 0.0
    start = 0
    while start < n_topics:
        size = sizes[order[start]]
        stop = start
        scores_here = 0.0
        while stop < n_topics and sizes[order[stop]] == size:
            scores_here = max(scores_here, scores[order[stop]])
            stop += 1
        if lowest == 0.0 or size - sizes[order[start - 1]] > allowance * (scores_before + scores_here):
            lowest = size
        for place in range(start, stop):
            settled[order[place]] = lowest
        scores_before = scores_here
        start = stop


@compiled_parallel
def enumerated_tails(
    values: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    rank_zeros: bool,  # noqa: FBT001 - kernels take positions only
    allowance: float,
) -> NDArray[np.float64]:
    """Return P(R+ >= observed) and P(R+ <= observed) over all sign vectors, given the ties: an array (2, pair).

    Twice a mid-rank is a whole number, so the distribution of 2 R+ fills a short table, one rank at a time; that is
    the enumeration without its 2**T steps. Zeros keep their place under any sign, so they add nothing.
    """
    n_topics = values.shape[1]
    tails = np.empty((2, len(first)))
    for pair in numba.prange(len(first)):
        a, b = values[first[pair]], values[second[pair]]
        sizes = np.empty(n_topics)
        _settle_sizes(a, b, allowance, sizes)
        chance = np.zeros(n_topics * (n_topics + 1) + 1)
        chance[0] = 1.0
        highest = 0
        observed = 0
        for topic in range(n_topics):
            size = sizes[topic]
            if size == 0.0:
                continue
            twice_rank = 1
            for other in range(n_topics):
                if sizes[other] != 0.0 or rank_zeros:
                    twice_rank += 2 * (sizes[other] < size) + (sizes[other] == size)
            if a[topic] > b[topic]:
                observed += twice_rank
            for place in range(highest, -1, -1):
                half = 0.5 * chance[place]
                chance[place] = half
                chance[place + twice_rank] += half
            highest += twice_rank
        tails[0, pair] = chance[observed : highest + 1].sum()
        tails[1, pair] = chance[: observed + 1].sum()
    return tails
