"""scripts/verify_report.py, written from the formulas, agrees with random reports of each question and finds faults."""

import csv
import gzip
import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.inex.simulation import simulate_inex
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.votes import simulate_votes

SCRIPTS = Path(__file__).parents[2] / "scripts"
pytestmark = [pytest.mark.usefixtures("checkout"), pytest.mark.usefixtures("drawn_once")]
QUESTIONS = (
    *("table", "compare-metrics", "power", "report", "leaderboard", "agree", "votes", "human", "judges", "components"),
    *("compare-tests", "topics", "stop", "combine", "judgments", "reliability", "design", "score"),
)
MANY = 6
"""Studies of a question where all tests run."""
TESTS = (
    "t",
    "t",
    "wilcoxon",
    "sign",
    "randomisation",
    "bootstrap",
    "friedman",
    "nemenyi",
    "max_t",
    "bootstrap_shifted",
)


@pytest.fixture(scope="module")
def verify():
    """Load the script and the files beside it."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        spec = importlib.util.spec_from_file_location("verify_report", SCRIPTS / "verify_report.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
    finally:
        sys.path.remove(str(SCRIPTS))
    return script


def random_table(rng, name, *, n_metrics=None, traits=("", "", "clusters", "gaps", "weights")):
    """Write scores as files have them: equal systems, tenths, 0 and 1, skew, clusters, gaps, weights."""
    n_systems, n_topics, trait = int(rng.integers(3, 8)), int(rng.integers(9, 25)), str(rng.choice(traits))
    metrics = rng.permutation(["AP", "P@10", "wer", "score"])[: n_metrics or int(rng.integers(1, 3))]
    rows = []
    for metric in metrics:
        noise = rng.normal(0, 0.3, (n_systems, n_topics)) + rng.normal(0, 0.3, n_topics)
        values = noise + rng.normal(0, rng.choice([0.0, 0.3]), (n_systems, 1))
        written = (values, np.clip(np.round(values + 0.5, 1), 0, 1), values > 0, np.exp(2 * values))
        values = np.round(np.asarray(written[rng.integers(4)], dtype=float), 6)
        values[1] = values[0] if rng.random() < 0.2 else values[1]
        for (system, topic), score in np.ndenumerate(values):
            if trait != "gaps" or topic < 2 or (system + topic) % 7:
                cells = {
                    "metric": metric,
                    "system": f"=s{system}" if system == 2 else f"s{system}",
                    "topic": f"t{topic}",
                }
                more = {"clusters": {"cluster": f"c{topic % 5}"}, "weights": {"weight": 1.0 + topic % 3}}
                rows.append(cells | {"score": score} | more.get(trait, {}))
    pd.DataFrame(rows).to_csv(f"{name}.csv", index=False)
    return [f"{name}.csv", *(["--missing", "pairwise"] if trait == "gaps" else [])], trait


def of_scores(question, rng):  # noqa: C901, PLR0911 - a question a case
    """Return the words behind a question about scores."""
    plain = question not in {"table", "power", "report", "leaderboard"}
    fewest = {"compare-metrics": 2, "agree": 2, "combine": 4}.get(question)
    words, trait = random_table(
        rng, "scores", n_metrics=fewest, traits=("",) if plain else ("", "clusters", "gaps", "weights")
    )
    test = str(rng.choice(("t", "randomisation") if trait else TESTS))
    sure = test if test in {"t", "wilcoxon", "sign"} else "t"
    match question:
        case "table":
            against = ["--baseline", "s0"] if rng.random() < 0.5 else ["--marks", "groups"]
            return [*words, "--test", test, *(against if rng.random() < 0.6 else [])]
        case "power" | "report":
            topics = ["--no-topics"] if question == "report" else []
            return [
                *words,
                "--test",
                f"t,{test}" if test != "t" else test,
                "--resamples",
                300,
                "--interval-resamples",
                0,
                *topics,
            ]
        case "leaderboard":
            return [*words, "--resamples", 100, *(["--rank-method", "guaranteed"] if rng.random() < 0.3 else [])]
        case "compare-metrics":
            return [*words, "--test", sure, "--no-topics", "--resamples", 200, "--interval-resamples", 9]
        case "agree":
            return [*words, "--test", sure, "--correction", rng.choice(("none", "fdr_by")), "--interval-resamples", 0]
        case "compare-tests":
            return [*words, "--splits", 4, "--resamples", 100]
        case "topics":
            return [
                *words,
                "--trials",
                4,
                "--tolerance-unit",
                "absolute",
                "--interval-resamples",
                0,
                "--no-bayes",
                "--tolerances",
                0,
            ]
        case "combine":
            others = (random_table(rng, name, n_metrics=4, traits=("",))[0][0] for name in ("second", "third"))
            return [*words, *others, "--study", "table"]
        case "components":
            frame = pd.read_csv(words[0])
            again = [frame.assign(repeat=k, score=frame["score"] + rng.normal(0, 0.1, len(frame))) for k in range(2)]
            pd.concat(again if rng.random() < 0.5 else again[:1]).to_csv(words[0], index=False)
            return [*words, "--splits", 2]
        case "stop":
            return [*words, "--evidence", "t", "--replay", 0]
    return words  # design


def of_others(question, rng):
    """Return the words behind a question about votes, people, labels or documents."""
    seed = int(rng.integers(1000))
    match question:
        case "votes":
            simulate_votes(
                n_systems=int(rng.integers(3, 7)), n_questions=30, n_voters=12, n_votes=300, rng=seed
            ).to_csv("votes.csv", index=False)
            return ["votes.csv", "--ties", rng.choice(("half", "half", "drop"))]
        case "human":
            human = np.arange(6)[:, None] * 0.3 + rng.normal(0, 1, (6, 9))
            names = {"system": np.repeat(list("uvwxyz"), 9), "item": np.tile(np.arange(9), 6)}
            metrics = {
                name: (human + rng.normal(0, noise, human.shape)).ravel()
                for name, noise in zip("ABC", (0.5, 1, 3), strict=True)
            }
            pd.DataFrame(names | {"human": human.ravel()} | metrics).round(2).to_csv("human.csv", index=False)
            return ["human.csv", "--reference", "human", "--resamples", 50]
        case "judges":
            truth = rng.integers(0, 3, 40)
            labels = {
                name: np.where(rng.random(40) < 0.6, truth, rng.integers(0, 3, 40)) for name in ("ann", "ben", "cat")
            }
            items = {"topic": np.repeat(["q1", "q2", "q3", "q4"], 10), "item": [f"d{item}" for item in range(40)]}
            frame = pd.DataFrame(items | labels).astype({"cat": object})
            frame.loc[rng.random(40) < 0.1, "cat"] = None
            frame.to_csv("labels.csv", index=False)
            return ["labels.csv", "--resamples", 50, *(["--reference", "ann"] if rng.random() < 0.5 else [])]
        case "reliability":
            made = simulate_inex(
                year=2005,
                n_systems=2,
                n_topics=2,
                n_documents=40,
                n_results=20,
                pool_size=15,
                rng=seed,
                published=False,
            )
            made.write_collection("inex")
            return ["inex/assessments", "--metrics", "nxCG(quant=Gen5)@5"]
    made = simulate_collection(
        n_groups=2, runs_per_group=2, n_topics=6, n_documents=60, depth=15, pool_depth=5, rng=seed
    )
    made.write_collection("made")
    words = ["made/runs", "--qrels", "made/qrels.txt", "--metrics", "AP,P@5"]
    return words if question == "score" else [*words, "--replicates", 1, "--tested", 1, "--reductions", "order"]


def written(command, question, seed):
    """Write the report of a random study; none where metaeval refuses to answer."""
    rng = np.random.default_rng([seed, QUESTIONS.index(question)])
    for folder in ("made", "inex"):
        shutil.rmtree(folder, ignore_errors=True)
    about_others = question in {"votes", "human", "judges", "reliability", "score", "judgments"}
    words = (of_others if about_others else of_scores)(question, rng)
    ended = command(question, *words, "--out", "report", "--overwrite", "--quiet")
    assert ended.code in {0, 3, 4}, ended.err
    return Path("report") if ended.code == 0 else None


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_number_of_a_random_report_disagrees(command, verify, capsys, question):
    """Whatever is computed again is what was written: expected values are those of the formulas."""
    report = next(filter(None, (written(command, question, seed) for seed in range(100, 105))))
    assert verify.main([str(report)]) == 0, capsys.readouterr().out
    assert "\n0 of " in capsys.readouterr().out


@pytest.mark.parametrize("question", QUESTIONS)
def test_nor_does_any_of_many(request, command, verify, capsys, question):
    """The same of more studies, where all tests run."""
    if not request.config.getoption("--exhaustive"):
        pytest.skip("minutes: with --exhaustive")
    for seed in range(2, 2 + MANY):
        if report := written(command, question, seed):
            assert verify.main([str(report), "--quiet"]) == 0, (seed, capsys.readouterr().out)


def replaced(report, name, edit):
    """Change the rows of a table of a report, and its checksum, so that recomputation alone can tell."""
    path, record = report / name, json.loads((report / "provenance.json").read_text())
    content = path.read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    head, *rows = csv.reader(io.StringIO(text))
    rows = [dict(zip(head, row, strict=True)) for row in rows]
    edit(rows)
    stream = io.StringIO()
    csv.writer(stream).writerows([head, *([row[column] for column in head] for row in rows)])
    path.write_bytes(gzip.compress(stream.getvalue().encode()) if name.endswith(".gz") else stream.getvalue().encode())
    record["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (report / "provenance.json").write_text(json.dumps(record))


def other_p(rows):
    """Write another p-value."""
    rows[2]["p_value"] = str(float(rows[2]["p_value"]) * 1.0001)


def exchanged(rows):
    """Give two systems each other's row."""
    rows[0]["system"], rows[2]["system"] = rows[2]["system"], rows[0]["system"]


