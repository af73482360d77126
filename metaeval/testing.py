"""What the author of a metric runs against it: the laws that every built-in metric obeys.

Use it in any test runner::

    from metaeval.testing import check_metric

    def test_my_metric():
        check_metric(my_metric)

or see what holds, law by law, with `examine_metric`, as ``metaeval check-metric FILE.py`` prints it.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
from metaeval.metrics.bounds import BoundsError, bounds_text
from metaeval.metrics.lists import ranked_lists
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import lists_of, metric_values
from metaeval.metrics.spec import MetricSpec
from metaeval.parallel import limit_threads, reporting, track

__all__ = ["check_metric", "examine_metric", "simulated_collections"]

type _Rankings = dict[str, dict[str, list[str]]]
type _Qrels = dict[str, dict[str, int]]

_TOP_LEVEL = 3
_TOLERANCE = 1e-9
_MOST_STEPS = 400  # of making a counterexample smaller
_RAISED = "no score: "
_SAME_WORDS = 2  # at the beginning of what is said of a law that is broken in the same way


class _BrokenLawError(AssertionError):
    """A law that a metric breaks, and on what."""


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

    See Also
    --------
    metaeval.testing.examine_metric : What holds, law by law.

    Notes
    -----
    The laws: scores are finite and within the bounds; the same input gives the same scores and is left as it was;
    the order of runs and topics makes no difference; what documents and topics are called makes none; a topic with
    nothing relevant has the declared value; with a cut-off k, documents below it make no difference; the
    condensed-list variant equals the metric on lists from which the unjudged documents were removed; an ideal
    ranking has the declared value; exchanging a document with a worse one further down does not improve the score,
    where that is declared; function and kernel agree, where both are given; the name reads back as the same metric.
    Of a metric of elements or passages those are checked that do not speak of documents.

    Examples
    --------
    >>> check_metric("nDCG@10", n_collections=2)
    """
    resolved, known = _resolved(metric, registry)
    for law, state, found in _laws_tried(resolved, known, n_collections=n_collections, scale=scale, rng=rng):
        if state == "broken":
            message = f"{resolved.name}: {found} (law: {law.words})"
            raise AssertionError(message)


def examine_metric(
    metric: str | MetricSpec | Metric,
    *,
    registry: Registry | None = None,
    n_collections: int = 20,
    scale: Scale = "2005",
    rng: RNGLike = 0,
) -> pd.DataFrame:
    """Say of every law whether a metric obeys it, and what the metric is like.

    Parameters
    ----------
    metric, registry, n_collections, scale, rng
        As `check_metric` takes them.

    Returns
    -------
    DataFrame
        One row a law or property: ``metric``; ``kind``, "law" (a metric that breaks it gives wrong numbers) or
        "property"; ``name``; ``state`` of a law, "holds", "broken", "not declared" or "not tried" (where no score
        could be computed), and "" of a property; and ``found``, the smallest input on which a law is broken, or what
        was seen.

    See Also
    --------
    metaeval.testing.check_metric : Raises where a law is broken.

    Examples
    --------
    >>> found = examine_metric("P@5", n_collections=2)
    >>> sorted(set(found.loc[found["kind"] == "law", "state"]))
    ['holds', 'not declared']
    """
    resolved, known = _resolved(metric, registry)
    rows = [
        {"kind": "law", "name": law.words, "state": state, "found": found}
        for law, state, found in _laws_tried(resolved, known, n_collections=n_collections, scale=scale, rng=rng)
    ]
    if resolved.on == "documents" and all(row["state"] != "broken" for row in rows):
        with limit_threads(1), reporting(None):
            collections = list(simulated_collections(resolve_rng(rng).generator, n_collections))
            rows += [
                {"kind": "property", "name": words, "state": "", "found": say(resolved, collections)}
                for words, say in _PROPERTIES.items()
            ]
    return pd.DataFrame(rows, columns=["kind", "name", "state", "found"]).assign(metric=resolved.name)[
        ["metric", "kind", "name", "state", "found"]
    ]


def _resolved(metric: str | MetricSpec | Metric, registry: Registry | None) -> tuple[Metric, Registry]:
    known = default_registry() if registry is None else registry
    if isinstance(metric, MetricSpec) and metric.name not in known:
        known = known.extend(metric)
    resolved = known.resolve(metric)
    if not isinstance(resolved, Metric):
        message = f"check_metric needs a metric of our own, not {resolved!r}"
        raise InvalidOptionError(message)
    return resolved, known


