"""The laws: what every metric obeys, or would give wrong numbers, and what it declares of itself."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.base.arrays import Flags, Floats
from metaeval.base.faults import fault
from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import MetaevalError
from metaeval.metrics.bounds import BoundsError, MetricError
from metaeval.metrics.lists import ranked_lists
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import lists_of, metric_values
from metaeval.testing.simulated import LONGEST, Qrels, Rankings, cutoff_of

TOLERANCE = 1e-9
RAISED = "no score: "
"""What is said of a metric that raises begins so."""


class BrokenLawError(AssertionError):
    """A law that a metric breaks, and on what."""


class Law(NamedTuple):
    """What is tried on every collection."""

    words: str
    """What it says."""
    check: Callable[[Metric, JudgedCollection, Rankings, Qrels], None] | None
    """Raises where the law is broken; None: it is about the name and not about scores."""
    declared: Callable[[Metric], bool] = lambda _: True
    """Whether it is asked of a metric."""
    on_documents_only: bool = False
    beyond: Callable[[Metric], str] = lambda _: ""
    """Why it cannot be tried on a metric; empty as a rule."""
    every_use: bool = False
    """Whether it is tried under other gains and on condensed lists too, where the metric's name leaves them open."""


def how_broken(law: Law, metric: Metric, collection: JudgedCollection, rankings: Rankings, qrels: Qrels) -> str:
    """Say how a law is broken on one input; empty where it holds there."""
    try:
        if law.check is not None:
            law.check(metric, collection, rankings, qrels)
    except BoundsError as error:
        return str(error).partition("; correct the metric")[0]
    except BrokenLawError as error:
        return str(error)
    except MetricError as error:
        return f"{RAISED}{error if error.__cause__ is None else fault(error.__cause__)}"
    except Exception as error:  # noqa: BLE001 - the author's own code may raise anything
        return f"{RAISED}{fault(error)}"
    return ""


def broken_name(metric: Metric, registry: Registry) -> str:
    """Say which name of a metric reads back as another one; empty where none does."""
    if metric.spec.name in registry and registry[metric.spec.name] == metric.spec:
        for name in (metric.name, metric.full_name):
            try:
                same = registry.resolve(name) == metric
            except MetaevalError as error:
                return f"the name {name!r} cannot be read: {error}"
            if not same:
                return f"the name {name!r} reads back as another metric"
    return ""


def scores_of_rankings(metric: Metric, rankings: Mapping[str, Mapping[str, list[str]]], qrels: Qrels) -> Floats:
    """Return the scores of rankings, shape (n_systems, n_topics)."""
    return metric_values(collection_from_rankings(rankings, qrels), [metric])[0]


def changed(
    rankings: Rankings, change: Callable[[str, list[str]], list[str]], *, without: str | None = None
) -> Rankings:
    """Return rankings with every list changed, and without one topic."""
    return {
        system: {topic: change(topic, names) for topic, names in lists.items() if topic != without}
        for system, lists in rankings.items()
    }


def ideal_rankings(qrels: Qrels) -> dict[str, list[str]]:
    """Return the judged documents of every topic, best first."""
    return {topic: sorted(levels, key=lambda name: -levels[name]) for topic, levels in qrels.items()}


def _demand(holds: ArrayLike, text: str) -> None:
    if not bool(np.all(holds)):
        raise BrokenLawError(text)


def _same(first: ArrayLike, second: ArrayLike) -> Flags:
    return np.abs(np.asarray(first) - np.asarray(second)) <= TOLERANCE


def _check_bounds(metric: Metric, collection: JudgedCollection, _: Rankings, __: Qrels) -> None:
    metric_values(collection, [metric])  # looks at the values itself


def _check_pure(metric: Metric, collection: JudgedCollection, _: Rankings, __: Qrels) -> None:
    lists = lists_of(collection, metric)
    arrays = list(_arrays(lists))
    before = [array.tobytes() for array in arrays]
    first, second = (metric.compute(lists) for _ in range(2))
    same = [old == new.tobytes() for old, new in zip(before, arrays, strict=True)]
    _demand(same, "computing it changed the collection, or the lists that other metrics are computed from")
    _demand(first.tobytes() == second.tobytes(), "the same collection gave two different scores")


