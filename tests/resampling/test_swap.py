"""The swap method: exact counts, laws, published orientation figures and refusals."""

from fractions import Fraction
from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_sets import draw_topic_sets
from metaeval.table.scores import as_scores
from metaeval.tests_stat.paired_t import paired_t_test

TOLERANCES = ("0", "1/20", "1/10", "1/5", "3/10")


def tenths(seed, *, n_metrics=2, n_systems=5, n_topics=14):
    """Scores in whole tenths, so that ties and tolerances met exactly are common."""
    return np.random.default_rng(seed).integers(0, 11, size=(n_metrics, n_systems, n_topics))


def literal_counts(whole, sets, tolerance, *, relative):
    """Count swaps and ties and average the larger means of one metric and trial in exact arithmetic, pair by pair."""
    means = [[Fraction(int(sum(row[topic] for topic in topics)), 10 * len(topics)) for row in whole] for topics in sets]
    swaps = ties = 0
    larger = []
    for a, b in combinations(range(len(whole)), 2):
        verdicts = []
        for mean in means:
            gap = mean[a] - mean[b]
            larger.append(max(mean[a], mean[b]))
            needed = tolerance * larger[-1] if relative else tolerance
            verdicts.append(0 if gap == 0 else (1 if gap > 0 else -1) if abs(gap) >= needed else None)
        if 0 in verdicts:
            ties += 1
        elif None not in verdicts and verdicts[0] != verdicts[1]:
            swaps += 1
    return swaps, ties, sum(larger) / len(larger)


@pytest.mark.parametrize("sampling", ["disjoint", "overlapping", "bootstrap"])
@pytest.mark.parametrize("tolerance_unit", ["relative", "absolute"])
def test_counts_equal_a_literal_loop_in_exact_arithmetic(sampling, tolerance_unit):
    """Swaps, ties and larger means are those of fractions, ties and tolerances met exactly included."""
    whole = tenths(3)
    tolerances = [Fraction(text) for text in TOLERANCES]
    result = swap_method(
        whole / 10, sizes=[3, 5, 7], n_trials=4, tolerances=list(map(float, tolerances)),
        tolerance_unit=tolerance_unit, sampling=sampling,
        rng=11,
    )  # fmt: skip
    generators = np.random.default_rng(11).spawn(8)
    for size in (3, 5, 7):
        sets = draw_topic_sets(generators[size], 14, size, 4, sampling)
        for trial in range(4):
            for metric in range(2):
                cell = result.counts.sel(size=size).isel(metric=metric, trial=trial)
                for place, tolerance in enumerate(tolerances):
                    swaps, ties, larger = literal_counts(
                        whole[metric], sets[trial], tolerance, relative=tolerance_unit == "relative"
                    )
                    assert int(cell["swaps"][place]) == swaps
                    assert int(cell["zero_differences"]) == ties
                    assert float(cell["larger_mean"]) == pytest.approx(float(larger), abs=1e-14)
                    assert int(cell["comparisons"]) == 10


def test_margin_met_exactly_counts_and_margin_zero_is_strict():
    """A win by exactly the tolerance is a win; equal means are not, at tolerance 0 either."""
    # on topics 1-10 a leads by 0.05, on topics 11-20 b does; c equals a everywhere in mean but not by topic
    a = np.r_[np.tile([0.3, 0.4], 5), np.tile([0.3, 0.3], 5)]
    b = np.r_[np.tile([0.3, 0.3], 5), np.tile([0.3, 0.4], 5)]
    result = swap_method(
        [a, b], sizes=[10], tolerances=[0, 0.05, 0.0500001], tolerance_unit="absolute", n_trials=4000, rng=0
    )
    worst = result.counts["swaps"].max(("metric", "size", "trial")).to_numpy()
    assert worst[0] == 1
    flat = swap_method([[0.1] * 10, [0.1] * 9 + [0.2]], sizes=[5], tolerances=[0], n_trials=20, rng=0)
    assert int(flat.counts["swaps"].sum()) == 0
    assert int(flat.counts["zero_differences"].sum()) == 20


