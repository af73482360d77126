"""Intervals for agreement: closed forms against the tests themselves, a literal spread, laws, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from metaeval.agreement.decisions import SHARES, decision_agreement
from metaeval.errors import InvalidOptionError
from metaeval.resampling.agreement_interval import agreement_intervals, verdicts_of_draws
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.share_intervals import shrinkage
from metaeval.running.draws import bootstrap_indices, resolve_rng
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import ask

CORRECTIONS = ("none", "bonferroni", "holm", "fdr_bh", "fdr_by")


def with_shrunken_means(question):
    """Return the question with what is to be taken off the scores taken off."""
    return replace(question, values=question.values - shrinkage(question)[..., None])


def scores_of(seed, *, n_metrics=3, n_systems=8, n_topics=25, spread=0.12):
    generator = np.random.default_rng(seed)
    quality = generator.normal(0, spread, n_systems)
    shared = quality[:, None] + generator.normal(0, 0.2, (n_systems, n_topics))
    return as_scores(shared + generator.normal(0, 0.1, (n_metrics, n_systems, n_topics)))


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_closed_form_of_t_is_t(correction):
    """The closed form decides about every pair on every draw as the t test itself does on shrunken scores."""
    scores, alphas = scores_of(1), [0.01, 0.05, 0.3]
    found = agreement_intervals(scores, test="t", correction=correction, alphas=alphas, n_topic_resamples=6, rng=4)
    shrunken = with_shrunken_means(ask(scores)).values
    for place, draw in enumerate(bootstrap_indices(resolve_rng(4).generator.spawn(1)[0], 6, 25)):
        again = decision_agreement(as_scores(shrunken[:, :, draw]), test="t", correction=correction, alphas=alphas).data
        for name in ("share", *SHARES):
            np.testing.assert_array_equal(found.resampled[name][place], again[name])
    assert found.resampled["share"].to_numpy().any()


def test_bounds_are_those_of_a_literal_loop():
    """The interval is Wilson's with the spread of the draws, one draw at a time; a share has that of its power."""
    scores = scores_of(2)
    found = agreement_intervals(scores, test="t", correction="fdr_bh", n_topic_resamples=40, rng=7)
    shrunken, f1, mcc = with_shrunken_means(ask(scores)).values, [], []
    for draw in bootstrap_indices(resolve_rng(7).generator.spawn(1)[0], 40, 25):
        data = decision_agreement(as_scores(shrunken[:, :, draw]), test="t", correction="fdr_bh").data
        f1.append(float(data["f1"][0, 0, 1]))
        mcc.append((1 + float(data["mcc"][0, 0, 1])) / 2)
    row = found.to_frame().iloc[0]
    for name, values, seen in (("f1", f1, row["f1"]), ("mcc", mcc, (1 + row["mcc"]) / 2)):  # as a share
        mean, far = np.mean(values), np.mean([(value - seen) ** 2 for value in values])
        ratio = student.ppf(0.975, 24) ** 2 * far * 25 / 24 / (mean * (1 - mean))
        ends = np.roots([1 + ratio, -2 * seen - ratio, seen**2])
        ends = ends if name == "f1" else 2 * ends - 1
        assert [row[f"{name}_high"], row[f"{name}_low"]] == pytest.approx(ends)
    power = discriminative_power_interval(scores, corrections=("fdr_bh",), n_topic_resamples=40, rng=7).to_frame()
    np.testing.assert_array_equal(found.shares()[["low", "high"]], power[["low", "high"]])


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap_percentile", "bootstrap_shifted"])
def test_closed_form_is_close_to_a_bootstrap(test):
    """On the same topics the closed form finds about as many pairs as the bootstrap it stands for."""
    scores = scores_of(3, n_systems=20, n_topics=60)
    options = {"test": test, "correction": "none", "n_resamples": 2000}
    quick = agreement_intervals(scores, n_topic_resamples=6, rng=5, **options).resampled["share"]
    shrunken = with_shrunken_means(ask(scores)).values
    slow = [
        decision_agreement(as_scores(shrunken[:, :, draw]), rng=5, **options).data["share"].to_numpy()
        for draw in bootstrap_indices(resolve_rng(5).generator.spawn(1)[0], 6, 60)
    ]
    assert np.abs(quick.mean("resample") - np.mean(slow, axis=0)).max() < 0.03


def test_clusters_are_drawn_whole_and_tested_as_such():
    """The t test of clusters decides on every draw, on shrunken scores; directions of metrics do not matter."""
    clusters = {str(place): f"c{place // 2}" for place in range(1, 31)}
    values = scores_of(9, n_topics=30, n_systems=6, n_metrics=2).to_numpy()
    options = {"topics": [*clusters], "clusters": clusters, "metrics": ["one", "two"]}
    found = agreement_intervals(as_scores(values, **options), n_topic_resamples=20, rng=1)
    turned = as_scores(-values, higher_is_better={"one": False, "two": False}, **options)
    again = agreement_intervals(turned, n_topic_resamples=20, rng=1)
    assert found.freedom == 15
    assert found.resampled.identical(again.resampled)
    assert (found.to_frame()["f1_high"] > found.to_frame()["f1_low"]).any()


