# ruff: noqa: RUF001 - signs that are meant for people
"""What a notebook shows of every public result: a sentence, a table of few rows, a picture; and no name does harm."""

import base64
import importlib.util
import inspect
import io
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import metaeval
from metaeval import agreement, inex, models, resampling, simulate, studies, tests_stat
from metaeval.base.results import Result
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.figures.style import figure_png
from metaeval.models.design_effect import design_effect
from metaeval.page.notebook import report_html
from metaeval.reports.table import table_report
from metaeval.resampling.judge_conclusions import judge_conclusions

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),  # so little data reaches no level
]

SCRIPT, MARKUP = '<script>alert("x")</script>', "</td></table><img src=x onerror=alert(1)> & b's 日本語 🙂"
VOID = {"img"}
PLAIN = {*["div", "p", "b", "small", "table", "caption", "thead", "tbody", "tr", "th", "td", "sup", "img", "pre"]}


def _scores(n_systems=6, n_topics=30, metrics=("AP", "nDCG@10", "RR"), **options):
    """Return simulated scores of systems whose names could do harm, the first metric too."""
    made = metaeval.simulate_scores(n_systems=n_systems, n_topics=n_topics, metrics=list(metrics), rng=1, **options)
    systems = [f"{(SCRIPT, MARKUP)[place % 2]} {place}" for place in range(n_systems)]
    return made.assign_coords(system=systems, metric=[SCRIPT, *metrics[1:]])


