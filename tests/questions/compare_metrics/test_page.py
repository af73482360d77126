# ruff: noqa: RUF001 - Greek letters and dashes are what people see
"""The report of a comparison of metrics: its numbers are the study's, and its methods say how they came about."""

import importlib.util
import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from metaeval.base.bibliography import PUBLICATIONS
from metaeval.base.words import carried, number
from metaeval.metrics.scoring import score
from metaeval.page.blocks import Fold
from metaeval.questions.compare_metrics.page_findings import _chance_sentence, agreement_sentence, limits_section
from metaeval.questions.compare_metrics.study import CompareStudy, study_compare_metrics
from metaeval.questions.topics.page_words import drawn_chance, topic_count
from metaeval.simulate.collection import simulate_collection
from metaeval.table.scores import as_scores
from metaeval.testing import examine_metric
from metaeval.testing.expected import Outcome

pytestmark = pytest.mark.usefixtures("one_core")

QUICK = {"n_resamples": 100, "n_topic_resamples": 20, "n_choices": 20, "n_replicates": 2, "rng": 5}


@pytest.fixture(scope="module")
def study():
    """Compare three metrics of the runs of a small collection, the second one in use."""
    made = simulate_collection(n_groups=4, runs_per_group=2, n_topics=24, n_documents=400, depth=60, rng=2)
    collection = made.to_collection()
    scores = score(collection, ["AP", "P@10", "RR"])
    return study_compare_metrics(scores, current="P@10", collection=collection, max_error=0.1, **QUICK)


@pytest.fixture(scope="module")
def plain():
    """Compare two metrics that nobody can compute, from a table of scores, one turned against the other."""
    values = np.random.default_rng(3).normal(0, 0.2, (1, 5, 16)) + np.arange(5)[:, None]
    turned = as_scores(np.concatenate([values, -values]), metrics=["mine", "yours"])
    return study_compare_metrics(turned, current="mine", topics=False, test="sign", **QUICK)


@pytest.fixture(scope="module")
def page(study):
    """Put the first on a page."""
    return study.report()


@pytest.fixture(scope="module")
def plain_page(plain):
    """Put the second on a page."""
    return plain.report()


def table_of(report, name):
    """Return the table of a report with this name."""
    (found,) = [table for table in report.tables() if table.name == name]
    return found


def test_the_table_puts_every_figure_with_its_interval(study, page):
    """Power, topics needed, τ and F1 are the study's, as people write them."""
    frame, table = study.to_frame(), table_of(page, "metrics")
    assert table.data is not None
    assert table.data.equals(frame)
    labels = [column.label for column in table.columns]
    for row, cells in zip(frame.to_dict("records"), table.cells(), strict=True):
        shown = dict(zip(labels, [cell.text for cell in cells], strict=True))
        assert shown["Metric"] == row["metric"] + " (in use)" * row["in_use"]
        assert shown["Power, uncorrected"] == f"{100 * row['power']:.1f} %"
        error = study.topics_errors()["median_error"][row["metric"]]
        assert shown["Topics needed"] == topic_count(row["topics_median"], error)
        assert float(shown["τ, half judged"]) == pytest.approx(row["tau_half"], abs=0.05)
        assert shown["F1 with P@10"] == ("–" if row["in_use"] else f"{row['f1']:.3f}")


def test_topics_needed_have_one_estimate(study, page):
    """The posterior median stands in the key figures and the tables; the curve is a check in a fold."""
    figures = {cells[0].text.removesuffix(" (in use)"): cells for cells in page.key_figures.cells()}
    place = [column.label for column in page.key_figures.columns].index("Topics needed")
    section = next(section for section in page.sections if section.id == "topics")
    needed, check = section.blocks
    counts, errors = study.topics.to_frame().set_index("metric"), study.topics_errors()
    for cells in needed.cells():
        row, own = counts.loc[cells[0].text], errors.loc[cells[0].text]
        median, low, high = (topic_count(own[name], own[f"{name}_error"]) for name in ("median", "low", "high"))
        assert cells[1].text == median
        assert cells[2].text == f"{low} to {high}"
        assert cells[3].text == drawn_chance(row["p_enough"]), "as the report on topics writes it"
    assert isinstance(check, Fold)
    assert [cells[1].text for cells in check.blocks[0].cells()] == counts["text"].tolist()
    assert "check" in check.blocks[0].caption
    for name, cells in figures.items():
        own = errors.loc[name]
        median, low, high = (topic_count(own[one], own[f"{one}_error"]) for one in ("median", "low", "high"))
        assert [cell.text for cell in cells[place : place + 2]] == [median, f"{low} to {high}"]
    assert set(figures) == set(study.metrics)


