"""Scores: the labelled table (metric x system x topic) that every later stage speaks.

`Scores` is a plain ``xarray.DataArray`` that went through `as_scores`: dims ``("metric", "system", "topic")``,
float64, no gap, no infinity, unique names, at least two systems and two topics. A boolean coordinate
``higher_is_better`` sits on ``metric``; an optional coordinate ``group`` sits on ``system``. Nothing in it is about
retrieval: a topic may as well be a sentence, a question or a patient.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.cells import (
    as_number,
    clean_name,
    first_few,
    label_array,
    loses_digits,
    metric_evidence,
    shortened,
    topic_evidence,
)
from metaeval.checks import check_choice
from metaeval.columns import SCORES, column_roles, part_of_word
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError

__all__ = [
    "DIMS",
    "Missing",
    "Scores",
    "as_scores",
    "better_direction",
    "first_double",
    "first_repeat",
    "identical_systems",
    "merge_labels",
    "natural_order",
    "oriented_values",
    "place_rows",
    "refuse_sliver",
    "scores_to_long",
    "select_runs",
    "system_groups",
]

type Scores = xr.DataArray
Missing = Literal["error", "zero", "drop-systems", "drop-topics"]
DIMS = ("metric", "system", "topic")

_MOST_NOTED = 1000
_NUMBERS = re.compile(r"[0-9]+")
_TRUTH = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_LARGE = 10_000_000
_SPARSE = 50


class _Table(NamedTuple):
    """What was recognised, before anything is checked but its names."""

    scores: NDArray[np.float64]
    labels: dict[str, list[str]]
    coordinates: dict[str, tuple[str, NDArray[Any]]]
    attributes: dict[str, Any]


def as_scores(  # noqa: PLR0913 - one keyword per label of the table
    data: object,
    *,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
    nesting: Sequence[str] | None = None,
    missing: Missing = "error",
    higher_is_better: bool | Mapping[str, bool] | None = None,
    groups: Mapping[str, str] | None = None,
    fewest: int = 2,
) -> Scores:
    """Check a table of per-topic scores and label it, or say exactly why it cannot be used.

    Parameters
    ----------
    data : object
        What holds the scores, recognised by its shape:

        - an ``xarray.DataArray`` with the dims metric, system and topic in any order (without metric, its name is
          the metric), or a ``Dataset`` whose variables are metrics;
        - a long DataFrame (pandas or polars) with columns for system, topic, metric and score, under any of
          `metaeval.columns.SCORES` (PyTerrier's ``Experiment(perquery=True)`` is one);
        - a DataFrame with columns for system and topic, and one column a metric;
        - a mapping from metric to a wide DataFrame, topics in rows (its index) and systems in columns, or the other
          way round if the names of its index and columns say so;
        - a mapping from system to the results of that system: what ``ir_measures.iter_calc`` streams, or a DataFrame
          of them (``query_id``, ``measure``, ``value``);
        - mappings in mappings: by system, topic and metric (pytrec_eval), by system, metric and topic (ranx), or by
          metric, system and topic, told apart by the names; see Notes;
        - an array (metric, system, topic), or (system, topic) for one metric.
    metrics, systems, topics : sequence of str, optional
        Names for an array without labels; by default ``metric1``, ``system1`` and ``1`` onwards.
    nesting : sequence of str, optional
        What the keys of mappings in mappings are, from the outermost: ``("system", "metric", "topic")`` or any other
        order of the three. Needed only where the names do not tell.
    missing : {"error", "zero", "drop-systems", "drop-topics"}
        What to do where a system has no score on a topic. Everything but "error" is noted in ``attrs["notes"]``.
    higher_is_better : bool or mapping of str to bool, optional
        Direction of every metric, or of the metrics named; True where nothing is said.
    groups : mapping of str to str, optional
        Group (team, model family) of every system.
    fewest : int, default 2
        Systems, and topics, that there must be: a comparison needs two of each; 1 lets scores be looked at.

    Returns
    -------
    Scores
        A new array; `data` is left as it was. Names are text without blanks around them. Systems and metrics keep
        their order of appearance. So do the topics of an array; the topics of a table are put in natural order (2
        before 10), so that seeded draws do not depend on the order of its rows.

    Raises
    ------
    ScoresError
        For a gap (named by system, topic and metric), a score that is infinite, no number, or a whole number with
        more digits than a float has, a name that is empty, repeated, unprintable or longer than 1,000 characters,
        fewer than `fewest` systems or topics, tables that seem to be turned round.
    InvalidOptionError
        If the labels do not fit the array, or an option is outside its rule.

    Notes
    -----
    Three mappings in each other could be nested in six ways, and a wrong guess would give wrong scores. They are read
    without ``nesting`` only if every part is told by its names: metrics, because they are called like metrics (AP,
    ndcg_cut_10, BLEU) and nothing else is, and topics, because they look more like numbered things than the systems
    around them. Everything else is refused, and the refusal says what to pass.

    Examples
    --------
    >>> scores = as_scores([[0.1, 0.4], [0.2, 0.3]], metrics=["AP"], systems=["bm25", "lm"])
    >>> scores.sizes["system"], scores.dims
    (2, ('metric', 'system', 'topic'))
    """
    table = _recognise(data, {"metric": metrics, "system": systems, "topic": topics}, nesting)
    _refuse_infinities(table)
    table = _settle_gaps(table, missing)
    _refuse_too_few(table, fewest)
    coordinates = dict(table.coordinates)
    coordinates["higher_is_better"] = ("metric", _direction(table, higher_is_better))
    group = _group_of_each(table, groups)
    if group is not None:
        coordinates["group"] = ("system", group)
    return xr.DataArray(
        table.scores,
        dims=DIMS,
        coords={dim: label_array(table.labels[dim], dim) for dim in DIMS} | coordinates,
        attrs=table.attributes,
        name="score",
    )


def scores_to_long(scores: Scores) -> pd.DataFrame:
    """Lay scores out as a long table: metric, system, topic and score, and with them direction and group.

    Parameters
    ----------
    scores : Scores

    Returns
    -------
    pandas.DataFrame
        One row a score, ordered by metric, system and topic; ``higher_is_better`` is always there, ``group`` where
        the scores have groups. `as_scores` reads it back.

    Examples
    --------
    >>> scores_to_long(as_scores([[0.1, 0.4], [0.2, 0.3]])).columns.tolist()
    ['metric', 'system', 'topic', 'score', 'higher_is_better']
    """
    metric, system, topic = (code.ravel() for code in np.indices(scores.shape))
    columns = {
        "metric": pd.Categorical.from_codes(metric, scores["metric"].to_numpy().tolist()),
        "system": pd.Categorical.from_codes(system, scores["system"].to_numpy().tolist()),
        "topic": pd.Categorical.from_codes(topic, scores["topic"].to_numpy().tolist()),
        "score": scores.to_numpy().ravel(),
        "higher_is_better": scores["higher_is_better"].to_numpy()[metric],
    }
    if "group" in scores.coords:
        columns["group"] = scores["group"].to_numpy()[system]
    return pd.DataFrame(columns)


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names so that numbers inside them count as numbers.

    Examples
    --------
    >>> natural_order(["q10", "q2", "q1"])
    ['q1', 'q2', 'q10']
    """

    # of two numbers without leading zeros the longer is the larger; a zero character goes before every text
    def number(found: re.Match[str]) -> str:
        digits = found[0].lstrip("0")
        return f"\0{chr(min(len(digits), sys.maxunicode))}{digits}"

    # equal numbers with different zeros are told apart by the name itself: sorting is stable
    return sorted(sorted(names), key=lambda name: _NUMBERS.sub(number, name))


def better_direction(scores: Scores) -> NDArray[np.float64]:
    """Return +1 for each metric where higher is better and -1 where lower is, shape (metric,)."""
    return np.where(scores["higher_is_better"].to_numpy(), 1.0, -1.0)


def oriented_values(scores: Scores) -> NDArray[np.float64]:
    """Return the scores as an array (metric, system, topic), turned so that higher is better everywhere."""
    return np.ascontiguousarray(scores.to_numpy() * better_direction(scores)[:, None, None])


def identical_systems(scores: Scores) -> tuple[tuple[str, ...], ...]:
    """List the groups of systems that have equal scores under every metric on every topic.

    Examples
    --------
    >>> identical_systems(as_scores([[1, 0], [1, 0], [0, 1]], systems=["a", "b", "c"]))
    (('a', 'b'),)
    """
    seen: dict[bytes, list[str]] = {}
    # adding 0 makes -0 the same bytes as 0
    values = np.ascontiguousarray(scores.transpose("system", "metric", "topic").to_numpy() + 0.0)
    for name, rows in zip(scores["system"].to_numpy(), values, strict=True):
        seen.setdefault(rows.tobytes(), []).append(str(name))
    return tuple(tuple(names) for names in seen.values() if len(names) > 1)


def system_groups(scores: Scores) -> NDArray[np.str_]:
    """Return the group of every system, or say how to give groups."""
    if "group" not in scores.coords:
        message = "these scores have no groups; pass groups={system: group} (command line: --groups or --group-regex)"
        raise InvalidOptionError(message)
    return scores["group"].to_numpy()


def select_runs(scores: Scores, runs: str | int, generator: np.random.Generator) -> Scores:
    """Choose systems as the papers do: all of them, one at random per group, or so many at random.

    Parameters
    ----------
    scores : Scores
        With a ``group`` coordinate if `runs` is "one-per-group".
    runs : {"all", "one-per-group"} or int
        Sakai and Kando (2008, section 4) take one run per team for discriminative power and 30 runs for rank
        correlation.
    generator : numpy.random.Generator
        Used only when there is something to choose. The choice goes by name, so the order of the systems does not
        change it.

    Returns
    -------
    Scores
        The chosen systems in their original order.

    Raises
    ------
    InvalidOptionError
        If there are no groups, or fewer systems than asked for, or `runs` is another word.

    Examples
    --------
    >>> scores = as_scores([[1, 0], [0, 1], [1, 1]], groups={"system1": "x", "system2": "x", "system3": "y"})
    >>> select_runs(scores, "one-per-group", np.random.default_rng(0))["group"].to_numpy().tolist()
    ['x', 'y']
    """
    names = np.array(natural_order(scores["system"].to_numpy().tolist()))
    if isinstance(runs, str) and runs == "all":
        return scores
    if isinstance(runs, str) and runs == "one-per-group":
        system_groups(scores)
        group = scores["group"].sel(system=names).to_numpy()
        known = natural_order(set(group.tolist()))
        if len(known) == 1:
            message = f"one run per group needs at least two groups; there is only {known[0]!r}"
            raise InvalidOptionError(message)
        chosen = {str(generator.choice(names[group == one])) for one in known}
    elif isinstance(runs, Integral) and not isinstance(runs, bool) and 2 <= runs <= len(names):  # noqa: PLR2004 - a pair
        chosen = set(generator.choice(names, size=int(runs), replace=False).tolist())
    else:
        message = f"runs must be 'all', 'one-per-group' or a number from 2 to {len(names)} (systems), not {runs!r}"
        raise InvalidOptionError(message)
    return scores.isel(system=np.flatnonzero([name in chosen for name in scores["system"].to_numpy().tolist()]))


def merge_labels(codes: NDArray[np.int64], names: Iterable[object], what: str) -> tuple[NDArray[np.int64], list[str]]:
    """Clean the names that `codes` point to, and point codes of names that became equal to one of them.

    Parameters
    ----------
    codes : array (row,)
        Position in `names` for every row.
    names : iterable
        Names as they came.
    what : str
        "system", "topic", … for messages.

    Returns
    -------
    codes : array (row,)
    names : list of str
        Unique, in order of appearance.

    Raises
    ------
    ScoresError
        For a name that is missing, empty or unprintable.
    """
    cleaned = [clean_name(name, what) for name in names]
    unique = list(dict.fromkeys(cleaned))
    if len(unique) == len(cleaned):
        return codes, cleaned
    place = {name: position for position, name in enumerate(unique)}
    return np.array([place[name] for name in cleaned], dtype=np.int64)[codes], unique


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


def first_double(names: Iterable[str]) -> str | None:
    """Return the first name that stood there before; None if all are different.

    Examples
    --------
    >>> first_double(["a", "b", "a", "b"])
    'a'
    """
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value] # add gives None


