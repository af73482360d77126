"""Means of systems with standard errors, as leaderboards print them: what is known where no scores by item are."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import refused
from metaeval.base.columns import column_roles
from metaeval.base.names import as_number, clean_name, first_few, shortened
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.array import UNNAMED_METRIC
from metaeval.table.conversions import plain

_ERRORS = ("stderr", "std_err", "std_error", "standard_error", "standard_err", "stderror", "se", "sem", "se_mean")
_MEANS = ("mean", "average", "avg", "estimate")
_RATES = ("win_rate", "winrate")  # a mean, where its error follows
_SIZES = (
    *("n", "n_items", "n_samples", "n_questions", "n_topics", "n_examples", "num_samples", "num_items", "num_examples"),
    *("n_total", "n_obs", "nobs", "num_questions", "sample_size"),
    *("items", "samples", "questions", "examples", "size", "count", "support"),
)
_TASKS = ("task", "tasks", "dataset", "benchmark", "subset")
_DIVISION = re.compile(r"[\s._-]+")
_ERROR_OF = re.compile(rf"(.+?)_({'|'.join(_ERRORS)})((?:,.*)?)")
_FEWEST = 2
_MOST_COLUMNS = 1000  # more are systems or items, and reading a million names takes seconds
_READ = (
    "columns for the system (model), its mean (score, value, or the name of the metric) and its standard error "
    "(stderr, or the name of the metric with _stderr), and perhaps for metric and n"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemMeans(Result):
    """Means of systems with their standard errors, under every metric."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    means: Floats
    """In the metric's own direction. Shape (metric, system)."""
    errors: Floats
    """Standard errors of the means, 0 or more. Shape (metric, system)."""
    n: Floats
    """Items behind each mean, NaN where nobody said how many. Shape (metric, system)."""
    higher_is_better: Flags
    """Direction of every metric. Shape (metric,)."""
    read_as: str
    """What they were taken for."""
    notes: tuple[str, ...] = ()
    """What was left out."""

    def under(self, metrics: Sequence[str]) -> "SystemMeans":
        """Return the same under these metrics alone."""
        for name in metrics:
            if name not in self.metrics:
                raise UnknownNameError("metric on the leaderboard", str(name), self.metrics)
        kept = [self.metrics.index(name) for name in metrics]
        held = {name: getattr(self, name)[kept] for name in ("means", "errors", "n", "higher_is_better")}
        return replace(self, metrics=tuple(metrics), **held)

    def directed(self, higher_is_better: Mapping[str, bool]) -> "SystemMeans":
        """Return the same with other directions for the metrics named."""
        return replace(self, higher_is_better=_directions(self.metrics, higher_is_better))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system: metric, system, mean, stderr, n."""
        keys = pd.MultiIndex.from_product([self.metrics, self.systems], names=["metric", "system"])
        held = {"mean": self.means.ravel(), "stderr": self.errors.ravel(), "n": self.n.ravel()}
        return pd.DataFrame(held, index=keys).reset_index()


class MeansColumns(NamedTuple):
    """Which columns of a table hold means and their standard errors."""

    system: str
    task: str | None
    metric: str | None
    pairs: tuple[tuple[str | None, str, str], ...]
    """Name of the metric (None where a column says it), column of the means, column of the errors."""
    size: str | None
    others: tuple[str, ...]


def means_columns(
    columns: Iterable[object], *, chosen: Mapping[str, str] | None = None, ignored: Iterable[str] = ()
) -> MeansColumns | None:
    """Find the columns of a board of means and standard errors; None for any other table.

    `chosen`: what the caller says of columns, part to name: system, metric, and score for the means. A first column
    without a name is that of systems.

    Examples
    --------
    >>> means_columns(["model", "acc", "acc_stderr"]).pairs
    (('acc', 'acc', 'acc_stderr'),)
    >>> means_columns(["system", "topic", "score"]) is None
    True
    """
    told, names = dict(chosen or {}), [str(column) for column in columns]
    if len(names) > _MOST_COLUMNS or not {*told} <= {"system", "metric", "score"} or not {*told.values()} <= {*names}:
        return None
    ignored = {*ignored}
    names = [name for name in names if name not in ignored]
    try:
        parts = dict(column_roles(names, chosen=told).parts)
    except ScoresError:
        return None
    if names and _is_unnamed(names[0]) and parts.keys().isdisjoint({"system", "topic"}):
        parts["system"] = names[0]
    if "system" not in parts:
        return None
    words = {name: _DIVISION.sub("_", name.strip().casefold()) for name in names}
    topic = parts.get("topic")
    task = next((name for name in names if words[name] in _TASKS), None)
    if (topic is not None and topic != task) or len(set(words.values())) < len(names):
        return None
    known = {parts["system"], task, parts.get("metric")}
    size = next((name for name in names if words[name] in _SIZES and name not in known), None)
    free = [name for name in names if name not in {*known, size}]
    named = parts.get("metric") is None
    pairs = [one for one in _named_pairs(free, words) if one[1] == told.get("score", one[1])]
    pairs = pairs or _one_pair(free, words, parts.get("score"), sure="score" in told, named=named)
    taken = {column for _, mean, error in pairs for column in (mean, error)}
    others = tuple(name for name in free if name not in taken and not _is_unnamed(name))
    return MeansColumns(parts["system"], task, parts.get("metric"), tuple(pairs), size, others) if pairs else None


def _is_unnamed(name: str) -> bool:
    return not name.strip() or name.startswith("Unnamed: ")


def renaming(columns: Iterable[object]) -> str:
    """Say how a column of standard errors is to be called, where a table does not say of what they are.

    Examples
    --------
    >>> renaming(["acc", "f1", "Std. Error"]), renaming(["acc", "f1"])
    ("if 'Std. Error' is that of 'f1', rename it to 'f1_stderr'", '')
    """
    names = [str(column) for column in columns]
    words = [_DIVISION.sub("_", name.strip().casefold()) for name in names]
    errors = [name for name, word in zip(names, words, strict=True) if word in _ERRORS or _ERROR_OF.fullmatch(word)]
    means = [name for name in names if name not in errors]
    if not errors or not means:
        return ""
    near = ((one, after) for one, after in pairwise(names) if after in errors and one in means)
    mean, error = next(near, (means[0], errors[0]))
    return f"if {error!r} is that of {mean!r}, rename it to {mean + '_stderr'!r}"


def _named_pairs(free: Sequence[str], words: Mapping[str, str]) -> list[tuple[str | None, str, str]]:
    """Return metrics whose errors are called after them: acc and acc_stderr."""
    by_word = {words[name]: name for name in free}
    found: list[tuple[str | None, str, str]] = []
    for name in free:
        told = _ERROR_OF.fullmatch(words[name])
        mean = by_word.get(told[1] + told[3]) if told else None
        if mean is not None:
            found.append((mean.partition(",")[0], mean, name))
    return found


def _one_pair(
    free: Sequence[str], words: Mapping[str, str], score: str | None, *, sure: bool, named: bool
) -> list[tuple[str | None, str, str]]:
    """Return the one column of means beside the one column of errors."""
    errors = [name for name in free if words[name] in _ERRORS]
    rest = [name for name in free if name not in errors]
    own = [name for name in rest if name == score]
    rates = [name for name, after in pairwise(free) if words[name] in _RATES and after in errors]
    means = own if sure else [name for name in rest if words[name] in _MEANS] or own or rates or rest
    if len(errors) != 1 or len(means) != 1:
        return []
    plain_name = words[means[0]] in {*_MEANS, "score", "value"}
    return [((UNNAMED_METRIC if plain_name else means[0]) if named else None, means[0], errors[0])]


def means_frame(data: object) -> pd.DataFrame | None:
    """Return data that are a board of means and standard errors as a frame; None for anything else."""
    if isinstance(data, Mapping) and all(
        isinstance(cells, list | tuple | np.ndarray | pd.Series) for cells in data.values()
    ):
        data = pd.DataFrame(dict(data)) if len({len(cells) for cells in data.values()}) == 1 else None
    made = plain(data) if isinstance(data, list | tuple) or hasattr(data, "columns") else data
    if not isinstance(made, pd.DataFrame) or made.columns.nlevels > 1:
        return None
    if not isinstance(made.index, pd.RangeIndex):
        flat = made.copy().reset_index()
        if made.index.nlevels == 1 and made.index.name is None and means_columns(made.columns) is None:
            flat = flat.rename(columns={flat.columns[0]: "system"})
        made = flat
    return made if means_columns(made.columns) is not None else None


def is_board(data: object) -> bool:
    """Say whether data are a board of means and standard errors.

    Examples
    --------
    >>> is_board(pd.DataFrame({"model": ["a", "b"], "acc": [0.7, 0.6], "stderr": [0.02, 0.02]}))
    True
    """
    return means_frame(data) is not None


def as_means(
    data: object,
    errors: object = None,
    *,
    n: object = None,
    systems: Sequence[str] | None = None,
    higher_is_better: bool | Mapping[str, bool] = True,
) -> SystemMeans:
    """Check means and standard errors, and lay them out by metric and system.

    Parameters
    ----------
    data : DataFrame, or means by system
        A table with columns for the system, its mean and its standard error, and perhaps for the metric and the number
        of items; or, with `errors`, the means of one metric: a mapping, a Series or a sequence.
    errors : mapping, Series or sequence, optional
        Standard errors of the means.
    n : number, mapping, Series or sequence, optional
        Items behind every mean.
    systems : sequence of str, optional
        Names of the systems of a sequence.
    higher_is_better : bool or mapping of str to bool, default True

    Raises
    ------
    ScoresError
        For a mean that is no number, an error that is none or below 0, fewer than two items, a system that appears
        twice under a metric or not at all, and fewer than two systems.
    InvalidOptionError
        If `data` is no such table, or an option is outside its rule.

    Examples
    --------
    >>> as_means({"a": 0.7, "b": 0.6}, {"a": 0.02, "b": 0.03}).errors.tolist()
    [[0.02, 0.03]]
    """
    frame = means_frame(data) if errors is None else _of_parts(data, errors, n, systems)
    columns = None if frame is None else means_columns(frame.columns)
    if frame is None or columns is None:
        held = list(getattr(data, "columns", []))
        seen = f"the columns {first_few(list(map(str, held)), most=20)}" if held else shortened(repr(data))
        raise InvalidOptionError(f"means with standard errors are a table with {_READ}; got {seen}")
    return board_of(frame, columns, higher_is_better=higher_is_better)


def board_of(
    frame: pd.DataFrame, columns: MeansColumns, *, higher_is_better: bool | Mapping[str, bool] = True
) -> SystemMeans:
    """Check the means and standard errors in these columns, and lay them out by metric and system."""
    rows = _rows(frame, columns)
    metrics, names = (list(dict.fromkeys(key[place] for key in rows)) for place in (0, 1))
    if len(names) < _FEWEST:
        there = f"there is only {names[0]!r}" if names else "there is none"
        raise ScoresError(f"at least two systems are needed to rank anything; {there}")
    for metric in metrics:
        absent = [name for name in names if (metric, name) not in rows]
        if absent:
            raise ScoresError(
                f"there is no mean under {metric!r} of {first_few(absent)}; leave these systems, or this metric, out"
            )
    figures = np.array([[rows[metric, name] for name in names] for metric in metrics])
    others = columns.others
    return SystemMeans(
        metrics=tuple(metrics),
        systems=tuple(names),
        means=figures[..., 0],
        errors=figures[..., 1],
        n=figures[..., 2],
        higher_is_better=_directions(metrics, higher_is_better),
        read_as=f"means with standard errors: {_said(columns)}",
        notes=(f"left out column{'s' * (len(others) > 1)} {first_few(others, most=12)}",) if others else (),
    )


def _said(columns: MeansColumns) -> str:
    pairs = first_few([f"{mean!r} with {error!r}" for _, mean, error in columns.pairs])
    return f"systems in {columns.system!r}, {pairs}" + (f", n in {columns.size!r}" if columns.size else "")


def _rows(frame: pd.DataFrame, columns: MeansColumns) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return mean, error and number of items by metric and system."""
    found: dict[tuple[str, str], tuple[float, float, float]] = {}
    for place in range(len(frame)):
        row = {str(name): cell for name, cell in zip(frame.columns, frame.iloc[place].tolist(), strict=True)}
        system = clean_name(row[columns.system], "system")
        task = "" if columns.task is None else f"{clean_name(row[columns.task], 'task')} "
        for name, mean, error in columns.pairs:
            metric = task + (clean_name(row[str(columns.metric)], "metric") if name is None else name)
            where = f"of system {system!r} under {metric!r}"
            if (metric, system) in found:
                raise ScoresError(f"there are two means {where}, the second in row {place}; keep one")
            size = np.nan if columns.size is None else _number(row[columns.size], f"the number of items {where}")
            found[metric, system] = (
                _number(row[mean], f"the mean {where}"),
                _number(row[error], f"the standard error {where}"),
                size,
            )
            _check_row(*found[metric, system][1:], where, known=columns.size is not None)
    return found


