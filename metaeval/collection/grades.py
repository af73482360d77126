"""Real-valued grades of judgments as codes: the k-th distinct grade above 0 is code k, and code 0 is no relevance.

Levels stay small whole numbers, on which every kernel is fast, and a table says which number each stands for. Where
all grades are whole there is no table: levels are the grades themselves.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.base.checks import refused
from metaeval.base.names import first_few
from metaeval.errors import InvalidOptionError
from metaeval.running.equality import reaches, settle

LARGEST_GRADE = 32_767
"""Grades lie within plus and minus this."""

MOST_GRADES = 32_000
"""Most distinct grades above 0, where they are not whole."""


class CodedGrades(NamedTuple):
    """Grades as levels."""

    levels: NDArray[np.int16]
    """A negative one is no judgment."""
    grades: NDArray[np.float64] | None
    """``grades[level]`` is the grade of a level from 0 on, ascending from 0; None where levels are the grades."""


def coded(numbers: ArrayLike) -> CodedGrades:
    """Turn grades into levels: whole ones as they are; others by their place among the distinct grades above 0.

    Examples
    --------
    >>> coded([0, 1.7, 0.5, -1])
    CodedGrades(levels=array([ 0,  2,  1, -1], dtype=int16), grades=array([0. , 0.5, 1.7]))
    >>> coded([0, 2.0]).grades is None
    True
    """
    values = np.asarray(numbers, dtype=np.float64)
    wrong = values[~(np.abs(values) <= LARGEST_GRADE + 1) | (values == LARGEST_GRADE + 1)]
    if wrong.size:
        raise InvalidOptionError(f"grades must lie within ±{LARGEST_GRADE}, not {wrong.flat[0]:g}")
    if (values == np.floor(values)).all():
        return CodedGrades(values.astype(np.int16), None)
    distinct, inverse = np.unique(np.maximum(values, 0.0), return_inverse=True)
    settled, code = np.unique(settle(distinct), return_inverse=True)
    if settled[0] > 0:  # nothing is 0 here, and code 0 is
        settled, code = np.append(0.0, settled), code + 1
    if len(settled) > MOST_GRADES + 1:
        raise InvalidOptionError(
            f"{len(settled) - 1:,} distinct grades above 0; at most {MOST_GRADES:,} are kept apart, so round them "
            "(to three decimals, say)"
        )
    levels = np.where(values < 0, np.floor(values), code[inverse.reshape(values.shape)])
    return CodedGrades(levels.astype(np.int16), settled)


def grade_values(levels: NDArray[np.integer], grades: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the grade of every level; a negative one, which is no judgment, stays as it is.

    Examples
    --------
    >>> grade_values(np.array([2, 0, -1]), np.array([0.0, 0.5, 1.7]))
    array([ 1.7,  0. , -1. ])
    """
    if grades is None:
        return levels.astype(np.float64)
    return np.where(levels < 0, levels, grades[np.maximum(levels, 0)])


def level_from(rel: float, grades: NDArray[np.float64] | None) -> int:
    """Return the lowest level whose grade is at least `rel`, which is above 0; one past the last if none is.

    Examples
    --------
    >>> level_from(1.5, None), level_from(1.5, np.array([0.0, 0.5, 1.7])), level_from(3, np.array([0.0, 0.5, 1.7]))
    (2, 2, 3)
    """
    if grades is None:
        return max(int(np.ceil(rel)), 1)
    reached = reaches(grades, rel, np.abs(grades))
    return max(int(np.argmax(reached)) if reached.any() else len(grades), 1)


def levels_reached(
    thresholds: Sequence[float], grades: NDArray[np.float64] | None
) -> Callable[[NDArray[np.int16]], NDArray[np.int16]]:
    """Return what turns levels into how many thresholds their grade reaches; a negative one stays as it is."""
    bounds = np.asarray(thresholds, dtype=np.float64)
    if bounds.ndim != 1 or not len(bounds) or not (np.diff(np.append(0.0, bounds)) > 0).all():
        raise refused("thresholds", f"must ascend from above 0, such as (0.5, 1.5), not {thresholds!r}", thresholds)
    lowest = np.array([level_from(bound, grades) for bound in bounds.tolist()])

    def reached(levels: NDArray[np.int16]) -> NDArray[np.int16]:
        return np.where(levels < 0, levels, np.searchsorted(lowest, levels, side="right")).astype(np.int16)

    return reached


def grades_note(grades: NDArray[np.float64]) -> str:
    """Say that grades are real-valued, and what follows."""
    above = grades[1:].tolist()
    return (
        f"the judgments hold {len(above)} distinct grades above 0 that are not all whole "
        f"({first_few(above, write=lambda one: f'{one:.6g}')}): gains take the number, and measures with a threshold "
        "need one (rel=…)"
    )
