r"""The bootstrap of pairs whose topics are not plain: clusters drawn whole, strata, weights, gaps.

With :math:`S_g` the weighted sum of a pair's differences over unit g (a cluster, else a topic), :math:`N_g` the weight
of its topics, G units and counts :math:`c_g` of a resample, the mean is the ratio
:math:`\bar z^* = \sum c S / \sum c N` and

.. math:: s^{*2} = \frac{G}{G - 1} \frac{\sum_g c_g (S_g - \bar z^* N_g)^2}{(\sum_g c_g N_g)^2}

its variance, robust to what happens inside units; the same formulas on the data give t. Strata are put together by
their share of the weight. All of it is products of matrices with the counts; with units of one topic that weigh alike
they are those of `metaeval.tests_stat.studentised`.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.running.parallel import in_one_order, track
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.pairs import Question

type Floats = NDArray[np.float64]

_TILE = 128
_TIE = 1e-9  # of a statistic and one: closer, two of them are equal


class _Stratum(NamedTuple):
    """One stratum of some pairs; arrays (pair, unit), the weights (1, unit) where no pair has gaps."""

    sums: Floats  # less the mean of the stratum
    weights: Floats
    share: Floats  # (pair, 1): of the stratum in the pair's weight
    factor: Floats  # (pair, 1): n / (n - 1)
    units: NDArray[np.intp]


class _Tile(NamedTuple):
    """Some pairs under one metric; arrays (pair, 1)."""

    strata: list[_Stratum]
    mean: Floats
    least: Floats  # a mean or an error of this size is rounding
    told: NDArray[np.bool_]  # False where there are fewer than two units, in any stratum

    def resample(self, counts: Floats | None) -> tuple[Floats, Floats]:
        """Return how far resampled means lie from the mean, and their errors: (pair, resample).

        Without counts the data themselves, whose means lie at 0: then it is the error that counts.
        """
        apart, variance = np.zeros((1, 1)), np.zeros((1, 1))
        for stratum in self.strata:
            drawn = np.ones((len(stratum.units), 1)) if counts is None else counts[stratum.units]
            weight = stratum.weights @ drawn
            with np.errstate(divide="ignore", invalid="ignore"):
                centre = np.where(weight > 0, (stratum.sums @ drawn) / weight, 0.0)
                squares = stratum.sums**2 @ drawn - centre * (
                    2.0 * ((stratum.sums * stratum.weights) @ drawn) - centre * (stratum.weights**2 @ drawn)
                )
                spread = np.where(weight > 0, stratum.factor * np.maximum(squares, 0.0) / weight**2, 0.0)
            apart = apart + stratum.share * centre
            variance = variance + stratum.share**2 * spread
        return apart, np.sqrt(variance)


def tally_units(  # noqa: PLR0913 - one keyword per choice
    question: Question,
    chunks: Iterable[Floats],
    *,
    method: str = "studentised",
    n_chunks: int = 1,
    n_threads: int | None = None,
    place: int = 0,
) -> tuple[NDArray[np.int64], Floats]:
    """Count how many resamples of every pair are extreme.

    Shapes: `chunks` (unit, resample), result (metric, 5, pair), result (metric, pair).
    """
    n_metrics, n_pairs = len(question.values), len(question.first)
    tally = np.zeros((n_metrics, 5, n_pairs), dtype=np.int64)
    placed = np.zeros((n_metrics, n_pairs))
    tasks = [(metric, slice(start, start + _TILE)) for metric in range(n_metrics) for start in range(0, n_pairs, _TILE)]
    tolerance, means = question.tolerance, question.mean_differences()
    total = np.broadcast_to(question.total, means.shape)

    def work(counts: Floats, metric: int, part: slice) -> None:
        tile = _lay_tile(question, metric, part, means, tolerance, total)
        tally[metric, :, part] += _count(tile, counts, method)
        if place:
            placed[metric, part] = _at_place(tile, counts, place)

    def steps(pool: ThreadPoolExecutor) -> Iterator[None]:
        for counts in chunks:
            yield from pool.map(lambda task, c=counts: work(c, *task), tasks)

    with tile_pool(n_threads) as pool:
        for _ in track(steps(pool), description="Resampling clusters", total=n_chunks * len(tasks)):
            pass
    return tally, placed


@in_one_order
def unit_statistics(question: Question) -> Floats:
    """Return what resampled statistics are compared with, (metric, pair); 0 where nothing is told."""
    tolerance, means = question.tolerance, question.mean_differences()
    total = np.broadcast_to(question.total, means.shape)
    statistics = np.zeros_like(means)
    for metric in range(len(means)):
        for start in range(0, means.shape[1], _TILE):
            block = slice(start, start + _TILE)
            tile = _lay_tile(question, metric, block, means, tolerance, total)
            statistics[metric, block] = np.where(tile.told, _t(tile), 0.0)[:, 0]
    return statistics


def _t(tile: _Tile) -> Floats:
    error = tile.resample(None)[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > tile.least, tile.mean / error, np.copysign(np.inf, tile.mean))
    return np.where(tile.mean == 0.0, 0.0, t)


def _lay_tile(  # noqa: PLR0913, PLR0917 - handed through
    question: Question, metric: int, part: slice, means: Floats, tolerance: Floats, total: Floats
) -> _Tile:
    units = question.units
    values = question.values[metric]
    differences = values[question.first[part]] - values[question.second[part]]
    present = np.isfinite(differences) if question.gaps else np.ones((1, differences.shape[1]))
    sums, weights = np.nan_to_num(units.sums(differences)), units.sums(present.astype(np.float64))
    weight_total = total[metric, part, None]
    told = np.ones((len(sums), 1), dtype=bool)
    strata = []
    stratum = units.stratum if units.stratified else np.zeros(units.n_units, dtype=np.int64)
    for number in range(int(stratum.max()) + 1):
        members = np.flatnonzero(stratum == number)
        weight = weights[:, members].sum(axis=1, keepdims=True)
        n = (weights[:, members] > 0).sum(axis=1, keepdims=True)
        told &= n != 1
        with np.errstate(divide="ignore", invalid="ignore"):
            centre = np.where(weight > 0, sums[:, members].sum(axis=1, keepdims=True) / weight, 0.0)
            share = np.where(weight_total > 0, weight / weight_total, 0.0)
            factor = np.where(n > 1, n / (n - 1.0), 1.0)
        strata.append(
            _Stratum(sums[:, members] - centre * weights[:, members], weights[:, members], share, factor, members)
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(weight_total > 0, tolerance[metric, part, None] / weight_total, 0.0)
    return _Tile(strata, means[metric, part, None], least, told & (weight_total > 0))


def _count(tile: _Tile, counts: Floats, method: str) -> NDArray[np.int64]:
    """Return one tile's rows of the tally."""
    n_resamples = counts.shape[1]
    apart, error = tile.resample(counts)
    tally = np.zeros((5, len(tile.mean)), dtype=np.int64)
    if method == "percentile":
        mean = apart + tile.mean
        tally[1], tally[2] = (mean <= tile.least).sum(axis=1), (mean >= -tile.least).sum(axis=1)
    elif method == "shifted":
        tally[0] = (np.abs(apart) >= np.abs(tile.mean) - tile.least).sum(axis=1)
        tally[1] = (apart >= tile.mean - tile.least).sum(axis=1)
        tally[2] = (apart <= tile.mean + tile.least).sum(axis=1)
    else:
        flat = error <= tile.least
        nothing = flat & (np.abs(apart) <= tile.least)
        t, resampled = _t(tile), _resampled_t(tile, apart, error)
        tie = np.where(np.isfinite(t), _TIE * (1.0 + np.abs(t)), 0.0)
        tally[0] = (~nothing & (np.abs(resampled) >= np.abs(t) - tie)).sum(axis=1)
        tally[1] = (~nothing & (resampled >= t - tie)).sum(axis=1)
        tally[2] = (~nothing & (resampled <= t + tie)).sum(axis=1)
        tally[3], tally[4] = nothing.sum(axis=1), (flat & ~nothing).sum(axis=1)
        equal = nothing.all(axis=1) & (tile.mean[:, 0] == 0.0)
        tally[:3, equal] = n_resamples
    tally[:3, ~tile.told[:, 0]] = n_resamples
    return tally


def _resampled_t(tile: _Tile, apart: Floats, error: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > tile.least, apart / error, np.copysign(np.inf, apart))


def _at_place(tile: _Tile, counts: Floats, place: int) -> Floats:
    """Return the absolute mean of the resample at the place; 0 if fewer have a mean or a spread."""
    apart, error = tile.resample(counts)
    size = np.abs(apart)
    t = np.where((error <= tile.least) & (size <= tile.least), -1.0, np.abs(_resampled_t(tile, apart, error)))
    at = -np.partition(-t, place - 1, axis=1)[:, place - 1 : place]
    with np.errstate(invalid="ignore"):  # infinite t, which are equal
        tied = (t == at) | (np.abs(t - at) <= _TIE * (1.0 + at))
    mean_size: Floats = np.where(at[:, 0] >= 0.0, np.where(tied, size, 0.0).max(axis=1), 0.0)
    return mean_size
