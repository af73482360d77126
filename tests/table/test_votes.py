"""Votes as tables: the forms of arenas and of preference judges, laid out alike, and what is refused."""

import ast
import re

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.votes import read_votes
from metaeval.models.vote_judges import vote_habits
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
    with pytest.raises(ScoresError, match=r"the winner is '1'.*`words=\{'0': 'tie', '1': 'left', .*\(0: a tie\)"):
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
    with pytest.raises(InvalidOptionError, match=r"the one that says who won, such as `columns=\{'winner': 'best'\}`"):
        as_votes(pd.DataFrame({"item": ["1"], "model_a": ["x"], "model_b": ["y"], "best": ["x"]}))
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


ARENA_HARD = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
TURNED = ("B<<A", "B<A", "B=A", "A<B", "A<<B")
"""The same from the other end: show_result.py of lmarena/arena-hard-auto knows all ten."""


def games(*rows):
    """Return rows of Arena-Hard: model, question and the scores of its games."""
    return [
        {"uid": uid, "model": model, "baseline": "base", "judge": "j", "games": [
            one if one is None else {"score": None if one == "null" else one} for one in scores]}
        for model, uid, scores in rows
    ]  # fmt: skip


def test_labels_from_either_end():
    """Each says the same, with the same weight."""
    one, other = (
        as_votes(games(*(("m", str(at), (w, w)) for at, w in enumerate(words)))) for words in (ARENA_HARD, TURNED)
    )
    assert one.to_frame().equals(other.to_frame())
    assert sorted(set(one.weight.tolist())) == [1.0, 3.0]


def shares(votes):
    """Return every model's share of its weighted votes, and their number."""
    frame = votes.to_frame()
    turned = frame.rename(columns={"left": "right", "right": "left"}).assign(share=1 - frame["share"])
    both = pd.concat([frame, turned])
    both = both.assign(won=both["share"] * both["weight"]).groupby("left")[["won", "weight"]].sum()
    return {name: (won / weight, weight) for name, won, weight in both.itertuples()}


def test_two_small_files_of_arena_hard():
    """Failed games cost their row, as in show_result.py; labels from the other end are read (both counted by hand)."""
    failed = games(
        ("p", "u0", (None, "B>A")), ("p", "u1", ("B>A", "A>B")), ("p", "u2", ("A=B", "A>B")),
        ("p", "u3", ("B>>A", "A>B")), ("q", "u0", ("A>B", "B>A")), ("q", "u1", ("null", "A=B")),
        ("q", "u2", ("A=B", "B>A")), ("q", "u3", ("A>>B", "B>A")),
    )  # fmt: skip
    found = as_votes(failed)
    assert (found.n_votes, found.weight.sum()) == (12, 16)
    assert shares(found) == {"base": (0.5, 16.0), "p": (0.9375, 8.0), "q": (0.0625, 8.0)}
    assert found.notes[0] == "2 rows with a game that failed left out, as Arena-Hard does"
    turned = games(
        ("p", "u0", ("B<A", "B>A")), ("p", "u1", ("A<B", "A>B")), ("p", "u2", ("B=A", "A>B")),
        ("p", "u3", ("A<<B", "A>B")), ("q", "u0", ("B<A", "B>A")), ("q", "u1", ("B<A", "A=B")),
        ("q", "u2", ("B=A", "B>A")), ("q", "u3", ("B<<A", "B>A")),
    )  # fmt: skip
    found = shares(as_votes(turned))
    assert found["p"] == (0.75, 10.0)
    assert found["q"] == pytest.approx((0.1, 10.0))


def test_counts_of_at_most_one_vote_a_row_are_votes_on_their_questions():
    """System p wins x twice and q y once, told from either side; of a second vote in a row they are counts."""
    rows = [("p", "q", "x", 1, 0), ("p", "q", "x", 1, 0), ("q", "p", "y", 1, 0)]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "prompt", "a_better", "b_better"])
    found = as_votes(frame)
    assert shares(found) == {"p": (2 / 3, 3.0), "q": (1 / 3, 3.0)}
    assert (found.names["question"], found.units["question"].tolist()) == (("x", "y"), [0, 0, 1])
    assert as_votes(frame.assign(b_better=[2, 0, 0])).counted
    with pytest.raises(ScoresError, match=r"row 1: 0 of a_better, b_better are 1.* a tie is 1 in a column 'tie'"):
        as_votes(frame.assign(a_better=[0, 1, 1]))
    assert as_votes(frame.assign(a_better=[0, 1, 1], tie=[1, 0, 0])).share.tolist() == [0.5, 1.0, 1.0]


