"""Labels checked and put into one form."""

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels, of_judges
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.scores import as_scores
from metaeval.table.votes import as_votes


def frame(columns, topics=None):
    """Make a wide table of labels; all items in one topic unless told."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays([topics or ["1"] * n, [f"d{i}" for i in range(n)]], names=["topic", "item"])
    return pd.DataFrame(columns, index=index, dtype=float)


@pytest.mark.parametrize("name", ["item", "Item ID", "row"])
@pytest.mark.parametrize("words", [("no", "yes"), ("bad", "good")])
def test_numbers_of_the_rows_are_no_labels_beside_words(name, words):
    """A column of 0 to 7 beside labels that are words numbers the rows, as beside labels that are numbers."""
    labels = {"gold": [words[place % 2] for place in range(8)], "llm": [words[place % 3 % 2] for place in range(8)]}
    plain, numbered = as_labels(pd.DataFrame(labels)), as_labels(pd.DataFrame({name: range(8), **labels}))
    pd.testing.assert_frame_equal(numbered.table, plain.table)
    assert numbered.words == plain.words
    named = "item" in name.casefold()  # then they name the items
    assert (f"left out column {name!r}, the numbers of the rows" in numbered.notes) != named


def test_numbers_that_are_labels_are_no_numbers_of_rows():
    """A judge who writes grades where another writes words is still refused."""
    with pytest.raises(ScoresError, match="there are both"):
        as_labels(pd.DataFrame({"ann": [0, 1, 1, 0], "ben": ["bad", "good", "good", "fair"]}))


def test_labels_off_the_scale_stop_or_are_listed():
    """A label that is not on the scale is an error that names it; on request it is left out and listed."""
    table = frame({"a": [0, 5, 1], "b": [0, 1, 1]})
    with pytest.raises(ScoresError, match=r"1 labels are not on the scale 0, 1.*'d1', judge 'a' is 5"):
        as_labels(table, scale=(0, 1))
    labels = as_labels(table, scale=(0, 1), outside="drop")
    assert labels.outside.to_dict("records") == [{"topic": "1", "item": "d1", "judge": "a", "label": 5.0}]
    assert compare_labels(labels, rng=0).pairs["items"].item() == 2
    assert labels.select("b").outside.empty
    assert len(labels.select("ba").outside) == 1
    with pytest.raises(InvalidOptionError, match="`scale` must hold whole numbers"):
        as_labels(table, scale=(0, 0.5, 5))
    with pytest.raises(UnknownNameError, match="'keep'"):
        as_labels(table, scale=(0, 1), outside="keep")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (frame({"a": [0.5, 1]}), "whole numbers.*0.5"),
        (frame({"a": [0, 1]}), "two judges"),
        (frame({"a": [0, np.inf], "b": [0, 1]}), "'d1', judge 'a' is infinite"),
        (pd.DataFrame({"a": [0], "b": [1]}, pd.MultiIndex.from_tuples([(1, 2, 3)])), r"\(topic, item\) or item"),
        (pd.DataFrame({"a": [{}], "b": [1]}), r"'0', judge 'a' is \{\}"),
        (pd.DataFrame({"a": [9**5000], "b": [1]}), "judge 'a' is a number of thousands of digits"),
        (pd.concat([frame({"a": [0, 1, 1], "b": [1, 1, 0]})] * 2).iloc[[0, 1, 2, 4, 5]], "item 'd1' appears twice"),
        (frame({"a": [0, 1], "b": [0, 1]}).astype(object).replace(1, "x"), "must be numbers"),
        ("labels", "DataFrame or a mapping"),
    ],
)
def test_bad_labels_stop(table, message):
    """Each kind of table that is no table of labels is refused with the reason."""
    with pytest.raises(ScoresError, match=message):
        as_labels(table)


def test_the_label_that_is_no_whole_number_is_named():
    """It is the one with the fraction, not the first one there is."""
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.5]}, index=pd.MultiIndex.from_tuples([("1", "x"), ("1", "y")]))
    with pytest.raises(ScoresError, match=r"must be whole numbers.*y.* is 1\.5; leave this row out if it sums"):
        as_labels(table)


def tickets(numbers, names=("Anna", "Ben", "Carla")):
    """Return the labels of three judges for nine items, by item; words, or the grades that stand for them."""
    grades = [[0, 0, 1], [1, 1, 1], [2, 2, 2], [0, 0, 0], [1, 2, 1], [2, 2, 2], [0, 1, 0], [2, 2, 1], [1, 1, 1]]
    table = pd.DataFrame(grades, columns=list(names))
    return table if numbers else table.replace({0: "schlecht", 1: "teils", 2: "gut"})


@pytest.mark.parametrize("ids", [[f"A{number}" for number in range(9)], [4711, 812, 90, 7, 55, 1203, 31, 640, 8]])
@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("name", ["Antwort", "ticket", "conversation", "case"])
def test_column_of_items_is_no_judge_whatever_it_is_called(name, numbers, ids):
    """A frame with a column of items has the labels that it has with the items in the index, wide and long.

    The expected labels are those that `set_index` leaves, whose items nobody has to guess.
    """
    table = tickets(numbers).assign(**{name: ids})[[name, "Anna", "Ben", "Carla"]]
    expected = as_labels(table.set_index(name))
    long = table.melt(name, var_name="judge", value_name="label")
    readings = [as_labels(long), as_labels(long.set_index(name))]
    if numbers and not isinstance(ids[0], str) and name in {"ticket", "conversation"}:
        with pytest.raises(ScoresError, match=f"'{name}' .*drop what is none"):
            as_labels(table)
        readings.append(as_labels(table.drop(columns=name)))
    else:
        readings.append(as_labels(table))
    for labels in readings:
        assert labels.judges == ("Anna", "Ben", "Carla")
        assert sorted(labels.table.to_numpy().tolist()) == sorted(expected.table.to_numpy().tolist())


def test_long_labels_in_memory_without_items_are_refused_with_a_way_out():
    """Where a judge labels an item twice, or nothing names the items, it is said what to do, and doing it helps."""
    table = tickets(numbers=False).assign(ticket=list("aabcdefgh"))
    long = table.melt("ticket", var_name="judge", value_name="label")
    with pytest.raises(ScoresError, match=r"no column names the items, each once a judge; .* keep one row"):
        as_labels(long)
    kept = long.drop_duplicates(["judge", "ticket"])
    assert as_labels(kept).table.shape == (8, 3)
    with pytest.raises(ScoresError, match="add one called item"):
        as_labels(kept.drop(columns="ticket"))
    pd.testing.assert_frame_equal(as_labels(kept.rename(columns={"ticket": "item"})).table, as_labels(kept).table)


def test_text_beside_words_is_left_out_with_a_note():
    """Comments in the judges' own words are no labels where the items are in the index, either."""
    table = tickets(numbers=False).assign(comment=[f"because {number}" for number in range(9)])
    labels = as_labels(table.set_axis([f"A{number}" for number in range(9)]))
    assert labels.judges == ("Anna", "Ben", "Carla")
    assert "left out column 'comment', words that no other column holds" in labels.notes


