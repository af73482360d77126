"""Bootstrap tests over all pairs of systems: studentised, percentile and shifted mean, by resampling topics."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, NamedTuple, get_args

import numba
import numpy as np
import threadpoolctl
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.checks import check_choice, check_threads
from metaeval.compiled import compiled
from metaeval.draws import RNGLike, bootstrap_counts, bootstrap_indices, resolve_rng
from metaeval.equality import RELATIVE
from metaeval.parallel import limit_threads, track
from metaeval.tests_stat.counting import check_resamples, count_beside_zero, count_extreme
from metaeval.tests_stat.paired_t import paired_t_statistics
from metaeval.tests_stat.pairs import Alternative, Evidence, PValueRule, Question, ask, resampled_p_value
from metaeval.tests_stat.result import PairwiseResult, answer

__all__ = [
    "TALLY",
    "BootstrapMethod",
    "Placing",
    "StudentisedPairs",
    "bootstrap_test",
    "degenerate_resamples",
    "t_statistics",
    "tile_pool",
    "topic_counts",
]

BootstrapMethod = Literal["studentised", "percentile", "shifted"]
_TEST_NAMES = {
    "studentised": "bootstrap",
    "percentile": "bootstrap_percentile",
    "shifted": "bootstrap_shifted",
}
TALLY = ("far", "above", "below", "zero_over_zero", "constant_over_zero")
"""Rows of a tally: |t*| >= |t|, t* >= t, t* <= t, and the two kinds of resample without variance."""
_TILE = 128  # pairs in one matrix product: its result, at 1000 resamples, stays in a second-level cache
_CHUNK_CELLS = 4_000_000  # topics x resamples held as counts at a time: 32 MB
_CHUNK_RESAMPLES = 4096
_EXPONENTS = (-1000, 1000)  # of the units: beyond, a power of two is not a number in double precision


def bootstrap_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    method: BootstrapMethod = "studentised",
    alternative: Alternative = "two-sided",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int = 1000,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PairwiseResult:
    r"""Decide which systems differ in mean score by resampling topics, with no shape assumed for the differences.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    method : {"studentised", "percentile", "shifted"}
        Which bootstrap; see Notes.
    alternative : {"two-sided", "greater", "less", "better"}
        See `metaeval.tests_stat.pairs.ask`.
    correction : str, default "fdr_by"
        See `metaeval.tests_stat.correction.adjust`. The smallest p is 1/(B + 1) (twice that for a two-sided
        percentile test). Over m pairs Benjamini and Yekutieli reject k pairs at that p only if B + 1 is at least
        m (1 + 1/2 + … + 1/m) / (k alpha): with 8256 pairs, 1.6 million for a single one, a thousand for 1583.
    alpha : float, default 0.05
        Significance level.
    baseline : str, optional
        Compare with this system only.
    n_resamples : int, default 1000
        B, the number of topic samples drawn.
    p_value_rule : {"plus-one", "plain"}
        (k + 1)/(B + 1), or k/B as the papers print.
    rng : None, int or numpy.random.Generator
        Source of the draws, the same for every pair and every metric.
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    PairwiseResult
        The statistic is t for the studentised test and the mean difference for the other two. The details of the
        studentised test count, per metric and over all pairs, the resamples without variance: ``zero_over_zero``
        (no difference on any topic drawn; not extreme) and ``constant_over_zero`` (the same difference on every
        topic drawn; infinitely far, hence extreme).

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule.

    Notes
    -----
    With :math:`z_j` the difference on topic j of T, :math:`w_j = z_j - \bar z`, and topics drawn T at a time with
    replacement:

    - *studentised* [1]_ [2]_: the share of resamples with :math:`|t(w^*)| \ge |t(z)|`,
      :math:`t(z) = \bar z / (s / \sqrt T)`;
    - *percentile* [3]_: for H1: mean > 0, the share of resampled mean differences that are at most 0; two-sided
      twice the smaller share;
    - *shifted*: the share of resamples with :math:`|\bar w^*| \ge |\bar z|`. It is not studentised, hence another test
      than the first, offered because published results use it.

    One-sided, the first and the last compare without the bars.

    A resample that ties with the observation counts as extreme. Systems equal on every topic have p = 1; a
    difference that is the same on every topic has the smallest p.

    **How the studentised counts are made.** Let :math:`A = \sum_j c_j w_j` and :math:`Q = \sum_j c_j w_j^2`, with
    :math:`c_j` how often topic j was drawn. Then :math:`t(w^*)^2 = (T - 1) A^2 / (T Q - A^2)`, which rises with
    :math:`A^2 / Q`; the same holds for z itself, so

    .. math:: |t(w^*)| \ge |t(z)| \iff A^2 \ge q\,Q, \qquad q = \frac{(\sum_j z_j)^2}{\sum_j z_j^2},

    without a root or a division. A is the difference of two systems' own resampled sums; only Q needs a matrix
    product over the pairs, and single precision will do for it: it settles every resample except those within its
    rounding of the threshold, which are summed again topic by topic in double precision. Counts are therefore the
    same for any tile, thread or library that multiplied, and equal to those of a loop in double precision.

    References
    ----------
    .. [1] Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR. :doi:`10.1145/1148170.1148261`
    .. [2] Efron and Tibshirani (1993). An Introduction to the Bootstrap, chapter 16.
    .. [3] Ogilvie and Lalmas (2006). Investigating the exhaustivity dimension in content-oriented XML element
       retrieval evaluation. CIKM, section 3.3. :doi:`10.1145/1183614.1183631`

    Examples
    --------
    >>> scores = [[0.3, 0.5, 0.9, 0.4, 0.7], [0.2, 0.3, 0.6, 0.4, 0.5]]
    >>> result = bootstrap_test(scores, correction="none", n_resamples=2000, rng=0)
    >>> round(float(result.data["statistic"][0, 0]), 3), bool(result.data["p_value"][0, 0] < 0.1)
    (3.138, True)
    """
    check_choice(method, "bootstrap method", get_args(BootstrapMethod))
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline)
    n_resamples = check_resamples(n_resamples)
    source = resolve_rng(rng)
    resample = _studentised if method == "studentised" else partial(_from_means, method)
    tails, statistic, details = resample(question, n_resamples, source.generator, n_threads)
    p_values = resampled_p_value(tails, n_resamples, p_value_rule)
    smallest = resampled_p_value(np.zeros(1, dtype=np.int64), n_resamples, p_value_rule).item()
    far, above, below = p_values
    if question.one_sided:
        evidence = Evidence(statistic=statistic, greater=above, less=below)
    elif method == "percentile":
        evidence = Evidence(statistic=statistic, two_sided=np.minimum(1.0, 2.0 * np.minimum(above, below)))
        smallest = min(1.0, 2.0 * smallest)
    else:
        evidence = Evidence(statistic=statistic, two_sided=far)
    return answer(
        question,
        evidence,
        test=_TEST_NAMES[method],
        correction=correction,
        n_resamples=n_resamples,
        random_source=source.description,
        details={"smallest_p": smallest, "p_value_rule": p_value_rule, **details},
    )


def topic_counts(
    generator: np.random.Generator, n_resamples: int, n_topics: int, *, at_once: int | None = None
) -> Iterator[NDArray[np.float64]]:
    """Draw topics with replacement and yield how often each came, a chunk of resamples at a time.

    The chunks laid side by side are the transpose of what `metaeval.draws.bootstrap_counts` makes of
    `metaeval.draws.bootstrap_indices` from the same generator, whatever their size.

    Parameters
    ----------
    generator : numpy.random.Generator
    n_resamples, n_topics : int
    at_once : int, optional
        Resamples per chunk; by default as many as keep a chunk near 32 MB.

    Yields
    ------
    array (topic, resample)

    Examples
    --------
    >>> [chunk.shape for chunk in topic_counts(np.random.default_rng(0), 5, 3, at_once=4)]
    [(3, 4), (3, 1)]
    """
    size = at_once or _chunk_size(n_topics)
    for start in range(0, n_resamples, size):
        indices = bootstrap_indices(generator, min(size, n_resamples - start), n_topics)
        yield np.ascontiguousarray(bootstrap_counts(indices, n_topics).T)


def _chunk_size(n_topics: int) -> int:
    return max(1, min(_CHUNK_RESAMPLES, _CHUNK_CELLS // n_topics))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudentisedPairs:
    """The pairs of one metric, ready for the studentised bootstrap, each in a unit that single precision can square.

    Nothing here joins a pair with a third system: every system is centred by itself.

    Attributes
    ----------
    centred : array (system, topic)
        Scores without each system's mean: the difference of two rows is w.
    first, second : array (pair,)
    scale : array (pair,)
        A power of two that brings the larger centred score of the two near 1; a product with it rounds nothing. The
        next three are in this unit.
    observed : array (pair,)
        Sum of z over the topics; exactly 0 where the systems' means are equal.
    tolerance : array (pair,)
        How far two sums over the topics may lie apart and still be one number.
    reach : array (pair,)
        The largest scores of the two, times the topics: beyond it lies no resampled sum.
    """

    centred: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    scale: NDArray[np.float64]
    observed: NDArray[np.float64]
    tolerance: NDArray[np.float64]
    reach: NDArray[np.float64]

    @classmethod
    def of(cls, question: Question) -> "list[StudentisedPairs]":
        """Return one per metric of a question."""
        first, second = question.first, question.second
        centred = question.values - question.values.mean(axis=2, keepdims=True)
        _, exponent = np.frexp(np.abs(centred).max(axis=2))
        scale = np.ldexp(1.0, -np.maximum(exponent[:, first], exponent[:, second]).clip(*_EXPONENTS))
        largest = np.abs(question.values).max(axis=2)
        reach = scale * (largest[:, first] + largest[:, second]) * question.n_topics
        observed = scale * question.mean_differences() * question.n_topics
        tolerance = scale * question.tolerance
        return [
            cls(
                centred=centred[metric],
                first=first,
                second=second,
                scale=scale[metric],
                observed=observed[metric],
                tolerance=tolerance[metric],
                reach=reach[metric],
            )
            for metric in range(len(centred))
        ]

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return len(self.first)

    @property
    def n_tiles(self) -> int:
        """Number of pieces that `count` works in."""
        return -(-self.n_pairs // _TILE)

    def count(
        self,
        counts: NDArray[np.float64],
        tally: NDArray[np.int64],
        *,
        two_sided: bool,
        pool: ThreadPoolExecutor,
        placing: "Placing | None" = None,
    ) -> Iterator[None]:
        """Add to `tally` how many resamples of every pair are extreme; yield once a tile.

        Parameters
        ----------
        counts : array (topic, resample)
            All resamples if there is something to place, else any chunk of them.
        tally : array (5, pair)
            Rows as in `TALLY`. A two-sided question fills the first, any other the second and third.
        two_sided : bool
        pool : ThreadPoolExecutor
            Every tile is the work of one thread.
        placing : Placing, optional
            Find the resample at a place, too.
        """
        n_topics = len(counts)
        setting = _Setting(
            centred=self.centred,
            counts=counts.astype(np.float32),
            sums=self.centred @ counts,
            rounding=_rounding(n_topics),
        )
        slack = self.reach * RELATIVE * (4.0 + 1e-3 * n_topics)
        guess = 0.0 if placing is None else _likely_share(placing.place / counts.shape[1], n_topics)

        def work(start: int) -> None:
            part = slice(start, start + _TILE)
            pairs = _Pairs(
                first=self.first[part],
                second=self.second[part],
                scale=self.scale[part],
                observed=self.observed[part],
                tolerance=self.tolerance[part],
                slack=slack[part],
            )
            tile = _lay_tile(setting, pairs)
            _tally_tile(setting, tile, two_sided, tally[:, part])
            if placing is not None:
                _place_tile(setting, tile, placing.place, guess, placing.means[part])

        yield from pool.map(work, range(0, self.n_pairs, _TILE))


class Placing(NamedTuple):
    """Which resample to look up when those of a pair are sorted by |t*|, largest first, and where to put its mean."""

    place: int
    """Counted from 1."""
    means: NDArray[np.float64]
    """Array (pair,) that receives the absolute mean of w*; of resamples that tie on |t*|, the largest."""


class _Setting(NamedTuple):
    """What the kernels of one chunk of resamples share."""

    centred: NDArray[np.float64]  # (system, topic)
    counts: NDArray[np.float32]  # (topic, resample)
    sums: NDArray[np.float64]  # (system, resample): A of a pair is the difference of two rows
    rounding: float  # bounds that of Q, relative, in any order of summation: its terms are squares


class _Pairs(NamedTuple):
    """Some pairs, each in its own unit; arrays (pair,)."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    scale: NDArray[np.float64]
    observed: NDArray[np.float64]
    tolerance: NDArray[np.float64]
    slack: NDArray[np.float64]  # bounds the rounding of A in any order of summation, and holds the tolerance


