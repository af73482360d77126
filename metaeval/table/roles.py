"""What every column of a table of scores is: system, topic, score, or something that is no score.

One table of words (``roles.toml``) and one judgement, which every reader uses: a number is a score only if neither its
name nor its values say otherwise. Values count more than names: a column called as an average that is none, or as a
standard error that is below 0, is asked about.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats
from metaeval.base.names import first_few
from metaeval.base.unit import ITEM, NUGGET, TOPIC, Unit
from metaeval.errors import ScoresError
from metaeval.table.evidence import made_of_others, on_another_scale

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_DIVISION = re.compile(r"[\s._/:()\[\]-]+")
_NUMBER = re.compile(r"[+-]?[0-9.,]+(e[+-]?[0-9]+)?", re.IGNORECASE | re.ASCII)
_LONGEST_WORD = 100
_TIERS: Mapping[str, Sequence[Sequence[str]]] = _TABLE["parts"]

SCORES: Mapping[str, tuple[str, ...]] = {part: tuple(word for tier in tiers for word in tier)
                                         for part, tiers in _TIERS.items()}  # fmt: skip
"""Parts of a long table of scores, and what columns that play them are called, in order of trust.

Case, blanks and hyphens do not matter, and no two columns may play one part. A word counts only where no surer one is
there: for systems model counts after system, and method after model; for topics item and the like after topic, then
id, question, task and dataset. A task beside a surer topic is its cluster.
"""
_PART_OF_WORD = {word: part for part, words in SCORES.items() for word in words}
_TIER_OF_WORD = {word: place for tiers in _TIERS.values() for place, tier in enumerate(tiers) for word in tier}
_COUNTED = frozenset({"run", "run_id", "runid", "name"})
"""Words for systems that number the runs of one, where their column holds numbers beside another column of systems."""

AVERAGES = frozenset(_TABLE["aggregate"]["rows"])
"""What stands in place of a topic where a row holds averages; in lower case."""
SPREADS = frozenset({*_TABLE["error"]["words"], *_TABLE["sd"]["words"]} - {"se", "sd", "sem", "var", "sigma"})
"""What stands there where a row says how the scores vary; as `word_of` writes it."""
PERHAPS = frozenset(
    {*_TABLE["aggregate"]["words"], *_TABLE["range"]["words"], "se", "sem", "sd", "sigma", "var", "count"}
)
"""What may be a summary, or a topic."""
TEXTS = frozenset(_TABLE["text"]["words"])
"""Columns of words in the frames of ragas and DeepEval: what was asked, found, answered and expected."""
LOWER = frozenset(_TABLE["lower"]["words"])
"""Metrics where lower is better, whoever computes them."""
COMPUTED = frozenset({*_TABLE["computed"]["words"], *_TABLE["aggregate"]["words"]})
"""What is computed from several judges, as `word_of` writes it."""
_AGREE = frozenset({"agree", "agrees", "agreement", "disagree", "disagreement", "majority"})
WHOLE = frozenset(_TABLE["whole"]["words"])
"""What boards call the one score of a system."""

ROLES = tuple(role for role, entry in _TABLE.items() if "says" in entry and role != "text")
ERRORS = frozenset({"error", "sd", "half", "unsure"})
BOUNDS = frozenset({"low", "high", "range"})
SUMMARIES = frozenset({"aggregate", "range", "sd", "error", "half"})
"""Roles of rows that say something of the others; whether one does its numbers tell."""
MADE = frozenset(_TABLE["made"]["words"])
"""What may be made of others, and a system or topic as well."""
_RANKS = "ranks"
_TOTALS = frozenset({*_TABLE["aggregate"]["words"]} - {"all", "sum", "total", "gm", "media", "median"})
_OF_NO_SCORE = frozenset({"cost", "time", "rank", "n", "size"})
_OF_ALL = frozenset(_TABLE["aggregate"]["of_all"])
"""What an average of may be said to be that is one of everything: a task average."""
_AVERAGES_OF = ("mean_", "avg_", "average_", "overall_")
_QUALIFIED = re.compile(
    r"\s*(?:[(\[][^()\[\]]*[)\]]|(?<=\s)(?:w/o|without|excl\.?|excluding|except|ohne|sans|sin|senza)\s.+)\s*$",
    re.IGNORECASE,
)
_EPOCHS = (1e9, 1e13)
_FEWEST, _FEWEST_RANKED = 3, 5
_WIDER, _LARGER, _SHORT = 1.5, 5, 2
_MOST_COLUMNS = 1000


class ColumnRoles(NamedTuple):
    """Which column of a long table of scores plays which part."""

    parts: dict[str, str]
    """Part (a key of `SCORES`) to the name of its column."""
    others: list[str]
    """Columns without a part, in order; unnamed ones (a saved row number) are left out."""


class RoleColumn(NamedTuple):
    """A column that is no score."""

    name: str
    role: str
    """One of `ROLES`."""
    why: str
    """What it is, and of what."""
    of: str = ""
    """The column that it is about, where there is one."""
    sure: bool = True
    """Whether name and values agree; a column that they disagree about is asked for."""


def word_of(name: object) -> str:
    """Return a name as the words of ``roles.toml`` are written.

    Examples
    --------
    >>> word_of("Query-ID"), word_of("Std. Error"), word_of("acc (SE)")
    ('query_id', 'std_error', 'acc_se')
    """
    text = str(name)
    return _DIVISION.sub("_", text.strip()).casefold().strip("_") if len(text) < _LONGEST_WORD else ""


def bare_word(name: object) -> str:
    """Return the word of a name without what qualifies it: Average (4 tasks), Params (B), Avg w/o CoLA."""
    return word_of(_QUALIFIED.sub("", str(name)[:_LONGEST_WORD])).lstrip("#")


# ------------------------------------------------------------------------------------------- parts of a long table


def rises_by_name(metric: str) -> bool:
    """Whether higher is better under a metric of this name, as far as names tell.

    Examples
    --------
    >>> rises_by_name("nDCG@10"), rises_by_name("Perplexity")
    (True, False)
    """
    return word_of(metric) not in LOWER


def part_of_word(word: object) -> str | None:
    """Return the part of a long table of scores that a column of this name plays, None for none.

    Examples
    --------
    >>> part_of_word("Query-ID"), part_of_word("bm25")
    ('topic', None)
    """
    return _PART_OF_WORD.get(word_of(word))


def column_roles(
    columns: Iterable[object],
    *,
    chosen: Mapping[str, str] | None = None,
    ignored: Iterable[str] = (),
    cells: Callable[[str], Sequence[str]] | None = None,
) -> ColumnRoles:
    """Find out which columns of a long table hold system, topic, metric, score and what else has a part in `SCORES`.

    `cells` gives some cells of a column, which tell a system's runs by number from names of systems.

    Examples
    --------
    >>> column_roles(["name", "qid", "measure", "value", "fold"])
    ColumnRoles(parts={'system': 'name', 'topic': 'qid', 'metric': 'measure', 'score': 'value'}, others=['fold'])
    """
    parts = dict(chosen or {})
    taken = {*parts.values(), *ignored}
    candidates: dict[str, list[str]] = {}
    others = []
    headers = list(map(str, columns))
    instead = _unsure([name for name in headers if name not in taken], parts, cells)
    for column in headers:
        role = instead.get(column, part_of_word(column))
        if column in taken:
            continue
        if role is not None and role not in parts:
            candidates.setdefault(role, []).append(column)
        elif column.strip() and not column.startswith("Unnamed: "):
            others.append(column)
    for role, names in candidates.items():
        if len(set(names)) < len(names):
            raise ScoresError(f"two columns are called {names[0]!r}; names must be unique")
        if len(names) > 1:
            raise ScoresError(
                f"columns {' and '.join(map(repr, names))} could both be the {role}; rename or leave out all but one "
                f"(`columns={{{role!r}: {names[0]!r}, 'ignore': {names[1:]!r}}}`)"
            )
        parts[role] = names[0]
    return ColumnRoles({role: parts[role] for role in SCORES if role in parts}, others)


def _unsure(
    columns: Sequence[str], chosen: Mapping[str, str], cells: Callable[[str], Sequence[str]] | None
) -> dict[str, str | None]:
    """Return the parts of columns called as others that are surer: a task is a topic's cluster, the rest have none."""
    grouped = chosen.keys() & {"cluster", "stratum"} or any(
        part_of_word(name) in {"cluster", "stratum"} for name in columns
    )
    unsure: dict[str, str | None] = {}
    for role in ("system", "topic", "repeat"):
        tiers = {name: _TIER_OF_WORD[word_of(name)] for name in columns if part_of_word(name) == role}
        if role == "system" and cells is not None:
            runs = _numbered_runs(tiers, cells)
            unsure |= dict.fromkeys(runs, "repeat" if "repeat" not in chosen else None)
            tiers = {name: tier for name, tier in tiers.items() if name not in runs}
        surest = -1 if role in chosen else min(tiers.values(), default=0)
        unsure |= {
            name: "cluster" if word_of(name) in {"task", "task_name"} and not grouped else None
            for name, tier in tiers.items()
            if tier > surest
        }
    return unsure


