"""Posterior draws of the true differences between systems, from which error rates follow.

The error rate of the swap method is a mean over pairs of systems, and what a pair contributes depends on one number:
the difference u of its two true means in units of the standard deviation of one topic's difference. If the u were
known, so would be the error rate at every number of topics and tolerance. They are not, and four things say how far:

1. **the topics are a sample**: the variances come from topics reweighted at random (Rubin's Bayesian bootstrap) and
   the errors of all differences from the residuals themselves, so that pairs which share a system err together;
2. **small differences look larger than they are**: the u of all pairs have a common law, estimated with them, and are
   drawn towards nothing by it. How large u is may depend on how noisy the pair is, for systems that err alike have
   like means;
3. **pairs share their systems**: N systems have N - 1 independent differences, not N (N - 1) / 2, and fewer where
   systems err alike; so much is the likelihood of all pairs taken to be worth;
4. **the loudest topics are mostly missing**: a few topics carry much of the variance, most samples miss some of them,
   and their upper half is taken to be log-normal.

The formulas stand with `metaeval.models.error_rate_model.bayesian_error_rate`.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtr

from metaeval.base.checks import check_paired
from metaeval.base.unit import unit
from metaeval.errors import EstimationError
from metaeval.running.compiled import compiled, compiled_parallel
from metaeval.running.equality import RELATIVE, settle

type Floats = NDArray[np.float64]

FEWEST_SYSTEMS = 4
"""A flat prior on a variance has a proper posterior from three independent differences on (Gelman, 2006)."""
FEWEST_LOUD = 4
"""Topics above the median, of which a spread is taken."""
SLOPES = (-1.0, 0.0, 1.0, 2.0, 3.0)
"""Powers of a pair's variance with which the variance of u may go: at 0, differences go with noise; at -1 they do not
depend on it; clusters of systems ask for 2 and a little more. Ending at 2 costs clusters up to five points of coverage,
steps of 1/2 change nothing (benchmarks/reports/error-rate-coverage.md)."""
SPREADS = (0.0, 1.0, 2.0)
"""Standard deviations of log κ², from one normal law to tails like a t distribution's with two degrees of freedom."""
NODES = np.linspace(-2.2, 2.2, 9)
"""Of a standard normal law, on an even grid: 97 % of it, finer than a few pairs can resolve."""
_CANCELS = 1e-6
"""Share of two variances below which the variance of their difference is taken from the differences themselves."""
_GRID = 24
_LEAST, _MOST = 1e-4, 30.0
"""Of the mean square of the u observed: the true one lies between, wherever there is anything to estimate."""
_AHEAD = 1e4
"""Times the usual u², past which a pair, such as a copy with a constant lead, says nothing about where others lie."""
_WILDEST = 1200.0
"""A larger variance of the log powers has a mean that a float cannot hold; the error rate is long a half."""
_PAIRS = 4000
"""More pairs say nothing more about their common law: 143 systems have 142 independent differences."""


class Pairs(NamedTuple):
    """What the scores under one metric say about its pairs of systems."""

    means: Floats
    """Shape (system,)."""
    residual: Floats
    """Scores less the means. Shape (system, topic)."""
    difference: Floats
    """Shape (pair,)."""
    log_variance: Floats
    """Of one topic's difference, drawn towards the mean of all pairs by `kept`. Shape (pair,)."""
    kept: float
    sampled: float
    """Share of what the log variances differ by that is not sampling error, and the variance of that error."""
    worth: float
    """Independent differences that all pairs together are worth, at most one fewer than the systems."""
    power: Floats
    """Mean square residual of each topic, the topic's own mean taken out. Shape (topic,)."""
    loud: Floats
    """Log of the powers above the median, over the median."""


class Differences(NamedTuple):
    """Draws of the true differences, and of what one topic adds to them."""

    value: Floats
    """Shape (draw, pair)."""
    log_variance: Floats
    """Of one topic's difference; minus infinity where the systems differ by nothing or by a constant. Shape (draw,
    pair)."""
    level: Floats
    own: Floats
    """True means, but for the shrinkage of their differences, and variances of one topic's score. Shape (draw,
    system)."""
    compared: int
    """Pairs that are not equal on every topic."""


class Prior(NamedTuple):
    """The posterior of the law of u on a grid, ascending in `log_scale`: log κ² = log_scale + slope · l + spread · z.

    l is the pair's log variance less the mean of all pairs, and z a standard normal number.
    """

    log_scale: Floats
    slope: Floats
    spread: Floats
    weight: Floats


