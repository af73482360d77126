"""The check of the error-rate model: the swap method's own counts, loops written out, and what a replicate is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.models.error_rate_check import Check
from metaeval.models.true_differences import describe_pairs
from metaeval.resampling.swap import swap_method
from metaeval.resampling.topic_sets import draw_topic_sets
from metaeval.running.parallel import limit_threads

TOLERANCES = np.array([0.0, 0.03, 0.1, 0.25])


def made(seed, *, n_systems=6, n_topics=24):
    """Positive scores of systems that differ little."""
    generator = np.random.default_rng(seed)
    return generator.gamma(2.0, 0.2, (n_systems, n_topics)) + 0.05 * generator.random((n_systems, 1))


def literal_count(pairs, differences, scale, picked, *, sizes, tolerances, relative):
    """Count swaps on every trial's two sets, one pair after another, and average over the trials."""
    found = np.zeros((len(tolerances), len(sizes)))
    for trial in picked:
        for place, size in enumerate(sizes):
            sets = trial[:size], trial[size : 2 * size]
            for pair, (a, b) in enumerate(combinations(range(len(pairs.means)), 2)):
                middle = (pairs.means[a] + pairs.means[b]) / 2
                true = {a: middle + differences[pair] / 2, b: middle - differences[pair] / 2}
                for which, tolerance in enumerate(tolerances):
                    winners = []
                    for topics in sets:
                        mean = {
                            one: true[one] + scale * sum(pairs.residual[one, topic] for topic in topics) / size
                            for one in (a, b)
                        }
                        lead = tolerance * max(abs(mean[a]), abs(mean[b])) if relative else tolerance
                        better = max(mean, key=mean.get)
                        winners.append(better if abs(mean[a] - mean[b]) >= lead else None)
                    found[which, place] += None not in winners and winners[0] != winners[1]
    return found / len(picked) / len(differences)


@pytest.mark.parametrize("relative", [True, False])
def test_swaps_are_counted_as_in_plain_loops(relative):
    """Given the topics picked, true differences and the power missed, every swap is one of a loop."""
    values = made(0)
    generator = np.random.default_rng(1)
    pairs = describe_pairs(values)
    check = Check(np.array([3, 7, 12]), TOLERANCES, relative, generator)
    picked = check.pick(generator.standard_exponential((2, 24)))
    differences, boost = generator.normal(0, 0.1, (2, 15)), np.array([1.0, 2.5])
    found = check.repeat(pairs, differences, boost, picked)
    for draw in range(2):
        scale = np.sqrt(boost[draw] * 24 / 23)
        literal = literal_count(
            pairs, differences[draw], scale, picked[draw], sizes=(3, 7, 12), tolerances=TOLERANCES, relative=relative
        )
        np.testing.assert_allclose(found[draw], literal, atol=1e-12)


@given(st.integers(0, 10_000), st.sampled_from(["relative", "absolute"]), st.booleans())
def test_on_the_topics_at_hand_it_is_the_swap_method(seed, unit, discrete):
    """With the differences observed, no power missed and the swap method's topic sets, its counts and ties come out."""
    values, sizes, n_trials = made(seed), [5, 12], 3
    values = np.floor(np.minimum(values, 0.9) * 5) / 10 if discrete else values
    counted = swap_method(values, sizes=sizes, n_trials=n_trials, tolerances=TOLERANCES, tolerance_unit=unit, rng=seed)
    generators = np.random.default_rng(seed).spawn(13)
    pairs = describe_pairs(values)
    for place, size in enumerate(sizes):
        sets = draw_topic_sets(generators[size], 24, size, n_trials, "disjoint").reshape(1, n_trials, -1)
        check = Check(np.array([size]), TOLERANCES, unit == "relative", generators[0])
        found = check.repeat(pairs, pairs.difference[None], np.array([23 / 24]), sets)
        np.testing.assert_allclose(found[0, :, 0], counted.rates(half_swaps=True)[0, :, place], atol=1e-12)


