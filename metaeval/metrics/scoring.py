"""Scores of runs under metrics: from a compiled collection to the table that every later stage speaks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, get_args

import numpy as np
import xarray as xr

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice, check_kind
from metaeval.base.metric_names import DEFAULT_METRICS
from metaeval.base.names import first_few
from metaeval.collection.base import On, Undefined
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.collection.grades import grade_values
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.metrics.lists import lists_for
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.presets import without_presets
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.running.parallel import limit_threads, track
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, as_scores

_SHOWN = 10
_UNDER_IT = "nothing relevant"


def score(  # noqa: PLR0913 - one keyword per choice
    collection: JudgedCollection,
    metrics: object,
    *,
    undefined: Undefined | None = None,
    registry: Registry | None = None,
    n_threads: int | None = None,
    fewest: int = 2,
) -> Scores:
    """Score every run on every topic under every metric.

    Parameters
    ----------
    collection : JudgedCollection
        Runs and judgments, as `metaeval.read_collection` reads them from files. What is in memory comes in their place:
        ``metaeval.score(runs, qrels, metrics)``, with runs as {run: {topic: {document: score}}}, as ir_measures,
        PyTerrier, ranx or polars hold them, or as a frame. Its current levels are scored, so a collection that was
        re-judged is scored under its new judgments; nothing else is computed again. Measures of documents work on all
        three: runs of elements and passages are taken as lists of documents, each at the rank of its first result.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
        What to compute, or a single one of these: ``["AP", "nDCG@10", "RBP(p=0.8)"]``, or the name of a preset
        (`metaeval.metrics.PRESETS`), such as ``"sakai-kando"``. Two spellings of one metric are computed once.
    undefined : {"zero", "drop"}, optional
        What happens to a topic with nothing relevant in the judgments, under a metric's quantisation, or left after
        reducing the judgments: it counts 0 for every system, as in trec_eval, or is removed for all metrics. Both are
        noted. By default measures of documents count 0, and those of elements and passages drop the topic, as runs
        of these do with topics that have nothing relevant at all.
    registry : Registry, optional
        Where names are looked up; by default the built-in metrics and those of installed packages.
    n_threads : int, optional
        Cores that the compiled kernels may use; all by default. The scores do not depend on it.
    fewest : int, default 2
        Runs, and topics, that there must be: a comparison needs two of each; 1 lets one run be looked at.

    Returns
    -------
    Scores
        Topics in the collection's order; groups on ``system`` where the collection has them. ``attrs["notes"]`` says
        what was left out or counted as 0.

    Raises
    ------
    UnknownNameError
        For a metric that is not known.
    InvalidOptionError
        If a metric ranks something else than the collection holds or takes nothing as relevant on any topic of the
        full judgments, or an option is outside its rule.
    ScoresError
        If fewer than `fewest` runs or topics are left.

    See Also
    --------
    metaeval.io.trec.read_collection
    metaeval.questions.power.study.study_power

    Examples
    --------
    >>> import metaeval
    >>> runs = {
    ...     "a": {"1": {"d2": 0.1, "d1": 0.9}, "2": {"d5": 0.3}},
    ...     "b": {"1": {"d1": 0.1, "d2": 0.9}, "2": {"d4": 0.5, "d5": 0.4}},
    ... }
    >>> qrels = {"1": {"d1": 2, "d2": 0}, "2": {"d5": 1}}
    >>> metaeval.score(runs, qrels, ["AP", "nDCG@10"]).mean("topic").to_numpy().round(3)
    array([[1.   , 0.5  ],
           [1.   , 0.631]])
    """
    check_kind(collection, "collection", "JudgedCollection")
    if undefined is not None:
        check_choice(undefined, "rule for undefined topics", get_args(Undefined))
    chosen = resolve_metrics(metrics, registry=registry)
    documents = collection.by_document if undefined is None else replace(collection.by_document, undefined=undefined)
    _check_relevant(documents)
    with limit_threads(n_threads):
        views = _views(collection, chosen)
        values = _values(views, chosen)
        lacking = np.stack([_undefined_topics(metric, views[_on(metric)], documents) for metric in chosen])
    dropping = np.array([(undefined or _RULES[_on(metric)]) == "drop" for metric in chosen])
    notes = topic_notes(documents, chosen)
    notes += _undefined_notes(documents, chosen, lacking & documents.has_relevant, dropping, _UNDER_IT)
    counted = documents.counted & ~lacking[dropping].any(axis=0)
    if not counted.any():
        message = (
            "`undefined='drop'` leaves no topic: each has nothing relevant under some metric; use `undefined='zero'`"
        )
        raise ScoresError(message)
    names = ([metric.name for metric in chosen], list(collection.systems), [*compress(collection.topics, counted)])
    attrs = {"notes": list(dict.fromkeys(notes))} if notes else {}
    directions = [metric.higher_is_better for metric in chosen]
    coords = {**dict(zip(DIMS, names, strict=True)), "higher_is_better": ("metric", directions)}  # of no foreign table
    table = xr.DataArray(values[:, :, counted], coords, DIMS, attrs=attrs)
    groups = None if collection.groups is None else dict(zip(collection.systems, collection.groups, strict=True))
    return as_scores(table, groups=groups, fewest=fewest)


def metric_values(collection: JudgedCollection, metrics: object, *, registry: Registry | None = None) -> Floats:
    """Return the scores as an array, shape (metric, system, topic), over all topics of the collection.

    What `score` does before it labels and leaves out: for loops over many reduced judgments. Topics with nothing
    relevant under a metric have the value its spec names (0 for all built-in ones).

    Parameters
    ----------
    collection : JudgedCollection
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
        Resolve them once with `resolve_metrics` where this is called often.
    registry : Registry, optional
        As in `score`.

    Returns
    -------
    numpy.ndarray
        Scores in units of the metric, of all topics. Shape (metric, system, topic), in the order of `metrics`,
        ``collection.systems`` and ``collection.topics``.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> collection = collection_from_rankings({"a": {"1": ["d9", "d1"]}}, {"1": {"d1": 1, "d2": 0}})
    >>> metric_values(collection, ["AP", "AP'"]).ravel()
    array([0.5, 1. ])
    """
    check_kind(collection, "collection", "JudgedCollection")
    chosen = resolve_metrics(metrics, registry=registry)
    return _values(_views(collection, chosen), chosen)


def resolve_metrics(metrics: object, *, registry: Registry | None = None) -> tuple[AnyMetric, ...]:
    """Convert names, presets, specs and measures of ir_measures to metrics, without repeats, in the order given.

    Returns
    -------
    tuple
        Metrics whose ``name`` is the full one, as in the label of scores.

    Raises
    ------
    UnknownNameError
        For a metric that is not known.
    InvalidOptionError
        If none is given.

    Examples
    --------
    >>> [metric.name for metric in resolve_metrics(["map", "AP", "P_10"])]
    ['AP', 'P@10']
    """
    many = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    items = list(metrics) if many else [metrics]  # type: ignore[call-overload]  # iterable by the line above
    if not items:
        raise InvalidOptionError("`metrics` is empty; name at least one, such as 'AP'")
    if all(isinstance(item, Metric) for item in items):
        return tuple(dict.fromkeys(items))
    full_registry = default_registry() if registry is None else registry
    by_name: dict[str, AnyMetric] = {}
    for item in without_presets(items):
        resolved = full_registry.resolve(item)
        by_name.setdefault(resolved.name, resolved)
    return tuple(by_name.values())


_RULES: dict[On, Undefined] = {"documents": "zero", "elements": "drop", "passages": "drop"}


def _on(metric: AnyMetric) -> On:
    """Return what a metric ranks; measures from elsewhere rank documents."""
    return metric.on if isinstance(metric, Metric) else "documents"


def lists_of(collection: JudgedCollection, metric: AnyMetric) -> Any:  # noqa: ANN401 - of the metric's own kind
    """Return the lists of a collection that a metric is computed on."""
    on = _on(metric)
    source = collection.by_document if on == "documents" else collection
    if source.on != on:
        holds = f"this collection is of {collection.on}; make one with {on[:-1]}_collection"
        raise InvalidOptionError(f"{metric.name} ranks {on}, and {holds}")
    return lists_for(source)


def _views(collection: JudgedCollection, metrics: tuple[AnyMetric, ...]) -> dict[On, Any]:
    """Make the lists of every kind that the metrics ask for, once each."""
    first = {_on(metric): metric for metric in reversed(metrics)}
    return {on: lists_of(collection, metric) for on, metric in first.items()}


def _values(views: dict[On, Any], metrics: tuple[AnyMetric, ...]) -> Floats:
    shape = next(iter(views.values())).lengths.shape
    values = np.empty((len(metrics), *shape))
    for row, metric in enumerate(track(metrics, description="scoring")):
        lists = views[_on(metric)]
        values[row] = metric.compute(lists)
        if metric.without_relevant is not None:
            values[row][:, metric.n_relevant(lists) == 0] = metric.without_relevant
    return values


def _check_relevant(collection: Collection) -> None:
    if not collection.has_relevant.any():
        raise InvalidOptionError(
            f"no topic has a relevant document (level above 0) in the judgments; the highest level is "
            f"{grade_values(collection.full_levels, collection.grades).max(initial=0):g}"
        )


def _undefined_topics(
    metric: AnyMetric,
    lists: Any,  # noqa: ANN401 - of any kind
    documents: Collection,
) -> Flags:
    if metric.without_relevant is None:
        return np.zeros(documents.n_topics, dtype=bool)
    lacking: Flags = metric.n_relevant(lists) == 0
    if lacking.all() and np.array_equal(documents.levels, documents.full_levels):
        message = f"nothing is relevant under {metric.name} on any topic"
        if _on(metric) == "documents":
            top = grade_values(np.array([documents.top_level]), documents.grades).item()
            message += f": the highest level of the judgments is {top:g}"
        raise InvalidOptionError(message)
    return lacking


def default_metrics(collection: JudgedCollection) -> str:
    """Return the metrics that commands take where none are named, by comma."""
    plain = isinstance(collection, Collection) and collection.grades is None and collection.subtopics is None
    return DEFAULT_METRICS if plain else ",".join(collection.usual_metrics)


def note_on_grades(collection: JudgedCollection, metrics: object, *, registry: Registry | None = None) -> list[str]:
    """Say from which grade on documents of graded judgments are relevant, under metrics that take relevance alone."""
    documents = collection.by_document
    plain = [
        metric
        for metric in resolve_metrics(metrics, registry=registry)
        if isinstance(metric, Metric) and dict(metric.parameters).get("rel") == 1 and "rel" not in metric.given
    ]
    if not plain or grade_values(documents.full_levels, documents.grades).max(initial=0) <= 1:
        return []
    stricter = replace(plain[0], parameters=tuple((key, 2 if key == "rel" else of) for key, of in plain[0].parameters))
    names = first_few([metric.name for metric in plain])
    return [f"relevant under {names} are grades from 1 on; {stricter.name} starts at 2"]


def topic_notes(collection: Collection, metrics: Sequence[AnyMetric]) -> list[str]:
    """Say which lists are missing and count 0, and what becomes of topics with nothing relevant in the judgments."""
    barren = np.array([[metric.without_relevant is not None] for metric in metrics]) & ~collection.has_relevant
    dropping = np.full(len(metrics), collection.undefined == "drop")
    notes = collection.handle_missing("zero").notes
    return [*notes, *_undefined_notes(collection, metrics, barren, dropping, "no relevant document in the judgments")]


def _undefined_notes(
    collection: Collection, metrics: Sequence[AnyMetric], lacking: Flags, dropping: Flags, what: str
) -> list[str]:
    """Say once for each set of topics and fate what they lack, under which metrics where that is not all, and the fate.

    Shapes: `lacking` (n_metrics, n_topics), `dropping` (n_metrics,).
    """
    same: dict[tuple[float | None, bytes], list[int]] = {}
    for row, topics in enumerate(lacking):
        if topics.any():
            value = None if dropping[row] else metrics[row].without_relevant
            same.setdefault((value, topics.tobytes()), []).append(row)
    notes = []
    for (value, _), rows in same.items():
        topics = lacking[rows[0]]
        have, count, are = ("topic has", "counts", "is") if topics.sum() == 1 else ("topics have", "count", "are")
        fate = f"{are} dropped for all metrics" if value is None else f"{count} {value:g} for every system"
        everywhere = what != _UNDER_IT and len(rows) == len(metrics)
        named = "" if everywhere else f" under {', '.join(metrics[row].name for row in rows)}"
        notes.append(f"{topics.sum():,} {have} {what}{named} and {fate}: {_topic_names(collection, topics)}")
    return notes


def _topic_names(collection: Collection, chosen: Flags) -> str:
    return first_few([*compress(collection.topics, chosen)], most=_SHOWN)