def test_levels_out_of_reach_stay_out_of_reach():
    """With too few resamples for the corrected level the closed form finds nothing either."""
    scores = scores_of(1, n_systems=4, spread=5)
    with pytest.warns(UserWarning, match="raise `n_resamples`"):
        found = agreement_intervals(
            scores, test="bootstrap", correction="bonferroni", n_resamples=50, n_topic_resamples=5, rng=0
        )
    assert (found.resampled["share"] == 0).all()


@pytest.mark.parametrize("test", ["wilcoxon", "max_t"])
def test_t_stands_in_for_tests_without_a_closed_form(test):
    """Resampled values are those of t with the same correction; a test that adjusts itself has Holm's."""
    own = {} if test == "max_t" else {"correction": "holm"}
    found = agreement_intervals(scores_of(1), test=test, n_resamples=5000, n_topic_resamples=5, rng=0, **own)
    by_t = agreement_intervals(scores_of(1), test="t", correction="holm", n_topic_resamples=5, rng=0)
    np.testing.assert_array_equal(found.resampled["f1"], by_t.resampled["f1"])


def test_observed_values_are_those_of_the_test_alone():
    """With the same seed, intervals leave the agreement on the topics at hand as it is."""
    scores = scores_of(6)
    alone = decision_agreement(scores, n_resamples=300, correction="none", rng=11)
    found = agreement_intervals(scores, n_resamples=300, correction="none", n_topic_resamples=3, rng=11)
    assert found.agreement.data.identical(alone.data)


def test_same_for_any_number_of_threads():
    """The number of cores changes no result."""
    scores = scores_of(6)
    options = {"n_resamples": 100, "correction": "none", "n_topic_resamples": 40, "rng": 11}
    one, two = (agreement_intervals(scores, n_threads=n, **options) for n in (1, 2))
    assert one.resampled.identical(two.resampled)


def test_intervals_stay_inside_zero_and_one():
    """No bound leaves [0, 1] and each interval holds what was observed."""
    frame = agreement_intervals(scores_of(8, n_systems=4), test="t", n_topic_resamples=50, rng=0).to_frame()
    for measure in ("precision", "recall", "f1"):
        part = frame[np.isfinite(frame[f"{measure}_low"])]
        assert (part[f"{measure}_low"].between(0, 1) & part[f"{measure}_high"].between(0, 1)).all()
        assert (part[f"{measure}_low"] <= part[measure]).all()
        assert (part[measure] <= part[f"{measure}_high"]).all()


def test_undefined_on_many_draws_has_no_interval():
    """A metric that finds nothing has no precision, and F1 is 0 in every resample, which says nothing of its spread."""
    values = scores_of(1, n_metrics=1, spread=1).to_numpy()[0]
    scores = as_scores(np.stack([np.zeros_like(values), values]), metrics=["silent", "loud"])
    row = agreement_intervals(scores, test="t", n_topic_resamples=20, rng=0).to_frame().iloc[0]
    assert np.isnan([row["precision"], row["precision_low"], row["precision_high"]]).all()
    assert row["f1"] == 0
    assert row[["f1_low", "f1_high"]].isna().all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_topic_resamples": 1}, "n_topic_resamples"),
        ({"n_topic_resamples": 2.5}, "n_topic_resamples"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"alphas": 1.5}, "alphas"),
    ],
    ids=str,
)
def test_refusals(options, words):
    """An option outside its rule is refused by name."""
    with pytest.raises(InvalidOptionError, match=words):
        agreement_intervals(scores_of(0), test="t", **options)


@pytest.mark.parametrize("test", ["t", "sign"])
def test_verdicts_on_the_topics_at_hand_are_those_of_the_comparison(test):
    """With a closed form and without one: each topic once, in any order, and other topics give other verdicts."""
    rng = np.random.default_rng(0)
    scores = as_scores(rng.random((2, 5, 30)) + np.linspace(0, 0.5, 5)[:, None])
    result = compare_systems(scores, test=test)
    data = result.data  # in the order of pairs; frames stand by p
    expected = np.where(data["significant"], np.sign(data["difference"]), 0)
    topics = np.stack([np.arange(30), rng.permutation(30), np.zeros(30, dtype=np.int64)])
    found = verdicts_of_draws(scores, result, topics, alpha=0.05, generator=rng)
    assert 0 < np.abs(expected).sum() < expected.size
    np.testing.assert_array_equal(found[:2], np.stack([expected, expected]))
    assert (found[2] != expected).any()
