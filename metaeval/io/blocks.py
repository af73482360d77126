"""What one file of scores holds, what the caller said about it, and how its cells become numbers."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.checks import check_paired
from metaeval.base.columns import underscored
from metaeval.base.label_words import CREDIT, folded, grades_of
from metaeval.base.names import BLANKS, first_few, is_number, metric_evidence, shortened
from metaeval.base.notes import CalledAsFile
from metaeval.base.number_words import SCORE_GAPS, Spelling, of_thousands, other_spelling, point_between_thousands
from metaeval.base.unit import TOPIC, Unit
from metaeval.errors import FileFormatError
from metaeval.io.duplicates import Duplicates
from metaeval.io.headers import place_of, roles_of_sheet
from metaeval.io.sheets import Sheet
from metaeval.io.sources import Source
from metaeval.table.arrivals import Arrival
from metaeval.table.roles import AVERAGES, ColumnRoles, perhaps_constant, role_of_row
from metaeval.table.scores import Missing

Form = Literal["wide", "long", "trec_eval", "ir_measures", "tot", "frame", "crossed"]
SystemsIn = Literal["columns", "rows"]

NO_NUMBER = "is not a number; scores are numbers with a decimal point"
_EXACT = 2.0**53  # whole numbers below it have a float of their own
PASSED = {"yes": "no", "true": "false", "pass": "fail", "passed": "failed", "correct": "incorrect", "right": "wrong",
           "ja": "nein", "y": "n", "t": "f", "success": "failure", "resolved": "unresolved", "solved": "unsolved",
           "wahr": "falsch", "richtig": "falsch", "vrai": "faux", "oui": "non",
           "✓": "✗", "✔": "✘", "✅": "❌"}  # fmt: skip
PASSES = frozenset({*PASSED, *PASSED.values()})
_ASKED = {**PASSED, "c": "i", "sí": "no", "sì": "no", "sim": "não", "tak": "nie", "да": "нет", "vero": "falso",
          "verdadero": "falso", "verdadeiro": "falso", "correcto": "incorrecto", "correto": "incorreto",
          "acierto": "fallo", "corretto": "errato"}  # fmt: skip
"""The same where somebody is asked: c and i may be answers to choose among, too."""
HALVES = frozenset({"partly", "partial", "partially", "half", "teilweise", "teils", "parziale", "parcial", "partiel"})
"""Words for an answer between right and wrong."""
_MARKS = frozenset({0.0, 0.5, 1.0})
_TWO_WORDS, _LONGEST_FILTER = 2, 250
_ENDS = (r"(^|[,;\t])", r"([,;\t\r]|$)")
"""What stands around a cell, for filters."""
_WAYS_PAST_GAPS = "`missing='zero'`, `'drop-systems'`, `'drop-topics'` or `'pairwise'`"
_WITH_ERROR = (
    "is a number with its error; write {!r} in this column and {!r} in one of its own, called as this one with _stderr "
    "(or _ci95 for half of a 95 % interval, _std for a deviation beside a column n)"
)
_WITH_BOUNDS = (
    "is a number with its interval; write {!r} in this column, and {!r} and {!r} in two of their own, called as this "
    "one with _low and _high (of 95 %)"
)
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
    """What labels of nuggets count, beside `metaeval.base.label_words.CREDIT`."""
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
        roles = roles_of_sheet(names, sheet, chosen=self.chosen, ignored=self.ignored)
        topic = roles.parts.get("topic", "")
        if "topic" in self.chosen or not perhaps_constant(topic) or not _is_constant(sheet, names.index(topic)):
            return roles
        return roles_of_sheet(names, sheet, chosen=self.chosen, ignored=[*self.ignored, topic])

    @property
    def cluster_levels(self) -> list[str]:
        """The columns of the lower and the higher clusters; nothing where clusters have one level."""
        columns = self.columns.get("cluster")
        return [] if isinstance(columns, str | int | None) else list(columns)

    @property
    def ignored(self) -> list[str]:
        """Columns to leave out."""
        ignored = self.columns.get("ignore", [])
        return [ignored] if isinstance(ignored, str) else list(ignored)


def _is_constant(sheet: Sheet, at: int) -> bool:
    """Whether all rows, of several, say the same in a column."""
    cells = [cells[at].strip() for cells in sheet.sample()[1:] if at < len(cells)]
    return (
        len(cells) > 1
        and len({*cells}) == 1
        and all(row[at].strip() == cells[0] for row in sheet.without_header().rows() if at < len(row))
    )


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
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Columns of words that no two numbered topics share: column to the words of each topic."""
    read_as: str = ""
    """The form that the file was taken for."""
    unit: Unit = TOPIC
    """What the file calls its topics (`metaeval.table.roles.unit_of_column`)."""
    nugget_labels: frozenset[str] = frozenset()
    """The labels of nuggets that it holds."""
    one_system: bool = False
    """Whether no column names its systems."""
    arrival: Arrival | None = None
    """When its topics came, where it has a column of dates."""
    called_as_file: bool = False
    """Whether its metric has the name of the file for want of one."""
    sizes: tuple[str, Mapping[str, str]] | None = None
    """A column of how long topics are, and what it says of each."""

    @property
    def name(self) -> str:
        """The file without its folder."""
        return Path(self.label).name


