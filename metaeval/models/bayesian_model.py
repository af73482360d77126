r"""Bayesian model of the error rate: how many topics are enough, and how sure that answer is.

The comparisons behind an error rate share their topics and their systems, so that counting them as independent makes
intervals some thirty times too narrow. Three things are uncertain here, and each has its term:

- **the topics are a sample**: the logits of the error rates at all sizes get the covariance of a topic bootstrap,
  widened and skewed for the number of topics that really carry the noise;
- **the systems are few**: the curve of N particular systems lies off the smooth curve of the population they come
  from. How far, and how alike at two sizes, follows from the theory of U-statistics; without this term a curve
  fitted to sizes up to 25 says far too much about size 200;
- **the shape**: pairs differ in how noisy they are for their difference, and means over few topics are not normal.

`observe_error_rates` counts, `bayesian_error_rate` fits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import block_diag, eigh
from scipy.special import betainc, expit, logit, logsumexp, ndtr, ndtri

from metaeval.checks import check_choice, check_error_rate, check_share
from metaeval.draws import RNGLike, resolve_rng
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.io.stored import read_tree, write_tree
from metaeval.models.curves import ErrorCurve, absolute_thresholds, fit_curve
from metaeval.models.families import BAYESIAN, FAMILIES, Prior
from metaeval.parallel import track
from metaeval.resampling.swap import ToleranceUnit, swap_method, topic_bootstrap
from metaeval.resampling.topic_sets import lay_out
from metaeval.scores import oriented_values

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BayesianErrorRate",
    "Method",
    "SwapEvidence",
    "bayesian_error_rate",
    "observe_error_rates",
]

type Floats = NDArray[np.float64]
Method = Literal["fast", "pymc"]

LARGEST_SIZE = 10**6
"""Sizes beyond it are not named: a minimum topic count past it is infinite."""
MOST_SIZES = 8
FEWEST_SIZES = 3
FEWEST_EFFECTIVE_TOPICS = 4.0
_SPREAD_OF_MISFIT = 0.6  # of log ω
_SPREAD_OF_KURTOSIS = 12.0
_NUGGET = 0.02
_MOST_WITHOUT_SWAP = 0.05
_WIDENING = 5.0
_MOST_ACCELERATION = 0.25
_SHRINKAGE = 0.02
_SMALLEST_LOGIT = -25.0
_MAX_RHAT = 1.01
_FEWEST_DRAWS = 400
_WORST_FIT = 1e-3
_N_CHAINS, _N_DRAWS = 4, 500
_RANK = 8
_BLOCK = 256  # draws whose curves fit into the cache


# ---------------------------------------------------------------- evidence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SwapEvidence:
    """What the scores say about the error rate: counts, their topic bootstrap, and what the noise looks like.

    Attributes
    ----------
    data : xarray.Dataset
        Dims ``metric``, ``tolerance``, ``observed_size`` and ``replicate``; variables

        - ``swaps`` (a tie at tolerance 0 is half a swap) and ``comparisons`` (metric, tolerance, observed_size);
        - ``replicate_rate`` (replicate, metric, tolerance, observed_size): the rates of the topic bootstrap;
        - ``share_without_swap`` (metric, tolerance, observed_size): the share of the replicates that saw none;
        - ``threshold`` (metric, tolerance): the tolerance in the metric's own unit;
        - ``effective_topics``, ``tail_topics``, ``acceleration``, ``effective_systems`` (metric): see
          `bayesian_error_rate`.
    tolerance_unit : {"relative", "absolute"}
    n_systems, n_topics : int
        Copies of systems left out.
    random_source : str
    """

    data: xr.Dataset
    tolerance_unit: ToleranceUnit
    n_systems: int
    n_topics: int
    random_source: str = ""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    def logits(self) -> xr.DataArray:
        """Return logit((S + 1/2) / (N + 1)), dims (metric, tolerance, observed_size)."""
        return xr.apply_ufunc(logit, (self.data["swaps"] + 0.5) / (self.data["comparisons"] + 1.0))


def observe_error_rates(  # noqa: PLR0913 - the choices of the swap method
    scores: object,
    *,
    tolerances: Sequence[float] = (0.0,),
    tolerance_unit: ToleranceUnit = "relative",
    sizes: Sequence[int] | None = None,
    n_trials: int = 100,
    n_topic_resamples: int = 200,
    n_trials_per_resample: int = 40,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> SwapEvidence:
    """Count swaps, repeat the counting on resampled topics, and describe the noise: all that the models need.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    tolerances, tolerance_unit
        As in `metaeval.resampling.swap.swap_method`; tolerance 0 alone by default.
    sizes : sequence of int, optional
        At most 8; by default 8 sizes from 5 to half the topics, evenly spaced in their logarithm. More would only
        repeat what these say.
    n_trials : int, default 100
        Pairs of topic sets drawn at each size.
    n_topic_resamples : int, default 200
        Resamples of the topics, at least 150 and four times the cells of a model (metrics x sizes).
    n_trials_per_resample : int, default 40
        Pairs of topic sets at each size in each resample.
    rng, n_threads
        As in `metaeval.resampling.swap.swap_method`.

    Returns
    -------
    SwapEvidence

    Raises
    ------
    EstimationError
        If there are too few topics for 3 sizes from 5 to half of them.
    InvalidOptionError, ScoresError
        For too many sizes or too few resamples, and as `metaeval.resampling.swap.swap_method`.

    Examples
    --------
    >>> noise = np.random.default_rng(1).random((8, 60))
    >>> seen = observe_error_rates(noise + np.arange(8)[:, None] / 20, rng=0)
    >>> seen.data["observed_size"].to_numpy().tolist()
    [5, 6, 8, 11, 14, 18, 23, 30]
    """
    layout = lay_out(scores, sizes=sizes, sampling="disjoint", duplicates="drop", n_trials=n_trials)
    n_topics, n_metrics, n_systems = layout.oriented.shape
    sizes = _default_sizes(n_topics) if sizes is None else layout.sizes.tolist()
    if not FEWEST_SIZES <= len(sizes) <= MOST_SIZES:
        kind = EstimationError if len(sizes) < FEWEST_SIZES else InvalidOptionError
        message = (
            f"the model needs {FEWEST_SIZES} to {MOST_SIZES} topic-set sizes, not {list(sizes)}; {n_topics} topics"
        )
        raise kind(message)
    if n_topic_resamples < max(150, 4 * n_metrics * len(sizes)):
        message = (
            f"n_topic_resamples must be at least {max(150, 4 * n_metrics * len(sizes))} for {n_metrics} metrics and "
            f"{len(sizes)} sizes, not {n_topic_resamples}: fewer make the covariance singular"
        )
        raise InvalidOptionError(message)
    source = resolve_rng(rng)
    first, second = source.generator.spawn(2)
    shared: dict[str, Any] = {
        "sizes": sizes,
        "tolerances": tolerances,
        "tolerance_unit": tolerance_unit,
        "n_threads": n_threads,
    }
    rates = swap_method(scores, n_trials=n_trials, rng=first, **shared)
    totals = rates.totals(half_swaps=True)
    resampled = topic_bootstrap(
        scores, n_topic_resamples=n_topic_resamples, n_trials=n_trials_per_resample, rng=second, **shared
    )
    ties = resampled["zero_differences"] * (resampled["tolerance"] == 0)
    again = resampled["swaps"] + 0.5 * ties
    smooth = (again + 0.5) / (resampled["comparisons"] + 1.0)
    described = [_describe_noise(one) for one in oriented_values(layout.scores)]
    columns = dict(zip(_Noise._fields, np.array(described).T, strict=True))
    data = xr.Dataset(
        {
            "swaps": totals["swaps"],
            "comparisons": totals["comparisons"],
            "replicate_rate": smooth.transpose("replicate", "metric", "tolerance", "size"),
            "share_without_swap": (again == 0).mean("replicate").transpose("metric", "tolerance", "size"),
            "threshold": absolute_thresholds(rates),
        }
        | {name: ("metric", column) for name, column in columns.items()}
    )
    return SwapEvidence(
        data=data.rename({"size": "observed_size"}),
        tolerance_unit=tolerance_unit,
        n_systems=n_systems,
        n_topics=n_topics,
        random_source=source.description,
    )


def _default_sizes(n_topics: int) -> list[int]:
    return np.unique(np.round(np.geomspace(5, n_topics // 2, MOST_SIZES)).astype(int)).tolist()


class _Noise(NamedTuple):
    """What carries the noise: how many topics, how lopsided, how many systems' worth."""

    effective_topics: float
    tail_topics: float
    acceleration: float
    effective_systems: float


