"""Scores: the labelled table (metric x system x topic) that all functions take.

`Scores` is an ``xarray.DataArray`` that went through `as_scores`: dims ``("metric", "system", "topic")``,
float64, no gap, no infinity, unique names, at least two systems and two topics. A boolean coordinate
``higher_is_better`` sits on ``metric``; an optional coordinate ``group`` sits on ``system``. Nothing in it is about
retrieval: a topic may as well be a sentence, a question or a patient.

Benchmarks bring more. A fourth dimension ``repeat`` holds several scores of one system on one topic (epochs, seeds).
On ``topic`` may sit ``cluster`` (topics that share noise, such as the items of one task: resampled whole) or
``stratum`` (the same where the clusters are fixed: topics are resampled inside them), and ``weight``. Gaps stay where
``missing="pairwise"`` said so. What an engine takes into account of this it says at its door,
`metaeval.table.structure.engine_scores`.
"""

import operator
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import compress
from numbers import Integral
from typing import Any, Literal, Self, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_count, refused
from metaeval.base.names import (
    as_number,
    clean_name,
    count,
    first_few,
    label_array,
    name_order,
    natural_order,
    shortened,
)
from metaeval.base.notes import KeptGaps, SettledGaps, storable
from metaeval.base.unit import unit_called
from metaeval.base.vocabulary import IN_PYTHON
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.array import (
    ATTACHED,
    DIMS,
    METRICS_OF_FILES,
    REPEAT,
    UNNAMED_METRIC,
    ScoreTable,
    dims_of,
    gaps_in,
    has_gaps,
)
from metaeval.table.forms import recognise
from metaeval.table.plausibility import left_out_rows, metrics_of_ranks, note_on_ranks, odd_notes, perhaps_items
from metaeval.table.roles import measures_beside, notes_on_directions, ranges_of_scores, rises_by_name
from metaeval.table.shared_measure import named_by_measure

Missing = Literal["error", "zero", "drop-systems", "drop-topics", "pairwise"]
_MOST_NOTED = 1000
_NAMED_ALONE = (xr.DataArray, xr.Dataset, Mapping, Sequence, np.ndarray)
"""What programs make: names of averages alone are looked into there, and the numbers of all in frames."""
_LONG = 200
_PAIR = 2
_LONGEST_LISTING = 380
"""Characters of which an error has room beside its rule and its ways out."""
_FEW, _SHARED = 3, 0.1
"""More topics than so many, of which less than this share have scores of two systems: each system has its own."""
_MOST_CELLS = 0.5
_FIRST = 1000
_TRUTH = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


