# ruff: noqa: RUF001 - dashes and Greek letters are what people see
"""What pages say of two systems is said in the direction that was asked for."""

import itertools
import re

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binomtest, false_discovery_control, nct, t, ttest_ind, ttest_rel

from metaeval.questions.design.study import study_design
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.questions.power.study import study_power
from metaeval.questions.table.study import study_table
from metaeval.table.scores import as_scores
from metaeval.table.structure import with_clusters
from metaeval.tests_stat import paired_t_test

OLD = (0.2, 0.4, 0.5, 0.6, 0.3, 0.4, 0.7, 0.1)
NEW = (0.3, 0.6, 0.6, 0.8, 0.4, 0.6, 0.8, 0.3)


@pytest.mark.parametrize(
    ("options", "heads", "difference"),
    [
        ({}, ["old", "new"], -0.15),
        ({"requirements": ["new >= old"]}, ["new", "old"], 0.15),
        ({"requirements": ["new >= 0.2", "new >= old - 0.01"]}, ["new", "old"], 0.15),
        ({"requirements": ["old >= new"]}, ["old", "new"], -0.15),
        ({"requirements": ["new >= 0.2"]}, ["old", "new"], -0.15),
        ({"baseline": "old"}, ["new", "old"], 0.15),
        ({"baseline": "new"}, ["old", "new"], -0.15),
    ],
)
def test_the_difference_has_the_sign_of_what_was_asked(options, heads, difference):
    """By hand: half of the differences are 0.1 and half 0.2; nobody asks, first less second as they stand."""
    study = study_leaderboard({"old": list(OLD), "new": list(NEW)}, n_resamples=20, rng=0, **options)
    table = study.report().key_figures
    assert [column.label for column in table.columns if column.group == "Mean"] == heads
    (row,) = table.data.to_dict("records") if table.data is not None else table.frame.to_dict("records")
    assert row["difference"] == pytest.approx(difference)
    assert row["difference_low"] < row["difference"] < row["difference_high"]
    assert [row["system_a"], row["system_b"]] == heads
    assert heads[row["better"] < 0] == "new"


def test_pairs_on_too_few_topics_are_counted_beside_the_answer():
    """On five topics random signs go no lower than 2/32 = .0625, whatever t says, and on six than 2/64 = .03125.

    Paired t of a and b, with differences .9, 1, 1.1, 1 and 1, is 1 / (.0707 / 2.236) = 31.6, of b and c, with 1.1, .9,
    .9, 1.1 and 1, 22.4, and of a and c 63. On the sixth topic that is added b and c are equal.
    """
    noise = np.array([0.9, 1.0, 1.1, 1.0, 1.0])
    board = {"a": np.full(5, 3.0), "b": 3.0 - noise, "c": np.array([1.0, 1.1, 1.0, 0.9, 1.0])}
    said = "With so few topics on which systems differ no exact test goes below p = "
    assert (
        f"). {said}0.0625, so 3 pairs with smaller p-values by paired t do not count."
        in study_table(as_scores(board)).report().summary[0]
    )
    more = {"a": [*board["a"], 3.0], "b": [*board["b"], 1.0], "c": [*board["c"], 1.0]}
    some = study_table(as_scores(more)).report().summary[0]
    assert "= 0.05 by paired t, but differs on so few topics that no exact test could," in some
    options = {"n_resamples": 20, "n_splits": 2, "rng": 0, "alpha": 0.01}
    board = {name: [*of, of[0]] for name, of in board.items()}
    second = study_leaderboard(as_scores(board), **options).report().summary[1]
    assert second.startswith(f"{said}0.0312, so 3 pairs")


def _right_or_wrong(*counts):
    """Return answers of two systems: on so many items the first alone is right, the second alone, and both."""
    alone, other, both = counts
    return [[1] * alone + [0] * other + [1] * both, [0] * alone + [1] * other + [1] * both]


