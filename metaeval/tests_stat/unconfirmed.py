"""Pairs that reach the level by their test, and not by another that decides too."""

from typing import NamedTuple

import numpy as np

from metaeval.tests_stat.discordant import wins_of_one_size
from metaeval.tests_stat.result import PairwiseResult


class Unconfirmed(NamedTuple):
    """A metric under which a pair reaches the level by its test, and not by another that decides too."""

    metric: str
    won: int
    """Topics on which the system with the better mean is better; -1 where runs leave the pair open."""
    lost: int
    p_value: float
    """Of the test that was done, as corrected; with runs on these alone."""
    exact: float
    """Of the exact sign test, on 0 and 1 McNemar's; or with runs drawn as topics are."""


def unconfirmed(result: PairwiseResult) -> list[Unconfirmed]:
    """Return the metrics under which the one pair reaches the level, though another test does not.

    It is the exact sign test, or of means over runs the t test with these in its error.

    Examples
    --------
    >>> from metaeval import paired_t_test
    >>> found = paired_t_test([[1] * 15 + [0] * 6 + [1] * 39, [0] * 15 + [1] * 6 + [1] * 39])
    >>> [(row.won, row.lost, round(row.p_value, 4), round(row.exact, 4)) for row in unconfirmed(found)]
    [(15, 6, 0.0487, 0.0784)]
    """
    if result.n_pairs > 1:
        return []
    by_runs = []
    for at in np.flatnonzero(result.open_by_runs()[:, 0]).tolist():
        on_items, beyond = (float(result.data[name].to_numpy()[at, 0]) for name in ("p_items", "p_corrected"))
        by_runs.append(Unconfirmed(result.metrics[at], -1, -1, on_items, beyond))
    if "p_exact" not in result.data or result.scores is None:
        return by_runs
    pair = [str(result.data[side].item()) for side in ("system_a", "system_b")]
    wins = wins_of_one_size(result.scores.sel(metric=list(result.metrics)), *pair)
    p_values, exact = (result.data[name].to_numpy()[:, 0].tolist() for name in ("p_corrected", "p_exact"))
    rows = zip(result.unconfirmed()[:, 0], result.metrics, wins, p_values, exact, strict=True)
    return by_runs + [
        Unconfirmed(metric, max(counts), min(counts), p_value, p_exact)
        for is_open, metric, counts, p_value, p_exact in rows
        if is_open and counts
    ]
