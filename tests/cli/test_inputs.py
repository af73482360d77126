"""A law over all commands: the same inputs give the same answer however they come, each opened once and recorded."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval.inex.simulation import simulate_inex

pytestmark = pytest.mark.usefixtures("one_core")

WAYS = ("packed", "pipe", "named pipe", "standard input")
SCORED = ("{run}", "--qrels", "{qrels}", "--metrics", "AP,P@10", "--groups", "{groups}")
COMMANDS = {
    "score": ("score", *SCORED),
    "power": ("power", *SCORED, "--test", "t", "--interval-resamples", "0"),
    "power of a table": ("power", "{table}", "--test", "t", "--interval-resamples", "0"),
    "report": ("report", *SCORED, "--resamples", "40", "--interval-resamples", "0", "--no-topics", "--overwrite"),
    "topics": ("topics", "{table}", "--trials", "10", "--no-bayes", "--interval-resamples", "0"),
    "table": ("table", *SCORED),
    "leaderboard": ("leaderboard", *SCORED, "--resamples", "40"),
    "compare-metrics": (
        *("compare-metrics", *SCORED, "--resamples", "40", "--interval-resamples", "2", "--no-topics"),
        *("--replicates", "2"),
    ),
    "compare-tests": ("compare-tests", *SCORED, "--test", "t", "--splits", "2"),
    "agree": ("agree", *SCORED, "--test", "t", "--interval-resamples", "0"),
    "judgments": (
        *("judgments", *SCORED, "--pooled-column", "pooled", "--group-column", "group", "--replicates", "2"),
        *("--tested", "1", "--question", "less-judging", "--reductions", "stratified,size", "--steps", "50"),
    ),
    "design": ("design", "{table}", "--pool", "{other}"),
    "human": ("human", "{items}", "--reference", "human", "--resamples", "20"),
    "judges": ("judges", "{labels}", "--resamples", "20"),
    "judges, scores": ("judges", "{judged}", "--reference", "ann", "--resamples", "20"),
    "judges, scores in two files": (
        *("judges", "ann={table}", "ben={other}", "--reference", "ann", "--resamples", "20"),
    ),
    "judges, annotations": ("judges", "people={people}", "llm={machines}", "--people", "people"),
    "judges, runs": (
        "judges",
        "ann={qrels}",
        "ben={second}",
        "--runs",
        "{first run}",
        "--runs",
        "{last run}",
        "--metrics",
        "AP",
    ),
    "judges of INEX": (
        *("judges", "ann={highlighted}", "ben={highlighted again}", "--metrics", "AiP"),
        *("--runs", "{first passages}", "--runs", "{last passages}"),
    ),
    "INEX": ("score", "{passages}", "--qrels", "{highlighted}"),
    "assessment": (
        "assessment",
        "{assessments}",
        "--runs",
        "{one submission}",
        "--element-sizes",
        "{sizes}",
        "--log",
        "{log}",
    ),
    "reliability": ("reliability", "{assessments}", "{submission}", "--element-sizes", "{sizes}", "--metrics", "MAep"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory, simulated_collection):
    """Make one file of every kind."""
    folder = tmp_path_factory.mktemp("inputs")
    runs = sorted((simulated_collection / "runs").iterdir())
    elements = simulate_inex(year=2005, n_systems=2, n_topics=1, n_documents=60, n_results=30, rng=3, published=False)
    elements.write_collection(folder / "inex")
    passages = simulate_inex(year=2009, n_systems=2, n_topics=3, n_documents=60, n_results=30, rng=3, published=False)
    passages.write_collection(folder / "passages")
    rng = np.random.default_rng(4)
    systems, topics = np.repeat([f"s{i}" for i in range(5)], 12), np.tile(np.arange(12), 5)
    for name in ("table", "other", "items"):
        score, human = rng.random(60).round(3), rng.random(60).round(3)
        human = {"human": human} if name == "items" else {}
        frame = {"system": systems, ("item" if name == "items" else "topic"): topics, "AP": score, **human}
        pd.DataFrame(frame).to_csv(folder / f"{name}.csv", index=False)
    both = [
        pd.read_csv(folder / f"{name}.csv").assign(judge=judge) for name, judge in (("table", "ann"), ("other", "ben"))
    ]
    pd.concat(both).to_csv(folder / "judged.csv", index=False)
    said = {name: {str(item): int(label) for item, label in enumerate(rng.integers(0, 3, 40))} for name in "abcd"}
    for name, own in (("people", "abc"), ("machines", "d")):
        (folder / f"{name}.json").write_text(json.dumps({one: said[one] for one in own}))
    rows = [f"{place % 2},d{place},{place % 3},{(place + place // 6) % 3}" for place in range(10)]
    (folder / "labels.csv").write_text("\n".join(["topic,item,ann,ben", *rows]))
    qrels = simulated_collection / "qrels.txt"
    lines = [line.split() for line in qrels.read_text().splitlines()]
    (folder / "second.txt").write_text(
        "".join(f"{one[0]} 0 {one[2]} {'0' if place % 7 == 0 else one[3]}\n" for place, one in enumerate(lines))
    )
    highlighted = (folder / "passages" / "assessments" / "qrels.txt").read_text()
    (folder / "passages" / "again.txt").write_text(highlighted + "\n")
    assessed = next((folder / "inex" / "assessments").iterdir())
    topic, document = elements.assessments.documents[["topic", "document"]].iloc[0]
    (folder / "log.csv").write_text(f"topic,document,seconds\n{topic},{document},61.5\n")
    submissions = sorted((folder / "inex" / "submissions").iterdir())
    return {
        "run": runs[:4],
        "first run": runs[:1],
        "last run": runs[-1:],
        "qrels": [qrels],
        "groups": [simulated_collection / "groups.csv"],
        **{name: [folder / f"{name}.csv"] for name in ("table", "other", "items", "judged", "labels", "log")},
        **{name: [folder / f"{name}.json"] for name in ("people", "machines")},
        "second": [folder / "second.txt"],
        "submission": submissions,
        "one submission": submissions[:1],
        "passages": sorted((folder / "passages" / "submissions").iterdir()),
        "first passages": sorted((folder / "passages" / "submissions").iterdir())[:1],
        "last passages": sorted((folder / "passages" / "submissions").iterdir())[-1:],
        "highlighted": [folder / "passages" / "assessments" / "qrels.txt"],
        "highlighted again": [folder / "passages" / "again.txt"],
        "assessments": [assessed],
        "sizes": [folder / "inex" / "sizes.txt"],
    }


def spelled(words, files, give):
    """Put what stands for each file in the place of its name."""
    said = []
    for word in words:
        before, brace, name = word.partition("{")
        said += [before + give(path) for path in files[name.rstrip("}")]] if brace else [word]
    return said


def answer(ended):
    """Return the results of a command and the checksums of its inputs."""
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    return found["results"], found["provenance"]["inputs"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_input_is_read_once_and_recorded(command, files, ways, count_openings, name):
    """From files and from everything else the answer is one; every input is opened once and has its checksum."""
    words = COMMANDS[name]
    said = spelled(words, files, lambda path: ways.give(path, "file"))
    with count_openings() as opened:
        expected, noted = answer(command(*said, "--json"))
    assert noted == ways.checksums
    assert {word: opened.count(word) for word in noted} == dict.fromkeys(noted, 1)
    (ways_left, ways.checksums) = list(WAYS), {}

    def next_way(path):
        way = ways_left.pop(0)
        ways_left.append("named pipe" if way == "standard input" else way)  # there is one standard input
        return ways.give(path, way)

    said = spelled(words, files, next_way)
    with count_openings() as opened:
        again, noted = answer(command(*said, "--json"))
    assert (again, noted) == (expected, ways.checksums)
    assert all(opened.count(word) == (0 if word == "-" or word.startswith("/dev/fd") else 1) for word in noted)


def test_more_systems_than_can_be_compared(command, watched, tmp_path, roomy):
    """They are refused by name and number before their scores are read, and the ways out work."""
    names = [f"s{number}" for number in range(10_001)]
    (tmp_path / "ap.csv").write_text(f"topic,{','.join(names)}\n1,these are no scores\n")
    long = "".join(f"{name},1,AP,0.5\n" for name in names)
    (tmp_path / "long.csv").write_text(f"system,topic,metric,score\n{long}{names[0]},1,AP,no score\n")
    rows = "".join(f"{name},0.5,0.25\n" for name in names)
    (tmp_path / "rows.csv").write_text(f"system,t1,t2\n{rows}s,no score,0.5\n")
    runs = roomy / "runs"
    runs.mkdir()
    for name in names:
        (runs / name).touch()
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n")
    asked = {"wide": ["ap.csv"], "long": ["long.csv"], "rows": ["rows.csv"], "runs": [runs, "--qrels", "qrels.txt"]}
    for name, words in asked.items():
        with watched() as seen:
            ended = command("leaderboard" if name == "wide" else "power", *words, "--quiet")
        said = " ".join(ended.err.split())
        assert ended.code == 2, said
        assert "make 50,005,000 pairs" in said or ("make 50,015,001 pairs" in said and name == "rows")
        assert "at most 49,995,000 pairs of 10,000 systems are compared; leave some out (--exclude-systems)" in said
        assert not [one for one in seen if "runs/" in one.path]
    (tmp_path / "names.txt").write_text("s1\ns2\ns3\n")
    (tmp_path / "good.csv").write_text(
        f"topic,{','.join(names)}\n" + "".join(f"{topic}{',0.5,0.25' * 5000},1\n" for topic in range(5))
    )
    ended = command("power", "good.csv", "--test", "t", "--system-list", "names.txt", "--quiet")
    assert ended.code == 0, ended.err
    assert "3 systems" in ended.out


@pytest.mark.parametrize(
    ("option", "known", "kind"), [("--system-list", "team0-run0", "system"), ("--topic-list", "1", "topic")]
)
def test_a_listed_name_that_is_not_there(command, table, option, known, kind):
    """The list is named with the line, and what to do."""
    (table[0].parent / "names.txt").write_text(f"\n{known}\nnobody\tof these\n")
    ended = command("power", table[0], "--test", "t", option, "names.txt", "--quiet")
    words = " ".join(ended.err.split())
    assert ended.code == 3, words
    assert f"Error: names.txt, line 3: no {kind} 'nobody'" in words
    assert words.endswith("correct the name, or take it out")


@pytest.mark.parametrize(
    "words",
    ["--cluster-file s.csv --cluster-column 7group", "--groups s.csv --group-column 7group"],
    ids=["clusters", "groups"],
)
def test_a_column_named_beside_is_no_score(command, tmp_path, monkeypatch, words):
    """Options that are given the score table itself name a column of numbers: the other columns answer as without it.

    Means by hand: 4 of 6, and 2 of 6.
    """
    monkeypatch.chdir(tmp_path)
    wide = "question,a,b,7group\n1,1,0,1\n2,0,0,1\n3,1,1,2\n4,1,0,2\n5,0,0,3\n6,1,1,3\n"
    long = "model,question,correct,7group\n" + "".join(
        f"{model},{row.split(',')[0]},{row.split(',')[at]},{row.split(',')[3] if 'cluster' in words else at}\n"
        for row in wide.split()[1:]
        for at, model in ((1, "a"), (2, "b"))
    )
    for text in [wide, long] if "cluster" in words else [long]:
        (tmp_path / "s.csv").write_text(text)
        results = command("table", "s.csv", *words.split(), "--json").json()["results"]
        means = {row["system"]: round(row["mean"], 9) for row in results}
        assert means == {"a": 0.666666667, "b": 0.333333333}


@pytest.mark.parametrize(
    ("names", "example"), [("category", " --cluster-column category"), ("7group", " (--cluster-column …)")]
)
def test_no_column_of_scores_is_an_example_of_clusters(command, tmp_path, monkeypatch, names, example):
    """A column of words that says one thing of each item is; of columns of numbers any may be scores."""
    monkeypatch.chdir(tmp_path)
    kinds = ["maths", "maths", "code"] if names == "category" else [1, 1, 2]
    rows = zip([1, 2, 3], [1, 0, 1], [0, 0, 1], kinds, strict=True)
    (tmp_path / "s.csv").write_text(f"question,a,b,{names}\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    ended = command("table", "s.csv", "--cluster-file", "s.csv")
    assert ended.code == 3
    assert f"say which column holds the clusters{', such as' * (names == 'category')}{example}" in ended.err
