"""Extreme resamples counted by themselves; against a literal loop they are held where the test is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.running.draws import drawn_counts, topic_counts
from metaeval.tests_stat import studentised
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.studentised import Placing, tally_resamples


def tally(values, counts, alternative):
    """Return the raw counts of the studentised bootstrap, an array (5, pair), on given topic counts."""
    question = ask(values, alternative=alternative)
    return tally_resamples(question, [np.ascontiguousarray(counts.T, dtype=np.uint8)], n_threads=1)[0]


@pytest.mark.parametrize(("block", "held"), [(64, 1 << 25), (97, 1), (250, 8 * 128 * 40)])
def test_blocks_of_topics_change_no_bit(monkeypatch, block, held):
    """Counts, and differences required, are the same whatever is multiplied at a time."""
    values = np.random.default_rng(4).normal(0.4, 0.2, (2, 18, 500)).round(1)
    question = ask(values)
    (counts,) = drawn_counts(np.random.default_rng(1), 40, 500, at_once=40)
    found = []
    for size in (500, block):
        monkeypatch.setattr(studentised, "_BLOCK", size)
        monkeypatch.setattr(studentised, "_HELD", held)
        required = np.zeros((2, 153))
        parts = [counts] if size == 500 else [counts[:13], counts[13:]]
        found.append(
            (tally_resamples(question, parts), tally_resamples(question, [counts], placing=Placing(4, required)))
        )
        found[-1] += (required,)
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))
    assert np.array_equal(found[0][0], found[0][1])


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
