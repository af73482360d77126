"""Have strengths changed between two sets of votes? One model of both, with a shift of every system's strength."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import logit, stdtrit
from scipy.stats import f as f_distribution

from metaeval.base.arrays import Floats, Ints
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import EstimationError
from metaeval.models.vote_stand_ins import side_is_separable
from metaeval.models.vote_strengths import BradleyTerry, Ties, bradley_terry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_covariates import POSITION
from metaeval.table.vote_set import Votes
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import student_p

_NO_ERROR = 1e-9
type _Change = tuple[str, float, float, float]
"""A covariate, what it is worth before and after, and p of no change."""


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
    """One row a covariate of both sides that both sets have, and where these are equal strengths are compared, and one
    of the side itself ("position": the left of two equals): ``name``, ``before``, ``after`` (log odds a unit),
    ``p_value`` of their difference and ``significant`` (Holm)."""

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
    tell it, with the side and what both sets hold of both sides unasked, such as length, as covariates of their own in
    either: a judge that begins to like long answers leaves strengths at equal length as they were. Errors are clustered
    as those of strengths, over both sets: a question, or voter, in both is one cluster, and the only voter of either
    set is none. With K systems and G clusters,
    or votes, :math:`(G - K + 1) / ((K - 1)(G - 1))\, \hat\delta^T \hat V^{-1} \hat\delta` is referred to F with K - 1
    and G - K + 1 degrees of freedom (Hotelling's). Where one side wins all votes, so that the side has no bound in the
    model, its share of votes before and after is compared.

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
    of_sides = {POSITION: np.ones(len(rows))} if side_is_separable(before) and side_is_separable(after) else {}
    fitted, drawn = _fitted(pooled, is_after, covariates, of_sides, ties=ties, alpha=alpha)
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
    pulls = _covariate_shifts(fitted, drawn, n_clusters - 1)
    if of_sides and POSITION not in drawn:
        pulls.append(_side_shift(pooled, is_after))
    frame_of_pulls = pd.DataFrame(pulls, columns=["name", "before", "after", "p_value"])
    corrected = adjust(frame_of_pulls["p_value"].to_numpy(dtype=np.float64), "holm")
    pulls_tested = frame_of_pulls.assign(significant=is_significant(corrected, alpha))
    return StrengthShift(p_value=p_value, frame=frame, alpha=alpha, covariates=pulls_tested)


def _fitted(  # noqa: PLR0913 - as asked
    pooled: Votes,
    is_after: Floats,
    shifts: Mapping[str, Floats],
    of_sides: Mapping[str, Floats],
    *,
    ties: Ties,
    alpha: float,
) -> tuple[BradleyTerry, list[str]]:
    """Return the model of both sets with all covariates that it can have, and the names of those of both sides."""
    for drawn, beside in ((pooled.unasked, of_sides), (pooled.unasked, {}), ({}, of_sides)):
        columns = {**shifts}
        for name, values in {**drawn, **beside}.items():
            columns |= {f"{name} before": values * (1.0 - is_after), f"{name} after": values * is_after}
        try:
            return bradley_terry(replace(pooled, covariates=columns), ties=ties, alpha=alpha), [*drawn, *beside]
        except EstimationError:  # one side wins them all, say
            continue
    return bradley_terry(replace(pooled, covariates=shifts), ties=ties, alpha=alpha), []


def _covariate_shifts(
    fitted: BradleyTerry, drawn: Sequence[str], freedom: int
) -> list[tuple[str, float, float, float]]:
    """Return what covariates that nobody asked for, and the side, are worth in either set, and p of no change."""
    estimates = fitted.coefficients.set_index("name")["estimate"]
    places = {name: len(fitted.systems) + number for number, name in enumerate(estimates.index)}
    rows = []
    for name in drawn:
        first, second = f"{name} before", f"{name} after"
        both = np.ix_([places[first], places[second]], [places[first], places[second]])
        error = float(np.sqrt(np.array([-1.0, 1.0]) @ fitted.errors.covariance[both] @ np.array([-1.0, 1.0])))
        difference = float(estimates[second] - estimates[first])
        p_value = student_p(np.array([float(freedom)]), np.array([difference / error])).p[0]
        rows.append((name, float(estimates[first]), float(estimates[second]), float(p_value)))
    return rows


def _side_shift(pooled: Votes, is_after: Floats) -> _Change:
    """Return the left's share in either set as log odds, where the model has no side as one wins all, and p.

    Of no change: Student's t, errors clustered by question, or by vote where questions are unknown.
    """
    unit = pooled.units.get("question", np.arange(len(is_after)))
    parts = [is_after == date for date in (0.0, 1.0)]
    before, after = (float(np.average(pooled.share[chosen], weights=pooled.weight[chosen])) for chosen in parts)
    added = np.zeros(len(is_after))
    for chosen, mean, sign in zip(parts, (before, after), (-1.0, 1.0), strict=True):
        added[chosen] = sign * (pooled.share[chosen] - mean) * pooled.weight[chosen] / pooled.weight[chosen].sum()
    sums = np.bincount(unit, added)
    n = len(np.unique(unit))
    error = float(np.sqrt(sums @ sums * n / max(n - 1, 1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.nan_to_num(np.divide(np.array([after - before]), error), posinf=np.inf, neginf=-np.inf)
    p_value = student_p(np.array([float(max(n - 1, 1))]), statistic).p[0]
    return POSITION, float(logit(before)), float(logit(after)), float(p_value)


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
        if unit == "voter" and all(votes.n_units(unit) == 1 for votes in parts):
            continue  # what is asked is how these two differ
        units[unit], names[unit] = _joined(
            [votes.units[unit] for votes in parts], [votes.names[unit] for votes in parts]
        )
    columns: Mapping[str, Floats] = {
        name: np.concatenate([getattr(votes, name) for votes in parts]) for name in ("left", "right", "share", "weight")
    }
    unasked = {
        name: np.concatenate([votes.unasked[name] for votes in parts])
        for name in parts[0].independent_unasked()
        if name in parts[1].independent_unasked()
    }
    pooled = replace(parts[0], **columns, units=units, names=names, covariates={}, unasked=unasked)  # type: ignore[arg-type]  # codes
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
