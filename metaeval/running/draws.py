"""Random draws over topics, made once and shared by every pair and every metric.

All randomness of the package starts here: `rng` (None, an integer or a ``Generator``) becomes one generator,
and the same seed gives the same draws whatever the number of workers or the size of a block.
"""

import secrets
from collections.abc import Iterator
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.checks import check_memory, refused, show
from metaeval.running.compiled import compiled

_SEED_BITS = 128  # what one entropy of NumPy's SeedSequence holds
_DRAWN_BITS = 63
_ARRAYS = 3  # positions, cells and counts
_CHUNK_CELLS = 4_000_000  # topics x resamples held as counts at a time: 32 MB
_CHUNK_RESAMPLES = 4096
_LEAST_RESAMPLES = 16  # what is laid out for one chunk is worth it: at a million topics 128 MB of counts
_MANY_TOPICS = 1 << 14  # more are drawn by blocks
_BLOCK_BITS = 16  # four draws of a topic in a random number of 64 bits; the counts of a block stay in a cache
SPAN = 1 << _BLOCK_BITS
_STRIDE = 1 << 40  # random numbers of a block's stream that belong to one resample: more than it can need
_DRAWS_PER_NUMBER = 64 // 16

type RNGLike = int | np.random.Generator | RandomSource | None


class RandomSource(NamedTuple):
    """A generator and the words that say where it came from (they go into every provenance record)."""

    generator: np.random.Generator
    description: str


def resolve_rng(rng: RNGLike) -> RandomSource:
    """Turn what a caller passes as `rng` into one generator and its description.

    Examples
    --------
    >>> resolve_rng(7).description
    'seed 7'
    """
    match rng:
        case RandomSource():
            return rng
        case None:
            entropy = secrets.randbits(64)
            return RandomSource(np.random.default_rng(entropy), f"seed {entropy}")
        case bool():
            pass
        case Integral() if 0 <= int(rng) < 2**_SEED_BITS:
            return RandomSource(np.random.default_rng(int(rng)), f"seed {int(rng)}")
        case np.random.Generator():
            return RandomSource(rng, f"generator {type(rng.bit_generator).__name__}")
    rule = f"must be None, a whole number from 0 to 2**128 - 1 or a numpy.random.Generator, not {show(rng)}"
    raise refused("rng", rule, rng)


def resolve_seed(rng: RNGLike) -> int:
    """Turn what a caller passes as `rng` into one seed, from which every part of a study starts afresh.

    A part then draws the same whichever others are asked for, and ``rng=seed`` repeats the study whatever it was
    given: record ``f"seed {seed}"``.

    Examples
    --------
    >>> resolve_seed(np.int64(7))
    7
    """
    source = resolve_rng(rng)
    if isinstance(rng, Integral):
        return int(rng)
    return int(source.generator.integers(2**_DRAWN_BITS))


def bootstrap_indices(generator: np.random.Generator, n_resamples: int, n_topics: int) -> NDArray[np.int64]:
    """Draw topics with replacement: an array (n_resamples, n_topics) of topic positions."""
    _check_draws(n_resamples, n_topics)
    return generator.integers(0, n_topics, size=(n_resamples, n_topics))


def _check_draws(n_resamples: int, n_topics: int) -> None:
    check_memory(
        _ARRAYS * n_resamples * n_topics,
        what=f"{n_resamples:,} resamples of {n_topics:,} topics or items",
        advice="ask for fewer resamples, or for a test that draws none",
    )


def bootstrap_counts(indices: NDArray[np.int64], n_topics: int) -> NDArray[np.float64]:
    """Count how often each topic was drawn: an array (n_resamples, n_topics), ready for a matrix product.

    Examples
    --------
    >>> bootstrap_counts(np.array([[0, 0, 2]]), 3)
    array([[2., 0., 1.]])
    """
    n_resamples = len(indices)
    cells = indices + n_topics * np.arange(n_resamples, dtype=np.int64)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n_resamples * n_topics)
    return counts.reshape(n_resamples, n_topics).astype(np.float64)


