"""Labels written as words: which pairs of words say yes and no, and how words become the labels of a scale."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.columns import of_people
from metaeval.base.names import first_few, is_number

COMPARES_JUDGES = "metaeval judges compares judges"
_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_NO_AND_YES = tuple((no, yes) for no, yes in _TABLE["no_and_yes"])
"""Pairs of words that say no and yes."""
_FAR = 2
_SIDE = {word: side for pair in _NO_AND_YES for side, word in enumerate(pair)}
_FAILED = {kind: frozenset(words) for kind, words in _TABLE["failed"].items()}
_ORDERS = tuple(tuple(rung.split("|") for rung in scale.split(" < ")) for scale in _TABLE["orders"])
"""Scales whose words are in order, each by itself, "|" between words of one rung; two say nothing of each other."""


CONTRADICTIONS = ("contradict", "contradicts", "contradicted", "contradiction")
CREDIT: Mapping[str, float] = {
    **dict.fromkeys(("support", "supports", "supported"), 1.0),
    **dict.fromkeys(("partial", "partial_support", "partially_supports"), 0.5),
    **dict.fromkeys(("none", "not_support", "no_support", "not_supported"), 0.0),
    **dict.fromkeys(CONTRADICTIONS, 0.0),
}
"""What each label of a nugget counts, as the tracks have it."""
_NUMBERED = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?) *(?:[-\N{EN DASH}\N{EM DASH}:=.)] *|\()(?=[^\W\d_])(.+)")
_MOST_GRADES = 15


class WordScale(NamedTuple):
    """The labels that words are."""

    codes: dict[str, int]
    """Every word as `folded` writes it, and its label."""
    names: tuple[str, ...]
    """What each label is called, from 0."""
    ordered: bool
    """Whether the labels are no and yes; else they are names in no order."""


def first_far(levels: NDArray[np.floating | np.integer]) -> int:
    """Return the place of the first grade far above steps of 1, as 9 and 99 do for no grade; all where none is.

    Far is more than twice as far as steps go, and one: 0, 1, 3, 7 are grades. `levels` are sorted.

    Examples
    --------
    >>> [first_far(np.array(grades)) for grades in ([0, 1, 2, 3, 9], [0, 1, 3, 99], [0, 1, 3, 7], [0, 10], [])]
    [4, 3, 4, 2, 0]
    """
    steps = np.diff(levels)
    far = (steps > 1) & (levels[:-1] >= 1) & (levels[1:] > _FAR * levels[:-1] + 1)
    return int(np.argmax(far)) + 1 if far.any() and (steps == 1).any() else len(levels)


def folded(word: str) -> str:
    """Return a word as words are compared: without case, and with single blanks.

    Examples
    --------
    >>> folded(" Not  Relevant")
    'not relevant'
    """
    return " ".join(word.split()).casefold()


def says_yes(word: str) -> bool:
    """Return whether a word is that of a pair which says yes, or a label that counts in full.

    Examples
    --------
    >>> says_yes("Right"), says_yes("supports"), says_yes("partly"), says_yes("unsupported")
    (True, True, False, False)
    """
    return _SIDE.get(folded(word)) == 1 or CREDIT.get(folded(word)) == 1


def numbered_words(words: Collection[str]) -> dict[str, str]:
    """Return the number of words that all begin with one, each with its own; nothing where some do not.

    Examples
    --------
    >>> numbered_words(["2 - good", "0: bad"]), numbered_words(["2 - good", "bad"]), numbered_words(["1-2", "2-3"])
    ({'2 - good': '2', '0: bad': '0'}, {}, {})
    """
    matches = {word: _NUMBERED.fullmatch(word) for word in words} if len({*words}) <= _MOST_GRADES else {}
    told = {word: (match[1], folded(match[2].rstrip(")"))) for word, match in matches.items() if match}
    numbers, names = ({*said} for said in zip(*told.values(), strict=True)) if told else (set(), set())
    if len(told) < len(matches) or not len(numbers) == len(names) == len({*told.values()}):
        return {}
    return {word: number for word, (number, _) in told.items()}


def _plain(word: str) -> str:
    return folded(word.replace("_", " ").replace("-", " "))


def says_yes_or_no(words: Iterable[str]) -> bool:
    """Whether words are at most one that says no and one that says yes.

    Examples
    --------
    >>> says_yes_or_no(["Pass", "FAIL", "pass"]), says_yes_or_no(["pass", "yes"]), says_yes_or_no(["cat", "dog"])
    (True, False, False)
    """
    sides = [_SIDE.get(_plain(word)) for word in {folded(word) for word in words}]
    return None not in sides and len({*sides}) == len(sides)


def failures_among(words_of: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Return the words that stand for no label by what they are and who says them, each with the judges who do.

    Examples
    --------
    >>> failures_among({"ann": ["yes", "no"], "bot": ["yes", "no", "parse_error"]})
    {'parse_error': ['bot']}
    >>> failures_among({"ann": ["valid"], "bot": ["valid", "invalid"]})
    {}
    """
    judges_of: dict[str, list[str]] = {}
    for judge, words in words_of.items():
        for word in {folded(word) for word in words}:
            judges_of.setdefault(word, []).append(judge)
    if says_yes_or_no(judges_of) or grades_of(judges_of):
        return {}
    failed = {
        word: judges
        for word, judges in sorted(judges_of.items())
        if (_plain(word) in _FAILED["surely"] and len(judges) < len(words_of))
        or (_plain(word) in _FAILED["perhaps"] and len(judges) == 1 < len(words_of))
    }
    return failed if len(judges_of) - len(failed) > 1 else {}


