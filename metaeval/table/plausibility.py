"""Find summary rows, columns on another scale and outliers in score tables.

Names alone tell little: a topic may be called "sum", a system "oracle". What a name suggests is looked up in the
numbers, and what the numbers alone suggest is told, not taken out.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

import numpy as np
import pandas as pd

from metaeval.base.arrays import Flags, Floats
from metaeval.base.names import count, first_few, is_measure, topic_evidence
from metaeval.base.unit import unit, unit_called
from metaeval.errors import ScoresError
from metaeval.table.array import DIMS, REPEAT, ScoreTable, has_gaps
from metaeval.table.closing_rows import closing_rows
from metaeval.table.derived import rounding
from metaeval.table.evidence import PER_CENT, MadeRow, made_of_others, on_another_scale
from metaeval.table.interval_names import in_series, numbered_form, percentage_of_quantile
from metaeval.table.no_answers import codes_among, minus_ones
from metaeval.table.roles import (
    AVERAGE_HEADS,
    AVERAGES,
    ERRORS,
    LETTERS,
    MADE,
    PERHAPS,
    PERHAPS_SCORES,
    SPREADS,
    SUMMARIES,
    RoleColumn,
    averages_of_categories,
    bare_word,
    ends_as_average,
    falling_among,
    is_error_measure,
    is_of_another_year,
    is_subtotal,
    is_total,
    may_be_no_item,
    ranges_of_scores,
    role_of_name,
    role_of_row,
    roles_beside,
    says_against,
    says_constant,
    says_of,
    word_of,
)
from metaeval.table.unrelated import unrelated

_SHORT = re.compile(r"[A-Za-z][0-9]+")
"""A letter and a number, as questions are called, and quantiles: q10, p25."""
_MOST_QUANTILES, _LETTERS = 5, 2
_COUNTS = frozenset({"n", "rank"})
_MADE = "called as made of the others"
_WEIGHTS = "called as weights of the columns"
_OF_CLASSES = frozenset({"accuracy", "micro_avg", "macro_avg", "weighted_avg", "samples_avg"})
"""Rows of scikit-learn's report of classes that are none, of which some stand together."""
_DIFFERENCES = frozenset(word for word, says in PERHAPS_SCORES["beyond"].items() if says == "a difference of others")
_OF_SYSTEMS = frozenset({"test", "error", "half", "cost"})
"""What rows of a table of systems may be called as that are no items."""
_COMPARE = frozenset({"difference", "test"})
"""Those that compare systems with one of them."""
_MOST_ROWS = 1000
_MOST_COMPARED = 200_000
_RARE = 0.01
_CLEARLY, _SOMEWHAT = 3.5, 0.1
"""Standard errors, as in `unrelated`, and a rank correlation that marks and costs hardly have."""
_FEWEST_TOPICS, _FEWEST_OTHERS = 3, 2
_SURE = 2  # of the evidence of names
_FAR = 10
_UNLIKE = 5
_MOST_ITEMS, _ENOUGH_ITEMS = 100, 10
_TRIMMED = 0.005
_SHARED = 0.9
_MOST_OF_VARIANCE = 0.8
_PER_CENTS, _SHARE = 100.0, 0.05
_THOUSAND, _TEN, _CLOSE = 1000.0, 10, 1e-6
_MANY = 1_000_000
"""More scores than these are first looked at by some of them."""
_EMPTY = "empty what is no score, and pass `missing='drop-topics'`"


def are_summaries(topics: Sequence[str]) -> list[bool]:
    """Say which of the names of topics are those of averages and spreads; where topics are numbers, any such word.

    Examples
    --------
    >>> are_summaries(["301", "302", "Mean", "max"]), are_summaries(["sum", "translate", "std"])
    ([False, False, True, True], [False, False, True])
    >>> are_summaries(["q1", "q2", "q3", "25%", "Q3", "Ziel"]), are_summaries(["7", "10", "301", "q10"])
    ([False, False, False, True, True, True], [False, False, False, False])
    >>> are_summaries(["q001", "q002", "q025"])
    [False, False, False]
    """
    return [sure or perhaps for sure, perhaps in zip(*_by_name(topics), strict=True)]


def perhaps_items(topics: Sequence[str]) -> list[bool]:
    """Say which names are taken for those of summaries because all others are ids, and could be items otherwise.

    Examples
    --------
    >>> perhaps_items(["301", "302", "Mean", "max", "Zielwert"])
    [False, False, False, True, True]
    """
    return [perhaps and not sure for sure, perhaps in zip(*_by_name(topics), strict=True)]


