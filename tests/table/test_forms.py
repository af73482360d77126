"""Rows of a long table on their way into an array; the shapes themselves are held by the tests of `as_scores`."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from metaeval.table.array import DIMS, first_repeat, place_rows


@given(st.lists(st.integers(0, 5), max_size=30))
def test_the_first_repeat_is_found(cells):
    """The row reported is the first whose cell stood before, with the row that held it, as a plain loop finds it."""
    seen = {}
    expected = None
    for row, cell in enumerate(cells):
        if cell in seen:
            expected = (row, seen[cell])
            break
        seen[cell] = row
    assert first_repeat(np.array(cells, dtype=np.int64)) == expected


def test_cells_are_laid_out_by_metric_system_topic():
    """Rows are placed as a C-ordered array metric x system x topic has them."""
    codes = {dim: code.ravel() for dim, code in zip(DIMS, np.indices((2, 3, 4)), strict=True)}
    labels = {"metric": ["a"] * 2, "system": ["a"] * 3, "topic": ["a"] * 4}
    np.testing.assert_array_equal(place_rows(codes, labels), np.arange(24))
