"""True differences: every step against loops written out, closed forms and SciPy; scores that say too little."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.errors import EstimationError
from metaeval.models.true_differences import (
    SLOPES,
    describe_pairs,
    draw_differences,
    missed_power,
    prior_of,
    scales_for,
    standardised,
)


def made(seed, *, n_systems=6, n_topics=20, loudness=0.6):
    """Scores of systems that differ, on topics of unlike loudness."""
    generator = np.random.default_rng(seed)
    noise = generator.normal(size=(n_systems, n_topics)) * np.exp(loudness * generator.normal(size=n_topics))
    return 0.4 + 0.08 * generator.normal(size=(n_systems, 1)) + 0.1 * generator.normal(size=n_topics) + 0.1 * noise


def random_numbers(seed, n_draws, values):
    """Return what a draw asks for, for any scores of that shape."""
    generator = np.random.default_rng(seed)
    n_topics = values.shape[1]
    weights = generator.standard_exponential((n_draws, n_topics))
    signs = generator.standard_normal((n_draws, n_topics))
    return {
        "weights": weights / weights.mean(axis=1, keepdims=True),
        "signs": signs - signs.mean(axis=1, keepdims=True),
        "law": (generator.normal(-2, 1, n_draws), generator.choice(SLOPES, n_draws)),
        "boost": generator.uniform(1, 2, n_draws),
    }


def literal_pairs(values):
    """Return difference and log variance of every pair, the share kept, and the powers with their loud half's logs."""
    n_systems, n_topics = values.shape
    pairs = list(combinations(range(n_systems), 2))
    difference, variance, influence = [], [], []
    for a, b in pairs:
        apart = [values[a, topic] - values[b, topic] for topic in range(n_topics)]
        mean = sum(apart) / n_topics
        difference.append(mean)
        variance.append(sum((one - mean) ** 2 for one in apart) / (n_topics - 1))
    logs = np.log(variance)
    grand = [sum(values[:, topic]) / n_systems for topic in range(n_topics)]
    overall = sum(grand) / n_topics
    inner = np.empty_like(values)
    for system in range(n_systems):
        own = sum(values[system]) / n_topics
        for topic in range(n_topics):
            inner[system, topic] = values[system, topic] - own - grand[topic] + overall
    for place, (a, b) in enumerate(pairs):
        spread = variance[place] * (n_topics - 1) / n_topics
        influence.append([(inner[a, topic] - inner[b, topic]) ** 2 / spread - 1 for topic in range(n_topics)])
    own_error = sum(np.var([row[topic] for row in influence]) for topic in range(n_topics)) / n_topics**2
    kept = max(0.0, 1 - own_error / np.var(logs))
    power = [sum(inner[:, topic] ** 2) / n_systems for topic in range(n_topics)]
    middle = np.median(power)
    loud = sorted(np.log(one / middle) for one in power if one > middle)
    settled = np.mean(logs) + kept * (logs - np.mean(logs)) + own_error / 2
    return np.array(difference), settled, kept, own_error, np.array(power), middle, loud


def literal_worth(values):
    """Return the number of independent differences, cosine by cosine."""
    n_systems, n_topics = values.shape
    inner = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    squares = [
        (sum(inner[:, s] * inner[:, t]) ** 2 / sum(inner[:, s] ** 2) / sum(inner[:, t] ** 2))
        for s in range(n_topics)
        for t in range(n_topics)
        if s != t
    ]
    return min(max(1 / np.mean(squares), 3), n_systems - 1)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pairs_are_those_of_plain_loops(seed):
    """Means, variances, the share of their spread that is no sampling error, and the loud topics, pair by pair."""
    values = made(seed)
    found = describe_pairs(values)
    difference, logs, kept, sampled, power, middle, loud = literal_pairs(values)
    np.testing.assert_allclose(found.difference, difference, rtol=1e-10)
    assert found.kept == pytest.approx(kept, rel=1e-9)
    assert found.sampled == pytest.approx(sampled, rel=1e-9)
    np.testing.assert_allclose(found.log_variance, logs, rtol=1e-9)
    np.testing.assert_allclose(found.power, power, rtol=1e-9)
    assert found.middle == pytest.approx(middle, rel=1e-9)
    np.testing.assert_allclose(np.sort(found.loud), loud, rtol=1e-8)
    assert found.worth == pytest.approx(literal_worth(values), rel=1e-9)


