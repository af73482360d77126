"""The scores of one set of systems by people and metrics, and what people say of every pair of systems on an item."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.agreement.items import in_content_order
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.names import count, natural_order
from metaeval.errors import ScoresError
from metaeval.running.equality import difference, reaches, settle
from metaeval.table.scores import better_direction


@dataclass(frozen=True, kw_only=True, eq=False)
class MetaCells:
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
    clusters: Ints
    """Shape (item,)."""
    over: str
    """What a system score is a mean of: "all" items, or those in "common" with people."""
    second: Floats
    """Other human scores, NaN throughout where they lack a cell that people scored. Shape (name, system, item)."""
    as_published: bool = False
    """Whether two scores of an item tie only if they are the same number in a computer."""

    @cached_property
    def there(self) -> Flags:
        """Which cells people scored."""
        return np.isfinite(self.human)

    @cached_property
    def filled(self) -> Floats:
        """The metrics' scores, the mean of the system where there is none."""
        if np.isfinite(self.scores).all():
            return self.scores
        observed = np.isfinite(self.scores)
        means = np.where(observed, self.scores, 0.0).sum(axis=-1) / np.maximum(observed.sum(axis=-1), 1)
        return np.where(observed, self.scores, means[..., None])

    @cached_property
    def on_cells(self) -> tuple[Floats, Floats]:
        """The human scores, and those of every metric, on the cells that people scored: (cell,) and (metric, cell)."""
        return self.human[self.there], self.scores[:, self.there]

    @cached_property
    def human_means(self) -> Floats:
        """People's score of every system, means that are equal up to rounding made equal."""
        scores, n = np.where(self.there, self.human, 0.0), self.there.sum(axis=1)
        means = settle(scores.sum(axis=1) / n, np.abs(scores).sum(axis=1) / n)
        return np.where(np.isfinite(self.given_human), self.given_human, means) if self.over == "all" else means

    @cached_property
    def metric_means(self) -> Floats:
        """Every metric's score of every system, likewise. Shape (metric, system)."""
        if self.over == "common":
            scores, n = np.where(self.there, self.filled, 0.0), self.there.sum(axis=1)
            return settle(scores.sum(axis=-1) / n, np.abs(scores).sum(axis=-1) / n)
        means = settle(self.filled.mean(axis=-1), np.abs(self.filled).mean(axis=-1))
        return np.where(np.isfinite(self.given), self.given, means)

    @cached_property
    def complete(self) -> Flags:
        """Which items people scored for every system."""
        return self.there.all(axis=0)

    @cached_property
    def n_ordered(self) -> Ints:
        """On how many items, of those that people scored, every metric gives not all systems one score."""
        there = self.there & (self.there.sum(axis=0) > 1)
        high, low = (np.where(there, self.scores, end) for end in (-np.inf, np.inf))
        size = np.where(there, np.abs(self.scores), 0.0).max(axis=1)
        return np.asarray((high.max(axis=1) - low.min(axis=1) > 1e-12 * size).sum(axis=1))

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of systems."""
        first, second = np.triu_indices(len(self.systems), 1)
        return first, second

    @cached_property
    def verdicts(self) -> "Verdicts":
        """What people say of every pair of systems on every item."""
        return Verdicts.of(self)

    @cached_property
    def sorted_gaps(self) -> list[tuple[Ints, Ints, NDArray[np.int8]]]:
        """For every metric the verdicts by the size of its difference, where sizes end, and which system it prefers."""
        first, second = (side[self.verdicts.pair] for side in self.pairs)
        return [_sorted_gap(scores[first, self.verdicts.item], scores[second, self.verdicts.item], self)
                for scores in self.scores]  # fmt: skip

    def among(self, systems: Sequence[int]) -> "MetaCells":
        """Return some of the systems."""
        at = np.asarray(systems)
        return replace(
            self,
            systems=tuple(self.systems[system] for system in at),
            human=self.human[at],
            scores=self.scores[:, at],
            given=self.given[:, at],
            given_human=self.given_human[at],
            second=self.second[:, at],
        )

    def with_scores(self, names: Sequence[str], scores: Floats) -> "MetaCells":
        """Return the set with other metrics, of which no score of systems is given."""
        return replace(self, metrics=tuple(names), scores=scores, given=np.full(scores.shape[:2], np.nan))

    def standardised(self) -> "MetaCells":
        """Bring every metric to mean 0 and variance 1 over the cells that people scored, for exchanges."""
        cells = self.on_cells[1]
        size = np.abs(cells).max(axis=1)
        middle, spread = cells.mean(axis=1), cells.std(axis=1)
        spread = np.where(spread > 1e-12 * size, spread, 1.0)
        means = (self.metric_means.T - middle) / spread  # the means that are compared, equal ones equal
        scores = (self.scores - middle[:, None, None]) / spread[:, None, None]
        return replace(self, scores=scores, given=means.T)


def cells_of_set(  # noqa: PLR0913 - one set, and how it is read
    name: str, scores: xr.DataArray, reference: str, *, over: str, as_published: bool, ceiling: Sequence[str] = ()
) -> MetaCells:
    """Lay out a set: the systems that people scored, every metric turned so that higher is better.

    A metric that lacks a cell which people scored is refused by name.
    """
    table = in_content_order(scores, reference)
    if as_published:  # whose values depend on the order of systems
        table = table.sel({dim: natural_order(table[dim].to_numpy().tolist()) for dim in ("system", "item")})
    names = [str(column) for column in table["metric"].to_numpy()]
    sign = better_direction(table) if "higher_is_better" in table.coords else np.ones(len(names))
    values = table.to_numpy() * sign[:, None, None]
    system_scores = np.full(values.shape[:2], np.nan)
    if "system_score" in table.coords:
        system_scores = table["system_score"].transpose("metric", "system").to_numpy() * sign[:, None]
    at = names.index(reference)
    judged = np.isfinite(values[at]).any(axis=1)
    if judged.sum() < 2:  # noqa: PLR2004 - a pair
        raise ScoresError(
            f"{set_of(name)}people ({reference}) scored {count(int(judged.sum()), 'system')}; a comparison takes two"
        )
    others = [index for index in range(len(names)) if index != at and names[index] not in ceiling]
    values, system_scores = values[:, judged], system_scores[:, judged]
    lacking = np.isfinite(values[at]) & ~np.isfinite(values[others])
    if lacking.any():
        metric, system, item = (int(indices[0]) for indices in np.nonzero(lacking))
        n = int(lacking[metric].sum())
        message = (
            f"{set_of(name)}{names[others[metric]]} has no score in {n} of the cells that people scored, such as "
            f"system {table['system'].to_numpy()[judged][system]}, item {table['item'].to_numpy()[item]}; fill it in, "
            "or leave the metric out (`metrics`)"
        )
        raise ScoresError(message)
    gone = np.full(values.shape[1:], np.nan)
    second = [values[names.index(column)] if column in names else gone for column in ceiling]
    second = [gone if (np.isfinite(values[at]) & ~np.isfinite(column)).any() else column for column in second]
    clusters = table["cluster"].to_numpy() if "cluster" in table.coords else np.arange(table.sizes["item"])
    return MetaCells(
        name=name,
        metrics=tuple(names[index] for index in others),
        systems=tuple(map(str, table["system"].to_numpy()[judged])),
        human=values[at],
        scores=values[others],
        given=system_scores[others],
        given_human=system_scores[at],
        clusters=clusters,
        over=over,
        second=np.array(second).reshape(len(ceiling), *values.shape[1:]),
        as_published=as_published,
    )


def set_of(name: str) -> str:
    """Return how a message about a set begins."""
    return f"{name}: " if name else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """Pairs of systems that people scored on an item, each with its weight: every item counts once."""

    pair: Ints
    item: Ints
    human: NDArray[np.int8]
    """Which one people prefer: 1, -1, or 0."""
    weight: Floats
    """1 over the pairs of the item."""
    n_items: int

    @classmethod
    def of(cls, cells: MetaCells) -> "Verdicts":
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

    def right(self, cells: MetaCells, chosen: Flags | None = None) -> tuple[Flags, Floats]:
        """Return which verdicts each metric shares with people, and its threshold of ties, fitted to `chosen` items."""
        first, second = (side[self.pair] for side in cells.pairs)
        shared = np.empty((len(cells.metrics), len(self.pair)), dtype=bool)
        thresholds = np.empty(len(cells.metrics))
        for metric, scores in enumerate(cells.scores):
            a, b = scores[first, self.item], scores[second, self.item]
            size = np.zeros(len(a)) if cells.as_published else np.abs(a) + np.abs(b)
            gap = _gap(a, b, cells)
            agree = np.sign(gap) == self.human
            apart = np.abs(gap)
            use = slice(None) if chosen is None else chosen[self.item]
            thresholds[metric], highest = best_threshold(
                apart[use], size[use], agree[use], self.human[use] == 0, self.weight[use]
            )
            tied = apart <= highest if cells.as_published else reaches(highest, apart, size)
            shared[metric] = np.where(tied, self.human == 0, agree)
        return shared, thresholds


def _gap(a: Floats, b: Floats, cells: MetaCells) -> Floats:
    """Return a - b, 0 where the two are equal up to rounding, or the same."""
    return a - b if cells.as_published else difference(a, b, np.abs(a), np.abs(b))


def _sorted_gap(a: Floats, b: Floats, cells: MetaCells) -> tuple[Ints, Ints, NDArray[np.int8]]:
    gap = _gap(a, b, cells)
    size = np.zeros(len(a)) if cells.as_published else np.abs(a) + np.abs(b)
    order, ends = _ends_of(np.abs(gap), size)
    return order, ends, np.sign(gap[order]).astype(np.int8)


def _ends_of(apart: Floats, size: Floats) -> tuple[Ints, Ints]:
    """Return the order of differences by size, and the places where the next is larger, beyond rounding."""
    order = np.argsort(apart, kind="stable")
    return order, np.flatnonzero(np.diff(apart[order], append=np.inf) > 1e-12 * size[order])


def best_threshold(apart: Floats, size: Floats, agree: Flags, tied: Flags, weight: Floats) -> tuple[float, float]:
    """Return the least difference up to which pairs are best called ties, and the largest that counts as equal to it.

    One sort: at each size of difference, all pairs of no larger one are ties; differences that are equal up to rounding
    become ties together.
    """
    order, ends = _ends_of(apart, size)
    apart, gain = apart[order], (weight * (tied.astype(np.float64) - agree))[order]
    total = np.cumsum(gain)
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
