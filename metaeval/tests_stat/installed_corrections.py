"""Corrections that installed packages bring: functions of the p-values of one family."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import get_args

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.faults import fault
from metaeval.base.plugins import Plugin, as_given
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import CORRECTIONS, CorrectionSpec, Step, stepped
from metaeval.tests_stat.procedures import Procedure

type Adjusts = Callable[[Floats], Floats]

_TRIED = 12
"""Hypotheses that a function is tried on, to tell whether it goes by levels."""
_BISECTIONS = 60


def correction_of(plugin: Plugin, called: Procedure) -> CorrectionSpec:
    """Return the row of a correction: a function that takes p-values (hypothesis,) and returns adjusted ones.

    Where it answers as a table of levels would, it serves for whatever built-in ones do; else it adjusts p-values, and
    intervals that need its levels on resampled topics are left out.
    """
    adjusts = partial(_adjusted, plugin.imported(), called.described)
    steps = _steps_of(adjusts, _TRIED)
    return CorrectionSpec(
        name=called.name,
        words=called.words,
        described=called.described,
        levels=partial(_levels, adjusts, called.described),
        step=steps[1] if steps else "none",
        adjusts=adjusts,
        has_levels=steps is not None,
    )


def _adjusted(function: Callable[[Floats], object], told: str, p_values: Floats) -> Floats:
    """Return what a function makes of the p-values of one family; refuse what are no adjusted p-values."""
    try:
        with np.errstate(all="ignore"):  # what comes of it is looked at
            answer = function(p_values.copy())
        adjusted = np.asarray(answer, dtype=np.float64)
    except Exception as error:
        raise InvalidOptionError(f"{told} stopped on {p_values.size} p-values: {fault(error)}") from error
    if adjusted.shape != p_values.shape or not ((adjusted >= 0) & (adjusted <= 1)).all():
        raise InvalidOptionError(
            f"{told} gave {as_given(answer)} for {p_values.size} p-values; what is due is as many numbers from 0 to 1"
        )
    return adjusted


@lru_cache(maxsize=32)
def _steps_of(adjusts: Adjusts, n: int) -> tuple[Floats, Step] | None:
    """Return the levels at alpha = 1 and the step by which a function adjusts n p-values; None if it goes by none.

    P-values that rise faster than any levels do are each divided by their own level, whatever the step. Whether levels
    and step are all that there is to the function is tried on other p-values.
    """
    place = np.arange(1, n + 1)
    rising = (place / (n - place + 1.0)) ** 2 / n**3 / 1000
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = rising / adjusts(rising)
    powers = np.array([[0.3], [1.0], [2.0], [4.0]] * 4)
    families = np.random.default_rng(0).random((len(powers), n)) ** powers
    adjusted = np.stack([adjusts(family) for family in families])
    steps: list[Step] = [
        step for step in get_args(Step) if np.allclose(stepped(families, levels, step), adjusted, rtol=1e-9, atol=0)
    ]
    return (levels, steps[0]) if steps else None


def _levels(adjusts: Adjusts, told: str, alpha: float, place: Ints, n: int) -> Floats:
    """Return the levels of a function; of one that goes by none, up to where a p-value alone is rejected."""
    steps = _steps_of(adjusts, n)
    if steps is not None:
        return alpha * steps[0][place - 1]
    if place.tolist() != [1]:
        raise InvalidOptionError(
            f"{told} goes by no levels for the smallest, second smallest and further p-values, which are needed here; "
            f"choose {', '.join(CORRECTIONS.builtin)}"
        )
    low, high, others = 0.0, 1.0, np.ones(n - 1)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if adjusts(np.append(middle, others))[0] <= alpha else (low, middle)
    return np.array([low])
