"""Scores under several judges: one long table with a column of judges, or a score table a judge, into one shape.

Every judge has the same systems, and topics of its own where people saw few topics and a machine many. What a study of
judges takes is a mapping of metric to judge to `Scores`; files whose metrics share no name, as a leaderboard's truth
and a judge's own measures, are compared measure by measure.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice
from metaeval.base.columns import LABELS, first_called, likely_person, underscored
from metaeval.base.label_words import said_beside_people
from metaeval.base.names import first_few, is_measure, is_number, natural_order
from metaeval.base.notes import UnsaidDirection
from metaeval.base.number_words import GAP_WORDS
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.any_sheets import any_sheet
from metaeval.io.blocks import TableOptions
from metaeval.io.chosen_rows import rows_where
from metaeval.io.duplicates import Duplicates
from metaeval.io.files import base_name
from metaeval.io.headers import place_of, roles_of_sheet
from metaeval.io.paired_items import refuse_spelt_apart
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows
from metaeval.io.sources import Source, named_apart
from metaeval.io.tables import checked_table_options, scores_of, scores_of_several, scores_of_sheet
from metaeval.table.roles import AVERAGES, SCORES, ColumnRoles, column_roles, part_of_word
from metaeval.table.scores import Missing, Scores

JUDGED_SCORES = ("judge", "system", "topic", "metric", "score")
"""Parts of a table of scores under judges that a column may be named for."""

_QRELS_CELLS = 4
_FULL = 0.5
_PAIR = ("system", "topic")
"""Share of runs x measures x topics that four columns of scores fill at least; judgments fill hardly any."""
_OF_LABELS = frozenset({"item", "item_id", "doc"})
"""Words for topics of scores that mean what was labelled where no system is named."""
_TRUTHS = {"true": "1", "yes": "1", "false": "0", "no": "0"}
_OF_SYSTEMS = "each file has systems of its own, and the same metrics: these are taken for the judges"
_UNNAMED = "score"
"""What a metric is called that has no name of its own."""


def holds_scores(content: bytes, label: str, columns: Mapping[str, str], *, alone: bool) -> bool:
    r"""Whether a file holds scores of systems and not what judges said of items.

    Examples
    --------
    >>> holds_scores(b"run,topic,judge,value\na,1,ann,0.5\n", "file", {}, alone=True)
    True
    >>> holds_scores(b"topic,item,ann,ben\n1,d1,0,1\n", "file", {}, alone=True)
    False
    """
    if not content.strip():
        return False
    sheet = any_sheet(content, label, forms=not columns)
    if sheet is None:
        return True
    names = header_names(sheet.sample()[0])
    if len(names) == _QRELS_CELLS and is_number(names[-1]):
        return _fills_four(sheet)
    return _has_columns(sheet, names, columns) or (not alone and _is_wide(sheet, names, columns))


def scores_of_judges(  # noqa: PLR0913 - what is read, and what is kept of it
    contents: Sequence[tuple[Source, bytes]],
    *,
    columns: Mapping[str, str],
    where: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    reference: str | None = None,
    missing: Missing = "error",
    duplicates: Duplicates = "error",
) -> dict[str, dict[str, Scores]]:
    """Return metric to judge to scores, of files that were read already; see `read_judges`."""
    for role in columns:
        if role not in JUDGED_SCORES:
            raise InvalidOptionError(
                f"`columns` of a table of scores may name {', '.join(JUDGED_SCORES)}, not {role!r}"
            )
    judge, others = columns.get("judge"), {part: name for part, name in columns.items() if part != "judge"}
    options = checked_table_options(TableOptions(columns=others, where=where, missing=missing, duplicates=duplicates))
    if len(contents) == 1:
        source, content = contents[0]
        sheet = _sheet_with_judges(content, source, judge)
        by_judge = _by_judge(sheet, judge, options) if sheet is not None else {}
        if not by_judge:
            scores = _with_parts(partial(scores_of, content, source), options, metrics, reference)
            return {_UNNAMED: _of_same_systems(_metrics_as_judges(scores, source, metrics), missing)}
        together = _of_metrics(by_judge, metrics)
        shared = _shared(together)
        if not shared:
            raise ScoresError(f"the judges in {source.path} share no metric: {_listed(together)}")
    else:
        by_file = _file_by_file(contents, judge, options)
        if _are_of_systems(contents, by_file, reference):
            scores = _with_parts(partial(scores_of_several, contents), options, metrics, reference)
            scores = scores.assign_attrs(notes=[*scores.attrs.get("notes", []), _OF_SYSTEMS])
            return {_UNNAMED: _of_same_systems(_metrics_as_judges(scores, contents[0][0], metrics), missing)}
        together = _of_metrics(by_file, metrics)
        shared = _shared(together)
    same = _of_same_systems(together, missing)
    if shared:
        _note_unshared(same, shared)
        return {metric: {name: of_judge.sel(metric=[metric]) for name, of_judge in same.items()} for metric in shared}
    return _crossed(same, reference)


# ------------------------------------------------------------------------------------------------------------ telling


def _fills_four(sheet: Sheet) -> bool:
    """Whether four columns are run, measure, topic and value in either order, and no judgments.

    Judgments have 0 or Q0 in the second column and documents of their own for every topic, so that the third names
    hardly any twice; every run has every measure on every topic.
    """
    cells = [[cell.strip() for cell in row] for row in sheet.rows()]
    if any(len(row) != _QRELS_CELLS for row in cells) or is_number(cells[0][0]):
        return False
    seconds, thirds = ({row[column] for row in cells} for column in (1, 2))
    if not any(name.casefold() in AVERAGES for name in seconds | thirds):
        numbered = all(map(is_number, seconds)) or {name.casefold() for name in seconds} == {"q0"}
        if numbered and not all(map(is_measure, thirds)):
            return False
    return len(cells) >= _FULL * len({row[0] for row in cells}) * len(seconds) * len(thirds)


def _has_columns(sheet: Sheet, names: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether a table has systems and topics, and scores, or at least nothing that was labelled, and some numbers."""
    chosen = {role: name for role, name in columns.items() if role in SCORES}
    try:
        parts = roles_of_sheet(names, sheet, chosen=chosen).parts
    except ScoresError:  # two columns of one part; whoever reads the table says so
        parts = {role: name for name in names if (role := part_of_word(name)) is not None}
    if not {"system", "topic"} <= parts.keys():
        return False
    item = columns.get("item") or _called([name for name in names if name != parts["topic"]], "item", "asked")
    others = [column for column, name in enumerate(names) if name and name not in parts.values()]
    unlabelled = _called(names, "label") is None and item is None
    if "score" in parts or not unlabelled:
        return "score" in parts
    texts = {name: _texts(sheet, column) for column, name in enumerate(names) if name}
    if said_beside_people(texts, parts["system"], [names[column] for column in others]):
        return False
    if underscored(parts["system"]) not in LABELS["more"]:  # a column `llm` that says what the others say is a judge
        labels = {_label(text) for column in others for text in _texts(sheet, column)}
        unlabelled = not {_label(text) for text in _texts(sheet, names.index(parts["system"]))} <= labels
    return unlabelled and any(_holds_numbers(sheet, column) for column in others)


