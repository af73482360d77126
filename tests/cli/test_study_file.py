"""Studies as files: what a report writes down asks the same again, and what is wrong in one is named."""

import hashlib
import os
import tomllib

import pytest
import typer

from metaeval.cli import app
from metaeval.cli.commands import COMMANDS
from metaeval.cli.study_file import _OF_OUTPUT, _of_paths

TOML = 'command = "power"\n[options]\ninputs = ["AP=AP.csv"]\ntest = "t"\n'


@pytest.fixture
def written(command, table):
    """Write a report of a table, and return its study and its answer."""
    asked = ("power", f"AP={table[0]}", "--test", "t", "--exclude-systems", "*5", "--n-topics", 12, "--seed", 3)
    assert command(*asked, "--out", "done").code == 0
    return table[0].parent / "done" / "data" / "study.toml", command(*asked, "--json").json()["results"]


def test_a_report_asks_the_same_again(command, written, monkeypatch, tmp_path):
    """From any folder, with the same numbers; where the answer went is no part of the question."""
    study, results = written
    read = tomllib.loads(study.read_text())
    assert read["command"] == "power"
    assert set(read["options"]) == {"inputs", "test", "exclude-systems", "n-topics", "seed"}
    (tmp_path / "elsewhere").mkdir()
    for folder, file in ((tmp_path, study), (tmp_path / "elsewhere", "../done/data/study.toml")):
        monkeypatch.chdir(folder)
        assert command("--study", file, "--json").json()["results"] == results
    monkeypatch.chdir(tmp_path)
    assert command(f"--study={study}", "--json").json()["results"] == results


def test_options_behind_it_win(command, written, tmp_path, monkeypatch):
    """Also paths, which begin where they are typed."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    study, _ = written
    again = command("--study", study, "--n-topics", "9", "--out", "again", "--quiet")
    assert again.code == 0, again.err
    options = tomllib.loads((tmp_path / "elsewhere" / "again" / "data" / "study.toml").read_text())["options"]
    assert options["n-topics"] == 9


def test_runs_patterns_and_flags(command, simulated_collection, tmp_path, monkeypatch):
    """Names before files, patterns, lists and switched-off flags come back as they were."""
    monkeypatch.chdir(simulated_collection)
    out = tmp_path / "done"
    asked = [
        "report",
        "runs/*",
        "--qrels",
        "qrels.txt",
        "--metrics",
        "AP,P@5",
        "--no-topics",
        "--interval-resamples",
        "0",
    ]
    first = command(*asked, "--groups", "groups.csv", "--out", out, "--quiet")
    assert first.code == 0, first.err
    monkeypatch.chdir(tmp_path)
    study = tomllib.loads((out / "data" / "study.toml").read_text())
    assert study["options"]["no-topics"] is True
    second = command("--study", out / "data" / "study.toml", "--out", "again", "--quiet")
    assert second.code == 0, second.err
    tables = [path for path in sorted((out / "tables").glob("*.csv")) if path.stem != "provenance"]
    assert len(tables) > 3
    for table in tables:
        assert table.read_bytes() == (tmp_path / "again" / "tables" / table.name).read_bytes()


def test_a_file_that_changed_stops_it(command, written, table):
    """The study names what it read by its checksum."""
    study, _ = written
    table[0].write_text(table[0].read_text().replace("0.1", "0.2", 1))
    ended = command("--study", study)
    assert (ended.code, ended.out) == (3, "")
    assert "is not what this study read" in ended.err


def test_one_written_by_hand(command, table):
    """Paths begin in its folder; a list is as good as names by comma."""
    file = table[0].parent / "mine.toml"
    file.write_text(TOML.replace('"AP=AP.csv"', '"AP.csv", "P.csv"') + 'metrics = ["P", "AP"]\nseed = 0\n')
    found = command("--study", file, "--json").json()["results"]
    assert found == command("power", *table, "--test", "t", "--metrics", "P,AP", "--json").json()["results"]


@pytest.mark.parametrize(
    ("text", "code", "match"),
    [
        ("command = ", 3, "this is no TOML"),
        ("[options]\n", 3, "a study names its command"),
        (TOML.replace("power", "powr"), 3, "did you mean 'power'"),
        (TOML + "tset = 't'\n", 3, "no option of power 'tset'; did you mean 'test'?"),
        (TOML.replace("test =", "no-topics ="), 3, "no option of power 'no-topics'"),
        (TOML.replace("power", "report").replace("test =", "no-topics ="), 3, "no-topics takes no value but true"),
        (TOML + "alpha = true\n", 3, "alpha needs a value, not true"),
        (TOML.replace("[options]", "[option]"), 3, "no key of a study 'option'; did you mean 'options'?"),
        ('options = 3\ncommand = "power"\n', 3, "options is a table"),
        (TOML + "alpha = 2\n", 2, "--alpha"),
        (TOML.replace("power", "simulate scores"), 3, "no command of a study 'simulate scores'"),
    ],
)
def test_refusals(command, table, text, code, match):
    """What the file lacks or has too much is named, with the file."""
    file = table[0].parent / "mine.toml"
    file.write_text(text)
    ended = command("--study", file)
    words = " ".join(ended.err.split())
    assert ended.code == code, words
    assert match in words


PLUGIN = """
from pathlib import Path
Path("ran").touch()
from metaeval.metrics import metric
@metric
def mine(topic):
    return 0.0