_UNBRACKETED = r"sed -E 's/ *\([0-9]+\)//g'"
_UNMARKED = r"sed -E 's/([0-9]) *(\*|†|‡|§|¶|↑|↓)+/\1/g'"
_UNSTARRED = r"sed 's/\*\*//g'"
PROMPTFOO = ("[PASS]", "[FAIL]", "[ERROR]")
"""What promptfoo writes before the answers in its tables."""
_PER_CENT, _THOUSAND, _NEARLY = 100, 1000, 1e-6
_WORDS = re.compile(r"[\w ✓✗✔✘✅❌-]{1,30}")


_BRACKETS = r"\(([0-9.]+)\)"
_WAYS = (
    (
        re.compile(r"\(([0-9]*\.?[0-9]+)\)"),
        "is in brackets; write '-{0}' ({2}) if they stand for a minus, as in accounts, or '{0}' ({3}) if for nothing",
        ((_BRACKETS, r"-\2\3"), (_BRACKETS, r"\2\3")),
    ),
    (
        re.compile(r"[~≈] *([+-]?[0-9]*\.?[0-9]+)"),
        "has a sign for about; write '{0}' ({2})",
        (("(~|≈) *([0-9.+-]+)", r"\3\4"),),
    ),
    (
        re.compile(r"[$€£¥] *([+-]?[0-9]*\.?[0-9]+)"),
        "has the sign of a currency; write '{0}' ({2}) if all are in one",
        ((r"(\$|€|£|¥) *([0-9.+-]+)", r"\3\4"),),
    ),
    (
        re.compile(r"([0-9]*\.?[0-9]+) */ *([0-9]+)"),
        "is a share of {1}; write '{0}' ({2}) if all are out of {1}",
        ((r"([0-9.]+) *\/ *{1}", r"\2\3"),),
    ),
    (
        re.compile(r"([+-]?[0-9]*\.?[0-9]+) *([^\W\d_]{1,10})"),
        "has a unit; write '{0}' ({2}) if all are in {1}",
        (("([0-9.+-]+) *{1}", r"\2\3"),),
    ),
)
"""Numbers with something around them: what it is, and what filters find and keep; {0} is the number, {1} the rest."""


class OtherTableError(FileFormatError):
    """A table beside an evaluation, or one that says what to do, whatever else could be read of it."""


