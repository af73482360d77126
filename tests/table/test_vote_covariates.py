"""Covariates of votes: a column, the difference of two, or who stood on the left."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.table.vote_cells import RowError
from metaeval.table.vote_covariates import covariate_of, sides_of_covariate, two_sided_covariates

TABLE = {
    "tone": np.array([0.5, 2.0, np.nan]),
    "len_a": np.array([7, 3, 9]),
    "len_b": np.array([2, 8, 1]),
    "cost_winner": np.array([1.0, 5.0, 2.0]),
    "cost_loser": np.array([4.0, 5.0, 0.0]),
}
ALL = np.ones(3, dtype=bool)


def test_a_covariate_is_a_column_or_two():
    """A column of its name comes before those of both sides; one side alone is none; the position needs no column."""
    assert sides_of_covariate("len", TABLE) == ("len_a", "len_b")
    assert sides_of_covariate("len", [*TABLE, "len"]) == ("len",)
    assert sides_of_covariate("cost", TABLE) == ("cost_winner", "cost_loser")
    for first, second in (("x_left", "x_right"), ("x_1", "x_2"), ("x_first", "x_second")):
        assert sides_of_covariate("x", [second, first]) == (first, second)
        assert sides_of_covariate("x", [first]) is None
    assert sides_of_covariate("position", TABLE) == ()
    assert sides_of_covariate("position", ["position"]) == ("position",)
    assert sides_of_covariate("style", TABLE) is None


def test_a_difference_is_that_of_the_first_side_less_the_other():
    """Of the rows that are kept, with or without sides."""
    kept = np.array([True, False, True])
    assert covariate_of("len", TABLE, kept, placed=True).tolist() == [5.0, 8.0]
    assert covariate_of("cost", TABLE, ALL, placed=False).tolist() == [-3.0, 0.0, 2.0]
    assert covariate_of("tone", TABLE, np.array([True, True, False]), placed=False).tolist() == [0.5, 2.0]


def test_the_position_is_known_where_votes_have_sides():
    """It is 1 for the left of every vote; winners and losers have no left."""
    assert covariate_of("position", TABLE, np.array([True, False, True]), placed=True).tolist() == [1.0, 1.0]
    with pytest.raises(InvalidOptionError, match="a table of winners and losers does not say who was on the left"):
        covariate_of("position", TABLE, ALL, placed=False)


def test_every_vote_needs_a_number():
    """The row and the column are named; rows that are no votes need none."""
    with pytest.raises(
        RowError, match="covariate 'tone' must be a number for every vote; column 'tone' has none"
    ) as one:
        covariate_of("tone", TABLE, ALL, placed=True)
    assert one.value.place == 2
    with pytest.raises(RowError, match="column 'len_b' has none") as one:
        covariate_of(
            "len", TABLE | {"len_b": np.array(["x", "2", ""], dtype=object)}, np.array([0, 1, 1]) > 0, placed=True
        )
    assert one.value.place == 2


def test_texts_are_as_long_as_they_have_characters():
    """Counted by hand, in arrays of objects, categories and winners beside losers; systems are no answers."""
    answers = {
        "output_1": pd.Categorical(["Oui", "né", "Oui"]),
        "output_2": np.array(["", "No.", "No."], dtype=object),
        "chosen": np.array(["abc", "abc", "abcd"], dtype=object),
        "rejected": np.array(["a", "abcd", "abcd"], dtype=object),
    }
    assert covariate_of("length", answers, ALL, placed=True).tolist() == [3.0, -1.0, 0.0]
    pair = {name: answers[name] for name in ("chosen", "rejected")}
    assert covariate_of("length", pair, ALL, placed=False).tolist() == [2.0, -1.0, 0.0]
    assert sides_of_covariate("length", pair, {"chosen", "rejected"}) is None


@pytest.mark.parametrize(
    ("systems", "sides"),
    [
        (("better", "worse"), {}),
        (("model_a", "model_b"), {}),
        (("system_1", "system_2"), {"YiSi": ("YiSi_1", "YiSi_2")}),
    ],
)
def test_numbers_at_the_end_are_sides_where_systems_have_them(systems, sides):
    """YiSi-1 and YiSi-2 are two metrics (Lo, 2019), unless the systems are numbered in the same way."""
    names = [*systems, "YiSi_1", "YiSi_2"]
    assert two_sided_covariates(names, {*systems}, dict.fromkeys(names, "1")) == sides
