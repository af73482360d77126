"""Counting the extreme resamples of the studentised bootstrap, for every pair at once and exactly.

How is said in `metaeval.tests_stat.bootstrap.bootstrap_test`: A is a resampled sum of centred differences, Q that of
their squares, T the number of topics.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.running.compiled import compiled
from metaeval.running.draws import chunk_size
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import track
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.pairs import Question

_TALLY = 5  # rows: |t*| >= |t|, t* >= t, t* <= t, and the two kinds of resample without variance, 0/0 and c/0
_TILE = 128  # pairs in one matrix product: its result, at 1000 resamples, stays in a second-level cache
_BLOCK = 8192  # topics in one
_SPARE = 16  # terms more that the sum over blocks may count as, in the rounding
_HELD = 1 << 25  # products of pairs and resamples that are added up at a time
_BYTES = 1 << 29  # of counts
_EXPONENTS = (-1000, 1000)  # of the units: beyond, a power of two is not a number in double precision


class Placing(NamedTuple):
    """Which resample to look up when those of a pair are sorted by |t*|, largest first, and where to put its mean."""

    place: int
    """Counted from 1."""
    means: NDArray[np.float64]
    """Array (metric, pair) that receives the absolute mean of w*; of resamples that tie on |t*|, the largest."""


def tally_resamples(
    question: Question,
    chunks: Iterable[NDArray[np.uint8]],
    *,
    n_chunks: int = 1,
    n_threads: int | None = None,
    placing: Placing | None = None,
) -> NDArray[np.int64]:
    """Count how many resamples of every pair are extreme.

    Shapes: `chunks` (resample, topic), result (metric, 5, pair).

    The products of counts and scores are added up over blocks of topics: what is held at once grows neither with the
    topics nor with the pairs, and single precision rounds no more than over one block.
    """
    work = _Tallying(question, placing)
    with tile_pool(n_threads) as pool:
        steps = chain.from_iterable(work.steps(pool, counts) for counts in chunks)
        for _ in track(steps, description="Resampling topics", total=n_chunks * work.n_steps):
            pass
    return work.tally


def resamples_at_once(n_topics: int) -> int:
    """Return how many resamples `tally_resamples` takes at a time, where it does not need all."""
    return chunk_size(n_topics) if n_topics <= _BLOCK else max(1, _BYTES // n_topics)


def degenerate_resamples(question: Question, tally: NDArray[np.int64]) -> dict[str, dict[str, int]]:
    """Name how many resamples had no variance, per metric over all pairs."""
    names = question.scores["metric"].to_numpy().tolist()
    kinds = {"zero_over_zero": tally[:, 3], "constant_over_zero": tally[:, 4]}
    return {kind: dict(zip(names, rows.sum(axis=-1).tolist(), strict=True)) for kind, rows in kinds.items()}


class _Part(NamedTuple):
    """Some pairs under one metric."""

    metric: int
    place: slice
    pairs: "_Pairs"


class _Laid(NamedTuple):
    """Some pairs, with what all their resamples need, added up block by block."""

    part: _Part
    spreads: NDArray[np.float64]  # (pair,): sum of w squared over the topics
    products: list[NDArray[np.floating]]  # one array (pair, resample): Q

    @classmethod
    def of(cls, part: _Part) -> "_Laid":
        return cls(part, np.zeros(len(part.pairs.first)), [])

    def add(self, centred: NDArray[np.float64], counts: NDArray[np.float32], n_topics: int) -> "_Laid":
        """Add the topics of one block."""
        squares = np.empty((len(self.spreads), len(counts)), dtype=np.float32)
        _square_deviations(centred, self.part.pairs, n_topics, squares, self.spreads)
        product = squares @ counts
        if self.products:
            self.products[0] += product
        else:
            self.products.append(product if len(counts) == n_topics else product.astype(np.float64))
        return self

    def tile(self) -> "_Tile":
        """Return the pairs with all that was added up."""
        return _Tile(self.part.pairs, self.spreads, self.products[0].astype(np.float32, copy=False))


class _Tallying:
    """The counts of one question, as they grow chunk by chunk."""

    def __init__(self, question: Question, placing: Placing | None) -> None:
        self.question, self.placing = question, placing
        self.means = question.values.mean(axis=2)
        self.parts = [
            _Part(metric, slice(start, start + _TILE), _Pairs._make(column[start : start + _TILE] for column in own))
            for metric, own in enumerate(_studentised(question))
            for start in range(0, len(question.first), _TILE)
        ]
        self.blocks = [slice(start, start + _BLOCK) for start in range(0, question.n_topics, _BLOCK)]
        self.tally = np.zeros((len(question.values), _TALLY, len(question.first)), dtype=np.int64)

    @property
    def n_steps(self) -> int:
        """Steps of one chunk."""
        return len(self.parts) * (1 if len(self.blocks) == 1 else 1 + len(self.blocks))

    def steps(self, pool: ThreadPoolExecutor, counts: NDArray[np.uint8]) -> Iterator[object]:
        """Go through a chunk (resample, topic), by blocks of topics where they are many."""
        if len(self.blocks) == 1:
            yield from self._at_once(pool, counts)
            return
        together = max(1, _HELD // (len(counts) * _TILE))
        for first in range(0, len(self.parts), together):
            yield from self._by_block(pool, counts, self.parts[first : first + together])

    def _at_once(self, pool: ThreadPoolExecutor, counts: NDArray[np.uint8]) -> Iterator[object]:
        double, single = counts.astype(np.float64).T, counts.astype(np.float32).T
        for metric in range(len(self.means)):
            own = self._centred(metric)
            setting = _Setting(own, counts, own @ double, _rounding(self.question.n_topics))

            def lay_and_count(part: _Part, setting: _Setting = setting) -> None:
                self._count(setting, _Laid.of(part).add(setting.centred, single, len(single)))

            yield from pool.map(lay_and_count, [part for part in self.parts if part.metric == metric])

    def _by_block(
        self, pool: ThreadPoolExecutor, counts: NDArray[np.uint8], parts: Sequence[_Part]
    ) -> Iterator[object]:
        laid = [_Laid.of(part) for part in parts]
        metrics = list(dict.fromkeys(part.metric for part in parts))
        sums = np.zeros((len(metrics) * self.means.shape[1], len(counts)))

        def cut(block: slice) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
            return counts[:, block].astype(np.float64).T, counts[:, block].astype(np.float32).T

        ahead = pool.submit(cut, self.blocks[0])
        for block, later in zip(self.blocks, [*self.blocks[1:], slice(0)], strict=True):
            double, single = ahead.result()
            ahead = pool.submit(cut, later)
            scores = np.stack([self._centred(metric, block) for metric in metrics])
            product = pool.submit(np.matmul, scores.reshape(len(sums), -1), double)
            centred = [scores[metrics.index(one.part.metric)] for one in laid]
            yield from pool.map(partial(_Laid.add, counts=single, n_topics=self.question.n_topics), laid, centred)
            sums += product.result()
        for metric, total in zip(metrics, sums.reshape(len(metrics), -1, len(counts)), strict=True):
            setting = _Setting(self._centred(metric), counts, total, _rounding(_BLOCK + _SPARE))
            yield from pool.map(partial(self._count, setting), [one for one in laid if one.part.metric == metric])

    def _centred(self, metric: int, block: slice = slice(None)) -> NDArray[np.float64]:
        return self.question.values[metric][:, block] - self.means[metric][:, None]

    def _count(self, setting: "_Setting", laid: "_Laid") -> None:
        part, tile = laid.part, laid.tile()
        counted = np.zeros((_TALLY, len(tile.spreads)), dtype=np.int64)
        _tally_tile(setting, tile, not self.question.one_sided, counted)
        self.tally[part.metric, :, part.place] += counted
        if self.placing is not None:
            place, means = self.placing
            guess = _likely_share(place / len(setting.counts), self.question.n_topics)
            _place_tile(setting, tile, place, guess, means[part.metric, part.place])


class _Setting(NamedTuple):
    """What the kernels of one chunk of resamples share."""

    centred: NDArray[np.float64]  # (system, topic): scores less each system's mean, so that two rows differ by w
    counts: NDArray[np.uint8]  # (resample, topic)
    sums: NDArray[np.float64]  # (system, resample): A of a pair is the difference of two rows
    rounding: float  # bounds that of Q, relative, in any order of summation: its terms are squares


class _Pairs(NamedTuple):
    """Some pairs, each in a unit that single precision can square; arrays (pair,)."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    scale: NDArray[np.float64]  # a power of two that brings the larger centred score near 1: it rounds nothing
    observed: NDArray[np.float64]  # sum of z over the topics; exactly 0 where the systems' means are equal
    tolerance: NDArray[np.float64]  # how far two sums over the topics may lie apart and still be one number
    slack: NDArray[np.float64]  # bounds the rounding of A in any order of summation, and holds the tolerance


