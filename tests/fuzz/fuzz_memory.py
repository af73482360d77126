"""Scores, runs and judgments that are objects already: frames of pandas and polars, arrays, mappings.

The file of a case is JSON that says what stands in the object; its options say what the object is.
"""

import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from fuzz_benchmarks import change_value
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import is_number, keeps_digits, natural, number_of
from fuzz_spelling import NAMES, TOPICS, few
from fuzz_tables import laid_out as laid_out_scores
from fuzz_trec import laid_out as laid_out_collection
from fuzz_truths import laid, scored

from metaeval.errors import FileFormatError
from metaeval.io.interop import collection_from
from metaeval.table.scores import as_scores

_DIMS = ("metric", "system", "topic")
_EXACT = (0.0, 1.0, 0.5, 0.25, 0.125, -1.5)
"""The same in 32 bits."""


def _mutate(rng: random.Random, case: Case) -> Case:
    return case._replace(files=(change_value(rng, case.files[0]),))


def _held(paths: Sequence[str]) -> Any:
    with open(paths[0], "rb") as stream:  # noqa: PTH123 - as the harness writes it
        return json.load(stream)


def _objects(cells: Sequence[Any]) -> Any:
    """Return cells as they are, of whatever kind each is."""
    if not isinstance(cells, list):
        raise TypeError
    found = np.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):
        found[at] = cell
    return found


# ------------------------------------------------------------------------------------------------------ scores


def _make_scores(rng: random.Random) -> Case:
    names = {"metric": ["AP", "P@5"][: rng.randint(1, 2)], "system": ["bm25", "lm"], "topic": few(rng, TOPICS, 2, 3)}
    numbered: Sequence[Any] = rng.choice((names["topic"], [1, 2, 10], [1.0, 2.0]))
    names["topic"] = list(numbered)
    cells = [rng.choice((0.5, 1, 0.25, "0.5", True)) for _ in product(*names.values())]
    kind = rng.choice(("long", "wide", "xarray", "array"))
    return Case((json.dumps({**names, "score": cells}).encode(),), {"as": kind})


def _spelt_scores(rng: random.Random) -> Case:
    metrics = rng.choice((["AP"], ["AP", "P@5"]))
    systems, topics, known = scored(rng, metrics)
    cells = {key: rng.choice(_EXACT) for key in known}
    kind = rng.choice((*_LONG, *_WIDE, *_ARRAYS))
    held = {"metric": metrics, "system": systems, "topic": topics, "score": list(cells.values())}
    options = {"as": kind, "seed": rng.randrange(1000)}
    if kind in _ARRAYS:
        held["topic"] = topics = rng.sample(topics, len(topics))
        cells = dict(zip(product(metrics, systems, topics), held["score"], strict=True))
    return Case((json.dumps(held).encode(),), options, laid(metrics, systems, topics, cells))


def _long_frame(names: Mapping[str, Sequence[Any]], cells: Sequence[Any]) -> dict[str, Any]:
    rows = list(product(*(names[dim] for dim in _DIMS)))
    columns = {dim: _objects([row[at] for row in rows]) for at, dim in enumerate(_DIMS)}
    return {**columns, "score": _objects(cells)}


def _usual_long(rng: random.Random, columns: dict[str, Any]) -> object:
    """Make a long frame of pandas with the types that columns have elsewhere, under other names."""
    frame = pd.DataFrame(columns).infer_objects()
    frame["score"] = frame["score"].astype(rng.choice(("float64", "float32", "Float64", "object")))
    for dim in _DIMS:
        frame[dim] = frame[dim].astype(rng.choice(("object", "str", "category", "string")))
    words = {"system": ("system", "name", "Run ID"), "topic": ("topic", "qid", "query-id"), "metric": ("measure",)}
    frame = frame.rename(columns={dim: rng.choice(known) for dim, known in words.items()})
    frame = frame[rng.sample(list(frame.columns), 4)]
    if rng.random() < 0.3:
        frame.index = pd.Index(rng.sample(range(100), len(frame)))
    return frame.set_index(list(frame.columns[: rng.randint(1, 2)])) if rng.random() < 0.3 else frame


