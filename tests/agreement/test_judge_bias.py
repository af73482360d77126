"""Group bias: a literal version, tests of SciPy where they are special cases, laws, refusals, DL19."""

import itertools
import re
import tarfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval import as_scores, read_collection, score
from metaeval.agreement import favoured_by_covariate, favoured_groups, kendall_tau
from metaeval.agreement.judge_bias_statistics import bend, of_group
from metaeval.collection.assembly import judgments_from
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError, UnknownNameError

FIGURES = ["figure", "low_topics", "high_topics", "low_both", "high_both"]
ADJUSTED = ["adjusted", *(f"adjusted_{name}" for name in FIGURES[1:])]
NAMES = ("nist", "ann", "ben", "gpt")


def values(n_systems=12, n_topics=9, seed=0, n_judges=4):
    """Make scores (judge, system, topic): a reference, and judges with scales and noise of their own."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.5, 0.15, (n_systems, 1)) + rng.normal(0, 0.1, (n_systems, n_topics)) + rng.random(n_topics)
    slopes = np.linspace(1, 1.6, n_judges)[:, None, None]
    noise = rng.normal(0, 0.05, (n_judges, n_systems, n_topics)) + rng.normal(0, 0.03, (n_judges, n_systems, 1))
    return slopes * truth + noise


def scores_of(table, **options):
    """Name judges and systems s0, s1, ..."""
    names = [f"s{place}" for place in range(table.shape[1])]
    return as_scores(table, metrics=list(NAMES[: len(table)]), systems=names, **options)


def members(*places, name="group"):
    return {f"s{place}": name for place in places}


GROUP = members(0, 1, 2, 3, 4)
SCORES = scores_of(values())


def literal(table, judge, inside, *, adjusted):
    """Return the figure, its error over topics, and error and freedom over both, by loops (groups of five or more)."""
    x, y = table[0], table[judge]
    n_topics = x.shape[1]
    outside = [place for place in range(len(x)) if place not in inside]

    def slope(topics):
        above = below = 0.0
        for t, u in itertools.permutations(topics, 2):
            for s in outside:
                known = x[s, u] - np.mean([x[r, u] for r in outside])
                above += (y[s, t] - np.mean([y[r, t] for r in outside])) * known
                below += (x[s, t] - np.mean([x[r, t] for r in outside])) * known
        return above / below, below / len(topics) / (len(topics) - 1)

    def figure(topics):
        beta = slope(topics)[0] if adjusted else 1.0
        rest = [y[s, topics].mean() - beta * x[s, topics].mean() for s in range(len(x))]
        return np.mean([rest[s] for s in inside]) - np.mean([rest[s] for s in outside])

    every = list(range(n_topics))
    value = figure(every)
    pseudo = [n_topics * value - (n_topics - 1) * figure([t for t in every if t != left]) for left in every]
    over_topics = np.var(pseudo, ddof=1) / n_topics
    beta, true = slope(every) if adjusted else (1.0, np.nan)
    lead = x[inside].mean() - x[outside].mean()
    across = x[outside].mean(axis=1) - x[outside].mean()
    total, below = over_topics, over_topics**2 / (n_topics - 1)
    for own, is_outside in ((list(inside), False), (outside, True)):
        left = y[own] - beta * x[own]
        freedom, weight = len(own) - 1, 1 / len(own)
        columns = [np.ones(len(own))]
        if is_outside and adjusted:
            columns.append(across)
            freedom -= 1
            weight += lead**2 * (across @ across) / true**2
        design = np.column_stack(columns)
        left -= design @ np.linalg.lstsq(design, left, rcond=None)[0]
        means = left.mean(axis=1)
        outer = (means**2).sum() / freedom
        inner = ((left - means[:, None]) ** 2).sum() / freedom / (n_topics - 1) / n_topics
        if outer > inner:
            total += weight * (outer - inner)
            below += (weight * outer) ** 2 / freedom + (weight * inner) ** 2 / (freedom * (n_topics - 1))
    return value, np.sqrt(over_topics), np.sqrt(total), total**2 / below


@pytest.mark.parametrize("adjusted", [False, True])
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_the_literal_version_agrees(adjusted, seed):
    """Double sums over topics, topics left out one by one, and mean squares by hand."""
    table = values(seed=seed)
    found = favoured_groups(scores_of(table), GROUP, reference="nist", confidence_level=0.9).table
    columns = ADJUSTED if adjusted else FIGURES
    for judge in range(1, 4):
        value, over_topics, error, freedom = literal(table, judge, [0, 1, 2, 3, 4], adjusted=adjusted)
        half_topics = stats.t.ppf(0.95, table.shape[2] - 1) * over_topics
        half = stats.t.ppf(0.95, freedom) * error
        expected = [value, value - half_topics, value + half_topics, value - half, value + half]
        np.testing.assert_allclose(found.loc[judge - 1, columns].astype(float), expected, rtol=1e-8)


def test_over_topics_it_is_the_t_test_of_one_number_a_topic():
    """SciPy's test of the differences in differences."""
    gain = SCORES.to_numpy()[1:] - SCORES.to_numpy()[0]
    expected = stats.ttest_1samp(gain[:, :5].mean(axis=1) - gain[:, 5:].mean(axis=1), 0, axis=1)
    found = favoured_groups(SCORES, GROUP, reference="nist", adjusted=False, over="topics", correction="none").table
    np.testing.assert_allclose(found["p"], expected.pvalue, rtol=1e-9)
    np.testing.assert_allclose(found["low_topics"], expected.confidence_interval().low, rtol=1e-9)
    assert found["p_corrected"].tolist() == found["p"].tolist()


