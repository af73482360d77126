"""The ranks at which documents enter a pool."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

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
