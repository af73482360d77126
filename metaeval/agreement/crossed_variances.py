"""Components of variance of a table of systems x judges x items, with clusters of items, repeats and gaps: arrays only.

A score belongs to a level (all items, a cluster, one item) and there to a profile of systems and judges. So a component
is a level and a part of the profile: its mean, systems, judges, or systems x judges. `analysed` solves the mean squares
of a whole table; `fitted` maximises the restricted likelihood of one with gaps. In both the items, given what all of
them share, are independent, so that everything is products of matrices over systems and judges.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.running.equality import centred
from metaeval.running.parallel import in_one_order

type Whole = Ints
Level = Literal["top", "cluster", "item", "cell"]
Part = Literal["mean", "system", "judge", "both"]

LEVELS: tuple[Level, ...] = ("top", "cluster", "item")
PARTS: tuple[Part, ...] = ("mean", "system", "judge", "both")
_LEAST_SHARE = 1e-9
_STEP = 1e-4
_FEWEST_FOR_SPREAD = 5
_LONGEST_TAIL = 1.5
"""Half of what an exponential distribution adds: few terms would otherwise leave no degree of freedom."""


class Effect(NamedTuple):
    """A source of variance."""

    level: Level
    part: Part


REPEAT = Effect("cell", "both")
"""The scores of one system on one item by one judge."""


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Scores in cells, and which sources of variance there are."""

    mean: Floats
    """Mean of each cell (system, judge, item), 0 where it is empty."""
    size: Floats
    """Mean absolute score of each cell."""
    n: Floats
    """Scores in each cell."""
    within: float
    """Sum of squares within cells."""
    clusters: Whole
    """Cluster of every item, from 0; all of their own where there are none."""
    effects: tuple[Effect, ...]
    """From the coarsest to the finest; the last is the residual."""

    @property
    def whole(self) -> bool:
        """Whether every cell has as many scores as any other, and every cluster as many items."""
        sizes = np.bincount(self.clusters)
        return bool(self.n.min() == self.n.max() and sizes.min() == sizes.max())


class Strata(NamedTuple):
    """Mean squares with what they expect."""

    mean_squares: Floats
    freedom: Floats
    """Degrees of freedom."""
    spread: Floats
    """Degrees of freedom of a normal mean square that varies as this one does, by the spread of its terms."""
    expected: Floats
    """(stratum, component): the coefficients of the expected mean squares."""


class VarianceFit(NamedTuple):
    """Components of variance."""

    estimates: Floats
    """One an effect; of mean squares some may be below 0."""
    strata: Strata
    rounds: int
    """Values of the likelihood that the fit took; 0 for mean squares."""


def crossing(values: Floats, *, clusters: Whole | None, nested: bool, in_item: bool) -> Crossing:
    """Sort scores (system, judge, item, repeat) into cells; `in_item`: the judges are passes of their own on each item.

    Repeats are nested in cells.
    """
    scored = np.isfinite(values).any(axis=(0, 1, 3))
    if not scored.all():
        values, clusters = values[:, :, scored], clusters if clusters is None else clusters[scored]
    observed = np.isfinite(values)
    n = observed.sum(axis=3).astype(np.float64)
    filled = np.where(observed, values, 0.0)
    with np.errstate(invalid="ignore"):
        mean, size = (np.nan_to_num(cells.sum(axis=3) / n) for cells in (filled, np.abs(filled)))
    apart = np.where(observed, filled - mean[..., None], 0.0)
    apart[np.abs(apart) <= 1e-12 * (np.abs(filled) + size[..., None])] = 0.0
    groups = np.arange(values.shape[2]) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    repeated = bool(n.max() > 1)
    levels: tuple[Level, ...] = ("top", "cluster", "item") if nested else ("top", "item")
    parts: tuple[Part, ...] = PARTS if values.shape[1] > 1 else ("mean", "system")
    effects = [
        Effect(level, part)
        for level in levels
        for part in parts
        if (level, part) != ("top", "mean") and not (in_item and level != "item" and part in {"judge", "both"})
    ]
    return Crossing(
        mean=mean,
        size=size,
        n=n,
        within=float(np.square(apart).sum()),
        clusters=groups.astype(np.int64),
        effects=(*effects, *([REPEAT] if repeated else ())),
    )