"""
RUNS = 'command = "score"\n[options]\ninputs = ["run.txt"]\nqrels = "qrels.txt"\n'


def _deep(n_levels):
    return f"{TOML}metrics = {'[' * n_levels}{']' * n_levels}\n"


HOSTILE = {
    # where an answer is written, and which machines work, is for whoever asks
    "a folder to write": TOML + 'out = "made"\n',
    "a folder to replace": TOML + 'out = "kept"\noverwrite = true\n',
    "overwriting alone": TOML + "overwrite = true\n",
    "pictures": TOML + "pdf = true\n",
    "machines": TOML + 'dask = "tcp://127.0.0.1:1"\n',
    "replicates to keep": RUNS.replace("score", "judgments") + 'keep = "made"\n',
    "scores to write": RUNS + 'scores = "made.csv"\n',
    "a command that writes": 'command = "simulate collection"\n[options]\ninputs = ["made"]\n',
    "a command that writes, in a group": 'command = "simulate"\n[options]\ninputs = ["collection", "made"]\n',
    # inputs are files and never options
    "an option as input": 'command = "power"\n[options]\ninputs = ["AP.csv", "--out=made"]\n',
    "an option with its value": 'command = "power"\n[options]\ninputs = ["AP.csv", "--out", "made"]\n',
    "a short option": 'command = "power"\n[options]\ninputs = ["AP.csv", "-omade"]\n',
    "options alone": 'command = "power"\n[options]\ninputs = ["--plugin=mine.py", "AP.csv"]\n',
    "an end of options": 'command = "power"\n[options]\ninputs = ["--", "--out=made"]\n',
    "an option behind a value": TOML.replace('"t"', '"t --out made"'),
    "an option in a command": TOML.replace('"power"', '"power --out made"'),
    "an option in a key": TOML + '"test=t --out" = "made"\n',
    "another study": 'command = "--study"\n[options]\ninputs = ["mine.toml"]\n',
    # programs
    "a plug-in": RUNS + 'plugin = "mine.py"\nmetrics = "mine"\n',
    "a plug-in in a list": RUNS + 'plugin = ["mine.py"]\n',
    "a plug-in of a command that lists": 'command = "metrics"\n[options]\nplugin = "mine.py"\n',
    "a program as input": 'command = "check-metric"\n[options]\ninputs = ["mine.py"]\n',
    "a plug-in with a checksum": RUNS + f'plugin = "mine.py"\n[checksums]\n"mine.py" = "{"0" * 64}"\n',
    # files that have no end, and texts that no file has
    "a pipe as input": TOML.replace("AP=AP.csv", "pipe"),
    "a named pipe as input": TOML.replace("AP=AP.csv", "AP=pipe"),
    "a pipe as option": RUNS.replace('"qrels.txt"', '"pipe"'),
    "a checksum of a pipe": TOML + '[checksums]\npipe = "0"\n',
    "a checksum of a device": TOML + '[checksums]\n"/dev/zero" = "0"\n',
    "a checksum of a folder": TOML + '[checksums]\nkept = "0"\n',
    "no letter": TOML.replace("AP.csv", "AP\\u0000.csv"),
    "no letter in a folder": 'folder = "\\u0000"\n' + TOML,
    "colours of a terminal": TOML.replace("AP.csv", "\\u001b[31mAP.csv"),
    "arrays without end": _deep(100_000),
    "a table as value": TOML + "metrics = {a = 1}\n",
    "tables in a list": TOML + "metrics = [[1], [2]]\n",
    "inputs that are no names": 'command = "power"\n[options]\ninputs = [{a = 1}]\n',
    "a folder that is a number": "folder = 3\n" + TOML,
    "a command that is a list": 'command = ["power"]\n',
}


@pytest.fixture
def home(table, monkeypatch):
    """Return a folder with tables, a program, a report that must stay and a pipe."""
    folder = table[0].parent
    monkeypatch.chdir(folder)
    (folder / "mine.py").write_text(PLUGIN)
    (folder / "run.txt").write_text("1 Q0 a 1 2 r\n2 Q0 a 1 2 r\n")
    (folder / "qrels.txt").write_text("1 0 a 1\n2 0 a 1\n")
    (folder / "kept").mkdir()
    (folder / "kept" / "index.html").write_text("kept")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.skipif(os.name != "posix", reason="pipes and devices have other names elsewhere")
def test_a_hostile_study_does_nothing(command, home, name):
    """It is refused: no program runs, nothing is written or replaced, nothing connected to or waited for."""
    (home / "mine.toml").write_text(HOSTILE[name])
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    ended = command("--study", "mine.toml")
    assert (ended.code, ended.out) in {(2, ""), (3, "")}
    assert "Error: " in ended.err
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


def test_a_program_runs_where_it_is_trusted_and_known(command, home):
    """The way out of each refusal, followed to the letter, works; a changed program is refused all the same."""
    study = home / "mine.toml"
    written = RUNS + 'plugin = "mine.py"\nmetrics = "mine"\n'
    study.write_text(written)
    assert 'add "mine.py" = "SHA-256" below [checksums]' in " ".join(command("--study", study, "--trust").err.split())
    checksum = hashlib.sha256((home / "mine.py").read_bytes()).hexdigest()
    study.write_text(f'{written}[checksums]\n"mine.py" = "{checksum}"\n')
    asked = command("--study", study)
    assert asked.code == 3
    assert f"runs the program 'mine.py' (SHA-256 {checksum}); read it, and type --trust" in " ".join(asked.err.split())
    assert not (home / "ran").exists()
    done = command("--study", study, "--trust", "--json")
    assert done.code == 0, done.err
    assert done.err.startswith(f"{study} runs the program 'mine.py' (SHA-256 {checksum})\n")
    assert (home / "ran").exists()
    (home / "mine.py").write_text(PLUGIN + "#")
    assert "is not what this study read" in " ".join(command("--study", study, "--trust").err.split())


def test_a_report_with_a_plug_in_can_be_asked_again(command, home):
    """Its study holds the checksum of the program."""
    first = command(
        "score", "run.txt", "--qrels", "qrels.txt", "--plugin", "mine.py", "--metrics", "mine", "--out", "a"
    )
    assert first.code == 0, first.err
    study = home / "a" / "data" / "study.toml"
    assert command("--study", study).code == 3
    again = command("--study", study, "--trust", "--json")
    assert again.code == 0, again.err


def test_every_option_that_takes_a_path_reads_it():
    """Or is no part of a study: a new option that writes must say so."""
    program = typer.main.get_command(app)
    paths = {
        one.name
        for name in COMMANDS
        for group in [program.commands[name]]
        for command in getattr(group, "commands", {"": group}).values()
        for one in _of_paths(command)
    }
    reading = {
        *("cluster_file", "covariate", "documents", "element_sizes", "groups", "log", "new_runs", "pairs", "plugin"),
        *("pool_runs", "pools", "qrels", "runs", "second", "system_list", "topic_list"),
    }
    assert paths - _OF_OUTPUT == reading
