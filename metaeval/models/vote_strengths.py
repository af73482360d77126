"""How strong is each system, when people only say which of two they prefer? Bradley and Terry's model of votes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.base.checks import check_choice, check_list, check_share, refused
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models import vote_errors
from metaeval.models.vote_model import VoteCells, fit_votes, vote_cells
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_columns import UNITS
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.tails import student_p

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]

Ties = Literal["half", "davidson", "drop"]
"""What a tie is: half a win for either; an outcome with a parameter of its own; no vote."""

PREFERENCE = "preference"
"""What results about votes call the metric: the log odds of being preferred."""
_HALF, _FEWEST = 0.5, 2
_WITHOUT_BOUND = {"above": "never lost", "below": "never won", "beside": "met none of the others"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BradleyTerry(Result):
    """Bradley-Terry strengths with cluster-robust errors."""

    systems: tuple[str, ...]
    """Those whose strength has bounds on both sides."""
    strengths: Floats
    """Log odds, of mean 0. Shape (system,)."""
    errors: vote_errors.Errors
    """Covariance of strengths, coefficients and the parameter of ties, by `clusters`; degrees of freedom."""
    independent: vote_errors.Errors
    """The same as if every vote were independent."""
    information: Floats
    """Inverse of the information of the votes, which a model that holds would have for a covariance."""
    wins: Floats
    """Wins of the row's system against the column's, a tie being half of one. Shape (system, system)."""
    coefficients: pd.DataFrame
    """One row a covariate, and one for ties under Davidson's model; see `coefficient_frame`."""
    unbounded: pd.DataFrame
    """Systems that never lost to the others, or never won; see `unbounded_frame`."""
    ties: Ties
    clusters: tuple[str, ...]
    """What errors are clustered by: "question", "voter", both or none."""
    n_units: dict[str, int]
    """Questions and voters among these votes, where they are known."""
    n_votes: int
    """Votes between these systems."""
    alpha: float
    """One less the level of intervals."""
    notes: tuple[str, ...]

    @property
    def covariance(self) -> Floats:
        """Covariance of the strengths, (system, system)."""
        n = len(self.systems)
        return self.errors.covariance[:n, :n]

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the difference of two strengths, (system, system)."""
        n = len(self.systems)
        return self.errors.freedom[:n, :n]

    @property
    def inflation(self) -> float:
        """How many times larger the errors are than those of independent votes, the median over the systems."""
        n = len(self.systems)
        return vote_errors.inflation(self.covariance, self.independent.covariance[:n, :n])

    def _found(self) -> str:
        alone = [
            f"{first_few(list(names))} {_WITHOUT_BOUND[str(side)]}"
            for side, names in self.unbounded.groupby("side", sort=False)["system"]
        ]
        limits = f"; without a finite strength: {'; '.join(alone)}" if alone else ""
        return f"{self.comparison()._found()}{limits}"  # noqa: SLF001 - as every test of pairs says it

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system whose strength has bounds, the strongest first.

        The columns are ``system``, ``rank`` (among these), ``strength`` (log odds, of mean 0), ``standard_error``,
        ``low`` and ``high`` (each interval at its own level), ``win_rate`` (mean over the rivals met, of equal weight
        each) and ``votes``. Systems that never lost, or never won, have no finite strength and no row here: they are
        above, or below, all of these, and `unbounded_frame` lists them.
        """
        n = len(self.systems)
        error = np.sqrt(self.covariance.diagonal())
        half = stdtrit(self.errors.freedom[:n, -1], 1.0 - self.alpha / 2) * error
        played = self.wins + self.wins.T
        frame = pd.DataFrame(
            {
                "system": self.systems,
                "rank": 1 + (self.strengths[:, None] < self.strengths - 1e-12).sum(axis=1),
                "strength": self.strengths,
                "standard_error": error,
                "low": self.strengths - half,
                "high": self.strengths + half,
                "win_rate": mean_win_rates(self.wins),
                "votes": np.rint(played.sum(axis=1)).astype(np.int64),
            }
        )
        return frame.sort_values("rank", kind="stable", ignore_index=True)

    def comparison(self, correction: str = "none", *, independent: bool = False) -> PairwiseResult:
        """Return the t test of every pair of strengths, as any test of systems gives it.

        Parameters
        ----------
        correction : str, default "none"
            For all pairs; see `metaeval.tests_stat.correction`.
        independent : bool, default False
            Whether to take every vote for independent, as peers do.

        Examples
        --------
        >>> rows = [("a", "b", "left")] * 30 + [("a", "b", "right")] * 10
        >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner"])
        >>> round(float(bradley_terry(votes).comparison().data["difference"][0, 0]), 6)
        1.098612
        """
        errors, n = (self.independent if independent else self.errors), len(self.systems)
        first, second = all_pairs(n)
        variance = errors.covariance.diagonal()[:n]
        square = variance[first] + variance[second] - 2 * errors.covariance[first, second]
        error, freedom = np.sqrt(np.maximum(square, 0.0)), errors.freedom[first, second]
        apart = self.strengths[first] - self.strengths[second]
        apart = np.where(np.abs(apart) < 1e-12, 0.0, apart)  # noqa: PLR2004 - rounding of the last step
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(apart == 0.0, 0.0, apart / error)
        variables = {
            "difference": apart,
            "statistic": statistic,
            "p_value": student_p(freedom, statistic).p,
            "degrees_of_freedom": freedom,
            "standard_error": error,
            "better": np.sign(apart).astype(np.int8),
        }
        names = np.array(self.systems)
        data = xr.Dataset(
            {name: (("metric", "pair"), values[None]) for name, values in variables.items()},
            coords={
                "metric": [PREFERENCE],
                "higher_is_better": ("metric", [True]),
                "system_a": ("pair", names[first]),
                "system_b": ("pair", names[second]),
            },
        )
        bare = PairwiseResult(
            data=data,
            test="bradley_terry",
            alternative="two-sided",
            correction="none",
            alpha=self.alpha,
            baseline=None,
            n_systems=n,
            n_topics=self.n_units.get("question", self.n_votes),
            details=MappingProxyType({}),
        )
        return bare.with_correction(correction)

    def coefficient_frame(self) -> pd.DataFrame:
        """Return one row a covariate (and "ties"): name, estimate, standard_error, low, high, p_value."""
        return self.coefficients.copy()

    def unbounded_frame(self) -> pd.DataFrame:
        """Return one row a system without a bound: system, side ("above", "below" or "beside"), limit, votes.

        The limit of a strength is one-sided at the level of the intervals; NaN where it met none of the others.
        """
        return self.unbounded.copy()

    def _draw(self) -> Figure:
        """Draw the strengths with their intervals, the strongest first."""
        from metaeval.figures.systems import system_ranking  # noqa: PLC0415 - matplotlib

        frame = self.to_frame().assign(metric=PREFERENCE).rename(columns={"strength": "mean"})
        return system_ranking(frame, PREFERENCE, label="strength (log odds of being preferred)")


