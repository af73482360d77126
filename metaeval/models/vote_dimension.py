"""Does one dimension do? The shares of votes of every pair against those that strengths predict."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import fdtrc

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_kind
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.words import compared_p, number, share
from metaeval.models.vote_strengths import BradleyTerry, win_matrix
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneDimension(Result):
    """Fit of strengths to the shares of votes of all pairs."""

    table: pd.DataFrame
    """One row a pair that met; see `to_frame`."""
    statistic: float
    """F: how much larger the misfit is than the noise of the shares, NaN where nothing can tell."""
    freedom: tuple[float, float]
    p_value: float
    explained: float
    """Share of the spread of the shares about a half that the strengths explain."""
    n_cyclic: int
    """Triads whose majorities run in a circle."""
    n_triads: int
    """Triads in which all three pairs have a majority."""
    clusters: str
    """By what the noise was measured: "question", "voter" or "vote"."""

    def _found(self) -> str:
        fit = (
            f"strengths explain {share(self.explained)} of the spread of the shares of {count(len(self.table), 'pair')}"
        )
        return f"{fit} (F = {number(2)(self.statistic)}, p {compared_p(self.p_value)})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair that met, the largest misfit first.

        The columns are ``system_a``, ``system_b``, ``votes``, ``share`` (of a), ``expected``, and ``z``: the misfit in
        standard errors, no smaller than those of independent votes.
        """
        return self.table.copy()


@in_one_order
def one_dimension(votes: object, fitted: BradleyTerry) -> OneDimension:
    r"""Compare the shares of votes of every pair with those that strengths predict.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
    fitted : BradleyTerry
        Of the same votes.

    Returns
    -------
    OneDimension
        One row a pair in ``to_frame()``, the largest misfit first: see `OneDimension.to_frame`.

    Raises
    ------
    InvalidOptionError, ScoresError
        If these are no votes, or no strengths.

    See Also
    --------
    metaeval.models.bradley_terry

    Notes
    -----
    With :math:`R_p` the votes of pair p for its first system less those expected, :math:`m_p` their variance if votes
    were independent and :math:`v_p` their variance over clusters,

    .. math:: F = \frac{P \sum R_p^2 / m_p}{(P - N + 1) \sum v_p / m_p},

    for P pairs that two clusters or more tell of and N systems, as Rao and Scott (1984) correct chi-square for
    clusters.
    Its law is taken for F with P - N + 1 and clusters less one degrees of freedom. Strengths are those without
    covariates.

    Examples
    --------
    >>> from metaeval.simulate import simulate_votes
    >>> from metaeval.models import bradley_terry
    >>> from metaeval.table.votes import as_votes
    >>> votes = as_votes(simulate_votes(rng=1))
    >>> bool(one_dimension(votes, bradley_terry(votes)).p_value > 0.01)
    True
    """
    check_kind(fitted, "fitted", "BradleyTerry")
    inner = as_votes(votes).of(fitted.systems)
    n = len(inner.systems)
    strengths = fitted.strengths
    expected = 1.0 / (1.0 + np.exp(strengths[inner.right] - strengths[inner.left]))
    first, second = np.minimum(inner.left, inner.right), np.maximum(inner.left, inner.right)
    turned = np.where(inner.left < inner.right, 1.0, -1.0)
    misfit = inner.weight * (inner.share - expected) * turned
    key = first * n + second
    keys = np.flatnonzero(np.bincount(key, minlength=n * n))
    index = np.zeros(n * n, dtype=np.int64)
    index[keys] = np.arange(len(keys))
    pair = index[key]
    total = np.bincount(pair, misfit)
    model = np.bincount(pair, inner.weight * expected * (1.0 - expected))
    way = next(iter(fitted.clusters), "vote")
    noise, testable, n_clusters = _noise(inner, way, pair, misfit, total)
    n_pairs = int(testable.sum())
    over = n_pairs - n + 1
    wins = win_matrix(inner)
    played = wins + wins.T
    a, b = keys // n, keys % n
    share, number = wins[a, b] / played[a, b], played[a, b]
    middle = 1.0 / (1.0 + np.exp(strengths[b] - strengths[a]))
    statistic = np.nan
    if over > 0 and noise[testable].any():
        misfits, level = (total[testable] ** 2 / model[testable]).sum(), (noise[testable] / model[testable]).sum()
        statistic = float(misfits / over / (level / n_pairs))
    spread = float((number * (share - _HALF) ** 2).sum())
    z = total / np.sqrt(np.maximum(noise, model))
    names = np.array(inner.systems, dtype=object)
    table = pd.DataFrame(
        {
            "system_a": names[a],
            "system_b": names[b],
            "votes": np.rint(number).astype(np.int64),
            "share": share,
            "expected": middle,
            "z": z,
        }
    )
    order = np.argsort(-np.abs(np.nan_to_num(z)), kind="stable")
    cyclic, triads = _triads(wins)
    freedom = (float(over), float(n_clusters - 1))
    return OneDimension(
        table=table.iloc[order].reset_index(drop=True),
        statistic=statistic,
        freedom=freedom,
        p_value=float(fdtrc(*freedom, statistic)) if np.isfinite(statistic) else np.nan,
        explained=1.0 - float((number * (share - middle) ** 2).sum()) / spread if spread > 0 else np.nan,
        n_cyclic=cyclic,
        n_triads=triads,
        clusters=way,
    )


def _noise(votes: Votes, way: str, pair: Ints, misfit: Floats, total: Floats) -> tuple[Floats, Flags, int]:
    """Return the variance of every pair's misfit over clusters, which pairs have two or more, and the clusters."""
    if way == "vote":
        number = np.bincount(pair, votes.weight if votes.counted else None)
        weight = votes.weight if votes.counted else np.ones(len(pair))
        squares = np.bincount(pair, misfit**2 / np.maximum(weight, 1e-300))
        n_clusters = votes.n_votes
    else:
        codes = votes.units[way]
        n_clusters = int(codes.max()) + 1
        key = pair * n_clusters + codes
        order = np.argsort(key)
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        sums, of = np.add.reduceat(misfit[order], starts), pair[order[starts]]
        number = np.bincount(of, minlength=len(total)).astype(np.float64)
        squares = np.bincount(of, sums**2, len(total))
    testable = number > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = np.where(testable, number / (number - 1.0) * (squares - total**2 / number), 0.0)
    return np.maximum(noise, 0.0), testable, n_clusters


def _triads(wins: Floats) -> tuple[int, int]:
    """Return the triads that run in a circle, and those in which every pair has a majority.

    Examples
    --------
    >>> _triads(np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0.0]]))
    (1, 1)
    """
    over = (wins > wins.T).astype(np.float64)
    either = over + over.T
    cyclic, triads = (float(np.einsum("ij,ji->", matrix @ matrix, matrix)) for matrix in (over, either))
    return round(cyclic / 3), round(triads / 6)