class SpreadlessError(FileFormatError):
    """Files that hold means of systems and nothing of how scores spread around them.

    Attributes
    ----------
    means : mapping
        System to metric to mean, as far as it was found; of one that nothing names under "".
    """

    means: Mapping[str, Mapping[str, float]] = {}

    @classmethod
    def of_means(cls, means: Mapping[str, Mapping[str, float]], path: str, source: str = "") -> "SpreadlessError":
        """Return the error about means of these systems, from what writes them so."""
        metrics = first_few([*dict.fromkeys(metric for scores in means.values() for metric in scores)])
        systems = f"{len(means)} systems ({first_few([*means])})" if len(means) > 1 else "one system"
        error = cls(
            f"these are means of {systems} under {metrics}{source and f', as {source} them'}, without the spread of "
            "the topics, which tells whether a difference is more than luck: give the runs and their judgments, or the "
            "scores of every topic",
            path=path,
        )
        error.means = means
        return error


class SpeltError(FileFormatError):
    """A file with a number that is written otherwise than with a decimal point: scores, and no labels in words."""


class BadCellError(Exception):
    """A cell that holds no score: its place among the cells read together, the rule it breaks, whether it is a gap."""

    def __init__(self, place: int, cell: str) -> None:
        super().__init__(place, cell)
        self.place, self.text = place, cell.strip(BLANKS)
        self.is_gap = self.text.casefold() in SCORE_GAPS
        self.is_word = self.rule().endswith(NO_NUMBER)  # and so may be left out with its column
        self.kind = FileFormatError if other_spelling(self.text) is None else SpeltError

    def rule(self, delimiter: str = "", row: str = "", *, cells: Iterable[str] = ()) -> str:
        """Return the rule, and what mends a file of this delimiter, a row of this name, or a column of these cells."""
        if role_of_row(row) == "n":
            return f"the row is called as a count, and holds {self.text!r}; leave it out, or rename what is none"
        cells = [*cells]
        words = {text for cell in cells if (text := cell.strip(BLANKS)).casefold() not in SCORE_GAPS}
        if self.is_gap and folded(self.text) in _graded(cells):
            return f"{self.text!r} {NO_NUMBER}"
        return _broken_rule(self.text, _OF_QUOTED if delimiter == "," else _OF_PLAIN, words | {self.text})


_OF_PLAIN = ("tr , .", "tr -d ,")
_OF_QUOTED = (
    r"""sed -E 's/"([+-]?[0-9]*),([0-9]+%?)"/\1.\2/g'""",
    r"""sed -E ':a;s/"([+-]?[0-9]+),([0-9.,]+)"/"\1\2"/;ta'""",
)
"""What writes decimal commas as points, and what leaves out commas between thousands, where no comma divides cells and
where one does, so that such numbers are in quotation marks."""


def _broken_rule(text: str, filters: tuple[str, str], words: Collection[str]) -> str:
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
    way = _way_past_signs(text, words) or _way_past_words(text, words)
    if text.startswith(PROMPTFOO):
        text, way = shortened(text), "is a verdict and an answer, and other cells have none; write one before each"
    return f"{text!r} {way or NO_NUMBER}"


def _way_past_signs(text: str, words: Iterable[str]) -> str:
    """Return how a number is written without what stands around it; a unit must be that of all cells of the column."""
    for pattern, says, filters in _WAYS:
        if match := pattern.fullmatch(text):
            number, unit = (*match.groups(), "")[:2]
            if unit.isalpha() and not all(word.endswith(unit) or is_number(word) for word in words):
                return ""
            mended = [
                rf"sed -E ':a;s/{_ENDS[0]}{cell.replace('{1}', unit)}{_ENDS[1]}/\1{kept}/;ta'" for cell, kept in filters
            ]
            return says.format(number, unit, *mended)
    return ""


