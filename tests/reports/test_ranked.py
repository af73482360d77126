"""The table of systems by rank."""

import numpy as np
import pandas as pd
import pytest

from metaeval.reports.ranked import ALIKE, ranked_columns, with_alike
from metaeval.resampling.ranks import rank_intervals


def test_systems_not_separated_are_those_without_a_significant_pair():
    """Counted from the pairs one by one; the system itself is none of them."""
    scores = np.random.default_rng(1).normal(np.arange(6)[:, None] / 3, 1.0, (6, 40))
    ranks = rank_intervals(scores, n_draws=200, rng=1)
    pairs = ranks.pairs()
    rows = with_alike(ranks.to_frame())
    for row in rows.itertuples():
        mine = pairs[(pairs["system_a"] == row.system) | (pairs["system_b"] == row.system)]
        assert row.alike == (~mine["significant"]).sum()
    assert 0 < rows["alike"].sum() < 30


@pytest.mark.parametrize(("letters", "there"), [("abc", True), ("abcdefghijklm", False)])
def test_groups_are_shown_where_their_letters_are_few(letters, there):
    """A column of more than twelve letters says nothing."""
    columns = ranked_columns(pd.DataFrame({"letters": [letters, "a", "b"]}), (), (), ALIKE)
    assert ("letters" in {column.name for column in columns}) == there
