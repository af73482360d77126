"""What can be pointed at in a picture: it lies where the picture has it, and says what the data say."""

import ast
import gc
import json
import re
import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from metaeval import figures
from metaeval.figures import marks
from metaeval.figures.marks import marks_json, marks_of, note_cells, note_line, note_pairs, note_points, shared_marks
from metaeval.figures.power import power_differences
from metaeval.figures.style import figure_svg, narrow
from metaeval.figures.systems import score_distributions, system_ranking
from metaeval.resampling.system_means import means_of_systems
from metaeval.tests_stat.paired_t import paired_t_test


@pytest.fixture
def axes():
    """Make a panel of 100 by 50 points in a figure of 200 by 100, from 0 to 10 both ways."""
    made = Figure(figsize=(200 / 72, 100 / 72)).add_axes((0.25, 0.25, 0.5, 0.5))
    made.set(xlim=(0, 10), ylim=(0, 10))
    return made


def noted(axes):
    """Return the marks of the figure as a page reads them."""
    return json.loads(marks_json(axes.figure))


def decoded(column, length):
    """Return a word for every mark, as the script of a page reads a column."""
    if isinstance(column, str):
        return [column] * length
    return [column[0][place] for place in column[1]] if isinstance(column[0], list) else column


def test_places_are_points_from_the_upper_left(axes):
    """As in an SVG; ends of bars are cut at the axes, and what lies outside is left out."""
    note_points(
        axes, [0, 5, 20], [0, 10, 5], "{who}", {"who": ["a", "b", "c"]}, of=["who"], span=([-5, 4, 1], [1, 6, 2])
    )
    (found,) = noted(axes)
    assert (found["x"], found["y"]) == ([50, 100], [75, 25])
    assert (found["low"], found["high"]) == ([50, 90], [60, 110])
    assert (found["say"], found["words"], found["of"]) == ("{0}", [["a", "b"]], [0])


def test_bars_may_stand_upright_and_lack_an_end(axes):
    """A bar without an end reaches to its point."""
    note_points(axes, [5], [5], "x", {}, span=([np.nan], [8]), upright=True)
    (found,) = noted(axes)
    assert (found["low"], found["high"], found["upright"]) == ([50], [35], True)


def test_a_line_has_its_colour_and_its_name_in_the_key(axes):
    """So that a page can draw it apart."""
    note_line(axes, [1, 2], [3, 4], "{v}", {"v": ["1", "2"]}, color="#0072b2", label="AP: 3")
    (found,) = noted(axes)
    assert (found["kind"], found["color"], found["label"]) == ("line", "#0072b2", "AP: 3")


def test_a_line_goes_to_the_frame_where_it_leaves_it(axes):
    """The points outside are no marks, but the line does not end before it leaves its axes."""
    note_line(axes, [-1, 1, 3, 13], [5, 5, 5, 10], "x", {}, color="#0072b2")
    note_line(axes, [5, 5], [5, 20], "x", {}, color="#0072b2")
    first, second = noted(axes)
    assert (first["x"], first["from"], first["to"]) == ([60, 80], [50, 50], [150, 32.5])
    assert ("from" in second, second["to"]) == (False, [100, 25])


def test_cells_have_the_size_of_their_axes(axes):
    """A cell is a square of side one in the units of the axes."""
    note_cells(axes, [1, 2], [1, 1], "{v}", {"v": ["a", "a"]})
    assert noted(axes)[0]["size"] == [10, 5]


def test_pairs_in_order_need_no_list(axes):
    """All pairs of a map stand in the order of its rows; where some are missing each is listed."""
    first, second = np.triu_indices(4, 1)
    turned = slice(None, None, -1)
    values = [f"{a}{b}" for a, b in zip(first, second, strict=True)]
    note_pairs(axes, first[turned], second[turned], "{v}", {"v": values[turned]}, names="abcd")
    note_pairs(axes, [0, 0], [3, 1], "{v}", {"v": ["03", "01"]}, names="abcd")
    whole, some = noted(axes)
    assert whole["names"] == ["a", "b", "c", "d"]
    assert (whole["words"], "pairs" in whole) == ([values], False)
    assert (some["pairs"], some["words"]) == ([[0, 0], [1, 3]], [["01", "03"]])
    assert (whole["x"], whole["y"], whole["size"]) == ([60], [70], [10, -5])


def test_what_is_said_needs_words_for_every_mark(axes):
    """A brace without a column, or a column of another length, is a mistake in the drawing."""
    with pytest.raises(ValueError, match="words for who are missing"):
        note_points(axes, [1], [1], "{who}", {})
    with pytest.raises(ValueError, match="2 words for 1 marks"):
        note_points(axes, [1], [1], "{who}", {"who": ["a", "b"]})


def test_names_are_written_out_and_braces_in_them_kept(axes):
    """What is hidden in a name is spelled, and what looks like a column is text."""
    note_points(axes, [1], [1], "{who}", {"who": ["{who}\u202e"]})
    assert marks_of(axes.figure)[0].words() == ["{who}\\u202e"]
    assert noted(axes)[0]["words"] == ["{who}\\u202e"]