class Scores(xr.DataArray):  # type: ignore[no-untyped-call] # of xarray's own
    """Scores of systems on topics: an ``xarray.DataArray`` that `metaeval.table.scores.as_scores` makes and checks.

    Dims ``("metric", "system", "topic")``, and ``repeat`` if there are several scores of a system on a topic; float64,
    no infinity, unique names, and no gap unless somebody kept them. It knows whether it is as it was checked: what is
    selected from it or computed is a `Scores` too, which whatever takes it checks again.

    See Also
    --------
    metaeval.table.scores.as_scores
    """

    __slots__ = ("_by_topic", "_checked")

    @property
    def is_checked(self) -> bool:
        """Whether these are all the labels, and the array, that were checked.

        Examples
        --------
        >>> scores = as_scores([[0.1, 0.4, 0.2], [0.2, 0.3, 0.5]])
        >>> scores.is_checked, scores.isel(topic=[0, 1]).is_checked
        (True, False)
        """
        checked, current = getattr(self, "_checked", ()), self._parts()
        return len(checked) == len(current) and all(map(operator.is_, checked, current))

    def as_checked(self, *, by_topic: bool = False) -> Self:
        """Return these scores, known to be right, and perhaps to have their topics in natural order."""
        self._checked = self._parts()
        self._by_topic = by_topic
        return self

    @property
    def is_by_topic(self) -> bool:
        """Whether the topics are known to be in natural order."""
        return self.is_checked and self._by_topic

    def to_netcdf(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - xarray's own
        """Write as xarray does; notes become JSON, which `as_scores` and `metaeval.read_scores` read."""
        return xr.DataArray(self).assign_attrs(storable(self.attrs)).to_netcdf(*args, **options)

    def _parts(self) -> tuple[object, ...]:
        """Return what changes when scores get other labels or another array."""
        return (self.data, *self.coords.variables.values())


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
    clusters: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    fewest: int = 2,
) -> Scores:
    """Convert scores to the labelled table (metric x system x topic), or raise an error that says what is wrong.

    Parameters
    ----------
    data : object
        What holds the scores, recognised by its shape:

        - an ``xarray.DataArray`` with the dims metric, system and topic in any order (without metric, its name is
          the metric), and repeat where systems were scored several times on a topic, or a ``Dataset`` whose variables
          are metrics;
        - a long frame with columns for system, topic, metric and score, under any of `metaeval.table.roles.SCORES`
          (PyTerrier's ``Experiment(perquery=True)`` is one); without metric there is one;
        - a frame with columns for system and topic, and one column for each metric;
        - a frame with several levels of labels in its index or columns, such as (metric, system);
        - a wide frame of one metric, systems by topics or topics by systems, named in its index and columns, or in its
          first column; see Notes;
        - a mapping from metric to a wide frame; where no name tells, topics are in rows; or from system to a frame of
          topics by metrics, which are told by their names;
        - a mapping from system to the results of that system: what ``ir_measures.iter_calc`` streams, or a frame of
          them (``query_id``, ``measure``, ``value``);
        - mappings in mappings: by system, topic and metric (pytrec_eval), by system, metric and topic (ranx), or by
          metric, system and topic, recognised by the names; of one metric, by system and topic; see Notes;
        - lists by system, the topics of all in one order, or arrays (system, topic) by metric;
        - an array (metric, system, topic), (system, topic) for one metric, or (metric, system, topic, repeat).

        Frames are those of pandas, polars, PyArrow and of any library that can give one of pandas; lists of records,
        mappings from column to cells and structured arrays are read as frames.
    metrics, systems, topics : sequence of str, optional
        Names for an array without labels; by default ``metric1``, ``system1`` and ``1`` onwards. An array that has the
        documented axes in another order is turned by the numbers of the names, and a wide frame by the names
        themselves.
    nesting : sequence of str, optional
        What the keys of mappings in mappings are, from the outermost: ``("system", "metric", "topic")`` or any other
        order of the three. Needed only where the names do not tell.
    missing : {"error", "zero", "drop-systems", "drop-topics", "pairwise"}
        What to do where a system has no score on a topic. Everything but "error" is noted in ``attrs["notes"]``.
        "pairwise" keeps the gaps and records it as ``attrs["missing"] = "pairwise"``: every pair of systems is compared
        on the topics that both have, and what cannot do that refuses. A repeat may be missing under every rule;
        under "zero" one that most cells have, and its system elsewhere and its topic from others, is counted as 0 too.
    higher_is_better : bool or mapping of str to bool, optional
        Direction of every metric, or of the metrics named. Where nothing is said True, and False, which is noted, for
        metrics with the names of `metaeval.table.roles.LOWER`, such as perplexity.
    groups : mapping of str to str, optional
        Group (team, model family) of every system.
    clusters : mapping of str to str, optional
        Cluster (task, document, category) of every topic: topics that share noise. They are taken for a sample of
        clusters; `metaeval.table.structure.with_clusters` says otherwise.
    weights : mapping of str to float, optional
        Weight of every topic in means, above 0.
    fewest : int, default 2
        Systems, and topics, that there must be: a comparison needs two of each; 1 lets scores be looked at.

    Returns
    -------
    Scores
        A new array; `data` is left as it was. Names are text without blanks around them. Systems and metrics keep
        their order of appearance. So do the topics of an array; the topics of a table are put in natural order (2
        before 10), so that seeded draws do not depend on the order of its rows. ``attrs["read_as"]`` says what `data`
        was taken for, and reports show it in their provenance. ``attrs["notes"]`` names
        what was left out because the others make it (their mean, their best, a difference of two), and what looks like
        no score: a system on another scale than all others, a score far beyond all others.

    Raises
    ------
    ScoresError
        For a gap (named by system, topic and metric), a system without any score under a metric, a score that is
        infinite, no number, or a whole number with more digits than a float has, a name that is empty, repeated,
        unprintable or longer than 1,000 characters, fewer than `fewest` systems or topics, tables that seem to be
        turned round, weights that are no numbers above 0, a system that is called as the average of the others and is
        not.
    InvalidOptionError
        If the labels do not fit the array, or an option is outside its rule.

    See Also
    --------
    metaeval.io.tables.read_scores
    metaeval.table.scores.Scores

    Notes
    -----
    Three mappings in each other could be nested in six ways, and a wrong guess would give wrong scores. They are read
    without ``nesting`` only if every part is told by its names: metrics, because they are called like metrics (AP,
    ndcg_cut_10, BLEU) and nothing else is, and topics, because they look more like numbered things than the systems
    around them. Everything else is refused, and the refusal says what to pass.

    In a wide frame, the names of its index and columns tell where the systems are (run, qid), then the names given,
    then labels spelled like those of topics (301, q17) or systems (run1, gpt-4), then labels beside none. A frame of
    words that tell nothing is refused, and so is one of which only the labels of one axis tell (q2, q4, q8) and would
    make five times as many systems as topics. A frame or an array without any names has systems in rows, and mappings
    by system and topic have systems outermost unless names say otherwise. What labels alone told is noted where
    nothing bears it out, with what reads it the other way round.

    Examples
    --------
    >>> scores = as_scores([[0.1, 0.4], [0.2, 0.3]], metrics=["AP"], systems=["bm25", "lm"])
    >>> scores.sizes["system"], scores.dims
    (2, ('metric', 'system', 'topic'))
    """
    check_count(fewest, "fewest")
    for name, mapping in (("groups", groups), ("clusters", clusters), ("weights", weights)):
        if mapping is not None and not isinstance(mapping, Mapping | pd.Series):
            raise refused(name, f"must be a mapping from name to entry, not {shortened(repr(mapping))}", mapping)
    table = recognise(data, {"metric": metrics, "system": systems, "topic": topics}, nesting)
    _refuse_infinities(table)
    looked_at = isinstance(data, xr.DataArray) and "higher_is_better" in data.coords
    table = table if looked_at else _without_made(table, named=isinstance(data, _NAMED_ALONE))
    table = table if looked_at else _named_by_measure(table)
    table = _without_settings(table)
    table, dropped = _settle_gaps(table, missing)
    _refuse_too_few(table, fewest, dropped)
    table = table if looked_at else _with_odd_notes(table)
    coordinates = dict(table.coordinates)
    table = _with_falling_noted(table, higher_is_better, table.attributes.pop(METRICS_OF_FILES, ()))
    coordinates["higher_is_better"] = ("metric", _direction(table, higher_is_better))
    coordinates |= _texts_of(table, "group", groups)
    coordinates |= _texts_of(table, "cluster", clusters)
    coordinates |= _texts_of(table, "stratum", None)
    table = _without_one_cluster(table, coordinates)
    coordinates |= _weight_of_each(table, weights)
    if {"cluster", "stratum"} <= coordinates.keys():
        message = "these scores have clusters and strata; topics are in clusters of either kind, so drop one of the two"
        raise ScoresError(message)
    dims = dims_of(table.labels)
    labels = {dim: label_array(table.labels[dim], dim) for dim in dims}
    scores = Scores(table.scores, dims=dims, coords=labels | coordinates, attrs=table.attributes, name="score")
    return scores.as_checked() if min(scores.sizes["system"], scores.sizes["topic"]) > 1 else scores


