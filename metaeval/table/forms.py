"""The shapes in which scores are held in memory: arrays, frames, mappings, results of other tools; each is recognised.

`FORMS` and `MAPPINGS` are the tables of what is recognised; frames have theirs in `metaeval.table.frames`, and objects
of other libraries in `metaeval.table.conversions`. ``attributes["read_as"]`` says what scores were taken for.

Names are checked here, and numbers as far as they are numbers; what gaps, infinities and too few systems mean is
decided by `metaeval.table.scores.as_scores`, whatever the shape was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import permutations
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import refused
from metaeval.base.names import are_models, as_number, count, first_few, metric_evidence, shortened, topic_evidence
from metaeval.base.notes import from_storable
from metaeval.base.side_by_side import last_axis_labels
from metaeval.base.unit import ITEM
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.array import (
    ATTACHED,
    DIMS,
    REPEAT,
    UNNAMED_METRIC,
    ScoreTable,
    distinct_names,
    exact_floats,
    frame_numbers,
    table_of_rows,
)
from metaeval.table.conversions import plain
from metaeval.table.folds import folds_of
from metaeval.table.frames import (
    FRAMES_READ,
    have_other_columns,
    holds_results,
    named_by_column,
    noted,
    read_frame,
    said,
    wide_said,
    wide_tables,
)
from metaeval.table.roles import ERRORS, column_roles, part_of_word, role_of_name
from metaeval.table.wide import OF_MAPPINGS, TALL, Names, refuse_names, topics_in_rows

_READ = (
    f"{FRAMES_READ}; {{metric: wide frame}}; {{system: frame of topics by metrics}}; "
    "{system: what ir_measures.iter_calc gives}; {system: {topic: score}}; mappings in mappings by system, topic and "
    "metric; an array (system, topic) or (metric, system, topic); an xarray.DataArray with the dims metric, system and "
    "topic"
)


_PAIR, _PER_MEAN = 2, 4
"""Two numbers of which the second is less than the first by so much are a mean and its error rather than scores."""


class _FormOptions(NamedTuple):
    """What the caller said beside the data."""

    names: Names
    nesting: Sequence[str] | None


class Form(NamedTuple):
    """One form: whether data have it, how they are read, and which of the caller's options it takes."""

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, _FormOptions], ScoreTable]
    takes: AbstractSet[str] = frozenset()
    """Of metric, system, topic (names that it does not have itself) and nesting."""


def recognise(data: object, names: Mapping[str, Sequence[str] | None], nesting: Sequence[str] | None) -> ScoreTable:
    """Take scores in any shape apart into numbers and labels."""
    checked = {dim: _names_given(labels, dim) for dim, labels in names.items()}
    data = plain(data)
    form = next(form for form in FORMS if form.fits(data))
    if form.name == "mapping":
        form = next(form for form in MAPPINGS if form.fits(data))
    if nesting is not None:
        if isinstance(nesting, str) or not _is_listed(nesting) or sorted(map(str, nesting)) != sorted(DIMS):
            message = f"must name system, topic and metric, the outermost first, not {nesting!r}"
            raise refused("nesting", message, nesting)
        if "nesting" not in form.takes:
            message = "`nesting` is for mappings in mappings, or of frames; this table says itself which axis is which"
            message += ", so leave it out"
            raise InvalidOptionError(message)
    refuse_names({dim: labels for dim, labels in checked.items() if dim not in form.takes})
    table = form.read(data, _FormOptions(checked, nesting))
    return table if "read_as" in table.attributes else said(table, form.name)


def _is_listed(names: object) -> bool:
    return isinstance(names, Iterable) and not isinstance(names, str | bytes)


def _names_given(given: Any, dim: str) -> list[Any] | None:  # noqa: ANN401 - whatever the caller passed
    """Return the names that the caller gives along a dim, if these are a sequence of them."""
    if given is None:
        return None
    if isinstance(given, str):
        message = f"`{dim}s` must be a sequence of names, such as [{given!r}], not the text {given!r}"
        raise InvalidOptionError(message)
    if not _is_listed(given):
        raise refused(f"{dim}s", f"must be a sequence of names, not {shortened(repr(given))}", given)
    return list(given)


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
    data = _with_usual_dims(data)
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
        labels={str(dim): distinct_names(coordinates[dim].to_numpy().tolist(), str(dim)) for dim in data.dims},
        coordinates=extras,
        attributes=from_storable(data.attrs),
    )


