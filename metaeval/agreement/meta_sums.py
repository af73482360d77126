"""Measures of agreement between metrics and people as functions of sums, for all metrics of a set at once.

Every measure is a function of a few sums over units (cells, items, clusters, systems, or pairs of systems on an item),
so that the values of all metrics on resamples, and of the hybrids of all pairs of metrics, are products of matrices.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from metaeval.agreement.human_statistics import STATISTICS, none_where_flat
from metaeval.agreement.items import FEWEST
from metaeval.agreement.meta_cells import MetaCells, set_of
from metaeval.agreement.meta_tasks import CALIBRATED, MetaTask
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.names import count
from metaeval.errors import EstimationError
from metaeval.running.equality import difference, reaches, settle

_BLOCK = 500
"""Sign flips of a block."""
FEWEST_PUBLISHED = 2
"""Scores that a correlation of one item takes in the metrics tasks."""
_ROUNDING = 1e-12
"""How far two scores may lie apart, beside their size, and be equal."""


class SumsBlock(NamedTuple):
    """What every unit adds to the sums of each metric, and to those of people alone."""

    parts: Floats
    """Shape (metric, unit, sum)."""
    shared: Floats
    """Shape (unit, sum)."""
    units: Ints | None = None
    """Which item every unit lies in, where it lies in one."""


type Finish = Callable[[Floats, Floats], Floats]
"""The measure from the sums of a metric (..., sum) and of people (..., sum)."""


class MetaSums(NamedTuple):
    """A measure as a function of sums over units that may be drawn or exchanged."""

    blocks: tuple[SumsBlock, ...]
    """Blocks with units of their own, whose sums stand side by side."""
    finish: Finish


def _pearson(parts: Floats, shared: Floats, *, flat: float = np.nan) -> Floats:
    """Return r from sums of m, m², mh beside sums of h, h², 1, centred beforehand; `flat` where m alone is constant."""
    m, mm, mh = (parts[..., column] for column in range(3))
    h, hh, n = (shared[..., column] for column in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.maximum(mm - m * m / n, 0.0) * np.maximum(hh - h * h / n, 0.0))
        fallback = np.where((hh - h * h / n > 1e-12 * hh) & (mm - m * m / n <= 1e-12 * mm), flat, np.nan)
        return np.where(spread > 1e-12 * np.sqrt(mm * hh), (mh - m * h / n) / spread, fallback)


def _means_over(values: Callable[[Floats, Floats], Floats], groups: int) -> Finish:
    """Return the mean over groups, such as systems, of a measure of the sums of each."""

    def finish(parts: Floats, shared: Floats) -> Floats:
        split = (sums.reshape(*sums.shape[:-1], groups, sums.shape[-1] // groups) for sums in (parts, shared))
        measures = values(*split)
        defined = np.isfinite(measures)
        with np.errstate(invalid="ignore"):
            return np.where(defined, measures, 0.0).sum(axis=-1) / defined.sum(axis=-1)

    return finish


def _of_means(name: str, n: int, *, over: str) -> Finish:
    """Return a correlation of systems' means from their sums and the numbers of items."""
    statistic = STATISTICS[name]

    def finish(parts: Floats, shared: Floats) -> Floats:
        human_sums, n_scored, every = shared[..., :n], shared[..., n : 2 * n], shared[..., 2 * n :]
        with np.errstate(divide="ignore", invalid="ignore"):
            human, metric = human_sums / n_scored, parts / (every if over == "all" else n_scored)
        means = np.broadcast_arrays(human, metric)
        usable = np.isfinite(means[0]).all(axis=-1) & np.isfinite(means[1]).all(axis=-1)
        correlation = np.full(usable.shape, np.nan)
        if usable.any():
            correlation[usable] = statistic(means[0][usable], means[1][usable])
        return correlation

    return finish


def right_pairs(human: Floats, metric: Floats) -> Floats:
    """Count the pairs of systems that a metric orders, or ties, as people do."""
    first, second = np.triu_indices(human.shape[-1], 1)
    signs = [
        np.sign(
            difference(scores[..., first], scores[..., second], np.abs(scores[..., first]), np.abs(scores[..., second]))
        )
        for scores in (human, metric)
    ]
    return (signs[0] == signs[1]).sum(axis=-1).astype(np.float64)


