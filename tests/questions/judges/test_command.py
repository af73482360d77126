"""`metaeval judges`: tables, reports and JSON from labels, with and without runs."""

import html
import json
import re
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval import alt_test, as_scores, simulate_scores
from metaeval.agreement import as_labels, compare_labels, favoured_items
from metaeval.agreement.judge_bias import favoured_by_covariate
from metaeval.agreement.second_assessors import second_people
from metaeval.base.metric_names import split_names
from metaeval.base.words import MISSING
from metaeval.inex.judged_files import inex_collection
from metaeval.inex.judges import read_judges
from metaeval.inex.reading import read_assessments, read_element_sizes, read_submissions
from metaeval.inex.simulation import simulate_inex
from metaeval.io.labels import read_labels
from metaeval.questions.judges.study import study_judges

pytestmark = pytest.mark.usefixtures("one_core")


@pytest.fixture
def labels(tmp_path):
    """Two people and a machine on ten items of two topics, with one label off the scale."""
    rows = ["topic,item,ann,ben,robot"]
    rows += [
        f"{place % 2},d{place},{place % 3},{(place + place // 6) % 3},{5 if place == 4 else 1}" for place in range(10)
    ]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(rows))
    return path


def test_the_answer_as_json(command, labels):
    """Every statistic of every pair stands in the JSON, with interval."""
    rows = command("judges", labels, "--scale", "0,1,2", "--outside", "drop", "--json").json()["results"]
    assert len({(row["first"], row["second"]) for row in rows}) == 3
    assert {row["statistic"] for row in rows} >= {"same", "kappa", "overlap"}
    against = command("judges", labels, "--scale", "0,1,2", "--outside", "drop", "--reference", "ann", "--json").json()[
        "results"
    ]
    assert {row["first"] for row in against} == {"ann"}


def test_labels_off_the_scale_stop_or_are_listed(command, labels):
    """Without a rule they stop with exit code 3; with one they are named in the answer."""
    ended = command("judges", labels, "--scale", "0,1,2")
    assert ended.code == 3
    assert "not on the scale" in ended.err
    assert "Labels off the scale 0, 1, 2, left out: robot 1" in (
        command("judges", labels, "--scale", "0,1,2", "--outside", "drop").out
    )


def test_the_terminal_shows_every_pair(command, labels):
    """The main measures of every pair with the interval of kappa, as the JSON has them; one topic gives no interval."""
    words = ("judges", labels, "--scale", "0,1,2", "--outside", "drop")
    rows = command(*words, "--json").json()["results"]
    lines = [line.split() for line in command(*words).out.splitlines()]
    for first, second in (("ann", "ben"), ("ann", "robot"), ("ben", "robot")):
        own = {row["statistic"]: row for row in rows if (row["first"], row["second"]) == (first, second)}
        (line,) = (" ".join(line) for line in lines if line[:2] == [first, second])
        kappa = own["kappa"]
        written = line.replace("\N{MINUS SIGN}", "-")
        found = re.search(rf"{100 * own['same']['value']:.1f} % .*?{kappa['value']:.2f} (\S+) to (\S+) (\S+) ", written)
        assert (float(found[1]), float(found[2])) == pytest.approx((kappa["low"], kappa["high"]), abs=0.05)
        assert found[3] == f"{own['quadratic_kappa']['value']:.2f}"
        assert f" {100 * own['overlap']['value']:.1f} % " in f"{written} "
    alone = command("judges", labels, "--where", "topic=1").out.splitlines()
    assert [MISSING in line for line in alone if line.startswith(("ann  ", "ben  "))] == [True] * 3


def test_runs_are_scored_under_each_judge(command, simulated_collection, tmp_path):
    """With runs the answer says what another judge would have changed."""
    qrels = simulated_collection / "qrels.txt"
    lines = [line.split() for line in qrels.read_text().splitlines()]
    flipped = [[*line[:3], "0" if number % 7 == 0 else line[3]] for number, line in enumerate(lines)]
    (tmp_path / "second.txt").write_text("\n".join(map(" ".join, flipped)) + "\n")
    words = (
        "judges",
        f"first={qrels}",
        "second=second.txt",
        "--runs",
        simulated_collection / "runs",
        "--metrics",
        "AP",
    )
    rows = command(*words, "--json").json()["results"]
    effects = {row["statistic"]: row["value"] for row in rows if row["metric"] == "AP"}
    assert 0 < effects["tau"] <= 1
    shown = command(*words).out
    assert "Rankings and significant pairs under different judges" in shown
    assert f"{effects['tau']:.3f}" in shown
    assert f"{effects['f1']:.3f}" in shown
    ended = command(*words, "--out", "page")
    assert ended.code == 0
    assert "Effect on the evaluation of runs" in (tmp_path / "page" / "index.html").read_text()
    assert (tmp_path / "page" / "tables" / "judge-effects.tex").exists()


def test_answers_of_0_and_1_by_system_are_labels_where_errors_are_asked_for(command, tmp_path):
    """A table that could be scores of systems is taken for labels: only those have a latent truth."""
    path = tmp_path / "answers.csv"
    rows = [f"{model},q{n},{n % 2},{n % 3 % 2},{n % 2}" for model in ("a", "b") for n in range(3)]
    path.write_text("\n".join(["model,sample_id,expert,gpt,claude", *rows]), encoding="utf-8")
    assert read_judges(path).labels is None
    assert read_judges(path, labels_only=True).labels is not None
    assert "is about labels" not in command("judges", path, "--latent", "--reference", "expert", "--quiet").err


@pytest.mark.parametrize("option", ["--reference", "--people"])
def test_a_judge_that_there_is_none_of_is_told_before_runs_are_read(command, labels, tmp_path, option):
    """Scoring many runs takes a while, and names are known before."""
    (tmp_path / "broken.run").write_text("no run")
    said = ("--reference", "ann") if option == "--people" else ()
    ended = command(
        "judges", labels, "--scale", "0,1,2", "--outside", "drop", *said, option, "bne", "--runs", "broken.run"
    )
    assert ended.code == 2
    assert "no judge 'bne'; did you mean 'ben'?" in ended.err


@pytest.mark.parametrize("reference", [(), ("--reference", "ben")])
def test_two_judges_are_one_pair(command, labels, tmp_path, reference):
    """The page names the two, gives one number instead of a range, and draws a dot instead of a square."""
    rows = [line.split(",")[:4] for line in labels.read_text().splitlines()]
    labels.write_text("\n".join(map(",".join, rows)))
    same = sum(row[2] == row[3] for row in rows[1:])
    assert command("judges", labels, *reference, "--out", "page").code == 0
    page = " ".join((tmp_path / "page" / "index.html").read_text().split())
    first = "ben" if reference else "ann"
    assert f"{10 * same}.0 %" in page
    assert f"Agreement with {first}" in page
    assert "Each cell compares" not in page


