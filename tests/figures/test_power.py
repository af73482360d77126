import numpy as np
import pandas as pd
import pytest

from metaeval.figures.power import decided_bars, power_differences, power_dots
from metaeval.figures.style import THEME
from metaeval.questions.power.study import study_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.labels import labelled


@pytest.fixture(scope="module")
def study(simulated_scores):
    """Sakai's method and the t test, uncorrected and Benjamini-Yekutieli, with intervals."""
    tests = ["bootstrap_sensitivity", "t"]
    return study_power(simulated_scores(), tests=tests, n_resamples=200, n_topic_resamples=20, rng=0)


def test_asl_curves_hold_the_curves_of_the_result(simulated_scores):
    """There is one line a metric through the sorted levels, from 0 to twice alpha."""
    sensitivity = bootstrap_sensitivity(simulated_scores(3, 12, 25), n_resamples=200, alpha=0.1, rng=0)
    (axes,) = sensitivity.plot().axes
    curves = sensitivity.asl_curves()
    lines = [line for line in axes.lines if len(line.get_xdata()) == sensitivity.n_pairs]
    assert axes.get_ylim() == (0, 0.2)
    assert len(lines) == 3
    for line, metric in zip(lines, sensitivity.metrics, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), curves.loc[curves["metric"] == metric, "asl"])


def test_the_key_of_the_asl_curves_is_sorted_by_power(simulated_scores):
    """Beside the curves stand the metrics' short names with the pairs they tell apart, most first."""
    names = ["AP", "AP(judged_only=True)", "RR"]
    sensitivity = bootstrap_sensitivity(simulated_scores(3, 12, 25, metrics=names), n_resamples=200, rng=0)
    (axes,) = sensitivity.plot().axes
    told = {name: int((curve["asl"] < 0.05).sum()) for name, curve in sensitivity.asl_curves().groupby("metric")}
    told["AP'"] = told.pop("AP(judged_only=True)")
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown == [f"{name}: {told[name]}" for name in sorted(("AP", "AP'", "RR"), key=told.get, reverse=True)]


def test_twelve_asl_curves_all_look_different(simulated_scores):
    """No two of twelve metrics share a colour or a mark, and those of like hue differ in their dashes."""
    sensitivity = bootstrap_sensitivity(simulated_scores(12, 6, 15), n_resamples=100, rng=0)
    (axes,) = sensitivity.plot().axes
    handles = axes.get_legend().legend_handles
    assert len({handle.get_color() for handle in handles}) == 12
    assert len({handle.get_marker() for handle in handles}) == 12
    assert sorted(handle.get_linestyle() for handle in handles) == ["-"] * 6 + ["--"] * 6


def test_power_dots_stand_at_the_powers(study):
    """The dots of a correction stand at the powers in the study's table, in percent."""
    frame = study.to_frame()
    (axes,) = power_dots(labelled(frame)).axes
    for correction in ("none", "fdr_by"):
        label = CORRECTIONS.label(correction)
        (dots,) = [line for line in axes.lines if line.get_label() == label]
        np.testing.assert_allclose(dots.get_xdata(), 100 * frame.loc[frame["correction"] == correction, "power"])


def test_only_clear_differences_are_filled():
    """A dot is filled where its interval excludes zero."""
    frame = {"metric_a": ["A", "A"], "metric_b": ["B", "C"], "difference": [0.2, 0.1]}
    frame = pd.DataFrame({**frame, "low": [0.1, -0.1], "high": [0.3, 0.3]})
    (axes,) = power_differences(frame).axes
    filled, hollow = (line for line in axes.lines if line.get_marker() == "o")
    assert filled.get_xdata().tolist() == [20.0]
    assert hollow.get_xdata().tolist() == [10.0]
    assert hollow.get_markerfacecolor() == THEME["paper"]


def test_results_draw_themselves(study):
    """The plot of a comparison, of the sensitivity and of the intervals has one frame."""
    for result in (study.comparisons[0], study.sensitivity, study.intervals):
        assert len(result.plot().axes) == 1


def test_tests_and_corrections_go_by_the_labels_of_the_frame(words):
    """Labels are shown as they come; corrections stand in the order in which their column sorts."""
    order = pd.CategoricalDtype(["plain", "strict", "absent"])
    frame = pd.DataFrame({"metric": "AP", "test": ["one test", "other test"] * 2, "power": [0.4, 0.3, 0.2, 0.1]})
    frame = frame.assign(correction=pd.Series(["strict", "strict", "plain", "plain"], dtype=order))
    figure = power_dots(frame)
    assert {"one test", "other test"} <= set(words(figure))
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["plain", "strict"]


def test_bars_of_decided_pairs_are_shares_of_all():
    """The three parts of a bar add up to all pairs, in the order of the key; numbers stand where there is room."""
    frame = pd.DataFrame(
        {
            "metric": ["AP", "RR"],
            "n_apart": [30, 0],
            "n_equivalent": [9, 57],
            "n_undecided": [21, 3],
            "n_pairs": [60, 60],
        }
    )
    axes = decided_bars(frame).axes[0]
    bars = {container.get_label(): [bar.get_width() for bar in container.patches] for container in axes.containers}
    assert list(bars) == ["one system better by more than the region", "undecided", "practically equal"]
    assert list(bars.values()) == [[50, 0], [35, 5], [15, 95]]
    left = [[bar.get_x() for bar in container.patches] for container in axes.containers]
    assert left == [[0, 0], [50, 0], [85, 5]]
    written = {text.get_text() for text in axes.texts}
    assert {"50 %", "35 %", "15 %", "95 %"} <= written
    assert "5 %" not in written


def test_the_picture_is_in_the_order_of_the_title():
    """The metric with the most pairs after correction stands first, whichever has the most before."""
    frame = pd.DataFrame(
        [("AP", "none", 0.9), ("AP", "fdr_by", 0.5), ("RR", "none", 0.8), ("RR", "fdr_by", 0.6)],
        columns=["metric", "correction", "power"],
    ).assign(test="t")
    (axes,) = power_dots(labelled(frame)).axes
    assert axes.yaxis_inverted()
    names = {text.get_text(): text.get_position()[1] for text in axes.texts if text.get_text() in {"AP", "RR"}}
    assert sorted(names, key=names.__getitem__) == ["RR", "AP"]
