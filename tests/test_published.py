"""The page of five papers leaves out no table and no figure, and what it says of each is what its command shows."""

import html
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from metaeval.cli import main

FOLDER = Path(__file__).parents[1] / "docs" / "published"
if not FOLDER.is_dir():
    pytest.skip("needs the checkout around the tests, which lie alone here", allow_module_level=True)
CAPTIONS = tomllib.loads((FOLDER / "captions.toml").read_text("utf-8"))
COLLECTIONS = CAPTIONS.pop("collections")
PAGE = (FOLDER / "every-table-and-figure.md").read_text("utf-8")
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")


def arabic(last):
    """Return the numbers from 1 as they are written."""
    return [str(number) for number in range(1, last + 1)]


PAPERS = {
    "ogilvie": (arabic(4), ["1a, b", "1c, d"]),
    "sakai": (arabic(7), arabic(8)),
    "pal": (arabic(12), arabic(6)),
    "piwowarski": (ROMAN, arabic(7)),
    "kazai": (arabic(3), arabic(3)),
}
"""The tables and the figures of each paper."""


class Shown(NamedTuple):
    """A file of a folder that a command wrote, and what the caption says of it."""

    file: str
    quantity: Sequence[str] = ()
    by: Mapping[str, Sequence[Any]] = MappingProxyType({})
    statistic: str = ""
    axes: Sequence[str] = ()


class Row(NamedTuple):
    """A table, figure or formula of a paper, with the commands that answer for it."""

    paper: str
    what: str
    commands: str
    on: list[str]
    shows: list[Shown]
    words: list[str]
    paper_has: str
    """What the paper has there."""

    def __str__(self):
        """Name it as a test does."""
        return f"{self.paper} {self.what}"


ROWS = [
    Row(
        paper,
        row["what"],
        row["commands"],
        row.get("on", []),
        [Shown(**shown) for shown in row.get("shows", ())],
        row.get("words", []),
        row["is"],
    )
    for paper, asked in CAPTIONS.items()
    for row in asked["rows"]
]
COMMANDS = {(paper, letter): line for paper, asked in CAPTIONS.items() for letter, line in asked["commands"].items()}


