# ruff: noqa: RUF001 - typographic dashes are what people see
"""The report of a topics study: its numbers are the study's, in every state a study can be in."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metaeval import figures
from metaeval.base.words import carried
from metaeval.figures.marks import marks_of
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.models.families import FAMILIES
from metaeval.page.html import render_page
from metaeval.questions.power.study import study_power
from metaeval.questions.topics.page import topics_report, with_topics, without_topics
from metaeval.questions.topics.page_error_rates import _by_topic_set_size
from metaeval.questions.topics.page_words import count_marks, fewer_rows, fewest, ties_counted, topic_count
from metaeval.questions.topics.study import study_topics
from metaeval.table.scores import as_scores

pytestmark = pytest.mark.usefixtures("one_core")

HOSTILE = ["<script>alert(1)</script>", "$x$ & {y}_1%"]


def simulated_scores(n_metrics=2, n_systems=10, n_topics=40, *, noise=0.15, **labels):
    rng = np.random.default_rng(3)
    quality = np.linspace(-0.15, 0.15, n_systems)[None, :, None]
    values = 0.5 + quality + noise * rng.normal(size=(n_metrics, n_systems, n_topics))
    return as_scores(np.clip(values, 0, 1), **labels)


@pytest.fixture(scope="module")
def study():
    """Two metrics with names that could do harm, two tolerances, and the model."""
    return study_topics(simulated_scores(metrics=HOSTILE), tolerances=[0, 0.1], n_trials=20, rng=7)


@pytest.fixture(scope="module")
def page(study):
    """Its page."""
    return replace(study.report(), warnings=("A warning given on the way.",))


def table_of(page, name):
    """Return the table of a page with this name."""
    (found,) = [table for table in page.tables() if table.name == name]
    return found


def test_the_minimum_table_is_the_studys(study, page):
    """Tolerances in rows, metrics in columns, every cell the text of the model; the CSV has the plain rows."""
    table = table_of(page, "minimum_topics")
    assert [column.label for column in table.columns] == ["Tolerance", *HOSTILE]
    shown = [[cell.text for cell in row] for row in table.cells()]
    assert [row[0] for row in shown] == ["0 %", "10 %"]
    assert [row[1:] for row in shown] == study.minimum.table().to_numpy().tolist()
    pd.testing.assert_frame_equal(table.data, study.minimum.to_frame())


def test_counts_as_observed_are_a_check_in_a_fold(page):
    """The section's own table is the model's; what the sizes observed say is folded and called a check."""
    section = page.sections[0]
    (fold,) = [block for block in section.blocks if block.kind == "fold"]
    assert section.blocks[0].kind == "picture"
    assert (section.id, section.brief) == ("topics", True)
    assert "check" in fold.title
    assert page.main_table().name == "topics_needed"
    assert [block.name for block in fold.blocks if block.kind == "table"] == ["minimum_topics"]


def percent_of(text):
    """Return the percentage that a cell shows, without its error."""
    return float(text.removesuffix(" %").split(" ± ")[0])


def half_a_unit(count, error):
    """Return half a unit of the last digit: of three, or fewer where a unit is still at most four errors."""
    if np.isinf(count):
        return 0.0
    first = 10.0 ** np.floor(np.log10(count))
    return min(first, max(1.0, first / 100, 10.0 ** np.floor(np.log10(max(4 * error, 0.1))))) / 2


def test_the_posterior_table_is_the_studys(study, page):
    """Medians, intervals and probabilities are those of the posterior, and no probability is written as certain."""
    table = table_of(page, "topics_needed")
    counts = study.posterior.minimum_topics(errors=True)
    pd.testing.assert_frame_equal(table.data[counts.columns.tolist()], counts)
    rates = study.error_rates.rates().sel(size=20)
    assert "of topics needed " in table.precision
    for cells, row in zip(table.cells(), counts.to_dict("records"), strict=True):
        error, modelled, median, between, enough = (cell.text for cell in cells[2:])
        model = study.posterior.curves([20]).set_index(["metric", "tolerance"])["median"]
        assert percent_of(modelled) == pytest.approx(100 * model[row["metric"], row["tolerance"]], abs=0.5)
        seen = float(rates.sel({"metric": row["metric"], "tolerance": row["tolerance"]}))
        assert percent_of(error) == pytest.approx(100 * seen, abs=0.5)
        low, high = between.split(" to ")
        for name, written in (("median", median), ("low", low), ("high", high)):
            off = half_a_unit(row[name], row[f"{name}_error"])
            assert written == "over a million" or float(written) == pytest.approx(row[name], abs=off)
        share = 100 * row["p_enough"]
        assert enough == ("<1 %" if share < 1 else ">99 %" if share > 99 else f"{share:.0f} %")


def test_pairs_of_metrics_are_the_posteriors(study, page):
    """Every pair has its probability at every tolerance, and a sentence a tolerance names the one that needs fewest."""
    table = table_of(page, "fewer_topics")
    long = study.posterior.fewer()
    pd.testing.assert_frame_equal(table.data, long)
    first = long[(long["metric_a"] == HOSTILE[0]) & (long["metric_b"] == HOSTILE[1])]["p_fewer"].tolist()
    rows = fewer_rows(study)
    assert rows.to_numpy().tolist() == [[*HOSTILE, *first]]
    (section,) = [section for section in page.sections if section.id == "fewer"]
    for item, chance in zip(section.blocks[0].items, first, strict=True):
        assert HOSTILE[0 if chance > 0.5 else 1] in item.words.split("needs fewest")[0]


def test_condensed_metrics_go_by_short_names_explained_once(words_of):
    """The page says AP' for AP(judged_only=True) and tells once what that is; the data keep the full name."""
    scores = simulated_scores(metrics=["AP", "AP(judged_only=True)"])
    page = topics_report(
        study_topics(scores, tolerances=[0.1], n_trials=10, bayesian=False, n_topic_resamples=0, rng=0)
    )
    table = table_of(page, "minimum_topics")
    assert [column.label for column in table.columns] == ["Tolerance", "AP", "AP'"]
    assert set(table.data["metric"]) == {"AP", "AP(judged_only=True)"}
    pictures = [words for picture in page.pictures() for words in (picture.title, picture.caption, picture.alt)]
    assert not any("judged_only" in words for words in (*pictures, *page.summary))
    assert "AP' stands for AP(judged_only=True)" in words_of(page)


