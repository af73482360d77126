"""`metaeval leaderboard`: from files to the page, with clusters, gaps and the words of benchmarks."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.io.tables import write_scores
from metaeval.simulate.scores import simulate_scores

QUICK = ("--resamples", "100", "--quiet")


@pytest.fixture
def table(tmp_path):
    """Write a small leaderboard in three families."""
    scores = simulate_scores(n_systems=8, n_topics=30, metrics=["AP"], n_groups=3, n_clusters=6, rng=1)
    return write_scores(scores, tmp_path / "scores.csv")


def test_the_page(command, table, tmp_path):
    """Every section is there, in order, and ends with what it says of the benchmark."""
    cohorts = ("--cohort", "top6,group1")
    ended = command("leaderboard", table, "--clusters", "ignore", *cohorts, *QUICK, "--out", tmp_path / "page")
    assert ended.code == 0, ended.err
    page = (tmp_path / "page" / "index.html").read_text().replace("<wbr>", "")
    titles = (
        *("Ranks with intervals", "Families of systems", "Pairs of systems", "Detectable differences", "Topics needed"),
        *(
            "Metrics and aggregates",
            "Topics",
            "Subsets of the topics",
            "What separates the best systems",
            "What this benchmark can distinguish",
            "Methods",
        ),
    )
    places = [page.index(f">{title}</h2>") for title in titles]
    assert places == sorted(places)
    assert {"neighbours.csv", "card.json", "badge.svg"} <= {one.name for one in (tmp_path / "page" / "data").iterdir()}
    rows = pd.read_csv(tmp_path / "page" / "data" / "cohort_items.csv")
    assert rows["cohort"].unique().tolist() == ["top6", "group1"]


def test_systems_are_left_out_as_the_page_says(command, tmp_path):
    """What the page prints behind a macro mean that has no answer can be put behind the command, commas and all."""
    scores = simulate_scores(n_systems=8, n_topics=24, metrics=["AP"], n_clusters=12, rng=1)
    names = ["x, tuned", "y", *scores["system"].to_numpy().tolist()[2:]]
    scores = scores.assign_coords(system=names)
    scores[0, :2, scores["cluster"].isin(["cluster1", "cluster2", "cluster3"]).to_numpy()] = float("nan")
    gaps = ("leaderboard", write_scores(scores, tmp_path / "gaps.csv"), "--missing", "pairwise", *QUICK)
    advice = re.search(r"without a score in some cluster: (--exclude-systems .*)", command(*gaps).out)[1]
    assert advice == """--exclude-systems '"x, tuned",y'"""
    means = command(*gaps, "--clusters", "means").err  # and so does the error of means of clusters
    assert advice in means
    assert "pairwise" not in means
    followed = command(*gaps, *shlex.split(advice), "--json").json()
    assert sorted({row["system"] for row in followed["results"]}) == sorted(names[2:])
    assert any(row["aggregate"] == "macro mean" for row in followed["tables"]["conclusions"]["rows"])


def test_cohorts(command, tmp_path):
    """Passes and fails: kinds and clusters add up to the items that decide nothing; an unknown cohort is named."""
    scores = simulate_scores(n_systems=12, n_topics=60, metrics=["Normal"], n_clusters=12, rng=2)
    passed = write_scores((scores > scores.median("system")) * 1.0, tmp_path / "passed.csv")
    answer = command("leaderboard", passed, "--cohort", "top4", *QUICK, "--json").json()
    (row,) = answer["tables"]["cohorts"]["rows"]
    asked = command("leaderboard", passed, "--cohort", "top4", *QUICK).out
    assert f"{60 - row['n_idle']} topics separate the top 4" in asked  # who asks for a cohort reads of it at once
    assert (row["cohort"], row["n_systems"], row["n_pairs"]) == ("top 4", 4, 6)
    assert row["n_idle"] == row["all_pass"] + row["all_fail"] == round(row["idle"] * 60)
    clusters = answer["tables"]["cohort_clusters"]["rows"]
    assert sum(one["n_idle"] for one in clusters) == row["n_idle"]
    ended = command("leaderboard", passed, "--cohort", "best", *QUICK)
    assert ended.code == 2
    assert "no cohort 'best'" in ended.err


def test_json_and_latex(command, table):
    """The JSON rows are the leaderboard; the LaTeX is its table."""
    ended = command("leaderboard", table, "--clusters", "ignore", *QUICK, "--json")
    rows = json.loads(ended.out)["results"]
    assert len(rows) == 8
    assert "cohorts" not in ended.json()["tables"]  # eight systems have no top ten
    assert {"system", "rank", "rank_low", "rank_high", "p_best", "p_top_3", "letters"} <= set(rows[0])
    assert command("leaderboard", table, "--clusters", "ignore", *QUICK, "--latex").out.startswith("% Needs")


def test_clusters(command, table):
    """Six clusters: no resampling of them, but the design effect; as means they are the items."""
    ended = command("leaderboard", table, *QUICK[:2])
    said = re.sub(r"\s+", " ", ended.out)
    assert (
        "Ranks and groups; The best system: an interval of ranks draws clusters whole, and 6 of them tell too little"
        in said
    )
    assert "; --clusters fixed asks another question, of new topics in these same clusters" in said
    assert "30 topics come in 6 clusters of 5 topics" in ended.err
    assert "6 clusters" in command("leaderboard", table, "--clusters", "means", *QUICK).out
    ended = command("leaderboard", table, "--clusters", "some", *QUICK)
    assert ended.code == 2
    assert "--clusters" in ended.err


def test_a_folder_of_results_speaks_of_items(command, checkout):
    """The bundled results of MTEB are read as they are, two revisions of a data set too, and the page says item."""
    results = checkout / "examples" / "mteb" / "results"
    said = ("leaderboard", results, "--metrics", "main_score", "--resamples", "100")
    assert "SICK-R: dataset_revision is" in command(*said).err
    ended = command(*said, "--where", "dataset_revision=*")
    assert ended.code == 0, ended.err
    assert "5 systems, 8 items" in ended.out
    assert not re.search(r"\btopics?\b", ended.out)
    assert "Means over 1 to 10 repeats" in " ".join(ended.out.split())


def test_who_differs_from_the_baseline_is_what_the_table_says(command, table):
    """Better and worse, in the sentence and pair by pair, as `table` has them: Holm over the baseline's pairs."""
    asked = ("--clusters", "ignore", "--metrics", "AP", "--baseline", "group1-system1", "--json")
    board = command("leaderboard", table, *asked, *QUICK).json()
    pairs = command("table", table, *asked, "--test", "t", "--correction", "holm").json()
    sentence, expected = board["summary"][0], pairs["summary"][0]
    assert sentence.partition(" (")[0] == expected.partition(" (")[0]
    assert sentence.endswith(" (paired t, Holm over these 7 pairs; letters: over all pairs).")
    found = {row["system_a"]: row["significant_holm"] for row in board["tables"]["baseline pairs"]["data"]}
    told = {row["system_a"]: row["verdict"] == "yes" for row in pairs["tables"]["pairs"]["data"]}
    assert found == told


