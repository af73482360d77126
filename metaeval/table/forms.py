"""The shapes in which scores are held in memory: arrays, frames, mappings, results of other tools; each is recognised.

Names are checked here, and numbers as far as they are numbers; what gaps, infinities and too few systems mean is
decided by `metaeval.table.scores.as_scores`, whatever the shape was.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import refused
from metaeval.base.columns import SCORES, column_roles, part_of_word
from metaeval.base.names import metric_evidence, natural_order, shortened, topic_evidence
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.array import (
    ATTACHED,
    DIMS,
    REPEAT,
    ScoreTable,
    clean_names,
    exact_floats,
    frame_numbers,
    refuse_sliver,
    table_of_rows,
)


def recognise(data: object, names: dict[str, Sequence[str] | None], nesting: Sequence[str] | None) -> ScoreTable:
    """Take scores in any shape apart into numbers and labels."""
    if type(data).__module__.partition(".")[0] == "polars" and hasattr(data, "to_dict"):
        data = pd.DataFrame(data.to_dict(as_series=False))
    if isinstance(data, xr.Dataset):
        data = _from_dataset(data)
    labelled = isinstance(data, xr.DataArray | pd.DataFrame | Mapping)
    if labelled and any(given is not None for given in names.values()):
        message = "`metrics`, `systems` and `topics` name the rows of a bare array; this table has names of its own"
        raise InvalidOptionError(message)
    if nesting is not None and (isinstance(nesting, str) or sorted(map(str, nesting)) != sorted(DIMS)):
        raise refused("nesting", f"must name system, topic and metric, the outermost first, not {nesting!r}", nesting)
    if nesting is not None and not (isinstance(data, Mapping) and any(isinstance(v, Mapping) for v in data.values())):
        message = "`nesting` is for mappings in mappings; this table says itself which axis is which, so leave it out"
        raise InvalidOptionError(message)
    match data:
        case xr.DataArray():
            return _from_dataarray(data)
        case pd.DataFrame():
            return _from_frame(data)
        case Mapping():
            return _from_mapping(data, nesting)
    return _from_array(data, names)


def _from_dataset(data: xr.Dataset) -> xr.DataArray:
    """Return a data set of metrics as one array; its variables must all be scores by system and topic."""
    names = list(data.data_vars)
    if len(names) == 1 and "metric" in data[names[0]].dims:
        return data[names[0]]
    for name in names:
        if {*data[name].dims} - {REPEAT} != {"system", "topic"}:
            raise ScoresError(
                f"scores need the dims system and topic in every variable of a data set, a metric each; {name!r} has "
                f"{', '.join(map(str, data[name].dims)) or 'none'}; leave it out, or rename its dims"
            )
    if not names:
        raise ScoresError("the data set holds no variable; it needs scores by system and topic")
    without = [str(name) for name in names if REPEAT not in data[name].dims]
    if 0 < len(without) < len(names):
        raise ScoresError(
            f"some variables of the data set have repeats and {', '.join(without)} not; read them apart, or take means "
            "over the repeats (mean('repeat'))"
        )
    return data.to_dataarray("metric")


def _from_dataarray(data: xr.DataArray) -> ScoreTable:
    if "metric" not in data.dims:
        data = _as_one_metric(data)
    if {*data.dims} - {REPEAT} != set(DIMS):
        raise ScoresError(
            "scores need the dims metric, system and topic, and may have repeat; these have "
            f"{', '.join(map(str, data.dims))}"
        )
    if REPEAT in data.dims and REPEAT not in data.coords:
        data = data.assign_coords({REPEAT: _numbered(data.sizes[REPEAT])})
    unnamed = [dim for dim in DIMS if dim not in data.coords]
    if unnamed:
        raise ScoresError(f"scores need names along {', '.join(unnamed)}: give the DataArray that coordinate")
    data = data.transpose(*DIMS, ...)
    coordinates = data.coords.variables
    extras = {
        str(name): (str(coordinate.dims[0]), coordinate.to_numpy())
        for name, coordinate in coordinates.items()
        if name not in data.dims and coordinate.ndim == 1
    }
    for name, dim in ATTACHED.items():
        if name in coordinates and extras.get(name, ("",))[0] != dim:
            raise ScoresError(f"the coordinate {name} must lie along {dim}, not along {coordinates[name].dims}")
    return ScoreTable(
        scores=_real_numbers(data.to_numpy()),
        labels={str(dim): clean_names(coordinates[dim].to_numpy().tolist(), str(dim)) for dim in data.dims},
        coordinates=extras,
        attributes={name: list(entry) if isinstance(entry, list) else entry for name, entry in data.attrs.items()},
    )


def _as_one_metric(data: xr.DataArray) -> xr.DataArray:
    """Give an array of one metric that dimension, and its direction along with it."""
    name = data.coords["metric"].item() if "metric" in data.coords else data.name or "metric1"
    expanded = data.drop_vars("metric", errors="ignore").expand_dims(metric=[str(name)])
    if "higher_is_better" in data.coords and not data.coords["higher_is_better"].ndim:
        return expanded.assign_coords(higher_is_better=("metric", [data.coords["higher_is_better"].item()]))
    return expanded


def _from_frame(frame: pd.DataFrame) -> ScoreTable:
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    columns = _clean_column_names(frame)
    parts, others = column_roles(columns)
    if "system" in parts and "topic" in parts and {"metric", "score"} <= parts.keys():
        if others:
            raise ScoresError(
                f"a long table has no place for the column{'s' * (len(others) > 1)} {', '.join(others)}; drop what is "
                f"neither {', '.join(SCORES)}"
            )
        return table_of_rows(frame.set_axis(columns, axis=1), parts, [parts["score"]])
    if "system" in parts and "topic" in parts and others and not {"metric", "score"} & parts.keys():
        return table_of_rows(frame.set_axis(columns, axis=1), parts, others)
    absent = [part for part in ("system", "topic", "metric", "score") if part not in parts]
    raise ScoresError(
        f"a long table needs columns for system, topic, metric and score; {', '.join(absent)} not found among "
        f"{', '.join(columns)}. Rename columns ({'; '.join(f'{p}: {", ".join(SCORES[p])}' for p in absent)}), "
        "or pass a wide table as {metric: table}, topics in its index and systems in its columns"
    )


def _clean_column_names(frame: pd.DataFrame) -> list[str]:
    columns = [str(column) for column in frame.columns]
    if len(set(columns)) < len(columns):
        clean_names(columns, "column")
    return columns


def _from_mapping(tables: Mapping[Any, Any], nesting: Sequence[str] | None) -> ScoreTable:
    if not tables:
        raise ScoresError("the mapping is empty; it should hold a table for every metric, or results for every system")
    if all(isinstance(table, Mapping) for table in tables.values()):
        return _from_nested(tables, nesting)
    long = {key: _holds_rows(table) for key, table in tables.items()}
    if not any(long.values()):
        return _from_wide(tables)
    if all(long.values()):
        return _from_results(tables)
    kinds = [next(str(key) for key, is_long in long.items() if is_long is kind) for kind in (True, False)]
    raise ScoresError(
        f"a mapping holds either wide tables by metric or results by system, not both: {kinds[0]!r} has columns for "
        f"topic, metric and score, {kinds[1]!r} has systems in columns"
    )


def _from_nested(tables: Mapping[Any, Any], nesting: Sequence[str] | None) -> ScoreTable:
    """Lay out mappings in mappings, once it is sure what is a system, what a topic and what a metric."""
    rows = []
    for outer, parts in tables.items():
        for middle, scores in parts.items():
            if not isinstance(scores, Mapping):
                list(_rows_of(parts, outer))  # says what was expected
            rows += [(outer, middle, inner, score) for inner, score in scores.items()]
    frame = pd.DataFrame(rows, columns=["outer", "middle", "inner", "score"], dtype=object)
    if not len(frame):
        raise ScoresError("the mappings hold no score; fill them, or leave them out")
    levels = [list(dict.fromkeys(frame[level].tolist())) for level in ("outer", "middle", "inner")]
    roles = _roles_of_levels(levels) if nesting is None else tuple(map(str, nesting))
    frame = frame.set_axis([*roles, "score"], axis=1)
    return table_of_rows(frame, {name: name for name in frame.columns}, ["score"])


_NESTINGS = (("system", "topic", "metric"), ("system", "metric", "topic"), ("metric", "system", "topic"))


def _roles_of_levels(levels: Sequence[Sequence[object]]) -> tuple[str, ...]:
    """Tell metrics by their names, and topics from systems by numbers; refuse whatever could be otherwise."""
    metric_like = [metric_evidence(names) for names in levels]
    at_metric = int(np.argmax(metric_like))
    if sorted(metric_like) == [0, 0, 2]:
        first, second = (level for place, level in enumerate(levels) if place != at_metric)
        as_system, as_topic = topic_evidence(first), topic_evidence(second)
        certain = as_topic > max(as_system, 1) or len(second) > len(first)
        if as_topic > max(as_system, 0) and certain:
            return next(roles for roles in _NESTINGS if roles[at_metric] == "metric")
        why = "topics must be called like numbered things (301, q17) to be told from systems"
        if as_system > as_topic:
            why = "topics seem to stand outside systems, and it should be the other way round"
    else:
        why = "metrics must be called like metrics, and systems and topics must not, to be recognised"
    shown = [f"{', '.join(shortened(name, 30) for name in level[:3])}{', …' * (len(level) > 3)}" for level in levels]  # noqa: PLR2004 - as many as are shown
    raise InvalidOptionError(
        f"what are systems, topics and metrics in these mappings? Outermost are {shown[0]}, in them {shown[1]}, "
        f"innermost {shown[2]}; {why}. Say what they are, the outermost first: "
        "`nesting=('system', 'topic', 'metric')` as in pytrec_eval, ('system', 'metric', 'topic') as in ranx, or "
        "another order"
    )


def _holds_rows(table: object) -> bool:
    """Whether this is the results of one system, rather than a wide table of all."""
    if not isinstance(table, pd.DataFrame):
        return True
    try:
        return column_roles(table.columns).parts.keys() >= {"topic", "metric", "score"}
    except ScoresError:
        return False


def _from_wide(tables: Mapping[Any, pd.DataFrame]) -> ScoreTable:
    systems: dict[str, None] = {}
    topics: dict[str, None] = {}
    frames: dict[str, pd.DataFrame] = {}
    metrics = clean_names(tables, "metric")
    for metric, given in zip(metrics, tables.values(), strict=True):
        table = _topics_in_rows(given, metric)
        try:
            columns, index = clean_names(table.columns, "system"), clean_names(table.index, "topic")
        except ScoresError as error:
            raise ScoresError(f"{error} (table {metric!r})") from error
        ids = [column for column in columns if part_of_word(column) == "topic"]
        if ids:
            raise ScoresError(
                f"table {metric!r} has a column {ids[0]!r} among its systems: make it the index "
                f"(table.set_index({ids[0]!r})), or rename it if it is a system"
            )
        frames[metric] = pd.DataFrame(_wide_numbers(table, columns, metric), index=index, columns=columns)
        systems |= dict.fromkeys(columns)
        topics |= dict.fromkeys(index)
    refuse_sliver(
        (len(frames), len(systems), len(topics)),
        sum(frame.size for frame in frames.values()),
        "tables read together must share their systems and topics",
    )
    order = natural_order(topics)
    values = np.stack([frame.reindex(index=order, columns=list(systems)).to_numpy().T for frame in frames.values()])
    return ScoreTable(values, {"metric": metrics, "system": list(systems), "topic": order}, {}, {})


def _wide_numbers(table: pd.DataFrame, columns: Sequence[str], metric: str) -> NDArray[np.float64]:
    """Return the cells as float64, shape (topic, system)."""
    if all(isinstance(kind, np.dtype) and kind.kind in "fb" for kind in set(table.dtypes)):
        return table.to_numpy(dtype=np.float64)
    arrays = [
        frame_numbers(table.iloc[:, place], f"system {name!r} under {metric!r}") for place, name in enumerate(columns)
    ]
    return np.stack(arrays, axis=1) if arrays else np.empty((len(table), 0))


def _topics_in_rows(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Turn a wide table round if its axes are named so; refuse one whose names look turned round."""
    index, columns = (
        part_of_word(axis.name) if axis.nlevels == 1 else "several" for axis in (table.index, table.columns)
    )
    if "several" in {index, columns}:
        message = f"table {metric!r} has several levels of names; give it topics in rows and systems in columns"
        raise ScoresError(message)
    if {index, columns} in ({"system"}, {"topic"}):
        raise ScoresError(f"table {metric!r} calls its rows and its columns {index}s; rename one (table.rename_axis)")
    if index == "system" or columns == "topic":
        return table.T
    if index == "topic" or columns == "system":
        return table
    numbered, counted = (isinstance(one, pd.RangeIndex) and one.start == 0 for one in (table.index, table.columns))
    if numbered and counted:  # pandas' own on both sides, which say nothing: an array laid out as described
        return table
    if min(table.shape) and topic_evidence(table.columns) == 2 > (0 if numbered else topic_evidence(table.index)):  # noqa: PLR2004 - sure
        raise ScoresError(
            f"table {metric!r} has columns called like topics ({shortened(table.columns[0], 30)}, …) and rows that are "
            f"not ({shortened(table.index[0], 30)}, …); topics belong in rows: pass its transpose (table.T), or say "
            "that it is right with table.rename_axis('topic')"
        )
    return table