def one_more(rows):
    """Count one pair more."""
    rows[0]["n_significant"] = str(int(rows[0]["n_significant"]) + 1)


@pytest.mark.parametrize(
    ("name", "edit", "told"),
    [
        ("data/pairs.csv.gz", other_p, "data/pairs.csv.gz, row 3 ("),
        ("tables/ranking_AP.csv", exchanged, "tables/ranking_AP.csv, row 1 ("),
        ("tables/discriminative_power.csv", one_more, "n_significant: written "),
        ("data/pairs.csv.gz", lambda rows: rows.pop(), " pairs written, 6 expected"),
    ],
)
def test_planted_faults_are_found(command, verify, capsys, name, edit, told):  # noqa: PLR0917
    """A changed p-value, exchanged rows, a wrong count and a lost pair are named, with both values."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal([0.5, 0.55, 0.6, 0.8], 0.1, (20, 4)), columns=list("wxyz"))
    frame.round(4).to_csv("AP.csv", index=False)
    assert command("power", "AP.csv", "--test", "t", "--out", "report", "--quiet").code == 0
    assert verify.main(["report", "--quiet"]) == 0
    replaced(Path("report"), name, edit)
    capsys.readouterr()
    assert verify.main(["report", "--quiet"]) == 1
    assert told in capsys.readouterr().out


def test_what_is_no_report_and_what_was_changed(command, tmp_path, capsys, verify):
    """A folder without a record ends with 2, a file that was changed with 1; the script does not load metaeval."""
    environment = {**os.environ, "PYTHONPATH": ""}
    line = [sys.executable, SCRIPTS / "verify_report.py", tmp_path]
    program = f"import sys; sys.path.insert(0, {str(SCRIPTS)!r}); import verify_report; print(sorted(sys.modules))"
    assert subprocess.run(line, check=False, env=environment).returncode == 2
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert "'scipy.stats'" in loaded.stdout
    assert "'metaeval'" not in loaded.stdout
    assert "'pandas'" not in loaded.stdout
    pd.DataFrame({"w": [0.1, 0.2, 0.4], "x": [0.3, 0.1, 0.2]}).to_csv("AP.csv", index=False)
    assert command("table", "AP.csv", "--out", "report", "--quiet").code == 0
    with Path("report/index.html").open("a") as page:
        page.write(" ")
    capsys.readouterr()
    assert verify.main(["report"]) == 1
    assert "index.html: not the file that was written (SHA-256)" in capsys.readouterr().out
