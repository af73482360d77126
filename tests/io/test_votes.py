"""Files of votes: tables and JSON give what the same rows give, in one piece or in many."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError, UnknownNameError
from metaeval.io import votes as reader
from metaeval.io.labels import read_labels
from metaeval.io.tables import read_scores
from metaeval.io.votes import holds_votes, read_votes
from metaeval.models.vote_strengths import win_matrix
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def same(one, other):
    """Compare what two sets of votes say, whatever the numbers of their units."""
    assert one.systems == other.systems
    for name in ("left", "right", "share", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in one.units:
        assert len(set(zip(one.units[name], other.units[name], strict=True))) == one.n_units(name)


@pytest.fixture(scope="module")
def frame():
    """Simulate three hundred votes."""
    return simulate_votes(n_votes=300, rng=1)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "jsonl.gz"])
def test_a_file_says_what_its_rows_say(tmp_path, frame, ending):
    """Recognised by content: the name of the file plays no part."""
    path = tmp_path / "anything"
    if ending.startswith("jsonl"):
        text = frame.to_json(orient="records", lines=True)
    elif ending == "json":
        text = frame.to_json(orient="records")
    else:
        text = frame.to_csv(index=False, sep="," if ending == "csv" else "\t")
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    same(read_votes(path), as_votes(frame))


@pytest.mark.parametrize("polars", [True, False])
def test_pieces_are_the_whole(tmp_path, frame, monkeypatch, polars):
    """In pieces of a few lines, with polars and without."""
    path = tmp_path / "votes.jsonl"
    path.write_text(frame.to_json(orient="records", lines=True) + "\n\n")
    monkeypatch.setattr(reader, "_CHUNK", 500)
    if not polars:
        monkeypatch.setattr(reader, "has_parquet", lambda: False)
    same(read_votes(path), as_votes(frame))
    table = tmp_path / "votes.csv"
    frame.to_csv(table, index=False)
    monkeypatch.setattr(reader, "_ROWS", 7)
    same(read_votes(table), as_votes(frame))


def test_several_files_are_one_set(tmp_path, frame):
    """The first half and the second."""
    for name, part in (("one", frame[:150]), ("two", frame[150:])):
        part.to_csv(tmp_path / name, index=False)
    same(read_votes([tmp_path / "one", tmp_path / "two"]), as_votes(frame))


def test_public_votes(data_folder):
    """As its description says."""
    found = read_votes(data_folder / "votes" / "llmfao.csv.gz")
    assert [found.n_votes, len(found.systems), found.n_units("question")] == [8931, 59, 13]
    assert [(found.share == share).sum() for share in (1.0, 0.0, 0.5)] == [2911, 2549, 3471]


def test_names_that_look_like_gaps(tmp_path):
    """A system called NA is one."""
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\nNA,null,left\nnull,NA,1e5\n".replace("1e5", "tie"))
    assert read_votes(path).systems == ("NA", "null")


def test_covariates_of_a_file(tmp_path, frame):
    """Only what is asked for is read beside the votes."""
    path = tmp_path / "votes.jsonl"
    path.write_text(frame.assign(len_left=range(300), len_right=0).to_json(orient="records", lines=True))
    assert read_votes(path, covariates=["len"]).covariates["len"][:3].tolist() == [0, 1, 2]
    with pytest.raises(UnknownNameError, match="style"):
        read_votes(path, covariates=["style"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,topic,score\na,1,0.5\n", "votes need columns for both systems"),
        ("left,right,winner\na,b,left\na,a,left\n", "row 2: system 'a' plays itself"),
        ('{"left": "a", "right": "b", "winner": "c"}', "the winner is 'c'"),
        ('{"left": "a", "right": ', "begins as JSON and is none"),
        ("", "empty"),
        ("1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 2 tag\n", "a run in TREC format, not a table of votes; give its judgments"),
        ("1 Q0 d1 1 2.5 tag 5 6\n1 Q0 d2 2 2 tag 1 9\n", "INEX.*, not a table of votes; only runs of documents"),
        ("1 0 d1 1\n1 0 d2 0\n", "these are judgments in TREC format .qrels., not votes; give runs as the inputs"),
        ("left,right,winner\n", "at least two systems"),
    ],
)
def test_files_that_hold_no_votes(tmp_path, text, message):
    """Each with its rule, and those about a file with its name."""
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises((FileFormatError, ValueError), match=message):
        read_votes(path)


def test_what_holds_votes():
    """By the first line alone."""
    row = {"model_a": "x", "model_b": "y", "winner": "tie"}
    assert holds_votes(json.dumps(row).encode(), "x")
    assert holds_votes(json.dumps([row]).encode(), "x")
    assert holds_votes(b"left\tright\twins\tlosses\na\tb\t1\t2\n", "x")
    assert not holds_votes(b"topic,item,judge,label\n1,d,a,0\n", "x")
    assert not holds_votes(json.dumps({"ann": {"d1": 1}}).encode(), "x")
    assert not holds_votes(b"1 0 d1 1\n", "x")


def test_alpaca_eval_both_ways(tmp_path):
    """The win rates of a leaderboard of annotations are the shares of the same annotations as votes."""
    generator = np.random.default_rng(1)
    for model in ("small", "large"):
        (tmp_path / model).mkdir()
        drawn = np.round(1 + generator.random(60), 3)
        names = {"generator_1": "gpt4", "generator_2": model, "annotator": "judge"}
        rows = [{"instruction": f"i{at}", "preference": one, **names} for at, one in enumerate(drawn.tolist())]
        (tmp_path / model / "annotations.json").write_text(json.dumps(rows))
    board = read_scores(tmp_path)
    found = read_votes([tmp_path / model / "annotations.json" for model in ("small", "large")])
    wins = win_matrix(found)
    share = wins / np.where(wins + wins.T > 0, wins + wins.T, 1)
    reference = found.systems.index("gpt4")
    for model in ("small", "large"):
        rate = float(board.sel(system=model).mean())
        assert share[found.systems.index(model), reference] == pytest.approx(rate, abs=1e-9)


def test_votes_are_no_scores_and_no_labels(tmp_path, frame):
    """Whoever reads them as either is told which command ranks systems by votes."""
    for ending, text in (("csv", frame.to_csv(index=False)), ("jsonl", frame.to_json(orient="records", lines=True))):
        path = tmp_path / f"votes.{ending}"
        path.write_text(text)
        for reader_of in (read_scores, read_labels):
            with pytest.raises(FileFormatError, match="these are votes on pairs of systems"):
                reader_of(path)


def test_many_votes_are_read_in_columns(tmp_path, processor_seconds):
    """Five times the votes take no more than some ten times the time: no loop goes over votes."""
    small, large = (tmp_path / name for name in ("small", "large"))
    row = pd.DataFrame({"left": ["a", "b"], "right": ["b", "a"], "winner": ["left", "tie"], "question": [1, 2]})
    pd.concat([row] * 4000).to_csv(small, index=False)
    pd.concat([row] * 20000).to_csv(large, index=False)
    assert processor_seconds(lambda: read_votes(large)) < 10 * processor_seconds(lambda: read_votes(small))