def test_answers_that_are_right_or_wrong_are_settled_by_an_exact_test_alone():
    """On 15 items against 6 of 60 paired t says .0487 (by SciPy), McNemar's exact test .0784 = 2 P(X <= 6), n = 21.

    On 17 against 6 they say .0200 and .0347, so that the answer on both is that of the second alone.
    """
    few, more = _right_or_wrong(15, 6, 39), _right_or_wrong(17, 6, 37)
    assert ttest_rel(*few).pvalue == pytest.approx(0.0487, abs=5e-5)
    assert [round(binomtest(6, n).pvalue, 4) for n in (21, 23)] == [0.0784, 0.0347]
    page = study_table(as_scores([few], metrics=["acc"])).report()
    (first,) = page.summary
    assert first.startswith(
        "Open: system1 is better than system2 under acc by paired t (0.900 against 0.750, p = 0.0487)"
    )
    assert first.endswith(", but not by the exact sign test (15 topics against 6, p = 0.0784).")
    assert page.key_figures.frame["verdict"].tolist() == ["open"]
    page = study_table(as_scores([few, more], metrics=["acc", "f"])).report()
    assert page.summary[0].startswith(
        "Partly: system1 is significantly better than system2 under f, of 2 metrics (paired t). Under acc the two "
        "differ by paired t (p = 0.0487), but not by the exact sign test (15 topics against 6, p = 0.0784)."
    )
    assert "acc" not in "".join(page.summary[1:])  # what acc rests on is no longer of interest
    page = study_table(as_scores([few, _right_or_wrong(6, 15, 39)], metrics=["acc", "em"])).report()
    assert page.summary == (
        "Open: under acc and em the two differ by paired t, but not by the exact sign test (least p = 0.0784).",
    )
    board = study_leaderboard(as_scores([few], metrics=["acc"]), n_resamples=20, rng=0).report()
    assert board.summary[0] == first
    assert board.key_figures.frame["verdict"].tolist() == ["open"]


@pytest.mark.parametrize("swap", [False, True])
def test_an_open_pair_is_open_in_every_answer(swap, tmp_path):
    """15 items against 6 of 60: .0487 by t and .0784 by signs (SciPy), so nobody calls it significant, nor ranks it."""
    scores = as_scores(_right_or_wrong(15, 6, 39)[:: -1 if swap else 1], systems=["a", "b"], metrics=["acc"])
    tested = paired_t_test(scores)
    assert tested.pvalue == pytest.approx(ttest_rel(*scores.to_numpy()[0]).pvalue)
    assert not tested.to_frame()["significant"].any()
    assert tested.verdicts().tolist() == [[0]]
    assert not tested.discriminative_power()["n_significant"].any()
    assert repr(tested).splitlines()[0].endswith("p = 0.0487); p = 0.0784 by the exact sign test.")
    pages = [
        study_table(scores, rng=0).report(),
        study_power(scores, tests=["t"], rng=0).report(),
        study_leaderboard(scores, n_resamples=20, rng=0).report(),
        study_leaderboard(scores, n_resamples=20, baseline="b", rng=0).report(),
    ]
    for page in pages:
        page.save(tmp_path / "page", overwrite=True)
        answer = page.to_json()
        assert not re.search(r'"(significant\w*|apart)": true', answer), page.command
        assert not re.search(r'"n_significant\w*": [1-9]', answer), page.command
        assert set(re.findall(r'"verdict": "(\w+)"', answer)) <= {"open"}, page.command
        assert "significantly better" not in page.summary[0]
        assert "True" not in "".join(path.read_text("utf-8") for path in (tmp_path / "page").rglob("*.csv"))
    ranks = study_leaderboard(scores, n_resamples=20, rng=0).to_frame()
    assert (ranks["letters"].tolist(), ranks["rank_high"].tolist()) == (["a", "a"], [2, 2])


def test_other_scores_and_clusters_have_no_exact_test():
    """With differences of two sizes, or weights, the sign test would leave something out."""
    few = _right_or_wrong(15, 6, 39)
    graded = [[*few[0], 0.5], [*few[1], 0.45]]
    for scores in (as_scores(graded), as_scores(few, weights={str(at + 1): 1 + at % 2 / 1000 for at in range(60)})):
        assert study_table(scores).report().summary[0].startswith("Yes: system1 is significantly better than system2")


