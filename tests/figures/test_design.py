"""Lines of topics needed: where they stand, and what is marked on them."""

import numpy as np
import pytest

from metaeval.figures.design import topics_by_difference
from metaeval.questions.design.study import study_design
from metaeval.simulate.scores import simulate_scores

NAMES = {"t": "Paired t test", "interval": "95 % interval"}


@pytest.mark.parametrize("at_hand", [None, 40])
def test_lines_and_dots_are_those_of_the_tables(at_hand, words):
    """A panel a design, a line a metric, a dot at each difference asked for, a line across at the topics at hand."""
    scores = simulate_scores(n_systems=5, n_topics=40, metrics=["AP", "RR"], rng=1)
    study = study_design(scores, differences=[0.05, 0.1], methods=["t", "interval"])
    curve = study.for_differences([0.03, 0.05, 0.1, 0.2])
    figure = topics_by_difference(curve, study.table, names=NAMES, at_hand=at_hand)
    assert len(figure.axes) == len(NAMES)
    for method, axes in zip(NAMES, figure.axes, strict=True):
        for place, metric in enumerate(("AP", "RR")):
            line, dots = axes.lines[2 * place], axes.lines[2 * place + 1]
            for frame, drawn in ((curve, line), (study.table, dots)):
                part = frame[(frame["metric"] == metric) & (frame["method"] == method)]
                np.testing.assert_array_equal(drawn.get_xdata(), part["difference"])
                np.testing.assert_array_equal(drawn.get_ydata(), part["n_topics"].astype(float))
        assert len(axes.lines) == 4 + (at_hand is not None)
    assert ("40 at hand" in words(figure)) == (at_hand is not None)


def test_what_needs_too_many_topics_is_left_out():
    """No number, no point; the rest is drawn."""
    study = study_design(variance=0.05, differences=[1e-5, 0.1], methods=["t"])
    figure = topics_by_difference(study.table, study.table, names={"t": "Paired t test"})
    assert figure.axes[0].lines[0].get_xdata().tolist() == [0.1]
