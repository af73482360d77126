r"""All systems in one model of systems, topics and residuals, by quadrature over the two spreads that are not normal.

Topic effects cancel in a difference of two systems. They are removed exactly, by working with the sufficient
statistics of the balanced table: system means, whose differences have variance :math:`2\sigma_e^2/T`, and the residual
mean square. Given the two spreads everything else is normal, so a posterior is a mixture of normals over a grid.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy.interpolate import CubicSpline
from scipy.optimize.elementwise import find_root
from scipy.special import ndtr

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_share
from metaeval.errors import EstimationError
from metaeval.models.bayesian_comparison import BayesianComparison, Rope, check_rope, comparison_dataset, system_effects
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import in_one_order
from metaeval.running.workers import parallel_map
from metaeval.table.scores import Scores, better_direction, by_name
from metaeval.tests_stat.pairs import Question, ask

_CHAINS, _DRAWS, _TUNE, _TARGET = 4, 1000, 1000, 0.95
_MAX_RHAT = 1.01
_SMALLEST_MEAN_SQUARE = 1e-20
_SHARED_DIGITS = 12  # a chain goes another way for the last digits, which come from the order of additions
_NODES = (64, 16)  # of log spreads of systems and of residuals: the trapezium rule has 10 digits of smooth densities
_ZOOMS = 4
_NEGLIGIBLE = 30.0  # natural log of a density beside its largest
_LEAST_SPREAD, _LARGEST_SPREAD = 1e-9, 12.0  # of scores whose standard deviation is 1
_PAIRS_PER_BLOCK = 512
_SOLVED = 65


class _ReducedScores(NamedTuple):
    """Sufficient statistics of the scores of one metric, divided by their standard deviation."""

    means: Floats
    mean_square: float
    freedom: int
    n_topics: int
    centre: float
    spread: float


class _Nodes(NamedTuple):
    """The posterior of the spreads: of systems, of residuals, and the weight of both."""

    system: Floats
    residual: Floats
    weight: Floats


def hierarchical(  # noqa: PLR0913 - keyword-only
    scores: object,
    *,
    metrics: Sequence[str] | None = None,
    rope: Rope = 0.0,
    confidence_level: float = 0.95,
    method: Literal["quadrature", "pymc"] = "quadrature",
    rng: RNGLike = None,
) -> BayesianComparison:
    r"""Compare all systems in one hierarchical model of systems, topics and residuals.

    Extreme systems are drawn towards the others, the more so the noisier their differences are.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    metrics : sequence of str, optional
        Fit these metrics only; every metric by default, each in a model of its own.
    rope : float or mapping of str to float, default 0
        As in `bayesian_t`.
    confidence_level : float, default 0.95
        Probability of the equal-tailed interval.
    method : {"quadrature", "pymc"}
        A sum over a grid of the two spreads, without draws; or PyMC, half a minute a metric, as a check of it.
    rng : None, int or numpy.random.Generator
        Seed of the sampler.

    Returns
    -------
    BayesianComparison
        Columns: `BayesianComparison.to_frame`. Its ``posteriors`` hold, per metric, the grid or what was sampled;
        ``to_arviz(metric)`` gives draws of either: group ``posterior``, ``system_mean``.

    Raises
    ------
    EstimationError
        If all scores are equal, or systems differ by a constant; or if chains disagree (R-hat above 1.01) or a
        transition diverged: a bad fit is refused, not reported.

    Notes
    -----
    .. math:: y_{it} = \mu + s_i + b_t + e_{it},\quad s_i \sim N(0, \sigma_s),\ b_t \sim N(0, \sigma_b),\
              e_{it} \sim N(0, \sigma_e)

    with scores divided by their standard deviation, :math:`\mu \sim N(0, 1)` and half-normal priors on the spreads
    [1]_. The mean :math:`\bar y_i \sim N(\mu, \sqrt{\sigma_s^2 + \sigma_e^2/T})`, and the residual mean square is
    :math:`\sigma_e^2 \chi^2_\nu/\nu` with :math:`\nu = (N-1)(T-1)`. Given both spreads and
    :math:`\lambda = \sigma_s^2/(\sigma_s^2 + \sigma_e^2/T)` a difference of systems is
    :math:`N(\lambda(\bar y_i - \bar y_j), \sqrt{2 \lambda \sigma_e^2/T})`: its posterior is the mixture over the grid.

    The priors so have the scores' own unit. Where truths are drawn from them in a unit given before, intervals of 90 %
    still hold 90 % of the differences, and :math:`\sigma_s` comes out somewhat too large: 7 % of the truths lie below
    its interval and 4 % above (``benchmarks/reports/simulation_based_calibration.md``).

    References
    ----------
    .. [1] Carterette (2015). Bayesian inference for information retrieval evaluation. ICTIR.
       :doi:`10.1145/2808194.2809469`

    Examples
    --------
    >>> found = hierarchical([[0.3, 0.5, 0.9, 0.4], [0.2, 0.3, 0.6, 0.2], [0.2, 0.4, 0.7, 0.2]], rope=0.01)
    >>> found.to_frame()[["difference", "p_a_better"]].round(3).to_numpy().tolist()
    [[0.181, 0.991], [0.136, 0.984], [-0.045, 0.088]]
    """
    check_share(confidence_level, "confidence_level")
    check_choice(method, "method", ("quadrature", "pymc"))
    question = ask(scores)
    names = question.scores["metric"].to_numpy().tolist()
    for name in metrics or ():
        check_choice(name, "metric", names)
    places = [names.index(name) for name in metrics] if metrics else list(range(len(names)))
    widths = check_rope(rope, [names[index] for index in places])
    chosen = ask(question.scores.isel(metric=places))
    seed = int(resolve_rng(rng).generator.integers(2**31))
    tables = [chosen.scores.isel(metric=place) for place in range(len(places))]
    fit, seeds = (_sampled, (seed,)) if method == "pymc" else (_integrated, ())
    trees = parallel_map(fit, tables, shared=seeds, description="Fitting the hierarchical model")
    summarise = _of_draws if method == "pymc" else _of_nodes
    asked = zip(trees, better_direction(chosen.scores).tolist(), widths.values(), strict=True)
    with in_one_order:
        summaries = [summarise(tree, sign, chosen, width, confidence_level) for tree, sign, width in asked]
    centre, low, high, p_a, p_b = (np.stack(arrays) for arrays in zip(*summaries, strict=True))
    return BayesianComparison(
        data=comparison_dataset(chosen, centre, low, high, p_a, p_b),
        model="hierarchical",
        rope=widths,
        confidence_level=confidence_level,
        n_topics=question.n_topics,
        posteriors=dict(zip(widths, trees, strict=True)),
    )


def _statistics(scores: Scores) -> _ReducedScores:
    """Reduce the scores (system, topic) of one metric, or refuse what holds no difference or no residual."""
    metric, values = scores["metric"].item(), scores.to_numpy()
    n_systems, n_topics = values.shape
    centre, spread = float(values.mean()), float(values.std())
    if spread <= RELATIVE * np.abs(values).max():
        raise EstimationError(f"all scores under {metric!r} are equal; there is nothing to compare")
    scaled = (values - centre) / spread
    residual = scaled - scaled.mean(axis=1, keepdims=True) - scaled.mean(axis=0)
    freedom = (n_systems - 1) * (n_topics - 1)
    mean_square = float((residual**2).sum() / freedom)
    if mean_square <= _SMALLEST_MEAN_SQUARE:
        raise EstimationError(f"systems differ by a constant on every topic under {metric!r}: no residual to estimate")
    return _ReducedScores(scaled.mean(axis=1), mean_square, freedom, n_topics, centre, spread)


def _log_density(table: _ReducedScores, log_system: Floats, log_residual: Floats) -> Floats:
    """Return the posterior density of the logarithms of both spreads, up to a constant."""
    system, residual = np.exp(2 * log_system), np.exp(2 * log_residual)
    n_systems, variance = len(table.means), system + residual / table.n_topics
    mean = table.means.mean()
    apart = ((table.means - mean) ** 2).sum()
    of_means = (n_systems - 1) * np.log(variance) + np.log(variance + n_systems) + apart / variance
    of_means = of_means + n_systems * mean**2 / (variance + n_systems)
    of_residuals = table.freedom * (2 * log_residual + table.mean_square / residual)
    return -0.5 * (of_means + of_residuals + system + residual) + log_system + log_residual


def _nodes(table: _ReducedScores) -> _Nodes:
    """Find where the spreads are probable, and sum there by the trapezium rule."""
    low = np.log([_LEAST_SPREAD, np.sqrt(table.mean_square) * _LEAST_SPREAD**0.5])
    high = np.log([_LARGEST_SPREAD] * 2)
    for _ in range(_ZOOMS + 1):
        axes = [np.linspace(*ends) for ends in zip(low, high, _NODES, strict=True)]
        density = _log_density(table, axes[0][:, None], axes[1])
        density = density - density.max()
        for axis in (0, 1):
            likely = np.flatnonzero(density.max(axis=1 - axis) > -_NEGLIGIBLE)
            first, last = max(likely[0] - 1, 0), min(likely[-1] + 1, _NODES[axis] - 1)
            low[axis], high[axis] = axes[axis][first], axes[axis][last]
    weight = np.exp(density)
    used = weight > np.exp(-_NEGLIGIBLE) * weight.max()
    system, residual = (np.exp(values)[used] for values in np.meshgrid(*axes, indexing="ij"))
    return _Nodes(system, residual, weight[used] / weight[used].sum())


def _of_nodes(
    tree: xr.DataTree, sign: float, question: Question, rope: float, confidence_level: float
) -> tuple[Floats, ...]:
    """Summarise the posterior differences of all pairs: mean, interval, and the probabilities beyond the limits."""
    grid = tree["grid"].to_dataset()
    weight, spread = grid["weight"].to_numpy(), grid.attrs["spread"]
    within = grid["sigma_residual"].to_numpy() ** 2 / question.n_topics
    between = grid["sigma_system"].to_numpy() ** 2
    shrinkage = between / (between + within)
    error = np.sqrt(2 * shrinkage * within) * spread
    means = sign * spread * grid["mean"].to_numpy()
    differences = means[question.first] - means[question.second]
    sizes = np.abs(differences)  # which system stands first moves no node of the grid
    tail = (1 - confidence_level) / 2
    reach, density = 10 * error.max(), weight / (error * np.sqrt(2 * np.pi))

    def below(value: Floats, difference: Floats, chance: Floats | float = 0.0) -> Floats:
        return ndtr((value[:, None] - difference[:, None] * shrinkage) / error) @ weight - chance

    def end(chance: float) -> Floats:
        """Solve for a quantile on a grid of differences, along a smooth curve, with a step of Newton's for each."""
        few = np.linspace(sizes.min() - reach / 10, sizes.max() + reach / 10, _SOLVED)
        ends = np.minimum(0.0, few) - reach, np.maximum(0.0, few) + reach
        solved = find_root(below, ends, args=(few, np.full_like(few, chance))).x
        value = CubicSpline(few, solved)(sizes)
        slope = in_blocks(
            lambda at, of: np.exp(-0.5 * ((at[:, None] - of[:, None] * shrinkage) / error) ** 2) @ density, value
        )
        return value - (in_blocks(below, value) - chance) / slope

    def in_blocks(function: Callable[[Floats, Floats], Floats], value: Floats, of: Floats = sizes) -> Floats:
        blocks = [slice(start, start + _PAIRS_PER_BLOCK) for start in range(0, len(of), _PAIRS_PER_BLOCK)]
        return np.concatenate([function(value[block], of[block]) for block in blocks])

    limit = np.full_like(differences, rope)
    better, worse = 1 - in_blocks(below, limit, differences), in_blocks(below, -limit, differences)
    low, high = end(tail), end(1 - tail)
    behind = differences < 0
    ends = np.where(behind, -high, low), np.where(behind, -low, high)
    return differences * (shrinkage @ weight), *ends, better, worse


