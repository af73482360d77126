"""Means of systems with standard errors, as leaderboards print them: what is known where no scores by item are."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress, pairwise
from numbers import Real
from operator import or_
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import refused
from metaeval.base.names import (
    as_number,
    clean_name,
    first_few,
    is_number,
    is_unnamed,
    is_word,
    shortened,
    topic_evidence,
)
from metaeval.base.number_words import SCORE_GAPS, of_thousands, point_between_thousands
from metaeval.base.results import Result
from metaeval.base.words import span_of, two_digits
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.array import UNNAMED_METRIC
from metaeval.table.conversions import plain
from metaeval.table.counted_shares import SCALES, counted_shares
from metaeval.table.interval_names import are_signed, bounds_among, percentage_of_quantile, roles_among
from metaeval.table.mean_errors import NORMAL_97_5, errors_of_shares, impossible_errors, mixed_scales, usable_errors
from metaeval.table.plausibility import left_out_rows, may_have_thousands
from metaeval.table.roles import (
    BOARD,
    BOUNDS,
    ERRORS,
    NO_ITEMS,
    bare_word,
    column_roles,
    ids_of_systems,
    notes_on_directions,
    part_of_word,
    ranges_of_scores,
    rises_by_name,
    role_of_name,
    word_of,
)

_OF_ALL = frozenset({"n", "n_total"})
"""The surest words for how many items are behind every mean."""
_NUMBER = r"[+-]?\s*[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?"
_BETWEEN = r"(?:,|;|/|to|\.\.|\N{EN DASH}|-(?=\s*[0-9.]))"
_ONE = r"(?![+-]?[0-9]+,[0-9]+\Z)"  # 0,85 is a number with a decimal comma
_CLOSED = r"(?=[\[(].*[\])]\Z|[^\[(].*[^\])]\Z)"  # half a pair of brackets is a slip
_TWO = re.compile(rf"{_CLOSED}{_ONE}[\[(]?\s*({_NUMBER})\s*{_BETWEEN}\s*({_NUMBER})\s*[\])]?", re.IGNORECASE)
_LEVELS = {"99": 0.99, "90": 0.9, "80": 0.8, "68": 0.68}
_LEVEL = 0.95
_LONGEST_INTERVAL = 100  # the pattern looks at every way to divide digits
_FEWEST, _SAMPLE = 2, 20
_NEAR = 0.2
_UNKNOWN = (np.nan, np.nan, np.nan)
MOST_SYSTEMS = 10_000
_MOST_COLUMNS = 1000  # more are systems or items, and reading a million names takes seconds
_READ = (
    "columns for the system (model), its mean (score, value, or the name of the metric) and its standard error "
    "(stderr, or the name of the metric with _stderr) or the bounds of its interval (_low and _high), and perhaps for "
    "metric and n"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemMeans(Result):
    """Means of systems with their standard errors, under every metric."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    means: Floats
    """In the metric's own direction, NaN where a system has none. Shape (metric, system)."""
    errors: Floats
    """Standard errors of the means, 0 or more, NaN without a mean. Shape (metric, system)."""
    n: Floats
    """Items behind each mean, NaN where nobody said how many. Shape (metric, system)."""
    higher_is_better: Flags
    """Direction of every metric. Shape (metric,)."""
    read_as: str
    """What they were taken for."""
    notes: tuple[str, ...] = ()
    """What was left out."""

    def under(self, metrics: Sequence[str]) -> "SystemMeans":
        """Return the same under these metrics alone, of the systems that have a mean under one."""
        for name in metrics:
            if name not in self.metrics:
                raise UnknownNameError("metric on the leaderboard", str(name), self.metrics)
        positions = [self.metrics.index(name) for name in metrics]
        there = np.flatnonzero(~np.isnan(self.means[positions]).all(axis=0))
        fields = {name: getattr(self, name)[np.ix_(positions, there)] for name in ("means", "errors", "n")}
        systems, directions = tuple(self.systems[at] for at in there), self.higher_is_better[positions]
        return replace(self, metrics=tuple(metrics), systems=systems, higher_is_better=directions, **fields)

    def of(self, systems: Collection[str]) -> "SystemMeans":
        """Return the same of these systems alone, in their order here."""
        there = [at for at, name in enumerate(self.systems) if name in systems]
        fields = {name: getattr(self, name)[:, there] for name in ("means", "errors", "n")}
        return replace(self, systems=tuple(self.systems[at] for at in there), **fields)

    def directed(self, higher_is_better: Mapping[str, bool]) -> "SystemMeans":
        """Return the same with other directions for the metrics named."""
        return replace(self, higher_is_better=_directions(ranges_of_scores(self.metrics, self.means), higher_is_better))

    def _found(self) -> str:
        words = [
            f"{span_of(self.systems, means, means - errors, means + errors, write=two_digits)} under {metric}"
            for metric, means, errors in zip(self.metrics, self.means, self.errors, strict=True)
        ]
        return f"means, with a standard error on both sides, {first_few(words)}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system: metric, system, mean, stderr, n."""
        keys = pd.MultiIndex.from_product([self.metrics, self.systems], names=["metric", "system"])
        columns = {"mean": self.means.ravel(), "stderr": self.errors.ravel(), "n": self.n.ravel()}
        return pd.DataFrame(columns, index=keys).dropna(subset=["mean"]).reset_index()


