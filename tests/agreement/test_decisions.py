"""Agreement of decisions: the published example, a literal count over pairs, laws, and degenerate tables."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from metaeval.agreement.decisions import (
    KINDS,
    SHARES,
    _grid_and_bandwidth,
    agreement_counts,
    agreement_errors,
    agreement_shares,
    checked_alphas,
    decision_agreement,
)
from metaeval.agreement.rankings import tau_ap
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import UnreachableLevelWarning


def two_groups(gap=1.0):
    """Twenty systems in two groups; a second metric reverses the order within each, by less than topics can show."""
    noise = np.random.default_rng(0).normal(0, 0.1, (20, 50))
    noise -= noise.mean(axis=1, keepdims=True)
    within = 0.001 * np.arange(10)
    first = np.concatenate([gap + within[::-1], within[::-1]])
    second = np.concatenate([gap + within, within])
    return as_scores(np.stack([first[:, None] + noise, second[:, None] + noise[::-1]]), metrics=["one", "other"])


@pytest.mark.filterwarnings("ignore::metaeval.tests_stat.result.UnreachableLevelWarning")
@pytest.mark.parametrize("test", list(TESTS))
def test_agreement_decides_as_the_test_itself(test):
    """At every level that is a p-value too: bootstrap sensitivity asks for p below it, all others for at most."""
    table = as_scores(np.random.default_rng(0).integers(0, 3, (2, 5, 12)) + np.arange(5)[:, None])
    options = {"test": test, "n_resamples": 40, "rng": 0} if TESTS[test].resampled else {"test": test}
    options["correction"] = TESTS[test].own_correction or "none"
    found = compare_systems(table, **options)
    levels = np.unique(found.data["p_corrected"].to_numpy())
    levels = levels[(levels > 1e-6) & (levels < 1)][:6].tolist()
    counted = decision_agreement(table, alphas=levels, **options).data["n_significant"]
    for place, alpha in enumerate(levels):
        again = found.with_correction(found.correction, alpha=alpha).discriminative_power()["n_significant"]
        assert counted[place].to_numpy().tolist() == again.tolist()


def random_scores(seed, *, n_metrics=3, n_systems=7, n_topics=25, spread=0.15):
    generator = np.random.default_rng(seed)
    quality = generator.normal(0, spread, n_systems)
    shared = quality[:, None] + generator.normal(0, 0.2, (n_systems, n_topics))
    return as_scores(shared + generator.normal(0, 0.1, (n_metrics, n_systems, n_topics)))


def literal_rejected(values, alpha, alternative):
    """Return the ordered pairs whose first system is significantly better, tested one by one, then corrected."""
    n = len(values)
    if alternative == "two-sided":
        pairs = [(a, b) for a in range(n) for b in range(a)]
        p_values = [stats.ttest_rel(values[a], values[b]).pvalue for a, b in pairs]
        rejected = multipletests(p_values, alpha=alpha, method="fdr_by")[0]
        found = [pair for pair, keep in zip(pairs, rejected, strict=True) if keep]
        return {(a, b) if values[a].mean() > values[b].mean() else (b, a) for a, b in found}
    ordered = [(a, b) for a in range(n) for b in range(n) if a != b]
    p_values = [stats.ttest_rel(values[a], values[b], alternative="greater").pvalue for a, b in ordered]
    rejected = multipletests(p_values, alpha=alpha, method="fdr_by")[0]
    return {pair for pair, keep in zip(ordered, rejected, strict=True) if keep}


@pytest.mark.parametrize("options", [{"test": "bootstrap_percentile", "alternative": "better"}, {}])
def test_two_groups_agree_wholly_while_correlations_do_not(options):
    """Two groups reversed within: F1 is 1, tau 1/19 and rho 0.5038 (Ogilvie and Lalmas 2006, section 3.4)."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnreachableLevelWarning)
        agreement = decision_agreement(two_groups(), n_resamples=2000, rng=0, **options)
    row = agreement.to_frame().iloc[0]
    assert row["n_shared"] == row["n_predictor"] == row["n_truth"] == 100
    assert row["f1"] == row["precision"] == row["recall"] == 1
    assert row["n_conflicts"] == 0
    assert row["tau"] == pytest.approx(1 / 19)
    assert row["rho"] == pytest.approx(0.5038, abs=5e-5)


