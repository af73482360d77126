"""Scores: the labelled table (metric x system x topic) that every later stage speaks.

`Scores` is a plain ``xarray.DataArray`` that went through `as_scores`: dims ``("metric", "system", "topic")``,
float64, no gap, no infinity, unique names, at least two systems and two topics. A boolean coordinate
``higher_is_better`` sits on ``metric``; an optional coordinate ``group`` sits on ``system``. Nothing in it is about
retrieval: a topic may as well be a sentence, a question or a patient.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError

__all__ = [
    "DIMS",
    "Missing",
    "Scores",
    "as_scores",
    "better_direction",
    "identical_systems",
    "natural_order",
    "oriented_values",
    "scores_from_long",
    "select_runs",
    "system_groups",
]

type Scores = xr.DataArray
Missing = Literal["error", "zero", "drop-systems", "drop-topics"]
DIMS = ("metric", "system", "topic")
_SHOWN = 5


def as_scores(  # noqa: PLR0913 - one keyword per label of the table
    data: object,
    *,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
    missing: Missing = "error",
    higher_is_better: bool | Mapping[str, bool] | None = None,
    groups: Mapping[str, str] | None = None,
) -> Scores:
    """Check a table of per-topic scores and label it, or say exactly why it cannot be used.

    Parameters
    ----------
    data : xarray.DataArray, pandas.DataFrame, mapping or array
        What holds the scores:

        - a DataArray with the dims metric, system and topic in any order (metric may be absent);
        - a long DataFrame with the columns ``system``, ``topic``, ``metric`` and ``score``;
        - a mapping from metric name to a wide DataFrame, topics in rows (its index) and systems in columns;
        - an array (metric, system, topic), or (system, topic) for one metric.
    metrics, systems, topics : sequence of str, optional
        Names for an array without labels; by default ``metric1``, ``system1`` and ``1`` onwards.
    missing : {"error", "zero", "drop-systems", "drop-topics"}
        What to do where a system has no score on a topic. Everything but "error" is noted in ``attrs["notes"]``.
    higher_is_better : bool or mapping of str to bool, optional
        Direction of every metric, or of the metrics named; True where nothing is said.
    groups : mapping of str to str, optional
        Group (team, model family) of every system.

    Returns
    -------
    Scores
        A new array; `data` is left as it was.

    Raises
    ------
    ScoresError
        For a gap (named by system, topic and metric), an infinite score, a repeated name, fewer than two systems
        or topics.
    InvalidOptionError
        If the labels do not fit the array, or an option is outside its rule.

    Examples
    --------
    >>> scores = as_scores([[0.1, 0.4], [0.2, 0.3]], metrics=["AP"], systems=["bm25", "lm"])
    >>> scores.sizes["system"], scores.dims
    (2, ('metric', 'system', 'topic'))
    """
    array = _labelled(data, metrics, systems, topics)
    array = _checked_labels(array)
    array = _without_infinities(array)
    array = _without_gaps(array, missing)
    for dim, what in (("system", "systems"), ("topic", "topics")):
        if array.sizes[dim] < 2:  # noqa: PLR2004 - a comparison needs two
            message = f"at least two {what} are needed to compare anything; there is {array.sizes[dim]}"
            raise ScoresError(message)
    array = _with_direction(array, higher_is_better)
    return _with_groups(array, groups)


def scores_from_long(frame: pd.DataFrame, *, missing: Missing = "error") -> Scores:
    """Build Scores from a long table with the columns system, topic, metric and score.

    Systems and metrics keep their order of appearance; topics are put in natural order (2 before 10), so that the
    same scores give the same seeded draws whatever the order of the rows.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a score.
    missing : {"error", "zero", "drop-systems", "drop-topics"}
        As in `as_scores`.

    Returns
    -------
    Scores

    Raises
    ------
    ScoresError
        If a (metric, system, topic) stands twice, or as in `as_scores`.
    """
    return as_scores(frame, missing=missing)


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names so that numbers inside them count as numbers.

    Examples
    --------
    >>> natural_order(["q10", "q2", "q1"])
    ['q1', 'q2', 'q10']
    """

    def key(name: str) -> tuple[list[tuple[int, int, str]], str]:
        parts = re.split(r"([0-9]+)", name)
        return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part], name

    return sorted(names, key=key)


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
        Used only when there is something to choose.

    Returns
    -------
    Scores
        The chosen systems in their original order.

    Raises
    ------
    InvalidOptionError
        If there are no groups, or fewer systems than asked for, or `runs` is another word.
    """
    n_systems = scores.sizes["system"]
    if runs == "all":
        return scores
    if runs == "one-per-group":
        groups = system_groups(scores)
        names = list(dict.fromkeys(groups.tolist()))
        if len(names) < 2:  # noqa: PLR2004
            message = f"one run per group needs at least two groups; there is only {names[0]!r}"
            raise InvalidOptionError(message)
        chosen = [generator.choice(np.flatnonzero(groups == name)) for name in names]
    elif isinstance(runs, int) and not isinstance(runs, bool) and 2 <= runs <= n_systems:  # noqa: PLR2004
        chosen = generator.choice(n_systems, size=runs, replace=False).tolist()
    else:
        message = f"runs must be 'all', 'one-per-group' or a number from 2 to {n_systems} (systems), not {runs!r}"
        raise InvalidOptionError(message)
    return scores.isel(system=sorted(int(position) for position in chosen))


def _labelled(
    data: object, metrics: Sequence[str] | None, systems: Sequence[str] | None, topics: Sequence[str] | None
) -> xr.DataArray:
    if isinstance(data, xr.DataArray | pd.DataFrame | Mapping) and (metrics, systems, topics) != (None, None, None):
        message = "metrics=, systems= and topics= name the rows of a bare array; this table has names of its own"
        raise InvalidOptionError(message)
    match data:
        case xr.DataArray():
            return _from_dataarray(data)
        case pd.DataFrame():
            return _from_long(data)
        case Mapping():
            return _from_wide(data)
    return _from_array(data, metrics, systems, topics)


def _from_dataarray(data: xr.DataArray) -> xr.DataArray:
    if "metric" not in data.dims:
        name = str(data.coords["metric"].item()) if "metric" in data.coords else str(data.name or "metric1")
        data = data.drop_vars("metric", errors="ignore").expand_dims(metric=[name])
    if set(data.dims) != set(DIMS):
        message = f"scores need the dims metric, system and topic; these have {', '.join(map(str, data.dims))}"
        raise ScoresError(message)
    unnamed = [dim for dim in DIMS if dim not in data.coords]
    if unnamed:
        message = f"scores need names along {', '.join(unnamed)}: give the DataArray that coordinate"
        raise ScoresError(message)
    array = data.transpose(*DIMS).astype(np.float64)
    array.attrs = dict(data.attrs)
    return array


def _from_long(frame: pd.DataFrame) -> xr.DataArray:
    absent = [name for name in ("system", "topic", "metric", "score") if name not in frame.columns]
    if absent:
        message = (
            f"a long table needs the columns system, topic, metric and score; {', '.join(absent)} "
            f"not among {', '.join(map(str, frame.columns))}"
        )
        raise ScoresError(message)
    codes = []
    names = []
    for column in DIMS:
        code, labels = pd.factorize(frame[column].astype(str), sort=False)
        order = natural_order(labels.tolist()) if column == "topic" else labels.tolist()
        position = {label: place for place, label in enumerate(order)}
        codes.append(np.array([position[label] for label in labels], dtype=np.int64)[code])
        names.append(order)
    shape = tuple(map(len, names))
    flat = np.ravel_multi_index(codes, shape) if len(frame) else np.empty(0, dtype=np.int64)
    count = np.bincount(flat, minlength=int(np.prod(shape)))
    if (count > 1).any():
        metric, system, topic = np.unravel_index(int(np.flatnonzero(count > 1)[0]), shape)
        message = (
            f"system {names[1][system]!r} has {int(count.max())} scores on topic {names[2][topic]!r} under "
            f"{names[0][metric]!r}; keep one row for each"
        )
        raise ScoresError(message)
    values = np.full(int(np.prod(shape)), np.nan)
    values[flat] = pd.to_numeric(frame["score"]).to_numpy(dtype=np.float64)
    return xr.DataArray(values.reshape(shape), dims=DIMS, coords=dict(zip(DIMS, names, strict=True)))


def _from_wide(tables: Mapping[object, object]) -> xr.DataArray:
    if not tables:
        message = "the mapping of metrics to tables is empty"
        raise ScoresError(message)
    systems: dict[str, None] = {}
    topics: dict[str, None] = {}
    frames: dict[str, pd.DataFrame] = {}
    for metric, table in tables.items():
        if not isinstance(table, pd.DataFrame):
            message = (
                f"metric {str(metric)!r}: expected a wide DataFrame (topics x systems), not {type(table).__name__}"
            )
            raise InvalidOptionError(message)
        frame = table.set_axis(table.index.astype(str), axis=0).set_axis(table.columns.astype(str), axis=1)
        for labels, what in ((frame.columns, "system"), (frame.index, "topic")):
            if not labels.is_unique:
                message = f"{what} {labels[labels.duplicated()][0]!r} stands twice under {str(metric)!r}"
                raise ScoresError(message)
        frames[str(metric)] = frame
        systems |= dict.fromkeys(frame.columns)
        topics |= dict.fromkeys(frame.index)
    order = natural_order(topics)
    values = np.stack(
        [frame.reindex(index=order, columns=list(systems)).to_numpy(dtype=np.float64).T for frame in frames.values()]
    )
    return xr.DataArray(values, dims=DIMS, coords={"metric": list(frames), "system": list(systems), "topic": order})


def _from_array(
    data: object, metrics: Sequence[str] | None, systems: Sequence[str] | None, topics: Sequence[str] | None
) -> xr.DataArray:
    try:
        values = np.array(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"scores must be numbers in a labelled table or an array, not {type(data).__name__}: {error}"
        raise ScoresError(message) from error
    if values.ndim == 2:  # noqa: PLR2004 - system x topic
        values = values[None]
    if values.ndim != len(DIMS):
        message = f"an array of scores is (system, topic) or (metric, system, topic); this one has {values.ndim} axes"
        raise ScoresError(message)
    coords: dict[str, list[str]] = {}
    for dim, names, size, stem in zip(
        DIMS, (metrics, systems, topics), values.shape, ("metric", "system", ""), strict=True
    ):
        labels = [f"{stem}{number}" for number in range(1, size + 1)] if names is None else list(map(str, names))
        if len(labels) != size:
            message = f"{dim}s= holds {len(labels)} names for {size} {dim}s"
            raise InvalidOptionError(message)
        coords[dim] = labels
    return xr.DataArray(values, dims=DIMS, coords=coords)


def _checked_labels(array: xr.DataArray) -> xr.DataArray:
    array = array.assign_coords({dim: array[dim].astype(str).to_numpy() for dim in DIMS})
    for dim in DIMS:
        labels = pd.Index(array[dim].to_numpy())
        if not len(labels):
            message = f"there is no {dim} in these scores"
            raise ScoresError(message)
        if not labels.is_unique:
            message = f"{dim} {labels[labels.duplicated()][0]!r} stands twice; names must be unique"
            raise ScoresError(message)
    return array


def _cells(array: xr.DataArray, wrong: NDArray[np.bool_]) -> str:
    places = np.argwhere(wrong)
    metric, system, topic = (array[dim].to_numpy() for dim in DIMS)
    listed = [f"system {system[s]!r} on topic {topic[t]!r} under {metric[m]!r}" for m, s, t in places[:_SHOWN]]
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return "; ".join(listed) + more


def _without_infinities(array: xr.DataArray) -> xr.DataArray:
    infinite = np.isinf(array.to_numpy())
    if infinite.any():
        message = f"scores must be finite; infinite: {_cells(array, infinite)}"
        raise ScoresError(message)
    return array


def _without_gaps(array: xr.DataArray, missing: Missing) -> xr.DataArray:
    if missing not in get_args(Missing):
        raise UnknownNameError("rule for missing scores", str(missing), get_args(Missing))
    gaps = np.isnan(array.to_numpy())
    notes = list(array.attrs.get("notes", []))
    if gaps.any():
        if missing == "error":
            message = (
                f"no score for {_cells(array, gaps)}; pass missing='zero', 'drop-systems' or 'drop-topics' "
                "to go on without them"
            )
            raise ScoresError(message)
        if missing == "zero":
            notes.append(f"{int(gaps.sum())} missing scores were counted as 0: {_cells(array, gaps)}")
            array = array.fillna(0.0)
        else:
            dim = missing.removeprefix("drop-").removesuffix("s")
            axes = tuple(axis for axis, name in enumerate(DIMS) if name != dim)
            lacking = gaps.any(axis=axes)
            names = array[dim].to_numpy()[lacking]
            notes.append(f"{len(names)} {dim}s were dropped for missing scores: {', '.join(names)}")
            array = array.isel({dim: np.flatnonzero(~lacking)})
    if notes:
        array.attrs["notes"] = notes
    return array


def _with_direction(array: xr.DataArray, higher_is_better: bool | Mapping[str, bool] | None) -> xr.DataArray:  # noqa: FBT001
    names = array["metric"].to_numpy()
    if "higher_is_better" in array.coords:
        rising = array["higher_is_better"].to_numpy().astype(bool).copy()
    else:
        rising = np.ones(len(names), dtype=bool)
    if isinstance(higher_is_better, Mapping):
        for name, value in higher_is_better.items():
            if name not in names:
                raise UnknownNameError("metric", name, names)
            rising[names == name] = bool(value)
    elif higher_is_better is not None:
        rising[:] = bool(higher_is_better)
    return array.assign_coords(higher_is_better=("metric", rising))


def _with_groups(array: xr.DataArray, groups: Mapping[str, str] | None) -> xr.DataArray:
    if groups is None:
        return array
    names = array["system"].to_numpy()
    without = [str(name) for name in names if name not in groups]
    if without:
        shown = ", ".join(without[:_SHOWN]) + (" …" if len(without) > _SHOWN else "")
        message = f"groups= covers {len(names) - len(without)} of {len(names)} systems; without a group: {shown}"
        raise InvalidOptionError(message)
    return array.assign_coords(group=("system", np.array([str(groups[name]) for name in names])))