def test_three_judges_are_several_pairs(command, labels, tmp_path):
    """The page gives ranges and draws the square of all pairs."""
    assert command("judges", labels, "--scale", "0,1,2", "--outside", "drop", "--out", "page").code == 0
    page = " ".join((tmp_path / "page" / "index.html").read_text().split())
    assert " of the 3 judges is" in html.unescape(page)
    assert "Each cell compares" in page


@pytest.fixture
def odd_judges(command, simulated_collection, tmp_path):
    """Return the command on judges that say little, the first as reference: "nist nothing --runs RUNS"."""
    lines = [line.split() for line in (simulated_collection / "qrels.txt").read_text().splitlines()]
    topics = sorted({line[0] for line in lines})
    said = {
        "nist": [line[3] for line in lines],
        "model": [line[3] if number % 5 else "1" for number, line in enumerate(lines)],
        "nothing": ["0"] * len(lines),
        "seven": ["7"] * len(lines),
        "high": [str(5 + 10 * int(line[3])) for line in lines],
        "single": [line[3] if line[0] == topics[0] else None for line in lines],
    }
    for name, labels in said.items():
        rows = [(*line[:3], label) for line, label in zip(lines, labels, strict=True) if label is not None]
        (tmp_path / f"{name}.txt").write_text("\n".join(map(" ".join, rows)) + "\n")
    elsewhere = [" ".join((f"x{line[0]}", *line[1:])) for line in lines]
    (tmp_path / "elsewhere.txt").write_text("\n".join(elsewhere) + "\n")
    places = {name: f"{name}={name}.txt" for name in (*said, "elsewhere")} | {"RUNS": simulated_collection / "runs"}

    def run(words, *options):
        given = [places.get(word, word) for word in words.split()]
        return command("judges", *given, "--reference", words.split()[0], *options)

    return run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing nist", "nothing called none of its"),
        ("nothing nist", "its highest label is 0"),
        ("nist single --runs RUNS", "without single it would be"),
        ("nist model single --labelled own --runs RUNS", "every judge judged 1 of the "),
        ("nist model elsewhere --runs RUNS", "no item was labelled by every judge; without elsewhere it would be"),
        ("nist elsewhere", "no two judges labelled a common item"),
        ("seven nist", "seven gave one grade alone (7)"),
        ("seven nist", "keep those of the judges (--maps keep)"),
        ("nist high --scale 0,1,2,3 --outside drop --runs RUNS", "labels were left out as off the scale"),
    ],
)
def test_judges_that_cannot_be_compared_are_refused(odd_judges, words, message):
    """The command ends with what is in the way, by name, and with the way out in its own options."""
    ended = odd_judges(words)
    assert ended.code in {2, 3}
    assert message in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nist nothing model --runs RUNS", "the same label for every item: nothing 0"),
        ("nist nothing model --runs RUNS", "AP: no rank correlation where all systems score alike: nothing"),
        ("nist high model --runs RUNS", "scales fitted to nist by matching quantiles on common items: high"),
        ("nist single model", "one topic gives no interval"),
        ("nist elsewhere model", "pairs of judges without a common item, left out: nist and elsewhere"),
    ],
)
def test_judges_that_say_little_are_counted_on_the_page(odd_judges, tmp_path, words, message):
    """What takes no part, or ranks nothing, stands on the page by name."""
    ended = odd_judges(words, "--resamples", "50", "--out", "page")
    assert ended.code == 0
    page = html.unescape((tmp_path / "page" / "index.html").read_text())
    assert message.casefold() in " ".join(page.split()).casefold()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--word", "good"), "--word takes NAME=VALUE"),
        (("--word", "good=x"), "--word takes whole numbers"),
        (("--scale", "a"), "--scale takes whole numbers"),
        (("--reference", "zoe"), "no judge 'zoe'"),
        (("--column", "colour=x"), "Known: topic, item, judge, told, label and 6 more"),
        (("--column", "metric=x"), "--column may name topic, item, judge, label, not 'metric'"),
        (("--missing", "zero"), "holds labels, and --missing is about scores of systems; leave --missing out"),
        (("--metrics", "AP"), "--metrics does nothing without --runs; add that, or leave --metrics out"),
        (("--group-regex", "(.)"), "--group-regex does nothing without --runs"),
    ],
)
def test_bad_options_are_usage_errors(command, labels, words, message):
    """A wrong option ends with exit code 2 and says the rule."""
    ended = command("judges", labels, *words)
    assert ended.code == 2
    assert message in ended.err


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory):
    """Write a campaign of elements and one of passages, each with a second judge."""
    folder = tmp_path_factory.mktemp("campaigns")
    sizes = {"n_systems": 4, "n_topics": 6, "n_documents": 60, "n_results": 40, "relevant_documents": 12, "n_second": 5}
    for year in (2004, 2007):
        simulate_inex(year=year, rng=3, **sizes, published=False).write_collection(folder / str(year))
    return folder


@pytest.mark.parametrize(("year", "metrics"), [(2004, "nxCG(quant=SOG)@10,MAep"), (2007, "AiP")])
def test_two_judges_of_inex(command, campaigns, tmp_path, year, metrics):
    """Elements and passages have the sections of labels, and one on their parts; what is shown is the study's."""
    made = campaigns / str(year)
    sizes = ("--element-sizes", made / "sizes.txt") if year == 2004 else ()
    words = ("judges", f"one={made / 'assessments'}", f"two={made / 'second'}", "--runs", made / "submissions")
    words += (*sizes, "--metrics", metrics)
    rows = command(*words, "--json").json()["results"]
    judged = {"one": read_assessments(made / "assessments"), "two": read_assessments(made / "second")}
    table = read_element_sizes(made / "sizes.txt") if year == 2004 else None
    runs = read_submissions(made / "submissions")
    collection = {name: inex_collection(runs, one, sizes=table) for name, one in judged.items()}
    study = study_judges(judged, collection=collection, metrics=split_names(metrics), rng=0)
    for own in study.effects.to_dict("records"):
        found = {row["statistic"]: row["value"] for row in rows if row["metric"] == own["metric"]}
        assert found["tau"] == pytest.approx(own["tau"], abs=1e-9)
        assert np.isnan(own["f1"]) if found["f1"] is None else found["f1"] == pytest.approx(own["f1"], abs=1e-9)
    shown = command(*words).out
    assert ("Relevant elements, overlap" if year == 2004 else "Highlighted text, overlap") in shown
    assert command(*words, "--out", "page").code == 0
    page = (tmp_path / "page" / "index.html").read_text()
    for title in ("Agreement on labels", "Agreement on elements and text", "Effect on the evaluation of runs"):
        assert f">{title}<" in page
    assert (tmp_path / "page" / "tables" / f"{'element' if year == 2004 else 'passage'}-agreement.csv").exists()


