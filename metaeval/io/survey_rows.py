"""Answers to a survey of Qualtrics, Google Forms and others: a row a person, and a column a question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from statistics import median
from typing import NamedTuple

from metaeval.base.columns import JUDGES, LABELS, are_judges, underscored
from metaeval.base.label_words import folded
from metaeval.base.names import count, first_few, is_number
from metaeval.base.number_words import GAP_WORDS
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows
from metaeval.table.roles import SURVEY, part_of_word, role_of_name, word_of

_CODE, _ABOVE = '{"ImportId"', 3
_ABOUT, _WHEN, _OF_PEOPLE = (frozenset(SURVEY[kind]) for kind in ("about", "when", "people"))
_WHO = (*SURVEY["who"], *JUDGES)
_NAMED = frozenset(word for part in ("topic", "item", "asked", "more", "label") for word in LABELS[part])
_BETWEEN = " - "
_MOST_LABELS, _FEWEST = 11, 2
_WIDER = 2.5
"""How many times the usual largest answer of numbers another scale has, such as that of ages."""
_NOTE = "left out lines 2 and 3 of an export of Qualtrics, questions and codes, and columns about the answering"


class _Survey(NamedTuple):
    questions: Sequence[str]
    answers: Sequence[tuple[int | None, str, Sequence[str]]]
    """The line, the person, and what they answered to every question."""
    who: str
    """The column that names the people, "" where they are numbered."""
    when: str
    """A column of dates of answers, "" where there is none."""
    notes: Sequence[str] = ()


def labels_of_survey(sheet: Sheet, *, forms: bool = True) -> Sheet | None:
    r"""Return a row an answer, of an item (the question), a judge (the person) and a label; None for other sheets.

    Without `forms` only for Qualtrics, whose three lines of names nothing else has. Questions about the people, and those whose answers no other question has, as free text, are left out.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> made = labels_of_survey(sheet_of(b"Timestamp,Age,Is A good?,Is B good?\n1/10/2025,30,no,yes\n1/11/2025,40,no,no\n", "x"))
    >>> list(made.rows())[:3]
    [['item', 'judge', 'label'], ['Is A good?', '1', 'no'], ['Is B good?', '1', 'yes']]
    """  # noqa: E501 - as it is read
    survey = _survey_of(sheet) or (_form_of(sheet) if forms else None)
    if survey is None:
        return None
    answers_to = dict(zip(survey.questions, zip(*(row for *_, row in survey.answers), strict=True), strict=False))
    asked = _on_one_scale(answers_to)
    if len(asked) < _FEWEST or len(survey.answers) < _FEWEST:
        return None
    rows = [
        (line, [question, person, answer])
        for line, person, answers in survey.answers
        for question, answer in zip(survey.questions, answers, strict=True)
        if answer and question in asked
    ]
    people = f"named by {survey.who!r}" if survey.who else "numbered"
    told = (
        f"a row is what one person answered: people ({people}) are judges, and {count(len(asked), 'question')} items; "
        f"were a row an item, {survey.who or survey.when!r} would have to be named as the column of items"
    )
    others = [question for question in survey.questions if question not in asked]
    left = [f"left out questions with other answers: {first_few(others)}"] if others else []
    made = sheet_of_rows(sheet.label, ["item", "judge", "label"], rows)
    return replace(made, titles=(*survey.notes, told, *left))


def scores_of_survey(sheet: Sheet) -> tuple[Sheet, list[str]] | None:
    """Return ratings as a row a person and system, or as repeats of an item where several were rated; None for others.

    A question in a grid is called as what was asked and what was rated, ``QUESTION - SYSTEM``.
    """
    survey = _survey_of(sheet)
    if survey is None:
        return None
    pairs = [question.rpartition(_BETWEEN) for question in survey.questions]
    stems = [*dict.fromkeys(stem for stem, _, _ in pairs)]
    systems = {name for _, _, name in pairs}
    if "" in stems or len(stems) * len(systems) != len(pairs) or not _are_ratings(survey):
        return None
    cells = [
        (line, person, stem, system, answer)
        for line, person, answers in survey.answers
        for (stem, _, system), answer in zip(pairs, answers, strict=True)
    ]
    if len(stems) == 1:
        rows = [(line, [system, person, answer]) for line, person, _, system, answer in cells]
        return sheet_of_rows(sheet.label, ["system", "item", "score"], rows), [_NOTE, "who answered is the item"]
    rows = [(line, [system, stem, person, answer]) for line, person, stem, system, answer in cells]
    return sheet_of_rows(sheet.label, ["system", "item", "repeat", "score"], rows), [
        _NOTE,
        "questions are items, and people repeats",
    ]


def _are_ratings(survey: _Survey) -> bool:
    return all(is_number(answer) for _, _, answers in survey.answers for answer in answers if answer)


def _survey_of(sheet: Sheet) -> _Survey | None:
    """Return what stands below the three lines of Qualtrics."""
    head = sheet.sample()[:_ABOVE]
    if len(head) < _ABOVE or not all(cell.strip().startswith(_CODE) for cell in head[-1]):
        return None
    asked = [" ".join(cell.split()) for cell in head[1]]
    survey = _answered(sheet, header_names(head[0]), _ABOVE, asked)
    return None if survey is None or not survey.who else survey._replace(notes=[_NOTE])


def _form_of(sheet: Sheet) -> _Survey | None:
    """Return a table that says when or by whom each row was answered, and names neither items nor systems."""
    names = header_names(next(sheet.rows()))
    words = [word_of(name) for name in names]
    people = {*_WHO} | ({"id"} if {"start_time", "completion_time"} <= {*words} else set())
    if {*words}.isdisjoint(_WHEN | people) or len({*names}) < len(names):
        return None
    others = [name for name, word in zip(names, words, strict=True) if word not in _ABOUT | _WHEN | people]
    if any(underscored(name) in _NAMED or part_of_word(name) is not None for name in others):
        return None
    survey = _answered(sheet, names, 1, names)
    if survey is None or are_judges(survey.questions):
        return None
    of_systems = [not {*word_of(name).split("_")}.isdisjoint(LABELS["more"]) for name in survey.questions]
    return None if all(of_systems) else survey


def _answered(sheet: Sheet, names: Sequence[str], skip: int, asked: Sequence[str]) -> _Survey | None:
    """Return the questions that are none about the people, and what each row answers, below some lines."""
    rows = [
        (line, list(map(str.strip, cells))) for line, cells in [*sheet.numbered()][skip:] if len(cells) == len(names)
    ]
    place_of = {word_of(name): at for at, name in enumerate(names)}
    named = [place_of[word] for word in (*_WHO, "id") if word in place_of]
    who = next((at for at in named if len({cells[at] for _, cells in rows} - {""}) == len(rows)), None)
    if who is None and (_WHEN.isdisjoint(place_of) or not rows):
        return None
    left = {*named, *(place_of[word] for word in _ABOUT | _WHEN if word in place_of)}
    places = [
        at
        for at, name in enumerate(names)
        if name and at not in left and not role_of_name(name)[0] and _OF_PEOPLE.isdisjoint(word_of(name).split("_"))
    ]
    answers = [
        (line, str(number) if who is None else cells[who], [cells[at] for at in places])
        for number, (line, cells) in enumerate(rows, start=1)
    ]
    questions = [asked[at] or names[at] for at in places]
    when = next((name for name in names if word_of(name) in _WHEN), "")
    return _Survey(questions, answers, "" if who is None else names[who], when) if places else None


def _on_one_scale(answers_to: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the most questions that have answers in common, each with another of them; free text has none.

    Examples
    --------
    >>> _on_one_scale({"a": ["yes", "no"], "b": ["no", "no"], "how old": ["31", "40"], "why": ["so", "well"]})
    ['a', 'b']
    """
    texts_of = {name: {folded(answer) for answer in answers} - GAP_WORDS for name, answers in answers_to.items()}
    numbers = {name: {*map(float, texts)} for name, texts in texts_of.items() if texts and all(map(is_number, texts))}
    usual = median(map(max, numbers.values())) if numbers else 0.0
    n_of = Counter(number for answers in numbers.values() for number in answers)
    near = [
        name for name, levels in numbers.items() if max(levels) <= _WIDER * usual or any(n_of[to] > 1 for to in levels)
    ]
    groups = [(set[str](), near)]
    for name, words in texts_of.items():
        if name not in numbers and len(words) <= _MOST_LABELS:
            alike = [group for group in groups if group[0] & words]
            joined = (words.union(*(of for of, _ in alike)), [*chain.from_iterable(names for _, names in alike), name])
            groups = [*(group for group in groups if group not in alike), joined]
    largest = max((names for _, names in groups), key=len)
    return [name for name in answers_to if name in largest]