def _by_name(topics: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Say which names are those of summaries surely, and which perhaps, where the others are ids."""
    words = [_word(name) for name in topics]
    report = _OF_CLASSES if len(_OF_CLASSES.intersection(words)) > 1 else frozenset()
    sure_words, all_words = AVERAGES | SPREADS, AVERAGES | SPREADS | PERHAPS
    bare = [bare_word(name) if _word(name) else "" for name in topics]
    categories = averages_of_categories(topics)
    surely = [
        word in sure_words
        or word in report
        or base in AVERAGES - {"all"}
        or (word not in all_words and name not in categories and role_of_row(word) == "aggregate")
        for name, word, base in zip(topics, words, bare, strict=True)
    ]
    quantiles = quantile_rows(topics)
    perhaps = [
        word in all_words or name in quantiles or (bool(word) and may_be_no_item(name))
        for name, word in zip(topics, words, strict=True)
    ]
    series = in_series(topics, perhaps)
    perhaps = [unsure and name not in series for name, unsure in zip(topics, perhaps, strict=True)]
    if topic_evidence([name for name, unsure in zip(topics, perhaps, strict=True) if not unsure]) < _SURE:
        return surely, [False] * len(topics)
    return surely, perhaps


def quantile_rows(names: Sequence[str]) -> dict[str, float]:
    """Return the percentages of quantiles that few names say, where no other is written like them: Q1 beside q1 to q9.

    A letter and a number alone, q2, is a question; q1 and q3 are ends of one interval.

    Examples
    --------
    >>> quantile_rows([*"abcd", "Q1", "75%", "1. Quartil"]), quantile_rows(["q1", "q2", "q3"])
    ({'Q1': 25.0, '75%': 75.0, '1. Quartil': 25.0}, {})
    >>> quantile_rows(["7", "301", "q2", "12"]), quantile_rows(["7", "301", "q1", "12", "q3"])
    ({}, {'q1': 25.0, 'q3': 75.0})
    """
    told = {
        name: share
        for name in names
        if not name.strip().replace(".", "").isdecimal() and (share := percentage_of_quantile(name)) is not None
    }
    if not told:
        return {}
    forms = Counter(map(numbered_form, names))
    n_told = Counter(map(numbered_form, told))
    few = {
        name: share
        for name, share in told.items()
        if forms[form := numbered_form(name)] == n_told[form] <= _MOST_QUANTILES
        and (2 * forms[form] < len(names) or "%" in form)
    }
    if len(names) < len(few) + _FEWEST_TOPICS:
        return {}
    ends = {*few.values()}
    return {
        name: share
        for name, share in few.items()
        if not _SHORT.fullmatch(name.strip()) or (_PER_CENTS - share in ends and len(ends) > 1)
    }


def _word(name: str) -> str:
    """Return a name as the words above are written, nothing for one that begins with a digit, as most of topics do."""
    return "" if name[:1].isdigit() else word_of(name)


def left_out_rows(
    names: Sequence[str], values: Floats, dim: str, *, named: bool = False
) -> tuple[list[int], list[str]]:
    """Return which systems, topics or repeats stay, and say which do not: those that others make, counts and ranks.

    `values` has the shape (name, unit). With `named`, as for repeats, only names that say so are looked at; where all
    other repeats are numbered, the name is enough.

    Examples
    --------
    >>> values = np.array([[0.31, 0.52, 0.11], [0.42, 0.13, 0.77], [0.365, 0.325, 0.44]])
    >>> left_out_rows(["a", "b", "Mean"], values, "system")
    ([0, 1], ["left out system 'Mean', the mean of 'a', 'b'"])
    >>> left_out_rows(["a", "b", "Chance"], np.array([[0.31, 0.52, 0.11], [0.42, 0.13, 0.77], [0.25] * 3]), "topic")
    ([0, 1], ["left out topic 'Chance', the same for every system"])
    """
    stay = [*range(len(names))]
    named = named or dim == REPEAT
    word = unit().topic if dim == "topic" else dim
    if len(names) > _MOST_ROWS:  # names take long
        closing = [] if named else closing_rows(values)
        out = {row.place: row.what for row in closing if row.sure}
        return [at for at in stay if at not in out], _notes_on_made(names, out, closing, word)
    roles = [role_of_row(name) for name in names]
    series = in_series(names, roles)
    roles = ["" if name in series else role for name, role in zip(names, roles, strict=True)]
    called = _called(names, roles, letters=not named)
    if named and not called and not _COUNTS & {*roles}:
        return stay, []
    counting = [at for at, role in enumerate(roles) if role in _COUNTS and len(names) > 1 and _counts(values, at)]
    out = {at: says_of(roles[at]) for at in counting}
    spreads = {} if named else _spreads(names, values)
    out |= {at: says_of(role) for at, (role, _) in spreads.items()}
    closing = [] if named else closing_rows(values, {*out, *called})
    out |= {row.place: row.what for row in closing if row.sure}
    if dim == "system":
        out |= {at: _WEIGHTS for at, role in enumerate(roles) if role == "weight" and len(names) > 1}
    if dim == "topic" and not named:
        out |= _of_items(names, values, roles, out)
    left = [at for at in stay if at not in out]
    made = made_of_others(
        [names[at] for at in left], values[left], {left.index(at): role for at, role in called.items() if at in left}
    )
    out |= {left[row.place]: row.what for row in made if row.sure and (not named or left[row.place] in called)}
    if dim == REPEAT and topic_evidence([names[at] for at in left if at not in called]):
        out |= {at: says_of(role) if role in SUMMARIES else _MADE for at, role in called.items() if at not in out}
    same = _same_for_all(values) if dim == "topic" and not named else []
    out |= {at: "the same for every system" for at in same if at not in out and says_constant(names[at])}
    subtotals = [] if dim != "topic" else [at for at in stay if at not in out and is_subtotal(names[at])]
    out |= _of_subtotals(names, values, subtotals, out)
    open_same = [f"{names[at]!r} ({values[at, 0]:g})" for at in same if at not in out and _is_inside(values, at)]
    open_subtotals = [
        repr(names[at]) for at in subtotals if at not in out and (subtotals[1:] or ends_as_average(names[at]))
    ]
    if dim == "topic":
        told = are_summaries(names)
        said = [at for at, role in called.items() if role == "aggregate" and (told[at] or is_total(names[at]))]
        others = [at for at in stay if at not in {*out, *said}]
        out |= {at: says_of("aggregate") for at in said if at not in out and _is_between(values[at], values[others])}
    wrong = next((at for at in called if dim == "system" and at not in out and is_total(names[at])), None)
    if wrong is not None and len(left) >= _FEWEST_TOPICS:
        raise ScoresError(
            f"{word} {names[wrong]!r} is called as an average of others, and is not theirs; leave it out, or rename it "
            f"if it is a {word}"
        )
    told_made = [*closing, *(row._replace(place=left[row.place]) for row in made if not named)]
    notes = _notes_on_made(names, {at: what for at, what in out.items() if at not in spreads}, told_made, word)
    notes += [_note_on_spreads(names, spreads, word)] if spreads else []
    notes += _notes_on_years(names) if dim == "system" else []
    notes += [] if named else _notes_on_differences([(names[at], roles[at]) for at in stay if at not in out], word)
    if open_subtotals and not named:
        named_so = first_few(open_subtotals)
        notes.append(f"{word}s called as averages count as {word}s: {named_so}; leave out what is none")
    notes += _notes_on_same(open_same, word)
    return [at for at in stay if at not in out], notes


def _called(names: Sequence[str], roles: Sequence[str], *, letters: bool) -> dict[int, str]:
    """Return the rows called as made of others, and the role that their names say; one letter alone may say so."""
    called = {at: role for at, role in enumerate(roles) if role in SUMMARIES}
    called |= {at: "made" for at, name in enumerate(names) if word_of(name) in MADE}
    short = [at for at, name in enumerate(names) if len(name) <= _LETTERS and letters]
    return called | {at: "sd" for at in short if word_of(names[at]) in LETTERS and len(short) == 1}


def _notes_on_made(names: Sequence[str], out: Mapping[int, str], made: Iterable[MadeRow], word: str) -> list[str]:
    """Say which rows are left out and why, and which others may be made of all others."""
    notes = [f"left out {word} {names[at]!r}, {what}" for at, what in sorted(out.items())]
    open_rows = {row.place: row.what for row in made if not row.sure and row.place not in out}
    notes += [f"{word} {names[at]!r} holds {what}; leave it out if it is that" for at, what in open_rows.items()]
    return notes


def _notes_on_differences(named: Iterable[tuple[str, str]], word: str) -> list[str]:
    """Say which names, with the roles that they say, are those of differences."""
    odd = [repr(name) for name, role in named if word_of(name) in _DIFFERENCES or role == "difference"]
    says = f"may be a difference of others, by name, and counts as a {word}; leave out what is none"
    return [f"{first_few(odd)} {says}"] if odd else []


def _notes_on_same(rows: Sequence[str], word: str) -> list[str]:
    says = f"tells nothing of differences and counts in means; leave out what is no {word}"
    return [f"all systems have the same score on {first_few(rows)}, which {says}"] if rows else []


def _of_items(names: Sequence[str], values: Floats, roles: Sequence[str], out: Mapping[int, str]) -> dict[int, str]:
    """Return the rows among items that hold tests, differences, errors or costs of systems, or quantiles of items."""
    items = [at for at, role in enumerate(roles) if role not in _OF_SYSTEMS | _COUNTS]
    others = [at for at in range(len(names)) if at not in {*items, *out}]
    told = {at: says_of(roles[at]) for at in others if _is_of_rest(values[at], values[items], roles[at])}
    told |= _compared_with_one(names, values, [at for at in range(len(names)) if at not in {*out, *told}])
    items = [at for at, role in enumerate(roles) if not role and at not in {*out, *told}]
    return told | _ends_of_items(names, values, items)


def _compared_with_one(names: Sequence[str], values: Floats, rows: Sequence[int]) -> dict[int, str]:
    """Return the rows that compare systems with one of them, by name, or as differences of the means of the others.

    The number of that system itself is 0, or none. A row whose name says nothing is an item where there are few others,
    or where it is written more coarsely than they are.

    Examples
    --------
    >>> rows = np.array([[0.51, 0.2, 0.4], [0.7, 0.4, 0.1], [0.3, 0.63, 0.7], [0.1, 0, -0.01], [0.01, np.nan, 0.04]])
    >>> _compared_with_one(["q1", "q2", "q3", "lead", "p vs b"], rows, range(5))
    {4: 'a result of a test', 3: 'the difference of means from that of one system'}
    """
    called = {at: role_of_name(names[at]) for at in rows}
    compared = {at for at, (role, _) in called.items() if role in _COMPARE or word_of(names[at]) in MADE | _DIFFERENCES}
    items = [at for at in rows if at not in compared]
    against = [at for at in compared if says_against(word_of(names[at]))]
    with np.errstate(over="ignore", invalid="ignore"):
        usual = np.nanmedian(np.abs(values[items])) if against and np.isfinite(values[items]).any() else math.nan
    small = [at for at in against if not (np.abs(values[at]) >= usual / 2).all()]
    told = {at: says_of(called[at][0] or "difference") for at in small}
    n_systems = values.shape[1]
    if min(len(items), n_systems) < _FEWEST_TOPICS:
        return told
    with np.errstate(over="ignore", invalid="ignore"):
        totals, counts = np.nansum(values[items], axis=0), np.isfinite(values[items]).sum(axis=0)
    finest = rounding(values[items])
    for at in (at for at in rows if at not in told):
        row, rounded = values[at], rounding(values[at])
        if at not in compared and (len(items) <= _FEWEST_TOPICS or 0 < finest < rounded):
            continue
        its = np.isfinite(row) * (at not in compared)
        for baseline in np.flatnonzero((row == 0.0) | np.isnan(row)) if rounded else ():
            known = np.isfinite(row) & (np.arange(n_systems) != baseline)
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                means = (totals - np.where(its, row, 0.0)) / (counts - its)
                gains = means - means[baseline]
                relative = [gains / means[baseline] * scale for scale in (1.0, _PER_CENTS)] if means[baseline] else []
                wide = [made for made in (gains, *relative) if np.ptp(made) > _FAR * rounded]
                near = [(np.abs(row - made)[known] <= 2 * rounded).all() for made in wide]
            if known.sum() >= _FEWEST_OTHERS and any(near):
                told[at] = "the difference of means from that of one system"
    return told


def _same_for_all(values: Floats) -> list[int]:
    """Return the rows of one number for several systems, where that is no luck: they seldom have one on the others."""
    alike = (values == values[:, :1]).all(axis=1)
    if values.shape[1] < _FEWEST_TOPICS or not alike.any() or alike.all():
        return []
    ordered = np.sort(values[~alike], axis=1)  # differences of huge scores overflow
    ties = float((ordered[:, 1:] == ordered[:, :-1]).mean())
    luck = len(values) * ties ** (values.shape[1] - 1)
    return np.flatnonzero(alike).tolist() if luck <= _RARE else []


def _is_inside(values: Floats, at: int) -> bool:
    """Whether a row of one number lies between the others': at their ends items are too hard, or too easy, for all."""
    others = np.delete(values, at, axis=0)
    return bool(np.nanmin(others) < values[at, 0] < np.nanmax(others))


def _note_on_spreads(names: Sequence[str], spreads: Mapping[int, tuple[str, int]], word: str) -> str:
    """Say which rows hold the errors of others."""
    kinds = first_few([*dict.fromkeys(says_of(role) for role, _ in spreads.values())], between=" or ")
    listed = first_few([repr(names[at]) for at in sorted(spreads)])
    beside = f"{word} beside it" if len(spreads) == 1 else f"{word} beside each"
    return f"left out {word}{'s' * (len(spreads) > 1)} {listed}, called as {kinds} of the {beside}"


def _notes_on_years(systems: Sequence[str]) -> list[str]:
    """Say which systems, a few of them, are called as results of another year, which may be none beside the others."""
    earlier = [repr(name) for name in systems if is_of_another_year(name)]
    if not 0 < _FEWEST_TOPICS * len(earlier) <= len(systems):
        return []
    called = "is called as a row of another year, and counts as a system"
    if len(earlier) > 1:
        called = "are called as rows of other years, and count as systems"
    return [f"{first_few(earlier)} {called}; leave out what is none"]


def _spreads(names: Sequence[str], values: Floats) -> dict[int, tuple[str, int]]:
    """Return the rows that hold the errors of another, as their name says, and what these are: new std beside new.

    Errors are 0 or more, and no more than half of the scores that they are of.
    """
    row_of = {name: at for at, name in enumerate(names)}
    told: dict[int, tuple[str, int]] = {}
    for name, (role, of) in roles_beside(names).items():
        errors, theirs = values[row_of[name]], values[row_of[of]]
        both_known = np.isfinite(errors) & np.isfinite(theirs)
        if role not in ERRORS or not both_known.any() or (errors[both_known] < 0).any():
            continue
        if 2 * np.median(errors[both_known]) <= np.median(np.abs(theirs[both_known])):
            told[row_of[name]] = (role, row_of[of])
    return told


def _ends_of_items(names: Sequence[str], values: Floats, items: Sequence[int]) -> dict[int, str]:
    """Return the rows called as a quantile or a spread of the items that hold just that, and what they are."""
    quantiles = quantile_rows(names)
    called = [at for at, name in enumerate(names) if name in quantiles or role_of_row(name) == "range"]
    called = [at for at in called if not _are_whole(values[at])]  # luck makes few levels
    scores = values[[at for at in items if at not in called]]
    if not called or len(scores) < _FEWEST_TOPICS or not np.isfinite(scores).any(axis=0).all():
        return {}
    made: dict[int, str] = {}
    for at in called:
        numbers, share = values[at], quantiles.get(names[at])
        shares = [share] if share is not None else [25.0, 75.0, 50.0]
        ways = {f"the {end:g} % quantile of the others": np.nanpercentile(scores, end, axis=0) for end in shares}
        ways["the range of the others"] = np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0)
        ways["the distance of the quartiles of the others"] = np.subtract(*np.nanpercentile(scores, [75, 25], axis=0))
        near = rounding(numbers[np.isfinite(numbers)]) + _CLOSE
        fits = [
            words
            for words, made_so in ways.items()
            if np.isfinite(numbers).all() and (abs(numbers - made_so) <= near).all()
        ]
        made |= {at: fits[0]} if fits else {}
    return made


