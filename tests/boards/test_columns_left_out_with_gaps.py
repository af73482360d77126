"""Boards: columns that are left out anyway need no number in every cell, and tasks called as averages stay."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError

GENERATOR = np.random.default_rng(5)
MODELS = [f"org/model-{name}" for name in "abcdefgh"]
TASKS = pd.DataFrame(
    GENERATOR.uniform(20, 95, (8, 5)).round(2), columns=["ArguAna", "BIOSSES", "FEVER", "SciDocs", "TREC"], index=MODELS
)
ITEMS = pd.DataFrame(
    GENERATOR.integers(2, 11, (24, 3)) / 2, columns=["Alpha", "Bêta", "Gamma"], index=[f"Q{at}" for at in range(24)]
)


def means(path, dim="topic"):
    """Return the mean of every system."""
    scores = read_scores(path)
    return scores.mean(dim).sel(metric=scores.metric[0]).to_series().to_dict()


@pytest.mark.parametrize(
    "shot",
    [["95%"] * 8, ["78%", "95%", "95%", "100%", "56%", "95%", "100%", "NA"], [95] * 8, [78, 95, 95, 99, 56, 95, 9, 4]],
)
@pytest.mark.parametrize(
    "memory", [[1278, 29040, "", 418, 27000, 418, 2000, 12], [1278, 29040, "Unknown", 418, 27000, 418, 2000, 12]]
)
def test_a_board_with_the_share_of_unseen_tasks(shot, memory, tmp_path):
    """The columns of MTEB: per cents of unseen tasks and sizes that nobody knows need no --missing."""
    board = TASKS.copy()
    board.insert(0, "Zero-shot", shot)
    board.insert(1, "Memory Usage (MB)", memory)
    board.to_csv(tmp_path / "b.csv", index_label="Model")
    assert means(tmp_path / "b.csv") == pytest.approx(TASKS.mean(axis=1).to_dict())


def test_scores_without_and_with_examples_are_scores():
    """Beside few-shot scores zero-shot ones are no setting."""
    board = TASKS.set_axis(["zero-shot", "few-shot", "FEVER", "SciDocs", "TREC"], axis=1).rename_axis("model")
    assert as_scores(board).sizes["topic"] == 5


def test_gaps_of_what_is_left_out_and_of_what_is_not(tmp_path):
    """Rows of ranks and spreads have no number in the column of means; a score that is not there is asked for."""
    frame = ITEMS.assign(Moyenne=ITEMS.mean(axis=1).round(2), Remarque=np.nan).astype(object)
    frame.loc["Écart-type"] = [*ITEMS.std().round(2), None, None]
    frame.loc["Rang"] = [*ITEMS.mean().rank(ascending=False), None, None]
    frame.to_csv(tmp_path / "x.csv", index_label="Question")
    assert means(tmp_path / "x.csv") == pytest.approx(ITEMS.mean().to_dict())
    frame.loc["Q7", "Bêta"] = None
    frame.drop(columns="Moyenne").to_csv(tmp_path / "x.csv", index_label="Question")
    with pytest.raises(MetaevalError, match=r"line 9: column 'Bêta', row 'Q7': the cell is empty"):
        read_scores(tmp_path / "x.csv")


def test_averages_of_categories_without_their_parts_are_tasks(tmp_path):
    """LiveBench has six columns, Coding Average to Language Average, and Global Average, which is theirs."""
    names = [f"{name} Average" for name in ("Coding", "Data Analysis", "IF", "Language", "Reasoning")]
    board = TASKS.set_axis(names, axis=1)
    full = board.assign(**{"Global Average": board.mean(axis=1).round(2), "Task Average": board.mean(axis=1).round(2)})
    full.to_csv(tmp_path / "b.csv", index_label="Model")
    assert means(tmp_path / "b.csv") == pytest.approx(TASKS.mean(axis=1).to_dict())
    alone = board[["Language Average"]].assign(French=TASKS.BIOSSES, German=TASKS.FEVER, Dutch=TASKS.TREC)
    alone.to_csv(tmp_path / "b.csv", index_label="Model")
    assert "Language Average" not in read_scores(tmp_path / "b.csv").topic.to_numpy()


def test_two_systems_that_rise_with_each_other_rise_with_some():
    """Two of five models are strong on other languages than the rest: none is a mark or a cost."""
    one, two = GENERATOR.normal(size=(2, 19))
    columns = [
        one,
        one + 0.2 * GENERATOR.normal(size=19),
        one + 0.5 * GENERATOR.normal(size=19),
        two,
        two + 0.2 * GENERATOR.normal(size=19),
    ]
    frame = pd.DataFrame(np.array(columns).T, columns=[*"abcde"], index=[f"q{at}" for at in range(19)]).rename_axis(
        "query"
    )
    assert not any("rise" in note for note in as_scores(frame).attrs.get("notes", []))
    marks = frame.drop(columns="e").assign(d=-one)
    assert any("'d' rises with none" in note for note in as_scores(marks).attrs["notes"])
