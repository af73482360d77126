"""What one judge said of the answers of systems: a table of labels or scores, with the answers if they are there."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.base.columns import ITEMS, LABELS, first_called, underscored
from metaeval.base.label_words import folded
from metaeval.base.names import is_number, shortened
from metaeval.base.number_words import GAP_WORDS
from metaeval.io.any_sheets import any_sheet, table_sheet
from metaeval.io.files import read_bytes
from metaeval.io.headers import names_and_rows, place_of
from metaeval.io.sheets import Sheet
from metaeval.io.tables import read_scores
from metaeval.table.roles import SCORES, role_of_name
from metaeval.table.scores import Scores, as_scores

_ANSWERS = ("output", "answer", "response", "completion", "fingerprint", "hash", "output_hash", "answer_hash", "sha256")
_WORDS: Mapping[str, Sequence[str]] = {
    "label": (*LABELS["label"], *SCORES["score"]),
    "system": ITEMS["system"],
    "output": _ANSWERS,
    "topic": LABELS["topic"],
    "item": (*LABELS["item"], *LABELS["asked"], *SCORES["topic"]),
}
_TRUTHS = {"true": "1", "yes": "1", "false": "0", "no": "0"}
_ALL = "all"
"""The system where no column names any."""


def read_judged_answers(
    path: str | os.PathLike[str], columns: Mapping[str, str], *, words: Mapping[str, int | str] | None = None
) -> tuple[Scores, pd.DataFrame | None]:
    """Return the labels or scores of systems by item, and the answers, items in rows and systems in columns.

    Items of one topic are a cluster, and where no column names systems all answers are of one.

    A column of labels or scores may also be called as the judge or system, where it is the only one of numbers that
    nothing else is known of and no column names systems. Without any the file, or folder, holds scores in another form,
    and there are no answers. A column of answers may hold texts or what stands for them, such as a hash. `words` says
    which grades labels in words are; "none" stands for a gap.
    """
    place = os.fspath(path)
    sheet = None if Path(place).is_dir() else any_sheet(read_bytes(place), place)
    answers = None if sheet is None else _in_sheet(sheet, columns, words)
    return (read_scores(place, missing="pairwise", paired=None), None) if answers is None else answers


def judged_answers_in(data: object, name: str) -> tuple[object, pd.DataFrame | None]:
    """Return the labels or scores, and the answers, of a frame as of the file of it; anything else as it is."""
    if not isinstance(data, pd.DataFrame) or data.index.nlevels > 1 or data.columns.nlevels > 1:
        return data, None
    named = data if data.index.name is None else data.reset_index()
    answers = _in_sheet(table_sheet(named.to_csv(index=False).encode(), name), {}, None)
    return (data, None) if answers is None else answers


def _in_sheet(
    sheet: Sheet, columns: Mapping[str, str], words: Mapping[str, int | str] | None
) -> tuple[Scores, pd.DataFrame | None] | None:
    """Return the labels or scores, and the answers, of a table; None where it is a table of scores in another form."""
    names, rows, body = names_and_rows(sheet)
    named = {"item": columns.get("topic"), "label": columns.get("score")} | dict(columns)
    places: dict[str, int | None] = {}
    for role, called in _WORDS.items():
        free = ["" if column in places.values() else name for column, name in enumerate(names)]
        chosen = named.get(role)
        places[role] = first_called(free, called, underscored) if chosen is None else place_of(chosen, names, sheet)
    if places["topic"] is None and places["item"] is None:  # an answer by its name
        places["item"], places["output"] = places["output"], None
    named_by = [column for column in (places["topic"], places["item"]) if column is not None]
    cells = np.array([list(map(str.strip, row)) for row in rows], dtype=object)
    if places["label"] is None and places["system"] is None:
        places["label"] = _only_numbers(names, cells, {*places.values()})
    if places["label"] is None or not named_by:
        return None
    items = pd.Series(["::".join(row) for row in cells[:, named_by]])
    systems = [_ALL] * len(rows) if places["system"] is None else cells[:, places["system"]]
    index = pd.MultiIndex.from_arrays([items, systems], names=["item", "system"])
    if index.duplicated().any():
        row = int(np.argmax(index.duplicated()))
        raise body.error(f"item {shortened(index[row][0])!r} has two labels of {shortened(index[row][1])!r}", row)
    grades = _TRUTHS | {folded(word): "" if grade == "none" else str(grade) for word, grade in (words or {}).items()}
    texts = [grades.get(folded(text), text) for text in cells[:, places["label"]]]
    gaps = [text.casefold() in GAP_WORDS for text in texts]
    wrong = [not (gap or is_number(text)) for text, gap in zip(texts, gaps, strict=True)]
    if any(wrong):
        row = wrong.index(True)
        said = shortened(texts[row])
        raise body.error(f"label {said!r} is no number; write grades or scores, or say which grade (`words`)", row)
    values = pd.Series([np.nan if gap else float(text) for text, gap in zip(texts, gaps, strict=True)], index).unstack()  # noqa: PD010 - gaps stay gaps
    clusters = dict(zip(items, cells[:, named_by[0]], strict=True)) if len(named_by) > 1 else None
    scores = as_scores(
        [values.T.to_numpy()],
        systems=values.columns.tolist(),
        topics=values.index.tolist(),
        metrics=[names[places["label"]]],
        clusters=clusters,
        missing="pairwise",
        fewest=1,
    )
    scores = scores.assign_attrs(topic_word="item")
    if places["output"] is None:
        return scores, None
    outputs = pd.Series(cells[:, places["output"]], index)
    return scores, outputs.where(outputs != "").unstack()  # noqa: PD010 - as above


def _only_numbers(names: Sequence[str], cells: np.ndarray, taken: set[int | None]) -> int | None:
    """Return the only column of numbers of which its name says nothing; None where there are none or several."""
    free = [at for at, name in enumerate(names) if name and at not in taken and not role_of_name(name)[0]]
    numbers = [at for at in free if all(is_number(text) or text.casefold() in GAP_WORDS for text in cells[:, at])]
    return numbers[0] if len(numbers) == 1 else None
