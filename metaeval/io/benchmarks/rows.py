"""Scores in JSON records, AutoJudge files and per-system tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.names import are_models, first_few, is_number, metric_evidence, shortened, topic_evidence
from metaeval.base.number_words import GAP_WORDS
from metaeval.base.unit import ITEM
from metaeval.errors import InvalidOptionError
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import brief, name_in
from metaeval.io.benchmarks.wrapped import Wrapped
from metaeval.io.blocks import PASSED, BadCellError, FileBlock, Form, TableOptions, rows_left_out, to_numbers
from metaeval.io.duplicates import each_once
from metaeval.io.headers import names_and_rows, notes_on_words, place_of, unique_names
from metaeval.io.joined_items import PROMPTED
from metaeval.io.long_tables import TREC_COUNTS, read_long
from metaeval.io.sheets import Sheet, sheet_of_rows
from metaeval.io.sources import Source
from metaeval.table.array import ATTACHED
from metaeval.table.forms import roles_of_levels
from metaeval.table.number_columns import left_out_columns, not_scores, unsure_columns
from metaeval.table.plausibility import are_summaries
from metaeval.table.roles import (
    ANSWERS,
    AVERAGES,
    TEXTS,
    RoleColumn,
    column_roles,
    part_of_word,
    role_of_name,
    says_of,
    word_of,
)
from metaeval.table.wide import surely_topics

_NAMED = frozenset({"system", "topic", "metric", "group", "repeat", "cluster", "stratum"})
"""Parts of a table that are names."""
_NUGGETS = frozenset({"strict_vital_score", "strict_all_score", "vital_score", "all_score"})
"""What nuggetizer calls its metrics."""
_ASKED = ("user_input", "question", "input")
_LEAST_TEXTS, _EXPECTED = 2, "expected"
_CASES = frozenset({"name", "actual_output"})
"""Columns of DeepEval's cases, of which the first names a case and no system."""
_INSIDE = ("scores", "metrics", "metric", "__metric__")
"""Where records may hold an object of their scores, the surest first."""
_SPAN, _OF_SPANS = "span_id", frozenset({"id", "span_id", "root_span_id", "parent_id"})
"""What names rows of a log, which are no items."""
_FEWER = 3
"""How many times fewer measures than topics there must be to tell the two by how often they repeat."""
_CELLS = 4
_SURE_NAMES = 2  # of the evidence of names
_ASSENT = frozenset({"yes", "y", "ja", "oui"})
_LEAST_FILLED = 0.5
"""Of systems by topics: documents that are judged for topics are others each time."""
_LONGEST_TEXT = 100
_SHOWN_LISTS = 5


# ------------------------------------------------------------------------------------------------------------- JSON


def holds_rows(json: Json, options: TableOptions) -> bool:
    """Whether these are records that say what they are about: a topic, or what was asked."""
    topic_column = options.chosen.get("topic")
    return any(name == topic_column or part_of_word(name) == "topic" for name in json.first) or _is_frame(json.first)


def with_scores_inside(json: Json) -> Json:
    """Return records whose scores stand in an object of their own, such as metrics, with these beside the rest."""
    inside = next((name for name in _INSIDE if isinstance(json.first.get(name), dict)), "")
    if not inside or not all(_are_scores(record, inside) for record in json.records):
        return json
    rows = [
        {**{name: of for name, of in record.items() if name != inside}, **record[inside]} for record in json.records
    ]
    return Json(json.label, _by_question(rows) if _SPAN in json.first else rows, json.lines)


