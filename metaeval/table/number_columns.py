"""Which columns of numbers are no scores: by what they are called, and what they hold beside the others."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats
from metaeval.base.columns import JUDGES, underscored
from metaeval.base.names import first_few, metric_evidence
from metaeval.table.companions import companions
from metaeval.table.counted_shares import multiples
from metaeval.table.derived import rounding
from metaeval.table.evidence import SETTLED, made_of_others, on_another_scale
from metaeval.table.interval_names import Bounds, bounds_among, roles_among
from metaeval.table.label_roles import adjudicated
from metaeval.table.plausibility import item_constants, system_constants
from metaeval.table.roles import (
    AVERAGE_HEADS,
    BOUNDS,
    ERRORS,
    MADE,
    PERHAPS_SCORES,
    RoleColumn,
    averages_of_categories,
    bare_word,
    falling_among,
    is_whole,
    part_of_word,
    ranges_of_scores,
    rises_by_name,
    role_of_name,
    roles_beside,
    says_of,
    word_of,
)
from metaeval.table.unrelated import unrelated
from metaeval.table.wide import grid_among

_LEFT_OUT = "left out column"
_RANKS = "ranks"
_OF_WHOLE = "one score of the whole"
FALLS = "less is better"
"""Why an item beside others is asked about that is called as an error or a loss."""
_EPOCHS, _SECONDS = (1e9, 1e13), 2e9
"""Whole numbers that may be dates in seconds or milliseconds, and the last with parts of a second."""
_APART = ", no two alike"
_FEWEST, _FEWEST_RANKED, _MOST_GRADES = 3, 5, 10
_WIDER, _LARGER, _SHORT = 1.5, 5, 2
_ANSWERS = (0.0, 1.0)
_FEWEST_WRITTEN, _HARDLY_ANY, _FINER, _ROUNDED = 12, 0.02, 99, 1e-3
"""Rows from which on digits are no luck; the share of numbers that another column may have too; how much finer all
others are written, and the least last digit of rounded numbers, as a share of the largest."""
_MOST_COLUMNS = 1000
_OF_SYSTEMS = frozenset({"certainty", "flag", "judged"})
"""Roles of columns that say something of the system whose name they hold."""
_P_OF = frozenset({"_p", " p"})
_OF_A_LEVEL = re.compile(r"(?<![\w@.])(?:80|90|95|99) ?%")
_YEARS = (1950, 2035)
_QUESTION = re.compile(r"Q[0-9]+")
_VERSUS = re.compile(r"\bvs\b|\bversus\b|\bgegen\b|\bcontre\b", re.IGNORECASE)
_GLUED = re.compile(r"delta[\W_]*(?!(?:to|vs|over)\b)", re.IGNORECASE)
_RAW = "_raw"
_SHOTS = frozenset({"shot", "shots"})
_ASKED_AS = {"system": "test", "topic": "cost"}
"""Roles of what may be a score by its name alone."""


def not_scores(
    names: Sequence[str],
    values: Floats,
    *,
    along: str,
    kept: Iterable[str] = (),
    around: Mapping[str, Floats] = MappingProxyType({}),
) -> list[RoleColumn]:
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
    around : mapping of str to array of float
        All columns in order, with those that somebody left out: means may be of these too.

    Examples
    --------
    >>> values = np.array([[0.7, 0.02, 120], [0.6, 0.03, 120], [0.5, 0.02, 120]])
    >>> [(one.name, one.role, one.of) for one in not_scores(["acc", "acc_se", "n"], values, along="topic")]
    [('acc_se', 'error', 'acc'), ('n', 'n', '')]
    """
    if len(names) > _MOST_COLUMNS or not len(values):
        return []
    by_word = {word_of(name): name for name in names}
    asked = {name: ("", "") for name in names if _asked_word(name, along)}
    table = _Numbers(names, values, along, roles_among(names) | asked)
    beside = companions(names, values) if along == "system" else []
    told = table.beside(kept) if along == "system" else {}
    for group in beside:
        told |= {name: column for name, column in group.columns().items() if group.unlike and name not in kept}
    bounding = [(name, pair) for pair in bounds_among(names) for name in pair[:2] if name not in kept]
    told |= {name: column for name, pair in bounding if (column := table.bounding(name, pair)) is not None}
    told |= table.raw([*told, *kept]) if along == "topic" else {}
    paired = {*told, *kept, *(name for name, _ in bounding)}
    falling = table.falling()
    for position, name in enumerate(names):
        if name in paired:
            continue
        role, stem = table.roles[name]
        of = _called_so(by_word, stem) if stem else table.before(position, role)
        column = table.judged(position, role, of, stem) if role else table.without_role(name)
        column = column or (RoleColumn(name, "", FALLS, sure=False) if name in falling else None)
        if column is not None:
            told[name] = column
    for group in beside:
        asked_of = {name: column for name, column in group.columns().items() if group.called and name not in kept}
        told = asked_of | told
        if any(not told[name].sure for name in group.of if name in told):
            told |= {name: told[name]._replace(sure=False) for name in group.of if name in told}  # one with all
    told |= table.made(told, kept)
    told = table.made_around(told, kept, around) | told
    told |= table.multiples([*told, *kept]) if along == "topic" else {}
    for column in table.by_values([name for name in names if name not in told and name not in kept]):
        told[column.name] = column
    if any(column.why == _RANKS for column in told.values()):
        told |= {
            name: RoleColumn(name, "rank", _RANKS, sure=False)
            for name in table.counting()
            if name not in {*told, *kept}
        }
    parted = _metrics_in_part(names, told) if along == "system" else set()
    return [told[name] for name in names if name in told and name not in parted]


