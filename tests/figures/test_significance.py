import numpy as np
import pytest
from matplotlib.colors import to_rgba

from metaeval.figures import significance
from metaeval.scores import as_scores
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
