"""Posterior draws of the true means of all systems at once, from which ranks and chances of being best follow.

1. **The topics are a sample**: the noise of the means has the covariance of the units (topics, or whole clusters),
   pulled towards that of equal and independent systems, and a common scale that is not known exactly either.
2. **A winner is lucky**: the true means have a normal law whose size is estimated with them, and are drawn towards each
   other by it. How large it is along a direction may depend on how noisy that direction is: systems that err alike
   have like means.

Everything here is a function of the covariance as a whole. Its principal axes serve to compute it, and which axes
stand for equal variances, as where systems outnumber topics, changes nothing.

The formulas stand with `metaeval.models.probability_of_best.best_system`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from metaeval.resampling.cluster_residuals import UnitResiduals
from metaeval.resampling.exchangeable import SystemPlaces
from metaeval.running.equality import RELATIVE

type Floats = NDArray[np.float64]
type Whole = NDArray[np.int64]

SLOPES = (0.0, 0.5, 1.0)
"""Powers of the noise's variance with which that of the true means may go."""
_SIGNALS, _LEAST, _MOST = 48, 1e-4, 1e4
"""Variances of the true means over that of the noise; the largest times what the means show, where that is more."""
_SCALES = 32
"""Of the noise, equally likely."""
_CELLS = 2_000_000  # draws x systems held at a time: 16 MB


class _Noise(NamedTuple):
    """The covariance of the errors of the means, between systems."""

    axes: Floats  # (system, axis): orthonormal
    variance: Floats  # (axis,)
    freedom: float


class Posterior(NamedTuple):
    """The posterior of the true means of some systems: a mixture of normal laws that share their axes."""

    centre: float
    """Grand mean, left as it was seen: no order depends on it."""
    axes: Floats
    """Shape (system, axis)."""
    observed: Floats
    noise: Floats
    """The means seen, and the variances of their errors. Shape (axis,)."""
    signal: Floats
    """Variances of the true means under every law. Shape (signal, slope, axis)."""
    scale: Floats
    """What `noise` and `signal` are multiplied by. Shape (scale,)."""
    share: Floats
    """Posterior probability of each. Shape (scale, signal, slope)."""
    order: Whole
    """The system that takes the random numbers of every place. Shape (place,)."""

    def draws(self, n_draws: int, generator: np.random.Generator) -> Iterator[Floats]:
        """Draw true means and yield them a block at a time, (draw, system): as many as asked, and one more if odd.

        Draws come in pairs that mirror each other about the shrunken means.
        """
        n_systems, n_pairs = len(self.axes), -(-n_draws // 2)
        bounds = np.cumsum(self.share)
        start = generator.random()
        rows = max(16, _CELLS // n_systems)
        for first in range(0, n_pairs, rows):
            number = np.arange(first, min(first + rows, n_pairs))
            law = np.minimum(np.searchsorted(bounds, (number + start) / n_pairs * bounds[-1]), len(bounds) - 1)
            scale, signal, slope = np.unravel_index(law, self.share.shape)
            prior = self.signal[signal, slope]
            kept = prior / (prior + self.noise)
            error = np.empty((len(number), n_systems))
            error[:, self.order] = generator.standard_normal(error.shape)
            about = (kept * self.observed) @ self.axes.T
            error = (error @ self.axes * np.sqrt(kept * self.noise * self.scale[scale, None])) @ self.axes.T
            yield self.centre + np.concatenate([about + error, about - error])


def draws_of_means(
    units: UnitResiduals, metric: int, places: SystemPlaces, n_draws: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """Yield draws of the true means of all systems a block at a time, (draw, system), higher better.

    Systems equal in every unit have one true mean. Without any noise the means seen are the one draw.
    """
    kept, where = np.unique(_first_equal(units, metric), return_inverse=True)
    apart = np.ptp(units.residual[metric][kept], axis=0).max()
    if apart <= RELATIVE * units.spans[metric].max():
        yield units.oriented[metric][None]
        return
    order = np.argsort(np.argsort(places.order)[kept])
    for block in posterior_of_means(units, metric, kept, order).draws(n_draws, generator):
        yield block[:, where]


def posterior_of_means(units: UnitResiduals, metric: int, kept: Whole, order: Whole) -> Posterior:
    """Return the posterior of the true means under one metric, turned so that higher is better."""
    means, residual = units.oriented[metric][kept], units.residual[metric][kept]
    noise = _noise_of(residual * np.sqrt(units.inflation) / units.sizes.sum(), units.topics.freedom)
    observed = noise.axes.T @ (means - means.mean())
    level = float(noise.variance.mean())
    chances = (np.arange(_SCALES) + 0.5) / _SCALES
    scale = noise.freedom / (2.0 * gammaincinv(noise.freedom / 2.0, chances))  # over chi-square
    seen = float((observed**2 / noise.variance).mean())
    size = np.geomspace(_LEAST, _MOST * max(1.0, seen / float(scale.min())), _SIGNALS)
    shape = np.array([(noise.variance / level) ** slope for slope in SLOPES])
    signal = size[:, None, None] * level * shape / shape.mean(axis=1, keepdims=True)
    fit = np.empty((_SCALES, _SIGNALS, len(SLOPES)))
    for place, one in enumerate(scale):
        total = one * (signal + noise.variance)
        fit[place] = -0.5 * (np.log(total) + observed**2 / total).sum(axis=-1)
    fit += (np.log(size) - 2.0 * np.log1p(size))[:, None]  # the share of noise in what is seen is uniform
    share = np.exp(fit - fit.max(axis=(1, 2), keepdims=True))
    share /= share.sum(axis=(1, 2), keepdims=True) * _SCALES
    return Posterior(float(means.mean()), noise.axes, observed, noise.variance, signal, scale, share, order)


def _first_equal(units: UnitResiduals, metric: int) -> Whole:
    """Return for every system the first one that is equal to it in every unit, itself for most."""
    oriented, residual, spans = units.oriented[metric], units.residual[metric], units.spans[metric]
    first = np.arange(len(oriented))
    order = np.argsort(oriented, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(oriented[order]) != 0.0) + 1):
        for place, system in enumerate(group):
            apart = np.abs(residual[group[:place]] - residual[system]).sum(axis=1)
            same = group[:place][apart <= RELATIVE * (spans[group[:place]] + spans[system])]
            first[system] = first[same].min() if len(same) else system
    return first


def _noise_of(residual: Floats, freedom: int) -> _Noise:
    """Return the noise of the means from what each unit adds to their errors, (system, unit)."""
    n_systems = len(residual)
    basis = np.linalg.qr(np.column_stack([np.ones(n_systems), np.eye(n_systems)[:, 1:]]))[0][:, 1:]
    inner = basis.T @ residual
    covariance = inner @ inner.T
    pull = _pull(covariance, freedom)
    variance, axes = np.linalg.eigh(covariance)
    variance = (1.0 - pull) * np.maximum(variance, 0.0) + pull * float(covariance.trace()) / len(variance)
    return _Noise(basis @ axes, variance, freedom * (1.0 + pull * (n_systems - 2.0)))


def _pull(covariance: Floats, freedom: int) -> float:
    """Return the weight by which to pull a covariance towards equal variances (Chen et al., 2010, equation 23)."""
    size = len(covariance)
    squares, square = float((covariance**2).sum()), float(covariance.trace()) ** 2
    away = squares - square / size
    if away <= np.finfo(float).eps * square:
        return 1.0
    return min(1.0, ((1.0 - 2.0 / size) * squares + square) / ((freedom + 1.0 - 2.0 / size) * away))
