"""What one file of scores holds, what the caller said about it, and how its cells become numbers."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import closest_names
from metaeval.io.sheets import Sheet, delimiter_name
from metaeval.scores import Missing, merge_labels

__all__ = [
    "AVERAGES",
    "GAP_WORDS",
    "BadCellError",
    "Block",
    "Form",
    "SystemsIn",
    "TableOptions",
    "columns_found",
    "fitting_names",
    "is_measure",
    "is_number",
    "listed",
    "place_of",
    "ragged",
    "to_numbers",
    "unique_names",
    "ways_to_name",
]

Form = Literal["wide", "long", "trec_eval", "ir_measures"]
SystemsIn = Literal["columns", "rows"]

AVERAGES = frozenset({"all", "amean", "mean", "average", "avg"})
"""What stands in place of a topic where a row holds averages; in lower case."""
GAP_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""What stands in place of a score where there is none; in lower case."""
_WAYS_PAST_GAPS = "missing='zero', 'drop-systems' or 'drop-topics'"
_SHOWN = 5

# first words of the measures that trec_eval and ir_measures print, in lower case
_MEASURES = frozenset(
    """
    map gm_map map_cut rprec rprec_mult bpref gm_bpref recip_rank iprec_at_recall p recall infap utility 11pt_avg bing g
    ndcg ndcg_rel rndcg ndcg_cut relative_p success set_p set_relative_p set_recall set_map set_f num_q num_ret num_rel
    num_rel_ret num_nonrel_judged_ret runid relstring unj rbp rbp_resid yaap
    ap ap_ia map_ia p_ia r mrr rr err err_ia nerr nerr_ia nrbp judged setp setr setf setap numq numret numrel numrelret
    iprec inst insq sdcg bpm compat accuracy alpha_ndcg alpha_dcg strec
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """What the caller said about the files."""

    form: Form | None
    columns: Mapping[str, Any]
    systems_in: SystemsIn | None
    header: bool | None
    missing: Missing

    @property
    def chosen(self) -> dict[str, str]:
        """Part to column, where the caller named one."""
        return {part: column for part, column in self.columns.items() if part != "ignore" and isinstance(column, str)}

    @property
    def positions(self) -> dict[str, int]:
        """Part to column, where the caller counted from 1; counted from 0 here."""
        return {part: column - 1 for part, column in self.columns.items() if isinstance(column, int)}

    @property
    def ignored(self) -> list[str]:
        """Columns to leave out."""
        ignored = self.columns.get("ignore", [])
        return [ignored] if isinstance(ignored, str) else list(ignored)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """What one file holds.

    Attributes
    ----------
    label : str
        The file, for messages.
    scores : array (metric, system, topic)
        NaN where the file has none.
    labels : mapping of str to list of str
        Names along every dimension.
    notes : list of str
        What was assumed or left out, without the file's name.
    earlier_notes : list of str
        What was noted when the file was written.
    attached : mapping
        "group" of every system and "higher_is_better" of every metric, where the file says it.
    tag : str or None
        The name that the file itself gives its one system.
    numbered : bool
        Whether the topics are numbered for want of a topic column.
    """

    label: str
    scores: NDArray[np.float64]
    labels: dict[str, list[str]]
    notes: list[str] = field(default_factory=list)
    earlier_notes: list[str] = field(default_factory=list)
    attached: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tag: str | None = None
    numbered: bool = False

    @property
    def name(self) -> str:
        """The file without its folder."""
        return Path(self.label).name


class BadCellError(Exception):
    """A cell that holds no score: its place among the cells read together, and the rule it breaks."""

    def __init__(self, place: int, cell: str) -> None:
        super().__init__(place, cell)
        self.place = place
        self.rule = _broken_rule(cell.strip())


def _broken_rule(text: str) -> str:
    if text.casefold() in GAP_WORDS:
        found = f"the cell holds {text!r}" if text else "the cell is empty"
        return f"{found}; fill in the score, or pass {_WAYS_PAST_GAPS}"
    if re.fullmatch(r"[+-]?[0-9]*,[0-9]+", text):
        return f"{text!r} has a decimal comma; write {text.replace(',', '.')!r}"
    if re.fullmatch(r"[+-]?(inf|infinity)|[+-]?[0-9.]+e[+-]?[0-9]+", text, flags=re.IGNORECASE):
        return f"{text!r} is not finite; repair the score, or leave the cell empty if there is none"
    return f"{text!r} is not a number; scores are numbers with a decimal point"


def is_number(cell: str) -> bool:
    """Whether a cell holds a finite number, written as everybody writes them (Python also takes 1_0 for 10)."""
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False


def to_numbers(cells: Sequence[str], missing: Missing) -> NDArray[np.float64]:
    """Read numbers exactly as written; a gap becomes NaN where `missing` has a rule for it.

    Raises
    ------
    BadCellError
        For the first cell that is neither.
    """
    try:
        numbers = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        numbers = np.full(len(cells), np.nan)
    if np.isfinite(numbers).all() and not any("_" in cell for cell in cells):
        return numbers
    return np.array([_to_number(place, cell, missing) for place, cell in enumerate(cells)])


def _to_number(place: int, cell: str, missing: Missing) -> float:
    if missing != "error" and cell.strip().casefold() in GAP_WORDS:
        return math.nan
    if not is_number(cell):
        raise BadCellError(place, cell)
    return float(cell)


def is_measure(name: str) -> bool:
    """Whether a name is one that trec_eval or ir_measures gives a measure, whatever its parameters.

    Examples
    --------
    >>> [is_measure(name) for name in ("ndcg_cut_10", "RBP(p=0.8)", "P@5", "11pt_avg_.25,.5,.75", "P", "q301", "bm25")]
    [True, True, True, True, False, False, False]
    """
    folded = name.casefold()
    word = re.split(r"[@(]", folded, maxsplit=1)[0]
    stems = {word, re.sub(r"_\.?[0-9].*", "", word)}
    return any(stem in _MEASURES and (len(stem) > 1 or stem != folded) for stem in stems)


def place_of(column: str, names: Sequence[str], sheet: Sheet) -> int:
    """Return the position of a column that the caller named, or an error with the nearest names."""
    if column not in names:
        near = closest_names(column, names)
        guess = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
        raise sheet.error(f"there is no column {column!r}{guess}; {columns_found(names)}")
    return names.index(column)


def unique_names(names: Sequence[str], what: str, sheet: Sheet) -> list[str]:
    """Return names as `metaeval.scores` wants them, or an error for one that stands twice."""
    _, cleaned = merge_labels(np.arange(len(names)), names, what)
    if len(cleaned) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise sheet.error(f"{what} {again!r} stands twice; keep one, or rename it")
    return cleaned


def fitting_names(names: list[str], rows: Sequence[Sequence[str]], body: Sheet) -> list[str]:
    """Check that every row has a cell for every name, and that every name names one column."""
    if names and all(len(cells) == len(names) + 1 for cells in rows):
        names = _with_unnamed_column(names, rows)
    width = len(names) or len(rows[0])
    for position, cells in enumerate(rows):
        if len(cells) != width:
            raise body.error(ragged(cells, width, body), position)
    for place, name in enumerate(names):
        if place and not name and any(cells[place].strip() for cells in rows):
            raise body.error(f"column {place + 1} has no name; name it in the header")
        if name and name in names[:place]:
            message = f"columns {names.index(name) + 1} and {place + 1} are both called {name!r}; names must be unique"
            raise body.error(message)
    return names


def _with_unnamed_column(names: list[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Make room for a delimiter at the end of every row, or for the names of rows, which R writes without a title."""
    if not any(cells[-1].strip() for cells in rows):
        return [*names, ""]
    if any(is_number(cells[0]) and not cells[0].strip().isdecimal() for cells in rows):
        return names  # scores, so a name is missing
    return ["", *names]


def ragged(cells: Sequence[str], width: int, sheet: Sheet) -> str:
    """Say that a row has too few or too many cells."""
    hint = ""
    if sheet.delimiter == "," and len(cells) in {2 * width, 2 * width - 1}:
        hint = "; if commas are decimal signs, write points"
    return (
        f"a row of {len(cells)} cells, and the table has {width} columns, divided by "
        f"{delimiter_name(sheet.delimiter)}; give every row the same number{hint}"
    )


def columns_found(names: Sequence[str]) -> str:
    """Say which columns were found."""
    return f"columns found: {', '.join(map(repr, names))}"


def ways_to_name(names: Sequence[str]) -> str:
    """Say which columns were found and how to name them."""
    return (
        f"{columns_found(names)}. Say which is which, for example "
        "columns={'system': …, 'topic': …, 'metric': …, 'score': …, 'ignore': […]}"
    )


def listed(names: Sequence[str]) -> str:
    """Put names in a row, the first few of many."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
