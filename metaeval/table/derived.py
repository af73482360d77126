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
_EXACT = 1e-9
"""How near a number that is written with so many decimals lies to them."""
_MOST_COLUMNS, _ALL_SETS = 30, 6
"""Columns among which anything is looked for, and among which all sets of them are."""
_SURE, _PERHAPS, _CALLED = 10.0, 6.0, 4.0
"""Bits that luck takes, of one function of one set of columns: a row on which the others differ says one."""


class Derived(NamedTuple):
    """A column that is computed from others."""

    name: str
    how: str
    """What it is of which: "the majority of 'ann', 'ben', 'cat'"."""
    of: tuple[str, ...]
    sure: bool
    """Whether luck hardly makes it so; else it may be what it seems to be."""


def derived_columns(names: Sequence[str], values: Floats, kept: Iterable[str] = ()) -> list[Derived]:
    """Return the columns that are a function of others in every row, where luck does not make them so.

    Where the others are equal, every function of them is: rows in which they differ say most. A column whose name says
    that it is computed takes one such row. Columns `kept` are as they are.

    Examples
    --------
    >>> ann, ben, cat = [0, 1, 1, 0, 1, 0], [0, 1, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]
    >>> values = np.array([ann, ben, cat, [0, 1, 1, 1, 1, 0], [1, 1, 0, 0, 1, 0]], dtype=float).T
    >>> [(one.name, one.how) for one in derived_columns(["ann", "ben", "cat", "majority", "agree"], values)]
    [('majority', "the majority of 'ann', 'ben', 'cat'"), ('agree', "whether 'ann', 'ben' are equal")]
    """
    if len(names) > _MOST_COLUMNS:
        return []
    values, found = values[:_MOST_ROWS], []
    told = np.nanmax(values, axis=0, initial=-np.inf) > np.nanmin(
        values, axis=0, initial=np.inf
    )  # not one number alone
    rest = [at for at, name in enumerate(names) if name not in set(kept) and told[at]]
    called = [at for at in rest if is_computed(names[at])]
    every = np.flatnonzero(told).tolist()
    plain = [at for at in every if not is_computed(names[at])]
    # what is called so is not what others are computed from: a part is its sum less the others
    for candidates, columns in ((called, plain), (called, every), (rest, plain)):
        for functions in (_SUMMARIES, _COMPARISONS):
            while (one := _first(names, values, candidates, columns, functions)) is not None:
                found.append(one)
                at = list(names).index(one.name)
                for places in (called, rest, plain, columns):
                    if at in places:
                        places.remove(at)
    return found


def _first(
    names: Sequence[str],
    values: Floats,
    candidates: Sequence[int],
    columns: Sequence[int],
    functions: Mapping[str, "_Function"],
) -> Derived | None:
    """Return the candidate that is most certainly computed from some of the columns."""
    sets = [*dict.fromkeys([*_sets(columns), *_weighted(values, candidates, columns)])]
    few = log2(max(1, len(sets) * len(functions)))
    best: tuple[float, Derived] | None = None
    for of in sets:
        for how, function in functions.items():
            for at in _equal_to(function, values, of, [at for at in candidates if at not in of]):
                levels = np.unique(values[np.isfinite(values[:, at]), at])
                graded = len(of) > 2 < len(levels)  # noqa: PLR2004 - of two columns, or of yes and no, each may be it
                bits = _bits(function, values, of, at, compares=functions is _COMPARISONS and not graded)
                named = is_computed(names[at])
                named = named or (bits >= _CALLED and _EXTREMES.get(names[at].casefold()) == how)
                if bits >= (1 if named else _PERHAPS + few) and (best is None or bits > best[0]):
                    words = tuple(names[one] for one in of)
                    said = how.format(first_few(list(map(repr, words))))
                    best = (bits, Derived(names[at], said, words, named or bits >= _SURE + few))
    return None if best is None else best[1]


def _sets(rest: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the sets of two columns or more that another could be computed from."""
    if len(rest) <= _ALL_SETS:
        for size in range(len(rest), 1, -1):
            yield from combinations(rest, size)
        return
    for size in (len(rest), len(rest) - 1, 2):
        yield from combinations(rest, size)


def _weighted(values: Floats, candidates: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the columns that a candidate follows by least squares, as a mean or sum of some of many follows these."""
    for at in candidates if len(columns) > _ALL_SETS else ():
        of = [column for column in columns if column != at]
        rows = values[np.isfinite(values[:, [at, *of]]).all(axis=1)]
        if len(rows) > len(of):
            weights = np.linalg.lstsq(rows[:, of], rows[:, at])[0]
            heavy = tuple(column for column, weight in zip(of, weights, strict=True) if 2 * weight > weights.max())
            yield from [heavy] if len(heavy) > 1 else []


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
    return list(candidates)


@np.errstate(over="ignore", invalid="ignore")
def rounding(numbers: Floats) -> float:
    """Return how far numbers may be rounded, by the decimals that they are written with; whole ones are exact."""
    known = numbers[np.isfinite(numbers)]
    digits = next((digits for digits in range(6) if (np.abs(known - np.round(known, digits)) <= _EXACT).all()), 6)
    return 0.51 * 10.0**-digits if digits else 0.0


def _bits(function: "_Function", values: Floats, of: Sequence[int], at: int, *, compares: bool) -> float:
    """Return how many bits luck would need; 0 where one of the columns is the same throughout.

    A row in which the columns differ is one bit; where they are equal, a column of its own would be another as often as
    one of them is. What says whether they differ takes both kinds of rows.
    """
    own, others = values[:, [at]], values[:, of]
    with np.errstate(invalid="ignore"):
        known = ~(np.isnan(own[:, 0]) | np.isnan(function(others)))
        if not known.any() or np.ptp(own[known]) == 0:
            return 0.0
        if ((own == others) | np.isnan(own) | np.isnan(others)).all(axis=0).any():
            return 0.0
        differ = (_extreme(np.fmax, others) > _extreme(np.fmin, others))[known]
    n_differ, n_equal = int(differ.sum()), int((~differ).sum())
    if compares:
        return 2.0 * min(n_differ, n_equal)
    return n_differ - n_equal * log2(1.0 - n_differ / len(differ) / len(of)) if n_differ else 0.0


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
_EXTREMES = {"max": "the largest of {}", "min": "the smallest of {}"}
"""What is so called, unless a judge is."""
_COMPARISONS: Mapping[str, _Function] = {
    "whether {} are equal": _whole(lambda rows: (rows == rows[:, :1]).all(axis=1) * 1.0),
    "whether {} differ": _whole(lambda rows: (rows != rows[:, :1]).any(axis=1) * 1.0),
    "how far apart {} are": _whole(lambda rows: np.ptp(rows, axis=1)),
    "the difference of {}": _whole(lambda rows: rows[:, 0] - rows[:, 1]),
    "the difference of {}, the second less the first": _whole(lambda rows: rows[:, 1] - rows[:, 0]),
}