def test_trec8_reproduces_the_orientation_figures(data_folder):
    """TREC-8 AP at 10 %: about .088/.026/.013 at 5/15/25 topics; 8 % of the P@10 comparisons at 5 topics tie."""
    folder = data_folder / "trec-matrices"
    scores = as_scores({name: pd.read_csv(folder / f"adhoc8_{name}.csv") for name in ("ap", "p10")})
    result = swap_method(scores, sizes=[5, 15, 25], tolerances=[0, 0.1], n_trials=400, rng=0)
    assert result.n_systems == 127
    assert result.dropped == ("run59", "run70")
    at_ten = result.rates().sel({"metric": "ap", "tolerance": 0.1}).to_numpy()
    np.testing.assert_allclose(at_ten, [0.088, 0.026, 0.013], rtol=0.08)
    assert float(result.zero_share().sel(metric="p10", size=5)) == pytest.approx(0.08, abs=0.005)
    assert float(result.zero_share().sel(metric="ap", size=5)) < 0.001


@given(seed=st.integers(0, 2**32 - 1), tolerance_unit=st.sampled_from(["relative", "absolute"]))
def test_a_larger_tolerance_never_finds_more_swaps(seed, tolerance_unit):
    """Swaps fall as the tolerance grows, in every single cell."""
    result = swap_method(
        tenths(seed) / 10, sizes=[2, 5], n_trials=3, tolerance_unit=tolerance_unit, rng=seed, n_threads=1
    )
    assert (result.counts["swaps"].diff("tolerance") <= 0).all()
    assert (result.counts["swaps"] + result.counts["zero_differences"] <= result.counts["comparisons"]).all()


@given(seed=st.integers(0, 2**32 - 1))
def test_order_of_systems_scale_and_direction_do_not_matter(seed):
    """Permuted systems, scores in other units and a metric turned around give the same counts."""
    values = tenths(seed, n_metrics=1)[0] / 10
    plain = swap_method(values, sizes=[2, 6], n_trials=3, rng=1, n_threads=1).counts
    order = np.random.default_rng(seed).permutation(5)
    variants = (
        swap_method(values[order], sizes=[2, 6], n_trials=3, rng=1, n_threads=1).counts,
        swap_method(values * 64, sizes=[2, 6], n_trials=3, rng=1, n_threads=1).counts,
        swap_method(as_scores(values, higher_is_better=False), sizes=[2, 6], n_trials=3, rng=1, n_threads=1).counts,
    )
    for counts in variants:
        xr.testing.assert_equal(counts[["swaps", "zero_differences"]], plain[["swaps", "zero_differences"]])


def test_other_sizes_metrics_trials_and_threads_change_nothing():
    """A cell depends on the seed, the size and the scores of its metric alone."""
    scores = as_scores(np.random.default_rng(0).random((3, 6, 30)), metrics=["a", "b", "c"])
    whole = swap_method(scores, n_trials=6, rng=5, n_threads=2)
    part = swap_method(scores.sel(metric=["b"]), sizes=[9, 15], n_trials=4, tolerances=[0.1], rng=5, n_threads=1)
    cut = whole.counts.sel({"metric": ["b"], "tolerance": [0.1], "size": [9, 15], "trial": [1, 2, 3, 4]})
    xr.testing.assert_identical(part.counts.drop_attrs(), cut.drop_attrs())


def test_overlap_lowers_the_error_and_all_topics_leave_none():
    """Overlapping sets swap less than disjoint ones; two sets of all topics cannot disagree."""
    scores = np.random.default_rng(2).random((12, 40))
    disjoint = swap_method(scores, sizes=[20], tolerances=[0], n_trials=200, rng=0).rates().item()
    overlapping = swap_method(
        scores, sizes=[20, 40], tolerances=[0], sampling="overlapping", n_trials=200, rng=0
    ).rates()
    assert overlapping[0, 0, 0] < disjoint
    assert overlapping[0, 0, 1] == 0


def test_identical_systems_are_named_and_one_is_kept():
    """Of identical systems one is counted, unless all are asked for; then their zero differences show."""
    values = np.random.default_rng(0).random((4, 20))
    values[3] = values[1]
    scores = as_scores(values, systems=["a", "b", "c", "d"])
    dropped = swap_method(scores, rng=0)
    assert dropped.dropped == ("d",)
    assert dropped.duplicates == (("b", "d"),)
    assert (dropped.n_systems, dropped.n_pairs) == (3, 3)
    kept = swap_method(scores, duplicates="keep", rng=0)
    assert kept.dropped == ()
    assert (kept.counts["zero_differences"] == 1).all()
    assert (kept.counts["comparisons"] == 6).all()


