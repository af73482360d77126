"""The largest studentised difference of every resample: what one threshold for all pairs of systems is read from.

With r the residuals of two systems' difference on the units of the sample, c how often each was drawn, W the sizes and
n the units, a resample has A = sum of c r, the mean residual d = A / sum of c W, the squares
Q = n / (n - 1) times the sum of c (r - d W)**2, and t* = A / sqrt(Q); strata add up their A and their Q. In the sample
itself A is the difference of the means times the sum of the W.

A resample of few topics can be almost without variance, one of 0/1 scores altogether: t* is then huge without saying
anything about the sample. Q therefore counts as a tenth of the sample's Q at least (`LEAST_VARIANCE`): what that
costs and brings is measured in ``benchmarks/reports/rank_interval_coverage.md``.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.resampling.cluster_residuals import UnitResiduals
from metaeval.running.compiled import compiled
from metaeval.running.draws import chunk_size
from metaeval.running.parallel import track
from metaeval.tests_stat.counting import tile_pool

type Whole = Ints

LEAST_VARIANCE = 0.1
"""Share of the sample's variance that a resample's counts as at least."""
_TILE = 128  # pairs in one matrix product
_BLOCK = 128  # resamples in one: the tile's squares and its result stay in a second-level cache


class _Drawn(NamedTuple):
    """What one block of resamples makes of the units; arrays (stratum, ..., resample)."""

    counts: Floats  # (unit, resample)
    totals: Floats  # (stratum, system, resample): sum of c r
    moments: Floats  # (stratum, system, resample): sum of c r W
    sizes: Floats  # (stratum, resample): sum of c W
    squares: Floats  # (stratum, resample): sum of c W**2
    inflation: Floats  # (stratum,)


def squared_deviations(units: UnitResiduals, first: Whole, second: Whole) -> Floats:
    """Return Q of every metric and pair on the sample itself, (metric, pair)."""
    return np.stack([_squares_of_pairs(own, units.inflation, first, second) for own in units.residual])


def largest_t(  # noqa: PLR0913 - the sample, its pairs and the draws
    units: UnitResiduals,
    pairs: list[tuple[Whole, Whole]],
    squares: list[Floats],
    *,
    each_system: bool,
    n_resamples: int,
    generator: np.random.Generator,
    n_threads: int | None = None,
) -> Floats:
    """Return the largest abs(t*) of every resample.

    Shapes: `pairs` (pair,), `squares` (pair,), result (metric, row, resample).
    """
    n_metrics, n_systems, _ = units.residual.shape
    found = np.zeros((n_metrics, n_systems if each_system else 1, n_resamples))
    rows = np.arange(n_systems) if each_system else np.zeros(n_systems, dtype=np.int64)

    def steps(pool: ThreadPoolExecutor) -> Iterator[None]:
        done = 0
        for counts in units.topics.counts(generator, n_resamples):
            blocks = [slice(start, start + _BLOCK) for start in range(0, counts.shape[1], _BLOCK)]
            out = found[:, :, done : done + counts.shape[1]]
            tasks = [(metric, block) for metric in range(n_metrics) for block in blocks]

            def step(task: tuple[int, slice], counts: Floats = counts, out: Floats = out) -> None:
                metric, block = task
                drawn = _draw(units, metric, np.ascontiguousarray(counts[:, block]))
                out[metric, :, block] = _block(units, metric, drawn, *pairs[metric], squares[metric], rows)

            yield from pool.map(step, tasks)
            done += counts.shape[1]

    at_once = chunk_size(len(units.sizes))
    chunks = [min(at_once, n_resamples - start) for start in range(0, n_resamples, at_once)]
    total = n_metrics * sum(-(-one // _BLOCK) for one in chunks)
    with tile_pool(n_threads) as pool:
        for _ in track(steps(pool), description="Resampling topics", total=total):
            pass
    return np.sqrt(found, out=found)


def _draw(units: UnitResiduals, metric: int, counts: Floats) -> _Drawn:
    residual, sizes = units.residual[metric], units.sizes
    inside = [np.flatnonzero(units.stratum == one) for one in range(units.stratum.max() + 1)]
    totals = np.stack([residual[:, own] @ counts[own] for own in inside])
    alike = bool((sizes == 1.0).all())
    moments = totals if alike else np.stack([(residual[:, own] * sizes[own]) @ counts[own] for own in inside])
    return _Drawn(
        counts=counts,
        totals=totals,
        moments=moments,
        sizes=np.stack([sizes[own] @ counts[own] for own in inside]),
        squares=np.stack([sizes[own] ** 2 @ counts[own] for own in inside]),
        inflation=np.array([units.inflation[own[0]] for own in inside]),
    )


def _block(  # noqa: PLR0913, PLR0917 - the sample, its pairs and one block
    units: UnitResiduals, metric: int, drawn: _Drawn, first: Whole, second: Whole, squares: Floats, rows: Whole
) -> Floats:
    """Return the largest t*² of one block, (row, resample)."""
    largest = np.zeros((int(rows.max()) + 1, drawn.counts.shape[1]))
    for start in range(0, len(first), _TILE):
        part = slice(start, start + _TILE)
        deviations = _weighted_squares(units.residual[metric], units.inflation, first[part], second[part])
        _take_largest(drawn, deviations @ drawn.counts, first[part], second[part], squares[part], rows, largest)
    return largest


@compiled
def _weighted_squares(residual: Floats, inflation: Floats, first: Whole, second: Whole) -> Floats:
    """Return r squared of every pair and unit, times n / (n - 1)."""
    out = np.empty((len(first), residual.shape[1]))
    for pair in range(len(first)):
        a, b = residual[first[pair]], residual[second[pair]]
        for unit in range(len(a)):
            out[pair, unit] = inflation[unit] * (a[unit] - b[unit]) ** 2
    return out


@compiled
def _take_largest(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    drawn: _Drawn, products: Floats, first: Whole, second: Whole, squares: Floats, rows: Whole, largest: Floats
) -> None:
    """Raise `largest` to the t*² of some pairs; `products` is the sum of c r², inflated."""
    n_strata, n_resamples = drawn.sizes.shape
    total = np.empty(n_resamples)
    for pair in range(len(first)):
        a, b, variance = first[pair], second[pair], products[pair]
        total[:] = 0.0
        for stratum in range(n_strata):
            sum_a, sum_b = drawn.totals[stratum, a], drawn.totals[stratum, b]
            moment_a, moment_b = drawn.moments[stratum, a], drawn.moments[stratum, b]
            sizes, squared, inflation = drawn.sizes[stratum], drawn.squares[stratum], drawn.inflation[stratum]
            for resample in range(n_resamples):
                own = sum_a[resample] - sum_b[resample]
                mean = own / sizes[resample]
                moment = moment_a[resample] - moment_b[resample]
                variance[resample] -= inflation * mean * (2.0 * moment - mean * squared[resample])
                total[resample] += own
        least = LEAST_VARIANCE * squares[pair]
        one, other = largest[rows[a]], largest[rows[b]]
        for resample in range(n_resamples):
            square = total[resample] * total[resample] / max(variance[resample], least)
            one[resample] = max(one[resample], square)
            other[resample] = max(other[resample], square)


@compiled
def _squares_of_pairs(residual: Floats, inflation: Floats, first: Whole, second: Whole) -> Floats:
    squares = np.empty(len(first))
    for pair in range(len(first)):
        a, b = residual[first[pair]], residual[second[pair]]
        total = 0.0
        for unit in range(len(a)):
            total += inflation[unit] * (a[unit] - b[unit]) ** 2
        squares[pair] = total
    return squares
