import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from metaeval.errors import UnknownNameError
from metaeval.reports import figures
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.scores import as_scores
from metaeval.studies.power import system_means
from metaeval.tests_stat.correction import name_of_correction
from metaeval.tests_stat.paired_t import paired_t_test


def words(figure):
    """Every text of a figure, as matplotlib will show it."""
    return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]


def every_figure(scores):
    """Draw all kinds of figure from one table of scores."""
    metric = str(scores["metric"].to_numpy()[0])
    result = paired_t_test(scores)
    sensitivity = bootstrap_sensitivity(scores, n_resamples=100, rng=0)
    power = result.discriminative_power().assign(test="t", correction="fdr_by")
    return {
        "scores": figures.score_distributions(scores, metric),
        "asl": figures.asl_curves(sensitivity),
        "power": figures.power_dots(power),
        "map": figures.significance_map(result, metric),
        "ranking": figures.system_ranking(system_means(scores), metric),
    }


@pytest.mark.parametrize("n_systems", [2, 3, 46, 143])
def test_every_figure_can_be_drawn_for_few_and_many_systems(made_scores, n_systems):
    """Each kind of figure has axes with labelled units, and draws without a warning, at any size."""
    for name, figure in every_figure(made_scores(1, n_systems, 12)).items():
        assert isinstance(figure, Figure), name
        assert any(axes.get_xlabel() for axes in figure.axes) or name in ("map", "ranking"), name
        assert figures.figure_svg(figure, salt=name).startswith("<?xml")


def test_drawing_leaves_the_callers_settings_alone(made_scores):
    """No setting of matplotlib is other after drawing and saving than before."""
    before = dict(mpl.rcParams)
    for name, figure in every_figure(made_scores()).items():
        figures.figure_svg(figure, salt=name)
        figures.figure_pdf(figure)
    assert dict(mpl.rcParams) == before


def test_the_same_data_give_the_same_bytes(made_scores):
    """SVG and PDF of a figure drawn twice are equal byte by byte."""
    first, second = every_figure(made_scores()), every_figure(made_scores())
    for name, figure in first.items():
        assert figures.figure_svg(figure, salt=name) == figures.figure_svg(second[name], salt=name)
        assert figures.figure_pdf(figure) == figures.figure_pdf(second[name])


def test_asl_curves_hold_the_curves_of_the_result(made_scores):
    """There is one line a metric through the sorted levels, from 0 to twice alpha."""
    sensitivity = bootstrap_sensitivity(made_scores(3, 12, 25), n_resamples=200, alpha=0.1, rng=0)
    (axes,) = figures.asl_curves(sensitivity).axes
    curves = sensitivity.asl_curves()
    lines = [line for line in axes.lines if len(line.get_xdata()) == sensitivity.n_pairs]
    assert axes.get_ylim() == (0, 0.2)
    assert len(lines) == 3
    for line, metric in zip(lines, sensitivity.metrics, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), curves.loc[curves["metric"] == metric, "asl"])


def test_power_dots_stand_at_the_powers(study):
    """The dots of a correction stand at the powers in the study's table, in percent."""
    frame = study.to_frame()
    (axes,) = figures.power_dots(frame).axes
    for correction in ("none", "fdr_by"):
        label = name_of_correction(correction)
        (dots,) = [line for line in axes.lines if line.get_label() == label]
        np.testing.assert_allclose(dots.get_xdata(), 100 * frame.loc[frame["correction"] == correction, "power"])


@pytest.mark.parametrize("correction", ["none", "holm"])
@pytest.mark.parametrize("falling", [False, True])
def test_the_map_shows_every_decision(made_scores, correction, falling):
    """Every cell has the colour of its decision: corrected strong, uncorrected pale; the best system is on top."""
    scores = as_scores(made_scores(1, 9, 15), higher_is_better=not falling)
    result = paired_t_test(scores, correction=correction)
    (axes,) = figures.significance_map(result, "metric1").axes
    (image,) = axes.images
    means = scores.sel(metric="metric1").mean("topic").to_numpy()
    order = np.argsort(means if falling else -means)
    names = scores["system"].to_numpy()[order]
    bare = result.with_correction("none").decisions("metric1").loc[names, names].to_numpy()
    corrected = result.decisions("metric1").loc[names, names].to_numpy()
    state = bare + corrected if correction != "none" else 2 * bare
    pixels = np.asarray(image.get_array())
    for row in range(9):
        for column in range(9):
            if row != column:
                np.testing.assert_allclose(pixels[row, column], figures._MAP_COLOURS[int(state[row, column])])
    assert (state[0] >= 0).all()
    assert 0 < np.count_nonzero(state) < 72


