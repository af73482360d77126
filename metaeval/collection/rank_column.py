"""What the rank column of a run says against its scores, which alone order the lists unless ranks are asked for."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import first_few
from metaeval.collection.documents import CollectionWarning
from metaeval.errors import warn

Doubt = Literal["rising scores", "broken ranks"]
"""Scores that rise with the rank, and ranks that are no whole numbers."""

_FEWEST_RISES = 4
"""Fewer steps up in the lists that were looked at may be chance."""
_SAYS: Mapping[Doubt, str] = {
    "rising scores": "scores rise from the first rank on ({names}). Lists are ordered by score, the highest first, as "
    "in trec_eval, so these are read from their end. If less is better, turn the sign of the scores; to take the "
    "runs' own ranks use `order='rank'`",
    "broken ranks": "ranks are no whole numbers ({names}). The columns are topic, Q0, document, rank, score and tag: "
    "if rank and score are swapped, these lists are ordered by rank",
}


def doubt_of_ranks(ranks: NDArray[np.float64], scores: NDArray[np.float64], lists: NDArray[np.integer]) -> Doubt | None:
    """Say what is odd about the ranks of some lists beside their scores.

    Shapes: `ranks, scores` (n_lines,), `lists` (n_lines,).

    Examples
    --------
    >>> doubt_of_ranks(np.arange(1.0, 7), np.array([1.0, 2, 3, 5, 8, 9]), np.zeros(6, dtype=int))
    'rising scores'
    """
    finite = np.isfinite(ranks)
    if (ranks[finite] % 1 != 0).any():
        return "broken ranks"
    order = np.lexsort((ranks, lists))
    order = order[finite[order]]
    inside = (np.diff(lists[order]) == 0) & (np.diff(ranks[order]) > 0)
    steps = np.diff(scores[order])[inside]
    return "rising scores" if (steps > 0).sum() >= _FEWEST_RISES and not (steps < 0).any() else None


def warn_of_doubts(doubts: Mapping[str, Doubt | None]) -> None:
    """Warn once for each kind of doubt, two calls up."""
    for kind, says in _SAYS.items():
        if doubtful := [name for name, doubt in doubts.items() if doubt == kind]:
            warn(
                f"in {len(doubtful)} of {len(doubts)} runs {says.format(names=first_few(doubtful))}",
                CollectionWarning,
            )
