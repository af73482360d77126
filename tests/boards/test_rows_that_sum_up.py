"""Rows below the items that hold their spread, ends or middle are no items, whatever they are called."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError

ITEMS = pd.DataFrame(
    np.random.default_rng(11).uniform(0, 100, (80, 6)).round(1),
    columns=["Fuse", "Hermes", "Mixtral", "Qwen", "Alpaka", "Null"],
    index=[f"vicuna_{number}" for number in range(80)],
).rename_axis("Frage")
SPREADS = ["Standardabw.", "St. dev.", "DE", "s", "Desv. típ.", "St.Abw.", "zzz"]
OTHERS = {"min": "yyy", "max": "xxx", "median": "www"}


def doors(frame, path):
    """Return the scores of a frame, read from a file and in memory."""
    frame.to_csv(path)
    return read_scores(path), as_scores(frame.rename_axis("item"))


def mean_of(scores):
    """Return the mean of every system."""
    return scores.mean("topic").sel(metric=scores.metric[0]).to_series().to_dict()


@pytest.mark.parametrize("n_items", [20, 80])
@pytest.mark.parametrize("name", SPREADS)
def test_the_standard_deviation_of_the_items_is_none(name, n_items, tmp_path):
    """Below the mean stands the standard deviation, as pandas has it, in two decimals."""
    items = ITEMS.head(n_items)
    frame = pd.concat([items, items.agg(["mean", "std"]).round(2).set_axis(["Mittelwert", name])]).rename_axis("Frage")
    for scores in doors(frame, tmp_path / "x.csv"):
        assert mean_of(scores) == pytest.approx(items.mean().to_dict())
        assert name in " ".join(scores.attrs["notes"])


@pytest.mark.parametrize("kind", OTHERS)
def test_ends_and_middle_of_many_items_are_told_by_their_numbers(kind, tmp_path):
    """Of 80 items the least, the largest or the middle one of every system is a row without a name for it."""
    frame = pd.concat([ITEMS, ITEMS.agg([kind]).set_axis([OTHERS[kind]])]).rename_axis("Frage")
    for scores in doors(frame, tmp_path / "x.csv"):
        assert mean_of(scores) == pytest.approx(ITEMS.mean().to_dict())


@pytest.mark.parametrize("name", ["s", "DE"])
def test_items_called_by_letters_are_items(name, tmp_path):
    """German among languages has scores of its own."""
    frame = pd.concat([ITEMS, ITEMS.sample(1, random_state=1).set_axis([name]) / 2]).round(1).rename_axis("Frage")
    for scores in doors(frame, tmp_path / "x.csv"):
        assert name in scores.topic.to_numpy()


COMPARED = pd.DataFrame(
    {"new": [0.91, 0.85, 0.72, 0.66], "mid": [0.88, 0.71, 0.74, 0.62], "base": [0.71, 0.69, 0.60, 0.61],
     "old": [0.5, 0.6, 0.4, 0.7]},
    index=pd.Index(["u1", "u2", "u3", "u4"], name="utterance"),
)  # fmt: skip
GAINS = COMPARED.mean() - COMPARED["base"].mean()
BELOW = {
    "\N{GREEK CAPITAL LETTER DELTA} vs base": GAINS.round(3),
    "Ahead": GAINS.round(3),
    "Relative gain": (GAINS / COMPARED["base"].mean()).round(3),
    "Relative gain (%)": (100 * GAINS / COMPARED["base"].mean()).round(1),
    "p-value vs base": pd.Series({"new": 0.001, "mid": 0.02, "base": 1.0, "old": 0.13}),
    "Improvement over base": pd.Series({"new": 0.21, "mid": 0.11, "base": 0.0, "old": -0.2}),
}


@pytest.mark.parametrize("name", BELOW)
@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("missing", ["error", "pairwise", "drop-systems"])
def test_rows_that_compare_systems_with_one_are_no_items(name, gap, missing, tmp_path):
    """By their numbers or their names; the cell of that system itself may be empty."""
    row = BELOW[name].mask(BELOW[name].index == "base") if gap else BELOW[name]
    path = tmp_path / "t.csv"
    pd.concat([COMPARED, row.to_frame(name).T]).rename_axis("utterance").to_csv(path)
    scores = read_scores(path, missing=missing)
    assert scores["topic"].to_numpy().tolist() == ["u1", "u2", "u3", "u4"]
    assert scores["system"].to_numpy().tolist() == ["new", "mid", "base", "old"]
    assert any(f"left out item {name!r}" in note for note in scores.attrs["notes"])


def test_items_near_a_difference_of_means_stay():
    """An item on which one system has 0 and the others what they have."""
    frame = COMPARED.T.assign(u5=[0.31, 0.24, 0.0, 0.07]).T
    assert as_scores(frame.rename_axis(columns="system")).sizes["topic"] == 5


def test_what_describe_returns_is_no_table_of_items():
    """The frame itself is."""
    with pytest.raises(MetaevalError, match="pass the frame itself"):
        as_scores(COMPARED.describe())
    assert as_scores(COMPARED).sizes["topic"] == 4


@pytest.mark.parametrize("name", ["Classification (mean)", "Avg. classification"])
def test_the_mean_of_tasks_of_a_kind_is_no_task(name, tmp_path):
    """Rounded as people round, and its tasks stand anywhere in the table."""
    tasks = ["NewsClassification", "MSMARCO", "EmailClassification", "STS12", "BankingClassification", "TRECCOVID"]
    rng = np.random.default_rng(4)
    board = pd.DataFrame(rng.uniform(40, 90, (5, 6)).round(2), index=[f"m{at}" for at in range(5)], columns=tasks)
    board[name] = board[[task for task in tasks if "Class" in task]].mean(axis=1).round(2)
    (tmp_path / "b.csv").write_text(board.to_csv(index_label="Model"))
    assert sorted(read_scores(tmp_path / "b.csv")["topic"].to_numpy().tolist()) == sorted(tasks)


def test_the_row_of_a_grand_total_is_in_no_group(tmp_path):
    """As pivot tables write it: twenty-four items lie in six groups."""
    lines = [
        f"{group},q{group}{at},.{at}{number},.{number}{at}" for number, group in enumerate("abcdef", 2) for at in "2468"
    ]
    (tmp_path / "t.csv").write_text("\n".join(["category,task,new,old", *lines, "Grand Total,,.5,.4"]))
    notes = read_scores(tmp_path / "t.csv").attrs["notes"]
    assert any("puts 24 items into 6 groups" in note for note in notes)
