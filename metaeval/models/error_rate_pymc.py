"""The common law of the differences sampled with PyMC: a second road to it, and the place to change a prior."""

from typing import Any, NamedTuple

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.errors import EstimationError
from metaeval.models.true_differences import SLOPES, PairStatistics, Prior, apart, scales_for, standardised

_MAX_RHAT = 1.01
_CHAINS, _DRAWS = 4, 800


class SampledLaw(NamedTuple):
    """A law as the grid has it, and what PyMC sampled (an xarray.DataTree)."""

    prior: Prior
    tree: Any


def law_model(pairs: PairStatistics) -> Any:  # noqa: ANN401 - a pymc.Model
    r"""Return the PyMC model of the law of u, its slope marginalised.

    Notes
    -----
    ``log_scale`` is :math:`\mu` of `metaeval.models.error_rate_model.bayesian_error_rate`, with the same bounds and the
    same flat prior on its exponential; ``weight`` is the posterior of every slope given it. The composite
    likelihood, a power of that of all pairs, is a potential. Nothing here sees the draws of the noise: the cut.
    """
    import pymc as pm  # noqa: PLC0415 - loads when needed
    import pytensor.tensor as pt  # noqa: PLC0415 - likewise

    u, logs, n_topics, worth = standardised(pairs)
    scales = scales_for(u)
    steps = np.exp(np.array(SLOPES)[:, None] * logs)
    with pm.Model(coords={"slope": list(SLOPES)}) as model:
        log_scale = pm.Uniform("log_scale", scales[0], scales[-1])
        variance = pt.exp(log_scale) * steps + 1.0 / n_topics
        likelihood = worth * pm.math.logaddexp(-0.5 * (u**2 / variance + pt.log(variance)), apart(u)).sum(axis=-1)
        pm.Deterministic("weight", pm.math.softmax(likelihood), dims="slope")
        pm.Potential("law", pm.math.logsumexp(likelihood) + log_scale)  # the last: flat on the variance, not its log
    return model


def law_draws(generator: np.random.Generator) -> tuple[int, Floats]:
    """Return what `sample_law` draws of one metric: the seed of the sampler, and a chance for every draw it keeps."""
    return int(generator.integers(2**31)), generator.random((_CHAINS * _DRAWS, 1))


def sample_law(pairs: PairStatistics, metric: str, draws: tuple[int, Floats]) -> SampledLaw:
    """Sample the law of one metric, with what `law_draws` returned."""
    import arviz as az  # noqa: PLC0415 - slow to import
    import pymc as pm  # noqa: PLC0415 - loads when needed

    settings = {"chains": _CHAINS, "draws": _DRAWS, "tune": 300, "progressbar": False, "quiet": True}
    seed, chances = draws
    with law_model(pairs):
        tree = pm.sample(**settings, cores=1, random_seed=seed)
    worst = float(az.rhat(tree["posterior"].to_dataset()[["log_scale"]])["log_scale"])
    diverged = int(tree["sample_stats"]["diverging"].sum())
    if diverged or not worst <= _MAX_RHAT:
        raise EstimationError(
            f"PyMC did not sample the differences under {metric!r} well: R-hat {worst:.4f} (must be at most "
            f"{_MAX_RHAT}), {diverged} divergent transitions; use `method='fast'`, which needs no sampling"
        )
    posterior = tree["posterior"]
    scale = posterior["log_scale"].to_numpy().ravel()
    bounds = np.cumsum(posterior["weight"].to_numpy().reshape(len(scale), -1), axis=1)
    chosen = (bounds < chances[: len(bounds)] * bounds[:, -1:]).sum(axis=1)
    order = np.argsort(scale, kind="stable")
    slope = np.array(SLOPES)[chosen]
    return SampledLaw(Prior(scale[order], slope[order], np.full(len(scale), 1.0 / len(scale))), tree)
