# ruff: noqa: RUF001 - dashes are what people see
"""The report of a comparison of tests: its sentences and tables are the study's, also where nothing is rejected."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from metaeval.base.digits import error_of_share
from metaeval.base.words import carried, share_of
from metaeval.questions.compare_tests.page import _answer, _errs_by_rejecting_little, _no_worse_here
from metaeval.questions.compare_tests.page import tests_report as report_of  # pytest would take it for a test
from metaeval.questions.compare_tests.study import study_compare_tests
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS

QUICK = {"n_splits": 8, "n_resamples": 200, "p_value_rule": "plain", "rng": 3}


@pytest.fixture(scope="module")
def study(scores):
    """Two metrics of systems with hostile names, uncorrected and corrected."""
    return study_compare_tests(scores, corrections=["none", "holm"], **QUICK)


def test_the_tables_numbers_are_the_studys(study):
    """One table a correction, in the order asked; every share and count is that of the frame."""
    tables = [table for table in report_of(study).tables() if table.name.startswith("tests_")]
    assert [table.name for table in tables] == ["tests_none", "tests_holm"]
    for table, (_, rows) in zip(tables, study.to_frame().groupby("correction", sort=False), strict=True):
        for cells, row in zip(table.cells(), rows.itertuples(), strict=True):
            shown = [cell.text for cell in cells]
            assert shown[1:3] == [TESTS.label(row.test), carried(row.rejected, row.rejected_se)]
            alone = error_of_share(0.0, row.rejections) if row.rejections else 0.0  # one more may be the first error
            spread = max(row.error_rate_se, alone)
            assert shown[4] == (share_of(row.errors, row.rejections, spread) if row.rejections else "–")
            assert shown[6:8] == [
                carried(row.rejected_both, row.rejected_both_se),
                carried(row.self_agreement, row.self_agreement_se),
            ]


def test_the_first_sentence_answers(simulated_scores):
    """It names the test to use and its error rate; then follow why another errs less, and how many more it rejects."""
    scores, options = simulated_scores(1, 8, 24), QUICK | {"n_splits": 200}
    study = study_compare_tests(scores, tests=["t", "sign"], corrections=["none"], **options)
    frame, report = study.to_frame(), report_of(study)
    row = frame.set_index("test").loc["t"]
    figure = carried(row["error_rate"], max(row["error_rate_se"], error_of_share(0.0, row["rejections"])))
    assert report.summary[0].startswith(
        f"Use the paired t test, which compares means at its level: {figure} of rejections fail"
    )
    assert frame.set_index("test")[["rejected", "error_rate"]].idxmin().eq("sign").all()
    assert "only large differences, such as the sign test here, makes few errors" in report.summary[1]
    (words,) = [block.paragraphs[0] for block in report.sections[0].blocks if block.kind == "text"]
    ratio = frame["rejection_ratio"].iloc[list(frame["test"]).index("sign")]
    shown = re.search(r"(\S+)(?: ± (\S+))? times as many pairs", words)
    assert float(shown[1]) == pytest.approx(ratio, abs=max(0.005, float(shown[2] or 0.0)))


def test_a_test_that_finds_more_with_no_more_errors_is_named_beside():
    """The rule by hand: Wilcoxon's has as many and fewer errors, the sign test fewer; randomisation is advised too."""
    counts = {"t": (0.60, 0.02), "wilcoxon": (0.60, 0.01), "sign": (0.50, 0.01), "randomisation": (0.70, 0.01)}
    rows = pd.DataFrame([(name, *of) for name, of in counts.items()], columns=["test", "rejected", "error_rate"])
    assert _no_worse_here(rows) == ["wilcoxon"]
    assert _no_worse_here(rows[rows["test"].isin(["t", "randomisation"])]) == []


def test_a_test_that_is_too_liberal_is_named_as_one_not_to_use(simulated_scores):
    """Where it errs more than the t test; without a test of means that one is asked for."""
    scores = simulated_scores(1, 12, 12)
    options = {"corrections": ["none"], "n_splits": 100, "n_resamples": 200, "rng": 0}
    told = [
        report_of(study_compare_tests(scores, tests=tests, **options)).summary[0]
        for tests in (["t", "bootstrap_percentile"], ["sign", "bootstrap_percentile"])
    ]
    assert told[0].startswith(
        "Use the paired t test, which compares means at its level, not the percentile bootstrap test: "
    )
    assert told[1].startswith("Add the paired t test")