def _way_past_words(text: str, words: Collection[str]) -> str:
    """Return which words of a column count 1 and which 0, and what writes that; "" where they do not tell."""
    spelt = {word.casefold(): word for word in words}
    halves = sorted(word for key, word in spelt.items() if key in HALVES and _WORDS.fullmatch(word))
    half = f"s/{_ENDS[0]}({'|'.join(halves)}){_ENDS[1]}/\\10.5\\3/" if halves else ""
    asked = f"0.5, or what it counts, for {' or '.join(halves)}" * bool(half)
    if text in halves and all(word in halves or (is_number(word) and float(word) in _MARKS) for word in words):
        return f"is a word for a score; write {asked} (sed -E ':a;{half};ta')"
    pairs = [{*pair} for pair in _ASKED.items() if text.casefold() in pair]
    pairs = [pair for pair in pairs if pair <= {*spelt}] or pairs[
        :1
    ]  # of no and sí as they stand here, else no and yes
    if any(is_number(word) and float(word) not in {0.0, 1.0} for word in words) and not any(
        pair <= {*spelt} for pair in pairs
    ):
        return ""  # among other scores one word is none
    verdicts = set[str]().union(*pairs)
    if len(spelt) == _TWO_WORDS and sum(word in _ASKED for word in spelt) == 1 and not any(map(is_number, spelt)):
        verdicts = {*spelt}  # solved, and timeout
    counts = {word: word in _ASKED for word in sorted(verdicts)}
    if not all(map(_WORDS.fullmatch, counts)) or len({*counts.values()}) < _TWO_WORDS:
        return ""
    as_here = str.upper if text.isupper() else str.title if text.istitle() else str.lower
    passed, failed = ([word for word, counts_one in counts.items() if counts_one is side] for side in (True, False))
    swaps = [
        rf"s/{_ENDS[0]}({'|'.join(spelt.get(word, as_here(word)) for word in side)}){_ENDS[1]}/\1{mark}\3/"
        for side, mark in ((passed, 1), (failed, 0))
    ]
    return (
        f"is a word for a score; write 1 for {' or '.join(passed)} and 0 for {' or '.join(failed)} in this column"
        f"{half and f', and {asked}'} (sed -E ':a;{swaps[0]};ta;:b;{swaps[1]};tb{half and f';:c;{half};tc'}')"
    )


def way_past_grades(cells: Iterable[str], delimiter: str, *, others: Iterable[Iterable[str]] | None = None) -> str:
    """Return the grades of a column of words of one scale, and what writes them; "" for any other column.

    Where one column holds scores the filter leaves what stands behind it as it is; `others` are those before it.
    """
    cells = [*cells]
    grades = _graded(cells)
    words = {text for cell in cells if folded(text := cell.strip(BLANKS)) in grades}
    if len(grades) < _TWO_WORDS or not all(map(_WORDS.fullmatch, words)):
        return ""
    told = sorted((grades[folded(word)], word) for word in words)
    swaps = "".join(rf"s/(^|{delimiter}){word}({delimiter}|\r|$)/\1{grade:g}\2/;ta;" for grade, word in told)
    listed = ", ".join(f"{word} {grade:g}" for grade, word in told)
    where, swaps = "in every column with", f":a;{swaps}"
    if others is not None and words.isdisjoint(cell.strip(BLANKS) for before in others for cell in before):
        marks = "".join(f";s/@{word}@/{grade:g}/" for grade, word in told)
        where, swaps = "with", rf"s/(^|{delimiter})({'|'.join(sorted(words))})({delimiter}|\r|$)/\1@\2@\3/{marks}"
    is_short = delimiter and len(swaps) < _LONGEST_FILTER
    way = f", {where} (sed -E '{swaps}')" if is_short else ""
    return f"; write the grades of these words of a scale ({listed}){way}"


def way_past_labels(columns: Mapping[str, Sequence[str]], delimiter: str, *, of_systems: bool) -> str:
    """Say what the first column of words of one scale needs to be read: grades, or who said them; "" without one."""
    ways = ((name, way_past_grades(cells, delimiter)) for name, cells in columns.items())
    name, way = next(filter(itemgetter(1), ways), ("", ""))
    if not way:
        return ""
    whose = "" if of_systems else " and nothing says whose they are; add a column judge and give it to metaeval judges"
    return f"; {name!r} holds labels{whose or way}"


