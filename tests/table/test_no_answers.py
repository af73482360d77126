"""Numbers that stand for no answer: told by the scale of all others, and numbers of the same look that are scores."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.items import item_scores
from metaeval.errors import ScoresError
from metaeval.table.no_answers import codes_among

LIKERT = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("grades", "codes"),
    [
        *((LIKERT, [code]) for code in (-99, -9, -8, -1, 9, 66, 77, 88, 98, 99, 999)),
        (LIKERT, [98, 99]),
        (LIKERT, [8, 9]),
        (LIKERT, [-1, 99]),
        ([0, 1], [9]),
        ([1, 3, 5], [99]),
        (range(11), [99]),
        (range(101), [999]),
        ([0.25, 0.5, 0.75], [-9]),
        ([1, 1.5, 2, 4.5], [99]),
    ],
)
def test_codes_are_told_by_the_scale_of_all_others(grades, codes):
    """Each as surveys write it, which no scale that people use holds beside the rest."""
    found = codes_among(np.array([*grades, *codes] * 3, dtype=float))
    assert found.counts == dict.fromkeys(sorted(codes), 3)
    assert (found.low, found.high) == (min(grades), max(grades))


@pytest.mark.parametrize(
    "scores",
    [
        range(101),  # points of direct assessment
        range(10),  # 0 to 9
        [1, 2, 3, 4, 5, 6, 7, 9],  # 1 to 9, and nobody said 8
        [-1, 0, 1],  # worse, equal, better
        [-2, -1, 1, 2],
        [-1, 0, 1, 2],  # perhaps spam, as in judgments of TREC
        [-25, -5, -1, 0],  # MQM
        [0, 1, 5, 10, 25],
        [1, 3, 9],
        [0, 50, 99],
        [77, 80, 88, 99],  # per cents of four systems
        [-1, 40, 3, 7],  # gains
        [99, 98, 97, 1000],
        [0.1, 0.9, -1],
        [99],
        [],
    ],
)
def test_scores_of_other_scales_hold_no_codes(scores):
    """Look-alikes: numbers of surveys' codes that belong to the scale."""
    assert not codes_among(np.array([*scores] * 3, dtype=float)).counts


def test_few_numbers_are_no_scale():
    """Four systems with 1, 2, 3 and 99 errors: numbers that do not recur are counts."""
    assert not codes_among(np.array([1.0, 2.0, 3.0, 88.0])).counts
    assert not codes_among(np.array([*LIKERT, 99.0] * 3), said=[99.0]).counts


@pytest.mark.parametrize("column", ["human", "A"])
def test_a_code_never_enters_a_comparison_with_people(column, item_frame):
    """Neither in the human score nor in a metric of grades: the message names it and how often it is there."""
    frame = item_frame.assign(**{column: np.resize([1, 2, 3, 4, 99, 2, 3], len(item_frame))})
    n = int((frame[column] == 99).sum())
    with pytest.raises(ScoresError, match=rf"column '{column}' holds 99 \({n}\) where all others are 1 to 4"):
        item_scores(frame, reference="human")


@pytest.fixture
def item_frame():
    """Three systems on ten items, with human scores and a metric."""
    rng = np.random.default_rng(0)
    names = [(system, str(item)) for system in "xyz" for item in range(10)]
    frame = pd.DataFrame(names, columns=["system", "item"])
    return frame.assign(human=rng.normal(size=30), A=rng.normal(size=30))