def draw_topic_counts(
    generator: np.random.Generator, n_resamples: int, n_topics: int, *, at_once: int | None = None
) -> Iterator[NDArray[np.float64]]:
    """Draw topics with replacement and yield how often each came, a chunk of resamples at a time.

    The chunks laid side by side are the transpose of what `bootstrap_counts` makes of
    `bootstrap_indices` from the same generator, whatever their size.

    Examples
    --------
    >>> [chunk.shape for chunk in draw_topic_counts(np.random.default_rng(0), 5, 3, at_once=4)]
    [(3, 4), (3, 1)]
    """
    for counts in drawn_counts(generator, n_resamples, n_topics, at_once=at_once or chunk_size(n_topics)):
        yield np.ascontiguousarray(counts.T, dtype=np.float64)


def drawn_counts(
    generator: np.random.Generator, n_resamples: int, n_topics: int, *, at_once: int
) -> Iterator[NDArray[np.uint8]]:
    """Draw topics with replacement and yield how often each came, some resamples at a time; see `draw_topic_counts`.

    Shapes: result (resample, topic).

    Examples
    --------
    >>> [chunk.shape for chunk in drawn_counts(np.random.default_rng(0), 5, 3, at_once=4)]
    [(4, 3), (1, 3)]
    """
    for draws in topic_draws(generator, n_resamples, n_topics, at_once=at_once):
        yield draws.whole()


def topic_draws(
    generator: np.random.Generator, n_resamples: int, n_topics: int, *, at_once: int
) -> Iterator["HeldDraws | BlockDraws"]:
    """Draw topics with replacement, `at_once` resamples at a time, without laying out the counts of many topics.

    Examples
    --------
    >>> [draws.n_resamples for draws in topic_draws(np.random.default_rng(0), 5, 3, at_once=4)]
    [4, 1]
    """
    if n_topics > _MANY_TOPICS:
        draws = BlockDraws.drawn(generator, n_resamples, n_topics)
        for start in range(0, n_resamples, at_once):
            yield draws.part(start, min(start + at_once, n_resamples))
        return
    size = chunk_size(n_topics)
    for start in range(0, n_resamples, at_once):
        stop = min(start + at_once, n_resamples)
        sizes = (min(size, stop - first) for first in range(start, stop, size))
        indices = (bootstrap_indices(generator, taken, n_topics) for taken in sizes)
        yield HeldDraws(np.concatenate([bootstrap_counts(chunk, n_topics).astype(np.uint8) for chunk in indices]))


