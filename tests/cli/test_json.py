"""`--json` is the whole answer: what the page's tables show stands in it, in full precision."""

import json
import math
import re

import pytest

from metaeval.reports.report import Report

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
NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?:\.(\d+))?(?:e([-+]?\d+))?(?!\w)")
SCALES = (1, 100, -1, -100)
"""A share may be printed in percent, and a difference from the other side."""


def printed(words):
    """Yield the numbers of a cell, each with half a unit of its last digit."""
    for found in NUMBER.finditer(words):
        decimals = len(found[1] or "") - int(found[2] or 0)
        yield float(found[0].replace(",", "").replace("−", "-")), 0.5 * 10.0**-decimals


def leaves(value):
    """Yield what a JSON value holds inside."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from leaves(inner)
    if not isinstance(value, dict | list):
        yield value


def missing(table, answer):
    """Return the cells of a table's page whose numbers are not in the JSON, as numbers or in words that have none."""
    held = list(leaves([answer["rows"], answer.get("data", [])]))
    numbers = [float(one) for one in held if isinstance(one, int | float) and not isinstance(one, bool)]
    names = " ".join(one for one in held if isinstance(one, str))
    lacking = []
    for cell in {(column.name, cell.text) for row in table.cells() for column, cell in zip(table.columns, row)}:
        for value, half in printed(cell[1]):
            near = (abs(scale * one - value) <= half * (1 + 1e-9) for one in numbers for scale in SCALES)
            if not any(near) and not (half == 0.5 and f"{value:g}" in names):
                lacking.append((*cell, value))
    return lacking


def refused(literal):
    """Refuse what is not JSON: NaN and the infinities."""
    raise AssertionError(literal)


@pytest.mark.filterwarnings("ignore")
def test_every_number_of_every_page_stands_in_the_answer(nonsense, command, tmp_path, monkeypatch):
    """Of all commands: a value that rounds to what is printed, in the table of the same name."""
    nonsense.make_world(tmp_path)
    lines = (tmp_path / "made" / "qrels.txt").read_text().splitlines()
    (tmp_path / "second.txt").write_text("\n".join(f"{one[:-1]}0" if n % 7 == 0 else one for n, one in enumerate(lines)))
    shown = []
    monkeypatch.setattr(Report, "to_json", lambda self, plain=Report.to_json: shown.append(self) or plain(self))
    monkeypatch.setattr(Report, "save", lambda self, *_, **__: "index.html")
    lacking, counted = {}, 0
    for name, line in (nonsense.FAST | RICHER).items():
        if name.startswith("simulate"):
            continue
        ended = command(name.split()[0], *line.split(), "--json", "--quiet")
        assert ended.code == 0, (name, ended.err)
        answer, report = json.loads(ended.out, parse_constant=refused), shown.pop()
        assert list(answer["tables"]) == [table.name for table in report.tables()], name
        for table in report.tables():
            counted += sum(1 for row in table.cells() for cell in row for _ in printed(cell.text))
            if found := missing(table, answer["tables"][table.name]):
                lacking[f"{name}: {table.name}"] = found
    print(counted)
    for k, v in lacking.items():
        print(k, v[:6], len(v))
    assert counted > 2000
    assert lacking == {}