def _describe_noise(values: Floats) -> _Noise:
    r"""Describe the residuals of scores (system, topic) about their system and topic means.

    With :math:`v_t` the mean square residual of topic t, the effective number of topics is
    :math:`(\sum v)^2 / \sum v^2` and the acceleration :math:`\sum (v - \bar v)^3 / 6 (\sum (v - \bar v)^2)^{3/2}`
    (Efron 1987, for a mean of v). Both also as a log-normal law with the tail of the v would have them: the rare loud
    topics are missing from most samples. The effective number of systems is the participation ratio of the
    eigenvalues of the residual correlation, plus one for the mean taken out, with its sampling bias removed.
    """
    n_systems, n_topics = values.shape
    residual = values - values.mean(axis=0)
    residual = residual - residual.mean(axis=1, keepdims=True)
    power = (residual**2).mean(axis=0)
    if not power.max() > 1e-20 * max(float(np.abs(values).max()) ** 2, 1e-300):  # rounding alone
        return _Noise(0.0, 0.0, 0.0, 0.0)
    centred = power - power.mean()
    spread = float((centred**2).sum())
    acceleration = float((centred**3).sum()) / spread**1.5 / 6.0 if spread > 0 else 0.0
    tail = _tail_variance(power)
    skewed = (tail + 3.0) * np.sqrt(tail) / (6.0 * np.sqrt(n_topics))  # skewness of a log-normal law / 6 sqrt(T)
    acceleration = max(acceleration, min(skewed, _MOST_ACCELERATION))
    level = residual / np.sqrt(np.maximum(power, 1e-12 * power.mean()))
    covariance = level @ level.T / n_topics
    trace = float(np.trace(covariance))
    square = max(float((covariance**2).sum()) - trace**2 / (n_topics - 1), trace**2 / n_systems)
    return _Noise(
        effective_topics=float(power.sum() ** 2 / (power**2).sum()),
        tail_topics=n_topics / (1.0 + tail),
        acceleration=acceleration,
        effective_systems=min(trace**2 / square + 1.0, float(n_systems)),
    )


def _tail_variance(power: Floats) -> float:
    """Return the squared coefficient of variation of a log-normal law with the spread of the louder half of the topics.

    The moments of a sample make a heavy tail look light (its acceleration never exceeds 1/6), because the rare topics
    that would show it are missing from most samples.
    """
    middle = float(np.median(power[power > 0]))
    above = np.log(power[power > middle] / middle)
    return float(np.expm1(min(float((above**2).mean()), 8.0))) if len(above) else 0.0


# ---------------------------------------------------------------- how far N systems lie off the smooth curve

_GAP = np.linspace(-1.0, 1.0, 2401)
_GAPS = np.sign(_GAP) * 7.0 * np.abs(_GAP) ** 2.5  # dense near 0, where large sizes are decided
_GAP_WIDTHS = np.gradient(_GAPS)
_GAP_DENSITY = np.exp(-(_GAPS**2) / 2.0) / np.sqrt(2.0 * np.pi) * _GAP_WIDTHS
_PLACES = np.linspace(-4.0, 4.0, 81) / np.sqrt(2.0)  # true means, in units of a: half the variance of a difference
_PLACE_DENSITY = np.exp(-(_PLACES**2)) / np.exp(-(_PLACES**2)).sum()
_FROM_PLACE = np.exp(-((_PLACES[:, None] - _GAPS) ** 2)) / np.sqrt(np.pi) * _GAP_WIDTHS


class _Basis(NamedTuple):
    """Columns that span the misfit at some sizes, on the logit scale, each for a standard normal coefficient."""

    systems: Floats
    kurtosis: Floats


def _misfit(sizes: Floats, ratio: float, level: float, n_systems: float) -> _Basis:
    r"""Span the deviation of the curve of N systems from the population's, and the effect of heavy-tailed noise.

    The error rate of N systems is a U-statistic of their true means with kernel
    :math:`h_z(d) = 2\,\Phi((d - t)\sqrt z / c)\,\Phi((-d - t)\sqrt z / c)`, whose covariance at two sizes is
    :math:`(4(N - 2)\zeta_1 + 2\zeta_2)/(N(N - 1))` (Hoeffding 1948). Excess kurtosis of a pair's noise moves its
    distribution function by :math:`-(x^3 - 3x)\varphi(x)\kappa/24z` (the Edgeworth series).
    """
    steep = np.sqrt(sizes) / ratio
    up, down = (_GAPS[:, None] - level) * steep, (-_GAPS[:, None] - level) * steep
    kernel = 2.0 * ndtr(up) * ndtr(down)
    rate = np.maximum(_GAP_DENSITY @ kernel, 1e-12)
    by_place = _FROM_PLACE @ kernel - rate
    zeta1 = by_place.T @ (by_place * _PLACE_DENSITY[:, None])
    off = kernel - rate
    zeta2 = off.T @ (off * _GAP_DENSITY[:, None])
    to_logit = 1.0 / (rate * (1.0 - rate))
    covariance = (4.0 * (n_systems - 2.0) * zeta1 + 2.0 * zeta2) / (n_systems * (n_systems - 1.0))
    covariance *= to_logit * to_logit[:, None]
    values, vectors = np.linalg.eigh(covariance)
    top = slice(-_RANK, None)
    systems = vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0))
    shift = 2.0 * (_tail_shift(up) * ndtr(down) + ndtr(up) * _tail_shift(down)) / sizes
    return _Basis(systems, (_GAP_DENSITY @ shift) * to_logit * _SPREAD_OF_KURTOSIS)


def _tail_shift(x: Floats) -> Floats:
    return -(x**3 - 3.0 * x) * np.exp(-(x**2) / 2.0) / (24.0 * np.sqrt(2.0 * np.pi))


# ---------------------------------------------------------------- one metric


class _Cells(NamedTuple):
    """The cells of one metric at one tolerance, and what is needed to judge a curve by them."""

    metric: str
    family: str
    prior: Prior
    level: float  # 1 with a tolerance above 0 (differences are in units of it), else 0
    sizes: Floats
    grid: Floats
    logits: Floats
    covariance: Floats
    spread: Floats
    lead: Floats  # (size, 1): the direction in which the noise moves the logits most, one standard deviation long
    acceleration: float
    freedom: float
    seen: _Basis
    ahead: _Basis

    @property
    def n_log_normal(self) -> int:
        return len(self.prior.names(tolerance=self.level > 0))

    @property
    def n_parameters(self) -> int:
        """Log-normal ones, the spread if there is one, and log ω."""
        return self.n_log_normal + (self.prior.spread is not None) + 1


