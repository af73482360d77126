"""Measures of a judge: the correlations one by one, the best chosen by the reference, and what is not tested."""

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from metaeval.agreement.judge_measures import MEASURES, RANKINGS, judge_measures
from metaeval.agreement.rankings import tau_ap


@pytest.fixture
def made():
    """Verdicts and means of three judges over several resamples; the first is the reference."""
    rng = np.random.default_rng(1)
    verdict = rng.integers(-1, 2, (4, 3, 28)).astype(np.int8)
    return verdict, rng.random((4, 3, 8)).round(1)


def test_every_correlation_is_that_of_its_own_function(made):
    """Resample by resample and judge by judge, over all systems and among the best."""
    verdict, means = made
    best = np.sort(np.argsort(-means[0, 0])[:5])
    found = judge_measures(verdict, means, 0, best, np.ones(3, dtype=bool))
    assert set(found) == {*MEASURES, "n_significant", "n_shared", "n_conflicts"}
    for resample in range(4):
        for judge in (1, 2):
            for end, (truth, own) in {
                "": (means[resample, 0], means[resample, judge]),
                "_top": (means[resample, 0][best], means[resample, judge][best]),
            }.items():
                expected = {
                    "tau": kendalltau(truth, own).statistic,
                    "rho": spearmanr(truth, own).statistic,
                    "pearson": pearsonr(truth, own).statistic,
                    "tau_ap_b": tau_ap(truth, own, ties="b"),
                }
                expected |= {} if end else {"tau_ap": tau_ap(truth, own)}
                for name, value in expected.items():
                    assert found[f"{name}{end}"][resample, judge] == pytest.approx(value, abs=1e-12)


def test_pairs_by_hand(made):
    """Precision, recall and F1 are shares of the significant pairs, same direction counting."""
    verdict, means = made
    found = judge_measures(verdict, means, 0, np.arange(3), np.ones(3, dtype=bool))
    for resample in range(4):
        truth, own = verdict[resample, 0], verdict[resample, 2]
        shared = sum(a == b != 0 for a, b in zip(truth, own, strict=True))
        assert found["precision"][resample, 2] == pytest.approx(shared / (own != 0).sum())
        assert found["recall"][resample, 2] == pytest.approx(shared / (truth != 0).sum())
        against = sum(a == -b != 0 for a, b in zip(truth, own, strict=True))
        assert found["n_conflicts"][resample, 2] == against
        total = (own != 0).sum() + (truth != 0).sum()
        assert found["contradicted"][resample, 2] == pytest.approx(2 * against / total)


@pytest.mark.parametrize(
    ("reference", "own", "expected"),
    [
        ([0, 0, 0], [0, 0, 0], [np.nan, np.nan, np.nan, 0]),
        ([1, 0, 0], [0, 0, 0], [np.nan, 0, 0, 0]),
        ([0, 0, 0], [1, 0, 0], [0, np.nan, 0, 0]),
        ([1, 0, 0], [1, 0, 0], [1, 1, 1, 0]),
        ([1, 0, 0], [-1, 0, 0], [0, 0, 0, 1]),
    ],
)
def test_at_most_one_significant_pair(reference, own, expected):
    """A share of none is undefined, of one it is a number; where neither finds any, F1 is undefined too."""
    verdict = np.array([[reference, own]], dtype=np.int8)
    found = judge_measures(verdict, np.array([[[3.0, 2, 1]] * 2]), 0, np.arange(3), np.ones(2, dtype=bool))
    measures = [found[name][0, 1] for name in ("precision", "recall", "f1", "contradicted")]
    np.testing.assert_array_equal(measures, expected)


def test_the_reference_agrees_with_itself(made):
    """Everything but power is 1, where no two systems tie, and nothing is contradicted."""
    means = made[1] + np.arange(8) / 1000
    found = judge_measures(made[0], means, 0, np.arange(4), np.ones(3, dtype=bool))
    assert not found["contradicted"][:, 0].any()
    assert not found["type_2"][:, 0].any()
    for name in set(MEASURES) - {"power", "contradicted", "type_2"}:
        assert found[name][:, 0] == pytest.approx(np.ones(4))


def test_what_rests_on_tests_is_undefined_without_them(made):
    """A judge on one topic has correlations alone; where the reference has one topic, so has everybody."""
    for untested, gone in ((2, {2}), (0, {0, 1, 2})):
        tested = np.arange(3) != untested
        found = judge_measures(*made, 0, np.arange(4), tested)
        for name in ("precision", "recall", "f1", "contradicted", "n_shared", "n_conflicts"):
            assert set(np.flatnonzero(np.isnan(found[name]).all(axis=0))) == gone
        for name in ("power", "n_significant"):
            assert set(np.flatnonzero(np.isnan(found[name]).all(axis=0))) == {untested}
        assert not any(np.isnan(found[name]).any() for name in RANKINGS)


def test_equal_systems_have_no_correlation(made):
    """A judge that gives all systems one mean: undefined, and not 0, but for the reading that breaks ties at random."""
    verdict, means = made
    means[:, 1] = 0.5
    found = judge_measures(verdict, means, 0, np.arange(4), np.ones(3, dtype=bool))
    for name in RANKINGS:
        expected = [0.0] * 4 if name == "tau_ap" else [np.nan] * 4
        np.testing.assert_allclose(found[name][:, 1], expected, atol=1e-12)