def test_powers_and_differences_name_their_test_and_draws(study, page):
    """A power says whether it is corrected, an interval its resamples, a difference required its B."""
    resamples = f"{study.power.n_topic_resamples} resamples"
    side = table_of(page, "metrics")
    names = {f"Power, {name}" for name in ("uncorrected", "Benjamini–Hochberg", "Benjamini–Yekutieli")}
    assert names <= {column.label for column in side.columns}
    assert resamples in side.caption
    assert "median of the posterior and its interval" in side.caption
    assert f"B = {study.sensitivity.n_resamples}" in table_of(page, "difference-required").caption
    assert all("uncorrected" in p.title for p in page.pictures() if p.name == "power")


def test_limits_name_only_what_the_page_has(study):
    """A figure that this page lacks needs no reason for having no interval."""
    bare = replace(study, stability=None, heaviness=None)
    without, every = (
        " ".join(item.words for item in limits_section(one).blocks[-1].blocks[0].items) for one in (bare, study)
    )
    assert "judgments that keep" not in without
    assert "half the score" not in without
    assert "judgments that keep" in every


def test_a_count_without_posterior_is_missing_rather_than_that_of_the_curve(study, monkeypatch):
    """What the model does not know is not filled from another estimate of the same thing."""
    frame = study.to_frame()
    frame.loc[0, ["topics_median", "topics_low", "topics_high"]] = np.nan
    monkeypatch.setattr(CompareStudy, "to_frame", lambda _: frame)
    report = study.report()
    for table in (table_of(report, "metrics"), report.key_figures):
        place = [column.label for column in table.columns].index("Topics needed")
        (row,) = [cells for cells in table.cells() if cells[0].text.startswith(frame["metric"].iloc[0])]
        assert [cell.text for cell in row[place : place + 2]] == ["–", "–"]


RIGHT = ", and power does not say which metric is right."
LITTLE = f"; only power was tried{RIGHT}"


@cache
def _study_of(*powers, current=None):
    """Return a study in which a metric separates as many systems as it has large differences between them."""
    draw = np.random.default_rng(8)
    values = [np.linspace(0, reach, 9)[:, None] + draw.normal(0, 1, (9, 40)) for reach in powers]
    scores = as_scores(np.stack(values), metrics=list("ABCDEF")[: len(powers)])
    return study_compare_metrics(scores, current=current, topics=False, **QUICK)


@cache
def _page_of(*powers, current=None):
    """Return its report."""
    return _study_of(*powers, current=current).report()


@pytest.mark.parametrize(
    ("powers", "current", "begins"),
    [
        (
            (0.5, 6.0),
            "A",
            f"Adopt B: better than A in power{LITTLE}",
        ),
        (
            (6.0, 0.5, 0.7),
            "A",
            f"Keep A: better than every candidate in power{LITTLE}",
        ),
        (
            (2.0, 2.5),
            "A",
            "No reason to change from A: B comes nearest, better in power, with probability ",
        ),
        (
            (2.0, 2.0),
            "A",
            "No reason to change from A: B comes nearest, without more power than A.",
        ),
        (
            (6.0, 0.5, 6.0),
            "A",
            "No reason to change from A: C comes nearest, without more power than A.",
        ),
        (
            (0.5, 6.0, 0.7),
            None,
            f"Adopt B: better than every other metric in power{LITTLE}",
        ),
        ((2.0, 2.0), None, "No metric is conclusively the best: A comes nearest, better than B in power, "),
        ((0.3, 0.3, 6.0, 6.0), None, "No metric is conclusively the best: D comes nearest, better than C in power, "),
    ],
)
def test_the_first_sentence_is_the_verdict(powers, current, begins):
    """Adopt, keep, or no reason to, with what is sure of it; the first metric is not kept for standing first."""
    assert _page_of(*powers, current=current).summary[0].startswith(begins)


