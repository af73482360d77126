"""Data frames of scores: long ones, a column for each metric, and wide ones; recognised by columns and labels."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.columns import RANKINGS
from metaeval.base.names import (
    clean_name,
    computed_metrics,
    count,
    first_double,
    first_few,
    is_unnamed,
    is_word,
    metric_evidence,
    natural_order,
    shortened,
    topic_evidence,
)
from metaeval.base.number_words import SCORE_GAPS, other_spelling
from metaeval.errors import ScoresError
from metaeval.table.array import (
    DIMS,
    UNNAMED_METRIC,
    ScoreTable,
    distinct_names,
    frame_numbers,
    part_of_item,
    refuse_sliver,
    table_of_rows,
    told_apart_by,
)
from metaeval.table.interval_names import roles_among
from metaeval.table.means import columns_of, renaming
from metaeval.table.named_repeats import repeats_of_metrics
from metaeval.table.number_columns import left_out_columns, no_metrics, not_scores, settings_between, unsure_columns
from metaeval.table.offered_clusters import columns_of_group_numbers, offered_clusters, taken_clusters
from metaeval.table.other_tables import may_be_other, no_scores
from metaeval.table.outcome_counts import outcomes, refusal_of_outcomes
from metaeval.table.roles import (
    ERRORS,
    SCORES,
    WHOLE,
    ColumnRoles,
    RoleColumn,
    beside_metrics,
    column_roles,
    conditions_for_items,
    items_by_structure,
    named_by_models,
    part_of_word,
    perhaps_constant,
    refuse_items_of_one,
    word_of,
)
from metaeval.table.shared_measure import named_by_measure
from metaeval.table.wide import (
    Names,
    Oriented,
    are_surely_crossed,
    grid_among,
    is_unlabelled,
    refuse_names,
    systems_by_metrics,
    topics_in_rows,
)

_SURE = 2  # of the evidence of names
_SAMPLE, _MOST_ROWS, _MOST_TOLD = 20, 20_000, 1000
_SYSTEMS = 2
_DESCRIBED = frozenset({"count", "mean", "std", "min", "max"})
"""What pandas says of the numbers of a frame."""
_NUMBERS_OF = re.compile(r"q|(q|query|topic|item|question|case)_?(no|nr|num|number|idx|index)")

FRAMES_READ = (
    "a long frame (columns for system, topic, metric and score), a frame with columns for system and topic and one "
    "column a metric, or a wide frame (systems by topics, named in its index and columns)"
)
"""What frames may be, for messages."""


class _Frame(NamedTuple):
    """A frame whose labels are columns, with the part that each column plays."""

    frame: pd.DataFrame
    parts: Mapping[str, str]
    others: list[str]
    names: Names

    def texts(self) -> dict[str, list[str]]:
        """Return the cells of all columns as text."""
        return {name: self.frame[name].astype(str).tolist() for name in [*self.parts.values(), *self.others]}


class FrameForm(NamedTuple):
    """One form of a frame: whether its columns have it, and how it is read."""

    name: str
    fits: Callable[[_Frame], bool]
    read: Callable[[_Frame], ScoreTable]
    long: bool = True
    """Whether it has a row a score, or a row a system and topic."""


def read_frame(frame: pd.DataFrame, names: Names) -> ScoreTable:
    """Return the scores of a frame, after finding out what it is."""
    if not len(frame.columns) or not len(frame):
        raise ScoresError("the frame is empty; it should hold scores of at least two systems on two topics")
    frame = with_saved_index(frame)
    flat = _with_labels_in_columns(frame)
    columns = _with_topics_named(flat, _clean_column_names(flat))
    flat = flat.set_axis(columns, axis=1)
    if may_be_other(columns) and flat.columns.is_unique:
        texts = flat.head(_MOST_TOLD).astype(object).fillna("").astype(str)
        if says := no_scores({name: texts[name].tolist() for name in columns}):
            raise ScoresError(says)
    constant = [name for name in columns if len(flat) > 1 and perhaps_constant(name) and len({*flat[name]}) == 1]
    roles = column_roles(
        columns,
        ignored=constant,
        cells=lambda name: _texts(flat[name].head(_SAMPLE)),
        all_cells=lambda name: _texts(flat[name].head(_MOST_ROWS)),
    )
    roles = beside_metrics(roles, columns, chosen=())
    recognised = _with_items(_Frame(flat, roles.parts, roles.others, names))
    form = next((form for form in FRAME_FORMS if form.fits(recognised)), None)
    if form is None:
        return _read_wide(frame, names) if _is_wide(frame) else _read_among_words(frame, recognised)
    if form.name != "wide frame":
        refuse_names(names)
    recognised, notes = _without_other_columns(recognised) if form.long else (recognised, [])
    try:
        table = noted(form.read(recognised), notes)
    except ScoresError as error:
        raise ScoresError("; ".join([str(error), *notes])) from error
    return table if "read_as" in table.attributes else said(table, f"{form.name}: {_columns_said(recognised)}")


def _texts(column: "pd.Series[Any]") -> list[str]:
    return list(map(str, column.tolist()))


def _with_topics_named(frame: pd.DataFrame, columns: list[str]) -> list[str]:
    """Call the one column topic that is called as numbers of questions are (q, qno) and holds no two alike."""
    called = [position for position, name in enumerate(columns) if _NUMBERS_OF.fullmatch(word_of(name))]
    if len(called) != 1 or len(columns) <= _SYSTEMS or {"topic", "system", "metric"} & {*map(part_of_word, columns)}:
        return columns
    ids = frame.iloc[:, called[0]]
    fractions = pd.api.types.is_float_dtype(ids) and not (ids == ids.round()).all()
    return (
        columns
        if fractions or not ids.is_unique
        else ["topic" if position == called[0] else name for position, name in enumerate(columns)]
    )


def with_saved_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame under the names in its first column where that has no name, as an index that was saved with it.

    Nothing else names the rows then; numbers of rows in their order name nothing.
    """
    columns = frame.columns
    if not isinstance(frame.index, pd.RangeIndex) or columns.nlevels > 1 or not is_unnamed(str([*columns, "none"][0])):
        return frame
    saved = frame.iloc[:, 0]
    fractions = pd.api.types.is_float_dtype(saved) and not (saved == saved.round()).all()
    named = {"topic", "system", "metric"} & {*map(part_of_word, _with_topics_named(frame, list(map(str, columns))))}
    if named or fractions or not saved.is_unique or saved.tolist() == list(range(len(saved))):
        return frame
    return frame.set_index(columns[0]).rename_axis(None)


