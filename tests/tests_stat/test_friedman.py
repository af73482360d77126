"""Friedman's ranks against scikit-posthocs, SciPy, published numbers, and every arrangement of the ranks."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, norm, rankdata

from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.friedman import friedman_omnibus, friedman_test
from metaeval.tests_stat.tukey import normal_range_quantile

AREAS = np.array(
    [
        [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
        [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
        [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.975, 0.946],
        [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970],
    ]
)
"""Four systems on fourteen tasks, with ties; numbers as areas under curves are."""
RANK_SUMS = np.array([63.0, 97.5, 66.0, 130.0, 93.5])
"""Thirty times the mean ranks of five classifiers in García and Herrera (2008), table 3: 2.100, 3.250, 2.200, 4.333 and
3.117."""


def test_nemenyi_is_that_of_scikit_posthocs():
    """`posthoc_nemenyi_friedman` of scikit-posthocs 0.17.1 on the same table, pairs in order."""
    found = friedman_test(AREAS, method="nemenyi").data["p_value"].to_numpy()[0]
    expected = [0.08867271, 0.97168647, 0.06168326, 0.22669689, 0.99888234, 0.17005164]
    np.testing.assert_allclose(found, expected, atol=5e-9)


@pytest.mark.parametrize(
    ("n", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102), (10, 3.164)],
)
def test_critical_values_are_the_published_ones(n, q):
    """Demšar (2006), table 5a: of Nemenyi's test at .05."""
    assert normal_range_quantile(0.05, n_means=n) / np.sqrt(2) == pytest.approx(
        q, abs=8e-4
    )  # the table cuts 2.3437 and has 2.949 for 2.9483


def test_critical_distance_is_the_published_one():
    """Demšar (2006), section 3.2.2: 1.25 at .05 and 1.12 at .10 for four classifiers and fourteen data sets."""
    distances = [
        friedman_test(AREAS, method="nemenyi", alpha=alpha).details["critical_distance"] for alpha in (0.05, 0.1)
    ]
    assert [round(distance, 2) for distance in distances] == [1.25, 1.12]


@given(st.integers(2, 6), st.integers(2, 12), st.integers(2, 9), st.integers(0, 2**32))
@settings(max_examples=60)
def test_all_at_once_is_scipys(n_systems, n_topics, n_values, seed):
    """With ties too; on mid-ranks Iman and Davenport's F follows from it."""
    values = np.random.default_rng(seed).integers(0, n_values, (n_systems, n_topics)).astype(float)
    found = friedman_omnibus(values).iloc[0]
    if n_systems == 2 or not np.ptp(values, axis=0).any():  # SciPy takes three or more, and divides by 0
        assert 0.0 <= found["p_exact"] <= 1.0
        return
    expected = friedmanchisquare(*values)
    assert found["chi_squared"] == pytest.approx(expected.statistic, abs=1e-9)
    assert found["p_chi_squared"] == pytest.approx(expected.pvalue, abs=1e-12)


def test_published_chi_squared_and_f():
    """García and Herrera (2008), section 3.3: 39.647 and 14.309 for 30 data sets, by the formulas of their paper."""
    chi_squared = 12 / (30 * 5 * 6) * (RANK_SUMS**2).sum() - 3 * 30 * 6
    assert chi_squared == pytest.approx(39.647, abs=5e-4)
    assert 29 * chi_squared / (120 - chi_squared) == pytest.approx(14.309, abs=5e-4)


def arrangements(values):
    """Return the rank sums of every way in which each topic's ranks can fall on the systems."""
    by_topic = [sorted(permutations(rankdata(topic))) for topic in values.T]
    return np.array([np.sum(choice, axis=0) for choice in product(*by_topic)])


@pytest.mark.parametrize(
    "values",
    [
        np.array([[0.3, 0.5, 0.9, 0.8], [0.2, 0.7, 0.6, 0.1], [0.1, 0.4, 0.5, 0.0]]),
        np.array([[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]),
        np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.8], [0.4, 0.1]]),
        np.array([[0.3, 0.5, 0.9, 0.8, 0.7], [0.2, 0.7, 0.6, 0.1, 0.8]]),
    ],
)
def test_exact_is_every_arrangement(values):
    """Pairs in both directions, and all systems at once, by writing every arrangement out."""
    sums, ranks = arrangements(values), rankdata(values, axis=0).sum(axis=1)
    centre = sums.mean()
    as_far = ((sums - centre) ** 2).sum(axis=1) >= ((ranks - centre) ** 2).sum() - 1e-9
    assert friedman_omnibus(values)["p_exact"][0] == pytest.approx(as_far.mean(), abs=1e-12)
    pairs = list(combinations(range(len(values)), 2))
    for alternative in ("greater", "less", "two-sided"):
        found = friedman_test(values, alternative=alternative, correction="none").data["p_value"].to_numpy()[0]
        for (a, b), p in zip(pairs, found, strict=True):
            drawn, seen = sums[:, a] - sums[:, b], ranks[a] - ranks[b]
            above, below = (drawn >= seen - 1e-9).mean(), (drawn <= seen + 1e-9).mean()
            expected = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]
            assert p == pytest.approx(expected, abs=1e-12)


