"""The Bayesian error-rate model against closed forms, simulations, slow literal versions and degenerate scores."""

import sys

import arviz as az
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit, ndtr

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.models import bayesian_model as module
from metaeval.models.bayesian_model import (
    BayesianErrorRate,
    bayesian_error_rate,
    observe_error_rates,
)
from metaeval.models.families import BAYESIAN, CURVES, orthant_rate
from metaeval.resampling.swap import swap_method


def additive(seed, *, n_systems=20, n_topics=60, noise=0.12):
    """Scores of systems with normal effects and independent noise."""
    generator = np.random.default_rng(seed)
    effects = generator.normal(0.0, 0.08, (n_systems, 1))
    return 0.5 + effects + generator.normal(0, 0.1, n_topics) + generator.normal(0, noise, (n_systems, n_topics))


@pytest.fixture(scope="module")
def two_metrics():
    quiet, loud = additive(1), additive(1, noise=0.3)
    return xr.DataArray(
        np.stack([quiet, loud]),
        dims=("metric", "system", "topic"),
        coords={
            "metric": ["quiet", "loud"],
            "system": [f"s{i}" for i in range(20)],
            "topic": [f"t{i}" for i in range(60)],
        },
    )


@pytest.fixture(scope="module")
def evidence(two_metrics):
    return observe_error_rates(two_metrics, tolerances=[0.0, 0.02], tolerance_unit="absolute", rng=3)


@pytest.fixture(scope="module")
def fitted(evidence):
    return bayesian_error_rate(evidence, rng=5)


@pytest.mark.parametrize("level", [None, 0.4, 3.0])
def test_orthant_family_is_the_orthant_curve(level):
    """The orthant family agrees with the quadrature of `families.orthant_rate`, with and without a tolerance."""
    sizes = np.array([5.0, 25.0, 400.0])
    ratio = np.array([[0.8], [3.0]])
    reach = () if level is None else (np.full((2, 1), level),)
    expected = orthant_rate(sizes, a=1.0, c=ratio, threshold=0.0 if level is None else 1 / level)
    np.testing.assert_allclose(BAYESIAN["orthant"].rate(np, sizes, ratio, *reach), expected, rtol=1e-5, atol=1e-9)


def test_mixed_orthant_averages_over_pairs():
    """The mixed orthant is the average of orthant curves whose log ratio is normal, here over many quantiles."""
    sizes = np.array([5.0, 25.0, 400.0])
    quantiles = stats.norm.ppf((np.arange(20000) + 0.5) / 20000)
    expected = np.mean([np.arccos(1 / (1 + (2 * np.exp(0.7 * quantiles)) ** 2 / z)) for z in sizes], axis=1) / np.pi
    found = BAYESIAN["mixed_orthant"].rate(np, sizes, np.full((1, 1), 2.0), np.full((1, 1), 0.7))[0]
    np.testing.assert_allclose(found, expected, rtol=2e-4)


@pytest.mark.parametrize("name", ["exponential", "power", "exponential_with_floor"])
def test_families_are_the_published_curves(name):
    """Families that also stand in `families.CURVES` give the same rates."""
    sizes = np.array([5.0, 25.0, 100.0])
    values = (0.4, 0.03, 0.02)[: len(BAYESIAN[name].parameters)]
    expected = CURVES[name].rate(sizes, 0.0, *values)
    np.testing.assert_allclose(BAYESIAN[name].rate(np, sizes, *values), expected)


def test_stretched_exponential_is_the_published_curve():
    """The stretched exponential gives the rates of `families.CURVES`."""
    sizes = np.array([5.0, 25.0, 100.0])
    expected = CURVES["stretched_exponential"].rate(sizes, 0.0, 0.5, 20.0, 0.6)
    np.testing.assert_allclose(BAYESIAN["stretched_exponential"].rate(np, sizes, 0.5, 20.0, 0.6), expected)


@pytest.mark.parametrize("level", [0.0, 0.5])
def test_systems_misfit_is_the_spread_over_samples_of_systems(level):
    """The misfit covariance equals that of curves of many simulated sets of systems, pair by pair."""
    sizes, ratio, n_systems = np.array([5.0, 25.0, 100.0]), 1.5, 30
    generator = np.random.default_rng(0)
    curves = []
    first, second = np.triu_indices(n_systems, 1)
    for _ in range(1500):
        means = generator.normal(0.0, np.sqrt(0.5), n_systems)
        gap = (means[first] - means[second])[:, None]
        steep = np.sqrt(sizes) / ratio
        both = 2 * ndtr((gap - level) * steep) * ndtr((-gap - level) * steep)
        curves.append(both.mean(axis=0))
    rates = np.mean(curves, axis=0)
    expected = np.cov(np.array(curves).T) / np.outer(rates * (1 - rates), rates * (1 - rates))
    basis = module._misfit(sizes, ratio, level, n_systems).systems
    np.testing.assert_allclose(basis @ basis.T, expected, rtol=0.15)


