"""The table of systems by rank."""

import numpy as np
import pandas as pd
import pytest

from metaeval.reports.ranked import ALIKE, open_first, ranked_columns, top_sentence, with_alike
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


@pytest.mark.parametrize(("n_systems", "heads"), [(3, ["best"]), (4, ["best", "top 3"])])
def test_no_system_is_said_to_be_among_as_many_as_there_are(n_systems, heads):
    part = pd.DataFrame({"rank": range(1, n_systems + 1), "letters": "a", "p_best": 0.3, "p_top_3": 1.0})
    columns = ranked_columns(part, (), (), ALIKE)
    assert [column.label for column in columns if column.name.startswith("p_")] == heads


def test_the_first_of_many_are_said_to_be_alike_only_where_some_pair_differs():
    """Seven of eight ranks that may be 1 do not set the eighth apart, as long as no two systems differ."""
    part = pd.DataFrame({"system": list("abcdefgh"), "rank": range(1, 9), "rank_low": [1] * 7 + [2]})
    assert open_first(part.assign(n_above=0)).endswith("none of 8 systems can be told apart")
    assert "the first 7 of 8 systems cannot" in open_first(part.assign(n_above=[0] * 7 + [1]))


def test_who_is_the_best_by_draws_alone_is_open_with_its_probability():
    """By the ranks a, b and d are the best 3; by p-values over all pairs d is better than 2 of 5 only."""
    frame = pd.DataFrame(
        {
            "metric": "AP",
            "system": [*"abdcef"],
            "rank_low": [1, 2, 2, 4, 4, 6],
            "rank_high": [1, 3, 3, 5, 5, 6],
            "p_top_3": [1.0, 1.0, 0.98, 0.02, 0.0, 0.0],
        }
    )
    tested = frame[["metric", "system"]].assign(n_below=[5, 3, 2, 1, 1, 0])
    assert top_sentence(frame, 3, level="95 %") == "Yes: a, b and d are the best 3 under AP (95 %, all ranks at once)."
    assert top_sentence(frame, 3, level="95 %", tested=tested) == (
        "Partly: a and b are among the best 3 under AP (95 %, all ranks at once); d (98 %) may be."
    )