def test_more_than_two_judges_of_inex(command, campaigns):
    """Of several pairs the means over topics are shown, a row a pair."""
    made = campaigns / "2007"
    shutil.copytree(made / "second", "third")
    words = ("judges", made / "assessments", made / "second", "third")
    rows = command(*words, "--json").json()["results"]
    found = {(row["first"], row["second"]): row["value"] for row in rows if row["statistic"] == "characters: of_union"}
    assert found["second", "third"] == 1
    assert found["assessments", "second"] == pytest.approx(found["assessments", "third"]) != 1
    assert command(*words, "--out", "page").code == 0
    assert "Means over topics" in Path("page/index.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("2007/assessments", "2007/second", "--scale", "0,1"), "--scale is about labels; leave --scale out"),
        (("2007/assessments", "2007/second", "--rel", "2"), "--rel is about labels"),
        (("2007/assessments", "2007/second", "--where", "a=b"), "--where and --credit are for a table of labels"),
        (("labels.csv", "--lenient"), "--lenient is about INEX files"),
        (("2007/assessments", "2007/second", "--element-sizes", "2004/sizes.txt"), "does nothing without --runs"),
        (
            ("2007/assessments", "2007/second", "--runs", "2007/submissions", "--element-sizes", "2004/sizes.txt"),
            "leave --element-sizes out",
        ),
    ],
)
def test_options_of_the_other_kind_stop(command, campaigns, labels, words, message):
    """An option about labels beside assessments, or the other way round, is refused with the way out."""
    told = [word if word == "labels.csv" else campaigns / word if "/" in word else word for word in words]
    told = [labels if word == "labels.csv" else word for word in told]
    ended = command("judges", *told)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())


@pytest.fixture
def tied_runs(tmp_path):
    """Two judges of three documents who find another one relevant, and runs that give all documents one score."""
    for judge, grades in {"ann": "100", "ben": "001"}.items():
        lines = [f"{topic} 0 d{place} {grade}" for topic in range(4) for place, grade in enumerate(grades)]
        (tmp_path / judge).write_text("\n".join(lines) + "\n")
    (tmp_path / "runs").mkdir()
    for run, names in {"up": "012", "down": "210"}.items():
        lines = [
            f"{topic} Q0 d{name} {rank} 1.0 {run}" for topic in range(4) for rank, name in enumerate(names, start=1)
        ]
        (tmp_path / "runs" / run).write_text("\n".join(lines) + "\n")
    return "judges", f"ann={tmp_path / 'ann'}", f"ben={tmp_path / 'ben'}", "--runs", tmp_path / "runs"


@pytest.mark.parametrize(("order", "tau"), [("score", None), ("rank", -1)])
def test_runs_are_ordered_as_asked(command, tied_runs, order, tau):
    """Documents of one score stand as --order says: the runs' own order is turned round by the other judge."""
    rows = command(*tied_runs, "--metrics", "AP", "--order", order, "--resamples", "9", "--json").json()["results"]
    assert [row["value"] for row in rows if row["statistic"] == "tau"] == [tau]


def test_a_metric_of_ones_own_under_each_judge(command, tied_runs, checkout):
    """A plug-in's metric is scored under each judge; without runs there is nothing for it to score."""
    file = checkout / "examples" / "plugin" / "top_recall.py"
    words = ("--plugin", file, "--metrics", "TopRecall@2,P@1", "--resamples", "9")
    assert "TopRecall@2" in command(*tied_runs, *words).out
    ended = command(*tied_runs[:3], "--plugin", file)
    assert ended.code == 2
    assert "--plugin does nothing without --runs" in ended.err


# ---------------------------------------------------------------------------------------------------------- scores


@pytest.fixture
def scored(tmp_path):
    """Scores of eight systems in two groups by people, a second person and a judge with topics of its own too."""
    made = simulate_scores(n_systems=8, n_topics=60, metrics=["AP", "nDCG@10", "P@10"], rng=2)
    topics = {"nist": slice(0, 30), "ann": slice(0, 30), "gpt": slice(10, 60)}
    parts = [
        made.isel(topic=own).sel(metric=metric).to_series().rename("score").reset_index().assign(judge=judge)
        for (judge, own), metric in zip(topics.items(), made["metric"].to_numpy(), strict=True)
    ]
    table = pd.concat(parts)
    table.to_csv(tmp_path / "scores.csv", index=False)
    for judge, own in table.groupby("judge"):
        own.drop(columns="judge").to_csv(tmp_path / f"{judge}.csv", index=False)
    names = made["system"].to_numpy().tolist()
    groups = pd.DataFrame({"system": names, "group": ["x", "x", "x", "x", "y", "y", "y", "y"]})
    groups.to_csv(tmp_path / "groups.csv", index=False)
    return tmp_path


@pytest.mark.usefixtures("scored")
def test_scores_under_judges(command):
    """One table with a column of judges, or a file a judge: one answer, which is the study's."""
    words = ("--reference", "nist", "--people", "ann", "--groups", "groups.csv", "--resamples", 50, "--json")
    told = command("judges", "scores.csv", *words)
    assert told.code == 0, told.err
    told = told.json()
    again = command("judges", "nist.csv", "ann.csv", "gpt.csv", *words).json()
    rows, others = (pd.DataFrame(one["results"]).set_index(["second", "statistic"]) for one in (told, again))
    pd.testing.assert_frame_equal(rows, others.loc[rows.index])
    tables = read_judges(["nist.csv", "ann.csv", "gpt.csv"]).scores
    groups = pd.read_csv("groups.csv").set_index("system")["group"].to_dict()
    study = study_judges(
        scores=tables, reference="nist", people=["ann"], groups=groups, correction="fdr_by", n_resamples=50, rng=0
    )
    own = study.to_frame().set_index(["second", "statistic"])["value"]
    for name in ("f1", "power", "tau", "bias: x", "worth"):
        assert rows.loc[("gpt", name), "value"] == pytest.approx(own["gpt", name])
    assert study.verdicts["ranking"].item() in {"may", "may not", "not settled"}
    assert not study.powered
    assert "gpt" in command("judges", "scores.csv", *words[:-1]).out
    assert command("judges", "scores.csv", *words[:-1], "--out", "page").code == 0
    assert "Group bias" in Path("page/index.html").read_text()


@pytest.fixture
def wordy(tmp_path):
    """Scores by people and by two judges, one of whom gives a system .03 more for every 100 words of its answers."""
    rng = np.random.default_rng(0)
    nist = rng.normal(0.5, 0.1, (14, 40)) + rng.normal(0, 0.08, (14, 1))
    words = rng.integers(50, 400, 14)
    judges = {
        "nist": nist,
        "fond": 0.1 + 0.8 * nist + 0.0003 * words[:, None] + rng.normal(0, 0.03, nist.shape),
        "fair": nist + rng.normal(0, 0.05, nist.shape),
    }
    systems, topics = np.indices(nist.shape).reshape(2, -1)
    parts = [
        pd.DataFrame({"judge": name, "system": systems, "topic": topics, "score": values.ravel()})
        for name, values in judges.items()
    ]
    pd.concat(parts).to_csv(tmp_path / "judged.csv", index=False)
    pd.DataFrame({"run": range(14), "words": words, "year": 2021}).to_csv(tmp_path / "words.csv", index=False)
    return {str(place): float(count) for place, count in enumerate(words)}


