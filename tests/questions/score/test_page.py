"""Scores of runs as a report."""

import pytest

from metaeval.base.provenance import record_provenance
from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics import default_registry, metric
from metaeval.metrics.scoring import resolve_metrics, score
from metaeval.questions.score.page import score_report

RUNS = {
    "good": {"1": ["d1", "d2", "d3"], "2": ["d1", "d3"], "3": ["d2", "d1"]},
    "bad": {"1": ["d3", "d2", "d1"], "2": ["d3", "d1"], "3": ["d3", "d2"]},
}
QRELS = {"1": {"d1": 2, "d2": 1}, "2": {"d1": 1}, "3": {"d2": 1, "d1": 0}}


@pytest.fixture(scope="module")
def collection():
    return collection_from_rankings(RUNS, QRELS)


@metric(name="Notes", cite="our own notes")
def noted(topic):
    """Cite what no bibliography holds."""
    return float(len(topic.levels) > 0)


def test_the_first_sentence_names_the_best_with_an_interval(collection):
    """AP by hand: 1 throughout for one run, and (1/2 + 2/3)/2, 1/2 and 1/2 for the other.

    Where three of three topics have 1, a share of 1 - .025^(1/3) = .7076 may still have 0 (Clopper and Pearson).
    """
    report = score_report(score(collection, ["AP"]), provenance=record_provenance("score"))
    assert report.summary[0] == "good has the best mean AP, 1.0000 [0.2924, 1.0000], and bad the worst, 0.5278."
    assert report.key_figures.caption.endswith(" range, not adjusted for picking the best.")
    means = report.rows.set_index("system")["mean"]
    assert means["bad"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2 + 1 / 2) / 3)
    assert report.methods.cite == ()  # which metrics these are was not said


def test_the_best_of_each_metric_is_named_once():
    """The key figures name the best run under every metric, with its mean."""
    runs = {"first": {"1": ["d1", "d3", "d4"], "2": ["d1", "d3"]}, "wide": {"1": ["d3", "d1", "d2"], "2": ["d3", "d1"]}}
    judged = {"1": {"d1": 2, "d2": 1, "d3": 0}, "2": {"d1": 1, "d3": 0}}
    scores = score(collection_from_rankings(runs, judged), ["RR", "P@1", "R@3"])
    table = score_report(scores, provenance=record_provenance("score")).key_figures
    assert [[cell.text for cell in row[:2]] for row in table.cells()] == [
        ["RR", "first"],
        ["P@1", "first"],
        ["R@3", "wide"],
    ]


def test_methods_list_where_the_metrics_come_from(collection):
    """Each publication once; what a plug-in cites in words of its own is no key of the bibliography."""
    names = ["AP", "AP(rel=2)", "nDCG@10", "RR", "Notes"]
    registry = default_registry().extend(noted)
    metrics = resolve_metrics(names, registry=registry)
    report = score_report(
        score(collection, names, registry=registry), provenance=record_provenance("score"), metrics=metrics
    )
    own = [one.spec.cite for one in metrics]
    assert own[0] == own[1]
    assert report.methods.cite == (own[0], own[2], own[3])
    assert own[4] == "our own notes"
    words = [item.words for item in report.methods.blocks[0].items]
    assert words[0].endswith("not retrieved (Sakai and Kando, 2008).")
    assert words[4] == metrics[4].spec.summary


def test_one_run_on_one_topic_is_enough():
    """There is no interval then, and nothing is called the best."""
    alone = collection_from_rankings({"good": {"1": ["d1"]}}, {"1": {"d1": 1}})
    report = score_report(score(alone, ["AP", "P@1"], fewest=1), provenance=record_provenance("score"))
    assert report.title == "What does this run score?"
    assert report.summary == ("good has a mean AP of 1.0000.",)
    assert [[cell.text for cell in row] for row in report.key_figures.cells()] == [
        ["AP", "good", "1.0000"],
        ["P@1", "good", "1.0000"],
    ]