def checked_scores(data: object, *, missing: Missing | None = None, fewest: int = 2) -> Scores:
    """Return scores for an engine, which writes into none: those that were checked as they are, others by `as_scores`.

    Gaps that somebody decided to keep are in Scores; in anything else they are an oversight.
    """
    if isinstance(data, Scores) and data.is_checked:
        values = data.to_numpy()  # somebody may have written into it since
        if np.isfinite((values.min(initial=0.0), values.max(initial=0.0))).all():
            return data
    return as_scores(data, missing=missing or ("pairwise" if gaps_are_kept(data) else "error"), fewest=fewest)


def scores_to_long(scores: Scores) -> pd.DataFrame:
    """Lay scores out as a long table: metric, system, topic, repeat if there are any, score, and what is said of them.

    Examples
    --------
    >>> scores_to_long(as_scores([[0.1, 0.4], [0.2, 0.3]])).columns.tolist()
    ['metric', 'system', 'topic', 'score', 'higher_is_better']
    """
    places = np.indices(scores.shape, dtype=np.int32, sparse=True)
    codes = {
        str(dim): np.broadcast_to(indices, scores.shape).ravel()
        for dim, indices in zip(scores.dims, places, strict=True)
    }
    score = scores.to_numpy().ravel()
    rows = _telling(scores) if np.isnan(score).any() else slice(None)
    columns: dict[str, Any] = {
        dim: pd.Categorical.from_codes(code[rows], scores[dim].to_numpy().tolist()) for dim, code in codes.items()
    }
    columns["score"] = score[rows]
    for name in ("higher_is_better", *ATTACHED):
        if name in scores.coords:
            columns[name] = scores[name].to_numpy()[codes[ATTACHED[name]][rows]]
    return pd.DataFrame(columns)


def _telling(scores: Scores) -> NDArray[np.intp]:
    """Return the places of the scores, and of a gap for every name that would be lost without one."""
    observed = np.isfinite(scores.to_numpy())
    selected = observed.copy()
    for axis in range(observed.ndim):
        others = tuple(other_axis for other_axis in range(observed.ndim) if other_axis != axis)
        for lost in np.flatnonzero(~selected.any(axis=others)).tolist():
            index = [0] * observed.ndim
            index[axis] = lost
            selected[tuple(index)] = True
    return np.flatnonzero(selected.ravel())