def test_the_second_paragraph_says_whether_the_lead_rests_on_a_topic():
    assert (
        _page_of(0.5, 6.0, current="A")
        .summary[1]
        .startswith("B finds more significant pairs than A without any one topic too, and without any two of the three")
    )


@pytest.mark.parametrize("errors_from_even", [0.5, 1.5, 2.5])
def test_a_probability_near_one_half_for_its_error_is_not_quoted(errors_from_even, monkeypatch):
    """Neither in the first sentence nor in those that follow: within two errors the draws leave it open."""
    study = _study_of(2.0, 2.5, current="A")
    p = study.verdict().to_frame().query("metric == 'B' and quality == 'power'")["p_better"].iloc[0]
    monkeypatch.setattr(CompareStudy, "probability_error", lambda *_: abs(p - 0.5) / errors_from_even)
    told = errors_from_even > 2
    first = study.report().summary[0]
    assert ("with probability" in first) == told
    assert ("the draws leave open how probable that is" in first) != told


def test_the_first_sentence_says_where_other_systems_could_turn_it(contradictions, monkeypatch):
    """It is sure over topics; where the interval over systems holds zero it says so, and silence is a contradiction."""
    study = _study_of(0.5, 6.0, current="A")
    (row,) = study.power_differences().to_dict("records")
    turned = pd.DataFrame([row | {"systems_low": -0.31, "systems_high": 0.03}])
    assert row["systems_high"] < 0
    assert "other systems" not in " ".join(_page_of(0.5, 6.0, current="A").summary[:2])
    monkeypatch.setattr(CompareStudy, "power_differences", lambda _: turned)
    report = study.report()
    first, more, _ = report.summary
    assert more.endswith("What users expect could not be tried on B.")
    assert first == f"Adopt B: better than A in power, though not surely on other systems{LITTLE}"
    assert re.search(r"On other systems its lead in power could reverse: over A: −3\.?\d* to 31", more)
    assert contradictions(study, report) == []
    assert contradictions(study, replace(report, summary=(first,)))


def test_the_lead_whose_chance_is_told_is_named():
    """Beside a chance stands the lead of the least sure comparison, which need not be the smallest: C here, not B."""
    rows = [
        {"against": "B", "difference": 0.3, "low": 0.25, "high": 0.35, "chance": 1.0, "detectable": 0.1},
        {"against": "C", "difference": 0.4, "low": 0.05, "high": 0.75, "chance": 0.9, "detectable": 0.3},
    ]
    said = _chance_sentence(SimpleNamespace(confidence_level=0.95), pd.DataFrame(rows))
    assert "the least sure of these leads, 40.0 points over C (95 % interval 5.0 to 75.0)," in said
    assert "smallest" not in said


def test_a_metric_that_contradicts_the_other_is_not_recommended():
    """By hand: A puts nine systems in one order, B in the other, each nearly the same on every topic.

    B finds all 36 pairs, and turns round each pair of systems that A finds, whatever the expectations that A meets.
    """
    draw = np.random.default_rng(8)
    steps = np.linspace(0, 1, 9)[:, None]
    values = np.stack([steps + draw.normal(0, 1, (9, 40)), -steps + draw.normal(0, 0.01, (9, 40))])
    scores = as_scores(values, metrics=["A", "B"])
    study = study_compare_metrics(scores, topics=False, **QUICK)
    agreed = study.against_each_other().set_index(["predictor", "truth"]).loc[("B", "A")]
    assert agreed["n_conflicts"] == agreed["n_truth"] > 0
    n = agreed["n_truth"]
    words = f"B has more power than A, but contradicts {n} of the {n} significant pairs of A"
    for tried in (study, replace(study, expectations=_expecting(A="met"))):
        said = tried.report().summary[0]
        assert said == (
            f"No metric is conclusively the best: {words}, and power does not say which is right; only power was tried."
        )
    used = study_compare_metrics(scores, current="A", topics=False, **QUICK)
    assert used.verdict().outcome == "open"
    assert used.report().summary[0].startswith(f"No reason to change from A: {words}")
    assert "beside their differences between systems, which need not be of quality: B;" in " ".join(study.notes)
    assert "hardly vary" not in " ".join(_study_of(2.0, 2.5, current="A").notes)


