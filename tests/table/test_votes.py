"""Votes as tables: the forms of arenas and of preference judges, laid out alike, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.votes import as_votes

FORMS = {
    "evalica": [
        {"left": "x", "right": "y", "winner": "left", "prompt": 1, "worker": "p"},
        {"left": "y", "right": "x", "winner": "tie", "prompt": 2, "worker": "q"},
    ],
    "arena": [
        {"model_a": "x", "model_b": "y", "winner": "model_a", "question_id": 1, "judge": "p"},
        {"model_a": "y", "model_b": "x", "winner": "tie (bothbad)", "question_id": 2, "judge": "q"},
    ],
    "names": [
        {"system_a": "x", "system_b": "y", "verdict": "x", "query": 1, "assessor": "p"},
        {"system_a": "y", "system_b": "x", "verdict": "both bad", "query": 2, "assessor": "q"},
    ],
    "AlpacaEval": [
        {"generator_1": "x", "generator_2": "y", "preference": 1, "instruction": "a", "annotator": "p"},
        {"generator_1": "y", "generator_2": "x", "preference": 1.5, "instruction": "b", "annotator": "q"},
    ],
    "old AlpacaEval": [
        {"generator_1": "x", "generator_2": "y", "preference": 1, "instruction": "a", "annotator": "p"},
        {"generator_1": "y", "generator_2": "x", "preference": 0, "instruction": "b", "annotator": "q"},
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_say_the_same(form):
    """One beats the other on the first question, and the second is a tie."""
    found = as_votes(FORMS[form])
    assert found.systems == ("x", "y")
    assert found.to_frame()[["left", "right", "share", "weight"]].to_numpy().tolist() == [
        ["x", "y", 1.0, 1.0],
        ["y", "x", 0.5, 1.0],
    ]
    assert found.units["question"].tolist() == found.units["voter"].tolist() == [0, 1]
    assert (found.n_votes, found.n_units("question"), found.counted) == (2, 2, False)


def test_both_orders_are_two_votes():
    """MT-Bench asks for each pair twice, the second time turned about; an error is no vote."""
    rows = [
        {
            "question_id": 81,
            "model_1": "x",
            "model_2": "y",
            "g1_winner": "model_1",
            "g2_winner": "tie",
            "judge": ["j", "p"],
        },
        {
            "question_id": 82,
            "model_1": "x",
            "model_2": "y",
            "g1_winner": "model_2",
            "g2_winner": "error",
            "judge": ["j", "p"],
        },
    ]
    found = as_votes(rows)
    assert found.to_frame()[["left", "right", "share"]].to_numpy().tolist() == [
        ["x", "y", 1.0],
        ["x", "y", 0.0],
        ["y", "x", 0.5],
    ]
    assert found.notes == ("1 vote without a verdict (error) left out",)
    assert found.n_units("voter") == 1
    second = as_votes([rows[0] | {"g2_winner": "model_1"}]).to_frame()
    assert second[["left", "share"]].to_numpy().tolist() == [["x", 1.0], ["y", 0.0]]


def test_games_against_a_baseline():
    """Arena-Hard: the baseline is A in the first game and B in the second; >> weighs three times, and that is said."""
    games = [{"score": "A>>B"}, {"score": "A=B"}]
    rows = [{"question_id": 1, "model": "x", "judge": "j", "games": games}]
    found = as_votes(rows)
    assert found.to_frame()[["left", "right", "share", "weight"]].to_numpy().tolist() == [
        ["baseline", "x", 1.0, 3.0],
        ["x", "baseline", 0.5, 1.0],
    ]
    assert "count 3 times" in found.notes[0]
    assert "names no baseline" in found.notes[1]
    named = as_votes([rows[0] | {"baseline": "old"}])
    assert named.systems == ("old", "x")


def test_counts_weigh_their_votes():
    """Rows of wins, losses and ties; who voted is unknown."""
    found = as_votes([{"left": "x", "right": "y", "wins": 3, "losses": 0, "ties": 2}])
    assert sorted(zip(found.share.tolist(), found.weight.tolist(), strict=True)) == [(0.5, 2.0), (1.0, 3.0)]
    assert (found.counted, found.n_votes) == (True, 5)
    with pytest.raises(ScoresError, match="whole numbers"):
        as_votes([{"left": "x", "right": "y", "wins": 1.5, "losses": 0}])


def test_weights_and_named_columns():
    """A weight column, and columns with other names."""
    rows = [{"one": "x", "two": "y", "who": "left", "weight": 2}]
    found = as_votes(rows, columns={"left": "one", "right": "two", "winner": "who"})
    assert found.weight.tolist() == [2.0]
    with pytest.raises(UnknownNameError, match="three"):
        as_votes(rows, columns={"left": "three"})
    with pytest.raises(InvalidOptionError, match="may name"):
        as_votes(rows, columns={"middle": "one"})
    with pytest.raises(ScoresError, match="weights must be numbers"):
        as_votes([rows[0] | {"weight": -1}], columns={"left": "one", "right": "two", "winner": "who"})


def test_covariates_are_differences():
    """A column as it is, two columns by their difference, the position without any."""
    rows = [{"left": "x", "right": "y", "winner": "left", "len_left": 10, "len_right": 4, "tone": 0.5}]
    found = as_votes(rows, covariates=["len", "tone", "position"])
    assert {name: values.tolist() for name, values in found.covariates.items()} == {
        "len": [6.0],
        "tone": [0.5],
        "position": [1.0],
    }
    with pytest.raises(UnknownNameError, match="style"):
        as_votes(rows, covariates=["style"])
    with pytest.raises(ScoresError, match="must be a number for every vote"):
        as_votes([rows[0] | {"tone": "loud"}], covariates=["tone"])


def test_words_for_the_winner():
    """Other words are said, numbers too; a first line that is a vote is no header."""
    rows = [{"left": "x", "right": "y", "winner": winner} for winner in (1, 2.0, "0", "Both good")]
    said = as_votes(rows, words={"1": "left", "2": "right", "0": "tie", "both good": "tie"})
    assert said.share.tolist() == [1.0, 0.0, 0.5, 0.5]
    less = as_votes(
        [*rows, {"left": "x", "right": "y", "winner": "skipped"}],
        words={"1": "left", "2": "none", "0": "tie", "both good": "none"},
    )
    assert less.share.tolist() == [1.0, 0.5]
    with pytest.raises(ScoresError, match=r"the winner is '1'.*`words=\{'1': 'left'\}`"):
        as_votes(rows)
    with pytest.raises(InvalidOptionError, match="side"):
        as_votes(rows, words={"1": "first"})
    with pytest.raises(InvalidOptionError, match="must be a header"):
        as_votes(pd.DataFrame([["c", "d", "tie"]], columns=["a", "b", "tie"]))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"left": "x", "right": "x", "winner": "left"}, "row 2: system 'x' plays itself"),
        ({"left": "x", "right": "y", "winner": "z"}, "row 2: the winner is 'z', and 'x' played 'y'"),
        ({"left": "x", "right": "y", "winner": None}, "row 2: there is no winner, and 'x' played 'y'"),
        ({"left": None, "right": "y", "winner": "tie"}, "row 2: a system has no name"),
    ],
)
def test_rows_that_are_no_votes(row, message):
    """Each names the row."""
    with pytest.raises(ScoresError, match=message):
        as_votes([{"left": "y", "right": "x", "winner": "left"}, row])


def test_tables_of_something_else():
    """Scores are no votes, and the message says what votes need."""
    with pytest.raises(InvalidOptionError, match="votes need columns for both systems and the winner"):
        as_votes(pd.DataFrame({"system": ["a"], "topic": ["1"], "score": [0.1]}))
    with pytest.raises(InvalidOptionError, match="votes are a table"):
        as_votes("votes.csv")


def test_without_a_voter_each_is_its_own():
    """What has no name is no one cluster."""
    rows = [{"left": "x", "right": "y", "winner": "left", "voter": name} for name in ("p", None, None, "p")]
    found = as_votes(rows)
    assert len(np.unique(found.units["voter"])) == 3
    assert found.notes == ("2 votes name no voter; each counts as a voter of its own",)


def test_groups_and_parts():
    """Connected systems, the largest group first; the votes of some systems have numbers of their own."""
    rows = [("a", "b"), ("c", "d"), ("d", "e")]
    found = as_votes(pd.DataFrame(rows, columns=["left", "right"]).assign(winner="tie", question=["1", "2", "3"]))
    assert found.grouped() == (("c", "d", "e"), ("a", "b"))
    part = found.of(("c", "d", "e"))
    assert (part.systems, part.n_units("question"), part.left.tolist()) == (("c", "d", "e"), 2, [0, 1])


@pytest.mark.parametrize("counted", [False, True])
def test_of_groups_of_one_size_that_with_more_votes_is_first(counted):
    """Whichever is named or numbered first."""
    for busy, other in (("a", "x"), ("x", "a")):
        rows = [{"left": one, "right": f"{one}2", "winner": "tie"} for one in (other, busy, busy)]
        if counted:
            rows = [{"left": one, "right": f"{one}2", "wins": 1, "losses": n} for one, n in ((other, 1), (busy, 2))]
        assert as_votes(rows).grouped()[0][0] == busy
