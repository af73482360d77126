"""The rank column against the scores: what is odd is what contradicts them throughout."""

import math
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from metaeval.collection.rank_column import doubt_of_ranks


def literal(ranks, scores, lists):
    """Follow the definition list by list, rank by rank."""
    rises = falls = 0
    if any(not math.isnan(rank) and rank != int(rank) for rank in ranks):
        return "broken ranks"
    for one in set(lists):
        own = [
            (rank, place, score)
            for place, (rank, score, of) in enumerate(zip(ranks, scores, lists, strict=True))
            if of == one and not math.isnan(rank)
        ]
        own.sort()
        for (before, _, low), (after, _, high) in pairwise(own):
            rises += after > before and high > low
            falls += after > before and high < low
    return "rising scores" if rises >= 4 and not falls else None


lines = st.lists(
    st.tuples(
        st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, np.nan, 2.5]), st.integers(0, 4).map(float), st.integers(0, 1)
    ),
    max_size=14,
)


@given(lines)
def test_against_the_definition(given_lines):
    """Lists in any order, ranks that repeat or are no numbers, scores that tie."""
    ranks, scores, lists = (np.array(part) for part in zip(*given_lines, strict=True)) if given_lines else ([], [], [])
    columns = np.array(ranks, dtype=float), np.array(scores, dtype=float), np.array(lists, dtype=np.int64)
    assert doubt_of_ranks(*columns) == literal(*(column.tolist() for column in columns))


@given(st.integers(5, 30), st.floats(0.01, 100))
def test_a_sound_run_raises_no_doubt_and_a_distance_does(size, unit):
    """Whatever the unit of the scores, and where the ranks begin."""
    ranks, lists = np.arange(size, dtype=float), np.zeros(size, dtype=np.int64)
    assert doubt_of_ranks(ranks, -unit * ranks, lists) is None
    assert doubt_of_ranks(ranks, unit * ranks, lists) == "rising scores"
    assert doubt_of_ranks(ranks, np.ones(size), lists) is None
