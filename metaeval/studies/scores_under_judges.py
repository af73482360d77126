"""Runs scored under every judge in turn: the labels of each stand in place of the judgments."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.labels import Labels
from metaeval.collection.assembly import judgments_from
from metaeval.collection.base import JudgedCollection
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.defaults import default_metrics
from metaeval.metrics.registry import Registry
from metaeval.metrics.scoring import resolve_metrics, score
from metaeval.parallel import track
from metaeval.scores import Scores, as_scores

__all__ = ["judgments_of_labels", "runs_under_judges", "scores_under_judges"]

_OF_LABELS = ("AP", "nDCG@10")


def judgments_of_labels(labels: Labels) -> Judgments:
    """Return every labelled item as a judgment at its highest label, for reading runs beside them.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels({"ann": {"1": {"d1": 1, "d2": 0}}, "ben": {"1": {"d1": 2}}})
    >>> judgments_of_labels(labels).levels.tolist()
    [2, 0]
    """
    highest = labels.table.max(axis=1).dropna()
    qrels: dict[str, dict[str, float]] = {}
    for (topic, item), level in zip(highest.index.tolist(), highest.tolist(), strict=True):
        qrels.setdefault(topic, {})[item] = level
    return judgments_from(qrels)


def runs_under_judges(
    labels: Labels, collection: Collection | Mapping[str, JudgedCollection], *, has_parts: bool
) -> dict[str, JudgedCollection]:
    """Return the runs with the judgments of each judge in turn."""
    if isinstance(collection, Collection) and not has_parts:
        grades = _grades_of_judges(labels, collection)
        return {name: collection.regrade(own) for name, own in zip(labels.judges, grades, strict=True)}
    if not isinstance(collection, Mapping) or not has_parts:
        message = (
            "the collection is a Collection for labels, and a mapping of judge to collection for assessments; "
            f"this is a {type(collection).__name__}"
        )
        raise InvalidOptionError(message)
    if set(collection) != set(labels.judges):
        message = f"the collections must name the judges {', '.join(labels.judges)}, not {', '.join(collection)}"
        raise InvalidOptionError(message)
    runs = {one.systems for one in collection.values()}
    if len(runs) > 1:
        message = "the collections must hold the same runs under every judge, in the same order"
        raise InvalidOptionError(message)
    return {name: collection[name] for name in labels.judges}


def scores_under_judges(
    judged: Mapping[str, JudgedCollection],
    metrics: object = None,
    *,
    reference: str | None = None,
    registry: Registry | None = None,
) -> tuple[dict[str, Scores], list[str]]:
    """Score the runs under every judge; return for each metric the scores with judges in place of metrics, and notes.

    Parameters
    ----------
    judged : mapping of str to JudgedCollection
        From `runs_under_judges`.
    metrics : sequence of str, optional
        AP and nDCG@10 by default; for elements and passages those of their campaigns.
    reference : str, optional
        Topics count where it found something relevant, and where another judge did not, all runs score 0 under that
        one. Without a reference topics count where every judge found something relevant.
    registry : Registry, optional

    Raises
    ------
    InvalidOptionError
        If fewer than two topics are left.
    """
    first = next(iter(judged.values()))
    if metrics is None:
        metrics = _OF_LABELS if isinstance(first, Collection) else default_metrics(first)
    chosen = resolve_metrics(metrics, registry=registry)
    known = [set(one.topics) for one in judged.values()]
    common = [topic for topic in first.topics if all(topic in own for own in known)]
    found = {name: _topics_with_relevant(one.by_document) for name, one in judged.items()}
    asked = found.values() if reference is None else [found[reference]]
    topics = [topic for topic in common if all(topic in own for own in asked)]
    who = "some judge" if reference is None else reference
    notes = []
    left = len(common) - len(topics)
    if left:
        notes.append(f"{left} of {len(common)} topics have nothing relevant under {who}: left out")
    if len(topics) < 2:  # noqa: PLR2004 - tests need two topics
        whom = "every judge" if reference is None else reference
        message = f"runs can be compared on topics where {whom} found something relevant; there are {len(topics)}"
        raise InvalidOptionError(message)
    empty = {name: sum(topic not in own for topic in topics) for name, own in found.items()}
    zeros = ", ".join(f"{name} {number}" for name, number in empty.items() if number)
    if zeros:
        notes.append(f"topics of {len(topics)} with nothing relevant, where every run scores 0: {zeros}")
    parts: dict[str, list[xr.DataArray]] = {one.name: [] for one in chosen}
    for one in track(list(judged.values()), description="scoring runs under each judge"):
        values = score(one.select(topics=topics), chosen, undefined="zero")
        for name, part in parts.items():
            part.append(values.sel(metric=[name]))
    return {name: _side_by_side(part, list(judged)) for name, part in parts.items()}, notes


def _topics_with_relevant(collection: Collection) -> set[str]:
    topics = np.unique(collection.topic_of_judgment[collection.levels > 0])
    return {collection.topics[place] for place in topics.tolist()}


def _side_by_side(parts: Sequence[xr.DataArray], names: Sequence[str]) -> Scores:
    direction = bool(parts[0]["higher_is_better"].item())
    stacked = np.concatenate([part.to_numpy() for part in parts])
    table = xr.DataArray(
        stacked,
        dims=parts[0].dims,
        coords={"metric": list(names), "system": parts[0]["system"].to_numpy(), "topic": parts[0]["topic"].to_numpy()},
    )
    return as_scores(table, higher_is_better=direction)


def _grades_of_judges(labels: Labels, collection: Collection) -> np.ndarray:
    topics = np.array(collection.topics, dtype=object)[collection.topic_of_judgment]
    items = [name.decode() for name in collection.document_ids.tolist()]
    rows = pd.MultiIndex.from_frame(labels.table.index.to_frame(index=False)).get_indexer(
        pd.MultiIndex.from_arrays([topics, items])
    )
    if (rows < 0).any():
        place = int(np.flatnonzero(rows < 0)[0])
        message = (
            f"the collection judges topic {topics[place]!r}, item {items[place]!r}, which no judge labelled; "
            "compile the runs with judgments_of_labels"
        )
        raise InvalidOptionError(message)
    return labels.table.to_numpy()[rows].T
