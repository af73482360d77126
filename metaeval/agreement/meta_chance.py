"""What chance alone makes of the agreement with people: a metric's scores shuffled over the systems of each item.

All ways to shuffle are gone through where there are few; else as many are drawn as decide, and more of them where the
share that reaches a value lies near the limit. Several shuffles are measured at once, as if they were metrics.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np

from metaeval.agreement.meta_cells import MetaCells
from metaeval.agreement.meta_exchanges import MetaOptions, quick_measure
from metaeval.agreement.meta_tasks import CALIBRATED, MetaTask
from metaeval.base.arrays import Floats, Ints
from metaeval.running.workers import parallel_map

LIMIT = 0.025
"""Up to this share of shuffles may reach a value that is above chance."""
_AT_ONCE = 2**21
_MOST = 2**31
"""Cells that all shuffles together may have before they are no more than were asked for."""
_TIMES = 32
_SURE = 4.0
_ROUNDING = 1e-9


class Chance(NamedTuple):
    """The measures of shuffled metrics."""

    tasks: list[Floats]
    """For every task. Shape (shuffle, metric)."""
    exact: bool
    """Whether these are all the ways to shuffle; else some at random."""


def compare_with_chance(value: Floats, shuffled: Floats, *, exact: bool) -> dict[str, Any]:
    """Return mean and upper 97.5 % limit of shuffles, the share that reaches a value with its error, and the verdict.

    Examples
    --------
    >>> found = compare_with_chance(np.array([0.9]), np.linspace(-1, 1, 1001)[:, None], exact=False)
    >>> float(found["p_chance"][0].round(4)), found["above_chance"].tolist(), float(found["chance_high"][0].round(2))
    (0.0519, [False], 0.95)
    """
    n = len(shuffled)
    unknown = np.full(len(value), np.nan)
    if not n:
        none = np.full(len(value), None)
        names = ("chance", "chance_high", "p_chance", "p_chance_error")
        return dict.fromkeys(names, unknown) | {"above_chance": none}
    defined = np.isfinite(shuffled).all(axis=0) & np.isfinite(value)
    reached = (shuffled >= value - _ROUNDING).sum(axis=0)
    p = np.where(defined, reached / n if exact else (reached + 1.0) / (n + 1.0), np.nan)
    return {
        "chance": shuffled.mean(axis=0),
        "chance_high": np.where(defined, np.quantile(shuffled, 1.0 - LIMIT, axis=0, method="higher"), np.nan),
        "p_chance": p,
        "p_chance_error": 0.0 * p if exact else np.sqrt(p * (1.0 - p) / n),
        "above_chance": np.array(
            [bool(p_value <= LIMIT) if here else None for p_value, here in zip(p, defined, strict=True)]
        ),
    }


def chance_of(asked: MetaOptions, n_chance: int, undecided: Callable[[Sequence[Floats]], bool]) -> Chance:
    """Return the measures of all ways to shuffle, where there are few, else of `n_chance` or more at random.

    Twice as many are drawn as long as those are undecided, up to 32 times what was asked for.
    """
    sets = asked.cells
    if not n_chance:
        return Chance([np.empty((0, len(asked.of(task)[0].metrics))) for task in asked.tasks], exact=False)
    if len(sets) == 1 and n_ways(next(iter(sets.values()))) <= n_chance:
        ways = {name: all_ways(cells) for name, cells in sets.items()}
        return Chance(shuffled_measures(ways, asked), exact=True)
    size = sum(cells.scores.size for cells in sets.values())
    most, at_once = max(n_chance, min(_TIMES * n_chance, _MOST // size)), max(1, _AT_ONCE // size)
    batches: list[list[Floats]] = []
    drawn, wanted = 0, n_chance
    while drawn < wanted:
        sizes = [min(at_once, wanted - start) for start in range(drawn, wanted, at_once)]
        numbers = list(range(len(batches), len(batches) + len(sizes)))
        batches += parallel_map(_drawn_measures, numbers, sizes, shared=(asked,), description="chance")
        tasks = [np.concatenate([batch[index] for batch in batches]) for index in range(len(asked.tasks))]
        drawn, wanted = wanted, min(2 * wanted, most) if undecided(tasks) else wanted
    return Chance(tasks, exact=False)


def near_limit(p: Floats, n: int) -> bool:
    """Whether any share of so many shuffles lies so near to the limit that others might decide otherwise."""
    return bool((np.abs(p - LIMIT) < _SURE * np.sqrt(LIMIT * (1.0 - LIMIT) / n)).any())


# ------------------------------------------------------------------------------------------------------------ shuffles


def n_ways(cells: MetaCells) -> int:
    """Count the ways to shuffle: scores beside human ones among themselves on every item, and the others."""
    there = cells.there.sum(axis=0).tolist()
    return prod(factorial(n) * factorial(len(cells.systems) - n) for n in there)


def all_ways(cells: MetaCells) -> Ints:
    """Return whose score every system gets. Shape (way, system, item)."""
    by_item = []
    for there in cells.there.T:
        parts = [np.flatnonzero(there), np.flatnonzero(~there)]
        ways = [*product(*(permutations(group.tolist()) for group in parts))]
        source = np.empty((len(ways), len(there)), dtype=np.int64)
        source[:, np.concatenate(parts)] = [[*first, *second] for first, second in ways]
        by_item.append(source)
    return np.array([np.stack(way, axis=1) for way in product(*by_item)])


def _drawn_ways(cells: MetaCells, size: int, generator: np.random.Generator) -> Ints:
    """Return the same for ways at random."""
    keys = generator.random((size, *cells.human.shape)) + ~cells.there
    source = np.empty(keys.shape, dtype=np.int64)
    places = np.broadcast_to(np.argsort(~cells.there, axis=0, kind="stable"), keys.shape)
    np.put_along_axis(source, places, np.argsort(keys, axis=1), axis=1)
    return source


def _drawn_measures(number: int, size: int, asked: MetaOptions) -> list[Floats]:
    ways = {
        name: _drawn_ways(cells, size, asked.generator("chance", name, number)) for name, cells in asked.cells.items()
    }
    return shuffled_measures(ways, asked)


def shuffled_measures(ways: Mapping[str, Ints], asked: MetaOptions) -> list[Floats]:
    """Return the measures of every metric (way, metric) for every task; NaN where a measure takes too long."""
    shuffled = {
        name: np.take_along_axis(asked.cells[name].filled[None], source[:, None], axis=2)
        for name, source in ways.items()
    }
    return [_measures_of(task, ways, shuffled, asked) for task in asked.tasks]


def _measures_of(
    task: MetaTask, ways: Mapping[str, Ints], shuffled: Mapping[str, Floats], asked: MetaOptions
) -> Floats:
    every = asked.of(task)
    n_ways, n_metrics = len(next(iter(ways.values()))), len(every[0].metrics)
    if task.measure == "kendall" and task.level == "item" and task.group == "none":
        return np.full((n_ways, n_metrics), np.nan)
    at = {name: [asked.cells[name].metrics.index(metric) for metric in every[0].metrics] for name in task.sets}
    if task.measure in CALIBRATED:
        (name,) = task.sets
        accuracy = _calibrated(asked.cells[name], at[name], ways[name])
        return accuracy if task.measure == "acc_eq" else 2.0 * accuracy - 1.0
    names = [*map(str, range(n_ways * n_metrics))]
    stacked = [
        cells.with_scores(names, shuffled[name][:, at[name]].reshape(-1, *cells.human.shape))
        for name, cells in zip(task.sets, every, strict=True)
    ]
    return quick_measure(task, stacked, asked).reshape(n_ways, n_metrics)


def _calibrated(cells: MetaCells, metrics: Sequence[int], source: Ints) -> Floats:
    """Return accuracy with calibrated ties: shuffling changes whose differences are sorted, and not their order."""
    verdicts = cells.verdicts
    first, second = (side[verdicts.pair] for side in cells.pairs)
    prefer = np.zeros((len(cells.systems), *cells.human.shape), dtype=np.int8)
    prefer[first, second, verdicts.item], prefer[second, first, verdicts.item] = verdicts.human, -verdicts.human
    holder = np.argsort(source, axis=1)  # who gets the score of each system
    shuffled = prefer[holder[:, first, verdicts.item], holder[:, second, verdicts.item], verdicts.item]
    accuracy = np.empty((len(source), len(metrics)))
    for column, metric in enumerate(metrics):
        order, ends, sign = cells.sorted_gaps[metric]
        human_sign, weight = shuffled[:, order], verdicts.weight[order]
        agree = human_sign == sign
        gain = np.cumsum(weight * ((human_sign == 0).astype(np.float64) - agree), axis=1)[:, ends]
        accuracy[:, column] = agree @ weight + np.maximum(gain.max(axis=1, initial=0.0), 0.0)
    return accuracy / verdicts.n_items
