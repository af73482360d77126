r"""How much does each judge's vote tell, and which side does it lean to? Judges of unequal reliability in votes.

The log odds of judge k for the left system are :math:`\sigma_k (\theta_l - \theta_r) + \beta_k`. At the maximum the
model is a line in :math:`\theta`, :math:`\log \sigma_k` and :math:`\beta_k`: a cell's odds change by :math:`\sigma_k`
times the covariates of `_slopes`, so that the sums and the sandwich of other models of votes serve here.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.linalg import block_diag, helmert
from scipy.special import stdtrit

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_share
from metaeval.base.names import count
from metaeval.base.results import Figure, Result
from metaeval.errors import EstimationError, ScoresError
from metaeval.models import vote_errors
from metaeval.models.vote_model import (
    Moments,
    VoteCells,
    VoteFit,
    extra_scores,
    information,
    moments_at,
    scores_by,
)
from metaeval.models.vote_strengths import PREFERENCE, BradleyTerry, Ties, bradley_terry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

LEAST_VOTES = 30
"""Voters with fewer votes are taken together."""
_FEWEST, _HALF = 2, 0.5
_MOST_STEPS, _STEP, _HALVINGS, _LARGEST_STEP = 200, 1e-10, 40, 1.0
_BEYOND = 4.0
"""Logarithm by which a weight that has no maximum runs off from the middle one."""
_NO_SPREAD = 1e-9
_OTHERS = "other voters"
_ONE_SIDED = "one-sided: its lean to one side exceeds the differences between neighbours"
_ONE_DIFFERENCE = "it voted on one difference of strengths alone, which does not tell weight from side"
_NO_BOUND = "its weight has no upper bound: its votes never contradict the strengths"
_TELLS_NOTHING = "its weight cannot be told from 0: its votes do not follow the strengths"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeWeights(Result):
    """How much the votes of each judge tell of the systems, and the strengths with these weights."""

    table: pd.DataFrame
    """One row a judge, the heaviest first, those turned away last: ``judge``, ``n_votes``; ``weight`` (their geometric
    mean is 1) with ``low`` and ``high``; ``side`` (log odds for the left of two equals) with ``side_low`` and
    ``side_high``, NaN where votes do not say who stood on the left; ``note``: why a judge was turned away."""
    strengths: BradleyTerry
    """With these weights, without the judges turned away."""
    equal: BradleyTerry
    """With equal weights, by all judges; errors are clustered in the same way."""
    alpha: float
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge (`table`)."""
        return self.table.copy()

    def _found(self) -> str:
        weighed = self.table[self.table["weight"].notna()]
        first, last = weighed.iloc[0], weighed.iloc[-1]
        return (
            f"a vote of {first['judge']} weighs {first['weight'] / last['weight']:.2g} times one of {last['judge']}; "
            f"{count(len(self.table) - len(weighed), 'judge')} of {len(self.table)} turned away"
        )

    def _draw(self) -> Figure:
        """Draw the weights with their intervals, the heaviest first."""
        from metaeval.figures.systems import system_ranking  # noqa: PLC0415 - matplotlib

        frame = self.table.dropna(subset="weight").rename(columns={"judge": "system", "weight": "mean"})
        ranks = np.arange(1, len(frame) + 1)
        return system_ranking(frame.assign(metric=PREFERENCE, rank=ranks), PREFERENCE, label="weight of a judge")


