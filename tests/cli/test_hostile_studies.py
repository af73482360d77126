"""Study files of strangers: whatever one says, nothing runs, nothing is written, nobody is called, no data are read."""

import gzip
import hashlib
import importlib.util
import os
import py_compile
import shutil
import socket
from pathlib import Path

import pytest
import typer

from metaeval.cli import app
from metaeval.cli.commands import COMMANDS
from metaeval.cli.option import declared
from metaeval.cli.study_data import may_say

PROGRAM = """\
from pathlib import Path
from metaeval.metrics import metric

Path(__file__).with_name("it-ran").touch()


@metric
def mine(topic):
    return 0.5
"""
CHECKSUM = hashlib.sha256(PROGRAM.encode()).hexdigest()
ADDRESS = "tcp://127.0.0.1:{port}"


@pytest.fixture
def trap(tmp_path, table):
    """Lay out what a study could do harm with: a program, a folder to replace, a scheduler, a pipe."""
    place = tmp_path / "trap"
    (place / "victim").mkdir(parents=True)
    (place / "victim" / "thesis.txt").write_text("years of work")
    (place / "evil.py").write_text(PROGRAM)
    shutil.copy(table[0], place / "AP.csv")
    (place / "qrels.txt").write_text("1 0 d1 1\n")
    if hasattr(os, "mkfifo"):
        os.mkfifo(place / "pipe")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield place, server


def _state(folder):
    return {
        path.relative_to(folder): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
    }


def _study(command="power", *lines, inputs='["AP.csv"]', checksums=()):
    return "\n".join([
        f'command = "{command}"', "[options]", *([f"inputs = {inputs}"] if inputs else []), *lines,
        *(["[checksums]", *checksums] if checksums else []), "",
    ])  # fmt: skip


