"""`metaeval topics`: terminal, JSON, report, options and errors that say what to do."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import EstimationError
from metaeval.questions.topics import study as topics
from metaeval.questions.topics.page_words import topic_count
from metaeval.questions.topics.study import study_topics
from metaeval.table.scores import as_scores

pytestmark = pytest.mark.usefixtures("one_core")

POSTERIOR = ("posterior_median", "posterior_low", "posterior_high")
QUICK = ("--trials", 10, "--no-bayes", "--interval-resamples", 0)


@pytest.fixture
def wide(tmp_path):
    """Scores of eight systems on thirty topics under two metrics, as wide tables."""
    rng = np.random.default_rng(5)
    paths = []
    for metric in ("AP", "P"):
        values = np.clip(0.4 + 0.04 * np.arange(8) + 0.15 * rng.normal(size=(30, 8)), 0, 1).round(4)
        paths.append(tmp_path / f"{metric}.csv")
        pd.DataFrame(values, columns=[f"run{number}" for number in range(8)]).to_csv(paths[-1], index=False)
    return paths


def test_json_holds_the_study(command, wide):
    """The rows are those of the Python study on the same scores, options and seed."""
    ended = command(
        "topics", *wide, *QUICK, "--topic-sizes", "5-15:5,12", "--tolerances", "0,0.1", "--max-error", 0.1, "--limit",
        80,
        "--seed", 3, "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    answer = ended.json()
    assert (answer["schema"], answer["command"]) == ("metaeval/4", "topics")
    assert set(answer["provenance"]["inputs"]) == set(map(str, wide))
    scores = as_scores({path.stem: pd.read_csv(path).set_axis(range(1, 31)) for path in wide})
    expected = study_topics(
        scores, sizes=[5, 10, 12, 15], n_trials=10, tolerances=[0, 0.1], max_error=0.1, limit=80, bayesian=False,
        n_topic_resamples=0, rng=3,
    ).to_frame()  # fmt: skip
    for row, right in zip(answer["results"], expected.to_dict("records"), strict=True):
        assert set(row) == set(right)
        for name, value in right.items():
            assert row[name] == (None if isinstance(value, float) and np.isnan(value) else value)


def test_the_terminal_shows_counts_certainty_and_differences(command, wide):
    """The answer in words, then topics needed with intervals, error rates and differences; the seed is noted."""
    words = ("topics", *wide, "--trials", 10, "--tolerances", "0,0.2", "--interval-resamples", 20)
    ended = command(*words)
    assert ended.code == 0, ended.err
    for part in ("Topics needed", "90 % interval", "30 are enough", "disagreement of two topic sets within 5 %"):
        assert part in ended.out
    assert "Seed 0" in ended.err
    shown = [" ".join(line.split()) for line in ended.out.splitlines()]
    rows = command(*words, "--json").json()["results"]
    assert all(row["note"] == "" for row in rows)
    for row in rows:
        opening = rf"{row['metric']} {100 * row['tolerance']:g} % ([\d.]+)(?: ± [\d.]+)? % "
        # then the model's error rate at that size
        (found,) = filter(None, (re.match(rf"{opening}[\d.]+ % (<?\d+) (<?\d+) to (<?\d+) ", line) for line in shown))
        assert float(found[1]) == pytest.approx(
            100 * row["error_rate"], abs=0.5 / 10 ** len(found[1].partition(".")[2])
        )
        for text, name in zip(found.groups()[1:], POSTERIOR, strict=True):
            unit = 10 ** (len(text) - len(text.rstrip("0")))
            assert text == topic_count(row[name]) or float(text) == pytest.approx(row[name], abs=unit / 2)


def test_without_the_model_the_terminal_shows_what_was_observed(command, wide):
    """Counts as observed, with their marks; the curves that go beyond the data are in the answer for programs."""
    words = ("topics", *wide, *QUICK, "--tolerances", "0,0.2")
    ended = command(*words)
    lines = [line.split() for line in ended.out.splitlines()]
    answer = command(*words, "--json").json()
    rows, curves = answer["results"], [row["name"] for row in answer["tables"]["curves_compared"]["rows"]]
    for tolerance in (0, 0.2):
        texts = [row["text"] for row in rows if row["tolerance"] == tolerance]
        assert [f"{100 * tolerance:g}", "%", *texts] in lines
    for curve in ("Exponential", "Power law", "Orthant curve"):
        assert curve in curves


def test_zero_is_always_among_the_tolerances(command, wide):
    """Whatever tolerance is asked for, every disagreement is counted as well."""
    rows = command("topics", wide[0], *QUICK, "--tolerances", "0.1", "--json").json()["results"]
    assert [row["tolerance"] for row in rows] == [0, 0.1]


def test_a_tolerance_that_was_named_is_answered_first(command, wide):
    """0, which is always in the study, comes first only where it was typed, or nothing was."""
    for tolerances, first in (("0.1", True), ("0,0.1", False), ("0.1,0.2", False)):
        answer = command("topics", wide[0], *QUICK, "--tolerances", tolerances, "--json").json()["summary"][0]
        assert ("(tolerance 10 %)" in answer) == first, answer


def test_json_says_which_metric_needs_fewer_topics(command, wide):
    """Every row names the chance of needing fewer topics than each other metric; those of a pair add up to one."""
    words = ("--trials", 10, "--tolerances", "0", "--interval-resamples", 0, "--json")
    first, second = command("topics", *wide, *words).json()["results"]
    assert first["p_fewer_than"]["P"] + second["p_fewer_than"]["AP"] == pytest.approx(1)
    alone = command("topics", wide[0], *words).json()["results"]
    assert [row["p_fewer_than"] for row in alone] == [{}]


def test_a_refused_sampling_ends_with_4_after_the_rest(command, wide, tmp_path, monkeypatch):
    """The fast answer is told, in the terminal, as JSON and as a report; the refusal is named; the exit code is 4."""
    fit = topics.bayesian_error_rate

    def refuse(scores, *, method, **settings):
        if method == "pymc":
            raise EstimationError("chains disagree")
        return fit(scores, method=method, **settings)

    monkeypatch.setattr(topics, "bayesian_error_rate", refuse)
    words = ("topics", *wide, "--trials", 10, "--tolerances", "0", "--interval-resamples", 0, "--pymc")
    ended = command(*words)
    assert ended.code == 4
    assert "chains disagree" in ended.err
    for part in ("Topics needed", "disagreement of two topic sets within 5 %"):
        assert part in ended.out
    ended = command(*words, "--out", "r", "--json")
    assert ended.code == 4
    assert "chains disagree" in (tmp_path / "r" / "index.html").read_text()
    assert {row["posterior_method"] for row in ended.json()["results"]} == {"fast"}


def test_draws_are_written_where_they_are_asked_for(command, wide, tmp_path):
    """They are megabytes that few readers open; the page lists them when they are there."""
    words = ("topics", wide[0], "--trials", 10, "--tolerances", "0", "--interval-resamples", 0)
    for out, option in (("without", ()), ("with", ("--posterior",))):
        assert command(*words, "--out", out, *option).code == 0
        assert (tmp_path / out / "data" / "posterior.nc").exists() == bool(option)
        assert ("posterior.nc" in (tmp_path / out / "index.html").read_text()) == bool(option)


def test_quiet_says_nothing_besides_the_answer(command, wide):
    """With --quiet standard error stays empty."""
    assert command("topics", *wide, *QUICK, "--quiet").err == ""


def test_a_report_is_written_and_not_overwritten(command, wide, tmp_path):
    """--out writes the page; a second one is refused until --overwrite."""
    words = ("topics", wide[0], *QUICK, "--tolerances", "0,0.1", "--out", "r")
    ended = command(*words)
    assert ended.code == 0, ended.err
    assert "How many topics are enough?" in (tmp_path / "r" / "index.html").read_text()
    refused = command(*words)
    assert refused.code == 2
    assert "overwrite" in refused.err
    assert command(*words, "--overwrite").code == 0


def test_from_runs_and_judgments(command, simulated_collection):
    """Runs are scored first; the sizes fit the twelve topics."""
    ended = command(
        "topics", simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt", "--metrics", "AP,P@10",
        *QUICK, "--topic-sizes", "2-6", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    rows = ended.json()["results"]
    assert {row["metric"] for row in rows} == {"AP", "P@10"}
    assert {row["topics_at_hand"] for row in rows} == {12}


def test_absolute_tolerances_are_in_the_metrics_unit(command, wide):
    """With --tolerance-unit absolute the tolerances are taken as they are."""
    words = ("--tolerance-unit", "absolute", "--tolerances", "0,0.05", "--json")
    rows = command("topics", wide[0], *QUICK, *words).json()["results"]
    assert [row["tolerance"] for row in rows] == [0, 0.05]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "needs INPUTS"),
        (["absent.csv"], 3, "absent.csv"),
        (["AP.csv", "--topic-sizes", "5..9"], 2, "5-25"),
        (["AP.csv", "--topic-sizes", "5-16"], 2, "1 to 15"),
        (["AP.csv", "--topic-sizes", "20"], 4, "too few"),
        (["AP.csv", "--tolerances", "a,b"], 2, "0,0.05,0.1"),
        (["AP.csv", "--tolerances", "0,100"], 2, "100 % of the larger mean as 1"),
        (["AP.csv", "--tolerance-unit", "percent"], 2, "relative"),
        (["AP.csv", "--sampling", "half"], 2, "disjoint"),
        (["AP.csv", "--max-error", "0.7"], 2, "--max-error must lie between 0 and 0.5"),
        (["AP.csv", "--limit", "3"], 2, "limit"),
        (["AP.csv", "--trials", "0"], 2, "--trials must be a whole number of at least 1"),
        (["AP.csv", "--bin-width", "0", "--no-bayes"], 2, "width"),
        (["AP.csv", "--interval-resamples", "1"], 2, "--interval-resamples must be 0 or a whole number of at least 2"),
        (["negative.csv", "--tolerances", "0.1"], 3, "absolute"),
    ],
)
@pytest.mark.usefixtures("wide")
def test_what_is_wrong_is_said_and_coded(command, words, code, said, tmp_path):
    """Usage ends with 2, bad input with 3, what cannot be estimated with 4; the message names the thing."""
    pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), columns=list("abc")).to_csv(
        tmp_path / "negative.csv", index=False
    )
    ended = command("topics", *words)
    assert ended.code == code, ended.err
    assert said in " ".join(ended.err.split())
    assert "Traceback" not in ended.err


def test_an_interrupt_leaves_nothing(command, wide, tmp_path, monkeypatch):
    """Control-C while counting ends with 130 and no folder."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("metaeval.questions.topics.study.compare_curves", interrupt)
    before = set(tmp_path.iterdir())
    assert command("topics", wide[0], *QUICK, "--out", "r").code == 130
    assert set(tmp_path.iterdir()) == before


def test_help_teaches(command):
    """The help says what an error is, what the marks mean, which tolerance to choose, and shows an example."""
    shown = " ".join(command("topics", "--help-all").out.split())
    for words in (
        "disagree about that pair",
        "extrapolated",
        "metaeval topics ap.csv",
        "--tolerances",
        "--no-bayes",
        "Recommended",
    ):
        assert words in shown