def test_a_covariate(command, wordy):
    """Who favours longer answers is found, with the slope that was put in; JSON, terminal and page say the same."""
    words = ("judged.csv", "--reference", "nist", "--covariate", "words.csv", "--covariate-column", "words")
    told = command("judges", *words, "--resamples", 20, "--json")
    assert told.code == 0, told.err
    rows = {(row["second"], row["statistic"]): row for row in told.json()["results"]}
    table = read_judges("judged.csv").scores["score"]
    stacked = as_scores(np.concatenate([one.to_numpy() for one in table.values()]), metrics=[*table])
    systems = {f"system{place + 1}": count for place, count in enumerate(wordy.values())}
    own = favoured_by_covariate(stacked, systems, reference="nist", name="words").table.set_index("judge")
    for judge in ("fond", "fair"):
        row = rows[judge, "bias, adjusted: words"]
        expected = own.loc[judge, ["adjusted", "adjusted_low_both", "adjusted_high_both"]].astype(float)
        assert [row["value"], row["low"], row["high"]] == pytest.approx(expected.tolist())
        assert rows[judge, "bias: words"]["value"] == pytest.approx(own.loc[judge, "figure"])
    per_word = rows["fond", "bias, adjusted: words"]["value"] / np.std([*wordy.values()], ddof=1)
    assert per_word == pytest.approx(0.0003, rel=0.1)
    asked = "fond gives systems with one standard deviation more words "
    assert told.json()["summary"][0].startswith(asked)
    assert rows["fair", "bias, adjusted: words"]["low"] < 0 < rows["fair", "bias, adjusted: words"]["high"]
    assert command("judges", *words, "--resamples", 20, "--out", "words").code == 0
    shown = html.unescape(" ".join((Path("words") / "index.html").read_text().split()))
    assert "fond gives systems with one standard deviation more words 0.0" in shown
    assert "more than nist does, adjusted for its scale" in shown
    assert "fair gives" not in shown
    assert command("judges", *words, "--resamples", 20, "--people", "fair", "--out", "page").code == 0
    page = Path("page/index.html").read_text()
    assert "Bias towards more words" in page
    assert "Beyond people" in page
    assert pd.read_csv("page/tables/covariate-bias-score.csv")["adjusted_per_unit"].iloc[0] == pytest.approx(per_word)


def test_a_covariate_of_items(command, tmp_path):
    """Lengths by item and system, or by item, are told from those of systems, and give what the function gives."""
    rng = np.random.default_rng(2)
    human = rng.integers(0, 4, (40, 5))
    words = rng.integers(50, 400, human.shape)
    judge = np.clip(human + (rng.random(human.shape) < words / 500), 0, 3)
    item, system = np.indices(human.shape).reshape(2, -1)
    rows = {
        "item": [f"q{number}" for number in item],
        "system": [f"s{number}" for number in system],
        "words": words.ravel(),
    }
    said = [
        pd.DataFrame(rows | {"judge": who, "label": given.ravel()})
        for who, given in (("human", human), ("judge", judge))
    ]
    pd.concat(said).drop(columns="words").to_csv(tmp_path / "labels.csv", index=False)
    pd.DataFrame(rows).to_csv(tmp_path / "lengths.csv", index=False)
    options = ("--reference", "human", "--covariate", "lengths.csv", "--covariate-column", "words", "--resamples", 20)
    told = command("judges", "labels.csv", *options, "--json")
    assert told.code == 0, told.err
    row = next(row for row in told.json()["results"] if row["statistic"] == "bias by item, adjusted: words")
    labels = as_labels(read_labels("labels.csv"))
    lengths = {f"{one}::{other}": float(number) for one, other, number in zip(*rows.values(), strict=True)}
    own = favoured_items(labels, lengths, reference="human").table.iloc[0]
    assert [row[name] for name in ("value", "low", "high")] == pytest.approx(own[["slope", "low", "high"]].tolist())
    assert row["low"] > 0
    said = command("judges", "labels.csv", *options).out
    assert "judge labels items with one standard deviation more words" in said
    pd.DataFrame({"item": [f"q{n}" for n in range(40)], "hard": rng.random(40)}).to_csv("hard.csv", index=False)
    said = command("judges", "labels.csv", "--reference", "human", "--covariate", "hard.csv", "--resamples", 20).out
    assert "No judge is shown to label items with more hard higher or lower" in said


@pytest.mark.usefixtures("wordy")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--covariate", "words.csv"), "say which column holds the covariates, such as --covariate-column words"),
        (("--covariate", "words.csv", "--covariate-column", "year"), "--covariate must differ between systems"),
        (("--covariate", "words.csv", "--covariate-column", "wrds"), "there is no column 'wrds'"),
        (("--covariate-column", "words"), "--covariate-column does nothing without --covariate"),
    ],
)
def test_a_covariate_that_says_nothing(command, words, message):
    """A column that is not there, or not one; a number that all systems share stays unanswered, with the reason."""
    ended = command("judges", "judged.csv", "--reference", "nist", "--resamples", 20, *words)
    assert message in " ".join((ended.err + ended.out).split())
    assert ended.code == (0 if "differ" in message else 2 if "nothing" in message else 3)


@pytest.mark.usefixtures("scored")
def test_scores_without_a_reference(command):
    """All pairs are compared on the topics that all have; judges with topics of their own need a reference."""
    rows = command("judges", "nist.csv", "ann.csv", "--resamples", 20, "--json").json()["results"]
    assert {(row["first"], row["second"]) for row in rows} == {("nist", "ann")}
    ended = command("judges", "scores.csv", "--resamples", 20)
    assert ended.code == 2
    assert "topics of their own are compared with a reference; name it (--reference)" in ended.err


@pytest.mark.usefixtures("scored")
@pytest.mark.parametrize(
    "words",
    [
        *(("--rel", "2"), ("--maps", "keep"), ("--scale", "0,1"), ("--word", "a=1"), ("--outside", "drop")),
        *(("--repeats",), ("--epsilon", "0.1", "--people", "ann"), ("--labelled", "own"), ("--lenient",)),
        ("--runs", "nist.csv"),
    ],
)
def test_options_about_labels_say_nothing_of_scores(command, words):
    """Each is refused by its name."""
    ended = command("judges", "scores.csv", "--reference", "nist", *words)
    assert ended.code == 2
    assert words[0] in ended.err
    assert "labels" in ended.err or "INEX" in ended.err


