"""Topic-set-size design: the published table, statsmodels, simulation, laws and refusals."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower, TTestPower

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.models.sample_size import (
    anova_power,
    interval_width,
    largest_variance_for_t,
    paired_t_power,
    topic_set_size_for_anova,
    topic_set_size_for_interval,
    topic_set_size_for_t,
)

# minD or width, variance: (approximate, exact) for paired t, ANOVA with 2, 10 and 100 systems, interval
DESIGN_TABLE = {
    (0.05, 0.05): [(316, 316), (308, 315), (624, 627), (1614, 1616), (617, 617)],
    (0.10, 0.05): [(81, 81), (78, 80), (157, 158), (404, 405), (156, 156)],
    (0.20, 0.05): [(22, 22), (21, 21), (40, 40), (102, 102), (41, 41)],
    (0.10, 0.10): [(159, 159), (155, 158), (313, 314), (808, 809), (310, 310)],
}


@pytest.mark.parametrize("design", DESIGN_TABLE)
def test_the_design_table_comes_out_exactly(design):
    """Alpha .05, power .8: every number of the table, approximate and exact."""
    size, variance = design
    for place, method in enumerate(("approximate", "exact")):
        found = [
            topic_set_size_for_t(size, 2 * variance, method=method),
            *(topic_set_size_for_anova(size, variance, m, method=method) for m in (2, 10, 100)),
            topic_set_size_for_interval(size, 2 * variance, method=method),
        ]
        assert found == [row[place] for row in DESIGN_TABLE[design]]


@pytest.mark.parametrize(("effect", "alpha", "power"), [(0.2, 0.05, 0.8), (0.5, 0.01, 0.9), (1.0, 0.1, 0.7)])
def test_paired_t_agrees_with_statsmodels(effect, alpha, power):
    """Topics and power are those of statsmodels' TTestPower."""
    needed = TTestPower().solve_power(effect_size=effect, alpha=alpha, power=power)
    found = topic_set_size_for_t(effect, 1.0, alpha=alpha, power=power)
    assert found == int(np.ceil(needed))
    wanted = TTestPower().power(effect, found, alpha)
    assert paired_t_power(found, effect, 1.0, alpha=alpha) == pytest.approx(wanted, abs=1e-10)


@given(
    n_topics=st.integers(2, 500),
    difference=st.floats(0.001, 10),
    power=st.floats(0.1, 0.99),
    alpha=st.floats(0.001, 0.09),
)
def test_the_largest_variance_is_the_one_that_takes_all_topics(n_topics, difference, power, alpha):
    """With it the power is the one asked for, and the topics just enough; a little more takes one topic more."""
    options = {"alpha": alpha, "power": power}
    largest = largest_variance_for_t(n_topics, difference, **options)
    assert paired_t_power(n_topics, difference, largest, alpha=alpha) == pytest.approx(power, abs=1e-7)
    assert topic_set_size_for_t(difference, largest * (1 - 1e-6), **options) <= n_topics
    assert topic_set_size_for_t(difference, largest * (1 + 1e-6), **options) == n_topics + 1


@pytest.mark.parametrize("n_systems", [2, 5, 30])
def test_anova_agrees_with_statsmodels(n_systems):
    """Power is that of statsmodels' FTestAnovaPower with f² = minD² / (2 m σ²)."""
    effect = np.sqrt(0.1**2 / (2 * n_systems * 0.05))
    for n_topics in (10, 80, 400):
        wanted = FTestAnovaPower().power(effect, n_topics * n_systems, 0.05, k_groups=n_systems)
        assert anova_power(n_topics, 0.1, 0.05, n_systems) == pytest.approx(wanted, abs=1e-9)


