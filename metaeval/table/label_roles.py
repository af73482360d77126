"""Columns of numbers that are no judge's labels: by what they are called, and by what they hold beside the others."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from metaeval.base.arrays import Floats
from metaeval.base.checks import show
from metaeval.base.columns import LABELS, first_called, underscored
from metaeval.base.label_words import first_far, folded, says_yes_or_no
from metaeval.base.names import comma_list, first_few, is_number
from metaeval.base.notes import MadeJudge
from metaeval.errors import ScoresError
from metaeval.table.derived import Derived, derived_columns
from metaeval.table.no_answers import ABOVE, codes_among
from metaeval.table.plausibility import item_constants
from metaeval.table.roles import (
    BOUNDS,
    FEATURES,
    LABEL_WORDS,
    RoleColumn,
    is_computed,
    part_of_word,
    role_of_name,
    roles_beside,
    says_of,
    word_of,
)
from metaeval.table.unrelated import unrelated

_JUDGES = 2
_MOST_ROWS = 20_000
_NO_JUDGES = frozenset({"score", "weight", "cluster", "stratum", "repeat"})
_OF_OTHERS = frozenset({"max", "min"})
"""What is computed from others, while Max is a judge."""
_LABELS_TOO = frozenset({"aggregate", "target", "judged"})
"""Roles of columns of scores whose words name labels too: a target is a gold label."""
_OF_LABELS = frozenset({"certainty", "flag", "cost", "time", "size"})
_OF_ITEMS = frozenset({"id", "n"})
"""Roles of what tools of annotation export beside labels: who all of several are called so, is none."""
_NUMBERED = re.compile(r"(?P<stem>.*?[^\W_0-9])_?(?P<tail>[0-9]+)")
_CROSSED = 4
_FEW_ROWS = 5
_FEWEST_COPIED = 20
_SELDOM, _USUAL, _ALIKE, _MOST_WORDS = 2, 10, 0.75, 50
"""How often a slip of the pen is made, and the word that was meant; how alike they are; more words are free text."""
_BESIDE = 2
"""Levels by which a judge may go beyond all others: assessors hardly ever give every grade of their scale."""
_MARKS = (0.0, 1.0)
_OTHER_UNIT = 5.0
"""How many times the largest label of all others another unit is above."""
_MOSTLY = 0.95
"""In how large a share of the rows one column says what another becomes."""


class LabelColumns(NamedTuple):
    """What columns of numbers hold, of those that could be labels."""

    judges: list[int]
    """Places of the columns of labels."""
    left: list[RoleColumn]
    """Columns that are no labels."""
    unsure: list[RoleColumn]
    """Columns that may be none; where there are some, somebody has to say who the judges are."""
    made: list[RoleColumn] = []  # noqa: RUF012 - of a tuple, which nobody changes
    """Judges that others make, by no name that says so: a truth that is the majority of people is one."""


def label_columns(
    names: Sequence[str], values: Floats, topics: Sequence[str], *, no_judges: Collection[str] = _NO_JUDGES
) -> LabelColumns:
    """Tell columns of labels from other columns of numbers; `values` has the shape (row, column).

    A column that is called as one of the parts `no_judges` of a table of scores may be none.

    Examples
    --------
    >>> ann, ben, same = [0, 1, 1, 0, 2], [0, 1, 0, 1, 2], [1, 1, 0, 0, 1]
    >>> values = np.array([ann, ben, same, [0.9, 0.8, 0.8, 0.7, 1.0]], dtype=float).T
    >>> found = label_columns(["ann", "ben", "agree", "confidence"], values, [*"11223"])
    >>> found.judges, [(one.name, one.why) for one in found.left]
    ([0, 1], [('agree', "whether 'ann', 'ben' are equal"), ('confidence', 'how sure somebody was')])
    """
    values, topics = values[:_MOST_ROWS], topics[:_MOST_ROWS]
    values = np.column_stack([np.where(codes_among(labels).where(labels), np.nan, labels) for labels in values.T])
    told = {name: column for name in names if (column := _by_name(name, names)) is not None}
    told |= {name: RoleColumn(name, role, f"{says_of(role)} of {of!r}", of=of) for name, (role, of) in _beside(names)}
    rest = [at for at, name in enumerate(names) if name not in told]
    if len(told) == len(names) > 1 and {column.role for column in told.values()} <= _OF_ITEMS:
        return LabelColumns([], [*told.values()], [])
    if len(rest) < _JUDGES:  # a judge may be called so
        return LabelColumns(list(range(len(names))), [], [])
    free = [at for at in rest if not is_computed(names[at])]
    told |= {names[at]: RoleColumn(names[at], "id", "the numbers of the rows") for at in free if _counts(values[:, at])}
    told |= {one.name: one for one in item_constants([names[at] for at in free], values[:, free], topics)}
    rest = [at for at in rest if names[at] not in told]
    near = [at for at in rest if not _other_unit(values, at, rest)]
    derived = {one.name: one for one in derived_columns([names[at] for at in near], values[:, near])}
    made = [RoleColumn(one.name, "aggregate", one.how, of=one.of[0]) for one in derived.values() if one.sure]
    told |= {column.name: column for column in made if is_computed(column.name) or _is_spread(derived[column.name])}
    after = adjudicated(names)  # whoever compares judges leaves these out
    made = [column for column in made if column.name not in told]
    rest = [at for at in rest if names[at] not in told]
    open_to_doubt = [at for at in rest if names[at] not in after]
    doubted = {names[at]: why for at in open_to_doubt if (why := _doubt(names, values, at, rest, no_judges))}
    doubted |= {name: one.how for name, one in derived.items() if not one.sure and name not in after}
    people = [at for at in open_to_doubt if names[at] not in doubted]
    doubted |= {names[people[at]]: why for at, why in _on_scale_of_none(values[:, people]).items()}
    if len(rest) - len(doubted) < _JUDGES:
        doubted = {}
    unsure = [
        RoleColumn(name, "aggregate" if name in derived else "", why, sure=False) for name, why in doubted.items()
    ]
    if len(rest) < _JUDGES:
        return LabelColumns(list(range(len(names))), [], [])
    made = [column for column in made if column.name not in doubted]
    return LabelColumns(rest, [told[name] for name in names if name in told], unsure, made)


def _is_spread(column: Derived) -> bool:
    """Whether a column holds how far apart others are: of two of them, one may be so from the column and the other."""
    of_several = len(column.of) > _JUDGES or role_of_name(column.name)[0] in {"range", "difference"}
    return column.how.startswith("how far apart") and of_several


def doubts_of(columns: Sequence[RoleColumn]) -> str:
    """Return what errors say of columns that may hold no labels.

    Examples
    --------
    >>> doubts_of([RoleColumn("score", "", "numbers with decimals beside whole ones")])
    "columns that may be no labels of judges: 'score' (numbers with decimals beside whole ones)"
    """
    described = first_few([f"{one.name!r} ({one.why})" for one in columns], most=3)
    return f"columns that may be no labels of judges: {described}"


def made_judges(columns: Sequence[RoleColumn]) -> list[str]:
    """Return the note on judges that others make.

    Examples
    --------
    >>> made_judges([RoleColumn("gold", "aggregate", "the majority of 'ann', 'ben', 'cat'")])
    ["judge 'gold' is the majority of 'ann', 'ben', 'cat', and counts as one beside them; leave it out if it is none"]
    """
    way = "and counts as one beside them; leave it out if it is none"
    return [MadeJudge(f"judge {column.name!r} is {column.why}, {way}", column.name) for column in columns]


def beside_judges(table: pd.DataFrame, asked: Collection[str] = ()) -> dict[str, str]:
    """Return the columns that are no further judge beside two others, but for those `asked` for, with the note on each.

    Such are labels that were settled on after the judges had given theirs, by name, and the coarser form of another's:
    called as that with a word more, and said by it in nearly every row.

    Examples
    --------
    >>> labels = pd.DataFrame({"ann": [0, 1, 2], "ben": [0, 1, 1], "gold": [0, 1, 2], "ann_merged": [0, 1, 1]})
    >>> list(beside_judges(labels)), list(beside_judges(labels, ["gold"])), list(beside_judges(labels[["ann", "gold"]]))
    (['ann_merged', 'gold'], ['ann_merged'], [])
    """
    names = list(map(str, table.columns))
    coarser = {name: of for name in names for of in names if _is_coarser(name, of) and _follows(table[name], table[of])}
    out = {
        name: f"column {name!r} is left out: it is a coarser form of {of!r}, and no further judge"
        for name, of in coarser.items()
        if coarser.keys().isdisjoint(asked)
    }
    for name in adjudicated([name for name in names if name not in out]):
        if name not in asked:
            out[name] = (
                f"column {name!r} is left out: by its name it was settled on after the judges, and is no further one; "
                f"compare them with it by `reference={name!r}`"
            )
    return out


def adjudicated(names: Sequence[str]) -> list[str]:
    """Return the columns called as what judges agreed on in the end, where two others or more are not.

    Examples
    --------
    >>> [adjudicated(names) for names in (["Ann", "Ben", "final label"], ["gold", "gpt"], ["a", "b", "final_reviewer"])]
    [['final label'], [], []]
    """
    words = {name: _words_of(name) for name in names}
    settled, labels = LABEL_WORDS["settled"], LABEL_WORDS["called"]
    called = [name for name, said in words.items() if said & settled and said <= settled | labels]
    return called if len(names) - len(called) >= _JUDGES else []


def _words_of(name: str) -> set[str]:
    return {*re.split(r"[\W\d_]+", name.casefold())} - {""}


def _is_coarser(name: str, of: str) -> bool:
    """Whether a name has words for grades put together beside all those of another."""
    more = [*re.split(r"[\W_]+", name.casefold())]
    for word in re.split(r"[\W_]+", of.casefold()):
        if word not in more:
            return False
        more.remove(word)
    return bool(_words_of(" ".join(more))) and _words_of(" ".join(more)) <= LABEL_WORDS["coarser"]


def _follows(labels: "pd.Series[Any]", other: "pd.Series[Any]") -> bool:
    """Whether labels are fewer than another's, and each of those becomes one of them in nearly every row."""
    both = pd.DataFrame({"label": labels.to_numpy(), "other": other.to_numpy()}).dropna()
    if not 1 < both["label"].nunique() < both["other"].nunique():
        return False
    usual = both.groupby("other")["label"].agg(lambda said: said.mode().iloc[0])
    return bool((both["other"].map(usual) == both["label"]).mean() >= _MOSTLY)


