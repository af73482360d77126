# ruff: noqa: RUF001 - a page writes a minus sign
"""`--json` is the whole answer: what the page's tables show stands in it, in full precision."""

import io
import json
import re
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from metaeval.page.report import Report
from metaeval.page.terminal import terminal_table

pytestmark = pytest.mark.usefixtures("one_core")

RICHER = {
    "power regions": "scores.csv other.csv --test t --interval-resamples 2 --rope 0.01",
    "agree intervals": "scores.csv other.csv --test t --interval-resamples 2",
    "table letters": "scores.csv other.csv",
    "report of runs": "made/runs --qrels made/qrels.txt --metrics AP,P@10 --test t --interval-resamples 2",
    "leaderboard of families": "scores.csv --groups groups.csv --resamples 40",
    "judges of runs": "ann=made/qrels.txt ben=second.txt --runs made/runs --resamples 20 --metrics AP,nDCG@5",
    "assessment of runs": "inex/assessments --runs inex/submissions --log log.csv",
    "reliability of runs": "inex/assessments inex/submissions --metrics nxCG(quant=Gen5)@5",
}
"""Lines with tables that the quickest line of a command does not have."""
OF_WORDS = {
    "columns",
    *("provenance", "checksums"),
    *("metrics", "presets", "quantisations", "installation", "properties"),
}
"""Tables whose numbers are parts of words: versions, options, names and usages of metrics."""
WIDTHS = (80, 120, 160)
"""Of terminals, and of a pipe."""
NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?:\.(\d+))?(?:e([-+]?\d+))?(?!\w)")
SHARE = re.compile(r"([\d,]+)/([\d,]*[1-9][\d,]*) = ")
SCALES = (1, 100, -1, -100)
"""A share may be printed in percent, and a difference from the other side."""


def printed(words):
    """Yield the numbers of a cell as they stand there, each with its value and half a unit of its last digit."""
    for found in NUMBER.finditer(re.sub(r",? (each )?± [\d.]+", "", words)):  # how far the draws settle the digits
        decimals = len(found[1] or "") - int(found[2] or 0)
        yield found[0], float(found[0].replace(",", "").replace("−", "-")), 0.5 * 10.0**-decimals


def leaves(value):
    """Yield what a JSON value holds inside."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from leaves(inner)
    if not isinstance(value, dict | list):
        yield value


def missing(table, answer):
    """Return the cells of a table's page with a number that no number of its JSON rounds to.

    A whole number may also stand in a name, and a percentage be that of the two counts before it.
    """
    held = [one for one in leaves([answer["rows"], answer.get("data", [])]) if not isinstance(one, bool | None)]
    numbers = np.array([one for one in held if not isinstance(one, str)], float)
    names = {one for one in held if isinstance(one, str)}
    whole = set(re.findall(r"\d+", " ".join(names)))
    lacking = []
    shown = {(column.name, cell.text) for row in table.cells() for column, cell in zip(table.columns, row, strict=True)}
    for name, words in sorted(shown):
        values = list(printed(words))
        counts = SHARE.match(words)
        ratio = [float(counts[1].replace(",", "")) / float(counts[2].replace(",", ""))] if counts else []
        reach = np.multiply.outer(SCALES, np.append(numbers, ratio))
        lacking += [
            (name, words, written)
            for written, value, half in values
            if not (np.abs(reach - value) <= half * (1 + 1e-9)).any() and written not in whole
        ]
    return lacking


def kinds(answer):
    """Return where each name of an answer holds text and where a number."""
    found = defaultdict(lambda: defaultdict(set))
    places = {"results": answer["results"]}
    for name, table in answer["tables"].items():
        places |= {name: table["rows"], f"{name}: data": table.get("data", [])} if name not in OF_WORDS else {}
    for place, rows in places.items():
        for row in rows:
            for name, value in row.items():
                if isinstance(value, str | int | float):
                    found[name]["text" if isinstance(value, str) else "number"].add(place)
    return found


def broken_heads(table):
    """Return the words of headings that a terminal, or a pipe, would show in pieces."""
    asked = {word for column in table.columns for word in f"{column.label} {column.group}".split()}
    found = {}
    for width in WIDTHS:
        console = Console(file=io.StringIO(), width=width, color_system=None)
        console.print(terminal_table(replace(table, caption="", frame=table.frame.head(5))), crop=False)
        found[width] = asked - set(console.file.getvalue().split())
    return {width: words for width, words in found.items() if words}


def refused(literal):
    """Refuse what is not JSON: NaN and the infinities."""
    raise AssertionError(literal)


@pytest.mark.filterwarnings("ignore")
def test_every_number_of_every_page_stands_in_the_answer(nonsense, command, tmp_path, monkeypatch):
    """Of all commands: a value that rounds to what is printed, in the table of the same name; no heading breaks."""
    nonsense.make_world(tmp_path)
    lines = (tmp_path / "made" / "qrels.txt").read_text().splitlines()
    other = [f"{line[:-1]}0" if place % 7 == 0 else line for place, line in enumerate(lines)]
    (tmp_path / "second.txt").write_text("\n".join(other))
    shown = []
    monkeypatch.setattr(Report, "to_json", lambda self, plain=Report.to_json: shown.append(self) or plain(self))
    monkeypatch.setattr(Report, "save", lambda *_, **__: "index.html")
    lacking, mixed, broken, counted, noted = {}, {}, {}, 0, 0

    for name, line in (nonsense.FAST | RICHER).items():
        if name.startswith("simulate"):
            continue
        ended = command(name.split()[0], *line.split(), "--json", "--quiet")
        assert ended.code == 0, (name, ended.err)
        answer, report = json.loads(ended.out, parse_constant=refused), shown.pop()
        assert (answer["summary"], answer["notes"]) == (list(report.summary), list(report.notes)), name
        noted += len(answer["notes"])
        mixed |= {(name, one): found for one, found in kinds(answer).items() if len(found) > 1}
        assert list(answer["tables"]) == [table.name for table in report.tables()], name
        broken |= {f"{name}: {one.name}": found for one in report.tables() if (found := broken_heads(one))}
        for table in (one for one in report.tables() if one.name not in OF_WORDS):
            counted += sum(1 for row in table.cells() for cell in row for _ in printed(cell.text))
            if found := missing(table, answer["tables"][table.name]):
                lacking[f"{name}: {table.name}"] = found
    assert counted > 2000
    assert noted > 5
    assert lacking == {}
    assert broken == {}
    assert mixed == {}
