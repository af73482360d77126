"""Wide tables: names of axes, names given, labels, and what none of them tells."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.wide import topics_in_rows

WORDS = pd.DataFrame(np.arange(6.0).reshape(2, 3), index=["maths", "law"], columns=["GPT", "Llama", "Qwen"])


def test_the_way_out_of_the_error_works():
    """The message about a frame whose names do not tell says what to pass, and that is read."""
    with pytest.raises(ScoresError, match="Nothing in their names tells") as caught:
        as_scores(WORDS)
    for way in ("index", "columns"):
        assert f"list(frame.{way})" in str(caught.value)
        found = as_scores(WORDS, systems=list(getattr(WORDS, way)))
        assert found["system"].to_numpy().tolist() == list(getattr(WORDS, way))
    assert as_scores(WORDS, topics=["law", "maths"])["topic"].to_numpy().tolist() == ["law", "maths"]


@given(st.permutations(["GPT", "Llama", "Qwen"]), st.booleans())
def test_names_tell_by_what_they_are(order, turned):
    """Names in any order find the axis that has them, and the scores stay with their labels."""
    found = as_scores(WORDS.T if turned else WORDS, systems=order)
    for system in order:
        for topic in WORDS.index:
            assert float(found.sel(metric="metric1", system=system, topic=topic)) == WORDS.loc[topic, system]


def test_lengths_tell_where_there_are_no_labels():
    """Names are given to the axis of their length."""
    bare = pd.DataFrame(np.zeros((3, 2)))
    found = as_scores(bare, systems=["a", "b"])
    assert (found["system"].to_numpy().tolist(), found.sizes["topic"]) == (["a", "b"], 3)
    assert as_scores(bare.T, systems=["a", "b"]).sizes["topic"] == 3
    assert as_scores(bare)["system"].to_numpy().tolist() == ["0", "1", "2"]
    assert "since it has no names" in as_scores(bare).attrs["read_as"]


@pytest.mark.parametrize(
    ("names", "rule"),
    [
        ({"systems": ["a", "b"]}, "neither those of the 2 rows"),
        ({"systems": list(WORDS.index), "topics": list(WORDS.index)}, "name the same axis"),
        ({"systems": 3}, "must be a sequence of names, not 3"),
        ({"systems": "GPT"}, "must be a sequence of names, such as"),
    ],
)
def test_names_are_checked(names, rule):
    """Names of neither axis, and of one axis twice, are refused."""
    with pytest.raises(InvalidOptionError, match=rule):
        as_scores(WORDS, **names)


def test_where_the_order_is_documented():
    """A caller may have an order for tables whose names do not tell."""
    for way in ("rows", "columns"):
        found = topics_in_rows(WORDS, "this", {}, otherwise=way)
        assert (found.systems_in, found.table.shape) == (way, (3, 2) if way == "rows" else (2, 3))
