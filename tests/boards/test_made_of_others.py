"""Rows and columns that the others make are no scores, whatever they are called, at every door; real ones stay."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from advice import obeyed

from metaeval import as_scores, read_scores
from metaeval.errors import ScoresError
from metaeval.table.evidence import made_of_others

SYSTEMS = ["alpha", "beta", "gamma", "delta", "rho"]
ITEMS = ["MMLU", "GSM8K", "ARC", "DROP", "BoolQ", "PIQA", "SIQA", "COPA"]
VALUES = np.random.default_rng(6).uniform(0.2, 0.9, (len(SYSTEMS), len(ITEMS))).round(3)
"""Shape (system, item)."""
MADE = {
    "Schnitt": lambda rows: rows.mean(axis=0),
    "zzz": lambda rows: rows.mean(axis=0),
    "Moyenne": lambda rows: rows.mean(axis=0),
    "Overall": lambda rows: rows.mean(axis=0),
    "Reasoning": lambda rows: rows[:3].mean(axis=0),
    "w/o one": lambda rows: np.delete(rows, 1, axis=0).mean(axis=0),
    "Summe": lambda rows: rows.sum(axis=0),
    "Median": lambda rows: np.median(rows, axis=0),
    "Stabw": lambda rows: rows.std(axis=0, ddof=1),
    "Std": lambda rows: rows.std(axis=0),
    "Max": lambda rows: rows.max(axis=0),
    "Min": lambda rows: rows.min(axis=0),
    "Oracle": lambda rows: rows.max(axis=0),
    "yyy": lambda rows: rows.max(axis=0),
    "difficulty": lambda rows: 1 - rows.mean(axis=0),
    "B-A": lambda rows: rows[1] - rows[0],
    "xxx": lambda rows: rows[2] - rows[3],
}
"""What others make, by a name."""


def table(axis: int, name: str) -> pd.DataFrame:
    """Return scores with systems in rows, and one more system (axis 0) or item that the others make."""
    frame = pd.DataFrame(VALUES, index=pd.Index(SYSTEMS, name="model"), columns=ITEMS)
    if axis == 0:
        frame.loc[name] = MADE[name](VALUES).round(3)
        return frame
    return frame.assign(**{name: MADE[name](VALUES.T).round(3)})


def long_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row a score."""
    return frame.reset_index().melt("model", var_name="item", value_name="acc").rename(columns={"model": "system"})


def wide_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return systems in columns."""
    return frame.T.rename_axis(index="item", columns=None)


WAYS = {
    "a board": lambda frame: frame.reset_index(),
    "systems in columns": lambda frame: wide_of(frame).reset_index(),
    "a row a score": long_of,
}


def from_file(frame: pd.DataFrame, folder):
    """Return what a file of this holds, its advice followed."""
    path = folder / "acc.csv"
    frame.to_csv(path, index=False)
    return obeyed(lambda **options: read_scores(path, **options))[0]


@pytest.mark.parametrize("door", ["file", "frame"])
@pytest.mark.parametrize(("way", "axis"), [*product(WAYS, (0, 1))])
def test_what_others_make_is_named_and_left_out(way, axis, door, tmp_path):
    """Of all that may be made, in each form a third of it, no number is a score; a note or a refusal has the name."""
    for name in [*MADE][[*WAYS].index(way) :: 3]:
        made = WAYS[way](table(axis, name))
        if name in {"Stabw", "Std"} and axis == 1 and way == "a board" and door == "frame":
            with pytest.raises(ScoresError, match=name):  # errors, as of means
                as_scores(made)
            continue
        found = from_file(made, tmp_path) if door == "file" else as_scores(made)
        assert not isinstance(found, Exception), f"{name}: {found}"
        assert sorted(found["system"].to_numpy()) == sorted(SYSTEMS), name
        assert found["topic"].to_numpy().tolist() == sorted(ITEMS), name
        kept = found.squeeze("metric").sel(system=SYSTEMS, topic=ITEMS).to_numpy()
        np.testing.assert_array_equal(kept, VALUES)
        assert any(name in note for note in found.attrs["notes"]) or door == "file", name


@pytest.mark.parametrize("kind", [3, 1, 0, "quarters"])
def test_no_real_system_is_lost(kind):
    """Of 60 tables of systems that err alike, written to so many digits or in quarters, no row is taken for made."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shape = rng.integers(3, 12), rng.integers(3, 30)
        scores = 0.5 + rng.normal(0, 0.2, shape[1]) + rng.normal(0, 0.05, (shape[0], 1)) + rng.normal(0, 0.1, shape)
        scores = scores.clip(0, 1)
        scores = np.round(4 * scores) / 4 if kind == "quarters" else scores.round(kind)
        names = list(map(str, range(shape[0])))
        assert [made for made in made_of_others(names, scores) if made.sure] == []


def test_the_best_of_two_others_on_few_coarse_items_is_a_system():
    """Equal to the larger of two others by luck, as coarse scores are; and so is one that answers all right."""
    coarse = np.array([[1, 0, 0.5, 0], [0, 1, 0, 0.5], [1, 1, 0.5, 0.5]])
    assert made_of_others(["a", "b", "c"], coarse) == []
    assert made_of_others(["a", "b", "c"], np.array([[1, 0, 1, 0.2], [0.5, 1, 0, 1], [1, 1, 1, 1]])) == []
    assert made_of_others(["a", "b", "a2"], np.array([[0.61, 0.72, 0.83], [0.5, 0.4, 0.2], [0.61, 0.72, 0.83]])) == []


def test_an_average_that_is_none_is_asked_about(tmp_path):
    """A system called as the average of the others, which it is not, is refused in a file and in memory."""
    frame = table(0, "Overall")
    frame.loc["Overall"] = 0.5
    asks = "'Overall' is called as an average of others, and is not theirs"
    with pytest.raises(ScoresError, match=asks):
        as_scores(long_of(frame))
    assert asks in str(from_file(long_of(frame), tmp_path))
