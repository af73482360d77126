"""Bayesian comparison of systems: closed form against SciPy, laws, refusals, and the sampled model."""

import arviz as az
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.models import hierarchical
from metaeval.models.bayesian_comparison import BayesianComparison, bayesian_t
from metaeval.table.scores import as_scores
from metaeval.tests_stat.paired_t import paired_t_test


def simulated_scores(seed=3, n_systems=6, n_topics=25, **options):
    rng = np.random.default_rng(seed)
    values = 0.3 + 0.1 * rng.normal(size=(n_systems, 1)) + 0.2 * rng.normal(size=(1, n_topics))
    values = values + 0.1 * rng.normal(size=(n_systems, n_topics))
    return as_scores(values, metrics=["m"], **options)


def test_equals_the_posterior_pair_by_pair():
    """Every probability and bound is that of Student's distribution around the pair's mean difference."""
    scores = simulated_scores()
    found = bayesian_t(scores, rope=0.02, confidence_level=0.9).to_frame()
    values = scores.sel(metric="m")
    for row in found.itertuples():
        z = (values.sel(system=row.system_a) - values.sel(system=row.system_b)).to_numpy()
        posterior = stats.t(len(z) - 1, loc=z.mean(), scale=stats.sem(z))
        assert row.p_a_better == pytest.approx(posterior.sf(0.02), rel=1e-10)
        assert row.p_b_better == pytest.approx(posterior.cdf(-0.02), rel=1e-10)
        assert (row.low, row.high) == pytest.approx(posterior.interval(0.9), rel=1e-10)


def test_students_sleep_data():
    """R's `t.test(extra ~ group, data = sleep, paired = TRUE)`: p-value 0.002833, interval -2.4598858 to -0.7001142."""
    group1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    group2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    row = bayesian_t([group1, group2]).to_frame().iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)
    assert 2 * row["p_a_better"] == pytest.approx(0.002833, abs=5e-7)


def test_no_interval_is_named_where_there_is_none():
    """Differences that are all alike have no interval; others have one."""
    same = bayesian_t({"a": [0.5, 0.6, 0.7], "b": [0.4, 0.5, 0.6]})
    assert "(difference 0.100)" in str(same)
    assert "interval" not in str(same)
    assert "95 % interval)" in str(bayesian_t({"a": [0.5, 0.6, 0.8], "b": [0.4, 0.5, 0.6]}))


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


@given(st.integers(0, 10_000), st.floats(0, 0.2), st.floats(0, 0.2))
def test_a_wider_region_never_makes_equality_less_probable(seed, width, more):
    """Nor does it make either system more probably better."""
    scores = simulated_scores(seed, n_systems=3)
    narrow, wide = (bayesian_t(scores, rope=one).data for one in (width, width + more))
    assert (wide["p_equivalent"] >= narrow["p_equivalent"] - 1e-12).all()
    assert (wide["p_a_better"] <= narrow["p_a_better"] + 1e-12).all()


def test_every_metric_may_have_a_region_of_its_own():
    """Each is answered as if it were alone; one without a width, or a metric that there is not, is refused."""
    rng = np.random.default_rng(2)
    scores = as_scores(rng.random((2, 4, 20)), metrics=["x", "y"])
    both = bayesian_t(scores, rope={"y": 0.1, "x": 0.02})
    for metric, width in (("x", 0.02), ("y", 0.1)):
        alone = bayesian_t(scores.sel(metric=[metric]), rope=width)
        np.testing.assert_array_equal(both.data.sel(metric=[metric])["p_equivalent"], alone.data["p_equivalent"])
    assert both.rope == {"x": 0.02, "y": 0.1}
    with pytest.raises(InvalidOptionError, match="rope says nothing of y"):
        bayesian_t(scores, rope={"x": 0.1})
    with pytest.raises(UnknownNameError, match="no metric 'z'"):
        bayesian_t(scores, rope={"x": 0.1, "y": 0.1, "z": 0.1})


def test_decided_pairs_are_counted_one_by_one():
    """A literal count of the rows whose probability is above the level; every pair is of one kind."""
    found = bayesian_t(simulated_scores(), rope=0.05)
    counts, rows = found.discriminative_power(0.9).iloc[0], found.to_frame()
    for name in ("a_better", "equivalent", "b_better"):
        assert counts[f"n_{name}"] == sum(value > 0.9 for value in rows[f"p_{name}"])
    assert counts["n_apart"] + counts["n_equivalent"] + counts["n_undecided"] == counts["n_pairs"] == 15


