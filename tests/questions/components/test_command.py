"""`metaeval components`: the answer of the study, costs, judges in the place of metrics, and errors."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.io.tables import read_scores
from metaeval.questions.components.study import study_components


@pytest.fixture
def judged(tmp_path):
    """Write scores of five systems on twelve topics by three judges."""
    draw = np.random.default_rng(0)
    rows = [
        (f"s{system}", f"t{topic}", f"judge{judge}", system + draw.normal())
        for system in range(5)
        for topic in range(12)
        for judge in range(3)
    ]
    path = tmp_path / "judged.csv"
    pd.DataFrame(rows, columns=["system", "topic", "judge", "score"]).to_csv(path, index=False)
    return path


def test_it_is_the_study(command, table):
    """JSON has the components, with the seed that was given."""
    rows = pd.DataFrame(command("components", *table, "--splits", 2, "--json").json()["results"])
    wanted = study_components(read_scores(table), n_splits=2, rng=0).to_frame()
    assert rows["component"].tolist() == wanted["component"].tolist()
    assert rows["share"].to_numpy() == pytest.approx(wanted["share"].to_numpy())


def test_judges_in_the_place_of_metrics(command, judged):
    """A column of judges is named as that of metrics."""
    words = ("components", judged, "--metric-column", "judge", "--judges")
    rows = command(*words, "--json").json()["results"]
    assert [row["component"] for row in rows][:3] == ["system", "judge", "system x judge"]
    shown = command(*words, "--cost", "run=1,judgment=0.5").out
    assert "3 judges" in shown
    assert "For the same cost" in shown or "No other design" in shown


@pytest.mark.parametrize("cost", ["item=1", "run=x", "runs=1", "run=-1", "run=1,run=2", "run"])
def test_costs_that_are_none(command, table, cost):
    """The message says what costs are."""
    ended = command("components", *table, "--cost", cost)
    assert ended.code == 2
    assert "item=5,run=1,judgment=0.2" in ended.err


def test_options_that_do_not_apply(command, table):
    """Repeats that are not there are refused in the words of the command line."""
    ended = command("components", *table, "--repeat", "crossed")
    assert ended.code == 2
    assert "--repeat crossed" in ended.err


def test_columns_called_as_repeats_are_read_as_such_by_the_option_that_the_note_names(command, tmp_path):
    """The note is followed to the letter; then there is none, and the page has repeats."""
    draw = np.random.default_rng(0)
    names = [f"{system}_trial{number}" for system in ("gpt-4", "claude") for number in range(3)]
    path = tmp_path / "tries.csv"
    pd.DataFrame(draw.integers(0, 2, (20, 6)), columns=names).rename_axis("item").to_csv(path)
    words = ("components", path, "--splits", "0")
    (option,) = re.findall(r"(--[a-z-]+) reads them as such", command(*words).out)
    ended = command(*words, option)
    assert "2 systems, 20 items, 3 repeats" in ended.out
    assert "reads them as such" not in ended.out


@pytest.mark.parametrize("aspects", [("coherence",), ("coherence", "fluency")])
def test_a_column_of_judges_is_no_column_of_repeats(command, tmp_path, aspects):
    """Their differences are noise of their own; the way out is followed to the letter, and its design has them."""
    draw = np.random.default_rng(1)
    rows = [
        (judge, item, system, aspect, draw.integers(1, 6))
        for judge in ("ann", "ben", "cat")
        for item in range(8)
        for system in ("x", "y", "z")
        for aspect in aspects
    ]
    frame = pd.DataFrame(rows, columns=["judge", "doc", "system", "dim", "score"])
    frame = frame if len(aspects) > 1 else frame.drop(columns="dim")
    frame.to_csv(path := tmp_path / "judged.csv", index=False)
    refused = command("components", path)
    assert refused.code == 3
    way = re.search(r"pass (--metric-column judge --judges[^;]*);", " ".join(refused.err.split()))[1]
    assert ("--where dim=coherence" in way) == (len(aspects) > 1)
    assert "3 systems, 8 items, 3 judges" in command("components", path, *way.split()).out