@pytest.mark.parametrize(("size", "equal_var"), [(5, False), (2, True)])
def test_without_noise_of_topics_it_is_the_t_test_of_two_samples(size, equal_var):
    """Where every topic says the same only systems vary: Welch's test, and Student's for a small group."""
    table = values(n_judges=2)
    table[1] = table[0] + np.random.default_rng(3).normal(0, 0.1, (12, 1))
    found = favoured_groups(scores_of(table), members(*range(size)), reference="nist", adjusted=False)
    gain = (table[1] - table[0])[:, 0]
    expected = stats.ttest_ind(gain[:size], gain[size:], equal_var=equal_var)
    assert found.table["p"].item() == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.table["high_both"].item() == pytest.approx(expected.confidence_interval().high, rel=1e-9)


def test_noise_of_topics_does_not_flatten_the_slope():
    """With few topics an ordinary regression finds too little of a slope of 1; products across topics find it."""
    rng = np.random.default_rng(4)
    slopes = []
    inside = np.arange(30) < 5
    for _ in range(200):
        table = rng.normal(0, 0.1, (30, 1)) + rng.normal(0, 0.2, (2, 30, 8))
        plain = np.polyfit(table[0, 5:].mean(axis=1), table[1, 5:].mean(axis=1), 1)[0]
        own = of_group(table[1:], table[0], inside, ~inside, adjusted=True).slope.item()
        slopes.append((plain, own))
    plain, own = np.nanmedian(slopes, axis=0)
    assert plain < 0.75
    assert own == pytest.approx(1, abs=0.08)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 1.5, 7.0]), st.floats(-1, 1))