def _of_blocks(values: Floats, called: Sequence[int]) -> dict[int, str]:
    """Return which of the rows called as averages or sums are those of all rows above or below, up to the next of them.

    Examples
    --------
    >>> values = np.array([[0.2, 0.3], [0.4, 0.6], [0.3, 0.45], [0.5, 0.1], [0.7, 0.3], [0.6, 0.2]])
    >>> _of_blocks(values, [2, 5])
    {2: 'mean of the 2 rows', 5: 'mean of the 2 rows'}
    """
    made: dict[int, str] = {}
    ends = [-1, *called, len(values)]
    for before, at, after in zip(ends[:-2], called, ends[2:], strict=True):
        row = values[at]
        known = np.isfinite(row)
        for block in (values[before + 1 : at][:, known], values[at + 1 : after][:, known]):
            few = len(block) < (1 if len(called) > 1 else _FEWEST_TOPICS) or known.sum() < min(_FEWEST_OTHERS, len(row))
            if few or np.isnan(block).all(axis=0).any():
                continue
            near = rounding(row[known]) + 1e-9 * float(np.abs(row[known]).max())
            for what, total in (("mean", np.nanmean(block, axis=0)), ("sum", np.nansum(block, axis=0))):
                if at not in made and (np.abs(row[known] - total) <= near + rounding(block.ravel())).all():
                    made[at] = f"{what} of the {count(len(block), 'row')}"
    return made


