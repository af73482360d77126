"""Answers to a survey of Qualtrics: a row a person, below the names of the columns, their questions and their codes."""

from collections.abc import Sequence
from typing import NamedTuple

from metaeval.base.names import is_number
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows

_CODE, _PERSON, _ABOVE = '{"ImportId"', "ResponseId", 3
_ABOUT = frozenset({
    "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished", "RecordedDate",
    "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail", "ExternalReference", "LocationLatitude",
    "LocationLongitude", "DistributionChannel", "UserLanguage",
})  # fmt: skip
_BETWEEN = " - "
_NOTE = "left out lines 2 and 3 of an export of Qualtrics, questions and codes, and columns about the answering"


class _Survey(NamedTuple):
    questions: Sequence[str]
    answers: Sequence[tuple[int | None, str, Sequence[str]]]
    """The line, the person, and what they answered to every question."""


def labels_of_survey(sheet: Sheet) -> Sheet | None:
    r"""Return a row an answer, of an item (the question), a judge (the person) and a label; None for other sheets.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> codes = b'"{""ImportId"": ""r""}","{""ImportId"": ""q""}"'
    >>> made = labels_of_survey(sheet_of(b"ResponseId,Q1\nResponse ID,Which?\n" + codes + b"\nR_1,A\n", "x.csv"))
    >>> list(made.rows())
    [['item', 'judge', 'label'], ['Which?', 'R_1', 'A']]
    """
    survey = _survey_of(sheet)
    if survey is None:
        return None
    rows = [
        (line, [question, person, answer])
        for line, person, answers in survey.answers
        for question, answer in zip(survey.questions, answers, strict=True)
        if answer
    ]
    return sheet_of_rows(sheet.label, ["item", "judge", "label"], rows)


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
    head = sheet.sample()[:_ABOVE]
    if len(head) < _ABOVE or not all(cell.strip().startswith(_CODE) for cell in head[-1]):
        return None
    names, asked = header_names(head[0]), [" ".join(cell.split()) for cell in head[1]]
    places = [at for at, name in enumerate(names) if name not in _ABOUT]
    if _PERSON not in names or not places:
        return None
    rows = [(line, cells) for line, cells in [*sheet.numbered()][_ABOVE:] if len(cells) == len(names)]
    answers = [
        (line if sheet.has_lines else None, cells[names.index(_PERSON)].strip(), [cells[at].strip() for at in places])
        for line, cells in rows
    ]
    return _Survey([asked[at] or names[at] for at in places], answers)
