"""Ranks of systems by strengths from votes, with intervals: the decision behind every page that ranks by votes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Floats
from metaeval.models.vote_strengths import PREFERENCE, BradleyTerry
from metaeval.resampling.estimates_and_covariance import rank_intervals_from_covariance
from metaeval.resampling.means_and_errors import RanksFromErrors
from metaeval.running.draws import RNGLike
from metaeval.tests_stat.result import is_significant

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
    systems are equal. A pair whose own t interval holds 0 is not settled either: of few systems of which one lies far
    from the others, the draws know the error of a pair better than its votes do.

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
    data = _apart_by_themselves(ranks.data, fitted, independent=independent, alpha=alpha)
    low, high = 1 + data["n_above"], len(names) - data["n_below"]
    return replace(ranks, data=data.assign(rank_low=low, rank_high=high))


def _apart_by_themselves(data: xr.Dataset, fitted: BradleyTerry, *, independent: bool, alpha: float) -> xr.Dataset:
    """Return what draws decide, less the pairs that do not differ significantly by their own t test, uncorrected."""
    tests = fitted.comparison(independent=independent).data
    every, n = pd.Index(fitted.systems), len(fitted.systems)
    apart = np.zeros((n, n), dtype=bool)
    sides = tuple(every.get_indexer(pd.Index(tests[side].to_numpy())) for side in ("system_a", "system_b"))
    apart[sides] = apart[sides[::-1]] = is_significant(tests["p_value"].to_numpy()[0], alpha)
    first, second = (pd.Index(data[side].to_numpy()) for side in ("system_a", "system_b"))
    settled = data["significant"].to_numpy() & apart[every.get_indexer(first), every.get_indexer(second)]
    signs = settled[0] * np.sign(data["statistic"].to_numpy()[0])
    a, b = (pd.Index(data["system"].to_numpy()).get_indexer(side) for side in (first, second))
    n_above, n_below = (
        np.bincount(np.r_[a[signs == sign], b[signs == -sign]], minlength=data.sizes["system"])[None]
        for sign in (-1.0, 1.0)
    )
    changed = {"significant": settled, "n_above": n_above, "n_below": n_below}
    return data.assign({name: data[name].copy(data=values) for name, values in changed.items()})


def _expected(covariance: Floats, information: Floats) -> Floats:
    """Return the errors of independent votes, and what the trace of the covariance has beyond them for each system."""
    more = covariance - information
    return information + np.eye(len(more)) * max(0.0, float((more - more.mean(axis=0)).trace()) / (len(more) - 1))
