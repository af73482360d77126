"""Cells of votes: what is one name however it is written, what is a number, and which row is refused for what."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.table.vote_cells import RowError, TextCells, finite_numbers, flags_of, text_cells, without_lists


def column(*values):
    """Return cells of mixed types as pandas keeps them."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


names = st.one_of(st.text("ab \t1.0", max_size=4), st.integers(-3, 3), st.booleans(), st.none(), st.just(float("nan")))


def literal_text(value):
    """Write one cell as text, None for an empty one."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    return (str(value).lower() if isinstance(value, bool) else str(value)).strip() or None


@given(st.lists(names, min_size=1, max_size=9))
def test_every_row_keeps_its_text(values):
    """Each text has one number, in the order in which it first appears; an empty cell has none."""
    cells = text_cells(column(*values), "system")
    wanted = [literal_text(value) for value in values]
    assert [cells.texts[code] if code >= 0 else None for code in cells.codes] == wanted
    assert cells.texts == list(dict.fromkeys(text for text in wanted if text is not None))


@pytest.mark.parametrize(
    "values",
    [
        np.array([7, 1, 7]),
        np.array([7.0, 1.0, 7.0]),
        column(7, 1, 7.0),
        column(b"7", b"1", b"7"),
        column(np.int64(7), np.float64(1.0), "7"),
        column(Decimal(7), Decimal(1), 7),
        pd.array([7, 1, 7], dtype="Int64"),
        pd.array(["7", "1", "7"], dtype="string"),
        pd.Categorical(["7", "1", "7"]),
        pd.Categorical([7, 1, 7]),
    ],
    ids=str,
)
def test_a_name_is_the_same_in_every_type_of_column(values):
    """Seven is '7', as a number with a point, bytes or a type of pandas."""
    cells = text_cells(values, "system")
    assert (cells.texts, cells.codes.tolist()) == (["7", "1"], [0, 1, 0])


def test_whole_numbers_are_names_as_long_as_they_have_all_their_digits():
    """2^53 - 1 is one, 2^53 and beyond may be another number's name; text has no limit."""
    assert text_cells(np.array([2.0**53 - 1, 1.5]), "system").texts == ["9007199254740991", "1.5"]
    for lost in (2.0**53, -(2.0**53), 1e300):
        with pytest.raises(RowError, match="may have lost digits") as caught:
            text_cells(np.array([1.0, lost]), "system")
        assert caught.value.place == 1
    assert text_cells(column(2**53 + 1, "9007199254740993"), "system").texts == ["9007199254740993"]


@pytest.mark.parametrize(
    ("cell", "rule"),
    [
        ({"a": 1}, "the system is an object ({'a': 1}), and must be one name"),
        (["a", "b"], "the system is a list (['a', 'b']), and must be one name"),
        (("a",), "the system is a list (('a',)), and must be one name"),
        ({"a"}, "the system is a set ({'a'}), and must be one name"),
        (np.arange(2), "the system is an array ([0 1]), and must be one name"),
        (b"\xff", "the system b'\\xff' is no UTF-8; decode it first"),
        (10**5000, "the system is a number of thousands of digits; give it a name"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_cell_that_is_no_name_is_refused_with_its_row(cell, rule):
    """The error says which, whatever stands above."""
    with pytest.raises(RowError) as caught:
        text_cells(column("a", None, "a", cell), "system")
    assert (caught.value.place, caught.value.rule) == (3, rule)


def test_the_row_of_a_lost_name_is_the_first_that_has_it():
    """Cells that are alike are read once, and the row that is named is that of the table."""
    with pytest.raises(RowError) as caught:
        text_cells(np.array([1.0, 1.0, 2.0, 2.0**60, 1.0, 2.0**60]), "system")
    assert caught.value.place == 3


def test_the_first_row_of_some_texts():
    """-1 where no row has one of them; a cell that is empty has none."""
    cells = TextCells(np.array([-1, 1, 0, 1]), ["a", "b"])
    assert [cells.first(held) for held in ([True, False], [False, True], [True, True], [False, False])] == [2, 1, 1, -1]
    assert TextCells(np.array([-1]), ["a"]).first([True]) == -1


def test_numbers_are_finite_or_none():
    """In columns of numbers, of text and of both; whether a cell holds a number does not hang on the column's type."""
    wanted = [2.0, 0.5, -3.0, *[np.nan] * 4]
    for values in (
        np.array([2, 0.5, -3, np.nan, np.inf, -np.inf, np.nan]),
        column("2", " 0.5 ", "-3e0", "", "inf", "nan", "many"),
        column(2, np.float64(0.5), -3.0, None, float("inf"), pd.NA, "true"),
        pd.array(["2", "0.5", "-3", None, "inf", "0x10", "1_0"], dtype="string"),
        pd.Categorical(["2", "0.5", "-3", None, "inf", "nan", "x"]),
    ):
        np.testing.assert_array_equal(finite_numbers(values, "weight"), wanted)
    assert finite_numbers(np.array([2**60], dtype=np.uint64), "weight").tolist() == [2.0**60]
    assert finite_numbers(column(1e300, 2.0**70), "weight").tolist() == [1e300, 2.0**70]  # a name would be refused


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), (1.0, 0.0), ("1", "0"), ("1.0", "0.0"), ("TRUE", "False"), ("yes", "No"), (True, False)],
    ids=map(str, range(7)),
)
def test_flags_are_one_and_nought_in_any_writing(yes, no):
    """As numbers, truth values and words, whatever their case."""
    assert flags_of(column(yes, no, no, yes), "column 'tie'").tolist() == [True, False, False, True]
    assert flags_of(pd.Series([yes, no]).to_numpy(), "column 'tie'").tolist() == [True, False]


@pytest.mark.parametrize("place", [0, 2])
def test_a_flag_that_is_none_is_refused_with_its_row(place):
    """What is neither 1 nor 0, and what is empty, which is no 0."""
    for cell, rule in (
        (2, "is '2'"),
        ("maybe", "is 'maybe'"),
        (0.5, "is '0.5'"),
        (None, "is empty"),
        (" ", "is empty"),
    ):
        cells = [1, 0, 1]
        cells[place] = cell
        with pytest.raises(RowError, match=f"column 'tie' {rule}; it is 1 or 0 in every row") as caught:
            flags_of(column(*cells), "column 'tie'")
        assert caught.value.place == place


def test_units_in_lists_are_their_first_or_the_whole():
    """A judge is the model, however it was asked; a question is all of its turns; an empty list is no unit."""
    lists = column(["gpt-4", "v2"], ("gpt-4", "v1"), "ann", None)
    assert without_lists(lists, "voter").tolist() == ["gpt-4", "gpt-4", "ann", None]
    assert without_lists(lists, "question").tolist() == ["['gpt-4', 'v2']", "('gpt-4', 'v1')", "ann", None]
    own = [pd.array(["a", None], dtype="string"), pd.array([1, None], dtype="Int64"), pd.Categorical(["a", "b"])]
    for plain in (np.array([1, 2]), column("a", None), *own):
        assert without_lists(plain, "voter") is plain
    with pytest.raises(RowError, match="the voter is a list") as caught:
        text_cells(without_lists(column("a", []), "voter"), "voter")
    assert caught.value.place == 1
