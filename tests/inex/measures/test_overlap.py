"""Set overlap of a run."""

import numpy as np
import pytest

from metaeval.errors import UnknownNameError
from metaeval.inex.measures.overlap import run_overlap

pytestmark = pytest.mark.usefixtures("one_core")


def test_six_simulated_runs(focused_tree):
    """Nothing overlaps in irb, lo and ao; nine of ten elements of frb lie inside another."""
    overlap = run_overlap(focused_tree.tree_collection()).sel(topic="163")
    expected = {"irb": 0, "frb": 0.9, "ia": 0.75, "id": 0.75, "lo": 0, "ao": 0}
    assert dict(zip(overlap["system"].to_numpy().tolist(), overlap.to_numpy().tolist(), strict=True)) == expected


def test_either_direction_counts_on_request(focused_tree):
    """The elements around others are then part of it; a repeated result counts once."""
    runs = {"run": ["sec6", "sec6/p1", "sec6/p1", "sec4/p1"], "none": []}
    collection = focused_tree.tree_collection(runs)
    assert run_overlap(collection).sel(system="run").item() == pytest.approx(1 / 3)
    assert run_overlap(collection, how="either").sel(system="run").item() == pytest.approx(2 / 3)
    assert np.isnan(run_overlap(collection).sel(system="none").item())
    with pytest.raises(UnknownNameError, match="no kind of overlap 'all'"):
        run_overlap(collection, how="all")
