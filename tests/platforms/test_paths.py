"""Paths as Windows writes them: backslashes, drive letters, and letters that may be large or small."""

import ntpath
from pathlib import PureWindowsPath
from types import SimpleNamespace

import pytest

from metaeval.base import provenance
from metaeval.io import files
from metaeval.io.benchmarks import mt_metrics_eval


class WindowsPath(PureWindowsPath):
    """A path that knows no disk."""

    def absolute(self):
        """Return the path below a folder of the first drive, unless it says where it is."""
        return type(self)("C:/work", self)

    def is_dir(self):
        """Return that it is one: nobody looks."""
        return True


@pytest.fixture(autouse=True)
def windows(monkeypatch):
    """Let these modules take paths for those of Windows, as the functions of `ntpath` do."""
    for module in (files, provenance):
        monkeypatch.setattr(module, "os", SimpleNamespace(path=ntpath))
    for module in (files, mt_metrics_eval):
        monkeypatch.setattr(module, "Path", WindowsPath)


def test_a_path_from_a_folder_to_another_drive_is_written_whole():
    """There is no way from drive to drive."""
    assert files.path_from("C:\\work\\page", "c:\\Work\\runs\\a.txt") == "..\\runs\\a.txt"
    assert files.path_from("C:\\work", "D:\\runs\\a.txt") == "D:\\runs\\a.txt"


def test_files_of_several_drives_have_no_folder_in_common():
    """Those of one have, however its letters are written."""
    assert provenance._common_folder(["C:\\runs\\a", "c:\\Runs\\b"]) == "C:\\runs"
    assert not provenance._common_folder(["C:\\runs\\a", "D:\\runs\\b"])


def test_the_name_of_a_file_is_what_stands_behind_the_last_slash_of_either_kind():
    """Names of runs and metrics are names of files without their folder."""
    assert files.base_name("runs\\adhoc8_ap.csv.gz") == "adhoc8_ap"
    assert files.base_name("C:runs/input.bm25") == "input.bm25"


def test_the_folders_of_a_benchmark_are_found():
    """Those of mt-metrics-eval are told by their names."""
    root, pair = mt_metrics_eval.in_folder("D:\\wmt22\\metric-scores\\en-de\\BLEU-refA.seg.score")
    assert (str(root), pair) == ("D:\\wmt22", "en-de")
