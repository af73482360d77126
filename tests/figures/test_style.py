import json
import re

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from metaeval.figures.marks import marks_json
from metaeval.figures.power import power_dots
from metaeval.figures.style import (
    drawn_narrow,
    figure_pdf,
    figure_svg,
    label_first_column,
    metric_label,
    narrow,
    panel_grid,
    short_name,
    short_names,
)
from metaeval.figures.systems import score_distributions, system_ranking
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.system_means import means_of_systems
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.paired_t import paired_t_test


def every_figure(scores):
    """Draw all kinds of figure from one table of scores."""
    metric = str(scores["metric"].to_numpy()[0])
    result = paired_t_test(scores)
    sensitivity = bootstrap_sensitivity(scores, n_resamples=100, rng=0)
    power = result.discriminative_power().assign(test="t", correction="fdr_by")
    return {
        "scores": score_distributions(scores, metric),
        "asl": sensitivity.plot(),
        "power": power_dots(labelled(power)),
        "map": result.plot(metric),
        "ranking": system_ranking(means_of_systems(scores), metric),
    }


@pytest.mark.parametrize("n_systems", [2, 3, 46, 143])
def test_every_figure_can_be_drawn_for_few_and_many_systems(simulated_scores, n_systems):
    """Each kind of figure has axes with labelled units, and draws without a warning, at any size."""
    for name, figure in every_figure(simulated_scores(1, n_systems, 12)).items():
        assert isinstance(figure, Figure), name
        assert any(axes.get_xlabel() for axes in figure.axes) or name in ("map", "ranking"), name
        assert figure_svg(figure, salt=name).startswith("<?xml")


def test_the_same_data_give_the_same_bytes(simulated_scores):
    """SVG and PDF of a figure drawn twice are equal byte by byte, whichever is written first; no setting changes."""
    before = dict(mpl.rcParams)
    second = every_figure(simulated_scores())
    for name, figure in every_figure(simulated_scores()).items():
        svg, pdf = figure_svg(figure, salt=name), figure_pdf(figure)
        assert figure_svg(figure, salt=name) == svg
        assert figure_pdf(second[name]) == pdf
        assert figure_svg(second[name], salt=name) == svg
    assert dict(mpl.rcParams) == before


def test_names_are_shown_as_they_are(simulated_scores):
    """No name is read as a formula, breaks a line, or runs over the picture."""
    names = ["$x^2$ and $y$", "n" * 60, "a&<b>", "d", "e"]
    figure = score_distributions(simulated_scores(1, 5, 10, systems=names), "metric1")
    svg = figure_svg(figure, salt="x")
    assert "$x^2$ and $y$" in svg
    assert "a&amp;&lt;b&gt;" in svg
    assert "n" * 29 not in svg


@pytest.mark.parametrize(("name", "shown"), [("two\nlines\u202e", "two lines"), ("", "(blank)"), ("a$b", r"a\$b")])
def test_names_fit_for_a_picture(name, shown):
    """Invisible characters go, a blank name is said, dollars are escaped for matplotlib."""
    assert short_name(name) == shown


def test_the_label_of_an_element_measure_is_short():
    """A picture has room for the quantisation, not for the word before it."""
    assert metric_label("nxCG(quant=Gen5)@25") == "nxCG(Gen5)@25"
    assert metric_label("RBP(p=0.8)") == "RBP(p=0.8)"


def test_metrics_go_by_their_short_names(simulated_scores, words):
    """Every kind of figure says AP' rather than AP(judged_only=True)."""
    drawn = every_figure(simulated_scores(1, 5, 12, metrics=["AP(judged_only=True)"]))
    del drawn["map"]  # has no metric's name
    for name, figure in drawn.items():
        assert any("AP'" in text for text in words(figure)), name
        assert not any("judged_only" in text for text in words(figure)), name