def test_only_marks_that_occur_are_explained(study):
    """A mark that stands in no cell needs no words; every one that does has some."""
    marks = dict(count_marks(study.minimum))
    cells = study.minimum.table().to_numpy().ravel().tolist()
    assert {mark for mark in marks if mark != "*"} == {cell for cell in cells if not cell.rstrip("*").isdecimal()}
    assert ("*" in marks) == any(cell.endswith("*") for cell in cells)


def test_as_a_part_of_another_report(study):
    """Counts, comparison and curves stand after the sections there are, with summary, methods, notes and data."""
    power, own = study_power(study.scores, tests=["t"], rng=0).report(), study.report()
    whole = with_topics(power, study)
    assert whole.key_figures.caption == power.key_figures.caption  # errors of draws are said in Methods
    assert "topics needed" in whole.key_figures.errors
    added = whole.sections[len(power.sections) :]
    assert [section.id for section in added] == ["topics", "fewer", "numbers", "error-rates"]
    assert whole.sections[: len(power.sections)] == power.sections
    first, quote, caution = power.summary
    assert whole.summary == (first, f"{quote} {own.summary[1]}", caution)
    figures = pd.concat([power.key_figures.frame, own.key_figures.frame.iloc[:, 1:]], axis=1)
    assert set(whole.key_figures.frame) == set(figures)
    assert not any(section.brief for section in added)
    assert whole.methods.paragraphs == power.methods.paragraphs + own.methods.paragraphs
    assert {"error_rates.csv", "curves.csv"} == set(whole.data) - set(power.data)
    assert "posterior.nc" in with_topics(power, study, posterior=True).data
    section = without_topics(power, "there are too few topics").sections[-1]
    assert section.blocks[0].paragraphs == ("This cannot be estimated: there are too few topics.",)


def test_a_refused_sampling_is_named(words_of):
    """The page says what was refused, why, and what stands in for it."""
    study = study_topics(simulated_scores(1), tolerances=[0], n_trials=10, rng=0)
    reasons = {**study.unestimated, "sampling with PyMC": "it did not converge"}
    words = words_of(topics_report(replace(study, unestimated=reasons)))
    assert "Sampling with PyMC: it did not converge." in words
    assert "The faster sampler was used instead" in words