def test_a_figure_without_marks_says_nothing_and_none_is_kept_alive():
    """Marks go with their figure."""
    figure = Figure()
    axes = figure.add_axes((0, 0, 1, 1))
    assert marks_json(figure) == ""
    note_points(axes, [0.5], [0.5], "x", {})
    assert marks_json(figure) != ""
    known = weakref.ref(figure)
    del figure, axes
    gc.collect()
    assert known() is None


@given(st.lists(st.sampled_from(["a", "b", "cc", "[", "1"]), min_size=1, max_size=30))
def test_columns_come_back_as_they_were(words):
    """However a column is written, the page reads every mark's own word."""
    assert decoded(json.loads(json.dumps(marks._coded(words))), len(words)) == words


def dots_of(svg):
    """Return the places of the markers in an SVG, those of ticks left out."""
    found = re.findall(r'<use xlink:href="#[^"]+" x="([\d.]+)" y="([\d.]+)" style="fill', svg)
    return {(round(float(x), 1), round(float(y), 1)) for x, y in found}


def test_marks_lie_on_the_dots(simulated_scores):
    """The places that a page is given are those of the markers in the SVG."""
    frame = pd.DataFrame(
        {
            "metric_a": ["AP", "RR"],
            "metric_b": ["Q", "AP"],
            "difference": [0.1, -0.2],
            "low": [0.05, -0.3],
            "high": [0.2, 0.1],
        }
    )
    for figure in (power_differences(frame), system_ranking(means_of_systems(simulated_scores(1, 100, 9)), "metric1")):
        svg = figure_svg(figure, salt="x")
        told = {place for group in json.loads(marks_json(figure)) for place in zip(group["x"], group["y"], strict=True)}
        assert {
            place for place in told if min(np.hypot(*(np.array(place) - dot)) for dot in dots_of(svg)) > 0.15
        } == set()


def test_every_topic_of_every_system_can_be_pointed_at(simulated_scores):
    """A stroke says system, topic and score; the bar says mean and quarters."""
    scores = simulated_scores(1, 3, 4)
    topics, spread = marks_of(score_distributions(scores, "metric1"))
    said = {
        f"system{s + 1}, topic {t + 1}: metric1 {scores.to_numpy()[0, s, t]:.4f}" for s in range(3) for t in range(4)
    }
    assert set(topics.words()) == said
    means = scores.to_numpy()[0].mean(axis=1)
    best = int(means.argmax())
    assert spread.words()[0].startswith(f"1. system{best + 1}: mean metric1 {means[best]:.4f}, median ")


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_every_pair_says_difference_interval_and_p(simulated_scores, correction):
    """The system that stands higher comes first, so its lead is positive; the interval turns with it."""
    scores = simulated_scores(1, 4, 10)
    result = paired_t_test(scores, correction=correction)
    (found,) = marks_of(result.plot("metric1"))
    assert found.names == ("system4", "system3", "system2", "system1")
    frame = result.to_frame().set_index(["system_a", "system_b"])
    for first, second, words in zip(found.x, found.y, found.words(), strict=True):
        row = frame.loc[(found.names[int(second)], found.names[int(first)])]
        assert words.startswith(f"{-row['difference']:.4f} [")
        low, high = (float(part.replace("\u2212", "-")) for part in re.search(r"\[(\S+), (\S+)\]", words).groups())
        assert low < -row["difference"] < high
        assert f", p {row['p_value']:.4f}" in words or "p <0.0001" in words
        assert ("Holm" in words) == (correction == "holm")
        assert words.endswith("; significant") == bool(row["significant"])


def called_by(function, functions):
    """Return the names of all functions that one calls, by way of others of its module too."""
    found, ahead = set(), [function]
    while ahead:
        for node in ast.walk(functions[ahead.pop()]):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in found:
                found.add(node.func.id)
                ahead += [node.func.id] if node.func.id in functions else []
    return found


def test_every_picture_can_be_pointed_at():
    """Whatever draws a figure notes what is in it, so that no page has pictures that say nothing."""
    stub = ast.parse(Path(figures.__file__).with_suffix(".pyi").read_text("utf-8"))
    silent = []
    for line in stub.body:
        (name,) = (alias.name for alias in line.names)
        module = ast.parse(Path(figures.__file__).with_name(f"{line.module}.py").read_text("utf-8"))
        functions = {one.name: one for one in module.body if isinstance(one, ast.FunctionDef)}
        if any("styled" in ast.unparse(one) for one in functions[name].decorator_list):
            silent += [] if any(one.startswith("note_") for one in called_by(name, functions)) else [name]
    assert silent == []


def test_a_narrow_form_takes_from_the_wide_one_what_both_say(simulated_scores):
    """Places are its own; words and names are left out where they are those of the wide form, group by group."""
    means = means_of_systems(simulated_scores(1, 6, 12))
    wide = marks_json(system_ranking(means, "metric1"))
    with narrow():
        own = marks_json(system_ranking(means, "metric1"))
    short = shared_marks(own, wide)
    assert len(short) < len(own) / 2
    joined = [{**one, **other} for one, other in zip(json.loads(wide), json.loads(short), strict=True)]
    assert joined == json.loads(own)
    assert json.loads(short)[0]["x"] != json.loads(wide)[0]["x"]
    other = json.dumps([*json.loads(wide), *json.loads(wide)])
    assert json.loads(shared_marks(own, other)) == json.loads(own)
    assert shared_marks(own, "") == own
