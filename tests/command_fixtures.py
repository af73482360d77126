"""What the tests of the command line share: one small table, one small collection, and a way to run a command."""

import importlib.util
import json
import os
import signal
import sys
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from metaeval.cli import main
from metaeval.simulate.collection import simulate_collection


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self):
        """Read standard output as JSON."""
        return json.loads(self.out)


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run a command line in an empty folder, as the shell would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAEVAL_TRACEBACK", "1")  # what nobody foresaw is to be found and mended

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["metaeval", *map(str, words)])
        capsys.readouterr()
        code = main()
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def nonsense(checkout):
    """Load the script that knows a quick line of every command, and makes and runs lines of nonsense."""
    place = checkout / "benchmarks" / "nonsense_commands.py"
    spec = importlib.util.spec_from_file_location("nonsense_commands", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def table(tmp_path):
    """Scores of six systems on twenty topics under two metrics, as wide tables."""
    rng = np.random.default_rng(11)
    names = [f"team{number % 3}-run{number}" for number in range(6)]
    paths = []
    for metric in ("AP", "P"):
        scores = np.clip(0.1 * np.arange(6) + 0.1 * rng.random((20, 6)), 0, 1).round(4)
        paths.append(tmp_path / f"{metric}.csv")
        pd.DataFrame(scores, columns=names).to_csv(paths[-1], index=False)
    return paths


@pytest.fixture(scope="session")
def simulated_collection(tmp_path_factory):
    """Make a small collection of runs and judgments."""
    made = simulate_collection(n_groups=3, runs_per_group=2, n_topics=12, n_documents=300, depth=50, rng=1)
    return made.write_collection(tmp_path_factory.mktemp("made") / "collection")


class Event(NamedTuple):
    """What the process did: what Python's audit hooks call it, the file it did it to, and whether that may change."""

    name: str
    path: str
    writes: bool


_WATCHED = {
    *("open", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.chdir"),
    *("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"),
    *("socket.connect", "socket.getaddrinfo", "socket.bind"),
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_hooked: list[list[Event]] = []


def _watch(name, arguments):
    if _hooked and name in _WATCHED:
        path = arguments[0] if arguments and isinstance(arguments[0], str | bytes | os.PathLike) else ""
        writes = name == "open" and isinstance(arguments[2], int) and bool(arguments[2] & _WRITING)
        _hooked[-1].append(Event(name, os.fsdecode(path), writes))


@pytest.fixture(scope="session")
def watched():
    """Record what the process opens, starts, writes and calls; end what waits without end."""
    sys.addaudithook(_watch)  # stays for good, and does nothing outside

    def too_long(*_):
        pytest.fail("it waits")

    @contextmanager
    def watching(seconds=120):
        seen: list[Event] = []
        before = signal.signal(signal.SIGALRM, too_long) if hasattr(signal, "SIGALRM") else None
        if before is not None:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        _hooked.append(seen)
        try:
            yield seen
        finally:
            _hooked.clear()
            if before is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)

    return watching
