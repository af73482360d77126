"""Tukey's honestly significant difference over all pairs of systems, blocked by topic."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_memory
from metaeval.errors import InvalidOptionError
from metaeval.running.compiled import compiled
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import centred
from metaeval.running.parallel import in_one_order, limit_threads, on_threads, track
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Evidence, PValueRule, Question, ask, resampled_p_value
from metaeval.tests_stat.permutations import draw_seed, permutation_key, shuffle
from metaeval.tests_stat.result import PairwiseResult, pairwise_result
from metaeval.tests_stat.tails import Tails, counted_shares, fewest_by_signs, signs_tail, tails_of_logarithms, times

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

Method = Literal["randomised", "parametric"]

_BLOCK = 1000  # permutations between two signs of progress
_EXPONENT = 60.0  # weights below exp(-60) are left out of the outer integral
_OUTER_STEP = 0.25  # times the root of the degrees of freedom: halving it changes nothing above 1e-14
_LEAST_ROOT = 8.0  # a short enough step for the fewest degrees of freedom
_INNER_STEP = 0.05  # of the largest normal value: as above
_KNOT_STEP = 0.025  # of the width in the table
_WIDEST = 20.0  # beyond, no two pairs are likely to be so wide
_FARTHEST = 1e150  # its square is still a number
_TAIL_BLOCK = 4096  # values of q at a time


@documented
def tukey_hsd_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    method: Method = "randomised",
    alternative: Alternative = "two-sided",
    correction: str = FAMILY_WISE,
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int = 10_000,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PairwiseResult:
    r"""Test which systems differ in mean score by the distribution of the largest difference (Tukey).

    Topics are blocks: what makes a topic hard or easy for all systems is no error. (Tukey's test for independent
    samples, which leaves the topics in the error, finds almost nothing on such data.)

    Parameters
    ----------
    scores
    method : {"randomised", "parametric"}
        "randomised" permutes each topic's scores among the systems [2]_ and supposes
        nothing about their distribution; "parametric" takes the residuals of system + topic as normal with one
        variance for all systems.
    alternative : {"two-sided"}
        The range of the means has no direction.
    correction : {"family-wise"}
        The p-values hold the family-wise error by construction and take no further correction.
    alpha
    baseline : None
        The range is one of all systems; for comparisons with one system use `max_t_test`.
    n_resamples : int, default 10000
        Permutations B of the randomised form. A p-value near 0.05 then has a standard error of 0.002, whatever the
        number of pairs.
    p_value_rule, rng, n_threads

    Returns
    -------
    PairwiseResult
        The statistic is the difference of means, divided by its standard error (q) in the parametric form.
        ``details["difference_required"]`` is the difference of means that would be significant at `alpha`, by metric.
        Columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.max_t.max_t_test

    Notes
    -----
    Randomised, with :math:`\bar x^*_{bi}` the mean of system i under permutation b, and the difference required the
    :math:`1 - \alpha` quantile of the ranges:

    .. math:: p_{ik} = \frac{\#\{b : \max_i \bar x^*_{bi} - \min_i \bar x^*_{bi} \ge |\bar x_i - \bar x_k|\}}{B}

    Parametric, with N systems, T topics and the residuals of the two-way layout:

    .. math:: q_{ik} = \frac{\bar x_i - \bar x_k}{\sqrt{s^2 / T}}, \qquad
              s^2 = \frac{\sum_{ij} (x_{ij} - \bar x_{i\cdot} - \bar x_{\cdot j} + \bar x_{\cdot\cdot})^2}
              {(N - 1)(T - 1)}

    against the studentised range of N means with :math:`(N - 1)(T - 1)` degrees of freedom [1]_.
    Systems of equal mean have p = 1; where systems differ by constants alone, the p-value is that of random signs times
    the number of pairs, at most 1. Where topics come in random clusters, the randomised form permutes the systems by
    the cluster, its topics all together.

    References
    ----------
    .. [1] Tukey (1953). The Problem of Multiple Comparisons.
    .. [2] Carterette (2012). Multiple testing in statistical analysis of systems-based information retrieval
       experiments. ACM TOIS 30(1), article 4. :doi:`10.1145/2094072.2094076`

    Examples
    --------
    >>> scores = [[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1], [0.2, 0.4, 0.6, 0.2]]
    >>> result = tukey_hsd_test(scores, method="parametric")
    >>> result.data["p_value"].to_numpy().round(3).tolist()
    [[0.046, 0.083, 0.882]]
    """
    _check_options(method, alternative, baseline)
    n_resamples = check_resamples(n_resamples)
    smallest_p = float(resampled_p_value(np.array([0]), n_resamples, p_value_rule)[0])
    name = "tukey" if method == "randomised" else "tukey_parametric"
    question = ask(scores, alpha=alpha, test=name)
    drawn: dict[str, Any] = {}
    details: dict[str, Any] = {"method": method}
    if method == "parametric":
        per_metric = [_parametric(question, metric) for metric in range(len(question.values))]
    else:
        source = resolve_rng(rng)
        seed = draw_seed(source.generator)
        with limit_threads(n_threads):
            per_metric = [
                _randomised(question, metric, seed, n_resamples, p_value_rule) for metric in range(len(question.values))
            ]
        drawn = {"n_resamples": n_resamples, "random_source": source.description}
        details["smallest_p"] = smallest_p
    p_values = Tails(
        *(np.stack(parts) for parts in zip(*(of_metric.p_values for of_metric in per_metric), strict=True))
    )
    return pairwise_result(
        question,
        Evidence(
            statistic=np.stack([of_metric.statistic for of_metric in per_metric]),
            two_sided=p_values,
            family_wise=p_values.p,
            family_wise_only=True,
        ),
        test=name,
        correction=correction,
        details=details
        | {
            "difference_required": [
                of_metric.difference_required if question.n_topics >= fewest_by_signs(question.alpha) else np.nan
                for of_metric in per_metric
            ]
        },
        **drawn,
    )


class _Found(NamedTuple):
    statistic: Floats
    p_values: Tails
    difference_required: float


def _check_options(method: str, alternative: str, baseline: str | None) -> None:
    check_choice(method, "method", get_args(Method))
    if alternative != "two-sided":
        raise InvalidOptionError(
            f"Tukey's test is two-sided only, not `alternative={alternative!r}`; for one-sided family-wise p-values "
            "use the max_t test"
        )
    if baseline is not None:
        raise InvalidOptionError(
            f"Tukey's test compares all pairs and takes no baseline (received {baseline!r}); to compare with one "
            "system use the max_t test"
        )


def _randomised(question: Question, metric: int, seed: np.uint64, n_resamples: int, p_value_rule: PValueRule) -> _Found:
    values, tolerance, total = question.by_unit().values[metric], question.tolerance[metric], question.units.total
    columns = np.ascontiguousarray(values[question.system_order()].T)
    check_memory(3 * n_resamples, what=f"the ranges of {n_resamples:,} permutations", advice="ask for fewer resamples")
    ranges = np.empty(n_resamples)
    for start in track(range(0, n_resamples, _BLOCK), description="randomised Tukey HSD"):
        block = ranges[start : start + _BLOCK]
        range_of_permuted_sums(len(block), columns, seed, start, block)
    ranges.sort()
    differences = question.mean_differences()[metric]
    n_extreme = n_resamples - np.searchsorted(ranges, np.abs(differences) * total - tolerance)
    return _Found(
        statistic=differences,
        p_values=counted_shares(resampled_p_value(n_extreme, n_resamples, p_value_rule)),
        difference_required=float(np.quantile(ranges, 1 - question.alpha)) / total,
    )


def _parametric(question: Question, metric: int) -> _Found:
    values = question.values[metric]
    n_systems, n_topics = values.shape
    freedom = (n_systems - 1) * (n_topics - 1)
    # Every system is centred by itself first: one of huge and constant scores leaves no rounding in the others.
    residuals, _ = centred(*centred(values, np.abs(values), axis=1), axis=0)
    squares = float(np.sum(residuals**2))  # 0 where systems differ by constants
    error = float(np.sqrt(squares / freedom / n_topics))
    differences = question.mean_differences()[metric]
    q = np.divide(differences, error, out=np.copysign(np.inf, differences), where=error > 0)
    q[differences == 0] = 0.0
    if error > 0:
        p_values = studentised_range_tail(np.abs(q), n_means=n_systems, freedom=freedom)
    else:  # no spread tells of nothing but the signs of every pair
        signs = signs_tail(np.where(differences == 0, 0, n_topics), two_sided=True)
        p_values = times(signs, len(differences))
    return _Found(
        statistic=q,
        p_values=p_values,
        difference_required=error * studentised_range_quantile(question.alpha, n_means=n_systems, freedom=freedom),
    )


@on_threads
@compiled
def range_of_permuted_sums(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    start: int, stop: int, values: Floats, seed: np.uint64, before: int, ranges: Floats
) -> None:
    """Fill in the largest minus the smallest system sum under permutations, of which the first is number `before`.

    Shapes: `values` (topic, system), `ranges` (permutation,).
    """
    n_topics, n_systems = values.shape
    row, sums = np.empty(n_systems), np.empty(n_systems)
    for number in range(start, stop):
        state = permutation_key(seed, before + number)
        sums[:] = 0.0
        for topic in range(n_topics):
            for system in range(n_systems):  # numba's own assignment takes longer than the shuffle
                row[system] = values[topic, system]
            state = shuffle(row, np.uint64(state))  # a plain number where only one of the two is compiled
            for system in range(n_systems):
                sums[system] += row[system]
        ranges[number] = sums.max() - sums.min()


def studentised_range_tail(q: Floats, *, n_means: int, freedom: float) -> Tails:
    r"""Return P(Q >= q) for the studentised range Q, for many q at once.

    ``scipy.stats.studentized_range.sf`` integrates twice for every q, some milliseconds each; here the inner integral
    becomes one table per number of means, and the outer one a weighted sum.

    Notes
    -----
    With U the tail of the range of k standard normal values and :math:`S^2 = \chi^2_\nu / \nu`,

    .. math:: P(Q \ge q) = E\,U(q S) = \int g(x)\,U(q e^x)\,dx, \qquad
              g(x) \propto \exp\left(\nu x - \nu e^{2x} / 2\right)

    In x = log S both factors are smooth and g falls off fast, so equal steps (the trapezoid rule) converge
    exponentially. U falls as :math:`e^{-w^2 / 4}`, which moves the peak of the product by :math:`-\frac12 \log(1 + q^2
    / 2 \nu)` and leaves it the shape of g: so the same steps about that peak serve every tail.

    Examples
    --------
    >>> studentised_range_tail(np.array([0.0, 3.877, 1000.0]), n_means=3, freedom=10).p.round(3).tolist()
    [1.0, 0.05, 0.0]
    """
    reach = _EXPONENT / freedom
    step = _OUTER_STEP / np.sqrt(max(freedom, n_means, _LEAST_ROOT))
    y = np.arange(-reach - np.sqrt(reach), np.sqrt(reach) + step, step)  # beyond, g is below exp(-_EXPONENT)
    density = freedom * (y - np.expm1(2 * y) / 2)
    total = logsumexp(density)
    flat = np.minimum(q.ravel(), _FARTHEST)
    log = np.empty(flat.size)
    for start in range(0, flat.size, _TAIL_BLOCK):
        block = slice(start, start + _TAIL_BLOCK)
        peak = -0.5 * np.log1p(flat[block, None] ** 2 / (2.0 * freedom))
        x = y + peak
        weight = freedom * (x - np.expm1(2 * x) / 2)
        log[block] = logsumexp(weight + _log_range_tail(flat[block, None] * np.exp(x), n_means), axis=1) - total
    log10 = np.where(flat == 0, 0.0, np.minimum(log, 0.0)) / np.log(10.0)
    return tails_of_logarithms(log10.reshape(q.shape))


def studentised_range_quantile(alpha: float, *, n_means: int, freedom: float) -> float:
    """Return the q whose `studentised_range_tail` is `alpha`.

    Examples
    --------
    >>> round(studentised_range_quantile(0.05, n_means=3, freedom=10), 3)
    3.877
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - only the parametric form pays for it

    def excess(log_q: float) -> float:
        return float(studentised_range_tail(np.exp([log_q]), n_means=n_means, freedom=freedom).p[0]) - alpha

    high = 2.0
    while excess(high) > 0:
        high += 2.0
    return float(np.exp(brentq(excess, -40.0, high, xtol=1e-12)))


def normal_range_tail(w: Floats, *, n_means: int) -> Tails:
    """Return the chance that the range of `n_means` standard normal values is at least w.

    Examples
    --------
    >>> normal_range_tail(np.array([0.0, 3.633]), n_means=4).p.round(3).tolist()
    [1.0, 0.05]
    """
    log10 = np.where(w == 0, 0.0, np.minimum(_log_range_tail(w, n_means), 0.0)) / np.log(10.0)
    return tails_of_logarithms(log10)


def normal_range_quantile(alpha: float, *, n_means: int) -> float:
    """Return the w whose `normal_range_tail` is `alpha`.

    Examples
    --------
    >>> round(normal_range_quantile(0.05, n_means=4) / 2**0.5, 3)
    2.569
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - only the tests of ranges pay for it

    return float(brentq(lambda w: float(_log_range_tail(np.array([w]), n_means)[0]) - np.log(alpha), 1e-9, 100.0))


def _log_range_tail(w: Floats, n_means: int) -> Floats:
    """Return log U(w), U being the chance that the range of `n_means` standard normal values is at least w.

    So far out that two pairs do not both reach w, it is that of one pair times their number.
    """
    far = np.log(n_means * (n_means - 1.0)) + log_ndtr(-w / np.sqrt(2.0))
    return np.where(w > _WIDEST, far, _table_of_range(n_means)(np.minimum(w, _WIDEST)))


@lru_cache(maxsize=32)
@in_one_order
def _table_of_range(n_means: int) -> "BSpline":
    """Tabulate log U(w) and join the points by a spline of degree 7.

    The chance that all values lie within w below the largest, z, is ((Phi(z) - Phi(z - w)) / Phi(z))**(k - 1); the
    largest has the density k phi(z) Phi(z)**(k - 1). Taking 1 minus that chance inside the integral keeps every digit
    of a small tail.
    """
    from scipy.interpolate import make_interp_spline  # noqa: PLC0415 - only the parametric form pays for it

    z = np.arange(-9.0, _WIDEST + 9.0, _INNER_STEP)
    w = np.arange(0.0, _WIDEST + _KNOT_STEP / 2, _KNOT_STEP)
    density = n_means * np.exp(-(z**2) / 2 + (n_means - 1) * log_ndtr(z)) * (_INNER_STEP / np.sqrt(2 * np.pi))
    tail = np.empty_like(w)
    tail[0] = 1.0
    for index, width in enumerate(w[1:], start=1):
        with np.errstate(divide="ignore"):  # far above, both chances round to 1: the logarithm is rightly -inf
            within = np.log1p(-ndtr(z - width) / ndtr(z))
        tail[index] = -np.expm1((n_means - 1) * within) @ density
    return make_interp_spline(w, np.log(tail), k=7)
