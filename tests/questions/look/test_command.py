"""`metaeval look`, and `metaeval FILE`: from files to what they are, with the words of the command line."""

import pytest

TABLE = "topic,bm25,lm\n301,0.25,0.5\n302,0.125,0\n303,0.4,0.3\n"
ROWS = "AP,10,15,33\na,0.4,0.5,0.1\nb,0.3,0.2,0.6\n"


@pytest.fixture
def scores(tmp_path):
    """Write a small table."""
    path = tmp_path / "ap.csv"
    path.write_text(TABLE)
    return path


def test_a_file_without_a_command_is_looked_at(command, scores):
    """As `metaeval look` does; a word that is no file is a command that was mistyped."""
    looked = command("look", scores)
    assert looked.code == 0
    assert "Scores of systems by item: 2 systems, 3 topics and 1 metric." in looked.out
    assert f"metaeval table {scores}" in looked.out
    assert command(scores).out == looked.out
    assert command(f"x={scores}").code == 0
    mistyped = command("lok", scores)
    assert mistyped.code == 2
    assert "look" in mistyped.err


def test_a_command_wins_over_a_file_of_its_name(command, tmp_path, monkeypatch):
    """A folder called table changes no command."""
    (tmp_path / "table").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ap.csv").write_text(TABLE)
    assert command("table", "ap.csv", "--json").json()["command"] == "table"


def test_advice_holds_for_look_too(command, tmp_path):
    """What cannot be read says how; the option then stands in every command that is shown."""
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    refused = command("look", path, "--quiet")
    assert refused.code == 0
    assert "pass --systems-in rows" in refused.out
    read = command("look", path, "--systems-in", "rows", "--quiet")
    assert "2 systems, 3 topics" in read.out
    assert f"metaeval table {path} --systems-in rows\n" in read.out


def test_json_holds_questions_and_columns(command, scores):
    """Rows are the questions, with kind and roles in tables."""
    answer = command("look", scores, "--json").json()
    assert [row["name"] for row in answer["results"]][:2] == ["table", "design"]
    assert answer["tables"]["columns"]["rows"][0]["role"] == "item"
    assert answer["provenance"]["inputs"]


def test_gaps_are_asked_about_and_then_stand_in_the_commands(command, scores):
    """Else a command that is copied would be refused."""
    scores.write_text(TABLE.replace("302,0.125,0", "302,0.125,"))
    refused = command("look", scores, "--quiet")
    assert "Nothing that can be read as it is" in refused.out
    assert "--missing" in refused.out
    read = command("look", scores, "--missing", "zero", "--quiet")
    line = f"metaeval table {scores} --missing zero"
    assert f"{line}\n" in read.out
    assert command(*line.split()[1:], "--json").code == 0


BOARD = "model,acc,acc_stderr\na,0.71,0.012\nb,0.66,0.013\nc,0.52,0.014\n"
VOTES = "left,right,winner\na,b,left\nb,c,right\nc,a,tie\n"


@pytest.mark.parametrize("setting", ['missing = "zero"', 'item-column = "nowhere"', 'ignore-column = "a"'])
@pytest.mark.parametrize(
    "files",
    [
        {"ap.csv": TABLE},
        {"ap.csv": TABLE.replace("302,0.125,0", "302,0.125,")},
        {"board.csv": BOARD},
        {"votes.csv": VOTES},
        {"votes.csv": VOTES, "ap.csv": TABLE},
    ],
    ids=["scores", "gaps", "means", "votes", "several"],
)
def test_commands_of_a_folder_with_settings_run(command, tmp_path, monkeypatch, setting, files):
    """The file of settings is no data, and where it does not fit the files commands leave it out."""
    monkeypatch.chdir(tmp_path)
    for name, text in {**files, "metaeval.toml": f"{setting}\n"}.items():
        (tmp_path / name).write_text(text)
    looked = command("look", ".", "--json").json()
    lines = [row["command"] for row in looked["results"] if not row["lacks"]]
    assert bool(lines) == ("nothing that can be read" not in looked["summary"][0].casefold())
    for line in lines:
        ended = command(*line.split()[1:], "--json")
        assert ended.code == 0, (line, ended.err)


def test_without_settings_commands_are_so_too(command, tmp_path, monkeypatch):
    """What was looked at without them is asked without them, and those that do not fit are named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ap.csv").write_text(TABLE)
    (tmp_path / "metaeval.toml").write_text('item-column = "nowhere"\n')
    for words in (("--no-config", "look", "."), ("look", ".")):
        assert "\nmetaeval --no-config table .\n" in command(*words, "--quiet").out
    said = "Read without these settings, which do not fit: ap.csv: there is no column 'nowhere'"
    assert said in command("look", ".").out