class _Tile(NamedTuple):
    """Some pairs, with the product that all their resamples need."""

    pairs: _Pairs
    spreads: NDArray[np.float64]  # (pair,): sum of w squared over the topics
    products: NDArray[np.float32]  # (pair, resample): Q


def _studentised(question: Question) -> list[_Pairs]:
    """Return the pairs of every metric; nothing joins a pair with a third system."""
    first, second, n_topics = question.first, question.second, question.n_topics
    mean, most, least = (statistic(question.values, axis=2) for statistic in (np.mean, np.max, np.min))
    _, exponent = np.frexp(np.maximum(most - mean, mean - least))
    scale = np.ldexp(1.0, -np.maximum(exponent.take(first, axis=1), exponent.take(second, axis=1)).clip(*_EXPONENTS))
    largest = np.maximum(most, -least)
    # no resampled sum lies beyond it
    reach = scale * (largest.take(first, axis=1) + largest.take(second, axis=1)) * n_topics
    columns = {
        "scale": scale,
        "observed": scale * question.mean_differences() * n_topics,
        "tolerance": scale * question.tolerance,
        "slack": reach * RELATIVE * (4.0 + 1e-3 * n_topics),
    }
    return [
        _Pairs(first, second, **{name: column[metric] for name, column in columns.items()})
        for metric in range(len(question.values))
    ]


