"""Columns that are computed from others, rows that stand for others, and votes written twice."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.agreement.items import item_scores
from metaeval.agreement.labels import as_labels
from metaeval.errors import ScoresError
from metaeval.io.labels import read_labels
from metaeval.table.derived import derived_columns
from metaeval.table.label_roles import doubtful_labels, label_columns
from metaeval.table.votes import as_votes

SEEDS = st.integers(0, 2**32 - 1)


def judges(seed: int, n: int = 60, high: int = 2) -> np.ndarray:
    """Return labels of four judges who agree on two items of three."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, high + 1, (n, 1))
    return np.where(rng.random((n, 4)) < 0.66, truth, rng.integers(0, high + 1, (n, 4))).astype(float)


FUNCTIONS = {
    "mean": lambda rows: rows.mean(axis=1).round(2),
    "sum": lambda rows: rows.sum(axis=1),
    "largest": lambda rows: rows.max(axis=1),
    "smallest": lambda rows: rows.min(axis=1),
    "median": lambda rows: np.median(rows, axis=1),
    "agreement": lambda rows: (rows == rows[:, :1]).all(axis=1) * 1.0,
}


@given(SEEDS, st.sampled_from(sorted(FUNCTIONS)), st.integers(2, 4))
def test_what_is_computed_from_judges_is_told_by_its_values(seed, how, n_judges):
    """A function of labels is found under a name that says nothing, and no label of a judge is."""
    rows = judges(seed)[:, :n_judges]
    values = np.column_stack([rows, FUNCTIONS[how](rows)])
    found = derived_columns([*("ann", "ben", "cat", "dan")[:n_judges], "x"], values)
    assert [one.name for one in found] == ["x"]


@given(SEEDS, st.integers(1, 4))
def test_judges_of_their_own_are_judges(seed, high):
    """Labels that nobody computed stay, and so does a judge whose labels are those of another."""
    rows = judges(seed, high=high)
    assert derived_columns([*"abcd"], rows) == []
    assert derived_columns([*"abc"], rows[:, [0, 1, 1]]) == []


def test_labels_below_0_are_said_and_can_be_left_out(tmp_path):
    """In files -1 is a grade below 0, as it may be for a mood; one word says that it stands for none."""
    path = tmp_path / "labels.csv"
    path.write_text("topic,doc,ann,ben\n1,d1,-1,0\n1,d2,1,1\n1,d3,0,1\n")
    (note,) = read_labels(path).attrs["notes"]
    assert "-1 (1)" in note
    assert "`words={'-1': 'none'}`" in note
    assert read_labels(path, words={"-1": "none"})["ann"].isna().tolist() == [True, False, False]
    assert (
        "notes" not in read_labels(path, words={"-1": -1}).attrs
        or not read_labels(path, words={"-1": -1}).attrs["notes"]
    )
    assert any("-1 (1)" in note for note in as_labels(pd.DataFrame({"ann": [-1, 1, 0], "ben": [0, 1, 1]})).notes)


def test_rows_of_averages_that_are_none_are_refused():
    """A row called as an average is left out only where it is one."""
    rows = {
        "system": [*"ababab", "mean"],
        "item": [*"1122331"],
        "human": [1, 2, 3, 4, 5, 6, 9.0],
        "x": [1.5, 2, 1, 4, 2, 7, 9],
    }
    with pytest.raises(ScoresError, match=r"system 'mean' .* is not theirs; leave its rows out"):
        item_scores(pd.DataFrame(rows), reference="human")


