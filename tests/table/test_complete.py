"""The largest part without gaps: by trying all, and none where too little is shared."""

import numpy as np
import pytest

from metaeval.errors import ScoresError
from metaeval.table.complete import complete_block
from metaeval.table.scores import as_scores


def test_largest_by_trying_every_number_of_systems():
    """Systems enter by what they have; six of them and half of the topics at least."""
    rng = np.random.default_rng(1)
    values = np.where(rng.random((12, 30)) < np.linspace(0, 0.3, 12)[:, None], np.nan, 1.0)
    values[3], values[0, :2] = 1.0, np.nan
    values[:2] = values[1::-1]
    found = complete_block(as_scores(values, missing="pairwise"))
    order = sorted(range(12), key=lambda system: (np.isnan(values[system]).sum(), system))
    sizes = {k: k * np.isfinite(values[order[:k]]).all(axis=0).sum() for k in range(6, 13)}
    allowed = {k: size for k, size in sizes.items() if size >= k * 15}
    assert found.sizes["system"] * found.sizes["topic"] == max(allowed.values())
    assert np.isfinite(found.to_numpy()).all()
    names = [f"system{place + 1}" for place in sorted(order[: found.sizes["system"]])]
    assert found["system"].to_numpy().tolist() == names


def test_nothing_goes_where_nothing_is_missing_and_nothing_stays_where_little_is_shared():
    """No gap, no change; without six systems on half of the topics there is no such part."""
    scores = as_scores(np.eye(7))
    assert complete_block(scores) is scores
    values = np.ones((8, 10))
    values[:4, :6] = values[4:, 4:] = np.nan
    with pytest.raises(ScoresError, match="fewer than 6 systems have half of the topics in common"):
        complete_block(as_scores(values, missing="pairwise"))
