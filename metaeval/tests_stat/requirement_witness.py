"""On which topics it rests that a requirement is established, or contradicted."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.errors import InvalidOptionError
from metaeval.table.scores import Scores, by_name, oriented_values
from metaeval.table.units import units_of
from metaeval.tests_stat.requirements import MET, VIOLATED, check_requirements, sides_of
from metaeval.tests_stat.runs import Runs
from metaeval.tests_stat.tails import fewest_by_signs
from metaeval.tests_stat.witnesses import Claims


class RequirementWitness(NamedTuple):
    """Topics, or clusters, without which a requirement is open."""

    rests_on: tuple[str, ...]
    n_units: int
    too_few: bool
    """Whether all that speaks against it without them is that too few are left for anything to be established."""


def requirement_witness(scores: Scores, row: Mapping[Any, Any], *, alpha: float) -> RequirementWitness | None:
    """Return topics without which a requirement is as told no more; None where it is open, or none were found.

    They are those on which a significant difference from the margin rests, and the requirement is checked without them.

    Parameters
    ----------
    scores : Scores
        What was checked.
    row : mapping
        A row of `metaeval.tests_stat.requirements.Requirements.to_frame`.
    alpha : float
        Level of the requirement.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> scores = as_scores([[0.9, 0.8, 0.7, 0.9, 0.8, 0.7, 0.6], [0.1, 0.2, 0.4, 0.3, 0.2, 0.1, 0.5]])
    >>> (row,) = check_requirements(scores, ["system1 >= system2"]).to_frame().to_dict("records")
    >>> requirement_witness(scores, row, alpha=0.05).rests_on
    ('4', '5', '6')
    """
    if row["state"] not in {MET, VIOLATED}:
        return None
    table = by_name(scores.sel(metric=[row["metric"]]), "topic")
    names, units = table["system"].to_numpy().tolist(), units_of(table)
    pair = not pd.isna(row["system_b"])
    values = oriented_values(table)[0] if pair else table.to_numpy()[0]
    a, b = values[names.index(row["system_a"])], values[names.index(row["system_b"])] if pair else 0.0
    side = (1.0 if row["state"] == MET else -1.0) * (1.0 if pair or sides_of(row["requirement"])[1][0] == ">" else -1.0)
    second = np.array([names.index(row["system_b"])]) if pair else None
    runs = Runs.of(table, np.array([names.index(row["system_a"])]), second)
    claims = Claims(
        differences=side * (a - b - row["margin"])[None],
        sizes=(np.abs(a) + np.abs(b) + abs(row["margin"]))[None],
        levels=np.array([alpha]),
        fewest=fewest_by_signs(alpha) - 1,
        two_sided=False,
        units=units,
        runs=runs and runs.at((np.array([0]), np.array([0]))),
    )
    (gone,) = claims.witnesses()
    (few,) = claims.hold_but_for_few(gone[None])
    left = ~gone[units.unit]
    if left.all() or not left.any():
        return None
    try:
        without = check_requirements(table.isel(topic=left), [row["requirement"]], alpha=alpha).to_frame()
    except InvalidOptionError:  # fewer topics have a narrower range, of which the margin may be too much
        return None
    labels = units.names if units.clustered else table["topic"].to_numpy().tolist()
    named = tuple(str(labels[number]) for number in np.flatnonzero(gone))
    n_units = int(units.held(~np.isnan(a - b)))
    return None if without["state"].item() == row["state"] else RequirementWitness(named, n_units, bool(few))
