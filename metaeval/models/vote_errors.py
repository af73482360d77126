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

from metaeval.models.vote_model import Moments, VoteCells, VoteFit, extra_scores, information, moments_of, scores_by
from metaeval.running.compiled import compiled

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]

FEW_CLUSTERS = 50
"""With fewer the sandwich is CR2."""
_WHOLE = 1.0 - 1e-8
_NOTHING = 1e-9
"""Of the variance of independent votes: rounding."""


class Errors(NamedTuple):
    """A covariance of all parameters, and how well it is known."""

    covariance: Floats
    """Shape (parameter, parameter)."""
    freedom: Floats
    """Degrees of freedom of the difference of two parameters; the last row and column stand for 0. Shape (parameter +
    1, parameter + 1)."""
    alone: tuple[tuple[int, ...], ...] = ()
    """Groups of systems that one cluster alone compares with the others: of how the two differ, the error is that of
    independent votes."""
    scatter: Floats | None = None
    """Of two ways of clusters the covariance without its floor: no bound, but how estimates scatter on average."""


def independent_errors(cells: VoteCells, fit: VoteFit, *, counted: bool, moments: Moments | None = None) -> Errors:
    """Return errors as if every vote were independent: what peers print; `moments` as `clustered_errors`."""
    moments = moments or moments_of(cells, fit.parameters)
    weight = np.sqrt(cells.weight) if counted else cells.weight
    number = float(cells.weight.sum()) if counted else len(weight)
    meat, _ = _meat_of(cells, moments, weight, np.arange(len(weight)))
    factor = number / max(number - 1.0, 1.0)
    covariance = factor * fit.bread @ meat @ fit.bread
    return Errors(covariance, np.full((len(covariance) + 1,) * 2, max(number - 1.0, 1.0)))


def clustered_errors(
    cells: VoteCells, fit: VoteFit, clusters: Sequence[Codes], moments: Moments | None = None
) -> Errors:
    """Return errors by one or two ways of clusters; cells are single votes.

    `moments` are those of a model whose log odds are not linear, in the scale of its cells' covariates.

    Two ways add up, less the part that both share (Cameron, Gelbach and Miller, 2011), and no direction has less than
    by the larger of the two alone.
    """
    moments = moments or moments_of(cells, fit.parameters)
    ways = [_one_way(cells, moments, fit, codes) for codes in clusters]
    if len(ways) == 1:
        return ways[0]
    crossed = _plain(cells, moments, fit, clusters[0] * (int(clusters[1].max()) + 1) + clusters[1])
    n = cells.n_systems
    larger = max(ways, key=lambda way: float(way.covariance[:n, :n].trace()))
    smaller = next(way for way in ways if way is not larger)
    values, vectors = np.linalg.eigh(smaller.covariance - crossed)
    more = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return Errors(
        larger.covariance + more,
        np.minimum(ways[0].freedom, ways[1].freedom),
        tuple(sorted({*ways[0].alone, *ways[1].alone})),
        larger.covariance + smaller.covariance - crossed,
    )


def claims_certainty(clustered: Errors, independent: Errors, n_systems: int) -> bool:
    """Whether the difference of two strengths has no error by clusters and has one by independent votes.

    That is where every cluster says the same of the pair, however few they are.
    """
    by_clusters, by_votes = (
        _of_differences(errors.covariance[:n_systems, :n_systems]) for errors in (clustered, independent)
    )
    return bool((by_clusters <= _NOTHING * by_votes)[by_votes > _NOTHING * by_votes.max(initial=0.0)].any())


def _of_differences(covariance: Floats) -> Floats:
    variance = covariance.diagonal()
    return variance[:, None] + variance - 2 * covariance


def no_smaller(errors: Errors, least: Errors) -> Errors:
    """Return errors that are in no direction smaller than others."""
    values, vectors = np.linalg.eigh(least.covariance - errors.covariance)
    more = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return Errors(errors.covariance + more, np.minimum(errors.freedom, least.freedom), errors.alone)


def _one_way(cells: VoteCells, moments: Moments, fit: VoteFit, codes: Codes) -> Errors:
    n_clusters, n = int(codes.max()) + 1, cells.n_systems
    if n_clusters < FEW_CLUSTERS:
        return _bias_reduced(cells, moments, fit, codes, n_clusters)
    covariance = _plain(cells, moments, fit, codes)
    alone = _alone(cells, codes, n_clusters)
    for group in alone:  # their scores add up to 0 whatever happened, which is no certainty
        inside = np.isin(np.arange(len(covariance)), group)
        share = len(group) / n
        apart, contrast = np.where(inside, 1.0 / len(group), -1.0 / (n - len(group))), inside - share
        apart[n:] = contrast[n:] = 0.0
        covariance = covariance + apart @ fit.bread @ apart * np.outer(contrast, contrast)
    return Errors(covariance, np.full((len(covariance) + 1,) * 2, n_clusters - 1.0), alone)


