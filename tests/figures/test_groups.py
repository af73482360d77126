"""The critical-difference diagram joins exactly the systems that share a letter."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.figures.groups import critical_difference
from metaeval.figures.style import narrow
from metaeval.resampling.ranks import rank_intervals


@pytest.mark.parametrize("higher", [True, False])
def test_a_bar_joins_the_systems_of_a_letter(higher, words):
    """The ends and dots of the bars are means of its systems; a group of one has none; the better side is the right."""
    groups = pd.DataFrame({"system": list("pqrs"), "mean": [0.9, 0.7, 0.6, 0.1], "letters": ["a", "ab", "b", "c"]})
    figure = critical_difference(groups, "AP", higher_is_better=higher)
    (axes,) = figure.axes
    bars = [sorted(line.get_xdata()) for line in axes.lines if line.get_linewidth() > 2]
    assert bars == [[0.7, 0.9], [0.6, 0.7]]
    low, high = axes.get_xlim()
    assert bool(low < high) == higher
    assert {*"pqrs", "AP"} <= {*words(figure)}


def test_letters_of_two_characters_and_equal_means():
    """Letters past z are set apart by blanks; systems of one mean have a diagram too, narrow or wide."""
    groups = pd.DataFrame({"system": list("pq"), "mean": [0.5, 0.5], "letters": ["aa ab", "ab"]})
    with narrow():
        figure = critical_difference(groups, "AP")
    assert sum(line.get_linewidth() > 2 for line in figure.axes[0].lines) == 1
    assert np.ptp(figure.axes[0].get_xlim()) > 0


def test_ranks_draw_their_groups(simulated_scores):
    """The diagram is a picture of the ranks; another word is refused."""
    ranks = rank_intervals(simulated_scores(1, 4, 20), rng=0)
    assert ranks.plot(kind="groups").axes
    with pytest.raises(InvalidOptionError, match="kind of picture"):
        ranks.plot(kind="bars")