def _with_usual_dims(data: xr.DataArray) -> xr.DataArray:
    """Rename dims that are called by other words: run, query, measure."""
    words = {dim: role for dim in data.dims if (role := part_of_word(dim)) in {*DIMS, REPEAT} and role != dim}
    new = {dim: role for dim, role in words.items() if role not in data.dims and role not in data.coords}
    return data.rename(new) if len(set(new.values())) == len(new) else data


def _as_one_metric(data: xr.DataArray) -> xr.DataArray:
    """Give an array of one metric that dimension, and its direction along with it."""
    name = data.coords["metric"].item() if "metric" in data.coords else data.name or "metric1"
    expanded = data.drop_vars("metric", errors="ignore").expand_dims(metric=[str(name)])
    if "higher_is_better" in data.coords and not data.coords["higher_is_better"].ndim:
        return expanded.assign_coords(higher_is_better=("metric", [data.coords["higher_is_better"].item()]))
    return expanded


def _from_folds(data: object, _: _FormOptions) -> ScoreTable:
    """Read results of cross-validation, which say what their folds are."""
    folds = folds_of(data)
    if folds is None:
        raise AssertionError("what is no cross-validation is read by another form")
    frame = folds.frame()
    table = table_of_rows(frame, {name: name for name in frame.columns}, ["score"])
    table = table._replace(attributes={"topic_word": ITEM.topic})
    return said(noted(table, [folds.note]), folds.read_as)


def _from_nested(tables: Mapping[Any, Any], asked: _FormOptions) -> ScoreTable:
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
    roles = roles_of_levels(levels) if asked.nesting is None else tuple(map(str, asked.nesting))
    frame = frame.set_axis([*roles, "score"], axis=1)
    table = table_of_rows(frame, {name: name for name in frame.columns}, ["score"])
    return said(table, f"mappings in mappings: {roles[0]}, {roles[1]}, {roles[2]}, the outermost first")


_NESTINGS = (("system", "topic", "metric"), ("system", "metric", "topic"), ("metric", "system", "topic"))


def roles_of_levels(levels: Sequence[Sequence[object]]) -> tuple[str, ...]:
    """Tell metrics by their names, and topics from systems by numbers; refuse whatever could be otherwise."""
    metric_like = [metric_evidence(names) for names in levels]
    at_metric = int(np.argmax(metric_like))
    if sorted(metric_like) == [0, 0, 2]:
        first, second = (level for position, level in enumerate(levels) if position != at_metric)
        if are_models(list(map(str, first))) and not are_models(list(map(str, second))):
            return next(roles for roles in _NESTINGS if roles[at_metric] == "metric")
        as_system, as_topic = topic_evidence(first), topic_evidence(second)
        certain = as_topic > max(as_system, 1) or len(second) > len(first)
        if as_topic > max(as_system, 0) and certain:
            return next(roles for roles in _NESTINGS if roles[at_metric] == "metric")
        why = "topics must be called like numbered things (301, q17) to be told from systems"
        if as_system > as_topic:
            why = "topics seem to stand outside systems, and it should be the other way round"
    else:
        why = "metrics must be called like metrics, and systems and topics must not, to be recognised"
    runs = ". If these are runs, by system, topic and document, score them: metaeval.score(runs, qrels, metrics=['AP'])"
    runs = "" if max(metric_like) else runs
    examples = [f"{', '.join(shortened(name, 30) for name in level[:3])}{', …' * (len(level) > 3)}" for level in levels]  # noqa: PLR2004 - as many as are shown
    raise InvalidOptionError(
        f"what are systems, topics and metrics in these mappings? Outermost are {examples[0]}, in them {examples[1]}, "
        f"innermost {examples[2]}; {why}. Say what they are, the outermost first: "
        "`nesting=('system', 'topic', 'metric')` as in pytrec_eval, ('system', 'metric', 'topic') as in ranx, or "
        f"another order{runs}"
    )


