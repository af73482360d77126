"""Error curves: the orthant against SciPy and simulation, fits against a slow optimiser, comparison, refusals."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import dblquad
from scipy.optimize import minimize
from scipy.special import ndtr, owens_t
from scipy.stats import multivariate_normal

from metaeval.errors import EstimationError, UnknownNameError
from metaeval.models.curves import (
    ErrorCurve,
    absolute_thresholds,
    compare_curves,
    fit_curve,
    held_out,
)
from metaeval.models.families import CURVES, orthant_rate
from metaeval.models.least_squares import settled_minimum
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.swap import swap_method

SIZES = np.arange(5, 41)


@given(
    a=st.floats(0.01, 1.0),
    c=st.floats(0.01, 3.0),
    threshold=st.one_of(st.just(0.0), st.floats(1e-4, 0.5)),
    size=st.integers(1, 500),
)
def test_orthant_equals_owens_t(a, c, threshold, size):
    """2 Φ₂(-h, -h; -r) = 2 Φ(-h) - 4 T(h, √((1 + r) / (1 - r))), Owen's T from SciPy."""
    variance = a**2 + c**2 / size
    height = threshold / np.sqrt(variance)
    wanted = 2 * ndtr(-height) - 4 * owens_t(height, np.sqrt((2 * a**2 + c**2 / size) / (c**2 / size)))
    found = float(orthant_rate(size, a=a, c=c, threshold=threshold))
    assert found == pytest.approx(wanted, rel=2e-6, abs=1e-14)
    assert found >= 0


def test_orthant_equals_scipys_bivariate_normal_and_its_closed_form():
    """SciPy's multivariate normal gives the same, and at no threshold it is arccos(r)/π."""
    a, c, size, threshold = 0.1, 0.4, 12, 0.03
    variance = a**2 + c**2 / size
    rho = a**2 / variance
    corner = np.full(2, -threshold / np.sqrt(variance))
    wanted = 2 * multivariate_normal([0, 0], [[1, -rho], [-rho, 1]]).cdf(corner)
    assert float(orthant_rate(size, a=a, c=c, threshold=threshold)) == pytest.approx(wanted, rel=1e-7)
    assert float(orthant_rate(size, a=a, c=c)) == pytest.approx(np.arccos(rho) / np.pi, rel=1e-12)
    assert orthant_rate(SIZES, a=0.1, c=[[0.3], [0.4]], threshold=0.01).shape == (2, len(SIZES))


def test_swaps_of_a_gaussian_population_follow_the_orthant():
    """The swap method finds the formula's error rates in the population it is made for, at any tolerance."""
    rng = np.random.default_rng(0)
    systems = rng.normal(0, 0.1, size=(300, 1))
    systems *= 0.1 / systems.std(ddof=1)
    scores = systems + rng.normal(0, 0.2, size=(1, 1000)) + rng.normal(0, 0.3, size=(300, 1000))
    found = swap_method(
        scores, sizes=[5, 20, 60], tolerances=[0, 0.05], tolerance_unit="absolute", n_trials=40, rng=0
    ).rates()
    for place, threshold in enumerate((0.0, 0.05)):
        wanted = orthant_rate([5, 20, 60], a=0.1 * np.sqrt(2), c=0.3 * np.sqrt(2), threshold=threshold)
        np.testing.assert_allclose(found[0, place], wanted, rtol=0.04)


@given(a=st.floats(0.05, 1.0), c=st.floats(0.1, 2.0), max_error=st.floats(0.01, 0.4))
def test_the_closed_minimum_is_where_the_curve_meets_the_limit(a, c, max_error):
    """Without a threshold the curve meets ε at z* = (c²/a²) cos πε / (1 - cos πε)."""
    size = (c / a) ** 2 * np.cos(np.pi * max_error) / (2 * np.sin(np.pi * max_error / 2) ** 2)
    assert float(orthant_rate(size, a=a, c=c)) == pytest.approx(max_error, rel=1e-9)


