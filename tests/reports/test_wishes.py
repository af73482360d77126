"""What somebody asked for by an option is answered first: the best K, a target, a price; legends say what decided."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_scores, study_components, study_judges, study_leaderboard, study_table, study_votes

QUICK = {"n_resamples": 20, "n_splits": 2, "rng": 0}
MEANS = pd.DataFrame({"system": list("abcdef"), "acc": [0.9, 0.88, 0.7, 0.69, 0.5, 0.3], "acc_stderr": 0.02})
"""Neighbours are .7, 6.4, .4, 6.7 and 7.1 errors of a difference (.028) apart: a and b do not differ, nor c and d."""


@pytest.mark.parametrize(
    ("top", "said"),
    [
        (2, "Yes: a and b are the best 2 under acc (95 %, all ranks at once)."),
        (3, "Partly: a and b are among the best 3 under acc (95 %, all ranks at once); c (64 %) and d (36 %) may be."),
        (4, "Yes: a, b, c and d are the best 4 under acc (95 %, all ranks at once)."),
        (6, None),
        (None, None),
    ],
)
def test_the_best_k_are_named_first(top, said):
    """By hand: see `MEANS`. Of as many as there are, and where nobody asked, the page says who is first."""
    report = study_leaderboard(MEANS, top=top, rng=0).report()
    usual = "Partly: a leads, but cannot be told apart from b"
    assert report.summary[0].startswith(said or usual)
    assert (report.title == f"Which systems are the best {top}?") == (said is not None)
    assert any(sentence.startswith(usual) for sentence in report.summary)


def test_the_best_k_of_equal_systems_are_nobody():
    """Three systems that were drawn alike, under one metric and under two."""
    made = np.random.default_rng(1).normal(0.5, 0.1, (2, 3, 30))
    first = study_leaderboard(as_scores(made[:1]), top=2, **QUICK).report().summary[0]
    assert first == (
        "No: none of 3 systems is surely among the best 2 under metric1 (95 %, all ranks at once); system2 (72 %), "
        "system1 (66 %) and system3 (62 %) may be."
    )
    first = study_leaderboard(as_scores(made), top=2, **QUICK).report().summary[0]
    assert first == "No: the best 2 are all sure under none of 2 metrics, some of them under none."


def test_a_cohort_that_was_named_is_answered_first():
    """By hand: on 12 items all four systems pass, on 8 the last two fail; the best two never differ."""
    best, others = np.ones((2, 20)), np.tile(np.r_[np.ones(12), np.zeros(8)], (2, 1))
    scores = as_scores(np.concatenate([best, others]), systems=list("abcd"))
    first, second, *_ = study_leaderboard(scores, cohorts=["top2"], **QUICK).report().summary
    assert first.startswith("0 topics separate the top 2, and 20 of 20 (100.0 %) decide nothing. 0 of 1 pair of ")
    assert "a and b lead" in second
    assert study_leaderboard(scores, **QUICK).report().summary[0] == second


def test_the_best_k_of_votes():
    """A wins nearly all votes against b and c, which win half of theirs."""
    votes = (
        [("a", "b", "left")] * 38 + [("a", "b", "right")] * 2 + [("a", "c", "left")] * 38 + [("a", "c", "right")] * 2
    )
    votes += [("b", "c", "left"), ("b", "c", "right")] * 10
    frame = pd.DataFrame(votes, columns=["left", "right", "winner"])
    report = study_votes(frame, top=2, rng=0).report()
    assert report.summary[0] == (
        "Partly: a is among the best 2 (95 %, all ranks at once); b (50 %) and c (50 %) may be."
    )
    assert study_votes(frame, rng=0).report().summary[0].startswith("a is preferred to every other system")


@pytest.mark.parametrize("target", [0.3, 0.9, 0.999, None])
def test_a_target_of_dependability_is_answered_first(target):
    """The interval of the design at hand is above the target, holds it, or is below it; else the noise is first."""
    draw = np.random.default_rng(3)
    scores = as_scores(draw.normal(0, 0.05, (8, 1)) + draw.normal(0.5, 0.1, 40) + draw.normal(0, 0.1, (8, 40)))
    study = study_components(scores, target=target, n_splits=0, rng=0)
    low, high = study.components.dependability[["erho2_low", "erho2_high"]].iloc[0]
    first, *others = study.report().summary
    if target is None:
        assert study.target == 0.95
        assert "noise" in others[0]
        return
    verdict = "Yes: this design reaches" if low >= target else "No: this design does" if high < target else "Open: this"
    assert first.startswith(verdict)
    assert "noise" in others[0]
    assert len(others) == 2


def test_prices_are_answered_first_and_runs_stand_in_the_first_sentence():
    """The share of a difference that runs make is that of the table of dependability."""
    draw = np.random.default_rng(4)
    scores = draw.normal(0.5, 0.1, (5, 20, 1)) + draw.normal(0, 0.1, (5, 20, 3)) + draw.normal(0, 0.05, (5, 1, 3))
    study = study_components(as_scores(scores[None]), repeats="crossed", n_splits=0, rng=0)
    runs = study.components.dependability["run_share"].iloc[0]
    first = study.report().summary[0]
    assert first.startswith(
        "More repeats rather than more topics make means surer under metric1: over 20 topics, each 3"
    )
    assert f"{100 * runs:.1f} % [" in first
    nested = study_components(as_scores(scores[None]), repeats="nested", n_splits=0, rng=0)
    assert nested.report().summary[1].startswith("The largest source of noise is ")
    priced = study_components(as_scores(scores[None]), cost={"item": 5, "run": 1}, n_splits=0, rng=0)
    assert "same cost" in priced.report().summary[0]


def legend(requirement, scores):
    """Return what the table of requirements says of its test."""
    report = study_leaderboard(scores, requirements=[requirement], **QUICK).report()
    return report.sections[0].blocks[0].caption


def test_the_legend_of_a_gate_names_the_test_that_decided():
    """Of scores of 0 and 1 the exact ones, of others t, and of means over runs what these add."""
    right = as_scores([[1] * 15 + [0] * 6 + [1] * 39, [0] * 15 + [1] * 6 + [1] * 39], systems=["a", "b"])
    assert "(one-sided: t test and exact sign test, both," in legend("a > b", right)
    assert "(one-sided: t test and score test of Tango, both," in legend("a >= b - 0.05", right)
    assert "(one-sided: exact binomial test of scores of 0 and 1;" in legend("a >= 0.7", right)
    draw = np.random.default_rng(0)
    runs = draw.normal(0.5, 0.1, (1, 2, 30, 3)) + draw.normal(0, 0.05, (1, 2, 1, 3))
    told = legend("system1 > system2", as_scores(runs))
    assert "(one-sided: t test; " in told
    assert "errors of t count what runs of a system add" in told
    assert "runs" not in legend("system1 > system2", as_scores(runs.mean(axis=3)))


def test_nemenyis_picture_says_that_its_distance_counts_no_runs():
    """Bars join systems whose difference new runs may turn, however far their mean ranks are apart."""
    draw = np.random.default_rng(0)
    runs = draw.normal(0.5, 0.1, (1, 4, 30, 3)) + draw.normal(0, 0.05, (1, 4, 1, 3))
    for scores, said in ((runs, True), (runs.mean(axis=3), False)):
        report = study_table(as_scores(scores), test="nemenyi").report()
        captions = [block.caption for section in report.sections for block in walked(section.blocks)]
        assert any("the distance itself counts no runs" in caption for caption in captions) == said


def walked(blocks):
    """Yield the blocks that have captions, those within choices too."""
    for block in blocks:
        for inner in getattr(block, "parts", ()):
            yield from walked(inner)
        if hasattr(block, "caption"):
            yield block


@pytest.mark.parametrize("turned", [False, True])
def test_who_of_two_judges_labels_higher_is_said(turned):
    """By hand: b is one higher on half of 60 items, .5 on average, with SciPy's t interval; judges alike: none."""
    first = np.tile([1, 2, 3, 4], 15)
    more = first + np.tile([0, 1], 30)
    sides = (more, first) if turned else (first, more)
    labels = pd.DataFrame({"item": [f"d{at}" for at in range(60)], "a": sides[0], "b": sides[1]})
    shift = np.abs(sides[1] - sides[0])
    low, high = stats.t.interval(0.95, 59, loc=shift.mean(), scale=stats.sem(shift))
    said = study_judges(labels, rng=0).report().summary[0]
    higher, lower = "ab" if turned else "ba"
    assert said.endswith(f". {higher} gives higher labels than {lower}, by 0.50 [{low:.2f}, {high:.2f}] on average.")
    beside = study_judges(labels.assign(c=np.roll(sides[0], 1)), reference="a", rng=0).report().summary[0]
    assert (
        f", and gives {'lower' if turned else 'higher'} labels, by 0.50 [{low:.2f}, {high:.2f}] on average." in beside
    )
    alike = study_judges(labels.assign(b=np.roll(sides[0], 1)), rng=0).report().summary[0]
    assert "gives" not in alike
