"""Comparison of significance tests on halves of the topics: a literal loop, laws, the real data and refusals."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.resampling.split_halves import split_half
from metaeval.table.scores import as_scores


def literal_counts(values, orders, alpha):
    """One-sided paired t tests by SciPy, pair by pair and split by split."""
    counts = np.zeros((4, len(orders)), dtype=int)
    for split, order in enumerate(orders):
        halves = np.split(order, [len(order) // 2])
        for a in range(len(values)):
            for b in range(a + 1, len(values)):
                gaps = [values[a, half] - values[b, half] for half in halves]
                signs = [np.sign(gap.mean()) for gap in gaps]
                found = [stats.ttest_1samp(gap * sign, 0, alternative="greater").pvalue <= alpha
                         for gap, sign in zip(gaps, signs, strict=True)]  # fmt: skip
                counts[0, split] += found[0]
                counts[1, split] += found[1]
                counts[2, split] += found[0] and signs[1] != signs[0]
                counts[3, split] += found[0] and found[1] and signs[1] == signs[0]
    return counts


def test_counts_equal_a_literal_loop_over_scipys_t_test():
    """Rejections, errors and agreement are those of SciPy's t test on the same halves."""
    values = np.random.default_rng(5).normal(size=(6, 21)) + np.linspace(0, 0.8, 6)[:, None]
    halves = split_half(values, tests=["t"], n_splits=12, alpha=0.1, rng=8)
    halving = np.random.default_rng(8).spawn(13)[0]
    orders = halving.permuted(np.tile(np.arange(21), (24, 1)), axis=1).reshape(12, 2, 21)[:, 0]
    wanted = literal_counts(values, orders, 0.1)
    names = ("rejected_first", "rejected_second", "errors", "rejected_both")
    np.testing.assert_array_equal([halves.counts[name].to_numpy()[0, 0, 0] for name in names], wanted)
    assert wanted[2].sum() > 0
    assert halves.half_sizes == (10, 11)


def test_corrected_counts_equal_a_literal_loop_over_statsmodels():
    """Under Benjamini and Yekutieli both directions of every pair are hypotheses; statsmodels adjusts them."""
    values = np.random.default_rng(7).normal(size=(6, 40)) + np.linspace(0, 2, 6)[:, None]
    halves = split_half(values, tests=["t"], corrections=["none", "fdr_by"], n_splits=5, rng=8)
    halving = np.random.default_rng(8).spawn(6)[0]
    orders = halving.permuted(np.tile(np.arange(40), (10, 1)), axis=1).reshape(5, 2, 40)[:, 0]
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    for split, order in enumerate(orders):
        first, second = order[:20], order[20:]
        gaps = np.array([values[a] - values[b] for a, b in pairs])
        tail = stats.ttest_1samp(gaps[:, first], 0, axis=1, alternative="greater").pvalue
        rejected = multipletests(np.r_[tail, 1 - tail], 0.05, method="fdr_by")[0].reshape(2, -1).any(axis=0)
        errors = rejected & (np.sign(gaps[:, first].mean(axis=1)) != np.sign(gaps[:, second].mean(axis=1)))
        own = halves.counts.sel(correction="fdr_by", test="t").isel(metric=0, split=split)
        assert (int(own["rejected_first"]), int(own["errors"])) == (rejected.sum(), errors.sum())
    assert 0 < halves.counts["rejected_first"].sel(correction="fdr_by").sum() < 5 * len(pairs)


def test_under_no_difference_half_of_the_rejections_are_errors():
    """Where all systems are equal in truth, the other half contradicts a rejection every second time."""
    noise = np.random.default_rng(0).normal(size=(100, 6, 40))  # a hundred metrics are a hundred data sets
    found = split_half(noise, tests=["t", "wilcoxon"], n_splits=5, rng=0)
    total = found.counts.sum(("correction", "metric", "split"))
    np.testing.assert_allclose(total["errors"] / total["rejected_first"], 0.5, atol=0.05)
    assert float(total["rejected_first"].sel(test="t")) / (100 * 5 * 15) == pytest.approx(0.1, abs=0.015)


def test_a_stricter_level_rejects_less_and_errs_less():
    """Rejections fall in every split as alpha falls."""
    values = np.random.default_rng(1).normal(size=(10, 40)) + np.linspace(0, 1, 10)[:, None]
    loose, strict = (split_half(values, tests=["t"], n_splits=20, alpha=alpha, rng=3) for alpha in (0.1, 0.01))
    assert (strict.counts["rejected_first"] <= loose.counts["rejected_first"]).all()
    assert strict.to_frame()["error_rate"].item() < loose.to_frame()["error_rate"].item()


