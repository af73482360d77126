"""`metaeval look`, and `metaeval FILE`: from files to what they are, with the words of the command line."""

import json

import numpy as np
import pandas as pd
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
    assert refused.code == 3
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


COLUMNS = {name: np.linspace(0.1, 0.9, 24) ** power for name, power in zip("abcde", range(1, 6), strict=True)}
GAPS = pd.DataFrame({"topic": range(24), **COLUMNS})


def test_gaps_stand_in_every_command_and_above_the_answer(command, tmp_path):
    """Two gaps: pairs are compared where both have scores, and questions that need whole topics leave two of 24 out."""
    frame = GAPS.copy()
    frame.loc[3, "b"] = frame.loc[7, "c"] = np.nan
    frame.to_csv(tmp_path / "ap.csv", index=False)
    for words in ((), ("--missing", "pairwise")):
        looked = command("look", tmp_path / "ap.csv", *words, "--json").json()
        lines = {row["name"]: row["command"] for row in looked["results"] if not row["lacks"]}
        assert lines["table"].endswith("--missing pairwise")
        assert lines["topics"].endswith("--missing drop-topics")
        for line in lines.values():
            ended = command(*line.split()[1:], "--json")
            assert ended.code == 0, (line, ended.err)
    looked = " ".join(command("look", tmp_path / "ap.csv", "--quiet").out.split())
    pairwise = command("table", tmp_path / "ap.csv", "--missing", "pairwise", "--json").json()
    said, _, answered = looked.partition("2 gaps: the commands compare pairs of systems where both have scores")
    assert pairwise["summary"][0] not in said
    assert pairwise["summary"][0] in answered
    zero = command("look", tmp_path / "ap.csv", "--missing", "zero", "--quiet").out
    assert f"metaeval table {tmp_path / 'ap.csv'} --missing zero\n" in zero


@pytest.mark.parametrize("gap", ["", "-", "\N{EN DASH}", "n/a", "N/A"])
@pytest.mark.parametrize(
    "text",
    [
        "model,acc,acc_stderr\na,0.71,0.012\nb,{0},{0}\nc,0.52,0.014\n",
        "model,rating,low,high\na,1200,1180,1220\nb,{0},{0},{0}\nc,1100,1080,1120\n",
        "model;acc;95% CI\na;0.71;[0.69, 0.73]\nb;{0};{0}\nc;0.52;[0.50, 0.54]\n",
        "model,acc,stderr\na,0.71,0.012\nb,0.6,{0}\nc,0.52,0.014\n",
    ],
)
def test_a_system_without_a_mean_is_asked_about_and_left_out_by_name(command, tmp_path, text, gap):
    """The refusal names line and option, which is followed; the board is then the same without the row."""
    path = tmp_path / "board.csv"
    path.write_text(text.format(gap))
    assert "line 3" in (err := " ".join(command("leaderboard", path).err.split()))
    assert "--missing drop-systems" in err
    (line,) = (row["command"] for row in command("look", path, "--json").json()["results"] if not row["lacks"])
    read = command(*line.split()[1:], "--json").json()
    assert "left out systems without a mean or its error: b" in " ".join(read["notes"]).casefold()
    path.write_text("\n".join(row for row in text.splitlines() if not row.startswith("b")))
    assert read["results"] == command("leaderboard", path, "--json").json()["results"]


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


