"""Tails of distributions: right where a double can hold them, and by their logarithms where it cannot."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, studentized_range
from scipy.stats import t as student

from metaeval.tests_stat import compare_systems, tails
from metaeval.tests_stat.tails import (
    LEAST,
    Tails,
    even_binomial_tail,
    normal_tail,
    signs_tail,
    student_p,
    times,
)
from metaeval.tests_stat.tukey import studentised_range_tail
from metaeval.tests_stat.wilcoxon import wilcoxon_test

# log10 of the two-sided p-value of Student's t: mpmath 1.4.1 with 60 digits, from the hypergeometric form of the
# regularised incomplete beta function: x**a (1 - x)**b 2F1(a + b, 1; a + 1; x) / (a B(a, b)), x = nu / (nu + t**2).
STUDENT = {
    (1, 1e30): -30.196119877030153,
    (3, 1e8): -23.65652925400634,
    (4.7, 1e30): -139.87761379015353,
    (9, 1e30): -266.2931291686949,
    (49, 54.9): -44.942842285047675,
    (49, 1e8): -351.53556965227045,
    (248.3, 122.406): -223.2436906933847,
    (248.3, 500): -374.1671885126196,
    (1999, 12.5): -33.849932764678556,
    (1999, 40): -256.8141284673527,
    (1999, 122.406): -930.4386586118952,
    (159651, 38): -313.82726271732975,
    (159651, 54.9): -650.2164242334566,
    (1000000, 500): -48457.75508081028,
}
# log10 of the chance of at most k heads in n throws, and of its mid-p form: mpmath 1.4.1 with 50 digits, exact sums.
HEADS = {
    (50, 3): (-10.731852495015636957, -11.007116836125522878),
    (1000, 0): (-301.02999566398119521, -301.33102565964517641),
    (1000, 100): (-161.17381386429894505, -161.42919448476645023),
    (1020, 1): (-304.04156983517390887, -304.34217467712610639),
    (2000, 100): (-430.99670207422797092, -431.2754797602458549),
    (100000, 40000): (-876.58640478411027114, -876.66560339274141813),
    (1000000, 480000): (-349.51232350734581705, -349.52936725658868347),
}
# log10 of the tail of the studentised range of k means: mpmath 1.4.1, 40 digits, both integrals by the trapezoid rule.
RANGES = {
    (3, 40, 3.877): -1.61656745338871,
    (3, 40, 60.0): -33.6756076350228,
    (4, 147, 30.0): -45.0801613403763,
    (5, 1000, 20.0): -39.8018567169379,
    (10, 441, 90.0): -221.987910249612,
}


@pytest.mark.parametrize(("freedom", "t"), STUDENT)
def test_tail_of_student(freedom, t):
    """Logarithms agree with those of many digits; the p-value too, down to the smallest double, then it is a bound."""
    found = student_p(float(freedom), np.array([-t, t]))
    assert found.log10 == pytest.approx(STUDENT[freedom, t], abs=1e-8)
    expected = 10.0 ** STUDENT[freedom, t]
    assert found.p == pytest.approx(max(expected, LEAST), rel=1e-8)


@pytest.mark.parametrize(("n", "heads"), HEADS)
def test_tail_of_throws(n, heads):
    """So do those of the sign test, exact and with mid-p values."""
    for mid_p, log10 in zip((False, True), HEADS[n, heads], strict=True):
        found = even_binomial_tail(np.array([heads]), np.array([n]), mid_p=mid_p)
        assert found.log10 == pytest.approx(log10, abs=1e-9)
        assert found.p == pytest.approx(max(10.0**log10, LEAST), rel=1e-8)


@given(st.floats(0.5, 1e6), st.floats(-1e4, 1e4))
def test_ordinary_tails_are_those_of_scipy(freedom, t):
    """Where SciPy has a number, it is the same."""
    found, p = student_p(freedom, np.array([t])), 2.0 * student.sf(abs(t), freedom)
    if p > 1e-290:
        assert found.p == pytest.approx(p, rel=1e-9)
        assert found.log10 == pytest.approx(np.log10(p), abs=1e-9)


@given(st.integers(0, 3000), st.data())
def test_throws_are_those_of_scipy(n, data):
    """Likewise of heads, with and without half of the last."""
    heads = data.draw(st.integers(0, n))
    p, last = binom.cdf(heads, n, 0.5), binom.pmf(heads, n, 0.5)
    for expected, mid_p in ((p, False), (p - last / 2.0, True)):
        if expected > 1e-290:
            found = even_binomial_tail(np.array([heads]), np.array([n]), mid_p=mid_p)
            assert found.p == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("freedom", [1, 2, 9, 49, 1999, 100_000])
@pytest.mark.parametrize("t", [0.5, 2.0, 20.0, 100.0, 1e8])
def test_range_of_two_is_student(freedom, t):
    """The studentised range of two means is the size of t times the root of 2, however far out."""
    found = studentised_range_tail(np.array([t * np.sqrt(2.0)]), n_means=2, freedom=freedom)
    expected = student_p(float(freedom), np.array([t]))
    np.testing.assert_allclose(found.log10, expected.log10, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.p, expected.p, rtol=1e-7)


@pytest.mark.parametrize("n_means", [3, 20])
@pytest.mark.parametrize("freedom", [3, 60])
def test_range_of_many_is_that_of_scipy(n_means, freedom):
    """Where SciPy's integral still has digits, it is the same."""
    q = np.array([0.5, 2.0, 4.0, 6.0])
    expected = studentized_range.sf(q, n_means, freedom)
    np.testing.assert_allclose(studentised_range_tail(q, n_means=n_means, freedom=freedom).p, expected, rtol=1e-6)