def test_the_closed_form_opens_in_arviz():
    """Its draws have the means, spreads and probabilities of the posterior they are drawn from."""
    found = bayesian_t(simulated_scores(), rope=0.02)
    tree = found.to_arviz("m", n_draws=5000, rng=1)
    drawn = tree["posterior"]["difference"]
    rows = found.to_frame()
    assert drawn["pair"].to_numpy().tolist()[0] == "system1 - system2"
    np.testing.assert_allclose(drawn.mean(("chain", "draw")), rows["difference"], atol=0.003)
    np.testing.assert_allclose((drawn > 0.02).mean(("chain", "draw")), rows["p_a_better"], atol=0.015)
    np.testing.assert_allclose(drawn.quantile(0.975, ("chain", "draw")), rows["high"], atol=0.005)
    assert az.summary(tree, round_to="none")["r_hat"].max() < 1.01
    with pytest.raises(UnknownNameError, match="no metric 'AP'"):
        found.to_arviz("AP")


def test_a_metric_where_lower_is_better():
    """Turning the direction of a metric swaps who is better and leaves the raw difference and interval alone."""
    up = bayesian_t(simulated_scores())
    down = bayesian_t(simulated_scores(higher_is_better=False))
    np.testing.assert_allclose(up.data["p_a_better"], down.data["p_b_better"])
    for name in ("difference", "low", "high"):
        np.testing.assert_allclose(up.data[name], down.data[name])


def test_degenerate_pairs_have_plain_answers():
    """What is the same on three topics may be luck as often as three signs are; a mean of 0 is undecided."""
    scores = as_scores([[0.1, 0.2, 0.4], [0.1, 0.2, 0.4], [0.2, 0.3, 0.5], [0.2, 0.1, 0.4]])
    found = bayesian_t(scores, rope=0.01).to_frame().set_index(["system_a", "system_b"])
    assert found.loc[("system1", "system2"), "p_equivalent"] == 1 - 2 / 8
    assert found.loc[("system1", "system3"), "p_b_better"] == 1 - 1 / 8
    assert found.loc[[("system1", "system2"), ("system1", "system3")], ["low", "high"]].isna().all(axis=None)
    apart = bayesian_t(scores).to_frame().set_index(["system_a", "system_b"])
    assert apart.loc[("system1", "system4"), "p_a_better"] == pytest.approx(0.5)


@pytest.mark.parametrize(("options", "word"), [({"rope": -1}, "rope"), ({"confidence_level": 1.0}, "confidence_level")])
def test_refuses_options_outside_their_rule(options, word):
    """The message names the argument."""
    with pytest.raises(InvalidOptionError, match=word):
        bayesian_t(simulated_scores(), **options)
    with pytest.raises(InvalidOptionError, match="probability"):
        bayesian_t(simulated_scores()).discriminative_power(1.5)


@pytest.fixture(scope="module")
def fitted():
    """One fit of the hierarchical model, shared by the tests below."""
    return hierarchical(simulated_scores(), rope=0.01)


def test_hierarchical_shrinks_towards_the_others(fitted):
    """The sampled differences follow the closed form's, drawn together by the factor of the one-way random model."""
    scores = simulated_scores()
    closed = bayesian_t(scores).data["difference"].to_numpy().ravel()
    sampled = fitted.data["difference"].to_numpy().ravel()
    slope = float((closed * sampled).sum() / (closed**2).sum())
    assert np.corrcoef(closed, sampled)[0, 1] > 0.99
    assert 0.9 < slope < 1.0


def test_hierarchical_is_read_by_arviz_and_kept_in_a_file(fitted, tmp_path):
    """Draws of the posterior go straight into az.summary, and a saved comparison reloads to the same numbers."""
    summary = az.summary(fitted.to_arviz("m", rng=1), var_names=["sigma_residual"], round_to="none")
    assert summary["r_hat"].max() < 1.01
    fitted.save(tmp_path / "fit.nc")
    again = BayesianComparison.load(tmp_path / "fit.nc")
    assert again.data.equals(fitted.data)
    assert (again.model, again.rope, again.confidence_level) == ("hierarchical", {"m": 0.01}, 0.95)
    assert again.n_topics == fitted.n_topics == 25
    assert again.to_arviz("m", rng=1)["posterior"].equals(fitted.to_arviz("m", rng=1)["posterior"])


