"""Likely effects and the units that find them: against draws of them and of the test, laws, degenerate input."""

import numpy as np
import pytest
from scipy import stats

from metaeval.tests_stat.likely_effects import LikelyEffects, SeenDifferences, likely_effects


def seen_of(scores):
    """Return the differences of all pairs of systems (system, topic)."""
    first, second = np.triu_indices(len(scores), 1)
    apart = scores[first] - scores[second]
    n = apart.shape[1]
    return SeenDifferences(apart.mean(axis=1), apart.std(axis=1, ddof=1) / n**0.5, np.full(len(apart), float(n)))


@pytest.mark.parametrize(
    ("mean", "variance", "n"), [(0.3, 0.01, 60), (0.1, 0.02, 400), (0.9, 0.0, 14), (0.0, 0.04, 90)]
)
def test_the_chance_by_drawing(mean, variance, n):
    """True effects are drawn from their law, and a t of n units at each of them."""
    rng = np.random.default_rng(n)
    effects = rng.normal(mean, variance**0.5, 200_000)
    spread = np.sqrt(rng.chisquare(n - 1, len(effects)) / (n - 1))
    drawn = (np.abs(rng.normal(effects * n**0.5, 1)) > stats.t.isf(0.025, n - 1) * spread).mean()
    likely = LikelyEffects(np.array([[mean]]), np.array([[variance]]), np.ones(1), np.ones(1))
    assert likely.chance(np.array([float(n)]))[0] == pytest.approx(drawn, abs=0.01)


def test_units_needed_are_the_fewest():
    """One fewer has less than the chance asked for; the more a difference seen is doubted, the more are needed."""
    mean = np.array([[0.2], [0.2], [0.2], [1e-9]])
    variance = np.array([[0.0], [0.005], [0.02], [0.0]])
    likely = LikelyEffects(mean, variance, np.ones(1), np.ones(4))
    needed = likely.units_needed(power=0.8)
    assert needed[0] < needed[1] < needed[2]
    assert np.isinf(needed[3])
    asked = np.minimum(needed, 1e6)
    assert (likely.chance(asked)[:3] >= 0.8).all()
    assert (likely.chance(asked - 1.0)[:3] < 0.8).all()


@pytest.mark.parametrize(("n_systems", "n_topics", "spread"), [(10, 50, 0.4), (10, 25, 0.5), (6, 50, 0.4)])
def test_planned_units_reach_what_they_are_planned_for(n_systems, n_topics, spread):
    """Where systems differ by a normal law, the t test finds .8 of the pairs on the units planned; else it is .67."""
    powers = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        level = rng.normal(0, spread / 2**0.5, n_systems)
        seen = seen_of(level[:, None] + rng.normal(0, 0.5**0.5, (n_systems, n_topics)))
        needed = likely_effects(seen, seen, n_systems=n_systems).units_needed(power=0.8)
        first, second = np.triu_indices(n_systems, 1)
        planned = needed <= 20 * n_topics
        edge, shift = stats.t.isf(0.025, needed - 1), (level[first] - level[second]) * needed**0.5
        powers.append((stats.norm.cdf(shift - edge) + stats.norm.cdf(-shift - edge))[planned])
    assert np.concatenate(powers).mean() == pytest.approx(0.8, abs=0.05)


def test_the_interval_holds_true_effects():
    """Of pairs of systems by a normal law .95 are in it, also of those that seem furthest apart."""
    inside, furthest = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        level = rng.normal(0, 0.15, 12)
        seen = seen_of(level[:, None] + rng.normal(0, 0.5**0.5, (12, 40)))
        _, low, high = likely_effects(seen, seen, n_systems=12).interval()
        first, second = np.triu_indices(12, 1)
        held = (low <= level[first] - level[second]) & (level[first] - level[second] <= high)
        inside.append(held.mean())
        furthest.append(held[np.abs(seen.difference / seen.error).argsort()[-6:]].mean())
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
    assert np.mean(furthest) == pytest.approx(0.95, abs=0.05)


def test_the_noise_of_the_spread_is_in_the_interval():
    """Alone, and beside pairs whose noise differs, .9 of large effects lie in the interval: without it .86 and .77."""
    rng = np.random.default_rng(9)
    true = rng.uniform(-1.5, 1.5, 3000)
    scores = true[:, None] + rng.normal(size=(3000, 40))
    alone = SeenDifferences(scores.mean(axis=1), scores.std(axis=1, ddof=1) / 40**0.5, np.full(3000, 40.0))
    _, low, high = LikelyEffects.alone(alone).interval(0.9)
    assert ((low <= true) & (true <= high)).mean() == pytest.approx(0.9, abs=0.02)
    held = []
    for _ in range(100):
        level, noise = 2 * rng.normal(size=10), np.exp(rng.uniform(-0.8, 0.8, 10))
        seen = seen_of(level[:, None] + noise[:, None] * rng.normal(size=(10, 40)))
        _, low, high = likely_effects(seen, seen, n_systems=10).interval(0.9)
        first, second = np.triu_indices(10, 1)
        effect = (level[first] - level[second]) / np.hypot(noise[first], noise[second])
        held.append(((low <= effect) & (effect <= high)).mean())
    assert np.mean(held) == pytest.approx(0.9, abs=0.04)


def test_a_difference_is_as_good_turned_and_in_another_unit():
    """Turned pairs have turned effects; scores times ten have the same ones."""
    seen = seen_of(np.random.default_rng(1).normal(np.arange(5)[:, None] / 4, 1, (5, 30)))
    mean, low, high = likely_effects(seen, seen, n_systems=5).interval()
    other = SeenDifferences(-10 * seen.difference, 10 * seen.error, seen.worth)
    turned = likely_effects(other, other, n_systems=5)
    np.testing.assert_allclose(turned.interval(), (-mean, -high, -low), rtol=1e-9)
    np.testing.assert_allclose(
        turned.units_needed(power=0.8), likely_effects(seen, seen, n_systems=5).units_needed(power=0.8)
    )


def test_pairs_without_error_say_nothing():
    """They have no effect, and change none of the others; where no pair has an error there is none at all."""
    seen = seen_of(np.random.default_rng(2).normal(np.arange(4)[:, None] / 4, 1, (4, 30)))
    still = SeenDifferences(*(np.append(array, value) for array, value in zip(seen, (0.3, 0.0, 2.0), strict=True)))
    with_it, without = (likely_effects(family, family, n_systems=4) for family in (still, seen))
    assert np.isnan(with_it.units_needed(power=0.8)[-1])
    np.testing.assert_allclose(with_it.interval()[0][:-1], without.interval()[0])
    nothing = SeenDifferences(np.array([0.1]), np.zeros(1), np.full(1, 2.0))
    assert np.isnan(likely_effects(nothing, nothing, n_systems=2).units_needed(power=0.8)).all()