def _from_results(results: Mapping[Any, Any]) -> ScoreTable:
    rows = [
        (system, topic, metric, score)
        for system, result in results.items()
        for topic, metric, score in _rows_of(result, system)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "metric", "score"], dtype=object)
    return table_of_rows(frame, {name: name for name in frame.columns}, ["score"])


def _rows_of(result: Any, system: object) -> Iterable[tuple[object, object, object]]:  # noqa: ANN401 - recognised by shape
    if isinstance(result, pd.DataFrame):
        parts = column_roles(result.columns).parts
        return zip(*(result[parts[part]].tolist() for part in ("topic", "metric", "score")), strict=True)
    if isinstance(result, Mapping) and all(isinstance(scores, Mapping) for scores in result.values()):
        raise InvalidOptionError(
            f"{system!r} holds mappings in a mapping, and other systems do not; give the results of all systems in "
            "one form"
        )
    if not isinstance(result, Mapping | str | bytes) and isinstance(result, Iterable):
        rows = list(result)
        if all(hasattr(row, "query_id") and hasattr(row, "measure") and hasattr(row, "value") for row in rows):
            return ((row.query_id, str(row.measure), row.value) for row in rows)
    raise InvalidOptionError(
        f"{system!r}: expected a wide DataFrame (topics x systems) for a metric, or for a system what "
        f"ir_measures.iter_calc gives, {{topic: {{metric: score}}}} or {{metric: {{topic: score}}}}, not "
        f"{type(result).__name__} {shortened(repr(result))}"
    )


