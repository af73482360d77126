"""`metaeval judgments`: tables, JSON, report, options and errors that say what to do."""

import json
import re

import numpy as np
import pytest

from metaeval.base.words import carried, number
from metaeval.io.groups import read_groups
from metaeval.io.trec import read_collection
from metaeval.questions.judgments.study import study_judgments
from metaeval.resampling.effort_plans import PLAN_NAMES

pytestmark = pytest.mark.usefixtures("one_core")

QUICK = ("--metrics", "AP,P@10", "--replicates", 2, "--tested", 1)


@pytest.fixture
def inputs(simulated_collection):
    """Return the words that name runs and judgments."""
    return simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt"


@pytest.fixture
def teams(simulated_collection):
    """Return the words that name groups and pooled runs."""
    return "--groups", simulated_collection / "groups.csv", "--group-column", "group", "--pooled-column", "pooled"


def test_json_holds_every_table_of_the_study(command, inputs, teams, simulated_collection):
    """The rows are those of the Python study on the same files, options and seed."""
    ended = command(
        "judgments", *inputs, *teams, *QUICK, "--steps", "20,60", "--pool-sizes", "5,15", "--seed", 3, "--cost",
        "2,0.5",
        "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    answer = ended.json()
    assert (answer["schema"], answer["command"]) == ("metaeval/4", "judgments")
    assert str(simulated_collection / "qrels.txt") in answer["provenance"]["inputs"]
    study = study_of(inputs, teams, steps=[20, 60], sizes=[5, 15], cost=(2.0, 0.5), rng=3)
    expected = [{"table": name, **row} for name, frame in study.tables().items() for row in frame.to_dict("records")]
    assert len(answer["results"]) == len(expected)
    for row, right in zip(answer["results"], expected, strict=True):
        assert set(row) == {str(name) for name in right}
        for name, value in right.items():
            missing = isinstance(value, float) and not np.isfinite(value)
            assert row[str(name)] == (None if missing else value), (right["table"], name)


def study_of(inputs, teams=None, **options):
    """Ask the Python study of the same files, with the options of `QUICK`."""
    collection = read_collection([str(inputs[0])], inputs[2], retrieved="all")
    if teams is not None:
        groups = [read_groups(teams[1], column=column, systems=collection.systems) for column in ("group", "pooled")]
        collection = collection.with_groups(groups[0], pooled=groups[1])
    return study_judgments(collection, ["AP", "P@10"], n_replicates=2, n_tested=1, **{"rng": 0, **options})


def cells_of(report):
    """Return the rows of all tables of a page as people read them."""
    return [[cell.text for cell in row] for table in report.tables() for row in table.cells()]


def rows_of(out):
    """Return the rows of printed tables: the words of every line, columns being two spaces apart."""
    return [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]


def test_the_tables_answer_every_question(command, inputs, teams):
    """The default prints the thresholds and notes the seed; the page has left-out groups, pools and effort too."""
    ended = command("judgments", *inputs, *teams, *QUICK)
    assert ended.code == 0, ended.err
    for words in (
        "What if we judge less?", "2 metrics, 6 runs, 12 topics", "Effort required for a τ of 0.9",
        "Mean change of a run's score without its group in the pool",
    ):  # fmt: skip
        assert words in " ".join(ended.out.split()), words
    assert "Seed 0" in ended.err
    study = study_of(inputs, teams)
    tables, rows = study.tables(), cells_of(study.report())
    for reduction, part in tables["thresholds"].groupby("reduction"):
        assert any(row[-2:] == part["text"].tolist() for row in rows_of(ended.out)), reduction
    for row in tables["left_out_summary"].to_dict("records"):
        shares = [f"{100 * row[name]:.1f} %" for name in ("fell", "same", "rose")]
        assert any(one[0] == row["metric"] and one[2:5] == shares for one in rows)
    for (metric, kind), label in zip(
        [(metric, kind) for metric in ("AP", "P@10") for kind in ("same", "reversed", "changed")],
        ["Same", "Other: reversed", "Other: changed at all"] * 2,
        strict=True,
    ):
        part = tables["pool_sufficiency"].query("metric == @metric")
        assert [metric, label, *(f"{100 * value:.1f} %" for value in part[kind])] in rows
    for (step, plan), part in tables["effort"].groupby(["step", "plan"]):
        found = next(row for row in rows if row[:2] == [f"{step:g} %", PLAN_NAMES[plan]])
        taus = part.set_index("metric").loc[["AP", "P@10"]]
        assert found[3] == f"{part['judged'].iloc[0]:,.0f}"
        assert found[6:] == [carried(row["tau"], row["tau_se"], number(3)) for row in taus.to_dict("records")]


def test_one_question_reads_and_answers_no_more(command, inputs):
    """Questions about random parts need neither groups nor pools, and the others stay unanswered silently."""
    ended = command("judgments", *inputs, *QUICK, "--question", "less-judging,fewer-topics", "--quiet")
    assert ended.code == 0, ended.err
    assert ended.err == ""
    assert "Topics that are enough to keep the ranking" in ended.out
    assert "Shallower pools" not in ended.out
    assert "Not answered" not in ended.out
    study = study_of(inputs, questions=["less-judging", "fewer-topics"])
    rows = cells_of(study.report())
    for name, stability in study.stability.items():
        counted = (*(["topics"] if name == "topics" else []), "judged", "relevant")
        frame = stability.to_frame().merge(stability.errors(), on=["metric", "step"])
        for _, part in frame.groupby("step", sort=False):
            cells = [f"{part['left'].iloc[0]:.3g} %"]
            cells += [carried(part[one].iloc[0], part[f"{one}_error"].iloc[0], number(0)) for one in counted]
            cells += [
                carried(row[one], row[f"{one}_error"], number(3))
                for row in part.to_dict("records")
                for one in ("tau", "tau_ap")
            ]
            assert cells in rows


def test_what_the_input_does_not_allow_is_said(command, inputs):
    """Without groups new systems are not studied, and the answer says what is needed."""
    ended = command("judgments", *inputs, *QUICK, "--steps", "50", "--pool-sizes", "5")
    assert ended.code == 0, ended.err
    assert re.search(r"Not answered.*\n\s*New systems: the runs have no groups", ended.out)
    named = command("judgments", *inputs, *QUICK, "--question", "new-systems")
    assert named.code == 2
    assert "--groups" in named.err


def test_the_experiment_of_sakai_and_kando_is_one_command(command, inputs, teams):
    """One run a team is tested by bootstrap sensitivity under the ten metrics, exactly as `metaeval power` does it."""
    shared = ("--choose", "one-per-group", "--resamples", 100, "--metrics", "sakai-kando", "--json")
    options = ("--reductions", "stratified", "--test", "bootstrap_sensitivity", "--replicates", 1, "--tested", 1)
    ended = command("judgments", *inputs, *teams, *options, "--ranked", 4, *shared)
    assert ended.code == 0, ended.err
    rows = [row for row in ended.json()["results"] if row["table"] == "stability"]
    assert (len(rows), len({row["metric"] for row in rows})) == (50, 10)
    alone = command("power", *inputs, *teams[:4], *shared)
    assert alone.code == 0, alone.err
    full = {row["metric"]: [row["power_full"], row["difference_required_full"]] for row in rows}
    plain = [row for row in alone.json()["results"] if row["test"] == "bootstrap_sensitivity"]
    plain = [row for row in plain if row["correction"] == "none"]
    assert full == {row["metric"]: [row["power"], row["difference_required"]] for row in plain}


def test_groups_may_come_from_names(command, inputs):
    """A regular expression on run names is enough to leave groups out."""
    ended = command("judgments", *inputs, *QUICK, "--question", "new-systems", "--group-regex", r"^(\w+)-", "--json")
    assert ended.code == 0, ended.err
    found = {row["group"] for row in ended.json()["results"] if row["table"] == "left_out_groups"}
    assert len(found) == 3


def test_workers_and_kept_replicates_change_nothing(command, inputs, tmp_path):
    """Two workers, and a second run that finds all replicates on disk, print the same."""
    words = ("judgments", *inputs, *QUICK, "--question", "less-judging", "--reductions", "stratified", "--quiet")
    alone = command(*words)
    assert alone.code == 0, alone.err
    together = command(*words, "--workers", 2, "--keep", "kept")
    assert together.out == alone.out
    assert len([*(tmp_path / "kept").iterdir()]) == 2
    assert command(*words, "--keep", "kept").out == alone.out


def test_replicates_cannot_be_kept_in_a_file(command, inputs, tmp_path):
    """What is not a folder is refused by name."""
    (tmp_path / "kept").write_text("hello")
    words = ("--question", "fewer-topics", "--keep", tmp_path / "kept")
    ended = command("judgments", *inputs, *QUICK, *words)
    assert ended.code == 2
    assert "--keep" in ended.err
    assert "Traceback" not in ended.err
    assert (tmp_path / "kept").read_text() == "hello"


def test_a_damaged_replicate_is_a_warning(command, inputs, tmp_path):
    """The command says that it computed a replicate again."""
    words = ("judgments", *inputs, *QUICK, "--reductions", "stratified", "--question", "less-judging", "--keep", "kept")
    first = command(*words)
    min((tmp_path / "kept").iterdir()).write_bytes(b"")
    again = command(*words)
    assert "damaged; it is computed again" in again.err
    assert again.out == first.out


def test_a_report_is_written_and_not_overwritten(command, inputs, teams, tmp_path):
    """--out writes the page and its tables, leaves no replicates behind, and a second one is refused."""
    words = ("judgments", *inputs, *teams, *QUICK, "--reductions", "stratified,size", "--out", "r")
    ended = command(*words)
    assert ended.code == 0, ended.err
    assert "Report written: open r/index.html" in ended.out
    assert "What if we judge less?" in (tmp_path / "r" / "index.html").read_text()
    assert (tmp_path / "r" / "data" / "stability.csv").is_file()
    assert json.loads((tmp_path / "r" / "provenance.json").read_text())["command"] == "judgments"
    assert not (tmp_path / "r.replicates").exists()
    refused = command(*words)
    assert refused.code == 2
    assert "overwrite" in refused.err


def test_a_budget_says_how_much_was_seen(command, inputs):
    """After no time two replicates are there, and the table says two."""
    words = ("--reductions", "stratified", "--question", "less-judging", "--replicates", 40, "--budget", "0.001s")
    ended = command("judgments", *inputs, "--metrics", "AP", *words)
    assert ended.code == 0, ended.err
    assert "Means over 2 replicates" in " ".join(ended.out.split())


REFUSED = {
    "scores instead of runs": ((), None, "--qrels"),
    "an unknown question": (("--question", "less"), 2, "less-judging"),
    "an unknown reduction": (("--reductions", "strat"), 2, "stratified"),
    "a step of no percent": (("--steps", "0"), 2, "above 0"),
    "words for steps": (("--steps", "ten"), 2, "--steps takes numbers by comma, such as 10,30,50"),
    "half a document": (("--pool-sizes", "2.5"), 2, "each of --pool-sizes must be a whole number"),
    "no time": (("--budget", "0s"), 2, "--budget takes a time"),
    "an unknown time": (("--budget", "3 weeks"), 2, "--budget takes a time"),
    "one minute": (("--cost", "1,"), 2, "--cost takes"),
    "three minutes": (("--cost", "1,2,3"), 2, "--cost takes"),
    "no workers": (("--workers", "0"), 2, "not 0"),
    "an unknown metric": (("--metrics", "nDGC"), 2, "nDCG"),
    "a column without its table": (("--pooled-column", "pooled"), 2, "--groups"),
}


@pytest.mark.parametrize(("words", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_before_any_work(command, inputs, words, code, said):
    """Every refusal names the option and the rule."""
    ended = command("judgments", inputs[0]) if code is None else command("judgments", *inputs, *words)
    assert ended.code == (2 if code is None else code)
    assert said in ended.err


def test_a_depth_is_asked_about_and_answered_first(command, inputs, simulated_collection):
    """The pool is what a run has among its first three, counted line by line; τ of one depth is the answer."""
    ended = command("judgments", *inputs, "--metrics", "AP", "--depths", "3", "--json")
    assert ended.code == 0, ended.err
    answer = ended.json()
    top = set()
    for path in (simulated_collection / "runs").iterdir():
        by_topic = {}
        for line in path.read_text().splitlines():
            topic, _, document, _, score, _ = line.split()
            by_topic.setdefault(topic, []).append((float(score), document))
        for topic, found in by_topic.items():  # equal scores by identifier, descending, as trec_eval has them
            top |= {(topic, document) for _, document in sorted(found, reverse=True)[:3]}
    judged = [line.split() for line in (simulated_collection / "qrels.txt").read_text().splitlines()]
    n_judged = sum((topic, document) in top for topic, _, document, _ in judged)
    (row,) = (row for row in answer["results"] if row.get("reduction") == "ranks" and "tau_ap" in row)
    assert (row["reduction"], row["left"], row["unit"], row["judged"]) == ("ranks", 3.0, "ranks", n_judged)
    assert re.match(
        rf"(Yes|No): with the top 3 documents of the pooled runs τ with all judgments is {row['tau']:.2f} \(AP\)",
        answer["summary"][0],
    )
    unknown = "so τ has no interval: it is that of these runs and topics."
    assert any(words.endswith(unknown) for words in answer["summary"][1:])