def test_only_pairs_significant_on_the_first_set_are_compared():
    """The restriction counts exactly the pairs that a t test on the first set rejects."""
    values = np.random.default_rng(4).random((6, 40)) + np.linspace(0, 0.5, 6)[:, None]
    scores = as_scores(values)
    result = swap_method(scores, sizes=[10], n_trials=5, tolerances=[0], significant_on_first="t", alpha=0.1, rng=3)
    sets = draw_topic_sets(np.random.default_rng(3).spawn(11)[10], 40, 10, 5, "disjoint")
    for trial, (first, second) in enumerate(sets):
        found = paired_t_test(scores.isel(topic=first), correction="none", alpha=0.1).data
        asked = found["significant"].to_numpy()[0]
        later = np.sign(values[:, second].mean(1)[:, None] - values[:, second].mean(1))[np.triu_indices(6, 1)]
        assert int(result.counts["comparisons"][0, 0, trial]) == asked.sum()
        assert int(result.counts["swaps"][0, 0, 0, trial]) == (asked & (later != found["better"].to_numpy()[0])).sum()
    assert "significant on first set: t" in result.signature
    assert float(result.rates().item()) < float(swap_method(scores, sizes=[10], tolerances=[0], rng=3).rates().item())


def test_half_swaps_count_ties_at_margin_zero_only():
    """The models' count adds half of every zero difference at tolerance 0 and nothing elsewhere."""
    result = swap_method(tenths(1) / 10, n_trials=20, tolerances=[0, 0.1], rng=0)
    plain, half = result.totals()["swaps"], result.totals(half_swaps=True)["swaps"]
    ties = result.counts["zero_differences"].sum("trial")
    xr.testing.assert_allclose((half - plain).sel({"tolerance": 0.0}, drop=True), ties / 2)
    xr.testing.assert_equal(half.sel({"tolerance": 0.1}), plain.sel({"tolerance": 0.1}) * 1.0)
    assert ties.sum() > 0


def test_table_holds_every_cell_with_its_rate():
    """One row a metric, tolerance and size; rate = swaps / comparisons."""
    result = swap_method(tenths(1) / 10, n_trials=5, rng=0)
    frame = result.to_frame()
    assert len(frame) == 2 * 5 * 3
    assert frame.columns.tolist() == [
        "metric", "tolerance", "size", "swaps", "zero_differences", "comparisons", "error_rate", "rate_se",
    ]  # fmt: skip
    np.testing.assert_allclose(frame["error_rate"], frame["swaps"] / frame["comparisons"])
    assert result.signature == "swap:trials=5|disjoint|relative|T=14|seed 0"
    assert result.sizes == (5, 6, 7)


def test_the_error_of_a_rate_is_that_of_a_ratio_of_means():
    """The spread of swaps about what the rate lets expect, over the root of the trials, per mean comparison."""
    result = swap_method(tenths(1) / 10, n_trials=5, rng=0)
    counts, rates = result.counts, result.rates().transpose("metric", "tolerance", "size").to_numpy()
    swaps = counts["swaps"].transpose("trial", "metric", "tolerance", "size").to_numpy()
    pairs = counts["comparisons"].broadcast_like(counts["swaps"]).transpose("trial", "metric", "tolerance", "size")
    pairs = pairs.to_numpy()
    expected = (swaps - rates * pairs).std(axis=0, ddof=0) * np.sqrt(5 / 4 / 5) / pairs.mean(axis=0)
    found = result.rate_errors().transpose("metric", "tolerance", "size").to_numpy()
    assert (expected > 0).any()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_topic_bootstrap_recovers_the_spread_over_topic_samples():
    """The standard deviation over replicates is that over independent samples of topics, within a third."""
    rng = np.random.default_rng(0)
    systems = rng.normal(size=(1, 10, 1))
    truth = [
        swap_method(
            systems + 2 * rng.normal(size=(1, 10, 40)), sizes=[20], tolerances=[0], tolerance_unit="absolute", rng=rng
        )
        .totals()["swaps"].item()
        for _ in range(100)
    ]  # fmt: skip
    spreads = [
        topic_bootstrap(
            systems + 2 * rng.normal(size=(1, 10, 40)), sizes=[20], tolerances=[0], tolerance_unit="absolute",
            n_topic_resamples=50,
            rng=rng,
        )["swaps"].std().item()
        for _ in range(8)
    ]  # fmt: skip
    assert np.mean(spreads) / np.std(truth) == pytest.approx(1.0, abs=1 / 3)


