"""A pair, a rank or a requirement holds only if new runs would not turn it: SciPy's t, and false claims simulated."""

import numpy as np
import pytest
from scipy import stats

from metaeval.agreement.aggregates import aggregate_scores
from metaeval.models.separation import topics_to_separate
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.questions.table.study import study_table
from metaeval.questions.topics.study import study_topics
from metaeval.resampling.ranks import rank_intervals
from metaeval.table.scores import as_scores
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.detectable_difference import detectable_differences
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.requirements import check_requirements
from metaeval.tests_stat.result import difference_intervals

N_ITEMS, N_RUNS = 40, 3


def made(seed, *, spread, lead=0.0, n_sets=1, n_systems=2):
    """Return means over nothing yet: scores (set, system, item, run), of which the first system leads."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0.5, 0.2, (n_sets, 1, N_ITEMS, 1)) + rng.normal(0, 0.08, (n_sets, n_systems, N_ITEMS, N_RUNS))
    values = values + rng.normal(0, spread, (n_sets, n_systems, 1, N_RUNS))
    values[:, 0] += lead
    return values


def by_hand(values):
    """Return t, degrees of freedom and the error of a difference (system, item, run) by sums of squares."""
    difference = values[0].mean(axis=1) - values[1].mean(axis=1)
    parts = [(difference.var(ddof=1) / N_ITEMS, N_ITEMS - 1)]
    for table in values:
        left = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
        within = (left**2).sum() / ((N_ITEMS - 1) * (N_RUNS - 1)) / (N_ITEMS * N_RUNS)
        between = table.mean(axis=0).var(ddof=1) / N_RUNS
        if between > within:
            parts += [(between, N_RUNS - 1), (-within, (N_ITEMS - 1) * (N_RUNS - 1))]
    total = sum(part for part, _ in parts)
    freedom = total**2 / sum(part**2 / free for part, free in parts)
    return difference.mean() / np.sqrt(total), freedom, np.sqrt(total)


@pytest.mark.parametrize("seed", range(4))
def test_the_t_test_has_the_runs_in_its_error(seed):
    """Sums of squares by hand, Satterthwaite's degrees of freedom, and SciPy's t; beside it SciPy's paired t test."""
    values = made(seed, spread=0.03)[0]
    result = paired_t_test(as_scores(values[None]), correction="none")
    t, freedom, error = by_hand(values)
    assert result.statistic == pytest.approx(t)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert result.data["p_items"].item() == pytest.approx(stats.ttest_rel(*values.mean(axis=2)).pvalue)
    low, high = (difference_intervals(result)[end].item() for end in ("low", "high"))
    half = stats.t.isf(0.025, freedom) * error
    assert [low, high] == pytest.approx([t * error - half, t * error + half])


@pytest.mark.parametrize("test", [name for name in TESTS.builtin if not TESTS[name].plain_p])
def test_no_test_claims_what_new_runs_may_turn(test):
    """The p-value of each test is at least that of the t test that counts runs, after its correction."""
    scores = as_scores(made(3, spread=0.05, n_systems=3))
    given = {} if TESTS[test].resampled is False else {"n_resamples": 200, "rng": 1}
    result = compare_systems(scores, test=test, **given)
    beyond = paired_t_test(scores, correction="none").data["p_value"].to_numpy()
    assert (result.data["p_corrected"].to_numpy() >= beyond * (1 - 1e-9)).all()
    assert not (result.data["significant"].to_numpy() & result.open_by_runs()).any()


@pytest.mark.parametrize("spread", [0.0, 0.02, 0.05])
def test_equal_systems_are_called_better_no_more_often_than_promised(spread):
    """Of 600 null tables the level is .05, give or take three standard errors (.027); items alone claim up to .6."""
    scores = as_scores(made(9, spread=spread, n_sets=600), metrics=[f"set {at}" for at in range(600)])
    data = paired_t_test(scores, correction="none").data
    sides = [(data["significant"] & (data["better"] == side)).mean().item() for side in (1, -1)]
    assert sum(sides) <= 0.077
    assert max(sides) <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / 600)
    assert spread == 0.0 or (data["p_items"] <= 0.05).mean() > 0.2