@in_one_order
def judge_weights(
    votes: object, *, ties: Ties = "half", least_votes: int = LEAST_VOTES, alpha: float = 0.05
) -> JudgeWeights:
    r"""Estimate how much each judge's votes tell of the systems, and which side it leans to.

    Parameters
    ----------
    votes : Votes, or anything `metaeval.table.votes.as_votes` takes
        With voters, who are the judges.
    ties : {"half", "davidson", "drop"}, default "half"
        As `bradley_terry` has them; the parameter of ties is the same for all judges.
    least_votes : int, default 30
        Voters with fewer votes count as one judge, "other voters".
    alpha : float, default 0.05
        One less the level of the intervals; also the level at which a judge is turned away.

    Returns
    -------
    JudgeWeights
        One row a ``judge`` in ``to_frame()``: ``n_votes``, ``weight`` with ``low`` and ``high``, ``side`` (log odds)
        with ``side_low`` and ``side_high``, and ``note``; strengths with these weights in ``strengths``.

    Raises
    ------
    ScoresError
        If votes name no voters, or fewer than two have enough votes.
    EstimationError
        If fewer than two judges remain when others are turned away, or as `bradley_terry`.
    InvalidOptionError, UnknownNameError
        If an option is outside its rule.

    See Also
    --------
    bradley_terry : all judges alike

    Notes
    -----
    The log odds of judge k for the left system are :math:`\sigma_k (\theta_l - \theta_r) + \beta_k`, the crowd model of
    Chen et al. [1]_ with sides. Strengths have the mean 0 and the weights the mean :math:`\log \sigma_k = 0`, without
    which a common factor could move between both: a weight is relative to the other judges of these votes. It is found
    by Fisher scoring on sums over judge and pair; errors are clustered by question as in `bradley_terry`, and hold for
    these judges, not for others of their kind.

    Turned away, by name, are judges who always say the same; whose weight is not significantly above 0, or has no
    upper bound; who saw only one difference of strengths, which does not tell weight from side; and one-sided ones: the
    interval of :math:`|\beta_k|` is above :math:`\sigma_k` times the mean difference of neighbours in the ranking.
    ``benchmarks/reports/judge_weights.md`` says how often the intervals hold.

    References
    ----------
    .. [1] Chen, Bennett, Collins-Thompson and Horvitz (2013). Pairwise ranking aggregation in a crowdsourced setting.
       WSDM 2013, 193-202. :doi:`10.1145/2433396.2433420`

    Examples
    --------
    >>> from metaeval.simulate import simulate_votes
    >>> votes = simulate_votes(n_voters=3, by_voter=0, ties=0, rng=1)
    >>> chance = np.random.default_rng(1).random(len(votes)) < 0.6
    >>> votes.loc[(votes["voter"] == "v3") & chance, "winner"] = "tie"
    >>> judge_weights(votes).to_frame()[["judge", "weight"]].round(1).to_numpy().tolist()
    [['v2', 1.4], ['v1', 1.3], ['v3', 0.6]]
    """
    check_choice(ties, "ties", get_args(Ties))
    check_share(alpha, "alpha")
    check_count(least_votes, "least_votes")
    checked = replace(as_votes(votes), covariates={})
    clusters = ["question"] * (checked.n_units("question") > 1)
    equal = bradley_terry(checked, ties=ties, clusters=clusters, alpha=alpha)
    checked = checked.where(checked.share != _HALF) if ties == "drop" else checked
    if not checked.placed and (turned := checked.left > checked.right).any():  # a table of winners says them first
        left, right = np.where(turned, [checked.right, checked.left], [checked.left, checked.right])
        checked = replace(checked, left=left, right=right, share=np.where(turned, 1 - checked.share, checked.share))
    judges, judge = _judges_of(checked, least_votes)
    refused: list[dict[str, object]] = []
    staying = np.arange(len(judges))
    while True:
        weighed = _weigh(checked, judge, staying, ties, alpha)
        frame = weighed.rows.assign(judge=[judges[index] for index in staying])
        reason = frame["note"].to_numpy() != ""
        refused += frame[reason].assign(weight=np.nan, low=np.nan, high=np.nan).to_dict("records")
        staying = staying[~reason]
        if len(staying) < _FEWEST:
            why = "; ".join(f"{row['judge']}: {row['note']}" for row in refused[:3])
            raise EstimationError(f"fewer than two judges are left to be weighed ({why})")
        if not reason.any():
            break
    columns = ["judge", "n_votes", "weight", "low", "high", "side", "side_low", "side_high", "note"]
    table = pd.concat([frame.sort_values("weight", ascending=False, kind="stable"), pd.DataFrame(refused)])
    notes = [f"turned away: {row['judge']} ({row['note']})" for row in refused]
    return JudgeWeights(
        table=table[columns].reset_index(drop=True),
        strengths=weighed.strengths,
        equal=equal,
        alpha=float(alpha),
        notes=(*notes, *weighed.strengths.notes),
    )


class _WeighedVotes(NamedTuple):
    """One fit: a row a judge, whose note says why it cannot stay; strengths and the test where all can."""

    rows: pd.DataFrame
    strengths: BradleyTerry


