"""One task at a time: values, resamples, the jackknife, and exchanges between two metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from metaeval.agreement.meta_cells import MetaCells
from metaeval.agreement.meta_sums import MetaSums, SumsBlock, quick_soft, sums_of, used_items, values_of
from metaeval.agreement.meta_tasks import MEASURES, MetaTask
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.errors import EstimationError, ScoresError
from metaeval.running.draws import bootstrap_counts, bootstrap_indices

Exchange = Literal["published", "clusters", "items", "cells", "systems"]
Resample = Literal["items", "systems", "both"]

SENTINELS = ("ties everywhere", "item only", "system only")
"""Made-up metrics: one score for all, and people's own means of the item or of the system."""
_BLOCK = 2**23


class MetaOptions(NamedTuple):
    """The sets, the tasks, and the draws."""

    cells: Mapping[str, MetaCells]
    tasks: tuple[MetaTask, ...]
    seed: int
    n_resamples: int
    n_flips: int
    exchange: Exchange
    resample: Resample

    def of(self, task: MetaTask) -> list[MetaCells]:
        """Return the sets of a task, with the metrics that all of them have."""
        every = [self.cells[test_set] for test_set in task.sets]
        common = [name for name in every[0].metrics if all(name in test_set.metrics for test_set in every)]
        if not common:
            raise ScoresError(f"{task.name}: no metric is in all of its sets")
        return [
            test_set
            if test_set.metrics == tuple(common)
            else _with_metrics(test_set, [test_set.metrics.index(name) for name in common])
            for test_set in every
        ]

    def generator(self, purpose: str, name: str, *more: int) -> np.random.Generator:
        """Return the generator of a purpose for a set: tasks of a set share its draws."""
        words = [*purpose.encode(), 0, *name.encode()]
        return np.random.default_rng([self.seed, len(words), *words, *more])

    def unit(self, task: MetaTask) -> str:
        """Return what a task exchanges."""
        if self.exchange == "published":
            return MEASURES[task.measure].published[task.level] if task.group == "none" else f"{task.group}s"
        if self.exchange == "clusters":
            if task.level == "system" and task.measure != "spa":
                return "systems"
            return "systems" if task.group == "system" else "clusters"
        return self.exchange


def _with_metrics(cells: MetaCells, at: Sequence[int]) -> MetaCells:
    return replace(
        cells,
        metrics=tuple(cells.metrics[metric] for metric in at),
        scores=cells.scores[[*at]],
        given=cells.given[[*at]],
    )


class Found(NamedTuple):
    """Results of one task."""

    metrics: tuple[str, ...]
    columns: Mapping[str, Floats]
    """What the table says of every metric."""
    n_units: int
    """The fewest clusters, of a set, that the values rest on."""
    drawn: Floats | None
    """The measure on resamples, less its value there. Shape (resample, metric)."""
    jackknife: Mapping[str, Floats]
    """By set, the measure without each system, less their mean. Shape (system, metric)."""
    hybrids: Floats
    """Differences of the hybrids of every pair of metrics (upper triangle). Shape (pair, resample)."""
    observed: Floats
    """The difference that they are compared with. Shape (pair,)."""
    sentinels: Floats
    sentinel_items: Ints
    """Items that the value of every made-up metric rests on."""
    unit: str


def measure_task(place: int, asked: MetaOptions) -> Found:
    """Do everything that one task asks for, chance aside."""
    task = asked.tasks[place]
    every = asked.of(task)
    unit = asked.unit(task)
    used = [used_items(task, cells) for cells in every]
    values = values_of(task, every, asked.n_flips, asked.generator("flips", task.name))
    made = [_sentinels(cells) for cells in every]
    try:
        hybrids, observed = _hybrids(task, every, unit, asked)
    except EstimationError:
        if asked.exchange not in {"clusters", "published"}:
            raise
        n_pairs = len(every[0].metrics) * (len(every[0].metrics) - 1) // 2
        hybrids, observed, unit = np.full((n_pairs, asked.n_resamples), np.nan), np.full(n_pairs, np.nan), ""
    return Found(
        metrics=every[0].metrics,
        columns=values._asdict()
        | {"n_items": sum(cells.sum(axis=1) for cells in used), "n_ordered": sum(cells.n_ordered for cells in every)},
        n_units=min(len(np.unique(cells.clusters[at.any(axis=0)])) for cells, at in zip(every, used, strict=True)),
        drawn=_drawn(task, every, asked) if asked.resample != "systems" else None,
        jackknife=_jackknife(task, every, asked) if asked.resample != "items" else {},
        hybrids=hybrids,
        observed=observed,
        sentinels=np.where(_lacking(every), np.nan, quick_measure(task, made, asked)),
        sentinel_items=np.where(_lacking(every), 0, sum(used_items(task, cells).sum(axis=1) for cells in made)),
        unit=unit,
    )


def _sentinels(cells: MetaCells) -> MetaCells:
    human, there = np.where(cells.there, cells.human, 0.0), cells.there
    by_item = human.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    flat = np.zeros(human.shape)
    tables = np.array([flat, by_item + flat, cells.human_means[:, None] + flat, *cells.second])
    lacking = np.isnan(tables).all(axis=(1, 2))
    return cells.with_scores([*map(str, range(len(tables)))], np.where(lacking[:, None, None], 0.0, tables))


