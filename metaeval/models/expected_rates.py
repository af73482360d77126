"""The error rate that true differences between systems stand for, at every number of topics and tolerance."""

import numpy as np
from scipy.special import ndtr

from metaeval.base.arrays import Floats
from metaeval.models.true_differences import Differences
from metaeval.running.compiled import compiled
from metaeval.running.parallel import in_one_order, on_threads

SIZES = np.unique(np.round(np.geomspace(2, 1e6, 48)))
"""Numbers of topics at which the error rate is kept; a minimum topic count past the last one is infinite."""
_BINS = np.geomspace(1e-6, 30.0, 900)
"""Of |u|; a rate between two of them is off by less than 1e-4 of itself."""
_FAR = 8.0
_PHI = ndtr(np.linspace(-_FAR, _FAR, 8193))


@in_one_order
def expected_rates(drawn: Differences, tolerances: Floats, *, relative: bool) -> Floats:
    """Return the mean over pairs of the chance that each of two systems wins one of two topic sets.

    Shapes: `tolerances` (tolerance,), result (draw, tolerance, size).
    """
    above = np.flatnonzero(tolerances > 0)
    far = ndtr(-np.sqrt(SIZES)[:, None] * _BINS)
    noisy = np.isfinite(drawn.log_variance)
    u = np.where(noisy, np.abs(drawn.value) * np.exp(-0.5 * np.where(noisy, drawn.log_variance, 0.0)), np.inf)
    rates = np.repeat((_in_bins(u) @ (2.0 * far * (1.0 - far)).T)[:, None], len(tolerances), axis=1)
    if len(above):
        logs = np.ascontiguousarray(drawn.log_variance)
        clear = np.zeros((len(logs), len(above), len(SIZES)))
        inputs = (drawn.value, logs, drawn.level, drawn.own, tolerances[above], relative, np.sqrt(SIZES))
        _clear_of(len(clear), *inputs, clear)
        clear[:, 0] = np.minimum(clear[:, 0], rates[:, 0])  # at tolerance 0, whatever was asked
        rates[:, above] = np.minimum.accumulate(clear, axis=1)  # the normal law of means near 0 goes below it
    return rates / drawn.compared


@compiled
def _normal(x: float) -> float:
    """Return the normal distribution function, from a table whose relative error is below 1e-4 where it matters."""
    position = (min(max(x, -_FAR), _FAR) + _FAR) / (2.0 * _FAR) * (len(_PHI) - 1)
    low = min(int(position), len(_PHI) - 2)
    return _PHI[low] + (position - low) * (_PHI[low + 1] - _PHI[low])


@compiled
def _in_bins(u: Floats) -> Floats:
    """Count the pairs of every draw in bins of |u|, each between two: at tolerance 0 a rate depends on |u| alone."""
    counts = np.zeros((len(u), len(_BINS)))
    step = np.log(_BINS[1] / _BINS[0])
    for draw in range(len(u)):
        for pair in range(u.shape[1]):
            size = abs(u[draw, pair])
            if size < np.inf:
                position = (np.log(size + _BINS[0]) - np.log(_BINS[0])) / step
                position = min(position, len(_BINS) - 1.001)
                low = int(position)
                counts[draw, low] += 1.0 - position + low
                counts[draw, low + 1] += position - low
    return counts


@on_threads
@compiled
def _clear_of(  # noqa: PLR0913, PLR0917 - the parts of a draw
    start: int,
    stop: int,
    differences: Floats,
    logs: Floats,
    levels: Floats,
    own: Floats,
    tolerances: Floats,
    relative: bool,  # noqa: FBT001 - of the tolerances
    roots: Floats,
    rates: Floats,
) -> None:
    """Sum over pairs the chance that each system wins one of two topic sets by a tolerance (draw, tolerance, size)."""
    n_systems = levels.shape[1]
    for draw in range(start, stop):
        for which in range(len(tolerances)):
            keep, lead = (1.0 - tolerances[which], 0.0) if relative else (1.0, tolerances[which])
            pair = -1
            for a in range(n_systems):
                for b in range(a + 1, n_systems):
                    pair += 1
                    if logs[draw, pair] == -np.inf:
                        continue
                    half = differences[draw, pair] / 2.0
                    level = (levels[draw, a] + levels[draw, b]) / 2.0
                    if relative:
                        level = max(level, abs(half))  # scores of which a share can be taken have no mean below 0
                    spread = keep * np.exp(logs[draw, pair])  # of keep * a - b, but for what the two do not share
                    to_a = spread + (1.0 - keep) * (own[draw, b] - keep * own[draw, a])
                    to_b = spread + (1.0 - keep) * (own[draw, a] - keep * own[draw, b])
                    there = (keep * (level + half) - level + half - lead) / np.sqrt(max(to_a, 1e-300))
                    back = (keep * (level - half) - level - half - lead) / np.sqrt(max(to_b, 1e-300))
                    for size in range(len(roots)):
                        if min(there, back) * roots[size] < -_FAR:
                            break
                        rates[draw, which, size] += 2.0 * _normal(there * roots[size]) * _normal(back * roots[size])