def _metrics_in_part(names: Sequence[str], told: Container[str]) -> set[str]:
    """Return the columns of metrics of which only some are told: in a grid a metric holds scores for all, or none."""
    metric_of = grid_among(names)
    scored = {metric for name, (metric, _) in metric_of.items() if name not in told}
    return {name for name, (metric, _) in metric_of.items() if metric in scored}


def _called_so(by_word: Mapping[str, str], stem: str) -> str:
    """Return the column of a name, or of its mean (the std_acc of mean_acc), "" where there is none."""
    names = (stem, f"mean_{stem}", f"{stem}_mean", f"avg_{stem}", f"{stem}_avg")
    return next((by_word[name] for name in names if name in by_word), "")


def _asked_word(name: str, along: str) -> str:
    """Return the word of a name that may be that of no score, without what qualifies it; "" of any other.

    Examples
    --------
    >>> [_asked_word(name, "system") for name in ("Score QPP", "p (a vs b)", "p (large)", "clarity score", "bm25")]
    ['qpp', 'p', '', 'clarity', '']
    """
    words = {**PERHAPS_SCORES[along], **(PERHAPS_SCORES["beyond"] if along != "cell" else {})}
    bare = bare_word(name)
    spelled = [word_of(name)]
    if along == "system" and not role_of_name(name)[0]:
        spelled += [bare.removeprefix("score_"), bare.removesuffix("_score")] if len(bare) > 1 else []
        spelled += [bare] if _VERSUS.search(name) else []
    return next((word for word in spelled if word in words), "")


