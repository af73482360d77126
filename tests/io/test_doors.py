"""One door a format: whatever parses what others wrote is in this list, and nothing else does."""

import ast
import json
import re
from pathlib import Path

import pytest

import metaeval
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks import contents
from metaeval.io.benchmarks.contents import Json, has_lines, json_parts, parse_json, parts_of_lines, read_json

ROOT = Path(metaeval.__file__).parent
PARSERS = frozenset(
    """
    loads load JSONDecoder raw_decode reader DictReader Sniffer read_csv read_table read_fwf read_json read_ndjson
    read_excel read_parquet read_parquet_metadata read_feather read_ipc read_orc read_pickle read_html read_xml read_ods
    scan_csv scan_ndjson scan_parquet scan_ipc loadtxt genfromtxt fromfile fromregex safe_load full_load iterparse
    ParserCreate fromstring Unpickler open_dataset open_datatree open_dataarray load_dataset File literal_eval
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
DOORS = {
    "JSON": {
        "io/benchmarks/contents.py: json.JSONDecoder",  # values counted, no name twice
        "io/plain_columns.py: pl.read_ndjson",  # of the columns that are wanted, once lines are plainly alike
    },
    "tables": {
        "io/sheets.py: csv.reader",  # rows know their line; who reads them compares their lengths
        "io/around_tables.py: csv.reader",  # of one line, to see whether it is one of a table
        "io/plain_columns.py: pd.read_csv",  # of lines with as many delimiters each, as text
    },
    "TOML": {"cli/study_data.py: tomllib.loads"},  # of bounded length, without keys within keys
    "Parquet, NetCDF": {  # in a process apart, within a budget
        *(f"io/foreign.py: {name}" for name in ("pl.scan_parquet", "pl.read_parquet_metadata", "xr.open_dataset")),
        *(f"io/foreign.py: {name}" for name in ("opened.load", "xr.open_datatree", "h5py.File", "h5netcdf.File")),
    },
    "Python": {"table/folds.py: ast.literal_eval"},  # literals of bounded length, which run nothing
    "XML": {"inex/articles.py: expat.ParserCreate", "inex/xml_events.py: expat.ParserCreate"},
}
OWN = {
    "base/bibliography.py: tomllib.loads": "a file of the package",
    "base/columns.py: tomllib.loads": "a file of the package",
    "base/label_words.py: tomllib.loads": "a file of the package",
    "base/needs.py: tomllib.loads": "a file of the package",
    "base/vocabulary.py: tomllib.loads": "a file of the package",
    "base/plugins.py: self.point.load": "an installed package",
    "io/benchmarks/formats.py: tomllib.loads": "a file of the package",
    "table/roles.py: tomllib.loads": "a file of the package",
    "table/vote_words.py: tomllib.loads": "a file of the package",
    "questions/human/study_campaign_files.py: tomllib.loads": "a file of the package",
    "base/notes.py: json.loads": "notes of scores in memory, of bounded length",
    "figures/marks.py: json.loads": "a figure that was just drawn",
    "cli/messages.py: ast.literal_eval": "a message of the package",
    "io/interop.py: datasets.load": "a data set of ir_datasets, by its name",
    "resampling/replicates.py: store.load": "replicates that were kept, under their checksum",
    "resampling/replicates.py: np.load": "replicates that were kept, under their checksum",
    "running/workers.py: pickle.loads": "what this process pickled",
    "running/kernel_cache.py: pickle.loads": "what this user compiled, under its seal",
    "io/benchmarks/reading.py: first.reader": "no parser: it hands the files to what reads their format",
}
"""What is parsed that no stranger wrote, and why."""


@pytest.fixture(scope="module")
def modules():
    """Return the nodes of every module that names a parser, by its name in the package."""
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in ROOT.rglob("*.py")}
    named = re.compile(rf"\b(?:{'|'.join(PARSERS)})\b")
    return {name: list(ast.walk(ast.parse(text))) for name, text in texts.items() if named.search(text)}


def parsers(nodes):
    """Return what a module calls to parse something."""
    return {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and node.attr in PARSERS}


def test_whatever_comes_in_goes_through_a_door(modules):
    """A call of a parser anywhere else is a second door, with rules of its own."""
    found = {f"{name}: {call}" for name, nodes in modules.items() for call in parsers(nodes)}
    assert found - set(OWN) == {call for calls in DOORS.values() for call in calls}


@pytest.mark.parametrize("line", ["import json\njson.loads(x)", "import polars as pl\npl.read_csv(x)"])
def test_a_second_door_would_be_seen(line):
    """The search finds a call by its name."""
    assert parsers(ast.walk(ast.parse(line)))


def test_no_parser_is_imported_by_its_bare_name(modules):
    """The search sees calls of a module's attributes alone."""
    for name, nodes in modules.items():
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(("metaeval", "distributed")):
                assert not {one.name for one in node.names} & PARSERS, name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ('{"a": ' + "9" * 5000 + "}", "cannot be read"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 1', "cut short or broken"),
    ],
)
def test_what_json_must_not_hold(text, message):
    """Doubled names, numbers of thousands of digits, lists in lists without end, half a document."""
    with pytest.raises(FileFormatError, match=message):
        parse_json(text, "x")


def test_numbers_stay_as_they_are_written():
    """Where numbers may be names: 1.10 is not 1.1, a whole number is one however it is written, NaN is nothing."""
    text = b'{"a": [1.10, 1.1, 7.0, 7, -0, -0.0, 1e3, NaN, 12345678901234567890, true]}'
    found = read_json(text, "x", numbers_as_text=True)
    assert found.object["a"] == ["1.10", "1.1", "7", "7", "0", "0", "1e3", None, "12345678901234567890", True]


def test_uneven_records_make_no_table():
    """Three thousand records of one name each would fill nine million cells."""
    records = [{f"n{at}": 1} for at in range(3000)]
    with pytest.raises(FileFormatError, match="3,000 records have 3,000 names and 3,000 values"):
        _ = Json("x", records).names
    assert Json("x", [{"a": 1}, {"b": 2, "a": 1}]).names == ["a", "b"]


def test_lines_come_in_parts_with_their_numbers(monkeypatch):
    """However small the parts, every record knows its line in the file."""
    monkeypatch.setattr(contents, "_PART", 25)
    text = b'{"a": 1}\n\n{"a": 2}\n{"a": 3}\n  \n{"a": 4}'
    parts = list(json_parts(text, "x", 5))
    assert len(parts) > 1
    assert [(record["a"], part.line(at)) for part in parts for at, record in enumerate(part.records)] == [
        ("1", 5),
        ("2", 7),
        ("3", 8),
        ("4", 10),
    ]


@pytest.mark.parametrize("size", [1, 3, 8, 100])
def test_parts_are_the_whole(size):
    """Cut at line ends alone."""
    text = b"ab\n\ncdefg\nh\r\ni"
    parts = list(parts_of_lines(text, size))
    assert b"".join(parts) == text
    assert all(part.endswith(b"\n") for part in parts[:-1])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b'{"a": 1}\n{"a": 2}', True),
        (b'\n {"a": 1} \r\n\n{"a": 2}\n', True),
        (b'{"a": 1}\n', False),
        (b'{"a": 1}\n \n', False),
        (b'{"a":\n1}', False),
        (json.dumps([{"a": 1}]).encode(), False),
    ],
)
def test_lines_are_told_from_a_document(text, lines):
    """By a first line that is an object, with others behind it."""
    assert has_lines(text) == lines
