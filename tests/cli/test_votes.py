"""`metaeval votes`: from files to answer, with the words of the command line."""

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
    assert "Whom do people prefer?" in ended.out
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
    for words in (("--ties", "davidson"), ("--by", "voter"), ("--covariates", "position"), ("--settled-share", "0.5")):
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
    assert "Significant pairs by votes and by metrics" in command("votes", votes, "--beside", path).out
    agreed = command("agree", path, votes, "--json").json()
    row = next(row for row in agreed["results"] if row["truth"] == "votes")
    assert [row[name] for name in ("n_truth", "n_predictor", "f1")] == [
        table["rows"][0][name] for name in ("n_truth", "n_predictor", "f1")
    ]
    assert command("agree", "--votes", f"arena={votes}", path, "--json").json()["results"][0]["predictor"] == "arena"
    assert "--min-f1 is about metrics alone" in command("agree", path, votes, "--min-f1", "0.8").err
    assert "takes one name" in command("agree", path, votes, "--test", "t,sign").err


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


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("a,a,left", "plays itself"),
        ("a,b,c", "a winner is left, right, tie"),
        ("a,b,left", "no strength has a bound"),
    ],
)
def test_bad_input(command, tmp_path, rows, words):
    """Each with its rule, and no traceback."""
    path = tmp_path / "votes.csv"
    path.write_text(f"left,right,winner\n{rows}\n")
    ended = command("votes", path)
    assert ended.code in {3, 4}
    assert words in " ".join(ended.err.split())