def test_a_first_place_that_rests_on_next_to_nothing_says_so_with_the_answer():
    """By hand: a is better than b on 6 of 400 topics, and equal on all others; c is far behind.

    A first place that is open claims nothing that could rest on little: it says so behind the answer.
    """
    scores = np.random.default_rng(0).integers(0, 2, 400).astype(float)
    scores[:10] = 0.0
    board = {
        "b": scores,
        "a": np.where(np.arange(400) < 6, 1.0, scores),
        "c": np.where(np.arange(400) < 320, 0, scores),
    }
    rests = "The first place rests on 6 of 400 topics: "
    options = {"n_resamples": 20, "n_splits": 2, "rng": 0}
    assert f". {rests}" in study_leaderboard(as_scores(board), **options).report().summary[0]
    asked, answer, *others = study_leaderboard(as_scores(board), baseline="c", **options).report().summary
    assert (rests in asked, rests in answer, any(rests in words for words in others)) == (False, True, False)
    board["a"] = np.where(np.arange(400) < 2, 1.0, scores)
    first, *others = study_leaderboard(as_scores(board), **options).report().summary
    assert "rests on" not in first
    assert others[0].startswith("The first place rests on 2 of 400 topics: ")


def test_who_is_ahead_on_every_item_is_not_said_to_rest_on_all_of_them():
    """Without all of them nothing is left; where one item went to another system, the first place rests on some."""
    board = {"a": [0.9, 0.8, 0.95, 0.7, 0.9, 0.85], "b": [0.5, 0.6] * 3, "c": [0.4, 0.5] * 3}
    options = {"n_resamples": 20, "n_splits": 2, "rng": 0}
    told = " ".join(study_leaderboard(as_scores(board), **options).report().summary)
    assert ("a is ahead of every other system on each of the 6 topics." in told, "rests on" in told) == (True, False)
    board["a"][0] = 0.3
    told = " ".join(study_leaderboard(as_scores(board), **options).report().summary)
    assert ("on each of" in told, "The first place rests on 4 of 6 topics" in told) == (
        False,
        True,
    )  # ahead by .45, .4, .25, .2, .1, behind by .2


def test_a_requirement_that_rests_on_next_to_nothing_says_so_with_the_answer():
    """It needs one topic less to be open; so has the verdict on two systems, which stands behind it."""
    better = [0.01, 0.02, 0.03, 0.01, 0.02, 0.01]
    board = {"new": [0.3 + more for more in better], "old": [0.3] * 6}
    first, *_ = study_leaderboard(board, requirements=["new >= old + 0.008"], n_resamples=20, rng=0).report().summary
    assert "is established" in first
    assert ". new >= old + 0.008 under metric1 rests on 1 of 6 topics: " in first


def test_a_pair_of_two_values_rests_on_as_few_topics_as_leave_either_test_open():
    """SciPy: of 13 to 3 signs fall at 11 to 3 (p = .057), where t on 60 topics still has p = .03."""
    (first, *_) = study_table(as_scores(_right_or_wrong(13, 3, 44))).report().summary
    assert binomtest(12, 15).pvalue <= 0.05 < binomtest(11, 14).pvalue
    won, lost = np.ones(11), np.zeros(3)
    assert ttest_rel(np.r_[won, lost, np.ones(44)], np.r_[1 - won, 1 - lost, np.ones(44)]).pvalue <= 0.05
    assert "rests on 2 of 60 topics" in first


def test_a_cluster_is_won_by_both_tests_where_scores_take_two_values():
    """In one category nine to two (signs .065) of 60, in the other ten to none (.002); t alone has both below .025."""
    sides = [_right_or_wrong(9, 2, 49), _right_or_wrong(10, 0, 50)]
    assert max(ttest_rel(*side).pvalue for side in sides) <= 0.05
    clusters = {str(at + 1): "law" if at < 60 else "maths" for at in range(120)}
    scores = as_scores(np.concatenate(sides, axis=1)[None], clusters=clusters)
    rows = study_table(scores).by_cluster.set_index("cluster")
    assert rows["verdict"].to_dict() == {"law": 0, "maths": 1}
    assert rows["p_value"].to_numpy() == pytest.approx([binomtest(9, 11).pvalue, binomtest(10, 10).pvalue])


def test_a_level_and_a_side_that_were_named_stand_in_the_first_sentence():
    """The usual ones, .05 and two-sided, do not; a design answers for every difference that was named."""
    board = as_scores(np.random.default_rng(1).normal(np.arange(4)[:, None] / 10, 0.2, (4, 40)))
    named, usual = (study_table(board, alpha=alpha, rng=0).report().summary[0] for alpha in (0.01, 0.05))
    assert ("Benjamini–Yekutieli, α = 0.01)" in named, "α" in usual) == (True, False)
    pair = study_table(board.isel(system=[0, 3]), alpha=0.01, rng=0).report().summary[0]
    assert "paired t, α = 0.01)" in pair
    sided = study_power(board, tests=["t"], alternative="better", rng=0).report().summary[0]
    assert "(paired t, one-sided towards the better, " in sided
    planned = study_design(variance=0.1, methods=["t"], differences=[0.1, 0.2], alpha=0.01).report().summary[0]
    n = [next(n for n in range(2, 999) if _power(n, delta) >= 0.8) for delta in (0.1, 0.2)]
    assert planned == (
        f"A paired t test needs {n[0]} topics to find a difference of 0.1 with power 0.8 at α = 0.01; "
        f"{n[1]} topics for 0.2."
    )


