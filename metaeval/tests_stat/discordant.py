"""Pairs that differ by one amount, as scores of 0 and 1 do: the topics on which they differ have an exact test."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import bisect
from scipy.special import betainc, betaincc, betaincinv, stdtrit

from metaeval.base.arrays import Floats
from metaeval.running.equality import RELATIVE
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.units import units_of
from metaeval.tests_stat.tails import even_binomial_tail, student_tail, times

_LOWEST = -1.0 + 1e-12


def wins_of_one_size(scores: Scores, first: str, second: str) -> list[tuple[int, int] | None]:
    """Return under each metric on how many topics either of two systems is better.

    None where they differ by more than one amount, so that signs leave something out, or topics hang together or do not
    weigh alike.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> wins_of_one_size(as_scores([[1, 1, 0, 1], [0, 0, 1, 1]]), "system1", "system2")
    [(2, 1)]
    """
    wins: list[tuple[int, int] | None] = []
    plain = units_of(scores).plain
    for a, b in oriented_values(scores.sel(system=[first, second])):
        with np.errstate(invalid="ignore"):
            apart = np.where(np.abs(a - b) > RELATIVE * (np.abs(a) + np.abs(b)), a - b, 0.0)
        sizes = np.abs(apart[apart != 0.0])
        alike = not len(sizes) or np.ptp(sizes) <= RELATIVE * np.nanmax(np.abs([a, b]))
        wins.append((int((apart > 0.0).sum()), int((apart < 0.0).sum())) if plain and alike else None)
    return wins


def exact_signs(scores: Scores, pair: tuple[str, str], alternative: str) -> Floats:
    """Return the p-values of the exact sign test of two systems, (metric, 1): NaN where it would leave something out.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> exact_signs(as_scores([[1, 1, 1, 1], [0, 0, 0, 0]]), ("system1", "system2"), "two-sided").tolist()
    [[0.125]]
    """
    wins = wins_of_one_size(scores, *pair)
    won, lost = np.array([row or (0, 0) for row in wins]).T
    against = {"greater": lost, "less": won}.get(alternative, np.minimum(won, lost))
    tail = even_binomial_tail(against, won + lost)
    p_values = times(tail, 2).p if alternative == "two-sided" else tail.p
    return np.where([row is None for row in wins], np.nan, p_values)[:, None]


class ShareEvidence(NamedTuple):
    """What a test says of a share, or of the difference of two."""

    low: float
    high: float
    """One-sided limits."""
    p_above: float
    """That it is no larger than the number."""
    p_below: float


def share_difference(won: int, lost: int, n: float, margin: float, *, alpha: float) -> ShareEvidence:
    """Test the difference of the shares of two systems on the same n topics beside a margin, by Tango's score.

    Its quantiles are those of t with n - 1 degrees of freedom. On 10 to 80 topics a margin of .01 to .1 is then passed
    with a probability of .06 at most where it just does not hold, against .11 by the paired t test.

    Examples
    --------
    >>> [round(value, 4) for value in share_difference(4, 9, 100.0, -0.1, alpha=0.05)]
    [-0.1158, 0.0108, 0.0986, 0.9014]
    """

    def score(difference: float, better: int, worse: int) -> float:
        inner = (2.0 * n - better + worse) * difference - better - worse
        share = (np.sqrt(inner**2 + 8.0 * n * worse * difference * (1.0 - difference)) - inner) / (4.0 * n)
        variance = n * (2.0 * share + difference * (1.0 - difference))
        return float((better - worse - n * difference) / np.sqrt(variance)) if variance > 0.0 else 0.0

    asked = float(stdtrit(n - 1.0, 1.0 - alpha))
    low, high = (
        bisect(lambda at, better=better, worse=worse: score(at, better, worse) - asked, _LOWEST, (better - worse) / n)
        for better, worse in ((won, lost), (lost, won))
    )
    p_above = student_tail(np.array(n - 1.0), np.array(-score(margin, won, lost)), np.array(n)).p
    return ShareEvidence(float(low), -float(high), float(p_above), float(1.0 - p_above))


def exact_share(won: int, lost: int, number: float, *, alpha: float) -> ShareEvidence:
    """Test a share of so many won and lost beside a number, exactly; limits are those of Clopper and Pearson.

    Examples
    --------
    >>> [round(value, 4) for value in exact_share(8, 3, 0.4, alpha=0.05)]
    [0.4356, 0.9212, 0.0293, 0.9941]
    """
    return ShareEvidence(
        low=float(betaincinv(won, lost + 1.0, alpha)) if won else 0.0,
        high=float(betaincinv(won + 1.0, lost, 1.0 - alpha)) if lost else 1.0,
        p_above=float(betainc(won, lost + 1.0, number)) if won else 1.0,
        p_below=float(betaincc(won + 1.0, lost, number)) if lost else 1.0,
    )
