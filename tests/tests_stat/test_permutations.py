import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from metaeval.running.parallel import limit_threads
from metaeval.tests_stat.permutations import draw_seed, mix, permuted_scores, shuffle, topic_permutations


@given(st.integers(0, 2**64 - 1), st.integers(1, 9), st.integers(1, 5))
def test_every_topic_gets_a_permutation(seed, n_systems, n_topics):
    """Each row holds every system once."""
    found = topic_permutations(np.uint64(seed), 3, 7, n_topics=n_topics, n_systems=n_systems)
    expected = np.broadcast_to(np.arange(n_systems), (4, n_topics, n_systems))
    np.testing.assert_array_equal(np.sort(found, axis=2), expected)


def test_scores_follow_the_explicit_permutations():
    """The permuted scores are the scores taken at the permutations' positions."""
    values = np.random.default_rng(0).random((5, 7))
    order = topic_permutations(np.uint64(11), 0, 20, n_topics=5, n_systems=7)
    expected = np.take_along_axis(np.broadcast_to(values, (20, 5, 7)), order, axis=2)
    np.testing.assert_array_equal(permuted_scores(values, np.uint64(11), 0, 20), expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_permutation_is_known_by_its_number(threads):
    """Neither the block it is drawn in nor the number of cores changes it."""
    whole = topic_permutations(np.uint64(5), 0, 30, n_topics=4, n_systems=6)
    with limit_threads(threads):
        parts = [topic_permutations(np.uint64(5), at, at + 7, n_topics=4, n_systems=6) for at in (0, 7, 14, 21)]
    np.testing.assert_array_equal(np.concatenate(parts), whole[:28])


@pytest.mark.parametrize("n_systems", [3, 4])
def test_every_order_is_equally_likely(n_systems):
    """Over many permutations the orders of one topic, and of two topics together, are uniform (chi-square)."""
    found = topic_permutations(np.uint64(2024), 0, 40_000, n_topics=2, n_systems=n_systems)
    codes = (found * n_systems ** np.arange(n_systems)).sum(axis=2)
    _, one = np.unique(codes[:, 0], return_inverse=True)
    _, other = np.unique(codes[:, 1], return_inverse=True)
    n_orders = one.max() + 1
    for cells in (one, other, one * n_orders + other):
        counts = np.bincount(cells)
        expected = len(cells) / len(counts)
        assert chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1) > 0.001


def test_mixing_is_splitmix64():
    """The first outputs for seed 1234567 are those printed with the generator's public test vectors."""
    step, state, found = 0x9E3779B97F4A7C15, 1234567, []
    for _ in range(3):
        state = (state + step) % 2**64
        found.append(int(mix(np.uint64(state))))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_seeds_are_drawn_from_the_generator():
    """The same generator gives the same seed, another one another."""
    seeds = [draw_seed(np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert isinstance(seeds[0], np.uint64)


@pytest.mark.parametrize("n_systems", [1, 2, 5, 8])
def test_a_shuffle_serves_two_places_with_every_state(n_systems):
    """Literally: from the last place down, first the low half of the mixed state, then the high one."""
    for seed in (0, 1, 2**63 + 5):
        row, expected, state = np.arange(float(n_systems)), list(range(n_systems)), seed
        end = shuffle(row, np.uint64(seed))
        places = list(range(n_systems - 1, 0, -1))
        for number, place in enumerate(places):
            if number % 2 == 0:
                state = (state + 0x9E3779B97F4A7C15) % 2**64
            bits = int(mix(np.uint64(state)))
            other = (bits >> 32 if number % 2 else bits % 2**32) * (place + 1) >> 32
            expected[place], expected[other] = expected[other], expected[place]
        assert (row.tolist(), int(end)) == (expected, state)
