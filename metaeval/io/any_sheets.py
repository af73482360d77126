"""A table, however it is written: text, JSON records or columns, or Parquet. What it holds is told by whoever asks."""

import re
from itertools import repeat

from metaeval.errors import FileFormatError
from metaeval.io.annotations import holds_tasks, rows_of_annotators
from metaeval.io.answer_rows import with_answers_in_one
from metaeval.io.around_tables import without_titles
from metaeval.io.benchmarks.contents import ZIP_MAGIC, Json, read_json
from metaeval.io.benchmarks.formats import format_of
from metaeval.io.benchmarks.rows import records_of_lists
from metaeval.io.numpy_sheets import numpy_sheet
from metaeval.io.parquet_sheets import parquet_sheet
from metaeval.io.sheets import Sheet, sheet_of, sheet_of_rows
from metaeval.io.stored import open_parquet
from metaeval.io.survey_rows import labels_of_survey
from metaeval.io.translation_rows import translation_rows

_LINE_END = re.compile("\r\n?")
_PARQUET = b"PAR1"
_NO_TABLES = (b"\x89HDF\r\n\x1a\n", b"CDF", ZIP_MAGIC)


def any_sheet(content: bytes, label: str, *, forms: bool = False) -> Sheet | None:
    r"""Return the table that a file holds; None for NetCDF, archives, results of a benchmark and other JSON.

    Answers to a survey of Qualtrics are labels, a row each; so are those of any form where `forms` may be labels.

    Examples
    --------
    >>> made = any_sheet(b'{"topic": 7, "ann": true, "asked": {"in": "tr"}}\n{"topic": "1.10", "ann": null}\n', "x")
    >>> list(made.rows()), made.left_out
    ([['topic', 'ann'], ['7', 'true'], ['1.10', '']], ('asked',))
    """
    if content.startswith(_PARQUET):
        return parquet_sheet(open_parquet(content, label), label)
    if (arrays := numpy_sheet(content, label)) is not None or content.startswith(_NO_TABLES):
        return arrays
    json = read_json(content, label, numbers_as_text=True)
    if json is None:
        sheet = sheet_of(content, label)
        translations = translation_rows(sheet)
        return (
            translations[0]
            if translations
            else labels_of_survey(sheet, forms=forms) or with_answers_in_one(without_titles(sheet))
        )
    if format_of(json) is not None or holds_tasks(json):
        return None
    if (answers := rows_of_annotators(json)) is not None:
        return answers
    lists = list(json.object.values())
    if lists and all(isinstance(cells, list) and not isinstance(next(iter(cells), None), dict) for cells in lists):
        json = records_of_lists(json)
    return sheet_of_json(json)


def table_sheet(content: bytes, label: str, *, forms: bool = False) -> Sheet:
    """Return the table that a file must hold; see `any_sheet`."""
    sheet = any_sheet(content, label, forms=forms)
    if sheet is None:
        message = (
            "the file holds no rows under names of columns; write a table of them as CSV, TSV, JSON lines or Parquet"
        )
        raise FileFormatError(message, path=label)
    return sheet


def sheet_of_json(json: Json) -> Sheet | None:
    """Return records as rows, but for what is nested in one; None where there are none."""
    columns = {name: [record.get(name) for record in json.records] for name in json.names}
    nested = [name for name, values in columns.items() if any(isinstance(value, dict | list) for value in values)]
    names = [name for name in columns if name not in nested]
    if not names:
        return None
    rows = zip(*(map(_text, columns[name]) for name in names), strict=True)
    return sheet_of_rows(json.label, names, zip(json.lines or repeat(None), rows, strict=False), left_out=nested)


def _text(value: object) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else _LINE_END.sub("\n", str(value))