def test_a_judge_on_another_scale_says_the_same_on_it(seed, factor, shift):
    """Adjusted figures and intervals are in the judge's unit, p the same; shifts, by topic too, change nothing."""
    table = values(n_systems=11, n_topics=6, seed=seed)
    other = table.copy()
    other[1:] = factor * table[1:] + shift + np.arange(6)
    one, two = (favoured_groups(scores_of(each), GROUP, reference="nist").table for each in (table, other))
    np.testing.assert_allclose(two[ADJUSTED], factor * one[ADJUSTED], atol=1e-9)
    np.testing.assert_allclose(two["p"], one["p"], atol=1e-7)
    np.testing.assert_allclose(two["slope"], factor * one["slope"], rtol=1e-7)


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_laws_of_the_plain_figure(seed):
    """Judge and reference exchanged, or group and others, turn the sign; order of systems and topics is nothing."""
    table = values(seed=seed)
    rng = np.random.default_rng(seed)
    groups = GROUP | members(*range(5, 12), name="rest")
    found = favoured_groups(scores_of(table), groups, reference="nist").table.set_index("group")
    np.testing.assert_allclose(found.loc["rest", "figure"], -found.loc["group", "figure"], atol=1e-12)
    np.testing.assert_allclose(found.loc["rest", "low_both"], -found.loc["group", "high_both"], atol=1e-12)
    exchanged = favoured_groups(scores_of(table), GROUP, reference="gpt").table.set_index("judge")
    gpt = found.loc["group"].set_index("judge").loc["gpt"]
    assert exchanged.loc["nist", "figure"] == pytest.approx(-gpt["figure"], abs=1e-12)
    assert exchanged.loc["nist", "low_both"] == pytest.approx(-gpt["high_both"], abs=1e-12)
    mixed = SCORES.copy(data=table).isel(system=rng.permutation(12), topic=rng.permutation(9))
    again = favoured_groups(mixed, groups, reference="nist").table
    columns = [*FIGURES, *ADJUSTED, "p"]
    order = pd.MultiIndex.from_frame(again[["group", "judge"]])
    pd.testing.assert_frame_equal(
        again.set_index(order)[columns].sort_index(),
        found.set_index("judge", append=True)[columns].sort_index(),
        rtol=1e-6,
        check_names=False,
    )


def test_where_lower_is_better_favour_is_what_lowers():
    """Costs turned round are scores."""
    found = favoured_groups(SCORES, GROUP, reference="nist").table
    turned = favoured_groups(scores_of(-values(), higher_is_better=False), GROUP, reference="nist").table
    np.testing.assert_allclose(turned[ADJUSTED], found[ADJUSTED], rtol=1e-9)
    np.testing.assert_allclose(turned[FIGURES], found[FIGURES], rtol=1e-9)


def test_scores_in_tenths_and_in_counts_give_one_answer():
    """A judge that gives the group one tenth more everywhere does so without any doubt; one that stretches, nothing."""
    counts = np.random.default_rng(5).integers(0, 10, (1, 12, 9))
    table = np.concatenate([counts, counts, 3 * counts + 1])
    table[1, :5] += 1
    for one, unit in ((table, 1.0), (table / 10, 0.1)):
        found = favoured_groups(scores_of(one), GROUP, reference="nist", over="topics", adjusted=False).table
        assert found["figure"].tolist()[0] == pytest.approx(unit)
        assert found["p"].tolist()[0] == 2 / 2**9  # as the sign test of nine topics
        stretched = favoured_groups(scores_of(one), GROUP, reference="nist").table.iloc[1]
        if np.isfinite(stretched["adjusted"]):
            assert stretched[ADJUSTED].tolist() == [0, 0, 0, 0, 0]
            assert stretched["p"] == 1


def test_beyond_people_is_the_figure_beside_them():
    """With one person it is what the judge does beside that person; p-values of people are a family of their own."""
    found = favoured_groups(SCORES, GROUP, reference="nist", people=("ann",), adjusted=False)
    beside = favoured_groups(SCORES, GROUP, reference="ann").table.set_index("judge")
    table = found.table.set_index("judge")
    assert table["kind"].to_dict() == {"ann": "person", "ben": "judge", "gpt": "judge"}
    for judge in ("ben", "gpt"):
        expected = beside.loc[judge, ["figure", "low_both", "high_both"]].tolist()
        assert table.loc[judge, ["beyond_people", "beyond_low", "beyond_high"]].tolist() == pytest.approx(expected)
    assert np.isnan(table.loc["ann", "beyond_people"])
    assert table.loc["ann", "p_corrected"] == table.loc["ann", "p"]
    assert table.loc[["ben", "gpt"], "p_corrected"].min() == pytest.approx(2 * table.loc[["ben", "gpt"], "p"].min())
    both = favoured_groups(SCORES, GROUP, reference="nist", people=("ann", "ben")).table.set_index("judge")
    people = both.loc[["ann", "ben"], "adjusted"].mean()
    assert both.loc["gpt", "beyond_people"] == pytest.approx(both.loc["gpt", "adjusted"] - people)


