"""Have strengths changed between two sets of votes? One model of both, with a shift of every system's strength."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtrit
from scipy.stats import f as f_distribution

from metaeval.base.arrays import Floats, Ints
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import EstimationError
from metaeval.models.vote_stand_ins import side_is_separable
from metaeval.models.vote_strengths import Ties, bradley_terry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_covariates import POSITION
from metaeval.table.vote_set import Votes
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import student_p

_NO_ERROR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StrengthShift(ShortRepr):
    """What became of strengths between two sets of votes."""

    p_value: float
    """Of equal strengths in both."""
    frame: pd.DataFrame
    """One row a system, the largest shift first: ``system``, ``shift`` (log odds after less before, of mean 0) with
    ``low`` and ``high``, ``p_value``, ``p_corrected`` (Holm) and ``significant``."""
    alpha: float
    covariates: pd.DataFrame
    """One row a covariate of both sides that both sets have: ``name``, ``before``, ``after`` (log odds a unit, each of
    its own fit), ``p_value`` of their difference and ``significant`` (Holm)."""

    @property
    def is_significant(self) -> bool:
        """Whether strengths have changed."""
        return bool(is_significant(np.array(self.p_value), self.alpha))


@in_one_order
def strength_shift(before: Votes, after: Votes, *, ties: Ties = "half", alpha: float = 0.05) -> StrengthShift:
    r"""Test whether strengths are the same by two sets of votes.

    Parameters
    ----------
    before, after : Votes
        Of some of the same systems, each connected.
    ties : {"half", "davidson", "drop"}, default "half"
    alpha : float, default 0.05

    Returns
    -------
    StrengthShift

    Raises
    ------
    EstimationError
        If fewer than two systems are in both, votes on these do not connect them in either, or a shift has no bound.

    Notes
    -----
    The log odds of a vote are :math:`\theta_l - \theta_r`, after :math:`+ \delta_l - \delta_r`; where the votes can
    tell it, with the side as a covariate of its own in both. Errors are clustered as those of strengths, over both
    sets: a question, or voter, in both is one cluster. With K systems and G clusters, or votes,
    :math:`(G - K + 1) / ((K - 1)(G - 1))\, \hat\delta^T \hat V^{-1} \hat\delta` is referred to F with K - 1 and
    G - K + 1 degrees of freedom (Hotelling's).

    Examples
    --------
    >>> from metaeval.table.votes import as_votes
    >>> columns = ["left", "right", "winner"]
    >>> before = as_votes(pd.DataFrame([("a", "b", "a")] * 30 + [("b", "a", "b")] * 10, columns=columns))
    >>> after = as_votes(pd.DataFrame([("a", "b", "a")] * 20 + [("b", "a", "b")] * 20, columns=columns))
    >>> strength_shift(before, after).frame["shift"].round(4).tolist()
    [-0.5493, 0.5493]
    """
    pooled, is_after = _pooled(before, after)
    n = len(pooled.systems)
    signs = np.zeros((len(pooled.share), n))
    rows = np.arange(len(pooled.share))
    signs[rows, pooled.left], signs[rows, pooled.right] = is_after, -is_after
    covariates = {f"shift {number}": signs[:, number] for number in range(n - 1)}
    sides = {POSITION: 1.0 - is_after, f"{POSITION} after": is_after}
    has_sides = side_is_separable(before) and side_is_separable(after)
    try:
        with_sides = replace(pooled, covariates=covariates | (sides if has_sides else {}))
        fitted = bradley_terry(with_sides, ties=ties, alpha=alpha)
    except EstimationError:  # one side wins them all, say
        fitted = bradley_terry(replace(pooled, covariates=covariates), ties=ties, alpha=alpha)
    if len(fitted.systems) < n:
        raise EstimationError("a system never lost, or never won, so that its shift has no bound")
    estimates = fitted.coefficients["estimate"].to_numpy()[: n - 1]
    covariance = fitted.errors.covariance[n : 2 * n - 1, n : 2 * n - 1]
    n_clusters = min((fitted.n_units[name] for name in fitted.clusters), default=fitted.n_votes)
    least = _NO_ERROR * fitted.independent.covariance[n : 2 * n - 1, n : 2 * n - 1].trace()
    if n_clusters <= n or np.linalg.eigvalsh(covariance)[0] <= least:
        raise EstimationError(
            f"{n_clusters} clusters of votes tell no error of the shifts of {n} systems; too few, or the votes before "
            "and after are the same"
        )
    freedom = n_clusters - n + 1
    statistic = float(estimates @ np.linalg.solve(covariance, estimates)) * freedom / ((n - 1) * (n_clusters - 1))
    frame = _shifts(pooled.systems, estimates, covariance, n_clusters - 1, alpha)
    p_value = float(f_distribution.sf(statistic, n - 1, freedom))
    drawn = _covariate_shifts(before, after, ties, alpha)
    return StrengthShift(p_value=p_value, frame=frame, alpha=alpha, covariates=drawn)


def _covariate_shifts(before: Votes, after: Votes, ties: Ties, alpha: float) -> pd.DataFrame:
    """Return what covariates that nobody asked for, such as length, are worth in either set, and whether that changed.

    The sets are taken as independent.
    """
    rows = []
    for name in (name for name in before.unasked if name in after.unasked):
        try:
            fits = [
                bradley_terry(replace(votes, covariates={name: votes.unasked[name]}), ties=ties, alpha=alpha)
                for votes in (before, after)
            ]
        except EstimationError:
            continue
        first, second = (fit.coefficient_frame().iloc[0] for fit in fits)
        error = float(np.hypot(first["standard_error"], second["standard_error"]))
        difference = float(second["estimate"] - first["estimate"])
        rows.append((name, first["estimate"], second["estimate"], 2.0 * float(ndtr(-abs(difference) / error))))
    frame = pd.DataFrame(rows, columns=["name", "before", "after", "p_value"])
    corrected = adjust(frame["p_value"].to_numpy(dtype=np.float64), "holm") if len(frame) else np.array([])
    return frame.assign(significant=is_significant(corrected, alpha))


def _shifts(
    systems: tuple[str, ...], estimates: Floats, covariance: Floats, freedom: int, alpha: float
) -> pd.DataFrame:
    """Return the shift of every system, less their mean."""
    n = len(systems)
    centred = np.eye(n, n - 1) - 1.0 / n
    shift = centred @ estimates
    error = np.sqrt((centred @ covariance @ centred.T).diagonal())
    half = stdtrit(freedom, 1 - alpha / 2) * error
    p_value = student_p(np.full(n, float(freedom)), shift / error).p
    corrected = adjust(p_value, "holm")
    columns = {"system": systems, "shift": shift, "low": shift - half, "high": shift + half, "p_value": p_value}
    frame = pd.DataFrame(columns).assign(p_corrected=corrected, significant=is_significant(corrected, alpha))
    return frame.loc[frame["shift"].abs().sort_values(ascending=False, kind="stable").index].reset_index(drop=True)


def _pooled(before: Votes, after: Votes) -> tuple[Votes, Floats]:
    """Return the votes of both on the systems of both, and 1 for those after, 0 for those before."""
    common = [name for name in before.systems if name in set(after.systems)]
    parts = [votes.of(common) for votes in (before, after)]
    if not common or any(len(votes.systems) < len(common) or len(votes.grouped()) > 1 for votes in parts):
        raise EstimationError("the votes before, or those after, do not connect the systems that both have")
    units, names = {}, {}
    for unit in parts[0].units.keys() & parts[1].units.keys():
        units[unit], names[unit] = _joined(
            [votes.units[unit] for votes in parts], [votes.names[unit] for votes in parts]
        )
    columns: Mapping[str, Floats] = {
        name: np.concatenate([getattr(votes, name) for votes in parts]) for name in ("left", "right", "share", "weight")
    }
    pooled = replace(parts[0], **columns, units=units, names=names, covariates={}, unasked={})  # type: ignore[arg-type]  # codes
    return pooled, np.repeat([0.0, 1.0], [len(votes.share) for votes in parts])


def _joined(codes: Sequence[Ints], names: Sequence[Sequence[str]]) -> tuple[Ints, tuple[str, ...]]:
    """Return the numbers of units of both, of which those with one name are one, and their names."""
    number_of: dict[tuple[str, int, int], int] = {}
    keys = [
        [(name, 0, 0) if name else ("", date, number) for number, name in enumerate(of_part)]
        for date, of_part in enumerate(names)
    ]
    told = [np.array([number_of.setdefault(key, len(number_of)) for key in of_part]) for of_part in keys]
    joined = np.concatenate([numbers[code] for numbers, code in zip(told, codes, strict=True)])
    return joined, tuple(name for name, *_ in number_of)