def _clean_names(names: Iterable[object], what: str) -> list[str]:
    cleaned = [clean_name(name, what) for name in names]
    if len(set(cleaned)) < len(cleaned):
        message = f"{what} {first_double(cleaned)!r} stands twice; names must be unique"
        raise ScoresError(message)
    return cleaned


def _recognise(data: object, names: dict[str, Sequence[str] | None], nesting: Sequence[str] | None) -> _Table:
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


def _from_dataarray(data: xr.DataArray) -> _Table:
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
    return _Table(
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


def _from_frame(frame: pd.DataFrame) -> _Table:
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


def _from_rows(frame: pd.DataFrame, parts: Mapping[str, str], score_columns: Sequence[str]) -> _Table:
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
    table = _Table(
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


def _topics_in_order(table: _Table) -> _Table:
    names = table.labels["topic"]
    order = natural_order(names)
    if order == names:
        return table
    place = {name: position for position, name in enumerate(names)}
    return table._replace(
        scores=np.ascontiguousarray(table.scores[:, :, [place[name] for name in order]]),
        labels=table.labels | {"topic": order},
    )


def _from_mapping(tables: Mapping[Any, Any], nesting: Sequence[str] | None) -> _Table:
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


def _from_nested(tables: Mapping[Any, Any], nesting: Sequence[str] | None) -> _Table:
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


def _from_wide(tables: Mapping[Any, pd.DataFrame]) -> _Table:
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
    return _Table(values, {"metric": metrics, "system": list(systems), "topic": order}, {}, {})


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


def _from_results(results: Mapping[Any, Any]) -> _Table:
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


def _from_array(data: object, names: Mapping[str, Sequence[str] | None]) -> _Table:
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
    return _Table(values, labels, {}, {})


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


def _cells(table: _Table, wrong: NDArray[np.bool_]) -> str:
    places = np.argwhere(wrong)
    metric, system, topic = (table.labels[dim] for dim in DIMS)

    def place(cell: NDArray[np.intp]) -> str:
        return f"system {system[cell[1]]!r} on topic {topic[cell[2]]!r} under {metric[cell[0]]!r}"

    return first_few(places, between="; ", write=place)


def _refuse_infinities(table: _Table) -> None:
    infinite = np.isinf(table.scores)
    if infinite.any():
        message = f"scores must be finite; infinite: {_cells(table, infinite)}; repair or leave out those scores"
        raise ScoresError(message)


def _settle_gaps(table: _Table, missing: Missing) -> _Table:
    check_choice(missing, "rule for missing scores", get_args(Missing))
    gaps = np.isnan(table.scores)
    if not gaps.any():
        return table
    if missing == "error":
        message = (
            f"no score for {_cells(table, gaps)}; pass missing='zero', 'drop-systems' or 'drop-topics' "
            "to go on without them"
        )
        raise ScoresError(message)
    if missing == "zero":
        noted = _with_note(table, f"{_count(int(gaps.sum()), 'missing score')} counted as 0: {_cells(table, gaps)}")
        return noted._replace(scores=np.where(gaps, 0.0, table.scores))
    dim = missing.removeprefix("drop-").removesuffix("s")
    return _without_gappy(table, gaps, dim)


def _without_gappy(table: _Table, gaps: NDArray[np.bool_], dim: str) -> _Table:
    """Drop the systems (or topics) that lack a score anywhere."""
    axis = DIMS.index(dim)
    lacking = gaps.any(axis=tuple(other for other in range(len(DIMS)) if other != axis))
    names = table.labels[dim]
    dropped = [name for name, out in zip(names, lacking, strict=True) if out]
    more = f" and {len(dropped) - _MOST_NOTED} more" if len(dropped) > _MOST_NOTED else ""
    shown = ", ".join(dropped[:_MOST_NOTED]) + more
    noted = _with_note(table, f"{_count(len(dropped), dim)} dropped for missing scores: {shown}")
    return noted._replace(
        scores=np.ascontiguousarray(np.compress(~lacking, table.scores, axis=axis)),
        labels=table.labels | {dim: [name for name, out in zip(names, lacking, strict=True) if not out]},
        coordinates={
            name: (along, entries[~lacking] if along == dim else entries)
            for name, (along, entries) in table.coordinates.items()
        },
    )


def _with_note(table: _Table, note: str) -> _Table:
    notes = [*table.attributes.get("notes", []), note]
    return table._replace(attributes=table.attributes | {"notes": notes})


def _count(number: int, what: str) -> str:
    return f"{number} {what} was" if number == 1 else f"{number} {what}s were"


def _refuse_too_few(table: _Table, fewest: int) -> None:
    if not table.labels["metric"]:
        message = "there is no metric in these scores; give at least one"
        raise ScoresError(message)
    for dim in ("system", "topic"):
        names = table.labels[dim]
        if len(names) < fewest:
            there = f"there is only {names[0]!r}" if names else "there is none"
            why = "".join(f" ({note})" for note in table.attributes.get("notes", []) if f"{dim}s were" in note)
            least = f"at least two {dim}s are needed to compare anything" if fewest > 1 else f"no {dim} is left"
            message = f"{least}; {there}{why}"
            raise ScoresError(message)


def _direction(table: _Table, asked: bool | Mapping[str, bool] | None) -> NDArray[np.bool_]:  # noqa: FBT001 - three-valued
    names = table.labels["metric"]
    _, entries = table.coordinates.get("higher_is_better", ("metric", np.ones(len(names), dtype=bool)))
    rising = {name: _truth(entry, name) for name, entry in zip(names, entries.tolist(), strict=True)}
    if isinstance(asked, Mapping):
        for name, value in asked.items():
            if name not in rising:
                raise UnknownNameError("metric", str(name), names)
            rising[name] = _truth(value, name)
    elif asked is not None:
        rising = {name: _truth(asked, name) for name in names}
    return np.array([rising[name] for name in names], dtype=bool)


def _truth(value: object, metric: str) -> bool:
    """Read a direction; text counts only where it says true or false."""
    known = _TRUTH.get(str(value).strip().casefold())
    if known is None:
        message = f"higher_is_better of {metric!r} must be True or False, not {value!r}"
        raise InvalidOptionError(message)
    return known


def _group_of_each(table: _Table, groups: Mapping[str, str] | None) -> NDArray[np.str_] | None:
    names = table.labels["system"]
    if groups is None:
        if "group" not in table.coordinates:
            return None
        groups = dict(zip(names, table.coordinates["group"][1].tolist(), strict=True))
    without = [name for name in names if name not in groups]
    if without:
        covered = f"{len(names) - len(without)} of {len(names)} systems"
        message = f"groups= covers {covered}; without a group: {first_few(without)}"
        raise InvalidOptionError(message)
    return label_array([clean_name(groups[name], f"group (of system {name!r})") for name in names], "group")
