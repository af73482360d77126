"""Spoiled translations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError
from metaeval.testing import spoiled_translations

TEXTS = st.lists(st.text("ab ", max_size=9), max_size=5)


@given(TEXTS)
def test_words_are_kept_and_put_in_another_order_where_there_is_one(texts):
    """The source is copied as it stands, and a seed repeats the order."""
    spoiled = spoiled_translations([text.upper() for text in texts], texts, rng=3)
    assert spoiled == spoiled_translations([text.upper() for text in texts], texts, rng=3)
    assert spoiled["copied"] == [text.upper() for text in texts]
    assert spoiled["empty"] == [""] * len(texts)
    for text, shuffled in zip(texts, spoiled["shuffled"], strict=True):
        words = text.split()
        assert sorted(shuffled.split()) == sorted(words)
        assert (shuffled.split() != words) == (len(set(words)) > 1)


def test_each_source_has_a_translation():
    """Else nobody could say which is the copy."""
    with pytest.raises(InvalidOptionError, match="1 sources, 2 translations"):
        spoiled_translations(["eins"], ["one", "two"])