def test_kurtosis_shift_is_that_of_heavy_tailed_noise():
    """The shift for kurtosis follows the error rate of pairs whose noise is a mixture of two normals."""
    sizes, ratio = np.array([40.0, 160.0]), 1.5
    scales = np.array([0.5, np.sqrt(1.75)])  # half and half: variance 1, excess kurtosis 3 * (mean fourth power - 1)
    kurtosis = 3 * (np.mean(scales**4) - 1)
    gaps = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    expected = []
    for z in sizes.astype(int):
        quiet = np.arange(z + 1)
        chance = stats.binom.pmf(quiet, z, 0.5)
        spread = ratio * np.sqrt(quiet * scales[0] ** 2 + (z - quiet) * scales[1] ** 2) / z
        lower = ndtr(-gaps[:, None] / spread) @ chance
        expected.append(logit(np.mean(2 * lower * (1 - lower))))
    smooth = logit(orthant_rate(sizes, a=1.0, c=ratio))
    shift = module._misfit(sizes, ratio, 0.0, 50).kurtosis / module._SPREAD_OF_KURTOSIS * kurtosis
    np.testing.assert_allclose(shift, np.array(expected) - smooth, rtol=0.05)


@given(st.floats(0.001, 0.15), st.floats(-2, 2))
def test_straightening_is_the_bca_scale(acceleration, away):
    """A truth some way off along the leading direction lies log(1 + a x) / a - a standard errors off, straightened."""
    lead = np.array([[0.1], [0.2]])
    across = np.array([0.2, -0.1])
    found, stretch = module._straightened(np, (across - away * lead[:, 0])[None], lead, acceleration)
    expected = np.log(1 + acceleration * away) / acceleration - acceleration
    np.testing.assert_allclose(found[0], across - expected * lead[:, 0], rtol=1e-7, atol=1e-12)
    step = 1e-5
    further = np.log(1 + acceleration * (away + step)) / acceleration - acceleration
    np.testing.assert_allclose(np.exp(stretch), (further - expected) / step, rtol=1e-3)


def test_log_posterior_is_the_literal_one(evidence):
    """The vectorised log posterior equals a slow one, draw by draw, with SciPy's multivariate t."""
    cells = module._cells(evidence, "quiet", 0.0, "mixed_orthant")
    values, vectors = np.linalg.eigh(cells.covariance)
    lead = np.sqrt(values[-1]) * np.abs(vectors[:, -1])
    u = np.random.default_rng(0).normal(size=(5, cells.n_parameters))
    density = module._log_posterior(cells, u)[0]
    slow = []
    for row in u:
        ratio, spread = np.exp(np.log(2.5) + 1.5 * row[0]), stats.halfnorm.ppf(stats.norm.cdf(row[1]), scale=0.5)
        curve = logit(BAYESIAN["mixed_orthant"].rate(np, cells.sizes, np.array([[ratio]]), np.array([[spread]]))[0])
        away = (curve - cells.logits) @ lead / (lead @ lead)
        bent = np.log1p(cells.acceleration * away) / cells.acceleration - cells.acceleration
        residual = cells.logits - curve + (away - bent) * lead
        basis = np.exp(0.6 * row[2]) * cells.seen.systems
        covariance = cells.covariance + basis @ basis.T + np.outer(cells.seen.kurtosis, cells.seen.kurtosis)
        likelihood = stats.multivariate_t.logpdf(residual, shape=covariance, df=cells.freedom)
        slow.append(likelihood + stats.norm.logpdf(row).sum() - np.log1p(cells.acceleration * away))
    np.testing.assert_allclose(np.diff(density), np.diff(slow), rtol=1e-6)


