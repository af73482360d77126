"""Votes needed until a pair of systems is settled, and the pairs that should have the next ones."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from metaeval.base.checks import check_count, check_power, check_share
from metaeval.base.results import Result
from metaeval.models.bradley_terry import BradleyTerry
from metaeval.tests_stat.pairs import all_pairs

type Floats = NDArray[np.float64]

_MOST = 1e12
_MOST_NEXT = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VotePlan(Result):
    """Votes that pairs of systems need, and the pairs that more votes tell most of."""

    table: pd.DataFrame
    """One row a pair; see `to_frame`."""
    following: pd.DataFrame
    """One row a pair, the best first: system_a, system_b, fall."""
    n_votes: int
    """Votes at hand."""
    n_next: int
    """Votes that a row of `following` spends."""
    threshold: float
    """What a difference must be in standard errors to be settled."""
    power: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair, the closest to being settled first.

        The columns are system_a, system_b, difference (a less b), settled, votes_needed (on new questions and by new
        voters, in the present proportions), votes_needed_same (on the same questions by the same voters; infinite
        where no number is enough) and votes_expected (with which the difference, as estimated, just reaches the
        threshold). Settled pairs need none.
        """
        return self.table.copy()

    def votes_for_share(self, share: float = 0.75) -> float:
        """Return the votes with which this share of the pairs is settled, if strengths are as estimated.

        Examples
        --------
        >>> from metaeval import simulate_votes
        >>> from metaeval.models import bradley_terry
        >>> plan = vote_plan(bradley_terry(simulate_votes(rng=1)))
        >>> bool(plan.votes_for_share(0.9) > plan.votes_for_share(0.5))
        True
        """
        check_share(share, "share")
        return float(np.quantile(self.table["votes_expected"], share, method="inverted_cdf"))


def vote_plan(
    fitted: BradleyTerry, settled: NDArray[np.bool_] | None = None, *, power: float = 0.8, n_next: int = 100
) -> VotePlan:
    r"""Plan votes: how many settle a pair, and which pair should have the next ones.

    Parameters
    ----------
    fitted : BradleyTerry
    settled : array of bool, optional
        Which pairs are settled, in the order of `BradleyTerry.comparison`; by default by Holm's correction.
    power : float, default 0.8
        Chance with which a pair is to be settled, if the difference is as estimated.
    n_next : int, default 100
        Votes to spend on one pair.

    Notes
    -----
    A pair counts as settled from c standard errors on, c lying between the least t of a settled pair and the largest of
    an open one. With m times the votes on as many more questions and voters the variance V of a difference d is V / m:

    .. math:: m = V ((c + z) / d)^2, \quad z = \Phi^{-1}(\text{power}).

    On the same questions by the same voters only the part :math:`V_1` that independent votes would have falls:
    :math:`V - V_1 + V_1 / m`, so that some pairs are never settled. The next votes go to the pair whose votes lower the
    mean variance of all differences most: by a rank-one step of the inverse information.

    Examples
    --------
    >>> from metaeval import simulate_votes
    >>> from metaeval.models import bradley_terry
    >>> found = vote_plan(bradley_terry(simulate_votes(n_systems=3, rng=1)))
    >>> found.to_frame()["settled"].tolist()
    [False, False, True]
    """
    check_power(power, fitted.alpha)
    check_count(n_next, "n_next", most=_MOST_NEXT)
    test = fitted.comparison("holm")
    decided = test.data["significant"].to_numpy()[0] if settled is None else np.asarray(settled, dtype=bool)
    apart, t = (test.data[name].to_numpy()[0] for name in ("difference", "statistic"))
    n = len(fitted.systems)
    first, second = all_pairs(n)
    own, alone = (_of_pairs(one, first, second) for one in (fitted.covariance, fitted.independent.covariance[:n, :n]))
    threshold = _threshold(np.abs(t), decided, fitted, first, second)
    needed = threshold + float(ndtri(power))
    with np.errstate(divide="ignore", invalid="ignore"):
        times = own * (needed / apart) ** 2
        left = (apart / needed) ** 2 - np.maximum(own - alone, 0.0)
        same = np.where(left > 0, alone / left, np.inf)
        expected = np.where(decided, 1.0, np.maximum(own * (threshold / apart) ** 2, 1.0))
    names = np.array(fitted.systems, dtype=object)
    table = pd.DataFrame(
        {
            "system_a": names[first],
            "system_b": names[second],
            "difference": apart,
            "settled": decided,
            "votes_needed": _votes(times, fitted.n_votes, decided),
            "votes_needed_same": _votes(same, fitted.n_votes, decided),
            "votes_expected": np.ceil(expected * fitted.n_votes),
        }
    )
    table = table.sort_values(["settled", "votes_needed"], kind="stable", ignore_index=True)
    return VotePlan(
        table=table,
        following=_following(fitted, first, second, n_next),
        n_votes=fitted.n_votes,
        n_next=n_next,
        threshold=threshold,
        power=float(power),
    )


def _votes(times: Floats, n_votes: int, decided: NDArray[np.bool_]) -> Floats:
    found = np.ceil(np.maximum(times, 1.0) * n_votes)
    return np.where(decided, np.nan, np.where(np.isfinite(found) & (found < _MOST), found, np.inf))


def _of_pairs(square: Floats, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    variance = square.diagonal()
    return np.maximum(variance[first] + variance[second] - 2 * square[first, second], 0.0)


def _threshold(
    t: Floats, decided: NDArray[np.bool_], fitted: BradleyTerry, first: NDArray[np.int64], second: NDArray[np.int64]
) -> float:
    """Return how many standard errors settle a pair: between those of settled and of open pairs."""
    ordered, number = np.sort(t[np.isfinite(t)])[::-1], int((decided & np.isfinite(t)).sum())
    if 0 < number < len(ordered):
        return float((ordered[number - 1] + ordered[number]) / 2)
    freedom = float(np.median(fitted.freedom[first, second]))
    level = float(stdtrit(freedom, 1.0 - fitted.alpha / 2 / len(t)))
    return min(level, float(ordered[-1])) if number else max(level, float(ordered[0]) if len(ordered) else level)


def _following(fitted: BradleyTerry, first: NDArray[np.int64], second: NDArray[np.int64], n_next: int) -> pd.DataFrame:
    """Return for every pair the share by which more votes on it lower the mean width of all differences."""
    square = fitted.information
    chance = 1.0 / (1.0 + np.exp(fitted.strengths[second] - fitted.strengths[first]))
    more = n_next * chance * (1.0 - chance)
    lowered = _of_pairs(square @ square, first, second) * more / (1.0 + more * _of_pairs(square, first, second))
    fall = 1.0 - np.sqrt(np.maximum(1.0 - lowered / float(square.trace()), 0.0))
    names = np.array(fitted.systems, dtype=object)
    frame = pd.DataFrame({"system_a": names[first], "system_b": names[second], "fall": fall})
    return frame.sort_values("fall", ascending=False, kind="stable", ignore_index=True)