def _polars_long(rng: random.Random, columns: dict[str, Any]) -> object:
    import polars as pl  # noqa: PLC0415 - its threads do not survive a fork

    kinds: Any = {dim: rng.choice((pl.String, pl.Categorical)) for dim in _DIMS}
    kinds["score"] = rng.choice((pl.Float64, pl.Float32))
    frame = pl.DataFrame({name: pl.Series(list(column), dtype=kinds[name]) for name, column in columns.items()})
    return frame.select(rng.sample(frame.columns, 4))


def _metric_columns(rng: random.Random, columns: dict[str, Any]) -> object:
    """Make a frame of systems and topics with a column a metric."""
    frame = pd.DataFrame(columns).infer_objects()
    frame = frame.pivot(index=["system", "topic"], columns="metric", values="score")  # noqa: PD010 - each once
    frame = frame[list(dict.fromkeys(columns["metric"]))].loc[list(dict.fromkeys(columns["system"]))]
    return frame if rng.random() < 0.5 else frame.reset_index()


def _nested(_: random.Random, columns: dict[str, Any]) -> object:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for metric, system, topic, score in zip(*columns.values(), strict=True):
        found.setdefault(metric, {}).setdefault(system, {})[topic] = score
    return found


_LONG = {"typed": _usual_long, "polars": _polars_long, "columns": _metric_columns, "nested": _nested}
_WIDE = ("wide", "turned")
_ARRAYS = ("xarray", "dataset", "transposed", "array")


