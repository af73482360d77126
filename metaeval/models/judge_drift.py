"""How much of the change of systems' means is their judge's: the same items, judged by it twice."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.agreement.drawn_intervals import ends_of
from metaeval.base.arrays import Flags, Floats
from metaeval.models.drift import paired_tests
from metaeval.table.scores import Scores
from metaeval.table.units import units_of
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import is_significant

_FEWEST = 2
_PARTS = ("change", "judge", "system_part")
_CHANGED = 1
"""The row of the share of scores that differ, behind that of the shift."""


class SplitChange(NamedTuple):
    """What became of the means, and by whom."""

    overall: pd.DataFrame
    """Of all outputs that are the same: rows ``shift`` (mean of the scores after less before) and ``changed`` (share of
    scores that differ), columns ``value``, ``low``, ``high``, ``p_value``, ``p_corrected``, ``significant``."""
    systems: pd.DataFrame
    """One row a system: ``system``, ``n_items``, ``n_same``; ``change``, ``judge`` and ``system_part``, each with
    ``_low`` and ``_high``; ``p_corrected`` and ``significant`` of the judge's part."""


def split_change(before: Scores, after: Scores, same: Flags, *, alpha: float) -> SplitChange:
    r"""Split the change of every system's mean between the judge and the system.

    Parameters
    ----------
    before, after : Scores
        Under one metric each, of the same systems and items; clusters are those of `after`.
    same : array of bool
        Whether the output is the same. Shape (system, item).
    alpha : float
        Of the tests, corrected by Holm over all outputs together and every system that has some; one less the level of
        the intervals.

    Notes
    -----
    With :math:`d_{si}` the score after less the score before, the judge's part of the change of system s is the mean of
    its d over the items whose output is the same (over those of all systems where it has fewer than two), and the
    system's the rest. Each is a mean whose error is the sum of what every item adds to it, so that all are tested as
    means over items, in clusters where there are some. Where items do not vary, ends are those of
    `metaeval.agreement.drawn_intervals`.
    """
    first, second = (scores.to_numpy()[0] for scores in (before, after))
    scored = np.isfinite(first) & np.isfinite(second)
    same, apart = same & scored, np.where(scored, second - first, 0.0)
    items, has_own = same.any(axis=0), same.sum(axis=1) >= _FEWEST
    (shift, of_shift), (changed, of_changed) = (_over_all(values, same) for values in (apart, np.sign(np.abs(apart))))
    change, of_change = _means(apart, scored)
    judge, of_judge = _means(apart, same)
    judge, of_judge = np.where(has_own, judge, shift), np.where(has_own[:, None], of_judge, of_shift)
    of_judges = np.where(has_own[:, None], same, items)
    tested = _tested(
        after,
        np.concatenate([[shift, changed], change, judge, change - judge]),
        np.concatenate([[of_shift, of_changed], of_change, of_judge, of_change - of_judge]),
        np.concatenate([[items, items], scored, of_judges, scored | of_judges]),
        alpha,
    )
    width = np.ptp(np.concatenate([first[scored], second[scored]]))
    least = np.where(tested.index == _CHANGED, 0.0, -width)
    most = np.where(tested.index == _CHANGED, 1.0, width)
    half = np.where(tested["n_units"] < _FEWEST, np.nan, (tested["high"] - tested["low"]).fillna(0.0) / 2)
    ends = ends_of(tested["value"].to_numpy(), half, tested["n_units"].to_numpy(), least, most, 1 - alpha)
    tested["low"], tested["high"] = ends
    n = len(same)
    family = np.concatenate([[0], 2 + n + np.flatnonzero(has_own)])
    tested.loc[family, "p_corrected"] = adjust(tested.loc[family, "p_value"].to_numpy(), "holm")
    reached = is_significant(tested["p_reachable"].to_numpy(), alpha)
    tested["significant"] = is_significant(tested["p_corrected"].to_numpy(), alpha) & reached
    columns = ["value", "low", "high", "p_value", "p_corrected", "significant"]
    systems = pd.DataFrame(
        {"system": after["system"].to_numpy(), "n_items": scored.sum(axis=1), "n_same": same.sum(axis=1)}
    )
    for number, name in enumerate(_PARTS):
        rows = tested.iloc[2 + number * n : 2 + (number + 1) * n].reset_index(drop=True)
        systems[[name, f"{name}_low", f"{name}_high"]] = rows[["value", "low", "high"]]
        if name == "judge":
            systems[["p_corrected", "significant"]] = rows[["p_corrected", "significant"]]
    is_all_same = (systems["n_items"] == systems["n_same"]).to_numpy()  # 0 by definition, not by these items
    systems.loc[is_all_same, ["system_part_low", "system_part_high"]] = np.nan
    return SplitChange(tested.loc[:_CHANGED, columns].set_axis(["shift", "changed"]), systems)


def _means(values: Floats, mask: Flags) -> tuple[Floats, Floats]:
    """Return the mean of every row where marked, and what each item adds to its error."""
    n = np.maximum(mask.sum(axis=1, keepdims=True), 1)
    means = (values * mask).sum(axis=1, keepdims=True) / n
    return means[:, 0], mask * (values - means) / n


def _over_all(values: Floats, mask: Flags) -> tuple[Floats, Floats]:
    """Return the same over all rows together."""
    means, added = _means(values.reshape(1, -1), mask.reshape(1, -1))
    return means[0], added.reshape(mask.shape).sum(axis=0)


def _tested(board: Scores, values: Floats, added: Floats, rests: Flags, alpha: float) -> pd.DataFrame:
    """Test every value as a mean over the items that it rests on."""
    as_items = values[:, None] + rests.sum(axis=1, keepdims=True) * added
    nothing, items = (np.where(rests, scores, np.nan) for scores in (0.0, as_items))
    outcome = paired_tests(board, nothing, items, alpha)
    frame = pd.DataFrame(dict(zip(("p_value", "low", "high", "p_reachable"), outcome, strict=True)))
    return frame.assign(value=values, n_units=units_of(board).held(rests), p_corrected=np.nan)