def better_direction(scores: xr.DataArray) -> NDArray[np.float64]:
    """Return +1 for each metric where higher is better and -1 where lower is, shape (metric,)."""
    return np.where(scores["higher_is_better"].to_numpy(), 1.0, -1.0)


def oriented_values(scores: Scores) -> NDArray[np.float64]:
    """Return the scores as an array (metric, system, topic), turned so that higher is better everywhere.

    Repeats, if there are any, stay the last axis. It may be the array of the scores: nobody writes into it.
    """
    direction = better_direction(scores)
    values = scores.to_numpy()
    if (direction == -1.0).any():
        values = values * direction.reshape(-1, *[1] * (scores.ndim - 1))
    return np.ascontiguousarray(values)


def by_name(scores: Scores, dim: str) -> Scores:
    """Return the scores with their systems, or topics, in natural order of their names."""
    order = name_order(scores[dim].to_numpy())
    return scores if (order == np.arange(len(order))).all() else scores.isel({dim: order})


def topics_by_name(scores: Scores) -> Scores:
    """Return scores that were checked, their topics by name; they are known by it when they come again."""
    return scores if scores.is_by_topic else by_name(scores, "topic").as_checked(by_topic=True)


def identical_systems(scores: Scores) -> tuple[tuple[str, ...], ...]:
    """List the groups of systems that have equal scores under every metric on every topic, by name.

    Examples
    --------
    >>> identical_systems(as_scores([[1, 0], [1, 0], [0, 1]], systems=["a", "b", "c"]))
    (('a', 'b'),)
    """
    scores = by_name(scores, "system")
    values = scores.transpose("system", "metric", "topic", ...).to_numpy()
    alike = [np.arange(len(values))]
    for topics in (slice(0, _FIRST), slice(None)):  # few are equal on the first topics, and then looked at throughout
        alike = [np.array(members) for group in alike for members in _same_bytes(values[:, :, topics], group)]
    names = scores["system"].to_numpy()
    return tuple(tuple(names[group].tolist()) for group in sorted(alike, key=lambda group: int(group[0])))


def _same_bytes(rows: NDArray[np.float64], group: NDArray[np.intp]) -> list[list[int]]:
    """Return which rows of a group are equal, where several are."""
    seen: dict[bytes, list[int]] = {}
    for row in group.tolist():
        # adding 0 makes -0 the same bytes as 0
        seen.setdefault(sha256(np.ascontiguousarray(rows[row] + 0.0).tobytes()).digest(), []).append(row)
    return [places for places in seen.values() if len(places) > 1]


def identical_note(dropped: Sequence[str], n_systems: int) -> list[str]:
    """Say which systems were left out, of so many, because another has the same scores everywhere."""
    if not dropped:
        return []
    return [
        f"{len(dropped)} of {n_systems} systems are identical to another one under every metric and were left out: "
        + ", ".join(dropped)
    ]


def system_groups(scores: Scores) -> NDArray[np.str_]:
    """Return the group of every system, or say how to give groups."""
    if "group" not in scores.coords:
        message = "these scores have no groups; name each system's group (`groups`)"
        raise InvalidOptionError(message)
    return scores["group"].to_numpy()


def select_runs(scores: Scores, choose: str | int, generator: np.random.Generator) -> Scores:
    """Choose systems as the papers do: all of them, one at random per group, or so many at random.

    Examples
    --------
    >>> scores = as_scores([[1, 0], [0, 1], [1, 1]], groups={"system1": "x", "system2": "x", "system3": "y"})
    >>> select_runs(scores, "one-per-group", np.random.default_rng(0))["group"].to_numpy().tolist()
    ['x', 'y']
    """
    names = np.array(natural_order(scores["system"].to_numpy().tolist()))
    if isinstance(choose, str) and choose == "all":
        return scores
    if isinstance(choose, str) and choose == "one-per-group":
        system_groups(scores)
        group = scores["group"].sel(system=names).to_numpy()
        groups = natural_order(set(group.tolist()))
        if len(groups) == 1:
            raise InvalidOptionError(f"one run per group needs at least two groups; there is only {groups[0]!r}")
        chosen = {str(generator.choice(names[group == group_name])) for group_name in groups}
    elif isinstance(choose, Integral) and not isinstance(choose, bool) and 2 <= choose <= len(names):  # noqa: PLR2004 - a pair
        chosen = set(generator.choice(names, size=int(choose), replace=False).tolist())
    else:
        message = (
            f"`choose` must be 'all', 'one-per-group' or a number from 2 to {len(names)} (systems), not {choose!r}"
        )
        raise InvalidOptionError(message)
    return scores.isel(system=np.flatnonzero([name in chosen for name in scores["system"].to_numpy().tolist()]))


