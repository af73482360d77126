"""Wide tables: a header of systems and a row a topic, or the other way round; one metric a file."""

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress, islice
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from metaeval.base.columns import HUMANS, JUDGES, LABELS, are_judges, underscored
from metaeval.base.names import (
    are_models,
    computed_metrics,
    first_double,
    first_few,
    is_measure,
    is_number,
    is_word,
    metric_evidence,
    shortened,
    topic_evidence,
)
from metaeval.base.notes import Remark
from metaeval.base.number_words import SCORE_GAPS
from metaeval.base.unit import TOPIC, speaking_of
from metaeval.io import blocks, headers
from metaeval.io.corpus_means import size_column
from metaeval.io.duplicates import each_once
from metaeval.io.joined_items import PROMPTED
from metaeval.io.long_columns import system_beside_roles
from metaeval.io.sheets import Sheet, header_names
from metaeval.io.sources import Source
from metaeval.table.array import ATTACHED, REPEAT, dims_of
from metaeval.table.folds import note_of_folds
from metaeval.table.interval_names import numbered_form
from metaeval.table.means import renaming
from metaeval.table.number_columns import FALLS, left_out_columns, not_scores, unsure_columns
from metaeval.table.offered_clusters import columns_of_group_numbers, offered_clusters, taken_clusters
from metaeval.table.outcome_counts import outcomes, refusal_of_outcomes
from metaeval.table.plausibility import are_summaries, left_out_rows, perhaps_items
from metaeval.table.roles import (
    AVERAGES,
    ERRORS,
    OF_SETS,
    REMARKS,
    TEXTS,
    WHOLE,
    RoleColumn,
    are_measures,
    bare_word,
    column_roles,
    is_subtotal,
    is_whole,
    item_column,
    numbers_runs,
    part_of_word,
    rises_by_name,
    role_of_name,
    role_of_row,
    says_of,
    unit_of_column,
    word_of,
)
from metaeval.table.runs import no_runs
from metaeval.table.wide import are_surely_crossed, surely_topics, systems_by_metrics

_SHOWN = 5
_SURE = 2
"""`metric_evidence` of names that are those of metrics."""
_FEWEST, _FAR_FEWER = 2, 3
_MOST_OF_F = 5
"""So many columns may be called F1, F2, and so on as measures; more are questions."""
_FEW_ROWS = 20
"""Fewer rows than these may be systems as well as topics."""
_MOST_ROWS, _ROUNDED = 5, 1e-3
_OF_PATTERNS = re.compile(r"[][\\.*^$+?(){}|/]")
"""What means something else in a filter."""
_NAMELESS = frozenset({"rank", "cost", "time", "n", "test"})
"""Roles of first columns that name no rows."""
_MOST_JUDGES = 5
_OF_ITEMS = frozenset({"id", "n", "time", "aggregate", "size", "part"})
"""Roles of what is said of items."""
_OF_TEXTS = frozenset(part for name in TEXTS for part in name.split("_"))
"""Words for what was asked and answered: such answers may be numbers too."""
_SCALES = (1.0, 100.0)
"""Where scores end: whole numbers beyond can be none of them."""
_NEEDED = "whether a difference is more than luck only the scores of every topic tell: give a table of those"

_WHOLE_ENDS = tuple(f"_{word}" for word in WHOLE)
"""How names of one score of a system end: LC Win Rate."""

type _Names = tuple[list[str] | None, list[str] | None]
type _Left = tuple[Sequence[str], Sequence[str]]


def read_wide(sheet: Sheet, source: Source, options: blocks.TableOptions) -> blocks.FileBlock:
    """Read a table of systems by topics; the metric is named after the file."""
    first = next(sheet.rows())
    has_header = _has_header(first, sheet, options)
    if has_header and _names_systems(header_names(first), options):
        options.check_systems(len(first) - 1)  # a column may name the topics
    rows = _WideRows.of(sheet.without_header(), header_names(first)) if has_header else _WideRows.of(sheet, [])
    names, body = rows.names, rows.body
    transposed = _has_systems_in_rows(rows, sheet, options)
    name_column = _identifiers(rows, sheet, options, transposed=transposed)
    _refuse_labels(rows, name_column, options)
    topic_columns = {} if transposed else _said_of_topics(rows, sheet, options)
    run_column = _run_column(rows, name_column, topic_columns.values(), options)
    left_out = {headers.place_of(column, names, sheet) for column in options.ignored} | {
        name_column,
        run_column,
        *topic_columns.values(),
    }
    used, empty, words = _columns_used(rows, left_out, name_column, transposed=transposed)
    if name_column is None:
        _refuse_hollow_line(body, sheet)
    down = None if name_column is None else _names_of_rows(rows, name_column, words, options, transposed=transposed)
    if down is not None and name_column is not None:
        _offer_other_names(rows, name_column, down, options, transposed=transposed)
    across = [names[at] for at in used] if names else None
    options.check_systems(len(rows.first) if transposed else len(used))
    scores, gaps = _grid(rows, used, (down, across), options), _Gaps(rows, used, (down, across))
    blocks.refuse_points_between_thousands(body, scores, {at: names[at] if names else str(at + 1) for at in used})
    notes = [
        *headers.note_of_unnamed(names, name_column),
        *_notes_on_identifiers(rows, name_column, options, transposed=transposed),
        *left_out_columns([RoleColumn(names[at], "text", "empty") for at in empty]),
    ]
    runs = [] if run_column is None or down is None else [*zip(down, rows.column(run_column), strict=True)]
    each = ["::".join(filter(None, run)) for run in runs] or down
    run_of = dict(zip(each or (), runs, strict=False))
    notes += [] if run_column is None else no_runs(names[run_column])
    if across:
        across, scores, left = _scores_alone((down, across), scores, rows, (sheet, options), transposed=transposed)
        notes += left
    if not transposed and across and len(across) > 1 and are_judges(across):
        notes += [f"{first_few(across)} are called as judges and count as systems; metaeval judges compares judges"]
    is_open = _says_nothing(names, options) and not _turned_by_names(rows, turned=False)
    nameless = not names and name_column is None and options.systems_in is None and _far_fewer_rows(sheet, len(used))
    if not transposed and (is_open or nameless):
        notes += ["rows are taken for topics and columns for systems; pass `systems_in='rows'` if it is the other way"]
    if transposed:
        notes += headers.notes_on_words({names[at]: rows.column(at) for at in words}, clustered=True)
        made = _block(rows, source, options, scores, (each, across), notes, transposed=True, gaps=gaps)
        made = _with_runs(made, "system", run_of)
        return made if made.read_as else replace(made, read_as="wide table, systems in rows")
    unit = TOPIC if name_column is None or not names else unit_of_column(names[name_column])
    with speaking_of(unit):
        notes += _notes_on_groups(rows, words, down, topic_columns, options.ignored)
        notes += taken_clusters({role: names[at] for role, at in topic_columns.items()}, options.columns)
        notes += note_of_folds(names[name_column], down) if names and name_column is not None and down else []
        block = _block(rows, source, options, scores.T, (across, each), notes, gaps=gaps)
        block = _with_runs(block, "topic", run_of)
    beside = [name for at, name in enumerate(names) if at not in topic_columns.values() and name not in (across or ())]
    block = replace(_with_sizes(block, rows, beside, down), unit=unit)
    return replace(block, attached=_attached(rows, topic_columns, down)) if topic_columns else block


