"""A comparison of metrics is its parts put side by side, with every interval in its place."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import t, ttest_1samp

from metaeval.agreement.decisions import decision_agreement
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics.scoring import score
from metaeval.questions.compare_metrics.study import CompareStudy, study_compare_metrics
from metaeval.questions.compare_metrics.study_heaviness import top_heaviness
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.stability import measure_stability
from metaeval.simulate.collection import simulate_collection
from metaeval.table.scores import as_scores
from metaeval.testing.simulated import assessed_elements

QUICK = {"n_resamples": 200, "n_topic_resamples": 40, "n_choices": 30, "n_replicates": 3, "rng": 5}


@pytest.fixture(scope="module")
def collection():
    """Make a small collection."""
    made = simulate_collection(n_groups=4, runs_per_group=2, n_topics=24, n_documents=400, depth=60, rng=2)
    return made.to_collection()


@pytest.fixture(scope="module")
def study(collection):
    """Compare three metrics of its runs, without the topics needed."""
    scores = score(collection, ["AP", "P@10", "RR"])
    return study_compare_metrics(scores, current="P@10", collection=collection, topics=False, **QUICK)


def test_every_part_is_what_it_is_alone(study, collection):
    """Power, agreement and stability are those of their own functions with the same seed."""
    frame = study.to_frame().set_index("metric")
    own = bootstrap_sensitivity(study.scores, n_resamples=200, rng=5).summary().set_index("metric")
    assert list(frame.index) == ["P@10", "AP", "RR"]
    for name in frame.index:
        assert frame.loc[name, "power"] == pytest.approx(
            study.power.to_frame().query("metric == @name")["power"].iloc[0]
        )
        assert frame.loc[name, "difference_required"] == own.loc[name, "difference_required"]
    agreed = decision_agreement(study.scores, test="t").to_frame()
    agreed = agreed[agreed["truth"] == "P@10"].set_index("predictor")
    assert frame.loc["AP", "f1"] == agreed.loc["AP", "f1"]
    stable = measure_stability(collection, ["AP"], steps=[50], n_replicates=3, n_tested=0, rng=5)
    assert frame.loc["AP", "tau_half"] == pytest.approx(stable.to_frame()["tau"].iloc[0])


def test_every_interval_holds_its_value(study):
    """Low is below the value and high above it, wherever there is an interval."""
    frame = study.to_frame()
    for name in ("power", "power_by", "f1", "tau_half", "zero_share", "tied_share"):
        known = frame[frame[f"{name}_low"].notna()]
        assert len(known) >= 2
        assert (known[f"{name}_low"] <= known[name] + 1e-12).all()
        assert (known[name] <= known[f"{name}_high"] + 1e-12).all()


def test_zeros_and_ties_are_counted_as_by_hand():
    """Shares of zero scores, tied pairs and identical systems on a table small enough to count."""
    values = np.array([[[0, 0.5, 1], [0, 0.5, 1], [0.2, 0.5, 0]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]], dtype=float)
    frame = (
        study_compare_metrics(as_scores(values, metrics=["A", "B"]), topics=False, **QUICK)
        .to_frame()
        .set_index("metric")
    )
    assert frame.loc["A", "zero_share"] == pytest.approx(3 / 9)
    assert frame.loc["A", "tied_share"] == pytest.approx((1 + 3 + 1) / 9)
    assert frame.loc["A", "identical_share"] == pytest.approx(1 / 3)
    assert frame.loc["B", ["zero_share", "tied_share", "identical_share"]].tolist() == [0, 0, 0]


def test_no_metric_on_the_front_is_beaten(study):
    """For every metric off the front some metric is at least as good in both qualities and better in one."""
    frame, front = study.to_frame().set_index("metric")[["power", "tau_half"]], study.pareto_front()
    for name, row in frame.iterrows():
        beaten = ((frame >= row).all(axis=1) & (frame > row).any(axis=1)).any()
        assert beaten == (name not in front)


def test_a_metric_without_the_second_quality_is_not_called_beaten(collection):
    """A column that no metric of the package computes is on no front, beats none, and is named as unknown."""
    scores = score(collection, ["AP", "RR"])
    mine = scores.sel(metric=["AP"]).assign_coords(metric=["mine"])
    both = study_compare_metrics(xr.concat([scores, mine], "metric"), collection=collection, topics=False, **QUICK)
    alone = study_compare_metrics(scores, collection=collection, topics=False, **QUICK)
    assert both.pareto_front() == alone.pareto_front()
    assert both.unknown["robustness to fewer judgments"] == "not computed from runs here: mine"


def test_the_picture_shows_power_against_the_second_quality(study):
    """The axes say what is drawn; without runs it is agreement, with or without intervals."""
    axes = study.plot().axes[0]
    assert axes.get_xlabel().startswith("discriminative power")
    assert axes.get_ylabel() == "τ with the full ranking, half the judgments"
    values = np.random.default_rng(0).random((2, 5, 12))
    plain = study_compare_metrics(
        as_scores(values, metrics=["mine", "yours"]), topics=False, **(QUICK | {"n_topic_resamples": 2})
    )
    assert plain.plot().axes[0].get_ylabel() == ""
    for own in (replace(plain, current="mine"), replace(plain, current="mine", agreement_intervals=None)):
        assert own.plot().axes[0].get_ylabel() == "F1 with mine"


def test_the_rank_of_half_the_score():
    """RR halves at rank 2, P@5 falls at rank 6; what is 0 at rank 1, or never halves, has no such rank."""
    curves = top_heaviness(["RR", "P@5"])
    extra = xr.zeros_like(curves).assign_coords(metric=["nought", "flat"])
    extra.loc[{"metric": "flat"}] = 0.3
    extra[{"relevant": 1, "rank": slice(3, None)}] = 0.0
    values = np.random.default_rng(0).random((4, 5, 12))
    names = ["RR", "P@5", "nought", "flat"]
    study = study_compare_metrics(as_scores(values, metrics=names), topics=False, **QUICK)
    half = replace(study, heaviness=xr.concat([curves, extra], "metric")).to_frame().set_index("metric")["top_half"]
    np.testing.assert_array_equal(half.loc[names], [2, 6, np.nan, np.nan])


def test_the_front_as_by_hand(study, monkeypatch):
    """Equal in one quality and behind in the other is beaten; equal in both, and ahead in either, is not."""
    frame = pd.DataFrame(
        [("a", 0.5, 0.9), ("b", 0.5, 0.8), ("c", 0.4, 0.9), ("d", 0.6, 0.1), ("e", 0.5, 0.9), ("f", 0.9, np.nan)],
        columns=["metric", "power", "tau_half"],
    )
    monkeypatch.setattr(CompareStudy, "to_frame", lambda _: frame)
    assert study.pareto_front() == ("a", "d", "e")


def test_probabilities_of_a_verdict_are_those_of_the_parts(study):
    """Of power by the paired differences, of robustness by the paired draws; a pair's two directions make one."""
    table = study.verdict().table
    assert set(table["quality"]) == {"power", "tau_half"}
    both = table.set_index(["quality", "metric", "against"])["p_better"]
    for quality, one, other in both.index:
        assert both[quality, one, other] + both[quality, other, one] == pytest.approx(1)
    row = study.power.differences().query("correction == 'none' and metric_a == 'AP' and metric_b == 'RR'").iloc[0]
    drawn = t.cdf(row["difference"] / row["standard_error"], study.power.freedom)
    assert both["power", "AP", "RR"] == pytest.approx(drawn)
    tau = study.stability.data["tau"].sel(step=50)
    apart = (tau.sel(metric="AP") - tau.sel(metric="RR")).to_numpy()
    p = ttest_1samp(apart, 0, alternative="greater").pvalue
    assert both["tau_half", "AP", "RR"] == pytest.approx(1 - p)


