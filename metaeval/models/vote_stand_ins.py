"""May a judge's votes stand in for people's? By the pairs that people settle, and whether it votes for a side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import betaincinv, expit, logit, ndtri

from metaeval.base.arrays import Floats
from metaeval.errors import EstimationError, ScoresError
from metaeval.models.settling import SettledPairs
from metaeval.models.vote_strengths import BradleyTerry, Ties, bradley_terry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_covariates import POSITION
from metaeval.table.vote_set import Votes
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.result import is_significant

MARGIN = 0.05
"""The share of the pairs that people settle which a judge may order the other way."""
_COIN = 0.5
"""How often a coin orders a pair as people do."""
_DRAWS, _COPIES, _TINY = 4000, 400, 1e-9


def strengths_at_no_side(votes: Votes, *, ties: Ties, alpha: float) -> BradleyTerry:
    """Fit strengths with position, and whatever covariates votes have, in the model; without where it has no bound.

    Whoever votes for one side alone has no finite effect of position, and strengths that say as little as votes do.
    Where a baseline always stands on the left, its strength is the effect of the side: strengths alone are fitted.
    """
    if side_is_separable(votes):
        placed = {POSITION: np.ones(len(votes.share))} | dict(votes.covariates)
        try:
            return bradley_terry(replace(votes, covariates=placed), ties=ties, alpha=alpha)
        except (EstimationError, ScoresError):
            pass
    return bradley_terry(replace(votes, covariates={}), ties=ties, alpha=alpha)


@in_one_order
def side_is_separable(votes: Votes) -> bool:
    """Whether votes can tell an advantage of the left from strengths: not if strengths explain all sides.

    They do where a baseline always stands on the left, or every pair the same way round without a cycle: then some
    strengths differ by one for the left of every pair. Least squares finds these.
    """
    n = len(votes.systems)
    counts = np.zeros((n, n))
    np.add.at(counts, (votes.left, votes.right), 1.0)
    stood_left = counts.sum(axis=1) - counts.sum(axis=0)
    laplacian = np.diag(counts.sum(axis=0) + counts.sum(axis=1)) - counts - counts.T
    explained = float(stood_left @ np.linalg.pinv(laplacian) @ stood_left)
    return votes.placed and bool(explained < (1.0 - _TINY) * counts.sum())


@in_one_order
def stand_ins(
    fitted: Mapping[str, BradleyTerry], votes: Mapping[str, Votes], settled: SettledPairs, *, alpha: float, seed: int
) -> pd.DataFrame:
    r"""Return a verdict on every set of votes beside the first, which are people's.

    Parameters
    ----------
    fitted, votes : mapping of str to BradleyTerry, and to Votes
        Strengths by `strengths_at_no_side`, and the votes, people's first.
    settled : SettledPairs
    alpha : float
        One less the level of the intervals.
    seed : int

    Returns
    -------
    pandas.DataFrame
        One row a judge: ``judge``, ``verdict`` ("may", "may not", "not settled" or "no pairs"), ``n_pairs`` (settled by
        the people), ``alike`` (share that its strengths order alike) with ``low`` and ``high``, ``left`` (share of its
        votes for the left of two equals; NaN where its votes cannot tell the side from strengths, see
        `side_is_separable`) with ``left_low`` and ``left_high``, ``neighbour`` (share that a system gets
        against the next, on average), ``sided`` (its side counts for more than that) and ``cleared_if_equal`` (chance
        that so many votes of a judge of the people's law would be cleared).

    Notes
    -----
    True strengths are drawn from a normal law around the judge's, with their clustered covariance; in the draws the
    share of the people's settled pairs that is ordered alike has the interval ``low`` to ``high``. A judge may
    stand in if all of it is at least 0.95 and there are pairs enough that coins would not order them so at the
    level, and may not if none is, or if the effect of the side exceeds the mean difference of neighbours with all
    of its interval. The chance draws the people's true strengths from their posterior (a normal prior of the spread
    that strengths have beyond error) and a judge's estimates around these with the people's covariance for as many
    votes, here without the floor that is under intervals, and decides by the same rule. How often it comes true is
    in ``benchmarks/reports/vote-stand-ins.md``.
    """
    (people, by_people), *judges = fitted.items()
    verdicts = settled.verdicts[settled.voices.index(people)]
    first, second = (side[verdicts != 0] for side in all_pairs(len(settled.systems)))
    better, worse = np.where(verdicts[verdicts != 0] > 0, (first, second), (second, first))
    own, *roots_of_people = _on(by_people, settled.systems)
    side_of_people = _side(by_people, votes[people], alpha)
    generator = np.random.default_rng(seed)
    rows = []
    for name, by_judge in judges:
        strengths, root, _ = _on(by_judge, settled.systems)
        noise = _apart(generator.standard_normal((_DRAWS, len(root))) @ root.T, better, worse)
        side, half = _side(by_judge, votes[name], alpha)
        share, low, high = _alike(_apart(strengths, better, worse), noise, alpha)
        sided = bool(abs(side) - half > _neighbour(strengths))
        cleared = low >= 1 - MARGIN and _are_enough(len(better), alpha)
        verdict = "may not" if sided or high < 1 - MARGIN else "may" if cleared else "not settled"
        scale = np.sqrt(by_people.n_votes / by_judge.n_votes)
        chance = _chance_of_copies(own, roots_of_people, scale, side_of_people, (better, worse), alpha, generator)
        ends = [float(expit(end)) for end in (side, side - half, side + half)]
        low, high = (low, high) if low < high else (np.nan, np.nan)
        figures = (len(better), share, low, high, *ends, float(expit(_neighbour(strengths))), sided, chance)
        rows.append((name, verdict if len(better) or sided else "no pairs", *figures))
    columns = ["n_pairs", "alike", "low", "high", "left", "left_low", "left_high", "neighbour", "sided"]
    return pd.DataFrame(rows, columns=["judge", "verdict", *columns, "cleared_if_equal"])


def _chance_of_copies(  # noqa: PLR0913, PLR0917 - the law of people, and what is decided by
    strengths: Floats,
    roots: Sequence[Floats],
    scale: float,
    side: tuple[float, float],
    pairs: tuple[Floats, Floats],
    alpha: float,
    generator: np.random.Generator,
) -> float:
    """Return how often a judge of the people's law, with errors `scale` times theirs, would be cleared.

    Roots are of the covariance of intervals, and of that by which estimates scatter.
    """
    if not len(pairs[0]):
        return float("nan")
    root, scatter = (scale * of_people for of_people in roots)
    covariance = scatter @ scatter.T / scale**2
    spread = max(float(strengths.var(ddof=1) - covariance.diagonal().mean()), 0.0)
    shrunk = spread * np.linalg.pinv(spread * np.eye(len(root)) + covariance)
    of_truth = np.linalg.cholesky((np.eye(len(root)) - shrunk) * spread + _TINY * np.eye(len(root)))
    errors = generator.standard_normal((2, _COPIES, len(root)))
    estimates = shrunk @ strengths + errors[0] @ of_truth.T + errors[1] @ scatter.T
    lows = np.empty(_COPIES)
    for copy, estimate in enumerate(estimates):
        noise = _apart(generator.standard_normal((_COPIES, len(root))) @ root.T, *pairs)
        lows[copy] = _alike(_apart(estimate, *pairs), noise, alpha)[1]
    if not _are_enough(len(pairs[0]), alpha):
        return 0.0
    middle, half = np.nan_to_num(side) * (1.0, scale)
    sides = middle + half / ndtri(1 - alpha / 2) * generator.standard_normal(_COPIES)
    return float(((lows >= 1 - MARGIN) & ~(np.abs(sides) - half > _neighbour(estimates))).mean())


def _are_enough(n_pairs: int, alpha: float) -> bool:
    """Whether a coin would order so many pairs as people do at most at the level."""
    return bool(is_significant(np.array(_COIN**n_pairs), alpha))


def _on(fitted: BradleyTerry, systems: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
    """Return the strengths of these systems, a root of their covariance, and one of that by which they scatter."""
    index = pd.Index(fitted.systems).get_indexer(pd.Index(systems))
    scatter = fitted.covariance if fitted.errors.scatter is None else fitted.errors.scatter
    values, vectors = np.linalg.eigh(
        np.stack([fitted.covariance, scatter[: len(fitted.systems), : len(fitted.systems)]])[:, index[:, None], index]
    )
    root, of_scatter = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    return fitted.strengths[index], root, of_scatter


def _apart(strengths: Floats, better: Floats, worse: Floats) -> Floats:
    return strengths[..., better] - strengths[..., worse]


def _neighbour(strengths: Floats) -> Floats:
    """Return the mean difference of neighbours in the order of the strengths."""
    return np.asarray(np.ptp(strengths, axis=-1) / (strengths.shape[-1] - 1))


def _alike(apart: Floats, noise: Floats, alpha: float) -> tuple[float, float, float]:
    """Return the share of pairs ordered alike with its interval; NaN without pairs."""
    if not len(apart):
        return (np.nan,) * 3
    shares = (apart + noise > 0).mean(axis=1)
    low, high = np.quantile(shares, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    return float((apart > 0).mean()), float(low), float(high)


def _side(fitted: BradleyTerry, votes: Votes, alpha: float) -> tuple[float, float]:
    """Return the effect of standing on the left in log odds and half its interval; NaN where votes do not tell it.

    Without a finite effect it is that of the shares of votes, as far as Clopper and Pearson leave them possible.
    """
    effects = fitted.coefficients[fitted.coefficients["name"] == POSITION] if len(fitted.coefficients) else None
    if effects is not None and len(effects):
        row = effects.iloc[0]
        return float(row["estimate"]), float(row["high"] - row["low"]) / 2
    if not side_is_separable(votes):
        return np.nan, np.nan
    n, k = len(votes.share), float(votes.share.sum())
    low = betaincinv(k, n - k + 1, alpha / 2) if k > 0 else 0.0
    high = betaincinv(k + 1, n - k, 1 - alpha / 2) if k < n else 1.0
    low, high = (float(logit(np.clip(end, 1e-6, 1 - 1e-6))) for end in (low, high))
    return (low + high) / 2, (high - low) / 2
