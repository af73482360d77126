"""Posterior draws of the true means of all systems at once, from which the chance of being best follows.

1. **The topics are a sample**: the noise of the means comes from units (topics, or whole clusters) reweighted at random
   (Rubin's Bayesian bootstrap), its covariance pulled towards that of equal and independent systems (Ledoit and Wolf).
2. **A winner is lucky**: in the principal axes of that noise every coordinate of the true means has a common law, a
   mixture of normal ones about 0 that is estimated with them (adaptive shrinkage, Stephens), and is drawn towards
   nothing by it. In these axes, because systems that err alike have like means: a law of single systems would take the
   axis that parts strong from weak systems for noise.

The formulas stand with `metaeval.models.chances_of_best.best_system`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.parallel import track
from metaeval.resampling.unit_residuals import UnitResiduals
from metaeval.tests_stat.counting import tile_pool

__all__ = ["draw_true_means"]

type Floats = NDArray[np.float64]

VARIANCES = np.geomspace(1e-4, 30.0, 16)
"""Of the components, times the mean square coordinate seen."""
_CHAINS, _SWEEPS, _BURN = 2, 6, 10
"""Chains, sweeps for each draw of the noise, and draws of the noise left out at the start of a chain."""
_LEAST = 1e-12
"""Of a component's share, and of an axis's variance over the mean of all: a constant lead has no noise of its own."""


class _Seen(NamedTuple):
    """What one metric shows, in contrasts between its systems."""

    basis: Floats  # (system, contrast): orthonormal
    means: Floats
    inner: Floats  # (contrast, unit): what a unit adds to the errors of the means
    pull: float
    stratum: NDArray[np.int64]


def draw_true_means(
    units: UnitResiduals,
    kept: Sequence[NDArray[np.int64]],
    *,
    n_draws: int,
    generator: np.random.Generator,
    n_threads: int | None = None,
) -> list[Floats]:
    """Draw the true means of the systems kept under every metric, turned so that higher is better.

    Parameters
    ----------
    units : UnitResiduals
    kept : sequence of array of int
        For every metric the systems to draw: at least two, no two of them equal on every topic, not all without noise.
    n_draws : int
        Rounded up to a multiple of the chains and sweeps.
    generator : numpy.random.Generator
    n_threads : int, optional
        The draws do not depend on it.

    Returns
    -------
    list of array (draw, system)
        The grand mean is left as it was seen: no order depends on it.
    """
    seen = [_look(units, metric, own) for metric, own in enumerate(kept)]
    rounds = -(-n_draws // (_CHAINS * _SWEEPS))
    tasks = [(one, own) for one in seen for own in generator.spawn(_CHAINS)]
    with tile_pool(n_threads) as pool:
        runs = pool.map(lambda task: _chain(task[0], rounds, task[1]), tasks)
        drawn = list(track(runs, description="Drawing true means", total=len(tasks)))
    return [
        units.oriented[metric][own].mean() + np.concatenate(drawn[metric * _CHAINS : (metric + 1) * _CHAINS])
        for metric, own in enumerate(kept)
    ]


def _look(units: UnitResiduals, metric: int, kept: NDArray[np.int64]) -> _Seen:
    n_systems = len(kept)
    basis = np.linalg.qr(np.column_stack([np.ones(n_systems), np.eye(n_systems)[:, 1:]]))[0][:, 1:]
    inner = basis.T @ units.residual[metric][kept] * np.sqrt(units.inflation) / units.sizes.sum()
    return _Seen(basis, basis.T @ units.oriented[metric][kept], inner, _pull(inner), units.stratum)


def _pull(inner: Floats) -> float:
    """Return the weight by which Ledoit and Wolf (2004) pull a covariance towards equal variances."""
    n_contrasts, n_units = inner.shape
    covariance = inner @ inner.T
    squares = float((covariance**2).sum())
    away = squares - float(np.trace(covariance)) ** 2 / n_contrasts
    noise = float(((inner**2).sum(axis=0) ** 2).sum()) - squares / n_units
    return float(np.clip(noise / away, 0.0, 1.0)) if away > 0.0 else 1.0


def _chain(seen: _Seen, rounds: int, generator: np.random.Generator) -> Floats:
    """Run one chain of Gibbs sweeps, the noise drawn anew every few; array (draw, system)."""
    n_classes = len(VARIANCES)
    drawn: list[Floats] = []
    variances = VARIANCES * max(float((seen.means**2).mean()), np.finfo(float).tiny)
    share: Floats = np.full(n_classes, 1.0 / n_classes)
    for number in range(-_BURN, rounds):
        axes, noise = _draw_noise(seen, generator)
        observed = axes.T @ seen.means
        side = np.where(observed < 0.0, -1.0, 1.0)  # which way an axis points says nothing
        total = variances + noise[:, None]
        fit = -0.5 * (np.log(total) + (observed**2)[:, None] / total)
        for _ in range(_SWEEPS):
            own = (fit + np.log(share) + generator.gumbel(size=fit.shape)).argmax(axis=1)
            share = generator.standard_gamma(1.0 / n_classes + np.bincount(own, minlength=n_classes))
            share = np.maximum(share / share.sum(), _LEAST)
            kept = variances[own] / (variances[own] + noise)
            true = kept * observed + side * np.sqrt(kept * noise) * generator.standard_normal(len(noise))
            if number >= 0:
                drawn.append(axes @ true)
    return np.array(drawn) @ seen.basis.T


def _draw_noise(seen: _Seen, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw the principal axes (contrast, axis) of the errors of the means, and their variances."""
    weights: Floats = generator.standard_exponential((seen.inner.shape[1],))
    level_of_stratum = np.bincount(seen.stratum, weights) / np.bincount(seen.stratum)
    loads = seen.inner * np.sqrt(weights / level_of_stratum[seen.stratum])
    variance, axes = np.linalg.eigh(loads @ loads.T)
    level = float(variance.mean())
    return axes, np.maximum((1.0 - seen.pull) * variance + seen.pull * level, _LEAST * level)
