"""Columns of votes: the forms of arenas and judges, by their names, and tables of something else."""

import pytest

from metaeval.errors import UnknownNameError
from metaeval.table.vote_columns import vote_columns


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
    for other in (["system", "topic", "score"], ["winner", "topic"], ["left", "right", "winner_left"], ["loser"]):
        assert vote_columns(other) is None
    with pytest.raises(UnknownNameError, match="what"):
        vote_columns(["left"], {"left": "what"})
