"""`metaeval votes`: from files to answer, with the words of the command line."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.simulate.votes import simulate_votes


@pytest.fixture
def votes(tmp_path):
    """Write a small arena."""
    path = tmp_path / "votes.csv"
    simulate_votes(n_systems=4, n_votes=600, rng=1).to_csv(path, index=False)
    return path


def test_json_and_terminal(command, votes):
    """One row a system; the terminal says the sentence."""
    rows = command("votes", votes, "--json").json()["results"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert {"strength", "rank_low", "rank_high", "win_rate", "p_best", "letters"} <= set(rows[0])
    ended = command("votes", votes)
    assert "Which systems win pairwise votes?" in ended.out
    assert "600 votes, 4 systems, 50 questions, 40 voters, 6 pairs of systems" in ended.out


def test_named_columns(command, tmp_path, votes):
    """Columns with other names are named, and a wrong name is answered with those that there are."""
    other = tmp_path / "other.csv"
    other.write_text(votes.read_text().replace("left,right,winner,question,voter", "one,two,who,q,p", 1))
    ended = command("votes", other)
    assert ended.code == 3
    assert "--left-column" in ended.err
    words = ("--left-column", "one", "--right-column", "two", "--winner-column", "who", "--question-column", "q")
    plain = command("votes", votes, "--by", "question", "--json").json()["results"]
    assert command("votes", other, *words, "--json").json()["results"] == plain
    assert "'three'" in command("votes", other, *words[:-1], "three").err


def test_options_reach_the_study(command, votes):
    """Ties, clusters, covariates and the plan."""
    for words in (("--ties", "davidson", "--by", "voter"), ("--covariates", "position", "--settled-share", "0.5")):
        assert command("votes", votes, *words, "--json").code == 0
    assert command("votes", votes, "--by", "day").code == 2
    assert command("votes", votes, "--covariates", "length").code in {2, 3}


def test_a_metric_beside_the_votes(command, tmp_path, votes):
    """A section counts the pairs that both settle."""
    path = tmp_path / "acc.csv"
    rows = [f"q{item}," + ",".join(f"{at / 4 + (item * at) % 5 / 50}" for at in range(1, 5)) for item in range(30)]
    path.write_text("\n".join(["topic,system1,system2,system3,system4", *rows]))
    ended = command("votes", votes, "--beside", path, "--json")
    table = ended.json()["tables"]["beside"]
    assert ended.code == 0
    assert table["rows"][0]["n_predictor"] == table["rows"][0]["n_pairs"] == 6
    assert table["title"] == "Pairs settled by votes and by metrics"
    agreed = command("agree", path, votes, "--json").json()
    row = next(row for row in agreed["results"] if row["truth"] == "votes")
    assert [row[name] for name in ("n_truth", "n_predictor", "f1")] == [
        table["rows"][0][name] for name in ("n_truth", "n_predictor", "f1")
    ]
    assert command("agree", "--votes", f"arena={votes}", path, "--json").json()["results"][0]["predictor"] == "arena"
    assert "--min-f1 is about metrics alone" in command("agree", path, votes, "--min-f1", "0.8").err
    assert "--test is about metrics alone" in command("agree", path, votes, "--test", "t").err


def test_metrics_on_items_beside_votes(command, tmp_path, votes):
    """`human` takes votes in the place of human scores, and says on how many of them a metric agrees."""
    path = tmp_path / "items.csv"
    rows = [f"system{at},q{item},{at + item % 3},{-at}" for at in range(1, 5) for item in range(1, 31)]
    path.write_text("\n".join(["system,item,good,bad", *rows]))
    answer = command("human", path, votes, "--json").json()
    found = {row["metric"]: row for row in answer["tables"]["predicted"]["rows"]}
    assert found["good"]["share"] == pytest.approx(1 - found["bad"]["share"])
    turned = command("human", path, votes, "--lower-is-better", "bad", "--json").json()["tables"]["predicted"]["rows"]
    assert turned[1]["share"] == pytest.approx(found["good"]["share"])
    assert "votes alone" in command("human", votes).err
    (tmp_path / "means.csv").write_text("system,good\nsystem1,1\nsystem2,2\n")
    assert "no column names them" in command("human", tmp_path / "means.csv", votes).err


def test_judges_on_votes(command, tmp_path):
    """A file is a judge, or a voter of a single file; agreement, position and settled pairs are on the page."""
    frame = simulate_votes(n_systems=4, n_questions=20, n_voters=3, n_votes=600, rng=1)
    people, judge = tmp_path / "people.csv", tmp_path / "gpt.jsonl"
    frame.to_csv(people, index=False)
    simulate_votes(n_systems=4, n_questions=40, n_voters=1, n_votes=900, rng=2).to_json(
        judge, orient="records", lines=True
    )
    answer = command("judges", people, judge, "--reference", "people", "--json").json()
    assert answer["command"] == "judges"
    assert answer["tables"]["same"]["rows"][0]["second"] == "gpt"
    assert [row["votes"] for row in answer["tables"]["habits"]["rows"]] == ["people", "gpt"]
    assert {"settled", "worth"} <= set(answer["tables"])
    assert "gpt" in answer["summary"][0]  # the verdict
    assert "gpt agrees with people on" in answer["summary"][1]
    alone = command("judges", people, "--json").json()
    assert len(alone["tables"]["same"]["rows"]) == 3
    assert "Two of 3 judges agree" in alone["summary"][0]
    assert "1 voter" in command("judges", judge).err
    assert "--rel is not about votes" in command("judges", people, judge, "--rel", "2").err
    labels = tmp_path / "labels.csv"
    labels.write_text("topic,item,ann,ben\n1,a,0,1\n1,b,1,1\n")
    assert "give judges of one kind" in command("judges", people, labels).err
    bare = tmp_path / "bare.csv"
    frame[["left", "right", "winner"]].to_csv(bare, index=False)
    assert command("judges", people, bare, "--json").code == 0


@pytest.mark.parametrize("option", [["--groups", "g.csv"], ["--built-with", "gpt=x", "--groups", "g.csv"]])
def test_systems_that_one_judge_of_votes_favours(command, tmp_path, monkeypatch, option):
    """As made: people prefer a to b in 30 of 40 votes, the judge b in 30: its log odds are 2 log 3 lower."""
    monkeypatch.chdir(tmp_path)
    won = {"people": 30, "gpt": 10}
    rows = [
        f"q{n},{judge},{'ab'[n % 2]},{'ba'[n % 2]},{'a' if n < of_a else 'b'}"
        for judge, of_a in won.items()
        for n in range(40)
    ]
    head = "question,judge,left,right,winner"
    Path("v.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    for judge in won:
        Path(f"{judge}.csv").write_text(
            "\n".join([head, *(row for row in rows if f",{judge}," in row)]), encoding="utf-8"
        )
    Path("g.csv").write_text("system,group\na,x\nb,y\n", encoding="utf-8")
    assert "metaeval judges v.csv --reference people" in command("look", "v.csv").out
    refused = command("judges", "v.csv", "--reference", "people", *option).err
    assert "--before PEOPLE --after JUDGE" in " ".join(refused.split())
    answer = command("judges", "--before", "people.csv", "--after", "gpt.csv", "--json").json()
    shift = {row["system"]: row["shift"] for row in answer["tables"]["shift"]["rows"]}
    assert shift == pytest.approx({"a": -np.log(3), "b": np.log(3)}, abs=0.01)


def test_rankings_as_votes(command, tmp_path):
    """Runs and judgments become votes, with the power of preferences beside that of metrics."""
    assert (
        command(
            "simulate",
            "collection",
            tmp_path / "made",
            "--seed",
            1,
            "--topics",
            12,
            "--groups",
            2,
            "--documents",
            300,
            "--depth",
            30,
        ).code
        == 0
    )
    runs, qrels = tmp_path / "made" / "runs", tmp_path / "made" / "qrels.txt"
    answer = command("votes", runs, "--qrels", qrels, "--preference", "lexi-recall", "--json").json()
    powers = answer["tables"]["powers"]["rows"]
    words = " ".join(command("votes", runs, "--qrels", qrels).out.split())
    assert "Settled pairs, by ranks" in words
    assert "Settled pairs, above, are another count" in words
    assert {"RPP", "lexi-precision", "lexi-recall", "nDCG@10"} <= {row["metric"] for row in powers}
    assert [row["correction"] for row in answer["tables"]["pairs"]["rows"]] == [
        "ranks"
    ]  # one count a name on this page
    assert command("votes", runs, "--qrels", qrels, "--preference", "AP").code == 2
    assert "--qrels makes them" in command("votes", runs, "--qrels", qrels, "--beside", qrels).err
    assert command("votes", runs, "--preference", "RPP").code == 2
    assert "--preference RPP" in command("power", runs, "--qrels", qrels, "--metrics", "RPP,AP").err


def test_annotations_both_ways(command, tmp_path):
    """AlpacaEval's annotations as votes and as a leaderboard: all pairs settled alike; win rates in tests/io."""
    generator = np.random.default_rng(1)
    for place, model in enumerate(("small", "medium", "large")):
        (tmp_path / "board" / model).mkdir(parents=True)
        drawn = np.clip(np.round(1.3 + place / 6 + generator.normal(0, 0.2, 80), 3), 1, 2)
        names = {"generator_1": "gpt4", "generator_2": model, "annotator": "judge"}
        rows = [{"instruction": f"i{at}", "preference": one, **names} for at, one in enumerate(drawn.tolist())]
        (tmp_path / "board" / model / "annotations.json").write_text(json.dumps(rows))
    board = tmp_path / "board"
    answer = command("agree", board, "--votes", board, "--json").json()
    row = answer["results"][0]
    assert (row["n_pairs"], row["n_predictor"], row["n_truth"], row["n_shared"], row["tau"]) == (3, 3, 3, 3, 1.0)
    assert any("gpt4" in note for note in answer["notes"])


