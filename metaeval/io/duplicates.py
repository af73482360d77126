"""What to do where a file gives a score, label or judgment of one thing several times: refuse, keep one, or average."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import count

Duplicates = Literal["error", "first", "mean"]


class Single(NamedTuple):
    """Rows of which no two are about one thing."""

    rows: NDArray[np.int64]
    """The first row of each, in the order of the file."""
    numbers: NDArray[np.float64]
    """Their numbers, shape (len(rows),)."""
    n_left: int
    """Rows beyond the first of each."""


def single(keys: NDArray[np.int64], numbers: NDArray[np.float64], rule: Duplicates) -> Single:
    """Return the first row of every key with its number, or with the mean of all numbers of the key that are known.

    Examples
    --------
    >>> single(np.array([7, 2, 7]), np.array([0.0, 0.5, 1.0]), "mean")
    Single(rows=array([0, 1]), numbers=array([0.5, 0.5]), n_left=1)
    """
    _, first, key = np.unique(keys, return_index=True, return_inverse=True)
    rows = np.sort(first)
    if rule == "first":
        return Single(rows, numbers[rows], len(keys) - len(rows))
    finite = np.isfinite(numbers)
    sums = np.bincount(key[finite], numbers[finite], minlength=len(first))
    sizes = np.bincount(key[finite], minlength=len(first))
    with np.errstate(invalid="ignore"):
        means = np.where(np.bincount(key) == 1, numbers[first], sums / sizes)  # one number is its own mean, exactly
    return Single(rows, means[key[rows]], len(keys) - len(rows))


def note_of(n_left: int, what: str, rule: Duplicates) -> list[str]:
    """Say how many were given again; nothing where none was.

    Examples
    --------
    >>> note_of(2, "score", "first"), note_of(0, "score", "mean")
    (['2 scores repeat another one: the first counts (duplicates)'], [])
    """
    outcome = "the first counts" if rule == "first" else "their mean counts"
    return [f"{count(n_left, what)} repeat{'s' * (n_left == 1)} another one: {outcome} (duplicates)"] if n_left else []


def each_once(
    rows: Sequence[str], columns: Sequence[str], scores: NDArray[np.float64], rule: Duplicates, notes: list[str]
) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Return the names of rows and of columns, and the scores of shape (row, column), each name once."""
    places: list[dict[str, int]] = []
    keys: list[NDArray[np.int64]] = []
    for names in (rows, columns):
        index_of = {name: number for number, name in enumerate(dict.fromkeys(map(str.strip, names)))}
        keys.append(np.array([index_of[name.strip()] for name in names], dtype=np.int64))
        places.append(index_of)
    shape = (len(places[0]), len(places[1]))
    if shape == scores.shape:
        return [*rows], [*columns], scores
    selected = single((keys[0][:, None] * shape[1] + keys[1]).ravel(), scores.ravel(), rule)
    notes += note_of(selected.n_left, "score", rule)
    return [*places[0]], [*places[1]], selected.numbers.reshape(shape)
