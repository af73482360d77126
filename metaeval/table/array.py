"""Rows of scores laid out as metric x system x topic: which cell each takes, and what numbers and names may be.

Where a system was scored several times on a topic there is a fourth dimension, repeat.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.names import (
    LONGEST_NAME,
    as_number,
    clean_name,
    first_double,
    is_number,
    loses_digits,
    merge_labels,
    natural_order,
    shortened,
)
from metaeval.base.number_words import of_thousands, other_spelling, point_between_thousands
from metaeval.errors import ScoresError
from metaeval.table.roles import role_of_name, tells_sizes, ways_to_sizes
from metaeval.table.runs import no_runs

DIMS = ("metric", "system", "topic")
REPEAT = "repeat"
"""The dimension behind them where a system was scored several times on a topic: epochs, seeds, trials."""
UNNAMED_METRIC = "metric1"
"""What a metric without a name is called."""
METRICS_OF_FILES = "metrics_of_files"
"""The attribute with the metrics that are called as their files, while scores are read."""
ATTACHED = {"group": "system", "higher_is_better": "metric", "cluster": "topic", "stratum": "topic", "weight": "topic"}
"""What may be said of every system, metric or topic beside its name, each with the dimension that it lies along."""
_LARGE = 10_000_000
_SPARSE = 50
_ROWS = 1 << 22
_RIGHT = frozenset({"yes", "y", "true", "t", "correct", "right", "pass", "passed", "success", "ja", "oui", "sí", "si"})
"""Words for an item that was done right, beside one other word."""


class Codes(dict[str, int]):
    """Numbers for names, given out in order of appearance."""

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


class ScoreTable(NamedTuple):
    """What was recognised, before anything is checked but its names; `dims_of` tells the dims of the scores."""

    scores: Floats
    labels: dict[str, list[str]]
    coordinates: dict[str, tuple[str, NDArray[Any]]]
    attributes: dict[str, Any]


def dims_of(labels: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the dimensions of scores that have these labels.

    Examples
    --------
    >>> dims_of({"metric": ["AP"], "system": ["a", "b"], "topic": ["1", "2"], "repeat": ["1"]})[-1]
    'repeat'
    """
    return (*DIMS, REPEAT) if REPEAT in labels else DIMS


def distinct_names(names: Iterable[object], what: str) -> list[str]:
    """Return names as text, each once; see `clean_name`."""
    listed: list[Any] = list(names)
    cleaned: list[str] = listed if _plainly_clean(listed) else [clean_name(name, what) for name in listed]
    if len(set(cleaned)) < len(cleaned):
        several = ", or give scores again as a long frame with a column repeat" * (what == "topic")
        message = (
            f"{what} {first_double(cleaned)!r} appears twice; names must be unique: rename or leave out one{several}"
        )
        raise ScoresError(message)
    return cleaned


def _plainly_clean(names: list[Any]) -> bool:
    """Whether all are texts as `clean_name` leaves them, seen at once: a million names take a tenth of the time."""
    return (
        set(map(type, names)) == {str}
        and all(names)
        and max(map(len, names)) <= LONGEST_NAME
        and "".join(names).isprintable()
        and [*map(str.strip, names)] == names
    )