def noted(table: ScoreTable, notes: Sequence[str]) -> ScoreTable:
    """Return a table with further notes."""
    together = {"notes": [*notes, *table.attributes.get("notes", [])]} if notes else {}
    return table._replace(attributes=table.attributes | together)


def said(table: ScoreTable, what: str) -> ScoreTable:
    """Return a table that says what it was read as."""
    return table._replace(attributes=table.attributes | {"read_as": what})


def _columns_said(known: _Frame) -> str:
    phrases = [f"{role} in {column!r}" for role, column in known.parts.items() if role in {*DIMS, "score"}]
    if "score" not in known.parts and "metric" not in known.parts:
        phrases.append(f"metrics in {first_few(list(map(repr, known.others)))}")
    return ", ".join(phrases)


def _has(*parts: str, without: str = "") -> Callable[[_Frame], bool]:
    absent = set(without.split())
    return lambda known: known.parts.keys() >= {*parts} and not known.parts.keys() & absent


def _with_items(known: _Frame) -> _Frame:
    """Name the items of a long frame whose systems stand in several rows each, where one column can only be theirs."""
    system = known.parts.get("system")
    if system is None or len(known.frame) > _MOST_ROWS or ("topic" in known.parts and not known.others):
        return known
    if "topic" in known.parts:
        refuse_items_of_one(known.texts(), known.parts, known.others, in_memory=True)
        return known
    named = [known.parts[role] for role in ("system", "metric") if role in known.parts]
    if not known.frame[named].astype(str).duplicated().any():
        return known
    cells = known.texts()
    parts = named_by_models(cells, known.parts, known.others, chosen=())
    if "topic" not in parts:
        parts |= items_by_structure(cells, parts, known.others, in_memory=True)
        if says := conditions_for_items(parts["topic"], cells[parts["topic"]], in_memory=True):
            raise ScoresError(says)
    return known._replace(parts=parts, others=[name for name in known.others if name not in parts.values()])


def have_other_columns(frame: pd.DataFrame) -> bool:
    """Whether a frame has a column that is no system's scores: by its name, by its words, or by what it holds.

    A system may be called run, and hold numbers.
    """
    columns = _with_topics_named(frame, list(map(str, frame.columns)))
    if any(map(is_unnamed, columns)) or any(_holds_words(frame.iloc[:, at]) for at in range(len(columns))):
        return True
    if {*map(part_of_word, columns)} & {"topic", "repeat", "cluster", "stratum"}:
        return True
    values = np.stack([pd.to_numeric(frame.iloc[:, at], errors="coerce") for at in range(len(columns))], axis=1)
    return bool(not_scores(columns, values.astype(np.float64), along="system"))


