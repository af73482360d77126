"""What covariates that nobody asked for would change: whether longer answers win, and who is first at equal length."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.errors import EstimationError, ScoresError
from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.vote_strengths import Ties, bradley_terry
from metaeval.models.vote_weights import LEAST_VOTES
from metaeval.resampling.means_and_errors import RanksFromErrors
from metaeval.table.vote_set import Votes
from metaeval.tests_stat.result import is_significant


class UnaskedCovariates(NamedTuple):
    """What votes say of covariates on both sides that nobody asked for."""

    coefficients: pd.DataFrame
    """One row a covariate: ``name``, ``estimate`` and so on (`BradleyTerry.coefficient_frame`), ``significant`` by
    Bonferroni."""
    first: tuple[str, ...]
    """Systems that may be first where the covariates are equal."""
    changes_first: bool
    """Whether those are others than without the covariates."""

    @property
    def matters(self) -> bool:
        """Whether a covariate is significant: the first place may open by the errors of others alone."""
        return bool(self.coefficients["significant"].any())


def unasked_covariates(  # noqa: PLR0913 - as asked
    votes: Votes, ranks: RanksFromErrors, *, ties: Ties, clusters: Sequence[str] | None, alpha: float, seed: int
) -> UnaskedCovariates | None:
    """Fit the covariates that nobody asked for at once, beside the ranks without them; None where none can be fitted.

    Covariates that others of them imply are left out.
    """
    tried = votes.independent_unasked()
    if not tried:
        return None
    with_these = replace(votes, covariates={name: votes.unasked[name] for name in tried})
    try:
        adjusted = bradley_terry(with_these, ties=ties, clusters=clusters, alpha=alpha)
        adjusted_ranks = vote_ranks(adjusted, top=1, alpha=alpha, rng=seed)
    except EstimationError:
        return None
    frame = adjusted.coefficient_frame().iloc[: len(tried)]
    before, after = (may_be_first(of) for of in (ranks, adjusted_ranks))
    frame = frame.assign(significant=is_significant(frame["p_value"] * len(frame), alpha))
    return UnaskedCovariates(frame, after, {*before} != {*after})


def influences_by_voter(votes: Votes, tried: Sequence[str], *, ties: Ties, alpha: float) -> pd.DataFrame:
    """Return one row a voter and covariate, fitted to this voter's votes alone, with what `unasked_covariates` tells.

    Voters who differ hide it from a model of all, whose errors they widen as clusters. Bonferroni's correction is over
    all rows; voters with few votes, or without strengths, have none.
    """
    frames = [pd.DataFrame(columns=["voter", "name", "p_value"])]
    for voter, voted in votes.by_voter().items():
        with_these = replace(voted, covariates={name: {**voted.unasked, **voted.covariates}[name] for name in tried})
        try:
            fitted = bradley_terry(with_these, ties=ties, alpha=alpha) if voted.n_votes >= LEAST_VOTES else None
        except (EstimationError, ScoresError):
            continue
        if fitted is not None:
            frames.append(fitted.coefficient_frame().iloc[: len(tried)].assign(voter=voter))
    frame = pd.concat(frames[1:] or frames, ignore_index=True)
    p_values = frame["p_value"].to_numpy(dtype=np.float64)
    return frame.assign(significant=is_significant(p_values * len(frame), alpha))


def may_be_first(ranks: RanksFromErrors) -> tuple[str, ...]:
    """Return the systems that may have the first rank."""
    frame = ranks.to_frame()
    return tuple(frame.loc[frame["rank_low"] == 1, "system"])
