"""Which column of a long table is which, told by names first and by what the columns hold where these do not tell."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from metaeval.base.columns import JUDGES, STATES, are_people, likely_person, underscored
from metaeval.base.label_words import COMPARES_JUDGES
from metaeval.base.names import are_metrics, count, first_few, is_measure, is_number, is_word, natural_order
from metaeval.base.number_words import SCORE_GAPS
from metaeval.base.unit import unit
from metaeval.errors import ScoresError
from metaeval.io.blocks import PASSES, SpreadlessError, TableOptions, way_past_grades
from metaeval.io.headers import columns_found, ways_to_name
from metaeval.io.sheets import Sheet, header_names
from metaeval.table.array import REPEAT
from metaeval.table.number_columns import left_out_columns, no_metrics, settings_between, unsure_columns
from metaeval.table.offered_clusters import columns_of_group_numbers
from metaeval.table.roles import (
    TEXTS,
    WITHIN_ITEMS,
    RoleColumn,
    beside_metrics,
    conditions_for_items,
    is_measured_cost,
    items_by_structure,
    named_by_models,
    part_of_word,
    refuse_items_of_one,
    role_of_name,
    tells_sizes,
    ways_to_sizes,
    word_of,
)
from metaeval.table.runs import no_runs
from metaeval.table.wide import grid_among

_MOST_ROWS, _MOST_CELLS = 20_000, 100_000
"""Rows, and cells, that tell what columns hold."""
_OUTCOME = re.compile(r"pass[@^]\d+|passed|reward|success|(is_)?(resolved|correct|solved)")
"""What programs that run tasks call their one metric."""
TRUTHS = {"true": 1.0, "false": 0.0}
"""What counts as a score where the name of its column says what is true."""
_BEFORE = frozenset({"rank", "id", "n", "time", "version", "aggregate", "cost", "size"})
"""Roles of columns that stand before the names of systems on boards."""
_STATES = STATES | {"iteration", "iter", "best_epoch", "checkpoint"}
"""What counts the states of one training, of which none repeats another."""
_FOLDS, _MOST_SETS = frozenset({"fold", "folds"}), 8
"""More sets than conditions, datasets or folds make are parts of what items are."""
_REPEATED = frozenset({"seed", "id", "rank", "n", "time"})
"""Roles of columns that may number the repeats of a score."""


class LongColumns(NamedTuple):
    """The columns of a long table."""

    parts: dict[str, str]
    """Part to the name of its column."""
    metrics: list[str]
    """Columns that hold a metric each; none where one column holds the scores."""
    left_out: list[str]
    """Columns that hold neither."""
    notes: list[str]


def is_outcome(name: str) -> bool:
    """Whether a column is called like a measure, or as programs that run tasks call their one metric.

    Examples
    --------
    >>> is_outcome("scores.match.correct"), is_outcome("pass@1"), is_outcome("failed")
    (True, True, False)
    """
    return is_measure(name) or _OUTCOME.fullmatch(name.casefold().rpartition(".")[-1]) is not None


def hold_metrics(columns: Sequence[str], sheet: Sheet, *, asked: bool = False) -> bool:
    """Whether all columns of numbers without a role are called like metrics, so that a table is of one system.

    Where that form was `asked` for, columns of numbers alone are metrics whatever they are called.
    """
    header, *rows = sheet.sample()
    places = {name: at for at, name in enumerate(header_names(header))}
    full_rows = [row for row in rows if len(row) == len(header)]
    if grid_among(columns):
        return False
    sure = [name for name in columns if is_outcome(name)]
    open_columns = [
        name
        for name in columns
        if name not in sure
        and not role_of_name(name)[0]
        and not _holds_words([row[places[name]] for row in full_rows], is_text=word_of(name) in TEXTS)
    ]
    told = are_metrics([*sure, *open_columns]) or (asked and len(sure) + len(open_columns) == len(columns))
    return bool(sure or open_columns) and (not open_columns or told)


def _holds_words(cells: Sequence[str], *, is_text: bool = False) -> bool:
    """Whether cells hold words alone, or where their column is called as one of texts, no number."""
    if is_text:
        return not any(map(is_number, cells))
    return all(is_word(cell) or cell.strip().casefold() in SCORE_GAPS for cell in cells)


def names_repeat(body: Sheet, names: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether the names in some columns stand together in two rows, as systems do in a long table."""
    places, seen = [names.index(column) for column in columns], set[tuple[str, ...]]()
    for cells in body.rows():
        name = tuple(cells[at].strip() if len(cells) > at else "" for at in places)
        if name in seen:
            return True
        seen.add(name)
    return False


