"""What a metric is like, which no law asks: not that it is better or worse."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from metaeval.base.metric_names import GainTable
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import MetaevalError
from metaeval.metrics.bounds import MetricError
from metaeval.metrics.builtin import BUILTIN
from metaeval.metrics.quantisation import LINEAR
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import lists_of
from metaeval.simulate.collection import simulate_collection
from metaeval.testing.laws import MONOTONE, TOLERANCE, changed, how_broken, ideal_rankings, scores_of_rankings
from metaeval.testing.simulated import Qrels, Rankings, levels_for
from metaeval.testing.smallest import smallest

type _Simulated = Sequence[tuple[Rankings, Qrels]]

_DEPTH = 1_000
_REPEATS = 3


def _range_seen(metric: Metric, collections: _Simulated) -> str:
    values = np.concatenate([scores_of_rankings(metric, *collection).ravel() for collection in collections])
    return f"{values.min():.3g} to {values.max():.3g}"


def _direction_seen(metric: Metric, collections: _Simulated) -> str:
    """Compare ideal rankings with themselves upside down: the one thing that a wrong direction cannot pass."""
    sign = 1 if metric.higher_is_better else -1
    gains = []
    for _, qrels in collections:
        ideal = ideal_rankings(qrels)
        upside = {topic: names[::-1] for topic, names in ideal.items()}
        scores = sign * scores_of_rankings(metric, {"ideal": ideal, "upside": upside}, qrels)
        gains.append(scores[0] - scores[1])
    gain = np.concatenate(gains)
    better, worse = int((gain > TOLERANCE).sum()), int((gain < -TOLERANCE).sum())
    sentence = f"better than the same documents upside down on {better} of {len(gain)} topics, worse on {worse}"
    return (
        f"{sentence}: is `higher_is_better={metric.higher_is_better}` the right way round?"
        if worse > better
        else sentence
    )


def _best_seen(metric: Metric, collections: _Simulated) -> str:
    better = seen = 0
    sign = 1 if metric.higher_is_better else -1
    for rankings, qrels in collections:
        scores = sign * scores_of_rankings(metric, {"ideal": ideal_rankings(qrels), **rankings}, qrels)
        better += int((scores[1:].max(axis=0) > scores[0] + TOLERANCE).sum())
        seen += scores.shape[1]
    return (
        "no ranking scored better than the ideal one"
        if not better
        else f"on {better} of {seen} topics another ranking scored better than the ideal one"
    )


def _monotone_seen(metric: Metric, collections: _Simulated) -> str:
    if metric.spec.monotone:
        return "declared, and so one of the laws"
    for rankings, qrels in collections:
        collection = collection_from_rankings(rankings, qrels)
        if broken := how_broken(MONOTONE, metric, collection, rankings, qrels):
            return f"no: {smallest(MONOTONE, metric, rankings, qrels, broken)}"
    return "so it seems; the metric may declare it (monotone), and have it checked"


def _grades_seen(metric: Metric, collections: _Simulated) -> str:
    for rankings, qrels in collections:
        top = max(level for levels in qrels.values() for level in levels.values())
        binary = _regraded(qrels, lambda level: top if level > 0 else level)  # noqa: B023 - used at once
        if _differ(scores_of_rankings(metric, rankings, binary), scores_of_rankings(metric, rankings, qrels)):
            return "yes: a higher grade makes a difference"
    return "no: relevant or not is all that counts"


def _gains_seen(metric: Metric, collections: _Simulated) -> str:
    """Compare gains that are named with grades of the same size: the same to whom the gains are all that counts."""
    if metric.spec.gains_word != "gains":
        return "not used"
    if metric["gains"] != LINEAR:
        return "fixed by the name"
    for rankings, qrels in collections:
        levels = sorted({level for judged in qrels.values() for level in judged.values() if level > 0})
        gains = GainTable(tuple((level, float(_larger(level))) for level in levels))
        named = replace(metric, parameters=tuple(sorted({**dict(metric.parameters), "gains": gains}.items())))
        try:
            scores = scores_of_rankings(named, rankings, qrels)
        except MetaevalError as error:
            return f"not tried: {error}"
        if _differ(scores, scores_of_rankings(metric, rankings, _regraded(qrels, _larger))):
            return (
                "a grade counts beyond its gain; a function that divides by the best possible score takes it from "
                "`ideal_gains`, not from `n_per_level`"
            )
    return "a grade counts by its gain alone"


def _larger(level: int) -> int:
    return 2 * level + 1 if level > 0 else level


def _regraded(qrels: Qrels, grade: Callable[[int], int]) -> Qrels:
    return {topic: {name: grade(level) for name, level in judged.items()} for topic, judged in qrels.items()}


def _differ(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    return bool((np.abs(first - second) > TOLERANCE).any())


def _unjudged_seen(metric: Metric, collections: _Simulated) -> str:
    for rankings, qrels in collections:
        condensed = {
            system: {topic: [name for name in names if name in qrels[topic]] for topic, names in lists.items()}
            for system, lists in rankings.items()
        }
        if any(not names for lists in condensed.values() for names in lists.values()):
            continue
        if (
            np.abs(scores_of_rankings(metric, condensed, qrels) - scores_of_rankings(metric, rankings, qrels))
            > TOLERANCE
        ).any():
            return "they take up ranks: a list without them scores otherwise"
    return "taking them out of the lists made no difference"


def _end_seen(metric: Metric, collections: _Simulated) -> str:
    sign, more = 1 if metric.higher_is_better else -1, ("more1", "more2", "more3")
    gains = [
        sign
        * (
            scores_of_rankings(metric, changed(rankings, lambda _, names: [*names, *more]), qrels)
            - scores_of_rankings(metric, rankings, qrels)
        ).ravel()
        for rankings, qrels in collections
    ]
    gain = np.concatenate(gains)
    told = [("improve", gain > TOLERANCE), ("worsen", gain < -TOLERANCE)]
    return " and ".join(f"{word} {int(seen.sum())} of {len(gain)} scores" for word, seen in told if seen.any()) or (
        "make no difference"
    )


def _missing_seen(metric: Metric, _: _Simulated) -> str:
    try:
        return f"scores {metric.worst:g}, the worst value"
    except MetricError:
        return "has no score, for there is no worst value: such runs, or topics, are dropped when reading"


PROPERTIES: Mapping[str, Callable[[Metric, _Simulated], str]] = {
    "Values seen": _range_seen,
    "An ideal ranking": _direction_seen,
    "The best ranking": _best_seen,
    "Moving a better document up never lowers the score": _monotone_seen,
    "Grades count": _grades_seen,
    "Gains": _gains_seen,
    "Unjudged documents": _unjudged_seen,
    "Unjudged documents at the end of a list": _end_seen,
    "A topic that a run lacks": _missing_seen,
}


def time_seen(metric: Metric) -> str:
    """Say how long a ranking of 1,000 documents takes, beside nDCG@10 computed in the same way."""
    made = simulate_collection(
        n_groups=4, runs_per_group=1, n_topics=25, n_documents=2 * _DEPTH, depth=_DEPTH, pool_depth=50, rng=0
    )
    collection = made.to_collection()
    levels = np.array(levels_for(metric))
    lists = lists_of(collection.rejudge(levels[np.minimum(collection.levels, len(levels) - 1)]), metric)
    reference = BUILTIN.resolve("nDCG@10")
    seconds, reference_seconds = (_seconds(partial(candidate.compute, lists)) for candidate in (metric, reference))
    return (
        f"{1e6 * seconds / lists.lengths.size:.3g} µs a ranking of {_DEPTH:,} documents, "
        f"{seconds / reference_seconds:.2g} times nDCG@10"
    )


def _seconds(work: Callable[[], object]) -> float:
    work()  # compiles
    times = []
    for _ in range(_REPEATS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)
