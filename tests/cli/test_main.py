"""How the command line ends: the exit code for everything that can go wrong, and one sentence about it."""

import errno
import json
import os
from io import StringIO

import pandas as pd
import pytest
import typer

from metaeval.cli import app
from metaeval.cli.console import EXIT_CODES, NotEstablishedError, exit_code
from metaeval.errors import EstimationError, FileFormatError, InvalidOptionError, OutputError, ScoresError
from metaeval.io.locks import Lock


@pytest.fixture
def failing(command, monkeypatch):
    """Run a command that ends with an exception."""

    def run(error):
        def fail(*_):
            raise error

        monkeypatch.setattr("metaeval.metrics.plugins.default_registry", fail)
        return command("metrics")

    return run


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InvalidOptionError("alpha"), 2, "Error: alpha"),
        (FileFormatError("bad", path="a.run"), 3, "Error: a.run: bad"),
        (ScoresError("\x1b[31mgap"), 3, r"Error: \u001b[31mgap"),
        (EstimationError("too few"), 4, "Error: too few"),
        (OutputError("full"), 5, "Error: full"),
        (MemoryError("Unable to allocate 7 TiB"), 4, "Error: there is not enough memory (Unable to allocate 7 TiB)"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x"), 5, "Error: could not write 'x': No space left"),
        (OSError(errno.EACCES, os.strerror(errno.EACCES), "x"), 3, "Error: could not read 'x': Permission denied"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 5, ""),
        (KeyboardInterrupt(), 130, "Interrupted; nothing half-written was left behind."),
        (typer.Exit(4), 4, ""),
    ],
    ids=range(11),
)
def test_every_end_has_its_code(failing, error, code, words):
    """What went wrong is told in one line, and the code is one of those in the documentation."""
    ended = failing(error)
    assert ended.code == code
    assert ended.err.startswith(words)
    assert ended.err.count("\n") == bool(words)
    assert code in EXIT_CODES


def test_a_mistake_of_ours_is_named_to_be_reported(failing, monkeypatch):
    """What nobody foresaw ends in words too, which say where it happened; the traceback is there on request."""
    monkeypatch.delenv("METAEVAL_TRACEBACK")
    ended = failing(ZeroDivisionError("5 by 0"))
    assert (ended.code, ended.out) == (70, "")
    assert ended.err.startswith("Error: metaeval could not go on: ZeroDivisionError: 5 by 0 (test_main.py, line ")
    assert len(ended.err) < 600
    assert "Traceback" not in ended.err
    monkeypatch.setenv("METAEVAL_TRACEBACK", "1")
    ended = failing(ZeroDivisionError("5 by 0"))
    assert ended.err.startswith("Traceback (most recent call last)")
    assert "Error: metaeval could not go on: ZeroDivisionError" in ended.err


@pytest.mark.parametrize(("error", "code"), [(OutputError("full"), 5), (OverflowError("too large"), 70)])
def test_what_was_computed_is_not_lost_to_a_page_that_cannot_be_written(command, table, monkeypatch, error, code):
    """The answer is shown as it was asked for, and then what went wrong is told."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("metaeval.page.folder.write_report", fail)
    words = ("power", *table, "--test", "t", "--quiet", "--out", "done")
    plain, ended = command(*words[:-2], "--json").json(), command(*words, "--json")
    assert ended.code == code
    assert ended.json()["results"] == plain["results"]
    ended = command(*words)
    assert "Discriminative power" in ended.out
    assert str(error) in ended.err


def test_what_was_computed_is_not_lost_to_a_page_that_cannot_be_made(command, table, monkeypatch):
    """Its rows are printed, as CSV or as JSON."""

    def fail(*_, **__):
        raise OverflowError("too large")

    monkeypatch.setattr("metaeval.questions.power.page.power_report", fail)
    words = ("power", *table, "--test", "t", "--quiet")
    assert pd.read_csv(StringIO(command(*words).out))["metric"].unique().tolist() == ["AP", "P"]
    ended = command(*words, "--json")
    assert ended.code == 70
    assert {row["metric"] for row in ended.json()} == {"AP", "P"}


def test_codes_by_kind_of_error():
    """Each kind has one."""
    kinds = (NotEstablishedError, InvalidOptionError, EstimationError, OutputError, ScoresError)
    assert [exit_code(kind("x")) for kind in kinds] == [1, 2, 4, 5, 3]


def test_the_help_names_every_code(command):
    """Where people look for them."""
    words = " ".join(command("--help").out.split())
    assert app.info.help is not None
    for code, meaning in EXIT_CODES.items():
        assert f"{code} {meaning}" in words


def test_a_folder_that_another_process_writes(command, table, tmp_path):
    """The second one is told so before it reads anything, and leaves nothing."""
    lock = Lock.take(tmp_path / ".report.lock")
    lock.note("process 7 on here")
    ended = command("report", "absent.csv", "--out", "report")
    lock.release(remove=True)
    assert (ended.code, "process 7 on here is writing 'report' now" in ended.err) == (5, True)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in table}


def test_an_error_of_several_files_is_no_missing_file(tmp_path, command):
    """Two results of lm-eval whose only metric holds no number of an item: said so, of both."""
    for name, model in (("one", "a"), ("two", "b")):
        (tmp_path / name).mkdir()
        rows = [
            {"doc_id": n, "doc": {}, "target": "", "arguments": [], "resps": [], "filtered_resps": []} for n in (0, 1)
        ]
        text = "\n".join(json.dumps({**row, "word_perplexity": [-3.5, 4]}) for row in rows)
        (tmp_path / name / "samples_t_2026-01-01T10-00-00.000000.jsonl").write_text(text + "\n")
        held = {"results": {"t": {"alias": "t"}}, "model_name": model, "configs": {"t": {}}}
        (tmp_path / name / "results_2026-01-01T10-00-00.000000.json").write_text(json.dumps(held))
    assert "there is no score of any item" in command("table", str(tmp_path)).err