def solved(crossed: Crossing) -> VarianceFit:
    """Return the components: by mean squares where the table is whole, else by restricted maximum likelihood."""
    return analysed(crossed) if crossed.whole else fitted(crossed)


@in_one_order
def analysed(crossed: Crossing) -> VarianceFit:
    """Solve the mean squares of a whole table for the components."""
    strata = _strata(crossed)
    return VarianceFit(np.linalg.solve(strata.expected, strata.mean_squares), strata, 0)


@in_one_order
def fitted(crossed: Crossing) -> VarianceFit:
    """Maximise the restricted likelihood of the components, which are 0 at least."""
    from scipy.optimize import minimize  # noqa: PLC0415 - loads a second of SciPy that most callers never need

    strata = _strata(crossed)
    started = np.linalg.solve(strata.expected, strata.mean_squares)
    total = float(np.maximum(started, 0.0).sum())
    likelihood = _Likelihood(crossed, total)
    scale = np.sqrt(np.maximum(strata.freedom, 1.0) / 2.0)
    start = np.log(np.maximum(started / total, 1e-3)) * scale
    bounds = [(np.log(_LEAST_SHARE) * point, np.log(1e3) * point) for point in scale]

    def value_and_slope(asked: Floats) -> tuple[float, Floats]:
        # a step of 1 is about a standard error, so that the slope of a short step is exact enough
        value, *others = (likelihood(np.exp(point / scale)) for point in (asked, *(asked + _STEP * np.eye(len(asked)))))
        return value, (np.array(others) - value) / _STEP

    settings = {"maxiter": 200, "ftol": 1e-13, "gtol": 1e-3}
    solution = minimize(value_and_slope, start, jac=True, method="L-BFGS-B", bounds=bounds, options=settings)
    shares = np.exp(solution.x / scale)
    best = float(solution.fun)
    for index in np.argsort(shares[:-1]):
        without = shares.copy()
        without[index] = 0.0
        if shares[index] < 1e-4 and likelihood(without) <= best + 1e-6:  # noqa: PLR2004 - at the limit
            shares = without
    estimates = shares * total
    return VarianceFit(estimates, strata._replace(mean_squares=strata.expected @ estimates), likelihood.rounds)


class _Likelihood:
    """Minus twice the restricted log likelihood of a table with gaps, less a constant, by shares of its variance."""

    def __init__(self, crossed: Crossing, total: float) -> None:
        self._crossed = crossed
        order = np.argsort(crossed.clusters, kind="stable")
        self._n = np.ascontiguousarray(crossed.n[:, :, order])
        centre = crossed.mean[crossed.n > 0].mean()
        self._values = np.where(self._n > 0, (crossed.mean[:, :, order] - centre) / np.sqrt(total), 0.0)
        self._within = crossed.within / total
        nested = any(effect.level == "cluster" for effect in crossed.effects)
        sizes = np.bincount(crossed.clusters) if nested else [self._n.shape[2]]
        self._blocks = [slice(end - size, end) for end, size in zip(np.cumsum(sizes), sizes, strict=True)]
        self._nested = nested
        self.rounds = 0

    def __call__(self, variances: Floats) -> float:
        self.rounds += 1
        variance_of = dict(zip(self._crossed.effects, variances.tolist(), strict=True))
        n_systems, n_judges, _ = self._n.shape
        there = self._n > 0
        item_variance, repeat = (
            variance_of.get(Effect("item", "both" if n_judges > 1 else "system"), 0.0),
            variance_of.get(REPEAT),
        )
        per_score = item_variance if repeat is None else repeat
        inverse = item_variance * (repeat is not None) * self._n + per_score
        weight = self._n / inverse
        constant = float(np.log(inverse[there] / self._n[there]).sum())
        if repeat is not None:
            spare = float(self._n[there].sum() - there.sum())
            constant += spare * np.log(repeat) + self._within / repeat
        information = np.zeros((n_systems * n_judges,) * 2)
        score = np.zeros(n_systems * n_judges)
        of_cluster = _profile(variance_of, "cluster", n_systems, n_judges)
        for block in self._blocks:
            parts = (_one_system if n_judges == 1 else _several_judges)(
                weight[:, :, block], self._values[:, :, block], variance_of
            )
            if self._nested:
                parts = _widened(parts, of_cluster)
            information += parts.information
            score += parts.score
            constant += parts.constant
        parts = _widened(_Parts(information, score, constant), _profile(variance_of, "top", n_systems, n_judges))
        precision, mean = parts.information.sum(), parts.score.sum()
        return float(parts.constant + np.log(precision) - mean**2 / precision)