def system_beside_roles(names: Sequence[str], body: Sheet, said: object = None, ignored: Collection[str] = ()) -> int:
    """Return the place of a column of systems, so called or `said`, behind ranks and what is `ignored` alone; or 0.

    Where every row is of another system, words before its name say something of it, such as its type or precision.
    """
    names = ["" if name in ignored else name for name in names]
    position = next((at for at, name in enumerate(names) if name == said or part_of_word(name) == "system"), 0)
    open_places = [at for at, name in enumerate(names[:position]) if name and role_of_name(name)[0] not in _BEFORE]
    if not open_places:
        return position
    parts = {part_of_word(name) for name in names} - {None, "system"}
    rows = [] if parts else _first_rows(body, names)
    texts = [[cells[at].strip() for cells in rows] for at in (*open_places, position)]
    are_words = bool(rows) and not any(is_number(cell) for cells in texts for cell in cells)
    return position if are_words and len({*texts[-1]}) == len(rows) > 1 else 0


def long_columns(sheet: Sheet, body: Sheet, names: Sequence[str], options: TableOptions) -> LongColumns:
    """Find out which column is which, or say which ones must be named."""
    parts, others = beside_metrics(options.roles(names, sheet), names, chosen=options.columns)
    notes: list[str] = []
    if REPEAT in parts and REPEAT not in options.columns and _has_fractions(body, names.index(parts[REPEAT])):
        others = [name for name in names if name in {*others, parts[REPEAT]}]  # a metric of repetition
        parts = {role: name for role, name in parts.items() if role != REPEAT}
    if "topic" not in parts and "system" in parts:
        parts, note = _with_items(body, names, parts, others, options)
        others = [name for name in others if name not in parts.values()]
        notes.append(note)
    elif {"topic", "system"} <= parts.keys():
        _refuse_rows_own_names(body, names, parts, others, chosen=options.columns)
    notes += no_runs(parts[REPEAT]) if REPEAT in parts else []
    one_system = "topic" in parts and (
        hold_metrics(others, sheet, asked=options.form == "long") or ("score" in parts and not others)
    )
    if "topic" not in parts or not (parts.keys() & {"system", "metric"} or one_system):
        lacking = [role for role in ("system", "topic", "score") if role not in parts]
        ways = ways_to_name(names, others, lacking)
        raise sheet.error(f"a long table needs columns for topic and score, system or metric; {ways}")
    if "score" not in parts and "metric" in parts:
        ways = ways_to_name(names, others, ("score",))
        raise sheet.error(f"there is a column for the metric and none for the score; {ways}")
    parts, others = _with_metrics_beside(body, names, parts, others, options)
    if "score" in parts and others:
        _refuse_unnamed(sheet, body, names, parts, others, options=options)
    if "score" in parts:
        left_out = [_described(name) for name in others]
        notes += left_out_columns(left_out) + _settings_between(body, names, parts, others)
        return LongColumns(parts, [], others, notes)
    columns, words = _metric_columns(body, names, parts, others, options)
    unsure = unsure_columns(columns)
    if unsure:
        raise sheet.error(unsure)
    left = {column.name for column in columns} | {*words}
    metrics = [name for name in others if name not in left] or _verdicts(body, names, words)
    left -= {*metrics}  # whose reader says what writes verdicts as numbers
    if not metrics:
        held = f"; {first_few(sheet.left_out)}: words or objects; write every number under a name of its own"
        numbers = [column.name for column in columns if column.role not in {"text", "id"}]
        ways = ways_to_name(names, numbers, ("score",)) + " if it is what is compared" * (len(numbers) == 1)
        ways += held * bool(sheet.left_out)
        raise sheet.error(f"no column is left that could hold scores; {ways}")
    notes += left_out_columns([*columns, *(RoleColumn(name, "text", "words") for name in words if name in left)])
    notes += _settings_between(body, names, parts, left)
    return LongColumns(parts, metrics, [name for name in others if name in left], notes)


def _settings_between(
    body: Sheet, names: Sequence[str], parts: Mapping[str, str], left_out: Collection[str]
) -> list[str]:
    settings = [name for name in left_out if role_of_name(name)[0] == "version"]
    if not settings or "system" not in parts:
        return []
    cells_of = _cells_of(_first_rows(body, names), names, [*settings, parts["system"]])
    systems = cells_of.pop(parts["system"])
    return settings_between(cells_of, systems)


