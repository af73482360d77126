"""One replicate of reduced judgments: all runs scored again, and which pairs of them differ significantly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from metaeval.collection.base import JudgedCollection
from metaeval.collection.documents import Collection
from metaeval.equality import settled_means
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.score import metric_values
from metaeval.parallel import limit_threads
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.reductions import Reduced
from metaeval.resampling.replicates import COMPILED, Arrays
from metaeval.scores import as_scores
from metaeval.tests_stat.catalogue import compare_systems

__all__ = [
    "FEWEST",
    "Plan",
    "counted_topics",
    "replicate_of_arrays",
    "replicate_of_collection",
    "scores_by_step",
    "verdicts",
]

FEWEST = 2
"""Topics that a test needs, and systems that a ranking does."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """What every replicate does; small, for it travels to the workers."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    top_level: int
    metrics: tuple[AnyMetric, ...]
    reduction: str
    steps: tuple[float, ...]
    pool_depth: int | None
    counted: NDArray[np.bool_]
    test: str
    correction: str | None
    alpha: float
    n_tested: int
    full_verdicts: NDArray[np.int8]


def replicate_of_arrays(
    number: int, generator: np.random.Generator, plan: Plan, *arrays: NDArray[np.generic]
) -> Arrays:
    """Do one replicate in a worker, where the collection arrives as bare arrays."""
    # kernels are compiled for arrays that may be written to, so those that may not are copied
    own = {name: np.asarray(array) for name, array in zip(COMPILED, arrays, strict=True)}
    own = {name: array if array.flags.writeable else array.copy() for name, array in own.items()}
    collection = Collection(
        systems=plan.systems,
        topics=plan.topics,
        document_ids=np.empty(0, dtype="S1"),  # no random reduction looks at the names of documents
        top_level=plan.top_level,
        tied=np.full(len(plan.systems), np.nan),
        **cast("dict[str, Any]", own),
    )
    return replicate_of_collection(number, generator, plan, collection)


def replicate_of_collection(
    number: int, generator: np.random.Generator, plan: Plan, collection: JudgedCollection
) -> Arrays:
    """Do one replicate: reduce the judgments, score all runs again, and test their pairs where that is asked for."""
    with limit_threads(1):
        reduced = reduce_judgments(
            collection, reduction=plan.reduction, steps=plan.steps, rng=generator, pool_depth=plan.pool_depth
        )
        scored = list(scores_by_step(collection, plan.metrics, reduced, plan.counted))
        tested = number < plan.n_tested
        found = [_found(values, plan, generator) for values in scored] if tested else []
    arrays: Arrays = {
        "mean": np.stack([settled_means(values) for values in scored]),
        "judged": reduced.judged,
        "relevant": reduced.relevant,
        "topics": (reduced.topics & plan.counted).sum(axis=1),
        "emptied": reduced.emptied,
        "notes": np.frombuffer("\n".join(reduced.notes).encode(), dtype=np.uint8),
    }
    return arrays | {"found": np.stack(found)} if tested else arrays


def scores_by_step(
    collection: JudgedCollection, metrics: tuple[AnyMetric, ...], reduced: Reduced, counted: NDArray[np.bool_]
) -> Iterator[NDArray[np.float64]]:
    """Yield the scores under the judgments left at every step, shape (metric, system, topic)."""
    for levels, kept in zip(reduced.levels, reduced.topics & counted, strict=True):
        yield metric_values(collection.rejudge(levels), metrics)[:, :, kept]


def _found(values: NDArray[np.float64], plan: Plan, generator: np.random.Generator) -> NDArray[np.float64]:
    """Count significantly different pairs, and those of them that the full judgments contradict, shape (metric, 2)."""
    if values.shape[2] < FEWEST:
        return np.full((len(values), 2), np.nan)
    decided = verdicts(values, plan.metrics, plan.test, plan.correction, plan.alpha, generator)
    significant = decided != 0
    return np.stack([significant.sum(axis=1), (significant & (decided != plan.full_verdicts)).sum(axis=1)], axis=1)


def verdicts(  # noqa: PLR0913, PLR0917 - as compare_systems
    values: NDArray[np.float64],
    metrics: tuple[AnyMetric, ...],
    test: str,
    correction: str | None,
    alpha: float,
    generator: np.random.Generator,
) -> NDArray[np.int8]:
    """Return for every pair which system is significantly better: 1, -1 or 0 for neither, shape (metric, pair)."""
    if values.shape[2] < FEWEST:
        n_systems = values.shape[1]
        return np.zeros((len(values), n_systems * (n_systems - 1) // 2), dtype=np.int8)
    directions = {one.name: one.higher_is_better for one in metrics}
    scores = as_scores(values, metrics=list(directions), higher_is_better=directions)
    data = compare_systems(scores, test=test, correction=correction, alpha=alpha, rng=generator, n_threads=1).data
    return (np.sign(data["difference"].to_numpy()) * data["significant"].to_numpy()).astype(np.int8)


def counted_topics(collection: Collection) -> NDArray[np.bool_]:
    """Return which topics have something relevant in the full judgments."""
    relevant = np.concatenate([[0], np.cumsum(collection.full_levels > 0)])
    return np.diff(relevant[collection.topic_offsets]) > 0
