"""Labels of people as the programs write them that ask them: Prodigy's answers and Argilla's responses, a row each."""

from collections.abc import Iterator, Mapping, Sequence

from metaeval.io.benchmarks.contents import Json
from metaeval.io.sheets import Sheet, sheet_of_rows

_PRODIGY = {"_task_hash": "item", "_annotator_id": "judge", "answer": "label"}
_ARGILLA = {"responses", "fields", "suggestions"}


def rows_of_annotators(json: Json) -> Sheet | None:
    """Return the answers of Prodigy or Argilla as a table of labels, a row each; None for anything else.

    A model that suggests a label in Argilla is a judge too; of drafts and of those who discarded a record none is read.

    Examples
    --------
    >>> said = {"responses": {"tone": [{"value": 3, "user_id": "ann"}]}, "fields": {}, "suggestions": {}, "id": "7"}
    >>> list(rows_of_annotators(Json("x", [said])).rows())
    [['item', 'judge', 'label'], ['7', 'ann', '3']]
    """
    if json.records and {*_PRODIGY} <= {*json.names}:
        answers = [
            (json.line(at), [str(record.get(name, "")) for name in _PRODIGY]) for at, record in enumerate(json.records)
        ]
        left_out = [name for name in json.names if name not in _PRODIGY]
        return sheet_of_rows(json.label, [*_PRODIGY.values()], answers, left_out=left_out)
    if not json.records or not all({*record} >= _ARGILLA for record in json.records):
        return None
    rows = [(json.line(at), row) for at, record in enumerate(json.records) for row in _of_argilla(record, at)]
    several = len({row[-1] for _, row in rows}) > 1
    names = ["item", "judge", "label", "question"]
    return sheet_of_rows(
        json.label, names if several else names[:-1], [(line, row[: 3 + several]) for line, row in rows]
    )


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
