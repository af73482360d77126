# ruff: noqa: RUF001 - typographic dashes are what people see
"""`metaeval agree`: tables, JSON, report, audit, options and errors that say what to do."""

import math

import pandas as pd
import pytest

from metaeval.questions.agree.study import study_agree
from metaeval.table.scores import as_scores

QUICK = ("--resamples", 200, "--interval-resamples", 20)
PUBLISHED = ("--test", "bootstrap_percentile", "--alternative", "better")  # Ogilvie and Lalmas (2006)


def test_json_holds_the_study(command, table):
    """The rows are those of the Python study on the same scores, options and seed."""
    ended = command("agree", *table, "--test", "t", "--alpha", "0.05,0.01", "--interval-resamples", 20, "--json")
    assert ended.code == 0, ended.err
    answer = ended.json()
    assert (answer["schema"], answer["command"]) == ("metaeval/4", "agree")
    scores = as_scores({path.stem: pd.read_csv(path).set_axis(range(1, 21)) for path in table})
    expected = study_agree(scores, tests=["t"], alphas=[0.05, 0.01], n_topic_resamples=20, rng=0).to_frame()
    assert len(answer["results"]) == len(expected) == 4
    for row, right in zip(answer["results"], expected.to_dict("records"), strict=True):
        assert row == {
            name: None if isinstance(value, float) and math.isnan(value) else value for name, value in right.items()
        }


def test_tables_and_sentences(command, table):
    """The default prints the answer, shares, matrices, a sentence with its counts, and what the evidence allows."""
    ended = command("agree", *table, *QUICK)
    assert ended.code == 0, ended.err
    shown = [line.split() for line in ended.out.splitlines()]
    scores = as_scores({path.stem: pd.read_csv(path).set_axis(range(1, 21)) for path in table})
    lead = study_agree(scores, n_resamples=200, n_topic_resamples=None, rng=0).lead
    for name, n in zip(("AP", "P"), lead.data["n_significant"].to_numpy()[0], strict=True):
        assert [name, f"{n}/15", "=", f"{100 * n / 15:.1f}", "%"] in [line[:5] for line in shown]
    row = [f"{value:.2f}" for value in lead.matrix("f1").loc["AP"]]
    assert row in [line[-2:] for line in shown if line[:1] == ["AP"]]
    for words in (
        "Significant pairs",
        "Key figures",
        "F1",
        "opposite directions",
        "Instead of",
    ):
        assert words in ended.out
    assert ended.out.splitlines()[0] == "Do the metrics lead to the same conclusions?"
    assert "F1 of P with AP is 1.00, without an interval" in ended.out.split("\n\n")[1]  # alike in every resample
    assert "F1 [95 % interval]" in ended.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (QUICK, "Paired t, uncorrected, Benjamini–Hochberg and Benjamini–Yekutieli, two-sided, α = 0.05."),
        (
            (*PUBLISHED, "--resamples", 10_000, "--interval-resamples", 0, "--seed", 3),
            "Bootstrap, percentile, B = 10,000, seed 3, uncorrected, Benjamini–Hochberg and Benjamini–Yekutieli, ",
        ),
        (
            ("--correction", "holm,none", "--interval-resamples", 0),
            "Paired t, uncorrected and Holm, two-sided, α = 0.05.",
        ),
    ],
    ids=["default", "ten thousand", "two corrections"],
)
def test_the_test_is_named(command, table, options, words):
    """The tables name test, side, resamples, correction, seed and level; the first line after the title the topics."""
    ended = command("agree", *table, *options)
    assert ended.code == 0, ended.err
    assert words in ended.out
    assert "20 topics" in ended.out.splitlines()[1]
    if "holm,none" in options:
        assert "Paired t, Holm, α = 0.05" in ended.out
        assert "Paired t, uncorrected, α = 0.05" in ended.out