def test_pairs_that_were_not_tested_are_left_blank(made_scores):
    """With a baseline only its row and column are coloured."""
    result = paired_t_test(made_scores(1, 5, 15), baseline="system3")
    (axes,) = figures.significance_map(result, "metric1").axes
    pixels = np.asarray(axes.images[0].get_array())
    blank = (pixels == to_rgba(figures._GREY, 0.0)).all(axis=-1)
    assert blank.sum() == 5 * 5 - 5 - 2 * 4


def test_the_baseline_stands_in_the_map_where_its_scores_put_it():
    """With pairs against a baseline alone, systems stand in the order of their lead over it."""
    scores = as_scores([[0.1, 0.3, 0.2], [0.4, 0.6, 0.5], [0.5, 0.7, 0.6]], systems=["worse", "base", "better"])
    names, _ = figures._decision_states(paired_t_test(scores, baseline="base"), "metric1")
    assert names == ["better", "base", "worse"]


def test_results_draw_themselves(study):
    """The plot of a comparison, of the sensitivity and of the intervals is a figure of this module."""
    for result in (study.comparisons[0], study.sensitivity, study.intervals):
        assert len(result.plot().axes) == 1


def test_an_unknown_metric_is_refused_by_name(scores):
    """The error names the metrics there are."""
    with pytest.raises(UnknownNameError, match=r"no metric 'AP'.*RBP"):
        figures.significance_map(paired_t_test(scores), "AP")
    with pytest.raises(UnknownNameError, match="no metric 'AP'"):
        figures.score_distributions(scores, "AP")


def test_names_are_shown_as_they_are(made_scores):
    """No name is read as a formula, breaks a line, or runs over the picture."""
    names = ["$x^2$ and $y$", "n" * 60, "a&<b>", "d", "e"]
    figure = figures.score_distributions(made_scores(1, 5, 10, systems=names), "metric1")
    svg = figures.figure_svg(figure, salt="x")
    assert "$x^2$ and $y$" in svg
    assert "a&amp;&lt;b&gt;" in svg
    assert "n" * 29 not in svg


@pytest.mark.parametrize(("name", "shown"), [("two\nlines\u202e", "two lines"), ("", "(blank)"), ("a$b", r"a\$b")])
def test_names_fit_for_a_picture(name, shown):
    """Invisible characters go, a blank name is said, dollars are escaped for matplotlib."""
    assert figures.short_name(name) == shown


def test_systems_of_a_ranking_stand_in_order(made_scores):
    """Dots stand at the means, best first; long lists go on in the next column."""
    scores = as_scores(made_scores(1, 100, 10), higher_is_better=False)
    means = system_means(scores)
    figure = figures.system_ranking(means, "metric1", higher_is_better=False)
    dots = np.concatenate([axes.lines[1].get_xdata() for axes in figure.axes])
    assert len(figure.axes) == 3
    np.testing.assert_array_equal(dots, np.sort(scores.mean("topic").to_numpy()[0]))
    assert any("lower is better" in text for text in words(figure))


@pytest.mark.parametrize("n_systems", [2, 7, 40])
def test_precision_recall_curves_are_all_drawn(n_systems):
    """Every run's precisions are in the picture; few runs are all named, of many the best and the last."""
    values = np.sort(np.random.default_rng(0).random((n_systems, 11)), axis=1)[:, ::-1]
    names = [f"run{number}" for number in range(n_systems)]
    points = np.arange(11) / 10
    curves = xr.DataArray(values, dims=("system", "recall"), coords={"system": names, "recall": points})
    figure = figures.precision_recall(curves)
    (axes,) = figure.axes
    drawn = np.concatenate([line.get_ydata() for line in axes.lines])
    np.testing.assert_array_equal(np.sort(drawn[~np.isnan(drawn)]), np.sort(values.ravel()))
    order = [names[row] for row in np.argsort(-values.mean(axis=1))]
    shown = set(names) & set(words(figure))
    assert shown == (set(names) if n_systems < 8 else {order[0], order[-1]})


