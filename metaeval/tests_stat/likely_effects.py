r"""How large the true differences of systems are likely to be, and the units (topics, clusters) that find them.

A difference that was seen is a guess, and among many pairs those that seem within reach are mostly those whose
difference was overestimated. So what is taken for true is not the effect seen, but its posterior, whose law is
estimated with all pairs of a table; and a test finds it with a given chance not if that effect is as likely, but over
all that it may be.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from metaeval.base.arrays import Floats
from metaeval.running.parallel import in_one_order
from metaeval.tests_stat.pairs import Estimates

MOST_UNITS = 1e7
SLOPES = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)
"""Powers of a pair's variance with which the variance of true effects may go, equally likely: systems that err alike
have like means."""
_GRID = 30
_LEAST, _MOST = 1e-3, 30.0
"""Of the noise, and of the mean square of the effects seen: the variance of the true ones lies between."""
_WILD = 3.0
"""Variance of the log variance of n topics' differences, times n: 2 were they normal, whose tails are lighter."""
MOST_PAIRS = 4000
"""More pairs say nothing more about their common law."""
_WEIGHT = 1e-3
"""Of the likeliest law, below which a law is left out."""
_HALVINGS = 45


class SeenDifferences(NamedTuple):
    """Mean differences of pairs, as they were seen: arrays (pair,)."""

    difference: Floats
    error: Floats
    """Standard error; 0 where nothing varies, so that nothing is said."""
    worth: Floats
    """Independent units: degrees of freedom and one."""

    @classmethod
    def of(cls, estimates: Estimates, metric: int = 0) -> Self:
        """Return those of one metric."""
        return cls(estimates.mean[metric], estimates.error[metric], estimates.certain_freedom[metric] + 1.0)

    def varying(self) -> Self:
        """Return those that vary, of which no more are taken than say something."""
        places = np.flatnonzero(self.error > 0.0)
        return type(self)(*(array[places[:: max(1, -(-len(places) // MOST_PAIRS))]] for array in self))

    def log_variance(self) -> Floats:
        """Return the log variance of one unit's difference; NaN where nothing varies."""
        varies = self.error > 0.0
        return np.where(varies, 2.0 * np.log(np.where(varies, self.error, 1.0)) + np.log(self.worth), np.nan)


class LikelyEffects(NamedTuple):
    """The posterior of true effects, mean differences in standard deviations of one unit: mixtures of normal laws."""

    mean: Floats
    """Shape (pair, law); NaN where nothing varies."""
    variance: Floats
    """Shape (pair, law)."""
    weight: Floats
    """Shape (law,)."""
    spread: Floats
    """Standard deviation of a unit's difference, drawn towards that of all pairs. Shape (pair,)."""

    @classmethod
    def alone(cls, seen: SeenDifferences) -> Self:
        """Return the posterior where nothing says which effects are likely: a flat prior."""
        spread = np.exp(seen.log_variance() / 2.0)
        effect = seen.difference / spread
        return cls(effect[:, None], _noise(effect, seen.worth)[:, None], np.ones(1), spread)

    def ahead_of(self, margin: Floats | float) -> Self:
        """Return the effects of the differences less a margin."""
        return self._replace(mean=self.mean - (margin / self.spread)[:, None])

    @in_one_order
    def interval(self, confidence_level: float = 0.95) -> tuple[Floats, Floats, Floats]:
        """Return the mean effect, and the ends between which it lies, as a normal law has them. Shape (pair,)."""
        mean = self.mean @ self.weight
        square = (self.variance + self.mean**2) @ self.weight - mean**2
        half = ndtri((1.0 + confidence_level) / 2.0) * np.sqrt(np.maximum(square, 0.0))
        return mean, mean - half, mean + half

    @in_one_order
    def chance(
        self, units: Floats, *, share: Floats | float = 1.0, level: Floats | float = 0.05, wider: Floats | float = 1.0
    ) -> Floats:
        r"""Return the chance that a two-sided t test of so many other units finds a difference. Shape (pair,).

        Notes
        -----
        Over a normal law of the effect with mean m and variance v, with c the critical value of u units' :math:`\nu`
        degrees of freedom (`wider` multiplies it, `share` the units),

        .. math:: \Phi\!\left(\frac{\pm m \sqrt u - c (1 - 1 / 4\nu)}{\sqrt{1 + u v + c^2 / 2\nu}}\right),

        Johnson and Welch's approximation of the non-central t, both tails together.
        """
        worth = np.maximum(units * share, 1.0)
        freedom = np.maximum(worth - 1.0, 0.1)
        edge = -stdtrit(freedom, np.asarray(level) / 2.0) * wider
        shift, off = np.sqrt(worth)[:, None] * self.mean, (edge * (1.0 - 0.25 / freedom))[:, None]
        over = np.sqrt(1.0 + worth[:, None] * self.variance + (edge**2 / (2.0 * freedom))[:, None])
        return np.asarray((ndtr((shift - off) / over) + ndtr((-shift - off) / over)) @ self.weight)

    def units_needed(
        self, *, power: float, share: Floats | float = 1.0, level: Floats | float = 0.05, wider: Floats | float = 1.0
    ) -> Floats:
        """Return the fewest units whose chance is `power`; infinite beyond ten million. Shape (pair,)."""
        low = np.log(np.maximum(2.0, 1.0 / np.broadcast_to(np.asarray(share, dtype=float), self.spread.shape)))
        high = np.full_like(low, np.log(MOST_UNITS))
        never = self.chance(np.exp(high), share=share, level=level, wider=wider) < power
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            enough = self.chance(np.exp(middle), share=share, level=level, wider=wider) >= power
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        needed = np.ceil(np.exp(high) * (1.0 - 1e-9))
        return np.where(np.isnan(self.spread), np.nan, np.where(never, np.inf, needed))


def _noise(effect: Floats, worth: Floats, kept: float = 1.0) -> Floats:
    """Return the variance of effects seen: of the means, and of the spread as far as it is the pair's own."""
    return (1.0 + kept * effect**2 / 2.0) / np.maximum(worth, 1.0)


def likely_effects(pairs: SeenDifferences, family: SeenDifferences, *, n_systems: int) -> LikelyEffects:
    r"""Return the posterior of the true effects of some pairs, given all pairs of these systems.

    Parameters
    ----------
    pairs, family : SeenDifferences
        Those asked for, and all, or as many as say how far systems are apart.
    n_systems : int
        All pairs together are worth one fewer independent differences.

    Notes
    -----
    With w the worth, a pair's variance is :math:`s^2 = w e^2`; :math:`\log s^2` is drawn towards the mean of all pairs
    by the share of its spread that is sampling error, 3 / w, of which it keeps the rest, q. The effect seen,
    :math:`\hat u = d / s`, has noise :math:`v = (1 + q \hat u^2 / 2) / w`, that of s being a part of it, and true
    effects a normal law about 0 of variance :math:`\kappa^2 (s^2)^b`, with a flat prior on :math:`\kappa` and on
    `SLOPES`, of which a grid is summed over: :math:`u \sim N(k \hat u, k v)` with :math:`k = \kappa_b^2 /
    (\kappa_b^2 + v)`. By ``benchmarks/reports/simulation_based_calibration.md``
    intervals of 90 % hold 89 to 90 % of effects where systems are as noisy as each other; where the noise differs
    fivefold they hold 87 %, and 84 % of those that seem largest.
    """
    family, logs = family.varying(), pairs.log_variance()
    if not len(family.error):
        nothing = np.full((len(logs), 1), np.nan)
        return LikelyEffects(nothing, nothing, np.ones(1), nothing[:, 0])
    of_family = family.log_variance()
    centre, spread = of_family.mean(), of_family.var()
    kept = max(0.0, 1.0 - _WILD * (1.0 / family.worth).mean() / spread) if spread > 0.0 else 0.0
    away, noise = kept * (of_family - centre), 1.0 / family.worth
    square = family.difference**2 / np.exp(centre + away)
    scales = np.geomspace(_LEAST * noise.mean(), _MOST * max(square.mean(), noise.mean()), _GRID)
    slopes = np.array(SLOPES if kept > 0.0 else (0.0,))
    fit = np.empty((len(slopes), _GRID))
    for row, slope in enumerate(slopes):
        total = (noise * (1.0 + square / 2.0))[:, None] + np.exp(slope * away)[:, None] * scales
        fit[row] = -0.5 * (np.log(total) + square[:, None] / total).mean(axis=0)
    fit = (n_systems - 1.0) * fit + 0.5 * np.log(scales)
    weight = np.exp(fit - fit.max())
    slope, scale = np.nonzero(weight > _WEIGHT)
    away = kept * (logs - centre)
    deviation = np.exp((centre + away) / 2.0)
    noise = _noise(pairs.difference / deviation, pairs.worth, kept)
    true_variance = np.exp(slopes[slope] * away[:, None]) * scales[scale]
    shrink = true_variance / (true_variance + noise[:, None])
    return LikelyEffects(
        mean=shrink * (pairs.difference / deviation)[:, None],
        variance=shrink * noise[:, None],
        weight=weight[slope, scale] / weight[slope, scale].sum(),
        spread=deviation,
    )
