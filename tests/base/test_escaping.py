"""Names that hide something: shown in full wherever people read, and whole wherever programs do."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from metaeval.base.checks import has_parquet
from metaeval.base.escaping import csv_text, shielded, visible
from metaeval.cli import console
from metaeval.io.tables import read_scores, write_scores
from metaeval.page.json_answer import json_document
from metaeval.page.tables import Column, Table
from metaeval.page.terminal import terminal_table
from metaeval.questions.power.study import study_power
from metaeval.table.scores import as_scores

NAMES = ["run\u202egnp.exe", "[red]markup[/red]", "=cmd|' /C calc'!A0", "@home", "-x"]
ESCAPES = "\x1b[31mred\x1b[0m"
"""Scores refuse controls in names; messages quote them, and so do tables of other things."""
HIDDEN = "\x1b\u202e\x9b"


@pytest.fixture(scope="module")
def scores():
    """Make scores of systems with such names."""
    values = np.random.default_rng(3).random((1, len(NAMES), 12)).round(3)
    return as_scores(values, metrics=["AP"], systems=NAMES)


def test_hidden_letters_are_written_out():
    """Controls, both ways of writing and halves of letters; letters of any script stay."""
    assert visible("a\x1bb\u202ec\u2028d\ud800e\x7f") == r"a\u001bb\u202ec\u2028d\ud800e\u007f"
    assert visible("naïve 日本語 सत्य \u200d😀") == "naïve 日本語 सत्य \u200d😀"
    assert visible("two\nlines\t", keep="\n") == "two\nlines\\u0009"


@pytest.mark.parametrize("words", ["=1+1", "+x", "-x", "@home", "\tx", "--"])
def test_what_a_spreadsheet_would_compute_is_text_to_it(words):
    """An apostrophe before it, also where a name is a heading; Parquet, R and pandas see numbers as numbers."""
    assert shielded(words) == f"'{words}"
    frame = pd.DataFrame({words: [-0.5, np.nan], "name": [words, "bm25"], "kind": pd.Categorical([words, "x"])})
    read = pd.read_csv(io.StringIO(csv_text(frame)))
    assert read.columns.tolist() == [f"'{words}", "name", "kind"]
    assert read["name"].tolist() == [f"'{words}", "bm25"]
    assert read["kind"].tolist() == [f"'{words}", "x"]
    assert read.iloc[0, 0] == -0.5


@pytest.mark.parametrize("value", ["-0.5", "+1", "-inf", "1e-5", -0.25, None, 7, "bm25", ""])
def test_numbers_and_ordinary_names_stay(value):
    """Also numbers written as text."""
    assert shielded(value) is value


def test_a_report_about_such_names(scores, tmp_path, monkeypatch):
    """Page, tables, figures and data hold no hidden letter and no formula; Parquet and NetCDF the names themselves."""
    monkeypatch.setattr("metaeval.page.folder.figure_pdf", lambda _: b"")  # the slow part
    study = study_power(scores, tests=["t"], n_topic_resamples=None, rng=0)
    replace(study.report(), warnings=(f"left out: {ESCAPES}",)).save(tmp_path / "report")
    written = [path for path in (tmp_path / "report").rglob("*") if path.suffix in {".html", ".svg", ".tex"}]
    assert len({path.suffix for path in written}) == 3
    for path in written:
        assert not set(HIDDEN) & set(path.read_text(encoding="utf-8")), path
    assert "\\u202e" in (tmp_path / "report" / "index.html").read_text()
    for path in (tmp_path / "report").rglob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False).to_numpy().ravel()
        assert all(shielded(cell) == cell for cell in cells), path
    for name in ("scores.nc", *(["scores.parquet"] if has_parquet() else [])):
        assert read_scores(tmp_path / "report" / "data" / name)["system"].to_numpy().tolist() == NAMES


@pytest.mark.parametrize("ending", [".csv", ".tsv", pytest.param(".parquet", marks=pytest.mark.parquet), ".nc"])
def test_scores_keep_their_names(scores, tmp_path, ending):
    """What metaeval writes to be read again holds every name as it is, whatever a spreadsheet may make of it."""
    assert read_scores(write_scores(scores, tmp_path / f"scores{ending}"))["system"].to_numpy().tolist() == NAMES


def test_the_terminal_shows_names_as_they_are_written(capsys):
    """Neither escape sequences nor rich's own markup in a name is obeyed, in cells, headings, titles or warnings."""
    stream = io.StringIO()
    columns = tuple(Column(name=f"c{place}", label=name) for place, name in enumerate(NAMES))
    frame = pd.DataFrame([dict(zip([column.name for column in columns], [ESCAPES, *NAMES[1:]], strict=True))])
    table = Table(name="t", title=ESCAPES, caption=NAMES[1], frame=frame, columns=columns)
    Console(file=stream, force_terminal=True, width=400).print(terminal_table(table))
    shown = stream.getvalue()
    assert shown.count("[red]markup[/red]") == 3
    assert "\\u001b[31mred" in shown
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
    console.answer(NAMES[0])
    console.Session(quiet=False).say(NAMES[1] + ESCAPES)
    captured = capsys.readouterr()
    assert captured.out == "run\\u202egnp.exe\n"
    assert captured.err == "[red]markup[/red]\\u001b[31mred\\u001b[0m\n"


def test_json_holds_the_names_and_nothing_hidden(scores):
    """Its own escapes say the same."""
    study = study_power(scores, tests=["t"], n_topic_resamples=None, rng=0)
    rows = [{"system": name} for name in (*NAMES, ESCAPES, "\x9b2J")]
    words = json_document("power", rows, provenance=study.provenance, said={})
    assert [row["system"] for row in json.loads(words)["results"]] == [*NAMES, ESCAPES, "\x9b2J"]
    assert not set(HIDDEN) & set(words)