def _cells(table: ScoreTable, wrong: NDArray[np.bool_]) -> str:
    places = np.argwhere(wrong)
    metric, system, topic = (table.labels[dim] for dim in DIMS)
    topic_word = unit_called(table.attributes.get("topic_word")).topic

    def place(cell: NDArray[np.intp]) -> str:
        return f"system {system[cell[1]]!r} on {topic_word} {topic[cell[2]]!r} under {metric[cell[0]]!r}"

    listings = [first_few(places, most=most, between="; ", write=place) for most in (5, 2, 1)]
    return next((listing for listing in listings if len(listing) <= _LONGEST_LISTING), listings[-1])


def _refuse_infinities(table: ScoreTable) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(table.scores.sum()):
            return
    infinite = np.isinf(table.scores)
    if infinite.any():
        message = f"scores must be finite; infinite: {_cells(table, infinite)}; repair or leave out those scores"
        raise ScoresError(message)


def _with_odd_notes(table: ScoreTable) -> ScoreTable:
    """Say what looks odd."""
    for note in [note for note in odd_notes(table) if note not in table.attributes.get("notes", [])]:
        table = _with_note(table, note)
    return table


def _without_settings(table: ScoreTable) -> ScoreTable:
    """Leave out repeats of which each of several systems has one alone, as the epoch that it was trained to."""
    repeats = table.labels.get(REPEAT, [])
    if len(repeats) < _PAIR:
        return table
    known = np.isfinite(table.scores).any(axis=(0, 2))
    if known.sum(axis=1).max() > 1:
        return table
    scores = np.take_along_axis(table.scores, known.argmax(axis=1)[None, :, None, None], axis=3)[..., 0]
    labels = {dim: names for dim, names in table.labels.items() if dim != REPEAT}
    note = f"every system has one number of a repeat alone ({first_few(repeats)}), so there are none"
    return _with_note(table._replace(scores=scores, labels=labels), note)


def _without_made(table: ScoreTable, *, named: bool) -> ScoreTable:
    """Leave out what is made of the others, all systems, topics and repeats or those called so, which is noted."""
    for axis, dim in [*enumerate(dims_of(table.labels))][1:] if table.scores.size else ():
        names = table.labels[dim]
        values = np.moveaxis(table.scores, axis, 0).reshape(len(names), -1)
        stay, notes = left_out_rows(names, values, dim, named=named)
        word = unit_called(table.attributes.get("topic_word")).topic
        if dim == "topic" and not named and any(odd := perhaps_items(names)):
            also = [names[at] for at in stay if odd[at]]
            stay = [at for at in stay if not odd[at]]
            notes += [f"left out {first_few(also)}, called as no {word} is; rename what is one"] if also else []
        if len(stay) < len(names):
            out = np.isin(np.arange(len(names)), stay, invert=True)
            table = _without(table, dim, out)
        for note in notes:
            table = _with_note(table, note)
    return table


def _named_by_measure(table: ScoreTable) -> ScoreTable:
    """Name a metric that nobody named after the measure that the names of systems or topics hold, which is noted."""
    if table.labels["metric"] != [UNNAMED_METRIC]:
        return table
    metric, note = named_by_measure(UNNAMED_METRIC, table.labels["system"], table.labels["topic"])
    return _with_note(table._replace(labels=table.labels | {"metric": [metric]}), note) if note else table


def gaps_are_kept(data: object) -> bool:
    """Say whether these are scores read with ``missing="pairwise"``: in anything else a gap is a mistake."""
    return isinstance(data, xr.DataArray) and data.attrs.get("missing") == "pairwise"


def note_of_gaps(scores: xr.DataArray) -> KeptGaps:
    """Return the note that `as_scores` makes of gaps that are kept."""
    return _note_of_gaps(gaps_in(scores.to_numpy()), scores.attrs)


def settled_gaps(scores: Scores) -> list[str]:
    """Return in short what was made of scores that are no longer missing: counted as 0, or dropped.

    Examples
    --------
    >>> settled_gaps(as_scores([[1.0, np.nan], [0.5, 1.0]], missing="zero"))
    ['1 missing score was counted as 0']
    """
    return [note.brief for note in scores.attrs.get("notes", ()) if isinstance(note, SettledGaps)]