def _without_other_columns(known: _Frame) -> tuple[_Frame, list[str]]:
    """Leave out the columns of a long frame that are no scores, which is noted."""
    others = known.others
    told, notes = _told_columns(known)
    notes = [*notes, *taken_clusters(known.parts, ())]
    left = [name for name in others if name not in told.others]
    beside = {str(name): known.frame[name].astype(object).fillna("").astype(str).tolist() for name in left}
    if "system" in known.parts:
        notes += settings_between(beside, [*map(str, known.frame[known.parts["system"]].tolist())])
    if "topic" not in known.parts or {"cluster", "stratum"} & known.parts.keys():
        return told, notes
    topics = known.frame[known.parts["topic"]].astype(str).tolist() if beside else []
    return told, [*notes, *offered_clusters(beside, topics, in_memory=True)]


def _told_columns(known: _Frame) -> tuple[_Frame, list[str]]:
    """Leave out the columns, and say which."""
    others = known.others
    if not others or ("score" not in known.parts and "metric" in known.parts):
        return known, []
    if "score" in known.parts:
        return known._replace(others=[]), left_out_columns(
            [RoleColumn(name, "", "which has no part") for name in others]
        )
    empty = [name for name in others if _is_empty(known.frame[name])]
    words = [name for name in others if name not in empty and _holds_words(known.frame[name])]
    words += _numbered_groups(known, "topic", words)
    numeric = [name for name in others if name not in words and name not in empty]
    head = known.frame.head(_MOST_ROWS)
    values = [frame_numbers(head[name], f"column {name!r}") for name in numeric]
    topics = head[known.parts["topic"]].astype(str).tolist()
    systems = head[known.parts["system"]].astype(str).tolist() if "system" in known.parts else []
    columns = no_metrics(numeric, np.stack(values, axis=1), topics, systems=systems) if numeric else []
    if unsure := unsure_columns(columns, in_memory=True):
        raise ScoresError(unsure)
    told = {column.name for column in columns}
    metrics = [name for name in numeric if name not in told]
    if not metrics:
        renamed = f"frame.rename(columns={ {numeric[0]: 'score'}!r})" if numeric else ""
        raise ScoresError(
            f"no column is left that could hold scores; columns: {first_few(list(known.frame.columns))}"
            + f"; if {renamed and repr(numeric[0])} is what is compared, and lower is better, pass "
            f"`as_scores({renamed}, higher_is_better=False)`" * bool(numeric)
        )
    return known._replace(others=metrics), left_out_columns(
        [
            *columns,
            *(RoleColumn(name, "", why) for why, names in (("words", words), ("empty", empty)) for name in names),
        ]
    )


def _numbered_groups(known: _Frame, role: str, words: Sequence[str]) -> list[str]:
    """Return the columns called as items that number groups of those that the topics name."""
    called = [name for name in known.others if name not in words and part_of_word(name) == "topic"]
    if role != "topic" or not called:
        return []
    return columns_of_group_numbers(
        {name: _texts(known.frame[name]) for name in called}, _texts(known.frame[known.parts[role]])
    )


def _is_empty(column: pd.Series) -> bool:
    """Whether a column holds nothing, or signs for it alone."""
    return all(cell in SCORE_GAPS for cell in column.dropna().astype(str).str.strip().str.casefold())