class _Numbers(NamedTuple):
    """Columns of numbers, and what they would be if they were scores."""

    names: Sequence[str]
    values: Floats
    along: str
    roles: Mapping[str, tuple[str, str]]
    """What each name says beside the others."""

    def beside(self, kept: Iterable[str]) -> dict[str, RoleColumn]:
        """Return the columns that say something of another, as their names do: several of a kind surely."""
        called = {name: told for name, told in roles_beside(self.names).items() if told[0] in _OF_SYSTEMS}
        called |= {
            name: ("test", name[:-2])
            for name in self.names
            if name[-2:] in _P_OF and {name[:-2], *self.names} == {*self.names}
        }
        n_of = Counter(role for role, _ in called.values())
        return {
            name: RoleColumn(
                name, role, f"{says_of(role)} of {of!r}", of, sure=n_of[role] > 1 and name[-2:] not in _P_OF
            )
            for name, (role, of) in called.items()
            if name not in kept and (name[-2:] not in _P_OF or n_of[role] > 1)
        }

    def bounding(self, name: str, pair: Bounds) -> RoleColumn | None:
        """Return what one of two columns is that are called as ends of intervals; None where it holds scores.

        Bounds hold another column, or the mean of all, in every row, or say how far they are from it.
        """
        low, high = (self.values[:, self.names.index(end)] for end in pair[:2])
        others = [column for column in self.names if not self.roles[column][0]]
        near = sorted(
            others,
            key=lambda column: (word_of(column) != pair.stem, column not in self.before(self.names.index(name), "low")),
        )
        scores = {column: self.values[:, self.names.index(column)] for column in near}
        if len(others) > 1:
            scores[""] = self.values[:, [self.names.index(column) for column in others]].mean(axis=1)
        known = ~(np.isnan(low) | np.isnan(high))
        held = [column for column, score in scores.items() if _holds(low[known], high[known], score[known])]
        far = [
            column
            for column, score in scores.items()
            if _fits("error", np.abs(low), score) and _fits("error", np.abs(high), score)
        ]
        of = next(iter([*held, *far]), "")
        says = says_of(self.roles[name][0])
        column = RoleColumn(name, self.roles[name][0], f"{says} of {of!r}" if of else says, of)
        if held:
            return column._replace(sure=int(known.sum()) >= _FEWEST or pair.sure)
        if far and (pair.sure or bool((np.sign(low) != np.sign(high)).all())):
            return column
        ordered = bool((low[known] <= high[known]).all())
        return (
            column._replace(sure=False)
            if ordered and (pair.sure or word_of(pair.stem) in map(word_of, others))
            else None
        )

    def before(self, place: int, role: str) -> str:
        """Return the nearest column before one that is called by nothing but its role, and could be its score."""
        if role not in ERRORS | BOUNDS:
            return ""
        scores = [name for name in self.names if not self.roles[name][0]]
        if self.along == "topic" and len(scores) > 1:
            return ""
        earlier = [name for name in scores if name in self.names[:place]]
        return earlier[-1] if earlier else next(iter(scores), "")

    def judged(self, place: int, role: str, of: str, stem: str) -> RoleColumn | None:
        """Return what a column is whose name says a role; None where it is a score after all."""
        name, numbers = self.names[place], self.values[:, place]
        says = says_of(role)
        of_all = role == "range" and self.along == "system" and not stem  # not of the column before
        column = RoleColumn(name, role, f"{says} of {of!r}" if of and not of_all else says, of)
        if role in ERRORS | BOUNDS | {"aggregate"}:
            is_total = role == "aggregate"
            return self._aggregate(place, sure_name=not stem) if is_total else self._of_scores(column, numbers, stem)
        if role in {"target", "flag", "difference"}:
            return self._beside_scores(place, column, stem)
        observed = numbers[~np.isnan(numbers)]
        all_whole = bool((observed == np.rint(observed)).all())
        if role == "id" or (role == "seed" and not all_whole):  # repetition may be a metric
            apart = len(set(observed.tolist())) == len(observed)
            sure = apart or (bool(stem) and self.along != "system")
            return column._replace(sure=sure) if all_whole and (apart or stem) else None
        if role == "rank":
            right_or_wrong = stem and self.along == "system" and observed.min(initial=np.inf) < 1  # RankLLM
            return column if all_whole and not right_or_wrong else None if stem else column._replace(sure=False)
        if role in {"n", "size", "most"} or (stem and self.along == "system"):
            unlike = all_whole and self._unlike_scores(place)
            rather = role in {"cost", "time", "test"}
            rather |= self.along == "system" and not stem and len(word_of(name)) > _SHORT
            return (
                column
                if unlike
                else column._replace(sure=False)
                if rather or not (stem or role == "size" or self.along == "system")  # age and years are subsets too
                else None
            )
        scores_too = self.along == "system" and role in {"cost", "time", "seed", "version"} and self._like_scores(place)
        are_scores = role == "version" and not all_whole and self._are_settings()
        return None if are_scores else column._replace(sure=not scores_too)

    def _are_settings(self) -> bool:
        """Whether several columns are called as numbers of examples, whose scores they hold: zero-shot, few-shot."""
        return sum(word_of(name).rpartition("_")[2] in _SHOTS for name in self.names) > 1

    def _beside_scores(self, position: int, column: RoleColumn, stem: str) -> RoleColumn | None:
        """Return a column called as a target, a mark or a difference: surely where its numbers are none of scores."""
        numbers = self.values[:, position]
        observed = numbers[~np.isnan(numbers)]
        if column.role == "target":
            return column._replace(sure=len({*observed.tolist()}) == 1)
        if column.role == "flag":
            others = [at for at, name in enumerate(self.names) if not self.roles[name][0]]
            marks = self.values[:, [position, *others]]
            alike = bool((np.isin(marks, (0.0, 1.0)) | np.isnan(marks)).all())
            return column._replace(sure=not alike) if np.isin(observed, (0.0, 1.0)).all() else None
        if not stem or self._is_signed(position):
            return column
        if _GLUED.match(column.name):  # DeltaLM is a system, and delta-NLI a task
            return column._replace(sure=False) if column.of or self.along == "cell" else None
        return column._replace(sure=self.along != "system")

    def _like_scores(self, place: int) -> bool:
        """Whether fractions lie among those of the columns without a role."""
        numbers = self.values[:, place]
        others = self.values[:, [at for at, name in enumerate(self.names) if not self.roles[name][0]]]
        if np.isnan(others).all() or np.isnan(numbers).all() or bool((numbers == np.rint(numbers)).all()):
            return False
        return bool(np.nanmin(others) <= np.nanmedian(numbers) and np.nanmax(numbers) <= np.nanmax(others))

    def _of_scores(self, column: RoleColumn, numbers: Floats, stem: str) -> RoleColumn | None:
        """Return a column of errors or bounds; of something that is not here, a system may be called so."""
        if column.role == "unsure" and self.along == "cell" and self._is_lone(column.name):
            return column._replace(sure=False) if rises_by_name(column.name) else None  # an error rate is the score
        if column.of:
            return column._replace(sure=_fits(column.role, numbers, self.values[:, self.names.index(column.of)]))
        if self.along == "system" and (stem or column.role == "range"):
            others = [at for at, name in enumerate(self.names) if name != column.name and not self.roles[name][0]]
            small = column.role in ERRORS and _fits(column.role, numbers, self.values[:, others].mean(axis=1))
            return column._replace(sure=False) if small else None  # a mixture of experts (moe) scores as others do
        return None if stem and column.role in BOUNDS else column._replace(sure=False)

    def _is_lone(self, name: str) -> bool:
        """Whether all others are called as what holds no scores."""
        return all(self.roles[other][0] for other in self.names if other != name)

    def is_quartile(self, name: str) -> bool:
        """Whether a column is called Q1 or Q3 where no question is: no other has a further number."""
        numbered = [column for column in self.names if _QUESTION.fullmatch(column)]
        return (
            name in numbered
            and {column[1:] for column in numbered} <= {"1", "2", "3"}
            and len(numbered) < len(self.names)
        )

    def falling(self) -> list[str]:
        """Return the items called as something of which less is better: a mean with the others has no direction."""
        if self.along != "topic":
            return []
        falling = falling_among(ranges_of_scores(self.names, self.values.T))
        return falling if any(not self.roles[name][0] for name in self.names if name not in falling) else []

    def beside_items(self, name: str) -> bool:
        """Whether at least two others are called by nothing known, as items are."""
        return (
            sum(
                not (self.roles[column][0] or is_whole(column) or metric_evidence([column]))
                for column in self.names
                if column != name
            )
            > 1
        )

    def without_role(self, name: str) -> RoleColumn | None:
        """Return a column of no known role that is no score, or may be none, by its name and those of the others."""
        if (column := self._by_name_and_numbers(name)) is not None:
            return column
        if self.along == "topic" and is_whole(name) and self.beside_items(name):
            return RoleColumn(name, "aggregate", _OF_WHOLE, sure=False)
        if self.along == "cell" and part_of_word(name) == "weight":
            return RoleColumn(name, "weight", "a weight")
        if self.along == "cell" and underscored(name) in JUDGES and self._are_counts(self.names.index(name)):
            return RoleColumn(name, "id", "a judge's number", sure=False)
        if self.along == "cell" and self.is_quartile(name):
            return RoleColumn(name, "range", "a quartile", sure=False)
        return (self._of_two(name) if self.along == "topic" else None) or self.perhaps(name)

    def _of_two(self, name: str) -> RoleColumn | None:
        """Return one of the only two columns without a role: the score of the whole, or small numbers beside it."""
        free = [column for column in self.names if not self.roles[column][0]]
        if len(free) != 2:  # noqa: PLR2004 - two
            return None
        other = free[free[0] == name]
        scores = [is_whole(column) or bool(metric_evidence([column])) for column in (name, other)]
        numbers, others = (self.values[:, self.names.index(column)] for column in (name, other))
        if scores == [False, True] and _fits("error", numbers, others):
            why = f"the error of {other!r}, to be called {other + '_stderr'!r}"
            return RoleColumn(name, "unsure", why, other, sure=False)
        is_apart = is_whole(name) and not scores[1] and not _fits("error", others, numbers)
        return RoleColumn(name, "aggregate", _OF_WHOLE, sure=False) if is_apart else None

    def _by_name_and_numbers(self, name: str) -> RoleColumn | None:
        """Return labels that were settled on beside others, and what a level of confidence is said of."""
        if self.along == "system" and name in adjudicated(self.names) and self._are_labels():
            return RoleColumn(name, "aggregate", "what judges settled on", sure=False)
        if self.along == "topic" and self._may_be_error(name):
            return RoleColumn(name, "half", says_of("half"), sure=False)
        return None

    def _may_be_error(self, name: str) -> bool:
        """Whether a column names a level of confidence, in words of any language, and is small beside the scores."""
        others = [at for at, column in enumerate(self.names) if column != name and not self.roles[column][0]]
        if not _OF_A_LEVEL.search(name) or not others or metric_evidence([name]) or not rises_by_name(name):
            return False
        return _fits("error", self.values[:, self.names.index(name)], self.values[:, others].mean(axis=1))

    def _are_labels(self) -> bool:
        """Whether all columns hold a few whole numbers, and more than right or wrong."""
        labels = np.unique(self.values[np.isfinite(self.values)])
        return 2 < len(labels) <= _MOST_GRADES + 1 and not (labels % 1).any()  # noqa: PLR2004 - right or wrong

    def perhaps(self, name: str) -> RoleColumn | None:
        """Return a column called as scores may be too, such as p, B or answer, beside others that are not."""
        word, words = _asked_word(name, self.along), PERHAPS_SCORES[self.along]
        others = [
            column
            for column in self.names
            if column != name and not self.roles[column][0] and not _asked_word(column, self.along)
        ]
        if not word or not others:
            return None
        position = self.names.index(name)
        if word not in words:
            return self._beyond(position, PERHAPS_SCORES["beyond"][word], others)
        if words[word] in PERHAPS_SCORES["beyond"].values() and self._is_signed(position):
            return RoleColumn(name, "difference", words[word])
        if self.along == "cell":
            return RoleColumn(name, "text", words[word], sure=len(word) > 1)
        if self.along == "system":
            alike = len(name) == 1 and any(
                len(column) == 1 and (column.islower() or name.isupper()) for column in others
            )
        else:
            alike = any(column.isalpha() and len(word) <= _SHORT >= len(column) for column in others)
        return None if alike else RoleColumn(name, _ASKED_AS[self.along], words[word], sure=False)

    def _is_signed(self, position: int) -> bool:
        """Whether numbers lie below 0 where those of no column without a role do, as differences of scores."""
        others = [at for at, name in enumerate(self.names) if at != position and not self.roles[name][0]]
        lowest = np.nanmin(self.values[:, others], initial=0.0)
        return bool(np.nanmin(self.values[:, position], initial=0.0) < 0 <= lowest)

    def _beyond(self, position: int, says: str, others: Sequence[str]) -> RoleColumn | None:
        """Return a column to be asked about where its numbers lie below the middle of each other, or some below 0."""
        numbers = self.values[:, position]
        with np.errstate(invalid="ignore"):
            middle = np.nanmedian(self.values[:, [self.names.index(name) for name in others]], axis=0).min()
        if self._is_signed(position) or np.nanmax(numbers, initial=-np.inf) < middle:
            return RoleColumn(self.names[position], "difference", says, sure=False)
        return None

    def counting(self) -> list[str]:
        """Return the columns of whole numbers from 1."""
        mask = ((self.values >= 1) & (self.values == np.rint(self.values))).all(axis=0)
        return [name for name, counts in zip(self.names, mask, strict=True) if counts]

    def _are_counts(self, place: int) -> bool:
        """Whether numbers are whole where scores are not, or beyond them."""
        numbers = self.values[:, place]
        return bool((numbers == np.rint(numbers)).all()) and self._unlike_scores(place)

    def _unlike_scores(self, place: int) -> bool:
        """Whether numbers are larger than those of all columns without a role, or these are not whole."""
        others = [at for at, name in enumerate(self.names) if at != place and not self.roles[name][0]]
        scores = self.values[:, others]
        scores = scores[~np.isnan(scores)]
        numbers = self.values[:, place]
        return not len(scores) or bool(np.nanmin(numbers) > scores.max() or (scores != np.rint(scores)).any())

    def _aggregate(self, place: int, *, sure_name: bool) -> RoleColumn | None:
        """Return a column called as an average, where no numbers need to say so."""
        name, says = self.names[place], says_of("aggregate")
        if self.along == "topic" and name in averages_of_categories(self.names):
            return None
        if self.along == "cell" and sure_name and self._is_lone(name):
            return None
        if self.along == "topic" and sure_name and _are_ranks(self.values[:, place]):
            return RoleColumn(name, "rank", _RANKS, sure=False)
        if sure_name or (self.along == "topic" and word_of(name).partition("_")[0] in AVERAGE_HEADS | {"overall"}):
            return RoleColumn(name, "aggregate", says, sure=sure_name and self.along == "topic")
        return None

    def multiples(self, kept: Iterable[str]) -> dict[str, RoleColumn]:
        """Return the columns of counts that the shares beside them are made of."""
        of = {self.names[count]: self.names[share] for count, share in multiples(self.values).items()}
        whys = {name: f"a count that goes with {share!r} in every row" for name, share in of.items()}
        return {name: RoleColumn(name, "aggregate", why, of[name]) for name, why in whys.items() if name not in kept}

    def raw(self, kept: Iterable[str]) -> dict[str, RoleColumn]:
        """Return the columns called as the raw numbers of another that nowhere falls where they rise."""
        of = {word_of(name) + _RAW: at for at, name in enumerate(self.names)}
        pairs = [(at, of[word_of(name)]) for at, name in enumerate(self.names) if word_of(name) in of]
        return {
            self.names[at]: RoleColumn(self.names[at], "", f"{self.names[score]!r} on another scale")
            for at, score in pairs
            if self.names[at] not in kept and _rise_alike(self.values[:, [score, at]])
        }

    def made(self, told: Mapping[str, RoleColumn], kept: Iterable[str]) -> dict[str, RoleColumn]:
        """Return the columns that the others make, except those of which the name said enough."""
        said = {
            name
            for name, column in told.items()
            if column.sure
            and column.role != "aggregate"
            and (column.role not in {*ERRORS, "range"} or self.roles[name][1])
        }
        places = [at for at, name in enumerate(self.names) if name not in said]
        names = [self.names[at] for at in places]
        roles = ["made" if word_of(name) in MADE else self.roles[name][0] for name in names]
        settled = adjudicated(names)
        roles = [SETTLED if name in settled else role for name, role in zip(names, roles, strict=True)]
        called = {
            at: role
            for at, (name, role) in enumerate(zip(names, roles, strict=True))
            if name not in kept and (name in told or role in {"aggregate", "made", SETTLED})
        }
        return {
            names[row.place]: RoleColumn(names[row.place], "aggregate", row.what)
            for row in made_of_others(names, self.values[:, places].T, called)
            if row.sure and names[row.place] not in kept
        }

    def made_around(
        self, told: Mapping[str, RoleColumn], kept: Iterable[str], around: Mapping[str, Floats]
    ) -> dict[str, RoleColumn]:
        """Return the columns that others make with those that somebody left out."""
        if not around:
            return {}
        values = np.column_stack([*around.values()])
        wider = _Numbers([*around], values, self.along, roles_among([*around]))
        return {name: column for name, column in wider.made(told, kept).items() if name in self.names}

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
        dates = (low <= high) & (low >= _EPOCHS[0]) & (high <= np.where(all_whole, _EPOCHS[1], _SECONDS))
        years = all_whole & (low <= high) & (low >= _YEARS[0]) & (high <= _YEARS[1])
        years &= np.max(high[~years], initial=0) < _YEARS[0] / 2
        counted = all_whole & (np.sort(values, axis=0) == (np.arange(len(values)) + 1)[:, None]).all(axis=0)
        elsewhere = self._elsewhere(values)
        from_zero = all_whole & (values == np.arange(len(values))[:, None]).all(axis=0)
        n_values = np.array([len(np.unique(column)) for column in values.T])
        graded = bool((2 * n_values <= len(values)).any())
        enough = _FEWEST_RANKED if not all_whole.all() else _MOST_GRADES + 1 if graded else np.inf
        numbering = all_whole & (n_values == len(values)) & graded & (self.along == "system")
        for at, name in enumerate(names):
            if years[at] and not years.all():
                columns.append(RoleColumn(name, "time", f"years from {low[at]:g} to {high[at]:g}"))
            elif dates[at] and not dates.all():
                columns.append(RoleColumn(name, "time", "a date in seconds or milliseconds"))
            elif (counted[at] or from_zero[at]) and len(values) >= enough:
                columns.append(RoleColumn(name, "rank", f"the numbers from {int(low[at])} to {int(high[at])}"))
            elif numbering[at] and len(values) >= _FEWEST_RANKED and low[at] > np.delete(high, at).max():
                columns.append(RoleColumn(name, "", f"{_whole(low[at], high[at])}{_APART}", sure=False))
            elif all_whole[at] and elsewhere[at] and not all_whole[~elsewhere].any() and self._varies(values, at):
                apart = _APART if self.along == "system" and n_values[at] == len(values) else ""
                columns.append(RoleColumn(name, "", f"{_whole(low[at], high[at])}{apart}", sure=False))
        told = {column.name for column in columns}
        strange = of_no_system(values) if self.along == "system" else {}
        columns += [RoleColumn(names[at], "", why, sure=False) for at, why in strange.items() if names[at] not in told]
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


