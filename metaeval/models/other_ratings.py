"""Ratings of systems by votes as others publish them: win rates, counts, eigenvectors, Newman's, and Elo."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_count, check_number
from metaeval.models.vote_strengths import bradley_terry, davidson_strengths, mean_win_rates, win_matrix
from metaeval.running.compiled import compiled
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

type Codes = Ints

_DAMPING = 0.85
_MOST_ORDERS = 10_000


class EloRatings(NamedTuple):
    """Elo ratings depend on the order of the votes."""

    given: Floats
    """In the order given. Shape (system,)."""
    mean: Floats
    deviation: Floats
    """Mean and standard deviation over random orders. Shape (system,)."""
    n_orders: int
    systems: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system: ``system``, ``given``, ``mean`` and ``deviation``.

        Examples
        --------
        >>> votes = pd.DataFrame([("a", "b", "left")], columns=["left", "right", "winner"])
        >>> elo_ratings(votes, rng=1).to_frame()[["system", "given"]].to_numpy().tolist()
        [['a', 1002.0], ['b', 998.0]]
        """
        columns = {"system": self.systems, "given": self.given, "mean": self.mean, "deviation": self.deviation}
        return pd.DataFrame(columns)


@in_one_order
def vote_ratings(votes: object) -> pd.DataFrame:
    r"""Rate systems by votes in the ways that others publish; none has errors, and none needs them to be looked up.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes

    Returns
    -------
    pandas.DataFrame
        One row a system, in natural order of the names:

        - ``average_win_rate``: mean share of the votes against a rival, every rival met weighing the same;
        - ``counting``: wins, a tie being half of one;
        - ``bradley_terry``: :math:`e^{\theta}`, which add up to 1;
        - ``newman``: the strengths of Davidson's model, as Newman's algorithm [1]_ finds them, of geometric mean 1;
        - ``eigen``: dominant eigenvector of the transposed matrix of wins, of length 1: losses against what loses;
        - ``pagerank``: stationary law of a walk from the loser of a random vote to the winner, damping 0.85;
        - ``elo``: from 1000 in steps of K = 4, in the order given.

        The two models are missing where a strength has no bound.

    Raises
    ------
    ScoresError, InvalidOptionError
        If there are no votes.

    See Also
    --------
    metaeval.models.bradley_terry.bradley_terry : strengths with errors
    elo_ratings : what the order of votes does to Elo

    References
    ----------
    .. [1] Newman (2023). Efficient computation of rankings from pairwise comparisons. Journal of Machine Learning
       Research 24(238), 1-25.

    Examples
    --------
    >>> rows = [("a", "b", "left"), ("a", "b", "tie"), ("b", "c", "left"), ("c", "a", "left")]
    >>> found = vote_ratings(pd.DataFrame(rows, columns=["left", "right", "winner"]))
    >>> found[["average_win_rate", "counting"]].to_numpy().tolist()
    [[0.375, 1.5], [0.625, 1.5], [0.5, 1.0]]
    """
    checked = as_votes(votes)
    wins = win_matrix(checked)
    n = len(wins)
    turned = wins.T.copy()
    turned[turned.sum(axis=1) == 0] = 1.0
    walk = _DAMPING * turned / turned.sum(axis=1, keepdims=True) + (1.0 - _DAMPING) / n
    rank = _dominant(walk.T)
    frame = pd.DataFrame({"average_win_rate": mean_win_rates(wins), "counting": wins.sum(axis=1)})
    fitted = bradley_terry(checked, clusters=[], covariates=[]) if _bounded(wins) else None
    if fitted is not None:
        frame["bradley_terry"] = np.exp(fitted.strengths) / np.exp(fitted.strengths).sum()
        if (checked.share == 0.5).any() and np.isin(checked.share, [0.0, 0.5, 1.0]).all():  # noqa: PLR2004 - ties
            frame["newman"] = np.exp(davidson_strengths(checked))
        else:
            frame["newman"] = np.exp(fitted.strengths)
    frame["eigen"] = _dominant(wins.T)
    frame["pagerank"] = rank / rank.sum()
    frame["elo"] = _elo_of(checked, np.arange(len(checked.share)), 4.0)
    return frame.set_index(pd.Index(checked.systems, name="system"))


def elo_ratings(votes: object, *, k: float = 4.0, n_orders: int = 20, rng: RNGLike = None) -> EloRatings:
    """Compute Elo ratings in the order given, and over random orders of the same votes.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
    k : float, default 4
        Size of a step.
    n_orders : int, default 20
        Random orders.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    EloRatings
        Arrays of one rating a system, in the order of ``systems`` (``system`` in its frame): ``given``, in the order of
        the votes, and ``mean`` and ``deviation`` over ``n_orders`` random orders.

    Examples
    --------
    >>> rows = [("a", "b", "left"), ("a", "b", "right")]
    >>> elo_ratings(pd.DataFrame(rows, columns=["left", "right", "winner"]), rng=1).given.round(4).tolist()
    [999.977, 1000.023]
    """
    check_number(k, "k", above=0)
    check_count(n_orders, "n_orders", least=2, most=_MOST_ORDERS)
    checked, generator = as_votes(votes), resolve_rng(rng).generator
    number = len(checked.share)
    drawn = np.stack([_elo_of(checked, generator.permutation(number), k) for _ in range(n_orders)])
    ratings = _elo_of(checked, np.arange(number), k)
    return EloRatings(ratings, drawn.mean(axis=0), drawn.std(axis=0, ddof=1), n_orders, tuple(checked.systems))


def _bounded(wins: Floats) -> bool:
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - loads more of scipy

    return bool(connected_components(wins > 0, directed=True, connection="strong")[0] == 1)


def _dominant(square: Floats) -> Floats:
    """Return the eigenvector of the largest eigenvalue, of length 1 and without a negative sum."""
    values, vectors = np.linalg.eig(square)
    vector = vectors[:, int(np.argmax(values.real))].real
    return np.asarray(vector * np.sign(vector.sum() or 1.0) / np.linalg.norm(vector))


def _elo_of(votes: Votes, order: Codes, k: float) -> Floats:
    return _elo(order, votes.left, votes.right, votes.share, votes.weight, len(votes.systems), float(k))


@compiled
def _elo(  # noqa: PLR0913, PLR0917 - a kernel takes arrays, by position
    order: Codes, left: Codes, right: Codes, share: Floats, weight: Floats, n_systems: int, k: float
) -> Floats:
    ratings = np.full(n_systems, 1000.0)
    for position in range(len(order)):
        vote = order[position]
        first, second = left[vote], right[vote]
        expected = 1.0 / (1.0 + 10.0 ** ((ratings[second] - ratings[first]) / 400.0))
        step = k * weight[vote] * (share[vote] - expected)
        ratings[first] += step
        ratings[second] -= step
    return ratings
