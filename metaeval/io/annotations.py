"""Labels by annotators in JSON: annotator to item to label, or what tools of annotation export."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.escaping import visible
from metaeval.base.names import count, first_few, is_number, loses_digits, metric_evidence, natural_order, shortened
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.io.benchmarks.contents import Json, read_json
from metaeval.io.benchmarks.formats import format_of
from metaeval.io.benchmarks.wrapped import holds_board, means_alone
from metaeval.io.files import base_name, read_bytes
from metaeval.io.sheets import Sheet, sheet_of_rows

_LARGE, _SPARSE = 10_000_000, 50
_LABELS = ("choices", "rating", "number")
"""Kinds of results of Label Studio that are labels of a whole task."""
_OF_PARTS = frozenset({"start", "x", "points", "rle", "sequence"})
"""Where a label is one of a passage, of a part of a picture or of a film."""


def read_annotations(path: str | os.PathLike[str], *, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    r"""Read labels by annotators from a JSON file: annotator to item to label, or an export of Label Studio.

    Parameters
    ----------
    path : path
        Say ``human_annotations.json`` or ``llm_annotations.json``, packed or not. Of the tasks of Label Studio choices,
        ratings and numbers of whole tasks are labels, but for what was cancelled, or predicted; several choices are
        one, in the order of their names.
    columns : mapping of str to str, optional
        ``{"label": NAME}`` says which of several questions of Label Studio is read, by the name of its control.

    Returns
    -------
    pandas.DataFrame
        Items in rows, in natural order, a column an annotator, NaN where there is no label (null, NaN, or no name); for
        `metaeval.alt_test`. Floats where every label is a number, objects otherwise. ``attrs["notes"]`` says what was
        left out.

    Raises
    ------
    FileFormatError
        If the file is no such JSON, an annotator or a name appears twice, a label is nested, infinite or loses digits,
        tasks ask several things and nobody says which, or nothing is labelled.
    UnknownNameError
        If nothing of this name was asked.

    See Also
    --------
    metaeval.alt_test
    metaeval.read_labels : labels of documents by several judges

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "human_annotations.json")
    ...     _ = path.write_text('{"ann": {"10": 3, "9": 1}, "ben": {"9": 2}}')
    ...     read_annotations(path)
        ann  ben
    9   1.0  2.0
    10  3.0  NaN
    """
    return annotations_of(read_bytes(path), os.fspath(path), columns)


def annotations_of(content: bytes, label: str, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return the labels of a file that was read already; see `read_annotations`."""
    json = read_json(content, label)
    if json is None:
        raise FileFormatError("this is no JSON; labels are an object of annotators, each of items", path=label)
    if columns and (columns.keys() != {"label"} or not holds_tasks(json)):
        raise InvalidOptionError(
            "`columns` names what was asked in tasks of Label Studio ({'label': NAME}); annotators to labels have none"
        )
    return _frame_of(json, (columns or {}).get("label"))


def holds_annotations(content: bytes, label: str) -> bool:
    """Whether a file is an object of annotators, each an object of labels by item.

    Examples
    --------
    >>> holds_annotations(b'{"ann": {"1": "good"}}', "file"), holds_annotations(b'[{"topic": 1, "AP": 0.5}]', "file")
    (True, False)
    """
    json = read_json(content, label)
    if json is not None and holds_tasks(json):
        return True
    if (
        json is None
        or json.lines is not None
        or not json.object
        or format_of(json) is not None
        or holds_board(json.object)
        or means_alone(json)
    ):
        return False
    are_flat = all(
        isinstance(labels, dict) and not any(isinstance(value, dict | list) for value in labels.values())
        for labels in json.object.values()
    )
    measured = {
        name: None
        for labels in json.object.values()
        if are_flat
        for name, value in labels.items()
        if not isinstance(value, bool | None) and is_number(str(value))
    }
    return are_flat and metric_evidence([*measured]) <= 1 and not _are_settings([*json.object.values()])


