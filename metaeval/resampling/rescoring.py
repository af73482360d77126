"""One replicate of reduced judgments: all runs scored again, and which pairs of them differ significantly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import metric_values
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.reductions import Reduced
from metaeval.resampling.replicates import COMPILED, Arrays
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running.draws import resolve_seed
from metaeval.running.equality import settled_means
from metaeval.running.parallel import limit_threads
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.sensitivity import SENSITIVITY

FEWEST = 2
"""Topics that a test needs, and systems that a ranking does."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """What every replicate does; small, for it travels to the workers."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    top_level: int
    grades: NDArray[np.float64] | None
    metrics: tuple[AnyMetric, ...]
    reduction: str
    steps: tuple[float, ...]
    pool_depth: int | None
    counted: NDArray[np.bool_]
    rel: float | None
    testing: "PairTest"
    n_tested: int
    full_verdicts: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """How pairs of systems are tested."""

    systems: tuple[int, ...]
    """Places of the systems whose pairs are tested."""
    test: str
    correction: str | None
    alpha: float
    n_resamples: int | None
    """See `metaeval.compare_systems`."""

    @property
    def n_pairs(self) -> int:
        """Pairs that are tested."""
        return len(self.systems) * (len(self.systems) - 1) // 2


class PairDecisions(NamedTuple):
    """What a test says of all pairs."""

    better: NDArray[np.int8]
    """1 or -1 for the system that is significantly better, 0 for neither. Shape (metric, pair)."""
    required: NDArray[np.float64]
    """Difference required; missing where the test does not give it. Shape (metric,)."""
    count_error: NDArray[np.float64]
    """Monte-Carlo standard error of the number of significant pairs: what the resamples leave open. Shape (metric,)."""


def replicate_of_arrays(
    number: int, generator: np.random.Generator, plan: Plan, *arrays: NDArray[np.generic]
) -> Arrays:
    """Do one replicate in a worker, where the collection arrives as bare arrays."""
    # kernels are compiled for arrays that may be written to, so those that may not are copied
    by_field = {name: np.asarray(array) for name, array in zip(COMPILED, arrays, strict=True)}
    by_field = {name: array if array.flags.writeable else array.copy() for name, array in by_field.items()}
    collection = Collection(
        systems=plan.systems,
        topics=plan.topics,
        document_ids=np.empty(0, dtype="S1"),  # no random reduction looks at the names of documents
        top_level=plan.top_level,
        grades=plan.grades,
        tied=np.full(len(plan.systems), np.nan),
        **cast("dict[str, Any]", by_field),
    )
    return replicate_of_collection(number, generator, plan, collection)


def replicate_of_collection(
    number: int, generator: np.random.Generator, plan: Plan, collection: JudgedCollection
) -> Arrays:
    """Do one replicate: reduce the judgments, score all runs again, and test their pairs where that is asked for."""
    with limit_threads(1):
        reduced = reduce_judgments(
            collection,
            reduction=plan.reduction,
            steps=plan.steps,
            rng=generator,
            pool_depth=plan.pool_depth,
            rel=plan.rel,
        )
        scored = list(scores_by_step(collection, plan.metrics, reduced, plan.counted))
        tested = number < plan.n_tested
        seed = resolve_seed(generator)  # one for all steps, so that none depends on which others are asked for
        topics = reduced.topics & plan.counted
        test_counts = [_found(*pair, plan, seed) for pair in zip(scored, topics, strict=True)] if tested else []
    arrays: Arrays = {
        "mean": np.stack([settled_means(values) for values in scored]),
        "judged": reduced.judged,
        "relevant": reduced.relevant,
        "topics": topics.sum(axis=1),
        "emptied": reduced.emptied,
        "notes": np.frombuffer("\n".join(reduced.notes).encode(), dtype=np.uint8),
    }
    return arrays | {"found": np.stack(test_counts)} if tested else arrays


def scores_by_step(
    collection: JudgedCollection, metrics: tuple[AnyMetric, ...], reduced: Reduced, counted: NDArray[np.bool_]
) -> Iterator[NDArray[np.float64]]:
    """Yield the scores under the judgments left at every step, shape (metric, system, topic)."""
    for levels, mask in zip(reduced.levels, reduced.topics & counted, strict=True):
        yield metric_values(collection.rejudge(levels), metrics)[:, :, mask]


def _found(values: NDArray[np.float64], kept: NDArray[np.bool_], plan: Plan, seed: int) -> NDArray[np.float64]:
    """Count what a test finds, shape (metric, 5).

    Pairs that differ significantly; those of them that do not in the same direction under the full judgments; those
    that do in the opposite direction there; then the difference required, and the Monte-Carlo error of the first.
    """
    if values.shape[2] < FEWEST:
        return np.full((len(values), 5), np.nan)
    decided = verdicts(values, plan.systems, [*compress(plan.topics, kept)], plan.metrics, plan.testing, seed)
    better, full = decided.better, plan.full_verdicts
    counts = (better != 0, (better != 0) & (better != full), better * full < 0)
    return np.stack([*(flags.sum(axis=1) for flags in counts), decided.required, decided.count_error], axis=1)


def verdicts(  # noqa: PLR0913, PLR0917 - scores, their names, and a test
    values: NDArray[np.float64],
    systems: Sequence[str],
    topics: Sequence[str],
    metrics: tuple[AnyMetric, ...],
    testing: PairTest,
    seed: int,
) -> PairDecisions:
    """Test all pairs of the systems that are to be tested; what is drawn goes by the names."""
    chosen = values[:, list(testing.systems)]
    if chosen.shape[2] < FEWEST:
        nothing = np.zeros((len(values), testing.n_pairs), dtype=np.int8)
        return PairDecisions(nothing, *np.full((2, len(values)), np.nan))
    directions = {metric.name: metric.higher_is_better for metric in metrics}
    names = [systems[index] for index in testing.systems]
    scores = as_scores(
        chosen, metrics=list(directions), systems=names, topics=list(topics), higher_is_better=directions
    )
    options: dict[str, Any] = {"n_resamples": testing.n_resamples} if testing.n_resamples is not None else {}
    options |= {"alpha": testing.alpha, "rng": seed, "n_threads": 1}
    if testing.test == SENSITIVITY:
        sensitivity = bootstrap_sensitivity(scores, **options)
        required = sensitivity.summary()["difference_required"].to_numpy()
        result = sensitivity.comparison(testing.correction or "none")
    else:
        required = np.full(len(values), np.nan)
        result = compare_systems(scores, test=testing.test, correction=testing.correction, **options)
    return PairDecisions(result.verdicts(), required, result.power_errors() * result.n_pairs)