def test_conflicts_are_those_with_the_metric_in_use():
    """Of three metrics, two turned against the third, only pairs with the one in use are listed."""
    values = np.random.default_rng(3).normal(0, 0.2, (1, 5, 16)) + np.arange(5)[:, None]
    turned = as_scores(np.concatenate([values, -values, -values]), metrics=["A", "B", "C"])
    study = study_compare_metrics(turned, current="C", topics=False, **QUICK)
    found = study.conflicts()
    assert {frozenset(pair) for pair in zip(found["metric_a"], found["metric_b"], strict=True)} == {frozenset("AC")}
    assert study.to_frame().set_index("metric")["conflicts"].loc[["A", "B"]].tolist() == [10, 0]


def test_a_falling_metric_is_the_same_as_its_negative():
    """Told of the direction, power, agreement and conflicts are those of the negated metric."""
    values = np.random.default_rng(3).random((2, 6, 16)) + np.linspace(0, 1, 6)[:, None]
    rising = study_compare_metrics(as_scores(values, metrics=["A", "B"]), current="A", topics=False, **QUICK)
    turned = as_scores(values * np.array([1, -1])[:, None, None], metrics=["A", "B"], higher_is_better={"B": False})
    falling = study_compare_metrics(turned, current="A", topics=False, **QUICK)
    pd.testing.assert_frame_equal(rising.to_frame(), falling.to_frame())


