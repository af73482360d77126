"""Posterior draws of the true differences between systems, from which error rates follow.

The error rate of the swap method is a mean over pairs of systems, and what a pair contributes depends on one number:
the difference u of its two true means in units of the standard deviation of one topic's difference. If the u were
known, so would be the error rate at every number of topics and tolerance. They are not, and four things say how far:

1. **the topics are a sample**: the variances come from topics reweighted at random (Rubin's Bayesian bootstrap) and
   the errors of all differences from the residuals themselves, so that pairs which share a system err together;
2. **small differences look larger than they are**: the u of all pairs have a common law, but for a few that may lie
   anywhere; it is estimated with them, and they are drawn towards nothing by it. How large u is may depend on how noisy
   the pair is, for systems that err alike have like means;
3. **pairs share their systems**: N systems have N - 1 independent differences, not N (N - 1) / 2, and fewer where
   systems err alike; so much is the likelihood of all pairs taken to be worth;
4. **the loudest topics are mostly missing**: where a few topics carry much of the variance, most samples miss some of
   them, and the upper half is taken to be log-normal, the more so the wider it spreads.

The formulas stand with `metaeval.models.error_rate_model.bayesian_error_rate`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_paired
from metaeval.base.unit import unit
from metaeval.errors import EstimationError
from metaeval.running.compiled import compiled
from metaeval.running.equality import RELATIVE

FEWEST_SYSTEMS = 4
"""A flat prior on a variance has a proper posterior from three independent differences on (Gelman, 2006)."""
FEWEST_LOUD = 4
"""Topics above the median, of which a spread is taken."""
SLOPES = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)
"""Powers of a pair's variance with which the variance of u may go, equally likely: at 0, differences go with noise; at
-1 they do not depend on it; clusters of systems ask for 2 and a little more. Real tables lie near 0: without the steps
of 1/2 the numbers of topics come out 3 % higher on them, ending at 2 takes seven points of coverage off clusters."""
_CANCELS = 1e-6
"""Share of two variances below which the variance of their difference is taken from the differences themselves."""
_APART = 0.003
"""Share of pairs that lie anywhere among those seen rather than by the common law: a system far from all others then
says little of how far these are apart. On real tables the numbers of topics rise by half a percent with it."""
_GRID = 24
_LEAST, _MOST = 1e-4, 30.0
"""Of the mean square of the u observed: the true one lies between, wherever there is anything to estimate."""
_AHEAD = 1e4
"""Times the usual u², past which a pair, such as a copy with a constant lead, says nothing about where others lie."""
_WILDEST = 8.0
"""Variance of the log powers beyond those of all collections looked at (.1 to 5); more would be a table of outliers."""
_HALFWAY = 2.0
"""Variance of the log powers at which half of what the log-normal law adds is believed: scores have a largest value, so
that its tail is too heavy for most collections (variance .1 to 1.6; benchmarks/reports/real_populations.md)."""
_PAIRS = 4000
"""More pairs say nothing more about their common law: 143 systems have 142 independent differences."""


class PairStatistics(NamedTuple):
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
    middle: float
    """Their median, of those above 0."""
    loud: Floats
    """Log of the powers above it, over it."""


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
    """The posterior of the law of u on a grid: log κ² = log_scale + slope · l.

    l is the pair's log variance less the mean of all pairs.
    """

    log_scale: Floats
    slope: Floats
    weight: Floats


def describe_pairs(values: Floats) -> PairStatistics:
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
    variances = np.diag(covariance)
    variance = variances[first] + variances[second] - 2.0 * covariance[first, second]
    # of nearly equal residuals that leaves rounding alone, another on every processor
    close = variance <= _CANCELS * (variances[first] + variances[second])
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
    shrinkage = max(0.0, 1.0 - sampled / spread) if spread else 0.0
    # the log of an unbiased variance is too low by half its own variance
    settled = np.where(noisy, centre + shrinkage * (np.where(noisy, logs, centre) - centre) + sampled / 2.0, -np.inf)
    worth = _independent_differences(inner, power)
    return PairStatistics(
        means, residual, difference, settled, float(shrinkage), float(sampled), worth, power, float(middle), loud
    )


def prior_of(pairs: PairStatistics) -> Prior:
    """Return the posterior of the law of u on a grid: a coarse one first, then a fine one where that has its mass."""
    u, logs, n_topics, worth = standardised(pairs)
    scales, slopes = scales_for(u), np.array(SLOPES)
    for last in (False, True):
        fit = np.empty((len(scales), len(slopes)))
        for column, slope in enumerate(slopes):
            variance = np.exp(scales[:, None] + slope * logs) + 1.0 / n_topics
            fit[:, column] = np.logaddexp(-0.5 * (u**2 / variance + np.log(variance)), apart(u)).sum(axis=1)
        log_weight = worth * fit + scales[:, None]
        weight = np.exp(log_weight - log_weight.max())
        if not last:
            likely = weight.max(axis=1) > 1e-4  # noqa: PLR2004 - of the highest
            low, high = np.flatnonzero(likely)[[0, -1]]
            scales = np.linspace(scales[max(low - 1, 0)], scales[min(high + 1, _GRID - 1)], _GRID)
    scale, slope = (grid.ravel() for grid in np.meshgrid(scales, slopes, indexing="ij"))
    return Prior(scale, slope, weight.ravel() / weight.sum())


def scales_for(u: Floats) -> Floats:
    """Return the coarse grid of log scales for these u."""
    square = u**2
    square = np.minimum(square, _AHEAD * np.median(square[square > 0]))
    return np.log(square.mean()) + np.linspace(np.log(_LEAST), np.log(_MOST), _GRID)


def apart(u: Floats) -> float:
    """Return the log density of a u that does not follow the common law, on the scale of that of one that does."""
    return float(np.log(_APART / (1.0 - _APART) * np.sqrt(np.pi / 2.0) / (np.abs(u).max() or 1.0)))


def standardised(pairs: PairStatistics) -> tuple[Floats, Floats, int, float]:
    """Return u and the log variance less its mean of at most `_PAIRS` pairs, the topics, and each pair's weight."""
    noisy = np.flatnonzero(np.isfinite(pairs.log_variance))
    taken = noisy[:: -(-len(noisy) // _PAIRS)]
    logs = pairs.log_variance[taken]
    centred = logs - pairs.log_variance[noisy].mean()
    return pairs.difference[taken] / np.exp(logs / 2), centred, pairs.residual.shape[1], pairs.worth / len(taken)


def missed_power(pairs: PairStatistics, chances: Floats, errors: Floats) -> Floats:
    """Return what the variances are multiplied by for the loud topics that the sample missed, a number a draw.

    The log-normal law of the powers has its posterior: its variance given the logs above the median by `chances`, the
    median itself by `errors`, standard normal numbers. Shapes (draw,).
    """
    heard = pairs.power[pairs.power > 0]  # as the median
    variance = (pairs.loud**2).sum() / (2.0 * gammaincinv(len(pairs.loud) / 2.0, chances))  # over chi-square
    variance = np.minimum(variance, _WILDEST)
    of_median = np.sqrt(np.pi / 2.0 * variance / len(heard)) * errors
    missed = np.log(pairs.middle / heard.mean()) + of_median + variance / 2.0
    return np.exp(variance / (_HALFWAY + variance) * missed)


def draw_differences(
    pairs: PairStatistics, *, weights: Floats, signs: Floats, law: tuple[Floats, Floats], boost: Floats
) -> Differences:
    """Draw the true differences of all pairs.

    Shapes: `weights` (draw, topic), `signs` (draw, topic), `law` log scales and slopes (draw,), `boost` (draw,).
    """
    n_systems, n_topics = pairs.residual.shape
    noisy = np.flatnonzero(np.isfinite(pairs.log_variance))
    first, second = (systems[noisy] for systems in np.triu_indices(n_systems, 1))
    inner = pairs.residual - pairs.residual.mean(axis=0)
    loads = (inner * weights[:, None, :]).reshape(-1, n_topics) @ inner.T
    covariance = loads.reshape(len(weights), -1) / (n_topics - 1.0)
    variances = covariance[:, :: n_systems + 1]
    variance = variances[:, first] + variances[:, second] - 2.0 * covariance[:, first * n_systems + second]
    errors = signs @ pairs.residual.T / np.sqrt(n_topics * (n_topics - 1.0))
    settled = pairs.log_variance[noisy]
    about = settled - settled.mean()
    logs = np.log(np.maximum(variance, 1e-6 * np.exp(settled)))
    centre, sample = logs.mean(axis=1, keepdims=True), about / (pairs.kept or 1.0)
    logs = np.sqrt(pairs.kept) * (logs - centre - sample) + centre + about
    logs += pairs.sampled  # too low by half the variance of the sample's error, and by as much for the weights
    scale, slope = law
    kappa = np.exp(scale[:, None] + slope[:, None] * about)
    shrink = kappa / (kappa + 1.0 / n_topics)
    error = (errors[:, first] - errors[:, second]) * np.exp((logs - settled) / 2.0)
    value = np.tile(pairs.difference, (len(weights), 1))
    value[:, noisy] = shrink * pairs.difference[noisy] + np.sqrt(shrink) * error
    log_variance = np.full(value.shape, -np.inf)
    log_variance[:, noisy] = logs + np.log(boost)[:, None]
    return Differences(
        value=value,
        log_variance=log_variance,
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
def _sampling_variance(inner: Floats, variance: Floats, noisy: Flags) -> float:
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
