"""Two rankings of the same systems, checked and laid side by side for whatever compares them."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_count
from metaeval.base.names import shortened
from metaeval.base.side_by_side import side_by_side
from metaeval.errors import ScoresError
from metaeval.running.equality import settle

Undefined = Literal["error", "nan"]


class RankingPairs(NamedTuple):
    """Both arrays settled, with their leading axes made one."""

    truth: Floats
    estimate: Floats
    shape: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of systems."""
        return self.truth.shape[1]

    def answer(self, values: Floats, undefined: Undefined, what: str) -> Floats:
        """Return one value per ranking in the caller's shape, or refuse those that are not defined."""
        missing = np.isnan(values)
        if undefined == "error" and missing.any():
            first = np.unravel_index(int(missing.argmax()), self.shape) if self.shape else ()
            where = f" (first at {tuple(map(int, first))})" if first else ""
            raise ScoresError(
                f"{what} is not defined for {int(missing.sum())} of {missing.size} rankings{where}, because all "
                "systems of truth or of estimate have one score; leave them out, or pass `undefined='nan'`"
            )
        return values.reshape(self.shape)[()]


def pair_rankings(truth: ArrayLike, estimate: ArrayLike, *, undefined: str = "error") -> RankingPairs:
    """Check two arrays of scores, settle what is equal up to rounding, and make their leading axes one."""
    check_choice(undefined, "rule for what is undefined", ("error", "nan"))
    a, b = _scores_in(truth, "truth"), _scores_in(estimate, "estimate")
    for name, values in (("truth", a), ("estimate", b)):
        if values.ndim == 0 or values.shape[-1] < 2:  # noqa: PLR2004 - one system has no order
            message = (
                f"`{name}` must hold the scores of at least two systems on its last axis, not shape {values.shape}"
            )
            raise ScoresError(message)
        if not np.isfinite(values).all():
            bad = values[~np.isfinite(values)][0]
            raise ScoresError(f"`{name}` must hold finite scores, not {bad}; leave such systems out of both rankings")
    if a.shape[-1] != b.shape[-1]:
        raise ScoresError(
            f"`truth` and `estimate` must rank the same systems, not {a.shape[-1]} and {b.shape[-1]} of them"
        )
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise ScoresError(f"the leading axes of truth {a.shape} and estimate {b.shape} do not fit each other") from None
    flat_a, flat_b = (np.array(np.broadcast_to(settle(v), shape), order="C").reshape(-1, shape[-1]) for v in (a, b))
    return RankingPairs(flat_a, flat_b, shape[:-1])


def _scores_in(array: ArrayLike, name: str) -> Floats:
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        first = next(iter(np.asarray(array, dtype=object).ravel().tolist()), None)
        raise ScoresError(
            f"`{name}` must hold a score for every system, higher better, not {shortened(repr(first))}; of names in "
            "their order, the best first, pass {name: -place for place, name in enumerate(names)}, and so of the other"
        ) from None


@side_by_side("truth", "estimate")
def best_of_reference(truth: ArrayLike, estimate: ArrayLike, *, k: int = 10) -> tuple[Floats, Floats]:
    """Return the scores of the reference's best `k` systems under both, ready for any of the correlations.

    A high correlation over all systems can hide that there is none among the best.

    Parameters
    ----------
    truth, estimate : array_like (..., n)
        As in `metaeval.agreement.rankings.kendall_tau`; `truth` chooses.
    k : int, default 10
        How many systems to keep, at least 2; all of them if there are no more. Of systems that tie for the last
        place the earlier ones are taken.

    Returns
    -------
    truth, estimate : arrays (..., k)

    Raises
    ------
    InvalidOptionError
        If `k` is below 2.
    ScoresError
        As `metaeval.agreement.rankings.kendall_tau`.

    Examples
    --------
    >>> best_of_reference([0.1, 0.4, 0.3], [5, 6, 7], k=2)
    (array([0.4, 0.3]), array([6., 7.]))
    """
    check_count(k, "k", least=2)  # one system has no order
    rankings = pair_rankings(truth, estimate)
    chosen = np.argsort(-rankings.truth, axis=1, kind="stable")[:, : int(k)]
    a, b = (np.take_along_axis(values, chosen, axis=1) for values in (rankings.truth, rankings.estimate))
    shape = (*rankings.shape, chosen.shape[1])
    return a.reshape(shape), b.reshape(shape)
