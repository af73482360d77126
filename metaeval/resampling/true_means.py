"""Posterior draws of the true means of all systems at once, from which ranks and chances of being best follow.

1. **The topics are a sample**: the noise of the means has the covariance of the units (topics, or whole clusters),
   pulled towards that of equal and independent systems, and a common scale that is not known exactly either.
2. **A winner is lucky**: the true means have a normal law whose size is estimated with them, and are drawn towards each
   other by it. It is larger in directions that are noisier: systems that err alike have like means. Where errors differ
   because some systems have more votes than others they say nothing of true values, which then have one variance.

Everything here is a function of the covariance as a whole. Its principal axes serve to compute it, and which axes
stand for equal variances, as where systems outnumber topics, changes nothing.

The formulas stand with `metaeval.models.probability_of_best.best_system`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincinv

from metaeval.base.arrays import Floats, Ints
from metaeval.resampling.cluster_residuals import UnitResiduals
from metaeval.resampling.exchangeable import SystemPlaces
from metaeval.running.equality import RELATIVE

type Whole = Ints

_GOLDEN = (5.0**0.5 - 1.0) / 2.0  # its multiples spread most evenly over 0 to 1
_LEAST_CHANCE = 1e-280  # of the gamma law: below, digits are lost
_CELLS = 2_000_000  # draws x systems held at a time: 16 MB
_GRID = 500  # values of the variance of the true means
_DEPTH = 80.0  # of its law, in units of the logarithm: beyond, it has no weight
_ENOUGH = 1e9  # degrees of freedom that are as good as all
_LEAST_NOISE = 1e-9  # along an axis, relative to the mean


class _Noise(NamedTuple):
    """The covariance of the errors of the means, between systems."""

    axes: Floats  # (system, axis): orthonormal
    variance: Floats  # (axis,)
    freedom: float


class Posterior(NamedTuple):
    """The posterior of the true means of some systems: a mixture of normal laws that share their axes."""

    centre: float
    """Grand mean, left as it was seen: no order depends on it."""
    observed: Floats
    """The means seen. Shape (axis,)."""
    noise: _Noise
    order: Whole
    """The system that takes the random numbers of every place. Shape (place,)."""
    alike: bool = False
    """Whether true means have one variance in all directions, in the place of one that grows with the noise."""

    def laws(self, chances: Floats) -> tuple[Floats, Floats]:
        """Return the scale of the noise, and the share of noise in what is seen, at chances (2, law).

        The share is one number a law, or, with `alike`, one an axis: (law, axis).
        """
        half = self.noise.freedom / 2.0
        scale = half / gammaincinv(half, chances[0])  # over chi-square
        if self.alike:
            return scale, self._shares(scale, chances[1])
        shape = len(self.observed) / 2.0
        rate = (self.observed**2 / self.noise.variance).sum() / (2.0 * scale)
        below = gammainc(shape, rate)
        shares = gammaincinv(shape, chances[1] * below) / np.maximum(rate, np.finfo(float).tiny)
        nothing = chances[1] ** (1.0 / np.maximum(shape - rate, 0.5))  # the law where rate is small beside shape
        return scale, np.where(below < _LEAST_CHANCE, nothing, np.minimum(shares, 1.0))

    def _shares(self, scale: Floats, chances: Floats) -> Floats:
        """Return the share of noise along every axis, (law, axis): by sums over the variance of the true means.

        Its law is flat in the logarithm of the share that noise of mean variance has; the sums are over the logarithm
        of the variance, fine enough for the axes with the least noise.
        """
        variance, square = self.noise.variance, self.observed**2
        level, size = float(variance.mean()), len(variance)
        variance = np.maximum(variance, _LEAST_NOISE * level)
        seen = max(float(square.sum()) / level / float(scale.min()), float(size))
        ends = np.log(1e-3 * variance.min()), np.log(level) + np.log(seen / size) + _DEPTH / size
        edges, step = np.linspace(*ends, _GRID + 1, retstep=True)
        spread = np.exp(edges[1:] - step / 2.0)  # over the scale
        total = variance[:, None] + spread
        prior = np.log(spread / (level + spread)) - 0.5 * np.log(total).sum(axis=0)
        log_density = prior - 0.5 * (square[:, None] / total).sum(axis=0) / scale[:, None]
        below = np.exp(log_density - log_density.max(axis=1, keepdims=True)).cumsum(axis=1)
        below = np.hstack([np.zeros((len(scale), 1)), below / below[:, -1:]])
        chances = 1.0 - chances  # the larger the variance, the smaller the share of noise
        cell = np.minimum((below[:, 1:] < chances[:, None]).sum(axis=1), _GRID - 1)
        start, end = np.take_along_axis(below, np.stack([cell, cell + 1], axis=1), axis=1).T
        true_variance = np.exp(edges[cell] + step * (chances - start) / np.maximum(end - start, np.finfo(float).tiny))
        return np.asarray(variance / (variance + true_variance[:, None]))

    def draws(self, n_draws: int, generator: np.random.Generator) -> Iterator[Floats]:
        """Draw true means and yield them a block at a time, (draw, system): as many as asked, and one more if odd.

        Draws come in pairs that mirror each other about the shrunken means; the laws of the pairs are spread evenly.
        """
        axes, variance, _ = self.noise
        n_systems, n_pairs = len(axes), -(-n_draws // 2)
        start = generator.random((2, 1))
        rows = max(16, _CELLS // (max(n_systems, _GRID) if self.alike else n_systems))
        for first in range(0, n_pairs, rows):
            number = np.arange(first, min(first + rows, n_pairs))
            chances = (start + np.stack([(number + 0.5) / n_pairs, number * _GOLDEN])) % 1.0
            scale, share = self.laws(chances)
            error = np.empty((len(number), n_systems))
            error[:, self.order] = generator.standard_normal(error.shape)
            error = error @ axes * np.sqrt(variance)
            if self.alike:
                about = ((1.0 - share) * self.observed) @ axes.T
                error = (np.sqrt((1.0 - share) * scale[:, None]) * error) @ axes.T
            else:
                about = (1.0 - share)[:, None] * (axes @ self.observed)
                error = np.sqrt((1.0 - share) * scale)[:, None] * (error @ axes.T)
            yield self.centre + np.concatenate([about + error, about - error])


def draws_of_means(
    units: UnitResiduals, metric: int, places: SystemPlaces, n_draws: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """Yield draws of the true means of all systems a block at a time, (draw, system), higher better.

    Systems equal in every unit have one true mean, and those a constant apart their order. Without any noise the means
    seen are the one draw.
    """
    parallel, of_runs = _parallel(units, metric), generator.spawn(1)[0]
    if len(parallel) == 1:
        still = units.oriented[metric][None]
        yield still if units.runs is None else _run_again(still.repeat(n_draws, axis=0), units, metric, of_runs)
        return
    first = np.arange(len(units.oriented[metric]))
    for group in parallel:
        for equal in np.split(group, np.flatnonzero(np.diff(units.oriented[metric][group])) + 1):
            first[equal] = equal.min()
    distinct, where = np.unique(first, return_inverse=True)
    leads = [list(dict.fromkeys(where[group].tolist())) for group in parallel]
    order = np.argsort(np.argsort(places.order)[distinct])
    for block in posterior_of_means(units, metric, distinct, order).draws(n_draws, generator):
        for ahead in leads:
            if len(ahead) > 1:
                block[:, ahead] = np.sort(block[:, ahead], axis=1)
        yield _run_again(block[:, where], units, metric, of_runs)


def _run_again(draws: Floats, units: UnitResiduals, metric: int, generator: np.random.Generator) -> Floats:
    """Add what runs may have done to each mean, by Student's t: (draw, system)."""
    if units.runs is None:
        return draws
    variance, freedom = (values[metric] for values in units.runs)
    known = np.minimum(np.maximum(freedom, 1.0), _ENOUGH)
    return draws + np.sqrt(variance) * generator.standard_t(known, size=draws.shape)