def _rounding(n_topics: int) -> float:
    """Bound the relative error of Q in single precision, for a sum of squares in any order, with some to spare."""
    error = 2.0**-24 * (n_topics + 8)
    return error / (1.0 - error) if error < 0.5 else 1e300  # noqa: PLR2004 - millions of topics: sum everything again


def _likely_share(upper_share: float, n_topics: int) -> float:
    """Return a value of A^2 / Q that somewhat more than `upper_share` of the resamples should reach, by Student's t."""
    t = stdtrit(n_topics - 1, max(0.5, 1.0 - 0.75 * upper_share))
    return float(n_topics * t * t / (n_topics - 1 + t * t))


@compiled
def _square_deviations(
    centred: NDArray[np.float64],
    pairs: _Pairs,
    n_topics: int,
    squares: NDArray[np.float32],
    spreads: NDArray[np.float64],
) -> None:
    """Fill in w squared per pair and topic of a block, and add it to the sum per pair.

    A deviation within its noise is 0 exactly, so that a resample of such topics has Q = 0.
    """
    for pair in range(len(pairs.first)):
        a, b = centred[pairs.first[pair]], centred[pairs.second[pair]]
        scale, tolerance = pairs.scale[pair], pairs.tolerance[pair]
        for topic in range(len(a)):
            deviation = scale * (a[topic] - b[topic])
            noise = _noise(scale * a[topic], scale * b[topic], tolerance, n_topics)
            square = deviation * deviation if abs(deviation) > noise else 0.0
            squares[pair, topic] = square
            spreads[pair] += square


@compiled
def _noise(a: float, b: float, tolerance: float, n_topics: int) -> float:
    """Return how far from 0 a deviation on one topic may lie and still be 0 up to rounding.

    It is made of two scores and of two means: a centred score and its mean are together at least the score.
    """
    return RELATIVE * (abs(a) + abs(b)) + tolerance / n_topics


@compiled
def _tally_tile(setting: _Setting, tile: _Tile, two_sided: bool, tally: NDArray[np.int64]) -> None:  # noqa: FBT001 - a kernel
    """Add one tile's counts to `tally`.

    A quick pass sorts the resamples of a pair into surely beyond the threshold, surely short of it, and close or of
    no variance; only the last are summed again.
    """
    n_resamples, n_topics = setting.counts.shape
    for pair in range(len(tile.pairs.first)):
        if tile.spreads[pair] == 0.0:  # all resamples are 0/0, and extreme if z = 0 too
            tally[3, pair] += n_resamples
            if tile.pairs.observed[pair] == 0.0:
                tally[:3, pair] += n_resamples
            continue
        sign = 1.0 if tile.pairs.observed[pair] >= 0.0 else -1.0
        square = tile.pairs.observed[pair] * tile.pairs.observed[pair]
        share = square / (tile.spreads[pair] + square / n_topics)
        same, not_short, flat = _quick_pass(setting, tile, pair, sign, share, two_sided)
        other = n_resamples - not_short
        if same < not_short or flat > 0:
            same, other = _careful_pass(setting, tile, pair, sign, share, two_sided, tally)
        if two_sided:
            tally[0, pair] += same
        else:
            tally[1, pair] += same if sign > 0.0 else other
            tally[2, pair] += other if sign > 0.0 else same