def _lacking(every: Sequence[MetaCells]) -> Flags:
    """Say which rows of `_sentinels` are not known in some set."""
    gone = np.array([np.isnan(cells.second).all(axis=(1, 2)) for cells in every]).any(axis=0)
    return np.concatenate([np.zeros(len(SENTINELS), dtype=bool), gone])


def quick_measure(task: MetaTask, every: Sequence[MetaCells], asked: MetaOptions) -> Floats:
    """Return a measure of every metric, spa by the normal distribution."""
    if task.measure == "spa":
        return quick_soft(every[0])
    return values_of(task, every, asked.n_flips, asked.generator("flips", task.name)).value


def _product(weights: Floats, parts: Floats) -> Floats:
    """Return sums (draw, metric, sum) of what units add, weighted."""
    n_metrics, n_units, n_sums = parts.shape
    flat = parts.transpose(1, 0, 2).reshape(n_units, n_metrics * n_sums)
    return (weights @ flat).reshape(len(weights), n_metrics, n_sums)


def measured_metrics(sums: MetaSums, weights: Sequence[Floats]) -> Floats:
    """Return a measure of every metric under weights of the units of every block. Shape (draw, metric)."""
    parts = np.concatenate([_product(w, block.parts) for w, block in zip(weights, sums.blocks, strict=True)], axis=-1)
    shared = np.concatenate([w @ block.shared for w, block in zip(weights, sums.blocks, strict=True)], axis=-1)
    return sums.finish(parts, shared[:, None, :])


def _drawn(task: MetaTask, every: Sequence[MetaCells], asked: MetaOptions) -> Floats | None:
    """Return a measure on resampled clusters, less that of all; None where it is no function of sums over them."""
    try:
        sums = sums_of(task, every, "clusters")
    except EstimationError:
        return None
    per_set = len(sums.blocks) // len(every)
    weights: list[Floats] = []
    for cells in every:
        n = int(cells.clusters.max()) + 1
        generator = asked.generator("resamples", cells.name)
        weights += [bootstrap_counts(bootstrap_indices(generator, asked.n_resamples, n), n)] * per_set
    estimate = measured_metrics(sums, [np.ones((1, block.parts.shape[1])) for block in sums.blocks])
    return measured_metrics(sums, weights) - estimate


def _jackknife(task: MetaTask, every: Sequence[MetaCells], asked: MetaOptions) -> dict[str, Floats]:
    deviations = {}
    for index, cells in enumerate(every):
        n = len(cells.systems)
        if n > 3:  # noqa: PLR2004 - a correlation of systems takes three
            rows = [
                quick_measure(
                    task,
                    [
                        *every[:index],
                        cells.among([system for system in range(n) if system != out]),
                        *every[index + 1 :],
                    ],
                    asked,
                )
                for out in range(n)
            ]
            deviations[cells.name] = np.array(rows) - np.mean(rows, axis=0)
    return deviations


def _hybrids(task: MetaTask, every: Sequence[MetaCells], unit: str, asked: MetaOptions) -> tuple[Floats, Floats]:
    """Return the differences between the hybrids of every pair of metrics, and those between the metrics themselves."""
    standard = [cells.standardised() for cells in every]
    if unit == "systems" and task.level == "system":
        standard = [replace(base, given=_standard(base.metric_means)) for base in standard]
    if unit == "pairs" or task.group != "none":
        standard = list(every)  # verdicts, and correlations of each group, are exchanged as they are
    sums = sums_of(task, standard, unit)
    n_metrics, n = len(every[0].metrics), asked.n_resamples
    first, second = np.triu_indices(n_metrics, 1)
    differences = np.empty((len(first), n))
    widest = max(block.parts.shape[1] for block in sums.blocks)
    per_set = len(sums.blocks) // len(every)
    generators = [asked.generator(f"exchange {unit}", base.name) for base in every]
    shared = np.concatenate([block.shared.sum(axis=0) for block in sums.blocks], axis=-1)
    total = np.concatenate([block.parts.sum(axis=1) for block in sums.blocks], axis=-1)
    step = max(1, min(n, _BLOCK // max(widest, n_metrics * total.shape[-1])))
    for start in range(0, n, step):
        size = min(step, n - start)
        parts = []
        for index, block in enumerate(sums.blocks):
            parts.append(_exchanged(block, generators[index // per_set], size))
        retained = np.concatenate(parts, axis=-1)  # (draw, metric, sum): what each metric keeps
        exchanged = total - retained
        at = 0
        for base in range(n_metrics - 1):
            others = slice(base + 1, n_metrics)
            left = sums.finish(retained[:, base : base + 1] + exchanged[:, others], shared)
            right = sums.finish(retained[:, others] + exchanged[:, base : base + 1], shared)
            rows = n_metrics - 1 - base
            differences[at : at + rows, start : start + size] = (left - right).T
            at += rows
    observed = sums.finish(total, shared)
    return differences, observed[first] - observed[second]


def _exchanged(block: SumsBlock, generator: np.random.Generator, size: int) -> Floats:
    if not block.parts.shape[-1]:
        return np.zeros((size, len(block.parts), 0))
    keeps = generator.integers(0, 2, (size, block.parts.shape[1]), dtype=np.int8).astype(np.float64)
    return _product(keeps, block.parts)


def _standard(means: Floats) -> Floats:
    spread = means.std(axis=-1, keepdims=True)
    return (means - means.mean(axis=-1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
