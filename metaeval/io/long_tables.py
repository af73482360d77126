"""Long tables: a row a score, a row a system and topic, or what trec_eval and ir_measures print."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.base.columns import ITEM_WORDS, column_roles, underscored
from metaeval.base.names import first_double, first_few, is_measure, merge_labels, shortened
from metaeval.errors import ScoresError
from metaeval.io.blocks import (
    BadCellError,
    Block,
    TableOptions,
    left_out_note,
    place_of,
    ragged,
    to_numbers,
    unique_names,
    ways_to_name,
)
from metaeval.io.sheets import Sheet, header_names
from metaeval.io.sources import Source
from metaeval.table.array import ATTACHED, DIMS, REPEAT, dims_of, first_repeat, place_rows
from metaeval.table.plausibility import are_summaries
from metaeval.table.scores import Missing

RESULT_CELLS = 3
"""Columns that trec_eval -q and ir_measures -q print."""
TREC_TEXTS = frozenset({"runid", "relstring"})
"""What trec_eval prints between its measures that is no number."""
_TREC_COUNTS = frozenset({"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"})


class _Codes(dict[str, int]):
    """Numbers for names, given out in order of appearance."""

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


def read_long(sheet: Sheet, source: Source, options: TableOptions) -> Block:
    """Read a table with a row a score, or a row a system and topic and a column a metric."""
    if options.positions:
        if not {"topic", "score"} <= options.positions.keys():
            raise sheet.error(f"`columns` counts columns, but not those of topic and score: {dict(options.columns)}")
        return _read_rows(sheet, source, options, options.positions, [])
    body = sheet.without_header()
    names = _names_over(body, header_names(sheet.sample()[0]))
    for column in [*options.chosen.values(), *options.ignored]:
        place_of(column, names, sheet)
    parts, others = column_roles(names, chosen=options.chosen, ignored=options.ignored)
    place = {name: at for at, name in enumerate(names) if name}
    places = {part: place[column] for part, column in parts.items()}
    one_system = "topic" in parts and hold_metrics(others)
    if (
        "topic" not in parts
        or not (parts.keys() & {"system", "metric"} or one_system)
        or not ("score" in parts or others)
    ):
        raise sheet.error(f"a long table needs columns for topic and score, system or metric; {ways_to_name(names)}")
    if "score" in parts and others:
        message = f"unknown column{'s' * (len(others) > 1)} {first_few(list(map(repr, others)))}; {ways_to_name(names)}"
        raise sheet.error(message)
    if "score" not in parts and "metric" in parts:
        raise sheet.error(f"there is a column for the metric and none for the score; {ways_to_name(names)}")
    block = _read_rows(body, source, options, places, [(name, place[name]) for name in others])
    return replace(block, of_items=underscored(parts["topic"].strip()) in ITEM_WORDS)


def hold_metrics(columns: Sequence[str]) -> bool:
    """Whether all columns are called like metrics, so that a table with topics is of one system."""
    return bool(columns) and all(map(is_measure, columns))


def _names_over(body: Sheet, names: list[str]) -> list[str]:
    """Check the names in the header against the first row below it."""
    first = next(body.rows(), None)
    if first is None:
        raise body.error("the table has a header and no rows; it needs a row for every score")
    repeated = first_double(name for name in names if name)
    if repeated is not None:
        raise body.error(f"two columns are called {repeated!r}; names must be unique")
    if len(first) == len(names) + 1:
        # a delimiter at the end of every row, or names of rows as R writes them
        return ["", *names] if first[-1].strip() else [*names, ""]
    if len(first) != len(names):
        raise body.error(ragged(first, len(names), body), 0)
    return names


def read_results(sheet: Sheet, source: Source, options: TableOptions, *, metric: int, topic: int) -> Block:
    """Read what trec_eval or ir_measures prints for one system: columns `metric`, `topic` and a value.

    The system has the name given, else its run tag (trec_eval's ``runid``), else the file's name.
    """
    tags: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for position, cells in enumerate(sheet.rows()):
        name = cells[metric].strip() if len(cells) > metric else ""
        if name == "runid" and len(cells) == RESULT_CELLS:
            tags[cells[2].strip()] = None
        elif name in _TREC_COUNTS or name in TREC_TEXTS:
            left_out[name] = None
        elif any(map(str.strip, cells[RESULT_CELLS:])):
            message = f"a row of {len(cells)} cells; results have {RESULT_CELLS}: a measure, a topic and a value"
            raise sheet.error(message, position)
    if len(tags) > 1:
        raise sheet.error(f"results of several runs ({first_few(list(tags))}) in one file; give every run its own file")
    skipped = _TREC_COUNTS | TREC_TEXTS
    body = sheet.only(lambda cells: len(cells) <= metric or cells[metric].strip() not in skipped)
    tag = next(iter(tags), None) if source.name is None else None
    block = _read_rows(body, source, options, {"metric": metric, "topic": topic, "score": 2}, [], system=tag)
    note = [f"left out counts and texts ({', '.join(left_out)})"] if left_out else []
    return replace(block, notes=[*note, *block.notes], tag=tag)


def _read_rows(  # noqa: PLR0913, PLR0917 - the parts of a long table
    body: Sheet,
    source: Source,
    options: TableOptions,
    places: Mapping[str, int],
    metrics: Sequence[tuple[str, int]],
    system: str | None = None,
) -> Block:
    """Lay out a long table: one score a row (`places` holds "score"), or one metric a column (`metrics`)."""
    if source.name is not None and "system" in places and ("metric" in places or metrics):
        raise body.error(
            f"the file names its systems and metrics itself, so {source.name!r} has nothing to name; give the path"
        )
    constants = {"metric": source.own_name, "system": system or source.own_name}
    score_columns = list(metrics) or [("score", places["score"])]
    codes, names, numbers = _columns_of(body, places, score_columns, options)
    labels: dict[str, list[str]] = {}
    for dim in DIMS:
        if dim in places:
            codes[dim], labels[dim] = _labels_of(codes[dim], list(names[dim]), dim, body)
        elif dim != "metric" or not metrics:
            codes[dim], labels[dim] = np.zeros(len(numbers), dtype=np.int64), [constants[dim]]
    if REPEAT in places:
        codes[REPEAT], labels[REPEAT] = _labels_of(codes[REPEAT], list(names[REPEAT]), REPEAT, body)
    rows, notes = _rows_of_topics(codes["topic"], labels["topic"], body)
    attached = {
        part: _one_each(part, dim, codes, labels[dim], list(names[part]), body)
        for part, dim in ATTACHED.items()
        if part in places and dim in labels
    }
    _refuse_averaged_systems(codes["system"], labels["system"], rows, body)
    codes = {dim: codes[dim][rows] for dim in labels}
    for dim in labels:
        present, codes[dim] = np.unique(codes[dim], return_inverse=True)
        labels[dim] = [labels[dim][code] for code in present]
    if metrics:
        codes = {dim: np.repeat(code, len(metrics)) for dim, code in codes.items()}
        codes["metric"] = np.tile(np.arange(len(metrics)), len(rows))
        labels["metric"] = unique_names([name for name, _ in metrics], "metric", body)
    scores = _laid_out(codes, labels, numbers[rows].ravel(), body, np.repeat(rows, max(len(metrics), 1)))
    return Block(label=source.path, scores=scores, labels=labels, notes=notes, attached=attached)


def _columns_of(
    body: Sheet, places: Mapping[str, int], score_columns: Sequence[tuple[str, int]], options: TableOptions
) -> tuple[dict[str, NDArray[np.int64]], dict[str, _Codes], NDArray[np.float64]]:
    """Read the columns in one pass: codes and names of those that name something, numbers of those with scores."""
    names = {part: _Codes() for part in places if part != "score"}
    codes: dict[str, list[NDArray[np.int64]]] = {part: [] for part in names}
    numbers: list[NDArray[np.float64]] = []
    start, width = 0, len(next(body.rows(), []))
    if width <= max([*places.values(), *(place for _, place in score_columns)]):
        raise body.error(f"rows have {width} cells; there must be one for each of {', '.join(places)}")
    for chunk in body.chunks():
        position = next((at for at, cells in enumerate(chunk) if len(cells) != width), None)
        if position is not None:
            raise body.error(ragged(chunk[position], width, body), start + position)
        columns = list(zip(*chunk, strict=True))
        for part, known in names.items():
            codes[part].append(np.fromiter(map(known.__getitem__, columns[places[part]]), np.int64, len(chunk)))
        options.check_systems(len(names.get("system", ())), more=True)
        numbers.append(_numbers_in(columns, score_columns, places, body, start, options.missing))
        start += len(chunk)
    return {part: np.concatenate(pieces) for part, pieces in codes.items()}, names, np.concatenate(numbers)


def _numbers_in(  # noqa: PLR0913, PLR0917 - what a message needs
    columns: Sequence[Sequence[str]],
    score_columns: Sequence[tuple[str, int]],
    places: Mapping[str, int],
    body: Sheet,
    start: int,
    missing: Missing,
) -> NDArray[np.float64]:
    """Read the score columns of some rows as numbers, shape (row, column)."""
    n_rows, by_row = len(columns[0]), len(score_columns) > len(columns[0])  # the longer way is the faster one
    numbers = np.empty((n_rows, len(score_columns)))
    for at in range(n_rows if by_row else len(score_columns)):
        cells = [columns[place][at] for _, place in score_columns] if by_row else columns[score_columns[at][1]]
        try:
            numbers[at if by_row else slice(None), slice(None) if by_row else at] = to_numbers(cells, missing)
        except BadCellError as error:
            row, column = (at, error.place) if by_row else (error.place, at)
            about = ", ".join(f"{dim} {shortened(columns[places[dim]][row])!r}" for dim in DIMS if dim in places)
            raise body.error(f"{score_columns[column][0]!r} of {about}: {error.rule}", start + row) from None
    return numbers


def _labels_of(
    codes: NDArray[np.int64], names: Sequence[str], dim: str, body: Sheet
) -> tuple[NDArray[np.int64], list[str]]:
    for code, name in enumerate(names):
        try:
            merge_labels(codes[:0], [name], dim)
        except ScoresError as error:
            raise body.error(str(error), int(np.flatnonzero(codes == code)[0])) from error
    return merge_labels(codes, names, dim)


def _rows_of_topics(codes: NDArray[np.int64], names: Sequence[str], body: Sheet) -> tuple[NDArray[np.int64], list[str]]:
    """Return the rows that are about one topic, not an average, and what was left out."""
    summaries = are_summaries(names)
    left_out = [name for name, summary in zip(names, summaries, strict=True) if summary]
    real = ~np.array(summaries, dtype=bool)
    rows = np.flatnonzero(real[codes])
    if not len(rows):
        message = f"only averages ({', '.join(names)}) and no topic; write the scores of every topic (option -q)"
        raise body.error(message)
    return rows, left_out_note(left_out)


def _refuse_averaged_systems(
    codes: NDArray[np.int64], names: Sequence[str], rows: NDArray[np.int64], body: Sheet
) -> None:
    """Refuse a system that would go with its averages; a metric may (trec_eval has only means of some)."""
    averaged = np.ones(len(names), dtype=bool)
    averaged[codes[rows]] = False
    if averaged.any():
        system = int(np.argmax(averaged))
        message = (
            f"system {names[system]!r} has only averages and no topic; write those of every topic, or leave it out"
        )
        raise body.error(message, int(np.argmax(codes == system)))


def _one_each(  # noqa: PLR0913, PLR0917 - what a message needs
    part: str,
    dim: str,
    codes: Mapping[str, NDArray[np.int64]],
    labels: Sequence[str],
    names: Sequence[str],
    body: Sheet,
) -> dict[str, str]:
    """Return what a column says of every system (its group) or metric (its direction), once for each."""
    places = _Codes()
    merged = np.array([places[name.strip()] for name in names], dtype=np.int64)
    names = list(places)
    said = codes[dim] * len(names) + merged[codes[part]]
    pairs, first = np.unique(said, return_index=True)
    owners = pairs // len(names)
    again = np.flatnonzero(np.diff(owners) == 0)
    if len(again):
        both = [names[pair % len(names)] for pair in pairs[again[0] : again[0] + 2]]
        message = f"{dim} {labels[owners[again[0]]]!r} has more than one {part}: {both[0]!r} and {both[1]!r}; keep one"
        raise body.error(message, int(first[again[0] : again[0] + 2].max()))
    return {labels[owner]: names[pair % len(names)] for owner, pair in zip(owners, pairs, strict=True)}


def _laid_out(
    codes: Mapping[str, NDArray[np.int64]],
    labels: Mapping[str, Sequence[str]],
    numbers: NDArray[np.float64],
    body: Sheet,
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    cells = place_rows(codes, labels)
    repeat = first_repeat(cells)
    if repeat is not None:
        later, earlier = int(rows[repeat[0]]), int(rows[repeat[1]])
        metric, system, topic, *again = (labels[dim][codes[dim][repeat[0]]] for dim in dims_of(labels))
        before = f"on line {body.row(earlier)[0]}" if body.has_lines else f"in row {earlier + 1}"
        about = f"topic {topic!r}" + "".join(f", repeat {name!r}," for name in again)
        message = f"system {system!r} has a score on {about} under {metric!r} {before} already; keep one of them"
        raise body.error(message, later)
    shape = [len(labels[dim]) for dim in dims_of(labels)]
    scores = np.full(math.prod(shape), np.nan)
    scores[cells] = numbers
    return scores.reshape(shape)
