"""Friedman's ranks: do systems differ at all, which pairs do by their rank sums, and the critical distance."""

from itertools import permutations
from math import factorial
from typing import Literal, get_args

import numpy as np
import pandas as pd
from scipy.special import chdtrc, fdtrc

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice
from metaeval.errors import InvalidOptionError
from metaeval.running.equality import settle
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Evidence, ask
from metaeval.tests_stat.result import PairwiseResult, pairwise_result
from metaeval.tests_stat.tails import Tails, normal_tail, smaller, times
from metaeval.tests_stat.tukey import normal_range_quantile, normal_range_tail

Method = Literal["exact", "nemenyi"]

_MOST_STEPS = 1e9
"""Products of the exact distribution of a pair: some seconds."""
_SMALLEST = 300.0
"""Negative decimal logarithm of the least p-value that a number can hold."""
_SAME = 1e-12
"""Share of the largest chi squared, at which all topics rank alike, that is rounding."""
_MOST_ARRANGEMENTS = 5_000_000
"""Rank sums, rearranged, of the exact distribution over all systems: some seconds."""


@documented
def friedman_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    method: Method = "exact",
    alternative: Alternative = "two-sided",
    correction: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
) -> PairwiseResult:
    r"""Test which systems differ by the sums of their ranks among all systems of a topic (Friedman, Nemenyi).

    What the field of classifiers asks for. **The ranks of two systems depend on which others take part**: a third one
    that stands between them on some topics can make their difference significant, or undo it. Where a reviewer does not
    ask for ranks, use `wilcoxon_test`, which looks at the two alone, or a test of means.

    Parameters
    ----------
    scores
    method : {"exact", "nemenyi"}
        "exact": the distribution of the difference of two rank sums when the ranks of each topic fall on the systems at
        random [1]_; normal where it would take billions of steps. "nemenyi": Nemenyi's test, by the studentised range
        of all systems, which holds the family-wise error and gives a critical distance [2]_.
    alternative
        Of "nemenyi" two-sided only.
    correction : str, optional
        As for other tests, by default "fdr_by"; of "nemenyi" "family-wise", which is its own.
    alpha
    baseline : str, optional
        Compare every other system with this one only; ranks are still among all. Not for "nemenyi".

    Returns
    -------
    PairwiseResult
        The statistic is the difference of the two mean ranks, positive where the first system stands higher.
        ``details["critical_distance"]`` of "nemenyi" is how far apart mean ranks have to be to differ at `alpha`;
        ``details["mean_ranks"]``, by metric, the mean rank of every system, 1 the best; ``details["all_at_once"]`` what
        `friedman_omnibus` has but for its exact p-value; ``details["exact"]`` whether the distribution was exact.
        Columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    friedman_omnibus : whether the systems differ at all
    metaeval.tests_stat.wilcoxon.wilcoxon_test
    metaeval.tests_stat.tukey.tukey_hsd_test

    Notes
    -----
    With N systems, T topics and :math:`r_{it}` the mid-rank of system i on topic t, D the difference of two rank sums:
    on a topic it takes every value :math:`r_{it} - r_{kt}, i \ne k`, alike, and over topics these values are convolved.
    Nemenyi's statistic is :math:`|D| / \sqrt{T N (N + 1) / 12}` against the range of N standard normal values, and the
    critical distance :math:`q_\alpha \sqrt{N (N + 1) / (12 T)}`; both take no notice of ties, as published.

    References
    ----------
    .. [1] Eisinga, Heskes, Pelzer and Te Grotenhuis (2017). Exact p-values for pairwise comparison of Friedman rank
       sums, with application to comparing classifiers. BMC Bioinformatics 18, 68. :doi:`10.1186/s12859-017-1486-2`
    .. [2] Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
       Research 7, 1-30.

    Examples
    --------
    >>> scores = [[0.3, 0.5, 0.9, 0.8, 0.7], [0.2, 0.3, 0.6, 0.1, 0.6], [0.1, 0.4, 0.5, 0.0, 0.2]]
    >>> friedman_test(scores, correction="none").data["p_value"].to_numpy().round(4).tolist()
    [[0.0787, 0.0028, 0.4367]]
    """
    check_choice(method, "method", get_args(Method))
    name = "friedman" if method == "exact" else "nemenyi"
    if method == "nemenyi" and (alternative != "two-sided" or baseline is not None):
        raise InvalidOptionError(
            "Nemenyi's range is one of all systems and two-sided; for one direction, or comparisons with a baseline, "
            "use `test='friedman'`"
        )
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test=name)
    ranks = topic_ranks(question.values)
    sums = ranks.sum(axis=2)
    apart = sums[:, question.first] - sums[:, question.second]
    n_systems, n_topics = ranks.shape[1:]
    details: dict[str, object] = {"mean_ranks": (n_systems + 1 - sums / n_topics).tolist()}
    details["all_at_once"] = list(map(_all_at_once, ranks))
    if method == "nemenyi":
        unit = np.sqrt(n_topics * n_systems * (n_systems + 1) / 12)
        tails = normal_range_tail(np.abs(apart) / unit, n_means=n_systems)
        details["critical_distance"] = float(normal_range_quantile(alpha, n_means=n_systems) * unit / n_topics)
        evidence = Evidence(statistic=apart / n_topics, two_sided=tails, family_wise=tails.p, family_wise_only=True)
    else:
        drawn = [_pair_tails(of_metric, differences) for of_metric, differences in zip(ranks, apart, strict=True)]
        greater, less = (Tails(*np.stack(side, axis=1)) for side in zip(*(made[:2] for made in drawn), strict=True))
        details["exact"] = [exact for _, _, exact in drawn]
        two_sided = times(smaller(greater, less), 2)
        evidence = Evidence(statistic=apart / n_topics, two_sided=two_sided, greater=greater, less=less)
    chosen = correction or (FAMILY_WISE if method == "nemenyi" else "fdr_by")
    return pairwise_result(question, evidence, test=name, correction=chosen, details=details)


