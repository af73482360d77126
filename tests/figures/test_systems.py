import numpy as np
import pandas as pd
import pytest

from metaeval.errors import UnknownNameError
from metaeval.figures.systems import baseline_differences, score_distributions, system_ranking
from metaeval.studies.power import system_means
from metaeval.table.scores import as_scores


def test_systems_of_a_ranking_stand_in_order(simulated_scores, words):
    """Dots stand at the means, best first; long lists go on in the next column."""
    scores = as_scores(simulated_scores(1, 100, 10), higher_is_better=False)
    means = system_means(scores)
    figure = system_ranking(means, "metric1", higher_is_better=False)
    dots = np.concatenate([axes.lines[1].get_xdata() for axes in figure.axes])
    assert len(figure.axes) == 3
    np.testing.assert_array_equal(dots, np.sort(scores.mean("topic").to_numpy()[0]))
    assert any("lower is better" in text for text in words(figure))


def test_an_unknown_metric_is_refused_by_name(simulated_scores):
    """The error names the metrics there are."""
    with pytest.raises(UnknownNameError, match=r"no metric 'AP'.*metric1"):
        score_distributions(simulated_scores(), "AP")


def simulated_differences(size, *, interval=0.1):
    """Return differences from a baseline, every second of them significant."""
    mean = np.linspace(0.4, -0.4, size)
    return pd.DataFrame(
        {
            "metric": "AP",
            "system": [f"system{place}" for place in range(size)],
            "mean": mean,
            "low": mean - interval,
            "high": mean + interval,
            "rank": range(1, size + 1),
            "p_corrected": 0.01,
            "significant": np.arange(size) % 2 == 0,
        }
    )


@pytest.mark.parametrize("size", [1, 7, 143])
def test_differences_stand_about_the_line_of_the_baseline(size, words):
    """Every panel has the line at zero, all dots are inside, and the full ones are those that are significant."""
    frame = simulated_differences(size)
    figure = baseline_differences(frame.sample(frac=1, random_state=1), "AP", baseline="a{b}$c$")
    full, hollow = [], []
    for axes in figure.axes:
        line, _, *dots = axes.lines
        assert line.get_xdata() == [0.0, 0.0]
        low, high = axes.get_xlim()
        assert low < min(0, frame["low"].min()) < max(0, frame["high"].max()) < high
        for one in dots:
            (hollow if one.get_markerfacecolor() == "#ffffff" else full).extend(one.get_xdata())
    np.testing.assert_array_equal(full, frame["mean"][frame["significant"]])
    np.testing.assert_array_equal(hollow, frame["mean"][~frame["significant"]])
    assert r"mean AP minus that of a{b}\$c\$" in words(figure)


def test_differences_without_an_interval_have_dots_alone():
    """A test that has no intervals, or a difference that is the same on every topic."""
    figure = baseline_differences(simulated_differences(4, interval=np.nan), "AP", baseline="bm25")
    low, high = figure.axes[0].get_xlim()
    assert -0.5 < low < -0.4
    assert 0.4 < high < 0.5