def test_sign_changes_of_large_differences_follow_the_conditional_form():
    """What bins count is the chance of a sign change given a difference, a two-dimensional integral."""
    a, c, size, difference = 0.1, 0.3, 10, 0.05
    spread, rho = np.sqrt(a**2 + c**2 / size), a**2 / (a**2 + c**2 / size)
    density = multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    joint = dblquad(lambda y, x: density.pdf([x, y]), difference / spread, 9, -9, 0, epsabs=1e-10)[0]
    expected = joint / ndtr(-difference / spread)
    rng = np.random.default_rng(1)
    systems = rng.normal(size=(300, 1))
    scores = systems / systems.std() * a / np.sqrt(2) + rng.normal(0, c / np.sqrt(2), size=(300, 800))
    bins = difference_bins(scores, sizes=[size], n_trials=20, bin_width=0.05, n_topic_resamples=0, rng=0).bins
    beyond = bins.isel(metric=0, size=0, bin=slice(1, None)).sum("bin")
    assert float(beyond["sign_changes"] / beyond["comparisons"]) == pytest.approx(expected, rel=0.06)


def test_the_orthant_falls_as_a_power_of_minus_one_half():
    """For many topics p₀ ~ (√2/π)(c/a) z^(-1/2)."""
    size = 1e8
    assert float(orthant_rate(size, a=0.1, c=0.3)) == pytest.approx(np.sqrt(2) / np.pi * 3 / np.sqrt(size), rel=1e-6)


TRUE_CURVES = {
    "exponential": (0.3, 0.04),
    "power": (0.6, 0.5),
    "stretched_exponential": (0.5, 12.0, 0.6),
    "exponential_with_floor": (0.3, 0.08, 0.04),
    "orthant": (3.0, 0.1),
}


@pytest.mark.parametrize("family", CURVES)
def test_each_shape_finds_its_own_parameters(family):
    """Fitted to its own noiseless rates, a shape returns the parameters that made them."""
    truth = np.array(TRUE_CURVES[family])
    threshold = 0.03 if family == "orthant" else 0.0
    swaps = 1e9 * CURVES[family].rate(SIZES.astype(float), threshold, *truth)
    fitted = fit_curve(family, SIZES, swaps, 1e9, threshold=threshold)
    np.testing.assert_allclose(list(fitted.parameters.values()), truth, rtol=2e-3)
    assert fitted.weighted_error < 1e-6


@pytest.mark.parametrize("family", ["exponential", "power", "stretched_exponential", "exponential_with_floor"])
def test_fits_have_their_last_digits(family):
    """The sum of squares is level at the fit, by derivatives along the imaginary axis: a search leaves 1e-6."""
    rng = np.random.default_rng(3)
    sizes, compared = SIZES.astype(float), 2000
    swaps = rng.binomial(compared, 0.05 + 0.3 * np.exp(-0.1 * sizes))
    fitted = fit_curve(family, sizes, swaps, compared)
    smooth = (swaps + 0.5) / (compared + 1)
    logs = np.log(list(fitted.parameters.values()))
    steps = np.exp(logs[:, None] + 1e-30j * np.eye(len(logs)))
    slopes = np.array([_complex_rate(family, sizes, column).imag / 1e-30 for column in steps.T])
    gap = _complex_rate(family, sizes, np.exp(logs)) - swaps / compared
    weighted = 1 / (smooth * (1 - smooth))
    cosines = (slopes * gap * weighted).sum(axis=1) / np.sqrt((slopes**2 * weighted).sum(axis=1) * (gap**2 @ weighted))
    assert np.abs(cosines[logs < np.log(CURVES[family].most or np.inf)]).max() < 1e-9


def _complex_rate(family, sizes, parameters):
    """Return the rates by the formulas of the families, for complex parameters too."""
    if family == "power":
        return parameters[0] * np.exp(-parameters[1] * np.log(sizes))
    if family == "stretched_exponential":
        return parameters[0] * np.exp(-np.exp(parameters[2] * (np.log(sizes) - np.log(parameters[1]))))
    return parameters[0] * np.exp(-parameters[1] * sizes) + (parameters[2] if len(parameters) > 2 else 0.0)


