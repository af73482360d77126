# ruff: noqa: RUF001 - the signs of a page
"""What a page says of items: numbers that are too large or too small to print are said in words that are true."""

from functools import cache

import numpy as np
import pytest

from metaeval.base.words import significant
from metaeval.questions.leaderboard.page_items import _below_zero, _items, needed_section
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.questions.table.study import study_table
from metaeval.table.scores import as_scores


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (np.nan, "–"),
        (12_345.0, "12,345"),
        (1e7, "10,000,000"),
        (227_212_875.0, "> 10 million"),
        (np.inf, "> 10 million"),
    ],
)
def test_ten_million_items_are_as_good_as_any_number(value, written):
    """Clusters are counted up to ten million, and make more items than that: both are one to a reader."""
    assert _items(value) == written


@pytest.mark.parametrize(("value", "written"), [(-0.204, "−0.20"), (-0.005, "−0.01"), (-1e-05, "> −0.01")])
def test_a_tiny_correlation_has_two_decimals_as_all_others(value, written):
    """It is below 0, and not printed as 0."""
    assert _below_zero(value) == written


def test_a_number_of_items_is_unbounded_only_where_the_interval_holds_no_difference():
    """What is needed for the observed difference is a number, however large."""
    values = np.random.default_rng(1).normal(0.5, 0.1, (3, 60))
    values[1] = values[0] + 1e-7 * np.random.default_rng(2).normal(size=60)
    values[2] += 0.4
    study = study_leaderboard(as_scores(values), n_resamples=50, n_splits=2, rng=0)
    (section,) = needed_section(study)
    frame = section.blocks[1].blocks[0].frame
    none = (frame["likely_low"] <= 0) & (frame["likely_high"] >= 0)
    assert none.tolist() == [False, True]
    assert frame["interval"].str.endswith("unbounded").tolist() == none.tolist()


def _board(*, kind, apart):
    """Make seven systems on 40 topics in clusters that do, or do not, err alike; two of them lack hard topics."""
    rng, n_clusters = np.random.default_rng(3), 4 if apart else 8
    own = rng.normal(0, apart, (7, n_clusters)).repeat(40 // n_clusters, axis=1)
    ease = np.sort(rng.normal(0, 0.6, 40))
    values = ease + np.linspace(0.6, 0, 7)[:, None] + own + rng.normal(0, 0.3, (7, 40))
    values[-2:, :5] = np.nan
    names = np.array([f"task{place}" for place in range(n_clusters)]).repeat(40 // n_clusters)
    order = rng.permutation(40)
    scores = as_scores(values[:, order], missing="pairwise")
    return scores.assign_coords({kind: ("topic", names[order] if apart else names)}) if kind else scores


@cache
def _page(*, kind="cluster", apart=0.0):
    study = study_leaderboard(_board(kind=kind, apart=apart), n_resamples=50, n_splits=2, rng=0)
    report = study.report()
    return study, report, {table.name: table for table in report.tables()}


def test_what_stands_in_a_table_is_explained_under_it():
    """Ways to choose items, kinds of items, effects, signs before numbers, and what the clusters are."""
    study, report, tables = _page(apart=0.6)
    (ranks,) = (section for section in report.sections if section.id == "ranks")
    assert study.unanswered["Ranks and groups"] in ranks.lead
    (lists,) = (section.blocks[1].items for section in report.sections if section.id == "unanswered")
    said = {part: item.words for item in lists for part in item.term.split("; ")}
    assert said == dict(study.unanswered)  # each reason once, with all that it leaves open
    assert len({item.words for item in lists}) == len(lists) < len(said)
    assert set(tables["subsets"].frame["method"]) == {"discrimination", "greedy", "random"}
    for name, words in {
        "subsets": tables["subsets"].frame["method"],
        "items": ["Pass", "fail", "equal", "Negative", "Discrimination", "ceiling", "floor"],
        "items_needed": ["Effect: the difference over the standard deviation of differences on one cluster"],
        "design_effect": ["task0, task1, task2 and 1 more", "Intraclass correlation:", "these figures are rough"],
        "missing_scores": ["over clusters, or over systems"],
        "pairs": ["Holm, over all pairs: what decides"],
    }.items():
        assert [word for word in words if word not in tables[name].caption] == []
    cells = tables["detectable_differences"].frame[["typical", "range"]].to_numpy().ravel()
    assert any(">" in cell for cell in cells)
    assert "“>”: more than all scores lie apart" in tables["detectable_differences"].caption
    assert "more clusters may separate them. Clusters here: task0, task1, task2 and 1 more." in report.summary[2]


def test_clusters_that_are_all_there_are_have_names_too():
    """The sentence on new items of these same clusters says which."""
    _, report, tables = _page(kind="stratum")
    assert "more topics may separate them. Clusters here: task0, task1, task2 and 5 more." in report.summary[2]
    assert "the answer is for new topics of these same clusters" in report.summary[2]
    assert "As the ranks: what decides" in tables["pairs"].caption


@pytest.mark.parametrize("apart", [0.0, 0.6])
def test_items_are_never_worth_more_than_they_are(apart):
    """What the page ends with is the design effect, above or below 1, and no number of independent items."""
    study, report, _ = _page(apart=apart)
    effect = study.design.to_frame().set_index("of").loc["pairs", "design_effect"]
    (said,) = report.sections[-1].blocks[0].paragraphs
    assert (effect > 1) == (apart > 0)
    assert f"the design effect of their clusters is {significant(effect, 3)} (median pair)" in said
    assert "independent" not in said


def test_missing_scores_that_go_with_the_scores_are_said_to():
    """Beyond system and item, which the means allow for; no sign of it is called no proof."""
    study, report, _ = _page(kind="")
    both = study.gaps.relations().set_index("relation").loc["both"]
    (section,) = (one for one in report.sections if one.id == "gaps")
    (said,) = section.blocks[0].paragraphs
    assert ("that is no proof" in said) == (both["p_value"] >= 0.05)
    assert ("So means of systems with many gaps may be wrong" in said) == (both["p_value"] < 0.05)


def test_an_effect_that_is_likelier_larger_than_seen_is_explained():
    """The best and the next differ by more noise than other pairs do, so their own deviation is drawn down."""
    rng = np.random.default_rng(21)
    values = (
        rng.normal(0.5, 0.15, 50) + np.array([[0.15], [0.05], [0.05], [0.05], [-0.1]]) + rng.normal(0, 0.08, (5, 50))
    )
    values[0] += rng.normal(0, 0.1, 50)
    study = study_leaderboard(as_scores(values), n_resamples=50, n_splits=2, rng=0)
    (section,) = needed_section(study)
    table = section.blocks[0]
    assert (table.frame["likely"] > table.frame["effect"]).all()
    assert "may have a larger likely effect than the one seen" in table.caption


def test_two_systems_that_win_on_different_clusters_are_said_to_as_table_does():
    """Ahead by .1 on code and behind by .1 on math, two systems are equal in all: the first sentence tells both."""
    noise = np.tile([-0.02, -0.01, 0.0, 0.01, 0.02], 4)
    clusters = np.repeat(["code", "math"], 10)
    old = np.full(20, 0.5)
    scores = as_scores(np.stack([old, old + noise + np.where(clusters == "code", -0.1, 0.1)]), systems=["old", "new"])
    scores = scores.assign_coords(stratum=("topic", clusters))
    said = (
        "By cluster (Holm over 2), old is significantly better on code (by 0.100); new is significantly better on math"
    )
    for study in (study_leaderboard(scores, rng=0), study_table(scores, rng=0)):
        assert said in study.report().summary[0]