class Answer(NamedTuple):
    """What a command answered, and the folder that it wrote."""

    text: str
    folder: Path
    options: dict[str, str]
    collection: Path | None


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Answer every command of the page once, on collections made as the page says."""
    folder = tmp_path_factory.mktemp("papers")
    known: dict[tuple[str, str], Answer] = {}

    def run(line, monkeypatch, capsys):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", [*shlex.split(line), "--quiet"])
        assert main() == 0, capsys.readouterr().err
        return capsys.readouterr().out

    def answer(asked, row, monkeypatch, capsys):
        for name in row.on:
            if not (folder / name).exists():
                run(COLLECTIONS[name], monkeypatch, capsys)
        if asked not in known:
            known[asked] = _answer(COMMANDS[asked], folder, lambda line: run(line, monkeypatch, capsys))
        return known[asked]

    return answer


def _answer(line, folder, run):
    if link := re.fullmatch(r"\[.+\]\((.+)\)", line):
        return Answer((FOLDER / link[1]).read_text("utf-8"), FOLDER, {}, None)
    words = shlex.split(line)
    options = {one[2:]: other for one, other in pairwise(words) if one.startswith("--")}
    text = run(line)
    place = folder / options["out"] if "out" in options else folder
    if "out" in options:
        text = html.unescape((place / "index.html").read_text("utf-8"))
    named = re.search(rf"\b({'|'.join(COLLECTIONS)})\b", line)
    return Answer(text, place, options, named and folder / named[0])


# ------------------------------------------------------------------------------------------------------- statistics


def _runs(answer):
    return len(pd.read_csv(answer.collection / "groups.csv"))


def _whole(values):
    return np.allclose(values, np.round(values), atol=1e-6)


def _mean_over_draws(frame, answer):
    drawn = int(answer.options["replicates"])
    return (frame["n_replicates"] == drawn).all() and frame["score_se"].notna().all() and drawn > 1


def _f1_of_precision_and_recall(frame, answer, file):
    names = list(frame["predictor"])
    parts = [
        pd.read_csv(answer.folder / file.replace("_f1", f"_{kind}")).set_index("predictor")
        for kind in ("precision", "recall")
    ]
    p, r = (part.loc[names, names].to_numpy(dtype=float) for part in parts)
    f1 = frame.set_index("predictor").loc[names, names].to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        harmonic = np.where(p + r > 0, 2 * p * r / (p + r), 0.0)
    known = np.isfinite(p) & np.isfinite(r)
    itself = np.where(frame["share"] > 0, 1.0, np.nan)
    return (
        np.allclose(f1[known], harmonic[known])
        and np.allclose(np.diag(f1), itself, equal_nan=True)
        and np.allclose(p, r.T, equal_nan=True)
    )


STATISTICS = {
    "F1 of two rates": lambda f, _: np.allclose(
        f["f1"], np.where(f["n_shared"] > 0, 2 * f["n_shared"] / (f["n_predictor"] + f["n_truth"]), f["f1"])
    ),
    "errors of rejections": lambda f, _: (
        f["rejections"].sum() > 0
        and np.allclose(f["error_rate"] * f["rejections"], f["errors"].where(f["rejections"] > 0), equal_nan=True)
    ),
    "mean over topics": lambda f, _: np.allclose(
        *f.dropna()
        .query("quantity.str.contains('per topic')")
        .assign(whole=lambda t: t["total"] / float(f.set_index("quantity").loc["topics", "total"]))[["whole", "mean"]]
        .to_numpy()
        .T
    ),
    "pairs of all, best first": lambda f, _: (
        _whole(f.iloc[:, 1] * 15) and f.iloc[:, 1].is_monotonic_decreasing and "difference_required_median" not in f
    ),
    "contradicted of found": lambda f, _: np.allclose(
        f["contradicted_share"] * f["found"], f["contradicted"].where(f["found"] > 0), equal_nan=True
    ),
    "every pair of ten metrics": lambda f, _: len(f) == 45 and f["tau"].between(-1, 1).all(),
    "highest τ first": lambda f, _: f["tau"].is_monotonic_decreasing,
    "ten metrics": lambda f, _: len(f) == 10,
    "mean over draws": _mean_over_draws,
    "one value": lambda f, _: (f["n_replicates"] == 1).all() and f["tau_se"].isna().all(),
    "share of the pairs": lambda f, _: _whole(f["power"] * 15) and _whole(f["power_full"] * 15),
    "smallest that keeps τ": lambda f, _: (
        f["text"].str.fullmatch(r"[<>]?[\d.]+ % \([<>]?[\d,]+ (relevant|topics)\)").all()
    ),
    "topics needed": lambda f, _: f["text"].str.fullmatch(r"[<>≤]?\d+\*?|\u2013").all(),
    "every run once": lambda f, a: (f.groupby("metric")["n"].sum() == _runs(a)).all(),
    "every run and topic once": lambda f, a: (
        (f.groupby("metric")["n"].sum() % _runs(a) == 0).all()
        and (f.groupby("metric")["n"].sum() > 10 * _runs(a)).all()
    ),
    "share of the runs": lambda f, a: _whole(f["significant"] * f["runs"]) and (f["runs"] == _runs(a)).all(),
    "every group once": lambda f, a: f["group"].is_unique and f["runs"].sum() == _runs(a),
    "the same effort": lambda f, _: (
        len(f[["metric", "step", "judged"]].drop_duplicates()) == len(f[["metric", "step"]].drop_duplicates())
    ),
    "falls with the number of topics": lambda f, _: (
        (f["a2"].dropna() > 0).any() and (f["chi_squared"].dropna() >= 0).all()
    ),
    "two plans": lambda f, _: (f.groupby("metric")["pools"].nunique() == 2).all(),
    "seconds": lambda f, _: f["mean"].between(1, 3600).all(),
    "figures": lambda f, _: (f["value"].dropna() >= 0).any(),
    "shares": lambda f, _: (
        ((rates := f.select_dtypes("number").filter(regex="^(?!size|union)").fillna(0)) >= 0).all(axis=None)
        and (rates <= 1).all(axis=None)
    ),
    "deeper with the size": lambda f, _: f["mean_depth"].is_monotonic_increasing,
    "ratio to paragraphs": lambda f, _: np.allclose(
        f["of_paragraph"], f["mean"] / f.set_index("element_class").loc["paragraph", "mean"]
    ),
    "shares of all": lambda f, _: np.isclose(f["share"].sum(), 1),
    "intersection over union": lambda f, _: np.allclose(
        f["of_union"], f["both"] / (f.iloc[:, 1] + f.iloc[:, 2] - f["both"]), equal_nan=True
    ),
    "found of results": lambda f, _: np.allclose(f["share"], f["in_pool"] / f["results"]),
    "exact is near": lambda f, _: (f["exact"] <= f["near"]).all(),
    "any rows": lambda f, _: len(f) > 0,
    "forward of steps": lambda f, _: np.allclose(f["share"], f["forward"] / f["steps"]),
    "hours of documents": lambda f, _: np.allclose(
        f["hours"], (f["relevant"] * f["minutes_relevant"] + (f["added"] - f["relevant"]) * f["minutes_other"]) / 60
    ),
    "six runs": lambda f, _: len(f) == 6,
    "met where nothing is broken": lambda f, _: (f["met"] == (f["broken"] == 0)).all(),
    "correlations": lambda f, _: f["tau"].between(-1, 1).all(),
    "ranks of values": lambda f, _: all(
        (f[f"value_{n}"].rank(ascending=False, method="min") == f[f"rank_{n}"]).all() for n in (0, 1)
    ),
    "best first": lambda f, _: f["value"].is_monotonic_decreasing and f["rank"].tolist() == list(range(1, len(f) + 1)),
}
"""What the numbers of a table are, as they can be told from the table."""


def _holds(shown, answer):
    """Say which claims about a file do not hold."""
    path = answer.folder / shown.file
    if not path.is_file():
        return [f"no file {shown.file}"]
    if path.suffix == ".svg":
        drawn = path.read_text("utf-8")
        return [
            f"{shown.file} does not say {word!r}" for word in shown.axes if html.escape(word, quote=False) not in drawn
        ]
    frame = pd.read_csv(path)
    broken = [f"{shown.file} has no column {name!r}" for name in (*shown.quantity, *shown.by) if name not in frame]
    for name, values in shown.by.items():
        if not broken and not set(values) <= set(frame[name].tolist()):
            broken.append(f"{shown.file}: {name} lacks some of {values}, has {sorted(set(frame[name]))}")
    if not broken and shown.statistic == "F1 of precision and recall":
        return [] if _f1_of_precision_and_recall(frame, answer, shown.file) else [f"{shown.file}: no F1"]
    if not broken and not STATISTICS[shown.statistic](frame, answer):
        broken.append(f"{shown.file} is not {shown.statistic!r}")
    return broken


@pytest.mark.parametrize("paper", PAPERS)
def test_no_table_and_no_figure_is_left_out(paper):
    """Each has a row of its own, a command of the paper's table, and claims that can be held to the answer."""
    rows = [row for row in ROWS if row.paper == paper]
    for word, numbers in zip(("Table", "Figure"), PAPERS[paper], strict=True):
        assert sorted(row.what for row in rows if row.what.startswith(word)) == sorted(
            f"{word} {number}" for number in numbers
        )
    assert all((paper, letter) in COMMANDS for row in rows for letter in row.commands.split(", "))
    assert [row.what for row in rows if not row.words and not any(one.axes or one.statistic for one in row.shows)] == []