class _Draws(NamedTuple):
    """Posterior draws of one metric."""

    parameters: dict[str, Floats]
    logit_rate: Floats  # (draw, grid size)
    fitted: Floats  # (draw, observed size)


def _sizes_ahead(smallest: int) -> Floats:
    return np.unique(np.round(np.geomspace(min(smallest, 2), LARGEST_SIZE, 72)))


def _cells(evidence: SwapEvidence, metric: str, tolerance: float, family: str) -> _Cells:
    """Put together the cells of one metric, or say why its error rate cannot be estimated."""
    cell = evidence.data.sel({"metric": metric, "tolerance": tolerance})
    swaps, compared = cell["swaps"].to_numpy(), cell["comparisons"].to_numpy()
    replicates = logit(cell["replicate_rate"].to_numpy())
    if float(cell["effective_topics"]) < FEWEST_EFFECTIVE_TOPICS:
        message = (
            f"{metric!r}: its noise comes from {float(cell['effective_topics']):.1f} topics' worth of data, "
            f"at least {FEWEST_EFFECTIVE_TOPICS:g} are needed"
        )
        raise EstimationError(message)
    alive = (swaps > 0) & (cell["share_without_swap"].to_numpy() <= _MOST_WITHOUT_SWAP)
    if alive.sum() < FEWEST_SIZES:
        message = (
            f"{metric!r}: only {int(alive.sum())} of {len(swaps)} sizes have swaps enough at tolerance {tolerance:g} "
            f"({swaps.sum():g} in all); the error rate is already near zero and its course cannot be estimated"
        )
        raise EstimationError(message)
    kept = np.flatnonzero(alive)
    sizes = cell["observed_size"].to_numpy().astype(float)[kept]
    threshold = float(cell["threshold"])
    try:
        start = fit_curve("orthant", sizes, swaps[kept], compared[kept], threshold=threshold)
    except EstimationError as error:
        raise EstimationError(f"{metric!r}: {error}") from error
    topics = _topics_to_trust(cell)
    covariance = _widened(np.cov(replicates[:, kept].T), topics, len(replicates))
    level = 1.0 if threshold > 0 else 0.0
    grid = _sizes_ahead(int(sizes[0]))
    a_over_margin = start.parameters["a"] / threshold if level else 1.0
    systems = float(np.sqrt(max(float(cell["effective_systems"]), 3.0) * evidence.n_systems))
    both = _misfit(
        np.r_[sizes, grid], start.parameters["ratio"], 1.0 / a_over_margin if level else 0.0, max(systems, 2.0)
    )
    split = len(sizes)
    lead = _lead(covariance)
    return _Cells(
        metric=metric,
        family=family,
        prior=BAYESIAN[family],
        level=level,
        sizes=sizes,
        grid=grid,
        logits=logit((swaps[kept] + 0.5) / (compared[kept] + 1.0)),
        covariance=covariance,
        spread=np.sqrt(np.diag(covariance)),
        lead=lead,
        acceleration=max(
            float(cell["acceleration"]) * _share_of_power(cell, start, sizes, lead, evidence.n_topics) ** 3, 1e-4
        ),
        freedom=max(topics - 1.0, 4.0),
        seen=_Basis(both.systems[:split], both.kurtosis[:split]),
        ahead=_Basis(both.systems[split:], both.kurtosis[split:]),
    )


def _share_of_power(cell: xr.Dataset, curve: ErrorCurve, sizes: Floats, lead: Floats, n_topics: int) -> float:
    """Return the share of the noise's standard deviation that comes from not knowing the noise power.

    The rest comes from the order of the systems, which is uncertain without being skewed. An acceleration is a third
    moment over the cube of a standard deviation, so it shrinks with the cube of this share.
    """
    ratio = curve.parameters["ratio"]
    apart = [
        logit(replace(curve, parameters={**curve.parameters, "ratio": ratio * change}).rate(sizes))
        for change in (1.1, 1 / 1.1)
    ]
    slope = (apart[0] - apart[1]) / (4.0 * np.log(1.1))  # of the logit in the log of the noise power
    along = float(slope @ lead[:, 0] / (lead**2).sum())
    error = np.sqrt(max(1.0 / float(cell["effective_topics"]) - 1.0 / n_topics, 0.0))
    return float(np.clip(along * error, 0.0, 1.0))


def _topics_to_trust(cell: xr.Dataset) -> float:
    """Return the effective number of topics, halfway in logarithm to that of the tail where the tail is heavier."""
    seen, tail = float(cell["effective_topics"]), float(cell["tail_topics"])
    return max(np.sqrt(seen * min(seen, tail)), FEWEST_EFFECTIVE_TOPICS)


def _widened(covariance: Floats, effective_topics: float, n_topic_resamples: int) -> Floats:
    """Shrink a bootstrap covariance to its diagonal a little, and widen it.

    Resampled topics vary too little; and the inverse of a covariance from few replicates is too large by the factor
    of Hartlap, Simon and Schneider (2007).
    """
    own = np.diag(np.diag(covariance))
    wide = (
        (1.0 - 1.0 / effective_topics) ** -_WIDENING
        * (n_topic_resamples - 1.0)
        / (n_topic_resamples - len(covariance) - 2.0)
    )
    return np.asarray(wide * (covariance + 1e-4 * own)) + _NUGGET**2 * np.eye(len(covariance))


def _values(cells: _Cells, u: Floats) -> tuple[list[Floats], Floats]:
    """Turn standard normal coordinates (draw, parameter) into parameters and ω."""
    count = cells.n_log_normal
    centre, scale = cells.prior.centre, cells.prior.scale
    values = [np.exp(centre[place] + scale[place] * u[:, place]) for place in range(count)]
    if cells.prior.spread is not None:
        values.append(-ndtri(ndtr(-u[:, count]) / 2.0) * cells.prior.spread)  # half-normal, and one-to-one
    return values, np.exp(_SPREAD_OF_MISFIT * np.clip(u[:, -1], -6.0, 6.0))


def _curve(cells: _Cells, values: Sequence[Floats], sizes: Floats) -> Floats:
    """Return the logit of the smooth curve, shape (draw, size)."""
    parts = []
    for start in range(0, len(values[0]), _BLOCK):
        columns = [value[start : start + _BLOCK, None] for value in values]
        with np.errstate(over="ignore", under="ignore"):
            rate = cells.prior.rate(np, sizes, *columns)
        parts.append(logit(np.clip(rate, 1e-11, 1.0 - 1e-6)))
    return np.concatenate(parts)