def doubtful_labels(table: pd.DataFrame, said: Collection[str] = ()) -> list[str]:
    """Return the notes on labels below 0 or far above all others, but for those said, and on judges who are copies.

    Examples
    --------
    >>> doubtful_labels(pd.DataFrame({"ann": [1.0, -1.0], "ben": [0.0, -1.0]}))
    ["labels of -1 (2) count as grades below 0; if they stand for no label, pass `words={'-1': 'none'}`"]
    >>> doubtful_labels(pd.DataFrame({"ann": [1.0, 0.0, 2.0], "ben": [0.0, 9.0, 1.0]}))[0].partition(";")[0]
    "labels of 9 (1) count as grades far above the others (0 to 2): 9 ('ben' on '1')"
    >>> doubtful_labels(pd.DataFrame({"ann": ["godo", *["good"] * 10]}))[0].partition(";")[0]
    "label 'godo' (1) is written almost as 'good' (10) and counts apart"
    """
    numbers = table.select_dtypes("number").to_numpy(dtype=np.float64)
    levels, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    n_of = {f"{level:g}": int(n) for level, n in zip(levels, counts, strict=True) if f"{level:g}" not in said}
    below = {level: n for level, n in n_of.items() if float(level) < 0}
    notes = [_perhaps_none(below, "below 0", next(reversed(below)))] if below else []
    start = _start_of_far(levels, counts, numbers.shape[1])
    far = {code: n_of[code] for level in levels[start:] if (code := f"{level:g}") in n_of}
    if far:
        others = f"far above the others ({levels[0]:g} to {levels[start - 1]:g})"
        notes.append(_perhaps_none(far, others + _cells(table, levels[start]), f"{levels[-1]:g}"))
    return [*notes, *_zeros_of_one(table, n_of), *_slips(table), *_copies(table)]