def note_on_failure(word: str, n: int, judges: Collection[str]) -> str:
    """Return the note on a word that stands for no label.

    Examples
    --------
    >>> note_on_failure("parse_error", 12, ["bot"])
    "no label: parse_error (12), said by bot; if it is one, pass `words={'parse_error': 'label'}`"
    """
    return f"no label: {word} ({n:,}), said by {first_few(judges)}; if it is one, pass `words={ {word: 'label'}!r}`"


def word_scale(words_of: Mapping[str, Sequence[str]]) -> WordScale:
    """Return the labels of words, of which each judge uses some; two judges may say yes and no in words of their own.

    Words of a scale, such as poor, fair and good, stay names until somebody grades them: `grades_of` says how.

    Examples
    --------
    >>> word_scale({"ann": ["pass", "fail"], "bot": ["TRUE", "pass"]})
    WordScale(codes={'fail': 0, 'pass': 1, 'true': 2}, names=('fail', 'pass', 'TRUE'), ordered=False)
    >>> word_scale({"ann": ["pass", "fail"], "bot": ["TRUE"]})
    WordScale(codes={'fail': 0, 'pass': 1, 'true': 1}, names=('fail', 'pass, TRUE'), ordered=True)
    """
    spelt: dict[str, str] = {}
    for words in words_of.values():
        for word in words:
            spelt.setdefault(folded(word), word)
    folded_words = sorted(spelt)
    if not all(map(says_yes_or_no, words_of.values())):
        codes = {word: code for code, word in enumerate(folded_words)}
        return WordScale(codes, tuple(spelt[word] for word in folded_words), ordered=False)
    sides: tuple[list[str], list[str]] = ([], [])
    for word in folded_words:
        sides[_SIDE[_plain(word)]].append(spelt[word])
    return WordScale({word: _SIDE[_plain(word)] for word in folded_words}, tuple(map(", ".join, sides)), ordered=True)


def grades_of(words: Collection[str]) -> dict[str, int]:
    """Return grades of words, from 0, where one scale orders them all; nothing elsewhere.

    Examples
    --------
    >>> grades_of(["Full", "none", "partial"]), grades_of(["full", "none", "refused"])
    ({'none': 0, 'partial': 1, 'full': 2}, {})
    """
    folded_of = {_plain(word): folded(word) for word in words}
    if len(folded_of) < len({*map(folded, words)}) or any(map(is_number, folded_of)):
        return {}
    scales = [*_ORDERS, *(tuple([word] for word in pair) for pair in _NO_AND_YES)]
    by_rung = ([[word for word in rung if word in folded_of] for rung in scale] for scale in scales)
    for used in ([of_rung for of_rung in rungs if of_rung] for rungs in by_rung):
        if all(len(of_rung) == 1 for of_rung in used) and len(used) == len(folded_of):
            return {folded_of[word]: grade for grade, (word,) in enumerate(used)}
    return {}


def said_beside_people(columns: Mapping[str, Iterable[str]], system: str, others: Iterable[str]) -> str:
    """Say that a column called as one of systems (llm) holds words of one scale beside what people said; "" if not.

    Examples
    --------
    >>> said_beside_people({"llm": ["good", "bad"], "human": ["1", "0"]}, "llm", ["human"])
    "column 'llm' holds words of one scale beside 'human', as a judge says them"
    >>> said_beside_people({"llm": ["old", "new"], "human": ["1", "0"]}, "llm", ["human"])
    ''
    """
    people = next(filter(of_people, others), "")
    if not people or len(grades_of({*columns[system]} - {""})) <= 1:
        return ""
    return f"column {system!r} holds words of one scale beside {people!r}, as a judge says them"