def _whole(low: float, high: float) -> str:
    return f"whole numbers from {low:g} to {high:g}"


def of_no_system(values: Floats) -> dict[int, str]:
    """Return the columns beside those of systems that are written otherwise and go with none of them, and why.

    Written otherwise is one of 0 and 1 alone where others hardly have these, or one of rounded numbers that others
    never have, who have two more decimals. A weak system may go with none of the others; it is written as they are.

    Examples
    --------
    >>> exact = np.linspace(0.1, 0.9, 20) ** 3
    >>> of_no_system(np.array([exact, exact**0.5, exact + exact**2 / 7, np.arange(20) % 2]).T)
    {3: 'only 0 and 1, where others have fractions'}
    """
    if values.shape[1] < _FEWEST or len(values) < _FEWEST_WRITTEN or not np.isfinite(values).any(axis=0).all():
        return {}
    n_rows, n_columns = values.shape
    answers, known = np.isin(values, _ANSWERS), np.isfinite(values)
    n_answers = answers.sum(axis=0)
    rarely = (n_answers.sum() - n_answers) / (n_rows * (n_columns - 1)) < _HARDLY_ANY
    both = np.all([(values == answer).any(axis=0) for answer in _ANSWERS], axis=0) & (answers | ~known).all(axis=0)
    marks = dict.fromkeys(np.flatnonzero(both & rarely).tolist(), "only 0 and 1, where others have fractions")
    digits = np.array([rounding(column) or 1.0 for column in values.T])
    second, finest = np.sort(digits)[-2:]
    coarse = (digits > _FINER * np.where(digits == finest, second, finest)) & ~both
    coarse &= digits >= _ROUNDED * np.nanmax(np.abs(values), axis=0)
    rounded = {
        at: "rounded, where others are not, and in no relation to them"
        for at in np.flatnonzero(coarse).tolist()
        if np.isin(values[known[:, at], at], np.delete(values, at, axis=1)).mean() < _HARDLY_ANY
    }
    apart = unrelated(values, surely=False) if rounded else []
    return marks | {at: why for at, why in rounded.items() if at in apart}


