# ruff: noqa: RUF001 - typographic dashes and Greek letters are what people see
import csv
import io
import re
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.base.words import MISSING, intervals, number, points, share, text
from metaeval.page.latex import escape_latex, table_latex
from metaeval.page.tables import Column, Table, right, table_csv, under

MEANT = {
    "\\textbackslash{}": "\\",
    "\\textasciicircum{}": "^",
    "\\textasciitilde{}": "~",
    "\\textless{}": "<",
    "\\textgreater{}": ">",
    "\\textbar{}": "|",
    "{\\ttfamily\\char34}": '"',
    "\\textasciigrave{}": "`",
    "{[}": "[",
    "{]}": "]",
    "{*}": "*",
    **{f"\\{sign}": sign for sign in "{}$&#%_"},
    **{f"{sign}{{}}": sign for sign in "-',"},
}
SPOKEN = re.compile("|".join(map(re.escape, sorted(MEANT, key=len, reverse=True))) + "|.", re.DOTALL)


def table(names, values, **more):
    """Return a table of names and numbers."""
    columns = (
        Column(name="name", label="System & co"),
        Column(name="value", label="Mean", write=number(2), align="right", group="All of them"),
        Column(name="twice", label="Twice", write=number(2), align="right", group="All of them"),
    )
    frame = pd.DataFrame({"name": names, "value": values, "twice": [2 * value for value in values]})
    return Table(name="a table", title="Title", caption="100 % of it.", frame=frame, columns=columns, **more)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_escaped_latex_says_what_was_meant(words):
    """Read back by LaTeX's own rules, every printable ASCII text comes out as it went in."""
    assert "".join(MEANT.get(found, found) for found in SPOKEN.findall(escape_latex(words))) == words


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_nothing_is_left_for_latex_to_obey(words):
    """Once the known escapes are taken away, no character with a meaning and no ligature is left."""
    left = "".join("." if found in MEANT else found for found in SPOKEN.findall(escape_latex(words)))
    assert not re.search(r"[\\{}$&#%_^~<>|\"`\[\]*]|--|''|,,", left)


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("80/120 = 66.7 %", r"80/120 = 66.7 \%"),
        ("−0.12", r"$-$0.12"),
        ("α ≤ 0.05", r"$\alpha$ $\leq$ 0.05"),
        ("ωοΩΑΡ", r"$\omega$o$\Omega$AP"),
        ("a\nb\x00c", r"a b\textbackslash{}u0000c"),
        (r"\\ [1ex]", r"\textbackslash{}\textbackslash{} {[}1ex{]}"),
        ("run--x", "run-{}-x"),
    ],
)
def test_latex_of_particular_texts(words, written):
    """Percentages, minus signs, Greek and control characters come out as LaTeX writes them."""
    assert escape_latex(words) == written


def test_csv_keeps_names_and_full_precision():
    """Reading the CSV back gives the very same names and numbers, but for the mark against formulas."""
    names, values = ["a,b", 'say "x"', "=1+1", "two\nlines", "日本 🙂"], [0.1 + 0.2, 1 / 3, 1e-300, -0.0, 2.0**60]
    rows = list(csv.DictReader(io.StringIO(table_csv(table(names, values)), newline="")))
    assert [row["name"] for row in rows] == [*names[:2], "'=1+1", *names[3:]]
    assert [float(row["value"]) for row in rows] == values


def test_csv_may_hold_other_data_than_the_table_shows():
    """The data given for the file stand in for the frame that is shown."""
    other = pd.DataFrame({"power": [0.5]})
    assert table_csv(table(["a"], [1.0], data=other)) == "power\n0.5\n"


def test_latex_tables_are_whole():
    """Rules, headings over headings, escaped names and aligned numbers are all there."""
    lines = table_latex(table(["a_b", "50 %"], [0.5, -0.25])).splitlines()
    assert lines[0] == r"% Needs \usepackage{booktabs}"
    assert [line.strip() for line in lines[1:]] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Title. 100 \% of it.}",
        r"\label{tab:a-table}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{All of them} \\".strip(),
        r"\cmidrule(lr){2-3}",
        r"System \& co & Mean & Twice \\",
        r"\midrule",
        r"a\_b & 0.50 & 1.00 \\",
        r"50 \% & $-$0.25 & $-$0.50 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_tables_longer_than_a_page_may_break():
    """A long table becomes a longtable with the same rows."""
    written = table_latex(table([f"s{number}" for number in range(60)], [0.5] * 60))
    assert r"\begin{longtable}{lrr}" in written
    assert written.count(r" & 0.50 & 1.00 \\") == 60


@pytest.mark.parametrize(
    ("write", "half", "said"),
    [
        (share, 0.5, "2 points"),
        (share, 0.1, "0.4 points"),
        (points(1), 50.0, "2 points"),
        (share, 0.2825, "1 point"),
        (number(2), 0.015, "0.01"),
    ],
)
def test_errors_of_ends_have_their_unit(write, half, said):
    """In points where the ends are percentages or points, one of which is a point; cells and heading do not matter."""
    cells = [*intervals([0.0], [2 * half], write, draws=400), MISSING]
    shown = Table(name="t", title="t", caption="", frame=pd.DataFrame({"a": cells}), columns=right(text, a="Anything"))
    assert shown.errors == f"of the ends of intervals {said}"
    assert [row[0].text for row in shown.cells()] == [str(cells[0]), MISSING]


def test_cells_are_sorted_by_number_not_by_text():
    """Every cell carries its number, or the key given beside it, for sorting."""
    shown = table(["a", "b"], [10.0, 9.0])
    shown = Table(
        name="t", title="T", caption="C", columns=shown.columns, frame=shown.frame.assign(twice_sort=[1, None])
    )
    assert [cell.sort for row in shown.cells() for cell in row] == ["a", "10.0", "1.0", "b", "9.0", ""]


def test_a_column_may_stand_under_another():
    """On a page its value and heading share those of the column before; LaTeX and CSV keep a column of its own."""
    shown = table(["a", "b"], [1.0, 2.0])
    *others, last = shown.columns
    stacked = replace(shown, columns=(*others, replace(last, under=True)))
    assert [(head.label, head.under) for head in stacked.headings()] == [("System & co", ""), ("Mean", "Twice")]
    cells = [[(cell.text, cell.sort, cell.under) for cell in row] for row in stacked.stacked_cells()]
    assert cells == [[("a", "a", ""), ("1.00", "1.0", "2.00")], [("b", "b", ""), ("2.00", "2.0", "4.00")]]
    assert stacked.groups(stacked=True) == [("", 1), ("All of them", 1)]
    assert table_latex(stacked) == table_latex(shown)
    assert table_csv(stacked) == table_csv(shown)


def test_of_two_columns_under_another_the_second_stands_beside_it():
    """Nothing is written over: a cell has room for one number under its own."""
    frame = pd.DataFrame({"n": [53], "interval": ["49 to 57"], "share": ["54 %"]})
    table = Table(
        name="t",
        title="T",
        caption="",
        frame=frame,
        columns=(*right(n="topics"), *under(interval="interval"), *under(share="of pairs")),
    )
    assert [(head.label, head.under) for head in table.headings()] == [("topics", "interval"), ("of pairs", "")]
    assert [(cell.text, cell.under) for cell in table.stacked_cells()[0]] == [("53", "49 to 57"), ("54 %", "")]