def test_shares_of_the_published_table_hang_together():
    """Recall .96 of Strict's 51 % by Gen's 79 % is precision .61 and F1 .75 (Ogilvie and Lalmas 2006, Table 3)."""
    n_pairs = 70 * 69 // 2
    strict, generalised = round(0.51 * n_pairs), round(0.79 * n_pairs)
    shared = round(0.96 * strict)
    shares = agreement_shares(np.array([generalised, strict]), np.array([[generalised, shared], [shared, strict]]))
    assert shares["recall"][0, 1] == pytest.approx(0.96, abs=0.001)
    assert shares["precision"][0, 1] == pytest.approx(0.61, abs=0.011)
    assert shares["f1"][0, 1] == pytest.approx(0.75, abs=0.005)


def test_errors_by_hand():
    """Of 15 pairs 3 found, 1 opposite, 1 false and 2 missed: recall 3/6 and 8/9 make .694; a third is missed."""
    errors = agreement_errors(5, 6, 3, 1, 15)
    assert errors["balanced_accuracy"] == pytest.approx((3 / 6 + 8 / 9) / 2)
    assert errors["mcc"] == pytest.approx((3 * 8 - 1 * 3) / (4 * 6 * 9 * 11) ** 0.5)
    assert errors["type_2"] == pytest.approx(2 / 6)
    for none_or_all in ((0, 0, 0, 0), (15, 15, 15, 0)):
        errors = agreement_errors(*none_or_all, 15)
        assert np.isnan([errors["balanced_accuracy"], errors["mcc"]]).all()


@pytest.mark.parametrize("seed", range(4))
def test_errors_are_those_of_a_classifier(seed):
    """Balanced accuracy is the mean recall of two classes, MCC Pearson's correlation of them, for every two metrics."""
    data = decision_agreement(random_scores(seed), correction="none").data
    verdict = data["verdict"].to_numpy()[0]
    for i, predicted in enumerate(verdict):
        for j, true in enumerate(verdict):
            positive, found = true != 0, (predicted != 0) & (predicted != -true)
            wrong_way = (true != 0) & (predicted == -true)
            classes = [found[positive].mean(), (~found[~positive]).mean()]
            row = {name: data[name].to_numpy()[0, i, j] for name in (*SHARES, "n_missed")}
            assert row["balanced_accuracy"] == pytest.approx(np.mean(classes))
            assert row["mcc"] == pytest.approx(np.corrcoef(positive, found)[0, 1])
            assert row["n_missed"] == ((predicted == 0) & positive).sum()
            assert row["type_2"] == pytest.approx(1 - row["recall"] - wrong_way.sum() / positive.sum())


def test_missed_pairs_below_power_are_those_of_statsmodels():
    """A missed pair is undetectable where statsmodels gives its effect under the truth less than .8 power."""
    scores = random_scores(3, n_metrics=2, n_systems=12)
    scores = scores.copy(data=scores + np.random.default_rng(1).normal(0, 1, scores.shape) * [[[0.0]], [[0.3]]])
    agreement = decision_agreement(scores, correction="fdr_bh")
    data, p_values = agreement.data, agreement.result.data["p_value"].to_numpy()
    verdict, counts = data["verdict"].to_numpy()[0], data["n_undetectable"].to_numpy()[0]
    assert 0 < counts[1, 0] < data["n_missed"].to_numpy()[0, 1, 0]
    systems = scores["system"].to_numpy().tolist()
    pairs = np.stack(
        [[systems.index(name) for name in data[side].to_numpy()] for side in ("system_a", "system_b")], axis=1
    )
    for truth, predictor in ((0, 1), (1, 0)):
        level, expected = p_values[truth][verdict[truth] != 0].max(), 0
        for pair in np.flatnonzero((verdict[truth] != 0) & (verdict[predictor] == 0)):
            apart = np.subtract(*scores.to_numpy()[truth][pairs[pair]])
            effect = abs(apart.mean()) / apart.std(ddof=1)
            expected += TTestPower().power(effect, nobs=25, alpha=level, alternative="two-sided") < 0.8
        assert counts[predictor, truth] == expected


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize("seed", range(4))
def test_equals_a_literal_count(seed, alternative):
    """Sets of ordered pairs, made one test at a time, give the same precision, recall, F1 and conflicts."""
    scores = random_scores(seed)
    agreement = decision_agreement(scores, test="t", alphas=[0.05, 0.2], alternative=alternative)
    for alpha in agreement.alphas:
        sets = [literal_rejected(values, alpha, alternative) for values in scores.to_numpy()]
        for i, predicted in enumerate(sets):
            for j, true in enumerate(sets):
                shared = predicted & true
                conflicts = {(a, b) for a, b in predicted if (b, a) in true}
                assert agreement.matrix("n_shared", alpha=alpha).iloc[i, j] == len(shared)
                assert agreement.matrix("n_conflicts", alpha=alpha).iloc[i, j] == len(conflicts)
                if predicted and true:
                    assert agreement.matrix("precision", alpha=alpha).iloc[i, j] == len(shared) / len(predicted)
                    assert agreement.matrix("recall", alpha=alpha).iloc[i, j] == len(shared) / len(true)


