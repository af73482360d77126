"""Formats of runs are told by their content, in the order of one table."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io import run_formats
from metaeval.io.run_formats import RUN_FORMATS, RunFormat
from metaeval.io.trec import read_collection, read_runs
from metaeval.io.trec_lines import RUN, scan


@pytest.fixture
def with_tabs(monkeypatch):
    """Know a format of two columns, topic and document, behind a line that tells it."""

    def read(content, *, path, ranked):
        rows = [line.split("\t") for line in content.decode().splitlines()[1:]]
        lines = [f"{topic} Q0 {document} {place} {-place} tabs" for place, (topic, document) in enumerate(rows, 1)]
        return scan("\n".join(lines).encode(), RUN, path=path, ranked=ranked)

    own = RunFormat(lambda content: content.startswith(b"%tabs\n"), read)
    monkeypatch.setattr(run_formats, "RUN_FORMATS", (own, *RUN_FORMATS))


@pytest.mark.usefixtures("with_tabs")
def test_a_format_is_a_row(tmp_path):
    """A row makes every reader of runs take the format, beside the others."""
    (tmp_path / "own.txt").write_text("%tabs\n1\td3\n1\td1\n")
    (tmp_path / "trec.txt").write_text("1 Q0 d1 1 2.5 bm25\n")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n1 0 d3 0\n")
    runs = [tmp_path / "own.txt", tmp_path / "trec.txt"]
    assert {name: run["doc_id"].tolist() for name, run in read_runs(runs).items()} == {
        "tabs": ["d3", "d1"],
        "bm25": ["d1"],
    }
    assert read_collection(runs, tmp_path / "qrels.txt").systems == ("tabs", "bm25")


def test_the_last_format_says_what_is_wrong(tmp_path):
    """What no format knows is read as TREC, whose error names the line."""
    (tmp_path / "own.txt").write_text("%tabs\n1\td3\n")
    with pytest.raises(FileFormatError, match=r"line 1.*6 columns"):
        read_runs(tmp_path / "own.txt")