def test_audit_names_every_use_of_the_grades(command, simulated_collection):
    """The audit scores the runs under every use of the grades and tells which boundary matters."""
    ended = command(
        "agree", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt",
        "--audit", "AP,nDCG@10", "--gains", "{1:1, 2:5, 3:9}", *QUICK,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    for words in ("binary ≥ 1", "binary ≥ 2", "exponential", "gains {1:1, 2:5, 3:9}", "Blind to", "0 and 1"):
        assert words in ended.out
    assert "Under nDCG@10 " in ended.out


FRAGILE = """
from metaeval.metrics import metric

def counting(name, least, most):
    @metric(name=name, graded=True, bounds=(0, 5))
    def count(topic):
        if not least <= topic.gain_of_level[topic.top_level] <= most:
            raise ValueError("no such gains")
        return float((topic.gains[topic.ranks <= 5] > 0).sum())
    return count

binary, linear, neither = counting("Binary", 0, 1), counting("Linear", 2, 3), counting("Neither", 900, 901)
"""


@pytest.mark.parametrize(
    ("audited", "left_out"),
    [
        ("Binary", ["Binary", "Binary(gains=exponential)"]),
        ("Binary,nDCG@10", ["Binary", "Binary(gains=exponential)"]),
        ("Linear,nDCG@10", ["Linear(gains=binary(rel=1))", "Linear(gains=exponential)"]),
        ("Neither,AP", ["Neither", "Neither(gains=exponential)"]),
    ],
)
def test_an_audit_goes_on_where_uses_of_the_grades_fail(command, simulated_collection, tmp_path, audited, left_out):
    """It names each and why; of a boundary nothing is said where the use that it is compared with is one of them."""
    (tmp_path / "fragile.py").write_text(FRAGILE, "utf-8")
    ended = command(
        "agree", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", "--audit", audited,
        "--plugin", tmp_path / "fragile.py", "--test", "t", "--interval-resamples", 0, "--json", "--quiet",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    notes = [note for note in ended.json()["notes"] if "is left out of the audit" in note]
    named = [note.partition(" is left out")[0] for note in notes]
    assert set(left_out) <= set(named)
    assert all("no such gains" in note or "what it is compared with is left out" in note for note in notes)
    assert not {name for row in ended.json()["results"] for name in (row["predictor"], row["truth"])} & set(named)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--audit", "ERR"), ("ERR: each uses the grades in one way only", "nDCG@10 or AP")),
        (("--audit", "nDCG@10", "--gains", "1:1"), ("{1:1,2:5}", "not '1:1'")),
    ],
    ids=str,
)
def test_an_audit_that_cannot_be(command, simulated_collection, options, words):
    """A metric without other uses of the grades, and gains without braces, end with what would do."""
    ended = command(
        "agree", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", *options, *QUICK
    )
    assert ended.code == 2
    for word in words:
        assert word in " ".join(ended.err.split())


def test_an_audit_says_which_metric_stays(command, simulated_collection):
    """A metric that uses the grades in one way only is named beside others that are audited."""
    ended = command(
        "agree", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt",
        "--audit", "AP,ERR", "--test", "t", "--interval-resamples", 0,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "ERR uses the grades in one way only" in " ".join(ended.out.split())


def test_quiet_says_nothing_besides_the_answer(command, table):
    """With --quiet standard error stays empty."""
    assert command("agree", *table, "--test", "t", "--quiet").err == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--alpha", "five"), "--alpha"),
        (("--alpha", "0"), "each of --alpha must lie between 0 and 1"),
        (("--audit", "AP"), "--qrels"),
        (("--gains", "exponential"), "--audit"),
        (("--min-f1", "2"), "--min-f1"),
        (("--test", "tt"), "did you mean 't'?"),
        (("--correction", "fdr_b"), "did you mean 'fdr_by' or 'fdr_bh'?"),
        (("--alternative", "greater"), "alternative"),
    ],
    ids=str,
)
def test_options_outside_their_rule(command, table, options, words):
    """A wrong option ends with exit code 2 and a message that names it."""
    ended = command("agree", *table, *options)
    assert ended.code == 2
    assert words in ended.err


def test_one_metric_is_not_enough(command, table):
    """A single metric has nothing to agree with."""
    ended = command("agree", table[0])
    assert ended.code == 2
    assert "at least two metrics" in ended.err


