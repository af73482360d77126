"""Labels of people as programs write them that ask them, a row each: Prodigy, Argilla, doccano and LightTag."""

from collections.abc import Iterator, Mapping, Sequence

from metaeval.io.benchmarks.contents import Json
from metaeval.io.files import base_name
from metaeval.io.sheets import Sheet, sheet_of_rows

_PRODIGY = ("_task_hash", "_annotator_id", "answer")
_CHOSEN = "accept"
"""Where Prodigy lists the options that were chosen."""
_ARGILLA = {"responses", "fields", "suggestions"}
_LABELS = ["item", "judge", "label"]


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
        return sheet_of_rows(json.label, _LABELS, _of_prodigy(json), left_out=left_out)
    if (labelled := _of_lighttag(json) or _of_doccano(json)) is not None:
        return sheet_of_rows(json.label, _LABELS, labelled)
    if not json.records or not all({*record} >= _ARGILLA for record in json.records):
        return None
    rows = [(json.line(at), row) for at, record in enumerate(json.records) for row in _of_argilla(record, at)]
    several = len({row[-1] for _, row in rows}) > 1
    names = [*_LABELS, "question"][: 3 + several]
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
        for stated in example.get("classifications") or ():
            for judge in stated.get("annotated_by") or ():
                by_judge.setdefault(str(judge.get("annotator")), []).append(str(stated.get("classname")))
        rows += [(None, _row(example.get("example_id", at), judge, labels)) for judge, labels in by_judge.items()]
    return rows or None


def _row(item: object, judge: str, labels: Sequence[str]) -> Sequence[str]:
    return [str(item), judge, ", ".join(sorted(labels))]


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
