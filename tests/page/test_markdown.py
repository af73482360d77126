"""Tables as Markdown and as a piece of HTML: marks and bold come through, names stay names."""

import html
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.base.words import number
from metaeval.page.html import table_html
from metaeval.page.latex import table_latex
from metaeval.page.markdown import escape_markdown, table_markdown
from metaeval.page.tables import Table, left, right
from metaeval.page.terminal import terminal_table

HOSTILE = "a_b|*c* <i>&amp;[x](y)`\\~$1$"


def marked(names=("one", HOSTILE)):
    """Return a table whose first mean is bold and has marks."""
    frame = pd.DataFrame(
        {"name": names, "mean": [0.5, 0.25], "mean_marks": ["†", ""], "mean_bold": [True, False], "n": [3, 4]}
    )
    columns = (*left(name="System"), *right(number(2), "All | of them", mean="Mean", n="Count"))
    return Table(name="t", title="T_1", caption="† better than *c*.", frame=frame, columns=columns)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_escaped_markdown_says_what_was_meant(words):
    """Without the backslashes before punctuation every printable ASCII text comes out as it went in."""
    escaped = escape_markdown(words)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escaped) == words
    assert not re.search(r"[`*_\[\]<|~&$]", re.sub(r"\\.", "", escaped))


def test_markdown_is_a_table_with_pipes():
    """Caption, heads, rules, rows: bold with asterisks, marks raised, names escaped."""
    assert table_markdown(marked()).splitlines() == [
        r"T\_1. † better than \*c\*.",
        "",
        r"| System | All \| of them: Mean | All \| of them: Count |",
        "| :--- | ---: | ---: |",
        "| one | **0.50**<sup>†</sup> | 3.00 |",
        r"| a\_b\|\*c\* \<i\>\&amp;\[x\](y)\`\\\~\$1\$ | 0.25 | 4.00 |",
    ]


def test_html_is_one_element():
    """Bold and marks are elements, names are text."""
    written = table_html(marked())
    assert written.startswith("<table>")
    assert written.endswith("</table>\n")
    assert re.search(r'<b>0\.50</b><sup style="[^"]*min-width: 1ch[^"]*">†</sup></td>', written)
    assert re.search(r'>0\.25<sup style="[^"]*min-width: 1ch[^"]*"></sup></td>', written)  # room, so that numbers align
    cells = re.findall(r"<td[^>]*>(.*?)</td>", written.partition("<tbody>")[2])
    assert html.unescape(cells[3]) == HOSTILE
    assert '<th colspan="2" scope="colgroup">All | of them</th>' in written


def test_latex_gives_marks_a_column():
    """Numbers stay aligned; a heading spans both, and a rule counts them."""
    lines = [line.strip() for line in table_latex(marked()).splitlines()]
    assert r"\begin{tabular}{lr@{}lr}" in lines
    assert r"\cmidrule(lr){2-4}" in lines
    assert r"System & \multicolumn{2}{c}{Mean} & Count \\" in lines
    assert r"one & \textbf{0.50} & \textsuperscript{$\dagger$} & 3.00 \\" in lines
    assert lines[-4].endswith(r"& 0.25 & & 4.00 \\")


@pytest.mark.parametrize("names", [("one", HOSTILE), ("[bold]x", "b")])
def test_the_terminal_keeps_numbers_aligned(names):
    """Marks stand in a column of their own, and nothing in a name is markup."""
    columns = terminal_table(marked(names)).renderables[1].columns
    assert [(one.group.plain, one.head.plain) for one in columns] == [
        *(("", "System"), ("All | of them", "Mean"), ("All | of them", ""), ("All | of them", "Count")),
    ]
    assert [cell.plain for cell in columns[0].cells] == list(names)
    assert [cell.plain for cell in columns[2].cells] == ["†", ""]
    assert "bold" in str(columns[1].cells[0].style)