def test_pairs_are_worth_as_many_differences_as_there_are_independent_systems():
    """Nearly N - 1 where systems err alone, nearly the clusters less one where they err with their cluster."""
    generator = np.random.default_rng(2)
    alone = generator.normal(size=(40, 60))
    shared = np.repeat(generator.normal(size=(8, 60)), 5, axis=0)
    assert 33 < describe_pairs(alone).worth <= 39
    assert 5 < describe_pairs(shared + 0.05 * alone).worth < 9


def test_what_pairs_are_worth_depends_on_directions_alone():
    """Louder topics, other units and other levels of systems and topics change nothing."""
    generator = np.random.default_rng(3)
    values = generator.normal(size=(12, 5)) @ generator.normal(size=(5, 30)) + 0.3 * generator.normal(size=(12, 30))
    expected = describe_pairs(values).worth
    assert 3 < expected < 6
    moved = 7 * values + generator.normal(size=(12, 1)) + generator.normal(size=30)
    assert describe_pairs(moved).worth == pytest.approx(expected, rel=1e-9)
    loud = np.exp(generator.normal(size=30))
    assert describe_pairs(values * loud).worth == pytest.approx(expected, rel=0.25)


def test_variances_that_differ_by_chance_alone_are_all_but_one():
    """Of equal variances little is kept, of variances that differ tenfold nearly all."""
    generator = np.random.default_rng(0)
    equal = generator.normal(size=(30, 40))
    apart = equal * np.geomspace(0.1, 10, 30)[:, None]
    assert describe_pairs(equal).kept < 0.35
    assert describe_pairs(apart).kept > 0.9


def test_the_law_is_weighed_by_scipys_normal_likelihood():
    """At any point of the grid: u normal about 0, three in a thousand anywhere, flat on the variance."""
    values = made(3)
    found = prior_of(describe_pairs(values))
    difference, logs, *_ = literal_pairs(values)
    points = np.argsort(found.weight)[[-1, -2, -30, -60, -100]]
    u = difference / np.exp(logs / 2)
    anywhere = stats.uniform.pdf(0, loc=-np.abs(u).max(), scale=2 * np.abs(u).max())
    expected = []
    for point in points:
        total = 0.0
        for one, log in zip(u, logs - logs.mean(), strict=True):
            kappa = np.exp(found.log_scale[point] + found.slope[point] * log)
            common = stats.norm.pdf(one, scale=np.sqrt(kappa + 1 / values.shape[1]))
            total += np.log(0.997 * common + 0.003 * anywhere)
        expected.append(literal_worth(values) / 15 * total + found.log_scale[point])
    np.testing.assert_allclose(np.diff(np.log(found.weight[points])), np.diff(expected), atol=1e-9)


def test_the_grid_holds_every_law_and_sums_to_one():
    """Every slope at every scale, ascending; the ends of the scale weigh next to nothing."""
    found = prior_of(describe_pairs(made(4, n_systems=20, n_topics=50)))
    assert found.weight.sum() == pytest.approx(1)
    assert (np.diff(found.log_scale) >= 0).all()
    scales = np.unique(found.log_scale)
    np.testing.assert_array_equal(found.slope.reshape(len(scales), -1), np.tile(SLOPES, (len(scales), 1)))
    by_scale = found.weight.reshape(len(scales), -1).sum(axis=1)
    assert max(by_scale[0], by_scale[-1]) < 1e-3 * by_scale.max()
    # the ends are the coarse scales next to those where some law has a ten-thousandth of the likeliest one's weight
    likeliest = found.weight.reshape(len(scales), -1).max(axis=1)
    step = np.log(30 / 1e-4) / (len(scales) - 1)
    for end, beside in ((scales[0], scales[0] + step), (scales[-1], scales[-1] - step)):
        weights = np.interp([end, beside], scales, likeliest) / likeliest.max()
        assert weights[0] <= 1e-4 < weights[1]


def test_the_coarse_grid_spans_its_orders_of_magnitude():
    """From a ten-thousandth to thirty times the mean square of what was observed."""
    u = np.array([0.1, -0.2, 0.4])
    scales = scales_for(u)
    assert np.exp(scales[[0, -1]]) == pytest.approx((0.21 / 3) * np.array([1e-4, 30]))


