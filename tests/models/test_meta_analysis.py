"""Estimates put together: metafor's printed numbers, statsmodels, a literal version, quadrature of both parameters."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats
from statsmodels.stats.meta_analysis import combine_effects

from metaeval.models.meta_analysis import combine, combine_these, combine_with_prior

KACKER = (
    np.array([61.00, 61.40, 62.21, 62.30, 62.34, 62.60, 62.70, 62.84, 65.90]),
    np.array([0.2025, 1.2100, 0.0900, 0.2025, 0.3844, 0.5625, 0.0676, 0.0225, 1.8225]),
)
"""Example of DerSimonian and Kacker (2007); R's metafor on it stands in statsmodels (stats/tests/results_meta.py)."""


def drawn(k, seed, tau=0.5):
    """Return k estimates of unlike precision, with their variances."""
    rng = np.random.default_rng(seed)
    variances = np.exp(rng.normal(0.0, 0.6, k))
    return rng.normal(0.3, np.sqrt(variances + tau**2)), variances


def by_statsmodels(estimates, variances, between):
    """Return what statsmodels finds; of a variance below 0 it takes a root."""
    with np.errstate(invalid="ignore"):
        return combine_effects(estimates, variances, method_re=between, use_t=True)


def test_metafor_prints_the_same():
    """``rma(method="DL", test="knha")`` and ``rma(method="PM")`` of metafor, to their ten digits."""
    together = combine(*KACKER, between="dl")  # its q of 1.0017 is above the floor
    assert together.mean == pytest.approx(62.3901386044504, abs=1e-10)
    assert (together.low, together.high) == pytest.approx((61.710383798052, 63.0698934108488), abs=1e-10)
    assert together.tau**2 == pytest.approx(0.288049246973751, abs=1e-10)
    assert together.i2 == pytest.approx(0.67744403741711, abs=1e-10)
    assert together.p_equal == pytest.approx(0.00167935146372742, abs=1e-10)
    assert combine(*KACKER).tau ** 2 == pytest.approx(0.705395309224248, abs=2e-5)  # statsmodels stops at 1e-5 of Q


@pytest.mark.parametrize("between", ["iterated", "dl"])
@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_it_is_statsmodels(between, k):
    """Mean, interval and variance between collections, where that is not below 0."""
    for seed in range(20):
        estimates, variances = drawn(k, seed, tau=2.0)
        theirs = by_statsmodels(estimates, variances, between)
        if theirs.tau2 < 0:
            continue
        together = combine(estimates, variances, between=between)
        assert together.mean == pytest.approx(theirs.mean_effect_re, rel=1e-12)
        assert together.tau**2 == pytest.approx(theirs.tau2, rel=1e-12, abs=1e-300)
        half = stats.t.ppf(0.975, k - 1) * np.sqrt(max(theirs.var_hksj_re, theirs.sd_eff_w_re**2))
        assert (together.low, together.high) == pytest.approx(
            (theirs.mean_effect_re + np.array([-half, half])), rel=1e-12
        )


def test_no_interval_is_narrower_than_the_errors_of_the_collections():
    """By hand: variances of 1, so an error of the mean of 1 / √2, and t of 12.706 with one degree of freedom.

    Estimates .4 and .6 have q = .02, which counts as 1; p is of the same t, .5 √2, whose law is Cauchy's.
    """
    together = combine(np.array([0.4, 0.6]), np.array([1.0, 1.0]))
    half = 12.7062 / np.sqrt(2)
    assert (together.low, together.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)
    assert together.p_value == pytest.approx(1 - 2 * np.arctan(0.5 * np.sqrt(2)) / np.pi, rel=1e-9)
    for seed in range(40):
        y, v = drawn(2 + seed % 4, seed, tau=0.0)
        together = combine(y, v)
        assert together.high - together.low >= 2 * stats.norm.ppf(0.975) / np.sqrt((1 / v).sum()) - 1e-12
        assert (together.p_value < 0.05) == (not together.low <= 0.0 <= together.high)