def test_two_boards(command, table, tmp_path):
    """Each file is a board by its name; options about metrics, and one name for two boards, are refused."""
    other = tmp_path / "v2.csv"
    own = pd.read_csv(table[0])
    own.iloc[5:].assign(**{own.columns[-1]: own.iloc[5:, -1] + 0.2}).to_csv(other, index=False)
    v1, v2 = f"v1={table[0]}", f"v2={other}"
    ended = command("agree", v1, v2, "--boards", "--json")
    assert ended.code == 0, ended.err
    answer = ended.json()
    assert {"v1", "v1_low", "v2_high", "moved", "opposite"} < set(answer["results"][0])
    counts = {row["relation"]: row["n_pairs"] for row in answer["tables"]["settled"]["rows"]}
    assert sum(counts.values()) == 15
    assert "without names of items nothing says which items both boards have" in answer["notes"]
    assert "drift" not in answer["tables"]
    assert "two boards are compared by metaeval agree --boards" in command("agree", table[0], other).err
    assert f"both settle {counts['by both, alike']} alike" in answer["summary"][0]
    ended = command("agree", table[0], "--aggregates", "mean,win rate", "--out", "folder")
    assert ended.out == "Report written: open folder/index.html\n"
    files = {path.name for path in (tmp_path / "folder").glob("*/*")}
    assert {"rank_changes.svg", "pairs.csv", "ranks.csv", "alone.csv"} <= files
    assert command("agree", table[0], "--aggregates", "mean,win rate", "--out", "folder").code == 2
    for words, told in (
        ((v1, v2, "--boards", "--test", "t"), "--test does not go with boards"),
        ((table[0], table[0], "--boards"), "two inputs are called"),
        ((v1, "--boards"), "two boards are compared, by their names; there is 1"),
        ((v1, v2, "--aggregates", "mean,Borda"), "aggregates are of one board, and there are 2"),
        ((v1, v2, "--boards", "--aggregates", "mean,Borda"), "--boards"),
    ):
        refused = command("agree", *words)
        assert (refused.code, told in refused.err) == (2, True), refused.err


def test_two_boards_of_means(command, tmp_path):
    """Files of means with standard errors are boards as well, each named by its file."""
    for name, means in (("v1", "0.9 0.7 0.5"), ("v2", "0.7 0.9 0.5")):
        rows = "".join(f"m{at},{mean},0.01\n" for at, mean in enumerate(means.split()))
        (tmp_path / f"{name}.csv").write_text("model,acc,acc_stderr\n" + rows, encoding="utf-8")
    ended = command("agree", "v1.csv", "v2.csv", "--boards", "--json")
    assert ended.code == 0, ended.err
    assert "both settle 2 alike and 1 in opposite directions" in ended.json()["summary"][0]
    assert ended.json()["summary"][1] == "m0 is better than m1 on v1, and worse on v2."


def test_an_original_and_its_replica(command, table, simulated_collection, tmp_path):
    """Folders of runs or tables; a run is its own replica; options about metrics, and other than two, are refused."""
    runs = simulated_collection / "runs"
    copied = tmp_path / "replica"
    copied.mkdir()
    for file in sorted(runs.iterdir())[:2]:
        (copied / file.name).write_bytes(file.read_bytes())
    asked = ("--qrels", next(simulated_collection.glob("qrels*")), "--metrics", "AP,RR", "--reproduction", "--json")
    answer = command("agree", runs, copied, *asked).json()
    assert answer["summary"][0].startswith("Reproduced exactly: all scores of 2 systems are equal")
    assert [row["verdict"] for row in answer["results"]] == ["reproduced"] * 4
    assert [row["rbo"] for row in answer["results"]] == [row["tau_union"] for row in answer["results"]] == [1.0] * 4
    assert any(note.startswith("systems of the original alone (4)") for note in answer["notes"])
    name = pd.read_csv(table[0]).columns[0]
    ended = command("agree", *table, "--reproduction", "--baseline", name, "--margin", 0.5, "--json")
    answer = ended.json()
    assert "a single metric of each: P is compared as the replica of AP" in answer["notes"]
    assert answer["options"]["margin"] == 0.5
    assert {"rmse", "effect_ratio_low", "delta_ri_high", "p_corrected"} < {*answer["results"][0]}
    for words, told in (
        ((table[0], "--reproduction"), "compares two inputs, an original and its replica"),
        ((*table, "--reproduction", "--test", "t"), "--test does not go with --reproduction"),
        ((*table, "--reproduction", "--boards"), "exclude each other"),
        ((*table, "--baseline", name), "--baseline does nothing without --reproduction"),
        ((*table, "--reproduction", "--baseline", "nobody"), "no system as baseline 'nobody'"),
    ):
        refused = command("agree", *words)
        assert (refused.code, told in refused.err) == (2, True), refused.err
