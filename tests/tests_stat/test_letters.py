"""Letters: two systems share one exactly if they do not differ, and there are no more than needed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaeval.tests_stat.letters import letter_names, shared_letters


def insert_and_absorb(different):
    """Piepho's method: begin with one letter for all, split it at every significant pair, drop what another holds."""
    n = len(different)
    columns = [frozenset(range(n))]
    for a in range(n):
        for b in range(a + 1, n):
            if not different[a, b]:
                continue
            split = []
            for column in columns:
                split += [column - {a}, column - {b}] if {a, b} <= column else [column]
            columns = []
            for column in sorted(set(split), key=len, reverse=True):
                if not any(column <= other for other in columns):
                    columns.append(column)
    return set(columns)


def _by_distance(means, least):
    return np.abs(np.subtract.outer(means, means)) > least


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 12))
def test_by_distance_letters_are_those_of_insert_and_absorb(means, least):
    """Where significance goes by distance, both give the same sets."""
    different = _by_distance(np.sort(means)[::-1], least)
    found = shared_letters(different)
    assert {frozenset(np.flatnonzero(column)) for column in found.T} == insert_and_absorb(different)


@given(st.integers(1, 9), st.integers(0, 10**6), st.floats(0, 1))
def test_letters_say_exactly_which_pairs_differ(n, seed, share):
    """Whatever the decisions; every letter is needed, and none could hold one more system."""
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    different = upper | upper.T
    letters = shared_letters(different)
    np.testing.assert_array_equal(letters.astype(int) @ letters.T.astype(int) > 0, ~different)
    assert letters.shape[1] <= len(insert_and_absorb(different))
    for column in range(letters.shape[1]):
        without = np.delete(letters, column, axis=1).astype(int)
        assert ((without @ without.T > 0) != ~different).any()
        inside = letters[:, column]
        assert all((different[system, inside]).any() for system in np.flatnonzero(~inside))


def test_published_example():
    """Four treatments of which 1-3, 1-4 and 2-4 differ: a, ab, bc, c, as every textbook prints it."""
    different = np.zeros((4, 4), dtype=bool)
    for a, b in ((0, 2), (0, 3), (1, 3)):
        different[a, b] = different[b, a] = True
    names = np.array(letter_names(3))
    assert ["".join(names[row]) for row in shared_letters(different)] == ["a", "ab", "bc", "c"]


def test_names_go_on_past_z():
    """After z come aa, ab, and so on."""
    assert letter_names(54)[25:28] + letter_names(54)[51:] == ["z", "aa", "ab", "az", "ba", "bb"]
    assert len(set(letter_names(800))) == 800


def test_all_alike_and_all_different():
    """One letter for all, or one each."""
    assert shared_letters(np.zeros((5, 5), dtype=bool)).shape == (5, 1)
    np.testing.assert_array_equal(shared_letters(~np.eye(3, dtype=bool)), np.eye(3, dtype=bool))
