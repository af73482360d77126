"""Answers of Mechanical Turk to a question with options, which come as a column of true and false an option."""

from collections.abc import Sequence
from dataclasses import replace

from metaeval.base.columns import is_answer
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows

_TRUE, _FALSE = "true", "false"


def with_answers_in_one(sheet: Sheet) -> Sheet:
    r"""Return a sheet with a column a question in the place of one an option, where every row ticks one option.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> made = with_answers_in_one(sheet_of(b"id,Answer.fit.no,Answer.fit.yes\nh1,true,false\nh2,false,true\n", "x"))
    >>> list(made.rows())
    [['id', 'Answer.fit'], ['h1', 'no'], ['h2', 'yes']]
    """
    names = header_names(sheet.sample()[0]) if sheet.sample() else []
    questions: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        question, _, option = name.rpartition(".")
        if is_answer(question) and option:
            questions.setdefault(question, []).append(at)
    several = {question: places for question, places in questions.items() if len(places) > 1}
    if not several:
        return sheet
    rows = [*sheet.without_header().numbered()]
    if any(len(cells) != len(names) for _, cells in rows):
        return sheet
    asked = {
        question: places for question, places in several.items() if all(_ticks_one(cells, places) for _, cells in rows)
    }
    left = {at for places in asked.values() for at in places[1:]}
    question_at = {places[0]: question for question, places in asked.items()}

    def with_option(at: int, cells: Sequence[str]) -> str:
        return next(names[option] for option in asked[question_at[at]] if _says(cells[option]) == _TRUE).rpartition(
            "."
        )[2]

    stays = [at for at in range(len(names)) if at not in left]
    header = [question_at.get(at, names[at]) for at in stays]
    told = (
        (line, [with_option(at, cells) if at in question_at else cells[at] for at in stays]) for line, cells in rows
    )
    return replace(sheet_of_rows(sheet.label, header, told), titles=sheet.titles) if asked else sheet


def _ticks_one(cells: Sequence[str], places: Sequence[int]) -> bool:
    ticks = sorted(_says(cells[at]) for at in places)
    return ticks == [*[_FALSE] * (len(places) - 1), _TRUE]


def _says(cell: str) -> str:
    return cell.strip().casefold()
