"""Tolerance for comparing scores: values that differ only by rounding are equal.

Scores are often multiples of 0.1 or 1/k, which binary floating point holds with an error in the last bit: 0.3 - 0.2
and 0.8 - 0.7 are one number and have two values in a computer. On such scores ties carry real probability, so whether
they are seen decides ranks, p-values and bins. The rule:

    Two numbers are equal when they lie no further apart than `RELATIVE` times the sizes of the scores they were made
    from, added up.

The sizes are those of the scores that went into the two numbers and of no others, so that a third system, another
topic or another metric never changes the answer, and neither does the unit (tenths, counts, per mille). The allowance
is some thousand times the rounding of a sum over topics, and far below any difference between printed scores.
"""

import numpy as np
from numpy.typing import ArrayLike

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.running.compiled import compiled, worth_loading

RELATIVE = 1e-12
"""Share of the sizes of the scores up to which two numbers made from them are one."""

_FEW = 2000
"""Numbers that are settled without compiled code in the time that loading it takes."""


def difference(a: ArrayLike, b: ArrayLike, size_a: ArrayLike, size_b: ArrayLike) -> Floats:
    """Return a - b, exactly 0 where the two are equal up to rounding.

    Examples
    --------
    >>> float(difference(0.1 + 0.2, 0.3, 0.3, 0.3))
    0.0
    """
    apart = np.subtract(a, b)
    return np.where(np.abs(apart) <= RELATIVE * np.add(size_a, size_b), 0.0, apart)


def reaches(values: ArrayLike, bound: ArrayLike, size: ArrayLike) -> Flags:
    """Say which values reach a bound, those that equal it up to rounding included.

    Examples
    --------
    >>> bool(0.7 - 0.45 >= 0.25), bool(reaches(0.7 - 0.45, 0.25, 0.7 + 0.45))
    (False, True)
    """
    return np.greater_equal(values, np.subtract(bound, RELATIVE * np.add(size, np.abs(bound))))


def centred(values: Floats, size: Floats, *, axis: int) -> tuple[Floats, Floats]:
    """Take off the mean along an axis; exactly 0 is left where a value equals the mean up to rounding.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.1, 0.1], [0.1, 0.2, 0.6]])
    >>> centred(scores, scores, axis=1)[0].round(3).tolist()
    [[0.0, 0.0, 0.0], [-0.2, -0.1, 0.3]]
    """
    mean_size = size.mean(axis=axis, keepdims=True)
    left = difference(values, values.mean(axis=axis, keepdims=True), size, mean_size)
    return left, np.where(left == 0.0, 0.0, size + mean_size)


def settle(values: ArrayLike, size: ArrayLike | None = None) -> Floats:
    """Give one value to all numbers of a row that are equal up to rounding, so that they tie, rank and compare as such.

    Shapes: result (..., n).

    In ascending order each number joins the group before it if it equals that group's most exact member, the one made
    from the smallest scores: a system with wild scores ties with its neighbour, and never makes two others tie. Each
    group takes its lowest value.

    Examples
    --------
    >>> settle([0.3 - 0.2, 0.8 - 0.7, 0.5], size=[0.5, 1.5, 0.5]).tolist()
    [0.09999999999999998, 0.09999999999999998, 0.5]
    """
    values = np.asarray(values, dtype=np.float64)
    settled = values.copy()
    if values.size == 0:
        return settled
    rows = settled.reshape(-1, values.shape[-1])
    if size is None:  # mostly nothing is that close, and a sort alone shows it
        close = np.flatnonzero(_holds_close(np.sort(rows, axis=-1)))
        if not len(close):
            return settled
        some, sizes = rows[close], np.abs(rows[close])
    else:
        close = np.arange(len(rows))
        some = rows
        sizes = np.array(np.broadcast_to(size, values.shape), dtype=np.float64, order="C")
        sizes = sizes.reshape(rows.shape)
    kernel = _settled if worth_loading(some.size, few=_FEW) else getattr(_settled, "py_func", _settled)
    with np.errstate(invalid="ignore"):  # infinite scores
        rows[close] = kernel(some, sizes, np.argsort(some, axis=-1))
    return settled


def settled_means(values: ArrayLike) -> Floats:
    """Return the means along the last axis, those of a row that are equal up to rounding made equal.

    Shapes: result (..., system).

    Examples
    --------
    >>> means = settled_means([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.1]])
    >>> bool(means[0] == means[1]), means.round(12).tolist()
    (True, [0.2, 0.2, 0.1])
    """
    values = np.asarray(values, dtype=np.float64)
    means = values.mean(axis=-1)
    return settle(means, means if values.min(initial=0.0) >= 0.0 else np.abs(values).mean(axis=-1))


def _holds_close(ascending: Floats) -> Flags:
    """Say of every ascending row whether two different numbers of it are equal up to rounding by their own sizes."""
    low, high = ascending[:, :-1], ascending[:, 1:]
    with np.errstate(invalid="ignore"):  # infinite scores
        apart = high - low
    close = (apart > 0.0) & (apart <= RELATIVE * (np.abs(high) + np.abs(low)))
    return close.any(axis=1)


@compiled
def _settled(values: Floats, sizes: Floats, order: Ints) -> Floats:
    """Return the rows settled; `order` is that of ascending values, NaN last."""
    settled = np.empty_like(values)
    n = values.shape[1]
    for row in range(len(values)):
        lowest, anchor, smallest = np.nan, np.nan, np.nan  # of the group; the anchor is its most exact member
        start = 0
        while start < n:
            value = values[row, order[row, start]]
            size = sizes[row, order[row, start]]
            stop = start + 1
            while stop < n and values[row, order[row, stop]] == value:
                size = min(size, sizes[row, order[row, stop]])
                stop += 1
            apart = value - anchor
            if np.isfinite(apart) and apart <= RELATIVE * (size + smallest):
                if size < smallest:
                    anchor, smallest = value, size
            else:
                lowest, anchor, smallest = value, value, size
            for position in range(start, stop):
                settled[row, order[row, position]] = lowest
            start = stop
    return settled
