"""Tests of ours as functions of two arrays: SciPy's own numbers, and what callers of such functions do with them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.errors import ScoresError, UnknownNameError
from metaeval.tests_stat import compare_systems, scipy_test

_DRAWN = np.random.default_rng(0)
FIRST, SECOND = _DRAWN.random(30), _DRAWN.random(30)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_values_are_those_of_scipy(alternative):
    """Student's t, Wilcoxon's test and that of signs."""
    n_above = int((FIRST > SECOND).sum())
    expected = {
        "t": stats.ttest_rel(FIRST, SECOND, alternative=alternative).pvalue,
        "wilcoxon": stats.wilcoxon(FIRST, SECOND, alternative=alternative).pvalue,
        "sign": stats.binomtest(n_above, 30, alternative=alternative).pvalue,
    }
    for name, p in expected.items():
        statistic, found = scipy_test(name, alternative=alternative)(FIRST, SECOND)
        assert found == pytest.approx(p, rel=1e-12)
        assert found == scipy_test(name, alternative=alternative)(FIRST.tolist(), SECOND.tolist())[1]
        assert isinstance(statistic, float)


@given(st.integers(2, 40), st.integers(0, 100))
def test_a_function_for_scipy_says_what_the_comparison_says(n, seed):
    """Whatever the scores, equal ones too."""
    scores = np.random.default_rng(seed).integers(0, 4, (2, n)) / 4
    found, compared = scipy_test()(*scores), compare_systems(scores, correction="none")
    assert (found.statistic, found.pvalue) == pytest.approx((compared.statistic, compared.pvalue), nan_ok=True)


def test_a_seed_gives_the_same_p_value_at_every_call():
    """As an experiment asks it of one pair after another."""
    test = scipy_test("randomisation", n_resamples=500, rng=3)
    assert test(FIRST, SECOND) == test(FIRST, SECOND)


def test_what_cannot_be_tested_is_refused_at_the_call():
    """Arrays of other lengths, and a test of no known name."""
    with pytest.raises(ScoresError, match="other numbers of them"):
        scipy_test()(FIRST, SECOND[1:])
    with pytest.raises(UnknownNameError, match="no test 'students'"):
        scipy_test("students")(FIRST, SECOND)