def _with_items(
    body: Sheet, names: Sequence[str], parts: Mapping[str, str], others: Sequence[str], options: TableOptions
) -> tuple[dict[str, str], str]:
    """Return the parts with a column that can only be the items, and what it was taken for."""
    cells_of = _cells_of(_first_rows(body, names), names, [*parts.values(), *others])
    parts = named_by_models(cells_of, parts, others, chosen=options.columns)
    try:
        unnamed = [name for name in others if name not in (options.metrics or ())]
        told = {} if "topic" in parts else items_by_structure(cells_of, parts, unnamed)
    except ScoresError as error:
        raise body.error(f"{error}; {columns_found(names)}") from error
    if "topic" in told and (says := conditions_for_items(told["topic"], cells_of[told["topic"]])):
        raise body.error(says, of=SpreadlessError)
    return parts | told, _taken((parts | told)["topic"], told.get(REPEAT))


def _first_rows(body: Sheet, names: Sequence[str]) -> list[list[str]]:
    """Return the rows that are as long as the header, of the first ones."""
    return [cells for cells in islice(body.rows(), _MOST_ROWS) if len(cells) == len(names)]


def _cells_of(rows: Sequence[Sequence[str]], names: Sequence[str], wanted: Iterable[str]) -> dict[str, list[str]]:
    """Return what rows hold in some columns, without blanks around it."""
    place_of = {name: at for at, name in reversed([*enumerate(names)])}
    return {name: [cells[place_of[name]].strip() for cells in rows] for name in wanted}


def _taken(item: str, repeat: str | None) -> str:
    """Say which columns were taken for what, by the rows that every system has."""
    if repeat is None:
        return f"column {item!r} was taken for the items, since no system has one of its names twice"
    return (
        f"column {item!r} was taken for the items and {repeat!r} for repeats, since every system has one row for each "
        "pair of their names"
    )


def _refuse_rows_own_names(
    body: Sheet, names: Sequence[str], parts: Mapping[str, str], others: Sequence[str], *, chosen: Collection[str]
) -> None:
    """Refuse a short table in which each row has an id of its own, where another column names the items."""
    rows = _first_rows(body, names)
    if len(rows) == _MOST_ROWS:
        return
    cells_of = _cells_of(rows, names, [*parts.values(), *others])
    try:
        refuse_items_of_one(cells_of, parts, others, chosen=chosen)
    except ScoresError as error:
        raise body.error(str(error)) from error


def _described(name: str) -> RoleColumn:
    role, _ = role_of_name(name)
    return RoleColumn(name, role, "without a part in a table of scores")


def _refuse_unnamed(  # noqa: PLR0913 - a table, what its columns are, and what was asked
    sheet: Sheet,
    body: Sheet,
    names: Sequence[str],
    parts: Mapping[str, str],
    others: Sequence[str],
    *,
    options: TableOptions,
) -> None:
    """Refuse further columns where one of them may be the systems, or judges who take the place of metrics."""
    judges = [name for name in others if underscored(name) in JUDGES]
    if "system" not in parts:
        possible = _could_name_systems(body, names, others, parts)
        if possible or "metric" not in parts:
            raise sheet.error(
                _unknown(names, [*possible, *(name for name in others if name not in possible)], ("system",))
            )
        return  # all rows are of one system
    if judges and "metric" not in parts and "metric" not in options.columns:
        remaining = [name for name in others if name not in judges]
        aspect = _aspect_of(body, names, [parts["system"], parts["topic"], judges[0]], remaining)
        said = {cells[names.index(judges[0])].strip() for cells in body.rows() if len(cells) == len(names)}
        if len(said) == 1 and not aspect:  # nobody beside whom to choose
            raise sheet.error(_unknown(names, [*judges, *remaining], ("metric",)))
        raise sheet.error(_of_judges(judges[0], natural_order(said), parts, aspect))