def _refuse_hollow_line(body: Sheet, sheet: Sheet) -> None:
    if (hollow := body.hollow_line()) is not None:
        raise sheet.error(
            f"line {hollow} is empty, and rows are numbered for want of a column that names them; fill it, remove it, "
            "or add a topic column"
        )


def _columns_used(
    rows: "_WideRows",
    left_out: Container[int | None],
    place: int | None,
    *,
    transposed: bool,
) -> tuple[list[int], list[int], list[int]]:
    """Return the columns that may hold scores, the empty ones, and those that say something in words or numbers."""
    names = rows.names
    used = [at for at in range(rows.width) if at not in left_out and (not names or names[at])]
    empty = _empty_columns(rows, used, names, transposed=transposed) if names else []
    words = _beside_names(rows, [at for at in used if at not in empty], place, transposed=transposed)
    used = [at for at in used if at not in {*empty, *words}]
    if not used:
        way = _way_past_labels(rows, words)
        raise rows.body.error(f"no column is left that could hold scores; {headers.columns_found(names)}{way}")
    return used, empty, words


def _way_past_labels(rows: "_WideRows", places: Sequence[int]) -> str:
    """Say what the first of these columns that holds words of one scale needs to be read."""
    cells = {rows.names[at]: rows.column(at) for at in places}
    return blocks.way_past_labels(
        cells, rows.body.delimiter_of_lines, of_systems="system" in map(part_of_word, rows.names)
    )


def _run_column(rows: "_WideRows", place: int | None, parts: Iterable[int], options: blocks.TableOptions) -> int | None:
    """Return the column that numbers the rows of each name, as it is called or said; `parts` say one thing a name."""
    names = [] if place is None or not rows.names else rows.column(place)
    if first_double(filter(None, names)) is None:
        return None
    chosen = options.chosen.get(REPEAT)
    called = [name for name in rows.names if numbers_runs(name) and name not in options.ignored]
    places = [rows.names.index(name) for name in ([chosen] if chosen in rows.names else called)]
    owned = all(len({*zip(names, rows.column(at), strict=True)}) == len({*names}) for at in parts)
    fitting = [at for at in places if chosen or len({*zip(names, rows.column(at), strict=True)}) == len(names)]
    return fitting[0] if len(fitting) == 1 and owned and fitting[0] != place else None


def _with_runs(block: blocks.FileBlock, dim: str, run_of: Mapping[str, tuple[str, str]]) -> blocks.FileBlock:
    """Return a block of which several rows are runs of one name with these as repeats."""
    if not run_of:
        return block
    runs = [run_of[name] for name in block.labels[dim]]
    names, numbers = ([*dict.fromkeys(of)] for of in zip(*runs, strict=True))
    axis = dims_of(block.labels).index(dim)
    rows = np.moveaxis(block.scores, axis, -1)
    cells = np.full((*rows.shape[:-1], len(names), len(numbers)), np.nan)
    cells[..., [names.index(name) for name, _ in runs], [numbers.index(number) for _, number in runs]] = rows
    labels = block.labels | {dim: names, REPEAT: numbers}
    return replace(block, scores=np.moveaxis(cells, -2, axis), labels=labels)


def _with_sizes(
    block: blocks.FileBlock, rows: "_WideRows", beside: Sequence[str], down: Sequence[str] | None
) -> blocks.FileBlock:
    """Return a block with the size of every topic, where one of the columns `beside` the scores says it."""
    if down is None or not (by := size_column(beside)):
        return block
    return replace(block, sizes=(by, dict(zip(down, rows.column(rows.names.index(by)), strict=True))))


def _notes_on_groups(
    rows: "_WideRows", places: Sequence[int], down: Sequence[str] | None, parts: Container[str], ignored: Sequence[str]
) -> list[str]:
    """Say which columns of words were left out, and which of them, and of those ignored, put topics into groups."""
    words = {rows.names[at]: rows.column(at) for at in places}
    grouped = "cluster" in parts or "stratum" in parts
    single = [True] * len(rows.column(0)) if down is None else [not summary for summary in are_summaries(down)]
    words = {name: [*compress(cells, single)] for name, cells in words.items()}
    ignored_cells = {name: [*compress(rows.column(rows.names.index(name)), single)] for name in ignored}
    beside = {} if grouped or down is None else words | ignored_cells
    offered = offered_clusters(beside, [name.strip() for name in compress(down or (), single)]) if beside else []
    return [*headers.notes_on_words(words, clustered=grouped or bool(offered)), *offered]


def _attached(rows: "_WideRows", columns: Mapping[str, int], down: Sequence[str] | None) -> dict[str, dict[str, str]]:
    """Return what columns say of every topic, by part."""
    numbers = map(str, range(1, len(rows.first) + 1))
    topics = [*numbers] if down is None else [name.strip() for name in down]
    return {role: dict(zip(topics, rows.column(at), strict=True)) for role, at in columns.items()}


def read_crossed(sheet: Sheet, source: Source, options: blocks.TableOptions) -> blocks.FileBlock:
    """Read a table of which every column is of a system and a metric, as its name says."""
    block = read_wide(sheet, source, replace(options, form="wide"))
    names = block.labels["system"]
    if not (pair_of := systems_by_metrics(names)):
        raise sheet.error(
            f"{first_few(names)} are not all systems under all of some known metrics, such as a_bleu, a_chrf, b_bleu "
            "and b_chrf; rename them, or leave out those that are no scores"
        )
    return _by_metrics(block, pair_of, source)


def _by_metrics(block: blocks.FileBlock, pair_of: Mapping[str, tuple[str, str]], source: Source) -> blocks.FileBlock:
    """Return a block of columns of a system and a metric each as one of systems under metrics."""
    metrics, systems = (list(dict.fromkeys(of)) for of in zip(*pair_of.values(), strict=True))
    name_of = {pair: at for at, pair in enumerate(pair_of.values())}
    places = [[name_of[metric, system] for system in systems] for metric in metrics]
    notes = [note for note in block.notes if note not in blocks.metric_note(source)]
    labels = {**block.labels, "metric": metrics, "system": systems}
    read_as = "wide table, a column a system and metric"
    cells = block.scores[0, places]
    return replace(block, scores=cells, labels=labels, notes=notes, read_as=read_as, called_as_file=False)


def _refuse_labels(rows: "_WideRows", place: int | None, options: blocks.TableOptions) -> None:
    """Refuse rows of which several have one name, that a column called as one of items or judges distinguishes."""
    if place is None or options.columns or options.form or _are_ratings(rows, place, options):
        return
    if underscored(rows.names[place] if rows.names else "") in LABELS["item"]:
        place = next(iter(_topics_of_labels(rows, place)), place)
    if len({*(names := rows.column(place))}) == len(names):
        return
    words = {*LABELS["item"], *LABELS["judge"]}
    beside = [at for at, name in enumerate(rows.names) if at != place and underscored(name) in words]
    keys = [*zip(names, *map(rows.column, beside), strict=True)]
    if beside and len({*keys}) == len(keys):
        again, telling = first_double(names), " and ".join(repr(rows.names[at]) for at in beside)
        alone = [rows.names[at] for at in beside if len({*rows.column(at)}) == len(names)]
        keyed = [rows.names[at] for at in (place, *beside)]
        are_items = {*map(underscored, keyed[1:])} <= {*LABELS["item"]} and not any("," in name for name in keyed)
        role, column = (
            ("topic", alone[0] if alone else ",".join(keyed))
            if alone or are_items
            else ("system", rows.names[beside[0]])
        )
        raise rows.body.error(
            f"{rows.names[place]} {again!r} stands in several rows, which {telling} distinguish, as labels of items by "
            f"judges do; metaeval judges compares those. For scores give one row a {rows.names[place]}, or say what "
            f"names the {'items' if role == 'topic' else 'systems'} (`columns={ {role: column}!r}`)"
        )


