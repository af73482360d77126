"""Random draws over topics, made once and shared by every pair and every metric.

All randomness of the package starts here: `rng` (None, an integer or a ``Generator``) becomes one generator,
and the same seed gives the same draws whatever the number of workers or the size of a block.
"""

import secrets
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError

__all__ = ["RNGLike", "RandomSource", "bootstrap_counts", "bootstrap_indices", "resolve_rng"]

type RNGLike = int | np.random.Generator | RandomSource | None


class RandomSource(NamedTuple):
    """A generator and the words that say where it came from (they go into every provenance record)."""

    generator: np.random.Generator
    description: str


def resolve_rng(rng: RNGLike) -> RandomSource:
    """Turn what a caller passes as `rng` into one generator and its description.

    Parameters
    ----------
    rng : None, int, numpy.random.Generator or RandomSource
        None takes fresh entropy from the operating system and records it, so that even an unseeded result can
        be repeated; an integer is a seed (0 is a seed like any other).

    Returns
    -------
    RandomSource
        The generator, and "seed 7" or "generator PCG64".

    Raises
    ------
    InvalidOptionError
        If `rng` is negative or of another type.

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
        case Integral() if int(rng) >= 0:
            return RandomSource(np.random.default_rng(int(rng)), f"seed {int(rng)}")
        case np.random.Generator():
            return RandomSource(rng, f"generator {type(rng.bit_generator).__name__}")
    message = f"rng must be None, a whole number ≥ 0 or a numpy.random.Generator, not {rng!r}"
    raise InvalidOptionError(message)


def bootstrap_indices(generator: np.random.Generator, n_resamples: int, n_topics: int) -> NDArray[np.int64]:
    """Draw topics with replacement: an array (n_resamples, n_topics) of topic positions."""
    return generator.integers(0, n_topics, size=(n_resamples, n_topics))


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
