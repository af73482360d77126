"""The roles of columns: told by names, by values, and asked for where these disagree."""

import numpy as np
import pytest

from metaeval.errors import ScoresError
from metaeval.table.roles import SCORES, column_roles, not_scores


def test_column_words_belong_to_one_part():
    """No word can mean two parts, so that recognising columns needs no guess."""
    words = [word for words in SCORES.values() for word in words]
    assert len(words) == len(set(words))


def test_chosen_columns_come_first():
    """What the caller names is taken, and the words do not matter for that part any more."""
    parts, others = column_roles(["team", "system", "qid", "AP"], chosen={"system": "team"}, ignored=["AP"])
    assert parts == {"system": "team", "topic": "qid"}
    assert others == ["system"]


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


@pytest.mark.parametrize("name", ["nomic-embed-text-v2-moe", "qwen_moe", "bert-std", "colbert-se"])
def test_a_system_whose_name_ends_as_errors_do_is_one(name):
    """A mixture of experts scores as the others do; where its numbers are as small as errors, somebody is asked."""
    values = np.random.default_rng(0).uniform(0.3, 0.8, (20, 4))
    names = ["bm25", "dense", name, "rm3"]
    assert not_scores(names, values, along="system") == []
    values[:, 2] *= 0.1
    assert [(column.name, column.sure) for column in not_scores(names, values, along="system")] == [(name, False)]


def test_the_best_of_two_others_is_a_system_and_not_their_sum():
    """Where one of two systems has next to nothing on every topic, their sum is as good as the better of them."""
    one, two = np.array([0.07, 2e-5, 0.12, 2e-5, 0.31]), np.array([2e-5, 0.25, 2e-5, 0.3, 2e-5])
    values = np.column_stack([np.round(np.maximum(one, two), 2), one, two])
    assert not_scores(["a", "b", "c"], values, along="system") == []
    total = np.column_stack([one + two[::-1], one, two[::-1]])
    assert [column.name for column in not_scores(["a", "b", "c"], total, along="system")] == ["a"]