class _Tile(NamedTuple):
    """Some pairs, with the product that all their resamples need."""

    pairs: _Pairs
    spreads: NDArray[np.float64]  # (pair,): sum of w squared over the topics
    products: NDArray[np.float32]  # (pair, resample): Q


def _rounding(n_topics: int) -> float:
    """Bound the relative error of Q in single precision, for a sum of squares in any order, with some to spare."""
    error = 2.0**-24 * (n_topics + 8)
    return error / (1.0 - error) if error < 0.5 else 1e300  # noqa: PLR2004 - millions of topics: sum everything again


def _likely_share(upper_share: float, n_topics: int) -> float:
    """Return a value of A^2 / Q that somewhat more than `upper_share` of the resamples should reach, by Student's t."""
    t = stdtrit(n_topics - 1, max(0.5, 1.0 - 0.75 * upper_share))
    return float(n_topics * t * t / (n_topics - 1 + t * t))


def _lay_tile(setting: _Setting, pairs: _Pairs) -> _Tile:
    squares = np.empty((len(pairs.first), len(setting.counts)), dtype=np.float32)
    spreads = np.empty(len(pairs.first))
    _square_deviations(setting, pairs, squares, spreads)
    return _Tile(pairs, spreads, squares @ setting.counts)


@contextmanager
def tile_pool(n_threads: int | None) -> Iterator[ThreadPoolExecutor]:
    """Open the threads that share out the tiles; inside, a matrix product uses one core.

    Parameters
    ----------
    n_threads : int or None
        None: as many as compiled kernels may use.
    """
    pool = ThreadPoolExecutor(check_threads(n_threads) or numba.get_num_threads())
    with _blas().limit(limits=1, user_api="blas"):
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt waits for the tiles begun, not for all


