"""Measures of agreement between metrics and people as functions of sums, for all metrics of a set at once.

Every measure is a function of a few sums over units (cells, items, clusters, systems, or pairs of systems on an item),
so that the values of all metrics on resamples, and of the hybrids of all pairs of metrics, are products of matrices.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

from metaeval.agreement.human_statistics import STATISTICS
from metaeval.agreement.meta_tasks import CALIBRATED, Task
from metaeval.base.names import count, natural_order
from metaeval.errors import EstimationError, ScoresError
from metaeval.running.equality import at_least, difference, settle
from metaeval.table.scores import better_direction

type Floats = NDArray[np.float64]

_BLOCK = 500
"""Sign flips of a block."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """The scores of one set of systems by people and by every metric, higher better throughout."""

    name: str
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    human: Floats
    """NaN where people did not score. Shape (system, item)."""
    scores: Floats
    """Shape (metric, system, item)."""
    given: Floats
    """The metrics' own scores of systems, NaN where none is given. Shape (metric, system)."""
    given_human: Floats
    """Shape (system,)."""
    clusters: NDArray[np.int64]
    """Shape (item,)."""
    over: str
    """What a system score is a mean of: "all" items, or those in "common" with people."""
    second: Floats
    """Other human scores, NaN throughout where they lack a cell that people scored. Shape (name, system, item)."""
    as_published: bool = False
    """Whether two scores of an item tie only if they are the same number in a computer."""

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which cells people scored."""
        return np.isfinite(self.human)

    @cached_property
    def filled(self) -> Floats:
        """The metrics' scores, the mean of the system where there is none."""
        if np.isfinite(self.scores).all():
            return self.scores
        known = np.isfinite(self.scores)
        means = np.where(known, self.scores, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
        return np.where(known, self.scores, means[..., None])

    @cached_property
    def on_cells(self) -> tuple[Floats, Floats]:
        """The human scores, and those of every metric, on the cells that people scored: (cell,) and (metric, cell)."""
        return self.human[self.there], self.scores[:, self.there]

    @cached_property
    def human_means(self) -> Floats:
        """People's score of every system, means that are equal up to rounding made equal."""
        held, n = np.where(self.there, self.human, 0.0), self.there.sum(axis=1)
        means = settle(held.sum(axis=1) / n, np.abs(held).sum(axis=1) / n)
        return np.where(np.isfinite(self.given_human), self.given_human, means) if self.over == "all" else means

    @cached_property
    def metric_means(self) -> Floats:
        """Every metric's score of every system, likewise. Shape (metric, system)."""
        if self.over == "common":
            held, n = np.where(self.there, self.filled, 0.0), self.there.sum(axis=1)
            return settle(held.sum(axis=-1) / n, np.abs(held).sum(axis=-1) / n)
        means = settle(self.filled.mean(axis=-1), np.abs(self.filled).mean(axis=-1))
        return np.where(np.isfinite(self.given), self.given, means)

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which items people scored for every system."""
        return self.there.all(axis=0)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All pairs of systems."""
        first, second = np.triu_indices(len(self.systems), 1)
        return first, second

    @cached_property
    def verdicts(self) -> "Verdicts":
        """What people say of every pair of systems on every item."""
        return Verdicts.of(self)

    def among(self, systems: Sequence[int]) -> "Cells":
        """Return some of the systems."""
        at = np.asarray(systems)
        return replace(
            self,
            systems=tuple(self.systems[place] for place in at),
            human=self.human[at],
            scores=self.scores[:, at],
            given=self.given[:, at],
            given_human=self.given_human[at],
            second=self.second[:, at],
        )

    def with_scores(self, names: Sequence[str], scores: Floats) -> "Cells":
        """Return the set with other metrics, of which no score of systems is given."""
        return replace(self, metrics=tuple(names), scores=scores, given=np.full(scores.shape[:2], np.nan))

    def standardised(self) -> "Cells":
        """Bring every metric to mean 0 and variance 1 over the cells that people scored, for exchanges."""
        cells = self.on_cells[1]
        size = np.abs(cells).max(axis=1)
        middle, spread = cells.mean(axis=1), cells.std(axis=1)
        spread = np.where(spread > 1e-12 * size, spread, 1.0)
        own = (self.metric_means.T - middle) / spread  # the means that are compared, equal ones equal
        scores = (self.scores - middle[:, None, None]) / spread[:, None, None]
        return replace(self, scores=scores, given=own.T)


def cells_of_set(  # noqa: PLR0913 - one set, and how it is read
    name: str, scores: xr.DataArray, reference: str, *, over: str, as_published: bool, ceiling: Sequence[str] = ()
) -> Cells:
    """Lay out a set: the systems that people scored, every metric turned so that higher is better.

    A metric that lacks a cell which people scored is refused by name.
    """
    systems, items = (natural_order(map(str, scores[dim].to_numpy())) for dim in ("system", "item"))
    named = scores.assign_coords({dim: [*map(str, scores[dim].to_numpy())] for dim in ("system", "item")})
    table = named.sel(system=systems, item=items).transpose("metric", "system", "item")  # draws do not depend on order
    names = [str(one) for one in table["metric"].to_numpy()]
    sign = better_direction(table) if "higher_is_better" in table.coords else np.ones(len(names))
    values = table.to_numpy() * sign[:, None, None]
    own = np.full(values.shape[:2], np.nan)
    if "system_score" in table.coords:
        own = table["system_score"].transpose("metric", "system").to_numpy() * sign[:, None]
    at = names.index(reference)
    judged = np.isfinite(values[at]).any(axis=1)
    if judged.sum() < 2:  # noqa: PLR2004 - a pair
        raise ScoresError(
            f"{_of(name)}people ({reference}) scored {count(int(judged.sum()), 'system')}; a comparison takes two"
        )
    others = [place for place in range(len(names)) if place != at and names[place] not in ceiling]
    values, own = values[:, judged], own[:, judged]
    lacking = np.isfinite(values[at]) & ~np.isfinite(values[others])
    if lacking.any():
        metric, system, item = (int(found[0]) for found in np.nonzero(lacking))
        n = int(lacking[metric].sum())
        message = (
            f"{_of(name)}{names[others[metric]]} has no score in {n} of the cells that people scored, such as system "
            f"{table['system'].to_numpy()[judged][system]}, item {table['item'].to_numpy()[item]}; fill it in, or "
            "leave the metric out (`metrics`)"
        )
        raise ScoresError(message)
    gone = np.full(values.shape[1:], np.nan)
    second = [values[names.index(one)] if one in names else gone for one in ceiling]
    second = [gone if (np.isfinite(values[at]) & ~np.isfinite(one)).any() else one for one in second]
    clusters = table["cluster"].to_numpy() if "cluster" in table.coords else table["item"].to_numpy()
    order = {label: place for place, label in enumerate(natural_order(dict.fromkeys(map(str, clusters))))}
    return Cells(
        name=name,
        metrics=tuple(names[place] for place in others),
        systems=tuple(map(str, table["system"].to_numpy()[judged])),
        human=values[at],
        scores=values[others],
        given=own[others],
        given_human=own[at],
        clusters=np.array([order[str(label)] for label in clusters]),
        over=over,
        second=np.array(second).reshape(len(ceiling), *values.shape[1:]),
        as_published=as_published,
    )


def _of(name: str) -> str:
    return f"{name}: " if name else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """Pairs of systems that people scored on an item, each with its weight: every item counts once."""

    pair: NDArray[np.int64]
    item: NDArray[np.int64]
    human: NDArray[np.int8]
    """Which one people prefer: 1, -1, or 0."""
    weight: Floats
    """1 over the pairs of the item."""
    n_items: int

    @classmethod
    def of(cls, cells: Cells) -> "Verdicts":
        """Collect what people say; scores that are equal up to rounding tie."""
        first, second = cells.pairs
        gap = _gap(cells.human[first], cells.human[second], cells)
        valid = np.isfinite(gap)
        n = valid.sum(axis=0)
        pair, item = np.nonzero(valid)
        return cls(
            pair=pair,
            item=item,
            human=np.sign(gap[valid]).astype(np.int8),
            weight=1.0 / n[item],
            n_items=int((n > 0).sum()),
        )

    def right(self, cells: Cells, chosen: NDArray[np.bool_] | None = None) -> tuple[NDArray[np.bool_], Floats]:
        """Return which verdicts each metric shares with people, and its threshold of ties, fitted to `chosen` items."""
        first, second = (side[self.pair] for side in cells.pairs)
        shared = np.empty((len(cells.metrics), len(self.pair)), dtype=bool)
        thresholds = np.empty(len(cells.metrics))
        for place, scores in enumerate(cells.scores):
            a, b = scores[first, self.item], scores[second, self.item]
            size = np.zeros(len(a)) if cells.as_published else np.abs(a) + np.abs(b)
            gap = _gap(a, b, cells)
            agree = np.sign(gap) == self.human
            apart = np.abs(gap)
            use = slice(None) if chosen is None else chosen[self.item]
            thresholds[place], highest = best_threshold(
                apart[use], size[use], agree[use], self.human[use] == 0, self.weight[use]
            )
            tied = apart <= highest if cells.as_published else at_least(highest, apart, size)
            shared[place] = np.where(tied, self.human == 0, agree)
        return shared, thresholds


def _gap(a: Floats, b: Floats, cells: Cells) -> Floats:
    """Return a - b, 0 where the two are equal up to rounding, or the same."""
    return a - b if cells.as_published else difference(a, b, np.abs(a), np.abs(b))


def best_threshold(
    apart: Floats, size: Floats, agree: NDArray[np.bool_], tied: NDArray[np.bool_], weight: Floats
) -> tuple[float, float]:
    """Return the least difference up to which pairs are best called ties, and the largest that counts as equal to it.

    One sort: at each size of difference, all pairs of no larger one are ties; differences that are equal up to rounding
    become ties together.
    """
    order = np.argsort(apart, kind="stable")
    apart, gain = apart[order], (weight * (tied.astype(np.float64) - agree))[order]
    total = np.cumsum(gain)
    step = np.diff(apart, append=np.inf) > 1e-12 * size[order]
    ends = np.flatnonzero(step)
    if not len(ends):
        return 0.0, 0.0
    best = int(np.argmax(np.concatenate([[0.0], np.where(total[ends] > _ROUNDING, total[ends], -np.inf)])))
    if best == 0:
        return 0.0, 0.0
    near = total[ends] >= total[ends][best - 1] - _ROUNDING  # sums that are equal up to rounding: the least threshold
    best = int(np.argmax(near))
    start = 0 if best == 0 else ends[best - 1] + 1
    return float(apart[start]), float(apart[ends[best]])


_ROUNDING = 1e-9
"""How far two sums of weights may lie apart and be one."""


class Block(NamedTuple):
    """What every unit adds to the sums of each metric, and to those of people alone."""

    parts: Floats
    """Shape (metric, unit, sum)."""
    shared: Floats
    """Shape (unit, sum)."""
    units: NDArray[np.int64] | None = None
    """Which item every unit lies in, where it lies in one."""


type Finish = Callable[[Floats, Floats], Floats]
"""The measure from the sums of a metric (..., sum) and of people (..., sum)."""


class Sums(NamedTuple):
    """A measure as a function of sums over units that may be drawn or exchanged."""

    blocks: tuple[Block, ...]
    """Blocks with units of their own, whose sums stand side by side."""
    finish: Finish


def _pearson(parts: Floats, shared: Floats) -> Floats:
    """Return r from sums of m, m², mh beside sums of h, h², 1, centred beforehand."""
    m, mm, mh = (parts[..., place] for place in range(3))
    h, hh, n = (shared[..., place] for place in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.maximum(mm - m * m / n, 0.0) * np.maximum(hh - h * h / n, 0.0))
        return np.where(spread > 1e-12 * np.sqrt(mm * hh), (mh - m * h / n) / spread, np.nan)


def _means_over(values: Callable[[Floats, Floats], Floats], groups: int) -> Finish:
    """Return the mean over groups, such as systems, of a measure of the sums of each."""

    def finish(parts: Floats, shared: Floats) -> Floats:
        split = (one.reshape(*one.shape[:-1], groups, one.shape[-1] // groups) for one in (parts, shared))
        found = values(*split)
        known = np.isfinite(found)
        with np.errstate(invalid="ignore"):
            return np.where(known, found, 0.0).sum(axis=-1) / known.sum(axis=-1)

    return finish


def _of_means(name: str, n: int, *, over: str) -> Finish:
    """Return a correlation of systems' means from their sums and the numbers of items."""
    statistic = STATISTICS[name]

    def finish(parts: Floats, shared: Floats) -> Floats:
        held, known, every = shared[..., :n], shared[..., n : 2 * n], shared[..., 2 * n :]
        with np.errstate(divide="ignore", invalid="ignore"):
            human, metric = held / known, parts / (every if over == "all" else known)
        whole = np.broadcast_arrays(human, metric)
        usable = np.isfinite(whole[0]).all(axis=-1) & np.isfinite(whole[1]).all(axis=-1)
        found = np.full(usable.shape, np.nan)
        if usable.any():
            found[usable] = statistic(whole[0][usable], whole[1][usable])
        return found

    return finish


def right_pairs(human: Floats, metric: Floats) -> Floats:
    """Count the pairs of systems that a metric orders, or ties, as people do."""
    first, second = np.triu_indices(human.shape[-1], 1)
    signs = [
        np.sign(difference(one[..., first], one[..., second], np.abs(one[..., first]), np.abs(one[..., second])))
        for one in (human, metric)
    ]
    return (signs[0] == signs[1]).sum(axis=-1).astype(np.float64)


def _pooled_accuracy(sizes: Sequence[int], over: str) -> Finish:
    """Return the share of all pairs of the systems of several sets, whose sums stand side by side."""
    ends = np.cumsum([0, *sizes])
    n_pairs = sum(size * (size - 1) // 2 for size in sizes)

    def finish(parts: Floats, shared: Floats) -> Floats:
        total: Floats | float = 0.0
        for place, size in enumerate(sizes):
            here = shared[..., 2 * ends[place] + place :][..., : 2 * size + 1]
            held, known, every = here[..., :size], here[..., size : 2 * size], here[..., 2 * size :]
            with np.errstate(divide="ignore", invalid="ignore"):
                means = parts[..., ends[place] : ends[place + 1]] / (every if over == "all" else known)
                total = total + right_pairs(held / known, means)
        return np.asarray(total) / n_pairs

    return finish


def _soft(n: int) -> Finish:
    """Return soft pairwise accuracy from sums of differences and of their squares, p by the normal distribution."""

    def p_of(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            z = sums[..., :n] / np.sqrt(np.maximum(sums[..., n:], 0.0))
        return np.where(sums[..., n:] > 0, ndtr(-np.nan_to_num(z)), 1.0)

    return lambda parts, shared: 1 - np.abs(p_of(shared) - p_of(parts)).mean(axis=-1)


def _ratio(parts: Floats, shared: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return parts[..., 0] / shared[..., 0]


def _product(parts: Floats, shared: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.sqrt(parts[..., 0] * shared[..., 0])
        return np.where(size > 0, parts[..., 1] / size, np.nan)


# --------------------------------------------------------------------------------------------- the measures, one by one


def _system_blocks(cells: Cells, unit: str) -> tuple[Block, ...]:
    """Return sums that make systems' means, or the scores given for them; for cells one block a system."""
    n, n_items = cells.human.shape
    held = np.where(cells.there, cells.human, 0.0)
    if cells.over == "all":
        total, scores = np.full(n, n_items), cells.filled
    else:
        total, scores = cells.there.sum(axis=1), np.where(cells.there, cells.filled, 0.0)
    offset = (
        cells.metric_means - scores.sum(axis=-1) / total
    )  # what a score of systems has beside the mean of its items
    spread = offset[..., None] * (np.ones((n, n_items)) if cells.over == "all" else cells.there)
    parts = scores + spread  # (metric, system, item); sums over items, divided by the items, are the system scores
    off = np.where(cells.there, (cells.human_means - held.sum(axis=1) / cells.there.sum(axis=1))[:, None], 0.0)
    human = held + off
    if unit == "systems":
        eye = np.eye(n)
        every = np.repeat([[float(n_items) / n]], n, axis=0)
        shared = np.concatenate([human.sum(axis=1) * eye, cells.there.sum(axis=1) * eye, every], axis=1)
        return (Block(parts.sum(axis=-1)[:, :, None] * eye, shared),)
    shared = np.concatenate([human.T, cells.there.T.astype(np.float64), np.ones((n_items, 1))], axis=1)
    if unit == "cells":
        every = np.arange(n_items)
        own = [Block(parts[:, at, :, None], np.zeros((n_items, 0)), every) for at in range(n)]
        return (*own, Block(np.zeros((len(parts), n_items, 0)), shared, every))
    return (Block(parts.transpose(0, 2, 1), shared, np.arange(n_items)),)


def _of_systems(task: Task, every: Sequence[Cells], unit: str) -> Sums:
    blocks = tuple(block for cells in every for block in _system_blocks(cells, unit))
    if task.measure == "accuracy":
        return Sums(blocks, _pooled_accuracy([len(cells.systems) for cells in every], every[0].over))
    return Sums(blocks, _of_means(task.measure, len(every[0].systems), over=every[0].over))


def _of_cells(task: Task, every: Sequence[Cells], unit: str) -> Sums:
    """Return the sums of a correlation over cells, of ranks for Spearman's; by system for a mean over systems."""
    (cells,) = every
    if task.measure == "kendall" or task.group == "item":
        return _of_groups(task, cells, unit)
    there = cells.there
    human, metrics = cells.on_cells
    systems, items = np.nonzero(there)
    if task.measure == "spearman":
        human, metrics = (_ranks(one, systems if task.group == "system" else None) for one in (human, metrics))
    human, metrics = (one - one.mean(axis=-1, keepdims=True) for one in (human, metrics))
    if task.group == "system":
        human, metrics = (_centred(one, systems) for one in (human, metrics))
    parts = np.stack([metrics, metrics**2, metrics * human], axis=-1)
    shared = np.stack([human, human**2, np.ones_like(human)], axis=-1)
    if task.group == "none":
        if unit == "cells":
            return Sums((Block(parts, shared, items),), _pearson)
        of = {"systems": systems, "items": items}[unit]
        n = {"systems": len(cells.systems), "items": there.shape[1]}[unit]
        block = Block(_added(parts, of, n), _added(shared, of, n), np.arange(n) if unit == "items" else None)
        return Sums((block,), _pearson)
    n, n_items = there.shape
    if unit == "cells":
        raise _no_unit(task, unit)
    wide = [np.zeros((*one.shape[:-2], n_items, n, 3)) for one in (parts, shared)]
    wide[0][:, items, systems], wide[1][items, systems] = parts, shared
    if unit == "systems":
        eye = np.eye(n)[:, :, None]
        wide = [one.sum(axis=-3)[..., :, None, :] * eye for one in wide]
    flat = [one.reshape(*one.shape[:-2], n * 3) for one in wide]
    return Sums((Block(flat[0], flat[1], np.arange(n_items) if unit == "items" else None),), _means_over(_pearson, n))


def _added(values: Floats, of: NDArray[np.int64], n: int) -> Floats:
    """Return sums of the last axis but one by unit."""
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(n))
    padded = np.concatenate([values[..., order, :], np.zeros((*values.shape[:-2], 1, values.shape[-1]))], axis=-2)
    sums = np.add.reduceat(padded, starts, axis=-2)
    sums[..., np.bincount(of, minlength=n) == 0, :] = 0.0
    return sums


def _centred(values: Floats, of: NDArray[np.int64]) -> Floats:
    means = _added(values[..., None], of, int(of.max()) + 1)[..., 0] / np.bincount(of)
    return values - means[..., of]


def _ranks(values: Floats, of: NDArray[np.int64] | None) -> Floats:
    values = settle(values)
    if of is None:
        return np.asarray(rankdata(values, axis=-1))
    ranks = np.empty_like(values)
    for one in np.unique(of):
        ranks[..., of == one] = rankdata(values[..., of == one], axis=-1)
    return ranks


def _of_groups(task: Task, cells: Cells, unit: str) -> Sums:
    """Return the sums of a mean over items, or over systems, of a correlation of each."""
    if task.group == "none" or (unit == "items") != (task.group == "item") or unit not in {"items", "systems"}:
        raise _no_unit(task, unit)
    values = group_values(task, cells)
    known = np.isfinite(values)
    parts = np.stack([np.where(known, values, 0.0), known], axis=-1)
    at = np.arange(values.shape[1]) if unit == "items" else None
    return Sums((Block(parts, np.zeros((values.shape[1], 0)), at),), lambda sums, _: _ratio(sums, sums[..., 1:]))


def group_values(task: Task, cells: Cells) -> Floats:
    """Return the correlation of every metric on each item, or each system; NaN where it is undefined."""
    turned = task.group == "system"
    human, there = (one if turned else one.T for one in (cells.human, cells.there))
    scores = cells.scores if turned else cells.scores.transpose(0, 2, 1)
    values = np.full(scores.shape[:2], np.nan)
    patterns, which = np.unique(there, axis=0, return_inverse=True)
    for place, pattern in enumerate(patterns):
        if pattern.sum() > 1:
            rows = np.flatnonzero(which.ravel() == place)
            block = np.ix_(rows, pattern)
            own = np.asarray(human[block], dtype=np.float64)
            values[:, rows] = STATISTICS[task.measure](own, scores[:, block[0], block[1]])
    return values


def _no_unit(task: Task, unit: str) -> EstimationError:
    return EstimationError(
        f"{task.name} is no function of sums over {unit}, so that {unit} cannot be drawn or exchanged"
    )


def _of_verdicts(task: Task, every: Sequence[Cells], unit: str) -> Sums:
    """Return the shares of verdicts that a metric shares with people, by pair or by item, the threshold as fitted."""
    (cells,) = every
    verdicts = cells.verdicts
    right = verdicts.right(cells)[0]
    if unit == "pairs":
        block = Block((right * verdicts.weight)[..., None], np.full((len(verdicts.pair), 1), 0.0), verdicts.item)
        block.shared[:, 0] = verdicts.weight
    elif unit == "items":
        n = cells.human.shape[1]
        parts = _added((right * verdicts.weight)[..., None], verdicts.item, n)
        block = Block(parts, _added(verdicts.weight[:, None], verdicts.item, n), np.arange(n))
    else:
        raise _no_unit(task, unit)
    if task.measure == "acc_eq":
        return Sums((block,), _ratio)
    return Sums((block,), lambda parts, shared: 2 * _ratio(parts, shared) - 1)


def _differences(cells: Cells, complete: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    first, second = cells.pairs
    human, scores = cells.human[:, complete], cells.scores[:, :, complete]
    return human[first] - human[second], scores[:, first] - scores[:, second]


def _of_soft(task: Task, every: Sequence[Cells], unit: str) -> Sums:
    (cells,) = every
    if unit != "items":
        raise _no_unit(task, unit)
    human, metrics = _differences(cells, whole_items(cells))
    shared = np.concatenate([human, human**2]).T
    parts = np.concatenate([metrics, metrics**2], axis=1).transpose(0, 2, 1)
    return Sums((Block(parts, shared, np.flatnonzero(cells.complete)),), _soft(len(human)))


def whole_items(cells: Cells) -> NDArray[np.bool_]:
    """Return the items that people scored for every system; two are needed."""
    if cells.complete.sum() < 2:  # noqa: PLR2004 - a test of differences
        message = (
            f"{_of(cells.name)}people scored {count(int(cells.complete.sum()), 'item')} for every system; spa takes two"
        )
        raise EstimationError(message)
    return cells.complete


def _of_products(task: Task, every: Sequence[Cells], unit: str) -> Sums:
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
    return Sums((Block(parts, _added((h**2)[:, None], verdicts.item, n), np.arange(n)),), _product)


_SUMS: dict[str, Callable[[Task, Sequence[Cells], str], Sums]] = {
    "spa": _of_soft,
    "acc_eq": _of_verdicts,
    "tau_eq": _of_verdicts,
    "pairwise_pearson": _of_products,
}


def sums_of(task: Task, every: Sequence[Cells], unit: str) -> Sums:
    """Return a task's measure as a function of sums over units: cells, items, clusters, systems, or pairs on items."""
    make = _SUMS.get(task.measure) or (_of_systems if task.level == "system" else _of_cells)
    if unit != "clusters":
        return make(task, every, unit)
    found = make(task, every, "items")
    blocks, per_set = [], len(found.blocks) // len(every)
    for place, block in enumerate(found.blocks):
        clusters = every[place // per_set].clusters
        of = clusters[block.units]
        n = int(clusters.max()) + 1
        blocks.append(Block(_added(block.parts, of, n), _added(block.shared, of, n), np.arange(n)))
    return Sums(tuple(blocks), found.finish)


class Values(NamedTuple):
    """A measure of every metric."""

    value: Floats
    threshold: Floats
    """Of ties, where one is fitted."""
    other_half: Floats
    """The value where the threshold comes from the other half of the clusters, both ways; where one is fitted."""
    error: Floats
    """Monte-Carlo error, where the value is drawn."""


def values_of(task: Task, every: Sequence[Cells], n_flips: int, generator: np.random.Generator) -> Values:
    """Return the measure of every metric by its definition."""
    n = len(every[0].metrics)
    unknown = np.full(n, np.nan)
    found = Values(unknown, unknown, unknown, unknown)
    if task.measure == "accuracy":
        counts = np.sum([right_pairs(cells.human_means, cells.metric_means) for cells in every], axis=0)
        return found._replace(value=counts / sum(len(cells.pairs[0]) for cells in every))
    (cells,) = every
    if task.measure in CALIBRATED:
        return _verdict_values(task, cells, found)
    if task.measure == "spa":
        value, error = soft_accuracy(cells, n_flips, generator)
        return found._replace(value=value, error=error)
    return found._replace(value=_correlations(task, cells))


def _correlations(task: Task, cells: Cells) -> Floats:
    if task.measure == "pairwise_pearson":
        return _total(sums_of(task, [cells], "items"))
    if task.level == "system":
        return STATISTICS[task.measure](cells.human_means, cells.metric_means)
    if task.group == "none":
        return STATISTICS[task.measure](*cells.on_cells)
    values = group_values(task, cells)
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)


def _total(sums: Sums) -> Floats:
    parts = np.concatenate([block.parts.sum(axis=1) for block in sums.blocks], axis=-1)
    return sums.finish(parts, np.concatenate([block.shared.sum(axis=0) for block in sums.blocks], axis=-1))


def _verdict_values(task: Task, cells: Cells, found: Values) -> Values:
    verdicts = cells.verdicts
    right, thresholds = verdicts.right(cells)
    half = (cells.clusters % 2 == 0) if cells.clusters.max() else np.arange(cells.human.shape[1]) % 2 == 0
    other = np.zeros(len(cells.metrics))
    for chosen in (half, ~half):
        elsewhere = ~chosen[verdicts.item]
        other += verdicts.right(cells, chosen)[0][:, elsewhere] @ verdicts.weight[elsewhere]
    value, other = right @ verdicts.weight / verdicts.n_items, other / verdicts.n_items
    if task.measure == "tau_eq":
        value, other = 2 * value - 1, 2 * other - 1
    return found._replace(value=value, threshold=thresholds, other_half=other)


def soft_accuracy(cells: Cells, n_flips: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return soft pairwise accuracy by sign flips that all share, and its Monte-Carlo error."""
    complete = whole_items(cells)
    tables = [cells.human[:, complete], *cells.scores[:, :, complete]]
    flat = np.concatenate(tables).T  # (item, table x system)
    n_tables, n = len(tables), len(cells.systems)
    first, second = cells.pairs
    sums = flat.sum(axis=0).reshape(n_tables, n)
    sizes = np.abs(flat).sum(axis=0).reshape(n_tables, n)
    found, size = sums[:, first] - sums[:, second], sizes[:, first] + sizes[:, second]
    reached, blocks = np.zeros(found.shape), []
    for start in range(0, n_flips, _BLOCK):
        signs = generator.integers(0, 2, (min(_BLOCK, n_flips - start), len(flat)), dtype=np.int8) * 2.0 - 1.0
        drawn = (signs @ flat).reshape(-1, n_tables, n)
        counts = np.empty(found.shape)
        for place in range(n_tables):
            gap = drawn[:, place, first] - drawn[:, place, second]
            counts[place] = at_least(gap, found[place], size[place]).sum(axis=0)
        reached += counts
        blocks.append(_closeness(counts / len(signs)))
    value = _closeness(reached / n_flips)
    if len(blocks) < 2:  # noqa: PLR2004 - a standard deviation
        return value, np.full(len(value), np.nan)
    return value, np.std(blocks, axis=0, ddof=1) / np.sqrt(len(blocks))


def _closeness(p: Floats) -> Floats:
    return 1 - np.abs(p[0] - p[1:]).mean(axis=-1)
