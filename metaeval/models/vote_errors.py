r"""Cluster-robust covariance of strengths, one-way (by question or voter) and two-way.

With the score :math:`s_g` of a cluster, its information :math:`I_g` and :math:`B = (\sum I_g)^{-1}`, the sandwich is
:math:`V = \frac{G}{G - 1} B (\sum_g s_g s_g') B`. With fewer than fifty clusters it is CR2 instead: what a cluster adds
becomes :math:`B^{1/2} (I - M_g)^{-1/2} B^{1/2} s_g` with :math:`M_g = B^{1/2} I_g B^{1/2}`, which needs no more of the
votes than the two sums, and every pair has Satterthwaite's degrees of freedom.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.models.vote_model import Cells, Fit, Moments, extra_scores, information, moments_of, scores_by
from metaeval.running.compiled import compiled

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]

FEW_CLUSTERS = 50
"""With fewer the sandwich is CR2."""
_WHOLE = 1.0 - 1e-8
_MANY = 1e6


class Errors(NamedTuple):
    """A covariance of all parameters, and how well it is known."""

    covariance: Floats
    """Shape (parameter, parameter)."""
    freedom: Floats
    """Degrees of freedom of the difference of two parameters; the last row and column stand for 0. Shape (parameter +
    1, parameter + 1)."""
    alone: tuple[int, ...] = ()
    """Systems that one cluster alone tells of: their error is that of independent votes."""


def independent_errors(cells: Cells, fit: Fit, *, counted: bool) -> Errors:
    """Return errors as if every vote were independent: what peers print."""
    moments = moments_of(cells, fit.parameters)
    weight = np.sqrt(cells.weight) if counted else cells.weight
    number = float(cells.weight.sum()) if counted else len(weight)
    meat, _ = _meat_of(cells, moments, weight, np.arange(len(weight)))
    factor = number / max(number - 1.0, 1.0)
    covariance = factor * fit.bread @ meat @ fit.bread
    return Errors(covariance, np.full((len(covariance) + 1,) * 2, max(number - 1.0, 1.0)))


def clustered_errors(cells: Cells, fit: Fit, clusters: Sequence[Codes]) -> Errors:
    """Return errors by one or two ways of clusters; cells are single votes.

    Two ways add up, less the part that both share (Cameron, Gelbach and Miller, 2011), and no direction has less than
    by the larger of the two alone.
    """
    moments = moments_of(cells, fit.parameters)
    ways = [_one_way(cells, moments, fit, codes) for codes in clusters]
    if len(ways) == 1:
        return ways[0]
    both = _plain(cells, moments, fit, clusters[0] * (int(clusters[1].max()) + 1) + clusters[1])
    n = cells.n_systems
    larger = max(ways, key=lambda way: float(way.covariance[:n, :n].trace()))
    other = next(way for way in ways if way is not larger)
    values, vectors = np.linalg.eigh(other.covariance - both)
    more = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return Errors(
        larger.covariance + more,
        np.minimum(ways[0].freedom, ways[1].freedom),
        tuple(sorted({*ways[0].alone, *ways[1].alone})),
    )


def _one_way(cells: Cells, moments: Moments, fit: Fit, codes: Codes) -> Errors:
    n_clusters, n = int(codes.max()) + 1, cells.n_systems
    if n_clusters < FEW_CLUSTERS:
        return _bias_reduced(cells, moments, fit, codes, n_clusters)
    covariance = _plain(cells, moments, fit, codes)
    alone = _alone(cells, codes, n_clusters)
    for system in alone:  # its scores add up to 0 whatever happened, which is no certainty
        own = np.zeros(len(covariance))
        own[system] = 1.0
        own[:n] -= 1.0 / n
        covariance = covariance + fit.bread[system, system] * np.outer(own, own)
    return Errors(covariance, np.full((len(covariance) + 1,) * 2, n_clusters - 1.0), alone)


def _plain(cells: Cells, moments: Moments, fit: Fit, codes: Codes) -> Floats:
    """Return the sandwich with G / (G - 1)."""
    meat, n_clusters = _meat_of(cells, moments, cells.weight, codes)
    return n_clusters / (n_clusters - 1.0) * fit.bread @ meat @ fit.bread


def _alone(cells: Cells, codes: Codes, n_clusters: int) -> tuple[int, ...]:
    """Return the systems whose votes are all in one cluster."""
    first = np.full(cells.n_systems, n_clusters)
    last = np.full(cells.n_systems, -1)
    for side in (cells.left, cells.right):
        np.minimum.at(first, side, codes)
        np.maximum.at(last, side, codes)
    return tuple(np.flatnonzero(first == last).tolist())


def _meat_of(cells: Cells, moments: Moments, weight: Floats, codes: Codes) -> tuple[Floats, int]:
    """Return the sum of squares of the clusters' scores, (parameter, parameter), and the number of clusters."""
    order = np.argsort(codes, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(codes[order], prepend=-1)), len(codes))
    extra = np.ascontiguousarray(extra_scores(cells, moments, weight))
    upper = _meat(order, bounds, cells.left, cells.right, weight * moments.residual, extra, cells.n_systems)
    return upper + upper.T - np.diag(upper.diagonal()), len(bounds) - 1