def _start_of_far(levels: Floats, counts: NDArray[np.integer], n_judges: int) -> int:
    """Return the place of the first level far above the others, of a code such as 9, or of slips; all where none is."""
    start = first_far(levels)
    if start < len(levels) or len(levels) <= _JUDGES:
        return start
    before = np.maximum(1.0, levels[:-1])
    slips = (levels[1:] > _OTHER_UNIT * before) & (np.cumsum(counts[::-1])[::-1][1:] <= _SELDOM * n_judges)
    if slips.any() and counts.sum() >= _USUAL * n_judges:
        return int(np.argmax(slips)) + 1
    steps = np.diff(levels)
    return start - (levels[-1] in ABOVE and {*steps[:-1].tolist()} == {1.0} and bool(steps[-1] > 1))


def _cells(table: pd.DataFrame, least: float) -> str:
    """Return the labels from a level on, each with its judge and item, where they are few."""
    numbers = table.select_dtypes("number")
    labels = numbers.to_numpy(dtype=np.float64)
    places = np.argwhere(labels >= least).tolist()
    if len(places) > _SELDOM:
        return ""
    listed = []
    for row, judge in places:
        item = numbers.index[row]
        item = " ".join(filter(None, map(str, item))) if isinstance(item, tuple) else str(item)
        listed.append(f"{labels[row, judge]:g} ({numbers.columns[judge]!r} on {item!r})")
    return f": {first_few(listed)}"


