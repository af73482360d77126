"""What one file of scores holds, what the caller said about it, and how its cells become numbers."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.checks import check_paired
from metaeval.base.names import BLANKS, first_few, is_number, metric_evidence, shortened
from metaeval.base.notes import Remark
from metaeval.base.unit import TOPIC, Unit
from metaeval.io.duplicates import Duplicates
from metaeval.io.headers import place_of
from metaeval.io.sheets import Sheet
from metaeval.io.sources import Source
from metaeval.table.roles import AVERAGES, ColumnRoles, column_roles
from metaeval.table.scores import Missing

Form = Literal["wide", "long", "trec_eval", "ir_measures", "tot", "frame"]
SystemsIn = Literal["columns", "rows"]

GAP_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""What stands in place of a number where there is none; in lower case."""
SCORE_GAPS = GAP_WORDS | {"n.a.", "#n/a", "missing", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "?", "."}
"""The same in place of a score, where somebody must say what is to become of gaps."""
_NO_NUMBER = "is not a number; scores are numbers with a decimal point"
_EXACT = 2.0**53  # whole numbers below it have a float of their own
_PASSED = {"yes": "no", "true": "false", "pass": "fail", "passed": "failed", "correct": "incorrect", "right": "wrong",
           "ja": "nein", "y": "n", "t": "f", "success": "failure"}  # fmt: skip