@pytest.fixture(scope="module")
def turned():
    """Return scores of which items alone are sure and runs are not: of the t test the p-values say so."""
    scores = as_scores(made(1, spread=0.05, lead=0.06), systems=["A", "B"])
    data = paired_t_test(scores, correction="none").data
    assert data["p_items"].item() < 0.01
    assert data["p_value"].item() > 0.05
    return scores


def test_the_page_of_a_pair_says_that_it_is_open(turned):
    report = study_table(turned).report()
    assert report.summary[0].startswith("Open: A is better than B")
    assert "new runs may turn it" in report.summary[0]
    assert report.key_figures.frame["verdict"].tolist() == ["open"]
    assert study_table(turned).to_frame()["marks"].tolist() == ["", ""]


def test_a_board_and_its_requirement_are_open_too(turned):
    """Ranks leave the order open, nobody is sure to be best, and no number of items is said to tell."""
    required = check_requirements(turned, ["A > B", "B > A"])
    assert required.to_frame()["state"].tolist() == ["open", "open"]
    assert required.to_frame()["items_needed"].isna().all()
    assert not rank_intervals(turned, rng=0).data["significant"].any()
    study = study_leaderboard(turned, n_resamples=20, rng=0)
    assert study.best.to_frame()["p_best"].max() < 0.99
    assert study.report().summary[0] == study_table(turned).report().summary[0]
    assert study.report().summary[0].startswith("Open: A is better than B")


def test_two_systems_over_runs_have_one_verdict_of_ranks_and_of_the_t_test():
    """SciPy's t says p = .038 with the runs in its error; draws with so few degrees of freedom left the order open."""
    values = made(6, spread=0.05, lead=0.17)[0]
    t, freedom, _ = by_hand(values)
    assert 2 * stats.t.sf(abs(t), freedom) == pytest.approx(0.038, abs=5e-4)
    scores = as_scores(values[None])
    for method in ("posterior", "guaranteed"):
        assert rank_intervals(scores, method=method, rng=0).data["significant"].item()
    report = study_leaderboard(scores, n_resamples=20, rng=0).report()
    assert report.summary[0].startswith("Yes: system1 is significantly better")
    assert report.key_figures.frame["verdict"].tolist() == ["yes"]


def test_a_requirement_is_a_one_sided_t_test_with_the_runs():
    values = made(5, spread=0.02, lead=0.1)[0]
    row = check_requirements(as_scores(values[None]), ["system1 > system2"]).to_frame().iloc[0]
    t, freedom, _ = by_hand(values)
    assert row["p_value"] == pytest.approx(stats.t.sf(t, freedom))


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_many_runs_make_no_requirement_surer_than_its_items_are(seed):
    """Degrees of freedom of 30 runs on four items would: then SciPy's paired t test has the larger p, and decides."""
    draw = np.random.default_rng(seed)
    values = draw.normal(0, 0.05, (2, 4, 30)) + draw.normal(0, 0.1, (2, 1, 30)) + draw.normal(0, 0.05, (2, 4, 1))
    values[0] += 0.15
    scores, (a, b) = as_scores(values[None]), values.mean(axis=2)
    row = check_requirements(scores, ["system1 > system2"], alpha=0.01).to_frame().iloc[0]
    items = stats.ttest_rel(a, b, alternative="greater")
    assert row["p_value"] == pytest.approx(items.pvalue)
    assert row["low"] == pytest.approx(items.confidence_interval(0.99).low)
    tested = paired_t_test(scores, alternative="greater", correction="none").data
    assert tested["p_items"].item() == tested["p_value"].item() == pytest.approx(items.pvalue)