def _by_question(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a log of experiments by what was asked, not by the rows' own names; of one it is the file."""
    asked = next((name for name in _ASKED if isinstance(rows[0].get(name), str)), "")
    runs = [
        name for name in rows[0] if part_of_word(name) == "system" and len({str(row.get(name)) for row in rows}) == 1
    ]
    kept = [{name: of for name, of in row.items() if name not in {*_OF_SPANS, *runs}} for row in rows]
    questions = [row.get(asked) for row in rows]
    are_names = all(_cell(text) for text in questions) and len({*questions}) == len(rows)
    return [{"item": row[asked], **row} for row in kept] if asked and are_names and runs else kept


def _are_scores(record: Mapping[str, Any], inside: str) -> bool:
    metrics = record.get(inside)
    return (
        isinstance(metrics, dict)
        and not metrics.keys() & record.keys()
        and all(score is None or isinstance(score, int | float) for score in metrics.values())
    )


def records_of_lists(json: Json) -> Json:
    """Return lists by system, or columns by name, as the records of the table that they are: a row a topic.

    So do names of columns beside lists of rows, as pandas and MLflow write them.
    """
    lists, (names, rows) = json.object, (json.object.get(key) for key in ("columns", "data"))
    if names and rows and all(isinstance(row, list) and len(row) == len(names) for row in rows):
        lists = dict(zip(map(str, names), zip(*rows, strict=True), strict=True))
    sizes = {name: len(cells) for name, cells in lists.items()}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{shortened(name)} {size}" for name, size in [*sizes.items()][:_SHOWN_LISTS])
        json.refuse(f"lists by system hold a score for every topic in one order, and these are not alike: {counts}")
    records = [dict(zip(sizes, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
    if any(part_of_word(name) in {"system", "topic"} for name in sizes):
        return Json(json.label, records)
    return Json(json.label, [{"topic": str(number), **record} for number, record in enumerate(records, start=1)])


def records_of_mappings(json: Json) -> Wrapped | None:
    """Return mappings in mappings, as pytrec_eval and ranx write them, as records; None for anything else.

    Names tell what is system, topic and metric, as in memory (`metaeval.table.forms`); of one run, topic and metric,
    and where most systems have each topic, systems and topics of one metric. So do columns by the numbers of rows,
    as pandas writes them.
    """
    tables = json.object
    if not tables or not all(isinstance(parts, dict) and parts for parts in tables.values()):
        return None
    rows_by_name = [{name: parts.get(row) for name, parts in tables.items()} for row in next(iter(tables.values()))]
    if any(part_of_word(name) for name in tables) and len({*map(frozenset, tables.values())}) == 1:
        return Wrapped(Json(json.label, rows_by_name), [])
    cells = [(outer, inner, value) for outer, parts in tables.items() for inner, value in parts.items()]
    marks = _marks([value for _, _, value in cells])
    if marks or all(_is_score(value) for _, _, value in cells):
        records = _records_of_two_levels(json, marks)
        note = " and ".join(f"{word} counts {number}" for word, number in marks.items())
        return None if records is None else Wrapped(Json(json.label, records), [note] if note else [])
    if not all(isinstance(value, dict) and all(map(_is_score, value.values())) for _, _, value in cells):
        return None
    rows = [(outer, middle, inner, score) for outer, middle, scores in cells for inner, score in scores.items()]
    try:
        roles = roles_of_levels([list(dict.fromkeys(row[at] for row in rows)) for at in range(3)]) if rows else ()
    except InvalidOptionError:
        return None
    records = [dict(zip((*roles, "score"), row, strict=True)) for row in rows]
    return Wrapped(Json(json.label, records), []) if rows else None


def _records_of_two_levels(json: Json, marks: Mapping[str, int]) -> list[dict[str, Any]] | None:
    """Return scores by topic and metric, by topic and system, or by system and topic, as records of topics."""
    tables = json.object
    inner = list(dict.fromkeys(name for parts in tables.values() for name in parts))
    evidence = [-1 if are_models(names) else topic_evidence(names) for names in (list(tables), inner)]
    by_name = {
        outer: {name: marks.get(str(score).casefold(), score) for name, score in scores.items()}
        for outer, scores in tables.items()
    }
    filled = sum(map(len, tables.values())) / (len(tables) * len(inner))
    by_topic = surely_topics(*evidence) and filled == 1
    are_metrics = metric_evidence(inner) == _SURE_NAMES
    if are_metrics or by_topic:
        outermost = "topic" if evidence[0] > 0 else "system"
        return [{outermost: name, **scores} for name, scores in by_name.items()]
    are_systems = (evidence[0] <= 0 or surely_topics(*reversed(evidence))) and metric_evidence(tables) < _SURE_NAMES
    if not are_systems or len(tables) == 1 or filled < _LEAST_FILLED:
        return None
    return [{"topic": topic} | {name: scores.get(topic) for name, scores in by_name.items()} for topic in inner]


def _marks(values: Sequence[object]) -> dict[str, int]:
    """Return 1 and 0 by the two words, true and false included, that are all that values say; nothing for others.

    Yes and no may be labels of anything.
    """
    spoken = {str(value).casefold() if isinstance(value, str | bool) else "" for value in values if value is not None}
    pair = next((pair for pair in PASSED.items() if spoken and spoken <= {*pair} and pair[0] not in _ASSENT), None)
    return dict(zip(pair, (1, 0), strict=True)) if pair else {}


def _is_score(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def sheet_of_records(json: Json, options: TableOptions) -> tuple[Sheet, TableOptions]:
    """Return JSON records as the table they are, so that every rule of tables is theirs.

    A name that holds words or further objects, and has no part in a table of scores, is left out.
    """
    records = json.records
    if not records:
        json.refuse("JSON that holds scores is a list of objects, or an object a line")
    names = json.names
    frame = options.form in {None, "frame"} and holds_frame(names, options)
    mentioned = {
        *options.chosen.values(),
        *options.ignored,
        *options.where,
        *([name for name in names if name in _ASKED] if frame else []),
    }
    open_names = [name for name in names if name not in mentioned]
    left_out = [name for name in open_names if part_of_word(name) is None and _holds_texts(name, records)]
    left_out += _texts_beside_names([name for name in open_names if part_of_word(name) == "topic"], records)
    selected = [name for name in names if name not in left_out]
    _check_names(json, selected, options)
    rows = [[_cell(record.get(name)) for name in selected] for record in records]
    for at, row in enumerate(rows):
        if not any(row):
            json.refuse(f"nothing stands under any name that counts ({first_few(selected)})", at=at)
        if None in row:
            json.refuse(
                "here stands a name or a number on one line, nothing nested", at=at, key=selected[row.index(None)]
            )
    texts = ([cell or "" for cell in row] for row in rows)
    sheet = sheet_of_rows(json.label, selected, zip(json.lines or repeat(None), texts, strict=False), left_out=left_out)
    return sheet, replace(options, form="frame") if frame else options


def _check_names(json: Json, names: Sequence[str], options: TableOptions) -> None:
    """Refuse numbers with a point, and truth values, where a name stands: digits of 1.10 and 1e3 are lost already."""
    chosen = {column: role for role, column in options.chosen.items()}
    for name in names:
        if chosen.get(name, part_of_word(name)) in _NAMED:
            kinds = [type(record.get(name)) for record in json.records]
            if {float, bool} & {*kinds}:
                at = next(position for position, kind in enumerate(kinds) if kind in {float, bool})
                name_in(json, json.records[at][name], name, at=at, key=name)


def _texts_beside_names(names: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which names of topics hold texts of several lines, where another holds names."""
    texts = [name for name in names if any("\n" in str(record.get(name)).strip() for record in records)]
    return texts if len(texts) < len(names) else []


def _holds_texts(name: str, records: Iterable[Mapping[str, Any]]) -> bool:
    """Whether records hold no number under this name, and no texts as short as labels are, or those of identifiers."""
    values = [value for record in records if (value := record.get(name)) is not None]
    if any(isinstance(value, int | float) for value in values):
        return False
    return (
        not values
        or role_of_name(name)[0] == "id"
        or any(_cell(value) is None or len(value) > _LONGEST_TEXT for value in values)
    )


def _cell(value: object) -> str | None:
    """Return a value as text; None for what is nested or has several lines."""
    if isinstance(value, str):
        return value if "\n" not in value and "\r" not in value else None
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else None if isinstance(value, dict | list) else repr(value)


# -------------------------------------------------------------------------------------------------------- AutoJudge


def find_four(sheet: Sheet) -> Form | None:
    """Tell four columns without a header (AutoJudge): run, measure, topic, value, or run, topic, measure, value.

    Averages (topic "all") tell the order, else names of measures or topics, else that measures repeat far more often.
    """
    rows = sheet.sample()
    if any(len(cells) != _CELLS for cells in rows) or not is_number(rows[0][3]):
        return None
    numbered = all(any(is_number(cells[column]) for cells in rows) for column in (1, 2))
    # a name may look like a number, but not every one
    if numbered or all(is_number(cells[0]) for cells in chain(rows, sheet.rows()) if len(cells) == _CELLS):
        return None
    second: dict[str, None] = {}
    third: dict[str, None] = {}
    for cells in sheet.rows():
        if len(cells) == _CELLS:
            second[cells[1].strip()] = third[cells[2].strip()] = None
    seconds, thirds = list(second), list(third)
    as_all = [any(name.casefold() in AVERAGES for name in names) for names in (seconds, thirds)]
    if as_all[0] != as_all[1]:
        return "ir_measures" if as_all[0] else "tot"
    evidence = [topic_evidence(names) - metric_evidence(names) for names in (seconds, thirds)]
    if max(evidence) > 1 and min(evidence) < 1:
        return "ir_measures" if evidence[0] > evidence[1] else "tot"
    if len(thirds) >= _FEWER * len(seconds):
        return "tot"
    if len(seconds) >= _FEWER * len(thirds):
        return "ir_measures"
    raise sheet.error(
        f"four columns without a header, and either of the middle two ({rows[0][1]!r}, {rows[0][2]!r}) could be the "
        "measure; say which: `columns={'system': 1, 'metric': 2, 'topic': 3, 'score': 4}`, or "
        "`columns={'system': 1, 'topic': 2, 'metric': 3, 'score': 4}`"
    )


def read_four(sheet: Sheet, source: Source, options: TableOptions, *, metric: int, topic: int) -> FileBlock:
    """Read four columns: run, value last, measure and topic at `metric` and `topic`, from 0.

    A measure whose values are words is left out, and so are counts of documents beside measures, unless asked for.
    """
    texts: dict[str, None] = {}
    numbers: set[str] = set()
    for cells in sheet.rows():
        if len(cells) == _CELLS:
            name, value = cells[metric].strip(), cells[3].strip()
            if is_number(value) or value.casefold() in GAP_WORDS:
                numbers.add(name)
            else:
                texts[name] = None
    words = [name for name in texts if name not in numbers]
    counts = sorted(numbers & TREC_COUNTS - {*(options.metrics or ())})
    out = {*words, *(counts if len(counts) < len(numbers) else ())}
    body = sheet.only(lambda cells: len(cells) != _CELLS or cells[metric].strip() not in out) if out else sheet
    columns = {"system": 1, "metric": metric + 1, "topic": topic + 1, "score": 4}
    block = read_long(body, source, replace(options, columns=columns))
    note = [f"left out measures of words ({first_few(words)})"] if words else []
    note += [f"left out counts ({', '.join(counts)})"] if {*counts} & out else []
    return replace(block, notes=[*note, *block.notes])


# ----------------------------------------------------------------------------------------------------------- frames


def holds_frame(names: Sequence[str], options: TableOptions) -> bool:
    """Whether a header is that of a frame: words asked and answered, no system, and no single score."""
    if not _is_frame(names):
        return False
    parts = dict(column_roles(names, chosen=options.chosen, ignored=options.ignored).parts)
    if {*names} >= _CASES and parts.get("system") in _CASES:
        del parts["system"]
    beside = {name for name in names if name.casefold() not in TEXTS} - {*parts.values()}
    return not parts.keys() & {"system", "metric"} and not ("score" in parts and beside)


def _is_frame(names: Iterable[str]) -> bool:
    headers = {name.casefold() for name in names}
    if any(map(PROMPTED.match, headers)):
        return False
    texts = TEXTS & headers
    if {name for name in texts if part_of_word(name) != "topic"} == {_EXPECTED}:
        return False  # a question and its right answer, beside which systems may stand
    return max(len(texts), len(_NUGGETS & headers)) >= _LEAST_TEXTS


def _no_metrics(sheet: Sheet, names: Sequence[str], values: Floats, asked_for: set[str]) -> list[RoleColumn]:
    """Return the columns of numbers that are no metrics, such as costs and thresholds, by what they are called."""
    by_role = not_scores(names, values, along="cell", kept=asked_for)
    left = [column for column in by_role if role_of_name(column.name)[0]]
    if doubts := unsure_columns(left):
        raise sheet.error(doubts)
    return left


def read_record_frame(sheet: Sheet, source: Source, options: TableOptions) -> FileBlock:
    """Read a frame of ragas, DeepEval and the like: the file is a system, a row an item, a column a metric.

    Columns of words are left out. Rows are numbered unless a column says which item they are, and what was asked in a
    row must be the same in every file.
    """
    names, rows, body = names_and_rows(sheet)
    roles = column_roles(
        [name for name in names if name.casefold() not in TEXTS or name in options.chosen.values()],
        chosen=options.chosen,
        ignored=options.ignored,
    )
    for column in [*options.chosen.values(), *options.ignored]:
        place_of(column, names, sheet)
    columns = {name: [cells[at].strip() for cells in rows] for at, name in enumerate(names) if name}
    numeric: list[str] = []
    words: list[str] = []
    asked_for = {*(options.metrics or ()), *options.chosen.values()}
    numbers_of_rows = [name for name in roles.others if role_of_name(name)[0] == "id" and name not in asked_for]
    metrics_too = [*roles.others, *(name for role, name in roles.parts.items() if role == "score")]
    for name in (name for name in metrics_too if name not in numbers_of_rows):
        (numeric if _is_numeric(name, columns[name], body) else words).append(name)
    words += [name for name in names if name.casefold() in TEXTS and name not in roles.parts.values()]
    if not numeric:
        raise sheet.error(f"no column holds numbers: {first_few(words)}; a frame has a column for every metric")
    topic = roles.parts.get("topic", roles.parts.get("system"))
    labels = [str(number) for number in range(1, len(rows) + 1)] if topic is None else columns[topic]
    scores = _scores_in({name: columns[name] for name in numeric}, options, body)
    left = _no_metrics(sheet, numeric, scores.T, asked_for)
    is_metric = [name not in {column.name for column in left} for name in numeric]
    numeric, scores = list(compress(numeric, is_metric)), scores[is_metric]
    summaries = are_summaries(labels)
    real = [at for at, summary in enumerate(summaries) if not summary]
    asked = next((name for name in _ASKED if name in columns), None)
    told = {name: columns[name] for name in words}
    beside = {name: cells for name, cells in told.items() if topic is not None or name != asked}
    numbered = topic is None and asked is not None
    notes = [f"rows are items, numbered from 1, and {asked!r} says what each asks"] * numbered
    notes += notes_on_words(beside, clustered=bool({"cluster", "stratum"} & roles.parts.keys()))
    notes += left_out_columns([*(RoleColumn(name, "id", says_of("id")) for name in numbers_of_rows), *left])
    notes += rows_left_out([label for label, summary in zip(labels, summaries, strict=True) if summary])
    metrics, called, values = unique_names(numeric, "metric", body), [labels[at] for at in real], scores[:, real]
    topics = called
    if options.duplicates != "error":
        metrics, topics, values = each_once(metrics, called, values, options.duplicates, notes)
    topics = unique_names(topics, "topic", body)

    def by_topic(column: str) -> dict[str, str]:
        return {called[number]: columns[column][at] for number, at in reversed([*enumerate(real)])}  # the first counts

    attached: dict[str, dict[str, Any]] = {
        role: by_topic(column) for role, column in roles.parts.items() if ATTACHED.get(role) == "topic"
    }
    if asked is not None:
        attached["question"] = {label: brief(text, _LONGEST_TEXT) for label, text in by_topic(asked).items()}
    return FileBlock(
        label=source.path,
        scores=values[:, None],
        labels={"metric": metrics, "system": [source.own_name], "topic": topics},
        notes=notes,
        attached=attached,
        numbered=topic is None,
        texts={name: by_topic(name) for name in _apart(told)},
        tag=source.own_name if source.name is None else None,
        unit=ITEM,
    )


def _scores_in(columns: Mapping[str, Sequence[str]], options: TableOptions, body: Sheet) -> Floats:
    """Return the numbers of columns; an error where a cell holds none. Shape (column, row)."""
    scores = []
    for name, cells in columns.items():
        try:
            scores.append(to_numbers(cells, options.missing))
        except BadCellError as error:
            raise body.error(f"{name!r}: {error.rule(body.delimiter)}", error.place) from None
    return np.array(scores)


def _apart(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns that hold other words in every row, and are not called as what a system answered."""
    return [
        name
        for name, cells in columns.items()
        if all(cells) and len({*cells}) == len(cells) and word_of(name.rpartition(".")[0] or name) not in ANSWERS
    ]


def _is_numeric(name: str, cells: Sequence[str], body: Sheet) -> bool:
    """Whether a column holds numbers; an error where it holds words beside them."""
    filled = [cell for cell in cells if cell.casefold() not in GAP_WORDS]
    numbers = [is_number(cell) for cell in filled]
    if not any(numbers):
        return False
    if not all(numbers):
        odd = filled[numbers.index(False)]
        message = (
            f"column {name!r} holds numbers and {shortened(odd)!r}; a metric is all numbers, so repair it, or leave "
            f"the column out (`columns={{'ignore': [{name!r}]}}`)"
        )
        raise body.error(message, cells.index(odd))
    return True