class MeanColumn(NamedTuple):
    """A column of means, and the columns that tell their standard errors."""

    metric: str | None
    """None where a column says it."""
    mean: str
    errors: tuple[str, ...]
    """One column, or two that hold the lower and the upper bound."""
    kind: str = "error"
    """What they hold: error, sd, half, bounds, or unsure; or counts of answers, and of all (share) or others (odds)."""
    level: float = _LEVEL
    """Confidence of an interval."""


class MeansColumns(NamedTuple):
    """Which columns of a table hold means and their standard errors."""

    system: str
    task: str | None
    metric: str | None
    pairs: tuple[MeanColumn, ...]
    sizes: Mapping[str, str]
    """Columns that may say how many items are behind a mean, to what their names say they count, "" for nothing."""
    others: tuple[str, ...]


def means_columns(  # noqa: PLR0913 - what is known of them
    columns: Iterable[object],
    *,
    chosen: Mapping[str, str] | None = None,
    ignored: Iterable[str] = (),
    first: Sequence[object] = (),
    words: Collection[str] = (),
    shares: Sequence[MeanColumn] = (),
) -> MeansColumns | None:
    """Find the columns of a board of means and standard errors; None for any other table.

    `chosen`: what the caller says of columns, part to name: system, metric, and score for the means. `first` holds the
    cells of the first column, which names the systems if no column is called so; one without a name does. `words` are
    columns without numbers, and `shares` those that counts beside them make.

    Examples
    --------
    >>> means_columns(["model", "acc", "acc_stderr"]).pairs[0][:3]
    ('acc', 'acc', ('acc_stderr',))
    >>> means_columns(["model", "rating", "rating_q025", "rating_q975"]).pairs[0].errors
    ('rating_q025', 'rating_q975')
    >>> means_columns(["system", "topic", "score"]) is None
    True
    """
    told, names = dict(chosen or {}), [str(column) for column in columns]
    if len(names) > _MOST_COLUMNS or not {*told} <= {"system", "metric", "score"} or not {*told.values()} <= {*names}:
        return None
    ignored = {*ignored}
    leading = names[0] if names and names[0] not in ignored else ""
    names = [name for name in names if name not in ignored]
    spelled = {name: word_of(name) for name in names}
    task = next((name for name in names if spelled[name] in BOARD["tasks"]), None)
    try:
        parts = dict(column_roles([name for name in names if name != task], chosen=told).parts)
    except ScoresError:
        return None
    system = parts.get("system")
    if names and is_unnamed(names[0]) and system is None:
        system = names[0]
    paired = {name for pair in bounds_among(names) for name in pair[:2]}
    alone = [spelled[name] for name in names if name not in paired]
    if "topic" in parts or len({*alone}) < len(alone):
        return None
    assigned = {system, task, parts.get("metric")}
    free = [name for name in names if name not in assigned and not is_unnamed(name)]
    roles = roles_among(free)
    sizes = {name: roles[name][1] for name in free if _may_be_size(name)}
    remaining = [name for name in free if name not in {*sizes, *words}]
    pairs = _pairs(remaining, told.get("score", parts.get("score")), sure="score" in told) or [*shares]
    sizes |= {pair.errors[1]: word_of(pair.mean) for pair in pairs if pair.kind == "share"}
    if system is None and pairs and leading and all(pair.mean != leading for pair in pairs) and _are_names(first):
        system, task = leading, None if task == leading else task
    if system is None or not pairs:
        return None
    if parts.get("metric") is not None:
        pairs = [pair._replace(metric=None) for pair in pairs]
    taken = {column for pair in pairs for column in (pair.mean, *pair.errors)} | {system, task, *sizes}
    others = tuple(name for name in free if name not in taken)
    return MeansColumns(system, task, parts.get("metric"), tuple(pairs), sizes, others)


def may_be_means(columns: Sequence[str]) -> bool:
    """Whether any column is called like an error or a bound, without which no table is a board of means.

    Examples
    --------
    >>> may_be_means(["model", "acc", "acc_se"]), may_be_means(["topic", "bm25", "lm"])
    (True, False)
    """
    return len(columns) <= _MOST_COLUMNS and any(
        role in {*ERRORS, "low", "high"} for role, _ in roles_among(columns).values()
    )


def _are_names(cells: Sequence[object]) -> bool:
    """Whether a first column without a known name holds names of systems: no two alike, and not those of topics."""
    texts = [str(cell).strip() for cell in cells]
    alike = len(texts) < _FEWEST or len(set(texts)) < len(texts)
    return not alike and topic_evidence(texts) < 1 and not any(map(is_number, texts))


def _may_be_size(name: str) -> bool:
    """Whether a column is called as a count of items, and not as one of some answers or of people who liked it."""
    word = word_of(name)
    return role_of_name(name)[0] == "n" and NO_ITEMS.isdisjoint({word, *word.split("_")})


