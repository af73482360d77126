"""Votes needed until a pair of systems is settled, and the pairs that should have the next ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri, stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_count, check_kind, check_power, check_share
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.resampling.ranks import SystemRanks
from metaeval.running.parallel import in_one_order
from metaeval.tests_stat.pairs import all_pairs

_MOST = 1e12
_HALVINGS = 60
_LEAST_SIZE = 0.1  # smallest drawn difference from which shrinkage is estimated
_MOST_NEXT = 10_000_000
_TIMES = np.geomspace(1.0, 1e4, 60)


class PairEvidence(NamedTuple):
    """What the votes at hand say of every pair, and what settles it."""

    size: Floats
    """Differences in standard errors. Shape (pair,)."""
    threshold: Floats
    """What settles a pair, once votes are many."""
    shrunken: float
    """By what share a square of the threshold is larger now, as differences are drawn towards 0."""
    noise: float
    """Variance of errors over that of true differences."""
    decided: Flags
    easing: Floats = np.zeros(len(_TIMES))
    """By how much the threshold falls with `_TIMES` the votes, as fewer pairs are open."""

    def chance(self, times: Floats) -> Floats:
        """Return the chance that a pair is settled with so many times the votes, those at hand among them."""
        kept = 1.0 / (1.0 + self.noise)
        expected = self.size * np.sqrt(times) * (1.0 / times + (1.0 - 1.0 / times) * kept)
        spread = np.sqrt((1.0 - 1.0 / times) * ((times - 1.0) * kept + 1.0))
        threshold = self.threshold - np.interp(times, _TIMES, self.easing)
        limit = threshold * np.sqrt(1.0 + self.shrunken / times)
        with np.errstate(divide="ignore", invalid="ignore"):
            either = ndtr((expected - limit) / spread) + ndtr((-expected - limit) / spread)
        return np.where(self.decided, 1.0, either)


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
    evidence: PairEvidence
    """What chances are computed from; pairs in the order of the strengths."""

    def _found(self) -> str:
        n = int(self.table["settled"].sum())
        settled = f"{n} of {count(len(self.table), 'pair')} are settled by {count(self.n_votes, 'vote')}"
        first = self.following.head(1).itertuples()
        return settled + "".join(
            f"; votes on {row.system_a} and {row.system_b} tell most of the others" for row in first
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair, the closest to being settled first.

        The columns are ``system_a``, ``system_b``, ``difference`` (a less b), ``settled``, ``votes_needed`` (on new
        questions and by new voters, in the present proportions) and ``votes_needed_same`` (on the same questions by the
        same voters; infinite where no number is enough), in all and rounded up to two digits. Settled pairs need none.
        """
        return self.table.copy()

    def votes_for_share(self, share: float = 0.75) -> float:
        """Return the votes with which this share of the pairs is expected to be settled.

        The expected share is the mean of the pairs' chances, by the rule of `to_frame`; a settled pair counts whole.

        Examples
        --------
        >>> from metaeval.simulate import simulate_votes
        >>> from metaeval.models import bradley_terry
        >>> plan = vote_plan(bradley_terry(simulate_votes(rng=1)))
        >>> bool(plan.votes_for_share(0.9) > plan.votes_for_share(0.5))
        True
        """
        check_share(share, "share")
        decided = self.evidence.decided.mean()
        times = np.ones(1) if decided >= share else _least(lambda one: self.evidence.chance(one).mean() >= share, 1)
        return float(_votes(times, self.n_votes, np.zeros(1, dtype=bool))[0])


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
        Chance with which a pair is to be settled.
    n_next : int, default 100
        Votes to spend on one pair.

    Returns
    -------
    VotePlan
        One row a pair in ``to_frame()``: ``difference`` of the strengths (natural logarithm of odds), whether it is
        ``settled``, and the votes that it needs; see `VotePlan.to_frame`. ``following`` says which pair should have the
        next ones.

    Notes
    -----
    A difference of z standard errors is settled from :math:`c \sqrt{1 + r}` on. With ranks c is the normal quantile of
    the draws needed; as draws are pulled towards each other, theirs of z, z', is smaller, and r is the median of
    :math:`(z / z')^2 - 1` over the pairs, or 0. With t tests r is 0 there. The true difference is no larger than it was
    seen, but smaller on average, by :math:`s = 1 / (1 + r)` (with t tests from :math:`r = 1 / (\overline{z^2} - 1)`).
    With m times the votes, those at hand among them, on as many more questions and voters, errors and r fall (r too
    fast where there are two systems, as nothing else estimates the spread of the strengths), and a pair is settled with
    the chance that the new difference, of

    .. math:: \text{mean } \sqrt{m}\, z \left(\frac{1}{m} + \frac{m - 1}{m} s\right) \text{ and variance }
              \frac{m - 1}{m} (1 + (m - 1) s),

    lies beyond :math:`\pm c \sqrt{1 + r / m}`. With ranks c falls: the share of draws that may lie on the other side
    grows as the share of open pairs falls, as all pairs share it. Of pairs said to be settled with a chance of .7 to
    .9 (.80 on average), .82 were; without s, of .81 only .65 (``benchmarks/studies/vote_plans.py``).

    Votes needed are the least m with the power asked for, times the votes. On the same questions by the same voters
    only the share :math:`\rho` of the variance that independent votes would have falls: the variance is :math:`1 - \rho
    + \rho / m` times the present one, so that some pairs are never settled.
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
    clustered, alone = (
        _of_pairs(one, first, second) for one in (fitted.covariance, fitted.independent.covariance[:n, :n])
    )
    evidence = _evidence(fitted, ranks, first, second)
    decided = evidence.decided
    times = _least(lambda one: evidence.chance(one) >= power, len(first))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip(np.where(clustered > 0, alone / clustered, 1.0), 0.0, 1.0)
        left = 1.0 / times - (1.0 - share)
        same = np.where(left > 0, share / left, np.inf)
    names = np.array(fitted.systems, dtype=object)
    table = pd.DataFrame(
        {
            "system_a": names[first],
            "system_b": names[second],
            "difference": apart,
            "settled": decided,
            "votes_needed": _votes(times, fitted.n_votes, decided),
            "votes_needed_same": _votes(same, fitted.n_votes, decided),
        }
    )
    table = table.sort_values(["settled", "votes_needed"], kind="stable", ignore_index=True)
    return VotePlan(
        table=table,
        following=_following(fitted, first, second, n_next),
        n_votes=fitted.n_votes,
        n_next=n_next,
        power=float(power),
        evidence=evidence,
    )


