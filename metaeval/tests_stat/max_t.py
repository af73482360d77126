"""Randomised max-t test (Westfall and Young): all pairs of systems at once, family-wise error held by the draws."""

import numba
import numpy as np
from numpy.typing import NDArray

from metaeval.running.compiled import compiled, compiled_parallel
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import track
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.counting import check_resamples, kernel_threads
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.paired_t import equal_pairs, paired_t_statistics
from metaeval.tests_stat.pairs import Alternative, Evidence, PValueRule, Question, ask, resampled_p_value
from metaeval.tests_stat.permutations import draw_seed, permuted_scores
from metaeval.tests_stat.result import PairwiseResult, answer

_BLOCK_CELLS = 2**20  # permuted scores or products formed at a time: 8 MiB
_CHUNKS = 16  # pieces of a block that are counted side by side
_TIE = 1e-9  # two statistics this close, relative to their size, are equal
_EQUAL = 1e-14  # squared differences this small, relative to the squares they come from, are rounding
_SIDES = {"two-sided": (0,), "greater": (1,), "less": (-1,), "better": (1, -1)}


@documented
def max_t_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    alternative: Alternative = "two-sided",
    correction: str = FAMILY_WISE,
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int = 10_000,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PairwiseResult:
    r"""Test which systems differ in mean score, with family-wise error rate alpha (max-t).

    Every resample permutes the scores of all systems within each topic, and the largest paired t statistic of the
    resample is what an observed one must beat. Dependence between pairs that share a system is thereby in the draws,
    which makes this less strict than Bonferroni or Holm.

    Parameters
    ----------
    scores, alternative
    correction : str, default "family-wise"
        "family-wise": the step-down p-values of this test; any other is applied to its raw p-values.
    alpha
    baseline : str, optional
        Compare with this system only; the family is then these pairs. The permutations still run over all systems.
    n_resamples : int, default 10000
        Permutations B. A p-value near 0.05 then has a standard error of 0.002. The family-wise p-values need no more
        resamples for more pairs.
    p_value_rule, rng, n_threads

    Returns
    -------
    PairwiseResult
        The statistic is the paired t. ``p_value`` is raw, ``p_family_wise`` is adjusted.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.tukey.tukey_hsd_test
    metaeval.tests_stat.randomisation.randomisation_test

    Notes
    -----
    With the hypotheses in descending order of their observed statistic, :math:`t_1 \ge t_2 \ge \dots \ge t_m`,

    .. math:: p_i = \max_{k \le i} \frac{\#\{b : \max_{j \ge k} t^*_{bj} \ge t_k\}}{B}

    [1]_ [2]_ [3]_. The raw p-value is the share of permutations in which the pair's own statistic is as large. Both
    suppose under their null hypothesis that all systems are exchangeable on every topic (raw p-values of this test are
    not those of sign flips, which exchange the two systems of a pair only).

    Where topics come in random clusters, the systems are permuted by the cluster, and t is that of the (weighted) sums
    over each cluster: all of a cluster's topics are exchanged together, so what they share does no harm.

    Systems equal on every topic have p = 1; a difference that is the same on every topic counts as infinite.
    Statistics of permuted scores are formed from one product, after each topic's median was taken off (the mean would
    let one system of huge scores round away the others); two rows that differ by less than some 1e-7 of the spread
    within topics count as equal there.

    References
    ----------
    .. [1] Westfall and Young (1993). Resampling-Based Multiple Testing. Wiley.
    .. [2] Ge, Dudoit and Speed (2003). Test 12, 1-77, box 2.
    .. [3] Boytsov, Belova and Westfall (2013). SIGIR, 403-412.

    Examples
    --------
    >>> scores = [[0.3, 0.5, 0.9, 0.8, 0.6], [0.2, 0.3, 0.6, 0.1, 0.3], [0.2, 0.4, 0.6, 0.2, 0.3]]
    >>> result = max_t_test(scores, n_resamples=999, rng=0)
    >>> bool((result.data["p_family_wise"] >= result.data["p_value"]).all())
    True
    """
    n_resamples = check_resamples(n_resamples)
    smallest_p = float(resampled_p_value(np.array([0]), n_resamples, p_value_rule)[0])
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test="max_t")
    by_unit = question.by_unit()
    source = resolve_rng(rng)
    seed = draw_seed(source.generator)
    with kernel_threads(n_threads):
        found = [_test_metric(by_unit, metric, seed, n_resamples) for metric in range(len(question.values))]
    statistic = np.stack([t for t, _ in found])
    counts = np.stack([counts for _, counts in found], axis=1)
    raw, family_wise = resampled_p_value(counts, n_resamples, p_value_rule)
    return answer(
        question,
        _evidence(question, statistic, raw, family_wise),
        test="max_t",
        correction=correction,
        n_resamples=n_resamples,
        random_source=source.description,
        details={"smallest_p": smallest_p},
    )


def _evidence(
    question: Question,
    statistic: NDArray[np.float64],
    raw: NDArray[np.float64],
    family_wise: NDArray[np.float64],
) -> Evidence:
    """Hand over arrays (metric, hypothesis); for "better" the second half of the hypotheses is the other direction."""
    match question.alternative:
        case "two-sided":
            return Evidence(statistic=statistic, two_sided=raw, family_wise=family_wise)
        case "greater":
            return Evidence(statistic=statistic, greater=raw, family_wise=family_wise)
        case "less":
            return Evidence(statistic=statistic, less=raw, family_wise=family_wise)
    (greater, less), (family_greater, family_less) = (np.split(part, 2, axis=1) for part in (raw, family_wise))
    forward = question.mean_differences() >= 0
    return Evidence(
        statistic=statistic,
        greater=greater,
        less=less,
        family_wise=np.where(forward, family_greater, family_less),
    )