def literal_posterior(values, *, n_grand=81, n_within=60):
    """Posterior of the grand mean and both spreads on a grid, as its axes and weights, and the means of the systems."""
    n_systems, n_topics = values.shape
    spread = values.std()
    scaled = (values - values.mean()) / spread
    means = scaled.mean(axis=1)
    residual = scaled - means[:, None] - scaled.mean(axis=0)
    freedom = (n_systems - 1) * (n_topics - 1)
    mean_square = (residual**2).sum() / freedom
    grand, between, within = np.ix_(
        np.linspace(-2, 2, n_grand), np.linspace(0.005, 3, 150), np.linspace(0.2, 1.2, n_within)
    )
    error = within**2 / n_topics
    density = stats.norm.logpdf(grand) + stats.norm.logpdf(between) + stats.norm.logpdf(within)
    density = density + stats.gamma.logpdf(mean_square, freedom / 2, scale=2 * within**2 / freedom)
    for mean in means:
        density = density + stats.norm.logpdf(mean, grand, np.sqrt(between**2 + error))
    weights = np.exp(density - density.max())
    kept = between**2 / (between**2 + error)
    total = [(weights * (grand + kept * (mean - grand))).sum() for mean in means]
    spreads = {
        "sigma_system": (between.ravel(), weights.sum(axis=(0, 2))),
        "sigma_residual": (within.ravel(), weights.sum(axis=(0, 1))),
    }
    return spreads, np.array(total) / weights.sum() * spread + values.mean()


def test_draws_of_the_spreads_are_those_of_a_sum_over_a_grid(fitted):
    """They have the law of a literal sum, by Kolmogorov and Smirnov's test: nodes as draws are far apart."""
    spreads, _ = literal_posterior(simulated_scores().to_numpy()[0], n_grand=41, n_within=600)
    drawn = fitted.to_arviz("m", n_draws=1000, rng=1)["posterior"]
    for name, (values, weights) in spreads.items():
        below = (weights.cumsum() - weights / 2) / weights.sum()
        found = stats.kstest(drawn[name].to_numpy().ravel(), lambda x, at=values, cdf=below: np.interp(x, at, cdf))
        assert found.pvalue > 1e-3, name


def test_hierarchical_equals_a_sum_over_a_grid(fitted):
    """Differences are those of a literal sum over grand mean and both spreads, and draws have its means of systems."""
    _, literal = literal_posterior(simulated_scores().to_numpy()[0])
    first, second = np.triu_indices(len(literal), 1)
    np.testing.assert_allclose(fitted.data["difference"][0], literal[first] - literal[second], atol=2e-5)
    drawn = fitted.to_arviz("m", n_draws=4000, rng=1)["posterior"]["system_mean"].mean(("chain", "draw"))
    np.testing.assert_allclose(drawn, literal, atol=0.002)


@pytest.mark.parametrize("shape", [(2, 2), (2, 40), (3, 4), (12, 25)])
def test_intervals_and_probabilities_are_those_of_many_draws(shape):
    """Two systems, two topics, and tables of usual size: within four Monte-Carlo errors of 400,000 draws."""
    generator = np.random.default_rng(sum(shape))
    scores = as_scores(generator.normal(0.4, 0.1, shape) + generator.normal(0, 0.04, (shape[0], 1)), metrics=["m"])
    found = hierarchical(scores, rope=0.02, confidence_level=0.9)
    drawn = found.to_arviz("m", n_draws=100_000, rng=3)["posterior"]["system_mean"].to_numpy().reshape(-1, shape[0])
    apart = drawn[:, 0] - drawn[:, 1]
    row = found.to_frame().iloc[0]
    for column, share in (("p_a_better", apart > 0.02), ("p_b_better", apart < -0.02)):
        assert row[column] == pytest.approx(share.mean(), abs=4 * np.sqrt(0.25 / len(apart)))
    for column, tail in (("low", 0.05), ("high", 0.95)):
        assert (apart < row[column]).mean() == pytest.approx(tail, abs=4 * np.sqrt(0.05 * 0.95 / len(apart)))


