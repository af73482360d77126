"""Minimum topics: every kind of answer, the published form, a literal scan, and refusals."""

import numpy as np
import pytest
import xarray as xr

from metaeval.base.words import MISSING
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.models.curves import compare_curves
from metaeval.models.topic_counts import minimum_topics, minimum_topics_table
from metaeval.resampling.swap import ErrorRates, swap_method

SIZES = tuple(range(5, 36))
N_PAIRS = 4950


def made_rates(*curves, sizes=SIZES, tolerances=(0.0,)):
    """ErrorRates with given rates, one metric a curve (or a row of curves over the tolerances)."""
    compared = 200 * N_PAIRS
    values = np.round(np.asarray(curves, dtype=float) * compared).astype(int)
    values = values.reshape(len(curves), len(tolerances), len(sizes), 1)
    metrics = [f"m{number}" for number in range(1, len(curves) + 1)]
    shape = (len(curves), len(sizes), 1)
    counts = xr.Dataset(
        {
            "swaps": (("metric", "tolerance", "size", "trial"), values),
            "comparisons": (("metric", "size", "trial"), np.full(shape, compared)),
            "zero_differences": (("metric", "size", "trial"), np.zeros(shape, dtype=int)),
            "larger_mean": (("metric", "size", "trial"), np.full(shape, 0.3)),
        },
        coords={"metric": metrics, "tolerance": list(tolerances), "size": list(sizes), "trial": [1]},
    )
    return ErrorRates(counts=counts, tolerance_unit="relative", sampling="disjoint", n_systems=100, n_topics=70)


def power(scale, slope=0.5):
    return scale * np.asarray(SIZES, dtype=float) ** -slope


def test_every_kind_of_answer():
    """Observed, extrapolated, beyond the limit, below the smallest, and what cannot be estimated."""
    z = np.asarray(SIZES, dtype=float)
    rates = made_rates(
        power(0.2), power(0.35), power(0.9), power(0.05), np.full(len(z), 0.1), np.zeros(len(z)), 0.04 + z / 1000
    )
    found = minimum_topics(rates, family="power")
    kinds = found.data["kind"].to_numpy()[0].tolist()
    numbers = found.data["n_topics"].to_numpy()[0]
    assert kinds == [
        "observed", "extrapolated", "above limit", "below smallest", "cannot be estimated", "at most smallest",
        "cannot be estimated",
    ]  # fmt: skip
    np.testing.assert_array_equal(numbers, [16, 49, np.nan, np.nan, np.nan, np.nan, np.nan])
    assert found.table().loc[0.0].tolist() == ["16", "49*", ">70", "<5", MISSING, "≤5", MISSING]
    assert found.to_frame()["curve"].unique().tolist() == ["power"]


def test_the_smallest_size_itself_may_be_the_answer():
    """A curve that is above the limit one topic earlier makes the smallest size the minimum."""
    found = minimum_topics(made_rates(power(0.05 * np.sqrt(5) * 0.999)), family="power")
    assert found.table()["m1"].tolist() == ["5"]


def test_a_dip_under_the_limit_does_not_count():
    """The minimum is the size from which all larger observed sizes are within the limit (decision 21)."""
    rates = power(0.28)
    rates[10] = 0.01  # size 15, while 16 to 31 are above .05
    rates[27] = 0.051  # size 32, which would have been within
    found = minimum_topics(made_rates(rates), family="power")
    within = [size for size in SIZES if all(r <= 0.05 for s, r in zip(SIZES, rates, strict=True) if s >= size)]
    assert found.data["n_topics"].item() == within[0] == 33


def test_an_extrapolation_lies_beyond_the_sizes_seen():
    """Where the data deny the limit at the largest size, the curve cannot grant it there."""
    rates = power(0.29)
    rates[-1] = 0.0501
    assert float(rates[-2]) <= 0.05
    found = minimum_topics(made_rates(rates), family="power")
    assert found.data["kind"].item() == "extrapolated"
    assert found.data["n_topics"].item() == 36