def test_pairs_of_many_that_new_runs_may_turn_are_counted():
    study = study_table(as_scores(made(4, spread=0.05, n_systems=6)))
    n_open = int(study.comparison.open_by_runs().sum())
    assert n_open > 1
    assert f"{n_open} more pairs differ on these runs" in study.report().summary[0]


def test_topics_that_a_pair_rests_on_are_those_without_which_runs_leave_it_open():
    """The pair is tested again without them, and it is not significant; with one of them back it is."""
    scores = as_scores(made(5, spread=0.004, lead=0.035))
    result = paired_t_test(scores, correction="none")
    (row,) = result.rests_on().to_dict("records")

    def tested(gone):
        kept = result.scores.isel(topic=~result.scores["topic"].isin(gone).to_numpy())
        return paired_t_test(kept, correction="none").data["significant"].item()

    assert tested([])
    assert not tested(row["rests_on"])
    assert any(tested([name for name in row["rests_on"] if name != back]) for back in row["rests_on"])


def test_a_single_run_of_each_is_tested_on_items_alone():
    values = made(6, spread=0.05)[..., :1]
    result = paired_t_test(as_scores(values), correction="none")
    assert "p_items" not in result.data
    assert result.pvalue == pytest.approx(stats.ttest_rel(*values[0, :, :, 0]).pvalue)


def power_of(shift, freedom):
    """Return the power of SciPy's two-sided t test at .05 at a shift in standard errors."""
    edge = stats.t.isf(0.025, freedom)
    return stats.nct.sf(edge, freedom, shift) + stats.nct.cdf(-edge, freedom, shift)


@pytest.mark.parametrize("seed", range(3))
def test_a_detectable_difference_has_the_runs_in_its_error(seed):
    """SciPy's non-central t with the error and the degrees of freedom by hand has power .8 there, for any page."""
    values = made(seed, spread=0.03)[0]
    scores, (_, freedom, error) = as_scores(values[None]), by_hand(values)
    found = detectable_differences(scores, corrections="none").data["difference"].item()
    assert power_of(found / error, freedom) == pytest.approx(0.8, abs=1e-3)
    assert detectable_by_topics(engine_scores(scores), [N_ITEMS])["difference"].item() == pytest.approx(found)
    study = study_leaderboard(scores, n_resamples=20, rng=0)
    assert study.card()["metrics"][0]["detectable_difference"] == pytest.approx(found)


def test_no_number_of_items_is_told_where_runs_differ(turned):
    """What runs add stays whatever the number of items; where each has one run, the number is told."""
    needed = topics_to_separate(turned).to_frame()
    columns = ["likely", "topics_needed", "topics_needed_low", "topics_needed_high", "units_needed"]
    assert needed[columns].isna().all(axis=None)
    one_run = as_scores(made(1, spread=0.0, lead=0.05)[..., :1].squeeze(-1))
    assert topics_to_separate(one_run).to_frame()["topics_needed"].notna().all()


def test_aggregates_conclude_as_the_board_does(turned):
    """The mean separates as many pairs as the comparison; aggregates that know of no runs are not shown."""
    study = study_leaderboard(turned, n_resamples=20, rng=0)
    assert study.conclusions["aggregate"].tolist() == ["mean"]
    assert study.conclusions["n_significant"].tolist() == [int(study.comparison.data["significant"].sum())]
    assert "runs of a system differ" in study.unanswered["Aggregates other than the mean"]
    means = aggregate_scores(turned, aggregates=["mean"])
    assert compare_systems(means).pvalue == pytest.approx(compare_systems(turned).pvalue)


def test_counts_of_items_say_that_they_are_of_these_runs(turned):
    """Sets of items share the runs, so that no error rate of theirs knows of new ones."""
    words = study_topics(turned, sizes=[5, 10], n_trials=5, bayesian=False, rng=0).report().summary[2]
    assert words.startswith("Counts are of these runs of the systems")