def test_a_system_that_won_every_vote(command, tmp_path):
    """The pair is tested, and more votes settle it; other commands name the one that does so."""
    path = tmp_path / "votes.csv"
    for n, words in ((12, "the pair is settled"), (5, "the pair is not settled")):
        path.write_text("left,right,winner\n" + n * "a,b,left\n")
        assert f"a won all {n} votes against b: {words}." in command("votes", path).out
    (row,) = command("votes", path, "--json").json()["results"]
    assert [row["system"], row["against"], row["p_value"], row["settled"]] == ["a", "b", 2 / 2**5, False]
    (tmp_path / "means.csv").write_text("item,a,b\n1,1,2\n2,1,1\n3,2,1\n")
    assert "the page of metaeval votes" in " ".join(command("agree", path, tmp_path / "means.csv").err.split())


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("a,a,left", "plays itself"),
        ("a,b,c", "a winner is left, right, tie"),
    ],
)
def test_bad_input(command, tmp_path, rows, words):
    """Each with its rule, and no traceback."""
    path = tmp_path / "votes.csv"
    path.write_text(f"left,right,winner\n{rows}\n")
    ended = command("votes", path)
    assert ended.code in {3, 4}
    assert words in " ".join(ended.err.split())


def test_a_word_may_hold_the_sign(command, tmp_path):
    """It is cut at its last: B=A=tie says what B=A means, and two meanings of one word are refused."""
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "x,y,B = A?\n" + 3 * "x,y,left\n" + "y,x,left\n")
    row = command("votes", path, "--word", "B = A?=tie", "--json").json()["results"][0]
    assert (row["system"], row["win_rate"]) == ("x", 3.5 / 5)
    assert "--word says two things" in command("votes", path, "--word", "B=tie", "--word", "B=left").err
    assert "left, right, tie, none or name" in command("votes", path, "--word", "B=A").err