def test_fast_fit_is_the_grid_posterior(evidence):
    """Importance sampling gives the posterior means of a dense grid over the three parameters."""
    cells = module._cells(evidence, "quiet", 0.0, "mixed_orthant")
    axes = [np.linspace(-2.5, 2.5, 101), np.linspace(-4, 4, 33), np.linspace(-3.5, 3.5, 29)]
    u = np.stack([one.ravel() for one in np.meshgrid(*axes, indexing="ij")], axis=1)
    density = module._log_posterior(cells, u)[0]
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    drawn = module._fit_fast(cells, np.random.default_rng(1)).parameters
    for name, values in (
        ("ratio", np.log(2.5) + 1.5 * u[:, 0]),
        ("spread", np.log(stats.halfnorm.ppf(ndtr(u[:, 1]), scale=0.5) + 0.1)),
        ("omega", 0.6 * u[:, 2]),
    ):
        mean = weight @ values
        spread = np.sqrt(weight @ (values - mean) ** 2)
        logs = np.log(drawn[name] + (0.1 if name == "spread" else 0.0))
        assert abs(logs.mean() - mean) < 0.1 * spread, name
        assert abs(logs.std() - spread) < 0.15 * spread, name


def test_minimum_topics_is_the_first_size_that_stays_within():
    """The minimum topic count is the last crossing of the curve, found here size by size."""
    grid = module._sizes_ahead(5)
    exact = logit(0.5 * grid**-0.4)
    found = module._minimum(np.stack([exact, exact + 20.0, exact - 20.0]), grid, 0.05)
    sizes = np.arange(2, 1000)
    slow = sizes[np.argmax(0.5 * sizes**-0.4 <= 0.05)]
    assert abs(found[0] / slow - 1) < 0.01
    assert found[1] == np.inf
    assert found[2] == grid[0]


def test_posterior_holds_the_truth_of_known_systems():
    """On Gaussian data the intervals for 20 and 50 topics hold the truth of these systems in most of 12 samples."""
    held = []
    for seed in range(12):
        generator = np.random.default_rng([3, seed])
        effects = generator.normal(0, 0.08, 20)
        made = effects[:, None] + generator.normal(0, 0.12, (20, 50))
        first, second = np.triu_indices(20, 1)
        below = ndtr(-(effects[first] - effects[second]) / (0.12 * np.sqrt(2)) * np.sqrt([[20], [50]]))
        truth = (2 * below * (1 - below)).mean(axis=1)
        band = bayesian_error_rate(made, tolerance_unit="absolute", rng=seed, n_threads=1).curve([20, 50])
        held.append((band["low"] <= truth) & (truth <= band["high"]))
    assert np.mean(held) > 0.7  # 24 correlated intervals of 90 %


def test_evidence_counts_what_the_swap_method_counts(two_metrics, evidence):
    """Evidence holds the totals of the swap method, ties as half swaps at tolerance 0 only."""
    first, _ = np.random.default_rng(3).spawn(2)
    sizes = evidence.data["observed_size"].to_numpy().tolist()
    rates = swap_method(
        two_metrics, sizes=sizes, tolerances=[0.0, 0.02], tolerance_unit="absolute", n_trials=100, rng=first
    )
    np.testing.assert_array_equal(evidence.data["swaps"], rates.totals(half_swaps=True)["swaps"])


def test_noise_is_described():
    """Equal noise everywhere is worth nearly all topics and systems; copies and one loud topic are worth less."""
    plain = module._describe_noise(additive(4, n_systems=40, n_topics=200))
    assert 180 < plain.effective_topics <= 200
    assert 34 < plain.effective_systems <= 40
    assert abs(plain.acceleration) < 0.03
    generator = np.random.default_rng(0)
    groups = np.repeat(generator.normal(size=(5, 200)), 8, axis=0) + 0.01 * generator.normal(size=(40, 200))
    assert module._describe_noise(groups).effective_systems < 6.5
    loud = additive(4, n_systems=40, n_topics=200)
    loud[:, 0] += generator.normal(0, 5, 40)
    described = module._describe_noise(loud)
    assert described.effective_topics < 3
    assert described.acceleration > 0.1


def test_tail_is_that_of_a_log_normal_law():
    """The tail of many log-normal topics has their squared coefficient of variation; equal topics have none."""
    power = stats.lognorm.ppf((np.arange(5000) + 0.5) / 5000, 0.7)
    assert module._tail_variance(power) == pytest.approx(np.expm1(0.7**2), rel=0.01)
    assert module._tail_variance(np.ones(50)) == 0.0
    assert module._tail_variance(np.r_[np.zeros(60), power]) == pytest.approx(np.expm1(0.7**2), rel=0.01)


