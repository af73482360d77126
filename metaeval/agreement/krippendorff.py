"""Krippendorff's alpha: how far any number of judges agree, some of whom may have skipped items."""

from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd
from scipy.special import gammaln

from metaeval.agreement.chance import Dealt, ends_and_chance
from metaeval.agreement.drawn_intervals import ends_of, left_out_spread, reach
from metaeval.agreement.label_statistics import topics_by_content
from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats, Ints
from metaeval.errors import UnknownNameError
from metaeval.running.draws import standard_deviation

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)
ENOUGH = (0.667, 0.8)
"""Alpha for tentative conclusions, and for firm ones (Krippendorff, 2004)."""
_MOST_WAYS = 20_000
_MOST_DEALT = 500
"""Labels that are dealt whatever alpha is; of more only where alpha may be chance."""
_DEALS, _CELLS = 10_000, 5_000_000
_FIRST, _FAR = 200, 8.0
"""Deals of many labels that show how far from chance alpha is, and how many of their standard deviations are far."""


def levels_of(labels: Labels) -> tuple[Level, ...]:
    """Return the levels of measurement that labels may be taken at."""
    return LEVELS if labels.ordered else LEVELS[:1]


def coincidences(labels: Labels, *, topics: Sequence[str]) -> Floats:
    """Return Krippendorff's coincidence matrix of every topic, shape (topic, label, label).

    An item with m labels, m at least 2, adds 1/(m - 1) for every ordered pair of labels by different judges.
    """
    counts = _counted(labels)
    position = pd.Index(topics).get_indexer(labels.table.index.get_level_values("topic"))
    return np.stack([_summed(counts[position == index]) for index in range(len(topics))])


def _counted(labels: Labels) -> Floats:
    """Count how often each label was given to every item. Shape (item, label)."""
    scale = np.array(labels.scale, dtype=np.float64)
    return np.asarray((labels.table.to_numpy()[:, :, None] == scale).sum(axis=1), dtype=np.float64)


def _summed(given: Floats) -> Floats:
    """Return the coincidence matrix of items that were given each label so often. Shape of `given`: (item, label)."""
    m = given.sum(axis=1)
    weighted = given * np.where(m > 1, 1.0 / np.maximum(m - 1, 1), 0.0)[:, None]
    return np.asarray(weighted.T @ given - np.diag(weighted.sum(axis=0)))


def krippendorff_alpha(coincidence: Floats, scale: Sequence[float], *, level: Level = "ordinal") -> Floats:
    r"""Return Krippendorff's alpha of coincidence matrices (..., k, k).

    Shapes: `coincidence` (..., k, k).

    Notes
    -----
    :math:`\alpha = 1 - (n - 1) \sum o_{ck} \delta_{ck} / \sum n_c n_k \delta_{ck}` [1]_; NaN where only one label was
    given.

    References
    ----------
    .. [1] Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.

    Examples
    --------
    >>> round(float(krippendorff_alpha(np.array([[4.0, 1.0], [1.0, 2.0]]), (0, 1), level="nominal")), 4)
    0.5333
    """
    total = coincidence.sum(axis=-1)
    n = total.sum(axis=-1)
    distance = _distances(_positions(total, np.array(scale, dtype=np.float64), level))
    observed = (coincidence * distance).sum(axis=(-2, -1)) * (n - 1)
    expected = (total[..., :, None] * total[..., None, :] * distance).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1.0 - observed / expected, np.nan)


def alpha_of(labels: Labels, judges: Collection[str | None], *, fewest: int = 3) -> float:
    """Return Krippendorff's alpha of some judges, ordinal where labels are ordered; NaN of few, as a pair is."""
    names = [name for name in labels.judges if name in judges]
    if len(names) < fewest:
        return float("nan")
    counted = _summed(_counted(replace(labels, table=labels.table[names])))
    return float(krippendorff_alpha(counted, labels.scale, level="ordinal" if labels.ordered else "nominal"))


def _positions(total: Floats, scale: Floats, level: Level) -> Floats:
    """Return where labels lie, (..., label, dimension), so that their squared distances are those of the level."""
    match level:
        case "nominal":
            return np.eye(len(scale)) / np.sqrt(2.0)
        case "interval":
            return scale[:, None]
        case "ordinal":
            return np.asarray(np.cumsum(total, axis=-1) - total / 2)[..., None]
    raise UnknownNameError("level of measurement", str(level), LEVELS)


def _distances(positions: Floats) -> Floats:
    apart = positions[..., :, None, :] - positions[..., None, :, :]
    return np.asarray((apart**2).sum(axis=-1))


def _least_alpha(coincidence: Floats, scale: Floats, level: Level) -> float:
    """Return what alpha would be if every pair of labels differed as much as labels can; -1 where it would be less."""
    total = coincidence.sum(axis=-1)
    distance = _distances(_positions(total, scale, level))
    worst = distance[np.ix_(total > 0, total > 0)].max(initial=0.0) * total.sum() * (total.sum() - 1)
    expected = (total[:, None] * total * distance).sum()
    return max(1.0 - float(worst / expected), -1.0) if expected > 0 else -1.0


# ------------------------------------------------------------------------------------------------------------- chance