@compiled
def _meat(  # noqa: C901, PLR0913, PLR0917 - a kernel takes arrays, by position
    order: Codes, bounds: Codes, left: Codes, right: Codes, residual: Floats, extra: Floats, n_systems: int
) -> Floats:
    """Return the upper triangle of the sum over clusters of the outer product of each one's score."""
    n_extra = extra.shape[1]
    size = n_systems + n_extra
    meat = np.zeros((size, size))
    sums = np.zeros(size)
    seen = np.zeros(size, dtype=np.bool_)
    touched = np.empty(size, dtype=np.int64)
    for cluster in range(len(bounds) - 1):
        number = 0
        for place in range(bounds[cluster], bounds[cluster + 1]):
            vote = order[place]
            one, other = left[vote], right[vote]
            sums[one] += residual[vote]
            sums[other] -= residual[vote]
            if not seen[one]:
                seen[one] = True
                touched[number] = one
                number += 1
            if not seen[other]:
                seen[other] = True
                touched[number] = other
                number += 1
            for column in range(n_extra):
                sums[n_systems + column] += extra[vote, column]
        for column in range(n_extra):
            touched[number] = n_systems + column
            number += 1
        for a in range(number):
            row, own = touched[a], sums[touched[a]]
            for b in range(a, number):
                column = touched[b]
                if row <= column:
                    meat[row, column] += own * sums[column]
                else:
                    meat[column, row] += own * sums[column]
        for a in range(number):
            sums[touched[a]] = 0.0
            seen[touched[a]] = False
    return meat


def _bias_reduced(cells: Cells, moments: Moments, fit: Fit, codes: Codes, n_clusters: int) -> Errors:
    """Return CR2 with Satterthwaite's degrees of freedom, in coordinates in which the information is 1."""
    n, size = cells.n_systems, cells.n_parameters
    root = _root(fit.bread)
    extra = extra_scores(cells, moments, cells.weight)
    scores = scores_by(cells, cells.weight * moments.residual, extra, codes, n_clusters) @ root
    shares = root @ information(cells, moments, group=codes, n_groups=n_clusters) @ root
    values, vectors = np.linalg.eigh(shares)
    values = np.clip(values, 0.0, 1.0)
    known = values < _WHOLE
    adjust = np.where(known, 1.0 / np.sqrt(np.where(known, 1.0 - values, 1.0)), 0.0)
    turned = np.einsum("gpk,gp->gk", vectors, scores) * adjust
    influence = np.einsum("gpk,gk->gp", vectors, turned)
    covariance = influence.T @ influence
    whole = vectors.transpose(0, 2, 1)[~known]  # directions that one cluster alone tells of
    covariance = root @ (covariance + whole.T @ whole) @ root
    columns = np.hstack([root, np.zeros((size, 1))])
    moved = np.einsum("gpk,gk,gqk->gpq", vectors, values * adjust, vectors) @ columns  # (cluster, axis, parameter)
    squares = np.einsum("gpk,gk,gqk->gpq", vectors, values * adjust**2, vectors)
    own = columns.T @ squares @ columns
    trace, norm = np.zeros((size + 1, size + 1)), np.zeros((size + 1, size + 1))
    for one in range(n_clusters):
        for other in range(one, n_clusters):
            product = (own[one] if one == other else 0.0) - moved[one].T @ moved[other]
            apart = product.diagonal()[:, None] + product.diagonal() - product - product.T
            trace += apart if one == other else 0.0
            norm += apart**2 * (1 if one == other else 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(norm > 0, trace**2 / norm, n_clusters - 1.0)
    alone = tuple(np.flatnonzero((whole @ root[:, :n] > _MANY**-1).any(axis=0)).tolist()) if len(whole) else ()
    return Errors(covariance, np.clip(freedom, 1.0, None), alone)


def _root(square: Floats) -> Floats:
    """Return the symmetric root of a covariance."""
    values, vectors = np.linalg.eigh(square)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def inflation(clustered: Floats, independent: Floats) -> float:
    """Return how many times larger errors are than those of independent votes: the median over the systems.

    Examples
    --------
    >>> inflation(np.diag([4.0, 9.0, 4.0]), np.eye(3))
    2.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(clustered.diagonal() / independent.diagonal())
    return float(np.median(ratio[np.isfinite(ratio)])) if np.isfinite(ratio).any() else 1.0
