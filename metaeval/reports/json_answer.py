"""The answer of a command for programs."""

import json
import math
import sys
from collections.abc import Mapping, Sequence

import pandas as pd

from metaeval.provenance import Provenance
from metaeval.visible import visible

__all__ = ["SCHEMA", "json_document"]

SCHEMA = "metaeval/2"


def json_document(
    command: str,
    rows: pd.DataFrame | Sequence[Mapping[str, object]],
    *,
    provenance: Provenance,
    messages: Sequence[str],
) -> str:
    """Return the JSON answer of a command: flat rows, full precision, null for what is undefined.

    Parameters
    ----------
    command : str
    rows : pandas.DataFrame or sequence of mappings
    provenance : Provenance
    messages : sequence of str
        Warnings given on the way.

    Returns
    -------
    str
    """
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else list(rows)
    record = provenance.to_dict()
    document = {
        "schema": SCHEMA,
        "command": command,
        "options": record["options"],
        "results": records,
        "warnings": list(messages),
        "provenance": record,
    }
    # where letters may have to be escaped on their way out, JSON's own escapes are the ones that can be read again
    escaped = not (sys.stdout.encoding or "").casefold().startswith("utf")
    return visible(json.dumps(_plain(document), indent=2, ensure_ascii=escaped, allow_nan=False), keep="\n")


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
