"""What the Bayesian error rate answers: its own curves read by hand, infinite counts, files and pictures."""

from itertools import permutations

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import expit, logit

from metaeval.errors import InvalidOptionError
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.error_rate_posterior import BayesianErrorRate, ErrorRateDraws, arviz_posterior, topics_needed
from metaeval.models.expected_rates import SIZES
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import as_scores

TOLERANCES = (0.0, 0.05, 0.15)


def made_scores():
    """Three metrics: a quiet one, a loud one, and one that says nothing about topics."""
    generator = np.random.default_rng(1)
    effects = generator.normal(0, 0.08, (12, 1))
    noise = generator.normal(size=(12, 40))
    quiet, loud = (np.abs(0.5 + effects + width * noise) for width in (0.1, 0.3))
    return as_scores(np.stack([quiet, loud, np.tile(np.abs(effects), 40)]), metrics=["quiet", "loud", "mute"])


@pytest.fixture(scope="module")
def found():
    return bayesian_error_rate(made_scores(), tolerances=TOLERANCES, n_draws=200, rng=3)


def made_posterior(*curves, max_error=0.05, confidence_level=0.9):
    """Return a posterior with given curves, an array (draw, size) a metric."""
    names = [f"m{place}" for place in range(len(curves))]
    scores = as_scores(np.random.default_rng(0).random((len(curves), 4, 20)), metrics=names)
    counted = swap_method(scores, sizes=[5, 10], tolerances=[0], n_trials=2, rng=0)
    drawn = {
        name: ErrorRateDraws(np.asarray(rates)[:, None], np.zeros((len(rates), 2)), np.zeros((3, 1, 2)))
        for name, rates in zip(names, curves, strict=True)
    }
    attrs = {
        "method": "fast",
        "tolerance_unit": "relative",
        "max_error": max_error,
        "confidence_level": confidence_level,
    }
    return arviz_posterior(drawn, [0.0], counted, [5, 10], {}, attrs, {})


def power_law(needed, *, max_error=0.05, slope=1.0):
    """Return curves whose logit falls in a line with the logarithm of the size and meets the limit where asked."""
    needed = np.atleast_1d(np.asarray(needed, dtype=float))
    return expit(logit(max_error) + slope * (np.log(needed)[:, None] - np.log(SIZES)))


@given(st.floats(3, 9e5), st.sampled_from([0.01, 0.05, 0.2]), st.floats(0.3, 3))
def test_the_topics_needed_are_where_the_curve_meets_the_limit(needed, max_error, slope):
    """On a curve straight in logit and logarithm the count is the crossing, rounded up."""
    count = topics_needed(power_law(needed, max_error=max_error, slope=slope), max_error)[0]
    assert needed - 1e-6 * needed <= count <= needed + 1 + 1e-6 * needed
    assert count == np.floor(count)


def test_the_topics_needed_are_those_of_a_scan():
    """Of whole sizes one after another, the first at which the interpolated curve is within the limit."""
    generator = np.random.default_rng(2)
    curves = np.minimum.accumulate(0.4 * SIZES ** -generator.uniform(0.3, 0.6, (20, 1)), axis=1)
    curves *= np.cumprod(generator.uniform(0.9, 1, (20, len(SIZES))), axis=1)
    scanned = np.arange(2, 3000)
    for curve, count in zip(curves, topics_needed(curves, 0.05), strict=True):
        between = expit(np.interp(np.log(scanned), np.log(SIZES), logit(curve)))
        assert count == scanned[np.argmax(between <= 0.05)]


def test_the_ends_of_the_sizes():
    """A curve within the limit from the start needs two topics; one that never gets there needs infinitely many."""
    low, high = np.full((1, len(SIZES)), 0.01), np.full((1, len(SIZES)), 0.4)
    last = high.copy()
    last[0, -1] = 0.05
    assert topics_needed(np.concatenate([low, high, last]), 0.05).tolist() == [2, np.inf, SIZES[-1]]


