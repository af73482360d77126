"""Columns of votes: the forms of arenas and judges, by their names, and tables of something else."""

import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.table.vote_columns import refuse_doubles, vote_columns


@pytest.mark.parametrize(
    ("names", "form"),
    [
        (["Model A", "Model B", "Winner"], "votes"),
        (["model_x", "model_y", "winner"], "votes"),
        (["generator_1", "generator_2", "preference"], "votes"),
        (["left", "right", "wins", "losses", "ties"], "counts"),
        (["model_1", "model_2", "g1_winner", "g2_winner"], "orders"),
        (["model", "games"], "games"),
        (["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"], "outcomes"),
        (["Left", "Right", "Winner-Left", "winner right"], "outcomes"),
        (["winner", "loser"], "winners"),
        (["prompt_id", "chosen_model", "rejected_model"], "winners"),
        (["model_a", "model_b", "winner", "loser"], "votes"),
        (["Frage", "Bewerter", "links", "rechts", "Gewinner"], "votes"),
        (["gauche", "droite", "gagnant"], "votes"),
        (["model_a", "model_b", "wins_a", "wins_b", "ties"], "counts"),
        (["prompt", "chosen", "rejected"], "winners"),
        (["prompt", "model_a", "model_b", "score_a", "score_b"], "scores"),
        (["system1", "system2", "length1", "length2", "score1", "score2"], "scores"),
        (["Model A", "Model B", "Rank A", "Rank B"], "scores"),
        (["left", "right", "left_rating", "right_rating"], "scores"),
        (["model_a", "model_b", "score_a", "score_b", "winner"], "votes"),
    ],
)
def test_forms_are_known_by_their_columns(names, form):
    """Whatever the case, and with blanks or hyphens."""
    assert vote_columns(names).form == form


def test_surer_names_come_first():
    """Names of systems before their numbers; a column that was named before any; scores are no votes."""
    found = vote_columns(["model_x", "model_y", "left", "right", "winner", "prompt", "question_id"])
    assert (found.roles["left"], found.roles["question"]) == ("left", "question_id")
    assert vote_columns(["left", "right", "who", "winner"], {"winner": "who"}).roles["winner"] == "who"
    for other in (
        ["system", "topic", "score"],
        ["winner", "topic"],
        ["left", "right", "winner_left", "winner_tie"],
        ["left", "right", "left_wins", "tie"],
        ["left", "right", "left_wins", "n"],
        ["left", "right", "left_won", "left_is_better"],
        ["loser"],
        ["rank", "worse"],
        ["model_a", "model_b", "response_a", "response_b"],
        ["model_a", "model_b", "length_a", "length_b", "score_a"],
        ["topic", "score_a", "score_b"],
    ):
        assert vote_columns(other) is None
    with pytest.raises(UnknownNameError, match="what"):
        vote_columns(["left"], {"left": "what"})


def test_two_columns_that_are_called_alike_are_refused_where_one_is_read():
    """But for their case or altogether; one that is named is meant, and what nobody reads may be there twice."""
    names = ["left", "right", "winner", "Winner", "note", "Note"]
    found = vote_columns(names)
    with pytest.raises(
        InvalidOptionError, match=r"'winner' and 'Winner' are called alike; .* \(`columns=\{'winner': 'Winner'\}`"
    ):
        refuse_doubles(names, found, {})
    refuse_doubles(names, vote_columns(names, {"winner": "Winner"}), {"winner": "Winner"})
    refuse_doubles(["left", "right", "winner", "note", "Note", "note"], found, {})
    for named in ({}, {"winner": "winner"}):  # which of the two is meant cannot be said by their name
        with pytest.raises(InvalidOptionError, match="two columns are called 'winner'; rename one, or leave it out"):
            refuse_doubles(["left", "right", "winner", "winner"], found, named)


def test_columns_of_a_form_without_a_role_are_to_be_renamed():
    """Nobody can name a column of wins by `columns`."""
    names = ["left", "right", "wins", "losses", "Wins"]
    with pytest.raises(InvalidOptionError, match="'wins' and 'Wins' are called alike; rename one"):
        refuse_doubles(names, vote_columns(names), {})


def test_what_is_read_is_named():
    """The columns of the roles and of the form; games need no baseline, and nothing else is read of them."""
    assert vote_columns(["left", "right", "wins", "losses", "ties", "prompt", "x"]).read == {
        *("left", "right", "wins", "losses", "ties", "prompt")
    }
    found = vote_columns(["model", "games", "uid", "winner", "judge"])
    assert found.read == {"model", "games", "uid", "judge"}
    assert found.roles == {"left": "", "right": "model", "question": "uid", "voter": "judge"}
    beside = vote_columns(["winner", "loser", "draw", "weight", "preference"])
    assert beside.roles == {"left": "winner", "right": "loser", "weight": "weight"}
    assert beside.others == {"draw": "draw"}
    assert vote_columns(["model_a", "model_b", "winner", "loser"]).others == {}


@pytest.mark.parametrize("name", ["loser", "Rejected", "worst", "Verlierer", "schlechter", "lost", "perdant", "peor"])
def test_a_column_called_as_the_loser_says_who_lost(name):
    """In several languages, by the name alone; beside a column of winners nothing is read of it."""
    assert vote_columns(["model_a", "model_b", name]).roles == {"left": "model_a", "right": "model_b", "loser": name}
    assert "loser" not in vote_columns(["model_a", "model_b", name, "winner"]).roles
    named = {"loser": name}
    assert "winner" not in vote_columns(["model_a", "model_b", name, "winner"], named).roles
    with pytest.raises(InvalidOptionError, match="not both"):
        vote_columns(["model_a", "model_b", name, "winner"], {**named, "winner": "winner"})


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        *[(name, True) for name in ("Anzahl Stimmen", "number of votes", "nombre de voix", "vote_count", "n.votes")],
        *[(name, False) for name in ("vote number", "number", "model votes", "votes per day", "Stimmen in %")],
    ],
)
def test_how_many_votes_a_row_stands_for(name, counts):
    """A number of votes in several languages; a number of the vote is none."""
    assert ("count" in vote_columns(["left", "right", "winner", name]).roles) == counts