def _laws_tried(
    metric: Metric, registry: Registry, *, n_collections: int, scale: Scale, rng: RNGLike
) -> Iterator[tuple["_Law", str, str]]:
    """Yield every law with its state, and how it is broken."""
    seed = int(resolve_rng(rng).generator.integers(2**31))

    def collections() -> Iterator[tuple[JudgedCollection, _Rankings, _Qrels]]:
        generator = np.random.default_rng(seed)
        if metric.on == "documents":
            for rankings, qrels in simulated_collections(generator, n_collections):
                yield collection_from_rankings(rankings, qrels), rankings, qrels
            return
        simulate = partial(_simulated_elements, scale=scale) if metric.on == "elements" else _simulated_passages
        for _ in range(n_collections):
            yield simulate(generator), {}, {}

    laws = [law for law in _LAWS if metric.on == "documents" or not law.on_documents_only]
    computes = True
    for law in track(laws, description=f"trying the laws on {metric.name}"):
        if not law.declared(metric):
            yield law, "not declared", ""
            continue
        if not computes and law.check is not None:
            yield law, "not tried", ""
            continue
        with limit_threads(1), reporting(None):  # waking other cores costs more than such small collections
            broken = _broken_name(metric, registry) if law.check is None else ""
            for collection, rankings, qrels in collections() if law.check is not None else ():
                if broken := _broken(law, metric, collection, rankings, qrels):
                    computes = computes and law is not _LAWS[0] and not broken.startswith(_RAISED)
                    broken = _smallest(law, metric, rankings, qrels, broken) or broken
                    break
        yield law, "broken" if broken else "holds", broken


def _broken(law: "_Law", metric: Metric, collection: JudgedCollection, rankings: _Rankings, qrels: _Qrels) -> str:
    """Say how a law is broken on one input; empty where it holds there."""
    try:
        if law.check is not None:
            law.check(metric, collection, rankings, qrels)
    except BoundsError as error:
        return str(error).partition("; correct the metric")[0]
    except _BrokenLawError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - the author's own code may raise anything
        return f"{_RAISED}{_raised(error)}"
    return ""


def _raised(error: BaseException) -> str:
    """Say what the code of a metric raised, and where: the last line that is not ours."""
    first = error
    while first.__cause__ is not None:
        first = first.__cause__
    ours = str(Path(__file__).parent)
    frames = [frame for frame in traceback.extract_tb(first.__traceback__) if not frame.filename.startswith(ours)]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}: {frames[-1].line}" if frames else ""
    return f"{type(first).__name__} ({first}){place}" if place else str(error)


def _smallest(law: "_Law", metric: Metric, rankings: _Rankings, qrels: _Qrels, first: str) -> str:
    """Take away runs, topics and documents as long as the law stays broken in the same way, and say what is left."""
    said, steps = "", 0

    def still(smaller: _Rankings, judged: _Qrels) -> str:
        nonlocal steps
        steps += 1
        if steps > _MOST_STEPS or not smaller or not judged:
            return ""
        broken = _broken(law, metric, collection_from_rankings(smaller, judged), smaller, judged)
        return broken if broken.split()[:_SAME_WORDS] == first.split()[:_SAME_WORDS] else ""

    at = (rankings, qrels)
    shrinking = bool(rankings)
    while shrinking:
        shrinking = False
        for smaller in _smaller(*at):
            if broken := still(*smaller):
                at, said, shrinking = smaller, broken, True
                break
    return f"{said}; {_described(*at)}" if said else ""


def _smaller(rankings: _Rankings, qrels: _Qrels) -> Iterator[tuple[_Rankings, _Qrels]]:
    """Yield an input without one run, one topic, one document of a list, or one judgment."""
    for system in rankings if len(rankings) > 1 else ():
        yield {name: lists for name, lists in rankings.items() if name != system}, qrels
    for topic in qrels if len(qrels) > 1 else ():
        yield _changed(rankings, lambda _, names: names, without=topic), _without(qrels, topic)
    for topic in qrels:
        for system, lists in rankings.items():
            for place in range(len(lists.get(topic, ())) if len(lists.get(topic, ())) > 1 else 0):
                names = lists[topic][:place] + lists[topic][place + 1 :]
                yield {**rankings, system: {**lists, topic: names}}, qrels
        for document in qrels[topic] if len(qrels[topic]) > 1 else ():
            yield rankings, {**qrels, topic: _without(qrels[topic], document)}


