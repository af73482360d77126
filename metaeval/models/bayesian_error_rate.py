r"""Bayesian model of the error rate: how many topics are enough, and how sure that answer is.

The comparisons behind an error rate share their topics and their systems, so that counting them as independent makes
intervals some thirty times too narrow. Three things are uncertain here, and each has its term:

- **the topics are a sample**: the logits of the error rates at all sizes get the covariance of a topic bootstrap,
  widened and skewed for the number of topics that really carry the noise;
- **the systems are few**: the curve of N particular systems lies off the smooth curve of the population they come
  from. How far, and how alike at two sizes, follows from the theory of U-statistics; without this term a curve
  fitted to sizes up to 25 says far too much about size 200;
- **the shape**: pairs differ in how noisy they are for their difference, and means over few topics are not normal.

`observe_error_rates` counts, `bayesian_error_rate` fits, `compare_families` judges shapes by held-out sizes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, expit, logit, ndtr

from metaeval.draws import RNGLike, resolve_rng
from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.models.curves import absolute_thresholds, fit_curve, held_out
from metaeval.parallel import track
from metaeval.resampling.swap import Margin, lay_out, swap_method, topic_bootstrap
from metaeval.scores import oriented_values

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "FAMILIES",
    "BayesianErrorRate",
    "Family",
    "Method",
    "SwapEvidence",
    "bayesian_error_rate",
    "compare_families",
    "observe_error_rates",
]

type Floats = NDArray[np.float64]
Method = Literal["fast", "pymc"]

LARGEST_SIZE = 10**6
"""Sizes beyond it are not named: a minimum topic count past it is infinite."""
MOST_SIZES = 8
FEWEST_SIZES = 3
FEWEST_EFFECTIVE_TOPICS = 4.0
_SPREAD_OF_MISFIT = 0.5  # of log ω
_SPREAD_OF_KURTOSIS = 12.0
_NUGGET = 0.02
_MOST_WITHOUT_SWAP = 0.05
_WIDENING = 2.0
_SHRINKAGE = 0.02
_SMALLEST_LOGIT = -25.0
_MAX_RHAT = 1.01
_FEWEST_DRAWS = 400
_WORST_FIT = 1e-3
_N_CHAINS, _N_DRAWS = 4, 500
_RANK = 5


# ---------------------------------------------------------------- curves


def _nodes(count: int) -> tuple[Floats, Floats]:
    x, weights = np.polynomial.hermite_e.hermegauss(count)
    return x, weights / weights.sum()


_MIXING = {False: _nodes(13), True: _nodes(7)}
_ANGLES, _ANGLE_WEIGHTS = np.polynomial.legendre.leggauss(32)
_FOURTH = ((_ANGLES + 1) / 2) ** 4
_FOURTH_WEIGHTS = 2 * ((_ANGLES + 1) / 2) ** 3 * _ANGLE_WEIGHTS


def _orthant(xp: Any, z: Any, ratio: Any, reach: Any = None, spread: Any = None) -> Any:  # noqa: ANN401 - NumPy or PyTensor
    """Error rate of pairs with normal true differences; `reach` is a over the threshold, None without a threshold."""
    x, weights = _MIXING[reach is not None] if spread is not None else (np.zeros(1), np.ones(1))
    scale = ratio if spread is None else ratio[..., None] * xp.exp(spread[..., None] * x)
    noise = (scale**2) / z[..., None] if spread is not None else (scale**2 / z)[..., None]
    angle = xp.arctan2(xp.sqrt(noise * (2.0 + noise)), 1.0 + 0.0 * noise)
    if reach is None:
        return (angle * weights).sum(-1) / np.pi
    height = 1.0 / (reach[..., None] ** 2 * (1.0 + noise))
    theta = angle[..., None] * _FOURTH
    inside = xp.exp(-height[..., None] / (2.0 * xp.sin(theta / 2.0) ** 2))
    return ((inside * _FOURTH_WEIGHTS).sum(-1) * angle * weights).sum(-1) / np.pi


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A shape of the error rate, with its prior.

    Attributes
    ----------
    parameters : tuple of str
        Positive parameters at margin 0; with a margin above 0 those of ``with_margin`` follow.
    centre, scale : tuple of float
        Median and standard deviation of the log of each parameter under its log-normal prior, ``with_margin`` included.
    rate : callable
        ``rate(xp, sizes, *parameters)``, ``xp`` NumPy or PyTensor.
    formula : str
    with_margin : tuple of str, default ()
        Parameters that only a margin above 0 asks for.
    spread : float or None
        Scale of the half-normal prior of a last parameter ``spread``; None if there is none.
    """

    parameters: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    rate: Callable[..., Any]
    formula: str
    with_margin: tuple[str, ...] = ()
    spread: float | None = None

    def names(self, *, margin: bool) -> tuple[str, ...]:
        """Return the names of the log-normal parameters."""
        return self.parameters + (self.with_margin if margin else ())


