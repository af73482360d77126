"""Counts beside the shares that they make, and sums and means beside right and wrong answers, are no scores."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError
from metaeval.io.means import MeansAloneError
from metaeval.table.counted_shares import counted_shares, multiples
from metaeval.table.evidence import made_of_others
from metaeval.table.means import as_means, is_board

AGENTS = ["Aider", "SWE-agent", "OpenHands", "Devin"]
PASSED = np.array([18, 20, 26, 25])
ERRORS = [0.0786607, 0.0790569, 0.0754155, 0.0765466]
"""sqrt(18 x 22 / 40^3), sqrt(20 x 20 / 40^3), and so on."""
COUNTS = pd.DataFrame({"agent": AGENTS, "passed": PASSED, "failed": 40 - PASSED, "total": 40, "rate": PASSED / 40})
ANSWERS = np.array(
    [[(agent * 7 + task * (agent + 3)) % 5 < 3 for task in range(30)] for agent in range(5)], dtype=float
)


def table_of_answers():
    """Return five systems in rows with right and wrong answers to thirty tasks, of which they have other numbers."""
    tasks = pd.DataFrame(ANSWERS, columns=[f"T{task:02d}" for task in range(30)]).astype(int)
    tasks.loc[1, ["T00", "T01", "T02", "T03"]] = 0
    tasks.loc[2, tasks.columns[:8]] = 1
    tasks.insert(0, "Agent", ["v", "w", "x", "y", "z"])
    return tasks


# ------------------------------------------------------------------------------------------- counts beside their shares


@pytest.mark.parametrize("columns", [["passed", "total"], ["passed", "failed"], ["failed", "total", "passed"]])
@pytest.mark.parametrize("scale", [1, 100])
def test_counts_give_shares_their_standard_errors(columns, scale, tmp_path):
    """A board of passed, total and rate has one metric, whose error is the square root of p (1 - p) / 40."""
    board = COUNTS[["agent", *columns]].assign(rate=scale * COUNTS["rate"])
    board.to_csv(tmp_path / "board.csv", index=False)
    with pytest.raises(MeansAloneError) as alone:
        read_scores(tmp_path / "board.csv")
    for means in (as_means(board), alone.value.board):
        assert means.metrics == ("rate",)
        np.testing.assert_allclose(means.means[0], scale * PASSED / 40)
        np.testing.assert_allclose(means.errors[0], scale * np.array(ERRORS), rtol=1e-6)
        assert means.n[0].tolist() == [40] * 4
        assert "√(p (1 - p) / n), as of right and wrong answers" in " ".join(means.notes)


def test_a_share_of_none_or_all_has_the_error_of_an_exact_interval():
    """Of 40 answers the exact 95 % interval around 0 ends at 1 - .025^(1/40) = .0881: half of it over 1.96 is .0225."""
    board = COUNTS.assign(passed=[0, 20, 26, 40], rate=np.array([0, 20, 26, 40]) / 40)
    np.testing.assert_allclose(as_means(board).errors[0][[0, 3]], 0.0881 / 2 / 1.96, rtol=1e-3)


def test_other_columns_of_a_board_of_counts_are_left_out():
    """Nobody knows the error of a metric beside the rate, and the note says that it is left out."""
    assert "left out columns failed, BLEU" in as_means(COUNTS.assign(BLEU=[21.4, 30.2, 25.5, 19.9])).notes


def test_counts_and_shares_of_single_answers_are_no_board():
    """Where the answers stand in the same row, they tell more than their share."""
    tasks = table_of_answers().drop(columns="Agent")
    sums = tasks.sum(axis=1)
    frame = tasks.assign(passed=sums, total=30, rate=sums / 30)
    frame.insert(0, "Agent", [*"vwxyz"])
    assert not is_board(frame)
    assert as_scores(frame).sizes["topic"] == 30


def test_shares_of_several_rows_a_system_are_no_board_of_systems():
    """Tests passed of every task are scores by task."""
    rows = pd.concat([COUNTS.assign(case=case) for case in "xyz"])
    assert not is_board(rows[["case", "agent", "passed", "total", "rate"]])


@pytest.mark.parametrize("rate", [[0.45, 0.5, 0.65, 0.61], [18.0, 20.0, 26.0, 25.0]])
def test_what_counts_do_not_make_is_no_share_of_them(rate):
    """25 of 40 is .625, and a column that repeats the counts says nothing of them."""
    assert counted_shares(COUNTS[["passed", "total"]].assign(rate=rate).to_numpy(dtype=float)) == []


def test_a_count_beside_its_rate_is_no_second_topic(tmp_path):
    """Passed and rate alone say one thing twice: a mean of both, 45.5, is none."""
    (tmp_path / "board.csv").write_text("agent,passed,rate\na,18,45.0\nb,20,50.0\nc,26,65.0\nd,25,62.5\n")
    with pytest.raises(MetaevalError, match="rate seems to be one score a system without topics"):
        read_scores(tmp_path / "board.csv")
    assert multiples(np.array([[18, 0.45], [20, 0.5], [26, 0.64]])) == {}


def test_the_error_of_per_cents_is_asked_for_on_their_scale(tmp_path):
    """45 x (1 - 45) is below 0, and has no square root."""
    (tmp_path / "board.csv").write_text("agent,n,rate\na,39,45.0\nb,39,50.0\nc,39,65.0\n")
    with pytest.raises(MetaevalError, match=re.escape("rate_stderr, √(p (100 - p) / n)")):
        read_scores(tmp_path / "board.csv")


# ------------------------------------------------------------------------------------- sums beside right and wrong ones


@pytest.mark.parametrize("names", [("bestanden", "Quote"), ("passed", "rate"), ("geschafft", "xyz")])
@pytest.mark.parametrize("made", [(0, 1), (0,), (1,)])
@pytest.mark.parametrize("scale", [1, 100])
def test_sums_and_means_of_answers_are_left_out_whatever_they_are_called(names, made, scale, tmp_path):
    """Thirty tasks stay, with systems in rows and in columns, in a file and in memory."""
    tasks = table_of_answers()
    answers = tasks.drop(columns="Agent")
    columns = (answers.sum(axis=1), (scale * answers.mean(axis=1)).round(4))
    frame = tasks.assign(**{names[at]: columns[at] for at in made})
    turned = frame.set_index("Agent").T.rename_axis("task")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    turned.to_csv(tmp_path / "columns.csv")
    for scores in (read_scores(tmp_path / "rows.csv"), read_scores(tmp_path / "columns.csv"), as_scores(frame)):
        assert scores.sizes["topic"] == 30
        means = scores.sel(system=[*"vwxyz"]).mean("topic").to_numpy()[0]
        np.testing.assert_allclose(means, answers.mean(axis=1))
        assert all(any(repr(names[at]) in note for note in scores.attrs["notes"]) for at in made)


def test_the_number_of_wrong_answers_is_no_task():
    """Thirty less the sum."""
    answers = table_of_answers().drop(columns="Agent").to_numpy(dtype=float).T
    rows = np.vstack([answers, 30 - answers.sum(axis=0)])
    (made,) = made_of_others([f"T{task}" for task in range(31)], rows)
    assert (made.place, made.sure) == (30, True)
    assert made.what.startswith("the number of zeros of 'T0'")


def test_a_task_with_credit_in_parts_stays_beside_answers():
    """Thirds of points are the mean of nothing."""
    frame = table_of_answers().assign(essay=[0.33, 0.67, 1.0, 0.33, 0.0])
    assert as_scores(frame).sizes["topic"] == 31


def test_few_units_do_not_make_a_task_a_mean_for_sure():
    """Of three systems and four tasks luck makes a mean in 1 of 125: the note says so, and the task stays."""
    rows = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1.0]])
    (made,) = made_of_others([*"abcde"], np.vstack([rows, rows.mean(axis=0)]))
    assert (made.place, made.sure) == (4, False)


def test_topics_that_no_row_has_are_looked_over_without_a_warning():
    """More than sixty rows, all empty on one unit: an answer and no word from another program."""
    values = np.random.default_rng(3).uniform(size=(70, 12)).round(3)
    values[:, 4] = np.nan
    assert made_of_others([f"s{at}" for at in range(70)], values) == []