def _lead(covariance: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    longest = vectors[:, -1:] * np.sqrt(values[-1])
    return np.asarray(longest * np.sign(longest.sum()))


def _straightened(xp: Any, residual: Any, lead: Any, acceleration: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as above
    r"""Return residuals on the scale of the BCa interval, where their spread is fixed, and its log Jacobian.

    The spread of an estimate grows with the truth, the more so the fewer topics carry the noise: with s the standard
    errors by which the truth lies above the estimate, :math:`\log(1 + a s)/a - a` is standard normal. The sizes move
    together, so s is measured along the direction in which they move most, `lead` (cell, metric), and only that
    component of the residuals is straightened. Bending each size by itself, or leaving the Jacobian out, lifts every
    curve by some four times a.
    """
    length = (lead**2).sum(axis=0)
    away = -xp.dot(residual, lead) / length
    x = acceleration * away
    low = -0.9
    logs = xp.log1p(xp.maximum(x, low))
    bent = (logs + 10.0 * xp.minimum(x - low, 0.0)) / acceleration - acceleration  # on straight where a log would end
    return residual + xp.dot(away - bent, lead.T), -logs.sum(axis=-1)


def _log_posterior(cells: _Cells, u: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the log posterior density (draw,), residuals and their covariance, and ω."""
    values, omega = _values(cells, u)
    curve = _curve(cells, values, cells.sizes)
    residual, stretch = _straightened(np, cells.logits - curve, cells.lead, cells.acceleration)
    fixed = cells.covariance + np.outer(cells.seen.kurtosis, cells.seen.kurtosis)
    covariance = fixed + (omega**2)[:, None, None] * (cells.seen.systems @ cells.seen.systems.T)
    factor = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(factor, residual[..., None])[..., 0]
    square = (scaled**2).sum(axis=1)
    size = len(cells.sizes)
    density = -0.5 * (cells.freedom + size) * np.log1p(square / cells.freedom)
    density -= np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    return density + stretch - 0.5 * (u**2).sum(axis=1), residual, covariance, omega


_ROUNDS = (1500, 1500, 1500, 1500, 6000)
_WHOLE_ROUNDS = 3
_N_CENTRES = 40
_FREEDOM = 5.0


def _fit_fast(cells: _Cells, generator: np.random.Generator) -> _Draws:
    """Draw from the posterior of one metric by adaptive importance sampling; refuse a fit that failed.

    A Student proposal finds where the posterior lies; a mixture of narrower ones, centred on draws of the round before
    (West 1993), then follows its bends.
    """
    count = cells.n_parameters
    centres, factor = np.zeros((1, count)), 1.5 * np.eye(count)
    narrow = (4.0 / ((count + 2.0) * _N_CENTRES)) ** (1.0 / (count + 4.0))
    for place, n_points in enumerate(_ROUNDS):
        u, proposal = _proposed(centres, factor, n_points, generator)
        density, residual, covariance, omega = _log_posterior(cells, u)
        weight = _tempered(density - proposal, 1.0 if place == len(_ROUNDS) - 1 else 0.05 * n_points)
        spread = np.cov(u.T, aweights=weight).reshape(count, count) + 1e-6 * np.eye(count)
        centres, factor = (weight @ u)[None], np.linalg.cholesky(spread)
        if place >= _WHOLE_ROUNDS - 1:
            nearer = np.sqrt(1.0 - narrow**2)  # keeps the spread of the mixture that of the draws
            around = u[_systematic(weight, _N_CENTRES, generator)]
            centres, factor = nearer * around + (1.0 - nearer) * centres, narrow * factor
    effective = 1.0 / float((weight**2).sum())
    if not effective >= _FEWEST_DRAWS:
        message = (
            f"{cells.metric!r}: the posterior could not be sampled ({effective:.0f} effective draws of {n_points}, at "
            f"least {_FEWEST_DRAWS} are needed); use method='pymc' or another family"
        )
        raise EstimationError(message)
    chosen = _systematic(weight, _N_CHAINS * _N_DRAWS, generator)
    values, _ = _values(cells, u[chosen])
    loadings = _loadings(cells.seen, omega[chosen])
    draws = _drawn(
        cells, values, omega[chosen], _coefficients(loadings, residual[chosen], covariance[chosen], generator)
    )
    best = int(np.argmax(density))
    _refuse_misfit(cells, residual[best], covariance[best])
    return draws


def _proposed(centres: Floats, factor: Floats, n_points: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw points (point, parameter) from a mixture of Student distributions, with their log density but a constant."""
    count = centres.shape[1]
    heavy = np.sqrt(_FREEDOM / generator.chisquare(_FREEDOM, n_points))[:, None]
    own = centres[np.arange(n_points) % len(centres)]
    u = own + (generator.standard_normal((n_points, count)) * heavy) @ factor.T
    whitening = np.linalg.inv(factor).T
    square = ((u @ whitening)[:, None] - centres @ whitening) ** 2
    return u, logsumexp(-0.5 * (_FREEDOM + count) * np.log1p(square.sum(axis=2) / _FREEDOM), axis=1)


def _falling(logit_rate: Floats) -> Floats:
    """Keep every curve from rising: no set of systems has an error rate that rises with the number of topics."""
    return np.maximum(np.minimum.accumulate(logit_rate, axis=1), _SMALLEST_LOGIT)


def _tempered(log_weight: Floats, target: float) -> Floats:
    """Normalise importance weights, flattened as far as `target` effective points ask for (1: not at all)."""
    for power in (1.0, 0.5, 0.25, 0.12, 0.06, 0.03):
        weight = np.exp(power * (log_weight - log_weight.max()))
        weight /= weight.sum()
        if 1.0 / (weight**2).sum() >= target:
            break
    return weight


def _systematic(weight: Floats, count: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """Resample by weight with the least noise, then shuffle, so that the draws may be cut into chains."""
    steps = (generator.random() + np.arange(count)) / count
    chosen = np.minimum(np.searchsorted(np.cumsum(weight), steps), len(weight) - 1)
    return generator.permutation(chosen)


def _loadings(basis: _Basis, omega: Floats) -> Floats:
    """Return the columns of the misfit for every draw, shape (draw, size, coefficient)."""
    systems = omega[:, None, None] * basis.systems
    kurtosis = np.broadcast_to(basis.kurtosis[:, None], (len(omega), len(basis.kurtosis), 1))
    return np.concatenate([systems, kurtosis], axis=2)


def _coefficients(loadings: Floats, residual: Floats, covariance: Floats, generator: np.random.Generator) -> Floats:
    """Draw the coefficients of the misfit, standard normal before, given the residuals: (draw, coefficient)."""
    gain = np.linalg.solve(covariance, loadings)
    mean = np.einsum("dsk,ds->dk", gain, residual)
    left = np.eye(loadings.shape[2]) - np.swapaxes(loadings, 1, 2) @ gain
    factor = np.linalg.cholesky(left + 1e-9 * np.eye(loadings.shape[2]))
    return mean + np.einsum("dkl,dl->dk", factor, generator.standard_normal(mean.shape))


def _drawn(cells: _Cells, values: Sequence[Floats], omega: Floats, coefficients: Floats) -> _Draws:
    """Put the curves of every draw together: the smooth curve and its misfit."""
    names = cells.prior.every_name(tolerance=cells.level > 0)
    ahead = np.einsum("dsk,dk->ds", _loadings(cells.ahead, omega), coefficients)
    seen = np.einsum("dsk,dk->ds", _loadings(cells.seen, omega), coefficients)
    return _Draws(
        dict(zip(names, values, strict=True)) | {"omega": omega},
        _falling(_curve(cells, values, cells.grid) + ahead),
        _curve(cells, values, cells.sizes) + seen,
    )


def _refuse_misfit(cells: _Cells, residual: Floats, covariance: Floats) -> None:
    """Stop a curve that even the best parameters cannot bring near the observed rates."""
    size = len(residual)
    ratio = float(residual @ np.linalg.solve(covariance, residual)) / size
    probability = float(betainc(cells.freedom / 2, size / 2, cells.freedom / (cells.freedom + size * ratio)))
    if probability < _WORST_FIT:
        message = (
            f"{cells.metric!r}: the curve {FAMILIES[cells.family].formula} does not fit the observed rates: the "
            f"probability of a misfit this large is {probability:.1g}, at least {_WORST_FIT:g} is asked; choose "
            "another family"
        )
        raise EstimationError(message)


# ---------------------------------------------------------------- result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BayesianErrorRate:
    """Posterior of the error curve and of the minimum topic count of every metric, at one tolerance.

    Attributes
    ----------
    tree : xarray.DataTree
        As ArviZ reads it (``az.summary(result.tree)``): ``posterior`` with the curve's parameters, ``omega`` (the scale
        of the misfit: 1 is what so many systems should show, several times that a curve that does not suit),
        ``minimum_topics`` (metric; infinite past a million) and ``error_rate`` (metric, size);
        ``posterior_predictive`` and ``observed_data`` with ``logit_rate`` (metric, observed_size); ``constant_data``
        with ``standard_error`` of those logits, ``comparisons`` and ``effective_comparisons``; if sampled,
        ``sample_stats`` and ``population``, all parameters of the hierarchical model.
    family : str
        Key of `metaeval.models.families.BAYESIAN`.
    method : {"fast", "pymc"}
    tolerance : float
        The tolerance.
    tolerance_unit : {"relative", "absolute"}
    max_error : float
        Error rate the minimum topic count keeps to.
    ci_prob : float
        Probability of the equal-tailed intervals.
    n_systems, n_topics : int
        Size of the scores.
    not_estimated : mapping of str to str
        Metrics left out, and why.
    """

    tree: Any
    family: str
    method: Method
    tolerance: float
    tolerance_unit: ToleranceUnit
    max_error: float
    ci_prob: float
    n_systems: int
    n_topics: int
    not_estimated: Mapping[str, str]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that could be estimated."""
        return tuple(self.tree["posterior"]["metric"].to_numpy().tolist())

    def error_rate(self, sizes: ArrayLike) -> xr.DataArray:
        """Return posterior draws of the error rate at some sizes, dims (chain, draw, metric, size).

        Between the sizes kept in the tree the logit is interpolated along the logarithm of the size.
        """
        asked = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
        kept = self.tree["posterior"]["error_rate"]
        grid = kept["size"].to_numpy().astype(float)
        if not ((asked >= grid[0]) & (asked <= grid[-1])).all():
            raise InvalidOptionError(f"sizes must lie between {grid[0]:g} and {grid[-1]:g}, not {sizes!r}")
        place = np.interp(np.log(asked), np.log(grid), np.arange(len(grid)))
        low = np.minimum(place.astype(int), len(grid) - 2)
        share = place - low
        logits = logit(kept.to_numpy())
        between = logits[..., low] * (1.0 - share) + logits[..., low + 1] * share
        coords = {"metric": list(self.metrics), "size": asked}
        return xr.DataArray(expit(between), dims=("chain", "draw", "metric", "size"), coords=coords, name="error_rate")

    def curve(self, sizes: ArrayLike | None = None) -> pd.DataFrame:
        """Return one row a metric and size: median, ``low`` and ``high`` of the error rate, and what was observed.

        Parameters
        ----------
        sizes : array, optional
            The observed sizes, 20, 50 and the number of topics by default.
        """
        seen = self.tree["observed_data"]["logit_rate"]
        default = np.union1d(seen["observed_size"].to_numpy(), [20, 50, self.n_topics])
        asked = default if sizes is None else np.atleast_1d(np.asarray(sizes))
        frame = self._interval(self.error_rate(asked))
        observed = expit(seen.to_series()).rename_axis(["metric", "size"]).rename("observed").dropna()
        return frame.merge(observed.reset_index().astype({"size": float}), on=["metric", "size"], how="left")

    def minimum_topics(self) -> pd.DataFrame:
        """Return one row a metric: median and interval of the minimum topic count, and whether the topics suffice.

        ``p_enough`` is the probability that as many topics as there are keep the error rate to `max_error`;
        ``extrapolated`` says that the median lies beyond the sizes observed; metrics that could not be estimated
        have NaN and a ``note``.
        """
        posterior = self.tree["posterior"]["minimum_topics"]
        frame = self._interval(posterior)
        frame["p_enough"] = (posterior <= self.n_topics).mean(("chain", "draw")).to_numpy()
        largest = float(self.tree["observed_data"]["observed_size"].max())
        frame["extrapolated"] = (frame["median"] > largest).astype(object)
        frame["note"] = ""
        missing = pd.DataFrame({"metric": list(self.not_estimated)}).assign(
            extrapolated=None, note=[f"cannot be estimated: {reason}" for reason in self.not_estimated.values()]
        )
        return pd.concat([frame, missing.astype({"note": str})], ignore_index=True) if len(missing) else frame

    def p_fewer(self, metric_a: str, metric_b: str) -> float:
        """Return the probability that metric a needs fewer topics than metric b (a tie counts half).

        The draws of two metrics belong together: they share the resamples of the topics.
        """
        for name in (metric_a, metric_b):
            check_choice(name, "estimated metric", self.metrics)
        posterior = self.tree["posterior"]["minimum_topics"]
        first, second = (posterior.sel({"metric": name}).to_numpy() for name in (metric_a, metric_b))
        return float((first < second).mean() + 0.5 * (first == second).mean())

    def comparisons(self) -> pd.DataFrame:
        """Return ``p_fewer`` for every ordered pair of metrics, row against column."""
        table = [[self.p_fewer(a, b) if a != b else np.nan for b in self.metrics] for a in self.metrics]
        return pd.DataFrame(table, index=pd.Index(self.metrics, name="needs fewer"), columns=list(self.metrics))

    def design_effect(self) -> pd.DataFrame:
        """Return one row a metric and observed size: comparisons counted, what they are worth, and their ratio."""
        constant = self.tree["constant_data"].to_dataset()
        frame = constant[["comparisons", "effective_comparisons"]].to_dataframe().reset_index().dropna()
        frame["design_effect"] = frame["comparisons"] / frame["effective_comparisons"]
        return frame.rename(columns={"observed_size": "size"})

    def to_frame(self) -> pd.DataFrame:
        """Return `minimum_topics`."""
        return self.minimum_topics()

    def save(self, path: "str | Path") -> None:
        """Write the result to NetCDF."""
        write_tree(self.tree, path)

    @classmethod
    def load(cls, path: "str | Path") -> "BayesianErrorRate":
        """Read what `save` wrote: the same numbers."""
        return _result(read_tree(path))

    def _interval(self, draws: xr.DataArray) -> pd.DataFrame:
        probabilities = [0.5, (1 - self.ci_prob) / 2, (1 + self.ci_prob) / 2]
        values = draws.quantile(
            probabilities, dim=("chain", "draw"), method="inverted_cdf"
        )  # no inf - inf between draws
        names = [dim for dim in values.dims if dim != "quantile"]
        index = values.isel({"quantile": 0}, drop=True).to_series().index
        flat = values.transpose("quantile", *names).to_numpy().reshape(3, -1)
        frame = pd.DataFrame(dict(zip(("median", "low", "high"), flat, strict=True)), index=index)
        return frame.reset_index()


def _result(tree: Any) -> BayesianErrorRate:  # noqa: ANN401 - an xarray.DataTree
    attrs = tree.attrs
    left_out = zip(np.atleast_1d(attrs["left_out"]).tolist(), np.atleast_1d(attrs["reasons"]).tolist(), strict=True)
    return BayesianErrorRate(
        tree=tree,
        family=str(attrs["family"]),
        method=attrs["method"],
        tolerance=float(attrs["tolerance"]),
        tolerance_unit=attrs["tolerance_unit"],
        max_error=float(attrs["max_error"]),
        ci_prob=float(attrs["ci_prob"]),
        n_systems=int(attrs["n_systems"]),
        n_topics=int(attrs["n_topics"]),
        not_estimated=MappingProxyType({str(name): str(reason) for name, reason in left_out if name}),
    )


# ---------------------------------------------------------------- all metrics


def bayesian_error_rate(  # noqa: PLR0913 - the settings of a model and of its sampler
    scores: object,
    *,
    tolerance: float = 0.0,
    tolerance_unit: ToleranceUnit = "relative",
    family: str = "mixed_orthant",
    method: Method = "fast",
    max_error: float = 0.05,
    ci_prob: float = 0.9,
    draws: int = 2000,
    tune: int = 1000,
    target_accept: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> BayesianErrorRate:
    r"""Say how many topics each metric needs, with an interval that holds the truth as often as it claims.

    Parameters
    ----------
    scores : SwapEvidence, Scores or anything `metaeval.as_scores` takes
        Evidence from `observe_error_rates` serves several tolerances, families and methods without counting again.
    tolerance : float, default 0
        The tolerance by which a system must win on both topic sets. One model a tolerance.
    tolerance_unit : {"relative", "absolute"}
        As in `metaeval.resampling.swap.swap_method`; evidence brings its own.
    family : str, default "mixed_orthant"
        Shape of the curve, a key of `metaeval.models.families.BAYESIAN`.
    method : {"fast", "pymc"}
        Each metric by itself by importance sampling (a second or less), or one hierarchical model of all metrics,
        sampled with PyMC (nutpie where installed).
    max_error : float, default 0.05
        Error rate the minimum topic count keeps to.
    ci_prob : float, default 0.9
        Probability of the equal-tailed intervals.
    draws, tune, target_accept
        As in ``pymc.sample``, for 4 chains; only for ``method="pymc"``. Chains that did not converge are run once more,
        twice as long and in smaller steps, before the fit is refused.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores for counting swaps.

    Returns
    -------
    BayesianErrorRate
        Metrics whose error is already zero, does not fall with size, or is not followed by the curve are left out and
        named in ``not_estimated``.

    Raises
    ------
    EstimationError
        If no metric can be estimated, or the sampler failed (R-hat, effective sample size, divergences).
    InvalidOptionError, UnknownNameError
        For an option outside its rule.

    Notes
    -----
    Let l be the logits of the observed error rates of one metric at up to 8 sizes. With the smooth curve p of the
    family,

    .. math:: l = \operatorname{logit} p(z; \theta) + \omega\, \delta(z) + \kappa\, b(z) + \epsilon

    :math:`\epsilon` has the covariance of the topic bootstrap, widened by :math:`(1 - 1/T_e)^{-5}` and for the number
    of resamples [3]_, and the tails of a Student distribution with :math:`T_e - 1` degrees of freedom, :math:`T_e` the
    effective number of topics, less where the loud topics have the tail of a log-normal law. Along the direction in
    which the sizes move together, residuals are taken on the scale on which the BCa interval [1]_ is symmetric; its
    acceleration is that of the mean noise power, times the cube of the share of the noise that comes from not knowing
    that power. :math:`\delta` has the covariance that the
    curves of N systems have about the curve of their population (a U-statistic [2]_; N is the geometric mean of
    the number of systems and its effective number, because clusters of systems are worth less), and continues
    beyond the observed sizes: this is what makes intervals for the minimum topic count wide enough. Its scale
    :math:`\omega` has median 1 and is the model check. :math:`\kappa b` is the effect of heavy-tailed topics at small
    sizes. Priors: see `metaeval.models.families`. In the hierarchical model the log parameters of the metrics vary
    about common values, ω is common to all, and :math:`\epsilon` has the covariance over all metrics and sizes; in the
    fast fit the draws of the metrics are paired by rank, with the correlation of their error rates over the same topic
    resamples.

    The median may lie a little above the observed rates, most of all where few topics carry the noise: the observed
    rate is right on average but too low in more than half of the samples, those that miss the loud topics.

    References
    ----------
    .. [1] Efron (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association 82.
    .. [2] Hoeffding (1948). A class of statistics with asymptotically normal distribution. Annals of Mathematical
       Statistics 19.
    .. [3] Hartlap, Simon and Schneider (2007). Why your model parameter confidences might be too optimistic. Astronomy
       and Astrophysics 464.

    Examples
    --------
    >>> generator = np.random.default_rng(1)
    >>> made = generator.normal(size=(20, 1)) * 0.1 + generator.normal(size=(20, 60)) * 0.15
    >>> fitted = bayesian_error_rate(made, tolerance_unit="absolute", rng=0)
    >>> found = fitted.minimum_topics()
    >>> bool(found["low"][0] < found["median"][0] < found["high"][0])
    True
    """
    _check_options(family, method, max_error, ci_prob)
    source = resolve_rng(rng)
    counting, fitting = source.generator.spawn(2)
    evidence = (
        scores
        if isinstance(scores, SwapEvidence)
        else observe_error_rates(
            scores, tolerances=[tolerance], tolerance_unit=tolerance_unit, rng=counting, n_threads=n_threads
        )
    )
    if tolerance not in evidence.data["tolerance"].to_numpy():
        known = evidence.data["tolerance"].to_numpy().tolist()
        raise InvalidOptionError(f"tolerance must be one of the tolerances counted, {known}, not {tolerance!r}")
    cells, left_out = _estimable(evidence, tolerance, family)
    if method == "pymc":
        sampling = {"draws": draws, "tune": tune, "target_accept": target_accept}
        fitted, sampled = _fit_hierarchical(evidence, tolerance, cells, fitting, sampling)
    else:
        fitted, sampled = _fit_each(evidence, tolerance, cells, left_out, fitting), None
        cells = [cell for cell in cells if cell.metric in fitted]
    if not cells:
        raise EstimationError("no error rate can be estimated. " + " ".join(f"{why}." for why in left_out.values()))
    tree = _tree(evidence, cells, fitted, max_error, sampled, fitting)
    tree.attrs = {
        "family": family,
        "method": method,
        "tolerance": float(tolerance),
        "tolerance_unit": evidence.tolerance_unit,
        "max_error": float(max_error),
        "ci_prob": float(ci_prob),
        "n_systems": evidence.n_systems,
        "n_topics": evidence.n_topics,
        "random_source": source.description,
        "left_out": list(left_out) or [""],
        "reasons": list(left_out.values()) or [""],
    }
    return _result(tree)


def _check_options(family: str, method: str, max_error: float, ci_prob: float) -> None:
    check_choice(family, "curve", BAYESIAN)
    check_choice(method, "method", get_args(Method))
    check_error_rate(max_error)
    check_share(ci_prob, "ci_prob")


def _estimable(evidence: SwapEvidence, tolerance: float, family: str) -> tuple[list[_Cells], dict[str, str]]:
    cells, left_out = [], {}
    for metric in evidence.metrics:
        try:
            cells.append(_cells(evidence, metric, tolerance, family))
        except EstimationError as error:
            left_out[metric] = str(error)
    return cells, left_out


def _fit_each(
    evidence: SwapEvidence,
    tolerance: float,
    cells: Sequence[_Cells],
    left_out: dict[str, str],
    generator: np.random.Generator,
) -> dict[str, _Draws]:
    """Fit every metric by itself, name those refused, and pair the draws of the others by rank."""
    fitted = {}
    streams = generator.spawn(len(cells) + 1)
    for cell, own in zip(track(cells, description="fitting error curves", total=len(cells)), streams, strict=False):
        try:
            fitted[cell.metric] = _fit_fast(cell, own)
        except EstimationError as error:
            left_out[cell.metric] = str(error)
    names = list(fitted)
    if not names:
        return fitted
    levels = logit(evidence.data["replicate_rate"].sel({"tolerance": tolerance, "metric": names}).mean("observed_size"))
    correlation = np.corrcoef(levels.transpose("metric", "replicate").to_numpy()).reshape(len(names), len(names))
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    scores = streams[-1].standard_normal((_N_CHAINS * _N_DRAWS, len(names))) @ root.T
    for column, name in enumerate(names):
        drawn = fitted[name]
        place = np.empty(len(scores), dtype=np.intp)
        place[np.argsort(scores[:, column])] = np.argsort(drawn.fitted.mean(axis=1))
        fitted[name] = _Draws(
            {key: value[place] for key, value in drawn.parameters.items()}, drawn.logit_rate[place], drawn.fitted[place]
        )
    return fitted


def _minimum(logit_rate: Floats, grid: Floats, max_error: float) -> Floats:
    """Return the smallest whole size at which each falling curve is within the error rate; infinite past the grid."""
    target = logit(max_error)
    settled = logit_rate <= target
    first = np.maximum(settled.argmax(axis=1), 1)
    rows = np.arange(len(logit_rate))
    above, below = logit_rate[rows, first - 1], logit_rate[rows, first]
    drop = np.where(above > below, above - below, 1.0)
    share = np.clip((above - target) / drop, 0.0, 1.0)
    logs = np.log(grid)
    reached = np.ceil(np.exp(logs[first - 1] + share * (logs[first] - logs[first - 1])) - 1e-9)
    return np.where(settled.any(axis=1), np.where(settled[:, 0], grid[0], reached), np.inf)


def _tree(  # noqa: PLR0913, PLR0917 - the parts of a result
    evidence: SwapEvidence,
    cells: Sequence[_Cells],
    fitted: Mapping[str, _Draws],
    max_error: float,
    sampled: Any,  # noqa: ANN401 - an xarray.DataTree or nothing
    generator: np.random.Generator,
) -> Any:  # noqa: ANN401 - as above
    """Lay draws and data out as ArviZ reads them."""
    metrics = [cell.metric for cell in cells]
    grid = cells[int(np.argmin([cell.grid[0] for cell in cells]))].grid
    seen_sizes = np.unique(np.concatenate([cell.sizes for cell in cells]))
    shape = (_N_CHAINS, -1)
    columns: dict[str, list[Floats]] = {}
    for cell in cells:
        drawn = fitted[cell.metric]
        rates = np.array([np.interp(np.log(grid), np.log(cell.grid), row) for row in drawn.logit_rate])
        own = drawn.parameters | {"minimum_topics": _minimum(rates, grid, max_error), "error_rate": expit(rates)}
        noise = generator.standard_normal(drawn.fitted.shape) @ np.linalg.cholesky(cell.covariance).T
        repeated = _placed(drawn.fitted + noise, cell.sizes, seen_sizes)
        for name, value in (own | {"logit_rate": repeated}).items():
            columns.setdefault(name, []).append(value.reshape(*shape, *value.shape[1:]))
    stacked = {name: np.stack(values, axis=2) for name, values in columns.items()}
    repeated = stacked.pop("logit_rate")
    dims = ("chain", "draw", "metric")
    coords = {"chain": np.arange(_N_CHAINS), "draw": np.arange(repeated.shape[1]), "metric": metrics}
    seen = {"observed_size": seen_sizes.astype(int)}
    posterior = xr.Dataset(
        {name: ((*dims, "size") if value.ndim > len(dims) else dims, value) for name, value in stacked.items()},
        coords=coords | {"size": grid.astype(int)},
    )
    observed = np.stack([_placed(cell.logits, cell.sizes, seen_sizes) for cell in cells])
    error = np.stack([_placed(cell.spread, cell.sizes, seen_sizes) for cell in cells])
    counted = np.stack([_counted(evidence, cell, seen_sizes) for cell in cells])
    rate = expit(observed)
    by_size = ("metric", "observed_size")
    nodes = {
        "posterior": posterior,
        "posterior_predictive": xr.Dataset({"logit_rate": ((*dims, "observed_size"), repeated)}, coords=coords | seen),
        "observed_data": xr.Dataset({"logit_rate": (by_size, observed)}, coords={"metric": metrics} | seen),
        "constant_data": xr.Dataset(
            {
                "standard_error": (by_size, error),
                "comparisons": (by_size, counted),
                "effective_comparisons": (by_size, 1.0 / (error**2 * rate * (1.0 - rate))),
            },
            coords={"metric": metrics} | seen,
        ),
    }
    if sampled is not None:
        nodes["sample_stats"] = sampled["sample_stats"].to_dataset()
        nodes["population"] = sampled["posterior"].to_dataset()
    return xr.DataTree.from_dict(nodes)


def _placed(values: Floats, own: Floats, sizes: Floats) -> Floats:
    full = np.full((*values.shape[:-1], len(sizes)), np.nan)
    full[..., np.searchsorted(sizes, own)] = values
    return full


def _counted(evidence: SwapEvidence, cell: _Cells, sizes: Floats) -> Floats:
    """Return the comparisons at each size: the same at every tolerance."""
    chosen = (
        evidence.data["comparisons"].isel({"tolerance": 0}).sel({"metric": cell.metric, "observed_size": cell.sizes})
    )
    return _placed(chosen.to_numpy().astype(float), cell.sizes, sizes)


# ---------------------------------------------------------------- the hierarchical model


def _fit_hierarchical(
    evidence: SwapEvidence,
    tolerance: float,
    cells: Sequence[_Cells],
    generator: np.random.Generator,
    sampling: Mapping[str, Any],
) -> tuple[dict[str, _Draws], Any]:
    """Sample one model of all metrics, or refuse."""
    if not cells:
        return {}, None
    parts = _joint(evidence, tolerance, cells)
    first, second = generator.integers(2**31, size=2).tolist()
    model = _model(
        cells, parts, [_likely(cell, own) for cell, own in zip(cells, generator.spawn(len(cells)), strict=True)]
    )
    sampled = _sample(model, first, sampling)
    if _complaint(sampled):
        sampled = _sample(model, second, _longer(sampling))
    if complaint := _complaint(sampled):
        raise EstimationError(complaint)
    posterior = sampled["posterior"].to_dataset().stack(sample=("chain", "draw"))  # noqa: PD013 - xarray
    kept = np.linspace(0, posterior.sizes["sample"] - 1, _N_CHAINS * _N_DRAWS).round().astype(int)
    posterior = posterior.isel(sample=kept)
    names = cells[0].prior.every_name(tolerance=cells[0].level > 0)
    values = [[posterior[name].isel({"metric": place}).to_numpy() for name in names] for place in range(len(cells))]
    omegas = [posterior["omega"].isel({"metric": place}).to_numpy() for place in range(len(cells))]
    pairs = list(zip(cells, values, strict=True))
    residual = np.concatenate(
        [
            _straightened(np, cell.logits - _curve(cell, own, cell.sizes), cell.lead, cell.acceleration)[0]
            for cell, own in pairs
        ],
        axis=1,
    )
    loadings = np.zeros((len(kept), residual.shape[1], len(cells) * (_RANK + 1)))
    for place, (cell, omega) in enumerate(zip(cells, omegas, strict=True)):
        columns = slice(place * (_RANK + 1), (place + 1) * (_RANK + 1))
        loadings[:, parts.owner == place, columns] = _loadings(cell.seen, omega)
    covariance = parts.noise + loadings @ np.swapaxes(loadings, 1, 2)
    coefficients = _coefficients(loadings, residual, covariance, generator)
    blocks = np.split(coefficients, len(cells), axis=1)
    fitted = {
        cell.metric: _drawn(cell, own, omega, block)
        for (cell, own), omega, block in zip(pairs, omegas, blocks, strict=True)
    }
    best = int(np.argmin([one @ np.linalg.solve(all_, one) for one, all_ in zip(residual, covariance, strict=True)]))
    for place, cell in enumerate(cells):
        mine = parts.owner == place
        _refuse_misfit(cell, residual[best, mine], covariance[best][np.ix_(mine, mine)])
    return fitted, sampled


def _likely(cells: _Cells, generator: np.random.Generator) -> list[float]:
    """Return parameters of one metric where chains may well begin: the best of many drawn from the prior."""
    u = 1.5 * generator.standard_normal((1500, cells.n_parameters))
    values, _ = _values(cells, u)
    best = int(np.argmax(_log_posterior(cells, u)[0]))
    return [float(value[best]) for value in values]


class _Joint(NamedTuple):
    """Cells of all metrics in one vector: covariance of the noise and of the misfit at ω = 1, and whose they are."""

    noise: Floats
    systems: Floats
    kurtosis: Floats
    owner: NDArray[np.int64]


def _joint(evidence: SwapEvidence, tolerance: float, cells: Sequence[_Cells]) -> _Joint:
    owner = np.repeat(np.arange(len(cells)), [len(cell.sizes) for cell in cells])
    same = owner[:, None] == owner
    systems = np.concatenate([cell.seen.systems for cell in cells])
    kurtosis = np.concatenate([cell.seen.kurtosis for cell in cells])
    noise = _joint_covariance(evidence, tolerance, cells)
    return _Joint(noise, systems @ systems.T * same, np.outer(kurtosis, kurtosis) * same, owner)


def _joint_covariance(evidence: SwapEvidence, tolerance: float, cells: Sequence[_Cells]) -> Floats:
    """Return the covariance over metrics and sizes, its blocks those of the single fits, slightly shrunken."""
    replicates = logit(evidence.data["replicate_rate"].sel({"tolerance": tolerance}))
    columns = [
        replicates.sel({"metric": cell.metric, "observed_size": cell.sizes.astype(int)})
        .transpose("replicate", "observed_size")
        .to_numpy()
        for cell in cells
    ]
    correlation = np.corrcoef(np.concatenate(columns, axis=1).T)
    correlation = (1.0 - _SHRINKAGE) * correlation + _SHRINKAGE * np.eye(len(correlation))
    spread = np.concatenate([cell.spread for cell in cells])
    return np.asarray(correlation * spread * spread[:, None])


def _model(
    cells: Sequence[_Cells],
    parts: _Joint,
    likely: Sequence[Sequence[float]],
) -> Any:  # noqa: ANN401 - a pymc.Model
    """Build the hierarchical model, with one ω for all metrics: they share their systems.

    The misfit is integrated out, because sampling it takes ten times the steps. On the axes that diagonalise both
    the noise and the misfit at once, that needs no factorisation that changes with ω.
    """
    import pymc as pm  # noqa: PLC0415 - loads when needed
    import pytensor.tensor  # noqa: PLC0415 - as above

    pt: Any = pytensor.tensor
    prior, tolerance = cells[0].prior, cells[0].level > 0
    n_cells = len(parts.owner)
    freedom = min(cell.freedom for cell in cells)
    logits, sizes = (np.concatenate([getattr(cell, name) for cell in cells]) for name in ("logits", "sizes"))
    acceleration = np.array([cell.acceleration for cell in cells])
    lead = block_diag(*[cell.lead for cell in cells])
    ratios, axes = eigh(parts.systems, parts.noise + parts.kurtosis)
    ratios = np.maximum(ratios, 0.0)
    start = np.log(np.array(likely).T)
    with pm.Model(coords={"metric": [cell.metric for cell in cells]}) as model:
        values = []
        for place, name in enumerate(prior.names(tolerance=tolerance)):
            middle = float(start[place].mean())
            common = pm.Normal(f"log_{name}_mean", prior.centre[place], prior.scale[place], initval=middle)
            apart = pm.HalfNormal(f"log_{name}_sd", 0.5, initval=0.5)
            own = pm.Normal(f"{name}_offset", 0.0, 1.0, dims="metric", initval=(start[place] - middle) / 0.5)
            values.append(pm.Deterministic(name, pt.exp(common + apart * own), dims="metric"))
        if prior.spread is not None:
            values.append(pm.HalfNormal("spread", prior.spread, dims="metric"))
        log_omega = pm.Normal("log_omega", 0.0, _SPREAD_OF_MISFIT)
        pm.Deterministic("omega", pt.exp(log_omega) * np.ones(len(cells)), dims="metric")
        rate = pt.clip(prior.rate(pt, pt.as_tensor(sizes), *[value[parts.owner] for value in values]), 1e-11, 1 - 1e-6)
        residual, stretch = _straightened(pt, logits - (pt.log(rate) - pt.log1p(-rate)), lead, acceleration)
        variance = 1.0 + pt.exp(2.0 * log_omega) * ratios
        square = (pt.as_tensor(axes.T).dot(residual) ** 2 / variance).sum()
        density = -0.5 * ((freedom + n_cells) * pt.log1p(square / freedom) + pt.log(variance).sum())
        pm.Potential("topics", density + stretch)
    return model


def _sample(model: Any, seed: int, sampling: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a model, an xarray.DataTree
    """Sample with nutpie where it is installed, else with PyMC's own sampler; the same seed gives the same draws."""
    import pymc as pm  # noqa: PLC0415 - loads when needed
    from pytensor.configdefaults import config  # noqa: PLC0415 - as above

    settings = {"draws": sampling["draws"], "tune": sampling["tune"], "chains": _N_CHAINS}
    with config.change_flags(numba__fastmath=False):  # with it, draws differ between cold and warm caches
        try:
            import nutpie  # noqa: PLC0415 - optional
        except ImportError:
            nuts = {"target_accept": sampling["target_accept"]}
            with model:
                return pm.sample(
                    **settings, nuts=nuts, random_seed=seed, progressbar=False, quiet=True, nuts_sampler="pymc", cores=1
                )
        compiled = nutpie.compile_pymc_model(model)
        return nutpie.sample(
            compiled,
            **settings,
            seed=seed,
            target_accept=sampling["target_accept"],
            progress_bar=False,
            save_warmup=False,
        )


def _longer(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings for a second try: twice as long, in smaller steps."""
    return {
        "draws": 2 * sampling["draws"],
        "tune": 2 * sampling["tune"],
        "target_accept": (1.0 + sampling["target_accept"]) / 2.0,
    }


def _complaint(tree: Any) -> str:  # noqa: ANN401 - as above
    """Say what is wrong with the chains; nothing if they converged."""
    import arviz as az  # noqa: PLC0415 - loads when needed

    summary = az.summary(tree, group="posterior", round_to="none", kind="diagnostics")
    worst, fewest = float(summary["r_hat"].max()), float(summary["ess_bulk"].min())
    diverged = int(tree["sample_stats"]["diverging"].sum())
    if not diverged and worst <= _MAX_RHAT and fewest >= _FEWEST_DRAWS:
        return ""
    return (
        f"the hierarchical model did not converge: largest R-hat {worst:.3f} (at most {_MAX_RHAT}), fewest "
        f"effective draws {fewest:.0f} (at least {_FEWEST_DRAWS}), {diverged} divergent transitions; raise draws, "
        "tune or target_accept"
    )
