"""Ranks of systems by strengths from votes, with intervals: the decision behind every page that ranks by votes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.models.vote_strengths import PREFERENCE, BradleyTerry
from metaeval.resampling.estimates_and_covariance import rank_intervals_from_covariance
from metaeval.resampling.means_and_errors import RanksFromErrors
from metaeval.running.draws import RNGLike

_KNOWN = 1e6


def vote_ranks(  # noqa: PLR0913 - one keyword per choice
    fitted: BradleyTerry,
    systems: Sequence[str] | None = None,
    *,
    independent: bool = False,
    top: int = 3,
    alpha: float = 0.05,
    n_draws: int = 20_000,
    rng: RNGLike = None,
) -> RanksFromErrors:
    """Return the ranks of systems, of some alone where they are named, or as if every vote were independent.

    Few clusters leave the covariance poorly known. It is pulled towards what a model expects: the errors of independent
    votes, which are large for systems with few, and one variance of all systems for what clusters add.

    A rank leaves out the systems that are settled above and below, and no more: a band of ranks would say that a system
    with many votes is below some other, whichever that is, as soon as strengths differ at all, and be wrong where
    systems are equal.

    Examples
    --------
    >>> from metaeval.models.vote_strengths import bradley_terry
    >>> from metaeval.simulate import simulate_votes
    >>> found = vote_ranks(bradley_terry(simulate_votes(n_systems=4, rng=1)), rng=1).to_frame()
    >>> found[["system", "rank_low", "rank_high"]].to_numpy().tolist()[0]
    ['system4', 1, 1]
    """
    names = list(fitted.systems if systems is None else systems)
    index = [fitted.systems.index(name) for name in names]
    square = np.ix_(index, index)
    covariance = (fitted.independent.covariance if independent else fitted.covariance)[square]
    ranks = rank_intervals_from_covariance(
        fitted.strengths[index],
        covariance,
        systems=names,
        metric=PREFERENCE,
        freedom=_KNOWN if independent else float(np.median(fitted.freedom[square][np.triu_indices(len(index), 1)])),
        expected=_expected(covariance, fitted.information[square]),
        top=top,
        confidence_level=1 - alpha,
        n_draws=n_draws,
        rng=rng,
    )
    low, high = 1 + ranks.data["n_above"], len(names) - ranks.data["n_below"]
    return replace(ranks, data=ranks.data.assign(rank_low=low, rank_high=high))


def _expected(covariance: Floats, information: Floats) -> Floats:
    """Return the errors of independent votes, and what the trace of the covariance has beyond them for each system."""
    more = covariance - information
    return information + np.eye(len(more)) * max(0.0, float((more - more.mean(axis=0)).trace()) / (len(more) - 1))
