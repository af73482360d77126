"""Long tables: a row a score, a row a system and topic, or what trec_eval and ir_measures print."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.names import first_double, first_few, merge_labels, shortened
from metaeval.base.unit import speaking_of, unit
from metaeval.errors import ScoresError
from metaeval.io.blocks import (
    NO_NUMBER,
    BadCellError,
    FileBlock,
    SpreadlessError,
    TableOptions,
    metric_note,
    refuse_points_between_thousands,
    rows_left_out,
    to_numbers,
    way_past_grades,
)
from metaeval.io.corpus_means import size_column
from metaeval.io.duplicates import note_of, single
from metaeval.io.headers import note_of_unnamed, ragged, unique_names
from metaeval.io.long_columns import TRUTHS, LongColumns, is_outcome, long_columns, sets_of_rows
from metaeval.io.sheets import Sheet, header_names
from metaeval.io.sources import Source
from metaeval.table.array import ATTACHED, DIMS, REPEAT, Codes, dims_of, first_repeat, laid_out, place_rows
from metaeval.table.folds import note_of_folds
from metaeval.table.named_repeats import repeats_of_metrics
from metaeval.table.offered_clusters import offered_clusters, taken_clusters
from metaeval.table.plausibility import are_summaries, left_out_rows
from metaeval.table.roles import ANSWERS, SPREADS, TEXTS, is_whole, unit_of_column, word_of

_FEWEST_RATINGS = 3
"""How many systems are called as ratings where none is meant."""
RESULT_CELLS = 3
"""Columns that trec_eval -q and ir_measures -q print."""
TREC_TEXTS = frozenset({"runid", "relstring"})
"""What trec_eval prints between its measures that is no number."""
TREC_COUNTS = frozenset({"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"})
"""What trec_eval and Galago count beside their measures."""


def read_long(sheet: Sheet, source: Source, options: TableOptions) -> FileBlock:
    """Read a table with a row a score, or a row a system and topic and a column a metric."""
    if options.positions:
        if not {"topic", "score"} <= options.positions.keys():
            raise sheet.error(f"`columns` counts columns, but not those of topic and score: {dict(options.columns)}")
        return _LongRows(sheet, options, options.positions).block(source)
    body = sheet.without_header()
    names = _names_over(body, header_names(sheet.sample()[0]))
    layout = long_columns(sheet, body, names, options)
    column_of = {name: at for at, name in enumerate(names) if name}
    places = {role: column_of[column] for role, column in layout.parts.items()}
    unit = unit_of_column(layout.parts["topic"].strip())
    rows = _LongRows(body, options, places, [(name, column_of[name]) for name in layout.metrics])
    rows.twice = partial(sets_of_rows, body, names, layout.parts, layout.left_out)
    one_system = "system" not in layout.parts
    if one_system and "metric" not in layout.parts and not layout.metrics:  # the file names its system
        rows.metric = layout.parts["score"].strip()
    with speaking_of(unit):
        block = rows.block(source)
    if by := size_column(layout.left_out):
        sizes = {row[places["topic"]].strip(): row[column_of[by]].strip() for row in body.rows()}
        block = replace(block, sizes=(by, sizes))
    with speaking_of(unit):
        block = replace(block, notes=[*block.notes, *taken_clusters(layout.parts, options.columns)])
    beside = {
        name: [row[column_of[name]].strip() for row in body.rows()] for name in _words_beside(layout, options.ignored)
    }
    if beside:
        with speaking_of(unit):
            offered = offered_clusters(beside, [row[places["topic"]].strip() for row in body.rows()])
        block = replace(block, notes=[*block.notes, *offered])
    folds = note_of_folds(layout.parts["topic"], block.labels["topic"])
    notes = [*note_of_unnamed(names, places["topic"]), *layout.notes, *folds, *block.notes]
    asked = [name for name in layout.left_out if one_system and word_of(name) in TEXTS - ANSWERS]
    texts = {name: _words_by_topic(body, places["topic"], column_of[name]) for name in asked}
    return replace(block, unit=unit, one_system=one_system, notes=notes, texts=texts)


def _words_beside(layout: LongColumns, ignored: Sequence[str]) -> list[str]:
    """Return the columns that may put topics into groups, where no column is known to."""
    known = {"cluster", "stratum"} & layout.parts.keys()
    return [] if known else [*layout.left_out, *ignored]


def _words_by_topic(body: Sheet, topic: int, column: int) -> dict[str, str]:
    """Return what stands in a column by topic, where every topic has words of its own; nothing where not."""
    words: dict[str, str] = {}
    for cells in body.rows():
        if words.setdefault(cells[topic].strip(), cells[column].strip()) != cells[column].strip():
            return {}
    return words if len({*words.values()}) == len(words) else {}


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


def read_results(sheet: Sheet, source: Source, options: TableOptions, *, metric: int, topic: int) -> FileBlock:
    """Read what trec_eval or ir_measures prints for one system: columns `metric`, `topic` and a value.

    The system has the name given, else its run tag (trec_eval's ``runid``), else the file's name.
    """
    tags: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for position, cells in enumerate(sheet.rows()):
        name = cells[metric].strip() if len(cells) > metric else ""
        if name == "runid" and len(cells) == RESULT_CELLS:
            tags[cells[2].strip()] = None
        elif name in TREC_COUNTS or name in TREC_TEXTS:
            left_out[name] = None
        elif any(map(str.strip, cells[RESULT_CELLS:])):
            message = f"a row of {len(cells)} cells; results have {RESULT_CELLS}: a measure, a topic and a value"
            raise sheet.error(message, position)
    if len(tags) > 1:
        raise sheet.error(f"results of several runs ({first_few(list(tags))}) in one file; give every run its own file")
    skipped = TREC_COUNTS | TREC_TEXTS
    body = sheet.only(lambda cells: len(cells) <= metric or cells[metric].strip() not in skipped)
    tag = next(iter(tags), None) if source.name is None else None
    block = _LongRows(body, options, {"metric": metric, "topic": topic, "score": 2}).block(source, tag)
    note = [f"left out counts and texts ({', '.join(left_out)})"] if left_out else []
    return replace(block, notes=[*note, *block.notes], tag=tag)


class _LongRows:
    """The rows of a long table: one score a row (`places` holds "score"), or one metric a column (`metrics`)."""

    def __init__(
        self, body: Sheet, options: TableOptions, places: Mapping[str, int], metrics: Sequence[tuple[str, int]] = ()
    ) -> None:
        self.body, self.options, self.places, self.metrics = body, options, places, metrics
        self.score_columns = list(metrics) or [("score", places["score"])]
        self.names = {role: Codes() for role in places if role != "score"}
        self.labels: dict[str, list[str]] = {}
        self.metric: str | None = None  # what the scores are of, where the file's name is that of its system
        self.truths: dict[str, bool] = {}  # whether a score column says true and false, by its name
        self.twice: Callable[[], str] = str  # says what a column left out may be, where scores recur without it

    def block(self, source: Source, system: str | None = None) -> FileBlock:
        """Lay the table out."""
        if source.name is not None and "system" in self.places and ("metric" in self.places or self.metrics):
            raise self.body.error(
                f"the file names its systems and metrics itself, so {source.name!r} has nothing to name; give the path"
            )
        named = self.options.chosen.get("score") if source.name is None else None  # a column that somebody named
        named = self.metric or named
        constants = {"metric": named or source.own_name, "system": system or source.own_name}
        codes, numbers = self._columns()
        columns = {place: name for name, place in self.score_columns}
        refuse_points_between_thousands(self.body, numbers.reshape(len(numbers), -1), columns)
        labels = self.labels
        for dim in (*DIMS, REPEAT):
            if dim in self.places:
                codes[dim], labels[dim] = self._labels_of(codes[dim], dim)
            elif dim in constants:  # what a row says of metrics in columns of their own it says of all
                codes[dim], labels[dim] = np.zeros(len(numbers), dtype=np.int64), [constants[dim]]
        self._refuse_ratings(labels["system"], labels["topic"])
        rows, notes = self._rows_of_topics(codes["topic"])
        told = [repr(self.metric or name) for name, is_true in self.truths.items() if is_true]
        notes += [f"true counts 1 and false 0 under {first_few(told)}"] if told else []
        is_file = not (named or "metric" in self.places or self.metrics or source.name)
        notes += metric_note(source) if is_file else []
        attached = {
            role: self._one_each(role, dim, codes)
            for role, dim in ATTACHED.items()
            if role in self.places and dim in labels
        }
        if rows is not None:
            self._refuse_averaged_systems(codes["system"], rows)
            codes, numbers = {dim: codes[dim][rows] for dim in labels}, numbers[rows]
            for dim in labels:
                present, codes[dim] = np.unique(codes[dim], return_inverse=True)
                labels[dim] = [labels[dim][code] for code in present]
        if self.metrics:
            metrics = np.arange(len(self.metrics), dtype=np.min_scalar_type(len(self.metrics)))
            codes = {dim: np.repeat(codes[dim], len(metrics)) for dim in labels}
            codes["metric"] = np.tile(metrics, len(numbers))
            labels["metric"] = unique_names([name for name, _ in self.metrics], "metric", self.body)
            attached |= {
                role: dict.fromkeys(labels["metric"], *of_all.values())
                for role, of_all in attached.items()
                if ATTACHED[role] == "metric"
            }
        scores = self._laid_out(codes, numbers.ravel(), rows, notes)
        scores, labels, told = self._with_repeats(scores, labels)
        notes += told
        for dim in dims_of(labels)[1:]:
            axis = dims_of(labels).index(dim)
            stay, more = left_out_rows(labels[dim], np.moveaxis(scores, axis, 0).reshape(len(labels[dim]), -1), dim)
            if len(stay) < len(labels[dim]):
                scores, labels[dim] = np.take(scores, stay, axis=axis), [labels[dim][at] for at in stay]
            notes += more
        return FileBlock(
            label=source.path, scores=scores, labels=labels, notes=notes, attached=attached, called_as_file=is_file
        )

    def _with_repeats(
        self, scores: Floats, labels: dict[str, list[str]]
    ) -> tuple[Floats, dict[str, list[str]], list[str]]:
        """Return scores under columns called as runs of one with repeats, unless somebody named metrics."""
        open_columns = bool(self.metrics) and self.options.metrics is None
        return repeats_of_metrics(scores, labels) if open_columns else (scores, labels, [])

    def _columns(self) -> tuple[dict[str, NDArray[np.integer]], Floats]:
        """Read the columns in one pass: codes of those that name something, numbers of those with scores."""
        body, places = self.body, self.places
        indices = {role: places[role] for role in self.names}
        if (coded := body.coded(indices, [column for _, column in self.score_columns])) is not None:
            for role, names in coded.names.items():
                self.names[role].update((name, code) for code, name in enumerate(names))
            self.options.check_systems(len(self.names.get("system", ())), more=True)
            return coded.codes, coded.numbers
        codes: dict[str, list[Ints]] = {role: [] for role in self.names}
        numbers: list[Floats] = []
        start, width = 0, len(next(body.rows(), []))
        if width <= max([*places.values(), *(column for _, column in self.score_columns)]):
            raise body.error(f"rows have {width} cells; there must be one for each of {', '.join(places)}")
        for chunk in body.chunks():
            position = next((at for at, cells in enumerate(chunk) if len(cells) != width), None)
            if position is not None:
                raise body.error(ragged(chunk[position], width, body), start + position)
            columns = list(zip(*chunk, strict=True))
            for role, indices in self.names.items():
                codes[role].append(np.fromiter(map(indices.__getitem__, columns[places[role]]), np.int64, len(chunk)))
            self.options.check_systems(len(self.names.get("system", ())), more=True)
            numbers.append(self._numbers_in(columns, start))
            start += len(chunk)
        return {role: np.concatenate(pieces) for role, pieces in codes.items()}, np.concatenate(numbers)

    def _numbers_in(self, columns: Sequence[Sequence[str]], start: int) -> Floats:
        """Read the score columns of some rows as numbers, shape (row, column)."""
        names, places = zip(*self.score_columns, strict=True)
        n_rows, by_row = len(columns[0]), len(places) > len(columns[0])  # the longer way is the faster one
        numbers = np.empty((n_rows, len(places)))
        for at in range(n_rows if by_row else len(places)):
            cells = [columns[position][at] for position in places] if by_row else columns[places[at]]
            try:
                parsed = to_numbers(cells, self.options.missing) if by_row else self._parsed(names[at], cells)
                numbers[at if by_row else slice(None), slice(None) if by_row else at] = parsed
            except BadCellError as error:
                row, column = (at, error.place) if by_row else (error.place, at)
                cell_names = {dim: columns[self.places[dim]][row] for dim in DIMS if dim in self.places}
                words = {"topic": unit().topic}
                about = ", ".join(f"{words.get(dim, dim)} {shortened(name)!r}" for dim, name in cell_names.items())
                rule = error.rule(self.body.delimiter, cell_names["topic"].strip(), cells=columns[places[column]])
                before = columns[: places[column]] if len(names) == 1 else None
                rule += (
                    way_past_grades(columns[places[column]], self.body.delimiter_of_lines, others=before)
                    if rule.endswith(NO_NUMBER)
                    else ""
                )
                raise self.body.error(f"{names[column]!r} of {about}: {rule}", start + row, of=error.kind) from None
        return numbers

    def _parsed(self, name: str, cells: Sequence[str]) -> Floats:
        """Return the numbers of a column; of one called as a score that says true and false throughout, 1 and 0."""
        says = name == "score" or is_outcome(name)
        values = [TRUTHS.get(cell.strip().casefold()) for cell in cells] if says and cells[0][:1] in "tTfF" else [None]
        is_true = None not in values
        if self.truths.setdefault(name, is_true) != is_true:
            raise BadCellError(0, cells[0])
        return np.array(values, dtype=np.float64) if is_true else to_numbers(cells, self.options.missing)

    def _labels_of(self, codes: NDArray[np.integer], dim: str) -> tuple[NDArray[np.integer], list[str]]:
        names = list(self.names[dim])
        try:
            return merge_labels(codes, names, dim)
        except ScoresError:
            for code, name in enumerate(names):
                try:
                    merge_labels(codes[:0], [name], dim)
                except ScoresError as error:
                    raise self.body.error(str(error), int(np.flatnonzero(codes == code)[0])) from error
            raise

    def _rows_of_topics(self, codes: NDArray[np.integer]) -> tuple[Ints | None, list[str]]:
        """Return the rows that are about one topic, not an average, None for all of them; and what was left out."""
        names = self.labels["topic"]
        summaries = np.array(are_summaries(names), dtype=bool)
        if not summaries.any():
            return None, []
        rows = np.flatnonzero(~summaries[codes])
        if not len(rows):
            topic = unit().topic
            spread = next((name for name in names if word_of(name) in SPREADS), "")
            way = f"write the scores of every {topic} (option -q)"
            if spread:
                way += f", or for ranks a row a system, each {spread} in a column called as its mean and _{spread}"
            raise self.body.error(f"only averages ({', '.join(names)}) and no {topic}; {way}")
        return rows, rows_left_out([*compress(names, summaries)])

    def _refuse_ratings(self, systems: Sequence[str], rated: Sequence[str]) -> None:
        """Refuse what several ratings give whole systems, each on its scale, where a rating would be a system."""
        ratings = [name for name in systems if is_whole(name)]
        if len(ratings) < _FEWEST_RATINGS or "system" in self.options.chosen:
            return
        raise self.body.error(
            f"{first_few(ratings)} are called as ratings of whole systems, each on a scale of its own, and none "
            f"is a system; these have one number each ({first_few(rated)}), without the spread that tells whether a "
            "difference is more than luck: give the votes (metaeval votes) or the scores of every item",
            of=SpreadlessError,
        )

    def _refuse_averaged_systems(self, codes: NDArray[np.integer], rows: Ints) -> None:
        """Refuse a system that would go with its averages; a metric may (trec_eval has only means of some)."""
        names = self.labels["system"]
        averaged = np.ones(len(names), dtype=bool)
        averaged[codes[rows]] = False
        if averaged.any():
            system = int(np.argmax(averaged))
            topic = unit().topic
            message = (
                f"system {names[system]!r} has only averages and no {topic}; write those of every {topic}, or leave it "
                "out"
            )
            raise self.body.error(message, int(np.argmax(codes == system)))

    def _one_each(self, part: str, dim: str, codes: Mapping[str, NDArray[np.integer]]) -> dict[str, str]:
        """Return what a column says of every system (its group) or metric (its direction), once for each."""
        places, labels = Codes(), self.labels[dim]
        merged = np.array([places[name.strip()] for name in self.names[part]], dtype=np.int64)
        names = list(places)
        pair_codes = codes[dim] * len(names) + merged[codes[part]]
        pairs, first = np.unique(pair_codes, return_index=True)
        owners = pairs // len(names)
        again = np.flatnonzero(np.diff(owners) == 0)
        if len(again):
            first_name, second_name = (names[pair % len(names)] for pair in pairs[again[0] : again[0] + 2])
            message = (
                f"{dim} {labels[owners[again[0]]]!r} has more than one {part}: {first_name!r} and {second_name!r}; "
                f"keep one"
            )
            if part == "weight":
                message += f", or leave the column out if it weighs no {unit().topics}"
            elif dim == "topic":
                message += (
                    f", or, where the names of {unit().topics} are used again in every {part}, write both into one "
                    f"column ({second_name + '/' + labels[owners[again[0]]]!r})"
                )
            raise self.body.error(message, int(first[again[0] : again[0] + 2].max()))
        return {labels[owner]: names[pair % len(names)] for owner, pair in zip(owners, pairs, strict=True)}

    def _laid_out(
        self, codes: Mapping[str, NDArray[np.integer]], numbers: Floats, rows: Ints | None, notes: list[str]
    ) -> Floats:
        labels, body = self.labels, self.body
        repeat = first_repeat(codes, labels)
        rule = self.options.duplicates
        if repeat is not None and rule != "error":
            selected, numbers, n_left = single(place_rows(codes, labels), numbers, rule)
            codes = {dim: codes[dim][selected] for dim in labels}
            notes += note_of(n_left, "score", rule)
        elif repeat is not None:
            if sets := self.twice():
                raise body.error(sets)
            later, earlier = (row // max(len(self.metrics), 1) for row in repeat)
            later, earlier = (later, earlier) if rows is None else (int(rows[later]), int(rows[earlier]))
            metric, system, topic, *again = (labels[dim][codes[dim][repeat[0]]] for dim in dims_of(labels))
            before = f"on line {body.row(earlier)[0]}" if body.has_lines else f"in row {earlier + 1}"
            about = f"{unit().topic} {topic!r}" + "".join(f", repeat {name!r}," for name in again)
            message = f"system {system!r} has a score on {about} under {metric!r} {before} already; "
            if "system" not in self.places:
                message += "no column names the systems, so all rows count as one: add a column system; else "
            repeats = "" if again else "; repeats (trials, seeds) are numbered in a column repeat"
            raise body.error(f"{message}keep one of them, or pass `duplicates='first'` or `'mean'`{repeats}", later)
        return laid_out(codes, labels, numbers)
