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
_MANY_TOPICS = 1 << 14  # one resample is work enough for a call of its own, and its neighbours would only fill memory
_DRAWN = 1 << 15

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


def topic_counts(
    generator: np.random.Generator, n_resamples: int, n_topics: int, *, at_once: int | None = None
) -> Iterator[NDArray[np.float64]]:
    """Draw topics with replacement and yield how often each came, a chunk of resamples at a time.

    The chunks laid side by side are the transpose of what `bootstrap_counts` makes of
    `bootstrap_indices` from the same generator, whatever their size.

    Examples
    --------
    >>> [chunk.shape for chunk in topic_counts(np.random.default_rng(0), 5, 3, at_once=4)]
    [(3, 4), (3, 1)]
    """
    for counts in drawn_counts(generator, n_resamples, n_topics, at_once=at_once or chunk_size(n_topics)):
        yield np.ascontiguousarray(counts.T, dtype=np.float64)


def drawn_counts(
    generator: np.random.Generator, n_resamples: int, n_topics: int, *, at_once: int
) -> Iterator[NDArray[np.uint8]]:
    """Draw topics with replacement and yield how often each came, some resamples at a time; see `topic_counts`.

    Shapes: result (resample, topic). A byte holds every count: that one of thousands of topics is drawn 256 times has
    a probability below 1e-500.

    Examples
    --------
    >>> [chunk.shape for chunk in drawn_counts(np.random.default_rng(0), 5, 3, at_once=4)]
    [(4, 3), (1, 3)]
    """
    for start in range(0, n_resamples, at_once):
        taken = min(at_once, n_resamples - start)
        if n_topics < _MANY_TOPICS:
            yield bootstrap_counts(bootstrap_indices(generator, taken, n_topics), n_topics).astype(np.uint8)
            continue
        check_memory(
            taken * n_topics // 8,
            what=f"{taken:,} resamples of {n_topics:,} topics or items, a byte each,",
            advice="ask for fewer resamples, or for a test that draws none",
        )
        counts = np.zeros((taken, n_topics), dtype=np.uint8)
        for row in counts:
            for first in range(0, n_topics, _DRAWN):  # what stays in a cache
                _count(generator.integers(0, n_topics, size=min(_DRAWN, n_topics - first)), row)
        yield counts


@compiled
def _count(drawn: NDArray[np.int64], counts: NDArray[np.uint8]) -> None:
    """Add 1 at every place drawn."""
    for place in drawn:
        counts[place] += 1


def chunk_size(n_topics: int) -> int:
    """Return how many resamples `topic_counts` draws at a time."""
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
