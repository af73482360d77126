"""Fisher's randomisation test (sign flips) over all pairs of systems."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.running.draws import RandomSource, RNGLike, resolve_rng
from metaeval.running.parallel import limit_threads, track
from metaeval.tests_stat.counting import check_resamples, count_extreme, tile_pool
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Evidence, PValueRule, Question, ask, resampled_p_value
from metaeval.tests_stat.result import PairwiseResult, pairwise_result

_BLOCK_CELLS = 2**17  # signs and sums formed at a time: 1 MiB each, which stays in a second-level cache
_PAIRS_AT_ONCE = 128


@documented
def randomisation_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    alternative: Alternative = "two-sided",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int = 10_000,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PairwiseResult:
    r"""Test which systems differ in mean score by swapping the two systems of a pair on random topics.

    Parameters
    ----------
    scores, alternative, correction, alpha, baseline
    n_resamples : int, default 10000
        Random sign vectors B. A p-value near 0.05 then has a standard error of 0.002, and the smallest possible one
        is 0.0001: low enough for a correction over 8256 pairs once some 160 of them reach it. When there are no more
        than B sign vectors in all (2**T, T topics), every one is taken once and the p-value is exact, a plain share.
    p_value_rule, rng, n_threads

    Returns
    -------
    PairwiseResult
        The statistic is the mean difference. ``details["method"]`` is "random" or "exact"; `n_resamples` is None where
        nothing was drawn, and ``details["n_sign_vectors"]`` says how many sign vectors there were. Columns:
        `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.bootstrap.bootstrap_test
    metaeval.tests_stat.max_t.max_t_test

    Notes
    -----
    .. math:: p = \frac{\#\{b : |\sum_j f_{bj} z_j| \ge |\sum_j z_j|\}}{B}, \qquad f_{bj} = \pm 1

    Since :math:`\sum_j f_{bj} (x_j - y_j)` is a difference of two sums that belong to one system each, one matrix
    product serves all pairs [1]_ [2]_. Sums that are equal up to rounding count as equal: on scores in tenths they
    carry real probability, and a plain comparison of floating-point numbers loses about half of it.

    Where topics come in random clusters, the two systems are exchanged by the cluster, all its topics together, and
    there are 2**G sign vectors of G clusters. Weights multiply the differences. Where there are gaps, the sums of a
    pair are those over its common topics.

    References
    ----------
    .. [1] Fisher (1935). The Design of Experiments, section 21.
    .. [2] Smucker, Allan and Carterette (2007). A comparison of statistical significance tests for information
       retrieval evaluation. CIKM, 623-632. :doi:`10.1145/1321440.1321528`

    Examples
    --------
    >>> result = randomisation_test([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], correction="none")
    >>> float(result.data["p_value"][0, 0]), result.details["method"]
    (0.125, 'exact')
    """
    n_resamples = check_resamples(n_resamples)
    smallest_p = float(resampled_p_value(np.array([0]), n_resamples, p_value_rule)[0])
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test="randomisation")
    rows, n_units = block_rows(question), question.units.n_units
    source: RandomSource | None = None
    rule: PValueRule = p_value_rule
    if n_resamples.bit_length() > n_units:  # 2**T <= B
        blocks = every_sign_vector(n_units, rows=rows)
        n_vectors, rule = 2**n_units, "plain"
        smallest_p = (1 if question.one_sided else 2) / n_vectors
    else:
        source = resolve_rng(rng)
        blocks = random_signs(source.generator, n_resamples, n_units, rows=rows)
        n_vectors = n_resamples
    blocks = track(blocks, description="randomisation", total=-(-n_vectors // rows))
    if question.gaps:
        counts = _count_by_pair(question, blocks, n_threads)
    else:
        with limit_threads(n_threads):
            counts = count_flips(question.by_unit(), blocks)
    two_sided, greater, less = np.moveaxis(resampled_p_value(counts, n_vectors, rule), 1, 0)
    tails = {"greater": greater, "less": less} if question.one_sided else {"two_sided": two_sided}
    return pairwise_result(
        question,
        Evidence(statistic=question.mean_differences(), **tails),
        test="randomisation",
        correction=correction,
        n_resamples=None if source is None else n_resamples,
        random_source=None if source is None else source.description,
        details={
            "method": "exact" if source is None else "random",
            "n_sign_vectors": n_vectors,
            "smallest_p": smallest_p,
        },
    )


def every_sign_vector(n_topics: int, *, rows: int) -> Iterator[Floats]:
    """Yield all 2**n_topics vectors of -1 and +1, `rows` at a time.

    Examples
    --------
    >>> next(every_sign_vector(2, rows=4)).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    for start in range(0, 2**n_topics, rows):
        numbers = np.arange(start, min(start + rows, 2**n_topics))
        yield _as_signs(numbers[:, None] >> np.arange(n_topics) & 1)


def random_signs(generator: np.random.Generator, n_resamples: int, n_topics: int, *, rows: int) -> Iterator[Floats]:
    """Yield random vectors of -1 and +1, `rows` at a time.

    All are drawn before the first is yielded, one bit each, so they do not depend on `rows` and 10 000 vectors for
    6980 topics take 9 MB.

    Examples
    --------
    >>> [block.shape for block in random_signs(np.random.default_rng(0), 5, 3, rows=4)]
    [(4, 3), (1, 3)]
    """
    packed = generator.integers(0, 256, size=(n_resamples, -(-n_topics // 8)), dtype=np.uint8)
    for start in range(0, n_resamples, rows):
        yield _as_signs(np.unpackbits(packed[start : start + rows], axis=1, count=n_topics))


def _as_signs(bits: NDArray[np.integer]) -> Floats:
    signs = bits.astype(np.float64)
    signs *= 2.0
    signs -= 1.0
    return signs


def block_rows(question: Question) -> int:
    """Return how many sign vectors to take at a time, so that they and the sums they make stay in a cache."""
    n_metrics, n_systems, n_topics = question.values.shape
    return max(1, _BLOCK_CELLS // max(n_topics, n_metrics * n_systems))


def count_flips(question: Question, blocks: Iterable[Floats]) -> Ints:
    """Count the sign vectors at least as extreme as the data.

    Shapes: `blocks` (sign vector, topic), result (metric, 3, pair).
    """
    n_metrics, n_systems, n_topics = question.values.shape
    # One product serves all metrics: their systems are rows of one table, and the row numbers keep their pairs apart.
    rows = question.values.reshape(-1, n_topics)
    offsets = n_systems * np.arange(n_metrics)[:, None]
    first, second = ((offsets + side).ravel() for side in (question.first, question.second))
    sums = rows.sum(axis=1)
    observed = sums[first] - sums[second]
    tolerance = question.tolerance.ravel()
    counts = np.zeros((3, len(first)), dtype=np.int64)
    for signs in blocks:
        counts += count_extreme(rows @ signs.T, first, second, observed, tolerance, question.one_sided)
    return np.moveaxis(counts.reshape(3, n_metrics, -1), 0, 1)


def _count_by_pair(question: Question, blocks: Iterable[Floats], n_threads: int | None) -> Ints:
    """Count as `count_flips` where every pair has topics of its own, so that no sum belongs to one system."""
    n_metrics, n_pairs = len(question.values), len(question.first)
    tolerance = question.tolerance
    counts = np.zeros((n_metrics, 3, n_pairs), dtype=np.int64)
    starts = range(0, n_pairs, _PAIRS_AT_ONCE)
    tasks = [(metric, slice(start, start + _PAIRS_AT_ONCE)) for metric in range(n_metrics) for start in starts]

    def count(signs: Floats, metric: int, part: slice) -> None:
        first, second = (question.values[metric, side[part]] for side in (question.first, question.second))
        sums = question.units.sums(np.nan_to_num(first - second))
        flipped, observed, near = sums @ signs.T, sums.sum(axis=1, keepdims=True), tolerance[metric, part, None]
        counts[metric, 0, part] += (np.abs(flipped) >= np.abs(observed) - near).sum(axis=1)
        if question.one_sided:
            counts[metric, 1, part] += (flipped >= observed - near).sum(axis=1)
            counts[metric, 2, part] += (flipped <= observed + near).sum(axis=1)

    with tile_pool(n_threads) as pool:
        for signs in blocks:
            list(pool.map(lambda task, own=signs: count(own, *task), tasks))
    return counts
