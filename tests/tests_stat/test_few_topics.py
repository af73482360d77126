"""Small samples: nothing is said with more certainty than an exact test of so few topics can have."""

from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, ttest_rel

from metaeval import as_scores, study_leaderboard, study_table
from metaeval.resampling.system_means import means_of_systems
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.ends import Seen, ends_of_means
from metaeval.tests_stat.result import difference_intervals

VALUES = (0.0, 0.1, 0.9, 1.0)


def every_table(n_topics, values=VALUES):
    """All tables of two systems over these values, one a metric; the order of topics does not matter."""
    cells = list(product(values, repeat=2))
    tables = np.array(list(combinations_with_replacement(cells, n_topics)))
    return as_scores(tables.swapaxes(1, 2), metrics=[f"RR@{one}" for one in range(1, len(tables) + 1)])


@pytest.mark.parametrize(
    ("n_topics", "values", "alternative"),
    [(2, VALUES, "better"), (3, VALUES, "two-sided"), (4, VALUES[1:], "two-sided"), (5, VALUES[1::2], "two-sided")],
)
def test_no_certainty_from_few_topics(n_topics, values, alternative):
    """Of all tables of up to five topics none differs significantly, has p = 0 or an interval of no width.

    ``benchmarks/studies/few_topics.py`` goes through all of up to five topics and four values.
    """
    scores = every_table(n_topics, values)
    one_sided = alternative == "better"
    result = compare_systems(scores, alternative=alternative, correction="none")
    reachable = 0.5 ** (n_topics - (not one_sided))
    assert not result.data["significant"].any()
    assert (result.data["p_reachable"] >= reachable).all()
    constant = np.isinf(result.data["statistic"].to_numpy())
    np.testing.assert_array_equal(result.data["p_value"].to_numpy()[constant], reachable)
    _check_intervals(difference_intervals(result), 1.0)
    means = means_of_systems(scores)
    assert (means["low"] < means["high"]).all()
    assert (means["low"] >= 0.0).all()
    assert (means["high"] <= 1.0).all()


def _check_intervals(ends, most):
    assert (ends["low"] < ends["high"]).all()
    assert (abs(ends.to_dataarray()) <= most).all()


@pytest.mark.parametrize("test", TESTS)
def test_no_test_is_certain_of_three_topics(test):
    """Neither is any other test: all tables of three topics over two values."""
    result = compare_systems(every_table(3, VALUES[::3]), test=test, correction=None, n_resamples=99, rng=0)
    assert not result.data["significant"].any()
    if not TESTS[test].plain_p:  # the published share of resamples may be 0
        assert (result.data["p_value"] > 0.0).all()


@pytest.mark.parametrize(("n_topics", "found"), [(5, False), (6, True)])
def test_six_topics_on_one_side_are_the_fewest(n_topics, found):
    """2 to the -5 is below .05 and 2 to the -4 is not; one of the topics may as well be a tie of very many."""
    level = np.linspace(0.1, 0.5, n_topics)
    for more in (0, 40):
        tied = np.full(more, 0.3)
        scores = np.array([[*(level + 0.4 + level / 100), *tied], [*level, *tied]])
        result = compare_systems(scores, correction="none")
        assert bool(result.data["significant"].item()) is found
        assert result.data["p_value"].item() < 0.05


def test_two_topics_say_no_and_why():
    """The first sentence of the table names the bound, and a note says why a small p-value does not count."""
    study = study_table([[0.9, 0.8], [0.2, 0.1]])
    assert study.report().summary[0].startswith("No: ")
    assert "no exact test goes below p = 0.5000" in study.report().summary[0]
    study = study_table([[0.91, 0.82, 0.73], [0.2, 0.1, 0.01]])
    assert any("no exact test can reach the level, 0.05" in note for note in study.notes)


def test_many_topics_of_which_few_differ_are_not_called_few():
    """Of 40 topics 5 differ, all one way: signs reach 2/2**5 = .0625, and the t test SciPy's p = .0234."""
    right, wrong = [0] * 35 + [1] * 5, [0] * 40
    first = study_table({"A": right, "B": wrong}).report().summary[0]
    said = "with so few topics on which they differ no exact test goes below p = 0.0625: it takes 6."
    assert f"p = {ttest_rel(right, wrong).pvalue:.4f}), but {said}" in first
    three = study_table({"A": right, "B": wrong, "C": [*wrong[1:], 1]}).report().summary[0]
    assert "With so few topics on which systems differ no exact test goes below p = 0.0625" in three


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomisation", "bootstrap"])
def test_each_test_of_a_pair_says_why_a_small_p_is_not_significant(test):
    """Five topics reach 2/32 by signs, whichever test is asked; SciPy's t test has p = .0039 on these."""
    new, old = [0.5, 0.6, 0.7, 0.8, 0.9], [0.4, 0.5, 0.5, 0.7, 0.8]
    result = compare_systems({"new": new, "old": old}, test=test, rng=1)
    assert "; with so few topics on which systems differ no exact test goes below p = 0.0625." in result.answer
    if test == "t":
        assert f"(p = {ttest_rel(new, old).pvalue:.4f})" in result.answer
    side = compare_systems({"new": new, "old": old}, test=test, alternative="less", rng=1)
    assert side.answer.startswith("old is not significantly better than new under metric1 (one-sided p ")


