"""On how few votes does a first place rest? Votes without which another system is as strong, refitted to be sure."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats, Ints
from metaeval.errors import EstimationError
from metaeval.models.vote_model import VoteCells, VoteFit, fit_votes, moments_of
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_set import Votes

_RIVALS, _REFITTED, _MOST_ROUNDS = 8, 2, 20
"""Rivals whose votes are counted, those of them that are refitted, and refits before a rival is given up."""
_EQUAL, _HALF = 1e-9, 0.5


class VoteWitness(NamedTuple):
    """Votes without which the strongest system is no longer ahead."""

    system: str
    rival: str
    """Who is as strong without them."""
    n_dropped: int
    n_votes: int
    dropped: pd.DataFrame
    """One row a kind of votes, the most first: ``winner``, ``loser``, ``tie`` (whether it was one) and ``votes``."""


class _Kinds(NamedTuple):
    """Votes that say the same: one cell each, and how many there are."""

    cells: VoteCells
    """Their weight is that of one vote."""
    number: Floats

    def fit(self, left: Floats) -> VoteFit:
        """Fit those that are left, if every strength still has bounds: none has won, or lost, all against the rest."""
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - loads more of scipy

        remaining, n = left > 0, self.cells.n_systems
        won = np.zeros((n, n), dtype=bool)
        for winner, loser, some in (
            (self.cells.left, self.cells.right, self.cells.share > 0.0),
            (self.cells.right, self.cells.left, self.cells.share < 1.0),
        ):
            won[winner[remaining & some], loser[remaining & some]] = True
        if connected_components(won, directed=True, connection="strong")[0] > 1:
            raise EstimationError("a strength has no bound")
        cells = self.cells
        return fit_votes(
            cells._replace(
                left=cells.left[remaining],
                right=cells.right[remaining],
                share=cells.share[remaining],
                weight=(cells.weight * left)[remaining],
                covariates=cells.covariates[remaining],
            )
        )

    def influence(self, fit: VoteFit, contrast: Floats) -> Floats:
        """Return by how much, to first order, one vote of each kind adds to a contrast of the parameters."""
        moments, along = moments_of(self.cells, fit.parameters), fit.bread @ contrast
        n, k = self.cells.n_systems, self.cells.covariates.shape[1]
        moved = along[self.cells.left] - along[self.cells.right] + self.cells.covariates @ along[n : n + k]
        ties = moments.tie_residual * along[-1] if self.cells.davidson else 0.0
        return self.cells.weight * (moments.residual * moved + ties)


@in_one_order
def first_place_votes(votes: Votes, fitted: BradleyTerry) -> VoteWitness | None:
    """Return votes without which the strongest system is no stronger than another; None where none were found.

    Votes go by their influence on the difference of the two strengths, which is estimated anew after each batch; the
    last batch is as small as a refit allows. Fewer may do.

    Parameters
    ----------
    votes : Votes
        Those between the systems that were fitted, with the covariates that it was adjusted for.
    fitted : BradleyTerry

    Examples
    --------
    >>> from metaeval.models.vote_strengths import bradley_terry
    >>> from metaeval.simulate import simulate_votes
    >>> from metaeval.table.votes import as_votes
    >>> votes = as_votes(simulate_votes(n_systems=4, rng=1))
    >>> found = first_place_votes(votes, bradley_terry(votes))
    >>> found.system, found.rival, 0 < found.n_dropped < found.n_votes
    ('system4', 'system3', True)
    """
    kinds, strengths = _kinds(votes, davidson=fitted.ties == "davidson"), fitted.strengths
    first = int(np.argmax(strengths))
    gaps = strengths[first] - strengths
    rivals = np.argsort(gaps, kind="stable")[1 : _RIVALS + 1]
    if len(rivals) == 0 or gaps[rivals[0]] <= _EQUAL:
        return None
    fit = kinds.fit(kinds.number)
    contrasts = [_contrast(fit, first, int(rival)) for rival in rivals]
    asked = [_taken(kinds, kinds.number, fit, contrast).sum() for contrast in contrasts]
    nearest = np.argsort(asked, kind="stable")[:_REFITTED].tolist()
    dropped = {number: _dropped(kinds, fit, contrasts[number]) for number in nearest}
    best = min(nearest, key=lambda number: dropped[number].sum() or np.inf)
    gone, rival = dropped[best], votes.systems[rivals[best]]
    if not gone.any():
        return None
    return VoteWitness(votes.systems[first], rival, round(gone.sum()), votes.n_votes, _frame(votes, kinds, gone))


def _contrast(fit: VoteFit, first: int, rival: int) -> Floats:
    contrast = np.zeros(len(fit.parameters))
    contrast[first], contrast[rival] = 1.0, -1.0
    return contrast


def _taken(kinds: _Kinds, left: Floats, fit: VoteFit, contrast: Floats) -> Floats:
    """Return how many votes of each kind go, by influence, until the contrast is 0 to first order; one at least."""
    influence = kinds.influence(fit, contrast)
    order = np.argsort(-influence, kind="stable")
    order = order[influence[order] > 0]
    before = np.concatenate([[0.0], np.cumsum((influence * left)[order])[:-1]])
    lacking = np.ceil((fit.parameters @ contrast - before) / influence[order])
    taken = np.zeros(len(left))
    taken[order] = np.clip(lacking, 0.0, left[order])
    return taken


def _dropped(kinds: _Kinds, fit: VoteFit, contrast: Floats) -> Floats:
    """Return how many votes of each kind to drop so that the contrast is not above 0; none where that fails."""
    gone = np.zeros(len(kinds.number))
    try:
        for _ in range(_MOST_ROUNDS):
            batch = _taken(kinds, kinds.number - gone, fit, contrast)
            order = np.argsort(-kinds.influence(fit, contrast), kind="stable")
            after = kinds.fit(kinds.number - gone - batch)
            if after.parameters @ contrast <= _EQUAL:
                return gone + _fewest(kinds, gone, batch, order, contrast)
            gone, fit = gone + batch, after
            if not batch.any():
                break
    except EstimationError:  # what is left connects the systems no more, or one has won, or lost, all
        pass
    return np.zeros(len(kinds.number))


def _fewest(kinds: _Kinds, gone: Floats, batch: Floats, order: Ints, contrast: Floats) -> Floats:
    """Return the first votes of the last batch, as few as a refit needs."""
    ends = np.cumsum(batch[order])
    few, many, smallest = 0, int(ends[-1]), batch
    while many - few > 1:
        middle = (few + many) // 2
        some = np.zeros(len(batch))
        some[order] = np.clip(middle - (ends - batch[order]), 0.0, batch[order])
        if kinds.fit(kinds.number - gone - some).parameters @ contrast <= _EQUAL:
            many, smallest = middle, some
        else:
            few = middle
    return smallest


def _kinds(votes: Votes, *, davidson: bool) -> _Kinds:
    """Lay out votes that say the same as one; rows that are counts stand for so many."""
    n, covariates = len(votes.systems), [*votes.covariates.values()]
    weight = np.ones(len(votes.share)) if votes.counted else votes.weight
    key = np.arange(len(votes.share)) if covariates else votes.left * n + votes.right
    for values in () if covariates else (votes.share, weight):
        distinct, code = np.unique(values, return_inverse=True)
        key = key * len(distinct) + code
    _, rows, which = np.unique(key, return_index=True, return_inverse=True)
    columns = np.stack(covariates, axis=1)[rows] if covariates else np.empty((len(rows), 0))
    number = np.bincount(which, votes.weight if votes.counted else None).astype(np.float64)
    sides = votes.left[rows], votes.right[rows]
    return _Kinds(VoteCells(*sides, votes.share[rows], weight[rows], columns, n, davidson), number)


def _frame(votes: Votes, kinds: _Kinds, gone: Floats) -> pd.DataFrame:
    names, cells = np.array(votes.systems, dtype=object), kinds.cells
    turned = cells.share < _HALF
    frame = pd.DataFrame(
        {
            "winner": names[np.where(turned, cells.right, cells.left)],
            "loser": names[np.where(turned, cells.left, cells.right)],
            "tie": cells.share == _HALF,
            "votes": gone.round().astype(np.int64),
        }
    )
    frame = frame[frame["votes"] > 0].groupby(["winner", "loser", "tie"], as_index=False, sort=True).sum()
    return frame.sort_values("votes", ascending=False, kind="stable", ignore_index=True)