def table_of_rows(frame: pd.DataFrame, parts: Mapping[str, str], score_columns: Sequence[str]) -> ScoreTable:
    """Lay out rows: one score each, or one score per metric in several columns."""
    codes: dict[str, NDArray[np.integer]] = {}
    labels: dict[str, list[str]] = {}
    for dim in (*DIMS, REPEAT):
        if dim in parts:
            try:
                code, names = pd.factorize(frame[parts[dim]], use_na_sentinel=False)
            except TypeError:  # a list or a mapping among the names, which this refuses
                distinct_names(frame[parts[dim]].tolist(), dim)
                raise
            codes[dim], labels[dim] = merge_labels(code.astype(np.int64), names.tolist(), dim)
    n_rows, n_columns = len(frame), len(score_columns)
    if "metric" not in codes:
        codes = {dim: np.repeat(code, n_columns) for dim, code in codes.items()}
        codes["metric"] = np.tile(np.arange(n_columns, dtype=np.int64), n_rows)
        labels["metric"] = distinct_names(score_columns, "metric")
    if (repeat := first_repeat(codes, labels)) is not None:
        message = f"{_one_cell(codes, labels, repeat[0])} appears twice, in rows {repeat[1]} and {repeat[0]}; "
        raise ScoresError(message + _way_with_rows_again(frame, parts, score_columns))
    scores = [frame_numbers(frame[column], f"column {column!r}") for column in score_columns]
    table = ScoreTable(
        scores=laid_out(codes, labels, np.stack(scores, axis=1).ravel()),
        labels=labels,
        coordinates={
            field: (dim, _one_per_name(frame[parts[field]].repeat(n_columns), codes[dim], labels[dim], field, dim))
            for field, dim in ATTACHED.items()
            if field in parts and dim in codes
        },
        attributes={"notes": told} if REPEAT in parts and (told := no_runs(parts[REPEAT])) else {},
    )
    return topics_in_order(table)


def _way_with_rows_again(frame: pd.DataFrame, parts: Mapping[str, str], score_columns: Sequence[str]) -> str:
    """Say what to do with several rows on one cell: what distinguishes them, if a column does."""
    others = {name: frame[name].tolist() for name in frame.columns if name not in {*parts.values(), *score_columns}}
    keys = [frame[parts[dim]].tolist() for dim in (*DIMS, REPEAT) if dim in parts]
    told = told_apart_by(others, keys)
    if not told:
        return "keep one"
    columns = {name: frame[name].tolist() for name in (told[0], *parts.values())}
    return ways_to_tell_apart(str(told[0]), columns, parts)


def _one_cell(codes: Mapping[str, NDArray[np.integer]], labels: Mapping[str, Sequence[str]], row: int) -> str:
    metric, system, topic, *again = (labels[dim][codes[dim][row]] for dim in dims_of(labels))
    repeat = f", repeat {again[0]!r}" if again else ""
    return f"system {system!r} on topic {topic!r} under {metric!r}{repeat}"


def _one_per_name(
    column: pd.Series, codes: NDArray[np.integer], names: Sequence[str], part: str, dim: str
) -> NDArray[Any]:
    """Reduce a column that says the same on every row of a system (or metric, or topic) to one entry each."""
    values = column.astype(object).where(column.notna(), None).to_numpy()
    entries: list[Any] = [None] * len(names)
    pairs = dict.fromkeys(zip(codes.tolist(), values, strict=True))
    for code, said_of_it in pairs:
        entry = said_of_it.strip() if isinstance(said_of_it, str) else said_of_it
        if entries[code] is not None and entries[code] != entry:
            message = f"{dim} {names[code]!r} has more than one {part}: {entries[code]!r} and {entry!r}; keep one"
            raise ScoresError(message)
        entries[code] = entry
    return np.array(entries, dtype=object)


def topics_in_order(table: ScoreTable, order: Sequence[str] | None = None) -> ScoreTable:
    """Put the topics in natural order, or in the order given, so that the order of the rows is nothing."""
    names = table.labels["topic"]
    wanted = natural_order(names) if order is None else list(order)
    if wanted == names:
        return table
    index_of = {name: position for position, name in enumerate(names)}
    positions = [index_of[name] for name in wanted]
    return table._replace(
        scores=np.ascontiguousarray(table.scores[:, :, positions]),
        labels=table.labels | {"topic": wanted},
        coordinates={
            name: (dim, entries[positions] if dim == "topic" else entries)
            for name, (dim, entries) in table.coordinates.items()
        },
    )


