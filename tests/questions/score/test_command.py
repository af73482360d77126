"""`metaeval score`: means, files and JSON from runs and judgments."""

import pandas as pd
import pytest

from metaeval.base.checks import has_parquet
from metaeval.io.tables import read_scores
from metaeval.io.trec import read_collection
from metaeval.metrics.scoring import score


def test_means_are_those_of_the_python_function(command, simulated_collection):
    """The JSON holds the mean of every run under every metric."""
    runs, qrels = simulated_collection / "runs", simulated_collection / "qrels.txt"
    rows = command("score", runs, "--qrels", qrels, "--metrics", "AP,RBP(p=0.8)", "--json").json()["results"]
    expected = score(read_collection(runs, qrels), ["AP", "RBP(p=0.8)"]).mean("topic")
    assert len(rows) == expected.size
    for row in rows:
        assert row["mean"] == pytest.approx(float(expected.sel(metric=row["metric"], system=row["system"])), abs=1e-15)


def test_every_score_can_be_written_and_read_again(command, simulated_collection, tmp_path):
    """--scores writes the long table, which `metaeval power` reads."""
    words = ("--qrels", simulated_collection / "qrels.txt", "--metrics", "AP,P@10")
    assert command("score", simulated_collection / "runs", *words, "--scores", "scores.csv").code == 0
    frame = pd.read_csv(tmp_path / "scores.csv")
    assert len(frame) == 2 * 6 * 12
    rows = command("power", "scores.csv", "--test", "t", "--json").json()["results"]
    direct = command("power", simulated_collection / "runs", *words, "--test", "t", "--json").json()["results"]
    assert [row["n_significant"] for row in rows] == [row["n_significant"] for row in direct]