def _are_settings(objects: Sequence[Mapping[str, object]]) -> bool:
    """Whether each name holds words in all of several objects, or numbers in all, and both kinds are there."""
    kinds = [{isinstance(of[name], str) for of in objects if of.get(name) is not None} for name in objects[0]]
    alike = all(of.keys() == objects[0].keys() for of in objects)
    kinds_held = {*map(frozenset, kinds)} - {frozenset()}
    return len(objects) > 1 and alike and kinds_held == {frozenset({True}), frozenset({False})}


def _frame_of(json: Json, wanted: str | None) -> pd.DataFrame:
    annotators, notes = _by_annotator(json, wanted) if holds_tasks(json) else (json.object, [])
    if json.lines is not None or not annotators:
        json.refuse('labels are one object: {"annotator": {"item": label, …}, …}')
    for name, labels in annotators.items():
        if not name.strip():
            json.refuse("an annotator has no name")
        _refuse_half_letter(json, name, "")
        if not isinstance(labels, dict):
            json.refuse(f"an annotator has an object of items, not {_kind(labels)}", key=_short(name))
    _refuse_odd(json, annotators)
    items = natural_order(dict.fromkeys(item for labels in annotators.values() for item in labels))
    n_labels = sum(map(len, annotators.values()))
    if len(items) * len(annotators) > max(_LARGE, _SPARSE * n_labels):
        json.refuse(
            f"{n_labels} labels cannot fill {len(items)} items x {len(annotators)} annotators; the outer names are "
            "those of annotators"
        )
    index = pd.Index(items, dtype=object)
    table = {name: pd.Series(labels, dtype=object).reindex(index) for name, labels in annotators.items()}
    frame = pd.DataFrame(table, index=index)
    frame = frame.where(frame.notna(), np.nan)
    if not frame.notna().to_numpy().any():
        json.refuse("no annotator labelled anything")
    texts = any(isinstance(label, str) for labels in annotators.values() for label in labels.values())
    frame = frame if texts else frame.astype(np.float64)
    frame.attrs |= {"judges": "known", "notes": notes} if holds_tasks(json) else {}
    return frame


def holds_tasks(json: Json) -> bool:
    """Whether these are tasks of Label Studio, with what annotators stated of each; beside it stand counts and ids.

    Examples
    --------
    >>> holds_tasks(Json("x", [{"id": 7, "annotations": [{"completed_by": 1, "result": []}], "total_annotations": 1}]))
    True
    """
    stated = json.first.get("annotations")
    is_open = isinstance(stated, list) and all(isinstance(by, dict) and "result" in by for by in stated)
    return is_open and bool(stated or "data" in json.first)


def _by_annotator(json: Json, wanted: str | None) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return labels by annotator and task, and notes: of what is wanted, or else of the one thing that was asked."""
    labels: dict[str, dict[str, Any]] = {}
    asked: set[str] = set()
    n_cancelled = 0
    for at, task in enumerate(json.records):
        item = str(task.get("id", at + 1))
        for stated in json.objects(task.get("annotations"), "annotations", at=at):
            by = stated.get("completed_by", "")
            who = str(by.get("email", by.get("id", "")) if isinstance(by, dict) else by)
            n_cancelled += bool(stated.get("was_cancelled"))
            results = json.objects(stated.get("result"), "annotations.result", at=at)
            told = [] if stated.get("was_cancelled") else list(filter(None, map(_label, results)))
            asked |= {name for name, _ in told}
            told = [(name, label) for name, label in told if wanted in {None, name}]
            if told and item in labels.get(who, {}):
                json.refuse(f"annotator {_short(who)!r} labelled task {_short(item)!r} twice; leave one out", at=at)
            if told:
                labels.setdefault(who, {})[item] = told[-1][1]
    if wanted is not None and wanted not in asked:
        raise UnknownNameError("name of what annotators were asked", wanted, sorted(asked))
    if wanted is None and len(asked) > 1:
        first, *_ = sorted(asked)
        json.refuse(
            f"annotators were asked several things ({first_few(sorted(asked))}); say which, such as "
            f"`columns={ {'label': first}!r}`"
        )
    return labels, [f"left out {count(n_cancelled, 'cancelled annotation')}"] if n_cancelled else []


def _label(result: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return what was asked and stated in one result of an annotation; None where that is no label of the task."""
    value = result.get("value")
    if not isinstance(value, dict) or not _OF_PARTS.isdisjoint(value):
        return None
    labels = [value[kind] for kind in _LABELS if kind in value]
    if not labels:
        return None
    stated = labels[0]
    return str(result.get("from_name", "")), ", ".join(sorted(map(str, stated))) if isinstance(stated, list) else stated