def test_what_cannot_be_known_is_said():
    """Of a table whose metrics nobody can compute, robustness and top-heaviness are unknown, with the reason."""
    values = np.random.default_rng(0).random((2, 5, 12))
    study = study_compare_metrics(as_scores(values, metrics=["mine", "yours"]), topics=False, **QUICK)
    assert set(study.unknown) == {"robustness to fewer judgments", "top-heaviness", "expectations of users"}
    assert study.heaviness is None
    assert "tau_half" not in study.to_frame()


def test_measures_of_elements_are_tried_on_the_six_runs_of_the_assessments_too():
    """Besides the lists that every measure of elements is tried on; the order by overlap is no expectation."""
    judged, _ = assessed_elements(np.random.default_rng(1), scale="2003")
    names = ["inex2002(quant=SOG)", "nxCGpercent(quant=SOG)"]
    values = as_scores(np.random.default_rng(0).random((2, 5, 12)), metrics=names)
    study = study_compare_metrics(values, topics=False, assessments=judged, **QUICK)
    six = study.expectations.query("expectation == 'six runs'").set_index("metric")["state"]
    assert six.to_dict() == {names[0]: "broken", names[1]: "met"}
    assert study.unmet(names[0]) == ("ideal", "overlap", "six runs")
    assert "expectations of users" not in study.unknown


def test_topics_needed_come_from_the_topics_study():
    """With topics asked for, the table names them, or says why not."""
    values = np.clip(np.random.default_rng(0).normal(np.linspace(0.2, 0.8, 8)[:, None], 0.1, (2, 8, 30)), 0, 1)
    study = study_compare_metrics(as_scores(values, metrics=["A", "B"]), **QUICK)
    assert "topics" in study.to_frame()
    few = study_compare_metrics(as_scores(values[:, :, :6], metrics=["A", "B"]), **QUICK)
    assert "topics needed" in few.unknown


def test_bad_questions_stop():
    """One metric cannot be compared, and the metric in use must be among those given."""
    values = np.random.default_rng(0).random((2, 5, 12))
    with pytest.raises(UnknownNameError, match="no metric 'C'"):
        study_compare_metrics(as_scores(values, metrics=["A", "B"]), current="C")
    with pytest.raises(InvalidOptionError, match="two or more"):
        study_compare_metrics(as_scores(values[:1], metrics=["A"]))


def test_the_same_seed_gives_the_same_answer(collection):
    """Twice the same question, twice the same frame."""
    scores = score(collection, ["AP", "RR"])
    one, two = (study_compare_metrics(scores, topics=False, **QUICK) for _ in range(2))
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    pd.testing.assert_frame_equal(one.power_differences(), two.power_differences())