def test_the_error_rates_are_the_studys(study, page):
    """Every rate shown is the swap method's, and the CSV holds every size."""
    table = table_of(page, "error_rates")
    rates, errors = study.error_rates.rates(), study.error_rates.rate_errors()
    sizes = [int(column.label) for column in table.columns[2:]]
    keys = [(metric, tolerance) for metric in HOSTILE for tolerance in (0.0, 0.1)]
    for (metric, tolerance), cells in zip(keys, table.cells(), strict=True):
        for size, cell in zip(sizes, cells[2:], strict=True):
            value = float(rates.sel({"metric": metric, "tolerance": tolerance, "size": size}))
            error = float(errors.sel({"metric": metric, "tolerance": tolerance, "size": size}))
            assert cell.text == carried(value, error)
    assert len(table.data) == 2 * 2 * 16


def test_the_curves_are_the_studys(study, page):
    """Every curve's error and bias on the sizes held out, best first, and the published one's parameters."""
    ranking = study.comparison.summary().to_dict("records")
    for cells, row in zip(table_of(page, "curves_compared").cells(), ranking, strict=True):
        assert cells[0].text.casefold() == FAMILIES[row["family"]].title
        assert float(cells[1].text) == pytest.approx(row["held_out_error"], abs=0.005)
        bias = float(cells[2].text.removesuffix(" %").replace("−", "-"))
        assert bias == pytest.approx(100 * row["held_out_bias"], abs=0.5)
    pd.testing.assert_frame_equal(table_of(page, "exponential").data, study.exponential)


def test_no_difference_has_no_share(study, page):
    """The three readings stand side by side; a reading without a difference has a dash for its share too."""
    table = table_of(page, "difference_required")
    for cells in table.cells():
        texts = [cell.text for cell in cells[1:]]
        assert all((a == "–") == (b == "–") for a, b in zip(texts[::2], texts[1::2], strict=True))
    assert len(table.data) == 2 * 3
    assert study.bins.max_error == 0.05


def test_nothing_in_a_name_is_markup(page):
    """Names of metrics arrive as text, and the page asks for nothing from outside."""
    source = render_page(page)
    assert "<script>alert(1)" not in source
    assert "&lt;script&gt;alert(1)" in source
    assert not re.search(r'(src|href)="http(?!s://doi\.org)', source)


def test_the_summary_answers_with_the_median_and_its_interval(study, page, words_of):
    """The two ends at tolerance 0; key figures at 0 and at the one to quote; what to quote; what it does not say."""
    counts = study.posterior.minimum_topics(errors=True).set_index(["tolerance", "metric"])
    rows = {row[0].text: [cell.text for cell in row] for row in page.key_figures.cells()}
    for place, tolerance in enumerate((0.0, 0.1)):
        for metric in HOSTILE:
            row = counts.loc[tolerance, metric]
            low, median, high = (topic_count(row[name], row[f"{name}_error"]) for name in ("low", "median", "high"))
            assert rows[metric][1 + 2 * place : 3 + 2 * place] == [median, f"{low} to {high}"]
            assert place or f"{median} [{low}, {high}]" in page.summary[0]
    assert page.summary[0].count("90 % interval") == 1
    assert page.summary[0].endswith("keep the disagreement of two topic sets within 5 %.")
    assert page.summary[1].startswith(
        "Quote tolerance 0 where any lead counts, and 10 % where a lead counts only from "
    )
    assert "90 % interval" in page.summary[1]
    assert page.summary[2].endswith("measures the right thing.")
    assert "A warning given on the way." in words_of(page)


@pytest.mark.parametrize(
    ("topics", "error", "written"), [(13.46, None, "13"), (13.46, 0.001, "13"), (13.46, 1.0, "13"), (13.46, 10.0, "10")]
)
def test_a_small_error_adds_no_digit(topics, error, written):
    """Topics are whole: what is nearest is written, and not what is nearest to a rounded number."""
    assert topic_count(topics, error) == written


def test_rates_stand_in_the_order_of_the_metrics():
    """As they were named, and not by the alphabet."""
    frame = pd.DataFrame({"metric": ["P@10", "AP"] * 2, "tolerance": 0.1, "size": [5, 5, 6, 6], "rate": [1, 2, 3, 4]})
    wide = _by_topic_set_size(frame, "rate")
    assert wide.index.get_level_values("metric").tolist() == ["P@10", "AP"]
    assert wide.to_numpy().tolist() == [[1, 3], [2, 4]]


def test_one_metric_in_one_sentence():
    """The first sentence says how many topics keep the error within the limit, with the interval."""
    study = study_topics(simulated_scores(1, metrics=["AP"]), tolerances=[0], n_trials=10, rng=0)
    (row,) = study.posterior.minimum_topics(errors=True).to_dict("records")
    low, median, high = (topic_count(row[name], row[f"{name}_error"]) for name in ("low", "median", "high"))
    assert topics_report(study).summary[0] == (
        f"{median} [{low}, {high}] (90 % interval) topics keep the disagreement of two topic sets within 5 % under AP; "
        f"there are {study.error_rates.n_topics}."
    )