@pytest.mark.parametrize(("n", "columns"), [(1, 1), (5, 2), (6, 3)])
def test_panels_of_a_grid_are_equal_and_apart(n, columns):
    """Panels stand row by row, all of one size, none over another or beyond the figure."""
    figure, panels = panel_grid(
        [f"title {place}" for place in range(n)], columns=columns, height=2.0, left=0.7, top=0.3
    )
    boxes = [axes.get_position() for axes in panels]
    assert [axes.texts[0].get_text() for axes in panels] == [f"title {place}" for place in range(n)]
    assert {(round(box.width, 9), round(box.height, 9)) for box in boxes} == {
        (round(boxes[0].width, 9), round(boxes[0].height, 9))
    }
    assert boxes[0].height * figure.get_size_inches()[1] == pytest.approx(2.0)
    assert all(0 < box.x0 < box.x1 < 1 and 0 < box.y0 < box.y1 < 1 for box in boxes)
    for place, box in enumerate(boxes[1:], 1):
        above = boxes[place - columns] if place >= columns else None
        assert above is None or (box.y1 < above.y0 and box.x0 == pytest.approx(above.x0))
        assert place % columns == 0 or box.x0 > boxes[place - 1].x1


def test_long_names_that_share_their_ends_stay_apart():
    """Cut in the middle they would be one name; what all share is left out instead."""
    names = [f"a-university-of-great-renown-team{team}-bm25-thorough-stemmed" for team in range(3)]
    assert len({short_name(name) for name in names}) == 1
    shown = short_names(names)
    assert shown == [f"a-university-of-great…team{team}…" for team in range(3)]
    assert short_names(["a", "b" * 60]) == ["a", short_name("b" * 60)]
    chats = [f"FuseChat-Llama-{size}-Instruct" for size in ("3.2-1B", "3.2-3B", "3.1-8B")]
    assert short_names([*chats, "gpt-4"], 18) == [
        "FuseChat-L…3.2-1B…",
        "FuseChat-L…3.2-3B…",
        "FuseChat-L…3.1-8B…",
        "gpt-4",
    ]


@given(st.lists(st.text("ab-.$", min_size=1, max_size=40), unique=True, max_size=12), st.integers(11, 40))
@settings(max_examples=60)
def test_shortened_names_of_different_systems_differ(names, limit):
    """Whatever they share, and in as few letters as are asked for (an escaped dollar is one)."""
    shown = short_names(names, limit)
    assert len(set(shown)) == len(names)
    assert all(len(one.replace(r"\$", "$")) <= limit for one in shown)


@pytest.mark.parametrize("n_systems", [2, 20, 143])
def test_a_narrow_figure_has_letters_that_can_be_read(simulated_scores, n_systems):
    """At its own width, about that of a telephone, none are smaller than 8 points (11 pixels); its paper holds all."""
    names = [f"a-team-with-a-long-name/and-its-run-{place}" for place in range(n_systems)]
    scores = simulated_scores(2, n_systems, 12, systems=names)
    with narrow():
        drawn = every_figure(scores)
    for name, figure in drawn.items():
        svg = figure_svg(figure, salt=name)
        width = float(re.search(r'viewBox="0 0 ([\d.]+) ', svg)[1])
        assert 72 * 3.5 < width < 72 * 3.7, name
        sizes = [float(size) for size in re.findall(r"<text[^>]*font: [^\"]*?([\d.]+)px", svg)]
        sizes += [float(size) for size in re.findall(r"<text[^>]*font-size: ([\d.]+)px", svg)]
        assert min(sizes) >= 8.25, name
        assert all(0 <= x <= width for group in json.loads(marks_json(figure) or "[]") for x in group["x"]), name
    assert not drawn_narrow()


def test_panels_of_a_narrow_figure_stand_below_each_other():
    """One column, each with the label of its upright axis; afterwards figures are wide again."""
    with narrow():
        _, panels = panel_grid(["a", "b", "c"], columns=3, height=1.0, left=0.5)
        label_first_column(panels, 3, "what")
    assert len({axes.get_position().x0 for axes in panels}) == 1
    assert [axes.get_ylabel() for axes in panels] == ["what"] * 3
    assert len({axes.get_position().x0 for axes in panel_grid(["a", "b"], columns=2, height=1.0, left=0.5)[1]}) == 2


def test_paths_are_written_in_hundredths_of_a_point(simulated_scores):
    """Nobody sees more, and the files are a third smaller; text that looks like a path stays."""
    svg = figure_svg(
        system_ranking(means_of_systems(simulated_scores(systems=[' d="M 1.23456 2', *"abcd"])), "metric1"), salt="x"
    )
    paths = re.findall(r'<path [^>]*?d="([^"]*)"', svg)
    assert len(paths) > 10
    assert not any(re.search(r"\d\.\d{3}|\n", path) for path in paths)
    assert 'd="M 1.23456 2<' in svg