def test_correlations_take_the_truth_as_reference():
    """tau_AP of the matrix is that of the mean scores, the truth's first."""
    scores = random_scores(5, n_systems=15, spread=0.02)
    agreement = decision_agreement(scores, test="t")
    means = scores.mean("topic").to_numpy()
    assert agreement.matrix("tau_ap").iloc[0, 1] == pytest.approx(tau_ap(means[1], means[0]))
    assert agreement.matrix("tau_ap").iloc[0, 1] != pytest.approx(tau_ap(means[0], means[1]))


class TestLaws:
    """What holds for any scores."""

    @given(arrays(np.int8, (3, 15), elements=st.integers(-1, 1)))
    def test_roles(self, verdict):
        """Predictor and truth change places as precision and recall do; F1, shared and conflicts do not mind."""
        n_rejected, n_shared, n_conflicts = agreement_counts(verdict)
        shares = agreement_shares(n_rejected, n_shared)
        np.testing.assert_array_equal(shares["precision"], shares["recall"].T)
        np.testing.assert_array_equal(shares["f1"], shares["f1"].T)
        np.testing.assert_array_equal(n_conflicts, n_conflicts.T)
        np.testing.assert_array_equal(np.diag(shares["f1"]), np.where(n_rejected > 0, 1.0, np.nan))
        both = shares["precision"] + shares["recall"]
        harmonic = 2 * shares["precision"] * shares["recall"] / np.where(both > 0, both, 1)
        defined = np.isfinite(harmonic)
        np.testing.assert_allclose(shares["f1"][defined], harmonic[defined])
        none = (n_rejected[:, None] == 0) & (n_rejected == 0)
        np.testing.assert_array_equal(shares["f1"][~defined], np.where(none, np.nan, 0.0)[~defined])

    def test_lower_is_better(self):
        """A metric turned round leads to the same conclusions, and no conflict."""
        values = random_scores(1, n_metrics=1).to_numpy()[0]
        scores = as_scores(np.stack([values, -values]), metrics=["gain", "cost"], higher_is_better={"cost": False})
        agreement = decision_agreement(scores, test="t", alphas=0.2)
        row = agreement.to_frame().iloc[0]
        assert row["n_predictor"] > 0
        assert row["f1"] == 1
        assert row["tau"] == pytest.approx(1)
        pairs = agreement.disagreement("gain", "cost")
        assert (pairs["kind"] == "both").all()
        assert (pairs[["lead_predictor", "lead_truth"]] > 0).all(axis=None)

    def test_opposite_metrics_conflict(self):
        """A metric and its negative, both read as higher is better, contradict each other in every finding."""
        values = random_scores(1, n_metrics=1).to_numpy()[0]
        agreement = decision_agreement(as_scores(np.stack([values, -values])), test="t", alphas=0.2)
        row = agreement.to_frame().iloc[0]
        assert row["n_conflicts"] == row["n_predictor"] > 0
        assert row["f1"] == 0
        conflicts = agreement.conflicts()
        assert len(conflicts) == row["n_conflicts"]
        assert (conflicts["lead_a"] > 0).all()
        assert (conflicts["lead_b"] < 0).all()
        assert (agreement.disagreement(*agreement.metrics)["kind"] == "conflict").all()

    def test_same_for_any_number_of_threads(self):
        """The number of cores changes nothing."""
        scores = random_scores(2)
        one, two = (decision_agreement(scores, n_resamples=500, rng=3, n_threads=n, correction="none") for n in (1, 2))
        assert one.data.identical(two.data)

    def test_levels_are_nested(self):
        """What is significant at a level is significant at any higher one."""
        verdict = decision_agreement(random_scores(3), test="t", alphas=[0.01, 0.05, 0.2]).data["verdict"].to_numpy()
        assert (verdict[0][verdict[0] != 0] == verdict[1][verdict[0] != 0]).all()
        assert np.abs(verdict).sum(axis=(1, 2)).tolist() == sorted(np.abs(verdict).sum(axis=(1, 2)).tolist())


