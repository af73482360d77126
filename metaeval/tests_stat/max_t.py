"""Randomised max-t test (Westfall and Young): all pairs of systems at once, family-wise error held by the draws."""

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.running.compiled import compiled
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import allowed_threads, limit_threads, track
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.counting import check_resamples, tile_pool
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.paired_t import equal_pairs, paired_t_statistics
from metaeval.tests_stat.pairs import Alternative, Evidence, PValueRule, Question, ask, resampled_p_value
from metaeval.tests_stat.permutations import draw_seed, permute_scores
from metaeval.tests_stat.result import PairwiseResult, pairwise_result

_BLOCK_CELLS = 2**18  # permuted scores or products that one core forms at a time: 2 MiB
_STRETCH = 128  # hypotheses looked at together
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
        The statistic is the paired t. ``p_value`` is raw, ``p_family_wise`` is adjusted. Columns:
        `PairwiseResult.to_frame`.

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
    with limit_threads(n_threads), tile_pool(n_threads) as pool:
        per_metric = [_test_metric(by_unit, metric, seed, n_resamples, pool) for metric in range(len(question.values))]
    statistic = np.stack([t for t, _ in per_metric])
    counts = np.stack([counts for _, counts in per_metric], axis=1)
    raw, family_wise = resampled_p_value(counts, n_resamples, p_value_rule)
    return pairwise_result(
        question,
        _evidence(question, statistic, raw, family_wise),
        test="max_t",
        correction=correction,
        n_resamples=n_resamples,
        random_source=source.description,
        details={"smallest_p": smallest_p},
    )


def _evidence(question: Question, statistic: Floats, raw: Floats, family_wise: Floats) -> Evidence:
    """Hand over arrays (metric, hypothesis); for "better" the second half of the hypotheses is the other direction."""
    match question.alternative:
        case "two-sided":
            return Evidence(statistic=statistic, two_sided=raw, family_wise=family_wise)
        case "greater":
            return Evidence(statistic=statistic, greater=raw, family_wise=family_wise)
        case "less":
            return Evidence(statistic=statistic, less=raw, family_wise=family_wise)
    (greater, less), (family_greater, family_less) = (np.split(p_values, 2, axis=1) for p_values in (raw, family_wise))
    forward = question.mean_differences() >= 0
    return Evidence(
        statistic=statistic,
        greater=greater,
        less=less,
        family_wise=np.where(forward, family_greater, family_less),
    )


