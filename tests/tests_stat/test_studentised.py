"""Extreme resamples counted by themselves; against a literal loop they are held where the test is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.running.draws import topic_counts
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.studentised import tally_resamples


def tally(values, counts, alternative):
    """Return the raw counts of the studentised bootstrap, an array (5, pair), on given topic counts."""
    return tally_resamples(ask(values, alternative=alternative), [np.ascontiguousarray(counts.T, dtype=np.uint8)], n_threads=1)[0]


@settings(max_examples=25)
@given(
    arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(2, 9)), elements=st.integers(0, 10)),
    st.randoms(use_true_random=False),
    st.sampled_from(["two-sided", "better"]),
)
def test_relabelling_topics_changes_nothing(whole, random, alternative):
    """Topics in another order, drawn as often as before, give the same counts."""
    order = list(range(whole.shape[1]))
    random.shuffle(order)
    counts = np.concatenate(list(topic_counts(np.random.default_rng(0), 60, whole.shape[1])), axis=1)
    straight = tally(whole / 10, counts, alternative)
    shuffled = tally(whole[:, order] / 10, np.ascontiguousarray(counts[order]), alternative)
    assert np.array_equal(straight, shuffled)


@pytest.mark.parametrize(("alternative", "expected"), [("two-sided", [2, 0, 0, 0, 2]), ("better", [0, 1, 2, 0, 2])])
def test_two_topics(alternative, expected):
    """With two topics a resample is the sample again, turned round, or one topic twice: p is what counting gives."""
    table = [[0.4, 0.5], [0.1, 0.4]]
    # w = (0.1, -0.1): drawn (0, 1) or (1, 0) its mean is 0 and t* = 0; drawn twice it is c/0, extreme
    counts = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]])
    assert tally(table, counts, alternative)[:, 0].tolist() == expected
