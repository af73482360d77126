"""Data in memory as functions take them: runs with their judgments, and labels, however a call has them."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

from metaeval.agreement.labels import as_labels, frame_of_judges
from metaeval.base.columns import RANKINGS, READING
from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.io.interop import collection_from
from metaeval.io.labels import labels_in
from metaeval.metrics.scoring import score
from metaeval.table.conversions import plain
from metaeval.table.votes import as_votes

_NAMES_OF_RUNS = ("system", "name", "run", "run_id", "tag", "model")
_PAIR, _OF_A_RUN = 2, 2

type Call = tuple[tuple[Any, ...], dict[str, object]]


def taken_in_memory(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, object]) -> Call:
    """Return the arguments of a call, with runs and judgments made a collection or scores, and labels checked."""
    parameters = signature(function).parameters
    first, named = next(iter(parameters)), dict(named)
    data, *more = given or (named.pop(first, None) if first in named else named.pop("runs", None),)
    if first in _READ:
        reading = {name: named.pop(name) for name in READING - {*parameters} if name in named}
        return (_READ[first](data, reading), *more), named
    if "qrels" not in named and isinstance(data, tuple) and len(data) == _PAIR:
        data, *more = *data, *more
    if "qrels" not in named and more and _holds_judgments(more[0]):
        named["qrels"], *more = more
    if "qrels" not in named:
        if first == "collection" and _holds_judgments(data):
            message = f"{function.__name__}() needs the judgments (qrels) beside the runs, as the second argument"
            raise InvalidOptionError(message)
        return (data, *more), named
    collection = _collection(function, data, named.pop("qrels"))
    if first == "collection":
        return (collection, *more), named
    if "collection" in parameters:
        named.setdefault("collection", collection)
    if "metrics" not in parameters and more:
        named["metrics"], *more = more
    return (score(collection, named.pop("metrics", collection.usual_metrics)), *more), named


def _collection(function: Callable[..., Any], runs: object, qrels: object) -> Collection:
    if 0 < _depth(runs) < _depth(qrels):
        raise InvalidOptionError(f"{function.__name__}() takes `runs` first, then `qrels`; turn them round")
    return collection_from(runs_of(runs), qrels)


def runs_of(data: object) -> Mapping[str, object]:
    """Return runs by name: a mapping, a list of runs that have names, a table of several runs, or a single run.

    Examples
    --------
    >>> runs_of({"1": {"d1": 2.5}})
    {'run': {'1': {'d1': 2.5}}}
    """
    if (
        isinstance(data, list | tuple)
        and data
        and all(hasattr(run, "to_dict") and hasattr(run, "name") for run in data)
    ):
        return {str(run.name): run for run in data}
    if isinstance(data, Mapping):
        return {"run": data} if _depth(data) == _OF_A_RUN else data
    frame = plain(data)
    if not isinstance(frame, pd.DataFrame):
        return {"run": data}
    column = next((name for name in _NAMES_OF_RUNS if name in frame), None)
    if column is None:
        return {"run": data}
    return {str(name): rows.drop(columns=column) for name, rows in frame.groupby(column, sort=False)}


def _holds_judgments(data: object) -> bool:
    """Say whether something behind runs is their judgments, and no metric nor several."""
    if isinstance(data, list | tuple):
        return bool(data) and hasattr(data[0], "relevance")
    if isinstance(data, Mapping):
        return not isinstance(next(iter(data.values()), None), int | float)
    if isinstance(data, pd.DataFrame):
        return not all(map(pd.api.types.is_numeric_dtype, data.dtypes)) or any(
            name in RANKINGS["topic"] for name in data.columns
        )
    if hasattr(data, "dims"):
        return False
    return hasattr(data, "columns") or (hasattr(data, "to_dict") and not isinstance(data, pd.Series))


def _depth(data: object) -> int:
    """Return how many mappings are inside each other: two of a run or judgments in any form, three of several runs."""
    if isinstance(data, Mapping):
        return 1 + _depth(next(iter(data.values()), None))
    return 0 if data is None or np.isscalar(data) else _OF_A_RUN


def _label_table(data: object, reading: Mapping[str, Any]) -> object:
    return labels_in(frame_of_judges(data) if isinstance(data, Mapping) else plain(data), **reading)


def _labels(data: object, reading: Mapping[str, Any]) -> object:
    if type(data).__name__ in {"Labels", "JudgeInput"}:
        return data
    if isinstance(data, str):
        raise InvalidOptionError(f"`labels` are in memory, and {data!r:.60} is text; metaeval.read_labels reads a file")
    return as_labels(_label_table(data, reading) if reading else data)


_READ: Mapping[str, Callable[[Any, Mapping[str, Any]], object]] = {
    "labels": _labels,
    "votes": lambda data, reading: as_votes(data, **reading),
    "table": _label_table,
}
"""First arguments that what is in memory is read for, and how."""
