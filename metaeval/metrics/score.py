"""Scores of runs under metrics: from a compiled collection to the table that every later stage speaks."""

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.metrics.lists import RankedLists, ranked_lists
from metaeval.metrics.registry import Registry, default_registry
from metaeval.metrics.spec import AnyMetric, Metric
from metaeval.parallel import limit_threads, track
from metaeval.scores import DIMS, Scores, as_scores

__all__ = ["Undefined", "metric_values", "resolve_metrics", "score"]

Undefined = Literal["zero", "drop"]
_SHOWN = 10


def score(
    collection: Collection,
    metrics: object,
    *,
    undefined: Undefined = "zero",
    registry: Registry | None = None,
    n_threads: int | None = None,
) -> Scores:
    """Score every run on every topic under every metric.

    Parameters
    ----------
    collection : Collection
        Runs and judgments. Its current levels are scored, so a collection that was re-judged is scored under its
        new judgments; nothing else is computed again.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
        What to compute, or a single one of these: ``["AP", "nDCG@10", "RBP(p=0.8)"]``. Two spellings of one metric
        are computed once.
    undefined : {"zero", "drop"}
        What happens to a topic with nothing relevant under a metric's quantisation, or left after reducing the
        judgments: it counts 0 for every system, or is removed for all metrics. Both are noted.
    registry : Registry, optional
        Where names are looked up; by default the built-in metrics and those of installed packages.
    n_threads : int, optional
        Cores that the compiled kernels may use; all by default. The scores do not depend on it.

    Returns
    -------
    Scores
        Topics with something relevant in the full judgments, in the collection's order; groups on ``system`` where
        the collection has them. ``attrs["notes"]`` says what was left out or counted as 0.

    Raises
    ------
    UnknownNameError
        For a metric that is not known.
    InvalidOptionError
        If a metric takes nothing as relevant on any topic of the full judgments, or an option is outside its rule.
    ScoresError
        If fewer than two runs or topics are left.

    Examples
    --------
    >>> from metaeval.collection.documents import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2"], "2": ["d5"]}, "b": {"1": ["d2", "d1"], "2": ["d4", "d5"]}}
    >>> qrels = {"1": {"d1": 2, "d2": 0}, "2": {"d5": 1}}
    >>> score(collection_from_rankings(runs, qrels), ["AP", "nDCG@10"]).mean("topic").to_numpy().round(3)
    array([[1.   , 0.5  ],
           [1.   , 0.631]])
    """
    if undefined not in get_args(Undefined):
        raise UnknownNameError("rule for undefined topics", str(undefined), get_args(Undefined))
    chosen = resolve_metrics(metrics, registry=registry)
    counted = _relevant_somewhere(collection)
    with limit_threads(n_threads):
        lists = ranked_lists(collection)
        values = _values(lists, chosen)
        lacking = np.stack([_undefined_topics(one, lists, counted) for one in chosen])
    notes = [*collection.handle_missing("zero").notes, *_left_out(collection, counted)]
    notes += _undefined_notes(collection, chosen, lacking, undefined)
    kept = counted & ~lacking.any(axis=0) if undefined == "drop" else counted
    if not kept.any():
        message = "undefined='drop' leaves no topic: each has nothing relevant under some metric; use undefined='zero'"
        raise ScoresError(message)
    table = xr.DataArray(
        values[:, :, kept],
        dims=DIMS,
        coords={
            "metric": [one.name for one in chosen],
            "system": list(collection.systems),
            "topic": [name for name, one in zip(collection.topics, kept, strict=True) if one],
        },
        attrs={"notes": list(dict.fromkeys(notes))} if notes else {},
    )
    groups = None if collection.groups is None else dict(zip(collection.systems, collection.groups, strict=True))
    return as_scores(table, higher_is_better={one.name: one.higher_is_better for one in chosen}, groups=groups)