def _plain(cells: VoteCells, moments: Moments, fit: VoteFit, codes: Codes) -> Floats:
    """Return the sandwich with G / (G - 1)."""
    meat, n_clusters = _meat_of(cells, moments, cells.weight, codes)
    return n_clusters / (n_clusters - 1.0) * fit.bread @ meat @ fit.bread


def _alone(cells: VoteCells, codes: Codes, n_clusters: int) -> tuple[tuple[int, ...], ...]:
    """Return the groups of systems that one cluster alone compares with the others.

    Pairs with votes in several clusters hold together whichever of them is taken away; of the parts that these make,
    every cluster that compares two by itself is taken away in turn.
    """
    n = cells.n_systems
    pair = np.minimum(cells.left, cells.right) * n + np.maximum(cells.left, cells.right)
    told = np.unique(pair * n_clusters + codes)
    pair, first, number = np.unique(told // n_clusters, return_index=True, return_counts=True)
    ends, cluster = np.stack([pair // n, pair % n]), told[first] % n_clusters
    part = _parts(ends[:, number > 1], n)
    apart = (number == 1) & (part[ends[0]] != part[ends[1]])
    ends, cluster, found = part[ends[:, apart]], cluster[apart], set()
    for one in np.unique(cluster).tolist():
        without = _parts(ends[:, cluster != one], int(part.max()) + 1)[part]
        sizes = np.bincount(without)
        found |= {
            tuple(np.flatnonzero(without == place).tolist())
            for place in np.delete(np.arange(len(sizes)), sizes.argmax())
        }
    return tuple(sorted(found))


def _parts(pairs: Codes, n: int) -> Codes:
    """Return the number of the part, of those that pairs (2, pair) hold together, that each of n is in."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - loads scipy
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - as above

    joined = coo_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), (n, n))
    return np.asarray(connected_components(joined, directed=False)[1])


def _meat_of(cells: VoteCells, moments: Moments, weight: Floats, codes: Codes) -> tuple[Floats, int]:
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
        for index in range(bounds[cluster], bounds[cluster + 1]):
            vote = order[index]
            first, second = left[vote], right[vote]
            sums[first] += residual[vote]
            sums[second] -= residual[vote]
            if not seen[first]:
                seen[first] = True
                touched[number] = first
                number += 1
            if not seen[second]:
                seen[second] = True
                touched[number] = second
                number += 1
            for column in range(n_extra):
                sums[n_systems + column] += extra[vote, column]
        for column in range(n_extra):
            touched[number] = n_systems + column
            number += 1
        for a in range(number):
            row, score = touched[a], sums[touched[a]]
            for b in range(a, number):
                column = touched[b]
                if row <= column:
                    meat[row, column] += score * sums[column]
                else:
                    meat[column, row] += score * sums[column]
        for a in range(number):
            sums[touched[a]] = 0.0
            seen[touched[a]] = False
    return meat


def _bias_reduced(cells: VoteCells, moments: Moments, fit: VoteFit, codes: Codes, n_clusters: int) -> Errors:
    """Return CR2 with Satterthwaite's degrees of freedom, in coordinates in which the information is 1."""
    size = cells.n_parameters
    root = _root(fit.bread)
    extra = extra_scores(cells, moments, cells.weight)
    scores = scores_by(cells, cells.weight * moments.residual, extra, codes, n_clusters) @ root
    shares = root @ information(cells, moments, group=codes, n_groups=n_clusters) @ root
    values, vectors = np.linalg.eigh(shares)
    values = np.clip(values, 0.0, 1.0)
    invertible = values < _WHOLE
    adjust = np.where(invertible, 1.0 / np.sqrt(np.where(invertible, 1.0 - values, 1.0)), 0.0)
    turned = np.einsum("gpk,gp->gk", vectors, scores) * adjust
    influence = np.einsum("gpk,gk->gp", vectors, turned)
    covariance = influence.T @ influence
    directions = vectors.transpose(0, 2, 1)[~invertible]  # directions that one cluster alone tells of
    covariance = root @ (covariance + directions.T @ directions) @ root
    columns = np.hstack([root, np.zeros((size, 1))])
    moved = np.einsum("gpk,gk,gqk->gpq", vectors, values * adjust, vectors) @ columns  # (cluster, axis, parameter)
    squares = np.einsum("gpk,gk,gqk->gpq", vectors, values * adjust**2, vectors)
    diagonal_terms = columns.T @ squares @ columns
    trace, norm = np.zeros((size + 1, size + 1)), np.zeros((size + 1, size + 1))
    for first in range(n_clusters):
        for second in range(first, n_clusters):
            product = (diagonal_terms[first] if first == second else 0.0) - moved[first].T @ moved[second]
            apart = product.diagonal()[:, None] + product.diagonal() - product - product.T
            trace += apart if first == second else 0.0
            norm += apart**2 * (1 if first == second else 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(norm > 0, trace**2 / norm, n_clusters - 1.0)
    return Errors(covariance, np.clip(freedom, 1.0, None), _alone(cells, codes, n_clusters))


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