def describe_pairs(values: Floats) -> Pairs:
    """Return what scores (system, topic) say about the pairs of systems."""
    n_systems, n_topics = values.shape
    check_paired(n_systems)
    means = values.mean(axis=1)
    residual = values - means[:, None]
    first, second = np.triu_indices(n_systems, 1)
    size = np.abs(values).mean(axis=1)
    gap = means[first] - means[second]
    difference = np.where(np.abs(gap) <= RELATIVE * (size[first] + size[second]), 0.0, gap)
    inner = residual - residual.mean(axis=0)
    covariance = inner @ inner.T / (n_topics - 1.0)
    own = np.diag(covariance)
    variance = own[first] + own[second] - 2.0 * covariance[first, second]
    # of nearly equal residuals that leaves rounding alone, another on every processor
    close = variance <= _CANCELS * (own[first] + own[second])
    apart = inner[first[close]] - inner[second[close]]
    variance[close] = (apart**2).sum(axis=1) / (n_topics - 1.0)
    noisy = variance > (1e3 * RELATIVE * (size[first] + size[second])) ** 2
    alike = np.bincount(second[~noisy & (difference == 0.0)], minlength=n_systems) > 0
    if n_systems - int(alike.sum()) < FEWEST_SYSTEMS:
        message = f"{n_systems - int(alike.sum())} systems differ; the spread of their means asks for {FEWEST_SYSTEMS}"
        raise EstimationError(message)
    power = (inner**2).mean(axis=0)
    power = np.where(power > (1e3 * RELATIVE * size.mean()) ** 2, power, 0.0)  # less is rounding
    middle = np.median(power[power > 0]) if (power > 0).any() else 0.0
    above = power > middle * (1.0 + 1e3 * RELATIVE)
    loud = np.log(power[above] / middle) if middle else np.empty(0)
    if len(loud) < FEWEST_LOUD or noisy.sum() < 2:  # noqa: PLR2004 - a spread over pairs
        raise EstimationError(
            f"too few of the {n_topics} {unit().topics} have scores that differ to say how much they vary"
        )
    if not difference[noisy].any():
        raise EstimationError("the means of all systems are equal")
    logs = np.log(variance, out=np.full(len(variance), -np.inf), where=noisy)
    centre = logs[noisy].mean()
    sampled, spread = _sampling_variance(inner, variance, noisy), logs[noisy].var()
    kept = max(0.0, 1.0 - sampled / spread) if spread else 0.0
    # the log of an unbiased variance is too low by half its own variance
    settled = np.where(noisy, centre + kept * (np.where(noisy, logs, centre) - centre) + sampled / 2.0, -np.inf)
    worth = _independent_differences(inner, power)
    return Pairs(means, residual, difference, settled, float(kept), float(sampled), worth, power, loud)


def prior_of(pairs: Pairs) -> Prior:
    """Return the posterior of the law of u on a grid: a coarse one first, then a fine one where that has its mass."""
    u, logs, n_topics, worth = standardised(pairs)
    scales, slope, spread = grid_of_laws(u)
    for last in (False, True):
        points = [np.tile(one, len(scales)) for one in (slope, spread)]
        scale = np.repeat(scales, len(slope))
        log_weight = worth * _log_likelihood(u, logs, 1.0 / n_topics, scale, *points) + scale
        weight = np.exp(log_weight - log_weight.max())
        if not last:
            likely = weight.reshape(len(scales), -1).max(axis=1) > 1e-4  # noqa: PLR2004 - of the highest
            low, high = np.flatnonzero(likely)[[0, -1]]
            scales = np.linspace(scales[max(low - 1, 0)], scales[min(high + 1, _GRID - 1)], _GRID)
    return Prior(scale, points[0], points[1], weight / weight.sum())


