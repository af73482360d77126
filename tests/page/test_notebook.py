# ruff: noqa: RUF001 - signs that are meant for people
"""What a notebook shows of results: pictures, numbers for people, few rows; `test_every.py` looks at every result."""

import html
import inspect
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from every import SCRIPT, answer, chapters, data
from matplotlib.figure import Figure
from matplotlib.text import Text

import metaeval
from metaeval import agreement, as_scores, resampling, simulate_scores, studies
from metaeval.base.results import Result
from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.figures.style import figure_png
from metaeval.page.notebook import report_html
from metaeval.questions.table.page import table_report

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),  # so little data reaches no level
]
SCORES = data("scores", "plain | names")
PLOTS = {
    *(
        "RanksFromErrors",
        "AgreementIntervals",
        "AltTest",
        "BayesianComparison",
        "BayesianErrorRate",
        "BestSystem",
        "DecisionAgreement",
    ),
    *(
        "DifferenceBins",
        "ErrorRates",
        "FavouredGroups",
        "HumanAgreement",
        "JudgeConclusions",
        "JudgeRanking",
        "LabelAgreement",
    ),
    *("MetricComparison", "PairwiseResult", "PowerIntervals", "PredictionPowered", "RankIntervals", "RanksFromErrors"),
    *("MetaMetrics", "RunChoicePower", "SensitivityResult", "SplitHalves", "Stability"),
    *("BradleyTerry", "MissingScores", "PoweredStrengths", "RunPreferences", "SettledPairs", "VarianceComponents"),
    *("CohortAnalysis", "CompletionBounds", "Expectations", "VersionDrift"),
    *("CorrectedScores", "ItemFavour", "JudgeWeights", "LatentClasses"),
}


def test_what_can_be_drawn():
    """Power, topics, agreement, error rates, judges and leaderboards have a picture, and every study has."""
    offered = [getattr(place, name) for place in chapters() for name in place.__all__]
    results = [one for one in offered if inspect.isclass(one) and issubclass(one, Result)]
    drawn = {one.__name__ for one in results if one._draw is not Result._draw and not issubclass(one, studies.Study)}
    assert drawn == PLOTS


def test_a_study_draws_any_picture_of_its_report():
    """The main one, or that of a name; another name is refused with those that there are."""
    study = studies.study_power(SCORES, tests=["t"], rng=0)
    report = study.report()
    ranking = f"ranking {SCRIPT}"
    assert {"discriminative_power", ranking} <= {picture.name for picture in report.pictures()}
    assert figure_png(study.plot()) == figure_png(report.main_picture().draw())
    assert figure_png(study.plot(ranking)) != figure_png(study.plot())
    with pytest.raises(UnknownNameError, match=r"no picture 'rankings'.*discriminative_power"):
        study.plot("rankings")


def test_a_study_without_a_picture_says_so(monkeypatch):
    """Where a report has none, the message says what shows the result."""
    study = studies.study_table(SCORES)
    monkeypatch.setattr(studies.TableStudy, "report", lambda self: replace(table_report(self), sections=()))
    with pytest.raises(InvalidOptionError, match=r"a TableStudy has no picture; report\(\).save\(folder\)"):
        study.plot()


@pytest.mark.parametrize("study", ["study_compare_metrics", "study_judgments"])
def test_studies_with_a_picture_of_their_own_draw_the_others_too(study):
    """`plot(name)` means the same everywhere."""
    found = answer(study)
    last = found.report().pictures()[-1]
    assert figure_png(found.plot(last.name)) == figure_png(last.draw())
    assert figure_png(found.plot()).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("procedure", "named", "words"),
    [
        ("best_system", "nDCG@10", "chance to be the best under nDCG@10"),
        ("decision_agreement", "tau", "nDCG@10"),
        ("split_half", "none", "pairs rejected"),
    ],
)
def test_a_picture_can_be_asked_for_by_name(procedure, named, words):
    """A metric, a measure or a correction; one that there is not is refused."""
    plot = answer(procedure).plot
    assert any(words in text.get_text() for text in plot(named).findobj(Text))
    with pytest.raises(InvalidOptionError):
        plot("no such")


def test_error_rates_are_drawn_in_the_unit_of_their_tolerances():
    """A share of the mean in percent, else the metric's own unit."""
    absolute = resampling.swap_method(SCORES, n_trials=5, tolerances=[0.02], tolerance_unit="absolute", rng=0)
    assert "tolerance 0.02" in {text.get_text() for text in absolute.plot().findobj(Text)}
    shares = resampling.swap_method(SCORES, n_trials=5, rng=0)
    assert "tolerance 5 %" in {text.get_text() for text in shares.plot().findobj(Text)}


def test_levels_of_agreement_stand_apart():
    """Rows of two levels of significance have a head each, and least agreement stands first."""
    found = resampling.agreement_intervals(
        data("scores", "plain | beside"), alphas=[0.05, 0.2], n_topic_resamples=5, rng=0
    )
    words = [text.get_text() for text in found.plot().findobj(Text)]
    assert {"alpha = 0.05", "alpha = 0.2", "AP and nDCG@10"} <= set(words)