def _with_metrics_beside(
    body: Sheet, names: Sequence[str], parts: Mapping[str, str], others: Sequence[str], options: TableOptions
) -> tuple[dict[str, str], list[str]]:
    """Return the parts and others, without a score where it is called so and is one metric of several.

    Such others hold shares too, that differ, and there is one row a system and topic.
    """
    told = options.columns.keys() & {"score", "metric"} or options.metrics or {"metric", REPEAT} & parts.keys()
    if told or not {"system", "topic", "score"} <= parts.keys() or any(underscored(name) in JUDGES for name in others):
        return {**parts}, [*others]
    named = {role: name for role, name in parts.items() if role != "score"}
    candidates = [*others, parts["score"]]
    columns, words = _metric_columns(body, names, named, candidates, options)
    metrics = [name for name in candidates if name not in {*(column.name for column in columns), *words}]
    cells_of = _cells_of(_first_rows(body, names), names, [*metrics, parts["system"], parts["topic"]])
    pairs = [*zip(cells_of[parts["system"]], cells_of[parts["topic"]], strict=True)]
    shares = {name: [float(cell) if is_number(cell) else math.nan for cell in cells_of[name]] for name in metrics}
    vary = [name for name, numbers in shares.items() if min(numbers) < max(numbers)]
    are_shares = all(0 <= number <= 1 for numbers in shares.values() for number in numbers)
    if parts["score"] in vary and len(vary) == len(metrics) > 1 and are_shares and len({*pairs}) == len(pairs):
        return named, [name for name in names if name in {*candidates}]
    return {**parts}, [*others]


def _could_name_systems(
    body: Sheet, names: Sequence[str], columns: Sequence[str], parts: Mapping[str, str]
) -> list[str]:
    """Return the columns that neither number or date the rows, nor say the same in all, nor belong to item or metric.

    What a metric has one of (a threshold) and what each item has one of by itself (its question) names no system; nor
    does what holds texts, or verdicts beside scores, by its name.
    """
    owned_by = {role: parts[role] for role in ("topic", "metric") if role in parts}
    cells_of = _cells_of(_first_rows(body, names), names, [*columns, *owned_by.values()])
    owners = {role: cells_of[name] for role, name in owned_by.items()}
    sizes = {role: len({*cells}) for role, cells in owners.items()}
    possible = []
    for name in columns:
        cells = cells_of[name]
        size, role = len({*cells}), role_of_name(name)[0]
        pairs = {role: len({*zip(cells, owned, strict=True)}) for role, owned in owners.items()}
        named_otherwise = role in _BEFORE or is_outcome(name) or word_of(name) in TEXTS
        belongs = pairs.get("topic") == sizes.get("topic") == size or pairs.get("metric", 0) == sizes.get("metric")
        if 1 < size < len(cells) and not (named_otherwise or belongs):
            possible.append(name)
    return possible


def _aspect_of(body: Sheet, names: Sequence[str], keys: Sequence[str], columns: Sequence[str]) -> str:
    """Return the column of words that distinguishes the scores of one judge on one system and item; or nothing."""
    cells_of = _cells_of(_first_rows(body, names), names, [*keys, *columns])
    keys_of_rows = [*zip(*(cells_of[name] for name in keys), strict=True)]
    if len({*keys_of_rows}) == len(keys_of_rows):
        return ""
    for name in columns:
        words = cells_of[name]
        if not any(map(is_number, words)) and len({*zip(keys_of_rows, words, strict=True)}) == len(keys_of_rows):
            return name
    return ""


def _unknown(names: Sequence[str], others: Sequence[str], lacking: Sequence[str]) -> str:
    ways = ways_to_name(names, others, lacking)
    return f"unknown column{'s' * (len(others) > 1)} {first_few(list(map(repr, others)))}; {ways}"


