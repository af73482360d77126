"""Random draws: one generator from any `rng`, and resamples in the shapes the matrix products need."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from metaeval.errors import InvalidOptionError
from metaeval.running.draws import (
    RandomSource,
    bootstrap_counts,
    bootstrap_indices,
    resolve_rng,
    resolve_seed,
    topic_counts,
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
        chunks = topic_counts(np.random.default_rng(9), 50, 7, at_once=at_once)
        assert np.array_equal(np.concatenate(list(chunks), axis=1), whole)


def test_many_topics_are_drawn_resample_by_resample_with_the_same_draws(monkeypatch):
    """What saves memory where topics are many changes no draw."""
    whole = bootstrap_counts(bootstrap_indices(np.random.default_rng(9), 21, 1000), 1000).T
    monkeypatch.setattr("metaeval.running.draws._MANY_TOPICS", 1000)
    monkeypatch.setattr("metaeval.running.draws._DRAWN", 300)
    chunks = list(topic_counts(np.random.default_rng(9), 21, 1000, at_once=5))
    assert [chunk.shape[1] for chunk in chunks] == [5, 5, 5, 5, 1]
    assert all(chunk.flags.c_contiguous for chunk in chunks)
    assert np.array_equal(np.concatenate(chunks, axis=1), whole)


def test_one_seed_for_all_parts():
    """An integer is itself; a generator is drawn from once; nothing gives another seed each time."""
    assert (resolve_seed(0), resolve_seed(np.uint16(7)), resolve_seed(2**127)) == (0, 7, 2**127)
    generator = np.random.default_rng(3)
    assert resolve_seed(generator) == int(np.random.default_rng(3).integers(2**63))
    assert resolve_seed(generator) != resolve_seed(np.random.default_rng(3))
    assert resolve_seed(None) != resolve_seed(None)