def frame_numbers(column: pd.Series, where: str, row_word: str = "row") -> Floats:
    """Return a column as float64, its gaps as NaN."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind in "fb":
        return column.to_numpy(dtype=np.float64)
    if kind in "iu":
        return exact_floats(column.to_numpy(), where, row_word)
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
            raise ScoresError(
                f"{where} holds {shortened(repr(cell))} in {row_word} {row}, which {error}; scores must be numbers"
                f"{_as_right_or_wrong(cells) or _as_numbers(cell)}"
            ) from error
    if (pair := point_between_thousands([cell.strip() for cell in cells if isinstance(cell, str)])) is not None:
        raise ScoresError(f"{where} {of_thousands(*pair)}")
    return numbers


def held_numbers(column: pd.Series) -> pd.Series | None:
    """Return the numbers that a column of objects, texts, decimals or yes and no holds; None where it holds others.

    Examples
    --------
    >>> held_numbers(pd.Series(["0.5", None])).tolist(), held_numbers(pd.Series(["0.5", "good"]))
    ([0.5, nan], None)
    """
    try:
        numbers = frame_numbers(column, "column")
    except ScoresError:
        return None
    return None if np.isnan(numbers).all() else pd.Series(numbers, index=column.index)


def holds_numbers(column: pd.Series) -> bool:
    """Whether a column is one of numbers already; yes and no are none."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _as_numbers(cell: object) -> str:
    """Return how a column of such texts is made numbers; "" where a person must say it."""
    spelling = other_spelling(cell.strip()) if isinstance(cell, str) else None
    ways = {"comma": ".str.replace(',', '.')", "per cent": ".str.rstrip('% ')"}
    if spelling is not None:
        way = ways.get(spelling.kind, "")
        return way and f" (a column of such: frame[NAME]{way}.astype(float))"
    texts = ", or make gaps of such cells (pd.to_numeric(frame[NAME], errors='coerce'))"
    return f": write its score{texts}" if isinstance(cell, str) else ""


def _as_right_or_wrong(cells: Iterable[object]) -> str:
    """Return what to write where all cells are one of two words, in which order a reader has to say."""
    words = sorted({cell for cell in cells if isinstance(cell, str)})
    if len(words) != 2 or not all(isinstance(cell, str) for cell in cells):  # noqa: PLR2004 - right and wrong
        return ""
    right = next((word for word in words if word.casefold() in _RIGHT), "")
    meant = f" for {right!r}" if right else f" for the one of {words[0]!r} and {words[1]!r} that is right"
    return f", such as 1{meant} and 0 for the other"


def exact_floats(whole: NDArray[np.integer], where: str, row_word: str) -> Floats:
    """Turn whole numbers into floats, none of which may lose digits."""
    numbers = whole.astype(np.float64)
    for row in np.flatnonzero(np.abs(numbers) >= 2**53).tolist():  # beyond it, not every whole number is a float
        if loses_digits(int(whole[row]), float(numbers[row])):
            raise ScoresError(
                f"{where} holds {whole[row]} in {row_word} {row}, which has more digits than a score can hold (whole "
                "numbers up to 2**53 are exact); round it, or divide all by one number"
            )
    return numbers


def gaps_in(values: Floats) -> Flags:
    """Say where a system has no score on a topic, whatever the repeat: an array (metric, system, topic)."""
    gaps = np.isnan(values)
    return gaps.all(axis=-1) if gaps.ndim > len(DIMS) else gaps


def has_gaps(values: Floats) -> bool:
    """Say whether a number is missing, without an array of answers.

    Examples
    --------
    >>> has_gaps(np.array([0.0, np.nan])), has_gaps(np.array([0.0, np.inf]))
    (True, False)
    """
    return bool(np.isnan(values.min(initial=np.inf)))


def place_rows(
    codes: Mapping[str, NDArray[np.integer]], labels: Mapping[str, Sequence[str]], part: slice = slice(None)
) -> Ints:
    """Return the cell of every row in an array metric x system x topic (x repeat) laid out flat."""
    dims = dims_of(labels)
    return np.ravel_multi_index(tuple(codes[dim][part] for dim in dims), tuple(len(labels[dim]) for dim in dims))


def laid_out(codes: Mapping[str, NDArray[np.integer]], labels: Mapping[str, Sequence[str]], numbers: Floats) -> Floats:
    """Return scores laid out by their labels, each in its cell; NaN in those without one."""
    shape = [len(labels[dim]) for dim in dims_of(labels)]
    scores = np.full(math.prod(shape), np.nan)
    for rows in _parts(len(numbers)):
        scores[place_rows(codes, labels, rows)] = numbers[rows]
    return scores.reshape(shape)


