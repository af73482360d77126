"""Arrays of NumPy are read where their names say what they hold, and are refused with a way out elsewhere."""

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.inex.judges import read_judges
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look

SCORES = np.array([[0.5, 0.25, 0.75], [1.0, 0.0, 0.5]])
ROWS = [(system, item, SCORES[row, at]) for row, system in enumerate("ab") for at, item in enumerate("123")]


def _written(path, form):
    if form == "rows":
        np.save(path, np.array(ROWS, dtype=[("system", "U9"), ("topic", "S9"), ("score", "f4")]))
    elif form == "columns":
        np.savez(path, a=SCORES[0], b=SCORES[1])
    elif form == "long":
        systems, items, scores = zip(*ROWS, strict=True)
        np.savez_compressed(path, system=systems, topic=items, score=scores)
    else:
        scores, names = (SCORES.T, {"query_ids": list("123")}) if form == "transposed" else (SCORES, {})
        np.savez(path, scores=scores, systems=["a", "b"], **names)


@pytest.mark.parametrize("form", ["rows", "columns", "long", "grid", "transposed"])
def test_arrays_with_names_are_tables(tmp_path, form):
    """As rows of a structured array, columns of one length, or a grid beside the names of its axes."""
    path = tmp_path / ("x.npy" if form == "rows" else "x.npz")
    _written(path, form)
    scores = read_scores(path)
    assert scores["system"].to_numpy().tolist() == ["a", "b"]
    assert scores["topic"].to_numpy().tolist() == ["1", "2", "3"]
    assert scores.squeeze("metric").to_numpy().tolist() == SCORES.tolist()
    assert look(path).kind == "scores"


def test_labels_in_arrays_are_those_of_judges(tmp_path):
    """A column a judge, with words."""
    path = tmp_path / "x.npz"
    np.savez(path, item=np.arange(4), ann=["bad", "ok", "good", "bad"], ben=["bad", "ok", "bad", "ok"])
    labels = read_judges(path).labels
    assert labels["ann"].tolist() == ["bad", "ok", "good", "bad"]
    assert look(path).kind == "labels"


@pytest.mark.parametrize("form", ["one", "unnamed", "square", "three"])
def test_arrays_without_names_are_refused_and_the_way_leads_to_them(tmp_path, form):
    """Which axis holds systems nobody said; written under their names, as the error says, they are read."""
    grid = SCORES[:, :2] if form == "square" else SCORES
    path = tmp_path / ("x.npy" if form == "one" else "x.npz")
    if form == "one":
        np.save(path, grid)
    else:
        named = {"unnamed": {"arr_0": grid}, "three": {"scores": grid[None], "systems": ["a", "b"]}}
        np.savez(path, **named.get(form, {"scores": grid, "systems": ["a", "b"]}))
    with pytest.raises(FileFormatError, match=r"numpy.savez\('scores.npz', a=scores\[0\], b=scores\[1\]\)"):
        read_scores(path)
    found = look(path)
    assert (found.kind, found.contents.refusal.partition(": ")[2][:25]) == ("unknown", "these are arrays of NumPy")
    np.savez(path := tmp_path / "scores.npz", a=grid[0], b=grid[1])
    assert read_scores(path).squeeze("metric").to_numpy().tolist() == grid.tolist()
    assert look(grid).contents.sizes["systems"] == len(grid)


@pytest.mark.parametrize("damage", ["objects", "cut", "header", "larger"])
def test_damaged_arrays_and_objects_are_errors(tmp_path, damage):
    """Nothing is unpickled, and nothing is made room for that is not there."""
    np.save(path := tmp_path / "x.npy", np.array([{}], dtype=object) if damage == "objects" else SCORES)
    content = path.read_bytes()
    larger = content.replace(b"(2, 3), }" + b" " * 12, b"(2000000000000, 3), }")
    changed = {"cut": content[:-8], "header": content.replace(b"{", b"("), "larger": larger}
    path.write_bytes(changed.get(damage, content))
    with pytest.raises(FileFormatError, match=r"objects|cut short|cannot be read"):
        read_scores(path)
    assert look(path).kind == "unknown"
