"""The study of tests on halves of the topics: the engine's numbers, its reference, laws and refusals."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.questions.compare_tests.study import study_compare_tests
from metaeval.resampling.split_halves import split_half

QUICK = {"n_splits": 6, "n_resamples": 200, "p_value_rule": "plain", "rng": 3}


@pytest.fixture(scope="module")
def scores(simulated_scores):
    """Two metrics, six systems, twenty-four topics."""
    return simulated_scores(2, 6, 24)


@pytest.fixture(scope="module")
def study(scores):
    """Compare the tests of the paper, uncorrected and under Benjamini and Yekutieli."""
    return study_compare_tests(scores, **QUICK)


def test_every_correction_is_the_engines_on_its_own(scores, study):
    """Asked together or alone, a correction has the same rejections and errors."""
    for correction in ("none", "fdr_by"):
        alone = split_half(scores, corrections=[correction], **QUICK).to_frame()
        together = study.to_frame().query("correction == @correction").reset_index(drop=True)
        pd.testing.assert_frame_equal(together[alone.columns], alone)


def test_ratios_have_the_reference_on_top(study):
    """By default the percentile bootstrap, as in the paper: its counts over those of every other test."""
    assert study.reference == "bootstrap_percentile"
    frame = study.to_frame().set_index(["correction", "metric", "test"])
    for (correction, metric, _), row in frame.iterrows():
        above = frame.loc[(correction, metric, "bootstrap_percentile")]
        if row["rejections"]:
            assert row["rejection_ratio"] == above["rejections"] / row["rejections"]
        if row["errors"]:
            assert row["error_rate_ratio"] == above["error_rate"] / row["error_rate"]
        else:
            assert np.isnan(row["error_rate_ratio"])


@pytest.mark.parametrize(("asked", "found"), [(None, "sign"), ("ttest", "t")])
def test_another_reference(scores, asked, found):
    """Without the percentile bootstrap it is the first test; any other may be named as the field names it."""
    study = study_compare_tests(scores, tests=["sign", "t"], reference=asked, **QUICK)
    assert study.reference == found
    assert (study.to_frame().query("test == @found")["rejection_ratio"].dropna() == 1).all()


def test_a_correction_never_rejects_more(study):
    """Under Benjamini and Yekutieli every test rejects at most what it rejects uncorrected, in every split."""
    for name in ("rejected_first", "rejected_second", "rejected_both"):
        counts = study.halves.counts[name]
        assert (counts.sel(correction="fdr_by") <= counts.sel(correction="none")).all()


def test_the_middle_of_the_splits_is_that_of_the_counts(study):
    """The ends are the quantiles of the shares of single splits."""
    frame = study.to_frame().set_index(["correction", "metric", "test"])
    for (correction, metric, test), row in frame.iterrows():
        own = study.halves.counts.sel(correction=correction, metric=metric, test=test)
        shares = own["rejected_first"].to_numpy() / study.halves.n_pairs
        assert (row["rejected_low"], row["rejected_high"]) == pytest.approx(tuple(np.quantile(shares, [0.05, 0.95])))
        assert row["rejected_low"] <= np.median(shares) <= row["rejected_high"]


def test_tests_with_p_values_of_their_own_stand_under_every_correction(scores):
    """Family-wise p-values take no further correction, and bootstrap sensitivity is uncorrected as published."""
    study = study_compare_tests(scores, tests=["bootstrap_sensitivity", "tukey", "t"], alternative="two-sided", **QUICK)
    counts = study.halves.counts["rejected_first"]
    for test in ("bootstrap_sensitivity", "tukey"):
        np.testing.assert_array_equal(
            counts.sel(test=test, correction="none"), counts.sel(test=test, correction="fdr_by")
        )


def test_plain_p_values_pass_any_correction(simulated_scores):
    """With k/B, the paper's way, the bootstrap rejects under a correction what (k + 1)/(B + 1) cannot reach."""
    scores = simulated_scores(1, 12, 16)
    options = {"tests": ["bootstrap_percentile"], "corrections": ["fdr_by"], "n_splits": 4, "n_resamples": 50, "rng": 1}
    with pytest.warns(UserWarning, match=r"in \d+ of the 8 halves bootstrap_percentile with 50 resamples"):
        careful = study_compare_tests(scores, **options).to_frame()
    plain = study_compare_tests(scores, p_value_rule="plain", **options).to_frame()
    assert careful["rejections"].item() < plain["rejections"].item()


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"tests": []}, InvalidOptionError, "`tests` is empty; name at least one"),
        ({"corrections": []}, InvalidOptionError, "`corrections` is empty; name at least one"),
        ({"corrections": ["fdr"], "tests": ["tt"]}, UnknownNameError, "no test 'tt'"),
        ({"reference": "max_t"}, UnknownNameError, "no compared test 'max_t'"),
        ({"tests": ["tukey"]}, InvalidOptionError, "two-sided only"),
        ({"n_resamples": 0}, InvalidOptionError, "n_resamples"),
        ({"n_splits": 0}, InvalidOptionError, "n_splits"),
    ],
)
def test_refusals_name_rule_and_value(scores, options, kind, message):
    """Every option outside its rule is refused."""
    with pytest.raises(kind, match=message):
        study_compare_tests(scores, **options)


def test_three_topics_are_too_few():
    """Halves of one topic leave nothing to test."""
    with pytest.raises(EstimationError, match="3 topics cannot be halved"):
        study_compare_tests(np.random.default_rng(0).random((3, 3)), rng=0)


def test_one_pair_shows_no_test_errs_least(simulated_scores):
    """Two systems are one difference, halved again and again; three are three."""
    for n_systems, said in ((2, True), (3, False)):
        study = study_compare_tests(simulated_scores(1, n_systems, 40), tests=["t", "sign"], n_splits=20, rng=1)
        words = "1 pair of systems cannot show which test is reliable: give more systems."
        assert (study.report().summary[0] == words) is said