def _parts(n_rows: int) -> list[slice]:
    """Return the rows in parts, whose cells take little memory."""
    return [slice(start, start + _ROWS) for start in range(0, n_rows, _ROWS)]


def refuse_sliver(shape: Sequence[int], n_scores: int, advice: str) -> None:
    """Refuse an array metric x system x topic (x repeat) of which so many scores could fill only a sliver."""
    if math.prod(shape) > max(_LARGE, _SPARSE * n_scores):
        sizes = " x ".join(f"{size} {dim}s" for size, dim in zip(shape, (*DIMS, REPEAT), strict=False))
        raise ScoresError(f"{n_scores} scores cannot fill {sizes}; {advice}")


def first_repeat(
    codes: Mapping[str, NDArray[np.integer]], labels: Mapping[str, Sequence[str]]
) -> tuple[int, int] | None:
    """Return the first row whose cell was taken before, and the row that took it; None if no cell appears twice.

    Cells of which so few rows could fill only a sliver are refused.

    Examples
    --------
    >>> code = np.zeros(4, dtype=np.int64)
    >>> codes = {"metric": code, "system": code, "topic": np.array([1, 0, 0, 1])}
    >>> first_repeat(codes, {"metric": ["AP"], "system": ["a"], "topic": ["1", "2"]})
    (2, 1)
    """
    shape = [len(labels[dim]) for dim in dims_of(labels)]
    refuse_sliver(shape, len(codes["topic"]), "check which column is which")
    taken = np.zeros(math.prod(shape), dtype=bool)
    for rows in _parts(len(codes["topic"])):
        taken[place_rows(codes, labels, rows)] = True
    if np.count_nonzero(taken) == len(codes["topic"]):
        return None
    cells = place_rows(codes, labels)
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[order]) == 0)
    where = again[np.argmin(order[again + 1])]
    return int(order[where + 1]), int(order[where])


def told_apart_by(columns: Mapping[str, Sequence[object]], keys: Sequence[Sequence[object]]) -> list[str]:
    """Return the columns that say other things in every two rows whose keys are the same.

    Examples
    --------
    >>> told_apart_by({"seed": [1, 2, 1], "site": [1, 1, 2]}, [["a", "a", "b"]])
    ['seed']
    """
    same = pd.DataFrame({at: pd.factorize(np.asarray(key, dtype=object))[0] for at, key in enumerate(keys)})
    codes = {name: pd.factorize(np.asarray(cells, dtype=object))[0] for name, cells in columns.items()}
    return [name for name, code in codes.items() if not same.assign(told=code).duplicated().any()]


def part_of_item(name: str, item: str) -> str:
    """Say what to do with a column that is part of what another names."""
    joined = f"frame[{item!r}].astype(str) + ' ' + frame[{name!r}].astype(str)"
    both = f"frame.assign({item}={joined})" if item.isidentifier() else f"frame.assign(**{{{item!r}: {joined}}})"
    return f"if it is part of what {item!r} names, write both into one column ({both})"


def ways_to_tell_apart(name: str, columns: Mapping[str, Sequence[object]], parts: Mapping[str, str]) -> str:
    """Say what a column may be that distinguishes rows on one system and item: repeats of it, or part of the item."""
    item, texts = parts["topic"], [*map(str, columns[name])]
    if "system" in parts and tells_sizes(name, texts):
        of_both = {column: [*map(str, columns[column])] for column in (name, parts["system"])}
        return f"column {name!r} distinguishes them; {ways_to_sizes(name, parts, of_both, in_memory=True)}"
    part = part_of_item(name, item)
    values = {*texts}
    if len(values) == len(texts):
        return f"column {name!r} distinguishes them; {part}, and if they are repeats, number them in a column 'repeat'"
    repeat = f"if it numbers repeats, call it 'repeat' (frame.rename(columns={ {name: 'repeat'}!r}))"
    words = not any(map(is_number, values)) and role_of_name(name)[0] not in {"seed", "version"}
    return f"column {name!r} distinguishes them; " + "; ".join([part, repeat] if words else [repeat, part])