def test_what_was_tried_on_the_other_metric_alone_leaves_the_caveat():
    """B has more power and A alone has lists: expectations of A say nothing of B."""
    study = replace(_study_of(0.5, 6.0, current="A"), expectations=_expecting(A="met"))
    assert study.report().summary[0] == f"Adopt B: better than A in power{LITTLE}"


def _expecting(**states):
    """Return outcomes of one expectation."""
    rows = [(name, "copies", "Fewer copies score more", state, 1.0, 1.0, "") for name, state in states.items()]
    return pd.DataFrame(rows, columns=["metric", *Outcome._fields])


@pytest.mark.parametrize(
    ("states", "first", "third"),
    [
        (
            {"A": "met", "B": "met"},
            f"Adopt B: better than A in power{RIGHT}",
            "B meets every expectation of users that was",
        ),
        ({"A": "met", "B": "not noticed"}, "Adopt B: better", "B fails 1 expectation of users: copies (not noticed)."),
        ({"A": "broken", "B": "broken"}, "Adopt B: better", "B fails 1 expectation of users: copies (broken)."),
        (
            {"A": "met", "B": "broken"},
            "No reason to change from A: B would be better than A, but breaks an expectation of users.",
            "B fails 1 expectation of users: copies (broken).",
        ),
    ],
)
def test_power_alone_recommends_no_metric(states, first, third):
    """What users expect is said beside the recommendation, and what a metric alone breaks stops it."""
    study = replace(_study_of(0.5, 6.0, current="A"), expectations=_expecting(**states))
    said = study.report().summary
    assert said[0].startswith(first)
    assert third in said[-2]


def test_expectations_are_those_of_check_metric(study, page):
    """One quantity has one value, whatever command asks; a measure of elements is tried on six runs too."""
    found = table_of(page, "expectations-found").frame
    own = pd.concat([examine_metric(name, n_collections=1).to_frame() for name in found["metric"].unique()])
    own = own[own["kind"] == "expectation"].rename(columns={"name": "expected"})
    columns = ["metric", "expected", "state", "found", "better", "worse"]
    pd.testing.assert_frame_equal(found[columns], own[columns].reset_index(drop=True), check_dtype=False)
    counts = study.to_frame().set_index("metric")[["expectations_met", "expectations_tried"]]
    assert counts.loc["RR"].tolist() == [0, 3]
    place = [column.label for column in page.key_figures.columns].index("Expectations met")
    assert {row[place].text for row in page.key_figures.cells()} == {"3 of 3", "0 of 3"}


@pytest.mark.parametrize("reach", [2.0, 0.0])
def test_a_tie_is_told_as_one_in_every_order(reach):
    """Equal metrics have the same power, and none of them comes nearest, whichever stands first."""
    values = reach * np.random.default_rng(8).normal(np.linspace(0, 1, 9)[:, None], 1, (9, 40))
    equal = as_scores(np.stack([values] * 3), metrics=list("ABC"))
    for current in (None, "A"):
        pages = [
            study_compare_metrics(equal.sel(metric=list(order)), current=current, topics=False, **QUICK)
            .report()
            .summary
            for order in ("ABC", "CAB")
        ]
        assert pages[0] == pages[1]
        assert pages[0][0].endswith(": A, B and C are equal in power.")


def test_the_order_of_the_metrics_changes_nothing():
    """The verdict and its sentence are those of the metrics, wherever they stand."""
    scores = _study_of(2.0, 6.0, 0.5).scores
    for order in (["B", "C", "A"], ["C", "B", "A"]):
        for current in (None, "A"):
            turned = study_compare_metrics(scores.sel(metric=order), current=current, topics=False, **QUICK)
            assert turned.report().summary[0] == _page_of(2.0, 6.0, 0.5, current=current).summary[0]


