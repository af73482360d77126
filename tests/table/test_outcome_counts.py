"""Tables of how many answers of each system were right, partly right and wrong hold no scores of items."""

import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError
from metaeval.io.means import MeansAloneError
from metaeval.table.outcome_counts import outcomes

COUNTS = pd.DataFrame(
    {"hallucinated": [12, 20, 9, 31], "supported": [80, 70, 88, 55], "unclear": [8, 10, 3, 14]},
    index=pd.Index(["alpha", "beta", "gamma", "epsilon"], name="model"),
)
GRADES = pd.DataFrame(
    {"grade 0": [40, 20, 25], "grade 1": [30, 30, 25], "grade 2": [20, 30, 30], "grade 3": [10, 20, 20]},
    index=pd.Index(["bm25", "e5", "splade"], name="system"),
)
RIGHT_OR_NOT = pd.DataFrame(
    {"right": [41, 40, 16], "partly": [8, 12, 20], "wrong": [11, 8, 24]},
    index=pd.Index(["GPT", "Claude", "Mistral"], name="model"),
)
TABLES = [COUNTS, GRADES, RIGHT_OR_NOT, COUNTS / 100, COUNTS.assign(total=100), RIGHT_OR_NOT.assign(n=60)]


@pytest.mark.parametrize("table", TABLES)
def test_counts_of_outcomes_are_refused_as_scores(table, tmp_path):
    """From files and in memory: every system has the same sum, so the same mean."""
    table.to_csv(tmp_path / "counts.csv")
    for read in (lambda: read_scores(tmp_path / "counts.csv"), lambda: as_scores(table)):
        with pytest.raises(MetaevalError, match=r"sum to (1|60|100) for every system") as refused:
            read()
        assert len(str(refused.value)) <= 600
        assert re.search(r"their share( \(for '\w+', where these are counts: awk '[^']*'\))?\. ", str(refused.value))


def test_so_they_are_with_a_column_a_system(tmp_path):
    """Outcomes in rows."""
    COUNTS.T.rename_axis("label").to_csv(tmp_path / "counts.csv")
    with pytest.raises(MetaevalError, match="'hallucinated', 'supported', 'unclear' sum to 100 for every system"):
        read_scores(tmp_path / "counts.csv", systems_in="columns")


@pytest.mark.parametrize("table", [COUNTS, COUNTS.assign(supported_rate=COUNTS["supported"] / 100)])
def test_the_filter_makes_a_board_with_errors_of_shares(table, tmp_path):
    """Of alpha's 100 answers 80 are supported: .8, whose error is sqrt(.8 x .2 / 100) = .04."""
    path = tmp_path / "counts.csv"
    table.to_csv(path)
    with pytest.raises(MetaevalError) as refused:
        read_scores(path)
    program = re.search(r"awk '([^']*)'", str(refused.value))[1]
    board = subprocess.run(["awk", program, str(path)], capture_output=True, check=True)  # noqa: S607 - our own
    (tmp_path / "board.csv").write_bytes(board.stdout)
    with pytest.raises(MeansAloneError) as alone:
        read_scores(tmp_path / "board.csv")
    means = alone.value.board
    assert means.means[0].tolist() == [0.8, 0.7, 0.88, 0.55]
    assert means.errors[0][0] == pytest.approx(0.04)


def test_whoever_says_so_keeps_them(tmp_path):
    """A form that somebody asks for is read."""
    COUNTS.to_csv(tmp_path / "counts.csv")
    assert read_scores(tmp_path / "counts.csv", form="wide", systems_in="rows").sizes["system"] == 4


def test_scores_stay_scores():
    """Ranks by topic sum to one number a topic, not a system; few answers are equal by luck."""
    ranks = np.array([[1.0, 2, 3, 1], [2, 1, 1, 2], [3, 3, 2, 3]])
    answers = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]])
    grades = np.array([[3.0, 4, 5], [4, 4, 4]])
    for scores in (ranks, answers, grades, np.array([[0.5, 0.3, 0.9], [0.4, 0.6, 0.7], [0.2, 0.1, 0.3]])):
        assert outcomes(scores) == ([], 0.0)