def test_of_equal_systems_no_number_is_named():
    """The interval reaches beyond a hundred times the topics at hand, so the first sentence has no number of topics."""
    scores = as_scores(0.5 + np.random.default_rng(31).normal(0, 0.12, (1, 12, 40)), metrics=["AP"])
    study = study_topics(scores, tolerances=[0], n_trials=10, rng=0)
    assert study.posterior.minimum_topics()["high"].item() > 100 * 40
    assert topics_report(study).summary[0] == (
        "No number of topics can be named that keeps the disagreement of two topic sets within 5 % under AP: "
        "its interval reaches beyond a hundred times the 40 at hand."
    )


def test_many_metrics_are_summed_up_by_the_two_ends():
    """The sentence has those that need least and most, several by their number; the key figures name them."""
    study = study_topics(simulated_scores(5), sizes=[5, 7, 10], tolerances=[0.1], n_trials=10, bayesian=False, rng=0)
    needed, page = study.to_frame().set_index("metric")["n_topics"], topics_report(study)
    few, many = (int((needed == size).sum()) for size in (7, 10))
    assert page.summary[0].startswith(f"From 7 topics ({few} metrics) to 10 ({many} metrics) keep ")
    for row in page.key_figures.cells():
        assert row[1].text == f"{needed[row[0].text]:.0f}"


def test_the_folder_is_written_whole(study, tmp_path):
    """Page, tables, figures and data are there; a saved posterior reloads to the same numbers."""
    assert "posterior.nc" not in study.report().data
    index = study.report(posterior=True).save(tmp_path / "out")
    folder = index.parent
    assert {path.name for path in folder.iterdir()} == {"index.html", "tables", "figures", "data", "provenance.json"}
    again = BayesianErrorRate.load(folder / "data" / "posterior.nc")
    pd.testing.assert_frame_equal(again.minimum_topics(), study.posterior.minimum_topics())
    rates = pd.read_csv(folder / "data" / "error_rates.csv")
    assert (rates["swaps"].to_numpy() == study.error_rates.to_frame()["swaps"].to_numpy()).all()
    assert json.loads((folder / "provenance.json").read_text())["schema"] == "metaeval/4"


def test_without_a_model_the_page_stands(words_of):
    """One metric and no model: counts as observed are the answer, no section compares metrics, the curve is named."""
    study = study_topics(
        simulated_scores(1), tolerances=[0, 0.2], n_trials=5, bayesian=False, n_topic_resamples=0, rng=0
    )
    page = topics_report(study)
    assert {"fewer", "compared"}.isdisjoint(section.id for section in page.sections)
    assert page.main_table().name == "minimum_topics"
    assert page.summary[0].endswith(", as observed.")
    assert "they have no interval" in page.summary[1]
    assert [section.id for section in page.sections if section.brief] == ["topics"]
    assert "Lines, one per tolerance: the " in words_of(page, drawn=True)


def test_what_cannot_be_estimated_is_said(words_of):
    """Systems that never swap: the page says that no curve can be estimated, and why; the model's answer stands."""
    study = study_topics(simulated_scores(noise=0.001), tolerances=[0], n_trials=5, rng=0)
    words = words_of(topics_report(study), drawn=True)
    assert "This cannot be estimated" in words
    assert "Fewer than 5 topics, under every metric, keep" in words
    assert "nan" not in words.casefold().split()


def test_one_size_and_absolute_tolerances(words_of):
    """A single size has rates and bins but no curve; tolerances are in the metric's unit."""
    study = study_topics(
        simulated_scores(),
        sizes=[10],
        tolerances=[0, 0.05],
        tolerance_unit="absolute",
        n_trials=5,
        n_topic_resamples=0,
        rng=0,
    )
    page = topics_report(study)
    assert [row[1].text for row in page.main_table().cells()] == ["0", "0.05"] * 2
    words = words_of(page, drawn=True)
    assert "no curve can be evaluated" in words
    assert "in the metric's own unit" in words


@pytest.mark.parametrize("sampling", ["overlapping", "bootstrap"])
def test_other_sampling_says_what_the_error_is(sampling, words_of):
    """Overlapping sets give a lower bound, and the page says how sets were drawn."""
    study = study_topics(
        simulated_scores(), sizes=[5, 10, 20, 30], tolerances=[0], sampling=sampling, n_trials=5, rng=0
    )
    words = words_of(topics_report(study))
    assert ("if anything, understated" in words) == (sampling == "overlapping")
    assert "overstated" not in words