class _Parts(NamedTuple):
    """What a group of items says of the profile: information, score, and a constant of the likelihood."""

    information: Floats
    score: Floats
    constant: float


def _one_system(weight: Floats, values: Floats, given: Mapping[Effect, float]) -> _Parts:
    """Sum over items what they say of the systems, where there is one judge."""
    weight, values = weight[:, 0], values[:, 0]
    item = given[Effect("item", "mean")]
    total = weight.sum(axis=0)
    shrunk = item / (1.0 + item * total)
    pulled = weight * values
    sums = pulled.sum(axis=0)
    information = -(weight * shrunk) @ weight.T
    information[np.diag_indices_from(information)] += weight.sum(axis=1)
    score = pulled.sum(axis=1) - weight @ (shrunk * sums)
    constant = np.log1p(item * total).sum() + (pulled * values).sum() - (shrunk * sums**2).sum()
    return _Parts(information, score, float(constant))


def _several_judges(weight: Floats, values: Floats, given: Mapping[Effect, float]) -> _Parts:
    """Sum over items what they say of the profile of systems and judges."""
    n_systems, n_judges, n_items = weight.shape
    of_system, judge = given.get(Effect("item", "system"), 0.0), given.get(Effect("item", "judge"), 0.0)
    total = weight.sum(axis=1)
    shrunk = of_system / (1.0 + of_system * total)
    pulled = weight * values
    sums = pulled.sum(axis=1)
    score = pulled - weight * (shrunk * sums)[:, None]
    constant = np.log1p(of_system * total).sum() + (pulled * values).sum() - (shrunk * sums**2).sum()
    # of every item: what systems, its own effects taken out, say of its judges
    seen = -np.einsum("sji,ski,si->ijk", weight, weight, shrunk, optimize=True)
    places = np.arange(n_judges)
    seen[:, places, places] += weight.sum(axis=0).T
    covariance = np.full((n_judges, n_judges), given[Effect("item", "mean")]) + judge * np.eye(n_judges)
    mixed = np.eye(n_judges) + seen @ covariance
    taken = np.linalg.solve(np.swapaxes(mixed, 1, 2), np.broadcast_to(covariance, seen.shape))
    taken = (taken + np.swapaxes(taken, 1, 2)) / 2.0
    by_judge = score.sum(axis=0).T
    pull = np.einsum("ijk,ik->ij", taken, by_judge)
    constant += np.linalg.slogdet(mixed)[1].sum() - (pull * by_judge).sum()
    shared = -weight[:, :, None] * (shrunk[:, None] * weight)[:, None]
    shared[:, places, places] += weight
    wide = np.ascontiguousarray(shared.transpose(0, 1, 3, 2)).reshape(n_systems * n_judges, n_items, n_judges)
    values_of, vectors = np.linalg.eigh(taken)
    root = vectors * np.sqrt(np.maximum(values_of, 0.0))[:, None]
    half = np.einsum("pij,ijk->pik", wide, root, optimize=True).reshape(n_systems * n_judges, -1)
    information = -(half @ half.T)  # of a matrix with itself: half the work
    blocks = information.reshape(n_systems, n_judges, n_systems, n_judges)
    systems = np.arange(n_systems)
    blocks[systems, :, systems, :] += shared.sum(axis=3)
    profile_score = score.sum(axis=2).ravel() - wide.reshape(n_systems * n_judges, -1) @ pull.ravel()
    return _Parts(information, profile_score, float(constant))


def _profile(given: Mapping[Effect, float], level: Level, n_systems: int, n_judges: int) -> Floats:
    """Return the covariance of a level's effects on the profile."""
    mean, system, judge, interaction = (given.get(Effect(level, part), 0.0) for part in PARTS)
    of_systems, of_judges = np.eye(n_systems), np.eye(n_judges)
    alike = np.ones((n_judges, n_judges))
    shared = np.kron(np.ones((n_systems, n_systems)), mean * alike + judge * of_judges)
    return shared + np.kron(of_systems, system * alike + interaction * of_judges)


