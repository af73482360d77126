"""The largest part without gaps: by trying all, and none where too little is shared."""

from itertools import combinations

import numpy as np
import pytest

from metaeval.errors import ScoresError
from metaeval.table.complete import complete_block, largest_block
from metaeval.table.scores import as_scores


def _by_trying(known):
    """Return the most scores, and the most systems with so many, over all subsets of the systems."""
    n_systems, n_topics = known.shape
    sizes = [(0, 0)]
    for k in range(min(6, n_systems), n_systems + 1):
        shared = (int(known[list(chosen)].all(axis=0).sum()) for chosen in combinations(range(n_systems), k))
        sizes += [(k * topics, k) for topics in shared if 2 * topics >= n_topics]
    return max(sizes)


@pytest.mark.parametrize("seed", range(12))
def test_largest_of_all_subsets_of_the_systems(seed):
    """Of up to ten systems, with gaps at random or in blocks: six of them and half of the topics at least."""
    rng = np.random.default_rng(seed)
    known = rng.random((3 + seed % 8, 12)) > (0.02, 0.1, 0.2)[seed % 3]
    known = known.repeat(rng.integers(1, 4, 12), axis=1) if seed % 2 else known
    most, n_systems = _by_trying(known)
    found = largest_block(known)
    if not most:
        assert found is None
        return
    systems, topics = found
    assert known[np.ix_(systems, topics)].all()
    assert (systems.sum() * topics.sum(), systems.sum()) == (most, n_systems)


def test_a_system_that_lacks_other_topics_is_left_out_and_not_one_with_fewer():
    """Two versions of a board: those who enter by how much they have share too little, whoever comes first."""
    known = np.ones((12, 100), dtype=bool)
    known[0, :20] = known[1:, 90:] = False
    assert [flags.sum() for flags in largest_block(known)] == [11, 90]
    found = complete_block(as_scores(np.where(known, 0.5, np.nan), missing="pairwise"))
    assert found.sizes["system"] == 11
    assert np.isfinite(found.to_numpy()).all()


def test_of_many_sets_it_is_at_least_the_largest_by_what_systems_have():
    """More intersections than are kept."""
    known = np.random.default_rng(1).random((40, 200)) > np.linspace(0, 0.08, 40)[:, None]
    nested = np.logical_and.accumulate(known[np.argsort(-known.sum(axis=1), kind="stable")], axis=0).sum(axis=1)
    least = max(k * topics for k, topics in enumerate(nested.tolist(), 1) if k >= 6 and topics >= 100)
    systems, topics = largest_block(known)
    assert known[np.ix_(systems, topics)].all()
    assert systems.sum() * topics.sum() > least


def test_nothing_goes_where_nothing_is_missing_and_nothing_stays_where_little_is_shared():
    """No gap, no change; without six systems on half of the topics there is no such part."""
    scores = as_scores(np.eye(7))
    assert complete_block(scores) is scores
    values = np.ones((8, 10))
    values[:4, :6] = values[4:, 4:] = np.nan
    with pytest.raises(ScoresError, match="fewer than 6 systems have half of the topics in common"):
        complete_block(as_scores(values, missing="pairwise"))