SCORES = _scores()
ITEMS = agreement.item_scores(
    SCORES.to_series().unstack("metric").reset_index(),  # noqa: PD010 - nothing to aggregate
    reference="RR",
    item="topic",
    system="system",
)
LABELS = agreement.as_labels(
    {
        name: {topic: {f"d{one}": (one + place) % 3 > 0 for one in range(6)} for topic in "1234"}
        for place, name in enumerate((SCRIPT, "people", MARKUP))
    }
)
COLLECTION = metaeval.simulate_collection(
    n_groups=3, runs_per_group=2, n_topics=12, n_documents=200, depth=30, pool_depth=10, rng=1
).to_collection(retrieved="all")
SMALL = collection_from_rankings(
    {SCRIPT: {"1": ["d1", "d2", "d3"], "2": ["d4", "d5"]}, MARKUP: {"1": ["d2", "d1"], "2": ["d5", "d6"]}},
    {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d4": 1, "d5": 0, "d6": 0}},
    retrieved="all",
)
GROUPED = SMALL.with_groups({SCRIPT: "one", MARKUP: "two"})
GROUPS = dict.fromkeys(SCORES["system"].to_numpy()[:3], MARKUP)
CAMPAIGN = inex.simulate_inex(n_systems=3, n_topics=3, n_documents=60, n_results=30, rng=1)
SECOND = inex.simulate_inex(year=2007, n_systems=3, n_topics=3, n_documents=60, n_results=30, task="focused", rng=1)
NUMBERS = np.arange(40) % 3
PEOPLE = pd.DataFrame({name: np.where(np.arange(40) % 5 == slip, 0, NUMBERS) for slip, name in enumerate("abc")})
RATES = resampling.swap_method(SCORES, n_trials=20, rng=0)
SCALES = pd.DataFrame(
    {"nist": [0, 0, 0, 1, 1, 2], SCRIPT: [0.5, 1, 1.5, 3.5, 4, 5]},
    index=pd.MultiIndex.from_product([["1"], list("abcdef")], names=["topic", "item"]),
)
REPEATED = np.random.default_rng(1).normal(size=(1, 6, 40, 3))

RESULTS = {
    "AdaptiveDepth": lambda: resampling.adaptive_depth(SMALL, start=1, step=1, pool_depth=3),
    "AgreeStudy": lambda: studies.study_agreement(SCORES, tests=["t"], rng=0),
    "AgreementIntervals": lambda: resampling.agreement_intervals(SCORES, n_resamples=20, n_topic_resamples=5, rng=0),
    "AltTest": lambda: metaeval.alt_test(PEOPLE, pd.Series(NUMBERS, name=SCRIPT)),
    "AssessmentStudy": lambda: metaeval.study_assessments(
        CAMPAIGN.assessments, submissions=CAMPAIGN.submissions, sizes=CAMPAIGN.sizes
    ),
    "Assessments": lambda: CAMPAIGN.assessments,
    "BayesianComparison": lambda: models.bayesian_t(SCORES, rope=0.01),
    "BayesianErrorRate": lambda: models.bayesian_error_rate(SCORES, draws=20, rng=0),
    "BestSystem": lambda: models.best_system(SCORES, n_draws=12, n_resamples=50, rng=0),
    "Collection": lambda: SMALL,
    "CollectionStatistics": SMALL.statistics,
    "CompareStudy": lambda: studies.study_comparison(
        SCORES, collection=None, test="t", topics=False, n_topic_resamples=20, rng=0
    ),
    "CurveComparison": lambda: models.compare_curves(RATES),
    "DecisionAgreement": lambda: agreement.decision_agreement(SCORES, test="t", rng=0),
    "DesignEffect": lambda: design_effect(_scores(n_topics=60, n_clusters=15)),
    "DesignStudy": lambda: studies.study_design(SCORES, differences=[0.1]),
    "DetectableDifferences": lambda: models.detectable_differences(SCORES),
    "DifferenceBins": lambda: resampling.difference_bins(SCORES, n_trials=5, rng=0),
    "ElementCollection": lambda: inex.element_collection(
        CAMPAIGN.submissions, CAMPAIGN.assessments, sizes=CAMPAIGN.sizes
    ),
    "EqualEffort": lambda: resampling.equal_effort(COLLECTION, steps=[50], rng=0),
    "ErrorRates": lambda: RATES,
    "ExponentialFit": lambda: models.fit_exponential([5, 10, 20], [0.2, 0.1, 0.025]),
    "FavouredGroups": lambda: agreement.favoured_groups(SCORES, GROUPS, reference="RR"),
    "GroupsLeftOut": lambda: resampling.leave_group_out(GROUPED, ["P@10"], pool_depth=2),
    "HumanAgreement": lambda: agreement.human_agreement(ITEMS, reference="RR", n_resamples=50, rng=0),
    "HumanStudy": lambda: studies.study_human(ITEMS, reference="RR", test="t", n_resamples=50, rng=0),
    "ItemAnalysis": lambda: agreement.analyse_items(SCORES),
    "JudgeConclusions": lambda: judge_conclusions(SCORES, reference="RR", n_resamples=20, rng=0),
    "JudgeInput": lambda: metaeval.io.JudgeInput(
        labels=LABELS.table, annotations={}, assessments={}, scores={}, files=(SCRIPT,)
    ),
    "JudgeRanking": lambda: agreement.rank_judges(LABELS, reference="people", n_resamples=50, rng=0),
    "JudgeRepeats": lambda: models.judge_repeats(REPEATED),
    "JudgeStudy": lambda: studies.study_judges(LABELS, n_resamples=50, rng=0),
    "JudgmentsStudy": lambda: studies.study_judgments(
        COLLECTION, ["AP"], questions=["less-judging"], steps=[50], n_replicates=2, rng=0
    ),
    "LabelAgreement": lambda: agreement.compare_labels(LABELS, n_resamples=50, rng=0),
    "Labels": lambda: LABELS,
    "LeaderboardStudy": lambda: studies.study_leaderboard(_scores(8), n_resamples=50, n_splits=2, rng=0),
    "MetricComparison": lambda: agreement.compare_with_human(ITEMS, reference="RR", n_resamples=50, rng=0),
    "MinimumTopics": lambda: models.minimum_topics(RATES),
    "OriginalPool": lambda: resampling.original_pool(SMALL),
    "PairFamilies": lambda: tests_stat.pair_families(metaeval.compare_systems(SCORES)),
    "PairwiseResult": lambda: metaeval.paired_t_test(SCORES),
    "PassageCollection": lambda: inex.passage_collection(SECOND.submissions, SECOND.assessments),
    "PilotVariance": lambda: models.pilot_variance(SCORES),
    "PoolSufficiency": lambda: resampling.pool_sufficiency(COLLECTION, ["AP"], sizes=[15]),
    "Population": lambda: simulate.simulate_population(n_systems=4, rng=0),
    "PowerIntervals": lambda: resampling.discriminative_power_interval(
        SCORES, n_resamples=20, n_topic_resamples=5, rng=0
    ),
    "PowerStudy": lambda: studies.study_power(SCORES, tests=["t", "bootstrap_sensitivity"], n_resamples=50, rng=0),
    "PredictionPowered": lambda: metaeval.prediction_powered(*_few_by_people()),
    "RankIntervals": lambda: resampling.rank_intervals(SCORES, n_resamples=50, rng=0),
    "Reduced": lambda: resampling.reduce_judgments(COLLECTION, reduction="stratified", steps=[50], rng=0),
    "Registry": metaeval.default_registry,
    "ReliabilityStudy": lambda: studies.study_reliability(CAMPAIGN.assessments),
    "RunChoicePower": lambda: resampling.run_choice_power(SCORES, choose=3, n_resamples=20, rng=0),
    "ScaleMaps": lambda: agreement.map_scales(SCALES, reference="nist"),
    "SecondPeople": lambda: agreement.second_people(LABELS, LABELS.judges, n_choices=2, rng=0),
    "SensitivityResult": lambda: metaeval.bootstrap_sensitivity(SCORES, n_resamples=50, rng=0),
    "Separation": lambda: models.topics_to_separate(SCORES, pairs="top"),
    "SimulatedCollection": lambda: simulate.simulate_collection(
        n_topics=3, n_documents=30, depth=10, pool_depth=5, rng=0
    ),
    "SimulatedInex": lambda: CAMPAIGN,
    "SplitHalves": lambda: resampling.split_half(SCORES, tests=["t"], n_splits=3, rng=0),
    "SplitHalvesStudy": lambda: studies.study_tests(SCORES, tests=["t"], n_splits=3, rng=0),
    "Stability": lambda: resampling.measure_stability(COLLECTION, ["AP"], steps=[50], n_replicates=2, rng=0),
    "Submission": lambda: CAMPAIGN.submissions[0],
    "SubsetComparison": lambda: resampling.compare_subsets(_scores(8), n_splits=2, rng=0),
    "TableStudy": lambda: studies.study_table(SCORES),
    "TopicsStudy": lambda: studies.study_topics(
        SCORES, sizes=[5, 10], tolerances=[0.05], n_trials=3, modelled=[], n_topic_resamples=150, rng=0
    ),
    "TopicsWithJudge": lambda: models.topics_with_judge(*_both(), n_topics=30, n_judged=400),
}
HELD = {
    "MetricVerdict": "a part of what study_comparison finds",
    "ArticlePlaces": "places in one article",
    "EffortPlans": "a part of what study_judgments finds",
    "JudgedCollection": "what collections have in common",
    "PoolRuns": "a part of a collection",
    "Study": "what studies have in common",
}


def _both():
    human = SCORES.isel(metric=[0])
    return human, SCORES.isel(metric=[1])


def _few_by_people():
    human, judge = _both()
    return human.isel(topic=slice(12)), judge


def _classes():
    """Return all public results."""
    chapters = [getattr(metaeval, name) for name in metaeval.__all__ if inspect.ismodule(getattr(metaeval, name))]
    found = [getattr(place, name) for place in (metaeval, *chapters) for name in place.__all__]
    return [one for one in found if inspect.isclass(one) and issubclass(one, Result)]


def test_every_public_result_is_held_to_the_law():
    """A new result class enters the table above, or the reason why it is shown by another one."""
    assert {one.__name__ for one in _classes()} == {*RESULTS} | {*HELD}


class Shown(HTMLParser):
    """What a piece of HTML consists of; every element is closed by its own name."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.text, self.rows = [], [], [], 0
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        """Note an element."""
        self.tags.append((tag, dict(attributes)))
        self.rows += tag == "tr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        """Close the element that was opened last, and no other."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Keep what is read."""
        self.text.append(data)


def _displayed(result):
    """Return what a notebook shows of a result, by IPython's own choice where it is installed."""
    if importlib.util.find_spec("IPython") is None:
        return {"text/html": result._repr_html_(), "text/plain": repr(result)}
    return importlib.import_module("IPython.core.formatters").DisplayFormatter().format(result)[0]


@pytest.mark.parametrize("name", sorted({*RESULTS} - {*HELD}))
def test_every_result_shows_itself(name):
    """A sentence, a table of at most ten rows and a picture where there is one; names stay text; the repr is short."""
    result = RESULTS[name]()
    assert type(result).__name__ == name
    displayed = _displayed(result)
    html, plain = displayed["text/html"], displayed["text/plain"]
    assert html.startswith('<div class="metaeval">')
    assert plain.startswith(f"{name}:")
    assert len(plain) <= 2000
    shown = Shown(html)
    images = [found for tag, found in shown.tags if tag == "img"]
    assert {tag for tag, _ in shown.tags} <= PLAIN
    assert all(set(found) == {"alt", "width", "src"} for found in images)
    assert not any(key.startswith("on") for _, found in shown.tags for key in found)
    assert html.count("<p>") <= 2
    assert shown.rows <= 13  # ten, and two lines of heads
    assert len(images) == hasattr(result, "plot")
    assert len(html) < 120_000
    for found in images:
        picture = Image.open(io.BytesIO(base64.b64decode(found["src"].removeprefix("data:image/png;base64,"))))
        assert 300 < int(found["width"]) < 1000
        assert 1.0 < picture.width / int(found["width"]) < 1.58
        assert picture.width * picture.height < 1_300_000


PLOTS = {
    *("AgreementIntervals", "AltTest", "BayesianComparison", "BayesianErrorRate", "BestSystem", "DecisionAgreement"),
    *(
        "DifferenceBins",
        "ErrorRates",
        "FavouredGroups",
        "HumanAgreement",
        "JudgeConclusions",
        "JudgeRanking",
        "LabelAgreement",
    ),
    *("MetricComparison", "PairwiseResult", "PowerIntervals", "PredictionPowered", "RankIntervals", "RunChoicePower"),
    *("SensitivityResult", "SplitHalves", "Stability"),
}


def test_what_can_be_drawn():
    """Power, topics, agreement, error rates, judges and leaderboards have a picture, and every study has."""
    drawn = {one.__name__ for one in _classes() if hasattr(one, "plot") and not issubclass(one, studies.Study)}
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


@pytest.mark.parametrize("kind", ["CompareStudy", "JudgmentsStudy"])
def test_studies_with_a_picture_of_their_own_draw_the_others_too(kind):
    """`plot(name)` means the same everywhere."""
    found = RESULTS[kind]()
    last = found.report().pictures()[-1]
    assert figure_png(found.plot(last.name)) == figure_png(last.draw())
    assert figure_png(found.plot()).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("kind", "named", "words"),
    [
        ("BestSystem", "RR", "chance to be the best under RR"),
        ("DecisionAgreement", "tau", "nDCG@10"),
        ("SplitHalves", "none", "pairs rejected"),
    ],
)
def test_a_picture_can_be_asked_for_by_name(kind, named, words):
    """A metric, a measure or a correction; one that there is not is refused."""
    plot = RESULTS[kind]().plot
    assert any(words in text.get_text() for text in plot(named).findobj(Text))
    with pytest.raises(InvalidOptionError):
        plot("no such")