CHECKED = f'"evil.py" = "{CHECKSUM}"'
RUNS = ('qrels = "qrels.txt"', 'metrics = "AP"')
NESTED = ".".join("k" * 300)
LONG = f"0x{'f' * 6000}"
HOSTILE = {
    "a program without a checksum": (_study("power", *RUNS, 'plugin = "evil.py"'), "states no checksum of it"),
    "a program with a checksum": (_study("power", *RUNS, 'plugin = "evil.py"', checksums=[CHECKED]), "--trust"),
    "programs in a list": (_study("score", *RUNS, 'plugin = ["evil.py"]', checksums=[CHECKED]), "--trust"),
    "a program by another way": (_study("power", *RUNS, 'plugin = "victim/../evil.py"'), "states no checksum of it"),
    "a program that is not there": (_study("power", *RUNS, 'plugin = "gone.py"'), "cannot be read"),
    "a program to be listed": (
        _study("metrics", 'plugin = "evil.py"', inputs=""),
        "'metrics' asks nothing of data, so it is no study",
    ),
    "a program as an input": (_study("check-metric", inputs='["evil.py"]'), "so it is no study"),
    "a program as an input, checked": (_study("check-metric", inputs='["evil.py"]', checksums=[CHECKED]), "no study"),
    "what starts processes": (_study("doctor", inputs=""), "'doctor' asks nothing of data"),
    "a program for judges": (_study("judges", 'plugin = "evil.py"'), "states no checksum of it"),
    "a program as an option in an input": (_study(inputs='["--plugin=evil.py"]'), "looks like an option"),
    "a folder replaced": (_study("power", 'out = "victim"', "overwrite = true"), "where and how the answer goes"),
    "a folder written": (_study("power", 'out = "new"'), "type --out behind the study"),
    "replacing alone": (_study("report", "overwrite = true"), "type --overwrite behind the study"),
    "a folder in an input": (_study(inputs='["--out=victim", "AP.csv"]'), "looks like an option"),
    "two words of an option": (_study(inputs='["-o", "victim", "AP.csv"]'), "looks like an option"),
    "the end of options": (_study(inputs='["--", "--out=victim"]'), "looks like an option"),
    "an option in a value": (_study("power", 'test = "t --out=victim"'), "no test"),
    "an option on a line of a value": (_study("power", 'test = "t\\n--out=victim"'), "no test"),
    "an option in the command": (_study("power --out victim"), "no command 'power --out victim'"),
    "a command that is an option": (_study("--version"), "no command '--version'"),
    "a scheduler": (_study("power", f'dask = "{ADDRESS}"'), "which machines work"),
    "a scheduler in an input": (_study(inputs=f'["--dask={ADDRESS}"]'), "looks like an option"),
    "processes": (_study("power", "workers = 512"), "which machines work"),
    "threads": (_study("power", "threads = 512"), "which machines work"),
    "replicates kept": (_study("judgments", *RUNS, 'keep = "victim"'), "where and how the answer goes"),
    "a file of scores": (_study("score", *RUNS, 'scores = "victim/thesis.csv"'), "where and how the answer goes"),
    "a file of pairs": (_study("power", 'pairs = "pairs.csv"'), "where and how the answer goes"),
    "silence": (_study("power", "quiet = true"), "where and how the answer goes"),
    "data made": (_study("simulate scores", inputs='["victim/thesis.csv"]'), "asks nothing of data"),
    "a collection made": (_study("simulate", inputs='["collection", "victim"]'), "asks nothing of data"),
    "another study": (_study("power", 'study = "other.toml"'), "no option of power 'study'"),
    "a key of its own": ('run = "evil.py"\n' + _study(), "no key of a study 'run'"),
    "lists without end": (_study("power", f"alpha = {'[' * 50_000}"), "lists within lists"),
    "keys without end": (_study("power", f"{NESTED} = 1"), "keys within keys"),
    "quoted keys without end": (_study("power", '"k" . ' * 3000 + '"k" = 1'), "keys within keys"),
    "a table without end": (_study() + f"[{NESTED}]\n", "keys within keys"),
    "a number without end": (_study("power", f"seed = {'9' * 5000}"), "line 4: a number of thousands of digits"),
    "a hexadecimal number without end": (
        _study("power", f"seed = 0x{'f' * 6000}"),
        "seed is a number of some 7200 digits",
    ),
    "numbers without end": (
        _study("power", f"test = [[0x{'f' * 6000}, 1]]"),
        "test needs a value, not [a number of some",
    ),
    "a number without end at the top": (f"command = 0x{'f' * 6000}", "as a text, not a number of some"),
    "a study without end": (_study("power", f'title = "{"a" * 2**21}"'), "a study has at most"),
    "a zero in the command": ('command = "power\\u0000"\n', "a study names its command"),
    "a zero in an input": (_study(inputs='["AP.csv\\u0000"]'), "a zero character"),
    "a zero in a path": (_study("power", 'groups = "a\\u0000b"'), "a zero character"),
    "a zero in a checksum": (_study(checksums=[f'"a\\u0000b" = "{CHECKSUM}"']), "is no name of a file"),
    "a zero in the folder": ('folder = "a\\u0000b"\n' + _study(), "folder"),
    "a folder that is none": ('folder = "AP.csv"\n' + _study(), "there is no folder"),
    "a pipe in the checksums": (_study(checksums=[f'pipe = "{CHECKSUM}"']), "neither a file nor a folder"),
    "a device in the checksums": (_study(checksums=[f'"/dev/zero" = "{CHECKSUM}"']), "neither a file nor a folder"),
    "a folder in the checksums": (_study(checksums=[f'victim = "{CHECKSUM}"']), "only a file has a checksum"),
    "no checksum": (_study(checksums=['"AP.csv" = "x"']), "64 digits"),
    "a pipe as an input": (_study(inputs='["pipe"]'), "neither a file nor a folder"),
    "a named pipe as an input": (_study(inputs='["AP=pipe"]'), "neither a file nor a folder"),
    "a pipe of judgments": (_study("power", 'qrels = "pipe"'), "neither a file nor a folder"),
    "a device of groups": (_study("power", 'groups = "/dev/zero"'), "neither a file nor a folder"),
    "the environment as an input": (_study(inputs='["/proc/self/environ"]'), "neither a file nor a folder"),
    "what has no end as an input": (_study("power", 'qrels = "/proc/kmsg"'), "neither a file nor a folder"),
    "what has no end in the checksums": (_study(checksums=[f'"/proc/kmsg" = "{CHECKSUM}"']), "neither a file nor"),
    "what has no end as a program": (_study("power", *RUNS, 'plugin = "/proc/kmsg"'), "only a file has a checksum"),
    "a table for a value": (_study("power", "test = { a = 1 }"), "test needs a value"),
    "a date for a value": (_study("power", "alpha = 2020-01-01"), "alpha needs a value"),
    "options that are no table": ('command = "power"\noptions = ["--out=victim"]\n', "options is a table"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_happens(command, watched, trap, name):
    """It ends with words that name the file, and with nothing run, written, called, entered, or read."""
    folder, server = trap
    if "pipe" in name and not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes with names")
    text, match = HOSTILE[name]
    study = folder / "study.toml"
    study.write_text(text.replace("{port}", str(server.getsockname()[1])))
    before, here = _state(folder.parent), Path.cwd()
    command("--version")  # what any command opens of its own is open by now
    with watched() as seen:
        ended = command("--study", study)
    words = " ".join(ended.err.split())
    assert ended.code in (2, 3), words
    assert match in words
    assert ended.out == ""
    assert _state(folder.parent) == before
    assert Path.cwd() == here
    with pytest.raises(BlockingIOError):
        server.accept()
    checked = {str(folder / "evil.py"), "trap/evil.py", "trap/victim/../evil.py"}  # read for its checksum, as bytes
    opened = {one.path for one in seen if one.name == "open" and "trap" in one.path} - {str(study), "trap/study.toml"}
    assert opened <= checked, opened
    assert [one for one in seen if one.name != "open" or one.writes] == []


def test_there_are_thirty():
    """So many were asked for."""
    assert len(HOSTILE) >= 30


def _commands():
    group = typer.main.get_command(app)
    return [group.get_command(None, name) for name in COMMANDS if name != "simulate"]


NEVER = {
    *("as_csv", "as_html", "as_json", "as_latex", "as_markdown", "dask", "keep", "out", "overwrite", "pairs", "pdf"),
    *("posterior", "quiet", "scores", "threads", "workers"),
}


def test_a_study_says_what_is_listed_and_no_more():
    """A study sets no option about who works, how an answer is shown or what is written; these are all such options."""
    options = [one for command in _commands() for one in command.params if one.param_type_name == "option"]
    assert {one.name for one in options if not may_say(one)} == NEVER
    assert {one.name for one in options if may_say(one)}.isdisjoint(NEVER)


def test_no_file_that_is_written_is_listed():
    """What takes a file to be written, or a folder, says so in its check."""
    for command in _commands():
        for parameter, option in declared(command):
            if "to_write" in getattr(option.check, "__qualname__", ""):
                assert not may_say(parameter)


@pytest.fixture
def collection_study(simulated_collection, tmp_path):
    """Write a study of a collection with a metric of its own, without a checksum."""
    (tmp_path / "evil.py").write_text(PROGRAM)
    runs, qrels = simulated_collection / "runs", simulated_collection / "qrels.txt"
    study = tmp_path / "study.toml"
    study.write_text(f"""command = "score"
[options]
inputs = ['{runs}']
qrels = '{qrels}'
metrics = "mine"
plugin = "evil.py"
""")
    return study


def test_a_program_runs_where_it_is_trusted(command, collection_study, tmp_path):
    """The ways out, followed to the letter, work; the program is named before it runs, and a changed one is not run."""
    ran = tmp_path / "it-ran"
    ended = command("--study", collection_study)
    line = ended.err.partition("write the line ")[2].partition(" below")[0].replace("\n", " ")
    assert line == f'"evil.py" = "{CHECKSUM}"'
    collection_study.write_text(f"{collection_study.read_text()}[checksums]\n{line}\n")
    ended = command("--study", collection_study)
    assert ended.code == 3
    assert "add --trust behind the study" in " ".join(ended.err.split())
    assert not ran.exists()
    for words in (["--study", collection_study, "--trust"], ["--trust", "--study", collection_study, "--quiet"]):
        ended = command(*words)
        assert ended.code == 0, ended.err
        assert ended.err.startswith(f"Running the program evil.py (SHA-256 {CHECKSUM})")
        assert ran.exists()
        ran.unlink()
    assert command("--study", collection_study, "--title", "--trust").code == 3  # a title, and no trust
    (tmp_path / "evil.py").write_text(PROGRAM.replace("0.5", "0.25"))
    ended = command("--study", collection_study, "--trust")
    assert ended.code == 3
    assert "'evil.py' is not what this study read" in ended.err
    assert not ran.exists()


def test_a_program_that_changes_after_it_was_looked_at(command, collection_study, tmp_path, monkeypatch):
    """What runs is what has the checksum, whoever changes the file in between."""
    from metaeval.cli import commands  # noqa: PLC0415 - patched

    (tmp_path / "study.toml").write_text(f'{collection_study.read_text()}[checksums]\n"evil.py" = "{CHECKSUM}"\n')
    monkeypatch.setattr(commands, "_name_programs", lambda _: (tmp_path / "evil.py").write_text(PROGRAM + "\n"))
    ended = command("--study", collection_study, "--trust")
    assert ended.code == 2
    assert "was not run" in ended.err
    assert not (tmp_path / "it-ran").exists()


def test_what_python_keeps_of_a_program_is_not_run(command, collection_study, tmp_path):
    """A `__pycache__` that came with the study could hold anything; none is left behind either."""
    (tmp_path / "other.py").write_text(PROGRAM.replace("it-ran", "other-ran"))
    kept = importlib.util.cache_from_source(str(tmp_path / "evil.py"))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tmp_path / "other.py"), cfile=kept, dfile="evil.py", invalidation_mode=mode)
    before = _state(tmp_path / "__pycache__")
    collection_study.write_text(f'{collection_study.read_text()}[checksums]\n"evil.py" = "{CHECKSUM}"\n')
    assert command("--study", collection_study, "--trust").code == 0
    assert (tmp_path / "it-ran").exists()
    assert not (tmp_path / "other-ran").exists()
    assert _state(tmp_path / "__pycache__") == before