def _without[T](mapping: Mapping[str, T], name: str) -> dict[str, T]:
    return {key: value for key, value in mapping.items() if key != name}


def _described(rankings: _Rankings, qrels: _Qrels) -> str:
    """Write lists as people do: the grade behind every judged document."""
    lists = [
        f"{f'topic {topic}: ' if len(qrels) > 1 else ''}run {system} = {', '.join(_graded(names, qrels[topic]))}"
        for system, of_topics in rankings.items()
        for topic, names in of_topics.items()
    ]
    shown = {name for of_topics in rankings.values() for names in of_topics.values() for name in names}
    others = [
        f"{'topic ' + topic + ': ' if len(qrels) > 1 else ''}{', '.join(_graded(rest, judged))}"
        for topic, judged in qrels.items()
        if (rest := [name for name in judged if name not in shown])
    ]
    return "; ".join(lists) + (f"; judged besides: {'; '.join(others)}" if others else "")


def _graded(names: Sequence[str], judged: Mapping[str, int]) -> list[str]:
    return [f"{name} (grade {judged[name]})" if name in judged else f"{name} (unjudged)" for name in names]


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


def _demand(holds: ArrayLike, text: str) -> None:
    if not bool(np.all(holds)):
        raise _BrokenLawError(text)


def _broken_name(metric: Metric, registry: Registry) -> str:
    if metric.spec.name in registry and registry[metric.spec.name] == metric.spec:
        for name in (metric.name, metric.full_name):
            if registry.resolve(name) != metric:
                return f"the name {name!r} reads back as another metric"
    return ""


def _check_bounds(metric: Metric, collection: JudgedCollection, _: _Rankings, __: _Qrels) -> None:
    metric_values(collection, [metric])  # looks at the values itself


def _check_pure(metric: Metric, collection: JudgedCollection, _: _Rankings, __: _Qrels) -> None:
    before = [array.tobytes() for array in _arrays(collection)]
    first, second = (metric_values(collection, [metric]) for _ in range(2))
    _demand(first.tobytes() == second.tobytes(), "the same collection gave two different scores")
    same = [old == new.tobytes() for old, new in zip(before, _arrays(collection), strict=True)]
    _demand(same, "computing it changed the collection")


def _arrays(collection: JudgedCollection) -> list[NDArray[np.generic]]:
    """Return every array of a collection, those of its tables of columns and of its documents included."""
    values = [getattr(collection, one.name) for one in fields(collection)]
    columns = [part for value in values if isinstance(value, tuple) for part in value]
    arrays = [one for one in (*values, *columns) if isinstance(one, np.ndarray)]
    return arrays if collection.by_document is collection else arrays + _arrays(collection.by_document)


def _check_order(metric: Metric, collection: JudgedCollection, _: _Rankings, __: _Qrels) -> None:
    turned = collection.select(systems=collection.systems[::-1], topics=collection.topics[::-1])
    scores = metric_values(collection, [metric])[0]
    _demand(
        np.abs(metric_values(turned, [metric])[0][::-1, ::-1] - scores) <= _TOLERANCE,
        "a score depends on the order of runs or topics, or on the other topics",
    )


def _check_names(metric: Metric, _: JudgedCollection, rankings: _Rankings, qrels: _Qrels) -> None:
    def other(name: str) -> str:
        return f"z{name[::-1]}"

    renamed = {
        system: {other(topic): [other(name) for name in names] for topic, names in lists.items()}
        for system, lists in rankings.items()
    }
    judged = {other(topic): {other(name): level for name, level in levels.items()} for topic, levels in qrels.items()}
    first, second = _by_topic(metric, rankings, qrels), _by_topic(metric, renamed, judged)
    same = [abs(score - second[system, other(topic)]) <= _TOLERANCE for (system, topic), score in first.items()]
    _demand(same, "a score depends on what documents or topics are called")


def _by_topic(metric: Metric, rankings: _Rankings, qrels: _Qrels) -> dict[tuple[str, str], float]:
    collection = collection_from_rankings(rankings, qrels)
    scores = metric_values(collection, [metric])[0]
    return {
        (system, topic): float(scores[row, column])
        for row, system in enumerate(collection.systems)
        for column, topic in enumerate(collection.topics)
    }