def _is_of(stem: str, mean: str) -> bool:
    """Whether a name that says what it is of says this column of means, or what that is the mean of."""
    return stem in {word_of(mean), bare_word(mean)} or (_is_mean(mean) and role_of_name(mean)[1] == stem)


class _Sizes:
    """Which column says how many items are behind a mean: the one named for its metric, else one named for none."""

    def __init__(self, frame: pd.DataFrame, columns: MeansColumns) -> None:
        told = [str(name) for name in (columns.metric, columns.task) if name is not None]
        self.named = [
            *(pair.mean for pair in columns.pairs),
            *(word for name in told for word in set(frame[name].map(str))),
        ]
        self._sizes = columns.sizes
        beside = {stem for name in columns.others for stem in (word_of(name), bare_word(name), role_of_name(name)[1])}
        free = [name for name, of in self._sizes.items() if of not in beside - {""} and not self._means_of(of)]
        surest = [name for name in free if word_of(name) in _OF_ALL] or free
        self._found: dict[tuple[str, ...], str | None] = {}
        self.open = surest if len({*frame[surest].astype(str).T.itertuples(index=False)}) > 1 else []
        self._of_all = None if self.open or not surest else surest[0]

    def _means_of(self, stem: str) -> list[str]:
        """Return the means and metrics that a count is named for: called so, or else by a longer name."""
        exact = [name for name in self.named if stem and _is_of(stem, name)]
        return exact or [name for name in self.named if stem and f"_{stem}_" in f"_{word_of(name)}_"]

    def column(self, *names: str) -> str | None:
        """Return the column for a mean of these names, its column's, metric's and task's; None where none is."""
        if names not in self._found:
            named = (size for size, stem in self._sizes.items() if not {*names}.isdisjoint(self._means_of(stem)))
            self._found[names] = next(named, self._of_all)
        return self._found[names]

    @property
    def used(self) -> set[str]:
        """The columns that were looked up."""
        return {size for size in self._found.values() if size is not None}


def _pairs(free: Sequence[str], score: str | None, *, sure: bool) -> list[MeanColumn]:
    """Return the columns of means with those that tell their errors: called after them, or the only ones of a kind."""
    roles = roles_among(free)
    stems = {stem for role, stem in roles.values() if role in {*ERRORS, "low", "high"}}
    means = [
        name
        for name in free
        if not roles[name][0]
        or name == score
        or _is_mean(name)
        or (roles[name][0] == "aggregate" and word_of(name) in stems)
    ]
    by_mean: dict[str, dict[str, str]] = {}
    for name in free:
        role, stem = roles[name]
        if role in {*ERRORS, "low", "high"} and name != score:
            named = _mean_called(stem, means) or (score if sure and stem in _beginnings(word_of(score)) else "")
            mean = named if stem else _mean_beside(name, means, free)
            if mean and (not sure or mean == score):
                by_mean.setdefault(mean, {}).setdefault(role, name)
    return [pair for mean, by_role in by_mean.items() if (pair := _pair(mean, by_role)) is not None]


def _mean_called(stem: str, means: Sequence[str]) -> str:
    """Return the column of means that an error says it is of, "" where none is or several could be meant."""
    exact = [mean for mean in means if word_of(mean) == stem]
    called = exact or [mean for mean in means if _is_of(stem, mean)]
    return called[0] if exact or len(called) == 1 else ""


def _beginnings(word: str) -> set[str]:
    """Return how the first words of a longer name are written: themselves, or their first letters.

    Examples
    --------
    >>> sorted(_beginnings("length_controlled_winrate")), _beginnings("lc_rate")
    (['lc', 'lcw', 'length', 'length_controlled'], {'lc'})
    """
    words = [syllable for syllable in word.split("_") if syllable]
    initials = {"".join(syllable[0] for syllable in words[:size]) for size in range(2, len(words) + 1)}
    begun = {"_".join(words[:size]) for size in range(1, len(words))}
    return begun | (initials if len(words) > 2 else set())  # noqa: PLR2004 - of two words a letter is left


def _is_mean(name: str) -> bool:
    """Whether a column is called as a mean, of everything or of a metric (mean_acc)."""
    role, stem = role_of_name(name)
    return word_of(name) in BOARD["means"] or (role == "aggregate" and bool(stem))


def _mean_beside(error: str, means: Sequence[str], free: Sequence[str]) -> str:
    """Return the column of means that a column called as an error alone is of, "" where several could be it."""
    called = [mean for mean in means if word_of(mean) in BOARD["means"]]
    if len(called) == 1:
        return called[0]
    before = free[free.index(error) - 1] if free.index(error) else ""
    if word_of(before) in BOARD["rates"]:
        return before
    stems = {stem for _, stem in roles_among(free).values()}
    plain = [mean for mean in means if stems.isdisjoint({word_of(mean), bare_word(mean)})]
    return plain[0] if len(plain) == 1 else ""