def test_rates_between_sizes_lie_on_the_line_of_their_logits():
    """Straight curves are given exactly at any size, and the sizes kept give what is kept."""
    rates = power_law([20, 30, 40, 50])
    result = made_posterior(rates)
    asked = [2, 7.5, 33, 12_345, 1e6]
    expected = expit(logit(0.05) + np.log([20, 30, 40, 50])[:, None] - np.log(asked))
    np.testing.assert_allclose(result.error_rate(asked).to_numpy()[:, 0, 0, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(result.error_rate(SIZES).to_numpy()[:, 0, 0, 0], rates, rtol=1e-9)
    assert result.error_rate(33).dims == ("chain", "draw", "metric", "tolerance", "size")


@pytest.mark.parametrize("sizes", [1, 1.99, [5, 1_000_001], [5, np.nan], np.inf, 0, -3, []])
def test_sizes_out_of_range_are_refused(found, sizes):
    """There is no rate for one topic, past a million, or for no size at all."""
    for question in (found.error_rate, found.curves):
        with pytest.raises(InvalidOptionError, match="`sizes` must lie between 2 and 1e"):
            question(sizes)


def test_more_topics_never_err_more():
    """A draw whose rate rises is held down, and no rate is 0 or 1."""
    rising = np.tile(np.linspace(0.1, 0.3, len(SIZES)), (4, 1))
    rising[1] = 0.0
    kept = made_posterior(rising).tree["posterior"]["error_rate"].to_numpy()
    assert (np.diff(kept, axis=-1) <= 0).all()
    assert kept.max() == 0.1
    assert kept.min() > 0


@pytest.mark.parametrize(("confidence_level", "low", "high"), [(0.9, 5, 95), (0.5, 25, 75), (0.2, 40, 60)])
def test_intervals_have_equal_tails(confidence_level, low, high):
    """Of a hundred draws the interval leaves as many out on either side."""
    counts = 100 + 10 * np.arange(1, 101)
    row = made_posterior(power_law(counts), confidence_level=confidence_level).minimum_topics().iloc[0]
    assert row["median"] == counts[49]
    assert row["low"] == counts[low - 1]
    assert row["high"] == counts[high - 1]


def test_infinite_counts_are_counts():
    """Where a tenth of the draws never gets there the upper end is infinite and the median is not."""
    counts = np.r_[np.full(90, 40.0), np.full(10, 1e9)]
    result = made_posterior(power_law(counts), power_law(np.full(100, 1e9)))
    frame = result.minimum_topics()
    assert frame["median"].tolist() == [40, np.inf]
    assert frame["high"].tolist() == [np.inf, np.inf]
    assert frame["low"].tolist() == [40, np.inf]
    assert result.fewer()["p_fewer"].tolist() == pytest.approx([0.95, 0.05])


def test_what_is_enough_and_what_lies_beyond():
    """The share of draws within the topics at hand, and whether the median lies past the sizes counted."""
    frame = made_posterior(power_law([8, 15, 20, 21]), power_law([5, 6, 7, 8])).minimum_topics()
    assert frame["p_enough"].tolist() == [0.75, 1.0]
    assert frame["extrapolated"].tolist() == [True, False]
    assert frame["note"].tolist() == ["", ""]


def test_fewer_counts_draw_by_draw():
    """The share of joint draws in which one metric needs fewer topics, ties half, over every ordered pair."""
    counts = np.array([[10, 20, 30, 40], [10, 30, 20, 50], [5, 5, 5, 5]])
    frame = made_posterior(*(power_law(row) for row in counts)).fewer()
    expected = [
        np.mean([0.5 if x == y else float(x < y) for x, y in zip(counts[a], counts[b], strict=True)])
        for a, b in permutations(range(3), 2)
    ]
    assert frame["p_fewer"].tolist() == expected
    assert frame[["metric_a", "metric_b"]].to_numpy().tolist() == [
        [f"m{a}", f"m{b}"] for a, b in permutations(range(3), 2)
    ]


def test_one_metric_has_nobody_to_be_compared_with():
    """The table of pairs is empty and has its columns."""
    frame = made_posterior(power_law([8, 9])).fewer()
    assert len(frame) == 0
    assert frame.columns.tolist() == ["tolerance", "metric_a", "metric_b", "p_fewer"]


def test_the_table_has_a_row_for_what_was_refused(found):
    """Metrics and tolerances in order; a metric that says nothing has no number but the reason."""
    frame = found.minimum_topics()
    assert frame[["metric", "tolerance"]].to_numpy().tolist() == [
        [metric, tolerance] for metric in ("quiet", "loud", "mute") for tolerance in TOLERANCES
    ]
    assert found.metrics == ("quiet", "loud")
    assert found.tolerances == TOLERANCES
    assert list(found.not_estimated) == ["mute"]
    mute = frame[frame["metric"] == "mute"]
    assert mute[["median", "low", "high", "p_enough"]].isna().all(axis=None)
    assert mute["note"].str.startswith("cannot be estimated: too few of the 40 topics").all()
    assert (frame["note"].iloc[:6] == "").all()
    pd.testing.assert_frame_equal(found.to_frame(), frame)


def test_tables_are_read_off_the_draws(found):
    """Every median, end and probability is that of the sorted draws."""
    posterior = found.tree["posterior"]
    frame = found.minimum_topics().set_index(["metric", "tolerance"])
    bands = found.curves([5, 33, 333]).set_index(["metric", "tolerance", "size"])
    for metric in found.metrics:
        for tolerance in TOLERANCES:
            draws = np.sort(posterior["minimum_topics"].sel({"metric": metric, "tolerance": tolerance}), axis=None)
            row = frame.loc[metric, tolerance]
            assert [row["low"], row["median"], row["high"]] == draws[[9, 99, 189]].tolist()
            assert row["p_enough"] == (draws <= 40).mean()
            for size in (33, 333):
                rates = found.error_rate([size]).sel({"metric": metric, "tolerance": tolerance}).to_numpy().ravel()
                expected = np.sort(rates)[[9, 99, 189]] if size == 33 or tolerance == 0 else np.full(3, np.nan)
                band = bands.loc[metric, tolerance, float(size)]
                np.testing.assert_array_equal(band[["low", "median", "high"]], expected)
    assert len(bands) == 2 * 3 * 3


@pytest.mark.parametrize("errors", [False, True])
def test_past_the_topics_a_lead_has_a_count_and_no_rate(found, errors):
    """At tolerances above 0 rates and their errors end with the topics at hand; at 0, and of counts, none is lost."""
    frame = found.curves([2, 40, 41, 10_000], errors=errors)
    numbers = frame.drop(columns=["metric", "tolerance", "size"])
    assert list(numbers) == ["median", "low", "high", *["median_error", "low_error", "high_error"][: 3 * errors]]
    past = ((frame["tolerance"] > 0) & (frame["size"] > 40)).to_numpy()
    assert past.sum() == 2 * 2 * 2
    assert numbers[past].isna().all(axis=None)
    assert numbers[~past].notna().all(axis=None)
    assert np.isfinite(found.error_rate([41])).all()  # the draws themselves are there for whoever wants them
    counts = found.minimum_topics(errors=errors).set_index(["metric", "tolerance"]).loc[list(found.metrics)]
    assert counts[["median", "low", "high"]].notna().all(axis=None)
    assert counts["median"]["loud", 0.05] > 40


def test_the_curve_meets_the_limit_where_the_count_says(found):
    """At the topics needed a draw's rate is within the limit, and one topic earlier it is not."""
    needed = found.tree["posterior"]["minimum_topics"].sel({"metric": "loud", "tolerance": 0.05}).to_numpy()
    for chain, draw in ((0, 0), (1, 7), (3, 49)):
        count = needed[chain, draw]
        assert 2 < count < np.inf
        before, at = found.error_rate([count - 1, count]).sel({"metric": "loud", "tolerance": 0.05})[chain, draw]
        assert at <= 0.05 + 1e-9
        assert before > 0.05 - 1e-9


def test_the_check_stands_beside_the_counts(found):
    """What was counted, ties half, and the ends of what the model expects, one row a size."""
    frame = found.predicted()
    sizes = frame["size"].unique().tolist()
    counting, *_ = np.random.default_rng(3).spawn(3)
    counted = swap_method(made_scores(), tolerances=TOLERANCES, rng=counting).rates(half_swaps=True)
    assert frame.columns.tolist() == [
        "metric", "tolerance", "size", "predicted_low", "predicted_high", "observed",
    ]  # fmt: skip
    assert len(frame) == 2 * 3 * len(sizes)
    assert sizes[0] == 5
    assert sizes[-1] == 20
    for row in frame.itertuples():
        assert row.observed == counted.sel({"metric": row.metric, "tolerance": row.tolerance, "size": row.size}).item()
        again = found.tree["posterior_predictive"]["error_rate"].sel(
            {"metric": row.metric, "tolerance": row.tolerance, "observed_size": row.size}
        )
        ordered = np.sort(again.to_numpy().ravel())
        assert len(ordered) == 100
        assert [row.predicted_low, row.predicted_high] == ordered[[4, 94]].tolist()


def test_a_file_gives_the_same_numbers(found, tmp_path):
    """Saved and loaded, every table is the same, what was left out included, and ArviZ reads both."""
    found.save(tmp_path / "fit.nc")
    again = BayesianErrorRate.load(tmp_path / "fit.nc")
    for group in ("posterior", "posterior_predictive", "observed_data", "constant_data"):
        xr.testing.assert_identical(again.tree[group].to_dataset(), found.tree[group].to_dataset())
    for table in ("minimum_topics", "fewer", "predicted"):
        pd.testing.assert_frame_equal(getattr(again, table)(), getattr(found, table)())
    pd.testing.assert_frame_equal(again.curves([9, 99]), found.curves([9, 99]))
    for name in ("method", "tolerance_unit", "max_error", "confidence_level", "n_systems", "n_topics"):
        assert getattr(again, name) == getattr(found, name)
    assert dict(again.not_estimated) == dict(found.not_estimated)
    for result in (found, again):
        summary = az.summary(result.tree, var_names=["log_scale"], round_to="none")
        assert (summary["r_hat"] < 1.05).all()


def test_nothing_left_out_is_nothing_after_a_file(tmp_path):
    """An empty list of refused metrics stays empty."""
    result = made_posterior(power_law([8, 9, 10, 11]))
    result.save(tmp_path / "fit.nc")
    assert dict(BayesianErrorRate.load(tmp_path / "fit.nc").not_estimated) == {}


@pytest.mark.parametrize("count", [2, 7, 8])
def test_draws_are_laid_in_chains(count):
    """Four chains where they come out even, else one; no draw is lost."""
    result = made_posterior(power_law(np.arange(10, 10 + count)))
    laid = result.tree["posterior"]["minimum_topics"]
    assert laid.sizes["chain"] == (4 if count % 4 == 0 else 1)
    assert sorted(laid.to_numpy().ravel()) == list(range(10, 10 + count))


def test_the_picture_has_a_panel_a_metric(found):
    """Sizes across, rates upwards, a line a tolerance, and the rates counted among the dots."""
    drawn = found.plot()
    assert isinstance(drawn, Figure)
    panels = [axes for axes in drawn.axes if axes.lines]
    assert [next(text for text in axes.texts if text.get_text()).get_text() for axes in panels] == ["quiet", "loud"]
    assert all(axes.get_xlabel() == "topics in each set" for axes in panels)
    assert panels[0].get_ylabel() == "error rate"
    assert all(axes.get_yscale() == "log" for axes in panels)
    counted = found.predicted()
    seen = counted[(counted["metric"] == "quiet") & (counted["tolerance"] == 0.0)]["observed"].to_numpy()
    dots = [line.get_ydata() for line in panels[0].lines if line.get_marker() == "o"]
    assert any(len(one) == len(seen) and np.allclose(one, seen) for one in dots)
    medians = found.curves([20]).set_index(["metric", "tolerance"])["median"]["quiet", 0.0]
    lines = [np.c_[line.get_data()] for line in panels[0].lines if line.get_marker() != "o"]
    assert any(np.isclose(one, [20, medians]).all(axis=1).any() for one in lines)


def test_the_answer_says_how_many_topics_are_needed(found):
    """In the numbers of its own table, which other tests check; the tree that it holds is told by its groups."""
    table = found.minimum_topics().query("tolerance == 0").set_index("metric")
    assert (
        f"topics keep the disagreement of two topic sets within {100 * found.max_error:g} % (90 % interval)"
        in found.answer
    )
    for metric in ("quiet", "loud"):
        assert f"{table['median'][metric]:,.0f} [" in found.answer
    assert "; the 40 at hand are enough with probability " in found.answer
    assert "tree: 4: posterior, posterior_predictive, observed_data, constant_data" in repr(found)
