"""Systems with one score on all their topics: up to rounding, with gaps, and how they are named."""

import numpy as np

from metaeval.table.constant import constant_notes, constant_systems
from metaeval.table.scores import as_scores


def test_one_score_on_two_topics_at_least():
    """Rounding makes no second score, and one topic no throughout; both metrics are looked at."""
    first = [[0.3, 0.3, 0.1 + 0.2], [0.5, np.nan, np.nan], [0.0, np.nan, 0.0], [0.1, 0.2, 0.1]]
    second = [[0.3, 0.3, 0.4], [0.5, 0.6, np.nan], [1.0, 0.0, 0.0], [0.2, 0.2, 0.2]]
    scores = as_scores([first, second], systems=list("abcd"), missing="pairwise")
    assert constant_systems(scores).tolist() == [[True, False, True, False], [False, False, False, True]]
    said = constant_notes(scores)
    assert [note.partition(";")[0] for note in said] == [
        "the same score on every topic under metric1: a (0.3), c (0)",
        "the same score on every topic under metric2: d (0.2)",
    ]
    assert constant_notes(scores.isel(metric=[1], system=[0, 1])) == []
