"""Rank-biased overlap: how much two rankings of the same systems share, the top weighing most."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metaeval.agreement.ranking_pairs import pair_rankings
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_share
from metaeval.base.side_by_side import side_by_side
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads


@side_by_side("truth", "estimate")
def rank_biased_overlap(
    truth: ArrayLike, estimate: ArrayLike, *, p: float = 0.9, ties: Literal["w", "a"] = "w"
) -> Floats:
    r"""Return the extrapolated rank-biased overlap of two rankings, in which the top weighs most.

    Parameters
    ----------
    truth, estimate : array_like (..., n)
        As in `metaeval.agreement.rankings.kendall_tau`; both hold the same n systems, so that they agree wholly at
        depth n and beyond. Which is which does not matter.
    p : float, default 0.9
        Persistence, in (0, 1): a reader goes on to the next rank with this probability. 0.9 puts 86 % of the weight
        on the first ten ranks.
    ties : {"w", "a"}
        "w": tied systems share the best of their ranks, so that a depth may hold more systems than its number, and
        the agreement there is relative to how many it holds (Webber et al.). "a": the mean over all ways to break
        the ties.

    Returns
    -------
    array (...)
        Between 0 and 1. It has no value for "unrelated": two random rankings of few systems overlap much.

    Raises
    ------
    ScoresError
        If there are fewer than two systems, the arrays do not fit each other or a score is not finite.
    InvalidOptionError
        If `p` lies outside (0, 1) or `ties` is unknown.

    Notes
    -----
    With :math:`S_d` and :math:`T_d` what stands in the first d ranks,

    .. math:: \mathrm{RBO} = (1 - p) \sum_{d=1}^{n} A_d\, p^{d-1} + p^n, \qquad
              A_d = \frac{2 |S_d \cap T_d|}{|S_d| + |T_d|}

    which is equation 32 of [1]_, with the agreement under ties of its section 4, for two rankings of the same
    systems. The form "a" is from [2]_.

    References
    ----------
    .. [1] W. Webber, A. Moffat, J. Zobel (2010). A similarity measure for indefinite rankings. ACM TOIS 28(4),
       article 20. :doi:`10.1145/1852102.1852106`
    .. [2] M. Corsi, J. Urbano (2024). The treatment of ties in rank-biased overlap. SIGIR.
       :doi:`10.1145/3626772.3657700`

    Examples
    --------
    >>> float(rank_biased_overlap([3, 2, 1], [2, 3, 1], p=0.9).round(4))
    0.9
    """
    check_choice(ties, "reading of ties", ("w", "a"))
    check_share(p, "p")
    rankings = pair_rankings(truth, estimate)
    values = np.empty(len(rankings.truth))
    _overlaps(len(values), rankings.truth, rankings.estimate, float(p), ties == "w", values)
    return rankings.answer(values, "error", "rank-biased overlap")


@compiled
def _group_of(scores: Floats, item: int) -> tuple[int, int]:
    """Return the first and the last rank (from 0) of the group that ties with an item."""
    above, tied = 0, 0
    for score in scores:
        above += score > scores[item]
        tied += score == scores[item]
    return above, above + tied - 1


@on_threads
@compiled
def _overlaps(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int,
    stop: int,
    first: Floats,
    second: Floats,
    p: float,
    as_one: bool,  # noqa: FBT001 - whether those that tie enter together; a kernel takes no names
    values: Floats,
) -> None:
    n = first.shape[1]
    for row in range(start, stop):
        shared = np.zeros(n)  # how many systems are in both at this depth, and half of those in either
        entered = np.zeros(n)
        for item in range(n):
            top_a, end_a = _group_of(first[row], item)
            top_b, end_b = _group_of(second[row], item)
            entered[top_a if as_one else item] += 0.5
            entered[top_b if as_one else item] += 0.5
            if as_one:
                for depth in range(max(top_a, top_b), n):
                    shared[depth] += 1.0
                continue
            for depth in range(max(top_a, top_b), n):  # chance to stand in the first depth + 1 ranks of both
                in_a = min(1.0, (depth + 1 - top_a) / (end_a + 1 - top_a))
                in_b = min(1.0, (depth + 1 - top_b) / (end_b + 1 - top_b))
                shared[depth] += in_a * in_b
        in_either, weight, total = 0.0, 1.0, 0.0
        for depth in range(n):
            in_either += entered[depth]
            total += weight * shared[depth] / in_either
            weight *= p
        values[row] = (1.0 - p) * total + weight
