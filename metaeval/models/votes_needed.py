"""Votes needed until a pair of systems is settled, and the pairs that should have the next ones."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from metaeval.base.checks import check_count, check_kind, check_power, check_share
from metaeval.base.results import Result
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.resampling.ranks import SystemRanks
from metaeval.running.parallel import in_one_order
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
    power: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair, the closest to being settled first.

        The columns are system_a, system_b, difference (a less b), settled, votes_needed (on new questions and by new
        voters, in the present proportions), votes_needed_same (on the same questions by the same voters; infinite
        where no number is enough) and votes_expected (with which the difference, as estimated, just reaches the
        threshold), rounded up to two digits. Settled pairs need none.
        """
        return self.table.copy()

    def votes_for_share(self, share: float = 0.75) -> float:
        """Return the votes with which this share of the pairs is settled, if strengths are as estimated.

        Examples
        --------
        >>> from metaeval.simulate import simulate_votes
        >>> from metaeval.models import bradley_terry
        >>> plan = vote_plan(bradley_terry(simulate_votes(rng=1)))
        >>> bool(plan.votes_for_share(0.9) > plan.votes_for_share(0.5))
        True
        """
        check_share(share, "share")
        return float(np.quantile(self.table["votes_expected"], share, method="inverted_cdf"))


@in_one_order
def vote_plan(
    fitted: BradleyTerry, ranks: SystemRanks | None = None, *, power: float = 0.8, n_next: int = 100
) -> VotePlan:
    r"""Plan votes: how many settle a pair, and which pair should have the next ones.

    Parameters
    ----------
    fitted : BradleyTerry
    ranks : SystemRanks, optional
        Ranks of the same systems in the same order, whose decision about a pair is that of the plan; by default a pair
        is settled by Bonferroni's correction.
    power : float, default 0.8
        Chance with which a pair is to be settled, if the difference is as estimated.
    n_next : int, default 100
        Votes to spend on one pair.

    Notes
    -----
    A difference of z standard errors is settled from c on: with ranks z and c are the normal quantiles of the draws
    with this order and of those needed. With m times the votes on as many more questions and voters errors fall by the
    root of m, so that a pair is settled with the power asked for from

    .. math:: m = ((c + \Phi^{-1}(\text{power})) / z)^2.

    On the same questions by the same voters only the share :math:`\rho` of the variance that independent votes would
    have falls: the variance is :math:`1 - \rho + \rho / m` times the present one, so that some pairs are never settled.
    The next votes go to the pair whose votes lower the mean variance of all differences most: by a rank-one step of the
    inverse information.

    Examples
    --------
    >>> from metaeval.simulate import simulate_votes
    >>> from metaeval.models import bradley_terry
    >>> found = vote_plan(bradley_terry(simulate_votes(n_systems=3, rng=1)))
    >>> found.to_frame()["settled"].tolist()
    [False, False, True]
    """
    check_kind(fitted, "fitted", "BradleyTerry")
    check_power(power, fitted.alpha)
    check_count(n_next, "n_next", most=_MOST_NEXT)
    n = len(fitted.systems)
    first, second = all_pairs(n)
    apart = fitted.strengths[first] - fitted.strengths[second]
    own, alone = (_of_pairs(one, first, second) for one in (fitted.covariance, fitted.independent.covariance[:n, :n]))
    size, threshold, decided = _evidence(fitted, ranks, first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = ((threshold + float(ndtri(power))) / size) ** 2
        part = np.clip(np.where(own > 0, alone / own, 1.0), 0.0, 1.0)
        left = 1.0 / times - (1.0 - part)
        same = np.where(left > 0, part / left, np.inf)
        expected = np.where(decided, 1.0, np.maximum((threshold / size) ** 2, 1.0))
    names = np.array(fitted.systems, dtype=object)
    table = pd.DataFrame(
        {
            "system_a": names[first],
            "system_b": names[second],
            "difference": apart,
            "settled": decided,
            "votes_needed": _votes(times, fitted.n_votes, decided),
            "votes_needed_same": _votes(same, fitted.n_votes, decided),
            "votes_expected": np.where(
                decided, float(fitted.n_votes), _votes(expected, fitted.n_votes, np.zeros_like(decided))
            ),
        }
    )
    table = table.sort_values(["settled", "votes_needed"], kind="stable", ignore_index=True)
    return VotePlan(
        table=table,
        following=_following(fitted, first, second, n_next),
        n_votes=fitted.n_votes,
        n_next=n_next,
        power=float(power),
    )


def _votes(times: Floats, n_votes: int, decided: NDArray[np.bool_]) -> Floats:
    """Return so many times the votes, rounded up to two digits: draws tell no more."""
    found = np.maximum(times, 1.0) * n_votes
    known = np.isfinite(found) & (found < _MOST)
    step = 10.0 ** np.maximum(np.floor(np.log10(np.where(known, found, 1.0))) - 1.0, 0.0)
    return np.where(decided, np.nan, np.where(known, np.ceil(found / step * (1.0 - 1e-12)) * step, np.inf))


def _of_pairs(square: Floats, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
    variance = square.diagonal()
    return np.maximum(variance[first] + variance[second] - 2 * square[first, second], 0.0)


def _evidence(
    fitted: BradleyTerry, ranks: SystemRanks | None, first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return every pair's difference in standard errors, what settles it, and whether it is settled."""
    if ranks is None:
        size = np.abs(fitted.comparison().data["statistic"].to_numpy()[0])
        freedom = fitted.freedom[first, second]
        threshold = np.asarray(stdtrit(freedom, 1.0 - fitted.alpha / 2 / len(first)))
        return size, threshold, size >= threshold
    data = ranks.data
    better = data["p_better"].to_numpy()[0]
    cut = max(float(data["critical_value"].min()), 1.0 / ranks.n_draws)
    size = ndtri(np.minimum(np.maximum(better, 1.0 - better), 1.0 - 0.5 / ranks.n_draws))
    return size, np.full(len(first), ndtri(1.0 - cut)), data["significant"].to_numpy()[0]


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