def test_a_baseline(command, table):
    """Several are one family in the table of pairs; one that is not there is named with its neighbours."""
    for several in (["group1-system1,group2-system4"], ["group1-system1", "--baseline", "group2-system4"]):
        ended = command("leaderboard", table, "--clusters", "ignore", "--baseline", *several, *QUICK, "--json")
        rows = ended.json()["tables"]["pairs"]["data"]
        assert {row["n_pairs"] for row in rows if row["family"] == "baseline"} == {7 + 6}
    ended = command("leaderboard", table, "--baseline", "group1-system9", *QUICK)
    assert ended.code == 2
    assert "group1-system1" in ended.err
    for option in (["--baseline", "group1-system1"], ["--require", "group2-system4 >= group1-system1"]):
        ended = command("leaderboard", table, *option, "--exclude-systems", "group1-system2,group1*1", *QUICK)
        assert ended.code == 2
        assert "'group1-system1' is left out by --exclude-systems group1*1" in ended.err


def test_clusters_from_a_file(command, table, tmp_path):
    """A file of clusters takes the place of the column; one that lacks a topic is refused."""
    rows = [f"{topic},{'odd' if topic % 2 else 'even'}" for topic in range(1, 31)]
    (tmp_path / "clusters.csv").write_text("\n".join(["topic,cluster", *rows]))
    ended = command("power", table, "--test", "t", "--cluster-file", tmp_path / "clusters.csv")
    assert "30 topics come in 2 clusters of 15 topics" in ended.err
    (tmp_path / "clusters.csv").write_text("\n".join(["topic,cluster", *rows[:-1]]))
    ended = command("power", table, "--test", "t", "--cluster-file", tmp_path / "clusters.csv")
    assert ended.code == 3
    assert "without a row: 30" in ended.err