@compiled
def _quick_pass(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    sign: float,
    share: float,
    two_sided: bool,  # noqa: FBT001 - a kernel takes no names
) -> tuple[int, int, int]:
    """Count the resamples surely beyond the threshold, not surely short of it, and perhaps of no variance."""
    a, b, row = setting.sums[tile.pairs.first[pair]], setting.sums[tile.pairs.second[pair]], tile.products[pair]
    factor, slack = sign * tile.pairs.scale[pair], tile.pairs.slack[pair]
    n_beyond = 0
    n_not_short = 0
    n_flat = 0
    for resample in range(len(row)):
        total = factor * (a[resample] - b[resample])
        beyond, not_short, flat = _sides(abs(total) if two_sided else total, row[resample], share, slack, setting)
        n_beyond += beyond
        n_not_short += not_short
        n_flat += flat
    return n_beyond, n_not_short, n_flat


@compiled
def _careful_pass(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    sign: float,
    share: float,
    two_sided: bool,  # noqa: FBT001 - a kernel takes no names
    tally: NDArray[np.int64],
) -> tuple[int, int]:
    """Count the resamples on the observation's side of the threshold and on the other, summing the close ones again."""
    first, second, row = tile.pairs.first[pair], tile.pairs.second[pair], tile.products[pair]
    factor, slack = sign * tile.pairs.scale[pair], tile.pairs.slack[pair]
    t = abs(tile.pairs.observed[pair]) / np.sqrt(tile.spreads[pair])
    tie = _tie(tile, pair, t, setting)
    same = 0
    other = 0
    for resample in range(len(row)):
        total = factor * (setting.sums[first, resample] - setting.sums[second, resample])
        beyond, not_short, flat = _sides(abs(total) if two_sided else total, row[resample], share, slack, setting)
        if beyond == not_short and not flat:
            same += beyond
            other += not beyond
            continue
        total, deviation, kind = _resum(setting, tile, pair, resample)
        total = abs(total) if two_sided else sign * total
        if kind == 0:
            same += total + tie >= t * deviation
            other += total - tie <= t * deviation
        else:
            tally[kind, pair] += 1
            if kind == 4:  # noqa: PLR2004 - c/0, infinitely far on the side of c
                same += total > 0.0
                other += total < 0.0
    return same, other


@compiled
def _tie(tile: _Tile, pair: int, t: float, setting: _Setting) -> float:
    """Return how far A may lie from t times the root of the squares and still be equal to it.

    The tolerance is for a sum over the topics; the root of the sum of squares has a share of it that t magnifies.
    """
    return tile.pairs.tolerance[pair] * (1.0 + t / np.sqrt(setting.counts.shape[1]))


@compiled
def _sides(total: float, squares: float, share: float, slack: float, setting: _Setting) -> tuple[bool, bool, bool]:
    """Say whether A is surely beyond the threshold, not surely short of it, and whether the variance may be nil."""
    less = total - slack
    more = total + slack
    size = abs(total) + slack
    return (
        less * abs(less) > share * (1.0 + setting.rounding) * squares,
        more * abs(more) >= share * (1.0 - setting.rounding) * squares,
        size * size >= setting.counts.shape[1] * (1.0 - setting.rounding) * squares,  # A^2 = T Q where w is one number
    )


@compiled
def _resum(setting: _Setting, tile: _Tile, pair: int, resample: int) -> tuple[float, float, int]:
    """Return A and the root of the sum of squares about the mean, for one resample, in the order of the topics.

    A divided by it is t but for a constant. The last value is 0, or for a resample without variance the row
    of a tally that counts it.
    """
    a, b, scale = (
        setting.centred[tile.pairs.first[pair]],
        setting.centred[tile.pairs.second[pair]],
        tile.pairs.scale[pair],
    )
    total = 0.0
    low = np.inf
    high = -np.inf
    apart = 0.0
    for topic in range(len(a)):
        count = setting.counts[resample, topic]  # no branch: nobody foresees which topics are drawn
        deviation = scale * (a[topic] - b[topic])
        noise = _noise(scale * a[topic], scale * b[topic], tile.pairs.tolerance[pair], len(a))
        deviation = 0.0 if abs(deviation) <= noise else deviation
        total += count * deviation
        low = deviation if (count > 0) & (deviation < low) else low
        high = deviation if (count > 0) & (deviation > high) else high
        apart = 2.0 * noise if (count > 0) & (2.0 * noise > apart) else apart
    if high - low <= apart:
        return total, 0.0, 3 if max(high, -low) <= apart else 4
    mean = total / len(a)
    squares = 0.0
    for topic in range(len(a)):
        squares += setting.counts[resample, topic] * (scale * (a[topic] - b[topic]) - mean) ** 2
    return total, np.sqrt(squares), 0


