"""The non-central t: against SciPy, statsmodels, G*Power's manual and MBESS, and where these give up."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from metaeval.tests_stat.noncentral_t import detectable_shift, two_sided_power


@pytest.mark.parametrize("freedom", [1, 2, 3.7, 8, 40, 375, 1135])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.001])
def test_power_agrees_with_scipy(freedom, alpha):
    """Both tails of scipy.stats.nct, from no shift to a certain finding."""
    critical = stats.t.isf(alpha / 2, freedom)
    shift = np.array([0.0, 0.3, 1.0, 2.5, 4.0])
    expected = stats.nct.sf(critical, freedom, shift) + stats.nct.cdf(-critical, freedom, shift)
    known = np.isfinite(expected)
    assert known[:3].all()
    np.testing.assert_allclose(two_sided_power(shift, freedom, alpha=alpha)[known], expected[known], atol=2e-8)


@pytest.mark.parametrize("alpha", [0.05, 3e-6, 3e-7])
@pytest.mark.parametrize("freedom", [1, 2, 8.3, 40])
def test_power_at_corrected_levels_is_the_integral(alpha, freedom):
    """Where SciPy has NaN: the integral over the spread, by another rule and in the logarithm of the spread."""
    shift = float(detectable_shift(freedom, alpha=alpha))
    critical = stats.t.isf(alpha / 2, freedom)
    chi = stats.chi(freedom, scale=freedom**-0.5)

    def part(log_u):
        u = np.exp(log_u)
        return chi.pdf(u) * u * (stats.norm.sf(critical * u - shift) + stats.norm.cdf(-critical * u - shift))

    edge, wide = np.log(shift / critical), 8 / shift
    ends = np.unique(np.clip([-25, edge - wide, edge, edge + wide, 4], -25, 4))
    expected = sum(integrate.quad(part, *one, limit=400, epsabs=1e-11)[0] for one in itertools.pairwise(ends))
    assert expected == pytest.approx(0.8, abs=1e-7)


def test_no_shift_has_the_level():
    """Under the null the power is alpha, also at tiny levels."""
    for alpha in (0.5, 0.05, 1e-5):
        np.testing.assert_allclose(two_sided_power(0.0, [1, 3, 50, 1e4], alpha=alpha), alpha, rtol=1e-6)


def test_agrees_with_published_numbers():
    """G*Power 3.1's manual, matched pairs: dz 0.421637, n = 50 give power 0.832114."""
    assert two_sided_power(0.421637 * 50**0.5, 49) == pytest.approx(0.832114, abs=5e-7)
    assert detectable_shift(49, power=0.832114) / 50**0.5 == pytest.approx(0.421637, abs=5e-7)


@pytest.mark.parametrize("n_topics", [5, 41, 376])
def test_agrees_with_statsmodels(n_topics):
    """The effect at which statsmodels finds that power (its own solver stops at 1e-5)."""
    effect = float(detectable_shift(n_topics - 1)) / n_topics**0.5
    assert TTestPower().power(effect, n_topics, 0.05) == pytest.approx(0.8, abs=1e-9)


def test_unknown_stays_unknown():
    """NaN degrees of freedom give NaN, and do not touch their neighbours."""
    found = detectable_shift([np.nan, 40.0])
    assert np.isnan(found[0])
    assert found[1] == detectable_shift(40.0)