def _of_subtotals(
    names: Sequence[str], values: Floats, called: Sequence[int], out: Mapping[int, str]
) -> dict[int, str]:
    """Return which of the rows called as averages or sums of some are those of rows beside them, or of a kind."""
    beside = {at: f"the {what} beside it" for at, what in _of_blocks(values, called).items()}
    return beside | _of_kinds(names, values, called, {**out, **beside})


def _of_kinds(names: Sequence[str], values: Floats, called: Sequence[int], out: Mapping[int, str]) -> dict[int, str]:
    """Return which of the rows called as averages of a kind are those of the rows with its word in their names.

    Examples
    --------
    >>> values = np.array([[0.2, 0.3], [0.9, 0.1], [0.4, 0.61], [0.3, 0.45]])
    >>> _of_kinds(["EmailClassification", "MSMARCO", "NewsClassification", "Classification (mean)"], values, [3], {})
    {3: "the mean of the 2 rows with 'classification' in their names"}
    """
    made: dict[int, str] = {}
    singles = [at for at in range(len(names)) if at not in {*called, *out}]
    for at in (at for at in called if at not in out):
        kind = "_".join(word for word in word_of(names[at]).split("_") if word not in AVERAGE_HEADS)
        alike = [single for single in singles if kind and kind in word_of(names[single])]
        if len(alike) < _FEWEST_OTHERS:
            continue
        row, means = values[at], values[alike].mean(axis=0)
        near = rounding(row) + rounding(values[alike].ravel())
        if np.isfinite(row - means).all() and (np.abs(row - means) <= near).all():
            made[at] = f"the mean of the {count(len(alike), 'row')} with {kind!r} in their names"
    return made