def _note_of_gaps(gaps: NDArray[np.bool_], attributes: Mapping[str, object]) -> KeptGaps:
    spoken, alone = unit_called(attributes.get("topic_word")), gaps.shape[1] == _PAIR
    means = "as their means are" if alone else f"means are by system and {spoken.topic}"
    compared = f"{'the two' if alone else 'pairs of'} systems are compared on common {spoken.topics}, {means}"
    return KeptGaps(f"{_count(int(gaps.sum()), 'missing score')} left out: {compared}")


def _settle_gaps(table: ScoreTable, missing: Missing) -> tuple[ScoreTable, SettledGaps | None]:
    """Return the table with its gaps settled, and a note of what was dropped for them."""
    check_choice(missing, "rule for missing scores", get_args(Missing))
    table = table._replace(
        attributes={name: attribute for name, attribute in table.attributes.items() if name != "missing"}
    )
    if not has_gaps(table.scores):
        return table, None
    table = _with_repeats_counted(table) if missing == "zero" and REPEAT in table.labels else table
    if not (gaps := gaps_in(table.scores)).any():
        return table, None
    if missing != "pairwise" and are_apart(gaps):
        raise (ScoresError if _n_shared(~gaps) else ApartError)(_nothing_shared(table, gaps))
    if missing == "error":
        raise ScoresError(
            f"no score for {_cells(table, gaps)}; pass `missing='zero'`, `'drop-systems'` or "
            f"`'drop-topics'`{IN_PYTHON} to go on without them, or `'pairwise'` to compare pairs on common "
            "topics where the method can"
        )
    if missing in {"pairwise", "zero"}:
        _refuse_without_scores(table, gaps)
    if missing == "pairwise":
        return _with_gaps(table, gaps), None
    if missing == "zero":
        counted = f"{_count(int(gaps.sum()), 'missing score')} counted as 0"
        noted = _with_note(table, SettledGaps(f"{counted}: {_cells(table, gaps)}", counted))
        mask = gaps if table.scores.ndim == gaps.ndim else gaps[..., None]
        return noted._replace(scores=np.where(mask, 0.0, table.scores)), None
    dim = missing.removeprefix("drop-").removesuffix("s")
    return _without_gappy(table, gaps, dim)


def _with_repeats_counted(table: ScoreTable) -> ScoreTable:
    """Count a missing repeat as 0 where repeats are crossed, and say which means keep to the repeats that are there.

    A system that was asked less often than others lacks nothing: a repeat is missing if most cells have it, and its
    system has it on another topic, and another system on its topic.
    """
    there = ~np.isnan(table.scores)
    usual = there.mean(axis=(1, 2), keepdims=True) > _MOST_CELLS
    expected = usual & there.any(axis=2, keepdims=True) & there.any(axis=1, keepdims=True)
    lacking = expected & ~there & there.any(axis=3, keepdims=True)
    if lacking.any():
        counted = f"{_count(int(lacking.sum()), 'missing repeat')} counted as 0"
        noted = _with_note(table, SettledGaps(f"{counted}: {_cells(table, lacking.any(axis=3))}", counted))
        table = noted._replace(scores=np.where(lacking, 0.0, table.scores))
    numbers = (there | lacking).sum(axis=3)
    fewer = (numbers > 0) & (numbers < numbers.max())
    if fewer.any():
        means = f"{count(int(fewer.sum()), 'mean')} of fewer repeats than others"
        why = "no repeat was counted as 0 that most lack, or that the system or others have nowhere"
        table = _with_note(table, f"{means} ({_cells(table, fewer)}): {why}")
    return table


def are_apart(gaps: NDArray[np.bool_]) -> bool:
    """Whether systems have scores on topics of their own, so that nearly all cells are empty where they are crossed.

    Of one system it is asked whether metrics have topics of their own. Gaps have the shape (metric, system, topic).
    Filling them, or dropping what has some, would compare nothing that was measured.

    Examples
    --------
    >>> are_apart(np.array([[[False, False, True, True], [True, True, False, False]]]))
    True
    """
    return gaps.shape[2] > _FEW and _n_shared(~gaps) < _SHARED * gaps.shape[2]


class ApartError(ScoresError):
    """No two systems have scores on one topic."""


def _n_shared(there: NDArray[np.bool_]) -> int:
    """Return how many topics have scores of two systems, or of one system alone under two metrics."""
    n_scores = there.any(axis=0).sum(axis=0)
    if n_scores.max(initial=0) < 2 and there.any(axis=(0, 2)).sum() < 2:  # noqa: PLR2004 - two
        n_scores = there.any(axis=1).sum(axis=0)
    return int((n_scores > 1).sum())


