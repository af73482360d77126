"""Columns that are told as scores are those that were read, and no others: a law over files of all kinds."""

import csv
import io
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from metaeval.questions.look.study import look
from metaeval.table.means import SystemMeans
from metaeval.table.scores import Scores

HERE = Path(__file__).parent
BOARDS = {
    name: [HERE / "files" / file for file in board.get("files", [board.get("file", f"{name}.csv")])]
    for name, board in tomllib.loads((HERE / "boards.toml").read_text("utf-8")).items()
}
FILES = tomllib.loads((HERE.parent / "questions" / "look" / "files.toml").read_text("utf-8"))
AGGREGATED = {"nugget_labels": "weights of labels", "mlflow_runs": "means of runs", "wandb_runs": "means of runs"}
"""Where what is read does not stand in the file, with what it is."""
WORDS = {"true": 1, "passed": 1, "false": 0, "failed": 0, "fail": 0, "error": 0, "pass": 1, "yes": 1, "no": 0}
SCORED = {"score", "mean"}


def number(cell, decimal):
    """Return the numbers that a cell may stand for: itself, a share of its per cents, or that of a verdict."""
    text = cell.strip().removesuffix("%").strip()
    word = text.strip("[]").split("]")[0].casefold()
    if word in WORDS:
        return [WORDS[word]]
    try:
        value = float(text.replace(",", ".") if decimal else text)
    except ValueError:
        return []
    return [value, value / 100] if cell.strip().endswith("%") else [value]


def columns_of(path):
    """Return the columns of a table, or of records a line, by name: cells as texts; None of other files."""
    text = path.read_text("utf-8").lstrip("\N{ZERO WIDTH NO-BREAK SPACE}")
    if text.lstrip().startswith(("{", "[")):
        try:
            records = json.loads(text)
        except ValueError:
            records = [json.loads(line) for line in text.splitlines() if line.strip()]
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            return None
        if any(isinstance(value, dict) for record in records for value in record.values()):
            return None
        names = dict.fromkeys(name for record in records for name in record)
        return {name: [str(record.get(name, "")) for record in records] for name in names}
    delimiter = next((sign for sign in "\t;," if sign in text.splitlines()[0]), " ")
    names, *rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    indexed = bool(rows) and len(rows[0]) == len(names) + 1  # names of rows under no name, as R writes them
    columns = {name.strip(): [] for name in names}
    for at, name in enumerate(names, start=indexed):
        columns[name.strip()] += [row[at] for row in rows if len(row) > at]
    return columns


def check(name, paths, given):
    """Check one file, or the files that are read together."""
    contents = look(given).contents
    read, told = contents.read, {column.column: column.role for column in contents.columns}
    if contents.refusal or not told or not isinstance(read, Scores | SystemMeans):
        return
    labels = (
        {*read.metrics, *read.systems}
        if isinstance(read, SystemMeans)
        else {str(label) for dim in ("metric", "system") for label in read[dim].to_numpy()}
    )
    assert {told[label] for label in labels & told.keys()} <= SCORED
    if contents.tool:
        return
    scored = [column for column, role in told.items() if role in SCORED]
    assert scored or "label" in told.values()
    tables = [columns for path in paths if (columns := columns_of(path)) is not None]
    if not tables or not {*scored} <= tables[0].keys() or name in AGGREGATED:
        return  # what was made of it has columns of its own
    values = read.means if isinstance(read, SystemMeans) else read.to_numpy()
    values = np.unique(values[np.isfinite(values)])
    seen = []
    for column in scored:
        cells = [number(cell, ";" in paths[0].read_text("utf-8").splitlines()[0])
                 for table in tables for cell in table.get(column, [])]  # fmt: skip
        numbers = [options for options in cells if options]
        were_read = [any(np.isclose(values, value).any() for value in options) for options in numbers]
        assert 2 * sum(were_read) >= len(numbers), f"{column} is told as scores, and was not read"
        seen += [value for options in numbers for value in options]
    beside = [table for table in tables[1:] if not {*scored} <= table.keys()]  # with columns of their own
    unseen = [value for value in values if not beside and not np.isclose(seen, value).any()]
    assert unseen == [], f"read, and told as no scores: {unseen}"


@pytest.mark.parametrize("name", BOARDS)
def test_columns_of_boards_are_told_as_they_were_read(name):
    """By the values: what is printed as scores was read, and what was read is printed so; the same by names."""
    check(name, BOARDS[name], list(map(str, BOARDS[name])))


@pytest.mark.parametrize("name", FILES)
def test_columns_of_files_of_tools_are_told_as_they_were_read(tmp_path, name):
    """The same of what tools write."""
    files = FILES[name].get("files") or {FILES[name]["file"]: FILES[name]["text"]}
    for file, text in files.items():
        (path := tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    check(name, [tmp_path / file for file in files], sorted({str(tmp_path / Path(file).parts[0]) for file in files}))


def test_numbers_that_no_name_explains_are_told_as_not_read(tmp_path):
    """Beside a column of scores others are left out, and the table says which of them hold numbers."""
    path = tmp_path / "x.csv"
    path.write_text("model,question_id,score,quux,remark\na,1,1,7,x\na,2,0,9,y\nb,1,1,8,z\nb,2,1,3,x\n")
    found = look(path)
    assert found.scores.mean("topic").squeeze("metric").to_series().to_dict() == {"a": 0.5, "b": 1}
    told = {column.column: column.role for column in found.contents.columns}
    assert (told["score"], told["quux"], told["remark"]) == ("score", "not read", "left out")