def test_best_is_the_family_that_predicted_the_held_out_sizes():
    """The winner of the comparison is taken and named; a power law is extrapolated as one."""
    rates = made_rates(power(0.5))
    found = minimum_topics(rates, limit=200)
    assert found.family == found.comparison.best == "power"
    assert found.data["n_topics"].item() == pytest.approx(100, abs=1)
    reused = minimum_topics(rates, limit=200, comparison=compare_curves(rates))
    xr.testing.assert_identical(found.data, reused.data)


def test_the_table_shows_the_published_exponential_beside_the_best():
    """Two blocks, tolerance in percent by metric; the exponential promises fewer topics."""
    tolerances = (0.0, 0.05)
    rates = made_rates([power(0.4), power(0.35)], [power(0.5), power(0.08)], tolerances=tolerances)
    table = minimum_topics_table(rates, limit=200)
    assert table.index.names == ["curve", "tolerance (%)"]
    assert table.index.get_level_values("tolerance (%)").tolist() == [0.0, 5.0] * 2
    assert table.columns.tolist() == ["m1", "m2"]
    assert table.loc[("power", 5.0), "m2"] == "<5"
    best, published = (int(table.loc[(curve, 0.0), "m1"].rstrip("*")) for curve in ("power", "published"))
    assert published < best == 64


@pytest.mark.parametrize("seed", range(4))
def test_the_published_count_is_that_of_equations_3_and_4(seed):
    """A line through the logarithms of the published rates (NumPy's), in which equal means are no errors."""
    generator = np.random.default_rng(seed)
    level = generator.normal(0, 0.05, (8, 1))
    scores = np.clip((level + generator.normal(0.5, 0.2, (8, 60))).round(1), 0, 1)  # equal means are common
    rates = swap_method(scores, rng=seed, tolerances=[0.0, 0.05])
    found = minimum_topics(rates, family="published", limit=10_000)
    sizes, beyond = np.array(rates.sizes), 0
    for tolerance in rates.tolerances:
        cell = {"metric": "metric1", "tolerance": tolerance}
        counts = rates.counts.sel(cell).sum("trial")
        published = (counts["swaps"] / counts["comparisons"]).to_numpy()
        slope, start = np.polyfit(sizes[published > 0], np.log(published[published > 0]), 1)
        answer = found.data.sel(cell)
        if str(answer["kind"].item()) == "extrapolated":
            beyond += 1
            asked = np.ceil((np.log(0.05) - start) / slope)
            assert answer["n_topics"].item() == max(asked, sizes[-1] + 1)
    assert beyond or (found.data["kind"] == "observed").all()
    assert found.curve == "exponential as published"
    assert minimum_topics(rates, family="exponential", limit=10_000).curve == "exponential"


def test_without_comparisons_nothing_is_named():
    """A size at which nothing was compared has no error rate, and so there is no minimum."""
    rates = made_rates(power(0.3))
    rates.counts["comparisons"][0, 4, 0] = 0
    found = minimum_topics(rates)
    assert found.data["kind"].item() == "cannot be estimated"
    assert found.table()["m1"].item() == MISSING


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"max_error": 0.5}, InvalidOptionError, "`max_error` must lie between 0 and 0.5, not 0.5"),
        ({"max_error": 0}, InvalidOptionError, "`max_error` must lie"),
        ({"limit": 20}, InvalidOptionError, "`limit` must be a whole number of at least 35"),
        ({"limit": 70.5}, InvalidOptionError, "not 70.5"),
        ({"family": "linear"}, UnknownNameError, "no curve 'linear'"),
    ],
)
def test_refusals_name_rule_and_value(options, kind, message):
    """Options outside their rules are refused."""
    with pytest.raises(kind, match=message):
        minimum_topics(made_rates(power(0.3)), **options)