def _nothing_shared(table: ScoreTable, gaps: NDArray[np.bool_]) -> str:
    """Say that systems are not on the same topics, and what can be asked of them."""
    spoken = unit_called(table.attributes.get("topic_word"))
    n_shared = _n_shared(~gaps)
    some = f"only {n_shared} of {gaps.shape[2]} {spoken.topics} have" if n_shared else f"no {spoken.topic} has"
    whose = "systems" if (~gaps).any(axis=(0, 2)).sum() > 1 else "metrics"
    example = table.labels["topic"][int(np.argmax((~gaps).any(axis=(0, 1))))]
    ways = "; `missing='pairwise'` compares pairs on these alone" if n_shared else ""
    return (
        f"{some} scores of two {whose}, as where each row has a name of its own ({shortened(example)!r}), so nothing "
        f"is there to compare, and gaps that are filled say nothing of the {whose}. Name {spoken.topics} by what the "
        f"{whose} share, such as the question{ways}"
        + f". If every system has {spoken.topics} of its own, only means can be compared (metaeval leaderboard, or "
        "study_leaderboard)" * (whose == "systems")
    )


def _refuse_without_scores(table: ScoreTable, gaps: NDArray[np.bool_]) -> None:
    """Refuse a system that has no score under a metric, which is no gap: nothing was measured there."""
    empty = gaps.all(axis=2)
    if empty.any():
        metric, system = np.argwhere(empty)[0]
        raise ScoresError(
            f"system {table.labels['system'][system]!r} has no score at all under {table.labels['metric'][metric]!r}; "
            "leave it out, or pass `missing='drop-systems'`"
        )


def _with_gaps(table: ScoreTable, gaps: NDArray[np.bool_]) -> ScoreTable:
    """Keep gaps, and say so."""
    note = _note_of_gaps(gaps, table.attributes)
    noted = table if note in table.attributes.get("notes", []) else _with_note(table, note)
    return noted._replace(attributes=noted.attributes | {"missing": "pairwise"})


def _without_gappy(table: ScoreTable, gaps: NDArray[np.bool_], dim: str) -> tuple[ScoreTable, SettledGaps]:
    """Drop the systems (or topics) that lack a score anywhere, and return a note of them too."""
    axis = DIMS.index(dim)
    lacking = gaps.any(axis=tuple(other_axis for other_axis in range(gaps.ndim) if other_axis != axis))
    names = table.labels[dim]
    dropped = [name for name, out in zip(names, lacking, strict=True) if out]
    more = f" and {len(dropped) - _MOST_NOTED} more" if len(dropped) > _MOST_NOTED else ""
    listing = ", ".join(dropped[:_MOST_NOTED]) + more
    kind = unit_called(table.attributes.get("topic_word")).topic if dim == "topic" else dim
    counted = f"{_count(len(dropped), kind)} dropped for missing scores"
    note = SettledGaps(f"{counted}: {listing}", counted)
    return _without(_with_note(table, note), dim, lacking), note


def _without(table: ScoreTable, dim: str, out: NDArray[np.bool_]) -> ScoreTable:
    """Return the table without some systems, or topics."""
    return table._replace(
        scores=np.ascontiguousarray(np.compress(~out, table.scores, axis=dims_of(table.labels).index(dim))),
        labels=table.labels | {dim: [*compress(table.labels[dim], ~out)]},
        coordinates={
            name: (along, entries[~out] if along == dim else entries)
            for name, (along, entries) in table.coordinates.items()
        },
    )


def _with_note(table: ScoreTable, note: str) -> ScoreTable:
    notes = [*table.attributes.get("notes", []), note]
    return table._replace(attributes=table.attributes | {"notes": notes})


def _count(number: int, what: str) -> str:
    return f"{count(number, what)} {'was' if number == 1 else 'were'}"


def _refuse_too_few(table: ScoreTable, fewest: int, dropped: SettledGaps | None) -> None:
    if not table.labels["metric"]:
        raise ScoresError("there is no metric in these scores; give at least one")
    for dim in ("system", "topic"):
        names = table.labels[dim]
        if len(names) < fewest:
            there = f"there is only {names[0]!r}" if names else "there is none"
            short = "" if dropped is None else str.__str__(dropped) if len(dropped) < _LONG else dropped.brief
            why = f" ({short}); keep them by `missing='pairwise'` or `'zero'`" if dropped else ""
            kind = unit_called(table.attributes.get("topic_word")).topic if dim == "topic" else dim
            least = f"at least two {kind}s are needed to compare anything" if fewest > 1 else f"no {kind} is left"
            tries = dim == "system" and np.ndim(table.scores) > len(DIMS) and np.isin(table.scores, (0.0, 1.0)).all()
            why += "; metaeval.models.pass_rates has pass@k and pass^k of one" * bool(tries and names)
            raise ScoresError(f"{least}; {there}{why}")


