"""Expectations as text: what they say, and that exactly those refused have no order that meets them."""

from itertools import product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.expectations import (
    EXPECTATIONS,
    Preference,
    checked_preferences,
    parse_expectations,
    stated_by,
)
from metaeval.inex.ordered_runs import RELIABILITY_RUNS

RUNS = ("irb", "frb", "ia", "id")
TABLE = pd.DataFrame(index=list(RELIABILITY_RUNS))


def test_a_text_is_read_pair_by_pair():
    """Blanks and the typographic sign mean nothing; a chain is one expectation, a comma parts two."""
    found = parse_expectations(["lo>ao , ia ≥ id>frb", "lo > ao"])
    assert {name: list(one(TABLE)) for name, one in found.items()} == {
        "lo > ao": [Preference("lo", "ao", strict=True)],
        "ia >= id > frb": [Preference("ia", "id"), Preference("id", "frb", strict=True)],
    }
    assert found["ia >= id > frb"].__doc__ == "Rank ia at least as high as id and id above frb."


def test_the_published_order_as_text_is_the_published_expectation():
    """Section 3.3 of Kazai et al., typed in, gives the preferences that are tried by default."""
    (own,) = parse_expectations("irb >= lo >= ao > id > ia > frb").values()
    assert list(own(TABLE)) == EXPECTATIONS["overlap"](TABLE)
    assert stated_by(own) == "asked for"
    assert stated_by(EXPECTATIONS["overlap"]).startswith("Kazai")


@pytest.mark.parametrize("text", ["", "lo", ">ao", "lo>", "lo>>ao", "lo<ao", "lo>ao,", "lo=ao"])
def test_what_is_no_expectation(text):
    """The refusal says how one is written, or that the name is no run."""
    with pytest.raises((InvalidOptionError, UnknownNameError), match=r"the better run first|no simulated run"):
        parse_expectations(text)


def meets(values, wanted):
    """Say literally whether values meet preferences."""
    return all(values[a] > values[b] if strict else values[a] >= values[b] for a, b, strict in wanted)


@given(st.lists(st.tuples(st.sampled_from(RUNS), st.sampled_from(RUNS), st.booleans()), max_size=6))
def test_refused_is_what_no_order_meets(wanted):
    """Against trying every ranking with ties: an error if and only if none meets all preferences."""
    possible = any(meets(dict(zip(RUNS, values, strict=True)), wanted) for values in product(range(4), repeat=4))
    if possible:
        assert checked_preferences(wanted, RUNS) == wanted
    else:
        with pytest.raises(InvalidOptionError, match="contradict each other"):
            checked_preferences(wanted, RUNS)