def test_without_a_metric_in_use_nothing_is_compared_with_one():
    """No column, picture or sentence of agreement with a metric that nobody named; every two are compared."""
    study, report = _study_of(2.0, 6.0, 0.5), _page_of(2.0, 6.0, 0.5)
    frame = study.to_frame()
    assert {"precision", "recall", "f1", "conflicts"}.isdisjoint(frame)
    assert not frame["in_use"].any()
    assert [picture.name for picture in report.pictures()] == ["power"]
    assert not any("in use" in words for words in (*report.summary, *report.methods.paragraphs))
    agreed = table_of(report, "agreement").frame
    known = study.agreement.to_frame().set_index(["predictor", "truth"])["f1"]
    assert len(agreed) == 3
    for row in agreed.to_dict("records"):
        np.testing.assert_equal(row["f1"], known[row["metric_a"], row["metric_b"]])
    assert len(table_of(report, "power-differences").frame) == 3


def test_differences_are_those_of_the_metric_in_use_first(study, page):
    """The metric in use is always the first; sign, bounds and share are turned with it."""
    every = study.power_differences().set_index(["metric_a", "metric_b"])
    table = table_of(page, "power-against-current").data
    assert table["metric_a"].tolist() == ["P@10", "P@10"]
    assert set(table["metric_b"]) == {"AP", "RR"}
    for row in table.to_dict("records"):
        turned = ("P@10", row["metric_b"]) not in every.index
        known = every.loc[(row["metric_b"], "P@10") if turned else ("P@10", row["metric_b"])]
        sign = -1 if turned else 1
        assert row["difference"] == sign * known["difference"]
        assert sorted([sign * known["low"], sign * known["high"]]) == [row["low"], row["high"]]
        assert sorted([sign * known["systems_low"], sign * known["systems_high"]]) == [
            row["systems_low"],
            row["systems_high"],
        ]
        assert row["first_higher"] == pytest.approx(1 - known["first_higher"] if turned else known["first_higher"])


def test_the_methods_tell_what_was_done_and_list_what_they_cite(study, page):
    """Power and its test, topics, judgments, agreement, zeros and top-heaviness, with sizes and sources."""
    words = " ".join(page.methods.paragraphs)
    for told in (
        "3 metrics (P@10, AP and RR; P@10 is in use) on 8 systems and 24 topics",
        "share of 28 pairs of systems that differ significantly (Sakai, 2006), by the paired t test (Student",
        "20 resamples of the topics, the same for every metric (seed 5)",
        "20 random choices of one system of each group",
        "bootstrap sensitivity method with B = 100",
        "those significant under P@10",
        "(paired t test, two-sided, Benjamini–Yekutieli, α = 0.05)",
        "keeps it within 10 % is the median of the posterior",
        "to 10, 30, 50, 70 and 90 % (Sakai and Kando, 2008), 2 times each",
        "Zero scores are counted",
        "with 10 and 100 relevant documents",
        f"metaeval {study.provenance.versions['metaeval']}",
    ):
        assert told in words
    cited = set(re.findall(r"[A-Z]\w+(?: and [A-Z]\w+)?, (?:19|20)\d\d", words))
    assert cited == {PUBLICATIONS[key].cited for key in page.methods.cite}
    assert {"Voorhees and Buckley, 2002", "Ogilvie and Lalmas, 2006"} <= cited


def test_the_methods_tell_no_more_than_was_done(plain_page):
    """Without topics, runs and computable metrics there is nothing about them, and nothing cited for them."""
    words = " ".join(plain_page.methods.paragraphs)
    assert "the sign test" in words
    for absent in ("Voorhees", "Judgments were reduced", "Top-heaviness"):
        assert absent not in words
    assert "Voorhees and Buckley, 2002" not in {PUBLICATIONS[key].cited for key in plain_page.methods.cite}
    assert {"topics", "robustness", "top-heaviness"}.isdisjoint(section.id for section in plain_page.sections)