def _holds_words(column: pd.Series) -> bool:
    """Whether a column holds texts, lists or dates, and nothing that is meant as a number."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return True
    if pd.api.types.is_numeric_dtype(column):
        return False
    head = column.head(_SAMPLE)
    cells = head[head.notna()].tolist()
    return bool(cells) and not any(isinstance(cell, Real) or not is_word(str(cell)) for cell in cells)


def _read_long(known: _Frame) -> ScoreTable:
    return table_of_rows(known.frame, known.parts, [known.parts["score"]])


def _read_other_score(known: _Frame) -> ScoreTable:
    """Read a long table whose score has a name of its own: the one column without a part."""
    table = _read_long(known._replace(parts={**known.parts, "score": known.others[0]}, others=[]))
    return said(table, f"long frame: {_columns_said(known)}, score in {known.others[0]!r}")


def _read_one_metric(known: _Frame) -> ScoreTable:
    """Read a long table of one metric, which no column names."""
    table = table_of_rows(known.frame, known.parts, [known.parts["score"]])
    return said(table, f"long frame of one metric: {_columns_said(known)}")


def _read_metrics(known: _Frame) -> ScoreTable:
    """Read a column for each metric, or for each repeat of one."""
    if others := _in_the_way(known):
        _refuse_parts(known, others)
    table = table_of_rows(known.frame, known.parts, known.others)
    scores, labels, notes = repeats_of_metrics(table.scores, table.labels)
    return noted(table._replace(scores=scores, labels=labels), notes)


def _refuse_one_system(known: _Frame) -> ScoreTable:
    raise ScoresError(
        f"no column says which system each score is of ({', '.join(known.frame.columns)}), as in the results of one "
        "system; pass those of all systems as {system: frame}, or add a column system"
    )


def _with_errors(known: _Frame) -> str:
    """Say how to part means from the errors that stand behind them in one cell, such as 71.2 ± 0.6."""
    sample = known.frame.dropna().head(_SAMPLE).astype(str)
    spelt = {name: [*map(other_spelling, cells)] for name, cells in sample.items()}
    names = [
        str(name)
        for name, cells in spelt.items()
        if cells and all(told and told.kind == "error" for told in cells) and sample[name].str.contains("±").all()
    ]
    if not names:
        return ""
    parts = "frame[[name, name + '_stderr']] = frame[name].str.split('±', expand=True).astype(float)"
    return (
        f"cells of {first_few(names, write=repr)} are means with errors behind ±, such as "
        f"{shortened(sample[names[0]].iloc[0])!r}; part them, `for name in {names!r}: {parts}`, and pass the frame to "
        "metaeval.study_leaderboard"
    )


def _refuse_means(known: _Frame) -> ScoreTable:
    if told := _with_errors(known):
        raise ScoresError(told)
    way = "" if columns_of(known.frame) else renaming(known.others)
    raise ScoresError(
        f"these are means by system ({', '.join(known.frame.columns)}), without scores by topic: they do not tell "
        "whether a difference is more than luck; pass the scores by topic (PyTerrier: Experiment(..., perquery=True)), "
        f"or, for ranks alone, means with standard errors to metaeval.study_leaderboard{f' ({way})' if way else ''}"
    )


def _of_results(known: _Frame) -> bool:
    return _has("topic", without="system")(known) and (
        {"metric", "score"} <= known.parts.keys()
        or (metric_evidence(known.others) == _SURE and not grid_among(known.others))
    )


def _of_means(known: _Frame) -> bool:
    if columns_of(known.frame) is not None:
        return True
    roles = roles_among(known.others).values()
    n_scores = sum(not role or (role == "aggregate" and bool(stem)) for role, stem in roles)
    summed = {role for role, _ in roles} & {*ERRORS} or n_scores < min(2, len(roles))
    return _has("system", without="topic")(known) and bool(
        summed or {"metric", "score"} & known.parts.keys() or metric_evidence(known.others) == _SURE
    )


def _names_then_scores(known: _Frame) -> bool:
    """Whether one column names rows, and all others hold numbers under names of their own."""
    named = list(known.parts)
    return len(known.others) > 1 and (
        named == ["topic"] or (named == ["system"] and known.frame[known.parts["system"]].dtype.kind != "f")
    )


def _read_among_words(frame: pd.DataFrame, recognised: _Frame) -> ScoreTable:
    """Read a wide frame with columns of words, which are left out where its index names the rows; refuse any other."""
    words = [at for at in range(len(frame.columns)) if _holds_words(frame.iloc[:, at])]
    only_words = len(words) == len(frame.columns)
    if not words or _names_parts(frame) or recognised.parts or (only_words and is_unlabelled(frame.index)):
        return _refuse_frame(recognised)
    if only_words:
        frame_numbers(frame.iloc[:, 0], f"column {frame.columns[0]!r}")  # says what is in it
    left_out = [frame.columns[at] for at in words]
    if len(left_out) < len(frame.columns) - 1 and not is_unlabelled(frame.index):
        table = _read_wide(frame.drop(columns=left_out), recognised.names)
        return noted(table, left_out_columns([RoleColumn(str(name), "text", "words") for name in left_out]))
    first, *others = left_out
    second = f"{others[0]!r}" if others else "that of the items"
    way = (
        "call it 'topic' if it names topics"
        if frame.iloc[:, words[0]].is_unique
        else "of a table of a row a score, call its columns system, topic, metric and score, such as "
        f"{first!r} 'system' and {second} 'topic'"
    )
    if len(left_out) < len(frame.columns) - 1:  # two systems are left
        way = f"{way}; leave out what is no system ({first_few(left_out, write=repr)})"
    raise ScoresError(
        f"column {first!r} holds words ({shortened(repr(frame.iloc[0, words[0]]))} in row 0), and scores are numbers; "
        f"{way}"
    )


def _read_named_rows(known: _Frame) -> ScoreTable:
    role = next(iter(known.parts))
    columns = [name for name in known.frame.columns if name in known.others or is_unnamed(name)]
    empty = [name for name in columns if _is_empty(known.frame[name]) and (role == "system" or is_unnamed(name))]
    words = [name for name in known.others if name not in empty and _holds_words(known.frame[name])]
    words += _numbered_groups(known, role, words)
    left = [RoleColumn(name, "text", why) for why, names in (("words", words), ("empty", empty)) for name in names]
    left = left if len(left) < len(columns) else []
    if role == "topic":
        _refuse_topics_again(known, words)
    frame = known.frame.drop(columns=[column.name for column in left]).set_index(known.parts[role])
    table = _read_wide(frame.rename_axis(role), known.names)
    topics = known.frame[known.parts[role]].astype(str).tolist() if role == "topic" else []
    beside = {name: known.frame[name].astype(object).fillna("").astype(str).tolist() for name in words if topics}
    return noted(table, [*left_out_columns(left), *offered_clusters(beside, topics, in_memory=True)])


def _refuse_topics_again(known: _Frame, words: Sequence[str]) -> None:
    """Refuse topics of several rows that a column of words, or one of whole numbers among fractions, distinguishes."""
    name = known.parts["topic"]
    topics = known.frame[name].astype(str).tolist()
    twice = first_double(topics)
    if twice is None:
        return
    kinds = {column: known.frame[column].dtype.kind for column in known.others}
    whole = [column for column, kind in kinds.items() if kind in "iu" and "f" in kinds.values()]
    told = told_apart_by({column: known.frame[column].tolist() for column in (*words, *whole)}, [topics])
    if not told:
        return
    first, again = [row for row, topic in enumerate(topics) if topic == twice][:2]
    raise ScoresError(
        f"topic {twice!r} appears twice, in rows {first} and {again}; column {told[0]!r} distinguishes them; "
        f"{part_of_item(told[0], name)}, and leave {told[0]!r} out; if it numbers repeats, give a long frame, with "
        "columns system, topic, repeat and score; what stands in the index is made columns by frame.reset_index()"
    )


FRAME_FORMS: tuple[FrameForm, ...] = (
    FrameForm("long frame", _has("system", "topic", "metric", "score"), _read_long),
    FrameForm("long frame of one metric", _has("system", "topic", "score", without="metric"), _read_one_metric),
    FrameForm(
        "long frame",
        lambda known: _has("system", "topic", "metric", without="score")(known) and len(known.others) == 1,
        _read_other_score,
    ),
    FrameForm(
        "frame with a column for each metric",
        lambda known: _has("system", "topic", without="metric score")(known) and bool(known.others),
        _read_metrics,
    ),
    FrameForm("results of one system", _of_results, _refuse_one_system, long=False),
    FrameForm("means by system", _of_means, _refuse_means, long=False),
    FrameForm("wide frame", _names_then_scores, _read_named_rows, long=False),
)
"""Every form that the columns of a frame tell, in the order in which they are tried; wide ones are told by labels."""


def _refuse_runs(columns: Iterable[object]) -> None:
    """Refuse rankings: rows of topic, document and score or rank."""
    words = {*map(word_of, columns)}
    if all(words & {*RANKINGS[part]} for part in ("topic", "document")) and words & {"score", "rank"}:
        raise ScoresError(
            "these are runs, rankings of documents, and no scores of systems yet; score them with their judgments: "
            "metaeval.score({run: frame}, qrels, metrics=['AP'])"
        )


def _in_the_way(known: _Frame) -> dict[str, str]:
    """Return the parts without which a frame would be a wide one, each with its column.

    Numbers beside topics of which each has one row name no systems.
    """
    naming = {role: name for role, name in known.parts.items() if role in {"topic", "system"}}
    if len(naming) > 1 and known.frame[naming["topic"]].is_unique:
        named = known.frame[naming["system"]]
        naming = {"topic": naming["topic"]} if named.map(lambda cell: isinstance(cell, Real)).all() else naming
    others = {role: name for role, name in known.parts.items() if role not in naming}
    return others if _names_then_scores(known._replace(parts=naming)) else {}


def _refuse_parts(known: _Frame, others: Mapping[str, str]) -> None:
    taken = first_few([f"{name!r} (taken for the {role})" for role, name in others.items()])
    row = next(iter(known.parts.keys() - others))
    new = {name: f"{name} {'task' if row == 'system' else 'system'}" for name in others.values()}
    if {*others} == {"repeat"} and not known.frame[known.parts[row]].is_unique:
        kept, called = [known.parts[row], *others.values()], "item" if row == "system" else "system"
        raise ScoresError(
            f"{taken} numbers the rows of each {row}, and a wide frame has no repeats; give a row a score: "
            f"`frame.melt({kept!r}, var_name={called!r}, value_name='score')`"
        )
    raise ScoresError(
        f"without {taken} this would be a wide frame, with a row for each {row}, and such a frame has no other parts; "
        f"pass `frame.drop(columns={[*new]!r})`, or, where a column holds scores, give it another name: "
        f"`frame.rename(columns={new!r})`"
    )


def _refuse_frame(known: _Frame) -> ScoreTable:
    _refuse_runs(known.frame.columns)
    if others := _in_the_way(known):
        _refuse_parts(known, others)
    absent = [role for role in (*DIMS, "score") if role not in known.parts]
    ordered = [role for role in ("system", "topic", "metric", "score") if role in absent]
    names = "; ".join(f"{role}: {first_few(list(SCORES[role]), most=3)}" for role in ordered)
    raise ScoresError(
        f"this frame is none of those that are read: {FRAMES_READ}. Its columns are "
        f"{first_few(list(known.frame.columns))}; not found: {', '.join(ordered)}. Rename columns ({names}), or pass a "
        "wide frame of numbers with its systems and topics in index and columns"
    )


# ----------------------------------------------------------------------------------------------------- labels in axes


def _with_labels_in_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose labels stand in columns, as far as index and columns say what they are."""
    unnamed = [name for name in frame.index.names if name is None]
    if frame.columns.nlevels > 1 or (frame.index.nlevels > 1 and unnamed):
        return _melted(frame)
    one_level = frame.index.nlevels == 1
    if unnamed or (one_level and part_of_word(frame.index.name) is None and _is_wide(frame)):
        return frame
    return frame.copy().reset_index()  # a copy is in one piece: pandas warns where one is not