def test_heavy_tail_lowers_the_topics_to_trust():
    """Topics whose loudness is log-normal are trusted less than their sample moments say, equal ones as they are."""
    loudness = np.exp(0.8 * stats.norm.ppf((np.arange(60) + 0.5) / 60))
    heavy = np.random.default_rng(0).normal(size=(20, 60)) * loudness
    for made, less in ((heavy, True), (additive(1), False)):
        described = module._describe_noise(made)
        cell = xr.Dataset({name: ((), value) for name, value in described._asdict().items()})
        assert (module._topics_to_trust(cell) < 0.9 * described.effective_topics) == less


def test_systems_noise_is_not_skewed(evidence):
    """With noise of equal power on every topic, little of the spread is that of the power, and nothing is bent."""
    assert module._cells(evidence, "quiet", 0.0, "mixed_orthant").acceleration < 0.01


def test_covariance_from_few_replicates_is_widened():
    """The inverse of the widened covariance is right on average when topics abound and replicates are few."""
    generator = np.random.default_rng(0)
    inverses = [np.linalg.inv(module._widened(np.cov(generator.normal(size=(40, 8)).T), 1e9, 40)) for _ in range(400)]
    np.testing.assert_allclose(np.mean(inverses, axis=0).trace() / 8, 1.0, rtol=0.03)


def test_posterior_with_a_margin_is_sampled_well(evidence):
    """The proposal follows the bent posterior of a fit with a tolerance: most of its points count."""
    cells = module._cells(evidence, "loud", 0.02, "mixed_orthant")
    weights = []
    original = module._systematic

    def spy(weight, count, generator):
        weights.append(weight)
        return original(weight, count, generator)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_systematic", spy)
        module._fit_fast(cells, np.random.default_rng(0))
    assert 1 / (weights[-1] ** 2).sum() > 0.25 * len(weights[-1])


def test_noisier_metric_needs_more_topics(fitted):
    """The metric with more noise needs more topics, and the model is nearly sure of it."""
    found = fitted.minimum_topics().set_index("metric")
    assert found.loc["quiet", "median"] < found.loc["loud", "median"]
    assert fitted.p_fewer("quiet", "loud") > 0.95
    assert fitted.p_fewer("quiet", "loud") + fitted.p_fewer("loud", "quiet") == pytest.approx(1.0)
    assert fitted.comparisons().loc["quiet", "loud"] == fitted.p_fewer("quiet", "loud")


def test_metric_against_itself_is_a_toss(two_metrics):
    """A metric and its copy under another name share topic resamples, and neither is called better."""
    twice = two_metrics.isel(metric=[0, 0]).assign_coords(metric=["one", "two"])
    found = bayesian_error_rate(twice, tolerance_unit="absolute", rng=1)
    assert 0.35 < found.p_fewer("one", "two") < 0.65


def test_curve_falls_and_holds_the_observed_points(fitted):
    """The median error falls with size, and the observed rates lie inside the 90 % band of these good data."""
    frame = fitted.curve()
    for _, one in frame.groupby("metric"):
        assert (np.diff(one["median"]) < 0).all()
        seen = one.dropna()
        assert ((seen["low"] < seen["observed"]) & (seen["observed"] < seen["high"])).mean() > 0.7


def test_more_topics_are_more_often_enough(evidence):
    """A laxer limit needs fewer topics, and the share of draws within the topics at hand rises."""
    strict, lax = (bayesian_error_rate(evidence, max_error=limit, rng=5).minimum_topics() for limit in (0.05, 0.15))
    assert (lax["median"] < strict["median"]).all()
    assert (lax["p_enough"] >= strict["p_enough"]).all()
    draws = bayesian_error_rate(evidence, max_error=0.15, rng=5).tree["posterior"]["minimum_topics"]
    np.testing.assert_allclose(lax["p_enough"], (draws <= 60).mean(("chain", "draw")))


def test_design_effect_is_nominal_over_effective(fitted):
    """Thousands of comparisons are worth some hundreds: p (1 - p) / variance of p."""
    frame = fitted.design_effect()
    assert (frame["design_effect"] > 5).all()
    one = frame.iloc[0]
    seen = fitted.tree["observed_data"]["logit_rate"].sel({"metric": one["metric"], "observed_size": one["size"]})
    error = fitted.tree["constant_data"]["standard_error"].sel({"metric": one["metric"], "observed_size": one["size"]})
    rate = float(expit(seen))
    variance = (float(error) * rate * (1 - rate)) ** 2
    assert one["effective_comparisons"] == pytest.approx(rate * (1 - rate) / variance)