def test_raters_of_the_human_score_are_no_metrics():
    """A human score that is the mean of two other columns agrees with them by construction."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(1, 6, (2, 40)).astype(float)
    frame = pd.DataFrame({"system": [*"abcd"] * 10, "item": np.repeat(np.arange(10), 4), "r1": first, "r2": second})
    frame = frame.assign(human=(first + second) / 2, bleu=rng.random(40))
    found = item_scores(frame, reference="human")
    assert found["metric"].to_numpy().tolist() == ["human", "bleu"]
    assert "of which 'human' is made" in found.attrs["notes"][0]


VOTES = pd.DataFrame({"left": [*"aabb"], "right": [*"bccc"], "winner": [*"aacb"], "question": [*"1234"]})


def test_votes_written_twice_are_counted_and_one_can_be_kept():
    """Three of four rows stand twice: the note has their number, and its way out leaves one of each."""
    twice = pd.concat([VOTES, VOTES.iloc[:3]])
    assert as_votes(VOTES).notes == ()
    assert as_votes(twice).notes[0].startswith("3 votes repeat another in every column that is read, and count;")
    kept = as_votes(twice, duplicates="first")
    assert kept.n_votes == 4
    assert kept.notes == ("3 rows that repeat another left out (duplicates)",)
    told_apart = twice.assign(id=range(7))
    assert as_votes(told_apart, duplicates="first").n_votes == as_votes(told_apart).n_votes == 7
    for asked in ({}, {"voter": "ann"}):  # an identifier or a date tells rows apart where it says something else
        assert not any("repeat" in note for note in as_votes(told_apart.assign(**asked)).notes)
        same = twice.assign(id=[*"pqrspqr"], date="2024-01-01", **asked)
        assert as_votes(same).notes[0].startswith("3 votes repeat another")


@pytest.mark.parametrize("row", [["Total", "", "6", ""], ["total", "Total", "", ""], ["", "Sum", "b", "5"]])
def test_rows_of_sums_are_no_votes(row):
    """A row for all others is left out and counted; a system called so among others is refused."""
    found = as_votes(pd.concat([VOTES, pd.DataFrame([row], columns=VOTES.columns)]))
    assert (found.n_votes, found.notes) == (4, ("1 row of sums or averages left out",))
    with pytest.raises(ScoresError, match=r"row 5: system 'all' is called as a sum or average of others"):
        as_votes(pd.concat([VOTES, pd.DataFrame([["a", "all", "a", "9"]], columns=VOTES.columns)]))


def test_a_code_for_no_answer_is_noted():
    """9 beside 0 to 3 may stand for no answer, as 99 and -1 may; 4 beside them, and 9 beside 0 to 8, are grades."""
    labels = np.array([0, 1, 2, 3, 9.0])
    said = doubtful_labels(pd.DataFrame({"ann": labels, "ben": labels[::-1]}))
    assert "labels of 9 (2) count as grades far above the others (0 to 3)" in said[0]
    assert "words={'9': 'none'}" in said[0]
    for others in (np.array([0, 1, 2, 3, 4.0]), np.arange(10.0)):
        assert doubtful_labels(pd.DataFrame({"ann": others})) == []
    assert doubtful_labels(pd.DataFrame({"ann": labels}), said={"9"}) == []


def test_a_judge_who_copies_another_is_noted():
    """Two columns that are the same of 20 items; one that differs once is a judge of its own."""
    labels = np.arange(20) % 3.0
    other = np.where(np.arange(20) == 7, 0.0, labels)
    said = doubtful_labels(pd.DataFrame({"human": labels, "A": other, "B": labels}))
    assert said == ["judges 'human', 'B' say the same of every item, and count as 2; leave out what is a copy"]


@pytest.mark.parametrize(("slip", "rest"), [(55, (1, 5)), (22, (1, 5)), (33, (0, 3)), (500, (10, 60))])
def test_a_slip_of_a_judge_is_named_and_the_judge_stays(slip, rest):
    """One cell far above all others is told by judge and item, and makes a judge no column of something else."""
    low, high = rest
    labels = np.random.default_rng(4).integers(low, high + 1, (60, 3)).astype(float)
    labels[:5] = np.linspace(low, high, 5).round()[:, None]
    labels[3, 1] = slip
    frame = pd.DataFrame(labels, columns=["anna", "ben", "carla"], index=[f"doc{at}" for at in range(60)])
    found = label_columns(list(frame), labels, [""] * 60)
    assert (found.judges, found.unsure, found.left) == ([0, 1, 2], [], [])
    (note,) = doubtful_labels(frame)
    assert f"{slip} ('ben' on 'doc3'); " in note


@pytest.mark.parametrize(("givers", "least", "told"), [([1], 1, True), ([0, 1], 1, False), ([1], 2, False)])
def test_zero_of_one_judge_on_a_scale_from_one_on_is_told(givers, least, told):
    """Where two judges give 0, or the scale has a gap to it, it may be a grade."""
    labels = np.random.default_rng(6).integers(least, 6, (60, 3)).astype(float)
    labels[:5] = np.array([least, 2, 3, 4, 5])[:, None]
    labels[7:12, givers] = 0
    notes = doubtful_labels(pd.DataFrame(labels, columns=["anna", "ben", "carla"]))
    told_so = "labels of 0 (5) count as grades below those of all others (1 to 5), and 'ben' alone gives them; "
    assert [told_so in note for note in notes] == [True] * told


@pytest.mark.parametrize("name", ["Max-Min", "Spannweite", "Range", "diff", "how far"])
def test_how_far_apart_judges_are_is_no_judge(name):
    """Of three judges the largest label less the smallest is left out under any name, as their mean is."""
    labels = np.random.default_rng(8).integers(1, 6, (80, 3)).astype(float)
    frame = pd.DataFrame(labels, columns=["Anna", "Ben", "Carla"])
    frame["Mittel"], frame[name] = labels.mean(axis=1).round(2), np.ptp(labels, axis=1)
    found = label_columns(list(frame), frame.to_numpy(), [""] * 80)
    assert found.judges == [0, 1, 2]
    assert [(one.name, one.why) for one in found.left][1:] == [(name, "how far apart 'Anna', 'Ben', 'Carla' are")]
    assert found.made == []


def test_a_judge_who_says_how_far_two_others_are_apart_stays():
    """Of three columns each may be made of the other two, and no name says which is."""
    labels = np.random.default_rng(8).integers(0, 2, (80, 2)).astype(float)
    frame = np.column_stack([labels, np.ptp(labels, axis=1)])
    assert label_columns(["Anna", "Ben", "Carla"], frame, [""] * 80).judges == [0, 1, 2]