def _zeros_of_one(table: pd.DataFrame, n_of: Mapping[str, int]) -> list[str]:
    """Return the note on 0 of one judge alone where all others give grades from 1 on: it may stand for no label."""
    numbers = table.select_dtypes("number")
    givers = [name for name, labels in numbers.items() if (labels == 0).any()]
    if len(givers) != 1 or "0" not in n_of:
        return []
    labels = numbers.drop(columns=givers).to_numpy(dtype=np.float64)
    grades, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
    if counts.sum() < _FEWEST_COPIED or grades[0] != 1 or len(grades) < _FEW_ROWS - 1 or {*np.diff(grades)} != {1.0}:
        return []
    where = f"below those of all others ({grades[0]:g} to {grades[-1]:g}), and {givers[0]!r} alone gives them"
    return [_perhaps_none({"0": n_of["0"]}, where, "0")]


def refuse_codes(table: pd.DataFrame, said: Collection[str] = ()) -> None:
    """Refuse numbers among labels that surely stand for no answer, but for those of which somebody said what they are.

    Examples
    --------
    >>> refuse_codes(pd.DataFrame({"ann": [1, 2, 3, 2, 1, 3, 99]}), said=["99"])
    """
    numbers = table.select_dtypes("number").to_numpy(dtype=np.float64)
    codes = codes_among(numbers, [float(word) for word in said if is_number(word)])
    named, missing = codes.named, [*codes.counts]
    if not missing and "-1" not in said and (minus := _minus_ones_of_one(table)):
        named, missing = minus, [-1.0]
    if missing:
        none, kept = ({f"{code:g}": meaning or int(code) for code in missing} for meaning in ("none", None))
        raise ScoresError(
            f"labels hold {named}, as codes of no answer are; `words={none!r}` leaves them out, and "
            f"`words={kept!r}` counts them as grades"
        )


def _minus_ones_of_one(table: pd.DataFrame) -> str:
    """Say that one judge alone gives -1, of two or more whose other labels are none below 0; "" if not."""
    numbers = table.select_dtypes("number")
    givers = [name for name, labels in numbers.items() if (labels == -1).any()]
    others = numbers.drop(columns=givers).to_numpy(dtype=np.float64)
    below = (numbers < 0) & (numbers != -1)
    if len(givers) != 1 or below.any(axis=None) or np.isfinite(others).sum() < _FEWEST_COPIED:
        return ""
    return f"-1 ({int((numbers[givers[0]] == -1).sum()):,} times), which {givers[0]!r} alone gives"