def test_another_correction_draws_nothing_again():
    """Under another correction the answer is the one that it would have had from the start."""
    scores = random_scores(3)
    first = decision_agreement(scores, n_resamples=2000, correction="none", rng=1)
    asked = decision_agreement(scores, n_resamples=2000, correction="holm", rng=1)
    assert first.with_correction("holm").data.identical(asked.data)


class TestDisagreement:
    """Where two metrics agree and where they do not."""

    def test_classes_partition_the_pairs(self):
        """Every pair significant under either stands in one class, and the counts are those of the matrix."""
        agreement = decision_agreement(random_scores(4, spread=0.08), test="t", correction="none")
        frame = agreement.disagreement("metric1", "metric2")
        counts = frame["kind"].value_counts()
        row = agreement.to_frame().iloc[0]
        assert counts["both"] == row["n_shared"]
        assert counts["both"] + counts["only predictor"] + counts["conflict"] == row["n_predictor"]
        assert counts["both"] + counts["only truth"] + counts["conflict"] == row["n_truth"]
        assert (frame.loc[frame["kind"] != "only truth", "lead_predictor"] > 0).all()

    def test_area_under_a_density_is_its_class(self):
        """Each density integrates to the number of pairs of its class."""
        agreement = decision_agreement(random_scores(4, n_systems=20, spread=0.08), test="t", correction="none")
        frame = agreement.densities("metric1", "metric2", n_points=2000)
        counts = agreement.disagreement("metric1", "metric2")["kind"].value_counts()
        for kind in KINDS:
            part = frame[frame["kind"] == kind]
            area = np.trapezoid(part["density"], part["difference"])
            assert area == pytest.approx(counts[kind], rel=0.01, abs=1e-9)

    @pytest.mark.parametrize("under", [None, "metric2"])
    def test_threshold_is_the_best_of_all(self, under):
        """No cut between two differences gives a larger F1 than the one returned."""
        agreement = decision_agreement(random_scores(6, n_systems=12, spread=0.08), test="t", correction="none")
        row = agreement.thresholds(under=under).iloc[0]
        verdict = agreement.data["verdict"].to_numpy()[0]
        sizes = np.abs(agreement.data["difference"].sel(metric=under or "metric1").to_numpy())
        scores = {}
        for cut in (0.0, *sizes):
            kept = np.where(sizes >= cut, verdict[0], 0)
            shared = ((kept == verdict[1]) & (kept != 0)).sum()
            scores[cut] = 2 * shared / (np.count_nonzero(kept) + np.count_nonzero(verdict[1]))
        assert row["f1"] == pytest.approx(max(scores.values()))
        assert scores[row["threshold"]] == pytest.approx(row["f1"])
        assert row["f1_without"] == pytest.approx(scores[0.0])
        kept = (sizes >= row["threshold"]) & (verdict[0] != 0)
        assert row["n_kept"] == kept.sum()

    def test_threshold_that_helps(self):
        """Where all wrong predictions are the small differences, the cut leaves exactly the right ones."""
        scores = random_scores(7, n_metrics=1, n_systems=10, n_topics=40, spread=0.3).to_numpy()[0]
        loud = scores + np.random.default_rng(0).normal(0, 0.6, scores.shape)
        agreement = decision_agreement(as_scores(np.stack([scores, loud])), test="t")
        row = agreement.thresholds().iloc[0]
        assert row["threshold"] > 0
        assert row["f1"] > row["f1_without"]
        assert row["n_kept"] < row["n_predictor"]