def grid_of_laws(u: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the coarse grid of log scales for these u, and every slope with every spread."""
    slope, spread = (grid.ravel() for grid in np.meshgrid(SLOPES, SPREADS, indexing="ij"))
    square = u**2
    square = np.minimum(square, _AHEAD * np.median(square[square > 0]))
    return np.log(square.mean()) + np.linspace(np.log(_LEAST), np.log(_MOST), _GRID), slope, spread


def standardised(pairs: Pairs) -> tuple[Floats, Floats, int, float]:
    """Return u and the log variance less its mean of at most `_PAIRS` pairs, the topics, and each pair's weight."""
    noisy = np.flatnonzero(np.isfinite(pairs.log_variance))
    taken = noisy[:: -(-len(noisy) // _PAIRS)]
    logs = pairs.log_variance[taken]
    centred = logs - pairs.log_variance[noisy].mean()
    return pairs.difference[taken] / np.exp(logs / 2), centred, pairs.residual.shape[1], pairs.worth / len(taken)


def missed_power(pairs: Pairs, weights: Floats, chances: Floats) -> Floats:
    """Return what the variances are multiplied by for the loud topics that the sample missed, a number a draw.

    The lower half of the topics, up to the weighted median, has its own mean power; the upper half that of a
    log-normal law, whose spread has its posterior given the logs above the median.
    """
    order = np.argsort(settle(pairs.power), kind="stable")
    order = order[pairs.power[order] > 0]
    power, drawn = pairs.power[order], weights[:, order]
    total = drawn.sum(axis=1, keepdims=True)
    below = np.cumsum(drawn, axis=1) - drawn < total / 2.0
    middle = power[below.sum(axis=1) - 1]
    variance = (pairs.loud**2).sum() / (2.0 * gammaincinv(len(pairs.loud) / 2.0, chances))  # over chi-square
    variance = np.minimum(variance, _WILDEST)
    upper = middle * 2.0 * ndtr(np.sqrt(variance)) * np.exp(variance / 2.0)
    quiet = drawn * below
    return (quiet @ power + upper * (total[:, 0] - quiet.sum(axis=1))) / (drawn @ power)


def draw_differences(  # noqa: PLR0913 - the draws that all metrics share
    pairs: Pairs, *, weights: Floats, signs: Floats, chances: Floats, hyper: Floats, boost: Floats
) -> Differences:
    """Draw the true differences of all pairs.

    Shapes: `weights` (draw, topic), `signs` (draw, topic), `chances` (draw, pair), `hyper` (draw, 3), `boost` (draw,).
    """
    n_systems, n_topics = pairs.residual.shape
    inner = pairs.residual - pairs.residual.mean(axis=0)
    loads = (inner * weights[:, None, :]).reshape(-1, n_topics) @ inner.T
    covariance = loads.reshape(len(weights), n_systems, n_systems) / (n_topics - 1.0)
    errors = signs @ pairs.residual.T / np.sqrt(n_topics * (n_topics - 1.0))
    # too low by half the variance of the sample's error, and by as much for the weights
    logs = _log_variances(pairs.log_variance, pairs.kept, covariance) + pairs.sampled
    given = (pairs.difference, pairs.log_variance)
    u = _standardised_draws(*given, logs, errors, chances, hyper, 1.0 / n_topics)
    return Differences(
        value=np.where(np.isfinite(u), np.where(np.isfinite(u), u, 0.0) * np.exp(logs / 2.0), pairs.difference),
        log_variance=logs + np.log(boost)[:, None],
        level=pairs.means + errors,
        own=weights @ (pairs.residual**2).T / (n_topics - 1.0) * boost[:, None],
        compared=int((np.isfinite(pairs.log_variance) | (pairs.difference != 0.0)).sum()),
    )


def _independent_differences(inner: Floats, power: Floats) -> float:
    """Return how many systems that err independently point two topics' errors as differently as these, less one.

    The mean square cosine of the residuals of two topics is 1 / (N - 1) where N systems err alone, and nearly
    1 / (K - 1) where they err in K clusters; topics that are louder than others do not change it.
    """
    heard = inner[:, power > 0]
    heard = heard / np.sqrt((heard**2).sum(axis=0))
    n_topics = heard.shape[1]
    square = float(((heard.T @ heard) ** 2).sum() - n_topics) / (n_topics * (n_topics - 1.0))
    return float(np.clip(1.0 / square, FEWEST_SYSTEMS - 1.0, len(inner) - 1.0))


@compiled
def _sampling_variance(inner: Floats, variance: Floats, noisy: NDArray[np.bool_]) -> float:
    """Return the mean over pairs of the sampling variance of a log variance, what is common to all pairs left out."""
    n_systems, n_topics = inner.shape
    common, square, pair, count = np.zeros(n_topics), 0.0, -1, 0
    for a in range(n_systems):
        for b in range(a + 1, n_systems):
            pair += 1
            if not noisy[pair]:
                continue
            count += 1
            mean = variance[pair] * (n_topics - 1.0) / n_topics
            for topic in range(n_topics):
                influence = (inner[a, topic] - inner[b, topic]) ** 2 / mean - 1.0
                common[topic] += influence
                square += influence * influence
    return (square - (common * common).sum() / count) / count / n_topics**2


@compiled  # and not in a parallel kernel, where a sum depends on the cores
def _shares() -> Floats:
    """Return the weights of the nodes."""
    shares = np.exp(-0.5 * NODES**2)
    return shares / shares.sum()


@compiled
def _middle(log_variance: Floats) -> float:
    """Return the mean log variance of the pairs that have one."""
    return log_variance[log_variance > -np.inf].mean()


@compiled_parallel
def _log_likelihood(  # noqa: PLR0913, PLR0917 - the data and the grid
    u: Floats, logs: Floats, noise: float, scale: Floats, slope: Floats, spread: Floats
) -> Floats:
    """Return the sum over pairs of the log density of u at every point of the grid, less a constant."""
    out = np.empty(len(scale))
    shares = _shares()
    for point in numba.prange(len(scale)):
        total = 0.0
        steps = np.exp(spread[point] * NODES)
        for pair in range(len(u)):
            kappa = np.exp(scale[point] + slope[point] * logs[pair])
            density = 0.0
            for node in range(len(steps)):
                variance = kappa * steps[node] + noise
                density += shares[node] * np.exp(-0.5 * u[pair] * u[pair] / variance) / np.sqrt(variance)
            total += np.log(density + 1e-300)
        out[point] = total
    return out


@compiled_parallel
def _log_variances(log_variance: Floats, kept: float, covariance: Floats) -> Floats:
    """Return the log variance of every pair's difference (draw, pair), drawn towards the mean of all as in `Pairs`."""
    n_draws, n_systems = covariance.shape[:2]
    logs = np.full((n_draws, len(log_variance)), -np.inf)
    noisy = log_variance > -np.inf
    middle = _middle(log_variance)
    for draw in numba.prange(n_draws):
        own, pair, centre = covariance[draw], -1, 0.0
        for a in range(n_systems):
            for b in range(a + 1, n_systems):
                pair += 1
                if noisy[pair]:
                    variance = own[a, a] + own[b, b] - 2.0 * own[a, b]
                    logs[draw, pair] = np.log(max(variance, 1e-6 * np.exp(log_variance[pair])))
                    centre += logs[draw, pair]
        centre /= noisy.sum()
        for pair in range(len(log_variance)):
            if noisy[pair]:
                about = log_variance[pair] - middle
                raw = about / kept if kept > 0 else 0.0  # as in the sample itself
                logs[draw, pair] = centre + about + np.sqrt(kept) * (logs[draw, pair] - centre - raw)
    return logs


@compiled_parallel
def _standardised_draws(  # noqa: PLR0913, PLR0917 - the parts of a draw
    difference: Floats, log_variance: Floats, logs: Floats, errors: Floats, chances: Floats, hyper: Floats, noise: float
) -> Floats:
    """Draw u of every pair (draw, pair): a node of its law, then the normal posterior given that; inf without noise."""
    n_draws, n_systems = errors.shape
    drawn = np.full((n_draws, len(difference)), np.inf)
    shares, middle = _shares(), _middle(log_variance)
    for draw in numba.prange(n_draws):
        steps, density, pair = np.exp(hyper[draw, 2] * NODES), np.empty(len(NODES)), -1
        for a in range(n_systems):
            for b in range(a + 1, n_systems):
                pair += 1
                if log_variance[pair] == -np.inf:
                    if difference[pair] == 0.0:
                        drawn[draw, pair] = np.nan  # equal on every topic
                    continue
                observed = difference[pair] * np.exp(-0.5 * logs[draw, pair])
                kappa = np.exp(hyper[draw, 0] + hyper[draw, 1] * (log_variance[pair] - middle))
                total, node = 0.0, 0
                if hyper[draw, 2] > 0.0:  # else all nodes are one
                    for place in range(len(NODES)):
                        variance = kappa * steps[place] + noise
                        total += shares[place] * np.exp(-0.5 * observed * observed / variance) / np.sqrt(variance)
                        density[place] = total
                    node = min(np.searchsorted(density, chances[draw, pair] * total), len(NODES) - 1)
                shrink = kappa * steps[node] / (kappa * steps[node] + noise)
                error = (errors[draw, a] - errors[draw, b]) * np.exp(-0.5 * log_variance[pair])
                drawn[draw, pair] = shrink * observed + np.sqrt(shrink) * error
    return drawn