@compiled
def _place_tile(setting: _Setting, tile: _Tile, place: int, guess: float, placed: NDArray[np.float64]) -> None:
    """Fill in the absolute mean of the resample at a place, sorted by A^2 / Q, which is the order of |t*|.

    c/0 comes first by itself, because A^2 / Q is largest where A^2 = T Q; 0/0 is left out.
    """
    n_resamples, n_topics = setting.counts.shape
    far = np.empty(n_resamples, dtype=np.int64)
    ratios = np.empty(n_resamples)
    for pair in range(len(tile.pairs.first)):
        n_far, threshold = _near_place(setting, tile, pair, place, guess, far, ratios)
        largest = 0.0
        if n_far >= place:
            largest = _mean_at_place(setting, tile, pair, place, threshold, far[:n_far], ratios)
        placed[pair] = largest / n_topics / tile.pairs.scale[pair]


@compiled
def _near_place(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    place: int,
    guess: float,
    far: NDArray[np.int64],
    ratios: NDArray[np.float64],
) -> tuple[int, float]:
    """List the resamples with A^2 / Q above some level that more than `place` of them reach.

    Returns how many they are and the value at the place, as exact as Q is. The level starts at the guess and falls
    until the place lies clear of it; fewer than `place` are left only if no more have Q > 0.
    """
    a, b, row = setting.sums[tile.pairs.first[pair]], setting.sums[tile.pairs.second[pair]], tile.products[pair]
    scale = tile.pairs.scale[pair]
    level = guess
    while True:
        n_far = 0
        for resample in range(len(row)):
            total = scale * (a[resample] - b[resample])
            far[n_far] = resample
            n_far += (total * total >= level * row[resample]) and row[resample] > 0.0
        threshold = 0.0
        if n_far >= place:
            for position in range(n_far):
                total = scale * (a[far[position]] - b[far[position]])
                ratios[position] = total * total / row[far[position]]
            threshold = _largest(ratios[:n_far], place)
        if level == 0.0 or threshold * (1.0 - 8.0 * setting.rounding) > level:
            return n_far, threshold
        level = level * 0.5 if level > 1e-3 else 0.0  # noqa: PLR2004 - far below any place worth asking for


@compiled
def _mean_at_place(  # noqa: PLR0917, PLR0913 - a kernel
    setting: _Setting,
    tile: _Tile,
    pair: int,
    place: int,
    threshold: float,
    far: NDArray[np.int64],
    ratios: NDArray[np.float64],
) -> float:
    """Return the largest |A| among the resamples that tie at the place, `threshold` being A^2 / Q there, roughly.

    Those that may stand at the place are summed again: the place counted from the first of them is exact.
    """
    first, second, row = tile.pairs.first[pair], tile.pairs.second[pair], tile.products[pair]
    scale, slack = tile.pairs.scale[pair], tile.pairs.slack[pair]
    sizes = np.empty(len(far))
    deviations = np.empty(len(far))
    n_close = 0
    n_before = 0
    for position in range(len(far)):
        resample = far[position]
        size = scale * abs(setting.sums[first, resample] - setting.sums[second, resample])
        beyond, _, flat = _sides(size, row[resample], threshold * (1.0 + 2.0 * setting.rounding), slack, setting)
        _, not_short, _ = _sides(size, row[resample], threshold * (1.0 - 2.0 * setting.rounding), slack, setting)
        if beyond and not flat:
            n_before += 1
        elif not_short:
            total, deviation, _ = _resum(setting, tile, pair, resample)
            sizes[n_close], deviations[n_close] = abs(total), deviation
            ratios[n_close] = abs(total) / deviation  # infinite without variance
            n_close += 1
    t = _largest(ratios[:n_close].copy(), place - n_before)
    largest = 0.0
    for position in range(n_close):
        apart = abs(sizes[position] - t * deviations[position])
        if ratios[position] == t or (t < np.inf and apart <= _tie(tile, pair, t, setting)):
            largest = max(largest, sizes[position])
    return largest


@compiled
def _largest(values: NDArray[np.float64], place: int) -> float:
    """Return the value at `place` (from 1), largest first, by Hoare's selection; reorders `values`."""
    left = 0
    right = len(values) - 1
    wanted = place - 1
    while left < right:
        pivot = values[(left + right) // 2]
        low = left
        high = right
        while low <= high:
            while values[low] > pivot:
                low += 1
            while values[high] < pivot:
                high -= 1
            if low <= high:
                values[low], values[high] = values[high], values[low]
                low += 1
                high -= 1
        if wanted <= high:
            right = high
        elif wanted >= low:
            left = low
        else:
            break
    return values[wanted]