def _is_between(own: Floats, rest: Floats) -> bool:
    """Whether a row lies between the least and the largest of several others everywhere, as an average does."""
    if len(rest) < _FEWEST_OTHERS or np.isnan(own).all() or np.isnan(rest).all(axis=0).any():
        return False
    finite = ~np.isnan(own)
    return bool(((np.nanmin(rest, axis=0) <= own) & (own <= np.nanmax(rest, axis=0)))[finite].all())


def _is_of_rest(own: Floats, items: Floats, role: str) -> bool:
    """Whether a row called as a test, an error or a cost of systems holds what such a row would, and no item's scores.

    P values are shares, a standard error is no more than the spread of the items, and costs lie beyond all scores.
    """
    if len(items) < _FEWEST_TOPICS or not np.isfinite(own).all() or not np.isfinite(items).any(axis=0).all():
        return False
    if role == "cost":
        return bool(own.min() > np.nanmax(items) and not _are_whole(items))
    highest = np.nanstd(items, axis=0) if role in {"error", "half"} else 1.0
    return role in _OF_SYSTEMS and bool((own >= 0).all() and (own <= highest).all())


def _counts(values: Floats, at: int) -> bool:
    """Whether a row holds whole numbers, or none, where the others hold fractions or are all smaller."""
    rest = np.delete(values, at, axis=0)
    larger = bool(np.nanmin(values[at], initial=np.inf) > np.nanmax(rest, initial=-np.inf))
    return _are_whole(values[at]) and (larger or bool((np.isfinite(rest) & (rest != np.rint(rest))).any()))


def item_constants(
    names: Sequence[str], values: Floats, items: Sequence[str], *, marks: bool = False
) -> list[RoleColumn]:
    """Return the columns that hold one number an item, whichever the system, or one in all, beside others that do not.

    `values` has the shape (row, column), and `items` an entry a row. Columns of 0 and 1 may be answers, which all
    systems have right alike, but for `marks`: of several systems, on many items, and both 0 and 1 several times.

    Examples
    --------
    >>> values = np.array([[0.1, 3, 8], [0.2, 5, 8], [0.3, 4, 8], [0.2, 3, 8], [0.3, 5, 8], [0.1, 4, 8]])
    >>> [one.name for one in item_constants(["ndcg", "length", "alpha"], values, [*"xyzxyz"])]
    ['length', 'alpha']
    """
    if not names:
        return []
    _, codes, sizes = np.unique(np.array(items, dtype=np.str_), return_inverse=True, return_counts=True)
    if len(sizes) < _FEWEST_TOPICS or (sizes > 1).mean() < _SHARED:
        return []
    by_item, starts = values[np.argsort(codes, kind="stable")], np.cumsum(sizes) - sizes
    low, high = np.minimum.reduceat(by_item, starts), np.maximum.reduceat(by_item, starts)
    same = (low == high).all(axis=0)
    answers = np.isin(values, (0.0, 1.0)).all(axis=0)  # all systems may have the same ones right
    if same.all():
        return []
    seldom = np.minimum((low == 0).sum(axis=0), (low == 1).sum(axis=0)) < _FEWEST_TOPICS
    open_answers = answers & (seldom if marks and len(sizes) >= _ENOUGH_ITEMS else True)
    same &= ~(open_answers | np.array([is_measure(name) for name in names]))
    whys = np.where(np.ptp(low, axis=0) > 0, "one number an item, whichever the system", "the same number in every row")
    return [
        RoleColumn(name, "weight", str(why)) for name, why, is_same in zip(names, whys, same, strict=True) if is_same
    ]


def system_constants(names: Sequence[str], values: Floats, systems: Sequence[str]) -> list[RoleColumn]:
    """Return the columns that hold one number a system, whatever the item, beside others that vary in every system.

    `values` has the shape (row, column), and `systems` an entry a row.

    Examples
    --------
    >>> rows = np.array([[0.1 * row, row % 2, row // 10] for row in range(30)])
    >>> systems = [str(row // 10) for row in range(30)]
    >>> [one.name for one in system_constants(["ndcg", "correct", "pooled"], rows, systems)]
    ['pooled']
    """
    _, codes, sizes = np.unique(np.array(systems, dtype=np.str_), return_inverse=True, return_counts=True)
    if not names or len(sizes) < _FEWEST_TOPICS or min(sizes) < _ENOUGH_ITEMS:
        return []
    by_system, starts = values[np.argsort(codes, kind="stable")], np.cumsum(sizes) - sizes
    low, high = np.minimum.reduceat(by_system, starts), np.maximum.reduceat(by_system, starts)
    same = (low == high).all(axis=0) & (np.ptp(low, axis=0) > 0)
    if not (low < high).all(axis=0).any():
        return []
    why = "one number a system, whatever the item"
    return [RoleColumn(name, "weight", why) for name, is_same in zip(names, same, strict=True) if is_same]


