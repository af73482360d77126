"""The ranks at which documents enter a pool."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from metaeval.collection.assembly import collection_from_rankings
from metaeval.resampling.pool_depths import NEVER, entry_depths, entry_depths_by_group


@given(data=st.data())
def test_entry_depths_without_a_group_are_those_of_the_other_runs(data, random_cases):
    """One pass over all lists gives, for any group, what the lists of the others alone give."""
    case = data.draw(random_cases())
    collection = case.collection()
    names = sorted(set(case.groups.values()))
    numbers = np.array([names.index(name) for name in collection.groups])
    by_group = entry_depths_by_group(collection, numbers, complete=True)
    for number in range(len(names)):
        others = np.flatnonzero(collection.pooled & (numbers != number))
        expected = np.full(by_group.whole.depth.shape, NEVER)
        if len(others):
            expected = entry_depths(collection, others).depth
        np.testing.assert_array_equal(by_group.without(number).depth, expected)


def test_a_pool_ends_with_the_longest_list_of_its_topic():
    """Topic by topic, whichever run it is of; deeper there is nothing."""
    lengths = {"a": (1, 4), "b": (2, 0), "c": (1, 3)}
    runs = {
        name: {topic: [f"d{place}" for place in range(n)] for topic, n in zip("12", own, strict=True)}
        for name, own in lengths.items()
    }
    qrels = {topic: {f"d{place}": 1 for place in range(4)} for topic in "12"}
    found = entry_depths(collection_from_rankings(runs, qrels, retrieved="all"))
    assert found.ends.tolist() == [2, 4]
    assert found.longest == 4