def test_pairs_on_too_few_topics_are_counted():
    """By hand: a and b differ on five of seven topics, where signs reach 2/32, and have p = .009 by t."""
    level = np.linspace(0.1, 0.5, 7)
    apart = np.array([0.01, 0.011, 0.012, 0.013, 0.014, 0.0, 0.0])
    result = compare_systems({"a": level + apart, "b": level, "c": level / 100 - 1.0}, correction="none")
    opening = (
        "2 of 3 pairs differ significantly under metric1, uncorrected; 1 pair on too few topics for any exact test;"
    )
    assert result.answer.startswith(opening)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_shares_at_the_ends_are_those_of_clopper_and_pearson(n):
    """All right, or all wrong, of n items: the exact interval of a share, whatever the metric is called."""
    means = means_of_systems(as_scores(np.array([[[1.0] * n, [0.0] * n]]), metrics=["solved"])).set_index("system")
    for system, passed in (("system1", n), ("system2", 0)):
        expected = binomtest(passed, n).proportion_ci()
        np.testing.assert_allclose(means.loc[system, ["low", "high"]].to_list(), [expected.low, expected.high])


def test_without_known_ends_nothing_is_said():
    """A measure of unknown range that never varies has no interval; percentages are not cut at 1."""
    means = means_of_systems(as_scores(np.array([[[2.5] * 5, [1.0, 3.0, 2.0, 2.0, 9.0]]]), metrics=["likert"]))
    constant = means.set_index("system").loc["system1"]
    assert means.set_index("system").loc["system2", "high"] > 6.0
    assert np.isnan(constant["low"])
    percent = means_of_systems(as_scores(np.array([[[100.0, 90.0], [10.0, 80.0]]]), metrics=["RR"]))
    assert (percent["high"] > 100.0).any()


def test_no_interval_leaves_the_range_of_its_metric():
    """Two topics: 0 and 1 under RR give 0 to 1, not -5.85 to 6.85."""
    means = means_of_systems(as_scores(np.array([[[0.0, 1.0], [0.5, 0.5]]]), metrics=["RR"])).set_index("system")
    assert means.loc["system1", ["low", "high"]].to_list() == [0.0, 1.0]
    low, high = means.loc["system2", ["low", "high"]]
    assert low == pytest.approx(0.5 * 0.025**0.5)
    assert high == pytest.approx(1.0 - 0.5 * 0.025**0.5)


def test_a_share_near_its_end_has_the_interval_of_wilson():
    """9 of 10, with statsmodels 0.14: proportion_confint(9, 10, method="wilson"), and its z for Student's quantile."""
    one, n = np.array([[0.9]]), np.array([[10.0]])
    error, scores = np.array([[(0.9 * 0.1 / 9) ** 0.5]]), np.array([[[1.0] * 9 + [0.0]]])
    given = {"seen": Seen.of(scores), "metrics": ["solved"], "confidence_level": 0.95}
    low, high = ends_of_means(one, error, n, np.array([[1e9]]), **given)
    assert [low.item(), high.item()] == pytest.approx([0.595849973, 0.982123787], abs=1e-6)
    low, high = ends_of_means(one, error, n, n - 1.0, **given)
    assert 0.0 < low.item() < 0.5958
    assert 0.9822 < high.item() < 1.0
    middle = ends_of_means(one - 0.4, error * 5 / 3, n, n - 1.0, **given)
    assert [end.item() for end in middle] == pytest.approx([0.5 - 0.3770, 0.5 + 0.3770], abs=1e-4)


def test_a_measure_over_a_greedy_ideal_ends_at_one():
    """.8844 and .7039 under alpha_nDCG (pyndeval): t ends at 1.94; where a list beat the ideal, at e / (e - 1)."""
    for first, end in ((0.884414, 1.0), (1.01, np.e / (np.e - 1.0))):
        means = means_of_systems(as_scores(np.array([[[first, 0.703918], [0.1, 0.2]]]), metrics=["alpha_nDCG@5"]))
        assert means.set_index("system").loc["system1", "high"] == pytest.approx(end)


def test_the_interval_of_an_accuracy_stays_within_it():
    """From means and errors too, in shares and in percent; what a name does not tell has no end."""
    for name, scale, ends in (("acc", 1, (0, 1)), ("acc", 100, (0, 100)), ("elo", 1, (-0.0292, 1.0292))):
        board = pd.DataFrame({"model": list("ab"), name: [0.99, 0.01], "stderr": [0.02, 0.02]})
        board[[name, "stderr"]] *= scale
        frame = study_leaderboard(board, rng=1).to_frame()
        assert [frame["mean_low"].min(), frame["mean_high"].max()] == pytest.approx(list(ends), abs=1e-4)