def test_a_planted_favour_is_found_and_no_other():
    """A group lifted by .1 is found; people who stretch the scale are not."""
    rng = np.random.default_rng(6)
    truth = rng.normal(0.5, 0.1, (40, 1)) + rng.normal(0, 0.1, (40, 30))
    truth[:8] += 0.1
    table = np.stack([truth, 0.5 * truth, 1.5 * truth, truth]) + rng.normal(0, 0.05, (4, 40, 30))
    table[3, :8] += 0.1
    found = favoured_groups(scores_of(table), members(*range(8)), reference="nist").table.set_index("judge")
    assert found.loc["gpt", "p_corrected"] < 0.001
    assert found.loc["gpt", "adjusted"] == pytest.approx(0.1, abs=0.02)
    assert (found.loc[["ann", "ben"], "p"] > 0.05).all()
    assert found.loc["ben", "low_both"] > 0.01  # stretched by half, without the adjustment


@pytest.mark.parametrize("uneven", [0.0, 0.03])
def test_judges_without_favour_are_seldom_found_to_favour(uneven):
    """False alarms at .05, many judges of one reference at a time; the benchmark counts them over more cases."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(40):
        truth = rng.normal(0.5, 0.08, (30, 1)) + rng.normal(0, 0.12, (30, 25))
        truth[:6] += 0.1
        noise = rng.normal(0, 0.08, (12, 30, 25)) + rng.normal(0, uneven, (12, 30, 1))
        scores = as_scores(1.3 * truth + noise, systems=[f"s{place}" for place in range(30)])
        found += favoured_groups(scores, members(*range(6)), reference="metric1").table["p"].tolist()
    assert 0.02 <= np.mean(np.array(found) < 0.05) <= 0.09


def test_the_bend_of_a_scale_is_a_quadratic_term():
    """Against a fit of powers and SciPy's t: p is that of its last coefficient; units and origins change nothing."""
    known, judges = values()[0], values()[1:]
    curve, p = bend(judges, known)
    x = known.mean(axis=1)
    for place, own in enumerate(judges.mean(axis=2)):
        powers = np.vander((x - x.mean()) / x.std(), 3)
        fit, rest, *_ = np.linalg.lstsq(powers, own)
        error = np.sqrt(rest.item() / 9 * np.linalg.inv(powers.T @ powers)[0, 0])
        assert curve[place] == pytest.approx(fit[0])
        assert p[place] == pytest.approx(2 * stats.t.sf(abs(fit[0]) / error, 9))
    np.testing.assert_allclose(bend(3 * judges - 1, 0.5 * known + 2)[1], p)
    assert np.isnan(bend(judges[:, :3], known[:3])[1]).all()  # three points lie on a parabola
    assert np.isnan(bend(np.ones_like(judges), known)[1]).all()


def test_under_a_judge_that_saturates_a_good_group_is_not_called_favoured_without_a_remark():
    """Nobody is favoured; scores bend towards the top: found favoured more often than .05, or with the bend noted."""
    rng = np.random.default_rng(12)
    found, noted = [], []
    for _ in range(15):
        truth = rng.normal(0.5, 0.08, (40, 1)) + rng.normal(0, 0.12, (40, 25))
        truth[:8] += 0.1
        straight = truth + rng.normal(0, 0.08, (10, 40, 25))
        judges = (1 - np.exp(-3 * straight)) / (1 - np.exp(-3))
        scores = as_scores(np.concatenate([truth[None], judges]), systems=[f"s{place}" for place in range(40)])
        favoured = favoured_groups(scores, members(*range(8)), reference="metric1")
        found.append(favoured.table[["p", "bend_p"]].to_numpy())
        noted.append(any("saturates" in note for note in favoured.notes))
    p, bent = np.concatenate(found).T <= 0.05
    assert p.mean() > 0.08
    assert (p & ~bent).mean() <= 0.05
    assert noted == [bool(part.any()) for part in bent.reshape(15, -1)]


