"""What kernels and plug-ins get of a ranked list, by hand."""

import numpy as np
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.metrics.lists import NO_CUTOFF, depth, ranked_lists, ranked_topics

RUNS = {
    "a": {"1": ["d1", "x", "d2", "d3"], "2": ["e2", "e1"]},
    "b": {"1": ["d3", "d4"], "2": ["x", "y", "e1", "z", "w", "v"]},
}
QRELS = {"1": {"d1": 2, "d2": 0, "d3": 1, "d4": 3}, "2": {"e1": 1, "e2": 0}}


@pytest.fixture
def lists():
    return ranked_lists(collection_from_rankings(RUNS, QRELS))


def test_counts_of_a_topic_do_not_depend_on_what_was_retrieved(lists):
    """Documents by level, relevant ones from a level on (1 unless another is named), and those with a gain."""
    assert lists.counts.tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert lists.n_judged.tolist() == [4, 2]
    assert lists.n_relevant().tolist() == lists.n_relevant(1).tolist() == [3, 1]
    assert lists.n_relevant(2).tolist() == [2, 0]
    assert lists.n_with_gain().tolist() == [3, 1]
    assert lists.highest == 3
    assert lists.longest == 6


def test_an_ideal_list_may_be_longer_than_every_run():
    """The largest rank is that of the longest list or of the relevant documents; an empty one has 1."""
    qrels = {"1": {f"d{number}": 1 for number in range(5)}}
    assert ranked_lists(collection_from_rankings({"a": {"1": ["d1"]}}, qrels)).longest == 5


def test_the_top_of_the_scale_is_no_lower_than_a_document(lists):
    """By default it is the highest level judged."""
    assert lists.scale_level(None) == 3
    assert lists.scale_level(7) == 7
    assert lists.scale_level(3) == 3
    with pytest.raises(InvalidOptionError, match="max_level=2 must be at least 3, the highest level judged"):
        lists.scale_level(2)


@pytest.mark.parametrize("judged_only", [True, False])
def test_a_plug_in_gets_the_judged_documents_of_every_list(lists, judged_only):
    """Ranks are those of the run, or closed up; levels and counts are the topic's own."""
    found = {
        (system, topic): one
        for system, topic, one in ranked_topics(lists, np.arange(4, dtype=np.int64), judged_only=judged_only)
    }
    assert list(found) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [one.levels.tolist() for one in found.values()] == [[2, 0, 1], [0, 1], [1, 3], [1]]
    assert [one.gains.tolist() for one in found.values()] == [[2, 0, 1], [0, 1], [1, 3], [1]]
    ranks = [[1, 2, 3], [1, 2], [1, 2], [1]] if judged_only else [[1, 3, 4], [1, 2], [1, 2], [3]]
    assert [one.ranks.tolist() for one in found.values()] == ranks
    assert [one.n_retrieved for one in found.values()] == [4, 2, 2, 6]
    assert [one.n_per_level for one in found.values()] == [{0: 1, 1: 1, 2: 1, 3: 1}, {0: 1, 1: 1}] * 2
    assert [one.n_relevant() for one in found.values()] == [one.n_relevant(1) for one in found.values()] == [3, 1, 3, 1]
    assert found[0, 0].n_relevant(2) == 2
    assert {one.top_level for one in found.values()} == {3}


def test_no_cutoff_is_below_every_list():
    """A cutoff beyond what a rank can be is none."""
    assert depth(None) == depth(10**12) == NO_CUTOFF
    assert depth(10) == 10