@documented
def friedman_omnibus(scores: object) -> pd.DataFrame:
    r"""Test whether systems differ at all, by their ranks on every topic (Friedman; Iman and Davenport).

    Parameters
    ----------
    scores

    Returns
    -------
    pandas.DataFrame
        One row a ``metric``: ``n_systems``, ``n_topics``; Friedman's ``chi_squared`` with its ``p_chi_squared``, and
        ``f`` with its ``p_f``, Iman and Davenport's, to be preferred; ``p_exact``, over all ways in which the ranks of
        each topic can fall on the systems, NaN where these are too many (beyond some 5 systems by 14 topics). Systems
        equal on every topic have p = 1.

    Raises
    ------
    ScoresError

    See Also
    --------
    friedman_test : which pairs differ

    Notes
    -----
    With :math:`R_i` the rank sum of system i of N over T topics, and :math:`S_t` the squared deviations of a topic's
    mid-ranks, added up, which allows for ties:

    .. math:: \chi^2 = (N - 1) \frac{\sum_i (R_i - T (N + 1) / 2)^2}{\sum_t S_t}, \qquad
              F = \frac{(T - 1) \chi^2}{T (N - 1) - \chi^2}

    with N - 1 degrees of freedom, and for F with N - 1 and (N - 1)(T - 1) [1]_.

    References
    ----------
    .. [1] Iman and Davenport (1980). Approximations of the critical region of the Friedman statistic. Communications in
       Statistics A 9, 571-595. :doi:`10.1080/03610928008827904`

    Examples
    --------
    >>> scores = [[0.3, 0.5, 0.9, 0.8, 0.7], [0.2, 0.3, 0.6, 0.1, 0.6], [0.1, 0.4, 0.5, 0.0, 0.2]]
    >>> tested = friedman_omnibus(scores).iloc[0]
    >>> tuple(round(float(tested[name]), 4) for name in ("chi_squared", "p_f", "p_exact"))
    (8.4, 0.0007, 0.0085)
    """
    question = ask(scores, test="friedman")
    metrics, every_rank = question.scores["metric"].to_numpy().tolist(), topic_ranks(question.values)
    counted = dict(zip(("n_systems", "n_topics"), every_rank.shape[1:], strict=True))
    return pd.DataFrame(
        [
            {"metric": metric} | counted | _all_at_once(ranks) | {"p_exact": _exact_p(ranks)}
            for metric, ranks in zip(metrics, every_rank, strict=True)
        ]
    )


def topic_ranks(values: Floats) -> Floats:
    """Return the mid-rank of each system among all on every topic, 1 the worst; scores equal up to rounding tie.

    Shapes: `values` and result (metric, system, topic), higher is better.
    """
    from scipy.stats import rankdata  # noqa: PLC0415 - a second

    return np.swapaxes(rankdata(settle(np.swapaxes(values, 1, 2)), axis=2), 1, 2)