class TestDegenerate:
    """Tables in which little or nothing is significant."""

    def test_nothing_significant_anywhere(self):
        """Two metrics that find nothing have nothing to agree on: precision, recall and F1 are undefined."""
        scores = as_scores(np.zeros((2, 3, 5)))
        agreement = decision_agreement(scores, test="t")
        row = agreement.to_frame().iloc[0]
        assert row[["precision", "recall", "f1", "tau"]].isna().all()
        assert agreement.conflicts().empty
        assert agreement.disagreement(*agreement.metrics).empty
        assert (agreement.densities(*agreement.metrics)["density"] == 0).all()
        assert agreement.thresholds()["threshold"].isna().all()

    def test_one_finds_nothing(self):
        """If only one finds something, F1 is 0 and the share over the empty set is undefined."""
        silent = np.zeros((3, 12))
        values = np.stack([silent, silent + np.array([[0.0], [1.0], [2.0]])])
        frame = decision_agreement(as_scores(values, metrics=["silent", "loud"]), test="t").to_frame()
        first, second = frame.iloc[0], frame.iloc[1]
        assert first["predictor"] == "silent"
        assert np.isnan(first["precision"])
        assert first["recall"] == first["f1"] == 0
        assert second["precision"] == second["f1"] == 0
        assert np.isnan(second["recall"])

    def test_tests_that_name_no_direction(self):
        """A two-sided test counts in the direction of the better mean."""
        agreement = decision_agreement(random_scores(0), test="tukey_parametric")
        assert agreement.result.alternative == "two-sided"
        assert set(np.unique(agreement.data["verdict"])) <= {-1, 0, 1}
        assert decision_agreement(random_scores(0), test="max_t", n_resamples=200, rng=0).result.correction == (
            "family-wise"
        )

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"alternative": "greater"}, "alternative"),
            ({"alphas": 0}, "alphas"),
            ({"alphas": []}, "alphas"),
            ({"alphas": [0.05, 2]}, "alphas"),
            ({"test": "tt"}, "no test"),
            ({"correction": "nonsense"}, "no correction"),
        ],
        ids=str,
    )
    def test_options(self, options, words):
        """An option outside its rule is refused by name."""
        with pytest.raises(InvalidOptionError, match=words):
            decision_agreement(random_scores(0), **options)

    def test_one_metric(self):
        """One metric has nothing to agree with."""
        with pytest.raises(InvalidOptionError, match="at least two metrics"):
            decision_agreement(random_scores(0, n_metrics=1))

    def test_unknown_names(self):
        """Metrics, measures and levels that the answer does not hold are refused."""
        agreement = decision_agreement(random_scores(0), test="t")
        with pytest.raises(UnknownNameError, match="metric9"):
            agreement.disagreement("metric9", "metric1")
        with pytest.raises(UnknownNameError, match="measure"):
            agreement.matrix("f2")
        with pytest.raises(InvalidOptionError, match=r"0\.01"):
            agreement.matrix(alpha=0.01)

    def test_levels(self):
        """Levels keep their order and lose their repeats."""
        assert checked_alphas([0.05, 0.01, 0.05]) == (0.05, 0.01)


def test_a_matrix_is_asked_for_by_name():
    """The measure may be named, as every argument of a public function may."""
    agreement = decision_agreement(np.random.default_rng(0).random((2, 5, 8)), test="t")
    assert agreement.matrix(measure="recall").equals(agreement.matrix("recall"))


def test_the_grid_of_sizes_ends_where_the_curve_does():
    """Three widths past the largest difference, where a normal kernel is nothing; without sizes it is 0 to 1."""
    grid, width = _grid_and_bandwidth(np.array([0.1, 0.2, 0.4]), 5)
    assert (grid[0], grid[-1], len(grid)) == (0.0, pytest.approx(0.4 + 3 * width), 5)
    assert 0.05 < width < 0.15
    assert _grid_and_bandwidth(np.zeros(0), 3)[0].tolist() == [0.0, 0.5, 1.0]