def odd_notes(table: ScoreTable) -> list[str]:
    """Say what in the scores looks like no score of a system on a topic.

    Notes
    -----
    On another scale, of fewer than half of the systems: half of the scores are off the scale of all other systems,
    which is 0 to 1 or 0 to 100 where these keep to it, and else their range with ten times its width at either end;
    or all are shares where the medians of all others are per cents from 10 on. Far beyond: farther outside the range
    of all but the half per cent of scores at either end than ten times its width. Nothing is left out.
    """
    notes: list[str] = []
    for metric, name in enumerate(table.labels["metric"]):
        scores = table.scores[metric].reshape(len(table.labels["system"]), -1)
        codes = codes_among(scores)
        coded = codes.where(scores)
        if codes.counts:
            others = f"{codes.low:.4g} to {codes.high:.4g}"
            notes.append(f"{_cells(coded, scores, table)} under {name}, where all other scores are {others}; {_EMPTY}")
        notes += _falling_items(table, metric)
        if scores.shape[1] < _FEWEST_TOPICS or np.isnan(scores).all(axis=1).any():
            continue
        if scores.shape[0] <= _FEWEST_OTHERS:  # of two systems neither is the odd one, of their items some may be
            notes += _items_off_scale(table, name, scores) or [*filter(None, [_on_two_scales(table, metric)])]
            notes += [f"{cells} under {name}; {_EMPTY}" for cells in _minus_ones(scores, table) if not coded.any()]
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            elsewhere = on_another_scale(scores)
        systems = [table.labels["system"][index] for index in np.flatnonzero(elsewhere)]
        if systems:
            off_scores, usual_scores = scores[elsewhere], scores[~elsewhere]
            shares = np.nanmax(off_scores) <= 1 and np.nanmin(usual_scores) >= 0
            way = "write all on one scale, or " * bool(shares)
            notes.append(
                f"another scale under {name}: {first_few(systems)} ({np.nanmin(off_scores):.4g} to "
                f"{np.nanmax(off_scores):.4g}; all others {np.nanmin(usual_scores):.4g} to "
                f"{np.nanmax(usual_scores):.4g}); {way}leave out what is no system"
            )
        if apart := _items_off_scale(table, name, scores):
            notes += apart
        elif not systems:
            notes += filter(None, [_on_two_scales(table, metric) or _beyond_shares(scores, table, name)])
        usual = np.where(elsewhere[:, None] | coded, np.nan, scores) if elsewhere.any() or coded.any() else scores
        far = [*_far_cells(usual, table), *_minus_ones(usual, table)]
        notes += [f"{far_cells} under {name}; {_EMPTY}" for far_cells in far]
        notes += _going_with_none(table, name, usual)
        if not (apart or far or systems or coded.any()) and scores.shape[1] == len(table.labels["topic"]):
            notes += [f"under {name}, {item}" for item in filter(None, [widest_item(table.labels["topic"], scores)])]
    names, systems = table.labels["metric"], table.labels["system"]
    if np.nanmax(table.scores, initial=0.0) >= _PER_CENTS:
        rows = (
            (f"system {systems[at]!r} under {names[metric]}", table.scores[metric, at].ravel())
            for metric in range(len(names))
            for at in range(len(systems))
        )
        notes += may_have_thousands(rows)
    return [*notes, *_metrics_of_counts(table)]


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def _rise_together(scores: Floats) -> bool:
    """Whether each system's scores clearly go with the mean of the others, so that ranks need not be looked at."""
    n_systems, n_cells = scores.shape
    standard = (scores - scores.mean(axis=1, keepdims=True)) / scores.std(axis=1, keepdims=True)
    others = (standard.sum(axis=0) - standard) / (n_systems - 1)
    r = (standard * others).mean(axis=1) / others.std(axis=1)
    return bool((np.arctanh(np.clip(r, -1, 1) * (1 - 1e-9)) * np.sqrt(max(n_cells - 3, 0)) > _CLEARLY).all())


def _going_with_none(table: ScoreTable, metric: str, scores: Floats) -> list[str]:
    """Name what does not rise with the other systems over the topics, which rise together: perhaps a mark or a cost."""
    apart = [] if scores.size > _MOST_COMPARED or _rise_together(scores) else unrelated(scores.T)
    apart = [at for at in apart if not _rises_with_some(scores, at)]
    if not apart:
        return []
    named = first_few([table.labels["system"][at] for at in apart], write=repr)
    rises = "rises" if len(apart) == 1 else "rise"
    topics = unit_called(table.attributes.get("topic_word")).topics
    alone = f"{named} {rises} with none of the other systems over the {topics}"
    return [f"under {metric}, {alone}, as a mark, a cost or a failed run would; leave out what is no system"]


@np.errstate(invalid="ignore", divide="ignore")
def _rises_with_some(scores: Floats, at: int) -> bool:
    """Whether a system's scores rise with those of another clearly, or somewhat with those of half of the others."""
    ranks = pd.DataFrame(scores.T).rank()
    together = ranks.drop(columns=at).corrwith(ranks[at]).dropna().to_numpy()
    clearly = np.arctanh(np.clip(together, -1, 1) * (1 - _CLOSE)) * np.sqrt(max(scores.shape[1] - 3, 0))
    return bool(len(together)) and (float(np.median(together)) > _SOMEWHAT or bool((clearly > _CLEARLY).any()))


def _falling_items(table: ScoreTable, metric: int) -> list[str]:
    """Say which items are called as something of which less is better, where the others are not."""
    items, name = table.labels["topic"], table.labels["metric"][metric]
    if not 1 < len(items) <= _MOST_ITEMS or is_error_measure(name):
        return []
    by_item = np.moveaxis(table.scores[metric], 1, 0)
    falling = falling_among(ranges_of_scores(items, by_item))
    of_unit = f"less is better, by name, of {first_few(falling)} among the {unit().topics} under {name}"
    return [f"{of_unit}: means with the others have no direction; leave out what is no score"] if falling else []