def _widened(parts: _Parts, covariance: Floats) -> _Parts:
    """Return what the parts say once effects with this covariance lie between."""
    mixed = np.eye(len(covariance)) + parts.information @ covariance
    solution = np.linalg.solve(mixed, np.column_stack([parts.information, parts.score]))
    information, score = solution[:, :-1], solution[:, -1]
    constant = parts.constant + np.linalg.slogdet(mixed)[1] - parts.score @ covariance @ score
    return _Parts((information + information.T) / 2.0, score, float(constant))


def _strata(crossed: Crossing) -> Strata:
    """Return the mean squares of a table; empty cells hold what systems, judges and items add up to."""
    n_systems, n_judges, n_items = crossed.mean.shape
    there, sizes = crossed.n > 0, np.bincount(crossed.clusters)
    nested = any(term.level == "cluster" for term in crossed.effects)
    levels = _levels(crossed, sizes if nested else None)
    free_of_level = {"top": 1.0, "cluster": len(sizes) - 1.0, "item": n_items - (len(sizes) if nested else 1.0)}
    free_of_part = dict(
        zip(PARTS, (1.0, n_systems - 1.0, n_judges - 1.0, (n_systems - 1.0) * (n_judges - 1.0)), strict=True)
    )
    margins = n_items + n_systems * n_judges - 1
    filled = (there.sum() - margins) / max(there.size - margins, 1)
    repeats = len(crossed.n[there]) / (1.0 / crossed.n[there]).sum()
    rows = []
    for effect in crossed.effects:
        if effect == REPEAT:
            free = float(crossed.n.sum() - there.sum())
            rows.append((crossed.within / free, free, free))
            continue
        terms, free = [], 0.0
        for level in _pooled(effect, crossed.effects):
            terms.append(_part(*levels[level], effect.part))
            free += free_of_level[level] * free_of_part[effect.part]
        if effect.level == "item" and effect.part != "mean":
            free = max(free * filled, 1.0)
        square = (
            _times(effect.part, n_systems, n_judges) * repeats * sum(float(np.square(term).sum()) for term in terms)
        )
        rows.append((square / free, free, free / max(_excess(term) for term in terms)))
    expected = _expected(crossed, sizes if nested else None, repeats)
    squares, freedom, spread = np.array(rows).T
    return Strata(squares, freedom, spread, expected)


def _pooled(effect: Effect, effects: tuple[Effect, ...]) -> list[Level]:
    """Return the levels whose terms an effect's mean square has: coarser ones join where they are no effect."""
    coarser = [level for level in LEVELS[: LEVELS.index(effect.level)] if level != "cluster" or _has_clusters(effects)]
    joined = [level for level in coarser if effect.part != "mean" and Effect(level, effect.part) not in effects]
    return [*joined, effect.level]


def _has_clusters(effects: tuple[Effect, ...]) -> bool:
    return any(effect.level == "cluster" for effect in effects)


def _levels(crossed: Crossing, sizes: Whole | None) -> dict[Level, tuple[Floats, Floats]]:
    """Return by level what its means are apart from the coarser ones, times the root of their items, with sizes."""
    cells, size = _filled(crossed)
    cells = cells - cells.mean()  # no effect: of scores far from 0 it would take the digits of their differences
    n_items = cells.shape[2]
    top, top_size = (table.mean(axis=2, keepdims=True) for table in (cells, size))
    levels: dict[Level, tuple[Floats, Floats]] = {"top": (top * np.sqrt(n_items), top_size * np.sqrt(n_items))}
    if sizes is None:
        levels["item"] = centred(cells, size, axis=2)
        return levels
    means, mean_size = (_by_cluster(table, crossed.clusters, sizes) for table in (cells, size))
    root = np.sqrt(sizes)
    levels["cluster"] = ((means - top) * root, (mean_size + top_size) * root)
    levels["item"] = (cells - means[:, :, crossed.clusters], size + mean_size[:, :, crossed.clusters])
    return levels