def test_a_table_of_who_beat_whom_how_often_is_read_as_votes():
    """Of p, q and r, p beats q 3 times and loses once, q beats r once, and p and r never meet."""
    names = ["p", "q", "r"]
    wins = pd.DataFrame([[0, 3, 0], [1, 0, 1], [0, 0, 0]], index=names, columns=names)
    for table in (wins, wins[["r", "p", "q"]], wins.replace(0, np.nan)):
        assert shares(as_votes(table)) == {"p": (0.75, 4.0), "q": (0.4, 5.0), "r": (0.0, 1.0)}
    single = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], index=names, columns=names)
    assert shares(as_votes(single)) == {"p": (1.0, 1.0), "q": (0.5, 2.0), "r": (0.0, 1.0)}
    with pytest.raises(ScoresError, match=r"a system beat itself; set the diagonal to 0"):
        as_votes(wins.replace(0, 1))
    with pytest.raises(ScoresError, match=r"column 'wins' must hold counts"):
        as_votes(wins / 2)


def test_the_tie_of_fastchat_is_a_tie_and_c_alone_is_not():
    """[[A]] and a [[C]] give p one and a half of two votes; C without brackets may be anybody."""
    rows = [{"model_a": "p", "model_b": "q", "winner": word} for word in ("[[A]]", "[[C]]")]
    assert as_votes(rows).share.tolist() == [1.0, 0.5]
    with pytest.raises(ScoresError, match="the winner is 'C'"):
        as_votes([*rows, {**rows[0], "winner": "C"}])


def test_a_column_for_every_outcome():
    """Arenas on Kaggle: A has 2 wins and a tie against B, and beats C, who wins one of two against B."""
    rows = [("A", "B", 1, 0, 0), ("A", "B", 0, 0, 1), ("B", "C", 0, 1, 0), ("A", "C", 1, 0, 0), ("B", "C", 1, 0, 0)]
    names = ["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"]
    frame = pd.DataFrame([*rows, ("A", "B", 1, 0, 0)], columns=names).assign(id=range(6), prompt=list("uvwxyz"))
    found = as_votes(frame)
    assert shares(found) == {"A": (0.875, 4.0), "B": (1.5 / 5, 5.0), "C": (1 / 3, 3.0)}
    assert found.names["question"] == tuple("uvwxyz")
    assert "id" in found.notes[0]
    for place, cell in (("winner_tie", 1), ("winner_model_a", 0)):
        with pytest.raises(ScoresError, match=r"row 1: [02] of winner_model_a, winner_model_b, winner_tie are 1"):
            as_votes(frame.assign(**{place: [cell, *frame[place][1:]]}))
    with pytest.raises(ScoresError, match=r"row 6: column 'winner_tie' is '0.5'"):
        as_votes(frame.assign(winner_tie=[0, 1, 0, 0, 0, 0.5]))
    assert as_votes(frame.replace({1: True, 0: False})).share.tolist() == found.share.tolist()


def test_winners_beside_losers():
    """Nobody stands on the left, a tie may have a column, and wins and losses are what they are."""
    found = as_votes([{"winner": "left", "loser": "tie"}, {"winner": "tie", "loser": "left"}])
    assert shares(found) == {"left": (0.5, 2.0), "tie": (0.5, 2.0)}
    assert not found.placed
    habits = vote_habits(found).iloc[0]
    assert np.isnan(habits["left"])
    assert habits["n_both"] == 0
    tied = as_votes([{"winner": "a", "loser": "b", "draw": 1}, {"winner": "a", "loser": "b", "draw": 0}])
    assert tied.share.tolist() == [0.5, 1.0]
    with pytest.raises(ScoresError, match="row 1: a system has no name"):
        as_votes([{"winner": "tie", "loser": None}])


@pytest.mark.parametrize("word", ["a", "b", "A", "left", "tie", "model_a", "both bad", "None", "error"])
def test_a_winner_that_did_not_play(word):
    """Is refused whatever it is called, and wherever its name is first read; whoever says what it means is believed."""
    names = {word, word.swapcase()} if word == "A" else {word}
    for name in names:
        rows = [{"left": "x", "right": "y", "winner": word}, {"left": name, "right": "y", "winner": "y"}]
        for listed in (rows, rows[::-1]):
            with pytest.raises(ScoresError, match=f"the winner is {word!r}"):
                as_votes(listed)
            assert as_votes(listed, words={word: "right"}).share.sum() == 0