def _rise_alike(pairs: Floats) -> bool:
    """Whether the first of two numbers nowhere falls where the second rises."""
    known = pairs[np.isfinite(pairs).all(axis=1)]
    return bool((np.diff(known[np.lexsort(known.T), 0]) >= 0).all())


def _holds(low: Floats, high: Floats, score: Floats) -> bool:
    """Whether scores lie between bounds that are not all the same."""
    return bool(len(low) and (low <= score).all() and (score <= high).all() and (low < high).any())


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


def no_metrics(
    names: Sequence[str],
    values: Floats,
    topics: Sequence[str],
    *,
    systems: Sequence[str] = (),
    kept: Iterable[str] = (),
) -> list[RoleColumn]:
    """Return the columns of a table with a row a system and topic that are no metrics; see `not_scores`."""
    columns = not_scores(names, values, along="cell", kept=kept)
    told = {*(column.name for column in columns), *kept}
    free = [at for at, name in enumerate(names) if name not in told]
    columns += item_constants([names[at] for at in free], values[:, free], topics, marks=len({*systems}) >= _FEWEST)
    told |= {column.name for column in columns}
    free = [at for at, name in enumerate(names) if name not in told]
    return columns + system_constants([names[at] for at in free], values[:, free], systems)


def left_out_columns(columns: Sequence[RoleColumn]) -> list[str]:
    """Return the note on columns that are no scores.

    Examples
    --------
    >>> left_out_columns([RoleColumn("Overall", "aggregate", "the mean of 'a' and 'b'")])
    ["left out column 'Overall', the mean of 'a' and 'b'"]
    """
    if not columns:
        return []
    named: dict[str, list[str]] = {}
    for column in columns:
        named.setdefault(column.why, []).append(repr(column.name))
    described = first_few([f"{first_few(names)}, {why}" for why, names in named.items()], most=8, between="; ")
    return [f"{_LEFT_OUT}{'s' * (len(columns) > 1)} {described}"]


