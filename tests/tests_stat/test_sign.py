import itertools
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.contingency_tables import mcnemar

from metaeval import as_scores
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.sign import sign_test


def literal_sign_test(x, y, alternative, zero_tol=0):
    """Count wins and losses one topic at a time and ask SciPy."""
    won = sum(a - b > zero_tol for a, b in zip(x, y, strict=True))
    lost = sum(b - a > zero_tol for a, b in zip(x, y, strict=True))
    if won + lost == 0:
        return 1.0
    return scipy.stats.binomtest(won, won + lost, alternative=alternative).pvalue


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("zero_tol", [0, 2])
def test_equal_to_the_binomial_test_on_every_pair(alternative, zero_tol):
    """Every p-value is SciPy's on the wins among the topics that are no tie."""
    rng = np.random.default_rng(3)
    for n_topics in (2, 9, 50, 300):
        values = rng.integers(0, 8, (6, n_topics)).astype(float)
        result = sign_test(values, zero_tol=zero_tol, alternative=alternative, correction="none")
        expected = [literal_sign_test(a, b, alternative, zero_tol) for a, b in itertools.combinations(values, 2)]
        np.testing.assert_allclose(result.data["p_value"][0], expected, rtol=0, atol=1e-12)


@settings(max_examples=15)  # every example is four whole tests
@given(arrays(np.int64, st.tuples(st.just(2), st.integers(2, 40)), elements=st.integers(0, 5)))
def test_only_the_order_on_each_topic_counts(values):
    """Any increasing change of the scores leaves the result; a swap turns it round."""
    plain, bent, swapped = (
        sign_test(scores, alternative="greater", correction="none").data
        for scores in (values, np.exp(values), values[::-1])
    )
    assert plain["p_value"].item() == bent["p_value"].item()
    assert plain["statistic"].item() == -swapped["statistic"].item()
    less = sign_test(values[::-1], alternative="less", correction="none").data["p_value"].item()
    assert plain["p_value"].item() == less


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_equal_systems_have_p_1(alternative):
    """Nothing won and nothing lost."""
    result = sign_test(np.ones((2, 6)), alternative=alternative, correction="none")
    assert result.data["p_value"].item() == 1.0
    assert result.data["statistic"].item() == 0.0
    assert result.details["most_ties"] == [6]


def test_rounding_makes_no_winner():
    """0.1 + 0.2 does not beat 0.3, and a difference of 0.01 is no more than zero_tol=0.01."""
    assert 0.1 + 0.2 > 0.3
    result = sign_test([[0.1 + 0.2, 0.9], [0.3, 0.1]], correction="none")
    assert result.data["statistic"].item() == 1.0
    assert 0.1 - 0.09 > 0.01
    assert sign_test([[0.1, 0.9], [0.09, 0.1]], zero_tol=0.01).data["statistic"].item() == 1.0


def test_lower_is_better_turns_wins_into_losses():
    """The statistic keeps the sign of the raw difference; the verdict follows the metric's direction."""
    scores = as_scores([[1.0] * 6, [2.0] * 6], higher_is_better=False)
    result = sign_test(scores, alternative="greater", correction="none")
    assert result.data["p_value"].item() == 1 / 64
    assert result.data["statistic"].item() == -6
    assert result.data["better"].item() == 1


def test_published_p_values(data_folder):
    """The two p-values printed beside the TREC-8 scores, where differences up to 0.01 are ties."""
    folder = data_folder / "trec-matrices"
    published = json.loads((folder / "published" / "published.json").read_text())["adhoc8_ap.csv"]["sign"]
    scores = pd.read_csv(folder / "adhoc8_ap.csv").to_numpy().T[[124, 125]]
    found = [
        sign_test(scores, zero_tol=0.01, alternative=side, correction="none").data["p_value"].item()
        for side in ("less", "two-sided")
    ]
    np.testing.assert_allclose(found, published, atol=5e-10)


def test_power_on_trec_8(data_folder):
    """Share of the 8256 pairs found, uncorrected and under Benjamini-Yekutieli."""
    result = sign_test(pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv").to_numpy().T)
    assert result.discriminative_power()["power"].item() == pytest.approx(0.534, abs=5e-4)
    assert result.with_correction("none").discriminative_power()["power"].item() == pytest.approx(0.663, abs=5e-4)


@pytest.mark.parametrize("wrong", [-0.1, np.nan, np.inf])
def test_tolerance_must_be_a_size(wrong):
    """A negative, infinite or undefined tolerance is refused."""
    with pytest.raises(InvalidOptionError, match="`zero_tol` must be a number of at least 0"):
        sign_test(np.eye(2), zero_tol=wrong)


def test_the_most_ties_are_those_of_the_pair_that_ties_most():
    """Of three pairs, the one that ties on four of six topics."""
    result = sign_test([[1.0, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 7], [2, 2, 4, 5, 7, 8]], correction="none")
    assert result.details["most_ties"] == [4]


@pytest.mark.parametrize("seed", range(5))
def test_on_zeros_and_ones_it_is_mcnemar(seed):
    """Exact p-values are those of statsmodels; the result says whose test it is."""
    values = (np.random.default_rng(seed).random((4, 25)) < np.array([0.2, 0.5, 0.6, 0.9])[:, None]).astype(float)
    result = sign_test(values, correction="none")
    assert result.details["mcnemar"]
    for place, (a, b) in enumerate(itertools.combinations(values.astype(int), 2)):
        table = [[np.sum((a == i) & (b == j)) for j in (0, 1)] for i in (0, 1)]
        assert result.data["p_value"][0, place].item() == pytest.approx(mcnemar(table, exact=True).pvalue)


def test_only_zeros_and_ones_make_it_mcnemar():
    """Half a point is no discordant pair; lower is better and gaps do no harm."""
    values = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    assert sign_test(as_scores(values, higher_is_better=False), correction="none").details["mcnemar"]
    assert not sign_test(values / 2, correction="none").details["mcnemar"]
    assert not sign_test(values, zero_tol=1.0, correction="none").details["mcnemar"]
    values[0, 0] = np.nan
    assert sign_test(as_scores(values, missing="pairwise"), correction="none").details["mcnemar"]


@settings(max_examples=30)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mid_p_counts_half_of_what_was_seen(won, lost):
    """2 P(X < m) + P(X = m) of Bin(b + c, 1/2), 1 where b = c; one-sided the half that lies on that side."""
    values = np.array([[1.0] * won + [0.0] * (lost + 2), [0.0] * won + [1.0] * lost + [0.0] * 2])
    binomial, m = scipy.stats.binom(won + lost, 0.5), min(won, lost)
    two, greater, less = (
        sign_test(values, method="mid-p", correction="none", alternative=side).data["p_value"].item()
        for side in ("two-sided", "greater", "less")
    )
    assert two == pytest.approx(2 * binomial.cdf(m - 1) + binomial.pmf(m))
    assert greater == pytest.approx(binomial.sf(won) + binomial.pmf(won) / 2)
    assert greater + less == pytest.approx(1.0)
    if won == lost:
        assert two == pytest.approx(1.0)


def test_gaps_leave_topics_out_of_a_pair():
    """A pair is compared on its common topics."""
    values = np.array([[1, 2, 3, np.nan, 5, 6], [0, 1, 5, 2, np.nan, 4], [0, 3, 0, 1, 2, np.nan]])
    result = sign_test(as_scores(values, missing="pairwise"), correction="none")
    assert result.data["statistic"].to_numpy().tolist() == [[2, 2, 1]]
    assert result.data["n_common"].to_numpy().tolist() == [[4, 4, 4]]
    assert result.details["most_ties"] == [1]