def _melted(frame: pd.DataFrame) -> pd.DataFrame:
    """Lay out a frame with several levels of labels as a long one, every level under the part that it plays."""
    if frame.columns.nlevels > 1:
        keys = [column for column in frame.columns if not any(str(level).strip() for level in column[1:])]
        frame = frame.set_index(keys) if keys else frame
        index_names: list[Any] = [name[0] if isinstance(name, tuple) else name for name in frame.index.names]
        frame = frame.rename_axis(index=index_names)
    columns = frame.columns
    scores = columns.nlevels == 1 and (
        frame.index.nlevels >= len(DIMS) or [part_of_word(column) for column in columns] == ["score"]
    )
    frame = frame.rename_axis(index=_level_names(frame.index, "row"), columns=_level_names(columns, "column"))
    axes = [frame.index] if scores else [frame.index, frame.columns]
    roles = _roles_of_named({str(name): axis.get_level_values(str(name)) for axis in axes for name in axis.names})
    if scores:
        return frame.copy().reset_index().rename(columns=roles)
    value = "score" if "metric" in roles.values() else UNNAMED_METRIC
    return frame.melt(ignore_index=False, value_name=value).reset_index().rename(columns=roles)


def _level_names(axis: pd.Index, side: str) -> list[str]:
    return [f"{side} level {number}" if name is None else str(name) for number, name in enumerate(axis.names, 1)]