def _number(cell: object, what: str) -> float:
    try:
        number = as_number(cell)
    except (TypeError, ValueError) as problem:
        raise ScoresError(f"{what} is {shortened(repr(cell))}, which {problem}") from problem
    if not np.isfinite(number):
        raise ScoresError(f"{what} is {number:g}, and should be a finite number; give it, or leave the system out")
    return number


def _check_row(error: float, size: float, where: str, *, known: bool) -> None:
    if error < 0:
        raise ScoresError(f"the standard error {where} is {error:g}; it must be 0 or more")
    if known and (size < _FEWEST or size != round(size)):
        raise ScoresError(f"the number of items {where} is {size:g}; a standard error needs two items or more")


def _directions(metrics: Sequence[str], asked: bool | Mapping[str, bool]) -> Flags:  # noqa: FBT001 - as asked
    if isinstance(asked, bool | np.bool_):
        return np.full(len(metrics), bool(asked))
    if not isinstance(asked, Mapping) or not all(isinstance(one, bool | np.bool_) for one in asked.values()):
        raise refused("higher_is_better", f"must be True, False or a mapping from metric to them, not {asked!r}", asked)
    for name in asked:
        if name not in metrics:
            raise UnknownNameError("metric", str(name), metrics)
    return np.array([bool(asked.get(name, True)) for name in metrics])