def _test_metric(
    question: Question, metric: int, seed: np.uint64, n_resamples: int, pool: Executor
) -> tuple[Floats, Ints]:
    """Return t of every pair under one metric and, for every hypothesis, the extreme permutations: (2, hypothesis).

    Row 0 counts for the hypothesis alone, row 1 for the largest statistic among those no more extreme than it.
    """
    by_name = question.system_order()
    scores = np.ascontiguousarray(question.values[metric, by_name].T)
    centred = scores - np.median(scores, axis=1, keepdims=True)
    sides = _SIDES[question.alternative]
    t = paired_t_statistics(question.values[metric], question.first, question.second, question.tolerance[metric])
    observed = _as_shares(question, metric, t, sides)
    order = np.argsort(-observed, kind="stable")  # NaN, for equal systems, comes last
    least = np.where(np.isnan(observed), -np.inf, observed - _TIE * (1 + np.abs(observed)))[order]
    n_topics, n_systems = centred.shape
    column = np.argsort(by_name)
    a, b = column[question.first], column[question.second]
    low, high = np.minimum(a, b), np.maximum(a, b)
    pair = low * (2 * n_systems - low - 3) // 2 + high - 1  # row by row of the upper triangle
    pair = np.tile(pair.astype(np.uint32), len(sides))[order]  # unsigned: a kernel does not count from the end
    turn = np.concatenate([np.where(a < b, side, -side) for side in sides]).astype(np.float64)[order]
    rows = min(n_resamples, max(1, _BLOCK_CELLS // (n_systems * max(n_systems, n_topics))))
    shapes = (rows, n_topics, n_systems), (rows, n_systems, n_systems)
    spare = [tuple(map(np.empty, shapes)) for _ in range(allowed_threads())]  # new memory each time is slower

    def count(start: int) -> Ints:
        permuted, products = memory = spare.pop()
        permuted, products = permuted[: n_resamples - start], products[: n_resamples - start]
        permute_scores(centred, seed, start, permuted)
        np.matmul(permuted.transpose(0, 2, 1), permuted, out=products)
        extreme = count_successive_maxima(permuted.sum(axis=1), products, pair, turn, least)
        spare.append(memory)
        return extreme

    starts = range(0, n_resamples, rows)
    blocks = track(pool.map(count, starts), description="randomised max-t", total=len(starts))
    counts = np.zeros((2, len(order)), dtype=np.int64)
    counts[:, order] = sum(blocks)
    counts[1, order] = np.maximum.accumulate(counts[1, order])
    return t, counts


def _as_shares(question: Question, metric: int, t: Floats, sides: tuple[int, ...]) -> Floats:
    """Turn t of every pair into what `pair_statistic` gives, side by side."""
    n_topics = question.n_topics
    with np.errstate(divide="ignore"):  # t = 0
        shares = n_topics / (1.0 + (n_topics - 1) / t**2)
    equal = equal_pairs(question.values[metric], question.first, question.second, question.tolerance[metric])
    shares[equal] = np.nan
    return np.concatenate([np.where(side * np.sign(t) < 0, -shares, shares) for side in sides])


@compiled
def pair_statistic(total: float, sizes: float, product: float) -> float:
    """Return S abs(S) / Q of one pair, S the sum and Q the sum of squares of its differences; 0 for equal systems.

    It takes S, the sum of both systems' squares, and their product, and rises with t as T t abs(t) / (T - 1 + t**2),
    without a root and without an infinity.
    """
    squares = sizes - 2.0 * product
    return total * abs(total) / (squares if squares > _EQUAL * sizes else np.inf)


@compiled
def count_successive_maxima(
    sums: Floats, products: Floats, pair: NDArray[np.uint32], turn: Floats, least: Floats
) -> Ints:
    """Count the permutations in which a hypothesis, or any one after it, reaches `least`, which never rises.

    Shapes: `sums` (permutation, system), `products` (permutation, system, system), `pair, turn, least` (hypothesis,),
    result (2, hypothesis). `pair` numbers the upper triangle row by row; a hypothesis is about its statistic times
    `turn`, or its size where all turns are 0.

    Notes
    -----
    From the last hypothesis to the first the largest statistic rises only now and then. Between two rises it is one
    number, which reaches `least` from some hypothesis on: only where these begin and end is noted, and added up last.
    """
    n_permutations, n_systems = sums.shape
    n_hypotheses = len(pair)
    two_sided = not turn.any()
    falling = -least
    counts = np.zeros((2, n_hypotheses), dtype=np.int64)
    alone = counts[0]
    changes = np.zeros(n_hypotheses + 1, dtype=np.int64)
    squares = np.empty(n_systems)
    statistics = np.empty(n_systems * (n_systems - 1) // 2)
    stretch = np.empty(_STRETCH)
    for number in range(n_permutations):
        for system in range(n_systems):
            squares[system] = products[number, system, system]
        _statistics_of_pairs(sums[number], squares, products[number], statistics)
        largest, end = -np.inf, n_hypotheses
        for stop in range(n_hypotheses, 0, -_STRETCH):
            start = max(0, stop - _STRETCH)
            own_pair, own_turn, own_least, own_count = (
                pair[start:stop],
                turn[start:stop],
                least[start:stop],
                alone[start:stop],
            )
            rises = 0
            for offset in range(stop - start):
                statistic = statistics[own_pair[offset]]
                statistic = abs(statistic) if two_sided else own_turn[offset] * statistic
                stretch[offset] = statistic
                own_count[offset] += statistic >= own_least[offset]
                rises += statistic > largest
            if rises:
                for offset in range(stop - start - 1, -1, -1):
                    if stretch[offset] > largest:
                        _note(changes, falling, largest, start + offset + 1, end)
                        largest, end = stretch[offset], start + offset + 1
        _note(changes, falling, largest, 0, end)
    counts[1] = np.cumsum(changes)[:-1]
    return counts


@compiled
def _statistics_of_pairs(sums: Floats, squares: Floats, product: Floats, out: Floats) -> None:
    """Fill in the statistic of every pair of the upper triangle, row by row."""
    start = 0
    for system in range(len(sums) - 1):
        n_later = len(sums) - system - 1
        row, sums_of, squares_of = out[start : start + n_later], sums[system + 1 :], squares[system + 1 :]
        products_of = product[system, system + 1 :]
        for column in range(n_later):
            row[column] = pair_statistic(
                sums[system] - sums_of[column], squares[system] + squares_of[column], products_of[column]
            )
        start += n_later


@compiled
def _note(changes: Ints, falling: Floats, largest: float, start: int, stop: int) -> None:
    """Count one for the hypotheses from `start` to `stop` - 1 whose least the largest statistic reaches."""
    first = max(start, int(np.searchsorted(falling, -largest)))
    if first < stop:
        changes[first] += 1
        changes[stop] -= 1