def _are_ratings(rows: "_WideRows", place: int, options: blocks.TableOptions) -> bool:
    """Whether a rule for duplicates is asked for, and raters, not items or labels, stand beside names and scores."""
    words = {underscored(name) for at, name in enumerate(rows.names) if at != place}
    return options.duplicates != "error" and words.isdisjoint({*LABELS["topic"], *LABELS["item"], *LABELS["label"]})


def _topics_of_labels(rows: "_WideRows", item: int) -> list[int]:
    """Return the columns of topics that items stand in, where all others hold grades and no scores with decimals."""
    topics = [at for at, name in enumerate(rows.names) if at != item and underscored(name) in LABELS["topic"]]
    others = [at for at in range(rows.width) if topics and at not in {item, *topics}]
    return [] if any(_are_decimals(rows, at) for at in others) else topics


def _names_systems(names: Sequence[str], options: blocks.TableOptions) -> bool:
    """Whether a header names systems for sure, and every one of them counts."""
    rows = options.systems_in == "rows" or "system" in options.columns or "system" in column_roles(names[:1]).parts
    return not rows and not options.ignored and not all(name.isdecimal() for name in names[1:] if name)


def _columns_of_words(rows: "_WideRows", used: Sequence[int]) -> list[int]:
    """Return the columns that hold words about the topics beside the numbers of the systems, or true and false."""
    candidates, filled, worded = list(used) if rows.names else [], set[int](), set[int]()
    verdicts = tuple(map(str.casefold, blocks.PROMPTFOO))
    texts = {at for at in candidates if not _OF_TEXTS.isdisjoint(underscored(rows.names[at]).split("_"))}
    for cells in rows.body.rows():
        remaining = []
        for at in candidates:
            text = cells[at].strip().casefold()
            if at in texts or text in SCORE_GAPS or (is_word(text) and not text.startswith(verdicts)):
                remaining.append(at)
                filled |= set() if text in SCORE_GAPS or (at in texts and is_number(text)) else {at}
                worded |= set() if text in blocks.PASSES and at not in texts else {at}
        candidates = remaining
        if not candidates:
            return []
    candidates = [at for at in candidates if at in filled]
    words = candidates if len(candidates) < len(used) else [at for at in candidates if at in worded]
    return words if len(words) < len(used) else []


def _beside_names(rows: "_WideRows", used: Sequence[int], place: int | None, *, transposed: bool) -> list[int]:
    """Return the columns beside that of names that are no systems: of words, or of numbers of groups of the topics."""
    words = [] if place is None else _columns_of_words(rows, used)
    if place is None or transposed:
        return words
    candidates = [at for at in used if rows.names and at not in words and part_of_word(rows.names[at]) == "topic"]
    groups = columns_of_group_numbers({rows.names[at]: rows.column(at) for at in candidates}, rows.column(place))
    return [*words, *map(rows.names.index, groups)]


def _names_of_rows(
    rows: "_WideRows", place: int, words: Sequence[int], options: blocks.TableOptions, *, transposed: bool
) -> list[str]:
    """Return the names of the rows; of one without, what another column calls it that sums up others, as Excel does."""
    down = rows.column(place)
    if not transposed and not options.columns.keys() & {"topic", "system"}:
        _offer_names_of_rows(rows, place, down, {rows.names[at]: rows.column(at) for at in words}, options)
    if all(down):
        return down
    columns = [rows.column(at) for at in words]
    called = [next(filter(_sums_up, cells), "") for cells in zip(*columns, strict=True)]
    return [name or more for name, more in zip(down, called or down, strict=True)]


def _sums_up(cell: str) -> bool:
    """Whether a cell calls its row one of averages or sums."""
    return is_subtotal(cell) or cell.casefold() in AVERAGES or role_of_row(cell) == "aggregate"


def _offer_names_of_rows(
    rows: "_WideRows",
    place: int,
    down: Sequence[str],
    words: Mapping[str, Sequence[str]],
    options: blocks.TableOptions,
) -> None:
    """Refuse names that stand in several rows each, where another column distinguishes these rows."""
    counts = Counter(down)
    several = [
        at
        for at, name in enumerate(down)
        if counts[name] > 1 and (name or not any(_sums_up(cells[at]) for cells in words.values()))
    ]
    if len(several) < _FEWEST or options.duplicates != "error":
        return
    for name, cells in words.items():
        if len({cells[at] for at in several}) == len(several) and all(cells[at] for at in several):
            raise rows.body.error(
                f"{rows.names[place]} {down[several[0]]!r} stands in several rows, which {name!r} distinguishes; pass "
                f"`columns={ {'topic': name}!r}` if that names the items",
                several[1],
            )


def _offer_other_names(
    rows: "_WideRows", place: int, down: Sequence[str], options: blocks.TableOptions, *, transposed: bool
) -> None:
    """Refuse names of which most stand in several rows, where one more column names what stands in each of them."""
    if options.duplicates != "error" or 2 * len({*down}) > len(down) + len({*down}) // 2:
        return
    beside = _naming_rows_with(rows, place, options.ignored)
    if beside is None:
        return
    role, other = ("system", "topic") if transposed else ("topic", "system")
    word = role if transposed else (unit_of_column(rows.names[place]) if rows.names else TOPIC).topic
    apart = repr(rows.names[beside]) if rows.names else f"column {beside + 1}"
    columns = (
        {**options.columns, other: rows.names[beside]}
        if rows.names
        else _by_position({role: place, other: beside}, rows)
    )
    is_open = bool(rows.names) and not transposed and part_of_word(rows.names[place]) != "topic"
    reverse = {**options.columns, "system": rows.names[place], "topic": rows.names[beside]} if is_open else {}
    columns |= {"topic": rows.names[place]} if is_open else {}
    raise rows.body.error(
        f"{word} {first_double(down)!r} stands in several rows, which {apart} distinguishes; pass "
        f"`columns={columns!r}` if that names the {other}s"
        + f", or `columns={reverse!r}` if it names topics"
        * (bool(reverse) and not transposed)
    )


def _naming_rows_with(rows: "_WideRows", place: int, ignored: Sequence[str]) -> int | None:
    """Return the column that names rows with that at `place`: of words, or, without a header, of whole numbers."""
    cells = {str(at): rows.column(at) for at in range(rows.width)}
    others = [
        at
        for at in range(rows.width)
        if at != place
        and not (rows.names and (rows.names[at] in ignored or underscored(rows.names[at]) in JUDGES))
        and not (rows.names and any(map(is_number, cells[str(at)])))
    ]
    return next(map(int, item_column(cells, str(place), map(str, others))), None)


def _by_position(places: Mapping[str, int], rows: "_WideRows") -> dict[str, int]:
    """Return parts with the numbers of their columns, and with the scores where one column is left."""
    left = [at for at in range(rows.width) if at not in places.values()]
    columns = {**places, **({"score": left[0]} if len(left) == 1 else {})}
    return {role: at + 1 for role, at in columns.items()}


def _empty_columns(rows: "_WideRows", used: Sequence[int], names: Sequence[str], *, transposed: bool) -> list[int]:
    """Return the columns without any cell that holds something, where others do; such is no task.

    Of systems, one of which may have failed, only what is called as a remark, or by a role, is none.
    """
    empty = [at for at in used if transposed or word_of(names[at]) in REMARKS or role_of_name(names[at])[0]]
    for cells in rows.body.rows():
        empty = [at for at in empty if cells[at].strip().casefold() in SCORE_GAPS]
        if not empty:
            return []
    return empty if len(empty) < len(used) else []


