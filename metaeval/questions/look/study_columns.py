"""What every column of a table plays, as it was read: a name, a score, an error, or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from metaeval.agreement.labels import Labels
from metaeval.base.columns import JUDGES, LABELS, underscored
from metaeval.base.names import is_measure, is_number, shortened
from metaeval.errors import MetaevalError
from metaeval.io.any_sheets import any_sheet, sheet_of_json
from metaeval.io.benchmarks.contents import read_json
from metaeval.io.benchmarks.formats import Format, format_of
from metaeval.io.benchmarks.rows import records_of_mappings, with_scores_inside
from metaeval.io.benchmarks.wrapped import records_in_list, records_under
from metaeval.io.form_rows import roles_of_form, rows_of_form
from metaeval.io.score_blocks import BY_FRAME
from metaeval.io.sheets import Sheet, sheet_of
from metaeval.io.tracked_runs import RUNS_OF, roles_of_runs
from metaeval.table.folds import settings_among, splits_of
from metaeval.table.means import SystemMeans, means_columns, shares_of_counts
from metaeval.table.roles import BOUNDS, ERRORS, ROLES, column_roles, part_of_word, role_of_name, roles_beside, says_of
from metaeval.table.scores import Scores
from metaeval.table.vote_columns import vote_columns
from metaeval.table.vote_covariates import two_sided_covariates

_LONGEST = 40
_MEASURED = frozenset({"cost", "size", "n", "rank", *ERRORS, *BOUNDS})
"""Roles of numbers."""
_HEADLESS = ("output of", "rows of run, measure")
"""How forms without names of columns begin, as they are read."""
_MEAN = ("mean", "scores of systems")
_OUT = ("left out", "has no part in this")
_ASKS = "what its row, a number, asks"
_SCORED = frozenset({"score", "mean", "metric", "label"})
_OF_NUGGETS = "labels of nuggets"
_LABELLED = ("topic", "judge", "label", "item")
OWN_LINES = frozenset({"runs", "judgments", "collection", "submissions", "assessments", "campaign"})
"""Kinds of files whose lines have a form of their own, without names of columns."""


class ColumnRole(NamedTuple):
    """A column, or a field of records."""

    column: str
    role: str
    why: str
    example: str


def column_roles_of(  # noqa: PLR0913, PLR0917 - what is known of them
    kind: str,
    read: object,
    judges: Sequence[str],
    content: bytes,
    label: str,
    by_values: Mapping[str, tuple[str, str]],
) -> list[ColumnRole]:
    """Return the columns of a table with their roles, or the fields of a known format; none of other files."""
    if kind in OWN_LINES or (isinstance(read, Scores) and read.attrs.get("read_as", "").startswith(_HEADLESS)):
        return []
    if (known := _known_format(content, label)) is not None:
        return _fields(known)
    try:
        sheet = any_sheet(content, label, forms=kind == "labels" and not by_values)
        told = [] if sheet is None else _roles_in(kind, read, judges, sheet.sample(), by_values)
        if isinstance(read, Scores | SystemMeans) and not any(column.role in _SCORED for column in told):
            made = _sheet_as_read(content, label)
            anew = [] if made is None else _roles_in(kind, read, judges, made.sample(), by_values)
            within = {column.column for column in told} & {column.column for column in anew}
            scored = [column for column in anew if column.role in _SCORED]
            told = [*told, *scored] if within else anew or told  # scores within the same records, or others made of it
    except MetaevalError:
        return []
    return told


def _sheet_as_read(content: bytes, label: str) -> Sheet | None:
    """Return the table that was made of a file whose own columns, or names, hold no scores; None for others."""
    json = read_json(content, label)
    if json is None:
        return rows_of_form(sheet_of(content, label))[0]
    wrapped = records_under(json, chosen=False) or records_of_mappings(json) or records_in_list(json)
    return sheet_of_json(with_scores_inside(json) if wrapped is None else wrapped.records)


def _roles_in(
    kind: str,
    read: object,
    judges: Sequence[str],
    rows: Sequence[Sequence[str]],
    by_values: Mapping[str, tuple[str, str]],
) -> list[ColumnRole]:
    """Return the columns of a table with their roles, by its first rows."""
    if len(rows) < 2:  # noqa: PLR2004 - a header and a row
        return []
    names = [name.strip() for name in rows[0]]
    taken = {role for role, _ in by_values.values()}
    named = _roles(kind, read, judges, rows, by_values)
    told = {**{name: role for name, role in named.items() if role[0] not in taken}, **by_values}
    parts = {} if told else _parts(names, rows)
    below = [row for row in rows[1:] if len(row) == len(names)]
    return [
        ColumnRole(
            name or "(no name)",
            *(told.get(name) or _by_name(name, parts, [row[at] for row in below], is_read=bool(told))),
            shortened(cell.strip(), _LONGEST),
        )
        for at, (name, cell) in enumerate(zip(names, rows[1], strict=False))
    ]


def _known_format(content: bytes, label: str) -> Format | None:
    try:
        json = read_json(content, label, numbers_as_text=True)
    except MetaevalError:
        return None
    return None if json is None else format_of(json)


def _fields(known: Format) -> list[ColumnRole]:
    """Return where a known format says what scores are of."""
    places = {"system": known.system, "item": known.item, "metric": known.metric}
    places |= {"repeat": known.repeat, "cluster": known.cluster}
    return [ColumnRole(place, role, f"as {known.name} writes it", "") for role, place in places.items() if place]


def _by_name(
    name: str, parts: Mapping[str, tuple[str, str]], cells: Sequence[str], *, is_read: bool
) -> tuple[str, str]:
    """Return what a column is called as, unless that is a number and it holds none."""
    role, of = role_of_name(name)
    are_words = role in _MEASURED and any(cells) and not any(any(map(str.isdigit, cell)) for cell in cells)
    if role in ROLES and not are_words:
        return says_of(role), f"by its name{f', of {of}' if of else ''}"
    if name in parts:
        return parts[name]
    if not is_read and underscored(name) in JUDGES:
        return "judge", "by its name"
    if not is_read and is_measure(name):
        return "metric", "by its name"
    if not is_read:
        return "open", "nothing tells what it is"
    filled = [cell for cell in cells if cell.strip()]
    return ("not read", "numbers that no name explains") if filled and all(map(is_number, filled)) else _OUT


def _roles(
    kind: str,
    read: object,
    judges: Sequence[str],
    rows: Sequence[Sequence[str]],
    by_values: Mapping[str, tuple[str, str]],
) -> Mapping[str, tuple[str, str]]:
    """Return role and reason of the columns that have one, by the first rows."""
    names = [name.strip() for name in rows[0]]
    named = {part: column for column, (part, _) in by_values.items()}
    if kind == "votes" and (found := vote_columns(names, named)) is not None:
        cells = dict(zip(names, rows[1], strict=False))
        sides = {column for pair in two_sided_covariates(names, found.read, cells).values() for column in pair}
        covariates = {
            name: ("covariate", "a number on both sides" if is_number(cells.get(name, "")) else "a text on both sides")
            for name in sides
        }
        covariates |= dict.fromkeys(found.others.values(), ("outcome", "by its name"))
        return covariates | {column: (role, "by its name") for role, column in found.roles.items()}
    if splits := splits_of(names):
        settings = dict.fromkeys(settings_among(names), ("system", "settings of the estimator"))
        return settings | dict.fromkeys(splits, ("score", "scores on a fold"))
    if kind == "metrics":
        numbers = [
            name for name, cells in zip(names, zip(*rows[1:], strict=False), strict=False) if any(map(is_number, cells))
        ]
        return dict.fromkeys(numbers, ("metric", "scores of systems")) | _parts(names, rows)
    if kind == "labels":
        return _of_labels(read, judges, names, rows)
    if isinstance(read, Scores):
        parts = _parts(names, rows)
        if str(read.attrs.get("read_as")).startswith(BY_FRAME):  # the file is the system
            parts = {name: ("item" if part == "system" else part, why) for name, (part, why) in parts.items()}
            items = _named_in({"item": read["topic"].to_numpy().tolist()}, names, rows)
            parts = {name: told for name, told in parts.items() if told[0] != "item" or not items or name in items}
            if not items:  # which are numbered
                parts = {name: (part, _ASKS if part == "item" else why) for name, (part, why) in parts.items()}
        if read.attrs.get("read_as", "").startswith(_OF_NUGGETS):
            parts |= {name: ("label", "what a nugget counts") for name in names if underscored(name) in LABELS["label"]}
        labels = {"system": read["system"].to_numpy().tolist(), "item": read["topic"].to_numpy().tolist()}
        return _named_in(labels, names, rows) | parts | _of_scores(read, names)
    return _of_means(read, names, rows) if isinstance(read, SystemMeans) else {}


def _of_labels(
    read: object, judges: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, tuple[str, str]]:
    """Return what columns of a table of labels are: by the names of items and topics that were read, or their own."""
    parts = {name: (part, "by its name") for name in names for part in _LABELLED if _is_called(name, part)}
    if isinstance(read, Labels):
        if read.system_of:
            parts |= {name: ("system", "of each item") for name in names if part_of_word(name) == "system"}
        levels = ["item"] if read.by_item else ["topic", "item"]
        named = _named_in({part: read.table.index.get_level_values(part) for part in levels}, names, rows)
        parts |= {name: told for name, told in named.items() if parts.get(name, _OUT)[0] != told[0]}
        asked = [name for name, (part, _) in parts.items() if part == "topic" and read.by_item]
        varied = {
            name: len({cells[names.index(name)] for cells in rows[1:] if len(cells) == len(names)}) for name in asked
        }
        parts |= {name: ("judge", "names a judge with another column") if varied[name] > 1 else _OUT for name in asked}
    beside = {name: told for name, told in roles_beside(names).items() if told[1] in judges and name not in judges}
    parts |= {name: (says_of(role), f"by its name, of {of}") for name, (role, of) in beside.items()}
    return parts | {name: ("judge", "holds labels") for name in names if name in judges}


def _is_called(name: str, part: str) -> bool:
    return underscored(name) in (*LABELS[part], *(LABELS["asked"] if part == "topic" else ()))


def _parts(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, tuple[str, str]]:
    """Return what readers take columns for by their names, and by their cells where the name says too little."""
    below = [cells for cells in rows[1:] if len(cells) == len(names)]
    try:
        parts = column_roles(names, cells=lambda name: [cells[names.index(name)] for cells in below]).parts
    except MetaevalError:  # two columns may be one part
        named = [(part, name) for name in names if (part := part_of_word(name)) is not None]
    else:
        named = [*parts.items()]
    return {column: ("item" if part == "topic" else part, "by its name") for part, column in named}


def _named_in(
    labels: Mapping[str, Iterable[str]], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, tuple[str, str]]:
    """Return the columns that hold the names of systems or items that were read, or parts of names of items."""
    below = [cells for cells in rows[1:] if len(cells) == len(names)]
    known = {part: {str(name) for name in of} for part, of in labels.items()}
    known |= {f"{part} in part": {piece for name in of for piece in name.split("::")} for part, of in known.items()}
    cells_of = {name: {cells[at].strip() for cells in below} for at, name in enumerate(names)}
    return {
        name: (part.removesuffix(" in part"), f"names {part.split()[0]}s")
        for name, cells in cells_of.items()
        for part, of in reversed(known.items())
        if cells and cells <= of
    }


def _of_means(board: SystemMeans, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, tuple[str, str]]:
    if board.read_as.startswith(RUNS_OF):
        return roles_of_runs(names, board.metrics)
    of_systems = dict.fromkeys((name for name in names if name in board.systems), ("score", "scores of a system"))
    shares = shares_of_counts(
        pd.DataFrame([[*cells] for cells in rows[1:] if len(cells) == len(names)], columns=[*names])
    )
    paired = means_columns(names, first=[cells[0] for cells in rows[1:] if cells], shares=shares)
    counts = {name: (says_of("n"), f"makes {pair.mean!r}") for pair in shares for name in pair.errors}
    means = {*board.metrics, *(pair.mean for pair in paired.pairs)} if paired else {*board.metrics}
    of_metrics = dict.fromkeys((name for name in names if name in means), _MEAN)
    return _named_in({"system": board.systems}, names, rows) | _parts(names, rows) | counts | of_systems | of_metrics


def _of_scores(scores: Scores, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    labels = {dim: {*scores[dim].to_numpy().tolist()} for dim in ("metric", "system", "topic")}
    says = {"metric": "scores under a metric", "system": "scores of a system", "topic": "scores on an item"}
    of_form = roles_of_form(names, [*labels["system"]], [*labels["metric"]])
    return {name: ("score", says[dim]) for name in names for dim, known in labels.items() if name in known} | of_form