def test_subtopics_choose_the_measures_unless_they_are_collapsed(command, tmp_path):
    """Measures of diversity by default; with --subtopics collapse those of documents, and others say what they need."""
    (tmp_path / "q").write_text("1 1 d1 1\n1 2 d1 2\n1 1 d2 0\n2 1 d1 1\n2 2 d2 1\n")
    for run in "ab":
        order = ["d1", "d2"] if run == "a" else ["d2", "d1"]
        lines = [f"{topic} Q0 {one} 1 {-rank} {run}\n" for topic in "12" for rank, one in enumerate(order)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    words = ("score", "a.run", "b.run", "--qrels", "q", "--json")
    kept = {row["metric"] for row in command(*words).json()["results"]}
    collapsed = {row["metric"] for row in command(*words, "--subtopics", "collapse").json()["results"]}
    assert "alpha_nDCG@10" in kept
    assert "nDCG@10" in collapsed
    refused = command(*words, "--subtopics", "collapse", "--metrics", "NRBP")
    assert refused.code
    assert "need judgments by subtopic" in refused.err
    (tmp_path / "one").write_text("1 1 d1 1\n1 2 d2 1\n2 1 d1 1\n2 2 d2 1\n")
    of_one = ("score", "a.run", "b.run", "--qrels", "one", "--json")
    assert {row["metric"] for row in command(*of_one).json()["results"]}.isdisjoint(kept)
    assert {row["metric"] for row in command(*of_one, "--subtopics", "keep").json()["results"]} == kept
    asked = command(*of_one, "--metrics", "StRecall@1").json()
    assert [row["mean"] for row in asked["results"]] == [0.5, 0.5]
    assert any("one for every document" in note for note in asked["notes"])
    (tmp_path / "w").write_text("7 1 1\n1 1 .9\n1 2 .1\n2 1 0\n2 2 3\n2 9 1\n")  # without weights the mean of a is .75
    ended = command(*words, "--subtopic-weights", "w", "--metrics", "P_IA@1")
    assert "weights of 2 subtopics without judgments do not count: 9 of topic 2, 1 of topic 7" in ended.err
    assert {row["system"]: row["mean"] for row in ended.json()["results"]} == {"a": 0.5, "b": 0.5}
    (tmp_path / "w").write_text("1 1 1\n")
    lacking = command(*words, "--subtopic-weights", "w")
    assert "w: every subtopic needs a weight of 0 or more; subtopic '2' of topic '1' has none" in lacking.err
    both = command(*words, "--subtopics", "collapse", "--subtopic-weights", "w")
    assert "weights are for judgments by subtopic (topic subtopic document grade), and these have none" in both.err


@pytest.mark.parametrize(
    ("options", "n_topics", "means"),
    [
        ((), 4, {"nDCG": (0.5, 0.3155), "RR": (0.5, 0.25)}),  # pytrec_eval-terrier 0.5.11
        (("--undefined", "zero"), 4, {"nDCG": (0.5, 0.3155), "RR": (0.5, 0.25)}),
        (("--undefined", "drop"), 2, {"nDCG": (1.0, 0.6309), "RR": (1.0, 0.5)}),
    ],
)
def test_undefined_says_what_a_topic_with_nothing_relevant_counts(command, tmp_path, options, n_topics, means):
    """Zero gives zero, drop drops, the default is zero, and it is said even where nothing else is."""
    (tmp_path / "q").write_text("y1 0 a 1\ny1 0 b 0\ny2 0 a 0\ny3 0 b 1\ny3 0 a 0\ny4 0 c 0\n")
    rest = "y2 Q0 a 1 3 {0}\ny4 Q0 c 1 1 {0}\n"
    (tmp_path / "r").write_text("y1 Q0 a 1 3 r\ny1 Q0 b 2 2 r\ny3 Q0 b 1 2 r\ny3 Q0 a 2 1 r\n" + rest.format("r"))
    (tmp_path / "s").write_text("y1 Q0 b 1 3 s\ny1 Q0 a 2 2 s\ny3 Q0 a 1 2 s\ny3 Q0 b 2 1 s\n" + rest.format("s"))
    answer = command("score", "r", "s", "--qrels", "q", "--metrics", "nDCG,RR", *options, "--json", "--quiet").json()
    found = {(row["metric"], row["system"]): row for row in answer["results"]}
    for metric, values in means.items():
        assert [round(found[metric, one]["mean"], 4) for one in "rs"] == list(values)
    assert {row["n_topics"] for row in answer["results"]} == {n_topics}
    fate = "count 0 for every system" if n_topics == 4 else "are dropped for all metrics"
    assert f"2 topics have no relevant document in the judgments and {fate}: y2, y4" in answer["notes"]


@pytest.fixture
def unscored(monkeypatch):
    """Fail as soon as anything is scored."""
    monkeypatch.setattr("metaeval.cli.reading.Loaded.scores", lambda *_, **__: pytest.fail("was scored"))


@pytest.mark.usefixtures("unscored")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("there.csv", "'there.csv' exists already; pass --overwrite"),
        ("x.xyz", ".xyz"),
        ("scores", "file ending"),
        ("none/x.csv", "there is no folder 'none'"),
        ("folder.csv", "'folder.csv' is a folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_first(command, simulated_collection, tmp_path, name, message):
    """Nothing is scored then, and what is there stays as it is."""
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "folder.csv").mkdir()
    ended = command(
        "score", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", "--scores", name
    )
    assert ended.code == 2
    assert message in ended.err
    assert (tmp_path / "there.csv").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"there.csv", "folder.csv"}


@pytest.mark.parametrize("name", ["x.csv", "x.tsv.gz", pytest.param("x.parquet", marks=pytest.mark.parquet), "x.nc"])
def test_a_file_is_replaced_on_request(command, simulated_collection, tmp_path, name):
    """With --overwrite the scores take the place of the file, under every ending that can be written."""
    (tmp_path / name).write_text("mine")
    words = ("--qrels", simulated_collection / "qrels.txt", "--metrics", "AP", "--scores", name, "--overwrite")
    assert command("score", simulated_collection / "runs", *words).code == 0
    assert read_scores(tmp_path / name).sizes["system"] == 6