def test_the_same_in_counts(command, tmp_path):
    """Scores in counts and scores in tenths give the same ranks and decisions."""
    scores = simulate_scores(n_systems=6, n_topics=30, metrics=["P@10"], rng=3)
    plain, counts = (
        write_scores(one, tmp_path / name)
        for name, one in (("a.csv", scores), ("b.csv", scores.copy(data=(scores.to_numpy() * 10).round())))
    )
    frames = [json.loads(command("leaderboard", one, *QUICK, "--json").out)["results"] for one in (plain, counts)]
    for column in ("system", "rank", "rank_low", "rank_high", "letters", "n_above"):
        assert [row[column] for row in frames[0]] == [row[column] for row in frames[1]]


@pytest.fixture
def board(tmp_path):
    """Write a leaderboard of means and standard errors."""
    path = tmp_path / "board.csv"
    path.write_text("model,acc,stderr\naurora,0.764,0.012\nbasalt,0.758,0.012\ncobalt,0.702,0.013\n")
    return path


def test_means_and_standard_errors(command, board, tmp_path):
    """Without scores by item there are ranks, named an approximation; every way out shows them."""
    ended = command("leaderboard", board, "--seed", "0", "--quiet")
    assert ended.code == 0, ended.err
    assert "Partly: aurora leads, but cannot be told apart from basalt" in ended.out
    assert "an approximation from means and standard errors" in ended.out
    answer = command("leaderboard", board, "--json", "--metrics", "acc").json()
    assert [row["rank_high"] for row in answer["results"]] == [2, 2, 3]
    assert list(answer["provenance"]["inputs"]) == [str(board)]
    assert (
        command("leaderboard", board, "--quiet", "--lower-is-better", "acc", "--json").json()["results"][0]["system"]
        == "cobalt"
    )
    assert command("leaderboard", board, "--quiet", "--out", tmp_path / "page").code == 0
    assert (tmp_path / "page" / "data" / "means.csv").exists()


def test_ways_out_of_a_board_that_is_not_clear(command, board):
    """Where an error may be of several means, each way out that the message names is one, to the letter."""
    text = board.read_text().replace("acc,stderr", "acc,f1,stderr").replace("0.7", "0.7,0.7")
    board.write_text(text)
    said = command("leaderboard", board).err
    old, new = re.search(r"if '(.+)' is that of '.+', rename it to '(.+)'", said).groups()
    board.write_text(text.replace(old, new))
    assert (
        "Partly: aurora leads, but cannot be told apart from basalt; 1 of 2 neighbour pairs"
        in command("leaderboard", board, "--seed", "0", "--quiet").out
    )
    board.write_text(text)
    chosen = command("leaderboard", board, "--value-column", "f1", "--json").json()["results"]
    assert {row["metric"] for row in chosen} == {"f1"}
    board.write_text(text.replace("f1", "ci_low"))
    assert "--ignore-column" not in command("leaderboard", board).err  # one column would be left