def _of_parts(means: object, errors: object, n: object, systems: Sequence[str] | None) -> pd.DataFrame:
    """Return the means of one metric, their errors and numbers of items as a frame."""
    held = {"mean": _by_name(means, "means", systems), "stderr": _by_name(errors, "errors", systems)}
    names = list(held["mean"])
    if n is not None:
        alike = not isinstance(n, Mapping | pd.Series) and np.ndim(n) == 0  # type: ignore[arg-type]  # whatever it is
        held["n"] = dict.fromkeys(names, n) if alike else _by_name(n, "n", systems)
    for what, own in held.items():
        if set(own) != set(names):
            apart = first_few(sorted(map(str, set(own) ^ set(names))))
            raise InvalidOptionError(f"means and {what} must be of the same systems; only one of them has {apart}")
    columns = {what: [own[name] for name in names] for what, own in held.items()}
    return pd.DataFrame({"system": names, **columns}, dtype=object)


def _by_name(values: Any, what: str, systems: Sequence[str] | None) -> dict[object, object]:  # noqa: ANN401 - any kind
    if isinstance(values, Mapping | pd.Series):
        return dict(values.items())
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        raise refused(what, f"must be numbers by system, such as {{'a': 0.7}}, not {shortened(repr(values))}", values)
    listed = list(values)
    names = [f"system{number}" for number in range(1, len(listed) + 1)] if systems is None else list(systems)
    if len(set(names)) != len(listed):
        raise InvalidOptionError(f"`{what}` holds {len(listed)} numbers for {len(set(names))} systems")
    return dict(zip(names, listed, strict=True))