def test_what_holds_nothing_to_draw_is_shown_without_a_picture():
    """Where no two systems differ there is no bin: asked for a picture it says so, and a notebook goes without."""
    same = metaeval.as_scores(np.full((1, 3, 8), 0.5))
    found = resampling.difference_bins(same, sizes=[4], n_trials=3, duplicates="keep", rng=0)
    with pytest.raises(EstimationError, match="no two systems differ"):
        found.plot()
    assert "<img" not in found._repr_html_()
    assert "0 rows" in found._repr_html_()


def test_a_figure_shows_itself_where_nobody_loaded_pyplot():
    """Only pyplot teaches notebooks to show figures, and nothing here loads it."""
    figure = metaeval.paired_t_test(SCORES).plot()
    assert isinstance(figure, Figure)
    assert figure._repr_png_() == figure_png(figure)


def test_a_study_shows_the_first_sentence_of_its_report():
    """Question, answer, main table and main picture are those of the report."""
    report = studies.study_power(SCORES, tests=["t"], rng=0).report()
    text = html.unescape(re.sub("<[^>]*>", "", report_html(report)))
    assert report.title in text
    assert report.summary[0].split(". ")[0] in text
    assert report.main_table().title in text


def test_studies_write_their_report(tmp_path):
    """study.report().save(folder) writes a page and a record, whatever systems are called."""
    index = studies.study_table(SCORES).report().save(tmp_path / "table")
    assert index.name == "index.html"
    assert (tmp_path / "table" / "provenance.json").exists()


@pytest.mark.parametrize(
    ("frame", "cells"),
    [
        (
            pd.DataFrame({"p_value": [1e-9], "n": [12345], "x": [-0.123456], "ok": [True]}),
            ["<0.0001", "12,345", "−0.1235", "yes"],
        ),
        (
            pd.DataFrame({"x": [np.nan], "y": [np.inf], "z": [123456.7], "who": [("a", "b")]}),
            ["–", "∞", "123,457", "a and b"],
        ),
        (pd.DataFrame({"a": [1.0]}, index=pd.Index(["first"], name="who")), ["first", "1"]),
        (pd.DataFrame([[1, 2]], columns=["same", "same"]), ["1", "2"]),
        (pd.DataFrame({"a": []}), []),
    ],
)
def test_numbers_are_written_for_people(frame, cells):
    """A p-value that is no zero is none, counts have commas, a number has four digits, what is absent a dash."""
    labels = agreement.Labels(table=frame, scale=(0, 1), outside=pd.DataFrame(), notes=())
    shown = labels._repr_html_()
    found = [part.partition("</td>")[0].partition(">")[2] for part in shown.split("<td")[1:]]
    assert [one.replace("&lt;", "<") for one in found] == cells
    assert ("The first" in shown) is False


def test_only_the_first_rows_and_columns_are_shown():
    """Ten rows and twelve columns; the caption says how many more there are."""
    frame = pd.DataFrame(np.zeros((1234, 15)), columns=[f"c{place}" for place in range(15)])
    shown = agreement.Labels(table=frame, scale=(0, 1), outside=pd.DataFrame(), notes=())._repr_html_()
    assert "The first 10 of 1,234 rows. 3 more columns are not shown." in shown
    assert shown.count("<tr") == 11


def test_a_study_makes_its_page_once_for_all_that_shows_it(study, monkeypatch):
    calls = []
    plain = type(study).report
    monkeypatch.setattr(type(study), "report", lambda self, **options: calls.append(1) or plain(self, **options))
    shown = replace(study)
    assert shown.answer in repr(shown)
    assert "<table" in shown._repr_html_()
    shown.plot()
    assert calls == [1]
    assert shown.equals(study)
    assert shown.report() is not shown.report()


def test_a_study_without_a_seed_shows_the_one_that_repeats_it():
    """In text and in HTML; with it the study is the same."""
    scores = simulate_scores(n_systems=3, n_topics=12, metrics=["AP"], rng=1)
    study = metaeval.study_leaderboard(scores)
    (seed,) = re.findall(r"seed=(\d+)", repr(study))
    assert f"Seed {seed}." in study._repr_html_()
    assert study.equals(metaeval.study_leaderboard(scores, rng=int(seed)))


def test_what_an_answer_rests_on_is_shown():
    """An answer that two topics decide is not shown without them, however long the line."""
    close = np.array([0.02, 0.03, 0.01, 0.02, 0.04, 0.02, 0.01, 0.03, 0.02, -0.01, 0.6, 0.7])
    study = metaeval.study_table(as_scores([0.3 + close, np.full(12, 0.3)]), rng=0)
    assert "rests on 2 of 12 topics" in study._repr_html_()