def test_conflicts_and_what_is_not_known_are_named(plain, plain_page):
    """Pairs in opposite directions have a table, and what could not be found out stands under the limits."""
    assert len(table_of(plain_page, "conflicts").frame) == 10
    (agreement,) = (section for section in plain_page.sections if section.id == "agreement")
    assert "10 pairs of systems are significant in opposite directions" in agreement.blocks[0].paragraphs[0]
    (limits,) = (section for section in plain_page.sections if section.id == "limits")
    known = [item.words for item in limits.blocks[0].items if item.term == "Not known"]
    assert [words.split(":")[0] for words in known] == list(plain.unknown)


def test_choices_are_of_half_the_systems_and_figures_carry_their_error(plain, plain_page):
    """Of five systems without groups two are chosen; a difference required stands with what B leaves open."""
    assert plain.choice.n_systems == 2
    assert f"of {plain.choice.n_choices} choices of 2 systems;" in table_of(plain_page, "power-differences").caption
    required, errors = plain.sensitivity.summary(), plain.sensitivity.required_errors()
    written = [cell.text for cell in table_of(plain_page, "difference-required").cells()[0]]
    pairs = zip(required[list(errors)].iloc[0], errors.iloc[0], strict=True)
    assert [carried(*pair, number(3)) for pair in pairs] == written[1:4]


def test_agreement_without_intervals_says_so(plain):
    """A column of intervals that are not there says that they are not there."""
    report = replace(plain, agreement_intervals=None).report()
    assert table_of(report, "agreement").frame["f1_interval"].tolist() == ["no interval"]


@pytest.fixture
def contradictions(studies):
    """Return what compares a page's first sentence with its tables (benchmarks/studies/verdict_contradictions.py)."""
    path = studies / "verdict_contradictions.py"
    spec = importlib.util.spec_from_file_location("verdict_contradictions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.contradictions


@pytest.mark.parametrize("powers", [(0.5, 6.0), (6.0, 0.5, 0.7), (2.0, 2.0), (6.0, 0.5, 6.0), (1.0, 2.0, 4.0)])
@pytest.mark.parametrize("current", [None, "A", "B"])
def test_the_first_sentence_contradicts_no_table(contradictions, powers, current):
    """Nor do those of 200 pages: benchmarks/reports/verdict_contradictions.md."""
    assert contradictions(_study_of(*powers, current=current), _page_of(*powers, current=current)) == []


def test_a_contradiction_would_be_found(contradictions, study, page):
    """The verdict of another page is refuted by the tables of this one."""
    one = _study_of(0.5, 6.0, current="A")
    report = _page_of(0.5, 6.0, current="A")
    wrong = "Keep A: better than every candidate in power."
    found = contradictions(one, replace(report, summary=(wrong, *report.summary[1:])))
    assert {"A is less powerful than B", "the interval of the powers of A and B holds zero"} <= set(found)
    report = page
    front = study.to_frame().sort_values("tau_half")["metric"]
    wrong = f"Keep {front.iloc[0]}: better than every candidate in robustness to fewer judgments."
    assert contradictions(study, replace(report, summary=(wrong, *report.summary[1:])))


def test_metrics_that_find_nothing_are_not_interchangeable():
    """F1 is undefined where no pair is significant, which settles nothing."""
    others = pd.DataFrame({"metric": ["AP", "RR"], "f1": [np.nan, 0.5], "f1_low": [np.nan, 0.4], "conflicts": [0, 0]})
    words = agreement_sentence(SimpleNamespace(current="P@10"), others)
    assert words.startswith("No candidate is conclusively interchangeable with P@10")
    assert "; inconclusive for AP; no pair of systems" in words


@pytest.mark.parametrize(("difference", "detectable"), [(0.2, 1.13), (0.2, 0.5), (-0.1, 1.13), (-0.1, 0.5)])
def test_no_lead_beyond_what_is_possible_is_said_to_be_found(difference, detectable):
    """Shares of pairs differ by 100 points at most."""
    lead = {"difference": difference, "low": -0.2, "high": 0.3, "chance": 0.2, "detectable": detectable}
    said = _chance_sentence(SimpleNamespace(confidence_level=0.95), pd.DataFrame([lead]))
    assert ("no possible lead" in said) == (detectable > 1)
    assert "113" not in said