def test_small_groups_slopes_drawn_on_and_flat_references_are_noted():
    """What the figures rest on is said, and what cannot be told is not given."""
    small = favoured_groups(SCORES, members(0, 1), reference="nist")
    assert any("'group' has 2 systems and 10 others" in note for note in small.notes)
    table = values()
    table[:, :5] += 1
    assert any("outside the range" in note for note in favoured_groups(scores_of(table), GROUP, reference="nist").notes)
    few = favoured_groups(SCORES, members(*range(8)), reference="nist")
    assert few.table["adjusted"].isna().all()
    assert few.table["p"].isna().all()
    assert np.isfinite(few.table["low_both"]).all()
    assert any("a slope takes 5 other systems, and there are 4" in note for note in few.notes)
    flat = np.random.default_rng(8).normal(size=(2, 40, 10))
    unsure = favoured_groups(scores_of(flat), GROUP, reference="nist")
    assert any("reliability" in note for note in unsure.notes)
    assert unsure.table[[*ADJUSTED, "slope"]].isna().all(axis=None)
    two = favoured_groups(SCORES.isel(topic=[0, 1]), GROUP, reference="nist")
    assert any("a slope takes 3 topics" in note for note in two.notes)
    assert np.isfinite(two.table["low_topics"]).all()


def test_judges_that_say_nothing_or_the_same_are_named():
    """A constant judge has no scale to adjust by; two judges with the same scores are one voice."""
    table = values()
    table[2] = table[1]
    table[3] = 0.4
    found = favoured_groups(scores_of(table), GROUP, reference="nist")
    assert "judges that give all systems the same score, so there is no slope to adjust by: gpt" in found.notes
    assert "judges with the same scores: ann, ben" in found.notes
    rows = found.table.set_index("judge")
    assert np.isnan(rows.loc["gpt", ["adjusted", "p", "p_corrected", "slope"]].astype(float)).all()
    lead = table[0, :5].mean() - table[0, 5:].mean()
    assert rows.loc["gpt", "figure"] == pytest.approx(-lead)
    table[1] = table[0]
    same = favoured_groups(scores_of(table[:2]), GROUP, reference="nist").table.iloc[0]
    assert same[[*FIGURES, *ADJUSTED]].tolist() == [0] * 10
    assert same["p"] == 1


def test_a_judge_that_is_part_of_a_system_is_marked():
    """By the group or one of its systems."""
    groups = GROUP | members(5, 6, name="other")
    parts = {"gpt": ["s1"], "ben": ["other", "s11"]}
    found = favoured_groups(SCORES, groups, reference="nist", built_with=parts)
    marked = found.table[found.table["circular"]]
    assert list(zip(marked["judge"], marked["group"], strict=True)) == [("gpt", "group"), ("ben", "other")]
    assert any("circular" in note and "gpt of group" in note for note in found.notes)
    with pytest.raises(InvalidOptionError, match=r"`built_with` .*'ben' it names 'llama'"):
        favoured_groups(SCORES, GROUP, reference="nist", built_with={"ben": ["llama"]})
    with pytest.raises(UnknownNameError):
        favoured_groups(SCORES, GROUP, reference="nist", built_with={"llama": ["s1"]})