def test_what_is_typed_behind_a_study_is_ones_own(command, table, tmp_path):
    """Options and inputs behind it count as typed: places to write, and programs; nobody is sent elsewhere."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "study.toml").write_text('command = "power"\n[options]\ninputs = ["../AP.csv"]\ntest = "t"\n')
    ended = command("--study", "far/study.toml", "P.csv", "-qo", "done", "--seed", "4")
    assert ended.code == 0, ended.err
    assert sorted(one.name for one in (tmp_path / "done").iterdir())
    assert command("--study", "far/study.toml", "--json", "--", table[1]).json()["results"]
    lacking = command("--study", "far/study.toml", "--out")
    assert lacking.code == 2
    assert "--out needs a value" in lacking.err
    assert not (tmp_path / "--").exists()


def test_the_folder_of_a_study_gives_no_orders(command, watched, trap, tmp_path):
    """Libraries take settings from the folder one is in, so nobody enters that of the study."""
    folder, _ = trap
    (folder / "matplotlibrc").write_text("backend: module://evil\n")
    (folder / ".numba_config.yaml").write_text("cache_dir: victim\n")
    (folder / "study.toml").write_text(_study("power", 'test = "t"'))
    with watched() as seen:
        assert command("--study", folder / "study.toml", "--json").code == 0
    assert Path.cwd() == tmp_path
    assert "os.chdir" not in {one.name for one in seen}
    assert not [one for one in seen if one.path.endswith(("matplotlibrc", ".yaml")) and "trap" in one.path]


def test_a_packed_study_is_no_way_round(command, trap):
    """A study may be packed as any file; what it unpacks to is bounded."""
    folder, _ = trap
    (folder / "study.toml.gz").write_bytes(gzip.compress(_study().encode() + b"#" * 2**21))
    ended = command("--study", folder / "study.toml.gz")
    assert ended.code == 3
    assert "a study has at most" in " ".join(ended.err.split())


def test_trust_without_a_study(command, table):
    """It would do nothing."""
    ended = command("--trust", "power", table[0])
    assert ended.code == 2
    assert "does nothing without --study" in " ".join(ended.err.split())


def test_a_report_with_a_metric_of_ones_own_is_asked_again(command, simulated_collection, tmp_path):
    """Its study states the checksum of the program, and asks for trust."""
    (tmp_path / "mine.py").write_text(PROGRAM)
    asked = ("score", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", "--metrics", "mine")
    ended = command(*asked, "--plugin", "mine.py", "--out", "done", "--quiet")
    assert ended.code == 0, ended.err
    (tmp_path / "it-ran").unlink()
    study = tmp_path / "done" / "data" / "study.toml"
    assert command("--study", study).code == 3
    assert not (tmp_path / "it-ran").exists()
    again = command("--study", study, "--trust", "--json")
    assert again.json()["results"] == command(*asked, "--plugin", "mine.py", "--json").json()["results"]