def rates(**of_tests):
    """Return rows of tests: their rejections and error rate, each with the error of the halvings."""
    columns = ["rejected", "rejected_se", "error_rate", "error_rate_se"]
    frame = pd.DataFrame.from_dict(of_tests, orient="index", columns=columns).rename_axis("test").reset_index()
    return frame.assign(rejections=1000, metric="AP")


PAIRS = SimpleNamespace(halves=SimpleNamespace(n_pairs=15))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        # errors of .01 each: a difference counts from 2 √2 times .01 = .028 on
        ({"t": (0.6, 0.01, 0.05, 0.01), "sign": (0.6, 0.01, 0.07, 0.01)}, "These data do not show which test is more"),
        (
            {"t": (0.6, 0.01, 0.05, 0.01), "sign": (0.5, 0.01, 0.07, 0.01)},
            "Use the paired t test, which compares means",
        ),
        (
            {"t": (0.6, 0.01, 0.05, 0.01), "sign": (0.6, 0.01, 0.08, 0.01)},
            "Use the paired t test, which compares means at its level, not the sign test: 5 % of rejections fail",
        ),
        # one half is chance: .47 is more than two errors below it with .01, and less with .02
        (
            {"t": (0.6, 0.01, 0.97, 0.01), "sign": (0.1, 0.01, 0.47, 0.02)},
            "These data do not show which test is reliable: under each 47",
        ),
        (
            {"t": (0.6, 0.01, 0.97, 0.01), "sign": (0.1, 0.01, 0.47, 0.01)},
            "These data do not show which test is reliable: under the paired t test 97 ",
        ),
        ({"t": (0.6, 0.01, 0.47, 0.01), "sign": (0.1, 0.01, 0.3, 0.01)}, "Use the paired t test, which compares means"),
        (
            {"sign": (0.6, 0.01, 0.05, 0.01), "wilcoxon": (0.3, 0.01, 0.06, 0.01)},
            "Add the paired t test, which compares",
        ),
    ],
)
def test_what_the_data_do_not_show_is_not_recommended(rows, said):
    """The rule by hand: two errors of the halvings between tests, and below the half that fails at random."""
    assert _answer(PAIRS, "none", rates(**rows)).startswith(said)


def test_only_a_test_that_clearly_rejects_fewer_rejects_large_differences_only():
    """By hand: fewer rejections and errors by more than 2 √2 times .01, and under no correction more rejections."""
    t, clear, near = (0.6, 0.01, 0.10, 0.01), (0.5, 0.01, 0.05, 0.01), (0.59, 0.01, 0.09, 0.01)
    assert _errs_by_rejecting_little({"none": rates(t=t, sign=clear)}) == "sign"
    assert _errs_by_rejecting_little({"none": rates(t=t, sign=near)}) == ""
    assert _errs_by_rejecting_little({"none": rates(t=t, sign=clear), "holm": rates(t=clear, sign=t)}) == ""


def test_no_interval_is_claimed(study):
    """The methods say why an error rate has none, and that the bars are over splits."""
    report = report_of(study)
    assert "No confidence interval is given" in report.methods.paragraphs[0]
    assert {"ogilvie2006", "sanderson2005", "holm1979"} <= set(report.methods.cite)
    assert all("not confidence intervals" in picture.caption for picture in report.pictures())


def test_nothing_rejected_is_said():
    """Identical systems: no rejections, no error rates, dashes in the table and a note for every test; it draws."""
    values = np.tile(np.random.default_rng(0).random(12), (3, 1))
    study = study_compare_tests(as_scores(values), tests=["t", "sign"], corrections=["none"], **QUICK)
    report = report_of(study)
    assert report.summary[0].startswith("No test rejects a single pair")
    assert sum("rejects no pair on any half" in note for note in report.notes) == 2
    (table,) = [table for table in report.tables() if table.name == "tests_none"]
    assert table.cells()[0][4].text == "–"
    for picture in report.pictures():
        picture.draw()