_WAYS_PAST_GAPS = "`missing='zero'`, `'drop-systems'`, `'drop-topics'` or `'pairwise'`"
_LONGEST_NUMBER = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """What the caller said about the files."""

    form: Form | None = None
    columns: Mapping[str, Any]
    systems_in: SystemsIn | None = None
    header: bool | None = None
    missing: Missing
    duplicates: Duplicates = "error"
    paired: bool = False
    credit: Mapping[str, float] = field(default_factory=dict)
    """What labels of nuggets count, beside `metaeval.io.benchmarks.nuggets.CREDIT`."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Column to text: the rows of a table that count."""
    metrics: Sequence[str] | None = None
    """Metrics that are asked for; columns of others need hold no numbers."""

    def check_systems(self, n_systems: int, *, more: bool = False) -> None:
        """Refuse more systems than can be compared, as soon as their names are read, where all are to be compared."""
        if self.paired:
            check_paired(n_systems, more=more)

    @property
    def chosen(self) -> dict[str, str]:
        """Part to column, where the caller named one."""
        return {role: column for role, column in self.columns.items() if role != "ignore" and isinstance(column, str)}

    @property
    def positions(self) -> dict[str, int]:
        """Part to column, where the caller counted from 1; counted from 0 here."""
        return {role: column - 1 for role, column in self.columns.items() if isinstance(column, int)}

    @property
    def counts_names_of_rows(self) -> bool:
        """Whether the one column that the caller counted holds the names of a wide table's rows."""
        return len(self.columns) == 1 and bool(self.positions.keys() & {"topic", "system"})

    def roles(self, names: Sequence[str], sheet: Sheet) -> ColumnRoles:
        """Return which column is what; an error where the caller named one that is not there."""
        for column in [*self.chosen.values(), *self.ignored]:
            place_of(column, names, sheet)
        below = [cells for cells in sheet.sample()[1:] if len(cells) == len(names)]

        def cells_of(name: str) -> list[str]:
            return [cells[names.index(name)] for cells in below]

        return column_roles(names, chosen=self.chosen, ignored=self.ignored, cells=cells_of)

    @property
    def ignored(self) -> list[str]:
        """Columns to leave out."""
        ignored = self.columns.get("ignore", [])
        return [ignored] if isinstance(ignored, str) else list(ignored)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileBlock:
    """What one file holds."""

    label: str
    """The file, for messages."""
    scores: NDArray[np.float64]
    """NaN where the file has none. Shape (metric, system, topic)."""
    labels: dict[str, list[str]]
    """Names along every dimension."""
    notes: list[str] = field(default_factory=list)
    """What was assumed or left out, without the file's name."""
    earlier_notes: list[str] = field(default_factory=list)
    """What was noted when the file was written."""
    attached: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is said of systems, metrics and topics (`metaeval.table.array.ATTACHED`), where the file says it."""
    tag: str | None = None
    """The name that the file itself gives its one system."""
    numbered: bool = False
    """Whether the topics are numbered for want of a topic column."""
    read_as: str = ""
    """The form that the file was taken for."""
    unit: Unit = TOPIC
    """What the file calls its topics (`metaeval.table.roles.unit_of_column`)."""
    nugget_labels: frozenset[str] = frozenset()
    """The labels of nuggets that it holds."""
    one_system: bool = False
    """Whether no column names its systems."""

    @property
    def name(self) -> str:
        """The file without its folder."""
        return Path(self.label).name


_MARKED = re.compile(r"([+-]?[0-9]*\.?[0-9]+) *[*†‡§¶↑↓]+", re.ASCII)
_POINT_BETWEEN = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}", re.ASCII)
_PER_CENT, _THOUSAND, _NEARLY = 100, 1000, 1e-6
_BESIDE = re.compile(r"([+-]?[0-9]*\.[0-9]+) *\([0-9]+\)", re.ASCII)
_WITH_ERROR = re.compile(r"([+-]?[0-9.]+)\s*(?:±|\+/-|\+-|\()\s*([0-9.]+)\s*\)?", re.ASCII)


class BadCellError(Exception):
    """A cell that holds no score: its place among the cells read together, the rule it breaks, whether it is a gap."""

    def __init__(self, place: int, cell: str) -> None:
        super().__init__(place, cell)
        self.place, self.text = place, cell.strip(BLANKS)
        self.is_gap = self.text.casefold() in SCORE_GAPS
        self.is_word = self.rule().endswith(_NO_NUMBER)  # and so may be left out with its column

    def rule(self, delimiter: str = "") -> str:
        """Return the rule, and what mends a file whose cells are divided so."""
        return _broken_rule(self.text, _OF_QUOTED if delimiter == "," else _OF_PLAIN)


_OF_PLAIN = ("tr , .", "tr -d ,")
_OF_QUOTED = (
    r"""sed -E 's/"([+-]?[0-9]*),([0-9]+%?)"/\1.\2/g'""",
    r"""sed -E ':a;s/"([+-]?[0-9]+),([0-9.,]+)"/"\1\2"/;ta'""",
)
"""What writes decimal commas as points, and what leaves out commas between thousands, where no comma divides cells and
where one does, so that such numbers are in quotation marks."""


def _broken_rule(text: str, filters: tuple[str, str]) -> str:
    if text.casefold() in SCORE_GAPS:
        gap = f"the cell holds {text!r}" if text else "the cell is empty"
        return f"{gap}; fill in the score, or pass {_WAYS_PAST_GAPS}"
    if len(text) > _LONGEST_NUMBER:
        return f"{shortened(text)!r} is no score; scores are numbers with a decimal point"
    if otherwise := _written_otherwise(text, *filters):
        return f"{text!r} {otherwise}"
    if re.fullmatch(r"[+-]?(inf|infinity|[0-9.]+(e[+-]?[0-9]+)?)", text, flags=re.IGNORECASE | re.ASCII):
        with suppress(ValueError):
            if not math.isfinite(float(text)):
                return f"{text!r} is not finite; repair the score, or leave the cell empty if there is none"
            return f"{text!r} has more digits than a score can hold (up to 2**53 every whole number is exact); round it"
    word_pair = next((pair for pair in _PASSED.items() if text.casefold() in pair), None)
    way = word_pair and f"is a word for a score; write 1 for {word_pair[0]} and 0 for {word_pair[1]} in this column"
    return f"{text!r} {way or _NO_NUMBER}"


def _written_otherwise(text: str, to_points: str, without_commas: str) -> str:
    """Say how a number is to be written that has a decimal comma, commas between thousands or a percent sign."""
    if marked := _MARKED.fullmatch(text):
        return rf"has a mark; write {marked[1]!r} (sed -E 's/([0-9]) *(\*|†|‡|§|¶|↑|↓)+/\1/g')"
    if beside := _BESIDE.fullmatch(text):
        return rf"has a number in brackets; write {beside[1]!r} (sed -E 's/ *\([0-9]+\)//g')"
    if match := _WITH_ERROR.fullmatch(text):
        return (
            f"is a number with its error; write {match[1]!r} in this column and {match[2]!r} in one of its own, called "
            "as this one with _stderr (or _ci95 for half of a 95 % interval)"
        )
    without = repr(text.replace(",", ""))
    if re.fullmatch(r"[+-]?[0-9]*,[0-9]+", text, flags=re.ASCII):
        divides = text[-4:-3] == "," and not text.startswith("0")
        thousands = f", or {without} ({without_commas}) if the comma divides thousands" * divides
        return f"has a decimal comma; write {text.replace(',', '.')!r} ({to_points}){thousands}"
    if re.fullmatch(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?", text, flags=re.ASCII):
        return f"has commas between thousands; write {without} ({without_commas})"
    percent = re.fullmatch(r"([+-]?[0-9.,]+)\s*%", text, flags=re.ASCII)
    return f"has a percent sign; write {percent[1]!r} (sed 's/ *%//g')" if percent else ""


def to_numbers(cells: Sequence[str], missing: Missing) -> NDArray[np.float64]:
    """Read numbers exactly as written; a gap becomes NaN where `missing` has a rule for it."""
    try:
        numbers = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        numbers = np.full(len(cells), np.nan)
    if (np.abs(numbers) < _EXACT).all() and _is_plain("".join(cells)):
        return numbers
    return np.array([_to_number(position, cell, missing) for position, cell in enumerate(cells)])


def refuse_points_between_thousands(body: Sheet, numbers: NDArray[np.float64], columns: Mapping[int, str]) -> None:
    """Refuse a column of numbers with three decimals beside whole ones over 100: 1.234 is then 1234 beside 987.

    `numbers` has the shape (row, column), and `columns` holds the place and name of each.
    """
    if not np.nanmax(numbers, initial=0.0) > _PER_CENT:
        return
    with np.errstate(invalid="ignore", over="ignore"):
        large = (np.abs(numbers) > _PER_CENT) & (numbers == np.rint(numbers))
        few_digits = (np.abs(numbers) < _THOUSAND) & (
            np.abs(_THOUSAND * numbers - np.rint(_THOUSAND * numbers)) < _NEARLY
        )
        unclear = (
            large.any(axis=0) & (numbers != np.rint(numbers)).any(axis=0) & (few_digits | np.isnan(numbers)).all(axis=0)
        )
    for place, name in compress(columns.items(), unclear):
        cells = [cells[place].strip() for cells in body.rows()]
        divided = [cell for cell in cells if _POINT_BETWEEN.fullmatch(cell)]
        whole = [cell for cell in cells if cell.lstrip("+-").isdecimal()]
        gaps = sum(cell.casefold() in SCORE_GAPS for cell in cells)
        if divided and whole and len(divided) + len(whole) + gaps == len(cells):
            raise body.error(
                f"column {name!r} holds {divided[0]!r} beside the whole number {whole[0]!r}; write "
                f"{divided[0].replace('.', '')!r} if the point divides thousands, and all numbers with decimals "
                f"({whole[0] + '.000'!r}) if it is a decimal one",
                cells.index(divided[0]),
            )


def _is_plain(text: str) -> bool:
    """Whether text that Python takes for numbers is so for everybody: without 1_0, and digits of other scripts."""
    return text.isascii() and "_" not in text


def _to_number(place: int, cell: str, missing: Missing) -> float:
    if missing != "error" and cell.strip(BLANKS).casefold() in SCORE_GAPS:
        return math.nan
    if not is_number(cell):
        raise BadCellError(place, cell)
    return float(cell)


def notes_of_files(said: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Say once, behind the names of the files, what holds for several; `said` is a file and its notes."""
    files: dict[str, list[str]] = {}
    for name, notes in said:
        for note in notes:
            files.setdefault(note, []).append(name)
    return [f"{first_few(names)}: " + note for note, names in files.items()]


def metric_note(source: Source) -> list[str]:
    """Say so where a metric has the name of its file, and no word of it is one of a metric."""
    name = re.sub(r"(?<=[A-Za-z])(?=[0-9]+(_|\W|$))", "@", source.own_name)  # P10 is P@10
    words = [name, *re.split(r"[^\w@]|_", name)]
    if source.name is not None or any(metric_evidence([word]) for word in words):
        return []
    return [Remark("the metric has no name of its own, so it is called as the file")]


def rows_left_out(names: Sequence[str]) -> list[str]:
    """Say which rows in place of a topic were left out; nothing where there are none."""
    kind = "averages" if all(name.casefold() in AVERAGES for name in names) else "summaries"
    return [f"left out the {kind} ({', '.join(names)})"] if names else []