def _roles_of_tables(tables: Mapping[Any, pd.DataFrame]) -> tuple[str, ...] | None:
    """Return what keys, rows and columns are where metrics stand in an axis of the tables, and not in the keys."""
    if metric_evidence(list(tables)) or any(axis.nlevels > 1 for table in tables.values() for axis in table.axes):
        return None
    for place, roles in ((1, ("system", "topic", "metric")), (0, ("system", "metric", "topic"))):
        names = dict.fromkeys(name for table in tables.values() for name in table.axes[place])
        if metric_evidence([*names]) != _SURE:
            continue
        if "system" in {part_of_word(table.axes[1 - place].name) for table in tables.values()}:
            raise ScoresError(
                f"these frames have systems by metrics ({first_few([*map(str, names)], most=3)}), as means have; a "
                "comparison needs the scores by topic: {system: frame of topics by metrics}"
            )
        return roles
    return None


def _with_topics_in_index(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose one column called as topics stands in its index, where that only numbers rows."""
    named = [name for name in table.columns if part_of_word(name) == "topic"]
    return table.set_index(named) if len(named) == 1 and isinstance(table.index, pd.RangeIndex) else table


def _from_tables_by(tables: Mapping[Any, pd.DataFrame], roles: Sequence[str]) -> ScoreTable:
    """Read tables by system (or topic) with metrics in columns, or in rows, as one long frame."""
    in_columns = roles[2] == "metric"
    names = [roles[0], *(role for role in roles[1:] if role != "metric")]
    upright = {key: _with_topics_in_index(table) if in_columns else table.T for key, table in tables.items()}
    long = pd.concat(upright, names=names).rename_axis(columns=None).reset_index(names=names)
    axes = ("columns", "rows") if in_columns else ("rows", "columns")
    return said(read_frame(long, {}), f"frames by {names[0]}: metrics in {axes[0]}, {names[1]}s in {axes[1]}")


def _from_wide(tables: Mapping[Any, pd.DataFrame], nesting: Sequence[str] | None) -> ScoreTable:
    roles = _roles_of_tables(tables) if nesting is None else tuple(map(str, nesting))
    if roles is not None and roles[0] != "metric":
        return _from_tables_by(tables, roles)
    if roles is not None:
        tables = {key: table.rename_axis(index=roles[1], columns=roles[2]) for key, table in tables.items()}
    turned = {
        metric: topics_in_rows(table, f"table {metric!r}", {}, otherwise="columns") for metric, table in tables.items()
    }
    ways = list(dict.fromkeys(map(wide_said, turned.values())))
    table = wide_tables({metric: oriented.table for metric, oriented in turned.items()})
    notes = [oriented.note for oriented in turned.values() if oriented.note]
    return said(noted(table, notes[:1]), f"wide frames by metric: {first_few(ways, between='; ')}")


def _from_two_levels(tables: Mapping[Any, Mapping[Any, Any]], asked: _FormOptions) -> ScoreTable:
    """Read scores of one metric by system and topic, or the other way round."""
    if metric_evidence(list(tables)) == _SURE:
        raise InvalidOptionError(
            f"these are scores by metric ({first_few(list(map(str, tables)))}) and topic, as in the results of one "
            "system; pass those of all systems as {system: {metric: {topic: score}}} with "
            "`nesting=('system', 'metric', 'topic')`"
        )
    rows = [(outer, inner, score) for outer, scores in tables.items() for inner, score in scores.items()]
    frame = pd.DataFrame(rows, columns=["outer", "inner", "score"], dtype=object)
    if not rows:
        raise ScoresError("the mappings hold no score; fill them, or leave them out")
    outer, inner = (list(dict.fromkeys(frame[name].tolist())) for name in ("outer", "inner"))
    if metric_evidence(inner) == _SURE:
        raise InvalidOptionError(
            f"these are means of metrics ({first_few(list(map(str, inner)))}) by system, or the results of one system; "
            "a comparison needs the scores by topic: {system: {topic: {metric: score}}}"
        )
    shape = pd.DataFrame(0.0, index=pd.Index(outer, dtype=object), columns=pd.Index(inner, dtype=object))
    if any(role_of_name(str(name))[0] in ERRORS for name in inner):
        raise ScoresError(
            f"these are means of systems with what they vary by ({first_few(list(map(str, inner)))}), not scores by "
            "topic; for ranks pass pd.DataFrame(scores).T to metaeval.study_leaderboard"
        )
    oriented = topics_in_rows(shape, "these mappings", asked.names, otherwise="rows", axes=OF_MAPPINGS)
    parts = (
        {"system": "outer", "topic": "inner"}
        if oriented.systems_in == "rows"
        else {"system": "inner", "topic": "outer"}
    )
    metric_names = asked.names.get("metric")
    metric = UNNAMED_METRIC if metric_names is None else metric_names[0]
    table = table_of_rows(frame.rename(columns={"score": metric}), parts, [metric])
    order = ("system", "topic") if oriented.systems_in == "rows" else ("topic", "system")
    table = noted(table, [oriented.note] if oriented.note else [])
    return said(table, f"mappings in mappings: {order[0]}, {order[1]}, the outermost first (by {oriented.told_by})")


def _from_lists(tables: Mapping[Any, Any], asked: _FormOptions) -> ScoreTable:
    """Read the scores of every system on the same topics, in their order."""
    sizes = {len(scores) for scores in tables.values()}
    if len(sizes) > 1:
        lengths = first_few([f"{name}: {len(scores)}" for name, scores in tables.items()])
        raise ScoresError(
            f"every system needs a score on every topic, and these have other numbers of them ({lengths})"
        )
    if metric_evidence(list(tables)) == _SURE:
        raise InvalidOptionError(
            f"{first_few(list(map(str, tables)))} are called like metrics, and should be systems with their scores by "
            "topic; pass {metric: frame} with topics in rows and systems in columns"
        )
    numbers = [[as_number(cell) for cell in scores] for scores in tables.values()]
    pairs = [(cells[0], cells[1]) for cells in numbers if len(cells) == _PAIR and None not in cells]
    if len(pairs) == len(tables) and all(0 <= _PER_MEAN * error < mean for mean, error in pairs):
        raise ScoresError(
            "the second number of every system is far below the first, as of means with standard errors, not of "
            "scores on two topics; for ranks pass pd.DataFrame(scores, index=['score', 'score_stderr']).T to "
            "metaeval.study_leaderboard, and scores as {system: {topic: score}}"
        )
    table = _from_array([list(scores) for scores in tables.values()], {**asked.names, "system": list(tables)})
    return said(table, f"lists by system: {len(tables)} systems, {next(iter(sizes))} topics in their order")


def _from_arrays(tables: Mapping[Any, Any], asked: _FormOptions) -> ScoreTable:
    """Read an array (system, topic) for every metric."""
    shapes = {np.shape(array) for array in tables.values()}
    if len(shapes) > 1:
        raise ScoresError(f"the arrays of all metrics need one shape, (system, topic), not {first_few(sorted(shapes))}")
    return _from_array([np.asarray(array) for array in tables.values()], {**asked.names, "metric": list(tables)})


def _from_results(results: Mapping[Any, Any]) -> ScoreTable:
    rows = [
        (system, topic, metric, score)
        for system, result in results.items()
        for topic, metric, score in _rows_of(result, system)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "metric", "score"], dtype=object)
    if not rows:
        raise ScoresError(
            f"there are no results of {first_few(list(map(str, results)))}; an iterator is read only once"
        )
    table = table_of_rows(frame, {name: name for name in frame.columns}, ["score"])
    return said(table, "results by system: rows of topic, metric and score")


def _rows_of(result: Any, system: object) -> Iterable[tuple[object, object, object]]:  # noqa: ANN401 - recognised by shape
    if isinstance(result, pd.DataFrame):
        parts = column_roles(result.columns).parts
        return zip(*(result[parts[role]].tolist() for role in ("topic", "metric", "score")), strict=True)
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


def _from_array(data: object, names: Names) -> ScoreTable:
    if isinstance(data, str | bytes | PurePath):
        raise ScoresError(
            f"scores must be in a table or an array, not the text {shortened(repr(data))}; a file is read by "
            "metaeval.read_scores"
        )
    if not hasattr(data, "__len__") or isinstance(data, AbstractSet):
        raise ScoresError(f"scores must be in a table or an array, not {shortened(repr(data))}. What is read: {_READ}")
    try:
        values = _real_numbers(data)
    except (TypeError, ValueError) as error:
        why = ": its rows are of unlike lengths" if "inhomogeneous" in str(error) else f": {error}"
        why = why if isinstance(data, list | tuple | np.ndarray | Mapping) else f". What is read: {_READ}"
        message = f"scores must be numbers in a labelled table or an array, not {type(data).__name__}{why}"
        raise ScoresError(message) from error
    if values.ndim == 1:
        raise ScoresError(
            "a list, an array or a Series of numbers has the scores of one system; put those of all into one table, "
            "such as {'A': a, 'B': b}"
        )
    if values.ndim == len(DIMS) - 1:
        values = values[None]
    if values.ndim not in {len(DIMS), len(DIMS) + 1}:
        raise ScoresError(
            "an array of scores is (system, topic), (metric, system, topic) or (metric, system, topic, repeat); this "
            f"one has {values.ndim} axes"
        )
    by_dim = {dim: names.get(dim) for dim in DIMS}
    axes, told = _axes_of(values.shape, by_dim)
    values = np.ascontiguousarray(values.transpose(*axes, *range(len(DIMS), values.ndim)))
    labels: dict[str, list[str]] = {}
    for dim, size, stem in zip((*DIMS, REPEAT), values.shape, ("metric", "system", "", ""), strict=False):
        dim_names = by_dim.get(dim)
        listed: Sequence[object] = (
            [f"{stem}{number}" for number in range(1, size + 1)] if dim_names is None else dim_names
        )
        labels[dim] = distinct_names(listed, dim)
    order = [dim for _, dim in sorted(zip(axes, DIMS, strict=True))]
    sizes = ", ".join(count(len(labels[dim]), dim) for dim in [*order, *list(labels)[len(DIMS) :]])
    table = said(ScoreTable(values, labels, {}, {}), f"array: {sizes} along its axes (by {told})")
    n_systems, n_topics = (len(labels[dim]) for dim in ("system", "topic"))
    if by_dim["system"] or by_dim["topic"] or n_systems < TALL * n_topics:
        return table
    read_as = f"{n_systems} systems by {count(n_topics, 'topic')}"
    return noted(
        table, [f"an array without names holds systems by topics, here {read_as}; turn it round if it does not"]
    )


def _axes_of(shape: Sequence[int], given: Names) -> tuple[tuple[int, ...], str]:
    """Return the axes of metrics, systems and topics: the documented ones if the names fit, else those that do."""
    lengths = [None if (labels := given[dim]) is None else len(labels) for dim in DIMS]

    def fits(axes: Sequence[int]) -> bool:
        return all(length in {None, shape[axis]} for length, axis in zip(lengths, axes, strict=True))

    documented = (0, 1, 2)
    if fits(documented):
        names = any(length is not None for length in lengths[1:]) and shape[1] != shape[2]
        return documented, "the names given" if names else "the documented order"
    swapped = [axes for axes in ((0, 2, 1), *permutations(documented)) if fits(axes)]
    fitting = list(dict.fromkeys(swapped))
    if len(fitting) == 1 or (fitting and fitting[0] == (0, 2, 1)):
        return fitting[0], "the names given"
    wrong = next(position for position, length in enumerate(lengths) if length not in {None, shape[position]})
    dim = DIMS[wrong]
    more = "; put its axes in the order metric, system, topic" if fitting else ""
    raise InvalidOptionError(f"`{dim}s` holds {lengths[wrong]} names for {shape[wrong]} {dim}s{more}")


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


def _are(kind: type | tuple[type, ...], *, of: Callable[[Any], bool] = lambda _: True) -> Callable[[Any], bool]:
    """Return what says whether all values of a mapping are of a kind."""
    return lambda tables: all(isinstance(value, kind) and of(value) for value in tables.values())


def _names_columns(tables: Mapping[Any, Any]) -> bool:
    """Whether lists are the columns of a frame: its parts are among them, or one that is no system's scores."""
    if not all(isinstance(value, list | tuple | np.ndarray | pd.Series | pd.Index) for value in tables.values()):
        return False
    one_length = len({len(cells) for cells in tables.values()}) == 1
    try:
        parts = column_roles(tables, all_cells=(lambda name: [*map(str, tables[name])]) if one_length else None).parts
    except ScoresError:
        return False
    if {"system", "topic"} <= parts.keys():
        return True
    return one_length and all(map(_is_flat, tables.values())) and have_other_columns(_side_by_side(tables))


def _side_by_side(tables: Mapping[Any, Any]) -> pd.DataFrame:
    """Return columns as a frame; series by their labels, where no two in one are alike."""
    labelled = all(cells.index.is_unique for cells in tables.values() if isinstance(cells, pd.Series))
    return pd.DataFrame(dict(tables) if labelled else {name: list(cells) for name, cells in tables.items()})


def _of_columns(tables: Mapping[Any, Any], asked: _FormOptions) -> ScoreTable:
    lengths = {str(name): len(cells) for name, cells in tables.items()}
    if len(set(lengths.values())) > 1:
        listing = first_few([f"{name}: {length}" for name, length in lengths.items()])
        raise ScoresError(f"the columns of a table must be equally long; these have {listing} cells")
    return read_frame(_side_by_side(tables), asked.names)


def _as_tables(tables: Mapping[Any, Any], asked: _FormOptions) -> ScoreTable:
    """Read wide tables by metric or by system, or results by system, in frames of any library."""
    frames: dict[Any, Any] = {key: _as_frame(table) for key, table in tables.items()}
    long = {key: holds_results(table) for key, table in frames.items()}
    if not any(long.values()):
        return _from_wide(frames, asked.nesting)
    if asked.nesting is not None:
        message = "`nesting` is for mappings in mappings, or of wide frames; results say themselves what they hold"
        raise InvalidOptionError(f"{message}, so leave it out")
    if all(long.values()):
        return _from_results(frames)
    kinds = [next(str(key) for key, is_long in long.items() if is_long is kind) for kind in (True, False)]
    raise ScoresError(
        f"a mapping holds either wide tables by metric or results by system, not both: {kinds[0]!r} has columns for "
        f"topic, metric and score, {kinds[1]!r} has systems in columns"
    )


def _are_frames(data: object) -> bool:
    """Whether this is a list of frames of any library, whose labels an array would lose."""
    return isinstance(data, list | tuple) and len(data) > 0 and all(hasattr(table, "columns") for table in data)


def _are_series(data: object) -> bool:
    """Whether this is a list of series, which have names or whose labels an array would lose."""
    return isinstance(data, list | tuple) and len(data) > 0 and all(map(_is_series, data))


def _is_series(data: object) -> bool:
    is_array = isinstance(data, xr.DataArray) and data.ndim == 1
    return is_array or isinstance(data, pd.Series) or (hasattr(data, "to_list") and hasattr(data, "name"))


def _from_series(listed: Sequence[Any], asked: _FormOptions) -> ScoreTable:
    """Read a list of series, a system each: by their labels, as a mapping of them is; without labels in their order."""
    listed = [series.to_series() if isinstance(series, xr.DataArray) else series for series in listed]
    names = [series.name for series in listed]
    are_distinct = len({*map(str, names)}) == len(names) and all(name not in {None, ""} for name in names)
    systems = asked.names.get("system") or (names if are_distinct else None)
    if all(last_axis_labels(series) is None for series in listed):
        return _from_array([series.to_list() for series in listed], {**asked.names, "system": systems})
    refuse_names({"topic": asked.names.get("topic")})
    if systems is None:
        systems = [f"system{number}" for number in range(1, len(listed) + 1)]
    if len(systems) != len(listed):
        raise refused("systems", f"must name {count(len(listed), 'series')}, not {len(systems)}", systems)
    tables = dict(zip(systems, listed, strict=True))
    form = next(form for form in MAPPINGS if form.fits(tables))
    return form.read(tables, asked._replace(names={**asked.names, "system": None}))


def _from_frames(frames: Sequence[object], asked: _FormOptions) -> ScoreTable:
    """Read a list of wide tables, a metric each."""
    names = asked.names.get("metric") or [f"metric{number}" for number in range(1, len(frames) + 1)]
    if len(names) != len(frames):
        raise refused("metrics", f"must name {count(len(frames), 'table')}, not {len(names)}", names)
    tables = [table for frame in frames if isinstance(table := _as_frame(frame), pd.DataFrame)]
    if not asked.names.get("metric") and _roles_of_tables(dict(enumerate(tables))):
        raise ScoresError(
            "these frames have metrics in their rows or columns, so each is of one system; pass {system: frame}"
        )
    return _as_tables(dict(zip(names, frames, strict=True)), asked)


def _as_frame(table: object) -> object:
    made = table if isinstance(table, Mapping) else plain(table)
    return named_by_column(made) if isinstance(made, pd.DataFrame) else made if isinstance(table, Iterator) else table


def _is_flat(scores: Sequence[Any]) -> bool:
    """Whether this is a list of single scores."""
    return len(scores) > 0 and all(score is None or np.isscalar(score) for score in scores)


def _by_topic(series: pd.Series) -> bool:
    return series.index.nlevels == 1


_SURE = 2  # of the evidence of names
_NAMED = frozenset(DIMS)

MAPPINGS: tuple[Form, ...] = (
    Form("mapping of columns", _names_columns, _of_columns, _NAMED),
    Form(
        "mappings in mappings",
        lambda tables: (
            _are(Mapping)(tables) and any(isinstance(one, Mapping) for own in tables.values() for one in own.values())
        ),
        _from_nested,
        frozenset({"nesting"}),
    ),
    Form("mappings in mappings", _are(Mapping), _from_two_levels, frozenset({"metric"})),
    Form(
        "series by system",
        _are(pd.Series, of=_by_topic),
        lambda tables, asked: _from_two_levels({name: one.to_dict() for name, one in tables.items()}, asked),
        frozenset({"metric"}),
    ),
    Form("lists by system", _are((list, tuple, np.ndarray), of=_is_flat), _from_lists, frozenset({"metric", "topic"})),
    Form(
        "arrays by metric",
        _are(np.ndarray, of=lambda array: array.ndim == len(DIMS) - 1),
        _from_arrays,
        frozenset({"system", "topic"}),
    ),
    Form("tables", lambda _: True, _as_tables, frozenset({"nesting"})),
)
"""Every mapping that is recognised, in the order in which they are tried."""

FORMS: tuple[Form, ...] = (
    Form(
        "labelled data set",
        lambda data: isinstance(data, xr.Dataset),
        lambda data, _: _from_dataarray(_from_dataset(data)),
    ),
    Form(
        "labelled array (metric, system, topic)",
        lambda data: isinstance(data, xr.DataArray),
        lambda data, _: _from_dataarray(data),
    ),
    Form("cross-validation", lambda data: folds_of(data) is not None, _from_folds),
    Form(
        "frame", lambda data: isinstance(data, pd.DataFrame), lambda data, asked: read_frame(data, asked.names), _NAMED
    ),
    Form("empty mapping", lambda data: isinstance(data, Mapping) and not data, lambda *_: _refuse_empty()),
    Form("mapping", lambda data: isinstance(data, Mapping), _as_tables),
    Form("list of frames", _are_frames, _from_frames, frozenset({"metric"})),
    Form("list of series", _are_series, _from_series, _NAMED),
    Form("array", lambda _: True, lambda data, asked: _from_array(data, asked.names), _NAMED),
)
"""Every form that is recognised, in the order in which they are tried; the last takes what is left."""


def _refuse_empty() -> ScoreTable:
    raise ScoresError("the mapping is empty; it should hold a table for every metric, or results for every system")
