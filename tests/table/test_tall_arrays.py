"""An array without names that has many more systems than topics is likely turned round, and says so."""

import numpy as np
import pytest

from metaeval import as_scores

TALL = np.arange(24.0).reshape(12, 2) / 24


def test_many_systems_on_few_topics_are_said():
    """The documented order stays: rows are systems; the note names both numbers."""
    scores = as_scores(TALL)
    assert dict(scores.sizes) == {"metric": 1, "system": 12, "topic": 2}
    (note,) = (note for note in scores.attrs["notes"] if "array" in note)
    assert "12 systems by 2 topics" in note


@pytest.mark.parametrize(("values", "names"), [(TALL.T, {}), (TALL[:8], {}), (TALL, {"topics": ["1", "2"]})])
def test_others_say_nothing(values, names):
    """Neither turned round, nor nearly square, nor where names tell the axes."""
    assert not [note for note in as_scores(values, **names).attrs.get("notes", ()) if "array" in note]