@pytest.mark.parametrize("word", ["left", "right", "a", "B", "tie", "None", "none", "error", "A>B", "1.0"])
def test_names_come_before_words(word):
    """A system keeps what it won, on either side, whatever it is called."""
    rows = [("x", word, word), (word, "x", word), ("x", word, "x"), (word, "x", "x")]
    found = as_votes(pd.DataFrame(rows, columns=["left", "right", "winner"]))
    assert found.share.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert found.n_votes == 4


def test_preferences_are_from_one_to_two():
    """A column of 0 and 1 is none, but for AlpacaEval's old ties; one that holds names is read as names."""
    rows = [{"model_a": "x", "model_b": "y", "preference": one} for one in (0, 1, 1)]
    with pytest.raises(ScoresError, match=r"row 1: the preference is '0'.*`words=\{'0': 'left', '1': 'right'\}`"):
        as_votes(rows)
    assert as_votes(rows, words={"0": "left", "1": "right"}).share.tolist() == [1.0, 0.0, 0.0]
    assert as_votes(rows[1:]).read_as.startswith("preferences from 1")
    numbered = [{"model_a": "2", "model_b": "1", "preference": one} for one in (1, 2)]
    assert as_votes(numbered).share.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("column", ["preference", "winner"])
@pytest.mark.parametrize(
    ("low", "high", "shares"),
    [(0, 1, [0, 1]), (1, 5, [1, 1, 0.5, 0, 0]), (-1, 1, [1, 0.5, 0]), (0, 3, [1, 1, 0, 0]), (1, 3, [1, 0.5, 0])],
)
def test_the_advice_on_a_scale_of_numbers_says_what_each_means(column, low, high, shares):
    """Followed to the letter it leads to votes for both sides, and where only some are said none is guessed."""
    rows = [{"left": "x", "right": "y", column: number} for number in range(low, high + 1)]
    with pytest.raises(ScoresError) as caught:
        as_votes(rows)
    words = ast.literal_eval(re.search(r"`words=(\{.*?\})`", str(caught.value))[1])
    assert as_votes(rows, words=words).share.tolist() == shares
    for n_said in range(1, len(words)):
        with pytest.raises(ScoresError, match="say what each"):
            as_votes(rows, words=dict(list(words.items())[-n_said:]))


def test_weights_count_and_are_named():
    """Finite numbers of 0 or more, each row's own."""
    rows = [{"left": "x", "right": "y", "winner": "x", "weight": one} for one in (1, "2.5")]
    found = as_votes(rows)
    assert found.weight.tolist() == [1.0, 2.5]
    assert found.notes == ("votes count as column 'weight' says",)
    (note,) = as_votes([{**row, "weight": 3 * at} for at, row in enumerate(rows)]).notes
    assert "pass `columns={'count': 'weight'}`" in note
    for odd in ("inf", "x", None, -1, float("inf"), 1e300, 1e-300):
        with pytest.raises(ScoresError, match="row 3: column 'weight': weights must be numbers"):
            as_votes([*rows, rows[0] | {"weight": odd}])


def test_frames_with_types_of_their_own():
    """Whole numbers behind a gap are whole numbers, texts of pandas are texts, and what is equal to 1 is not 1."""
    frame = pd.DataFrame({"left": [1, 2, 3], "right": [2.0, 3.0, 1.0], "winner": pd.array([1, 3, None], dtype="Int64")})
    assert as_votes(frame[:2]).systems == ("1", "2", "3")
    with pytest.raises(ScoresError, match="row 3: there is no winner"):
        as_votes(frame)
    texts = frame[:2].astype({"left": str, "right": int}).astype("string")
    assert as_votes(texts).share.tolist() == as_votes(frame[:2]).share.tolist() == [1.0, 0.0]
    mixed = [{"left": 1, "right": True, "winner": True}, {"left": 1.5, "right": 1, "winner": "1.5"}]
    assert as_votes(mixed).systems == ("1", "1.5", "true")
    with pytest.raises(ScoresError, match=r"row 1: the system 1e\+20 is a number that may have lost digits"):
        as_votes([{"left": 1e20, "right": "b", "winner": "b"}])