def test_a_floor_below_all_rates_is_none():
    """Rates that fall below any floor have the plain exponential's parameters and a floor of 0, to the last digit."""
    swaps = np.round(1e6 * 0.4 * np.exp(-0.1 * SIZES - 0.002 * SIZES**2))
    plain, floored = (fit_curve(family, SIZES, swaps, 1e6) for family in ("exponential", "exponential_with_floor"))
    assert floored.parameters["floor"] == 0.0
    for name in ("a1", "a2"):
        assert floored.parameters[name] == pytest.approx(plain.parameters[name], rel=1e-10)


@pytest.mark.parametrize("family", CURVES)
@pytest.mark.parametrize("seed", [1, 2])
def test_fits_are_as_good_as_a_slow_optimiser_finds(family, seed):
    """Nelder and Mead's simplex, started at the fit and beside it, finds no smaller weighted sum of squares."""
    rng = np.random.default_rng(seed)
    rate = 0.1 * CURVES["orthant"].rate(SIZES.astype(float), 0.02, 3.0, 0.1) + 0.9 * 0.4 * SIZES**-0.4
    compared = 10_000
    swaps = rng.binomial(compared, rate)
    smooth = (swaps + 0.5) / (compared + 1)

    def loss(logs):
        if family == "stretched_exponential" and logs[0] > 0:
            return 1e6
        gap = CURVES[family].rate(SIZES.astype(float), 0.02, *np.exp(np.clip(logs, -30, 30))) - swaps / compared
        return np.sum(gap**2 / (smooth * (1 - smooth)))

    fitted = fit_curve(family, SIZES, swaps, compared, threshold=0.02)
    start = np.log(list(fitted.parameters.values()))
    options = {"maxiter": 4000, "maxfev": 4000, "xatol": 1e-10, "fatol": 1e-14}
    slow = min(minimize(loss, start + d, method="Nelder-Mead", options=options).fun for d in (0.0, 0.3, -0.3))
    assert len(SIZES) * fitted.weighted_error**2 <= slow * (1 + 1e-4)


