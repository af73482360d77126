"""Bayesian model of the error rate: how many topics are enough, and how sure that answer is.

No swap is counted and no curve is fitted (see `metaeval.models.true_differences` for what is); the counts stand
beside it as a check.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_error_rate, check_share, refused
from metaeval.base.unit import unit
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.models import true_differences
from metaeval.models.error_rate_check import REPLICATES, Check
from metaeval.models.error_rate_posterior import BayesianErrorRate, ErrorRateDraws, arviz_posterior
from metaeval.models.expected_rates import SIZES, expected_rates
from metaeval.resampling.swap import ErrorRates, ToleranceUnit, swap_method
from metaeval.resampling.topic_sets import TopicSetLayout, lay_out
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import limit_threads
from metaeval.running.workers import parallel_map

if TYPE_CHECKING:
    from metaeval.table.scores import Scores

Method = Literal["fast", "pymc"]

_CHECKED = 8
"""Sizes at which the model is compared with the counts."""
_DRAWS, _FEW_DRAWS, _MANY_PAIRS = 1000, 400, 2000
_BLOCK = 25
"""Draws computed together, to bound memory; a multiple of it is as fast as can be."""


def bayesian_error_rate(  # noqa: PLR0913 - the settings of a model
    scores: object,
    *,
    tolerances: Sequence[float] = (0.0,),
    tolerance_unit: ToleranceUnit = "relative",
    method: Method = "fast",
    max_error: float = 0.05,
    confidence_level: float = 0.9,
    n_draws: int | None = None,
    observed: ErrorRates | None = None,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> BayesianErrorRate:
    r"""Estimate how many topics each metric needs by a Bayesian model, with calibrated intervals.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    tolerances : sequence of float, default (0,)
        The leads by which a system must win on both topic sets.
    tolerance_unit : {"relative", "absolute"}
        As in `metaeval.resampling.swap.swap_method`.
    method : {"fast", "pymc"}
        How the common law of the pairs is sampled: on a grid, or with PyMC (see `metaeval.models.error_rate_pymc`).
        Both are cut: the draws of the noise do not see what the differences say about them.
    max_error : float, default 0.05
        Error rate the minimum topic count keeps to.
    confidence_level : float, default 0.9
        Probability of the equal-tailed intervals.
    n_draws : int, optional
        1000 by default, and 400 where there are more than 2000 pairs of systems, whose mean varies less.
    observed : ErrorRates, optional
        Counted swaps to hold the model against; counted here by default.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores to use; the answer does not depend on it.

    Returns
    -------
    BayesianErrorRate
        All metrics share the draws of the topics, so that they can be compared. One row a ``metric`` and ``tolerance``
        in ``to_frame()``: topics needed, ``median`` with ``low`` and ``high`` (infinite past a million), ``p_enough``,
        the probability (0 to 1) that those at hand are, and whether the median is ``extrapolated``. A metric that says
        too little is named in ``not_estimated``: its figures are missing, and ``note`` says why.

    Raises
    ------
    EstimationError
        If no metric can be estimated, or `observed` was counted on sets that share topics.
    InvalidOptionError, ScoresError
        For an option outside its rule, and as `metaeval.resampling.swap.swap_method`.

    See Also
    --------
    metaeval.resampling.swap.swap_method : the counts
    metaeval.models.curves.compare_curves : curves fitted to them

    Notes
    -----
    With :math:`\bar d` the difference of a pair's means over T topics, :math:`\sigma^2` its variance on one topic and
    :math:`\delta` the true one, :math:`u = \delta / \sigma` has the prior

    .. math:: u \sim N(0, \kappa^2), \quad \log \kappa^2 = \mu + \eta\, \ell,

    :math:`\ell` being :math:`\log \sigma^2` less its mean over pairs; :math:`e^\mu` is flat (Stein's prior [1]_, whose
    intervals keep their level for few groups too [2]_), η is uniform on a short grid. Three pairs in a thousand
    may lie anywhere among those seen, so that a system far from all others does not decide how far these are apart:
    :math:`f(\bar d/\sigma) = .997\, N(\bar d/\sigma; 0, \kappa^2 + 1/T) + .003 / (2 \max |\bar d/\sigma|)`. The
    likelihood of all pairs, :math:`\prod f(\bar d/\sigma)`, is raised to :math:`m / \binom N2`, m being the number of
    independent differences that they are worth [3]_: one over the mean squared cosine of two topics' residuals, which
    is N - 1 where systems err alone and less where they err alike, and is taken to be 3 at least. Given κ, u is normal
    about the shrunken difference, with errors made from the residuals, one set of random signs and sizes for all
    pairs. The :math:`\sigma^2` come from Dirichlet
    weights over the topics [4]_; their logarithms are drawn towards the mean by the share that is sampling error, and
    all are multiplied by :math:`(E[v] / \bar v)^{\psi^2 / (2 + \psi^2)}`, v being a topic's mean square residual and
    E[v] its mean under a log-normal law whose median is that of the sample and whose log variance ψ² is that of the
    upper half: the loudest topics are missing from most samples. Then

    .. math:: p(n) = \overline{2\, \Phi(\sqrt n\, u_{ab})\, \Phi(\sqrt n\, u_{ba})},

    at a relative tolerance t with :math:`u_{ab} = ((1-t)\mu_a - \mu_b) / \mathrm{sd}((1-t)x_a - x_b)`, at an absolute
    one with :math:`(\delta - t)/\sigma`. An exact tie is half an error. Systems equal on every topic are left out.

    The likelihood is no exact one. Where systems differ by the law above and topics by a normal one, intervals of 90 %
    hold 91 % of the topics needed (``benchmarks/reports/simulation_based_calibration.md``).

    References
    ----------
    .. [1] Stein (1981). Estimation of the mean of a multivariate normal distribution. Annals of Statistics 9.
       :doi:`10.1214/aos/1176345632`
    .. [2] Morris and Tang (2011). Estimating random effects via adjustment for density maximization. Statistical
       Science 26. :doi:`10.1214/10-STS349`
    .. [3] Varin, Reid and Firth (2011). An overview of composite likelihood methods. Statistica Sinica 21.
    .. [4] Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9. :doi:`10.1214/aos/1176345338`

    Examples
    --------
    >>> generator = np.random.default_rng(1)
    >>> made = generator.normal(size=(20, 1)) * 0.1 + generator.normal(size=(20, 60)) * 0.15
    >>> found = bayesian_error_rate(made, rng=0).minimum_topics()
    >>> bool(found["low"][0] < found["median"][0] < found["high"][0])
    True
    """
    check_choice(method, "method", get_args(Method))
    check_error_rate(max_error)
    check_share(confidence_level, "confidence_level")
    check_choice(tolerance_unit, "tolerance_unit", get_args(ToleranceUnit))
    if n_draws is not None:
        check_count(n_draws, "n_draws", least=2, most=MOST_REPLICATES)
    source = resolve_rng(rng)
    counting, fitting, repeating = source.generator.spawn(3)
    if observed is None:
        observed = swap_method(
            scores, tolerances=tolerances, tolerance_unit=tolerance_unit, rng=counting, n_threads=n_threads
        )
    if observed.sampling != "disjoint":
        raise EstimationError(f"the Bayesian model knows disjoint {unit().topic} sets, not {observed.sampling}")
    levels = np.unique(np.asarray(tolerances, dtype=np.float64))
    if not len(levels) or not np.isin(levels, observed.tolerances).all():
        raise refused(
            "tolerances", f"must be among those counted, {observed.tolerances}, not {tolerances!r}", tolerances
        )
    layout = lay_out(scores, sizes=None, sampling="bootstrap", duplicates="drop", n_trials=1)
    _refuse_other(observed, layout, tolerance_unit if levels[-1] > 0 else observed.tolerance_unit)
    sizes = _few(observed.sizes)
    check = Check(np.asarray(sizes), levels, tolerance_unit == "relative", repeating)
    with limit_threads(n_threads):
        described, left_out = _describe(layout.scores)
        if not described:
            raise EstimationError("no error rate can be estimated: " + "; ".join(dict.fromkeys(left_out.values())))
        if method == "pymc":
            laws, sampled = _sampled(described, source.generator.spawn(1)[0])
        else:
            laws, sampled = {name: true_differences.prior_of(pairs) for name, pairs in described.items()}, {}
        n_systems = layout.oriented.shape[2]
        n_draws = n_draws or (_DRAWS if n_systems * (n_systems - 1) // 2 <= _MANY_PAIRS else _FEW_DRAWS)
        drawn = draw_error_rates(described, laws, check, n_draws, fitting)
    attrs = {
        "method": method,
        "tolerance_unit": tolerance_unit,
        "max_error": float(max_error),
        "confidence_level": float(confidence_level),
        "random_source": source.description,
    }
    return arviz_posterior(drawn, levels.tolist(), observed, sizes, left_out, attrs, sampled)


def _refuse_other(observed: ErrorRates, layout: TopicSetLayout, unit: str) -> None:
    """Refuse counts of other scores, or of other leads."""
    n_systems, n_topics = (layout.scores.sizes[dim] for dim in ("system", "topic"))
    others = set(layout.scores["metric"].to_numpy().tolist()) - set(observed.metrics)
    alike = observed.n_systems in {n_systems, n_systems + len(layout.dropped)} and observed.n_topics == n_topics
    if others or not alike:
        raise InvalidOptionError(
            f"`observed` must count the swaps of these scores, {n_systems} systems on {n_topics} topics, not of "
            f"{observed.n_systems} systems on {observed.n_topics} topics under {', '.join(observed.metrics)}"
        )
    if observed.tolerance_unit != unit:
        raise InvalidOptionError(f"observed was counted with {observed.tolerance_unit} tolerances, not {unit} ones")


def _few(sizes: Sequence[int]) -> list[int]:
    """Return at most eight of the sizes, evenly spaced in their logarithm as far as they allow it."""
    sizes = [size for size in sizes if size >= SIZES[0]]
    if not sizes:
        raise EstimationError(f"swaps were counted on no {unit().topic} sets of {SIZES[0]:g} {unit().topics} or more")
    logs = np.log(sizes)
    wanted = np.linspace(logs[0], logs[-1], _CHECKED)
    return sorted({sizes[int(np.argmin(np.abs(logs - target)))] for target in wanted})


def _describe(scores: "Scores") -> tuple[dict[str, true_differences.PairStatistics], dict[str, str]]:
    # not turned: which of two wins does not matter to a swap, and a share of a mean is one of the scores as they are
    described, left_out = {}, {}
    for index, metric in enumerate(scores["metric"].to_numpy().tolist()):
        try:
            described[metric] = true_differences.describe_pairs(np.ascontiguousarray(scores.to_numpy()[index]))
        except EstimationError as error:
            left_out[metric] = str(error)
    return described, left_out


def _sampled(
    described: Mapping[str, true_differences.PairStatistics], generator: np.random.Generator
) -> tuple[dict[str, true_differences.Prior], dict[str, Any]]:
    """Sample the law of every metric with PyMC."""
    from metaeval.models.error_rate_pymc import law_draws, sample_law  # noqa: PLC0415 - loads when needed

    draws = [law_draws(generator) for _ in described]
    laws = parallel_map(sample_law, list(described.values()), list(described), draws, description="PyMC")
    law_of = dict(zip(described, laws, strict=True))
    return {name: law.prior for name, law in law_of.items()}, {name: law.tree for name, law in law_of.items()}


def draw_error_rates(
    described: Mapping[str, true_differences.PairStatistics],
    laws: Mapping[str, true_differences.Prior],
    check: Check,
    n_draws: int,
    generator: np.random.Generator,
) -> dict[str, ErrorRateDraws]:
    """Draw error rates of every metric from one stream of topic weights and errors."""
    n_topics = next(iter(described.values())).residual.shape[1]
    weights, sources, picked = [], [], []
    for start in range(0, n_draws, _BLOCK):
        stream = generator.spawn(1)[0]
        share = stream.standard_exponential((min(_BLOCK, n_draws - start), n_topics))
        share /= share.mean(axis=1, keepdims=True)
        weights.append(share)
        sources.append(stream)
        picked.append(check.pick(share) if start < REPLICATES else None)  # from one source for all blocks
    shared = (described, laws, check)
    blocks = parallel_map(_block, weights, sources, picked, shared=shared, description="Bayesian model")
    by_metric = {name: [block[name] for block in blocks] for name in described}
    return {
        name: ErrorRateDraws(
            *(np.concatenate([array for array in parts if len(array)]) for parts in zip(*metric_blocks, strict=True))
        )
        for name, metric_blocks in by_metric.items()
    }


def _block(  # noqa: PLR0913, PLR0917 - what the draws need
    weights: Floats,
    generator: np.random.Generator,
    picked: Ints | None,
    described: Mapping[str, true_differences.PairStatistics],
    laws: Mapping[str, true_differences.Prior],
    check: Check,
) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Draw a few error rates of every metric, the law behind them, and error rates counted again."""
    n_topics = next(iter(described.values())).residual.shape[1]
    count = len(weights)
    signs = generator.standard_normal((count, n_topics))
    signs -= signs.mean(axis=1, keepdims=True)
    chance, tail, of_median = generator.random(count), generator.random(count), generator.standard_normal(count)
    by_metric = {}
    for name, pairs in described.items():
        prior = laws[name]
        chosen = np.minimum(np.searchsorted(np.cumsum(prior.weight), chance), len(prior.weight) - 1)
        law = prior.log_scale[chosen], prior.slope[chosen]
        boost = true_differences.missed_power(pairs, tail, of_median)
        drawn = true_differences.draw_differences(pairs, weights=weights, signs=signs, law=law, boost=boost)
        rates = expected_rates(drawn, check.tolerances, relative=check.relative)
        again = rates[:0] if picked is None else check.repeat(pairs, drawn.value, boost, picked)
        by_metric[name] = (rates, np.stack(law, axis=1), again)
    return by_metric
