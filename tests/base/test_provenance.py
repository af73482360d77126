"""The record that lets a result be repeated."""

import hashlib
import json
import re
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pytest

from metaeval.base.provenance import Provenance, file_checksum, record_provenance


def test_a_checksum_is_sha256(tmp_path):
    """The checksum of a file is that of its bytes; the empty string's is the published one."""
    path = tmp_path / "scores.csv"
    path.write_bytes(b"")
    assert file_checksum(path) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    path.write_bytes(b"a,b\n")
    assert file_checksum(str(path)) == hashlib.sha256(b"a,b\n").hexdigest()


def test_a_record_holds_what_was_asked(tmp_path):
    """Command, options, source of draws, inputs with checksums, versions, platform and time are all there."""
    path = tmp_path / "scores.csv"
    path.write_text("a,b\n")
    before = datetime.now(UTC).replace(microsecond=0)
    record = record_provenance("power", options={"alpha": 0.05}, random_source="seed 0", inputs=[path])
    assert record.command == "power"
    assert record.options == {"alpha": 0.05}
    assert record.random_source == "seed 0"
    assert record.inputs == {str(path): file_checksum(path)}
    assert record.versions["numpy"] == metadata.version("numpy")
    assert re.fullmatch(r"3\.[0-9]+\.[0-9]+.*", record.versions["python"])
    assert record.platform
    assert datetime.fromisoformat(record.created) >= before


def test_samplers_and_statsmodels_are_named_where_they_were_loaded(monkeypatch):
    """Only a study that asks for draws loads them."""
    record = record_provenance("topics")
    monkeypatch.delitem(sys.modules, "pymc", raising=False)
    monkeypatch.delitem(sys.modules, "statsmodels", raising=False)
    monkeypatch.setitem(sys.modules, "arviz", sys)
    assert set(record.versions) - set(record.used().versions) == {"pymc", "statsmodels"}


def test_the_checksum_is_of_what_was_read(tmp_path):
    """A file that changes after the record was made leaves the record as it was."""
    path = tmp_path / "scores.csv"
    path.write_text("old")
    record = record_provenance("power", inputs=[path])
    path.write_text("new")
    assert record.inputs[str(path)] != file_checksum(path)


def test_a_record_becomes_json():
    """The record is plain dictionaries, so it survives JSON unchanged."""
    record = record_provenance("power", options={"tests": ["t"], "seed": 0}).to_dict()
    assert json.loads(json.dumps(record)) == record
    assert set(record) == {
        "command",
        "command_line",
        "options",
        "random_source",
        "inputs",
        "read_as",
        "versions",
        "platform",
        "created",
    }


def test_an_absent_input_is_an_error(tmp_path):
    """An input that is not there is no reason to record less."""
    with pytest.raises(FileNotFoundError):
        record_provenance("power", inputs=[tmp_path / "absent.csv"])


def test_very_many_inputs_are_printed_as_one_list(tmp_path):
    """Of a folder of thousands of files the page shows one checksum, that of what sha256sum would list."""
    few = Provenance(command="power", inputs={"a": "1", "b": "2"})
    assert few.shown_inputs() == {"a": "1", "b": "2"}
    paths = []
    for number in range(150):
        (tmp_path / f"{number}.json").write_text(str(number))
        paths.append(str(tmp_path / f"{number}.json"))
    many = record_provenance("power", inputs=paths)
    listed = "".join(f"{hashlib.sha256(Path(path).read_bytes()).hexdigest()}  {path}\n" for path in paths)
    assert many.shown_inputs() == {
        f"the list of 150 files below {tmp_path}, as sha256sum writes it": hashlib.sha256(listed.encode()).hexdigest()
    }
    assert len(many.to_dict()["inputs"]) == 150
