"""The vocabulary of column names: what is recognised, and that no word is a guess."""

import pytest

from metaeval.base.columns import ITEMS, LABELS, LOG, RANKINGS, SCORES, SIZES, column_roles, first_called, underscored
from metaeval.errors import ScoresError


def test_column_words_belong_to_one_part():
    """No word can mean two parts, so that recognising columns needs no guess."""
    words = [word for words in SCORES.values() for word in words]
    assert len(words) == len(set(words))


def test_chosen_columns_come_first():
    """What the caller names is taken, and the words do not matter for that part any more."""
    parts, others = column_roles(["team", "system", "qid", "AP"], chosen={"system": "team"}, ignored=["AP"])
    assert parts == {"system": "team", "topic": "qid"}
    assert others == ["system"]


@pytest.mark.parametrize("words", [SCORES, RANKINGS, LABELS, ITEMS, LOG, SIZES])
def test_words_are_lower_case_and_stand_once(words):
    """Readers compare with lower case; "score" alone is both a score and a level of ranx."""
    spelled = [word for part in words.values() for word in part]
    assert all(word == underscored(word) for word in spelled)
    assert {word for word in spelled if spelled.count(word) > 1} == ({"score"} if words is RANKINGS else set())


def test_the_first_word_decides_and_then_the_strictest_spelling():
    """The order of the words is the order of trust; the exact name goes before one that differs in case."""
    assert first_called(["sys", "Model", "model"], ("system", "model", "sys"), str, str.casefold) == 2
    assert first_called(["doc", "Query ID"], LABELS["topic"], underscored) == 1
    assert first_called(["bm25", "lm"], SCORES["topic"], str.casefold) is None


def test_surer_words_for_topics_go_first():
    """An item goes before an id, and that before a task, which is then the cluster of items unless there is another."""
    assert column_roles(["item", "task", "id"]) == ({"topic": "item", "cluster": "task"}, ["id"])
    assert column_roles(["task", "id"]).parts == {"topic": "id", "cluster": "task"}
    assert column_roles(["task"]).parts == {"topic": "task"}
    assert column_roles(["qid", "doc"]) == ({"topic": "qid"}, ["doc"])
    assert column_roles(["item", "task", "cluster"]) == ({"topic": "item", "cluster": "cluster"}, ["task"])
    assert column_roles(["question", "task"], chosen={"topic": "question"}).parts["cluster"] == "task"
    with pytest.raises(ScoresError, match="columns 'doc' and 'sample' could both be the topic"):
        column_roles(["doc", "sample"])