def test_designs_do_what_they_say_in_simulation():
    """At the sizes named, simulated tests find the difference, and simulated intervals are as wide, as planned."""
    rng = np.random.default_rng(0)
    n = topic_set_size_for_t(0.2, 0.1)
    gaps = rng.normal(0.2, np.sqrt(0.1), size=(20_000, n))
    spread = gaps.std(axis=1, ddof=1) / np.sqrt(n)
    critical = 2.0796138  # t(21 degrees of freedom) at .975, from printed tables
    assert n == 22
    assert np.mean(np.abs(gaps.mean(axis=1)) > critical * spread) == pytest.approx(0.8, abs=0.02)
    assert np.mean(2 * critical * spread) == pytest.approx(interval_width(n, 0.1), rel=0.005)
    n = topic_set_size_for_anova(0.2, 0.05, 10)
    means = np.r_[0.1, -0.1, np.zeros(8)]
    groups = rng.normal(means[:, None], np.sqrt(0.05), size=(10_000, 10, n))
    between = n * groups.mean(axis=2).var(axis=1, ddof=1)
    within = groups.var(axis=2, ddof=1).mean(axis=1)
    assert np.mean(between / within > 1.9031) == pytest.approx(0.8, abs=0.02)  # F(9, 390) at .95


@given(
    difference=st.floats(0.02, 1.0),
    variance=st.floats(0.01, 1.0),
    method=st.sampled_from(["exact", "approximate"]),
)
def test_the_answer_is_the_smallest_that_will_do(difference, variance, method):
    """One topic fewer does not reach the power or the width; scale does not matter."""
    n = topic_set_size_for_anova(difference, variance, 4, method=method)
    assert anova_power(n, difference, variance, 4, method=method) >= 0.8
    assert n == 2 or anova_power(n - 1, difference, variance, 4, method=method) < 0.8
    width = topic_set_size_for_interval(difference, variance, method=method)
    assert interval_width(width, variance, method=method) <= difference
    assert width == 2 or interval_width(width - 1, variance, method=method) > difference
    assert topic_set_size_for_t(difference, variance, method=method) == topic_set_size_for_t(
        difference * 4, variance * 16, method=method
    )


@pytest.mark.parametrize(
    ("n_topics", "t", "exact"), [(2, 12.706205, math.sqrt(2 / math.pi)), (3, 4.302653, math.sqrt(math.pi) / 2)]
)
def test_the_width_on_few_topics_by_hand(n_topics, t, exact):
    """Twice t times the expected standard deviation (c4, known of small samples) over the root of n."""
    approximate = 1 - 1 / (4 * (n_topics - 1))
    for method, shrink in (("exact", exact), ("approximate", approximate)):
        found = interval_width(n_topics, 0.04, method=method)
        assert found == pytest.approx(2 * t * shrink * 0.2 / math.sqrt(n_topics), rel=1e-6)


def test_two_systems_in_anova_are_two_samples():
    """With two systems the analysis of variance is the t test for two independent samples."""
    effect = 0.1 / np.sqrt(0.05)
    wanted = TTestIndPower().power(effect, 80, 0.05)
    assert anova_power(80, 0.1, 0.05, 2) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: topic_set_size_for_t(0, 0.1), InvalidOptionError, "`min_difference` must be a number above 0, not 0"),
        (lambda: topic_set_size_for_t(0.1, -1), InvalidOptionError, "`difference_variance` must be a number above 0"),
        (lambda: topic_set_size_for_t(0.1, np.nan), InvalidOptionError, "`difference_variance` must be"),
        (lambda: topic_set_size_for_t(0.1, 0.1, alpha=0), InvalidOptionError, "`alpha` must lie between 0 and 1"),
        (
            lambda: topic_set_size_for_t(0.1, 0.1, power=0.01),
            InvalidOptionError,
            r"between 0.05 and 1 \(above alpha\)",
        ),
        (lambda: topic_set_size_for_t(0.1, 0.1, method="sakai"), UnknownNameError, "exact, approximate"),
        (lambda: topic_set_size_for_t(1e-6, 0.1), EstimationError, "more than 10000000 topics"),
        (lambda: topic_set_size_for_t(1e-6, 0.1, method="approximate"), EstimationError, "topics would be needed"),
        (
            lambda: topic_set_size_for_anova(0.1, 0.1, 1),
            InvalidOptionError,
            "`n_systems` must be a whole number of at least 2",
        ),
        (lambda: anova_power(1, 0.1, 0.1, 2), InvalidOptionError, "`n_topics` must be a whole number of at least 2"),
        (lambda: topic_set_size_for_interval(-0.1, 0.1), InvalidOptionError, "`width` must be a number above 0"),
    ],
)
def test_refusals_name_rule_and_value(call, kind, message):
    """Every argument outside its rule is refused; what no number of topics would do is said."""
    with pytest.raises(kind, match=message):
        call()