def _direction(table: ScoreTable, asked: bool | Mapping[str, bool] | None) -> NDArray[np.bool_]:  # noqa: FBT001 - three-valued
    names = table.labels["metric"]
    _, entries = table.coordinates.get("higher_is_better", ("metric", np.ones(len(names), dtype=bool)))
    stated, measure_of = "higher_is_better" in table.coordinates, measures_beside(names)
    rising = {
        name: _truth(entry, name) if stated else rises_by_name(measure_of[name], *seen)
        for (name, seen), entry in zip(ranges_of_scores(names, table.scores).items(), entries.tolist(), strict=True)
    }
    if isinstance(asked, Mapping):
        for name, value in asked.items():
            if name not in rising:
                raise UnknownNameError("metric", str(name), names)
            rising[name] = _truth(value, name)
    elif asked is not None:
        rising = {name: _truth(asked, name) for name in names}
    return np.array([rising[name] for name in names], dtype=bool)


def _with_falling_noted(
    table: ScoreTable,
    asked: bool | Mapping[str, bool] | None,  # noqa: FBT001 - three-valued
    of_files: Sequence[str],
) -> ScoreTable:
    """Say which metrics are taken for ones where lower is better, or whose sign was reversed, by their names."""
    told = {*asked} if isinstance(asked, Mapping) else set()
    if "higher_is_better" in table.coordinates or isinstance(asked, bool):
        return table
    ranges = ranges_of_scores(table.labels["metric"], table.scores)
    untold = {name: seen for name, seen in ranges.items() if name not in told}
    ranks = [name for name in metrics_of_ranks(table) if name in untold and rises_by_name(name, *untold[name])]
    named = {name: seen for name, seen in untold.items() if name not in ranks}
    notes = notes_on_directions(named, of_files, measures=measures_beside(ranges))
    for note in [*notes, *map(note_on_ranks, ranks)]:
        table = _with_note(table, note)
    return table


def _truth(value: object, metric: str) -> bool:
    """Read a direction; text counts only where it says true or false."""
    direction = _TRUTH.get(str(value).strip().casefold())
    if direction is None:
        raise InvalidOptionError(f"whether higher is better for {metric!r} must be True or False, not {value!r}")
    return direction


def _texts_of(table: ScoreTable, name: str, said: Mapping[str, str] | None) -> dict[str, tuple[str, NDArray[np.str_]]]:
    """Return the coordinate that names a group for every system, or a cluster for every topic, if there is one."""
    dim = ATTACHED[name]
    labels = table.labels[dim]
    if said is None:
        if name not in table.coordinates:
            return {}
        said = dict(zip(labels, table.coordinates[name][1].tolist(), strict=True))
    without = [label for label in labels if label not in said]
    if without:
        covered = f"{len(labels) - len(without)} of {len(labels)} {dim}s"
        raise InvalidOptionError(f"`{name}s` covers {covered}; without a {name}: {first_few(without)}")
    texts = [clean_name(said[label], f"{name} (of {dim} {label!r})") for label in labels]
    return {name: (dim, label_array(texts, name))}


def _without_one_cluster(table: ScoreTable, coordinates: dict[str, tuple[str, NDArray[Any]]]) -> ScoreTable:
    """Take out clusters that are one for all topics, of which no test could draw, and note it."""
    for name in ("cluster", "stratum"):
        names = {*coordinates[name][1].tolist()} if name in coordinates else {}
        if len(names) == 1:
            del coordinates[name]
            topics = unit_called(table.attributes.get("topic_word")).topics
            table = _with_note(table, f"all {topics} are in one {name}, {next(iter(names))!r}, which counts as none")
    return table


def _weight_of_each(table: ScoreTable, said: Mapping[str, float] | None) -> dict[str, tuple[str, NDArray[np.float64]]]:
    topics = table.labels["topic"]
    if said is None:
        if "weight" not in table.coordinates:
            return {}
        said = dict(zip(topics, table.coordinates["weight"][1].tolist(), strict=True))
    without = [topic for topic in topics if topic not in said]
    if without:
        raise InvalidOptionError(
            f"`weights` covers {len(topics) - len(without)} of {len(topics)} topics; without one: {first_few(without)}"
        )
    weights = np.empty(len(topics))
    for position, topic in enumerate(topics):
        try:
            weights[position] = as_number(said[topic])
        except (TypeError, ValueError) as error:
            message = f"the weight of topic {topic!r}, {shortened(said[topic])!r}, {error}; weights are numbers above 0"
            raise ScoresError(message) from error
        if not 0 < weights[position] < np.inf:
            raise ScoresError(f"the weight of topic {topic!r} is {weights[position]:g}; weights are numbers above 0")
    return {"weight": ("topic", weights)}
