"""Systems with one score on all their topics, such as the reference that others were compared with."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import first_few, natural_order
from metaeval.base.unit import unit_of
from metaeval.running.equality import reaches
from metaeval.table.scores import Scores

_FEWEST = 5
"""On fewer topics one score throughout is no surprise."""


def constant_systems(scores: Scores) -> NDArray[np.bool_]:
    """Say which systems have one value on all their topics, of two at least: an array (metric, system).

    Examples
    --------
    >>> from metaeval import as_scores
    >>> constant_systems(as_scores([[1, 0, 1], [0.5, 0.5, 0.5]])).tolist()
    [[False, True]]
    """
    values = scores.to_numpy()
    low, high = np.fmin.reduce(values, axis=2), np.fmax.reduce(values, axis=2)
    return reaches(low, high, np.abs(high)) & (np.isfinite(values).sum(axis=2) > 1)


def without_variation(scores: Scores) -> list[str]:
    """Name the systems that have one value on all their topics, where others of the metric have not: a failed run, say.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> without_variation(as_scores({"a": [1, 0, 1, 0, 0], "b": [0.5] * 5}, metrics=["AP"]))
    ['the same score on every topic under AP: b (0.5)']
    """
    if scores.sizes["topic"] < _FEWEST or "repeat" in scores.dims:
        return []
    notes = []
    for metric, flags in zip(scores["metric"].to_numpy().tolist(), constant_systems(scores), strict=True):
        if flags.any() and not flags.all():
            constants = scores.sel(metric=metric).isel(system=np.flatnonzero(flags)).max("topic").to_series()
            named = first_few([f"{name} ({value:g})" for name, value in constants.items()])
            notes.append(f"the same score on every {unit_of(scores).topic} under {metric}: {named}")
    return notes


def constant_notes(table: Scores) -> list[str]:
    """Name the systems that have one value on all their items, as a reference of the others may have."""
    notes, spoken = [], unit_of(table)
    for metric, flags in zip(table["metric"].to_numpy().tolist(), constant_systems(table), strict=True):
        constants = table.sel(metric=metric).isel(system=np.flatnonzero(flags)).max("topic").to_series()
        if len(constants):
            named = first_few([f"{name} ({constants[name]:g})" for name in natural_order(constants.index.tolist())])
            notes.append(
                f"the same score on every {spoken.topic} under {metric}: {named}; every "
                f"{spoken.topic} separates a cohort with such a system, unless all its systems have that score"
            )
    return notes