VOTES = "model_a,model_b,winner\na,b,{}\nb,c,tie (bothbad)\na,c,model_b\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (VOTES.format("model_a"), "--word 'tie (bothbad)=none'"),
        (VOTES.format("odd"), "pass --word odd=left"),
        ("model_a,model_b,winner\na,b,0\nb,c,1\na,c,2\n", "(metaeval votes file.csv)"),
        ("item,annotator_1,annotator_2\n1,-1,1\n2,1,1\n3,0,1\n4,1,-1\n", "pass --word -1=none"),
    ],
    ids=["both bad", "a word", "numbers", "labels below 0"],
)
def test_votes_and_labels_are_spoken_of_as_their_commands_do(command, tmp_path, monkeypatch, text, says):
    """In options that can be typed, and no way is shown that guesses what a word means."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.csv").write_text(text)
    shown = " ".join(command("look", "file.csv").out.split())
    assert says in shown
    assert "argument in Python" not in shown
    assert "How it can be read" not in shown


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("trace_id,name,value\n1,BLEU,.1\n1,chrF,.2\n2,BLEU,.1\n2,chrF,.3\n", ["item", "metric", "score"]),
        (
            "trace_id,name,model,value\n1,BLEU,a,.1\n1,BLEU,b,.2\n2,BLEU,a,.1\n2,BLEU,b,.3\n",
            ["item", "metric", "system", "score"],
        ),
        ("name,topic,ndcg\nrun1,1,.1\nrun2,1,.2\nrun1,2,.3\nrun2,2,.1\n", ["system", "item", "score"]),
        ("id,name,score\n1,BLEU,.1\n2,chrF,.2\n3,BLEU,.1\n4,chrF,.3\n", ["an identifier", "metric", "score"]),
    ],
    ids=["metrics", "metrics beside systems", "runs", "unread"],
)
def test_a_column_called_name_has_the_role_that_its_cells_say(command, tmp_path, text, roles):
    """As its reader takes it."""
    (tmp_path / "s.csv").write_text(text)
    answer = command("look", tmp_path / "s.csv", "--json").json()
    assert [row["role"] for row in answer["tables"]["columns"]["rows"]] == roles


def test_an_option_that_takes_one_value_is_said_once(command, tmp_path):
    """An advice takes the place of the value that was typed, and the command that it makes is one that is read."""
    path = tmp_path / "long.csv"
    rows = [f"{s},q{i},{'' if s == 'c' else i / 9}" for s in "abc" for i in range(6)]
    path.write_text("system,item,accuracy\n" + "\n".join(rows) + "\n")
    refused = command("look", path, "--missing", "zero", "--quiet")
    line = " ".join(refused.err.split()).partition("metaeval look ")[2]
    assert line.endswith("--missing drop-systems")
    assert line.count("--missing") == 1
    assert "2 systems, 6 items" in command("look", path, "--missing", "drop-systems", "--quiet").out


def test_a_board_of_means_beside_counts_is_no_table_of_topics(command, tmp_path):
    """Columns N and Length say that the others are of whole systems, so that these are no items."""
    path = tmp_path / "board.csv"
    path.write_text(
        "Model,LC Win Rate,N,Length,Win Rate\na,31.97,150,866,29.97\nb,43.05,151,1602,41.05\nc,30.2,150,137,28.2\n"
    )
    shown = command("look", path, "--quiet").out
    assert "without their standard errors" in shown
    assert "--systems-in" not in shown


def test_an_option_that_needs_a_value_is_shown_with_one(command, tmp_path):
    """Two tasks of inspect_ai under a metric of their own: means of 1, 0 and 1, 1 (a), and 0, 0 and 0, 1 (b)."""
    for model, quiz, essay in (("a", "CI", "CC"), ("b", "II", "IC")):
        for task, scorer, values in (("quiz", "match", quiz), ("essay", "graded", essay)):
            samples = [{"id": at, "epoch": 1, "scores": {scorer: {"value": said}}} for at, said in enumerate(values)]
            evaluated = {"task": task, "model": model, "created": "2026-01-01T00:00:00"}
            log = {"version": 2, "status": "success", "eval": evaluated, "samples": samples}
            (tmp_path / f"{model}_{task}.json").write_text(json.dumps(log))
    looked = command("look", tmp_path, "--quiet").out
    line = next(line for line in looked.splitlines() if line.startswith(f"metaeval look {tmp_path} --metrics "))
    assert sorted(line.split()[-1].split(",")) == ["essay=graded", "quiz=match"]
    means = command("table", *line.split()[2:], "--json").json()["summary"]
    assert "0.750" in means[0]
    assert "0.250" in means[0]