def _arrays(thing: object, seen: set[int] | None = None) -> Iterator[NDArray[Any]]:
    """Yield every array inside the lists that a metric gets, those of their collection included."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, tuple | list):
        for member in thing:
            yield from _arrays(member, seen)
    elif is_dataclass(thing) and not isinstance(thing, type):
        for field in fields(thing):
            yield from _arrays(getattr(thing, field.name), seen)
        yield from _arrays(getattr(thing, "by_document", None), seen)


def _check_order(metric: Metric, collection: JudgedCollection, _: Rankings, __: Qrels) -> None:
    turned = collection.select(systems=collection.systems[::-1], topics=collection.topics[::-1])
    scores = metric_values(collection, [metric])[0]
    _demand(
        _same(metric_values(turned, [metric])[0][::-1, ::-1], scores),
        "a score depends on the order of runs or topics, or on the other topics",
    )


def _check_alone(metric: Metric, collection: JudgedCollection, _: Rankings, __: Qrels) -> None:
    scores = metric_values(collection, [metric])[0]
    for row, system in enumerate(collection.systems):
        alone = metric_values(collection.select(systems=[system]), [metric])[0, 0]
        _demand(_same(alone, scores[row]), "a score depends on which other runs there are")
    for column, topic in enumerate(collection.topics):
        alone = metric_values(collection.select(topics=[topic]), [metric])[0, :, 0]
        _demand(_same(alone, scores[:, column]), "a score depends on which other topics there are")


def _check_names(metric: Metric, _: JudgedCollection, rankings: Rankings, qrels: Qrels) -> None:
    def other(name: str) -> str:
        return f"z{name[::-1]}"

    renamed = {
        other(system): {other(topic): [other(name) for name in names] for topic, names in lists.items()}
        for system, lists in rankings.items()
    }
    judged = {other(topic): {other(name): level for name, level in levels.items()} for topic, levels in qrels.items()}
    first, second = _by_topic(metric, rankings, qrels), _by_topic(metric, renamed, judged)
    same = [_same(score, second[other(system), other(topic)]) for (system, topic), score in first.items()]
    _demand(same, "a score depends on what runs, topics or documents are called")


def _by_topic(metric: Metric, rankings: Rankings, qrels: Qrels) -> dict[tuple[str, str], float]:
    collection = collection_from_rankings(rankings, qrels)
    scores = metric_values(collection, [metric])[0]
    return {
        (system, topic): float(scores[row, column])
        for row, system in enumerate(collection.systems)
        for column, topic in enumerate(collection.topics)
    }


def _check_nothing_relevant(metric: Metric, collection: JudgedCollection, _: Rankings, __: Qrels) -> None:
    value = metric.without_relevant
    if value is None or len(collection.topics) < 2:  # noqa: PLR2004 - the second one is made barren
        return
    documents = collection.by_document
    barren = collection.rejudge(
        np.where(documents.topic_of_judgment == 1, np.minimum(documents.levels, 0), documents.levels)
    )
    scores = metric.compute(lists_of(barren, metric))[:, 1]
    _demand(
        _same(scores, value),
        f"a topic with nothing relevant scores {scores.tolist()}, but `without_relevant={value:g}` is declared",
    )


def _check_cutoff(metric: Metric, _: JudgedCollection, rankings: Rankings, qrels: Qrels) -> None:
    k = cutoff_of(metric) or 0
    cut = changed(rankings, lambda topic, names: _first(names, k, qrels[topic], metric))
    _demand(
        _same(scores_of_rankings(metric, cut, qrels), scores_of_rankings(metric, rankings, qrels)),
        f"a document below rank {k} changes the score",
    )


def _first(names: list[str], k: int, judged: Mapping[str, int], metric: Metric) -> list[str]:
    if not dict(metric.parameters).get("judged_only"):
        return names[:k]
    return [name for name in names if name in judged][:k] or names[:1]


def _check_condensed(metric: Metric, _: JudgedCollection, rankings: Rankings, qrels: Qrels) -> None:
    generator = np.random.default_rng(0)
    condensed = replace(metric, parameters=_with(metric, judged_only=True))
    plain = replace(metric, parameters=_with(metric, judged_only=False))

    judged = {topic: {name for name, level in levels.items() if level >= 0} for topic, levels in qrels.items()}
    # a list without any judged document has length 0 when condensed, and would then count as absent
    with_judged = changed(
        rankings, lambda topic, names: names if judged[topic] & {*names} else [*names, min(judged[topic])]
    )
    removed = changed(with_judged, lambda topic, names: [name for name in names if name in judged[topic]])
    scores = scores_of_rankings(condensed, with_judged, qrels)
    _demand(
        _same(scores, scores_of_rankings(plain, removed, qrels)),
        "`judged_only=True` differs from the same lists without their unjudged documents",
    )
    stuffed = changed(with_judged, lambda _, names: _with_strangers(names, generator))
    _demand(
        _same(scores, scores_of_rankings(condensed, stuffed, qrels)),
        "with `judged_only=True` an unjudged document changes the score",
    )


def _check_ideal(metric: Metric, _: JudgedCollection, __: Rankings, qrels: Qrels) -> None:
    if metric.spec.ideal is None:
        return
    collection = collection_from_rankings({"a": ideal_rankings(qrels)}, qrels)
    relevant = metric.n_relevant(ranked_lists(collection))
    cutoff = dict(metric.parameters).get("k")
    counted = (relevant > 0) & (relevant <= (np.inf if cutoff is None else cutoff))
    scores = metric_values(collection, [metric])[0, 0]
    _demand(
        _same(scores, metric.spec.ideal)[counted],
        f"an ideal ranking scores {scores[counted].tolist()}, but `ideal={metric.spec.ideal:g}` is declared",
    )


def _check_monotone(metric: Metric, _: JudgedCollection, rankings: Rankings, qrels: Qrels) -> None:
    generator = np.random.default_rng(0)
    worse = changed(rankings, lambda topic, names: _with_worse_order(names, qrels[topic], generator))
    gain = scores_of_rankings(metric, worse, qrels) - scores_of_rankings(metric, rankings, qrels)
    gain = gain if metric.higher_is_better else -gain
    exchanged = [
        f"{', '.join(names)} became {', '.join(worse[system][topic])}"
        for system, lists in rankings.items()
        for topic, names in lists.items()
        if names != worse[system][topic]
    ]
    asked = "it is declared monotone and " if metric.spec.monotone else ""
    better = "higher" if metric.higher_is_better else "lower"
    _demand(
        gain <= TOLERANCE,
        f"exchanging a document with a worse one further down improved the score by {gain.max():g}, although "
        f"{asked}{better} is better" + (f" ({exchanged[0]})" if len(exchanged) == 1 else ""),
    )


def _check_kernel(metric: Metric, _: JudgedCollection, rankings: Rankings, qrels: Qrels) -> None:
    slow = replace(metric, spec=replace(metric.spec, kernel=None))
    difference = np.abs(scores_of_rankings(metric, rankings, qrels) - scores_of_rankings(slow, rankings, qrels)).max()
    _demand(difference <= TOLERANCE, f"function and kernel differ by {difference:g}")
    if not metric.spec.real_grades:
        return
    # thresholds are the metric's own, and count as written: on real-valued grades they must be
    of_grades = replace(metric, given=frozenset([*dict(metric.parameters), "gains.rel"]))
    slow = replace(slow, given=of_grades.given)
    halved = {topic: {name: level / 2 for name, level in levels.items()} for topic, levels in qrels.items()}
    collection = collection_from_rankings(rankings, halved)
    difference = np.abs(metric_values(collection, [of_grades]) - metric_values(collection, [slow])).max()
    _demand(difference <= TOLERANCE, f"function and kernel differ by {difference:g} where all grades are halved")


def _with(metric: Metric, **values: object) -> tuple[tuple[str, object], ...]:
    return tuple(sorted({**dict(metric.parameters), **values}.items()))


def _with_strangers(names: list[str], generator: np.random.Generator) -> list[str]:
    stuffed = list(names)
    for number in range(3):
        stuffed.insert(int(generator.integers(len(stuffed) + 1)), f"stranger{number}")
    return stuffed


def _with_worse_order(names: list[str], levels: Mapping[str, int], generator: np.random.Generator) -> list[str]:
    judged = [position for position, name in enumerate(names) if levels.get(name, -1) >= 0]
    grades = np.array([levels[names[position]] for position in judged], dtype=np.int64)
    below_a_better = np.flatnonzero(np.maximum.accumulate(grades) > grades) if judged else grades
    swapped = list(names)
    if len(below_a_better):
        lower = int(generator.choice(below_a_better))
        upper = int(generator.choice(np.flatnonzero(grades[:lower] > grades[lower])))
        upper_position, lower_position = judged[upper], judged[lower]
        swapped[upper_position], swapped[lower_position] = names[lower_position], names[upper_position]
    return swapped


def _beyond_all_lists(metric: Metric) -> str:
    return f"lists are made for cut-offs up to {LONGEST:,}" if (cutoff_of(metric) or 0) > LONGEST else ""


MONOTONE = Law(
    "Moving a better document up never lowers the score",
    _check_monotone,
    lambda metric: metric.spec.monotone,
    on_documents_only=True,
    every_use=True,
)
LAWS = (
    Law("Every score is a finite number within the bounds", _check_bounds, every_use=True),
    Law("The same input gives the same scores, and is left as it was", _check_pure),
    Law("The order of runs and topics makes no difference", _check_order),
    Law("Other runs and topics make no difference", _check_alone),
    Law("What runs, topics and documents are called makes no difference", _check_names, on_documents_only=True),
    Law(
        "A topic with nothing relevant has the declared value",
        _check_nothing_relevant,
        lambda metric: metric.without_relevant is not None,
        every_use=True,
    ),
    Law(
        "Documents below the cut-off make no difference",
        _check_cutoff,
        lambda metric: cutoff_of(metric) is not None,
        on_documents_only=True,
        beyond=_beyond_all_lists,
        every_use=True,
    ),
    Law(
        "The condensed list is the list without its unjudged documents",
        _check_condensed,
        lambda metric: metric.spec.judged_only,
        on_documents_only=True,
    ),
    Law(
        "An ideal ranking has the declared value",
        _check_ideal,
        lambda metric: metric.spec.ideal is not None,
        on_documents_only=True,
        every_use=True,
    ),
    MONOTONE,
    Law(
        "Function and kernel agree",
        _check_kernel,
        lambda metric: metric.spec.function is not None and metric.spec.kernel is not None,
        on_documents_only=True,
        every_use=True,
    ),
    Law("The name reads back as the same metric", None),
)
