"""What a collection of elements or passages holds, for the head of a report: counts, and the curves of its runs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.metric_names import parse_name
from metaeval.base.results import Result
from metaeval.collection.documents import JudgedCollection
from metaeval.collection.statistics import summary_row
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL
from metaeval.inex.elements import ElementCollection
from metaeval.inex.measures.curves import element_curves
from metaeval.inex.measures.in_context import generalised_precision_curves
from metaeval.inex.measures.interpolated_precision import interpolated_precision_curves
from metaeval.inex.measures.overlap import run_overlap
from metaeval.inex.passages import PassageCollection
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.quantisation import GENERALISED
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric

_TOP = 10
_DEEPEST = 50
_GAIN_OPTIONS = ("alpha", "normalise", "task", "tie")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FocusedStatistics(Result):
    """What a collection of elements or passages holds."""

    kind: str
    counts: dict[str, int]
    """Topics, runs, groups and the like, where they are known."""
    per_topic: pd.DataFrame
    """Index ``topic``: documents assessed and with something relevant; relevant elements, and where there are any
    those assessed as not relevant or too small; or passages and highlighted characters."""
    per_system: pd.DataFrame
    """Index ``system``: ``topics`` answered, ``results`` and ``documents`` retrieved, ``overlap`` (elements: share
    inside another result, averaged over topics; passages: share of characters returned before), ``size`` (mean
    characters of a result, NaN where not known), ``unjudged_at_10`` (of the first ten documents)."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a quantity: total where a sum means something, mean, minimum and maximum."""
        rows: list[dict[str, object]] = [
            {"quantity": name, "total": float(count)} for name, count in self.counts.items()
        ]
        rows += [summary_row(f"{name} per topic", column, total=True) for name, column in self.per_topic.items()]
        labels = {
            "results": "results per run",
            "size": "characters of a result, mean of a run",
            "overlap": f"share of overlap per run ({'elements' if self.kind == 'elements' else 'characters'})",
            "unjudged_at_10": "share unjudged in the first 10 documents of a run",
        }
        for name, label in labels.items():
            if self.per_system[name].notna().any():
                rows.append(summary_row(label, self.per_system[name], total=name == "results"))
        return pd.DataFrame(rows, columns=["quantity", "total", "mean", "min", "max"])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunCurves(Result):
    """A curve for every run, averaged over the topics."""

    name: str
    """What the curve is called."""
    title: str
    across: str
    up: str
    """What the axes say."""
    data: xr.DataArray | None
    """Dims ``system`` and one more; None where this collection has no such curve."""
    lacking: str = ""
    """Why there is none."""


def focused_statistics(collection: JudgedCollection) -> FocusedStatistics:
    """Describe a collection of elements or passages.

    Examples
    --------
    >>> from metaeval.inex.simulation import simulate_inex
    >>> from metaeval.inex.passages import passage_collection
    >>> simulated = simulate_inex(year=2008, n_systems=3, n_topics=2, n_documents=40, n_results=20, rng=1)
    >>> found = focused_statistics(passage_collection(simulated.submissions, simulated.assessments))
    >>> found.kind, found.counts["runs"], found.per_system["results"].tolist()
    ('passages', 3, [40, 40, 40])
    """
    if isinstance(collection, ElementCollection):
        kind, topic_counts, (overlap, size) = "elements", _elements_per_topic(collection), _element_runs(collection)
    elif isinstance(collection, PassageCollection):
        kind, topic_counts, (overlap, size) = "passages", _passages_per_topic(collection), _passage_runs(collection)
    else:
        message = "a collection of documents holds no elements or passages; describe it with its statistics()"
        raise InvalidOptionError(message)
    documents = collection.by_document
    of_documents = documents.statistics()
    per_topic = pd.DataFrame(
        {
            "documents assessed": of_documents.per_topic["judged"],
            "documents with something relevant": of_documents.per_topic["relevant"],
            **topic_counts,
        }
    )
    per_system = pd.DataFrame(
        {
            "topics": of_documents.per_system["topics"],
            "results": collection.n_retrieved.sum(axis=1, dtype=np.int64),
            "documents": of_documents.per_system["retrieved"],
            "overlap": overlap,
            "size": size,
            "unjudged_at_10": documents.unjudged_share(_TOP),
        },
        index=pd.Index(collection.systems, name="system"),
    )
    counts = {
        "topics": collection.n_topics,
        "topics with something relevant": of_documents.n_topics_with_relevant,
        "runs": collection.n_systems,
        "groups": of_documents.n_groups,
        "pooled runs": of_documents.n_pooled,
        "empty lists": of_documents.n_missing,
    }
    return FocusedStatistics(
        kind=kind,
        counts={name: count for name, count in counts.items() if count is not None},
        per_topic=per_topic,
        per_system=per_system,
    )


def focused_curves(
    collection: JudgedCollection, metrics: Iterable[object] = (), *, registry: Registry | None = None
) -> tuple[RunCurves, ...]:
    """Return the curves that the campaigns drew, averaged over topics, or why there is none."""
    if isinstance(collection, ElementCollection):
        return tuple(_element_curves(collection, metrics, default_registry() if registry is None else registry))
    return tuple(_passage_curves(collection)) if isinstance(collection, PassageCollection) else ()


