"""Sets of topics, drawn as their names say."""

import numpy as np

from metaeval.resampling.topic_sets import draw_topic_sets


def test_sets_are_drawn_as_named():
    """Disjoint sets share no topic, overlapping ones repeat none within, bootstrap ones may."""
    rng = np.random.default_rng(0)
    disjoint = draw_topic_sets(rng, 20, 10, 50, "disjoint").reshape(50, -1)
    assert all(len(set(row.tolist())) == 20 for row in disjoint)
    overlapping = draw_topic_sets(rng, 20, 15, 50, "overlapping")
    assert all(len(set(topics.tolist())) == 15 for pair in overlapping for topics in pair)
    assert any(
        len(set(topics.tolist())) < 15 for pair in draw_topic_sets(rng, 20, 15, 50, "bootstrap") for topics in pair
    )
    counts = np.bincount(draw_topic_sets(rng, 20, 5, 4000, "disjoint")[:, 0].ravel(), minlength=20)
    np.testing.assert_allclose(counts, 1000, atol=5 * np.sqrt(1000 * 0.75))
