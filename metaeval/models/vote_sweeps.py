"""Pairs of systems of which one won all votes: what can be said of them where no strength has a bound."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.table.vote_set import Votes
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import signs_tail


def swept_pairs(votes: Votes, clusters: Sequence[str], *, alpha: float = 0.05) -> pd.DataFrame:
    """Return one row a pair that met, if one system of each won all their votes; no row otherwise.

    The columns are system (the winner), against, votes, independent (the largest number of them of which no two share a
    cluster), p_value of the exact two-sided sign test on these, p_corrected by Holm's correction, settled, and the
    one-sided limits least_share, of the expected share of the votes, and least_difference, its log odds.

    Examples
    --------
    >>> from metaeval.table.votes import as_votes
    >>> rows = [{"left": "a", "right": "b", "winner": "a", "question": one} for one in range(12)]
    >>> found = swept_pairs(as_votes(rows), ["question"]).round(4)
    >>> found[["system", "against", "independent", "p_value", "least_share"]].to_numpy().tolist()
    [['a', 'b', 12, 0.0005, 0.7791]]
    """
    share = np.where(votes.left < votes.right, votes.share, 1.0 - votes.share)
    ends = np.sort(np.stack([votes.left, votes.right]), axis=0)
    met, pair = np.unique(ends, axis=1, return_inverse=True)
    number = np.bincount(pair)
    won = np.bincount(pair, share)
    first, lost = won == number, won == 0
    if not (first | lost).all():
        return pd.DataFrame()
    counts = np.rint(np.bincount(pair, votes.weight)).astype(np.int64) if votes.counted else number
    ways = [votes.units[name] for name in clusters]
    free = _independent(pair, ways, len(number)) if ways else counts
    names = np.array(votes.systems, dtype=object)[np.where(first, met, met[::-1])]
    p_value = signs_tail(free, two_sided=True).p
    corrected = adjust(p_value[None], "holm")[0]
    least = alpha ** (1.0 / free)
    frame = pd.DataFrame(
        {
            "system": names[0],
            "against": names[1],
            "votes": counts,
            "independent": free,
            "p_value": p_value,
            "p_corrected": corrected,
            "settled": is_significant(corrected, alpha),
            "least_share": least,
            "least_difference": np.log(least / (1.0 - least)),
        }
    )
    return frame.sort_values(["p_value", "system", "against"], kind="stable", ignore_index=True)


def _independent(pair: NDArray[np.int64], ways: Sequence[NDArray[np.int64]], n_pairs: int) -> NDArray[np.int64]:
    """Return for every pair how many of its votes can be chosen so that no two share a cluster, of one or two ways."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - loads scipy
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415 - as above

    first, *others = (np.unique(np.stack([pair, codes]), axis=1, return_inverse=True) for codes in ways)
    if not others:
        return np.bincount(first[0][0], minlength=n_pairs)
    ((columns, column),) = others
    met = np.unique(np.stack([first[1], column]), axis=1)
    graph = coo_array((np.ones(met.shape[1]), (met[0], met[1])), (first[0].shape[1], columns.shape[1]))
    matched = maximum_bipartite_matching(graph.tocsr(), perm_type="column")
    return np.bincount(first[0][0], matched >= 0, minlength=n_pairs).astype(np.int64)