def _roles_of_named(levels: Mapping[str, pd.Index]) -> dict[str, str]:
    """Return the part that every level of labels plays: its name says it, or how its labels are spelled."""
    roles = {name: role for name in levels if (role := part_of_word(name)) is not None}
    labels = {name: list(dict.fromkeys(axis.tolist())) for name, axis in levels.items() if name not in roles}
    free = [dim for dim in DIMS if dim not in roles.values()]
    chosen = [
        dict(zip(labels, dims, strict=True))
        for dims in (permutations(free, len(labels)) if len(labels) <= len(free) else ())
        if {"system", "topic"} <= {*roles.values(), *dims} and _plausible(dict(zip(dims, labels.values(), strict=True)))
    ]
    if len(chosen) != 1:
        listing = "; ".join(f"{name}: {first_few(level_labels, most=3)}" for name, level_labels in labels.items())
        raise ScoresError(
            f"which levels of the labels of this frame are systems, topics and metrics? Not told: {listing or 'none'}. "
            "Name every level: frame.index.names = ['topic'], frame.columns.names = ['metric', 'system']"
        )
    return roles | chosen[0]


def _plausible(labels: Mapping[str, Sequence[object]]) -> bool:
    """Whether labels are spelled like what they are taken for, and not like anything else."""
    metrics = {dim: metric_evidence(names) for dim, names in labels.items()}
    if any((evidence == _SURE) is not (dim == "metric") for dim, evidence in metrics.items()):
        return False
    topics = {dim: topic_evidence(names) for dim, names in labels.items() if dim != "metric"}
    return not {"system", "topic"} <= topics.keys() or topics["topic"] > topics["system"]