def _scores_from(held: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[object, dict[str, Any]]:
    """Build the object, and return what else `as_scores` is told."""
    names, cells, kind = {dim: list(_objects(held[dim])) for dim in _DIMS}, held["score"], options["as"]
    rng = random.Random(options.get("seed"))  # noqa: S311 - no secret
    if kind == "long" or kind in _LONG:
        columns = _long_frame(names, cells)
        more = {"nesting": _DIMS} if kind == "nested" else {}
        return (_LONG[kind](rng, columns) if kind in _LONG else pd.DataFrame(columns)), more
    values = _objects(cells).reshape([len(names[dim]) for dim in _DIMS])
    if kind in _WIDE:
        axes = [pd.Index(_objects(names[dim]), name=dim) for dim in ("system", "topic")]
        tables = {m: pd.DataFrame(values[at], *axes) for at, m in enumerate(names["metric"])}
        return {m: one if kind == "turned" else one.T for m, one in tables.items()}, {}
    if kind == "array":
        return values.tolist(), {f"{dim}s": names[dim] for dim in _DIMS}
    array = xr.DataArray(values, dims=_DIMS, coords={dim: _objects(names[dim]) for dim in _DIMS})
    if kind == "xarray":
        return array, {}
    array = array.astype(rng.choice(("float64", "float32")))
    if kind == "transposed":
        return array.transpose(*rng.sample(_DIMS, 3)), {}
    return array.to_dataset(dim="metric"), {}


def _read_scores(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    try:
        data, more = _scores_from(_held(paths), options)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = "no such object can be"
        raise FileFormatError(message) from error
    return laid_out_scores(as_scores(data, **more))


def _name(value: object) -> str:
    if value is None or value != value or isinstance(value, list | dict):  # noqa: PLR0124 - NaN
        raise RefusedError("no name")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    if not text or "\n" in text or "\ud800" in text or len(text) > 1000:
        raise RefusedError("no name")
    return text


def _score(value: object) -> float:
    if isinstance(value, str):
        value = value.strip()
        if not is_number(value) or not keeps_digits(value):
            raise RefusedError("no number")
        return number_of(value)
    if not isinstance(value, int | float) or not math.isfinite(value) or (value == 2**53 + 1):
        raise RefusedError("no number")
    return float(value)


def _score_opinions(case: Case) -> list[object]:
    held = json.loads(case.files[0])
    listed = [held.get(part) for part in (*_DIMS, "score")] if isinstance(held, dict) else []
    if not listed or not all(isinstance(one, list) for one in listed):
        raise RefusedError("no lists")
    metrics, systems, topics = (list(map(_name, names)) for names in listed[:3])
    if any(len(set(names)) < len(names) for names in (metrics, systems, topics)):
        raise RefusedError("a name twice")
    if min(len(systems), len(topics), len(metrics) + 1) < 2:
        raise RefusedError("fewer than two")
    if len(listed[3]) != len(metrics) * len(systems) * len(topics):
        raise RefusedError("another number of scores")
    cells = dict(zip(product(metrics, systems, topics), map(_score, listed[3]), strict=True))
    return [laid(metrics, systems, topics if case.options["as"] in _ARRAYS else natural(topics), cells)]


# ---------------------------------------------------------------------------------------------- runs and judgments


def _make_runs(rng: random.Random) -> Case:
    topics, documents = rng.choice((("1", "q2"), (1, 2), ("1", 1))), rng.choice((("d1", "d2", "é"), (5, 7, "5")))
    topic = [rng.choice(topics) for _ in range(3)]
    run = {"query_id": topic, "doc_id": list(documents), "score": [rng.choice((0.5, 2, -1.25)) for _ in range(3)]}
    levels = rng.choice(((0, 1, 2, -1), (0.5, 0, 1.25)))
    qrels = {"query_id": topic[::-1], "doc_id": list(documents), "relevance": [rng.choice(levels) for _ in range(3)]}
    return Case((json.dumps({"run": run, "qrels": qrels}).encode(),), {"as": rng.choice(("object", "records"))})


def _spelt_runs(rng: random.Random) -> Case:
    topics = few(rng, TOPICS if rng.random() < 0.5 else ("7", "10", "301"), 1, 3)
    listed = {
        topic: sorted(((one, rng.choice(_EXACT)) for one in rng.sample(NAMES, 3)), key=lambda x: (x[1], x[0].encode()))
        for topic in topics
    }
    run = [(topic, name, score) for topic, found in listed.items() for name, score in found]
    judged = {topic: {name: rng.choice((0, 1, 2, -1)) for name in rng.sample(NAMES, 3)} for topic in topics}
    qrels = [(topic, name, level) for topic, own in judged.items() for name, level in own.items()]
    tables = {}
    for part, rows, last in (("run", run, "score"), ("qrels", qrels, "relevance")):
        columns = zip(*rng.sample(rows, len(rows)), strict=True)
        tables[part] = dict(zip(("query_id", "doc_id", last), map(list, columns), strict=True))
    options = {"as": rng.choice(("typed", "polars", "mapping", "records")), "seed": rng.randrange(1000)}
    truth = {
        "systems": ["one"],
        "topics": topics,
        "retrieved": [3] * len(topics),
        "judged": {
            topic: [
                (at, n, float(judged[topic][n]))
                for at, (n, _) in enumerate(listed[topic][::-1], 1)
                if n in judged[topic]
            ]
            for topic in topics
        },
    }
    return Case((json.dumps(tables).encode(),), options, truth)


_CALLED = (("query_id", "doc_id"), ("qid", "docno"), ("q_id", "doc_id"), ("topic", "document"))


def _frame_from(columns: Mapping[str, Sequence[Any]], options: Mapping[str, Any]) -> object:
    kind, rng = options["as"], random.Random(options.get("seed"))  # noqa: S311 - no secret
    columns = {name: list(_objects(cells)) for name, cells in columns.items()}
    if kind == "object":
        return pd.DataFrame({name: _objects(cells) for name, cells in columns.items()})
    if kind == "records":
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if kind == "mapping":
        found: dict[str, dict[str, float]] = {}
        for topic, name, value in zip(*columns.values(), strict=True):
            found.setdefault(topic, {})[name] = value
        return found
    topics, names, values = columns.values()
    words = (*rng.choice(_CALLED), "score" if "score" in columns else rng.choice(("relevance", "label", "rel")))
    numbers = all(re.fullmatch("[1-9][0-9]{0,17}", str(one)) for one in topics)
    ids: Sequence[Any] = [int(one) for one in topics] if numbers and rng.random() < 0.5 else topics
    made: dict[str, Any] = dict(zip(words, (ids, names, values), strict=True))
    made |= {"note": [None] * len(names)} if rng.random() < 0.3 else {}
    made = dict(rng.sample(list(made.items()), len(made)))
    if kind == "polars":
        import polars as pl  # noqa: PLC0415 - its threads do not survive a fork

        return pl.DataFrame(made, schema_overrides={words[1]: rng.choice((pl.String, pl.Categorical))})
    frame = pd.DataFrame(made)
    frame[words[1]] = frame[words[1]].astype(rng.choice(("object", "str", "category", "string")))
    kinds = ("float64", "float32", "Float64") if "score" in columns else ("int8", "int64", "Int16", "float64")
    frame[words[2]] = frame[words[2]].astype(rng.choice(kinds))
    return frame.set_index(pd.Index(rng.sample(range(100), len(frame)))) if rng.random() < 0.5 else frame


def _read_runs(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    try:
        held = _held(paths)
        run, qrels = (_frame_from(held[part], options) for part in ("run", "qrels"))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = "no such object can be"
        raise FileFormatError(message) from error
    return laid_out_collection(collection_from({"one": run}, qrels))


def _rows_of(columns: Any, last: Sequence[str]) -> list[tuple[str, str, float]]:
    if not isinstance(columns, dict) or not all(isinstance(one, list) for one in columns.values()):
        raise RefusedError("no columns")
    value = next((columns[word] for word in last if word in columns), None)
    if value is None or not {"query_id", "doc_id"} <= set(columns):
        raise RefusedError("no such column")
    if len({len(one) for one in columns.values()}) > 1:
        raise RefusedError("columns of different lengths")
    rows = []
    for topic, name, number_ in zip(columns["query_id"], columns["doc_id"], value, strict=True):
        for one in (topic, name):
            if isinstance(one, bool) or not isinstance(one, str | int) or one == "\ud800" or not str(one).strip():
                raise RefusedError("no identifier")
        if isinstance(number_, bool) or not isinstance(number_, int | float) or not math.isfinite(number_):
            raise RefusedError("no number")
        if number_ == 2**53 + 1:
            raise RefusedError("more digits than a float holds")
        rows.append((str(topic), str(name), float(number_)))
    if len({row[:2] for row in rows}) < len(rows) or not rows:
        raise RefusedError("a document twice, or none")
    return rows


def _run_opinions(case: Case) -> list[object]:
    held = json.loads(case.files[0])
    if not isinstance(held, dict):
        raise RefusedError("no columns")
    run, qrels = _rows_of(held.get("run"), ["score"]), _rows_of(held.get("qrels"), ["relevance", "level", "score"])
    levels = [row[2] for row in qrels]
    if max(map(abs, levels)) > 2**15:
        raise RefusedError("too large a level")
    coded = any(not level.is_integer() for level in levels)
    judged = {row[:2]: float(math.floor(row[2])) if coded and row[2] < 0 else row[2] for row in qrels}
    topics = natural(list(dict.fromkeys(row[0] for row in qrels)))
    if not {row[0] for row in run} & set(topics):
        raise RefusedError("no topic in common")
    lists = {
        topic: sorted((row for row in run if row[0] == topic), key=lambda row: (row[2], row[1].encode()), reverse=True)
        for topic in topics
    }
    found = {
        topic: [(at, row[1], judged[row[:2]]) for at, row in enumerate(own, 1) if row[:2] in judged]
        for topic, own in lists.items()
    }
    n_retrieved = [len(lists[topic]) for topic in topics]
    return [{"systems": ["one"], "topics": topics, "retrieved": n_retrieved, "judged": found}]


READERS = (
    Reader(
        name="frames-scores",
        make=_make_scores,
        mutate=_mutate,
        read=_read_scores,
        opinions=_score_opinions,
        speed=240,
        spell=_spelt_scores,
        polars=True,
        changes=(0, 0, 1, 1, 1, 2),
    ),
    Reader(
        name="frames-runs",
        make=_make_runs,
        mutate=_mutate,
        read=_read_runs,
        opinions=_run_opinions,
        speed=340,
        spell=_spelt_runs,
        polars=True,
        changes=(0, 0, 1, 1, 1, 2),
    ),
)
