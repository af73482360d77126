"""Answers to a form that asks the same of several systems in every question, as Google Forms writes its grids."""

import re

from metaeval.base.names import first_few
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows
from metaeval.table.roles import role_of_name

_OF_GRID = re.compile(r"(?P<question>.+?)\s*\[(?P<system>.+)\]")
_FEWEST = 2


def rows_of_form(sheet: Sheet) -> tuple[Sheet, list[str]]:
    r"""Return a row an answer of a form whose columns are called as a question and a system; other sheets as they are.

    Its first column says when somebody filled it, who is a repeat of a score; a question is an item.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> header = b"Timestamp,Q1: fit? [A],Q1: fit? [B],Q2: fit? [A],Q2: fit? [B],Why?\n"
    >>> rows, notes = rows_of_form(sheet_of(header + b"2024-05-01,3,4,1,2,so\n", "x.csv"))
    >>> list(rows.rows())[:3], notes[0].partition(":")[0]
    ([['system', 'item', 'repeat', 'score'], ['A', 'Q1: fit?', '1', '3'], ['B', 'Q1: fit?', '1', '4']], 'columns are called as a question and a system, QUESTION [SYSTEM]')
    """  # noqa: E501 - as it is shown
    names = header_names(next(sheet.rows()))
    matches = {at: match for at, name in enumerate(names) if (match := _OF_GRID.fullmatch(name))}
    questions, systems = ({match[part] for match in matches.values()} for part in ("question", "system"))
    stamped = role_of_name(names[0])[0] == "time"
    if not stamped or min(len(questions), len(systems)) < _FEWEST or len(questions) * len(systems) != len(matches):
        return sheet, []
    answers = [
        (line, [match["system"], match["question"], str(person), cells[at]])
        for person, (line, cells) in enumerate(sheet.without_header().numbered(), start=1)
        for at, match in matches.items()
        if at < len(cells)
    ]
    others = [name for at, name in enumerate(names) if name and at not in matches]
    notes = ["columns are called as a question and a system, QUESTION [SYSTEM]: questions are items, rows are repeats"]
    notes += [f"left out columns that are called otherwise ({first_few(others)})"] if others else []
    return sheet_of_rows(sheet.label, ["system", "item", "repeat", "score"], answers), notes