def test_many_systems_are_normal():
    """Where the exact distribution would take too long the normal one stands for it, and says so."""
    values = np.random.default_rng(0).random((40, 400)) + np.linspace(0, 0.2, 40)[:, None]
    whole, part = (friedman_test(values[:, :n], correction="none") for n in (400, 60))
    assert (whole.details["exact"], part.details["exact"]) == ([False], [True])
    ranks = rankdata(values, axis=0)
    z = (ranks[0] - ranks[1]).sum() / np.sqrt(400 * 40 * 41 / 6)
    assert whole.data["p_value"].to_numpy()[0, 0] == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9)


def test_ranks_depend_on_who_takes_part():
    """A third system between two makes of the same ten scores another p-value; the sign test looks at two alone."""
    a, b = np.array([0.6] * 8 + [0.4] * 2), np.array([0.5] * 10)
    between = np.where(a > b, 0.55, 0.1)
    two, three = (
        friedman_test(scores, correction="none").data["p_value"].to_numpy()[0, 0]
        for scores in ([a, b], [a, b, between])
    )
    assert two == pytest.approx(0.109375)  # 2 P(X >= 8), X binomial of 10: the sign test
    assert three != pytest.approx(two, abs=0.01)


def test_what_nemenyi_does_not_answer():
    """One direction, or a baseline, is for the exact test."""
    for options in ({"alternative": "greater"}, {"baseline": "system1"}):
        with pytest.raises(InvalidOptionError, match="friedman"):
            friedman_test(AREAS, method="nemenyi", **options)
    with pytest.raises(InvalidOptionError, match="family-wise"):
        friedman_test(AREAS, method="nemenyi", correction="holm")
    with pytest.raises(InvalidOptionError, match="nemenyi"):
        friedman_test(AREAS).plot(kind="distances")


def equal_pairs(groups):
    """Count the pairs within groups of such sizes."""
    return sum(size * (size - 1) // 2 for size in groups)


def partitions(n, most=None):
    """Yield every way to write n as a sum."""
    if n == 0:
        yield ()
    for first in range(min(n, most or n), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


@pytest.mark.parametrize("n_systems", range(2, 9))
def test_shaffers_levels_are_those_of_partitions(n_systems):
    """Systems fall into groups of equal ones: every partition written out says how many hypotheses can be true."""
    n = n_systems * (n_systems - 1) // 2
    possible = {equal_pairs(groups) for groups in partitions(n_systems)}
    p = np.sort(np.random.default_rng(n_systems).random(n) / n)
    factors = [max(count for count in possible if count <= n - place) for place in range(n)]
    expected = np.minimum(1.0, np.maximum.accumulate(p * factors))
    np.testing.assert_allclose(adjust(p, "shaffer", all_pairs=True), expected, rtol=1e-12)


def test_shaffers_table():
    """Shaffer (1986), table 1: of ten hypotheses on five systems 10, 6, 6, 6, 6, 4, 4, 3, 2 and 1 can still be true."""
    p = np.full(10, 0.01) + np.arange(10) * 1e-12
    found = adjust(np.where(np.arange(10) < 1, p, 0.01), "shaffer", all_pairs=True)
    assert found[0] == pytest.approx(0.1)
    levels = [
        adjust(np.r_[np.zeros(place), np.full(10 - place, 0.01)], "shaffer", all_pairs=True)[-1] for place in range(10)
    ]
    np.testing.assert_allclose(levels, np.array([10, 6, 6, 6, 6, 4, 4, 3, 2, 1]) / 100, rtol=1e-9)


def test_shaffer_without_all_pairs_is_holm():
    """With a baseline no hypothesis follows from others; a pair that was not tested is retained."""
    p = np.array([0.001, 0.02, 0.012, 0.3, 0.04, np.nan])
    np.testing.assert_array_equal(adjust(p, "shaffer"), adjust(p, "holm"))
    retained = adjust(np.where(np.isnan(p), 1.0, p), "shaffer", all_pairs=True)
    np.testing.assert_array_equal(adjust(p, "shaffer", all_pairs=True)[:-1], retained[:-1])
    baseline = friedman_test(AREAS, baseline="system1", correction="shaffer")
    holm = friedman_test(AREAS, baseline="system1", correction="holm")
    np.testing.assert_array_equal(baseline.data["p_corrected"], holm.data["p_corrected"])


def test_shaffer_rejects_no_less_than_holm():
    """Its levels are never below."""
    result = friedman_test(AREAS, correction="shaffer")
    holm = friedman_test(AREAS, correction="holm")
    assert (result.data["p_corrected"] <= holm.data["p_corrected"] + 1e-15).all()