@pytest.mark.parametrize("tau", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_a_mean_of_nothing_is_rarely_found(k, tau):
    """At most .05 and two standard errors of 400 sets, errors unlike by a third (Röver, Knapp and Friede 2015)."""
    rng = np.random.default_rng([k, int(10 * tau)])
    errors = np.exp(rng.normal(0.0, 0.3, (400, k)))
    estimates = rng.normal(0.0, np.hypot(errors, tau))
    found = np.mean([combine(y, e**2).p_value < 0.05 for y, e in zip(estimates, errors, strict=True)])
    assert found <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def literal(y, v):
    """Put estimates together in the words of the papers: a root, sums one by one, SciPy's quantiles."""
    k = len(y)

    def spread(t2):
        weights = [1.0 / (each + t2) for each in v]
        mean = sum(w * value for w, value in zip(weights, y, strict=True)) / sum(weights)
        return mean, weights, sum(w * (value - mean) ** 2 for w, value in zip(weights, y, strict=True))

    t2 = 0.0
    if spread(0.0)[2] > k - 1:
        t2 = optimize.brentq(lambda t: spread(t)[2] - (k - 1), 0.0, 1e4, xtol=1e-14)
    mean, weights, q = spread(t2)
    error = np.sqrt(max(q / (k - 1), 1.0) / sum(weights))
    half = stats.t.ppf(0.975, k - 1) * error
    ahead = stats.t.ppf(0.975, k - 2) * np.sqrt(t2 + 1.0 / sum(weights))
    return mean, mean - half, mean + half, np.sqrt(t2), mean - ahead, mean + ahead


@pytest.mark.parametrize("seed", range(12))
def test_a_literal_version_agrees(seed):
    """Paule and Mandel's root, Hartung and Knapp's sum with its floor, Higgins' interval."""
    together = combine(*drawn(4, seed, tau=1.5))
    expected = literal(*drawn(4, seed, tau=1.5))
    numbers = (together.mean, together.low, together.high, together.tau, together.new_low, together.new_high)
    np.testing.assert_allclose(numbers, expected, atol=2e-4)


def test_with_a_prior_the_quantiles_are_those_of_both_parameters_together():
    """SciPy integrates over mean and tau; the ends have .025 below and above them, of the mean and of a new value."""
    y, v = np.array([0.1, 0.9, 0.4]), np.array([0.04, 0.09, 0.02])
    together = combine_with_prior(y, v)
    scale = 2.0 * np.sqrt(np.median(v))

    def density(mean, tau):
        return stats.halfnorm.pdf(tau, scale=scale) * np.prod(stats.norm.pdf(y, mean, np.sqrt(v + tau**2)))

    def mass(below):
        return integrate.dblquad(lambda mean, tau: density(mean, tau) * below(mean, tau), 0, 2, -3, 4, epsabs=1e-7)[0]

    total = integrate.dblquad(density, 0, 2, -3, 4, epsabs=1e-7)[0]
    low, high = (
        integrate.dblquad(density, 0, 2, -3, end, epsabs=1e-7)[0] / total for end in (together.low, together.high)
    )
    assert (low, high) == pytest.approx((0.025, 0.975), abs=1e-5)
    new = mass(lambda mean, tau: stats.norm.cdf(together.new_high, mean, max(tau, 1e-12))) / total
    assert new == pytest.approx(0.975, abs=1e-5)


@pytest.mark.parametrize("put", [combine, combine_with_prior])
def test_units_and_zeros_change_nothing(put):
    """Estimates in per mille, or all higher by one: the same but for that; a negative sign turns all round."""
    y, v = drawn(5, 3)
    plain, small, shifted, turned = put(y, v), put(y / 1000, v / 1e6), put(y + 1, v), put(-y, v)
    fields = ("mean", "low", "high", "new_low", "new_high")
    for name in fields:
        assert getattr(small, name) == pytest.approx(getattr(plain, name) / 1000, rel=1e-8)
        assert getattr(shifted, name) == pytest.approx(getattr(plain, name) + 1, rel=1e-8)
    assert (turned.low, turned.new_high) == pytest.approx((-plain.high, -plain.new_low), rel=1e-8)


def test_equal_estimates_keep_their_own_errors():
    """Three times .2 with a variance of .03: the mean's is .01, the interval 4.303 (t, 2) times .1, nothing between."""
    together = combine(np.full(3, 0.2), np.full(3, 0.03))
    assert (together.low, together.high) == pytest.approx((0.2 - 0.4302653, 0.2 + 0.4302653), abs=1e-6)
    assert (together.tau, together.i2, together.p_equal) == (0.0, 0.0, pytest.approx(1.0))


def test_a_mean_far_from_nothing_has_its_small_p():
    """By the tail of Student's t with 19 degrees of freedom at 10000 errors, (SciPy's logarithm of it) below 1e-60."""
    together = combine(np.full(20, 1.0), np.full(20, 20.0) * 1e-8)
    assert np.log10(together.p_value) == pytest.approx((np.log(2) + stats.t.logsf(1e4, 19)) / np.log(10), rel=1e-6)


def test_two_collections_say_nothing_of_a_third_without_a_prior():
    """Student's t has no degree of freedom left."""
    y, v = np.array([0.1, 0.3]), np.array([0.01, 0.02])
    assert np.isnan([combine(y, v).new_low, combine(y, v).new_high]).all()
    assert np.isfinite(combine_with_prior(y, v).new_high)


def test_dersimonian_and_laird_below_zero_is_zero():
    """Estimates closer than their errors: the mean is that of one common value, as statsmodels' fixed effect."""
    y, v = np.array([0.30, 0.31, 0.26, 0.33]), np.array([0.01, 0.02, 0.015, 0.01]) / 3
    fixed = by_statsmodels(y, v, "dl")
    assert fixed.tau2 < 0
    together = combine(y, v, between="dl")
    assert together.mean == pytest.approx(fixed.mean_effect_fe, rel=1e-12)
    assert together.tau == 0.0


@pytest.mark.parametrize("k", [2, 5])
def test_the_mean_of_these_alone_is_statsmodels_fixed_effect(k):
    """Known variances have normal intervals; degrees of freedom are Satterthwaite's, of equal ones by hand."""
    y, v = drawn(k, 7)
    alone, fixed = combine_these(y, v, np.full(k, np.inf)), combine_effects(y, v, method_re="dl")
    reach = stats.norm.ppf(0.975) * fixed.sd_eff_w_fe
    expected = [fixed.mean_effect_fe, fixed.mean_effect_fe - reach, fixed.mean_effect_fe + reach]
    assert alone[:3] == pytest.approx(expected, rel=1e-9)
    assert alone.p_here == pytest.approx(2 * stats.norm.sf(abs(fixed.mean_effect_fe) / fixed.sd_eff_w_fe), rel=1e-9)
    equal = combine_these(y, np.full(k, 0.04), np.full(k, 9.0))  # 1 / sum of (1/k)^2 / 9 is 9 k
    half = stats.t.ppf(0.975, 9 * k) * 0.2 / np.sqrt(k)
    assert [equal.here_low, equal.here_high] == pytest.approx([y.mean() - half, y.mean() + half], rel=1e-9)
