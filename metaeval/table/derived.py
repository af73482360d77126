"""Columns that are computed from others: means, majorities and extremes of judges, and whether two of them agree."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import log2
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.names import first_few
from metaeval.table.roles import is_computed

_MOST_ROWS = 5000
_FIRST_ROWS = 64
"""Rows that rule nearly everything out before all are looked at."""
_MOST_COLUMNS, _ALL_SETS = 30, 6
"""Columns among which anything is looked for, and among which all sets of them are."""
_BITS = 10.0
"""Rows on which the others differ that luck takes, of one function of one set of columns."""


class Derived(NamedTuple):
    """A column that is computed from others."""

    name: str
    how: str
    """What it is of which: "the majority of 'ann', 'ben', 'cat'"."""
    of: tuple[str, ...]


def derived_columns(names: Sequence[str], values: Floats, kept: Iterable[str] = ()) -> list[Derived]:
    """Return the columns that are a function of others in every row, where luck does not make them so.

    Where the others are equal, every function of them is: only rows in which they differ say anything. A column whose
    name says that it is computed takes one such row, any other at least ten. Columns `kept` are as they are.

    Examples
    --------
    >>> ann, ben, cat = [0, 1, 1, 0, 1, 0], [0, 1, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]
    >>> values = np.array([ann, ben, cat, [0, 1, 1, 1, 1, 0], [1, 1, 0, 0, 1, 0]], dtype=float).T
    >>> [(one.name, one.how) for one in derived_columns(["ann", "ben", "cat", "majority", "agree"], values)]
    [('majority', "the majority of 'ann', 'ben', 'cat'"), ('agree', "whether 'ann', 'ben' are equal")]
    """
    kept, found = set(kept), []
    rest = list(range(len(names)))
    values = values[:_MOST_ROWS]
    if len(names) > _MOST_COLUMNS:
        return []
    for functions in (_SUMMARIES, _COMPARISONS):  # a sum less one part is the other, and no difference
        while (place := _first(names, values, rest, kept, functions)) is not None:
            found.append(place)
            rest.remove(list(names).index(place.name))
    return found


def _first(
    names: Sequence[str], values: Floats, rest: Sequence[int], kept: set[str], functions: Mapping[str, "_Function"]
) -> Derived | None:
    """Return the most certain of the columns that are computed; those called so come first."""
    sets = list(_sets(rest))
    if not sets:
        return None
    few = log2(max(1, len(sets) * len(functions)))
    best: tuple[bool, bool, int, Derived] | None = None
    for of in sets:
        for how, function in functions.items():
            for at in _equal_to(function, values, of, [at for at in rest if at not in of and names[at] not in kept]):
                rows, named = _telling(function, values, of, at), is_computed(names[at])
                words = tuple(names[one] for one in of)
                rank = (named, not any(map(is_computed, words)), rows)
                if rows >= (1 if named else _BITS + few) and (best is None or rank > best[:3]):
                    best = (*rank, Derived(names[at], how.format(first_few(list(map(repr, words)))), words))
    return None if best is None else best[3]


def _sets(rest: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the sets of two columns or more that another could be computed from."""
    if len(rest) <= _ALL_SETS:
        for size in range(len(rest) - 1, 1, -1):
            yield from combinations(rest, size)
        return
    for size in (len(rest) - 1, len(rest) - 2, 2):
        yield from combinations(rest, size)


type _Function = Callable[[Floats], Floats]


def _equal_to(function: "_Function", values: Floats, of: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """Return the candidates that are the function of some columns, wherever it is defined and they are there."""
    for rows in (values[:_FIRST_ROWS], values):
        if not candidates:
            return []
        with np.errstate(invalid="ignore"):
            wanted = function(rows[:, of])[:, None]
            own = rows[:, candidates]
            near = 1e-9 + np.array([rounding(own[:, at]) for at in range(len(candidates))])
            fits = (np.abs(own - wanted) <= near) | np.isnan(own) | np.isnan(wanted)
        candidates = [at for at, fit in zip(candidates, fits.all(axis=0), strict=True) if fit]
    return candidates


def rounding(numbers: Floats) -> float:
    """Return how far numbers may be rounded, by the decimals that they are written with; whole ones are exact."""
    known = numbers[~np.isnan(numbers)]
    digits = next((digits for digits in range(6) if np.allclose(known, np.round(known, digits), rtol=0, atol=1e-9)), 6)
    return 0.51 * 10.0**-digits if digits else 0.0


def _telling(function: "_Function", values: Floats, of: Sequence[int], at: int) -> int:
    """Count the rows with a value in which the columns differ; 0 where one of them is the same throughout."""
    own, others = values[:, [at]], values[:, of]
    if ((own == others) | np.isnan(own) | np.isnan(others)).all(axis=0).any() or np.ptp(own[~np.isnan(own)]) == 0:
        return 0
    with np.errstate(invalid="ignore"):
        differ = _extreme(np.fmax, others) > _extreme(np.fmin, others)
        known = ~(np.isnan(own[:, 0]) | np.isnan(function(others)))
    return int((differ & known).sum())


def _extreme(of_two: np.ufunc, rows: Floats) -> Floats:
    return np.asarray(of_two.reduce(rows, axis=1))


def _whole(function: "_Function") -> "_Function":
    """Return a function of rows that have every column, undefined elsewhere."""
    return lambda rows: np.where(np.isnan(rows).any(axis=1), np.nan, function(rows))


def _mean(rows: Floats) -> Floats:
    there = ~np.isnan(rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(there, rows, 0.0).sum(axis=1) / there.sum(axis=1))


def _majority(rows: Floats) -> Floats:
    """Return the value that more than half of those who gave one have; undefined without one."""
    votes = (rows[:, :, None] == rows[:, None, :]).sum(axis=2)
    most = votes.argmax(axis=1)
    more = 2 * votes.max(axis=1) > (~np.isnan(rows)).sum(axis=1)
    return np.asarray(np.where(more, rows[np.arange(len(rows)), most], np.nan))


_SUMMARIES: Mapping[str, _Function] = {
    "the mean of {}": _mean,
    "the sum of {}": _whole(lambda rows: rows.sum(axis=1)),
    "the majority of {}": _majority,
    "the median of {}": _whole(lambda rows: np.asarray(np.median(rows, axis=1))),
    "the largest of {}": lambda rows: _extreme(np.fmax, rows),
    "the smallest of {}": lambda rows: _extreme(np.fmin, rows),
}
_COMPARISONS: Mapping[str, _Function] = {
    "whether {} are equal": _whole(lambda rows: (rows == rows[:, :1]).all(axis=1) * 1.0),
    "whether {} differ": _whole(lambda rows: (rows != rows[:, :1]).any(axis=1) * 1.0),
    "how far apart {} are": _whole(lambda rows: np.ptp(rows, axis=1)),
    "the difference of {}": _whole(lambda rows: rows[:, 0] - rows[:, 1]),
    "the difference of {}, the second less the first": _whole(lambda rows: rows[:, 1] - rows[:, 0]),
}