def _pair(mean: str, by_role: Mapping[str, str]) -> MeanColumn | None:
    stem = role_of_name(mean)[1] if _is_mean(mean) else ""
    metric = UNNAMED_METRIC if word_of(mean) in BOARD["means"] else stem or mean.partition(",")[0]
    bounds = {"low", "high"} <= by_role.keys()
    for role in ("error", "half", "sd", "unsure"):
        if role in by_role and (role == "error" or not bounds):
            return MeanColumn(metric, mean, (by_role[role],), role, _level_of(by_role[role]))
    ends = (by_role["low"], by_role["high"]) if bounds else ()
    return MeanColumn(metric, mean, ends, "bounds", _level_of(ends[0])) if ends else None


def _level_of(name: str) -> float:
    if role_of_name(name)[0] not in ERRORS and (end := percentage_of_quantile(name)) is not None:
        return abs(1 - end / 50)
    return next((level for mark, level in _LEVELS.items() if mark in word_of(name)), _LEVEL)


def renaming(columns: Iterable[object]) -> str:
    """Say how a column of standard errors is to be called, where a table does not say of what they are.

    Examples
    --------
    >>> renaming(["acc", "f1", "90% margin"])
    "if '90% margin' is that of 'f1', rename it to 'f1_ci90'"
    >>> renaming(["acc", "f1", "Std. Error"]), renaming(["acc", "f1"])
    ("if 'Std. Error' is that of 'f1', rename it to 'f1_stderr'", '')
    >>> renaming(["x acc", "x stderr", "y acc", "y stderr"])
    "if 'x stderr' is that of 'x acc', rename it to 'x acc_stderr', and 'y stderr' to 'y acc_stderr' likewise"
    """
    names = [str(column) for column in columns]
    words = {*map(word_of, names)}
    errors = [name for name in names if role_of_name(name)[0] in ERRORS and not _is_error_rate(name, words)]
    means = [name for name in names if not role_of_name(name)[0] or word_of(name) in BOARD["means"]]
    if not errors or not means:
        return ""
    near = [(mean, after) for mean, after in pairwise(names) if after in errors and mean in means]
    mean, error = next(iter(near), (means[0], errors[0]))
    called = {
        name: f"_ci{100 * _level_of(name):g}" if role_of_name(name)[0] == "half" else "_stderr" for name in errors
    }
    more = [f"{after!r} to {before + called[after]!r}" for before, after in near[1:]]
    also = f", and {first_few(more)} likewise" if more else ""
    return f"if {error!r} is that of {mean!r}, rename it to {mean + called[error]!r}{also}"


def _is_error_rate(name: str, words: Collection[str]) -> bool:
    """Whether a name is that of a metric and not of the error of one: nothing is called mean_per_class beside it."""
    role, stem = role_of_name(name)
    return role == "unsure" and stem not in {"", *words} and not rises_by_name(name)