def _check_nothing_relevant(metric: Metric, collection: JudgedCollection, _: _Rankings, __: _Qrels) -> None:
    value = metric.without_relevant
    if value is None or len(collection.topics) < 2:  # noqa: PLR2004 - the second one is made barren
        return
    documents = collection.by_document
    barren = collection.rejudge(
        np.where(documents.topic_of_judgment == 1, np.minimum(documents.levels, 0), documents.levels)
    )
    scores = metric.compute(lists_of(barren, metric))[:, 1]
    _demand(
        np.abs(scores - value) <= _TOLERANCE,
        f"a topic with nothing relevant scores {scores.tolist()}, but without_relevant={value:g} is declared",
    )


def _check_cutoff(metric: Metric, _: JudgedCollection, rankings: _Rankings, qrels: _Qrels) -> None:
    k = int(dict(metric.parameters)["k"])
    cut = _changed(rankings, lambda topic, names: _first(names, k, qrels[topic], metric))
    _demand(
        np.abs(_scores(metric, cut, qrels) - _scores(metric, rankings, qrels)) <= _TOLERANCE,
        f"a document below rank {k} changes the score",
    )


def _first(names: list[str], k: int, judged: Mapping[str, int], metric: Metric) -> list[str]:
    if not dict(metric.parameters).get("judged_only"):
        return names[:k]
    return [name for name in names if name in judged][:k] or names[:1]


def _check_condensed(metric: Metric, _: JudgedCollection, rankings: _Rankings, qrels: _Qrels) -> None:
    generator = np.random.default_rng(0)
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
        "judged_only=True differs from the same lists without their unjudged documents",
    )
    stuffed = _changed(kept, lambda _, names: _with_strangers(names, generator))
    _demand(
        np.abs(scores - _scores(condensed, stuffed, qrels)) <= _TOLERANCE,
        "with judged_only=True an unjudged document changes the score",
    )


def _check_ideal(metric: Metric, _: JudgedCollection, __: _Rankings, qrels: _Qrels) -> None:
    if metric.spec.ideal is None:
        return
    collection = collection_from_rankings({"a": _ideal(qrels)}, qrels)
    relevant = metric.n_relevant(ranked_lists(collection))
    cutoff = dict(metric.parameters).get("k")
    counted = (relevant > 0) & (relevant <= (np.inf if cutoff is None else cutoff))
    scores = metric_values(collection, [metric])[0, 0]
    _demand(
        np.abs(scores - metric.spec.ideal)[counted] <= _TOLERANCE,
        f"an ideal ranking scores {scores[counted].tolist()}, but ideal={metric.spec.ideal:g} is declared",
    )


def _ideal(qrels: _Qrels) -> dict[str, list[str]]:
    return {topic: sorted(levels, key=lambda name: -levels[name]) for topic, levels in qrels.items()}


def _check_monotone(metric: Metric, _: JudgedCollection, rankings: _Rankings, qrels: _Qrels) -> None:
    generator = np.random.default_rng(0)
    worse = _changed(rankings, lambda topic, names: _with_worse_order(names, qrels[topic], generator))
    gain = _scores(metric, worse, qrels) - _scores(metric, rankings, qrels)
    gain = gain if metric.higher_is_better else -gain
    changed = [
        f"{', '.join(names)} became {', '.join(worse[system][topic])}"
        for system, lists in rankings.items()
        for topic, names in lists.items()
        if names != worse[system][topic]
    ]
    _demand(
        gain <= _TOLERANCE,
        f"exchanging a document with a worse one further down improved the score by {gain.max():g}, although it is "
        f"declared monotone, with higher_is_better={metric.higher_is_better}"
        + (f" ({changed[0]})" if len(changed) == 1 else ""),
    )


def _check_kernel(metric: Metric, _: JudgedCollection, rankings: _Rankings, qrels: _Qrels) -> None:
    slow = replace(metric, spec=replace(metric.spec, kernel=None))
    difference = np.abs(_scores(metric, rankings, qrels) - _scores(slow, rankings, qrels)).max()
    _demand(difference <= _TOLERANCE, f"function and kernel differ by {difference:g}")


def _with(metric: Metric, **values: object) -> tuple[tuple[str, object], ...]:
    return tuple(sorted({**dict(metric.parameters), **values}.items()))