def _slips(table: pd.DataFrame) -> list[str]:
    """Return the notes on words that hardly anybody gives, written almost as another that many do: godo beside good."""
    texts = table.select_dtypes(exclude="number").to_numpy().ravel()
    n_of = Counter(folded(text) for text in texts if isinstance(text, str) and not is_number(text))
    usual = [word for word, n in n_of.items() if n >= _USUAL]
    close = {
        word: alike[0]
        for word, n in n_of.items()
        if n <= _SELDOM and word.isalpha() and len(usual) <= _MOST_WORDS
        if (alike := get_close_matches(word, usual, n=1, cutoff=_ALIKE)) and not says_yes_or_no([word, *alike])
    }
    return [
        f"label {word!r} ({n_of[word]}) is written almost as {usual_word!r} ({n_of[usual_word]}) and counts apart; "
        f"if it is a slip, mend it where it stands"
        for word, usual_word in close.items()
    ]


def _perhaps_none(n_of: Mapping[str, int], where: str, likely: str) -> str:
    listed = ", ".join(f"{level} ({n:,})" for level, n in n_of.items())
    way = f"if they stand for no label, pass `words={{{likely!r}: 'none'}}`"
    return f"labels of {listed} count as grades {where}; {way}"


def _copies(table: pd.DataFrame) -> list[str]:
    """Return the notes on judges who say of every item the same as another; of few items chance may make them."""
    columns: dict[tuple[object, ...], list[str]] = {}
    settled = adjudicated(list(map(str, table.columns)))
    for name, labels in table.drop(columns=settled).items():
        if len(labels) >= _FEWEST_COPIED and len({*labels.dropna()}) > 1:
            columns.setdefault(tuple(labels.astype(object).where(labels.notna(), None)), []).append(str(name))
    return [
        f"judges {first_few(list(map(repr, names)))} say the same of every item, and count as "
        f"{len(names)}; leave out what is a copy"
        for names in columns.values()
        if len(names) > 1
    ]


def _by_name(name: str, names: Sequence[str]) -> RoleColumn | None:
    """Return what the name of a column says that it is, None for a judge; one of bounds only beside what they bound."""
    role, stem = role_of_name(name)
    if word_of(name) in FEATURES:
        return RoleColumn(name, "weight", "a feature of the items")
    if not role or role in _LABELS_TOO or is_computed(name):
        return None
    if (role in BOUNDS and stem and stem not in map(str.casefold, names)) or role == "range":
        return None
    return RoleColumn(name, role, says_of(role), of=stem)