def posterior_of_means(units: UnitResiduals, metric: int, kept: Whole, order: Whole) -> Posterior:
    """Return the posterior of the true means under one metric, turned so that higher is better."""
    means, residual = units.oriented[metric][kept], units.residual[metric][kept]
    parts, freedom = residual * np.sqrt(units.inflation) / units.sizes.sum(), units.topics.freedom
    if units.held is not None:
        parts = parts * _wider(units.held[metric][kept] - 1.0, float(freedom))[:, None]
    return means_posterior(means, parts, freedom, order)


def _wider(own: Floats, freedom: float) -> Floats:
    """Return by how much wider Student's t is with a system's own degrees of freedom than with those of all units."""
    spread, every = (degrees / np.maximum(degrees - 2.0, 0.5) for degrees in (own, np.float64(freedom)))
    return np.asarray(np.sqrt(np.maximum(spread / every, 1.0)))


def means_posterior(
    means: Floats, parts: Floats, freedom: float, order: Whole, expected: Floats | None = None
) -> Posterior:
    """Return the posterior of true means from what adds to their errors, (system, part).

    `expected` is a covariance of errors, (system, system), towards whose shape theirs is pulled, in the place of that
    of equal and independent systems; true means have one variance then, whatever their errors.
    """
    noise = _noise_of(parts, freedom, expected)
    observed = noise.axes.T @ (means - means.mean())
    return Posterior(float(means.mean()), observed, noise, order, alike=expected is not None)