def _judges_of(votes: Votes, least_votes: int) -> tuple[list[str], Ints]:
    """Return the names of the judges, and the number of every vote's judge."""
    if "voter" not in votes.units:
        raise ScoresError("votes name no voters, so that judges cannot be weighed")
    n_votes = np.bincount(votes.units["voter"])
    names = np.array(votes.names.get("voter", ()) or [f"voter {number + 1}" for number in range(len(n_votes))], object)
    names = np.where((n_votes < least_votes) | (names == ""), _OTHERS, names)
    judges, codes = np.unique(names.astype(str), return_inverse=True)
    if len(judges) - (_OTHERS in judges) < _FEWEST:
        raise ScoresError(
            f"fewer than two voters have {count(least_votes, 'vote')} or more, so that judges cannot be weighed"
        )
    return list(map(str, judges)), codes[votes.units["voter"]]


def _weigh(checked: Votes, judge: Ints, kept: Ints, ties: Ties, alpha: float) -> _WeighedVotes:
    """Fit the model to the votes of some judges, and say who of them cannot stay."""
    of_kept = np.isin(judge, kept)
    plain = bradley_terry(checked.where(of_kept), ties=ties, alpha=alpha)
    bounded = np.isin(np.array(checked.systems, dtype=object), plain.systems)
    of_kept &= bounded[checked.left] & bounded[checked.right]
    votes, judge = checked.where(of_kept), np.searchsorted(kept, judge[of_kept])
    single = VoteCells(
        votes.left, votes.right, votes.share, votes.weight, np.empty((0, 0)), len(votes.systems), ties == "davidson"
    )
    model = _Model(len(kept), votes.placed)
    rows = pd.DataFrame({"n_votes": np.rint(np.bincount(judge, votes.weight, len(kept))).astype(np.int64)})
    rows[["weight", "low", "high", "side", "side_low", "side_high"]] = np.nan
    rows["note"] = _untold(single, judge, plain.strengths, model)
    if (rows["note"] != "").any():
        return _WeighedVotes(rows, plain)
    parameters = np.concatenate([plain.strengths, np.zeros(model.n_columns), plain.coefficients["estimate"]])
    parameters, away = _maximum(*_grouped(single, judge), model, parameters)
    if away is not None:
        rows.loc[away, "note"] = _TELLS_NOTHING if parameters[single.n_systems + away] < 0 else _NO_BOUND
        return _WeighedVotes(rows, plain)
    cells, moments = model.at(single, judge, parameters)
    fit = VoteFit(parameters, model.bread(cells, moments))
    independent = vote_errors.independent_errors(cells, fit, counted=votes.counted, moments=moments)
    by_question = "question" in plain.clusters
    ways = [votes.units["question"]] if by_question else []
    errors = vote_errors.clustered_errors(cells, fit, ways, moments) if ways else independent
    n, k = cells.n_systems, len(kept)
    error = np.sqrt(errors.covariance.diagonal())
    half = stdtrit(errors.freedom[:-1, -1], 1 - alpha / 2) * error
    logs, of_logs, of_sides = parameters[n : n + k], slice(n, n + k), slice(n + k, n + 2 * k)
    rows["weight"], rows["low"], rows["high"] = (np.exp(logs + sign * half[of_logs]) for sign in (0, -1, 1))
    rows.loc[half[of_logs] >= 1, "note"] = _TELLS_NOTHING  # the interval of the weight itself, by the same error
    if model.sided:
        side, of_side = parameters[of_sides], half[of_sides]
        rows["side"], rows["side_low"], rows["side_high"] = side, side - of_side, side + of_side
        neighbours = rows["weight"] * np.ptp(parameters[:n]) / (n - 1)
        rows.loc[np.abs(side) - of_side > neighbours, "note"] = _ONE_SIDED
    strengths = replace(
        plain,
        strengths=parameters[:n],
        errors=errors,
        independent=independent,
        information=fit.bread[:n, :n],
        coefficients=plain.coefficients.iloc[:0],
        clusters=("question",) if ways else (),
    )
    return _WeighedVotes(rows, strengths)