def _plain_orthant(xp: Any, z: Any, ratio: Any, reach: Any = None) -> Any:  # noqa: ANN401 - as above
    return _orthant(xp, z, ratio, reach)


def _mixed_orthant(xp: Any, z: Any, ratio: Any, *rest: Any) -> Any:  # noqa: ANN401 - as above
    *reach, spread = rest
    return _orthant(xp, z, ratio, reach[0] if reach else None, spread)


def _exponential(xp: Any, z: Any, level: Any, rate: Any) -> Any:  # noqa: ANN401 - as above
    return level * xp.exp(-rate * z)


def _power(xp: Any, z: Any, level: Any, slope: Any) -> Any:  # noqa: ANN401 - as above
    return level * xp.exp(-slope * xp.log(z))


def _stretched(xp: Any, z: Any, level: Any, reach: Any, shape: Any) -> Any:  # noqa: ANN401 - as above
    return level * xp.exp(-xp.exp(shape * (xp.log(z) - xp.log(reach))))


def _with_floor(xp: Any, z: Any, level: Any, rate: Any, floor: Any) -> Any:  # noqa: ANN401 - as above
    return floor + level * xp.exp(-rate * z)


_RATIO = (float(np.log(2.5)), 1.5)
_REACH = (0.7, 1.2)
FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "mixed_orthant": Family(
            parameters=("ratio",),
            centre=(_RATIO[0], _REACH[0]),
            scale=(_RATIO[1], _REACH[1]),
            rate=_mixed_orthant,
            formula="E 2 Φ₂(-t/v, -t/v; -a²/v²), v² = a² + c²/z, log(c/a) ~ N(log ratio, spread²)",
            with_margin=("a_over_margin",),
            spread=0.5,
        ),
        "orthant": Family(
            parameters=("ratio",),
            centre=(_RATIO[0], _REACH[0]),
            scale=(_RATIO[1], _REACH[1]),
            rate=_plain_orthant,
            formula="2 Φ₂(-t/v, -t/v; -a²/v²), v² = a² + c²/z, ratio = c/a",
            with_margin=("a_over_margin",),
        ),
        "exponential": Family(
            parameters=("a1", "a2"),
            centre=(-1.2, -3.5),
            scale=(1.0, 1.0),
            rate=_exponential,
            formula="a1 exp(-a2 z)",
        ),
        "power": Family(
            parameters=("level", "slope"),
            centre=(-0.5, -0.7),
            scale=(1.0, 0.5),
            rate=_power,
            formula="level z^-slope",
        ),
        "stretched_exponential": Family(
            parameters=("level", "decay", "shape"),
            centre=(-0.7, 3.0),
            scale=(0.5, 1.5, 0.5),
            rate=_stretched,
            formula="level exp(-(z / decay)^shape)",
        ),
        "exponential_with_floor": Family(
            parameters=("a1", "a2", "floor"),
            centre=(-1.2, -3.0, -3.0),
            scale=(1.0, 1.0, 1.0),
            rate=_with_floor,
            formula="floor + a1 exp(-a2 z)",
        ),
    }
)
"""Every shape; the default first."""


