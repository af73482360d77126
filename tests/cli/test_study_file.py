"""Studies as files: what a report writes down asks the same again, and what is wrong in one is named."""

import tomllib

import pytest

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
    """Names before files, patterns, lists and switched-off flags come back; files are named from where one is."""
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
    tables = [path for path in sorted((out / "tables").glob("*.csv")) if path.stem not in {"checksums", "provenance"}]
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
        (TOML.replace("power", "powr"), 2, "did you mean 'power'"),
        (TOML + "tset = 't'\n", 3, "no option of power 'tset'; did you mean 'test'?"),
        (TOML.replace("test =", "no-header ="), 3, "no-header takes no value but true"),
        (TOML + "alpha = true\n", 3, "alpha needs a value, not true"),
        (TOML.replace("[options]", "[option]"), 3, "no key of a study 'option'; did you mean 'options'?"),
        ('options = 3\ncommand = "power"\n', 3, "options is a table"),
        (TOML + "alpha = 2\n", 2, "--alpha"),
        (TOML.replace("power", "simulate scores"), 3, "'simulate scores' makes data and asks nothing"),
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
