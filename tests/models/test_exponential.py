"""The exponential model: least squares against statsmodels, zero rates, held-out sizes and refusals."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import curve_fit

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.models.exponential import PUBLISHED_CRITERION, exponential_errors, exponential_table, fit_exponential
from metaeval.resampling.swap import swap_method

SIZES = np.arange(5, 51)


def noisy(seed):
    return 0.3 * np.exp(-0.04 * SIZES) * np.random.default_rng(seed).uniform(0.8, 1.2, len(SIZES))


@pytest.mark.parametrize("seed", [0, 1])
def test_the_log_fit_is_statsmodels_least_squares(seed):
    """A1, A2 and both standard errors are those of statsmodels' regression of ln Y on X."""
    rates = noisy(seed)
    fit = fit_exponential(SIZES, rates)
    line = sm.OLS(np.log(rates), sm.add_constant(SIZES)).fit()
    assert fit.a1 == pytest.approx(np.exp(line.params[0]), rel=1e-10)
    assert fit.a2 == pytest.approx(-line.params[1], rel=1e-10)
    assert fit.se_a2 == pytest.approx(line.bse[1], rel=1e-9)
    assert fit.se_a1 == pytest.approx(fit.a1 * line.bse[0], rel=1e-9)
    assert fit.degrees_of_freedom == line.df_resid == 44


def test_the_rate_fit_has_its_last_digits():
    """The weighted sum of squares is level at the fit: a search alone leaves cosines of 1e-6 with its slopes."""
    rates = noisy(2)
    fit = fit_exponential(SIZES, rates, scale="rate")
    fitted, weight = fit.a1 * np.exp(-fit.a2 * SIZES), 1 / np.sqrt(rates * (1 - rates))
    slopes, gap = np.stack([fitted, SIZES * fitted]) * weight, (fitted - rates) * weight
    assert np.abs(slopes @ gap / np.linalg.norm(slopes, axis=1) / np.linalg.norm(gap)).max() < 1e-10


def test_the_rate_fit_is_scipys_weighted_curve_fit():
    """On the rate scale parameters and standard errors are those of SciPy's curve_fit with the same weights."""
    rates = noisy(2)
    fit = fit_exponential(SIZES, rates, scale="rate")
    sigma = np.sqrt(rates * (1 - rates))
    best, covariance = curve_fit(lambda x, a, b: a * np.exp(-b * x), SIZES, rates, [0.3, 0.04], sigma=sigma)
    np.testing.assert_allclose([fit.a1, fit.a2], best, rtol=1e-5)
    np.testing.assert_allclose([fit.se_a1, fit.se_a2], np.sqrt(np.diag(covariance)), rtol=1e-3)


def test_chi_squared_is_in_percent():
    """Σ (O - E)²/E with rates in percent, by hand."""
    rates = noisy(3)
    fit = fit_exponential(SIZES, rates)
    observed, expected = 100 * rates, 100 * fit.rate(SIZES)
    assert fit.chi_squared == pytest.approx(sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True)))
    assert PUBLISHED_CRITERION == 27.991


def test_zero_rates_are_left_out_and_named_or_kept():
    """A zero has no logarithm: the log fit names it, the rate fit keeps it."""
    rates = np.array([0.2, 0.1, 0.05, 0.0, 0.01, 0.0])
    sizes = np.array([5, 10, 15, 20, 25, 30])
    log, rate = (fit_exponential(sizes, rates, scale=scale) for scale in ("log", "rate"))
    assert log.zero_sizes == rate.zero_sizes == (20, 30)
    assert log.sizes.tolist() == [5, 10, 15, 25]
    assert rate.sizes.tolist() == sizes.tolist()
    assert log.degrees_of_freedom == 2
    bare = fit_exponential(sizes[rates > 0], rates[rates > 0])
    assert log.a2 == pytest.approx(bare.a2, rel=1e-12)


def test_exact_data_come_back_exactly():
    """Noiseless data give their own parameters on both scales, no error held out, and the exact minimum."""
    rates = 0.4 * np.exp(-0.1 * SIZES)
    for scale in ("log", "rate"):
        fit = fit_exponential(SIZES, rates, scale=scale)
        assert (fit.a1, fit.a2) == (pytest.approx(0.4, rel=1e-8), pytest.approx(0.1, rel=1e-8))
        assert fit.held_out_error == pytest.approx(0, abs=1e-8)
        assert fit.minimum_topics(0.05) == np.ceil(np.log(8) / 0.1) == 21
    assert fit_exponential(SIZES, rates).minimum_topics(0.45) == 1