def _is_wide(sheet: Sheet, names: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether this is a header of names and rows of numbers, and no column holds items that were labelled."""
    labelled = [name for name in names if part_of_word(name) != "topic" or underscored(name) in _OF_LABELS]
    if "item" in columns or _called(labelled, "item") is not None or any(map(is_number, names)):
        return False
    return len(sheet.sample()) > 1 and all(_holds_numbers(sheet, column) for column in range(1, len(names)))


def _holds_numbers(sheet: Sheet, place: int) -> bool:
    """Whether a column of the first rows has numbers and gaps alone."""
    return all(is_number(cell) or cell.casefold() in GAP_WORDS for cell in _texts(sheet, place))


def _texts(sheet: Sheet, place: int) -> set[str]:
    """Return what the first rows say in a column."""
    return {row[place].strip() if place < len(row) else "" for row in sheet.sample()[1:]}


def _label(text: str) -> str:
    """Return a label as it is compared, however it is spelt: 1, 1.0 and true are one.

    Examples
    --------
    >>> [_label(text) for text in ("1.0", "True", "0", "partly")]
    ['1.0', '1.0', '0.0', 'partly']
    """
    plain = text.strip().casefold()
    plain = _TRUTHS.get(plain, plain)
    return str(float(plain)) if is_number(plain) else plain


def _called(names: Sequence[str], *roles: str) -> str | None:
    position = first_called(names, [word for role in roles for word in LABELS[role]], underscored)
    return None if position is None else names[position]


# ------------------------------------------------------------------------------------------------------------ reading


def _sheet_with_judges(content: bytes, source: Source, judge: str | None) -> Sheet | None:
    """Return a table that has a column of judges, None for any other file."""
    sheet = any_sheet(content, source.path)
    if sheet is None:
        if judge is not None:
            message = "a column of judges (`columns`) is one of a table; write it as CSV, TSV, JSON or Parquet"
            raise FileFormatError(message, path=source.path)
        return None
    names = header_names(sheet.sample()[0])
    if judge is not None:
        place_of(judge, names, sheet)
    called = judge if judge is not None else _called(names, "judge")
    return None if called is None or (judge is None and _holds_scores_itself(sheet, names, called)) else sheet


def _holds_scores_itself(sheet: Sheet, names: Sequence[str], judge: str) -> bool:
    """Whether a column called as judges holds what one of them says: the same numbers as another, once an answer."""
    try:
        parts = roles_of_sheet(names, sheet).parts
    except ScoresError:  # whoever reads the table says so
        return False
    keys = [names.index(parts[role]) for role in _PAIR if role in parts]
    if "score" in parts or len(keys) < len(_PAIR):
        return False
    rows = [[cell.strip() for cell in row] for row in sheet.without_header().rows() if len(row) == len(names)]
    cells_of = {name: {row[at] for row in rows} - {""} for at, name in enumerate(names) if name}
    numbers = {_label(text) for text in cells_of[judge]}
    others = [{*map(_label, cells_of[name])} for name in cells_of if name not in {judge, *parts.values()}]
    alike = any(numbers <= texts or texts <= numbers for texts in others if texts)
    once = len({tuple(row[at] for at in keys) for row in rows}) == len(rows)
    return once and alike and all(map(is_number, numbers))


def _by_judge(sheet: Sheet, judge: str | None, options: TableOptions) -> dict[str, Scores]:
    """Return the scores of every judge of one long table."""
    names = header_names(sheet.sample()[0])
    judge, where = judge or _called(names, "judge") or "", options.where
    at = place_of(judge, names, sheet)
    parts: dict[str, list[tuple[int | None, list[str]]]] = {}
    for line, cells, is_chosen in rows_where(sheet, names, where):
        if is_chosen:
            parts.setdefault(cells[at].strip(), []).append((line, [*cells]))
    if "" in parts:
        message = f"the judge (column {judge!r}) is empty; fill it in"
        raise FileFormatError(message, path=sheet.label, line=parts[""][0][0])
    remaining = [name for name in names if name != judge and name not in where]
    of_first = [cells for _, cells in next(iter(parts.values()), [])]
    roles = _roles(sheet, remaining, options.chosen, lambda name: [cells[names.index(name)] for cells in of_first])
    idle = roles.others if "score" in roles.parts else []
    keys = [place_of(name, names, sheet) for part, name in roles.parts.items() if part != "score"]
    pair = [place_of(roles.parts[role], names, sheet) for role in _PAIR if role in roles.parts]
    remaining = [name for name in remaining if name not in idle]
    note = [f"columns that are no part of scores under judges, left out: {first_few(idle)}"] if idle else []
    places, by_judge = [names.index(name) for name in remaining], {}
    beside = partial(_reference_beside, parts, names.index(roles.parts["topic"])) if "topic" in roles.parts else _alone
    of_part = replace(options, form="long", where={})
    for name, rows in parts.items():
        stripped = [tuple(map(str.strip, cells)) for _, cells in rows] if idle else []
        if options.duplicates == "error" and len({tuple(cells[at] for at in keys) for cells in stripped}) < len(
            stripped
        ):
            raise _told_apart_by(sheet, idle, keys, stripped, beside)
        parting = (
            _parting(idle, names, pair, stripped) if options.missing == "error" and len(pair) == len(_PAIR) else ""
        )
        if parting:
            raise _chosen_by(sheet, parting, stripped, "systems have topics of their own", beside)
        chosen = ((line, [cells[column] for column in places]) for line, cells in rows)
        table = sheet_of_rows(sheet.label, remaining, chosen)
        scores = _named(scores_of_sheet(table, Source(sheet.label), of_part), sheet.label)
        by_judge[name] = scores.assign_attrs(notes=[*note, *scores.attrs.get("notes", [])])
    return by_judge


def _roles(
    sheet: Sheet, names: Sequence[str], columns: Mapping[str, str], cells_of: Callable[[str], Sequence[str]]
) -> ColumnRoles:
    """Find out which columns are what, or say what is wrong with them."""
    try:
        return column_roles(names, chosen=columns, all_cells=cells_of)
    except ScoresError as error:
        raise sheet.error(str(error)) from error


def _reference_beside(
    parts: Mapping[str, Sequence[tuple[int | None, Sequence[str]]]], topic: int, at: int, chosen: str
) -> str:
    """Return the reference that judges need in the rows that are chosen, whose topics differ there; "" for none."""
    topics = {
        frozenset(cells[topic].strip() for _, cells in rows if cells[at].strip() == chosen) for rows in parts.values()
    }
    person = likely_person([*parts]) if len(topics) > 1 else ""
    return f" `reference={person!r}`" if person else ""


def _alone(_at: int, _chosen: str) -> str:
    return ""


def _told_apart_by(
    sheet: Sheet,
    columns: Sequence[str],
    keys: Sequence[int],
    rows: Sequence[Sequence[str]],
    beside: Callable[[int, str], str],
) -> FileFormatError:
    """Return the error for rows that differ only in columns without a part, of which one may say how."""
    names = header_names(sheet.sample()[0])
    for column in columns:
        places = [*keys, names.index(column)]
        if len({tuple(cells[at] for at in places) for cells in rows}) == len(rows):
            return _chosen_by(sheet, column, rows, "a judge has several scores of one system and topic", beside)
    listing = first_few(list(map(repr, columns)))
    return sheet.error(
        f"a judge has several scores of one system and topic, which no part of scores under judges distinguishes, but "
        f"perhaps column{'s' * (len(columns) > 1)} {listing}: choose the rows that belong together by their text in it "
        "(`where`)"
    )


def _chosen_by(
    sheet: Sheet, column: str, rows: Sequence[Sequence[str]], says: str, beside: Callable[[int, str], str]
) -> FileFormatError:
    """Return the error for sets of rows that a column parts, of which one is to be chosen."""
    at = header_names(sheet.sample()[0]).index(column)
    values = natural_order({cells[at] for cells in rows})
    choice = f"`where={ {column: values[0]}!r}`{beside(at, values[0])}"
    return sheet.error(
        f"{says}, by column {column!r} ({first_few(values)}); pass {choice} for those of {values[0]!r}, or another of "
        "these for others"
    )


def _parting(columns: Sequence[str], names: Sequence[str], pair: Sequence[int], rows: Sequence[Sequence[str]]) -> str:
    """Return the column by which tables of systems and topics are whole that have gaps together, "" for none."""
    for column in columns:
        at = names.index(column)
        tables: dict[str, set[tuple[str, ...]]] = {}
        for cells in rows:
            tables.setdefault(cells[at], set()).add(tuple(cells[named] for named in pair))
        if len(tables) > 1 and all(map(_is_whole, tables.values())) and not _is_whole(set().union(*tables.values())):
            return column
    return ""


def _is_whole(pairs: Collection[tuple[str, ...]]) -> bool:
    """Whether each system stands with each topic."""
    n_systems, n_topics = (len({*names}) for names in zip(*pairs, strict=True))
    return len(pairs) == n_systems * n_topics


def _file_by_file(
    contents: Sequence[tuple[Source, bytes]], judge: str | None, options: TableOptions
) -> dict[str, Scores]:
    by_judge: dict[str, Scores] = {}
    for source, content in contents:
        sheet = _sheet_with_judges(content, source, judge)
        if sheet is not None:
            of_file = _by_judge(sheet, judge, options)
        else:
            scores = _named(scores_of(content, Source(source.path), options), source.path)
            if source.own_name in scores["metric"].to_numpy():  # of a file called as one of its metrics that alone
                scores = scores.sel(metric=[source.own_name])
            of_file = {source.own_name: scores}
        for name, scores in of_file.items():
            if name in by_judge:
                alike = [candidate.path for candidate, _ in contents if candidate.own_name == name]
                ways = f", or name them: {' '.join(named_apart(alike))}" if len(alike) > 1 else ""
                raise InvalidOptionError(f"two judges are called {name!r}; leave one out{ways}")
            by_judge[name] = scores
    return by_judge


def _with_parts(
    read: Callable[[TableOptions], Scores],
    options: TableOptions,
    metrics: Sequence[str] | None,
    reference: str | None,
) -> Scores:
    """Return scores, with those of metrics that are asked for and that only a part of the items has."""
    scores = read(options)
    there = scores["metric"].to_numpy().tolist()
    asked = [*(metrics or there), *([] if reference is None else [reference])]
    if {*asked} <= {*there}:
        return scores
    try:
        return read(replace(options, metrics=[*dict.fromkeys(asked)], missing="pairwise"))
    except UnknownNameError:  # whoever compares judges says so
        return scores


def _named(scores: Scores, path: str) -> Scores:
    """Return scores whose one metric has the file's name for want of its own under no name."""
    unnamed = scores["metric"].to_numpy().tolist() == [base_name(path)]
    return scores.assign_coords(metric=[_UNNAMED]) if unnamed else scores


# ------------------------------------------------------------------------------------------------- judges and metrics


def _metrics_as_judges(scores: Scores, source: Source, metrics: Sequence[str] | None) -> dict[str, Scores]:
    """Return the metrics of one table as judges."""
    available = scores["metric"].to_numpy().tolist()
    for name in metrics or ():
        check_choice(name, "metric in the score table", available)
    selected = list(metrics or available)
    if len(selected) < 2:  # noqa: PLR2004 - a judge beside another
        raise ScoresError(
            f"{source.path} holds the scores of one judge ({first_few(selected)}); give those of another beside it, "
            "name as the reference one who scored a part of the items, or name the column of judges "
            "(`columns={'judge': 'NAME'}`)"
        )
    return {name: scores.sel(metric=[name]) for name in selected}


def _of_metrics(found: Mapping[str, Scores], metrics: Sequence[str] | None) -> dict[str, Scores]:
    """Return of every judge the metrics asked for that it has."""
    if metrics is None:
        return dict(found)
    available = list(dict.fromkeys(name for scores in found.values() for name in scores["metric"].to_numpy().tolist()))
    for name in metrics:
        check_choice(name, "metric in the score tables", available)
    selected = {}
    for judge, scores in found.items():
        its_metrics = [name for name in metrics if name in scores["metric"].to_numpy()]
        if not its_metrics:
            there = first_few(scores["metric"].to_numpy().tolist())
            raise ScoresError(
                f"{judge} has none of the metrics {', '.join(metrics)}, and has {there}; name one of these too "
                "(`metrics`), or leave that judge out"
            )
        selected[judge] = scores.sel(metric=its_metrics)
    return selected


def _shared(found: Mapping[str, Scores]) -> list[str]:
    parts = [scores["metric"].to_numpy().tolist() for scores in found.values()]
    return [name for name in parts[0] if all(name in metrics for metrics in parts)]


def _note_unshared(found: dict[str, Scores], shared: Sequence[str]) -> None:
    every = dict.fromkeys(name for scores in found.values() for name in scores["metric"].to_numpy().tolist())
    left = [name for name in every if name not in shared]
    if left:
        note = f"metrics that only some judges have, left out: {first_few(left)}"
        for name, scores in found.items():
            found[name] = scores.assign_attrs(notes=[*scores.attrs.get("notes", []), note])


def _crossed(found: Mapping[str, Scores], reference: str | None) -> dict[str, dict[str, Scores]]:
    """Hold every metric of the reference against every metric of the others, where they share none."""
    if reference is None:
        if any(scores.sizes["metric"] > 1 for scores in found.values()):
            raise ScoresError(
                f"the judges share no metric: {_listed(found)}; name the judge that the others are measured by "
                "(`reference`), or the metrics that belong together (`metrics`)"
            )
        return {_UNNAMED: dict(found)}
    check_choice(reference, "judge", list(found))
    others = {
        name if scores.sizes["metric"] == 1 else f"{name}:{metric}": scores.sel(metric=[metric])
        for name, scores in found.items()
        if name != reference
        for metric in scores["metric"].to_numpy().tolist()
    }
    truth = found[reference]
    return {metric: {reference: truth.sel(metric=[metric]), **others} for metric in truth["metric"].to_numpy().tolist()}


def labels_of_one_system(scores: Mapping[str, Mapping[str, Scores]]) -> pd.DataFrame | None:
    """Return scores of the answers of one system as labels, items in rows and judges in columns; None for several.

    Where the system answered several times, a row is a topic and an answer. Several systems' are labels too where a
    judge said yes or no of a part of what it scored.
    """
    by_judge = next(iter(scores.values()))
    if len(scores) > 1:
        return None
    several = any(judged.sizes["system"] > 1 for judged in by_judge.values())
    if several and not any(bool(np.isnan(judged.to_numpy()).any()) for judged in by_judge.values()):
        return None
    frame = graded_answers(by_judge)
    if several:
        return frame if bool((frame.isin([0.0, 1.0]) | frame.isna()).all(axis=None)) else None
    del frame.attrs["system_of"]
    return frame if frame.index.unique("topic").size < len(frame) else frame.droplevel("item").rename_axis("item")


def graded_answers(sides: Mapping[str, Scores]) -> pd.DataFrame:
    """Return `frame_of_answers`, where somebody gave half a grade, as for partial credit, in whole ones of half a step.

    A half that only the mean of repeats makes is no grade.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> ann, bot = as_scores([[0, 0.5], [1, 1]]), as_scores([[1, 1], [0, 1]])
    >>> graded_answers({"ann": ann, "bot": bot})["ann"].tolist()
    [0.0, 2.0, 1.0, 2.0]
    """
    frame = frame_of_answers(sides)
    given, values = np.concatenate([judged.to_numpy().ravel() for judged in sides.values()]), frame.to_numpy(float)
    if not (given[np.isfinite(given)] % 1).any() or (2 * values[np.isfinite(values)] % 1).any():
        return frame
    doubled = 2 * frame
    doubled.attrs = {**frame.attrs, "notes": ["labels go in steps of 0.5 and are counted in these: 1 is 2 steps"]}
    return doubled


def frame_of_answers(sides: Mapping[str, Scores]) -> pd.DataFrame:
    """Return the scores under each judge as labels are kept: a row a topic and answer, a column a judge.

    A repeat is an answer of its own where all judges have the same repeats; elsewhere their mean is one. ``attrs`` hold
    the system of each answer.
    """
    tables = {name: judged.isel(metric=0, drop=True) for name, judged in sides.items()}
    repeats = {
        (*judged["repeat"].to_numpy().tolist(),) if "repeat" in judged.dims else () for judged in tables.values()
    }
    if len(repeats) > 1:
        tables = {name: judged.mean("repeat") if "repeat" in judged.dims else judged for name, judged in tables.items()}
    dims = [dim for dim in ("topic", "system", "repeat") if dim in next(iter(tables.values())).dims]
    frame = pd.DataFrame({name: judged.transpose(*dims).to_series() for name, judged in tables.items()})
    frame = frame.dropna(how="all")
    topics, systems, *numbers = (frame.index.get_level_values(dim) for dim in dims)
    answers = [" #".join(map(str, answer)) for answer in zip(systems, *numbers, strict=True)]
    frame.index = pd.MultiIndex.from_arrays([topics, answers], names=["topic", "item"])
    frame.attrs["system_of"] = dict(zip(answers, map(str, systems), strict=True))
    return frame


def _listed(found: Mapping[str, Scores]) -> str:
    return "; ".join(f"{name} has {first_few(scores['metric'].to_numpy().tolist())}" for name, scores in found.items())


def _are_of_systems(
    contents: Sequence[tuple[Source, bytes]], by_file: Mapping[str, Scores], reference: str | None
) -> bool:
    """Whether each file has systems of its own and the same metrics as all, as logs of models have.

    Then who judged are the metrics, unless a file was given the name of a judge; one metric alone has to be beside a
    reference that is no file.
    """
    systems = [name for scores in by_file.values() for name in scores["system"].to_numpy().tolist()]
    metrics = {tuple(sorted(scores["metric"].to_numpy().tolist())) for scores in by_file.values()}
    is_elsewhere = reference is not None and reference not in by_file
    are_alike = len(metrics) == 1 and (len(next(iter(metrics))) > 1 or is_elsewhere)
    return are_alike and len({*systems}) == len(systems) and not any(source.name for source, _ in contents)


def _of_same_systems(found: Mapping[str, Scores], missing: Missing) -> dict[str, Scores]:
    """Return the scores of every judge with systems in one order; others are an error, or go."""
    for dim in ("system", "topic"):
        texts_of = {name: [[text] for text in judged[dim].to_numpy().tolist()] for name, judged in found.items()}
        refuse_spelt_apart(texts_of, [dim])
    systems_of = {name: judged["system"].to_numpy().tolist() for name, judged in found.items()}
    first = next(iter(systems_of.values()))
    common = [system for system in first if all(system in systems for systems in systems_of.values())]
    every = list(dict.fromkeys(system for systems in systems_of.values() for system in systems))
    left = [system for system in every if system not in common]
    if left and missing != "drop-systems":
        name, lacking = next(
            (name, absent)
            for name, systems in systems_of.items()
            if (absent := [judged for judged in every if judged not in systems])
        )
        raise ScoresError(
            f"every judge must score the same systems; {name} lacks {first_few(lacking)}: score them too, or pass "
            f"`missing='drop-systems'` to keep the {len(common)} that all have"
        )
    several_items = all(judged.sizes["topic"] > 1 for judged in found.values())
    metrics = [judged["metric"].to_numpy().tolist() for judged in found.values()]
    is_one = len(every) == 1 and several_items and all(len(names) == 1 for names in metrics)
    if len(common) < 2 and not is_one:  # noqa: PLR2004 - a pair; see `labels_of_one_system`
        message = f"the judges must share two systems at least, and they share {len(common)}; name systems alike"
        raise ScoresError(message)
    beside = [f"systems that not every judge scored, left out: {first_few(left)}"] if left else []
    noted = {  # a judge is no metric, of which less could be better
        name: [note for note in judged.attrs.get("notes", []) if not isinstance(note, UnsaidDirection)]
        for name, judged in found.items()
    }
    return {
        name: judged.sel(system=common).assign_attrs(notes=[*noted[name], *beside]) for name, judged in found.items()
    }