def _of_draws(
    tree: xr.DataTree, sign: float, question: Question, rope: float, confidence_level: float
) -> tuple[Floats, ...]:
    """Summarise the same from samples."""
    drawn = tree["posterior"]["system_mean"].sel(system=question.scores["system"].to_numpy())
    means = drawn.stack(sample=("chain", "draw")).transpose("sample", "system")
    samples = sign * means.to_numpy()
    parts = []
    for start in range(0, len(question.first), _PAIRS_PER_BLOCK):
        block = slice(start, start + _PAIRS_PER_BLOCK)
        differences = samples[:, question.first[block]] - samples[:, question.second[block]]
        low, high = np.quantile(differences, [(1 - confidence_level) / 2, (1 + confidence_level) / 2], axis=0)
        better, worse = (differences > rope).mean(axis=0), (differences < -rope).mean(axis=0)
        parts.append((differences.mean(axis=0), low, high, better, worse))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _integrated(scores: Scores) -> xr.DataTree:
    """Return the grid of the spreads for one metric, as `BayesianComparison.to_arviz` draws from it."""
    table = _statistics(scores)
    nodes = _nodes(table)
    grid = xr.Dataset(
        {
            "weight": ("node", nodes.weight),
            "sigma_system": ("node", nodes.system),
            "sigma_residual": ("node", nodes.residual),
            "mean": ("system", table.means),
        },
        coords={"system": scores["system"].to_numpy()},
        attrs={"centre": table.centre, "spread": table.spread, "n_topics": table.n_topics},
    )
    return xr.DataTree.from_dict({"grid": grid})