def _parallel(units: UnitResiduals, metric: int) -> list[Whole]:
    """Return the systems in groups, each by mean: those in one group are the same distance apart in every unit."""
    residual, spans = units.residual[metric], units.spans[metric]
    size = np.abs(residual).sum(axis=1)
    order = np.argsort(size, kind="stable")
    apart = np.diff(size[order]) > RELATIVE * (spans[order[1:]] + spans[order[:-1]])
    groups, waiting = [], np.split(order, np.flatnonzero(apart) + 1)
    while waiting:
        group = waiting.pop()
        difference = np.abs(residual[group] - residual[group[0]]).sum(axis=1)
        same = difference <= RELATIVE * (spans[group] + spans[group[0]])
        groups.append(group[same][np.argsort(units.oriented[metric][group[same]], kind="stable")])
        if not same.all():
            waiting.append(group[~same])
    return groups


def _noise_of(residual: Floats, freedom: float, expected: Floats | None) -> _Noise:
    """Return the noise of the means from what each unit adds to their errors, (system, unit).

    With another covariance than that of equal systems expected, it is pulled in units in which that is 1.
    """
    n_systems = len(residual)
    basis = np.linalg.qr(np.column_stack([np.ones(n_systems), np.eye(n_systems)[:, 1:]]))[0][:, 1:]
    inner, root = basis.T @ residual, np.empty((0, 0))
    if expected is not None:
        values, vectors = np.linalg.eigh(basis.T @ expected @ basis)
        values = np.sqrt(np.maximum(values, RELATIVE * values[-1]))
        inner, root = (vectors / values) @ vectors.T @ inner, (vectors * values) @ vectors.T
    covariance = inner @ inner.T
    pull = _pull(covariance, freedom)
    variance, axes = np.linalg.eigh(covariance)
    variance = (1.0 - pull) * np.maximum(variance, 0.0) + pull * float(covariance.trace()) / len(variance)
    if expected is not None:
        variance, axes = np.linalg.eigh((root @ axes * variance) @ (root @ axes).T)
    return _Noise(basis @ axes, np.maximum(variance, 0.0), freedom * (1.0 + pull * (n_systems - 2.0)))


def _pull(covariance: Floats, freedom: float) -> float:
    """Return the weight by which to pull a covariance towards equal variances (Chen et al., 2010, equation 23)."""
    size = len(covariance)
    squares, square = float((covariance**2).sum()), float(covariance.trace()) ** 2
    away = squares - square / size
    if away <= np.finfo(float).eps * square:
        return 1.0
    return min(1.0, ((1.0 - 2.0 / size) * squares + square) / ((freedom + 1.0 - 2.0 / size) * away))