def metric_values(collection: Collection, metrics: object, *, registry: Registry | None = None) -> NDArray[np.float64]:
    """Return the bare scores, shape (metric, system, topic), over all topics of the collection.

    What `score` does before it labels and leaves out: for loops over many reduced judgments. Topics with nothing
    relevant under a metric have the value its spec names (0 for all built-in ones).

    Parameters
    ----------
    collection : Collection
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
        Resolve them once with `resolve_metrics` where this is called often.
    registry : Registry, optional
        As in `score`.

    Examples
    --------
    >>> from metaeval.collection.documents import collection_from_rankings
    >>> collection = collection_from_rankings({"a": {"1": ["d9", "d1"]}}, {"1": {"d1": 1, "d2": 0}})
    >>> metric_values(collection, ["AP", "AP'"]).ravel()
    array([0.5, 1. ])
    """
    return _values(ranked_lists(collection), resolve_metrics(metrics, registry=registry))


def resolve_metrics(metrics: object, *, registry: Registry | None = None) -> tuple[AnyMetric, ...]:
    """Turn names, specs and measures of ir_measures into metrics, each once, in the order given.

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
        message = "metrics= is empty; name at least one, such as 'AP'"
        raise InvalidOptionError(message)
    if all(isinstance(item, Metric) for item in items):
        return tuple(dict.fromkeys(items))
    known = default_registry() if registry is None else registry
    found: dict[str, AnyMetric] = {}
    for item in items:
        resolved = known.resolve(item)
        found.setdefault(resolved.name, resolved)
    return tuple(found.values())


def _values(lists: RankedLists, metrics: tuple[AnyMetric, ...]) -> NDArray[np.float64]:
    values = np.empty((len(metrics), *lists.lengths.shape))
    for row, one in enumerate(track(metrics, description="scoring")):
        values[row] = one.compute(lists)
        if one.without_relevant is not None:
            values[row][:, one.n_relevant(lists) == 0] = one.without_relevant
    return values


def _relevant_somewhere(collection: Collection) -> NDArray[np.bool_]:
    marks = np.concatenate([[0], np.cumsum(collection.full_levels > 0)])
    counted = np.diff(marks[collection.topic_offsets]) > 0
    if not counted.any():
        message = (
            f"no topic has a relevant document (level above 0) in the judgments; the highest level is "
            f"{int(collection.full_levels.max(initial=0))}"
        )
        raise InvalidOptionError(message)
    return counted


def _undefined_topics(metric: AnyMetric, lists: RankedLists, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if metric.without_relevant is None:
        return np.zeros(len(counted), dtype=bool)
    lacking = (metric.n_relevant(lists) == 0) & counted
    collection = lists.collection
    if lacking[counted].all() and np.array_equal(collection.levels, collection.full_levels):
        message = (
            f"nothing is relevant under {metric.name} on any topic: the highest level of the judgments is "
            f"{lists.top_level}"
        )
        raise InvalidOptionError(message)
    return lacking


def _left_out(collection: Collection, counted: NDArray[np.bool_]) -> list[str]:
    if counted.all():
        return []
    text = _topic_names(collection, ~counted)
    return [f"{int((~counted).sum())} topics have no relevant document in the judgments and are left out: {text}"]


def _undefined_notes(
    collection: Collection, metrics: tuple[AnyMetric, ...], lacking: NDArray[np.bool_], undefined: Undefined
) -> list[str]:
    """Say once for each set of topics which metrics find nothing relevant there."""
    same: dict[bytes, list[int]] = {}
    for row, topics in enumerate(lacking):
        if topics.any():
            same.setdefault(topics.tobytes(), []).append(row)
    fate = "count 0 for every system" if undefined == "zero" else "are dropped for all metrics"
    return [
        f"{int(lacking[rows[0]].sum())} topics have nothing relevant under "
        f"{', '.join(metrics[row].name for row in rows)} and {fate}: {_topic_names(collection, lacking[rows[0]])}"
        for rows in same.values()
    ]


def _topic_names(collection: Collection, chosen: NDArray[np.bool_]) -> str:
    names = [name for name, one in zip(collection.topics, chosen, strict=True) if one]
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