def with_bound_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns of intervals as text, such as "[0.7, 0.8]" or "+12/-11", are two columns each.

    Examples
    --------
    >>> board = pd.DataFrame({"m": ["a", "b"], "rating": [3, 4], "CI": ["(-1, +2)", "-2/+2"]})
    >>> with_bound_columns(board).columns.tolist()
    ['m', 'rating', 'low', 'high']
    """
    columns: dict[str, Any] = {}
    for position, name in enumerate(map(str, frame.columns)):
        cells = frame.iloc[:, position]
        role, stem = role_of_name(name)
        texts = cells.tolist() if role in ERRORS else []
        matches = [_interval(text) for text in texts]
        gaps = [str(text).strip().casefold() in SCORE_GAPS for text in texts]
        if any(matches) and all(map(or_, gaps, map(bool, matches))):
            ends = [
                sorted(float(end.replace(" ", "")) for end in match.groups()) if match else ("", "")
                for match in matches
            ]
            for side, at in (("low", 0), ("high", 1)):
                columns[f"{stem}_{side}" if stem else side] = [end[at] for end in ends]
        else:
            columns[name] = cells
    return pd.DataFrame(columns, index=frame.index) if len(columns) > len(frame.columns) else frame


def _interval(cell: object) -> "re.Match[str] | None":
    """Return the two numbers of a cell that holds an interval."""
    return _TWO.fullmatch(cell.strip()) if isinstance(cell, str) and len(cell) <= _LONGEST_INTERVAL else None


def means_frame(data: object) -> pd.DataFrame | None:
    """Return data that are a board of means and standard errors as a frame; None for anything else."""
    if isinstance(data, Mapping) and all(
        isinstance(cells, list | tuple | np.ndarray | pd.Series) for cells in data.values()
    ):
        data = pd.DataFrame(dict(data)) if len({len(cells) for cells in data.values()}) == 1 else None
    made = plain(data) if isinstance(data, list | tuple) or hasattr(data, "columns") else data
    if not isinstance(made, pd.DataFrame) or made.columns.nlevels > 1 or len(made.columns) > _MOST_COLUMNS:
        return None
    if not isinstance(made.index, pd.RangeIndex):
        flat = made.copy().reset_index()
        if made.index.nlevels == 1 and made.index.name is None and columns_of(made) is None:
            flat = flat.rename(columns={flat.columns[0]: "system"})
        made = flat
    made = with_bound_columns(made)
    return made if columns_of(made) is not None else None


def columns_of(
    frame: pd.DataFrame, *, chosen: Mapping[str, str] | None = None, ignored: Iterable[str] = ()
) -> MeansColumns | None:
    """Return the columns of a board in a frame; see `means_columns`."""
    first = frame.iloc[:, 0].tolist() if len(frame.columns) and len(frame) <= MOST_SYSTEMS else ()
    names, told = list(map(str, frame.columns)), dict(chosen or {})
    texts = frame.set_axis(names, axis=1)
    free = [name for name in names if name not in {*told.values(), *ignored}]
    ids = ids_of_systems(free, told, lambda name: texts[name].astype(str).tolist()) if len(first) else []
    beside = [*ignored, *ids]
    columns = means_columns(names, chosen=chosen, ignored=beside, first=first, words=_word_columns(frame))
    if columns is None and first and (shares := shares_of_counts(texts.drop(columns=[*ignored], errors="ignore"))):
        columns = means_columns(names, chosen=chosen, ignored=beside, first=first, shares=shares)
        named = columns is not None and columns.task is None and texts[columns.system].is_unique
        columns = columns if named else None  # else they may be of items
    if columns is None or _are_repeated(frame, columns):
        return None
    return columns._replace(others=(*ids, *columns.others))


def shares_of_counts(frame: pd.DataFrame) -> list[MeanColumn]:
    """Return the columns of shares that counts beside them make.

    Examples
    --------
    >>> board = pd.DataFrame({"model": ["a", "b"], "passed": [18, 20], "total": 40, "rate": [0.45, 0.5]})
    >>> [(pair.mean, pair.errors) for pair in shares_of_counts(board)]
    [('rate', ('passed', 'total'))]
    """
    names = [str(name) for name in frame.columns]
    made = counted_shares(np.array([_numbers_of(frame.iloc[:, at]) for at in range(len(names))]).T)
    return [
        MeanColumn(names[share], names[share], (names[counted], names[beside]), "share" if is_whole else "odds")
        for share, counted, beside, is_whole in made
    ]


def _are_repeated(frame: pd.DataFrame, columns: MeansColumns) -> bool:
    """Whether a column of repeats distinguishes the rows of a system and task, which are then scores."""
    repeats = [name for name in columns.others if part_of_word(name) == "repeat"]
    if columns.task is None or not repeats:
        return False
    keys = [columns.system, columns.task, *([columns.metric] if columns.metric is not None else [])]
    cells = frame.set_axis([str(name) for name in frame.columns], axis=1)[[*keys, *repeats]].astype(str)
    return bool(cells.duplicated(keys).any() and not cells.duplicated().any())


def _word_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold no number."""
    if not may_be_means([str(name) for name in frame.columns]):
        return []
    head = frame.head(_SAMPLE)
    return [
        str(name)
        for position, name in enumerate(frame.columns)
        if len(head) and not any(_is_figure(cell) for cell in head.iloc[:, position].tolist())
    ]


def _is_figure(cell: object) -> bool:
    return not is_word(cell) if isinstance(cell, str) else isinstance(cell, Real | Decimal)


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
    higher_is_better: bool | Mapping[str, bool] | None = None,
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
    higher_is_better : bool or mapping of str to bool, optional
        Direction of every metric, or of the metrics named; by default True, and False for metrics such as perplexity.

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
    columns = None if frame is None else columns_of(frame)
    if frame is None or columns is None:
        headers = list(getattr(data, "columns", []))
        seen = f"the columns {first_few(list(map(str, headers)), most=20)}" if headers else shortened(repr(data))
        raise InvalidOptionError(f"means with standard errors are a table with {_READ}; got {seen}")
    return board_of(frame, columns, higher_is_better=higher_is_better)


