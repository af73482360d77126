"""Wide tables: names of axes, names given, labels, and what none of them tells."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.wide import topics_in_rows

WORDS = pd.DataFrame(np.arange(6.0).reshape(2, 3), index=["maths", "law"], columns=["ours", "theirs", "old"])


def test_the_way_out_of_the_error_works():
    """The message about a frame whose names do not tell says what to pass, and that is read."""
    with pytest.raises(ScoresError, match="Nothing in their names tells for sure") as caught:
        as_scores(WORDS)
    for way in ("index", "columns"):
        assert f"list(frame.{way})" in str(caught.value)
        found = as_scores(WORDS, systems=list(getattr(WORDS, way)))
        assert found["system"].to_numpy().tolist() == list(getattr(WORDS, way))
    assert as_scores(WORDS, topics=["law", "maths"])["topic"].to_numpy().tolist() == ["law", "maths"]


@given(st.permutations(["ours", "theirs", "old"]), st.booleans())
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
        ({"systems": "GPT"}, "`systems` holds 1 names, which are neither"),
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


ITEMS = [f"{letter}ox" for letter in "abcdefghijklmnopqrstuvwxyz"]
X = np.random.default_rng(0).random((26, 2))
NOT_SURE = {
    "quantised models": (["q4", "q8"], ITEMS),
    "years": ([2019, 2020], ITEMS),
    "years beside systems": ([2019, 2020], [f"sys{number}" for number in range(26)]),
    "names of models beside names of systems": (["gpt-4", "gpt-5"], [f"model_{number}" for number in range(26)]),
}


@pytest.mark.parametrize(("columns", "index"), NOT_SURE.values(), ids=NOT_SURE)
def test_labels_that_would_turn_a_frame_round_are_asked_for(columns, index):
    """26 systems on two topics are not read from labels of one axis alone; both ways out are followed, by hand."""
    frame = pd.DataFrame(X, columns=columns, index=index)
    with pytest.raises(ScoresError, match=r"for sure.*as_scores\(frame, systems=list\(frame.columns\)\)"):
        as_scores(frame)
    found = as_scores(frame, systems=list(frame.columns))
    np.testing.assert_array_equal(found.sel(system=str(columns[1]), topic=index).to_numpy()[0], X[:, 1])
    assert as_scores(frame, systems=list(frame.index)).sizes["system"] == 26


@pytest.mark.parametrize(
    ("frame", "says", "turned"),
    [
        (pd.DataFrame(X), "26 systems in rows (0, 1, 2, …), 2 topics in columns (0, 1), by the documented order", 2),
        (pd.DataFrame(X[:3], ["x", "y", "z"], ["q1", "q2"]), "3 systems in rows (x, y, z), 2 topics in columns", 2),
        (pd.DataFrame(X[:3], ["q1", "q2", "q3"], ["x", "y"]), "2 systems in columns (x, y), 3 topics in rows", 3),
        (pd.DataFrame(X, ITEMS, range(2)), "26 systems in rows (aox, box, cox, …)", 2),
    ],
)
def test_what_only_labels_or_the_order_told_is_noted_with_the_way_out(frame, says, turned):
    """The note says which axis holds systems; what it says to pass has them on the other, and is then sure."""
    (note,) = (note for note in as_scores(frame).attrs["notes"] if note.startswith("this frame"))
    assert says in note
    other = as_scores(eval(note.split("`")[1], {"frame": frame}))  # noqa: S307 - the code that a note says to pass
    assert other.sizes["system"] == turned
    assert not other.attrs.get("notes")


@pytest.mark.parametrize(
    ("columns", "index"),
    [
        (["x", "y"], range(26)),
        (["run1", "run2"], ITEMS),
        (["x", "y"], [f"q{n}" for n in range(26)]),
        (["gpt-4", "gpt-5"], ITEMS),
    ],
)
def test_what_is_sure_is_not_noted(columns, index):
    """Rows without labels, names of systems or of models, and many numbered topics tell enough."""
    found = as_scores(pd.DataFrame(X, columns=columns, index=index))
    assert (found.sizes["system"], found.attrs.get("notes", [])) == (2, [])


@pytest.mark.parametrize(
    ("outer", "inner", "systems", "noted"),
    [
        (["t5", "t6"], ITEMS, ["t5", "t6"], True),
        (ITEMS, ["x", "y"], ITEMS, True),
        (ITEMS, ["gpt-4", "gpt-5"], ["gpt-4", "gpt-5"], True),
        (ITEMS[:5], [2019, 2020], ITEMS[:5], False),
        (["x", "y"], [f"q{n}" for n in range(26)], ["x", "y"], False),
    ],
)
def test_mappings_have_systems_outermost_unless_names_say_otherwise(outer, inner, systems, noted):
    """The documented order holds; what departs from it, or might, is noted with what turns it."""
    scores = {first: {second: float(len(str(first)) + at) for at, second in enumerate(inner)} for first in outer}
    found = as_scores(scores)
    assert found["system"].to_numpy().tolist() == list(map(str, systems))
    notes = [note for note in found.attrs.get("notes", ()) if note.startswith("these mappings")]
    assert bool(notes) is noted
    if noted:
        turned = as_scores(eval(notes[0].split("`")[1], {"scores": scores, "pd": pd}))  # noqa: S307 - the code that a note says to pass
        assert turned.sizes["system"] == found.sizes["topic"]