def _items_off_scale(table: ScoreTable, metric: str, scores: Floats) -> list[str]:
    """Say which items are on another scale than all others."""
    topics = table.labels["topic"]
    apart = off_scale(topics, scores) if scores.shape[1] == len(topics) else ""
    way = "write all on one scale, or compare systems by z-scores or Borda counts (metaeval agree)"
    return [f"under {metric}, {apart}; {way}"] if apart else []


def may_have_thousands(rows: Iterable[tuple[str, Floats]]) -> list[str]:
    """Say which numbers below 10 may be thousands, whose point divided them: 1.234 beside 987.

    Examples
    --------
    >>> may_have_thousands([("column 'elo'", np.array([1.234, 987.0, 1.1]))])
    ["column 'elo' holds 1.234 beside 987: where a point divides thousands it is 1234, and is to be written so"]
    """
    notes = []
    for what, numbers in rows:
        finite = numbers[np.isfinite(numbers)]
        large = (finite >= _PER_CENTS) & (finite < _THOUSAND) & (finite == np.rint(finite))
        small = finite[~large]
        if not 0 < large.sum() < len(finite) or not np.all((small > 1) & (small < _FAR)):
            continue
        thousands = np.rint(_THOUSAND * small)
        if np.all(np.abs(_THOUSAND * small - thousands) < _CLOSE) and (thousands % _TEN).any():
            at = int(np.argmax(thousands % _TEN > 0))
            notes.append(
                f"{what} holds {small[at]:g} beside {finite[large][0]:g}: where a point divides thousands it is "
                f"{thousands[at]:g}, and is to be written so"
            )
    return notes


def metrics_of_ranks(table: ScoreTable) -> list[str]:
    """Return the metrics under which the scores of every topic, and repeat, are the ranks of the systems, with ties."""
    return [
        name
        for name, scores in zip(table.labels["metric"], table.scores, strict=True)
        if _are_ranks(scores.reshape(len(scores), -1))
    ]


def _are_ranks(scores: Floats) -> bool:
    n_systems, n_cells = scores.shape
    few = n_systems < _FEWEST_TOPICS or n_cells < _FEWEST_TOPICS
    if few or not 1 <= scores.min() < scores.max() <= n_systems or (2 * scores != np.rint(2 * scores)).any():
        return False
    ranks = pd.DataFrame(scores)
    return any((ranks.rank(method=ties).to_numpy() == scores).all() for ties in ("average", "min", "max", "dense"))


def note_on_ranks(metric: str) -> str:
    """Say that scores seem to be ranks, of which nobody said which end is the best."""
    return (
        f"under {metric}, the scores of every {unit().topic} are the ranks of its systems, and higher is taken to be "
        f"better; pass `higher_is_better={ {metric: False}!r}` if 1 is the best"
    )


def _metrics_of_counts(table: ScoreTable) -> list[str]:
    """Say which metrics hold whole numbers beyond 100 where all others keep to it, as tokens and milliseconds do."""
    highest = np.nanmax(table.scores, axis=tuple(range(1, table.scores.ndim)), initial=0.0)
    beyond = np.flatnonzero(highest > _PER_CENTS).tolist()
    if not 0 < len(beyond) < len(highest) or not all(_are_whole(table.scores[at]) for at in beyond):
        return []
    names = first_few([f"{table.labels['metric'][at]} (up to {highest[at]:g})" for at in beyond])
    return [f"whole numbers, where those of all other metrics are at most 100: {names}; leave out what is no score"]


def _are_whole(values: Floats) -> bool:
    return bool((np.isnan(values) | (values == np.rint(values))).all())


def _on_two_scales(table: ScoreTable, metric: int) -> str:
    """Say which items, or systems, have shares from 0 to 1 where all others have per cents, or per cents as these."""
    scores = table.scores[metric]
    end = next((top for top in (1.0, _PER_CENTS) if top < np.nanmax(scores) <= _PER_CENTS * top), None)
    if end is None or np.nanmin(scores) < 0:
        return ""
    for dim in ("topic", "system"):
        names = table.labels[dim]
        values = np.nan_to_num(np.moveaxis(scores, DIMS.index(dim) - 1, 0).reshape(len(names), -1)) / end
        large = values.max(axis=1) > 1
        small = ~large & ((values > 0) & (values < 1)).any(axis=1)
        few_topics = dim == "topic" and 3 * small.sum() < (small | large).sum()  # which may be hard for every system
        if not small.any() or few_topics:
            continue
        finer = rounding(values[small].ravel()) < rounding(values[large].ravel())
        below, above = (float(np.median(own[own > 0])) for own in (values[small], values[large]))
        if below >= (_SHARE if finer else 4 * _SHARE) and above >= PER_CENT and above > _FAR * below:
            few, many = (first_few([*compress(names, kept)]) for kept in (small, large))
            return (
                f"under {table.labels['metric'][metric]}, scores of {few} lie from 0 to {end:g}, and those of {many} "
                f"from 0 to {_PER_CENTS * end:g}; write all on one scale"
            )
    return ""


def off_scale(items: Sequence[str], values: Floats) -> str:
    """Say which items, fewer than half, are on another scale than all others; of two, that they differ in it.

    `values` has the shape (system, item). A million scores and more are not looked at.

    Examples
    --------
    >>> off_scale(["a", "b", "OCR"], np.array([[50.0, 60.0, 700.0], [40.0, 70.0, 600.0], [45.0, 61.0, 650.0]]))
    'OCR (600 to 700) has another scale than all other items (40 to 70) and makes 98 % of the variance between systems'
    """
    if min(len(items), len(values)) < _FEWEST_OTHERS or values.size >= _MANY or np.isnan(values).all(axis=0).any():
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        if len(items) == _FEWEST_OTHERS:
            low, high = sorted(np.nanmedian(np.abs(values), axis=0).tolist())
            elsewhere = np.array([False, high > _UNLIKE * low])
        else:
            elsewhere = on_another_scale(values.T)
    rated = of_ten(values) if not elsewhere.any() else np.zeros_like(elsewhere)
    elsewhere |= rated
    if not elsewhere.any():
        return ""
    names = [item for item, off in zip(items, elsewhere, strict=True) if off]
    off, usual = values[:, elsewhere], values[:, ~elsewhere]
    verb = ("seems to have" if rated.any() else "has") if len(names) == 1 else "seem to have" if rated.any() else "have"
    return (
        f"{first_few(names)} ({np.nanmin(off):.4g} to {np.nanmax(off):.4g}) {verb} another scale than all other items "
        f"({np.nanmin(usual):.4g} to {np.nanmax(usual):.4g}){_share_of_variance(values, elsewhere)}"
    )