def board_of(
    frame: pd.DataFrame,
    columns: MeansColumns,
    *,
    higher_is_better: bool | Mapping[str, bool] | None = None,
    drop_gaps: bool = False,
) -> SystemMeans:
    """Check the means and standard errors in these columns, and lay them out by metric and system.

    With `drop_gaps`, a system without a mean or its error is left out under that metric.
    """
    columns = _at_said_level(frame, columns)
    _refuse_broken_intervals(frame, [*columns.others, *(name for pair in columns.pairs for name in pair.errors)])
    for name in {name: None for pair in columns.pairs for name in (pair.mean, *pair.errors)}:
        if pair := point_between_thousands([str(cell).strip() for cell in frame[name] if isinstance(cell, str)]):
            raise ScoresError(f"column {name!r} {of_thousands(*pair)}")
    sizes = _Sizes(frame, columns)
    rows = _rows(_with_signs(frame, columns), columns, sizes, drop_gaps=drop_gaps)
    _refuse_bounds_as_widths(frame, columns)
    metrics, names = (list(dict.fromkeys(key[index] for key in rows)) for index in (0, 1))
    absent = {metric: [name for name in names if (metric, name) not in rows] for metric in metrics}
    if (metric := next((metric for metric in metrics if absent[metric] and not drop_gaps), None)) is not None:
        raise ScoresError(
            f"there is no mean under {metric!r} of {first_few(absent[metric])}; leave these systems, or this metric, "
            "out"
        )
    grid = np.array([rows.get((metric, name), _UNKNOWN) for metric in metrics for name in names])
    grid = grid.reshape(len(metrics), len(names), len(_UNKNOWN))
    has_any = ~np.isnan(grid[..., 0]).all(axis=0)
    left_out = _notes_on_gaps([*compress(names, ~has_any)], "")
    names, grid = [*compress(names, has_any)], grid[:, has_any]
    if len(names) < _FEWEST:
        there = f"there is only {names[0]!r}" if names else "there is none"
        raise ScoresError(f"at least two systems are needed to rank anything; {there}")
    means, errors, n = np.moveaxis(grid, -1, 0)
    stay, summaries = left_out_rows(names, means.T, "system")
    names, (means, errors, n) = [names[at] for at in stay], (one[:, stay] for one in (means, errors, n))
    others = [name for name in map(str, frame.columns) if name in {*columns.others, *columns.sizes} - sizes.used]
    notes = _notes_on_shares(columns.pairs)
    notes += [f"left out column{'s' * (len(others) > 1)} {first_few(others, most=12)}"] if others else []
    for at, metric in enumerate(metrics):
        known = ~np.isnan(means[at])
        left_out += _notes_on_gaps([*compress(names, ~known)], f" under {metric}")
        if known.sum() < _FEWEST:
            only = first_few([*compress(names, known)])
            raise ScoresError(f"under {metric!r} only {only} has a mean with its error; leave this metric out")
        of_metric, about = (means[at, known], n[at, known]), (metric, [*compress(names, known)])
        errors[at, known], replaced = usable_errors(of_metric[0], errors[at, known], of_metric[1], about=about)
        notes += may_have_thousands([(f"column {metric!r}", of_metric[0])])
        notes += replaced + impossible_errors(of_metric[0], errors[at, known], of_metric[1], about=about)
        notes += mixed_scales(of_metric[0], errors[at, known], of_metric[1], about=about)
    ranges = ranges_of_scores(metrics, means)
    return SystemMeans(
        metrics=tuple(metrics),
        systems=tuple(names),
        means=means,
        errors=errors,
        n=n,
        higher_is_better=_directions(ranges, higher_is_better),
        read_as=f"means with standard errors: {_said(columns, [name for name in columns.sizes if name in sizes.used])}",
        notes=(*left_out, *summaries, *notes, *_notes_on_directions(ranges, higher_is_better)),
    )


def _notes_on_shares(pairs: Sequence[MeanColumn]) -> list[str]:
    """Say which standard errors counts make."""
    made = [f"{pair.mean!r} with {_said_of_errors(pair)}" for pair in pairs if pair.kind in {"share", "odds"}]
    return [f"{first_few(made)}: √(p (1 - p) / n), as of right and wrong answers"] if made else []


def _notes_on_gaps(systems: Sequence[str], under: str) -> list[str]:
    return [f"left out{under} systems without a mean or its error: {first_few(systems)}"] if systems else []


def _at_said_level(frame: pd.DataFrame, columns: MeansColumns) -> MeansColumns:
    """Return the columns with the confidence that a column of its own says of all intervals: 68, or 0.68."""
    name = next((name for name in columns.others if word_of(name) in BOARD["level"]), None)
    if name is None:
        return columns
    levels = {float(level) / (100 if level > 1 else 1) for level in _numbers_of(frame[name]).tolist()}
    if len(levels) != 1 or not 0 < (level := levels.pop()) < 1:
        raise ScoresError(
            f"column {name!r} says the confidence of intervals, which must be one number from 0 to 1, or 100; give a "
            "file for each, or leave the column out"
        )
    pairs = [pair._replace(level=level) if pair.kind in {"bounds", "half"} else pair for pair in columns.pairs]
    others = tuple(other for other in columns.others if other != name)
    return columns._replace(pairs=tuple(pairs), others=others)


def _with_signs(frame: pd.DataFrame, columns: MeansColumns) -> pd.DataFrame:
    """Return a frame whose distances below means, which names such as CI- say, are below 0."""
    for pair in (pair for pair in columns.pairs if pair.kind == "bounds" and are_signed(pair.errors)):
        mean, low, high = (_numbers_of(frame[name]) for name in (pair.mean, *pair.errors))
        if (low >= 0).all() and (high >= 0).all() and not ((low <= mean) & (mean <= high)).all():
            frame = frame.assign(**{pair.errors[0]: -low, pair.errors[1]: high})
    return frame


def _refuse_broken_intervals(frame: pd.DataFrame, columns: Iterable[str]) -> None:
    """Refuse a column called as an error of which only some cells are intervals, as `with_bound_columns` takes them."""
    for name in columns:
        if role_of_name(name)[0] in ERRORS:
            intervals = {str(cell).strip(): _interval(cell) for cell in frame[name].tolist()}
            wrong = next((text for text, two in intervals.items() if two is None), None)
            if wrong is not None and any(intervals.values()):
                message = f"{name!r} holds intervals, and {shortened(wrong)!r} is none"
                raise ScoresError(f"{message}; write it as [0.7, 0.8], or leave the system out")