# ------------------------------------------------------------------------------------------------------- wide frames


def _is_wide(frame: pd.DataFrame) -> bool:
    """Whether all columns hold numbers, or text that is one, and none is called like a part of a long table.

    Objects that are words in every column are marks, which what reads numbers explains.
    """
    if _names_parts(frame):
        return False
    hold_words = [_holds_words(column) for _, column in frame.items()]
    return not any(hold_words) or (all(hold_words) and all(map(pd.api.types.is_object_dtype, frame.dtypes)))


def _names_parts(frame: pd.DataFrame) -> bool:
    return bool({"topic", "metric"} & {part_of_word(name) for name in frame.columns})


def _read_wide(frame: pd.DataFrame, names: Names) -> ScoreTable:
    """Read a wide frame of one metric, which only the caller can name."""
    if any({*map(str, axis)} >= _DESCRIBED for axis in (frame.index, frame.columns)):
        raise ScoresError(
            "these are counts, means, deviations and quantiles, as `frame.describe()` returns them, and no scores of "
            "items; pass the frame itself"
        )
    metric_names = names.get("metric")
    beside = " ".join(str(name) for name in (frame.index.name, frame.columns.name) if name is not None)
    metric, note = named_by_measure(UNNAMED_METRIC, (), (), corner=beside)
    metric, note = (metric, note) if metric_names is None else (_only(metric_names), "")
    for axis, dim in ((frame.columns, "rows"), (frame.index, "columns")):
        if grid_among([*map(str, axis)]):
            continue
        named = frame.index.name is not None or topic_evidence(list(frame.index)) >= 1
        holds_wholes = axis is frame.columns and not named and {*map(word_of, axis)} & WHOLE
        rows = axis is frame.columns and (not named or part_of_word(frame.index.name) == "system")
        several = rows and len(computed_metrics(map(str, axis))) > 1
        if holds_wholes or several or metric_evidence(list(axis)) == _SURE:
            raise ScoresError(
                f"{first_few(list(map(str, axis)))} are called like metrics, and systems and topics should be the rows "
                f"and columns of a wide frame; if the {dim} are systems these are means, if topics one system's "
                "results: pass {system: frame} or a long frame"
            )
        if metrics := sorted({metric for metric, _ in systems_by_metrics(list(map(str, axis))).values()}):
            raise ScoresError(
                f"{first_few(list(map(str, axis)))} seem to name a system and a metric each ({first_few(metrics)}); "
                "pass {metric: frame}, or a long frame with columns system, topic, metric and score"
            )
    oriented = topics_in_rows(frame, "this frame", names, otherwise=None)
    oriented, left_out = _scores_alone(oriented)
    notes = [*filter(None, [note, oriented.note]), *left_out]
    tables, pair_of = {metric: oriented.table}, systems_by_metrics(list(map(str, oriented.table.columns)))
    if metric_names is None and are_surely_crossed(pair_of):
        crossed = oriented.table.set_axis(pd.MultiIndex.from_tuples(pair_of.values()), axis="columns")
        tables = {name: crossed[name] for name in dict.fromkeys(crossed.columns.get_level_values(0))}
        notes += [
            f"names hold a system and a metric each ({first_few([*tables])}); rename them if these are no metrics"
        ]
    return noted(said(wide_tables(tables), f"wide frame: {wide_said(oriented)}"), notes)


def _scores_alone(oriented: Oriented) -> tuple[Oriented, list[str]]:
    """Leave out the columns, as the frame was given, that are no scores."""
    frame = oriented.table.T if oriented.systems_in == "rows" else oriented.table
    names = list(map(str, frame.columns))
    if not all(isinstance(name, str) for name in frame.columns) or len(set(names)) < len(names):
        return oriented, []
    in_rows = oriented.systems_in == "rows"
    empty = [RoleColumn(name, "text", "empty") for name in names if in_rows and _is_empty(frame[name])]
    empty = empty if len(empty) < len(names) else []
    names = [name for name in names if name not in {column.name for column in empty}]
    values = np.stack([frame_numbers(frame[name], f"column {name!r}") for name in names], axis=1)
    parts, total = outcomes(values if in_rows else values.T)
    if parts:
        labels = names if in_rows else list(map(str, frame.index))
        way = "A long frame (columns system, topic and score)"
        raise ScoresError(refusal_of_outcomes([labels[at] for at in parts], total, way))
    columns = [*not_scores(names, values, along="topic" if in_rows else "system"), *empty]
    if unsure := unsure_columns(columns, in_memory=True):
        raise ScoresError(unsure)
    remaining, notes = frame.drop(columns=[column.name for column in columns]), left_out_columns(columns)
    return oriented._replace(table=remaining.T if in_rows else remaining), notes