def settings_between(cells_of: Mapping[str, Sequence[str]], systems: Sequence[str]) -> list[str]:
    """Return a note on every version or setting that each system has one of, where these are not the same.

    Examples
    --------
    >>> settings_between({"split": ["dev", "dev", "test"], "run": ["1", "2", "1"]}, ["a", "a", "b"])[0][:64]
    "'split' is not the same for all systems (a: dev, b: test), and a"
    """
    notes = []
    for name, cells in cells_of.items():
        setting_of = dict(zip(systems, cells, strict=True))
        is_one_each = len({*zip(systems, cells, strict=True)}) == len(setting_of)
        if role_of_name(name)[0] == "version" and is_one_each and len({*setting_of.values()}) > 1:
            told = first_few([f"{system}: {setting}" for system, setting in setting_of.items()])
            notes.append(
                f"{name!r} is not the same for all systems ({told}), and a difference between them may be due to that "
                "alone"
            )
    return notes


def but_for_column(notes: Iterable[str], name: str) -> list[str]:
    """Return notes without what `left_out_columns` said of a column, perhaps of a file: it was used after all.

    Examples
    --------
    >>> but_for_column(["a.csv: left out columns 'date', 'remark', words", "left out column 'date', a date"], "date")
    ["a.csv: left out column 'remark', words"]
    """
    kept = []
    for note in notes:
        before, verb, described = note.partition(_LEFT_OUT)
        groups = described.removeprefix("s").strip().split("; ")
        rests = [group.replace(f"{name!r}, ", "", 1) for group in groups]
        others = [rest for rest, group in zip(rests, groups, strict=True) if rest == group or rest[:1] in {"'", '"'}]
        if not verb or others == groups:
            kept.append(note)
        elif others:
            several = len(others) > 1 or len(re.findall(r"['\"], ", others[0])) > 1
            kept.append(f"{before}{verb}{'s' * several} {'; '.join(others)}")
    return kept


def unsure_columns(columns: Sequence[RoleColumn], *, in_memory: bool = False) -> str:
    """Return what to say of columns of whose role names and values say different things, "" where there are none."""
    unsure = [column for column in columns if not column.sure]
    if not unsure:
        return ""
    named = first_few([f"{column.name!r} ({column.why}?)" for column in unsure], most=3)
    ignored = [column.name for column in unsure]
    way = "drop what is none" if in_memory else (f"pass `columns={ {'ignore': ignored}!r}` to leave out what is none")
    name_ids = "call it topic if it names topics" if any(column.why.endswith(_APART) for column in unsure) else ""
    rename = "or rename what is one" if any(column.role for column in unsure) else ""
    every = "pass {'NAME': frame}" if in_memory else "`form='wide'`"
    may_be_systems = any(not column.role or column.role in _OF_SYSTEMS for column in unsure)
    keep = f"or {every} to keep all" if may_be_systems else ""
    ways = ", ".join(filter(None, (name_ids, way, rename, keep)))
    return f"{named} seem{'s' * (len(unsure) == 1)} to be no score; {ways}"
