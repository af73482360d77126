"""`metaeval power`: answers, JSON, exit codes, and errors that say what to do."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval.questions.power.study import study_power
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS


def test_json_holds_the_study_in_full_precision(command, table):
    """The rows are those of the Python study on the same scores and seed, and nothing else is on standard output."""
    ended = command("power", *table, "--test", "t,bootstrap", "--correction", "none,holm", "--resamples", 500, "--json")
    assert ended.code == 0
    answer = ended.json()
    assert (answer["schema"], answer["command"]) == ("metaeval/4", "power")
    assert answer["options"]["resamples"] == 500
    assert set(answer["provenance"]["inputs"]) == set(map(str, table))
    scores = as_scores({path.stem: pd.read_csv(path).set_axis(range(1, 21)) for path in table})
    expected = study_power(
        scores, tests=["t", "bootstrap"], corrections=["none", "holm"], n_resamples=500, rng=0
    ).to_frame()
    for row, (_, right) in zip(answer["results"], expected.iterrows(), strict=True):
        assert {key: row[key] for key in ("metric", "test", "correction", "n_significant", "power")} == {
            key: right[key] for key in ("metric", "test", "correction", "n_significant", "power")
        }
    assert all(row["difference_required"] is None for row in answer["results"])


def test_the_table_names_both_corrections(command, table):
    """The default shows Sakai's count beside Benjamini-Yekutieli, as count, total and percentage."""
    ended = command("power", *table)
    assert ended.code == 0
    assert "Uncorrected" in ended.out
    assert "Yekutieli" in ended.out
    assert "/15 = " in ended.out
    assert "Seed 0" in ended.err


def test_the_same_seed_gives_the_same_bytes(command, table):
    """Two runs differ in nothing but the time of day; another number of threads changes no result."""
    answers = [command("power", *table, "--json", *more).json() for more in ((), (), ("--threads", "1"))]
    assert answers[0]["results"] == answers[1]["results"] == answers[2]["results"]
    other = command("power", *table, "--json", "--seed", 1).json()
    assert other["results"] != answers[0]["results"]


def test_quiet_says_nothing_besides_the_answer(command, table):
    """With --quiet standard error stays empty."""
    assert command("power", *table, "--quiet").err == ""


def test_every_pair_can_be_written(command, table, tmp_path):
    """--pairs writes one row per metric, test, correction and pair."""
    assert command("power", *table, "--test", "sign", "--pairs", "pairs.csv").code == 0
    assert len(pd.read_csv(tmp_path / "pairs.csv")) == 2 * 3 * 15


def test_runs_and_groups(command, table):
    """One run per group, groups from the names: three systems, three pairs."""
    ended = command("power", *table, "--group-regex", "^(team[0-9]+)", "--choose", "one-per-group", "--json")
    assert {row["n_pairs"] for row in ended.json()["results"]} == {3}


def test_intervals_on_demand(command, table):
    """--interval-resamples adds an interval that holds the power; where all resamples have 1, there is none."""
    asked = ("power", table[0], "--test", "t", "--interval-resamples", 50, "--json")
    assert all((row["power"], row["power_low"]) == (1.0, None) for row in command(*asked).json()["results"])
    scores = pd.read_csv(table[0])
    noise = np.random.default_rng(3).normal(0, 0.2, scores.shape)
    (scores + noise).clip(0, 1).to_csv(table[0], index=False)
    rows = command(*asked).json()["results"]
    assert all(row["power_low"] < row["power"] < row["power_high"] for row in rows)


def test_a_region_of_practical_equivalence(command, table, tmp_path):
    """One width for all or one for each metric: counts in the JSON, probabilities of every pair in the file."""
    words = ("power", *table, "--test", "t", "--rope", "AP=0.05", "--rope", "P=0.02", "--pairs", "pairs.csv", "--json")
    ended = command(*words)
    assert ended.code == 0, ended.err
    pairs = pd.read_csv(tmp_path / "pairs.csv")
    np.testing.assert_allclose(pairs[["p_a_better", "p_equivalent", "p_b_better"]].sum(axis=1), 1)
    for row in ended.json()["results"]:
        own = pairs[(pairs["metric"] == row["metric"]) & (pairs["correction"] == row["correction"])]
        assert row["rope"] == {"AP": 0.05, "P": 0.02}[row["metric"]]
        assert row["n_apart"] == (own[["p_a_better", "p_b_better"]].max(axis=1) > 0.95).sum()
        assert row["n_equivalent"] == (own["p_equivalent"] > 0.95).sum()
        assert row["n_apart"] + row["n_equivalent"] + row["n_undecided"] == row["n_pairs"]
    ended = command("power", table[0], "--test", "t", "--rope", 0.05)
    assert "Pairs decided with a region of practical equivalence" in ended.out
    assert "±0.05" in ended.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rope", "-0.1"), "--rope"),
        (("--rope", "x"), "a difference from 0, such as 0.02, or NAME=WIDTH"),
        (("--rope", "0.1", "--rope", "AP=0.1"), "one width for all metrics, or NAME=WIDTH once for each"),
        (("--rope", "RR=0.1"), "no metric 'RR'"),
        (("--rope", "AP=0.1"), "says nothing of P"),
        (("--bayesian", "hierarchical"), "--bayesian does nothing without --rope"),
        (("--rope", "0.1", "--bayesian", "horse"), "hierarchical"),
    ],
)
def test_a_region_that_is_none_is_refused(command, table, words, said):
    """Each refusal names the option and the way out."""
    ended = command("power", *table, "--test", "t", *words)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["power"], 2, "needs INPUTS"),
        (["power", "AP.csv", "--bogus"], 2, "bogus"),
        (["power", "absent.csv"], 3, "absent.csv"),
        (["power", "AP.csv", "--test", "wilcoxn"], 2, "wilcoxon"),
        (["power", "AP.csv", "--correction", "fdr_bb"], 2, "fdr_by"),
        (["power", "AP.csv", "--alpha", "1.5"], 2, "alpha"),
        (["power", "AP.csv", "--alpha", "1e-320"], 2, "at least 1e-100"),
        (["power", "-", "--test", "bootstrap_sensitivity", "--correction", "holm"], 2, "is not corrected"),
        (["power", "AP.csv", "--alternative", "upwards"], 2, "two-sided"),
        (["power", "AP.csv", "--choose", "99"], 2, "number from 2 to 6"),
        (["power", "AP.csv", "--group-regex", "^(x)"], 2, "team0-run0"),
        (["power", "AP.csv", "--lower-is-better", "XP"], 2, "AP"),
        (["power", "AP.csv", "--qrels", "absent.txt"], 3, "absent.txt"),
        (["nonsense"], 2, "nonsense"),
    ],
)
@pytest.mark.usefixtures("table")
def test_what_is_wrong_is_said_and_coded(command, words, code, said):
    """Usage ends with 2 and bad input with 3, never with a traceback, and the message names the thing."""
    ended = command(*words)
    assert ended.code == code
    assert said in " ".join(ended.err.split())
    assert "Traceback" not in ended.err