def test_a_plug_in_file_adds_a_metric(command, simulated_collection, tmp_path):
    """A function in a file is a metric like any other."""
    lines = ["from metaeval.metrics import metric", "", "@metric", "def half(topic):", "    return 0.5"]
    (tmp_path / "mine.py").write_text("\n".join(lines))
    words = ("--qrels", simulated_collection / "qrels.txt", "--metrics", "half", "--plugin", "mine.py", "--json")
    assert {row["mean"] for row in command("score", simulated_collection / "runs", *words).json()["results"]} == {0.5}


def test_qrels_are_needed(command, simulated_collection):
    """Without judgments the usage is shown."""
    ended = command("score", simulated_collection / "runs")
    assert ended.code == 2
    assert "--qrels" in ended.err


@pytest.mark.parametrize("topics", [None, ["3"]])
def test_one_run_is_shown(command, simulated_collection, tmp_path, topics):
    """A look at a run needs no second one, nor a second topic; the scores are those among all runs."""
    run = next((simulated_collection / "runs").iterdir())
    lines = (simulated_collection / "qrels.txt").read_text().splitlines(keepends=True)
    (tmp_path / "qrels").write_text("".join(line for line in lines if topics is None or line.split()[0] in topics))
    words = ("--qrels", tmp_path / "qrels", "--metrics", "AP,P@10")
    ended = command("score", run, *words)
    assert ended.code == 0, ended.err
    assert f"Mean over {'12 topics' if topics is None else '1 topic'}." in ended.out
    rows = command("score", run, *words, "--json").json()["results"]
    for row in rows:
        assert f"{row['mean']:.4f}" in ended.out
    among = command(
        "score",
        simulated_collection / "runs",
        *words[:1],
        simulated_collection / "qrels.txt",
        *words[2:],
        "--scores",
        "all.csv",
    )
    assert among.code == 0
    scores = pd.read_csv(tmp_path / "all.csv", dtype={"topic": str})
    for row in rows:
        own = scores[(scores["system"] == row["system"]) & (scores["metric"] == row["metric"])]
        own = own if topics is None else own[own["topic"].isin(topics)]
        assert row["mean"] == pytest.approx(own["score"].mean(), abs=1e-15)
    for name in ("x.csv", "x.nc", *(["x.parquet"] if has_parquet() else [])):
        assert command("score", run, *words, "--scores", name).code == 0
        refused = command("power", name, "--test", "t")
        assert refused.code == 3
        assert "at least two systems are needed" in refused.err
    assert len(pd.read_csv(tmp_path / "x.csv")) == 2 * (12 if topics is None else 1)


def test_the_means_stand_in_every_answer(command, simulated_collection, tmp_path):
    """The terminal, the page and LaTeX show the same table; the folder holds every score and the means' intervals."""
    words = (
        "score",
        simulated_collection / "runs",
        "--qrels",
        simulated_collection / "qrels.txt",
        "--metrics",
        "AP,P@10",
    )
    rows = command(*words, "--json").json()["results"]
    shown, latex = command(*words).out, command(*words, "--latex").out
    assert command(*words, "--out", "page", "--scores", "all.csv", "--title", "Six runs").code == 0
    page = (tmp_path / "page" / "index.html").read_text()
    assert "<title>Six runs" in page
    for row in rows:
        assert all(row["system"] in text and f"{row['mean']:.4f}" in text for text in (shown, latex, page))
    best = max((row for row in rows if row["metric"] == "AP"), key=lambda row: row["mean"])
    means = pd.read_csv(tmp_path / "page" / "data" / "means.csv")
    first = means[(means["metric"] == "AP") & (means["rank"] == 1)].iloc[0]
    opening = f"{best['system']} has the best mean AP, {best['mean']:.4f} ["
    assert f"{opening}{first['low']:.4f}, {first['high']:.4f}], and " in shown
    for name in ("scores.nc", *(["scores.parquet"] if has_parquet() else [])):
        kept = read_scores(tmp_path / "page" / "data" / name)
        assert kept.equals(read_scores(tmp_path / "all.csv").sel(metric=kept["metric"], system=kept["system"]))
    assert "equal scores by document identifier, descending" in page
    refused = command(*words, "--out", "page")
    assert (refused.code, "--overwrite" in refused.err) == (2, True)