def test_arviz_reads_the_result_and_a_file_gives_the_same_numbers(fitted, tmp_path):
    """`az.summary` and ArviZ plots work on the tree, before and after a trip through NetCDF."""
    fitted.save(tmp_path / "fit.nc")
    again = BayesianErrorRate.load(tmp_path / "fit.nc")
    xr.testing.assert_identical(again.tree["posterior"].to_dataset(), fitted.tree["posterior"].to_dataset())
    assert again.minimum_topics().equals(fitted.minimum_topics())
    assert again.curve().equals(fitted.curve())
    for result in (fitted, again):
        summary = az.summary(result.tree, var_names=["ratio", "omega"], ci_prob=0.9, ci_kind="eti", round_to="none")
        assert (summary["r_hat"] < 1.01).all()
        az.plot_dist(result.tree, var_names=["omega"], ci_prob=0.9, ci_kind="eti")
        az.plot_ppc_dist(result.tree)


def test_same_seed_same_numbers(evidence):
    """The same seed gives the same draws."""
    first, second = (bayesian_error_rate(evidence, rng=8).tree["posterior"] for _ in range(2))
    xr.testing.assert_identical(first.to_dataset(), second.to_dataset())


@pytest.mark.parametrize("family", list(BAYESIAN))
def test_every_family_fits_with_and_without_margin(evidence, family):
    """Every family gives finite intervals at both tolerances."""
    for tolerance in (0.0, 0.02):
        found = bayesian_error_rate(evidence, tolerance=tolerance, family=family, rng=0)
        assert np.isfinite(found.curve()[["median", "low", "high"]].to_numpy()).all()


def test_hierarchical_model_agrees_with_the_fast_fit(evidence, fitted):
    """PyMC's hierarchical model converges and gives medians near those of the single fits."""
    options = {"method": "pymc", "draws": 500, "tune": 500, "rng": 2}
    sampled = bayesian_error_rate(evidence, **options)
    single, pooled = (result.minimum_topics().set_index("metric")["median"] for result in (fitted, sampled))
    np.testing.assert_allclose(np.log(pooled), np.log(single), atol=0.25)
    assert not sampled.tree["sample_stats"]["diverging"].any()
    assert sampled.p_fewer("quiet", "loud") > 0.95
    again = bayesian_error_rate(evidence, **options)
    xr.testing.assert_identical(sampled.tree["posterior"].to_dataset(), again.tree["posterior"].to_dataset())


def test_hierarchical_model_with_a_margin(evidence, tmp_path):
    """With a tolerance PyMC's model agrees with the fast fit, ArviZ reads it, and a file gives the same numbers."""
    single, sampled = (
        bayesian_error_rate(evidence, tolerance=0.02, method=method, draws=500, tune=500, rng=4)
        for method in ("fast", "pymc")
    )
    for column in ("median", "low", "high"):
        one, other = (np.log(result.curve([20, 50])[column]) for result in (single, sampled))
        np.testing.assert_allclose(other, one, atol=0.3)
    summary = az.summary(sampled.tree, var_names=["ratio", "omega"], round_to="none")
    assert (summary["r_hat"] < 1.02).all()
    az.plot_dist(sampled.tree, var_names=["omega"])
    az.plot_ppc_dist(sampled.tree)
    sampled.save(tmp_path / "fit.nc")
    again = BayesianErrorRate.load(tmp_path / "fit.nc")
    assert again.curve().equals(sampled.curve())
    xr.testing.assert_identical(again.tree["population"].to_dataset(), sampled.tree["population"].to_dataset())


def test_hierarchical_model_without_nutpie(evidence, monkeypatch):
    """Without nutpie PyMC's own sampler is used, and its chains are like those of nutpie."""
    monkeypatch.setitem(sys.modules, "nutpie", None)
    cells, _ = module._estimable(evidence, 0.0, "orthant")
    likely = [module._likely(cell, np.random.default_rng(0)) for cell in cells]
    model = module._model(cells, module._joint(evidence, 0.0, cells), likely)
    drawn = module._sample(model, 1, {"draws": 150, "tune": 200, "target_accept": 0.9})
    assert drawn["posterior"].sizes["draw"] == 150
    fast = bayesian_error_rate(evidence, family="orthant", rng=1).tree["posterior"]["ratio"].median(("chain", "draw"))
    np.testing.assert_allclose(drawn["posterior"]["ratio"].median(("chain", "draw")), fast, rtol=0.15)