def _sampled(scores: Scores, seed: int) -> Any:  # noqa: ANN401 - an xarray.DataTree
    """Sample the same model of the scores (system, topic) of one metric with PyMC, or refuse."""
    import pymc as pm  # noqa: PLC0415 - loads when needed

    scores = by_name(scores, "system")
    table, metric = _statistics(scores), scores["metric"].item()
    means = np.round(table.means, _SHARED_DIGITS)
    mean_square = float(f"{table.mean_square:.{_SHARED_DIGITS}g}")
    settings = {"draws": _DRAWS, "tune": _TUNE, "chains": _CHAINS, "nuts": {"target_accept": _TARGET}}
    with pm.Model(coords={"system": scores["system"].to_numpy()}):
        grand = pm.Normal("grand_mean", 0.0, 1.0)
        sigma_system = pm.HalfNormal("sigma_system", 1.0)
        sigma_residual = pm.HalfNormal("sigma_residual", 1.0)
        about = pm.math.sqrt(sigma_system**2 + sigma_residual**2 / table.n_topics)  # system effects integrated out
        pm.Normal("means", grand, about, observed=means, dims="system")
        rate = table.freedom / (2 * sigma_residual**2)
        pm.Gamma("mean_square", alpha=table.freedom / 2, beta=rate, observed=mean_square)
        tree = pm.sample(**settings, cores=1, random_seed=seed, progressbar=False, quiet=True)
    posterior = tree["posterior"].dataset
    observed = xr.DataArray(means, coords={"system": scores["system"].to_numpy()}, dims="system")
    effect = system_effects(posterior, observed, table.n_topics, np.random.default_rng(seed))
    tree["posterior"] = xr.DataTree(posterior.assign(system_mean=effect * table.spread + table.centre))
    _refuse_bad_fit(tree, metric)
    return tree


def _refuse_bad_fit(tree: Any, metric: str) -> None:  # noqa: ANN401 - see _sampled
    import arviz as az  # noqa: PLC0415 - slow to import

    worst = float(az.summary(tree, var_names=["system_mean", "sigma_system"], round_to="none")["r_hat"].max())
    diverged = int(tree["sample_stats"]["diverging"].sum())
    if diverged or not worst <= _MAX_RHAT:
        raise EstimationError(
            f"the hierarchical model of {metric!r} did not fit: largest R-hat {worst:.3f} (must be at most "
            f"{_MAX_RHAT}), {diverged} divergent transitions; use `method='quadrature'`, which needs no sampling"
        )
