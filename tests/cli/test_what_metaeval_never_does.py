"""The page of this name, held to by what Python tells of a process: no connection, no program, no other file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WATCHED = """
import json, os, sys
seen = {"connects": [], "starts": [], "writes": [], "runs": []}
home = sys.argv[1]

def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "urllib.Request"):
        seen["connects"].append(event)
    elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        seen["starts"].append(os.path.basename(str(args[0])))
    elif event == "open" and isinstance(args[0], str) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen["writes"].append(os.path.abspath(args[0]))
    elif event in ("os.remove", "os.rename", "os.rmdir", "shutil.rmtree"):
        seen["writes"].append(os.path.abspath(os.fsdecode(args[0])))
    elif event == "exec" and args[0].co_filename.startswith(home):
        seen["runs"].append(args[0].co_filename)

sys.addaudithook(watch)
from metaeval.cli import main
codes = []
for words in json.loads(sys.argv[2]):
    sys.argv = ["metaeval", *words]
    codes.append(main())
sys.stderr.write("\\n" + json.dumps({"codes": codes, **seen}))
"""

ASKED_BY_LIBRARIES = {"uname", "fc-list"}
"""Python's platform asks for the processor, and matplotlib, once on a machine, for its fonts."""


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Return what runs command lines in a folder, in a process whose every step Python tells of."""
    monkeypatch.chdir(tmp_path)

    def run(*lines):
        command = [sys.executable, "-c", WATCHED, str(tmp_path), json.dumps([list(map(str, line)) for line in lines])]
        environment = {**os.environ, "MPLBACKEND": "agg"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
        return json.loads(done.stderr.rpartition("\n")[2])

    return run


def test_reading_and_answering_touch_nothing_else(watched, tmp_path, table):
    """Tables and studies are read, a report is written where it was asked for, and nothing else happens."""
    caches = (str(Path.home() / ".c"), os.environ.get("MPLCONFIGDIR", "/nowhere"), "/dev/null")  # .cache, .config
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('run')")
    (tmp_path / "AP.py").write_text("raise SystemExit('run')")
    asked = ("power", *table, "--test", "t")
    found = watched(
        (*asked, "--json"),
        (*asked, "--out", "made", "--quiet"),
        ("--study", "made/data/study.toml", "--quiet"),
        ("leaderboard", *table, "--quiet"),
    )
    assert found["codes"] == [0, 0, 0, 0]
    assert found["connects"] == found["runs"] == []
    assert [one for one in found["starts"] if one not in ASKED_BY_LIBRARIES] == []
    outside = [one for one in found["writes"] if "__pycache__" not in one and not one.startswith(caches)]
    own = str(tmp_path / "made"), str(tmp_path / ".made")
    assert [one for one in outside if not one.startswith(own)] == []
    assert any(one.startswith(own) for one in outside)


def test_the_audit_sees_what_it_looks_for(watched, tmp_path):
    """A plug-in that was asked for is seen to run: the test above could fail."""
    (tmp_path / "mine.py").write_text(
        "import socket\nfrom metaeval.metrics import metric\nopen('made', 'w').close()\n"
        "try:\n    socket.create_connection(('127.0.0.1', 9), 0.1)\nexcept OSError:\n    pass\n"
        "@metric\ndef mine(topic):\n    return 0.0\n"
    )
    found = watched(("metrics", "--plugin", "mine.py"))
    assert found["codes"] == [0]
    assert found["runs"] == [str(tmp_path / "mine.py")]
    assert "socket.connect" in found["connects"]
    assert str(tmp_path / "made") in found["writes"]