def of_ten(values: Floats) -> Flags:
    """Return which items, fewer than half, seem to be rated from 1 to 10 where others are per cents, as MT-Bench is.

    `values` has the shape (system, item). On a hard item all have few per cent too, and differ by larger shares of
    these than elsewhere; ratings differ by smaller ones, or are whole where no other item is.

    Examples
    --------
    >>> of_ten(np.array([[88.7, 92.1, 9.3], [82.0, 93.0, 8.9], [75.2, 74.0, 8.2]]))
    array([False, False,  True])
    >>> of_ten(np.array([[88.7, 92.1, 9.3], [82.0, 93.0, 6.9], [75.2, 74.0, 3.2]]))
    array([False, False, False])
    >>> of_ten(np.array([[88.7, 92.1, 5], [82.0, 93.2, 2], [75.2, 74.1, 1]]))
    array([False, False,  True])
    """
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        middle = np.nanmedian(values, axis=0)
        widths = (high - low) / middle
    rated = (low >= 1) & (high <= _TEN) & (high > 1)
    others = middle[~rated]
    if not rated.any() or 2 * rated.sum() >= len(rated) or high.max() > _PER_CENTS or others.min() < 2 * _TEN:
        return np.zeros_like(rated)
    whole = ((values == np.rint(values)) | np.isnan(values)).all(axis=0)
    return rated & ((widths <= np.median(widths[~rated])) | (whole & ~whole[~rated].any()))


def widest_item(items: Sequence[str], values: Floats) -> str:
    """Say which of four items or more makes nearly all of the variance between systems, where all vary."""
    few = not _FEWEST_TOPICS < len(items) <= _MOST_ITEMS or len(values) < _FEWEST_TOPICS
    if few or np.isnan(values).all(axis=0).any():
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.nanvar(values, axis=0)
        widest = np.arange(len(items)) == np.argmax(spread)
        alone = bool(spread.all() and spread.max() > _MOST_OF_VARIANCE * spread.sum())
    if not alone:
        return ""
    low, high = np.nanmin(values[:, widest]), np.nanmax(values[:, widest])
    say = f"{items[int(np.argmax(widest))]} ({low:.4g} to {high:.4g}) varies far more than all other items"
    return f"{say}{_share_of_variance(values, widest)}; leave it out if it is no score"


def _share_of_variance(values: Floats, chosen: Flags) -> str:
    """Say how much of the variance between systems is that of some items: of the sums of their variances."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.nanvar(values, axis=0)
        share = spread[chosen].sum() / spread.sum()
    return f" and makes {100 * share:.0f} % of the variance between systems" if np.isfinite(share) else ""


def _far_cells(scores: Floats, table: ScoreTable) -> list[str]:
    """Name scores far beyond all others."""
    values = scores[~np.isnan(scores)] if has_gaps(scores) else scores.ravel()
    cut = max(1, round(_TRIMMED * len(values)))
    if len(values) <= 2 * cut or (len(values) > _MANY and _are_near(values, cut)):
        return []
    least, largest = np.partition(values, (cut, len(values) - cut - 1))[[cut, len(values) - cut - 1]]
    if least == largest:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        far = _FAR * (largest - least)
        beyond = (scores < least - far) | (scores > largest + far)
    return [f"far from all other scores: {_cells(beyond, scores, table)}"] if beyond.any() else []


def _beyond_shares(scores: Floats, table: ScoreTable, metric: str) -> str:
    """Name scores above 1 of fewer than half of the systems, where all others lie between 0 and 1."""
    beyond = scores > 1.0
    mixed = beyond.any(axis=1)
    if not mixed.any() or 2 * mixed.sum() >= len(mixed) or np.nanmin(scores) < 0.0 or beyond.sum() < _FEWEST_OTHERS:
        return ""
    cells = _cells(beyond, scores, table)
    return f"above 1 under {metric}, where all other systems have shares: {cells}; write all on one scale"


def _minus_ones(scores: Floats, table: ScoreTable) -> list[str]:
    """Name -1 where others are at least 0."""
    coded = minus_ones(scores) if np.nanmin(scores, initial=0.0) < 0 else np.zeros(0, dtype=bool)
    return [f"-1 where all other scores are at least 0: {_cells(coded, scores, table)}"] if coded.any() else []


def _are_near(values: Floats, cut: int) -> bool:
    """Say whether scores from 0 on are seen to be near each other by two counts, which take less time than two ranks.

    Where more than `cut` scores lie at or beyond either of two bounds, the range of all but these is no narrower.
    """
    low, high = np.quantile(values[:: max(1, len(values) // 10_000)], (0.05, 0.95))
    far = (_FAR - 1) * (high - low)  # one less, for rounding
    inside = values.min() >= max(0.0, low - far) and values.max() <= high + far
    return bool(inside and np.count_nonzero(values <= low) > cut < np.count_nonzero(values >= high))


def _cells(chosen: Flags, scores: Floats, table: ScoreTable) -> str:
    systems, topics = table.labels["system"], table.labels["topic"]
    repeats = scores.shape[1] // len(topics)
    rows = [
        f"{scores[system, at]:g} ({systems[system]!r} on {topics[at // repeats]!r})"
        for system, at in np.argwhere(chosen)
    ]
    return first_few(rows, most=3)