SYNDL = {
    2019: {"nDCG@10": (0.559, 0.759, 0.726, 0.986, 0)},
    2020: {"nDCG@10": (0.714, 0.807, 0.853, 0.965, 0)},
    2021: {"nDCG@10": (0.615, 0.874, 0.703, 0.998, 0)},
    2023: {"nDCG@10": (0.746, 0.918, 0.810, 0.995, 0), "AP": (0.758, 0.943, 0.758, 0.942, 16)},
}
"""Significant pairs under people and under the judge, precision, recall, conflicts: the first look at these scores."""


@pytest.mark.parametrize("year", SYNDL)
def test_syndl_by_one_command(command, data_folder, year, checkout):
    """The published scores of a year: what people and GPT-4 conclude, also at the same number of topics."""
    metrics = SYNDL[year]
    words = ("--where", f"year={year}", "--reference", "nist", "--resamples", 20, "--metrics", ",".join(metrics))
    told = command("judges", data_folder / "syndl" / "syndl.csv.gz", *words, "--json").json()["results"]
    for metric, figures in metrics.items():
        rows = {(row["second"], row["statistic"]): row["value"] for row in told if row["metric"] == metric}
        found = [rows["gpt-4", name] for name in ("power", "precision", "recall", "n_conflicts")]
        assert [rows["nist", "power"], *found] == pytest.approx(figures, abs=0.0006)
        if (year, metric) == (2021, "nDCG@10"):
            page = (checkout / "docs" / "can-we-replace-the-assessor.md").read_text("utf-8")
            said = re.search(
                r"TREC DL 2021 ([\d.]+) % .* on (\d+) topics and ([\d.]+) % under GPT-4 on (\d+) other ones; "
                r"on (\d+) of its own topics it is about (\d+) %.* alone finds, (\d+) %",
                " ".join(page.split()),
            )
            of_people, n_people, of_judge, n_judge, same_number, rough, only = map(float, said.groups())
            scores = pd.read_csv(data_folder / "syndl" / "syndl.csv.gz").query("year == 2021")
            n_topics = scores.groupby("judge")["topic"].nunique()
            assert [n_people, n_judge, same_number] == n_topics[["nist", "gpt-4", "nist"]].tolist()
            *exact, rough, only = (share / 100 for share in (of_people, of_judge, rough, only))
            assert exact == pytest.approx([rows["nist", "power"], rows["gpt-4", "power"]], abs=0.0006)
            assert rows["gpt-4", "same number: power"] == pytest.approx(rough, abs=0.01)
            assert rows["gpt-4", "same number: only_with_more"] == pytest.approx(only, abs=0.01)


def test_the_lead_says_that_another_metric_contradicts(command, data_folder):
    """SynDL 2023, by nDCG@10: no opposite pair, and 16 under AP, which the lead names."""
    words = ("--where", "year=2023", "--reference", "nist", "--metrics", "nDCG@10,AP", "--resamples", 20)
    lead = " ".join(command("judges", data_folder / "syndl" / "syndl.csv.gz", *words).out.split())
    said = "Under AP gpt-4 cannot be compared with people without a second annotator, with 16 pairs significant in "
    said += "opposite directions (0 under nDCG@10)."
    assert lead.index(said) < lead.index("Without a second person")
    assert "it may replace anybody whose own F1 is below" in lead


AUTOJUDGE = {"kendall": "tau", "pearson": "pearson", "spearman": "rho", "tauap_b": "tau_ap_b"}


@pytest.mark.parametrize("pair", range(4))
def test_correlations_of_autojudge(command, data_folder, pair):
    """The example of TREC AutoJudge's tool, a single topic: its correlations, and the reason why there is no more."""
    folder = data_folder / "autojudge"
    figures = json.loads((folder / "expected.json").read_text())["pairs_truth_judge"][pair]
    judge = folder / "example_judge.tot.txt"
    words = ["judges", f"{figures['judge']}={judge}"]
    if figures["truth"] == "ORACLE":
        words.append(f"ORACLE={folder / 'example_truth.tot.txt'}")
    else:
        words[1] = judge
    told = command(*words, "--reference", figures["truth"], "--json")
    assert told.code == 0
    rows = {(row["second"], row["statistic"]): row["value"] for row in told.json()["results"]}
    for theirs, ours in AUTOJUDGE.items():
        assert rows[figures["judge"], ours] == pytest.approx(figures[theirs], abs=1e-6)
        assert rows[figures["judge"], f"{ours}_top"] == pytest.approx(figures[theirs], abs=1e-6)
    assert rows[figures["judge"], "f1"] is None
    shown = " ".join(command(*words, "--reference", figures["truth"]).out.split())
    assert "on a single topic no pair of systems can differ significantly" in shown
    assert f"{figures['truth']} has one; the rankings by that one are compared" in shown
    assert command(*words, "--reference", figures["truth"], "--out", f"page-{pair}").code == 0
    page = Path(f"page-{pair}/index.html").read_text()
    assert "Every correlation of the rankings" in page
    table = next(Path(f"page-{pair}/tables").glob("judge-correlations-*.csv"))
    found = pd.read_csv(table).set_index(["judge", "correlation"])["whole"]
    assert found[figures["judge"], "Pearson's r of means"] == pytest.approx(figures["pearson"])


def test_every_measure_of_a_judge_of_autojudge(command, data_folder):
    """The track's own file of two measures on 122 topics; the top is chosen by the reference."""
    path = data_folder / "autojudge" / "default.eval.txt"
    told = command("judges", path, "--reference", "SCORE", "--top", 9, "--resamples", 20, "--json").json()
    rows = {row["statistic"]: row["value"] for row in told["results"] if row["second"] == "HAS_KEYWORDS"}
    table = pd.read_csv(path, sep="\t", names=["run", "measure", "topic", "value"], dtype={"topic": str})
    means = table[table["topic"] == "all"].pivot_table(index="run", columns="measure", values="value")
    assert rows["pearson"] == pytest.approx(means.corr().loc["SCORE", "HAS_KEYWORDS"])
    assert rows["tau"] == pytest.approx(means.corr("kendall").loc["SCORE", "HAS_KEYWORDS"])
    best = means.sort_values("SCORE", ascending=False, kind="stable").head(9)
    assert rows["rho_top"] == pytest.approx(best.corr("spearman").loc["SCORE", "HAS_KEYWORDS"])


