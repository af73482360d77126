"""Scores of translations as COMET and sacreBLEU write them in JSON; numbers by hand."""

import json

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.means import MeansAloneError
from metaeval.io.tables import read_scores


def segments(*scores, name="COMET", src="s"):
    """Return segments with these scores."""
    return [{"src": f"{src}{at}", "mt": "t", name: score, "errors": []} for at, score in enumerate(scores)]


@pytest.mark.parametrize("name", ["COMET", "score"])
def test_segments_of_comet_are_items_by_position(tmp_path, name):
    """Whatever the metric is called, and in either order of the systems."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"b": segments(0.5, 0.75, name=name), "a": segments(0.25, 1, name=name)}))
    scores = read_scores(path)
    assert scores["topic"].to_numpy().tolist() == ["1", "2"]
    assert scores.sel(system="a").to_numpy().ravel().tolist() == [0.25, 1]
    assert scores.sel(system="b").to_numpy().ravel().tolist() == [0.5, 0.75]


@pytest.mark.parametrize(
    ("other", "words"),
    [(segments(0.5), "these are not alike: a 2, b 1"), (segments(1, 0, src="u"), "segment 1 of b has another source")],
)
def test_other_segments_are_refused(tmp_path, other, words):
    """A position means nothing where the segments differ."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"a": segments(0.5, 0.75), "b": other}))
    with pytest.raises(FileFormatError, match=words):
        read_scores(path)


def test_intervals_of_sacrebleu_are_halves_of_95_percent(tmp_path):
    """An interval of 0.98 on either side is a standard error of 0.98/1.96 = 0.5; TER falls."""
    said = {"old": {"BLEU": (29.5, 0.98), "TER": (60.5, 1.96)}, "new": {"BLEU": (30.5, 1.96), "TER": (58.5, 0.98)}}
    rows = [
        {"system": "Baseline: " * (name == "old") + name}
        | {metric: {"score": of[0], "p_value": None, "mean": of[0], "ci": of[1]} for metric, of in figures.items()}
        for name, figures in said.items()
    ]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    with pytest.raises(MeansAloneError) as raised:
        read_scores(tmp_path / "x.json")
    board = raised.value.board
    assert (board.systems, board.metrics) == (("old", "new"), ("BLEU", "TER"))
    assert board.means.tolist() == [[29.5, 30.5], [60.5, 58.5]]
    assert board.errors.tolist() == [pytest.approx([0.5, 1], rel=1e-4), pytest.approx([1, 0.5], rel=1e-4)]
    assert board.higher_is_better.tolist() == [True, False]