def _changed(
    rankings: _Rankings, change: Callable[[str, list[str]], list[str]], *, without: str | None = None
) -> _Rankings:
    return {
        system: {topic: change(topic, names) for topic, names in lists.items() if topic != without}
        for system, lists in rankings.items()
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


# ---------------------------------------------------------------------------------------------------------- properties


type _Simulated = Sequence[tuple[_Rankings, _Qrels]]


def _range_seen(metric: Metric, collections: _Simulated) -> str:
    values = np.concatenate([_scores(metric, *one).ravel() for one in collections])
    return f"{values.min():.3g} to {values.max():.3g}, of {bounds_text(metric.spec.bounds)} declared"


def _ideal_seen(metric: Metric, collections: _Simulated) -> str:
    """Say how an ideal ranking stands beside the best of the simulated ones."""
    better = seen = 0
    sign = 1 if metric.higher_is_better else -1
    for rankings, qrels in collections:
        ideal = _ideal(qrels)
        both = sign * _scores(metric, {"ideal": ideal, **rankings}, qrels)
        better += int((both[1:].max(axis=0) > both[0] + _TOLERANCE).sum())
        seen += both.shape[1]
    return (
        "no ranking scored better than the ideal one"
        if not better
        else f"on {better} of {seen} topics another ranking scored better than the ideal one"
    )


def _monotone_seen(metric: Metric, collections: _Simulated) -> str:
    if metric.spec.monotone:
        return "declared, and so looked at above"
    for rankings, qrels in collections:
        try:
            _check_monotone(metric, collection_from_rankings(rankings, qrels), rankings, qrels)
        except _BrokenLawError:
            return "no: putting a worse document further up can improve the score"
    return "so it seems; the metric may declare it (monotone), and have it checked"


def _grades_seen(metric: Metric, collections: _Simulated) -> str:
    for rankings, qrels in collections:
        binary = {topic: {name: min(level, 1) for name, level in levels.items()} for topic, levels in qrels.items()}
        if (np.abs(_scores(metric, rankings, binary) - _scores(metric, rankings, qrels)) > _TOLERANCE).any():
            return "yes: a higher grade makes a difference"
    return "no: relevant or not is all that counts"


def _unjudged_seen(metric: Metric, collections: _Simulated) -> str:
    for rankings, qrels in collections:
        kept = {
            system: {topic: [name for name in names if name in qrels[topic]] for topic, names in lists.items()}
            for system, lists in rankings.items()
        }
        if any(not names for lists in kept.values() for names in lists.values()):
            continue
        if (np.abs(_scores(metric, kept, qrels) - _scores(metric, rankings, qrels)) > _TOLERANCE).any():
            return "they take up ranks, as documents that are not relevant"
    return "it passes over them"


_PROPERTIES: Mapping[str, Callable[[Metric, _Simulated], str]] = {
    "Values seen": _range_seen,
    "An ideal ranking": _ideal_seen,
    "Moving a better document up never lowers the score": _monotone_seen,
    "Grades count": _grades_seen,
    "Unjudged documents": _unjudged_seen,
}
"""What a metric is like, which no law asks: not that it is better or worse."""


class _Law(NamedTuple):
    words: str
    check: Callable[[Metric, JudgedCollection, _Rankings, _Qrels], None] | None
    declared: Callable[[Metric], bool] = lambda _: True
    on_documents_only: bool = False


_LAWS = (
    _Law("Every score is a finite number within the bounds", _check_bounds),
    _Law("The same input gives the same scores, and is left as it was", _check_pure),
    _Law("The order of runs and topics makes no difference", _check_order),
    _Law("What documents and topics are called makes no difference", _check_names, on_documents_only=True),
    _Law(
        "A topic with nothing relevant has the declared value",
        _check_nothing_relevant,
        lambda metric: metric.without_relevant is not None,
    ),
    _Law(
        "Documents below the cut-off make no difference",
        _check_cutoff,
        lambda metric: isinstance(dict(metric.parameters).get("k"), int),
        on_documents_only=True,
    ),
    _Law(
        "The condensed list is the list without its unjudged documents",
        _check_condensed,
        lambda metric: metric.spec.judged_only,
        on_documents_only=True,
    ),
    _Law(
        "An ideal ranking has the declared value",
        _check_ideal,
        lambda metric: metric.spec.ideal is not None,
        on_documents_only=True,
    ),
    _Law(
        "Moving a better document up never lowers the score",
        _check_monotone,
        lambda metric: metric.spec.monotone,
        on_documents_only=True,
    ),
    _Law(
        "Function and kernel agree",
        _check_kernel,
        lambda metric: metric.spec.function is not None and metric.spec.kernel is not None,
        on_documents_only=True,
    ),
    _Law("The name reads back as the same metric", None),
)
