"""Text divided into cells: delimiters, quotes, and rows that know their lines."""

import csv
import io

import hypothesis.strategies as st
import pytest
from hypothesis import given

from metaeval.errors import FileFormatError
from metaeval.io.sheets import delimiter_name, header_names, read_sheet, sheet_of


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a\tb\n1\t2\n", "\t"),
        ("a;b\n0,5;0,3\n", ";"),
        ("a b\n1 2\n", " "),
        ("a   b\n1 \t 2\n", " "),
        ("map   \tall\t0.3\nP_5   \tall\t0.2\n", "\t"),
        ("utility_2,-1,0,0\t301\t1.0\nndcg_1=3,2=9\t301\t0.5\n", "\t"),
        ("topic,RBP(p=0.8;q=1) a,b c\n1,2,3\n", ","),
        ('"a;1";"b"\n1;2\n', ";"),
        ("a,b\n1,0.5,0.3\n2,0.5,0.3\n", ","),
        ("bm25\n0.5\n", ","),
        ("a,b\n1,2\n3\n", ","),
        ("a,b;c\n1,2;3\n4;5\n", ";"),
        ("a,b;c\n1,2,3;4\n5,6;7\n", ";"),
    ],
)
def test_the_delimiter_divides_the_rows_evenly(text, delimiter):
    """Tabs, commas, semicolons and blanks are told apart by the first rows, quoted cells and R's header included."""
    assert sheet_of(text.encode(), "x").delimiter == delimiter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one(tmp_path, end):
    """Line ends of Unix, Windows and old Macintosh give the same rows and line numbers."""
    path = tmp_path / "table.csv"
    path.write_bytes(end.join(["a,b", "1,2", "", "3,4"]).encode())
    sheet = read_sheet(path)
    assert list(sheet.rows()) == [["a", "b"], ["1", "2"], ["3", "4"]]
    assert sheet.row(2) == (4, ["3", "4"])


def test_empty_rows_are_passed_over():
    """Blank lines, and rows of empty cells as spreadsheets leave them, are no rows."""
    sheet = sheet_of(b"\na,b\n\n1,2\n,\n3,4\n,,\n\n", "x")
    assert list(sheet.rows()) == [["a", "b"], ["1", "2"], ["3", "4"]]
    assert [sheet.row(position)[0] for position in range(3)] == [2, 4, 6]


def test_rows_without_the_header_keep_their_lines():
    """Positions count from the row after the header, lines from the top of the file; so do selected rows."""
    sheet = sheet_of(b"a,b\n1,2\n3,4\n5,6\n", "x").without_header()
    assert sheet.row(0) == (2, ["1", "2"])
    assert sheet.only(lambda cells: cells[0] != "1").row(1) == (4, ["5", "6"])
    assert str(sheet.error("wrong", 1)) == "x, line 3: wrong"
    assert str(sheet.error("wrong")) == "x: wrong"


def test_a_binary_file_has_rows_but_no_lines():
    """Where there are no lines to look up, the error counts rows."""
    sheet = sheet_of(b"a,b\n1,2\n", "x.parquet", has_lines=False).without_header()
    assert str(sheet.error("wrong", 0)) == "x.parquet: row 1: wrong"


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5), min_size=2, max_size=2),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([",", "\t", ";"]),
)
def test_what_csv_writes_is_read(rows, delimiter):
    """Cells come back as csv writes them, quotes and delimiters inside included, but for blanks before them."""
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    expected = [[cell.lstrip(" ") for cell in row] for row in rows]
    expected = [row for row in expected if any(row)]
    content = stream.getvalue().encode()
    if expected and not content.lstrip().startswith((b"{", b"[")):
        assert list(sheet_of(content, "x", delimiter=delimiter).rows()) == expected


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " "])
def test_a_line_end_between_quotes_is_part_of_the_cell(delimiter):
    """It does not vanish, whatever divides the cells, so that who takes names can refuse it."""
    content = delimiter.join(["x", '"a\nb"', "1"]) + "\n" + delimiter.join("yz2")
    assert list(sheet_of(content.encode(), "x", delimiter=delimiter).rows()) == [["x", "a\nb", "1"], ["y", "z", "2"]]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "x: the file is empty; a table needs a header and rows"),
        (b" \n\n", "x: the file is empty"),
        (b",,\n,,\n", "x: the file is empty"),
        (b'{"query_id": "1"}\n', "x: the file holds JSON"),
        (b'[{"query_id": "1"}]', "x: the file holds JSON"),
        (b'a,b\n"1,2\n3,4\n', "x, line 3: a quotation mark opens or closes a cell in the wrong place"),
        (b'a,b\n"1"2,3\n', "x, line 2: a quotation mark"),
        (b'"' + b"a,b\n" * 50_000, "x, line 32769: a quotation mark .*field larger than field limit"),
    ],
)
def test_what_is_no_table(content, rule):
    """An empty file, JSON, and a quotation mark that is never closed are errors with their place."""
    with pytest.raises(FileFormatError, match=rule):
        list(sheet_of(content, "x").rows())


def test_names_in_a_header():
    """Blanks around names go; the name that pandas makes up for an unnamed column is none."""
    assert header_names([" a ", "Unnamed: 0", "Unnamed"]) == ["a", "", "Unnamed"]


def test_delimiters_have_names():
    """Messages speak of commas, not of ','."""
    assert [delimiter_name(sign) for sign in ",\t; |"] == ["commas", "tabs", "semicolons", "blanks", "bars"]


def test_a_blank_may_divide_empty_cells():
    """As pandas writes with sep=" "; where runs of blanks divide rows evenly they do, whatever one blank would."""
    assert list(sheet_of(b"s h m\na 1 2\nb  3\n", "t").rows()) == [["s", "h", "m"], ["a", "1", "2"], ["b", "", "3"]]
    assert list(sheet_of(b"s  h\na  1\nb 12\n", "t").rows()) == [["s", "h"], ["a", "1"], ["b", "12"]]
