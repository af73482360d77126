"""Pieces of text are compared whole, and taken eight bytes at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.document_codes import (
    WORD_BYTES,
    OtherDocuments,
    UnjudgedDocuments,
    judged_ranks,
    same_bytes,
    word_at,
)

pieces = st.binary(min_size=1, max_size=20)


def as_text(content):
    """Return bytes as kernels take them."""
    return np.frombuffer(content, dtype=np.uint8)


@given(pieces, pieces, pieces, st.booleans(), st.integers(0, 19))
def test_pieces_are_the_same_when_all_their_bytes_are(before, one, other, alike, changed):
    """Whatever stands before them and wherever they differ, also where they end with their texts."""
    if alike:
        place = changed % len(one)
        other = one if changed % 2 else one[:place] + bytes([one[place] ^ 1]) + one[place + 1 :]
    longer = as_text(before + one)
    assert same_bytes(longer, len(before), len(longer), as_text(other), 0, len(other)) == (one == other)


@given(st.binary(min_size=WORD_BYTES, max_size=20), st.integers(0, 12))
def test_eight_bytes_are_one_number(content, place):
    """The first byte is the lowest, on any machine."""
    place = min(place, len(content) - WORD_BYTES)
    assert int(word_at(as_text(content), place)) == int.from_bytes(content[place : place + WORD_BYTES], "little")


@given(st.lists(st.lists(st.tuples(st.binary(min_size=1, max_size=2), st.integers(0, 2)), max_size=40), max_size=4))
def test_codes_count_documents_of_a_topic_in_order_of_arrival(parts):
    """However many there are, and however often they come again: as a dictionary counts them."""
    codes, expected = OtherDocuments(), {}
    for part in parts:
        text = as_text(b"".join(name for name, _ in part))
        offsets = np.cumsum([0, *(len(name) for name, _ in part)]).astype(np.int64)
        topics = np.array([topic for _, topic in part], dtype=np.int64)
        found = codes.add(UnjudgedDocuments(text, offsets, topics)).tolist()
        assert found == [expected.setdefault(one, len(expected)) for one in part]
    assert codes.n_codes == len(expected)


@given(st.lists(st.lists(st.integers(-1, 3), max_size=6)))
def test_judged_documents_have_their_ranks(lists):
    """Every list counts from 1, and what is not judged takes a rank but no place."""
    codes = np.array([code for one in lists for code in one], dtype=np.int32)
    bounds = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    ranks, judgments, n_judged = judged_ranks(codes, bounds)
    expected = [[(rank, code) for rank, code in enumerate(one, 1) if code >= 0] for one in lists]
    assert list(zip(ranks.tolist(), judgments.tolist(), strict=True)) == [pair for one in expected for pair in one]
    assert n_judged.tolist() == list(map(len, expected))
