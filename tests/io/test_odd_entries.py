"""Whatever stands in an entry of labels, annotations, judges' scores or metrics: a value, a gap or an error."""

import re
import sys
from contextlib import contextmanager, suppress
from itertools import product

import pytest

from metaeval.agreement.items import item_scores, system_means
from metaeval.agreement.labels import as_labels
from metaeval.errors import MetaevalError
from metaeval.inex.judges import read_judges
from metaeval.io.annotations import read_annotations
from metaeval.io.items import read_items
from metaeval.io.labels import read_labels

DIGITS = "9" * 5000
IN_JSON = (
    *("null", "{}", "[]", "[1]", '{"a": 1}', "Infinity", "-Infinity", "NaN", "1e400", DIGITS, "true", '"x"', '""'),
    *('"\\ud800"', '" "', '"nan"', "1.5", "9007199254740993", f'"{DIGITS}"'),
)
IN_TABLES = (
    *("null", "{}", "[1]", "Infinity", "-inf", "NaN", "1e400", DIGITS, "true", "x", "", "none", "n/a", "1_0", "0x10"),
    *("\N{ARABIC-INDIC DIGIT THREE}", "1,5", "\0", "\a", "1e-400", "+1", "9007199254740993"),
)
JSON = (
    '{"ann": {"1": 1, "2": 0}, "ben": {"1": 1, "2": 1}}',
    '[{"judge": "x", "topic": "1", "item": "d1", "label": 1}, {"judge": "y", "topic": "1", "item": "d1", "label": 0}]',
    '{"judge": "x", "system": "a", "topic": "1", "score": 1}\n{"judge": "x", "system": "b", "topic": "1", "score": 0}',
    '{"AP": {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.5, "2": 0.75}}}',
)
TABLES = (
    "topic item ann ben\n1 d1 1 0\n1 d2 0 1\n2 d1 1 1",
    "topic item judge label\n1 d1 ann pass\n1 d1 ben fail",
    "judge system topic score\nx a 1 1\nx b 1 0\ny a 1 1\ny b 1 0\nx a 2 1\nx b 2 0\ny a 2 1\ny b 2 0",
    "system item human A\na 1 1 2\nb 1 2 3\nc 1 2 1\na 2 1 1\nb 2 0 0\nc 2 1 2",
    "system human A\na 1 2\nb 2 3\nc 2 1",
)


def judges(path):
    found = read_judges(path)
    return None if found.labels is None else as_labels(found.labels, real=True)


def human(path):
    frame = read_items(path)
    items = frame.attrs["items"]
    return item_scores(frame, reference="human", item=items) if items else system_means(frame, reference="human")


def all_of(path, odd):
    """Read a file in every way, and lay out what was read."""
    for read in (judges, human, lambda one: as_labels(read_labels(one)), read_annotations):
        with suppress(MetaevalError), raising_short(path, odd):
            read(path)


@contextmanager
def raising_short(path, odd):
    """Let errors pass whose message can be read."""
    try:
        yield
    finally:
        error = sys.exception()
        message = "" if error is None else str(error).removeprefix(str(path))
        assert len(message) <= 600 or len(odd) > 600, message


@pytest.mark.parametrize("text", JSON)
def test_entries_of_json(tmp_path, text):
    """Every value of a document, one after the other."""
    for found in re.finditer(r'"[^"]*"|-?[0-9.]+|\{[^{}]*\}', text):
        for odd in IN_JSON:
            (tmp_path / "file").write_text(text[: found.start()] + odd + text[found.end() :])
            all_of(tmp_path / "file", odd)


@pytest.mark.parametrize("text", TABLES)
def test_entries_of_tables(tmp_path, text):
    """Every cell of a table, the names of columns among them, each in turn with some of the odd entries."""
    rows = [row.split() for row in text.split("\n")]
    for at, (row, column) in enumerate(product(range(min(len(rows), 3)), range(len(rows[0])))):
        for odd in IN_TABLES[at % 6 :: 6]:
            changed = [[*cells] for cells in rows]
            changed[row][column] = odd
            (tmp_path / "file").write_text("\n".join(map("\t".join, changed)))
            all_of(tmp_path / "file", odd)
