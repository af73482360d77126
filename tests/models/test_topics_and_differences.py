import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.sample_size import topic_set_size_for_t
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.table.scores import as_scores
from metaeval.tests_stat.detectable_difference import detectable_differences


def spread_of_the_median_pair(scores):
    """Return the standard deviation of the differences of the pair in the middle, pair by pair."""
    values = scores.to_numpy()[0]
    spreads = sorted(np.std(a - b, ddof=1) for place, a in enumerate(values) for b in values[place + 1 :])
    return spreads[(len(spreads) - 1) // 2]


def test_with_the_topics_at_hand_it_is_the_median_pairs(simulated_scores):
    """Both functions say the same of the topics there are."""
    scores = simulated_scores(2, 6, 30)
    found = detectable_by_topics(scores, [30]).set_index("metric")["difference"]
    expected = detectable_differences(scores, corrections=["none"], test="t").summary().set_index("metric")["median"]
    np.testing.assert_allclose(found, expected.loc[found.index], rtol=1e-9)


@pytest.mark.parametrize("number", [5, 25, 100])
def test_the_effect_is_that_of_statsmodels(simulated_scores, number):
    """The standard deviation of the differences times the effect size that has the power."""
    scores = simulated_scores(1, 4, 20)
    effect = TTestPower().solve_power(nobs=number, alpha=0.05, power=0.8)
    (found,) = detectable_by_topics(scores, [number])["difference"]
    assert found == pytest.approx(effect * spread_of_the_median_pair(scores), rel=1e-5)


@given(st.integers(5, 400), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.01, 0.05]))
def test_so_many_topics_are_needed_for_that_difference(simulated_scores, number, power, alpha):
    """The design of a collection for the difference asks for the number again."""
    scores = simulated_scores(1, 3, 20)
    (found,) = detectable_by_topics(scores, [number], alpha=alpha, power=power)["difference"]
    variance = spread_of_the_median_pair(scores) ** 2
    assert topic_set_size_for_t(found * 1.0001, variance, alpha=alpha, power=power) <= number
    assert topic_set_size_for_t(found * 0.99, variance, alpha=alpha, power=power) >= number


def test_more_topics_show_smaller_differences(simulated_scores):
    """The more, the smaller; four times as many halve it, about."""
    found = detectable_by_topics(simulated_scores(1, 5, 20), [10, 40, 160, 640])["difference"].to_numpy()
    assert (np.diff(found) < 0).all()
    assert found[2] / found[3] == pytest.approx(2, rel=0.02)


def test_systems_that_never_vary_show_nothing():
    """Where no pair has a spread there is no number."""
    scores = as_scores(np.full((1, 3, 10), 0.5))
    assert detectable_by_topics(scores, [10])["difference"].isna().all()


def test_what_cannot_be_carried_over_is_refused(simulated_scores):
    """Gaps and clusters of these topics say nothing of others; numbers and levels keep to their rules."""
    values = simulated_scores(1, 3, 12).to_numpy().copy()
    values[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="detectable differences with other numbers of topics"):
        detectable_by_topics(as_scores(values, missing="pairwise"), [10])
    for wrong in ({"n_topics": [1]}, {"n_topics": [10], "power": 0.01}, {"n_topics": [10], "alpha": 2}):
        with pytest.raises(InvalidOptionError):
            detectable_by_topics(simulated_scores(1, 3, 12), **wrong)