def test_error_rates_are_drawn_in_the_unit_of_their_tolerances():
    """A share of the mean in percent, else the metric's own unit."""
    absolute = resampling.swap_method(SCORES, n_trials=5, tolerances=[0.02], tolerance_unit="absolute", rng=0)
    assert "tolerance 0.02" in {text.get_text() for text in absolute.plot().findobj(Text)}
    assert "tolerance 5 %" in {text.get_text() for text in RATES.plot().findobj(Text)}


def test_levels_of_agreement_stand_apart():
    """Rows of two levels of significance have a head each, and least agreement stands first."""
    found = resampling.agreement_intervals(SCORES, alphas=[0.05, 0.2], n_topic_resamples=5, rng=0)
    words = [text.get_text() for text in found.plot().findobj(Text)]
    assert {"alpha = 0.05", "alpha = 0.2", "nDCG@10 and RR"} <= set(words)


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
    text = "".join(Shown(report_html(report)).text)
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
    html = labels._repr_html_()
    found = [part.partition("</td>")[0].partition(">")[2] for part in html.split("<td")[1:]]
    assert [one.replace("&lt;", "<") for one in found] == cells
    assert ("The first" in html) is False


def test_only_the_first_rows_and_columns_are_shown():
    """Ten rows and twelve columns; the caption says how many more there are."""
    frame = pd.DataFrame(np.zeros((1234, 15)), columns=[f"c{place}" for place in range(15)])
    html = agreement.Labels(table=frame, scale=(0, 1), outside=pd.DataFrame(), notes=())._repr_html_()
    assert "The first 10 of 1,234 rows. 3 more columns are not shown." in html
    assert Shown(html).rows == 11