def test_groups_of_one_and_groups_without_others_are_left_out():
    """Where nothing else is left that is an error; a group may be compared with another one."""
    found = favoured_groups(SCORES, GROUP | {"s7": "alone"}, reference="nist")
    assert "groups of one system, left out: alone" in found.notes
    groups = GROUP | members(5, 6, 7, 8, 9, 10, name="quite other")
    against = favoured_groups(SCORES, groups, reference="nist", against="quite other")
    assert against.table[["group", "n_systems", "n_others"]].drop_duplicates().to_numpy().tolist() == [["group", 5, 6]]
    alone = favoured_groups(SCORES.isel(system=range(11)), groups, reference="nist").table
    columns = [*FIGURES, *ADJUSTED, "p"]
    pd.testing.assert_frame_equal(alone.loc[alone["group"] == "group", columns], against.table[columns])


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        ({"s0": "one"}, {}, "two or more systems.* received 'one'$"),
        ({}, {}, "two or more systems.* received none$"),
        (members(*range(12)), {}, "leave two systems"),
        (members(*range(11)), {}, "leave two systems"),
        (GROUP | {"bm25": "group"}, {}, "no 'bm25' among the 12"),
        ([("s0", "a")], {}, "mapping"),
        (GROUP, {"reference": "trec"}, "trec"),
        (GROUP, {"people": ("trec",)}, "trec"),
        (GROUP, {"people": ("nist",)}, "nist"),
        (GROUP, {"against": "bm25"}, "bm25"),
        (GROUP, {"against": "group"}, "another group"),
        (GROUP, {"over": "systems"}, "systems"),
        (GROUP, {"correction": "tukeyish"}, "tukeyish"),
        (GROUP, {"confidence_level": 95}, "confidence_level"),
    ],
)
def test_what_cannot_be_asked_is_refused(groups, options, message):
    """With the rule and what was received."""
    with pytest.raises(InvalidOptionError, match=message):
        favoured_groups(SCORES, groups, **{"reference": "nist"} | options)


def test_scores_that_cannot_be_compared_are_refused():
    """One topic, gaps, one judge, a reference that tells nothing, and judges of two directions."""
    with pytest.raises(ScoresError):
        favoured_groups(values()[:, :, :1], {"system1": "a", "system2": "a"}, reference="metric1")
    gappy = values()
    gappy[1, 2, 3] = np.nan
    with pytest.raises(MetaevalError, match="gaps"):
        favoured_groups(scores_of(gappy, missing="pairwise"), GROUP, reference="nist")
    with pytest.raises(InvalidOptionError, match="a judge beside"):
        favoured_groups(scores_of(values(n_judges=1)), GROUP, reference="nist")
    with pytest.raises(InvalidOptionError, match="one score on every topic"):
        favoured_groups(scores_of(values() * np.array([0, 1, 1, 1])[:, None, None]), GROUP, reference="nist")
    mixed = scores_of(values(), higher_is_better={"gpt": False, "nist": True, "ann": True, "ben": True})
    with pytest.raises(InvalidOptionError, match="one direction"):
        favoured_groups(mixed, GROUP, reference="nist")


COVARIATE = {f"s{place}": value for place, value in enumerate(np.random.default_rng(9).integers(50, 300, 12).tolist())}


@pytest.mark.parametrize("adjusted", [False, True])
def test_without_noise_of_topics_a_covariate_is_a_coefficient_of_regression(adjusted):
    """Least squares of the judge's means on the reference's and the covariate, with its standard error."""
    table = np.repeat(values(n_topics=1, n_judges=2, seed=3), 4, axis=2)
    found = favoured_by_covariate(scores_of(table), COVARIATE, reference="nist", name="length", adjusted=adjusted)
    x, y, z = table[0, :, 0], table[1, :, 0], np.array(list(COVARIATE.values()), dtype=float)
    design = np.column_stack([np.ones(12), z, x] if adjusted else [np.ones(12), z])
    wanted = y if adjusted else y - x
    beta, squares, *_ = np.linalg.lstsq(design, wanted, rcond=None)
    error = np.sqrt(squares[0] / (12 - design.shape[1]) * np.linalg.inv(design.T @ design)[1, 1])
    row = found.table.iloc[0]
    name, title = ("adjusted_low_both", "adjusted") if adjusted else ("low_both", "figure")
    assert row[f"{title}_per_unit"] == pytest.approx(beta[1])
    half = stats.t.ppf(0.975, 12 - design.shape[1]) * error
    assert row[name] / row["standard_deviation"] == pytest.approx(beta[1] - half)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(beta[1]) / error, 12 - design.shape[1]))
    assert row["group"] == "length"
    assert row["standard_deviation"] == pytest.approx(z.std(ddof=1))


