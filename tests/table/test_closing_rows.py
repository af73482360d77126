"""Rows below, or above, the items of a table that sum them up, whatever they are called."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval.io.tables import read_scores
from metaeval.table.closing_rows import closing_rows
from metaeval.table.scores import as_scores

FINITE = st.floats(allow_nan=False, allow_infinity=False)
N_ITEMS = 120
RIGHT = {"old": 76, "new": 75}
"""Right answers of each system, of 120: 63.3 and 62.5 per cent."""
ROWS = {
    "counts and per cents": [("Summe", 76, 75), ("%", 63.3, 62.5)],
    "per cents": [("%", 63.3, 62.5)],
    "whole per cents": [("Prozent", 63, 63)],
    "called accuracy": [("Accuracy (%)", 63.3, 62.5)],
    "counts": [("richtig", 76, 75)],
    "right, wrong, all": [("richtig", 76, 75), ("falsch", 44, 45), ("zusammen", 120, 120)],
    "counts and means": [("richtig", 76, 75), ("Quote", 0.633, 0.625)],
    "means": [("Quote", 0.633, 0.625)],
}


def answers(n_items=N_ITEMS, right=RIGHT, seed=5):
    """Return answers of systems that are right so often, in rows called as questions."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.permutation(np.arange(n_items) < n_right).astype(float) for name, n_right in right.items()}
    return pd.DataFrame(columns, index=[f"Q{at + 1}" for at in range(n_items)]).rename_axis("question")


def closed(frame, rows, *, above=False):
    """Return a frame with further rows below it, or above."""
    more = pd.DataFrame([row[1:] for row in rows], index=[row[0] for row in rows], columns=frame.columns)
    return pd.concat([more, frame] if above else [frame, more]).rename_axis("question")


@pytest.mark.parametrize("door", ["file", "long file", "frame"])
@pytest.mark.parametrize("kind", ROWS)
def test_rows_that_sum_up_the_questions_of_two_systems_are_no_questions(tmp_path, kind, door):
    """Two systems are enough: 76 of 120 right are .633, and each row that is left out is named."""
    frame = closed(answers(), ROWS[kind])
    if door == "frame":
        found = as_scores(frame)
    else:
        path = tmp_path / "accuracy.csv"
        if door == "file":
            frame.to_csv(path)
        else:
            frame.melt(ignore_index=False, var_name="system", value_name="score").to_csv(path)
        found = read_scores(path)
    assert found.sizes["topic"] == N_ITEMS
    means = found.isel(metric=0).mean("topic").to_series()
    assert means.to_dict() == pytest.approx({"old": 76 / 120, "new": 75 / 120}, abs=1e-12)
    assert all(any(name in note for note in found.attrs["notes"]) for name, *_ in ROWS[kind])


def test_rows_above_the_questions_are_left_out_too():
    """A sheet may open with its totals."""
    found = as_scores(closed(answers(), ROWS["counts and per cents"], above=True))
    assert found.sizes["topic"] == N_ITEMS


def test_a_question_that_nobody_answers_is_no_rounded_share_of_the_rest():
    """Per cents of four tasks, and a last row of 0, to which a hundredth of their mean rounds."""
    frame = pd.DataFrame(np.random.default_rng(1).uniform(10, 40, (5, 12)).round(2), columns=[*"abcdefghijkl"])
    frame.loc[4] = 0
    found = as_scores(frame.set_axis([f"Q{at}" for at in range(5)]).rename_axis("question"))
    assert found.sizes["topic"] == 5
    assert "notes" not in found.attrs


def test_a_closing_row_does_not_turn_the_conclusion():
    """Of three systems, one far behind: its mean is .333, and not that of per cents."""
    frame = answers(right=RIGHT | {"third": 40})
    found = as_scores(closed(frame, [("%", 63.3, 62.5, 33.3)]))
    assert found.sel(system="third").mean().item() == pytest.approx(40 / 120)


@pytest.mark.parametrize("n_items", [20, 1500, 20_000])
def test_closing_rows_are_found_below_however_many_questions(n_items):
    """Both rows below, of which neither is a sum with the other among the questions."""
    frame = answers(n_items, {"old": n_items // 2, "new": n_items // 2 + 1})
    sums, n_rows = frame.sum().to_numpy(), len(frame)
    values = np.vstack([frame.to_numpy(), sums, np.round(100 * sums / n_rows, 2)])
    assert [(row.place, row.sure) for row in closing_rows(values)] == [(n_rows, True), (n_rows + 1, True)]


@pytest.mark.parametrize("seed", range(5))
def test_a_last_question_is_left_out_by_no_luck(seed):
    """Of 200 tables each, of two or three systems, with grades, shares of two decimals or answers."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(200):
        shape = (int(rng.integers(4, 60)), int(rng.integers(2, 4)))
        shares = np.clip(rng.normal(0.5, 0.2, (shape[0], 1)) + rng.normal(0, 0.1, shape), 0, 1).round(2)
        made += [
            closing_rows(values)
            for values in (shares, rng.integers(0, 6, shape) * 1.0, rng.integers(0, 2, shape) * 1.0)
        ]
    assert [row for rows in made for row in rows if row.sure] == []


@pytest.mark.parametrize("n_items", [99, 101, 1200])
def test_an_item_on_another_scale_is_noted_among_however_many(n_items):
    """A row of per cents that are no means of these answers."""
    frame = answers(n_items, {"old": n_items // 2, "new": n_items // 2 + 1})
    found = as_scores(closed(frame, [("Fluency", 88.0, 93.5)]))
    noted = [note for note in found.attrs.get("notes", []) if "another scale than all other items" in note]
    assert len(noted) == 1
    assert found.sizes["topic"] == n_items + 1


@given(
    hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8), elements=FINITE),
)
def test_scores_of_any_size_are_not_taken_for_sums(values):
    """Huge scores beside small ones leave nothing of the small in any sum; rows that are equal sum up nothing."""
    assert not [row for row in closing_rows(values) if row.sure]