def test_the_page_has_as_many_rows_as_it_says(write_docs):
    """It is made from the captions, and no command is asked by no row."""
    assert f"({len(ROWS)} rows)" in PAGE.replace("\n", " ")
    assert write_docs.write(PAGE) == PAGE
    assert {(row.paper, letter) for row in ROWS for letter in row.commands.split(", ")} == set(COMMANDS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_is_what_its_caption_says(row, answers, monkeypatch, capsys):
    """Its commands end well, on the collections named, and show the quantity and the statistic, or the axes."""
    letters = row.commands.split(", ")
    assert row.on == [
        name for name in COLLECTIONS if any(re.search(rf"\b{name}\b", COMMANDS[row.paper, one]) for one in letters)
    ]
    for letter in letters:
        answer = answers((row.paper, letter), row, monkeypatch, capsys)
        assert [broken for shown in row.shows for broken in _holds(shown, answer)] == []
        assert [word for word in row.words if word not in answer.text] == []


@pytest.mark.parametrize("row", [row for row in ROWS if row.on], ids=str)
def test_a_row_is_computed_on_the_campaign_of_its_paper(row):
    """Where the paper names years of INEX, its collections are simulated campaigns of these."""
    spans = [range(int(one), int(other) + 1) for one, other in re.findall(r"INEX (200\d) to (200\d)", row.paper_has)]
    named = {year for span in spans for year in span}
    named |= {int(one) for one in re.findall(r"(?<!inex-)\b200\d\b", row.paper_has)}
    years = {int(year) for name in row.on for year in re.findall(r"--year (\d+)", COLLECTIONS[name])}
    assert years <= named or not named
