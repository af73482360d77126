"""The shapes in which scores are held in memory: arrays, frames, mappings, results of other tools; each is recognised.

Names are checked here, and numbers as far as they are numbers; what gaps, infinities and too few systems mean is
decided by `metaeval.scores.as_scores`, whatever the shape was.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.cells import (
    as_number,
    clean_name,
    first_double,
    loses_digits,
    merge_labels,
    metric_evidence,
    natural_order,
    shortened,
    topic_evidence,
)
from metaeval.columns import SCORES, column_roles, part_of_word
from metaeval.errors import InvalidOptionError, ScoresError

__all__ = ["DIMS", "ScoreTable", "first_repeat", "place_rows", "recognise", "refuse_sliver"]

DIMS = ("metric", "system", "topic")
_LARGE = 10_000_000
_SPARSE = 50


class ScoreTable(NamedTuple):
    """What was recognised, before anything is checked but its names."""

    scores: NDArray[np.float64]
    labels: dict[str, list[str]]
    coordinates: dict[str, tuple[str, NDArray[Any]]]
    attributes: dict[str, Any]


def _clean_names(names: Iterable[object], what: str) -> list[str]:
    cleaned = [clean_name(name, what) for name in names]
    if len(set(cleaned)) < len(cleaned):
        message = f"{what} {first_double(cleaned)!r} stands twice; names must be unique"
        raise ScoresError(message)
    return cleaned


def recognise(data: object, names: dict[str, Sequence[str] | None], nesting: Sequence[str] | None) -> ScoreTable:
    """Take scores in any shape apart into numbers and labels.

    Parameters
    ----------
    data : object
        As `metaeval.scores.as_scores` takes it.
    names : mapping of str to sequence of str or None
        Names along the dimensions of a bare array.
    nesting : sequence of str, optional
        What the levels of nested mappings are, the outermost first.

    Raises
    ------
    InvalidOptionError
        If `names` or `nesting` do not fit the shape.
    ScoresError
        If the shape is none that holds scores, a name or number is faulty, or one cell has two scores.
    """
    if type(data).__module__.partition(".")[0] == "polars" and hasattr(data, "to_dict"):
        data = pd.DataFrame(data.to_dict(as_series=False))
    if isinstance(data, xr.Dataset):
        data = _from_dataset(data)
    labelled = isinstance(data, xr.DataArray | pd.DataFrame | Mapping)
    if labelled and any(given is not None for given in names.values()):
        message = "metrics=, systems= and topics= name the rows of a bare array; this table has names of its own"
        raise InvalidOptionError(message)
    if nesting is not None and (isinstance(nesting, str) or sorted(map(str, nesting)) != sorted(DIMS)):
        message = f"nesting= must name system, topic and metric, the outermost first, not {nesting!r}"
        raise InvalidOptionError(message)
    if nesting is not None and not (isinstance(data, Mapping) and any(isinstance(v, Mapping) for v in data.values())):
        message = "nesting= is for mappings in mappings; this table says itself which axis is which, so leave it out"
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
        if set(data[name].dims) != {"system", "topic"}:
            message = (
                f"scores need the dims system and topic in every variable of a data set, a metric each; {name!r} has "
                f"{', '.join(map(str, data[name].dims)) or 'none'}; leave it out, or rename its dims"
            )
            raise ScoresError(message)
    if not names:
        message = "the data set holds no variable; it needs scores by system and topic"
        raise ScoresError(message)
    return data.to_dataarray("metric")


def _from_dataarray(data: xr.DataArray) -> ScoreTable:
    if "metric" not in data.dims:
        data = _as_one_metric(data)
    if set(data.dims) != set(DIMS):
        message = f"scores need the dims metric, system and topic; these have {', '.join(map(str, data.dims))}"
        raise ScoresError(message)
    unnamed = [dim for dim in DIMS if dim not in data.coords]
    if unnamed:
        message = f"scores need names along {', '.join(unnamed)}: give the DataArray that coordinate"
        raise ScoresError(message)
    data = data.transpose(*DIMS)
    extras = {
        str(name): (str(coordinate.dims[0]), coordinate.to_numpy())
        for name, coordinate in data.coords.items()
        if name not in DIMS and coordinate.ndim == 1
    }
    for name, dim in (("group", "system"), ("higher_is_better", "metric")):
        if name in data.coords and extras.get(name, ("",))[0] != dim:
            message = f"the coordinate {name} must lie along {dim}, not along {data.coords[name].dims}"
            raise ScoresError(message)
    return ScoreTable(
        scores=_real_numbers(data.to_numpy()),
        labels={dim: _clean_names(data[dim].to_numpy().tolist(), dim) for dim in DIMS},
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
            message = (
                f"a long table has no place for the column{'s' * (len(others) > 1)} {', '.join(others)}; drop what is "
                "neither system, topic, metric, score, group nor higher_is_better"
            )
            raise ScoresError(message)
        return _from_rows(frame.set_axis(columns, axis=1), parts, [parts["score"]])
    if "system" in parts and "topic" in parts and others and not {"metric", "score"} & parts.keys():
        return _from_rows(frame.set_axis(columns, axis=1), parts, others)
    absent = [part for part in ("system", "topic", "metric", "score") if part not in parts]
    message = (
        f"a long table needs columns for system, topic, metric and score; {', '.join(absent)} not found among "
        f"{', '.join(columns)}. Rename columns ({'; '.join(f'{p}: {", ".join(SCORES[p])}' for p in absent)}), "
        "or pass a wide table as {metric: table}, topics in its index and systems in its columns"
    )
    raise ScoresError(message)


def _clean_column_names(frame: pd.DataFrame) -> list[str]:
    columns = [str(column) for column in frame.columns]
    if len(set(columns)) < len(columns):
        _clean_names(columns, "column")
    return columns


def _from_rows(frame: pd.DataFrame, parts: Mapping[str, str], score_columns: Sequence[str]) -> ScoreTable:
    """Lay out rows: one score each, or one score per metric in several columns."""
    codes: dict[str, NDArray[np.int64]] = {}
    labels: dict[str, list[str]] = {}
    for dim in DIMS:
        if dim in parts:
            code, names = pd.factorize(frame[parts[dim]], use_na_sentinel=False)
            codes[dim], labels[dim] = merge_labels(code.astype(np.int64), names.tolist(), dim)
    n_rows, n_columns = len(frame), len(score_columns)
    if "metric" not in codes:
        codes = {dim: np.repeat(code, n_columns) for dim, code in codes.items()}
        codes["metric"] = np.tile(np.arange(n_columns, dtype=np.int64), n_rows)
        labels["metric"] = _clean_names(score_columns, "metric")
    cells = place_rows(codes, labels)
    repeat = first_repeat(cells)
    if repeat is not None:
        message = f"{_one_cell(codes, labels, repeat[0])} stands twice, in rows {repeat[1]} and {repeat[0]}; keep one"
        raise ScoresError(message)
    flat = np.full(math.prod(len(labels[dim]) for dim in DIMS), np.nan)
    scores = [_frame_numbers(frame[column], f"column {column!r}") for column in score_columns]
    flat[cells] = np.stack(scores, axis=1).ravel()
    table = ScoreTable(
        scores=flat.reshape([len(labels[dim]) for dim in DIMS]),
        labels=labels,
        coordinates={
            part: (dim, _one_per_name(frame[parts[part]], codes[dim][::n_columns], labels[dim], part, dim))
            for part, dim in (("group", "system"), ("higher_is_better", "metric"))
            if part in parts and dim in parts
        },
        attributes={},
    )
    return _topics_in_order(table)


def _one_cell(codes: Mapping[str, NDArray[np.int64]], labels: Mapping[str, Sequence[str]], row: int) -> str:
    metric, system, topic = (labels[dim][codes[dim][row]] for dim in DIMS)
    return f"system {system!r} on topic {topic!r} under {metric!r}"


def _one_per_name(
    column: pd.Series, codes: NDArray[np.int64], names: Sequence[str], part: str, dim: str
) -> NDArray[Any]:
    """Reduce a column that says the same on every row of a system (or metric) to one entry each."""
    said = column.astype(object).where(column.notna(), None).to_numpy()
    entries: list[Any] = [None] * len(names)
    pairs = dict.fromkeys(zip(codes.tolist(), said, strict=True))
    for code, entry in pairs:
        if entries[code] is not None and entries[code] != entry:
            message = f"{dim} {names[code]!r} has more than one {part}: {entries[code]!r} and {entry!r}; keep one"
            raise ScoresError(message)
        entries[code] = entry
    return np.array(entries, dtype=object)


def _topics_in_order(table: ScoreTable) -> ScoreTable:
    names = table.labels["topic"]
    order = natural_order(names)
    if order == names:
        return table
    place = {name: position for position, name in enumerate(names)}
    return table._replace(
        scores=np.ascontiguousarray(table.scores[:, :, [place[name] for name in order]]),
        labels=table.labels | {"topic": order},
    )


def _from_mapping(tables: Mapping[Any, Any], nesting: Sequence[str] | None) -> ScoreTable:
    if not tables:
        message = "the mapping is empty; it should hold a table for every metric, or results for every system"
        raise ScoresError(message)
    if all(isinstance(table, Mapping) for table in tables.values()):
        return _from_nested(tables, nesting)
    long = {key: _holds_rows(table) for key, table in tables.items()}
    if not any(long.values()):
        return _from_wide(tables)
    if all(long.values()):
        return _from_results(tables)
    kinds = [next(str(key) for key, is_long in long.items() if is_long is kind) for kind in (True, False)]
    message = (
        f"a mapping holds either wide tables by metric or results by system, not both: {kinds[0]!r} has columns for "
        f"topic, metric and score, {kinds[1]!r} has systems in columns"
    )
    raise ScoresError(message)


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
        message = "the mappings hold no score; fill them, or leave them out"
        raise ScoresError(message)
    levels = [list(dict.fromkeys(frame[level].tolist())) for level in ("outer", "middle", "inner")]
    roles = _roles_of_levels(levels) if nesting is None else tuple(map(str, nesting))
    frame = frame.set_axis([*roles, "score"], axis=1)
    return _from_rows(frame, {name: name for name in frame.columns}, ["score"])


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
        why = "metrics must be called like metrics, and systems and topics must not, to be told apart"
    shown = [f"{', '.join(shortened(name, 30) for name in level[:3])}{', …' * (len(level) > 3)}" for level in levels]  # noqa: PLR2004 - as many as are shown
    message = (
        f"what are systems, topics and metrics in these mappings? Outermost are {shown[0]}, in them {shown[1]}, "
        f"innermost {shown[2]}; {why}. Say what they are, the outermost first: "
        "nesting=('system', 'topic', 'metric') as in pytrec_eval, ('system', 'metric', 'topic') as in ranx, or another "
        "order"
    )
    raise InvalidOptionError(message)


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
    metrics = _clean_names(tables, "metric")
    for metric, given in zip(metrics, tables.values(), strict=True):
        table = _topics_in_rows(given, metric)
        try:
            columns, index = _clean_names(table.columns, "system"), _clean_names(table.index, "topic")
        except ScoresError as error:
            raise ScoresError(f"{error} (table {metric!r})") from error
        ids = [column for column in columns if part_of_word(column) == "topic"]
        if ids:
            message = (
                f"table {metric!r} has a column {ids[0]!r} among its systems: make it the index "
                f"(table.set_index({ids[0]!r})), or rename it if it is a system"
            )
            raise ScoresError(message)
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
        _frame_numbers(table.iloc[:, place], f"system {name!r} under {metric!r}") for place, name in enumerate(columns)
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
        message = f"table {metric!r} calls its rows and its columns {index}s; rename one (table.rename_axis)"
        raise ScoresError(message)
    if index == "system" or columns == "topic":
        return table.T
    if index == "topic" or columns == "system":
        return table
    numbered, counted = (isinstance(one, pd.RangeIndex) and one.start == 0 for one in (table.index, table.columns))
    if numbered and counted:  # pandas' own on both sides, which say nothing: an array laid out as described
        return table
    if min(table.shape) and topic_evidence(table.columns) == 2 > (0 if numbered else topic_evidence(table.index)):  # noqa: PLR2004 - sure
        message = (
            f"table {metric!r} has columns called like topics ({shortened(table.columns[0], 30)}, …) and rows that are "
            f"not ({shortened(table.index[0], 30)}, …); topics belong in rows: pass its transpose (table.T), or say "
            "that it is right with table.rename_axis('topic')"
        )
        raise ScoresError(message)
    return table


def _from_results(results: Mapping[Any, Any]) -> ScoreTable:
    rows = [
        (system, topic, metric, score)
        for system, result in results.items()
        for topic, metric, score in _rows_of(result, system)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "metric", "score"], dtype=object)
    return _from_rows(frame, {name: name for name in frame.columns}, ["score"])


def _rows_of(result: Any, system: object) -> Iterable[tuple[object, object, object]]:  # noqa: ANN401 - recognised by shape
    if isinstance(result, pd.DataFrame):
        parts = column_roles(result.columns).parts
        return zip(*(result[parts[part]].tolist() for part in ("topic", "metric", "score")), strict=True)
    if isinstance(result, Mapping) and all(isinstance(scores, Mapping) for scores in result.values()):
        message = (
            f"{system!r} holds mappings in a mapping, and other systems do not; give the results of all systems in "
            "one form"
        )
        raise InvalidOptionError(message)
    if not isinstance(result, Mapping | str | bytes) and isinstance(result, Iterable):
        rows = list(result)
        if all(hasattr(row, "query_id") and hasattr(row, "measure") and hasattr(row, "value") for row in rows):
            return ((row.query_id, str(row.measure), row.value) for row in rows)
    message = (
        f"{system!r}: expected a wide DataFrame (topics x systems) for a metric, or for a system what "
        f"ir_measures.iter_calc gives, {{topic: {{metric: score}}}} or {{metric: {{topic: score}}}}, not "
        f"{type(result).__name__} {shortened(repr(result))}"
    )
    raise InvalidOptionError(message)


def _from_array(data: object, names: Mapping[str, Sequence[str] | None]) -> ScoreTable:
    try:
        values = _real_numbers(data)
    except (TypeError, ValueError) as error:
        message = f"scores must be numbers in a labelled table or an array, not {type(data).__name__}: {error}"
        raise ScoresError(message) from error
    if values.ndim == 2:  # noqa: PLR2004 - system x topic
        values = values[None]
    if values.ndim != len(DIMS):
        message = f"an array of scores is (system, topic) or (metric, system, topic); this one has {values.ndim} axes"
        raise ScoresError(message)
    labels: dict[str, list[str]] = {}
    for dim, size, stem in zip(DIMS, values.shape, ("metric", "system", ""), strict=True):
        given = names[dim]
        if isinstance(given, str):
            message = f"{dim}s= must be a sequence of names, such as [{given!r}], not the text {given!r}"
            raise InvalidOptionError(message)
        listed: list[object] = [f"{stem}{number}" for number in range(1, size + 1)] if given is None else list(given)
        if len(listed) != size:
            message = f"{dim}s= holds {len(listed)} names for {size} {dim}s"
            raise InvalidOptionError(message)
        labels[dim] = _clean_names(listed, dim)
    return ScoreTable(values, labels, {}, {})


def _real_numbers(data: object) -> NDArray[np.float64]:
    """Copy to float64; masked entries become gaps, and what has no order (complex numbers, dates) is refused."""
    if isinstance(data, np.ma.MaskedArray):
        data = np.where(np.ma.getmaskarray(data), np.nan, data.data)
    array = np.asarray(data)
    if array.dtype.kind in "cmMV":
        message = f"scores must be real numbers, not {array.dtype}"
        raise ScoresError(message)
    if array.dtype.kind in "OUST":
        cells = pd.Series(array.ravel().astype(object), dtype=object)
        return _frame_numbers(cells, "the array", "place").reshape(array.shape)
    if array.dtype.kind in "iu":
        return _exact_floats(array.ravel(), "the array", "place").reshape(array.shape)
    return np.array(array, dtype=np.float64, order="C")


def _frame_numbers(column: pd.Series, where: str, row_word: str = "row") -> NDArray[np.float64]:
    """Return a column as float64, its gaps as NaN."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind in "fb":
        return column.to_numpy(dtype=np.float64)
    if kind in "iu":
        return _exact_floats(column.to_numpy(), where, row_word)
    cells = column.tolist()
    if set(map(type, cells)) == {float}:
        return np.array(cells, dtype=np.float64)
    numbers = np.full(len(column), np.nan)
    for row, (cell, absent) in enumerate(zip(cells, column.isna().tolist(), strict=True)):
        if absent:
            continue
        try:
            numbers[row] = as_number(cell)
        except (TypeError, ValueError) as error:
            message = (
                f"{where} holds {shortened(repr(cell))} in {row_word} {row}, which {error}; scores must be numbers"
            )
            raise ScoresError(message) from error
    return numbers