def test_summary_and_section_do_not_contradict():
    """The summary has the least of its table; the section, the most probable metric, which is open against that."""
    study = study_topics(simulated_scores(5), tolerances=[0.0, 0.1], n_trials=5, rng=0)
    page = topics_report(study)
    sentences = [item.words for item in next(part for part in page.sections if part.id == "fewer").blocks[0].items]
    for tolerance, sentence in zip((0.0, 0.1), sentences, strict=True):
        (best,), others = fewest(study, tolerance)
        assert re.search(rf": {best}( most probably)? needs fewest,", sentence)
        if tolerance == 0.0:
            lowest = re.search(r"^From .*?] \(90 % interval\) topics \((.+?)\) to ", page.summary[0])[1]
            assert lowest == study.to_frame().query("tolerance == 0").set_index("metric")["posterior_median"].idxmin()
            assert lowest == best or others[lowest] < 0.95
        assert bool(len(others.index[others < 0.95])) == ("inconclusive against" in sentence)


def test_ties_are_counted_in_one_way_on_the_whole_page(study, words_of):
    """Wherever an error rate stands one sentence says how ties count, and none where there is no tie."""
    assert "xact ties" not in words_of(topics_report(study))
    coarse = study_topics(simulated_scores(1).round(1), sizes=[5, 10], tolerances=[0], n_trials=5, rng=0)
    assert words_of(topics_report(coarse)).count(ties_counted(coarse).strip()) >= 2


def test_web_2013_in_words(data_folder):
    """On Web 2013, AP needs fewest topics of AP and RR at a tolerance of 10 %, and the page says so."""
    folder = data_folder / "trec-matrices"
    scores = {name: pd.read_csv(folder / f"web2013_{name.lower()}.csv") for name in ("AP", "RR")}
    study = study_topics(scores, tolerances=[0.1], bayesian=False, n_topic_resamples=0, rng=0)
    counts = study.to_frame().set_index("metric")
    assert counts["kind"]["AP"] == "observed"
    needed = counts["n_topics"]
    first = topics_report(study).summary[0]
    assert first.startswith(f"From {needed['AP']:.0f} topics (AP) to about {needed['RR']:.0f} (RR) keep ")


def test_notes_of_a_lead_end_where_its_line_does():
    """With a limit past the topics at hand the model has no rate with a lead there, and no other curve takes over."""
    study = study_topics(simulated_scores(metrics=["A", "B"]), tolerances=[0, 0.1], limit=100, n_trials=20, rng=7)
    names = ["0 %", "10 %"]
    figure = figures.error_panels(study.curves(), tolerances=names, max_error=0.05, seen_to=20)
    ends = [max(one.x) for one in marks_of(figure)]
    lines = [line.get_xydata() for axes in figure.axes for line in axes.lines if line.get_linestyle() != "None"]
    drawn = [one[np.isfinite(one).all(axis=1), 0].max() for one in lines if len(one) > 2]
    assert ends == [100, 40, 100, 40]
    assert set(drawn) == {20, 40, 100}


@pytest.mark.parametrize(("max_error", "word"), [(0.45, "Yes"), (0.01, "No")])
@pytest.mark.parametrize("bayesian", [True, False])
def test_sizes_that_were_named_are_answered_first(max_error, word, bayesian):
    """Of 10 and 20 topics the rates are those of the study: of a limit far above them yes, of one far below no."""
    options = {"n_trials": 10, "max_error": max_error, "bayesian": bayesian, "tolerances": [0], "rng": 1}
    study = study_topics(simulated_scores(1), sizes=[10, 20], **options)
    first = topics_report(study).summary[0]
    rates = study.error_rates.to_frame().set_index("size")["error_rate"]
    if bayesian:
        rates = study.rates_at([10, 20]).set_index("size")["rate"]
    said = re.match(rf"{word}: two sets of 20 topics disagree about ([\d.]+) %.*\(of 10 about ([\d.]+) %\)\. ?", first)
    assert [float(figure) for figure in said.groups()] == pytest.approx([100 * rates[20], 100 * rates[10]], abs=0.6)
    assert ("interval" in said[0], "as observed" in said[0]) == (bayesian, not bayesian)
    ranged = topics_report(study_topics(simulated_scores(1), sizes=[5, 10, 15, 20], **options)).summary[0]
    assert "two sets of" not in ranged
