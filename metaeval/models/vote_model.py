"""The likelihood of votes under Bradley and Terry's model, or Davidson's, and its maximum by Newton's method.

A vote on left and right has the log odds d = strength of left - strength of right + x b. Without a parameter of ties, y
is the left system's share and has the mean 1 / (1 + exp(-d)). Davidson's model has three outcomes, with weights
exp(d / 2), exp(-d / 2) and nu for a tie. Both are exponential families, so the likelihood has one maximum. Votes on
the same systems are one cell, whose share is their mean, or, for Davidson's model, one cell an outcome.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import EstimationError
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_set import Votes

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]

_MOST_STEPS, _STEP, _HALVINGS = 100, 1e-12, 40
_MOST_CELLS = 4_000_000


class VoteCells(NamedTuple):
    """Votes, or groups of equal ones."""

    left: Codes
    right: Codes
    share: Floats
    weight: Floats
    covariates: Floats  # (cell, covariate)
    n_systems: int
    davidson: bool

    @property
    def n_parameters(self) -> int:
        """Systems, covariates, and the parameter of ties."""
        return self.n_systems + self.covariates.shape[1] + self.davidson


class Moments(NamedTuple):
    """What the model expects of every cell."""

    residual: Floats  # (cell,): share less its mean
    variance: Floats
    tie_residual: Floats  # (cell,): tie less its probability; empty without a parameter of ties
    tie_variance: Floats
    tie_covariance: Floats
    likelihood: float


class VoteFit(NamedTuple):
    """The maximum of the likelihood."""

    parameters: Floats
    """Strengths of mean 0, coefficients, log of the parameter of ties. Shape (parameter,)."""
    bread: Floats
    """Inverse information; its rows and columns of strengths add up to 0. Shape (parameter, parameter)."""


def vote_cells(votes: Votes, *, davidson: bool) -> VoteCells:
    """Return one cell a pair of systems (and outcome, for Davidson's model); one a vote where there are covariates."""
    n = len(votes.systems)
    if votes.covariates:
        covariates = np.stack(list(votes.covariates.values()), axis=1)
        return VoteCells(votes.left, votes.right, votes.share, votes.weight, covariates, n, davidson)
    turned = votes.left > votes.right
    share = np.where(turned, 1.0 - votes.share, votes.share)
    key = np.where(turned, votes.right * n + votes.left, votes.left * n + votes.right)
    if davidson:  # a tie is an outcome of its own
        key = 3 * key + np.rint(2 * share).astype(np.int64)
    keys, cell = (None, key) if n * n <= _MOST_CELLS else np.unique(key, return_inverse=True)
    weight = np.bincount(cell, votes.weight)
    won = np.bincount(cell, votes.weight * share)
    nonempty = np.flatnonzero(weight > 0)
    pair = (nonempty if keys is None else keys[nonempty]) // (3 if davidson else 1)
    return VoteCells(
        pair // n,
        pair % n,
        won[nonempty] / weight[nonempty],
        weight[nonempty],
        np.empty((len(nonempty), 0)),
        n,
        davidson,
    )


def moments_of(cells: VoteCells, parameters: Floats) -> Moments:
    """Return what parameters expect of every cell."""
    n = cells.n_systems
    odds = parameters[cells.left] - parameters[cells.right]
    if k := cells.covariates.shape[1]:
        odds = odds + cells.covariates @ parameters[n : n + k]
    return moments_at(cells, odds, float(parameters[-1]))


def moments_at(cells: VoteCells, odds: Floats, log_tie: float) -> Moments:
    """Return what log odds, and under Davidson's model the log of the parameter of ties, expect of every cell."""
    if not cells.davidson:
        with np.errstate(over="ignore"):  # where a covariate parts wins from losses odds grow for ever
            mean = 1.0 / (1.0 + np.exp(-odds))
        likelihood = cells.weight @ (cells.share * odds - np.logaddexp(0.0, odds))
        none = np.empty(0)
        return Moments(cells.share - mean, mean * (1.0 - mean), none, none, none, float(likelihood))
    total = np.logaddexp(np.logaddexp(odds / 2, -odds / 2), log_tie)
    better, worse, tie = np.exp(odds / 2 - total), np.exp(-odds / 2 - total), np.exp(log_tie - total)
    middle, tied = (better - worse) / 2, cells.share == 0.5  # noqa: PLR2004 - a tie is half a win
    likelihood = cells.weight @ ((cells.share - 0.5) * odds + tied * log_tie - total)
    return Moments(
        cells.share - 0.5 - middle,
        (better + worse) / 4 - middle**2,
        tied - tie,
        tie * (1 - tie),
        -middle * tie,
        float(likelihood),
    )


def information(cells: VoteCells, moments: Moments, *, group: Codes | None = None, n_groups: int = 1) -> Floats:
    """Return the information of every group of cells, (group, parameter, parameter)."""
    n, size = cells.n_systems, cells.n_parameters
    group = np.zeros(len(cells.left), dtype=np.int64) if group is None else group
    weight = cells.weight * moments.variance
    matrices = np.zeros((n_groups, size, size))
    pairs = np.bincount((group * n + cells.left) * n + cells.right, weight, n_groups * n * n).reshape(n_groups, n, n)
    pairs = pairs + pairs.transpose(0, 2, 1)
    matrices[:, :n, :n] = -pairs
    matrices[:, np.arange(n), np.arange(n)] += pairs.sum(axis=2)
    columns = [(cells.covariates[:, column], weight) for column in range(cells.covariates.shape[1])]
    if cells.davidson:
        columns.append((np.ones(len(weight)), cells.weight * moments.tie_covariance))
    for parameter, (values, crossed) in enumerate(columns, start=n):
        product = crossed * values
        sums = [np.bincount(group * n + side, product, n_groups * n) for side in (cells.left, cells.right)]
        matrices[:, :n, parameter] = matrices[:, parameter, :n] = (sums[0] - sums[1]).reshape(n_groups, n)
    order, k = np.argsort(group, kind="stable"), cells.covariates.shape[1]
    bounds = np.append(0, np.cumsum(np.bincount(group, minlength=n_groups)))
    for matrix, first, last in zip(matrices, bounds, bounds[1:], strict=False):
        rows = order[first:last]
        values = cells.covariates[rows]
        matrix[n : n + k, n : n + k] = values.T @ (weight[rows, None] * values)
        if cells.davidson:
            crossed = (cells.weight * moments.tie_covariance)[rows]
            matrix[n : n + k, -1] = matrix[-1, n : n + k] = values.T @ crossed
    if cells.davidson:
        matrices[:, -1, -1] = np.bincount(group, cells.weight * moments.tie_variance, n_groups)
    return matrices


def scores_by(cells: VoteCells, residual: Floats, extra: Floats, group: Codes, n_groups: int) -> Floats:
    """Return the sums of scores of groups of cells, (group, parameter); `extra` as `extra_scores`."""
    n = cells.n_systems
    sides = [np.bincount(group * n + side, residual, n_groups * n) for side in (cells.left, cells.right)]
    system_scores = (sides[0] - sides[1]).reshape(n_groups, n)
    more = [np.bincount(group, extra[:, column], n_groups)[:, None] for column in range(extra.shape[1])]
    return np.hstack([system_scores, *more])


def extra_scores(cells: VoteCells, moments: Moments, weight: Floats) -> Floats:
    """Return what every cell adds to the scores of coefficients and of the parameter of ties, (cell, parameter)."""
    columns = [cells.covariates * (weight * moments.residual)[:, None]]
    if cells.davidson:
        columns.append((weight * moments.tie_residual)[:, None])
    return np.hstack(columns)


@in_one_order
def fit_votes(cells: VoteCells) -> VoteFit:
    """Maximise the likelihood of connected votes in which every system won and lost.

    Examples
    --------
    >>> from metaeval.table.votes import as_votes
    >>> rows = [{"left": "a", "right": "b", "winner": winner} for winner in ("a", "a", "a", "b")]
    >>> found = fit_votes(vote_cells(as_votes(rows), davidson=False)).parameters
    >>> round(float(found[0] - found[1]), 9) == round(float(np.log(3)), 9)
    True
    """
    n = cells.n_systems
    parameters = np.zeros(cells.n_parameters)
    nowhere = np.zeros(len(cells.left), dtype=np.int64)
    moments = moments_of(cells, parameters)
    for _ in range(_MOST_STEPS):
        extra = extra_scores(cells, moments, cells.weight)
        score = scores_by(cells, cells.weight * moments.residual, extra, nowhere, 1)[0]
        step = _solved(information(cells, moments)[0], score, n)
        for _ in range(_HALVINGS):
            ahead = moments_of(cells, parameters + step)
            if ahead.likelihood >= moments.likelihood - 1e-9 * abs(moments.likelihood):
                break
            step = step / 2
        parameters, moments = parameters + step, ahead
        if np.abs(step).max() < _STEP * max(1.0, float(np.abs(parameters).max())):
            parameters[:n] -= parameters[:n].mean()
            return VoteFit(parameters, _inverse(information(cells, moments)[0], n))
    _inverse(information(cells, moments)[0], n)
    raise EstimationError(
        "the likelihood of these votes has no maximum: a covariate, or the parameter of ties, parts all wins from all "
        "losses; leave it out"
    )


def _solved(found: Floats, score: Floats, n: int) -> Floats:
    """Return the step of Newton's method, which leaves the common level of the strengths."""
    level = np.zeros(len(found))
    level[:n] = n**-0.5
    try:
        return np.linalg.solve(found + float(found.diagonal()[:n].mean()) * np.outer(level, level), score)
    except np.linalg.LinAlgError:
        return _inverse(found, n) @ score  # which says what is wrong


def _inverse(found: Floats, n: int) -> Floats:
    """Return the inverse information on all parameters but the common level of the strengths."""
    level = np.zeros((len(found), 1))
    level[:n] = n**-0.5
    scale = float(found.diagonal()[:n].mean())
    try:
        full = np.linalg.inv(found + scale * level @ level.T)
    except np.linalg.LinAlgError:
        full = np.full_like(found, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):  # votes for one side alone have no information
        inverse = full - (level @ level.T) / scale
    bound = 1e12
    if not np.isfinite(inverse).all() or (inverse.diagonal() * found.diagonal() > bound).any():
        raise EstimationError(
            "the votes do not tell covariates from strengths: two covariates say the same, or one never changes"
        )
    return (inverse + inverse.T) / 2