def test_judges_and_people_on_dl19(command, data_folder, tmp_path, checkout):
    """NIST, two language models and eight people on 61 runs: the page's words, and the figures of the guide."""
    judged, first = data_folder / "llm-judges-dl19", data_folder / "trec-dl19-passage"
    if not judged.is_dir() or not first.is_dir():
        pytest.skip(f"no llm-judges-dl19 and trec-dl19-passage in {data_folder}")
    names = {"GPT-4": "auto-qrels/gpt-4/umbrela.txt", "GPT-4o": "auto-qrels/gpt-4o/umbrela.txt"}
    for name in ("modern-runs", "auto-qrels"):
        with tarfile.open(judged / f"{name}.tar.xz") as packed:
            packed.extractall(tmp_path, filter="data")
    inputs = [f"nist={first / 'qrels.txt.gz'}", *(f"{name}={path}" for name, path in names.items())]
    inputs.append(str(judged / "second-humans.csv.gz"))
    words = [*inputs, "--reference", "nist", "--people", "A,B,C,D,E,F,G,H", "--runs", first / "runs", "--runs", "runs"]
    ended = command("judges", *words, "--metrics", "nDCG@10,AP", "--resamples", "200", "--out", "page", "--json")
    assert ended.code == 0
    rows = {
        (row["metric"], row["second"], row["statistic"]): row
        for row in ended.json()["results"]
        if row["first"] in {"nist", "people"}
    }
    assert rows[None, "GPT-4", "kappa"]["value"] == pytest.approx(0.34, abs=0.01)
    page = html.unescape(" ".join((tmp_path / "page" / "index.html").read_text().split()))
    assert "Behind GPT-4o on 43 topics: 0 of 1 other judge." in page
    assert "Runs are scored on the 4,511 of 9,260 items that all labelled (labelled: the people 4,511)" in page
    guide = (checkout / "docs" / "can-we-replace-the-assessor.md").read_text("utf-8")
    tables = tmp_path / "page" / "tables"
    labels = as_labels(read_labels(inputs))
    people = second_people(labels, list("ABCDEFGH"), rng=0)
    both = labels.table[["nist", *names]].join(people.table, how="inner")
    kappas = compare_labels(as_labels(both), reference="nist", n_resamples=2, rng=0).pairs.set_index("second")["kappa"]
    choices = pd.read_csv(tables / "judge-choices-ndcg@10.csv")["tau"]
    of_people = kappas.drop(list(names))
    told = [
        ("second people (16 choices)", "people", [of_people.min(), of_people.max()], [choices.min(), choices.max()]),
        *((f"UMBRELA with {name}", name, [kappas[name]], []) for name in names),
    ]
    for name, who, before, after in told:
        ndcg, ap = ({one: rows[metric, who, one] for one in ("tau", "f1")} for metric in ("nDCG@10", "AP"))
        ends = [] if who == "people" else [ndcg["f1"]["low"], ndcg["f1"]["high"]]
        found = [
            *before,
            ndcg["tau"]["value"],
            *after,
            ndcg["f1"]["value"],
            *ends,
            ap["tau"]["value"],
            ap["f1"]["value"],
        ]
        said = re.findall(r"\.\d+", next(line for line in guide.split("\n") if line.startswith(f"| {name} |")))
        assert len(said) == len(found)
        for shown, value in zip(said, found, strict=True):
            drawn = 0.01 if value in ends else 0  # fewer resamples here
            assert float(shown) == pytest.approx(value, abs=0.5 * 10.0 ** (1 - len(shown)) + drawn), (name, said, found)
    low, high, below, above = map(
        float,
        re.search(
            r"an F1 of \.86 \[(.*), (.*)\] is good enough .* below (\.\d+), .* than (\.\d+)\.", " ".join(guide.split())
        ).groups(),
    )
    assert [below, above] == pytest.approx([low + 0.05, high + 0.05])  # the margin
    beside = pd.read_csv(tables / "judge-beside-people-ndcg@10.csv").set_index(["judge", "measure"])
    words = " ".join(guide.replace("\u2212", "-").split())
    said = re.search(r"difference in F1 is (\S+) \[(\S+), (\S+)\], wider", words).groups()
    found = beside.loc[("GPT-4", "f1"), ["difference", "low", "high"]].tolist()
    assert [float(one) for one in said] == pytest.approx(found, abs=0.01)


# ----------------------------------------------------------------------------------------------------- annotations


