"""Studies as files: what a report writes down asks the same again, and what is wrong in one is named."""

import tomllib

import pytest

TOML = 'command = "power"\n[options]\ninputs = ["AP=AP.csv"]\ntest = "t"\n'
DECOYS = "title = '''\nalpha = 1\n'''\n'alpha' = 2\n"


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
    ("text", "code", "said"),
    [
        ("command = ", 3, ": this is no TOML"),
        ("[options]\n", 3, ": a study names its command"),
        (TOML.replace("power", "powr"), 2, ", line 1: no command 'powr'; did you mean 'power'"),
        (TOML + "tset = 't'\n", 3, ", line 5: no option of power 'tset'; did you mean 'test'?"),
        (TOML.replace("test =", "no-header ="), 3, ", line 4: no-header takes no value but true"),
        (TOML + "alpha = true\n", 3, ", line 5: alpha needs a value, not true"),
        (TOML.replace("[options]", "[option]"), 3, ", line 2: no key of a study 'option'; did you mean 'options'?"),
        ('options = 3\ncommand = "power"\n', 3, ", line 1: options is a table"),
        (
            TOML.replace("power", "simulate scores"),
            3,
            ", line 1: command: 'simulate scores' asks nothing of data",
        ),
        (TOML + '[checksums]\n"AP.csv" = "0"\n', 3, ", line 6: AP.csv: a checksum is 64 digits"),
        (TOML + f'[checksums]\n"AP.csv" = "{"0" * 64}"\n', 3, ", line 6: 'AP.csv' is not what this study read"),
        (TOML + "alpha = 2\n", 2, ", line 5: --alpha must lie between 0 and 1, not 2"),
        (TOML + "alpha = 'x'\n", 2, ", line 5: "),
        (TOML.replace('"t"', '"tt"'), 2, ", line 4: --test: no test 'tt'"),
        (TOML.replace("AP.csv", "PA.csv"), 3, ", line 3: PA.csv: there is no such file"),
        (TOML + "qrels = 'PA.csv'\n", 3, ", line 5: --qrels: PA.csv: there is no such file"),
        (TOML + "n-topics = 50\n", 2, ", line 5: --n-topics must be at most 20"),
        (TOML + "exclude-systems = ['*0',\n'none']\n", 2, ", line 5: no system 'none'"),
        (TOML + "group-column = 'team'\n", 2, ", line 5: --group-column does nothing without --groups"),
        (TOML + DECOYS + "[checksums]\nalpha = ''\n", 3, ", line 10: alpha: a checksum"),
        (TOML + DECOYS, 2, ", line 8: --alpha must lie between 0 and 1"),
        ("options.alpha = 2\n" + TOML.partition("[")[0], 2, ", line 1: --alpha must lie between 0 and 1"),
        ('command = "power"\noptions = { alpha = 2 }\n', 2, ": --alpha must lie between 0 and 1"),
    ],
)
def test_refusals(command, table, text, code, said):
    """What the file lacks, or has wrong, is named with the file and the line of its key, where TOML has it in one."""
    (table[0].parent / "mine.toml").write_text(text)
    ended = command("--study", "mine.toml")
    words = " ".join(ended.err.replace("│", "").split())
    assert ended.code == code, words
    assert f"mine.toml{said}" in words


@pytest.mark.parametrize("typed", [["--alpha", "3"], ["--n-topics", "50"], ["none.csv"]])
def test_what_is_typed_is_not_laid_on_the_study(command, table, typed):
    """A value behind it wins, and may be what is wrong."""
    (table[0].parent / "mine.toml").write_text(TOML + "alpha = 2\n" * (typed[0] == "--alpha"))
    ended = command("--study", "mine.toml", *typed)
    assert ended.code in (2, 3), ended.out
    assert "mine.toml" not in ended.err