def test_pymc_samples_the_same_model():
    """What PyMC samples of the same table lies within Monte-Carlo error of the quadrature."""
    scores = simulated_scores()
    exact, sampled = (hierarchical(scores, rope=0.01, method=method, rng=1).data for method in ("quadrature", "pymc"))
    for name, tolerance in (("difference", 0.002), ("low", 0.006), ("high", 0.006), ("p_a_better", 0.03)):
        np.testing.assert_allclose(exact[name], sampled[name], atol=tolerance)


def test_equal_systems_fit_and_are_found_equal():
    """Systems that are equal in truth are drawn together: more pairs are practically equal than pair by pair."""
    scores = as_scores(np.random.default_rng(4).normal(0.4, 0.1, size=(8, 40)), metrics=["m"])
    together = hierarchical(scores, rope=0.03).discriminative_power()
    alone = bayesian_t(scores, rope=0.03).discriminative_power()
    assert together["n_apart"].item() == 0
    assert together["n_equivalent"].item() > alone["n_equivalent"].item()


def test_hierarchical_says_what_cannot_be_estimated():
    """Equal scores, or no residual, or an unknown metric: an error that says so."""
    with pytest.raises(EstimationError, match="equal"):
        hierarchical(np.full((3, 4), 0.5))
    with pytest.raises(EstimationError, match="constant"):
        hierarchical([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    with pytest.raises(UnknownNameError, match="no metric"):
        hierarchical(simulated_scores(), metrics=["AP"])


def test_the_answer_names_the_pair_its_probability_and_its_interval():
    """Of one pair SciPy's t: P(d > 0), the mean difference and its interval; of several the surest and how many."""
    old, new = [0.3, 0.5, 0.9, 0.7], [0.2, 0.3, 0.6, 0.8]
    gain = np.subtract(old, new)
    error = gain.std(ddof=1) / 2
    low, high = gain.mean() + np.array([-1, 1]) * stats.t.ppf(0.975, 3) * error
    found = bayesian_t(as_scores({"old": old, "new": new}))
    sure = stats.t.cdf(gain.mean() / error, 3)
    assert found.answer == (
        f"old is better than new under metric1 with probability {sure:.4f} (difference {gain.mean():.3f} "
        f"[−{-low:.3f}, {high:.3f}], 95 % interval)."  # noqa: RUF001 - a true minus
    )
    assert repr(found).startswith(f"BayesianComparison: {found.answer[:60]}")
    turned = bayesian_t(as_scores({"new": new, "old": old}, higher_is_better=False)).answer
    said = f"new is better than old under metric1 with probability {sure:.4f} (difference −{gain.mean():.3f} ["  # noqa: RUF001
    assert turned.startswith(said)
    several = bayesian_t(as_scores({"a": [0.1, 0.2, 0.1, 0.3], "b": [0.5, 0.7, 0.5, 0.8], "c": [0.5, 0.6, 0.6, 0.8]}))
    said = "of 3 pairs one is better with a probability above 0.95 in 2 under metric1; the surest: "
    assert several.answer.startswith(said)
    alike = bayesian_t(as_scores({"a": old, "b": old}))
    assert alike.answer.startswith("a and b are equivalent under metric1 with probability 0.8750")  # 1 - 2 / 2**4


def test_nothing_is_equivalent_where_no_difference_counts_as_such():
    """At rope 0 the two sides of a continuous posterior add up to 1: what is left is rounding, and 0."""
    for model in (bayesian_t, hierarchical):
        found = model(simulated_scores()).to_frame()
        assert (found["p_equivalent"] == 0).all()


def test_one_metric_need_not_be_named():
    """Where there are several, an error lists them."""
    found = bayesian_t(simulated_scores())
    assert found.to_arviz(rng=1).identical(found.to_arviz("m", rng=1))
    both = bayesian_t(as_scores(np.random.default_rng(1).random((2, 3, 6)), metrics=["AP", "RR"]))
    with pytest.raises(InvalidOptionError, match="there are AP, RR; name one, such as `metric='AP'`"):
        both.to_arviz()
