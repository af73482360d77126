"""Tables that hold no scores of items as they stand: courses of trainings, participants, predictions, and raters."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from metaeval.base.columns import JUDGES, PREDICTIONS, STATES, are_people, underscored
from metaeval.base.names import first_few, is_number, metric_evidence
from metaeval.base.unit import unit
from metaeval.table.roles import SURVEY, part_of_word, role_of_name, word_of

_FEWEST_STATES, _FEWEST_SMOOTH, _SLOW = 3, 8, 0.5
"""Rows of a course, and of one that its numbers alone tell: squares of steps by those of deviations, 2 where rows are
unrelated (von Neumann's ratio)."""
_MEASURED = frozenset({"seed", "cost", "time", "size"})
_NO_NAMES = frozenset({"id", "time", "version", "text"})
_JUDGES = frozenset(JUDGES)
_ABOUT, _WHO = frozenset({*SURVEY["about"], *SURVEY["when"]}), _JUDGES | {*SURVEY["who"]}
_FEW, _MOST_CLASSES, _LONGEST, _MEASURE = 2, 11, 6, 2
_TRUTH, _SURE, _CHANCES, _SAID = (PREDICTIONS[kind] for kind in ("truth", "sure", "chances", "said"))
_OUTCOMES = frozenset({"correct", "is_correct", "hit", "match", "is_match", "passed", "success", "resolved", "solved"})

type Columns = Mapping[str, Sequence[str]]


def may_be_other(names: Sequence[str]) -> bool:
    """Whether names allow a table to be one of these, so that its cells have to tell.

    Examples
    --------
    >>> may_be_other(["topic", "bm25", "lm"]), may_be_other(["epoch", "bert"]), may_be_other(["y_true", "prob"])
    (False, True, True)
    """
    words = [word_of(name) for name in names]
    along = any(word in STATES or role_of_name(name)[0] in _MEASURED for name, word in zip(names, words, strict=True))
    return along or not (_TRUTH | _SURE | _ABOUT).isdisjoint(words) or not _JUDGES.isdisjoint(map(underscored, names))


def no_scores(
    columns: Columns, *, chosen: Mapping[str, str] | None = None, sign: str = "", is_open: bool = False
) -> str:
    """Return why a table holds no scores of items, and what to do; "" for any other.

    `chosen` are columns by the part that somebody gave them; with a `sign` between bare cells filters are told. Where
    nobody said anything of columns and doubles (`is_open`), so are the ways to read what several people rated.

    Examples
    --------
    >>> no_scores({"epoch": ["1", "2", "3"], "acc": [".5", ".6", ".65"]}).partition(",")[0]
    "column 'epoch' orders the states of one course"
    >>> no_scores({"qid": ["1", "2", "3"], "acc": [".5", ".6", ".65"]})
    ''
    """
    named = {name: cells for name, cells in columns.items() if name}
    told = _of_training(named, chosen or {}) or _of_participants(named) or _of_predictions(columns, sign)
    return told or (_of_raters(named) if is_open else "")


def _are_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    return bool(filled) and all(map(is_number, filled))


# ------------------------------------------------------------------------------------------------ courses of trainings


def _of_training(columns: Columns, chosen: Mapping[str, str]) -> str:
    topic = chosen.get("topic")
    if topic is None and any(part_of_word(name) == "topic" for name in columns):
        return ""
    numeric = {name for name, cells in columns.items() if _are_numbers(cells)}
    along = [name for name in columns if name in numeric and (word_of(name) in STATES or _may_be_along(name))]
    named = {column for part, column in chosen.items() if part != "topic"}
    axes = [name for name in along if (name not in named if topic is None else name == topic)]
    keys = [name for name in columns if name not in along and (name in named or _is_key(name))]
    others = [name for name in columns if name not in {*along, *keys}]
    for axis in axes:
        rows: dict[tuple[str, ...], list[int]] = {}
        for at, key in enumerate(zip(*(columns[name] for name in (*keys, axis)), strict=True)):
            rows.setdefault(key[:-1], []).append(at)
        if max(map(len, rows.values())) < _FEWEST_STATES or not all(_rise(columns[axis], at) for at in rows.values()):
            continue
        may_be_items = [name for name in others if name not in numeric and role_of_name(name)[0] not in _NO_NAMES]
        if any(len({columns[name][at] for at in group}) > 1 for name in may_be_items for group in rows.values()):
            continue
        scores = [name for name in others if name in numeric and not role_of_name(name)[0]]
        slow = word_of(axis) in STATES or _are_slow([columns[name] for name in scores], rows.values())
        if scores and slow:
            return (
                f"column {axis!r} orders the states of one course, as of a training, and numbers at them are no sample "
                f"of {unit().topics}: those of one run hang together, so that no test over them holds. Take the last "
                "or the best of each run; of several runs of a system (seeds) give the mean with its standard error "
                "(columns system, mean and stderr) to metaeval leaderboard, or give the scores of every item at one "
                "state; if each row is of an item of its own, call this column item"
            )
    return ""


def _may_be_along(name: str) -> bool:
    return role_of_name(name) in {(role, "") for role in _MEASURED} and part_of_word(name) is None


def _is_key(name: str) -> bool:
    """Whether a column names what has a course of its own, as a system and a seed do."""
    return part_of_word(name) in {"system", "metric", "repeat", "group"} or role_of_name(name)[0] == "seed"


def _rise(cells: Sequence[str], rows: Sequence[int]) -> bool:
    numbers = [float(cells[at]) if cells[at].strip() else np.nan for at in rows]
    return all(first < second for first, second in pairwise(numbers))


def _are_slow(columns: Sequence[Sequence[str]], rows: Iterable[Sequence[int]]) -> bool:
    """Whether the numbers of every column go slowly up or down along the rows of every group."""
    groups = [group for group in rows if len(group) >= _FEWEST_SMOOTH]
    values = [np.array([float(cells[at] or "nan") for at in group]) for cells in columns for group in groups]
    finite = [numbers[np.isfinite(numbers)] for numbers in values]
    steps = [float((np.diff(numbers) ** 2).sum()) for numbers in finite]
    spreads = [float(((numbers - numbers.mean()) ** 2).sum()) if len(numbers) else 0.0 for numbers in finite]
    return bool(finite) and all(step < _SLOW * spread for step, spread in zip(steps, spreads, strict=True))


# -------------------------------------------------------------------------------------------------------- participants


def _of_participants(columns: Columns) -> str:
    parts = {part_of_word(name) for name in columns}
    who = [name for name, cells in columns.items() if underscored(name) in _WHO and len({*cells}) == len(cells) > _FEW]
    about = [name for name in columns if word_of(name) in _ABOUT and name not in who]
    if not who or len(about) < _FEW or not parts.isdisjoint({"system", "topic", "metric", "score"}):
        return ""
    if any(not role_of_name(name)[0] for name in columns.keys() - {*who, *about}):
        return ""  # an answer
    return (
        f"a row is a participant ({who[0]!r}) with what is known of them ({first_few(about, most=4)}), and no column "
        "holds what they judged or what a system scored, so there is nothing to evaluate: give the file of their "
        "answers, with a column that names the participant"
    )


# --------------------------------------------------------------------------------------------------------- predictions


def _of_predictions(columns: Columns, sign: str) -> str:
    words = {name: word_of(name) for name in columns}
    truths = [name for name, word in words.items() if word in _SURE] or [
        name for name, word in words.items() if word in _TRUTH
    ]
    scored = any(
        part_of_word(name) == "score" or metric_evidence([name]) == _MEASURE or words[name] in _OUTCOMES
        for name in columns
    )
    if len(truths) != 1 or scored:
        return ""
    truth = truths[0]
    ways = {name: way for name in columns if name != truth and (way := _way_of(name, columns, truth))}
    if not ways:
        return ""
    names = first_few([*map(repr, ways)], most=3)
    beside = f"{names} {'is a prediction' if len(ways) == 1 else 'are predictions'} beside the truth in {truth!r}"
    gives = "1 where it is right, else 0"
    gives = "minus its distance from the truth" if "-" in "".join(ways.values()) else gives
    numbers = all(_are_numbers(columns[name]) for name in ways)
    says = f"{beside}{', and more of them is not better' * numbers}: of each row the score is {gives}"
    if "?" in ways.values():
        return f"{says}; write that in their place, without {truth!r}"
    return f"{says}; write that in their place, without {truth!r}{_filter(columns, truth, ways, sign)}"


def _way_of(name: str, columns: Columns, truth: str) -> str:
    """Return how a prediction $i and the truth $t make a score, "?" where more must be known; "" of other columns."""
    parts = {*word_of(name).split("_")}
    cells, true = columns[name], {*columns[truth]}
    if not parts & (_CHANCES | _SAID):
        return ""
    if not _are_numbers(cells):
        are_classes = parts & _SAID and len(true) <= _MOST_CLASSES and len(true & {*cells}) > 1
        return "($i==$t)" if are_classes else ""
    numbers = np.array([float(cell or "nan") for cell in cells])
    has_fractions = bool((np.nan_to_num(numbers) % 1).any())
    if parts & _CHANCES and has_fractions and np.nanmin(numbers) >= 0 and np.nanmax(numbers) <= 1:
        return "(($i>=.5)==$t)" if true <= {"0", "1", "0.0", "1.0"} else "?" * (word_of(truth) in _SURE)
    if word_of(truth) not in _SURE or not _are_numbers(columns[truth]):
        return ""  # labels, which judges may have given
    if has_fractions or len(true) > _MOST_CLASSES:
        return "($i>$t?$t-$i:$i-$t)"
    return "($i==$t)"


def _filter(columns: Columns, truth: str, ways: Mapping[str, str], sign: str) -> str:
    """Return the filter that does so, of few columns, none of which holds the sign between cells."""
    if not sign or len(ways) > _LONGEST or any(sign in cell for cells in columns.values() for cell in cells):
        return ""
    place_of = {name: f"${at}" for at, name in enumerate(columns, start=1)}
    stay = [name for name in columns if name in ways or part_of_word(name) or role_of_name(name)[0] == "id"]
    heads = ";".join(f'{place_of[name]}="{_without_words(name) or "correct"}"' for name in ways)
    made = [f"{place_of[name]}={way.replace('$i', place_of[name])}" for name, way in ways.items()]
    rows, printed = ";".join(made).replace("$t", place_of[truth]), ",".join(place_of[name] for name in stay)
    sign = {"\t": r"\t"}.get(sign, sign)
    return f""" (awk 'BEGIN{{FS=OFS="{sign}"}}{{sub(/\\r$/,"")}}NR==1{{{heads}}}NR>1{{{rows}}}{{print {printed}}}')"""


def _without_words(name: str) -> str:
    """Return a name without the words that say that it is one of predictions.

    Examples
    --------
    >>> [_without_words(name) for name in ("y_pred_lr", "XGB prob", "prediction")]
    ['lr', 'xgb', '']
    """
    return "_".join(word for word in word_of(name).split("_") if word not in _CHANCES | _SAID | {"y"})


# -------------------------------------------------------------------------------------------------------------- raters


def _of_raters(columns: Columns) -> str:
    """Say what reads scores that several people gave to each of several things on each item, whose column is unknown.

    Who rated is never what is compared.
    """
    judges = [name for name in columns if underscored(name) in _JUDGES]
    if len(judges) != 1 or any(part_of_word(name) in {"system", "metric", "repeat"} for name in columns):
        return ""
    judge = judges[0]
    numeric = [name for name, cells in columns.items() if name != judge and _are_numbers(cells)]
    words = [name for name in columns if name not in {judge, *numeric} and _recur(columns[name])]
    items = [name for name in columns if part_of_word(name) == "topic" and _recur(columns[name])]
    scores = [name for name in numeric if not role_of_name(name)[0] and name not in items]
    if len(items) != 1 or not scores or not _recur(columns[judge]) or not are_people({*columns[judge]}):
        return ""
    item, asked = items[0], {*zip(columns[judge], columns[items[0]], strict=True)}
    if len(asked) == len(columns[judge]):  # a row is what one person said of all systems on an item
        return (
            ""
            if len(scores) < _FEW
            else (
                f"column {judge!r} names who rated, and {item!r} stands in a row for each of them; pass "
                "`duplicates='mean'` for their means"
            )
        )
    systems = [
        name
        for name in words
        if name != item
        and len({*zip(columns[judge], columns[item], columns[name], strict=True)}) == len(columns[judge])
        and len({*zip(columns[item], columns[name], strict=True)}) < len(columns[judge])
    ]
    if not systems or len(scores) > 1:
        return ""
    system = min(systems, key=lambda name: len({*columns[name]}))
    return (
        f"column {judge!r} names who rated, {item!r} what was rated, and {system!r} what distinguishes the ratings by "
        f"one person of one {item!r}; if it names the systems pass "
        f"`columns={ {'system': system, 'repeat': judge}!r}`, which makes ratings by several people "
        "repeats; who rated is never compared as a system"
    )


def _recur(cells: Sequence[str]) -> bool:
    return 1 < len({*cells}) < len(cells)
