"""Counting the extreme resamples of the studentised bootstrap, for every pair at once and exactly.

How is said in `metaeval.tests_stat.bootstrap.bootstrap_test`: A is a resampled sum of centred differences, Q that of
their squares, T the number of topics. Here the products of counts and scores are made; what they decide is found by
`metaeval.tests_stat.extreme_resamples`, which sums again what their rounding could change. So the counts are the same
whoever multiplies how much at a time: one thread, several, or workers elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.base.arrays import Floats, Ints
from metaeval.running.draws import SPAN, BlockDraws, HeldDraws, chunk_size
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import track
from metaeval.running.workers import crew, finished_tasks
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.extreme_resamples import (
    TALLY,
    ExactSums,
    Sorted,
    Tile,
    UnitPairs,
    find_place,
    sort_resamples,
    square_deviations,
    sum_again,
    tally_extreme,
)
from metaeval.tests_stat.pairs import Question

_TILE = 128  # pairs in one matrix product: its result, at 1000 resamples, stays in a second-level cache
_FEW_TOPICS = 8192  # one product for all
_BLOCK, _ROWS = 2048, 128  # topics and resamples in one, where topics are more: their counts stay in that cache
_SPARE = 16  # terms more that the sum over blocks may count as, in the rounding
_HELD = 1 << 25  # products of pairs and resamples that are added up at a time
_SQUARES = 1 << 24  # squares of pairs and topics
_BYTES = 1 << 28  # of counts
_EXPONENTS = (-1000, 1000)  # of the units: beyond, a power of two is not a number in double precision

type Draws = HeldDraws | BlockDraws


class Placing(NamedTuple):
    """Which resample to look up when those of a pair are sorted by |t*|, largest first, and where to put its mean."""

    place: int
    """Counted from 1."""
    means: Floats
    """Array (metric, pair) that receives the absolute mean of w*; of resamples that tie on |t*|, the largest."""


def tally_resamples(
    question: Question,
    chunks: Iterable[Draws],
    *,
    n_chunks: int = 1,
    n_threads: int | None = None,
    placing: Placing | None = None,
) -> Ints:
    """Count how many resamples of every pair are extreme: an array (metric, 5, pair).

    The products of counts and scores are added up over blocks of topics: what is held at once grows neither with the
    topics nor with the pairs, and single precision rounds no more than over one block. Workers, where there are any,
    take the blocks of topics that are drawn by blocks.
    """
    work, chunks = _Tallying(question, placing), iter(chunks)
    first = next(chunks)
    with tile_pool(n_threads) as pool:
        steps = chain.from_iterable(work.steps(pool, draws) for draws in chain([first], chunks))
        for _ in track(steps, description="Resampling topics", total=n_chunks * work.n_steps(first)):
            pass
    return work.tally


def resamples_at_once(n_topics: int) -> int:
    """Return how many resamples `tally_resamples` takes at a time, where it does not need all."""
    return chunk_size(n_topics) if n_topics <= _FEW_TOPICS else _BYTES // min(n_topics, SPAN)


def degenerate_resamples(question: Question, tally: Ints) -> dict[str, dict[str, int]]:
    """Name how many resamples had no variance, per metric over all pairs."""
    names = question.scores["metric"].to_numpy().tolist()
    kinds = {"zero_over_zero": tally[:, 3], "constant_over_zero": tally[:, 4]}
    return {kind: dict(zip(names, rows.sum(axis=-1).tolist(), strict=True)) for kind, rows in kinds.items()}


class _PairBlock(NamedTuple):
    """Some pairs under one metric."""

    metric: int
    place: slice
    pairs: UnitPairs


class _Products:
    """What the resamples of some pairs need, added up span by span of topics."""

    def __init__(self, parts: Sequence[_PairBlock], means: Floats, draws: Draws, n_topics: int) -> None:
        self.parts, self.means, self.draws, self.n_topics = parts, means, draws, n_topics
        sizes = [len(part.pairs.first) for part in parts]
        self.sums = np.zeros((*means.shape, draws.n_resamples))  # (metric, system, resample): A of every system
        self.squares = [np.zeros((size, draws.n_resamples)) for size in sizes]  # (pair, resample): Q of every part
        self.spreads = [np.zeros((len(draws.spans), size)) for size in sizes]  # (span, pair): sums of w squared
        self.counts = np.empty((draws.n_resamples, max(span.stop - span.start for span in draws.spans)), dtype=np.uint8)

    def arrays(self) -> list[Floats]:
        """Return all that grows."""
        return [self.sums, *self.squares, *self.spreads]

    def add(self, others: Sequence[Floats]) -> None:
        """Add what was made of other spans."""
        for array, addend in zip(self.arrays(), others, strict=True):
            np.add(array, addend, out=array)

    def add_span(self, pool: ThreadPoolExecutor, values: Floats, span: int) -> None:
        """Draw a span of topics, whose scores (metric, system, topic) are given, and add them."""
        n_topics, n_resamples = values.shape[2], self.draws.n_resamples
        counts, rows = self.counts[:, :n_topics], range(0, n_resamples, _ROWS)
        list(pool.map(lambda start: self.draws.fill(span, start, counts[start : start + _ROWS]), rows))
        size = max(_BLOCK, _SQUARES // sum(map(len, self.squares)))
        for start in range(0, n_topics, size):
            block = np.ascontiguousarray(values[:, :, start : start + size])
            squares = list(pool.map(partial(self._square, block, span), range(len(self.parts))))
            centred = block - self.means[:, :, None]
            list(pool.map(partial(self._multiply, counts[:, start : start + size], centred, squares), rows))

    def _square(self, values: Floats, span: int, number: int) -> NDArray[np.float32]:
        part = self.parts[number]
        squares = np.empty((len(part.pairs.first), values.shape[2]), dtype=np.float32)
        metric_values, means = values[part.metric], self.means[part.metric]
        square_deviations(metric_values, means, part.pairs, self.n_topics, squares, self.spreads[number][span])
        return squares

    def _multiply(
        self, counts: NDArray[np.uint8], centred: Floats, squares: Sequence[NDArray[np.float32]], start: int
    ) -> None:
        """Add the products of some resamples, a block of topics at a time."""
        rows = slice(start, start + _ROWS)
        resample_counts = counts[rows]
        double, single = (
            np.empty((len(resample_counts), _BLOCK)),
            np.empty((len(resample_counts), _BLOCK), dtype=np.float32),
        )
        sums = self.sums.reshape(-1, self.sums.shape[2])[:, rows]
        flat = centred.reshape(len(sums), -1)
        for left in range(0, resample_counts.shape[1], _BLOCK):
            block = resample_counts[:, left : left + _BLOCK]
            double[:, : block.shape[1]] = single[:, : block.shape[1]] = block
            sums += flat[:, left : left + _BLOCK] @ double[:, : block.shape[1]].T
            for products, factor in zip(self.squares, squares, strict=True):
                products[:, rows] += factor[:, left : left + _BLOCK] @ single[:, : block.shape[1]].T

    def tile(self, number: int) -> Tile:
        """Return a part with all that was added up."""
        part, squares = self.parts[number], self.squares[number].astype(np.float32)
        rounding = _rounding(_BLOCK + _SPARE)
        return Tile(
            part.pairs, self.spreads[number].sum(axis=0), squares, self.sums[part.metric], self.n_topics, rounding
        )


def _of_span(  # noqa: PLR0913, PLR0917 - a piece of work and what all share
    values: Floats, span: int, parts: Sequence[_PairBlock], means: Floats, draws: Draws, n_topics: int
) -> list[Floats]:
    """Return the products of one span of topics, as a worker makes them."""
    products = _Products(parts, means, draws, n_topics)
    with tile_pool(1) as pool:
        products.add_span(pool, values, span)
    return products.arrays()


class _Tallying:
    """The counts of one question, as they grow chunk by chunk."""

    def __init__(self, question: Question, placing: Placing | None) -> None:
        self.question, self.placing = question, placing
        self.values = np.ascontiguousarray(question.values)  # as kernels were compiled for
        self.means = question.values.mean(axis=2)
        self.parts = [
            _PairBlock(
                metric,
                slice(start, start + _TILE),
                UnitPairs._make(column[start : start + _TILE] for column in columns),
            )
            for metric, columns in enumerate(_studentised(question))
            for start in range(0, len(question.first), _TILE)
        ]
        self.tally = np.zeros((len(question.values), TALLY, len(question.first)), dtype=np.int64)

    def n_steps(self, draws: Draws) -> int:
        """Return how many steps a chunk has."""
        many = self.question.n_topics > _FEW_TOPICS
        return len(self.parts) + many * len(draws.spans) * -(-len(self.parts) // _parts_together(draws))

    def steps(self, pool: ThreadPoolExecutor, draws: Draws) -> Iterator[object]:
        """Go through a chunk of resamples, by spans of topics where they are many."""
        if self.question.n_topics <= _FEW_TOPICS:
            yield from self._at_once(pool, draws.whole(), draws)
            return
        together = _parts_together(draws)
        for first in range(0, len(self.parts), together):
            yield from self._by_span(pool, draws, self.parts[first : first + together])

    def _at_once(self, pool: ThreadPoolExecutor, counts: NDArray[np.uint8], draws: Draws) -> Iterator[object]:
        n_topics = self.question.n_topics
        double, single = counts.astype(np.float64).T, counts.astype(np.float32).T
        for metric, (values, means) in enumerate(zip(self.values, self.means, strict=True)):
            sums = (values - means[:, None]) @ double

            def multiply_and_count(
                part: _PairBlock, values: Floats = values, means: Floats = means, sums: Floats = sums
            ) -> None:
                squares = np.empty((len(part.pairs.first), n_topics), dtype=np.float32)
                spreads = np.zeros(len(squares))
                square_deviations(values, means, part.pairs, n_topics, squares, spreads)
                self._count(
                    draws, part, Tile(part.pairs, spreads, squares @ single, sums, n_topics, _rounding(n_topics))
                )

            yield from pool.map(multiply_and_count, [part for part in self.parts if part.metric == metric])

    def _by_span(self, pool: ThreadPoolExecutor, draws: Draws, parts: Sequence[_PairBlock]) -> Iterator[object]:
        metrics = slice(parts[0].metric, parts[-1].metric + 1)
        parts_here = [part._replace(metric=part.metric - metrics.start) for part in parts]
        shared = (parts_here, self.means[metrics], draws, self.question.n_topics)
        products = _Products(*shared)
        spans = ((self.values[metrics, :, topics], number) for number, topics in enumerate(draws.spans))
        if len(draws.spans) == 1 or crew().alone:
            for values, number in spans:
                products.add_span(pool, values, number)
                yield number
        else:
            for number, span_products in finished_tasks(_of_span, spans, shared=shared):
                products.add(span_products)
                yield number
        yield from pool.map(lambda number: self._count(draws, parts[number], products.tile(number)), range(len(parts)))

    def _count(self, draws: Draws, part: _PairBlock, tile: Tile) -> None:
        """Add one part's counts to the tally, and place its mean."""
        values, means = self.values[part.metric], self.means[part.metric]
        two_sided = not self.question.one_sided
        rank = self.placing.place if self.placing else 0
        guess = _likely_share(rank / draws.n_resamples, tile.n_topics) if rank else 0.0
        ordered = Sorted._make(sort_resamples(tile, two_sided, rank, guess))
        sums = ExactSums.none_yet(len(ordered.cases))
        for first, counts in draws.rows(ordered.cases[:, 1]):
            sum_again(values, means, part.pairs, counts, first, ordered.cases, sums)
        counted = np.zeros((TALLY, len(tile.spreads)), dtype=np.int64)
        tally_extreme(tile, two_sided, ordered, sums, counted)
        self.tally[part.metric, :, part.place] += counted
        if self.placing:
            find_place(tile, rank, ordered, sums, self.placing.means[part.metric, part.place])


def _parts_together(draws: Draws) -> int:
    return max(1, _HELD // (draws.n_resamples * _TILE))


def _studentised(question: Question) -> list[UnitPairs]:
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
        UnitPairs(first, second, **{name: column[metric] for name, column in columns.items()})
        for metric in range(len(question.values))
    ]


def _rounding(n_topics: int) -> float:
    """Bound the relative error of Q in single precision, for a sum of squares in any order, with some to spare."""
    error = 2.0**-24 * (n_topics + 8)
    return error / (1.0 - error)


def _likely_share(upper_share: float, n_topics: int) -> float:
    """Return a value of A^2 / Q that somewhat more than `upper_share` of the resamples should reach, by Student's t."""
    t = stdtrit(n_topics - 1, max(0.5, 1.0 - 0.75 * upper_share))
    return float(n_topics * t * t / (n_topics - 1 + t * t))