def _metric_columns(
    body: Sheet, names: Sequence[str], parts: Mapping[str, str], others: Sequence[str], options: TableOptions
) -> tuple[list[RoleColumn], list[str]]:
    """Return the columns that are no metrics: of numbers, and of words."""
    asked = [name for name in others if name in (options.metrics or ())]
    if asked:
        return [_described(name) for name in others if name not in asked], []
    place_of_name = {name: at for at, name in enumerate(names)}
    places = [place_of_name[name] for name in others]
    most = max(2, min(_MOST_ROWS, _MOST_CELLS // max(1, len(others))))
    rows = [cells for cells in islice(body.rows(), most) if len(cells) == len(names)]
    values = np.full((len(rows), len(others)), np.nan)
    words = []
    for at, (name, position) in enumerate(zip(others, places, strict=True)):
        cells = [row[position].strip() for row in rows]
        if is_outcome(name) and {cell.casefold() for cell in cells} <= {*TRUTHS}:
            values[:, at] = [TRUTHS[cell.casefold()] for cell in cells]
            continue
        numbers = [is_number(cell) for cell in cells]
        if (not any(numbers) and _holds_words(cells, is_text=word_of(name) in TEXTS) and len(others) > 1) or (
            role_of_name(name)[0] == "id" and not all(numbers)
        ):
            words.append(name)
        values[:, at] = [float(cell) if number else np.nan for cell, number in zip(cells, numbers, strict=True)]
    topics = [row[names.index(parts["topic"])].strip() for row in rows]
    called = [name for name in others if name not in words and part_of_word(name) == "topic"]
    words += columns_of_group_numbers(
        {name: [row[names.index(name)].strip() for row in rows] for name in called}, topics
    )
    numeric = [at for at, name in enumerate(others) if name not in words]
    systems = [row[names.index(parts["system"])].strip() for row in rows] if "system" in parts else []
    cells_of = values[:, numeric]
    columns = no_metrics([others[at] for at in numeric], cells_of, topics, systems=systems, kept=options.metrics or ())
    return columns, words


def _has_fractions(body: Sheet, place: int) -> bool:
    """Whether a column holds numbers that number nothing."""
    cells = (row[place].strip() for row in islice(body.rows(), _MOST_ROWS) if place < len(row))
    return any(is_number(cell) and not float(cell).is_integer() for cell in cells)


def _as_items_or_systems(most: str, parts: Mapping[str, str], cells: Mapping[str, Sequence[str]]) -> str:
    """Say how a column is named whose cells each stand under one topic, or that names systems whose runs are numbered.

    Examples
    --------
    >>> cells = {"model": [*"aaabbb"], "subject": [*"llmllm"], "question": [*"123123"]}
    >>> _as_items_or_systems("question", {"system": "model", "topic": "subject"}, cells)
    "`columns={'topic': 'question'}`, as each stands under one 'subject'"
    """
    topic, system = parts.get("topic"), parts.get("system")
    words = not any(map(is_number, cells[most]))
    if system and words and all(map(str.isdecimal, cells[system])) and REPEAT not in parts:
        way = f"`columns={ {'system': most, REPEAT: system}!r}`"
        return f"{way} if it names the systems, and {system!r} numbers their runs"
    n_values = len({*cells[most]})
    nested = topic and len({*zip(cells[most], cells[topic], strict=True)}) == n_values > len({*cells[topic]}) > 1
    return f"`columns={ {'topic': most}!r}`, as each stands under one {topic!r}" if nested else ""


def _verdicts(body: Sheet, names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns of words that say passed and failed, both, and nothing else; or of words of another scale."""
    cells_of = _cells_of(_first_rows(body, names), names, columns)
    words_of = {name: {*map(str.casefold, cells)} for name, cells in cells_of.items()}
    passes = [name for name, words in words_of.items() if len(words) > 1 and words <= PASSES]
    return passes or [name for name, words in words_of.items() if way_past_grades(words, "")]


def sets_of_rows(body: Sheet, names: Sequence[str], parts: Mapping[str, str], others: Sequence[str]) -> str:
    """Say how to choose among sets of rows that a left out column parts, where without it scores are there twice."""
    index_of = {name: at for at, name in enumerate(names)}
    at_parts = [index_of[column] for role, column in parts.items() if role != "score"]
    full_rows = (cells for cells in body.rows() if len(cells) == len(names))
    rows = [(tuple(cells[at].strip() for at in at_parts), cells) for cells in full_rows]
    times = Counter(key for key, _ in rows)
    most_often = max(times.values(), default=1)
    if most_often == 1:
        return ""
    kinds = {name: [cells[index_of[name]].strip() for _, cells in rows] for name in others}
    parted = {
        name: len({(key, cell) for (key, _), cell in zip(rows, kinds[name], strict=True)})
        for name in others
        if len(set(kinds[name])) <= max(most_often, len(rows) // 2)  # a row's number parts everything
        and not is_measured_cost(name)
    }
    judge = next((name for name in parted if underscored(name) in JUDGES and parted[name] > len(times)), "")
    if judge and REPEAT not in parts:
        return _of_judges(judge, kinds[judge], parts)
    most = max(parted, key=lambda name: parted[name], default="")
    if not most or parted[most] < len(rows):
        return _of_two_columns([key for key, _ in rows], {name: kinds[name] for name in parted})
    values = set(kinds[most])
    if tells_sizes(most, values) and "system" in parts:
        cells = {name: [row[index_of[name]].strip() for _, row in rows] for name in (most, parts["system"])}
        return f"scores would be there twice without {most!r}; {ways_to_sizes(most, parts, cells)}"
    columns = {name: [row[index_of[name]].strip() for _, row in rows] for name in names}
    return _of_sets(most, columns, parts)


def _of_sets(most: str, columns: Mapping[str, Sequence[str]], parts: Mapping[str, str]) -> str:
    """Say how one of the sets of rows that a column parts is chosen, or what they may be."""
    values = {*columns[most]}
    is_within = word_of(most) in WITHIN_ITEMS
    numbered = not is_within and (all(map(str.isdecimal, values)) or role_of_name(most)[0] in _REPEATED)
    role, meaning = (REPEAT, "repeats of a score") if numbered or REPEAT in parts else ("metric", "metrics")
    sets = count(len(values), "set")
    there_twice = f"it holds {sets} of rows, and scores would be there twice without {most!r}; pass"
    if ways := _as_items_or_systems(most, parts, columns):
        return f"{there_twice} {ways}"
    if role_of_name(most)[0] == "seed" and underscored(most) in _STATES and all(map(is_number, values)):
        states = f"{most!r} counts states of training, which are no repeats: it holds {sets} of rows"
        return f"{states}; pass `where={ {most: max(values, key=float)}!r}` for the last, or another for another"
    if "system" not in parts and not (numbered or role_of_name(most)[0] or underscored(most) in JUDGES):
        return f"{there_twice} `columns={ {'system': most}!r}` if it names the systems"
    only_one = (
        role in parts
        or is_within
        or (role == "metric" and "score" not in parts)
        or (role_of_name(most)[0] == "version" and not numbered)
    )
    alternative = "" if only_one else f", or `columns={ {role: most}!r}` if these are {meaning}"
    may_name = underscored(most) in _FOLDS or (role == "metric" and role_of_name(most)[0] != "version")
    chosen = next((cell for cell in columns[most] if cell.casefold() == "test"), columns[most][0])  # rather than train
    one_set = f"`where={{{most!r}: {chosen!r}}}` for one of them"
    if "topic" not in parts or not may_name or "," in parts["topic"] + most:
        return f"{there_twice} {one_set}{alternative}"
    joined = f"`columns={ {'topic': f'{parts["topic"]},{most}'}!r}` if both name the {unit().topic}"
    if len(values) > _MOST_SETS:
        return f"{there_twice} {joined}, or {one_set}"
    part = f"; if it is part of what {parts['topic']!r} names, write both into one column"
    return f"{there_twice} {one_set}{alternative}{f', or {joined}' if underscored(most) in _FOLDS else part}"


def _of_two_columns(keys: Sequence[tuple[str, ...]], kinds: Mapping[str, Sequence[str]]) -> str:
    """Say how one of the sets of rows is chosen that two columns part together; "" where none do."""
    for first, second in combinations(kinds, 2):
        if len({*zip(keys, kinds[first], kinds[second], strict=True)}) == len(keys):
            return (
                f"it holds sets of rows by {first!r} and {second!r}, and scores would be there twice without them; "
                f"pass `where={{{first!r}: {kinds[first][0]!r}, {second!r}: {kinds[second][0]!r}}}` for one of them"
            )
    return ""


def _of_judges(judge: str, cells: Iterable[str], parts: Mapping[str, str], aspect: str = "") -> str:
    """Say how the scores by one of several judges are chosen, who do not repeat each other's."""
    judges = list(dict.fromkeys(cells))
    person = likely_person(judges)
    way = f"`where={{{judge!r}: {person!r}}}`"
    metric = f"`columns={ {'metric': aspect}!r}` " if aspect else ""
    is_one = aspect or "metric" in parts or "score" not in parts
    if not aspect and not {"metric", REPEAT} & parts.keys() and are_people(judges):
        return (
            f"column {judge!r} holds {count(len(judges), 'judge')} ({first_few(judges, most=3)}); pass "
            f"`columns={ {REPEAT: judge}!r}` to take what they said of one thing as repeats, whose mean counts, "
            f"or {way} for those of {person!r} alone; {COMPARES_JUDGES}"
        )
    alternative = "" if is_one else f", or `columns={ {'metric': judge}!r}` for each as a metric"
    return (
        f"column {judge!r} holds {count(len(judges), 'judge')} ({first_few(judges, most=3)}), who do not repeat each "
        f"other's scores; pass {metric}{way} for those of {person!r}{alternative}; {COMPARES_JUDGES}"
    )
