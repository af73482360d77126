"""Folders with more in them than results of one benchmark, and inputs of several kinds."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from metaeval.base.provenance import recording_inputs
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.tables import read_scores


def _result(task, score):
    return {"task_name": task, "scores": {"test": [{"hf_subset": "default", "main_score": score}]}}


def _mteb(put, folder="results"):
    return put(
        {f"{model}/r/{task}.json": _result(task, at / 4) for at, model in enumerate("ab") for task in ("T1", "T2")},
        folder,
    )


def _annotations(model):
    return [{"instruction": "q", "generator_1": "x", "generator_2": model, "preference": 1.5}]


def test_what_else_lies_in_the_folder(put, told):
    """Files of no benchmark are left out and counted, whatever they are called; hidden ones are not looked at."""
    alone = read_scores(_mteb(put, "alone"))
    folder = _mteb(put)
    put({
        "README.md": "# results", "a/model_meta.json": {"name": "a"}, "board.csv": "task,a,b\nT1,1,2\nT2,3,4\n",
        "plot.png": b"\x89PNG\r\n\x1a\n\x00", ".hidden.json": "{", "empty.txt": b"",
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores.equals(alone)
    assert told(scores, "left out 5 files without results of MTEB: board.csv, README.md, ")
    assert all(path.endswith(("T1.json", "T2.json")) for path in scores.attrs["sources"])


def test_results_that_are_damaged_are_not_left_out(put):
    """JSON that is cut short, and an empty file called as the others, end the reading."""
    folder = _mteb(put)
    content = json.dumps(_result("T2", 0.5), indent=1)
    put({"b/r/T2.json": content[: len(content) // 2]})
    with pytest.raises(FileFormatError, match=r"b/r/T2\.json, line \d+: the JSON is cut short or broken"):
        read_scores(folder)
    put({"b/r/T2.json": ""})
    with pytest.raises(FileFormatError, match=r"b/r/T2\.json: the file is empty"):
        read_scores(folder)


def test_two_benchmarks_in_a_folder(put):
    """A file of another benchmark is refused, and the message names one of each."""
    folder = _mteb(put)
    put({"z.json": _annotations("a")})
    with pytest.raises(
        FileFormatError, match=r"(z|T1)\.json: this is a file of (MTEB|AlpacaEval), and .*(T1|z)\.json one of"
    ):
        read_scores(folder)


def test_a_table_named_beside_results(put):
    """A table that was named, and did not come with the folder, is refused."""
    folder = _mteb(put)
    table = put({"x.csv": "topic,a,b\n1,0,1\n2,1,0\n"}, "tables") / "x.csv"
    with pytest.raises(
        FileFormatError, match=r"x\.csv: this is a table, and .*T1\.json is a file of MTEB; read them apart"
    ):
        read_scores([folder, table])


def test_options_of_tables(put):
    """Options about columns mean nothing for results, and are refused."""
    for option in ({"columns": {"topic": "x"}}, {"form": "long"}, {"header": False}, {"systems_in": "rows"}):
        with pytest.raises(InvalidOptionError, match="is a file of MTEB, which says itself what is what; leave out "):
            read_scores(_mteb(put), **option)


def test_tables_in_folders_of_folders(put):
    """Tables below a folder are read too, in natural order."""
    folder = put({"one/AP.csv": "topic,a,b\n1,0,1\n2,1,0\n", "two/P.csv": "topic,a,b\n1,0,1\n2,1,0\n"})
    assert read_scores(folder)["metric"].to_numpy().tolist() == ["AP", "P"]
    put({"two/README.md": "# words of no table"})
    with pytest.raises(FileFormatError, match=r"README\.md"):
        read_scores(folder)


def test_every_file_is_opened_once_and_recorded(put):
    """The record of a command holds the checksum of every file that was opened, and of no other."""
    folder = _mteb(put)
    with recording_inputs() as record:
        scores = read_scores(folder)
    assert sorted(record.checksums) == sorted(scores.attrs["sources"])


def test_links_to_folders_are_not_followed(put):
    """A link back to its own folder does not make the reading endless."""
    folder = _mteb(put)
    (folder / "a" / "again").symlink_to(folder, target_is_directory=True)
    assert len(read_scores(folder).attrs["sources"]) == 4


@pytest.mark.parametrize("name", ["a/rev/T9.json", "a/rev/T9.json.xz", "a/rev/T9.jsonl.gz"])
def test_an_empty_file_of_results(put, name):
    """It is a result that was lost, and not something else that lies in the folder."""
    folder = _mteb(put)
    pack = {".xz": lzma.compress, ".gz": gzip.compress}.get(Path(name).suffix, bytes)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(pack(b""))
    with pytest.raises(FileFormatError, match=r"T9\.json.*: the file is empty; write it again, or leave it out"):
        read_scores(folder)
