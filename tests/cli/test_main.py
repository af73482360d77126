"""How the command line ends: the exit code for everything that can go wrong, and one sentence about it."""

import errno
import os

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


def test_a_mistake_of_ours_is_not_hidden(failing):
    """Only what is foreseen is made a sentence of; anything else has to be found and mended."""
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())


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