def test_every_kind_of_test_can_be_compared_and_held_against_another():
    """Resampled and family-wise tests run, and the ratios have the named test on top."""
    values = np.random.default_rng(1).normal(size=(2, 6, 30)) + np.linspace(0, 1, 6)[:, None]
    halves = split_half(values, tests=["t", "bootstrap-percentile", "tukey"], alternative="two-sided",
                        n_splits=4, n_resamples=200, rng=0)  # fmt: skip
    frame = halves.to_frame(reference="bootstrap-percentile")
    assert frame["test"].tolist() == ["t", "bootstrap_percentile", "tukey"] * 2
    base = frame[frame["test"] == "bootstrap_percentile"]
    assert (base["rejection_ratio"] == 1).all()
    rejections = frame.set_index(["metric", "test"])["rejections"].unstack()  # noqa: PD010 - moved, not aggregated
    wanted = rejections["bootstrap_percentile"] / rejections["t"]
    np.testing.assert_allclose(frame[frame["test"] == "t"]["rejection_ratio"], wanted)
    with pytest.raises(UnknownNameError, match="no compared test 'sign'"):
        halves.to_frame(reference="sign")


def test_same_bytes_for_any_number_of_threads_and_company():
    """Counts depend neither on the cores nor on a metric beside."""
    values = np.random.default_rng(1).normal(size=(2, 6, 30))
    scores = as_scores(values, metrics=["a", "b"])
    options = {"tests": ["sign", "bootstrap"], "n_splits": 3, "n_resamples": 100, "rng": 4}
    both = split_half(scores, n_threads=2, **options).counts
    alone = split_half(scores.sel(metric=["b"]), n_threads=1, **options).counts
    xr.testing.assert_equal(both.sel(metric=["b"]), alone)


def test_the_percentile_bootstrap_does_not_err_least_on_trec8(data_folder):
    """Against Ogilvie and Lalmas: on TREC-8 AP it rejects hardly more than the t test, and errs more often."""
    table = pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv").iloc[:, :60]
    halves = split_half(as_scores({"ap": table}), tests=["t", "bootstrap_percentile"], n_splits=8, rng=0)
    row = halves.to_frame(reference="bootstrap_percentile").set_index("test").loc["t"]
    assert 1.0 < row["rejection_ratio"] < 1.2
    assert row["error_rate_ratio"] > 1.0


def test_nothing_rejected_gives_no_rate():
    """Without a rejection there is no error rate, and it is not 0."""
    frame = split_half([[0.1, 0.2] * 10, [0.2, 0.1] * 10], tests=["t"], n_splits=3, alpha=1e-9, rng=0).to_frame()
    assert frame["rejections"].item() == 0
    assert np.isnan(frame["error_rate"].item())
    assert np.isnan(frame["self_agreement"].item())


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"tests": []}, InvalidOptionError, "`tests` is empty"),
        ({"corrections": []}, InvalidOptionError, "`corrections` is empty"),
        ({"corrections": ["fdr_bb"]}, UnknownNameError, "fdr_by"),
        ({"tests": ["tt"]}, UnknownNameError, "no test 'tt'"),
        ({"n_splits": 0}, InvalidOptionError, "`n_splits` must be a whole number of at least 1, not 0"),
        ({"alpha": 2.0}, InvalidOptionError, "`alpha` must lie between 0 and 1"),
        ({"alternative": "bigger"}, UnknownNameError, "no alternative 'bigger'"),
    ],
)
def test_refusals_name_rule_and_value(options, kind, message):
    """Every option outside its rule is refused."""
    with pytest.raises(kind, match=message):
        split_half(np.random.default_rng(0).random((3, 20)), rng=0, **options)


def test_three_topics_cannot_be_halved():
    """Halves of one topic leave nothing to test."""
    with pytest.raises(EstimationError, match="3 topics cannot be halved"):
        split_half(np.random.default_rng(0).random((3, 3)), rng=0)


def test_clusters_are_halved_whole():
    """Topics of a cluster that are copies of each other count as one, and both halves hold whole clusters."""
    noise = np.random.default_rng(3).normal(size=(4, 24)) + np.linspace(0, 1, 4)[:, None]
    copies = np.repeat(noise, 3, axis=1)
    clusters = {str(place + 1): f"c{place // 3}" for place in range(72)}
    clustered = split_half(as_scores(copies, clusters=clusters), tests=["t", "randomisation"], n_splits=8, rng=0)
    alone = split_half(noise, tests=["t", "randomisation"], n_splits=8, rng=0)
    assert clustered.counts.equals(alone.counts)
    assert (clustered.half_sizes, clustered.halved, alone.halved) == ((12, 12), "cluster", "topic")


def test_clusters_need_tests_that_know_them():
    """By default the sign and Wilcoxon tests are among those compared."""
    scores = as_scores(np.random.default_rng(3).random((3, 24)), clusters={str(i + 1): f"c{i // 3}" for i in range(24)})
    with pytest.raises(InvalidOptionError, match=r"the test 'wilcoxon'.*use `test='t'` \(or "):
        split_half(scores, rng=0)
