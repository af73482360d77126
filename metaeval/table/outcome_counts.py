"""Counts, or shares, of the outcomes of every system, such as right, partly and wrong: no scores of items."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.label_words import says_yes
from metaeval.base.names import first_few
from metaeval.base.unit import unit
from metaeval.table.counted_shares import SCALES
from metaeval.table.derived import rounding

_FEWEST, _MOST = 2, 20
_RARE = 0.01
_EXACT = 1e-9


def outcomes(values: Floats) -> tuple[list[int], float]:
    """Return the columns that count the outcomes of every system, and how many each has; none and 0 for scores.

    `values` has the shape (system, column). Whole numbers, or shares and per cents, of every system have one sum, as
    the scores of items have by luck alone. Beside them stand their sum and rates, which are fewer.

    Examples
    --------
    >>> outcomes(np.array([[12.0, 80, 8], [20, 70, 10], [9, 88, 3]]))
    ([0, 1, 2], 100.0)
    >>> outcomes(np.array([[3.0, 5, 4], [2, 5, 4], [3, 4, 4]]))
    ([], 0.0)
    """
    if len(values) < _FEWEST or not _FEWEST <= values.shape[1] <= _MOST or not np.isfinite(values).all():
        return [], 0.0
    are_whole = (values == np.rint(values)).all(axis=0)
    for places in (np.flatnonzero(are_whole), np.flatnonzero(~are_whole)):
        is_sum = [bool((2 * values[:, at] == values[:, places].sum(axis=1)).all()) for at in places]
        parts = [at for at, is_total in zip(places.tolist(), is_sum, strict=True) if not is_total]
        if 2 * len(parts) > values.shape[1] - sum(is_sum) and (total := _one_sum(values[:, parts])):
            return parts, total
    return [], 0.0


def _one_sum(values: Floats) -> float:
    """Return what all rows sum to where luck does not make them; 0 where they do not."""
    if values.shape[1] < _FEWEST or values.min() < 0 or np.isin(values, (0.0, 1.0)).all():
        return 0.0
    near, sums = rounding(values) * values.shape[1] + _EXACT, values.sum(axis=1)
    is_whole = bool((values % 1 == 0).all())
    total = float(sums[0]) if is_whole else min(SCALES, key=lambda scale: abs(scale - float(sums[0])))
    if (np.abs(sums - total) > near).any():
        return 0.0
    spread = math.sqrt(float(values.var(axis=0, ddof=1).sum()))
    luck = max(1.0 if is_whole else 0.0, 2 * near) / (2 * math.sqrt(math.pi) * max(spread, _EXACT))
    return total if luck ** (len(values) - 1) < _RARE else 0.0


def refusal_of_outcomes(
    names: Sequence[str], total: float, way: str, of_right: Callable[[str], str] | None = None
) -> str:
    """Say that columns count outcomes, and what reads the one that counts as right.

    `way` is what keeps them as scores; `of_right` returns the filter that writes counts so, "" if none does.
    """
    right = next(filter(says_yes, names), "")
    made = of_right(right) if right and of_right is not None else ""
    return (
        f"{first_few(names, write=repr, most=3)} sum to {total:g} for every system, as counts or shares of its answers "
        f"do, and are no scores of {unit().topics}: all systems would have one mean. Give the score of every answer, "
        "or, for metaeval leaderboard, columns system, right, total and rate: how many are right, of how many, and "
        f"their share{made}. {way} keeps them as scores"
    )
