"""The law of the differences from PyMC: its density against the grid's, one run against the fast way, refusals."""

import arviz as az
import numpy as np
import pytest

from metaeval.errors import EstimationError
from metaeval.models import error_rate_pymc
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.models.error_rate_pymc import law_draws, law_model, sample_law
from metaeval.models.true_differences import SLOPES, describe_pairs, prior_of


def made(seed=1):
    """Eight systems on thirty topics."""
    generator = np.random.default_rng(seed)
    return np.abs(0.5 + 0.1 * generator.normal(size=(8, 1)) + 0.15 * generator.normal(size=(8, 30)))


def test_the_model_has_the_density_of_the_grid():
    """Summed over slopes, and each slope given the scale, PyMC's law is the grid's."""
    pairs = describe_pairs(made())
    grid = prior_of(pairs)
    model = law_model(pairs)
    weights = grid.weight.reshape(-1, len(SLOPES))
    scales = grid.log_scale.reshape(weights.shape)[:, 0]
    density = model.compile_logp(jacobian=False)
    given = model.compile_fn(model.replace_rvs_by_values([model["weight"]])[0], inputs=model.value_vars)
    (name,) = (variable.name for variable in model.value_vars)
    lower, upper = (float(bound.eval()) for bound in model["log_scale"].owner.inputs[-2:])
    for place in (5, 12, 18):
        point = {name: np.log((scales[place] - lower) / (upper - scales[place]))}
        at_peak = {name: np.log((scales[12] - lower) / (upper - scales[12]))}
        expected = np.log(weights[place].sum() / weights[12].sum())
        assert density(point) - density(at_peak) == pytest.approx(expected, abs=1e-8)
        np.testing.assert_allclose(given(point), weights[place] / weights[place].sum(), rtol=1e-8)


def test_pymc_agrees_with_the_fast_way(tmp_path):
    """On the same noise, up to twice the topics, medians agree within 2 % and ends within 5 %; its tree keeps all."""
    options = {"tolerances": [0, 0.05], "rng": 3, "n_draws": 1000}
    fast, sampled = (bayesian_error_rate(made(), method=method, **options) for method in ("fast", "pymc"))
    sizes = [5, 10, 15, 30, 60]
    one, other = fast.curves(sizes), sampled.curves(sizes)
    np.testing.assert_allclose(other["median"], one["median"], rtol=0.02)
    for end in ("low", "high"):
        np.testing.assert_allclose(other[end], one[end], rtol=0.05)
    draws = [result.error_rate(30).to_numpy()[..., 0, 0, 0].ravel() for result in (fast, sampled)]
    assert np.corrcoef(draws)[0, 1] > 0.5  # draw by draw, for the noise is the same
    assert sampled.method == "pymc"
    assert set(sampled.tree["law"].data_vars) == {"log_scale", "weight"}
    np.testing.assert_allclose(sampled.tree["law"]["weight"].sum("slope"), 1.0)
    assert not sampled.tree["sample_stats"]["diverging"].any()
    assert "law" not in fast.tree
    assert (az.summary(sampled.tree["law"].to_dataset()[["log_scale"]], round_to="none")["r_hat"] < 1.01).all()
    sampled.save(tmp_path / "fit.nc")
    assert BayesianErrorRate.load(tmp_path / "fit.nc").minimum_topics().equals(sampled.minimum_topics())


class Sampled:
    """Chains as PyMC would return them, without sampling."""

    def __init__(self, monkeypatch, *, apart=0.0, diverged=0):
        import xarray as xr  # noqa: PLC0415 - only here

        scale = np.random.default_rng(0).normal(-2, 0.3, (4, 300)) + apart * np.arange(4)[:, None]
        weight = np.random.default_rng(1).dirichlet(np.ones(len(SLOPES)), (4, 300))
        diverging = np.arange(1200).reshape(4, 300) < diverged
        self.tree = xr.DataTree.from_dict(
            {
                "posterior": xr.Dataset(
                    {"log_scale": (("chain", "draw"), scale), "weight": (("chain", "draw", "slope"), weight)}
                ),
                "sample_stats": xr.Dataset({"diverging": (("chain", "draw"), diverging)}),
            }
        )
        monkeypatch.setattr("pymc.sample", lambda **_: self.tree)


def test_what_was_sampled_becomes_a_law(monkeypatch):
    """Draws in ascending order of the scale, all worth the same, slopes as often as their weights say."""
    tree = Sampled(monkeypatch).tree
    law = sample_law(describe_pairs(made()), "AP", law_draws(np.random.default_rng(0))).prior
    np.testing.assert_array_equal(law.log_scale, np.sort(tree["posterior"]["log_scale"].to_numpy().ravel()))
    np.testing.assert_allclose(law.weight, 1 / 1200)
    weight = tree["posterior"]["weight"].mean(("chain", "draw")).to_numpy()
    for slope, expected in zip(SLOPES, weight, strict=True):
        assert abs((law.slope == slope).mean() - expected) < 4 * np.sqrt(expected / 1200)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"apart": 0.5}, r"differences under 'AP' well: R-hat 2\.\d+ \(must be at most 1\.01\), 0 divergent .*'fast'"),
        ({"diverged": 3}, r"R-hat 1\.00\d+ .*, 3 divergent transitions; use `method='fast'`"),
    ],
)
def test_chains_that_disagree_or_diverge_are_refused(monkeypatch, fault, message):
    """With the numbers, the metric and the way out."""
    Sampled(monkeypatch, **fault)
    with pytest.raises(EstimationError, match=message):
        sample_law(describe_pairs(made()), "AP", law_draws(np.random.default_rng(0)))


def test_the_limit_of_r_hat_is_told(monkeypatch):
    """Chains that agree are refused under a limit that no chains meet."""
    Sampled(monkeypatch)
    monkeypatch.setattr(error_rate_pymc, "_MAX_RHAT", 0.9)
    with pytest.raises(EstimationError, match=r"R-hat 1\.00\d+ \(must be at most 0\.9\)"):
        bayesian_error_rate(made(), method="pymc", rng=0)