@cache
def _blas() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController()  # looking for the libraries takes milliseconds


def _studentised(
    question: Question, n_resamples: int, generator: np.random.Generator, n_threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[str, Any]]:
    problems = StudentisedPairs.of(question)
    tally = np.zeros((len(problems), len(TALLY), len(question.first)), dtype=np.int64)

    def steps(pool: ThreadPoolExecutor) -> Iterator[None]:
        for counts in topic_counts(generator, n_resamples, question.n_topics):
            for problem, own in zip(problems, tally, strict=True):
                yield from problem.count(counts, own, two_sided=not question.one_sided, pool=pool)

    n_chunks = -(-n_resamples // _chunk_size(question.n_topics))
    total = n_chunks * sum(problem.n_tiles for problem in problems)
    with tile_pool(n_threads) as pool:
        for _ in track(steps(pool), description="Resampling topics", total=total):
            pass
    return tally[:, :3].swapaxes(0, 1), t_statistics(question), degenerate_resamples(question, tally)


def t_statistics(question: Question) -> NDArray[np.float64]:
    """Return the paired t of every metric and pair."""
    return np.stack(
        [
            paired_t_statistics(values, question.first, question.second, tolerance)
            for values, tolerance in zip(question.values, question.tolerance, strict=True)
        ]
    )


def degenerate_resamples(question: Question, tally: NDArray[np.int64]) -> dict[str, dict[str, int]]:
    """Name how many resamples had no variance, per metric over all pairs."""
    names = question.scores["metric"].to_numpy().tolist()
    kinds = {"zero_over_zero": tally[:, 3], "constant_over_zero": tally[:, 4]}
    return {kind: dict(zip(names, rows.sum(axis=-1).tolist(), strict=True)) for kind, rows in kinds.items()}


def _from_means(
    method: BootstrapMethod,
    question: Question,
    n_resamples: int,
    generator: np.random.Generator,
    n_threads: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[str, Any]]:
    """Compare resampled mean differences with 0 (percentile), or their distance from the mean with the mean."""
    first, second = question.first, question.second
    observed = question.mean_differences()
    sums, tolerance = observed * question.n_topics, question.tolerance
    shifted = method == "shifted"
    values = question.values - question.values.mean(axis=2, keepdims=True) if shifted else question.values
    tails = np.zeros((3, *sums.shape), dtype=np.int64)
    chunks = track(
        topic_counts(generator, n_resamples, question.n_topics),
        description="Resampling topics",
        total=-(-n_resamples // _chunk_size(question.n_topics)),
    )
    with limit_threads(n_threads):
        for counts in chunks:
            for metric, own in enumerate(values):
                means = own @ counts
                if shifted:
                    tails[:, metric] += count_extreme(means, first, second, sums[metric], tolerance[metric])
                    continue
                noise = RELATIVE * (np.abs(own) @ counts)
                # p for "first is better" is the share of resampled differences at or below 0, and the other way round
                tails[:0:-1, metric] += count_beside_zero(means, noise, first, second)
    return tails, observed, {}


@compiled
def _square_deviations(
    setting: _Setting, pairs: _Pairs, squares: NDArray[np.float32], spreads: NDArray[np.float64]
) -> None:
    """Fill in w squared per pair and topic, and its sum per pair.

    A deviation within its noise is 0 exactly, so that a resample of such topics has Q = 0.
    """
    for pair in range(len(pairs.first)):
        a, b = setting.centred[pairs.first[pair]], setting.centred[pairs.second[pair]]
        scale, tolerance = pairs.scale[pair], pairs.tolerance[pair]
        spreads[pair] = 0.0
        for topic in range(len(a)):
            deviation = scale * (a[topic] - b[topic])
            noise = _noise(scale * a[topic], scale * b[topic], tolerance, len(a))
            square = deviation * deviation if abs(deviation) > noise else 0.0
            squares[pair, topic] = square
            spreads[pair] += square


@compiled
def _noise(a: float, b: float, tolerance: float, n_topics: int) -> float:
    """Return how far from 0 a deviation on one topic may lie and still be 0 on paper.

    It is made of two scores and of two means: a centred score and its mean are together at least the score.
    """
    return RELATIVE * (abs(a) + abs(b)) + tolerance / n_topics


@compiled
def _tally_tile(setting: _Setting, tile: _Tile, two_sided: bool, tally: NDArray[np.int64]) -> None:  # noqa: FBT001 - a kernel
    """Add one tile's counts to `tally`.

    A quick pass sorts the resamples of a pair into surely beyond the threshold, surely short of it, and close or of
    no variance; only the last are summed again.
    """
    n_topics, n_resamples = setting.counts.shape
    for pair in range(len(tile.pairs.first)):
        if tile.spreads[pair] == 0.0:  # all resamples are 0/0, and extreme if z = 0 too
            tally[3, pair] += n_resamples
            if tile.pairs.observed[pair] == 0.0:
                tally[:3, pair] += n_resamples
            continue
        sign = 1.0 if tile.pairs.observed[pair] >= 0.0 else -1.0
        square = tile.pairs.observed[pair] * tile.pairs.observed[pair]
        share = square / (tile.spreads[pair] + square / n_topics)
        same, not_short, flat = _quick_pass(setting, tile, pair, sign, share, two_sided)
        other = n_resamples - not_short
        if same < not_short or flat > 0:
            same, other = _careful_pass(setting, tile, pair, sign, share, two_sided, tally)
        if two_sided:
            tally[0, pair] += same
        else:
            tally[1, pair] += same if sign > 0.0 else other
            tally[2, pair] += other if sign > 0.0 else same


@compiled
def _quick_pass(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    sign: float,
    share: float,
    two_sided: bool,  # noqa: FBT001 - a kernel takes no names
) -> tuple[int, int, int]:
    """Count the resamples surely beyond the threshold, not surely short of it, and perhaps of no variance."""
    a, b, row = setting.sums[tile.pairs.first[pair]], setting.sums[tile.pairs.second[pair]], tile.products[pair]
    factor, slack = sign * tile.pairs.scale[pair], tile.pairs.slack[pair]
    n_beyond = 0
    n_not_short = 0
    n_flat = 0
    for resample in range(len(row)):
        total = factor * (a[resample] - b[resample])
        beyond, not_short, flat = _sides(abs(total) if two_sided else total, row[resample], share, slack, setting)
        n_beyond += beyond
        n_not_short += not_short
        n_flat += flat
    return n_beyond, n_not_short, n_flat


@compiled
def _careful_pass(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    sign: float,
    share: float,
    two_sided: bool,  # noqa: FBT001 - a kernel takes no names
    tally: NDArray[np.int64],
) -> tuple[int, int]:
    """Count the resamples on the observation's side of the threshold and on the other, summing the close ones again."""
    first, second, row = tile.pairs.first[pair], tile.pairs.second[pair], tile.products[pair]
    factor, slack = sign * tile.pairs.scale[pair], tile.pairs.slack[pair]
    t = abs(tile.pairs.observed[pair]) / np.sqrt(tile.spreads[pair])
    tie = _tie(tile, pair, t, setting)
    same = 0
    other = 0
    for resample in range(len(row)):
        total = factor * (setting.sums[first, resample] - setting.sums[second, resample])
        beyond, not_short, flat = _sides(abs(total) if two_sided else total, row[resample], share, slack, setting)
        if beyond == not_short and not flat:
            same += beyond
            other += not beyond
            continue
        total, deviation, kind = _resum(setting, tile, pair, resample)
        total = abs(total) if two_sided else sign * total
        if kind == 0:
            same += total + tie >= t * deviation
            other += total - tie <= t * deviation
        else:
            tally[kind, pair] += 1
            if kind == 4:  # noqa: PLR2004 - c/0, infinitely far on the side of c
                same += total > 0.0
                other += total < 0.0
    return same, other


@compiled
def _tie(tile: _Tile, pair: int, t: float, setting: _Setting) -> float:
    """Return how far A may lie from t times the root of the squares and still be equal to it.

    The tolerance is for a sum over the topics; the root of the sum of squares has a share of it that t magnifies.
    """
    return tile.pairs.tolerance[pair] * (1.0 + t / np.sqrt(setting.counts.shape[0]))


@compiled
def _sides(total: float, squares: float, share: float, slack: float, setting: _Setting) -> tuple[bool, bool, bool]:
    """Say whether A is surely beyond the threshold, not surely short of it, and whether the variance may be nil."""
    less = total - slack
    more = total + slack
    size = abs(total) + slack
    return (
        less * abs(less) > share * (1.0 + setting.rounding) * squares,
        more * abs(more) >= share * (1.0 - setting.rounding) * squares,
        size * size >= setting.counts.shape[0] * (1.0 - setting.rounding) * squares,  # A^2 = T Q where w is one number
    )


@compiled
def _resum(setting: _Setting, tile: _Tile, pair: int, resample: int) -> tuple[float, float, int]:
    """Return A and the root of the sum of squares about the mean, for one resample, in the order of the topics.

    A divided by it is t but for a constant. The last value is 0, or for a resample without variance the row of
    `TALLY` that counts it.
    """
    a, b, scale = (
        setting.centred[tile.pairs.first[pair]],
        setting.centred[tile.pairs.second[pair]],
        tile.pairs.scale[pair],
    )
    total = 0.0
    low = np.inf
    high = -np.inf
    apart = 0.0
    for topic in range(len(a)):
        count = setting.counts[topic, resample]
        if count > 0.0:
            deviation = scale * (a[topic] - b[topic])
            noise = _noise(scale * a[topic], scale * b[topic], tile.pairs.tolerance[pair], len(a))
            if abs(deviation) <= noise:
                deviation = 0.0
            total += count * deviation
            low = min(low, deviation)
            high = max(high, deviation)
            apart = max(apart, 2.0 * noise)
    if high - low <= apart:
        return total, 0.0, 3 if max(high, -low) <= apart else 4
    mean = total / len(a)
    squares = 0.0
    for topic in range(len(a)):
        count = setting.counts[topic, resample]
        if count > 0.0:
            squares += count * (scale * (a[topic] - b[topic]) - mean) ** 2
    return total, np.sqrt(squares), 0


@compiled
def _place_tile(setting: _Setting, tile: _Tile, place: int, guess: float, placed: NDArray[np.float64]) -> None:
    """Fill in the absolute mean of the resample at a place, sorted by A^2 / Q, which is the order of |t*|.

    c/0 comes first by itself, because A^2 / Q is largest where A^2 = T Q; 0/0 is left out.
    """
    n_topics, n_resamples = setting.counts.shape
    far = np.empty(n_resamples, dtype=np.int64)
    ratios = np.empty(n_resamples)
    for pair in range(len(tile.pairs.first)):
        n_far, threshold = _near_place(setting, tile, pair, place, guess, far, ratios)
        largest = 0.0
        if n_far >= place:
            largest = _mean_at_place(setting, tile, pair, place, threshold, far[:n_far], ratios)
        placed[pair] = largest / n_topics / tile.pairs.scale[pair]


@compiled
def _near_place(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    place: int,
    guess: float,
    far: NDArray[np.int64],
    ratios: NDArray[np.float64],
) -> tuple[int, float]:
    """List the resamples with A^2 / Q above some level that more than `place` of them reach.

    Returns how many they are and the value at the place, as exact as Q is. The level starts at the guess and falls
    until the place lies clear of it; fewer than `place` are left only if no more have Q > 0.
    """
    a, b, row = setting.sums[tile.pairs.first[pair]], setting.sums[tile.pairs.second[pair]], tile.products[pair]
    scale = tile.pairs.scale[pair]
    level = guess
    while True:
        n_far = 0
        for resample in range(len(row)):
            total = scale * (a[resample] - b[resample])
            far[n_far] = resample
            n_far += (total * total >= level * row[resample]) and row[resample] > 0.0
        threshold = 0.0
        if n_far >= place:
            for position in range(n_far):
                total = scale * (a[far[position]] - b[far[position]])
                ratios[position] = total * total / row[far[position]]
            threshold = _largest(ratios[:n_far], place)
        if level == 0.0 or threshold * (1.0 - 8.0 * setting.rounding) > level:
            return n_far, threshold
        level = level * 0.5 if level > 1e-3 else 0.0  # noqa: PLR2004 - far below any place worth asking for


@compiled
def _mean_at_place(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    place: int,
    threshold: float,
    far: NDArray[np.int64],
    ratios: NDArray[np.float64],
) -> float:
    """Return the largest |A| among the resamples that tie at the place, `threshold` being A^2 / Q there, roughly.

    Those that may stand at the place are summed again: the place counted from the first of them is exact.
    """
    first, second, row = tile.pairs.first[pair], tile.pairs.second[pair], tile.products[pair]
    scale, slack = tile.pairs.scale[pair], tile.pairs.slack[pair]
    n_close = 0
    n_before = 0
    for position in range(len(far)):
        resample = far[position]
        size = scale * abs(setting.sums[first, resample] - setting.sums[second, resample])
        beyond, _, flat = _sides(size, row[resample], threshold * (1.0 + 2.0 * setting.rounding), slack, setting)
        _, not_short, _ = _sides(size, row[resample], threshold * (1.0 - 2.0 * setting.rounding), slack, setting)
        if beyond and not flat:
            n_before += 1
        elif not_short:
            far[n_close] = resample
            total, deviation, _ = _resum(setting, tile, pair, resample)
            ratios[n_close] = abs(total) / deviation  # infinite without variance
            n_close += 1
    t = _largest(ratios[:n_close].copy(), place - n_before)
    largest = 0.0
    for position in range(n_close):
        total, deviation, _ = _resum(setting, tile, pair, far[position])
        if ratios[position] == t or (t < np.inf and abs(abs(total) - t * deviation) <= _tie(tile, pair, t, setting)):
            largest = max(largest, abs(total))
    return largest


@compiled
def _largest(values: NDArray[np.float64], place: int) -> float:
    """Return the value at `place` (from 1), largest first, by Hoare's selection; reorders `values`."""
    left = 0
    right = len(values) - 1
    wanted = place - 1
    while left < right:
        pivot = values[(left + right) // 2]
        low = left
        high = right
        while low <= high:
            while values[low] > pivot:
                low += 1
            while values[high] < pivot:
                high -= 1
            if low <= high:
                values[low], values[high] = values[high], values[low]
                low += 1
                high -= 1
        if wanted <= high:
            right = high
        elif wanted >= low:
            left = low
        else:
            break
    return values[wanted]