def test_advice_on_winners_is_obeyed(command, tmp_path):
    """Each way out, followed to the letter, gives what the row says (counted by hand)."""
    for more, word in (("x,y,1\n", "1=left"), ("left,y,left\nx,y,left\n", "left=left")):
        path = tmp_path / "votes.csv"
        path.write_text("left,right,winner\n" + 4 * "x,y,left\n" + 2 * "y,x,left\n" + more)
        advice = re.search(r"--word ([\w=]+)", command("votes", path).err)[1]
        assert advice == word
        found = {row["system"]: row for row in command("votes", path, "--word", advice, "--json").json()["results"]}
        assert found["x"]["win_rate"] == pytest.approx(5 / 7)


def test_one_judge_of_several(command, tmp_path):
    """The note on pooled judges names the option that takes one, which does so; columns that are left out are named."""
    frame = simulate_votes(n_systems=3, n_questions=20, n_voters=3, n_votes=300, rng=1).rename(
        columns={"voter": "judge"}
    )
    path, alone = tmp_path / "votes.csv", tmp_path / "alone.csv"
    frame.assign(turn=1).to_csv(path, index=False)
    answer = command("votes", path, "--json").json()
    note = next(note for note in answer["notes"] if "names 3 judges" in note)
    assert "left out columns that say nothing of a vote (turn)" in answer["notes"]
    option, said = re.search(r"pass (--where) (judge=\S+)", note).groups()
    frame[frame["judge"] == said.removeprefix("judge=")].to_csv(alone, index=False)
    chosen = command("votes", path, option, said, "--json").json()
    assert chosen["results"] == command("votes", alone, "--json").json()["results"]
    assert not any("judges" in note for note in chosen["notes"])
    assert any("rows, with judge" in note for note in chosen["notes"])
    assert "'judge'" in command("votes", path, "--where", "judg=v1").err


def test_a_vote_table_of_a_stranger(command, tmp_path, votes):
    """Columns in any order, others among them, names of columns said: the same ranks, and the rest is named."""
    frame = pd.read_csv(votes).assign(length=7, winner_id=3, weights_of="x", id=range(600))
    plain = command("votes", votes, "--json").json()
    names = {"left": "home", "right": "away", "winner": "said", "question": "task", "voter": "person"}
    words = [word for role, name in names.items() for word in (f"--{role}-column", name)]
    path = tmp_path / "other.csv"
    frame.sample(frac=1, axis=1, random_state=1).rename(columns=names).to_csv(path)
    answer = command("votes", path, *words, "--json").json()
    assert answer["results"] == plain["results"]
    (note,) = [note for note in answer["notes"] if note not in plain["notes"]]
    assert all(name in note for name in ("without a name", "length", "winner_id", "weights_of", "id"))
