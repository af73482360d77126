"""Interpolated precision at points of recall: a literal version and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.metrics.precision_recall import RECALL_POINTS, precision_recall_curves


def literal_curve(ranking, levels, rel):
    """Walk down the list, note precision at every rank, and take the best one from each recall on."""
    total = sum(level >= rel for level in levels.values())
    found, curve = [], []
    count = 0
    for rank, document in enumerate(ranking, start=1):
        count += levels.get(document, 0) >= rel
        found.append((count, count / rank))
    for point in RECALL_POINTS:
        least = int(point * total + 0.5)
        curve.append(max((precision for number, precision in found if number >= least), default=0.0))
    return curve


@given(st.integers(0, 100_000), st.integers(1, 2))
def test_equals_a_literal_walk_down_the_list(seed, rel):
    """On random lists and judgments every point is the best precision from its recall on."""
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(20)]
    qrels, runs = {}, {"a": {}, "b": {}}
    for topic in ("1", "2", "3"):
        judged = rng.choice(names, size=10, replace=False)
        qrels[topic] = {name: int(rng.integers(-1, 3)) for name in judged} | {"found": 2}
        for run in runs.values():
            run[topic] = [str(name) for name in rng.permutation([*names, "found"])[: rng.integers(1, 21)]]
    curves = precision_recall_curves(collection_from_rankings(runs, qrels), rel=rel)
    for system, run in runs.items():
        expected = np.mean([literal_curve(run[topic], qrels[topic], rel) for topic in qrels], axis=0)
        np.testing.assert_allclose(curves.sel(system=system), expected, atol=1e-12)
    assert (np.diff(curves.to_numpy(), axis=1) <= 1e-12).all()


def test_nothing_relevant_is_refused():
    """A level that nobody reached has no recall."""
    collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    with pytest.raises(InvalidOptionError, match="rel=2"):
        precision_recall_curves(collection, rel=2)