def _refuse_bounds_as_widths(frame: pd.DataFrame, columns: MeansColumns) -> None:
    """Refuse half widths that are about as large as the means themselves, or enclose them with others, as bounds do."""
    told = {name: role_of_name(name)[0] for name in columns.others}
    others = [name for name, role in told.items() if role in {*ERRORS, *BOUNDS}]
    for pair in (pair for pair in columns.pairs if pair.kind in {"half", "error"}):
        mean, error, *rest = (_numbers_of(frame[name]) for name in (pair.mean, *pair.errors, *others))
        near = len(mean) > 1 and mean.any() and bool((np.abs(error - mean) <= _NEAR * np.abs(mean)).all())
        ends = (error, *(numbers for numbers in rest if (np.sign(error - mean) * (numbers - mean) <= 0).all()))
        if near or (len(ends) > 1 and pair.kind == "half" and (np.ptp(np.sign(error - mean)) == 0)):
            raise ScoresError(
                f"{pair.errors[0]!r} holds numbers about {pair.mean!r} itself, as bounds of intervals do; rename the "
                f"two bounds to {pair.mean + '_low'!r} and {pair.mean + '_high'!r}, or write errors on the scale of "
                "the means"
            )


def _numbers_of(cells: pd.Series) -> Floats:
    return np.asarray(pd.to_numeric(cells, errors="coerce"), dtype=np.float64)


def _said(columns: MeansColumns, sizes: Sequence[str]) -> str:
    pairs = first_few([f"{pair.mean!r} with {_said_of_errors(pair)}" for pair in columns.pairs])
    return f"systems in {columns.system!r}, {pairs}" + (f", n in {first_few(sizes, write=repr)}" if sizes else "")


def _said_of_errors(pair: MeanColumn) -> str:
    names = " and ".join(map(repr, pair.errors))
    level = f"{100 * pair.level:g} %"
    return {
        "half": f"{names} (half of {level} intervals)",
        "bounds": f"{level} bounds {names}",
        "share": f"the error of a share, {' of '.join(map(repr, pair.errors))}",
        "odds": f"the error of a share, {' beside '.join(map(repr, pair.errors))}",
        "sd": f"{names} (standard deviations)",
    }.get(pair.kind, names)


