"""Which form a table of scores has, told by its header and its first rows; what could be two is refused."""

import re
from collections.abc import Mapping, Sequence

from metaeval.base.columns import LABELS, underscored
from metaeval.base.names import first_few, is_measure, is_number, metric_evidence, topic_evidence
from metaeval.io.benchmarks.rows import find_four, holds_frame
from metaeval.io.blocks import Form, SpreadlessError, TableOptions
from metaeval.io.headers import columns_found, ways_to_name
from metaeval.io.long_columns import hold_metrics, names_repeat, system_beside_roles
from metaeval.io.long_tables import RESULT_CELLS, TREC_TEXTS
from metaeval.io.sheets import Sheet, header_names
from metaeval.table.array import ATTACHED, REPEAT
from metaeval.table.means import renaming
from metaeval.table.roles import ERRORS, column_roles, numbers_runs, part_of_word, role_of_name

_RUN_CELLS = 6
_PASSAGE_CELLS = 8
_QRELS_CELLS = 4
_ROOT = re.compile(r"<(\w[\w-]*)")
_OF_JUNIT = frozenset({"testsuites", "testsuite"})
_OF_INEX = frozenset({"inex-submission", "assessments", "pool", "eval"})
"""Roots of XML."""
_SCORES = "a table of scores"


def find_form(sheet: Sheet, options: TableOptions) -> Form:
    """Tell the form by the header's words, else by three columns that end in a number."""
    _refuse_xml(sheet, _SCORES)
    if options.positions:
        return "wide" if options.counts_names_of_rows else "long"
    names = header_names(sheet.sample()[0])
    if names[:2] == ["runid", "all"]:
        return "trec_eval"
    if not options.header and not options.columns and (four := find_four(sheet)) is not None:
        return four
    if options.header is not False and holds_frame(names, options):
        return "frame"
    if options.header is not False and _is_long(sheet, names, options):
        return "long"
    _refuse_runs(sheet, _SCORES)
    return _find_result_form(sheet) if options.header is None and _holds_results(sheet, names) else "wide"


def _is_long(sheet: Sheet, names: Sequence[str], options: TableOptions) -> bool:
    """Whether the header is that of a long table; an error where it could be, but lacks a part."""
    roles = options.roles(names, sheet)
    parts = roles.parts.keys()
    if {"topic", "score"} <= parts and (parts & {"system", "metric"} or not roles.others) and options.form is None:
        return True
    if {"system", "topic"} <= parts and "metric" not in parts and options.systems_in != "rows":
        _refuse_scores_as_names(sheet, names, roles.parts["system"], options)
        return True
    if "system" in parts and "topic" not in parts and "topic" not in options.columns and options.systems_in is None:
        body = sheet.without_header()
        keys = [roles.parts[role] for role in ("system", "metric") if role in parts]
        runs = [name for name in names if numbers_runs(name)]
        items = [name for name in roles.others if not role_of_name(name)[0]]
        are_items = len(items) > 1 and not metric_evidence(items) and parts <= {"system", REPEAT}
        is_wide = are_items and len(runs) == 1 and not names_repeat(body, names, [*keys, *runs])
        if names_repeat(body, names, keys) and not is_wide:
            return True
    if not system_beside_roles(names, sheet.without_header(), options.columns.get("system"), options.ignored):
        _refuse_without_topics(sheet, names, roles.parts)
    of_one = parts - {*ATTACHED, REPEAT} == {"topic"} and options.systems_in != "rows"
    return of_one and hold_metrics(roles.others, sheet)