@pytest.fixture(scope="module")
def annotated(data_folder, tmp_path_factory):
    """Unpack the published labels of people and machines: the folder, parameters and expected lines."""
    source, folder = data_folder / "alt-test", tmp_path_factory.mktemp("annotated")
    with tarfile.open(source / "annotations.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    parameters = json.loads((source / "parameters.json").read_text("utf-8"))
    return folder / "alt-test", parameters, pd.read_csv(source / "expected.csv").set_index(["dataset", "judge"])


@pytest.mark.parametrize("name", ["wax", "lgbteen", "mtbench", "cebab_aspects", "10k_prompts", "cebab_stars"])
def test_the_published_alt_test_from_the_shell(command, annotated, name):
    """Every line as printed; the score that grades or text call for is the published one, where it is not said."""
    folder, parameters, lines = annotated
    files = [folder / name / f"{who}_annotations.json" for who in ("human", "llm")]
    words = ("judges", *files, "--people", "human_annotations", "--epsilon", parameters[name]["epsilon"])
    said = ("--scoring", parameters[name]["scoring"])
    told = command(*words, *said, "--json").json()["results"]
    found = pd.DataFrame(told).pivot_table(index="second", columns="statistic", values="value")
    expected = lines.loc[name]
    for column in ("winning_rate", "advantage_probability"):
        shown = found.loc[expected.index, column].map("{:.2f}".format)
        assert shown.tolist() == expected[column].map("{:.2f}".format).tolist()
    terminal = " ".join(command(*words, *said).out.split())
    passed = int((expected["verdict"] == "passed").sum())
    counted = f"({passed} of {len(expected)} judges) may"
    if passed in {0, len(expected)}:  # none passes: the page says whether the labels show that they may not
        counted = f"all {len(expected)} judges may" if passed else "judges these labels do not settle whether they may"
    assert f"{counted} replace a person as a labeller" in terminal


def test_annotators_are_named_one_by_one_or_by_their_file(command, tmp_path):
    """The same people either way; the page has the test and nothing about systems."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 60)
    everyone = {
        name: {str(item): int(label) for item, label in enumerate(np.where(rng.random(60) < 0.2, 0, truth))}
        for name in ("ann", "ben", "cid", "gpt")
    }
    judge = {"gpt": everyone.pop("gpt")}
    (tmp_path / "people.json").write_text(json.dumps(everyone))
    (tmp_path / "llm.json").write_text(json.dumps(judge))
    words = ("judges", "people.json", "machines=llm.json", "--people")
    by_file = command(*words, "people", "--json").json()["results"]
    assert command(*words, "ann,ben,cid", "--json").json()["results"] == by_file
    for as_given in ("people.json", tmp_path / "people.json", "one=people.json"):
        others = (as_given, "machines=llm.json", "--people", as_given)
        assert command("judges", *others, "--json").json()["results"] == by_file
    assert command("judges", tmp_path / "people.json", *words[2:], "people.json", "--json").json()["results"] == by_file
    table = alt_test(everyone, judge, scoring="neg_rmse").judges.iloc[0]
    assert {row["statistic"]: row["value"] for row in by_file} == pytest.approx(
        table[["winning_rate", "advantage_probability"]].to_dict()
    )
    assert command(*words, "people", "--out", "page").code == 0
    page = " ".join(Path("page/index.html").read_text().split())
    assert "May the judge replace a person?" in page
    assert "gpt may replace a person as a labeller" in page
    assert "Calderon" in page
    for extra, message in {
        ("--people", "zoe"): "no annotator, or file of annotators 'zoe'",
        ("--people", "people,machines"): "nobody else is left",
        (): "nobody is called one; name the people with --people",
        ("--people", "people", "--reference", "ann"): "holds annotations, and --reference is about",
        ("--people", "people", "--metrics", "AP"): "holds annotations, and --metrics is about",
        ("--people", "people", "--rel", "2"): "holds annotations, and --rel is about labels; leave --rel out",
    }.items():
        ended = command(*words[:-1], *extra)
        assert ended.code == 2
        assert message in " ".join(ended.err.split())


FROM_ONE, OF_OVERLAP = "Relevant under AP are grades from 1 on; AP(rel=2) starts at 2", "--rel 2 is of the overlap of"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("AP", [FROM_ONE]),
        ("AP --rel 2", [FROM_ONE, OF_OVERLAP]),
        ("AP(rel=2) --rel 2", []),
        ("nDCG@10 --rel 2", []),
    ],
)
def test_it_is_said_from_which_grade_on_runs_are_scored(command, simulated_collection, tmp_path, options, expected):
    """AP takes grades from 1 on whatever --rel says of labels; nDCG takes every grade, AP(rel=2) says it itself."""
    lines = [line.split() for line in (simulated_collection / "qrels.txt").read_text().splitlines()]
    for name, period in (("first", 5), ("second", 7)):
        graded = [[*line[:3], str(int(line[3] != "0") * (1 + (at % period > 0)))] for at, line in enumerate(lines)]
        (tmp_path / f"{name}.txt").write_text("\n".join(map(" ".join, graded)) + "\n")
    words = ("judges", "first.txt", "second.txt", "--runs", simulated_collection / "runs", "--metrics")
    said = " ".join(command(*words, *options.split()).out.split())
    assert [note for note in (FROM_ONE, OF_OVERLAP) if note in said] == expected


def labelled_in_part(tmp_path, *, words=False):
    """Write answers of three systems that two models judged, and people a third of them; return the file."""
    rng = np.random.default_rng(6)
    truth = rng.random(90) < 0.5
    said = {name: np.where(rng.random(90) < 0.9, truth, ~truth) for name in ("ann", "ben", "gpt", "llama")}
    names = {True: "correct", False: "incorrect"} if words else {True: "1", False: "0"}
    frame = pd.DataFrame({"question": np.repeat(np.arange(30), 3), "system": [*"xyz"] * 30})
    for name in ("person", "gpt") if words else said:
        given = said["ann" if name == "person" else name]
        cells = [names[bool(label)] for label in given]
        frame[name] = [cell if at < 30 or name in {"gpt", "llama"} else "" for at, cell in enumerate(cells)]
    path = tmp_path / ("words.csv" if words else "wide.csv")
    frame.to_csv(path, index=False)
    return path


def test_columns_of_0_and_1_with_gaps_are_labels_of_annotators(command, tmp_path):
    """Without a reference too: answers are what was labelled, and nobody is told to count gaps as 0."""
    found = command("judges", labelled_in_part(tmp_path), "--json").json()
    told = [row for row in found["results"] if row["statistic"] == "same"]
    frame = pd.read_csv(tmp_path / "wide.csv")
    pairs = {(row["first"], row["second"]): row["value"] for row in told}
    assert len(pairs) == 6
    both = frame.dropna()
    assert pairs["ann", "gpt"] == pytest.approx((both["ann"] == both["gpt"]).mean())
    assert pairs["gpt", "llama"] == pytest.approx((frame["gpt"] == frame["llama"]).mean())


@pytest.mark.parametrize("words", [False, True])
def test_look_leads_from_answers_that_people_labelled_in_part_to_judges(command, tmp_path, words):
    """Numbers, which may be scores too, and words, which are no passes of systems."""
    path = labelled_in_part(tmp_path, words=words)
    ended = command("look", path)
    page = ended.out + ended.err
    assert f"metaeval judges {path}" in page
    assert "--missing zero" not in page


def test_look_leads_from_grades_with_gaps_to_judges(command, tmp_path):
    """Krippendorff's example, items in rows: alpha of grades as names is his .743, and no gap becomes a 0."""
    rows = ["unit,A,B,C,D", "1,1,1,,1", "2,2,2,3,2", "3,3,3,3,3", "4,3,3,3,3", "5,2,2,2,2", "6,1,2,3,4", "7,4,4,4,4"]
    rows += ["8,1,1,2,1", "9,2,2,2,2", "10,,5,5,5", "11,,,1,1", "12,,3,,"]
    path = tmp_path / "kripp.csv"
    path.write_text("\n".join(rows))
    ended = command("look", path)
    page = ended.out + ended.err
    assert f"metaeval judges {path} --column item=unit" in page
    assert "--missing zero" not in page
    labels = as_labels(read_labels(path, columns={"item": "unit"}))
    alphas = compare_labels(labels).alpha.set_index("level")
    assert alphas.loc["nominal", "alpha"] == pytest.approx(0.743, abs=5e-4)


def test_lengths_of_answers_are_of_answers_whether_read_as_scores_or_as_labels(command, tmp_path):
    """A row a question and system is a covariate of answers, and answers as items give the same slope."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"question": [f"p{at}" for at in range(40)]}).merge(
        pd.DataFrame({"system": [f"s{at}" for at in range(6)]}), how="cross"
    )
    human = rng.integers(1, 6, len(frame))
    frame.assign(human=human, gpt=np.clip(human + rng.integers(0, 2, len(frame)), 1, 5)).to_csv(
        tmp_path / "l.csv", index=False
    )
    frame.assign(length=rng.integers(50, 500, len(frame))).to_csv(tmp_path / "n.csv", index=False)
    asked = ("judges", tmp_path / "l.csv", "--reference", "human", "--covariate", tmp_path / "n.csv")
    both = [command(*asked, *more, "--json").json()["results"] for more in ((), ("--column", "item=question,system"))]
    slopes = [[row["value"] for row in rows if row["statistic"] == "bias by item, adjusted: length"] for rows in both]
    assert len(slopes[0]) == 1
    assert slopes[0] == pytest.approx(slopes[1])


def _write_log(path, model, scores, judged=None):
    """Write a log of inspect_ai: the grades of each scorer, None for a sample that it did not score."""
    samples = [
        {"id": at, "epoch": 1, "scores": {name: {"value": said[at]} for name, said in scores.items() if said[at]}}
        for at in range(len(next(iter(scores.values()))))
    ]
    evaluated = {"task": "quiz", "model": model, "created": f"2026-01-0{judged or 1}T00:00:00"}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": evaluated, "samples": samples}))


@pytest.mark.parametrize("models", [["a"], ["a", "b"]])
def test_a_scorer_on_a_part_of_a_log_corrects_the_others_scores(command, tmp_path, models):
    """The expert labelled 4 of 8; the bot errs on 1 of 2 noes there, and says yes to 3 of 4 where it is alone."""
    expert, bot = ["C", "C", "I", "I", None, None, None, None], list("CCCICCCI")
    for model in models:
        _write_log(tmp_path / "logs" / f"{model}.json", model, {"expert": expert, "bot": bot})
    told = command("judges", tmp_path / "logs", "--reference", "expert", "--json")
    assert told.code == 0, told.err
    powered = [row["value"] for row in told.json()["results"] if "prediction-powered score" in row["statistic"]]
    assert powered == pytest.approx([0.5] * len(models))  # 3/4 of the others, less the mean error of 1/4


def test_partial_credit_in_a_log_counts_as_a_grade(command, tmp_path):
    """C, P and I are three grades in one order: quadratic κ is 1 less the mean square apart, as a share of chance's."""
    expert, bot = list("CCPPIICI"), list("CPPPIPCI")
    _write_log(tmp_path / "log.json", "a", {"expert": expert, "bot": bot})
    rows = command("judges", tmp_path / "log.json", "--reference", "expert", "--json").json()["results"]
    grades = [[{"I": 0, "P": 1, "C": 2}[grade] for grade in said] for said in (expert, bot)]
    apart = np.mean(np.subtract(*grades) ** 2)
    by_chance = np.mean(np.subtract.outer(*grades) ** 2)
    kappa = next(row["value"] for row in rows if row["statistic"] == "quadratic_kappa")
    assert kappa == pytest.approx(1 - apart / by_chance)


@pytest.mark.parametrize("models", [["a"], ["a", "b"]])
def test_logs_of_two_dates_say_whether_the_judge_has_changed(command, tmp_path, models):
    """A folder of logs, or a log, a date: 3 of 8 grades of each model rise, so the mean by 3/8."""
    for date, said in enumerate(("CCCIIIII", "CCCCCCII"), start=1):
        for model in models:
            _write_log(tmp_path / f"{date}" / f"{model}.json", model, {"bot": list(said)}, date)
    told = command("judges", "--before", tmp_path / "1", "--after", tmp_path / "2", "--json")
    assert told.code == 0, told.err
    assert [row["judge"] for row in told.json()["results"]] == pytest.approx([3 / 8] * len(models))
    if len(models) == 1:
        alone = command("judges", "--before", tmp_path / "1" / "a.json", "--after", tmp_path / "2" / "a.json", "--json")
        assert alone.json()["results"] == told.json()["results"]


def test_a_gain_that_cannot_be_adjusted_is_told_in_the_terminal(command, tmp_path):
    """Three systems of a group beside three others: the gain itself, and why there is none adjusted."""
    rng = np.random.default_rng(1)
    human = rng.integers(0, 2, (6, 30))
    judge = np.where(rng.random((6, 30)) < np.repeat([0.6, 0.1], 3)[:, None], 1, human)
    rows = [f"s{row},{item},{human[row, item]},{judge[row, item]}" for row in range(6) for item in range(30)]
    (tmp_path / "said.csv").write_text("\n".join(["system,item,human,judge", *rows]))
    (tmp_path / "groups.csv").write_text(
        "\n".join(["system,group", *(f"s{at},{'own' * (at < 3) or 'no'}" for at in range(6))])
    )
    shown = command(
        "judges", tmp_path / "said.csv", "--reference", "human", "--groups", tmp_path / "groups.csv", "--resamples", 20
    ).out
    apart = (judge - human).mean(axis=1)
    gain = apart[:3].mean() - apart[3:].mean()
    told = " ".join(shown.split())
    assert f"Largest gain of a group, own under judge, not adjusted {gain:.3f} [" in told
    assert (
        "Group bias, adjusted for a judge's scale, under score: groups 'own' and 'no' have no adjusted figure: a"
        in told
    )


def test_votes_of_some_voters_are_chosen_by_where(command, tmp_path):
    """What the note on a voter who goes by the side says works for judges too, and is not said once a judge."""
    rng = np.random.default_rng(1)
    rows = [(f"q{at}", *pair, name) for at, pair in enumerate([*("xy", "yx", "yz", "zy")] * 30) for name in "abs"]
    frame = pd.DataFrame(rows, columns=["question", "left", "right", "judge"])
    frame["winner"] = np.where((frame["judge"] == "s") | (rng.random(len(frame)) < 0.5), "left", "right")
    frame.to_csv(tmp_path / "votes.csv", index=False)
    ended = command("judges", tmp_path / "votes.csv", "--reference", "a")
    assert "voter 's'" not in ended.out + ended.err
    rest = command("judges", tmp_path / "votes.csv", "--reference", "a", "--where", "judge!=s", "--json").json()
    assert [(row["predictor"], row["truth"]) for row in rest["results"]] == [("a", "b"), ("b", "a")]
    assert any("240 of 360 rows" in note for note in rest["notes"])


@pytest.mark.parametrize(("gain", "says"), [(2, "judge gives the systems of own "), (0, "No judge is shown to favour")])
def test_groups_that_were_asked_about_are_answered_first(command, tmp_path, gain, says):
    """A judge adds two to all answers of four systems of a group, or nothing; the figure names judge, group and p."""
    rng = np.random.default_rng(1)
    human = rng.integers(1, 10, (10, 40)) + rng.permutation(10)[:, None]
    said = {"fair": human + rng.integers(-1, 2, human.shape), "judge": human + rng.integers(-1, 2, human.shape)}
    said["judge"][:4] += gain
    rows = [f"s{s},{i},{human[s, i]},{said['fair'][s, i]},{said['judge'][s, i]}" for s in range(10) for i in range(40)]
    (tmp_path / "said.csv").write_text("\n".join(["system,item,human,fair,judge", *rows]))
    groups = [f"s{at},{'own' if at < 4 else 'no' if at < 7 else 'some'}" for at in range(10)]
    (tmp_path / "groups.csv").write_text("\n".join(["system,group", *groups]))
    files = (tmp_path / "said.csv", "--reference", "human", "--groups", tmp_path / "groups.csv")
    shown = " ".join(command("judges", *files, "--resamples", 20).out.split())
    first = shown.split("10 systems, 3 judges ")[1]
    assert first.startswith(says)
    if gain:
        size = float(re.match(r"judge gives the systems of own ([\d.]+)", first)[1])
        assert size == pytest.approx(2, abs=0.2)
        assert "fair gives" not in first
    else:
        assert re.search(r"Largest gain of a group, \w+ under \w+ .*?, corrected p = (0\.[1-9]|1\.0)", shown)
