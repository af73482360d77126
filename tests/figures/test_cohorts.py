"""The lines of topics that decide nothing, and the dots of cohorts on them."""

import numpy as np

from metaeval.resampling.cohorts import analyse_cohorts
from metaeval.simulate.scores import simulate_scores


def test_lines_are_those_of_the_result():
    """One line for the best, one for random systems, and a dot a cohort where the first line is."""
    scores = simulate_scores(n_systems=14, n_topics=30, metrics=["AP"], rng=1)
    found = analyse_cohorts((scores > 0.3) * 1.0, cohorts=["top4", "top8"], n_splits=1, rng=1)
    axes = found.plot().axes[0]
    best, random, dots = axes.lines
    for line, name in ((best, "curve_top"), (random, "curve_random")):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(2, 15))
        np.testing.assert_array_equal(line.get_ydata(), found.data[name][0])
    assert dots.get_xdata().tolist() == found.to_frame()["n_systems"].tolist()
    assert best.get_ydata()[dots.get_xdata() - 2].tolist() == dots.get_ydata().tolist()
