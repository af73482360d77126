"""Formats of installed packages: told by the ending, read as the tables they are, and named when they go wrong."""

import gzip

import numpy as np
import pytest
from packages import forget, install

import metaeval
from metaeval.errors import FileFormatError
from metaeval.io.installed_formats import installed_format
from metaeval.metrics import PluginWarning
from metaeval.questions.look.study_kinds import contents_of

MINE = """
import pandas as pd


def read(content):
    names, *rows = [line.split("/") for line in content.decode().split()]
    return pd.DataFrame(rows, columns=names)


def numbers(content):
    return {"system": ["a", "b"] * 2, "topic": [1, 1, 2, 2], "score": [0.1, 1 / 3, None, 0.5]}


def no_rows(content):
    return []


def no_systems(content):
    return [{"colour": "red", "weight": "much"}]


def stops(content):
    return content.missing
"""
TEXT = "system/topic/metric/score\na/1/AP/0.1\na/2/AP/0.2\nb/1/AP/0.3\nb/2/AP/0.25\n"


@pytest.fixture(autouse=True)
def mine(tmp_path, monkeypatch):
    """Install a package that reads five formats, and wants one of ours."""
    names = ("numbers", "no_rows", "no_systems", "stops", "gone")
    points = ["Ours = mine:read", *(f"{name} = mine:{name}" for name in names)]
    install(tmp_path, monkeypatch, {"formats": points}, mine=MINE)
    yield
    forget()


def test_a_file_and_a_packed_one_are_read_alike(tmp_path):
    """The scores are those that stand in the text, and the form says who read them."""
    (tmp_path / "mine.ours").write_text(TEXT)
    (tmp_path / "mine.OURS.gz").write_bytes(gzip.compress(TEXT.encode()))
    for name in ("mine.ours", "mine.OURS.gz"):
        scores = metaeval.read_scores(tmp_path / name)
        assert scores.to_numpy().tolist() == [[[0.1, 0.2], [0.3, 0.25]]]
        assert scores["system"].to_numpy().tolist() == ["a", "b"]
        assert scores.attrs["read_as"].startswith("Ours (example-plugin 1.0): 1 metric, 2 systems")
    assert contents_of([str(tmp_path / "mine.ours")]).kind == "scores"


def test_it_stands_beside_other_tables(tmp_path):
    """Systems of a CSV file and of such a file are put together by name."""
    (tmp_path / "mine.ours").write_text(TEXT)
    (tmp_path / "more.csv").write_text("system,topic,metric,score\nc,1,AP,0.5\nc,2,AP,0.6\n")
    scores = metaeval.read_scores([tmp_path / "mine.ours", tmp_path / "more.csv"])
    assert scores["system"].to_numpy().tolist() == ["a", "b", "c"]


def test_numbers_keep_their_digits_and_what_is_missing_is_missing(tmp_path):
    """A third to the last bit; None is a gap, with the way out of gaps."""
    (tmp_path / "mine.numbers").write_text("x")
    with pytest.raises(FileFormatError, match="the cell is empty; fill in the score, or pass"):
        metaeval.read_scores(tmp_path / "mine.numbers")
    scores = metaeval.read_scores(tmp_path / "mine.numbers", missing="pairwise")
    assert scores.sel(system="b").to_numpy().ravel().tolist() == [1 / 3, 0.5]
    assert np.isnan(scores.sel(system="a", topic="2")).all()


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (
            "no_rows",
            r"the reader no_rows of example-plugin 1.0 gave 0 rows with the columns \[\]; a row a system, topic",
        ),
        ("no_systems", r"mine.no_systems: "),
        ("stops", r"mine.stops: the reader stops of example-plugin 1.0 stopped: AttributeError: .* \(mine.py, line 23"),
        ("gone", r"mine.gone: entry point gone = mine:gone of example-plugin could not be loaded: AttributeError"),
    ],
)
def test_a_wrong_reader_is_named_with_the_file(tmp_path, ending, said):
    """In one line."""
    (tmp_path / f"mine.{ending}").write_text(TEXT)
    with pytest.raises(FileFormatError, match=said) as caught:
        metaeval.read_scores(tmp_path / f"mine.{ending}")
    assert "\n" not in str(caught.value)


def test_no_ending_of_ours_is_taken_and_none_is_looked_up_for_one(tmp_path, monkeypatch):
    """A package that wants CSV, a second one for an ending, and files that are ours to read."""
    (tmp_path / "more").mkdir()
    points = {"formats": ["csv = mine:read", "gz = mine:read", ".own = mine:read", "OWN = mine:numbers"]}
    install(tmp_path / "more", monkeypatch, points)
    assert installed_format("a.csv") is installed_format("a.csv.gz") is installed_format("-") is None
    with pytest.warns(PluginWarning) as caught:
        found = installed_format("a.own")
    assert found.point.value == "mine:read"
    assert [str(one.message).partition(" is left out: ")[2] for one in caught] == [
        "files that end in .own are read by entry point .own = mine:read of example-plugin",
        "files that end in .csv are read by metaeval",
        "files that end in .gz are read by metaeval",
    ]