def _pooled_accuracy(sizes: Sequence[int], over: str) -> Finish:
    """Return the share of all pairs of the systems of several sets, whose sums stand side by side."""
    ends = np.cumsum([0, *sizes])
    n_pairs = sum(size * (size - 1) // 2 for size in sizes)

    def finish(parts: Floats, shared: Floats) -> Floats:
        total: Floats | float = 0.0
        for index, size in enumerate(sizes):
            here = shared[..., 2 * ends[index] + index :][..., : 2 * size + 1]
            human_sums, n_scored, every = here[..., :size], here[..., size : 2 * size], here[..., 2 * size :]
            with np.errstate(divide="ignore", invalid="ignore"):
                means = parts[..., ends[index] : ends[index + 1]] / (every if over == "all" else n_scored)
                total = total + right_pairs(human_sums / n_scored, means)
        return np.asarray(total) / n_pairs

    return finish


def _soft(n: int) -> Finish:
    """Return soft pairwise accuracy from sums of differences and of their squares, p by the normal distribution."""

    def p_of(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            z = sums[..., :n] / np.sqrt(np.maximum(sums[..., n:], 0.0))
        return np.where(sums[..., n:] > 0, ndtr(-np.nan_to_num(z)), 0.5)

    return lambda parts, shared: 1 - np.abs(p_of(shared) - p_of(parts)).mean(axis=-1)


def _ratio(parts: Floats, shared: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return parts[..., 0] / shared[..., 0]


def _product(parts: Floats, shared: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.sqrt(parts[..., 0] * shared[..., 0])
        return np.where(size > 0, parts[..., 1] / size, np.nan)


# --------------------------------------------------------------------------------------------- the measures, one by one


def _system_blocks(cells: MetaCells, unit: str) -> tuple[SumsBlock, ...]:
    """Return sums that make systems' means, or the scores given for them; for cells one block a system."""
    n, n_items = cells.human.shape
    filled_human = np.where(cells.there, cells.human, 0.0)
    if cells.over == "all":
        total, scores = np.full(n, n_items), cells.filled
    else:
        total, scores = cells.there.sum(axis=1), np.where(cells.there, cells.filled, 0.0)
    offset = cells.metric_means - scores.sum(axis=-1) / total  # system score minus the mean of its item scores
    spread = offset[..., None] * (np.ones((n, n_items)) if cells.over == "all" else cells.there)
    parts = scores + spread  # (metric, system, item); sums over items, divided by the items, are the system scores
    off = np.where(cells.there, (cells.human_means - filled_human.sum(axis=1) / cells.there.sum(axis=1))[:, None], 0.0)
    human = filled_human + off
    if unit == "systems":
        eye = np.eye(n)
        every = np.repeat([[float(n_items) / n]], n, axis=0)
        shared = np.concatenate([human.sum(axis=1) * eye, cells.there.sum(axis=1) * eye, every], axis=1)
        return (SumsBlock(parts.sum(axis=-1)[:, :, None] * eye, shared),)
    shared = np.concatenate([human.T, cells.there.T.astype(np.float64), np.ones((n_items, 1))], axis=1)
    if unit == "cells":
        every = np.arange(n_items)
        blocks = [SumsBlock(parts[:, at, :, None], np.zeros((n_items, 0)), every) for at in range(n)]
        return (*blocks, SumsBlock(np.zeros((len(parts), n_items, 0)), shared, every))
    return (SumsBlock(parts.transpose(0, 2, 1), shared, np.arange(n_items)),)


def _of_systems(task: MetaTask, every: Sequence[MetaCells], unit: str) -> MetaSums:
    blocks = tuple(block for cells in every for block in _system_blocks(cells, unit))
    if task.measure == "accuracy":
        return MetaSums(blocks, _pooled_accuracy([len(cells.systems) for cells in every], every[0].over))
    return MetaSums(blocks, _of_means(task.measure, len(every[0].systems), over=every[0].over))


def _of_cells(task: MetaTask, every: Sequence[MetaCells], unit: str) -> MetaSums:
    """Return the sums of a correlation over cells, of ranks for Spearman's; by system for a mean over systems."""
    (cells,) = every
    if task.measure == "kendall" or task.group == "item":
        return _of_groups(task, cells, unit)
    there = cells.there
    human, metrics = cells.on_cells
    systems, items = np.nonzero(there)
    if task.measure == "spearman":
        human, metrics = (_ranks(values, systems if task.group == "system" else None) for values in (human, metrics))
    human, metrics = (values - values.mean(axis=-1, keepdims=True) for values in (human, metrics))
    if task.group == "system":
        human, metrics = (_centred(values, systems) for values in (human, metrics))
    parts = np.stack([metrics, metrics**2, metrics * human], axis=-1)
    shared = np.stack([human, human**2, np.ones_like(human)], axis=-1)
    if task.group == "none":
        if unit == "cells":
            return MetaSums((SumsBlock(parts, shared, items),), _pearson)
        of = {"systems": systems, "items": items}[unit]
        n = {"systems": len(cells.systems), "items": there.shape[1]}[unit]
        block = SumsBlock(_added(parts, of, n), _added(shared, of, n), np.arange(n) if unit == "items" else None)
        return MetaSums((block,), _pearson)
    n, n_items = there.shape
    if unit == "cells":
        raise _no_unit(task, unit)
    wide = [np.zeros((*values.shape[:-2], n_items, n, 3)) for values in (parts, shared)]
    wide[0][:, items, systems], wide[1][items, systems] = parts, shared
    if unit == "systems":
        eye = np.eye(n)[:, :, None]
        wide = [values.sum(axis=-3)[..., :, None, :] * eye for values in wide]
    flat = [values.reshape(*values.shape[:-2], n * 3) for values in wide]
    of_one = _pearson if cells.as_published else partial(_pearson, flat=0.0)
    return MetaSums(
        (SumsBlock(flat[0], flat[1], np.arange(n_items) if unit == "items" else None),), _means_over(of_one, n)
    )


def _added(values: Floats, of: Ints, n: int) -> Floats:
    """Return sums of the last axis but one by unit."""
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(n))
    padded = np.concatenate([values[..., order, :], np.zeros((*values.shape[:-2], 1, values.shape[-1]))], axis=-2)
    sums = np.add.reduceat(padded, starts, axis=-2)
    sums[..., np.bincount(of, minlength=n) == 0, :] = 0.0
    return sums


def _centred(values: Floats, of: Ints) -> Floats:
    means = _added(values[..., None], of, int(of.max()) + 1)[..., 0] / np.bincount(of)
    return values - means[..., of]


def _ranks(values: Floats, of: Ints | None) -> Floats:
    from scipy.stats import rankdata  # noqa: PLC0415 - a second

    values = settle(values)
    if of is None:
        return np.asarray(rankdata(values, axis=-1))
    ranks = np.empty_like(values)
    for group in np.unique(of):
        ranks[..., of == group] = rankdata(values[..., of == group], axis=-1)
    return ranks


def _of_groups(task: MetaTask, cells: MetaCells, unit: str) -> MetaSums:
    """Return the sums of a mean over items, or over systems, of a correlation of each."""
    if task.group == "none" or (unit == "items") != (task.group == "item") or unit not in {"items", "systems"}:
        raise _no_unit(task, unit)
    values = group_values(task, cells)
    defined = np.isfinite(values)
    parts = np.stack([np.where(defined, values, 0.0), defined], axis=-1)
    at = np.arange(values.shape[1]) if unit == "items" else None
    return MetaSums(
        (SumsBlock(parts, np.zeros((values.shape[1], 0)), at),), lambda sums, _: _ratio(sums, sums[..., 1:])
    )


def group_values(task: MetaTask, cells: MetaCells) -> Floats:
    """Return the correlation of every metric on each item, or each system; NaN where it is undefined.

    Where the metric alone gives one score to all it is 0, and three scores are needed; as published, neither.
    """
    statistic = STATISTICS[task.measure]
    fewest = FEWEST_PUBLISHED if cells.as_published else FEWEST
    turned = task.group == "system"
    human, there = (table if turned else table.T for table in (cells.human, cells.there))
    scores = cells.scores if turned else cells.scores.transpose(0, 2, 1)
    values = np.full(scores.shape[:2], np.nan)
    patterns, which = np.unique(there, axis=0, return_inverse=True)
    for index, pattern in enumerate(patterns):
        if pattern.sum() >= fewest:
            rows = np.flatnonzero(which.ravel() == index)
            block = np.ix_(rows, pattern)
            human_scores = np.asarray(human[block], dtype=np.float64)
            metric_scores = scores[:, block[0], block[1]]
            values[:, rows] = (
                statistic(human_scores, metric_scores)
                if cells.as_published
                else none_where_flat(statistic, human_scores, metric_scores)
            )
    return values


def _no_unit(task: MetaTask, unit: str) -> EstimationError:
    return EstimationError(
        f"{task.name} is no function of sums over {unit}, so that {unit} cannot be drawn or exchanged"
    )


def _of_verdicts(task: MetaTask, every: Sequence[MetaCells], unit: str) -> MetaSums:
    """Return the shares of verdicts that a metric shares with people, by pair or by item, the threshold as fitted."""
    (cells,) = every
    verdicts = cells.verdicts
    right = verdicts.right(cells)[0]
    if unit == "pairs":
        block = SumsBlock((right * verdicts.weight)[..., None], np.full((len(verdicts.pair), 1), 0.0), verdicts.item)
        block.shared[:, 0] = verdicts.weight
    elif unit == "items":
        n = cells.human.shape[1]
        parts = _added((right * verdicts.weight)[..., None], verdicts.item, n)
        block = SumsBlock(parts, _added(verdicts.weight[:, None], verdicts.item, n), np.arange(n))
    else:
        raise _no_unit(task, unit)
    if task.measure == "acc_eq":
        return MetaSums((block,), _ratio)
    return MetaSums((block,), lambda parts, shared: 2 * _ratio(parts, shared) - 1)


def _differences(cells: MetaCells, complete: Flags) -> tuple[Floats, Floats]:
    first, second = cells.pairs
    human, scores = cells.human[:, complete], cells.scores[:, :, complete]
    return human[first] - human[second], scores[:, first] - scores[:, second]


def _of_soft(task: MetaTask, every: Sequence[MetaCells], unit: str) -> MetaSums:
    (cells,) = every
    if unit != "items":
        raise _no_unit(task, unit)
    human, metrics = _differences(cells, fully_scored_items(cells))
    shared = np.concatenate([human, human**2]).T
    parts = np.concatenate([metrics, metrics**2], axis=1).transpose(0, 2, 1)
    return MetaSums((SumsBlock(parts, shared, np.flatnonzero(cells.complete)),), _soft(len(human)))


def quick_soft(cells: MetaCells) -> Floats:
    """Return soft pairwise accuracy of every metric, p by the normal distribution, from products of systems."""
    complete = fully_scored_items(cells)
    tables = np.concatenate([cells.human[None], cells.scores])[:, :, complete]
    tables -= tables.mean(axis=(1, 2), keepdims=True)  # differences stay, and squares are small
    sums, products = tables.sum(axis=2), tables @ tables.swapaxes(1, 2)
    first, second = cells.pairs
    square_sums = np.einsum("mss->ms", products)
    squares = square_sums[:, first] + square_sums[:, second] - 2.0 * products[:, first, second]
    squares = np.where(squares > _ROUNDING * (square_sums[:, first] + square_sums[:, second]), squares, 0.0)
    parts = np.concatenate([sums[:, first] - sums[:, second], squares], axis=1)
    return np.asarray(_soft(len(first))(parts[1:], parts[:1]))


def fully_scored_items(cells: MetaCells) -> Flags:
    """Return the items that people scored for every system; two are needed."""
    if cells.complete.sum() < 2:  # noqa: PLR2004 - a test of differences
        n = count(int(cells.complete.sum()), "item")
        message = f"{set_of(cells.name)}people scored {n} for every system; spa takes two"
        raise EstimationError(message)
    return cells.complete


def _of_products(task: MetaTask, every: Sequence[MetaCells], unit: str) -> MetaSums:
    """Return the sums of a correlation of differences: both orders of a pair count, so that their means are 0."""
    (cells,) = every
    if unit != "items":
        raise _no_unit(task, unit)
    verdicts = cells.verdicts
    first, second = (side[verdicts.pair] for side in cells.pairs)
    h = cells.human[first, verdicts.item] - cells.human[second, verdicts.item]
    m = cells.scores[:, first, verdicts.item] - cells.scores[:, second, verdicts.item]
    n = cells.human.shape[1]
    parts = _added(np.stack([m**2, m * h], axis=-1), verdicts.item, n)
    return MetaSums((SumsBlock(parts, _added((h**2)[:, None], verdicts.item, n), np.arange(n)),), _product)


_SUMS: dict[str, Callable[[MetaTask, Sequence[MetaCells], str], MetaSums]] = {
    "spa": _of_soft,
    "acc_eq": _of_verdicts,
    "tau_eq": _of_verdicts,
    "pairwise_pearson": _of_products,
}


def sums_of(task: MetaTask, every: Sequence[MetaCells], unit: str) -> MetaSums:
    """Return a task's measure as a function of sums over units: cells, items, clusters, systems, or pairs on items."""
    make = _SUMS.get(task.measure) or (_of_systems if task.level == "system" else _of_cells)
    if unit != "clusters":
        return make(task, every, unit)
    by_item = make(task, every, "items")
    blocks, per_set = [], len(by_item.blocks) // len(every)
    for index, block in enumerate(by_item.blocks):
        clusters = every[index // per_set].clusters
        of = clusters[block.units]
        n = int(clusters.max()) + 1
        blocks.append(SumsBlock(_added(block.parts, of, n), _added(block.shared, of, n), np.arange(n)))
    return MetaSums(tuple(blocks), by_item.finish)


def used_items(task: MetaTask, cells: MetaCells) -> Flags:
    """Return the items that each metric's value rests on. Shape (metric, item)."""
    if task.measure == "spa":
        used = cells.complete
    elif task.group == "item":
        return np.isfinite(group_values(task, cells))
    elif task.group == "system":
        of_systems = np.isfinite(group_values(task, cells))
        return np.asarray((of_systems[:, :, None] & cells.there).any(axis=1))
    elif task.measure in {*CALIBRATED, "pairwise_pearson"}:
        used = cells.there.sum(axis=0) > 1
    else:
        used = cells.there.any(axis=0)
    return np.broadcast_to(used, (len(cells.metrics), len(used)))


class Values(NamedTuple):
    """A measure of every metric."""

    value: Floats
    threshold: Floats
    """Of ties, where one is fitted."""
    other_half: Floats
    """The value where the threshold comes from the other half of the clusters, both ways; where one is fitted."""
    error: Floats
    """Monte-Carlo error, where the value is drawn."""


def values_of(task: MetaTask, every: Sequence[MetaCells], n_flips: int, generator: np.random.Generator) -> Values:
    """Return the measure of every metric by its definition."""
    n = len(every[0].metrics)
    unknown = np.full(n, np.nan)
    undefined = Values(unknown, unknown, unknown, unknown)
    if task.measure == "accuracy":
        counts = np.sum([right_pairs(cells.human_means, cells.metric_means) for cells in every], axis=0)
        return undefined._replace(value=counts / sum(len(cells.pairs[0]) for cells in every))
    (cells,) = every
    if task.measure in CALIBRATED:
        return _verdict_values(task, cells, undefined)
    if task.measure == "spa":
        value, error = soft_accuracy(cells, n_flips, generator)
        return undefined._replace(value=value, error=error)
    return undefined._replace(value=_correlations(task, cells))


def _correlations(task: MetaTask, cells: MetaCells) -> Floats:
    if task.measure == "pairwise_pearson":
        return _total(sums_of(task, [cells], "items"))
    if task.level == "system":
        return STATISTICS[task.measure](cells.human_means, cells.metric_means)
    if task.group == "none":
        return STATISTICS[task.measure](*cells.on_cells)
    values = group_values(task, cells)
    defined = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.where(defined, values, 0.0).sum(axis=1) / defined.sum(axis=1)


def _total(sums: MetaSums) -> Floats:
    parts = np.concatenate([block.parts.sum(axis=1) for block in sums.blocks], axis=-1)
    return sums.finish(parts, np.concatenate([block.shared.sum(axis=0) for block in sums.blocks], axis=-1))


def _verdict_values(task: MetaTask, cells: MetaCells, found: Values) -> Values:
    verdicts = cells.verdicts
    right, thresholds = verdicts.right(cells)
    half = (cells.clusters % 2 == 0) if cells.clusters.max() else np.arange(cells.human.shape[1]) % 2 == 0
    other_half = np.zeros(len(cells.metrics))
    for chosen in (half, ~half):
        elsewhere = ~chosen[verdicts.item]
        other_half += verdicts.right(cells, chosen)[0][:, elsewhere] @ verdicts.weight[elsewhere]
    value, other_half = right @ verdicts.weight / verdicts.n_items, other_half / verdicts.n_items
    if task.measure == "tau_eq":
        value, other_half = 2 * value - 1, 2 * other_half - 1
    return found._replace(value=value, threshold=thresholds, other_half=other_half)


def soft_accuracy(cells: MetaCells, n_flips: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return soft pairwise accuracy by sign flips that all share, and its Monte-Carlo error: none for all flips.

    Flips with the sum observed count half, so that it does not matter which system of a pair comes first; as published
    they count whole.
    """
    complete = fully_scored_items(cells)
    tables = [cells.human[:, complete], *cells.scores[:, :, complete]]
    flat = np.concatenate(tables).T  # (item, table x system)
    n_tables, n = len(tables), len(cells.systems)
    first, second = cells.pairs
    sums = flat.sum(axis=0).reshape(n_tables, n)
    sizes = np.abs(flat).sum(axis=0).reshape(n_tables, n)
    observed, size = sums[:, first] - sums[:, second], sizes[:, first] + sizes[:, second]
    reached, blocks = np.zeros(observed.shape), []
    for signs in _flips(len(flat), n_flips, generator):
        drawn = (signs @ flat).reshape(-1, n_tables, n)
        counts = np.empty(observed.shape)
        for table in range(n_tables):
            gap = drawn[:, table, first] - drawn[:, table, second]
            counts[table] = reaches(gap, observed[table], size[table]).sum(axis=0)
            if not cells.as_published:
                counts[table] += (~reaches(observed[table], gap, size[table])).sum(axis=0)
                counts[table] /= 2.0
        reached += counts
        blocks.append((len(signs), _closeness(counts / len(signs))))
    value = _closeness(reached / sum(size for size, _ in blocks))
    if 2 ** len(flat) <= n_flips:
        return value, np.zeros(len(value))
    if len(blocks) < 2:  # noqa: PLR2004 - a standard deviation
        return value, np.full(len(value), np.nan)
    return value, np.std([closeness for _, closeness in blocks], axis=0, ddof=1) / np.sqrt(len(blocks))


def _flips(n_items: int, n_flips: int, generator: np.random.Generator) -> Iterator[Floats]:
    """Yield signs of items (flip, item), a block at a time: all there are where these are no more than asked for."""
    if 2**n_items <= n_flips:
        numbers = np.arange(2**n_items)
        for start in range(0, len(numbers), _BLOCK):
            bits = (numbers[start : start + _BLOCK, None] >> np.arange(n_items)) & 1
            yield bits.astype(np.float64) * 2.0 - 1.0
        return
    for start in range(0, n_flips, _BLOCK):
        bits = generator.integers(0, 2, (min(_BLOCK, n_flips - start), n_items), dtype=np.int8)
        yield bits.astype(np.float64) * 2.0 - 1.0


def _closeness(p: Floats) -> Floats:
    return 1 - np.abs(p[0] - p[1:]).mean(axis=-1)