def test_curves_of_runs_fill_the_axes_and_carry_their_words():
    """Low curves over ranks are not pressed to the bottom, and long ones have no marks."""
    values = np.linspace(0.2, 0.05, 50) * np.array([[1.0], [0.5]])
    curves = xr.DataArray(values, dims=("system", "rank"), coords={"system": ["one", "two"], "rank": range(1, 51)})
    figure = figures.run_curves(curves, across="rank", up="gain")
    (axes,) = figure.axes
    assert 0.2 < axes.get_ylim()[1] < 0.25
    assert axes.get_xlim()[1] >= 50
    assert {"rank", "gain", "one", "two"} <= set(words(figure))
    drawn = {line.get_label(): line for line in axes.lines}
    assert drawn["one"].get_marker() == "None"
    assert drawn["two"].get_ydata() == pytest.approx(values[1])


def test_the_label_of_an_element_measure_is_short():
    """A picture has room for the quantisation, not for the word before it."""
    assert figures.metric_label("nxCG(quant=Gen5)@25") == "nxCG(Gen5)@25"
    assert figures.metric_label("RBP(p=0.8)") == "RBP(p=0.8)"


def test_only_clear_differences_are_filled():
    """A dot is filled where its interval leaves out zero."""
    frame = {"metric_a": ["A", "A"], "metric_b": ["B", "C"], "difference": [0.2, 0.1]}
    frame = figures.pd.DataFrame({**frame, "low": [0.1, -0.1], "high": [0.3, 0.3]})
    (axes,) = figures.power_differences(frame).axes
    filled, hollow = (line for line in axes.lines if line.get_marker() == "o")
    assert filled.get_xdata().tolist() == [20.0]
    assert hollow.get_xdata().tolist() == [10.0]
    assert hollow.get_markerfacecolor() == figures.THEME["paper"]


def test_the_key_of_the_asl_curves_is_sorted_by_power(made_scores):
    """Beside the curves stand the metrics' short names with the pairs they tell apart, most first."""
    names = ["AP", "AP(judged_only=True)", "RR"]
    sensitivity = bootstrap_sensitivity(made_scores(3, 12, 25, metrics=names), n_resamples=200, rng=0)
    (axes,) = figures.asl_curves(sensitivity).axes
    told = {name: int((curve["asl"] < 0.05).sum()) for name, curve in sensitivity.asl_curves().groupby("metric")}
    told["AP'"] = told.pop("AP(judged_only=True)")
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown == [f"{name}: {told[name]}" for name in sorted(("AP", "AP'", "RR"), key=told.get, reverse=True)]


def test_twelve_asl_curves_all_look_different(made_scores):
    """No two of twelve metrics share a colour or a mark, and those of like hue differ in their dashes."""
    sensitivity = bootstrap_sensitivity(made_scores(12, 6, 15), n_resamples=100, rng=0)
    (axes,) = figures.asl_curves(sensitivity).axes
    handles = axes.get_legend().legend_handles
    assert len({handle.get_color() for handle in handles}) == 12
    assert len({handle.get_marker() for handle in handles}) == 12
    assert sorted(handle.get_linestyle() for handle in handles) == ["-"] * 6 + ["--"] * 6


def test_metrics_go_by_their_short_names(made_scores):
    """Every kind of figure says AP' rather than AP(judged_only=True)."""
    drawn = every_figure(made_scores(1, 5, 12, metrics=["AP(judged_only=True)"]))
    del drawn["map"]  # has no metric's name
    for name, figure in drawn.items():
        assert any("AP'" in text for text in words(figure)), name
        assert not any("judged_only" in text for text in words(figure)), name