def _least(enough: Callable[[Floats], Flags | np.bool_], n: int) -> Floats:
    """Return the least times the votes that are enough for each of n pairs, by halving; infinite where none are."""
    low, high = np.zeros(n), np.full(n, np.log(_MOST))
    never = ~enough(np.exp(high))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        done = enough(np.exp(middle))
        low, high = np.where(done, low, middle), np.where(done, middle, high)
    return np.where(never, np.inf, np.exp(high))


def _votes(times: Floats, n_votes: int, decided: Flags) -> Floats:
    """Return so many times the votes, rounded up to two digits: draws tell no more."""
    needed = np.maximum(times, 1.0) * n_votes
    finite = np.isfinite(needed) & (needed < _MOST)
    step = 10.0 ** np.maximum(np.floor(np.log10(np.where(finite, needed, 1.0))) - 1.0, 0.0)
    return np.where(decided, np.nan, np.where(finite, np.ceil(needed / step * (1.0 - 1e-12)) * step, np.inf))


def _of_pairs(square: Floats, first: Ints, second: Ints) -> Floats:
    variance = square.diagonal()
    return np.maximum(variance[first] + variance[second] - 2 * square[first, second], 0.0)


def _evidence(fitted: BradleyTerry, ranks: SystemRanks | None, first: Ints, second: Ints) -> PairEvidence:
    """Return every pair's difference in standard errors, what settles it, and whether it is settled."""
    if ranks is None:
        size = np.abs(fitted.comparison().data["statistic"].to_numpy()[0])
        freedom = fitted.freedom[first, second]
        threshold = np.asarray(stdtrit(freedom, 1.0 - fitted.alpha / 2 / len(first)))
        noise = 1.0 / max(float(np.square(size).mean()) - 1.0, 1.0 / _MOST)
        return PairEvidence(size, threshold, 0.0, noise, size >= threshold)
    data = ranks.data
    better = data["p_better"].to_numpy()[0]
    cut = max(float(data["critical_value"].min()), 1.0 / ranks.n_draws)
    drawn = ndtri(np.minimum(np.maximum(better, 1.0 - better), 1.0 - 0.5 / ranks.n_draws))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (data["statistic"].to_numpy()[0] / drawn) ** 2
    usable = np.isfinite(ratio) & (np.abs(drawn) > _LEAST_SIZE)
    shrunken = max(float(np.median(ratio[usable])) - 1.0, 0.0) if usable.any() else 0.0
    threshold = np.full(len(first), ndtri(1.0 - cut))
    size = drawn * np.sqrt(1.0 + shrunken)
    evidence = PairEvidence(size, threshold, shrunken, shrunken, data["significant"].to_numpy()[0])
    still = 1.0 - evidence.chance(_TIMES[:, None]).mean(axis=1)
    fewer = np.divide(still[0], still, out=np.full(len(still), np.inf), where=still > 0.0)
    single = max(cut, (1.0 - ranks.confidence_level) / 2.0)  # of one pair alone
    return evidence._replace(easing=threshold[0] - ndtri(1.0 - np.clip(cut * fewer, cut, single)))


def _following(fitted: BradleyTerry, first: Ints, second: Ints, n_next: int) -> pd.DataFrame:
    """Return for every pair the share by which more votes on it lower the mean width of all differences."""
    square = fitted.information
    chance = 1.0 / (1.0 + np.exp(fitted.strengths[second] - fitted.strengths[first]))
    more = n_next * chance * (1.0 - chance)
    lowered = _of_pairs(square @ square, first, second) * more / (1.0 + more * _of_pairs(square, first, second))
    fall = 1.0 - np.sqrt(np.maximum(1.0 - lowered / float(square.trace()), 0.0))
    names = np.array(fitted.systems, dtype=object)
    frame = pd.DataFrame({"system_a": names[first], "system_b": names[second], "fall": fall})
    return frame.sort_values("fall", ascending=False, kind="stable", ignore_index=True)
