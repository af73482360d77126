"""Rows that close a table, or open it, and sum up all others: totals, per cents, means, the number of rows.

Two systems are too few for numbers alone to tell what others make. Where a row stands, and that it lies on another
scale than all others or between their levels, tells as much: 76 and 75 below answers of 0 and 1.
"""

from collections.abc import Collection

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.table.evidence import MadeRow, last_digit, scale_of

_MOST, _FEWEST = 4, 3
_ALIKE, _BETWEEN, _BEYOND = (1e-5, 1e-2), (1e-2, 1e-1), (1e-1, 3e-1)
"""The largest chance of luck of what is left out, and of what is told: of scores like all others, of fractions among
whole numbers, and of a row on another scale, which are odd by themselves."""
_PER_CENTS = 100.0
_SAMPLE, _LARGEST = 500, 1e12
"""Rows by which decimals are told, and scores above which sums of all others lose what a row says."""


_MAKINGS = (
    "the mean of all others",
    "the sum of all others",
    "the mean of all others in per cent",
    "the mean of all others as a share",
    "the rest to 1 of the mean of all others",
    "the rest to 100 of the mean of all others",
    "the number of all others less their sum",
    "the number of all others",
)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def closing_rows(values: Floats, without: Collection[int] = ()) -> list[MadeRow]:
    """Return the last rows and the first that all others make, as many as these do.

    `values` has the shape (row, unit), NaN where there is none. Rows `without` are neither looked at nor summed up.

    Examples
    --------
    >>> answers = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [1, 1], [1, 0]] * 4, dtype=float)
    >>> [(row.place, row.what) for row in closing_rows(np.vstack([answers, [20, 12], [83.3, 50]]))]
    [(24, 'the sum of all others'), (25, 'the mean of all others in per cent')]
    """
    rows = np.delete(np.arange(len(values)), [*without])
    most = min(_MOST, len(rows) - _FEWEST)
    inner = values[rows]
    if most < 1 or (np.abs(inner) > _LARGEST).any():
        return []
    total, n = np.nansum(inner, axis=0), np.isfinite(inner).sum(axis=0)
    some = inner[most : len(inner) - most or 1 : max(1, len(inner) // _SAMPLE)]
    rounded = 0.0 if np.isin(some, (0.0, 1.0)).all() else 0.5 * last_digit(some)
    for size in range(most, 0, -1):
        for above in range(size + 1):
            ends = np.r_[0:above, len(rows) - size + above : len(rows)]
            closing, others = rows[ends], np.delete(rows, ends)
            beyond = values[closing]
            made = _made(total - np.nansum(beyond, axis=0), n - np.isfinite(beyond).sum(axis=0), rounded)
            judged = [_judged(at, values, others, made) for at in closing.tolist()]
            if all(judged):
                return [row for row in judged if row is not None]
    return []


def _made(total: Floats, n: Floats, rounded: float) -> tuple[Floats, Floats]:
    """Return what rows make together, and how far it may be off where each of them is rounded: (making, unit)."""
    mean, ones = total / n, np.ones(len(n))
    made = [mean, total, _PER_CENTS * mean, mean / _PER_CENTS, 1 - mean, _PER_CENTS - mean, n - total, n * ones]
    off = [ones, np.sqrt(n), _PER_CENTS * ones, ones / _PER_CENTS, ones, ones, np.sqrt(n), 0 * ones]
    return np.array(made), rounded * np.array(off) + 1e-9 * np.abs(made)


def _judged(at: int, values: Floats, others: Ints, made: tuple[Floats, Floats]) -> MadeRow | None:
    """Return what makes a row, where luck hardly does."""
    units = np.isfinite(values[at])
    if units.sum() < min(2, len(units)):
        return None
    scores, digit = values[at, units], last_digit(values[at, units])
    near = made[1][:, units] + 0.5 * digit
    for way in np.flatnonzero((np.abs(scores - made[0][:, units]) <= near).all(axis=1)).tolist():
        if len(scores) > 1 and np.ptp(scores) == 0 and (2 * near[way] >= np.abs(made[0][way, units])).all():
            continue  # one number throughout, and rounding alone makes it of all others
        luck, (sure, likely) = _luck(scores, values[np.ix_(others, units)], near[way], digit)
        if luck * len(near) <= likely:
            return MadeRow(at, _MAKINGS[way], luck * len(near) <= sure)
    return None


def _luck(row: Floats, others: Floats, near: Floats, digit: float) -> tuple[float, tuple[float, float]]:
    """Return the chance that a row comes so near to something by luck, and which chances are small for such a row.

    Scores of one row go together: beside that of one system, those of others say how much they differ from it.
    """
    _, first = np.unique(others, axis=1, return_index=True)
    row, others, near = row[first], others[:, first], near[first]
    begin, end = scale_of(float(np.nanmin(others)), float(np.nanmax(others)))
    if not begin <= np.median(row) <= end:
        return float(np.minimum(1.0, near / np.abs(row)).prod()), _BEYOND
    apart = np.hstack([others[:, :1], others[:, 1:] - others[:, :1]])
    n = np.isfinite(apart).sum(axis=0)
    variance = np.nansum((apart - np.nansum(apart, axis=0) / n) ** 2, axis=0) / n  # none where two share no row
    widths = np.sqrt(variance) / np.minimum(2.0, 1.0 + np.arange(len(row)))
    in_steps = not (others[np.isfinite(others)] % 1).any()
    return float(np.fmin(1.0, near / widths).prod()), _BETWEEN if in_steps and digit < 1 else _ALIKE