def _rows(
    frame: pd.DataFrame, columns: MeansColumns, sizes: _Sizes, *, drop_gaps: bool
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return mean, error and number of items by metric and system; all NaN for a gap that is to be dropped."""
    estimates: dict[tuple[str, str], tuple[float, float, float]] = {}
    for position in range(len(frame)):
        row = {str(name): cell for name, cell in zip(frame.columns, frame.iloc[position].tolist(), strict=True)}
        system = clean_name(row[columns.system], "system")
        task = "" if columns.task is None else f"{clean_name(row[columns.task], 'task')} "
        for pair in columns.pairs:
            metric = clean_name(row[str(columns.metric)], "metric") if pair.metric is None else pair.metric
            size = sizes.column(pair.mean, metric, task.strip())
            metric = task.strip() if task and metric == UNNAMED_METRIC else task + metric
            where = f"of system {system!r} under {metric!r}"
            if (metric, system) in estimates:
                raise ScoresError(
                    f"there are two means {where}, the second in row {position}; "
                    f"{_way_to_one(frame, columns, position)}"
                )
            if drop_gaps and any(_is_gap(row[name]) for name in (pair.mean, *pair.errors)):
                estimates[metric, system] = _UNKNOWN
                continue
            n_items = np.nan if size is None else _n_items(row[size], where)
            if pair.kind == "odds":
                n_items = sum(_number(row[name], f"a count {where}") for name in pair.errors)
            mean = _number(row[pair.mean], f"the mean {where}")
            if pair.kind == "sd" and size is None:
                raise ScoresError(_without_size(pair, sizes))
            error = _error(pair, [row[name] for name in pair.errors], mean, n_items, where)
            estimates[metric, system] = (mean, error, n_items)
            if error < 0:
                raise ScoresError(f"the standard error {where} is {error:g}; it must be 0 or more")
    return estimates


def _way_to_one(frame: pd.DataFrame, columns: MeansColumns, place: int) -> str:
    """Say which column may name items, or what to keep one of: the rows of a system differ in it, and others share."""
    rows = frame[frame[columns.system].astype(str).str.strip() == str(frame[columns.system].iloc[place]).strip()]
    shared = (name for name in columns.others if frame[name].astype(str).nunique() < len(frame))
    apart = next((name for name in shared if rows[name].astype(str).nunique() == len(rows)), None)
    if apart is None:
        return "keep one"
    items = f"if {apart!r} names items, call it 'item' (`columns={ {'topic': apart}!r}` for a file)"
    where = f"`where={ {apart: str(rows[apart].iloc[0]).strip()}!r}` for a file"
    return f"{items}, else keep the rows of one {apart!r} ({where})"


def _error(pair: MeanColumn, cells: Sequence[object], mean: float, n_items: float, where: str) -> float:
    """Return the standard error that the columns of a pair tell."""
    if pair.kind == "unsure":
        raise ScoresError(
            f"{pair.errors[0]!r} may hold standard errors or half the widths of intervals; rename it to "
            f"{pair.mean + '_stderr'!r} or {pair.mean + '_ci95'!r}"
        )
    quantity = {"error": "the standard error", "bounds": "a bound of the interval"}.get(pair.kind, "the error")
    numbers = [_number(cell, f"{quantity} {where}") for cell in cells]
    width = NORMAL_97_5 if pair.level == _LEVEL else float(_normal_quantile((1 + pair.level) / 2))
    if pair.kind in {"share", "odds"}:
        share = numbers[0] / n_items
        scale = min(SCALES, key=lambda scale: abs(scale * share - mean))
        return scale * float(errors_of_shares(np.array(share), np.array(n_items)))
    if pair.kind == "bounds":
        low, high = numbers
        if not (low <= mean <= high or low <= 0 <= high):
            raise ScoresError(f"the bounds {where}, {low:g} and {high:g}, do not hold its mean, {mean:g}; repair them")
        return (high - low) / (2 * width)
    spread = np.sqrt(max(numbers[0], 0)) if _holds_variances(pair) else numbers[0]
    return {"half": numbers[0] / width, "sd": spread / np.sqrt(n_items)}.get(pair.kind, numbers[0])


def _without_size(pair: MeanColumn, sizes: _Sizes) -> str:
    """Say what standard deviations lack without the one number of items that makes errors of them."""
    kind = "variances" if _holds_variances(pair) else "standard deviations"
    holds = f"{pair.errors[0]!r} holds {kind}, which make standard errors only with the number of items"
    if sizes.open:
        return f"{holds}, and {first_few(sizes.open, write=repr)} could be it; rename the one that is to 'n'"
    called = "n" if len(sizes.named) < _FEWEST else f"{pair.mean}_n"
    return f"{holds}; add a column {called}, or rename it to {pair.mean + '_stderr'!r} if it holds these"


def _holds_variances(pair: MeanColumn) -> bool:
    return not {"var", "variance", "varianz"}.isdisjoint(word_of(pair.errors[0]).split("_"))


def _normal_quantile(level: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415 - rarely needed

    return float(ndtri(level))


def _is_gap(cell: object) -> bool:
    return str(cell).strip().casefold() in SCORE_GAPS


def _number(cell: object, what: str) -> float:
    try:
        number = as_number(cell)
    except (TypeError, ValueError) as problem:
        raise ScoresError(f"{what} is {shortened(repr(cell))}, which {problem}") from problem
    if not np.isfinite(number):
        raise ScoresError(f"{what} is {number:g}, and should be a finite number; give it, or leave the system out")
    return number


def _n_items(cell: object, where: str) -> float:
    size = _number(cell, f"the number of items {where}")
    if size < _FEWEST or size != round(size):
        raise ScoresError(f"the number of items {where} is {size:g}; a standard error needs two items or more")
    return size


def _directions(metrics: Mapping[str, tuple[float, float]], asked: bool | Mapping[str, bool] | None) -> Flags:  # noqa: FBT001 - as asked
    """Return whether higher is better, by metric and its lowest and highest mean."""
    if asked is None:
        asked = {}
    if isinstance(asked, bool | np.bool_):
        return np.full(len(metrics), bool(asked))
    if not isinstance(asked, Mapping) or not all(
        isinstance(direction, bool | np.bool_) for direction in asked.values()
    ):
        raise refused("higher_is_better", f"must be True, False or a mapping from metric to them, not {asked!r}", asked)
    for name in asked:
        if name not in metrics:
            raise UnknownNameError("metric", str(name), metrics)
    return np.array([bool(asked.get(name, rises_by_name(_measure_in(name), *metrics[name]))) for name in metrics])


def _notes_on_directions(
    metrics: Mapping[str, tuple[float, float]],
    asked: bool | Mapping[str, bool] | None,  # noqa: FBT001 - as asked
) -> list[str]:
    told = metrics if isinstance(asked, bool | np.bool_) else asked or {}
    ranges = {name: seen for name, seen in metrics.items() if name not in told}
    return notes_on_directions(ranges, measures={name: _measure_in(name) for name in ranges})


def _measure_in(name: str) -> str:
    """Return what tells the direction of a metric that may be one of a task: newstest WER."""
    return name.rpartition(" ")[2] if rises_by_name(name) else name


def _of_parts(means: object, errors: object, n: object, systems: Sequence[str] | None) -> pd.DataFrame:
    """Return the means of one metric, their errors and numbers of items as a frame."""
    parts = {"mean": _by_name(means, "means", systems), "stderr": _by_name(errors, "errors", systems)}
    names = list(parts["mean"])
    if n is not None:
        alike = not isinstance(n, Mapping | pd.Series) and np.ndim(n) == 0  # type: ignore[arg-type]  # whatever it is
        parts["n"] = dict.fromkeys(names, n) if alike else _by_name(n, "n", systems)
    for field, by_system in parts.items():
        if set(by_system) != set(names):
            apart = first_few(sorted(map(str, set(by_system) ^ set(names))))
            raise InvalidOptionError(f"means and {field} must be of the same systems; only one of them has {apart}")
    columns = {field: [by_system[name] for name in names] for field, by_system in parts.items()}
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
