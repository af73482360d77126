"""Difference bins: exact counts, the three readings, published orientation figures and refusals."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.resampling.bins import _cumulative, difference_bins
from metaeval.resampling.topic_sets import draw_topic_sets
from metaeval.table.scores import as_scores


def literal_bins(whole, size, n_trials, seed, *, n_bins):
    """Bins of one metric of whole tenths in exact arithmetic; also the raw (difference, changed) and the ties."""
    sets = draw_topic_sets(
        np.random.default_rng(seed).spawn(size + 1)[size], whole.shape[1], size, n_trials, "disjoint"
    )
    compared, changed, raw, ties = np.zeros(n_bins, int), np.zeros(n_bins, int), [], 0
    for pair_of_sets in sets:
        for a, b in combinations(whole, 2):
            gaps = [Fraction(int(a[topics].sum() - b[topics].sum()), 10 * size) for topics in pair_of_sets]
            if 0 in gaps:
                ties += 1
                continue
            place = min(int(abs(gaps[0]) * 100), n_bins - 1)
            compared[place] += 1
            changed[place] += (gaps[0] > 0) != (gaps[1] > 0)
            raw.append((abs(gaps[0]), (gaps[0] > 0) != (gaps[1] > 0)))
    return compared, changed, raw, ties


@pytest.mark.parametrize("size", [3, 5, 10])
def test_bins_and_readings_equal_a_literal_loop(size):
    """Counts, ties and all three readings are those of exact arithmetic; edges such as 0.29 fall in their own bin."""
    whole = np.random.default_rng(1).integers(0, 11, size=(7, 24)) + np.arange(7)[:, None]
    found = difference_bins(whole / 10, sizes=[size], n_trials=6, n_bins=40, max_error=0.2, n_topic_resamples=0, rng=2)
    compared, changed, raw, ties = literal_bins(whole, size, 6, 2, n_bins=40)
    np.testing.assert_array_equal(found.bins["comparisons"].to_numpy()[0, 0], compared)
    np.testing.assert_array_equal(found.bins["sign_changes"].to_numpy()[0, 0], changed)
    assert found.zero_differences.item() == ties
    assert found.n_comparisons == 21 * 6 == compared.sum() + ties
    filled = [k for k in range(40) if compared[k]]
    good = {k: changed[k] <= 0.2 * compared[k] for k in filled}
    first = next(k for k in filled if good[k])
    settled = next(k for k in filled if all(good[j] for j in filled if j >= k))
    levels = sorted({gap for gap, _ in raw})
    rate = {g: Fraction(sum(c for gap, c in raw if gap >= g), sum(gap >= g for gap, _ in raw)) for g in levels}
    cumulative = next(g for g in levels if rate[g] <= Fraction(1, 5))
    wanted = [Fraction(first, 100), Fraction(settled, 100), cumulative]
    reached = found.readings.isel(metric=0, size=0)
    np.testing.assert_allclose(reached["difference"], [float(g) for g in wanted], atol=1e-12)
    shares = [sum(gap >= g for gap, _ in raw) / (21 * 6) for g in wanted]
    np.testing.assert_allclose(reached["share"], shares, atol=1e-12)


def test_trec8_reproduces_the_orientation_figures(data_folder):
    """TREC-8 AP: bin 0.05-0.06 and, at 25 topics, the three readings 0.07, 0.07 and 0.026."""
    table = pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv")
    found = difference_bins(
        as_scores({"ap": table}), sizes=[5, 10, 15, 20, 25], n_trials=200, n_topic_resamples=0, rng=1
    )
    fifth = found.bins["error_rate"].isel(metric=0, bin=5).to_numpy()
    np.testing.assert_allclose(fifth, [0.301, 0.219, 0.168, 0.130, 0.099], rtol=0.06)
    readings = found.readings["difference"].sel(metric="ap", size=25).to_numpy()
    np.testing.assert_allclose(readings, [0.07, 0.07, 0.026], atol=0.001)
    named = found.sensitivity("cumulative")
    assert named["reading"].unique().tolist() == ["cumulative"]


def test_a_late_bad_bin_moves_the_second_reading_only():
    """The first bin under the limit is one thing, the first from which all are is another; empty bins are skipped."""
    differences = np.array([1, 1, 2, 2, 3, 3, 4, 4])
    changed = np.array([True, False, False, False, True, False, False, False])
    assert _cumulative(differences / 100, changed, 0.2) == pytest.approx((0.02, 6.0))
    assert np.isnan(_cumulative(np.array([5.0, 6.0]), np.array([True, True]), 0.05)).all()
    assert np.isnan(_cumulative(np.zeros(3), np.zeros(3, dtype=bool), 0.05)).all()


def test_equal_differences_are_reached_together():
    """The cumulative reading does not stop among equal differences."""
    differences = np.array([3, 2, 2, 2, 2]) / 100
    changed = np.array([False, False, False, False, True])
    assert np.isnan(_cumulative(differences[1:], changed[1:], 0.1)).all()
    assert _cumulative(differences, changed, 0.1) == pytest.approx((0.03, 1.0))


def test_intervals_surround_the_rate_and_change_nothing_else():
    """Intervals hold their rate, are wider at higher confidence, and the draws for them leave the counts alone."""
    scores = np.random.default_rng(0).random((8, 40)) + np.arange(8)[:, None] / 20
    bare = difference_bins(scores, n_topic_resamples=0, rng=3)
    found = difference_bins(scores, n_topic_resamples=40, rng=3)
    wider = difference_bins(scores, n_topic_resamples=40, confidence_level=0.99, rng=3)
    xr.testing.assert_equal(bare.bins[["comparisons", "sign_changes"]], found.bins[["comparisons", "sign_changes"]])
    frame = found.to_frame()
    assert (frame["comparisons"] > 0).all()
    smooth = (frame["sign_changes"] + 0.5) / (frame["comparisons"] + 1)
    assert ((frame["low"] <= smooth) & (smooth <= frame["high"])).all()
    assert (wider.to_frame()["high"] >= frame["high"]).all()
    assert bare.to_frame()["low"].isna().all()


def test_same_bytes_for_any_number_of_threads():
    """Counts and intervals do not depend on the cores used."""
    scores = np.random.default_rng(0).random((2, 6, 30))
    one = difference_bins(scores, sizes=[5, 15], n_topic_resamples=10, rng=0, n_threads=1)
    two = difference_bins(scores, sizes=[5, 15], n_topic_resamples=10, rng=0, n_threads=2)
    xr.testing.assert_identical(one.bins, two.bins)
    xr.testing.assert_identical(one.readings, two.readings)


def test_nothing_within_the_limit_is_said_as_nothing():
    """Where no difference keeps errors low, the difference is NaN and its share 0."""
    rng = np.random.default_rng(0)
    noise = np.round(rng.normal(size=(4, 20)), 3)
    found = difference_bins(noise, sizes=[10], n_trials=30, max_error=1e-6, n_topic_resamples=0, rng=0)
    frame = found.sensitivity()
    assert frame["difference"].isna().all()
    assert (frame["share"] == 0).all()


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"bin_width": 0}, InvalidOptionError, "`bin_width` must be a number above 0, not 0"),
        ({"n_bins": 1}, InvalidOptionError, "`n_bins` must be a whole number of at least 2"),
        ({"max_error": 1.5}, InvalidOptionError, "`max_error` must lie between 0 and 1, not 1.5"),
        ({"n_topic_resamples": 1}, InvalidOptionError, "`n_topic_resamples` must be 0 or"),
        ({"confidence_level": 95}, InvalidOptionError, "`confidence_level` must lie"),
        ({"sizes": [11]}, EstimationError, "20 topics are too few"),
    ],
)
def test_refusals_name_rule_and_value(options, kind, message):
    """Every option outside its rule is refused."""
    with pytest.raises(kind, match=message):
        difference_bins(np.random.default_rng(0).random((3, 20)), **options)


def test_an_unknown_reading_is_refused_with_the_known_ones():
    """The three readings are named in the refusal."""
    found = difference_bins(np.random.default_rng(0).random((3, 20)), n_topic_resamples=0, rng=0)
    with pytest.raises(UnknownNameError, match="cumulative"):
        found.sensitivity("cumulated")
