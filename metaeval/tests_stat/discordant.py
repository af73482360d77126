"""Pairs that one test finds and another does not, which decides too: the exact one of signs, or one that counts runs.

Scores that take two values have the exact sign test on the topics on which two systems differ; of means over runs see
`metaeval.tests_stat.runs`.
"""

from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
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
    won, lost, exact = signs_of_pair(result)
    doubtful = (result.verdicts()[:, 0] != 0) & ~np.isnan(exact) & ~is_significant(exact, result.alpha)
    sides, p_values = (result.data[name].to_numpy()[:, 0] for name in ("better", "p_corrected"))
    return [
        Unconfirmed(
            result.metrics[at], int(sides[at]), int(won[at]), int(lost[at]), float(p_values[at]), float(exact[at])
        )
        for at in np.flatnonzero(doubtful).tolist()
    ]


class Signs(NamedTuple):
    """The exact sign test of the one pair, where its scores take two values: arrays (metric,)."""

    won: Ints
    """Topics on which the system with the better mean is better."""
    lost: Ints
    exact: Floats
    """Its p-value; NaN where it does not decide."""


def signs_of_pair(result: PairwiseResult) -> Signs:
    """Return the exact sign test of the one pair under each metric.

    Examples
    --------
    >>> from metaeval import paired_t_test
    >>> signs_of_pair(paired_t_test([[1] * 15 + [0] * 6 + [1] * 39, [0] * 15 + [1] * 6 + [1] * 39])).exact.round(4)
    array([0.0784])
    """
    won, lost = np.zeros((2, len(result.metrics)), dtype=np.int64)
    scores, two_values = result.scores, np.zeros(len(won), dtype=bool)
    if scores is not None and result.test != "sign" and not _STRUCTURE & {*map(str, scores.coords)}:
        pair = [str(result.data[side].item()) for side in ("system_a", "system_b")]
        sides = result.data["better"].to_numpy()[:, 0]
        for at, values in enumerate(oriented_values(scores.sel(system=pair))):
            common = values[:, np.isfinite(values).all(axis=0)]
            apart = sides[at] * (common[0] - common[1])
            won[at], lost[at] = np.count_nonzero(apart > 0), np.count_nonzero(apart < 0)
            two_values[at] = sides[at] != 0 and len(np.unique(common)) <= _TWO
    exact = exact_signs(won, lost, two_sided=result.alternative == "two-sided")
    return Signs(won, lost, np.where(two_values, exact, np.nan))


def exact_signs(won: Ints, lost: Ints, *, two_sided: bool) -> Floats:
    """Return the p-values of the exact sign test for so many topics won and lost.

    Examples
    --------
    >>> exact_signs(np.array([9]), np.array([2]), two_sided=True).round(4)  # scipy.stats.binomtest(9, 11).pvalue
    array([0.0654])
    """
    tail = even_binomial_tail(lost, won + lost)
    return times(tail, 2).p if two_sided else tail.p
