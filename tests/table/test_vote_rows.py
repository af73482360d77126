"""Rows of tables of votes that are no vote of their own: sums, and rows that repeat one."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.vote_cells import text_cells
from metaeval.table.vote_rows import RepeatedRows, n_repeated, rows_of_sums, system_name


@pytest.mark.parametrize(
    ("left", "right", "is_sum"),
    [
        ("Total", None, True),
        (None, "sum", True),
        ("average", "Total", True),
        ("a", "Total", False),
        ("Total", "a", False),
        ("a", None, False),
        (None, None, False),
        ("a", "b", False),
        ("Totalis", None, False),
    ],
)
def test_a_row_is_a_sum_where_no_system_plays(left, right, is_sum):
    """A word for all others on either side, and beside it nothing or another such word; among rows that are votes."""
    sides = [text_cells(np.array(one, dtype=object), "system") for one in (["a", left, "b"], ["b", right, "a"])]
    assert rows_of_sums(sides).tolist() == [False, is_sum, False]


def test_a_system_is_not_called_as_a_sum():
    """Blanks around a name are none of it."""
    assert system_name(" bm25 ") == "bm25"
    for word in ("Total", "mean"):
        with pytest.raises(ScoresError, match=f"system '{word}' is called as a sum or average of others"):
            system_name(word)


def test_rows_repeat_those_of_earlier_tables():
    """The first of rows that are alike in every column is new, also in parts and with columns in any order."""
    rows = RepeatedRows("first")
    assert rows.first_alone
    assert not RepeatedRows("keep").first_alone
    assert rows.new({"left": np.array([1, 1, 2]), "right": np.array(["x", "x", "x"])}).tolist() == [True, False, True]
    assert rows.new({"right": np.array(["x", "y", "y"]), "left": np.array([2, 1, 1])}).tolist() == [False, True, False]
    assert rows.new({"left": np.array([1]), "right": np.array(["y"])}).tolist() == [False]
    with pytest.raises(InvalidOptionError, match="duplicates"):
        RepeatedRows("last")


def test_votes_are_counted_that_repeat_one_on_the_same_question():
    """Without a question, and beside a number or a date of the row, nothing says that they are the same vote."""
    held = {"left": np.array([0, 0, 0, 0]), "right": np.array([1, 1, 1, 1]), "share": np.array([1.0, 1.0, 1.0, 0.5])}
    asked = held | {"question": np.array([0, 0, 1, 0])}
    assert n_repeated(asked, counted=False) == 1
    assert n_repeated(held, counted=False) == 0
    # counts of a pair are laid out by outcome: the same pair is counted once
    assert n_repeated(held, counted=True) == 2