@pytest.mark.parametrize("lead", [0.3, 0.8])
def test_one_system_far_ahead_does_not_move_the_topics_that_the_others_need(lead):
    """Fifteen systems close together, and one far from all: the law stays that of the fifteen."""
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        means = np.append(rng.normal(0.3, 0.02, 15), 0.3 + lead)
        values = means[:, None] + rng.normal(0.0, 0.1, (16, 50))
        laws = [prior_of(describe_pairs(own)) for own in (values[:-1], values)]
        with_far, without = (np.average(law.log_scale, weights=law.weight) for law in laws[::-1])
        found.append(with_far - without)
    assert abs(np.mean(found)) < 0.7


@pytest.mark.parametrize("noise", [1e-5, 1e-8])
def test_one_lead_past_all_noise_does_not_move_the_law(noise):
    """A near copy a constant ahead, with a u of thousands, leaves the others' differences as small as they are."""
    values = made(2, n_systems=10, n_topics=40, loudness=0.0)
    copy = values[:1] + 1e-2 + noise * np.random.default_rng(0).normal(size=40)
    found = []
    for one in (values, np.vstack([values, copy])):
        pairs = describe_pairs(one)
        law = prior_of(pairs)
        usual = pairs.log_variance[0] - pairs.log_variance.mean()
        found.append(np.average(law.log_scale + law.slope * usual, weights=law.weight))
    assert abs(found[1] - found[0]) < 1.5


def test_the_scale_of_the_law_is_found():
    """Of normal differences between many systems the posterior holds the variance they were drawn with."""
    generator = np.random.default_rng(1)
    values = 0.5 * generator.normal(size=(60, 1)) + generator.normal(size=(60, 100))
    found = prior_of(describe_pairs(values))
    centre = np.average(found.log_scale, weights=found.weight)
    error = np.sqrt(np.average((found.log_scale - centre) ** 2, weights=found.weight))
    assert abs(centre - np.log(0.25)) < 3 * error  # of (m_a - m_b) / sqrt 2: a variance of 0.25
    assert error < 1.5 * np.sqrt(2 / 59) + 0.1