def _from_array(data: object, names: Mapping[str, Sequence[str] | None]) -> ScoreTable:
    try:
        values = _real_numbers(data)
    except (TypeError, ValueError) as error:
        message = f"scores must be numbers in a labelled table or an array, not {type(data).__name__}: {error}"
        raise ScoresError(message) from error
    if values.ndim == 2:  # noqa: PLR2004 - system x topic
        values = values[None]
    if values.ndim not in {len(DIMS), len(DIMS) + 1}:
        raise ScoresError(
            "an array of scores is (system, topic), (metric, system, topic) or (metric, system, topic, repeat); this "
            f"one has {values.ndim} axes"
        )
    labels: dict[str, list[str]] = {}
    for dim, size, stem in zip((*DIMS, REPEAT), values.shape, ("metric", "system", "", ""), strict=False):
        given = names.get(dim)
        if isinstance(given, str):
            message = f"`{dim}s` must be a sequence of names, such as [{given!r}], not the text {given!r}"
            raise InvalidOptionError(message)
        listed: list[object] = [f"{stem}{number}" for number in range(1, size + 1)] if given is None else list(given)
        if len(listed) != size:
            raise InvalidOptionError(f"`{dim}s` holds {len(listed)} names for {size} {dim}s")
        labels[dim] = clean_names(listed, dim)
    return ScoreTable(values, labels, {}, {})


def _numbered(size: int) -> list[str]:
    return [str(number) for number in range(1, size + 1)]


def _real_numbers(data: object) -> NDArray[np.float64]:
    """Copy to float64; masked entries become gaps, and what has no order (complex numbers, dates) is refused."""
    if isinstance(data, np.ma.MaskedArray):
        data = np.where(np.ma.getmaskarray(data), np.nan, data.data)
    array = np.asarray(data)
    if array.dtype.kind == "f" and not isinstance(data, np.ndarray) and (np.abs(array) >= 2**53).any():
        array = np.asarray(data, dtype=object)  # of long whole numbers beside others numpy makes floats
    if array.dtype.kind in "cmMV":
        raise ScoresError(f"scores must be real numbers, not {array.dtype}")
    if array.dtype.kind in "OUST":
        cells = pd.Series(array.ravel().astype(object), dtype=object)
        return frame_numbers(cells, "the array", "place").reshape(array.shape)
    if array.dtype.kind in "iu":
        return exact_floats(array.ravel(), "the array", "place").reshape(array.shape)
    return np.array(array, dtype=np.float64, order="C")
