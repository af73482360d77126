import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.pairs import all_pairs, ask, resampled_p_value


@given(st.integers(2, 20))
def test_all_pairs_are_the_upper_triangle(n_systems):
    """Every two systems once, in the order of a nested loop."""
    found = list(zip(*(positions.tolist() for positions in all_pairs(n_systems)), strict=True))
    assert found == list(itertools.combinations(range(n_systems), 2))


@given(st.integers(2, 20), st.data())
def test_a_baseline_stands_second(n_systems, data):
    """Every other system against it, in order, so that a positive difference beats the baseline."""
    baseline = data.draw(st.integers(0, n_systems - 1))
    first, second = all_pairs(n_systems, baseline=baseline)
    assert first.tolist() == [system for system in range(n_systems) if system != baseline]
    assert set(second.tolist()) == {baseline}


def test_values_are_turned_so_that_higher_is_better():
    """Only the metrics where lower is better change their sign; the given scores stay raw."""
    scores = as_scores(np.ones((2, 2, 3)), metrics=["ap", "error"], higher_is_better={"error": False})
    question = ask(scores)
    assert question.values[:, 0, 0].tolist() == [1.0, -1.0]
    assert (question.scores == 1).all()
    assert question.n_topics == 3


def test_mean_differences_are_exactly_zero_for_equal_means():
    """Sums that differ only by rounding are one number; a real difference of printed scores is not."""
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.2, 0.1001]])
    assert values[0].sum() != values[1].sum()
    found = ask(values).mean_differences()[0]
    assert found[0] == 0.0
    np.testing.assert_allclose(found[1:], [-0.0001 / 3, -0.0001 / 3])


def test_tolerance_is_far_from_both_noise_and_printed_digits():
    """Over a thousand topics it exceeds the noise of summing in any order and stays below one printed digit."""
    rng = np.random.default_rng(0)
    values = rng.random((2, 1000)).round(4)
    ((tolerance,),) = ask(values).tolerance
    sums = [values[0, rng.permutation(1000)].sum() for _ in range(200)] + [sum(values[0])]
    assert 10 * (max(sums) - min(sums)) < tolerance < 1e-4 / 10


def test_tolerance_is_that_of_the_two_systems_alone():
    """Their scores' sizes, added up over the topics, times the share of the one rule; a third system has no say."""
    values = np.array([[[0.25, -0.5], [1.0, 2.0], [1e12, 0.0]]])
    np.testing.assert_allclose(
        ask(values).tolerance, RELATIVE * np.array([[3.75, 1e12 + 0.75, 1e12 + 3.0]]), rtol=1e-12
    )


def test_differences_per_topic():
    """First minus second, pair by topic."""
    values = np.array([[1.0, 5.0], [2.0, 2.0], [0.0, 1.0]])
    assert ask(values).differences(0).tolist() == [[-1, 3], [1, 4], [2, 1]]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_only_the_two_sided_question_is_not_one_sided(alternative):
    """Everything but "two-sided" needs both tails."""
    assert ask(np.eye(2), alternative=alternative).one_sided == (alternative != "two-sided")


def test_resampled_p_values():
    """(k + 1) / (B + 1) is never 0; k / B is what papers print."""
    counts = np.array([0, 5, 10])
    np.testing.assert_allclose(resampled_p_value(counts, 10, "plus-one"), [1 / 11, 6 / 11, 1])
    np.testing.assert_allclose(resampled_p_value(counts, 10, "plain"), [0, 0.5, 1])


def test_unknown_rule_for_p_values():
    """The two rules are listed."""
    with pytest.raises(UnknownNameError, match=r"no rule for p-values 'plus'.*plus-one"):
        resampled_p_value(np.array([1]), 10, "plus")


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 5, float("nan")])
def test_alpha_is_a_probability(alpha):
    """Levels outside (0, 1) are refused."""
    with pytest.raises(InvalidOptionError, match="`alpha` must lie between 0 and 1"):
        ask(np.eye(2), alpha=alpha)


def test_unknown_alternative_and_baseline():
    """Each message names the nearest."""
    with pytest.raises(UnknownNameError, match="no alternative 'grater'; did you mean 'greater'"):
        ask(np.eye(2), alternative="grater")
    with pytest.raises(UnknownNameError, match="no system 'sytem1'; did you mean 'system1'"):
        ask(np.eye(2), baseline="sytem1")


@pytest.mark.parametrize(
    "wrong", [[[1.0, np.nan], [1.0, 2.0]], [[1.0, np.inf], [1.0, 2.0]], [[1.0, 2.0]], [[1.0], [2.0]]]
)
def test_bad_scores_are_refused(wrong):
    """Gaps, infinities, one system or one topic never reach a test."""
    with pytest.raises(ScoresError):
        ask(wrong)