def _power(n, delta):
    """Return the power of the two-sided paired t test at .01 where a difference has the variance .2, by SciPy."""
    shift, critical = delta / (0.2 / n) ** 0.5, t.ppf(0.995, n - 1)
    return nct.sf(critical, n - 1, shift) + nct.cdf(-critical, n - 1, shift)


def _in_categories(n_categories, n_items=20):
    """Return two systems of which the new one is better on each of so many categories."""
    rng = np.random.default_rng(6)
    n = n_categories * n_items
    old = rng.uniform(0.3, 0.6, n)
    leads = 0.05 + 0.004 * (np.arange(n) // n_items) + rng.normal(0, 0.02, n)
    clusters = {str(at + 1): f"c{at // n_items}" for at in range(n)}
    return as_scores([old, old + leads], systems=["old", "new"], clusters=clusters)


@pytest.mark.parametrize("n_categories", [2, 3, 4, 5])
def test_better_on_every_category_is_open_for_others_and_said_of_these(n_categories):
    """Signs of n clusters reach 2 ** (1 - n), for .05 of six; on these clusters p is far below, by all their items."""
    scores = _in_categories(n_categories)
    study = study_table(scores)
    first = study.report().summary[0]
    assert first.startswith("Open: ")
    least = f"p = {2.0 ** (1 - n_categories):.4f}"
    assert f"with so few clusters on which they differ no exact test goes below {least}: it takes 6" in first
    assert (
        "In the clusters at hand (`with_clusters(scores, 'fixed')`), new is significantly better (p < 0.0001)" in first
    )
    assert "new is significantly better on c0" in first
    assert study_table(with_clusters(scores, "fixed")).report().summary[0].startswith("Yes: new is")
    board = study_leaderboard(scores, n_resamples=20, n_splits=2, rng=0).report()
    assert board.summary[0].startswith("Open: ")
    against = study_leaderboard(scores, baseline="old", n_resamples=20, n_splits=2, rng=0).report().summary
    assert against[0].startswith("Open: ")
    for page in (study.report(), board):
        assert page.key_figures.frame["verdict"].tolist() == ["open"]
    (told,) = [note for note in study.notes if "no exact test can reach the level" in note]
    assert "on so few clusters that" in told
    assert "it takes 6 to tell of others" in first
    assert str(study.comparison.answer).startswith("it is open whether new is better than old")
    assert study_table(_in_categories(6)).report().summary[0].startswith("Yes: new is significantly better")


def test_two_categories_far_apart_are_open_too():
    """Leads of .02 and .1 have a mean of 1.5 errors over two clusters, by hand, and many over all their items."""
    scores = _in_categories(2)
    far = scores.copy()
    far[0, 1] = scores[0, 0] + np.repeat([0.02, 0.1], 20) + np.tile([-0.01, 0.01], 20)
    first = study_table(far).report().summary[0]
    assert first.startswith("Open: old and new do not differ significantly under")
    assert "In the clusters at hand (`with_clusters(scores, 'fixed')`), new is significantly better" in first


def test_three_systems_on_four_categories_leave_a_ranking_open():
    """No pair can differ, so that a ranking is neither real nor not; the pages lead to the clusters at hand."""
    scores = _in_categories(4)
    third = scores.sel(system=["old"]).assign_coords(system=["third"]) - 0.05
    board = as_scores(xr.concat([scores, third], "system"))
    assert study_leaderboard(board, n_resamples=20, n_splits=2, rng=0).report().summary[0].startswith("Open: new leads")
    assert "; `with_clusters(scores, 'fixed')` asks of the clusters at hand." in study_table(board).report().summary[0]
    assert study_table(with_clusters(board, "fixed")).report().summary[0].startswith("new is best under")


def _runs_of(n_systems):
    """Return so many systems on three datasets with five runs each, a row of means a system; the first is the best."""
    rng = np.random.default_rng(2)
    levels = np.array([0.91, 0.9, 0.895][:n_systems])[:, None, None] + np.array([0.0, -0.2, 0.06])[:, None]
    values = levels + rng.normal(0, 0.004, (n_systems, 3, 5))
    return as_scores(values[None], systems=["ours", "base", "plain"][:n_systems], metrics=["acc"]), values.mean(axis=1)


def test_better_on_few_datasets_is_open_for_others_and_said_of_these_by_runs():
    """Three datasets cannot tell of others; of these Welch's t test over the means of runs tells, by SciPy."""
    scores, means = _runs_of(2)
    p = ttest_ind(*means, equal_var=False).pvalue
    assert p < 0.01
    said = "On these 3 topics alone, by Welch's t test between runs, ours is significantly better than base"
    for study in (study_table(scores), study_leaderboard(scores, n_resamples=20, n_splits=2, rng=0)):
        first = study.report().summary[0]
        assert first.startswith("Open: ours is better than base under acc")
        assert f"{said} (p = {p:.4f})." in first


def test_pairs_on_few_datasets_are_counted_by_runs():
    """Corrected over all pairs as the others are; where runs do not tell either, nothing is said."""
    scores, means = _runs_of(3)
    p_values = [ttest_ind(means[a], means[b], equal_var=False).pvalue for a, b in ((0, 1), (0, 2), (1, 2))]
    corrected = false_discovery_control(p_values, method="by")
    assert (corrected < 0.05).tolist() == [True, True, False]
    first = study_table(scores).report().summary[0]
    assert "On these 3 topics alone, 2 of 3 pairs differ significantly by Welch's t test between runs" in first
    plain, base = (f"ours is better than {name} (p = {corrected[at]:.4f})" for name, at in (("plain", 1), ("base", 0)))
    assert f": {plain} and {base}." in first
    both = xr.concat([scores, scores.assign_coords(metric=["f1"])], "metric").assign_attrs(scores.attrs)
    told = study_table(both).report().summary[0]
    assert f"{plain.replace(' (', ' under acc (')}, {plain.replace(' (', ' under f1 (')}" in told
    alike = scores.copy(data=np.sort(scores.to_numpy(), axis=-1)[:, [0, 0, 0]])
    alike[0, 1:] += 0.001
    assert "between runs" not in study_table(alike).report().summary[0]


@pytest.mark.parametrize("turned", [False, True])
def test_the_first_sentence_says_by_how_much_the_better_is_ahead(turned):
    """Better less worse, with the t interval of scipy, whichever was named first; the figures name both sides."""
    rng = np.random.default_rng(5)
    old = rng.uniform(0.3, 0.6, 60)
    new = old + 0.05 + rng.normal(0, 0.08, 60)
    rows, names = ([new, old], ["new", "old"]) if turned else ([old, new], ["old", "new"])
    report = study_table(as_scores(rows, systems=names, metrics=["f"])).report()
    low, high = ttest_rel(new, old).confidence_interval()
    lead = f"{np.mean(new - old):.3f} [{low:.3f}, {high:.3f}]"
    assert report.summary[0].startswith(f"Yes: new is significantly better than old under f by {lead} (")
    labels = [column.label for column in report.key_figures.columns]
    assert f"{names[0]} less {names[1]}" in labels
    assert "Difference" not in labels


@pytest.mark.parametrize(("n_systems", "n_metrics"), [(2, 1), (2, 2), (4, 2)])
def test_no_difference_has_the_interval_of_the_nearest_beside_it(n_systems, n_metrics):
    """In the first sentence or the next: the difference of the pair of the least p-value, by scipy's paired t test."""
    values = np.random.default_rng(0).normal(0.5, 0.1, (n_metrics, n_systems, 30))
    found = {
        (metric, a, b): ttest_rel(values[metric, a], values[metric, b])
        for metric in range(n_metrics)
        for a, b in itertools.combinations(range(n_systems), 2)
    }
    metric, a, b = min(found, key=lambda pair: found[pair].pvalue)
    low, high = found[metric, a, b].confidence_interval()
    figure = f"{np.mean(values[metric, a] - values[metric, b]):.3f} [{low:.3f}, {high:.3f}]".replace("-", "−")
    first, *others = study_table(as_scores(values), rng=1).report().summary
    assert f"system{a + 1} less system{b + 1} {figure}" in " ".join([first, *others[:1]])
