"""Names and numbers, whatever form they arrive in; most rules are held by the tests of the readers."""

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from metaeval.base.names import (
    LONGEST_NAME,
    comma_list,
    first_few,
    metric_evidence,
    natural_order,
    split_at_commas,
)


def test_numbers_in_names_count_as_numbers():
    """2 comes before 10, also inside names and with leading zeros; text goes by its letters."""
    assert natural_order(["10", "9", "q2", "q10", "010", "q1b", "q1"]) == ["9", "010", "10", "q1", "q1b", "q2", "q10"]
    assert natural_order(["9" * 5000, "8" * 5000])[0] == "8" * 5000


def _literal_order(names):
    """Sort names by their parts, text and numbers in turn; numbers go before text."""

    def key(name):
        parts = [part for part in re.split(r"([0-9]+)", name) if part]
        return [(0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts], name

    return sorted(names, key=key)


@given(st.lists(st.text(st.sampled_from("0019ab-é \x01"), max_size=8)))
def test_natural_order_is_that_of_the_parts(names):
    """The order is that of lists of parts, with and without leading zeros."""
    assert natural_order(names) == _literal_order(names)


@given(st.lists(st.text()))
def test_natural_order_is_an_order(names):
    """Nothing is lost, and the order of arrival does not matter."""
    assert natural_order(names) == natural_order(reversed(names))
    assert sorted(natural_order(names)) == sorted(names)


@given(st.lists(st.integers(0, 10**6)))
def test_natural_order_sorts_whole_numbers(numbers):
    """For ids that are whole numbers the order is theirs."""
    assert natural_order(map(str, numbers)) == [str(number) for number in sorted(numbers)]


@pytest.mark.parametrize(
    ("names", "evidence"),
    [
        ("ndcg", 2),
        ("ndcg x", 1),
        ("ndcg bpref", 2),
        ("ndcg bpref x", 2),
        ("ndcg bpref x y", 1),
        ("ndcg bpref err x y", 2),
        ("ndcg p", 2),
        ("p x", 0),
    ],
)
def test_names_that_look_like_those_of_metrics(names, evidence):
    """All of them, or two and more than half, are enough; a letter counts beside others only."""
    assert metric_evidence(names.split()) == evidence


def test_the_first_few_of_many_are_named():
    """And how many there are more; a name that is too long is cut."""
    assert first_few(range(6)) == "0, 1, 2, 3, 4 and 1 more"
    assert first_few(["a", "b", "c"], most=2, between="; ", write=str.upper) == "A; B and 1 more"
    assert first_few([]) == ""
    assert len(first_few(["x" * 5000])) < LONGEST_NAME + 30


@given(st.lists(st.text(st.sampled_from('ab ,"'), min_size=1).filter(lambda name: name == name.strip()), min_size=1))
def test_a_list_of_names_is_read_as_it_was_written(names):
    """Whatever names hold: commas, blanks and quotes."""
    assert split_at_commas([comma_list(names)], set().__contains__) == names
    assert split_at_commas(names, {*names}.__contains__) == names