def test_one_judge_beside_the_items_is_refused():
    """A column that names the items makes no second judge of one; two judges of few words stay two."""
    table = tickets(numbers=False)[["Anna"]].assign(ticket=[f"A{number}" for number in range(9)])
    with pytest.raises(ScoresError, match=r"'ticket' holds another word in every row.*second judge beside 'Anna'"):
        as_labels(table)
    assert as_labels(tickets(numbers=False)[["Anna", "Ben"]]).judges == ("Anna", "Ben")


def test_a_function_of_labels_or_votes_takes_how_they_are_read():
    """What an error says of columns, words and rows is taken by the function that said it, as by the reader."""
    wide = pd.DataFrame({"item": [f"d{at}" for at in range(12)], "Ann": [0, 1, 2] * 4, "Ben": [0, 2, 2, 1, 1, 0] * 2})
    rows = wide.melt("item", var_name="who", value_name="verdict")
    rows = pd.concat([rows, rows.iloc[:12].assign(who="Cyd")])
    columns = {"judge": "who", "label": "verdict"}
    found = metaeval.study_judges(rows, columns=columns, where={"who": "!=Cyd"}, rng=0)
    assert found.to_frame().equals(metaeval.study_judges(wide, rng=0).to_frame())
    votes = pd.DataFrame({"one": ["x", "y"] * 9, "other": ["y", "x"] * 9, "best": ["x", "x", "y"] * 6})
    columns = {"left": "one", "right": "other", "winner": "best"}
    assert metaeval.study_votes(votes, columns=columns, rng=0).equals(
        metaeval.study_votes(as_votes(votes, columns=columns), rng=0)
    )


@pytest.mark.parametrize(
    "name",
    [
        "gold",
        "final",
        "Final label",
        "consensus",
        "adjudicated",
        "agreed",
        "majority_vote",
        "ground truth",
        "Endurteil",
    ],
)
def test_what_judges_settled_on_is_no_further_judge(name):
    """Agreement counts those who judged: the column is left out with a note, unless it is asked for as the reference.

    By hand: two judges agree on three of four items with a table of (2, 1, 0, 1), so Cohen's kappa is 0.5.
    """
    frame = pd.DataFrame({"item": [*"pqrs"], "ann": [1, 1, 0, 0], "ben": [1, 0, 0, 0], name: [1, 1, 0, 0]})
    study = metaeval.study_judges(frame, rng=0)
    assert study.labelling.labels.judges == ("ann", "ben")
    assert study.labelling.agreement.pairs["kappa"].tolist() == [0.5]
    assert any(f"column {name!r} is left out" in note and f"`reference={name!r}`" in note for note in study.notes)
    asked = metaeval.study_judges(frame, reference=name, rng=0)
    assert asked.labelling.labels.judges == ("ann", "ben", name)
    words = frame.replace({0: "bad", 1: "good"})
    assert metaeval.look(words).contents.judges == ("ann", "ben")
    assert metaeval.study_judges(words, rng=0).labelling.labels.judges == ("ann", "ben")