@in_one_order
def bradley_terry(
    votes: object,
    *,
    ties: Ties = "half",
    clusters: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> BradleyTerry:
    r"""Fit Bradley and Terry's model to votes, with errors clustered by question and voter.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
    ties : {"half", "davidson", "drop"}, default "half"
        Half a win for either, as arenas publish; an outcome with a parameter of its own; or left out.
    clusters : sequence of {"question", "voter"}, optional
        Cluster errors by question, voter or both; by default what is known of both. An empty sequence: every vote is
        independent.
    covariates : sequence of str, optional
        Covariates of the votes to adjust for, by default all of them.
    alpha : float, default 0.05
        One less the level of intervals.

    Returns
    -------
    BradleyTerry
        One row a ``system`` in ``to_frame()``, the strongest first; see `BradleyTerry.to_frame`.

    Raises
    ------
    ScoresError
        If votes connect the systems in groups only, which are named, or none are left.
    EstimationError
        If no two systems have both won and lost among each other, or a covariate parts all wins from all losses.
    InvalidOptionError
        If an option is outside its rule, or votes do not name what errors are to be clustered by.

    See Also
    --------
    metaeval.questions.votes.study.study_votes

    Notes
    -----
    The log odds of a vote for the left system are :math:`\theta_l - \theta_r + x \cdot \beta` [1]_. Strengths have the
    mean 0. Under Davidson's model [2]_ a tie has the weight :math:`\nu` beside
    :math:`e^{\pm (\theta_l - \theta_r) / 2}`. A strength has a bound on both sides if no set of systems won all votes
    against the rest; the largest set of systems in which that is so is fitted, and the others are listed with a
    one-sided limit: the strength at which what was seen against the others has the chance `alpha`, votes counting as
    :math:`1 / f^2` each, f being the factor by which clusters make errors larger.

    Errors are sandwiches by clusters: with fewer than 50 clusters CR2 and Satterthwaite's degrees of freedom [3]_, else
    with G / (G - 1). By two ways they add up, less the part by both [4]_; no direction has less than by the larger way
    alone.

    References
    ----------
    .. [1] Bradley and Terry (1952). Rank analysis of incomplete block designs. Biometrika 39, 324-345.
       :doi:`10.2307/2334029`
    .. [2] Davidson (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison experiments.
       Journal of the American Statistical Association 65, 317-328. :doi:`10.1080/01621459.1970.10481082`
    .. [3] Bell and McCaffrey (2002). Bias reduction in standard errors for linear regression with multi-stage samples.
       Survey Methodology 28, 169-181.
    .. [4] Cameron, Gelbach and Miller (2011). Robust inference with multiway clustering. Journal of Business and
       Economic Statistics 29, 238-249. :doi:`10.1198/jbes.2010.07136`

    Examples
    --------
    >>> rows = [("a", "b", "left", 1), ("a", "b", "left", 2), ("b", "a", "left", 3), ("a", "b", "tie", 4)]
    >>> votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question"])
    >>> bradley_terry(votes).to_frame()[["system", "strength"]].round(4).to_numpy().tolist()
    [['a', 0.2554], ['b', -0.2554]]
    """
    check_choice(ties, "ties", get_args(Ties))
    check_share(alpha, "alpha")
    checked = _with_covariates(as_votes(votes), covariates)
    checked = _without_ties(checked) if ties == "drop" else checked
    ways = _ways(checked, clusters)
    groups = checked.grouped()
    if len(groups) > 1:
        examples = "; ".join(first_few(group) for group in groups[:3])
        raise ScoresError(f"no votes connect these groups of systems, so fit each alone: {examples}")
    core, sides = _core(checked)
    inner = checked.of(core) if len(core) < len(checked.systems) else checked
    ways = tuple(name for name in ways if inner.n_units(name) >= _FEWEST)
    davidson = ties == "davidson"
    if davidson and not np.isin(checked.share, [0.0, _HALF, 1.0]).all():
        raise InvalidOptionError("`ties='davidson'` needs votes that are won, lost or tied, and some are shares")
    if davidson and (not (inner.share == _HALF).any() or (inner.share == _HALF).all()):
        raise EstimationError("the parameter of ties has no estimate where no vote, or every vote, is a tie")
    fit = fit_votes(vote_cells(inner, davidson=davidson))
    single = _single(inner, davidson=davidson)
    independent = vote_errors.independent_errors(single, fit, counted=inner.counted)
    errors = vote_errors.clustered_errors(single, fit, [inner.units[name] for name in ways]) if ways else independent
    certain = not independent.covariance.any()  # all as expected: all votes are ties, say
    alike = not certain and vote_errors.claims_certainty(errors, independent, len(core))
    if certain:
        independent = errors = vote_errors.Errors(fit.bread, independent.freedom)
    elif alike:
        errors = vote_errors.no_smaller(errors, independent)
    n, names = len(core), [*inner.covariates, *(["ties"] if davidson else [])]
    factor = vote_errors.inflation(errors.covariance[:n, :n], independent.covariance[:n, :n])
    notes = [
        f"{first_few([inner.systems[system] for system in group])}: one cluster alone compares "
        f"{'it' if len(group) == 1 else 'them'} with the others, so that the error of this is that of independent votes"
        for group in errors.alone
    ]
    if certain:
        notes.append("no vote differs from what the strengths expect, so that errors are those of the model")
    if alike:
        rule = (
            "is as all votes together say, which is no certainty: errors are no smaller than those of independent votes"
        )
        notes.append(f"for some pairs every {' and '.join(ways)} {rule}")
    return BradleyTerry(
        systems=core,
        strengths=fit.parameters[:n],
        errors=errors,
        independent=independent,
        information=fit.bread[:n, :n],
        wins=win_matrix(inner),
        coefficients=_coefficients(names, fit.parameters[n:], errors, alpha),
        unbounded=_limits(checked, core, sides, fit.parameters[:n], alpha, factor),
        ties=ties,
        clusters=ways,
        n_units={name: inner.n_units(name) for name in UNITS if inner.n_units(name)},
        n_votes=inner.n_votes,
        alpha=float(alpha),
        notes=tuple(notes),
    )


def davidson_strengths(votes: Votes) -> Floats:
    """Return the strengths of Davidson's model alone, of connected votes in which every system won and lost.

    Examples
    --------
    >>> rows = [("a", "b", "left"), ("a", "b", "left"), ("a", "b", "tie"), ("b", "a", "left")]
    >>> davidson_strengths(as_votes(pd.DataFrame(rows, columns=["left", "right", "winner"]))).round(4).tolist()
    [0.3466, -0.3466]
    """
    cells = vote_cells(replace(votes, covariates={}), davidson=True)
    return fit_votes(cells).parameters[: len(votes.systems)]


def win_matrix(votes: Votes) -> Floats:
    """Return how often the row's system won against the column's, a tie being half a win.

    Examples
    --------
    >>> win_matrix(as_votes([{"left": "a", "right": "b", "winner": "tie"}])).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    n = len(votes.systems)
    won = np.bincount(votes.left * n + votes.right, votes.weight * votes.share, n * n)
    lost = np.bincount(votes.right * n + votes.left, votes.weight * (1.0 - votes.share), n * n)
    return (won + lost).reshape(n, n)


def mean_win_rates(wins: Floats) -> Floats:
    """Return every system's mean share of the votes against a rival, over the rivals that it met.

    Examples
    --------
    >>> mean_win_rates(np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).tolist()
    [0.625, 0.25, 0.5]
    """
    played = wins + wins.T
    with np.errstate(invalid="ignore"):
        share = wins / played
    return np.asarray(np.nanmean(share, axis=1))


def _with_covariates(votes: Votes, names: Sequence[str] | None) -> Votes:
    if names is None:
        return votes
    names = check_list(names, "covariates", ["position"])
    for name in names:
        check_choice(name, "covariate", votes.covariates)
    return replace(votes, covariates={name: votes.covariates[name] for name in names})


def _without_ties(votes: Votes) -> Votes:
    decided = votes.share != _HALF
    if not decided.any():
        raise ScoresError("all votes are ties, so that none is left with `ties='drop'`; leave it out")
    return votes.where(decided)


def _ways(votes: Votes, clusters: Sequence[str] | None) -> tuple[str, ...]:
    """Return what errors are clustered by, of what is known."""
    if clusters is None:
        return tuple(name for name in UNITS if votes.n_units(name) >= _FEWEST)
    clusters = check_list(clusters, "clusters", ["question"])
    for name in clusters:
        check_choice(name, "cluster", UNITS)
        if name not in votes.units:
            raise refused("clusters", f"names the {name}, which these votes do not say", clusters)
        if votes.n_units(name) < _FEWEST:
            raise refused("clusters", f"names the {name}, and there is only one", clusters)
    return tuple(name for name in UNITS if name in clusters)


def _single(votes: Votes, *, davidson: bool) -> VoteCells:
    """Return every vote as a cell."""
    covariates = (
        np.stack(list(votes.covariates.values()), axis=1) if votes.covariates else np.empty((votes_n(votes), 0))
    )
    return VoteCells(votes.left, votes.right, votes.share, votes.weight, covariates, len(votes.systems), davidson)


def votes_n(votes: Votes) -> int:
    """Return the number of rows."""
    return len(votes.share)


def _core(votes: Votes) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the largest set of systems with bounded strengths, and on which side of it every other system is."""
    from scipy.sparse.csgraph import connected_components, shortest_path  # noqa: PLC0415 - loads more of scipy

    won = win_matrix(votes) > 0
    _, component = connected_components(won, directed=True, connection="strong")
    if component.max() == 0:
        return votes.systems, {}
    best = int(np.argmax(np.bincount(component)))
    core = np.flatnonzero(component == best)
    if len(core) < _FEWEST:
        raise EstimationError(
            "no strength has a bound: of every two systems that met, one won all votes; the page of metaeval votes (in "
            "Python study_votes) tests each of these pairs"
        )
    reach = np.isfinite(shortest_path(won, unweighted=True))
    beats, loses = reach[:, core].any(axis=1), reach[core].any(axis=0)
    sides = {
        votes.systems[system]: "above" if beats[system] else "below" if loses[system] else "beside"
        for system in np.flatnonzero(component != best)
    }
    return tuple(votes.systems[system] for system in core), sides


def _limits(  # noqa: PLR0913, PLR0917 - what is known
    votes: Votes, core: Sequence[str], sides: dict[str, str], strengths: Floats, alpha: float, factor: float
) -> pd.DataFrame:
    """Return the one-sided limits of strengths without a bound."""
    rows = []
    if sides:
        wins = win_matrix(votes)
        places = pd.Index(votes.systems).get_indexer(pd.Index(list(core)))
    for name, side in sides.items():
        index = votes.systems.index(name)
        met = (wins + wins.T)[index, places]
        limit = np.nan
        if met.any() and side != "beside":
            sign = 1.0 if side == "above" else -1.0
            limit = sign * _limit(met / factor**2, sign * strengths, alpha)
        rows.append((name, side, limit, round(float((wins + wins.T)[index].sum()))))
    return pd.DataFrame(rows, columns=["system", "side", "limit", "votes"])


def _limit(votes: Floats, rivals: Floats, alpha: float) -> float:
    """Return the strength at which winning all votes has the chance alpha."""
    low, high = float(rivals.min()) - 50.0, float(rivals.max()) + 50.0
    for _ in range(100):
        middle = (low + high) / 2
        chance = -(votes @ np.logaddexp(0.0, rivals - middle))
        low, high = (middle, high) if chance < np.log(alpha) else (low, middle)
    return (low + high) / 2


def _coefficients(names: Sequence[str], estimates: Floats, errors: vote_errors.Errors, alpha: float) -> pd.DataFrame:
    n = len(errors.covariance) - len(names)
    error = np.sqrt(np.maximum(errors.covariance.diagonal()[n:], 0.0))
    freedom = errors.freedom[n:-1, -1]
    half = stdtrit(freedom, 1.0 - alpha / 2) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = student_p(freedom, estimates / error).p
    return pd.DataFrame(
        {
            "name": list(names),
            "estimate": estimates,
            "standard_error": error,
            "low": estimates - half,
            "high": estimates + half,
            "p_value": p_value,
        }
    )