def test_rows_that_are_left_out_leave_nothing_behind(tmp_path):
    """With rows chosen, systems and questions are those of these rows, numbered as if the file had no others."""
    whole = pd.DataFrame(
        {
            "model_a": ["z", "a", "b", "a", "b", "z"],
            "model_b": ["b", "b", "a", "b", "a", "a"],
            "winner": ["model_a", "model_a", "model_b", "tie", "model_a", "model_b"],
            "question": ["q9", "q3", "q1", "q2", "q3", "q8"],
            "part": ["x", "y", "y", "y", "y", "x"],
        }
    )
    whole.to_csv(tmp_path / "whole.csv", index=False)
    whole[whole["part"] == "y"].to_csv(tmp_path / "part.csv", index=False)
    chosen, alone = read_votes(tmp_path / "whole.csv", where={"part": "y"}), read_votes(tmp_path / "part.csv")
    assert chosen.systems == alone.systems == ("a", "b")
    assert chosen.names == alone.names
    np.testing.assert_array_equal(chosen.units["question"], alone.units["question"])


@pytest.mark.parametrize(
    "words", [("Model A", "MODEL B", "Tie"), ("model-a", "model-b", "both bad"), ("links", "rechts", "unentschieden")]
)
def test_sides_are_known_however_they_are_written(words):
    """With blanks and hyphens, and in other languages; a system of that name is a system first."""
    frame = pd.DataFrame({"left": [*"xyz"], "right": [*"yzx"], "winner": words})
    assert as_votes(frame).share.tolist() == [1.0, 0.0, 0.5]


def test_counts_of_either_side_and_a_column_of_counts_say_the_same_as_single_votes():
    """Counted by hand: a beats b twice and loses once, and they tie once."""
    single = as_votes([{"left": "a", "right": "b", "winner": winner} for winner in ("left", "left", "right", "tie")])
    counts = as_votes([{"model_a": "a", "model_b": "b", "wins_a": 2, "wins_b": 1, "ties": 1}])
    rows = [("left", 2), ("right", 1), ("tie", 1)]
    numbered = as_votes([{"left": "a", "right": "b", "winner": winner, "#": n} for winner, n in rows])
    for votes in (counts, numbered):
        frame = votes.to_frame()
        weight = frame.get("weight", 1.0)
        assert float((frame["share"] * weight).sum()) == float(single.to_frame()["share"].sum()) == 2.5
        assert votes.n_votes == single.n_votes == 4


def test_answers_chosen_and_rejected_are_no_systems():
    """Data of preferences to train on hold answers, and nobody says whose; names of systems are shorter."""
    pairs = pd.DataFrame({"prompt": ["p", "q"], "chosen": ["a", "b"], "rejected": ["b", "c"]})
    read = as_votes(pairs).to_frame()[["left", "right", "share"]]
    assert read.to_numpy().tolist() == [["a", "b", 1.0], ["b", "c", 1.0]]
    with pytest.raises(ScoresError, match="'chosen' and 'rejected' hold answers, and votes are on systems"):
        as_votes(pairs.assign(chosen=[300 * "word ", "b"]))


def test_a_covariate_turns_with_the_sides():
    """MT-Bench asks in both orders: the second has the other length on the left, as rows of their own would."""
    rows = [
        {
            "question_id": n,
            "model_1": "x",
            "model_2": "y",
            "g1_winner": "model_1" if n % 3 else "model_2",
            "g2_winner": "model_1" if n % 2 else "tie",
            "length_a": 10.0 + n,
            "length_b": 20.0 - n,
        }
        for n in range(8)
    ]
    both = as_votes(rows, covariates=["length", "position"])
    difference = np.array([row["length_a"] - row["length_b"] for row in rows])
    assert both.covariates["length"].tolist() == [*difference, *-difference]
    assert both.covariates["position"].tolist() == [1.0] * 16


@pytest.mark.parametrize("words", [("left", "right", "tie"), ("model_a", "model_b", "both bad")])
def test_the_loser_is_not_the_winner(words):
    """By definition, who lost gives the other side the vote, a tie is one, and a note says so."""
    frame = pd.DataFrame({"left": [*"aba"], "right": [*"bcc"], "loser": words})
    found = as_votes(frame)
    assert found.share.tolist() == [0.0, 1.0, 0.5]
    assert "column 'loser' says who lost each vote, so that the other side won it" in found.notes
    names = as_votes(frame.assign(loser=["b", "b", "tie"]))
    assert names.share.tolist() == [1.0, 0.0, 0.5]
    with pytest.raises(ScoresError, match="the loser is 'd', and 'a' played 'b'; a loser is left"):
        as_votes(frame.assign(loser="d"))