# ---------------------------------------------------------------- evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapEvidence:
    """What the scores say about the error rate: counts, their topic bootstrap, and what the noise looks like.

    Attributes
    ----------
    data : xarray.Dataset
        Dims ``metric``, ``margin``, ``observed_size`` and ``replicate``; variables ``swaps`` (a tie at margin 0 is
        half a swap) and ``comparisons`` (metric, margin, observed_size), ``replicate_rate`` (replicate, metric, margin,
        observed_size), ``share_without_swap`` (of the replicates; metric, margin, observed_size), ``threshold``
        (metric, margin; the margin in the metric's own unit), and per metric ``effective_topics``, ``acceleration`` and ``effective_systems`` (see `bayesian_error_rate`).
    margin : {"relative", "absolute"}
    n_systems, n_topics : int
        Copies of systems left out.
    random_source : str
    """

    data: xr.Dataset
    margin: Margin
    n_systems: int
    n_topics: int
    random_source: str = ""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    def logits(self) -> xr.DataArray:
        """Return logit((S + 1/2) / (N + 1)), dims (metric, margin, observed_size)."""
        return xr.apply_ufunc(logit, (self.data["swaps"] + 0.5) / (self.data["comparisons"] + 1.0))


def observe_error_rates(  # noqa: PLR0913 - the choices of the swap method
    scores: object,
    *,
    margins: Sequence[float] = (0.0,),
    margin: Margin = "relative",
    sizes: Sequence[int] | None = None,
    n_trials: int = 100,
    n_replicates: int = 200,
    bootstrap_trials: int = 40,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> SwapEvidence:
    """Count swaps, repeat the counting on resampled topics, and describe the noise: all that the models need.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    margins, margin
        As in `metaeval.resampling.swap.swap_method`; margin 0 alone by default.
    sizes : sequence of int, optional
        At most 8; by default 8 sizes from 5 to half the topics, evenly spaced in their logarithm. More would only
        repeat what these say.
    n_trials : int, default 100
        Pairs of topic sets drawn at each size.
    n_replicates : int, default 200
        Resamples of the topics, at least 150 and four times the cells of a model (metrics x sizes).
    bootstrap_trials : int, default 40
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
        message = f"the model needs {FEWEST_SIZES} to {MOST_SIZES} topic-set sizes, not {list(sizes)}; {n_topics} topics"
        raise kind(message)
    if n_replicates < max(150, 4 * n_metrics * len(sizes)):
        message = (
            f"n_replicates must be at least {max(150, 4 * n_metrics * len(sizes))} for {n_metrics} metrics and "
            f"{len(sizes)} sizes, not {n_replicates}: fewer make the covariance singular"
        )
        raise InvalidOptionError(message)
    source = resolve_rng(rng)
    first, second = source.generator.spawn(2)
    shared: dict[str, Any] = {"sizes": sizes, "margins": margins, "margin": margin, "n_threads": n_threads}
    rates = swap_method(scores, n_trials=n_trials, rng=first, **shared)
    totals = rates.totals(half_swaps=True)
    resampled = topic_bootstrap(scores, n_replicates=n_replicates, n_trials=bootstrap_trials, rng=second, **shared)
    ties = resampled["zero_differences"] * (resampled["margin"] == 0)
    again = resampled["swaps"] + 0.5 * ties
    smooth = (again + 0.5) / (resampled["comparisons"] + 1.0)
    described = [_describe_noise(one) for one in oriented_values(layout.scores)]
    columns = dict(zip(_Noise._fields, np.array(described).T, strict=True))
    data = xr.Dataset(
        {
            "swaps": totals["swaps"],
            "comparisons": totals["comparisons"],
            "replicate_rate": smooth.transpose("replicate", "metric", "margin", "size"),
            "share_without_swap": (again == 0).mean("replicate").transpose("metric", "margin", "size"),
            "threshold": absolute_thresholds(rates),
        }
        | {name: ("metric", column) for name, column in columns.items()}
    )
    return SwapEvidence(
        data=data.rename({"size": "observed_size"}),
        margin=margin,
        n_systems=n_systems,
        n_topics=n_topics,
        random_source=source.description,
    )


def _default_sizes(n_topics: int) -> list[int]:
    return np.unique(np.round(np.geomspace(5, n_topics // 2, MOST_SIZES)).astype(int)).tolist()


class _Noise(NamedTuple):
    """What carries the noise: how many topics, how lopsided, how many systems' worth."""

    effective_topics: float
    acceleration: float
    effective_systems: float


def _describe_noise(values: Floats) -> _Noise:
    r"""Describe the residuals of scores (system, topic) about their system and topic means.

    With :math:`v_t` the mean square residual of topic t, the effective number of topics is
    :math:`(\sum v)^2 / \sum v^2` and the acceleration :math:`\sum (v - \bar v)^3 / 6 (\sum (v - \bar v)^2)^{3/2}`
    (Efron 1987, for a mean of v). The effective number of systems is the participation ratio of the eigenvalues of
    the residual correlation, plus one for the mean taken out, with its sampling bias removed.
    """
    n_systems, n_topics = values.shape
    residual = values - values.mean(axis=0)
    residual = residual - residual.mean(axis=1, keepdims=True)
    power = (residual**2).mean(axis=0)
    if not power.max() > 1e-20 * max(float(np.abs(values).max()) ** 2, 1e-300):  # noqa: PLR2004 - rounding alone
        return _Noise(0.0, 0.0, 0.0)
    centred = power - power.mean()
    spread = float((centred**2).sum())
    acceleration = float((centred**3).sum()) / spread**1.5 / 6.0 if spread > 0 else 0.0
    level = residual / np.sqrt(np.maximum(power, 1e-12 * power.mean()))
    covariance = level @ level.T / n_topics
    trace = float(np.trace(covariance))
    square = max(float((covariance**2).sum()) - trace**2 / (n_topics - 1), trace**2 / n_systems)
    return _Noise(
        float(power.sum() ** 2 / (power**2).sum()), acceleration, min(trace**2 / square + 1.0, float(n_systems))
    )


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
    """The cells of one metric at one margin, and what is needed to judge a curve by them."""

    metric: str
    family: Family
    level: float  # 1 with a margin above 0 (differences are in units of it), else 0
    sizes: Floats
    grid: Floats
    logits: Floats
    covariance: Floats
    spread: Floats
    acceleration: float
    freedom: float
    seen: _Basis
    ahead: _Basis

    @property
    def n_log_normal(self) -> int:
        return len(self.family.names(margin=self.level > 0))

    @property
    def n_parameters(self) -> int:
        """Log-normal ones, the spread if there is one, and log ω."""
        return self.n_log_normal + (self.family.spread is not None) + 1


class _Draws(NamedTuple):
    """Posterior draws of one metric."""

    parameters: dict[str, Floats]
    logit_rate: Floats  # (draw, grid size)
    fitted: Floats  # (draw, observed size)


def _sizes_ahead(smallest: int) -> Floats:
    return np.unique(np.round(np.geomspace(min(smallest, 2), LARGEST_SIZE, 72)))


def _cells(  # noqa: PLR0913 - the parts of a question
    evidence: SwapEvidence, metric: str, tolerance: float, family: str, *, keep: NDArray[np.bool_] | None = None
) -> _Cells:
    """Put together the cells of one metric, or say why its error rate cannot be estimated."""
    cell = evidence.data.sel({"metric": metric, "margin": tolerance})
    if keep is not None:
        cell = cell.isel({"observed_size": np.flatnonzero(keep)})
    swaps, compared = cell["swaps"].to_numpy(), cell["comparisons"].to_numpy()
    replicates = logit(cell["replicate_rate"].to_numpy())
    if float(cell["effective_topics"]) < FEWEST_EFFECTIVE_TOPICS:
        message = (
            f"{metric!r}: what its scores vary beyond system and topic means comes from "
            f"{float(cell['effective_topics']):.1f} topics' worth of data; at least {FEWEST_EFFECTIVE_TOPICS:g} are needed"
        )
        raise EstimationError(message)
    alive = (swaps > 0) & (cell["share_without_swap"].to_numpy() <= _MOST_WITHOUT_SWAP)
    if alive.sum() < FEWEST_SIZES:
        message = (
            f"{metric!r}: swaps were seen at {int((swaps > 0).sum())} of {len(swaps)} sizes ({swaps.sum():g} in all) at "
            f"margin {tolerance:g}; the error rate is already near zero and its course cannot be estimated"
        )
        raise EstimationError(message)
    kept = np.flatnonzero(alive)
    sizes = cell["observed_size"].to_numpy().astype(float)[kept]
    threshold = float(cell["threshold"])
    try:
        start = fit_curve("orthant", sizes, swaps[kept], compared[kept], threshold=threshold)
    except EstimationError as error:
        raise EstimationError(f"{metric!r}: {error}") from error
    covariance = _widened(np.cov(replicates[:, kept].T), float(cell["effective_topics"]))
    level = 1.0 if threshold > 0 else 0.0
    grid = _sizes_ahead(int(sizes[0]))
    a_over_margin = start.parameters["a"] / threshold if level else 1.0
    systems = float(np.sqrt(max(float(cell["effective_systems"]), 3.0) * evidence.n_systems))
    both = _misfit(
        np.r_[sizes, grid], start.parameters["ratio"], 1.0 / a_over_margin if level else 0.0, max(systems, 2.0)
    )
    split = len(sizes)
    return _Cells(
        metric=metric,
        family=FAMILIES[family],
        level=level,
        sizes=sizes,
        grid=grid,
        logits=logit((swaps[kept] + 0.5) / (compared[kept] + 1.0)),
        covariance=covariance,
        spread=np.sqrt(np.diag(covariance)),
        acceleration=max(float(cell["acceleration"]), 1e-4),
        freedom=max(float(cell["effective_topics"]) - 1.0, 4.0),
        seen=_Basis(both.systems[:split], both.kurtosis[:split]),
        ahead=_Basis(both.systems[split:], both.kurtosis[split:]),
    )


def _widened(covariance: Floats, effective_topics: float) -> Floats:
    """Shrink a bootstrap covariance a little to its diagonal and widen it: resampled topics vary less than fresh ones."""
    own = np.diag(np.diag(covariance))
    wide = (1.0 - 1.0 / effective_topics) ** -_WIDENING
    return np.asarray(wide * (covariance + 1e-4 * own)) + _NUGGET**2 * np.eye(len(covariance))


def _values(cells: _Cells, u: Floats) -> tuple[list[Floats], Floats]:
    """Turn standard normal coordinates (draw, parameter) into parameters and ω."""
    count = cells.n_log_normal
    centre, scale = cells.family.centre, cells.family.scale
    values = [np.exp(centre[place] + scale[place] * u[:, place]) for place in range(count)]
    if cells.family.spread is not None:
        values.append(np.abs(u[:, count]) * cells.family.spread)
    return values, np.exp(_SPREAD_OF_MISFIT * np.clip(u[:, -1], -6.0, 6.0))


def _curve(cells: _Cells, values: Sequence[Floats], sizes: Floats) -> Floats:
    """Return the logit of the smooth curve, shape (draw, size)."""
    block = 200 if cells.level else 4000  # a margin needs a quadrature for every draw, size and node
    parts = []
    for start in range(0, len(values[0]), block):
        columns = [value[start : start + block, None] for value in values]
        with np.errstate(over="ignore", under="ignore"):
            rate = cells.family.rate(np, sizes, *columns)
        parts.append(logit(np.clip(rate, 1e-11, 1.0 - 1e-6)))
    return np.concatenate(parts)


def _straightened(xp: Any, logits: Any, curve: Any, spread: Any, acceleration: Any) -> Any:  # noqa: ANN401 - as above
    """Return logits minus curve on a scale where it is normal with a fixed spread, as for the BCa interval.

    The spread of an estimate grows with the truth, the more so the fewer topics carry the noise.
    """
    x = acceleration * (curve - logits) / spread
    low = -0.9
    bent = xp.log1p(xp.maximum(x, low)) + 10.0 * xp.minimum(x - low, 0.0)  # goes on straight where a log would end
    return -spread * (bent / acceleration - acceleration)


def _log_posterior(cells: _Cells, u: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the log posterior density (draw,), residuals and their covariance, and ω."""
    values, omega = _values(cells, u)
    curve = _curve(cells, values, cells.sizes)
    residual = _straightened(np, cells.logits, curve, cells.spread, cells.acceleration)
    fixed = cells.covariance + np.outer(cells.seen.kurtosis, cells.seen.kurtosis)
    covariance = fixed + (omega**2)[:, None, None] * (cells.seen.systems @ cells.seen.systems.T)
    factor = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(factor, residual[..., None])[..., 0]
    square = (scaled**2).sum(axis=1)
    size = len(cells.sizes)
    density = -0.5 * (cells.freedom + size) * np.log1p(square / cells.freedom)
    density -= np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    return density - 0.5 * (u**2).sum(axis=1), residual, covariance, omega


_ROUNDS = (1500, 1500, 1500, 1500, 6000)


def _fit_fast(cells: _Cells, generator: np.random.Generator) -> _Draws:
    """Draw from the posterior of one metric by adaptive importance sampling; refuse a fit that failed."""
    count = cells.n_parameters
    centre, factor = np.zeros(count), 1.5 * np.eye(count)
    for n_points in _ROUNDS:
        normal = generator.standard_normal((n_points, count))
        heavy = np.sqrt(5.0 / generator.chisquare(5.0, n_points))[:, None]
        u = centre + (normal * heavy) @ factor.T
        density, residual, covariance, omega = _log_posterior(cells, u)
        proposal = -0.5 * (5.0 + count) * np.log1p(((normal * heavy) ** 2).sum(axis=1) / 5.0)
        weight = _tempered(density - proposal, 1.0 if n_points == _ROUNDS[-1] else 0.05 * n_points)
        centre = weight @ u
        factor = np.linalg.cholesky(np.cov(u.T, aweights=weight).reshape(count, count) + 1e-6 * np.eye(count))
    effective = 1.0 / float((weight**2).sum())
    if not effective >= _FEWEST_DRAWS:
        message = (
            f"{cells.metric!r}: the posterior could not be sampled ({effective:.0f} effective draws of {n_points}, at "
            f"least {_FEWEST_DRAWS} are needed); use method='pymc' or another family"
        )
        raise EstimationError(message)
    chosen = _systematic(weight, _N_CHAINS * _N_DRAWS, generator)
    values, _ = _values(cells, u[chosen])
    deviation, fitted = _deviations(cells, residual[chosen], covariance[chosen], omega[chosen], generator)
    names = _parameter_names(cells.family, margin=cells.level > 0)
    draws = _Draws(
        dict(zip(names, values, strict=True)) | {"omega": omega[chosen]},
        np.maximum(_curve(cells, values, cells.grid) + deviation, _SMALLEST_LOGIT),
        _curve(cells, values, cells.sizes) + fitted,
    )
    best = int(np.argmax(density))
    _refuse_misfit(cells, residual[best], covariance[best])
    return draws


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


def _deviations(
    cells: _Cells, residual: Floats, covariance: Floats, omega: Floats, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw the misfit given the residuals: at the sizes ahead and at those seen, shapes (draw, size)."""
    seen = np.concatenate([omega[:, None, None] * cells.seen.systems, _tiled(cells.seen.kurtosis, len(omega))], axis=2)
    ahead = np.concatenate([omega[:, None, None] * cells.ahead.systems, _tiled(cells.ahead.kurtosis, len(omega))], axis=2)
    gain = np.linalg.solve(covariance, seen)
    mean = np.einsum("dsk,ds->dk", gain, residual)
    left = np.eye(seen.shape[2]) - np.einsum("dsk,dsl->dkl", seen, gain)
    factor = np.linalg.cholesky(left + 1e-9 * np.eye(seen.shape[2]))
    coefficient = mean + np.einsum("dkl,dl->dk", factor, generator.standard_normal(mean.shape))
    return np.einsum("dsk,dk->ds", ahead, coefficient), np.einsum("dsk,dk->ds", seen, coefficient)


def _tiled(column: Floats, count: int) -> Floats:
    return np.broadcast_to(column[:, None], (count, len(column), 1))


def _refuse_misfit(cells: _Cells, residual: Floats, covariance: Floats) -> None:
    """Stop a curve that even the best parameters cannot bring near the observed rates."""
    size = len(residual)
    ratio = float(residual @ np.linalg.solve(covariance, residual)) / size
    probability = float(betainc(cells.freedom / 2, size / 2, cells.freedom / (cells.freedom + size * ratio)))
    if probability < _WORST_FIT:
        message = (
            f"{cells.metric!r}: the curve {cells.family.formula} does not fit the observed error rates (probability of a "
            f"misfit this large {probability:.1g}, at least {_WORST_FIT:g} is asked); choose another family"
        )
        raise EstimationError(message)


def _parameter_names(family: Family, *, margin: bool) -> tuple[str, ...]:
    return family.names(margin=margin) + (("spread",) if family.spread is not None else ())