@pytest.mark.parametrize("kind", ["dense", "long-tailed"])
@pytest.mark.parametrize("seed", range(3))
def test_no_search_from_elsewhere_ends_lower(seed, kind):
    """The sum of squares may have several minima; searches from random places end in none below the one found."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 0.05, 15) if kind == "dense" else rng.standard_t(2, 15) * 0.05
    scores = np.clip(truth[:, None] + rng.normal(0.4, 0.15, (15, 60)) + rng.normal(0, 0.1, 60), 0, 1)
    rates = swap_method(scores, n_trials=20, rng=seed)
    thresholds = absolute_thresholds(rates).to_numpy()[0]
    totals = rates.totals(half_swaps=True)
    for place, threshold in enumerate(thresholds.tolist()):
        cell = totals.isel(metric=0, tolerance=place)
        counts = [cell[name].to_numpy().astype(float) for name in ("size", "swaps", "comparisons")]
        for part in (counts, [column[~held_out(counts[0])] for column in counts]):
            found = fit_curve("orthant", *part, threshold=threshold)
            smooth = (part[1] + 0.5) / (part[2] + 1)

            def loss(logs, part=part, smooth=smooth, threshold=threshold):
                ratio, a = np.exp(logs)
                missed = orthant_rate(part[0], a=a, c=ratio * a, threshold=threshold) - part[1] / part[2]
                return float(np.mean(missed**2 / (smooth * (1 - smooth))))

            best = np.log([*found.parameters.values()])
            for _ in range(6):
                begin = best + rng.normal(0, 1.5, 2)
                other = minimize(loss, begin, method="Nelder-Mead", options={"maxfev": 400})
                assert found.weighted_error**2 <= other.fun * (1 + 1e-4), (threshold, found, other.x)


@pytest.mark.parametrize("family", CURVES)
def test_the_minimum_is_the_first_whole_size_at_or_below_the_limit(family):
    """Halving finds what a scan of all whole sizes finds; infinity where none up to the limit will do."""
    swaps = 10_000 * CURVES[family].rate(SIZES.astype(float), 0.0, *TRUE_CURVES[family])
    fitted = fit_curve(family, SIZES, swaps, 10_000)
    sizes = np.arange(1, 2001)
    for max_error in (0.3, 0.1, 0.05, 1e-9):
        within = fitted.rate(sizes) <= max_error
        wanted = sizes[np.argmax(within)] if within.any() else np.inf
        assert fitted.minimum_topics(max_error, limit=2000) == wanted


def test_more_trials_with_the_same_rates_change_nothing_but_the_half():
    """The fit rests on rates: ten times the counts give nearly the same curve."""
    rate = 0.5 * SIZES**-0.4
    few, many = (fit_curve("power", SIZES, n * rate, n) for n in (1e5, 1e6))
    np.testing.assert_allclose(few.rate(100), many.rate(100), rtol=1e-5)


def test_sizes_without_a_swap_stay_in_the_fit():
    """On the rate scale a zero is a rate like any other."""
    swaps = np.array([400, 150, 50, 20, 6, 2, 0, 0])
    with_zeros = fit_curve("exponential", range(5, 45, 5), swaps, 2000)
    without = fit_curve("exponential", range(5, 35, 5), swaps[:6], 2000)
    assert float(with_zeros.rate(40)) < float(without.rate(40))


@pytest.mark.parametrize("swaps", [1, 3, 7, 99, 198_000])
@pytest.mark.parametrize("last", range(7, 40, 4))
def test_an_error_that_stays_the_same_does_not_fall(swaps, last):
    """Equal rates are flat on paper, whatever the last bit of the slope says; one swap less at the end is a fall."""
    sizes = np.arange(5, last)
    counts = np.full(len(sizes), swaps)
    with pytest.raises(EstimationError, match="does not fall with size"):
        fit_curve("power", sizes, counts, 990_000)
    counts[-1] -= 1
    fit_curve("power", sizes, counts, 990_000)


@pytest.mark.parametrize(
    ("family", "counts", "kind", "message"),
    [
        ("cubic", ([5, 10], [2, 1], 10), UnknownNameError, "no curve 'cubic'"),
        ("power", ([5], [2], 10), EstimationError, "1 size cannot determine 2 parameters"),
        ("exponential_with_floor", ([5, 10], [2, 1], 10), EstimationError, "2 sizes cannot determine 3"),
        ("orthant", ([5, 10], [0, 0], 10), EstimationError, "already zero"),
        ("orthant", ([5, 10], [1, 2], 10), EstimationError, "does not fall with size"),
        ("orthant", ([5, 10], [2, 2], 10), EstimationError, "does not fall"),
        ("power", ([5, 10], [2, 0], [10, 0]), EstimationError, "nothing was compared at size 10"),
    ],
)
def test_what_cannot_be_fitted_is_said(family, counts, kind, message):
    """Too few sizes, no swaps, no decline, nothing compared: an error with the reason."""
    with pytest.raises(kind, match=message):
        fit_curve(family, *counts)


def test_thresholds_are_the_margins_in_the_metrics_unit():
    """A relative tolerance becomes a share of the mean larger mean; an absolute one stays."""
    scores = np.random.default_rng(0).random((2, 6, 30))
    relative = swap_method(scores, tolerances=[0, 0.1], rng=0)
    found = absolute_thresholds(relative)
    assert found.dims == ("metric", "tolerance")
    np.testing.assert_allclose(found[:, 1], 0.1 * relative.counts["larger_mean"].mean(("size", "trial")))
    assert (found[:, 0] == 0).all()
    absolute = absolute_thresholds(swap_method(scores, tolerances=[0, 0.1], tolerance_unit="absolute", rng=0))
    np.testing.assert_array_equal(absolute, [[0, 0.1]] * 2)


def test_the_held_out_half_is_the_larger_sizes():
    """The middle size of an odd number is fitted."""
    assert held_out(range(7)).tolist() == [False] * 4 + [True] * 3


def test_comparison_prefers_the_shape_that_predicts_the_larger_sizes():
    """On a Gaussian population the orthant wins, and the exponential promises too little error."""
    rng = np.random.default_rng(3)
    scores = 1 + rng.normal(0, 0.1, size=(80, 1)) + rng.normal(0, 0.3, size=(80, 400))
    compared = compare_curves(
        swap_method(scores, sizes=range(5, 101, 5), tolerances=[0, 0.02], tolerance_unit="absolute", rng=0)
    )
    assert compared.best == "orthant"
    assert compared.summary()["family"].iloc[0] == "orthant"
    biases = compared.table.set_index(["family", "tolerance"])["held_out_bias"]
    assert biases["exponential", 0.0] < -0.1
    assert abs(biases["orthant", 0.0]) < 0.05
    literal = compared.curves["metric1", 0.0, "orthant"]
    assert literal.parameters["ratio"] == pytest.approx(3.0, rel=0.15)


def test_held_out_error_is_that_of_a_fit_to_the_lower_half():
    """Refitting the lower half by hand and predicting the upper half gives the table's numbers."""
    rates = swap_method(np.random.default_rng(0).random((12, 40)) + np.arange(12)[:, None] / 30, rng=0, tolerances=[0])
    row = compare_curves(rates, families=["power"]).table.iloc[0]
    total = rates.totals(half_swaps=True)
    swaps, compared = (total[name].to_numpy()[0, 0] for name in ("swaps", "comparisons"))
    sizes = np.array(rates.sizes)
    early = fit_curve("power", sizes[:8], swaps[:8], compared[:8])
    seen = swaps[8:] / compared[8:]
    smooth = (swaps[8:] + 0.5) / (compared[8:] + 1)
    gap = early.rate(sizes[8:]) - seen
    assert row["held_out_error"] == pytest.approx(np.sqrt(np.mean(gap**2 / (smooth * (1 - smooth)))), rel=1e-9)
    assert row["held_out_bias"] == pytest.approx(gap.mean() / seen.mean(), rel=1e-9)