@pytest.mark.parametrize("name", ["Goldberg", "final_reviewer", "ann_final", "nist", "expert", "adjudicator", "Finn"])
def test_whoever_is_called_otherwise_is_a_judge(name):
    """A name, a person's role, a later pass of a judge; and beside one judge alone gold is the second."""
    frame = pd.DataFrame({"item": [*"pqrs"], "ann": [1, 1, 0, 0], "ben": [1, 0, 0, 0], name: [1, 1, 0, 1]})
    assert of_judges(as_labels(frame)).judges == ("ann", "ben", name)
    assert of_judges(as_labels(frame[["item", "ann", name]].rename(columns={name: "gold"}))).judges == ("ann", "gold")


def test_a_coarser_form_of_labels_is_no_further_judge():
    """Said by the other column in nearly every row, called as it with a word more, and of fewer labels."""
    grades = pd.DataFrame({"item": [*"pqrstu"], "nist": [0, 1, 2, 0, 1, 2], "ann": [0, 1, 2, 1, 1, 2]})
    for more in ("nist_merged", "NIST binary", "nist-2class", "binary_nist", "nist_zusammengefasst"):
        labels = of_judges(as_labels(grades.assign(**{more: (grades["nist"] > 0).astype(int)})))
        assert labels.judges == ("nist", "ann")
        assert f"column {more!r} is left out: it is a coarser form of 'nist'" in labels.notes[-1]
    stays = {
        "nist_old": (grades["nist"] > 0).astype(int),  # another pass
        "cara_binary": (grades["nist"] > 0).astype(int),  # of nobody here
        "nist_binary": [1, 1, 0, 0, 0, 1],  # says something else
        "nist_collapsed": grades["nist"],  # as fine
    }
    for name, column in stays.items():
        assert name in of_judges(as_labels(grades.assign(**{name: column}))).judges


@pytest.mark.parametrize(
    "cells", [("0,5", "0,25", "1,0"), ("50 %", "25 %", "100 %"), ("1.200,5", "3.000,0", "1.000,5")]
)
def test_numbers_in_another_spelling_are_no_words(cells):
    """As readers of files refuse them: what is written says how to write it."""
    frame = pd.DataFrame({name: [*cells] for name in ("ann", "ben")}, index=pd.Index([*"pqr"], name="item"))
    with pytest.raises(ScoresError, match=r"item 'p', judge 'ann': .* has .*; write"):
        as_labels(frame)
    with pytest.raises(ScoresError) as of_scores:
        as_scores(frame)
    with pytest.raises(ScoresError) as of_look:
        metaeval.look(frame)
    assert str(of_look.value) == str(of_scores.value)
    letters = frame.replace(dict(zip(cells, "ABC", strict=True)))
    assert as_labels(letters).words == ("A", "B", "C")


def test_what_is_settled_by_majority_is_said_where_it_is_the_reference():
    """Made of the judges whom it is compared with: by hand the majority of three; left out, it needs no such note."""
    three = {"ann": [1, 1, 0, 0, 1, 0, 1, 0], "ben": [1, 0, 0, 1, 1, 0, 0, 0], "cat": [0, 1, 0, 1, 1, 1, 0, 0]}
    frame = pd.DataFrame(three | {"gold": [1, 1, 0, 1, 1, 0, 0, 0]})
    labels = as_labels(pd.concat([frame] * 4, ignore_index=True))
    made = "judge 'gold' is the majority of 'ann', 'ben', 'cat'"
    assert any(note.startswith(made) for note in of_judges(labels, ["gold"]).notes)
    alone = of_judges(labels)
    assert alone.judges == ("ann", "ben", "cat")
    assert not any(note.startswith(made) for note in alone.notes)


def test_words_in_columns_of_their_own_are_no_grades():
    """Where one column holds words and another numbers the headers are what is not understood."""
    table = pd.DataFrame({"thing": [*"pqpq"], "who": [*"aabb"], "tag": [0, 1, 1, 1]})
    with pytest.raises(ScoresError, match=r"in columns of their own \(thing, who, tag\); .*`columns=\{'item': 'NAME'"):
        as_labels(table)
