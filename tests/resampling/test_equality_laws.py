"""Error rates and bins do not hang on the last bit: a literal loop in fractions, units, and wild systems."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from metaeval.resampling.bins import difference_bins
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_sets import draw_topic_sets
from metaeval.table.scores import as_scores

UNITS = {"tenths": 0.1, "thousand tenths": 100.0, "sevenths": 1 / 7, "millionths": 1e-6}
WILD = (10**9, 10**12, 10**20)


def made(seed, *, n_systems=6, n_topics=16, lowest=0):
    """Return few-valued counts (system, topic) in which means tie often."""
    counts = np.random.default_rng(seed).integers(lowest, 4, (n_systems, n_topics))
    counts[1] = np.roll(counts[0], 3)
    return counts.astype(object)


def sets_of(seed, size, n_topics, n_trials):
    """Return the topic sets that the engines draw."""
    return draw_topic_sets(np.random.default_rng(seed).spawn(size + 1)[size], n_topics, size, n_trials, "disjoint")


def gaps_of(counts, pair_of_sets):
    """Return for every pair of systems the means on both sets, as fractions."""
    size = len(pair_of_sets[0])
    means = [[Fraction(int(sum(row[topics])), size) for row in counts] for topics in pair_of_sets]
    return [[(mean[a], mean[b]) for mean in means] for a, b in combinations(range(len(counts)), 2)]


def literal_swaps(counts, tolerances, *, size, n_trials, seed, relative):
    """Count swaps per tolerance, and zero differences, in exact arithmetic."""
    swaps, zeros = [0] * len(tolerances), 0
    for pair_of_sets in sets_of(seed, size, counts.shape[1], n_trials):
        for first, second in gaps_of(counts, pair_of_sets):
            apart = [a - b for a, b in (first, second)]
            zeros += 0 in apart
            if apart[0] * apart[1] < 0:
                for place, tolerance in enumerate(tolerances):
                    bounds = [tolerance * max(abs(a), abs(b)) if relative else tolerance for a, b in (first, second)]
                    swaps[place] += all(abs(gap) >= bound for gap, bound in zip(apart, bounds, strict=True))
    return swaps, zeros


@pytest.mark.parametrize("tolerance_unit", ["relative", "absolute"])
@pytest.mark.parametrize("unit", [1.0, *UNITS.values()], ids=["counts", *UNITS])
@pytest.mark.parametrize("seed", range(3))
def test_swaps_are_those_of_fractions(tolerance_unit, unit, seed):
    """Swaps at every tolerance and zero differences are exact, whatever the unit the scores come in."""
    counts, shares = made(seed), [Fraction(0), Fraction(1, 10), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2)]
    expected, zeros = literal_swaps(
        counts, shares, size=5, n_trials=20, seed=seed, relative=tolerance_unit == "relative"
    )
    tolerances = [float(one) * (1.0 if tolerance_unit == "relative" else unit) for one in shares]
    found = swap_method(
        counts.astype(float) * unit,
        sizes=[5],
        n_trials=20,
        tolerances=tolerances,
        tolerance_unit=tolerance_unit,
        rng=seed,
    )
    total = found.totals()
    assert total["swaps"].to_numpy()[0, :, 0].tolist() == expected
    assert found.counts["zero_differences"].sum().item() == zeros


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_signed_scores_that_cancel_tie_by_their_sizes(unit):
    """Means of scores on both sides of 0 tie where their sums do, also where the sums are 0."""
    counts = made(1, lowest=-4)
    expected, zeros = literal_swaps(counts, [Fraction(0)], size=6, n_trials=20, seed=1, relative=False)
    found = swap_method(
        counts.astype(float) * unit, sizes=[6], n_trials=20, tolerances=[0], tolerance_unit="absolute", rng=1
    )
    assert found.totals()["swaps"].to_numpy().ravel().tolist() == expected
    assert found.counts["zero_differences"].sum().item() == zeros


@pytest.mark.parametrize("cells", [1, 16])
@pytest.mark.parametrize("cell", WILD)
def test_a_wild_system_swaps_with_others_alone(cell, cells):
    """Pairs of others are counted as without it, and its own pairs by its own scores, on the topics drawn."""
    counts = made(2)
    counts = np.vstack([counts, counts[2:3]])
    counts[-1, :cells] = cell
    shares = [Fraction(0), Fraction(1, 5)]
    expected, zeros = literal_swaps(counts, shares, size=8, n_trials=20, seed=0, relative=True)
    found = swap_method(counts.astype(float) / 10, sizes=[8], n_trials=20, tolerances=[0, 0.2], rng=0)
    assert found.totals()["swaps"].to_numpy()[0, :, 0].tolist() == expected
    assert found.counts["zero_differences"].sum().item() == zeros


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_bootstrap_of_error_rates_has_no_unit(unit):
    """Resampled topics give the same swaps and ties in every unit."""
    counts = made(3).astype(float)
    expected, found = (topic_bootstrap(counts * one, sizes=[5], n_topic_resamples=10, rng=0) for one in (1.0, unit))
    for name in ("swaps", "zero_differences"):
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize("unit", [1.0, *UNITS.values()], ids=["counts", *UNITS])
@pytest.mark.parametrize("cell", [0, *WILD])
def test_bins_are_those_of_fractions(unit, cell):
    """A difference of exactly k widths falls in bin k, in every unit and beside a wild system."""
    counts = made(4)
    if cell:
        counts = np.vstack([counts, [[cell] * counts.shape[1]]])
    compared, changed, zeros = [0] * 8, [0] * 8, 0
    for pair_of_sets in sets_of(2, 5, counts.shape[1], 20):
        for first, second in gaps_of(counts, pair_of_sets):
            apart = [a - b for a, b in (first, second)]
            if 0 in apart:
                zeros += 1
                continue
            place = min(int(abs(apart[0]) * 5), 7)  # bins of a fifth
            compared[place] += 1
            changed[place] += apart[0] * apart[1] < 0
    found = difference_bins(
        counts.astype(float) * unit, sizes=[5], n_trials=20, bin_width=0.2 * unit, n_bins=8, n_topic_resamples=0, rng=2
    )
    assert found.bins["comparisons"].to_numpy().ravel().tolist() == compared
    assert found.bins["sign_changes"].to_numpy().ravel().tolist() == changed
    assert found.zero_differences.item() == zeros


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_readings_of_bins_have_no_unit(unit):
    """The differences that can be trusted scale with the scores, and as many comparisons reach them."""
    counts = (made(5) + np.arange(6)[:, None]).astype(float)
    options = {"sizes": [5, 8], "n_trials": 20, "n_bins": 30, "max_error": 0.2, "n_topic_resamples": 0, "rng": 0}
    expected = difference_bins(counts, bin_width=0.2, **options).readings
    found = difference_bins(counts * unit, bin_width=0.2 * unit, **options).readings
    np.testing.assert_allclose(found["difference"], expected["difference"] * unit, rtol=1e-9)
    np.testing.assert_array_equal(found["share"], expected["share"])


def test_edges_are_written_as_on_paper():
    """The edges are the multiples of the width in decimals: 0.3, not three times 0.1 in binary."""
    found = difference_bins(as_scores(made(0).astype(float)), bin_width=0.1, n_bins=8, n_topic_resamples=0, rng=0)
    assert found.bins["lower_edge"].to_numpy().tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
