"""Scores, labels and judgments given several times: refused, the first, or the mean, in every reader."""

import numpy as np
import pytest

from metaeval import read_collection, read_labels, read_qrels, read_scores
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError
from metaeval.inex.judges import read_judges
from metaeval.io.duplicates import note_of, single

WIDE = "topic,a,b\n1,0.1,0.2\n2,0.3,0.4\n1,0.5,0.2\n"
LONG = "system,topic,AP,RR\na,1,0.1,1\nb,1,0.2,0\na,2,0.3,1\nb,2,0.4,1\na,1,0.5,0\n"
QRELS = "1 0 d1 2\n1 0 d2 -1\n1 0 d1 1\n1 0 d2 1\n2 0 d1 0\n"


def written(folder, text):
    path = folder / "file.txt"
    path.write_text(text)
    return path


def test_every_row_once():
    """Rows stay in the order of the file; gaps count for nothing, and one number is its own mean exactly."""
    keys, numbers = np.array([5, 3, 5, 9, 5]), np.array([0.1, np.nan, np.nan, 1e300, 0.3])
    first, mean = (single(keys, numbers, rule) for rule in ("first", "mean"))
    assert first.rows.tolist() == mean.rows.tolist() == [0, 1, 3]
    np.testing.assert_array_equal(first.numbers, [0.1, np.nan, 1e300])
    np.testing.assert_array_equal(mean.numbers, [0.2, np.nan, 1e300])
    assert first.n_left == 2
    assert note_of(1, "label", "mean") == ["1 label repeats another one: their mean counts (duplicates)"]


FRAME = "question_id,user_input,response,a,b\n1,q,x,0.1,0.2\n2,r,x,0.3,0.4\n1,q,y,0.5,0.2\n"


def test_frames(tmp_path):
    """Rows of one item in a frame: the same rules, and the first question stays."""
    paths = {name: written(tmp_path, FRAME).rename(tmp_path / name) for name in ("x", "y")}
    with pytest.raises(FileFormatError, match="pass `duplicates='first'` or `'mean'`"):
        read_scores(paths)
    for rule, expected in (("first", 0.1), ("mean", 0.3)):
        scores = read_scores(paths, duplicates=rule)
        assert scores.sel(system="x").to_numpy().tolist() == [[pytest.approx(expected), 0.3], [0.2, 0.4]]


@pytest.mark.parametrize(("text", "n_left"), [(WIDE, 2), (LONG, 2)])
def test_scores(tmp_path, text, n_left):
    """Wide and long tables: an error by default, else one score each, and a note."""
    path = written(tmp_path, text)
    with pytest.raises(FileFormatError, match="pass `duplicates='first'` or `'mean'`"):
        read_scores(path)
    for rule, expected in (("first", 0.1), ("mean", 0.3)):
        scores = read_scores(path, duplicates=rule)
        assert scores[0].to_numpy().tolist() == [[pytest.approx(expected), 0.3], [0.2, 0.4]]
        assert any(f"{n_left} scores repeat another one" in note for note in scores.attrs["notes"])
    with pytest.raises(InvalidOptionError, match="no duplicates 'last'"):
        read_scores(path, duplicates="last")


def test_judgments(tmp_path):
    """The mean is over what is a judgment; a mean that is not whole is a real-valued grade."""
    path = written(tmp_path, QRELS)
    with pytest.raises(
        FileFormatError, match=r"line 3: this document is judged twice.*`duplicates='first'` or `'mean'`"
    ):
        read_qrels(path)
    assert read_qrels(path, duplicates="first").numbers.tolist() == [2, -1, 0]
    mean = read_qrels(path, duplicates="mean")
    assert mean.numbers.tolist() == [1.5, 1, 0]
    assert "2 judgments repeat another one: their mean counts" in mean.notes[0]
    once = tmp_path / "once.txt"
    once.write_text("1 0 d1 2\n1 0 d2 -1\n2 0 d1 0\n")
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    for run in runs:
        run.write_text(f"1 Q0 d1 1 2 {run.stem}\n2 Q0 d1 1 2 {run.stem}\n")
    found = read_collection(runs, path, duplicates="first")
    assert found.levels.tolist() == read_collection(runs, once).levels.tolist()
    with pytest.raises(MetaevalError, match="duplicates"):
        read_qrels(path, duplicates="last")


def test_labels(tmp_path):
    """Of long and wide tables and of qrels; repeats are no duplicates."""
    rows = ["1,d1,ann,1", "1,d1,ben,0", "1,d2,ann,0", "1,d2,ben,0", "1,d1,ann,0"]
    long = written(tmp_path, "\n".join(["topic,doc,judge,label", *rows]))
    wide = tmp_path / "wide.csv"
    wide.write_text("topic,doc,ann,ben\n1,d1,1,0\n1,d2,0,0\n1,d1,0,0\n")
    qrels = []
    for name, again in (("ann", "1 0 d1 0\n"), ("ben", "")):
        qrels.append(tmp_path / name)
        qrels[-1].write_text(f"1 0 d1 {1 if again else 0}\n1 0 d2 0\n{again}")
    for files in (long, wide, qrels):
        with pytest.raises(FileFormatError, match="pass `duplicates='first'`"):
            read_labels(files)
        for rule, expected in (("first", 1.0), ("mean", 0.5)):
            found = read_labels(files, duplicates=rule)
            assert found.to_numpy().tolist() == [[expected, 0.0], [0.0, 0.0]]
            assert "repeat" in found.attrs["notes"][0]
    assert read_labels(long, repeats=True).shape == (2, 3)
    with pytest.raises(InvalidOptionError, match="leave `duplicates` out"):
        read_labels(long, repeats=True, duplicates="mean")


def test_scores_under_judges(tmp_path):
    """One table with a column of judges."""
    cells = [
        ("ann", "a", 1, 0.5),
        ("ann", "b", 1, 0.2),
        ("bot", "a", 1, 0.1),
        ("bot", "b", 1, 0.3),
        ("bot", "b", 1, 0.5),
    ]
    text = "\n".join(["judge,system,topic,score", *(",".join(map(str, row)) for row in cells)])
    path = written(tmp_path, text)
    with pytest.raises(FileFormatError, match="duplicates"):
        read_judges(path)
    (found,) = read_judges(path, duplicates="mean").scores.values()
    assert found["bot"].to_numpy().ravel().tolist() == [0.1, 0.4]
