"""Which files are meant, and what the systems in them are called."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.files import read_bytes
from metaeval.io.labels import read_labels
from metaeval.io.sources import Source, list_sources
from metaeval.io.tables import read_scores
from metaeval.io.trec import read_runs


def test_names_and_paths(tmp_path, monkeypatch):
    """NAME=path names a file; names and paths may themselves hold an equals sign."""
    monkeypatch.chdir(tmp_path)
    for name in ("ap.csv", "k=10.csv", "rbp.csv"):
        Path(name).write_text("x")
    assert list_sources("ap.csv") == [Source("ap.csv")]
    assert list_sources(["AP=ap.csv", "k=10.csv"]) == [Source("ap.csv", "AP"), Source("k=10.csv")]
    assert list_sources("RBP(p=0.8)=rbp.csv") == [Source("rbp.csv", "RBP(p=0.8)")]
    assert list_sources("P=k=10.csv") == [Source("k=10.csv", "P")]
    assert list_sources("AP=-") == [Source("-", "AP")]
    assert list_sources({"AP": Path("ap.csv")}) == [Source("ap.csv", "AP")]
    assert list_sources(Path("k=10.csv")) == [Source("k=10.csv")]


def test_a_folder_is_every_file_in_it(tmp_path):
    """Files come in natural order; hidden files and folders inside are left out."""
    for name in ("run10.txt", "run9.txt", ".hidden"):
        (tmp_path / name).write_text("x")
    (tmp_path / "inner").mkdir()
    assert [Path(source.path).name for source in list_sources(tmp_path)] == ["run9.txt", "run10.txt"]


def test_folders_inside_a_folder_where_they_count(tmp_path, monkeypatch):
    """Files of folders inside come too, in natural order, but for hidden folders; there may be too many."""
    for name in ("b/run2.txt", "b/run10.txt", "a.txt", ".git/x.txt", "b/.x/y.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = [source.path.removeprefix(f"{tmp_path}/") for source in list_sources(tmp_path, nested=True)]
    assert found == ["a.txt", "b/run2.txt", "b/run10.txt"]
    monkeypatch.setattr("metaeval.io.sources._MOST_FILES", 2)
    with pytest.raises(FileFormatError, match="holds more than 2 files or folders; name a folder inside"):
        list_sources(tmp_path, nested=True)


def test_a_file_that_is_not_there(tmp_path):
    """The error names the nearest files, also the packed one."""
    (tmp_path / "adhoc8_ap.csv.gz").write_text("x")
    (tmp_path / "adhoc8_rr.csv").write_text("x")
    with pytest.raises(FileFormatError, match=r"no such file; did you mean 'adhoc8_ap\.csv\.gz'"):
        list_sources(tmp_path / "adhoc8_ap.csv")
    with pytest.raises(FileFormatError, match="no such file; check the path"):
        list_sources(tmp_path / "zzz")
    with pytest.raises(FileFormatError, match="there is no folder"):
        list_sources(f"AP={tmp_path}/absent/ap.csv")
    with pytest.raises(FileFormatError, match="no such file"):
        read_bytes(tmp_path / "zzz")


def test_nothing_and_everything_twice(tmp_path):
    """No file, an empty folder, a named folder and a file given twice are errors."""
    with pytest.raises(InvalidOptionError, match="no file was given"):
        list_sources([])
    with pytest.raises(FileFormatError, match="the folder holds no files"):
        list_sources(tmp_path)
    (tmp_path / "runs").mkdir()
    with pytest.raises(FileFormatError, match=r"holds no files itself; name one of the folders in it, such as .*runs"):
        list_sources(tmp_path)
    with pytest.raises(FileFormatError, match="is for one file, and this is a folder"):
        list_sources(f"AP={tmp_path}")
    path = tmp_path / "ap.csv"
    path.write_text("x")
    with pytest.raises(InvalidOptionError, match="is given twice"):
        list_sources([path, tmp_path])


@pytest.mark.parametrize("read", [read_scores, read_labels, read_runs])
@pytest.mark.parametrize("given", [pd.DataFrame({"a": [1, 2]}), np.zeros((2, 2)), 5, None])
def test_data_where_names_of_files_are_wanted(read, given):
    """It is not taken for the names of its columns."""
    with pytest.raises(InvalidOptionError, match=r"`(paths|runs)` must be names of files; got a .*metaeval\.as_scores"):
        read(given)
