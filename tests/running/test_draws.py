"""Random draws: one generator from any `rng`, and resamples in the shapes the matrix products need."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from metaeval.errors import InvalidOptionError
from metaeval.running import draws
from metaeval.running.draws import (
    RandomSource,
    bootstrap_counts,
    bootstrap_indices,
    draw_topic_counts,
    resolve_rng,
    resolve_seed,
    topic_draws,
)


def test_a_seed_gives_the_generator_of_numpy():
    """An integer means what it means to numpy.random.default_rng, 0 included."""
    for seed in (0, 7):
        source = resolve_rng(seed)
        assert source.description == f"seed {seed}"
        assert source.generator.random() == np.random.default_rng(seed).random()


def test_no_seed_can_be_repeated():
    """Fresh entropy differs from call to call, and its description gives the same numbers again."""
    one, other = resolve_rng(None), resolve_rng(None)
    assert one.description != other.description
    again = resolve_rng(int(one.description.removeprefix("seed ")))
    assert again.generator.random() == one.generator.random()


def test_a_generator_is_used_as_it_is():
    """A generator, or a source made before, is passed on and moves on."""
    generator = np.random.default_rng(1)
    source = resolve_rng(generator)
    assert source.generator is generator
    assert source.description == "generator PCG64"
    assert resolve_rng(source) is source
    assert isinstance(source, RandomSource)


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "7", [1]])
def test_anything_else_is_refused(wrong):
    """A negative, fractional, boolean or textual seed is an error that shows the value."""
    with pytest.raises(InvalidOptionError, match="`rng` must be None, a whole number") as caught:
        resolve_rng(wrong)
    assert repr(wrong) in str(caught.value)


@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 20))
def test_counts_say_how_often_each_topic_was_drawn(seed, n_resamples, n_topics):
    """Every resample has as many topics as there are, and counts equal a plain loop over the indices."""
    indices = bootstrap_indices(np.random.default_rng(seed), n_resamples, n_topics)
    counts = bootstrap_counts(indices, n_topics)
    expected = np.zeros((n_resamples, n_topics))
    for resample, row in enumerate(indices):
        for topic in row:
            expected[resample, topic] += 1
    np.testing.assert_array_equal(counts, expected)
    assert (counts.sum(axis=1) == n_topics).all()


def test_every_topic_is_as_likely():
    """Over many resamples a topic is drawn once on average, with the variance 1 - 1/T of a binomial."""
    n_resamples, n_topics = 20_000, 5
    counts = bootstrap_counts(bootstrap_indices(np.random.default_rng(3), n_resamples, n_topics), n_topics)
    standard_error = np.sqrt((1 - 1 / n_topics) / n_resamples)
    assert np.abs(counts.mean(axis=0) - 1).max() < 4 * standard_error
    assert counts.var(axis=0) == pytest.approx(1 - 1 / n_topics, rel=0.05)


def test_chunks_are_the_draws_of_one_go():
    """Counts drawn chunk by chunk are those drawn at once, for the same seed."""
    whole = bootstrap_counts(bootstrap_indices(np.random.default_rng(9), 50, 7), 7).T
    for at_once in (1, 13, 50, 80):
        chunks = draw_topic_counts(np.random.default_rng(9), 50, 7, at_once=at_once)
        assert np.array_equal(np.concatenate(list(chunks), axis=1), whole)


def _literal_draws(generator, n_resamples, n_topics, block):
    """Count draws one by one: topics of a block from 16 bits of the block's own stream of random numbers."""
    sizes = [block] * (n_topics // block)
    sizes += [2**bit for bit in reversed(range(20)) if (n_topics % block) & 2**bit]
    entropy = generator.integers(2**32, size=4).tolist()
    totals = generator.multinomial(n_topics, np.array(sizes) / n_topics, size=n_resamples)
    expected = np.zeros((n_resamples, n_topics))
    for number, size in enumerate(sizes):
        for resample in range(n_resamples):
            bits = np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(number,))).advance(resample << 40)
            words = [bits.random_raw() for _ in range(0, totals[resample, number], 4)]
            for draw in range(totals[resample, number]):
                expected[resample, sum(sizes[:number]) + (words[draw // 4] >> 16 * (draw % 4)) % size] += 1
    return expected


@pytest.mark.parametrize("n_topics", [64, 65, 333])
def test_many_topics_are_drawn_by_blocks(monkeypatch, n_topics):
    """Any block, any resample and any chunk, by itself, is what a plain loop draws."""
    monkeypatch.setattr(draws, "_MANY_TOPICS", 63)
    monkeypatch.setattr(draws, "_BLOCK_BITS", 6)
    monkeypatch.setattr(draws, "SPAN", 64)
    expected = _literal_draws(np.random.default_rng(9), 21, n_topics, 64)
    assert (expected.sum(axis=1) == n_topics).all()
    chunks = list(draw_topic_counts(np.random.default_rng(9), 21, n_topics, at_once=5))
    assert [chunk.shape[1] for chunk in chunks] == [5, 5, 5, 5, 1]
    assert all(chunk.flags.c_contiguous for chunk in chunks)
    assert np.array_equal(np.concatenate(chunks, axis=1).T, expected)
    (whole,) = topic_draws(np.random.default_rng(9), 21, n_topics, at_once=30)
    for span, topics in enumerate(whole.spans):
        found = np.full((3, topics.stop - topics.start), 7, dtype=np.uint8)
        whole.part(2, 20).fill(span, 4, found)
        assert np.array_equal(found, expected[6:9, topics])
    found = [(own, rows.tolist()) for own, rows in whole.rows(np.array([11, 3, 11]))]
    assert found == [(number, expected[[number]].tolist()) for number in (3, 11)]


def test_topics_of_all_blocks_are_as_likely():
    """Counts have the mean 1, the variance 1 - 1/T and the covariance -1/T, within blocks and between them."""
    n_resamples, n_topics = 400, 3 * 2**16 + 2**14 + 5
    (own,) = topic_draws(np.random.default_rng(4), n_resamples, n_topics, at_once=n_resamples)
    counts = own.whole()
    assert (counts.sum(axis=1, dtype=np.int64) == n_topics).all()
    for block in (slice(0, 2**16), slice(2**17, 3 * 2**16), slice(3 * 2**16, n_topics - 5), slice(n_topics - 5, None)):
        drawn = counts[:, block].astype(np.float32)
        size = drawn.shape[1]
        assert drawn.mean() == pytest.approx(1, abs=4 / np.sqrt(size * n_resamples))
        assert drawn.var() == pytest.approx(1, abs=4 * np.sqrt(3 / (size * n_resamples)))
        share = size / n_topics  # the sum over a block is binomial
        assert drawn.sum(axis=1).var() == pytest.approx(
            n_topics * share * (1 - share), rel=4 * np.sqrt(2 / n_resamples)
        )
    often = np.bincount(counts[:, :2000].ravel(), minlength=8)[:8]
    poisson = n_resamples * 2000 * np.exp(-1) / np.array([1, 1, 2, 6, 24, 120, 720, 5040])
    assert (np.abs(often - poisson) < 5 * np.sqrt(poisson)).all()


def test_one_seed_for_all_parts():
    """An integer is itself; a generator is drawn from once; nothing gives another seed each time."""
    assert (resolve_seed(0), resolve_seed(np.uint16(7)), resolve_seed(2**127)) == (0, 7, 2**127)
    generator = np.random.default_rng(3)
    assert resolve_seed(generator) == int(np.random.default_rng(3).integers(2**63))
    assert resolve_seed(generator) != resolve_seed(np.random.default_rng(3))
    assert resolve_seed(None) != resolve_seed(None)