def test_chains_that_failed_run_once_more(evidence, monkeypatch):
    """A run that did not converge is followed by one longer run, and only then refused."""
    runs = []

    def sample(_model, seed, sampling):
        runs.append((seed, sampling["draws"]))

    monkeypatch.setattr(module, "_sample", sample)
    monkeypatch.setattr(module, "_complaint", lambda _: "did not converge")
    with pytest.raises(EstimationError, match="converge"):
        bayesian_error_rate(evidence, method="pymc", draws=100, rng=2)
    assert [draws for _, draws in runs] == [100, 200]
    assert runs[0][0] != runs[1][0]


def test_metric_that_never_swaps_is_marked(two_metrics):
    """A metric whose error is zero is named as not estimable and does not stop the other."""
    steps = two_metrics.copy()
    steps[1] = np.arange(20)[:, None] + 0.01 * two_metrics[1]
    found = bayesian_error_rate(steps, tolerance_unit="absolute", rng=0)
    assert list(found.not_estimated) == ["loud"]
    row = found.minimum_topics().set_index("metric").loc["loud"]
    assert np.isnan(row["median"])
    assert row["note"].startswith("cannot be estimated: 'loud'")
    assert "near zero" in row["note"]


def test_error_that_does_not_fall_is_refused():
    """Pure noise has an error rate of a half at every size: nothing is estimated from it."""
    noise = np.random.default_rng(3).normal(size=(12, 60))
    noise -= noise.mean(axis=1, keepdims=True)
    with pytest.raises(EstimationError, match="does not fall"):
        bayesian_error_rate(noise, tolerance_unit="absolute", rng=0)


def test_curve_that_does_not_suit_is_refused(evidence):
    """A curve far from what was observed is refused, whatever its parameters."""
    cells = module._cells(evidence, "quiet", 0.0, "orthant")
    wild = cells._replace(logits=cells.logits + np.array([0, 3, 0, 3, 0, 3, 0, 3.0]))
    with pytest.raises(EstimationError, match="does not fit"):
        module._fit_fast(wild, np.random.default_rng(0))


def test_noise_of_one_topic_is_not_enough():
    """Systems that differ on one topic alone give no error curve."""
    made = np.arange(10.0)[:, None] * np.ones(40)
    made[:, 0] += np.random.default_rng(0).normal(0, 50, 10)
    with pytest.raises(EstimationError, match="topics' worth"):
        bayesian_error_rate(made, tolerance_unit="absolute", rng=0)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"family": "orthnt"}, UnknownNameError, "orthant"),
        ({"method": "grid"}, UnknownNameError, "fast"),
        ({"max_error": 0.5}, InvalidOptionError, "max_error"),
        ({"ci_prob": 1.0}, InvalidOptionError, "ci_prob"),
        ({"tolerance": 0.2}, InvalidOptionError, "tolerance"),
    ],
)
def test_options_outside_their_rule(evidence, change, error, words):
    """An option outside its rule is named."""
    with pytest.raises(error, match=words):
        bayesian_error_rate(evidence, **change)


def test_scores_that_cannot_answer():
    """Too few topics, one system, identical systems, bad tolerances and too few resamples are clear errors."""
    made = additive(0)
    with pytest.raises(EstimationError, match="too few"):
        bayesian_error_rate(made[:, :8], rng=0)
    with pytest.raises(EstimationError, match="3 to 8"):
        bayesian_error_rate(made[:, :12], rng=0)
    with pytest.raises(ScoresError):
        bayesian_error_rate(made[:1], rng=0)
    with pytest.raises(ScoresError, match="same scores"):
        bayesian_error_rate(np.tile(made[:1], (3, 1)), rng=0)
    with pytest.raises(InvalidOptionError, match="tolerances"):
        bayesian_error_rate(made, tolerance=1.0, rng=0)
    with pytest.raises(InvalidOptionError, match="n_topic_resamples"):
        observe_error_rates(made, n_topic_resamples=50, rng=0)
    with pytest.raises(InvalidOptionError, match="3 to 8"):
        observe_error_rates(made, sizes=range(5, 20), rng=0)


def test_questions_about_unknown_metrics_and_sizes(fitted):
    """A metric that was not estimated and a size off the grid are named."""
    with pytest.raises(UnknownNameError, match="quiet"):
        fitted.p_fewer("quite", "loud")
    with pytest.raises(InvalidOptionError, match="sizes"):
        fitted.error_rate([0.5])