def _all_at_once(ranks: Floats) -> dict[str, float]:
    """Return Friedman's and Iman and Davenport's statistics of the ranks of a metric, with their p-values."""
    n_systems, n_topics = ranks.shape
    spread = float(np.sum((ranks - (n_systems + 1) / 2) ** 2))
    between = float(np.sum((ranks.sum(axis=1) - n_topics * (n_systems + 1) / 2) ** 2))
    chi_squared, bound = (n_systems - 1) * between / spread if spread else 0.0, n_topics * (n_systems - 1.0)
    left = bound - chi_squared
    f = (n_topics - 1) * chi_squared / left if left > bound * _SAME else np.inf
    freedom = n_systems - 1.0, (n_systems - 1.0) * (n_topics - 1.0)
    p_f = float(fdtrc(*freedom, f)) if freedom[1] else np.nan
    return {"chi_squared": chi_squared, "p_chi_squared": float(chdtrc(freedom[0], chi_squared)), "f": f, "p_f": p_f}


def _pair_tails(ranks: Floats, apart: Floats) -> tuple[Tails, Tails, bool]:
    """Return P(D >= d) and P(D <= d) of the differences d of pairs of rank sums, and whether exactly so."""
    n_systems, n_topics = ranks.shape
    doubled = np.rint(2 * ranks).astype(np.int64)
    patterns, counts = np.unique(np.sort(doubled, axis=0), axis=1, return_counts=True)
    width = 4 * n_systems - 3
    exact = (width * n_topics) ** 2 <= _MOST_STEPS and n_topics * 2 * np.log10(n_systems) < _SMALLEST
    if not exact:
        variance = 2 * np.sum((ranks - (n_systems + 1) / 2) ** 2) / (n_systems - 1)
        z = apart / np.sqrt(variance) if variance else np.zeros_like(apart)
        return normal_tail(-z), normal_tail(z), False
    distribution = np.ones(1)
    for pattern, count in zip(patterns.T, counts.tolist(), strict=True):
        distribution = np.convolve(distribution, _power(_of_a_topic(pattern), count))
    at_most = np.minimum(1.0, np.cumsum(distribution))
    centre = len(distribution) // 2
    d = np.rint(2 * apart).astype(np.int64)  # the distribution is symmetric: P(D >= d) = P(D <= -d)
    greater, less = (at_most[centre + side] for side in (-d, d))
    return Tails(greater, np.log10(greater)), Tails(less, np.log10(less)), True


def _of_a_topic(pattern: Ints) -> Floats:
    """Return how likely each difference of the doubled ranks of two systems is on a topic with these ranks."""
    n = len(pattern)
    differences = (pattern[:, None] - pattern)[~np.eye(n, dtype=bool)] + 2 * (n - 1)
    return np.bincount(differences, minlength=4 * n - 3) / (n * (n - 1))


def _power(distribution: Floats, times_added: int) -> Floats:
    """Return the distribution of a sum of independent values, by repeated doubling."""
    total, doubled = np.ones(1), distribution
    while times_added:
        if times_added % 2:
            total = np.convolve(total, doubled)
        times_added //= 2
        doubled = np.convolve(doubled, doubled) if times_added else doubled
    return total


def _exact_p(ranks: Floats) -> float:
    """Return how likely rank sums as far apart as these are, over all arrangements of the ranks of each topic.

    Rank sums are kept in order of size: which system has which does not matter.
    """
    n_systems, n_topics = ranks.shape
    doubled = np.rint(2 * ranks - (n_systems + 1)).astype(np.int64).T  # about their mean
    observed = np.sum(doubled.sum(axis=0) ** 2)
    states, chances = np.zeros((1, n_systems), dtype=np.int64), np.ones(1)
    base = 2 * n_topics * n_systems + 1
    if factorial(n_systems) > _MOST_ARRANGEMENTS or n_systems * np.log2(base) > 62:  # noqa: PLR2004 - bits of a code
        return np.nan
    powers = base ** np.arange(n_systems)
    *before, last = (np.array(sorted(set(permutations(of_topic.tolist())))) for of_topic in doubled)
    for arranged in before:
        if len(states) * len(arranged) > _MOST_ARRANGEMENTS:
            return np.nan
        codes = np.sort((states[:, None] + arranged).reshape(-1, n_systems), axis=1) @ powers
        _, kept, of_code = np.unique(codes, return_index=True, return_inverse=True)
        state, arrangement = np.divmod(kept, len(arranged))
        states = np.sort(states[state] + arranged[arrangement], axis=1)
        chances = np.bincount(of_code, weights=np.repeat(chances / len(arranged), len(arranged)))
    squares = np.sum(states**2, axis=1)[:, None] + np.sum(last**2, axis=1) + 2 * states @ last.T
    return min(1.0, float(chances @ (squares >= observed).mean(axis=1)))