def _said_of_topics(rows: "_WideRows", sheet: Sheet, options: blocks.TableOptions) -> dict[str, int]:
    """Return the columns that say something of the topics, as a cluster or a weight: part to place.

    Numbers with decimals name no clusters: a system may be called so.
    """
    names = rows.names
    parts = [role for role, dim in ATTACHED.items() if dim == "topic"]
    chosen = {role: column for role, column in options.chosen.items() if role in {*parts, "topic"}}
    roles = headers.roles_of_sheet(names, sheet, chosen=chosen, ignored=options.ignored).parts
    places = {role: headers.place_of(roles[role], names, sheet) for role in parts if role in roles}
    numbers = [
        role for role, at in places.items() if role != "weight" and role not in chosen and _are_decimals(rows, at)
    ]
    return {role: at for role, at in places.items() if role not in numbers}


def _are_decimals(rows: "_WideRows", place: int) -> bool:
    cells = [cell for cell in rows.column(place) if cell]
    return bool(cells) and all(map(is_number, cells)) and sum("." in cell for cell in cells) > len(cells) // 2


class _WideRows(NamedTuple):
    """The rows below a header, which are read again whenever they are needed: as text they would fill the memory."""

    body: Sheet
    names: list[str]
    """One a column; none where there is no header."""
    first: list[str]
    """The first cell of every row, as it stands."""
    width: int
    """Cells of every row."""

    @classmethod
    def of(cls, body: Sheet, names: list[str]) -> "_WideRows":
        """Check the rows; see `fitting_names`."""
        start = next(body.rows(), None)
        if start is None:
            raise body.error("the table has a header and no rows; it needs a row for every topic")
        return cls(body, *headers.fitting_names(names, body.rows(), body), len(start))

    def column(self, place: int) -> list[str]:
        cells = (row[place] for row in self.body.rows()) if place else self.first
        return [cell.strip() for cell in cells]


def _block(  # noqa: PLR0913, PLR0917 - what a block is made of
    rows: _WideRows,
    source: Source,
    options: blocks.TableOptions,
    scores: NDArray[np.float64],
    names: _Names,
    notes: list[str],
    *,
    transposed: bool = False,
    gaps: "_Gaps",
) -> blocks.FileBlock:
    """Name what has no name, leave out averages, and check the names. `scores` has the shape (system, topic)."""
    body, (systems, topics) = rows.body, names
    if systems is None:
        systems = [f"system{number}" for number in range(1, len(scores) + 1)]
        notes.append(Remark(f"no names of systems, so they are numbered {systems[0]} to {systems[-1]}"))
    numbered = topics is None
    if topics is None:
        topics = [str(number) for number in range(1, scores.shape[1] + 1)]
        notes.append(Remark(f"no topic column, so topics are numbered 1 to {topics[-1]}"))
    notes += blocks.metric_note(source)
    if not transposed and names[1] is not None and first_double(names[1]) is not None:
        _refuse_repeated(rows, options)
    of = (topics, systems)
    systems, topics, scores, left_out = _without_summaries(
        list(systems), list(topics), scores, wide=options.form == "wide"
    )
    if options.missing == "error":
        named, left = (of[::-1], (systems, topics)) if transposed else (of, (topics, systems))
        gaps.refuse(scores if transposed else scores.T, named, left)
    notes += left_out
    _refuse_metrics(rows, systems, topics, options)
    if options.duplicates != "error":
        systems, topics, scores = each_once(systems, topics, scores, options.duplicates, notes)
    labels = {"metric": [source.own_name]}
    labels |= {dim: headers.unique_names(of, dim, body) for dim, of in (("system", systems), ("topic", topics))}
    block = blocks.FileBlock(
        label=source.path,
        scores=scores[None],
        labels=labels,
        notes=notes,
        numbered=numbered,
        called_as_file=source.name is None,
    )
    if options.form == "wide" or not are_surely_crossed(pair_of := systems_by_metrics(systems)):
        return block
    block = _by_metrics(block, pair_of, source)
    known = first_few(block.labels["metric"])
    block.notes.append(f"names hold a system and a metric each ({known}); pass `form='wide'` if these are no metrics")
    return block


def _refuse_repeated(rows: _WideRows, options: blocks.TableOptions) -> None:
    """Refuse a first column without a word for topics, in which names repeat, as systems of a long table do."""
    if not rows.names or options.columns.keys() & {"topic", "system"} or len(set(rows.first)) == len(rows.first):
        return
    name = rows.names[0]
    roles = headers.roles_of_sheet(rows.names, rows.body, chosen=options.chosen, ignored=options.ignored)
    topic = roles.parts.get("topic", name)
    named = filter(None, rows.column(rows.names.index(topic)))
    if name != topic and (options.duplicates != "error" or first_double(named) is None):
        return  # they say something of the topics, or who said it
    if name and part_of_word(name) != "topic":
        cells = {column: rows.column(at) for at, column in enumerate(rows.names)}
        items = item_column(cells, name, [column for column in rows.names[1:] if column and not is_measure(column)])
        columns = {"system": name} | dict(zip(("topic",), items, strict=False))
        if items and len({*cells[items[0]]}) < len({*cells[name]}):  # there are more items than systems in most tables
            columns = {"system": items[0], "topic": name}
        if not items and 2 * len({*rows.first}) <= len(rows.first):  # a name or two may be there again
            beside = {"ignore": [topic]} if topic != name else {}
            raise rows.body.error(
                f"names in the first column, {name!r}, stand in several rows each, and no column distinguishes these; "
                f"if each row is an item of what that names, pass `columns={ {'cluster': name, **beside}!r}`; "
                "if it names systems, add a column that names the items"
            )
        raise rows.body.error(
            f"names in the first column, {name!r}, stand in several rows each, as those of systems in a table of a row "
            f"a score; if so, say which columns name what, such as `columns={columns!r}`; if they are topics, pass "
            f"`columns={ {'topic': name}!r}`"
        )


def _without_summaries(
    systems: list[str], topics: list[str], scores: NDArray[np.float64], *, wide: bool
) -> tuple[list[str], list[str], NDArray[np.float64], list[str]]:
    """Leave out the topics that are averages, by name, and the systems and topics that the others make.

    Where somebody says that this is a `wide` table, a name that could be a topic's is one.
    """
    perhaps = np.array(perhaps_items(topics), dtype=bool)
    summaries = np.array(are_summaries(topics), dtype=bool) & ~(perhaps & wide)
    notes = blocks.rows_left_out([*compress(topics, summaries)])
    if (perhaps & summaries).any():
        odd = first_few([*compress(topics, perhaps & summaries)])
        notes = [f"{notes[0]}; pass `form='wide'` to keep {odd}"]
    if summaries.any():
        topics, scores = [*compress(topics, ~summaries)], scores[:, ~summaries]
    if measures := _sums_of_measures(topics, scores):
        notes += blocks.rows_left_out([topics[at] for at in measures])
        single = [at for at in range(len(topics)) if at not in measures]
        topics, scores = [topics[at] for at in single], scores[:, single]
    rows, more = left_out_rows(systems, scores, "system")
    columns, most = left_out_rows(topics, scores.T, "topic")
    scores = scores[np.ix_(rows, columns)] if more or most else scores
    return [systems[at] for at in rows], [topics[at] for at in columns], scores, [*notes, *more, *most]