def _numbered_runs(tiers: Mapping[str, int], cells: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the columns called run that hold numbers, where another column names systems by words."""
    words = [name for name in tiers if not all(cell.strip().isdecimal() for cell in cells(name))]
    return [name for name in tiers if words and name not in words and word_of(name) in _COUNTED]


def unit_of_column(name: str) -> Unit:
    """Return what scores are of whose column of topics has this name.

    Examples
    --------
    >>> unit_of_column("Question-ID").topics, unit_of_column("nugget").clusters, unit_of_column("qid").topics
    ('items', 'topics', 'topics')
    """
    word = word_of(name)
    if word in {"nugget", "nugget_id"}:
        return NUGGET
    return ITEM if _PART_OF_WORD.get(word) == "topic" and _TIER_OF_WORD[word] else TOPIC


def item_column(columns: Mapping[str, Sequence[str]], system: str, others: Iterable[str]) -> list[str]:
    """Return the columns that could name the items of a long table: each value once a system, and under several.

    A column of numbers with decimals names nothing; one called by a word for what is no item names no item.

    Examples
    --------
    >>> columns = {"system": [*"aabb"], "seg": [*"1212"], "bleu": [".1", ".2", ".1", ".3"]}
    >>> item_column(columns, "system", ["seg", "bleu"])
    ['seg']
    """
    systems = columns[system]
    n_systems = len(set(systems))
    fitting = []
    for name in others:
        cells = columns[name]
        values = set(cells)
        if any(_is_decimal(cell) for cell in values) or role_of_name(name)[0] in {*ERRORS, *BOUNDS, "time"}:
            continue
        if tells_sizes(name):
            continue
        pairs = set(zip(systems, cells, strict=True))
        if len(pairs) == len(cells) and n_systems > 1 and 2 * len(values) <= len(cells) + len(values) // 2:
            fitting.append(name)
    return fitting


def tells_sizes(name: str) -> bool:
    """Whether a column is called as one of sizes or costs, which tell systems apart and no items.

    Examples
    --------
    >>> tells_sizes("Model size"), tells_sizes("params"), tells_sizes("resize")
    (True, True, False)
    """
    return role_of_name(name)[0] in {"cost", "size"} or "size" in word_of(name).split("_")


def _is_decimal(cell: str) -> bool:
    text = cell.strip()
    return not text or (
        not text.lstrip("+-").isdecimal() and bool(re.fullmatch(r"[+-]?[0-9.,]+(e[+-]?[0-9]+)?", text.casefold()))
    )


# ---------------------------------------------------------------------------------------------- what is no score


_NOT_AVAILABLE = {"n/a", "n.a."}
"""Names that would else be a number (n) of something."""


@cache
def role_of_name(name: str) -> tuple[str, str]:
    """Return the role that a name says a column plays, "" for none, and the word for what it is about.

    Examples
    --------
    >>> role_of_name("acc_stderr"), role_of_name("SE"), role_of_name("n_topics"), role_of_name("nDCG")
    (('error', 'acc'), ('error', ''), ('n', 'topics'), ('', ''))
    """
    if name.strip().casefold() in _NOT_AVAILABLE:
        return "", ""
    word = word_of(name).replace("*", "").lstrip("#") or word_of(name)
    bare = bare_word(name)
    if end := _end_of_interval(word):
        return end
    named_role = next((role for name in (word, bare) for role in ROLES if name in _TABLE[role]["words"]), "")
    if named_role or not word:
        return named_role, ""
    role, stem = next(filter(any, map(_role_by_part, (word, bare))), ("", ""))
    if role in {"aggregate", "sd", "error"} and role_of_name(stem)[0] in _OF_NO_SCORE:  # avg_latency, std_fit_time
        return role_of_name(stem)
    return role, "" if role == "aggregate" and _OF_ALL >= {*stem.split("_")} else stem


def role_of_row(name: str) -> str:
    """Return the role that the name of a row says, "" for none or one of something else: n = 50 is a count.

    Examples
    --------
    >>> role_of_row("n = 50"), role_of_row("Task mean"), role_of_row("GPT mean"), role_of_row("k=5")
    ('n', 'aggregate', '', '')
    """
    word, equals, number = name.partition("=")
    counted = equals and _NUMBER.fullmatch(number.strip()) and role_of_name(word) == ("n", "")
    role, stem = role_of_name(name)
    return "n" if counted else "" if stem else role


def _end_of_interval(word: str) -> tuple[str, str] | None:
    """Return which end of an interval a name says, in words of any order, and the rest of the name: 95% CI (lower)."""
    parts, marks = word.replace(",_", "_").split("_"), _TABLE["bounds"]
    ends = [role for role in ("low", "high") if not {*parts}.isdisjoint(marks[role])]
    if len(ends) != 1 or {*parts}.isdisjoint(marks["interval"] + marks["limit"]):
        return None
    return ends[0], "_".join(part for part in parts if not any(part in words for words in marks.values()))


def _role_by_part(word: str) -> tuple[str, str]:
    """Return the role that the first or last words of a name say, the longest of them, and the rest of the name."""
    base, comma, tail = word.partition(",")
    longest = ("", "", 0)
    for role in ROLES:
        for side in ("after", "before"):
            for mark in _TABLE[role][side]:
                stem = _without(base, mark, side)
                if stem and len(mark) > longest[2]:
                    longest = (role, stem, len(mark))
    role, stem, _ = longest
    return role, stem + comma + tail if role else ""


def says_of(role: str) -> str:
    """Return what notes and errors call a role."""
    return str(_TABLE[role]["says"])


def _without(word: str, mark: str, side: str) -> str:
    """Return a word without the mark before or after it, "" where it has none."""
    if side == "after":
        return word[: -len(mark) - 1] if word.endswith(f"_{mark}") else ""
    return word[len(mark) + 1 :] if word.startswith(f"{mark}_") else ""


def not_scores(names: Sequence[str], values: Floats, *, along: str, kept: Iterable[str] = ()) -> list[RoleColumn]:
    """Return the columns of numbers that are no scores, by what they are called and what they hold.

    Parameters
    ----------
    names : sequence of str
        Of the columns, in order.
    values : array of float
        NaN where a cell holds none. Shape (row, column).
    along : {"system", "topic", "cell"}
        What a column would be if it held scores: a system, a topic (systems are in rows), or a metric, where a row is
        one system on one topic.
    kept : iterable of str
        Columns that somebody said to be scores.

    Examples
    --------
    >>> values = np.array([[0.7, 0.02, 120], [0.6, 0.03, 120], [0.5, 0.02, 120]])
    >>> [(one.name, one.role, one.of) for one in not_scores(["acc", "acc_se", "n"], values, along="topic")]
    [('acc_se', 'error', 'acc'), ('n', 'n', '')]
    """
    if len(names) > _MOST_COLUMNS or not len(values):
        return []
    by_word = {word_of(name): name for name in names}
    table = _Numbers(names, values, along)
    told: dict[str, RoleColumn] = {}
    for position, name in enumerate(names):
        role, stem = role_of_name(name)
        if not role and along == "topic" and word_of(name) in WHOLE and name not in kept and table.beside_items(name):
            told[name] = RoleColumn(name, "aggregate", "one score of the whole", sure=False)
        if not role and name not in kept and (unclear := table.perhaps(name)) is not None:
            told[name] = unclear
        if name in kept or not role:
            continue
        of = _called_so(by_word, stem) if stem else table.before(position, role)
        column = table.judged(position, role, of, stem)
        if column is not None:
            told[name] = column
    told |= table.made(told, kept)
    for column in table.by_values([name for name in names if name not in told and name not in kept]):
        told[column.name] = column
    if any(column.why == _RANKS for column in told.values()):
        told |= {
            name: RoleColumn(name, "rank", _RANKS, sure=False)
            for name in table.counting()
            if name not in {*told, *kept}
        }
    return [told[name] for name in names if name in told]


def _called_so(by_word: Mapping[str, str], stem: str) -> str:
    """Return the column of a name, or of its mean (the std_acc of mean_acc), "" where there is none."""
    names = (stem, f"mean_{stem}", f"{stem}_mean", f"avg_{stem}", f"{stem}_avg")
    return next((by_word[name] for name in names if name in by_word), "")


class _Numbers(NamedTuple):
    """Columns of numbers, and what they would be if they were scores."""

    names: Sequence[str]
    values: Floats
    along: str

    def before(self, place: int, role: str) -> str:
        """Return the nearest column before one that is called by nothing but its role, and could be its score."""
        if role not in ERRORS | BOUNDS:
            return ""
        scores = [name for name in self.names if not role_of_name(name)[0]]
        if self.along == "topic" and len(scores) > 1:
            return ""
        earlier = [name for name in scores if name in self.names[:place]]
        return earlier[-1] if earlier else next(iter(scores), "")

    def judged(self, place: int, role: str, of: str, stem: str) -> RoleColumn | None:
        """Return what a column is whose name says a role; None where it is a score after all."""
        name, numbers = self.names[place], self.values[:, place]
        says = _TABLE[role]["says"]
        column = RoleColumn(name, role, f"{says} of {of!r}" if of else says, of)
        if role in ERRORS | BOUNDS:
            return self._of_scores(column, numbers, stem)
        if role == "aggregate":
            return self._aggregate(place, sure_name=not stem)
        observed = numbers[~np.isnan(numbers)]
        all_whole = bool((observed == np.rint(observed)).all())
        if role == "id":
            return column if all_whole and len(set(observed.tolist())) == len(observed) else None
        if role == "rank":
            return column if all_whole else None if stem else column._replace(sure=False)
        if role in {"n", "size"} or (stem and self.along == "system"):
            unlike = all_whole and self._unlike_scores(place)
            rather = role in {"cost", "time", "test", "difference"}
            return (
                column
                if unlike
                else column._replace(sure=False)
                if rather or not (stem or role == "size" or self.along == "system")  # age and years are subsets too
                else None
            )
        return column

    def _of_scores(self, column: RoleColumn, numbers: Floats, stem: str) -> RoleColumn | None:
        """Return a column of errors or bounds; of something that is not here, a system may be called so."""
        if column.of:
            return column._replace(sure=_fits(column.role, numbers, self.values[:, self.names.index(column.of)]))
        if self.along == "system" and (stem or column.role == "range"):
            others = [at for at, name in enumerate(self.names) if name != column.name and not role_of_name(name)[0]]
            small = column.role in ERRORS and _fits(column.role, numbers, self.values[:, others].mean(axis=1))
            return column._replace(sure=False) if small else None  # a mixture of experts (moe) scores as others do
        return None if stem and column.role in BOUNDS else column._replace(sure=False)

    def beside_items(self, name: str) -> bool:
        """Whether at least two others are called by nothing known, as items are."""
        return sum(not role_of_name(one)[0] and word_of(one) not in WHOLE for one in self.names if one != name) > 1

    def perhaps(self, name: str) -> RoleColumn | None:
        """Return a column called as scores may be too, such as p, B or answer, beside others that are not."""
        says, words = _TABLE["perhaps"][self.along].values()
        others = [one for one in self.names if one != name and not role_of_name(one)[0] and word_of(one) not in words]
        if word_of(name) not in words or not others:
            return None
        if self.along == "cell":
            return RoleColumn(name, "text", says)
        is_short = [len(word_of(one)) <= _SHORT for one in others]
        alike = any(one.islower() for one in others) or not name.islower() if self.along == "system" else any(is_short)
        return None if alike else RoleColumn(name, "test" if self.along == "system" else "cost", says, sure=False)

    def counting(self) -> list[str]:
        """Return the columns of whole numbers from 1."""
        mask = ((self.values >= 1) & (self.values == np.rint(self.values))).all(axis=0)
        return [name for name, counts in zip(self.names, mask, strict=True) if counts]

    def _unlike_scores(self, place: int) -> bool:
        """Whether numbers are larger than those of all columns without a role, or these are not whole."""
        others = [at for at, name in enumerate(self.names) if at != place and not role_of_name(name)[0]]
        scores = self.values[:, others]
        scores = scores[~np.isnan(scores)]
        numbers = self.values[:, place]
        return not len(scores) or bool(np.nanmin(numbers) > scores.max() or (scores != np.rint(scores)).any())

    def _aggregate(self, place: int, *, sure_name: bool) -> RoleColumn | None:
        """Return a column called as an average, where no numbers need to say so."""
        name, says = self.names[place], _TABLE["aggregate"]["says"]
        if self.along == "cell" and sure_name and all(role_of_name(one)[0] for one in self.names if one != name):
            return None
        if self.along == "topic" and sure_name and _are_ranks(self.values[:, place]):
            return RoleColumn(name, "rank", _RANKS, sure=False)
        if sure_name or (self.along == "topic" and word_of(name).startswith(_AVERAGES_OF)):
            return RoleColumn(name, "aggregate", says, sure=sure_name and self.along == "topic")
        return None

    def made(self, told: Mapping[str, RoleColumn], kept: Iterable[str]) -> dict[str, RoleColumn]:
        """Return the columns that the others make, except those of which the name said enough."""
        said = {name for name, column in told.items() if column.sure and column.role != "aggregate"}
        places = [at for at, name in enumerate(self.names) if name not in said]
        names = [self.names[at] for at in places]
        roles = ["made" if word_of(name) in MADE else role_of_name(name)[0] for name in names]
        called = {
            at: role
            for at, (name, role) in enumerate(zip(names, roles, strict=True))
            if name not in kept and (name in told or role in {"aggregate", "made"})
        }
        return {
            names[one.place]: RoleColumn(names[one.place], "aggregate", one.what)
            for one in made_of_others(names, self.values[:, places].T, called)
            if one.sure and names[one.place] not in kept
        }

    def by_values(self, names: Sequence[str]) -> list[RoleColumn]:
        """Return the columns without a name for it that hold dates, ranks, numbers of rows or averages of the rest."""
        places = [self.names.index(name) for name in names]
        columns: list[RoleColumn] = []
        if len(places) < 2 or len(self.values) < _FEWEST:  # noqa: PLR2004 - nothing to be told from
            return columns
        values = self.values[:, places]
        with np.errstate(invalid="ignore"):
            is_whole = (values == np.rint(values)) | np.isnan(values)
        all_whole = is_whole.all(axis=0)
        low, high = np.nanmin(values, axis=0, initial=np.inf), np.nanmax(values, axis=0, initial=-np.inf)
        dates = all_whole & (low <= high) & (low >= _EPOCHS[0]) & (high <= _EPOCHS[1])
        counted = all_whole & (np.sort(values, axis=0) == (np.arange(len(values)) + 1)[:, None]).all(axis=0)
        elsewhere = self._elsewhere(values)
        from_zero = all_whole & (values == np.arange(len(values))[:, None]).all(axis=0)
        for at, name in enumerate(names):
            if dates[at] and not dates.all():
                columns.append(RoleColumn(name, "time", "a date in seconds or milliseconds"))
            elif (counted[at] or from_zero[at]) and not all_whole.all() and len(values) >= _FEWEST_RANKED:
                columns.append(RoleColumn(name, "rank", f"the numbers from {int(low[at])} to {int(high[at])}"))
            elif all_whole[at] and elsewhere[at] and not all_whole[~elsewhere].any() and self._varies(values, at):
                columns.append(RoleColumn(name, "", f"whole numbers from {low[at]:g} to {high[at]:g}", sure=False))
        return columns

    def _elsewhere(self, values: Floats) -> Flags:
        """Return which columns are on another scale than all others."""
        if self.along == "cell" or values.shape[1] < _FEWEST or not np.isfinite(values).any(axis=0).all():
            return np.zeros(values.shape[1], dtype=bool)
        with np.errstate(over="ignore", invalid="ignore"):
            return on_another_scale(values.T)

    def _varies(self, values: Floats, at: int) -> bool:
        """Whether a column of another scale is no item: such may be, if it varies as they do; a system is never one."""
        if np.nanmedian(values[:, at]) < _LARGER * np.nanmax(np.delete(values, at, axis=1)):
            return False
        if self.along == "system":
            return True
        with np.errstate(invalid="ignore", divide="ignore"):
            widths = np.nan_to_num(np.ptp(values, axis=0) / np.abs(np.nanmedian(values, axis=0)), posinf=np.inf)
        return bool(widths[at] > _WIDER * np.delete(widths, at).max())


def _are_ranks(numbers: Floats) -> bool:
    """Whether numbers are 1 to how many they are, each once."""
    return len(numbers) >= _FEWEST and bool((np.sort(numbers) == np.arange(len(numbers)) + 1).all())


def _fits(role: str, own: Floats, score: Floats) -> bool:
    """Whether numbers can be the errors, or bounds, of these scores."""
    both = ~(np.isnan(own) | np.isnan(score))
    mine, theirs = own[both], score[both]
    if not len(mine):
        return True
    if role in ERRORS:
        return bool((mine >= 0).all() and (2 * np.median(mine) <= np.median(np.abs(theirs)) or (mine == 0).all()))
    if role == "range":
        return bool((mine <= theirs).all() or (mine >= theirs).all())
    sign = 1 if role == "low" else -1
    return bool((sign * mine <= sign * theirs).all() or (sign * mine <= 0).all())


def is_summary(name: str) -> bool:
    """Whether a name may stand for all others: means and sums."""
    return word_of(name) in AVERAGES | frozenset(_TABLE["aggregate"]["words"])


def is_computed(name: str) -> bool:
    """Whether a name says that numbers are computed from those of several judges."""
    word = word_of(name)
    return word in COMPUTED or not _AGREE.isdisjoint(word.split("_")) or role_of_name(name)[0] == "aggregate"


def is_total(name: str) -> bool:
    """Whether a row of this name among systems holds averages of the others."""
    return word_of(name) in _TOTALS


def left_out_columns(columns: Sequence[RoleColumn]) -> list[str]:
    """Return the note on columns that are no scores.

    Examples
    --------
    >>> left_out_columns([RoleColumn("Overall", "aggregate", "the mean of 'a' and 'b'")])
    ["left out column 'Overall', the mean of 'a' and 'b'"]
    """
    if not columns:
        return []
    described = first_few([f"{column.name!r}, {column.why}" for column in columns], most=8, between="; ")
    return [f"left out column{'s' * (len(columns) > 1)} {described}"]


def unsure_columns(columns: Sequence[RoleColumn], *, in_memory: bool = False) -> str:
    """Return what to say of columns of whose role names and values say different things, "" where there are none."""
    unsure = [column for column in columns if not column.sure]
    if not unsure:
        return ""
    named = first_few([f"{column.name!r} ({column.why}?)" for column in unsure], most=3)
    ignored = [column.name for column in unsure]
    way = "drop what is none" if in_memory else (f"pass `columns={ {'ignore': ignored}!r}` to leave out what is none")
    rename = "or rename what is one" if any(column.role for column in unsure) else ""
    scale = "or write what is one on the scale of the others" if any(not column.role for column in unsure) else ""
    return f"{named} seem{'s' * (len(unsure) == 1)} to be no score; {', '.join(filter(None, (way, rename, scale)))}"