def test_a_replicate_is_one_sample_of_topics_shuffled():
    """Every trial has the same topics, as often as they were drawn, in an order of its own."""
    check = Check(np.array([5]), TOLERANCES, relative=True, generator=np.random.default_rng(2))
    picked = check.pick(np.random.default_rng(3).standard_exponential((4, 30)))
    for sample in picked:
        assert (np.sort(sample, axis=1) == np.sort(sample[0])).all()
        assert len(np.unique(sample, axis=0)) == len(sample)
    assert len({tuple(np.sort(sample[0])) for sample in picked}) == 4


def test_topics_are_drawn_by_their_weights():
    """A chi-square test sees the weights in the topics drawn; a topic without weight is never drawn."""
    weights = np.tile([0.0, 1.0, 2.0, 3.0, 4.0, 0.0], (2000, 1))
    check = Check(np.array([2]), TOLERANCES, relative=True, generator=np.random.default_rng(4))
    counts = np.bincount(check.pick(weights)[:, 0].ravel(), minlength=6)
    assert counts[0] == counts[5] == 0
    assert stats.chisquare(counts[1:5], 12_000 * np.arange(1, 5) / 10).pvalue > 0.001


def test_copies_are_half_an_error_where_nothing_is_asked():
    """A pair of equal systems adds half an error to every comparison at tolerance 0 and none above it."""
    values = made(5)
    values = np.vstack([values, values[:2]])
    pairs = describe_pairs(values)
    generator = np.random.default_rng(6)
    check = Check(np.array([6]), TOLERANCES, relative=False, generator=generator)
    picked = check.pick(np.ones((1, 24)))
    found = check.repeat(pairs, pairs.difference[None], np.ones(1), picked)[0, :, 0]
    literal = literal_count(
        pairs, pairs.difference, np.sqrt(24 / 23), picked[0], sizes=(6,), tolerances=TOLERANCES, relative=False
    )[:, 0]
    np.testing.assert_allclose(found - literal, [2 / 2 / 28, 0, 0, 0], atol=1e-12)


def test_a_constant_lead_is_never_lost():
    """Systems a constant apart do not swap on any topics."""
    values = np.vstack([made(7), made(7)[0] + 0.2])
    pairs = describe_pairs(values)
    away = pairs._replace(residual=pairs.residual[[0, 6]], means=pairs.means[[0, 6]])
    check = Check(np.array([4, 12]), TOLERANCES, relative=False, generator=np.random.default_rng(8))
    found = check.repeat(
        away._replace(log_variance=np.array([-np.inf]), difference=np.array([-0.2])),
        np.array([[-0.2]]),
        np.ones(1),
        check.pick(np.ones((1, 24))),
    )
    assert (found == 0).all()


@given(st.integers(0, 10_000), st.sampled_from([0.1, 10.0, 1000.0]), st.booleans())
def test_the_unit_of_the_scores_does_not_matter(seed, factor, relative):
    """Scores in another unit, absolute tolerances with them, give the same counts."""
    values, generator = made(seed), np.random.default_rng(seed)
    differences = generator.normal(0, 0.1, (2, 15))
    picked = Check(np.array([5]), TOLERANCES, relative, generator).pick(np.ones((2, 24)))
    rates = []
    for unit in (1.0, factor):
        check = Check(np.array([5]), TOLERANCES if relative else unit * TOLERANCES, relative, generator)
        rates.append(check.repeat(describe_pairs(unit * values), unit * differences, np.ones(2), picked))
    np.testing.assert_allclose(rates[0], rates[1], atol=1e-12)
    assert (np.diff(rates[0], axis=1) <= 1e-12).all()


def test_the_count_does_not_depend_on_the_cores():
    """One core and two count alike."""
    pairs, generator = describe_pairs(made(9)), np.random.default_rng(10)
    check = Check(np.array([5, 12]), TOLERANCES, relative=True, generator=generator)
    picked, differences = check.pick(np.ones((8, 24))), generator.normal(0, 0.1, (8, 15))
    found = []
    for cores in (1, 2):
        with limit_threads(cores):
            found.append(check.repeat(pairs, differences, np.ones(8), picked))
    np.testing.assert_array_equal(*found)