def _refuse_without_topics(sheet: Sheet, names: Sequence[str], parts: Mapping[str, str]) -> None:
    """Refuse a long table that lacks a part; a first column of systems alone may be a wide table's."""
    others = [name for name in names if name and name not in parts.values() and not role_of_name(name)[0]]
    if parts.keys() - ATTACHED.keys() == {"system", "score"} and names[0] == parts["system"] and len(others) > 1:
        return  # scores of systems by item, and one of the whole
    if "metric" in parts or {"system", "score"} <= parts.keys() or names.index(parts.get("system", names[0])):
        absent = [role for role in ("topic", "score") if role not in parts]
        means = "" if "topic" in parts else " (means alone do not tell whether a difference is more than luck)"
        if {"system", "score"} <= parts.keys() and "metric" not in parts and _are_once(parts["system"], names, sheet):
            errors = [name for name in names if role_of_name(name)[0] in ERRORS]
            way = renaming([parts["score"], *errors]) or "give a row for every system and topic"
            message = f"every row of {parts['system']!r} has one score{means}; {way}"
            raise sheet.error(message, of=SpreadlessError)
        numeric = _columns_of_numbers(others, names, sheet)
        is_board = {"system"} <= parts.keys() and parts.keys().isdisjoint({"metric", "topic", "score"})
        if is_board and hold_metrics(numeric, sheet) and _are_once(parts["system"], names, sheet):
            message = f"every row of {parts['system']!r} has one score each under {first_few(numeric)}{means}"
            raise sheet.error(f"{message}; give a row for every system and topic", of=SpreadlessError)
        if len(numeric) > 1 and {"metric", "topic"} <= parts.keys() and parts.keys().isdisjoint({"system", "score"}):
            way = f"pass `form='wide'` if {first_few(numeric)} are systems"
            raise sheet.error(f"there is no column for the score; {columns_found(names)}; {way}")
        is_turned = parts.keys().isdisjoint({"system", "topic", "score"}) and len(numeric) > 1
        if is_turned and numeric == others and topic_evidence(numeric) < 1 and _are_once(parts["metric"], names, sheet):
            message = f"every row of {parts['metric']!r} has one score of each of {first_few(numeric)}{means}"
            raise sheet.error(f"{message}; give a row for every system and topic", of=SpreadlessError)
        lacking = ["system"] * ("system" not in parts and len(others) > len(absent)) + absent
        ways = ways_to_name(names, others if len(others) >= len(absent) else (), lacking)
        if len(others) < len(absent):
            ways += f"; give a row for every system and {'topic' if 'topic' in absent else 'score'}"
        raise sheet.error(f"there is no column for the {' and the '.join(absent)}{means}; {ways}")


def _are_once(column: str, names: Sequence[str], sheet: Sheet) -> bool:
    """Whether no name of a column stands in two rows."""
    return not names_repeat(sheet.without_header(), names, [column])


def _columns_of_numbers(wanted: Sequence[str], names: Sequence[str], sheet: Sheet) -> list[str]:
    body = [cells for cells in sheet.sample()[1:] if len(cells) == len(names)]
    return [name for name in wanted if body and all(is_number(cells[names.index(name)]) for cells in body)]


def refuse_collections(sheet: Sheet, wanted: str) -> None:
    """Refuse runs and judgments, of documents or of INEX, where a table is wanted."""
    _refuse_xml(sheet, wanted)
    _refuse_runs(sheet, wanted)


def _refuse_xml(sheet: Sheet, wanted: str) -> None:
    start = " ".join(",".join(cells) for cells in sheet.sample()[:2]).lstrip()
    roots = _ROOT.findall(start) if start.startswith("<") else []
    root = roots[0] if roots else ""
    if root in _OF_JUNIT:
        raise sheet.error(
            f"this is XML of JUnit (<{root}>), which says what tests passed and is not read; write a log of them "
            "with the package pytest-reportlog, a file a system"
        )
    if start.startswith("<?xml") and root and root not in _OF_INEX:
        raise sheet.error(f"this is XML (<{root}>) of no form that is read; give a table, in CSV or JSON")
    if start.startswith(("<?xml", "<inex")):
        raise sheet.error(f"this is XML, such as a submission to INEX, not {wanted}; {_way(wanted, inex=True)}")


def _refuse_runs(sheet: Sheet, wanted: str) -> None:
    rows = sheet.sample()
    if part_of_word(rows[0][0]) is not None:  # a header, whose systems or topics may be called by numbers
        return
    kinds = {_RUN_CELLS: "a run in TREC format", _PASSAGE_CELLS: "a run of passages (INEX)"}
    kind = kinds.get(len(rows[0]))
    ranked = all(len(cells) == len(rows[0]) and all(map(is_number, (*cells[3:5], *cells[6:]))) for cells in rows)
    if kind is not None and ranked and not all(is_number(cells[5]) for cells in rows):  # the tag; else scores
        way = _way(wanted, inex=len(rows[0]) == _PASSAGE_CELLS)
        raise sheet.error(f"this is {kind}, not {wanted}; {way}")
    of_inex = all(map(_is_assessment, rows))
    if of_inex or all(map(is_judgment, rows)):
        kind = "assessments of INEX" if of_inex else "judgments in TREC format (qrels)"
        way = "give runs as the inputs, and this file as the judgments (`read_collection(qrels=...)`)"
        way = _way(wanted, inex=True) if of_inex and wanted != _SCORES else way
        raise sheet.error(f"these are {kind}, not {wanted.removeprefix('a table of ')}; {way}")


