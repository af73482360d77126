"""What the tests of benchmarks share: folders of files made from plain values."""

import json
import tarfile
from pathlib import Path

import pytest


@pytest.fixture
def put(tmp_path):
    """Write files by their path below one folder, values as JSON, lists as JSON lines; return the folder."""

    def write(files, folder="results"):
        for name, held in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(held, bytes | str):
                path.write_bytes(held if isinstance(held, bytes) else held.encode())
            elif name.endswith("jsonl"):
                path.write_text("".join(json.dumps(line) + "\n" for line in held))
            else:
                path.write_text(json.dumps(held, indent=2))
        return tmp_path / folder

    return write


@pytest.fixture
def told():
    """Return the notes of scores that hold these words."""

    def find(scores, words):
        return [note for note in scores.attrs["notes"] if words in note]

    return find


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a folder of files that the tools themselves wrote, of our own toy questions; see `test_written`."""
    folder = tmp_path_factory.mktemp("written")
    with tarfile.open(Path(__file__).with_name("written.tar.xz")) as archive:
        archive.extractall(folder, filter="data")
    return folder