def _sums_of_measures(topics: Sequence[str], scores: NDArray[np.float64]) -> list[int]:
    """Return rows that are called as measures below those of topics, of which one is their mean, as map is of AP."""
    places = [at for at, topic in enumerate(topics) if is_measure(topic)]
    below = np.delete(scores, places, axis=1)
    if not places or below.shape[1] <= len(places) or np.isnan(below).all(axis=1).any():
        return []
    apart = np.abs(scores[:, places] - np.nanmean(below, axis=1)[:, None]).max(axis=0)
    return places if apart.min() <= _ROUNDED * np.nanmax(np.abs(below)) else []


def _refuse_outcomes(names: Sequence[str], across: Sequence[str], by_system: NDArray[np.float64], sheet: Sheet) -> None:
    """Refuse counts of what became of the answers of each system, which stand under these names."""
    parts, total = outcomes(by_system)
    if not parts:
        return
    labels, counted = [names[at] for at in parts], not (by_system[:, parts] % 1).any()
    header = header_names(next(sheet.rows()))
    named = [at for at, name in enumerate(header) if name not in across]

    def filtered(right: str) -> str:
        if not (names is across and counted and sheet.delimiter in {",", ";"} and len(named) == 1 and total > 1):
            return ""
        system, own, sign = f"${named[0] + 1}", f"${header.index(right) + 1}", sheet.delimiter
        made = f"{{print {system},{own},{total:g},{own}/{total:g}}}"
        heads = 'NR==1{print "system","right","total","rate"}'
        begin = f'BEGIN{{FS=OFS="{sign}"}}{{sub(/\\r$/,"")}}'
        return f" (for {right!r}, where these are counts: awk '{begin}{heads}NR>1{made}')"

    raise sheet.error(refusal_of_outcomes(labels, total, "`form='wide'`", filtered), 0, of=blocks.OtherTableError)


