"""Columns of shares beside the counts that make them: passed and total, or passed and failed, beside the pass rate."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.table.derived import rounding

SCALES = (1.0, 100.0)
_MOST_COLUMNS, _FEWEST = 60, 2
_FEWEST_ANSWERS = 3
_CLOSE = 1e-9


class CountedShare(NamedTuple):
    """A column of shares, or per cents, and the two columns of counts that make it."""

    share: int
    part: int
    """Column of the answers counted."""
    rest: int
    """Column of all answers, or of all others."""
    is_whole: bool
    """Whether `rest` counts all answers."""


def counted_shares(values: Floats) -> list[CountedShare]:
    """Return which columns are shares of counts that stand beside them, in every row.

    `values` has the shape (row, column), NaN where there is no number. Beside several columns of 0 and 1 counts and
    shares are those of these answers.

    Examples
    --------
    >>> counted_shares(np.array([[18.0, 40, 45.0], [20, 40, 50.0], [26, 39, 66.7]]))
    [CountedShare(share=2, part=0, rest=1, is_whole=True)]
    """
    places = np.flatnonzero(np.isfinite(values).all(axis=0)).tolist() if len(values) >= _FEWEST else []
    answers = [at for at in places if np.isin(values[:, at], (0.0, 1.0)).all()]
    if len(places) > _MOST_COLUMNS or len(answers) >= _FEWEST_ANSWERS:
        return []
    counts = [at for at in places if _are_counts(values[:, at])]
    shares: dict[int, CountedShare] = {}
    for is_whole, (counted, beside) in product((True, False), permutations(counts, 2)):
        total = values[:, beside] + (0 if is_whole else values[:, counted])
        for share in _equal(
            values, [at for at in places if at not in {counted, beside, *shares}], values[:, counted], total
        ):
            shares[share] = CountedShare(share, counted, beside, is_whole)
    return list(shares.values())


def multiples(values: Floats) -> dict[int, int]:
    """Return the columns of counts that are the same multiple of others with fractions in every row, and these.

    Examples
    --------
    >>> multiples(np.array([[18.0, 0.45, 0.3], [20, 0.5, 0.2], [26, 0.65, 0.3]]))
    {0: 1}
    """
    places = np.flatnonzero(np.isfinite(values).all(axis=0)).tolist()
    counts = [at for at in places if _are_counts(values[:, at]) and np.ptp(values[:, at]) > 0]
    shares = [at for at in places if (values[:, at] % 1).any()]
    made: dict[int, int] = {}
    for count in counts if len(values) > _FEWEST else ():
        for share in shares:
            factor = float(values[:, count].sum() / values[:, share].sum())
            if (np.abs(values[:, count] / factor - values[:, share]) <= rounding(values[:, share]) + _CLOSE).all():
                made.setdefault(count, share)
    return made


def _are_counts(numbers: Floats) -> bool:
    return bool((numbers == np.rint(numbers)).all() and numbers.min() >= 0 and numbers.max() > 1)


def _equal(values: Floats, places: Sequence[int], part: Floats, whole: Floats) -> Iterator[int]:
    """Yield the columns that are a part of a whole, as shares or per cents."""
    if not ((part <= whole) & (whole >= _FEWEST)).all() or (part == whole).all() or not part.any():
        return
    for at in places:
        column = values[:, at]
        if any((np.abs(column - scale * part / whole) <= rounding(column) + _CLOSE).all() for scale in SCALES):
            yield at