def _beside(names: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the columns called as a judge's and a word for what is no label, its role and the judge: conf1, A1."""
    beside = {name: told for name, told in roles_beside(names).items() if told[0] in _OF_LABELS}
    yield from beside.items()
    numbered = {name: match for name in names if (match := _NUMBERED.fullmatch(word_of(name)))}
    role_of = {name: role_of_name(match["stem"])[0] for name, match in numbered.items()}
    for name, match in numbered.items():
        judges = [judge for judge in numbered if numbered[judge]["tail"] == match["tail"] and not role_of[judge]]
        if name not in beside and role_of[name] in _OF_LABELS and judges:
            yield name, (role_of[name], judges[0])


def crossed_judges(names: Sequence[str]) -> list[str]:
    """Return the note on columns that are all of some words before all of others, as aspects by raters are.

    Examples
    --------
    >>> crossed_judges(["fluency_A", "fluency_B", "adequacy_A", "adequacy_B"])[0].partition(";")[0]
    'columns are called fluency and adequacy by A and B, and all 4 count as judges of one thing'
    """
    halves = [re.split(r"[\s_.:/-]+", name) for name in names]
    if len(names) < _CROSSED or {*map(len, halves)} != {2}:
        return []
    first, second = ([*dict.fromkeys(half)] for half in zip(*halves, strict=True))
    if len(first) < _JUDGES or len(second) < _JUDGES or len(first) * len(second) != len({*map(tuple, halves)}):
        return []
    of_one = [name for name, (aspect, _) in zip(names, halves, strict=True) if aspect == first[0]]
    way = f"`columns={ {'judge': comma_list(of_one)}!r}`"
    called = f"{first_few(first, between=' and ')} by {first_few(second, between=' and ')}"
    many = f"columns are called {called}, and all {len(names)} count as judges of one thing"
    return [f"{many}; if they judge several, name the columns of one (such as {way})"]


def column_of_items(frame: pd.DataFrame) -> str | None:
    """Return the column that names the items by what it holds, where none is called so; None where none does.

    Of a table with a column a judge it says something else in every row (of a topic), which no other column says; of
    one with columns called as judges and labels no judge has it twice.

    Examples
    --------
    >>> column_of_items(pd.DataFrame({"ticket": ["A1", "A2", "A3"], "ann": [0, 0, 1], "ben": [0, 1, 1]}))
    'ticket'
    """
    names = list(map(str, frame.columns))
    topic, judge, label = (first_called(names, LABELS[role], underscored) for role in ("topic", "judge", "label"))
    cells = frame.set_axis(range(len(names)), axis=1)
    cells = cells.apply(lambda column: column if is_numeric_dtype(column) else column.map(_text, na_action="ignore"))
    of_topic = [] if topic is None else [topic]
    if judge is not None and label is not None:
        free = [at for at in range(len(names)) if at not in {topic, judge, label} and not cells[at].isna().any()]
        named = [at for at in free if not cells.duplicated([*of_topic, at, judge]).any()]
        named = [at for at in named if cells.duplicated([*of_topic, at]).any()]
        if named:
            return names[min(named, key=lambda at: cells[at].nunique())]
        if not _words(cells[judge]).isdisjoint(_words(cells[label])) or all(map(is_number, _words(cells[judge]))):
            return None
        message = (
            f"columns {names[judge]!r} and {names[label]!r} say who gave which label, and no column names the items"
        )
        raise ScoresError(f"{message}, each once a judge; add one called item, or keep one row of a judge and item")
    counting = [at for at in cells.select_dtypes("number") if _counts(cells[at].to_numpy())]
    strange = [at for at in strangers(cells) if at not in {topic, *counting} and not cells[at].isna().any()]
    once = [at for at in strange if not cells.duplicated([*of_topic, at]).any()]
    if topic is None and len(names) == _JUDGES:
        _refuse_one_judge(cells, names)
    return names[once[0]] if once else None


def _refuse_one_judge(cells: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse two columns of which one says something else in every row and nothing that the other says again."""
    n_different = [cells[at].nunique() for at in range(_JUDGES)]
    items = n_different.index(max(n_different))
    apart = _words(cells[0]).isdisjoint(_words(cells[1]))
    if apart and min(n_different) < max(n_different) == len(cells) >= _FEW_ROWS and not is_numeric_dtype(cells[items]):
        message = (
            f"column {names[items]!r} holds another word in every row, as names of items do, so that it is no judge"
        )
        raise ScoresError(f"{message}; agreement needs a second judge beside {names[1 - items]!r}")


def strangers(frame: pd.DataFrame) -> list[int]:
    """Return the places of the columns that hold no word of another, where two or more share words or hold numbers.

    Two words that say no and yes may be a judge's own. Columns of numbers come last, and none beside two of numbers.

    Examples
    --------
    >>> strangers(pd.DataFrame({"ticket": ["A1", "A2", "A3"], "ann": [0, 0, 1], "ben": [0, 1, 1]}))
    [0]
    """
    said = {at: words for at, (_, column) in enumerate(frame.items()) if (words := _words(column))}
    numbers = [at for at, words in said.items() if all(map(is_number, words))]
    n_columns = Counter(word for words in said.values() for word in words)
    alone = [at for at, words in said.items() if all(n_columns[word] == 1 for word in words)]
    texts = [at for at in alone if at not in numbers and not says_yes_or_no(said[at])]
    if len(numbers) >= _JUDGES:
        return texts
    enough = len(said) - len(alone) >= _JUDGES
    return [*texts, *(at for at in numbers if at in alone and len(said[at]) > _JUDGES)] if enough else []


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else show(cell)


def _words(column: "pd.Series[Any]") -> set[str]:
    """Return the words or numbers that a column holds, 1.0 as 1."""
    cells = column.dropna().tolist()
    words = {folded(_text(cell)) for cell in cells} - {""}
    return {f"{float(word):g}" if is_number(word) else word for word in words}


def numbers_the_rows(name: str, numbers: Floats) -> bool:
    """Whether whole numbers count up with the rows, or are each another in a column called as one of items.

    Examples
    --------
    >>> numbers_the_rows("item", np.array([7.0, 3.0])), numbers_the_rows("ann", np.array([1.0, 0.0, 1.0]))
    (True, False)
    """
    return _counts(numbers) or (underscored(name) in LABELS["item"] and len(np.unique(numbers)) == len(numbers))


def _counts(numbers: Floats) -> bool:
    return len(numbers) >= _FEW_ROWS and bool((numbers[1:] == numbers[:-1] + 1).all())


def _doubt(names: Sequence[str], values: Floats, at: int, rest: Sequence[int], no_judges: Collection[str]) -> str:
    """Return why a column may hold no labels, "" where nothing says so."""
    own = values[:, at][~np.isnan(values[:, at])]
    others = values[:, [one for one in rest if one != at]]
    others = others[~np.isnan(others)]
    like = _like_others(own, others)
    if is_computed(names[at]) or names[at] in _OF_OTHERS:
        return "computed from others, by name"
    if part_of_word(names[at]) in (_NO_JUDGES if like else no_judges):
        return "a part of a table of scores, by name"
    whole = (values[:, rest] == np.rint(values[:, rest])) | np.isnan(values[:, rest])
    if not (own == np.rint(own)).all() and whole.all(axis=0).sum() >= _JUDGES:
        return "numbers with decimals beside whole ones"
    return _other_unit(values, at, rest)


def _on_scale_of_none(values: Floats) -> dict[int, str]:
    """Return why columns that go with none of the others, which go together, are on another scale than these.

    A judge who uses some of the grades, or more than all others, is on theirs; 0 and 1 among grades are marks.
    """
    apart = unrelated(values)
    others = [at for at in range(values.shape[1]) if at not in apart]
    low, high = np.nanmin(values, axis=0, initial=np.inf), np.nanmax(values, axis=0, initial=-np.inf)
    least, largest = low[others].min(initial=np.inf), high[others].max(initial=-np.inf)
    graded = all(len(np.unique(values[~np.isnan(values[:, at]), at])) > len(_MARKS) for at in others)
    return {
        at: f"{low[at]:g} to {high[at]:g}, in no agreement with the others' {least:g} to {largest:g}, which agree"
        for at in apart
        if (graded and bool((np.isin(values[:, at], _MARKS) | np.isnan(values[:, at])).all()))
        or low[at] < least <= high[at] < largest
        or least < low[at] <= largest < high[at]
        or high[at] < least
        or low[at] > largest
    }


def _like_others(labels: Floats, others: Floats) -> bool:
    """Say whether labels are such as the others give, or a few levels beside theirs: then llm is a judge."""
    if not len(labels) or not len(others):
        return False
    near = (labels >= others.min() - _BESIDE) & (labels <= others.max() + _BESIDE) & (labels == np.rint(labels))
    return bool((near | np.isin(labels, others)).all())


def _other_unit(values: Floats, at: int, rest: Sequence[int]) -> str:
    """Return why a column is in another unit than the labels of two judges at least, "" where it is not."""
    if len(rest) < _JUDGES:
        return ""
    highest = np.nanmax(np.abs(values), axis=0, initial=0.0)
    largest = float(np.sort(highest[[*rest]])[_JUDGES - 1])
    n_far, n_known = (np.abs(values[:, at]) > _OTHER_UNIT * max(1.0, largest)).sum(), np.isfinite(values[:, at]).sum()
    if not n_far or (n_far <= _SELDOM and n_known >= _USUAL):  # a few are slips, and told as labels far from others
        return ""
    return f"numbers up to {highest[at]:g}, and others are up to {largest:g}"