def _refuse_odd(json: Json, annotators: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a label that is neither text nor a number, with the annotator and item."""
    for name, labels in annotators.items():
        for item, value in labels.items():
            if not item.strip():
                json.refuse("an item has no name", key=_short(name))
            for text in (item, value):
                _refuse_half_letter(json, text, _short(name))
            rule = "" if value is None or isinstance(value, str) else _odd(value)
            if rule:
                json.refuse(rule, key=f"{_short(name)}.{_short(item)}")


def _refuse_half_letter(json: Json, text: object, key: str) -> None:
    r"""Refuse text with half of a letter (``\ud800`` alone), which no file and no page can hold."""
    if isinstance(text, str) and not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        json.refuse(f"{visible(_short(text))!r} holds half of a letter; write the whole one", key=visible(key))


def _odd(value: object) -> str:
    if not isinstance(value, int | float):
        return f"a label is text or a number, not {_kind(value)}"
    try:
        number = float(value)
    except OverflowError:
        return "a label is a number that a float can hold"
    if math.isinf(number):
        return "a label is finite; write null where there is none"
    if isinstance(value, int) and loses_digits(value, number):
        return "a label has more digits than a float holds; write it as text"
    return ""


def _kind(value: object) -> str:
    return {dict: "an object", list: "a list", str: "text", bool: "true or false"}.get(type(value), "a number")


def _short(name: str) -> str:
    return shortened(name, 40)


# -------------------------------------------------------------------------------------------------------- a row a label


_PRODIGY = ("_task_hash", "_annotator_id", "answer")
_CHOSEN = "accept"
"""Where Prodigy lists the options that were chosen."""
_ARGILLA = {"responses", "fields", "suggestions"}
_GIVEN = ".responses"
_COLUMNS = ["item", "judge", "label"]


def rows_of_annotators(json: Json) -> Sheet | None:
    """Return the answers of such a program as a table of labels, a row each; None for anything else.

    Of choices in Prodigy the label is the option chosen, and of a task that was rejected or ignored there is none. A
    model that suggests a label in Argilla is a judge too; of drafts and of those who discarded a record none is read.
    A file of doccano that names nobody is one annotator's, and called as the file; several classes of an item are one
    label, in the order of their names.

    Examples
    --------
    >>> said = {"responses": {"tone": [{"value": 3, "user_id": "ann"}]}, "fields": {}, "suggestions": {}, "id": "7"}
    >>> list(rows_of_annotators(Json("x", [said])).rows())
    [['item', 'judge', 'label'], ['7', 'ann', '3']]
    """
    if json.records and {*_PRODIGY} <= {*json.names}:
        left_out = [name for name in json.names if name not in {*_PRODIGY, _CHOSEN}]
        return sheet_of_rows(json.label, _COLUMNS, _of_prodigy(json), left_out=left_out)
    if (labelled := _of_lighttag(json) or _of_doccano(json)) is not None:
        return sheet_of_rows(json.label, _COLUMNS, labelled)
    records = [record if {*record} >= _ARGILLA else _with_questions(record) for record in json.records]
    if not records or not all({*record} >= _ARGILLA for record in records):
        return None
    rows = [(json.line(at), row) for at, record in enumerate(records) for row in _of_argilla(record, at)]
    several = len({row[-1] for _, row in rows}) > 1
    names = [*_COLUMNS, "question"][: 3 + several]
    return sheet_of_rows(json.label, names, [(line, row[: len(names)]) for line, row in rows])


def _of_prodigy(json: Json) -> list[tuple[int | None, Sequence[str]]]:
    """Return the options that annotators chose, else whether they accepted the task; nothing of what they ignored."""
    asks_choice = any(isinstance(record.get(_CHOSEN), list) for record in json.records)
    rows = list[tuple[int | None, Sequence[str]]]()
    for at, record in enumerate(json.records):
        item, judge, answer = (str(record.get(name, "")) for name in _PRODIGY)
        chosen = record.get(_CHOSEN) or []
        labels = [answer] * (answer != "ignore") if not asks_choice else chosen * (answer == "accept")
        rows += [(json.line(at), _row(item, judge, [*map(str, labels)]))] if labels else []
    return rows


def _of_doccano(json: Json) -> list[tuple[int | None, Sequence[str]]] | None:
    """Return the classes of texts, which stand in a list of each record, with annotators by number or without."""
    if not json.records or not all({"id", "text"} <= {*record} for record in json.records):
        return None
    rows, alone = list[tuple[int | None, Sequence[str]]](), base_name(json.label)
    for at, record in enumerate(json.records):
        stated_labels = record.get("annotations", record.get("label", record.get("labels")))
        if not isinstance(stated_labels, list):
            return None
        by_judge: dict[str, list[str]] = {}
        for stated in stated_labels:
            label, judge = (stated.get("label"), stated.get("user")) if isinstance(stated, dict) else (stated, alone)
            if not isinstance(label, str | int) or judge is None:
                return None
            is_number_of_class = isinstance(stated, dict) and str(label).isdecimal()  # which orders nothing
            by_judge.setdefault(str(judge), []).append("class " * is_number_of_class + str(label))
        rows += [(json.line(at), _row(record["id"], judge, labels)) for judge, labels in by_judge.items()]
    return rows or None


def _of_lighttag(json: Json) -> list[tuple[int | None, Sequence[str]]] | None:
    """Return the classes of examples by annotator."""
    examples = json.object.get("examples")
    if not isinstance(examples, list) or not all(isinstance(of, dict) and "seen_by" in of for of in examples):
        return None
    rows = list[tuple[int | None, Sequence[str]]]()
    for at, example in enumerate(examples, start=1):
        by_judge: dict[str, list[str]] = {}
        for stated in json.objects(example.get("classifications"), "examples.classifications"):
            for judge in json.objects(stated.get("annotated_by"), "examples.classifications.annotated_by"):
                by_judge.setdefault(str(judge.get("annotator")), []).append(str(stated.get("classname")))
        rows += [(None, _row(example.get("example_id", at), judge, labels)) for judge, labels in by_judge.items()]
    return rows or None


def _row(item: object, judge: str, labels: Sequence[str]) -> Sequence[str]:
    return [str(item), judge, ", ".join(sorted(labels))]


def _with_questions(record: Mapping[str, Any]) -> Mapping[str, object]:
    """Return a record that Argilla wrote flat, QUESTION.responses beside lists of who gave them, as it nests them."""
    given = [name for name in record if name.endswith(_GIVEN) and f"{name}.users" in record]
    beside = [record.get(f"{name}{end}") for name in given for end in ("", ".users", ".status")]
    asked = [name.removesuffix(_GIVEN) for name in given if all(isinstance(held, list | None) for held in beside)]
    if not asked:
        return record
    answers = {
        question: [
            {"value": value, "user_id": user, "status": status}
            for value, user, status in zip(
                record[f"{question}{_GIVEN}"] or (),
                record[f"{question}{_GIVEN}.users"] or (),
                record.get(f"{question}{_GIVEN}.status") or repeat("submitted"),
                strict=False,
            )
        ]
        for question in asked
    }
    suggested = {
        question: {"value": record.get(f"{question}.suggestion"), "agent": record.get(f"{question}.suggestion.agent")}
        for question in asked
    }
    return {**record, "fields": {}, "responses": answers, "suggestions": suggested}


def _of_argilla(record: Mapping[str, object], place: int) -> Iterator[Sequence[str]]:
    item = str(record.get("id") or record.get("external_id") or place)
    for part, name in (("responses", "user_id"), ("suggestions", "agent")):
        by_question = record[part]
        for question, said in by_question.items() if isinstance(by_question, dict) else ():
            for answer in said if isinstance(said, list) else [said]:
                if not isinstance(answer, dict) or answer.get("status", "submitted") != "submitted":
                    continue
                if isinstance(answer.get("value"), str | int | float):
                    yield [item, str(answer.get(name) or part), str(answer["value"]), question]
