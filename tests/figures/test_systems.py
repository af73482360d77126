import numpy as np
import pytest

from metaeval.errors import UnknownNameError
from metaeval.figures.systems import score_distributions, system_ranking
from metaeval.scores import as_scores
from metaeval.studies.power import system_means


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