def test_a_header_that_comes_again_is_no_vote():
    """As where files are put under each other; a system may be called left."""
    rows = [{"left": "a", "right": "b", "winner": "left"}, {"left": "left", "right": "right", "winner": "winner"}]
    found = as_votes([*rows, rows[0]])
    assert (found.n_votes, found.systems) == (2, ("a", "b"))
    assert "left out 1 row of names of columns again" in found.notes
    assert as_votes([rows[0] | {"winner": "a"}, rows[1] | {"winner": "tie"}]).systems == ("a", "b", "left", "right")


def test_scores_of_both_sides_are_votes():
    """By hand: 5 beats 3, 2 and 2 are a tie, and a row without a score of both sides is none; low ranks win."""
    names = {"left": [*"xyx"], "right": [*"yzz"]}
    rows = pd.DataFrame(names | {"left_score": [3, 2, np.nan], "right_score": [5, 2, 1]})
    found = as_votes(rows)
    assert found.share.tolist() == [0.0, 0.5]
    assert found.notes[:2] == (
        "the higher of 'left_score' and 'right_score' wins the vote of its row, and where they are equal it is a tie",
        "1 row without a score of both sides left out",
    )
    ranked = as_votes(pd.DataFrame(names | {"rank_a": [1, 2, 1], "rank_b": [2, 1, 1]}))
    assert ranked.share.tolist() == [1.0, 0.0, 0.5]
    assert ranked.notes[0].startswith("the lower of 'rank_a' and 'rank_b' wins")


def test_scores_of_both_sides_are_asked_only_where_nothing_says_who_won():
    """A winner said counts, and its scores are covariates that nobody asked for."""
    rows = pd.DataFrame({"left": [*"xy"], "right": [*"yx"], "winner": [*"xx"], "score_a": [1, 2], "score_b": [2, 1]})
    assert as_votes(rows).share.tolist() == [1.0, 0.0]


SIDED = {"model_a": [*"BABABA"], "model_b": [*"ABABAB"], "winner": ["B", "B", "A", "tie", "A", "A"]}


def test_winners_that_may_be_names_or_sides_are_asked_about():
    """Systems called A and B stand on either side, so that winner A is one of them, or whoever stands left."""
    frame = pd.DataFrame(SIDED)
    with pytest.raises(ScoresError, match="may be the name of a system or a side") as error:
        as_votes(frame)
    assert "'A': 'left'" in str(error.value)
    assert "'A': 'name'" in str(error.value)
    sides = as_votes(frame, words={"A": "left", "B": "right"})
    assert sides.share.tolist() == [0.0, 0.0, 1.0, 0.5, 1.0, 1.0]
    names = as_votes(frame, words={"A": "name", "B": "name"})
    assert names.share.tolist() == [1.0, 0.0, 0.0, 0.5, 0.0, 1.0]


@pytest.mark.parametrize(
    "changed",
    [
        {"model_a": [*"AAAAAA"], "model_b": [*"BBBBBB"]},  # either reading says the same
        {"model_a": [*"BABABC"], "winner": ["B", "B", "A", "tie", "A", "C"]},  # C is no side
    ],
)
def test_names_that_can_be_nothing_else_are_names(changed):
    """By definition: the winner is whom the cell names."""
    frame = pd.DataFrame({**SIDED, **changed})
    won = [0.5 if row.winner == "tie" else float(row.winner == row.model_a) for row in frame.itertuples()]
    assert as_votes(frame).share.tolist() == won


