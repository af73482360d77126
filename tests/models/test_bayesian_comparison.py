"""Bayesian comparison of systems: closed form against SciPy, laws, refusals, and the sampled model."""

import arviz as az
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.models.bayesian_comparison import BayesianComparison, bayesian_t, hierarchical
from metaeval.scores import as_scores
from metaeval.tests_stat.paired_t import paired_t_test


def simulated_scores(seed=3, n_systems=6, n_topics=25, **options):
    rng = np.random.default_rng(seed)
    values = 0.3 + 0.1 * rng.normal(size=(n_systems, 1)) + 0.2 * rng.normal(size=(1, n_topics))
    values = values + 0.1 * rng.normal(size=(n_systems, n_topics))
    return as_scores(values, metrics=["m"], **options)


def test_equals_the_posterior_pair_by_pair():
    """Every probability and bound is that of Student's distribution around the pair's mean difference."""
    scores = simulated_scores()
    found = bayesian_t(scores, rope=0.02, ci_prob=0.9).to_frame()
    values = scores.sel(metric="m")
    for row in found.itertuples():
        z = (values.sel(system=row.system_a) - values.sel(system=row.system_b)).to_numpy()
        posterior = stats.t(len(z) - 1, loc=z.mean(), scale=stats.sem(z))
        assert row.p_a_better == pytest.approx(posterior.sf(0.02), rel=1e-10)
        assert row.p_b_better == pytest.approx(posterior.cdf(-0.02), rel=1e-10)
        assert (row.low, row.high) == pytest.approx(posterior.interval(0.9), rel=1e-10)


def test_without_region_it_is_the_one_sided_p_value():
    """At rope 0 the probability that b is better is the p-value of the one-sided paired t test of a over b."""
    scores = simulated_scores()
    p_value = paired_t_test(scores, alternative="greater", correction="none").data["p_value"]
    np.testing.assert_allclose(bayesian_t(scores).data["p_b_better"], p_value, rtol=1e-10)


@given(st.integers(0, 10_000), st.floats(0, 0.2))
def test_probabilities_sum_to_one_and_swap_with_the_systems(seed, rope):
    """The three probabilities sum to 1, and naming the systems the other way round swaps the outer two."""
    scores = simulated_scores(seed, n_systems=2)
    forwards = bayesian_t(scores, rope=rope).to_frame().iloc[0]
    backwards = bayesian_t(scores.isel(system=[1, 0]), rope=rope).to_frame().iloc[0]
    assert forwards["p_a_better"] + forwards["p_equivalent"] + forwards["p_b_better"] == pytest.approx(1)
    assert forwards["p_a_better"] == pytest.approx(backwards["p_b_better"], abs=1e-12)
    assert forwards["low"] == pytest.approx(-backwards["high"])


def test_a_metric_where_lower_is_better():
    """Turning the direction of a metric swaps who is better and leaves the raw difference and interval alone."""
    up = bayesian_t(simulated_scores())
    down = bayesian_t(simulated_scores(higher_is_better=False))
    np.testing.assert_allclose(up.data["p_a_better"], down.data["p_b_better"])
    for name in ("difference", "low", "high"):
        np.testing.assert_allclose(up.data[name], down.data[name])


def test_degenerate_pairs_have_plain_answers():
    """Equal systems are equivalent for sure; a constant difference is certain; a mean of 0 is undecided."""
    scores = as_scores([[0.1, 0.2, 0.4], [0.1, 0.2, 0.4], [0.2, 0.3, 0.5], [0.2, 0.1, 0.4]])
    found = bayesian_t(scores).to_frame().set_index(["system_a", "system_b"])
    assert found.loc[("system1", "system2"), "p_equivalent"] == 1
    assert found.loc[("system1", "system3"), "p_b_better"] == 1
    assert found.loc[("system1", "system4"), "p_a_better"] == pytest.approx(0.5)


@pytest.mark.parametrize(("options", "word"), [({"rope": -1}, "rope"), ({"ci_prob": 1.0}, "ci_prob")])
def test_refuses_options_outside_their_rule(options, word):
    """The message names the argument."""
    with pytest.raises(InvalidOptionError, match=word):
        bayesian_t(simulated_scores(), **options)
    with pytest.raises(InvalidOptionError, match="probability"):
        bayesian_t(simulated_scores()).discriminative_power(1.5)


@pytest.fixture(scope="module")
def fitted():
    """One fit of the hierarchical model, shared by the tests below."""
    return hierarchical(simulated_scores(), rope=0.01, draws=500, tune=500, chains=4, rng=1)


def test_hierarchical_shrinks_towards_the_others(fitted):
    """The sampled differences follow the closed form's, drawn together by the factor of the one-way random model."""
    scores = simulated_scores()
    closed = bayesian_t(scores).data["difference"].to_numpy().ravel()
    sampled = fitted.data["difference"].to_numpy().ravel()
    slope = float((closed * sampled).sum() / (closed**2).sum())
    assert np.corrcoef(closed, sampled)[0, 1] > 0.99
    assert 0.9 < slope < 1.0


def test_hierarchical_is_read_by_arviz_and_kept_in_a_file(fitted, tmp_path):
    """The posterior goes straight into az.summary, and a saved comparison reloads to the same numbers."""
    summary = az.summary(fitted.posteriors["m"], var_names=["sigma_residual"], round_to="none")
    assert summary["r_hat"].max() < 1.01
    fitted.save(tmp_path / "fit.nc")
    again = BayesianComparison.load(tmp_path / "fit.nc")
    assert again.data.equals(fitted.data)
    assert (again.model, again.rope, again.ci_prob) == ("hierarchical", 0.01, 0.95)
    assert again.posteriors["m"]["posterior"].equals(fitted.posteriors["m"]["posterior"])


def test_hierarchical_says_what_cannot_be_estimated():
    """Equal scores, or no residual, or an unknown metric: an error that says so."""
    with pytest.raises(EstimationError, match="equal"):
        hierarchical(np.full((3, 4), 0.5), rng=0)
    with pytest.raises(EstimationError, match="constant"):
        hierarchical([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]], rng=0)
    with pytest.raises(UnknownNameError, match="no metric"):
        hierarchical(simulated_scores(), metrics=["AP"])