def wide_said(oriented: Oriented) -> str:
    """Say what a wide table has in its rows and columns, and what told it."""
    n_topics, n_systems = oriented.table.shape
    rows, columns = count(n_systems, "system"), count(n_topics, "topic")
    if oriented.systems_in == "columns":
        rows, columns = columns, rows
    return f"{rows} in rows, {columns} in columns (by {oriented.told_by})"


def _only(given: Sequence[str]) -> str:
    if isinstance(given, str) or len(given) != 1:
        raise ScoresError(f"a wide frame holds one metric; `metrics` must name one, such as ['AP'], not {given!r}")
    return given[0]


def wide_tables(tables: Mapping[str, pd.DataFrame]) -> ScoreTable:
    """Put wide tables together, topics in rows and systems in columns, one a metric."""
    systems: dict[str, None] = {}
    topics: dict[str, None] = {}
    frames: dict[str, pd.DataFrame] = {}
    metrics = distinct_names(tables, "metric")
    for metric, table in zip(metrics, tables.values(), strict=True):
        try:
            columns, index = distinct_names(table.columns, "system"), distinct_names(table.index, "topic")
        except ScoresError as error:
            raise ScoresError(f"{error} (table {metric!r})") from error
        ids = [column for column in columns if part_of_word(column) == "topic"]
        if ids:
            _refuse_runs(columns)
            raise ScoresError(
                f"table {metric!r} has a column {ids[0]!r} among its systems: make it the index "
                f"(table.set_index({ids[0]!r})), or rename it if it is a system"
            )
        frames[metric] = pd.DataFrame(_wide_numbers(table, columns, metric), index=index, columns=columns)
        systems |= dict.fromkeys(columns)
        topics |= dict.fromkeys(index)
    refuse_sliver(
        (len(frames), len(systems), len(topics)),
        sum(frame.size for frame in frames.values()),
        "tables read together must share their systems and topics",
    )
    order = natural_order(topics)
    values = np.stack([frame.reindex(index=order, columns=list(systems)).to_numpy().T for frame in frames.values()])
    return ScoreTable(values, {"metric": metrics, "system": list(systems), "topic": order}, {}, {})


def _wide_numbers(table: pd.DataFrame, columns: Sequence[str], metric: str) -> NDArray[np.float64]:
    """Return the cells as float64, shape (topic, system)."""
    if all(isinstance(kind, np.dtype) and kind.kind in "fb" for kind in set(table.dtypes)):
        return table.to_numpy(dtype=np.float64)
    arrays = [
        frame_numbers(table.iloc[:, position], f"system {name!r} under {metric!r}")
        for position, name in enumerate(columns)
    ]
    return np.stack(arrays, axis=1) if arrays else np.empty((len(table), 0))


def _clean_column_names(frame: pd.DataFrame) -> list[str]:
    columns = [str(column) for column in frame.columns]
    if frame.columns.nlevels == 1 and frame.columns.hasnans:
        clean_name(None, "column")  # raises
    if len(set(columns)) < len(columns):
        distinct_names(columns, "column")
    return columns


def named_by_column(table: pd.DataFrame) -> pd.DataFrame:
    """Return a wide frame without an index of its own under the names in its first column, if that is called topic."""
    table = with_saved_index(table)
    names = [part_of_word(column) for column in table.columns]
    wide = table.columns.nlevels == 1 and isinstance(table.index, pd.RangeIndex) and names[:1] == ["topic"]
    return table.set_index(table.columns[0]) if wide and not {*names[1:]} & {*DIMS, "score"} else table


def holds_results(table: object) -> bool:
    """Whether this is the results of one system, rather than a wide table of all."""
    if not isinstance(table, pd.DataFrame):
        return True
    try:
        return roles_of(table).parts.keys() >= {"topic", "metric", "score"}
    except ScoresError:
        return False


def roles_of(table: pd.DataFrame) -> ColumnRoles:
    """Return the parts of a frame's columns."""
    return column_roles(table.columns)