def test_many_pairs_are_thinned_and_weigh_as_much():
    """Of more than four thousand pairs every so many is taken, and all of them are worth the same."""
    pairs = describe_pairs(made(5, n_systems=95, n_topics=12))
    u, logs, n_topics, worth = standardised(pairs)
    assert len(u) == len(logs) == -(-95 * 94 // 2 // 2)
    assert worth * len(u) == pytest.approx(pairs.worth)
    assert 1 <= pairs.worth <= 94
    assert n_topics == 12
    np.testing.assert_allclose(u, (pairs.difference / np.exp(pairs.log_variance / 2))[::2])


@pytest.mark.parametrize(("power", "slope"), [(0.0, -1.0), (1.0, 0.0), (2.0, 1.0)])
def test_the_slope_of_the_law_is_found(power, slope):
    """Means that spread as a power of their system's noise: as far for all, as the noise, and as its square."""
    generator = np.random.default_rng(2)
    noise = np.geomspace(0.1, 10, 60)[:, None]
    values = 3 * noise**power * generator.normal(size=(60, 1)) + noise * generator.normal(size=(60, 100))
    found = prior_of(describe_pairs(values))
    assert abs(np.average(found.slope, weights=found.weight) - slope) < 0.25


def literal_boost(power, loud, chance, error):
    """Return what one draw's variances are multiplied by: the mean of SciPy's log-normal law, as far as believed."""
    heard = [one for one in power if one > 0]
    variance = min(sum(one**2 for one in loud) / stats.chi2.ppf(chance, len(loud)), 8)
    median = np.median(heard) * np.exp(error * np.sqrt(np.pi * variance / 2 / len(heard)))
    expected = stats.lognorm.mean(np.sqrt(variance), scale=median)
    return (expected / np.mean(heard)) ** (variance / (2 + variance))


CHANCES, ERRORS = np.array([0.05, 0.3, 0.5, 0.7, 0.95]), np.array([0.4, -1.5, 0.0, 2.0, -0.3])


@pytest.mark.parametrize(("seed", "loudness"), [(6, 0.6), (7, 0.0), (8, 1.5)])
def test_missed_power_is_that_of_scipys_log_normal_law(seed, loudness):
    """Draw by draw: the variance over a chi-square quantile, the median moved by its error, half believed at 2."""
    values = made(seed, n_topics=30, loudness=loudness)
    *_, power, _, loud = literal_pairs(values)
    expected = [literal_boost(power, loud, *one) for one in zip(CHANCES, ERRORS, strict=True)]
    np.testing.assert_allclose(missed_power(describe_pairs(values), CHANCES, ERRORS), expected, rtol=1e-7)


def with_power(power):
    """Return pairs of systems on topics of these powers."""
    middle = np.median(power[power > 0])
    pairs = describe_pairs(made(7))
    return pairs._replace(power=power, middle=float(middle), loud=np.log(power[power > middle] / middle))


@pytest.mark.parametrize("variance", [0.1, 0.6, 2.0])
def test_missed_power_makes_up_for_a_log_normal_law(variance):
    """Quantiles of a log-normal law, their mean too small, are brought towards exp(ψ² / 2), half the way at 2."""
    power = stats.lognorm.ppf((np.arange(2000) + 0.5) / 2000, np.sqrt(variance))
    found = missed_power(with_power(power), np.array([0.5]), np.zeros(1))[0]
    short = np.exp(variance / 2) / power.mean()
    assert found == pytest.approx(short ** (variance / (2 + variance)), rel=1e-3)


def test_a_sample_that_missed_nothing_is_left_as_it_is():
    """Where the mean is that of the law the variances are multiplied by one, however wide the law."""
    for variance in (0.3, 2.0, 6.0):
        pairs = with_power(stats.lognorm.ppf((np.arange(2000) + 0.5) / 2000, np.sqrt(variance)))
        law = (pairs.loud**2).sum() / stats.chi2.ppf(0.5, len(pairs.loud))
        whole = pairs._replace(power=pairs.power * pairs.middle * np.exp(law / 2) / pairs.power.mean())
        assert missed_power(whole, np.array([0.5]), np.zeros(1))[0] == pytest.approx(1, rel=1e-9)


def test_topics_nearly_alike_miss_nothing():
    """The less the powers differ, the nearer to one are the variances multiplied by, whatever is drawn."""
    boosts = [missed_power(with_power(1 + width * np.linspace(0, 1, 21)), CHANCES, ERRORS) for width in (1e-2, 1e-6)]
    assert 0 < np.abs(np.log(boosts[0])).max() < 1e-4
    assert np.abs(np.log(boosts[1])).max() < 1e-12


def test_the_median_errs_as_medians_of_samples_do():
    """One standard error moves the law by what medians of a hundred log-normal powers differ by."""
    generator = np.random.default_rng(0)
    pairs = with_power(stats.lognorm.ppf((np.arange(100) + 0.5) / 100, 1.2))
    variance = (pairs.loud**2).sum() / stats.chi2.ppf(0.5, len(pairs.loud))
    low, high = np.log(missed_power(pairs, np.full(2, 0.5), np.array([-1.0, 1.0]))) * (2 + variance) / variance
    medians = np.median(np.sqrt(variance) * generator.normal(size=(4000, 100)), axis=1)
    assert (high - low) / 2 == pytest.approx(medians.std(), rel=0.05)  # a hundred topics are not endless


@given(st.integers(0, 10_000), st.sampled_from([1e-18, 0.01, 1e18]))
def test_the_unit_of_the_powers_does_not_matter(seed, factor):
    """Nor does the order of the topics."""
    generator = np.random.default_rng(seed)
    power = np.exp(generator.normal(size=25))
    np.testing.assert_allclose(
        missed_power(with_power(factor * generator.permutation(power)), CHANCES, ERRORS),
        missed_power(with_power(power), CHANCES, ERRORS),
        rtol=1e-9,
    )


def test_topics_of_no_power_say_nothing_about_the_missed():
    """Topics on which nothing varies change what the variances are multiplied by not at all."""
    values = made(8)
    padded = np.hstack([values, np.repeat(values.mean(axis=1, keepdims=True), 9, axis=1)])
    plain, longer = describe_pairs(values), describe_pairs(padded)
    assert (longer.power == 0).sum() == 9
    np.testing.assert_allclose(missed_power(longer, CHANCES, ERRORS), missed_power(plain, CHANCES, ERRORS), rtol=1e-9)


def test_the_wildest_topics_have_a_finite_power():
    """Topics a million million times as loud as others give finite variances: an overflow would pass for no noise."""
    values = made(9, n_topics=9)
    pairs = with_power(np.geomspace(1e-12, 1e12, 9))._replace(residual=describe_pairs(values).residual)
    numbers, chances = random_numbers(2, 50, values), np.linspace(0.001, 0.999, 50)
    assert (pairs.loud**2).sum() / stats.chi2.ppf(chances[0], len(pairs.loud)) / 2 > np.log(np.finfo(float).max)
    boost = missed_power(pairs, chances, np.linspace(-4, 4, 50))
    drawn = draw_differences(pairs, **numbers | {"boost": boost})
    assert np.isfinite(boost).all()
    assert (boost > 0).all()
    assert np.isfinite(drawn.log_variance).all()


def literal_draw(values, pairs_of, numbers, draw):
    """Return one draw of every pair's difference and log variance, in the order of the formulas."""
    n_systems, n_topics = values.shape
    kept, sampled, log_variance = pairs_of.kept, pairs_of.sampled, pairs_of.log_variance
    pairs = list(combinations(range(n_systems), 2))
    weights, signs = numbers["weights"][draw], numbers["signs"][draw]
    scale, slope = (part[draw] for part in numbers["law"])
    residual = values - values.mean(axis=1, keepdims=True)
    inner = residual - residual.mean(axis=0)
    errors = [
        sum(signs[topic] * residual[system, topic] for topic in range(n_topics)) / np.sqrt(n_topics * (n_topics - 1))
        for system in range(n_systems)
    ]
    logs = np.array(
        [
            np.log(sum(weights[t] * (inner[a, t] - inner[b, t]) ** 2 for t in range(n_topics)) / (n_topics - 1))
            for a, b in pairs
        ]
    )
    about = log_variance - log_variance.mean()
    logs = logs.mean() + about + np.sqrt(kept) * (logs - logs.mean() - (about / kept if kept else 0.0)) + sampled
    found = []
    for place, (a, b) in enumerate(pairs):
        observed = (values[a] - values[b]).mean() / np.exp(logs[place] / 2)
        kappa = np.exp(scale + slope * about[place])
        shrink = kappa / (kappa + 1 / n_topics)
        error = (errors[a] - errors[b]) / np.exp(log_variance[place] / 2)
        found.append((shrink * observed + np.sqrt(shrink) * error) * np.exp(logs[place] / 2))
    own = [
        sum(weights[t] * residual[s, t] ** 2 for t in range(n_topics)) / (n_topics - 1) * numbers["boost"][draw]
        for s in range(n_systems)
    ]
    return found, logs + np.log(numbers["boost"][draw]), values.mean(axis=1) + errors, own


@pytest.mark.parametrize(("seed", "loudness"), [(10, 0.0), (10, 0.6), (3, 0.0)])
def test_draws_are_those_of_plain_loops(seed, loudness):
    """Given the random numbers: variances, shrinkage, error, level and own variance of every draw."""
    values = made(seed, loudness=loudness)
    pairs, numbers = describe_pairs(values), random_numbers(3, 6, values)
    assert (pairs.kept == 0) == (seed == 3)  # equal variances, all of whose spread is sampling error, among them
    found = draw_differences(pairs, **numbers)
    for draw in range(6):
        value, logs, level, own = literal_draw(values, pairs, numbers, draw)
        np.testing.assert_allclose(found.value[draw], value, rtol=1e-8)
        np.testing.assert_allclose(found.log_variance[draw], logs, rtol=1e-8)
        np.testing.assert_allclose(found.level[draw], level, rtol=1e-10)
        np.testing.assert_allclose(found.own[draw], own, rtol=1e-10)
    assert found.compared == 15


def test_draws_have_the_normal_posterior():
    """Under one normal law u has the mean and the variance of a normal mean with a normal prior."""
    values = made(11, n_topics=25)
    pairs, n_draws, kappa = describe_pairs(values), 4000, 0.2
    numbers = random_numbers(4, n_draws, values)
    numbers["weights"][:] = 1.0
    numbers["boost"][:] = 1.0
    numbers["law"] = (np.full(n_draws, np.log(kappa)), np.zeros(n_draws))
    drawn = draw_differences(pairs, **numbers)
    u = drawn.value / np.exp(drawn.log_variance / 2)
    shrink = kappa / (kappa + 1 / 25)
    mean, variance = shrink * pairs.difference / np.exp((pairs.log_variance + pairs.sampled / 2) / 2), shrink / 25
    raw = np.array([(values[a] - values[b]).var(ddof=1) for a, b in combinations(range(6), 2)])
    variance = (
        variance * raw / np.exp(pairs.log_variance)
    )  # errors are the pair's own, whatever its variance is drawn to
    error = np.sqrt(variance / n_draws)
    assert (np.abs(u.mean(axis=0) - mean) < 4 * error).all()
    np.testing.assert_allclose(u.var(axis=0), variance, rtol=4 * np.sqrt(2 / n_draws))


def test_pairs_err_together():
    """Before shrinkage the error of a and c is that of a and b and that of b and c added up."""
    values = made(12)
    numbers = random_numbers(5, 4, values)
    numbers["law"] = (np.full(4, 60.0), np.zeros(4))
    pairs = describe_pairs(values)
    drawn = draw_differences(pairs, **numbers)
    scale = np.exp((drawn.log_variance - np.log(numbers["boost"])[:, None] - pairs.log_variance) / 2)
    error = (drawn.value - pairs.difference) / scale
    place = {pair: number for number, pair in enumerate(combinations(range(6), 2))}
    for a, b, c in combinations(range(6), 3):
        np.testing.assert_allclose(
            error[:, place[a, c]], error[:, place[a, b]] + error[:, place[b, c]], rtol=1e-8, atol=1e-12
        )


@given(st.integers(0, 10_000), st.sampled_from([0.1, 10.0, 1000.0, 1e-9, 1e9]), st.floats(-5, 5))
def test_unit_and_zero_of_the_scores_do_not_matter(seed, factor, shift):
    """In another unit, or with a constant added, differences and variances follow and the law stays."""
    values = made(seed % 50)
    plain, other = describe_pairs(values), describe_pairs(factor * (values + shift))
    np.testing.assert_allclose(other.difference, factor * plain.difference, rtol=1e-8, atol=factor * 1e-14)
    np.testing.assert_allclose(other.log_variance, plain.log_variance + 2 * np.log(factor), rtol=1e-8, atol=1e-9)
    assert other.kept == pytest.approx(plain.kept, abs=1e-8)
    assert other.middle == pytest.approx(factor**2 * plain.middle, rel=1e-8)
    np.testing.assert_allclose(other.loud, plain.loud, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(prior_of(other).weight, prior_of(plain).weight, rtol=1e-5, atol=1e-9)


@given(st.integers(0, 10_000))
def test_tenths_and_counts_are_one(seed):
    """Whole scores and their tenths give the same loud topics, ties of their powers included."""
    whole = np.random.default_rng(seed).integers(0, 4, (5, 24)).astype(float)
    whole[:, 12:] = whole[::-1, :12]
    plain, tenths = describe_pairs(whole), describe_pairs(whole / 10)
    np.testing.assert_allclose(tenths.loud, plain.loud, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(missed_power(tenths, CHANCES, ERRORS), missed_power(plain, CHANCES, ERRORS), rtol=1e-9)


@given(st.integers(0, 10_000))
def test_the_order_of_systems_and_topics_does_not_matter(seed):
    """Shuffled systems have the same pairs, shuffled topics the same everything, and the law is the same."""
    generator = np.random.default_rng(seed)
    values = made(seed % 50)
    systems, topics = generator.permutation(6), generator.permutation(20)
    plain, other = describe_pairs(values), describe_pairs(values[systems][:, topics])
    first, second = (systems[index] for index in np.triu_indices(6, 1))
    place = {pair: number for number, pair in enumerate(combinations(range(6), 2))}
    turned = [place[min(pair), max(pair)] for pair in zip(first.tolist(), second.tolist(), strict=True)]
    sign = np.where(first < second, 1.0, -1.0)
    np.testing.assert_allclose(other.difference, sign * plain.difference[turned], atol=1e-13)
    np.testing.assert_allclose(other.log_variance, plain.log_variance[turned], rtol=1e-9)
    np.testing.assert_allclose(other.power, plain.power[topics], rtol=1e-9)
    assert other.kept == pytest.approx(plain.kept, rel=1e-9)
    np.testing.assert_allclose(prior_of(other).weight, prior_of(plain).weight, rtol=1e-6, atol=1e-12)


@given(st.integers(0, 10_000))
def test_negated_scores_have_negated_differences(seed):
    """Which end of the scale is the better one changes signs and nothing else."""
    values = made(seed % 50)
    numbers = random_numbers(seed, 3, values)
    plain, other = (draw_differences(describe_pairs(one), **numbers) for one in (values, -values))
    np.testing.assert_array_equal(other.value, -plain.value)
    np.testing.assert_array_equal(other.log_variance, plain.log_variance)


def test_copies_and_constant_leads_are_known_exactly():
    """Equal systems differ by nothing in every draw, those a constant apart by that, and neither has noise."""
    values = made(13)
    values = np.vstack([values, values[1], values[2] + 0.25])
    pairs, numbers = describe_pairs(values), random_numbers(6, 5, values)
    drawn = draw_differences(pairs, **numbers)
    place = {pair: number for number, pair in enumerate(combinations(range(8), 2))}
    for pair, apart in (((1, 6), 0.0), ((2, 7), -0.25)):
        np.testing.assert_allclose(drawn.value[:, place[pair]], apart, atol=1e-15)
        assert (drawn.log_variance[:, place[pair]] == -np.inf).all()
    assert drawn.compared == 28 - 1
    assert np.isfinite(drawn.value).all()
    without = describe_pairs(values[:6])
    assert standardised(pairs)[3] * len(standardised(pairs)[0]) == pytest.approx(pairs.worth)
    np.testing.assert_allclose(pairs.difference[[place[0, 1], place[3, 4]]], without.difference[[0, 12]])


def test_a_pair_that_ties_wherever_the_weights_fall_keeps_some_noise():
    """Two systems that differ elsewhere alone have a variance, and the other pairs lose none of theirs."""
    values = made(15)
    values[1] = np.r_[values[0, 0], values[0, :0:-1]]
    numbers = random_numbers(7, 3, values)
    numbers["weights"][:] = np.r_[20.0, np.zeros(19)]
    drawn = draw_differences(describe_pairs(values), **numbers)
    assert np.isfinite(drawn.log_variance).all()
    assert np.isfinite(drawn.value).all()
    assert drawn.log_variance[0, 0] == drawn.log_variance[0].min()


def test_means_equal_on_paper_are_equal():
    """0.1 + 0.2 and 0.3 make one mean: such a pair differs by exactly nothing and still has its noise."""
    values = made(14, n_systems=5, n_topics=18)
    one = np.resize([0.1, 0.2, 0.3, 0.6, 0.7, 0.9], 18)
    values = np.vstack([values, one, one[::-1]])
    pairs = describe_pairs(values)
    assert pairs.difference[-1] == 0.0
    assert np.isfinite(pairs.log_variance[-1])


def twelve_topics(seed=15):
    return made(seed, n_systems=5, n_topics=12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (twelve_topics()[:2], "2 systems differ; the spread of their means asks for 4"),
        (twelve_topics()[:3], "3 systems differ"),
        (twelve_topics()[[0, 1, 2, 2, 1]], "3 systems differ"),
        (np.arange(5.0)[:, None] + np.zeros(12), "too few of the 12 topics"),
        (np.arange(5.0)[:, None] / 10 + np.linspace(0, 1, 12), "too few of the 12 topics"),
        (twelve_topics()[:, :7], "too few of the 7 topics"),
        (np.hstack([twelve_topics(), -twelve_topics()]), "the means of all systems are equal"),
    ],
)
def test_scores_that_say_too_little_are_refused(values, message):
    """Three systems, copies, constant leads, seven topics and equal means are refused with the reason."""
    with pytest.raises(EstimationError, match=message):
        describe_pairs(values)


def test_rounding_is_no_loudness():
    """Topics on which nothing varies but the last bit count neither as quiet nor as loud."""
    values = np.arange(1, 7)[:, None] / 10 + np.random.default_rng(0).integers(0, 5, 60) / 10
    for topic in range(0, 20, 2):
        step = np.zeros(6)
        step[topic % 5], step[topic % 5 + 1] = 0.1 + topic / 100, -0.1 - topic / 100
        values[:, topic] += step
        values[:, topic + 1] -= step
    pairs = describe_pairs(values)
    assert (pairs.power > 0).sum() == 20
    assert pairs.loud.max() < np.log(np.ptp(pairs.power[pairs.power > 0]) / pairs.power[pairs.power > 0].min())