def test_a_good_fit_may_predict_badly_and_says_so():
    """A power law is close to an exponential within the lower half and far from it in the upper half."""
    fit = fit_exponential(SIZES, 0.6 * SIZES**-0.5)
    assert fit.chi_squared < PUBLISHED_CRITERION
    assert fit.held_out_bias < -0.15
    early = fit_exponential(SIZES[:23], 0.6 * SIZES[:23] ** -0.5)
    gap = early.rate(SIZES[23:]) - 0.6 * SIZES[23:] ** -0.5
    assert fit.held_out_error == pytest.approx(np.sqrt(np.mean(gap**2)) / np.mean(0.6 * SIZES[23:] ** -0.5))


def test_an_error_that_does_not_fall_has_no_minimum():
    """With A2 at or below 0 the minimum is infinite, not a number."""
    assert fit_exponential([5, 10, 20], [0.1, 0.15, 0.2]).minimum_topics(0.05) == np.inf


def test_two_sizes_give_a_line_and_no_errors():
    """Two points determine the curve and nothing about its uncertainty."""
    for scale in ("log", "rate"):
        fit = fit_exponential([5, 10], [0.2, 0.1], scale=scale)
        assert np.isnan([fit.se_a1, fit.se_a2, fit.held_out_error]).all()
        assert fit.a2 == pytest.approx(np.log(2) / 5)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([5, 10], [0.1, 0.0]), EstimationError, "1 of 2 sizes have an error above 0"),
        (([5, 10, 15], [0, 0, 0]), EstimationError, "0 of 3 sizes"),
        (([10, 5], [0.1, 0.2]), InvalidOptionError, "ascending"),
        (([0, 5], [0.1, 0.2]), InvalidOptionError, "above 0"),
        (([5, 10, 15], [0.1, 0.2]), InvalidOptionError, "there are 3 and 2"),
        (([5, 10], [0.1, 12.0]), InvalidOptionError, r"must lie in \[0, 1\] at every size, not"),
        (([5, 10], [0.1, np.nan]), InvalidOptionError, "nan"),
    ],
)
def test_refusals_name_rule_and_value(arguments, kind, message):
    """What cannot be fitted is refused with the reason."""
    with pytest.raises(kind, match=message):
        fit_exponential(*arguments)


def test_unknown_scale_and_senseless_limit_are_refused():
    """Options outside their rules are refused."""
    with pytest.raises(UnknownNameError, match="no scale 'logit'"):
        fit_exponential([5, 10], [0.2, 0.1], scale="logit")
    with pytest.raises(InvalidOptionError, match="max_error"):
        fit_exponential([5, 10], [0.2, 0.1]).minimum_topics(0)


def test_a_single_trial_tells_nothing_of_its_errors():
    """The rows of the table, without numbers; two trials have some."""
    scores = np.random.default_rng(0).random((2, 6, 40))
    for n_trials in (1, 2):
        rates = swap_method(scores, tolerances=[0.0], n_trials=n_trials, rng=0)
        errors = exponential_errors(rates)
        assert len(errors) == 2
        assert errors["a2"].isna().all() == (n_trials == 1)


def test_the_table_has_a_row_for_every_cell_and_notes_for_the_empty_ones():
    """One row a metric and tolerance in their order; a cell without errors has no numbers but a note."""
    rng = np.random.default_rng(0)
    scores = np.stack([rng.random((6, 40)), np.arange(1, 7)[:, None] + rng.random((6, 40)) / 10])
    rates = swap_method(scores, tolerances=[0, 0.1], rng=0)
    table = exponential_table(rates)
    assert table[["metric", "tolerance"]].to_numpy().tolist() == [
        ["metric1", 0.0], ["metric1", 0.1], ["metric2", 0.0], ["metric2", 0.1],
    ]  # fmt: skip
    direct = fit_exponential(rates.sizes, rates.rates(half_swaps=True).to_numpy()[0, 1])
    assert table["a2"].iloc[1] == direct.a2
    assert table[["a1", "a2", "chi_squared"]].iloc[2:].isna().all(axis=None)
    assert table["note"].iloc[2:].str.contains("above 0").all()
    assert not table["within_published_criterion"].iloc[2:].any()


def test_a_fit_through_two_sizes_meets_no_criterion():
    """Whatever the rates, the curve passes through both; of three sizes it need not."""
    noise = np.random.default_rng(1).random((6, 12))
    for sizes, said in (((5, 6), [None]), ((4, 5, 6), [True])):
        table = exponential_table(swap_method(noise, sizes=sizes, tolerances=[0], rng=0))
        assert table["within_published_criterion"].tolist() == said
        assert table["note"].str.contains("through two sizes").tolist() == [said == [None]]