def test_a_covariate_of_two_values_is_a_group():
    """The slope on 0 and 1 is the plain figure of the group; over topics the intervals are one too."""
    marks = {f"s{place}": float(place < 5) for place in range(12)}
    one = favoured_by_covariate(SCORES, marks, reference="nist").table
    two = favoured_groups(SCORES, GROUP, reference="nist").table
    spread = one["standard_deviation"].to_numpy()[:, None]
    np.testing.assert_allclose(one[FIGURES[:3]] / spread, two[FIGURES[:3]], rtol=1e-9)


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_the_unit_of_a_covariate_changes_what_is_per_unit_alone(seed):
    """Also a judge's scale is taken off: stretched by half, it favours nothing by more than it did."""
    table = values(seed=seed, n_judges=2)
    one = favoured_by_covariate(scores_of(table), COVARIATE, reference="nist").table
    metres = {name: value / 1000 + 3 for name, value in COVARIATE.items()}
    table[1] = 1.5 * table[1] + 0.2
    two = favoured_by_covariate(scores_of(table), metres, reference="nist").table
    np.testing.assert_allclose(two[ADJUSTED], 1.5 * one[ADJUSTED], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(two["adjusted_per_unit"], 1500 * one["adjusted_per_unit"], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(two["p"], one["p"], atol=1e-7)


@pytest.mark.parametrize(
    ("covariate", "message"),
    [
        ({"s0": 1.0}, "lacks 's1'"),
        (dict.fromkeys(COVARIATE, 3), "is 3 for all 12"),
        (COVARIATE | {"bm25": 3}, "no 'bm25'"),
        (COVARIATE | {"s3": float("nan")}, "'s3'"),
    ],
)
def test_covariates_that_say_nothing_are_refused(covariate, message):
    """With the rule and what was received; so are too few systems for a slope."""
    with pytest.raises(InvalidOptionError, match=message):
        favoured_by_covariate(SCORES, covariate, reference="nist")
    with pytest.raises(InvalidOptionError, match="5 systems"):
        favoured_by_covariate(
            SCORES.isel(system=range(4)), {f"s{place}": place for place in range(4)}, reference="nist"
        )


def test_the_frame_carries_the_question_and_the_picture_shows_every_row():
    """Flat rows with what was asked; a row a group and judge, with a head a group."""
    found = favoured_groups(SCORES, GROUP | members(5, 6, name="other"), reference="nist", people="ann")
    frame = found.to_frame()
    assert frame[["reference", "against", "p_of", "correction"]].drop_duplicates().to_numpy().tolist() == [
        ["nist", "others", "adjusted, both", "holm"]
    ]
    axes = found.plot().axes[0]
    words = [text.get_text() for text in axes.texts]
    assert words == ["group", "ann", "ben", "gpt", "other", "ann", "ben", "gpt"]
    shown = {line.get_label(): line for line in axes.lines}
    np.testing.assert_allclose(
        np.sort(shown["person"].get_xdata()), np.sort(frame.loc[frame.judge == "ann", "adjusted"])
    )
    assert shown["judge"].get_ydata().tolist() == [2, 3, 6, 7]
    assert favoured_by_covariate(SCORES, COVARIATE, reference="nist", name="length").plot().axes


def _grades(path):
    names = ["topic", "pass", "document", "grade"]
    frame = pd.read_csv(path, sep=r"\s+", header=None, names=names, dtype={"topic": str, "document": str})
    return frame.groupby(["topic", "document"])["grade"].max()


@pytest.mark.filterwarnings("ignore:in 6 of 61 runs")  # ties
def test_re_rankers_of_language_models_on_dl19(data_folder, tmp_path, checkout):
    """GPT-4o lifts them by .047 beside NIST, two second people by .027 and .029; adjusted by .040, .021 and .027."""
    judged, first = data_folder / "llm-judges-dl19", data_folder / "trec-dl19-passage"
    if not judged.is_dir() or not first.is_dir():
        pytest.skip(f"no llm-judges-dl19 and trec-dl19-passage in {data_folder}")
    for name in ("modern-runs", "auto-qrels"):
        with tarfile.open(judged / f"{name}.tar.xz") as packed:
            packed.extractall(tmp_path, filter="data")
    files = {"nist": first / "qrels.txt.gz"}
    files |= {f"human {number}": judged / f"qrels.second-human-{number}.txt.gz" for number in (1, 2)}
    files |= {model: tmp_path / "auto-qrels" / model / "umbrela.txt" for model in ("gpt-4o", "gpt-4")}
    grades = pd.DataFrame({name: _grades(path) for name, path in files.items()})
    grades = grades[grades["human 1"].notna()]
    assert len(grades) == 4511
    qrels = {}
    for (topic, document), level in grades.max(axis=1).astype(int).items():
        qrels.setdefault(topic, {})[document] = level
    runs = read_collection([first / "runs", tmp_path / "runs"], judgments_from(qrels))
    topics = np.array(runs.topics, dtype=object)[runs.topic_of_judgment]
    own = grades.reindex(pd.MultiIndex.from_arrays([topics, [name.decode() for name in runs.document_ids.tolist()]]))
    parts = [
        score(runs.rejudge(own[name].to_numpy().astype(np.int16)), ["nDCG@10"], undefined="zero") for name in files
    ]
    systems = parts[0]["system"].to_numpy().tolist()
    scores = as_scores(np.concatenate([part.to_numpy() for part in parts]), metrics=list(files), systems=systems)
    means = scores.to_numpy().mean(axis=2)
    assert kendall_tau(means[0], means[1]) == pytest.approx(0.885, abs=0.0005)  # as the description of the data has it
    assert kendall_tau(means[0], means[2]) == pytest.approx(0.874, abs=0.0005)
    groups = {name: "LLM" for name in systems if any(word in name for word in ("rankgpt", "rankzephyr", "rank-zephyr"))}
    assert len(systems) == 61
    assert len(groups) == 11
    found = favoured_groups(scores, groups, reference="nist", people=("human 1", "human 2"))
    table = found.table.set_index("judge").round(3)
    assert table["figure"].to_dict() == {"human 1": 0.027, "human 2": 0.029, "gpt-4o": 0.047, "gpt-4": 0.032}
    assert table["adjusted"].to_dict() == {"human 1": 0.021, "human 2": 0.027, "gpt-4o": 0.04, "gpt-4": 0.03}
    assert table.loc["gpt-4o", ["low_both", "high_both"]].tolist() == [0.027, 0.068]
    assert table.loc["gpt-4o", ["beyond_people", "beyond_low", "beyond_high"]].tolist() == [0.017, -0.006, 0.04]
    page = " ".join((checkout / "docs" / "can-we-replace-the-assessor.md").read_text("utf-8").split())
    number = r"(\S?\.\d+)"
    interval = rf"{number} \[{number}, {number}\]"
    said = re.search(
        rf"gain {interval} nDCG@10 under GPT-4o, adjusted\. .* people do it is {interval}\.", page
    ).groups()
    columns = ["adjusted", "adjusted_low_both", "adjusted_high_both", "beyond_people", "beyond_low", "beyond_high"]
    assert [float(one.replace("\u2212", "-")) for one in said] == table.loc["gpt-4o", columns].tolist()
    assert (table.loc[["human 1", "human 2"], "p_corrected"] > 0.1).all()
    assert (table.loc[["gpt-4o", "gpt-4"], "p_corrected"] <= 0.01).all()


def test_groups_that_could_not_be_tested_are_not_said_to_be_alike():
    """With four systems beside each of two groups there is no adjusted figure, no test, and no count of tests."""
    rng = np.random.default_rng(0)
    human = rng.normal(0.5, 0.1, (2 * 4, 40)) + np.linspace(0, 0.3, 8)[:, None]
    judge = human + rng.normal(0, 0.05, human.shape)
    scores = as_scores(np.stack([human, judge]), metrics=["human", "judge"])
    groups = {f"system{n + 1}": "ab"[n // 4] for n in range(8)}
    found = favoured_groups(scores, groups, reference="human")
    assert found.table["p"].isna().all()
    assert found.answer.endswith("; no figure could be tested.")
    plain = favoured_groups(scores, groups, reference="human", adjusted=False).answer
    assert "of 2 figures differ significantly from 0 (Holm" in plain