def _element_curves(
    collection: ElementCollection, metrics: Iterable[object], registry: Registry
) -> Iterator[RunCurves]:
    precalls, gains = _curves_asked(metrics, registry)
    for words, metric in precalls.items():
        yield _curve(
            "precall" if len(precalls) == 1 else f"precall {words}",
            f"Precision and recall of elements (inex-2002, {words})",
            "recall: share of the quantised relevance found",
            "expected precision, mean over the topics",
            partial(element_curves, collection, metric, registry=registry),
        )
    for words, metric in gains.items():
        yield _curve(
            "cumulated-gain" if len(gains) == 1 else f"cumulated-gain {words}",
            f"Normalised cumulated gain (nxCG, {words})",
            "rank",
            "gain over that of an ideal list, mean over the topics",
            partial(element_curves, collection, metric, registry=registry),
        )


def _curves_asked(metrics: Iterable[object], registry: Registry) -> tuple[dict[str, str], dict[str, str]]:
    """Return the metrics whose curves to draw, of precall and of gain, by what sets each apart in words."""
    chosen = [
        metric
        for metric in map(registry.resolve, metrics)
        if isinstance(metric, Metric) and metric.quantisation is not None
    ]
    asked = [metric.name for metric in chosen if metric.on == "elements"] or [f"inex2002(quant={GENERALISED})"]
    precalls: dict[str, str] = {}
    gains: dict[str, str] = {}
    for name in asked:
        arguments = dict(parse_name(name).arguments)
        gain_options = {key: value for key, value in arguments.items() if key in _GAIN_OPTIONS}
        quant = arguments["quant"]
        words = "generalised" if quant == GENERALISED else str(quant)
        precalls.setdefault(words, f"inex2002(quant={quant})")
        options = "".join(f", {key}={value}" for key, value in gain_options.items())
        gains.setdefault(f"{words}{options}", f"nxCG(quant={quant}{options})@{_DEEPEST}")
    return precalls, gains


def _passage_curves(collection: PassageCollection) -> Iterator[RunCurves]:
    faults = set(collection.faults["kind"])
    yield _curve(
        "precision-recall",
        "Precision and recall in characters",
        "recall: share of the highlighted characters found",
        "precision in characters, interpolated, mean over the topics",
        partial(interpolated_precision_curves, collection, overlap="thorough" if "overlap" in faults else "refuse"),
    )
    if faults & {"interleaved", "overlap"} and "no length" not in faults:
        return  # the runs of a focused task are no answer to a task in context
    mode = "best" if "no length" in faults else "relevant"
    yield _curve(
        "generalised-precision",
        "Generalised precision and recall of articles",
        "recall: share of the relevant articles found",
        "generalised precision, interpolated, mean over the topics",
        partial(generalised_precision_curves, collection, mode=mode),
    )


def _curve(name: str, title: str, across: str, up: str, make: Callable[[], xr.DataArray]) -> RunCurves:
    try:
        data = make().mean("topic")
    except InvalidOptionError as error:
        return RunCurves(name=name, title=title, across=across, up=up, data=None, lacking=str(error))
    return RunCurves(name=name, title=title, across=across, up=up, data=data)


# ------------------------------------------------------------------------------------------------- elements, passages


def _elements_per_topic(collection: ElementCollection) -> dict[str, NDArray[np.int64]]:
    elements = collection.elements
    relevant = collection.in_force & (elements.exhaustivity != 0) & (elements.specificity > 0)
    small = relevant & (elements.exhaustivity == TOO_SMALL)
    marked = {"relevant elements": relevant}
    if (elements.assessed & ~relevant).any():
        marked = {"elements assessed": elements.assessed, **marked}
    if small.any():
        marked["relevant elements too small (?)"] = small
    topics = collection.topic_of_element
    return {name: np.bincount(topics[mask], minlength=collection.n_topics) for name, mask in marked.items()}


def _passages_per_topic(collection: PassageCollection) -> dict[str, NDArray[np.int64]]:
    documents = collection.by_document
    live = documents.levels > 0
    topics = documents.topic_of_judgment[live]
    passages, characters = np.diff(collection.text.offsets)[live], collection.text.relevant_sizes[live]
    return {
        name: np.bincount(topics, weights=amounts, minlength=collection.n_topics).astype(np.int64)
        for name, amounts in (("highlighted passages", passages), ("highlighted characters", characters))
    }


def _element_runs(collection: ElementCollection) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return overlap and mean size of every run; NaN where sizes are not known."""
    lengths = np.diff(collection.offsets)
    topics = np.tile(np.arange(collection.n_topics), collection.n_systems)
    places = np.repeat(collection.element_offsets[topics], lengths) + collection.results
    sizes = collection.elements.sizes[places].astype(np.float64)
    runs = np.repeat(np.arange(collection.n_systems), lengths.reshape(collection.n_systems, -1).sum(axis=1))
    sums = np.bincount(runs, weights=np.where(sizes > 0, sizes, np.nan), minlength=collection.n_systems)
    overlap = run_overlap(collection)
    answered = overlap.notnull().any("topic")  # noqa: PD004 - xarray
    means = overlap.fillna(0).sum("topic") / np.maximum(overlap.notnull().sum("topic"), 1)  # noqa: PD004 - xarray
    return means.where(answered).to_numpy(), _share(sums, collection.n_retrieved.sum(axis=1))


def _passage_runs(collection: PassageCollection) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    every, new = (counts.sum(axis=1) for counts in (collection.n_characters, collection.n_unseen_characters))
    return 1 - _share(new, every), _share(every, collection.n_retrieved.sum(axis=1))


def _share(part: NDArray[np.number], whole: NDArray[np.number]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0, dtype=np.float64)
