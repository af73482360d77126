# ruff: noqa: RUF001 - dashes are what people see
"""`metaeval compare-tests`: answers, JSON, and errors that say what to do."""

import pandas as pd
import pytest

from metaeval.io.tables import read_scores
from metaeval.questions.compare_tests.study import study_compare_tests

pytestmark = pytest.mark.usefixtures("one_core")

QUICK = ("--splits", 5, "--resamples", 100)


def test_json_holds_the_study(command, table):
    """The rows are those of the Python study on the same scores and seed, with plain p-values where asked."""
    for correction, rule, more in (("none", "plus-one", ()), ("fdr_by", "plain", ("--plain-p",))):
        ended = command("compare-tests", *table, *QUICK, "--correction", correction, *more, "--json")
        assert ended.code == 0, ended.err
        expected = study_compare_tests(
            read_scores(table), corrections=[correction], n_splits=5, n_resamples=100, p_value_rule=rule, rng=0
        ).to_frame()
        columns = ["correction", "metric", "test", "rejections", "errors", "n_pairs", "n_splits"]
        found = [[row[name] for name in columns] for row in ended.json()["results"]]
        assert found == expected[columns].to_numpy().tolist()


def test_the_answer_stands_in_the_terminal(command, table):
    """A sentence first, key figures of every correction, then the first one's table, with ratios to the test named."""
    ended = command("compare-tests", *table, "--test", "t,sign", "--against", "t", "--splits", 5)
    assert ended.code == 0, ended.err
    assert "These data do not show which test is more reliable: under each 0" in ended.out
    assert "Paired t over this test" in ended.out
    assert "Tests on halves of the topics, uncorrected" in ended.out
    figures = ended.out[ended.out.index("Key figures") : ended.out.index("Quote an error rate")]
    assert all(one in figures for one in ("Uncorrected", "Benjamini–Yekutieli", "Paired t", "Sign"))


def test_the_folder_holds_every_split(command, table, tmp_path):
    """The counts of single splits are there to work with."""
    assert command("compare-tests", *table, "--test", "t", "--splits", 5, "--out", "page").code == 0
    splits = pd.read_csv(tmp_path / "page" / "data" / "splits.csv")
    assert len(splits) == 2 * 2 * 5
    assert "Sanderson" in (tmp_path / "page" / "index.html").read_text()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--test", "t", "--against", "sign"), 2, "no compared test 'sign'"),
        (("--against", "best"), 2, "--against"),
        (("--splits", "0"), 2, "--splits"),
        (("--test", "tukey"), 2, "two-sided only"),
        (("--alternative", "upwards"), 2, "two-sided"),
    ],
)
def test_what_is_wrong_is_said_and_coded(command, table, words, code, said):
    """Usage ends with 2, and the message names the thing."""
    ended = command("compare-tests", *table, *QUICK, *words)
    assert ended.code == code
    assert said in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
