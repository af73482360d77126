"""Labels that were settled on beside those of judges are no system, by name and by what they hold."""

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 3, 60)
JUDGES = {name: np.where(RNG.random(60) < 0.3, RNG.integers(0, 3, 60), TRUTH) for name in ("JK", "AM", "TS")}
VOTES = np.array([[(own == level).sum() for level in range(3)] for own in np.array([*JUDGES.values()]).T])
MAJORITY = VOTES.argmax(axis=1)
"""The label that most of the three gave, the lowest where none did."""


def file(tmp_path, **columns):
    """Write labels of the three judges and further columns, a row an item."""
    table = {**JUDGES, **columns}
    rows = [f"d{at},{','.join(str(own[at]) for own in table.values())}" for at in range(60)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join([f"item,{','.join(table)}", *rows]) + "\n")
    return path


@pytest.mark.parametrize("name", ["Gold", "Majority", "Adjudicated", "Consensus", "Final", "Endlabel", "gold label"])
def test_the_majority_of_judges_called_so_is_no_system(name, tmp_path):
    """Whoever compares systems has three, and is told whose majority the fourth column is."""
    scores = read_scores(file(tmp_path, **{name: MAJORITY}))
    assert scores["system"].to_numpy().tolist() == [*JUDGES]
    assert f"left out column {name!r}, the majority of 'JK', 'AM', 'TS'" in " ".join(scores.attrs["notes"])


def test_labels_settled_otherwise_are_asked_about(tmp_path):
    """Grades called so that are not what most gave: somebody has to say that they are a system's."""
    path = file(tmp_path, Gold=RNG.permutation(TRUTH))
    with pytest.raises(FileFormatError, match=r"'Gold' \(what judges settled on\?\) seems to be no score"):
        read_scores(path)
    assert "Gold" not in read_scores(path, columns={"ignore": ["Gold"]})["system"].to_numpy()


def test_the_majority_by_another_name_is_noted(tmp_path):
    """A system may vote so: it counts, and a note says what it holds."""
    scores = read_scores(file(tmp_path, Panel=MAJORITY))
    assert scores.sizes["system"] == 4
    assert any("system 'Panel' holds the majority of 'JK', 'AM', 'TS'" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("name", ["Final", "reference", "gold"])
def test_systems_called_so_with_scores_of_their_own_stay(name, tmp_path):
    """Look-alikes: scores with decimals, and right or wrong that is not the majority's."""
    assert read_scores(file(tmp_path, **{name: RNG.random(60).round(3)})).sizes["system"] == 4
    answers = {own: RNG.integers(0, 2, 60) for own in [*JUDGES, name]}
    assert read_scores(file(tmp_path, **answers)).sizes["system"] == 4


def test_look_tells_labels_by_what_was_settled_on(tmp_path):
    """Labels of three judges and no fourth, said once."""
    found = look(file(tmp_path, Gold=MAJORITY))
    assert found.kind == "labels"
    assert sum("'Gold'" in note for note in found.notes) == 1
    assert look(file(tmp_path)).kind == "scores"