def _by_cluster(values: Floats, clusters: Whole, sizes: Whole) -> Floats:
    """Return the mean over the items of each cluster."""
    one_hot = np.zeros((len(clusters), len(sizes)))
    one_hot[np.arange(len(clusters)), clusters] = 1.0 / sizes[clusters]
    return values @ one_hot


def _filled(crossed: Crossing) -> tuple[Floats, Floats]:
    """Return the cells, and their sizes; an empty one holds the sum of its margins."""
    there = crossed.n > 0
    if there.all():
        return crossed.mean, crossed.size
    cells = np.where(there, crossed.mean, crossed.mean[there].mean())
    for _ in range(20):
        fit = cells.mean(axis=2, keepdims=True) + cells.mean(axis=(0, 1)) - cells.mean()
        cells = np.where(there, crossed.mean, fit)
    return cells, np.where(there, crossed.size, np.abs(cells))


def _part(values: Floats, size: Floats, part: Part) -> Floats:
    """Return the terms of one part of the profile."""
    for axis, inside in ((0, part in {"system", "both"}), (1, part in {"judge", "both"})):
        if inside:
            values, size = centred(values, size, axis=axis)
        else:
            values, size = (table.mean(axis=axis, keepdims=True) for table in (values, size))
    return np.where(np.abs(values) <= 1e-13 * size, 0.0, values)


def _times(part: Part, n_systems: float, n_judges: float) -> float:
    """Return how many cells of a profile one term of a part stands for."""
    return (1.0 if part in {"system", "both"} else n_systems) * (1.0 if part in {"judge", "both"} else n_judges)


def _excess(terms: Floats) -> float:
    """Return by what factor the variance of a sum of squares exceeds that of normal terms, 1 at least.

    Terms along one axis: from their kurtosis, less its bias. Along several, the sums of squares along each are taken
    for independent. What is above normal counts twice, since few terms show little of a long tail.
    """
    squares = np.square(terms)
    total = squares.sum()
    lengths = [length for length in terms.shape if length > 1]
    if not total or not lengths:
        return 1.0
    free = float(np.prod([length - 1.0 for length in lengths]))
    above = 0.0
    for axis, n in enumerate(terms.shape):
        if n < _FEWEST_FOR_SPREAD:
            continue
        axis_sums = squares.sum(axis=tuple(dim for dim in range(terms.ndim) if dim != axis))
        if len(lengths) > 1:
            above += max(float(n * axis_sums.var(ddof=1) * free / (2.0 * total**2)) - 1.0, 0.0)
        else:
            kurtosis = float(n * np.square(axis_sums).sum() / total**2) - 3.0
            unbiased = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * kurtosis + 6.0)
            above += min(max(unbiased * (n - 1) / (2.0 * n), 0.0), _LONGEST_TAIL)
    return 1.0 + 2.0 * above


def _expected(crossed: Crossing, sizes: Whole | None, repeats: float) -> Floats:
    """Return the coefficients of the expected mean squares; with gaps, of harmonic means of the numbers of cells."""
    n_systems, n_judges, n_items = crossed.n.shape
    there = crossed.n > 0
    by_system = n_systems / (1.0 / there.sum(axis=(1, 2))).sum() / n_judges
    by_item = n_items / (1.0 / there.sum(axis=(0, 1))).sum() / n_judges
    share = by_system / n_items
    of_stratum = {"top": by_system, "item": 1.0}
    shared = of_stratum.copy()
    if sizes is not None:
        shared["cluster"] = float(np.square(sizes).sum()) / n_items * share
        of_stratum["cluster"] = (n_items - float(np.square(sizes).sum()) / n_items) / (len(sizes) - 1) * share
    rows = []
    for stratum in crossed.effects:
        row = []
        for component in crossed.effects:
            if component == REPEAT:
                row.append(1.0)
                continue
            inside = stratum != REPEAT and (
                LEVELS.index(stratum.level) <= LEVELS.index(component.level)
                and component.part in {stratum.part, "both", *(PARTS if stratum.part == "mean" else ())}
            )
            items = of_stratum[component.level] if stratum.level == component.level else shared[component.level]
            times = _times(component.part, by_item, n_judges)
            row.append(items * times * repeats if inside else 0.0)
        rows.append(row)
    return np.array(rows)