def test_shares_of_wins_beside_the_number_of_votes_are_counts():
    """A quarter of 4 is one win; 0.3333 of 3 is one; 0.625 of 4 are two and a tie; 0.3 of 4 is no number of votes."""
    rows = [("x", "y", 0.25, 4), ("y", "z", 0.3333, 3), ("x", "z", 0.625, 4)]
    wins, losses, ties = [1, 1, 2], [3, 2, 1], [0, 0, 1]
    for column in ("win_rate_a", "Winrate", "win share left"):
        votes = as_votes(pd.DataFrame(rows, columns=["model_a", "model_b", column, "n"]))
        counted = pd.DataFrame(rows, columns=["model_a", "model_b", "rate", "n"]).drop(columns=["rate", "n"])
        expected = as_votes(counted.assign(wins=wins, losses=losses, ties=ties))
        for name in ("left", "right", "share", "weight"):
            assert np.array_equal(getattr(votes, name), getattr(expected, name))
        assert repr(column) in votes.notes[0]
    table = pd.DataFrame([*rows, ("x", "z", 0.3, 4)], columns=["model_a", "model_b", "win_rate", "n"])
    with pytest.raises(ScoresError, match=r"row 4: column 'win_rate' says 0.3, which is no share of 4 votes"):
        as_votes(table)
    with pytest.raises(InvalidOptionError, match="'win_rate' is a share of votes, and counts beside a column n"):
        as_votes(table.drop(columns="n"))
    with pytest.raises(ScoresError, match="a share of votes is no winner"):
        as_votes(table, columns={"winner": "win_rate"})


@pytest.mark.parametrize("raters", [["rater1", "rater2"], ["Annotator A", "Annotator B"], ["human_1", "human_2"]])
def test_columns_of_raters_are_votes_of_each(raters):
    """A row and rater is a vote, with the rater for its voter; an empty cell is none; one column named is one voter."""
    wide = pd.DataFrame(
        [("p1", "x", "y", "A", "B"), ("p2", "y", "x", "A", ""), ("p3", "x", "y", "tie", "A")],
        columns=["prompt", "model_a", "model_b", *raters],
    )
    long = wide.melt(["prompt", "model_a", "model_b"], raters, var_name="voter", value_name="winner")
    votes, expected = as_votes(wide), as_votes(long[long["winner"] != ""])
    for name in ("left", "right", "share", "weight"):
        assert np.array_equal(getattr(votes, name), getattr(expected, name))
    assert votes.names == expected.names
    assert f"columns {raters[0]}, {raters[1]} hold a vote each" in votes.notes[0]
    assert as_votes(wide, columns={"winner": raters[0]}).n_votes == 3
    with pytest.raises(ScoresError, match="row 2: the winner is 'what'"):
        as_votes(wide.replace({raters[1]: {"": "what"}}))


@pytest.mark.parametrize("name", ["a_wins", "model_a_wins", "left_won", "a_is_better", "winner_model_a", "Model A won"])
@pytest.mark.parametrize("words", [(1, 0), (True, False), ("True", "False"), ("yes", "no"), ("1.0", "0.0")])
def test_a_column_may_say_which_side_one_is_for(name, words):
    """A column called as the wins of a side is read as such, with a note; x beats y twice and loses once."""
    winner = [words[0], words[0], words[1]]
    rows = [{"model_a": "x", "model_b": "y", name: said} for said in winner]
    for votes in (as_votes(rows), as_votes(pd.DataFrame(rows)), as_votes(rows, columns={"winner": name})):
        assert votes.share.tolist() == [1.0, 1.0, 0.0]
        assert any(f"column {name!r} says by its name" in note and "`words=" in note for note in votes.notes)
    turned = [{"model_a": "x", "model_b": "y", "b_wins": said} for said in winner]
    assert as_votes(turned).share.tolist() == [0.0, 0.0, 1.0]


def test_words_that_are_said_count_before_the_name_of_a_column():
    """Who says what 1 means is believed, and a column that names no side is asked about, both codings named."""
    rows = [{"model_a": "x", "model_b": "y", "a_wins": said} for said in (1, 0)]
    assert as_votes(rows, words={"1": "right", "0": "left"}).share.tolist() == [0.0, 1.0]
    bare = [{"model_a": "x", "model_b": "y", "winner": said} for said in (True, False)]
    first = r"`words=\{'false': 'right', 'true': 'left'\}` \(true means that 'model_a' won\)"
    second = r"`words=\{'false': 'left', 'true': 'right'\}` \(true means that 'model_b' won\)"
    with pytest.raises(ScoresError, match=f"{first} or {second}"):
        as_votes(bare)
    with pytest.raises(ScoresError, match=f"{first} or {second}"):
        as_votes(bare, words={"true": "left"})
    mixed = [{"model_a": "x", "model_b": "y", "winner": said} for said in (True, False, 1, 0)]
    with pytest.raises(ScoresError, match="say what each word means, either `words="):
        as_votes(mixed)