def _exact_floats(whole: NDArray[np.integer], where: str, row_word: str) -> NDArray[np.float64]:
    """Turn whole numbers into floats, none of which may lose digits."""
    numbers = whole.astype(np.float64)
    for row in np.flatnonzero(np.abs(numbers) >= 2**53).tolist():  # beyond it, not every whole number is a float
        if loses_digits(int(whole[row]), float(numbers[row])):
            message = (
                f"{where} holds {whole[row]} in {row_word} {row}, which has more digits than a score can hold (whole "
                "numbers up to 2**53 are exact); round it, or divide all by one number"
            )
            raise ScoresError(message)
    return numbers


def place_rows(codes: Mapping[str, NDArray[np.int64]], labels: Mapping[str, Sequence[str]]) -> NDArray[np.int64]:
    """Return the cell of every row in an array metric x system x topic laid out flat.

    Raises
    ------
    ScoresError
        If the rows could fill only a sliver of that array: then the columns are taken for something they are not.
    """
    shape = tuple(len(labels[dim]) for dim in DIMS)
    n_rows = len(codes["topic"])
    refuse_sliver(shape, n_rows, "check which column is which")
    return (codes["metric"] * shape[1] + codes["system"]) * shape[2] + codes["topic"]


def refuse_sliver(shape: Sequence[int], n_scores: int, advice: str) -> None:
    """Refuse an array metric x system x topic of which so many scores could fill only a sliver.

    Raises
    ------
    ScoresError
        With the numbers and the `advice`; up to ten million cells, and fifty a score, are always allowed.
    """
    if math.prod(shape) > max(_LARGE, _SPARSE * n_scores):
        message = f"{n_scores} scores cannot fill {shape[0]} metrics x {shape[1]} systems x {shape[2]} topics; {advice}"
        raise ScoresError(message)


def first_repeat(cells: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return the first row whose cell was taken before, and the row that took it; None if no cell stands twice.

    Examples
    --------
    >>> first_repeat(np.array([4, 2, 7, 2, 4]))
    (3, 1)
    """
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[order]) == 0)
    if not len(again):
        return None
    where = again[np.argmin(order[again + 1])]
    return int(order[where + 1]), int(order[where])