def test_topic_bootstrap_equals_the_swap_method_on_each_resample():
    """A replicate is the swap count on the topics it drew, with the sets it drew, for every metric."""
    whole = tenths(6)
    found = topic_bootstrap(whole / 10, sizes=[4], n_trials=3, n_topic_resamples=5, tolerances=[0, 0.1], rng=9)
    generators = np.random.default_rng(9).spawn(5)
    resamples = generators[0].integers(0, 14, size=(5, 14))
    sets = draw_topic_sets(generators[4], 14, 4, 15, "disjoint").reshape(5, 3, 2, 4)
    for replicate in range(5):
        for metric in range(2):
            for place, tolerance in enumerate((Fraction(0), Fraction(1, 10))):
                cells = [
                    literal_counts(whole[metric], resamples[replicate][pair], tolerance, relative=True)
                    for pair in sets[replicate]
                ]
                assert int(found["swaps"][replicate, metric, place, 0]) == sum(cell[0] for cell in cells)
                assert int(found["zero_differences"][replicate, metric, 0]) == sum(cell[1] for cell in cells)
    assert int(found["comparisons"]) == 30


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"sizes": [8]}, EstimationError, "14 topics are too few"),
        ({"sizes": [5, 8]}, InvalidOptionError, "from 1 to 7"),
        ({"sizes": []}, InvalidOptionError, "`sizes` must be whole numbers"),
        ({"sizes": [2.5]}, InvalidOptionError, "whole numbers"),
        ({"tolerances": [1.0]}, InvalidOptionError, r"\[0, 1\) for relative ones"),
        ({"tolerances": [-0.1]}, InvalidOptionError, r"`tolerances` must be numbers in \[0, 1\)"),
        ({"tolerances": [np.nan]}, InvalidOptionError, "`tolerances` must be"),
        ({"tolerances": []}, InvalidOptionError, "`tolerances` must be"),
        ({"tolerances": [-1.0], "tolerance_unit": "absolute"}, InvalidOptionError, r"\[0, inf\)"),
        ({"tolerance_unit": "relativ"}, UnknownNameError, "did you mean 'relative'"),
        ({"sampling": "joint"}, UnknownNameError, "no sampling 'joint'"),
        ({"duplicates": "all"}, UnknownNameError, "no rule for duplicates 'all'"),
        ({"n_trials": 0}, InvalidOptionError, "`n_trials` must be a whole number of at least 1, not 0"),
        ({"significant_on_first": "tt"}, UnknownNameError, "no test 'tt'"),
        ({"alpha": 1.0}, InvalidOptionError, "`alpha` must lie between 0 and 1"),
    ],
)
def test_refusals_name_rule_and_value(options, kind, message):
    """Every option outside its rule is refused with the rule and the value."""
    with pytest.raises(kind, match=message):
        swap_method(tenths(0) / 10, rng=0, **options)


def test_too_few_topics_or_systems_are_refused():
    """Nine topics cannot make two sets of five; identical systems make no pair; one system neither."""
    with pytest.raises(EstimationError, match="9 topics are too few"):
        swap_method(np.random.default_rng(0).random((3, 9)), rng=0)
    with pytest.raises(ScoresError, match="all 3 systems have the same scores"):
        swap_method(np.ones((3, 12)), rng=0)
    with pytest.raises(ScoresError, match="at least two systems"):
        swap_method(np.ones((1, 12)), rng=0)
    with pytest.raises(InvalidOptionError, match="n_topic_resamples"):
        topic_bootstrap(tenths(0) / 10, n_topic_resamples=1)


def test_negative_scores_need_an_absolute_margin():
    """A share of a negative mean has no meaning; at tolerance 0 alone, or in the metric's unit, there is no share."""
    values = np.random.default_rng(0).normal(size=(3, 12))
    with pytest.raises(ScoresError, match="`tolerance_unit='absolute'`"):
        swap_method(values, rng=0)
    relative = swap_method(values, tolerances=[0], rng=0).counts
    xr.testing.assert_equal(relative, swap_method(values, tolerances=[0], tolerance_unit="absolute", rng=0).counts)