@pytest.mark.parametrize(("n_means", "freedom", "q"), RANGES)
def test_tail_of_the_range(n_means, freedom, q):
    """So do those of Tukey's test, by integrals of many digits."""
    found = studentised_range_tail(np.array([q]), n_means=n_means, freedom=freedom)
    assert found.log10 == pytest.approx(RANGES[n_means, freedom, q], abs=1e-9)


def test_far_ranges_are_pairs():
    """Far out no two pairs are as wide: the chance is that of one pair times their number, and no less before."""
    q = np.array([10.0, 30.0, 90.0])
    one = studentised_range_tail(q, n_means=2, freedom=441).log10
    ten = studentised_range_tail(q, n_means=10, freedom=441).log10
    np.testing.assert_allclose(ten - one, np.log10(45.0), atol=1e-3)
    assert (ten - one < np.log10(45.0) + 1e-9).all()


def test_signs_reach_no_further_than_their_number():
    """All of n on one side: 2 of 2**n; nothing can be said of none."""
    assert signs_tail(np.array([0, 1, 2, 6]), two_sided=True).p.tolist() == [1.0, 1.0, 0.5, 0.03125]
    assert signs_tail(np.array([0, 1, 2]), two_sided=False).p.tolist() == [1.0, 0.5, 0.25]
    assert signs_tail(np.array([2000]), two_sided=True).log10 == pytest.approx(-1999 * np.log10(2.0))


def test_many_times_a_chance_is_1_at_most():
    """Bonferroni, by the chance and by its logarithm."""
    found = times(Tails(np.array([0.01, 0.6, LEAST]), np.array([-2.0, np.log10(0.6), -930.4])), 10)
    np.testing.assert_allclose(found.p, [0.1, 1.0, LEAST])
    np.testing.assert_allclose(found.log10, [-1.0, 0.0, -929.4])


def test_student_with_infinite_freedom_is_normal():
    """Down to where only the logarithm is left."""
    t = np.array([-1.0, -30.0, -100.0])
    np.testing.assert_allclose(student_p(np.inf, t).log10, normal_tail(t).log10 + np.log10(2.0), rtol=1e-12)


def test_normal_tail_goes_on():
    """Beyond z = -38 the chance is a bound and its logarithm goes on: -z**2 / 2 - log(z sqrt(2 pi)) far out."""
    z = -1000.0
    expected = (-(z**2) / 2.0 - np.log(-z * np.sqrt(2.0 * np.pi)) + np.log1p(-1.0 / z**2)) / np.log(10.0)
    found = normal_tail(np.array([z]))
    assert found.log10 == pytest.approx(expected, rel=1e-12)
    assert found.p.tolist() == [LEAST]


SIDES = ["two-sided", "greater", "less", "better"]
ASKED = [(test, side) for test in ("t", "wilcoxon", "sign") for side in SIDES]


@pytest.mark.parametrize(("test", "alternative"), [*ASKED, ("tukey_parametric", "two-sided")])
def test_no_p_value_is_zero(test, alternative):
    """Two thousand segments of which one system wins all: a bound, and a logarithm that agrees where it is none."""
    draws = np.random.default_rng(0).normal(0.55, 0.01, 2000)
    for n_topics in (40, 2000):
        scores = np.array([draws[:n_topics], np.zeros(n_topics)])
        data = compare_systems(scores, test=test, alternative=alternative, correction=None).data
        p, log10 = float(data["p_value"][0, 0]), float(data["log10_p"][0, 0])
        assert p > 0.0
        assert p == pytest.approx(max(10.0 ** max(log10, -320.0), LEAST), rel=1e-9)
        if alternative == "less":
            assert p == 1.0
        elif n_topics > 40:
            assert log10 < -290


def test_exact_ranks_reach_one_of_two_to_the_number_of_topics():
    """The exact distribution of signed ranks of a thousand topics ends at 2 to the -999, which a double holds."""
    scores = np.array([np.arange(1.0, 1001.0), np.zeros(1000)])
    data = wilcoxon_test(scores, method="exact").data
    assert float(data["log10_p"][0, 0]) == pytest.approx(-999 * np.log10(2.0), rel=1e-12)


def test_p_values_of_student_come_from_one_place():
    """Nothing else asks SciPy for Student's t, whose tail ends in 0; posterior chances of a Bayesian model do."""
    package = Path(tails.__file__).parents[1]
    asking = {path.name for path in package.rglob("*.py") if re.search(r"\bstdtr\(", path.read_text("utf-8"))}
    assert asking == {"tails.py", "bayesian_comparison.py", "study_verdict.py"}


def test_a_single_unit_has_no_p_value():
    """Without degrees of freedom nothing can be tested, whatever the statistic."""
    assert np.isnan(student_p(0.0, np.array([0.0, 2.0, np.inf]), 1).p).all()