class HeldDraws(NamedTuple):
    """How often every topic was drawn, in memory.

    A byte holds every count: that one of thousands of topics is drawn 256 times has a probability below 1e-500.
    """

    drawn: NDArray[np.uint8]
    """Counts (resample, topic)."""

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return len(self.drawn)

    @property
    def spans(self) -> list[slice]:
        """The topics that `fill` takes together."""
        return [slice(0, self.drawn.shape[1])]

    def fill(self, _span: int, start: int, counts: NDArray[np.uint8]) -> None:
        """Fill in the counts (resample, topic) of the resamples from `start` on."""
        counts[:] = self.drawn[start : start + len(counts)]

    def whole(self) -> NDArray[np.uint8]:
        """Return all counts (resample, topic)."""
        return self.drawn

    def rows(self, _resamples: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield the first of some resamples and their counts (resample, topic): here all, whichever are asked for."""
        yield 0, self.drawn


class BlockDraws(NamedTuple):
    """Draws of many topics, of which any block and any resample can be made by itself, hence by anyone.

    How many draws fall on each block of topics is multinomial; which topics of the block they are, is said by a stream
    of random numbers that is the block's own (PCG64, seeded as NumPy spawns streams), in which every resample has its
    place. Blocks are powers of two, so that 16 random bits are one draw and none is rejected.
    """

    entropy: tuple[int, ...]
    totals: NDArray[np.int64]
    """Draws of every block (resample, block)."""
    n_topics: int
    first: int = 0
    """Place in the streams of the first of these resamples."""

    @classmethod
    def drawn(cls, generator: np.random.Generator, n_resamples: int, n_topics: int) -> "BlockDraws":
        """Draw what the blocks depend on."""
        sizes = _block_sizes(n_topics)
        check_memory(
            n_resamples * len(sizes),
            what=f"{n_resamples:,} resamples of {n_topics:,} topics or items, a number for each block,",
            advice="ask for fewer resamples, or for a test that draws none",
        )
        entropy = generator.integers(1 << 32, size=4).tolist()
        return cls(tuple(entropy), generator.multinomial(n_topics, sizes / n_topics, size=n_resamples), n_topics)

    def part(self, start: int, stop: int) -> "BlockDraws":
        """Return the resamples from `start` to `stop` - 1."""
        return self._replace(totals=self.totals[start:stop], first=self.first + start)

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return len(self.totals)

    @property
    def spans(self) -> list[slice]:
        """The topics that `fill` takes together: blocks, the smaller ones at the end as one."""
        return [slice(start, min(start + SPAN, self.n_topics)) for start in range(0, self.n_topics, SPAN)]

    def fill(self, span: int, start: int, counts: NDArray[np.uint8]) -> None:
        """Fill in the counts (resample, topic of the span) of the resamples from `start` on."""
        sizes = _block_sizes(self.n_topics)
        left = 0
        for block in range(span, span + 1 if span < self.n_topics >> _BLOCK_BITS else len(sizes)):
            right = left + int(sizes[block])
            self._draw(block, start, counts[:, left:right])
            left = right

    def _draw(self, block: int, start: int, counts: NDArray[np.uint8]) -> None:
        """Count the draws of one block in the resamples from `start` on."""
        bits = np.random.PCG64(np.random.SeedSequence(self.entropy, spawn_key=(block,)))
        stream = np.random.Generator(bits)
        bits.advance((self.first + start) * _STRIDE)
        mask = np.uint16(counts.shape[1] - 1)
        for n_draws, row in zip(self.totals[start:, block].tolist(), counts, strict=False):
            row[:] = 0
            n_numbers = -(-n_draws // _DRAWS_PER_NUMBER)
            numbers = stream.integers(0, (1 << 64) - 1, n_numbers, dtype=np.uint64, endpoint=True)
            _count(numbers.astype("<u8", copy=False).view("<u2")[:n_draws], mask, row)
            bits.advance(_STRIDE - n_numbers)

    def whole(self) -> NDArray[np.uint8]:
        """Return all counts (resample, topic)."""
        check_memory(
            self.n_resamples * self.n_topics // 8,
            what=f"{self.n_resamples:,} resamples of {self.n_topics:,} topics or items, a byte each,",
            advice="ask for fewer resamples, or for a test that draws none",
        )
        counts = np.empty((self.n_resamples, self.n_topics), dtype=np.uint8)
        for span, topics in enumerate(self.spans):
            self.fill(span, 0, counts[:, topics])
        return counts

    def rows(self, resamples: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield every resample asked for and its counts (1, topic)."""
        for resample in np.unique(resamples).tolist():
            yield resample, self.part(resample, resample + 1).whole()


def _block_sizes(n_topics: int) -> NDArray[np.int64]:
    """Return how many topics each block has: powers of two that add up to all."""
    remaining = [1 << bit for bit in reversed(range(_BLOCK_BITS)) if n_topics >> bit & 1]
    return np.array([SPAN] * (n_topics >> _BLOCK_BITS) + remaining, dtype=np.int64)


@compiled
def _count(drawn: NDArray[np.uint16], mask: np.uint16, counts: NDArray[np.uint8]) -> None:
    """Add 1 at every place drawn."""
    for index in drawn:
        counts[index & mask] += 1


def chunk_size(n_topics: int) -> int:
    """Return how many resamples `draw_topic_counts` draws at a time."""
    return min(_CHUNK_RESAMPLES, max(_LEAST_RESAMPLES, _CHUNK_CELLS // n_topics))


def standard_deviation(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over draws (draw, ...), undefined ones left out; NaN where fewer than two are left.

    Examples
    --------
    >>> standard_deviation(np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, np.nan]])).round(3)
    array([1.414,   nan])
    """
    defined = np.isfinite(values)
    n = defined.sum(axis=0)
    mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(n, 1)
    squares = (np.where(defined, values - mean, 0.0) ** 2).sum(axis=0)
    return np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
