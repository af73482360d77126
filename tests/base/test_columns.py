"""The vocabulary of column names: what is recognised, and that no word is a guess."""

import pytest

from metaeval.base.columns import ITEMS, LABELS, LOG, RANKINGS, SIZES, first_called, underscored


@pytest.mark.parametrize("words", [RANKINGS, LABELS, ITEMS, LOG, SIZES])
def test_words_are_lower_case_and_stand_once(words):
    """Readers compare with lower case; "score" alone is a score and a level of ranx; what judges are told is asked."""
    assert set(words.get("told", ())) <= set(words.get("asked", ()))
    spelled = [word for part, spellings in words.items() if part != "told" for word in spellings]
    assert all(word == underscored(word) for word in spelled)
    assert {word for word in spelled if spelled.count(word) > 1} == ({"score"} if words is RANKINGS else set())


def test_the_first_word_decides_and_then_the_strictest_spelling():
    """The order of the words is the order of trust; the exact name goes before one that differs in case."""
    assert first_called(["sys", "Model", "model"], ("system", "model", "sys"), str, str.casefold) == 2
    assert first_called(["doc", "Query ID"], LABELS["topic"], underscored) == 1
    assert first_called(["bm25", "lm"], ITEMS["item"], str.casefold) is None
