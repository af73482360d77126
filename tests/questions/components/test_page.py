# ruff: noqa: RUF001 - the sign of a product is meant
"""The page of components of variance: one figure in all places, repeats on the leaderboard's page, what is left out."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.io.tables import read_scores
from metaeval.models import variance_components
from metaeval.questions.components.page import design_sentences
from metaeval.questions.components.study import study_components
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.table.scores import as_scores

pytestmark = pytest.mark.usefixtures("one_core")


def tried(*, repeats=4, gaps=0.0, seed=5):
    """Return passes and failures of six systems on thirty items, several times each."""
    draw = np.random.default_rng(seed)
    level = np.linspace(-1, 1, 6)[:, None, None] + draw.normal(0, 0.7, (1, 30, 1)) + draw.normal(0, 0.5, (6, 30, 1))
    passed = (level + draw.normal(size=(6, 30, repeats)) > 0).astype(float)
    passed = np.where(draw.random(passed.shape) < gaps, np.nan, passed)
    return as_scores(passed[None], metrics=["accuracy"], missing="pairwise")


def test_the_sentences_stand_on_both_pages():
    """What the leaderboard says of repeats is what the page of components says."""
    scores = tried()
    board = study_leaderboard(scores, n_resamples=100, n_splits=2, rng=1).report()
    (section,) = (one for one in board.sections if one.id == "sources")
    words = section.blocks[0].paragraphs
    page = study_components(scores, n_splits=0, rng=1).report()
    assert page.summary[1].endswith(words[0])
    assert words[1] in page.summary[2]
    found = variance_components(scores)
    assert words == design_sentences(found, found.cheapest())
    assert not any(
        one.id == "sources" for one in study_leaderboard(tried(repeats=1), n_splits=2, rng=1).report().sections
    )


def test_a_page_with_gaps_repeats_and_tries():
    """Every section stands there; the methods name the likelihood and cite it."""
    report = study_components(tried(gaps=0.2), n_splits=2, rng=1, cost={"item": 5.0, "run": 1.0}).report()
    assert [one.id for one in report.sections] == ["shares", "design", "designs", "cheapest", "conclusions", "tries"]
    assert "restricted maximum likelihood" in report.methods.paragraphs[0]
    assert {"searle1992", "brennan2001"} <= set(report.methods.cite)
    costs = next(one for one in report.tables() if one.name == "costs")
    assert "item 5 and run 1" in costs.caption
    assert "Repeats are nested" in report.methods.paragraphs[0]


def systems_apart(*steps):
    """Return three systems on twelve topics under a metric for each step, systems so far apart."""
    draw = np.random.default_rng(1)
    topics, noise = draw.random(12), draw.normal(0.0, 0.1, (3, 12))
    return as_scores(np.array([step * np.arange(3)[:, None] + topics + noise for step in steps]))


@pytest.mark.parametrize(
    ("steps", "opening", "words"),
    [
        ((0.04,), "The share of noise in the variance between two systems on one topic is open: ", "] under "),
        ((1.0,), "The only source of noise is systems × topics (repeats included): ", "] of the variance"),
        ((0.04, 0.05), "Under both metrics the share of noise in", " is open: from "),
        (
            (1.0, 1.5),
            "Under both metrics the only source of noise is systems × topics: ",
            " of the variance",
        ),
    ],
)
def test_a_share_of_which_all_is_possible_is_open(steps, opening, words):
    """The only source is named with its share where it is known whether noise outweighs the systems, else as open."""
    study = study_components(systems_apart(*steps), n_splits=0, rng=1)
    found = study.components.components.query("component == 'system x topic'")
    beside_half = (found["difference_low"] >= 0.5) | (found["difference_high"] <= 0.5)
    assert beside_half.all() == ("only source" in opening)
    second = study.report().summary[1]
    assert second.startswith(opening)
    assert words in second


def test_the_first_sentence_says_how_much_is_of_topics_and_of_systems():
    """Mean squares by hand; of two systems on one topic those of topics cancel, and the second paragraph says so."""
    values = systems_apart(1.0)
    summary = study_components(values, n_splits=0, rng=1).report().summary
    table = values.to_numpy()[0]
    n_systems, n_topics = table.shape
    systems, topics = table.mean(axis=1), table.mean(axis=0)
    rest = (table - systems[:, None] - topics + table.mean()).var() * table.size / ((n_systems - 1) * (n_topics - 1))
    parts = {"systems": systems.var(ddof=1) - rest / n_topics, "topics": topics.var(ddof=1) - rest / n_systems}
    total = rest + sum(parts.values())
    said = {name: f"{100 * part / total:.1f} %" for name, part in parts.items()}
    assert summary[0] == (
        f"Of the variance of a score systems make {said['systems']}, topics {said['topics']} and "
        f"systems × topics (repeats included) {100 * rest / total:.1f} % under metric1."
    )
    assert "of the variance between two systems on one topic under metric1, where topics cancel." in summary[1]


@pytest.mark.parametrize("gaps", [0.0, 0.5])
@pytest.mark.parametrize("repeats", [1, 2])
def test_the_design_in_words(gaps, repeats):
    """Items, their mean where systems have different ones, and repeats, in one order."""
    draw = np.random.default_rng(1)
    values = tried(repeats=repeats).to_numpy().copy()
    values[0, draw.random((6, 30)) < gaps] = np.nan
    said = study_components(as_scores(values, missing="pairwise"), n_splits=0, rng=1).report().summary[1]
    mean, times = r" \(harmonic mean over systems\)" if gaps else "", rf", each {repeats} times" if repeats > 1 else ""
    assert re.search(rf"This design, \d+ topics{mean}{times}: differences between systems have", said), said


def test_infinite_numbers_are_written():
    """Where no number of items is enough the page says so, and the cheapest design for the target is left out."""
    values = tried().to_numpy()[0].mean(axis=2)
    level = values - values.mean(axis=1, keepdims=True) + np.linspace(0, 1e-4, 6)[:, None]
    report = study_components(level[None], n_splits=0, rng=1).report()
    assert "∞" in report.key_figures.frame["items_needed"].item()
    costs = next(one for one in report.tables() if one.name == "costs")
    assert "Eρ² 0.95" not in costs.frame["wish"].tolist()


def test_data_are_written(tmp_path):
    """Components, dependability and plans stand in the folder."""
    study_components(tried(), n_splits=0, rng=1).save(tmp_path / "page")
    for name in ("components", "dependability", "plan"):
        assert len(pd.read_csv(tmp_path / "page" / "data" / f"{name}.csv"))


def test_tries_stand_in_the_terminal_and_in_the_data(tmp_path):
    """How often a model solves a task in all of five tries: x 19 and y 21 of 30 tries, 2 and 3 of 6 tasks."""
    solved = np.array([[5, 5, 4, 3, 1, 1], [5, 5, 5, 3, 2, 1]])  # of five tries at each item
    values = np.arange(5)[None, None] < solved[..., None]
    scores = as_scores(values[None].astype(float), systems=["x", "y"], metrics=["solved"])
    report = study_components(scores, n_splits=2, rng=1).report()
    assert next(one for one in report.sections if one.id == "tries").brief
    report.save(tmp_path / "noise")
    table = pd.read_csv(tmp_path / "noise" / "data" / "tries.csv").set_index(["system", "k"])
    expected = {("x", 1): 19 / 30, ("x", 5): 2 / 6, ("y", 1): 21 / 30, ("y", 5): 3 / 6}
    for key, value in expected.items():
        assert table.loc[key, "all"] == pytest.approx(value)
    assert table.loc[("x", 1), "any"] == pytest.approx(19 / 30)


def test_the_trials_of_one_system_are_no_systems(data_folder):
    """Of tau-bench: a one-way analysis by hand gives nearly these shares of items and repeats; systems are left out."""
    path = data_folder / "generalisability" / "tau-bench_gpt-4o_airline.csv"
    if not path.exists():
        pytest.skip(f"no trials in {path}")
    study = study_components(read_scores(path), n_splits=0, rng=1)
    passed = pd.read_csv(path).filter(like="trial").to_numpy()
    within = passed.var(axis=1, ddof=1).mean()
    among = passed.mean(axis=1).var(ddof=1) - within / passed.shape[1]
    by_hand = among / (among + within)
    assert study.to_frame().set_index("component")["share"]["topic"] == pytest.approx(by_hand, abs=0.01)
    report = study.report()
    (first,) = report.summary
    assert first.startswith("trial0, trial1, trial2, trial3 are called as repeats of one system. If they are, ")
    assert "make 39.9 % [" in first
    assert "and repeats 60.1 % [" in first
    assert report.key_figures is None
    assert [section.id for section in report.sections] == ["shares"]


def test_the_largest_source_has_a_share_of_the_noise():
    """What truly differs between systems is no noise: without it two sources make all, however far systems are."""
    draw = np.random.default_rng(2)
    noise = draw.normal(0, 0.5, (6, 60, 1)) + draw.normal(0, 1.0, (6, 60, 3))
    near, far = (study_components((noise + gap * np.arange(6)[:, None, None])[None], n_splits=0) for gap in (0.0, 2.0))
    rows = [study.to_frame().set_index("component") for study in (near, far)]
    assert rows[0]["noise_share"].dropna().sum() == pytest.approx(1.0)
    assert rows[0]["noise_share"]["repeat"] == pytest.approx(rows[1]["noise_share"]["repeat"])
    assert rows[1]["difference_share"]["repeat"] < 0.5 < rows[1]["noise_low"]["repeat"]
    assert "The largest source of noise is repeats: " in far.report().summary[1]
