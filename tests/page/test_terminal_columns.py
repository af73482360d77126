"""Tables at the width of a terminal: laws over headings, numbers, intervals and widths."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from metaeval.page.terminal_columns import FittedTable, TerminalColumn

WORDS = st.sampled_from(["Precision", "Significant", "τ,", "top", "10", "Benjamini-Hochberg", "F1", "of", "interval"])
NUMBERS = st.sampled_from(["0.50", "−0.3 to 1.0", "37.6 %", "23 to 52 %", "1,953", "–"])  # noqa: RUF001 - as printed


@st.composite
def columns(draw):
    """Return a column of names and columns of numbers, some under a common heading, some beside the one before."""
    n_rows = draw(st.integers(1, 3))
    names = [Text(f"system-{place} of a long name"[: draw(st.integers(8, 24))]) for place in range(n_rows)]
    found = [TerminalColumn(Text("System"), Text(""), names, "left")]
    for _ in range(draw(st.integers(1, 12))):
        head = Text(" ".join(draw(st.lists(WORDS, min_size=1, max_size=3))))
        group = Text(draw(st.sampled_from(["", "Significant of 1,953 pairs"])))
        cells = [Text(draw(NUMBERS)) for _ in range(n_rows)]
        found.append(TerminalColumn(head, group, cells, "right", beside=draw(st.booleans())))
    return found


def lines_of(shown, width):
    """Return the lines that a console of a width prints."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(shown, crop=False)
    return console.file.getvalue().splitlines()


@settings(max_examples=60)
@given(columns(), st.sampled_from([10, 40, 80, 120, 160]))
def test_nothing_breaks_inside_a_word(shown, width):
    """Every column is shown once, its heading in whole words, its numbers on one line, or cut at "to" alone."""
    parts, lines = FittedTable(shown).parts(width), lines_of(FittedTable(shown), width)
    names = len(parts[0]) if len(parts) == 1 else _n_common(parts)
    listed = [*parts[0][:names], *(one for part in parts for one in part[names:])]
    assert [one.head.plain for one in listed] == [one.head.plain for one in shown]
    words = {word for line in lines for word in line.split()}
    for column in shown:
        assert {*column.head.plain.split(), *column.group.plain.split()} <= words
        for cell in column.cells if column.align == "right" else ():
            pieces = cell.plain.split(" to ")
            assert all(any(one in line for line in lines) for one in pieces)
    fewest = max(sum(one.least(width) for one in part) + 2 * (len(part) - 1) for part in parts)
    assert max(map(len, lines)) <= max(width, fewest)


def _n_common(parts):
    """Return how many columns of names every part repeats."""
    return sum(all(one is part[place] for part in parts) for place, one in enumerate(parts[0][: min(map(len, parts))]))


def test_what_gives_way_first():
    """Headings fold at blanks, then intervals at "to", and then columns go below, behind the names."""
    names = TerminalColumn(Text("Judge"), Text(""), [Text("a")], "left")
    cells = [Text("0.10 to 0.20")]
    numbers = [TerminalColumn(Text(f"{what} of all pairs"), Text(""), cells, "right") for what in ("One", "Two")]
    table = FittedTable([names, *numbers])
    found = {width: [line.split() for line in lines_of(table, width)] for width in (42, 36, 30, 10)}
    ends, all_pairs = ["0.10", "to", "0.20"], ["of", "all", "pairs"]
    assert found[42] == [["Judge", "One", *all_pairs, "Two", *all_pairs], ["a", *ends, *ends]]
    assert found[36][-1] == found[42][-1]
    assert found[30][-2:] == [["a", "0.10", "to", "0.10", "to"], ["0.20", "0.20"]]
    assert found[10][-4:] == [[], ["Two", "of", "all"], ["Judge", "pairs"], ["a", *ends]]