@pytest.mark.parametrize("option", ["--baseline=aurora", "--cohort=top2", "--exclude-systems=a*"])
def test_means_refuse_what_needs_items(command, board, option):
    """An option that needs scores by item is refused, by its name."""
    ended = command("leaderboard", board, option)
    assert ended.code == 2
    assert f"{option.partition('=')[0]} needs scores by item" in ended.err


def test_other_commands_refuse_means(command, board):
    """They say which command takes them, and so does this one of two files."""
    assert "metaeval leaderboard" in command("power", board).err
    other = board.with_name("other.csv")
    other.write_bytes(board.read_bytes())
    assert "name it alone: metaeval leaderboard" in command("leaderboard", board, other).err


def test_requirements_end_with_a_code(command, tmp_path):
    """Established 0, violated 1, open 6, each after its page; a table that is not there ends with 3."""
    rows = "".join(
        f"{item},{item % 7 / 10},{item % 7 / 10 + 0.1 + item % 2 / 100},{item % 5 / 10}\n" for item in range(30)
    )
    table = tmp_path / "board.csv"
    table.write_text(f"item,old,new,other\n{rows}", encoding="utf-8")
    met = command("leaderboard", table, "--require", "new >= old - 0.005", "--require", "new > old", *QUICK)
    assert met.code == 0, met.err
    unmet = command("leaderboard", table, "--require", "old >= new", *QUICK)
    assert unmet.code == 1
    assert command("leaderboard", "none.csv", "--require", "old >= new").code == 3
    assert "Not established: old >= new is violated under board" in unmet.err
    rows = [f"{i},{i % 5},,{i % 3}\n{i + 20},,{i % 4},{i % 7}" for i in range(20)]
    apart = tmp_path / "apart.csv"
    apart.write_text("\n".join(["question_id,old,new,third", *rows]))
    untested = command("leaderboard", apart, "--missing", "pairwise", "--require", "old >= new - 9 points", *QUICK)
    assert untested.code == 6
    assert "Open: old >= new - 9 points: the two systems have no item in common under apart" in untested.err
    assert "Requirements" in unmet.out


def test_an_open_gate_is_no_error(command, tmp_path, monkeypatch):
    """What was asked is answered: the last line says open, or not established, and calls neither an error."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    level = rng.random(30)
    columns = {"a": level, "b": level + rng.normal(0, 0.1, 30), "c": level - 0.3 + rng.normal(0, 0.05, 30)}
    pd.DataFrame(columns).rename_axis("topic").to_csv("scores.csv")
    for requirement, code, opening in (("a >= b", 6, "Open: "), ("c >= a", 1, "Not established: ")):
        ended = command("leaderboard", "scores.csv", "--require", requirement)
        assert ended.code == code
        assert ended.err.strip().splitlines()[-1].startswith(opening)
        assert "Error" not in ended.err


@pytest.mark.parametrize(("number", "code"), [(0.5, 0), (0.58, 6), (0.9, 1)])
def test_the_mean_of_one_system_is_required_to_be_beyond_a_number(command, tmp_path, number, code):
    """The limit is that of scipy's one-sided t test; established, open or contradicted, with the code of each."""
    values = 0.45 + np.arange(20) ** 1.5 / 250
    path = tmp_path / "solo.csv"
    path.write_text("system,item,acc\n" + "".join(f"solo,q{at},{value}\n" for at, value in enumerate(values)))
    ended = command("leaderboard", path, "--require", f"solo >= {number}", "--json")
    assert ended.code == code, ended.err
    (row,) = ended.json()["results"]
    test = stats.ttest_1samp(values, number, alternative="greater")
    assert row["low"] == pytest.approx(test.confidence_interval(0.95).low)
    assert row["p_value"] == pytest.approx(test.pvalue)
    ended = command("leaderboard", path)
    assert ended.code == 3
    assert "at least two systems are needed" in ended.err
