"""Bootstrap tests over all pairs of systems: studentised, percentile and shifted mean, by resampling topics."""

from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice
from metaeval.running.draws import RNGLike, chunk_size, draw_topic_counts, resolve_rng, topic_draws
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import limit_threads, track
from metaeval.table.units import check_resampling_of
from metaeval.tests_stat.counting import RESAMPLES_AT_ONCE, check_resamples, count_beside_zero, count_extreme
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.paired_t import t_statistics
from metaeval.tests_stat.pairs import Alternative, Evidence, PValueRule, Question, ask, resampled_p_value
from metaeval.tests_stat.result import PairwiseResult, pairwise_result
from metaeval.tests_stat.studentised import degenerate_resamples, resamples_at_once, tally_resamples
from metaeval.tests_stat.unit_bootstrap import tally_units, unit_statistics

BootstrapMethod = Literal["studentised", "percentile", "shifted"]
_TEST_NAMES = {
    "studentised": "bootstrap",
    "percentile": "bootstrap_percentile",
    "shifted": "bootstrap_shifted",
}


@documented
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
    r"""Test which systems differ in mean score by resampling topics, without assumptions about the distribution.

    Parameters
    ----------
    scores
    method : {"studentised", "percentile", "shifted"}
        Which bootstrap; see Notes.
    alternative, correction, alpha, baseline
    n_resamples : int, default 1000
        B, the number of topic samples drawn. The smallest p is 1/(B + 1) (twice that for a two-sided percentile
        test). Over m pairs Benjamini and Yekutieli reject k pairs at that p only if B + 1 is at least
        m (1 + 1/2 + … + 1/m) / (k alpha): with 8256 pairs, 1.6 million for a single one, a thousand for 1583.
    p_value_rule, rng, n_threads

    Returns
    -------
    PairwiseResult
        The statistic is t for the studentised test and the mean difference for the other two. The details of the
        studentised test count, per metric and over all pairs, the resamples without variance: ``zero_over_zero``
        (no difference on any topic drawn; not extreme) and ``constant_over_zero`` (the same difference on every
        topic drawn; infinitely far, hence extreme). Columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.tests_stat.comparison.compare_systems
    metaeval.tests_stat.randomisation.randomisation_test
    metaeval.tests_stat.paired_t.paired_t_test

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

    Topics in random clusters are drawn by the cluster, those in fixed clusters (strata) inside them; with weights or
    gaps the mean is the weighted one of what the pair has. There t has the standard error that holds for clusters
    (CR1; `metaeval.tests_stat.unit_bootstrap`). Below 10 clusters the test refuses, because resamples of few clusters
    make it too sure of itself; the t test has degrees of freedom for that.

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
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test=_TEST_NAMES[method])
    check_resampling_of(question.units, what="a bootstrap", instead="use the test 't'")
    n_resamples = check_resamples(n_resamples)
    source = resolve_rng(rng)
    resample = _studentised if method == "studentised" else partial(_from_means, method)
    if not question.plain:
        resample = partial(_by_unit, method)
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
    return pairwise_result(
        question,
        evidence,
        test=_TEST_NAMES[method],
        correction=correction,
        n_resamples=n_resamples,
        random_source=source.description,
        details={"smallest_p": smallest, "p_value_rule": p_value_rule, **details},
    )


def _studentised(
    question: Question, n_resamples: int, generator: np.random.Generator, n_threads: int | None
) -> tuple[Ints, Floats, dict[str, Any]]:
    size = resamples_at_once(question.n_topics)
    n_chunks = -(-n_resamples // size)
    chunks = topic_draws(generator, n_resamples, question.n_topics, at_once=size)
    tally = tally_resamples(question, chunks, n_chunks=n_chunks, n_threads=n_threads)
    return tally[:, :3].swapaxes(0, 1), t_statistics(question), degenerate_resamples(question, tally)


def _by_unit(
    method: BootstrapMethod, question: Question, n_resamples: int, generator: np.random.Generator, n_threads: int | None
) -> tuple[Ints, Floats, dict[str, Any]]:
    """Resample what is drawn as one: clusters, or topics inside strata."""
    n_chunks = -(-n_resamples // chunk_size(question.units.n_units))
    chunks = question.units.counts(generator, n_resamples)
    tally, _ = tally_units(question, chunks, method=method, n_chunks=n_chunks, n_threads=n_threads)
    tails = tally[:, :3].swapaxes(0, 1)
    if method != "studentised":
        return tails, question.mean_differences(), {}
    robust = {} if question.units.plain else {"standard_error": "CR1"}
    return tails, unit_statistics(question), robust | degenerate_resamples(question, tally)


def _from_means(
    method: BootstrapMethod, question: Question, n_resamples: int, generator: np.random.Generator, n_threads: int | None
) -> tuple[Ints, Floats, dict[str, Any]]:
    """Compare resampled mean differences with 0 (percentile), or their distance from the mean with the mean."""
    first, second = question.first, question.second
    observed = question.mean_differences()
    sums, tolerance = observed * question.n_topics, question.tolerance
    shifted = method == "shifted"
    values = question.values - question.values.mean(axis=2, keepdims=True) if shifted else question.values
    tails = np.zeros((3, *sums.shape), dtype=np.int64)
    size = min(RESAMPLES_AT_ONCE, chunk_size(question.n_topics))  # what stays in a cache
    chunks = track(
        draw_topic_counts(generator, n_resamples, question.n_topics, at_once=size),
        description="Resampling topics",
        total=-(-n_resamples // size),
    )
    with limit_threads(n_threads):
        for counts in chunks:
            for metric, metric_values in enumerate(values):
                means = metric_values @ counts
                if shifted:
                    each_tail = True  # said, not left out: for numba that is another type, compiled anew
                    tails[:, metric] += count_extreme(means, first, second, sums[metric], tolerance[metric], each_tail)
                    continue
                sizes = means if (metric_values >= 0.0).all() else np.abs(metric_values) @ counts
                # p for "first is better" is the share of resampled differences at or below 0, and the other way round
                tails[:0:-1, metric] += count_beside_zero(means, sizes, RELATIVE, first, second)
    return tails, observed, {}