def dealt_alphas(labels: Labels, generator: np.random.Generator) -> dict[str, Dealt]:
    """Return alpha at every level where the same labels are dealt to the same cells: in all ways, or at random.

    Of more labels than 500 a few deals show first whether alpha is far from chance; if it is, the answer is empty.
    Rare labels leave it near among thousands.
    """
    counts = _counted(labels)
    counts = counts[counts.sum(axis=1) > 1]
    sizes, total = counts.sum(axis=1).astype(np.int64), counts.sum(axis=0).astype(np.int64)
    n_labels = int(total.sum())
    if n_labels == 0:
        return {}
    scale = np.array(labels.scale, dtype=np.float64)
    positions = {level: _positions(total.astype(np.float64), scale, level) for level in levels_of(labels)}
    exact = bool(gammaln(n_labels + 1) - gammaln(total + 1).sum() <= np.log(_MOST_WAYS))

    def deal(times: int) -> dict[str, Floats]:
        dealt = generator.permuted(np.tile(np.repeat(np.arange(len(total)), total), (times, 1)), axis=1)
        return {level: _alphas(dealt, sizes, total, at) for level, at in positions.items()}

    if exact:
        dealt = _all_ways(total)
        return {level: Dealt(_alphas(dealt, sizes, total, at), exact=True) for level, at in positions.items()}
    if n_labels <= _MOST_DEALT:
        return {level: Dealt(alphas, exact=False) for level, alphas in deal(_DEALS).items()}
    generator = deepcopy(generator)  # what is drawn next does not depend on how near chance labels are
    coincidence, first = _summed(counts), deal(_FIRST)
    if all(
        abs(krippendorff_alpha(coincidence, labels.scale, level=level)) > _FAR * standard_deviation(first[level])
        for level in positions
    ):
        return {}
    size = max(1, _CELLS // n_labels)
    blocks = [deal(size) for _ in range(-(-min(_DEALS, 10 * size) // size))]
    return {level: Dealt(np.concatenate([block[level] for block in blocks]), exact=False) for level in positions}


def _all_ways(total: Ints) -> Ints:
    """Return all ways to put labels, each so often, into cells. Shape (way, cell)."""
    rows = np.full((1, int(total.sum())), -1)
    for label in np.flatnonzero(total):
        times = int(total[label])
        free = np.nonzero(rows < 0)[1].reshape(len(rows), -1)
        chosen = np.array([*combinations(range(free.shape[1]), times)], dtype=np.int64)
        places = free[:, chosen].reshape(-1, times)
        rows = np.repeat(rows, len(chosen), axis=0)
        np.put_along_axis(rows, places, label, axis=1)
    return rows


def _alphas(dealt: Ints, sizes: Ints, total: Ints, positions: Floats) -> Floats:
    """Return alpha of labels in cells (way, cell), of which each item has so many."""
    starts = np.cumsum(sizes) - sizes
    squares = np.add.reduceat((positions**2).sum(axis=1)[dealt], starts, axis=1)
    sums = sum(np.add.reduceat(coordinate[dealt], starts, axis=1) ** 2 for coordinate in positions.T)
    observed = ((sizes * squares - sums) / (sizes - 1)).sum(axis=1) * 2.0
    n, middle = total.sum(), total @ positions
    expected = 2.0 * (n * (total @ (positions**2).sum(axis=1)) - (middle**2).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1.0 - (n - 1) * observed / expected, np.nan)


def alpha_table(
    labels: Labels, drawn: Floats | None, *, confidence_level: float, generator: np.random.Generator
) -> pd.DataFrame:
    """Return alpha at every level of measurement, with its interval and how often chance would make it as large.

    Intervals are from topics drawn so often (resample, topic), else from leaving out each item. ``chance`` is the share
    of `dealt_alphas` that reach alpha; where no test could tell alpha from chance, its interval does not either.
    """
    units, sizes = _units(labels, by_item=drawn is None)
    total = np.tensordot(sizes, units, axes=1)
    n_units = int(sizes[units.any(axis=(1, 2))].sum())
    scale, dealt = np.array(labels.scale, dtype=np.float64), dealt_alphas(labels, generator)
    if drawn is None:
        others = total - units
    else:
        others = (drawn @ units.reshape(len(units), -1)).reshape(len(drawn), *total.shape)
    rows = []
    for level in levels_of(labels):
        alpha = krippendorff_alpha(total, labels.scale, level=level)
        values = krippendorff_alpha(others, labels.scale, level=level)
        spread = left_out_spread(values, sizes) if drawn is None else standard_deviation(values)
        half = reach(np.array(n_units), confidence_level) * spread
        least, most = _least_alpha(total, scale, level), np.array(1.0)
        low, high = map(float, ends_of(alpha, half, np.array(n_units), np.array(least), most, confidence_level))
        chance = ends_and_chance(float(alpha), low, high, dealt.get(level), least, confidence_level)
        rows.append({"level": level, "alpha": float(alpha), **chance})
    return pd.DataFrame(rows)


def _units(labels: Labels, *, by_item: bool) -> tuple[Floats, Floats]:
    """Return the coincidence matrices of what is drawn, items of one kind as one, and how often each occurs."""
    if not by_item:
        units = coincidences(labels, topics=topics_by_content(labels))
        return units, np.ones(len(units))
    counts = _counted(labels)
    kinds, sizes = np.unique(counts[counts.sum(axis=1) > 1], axis=0, return_counts=True)
    n_labels = len(labels.scale)
    units = np.array([_summed(kind[None]) for kind in kinds]).reshape(len(kinds), n_labels, n_labels)
    return units, sizes.astype(np.float64)