def _test_metric(
    question: Question, metric: int, seed: np.uint64, n_resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return t of every pair under one metric and, for every hypothesis, the extreme permutations: (2, hypothesis).

    Row 0 counts for the hypothesis alone, row 1 for the largest statistic among those no more extreme than it.
    """
    by_name = question.system_order()
    scores = np.ascontiguousarray(question.values[metric, by_name].T)
    centred = scores - np.median(scores, axis=1, keepdims=True)
    sides = _SIDES[question.alternative]
    column = np.argsort(by_name)
    pairs = np.tile([column[question.first], column[question.second]], len(sides))
    hypotheses = np.concatenate([pairs, [np.repeat(sides, len(question.first))]])
    t = paired_t_statistics(question.values[metric], question.first, question.second, question.tolerance[metric])
    observed = _as_shares(question, metric, t, sides)
    order = np.argsort(-observed, kind="stable")  # NaN, for equal systems, comes last
    least = np.where(np.isnan(observed), -np.inf, observed - _TIE * (1 + np.abs(observed)))
    counts = np.zeros((2, hypotheses.shape[1]), dtype=np.int64)
    n_topics, n_systems = centred.shape
    rows = max(1, _BLOCK_CELLS // (n_systems * max(n_systems, n_topics)))
    starts = range(0, n_resamples, rows)
    for start in track(starts, description="randomised max-t"):
        permuted = permuted_scores(centred, seed, start, min(start + rows, n_resamples))
        counts += count_successive_maxima(*_products(permuted), hypotheses, order, least)
    counts[1, order] = np.maximum.accumulate(counts[1, order])
    return t, counts


def _as_shares(question: Question, metric: int, t: NDArray[np.float64], sides: tuple[int, ...]) -> NDArray[np.float64]:
    """Turn t of every pair into what `hypothesis_statistic` gives, side by side."""
    n_topics = question.n_topics
    with np.errstate(divide="ignore"):  # t = 0
        shares = n_topics / (1.0 + (n_topics - 1) / t**2)
    equal = equal_pairs(question.values[metric], question.first, question.second, question.tolerance[metric])
    shares[equal] = np.nan
    return np.concatenate([np.where(side * np.sign(t) < 0, -shares, shares) for side in sides])


def _products(permuted: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of every system and the products of every two: (block, system) and (block, system, system)."""
    return permuted.sum(axis=1), np.matmul(permuted.transpose(0, 2, 1), permuted)


@compiled
def hypothesis_statistic(sums: NDArray[np.float64], products: NDArray[np.float64], a: int, b: int, side: int) -> float:
    """Return S**2 / Q of one pair, S the sum and Q the sum of squares of its differences; NaN for equal systems.

    It grows with the square of t, T t**2 / (T - 1 + t**2), without a root and without an infinity; a one-sided
    hypothesis (side 1 or -1) gives it the sign of side * S, a two-sided one (0) leaves it positive.
    """
    total = sums[a] - sums[b]
    squares = products[a, a] + products[b, b] - 2.0 * products[a, b]
    if squares <= _EQUAL * (products[a, a] + products[b, b]):
        return np.nan
    share = total * total / squares
    return -share if side * total < 0.0 else share


@compiled
def hypothesis_statistics(
    sums: NDArray[np.float64], products: NDArray[np.float64], hypotheses: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return `hypothesis_statistic` of every hypothesis on one set of scores."""
    first, second, sides = hypotheses
    statistics = np.empty(len(first))
    for place in range(len(first)):
        statistics[place] = hypothesis_statistic(sums, products, first[place], second[place], sides[place])
    return statistics


@compiled_parallel
def count_successive_maxima(
    sums: NDArray[np.float64],
    products: NDArray[np.float64],
    hypotheses: NDArray[np.int64],
    order: NDArray[np.int64],
    least: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Count the permutations in which a hypothesis, or any one after it in `order`, reaches `least`.

    Shapes: `sums` (permutation, system), `products` (permutation, system, system), `hypotheses` (3, hypothesis),
    `order` (hypothesis,), `least` (hypothesis,), result (2, hypothesis).
    """
    n_permutations = len(sums)
    n_chunks = min(_CHUNKS, n_permutations)
    counts = np.zeros((n_chunks, 2, len(order)), dtype=np.int64)
    for chunk in numba.prange(n_chunks):
        for number in range(chunk, n_permutations, n_chunks):
            statistics = hypothesis_statistics(sums[number], products[number], hypotheses)
            largest = -np.inf
            for place in range(len(order) - 1, -1, -1):
                hypothesis = order[place]
                statistic = statistics[hypothesis]
                if np.isnan(statistic):
                    statistic = 0.0
                largest = max(largest, statistic)
                counts[chunk, 0, hypothesis] += statistic >= least[hypothesis]
                counts[chunk, 1, hypothesis] += largest >= least[hypothesis]
    return counts.sum(axis=0)
