"""Where words begin and end, against regular expressions."""

import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from metaeval.io.words import end_of_word, start_of_word

BLANK = rb"[ \t\x0b\f\r]"
texts = st.lists(st.sampled_from([b" ", b"\t", b"\n", b"\r", b"\x01", b"\x1f", b"!", b"a", b"aaaaaaa", b"\xc3\xa9"]))


@given(texts.map(b"".join), st.integers(0, 9))
@example(b"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01 ", 0)
@example(b"\x80\xff\xa0\xa1!!!!\x80\xff\xa0\xa1!!! a", 0)
@example(b"aaaaaaaaaaaaaaaa\n", 0)
def test_words_end_at_blanks_lines_and_the_text(content, place):
    """A word is all that is no white space of C, other control characters included, near the end of the text too."""
    place = min(place, len(content))
    text = np.frombuffer(content, dtype=np.uint8)
    assert end_of_word(text, place) == re.compile(rb"[^ \t-\r]*").match(content, place).end()
    assert start_of_word(text, place) == re.compile(BLANK + rb"*").match(content, place).end()