def _way(wanted: str, *, inex: bool) -> str:
    if inex and wanted != _SCORES:
        return "only runs of documents can be read as votes, with their judgments"
    return "give its judgments too (`read_collection(qrels=...)`)"


def _is_assessment(cells: Sequence[str]) -> bool:
    """Whether this is topic, Q0, document, relevant and all characters, best entry point, and perhaps passages."""
    return (
        len(cells) > _QRELS_CELLS
        and cells[1] == "Q0"
        and all(map(is_number, cells[3:6]))
        and (len(cells) == _QRELS_CELLS + 1 or all(":" in cell for cell in cells[6:]))
    )


def heads_labels(cells: Sequence[str]) -> bool:
    """Whether a first line names topics or items where judgments hold one: a judge may be called Q0, or 1000.

    Examples
    --------
    >>> heads_labels(["topic", "Q0", "item", "1000"]), heads_labels(["301", "Q0", "doc", "1"])
    (True, False)
    """
    topic, _, item, *_ = map(underscored, cells)
    named = topic in {*LABELS["topic"], *LABELS["item"]}
    return named or (item in LABELS["item"] and not is_number(topic))


def is_judgment(cells: Sequence[str]) -> bool:
    """Whether this is topic, iteration, document and grade; behind 0 or Q0 a document may be a number."""
    if len(cells) != _QRELS_CELLS or not cells[3].strip().lstrip("-").isdigit() or heads_labels(cells):
        return False
    return cells[1] in {"0", "Q0"} or (is_number(cells[1]) and not is_number(cells[2]))


def _refuse_scores_as_names(sheet: Sheet, names: Sequence[str], column: str, options: TableOptions) -> None:
    """Refuse a wide table with a system called "run" or "name", whose scores would be read as names."""
    cells = [row[names.index(column)] for row in sheet.sample()[1:] if len(row) == len(names)]
    if "system" not in options.columns and cells and all(is_number(cell) and "." in cell for cell in cells):
        raise sheet.error(
            f"column {column!r} could hold the names of systems, or be a system itself, for it holds numbers; pass "
            "`form='wide'` if it is a system, `form='long'` if it holds names"
        )


def _holds_results(sheet: Sheet, names: Sequence[str]) -> bool:
    """Whether this is measure, topic and value in some order, without a header."""
    rows = sheet.sample()
    if "" in names or any(column_roles([name]).parts for name in names):
        return False
    if any(len(cells) != RESULT_CELLS for cells in rows):
        return False
    first = next((cells for cells in rows if cells[0].strip() not in TREC_TEXTS), rows[0])
    return is_number(first[2]) and any(not any(is_number(cells[column]) for cells in rows) for column in (0, 1))


def _find_result_form(sheet: Sheet) -> Form:
    """Tell trec_eval's order from that of ir_measures by the averages ("all"), else by names of known measures."""
    rows = [cells for cells in sheet.rows() if len(cells) == RESULT_CELLS]
    first, second = ({cells[column].strip() for cells in rows} for column in (0, 1))
    if ("all" in first) != ("all" in second):
        return "ir_measures" if "all" in first else "trec_eval"
    if any(map(is_measure, first)) != any(map(is_measure, second)):
        return "trec_eval" if any(map(is_measure, first)) else "ir_measures"
    few, many = (1, 2) if len(first) <= len(second) else (2, 1)
    long = f"`columns={ {'system': few, 'topic': many, 'score': 3}!r}` if column {few} names the systems"
    way = "`header=False` for a wide table" if len(first) == len(rows) else long
    raise sheet.error(
        f"three columns without a header, and either of the first two ({rows[0][0]!r}, {rows[0][1]!r}) could be the "
        "measure; pass `form='trec_eval'` (measure, topic, value), `form='ir_measures'` (topic, measure, value) or "
        f"{way}"
    )