def _with_ignored(
    rows: "_WideRows", across: Sequence[str], scores: NDArray[np.float64], ignored: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return the columns of scores and of numbers that somebody left out, of which means may be, in order."""
    numbers = {}
    for at, name in enumerate(rows.names if ignored else ()):
        with suppress(blocks.BadCellError):
            if name in ignored:
                numbers[name] = blocks.to_numbers(rows.column(at), "drop-topics")
        if name in across:
            numbers[name] = scores[:, across.index(name)]
    return numbers


def _scores_alone(
    titles: _Names,
    scores: NDArray[np.float64],
    rows: "_WideRows",
    asked: tuple[Sheet, blocks.TableOptions],
    *,
    transposed: bool,
) -> tuple[list[str], NDArray[np.float64], list[str]]:
    """Leave out the columns that are no scores, which is noted; refuse a board that says nothing of topics."""
    sheet, options = asked
    down, across = titles[0] or [], titles[1] or []
    if options.form == "wide":
        return across, scores, []
    if transposed or down:
        _refuse_outcomes(across if transposed else down, across, scores if transposed else scores.T, sheet)
    systems = across[:1] if options.columns.get("topic", "") is None else []  # the first column is a system
    along = "topic" if transposed else "system"
    around = _with_ignored(rows, across, scores, options.ignored)
    columns = not_scores(across, scores, along=along, kept=systems, around=around)
    told = {column.name for column in columns if column.why != FALLS}
    remaining = [name for name in across if name not in told]
    are_few = 1 < len(remaining) <= _MOST_JUDGES and options.systems_in is None
    if transposed and are_few and any(map(_is_judge, remaining)):
        raise sheet.error(
            f"{first_few(remaining, write=repr)} are called as judges are, with one score a system each and no topics; "
            "compare them with metaeval human, one as its reference, or pass `systems_in='rows'` if they are topics",
            0,
        )
    wholes = [name for name in across if is_whole(name)]
    of_wholes = len(remaining) < _FEWEST or len(wholes) > 1 or _are_summaries_of_systems(remaining)
    if transposed and of_wholes and options.systems_in is None:
        open_columns = [name for name in across if name not in {column.name for column in columns if column.sure}]
        message = (
            f"{_seeming(open_columns or across, 'one score a system', 'scores of systems')} without topics; {_NEEDED}"
        )
        of_systems = bool(told) or any(bare_word(name).endswith(_WHOLE_ENDS) for name in remaining)  # topics have none
        may_be_topics = len(remaining) >= _FEWEST and metric_evidence(remaining) < _SURE and not of_systems
        message += " (`systems_in='rows'` if the columns are topics)" * may_be_topics
        message += _for_sizes({name: scores[:, across.index(name)] for name in remaining}, columns)
        raise sheet.error(message + _for_ranks(across, columns, transposed=True), 0, of=blocks.SpreadlessError)
    if not transposed and _are_about_items(across, scores):
        message = (
            f"{first_few(across)} are called as counts and identifiers of the items, and no column as scores; give "
            "a table that holds what annotators said or systems scored, or rename what is one"
        )
        raise sheet.error(message, 0)
    unsure = unsure_columns(columns)
    if unsure:
        raise sheet.error(unsure + _for_ranks(across, columns, transposed=transposed), 0)
    if not remaining:
        raise sheet.error(f"no column is left that could hold scores; {headers.columns_found(across)}")
    positions = [at for at, name in enumerate(across) if name not in told]
    return remaining, scores[:, positions] if told else scores, left_out_columns(columns)


def _is_judge(name: str) -> bool:
    """Whether a column is called as people or language models are that judge."""
    return underscored(name) == "llm" or are_judges([name]) or not HUMANS.isdisjoint(underscored(name).split("_"))


def _are_about_items(names: Sequence[str], numbers: NDArray[np.float64]) -> bool:
    """Whether columns count what belongs to items or number it, as tools of annotation export beside the labels."""
    all_whole = bool((numbers == np.rint(numbers)).all(where=~np.isnan(numbers)))
    return len(names) > 1 and all_whole and all(role_of_name(name)[0] in _OF_ITEMS for name in names)


def _are_summaries_of_systems(names: Sequence[str]) -> bool:
    """Whether columns are called like metrics, of which a table of systems and topics holds one: two such are many."""
    numbered = len(names) > _MOST_OF_F and len({*map(numbered_form, names)}) == 1  # F1 to F20
    return not numbered and (len(computed_metrics(names)) > 1 or are_measures(names) or any(map(is_whole, names)))


def _for_ranks(across: Sequence[str], columns: Sequence[RoleColumn], *, transposed: bool) -> str:
    """Say how a table with a column of standard errors is read as means, where it does not say of which they are."""
    unsure = [column for column in columns if column.role == "unsure" and column.of]
    errors = [column for column in unsure if role_of_name(column.name)[0] in ERRORS or rises_by_name(column.name)]
    way = renaming(across) if transposed else ""
    way = way or "".join(
        f"if {column.name!r} is that of {column.of!r}, rename it to {column.of + '_stderr'!r}" for column in errors[:1]
    )
    return way and f"; for ranks alone metaeval leaderboard takes means with standard errors: {way}"


def _for_sizes(means: Mapping[str, NDArray[np.float64]], columns: Sequence[RoleColumn]) -> str:
    """Say which error a column of means, such as shares of so many answers, wants to be read as such."""
    sizes = [column.name for column in columns if column.role == "n"]
    if len(means) != 1 or len(sizes) > 1:
        return ""
    ((metric, shares),) = means.items()
    top = next((scale for scale in _SCALES if np.nanmax(shares, initial=0.0) <= scale), _SCALES[-1])
    of_answers = [f"√(p ({top:g} - p) / {size}) where answers are right or wrong" for size in sizes]
    error = ", ".join([f"{metric}_stderr", *of_answers])
    return f"; or add their standard errors, {error}, for ranks by metaeval leaderboard or agree --boards"


def _seeming(names: Sequence[str], one: str, several: str) -> str:
    return f"{first_few(names)} seem{'s' if len(names) == 1 else ''} to be {one if len(names) == 1 else several}"


def _refuse_metrics(
    rows: _WideRows, systems: Sequence[str], topics: Sequence[str], options: blocks.TableOptions
) -> None:
    """Refuse averages by metric, and the metrics of one system, which look like a wide table."""
    pair_of = systems_by_metrics(systems)
    if options.form == "wide" or are_surely_crossed(pair_of):
        return
    named = rows.names and part_of_word(rows.names[0]) == "topic"
    whole = not named and {*map(word_of, systems)} & WHOLE and topic_evidence(topics) < 1
    measures = (
        list(systems)
        if whole or metric_evidence(systems) == _SURE
        else [topic for topic in topics if is_measure(topic)]
    )
    if crossed := sorted({metric for metric, _ in pair_of.values()}):
        raise rows.body.error(
            f"{first_few(systems)} seem to name a system and a metric each ({first_few(crossed)}); a wide table holds "
            "one metric. If they do, pass `form='crossed'`, or give a file for each metric, or columns system, topic, "
            "metric and score; pass `form='wide'` if these are no metrics"
        )
    if measures == [*topics] and len(systems) > 1 and topic_evidence(systems) < 1:
        raise rows.body.error(
            f"{_seeming(measures, 'a metric', 'metrics')} with one mean of each of {first_few(systems)}, which does "
            "not tell whether a difference is more than luck. Give a row for every system and topic, or pass "
            "`form='wide'` if these are no metrics",
            of=blocks.SpreadlessError,
        )
    if measures:
        raise rows.body.error(
            f"{_seeming(measures, 'a metric', 'metrics')}, neither systems nor topics; a wide table holds one metric. "
            "Give a file for each metric, or pass `form='wide'` if these are no metrics"
        )


def _has_header(first: Sequence[str], sheet: Sheet, options: blocks.TableOptions) -> bool:
    """Whether the first row holds names; an error where it could as well hold scores."""
    if options.header is not None or options.positions:
        return bool(options.header)
    names = header_names(first)
    if headers.roles_of_sheet(names, sheet, chosen=options.chosen, ignored=options.ignored).parts or not names[0]:
        return True
    numeric = [name for name in names if is_number(name)]
    below = sheet.sample()[1:]
    if all(name.isdecimal() for name in names) and below and not any(cell.strip().isdecimal() for cell in below[0]):
        message = (
            f"the first line ({', '.join(map(repr, names[:_SHOWN]))}, …) holds whole numbers and the others scores; if "
            "it names the systems, add a first column called topic, and pass `header=False` if it holds scores"
        )
        raise sheet.error(message, 0)
    if len(numeric) == len(names) or any(not name.isdecimal() for name in numeric):
        ways = "pass `header=False` if there is none; where names are numbers, call a first column topic"
        if len(numeric) == len(names) and (n_rows := _far_fewer_rows(sheet, len(names))):
            ways = (
                f"where there is none pass `header=False` `systems_in='rows'` if the {n_rows} rows are systems, or "
                f"pass `header=False` if the {len(names)} columns are"
            )
        message = (
            f"the first line ({', '.join(map(repr, names[:_SHOWN]))}, …) holds numbers where names are expected; add a "
            f"line of names, or {ways}"
        )
        raise sheet.error(message, 0)
    return True


def _far_fewer_rows(sheet: Sheet, n_columns: int) -> int:
    """Return the number of rows where it is far below that of columns, so that rows may be systems; 0 elsewhere."""
    n_rows = sum(1 for _ in islice(sheet.rows(), n_columns))
    return n_rows if 1 < n_rows * _FAR_FEWER <= n_columns else 0


def _has_systems_in_rows(rows: _WideRows, sheet: Sheet, options: blocks.TableOptions) -> bool:
    """Where the systems are; an error where the table looks otherwise than said."""
    names = rows.names
    first = column_roles(names[:1]).parts.keys()
    if _system_behind_ids(rows, sheet, options):
        return options.systems_in != "columns" and "topic" not in options.columns
    insisting = options.columns.keys() & {"system", "topic"}
    if options.systems_in == "rows":
        if "topic" in first and not insisting:
            message = f"`systems_in='rows'` expects names of systems in the first column, but it is called {names[0]!r}"
            raise sheet.error(f"{message}; rename it, or leave `systems_in` out")
        return True
    if insisting:
        return options.systems_in is None and "system" in insisting
    if "system" in first and options.systems_in == "columns":
        raise sheet.error(f"the first column is called {names[0]!r}; pass `systems_in='rows'`, or rename it")
    numbered = all(name.isdecimal() for name in names[1:] if name)
    if names and not first and numbered and not any(map(is_number, rows.first)):
        raise sheet.error(
            f"the header holds numbers ({', '.join(names[1:4])}, …) and the first column names ({rows.first[0]!r}, …), "
            "so systems seem to stand in rows; pass `systems_in='rows'`, or call the first column topic if they do not"
        )
    unsaid = bool(names) and not first and options.systems_in is None and not options.columns
    return "system" in first or (unsaid and _systems_by_names(rows, sheet))


def _system_behind_ids(rows: _WideRows, sheet: Sheet, options: blocks.TableOptions) -> int:
    """Return the place of a column of systems behind ranks, ids and what is ignored; 0 where topics are first."""
    names = rows.names
    are_topics = (
        bool(names) and part_of_word(names[0]) == "topic" and names[0] in options.roles(names, sheet).parts.values()
    )
    return 0 if are_topics else system_beside_roles(names, rows.body, ignored=options.ignored)


def _systems_by_names(rows: _WideRows, sheet: Sheet) -> bool:
    """Whether names of rows or columns say that systems stand in rows; an error where few rows may be a board."""
    down, across = rows.first, rows.names[1:]
    title, models = rows.names[0], (are_models(down), are_models(across))
    if not title:
        return models[0] > models[1] or _turned_by_names(rows)
    if is_number(title) or role_of_name(title)[0] in _NAMELESS:
        return False
    rows_say, columns_say = topic_evidence(down), topic_evidence(across)
    if models[0] > models[1] or columns_say == _SURE > rows_say:
        return True
    few = len(across) > 1 and len({*down}) == len(down) < _FEW_ROWS and not any(map(is_number, down))
    few &= 2 * max(Counter(map(numbered_form, down)).values(), default=0) <= len(down)
    cells = [cell for at in range(1, rows.width) for cell in rows.column(at)] if few else []
    few &= part_of_word(title) == "system" or all(is_number(cell) or cell.casefold() in SCORE_GAPS for cell in cells)
    few &= not any(map(PROMPTED.match, across))  # promptfoo writes systems so
    if few and rows_say == 0 and models[0] == models[1] and not metric_evidence(down):
        ways = [
            f"`systems_in='rows'` if {first_few(down)} are the systems",
            f"`systems_in='columns'` if {first_few(across)} are",
        ]
        likely_first = reversed(ways) if word_of(title) in OF_SETS else ways
        raise sheet.error(f"column {title!r} could name systems or topics; pass {', or pass '.join(likely_first)}", 0)
    return False


def _says_nothing(names: Sequence[str], options: blocks.TableOptions) -> bool:
    """Whether there is a header, of which the first cell is empty, and nobody said where the systems are."""
    return bool(names) and not names[0] and options.systems_in is None and not options.columns


def _turned_by_names(rows: _WideRows, *, turned: bool = True) -> bool:
    """Whether the columns have the names of topics, or, if not `turned`, the rows."""
    columns, down = topic_evidence(rows.names[1:]), topic_evidence(rows.first)
    return surely_topics(columns, down) if turned else surely_topics(down, columns)


def _identifiers(rows: _WideRows, sheet: Sheet, options: blocks.TableOptions, *, transposed: bool) -> int | None:
    """Return the column that names the rows, or None if they have no names."""
    names = rows.names
    role = "system" if transposed else "topic"
    if role in options.columns:
        return _said_place(options.columns[role], rows, sheet)
    if transposed and (beside := _system_behind_ids(rows, sheet, options)):
        return beside
    if not names:
        return 0 if _first_column_is_identifier(rows, sheet, options) else None
    named = headers.roles_of_sheet(names, sheet, ignored=options.ignored).parts.get(role)
    if named is not None:
        _refuse_system_for_topics(rows, names.index(named), sheet)
        return names.index(named)
    if not names[0] or transposed:
        return 0
    is_taken = names[0] in {*options.ignored, *options.chosen.values()}
    return 0 if not is_taken and _first_column_is_identifier(rows, sheet, options) else None


def _refuse_system_for_topics(rows: _WideRows, place: int, sheet: Sheet) -> None:
    """Refuse a column called "doc" or "item" that may be a system: it holds scores, or other names stand before it.

    Those have no title, as row numbers have none, and do more than count the rows.
    """
    if not place or unit_of_column(rows.names[place]) is TOPIC:
        return
    first = rows.column(0)
    counts = any({*first} == {str(number + start) for number in range(len(first))} for start in (0, 1))
    names_before = not rows.names[0] and not counts and len(set(first)) == len(first)
    if names_before or all(is_number(cell) and "." in cell for cell in rows.column(place)):
        raise sheet.error(
            f"column {rows.names[place]!r} could name the topics, or be a system; pass "
            f"`columns={{'topic': {rows.names[place]!r}}}` if it names them, or call the first column topic if that "
            "does"
        )


def _said_place(column: str | int | None, rows: _WideRows, sheet: Sheet) -> int | None:
    """Return the position of a column that the caller named or counted."""
    if not isinstance(column, int):
        return None if column is None else headers.place_of(column, rows.names, sheet)
    if column > rows.width:
        raise sheet.error(f"there is no column {column}; rows have {rows.width} cells")
    return column - 1


def _first_column_is_identifier(rows: _WideRows, sheet: Sheet, options: blocks.TableOptions) -> bool:
    """Judge a first column of no known name by its cells: text, or whole numbers beyond the scores, name the rows."""
    first = rows.column(0)
    if rows.names and role_of_name(rows.names[0])[0] in _NAMELESS and (ways := _ways_past_no_names(rows)):
        raise sheet.error(ways, 0)
    cells = [cell for cell, summary in zip(first, are_summaries(first), strict=True) if not summary]
    are_numbers = [is_number(cell) or cell.casefold() in SCORE_GAPS for cell in cells]
    name, ways = _ways_to_name_rows(rows)
    if not any(are_numbers):
        if rows.names or options.systems_in is not None:
            return True
        _refuse_nameless(rows, cells, sheet)
    if not all(are_numbers):
        odd = cells[are_numbers.index(False)]
        ways = (
            _way_past_words([cell for cell, is_one in zip(cells, are_numbers, strict=True) if not is_one], rows) or ways
        )
        raise rows.body.error(f"{name} holds numbers and text ({shortened(odd)!r}); {ways}", first.index(odd))
    if not all(map(str.isdecimal, cells)) or len(set(cells)) < len(cells):
        return False
    largest, all_whole = _largest_score(rows)
    scale = next((bound for bound in _SCALES if largest <= bound), largest)
    if max(map(float, cells)) > scale and not all_whole:
        return True
    raise sheet.error(f"{name} could hold topic ids or scores (whole numbers, no two alike); {ways}")


def _refuse_nameless(rows: _WideRows, cells: Sequence[str], sheet: Sheet) -> NoReturn:
    """Say what the names in the first column need, where nothing says what they and the columns name."""
    if 2 * len({*cells}) <= len(cells) and (beside := _naming_rows_with(rows, 0, ())) is not None:
        few, many = sorted((0, beside), key=lambda at: len({*rows.column(at)}))
        columns = _by_position({"system": few, "topic": many}, rows)
        raise sheet.error(
            f"rows have names that stand in several ({first_double(cells)!r}), which column {beside + 1} "
            f"distinguishes; pass `columns={columns!r}` if these name systems and topics"
        )
    if len({*cells}) < len(cells):
        numbered = r""" (awk 'BEGIN{FS=OFS="\t";print "system","item","score"}{print $1,++n[$1],$2}')"""
        way = numbered if sheet.delimiter == "\t" and rows.width == 2 else ""  # noqa: PLR2004 - a name and a score
        raise sheet.error(
            f"rows have names that repeat ({first_few([*dict.fromkeys(cells)])}), and nothing says which row of a "
            "name is about what; add a header and a column that names the item of every row, or, where every name "
            f"has the same items in one order, their numbers{way}"
        )
    message = f"rows have names ({first_few(cells)}) and columns have none, so these could be topics or systems"
    raise sheet.error(f"{message}; pass {_TOPICS_FIRST} or {_SYSTEMS_FIRST}")


def _ways_past_no_names(rows: _WideRows) -> str:
    """Say how to name systems or topics that a column of words names, and the first, a rank, a cost and so on, not."""
    used = [at for at, name in enumerate(rows.names) if name]
    words = next(
        (rows.names[at] for at in _columns_of_words(rows, used) if len({*rows.column(at)}) == len(rows.first)), ""
    )
    system, topic = (f"`columns={ {role: words}!r}`" for role in ("system", "topic"))
    ways = f"{system} if {words!r} names the systems, {topic} if it names topics"
    if words == rows.names[0] and role_of_name(words)[0] == "time":  # when somebody filled a form
        ways = f"{topic} if a row is what one answer says of all systems"
    return words and (
        f"column {rows.names[0]!r} is called as {says_of(role_of_name(rows.names[0])[0])}, and no column is known to "
        f"name rows; pass {ways}; {headers.columns_found(rows.names)}"
    )


_TOPICS_FIRST = "`columns={'topic': 1}` if these are topics"
_SYSTEMS_FIRST = "`columns={'system': 1}` if they are systems"


def _ways_to_name_rows(rows: _WideRows) -> tuple[str, str]:
    """Return what to call the first column, and the ways to say what it holds."""
    if not rows.names:
        return "column 1", f"pass {_TOPICS_FIRST}, {_SYSTEMS_FIRST}, `columns={{'topic': None}}` if they are scores"
    name = rows.names[0]
    ways = f"call it topic if it names topics, or pass `columns={{'topic': {name!r}}}`"
    return f"column {name!r}", f"{ways} (`columns={{'topic': None}}` if it is a system)"


def _way_past_words(words: Sequence[str], rows: _WideRows) -> str:
    """Say how a few rows of words below those of numbers, such as ends of intervals, are taken out."""
    sign = rows.body.delimiter
    if (
        2 * len(words) >= len(rows.first)
        or len({*words}) > _MOST_ROWS
        or sign not in {",", ";"}
        or "'" in "".join(words)
    ):
        return ""
    named = "|".join(_OF_PATTERNS.sub(r"\\\g<0>", word) for word in dict.fromkeys(words))
    return f"take these rows out, if they sum up the others (sed -E '/^\"?({named})\"? *{sign}/d')"


def _largest_score(rows: _WideRows) -> tuple[float, bool]:
    """Return the largest number behind the first column, and whether all of these are whole."""
    largest, all_whole = -math.inf, True
    for cells in rows.body.rows():
        try:
            numbers = np.fromiter(map(float, cells[1:]), dtype=np.float64, count=len(cells) - 1)
        except ValueError:
            numbers = np.array([float(cell) for cell in cells[1:] if is_number(cell)])
        numbers = numbers[np.isfinite(numbers)]
        largest = max(largest, numbers.max(initial=-math.inf))
        all_whole = all_whole and bool((numbers == np.rint(numbers)).all())
    return math.inf if largest == -math.inf else largest, all_whole


def _notes_on_identifiers(
    rows: _WideRows, place: int | None, options: blocks.TableOptions, *, transposed: bool
) -> list[str]:
    """Say so where a column of names was recognised by its cells alone."""
    names = rows.names
    if place is None or options.columns.keys() & {"topic", "system"}:
        return []
    if not names:
        return [f"column {place + 1} was taken for the {'system' if transposed else 'topic'}"]
    if not names[place] or options.systems_in or column_roles([names[place]]).parts:
        return []
    role, other = ("system", "columns") if transposed else ("topic", "rows")
    down = rows.column(place)
    are_topics = not transposed and (topic_evidence(down) > 0 or any(map(is_number, down)))
    way = "" if are_topics else f"; pass `systems_in={other!r}` if systems stand in {other}"
    return [f"column {names[place]!r} was taken for the {role}{way}"]


def _grid(rows: _WideRows, used: Sequence[int], titles: _Names, options: blocks.TableOptions) -> NDArray[np.float64]:
    """Read the cells of the used columns as numbers, shape (row, column)."""
    down = titles[0]
    numbers = np.empty((len(rows.first), len(used)))
    side_by_side = slice(used[0], used[-1] + 1) if used[-1] - used[0] == len(used) - 1 else None
    for position, cells in enumerate(rows.body.rows()):
        row_cells = [cells[at] for at in used] if side_by_side is None else cells[side_by_side]
        try:
            numbers[position] = blocks.to_numbers(row_cells, options.missing)
        except blocks.BadCellError:
            counts = blocks.counts_in(row_cells) if down and role_of_row(down[position]) == "n" else None
            numbers[position] = counts or [
                _number_or_gap(cell, (position, at), rows, used, titles, options) for at, cell in enumerate(row_cells)
            ]
    return numbers


def _number_or_gap(  # noqa: PLR0913, PLR0917 - a cell and its table
    cell: str,
    place: tuple[int, int],
    rows: _WideRows,
    used: Sequence[int],
    titles: _Names,
    options: blocks.TableOptions,
) -> float:
    """Return the number of a cell; NaN for a gap, and for a word below a name of no score, which may be left out."""
    try:
        return float(blocks.to_numbers([cell], options.missing)[0])
    except blocks.BadCellError as error:
        if error.is_gap or (titles[1] is not None and role_of_name(titles[1][place[1]])[0]):
            return math.nan
        first = _first_bad_cell if options.missing == "error" else _bad_cell
        raise first(blocks.BadCellError(place[1], cell), place[0], rows, used, titles) from None


def _first_bad_cell(
    error: blocks.BadCellError, position: int, rows: _WideRows, used: Sequence[int], titles: _Names
) -> Exception:
    """Return the error of a word, or of a gap above it in its column."""
    cells = rows.column(used[error.place])
    gaps = [at for at, cell in enumerate(cells[:position]) if cell.casefold() in SCORE_GAPS]
    position = gaps[0] if gaps else position
    return _bad_cell(blocks.BadCellError(error.place, cells[position]), position, rows, used, titles)


def _bad_cell(
    error: blocks.BadCellError, position: int, rows: _WideRows, used: Sequence[int], titles: _Names
) -> Exception:
    """Return the error of a cell that holds no number."""
    down, across = titles
    called = "" if down is None else down[position]
    cells = next(islice(rows.body.rows(), position, None))
    if rows.names and [*map(str.strip, cells[1:])] == rows.names[1:]:
        line, _ = rows.body.row(position)
        way = f" (sed '{line},$d')" * rows.body.has_lines
        return rows.body.error(
            f"the header stands here again; leave the rows from it on out, if they sum up the others{way}", position
        )
    column = f"column {used[error.place] + 1}" if across is None else f"column {across[error.place]!r}"
    row = "" if down is None else f", row {shortened(down[position])!r}"
    rule = error.rule(rows.body.delimiter, called, cells=rows.column(used[error.place]))
    hint = _way_past_column(rows, used, error.place, titles) if rule.endswith(blocks.NO_NUMBER) else ""
    return rows.body.error(f"{column}{row}: {rule}{hint}", position, of=error.kind)


def _place_in(names: Sequence[str], first: Sequence[str]) -> int:
    """Return where the last of the first names that are left stands among all, of which some may be alike.

    Examples
    --------
    >>> _place_in(["a", "mean", "b", "b"], ["a", "b", "b"])
    3
    """
    place = -1
    for name in first:
        place = names.index(name, place + 1)
    return place


class _Gaps(NamedTuple):
    """What tells where a cell stands that holds no number."""

    rows: _WideRows
    used: Sequence[int]
    titles: _Names

    def refuse(self, scores: NDArray[np.float64], named: _Left, left: _Left) -> None:
        """Refuse the first cell without a number of the rows and columns that are left; `named` are all."""
        gaps = np.argwhere(np.isnan(scores))
        if not len(gaps):
            return
        position, column = (
            _place_in(of, some[: at + 1]) for of, some, at in zip(named, left, gaps[0].tolist(), strict=True)
        )
        at_used = self.used.index(self.rows.names.index(named[1][column])) if self.titles[1] else column
        cells = next(islice(self.rows.body.rows(), position, None))
        error = blocks.BadCellError(at_used, cells[self.used[at_used]])
        raise _bad_cell(error, position, self.rows, self.used, self.titles)


def _way_past_column(rows: _WideRows, used: Sequence[int], place: int, titles: _Names) -> str:
    """Say what becomes of a column with words: named as the systems', written as numbers, or left out beside others."""
    down, across = titles
    cells = [cell for cell in rows.column(used[place]) if cell.casefold() not in SCORE_GAPS]
    name, words = across[place] if across else "", list(dict.fromkeys(cells))
    if not across or (any(map(is_number, cells)) and not role_of_name(name)[0]):
        return "; write its score, or leave the cell empty if there is none"
    listing = headers.columns_found(across)
    if underscored(name) in LABELS["label"] and (way := _way_past_labels(rows, [used[place]])):
        return way
    if down and len({*down}) < len(down) == len({*zip(down, rows.column(used[place]), strict=True)}):
        return f"; {listing}; pass `columns={ {'system': name}!r}` if that column names the systems"
    others = [at for at in used if at != used[place]]
    if all(any(map(is_number, rows.column(at))) for at in others):
        return f"; {listing}; pass `columns={ {'ignore': [name]}!r}` if {name!r} is no system"
    words_of_all = [cell for at in used for cell in rows.column(at) if not is_number(cell)]
    if graded := blocks.way_past_grades(words_of_all, rows.body.delimiter_of_lines):
        return graded
    return f"; write a number for each word of this column ({first_few(words, write=shortened)})"