def _untold(single: VoteCells, judge: Ints, strengths: Floats, model: "_Model") -> list[str]:
    """Return why a judge's votes cannot tell its weight, before any fit; nothing where they can."""
    apart = strengths[single.left] - strengths[single.right]
    shares, differences = (pd.Series(values).groupby(judge).agg(["min", "max"]) for values in (single.share, apart))
    frame = pd.DataFrame(
        {"constant": shares["min"] == shares["max"], "alike": differences["max"] - differences["min"] <= _NO_SPREAD}
    )
    frame = frame.reindex(range(model.n_judges))
    frame["alike"] = frame["alike"] & model.sided
    reasons = np.select(
        [frame["constant"].isna(), frame["constant"] == True, frame["alike"] == True],  # noqa: E712 - with gaps
        ["it voted on no two systems with bounds", "it always says the same", _ONE_DIFFERENCE],
        default="",
    )
    return list(map(str, reasons))


def _grouped(single: VoteCells, judge: Ints) -> tuple[VoteCells, Ints]:
    """Return one cell a judge, left and right system and, for Davidson's model, outcome; and the judges of these."""
    key = (judge * single.n_systems + single.left) * single.n_systems + single.right
    key = 3 * key + np.rint(2 * single.share).astype(np.int64) if single.davidson else key
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    weight = np.bincount(cell, single.weight)
    share = np.bincount(cell, single.weight * single.share) / weight
    return single._replace(left=single.left[first], right=single.right[first], share=share, weight=weight), judge[first]


class _Model(NamedTuple):
    """The parameters beside the strengths: logs of weights, of mean 0, and sides where they are known."""

    n_judges: int
    sided: bool

    @property
    def n_columns(self) -> int:
        """Logs of weights, and sides."""
        return self.n_judges * (1 + self.sided)

    def at(self, cells: VoteCells, judge: Ints, parameters: Floats) -> tuple[VoteCells, Moments]:
        """Return cells with how their odds change, over the judge's weight, and moments on that scale."""
        n, k, row = cells.n_systems, self.n_judges, np.arange(len(judge))
        weight = np.exp(parameters[n + judge])
        apart = parameters[cells.left] - parameters[cells.right]
        odds = weight * apart + (parameters[n + k + judge] if self.sided else 0.0)
        slopes = np.zeros((len(judge), self.n_columns))
        slopes[row, judge] = apart
        if self.sided:
            slopes[row, k + judge] = 1.0 / weight
        plain = moments_at(cells, odds, float(parameters[-1]))
        scaled = plain._replace(
            residual=weight * plain.residual,
            variance=weight**2 * plain.variance,
            tie_covariance=weight * plain.tie_covariance if cells.davidson else plain.tie_covariance,
        )
        return cells._replace(covariates=slopes), scaled

    def basis(self, cells: VoteCells) -> Floats:
        """Return the directions in which strengths and logs of weights keep their means of 0, (parameter, free)."""
        sides = np.eye(self.n_columns - self.n_judges + cells.davidson)
        return block_diag(helmert(cells.n_systems).T, helmert(self.n_judges).T, sides)

    def bread(self, cells: VoteCells, moments: Moments) -> Floats:
        """Return the inverse information in these directions."""
        basis = self.basis(cells)
        return basis @ np.linalg.pinv(basis.T @ information(cells, moments)[0] @ basis, hermitian=True) @ basis.T


def _maximum(cells: VoteCells, judge: Ints, model: _Model, parameters: Floats) -> tuple[Floats, int | None]:
    """Return the parameters of the largest likelihood, or the judge whose weight runs off."""
    n, nowhere = cells.n_systems, np.zeros(len(judge), dtype=np.int64)
    cells, moments = model.at(cells, judge, parameters)
    for _ in range(_MOST_STEPS):
        extra = extra_scores(cells, moments, cells.weight)
        step = model.bread(cells, moments) @ scores_by(cells, cells.weight * moments.residual, extra, nowhere, 1)[0]
        step *= min(1.0, _LARGEST_STEP / max(float(np.abs(step).max()), _STEP))
        for _ in range(_HALVINGS):
            ahead = model.at(cells, judge, parameters + step)
            if ahead[1].likelihood >= moments.likelihood - 1e-12 * abs(moments.likelihood):
                break
            step = step / 2
        parameters, (cells, moments) = parameters + step, ahead
        logs = parameters[n : n + model.n_judges]
        off = np.abs(logs - np.median(logs))
        if off.max() > _BEYOND:
            return parameters, int(off.argmax())
        if np.abs(step).max() < _STEP:
            return parameters, None
    raise EstimationError("the weights of these judges have no maximum of their likelihood; weigh fewer judges")
