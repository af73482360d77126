"""Scores and verdicts under reduced judgments; the studies that use them are tested by their own laws."""

from types import SimpleNamespace

import numpy as np

from metaeval.resampling import rescoring


def test_verdicts_are_counted_against_those_by_all_judgments(monkeypatch):
    """Significant now; of these not so, or not in this direction, before; the other way round before."""
    better, full = np.array([[1, -1, 1, -1, 0, 1, 0]]), np.array([[1, -1, -1, 1, 1, 0, 0]])
    decided = SimpleNamespace(better=better, required=np.array([0.25]), count_error=np.array([0.5]))
    monkeypatch.setattr(rescoring, "verdicts", lambda *_: decided)
    plan = SimpleNamespace(systems=(), topics=("1", "2"), metrics=(), testing=None, full_verdicts=full)
    found = rescoring._found(np.zeros((1, 4, 2)), np.array([True, True]), plan, 0)
    assert found.tolist() == [[5, 3, 2, 0.25, 0.5]]
