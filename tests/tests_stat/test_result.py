import itertools
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import Evidence, ask
from metaeval.tests_stat.result import UnreachableLevelWarning, is_significant, pairwise_result

VALUES = np.random.default_rng(2).random((2, 5, 20)) + np.linspace(0, 0.5, 5)[:, None]
NAMES = ["a", "b", "c", "d", "e"]


def scores(**options):
    return as_scores(VALUES, metrics=["ap", "err"], systems=NAMES, **options)


def made_up(p_values, *, correction="none", alternative="two-sided", n_resamples=None, details=None, **evidence):
    """Pass p-values of one metric straight to the answer."""
    n_systems = next(n for n in range(2, 40) if n * (n - 1) // 2 == len(p_values))
    question = ask(np.arange(n_systems * 30.0).reshape(n_systems, 30), alternative=alternative)
    row = np.array([p_values], dtype=float)
    names = {"two-sided": ["two_sided"], "greater": ["greater"], "less": ["less"]}[alternative]
    return pairwise_result(
        question,
        Evidence(statistic=row, **dict.fromkeys(names, row), **evidence),
        test="made-up",
        correction=correction,
        n_resamples=n_resamples,
        details=details,
    )


def test_differences_are_raw_and_better_means_better():
    """Differences are a minus b in the metric's own unit; the verdict follows the direction of the metric."""
    result = paired_t_test(scores(higher_is_better={"err": False}))
    means = VALUES.mean(axis=2)
    for place, (a, b) in enumerate(itertools.combinations(range(5), 2)):
        one = result.data.isel(pair=place)
        assert (one["system_a"].item(), one["system_b"].item()) == (NAMES[a], NAMES[b])
        np.testing.assert_allclose(one["difference"], means[:, a] - means[:, b])
        np.testing.assert_array_equal(np.sign(one["statistic"]), np.sign(one["difference"]))
        np.testing.assert_array_equal(one["better"], np.sign(one["difference"]) * [1, -1])


def test_significant_means_at_most_alpha():
    """An adjusted p-value equal to alpha is significant."""
    result = made_up([0.05, 0.05 + 1e-9, 0.01])
    assert result.data["significant"].to_numpy().tolist() == [[True, False, True]]


def test_the_level_is_met_but_for_rounding_by_one_rule():
    """At most alpha, or below it where the method was published so; a rounded product of p-values is alpha itself."""
    p_values = np.array([3 * 0.1, 0.3, 0.1 + 0.2, 0.29, 0.31, np.nan])
    assert is_significant(p_values, 0.3).tolist() == [True, True, True, True, False, False]
    assert is_significant(p_values, 0.3, strictly_below=True).tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize("strictly_below", [False, True])
def test_verdicts_follow_the_rule_of_the_result(strictly_below):
    """Every answer about pairs at any level is made by the same rule; 3 * 0.1 is the level 0.3."""
    result = replace(made_up([3 * 0.1, 0.2, 0.4]), strictly_below=strictly_below).with_correction("none", alpha=0.3)
    decided = [not strictly_below, True, False]
    assert result.data["significant"].to_numpy().tolist() == [decided]
    assert np.abs(result.verdicts()).tolist() == [list(map(int, decided))]
    assert np.abs(result.verdicts(0.2)).tolist() == [[0, int(not strictly_below), 0]]
    assert np.abs(result.decisions("metric1").to_numpy()).sum() == 2 * sum(decided)
    assert (np.abs(result.graded_decisions("metric1")) == 2).to_numpy().sum() == 2 * sum(decided)


def test_discriminative_power_counts_all_pairs():
    """Pairs of identical systems stay in the denominator."""
    values = VALUES[0].copy()
    values[1] = values[0]
    frame = paired_t_test(values, correction="none").discriminative_power()
    p_values = paired_t_test(values, correction="none").data["p_value"].to_numpy()[0]
    assert frame["n_pairs"].item() == 10
    assert frame["n_significant"].item() == (p_values <= 0.05).sum()
    assert frame["power"].item() == (p_values <= 0.05).mean()


def test_table_has_a_row_for_every_metric_and_pair():
    """The frame carries what the dataset carries."""
    result = paired_t_test(scores())
    frame = result.to_frame()
    assert len(frame) == 20
    row = frame[(frame.metric == "err") & (frame.system_a == "b") & (frame.system_b == "e")].iloc[0]
    one = result.data.sel(metric="err").isel(pair=6)
    for name in ("difference", "statistic", "p_value", "p_corrected", "significant"):
        assert row[name] == one[name].item()
    assert row["winner"] == {1: "b", -1: "e"}[one["better"].item()]
    assert all(of_metric["p_value"].is_monotonic_increasing for _, of_metric in frame.groupby("metric"))


def test_decisions_are_a_signed_square():
    """Row better than column is 1, the mirror place -1, the diagonal and the undecided 0."""
    result = paired_t_test(scores(), correction="none")
    square = result.decisions("ap")
    assert list(square.index) == list(square.columns) == NAMES
    np.testing.assert_array_equal(square, -square.T)
    one = result.data.sel(metric="ap")
    for place in range(result.n_pairs):
        pair = one.isel(pair=place)
        expected = pair["better"].item() if pair["significant"].item() else 0
        assert square.loc[pair["system_a"].item(), pair["system_b"].item()] == expected
    assert {-1, 0, 1} == set(square.to_numpy().ravel().tolist())


def test_decisions_against_a_baseline():
    """Only the baseline's row and column are filled."""
    square = paired_t_test(scores(), baseline="a", correction="none").decisions("ap")
    others = square.drop(index="a", columns="a")
    assert (others == 0).all(axis=None)
    assert (square["a"] == 1).any()


def test_graded_decisions_join_those_with_and_without_the_correction():
    """2 after the correction, 1 only without it, and the best system first: the sum of the two squares, in order."""
    best_first = [NAMES[row] for row in np.argsort(-VALUES[0].mean(axis=1))]
    for falling in (False, True):
        result = paired_t_test(scores(higher_is_better=not falling), correction="bonferroni")
        square = result.graded_decisions("ap")
        both = result.decisions("ap") + result.with_correction("none").decisions("ap")
        assert list(square.index) == list(square.columns) == best_first[:: -1 if falling else 1]
        off = ~np.eye(5, dtype=bool)
        assert np.isnan(square.to_numpy()[~off]).all()
        np.testing.assert_array_equal(square.to_numpy()[off], both.loc[square.index, square.columns].to_numpy()[off])
        assert {1, 2} <= set(np.abs(square.to_numpy()[off]).tolist())


def test_graded_decisions_against_a_baseline():
    """Pairs without the baseline are missing, and systems stand in the order of their lead over it."""
    table = as_scores([[0.1, 0.3, 0.2], [0.4, 0.6, 0.5], [0.5, 0.7, 0.6]], systems=["worse", "base", "better"])
    square = paired_t_test(table, baseline="base").graded_decisions(str(table["metric"].item()))
    assert list(square.index) == ["better", "base", "worse"]
    assert square.isna().to_numpy().tolist() == [[True, False, True], [False, True, False], [True, False, True]]


def test_another_correction_or_level_draws_nothing_again():
    """with_correction gives what the test gives when asked for it at once."""
    result = paired_t_test(scores())
    for correction, alpha in itertools.product(["none", "bonferroni", "holm", "fdr_bh", "fdr_by"], [0.01, 0.3]):
        again = result.with_correction(correction, alpha=alpha)
        fresh = paired_t_test(scores(), correction=correction, alpha=alpha)
        assert again.data.identical(fresh.data)
        assert again.signature == fresh.signature


def test_both_directions_are_hypotheses_with_better():
    """One-sided in the direction of the better mean, corrected over twice as many hypotheses."""
    result = paired_t_test(scores(), alternative="better", correction="fdr_by")
    greater, less = (
        paired_t_test(scores(), alternative=side, correction="none").data["p_value"].to_numpy()
        for side in ("greater", "less")
    )
    p_values = np.minimum(greater, less)
    np.testing.assert_array_equal(result.data["p_value"], p_values)
    both = np.concatenate([p_values, np.maximum(greater, less)], axis=1)
    np.testing.assert_array_equal(result.data["p_corrected"], adjust(both, "fdr_by")[:, :10])


def test_signature_names_everything():
    """Test, resamples, alternative, correction, level."""
    result = made_up([0.5, 0.2, 0.1], alternative="less", correction="holm", n_resamples=100)
    assert result.signature == "made-up:B=100|less|holm|alpha=0.05"


def test_family_wise_p_values_are_taken_as_they_are():
    """A test's own adjustment is used by name, and others work on its raw p-values."""
    result = made_up([0.01, 0.2, 0.3], correction="family-wise", family_wise=np.array([[0.04, 0.5, 0.6]]))
    assert result.data["p_corrected"].to_numpy().tolist() == [[0.04, 0.5, 0.6]]
    assert result.with_correction("bonferroni").data["p_corrected"][0, 0].item() == pytest.approx(0.03)


def test_family_wise_by_construction_refuses_another_correction():
    """Correcting twice would be wrong; the message names the way out."""
    own = np.array([[0.04, 0.5, 0.6]])
    result = made_up([0.04, 0.5, 0.6], correction="family-wise", family_wise=own, family_wise_only=True)
    with pytest.raises(
        InvalidOptionError,
        match="take no further correction; leave `correction` out, or pass `correction='family-wise'`, not 'holm'",
    ):
        result.with_correction("holm")


def test_raw_p_values_that_happen_to_equal_the_family_wise_ones_may_be_corrected():
    """With a single pair both are the same number, and a correction is still allowed."""
    result = made_up([0.04], correction="family-wise", family_wise=np.array([[0.04]]))
    assert result.with_correction("holm").data["p_corrected"][0, 0].item() == pytest.approx(0.04)


def test_a_test_without_family_wise_p_values_says_so():
    """Asking for them is an error, not a silent other correction."""
    with pytest.raises(InvalidOptionError, match="test 't' has no family-wise p-values"):
        paired_t_test(scores(), correction="family-wise")


def test_wrong_names_and_levels():
    """Unknown corrections, metrics and levels are refused."""
    result = paired_t_test(scores())
    with pytest.raises(UnknownNameError, match="no correction 'hochberg'"):
        result.with_correction("hochberg")
    with pytest.raises(InvalidOptionError, match="no metric 'ndcg' in this result; there are ap, err"):
        result.decisions("ndcg")
    with pytest.raises(UnknownNameError, match=r"no metric 'ndcg'.*ap"):
        result.graded_decisions("ndcg")
    with pytest.raises(InvalidOptionError, match="`alpha` must lie between 0 and 1, not 1"):
        result.with_correction("none", alpha=1)


def test_warns_when_too_few_pairs_reach_the_smallest_p():
    """Three pairs at p = 1/20: Bonferroni can reject none, however strong the evidence."""
    with pytest.warns(UnreachableLevelWarning, match=r"cannot go below p = 0.05.* bonferroni over 3 hypotheses"):
        result = made_up([0.05, 0.5, 0.5], correction="bonferroni", n_resamples=19, details={"smallest_p": 0.05})
    assert "cannot go below p = 0.05" in result.out_of_reach()
    assert "raise" not in result.out_of_reach()
    assert "rejects never" in result.out_of_reach()
    with pytest.warns(UnreachableLevelWarning, match="rejects only when at least 3 of them reach it"):
        made_up([0.05, 0.05, 0.5], correction="fdr_bh", n_resamples=19, details={"smallest_p": 0.05})


def test_is_silent_when_enough_pairs_reach_it_or_none_does():
    """A step-up correction rejects all three at once, and pairs above the smallest p are not the resamples' fault."""
    assert (
        made_up([0.05] * 3, correction="fdr_bh", n_resamples=19, details={"smallest_p": 0.05}).data["significant"].all()
    )
    made_up([0.06, 0.5, 0.5], correction="bonferroni", n_resamples=19, details={"smallest_p": 0.05})
    result = made_up([0.05, 0.5, 0.5], correction="none", n_resamples=19, details={"smallest_p": 0.05})
    assert not result.out_of_reach()


@pytest.mark.filterwarnings("error")
def test_the_milder_procedure_stands_beside_the_stricter_one_alone():
    """Under Benjamini and Yekutieli it is Benjamini and Hochberg of the same p-values; where another decides, none."""
    result = paired_t_test(scores(), correction="BY")
    milder = result.beside()
    assert (milder.correction, milder.test) == ("fdr_bh", "t")
    xr.testing.assert_equal(milder.data, result.with_correction("bh").data)
    assert not (result.data["significant"] & ~milder.data["significant"]).any()
    assert all(result.with_correction(name).beside() is None for name in ("none", "holm", "bh"))
    with pytest.warns(UnreachableLevelWarning):
        stuck = made_up([0.05, 0.05, 0.5], correction="fdr_by", n_resamples=19, details={"smallest_p": 0.05})
    assert not stuck.beside().data["significant"].any()


def test_details_cannot_be_changed():
    """What a test said stays said."""
    result = made_up([0.1], details={"kept": 1})
    with pytest.raises(TypeError):
        result.details["kept"] = 2


def test_where_less_is_better_the_baseline_map_begins_with_the_least():
    """Systems stand in the order of their lead over the baseline, in the metric's own direction."""
    noise = np.random.default_rng(0).normal(0, 0.01, (3, 8))
    scores = as_scores(noise + np.array([[5.0], [1.0], [3.0]]), systems=["base", "low", "high"], higher_is_better=False)
    square = paired_t_test(scores, baseline="base").graded_decisions("metric1")
    assert square.index.tolist() == ["low", "high", "base"]


def test_one_pair_reads_as_scipys_result():
    """`ttest_rel` of SciPy on the same scores: statistic, p-value and interval; of several pairs they are refused."""
    a, b = [0.3, 0.5, 0.9, 0.6], [0.2, 0.3, 0.6, 0.7]
    found, expected = paired_t_test([a, b]), stats.ttest_rel(a, b)
    assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    for level in (0.95, 0.8):
        ends = expected.confidence_interval(level)
        assert found.confidence_interval(level) == pytest.approx((ends.low, ends.high), rel=1e-12)
    several = paired_t_test([a, b, b])
    for name in ("pvalue", "statistic"):
        with pytest.raises(InvalidOptionError, match=r"3 pairs and 1 metrics; to_frame\(\) has a row for each"):
            getattr(several, name)
    with pytest.raises(InvalidOptionError, match=r"1 metrics; metaeval\.tests_stat\.difference_intervals\(result\)"):
        several.confidence_interval()


def test_a_result_is_no_array_and_gives_its_rows():
    """NumPy is told where the numbers are; polars reads the rows."""
    found = paired_t_test([[0.3, 0.5, 0.9], [0.2, 0.3, 0.6], [0.1, 0.9, 0.2]])
    with pytest.raises(TypeError, match=r"to_frame\(\)"):
        np.asarray(found)
    polars = pytest.importorskip("polars")
    rows, frame = polars.DataFrame(found), found.to_frame()
    assert rows.columns == frame.columns.tolist()
    assert rows["winner"].to_list() == frame["winner"].tolist()
    np.testing.assert_array_equal(rows["p_value"].to_numpy(), frame["p_value"].to_numpy())


def test_a_result_tells_what_was_told_of_its_scores():
    """As studies do: the notes of the scores that were tested."""
    told = scores().assign_attrs(notes=["1 system was dropped: x"])
    assert paired_t_test(told).notes == ("1 system was dropped: x",)
    assert paired_t_test(VALUES[:1]).notes == ()