def _graded(cells: Iterable[str]) -> Mapping[str, float]:
    """Return the grades of words of one scale, or the credit of labels of nuggets; of a scale "none" is no gap."""
    texts = {text for cell in cells if (text := cell.strip(BLANKS))}
    for words in (texts, {word for word in texts if word.casefold() not in SCORE_GAPS}):
        if grades := grades_of(words):
            return grades
        if words and all(underscored(word) in CREDIT for word in words):
            return {folded(word): CREDIT[underscored(word)] for word in words}
    return {}


def _written_otherwise(text: str, to_points: str, without_commas: str) -> str:
    """Say how a number is to be written that has more than digits and a decimal point."""
    spelling = other_spelling(text)
    if spelling is None:
        return ""
    kind, what, plain, *_, perhaps = spelling
    filters = {
        "comma": to_points,
        "commas": without_commas,
        "mark": _UNMARKED,
        "stars": _UNSTARRED,
        "brackets": _UNBRACKETED,
    }
    if kind == "error":
        return way_with_error(spelling)
    if kind == "per cent":
        share = f"; where other scores are shares from 0 to 1, write {_share_of(plain)!r}" * bool(_share_of(plain))
        return f"has {what}; write {plain!r} (sed 's/ *%//g') if all are per cents{share}"
    way = f" ({filters[kind]})" if kind in filters else ""
    thousands = f", or {perhaps!r} ({without_commas}) if the comma divides thousands" if perhaps else ""
    return f"has {what}; write {plain!r}{way}{thousands}"


def way_with_error(spelling: Spelling) -> str:
    """Say how a number is to be written that has its error or the bounds of its interval in its cell."""
    text = _WITH_BOUNDS if spelling.high else _WITH_ERROR
    return text.format(spelling.plain, spelling.error, spelling.high)


def _share_of(per_cent: str) -> str:
    return f"{float(per_cent) / _PER_CENT:.10g}" if is_number(per_cent) else ""


def to_numbers(cells: Sequence[str], missing: Missing) -> NDArray[np.float64]:
    """Read numbers exactly as written; a gap becomes NaN where `missing` has a rule for it."""
    try:
        numbers = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        numbers = np.full(len(cells), np.nan)
    if (np.abs(numbers) < _EXACT).all() and _is_plain("".join(cells)):
        return numbers
    return np.array([_to_number(position, cell, missing) for position, cell in enumerate(cells)])


def counts_in(cells: Sequence[str]) -> list[float] | None:
    """Return what a row of counts holds, NaN for a gap; None where it holds anything else.

    Examples
    --------
    >>> counts_in(["n=3", "", "12"]), counts_in(["3", ".5"])
    ([3.0, nan, 12.0], None)
    """
    numbers = []
    for cell in cells:
        text = cell.rpartition("=")[2].strip(BLANKS)
        if text.casefold() not in SCORE_GAPS and not text.isdecimal():
            return None
        numbers.append(float(text) if text.isdecimal() else math.nan)
    return numbers


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
        if pair := point_between_thousands(cells):
            raise body.error(f"column {name!r} {of_thousands(*pair)}", cells.index(pair[0]))


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
    if source.name is not None or names_metric(source.own_name):
        return []
    return [CalledAsFile("the metric has no name of its own, so it is called as the file")]


def names_metric(name: str) -> bool:
    """Whether a name of a file, or a word of it, is that of a metric."""
    name = re.sub(r"(?<=[A-Za-z])(?=[0-9]+(_|\W|$))", "@", name)  # P10 is P@10
    return any(metric_evidence([word]) for word in (name, *re.split(r"[^\w@]|_", name)))


def rows_left_out(names: Sequence[str]) -> list[str]:
    """Say which rows in place of a topic were left out; nothing where there are none."""
    kind = "averages" if all(name.casefold() in AVERAGES for name in names) else "summaries"
    return [f"left out the {kind} ({', '.join(names)})"] if names else []
