import numpy as np
import pytest
from matplotlib.colors import to_rgba

from metaeval.figures import significance
from metaeval.table.scores import as_scores
from metaeval.tests_stat.paired_t import paired_t_test


@pytest.mark.parametrize("correction", ["none", "holm"])
@pytest.mark.parametrize("falling", [False, True])
def test_the_map_shows_every_decision(simulated_scores, correction, falling):
    """Every cell has the colour of its decision: corrected strong, uncorrected pale; the best system is on top."""
    scores = as_scores(simulated_scores(1, 9, 15), higher_is_better=not falling)
    result = paired_t_test(scores, correction=correction)
    (axes,) = result.plot("metric1").axes
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
                np.testing.assert_allclose(pixels[row, column], significance._MAP_COLOURS[int(state[row, column])])
    minus_plus = "\N{MINUS SIGN}+"
    signs = {(text.get_position()[1] - 1, text.get_position()[0] - 1): text.get_text() for text in axes.texts}
    said = {cell: sign for cell, sign in signs.items() if sign in set(minus_plus)}
    assert said == {(row, column): minus_plus[int(state[row, column] > 0)] for row, column in np.argwhere(state)}
    assert (state[0] >= 0).all()
    assert 0 < np.count_nonzero(state) < 72


def test_pairs_that_were_not_tested_are_left_blank(simulated_scores):
    """With a baseline only its row and column are coloured."""
    result = paired_t_test(simulated_scores(1, 5, 15), baseline="system3")
    (axes,) = result.plot("metric1").axes
    pixels = np.asarray(axes.images[0].get_array())
    blank = (pixels == to_rgba(significance._GREY, 0.0)).all(axis=-1)
    assert blank.sum() == 5 * 5 - 5 - 2 * 4


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_the_key_names_the_correction(simulated_scores, words, correction):
    """Pale colours have a line in the key only where there is a correction, which is named."""
    shown = words(paired_t_test(simulated_scores(1, 5, 15), correction=correction).plot())
    assert ("row better, after Holm" in shown) == ("row better, only uncorrected" in shown) == (correction == "holm")
    assert ("row better, significant" in shown) == (correction == "none")
    assert "not significantly different" in shown


def strips(figure):
    """Return the colours of the strips' lines, of which a group has two, and what the key says of them."""
    (axes,) = figure.axes
    keys = [text.get_text() for text in figure.legends[-1].get_texts()]
    return [line.get_color() for line in axes.lines if not line.get_clip_on()], keys


@pytest.mark.parametrize("n_systems", [8, 60])
def test_strips_show_the_groups_of_the_systems(simulated_scores, n_systems):
    """Every group has its colour at the right and below, at the places of its systems; the map keeps its limits."""
    scores = simulated_scores(1, n_systems, 15)
    groups = {name: f"team {int(name[6:]) % 3}" for name in scores["system"].to_numpy().tolist()}
    result = paired_t_test(scores)
    figure = result.plot("metric1", groups=groups)
    colours, keys = strips(figure)
    assert sorted(keys) == ["team 0", "team 1", "team 2"]
    assert len(colours) == 6
    assert colours[::2] == colours[1::2]
    (axes,) = figure.axes
    order = result.graded_decisions("metric1").index
    beside = [line for line in axes.lines if not line.get_clip_on()][::2]
    for line, name in zip(beside, keys, strict=True):
        places = line.get_ydata()[::3] + 0.46
        assert {groups[order[round(place) - 1]] for place in places} == {name}
    assert (axes.get_xlim(), axes.get_ylim()) == ((0.5, n_systems + 0.5), (n_systems + 0.5, 0.5))


def test_of_many_groups_the_largest_have_colours(simulated_scores):
    """The others share a grey, and the key counts them."""
    names = [f"system{number}" for number in range(1, 61)]
    groups = {name: f"team {place % 20 if place < 40 else 0}" for place, name in enumerate(names)}
    colours, keys = strips(paired_t_test(simulated_scores(1, 60, 10)).plot("metric1", groups=groups))
    assert keys[0] == "team 0"
    assert keys[-1] == "9 other groups"
    assert len(set(colours)) == len(keys) == 12


@pytest.mark.parametrize("of", [lambda _: "one", lambda name: name, lambda _: ""], ids=["one", "own", "none"])
def test_groups_that_say_nothing_are_not_drawn(simulated_scores, of):
    """One group, groups of one system each, or none."""
    result = paired_t_test(simulated_scores(1, 5, 10))
    groups = {f"system{number}": of(f"system{number}") for number in range(1, 6)}
    figure = result.plot("metric1", groups=groups)
    assert len(figure.legends) == 1
    assert figure.get_size_inches().tolist() == result.plot("metric1").get_size_inches().tolist()
