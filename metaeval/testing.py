"""What the author of a metric runs against it: the laws that every built-in metric obeys.

Use it in any test runner::

    from metaeval.testing import check_metric

    def test_my_metric():
        check_metric(my_metric)
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.base import JudgedCollection
from metaeval.collection.elements import ElementCollection, element_collection
from metaeval.collection.inex import Assessments, Scale, Submission
from metaeval.collection.passages import PassageCollection, passage_collection
from metaeval.draws import RNGLike, resolve_rng
from metaeval.errors import InvalidOptionError
from metaeval.metrics.bounds import BoundsError
from metaeval.metrics.lists import ranked_lists
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import lists_of, metric_values
from metaeval.metrics.spec import MetricSpec
from metaeval.parallel import limit_threads

__all__ = ["check_metric", "simulated_collections"]

type _Rankings = dict[str, dict[str, list[str]]]
type _Qrels = dict[str, dict[str, int]]

_TOP_LEVEL = 3
_TOLERANCE = 1e-9


def check_metric(
    metric: str | MetricSpec | Metric,
    *,
    registry: Registry | None = None,
    n_collections: int = 20,
    scale: Scale = "2005",
    rng: RNGLike = 0,
) -> None:
    """Check that a metric obeys the laws it declares, on small simulated collections.

    Parameters
    ----------
    metric : str, MetricSpec or Metric
        A metric with required parameters is named with them: ``"P@10"``.
    registry : Registry, optional
        Where a name is looked up; the default one otherwise.
    n_collections : int, default 20
        How many collections are simulated.
    scale : {"2005", "2003", "2002"}
        Scale of the simulated assessments, for a metric of elements.
    rng : int or numpy.random.Generator, default 0
        Where they come from.

    Raises
    ------
    AssertionError
        Saying which law failed, and on what.

    Notes
    -----
    The laws: scores are finite and within the bounds; the same input gives the same scores and is left as it was;
    the order of runs and topics makes no difference; a topic with nothing relevant has the declared value; the
    condensed-list variant equals the metric on lists from which the unjudged documents were removed; an ideal
    ranking has the declared value; exchanging a document with a worse one further down does not improve the score,
    where that is declared; function and kernel agree, where both are given; the name reads back as the same metric.
    Of a metric of elements or passages the first four and the last are checked.

    Examples
    --------
    >>> check_metric("nDCG@10", n_collections=2)
    """
    known = default_registry() if registry is None else registry
    if isinstance(metric, MetricSpec) and metric.name not in known:
        known = known.extend(metric)
    resolved = known.resolve(metric)
    if not isinstance(resolved, Metric):
        message = f"check_metric needs a metric of our own, not {resolved!r}"
        raise InvalidOptionError(message)
    _check_name(resolved, known)
    generator = resolve_rng(rng).generator
    with limit_threads(1):  # waking other cores costs more than such small collections
        if resolved.on == "documents":
            for rankings, qrels in simulated_collections(generator, n_collections):
                _check_collection(resolved, collection_from_rankings(rankings, qrels), f"{rankings}, {qrels}")
                for law in _LAWS_OF_DOCUMENTS:
                    law(resolved, rankings, qrels, generator)
            return
        simulate = partial(_simulated_elements, scale=scale) if resolved.on == "elements" else _simulated_passages
        for number in range(n_collections):
            _check_collection(resolved, simulate(generator), f"simulated collection {number}")


def simulated_collections(generator: np.random.Generator, number: int) -> Iterator[tuple[_Rankings, _Qrels]]:
    """Yield small collections as rankings and qrels: graded levels, unjudged documents, lists of many lengths.

    Topic "1" always holds a document of every level, so that the top of the scale is 3.
    """
    for _ in range(number):
        qrels: _Qrels = {}
        rankings: _Rankings = {"a": {}, "b": {}, "c": {}}
        for topic in ("1", "2", "3", "4"):
            size = int(generator.integers(4, 16))
            names = [f"d{place}" for place in range(size)]
            levels = np.maximum(generator.integers(-2, _TOP_LEVEL + 1, size), 0)
            levels[0] = generator.integers(1, _TOP_LEVEL + 1)
            if topic == "1":
                levels[: _TOP_LEVEL + 1] = np.arange(_TOP_LEVEL + 1)
            qrels[topic] = dict(zip(names, levels.tolist(), strict=True))
            pool = names + [f"u{place}" for place in range(int(generator.integers(0, 10)))]
            for lists in rankings.values():
                drawn = generator.permutation(pool)[: int(generator.integers(1, len(pool) + 1))]
                lists[topic] = drawn.tolist()
        yield rankings, qrels


def _scores(metric: Metric, rankings: Mapping[str, Mapping[str, list[str]]], qrels: _Qrels) -> NDArray[np.float64]:
    return metric_values(collection_from_rankings(rankings, qrels), [metric])[0]


def _demand(holds: ArrayLike, metric: Metric, text: str) -> None:
    if not bool(np.all(holds)):
        message = f"{metric.name}: {text}"
        raise AssertionError(message)


def _check_name(metric: Metric, registry: Registry) -> None:
    if metric.spec.name in registry and registry[metric.spec.name] == metric.spec:
        for name in (metric.name, metric.full_name):
            _demand(registry.resolve(name) == metric, metric, f"the name {name!r} reads back as another metric")


def _check_collection(metric: Metric, collection: JudgedCollection, data: str) -> None:
    """Check the laws that hold for every kind of collection; `data` describes it."""
    _check_bounds(metric, collection, data)
    _check_pure(metric, collection)
    _check_order(metric, collection)
    _check_nothing_relevant(metric, collection)


def _check_bounds(metric: Metric, collection: JudgedCollection, data: str) -> None:
    try:
        metric_values(collection, [metric])
    except BoundsError as error:  # scoring looks at them itself
        message = f"{error}: {data}"
        raise AssertionError(message) from error


def _check_pure(metric: Metric, collection: JudgedCollection) -> None:
    before = [array.tobytes() for array in _arrays(collection)]
    first, second = (metric_values(collection, [metric]) for _ in range(2))
    _demand(first.tobytes() == second.tobytes(), metric, "the same collection gave two different scores")
    same = [old == new.tobytes() for old, new in zip(before, _arrays(collection), strict=True)]
    _demand(same, metric, "computing it changed the collection")


def _arrays(collection: JudgedCollection) -> list[NDArray[np.generic]]:
    """Return every array of a collection, those of its tables of columns and of its documents included."""
    values = [getattr(collection, one.name) for one in fields(collection)]
    columns = [part for value in values if isinstance(value, tuple) for part in value]
    arrays = [one for one in (*values, *columns) if isinstance(one, np.ndarray)]
    return arrays if collection.by_document is collection else arrays + _arrays(collection.by_document)


def _check_order(metric: Metric, collection: JudgedCollection) -> None:
    turned = collection.select(systems=collection.systems[::-1], topics=collection.topics[::-1])
    scores = metric_values(collection, [metric])[0]
    _demand(
        np.abs(metric_values(turned, [metric])[0][::-1, ::-1] - scores) <= _TOLERANCE,
        metric,
        "a score depends on the order of runs or topics, or on the other topics",
    )


def _check_nothing_relevant(metric: Metric, collection: JudgedCollection) -> None:
    value = metric.without_relevant
    if value is None:
        return
    documents = collection.by_document
    barren = collection.rejudge(
        np.where(documents.topic_of_judgment == 1, np.minimum(documents.levels, 0), documents.levels)
    )
    scores = metric.compute(lists_of(barren, metric))[:, 1]
    _demand(
        np.abs(scores - value) <= _TOLERANCE,
        metric,
        f"a topic with nothing relevant scores {scores.tolist()}, but without_relevant={value:g} is declared",
    )


def _check_condensed(metric: Metric, rankings: _Rankings, qrels: _Qrels, generator: np.random.Generator) -> None:
    if not metric.spec.judged_only:
        return
    condensed = replace(metric, parameters=_with(metric, judged_only=True))
    plain = replace(metric, parameters=_with(metric, judged_only=False))
    # a list without any judged document has length 0 when condensed, and would then count as absent
    kept = {
        system: {topic: names for topic, names in lists.items() if any(name in qrels[topic] for name in names)}
        for system, lists in rankings.items()
    }
    removed = _changed(kept, lambda topic, names: [name for name in names if name in qrels[topic]])
    scores = _scores(condensed, kept, qrels)
    _demand(
        np.abs(scores - _scores(plain, removed, qrels)) <= _TOLERANCE,
        metric,
        f"judged_only=True differs from the same lists without their unjudged documents: {kept}, {qrels}",
    )
    stuffed = _changed(kept, lambda _, names: _with_strangers(names, generator))
    _demand(
        np.abs(scores - _scores(condensed, stuffed, qrels)) <= _TOLERANCE,
        metric,
        "with judged_only=True an unjudged document changes the score",
    )


def _check_ideal(metric: Metric, _: _Rankings, qrels: _Qrels, __: np.random.Generator) -> None:
    if metric.spec.ideal is None:
        return
    ideal = {topic: sorted(levels, key=lambda name: -levels[name]) for topic, levels in qrels.items()}
    collection = collection_from_rankings({"a": ideal}, qrels)
    relevant = metric.n_relevant(ranked_lists(collection))
    cutoff = dict(metric.parameters).get("k")
    counted = (relevant > 0) & (relevant <= (np.inf if cutoff is None else cutoff))
    scores = metric_values(collection, [metric])[0, 0]
    _demand(
        np.abs(scores - metric.spec.ideal)[counted] <= _TOLERANCE,
        metric,
        f"an ideal ranking scores {scores[counted].tolist()}, but ideal={metric.spec.ideal:g} is declared",
    )


def _check_monotone(metric: Metric, rankings: _Rankings, qrels: _Qrels, generator: np.random.Generator) -> None:
    if not metric.spec.monotone:
        return
    worse = _changed(rankings, lambda topic, names: _with_worse_order(names, qrels[topic], generator))
    gain = _scores(metric, worse, qrels) - _scores(metric, rankings, qrels)
    gain = gain if metric.higher_is_better else -gain
    _demand(
        gain <= _TOLERANCE,
        metric,
        f"exchanging a document with a worse one further down improved the score by {gain.max():g}, although it is "
        f"declared monotone, with higher_is_better={metric.higher_is_better}: {rankings} became {worse}, {qrels}",
    )


def _check_kernel(metric: Metric, rankings: _Rankings, qrels: _Qrels, _: np.random.Generator) -> None:
    if metric.spec.function is None or metric.spec.kernel is None:
        return
    slow = replace(metric, spec=replace(metric.spec, kernel=None))
    difference = np.abs(_scores(metric, rankings, qrels) - _scores(slow, rankings, qrels)).max()
    _demand(difference <= _TOLERANCE, metric, f"function and kernel differ by {difference:g}: {rankings}, {qrels}")


def _with(metric: Metric, **values: object) -> tuple[tuple[str, object], ...]:
    return tuple(sorted({**dict(metric.parameters), **values}.items()))


def _changed(rankings: _Rankings, change: Callable[[str, list[str]], list[str]]) -> _Rankings:
    return {
        system: {topic: change(topic, names) for topic, names in lists.items()} for system, lists in rankings.items()
    }


def _with_strangers(names: list[str], generator: np.random.Generator) -> list[str]:
    stuffed = list(names)
    for number in range(3):
        stuffed.insert(int(generator.integers(len(stuffed) + 1)), f"stranger{number}")
    return stuffed


def _with_worse_order(names: list[str], levels: Mapping[str, int], generator: np.random.Generator) -> list[str]:
    pairs = [
        (upper, lower)
        for lower, name in enumerate(names)
        for upper in range(lower)
        if name in levels and levels.get(names[upper], -1) > levels[name]
    ]
    swapped = list(names)
    if pairs:
        upper, lower = pairs[int(generator.integers(len(pairs)))]
        swapped[upper], swapped[lower] = names[lower], names[upper]
    return swapped


def _simulated_elements(generator: np.random.Generator, *, scale: Scale) -> ElementCollection:
    """Make documents as small trees, assessments that obey the rules, and three runs that repeat and overlap."""
    rows: list[dict[str, object]] = []
    for topic in ("1", "2", "3"):
        for document in ("d1", "d2", "d3"):
            _grow(rows, {"topic": topic, "document": topic + document}, "/a[1]", _TOP_LEVEL, generator)
    table = pd.DataFrame(rows)
    table["specificity"] = table["relevant_size"] / table["size"]
    top = _TOP_LEVEL - (scale == "2005")
    table["exhaustivity"] = np.where(table["relevant_size"] > 0, top - (table["path"].str.count("/") > 1), 0)
    if scale != "2005":
        table["specificity"] = np.ceil(table["specificity"] * _TOP_LEVEL)
        table = table.assign(relevant_size=-1)
    if scale == "2002":  # highly relevant and too small at once is no assessment
        table.loc[(table["exhaustivity"] == _TOP_LEVEL) & (table["specificity"] == _TOP_LEVEL - 1), "specificity"] = 1
    documents = table[table["path"] == "/a[1]"][["topic", "document", "relevant_size"]]
    runs = []
    for name in ("a", "b", "c"):
        drawn = table.iloc[generator.integers(0, len(table), 2 * len(table) // 3)]
        runs.append(Submission(run=name, results=drawn[["topic", "document", "path"]]))
    judged = table[table["exhaustivity"] > 0]
    assessments = Assessments(scale=scale, documents=documents, elements=judged)
    return element_collection(runs, assessments, sizes=table[["document", "path", "size"]])


def _grow(
    rows: list[dict[str, object]],
    place: dict[str, object],
    path: str,
    depth: int,
    generator: np.random.Generator,
) -> tuple[int, int]:
    """Add an element and what is inside it to the rows; return its characters and how many are highlighted."""
    size = int(generator.integers(1, 40))
    relevant = size * int(generator.integers(0, 2))
    for number in range(1, int(generator.integers(0, 4)) + 1 if depth else 1):
        inside = _grow(rows, place, f"{path}/b[{number}]", depth - 1, generator)
        size, relevant = size + inside[0], relevant + inside[1]
    rows.append({**place, "path": path, "size": size, "relevant_size": relevant})
    return size, relevant


def _simulated_passages(generator: np.random.Generator) -> PassageCollection:
    """Make highlighted documents, and three runs with one passage a document, as every task allows."""
    documents, passages, results = [], [], []
    for topic in ("1", "2", "3"):
        for number in range(6):
            place = {"topic": topic, "document": f"d{number}"}
            start, length = int(generator.integers(0, 100)), int(generator.integers(1, 100)) * (number % 3 > 0)
            best = start if length else -1
            documents.append({**place, "size": 200, "relevant_size": length, "best_entry": best})
            passages += [{**place, "offset": start, "length": length}] * (length > 0)
            results.append(
                {**place, "offset": int(generator.integers(0, 100)), "length": int(generator.integers(1, 100))}
            )
    table = pd.DataFrame(results)
    runs = []
    for name in ("a", "b", "c"):
        drawn = table.iloc[generator.permutation(len(table))[: len(table) // 2]]
        runs.append(Submission(run=name, results=drawn))
    assessments = Assessments(scale="passages", documents=pd.DataFrame(documents), passages=pd.DataFrame(passages))
    return passage_collection(runs, assessments)


_LAWS_OF_DOCUMENTS = (
    _check_condensed,
    _check_ideal,
    _check_monotone,
    _check_kernel,
)
