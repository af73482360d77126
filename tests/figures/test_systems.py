import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from metaeval.errors import UnknownNameError
from metaeval.figures.shown import STROKES
from metaeval.figures.systems import baseline_differences, score_distributions, spread_of, system_ranking
from metaeval.page.html import drawn_picture
from metaeval.questions.power.study import study_power
from metaeval.resampling.system_means import means_of_systems
from metaeval.table.scores import as_scores


def test_systems_of_a_ranking_stand_in_order(simulated_scores, words):
    """Dots stand at the means, best first; long lists go on in the next column."""
    scores = as_scores(simulated_scores(1, 100, 10), higher_is_better=False)
    means = means_of_systems(scores)
    figure = system_ranking(means, "metric1", higher_is_better=False)
    dots = np.concatenate([axes.lines[1].get_xdata() for axes in figure.axes])
    assert len(figure.axes) == 3
    np.testing.assert_array_equal(dots, np.sort(scores.mean("topic").to_numpy()[0]))
    assert any("lower is better" in text for text in words(figure))


def test_an_unknown_metric_is_refused_by_name(simulated_scores):
    """The error names the metrics there are."""
    with pytest.raises(UnknownNameError, match=r"no metric 'AP'.*metric1"):
        score_distributions(simulated_scores(), "AP")


_PIECES = [0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0, -5.0, np.nan]


@settings(max_examples=60)
@given(arrays(float, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=40), elements=st.sampled_from(_PIECES)))
def test_quantiles_are_those_of_numpy(values):
    """Bit by bit, with gaps too."""
    values[:, 0] = 0.2
    spread = spread_of(as_scores(values, missing="pairwise"), "metric1")
    order = [int(name.removeprefix("system")) - 1 for name in spread.systems]
    expected = np.nanquantile(values[order], [0.05, 0.25, 0.5, 0.75, 0.95], axis=1)
    np.testing.assert_array_equal(spread.quantiles, expected)


def test_many_topics_are_quantiles_from_the_least_score_to_the_largest(simulated_scores):
    """As many strokes as there is room for, those of numpy."""
    scores = simulated_scores(1, 3, STROKES + 1)
    spread = spread_of(scores, "metric1")
    expected = np.nanquantile(scores.sel(system=spread.systems)[0], np.linspace(0, 1, STROKES), axis=1)
    np.testing.assert_array_equal(spread.strokes, expected.T)
    assert spread.topics == []


def test_a_page_sorts_the_scores_of_a_metric_once(simulated_scores, monkeypatch):
    """The wide picture and the narrow one are of one spread: with millions of topics that is most of their time."""
    asked = []
    monkeypatch.setattr("metaeval.figures.spread_of", lambda *of: asked.append(of[1]) or spread_of(*of))
    pictures = study_power(simulated_scores(2, 3, 9), tests=["t"]).report().pictures()
    for picture in pictures:
        if picture.name.startswith("scores "):
            drawn_picture(picture, salt="")
    assert asked == ["metric1", "metric2"]


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


def test_a_rank_that_all_share_is_not_written(words):
    """Where all are equal, a column of ones would say nothing; the names stay."""
    figure = baseline_differences(simulated_differences(4).assign(rank=1, mean=0.0), "AP", baseline="before")
    assert not {"1", "2"} & set(words(figure))
    assert sum("system" in text for text in words(figure)) >= 4


def test_a_name_that_has_room_is_not_cut():
    """In a wide picture names take as many letters as leave half of the width to the marks; longer ones are cut."""
    for length, is_cut in ((44, False), (120, True)):
        names = [f"{'organisation-of-note/a-model' * 5}"[: length - 2] + f"{number:02d}" for number in range(12)]
        ranks = pd.DataFrame(
            {"metric": "A", "system": names, "rank": range(1, 13), "mean": 1.0, "low": 0.0, "high": 2.0}
        )
        figure = system_ranking(ranks, "A", label="rank")
        shown = [text.get_text() for axes in figure.axes for text in axes.texts]
        assert any("…" in words for words in shown) == is_cut
        assert set(names).issubset(shown) != is_cut
