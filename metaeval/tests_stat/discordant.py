"""Pairs that one test finds and another does not, which decides too: the exact one of signs, or one that counts runs.

Scores that take two values have the exact sign test on the topics on which two systems differ; of means over runs see
`metaeval.tests_stat.runs`.
"""

from typing import NamedTuple

import numpy as np

from metaeval.table.scores import oriented_values
from metaeval.tests_stat.result import PairwiseResult, is_significant
from metaeval.tests_stat.tails import even_binomial_tail, times

_STRUCTURE = frozenset({"cluster", "stratum", "weight"})
_TWO = 2


class Unconfirmed(NamedTuple):
    """A metric under which a pair is significant by the test that was done alone."""

    metric: str
    side: int
    """1 where the first system is better, -1 where the second is."""
    won: int
    """Topics on which the system with the better mean is better; -1 where runs leave the pair open."""
    lost: int
    p_value: float
    """Of the test that was done, as it decided; with runs on these alone."""
    exact: float
    """Of the exact sign test, on 0 and 1 McNemar's; or with runs drawn as topics are."""


def unconfirmed(result: PairwiseResult) -> list[Unconfirmed]:
    """Return the metrics under which the one pair is significant, though another test does not reach the level.

    It is the exact sign test where the scores of the two take no more than two values, so that it leaves nothing out,
    and topics are independent and weigh alike; and the t test with runs in its error where scores are means over runs.

    Examples
    --------
    >>> from metaeval import paired_t_test
    >>> found = paired_t_test([[1] * 15 + [0] * 6 + [1] * 39, [0] * 15 + [1] * 6 + [1] * 39])
    >>> [(row.won, row.lost, round(row.p_value, 4), round(row.exact, 4)) for row in unconfirmed(found)]
    [(15, 6, 0.0487, 0.0784)]
    """
    if result.n_pairs > 1:
        return []
    by_runs, rows = result.open_by_runs()[:, 0], []
    for metric in np.array(result.metrics)[by_runs].tolist():
        row = result.data.sel(metric=metric).isel(pair=0)
        p_values = (float(row[name]) for name in ("p_items", "p_corrected"))
        rows.append(Unconfirmed(metric, int(row["better"]), -1, -1, *p_values))
    return [*rows, *_by_signs(result)]


def _by_signs(result: PairwiseResult) -> list[Unconfirmed]:
    scores = result.scores
    if scores is None or result.test == "sign" or _STRUCTURE & {*map(str, scores.coords)}:
        return []
    pair = [str(result.data[side].item()) for side in ("system_a", "system_b")]
    rows = []
    for index, (metric, values) in enumerate(
        zip(result.metrics, oriented_values(scores.sel(system=pair)), strict=True)
    ):
        side = int(result.verdicts()[index, 0])
        common = values[:, np.isfinite(values).all(axis=0)]
        if not side or len(np.unique(common)) > _TWO:
            continue
        won, lost = (int(np.count_nonzero(side * (common[0] - common[1]) * sign > 0)) for sign in (1, -1))
        tail = even_binomial_tail(np.array(lost), np.array(won + lost))
        exact = float(tail.p if result.alternative != "two-sided" else times(tail, 2).p)
        if not is_significant(exact, result.alpha):
            p_value = float(result.data["p_corrected"].to_numpy()[index, 0])
            rows.append(Unconfirmed(metric, side, won, lost, p_value, exact))
    return rows
