"""Shrunken means and intervals of shares: literal versions, another package's, laws, degenerate input."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metaeval.resampling.share_intervals import share_interval, shrinkage
from metaeval.table.scores import as_scores
from metaeval.tests_stat.pairs import ask

SHARES = st.floats(0, 1)


def with_shrunken_means(question):
    """Return the question with what is to be taken off the scores taken off."""
    return replace(question, values=question.values - shrinkage(question)[..., None])


def test_means_are_shrunk_by_their_noise():
    """A loop over pairs gives the factor; the means move towards their centre by it, all else stays."""
    values = np.random.default_rng(0).normal([[0.0], [0.3], [0.9], [0.1]], 1.0, (4, 30))
    found = with_shrunken_means(ask(values)).values[0]
    differences = [values[a] - values[b] for a, b in combinations(range(4), 2)]
    noise = sum(one.var(ddof=1) / 30 for one in differences)
    kept = np.sqrt(1 - noise / sum(one.mean() ** 2 for one in differences))
    assert 0.5 < kept < 0.99
    np.testing.assert_allclose(found.mean(axis=1), values.mean() + kept * (values.mean(axis=1) - values.mean()))
    np.testing.assert_allclose(found - found.mean(axis=1)[:, None], values - values.mean(axis=1)[:, None], atol=1e-12)


def test_shrunken_means_vary_as_the_true_ones():
    """Over many samples the squared distances of the means are those of the true means on average."""
    rng = np.random.default_rng(1)
    true = rng.normal(0, 0.3, 30)
    shared = [rng.normal(0, 1, 25) for _ in range(200)]
    found = [with_shrunken_means(ask(true[:, None] + one + rng.normal(0, 1, (30, 25)))).values[0] for one in shared]
    variance = np.array([one.mean(axis=1).var() for one in found])
    assert abs(variance.mean() - true.var()) < 4 * variance.std() / np.sqrt(200)


def test_without_evidence_of_differences_the_means_become_equal():
    """Noise alone leaves no difference, identical systems stay as they are, and so does a difference without noise."""
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 1, (2, 5, 12))
    equal = noise - noise.mean(axis=2, keepdims=True) + np.array([0, 1e-3, 2e-3, 3e-3, 4e-3])[:, None]
    found = with_shrunken_means(ask(as_scores(equal, metrics=["a", "b"]))).values
    np.testing.assert_allclose(found.mean(axis=2), 2e-3)
    same = np.tile(rng.random(12), (3, 1))
    np.testing.assert_array_equal(with_shrunken_means(ask(same)).values[0], same)
    apart = same + np.array([0, 1, 2])[:, None]
    np.testing.assert_allclose(with_shrunken_means(ask(apart)).values[0], apart)


def test_every_metric_and_direction_by_itself():
    """A metric alone is shrunk as beside another, and one of which lower is better as its mirror."""
    values = np.random.default_rng(3).normal(0, 1, (2, 6, 15))
    both = with_shrunken_means(ask(as_scores(values, metrics=["a", "b"]))).values
    alone = with_shrunken_means(ask(values[1])).values[0]
    np.testing.assert_array_equal(both[1], alone)
    np.testing.assert_allclose(with_shrunken_means(ask(-values[1])).values[0], -alone, atol=1e-12)


def test_weights_and_gaps_count_in_the_means():
    """Weights 1 and 2 shrink the weighted means; with gaps, differences on common topics decide."""
    values = np.random.default_rng(4).normal([[0.0], [0.5], [1.5]], 1.0, (3, 20))
    weights = np.tile([1.0, 2.0], 10)
    names = [str(one) for one in range(1, 21)]
    scores = as_scores(values, topics=names, weights=dict(zip(names, weights.tolist(), strict=True)))
    found = with_shrunken_means(ask(scores, test="t")).values[0]
    before, after = (np.average(one, axis=1, weights=weights) for one in (values, found))
    factors = (after - after.mean()) / (before - before.mean())
    np.testing.assert_allclose(factors, factors[0])
    assert 0.5 < factors[0] < 1
    values[0, 3] = np.nan
    gaps = with_shrunken_means(ask(as_scores(values, missing="pairwise"), test="t")).values[0]
    assert np.isnan(gaps).sum() == 1
    assert gaps[0].mean(where=np.isfinite(gaps[0])) > np.nanmean(values[0])


def test_wilson_is_that_of_statsmodels():
    """With as much spread as n independent trials have, the interval is the common one for n trials."""
    n, draws = 40, np.array([0.2, 0.4])  # mean 0.3
    draws = 0.3 + (draws - 0.3) * np.sqrt(0.3 * 0.7 / n / draws.var(ddof=1))
    for count in (0, 3, 20, 40):
        found = share_interval(count / n, draws, freedom=10**9, confidence_level=0.9)
        assert found == pytest.approx(proportion_confint(count, n, alpha=0.1, method="wilson"), abs=1e-6)
        moved = share_interval(count / n, draws, freedom=10**9, confidence_level=0.9, apart=0.1)
        ends = [
            proportion_confint(count, n, alpha=2 * stats.norm.sf(1.6449 * (1 - side * 0.1)), method="wilson")
            for side in (-1, 1)
        ]
        assert moved == pytest.approx((ends[0][0], ends[1][1]), abs=1e-4)


@given(SHARES, st.lists(SHARES, min_size=2, max_size=9), st.integers(1, 99), st.floats(0.01, 0.99))
def test_laws_of_the_interval(share, draws, freedom, level):
    """It lies in [0, 1], holds the share, is unknown where nothing varies, and turns over with the shares."""
    draws = np.array(draws)
    low, high = share_interval(share, draws, freedom=freedom, confidence_level=level)
    if draws.var() < 1e-20:
        assert np.isnan([low, high]).all()
        return
    assert 0 <= low <= share <= high <= 1
    lower, upper = share_interval(share, draws, freedom=freedom, confidence_level=level, apart=0.1)
    assert lower <= low
    assert upper <= high
    turned = share_interval(1 - share, 1 - draws, freedom=freedom, confidence_level=level)
    assert turned == pytest.approx((1 - high, 1 - low), abs=1e-5)


def test_draws_without_a_value_are_left_out():
    """Undefined draws change nothing, and none defined gives no interval."""
    draws = np.array([[0.2, np.nan], [0.5, np.nan], [np.nan, np.nan], [0.3, np.nan]])
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
        low, high = share_interval([0.3, 0.3], draws, freedom=20, confidence_level=0.95)
    alone = share_interval(0.3, draws[[0, 1, 3], 0], freedom=20, confidence_level=0.95)
    assert (low[0], high[0]) == pytest.approx([float(end) for end in alone])