def test_cells_that_cannot_be_fitted_carry_a_note_and_no_number():
    """An error that is zero already, and too few sizes to hold any out, are said in the table."""
    apart = np.arange(4)[:, None] + np.random.default_rng(0).random((4, 30)) / 100
    none = compare_curves(swap_method(apart, rng=0, tolerances=[0]))
    assert none.best is None
    assert none.table["note"].str.contains("already zero").all()
    assert none.table["held_out_error"].isna().all()
    few = compare_curves(swap_method(np.random.default_rng(0).random((9, 30)), sizes=[3, 6, 15], rng=0, tolerances=[0]))
    assert few.best is None
    assert few.table["note"].str.contains("fewer than 4 sizes|does not fall").all()


def test_an_unknown_family_is_refused():
    """A family that is not in the table is named with the nearest one that is."""
    rates = swap_method(np.random.default_rng(0).random((4, 20)), rng=0)
    with pytest.raises(UnknownNameError, match="did you mean 'orthant'"):
        compare_curves(rates, families=["orthan"])


def test_a_shape_far_too_steep_gives_zero_and_no_overflow():
    """A search may ask for any shape: past the reach the rate is zero, before it the scale, without a warning."""
    rates = CURVES["stretched_exponential"].rate(np.array([5.0, 20.0]), 0.1, 0.5, 9.0, 5000.0)
    assert rates.tolist() == [0.5, 0.0]


@pytest.mark.parametrize("size", [1, 2, 7, 999_999, 1_000_000])
def test_the_fewest_topics_are_found_to_one(size):
    """Under the rate 1/z, up to a million topics; beyond there is no answer, or up to the limit that is given."""
    curve = ErrorCurve(family="power", parameters={"level": 1.0, "slope": 1.0}, threshold=0.0, weighted_error=0.0)
    at, before = curve.rate([size, size - 0.5]).tolist()
    assert curve.minimum_topics(at) == curve.minimum_topics(before) == size
    assert curve.minimum_topics(at, limit=size) == size
    assert curve.minimum_topics(float(curve.rate(size + 0.5))) == (size + 1 if size < 10**6 else np.inf)
    assert curve.minimum_topics(float(curve.rate(size + 0.5)), limit=size) == np.inf


def test_a_curve_without_free_parameters_is_at_its_minimum():
    """Nothing moves, so the empty array comes back; the smallest tolerance may leave no parameter to settle."""
    assert settled_minimum(lambda logs: np.ones((*logs.shape[:-1], 3)), np.empty(0)).shape == (0,)