def test_an_interrupt_ends_with_130(command, table, monkeypatch):
    """Control-C while working ends with 130 and says that nothing half-written is left."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("metaeval.questions.power.study.bootstrap_sensitivity", interrupt)
    ended = command("power", *table)
    assert ended.code == 130
    assert "nothing half-written" in ended.err


def test_help_teaches(command):
    """The help names every test and correction of the tables and shows an example that can be run."""
    ended = command("power", "--help-all")
    assert ended.code == 0
    for word in (*TESTS, *CORRECTIONS, "metaeval power ap.csv", "--resamples"):
        assert word in " ".join(ended.out.split())


def test_warnings_reach_json_and_standard_error(command, table):
    """Too few resamples for the corrected level: a warning in the JSON and on standard error; the answer stands."""
    ended = command("power", *table, "--test", "bootstrap", "--correction", "bonferroni", "--resamples", 100, "--json")
    assert ended.code == 0
    assert any("raise --resamples" in message for message in json.loads(ended.out)["warnings"])
    assert "raise --resamples" in ended.err


def test_metrics_choose_among_the_columns_of_a_table(command, table):
    """--metrics picks metrics of a score table by their names; one that is not there is an error that lists them."""
    rows = command("power", *table, "--metrics", "P", "--test", "t", "--json").json()
    assert {row["metric"] for row in rows["results"]} == {"P"}
    assert rows["options"]["metrics"] == "P"
    ended = command("power", *table, "--metrics", "nDCG")
    assert ended.code == 2
    assert "no metric in the score table 'nDCG'" in ended.err


def test_options_about_runs_are_refused_beside_a_table(command, table):
    """What cannot change the answer is not swallowed."""
    ended = command("power", *table, "--order", "rank")
    assert ended.code == 2
    assert "--order is about runs and judgments" in ended.err


def test_the_file_of_pairs_replaces_nothing_unasked(command, table, tmp_path):
    """A file that is there, an input even, stays as it is unless --overwrite is given."""
    before = table[1].read_bytes()
    ended = command("power", table[0], "--test", "t", "--pairs", table[1])
    assert ended.code == 2
    assert "exists already; pass --overwrite" in ended.err
    assert table[1].read_bytes() == before
    words = ("power", table[0], "--test", "t", "--pairs", "pairs.csv")
    assert command(*words).code == 0
    assert command(*words, "--overwrite").code == 0
    assert "system_a" in (tmp_path / "pairs.csv").read_text()
    assert "--overwrite does nothing without --out or --pairs" in command("power", table[0], "--overwrite").err


PAGES = {
    "power": ("--test", "t"),
    "report": ("--test", "t", "--no-topics", "--interval-resamples", 0),
    "table": (),
    "agree": ("--interval-resamples", 0),
}


@pytest.mark.parametrize("name", PAGES)
def test_one_word_decides_a_whole_page(command, table, tmp_path, name):
    """Under --correction bh nothing is said of Benjamini and Yekutieli, and under by both are counted."""
    for word in ("bh", "by"):
        options = ("--correction", word, "--out", word, "--seed", 0)
        assert command(name, *table, *PAGES[name], *options).code == 0
        written = [path for path in (tmp_path / word).rglob("*") if path.suffix in {".html", ".csv", ".json", ".tex"}]
        text = "".join(path.read_text("utf-8") for path in written if path.name != "provenance.json")
        assert ("Yekutieli" in text or "fdr_by" in text) == (word == "by")
        assert "Hochberg" in text


def test_labels_of_nuggets_are_compared_by_topics(command, tmp_path):
    """--credit says what a label counts, and a table without labels has no use for it."""
    labels = {"a": ["support", "partial", "none", "maybe"], "b": ["none", "none", "partial", "maybe"]}
    rows = [
        f"{topic},{run},n{place},{label}"
        for run, own in labels.items()
        for topic in "123"
        for place, label in enumerate(own)
    ]
    (tmp_path / "labels.csv").write_text("\n".join(["topic,run,nugget,label", *rows]) + "\n")
    words = ("power", "labels.csv", "--test", "t", "--json")
    unknown = command(*words)
    assert unknown.code
    assert "--credit" in unknown.err
    found = command(*words, "--credit", "maybe=0.5").json()
    assert {row["metric"] for row in found["results"]} == {"all", "strict_all", "lenient_all"}
    assert command(*words, "--credit", "maybe=much").code
