"""The answer of a command for programs."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from metaeval.base.escaping import visible
from metaeval.base.provenance import Provenance
from metaeval.page.tables import Table

SCHEMA = "metaeval/4"


def json_document(
    command: str,
    rows: pd.DataFrame | Sequence[Mapping[str, object]],
    *,
    provenance: Provenance,
    said: Mapping[str, Sequence[str]],
    tables: Sequence[Table] = (),
) -> str:
    """Return the JSON answer of a command: flat rows and every table, full precision, null for what is undefined."""
    records = _records(rows) if isinstance(rows, pd.DataFrame) else list(rows)
    record = provenance.to_dict()
    document = {
        "schema": SCHEMA,
        "command": command,
        "options": record["options"],
        "results": records,
        "tables": {table.name: table_answer(table) for table in tables},
        **{key: list(words) for key, words in said.items()},
        "provenance": record,
    }
    # where letters may have to be escaped on their way out, JSON's own escapes are the ones that can be read again
    escaped = not (sys.stdout.encoding or "").casefold().startswith("utf")
    return visible(json.dumps(_plain(document), indent=2, ensure_ascii=escaped, allow_nan=False), keep="\n")


def table_answer(table: Table) -> dict[str, object]:
    """Return a table of a page for programs."""
    texts = {name: f"{name}_text" for name in table.frame if f"{name}_sort" in table.frame}
    heads = [
        {"name": texts.get(column.name, column.name), "heading": column.label}
        | ({"group": column.group} if column.group else {})
        for column in table.columns
    ]
    answer: dict[str, object] = {
        "title": table.title,
        "columns": heads,
        "rows": _records(table.frame.rename(columns=texts)),
    }
    if table.data is not None and not _holds(table.frame, table.data):
        answer["data"] = _records(table.data)
    if table.steps is not None:
        answer["steps"] = {
            "what": table.steps.what,
            "at": table.steps.at,
            "rows": {
                str(number): _records(frame.rename(columns=texts)) for number, frame in table.steps.frames.items()
            },
        }
    return answer


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.to_dict("records")


def _holds(frame: pd.DataFrame, data: pd.DataFrame) -> bool:
    """Say whether all that a file of the table holds stands in its page's frame, row by row."""
    if len(frame) != len(data) or not set(data) <= set(frame):
        return False
    return all(_plain(frame[name].tolist()) == _plain(data[name].tolist()) for name in data)


def _plain(value: object) -> object:
    """Turn numpy and pandas values into JSON's own, and what is undefined into null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or value is pd.NA or isinstance(value, str | bool):
        return None if value is pd.NA else value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | bool) else str(value)
