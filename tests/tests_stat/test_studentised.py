"""Extreme resamples counted by themselves; against a literal loop they are held where the test is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running import draws
from metaeval.running.draws import HeldDraws, draw_topic_counts
from metaeval.running.workers import working
from metaeval.tests_stat import studentised
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.studentised import Placing, tally_resamples


def tally(values, counts, alternative):
    """Return the raw counts of the studentised bootstrap, an array (5, pair), on given topic counts."""
    question = ask(values, alternative=alternative)
    return tally_resamples(question, [HeldDraws(np.ascontiguousarray(counts.T, dtype=np.uint8))], n_threads=1)[0]


@pytest.mark.parametrize(
    ("block", "rows", "squares", "held"), [(64, 7, 1, 1 << 25), (33, 40, 1 << 24, 1), (250, 16, 9000, 8 * 128 * 40)]
)
def test_what_is_multiplied_at_a_time_changes_no_bit(monkeypatch, block, rows, squares, held):
    """Counts, and differences required, are those of one product, for draws at hand and by blocks."""
    question = ask(np.random.default_rng(4).normal(0.4, 0.2, (2, 18, 500)).round(1))
    monkeypatch.setattr(draws, "_MANY_TOPICS", 100)
    monkeypatch.setattr(draws, "_BLOCK_BITS", 6)
    monkeypatch.setattr(draws, "SPAN", 64)
    (by_block,) = draws.topic_draws(np.random.default_rng(1), 40, 500, at_once=40)
    at_hand = HeldDraws(by_block.whole())
    expected = np.zeros((2, 153))
    tally = tally_resamples(question, [at_hand], placing=Placing(4, expected))
    monkeypatch.setattr(studentised, "_FEW_TOPICS", 100)
    for name, size in (("_BLOCK", block), ("_ROWS", rows), ("_SQUARES", squares), ("_HELD", held)):
        monkeypatch.setattr(studentised, name, size)
    for drawn in (at_hand, by_block):
        required = np.zeros((2, 153))
        assert np.array_equal(tally_resamples(question, [drawn], placing=Placing(4, required)), tally)
        assert np.array_equal(required, expected)
    parts = [HeldDraws(at_hand.drawn[:13]), HeldDraws(at_hand.drawn[13:])]
    assert np.array_equal(tally_resamples(question, parts), tally)
    assert np.array_equal(tally_resamples(question, [by_block.part(0, 13), by_block.part(13, 40)]), tally)


def test_workers_change_no_bit():
    """Spans of topics that workers multiply give what this process does; so does a loop over the resamples."""
    values = np.random.default_rng(5).normal(0.4, 0.2, (1, 3, 70_000)).round(1)
    expected = bootstrap_sensitivity(values, n_resamples=30, alpha=0.1, rng=2)
    with working(2):
        assert bootstrap_sensitivity(values, n_resamples=30, alpha=0.1, rng=2).data.identical(expected.data)
    (drawn,) = draws.topic_draws(np.random.default_rng(2), 30, 70_000, at_once=30)
    counts = drawn.whole().astype(np.float64)
    for pair, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        z = values[0, a] - values[0, b]
        w = z - z.mean()
        means = counts @ w / len(w)
        t = means / np.sqrt((counts @ w**2 / len(w) - means**2) / (len(w) - 1))
        observed = z.mean() / (z.std(ddof=1) / np.sqrt(len(z)))
        assert expected.data["asl"].to_numpy()[0, pair] == (np.abs(t) >= np.abs(observed)).mean()
        at_place = np.abs(means[np.argsort(-np.abs(t))[2]])
        assert expected.data["difference_required"].to_numpy()[0, pair] == pytest.approx(at_place, rel=1e-9)


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
    counts = np.concatenate(list(draw_topic_counts(np.random.default_rng(0), 60, whole.shape[1])), axis=1)
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
