"""Cohorts: counts in literal loops, chance by all draws and by SciPy, selection on equal systems, laws, refusals."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.resampling.cohorts import (
    _best_without,
    _idle_at_random,
    _idle_of_first,
    _idle_share,
    analyse_cohorts,
)
from metaeval.table.scores import as_scores

PASSES = hnp.arrays(float, (7, 9), elements=st.integers(0, 2))
QUICK = {"n_splits": 1, "rng": 0}
SHARES = ["idle", "idle_varying", "idle_random", "idle_unseen", "stays"]


def passes(seed, n_systems=14, n_topics=40, **labels):
    """Draw scores of 0 and 1 of systems that get better one by one, on topics that get harder one by one."""
    rng = np.random.default_rng(seed)
    logit = np.linspace(-1, 2, n_systems)[:, None] + np.linspace(3, -3, n_topics)
    return as_scores((rng.random((n_systems, n_topics)) < 1 / (1 + np.exp(-logit))) * 1.0, **labels)


def idle(rows, near=0.01):
    """Say of a topic, by its scores, whether it decides nothing."""
    return bool(np.ptp(rows) <= near + 1e-12)


def with_gaps(values, seed, rate=0.25):
    """Take scores out; system 1 and topic 1 keep all, so that all stay linked."""
    gone = np.random.default_rng(seed).random(values.shape) < rate
    gone[0] = gone[:, 0] = False
    return np.where(gone, np.nan, values)


@pytest.mark.parametrize("gaps", [False, True])
def test_chance_by_all_draws(gaps):
    """The mean over topics of the share of draws, of k systems that have the topic, where it decides nothing."""
    values = np.random.default_rng(2).integers(0, 4, (7, 12)) / 3
    values = with_gaps(values, 3, 0.4) if gaps else values
    near = 0.34
    for k, found in enumerate(_idle_at_random(values, near, np.arange(2, 8)), start=2):
        known = [column[np.isfinite(column)] for column in values.T]
        told = [np.mean([idle(draw, near) for draw in combinations(own, k)]) for own in known if len(own) >= k]
        assert found == pytest.approx(np.mean(told)), k


def test_chance_of_passes_is_hypergeometric():
    """Of 0 and 1: all drawn pass, or all fail, by SciPy."""
    values = passes(4, 30).to_numpy()[0]
    passed, k = values.sum(axis=0).astype(int), 8
    expected = stats.hypergeom.pmf(k, 30, passed, k) + stats.hypergeom.pmf(0, 30, passed, k)
    assert _idle_at_random(values, 0.01, np.array([k])) == pytest.approx(expected.mean())


@pytest.mark.parametrize("kind", ["plain", "weights", "clusters", "gaps"])
def test_counts_in_loops(kind):
    """Kinds, topics without which the top is chosen anew, and systems left out, one at a time.

    With gaps all of it, chance too, is on the topics that all of the cohort have.
    """
    values, k = passes(5).to_numpy()[0], 5
    names = [str(place) for place in range(1, 41)]
    weights, clusters = np.ones(40), np.arange(40)
    labels = {"topics": names}
    if kind == "weights":
        weights = 1.0 + np.arange(40) % 3
        labels["weights"] = dict(zip(names, weights, strict=True))
    if kind == "clusters":
        clusters = np.arange(40) % 11
        labels["clusters"] = {name: str(place) for name, place in zip(names, clusters, strict=True)}
    if kind == "gaps":
        values = with_gaps(values, 6, 0.1)
    scores = as_scores(values, missing="pairwise" if kind == "gaps" else "error", **labels)
    found = analyse_cohorts(scores, cohorts=[f"top{k}"], **QUICK)
    member = found.data["member"].to_numpy()[0, 0]
    own, row = values[member], found.to_frame().iloc[0]
    assert row["n_systems"] == row["n_counted"] == member.sum() >= k
    common = [topic for topic in range(40) if np.isfinite(own[:, topic]).all()]
    assert (row["n_topics"], row["n_aside"]) == (len(common), 40 - len(common))
    assert (len(common) < 40) == (kind == "gaps")
    assert row["idle"] == row["idle_varying"] == pytest.approx(np.mean([idle(own[:, topic]) for topic in common]))
    levels = [set(own[:, topic]) if topic in common else None for topic in range(40)]
    named = {"all pass": {1.0}, "all fail": {0.0}, "separates": {0.0, 1.0}, "untold": None}
    for name, level in named.items():
        assert (found.topics()["kind"] == name).tolist() == [one == level for one in levels]
    without = [(one, idle(np.delete(own[:, one], gone))) for gone in range(len(own)) for one in common]
    assert row["stays"] == pytest.approx(np.mean([idle(own[:, topic]) for topic, before in without if before]))
    chances = []
    for topic in common:
        there = values[np.isfinite(values[:, topic]), topic]
        n, m, passed = len(own), len(there), int(there.sum())
        chances.append((comb(passed, n) + comb(m - passed, n)) / comb(m, n))
    assert row["idle_random"] == pytest.approx(np.mean(chances))
    if kind != "gaps":  # whose means have no short formula; see below
        unseen = []
        for topic in range(40):
            other = clusters != clusters[topic]
            means = np.round(values[:, other] @ weights[other] / weights[other].sum(), 12)
            best = means >= np.sort(means)[-k]
            unseen.append(idle(values[best, topic]))
        assert row["idle_unseen"] == pytest.approx(np.mean(unseen))


def test_the_top_without_a_topic_with_gaps():
    """A score on the topic itself makes no system one of the best there: whatever it is, the others decide.

    Best are four of those that have the topic.
    """
    values, every = with_gaps(passes(7).to_numpy()[0], 8, 0.1), np.ones(40, dtype=bool)
    found = _best_without(as_scores(values, missing="pairwise"), values, 4, every)
    turned = values.copy()
    turned[:, 5] += 1.0  # as hard for all
    again = _best_without(as_scores(turned, missing="pairwise"), turned, 4, every)
    np.testing.assert_array_equal(found, again)
    assert (found.sum(axis=0) >= 4).all()
    assert np.isfinite(values[found]).all()
    np.testing.assert_array_equal(
        _best_without(as_scores(turned, missing="pairwise"), turned, 4, every & (np.arange(40) == 7)), found[:, [7]]
    )


def test_one_other_topic_is_enough_to_be_the_best_by():
    """A system with two topics is the best on each by the other; with one, it is so nowhere."""
    values = np.array([[1.0, 1.0, np.nan, np.nan], [0.5, 0.4, 0.6, 0.5], [0.2, 0.3, 0.1, 0.2]])
    every = np.ones(4, dtype=bool)
    assert _best_without(as_scores(values, missing="pairwise"), values, 1, every)[0].tolist() == [1, 1, 0, 0]
    values[0, 1] = np.nan
    assert not _best_without(as_scores(values, missing="pairwise"), values, 1, every)[0].any()


def without_failing(k, *, gaps):
    """Return twelve systems on 30 topics; the k last lack all topics but the first ten, or each lacks others."""
    values = passes(15, 12, 30).to_numpy()[0]
    if gaps == "few systems":
        values[:k, 10:] = np.nan
    else:
        for system in range(12):
            values[system, (3 * system + np.arange(9)) % 30] = np.nan
    return as_scores(values, missing="pairwise", groups={f"system{place}": "ab"[place > 9] for place in range(1, 13)})


def test_a_cohort_that_shares_too_little():
    """Systems with most gaps do not count, and are named; where no part is left nothing is told, with the reason."""
    found = analyse_cohorts(without_failing(2, gaps="few systems"), cohorts=["top12", "a"], **QUICK)
    rows = found.to_frame().set_index("cohort")
    assert rows.loc["top12", ["n_systems", "n_counted", "n_topics", "n_aside"]].tolist() == [12, 10, 30, 0]
    assert rows.loc["a", ["n_systems", "n_counted", "n_topics", "n_aside"]].tolist() == [9, 7, 30, 0]
    assert sorted(found.members().query("not counted and cohort == 'a'")["system"]) == ["system1", "system2"]
    values = without_failing(2, gaps="few systems").to_numpy()[0, 2:]
    assert rows.loc["top12", "idle"] == pytest.approx(np.mean([idle(column) for column in values.T]))
    assert float(found.data["curve_top"].sel(size=10)[0]) == pytest.approx(rows.loc["top12", "idle"])
    assert (int(found.data["curve_systems"][0]), int(found.data["curve_topics"][0])) == (10, 30)
    assert np.isnan(found.data["curve_top"].sel(size=[11, 12])).all()
    none = analyse_cohorts(without_failing(2, gaps="all over"), cohorts=["top12"], **QUICK)
    row = none.to_frame().iloc[0]
    assert (row["n_topics"], row["n_aside"]) == (0, 30)
    assert row[SHARES].isna().all()
    assert none.unanswered["top12, metric1"].startswith("no topic has scores of all systems")
    assert none.plot().axes


def test_one_value_throughout():
    """A reference in the middle of the scale keeps topics from deciding nothing; without it they are as they were."""
    values = passes(16).to_numpy()[0]
    own = analyse_cohorts(values, cohorts=["top9"], **QUICK)
    members = own.data["member"].to_numpy()[0, 0]
    more = np.vstack([values, np.full((1, 40), 0.5)])
    names = {f"system{place + 1}": "in" if place == 14 or members[place] else "out" for place in range(15)}
    found = analyse_cohorts(as_scores(more, groups=names), cohorts=["in"], **QUICK)
    row, before = found.to_frame().iloc[0], own.to_frame().iloc[0]
    assert row["idle"] == 0 < row["idle_varying"] == before["idle"]
    assert found.data["system"].to_numpy()[found.data["constant"].to_numpy()[0]].tolist() == ["system15"]


def test_selection_lifts_the_count_among_equal_systems():
    """Of 40 equal systems the top 5 by the same 20 topics pass more of them; chosen without the topic they do not."""
    rng = np.random.default_rng(9)
    seen, unseen, chance = [], [], []
    for _ in range(80):
        values = (rng.random((40, 20)) < 0.7) * 1.0
        order = np.argsort(-values.mean(axis=1), kind="stable")
        seen.append(_idle_of_first(values[order], 0.01)[3])
        best = _best_without(as_scores(values), values, 5, np.ones(20, dtype=bool))
        unseen.append(_idle_share(np.where(best, values, np.nan), 0.01))
        chance.append(_idle_at_random(values, 0.01, np.array([5]))[0])
    assert np.mean(seen) > np.mean(chance) + 0.2
    assert np.mean(unseen) <= np.mean(chance) + 3 * np.std(unseen) / np.sqrt(
        len(unseen)
    )  # ties make tops of more than 5


def test_subsets_are_those_of_the_cohort():
    """Half of the cohort chooses; as many as separate it keep the conclusions of those that did not choose."""
    found = analyse_cohorts(passes(10, 30, 60), cohorts=["top12"], n_splits=4, rng=1)
    made = found.subsets["metric1", "top12"]
    assert made.n_systems == (6, 6)
    n_separating = int((found.data["kind"] == "separates").sum())
    assert sorted({15, 30, n_separating}) == made.data["size"].to_numpy().tolist()
    frame = found.subset_frame()
    assert (frame["cohort"] == "top12").all()
    assert {"tau", "kept", "kept_all", "kept_all_gain"} < set(frame)
    assert found.unanswered == {}


def test_groups_and_too_small_cohorts():
    """A group is a cohort of its own, not chosen by scores; four systems cannot choose and judge, and say so."""
    groups = {f"system{place}": "small" if place <= 4 else "large" for place in range(1, 15)}
    found = analyse_cohorts(passes(11, groups=groups), cohorts=["small", "large", "top10"], **QUICK)
    frame = found.to_frame().set_index("cohort")
    assert frame["n_systems"].tolist()[:2] == [4, 10]
    assert frame["idle_unseen"].isna().tolist() == [True, True, False]
    assert set(found.subsets) == {("metric1", "large")}
    assert "there are 4 systems" in found.unanswered["small, metric1"]
    assert "in 2 groups, which are not split" in found.unanswered["top10, metric1"]
    assert found.members().columns.tolist() == ["metric", "cohort", "system", "counted"]
    assert set(found.members()["cohort"]) == {"small", "large", "top10"}


def test_degenerate_tables():
    """All equal: all decide nothing, whatever is drawn; two systems; one cluster, which counts as none."""
    row = analyse_cohorts(np.full((12, 5), 0.3), **QUICK).to_frame().iloc[0]
    assert row["n_systems"] == 12  # all tie with the tenth
    assert row[SHARES].fillna(-1).tolist() == [1, -1, 1, 1, 1]  # none varies
    two = passes(12, groups={f"system{place}": str(place // 2) for place in range(1, 15)})
    assert np.isnan(analyse_cohorts(two, cohorts=["1"], **QUICK).to_frame()["stays"].iloc[0])
    one = passes(13, clusters={str(place): "a" for place in range(1, 41)})
    shares = [analyse_cohorts(scores, cohorts=["top5"], **QUICK).to_frame()[SHARES] for scores in (one, passes(13))]
    pd.testing.assert_frame_equal(*shares)


@settings(max_examples=12)
@given(PASSES, st.integers(0, 100))
def test_laws(counts, seed):
    """Order goes along; the unit, the zero and the direction do not matter; all systems are no draw."""
    rng = np.random.default_rng(seed)
    systems, topics = rng.permutation(7), rng.permutation(9)
    names = [f"s{place}" for place in range(7)]
    labels = {"systems": names, "topics": list("abcdefghi")}
    asked = {"cohorts": ["top3", "top4"], "n_splits": 1, "rng": 0}
    own = analyse_cohorts(as_scores(counts, **labels), **asked).to_frame()
    assert _idle_at_random(counts, 0.01, np.array([7])) == pytest.approx((np.ptp(counts, axis=0) == 0).mean())
    moved = {"systems": [names[place] for place in systems], "topics": [labels["topics"][place] for place in topics]}
    others = {
        "order and tenths": as_scores(counts[systems][:, topics] / 10, **moved),
        "direction": as_scores(2 - counts, higher_is_better=False, **labels),
    }
    for scores in others.values():
        np.testing.assert_allclose(analyse_cohorts(scores, **asked).to_frame()[SHARES], own[SHARES])


@settings(max_examples=10)
@given(PASSES, st.integers(0, 100), st.sampled_from([0.1, 0.3, 0.6]))
def test_what_some_lack_does_not_matter(counts, seed, rate):
    """Without the items left aside every share of a group is the same."""
    groups = {f"system{place}": "ab"[place > 4] for place in range(1, 8)}
    scores = as_scores(with_gaps(counts.astype(float), seed, rate), missing="pairwise", groups=groups)
    found = analyse_cohorts(scores, cohorts=["a"], **QUICK)
    told = (found.data["kind"].squeeze() != "untold").to_numpy()
    assume(told.sum() > 1)
    rest = analyse_cohorts(scores.isel(topic=told), cohorts=["a"], **QUICK).to_frame()
    shares = ["n_idle", "n_topics", "n_counted", "idle", "idle_random", "stays"]
    np.testing.assert_allclose(rest[shares], found.to_frame()[shares])
    assert rest["n_aside"].tolist() == [0]


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"cohorts": ["top15"]}, InvalidOptionError, "'top15', and there are 14 systems; name a top from 'top2' to"),
        ({"cohorts": ["top1"]}, InvalidOptionError, "names 'top1', which is one system; a cohort has two at least"),
        (
            {"cohorts": ["best"]},
            InvalidOptionError,
            "no cohort 'best'; name a top from 'top2' to 'top14': these",
        ),
        ({"cohorts": []}, InvalidOptionError, "`cohorts` is empty"),
        ({"tolerance": 1}, InvalidOptionError, "tolerance"),
    ],
)
def test_refusals(options, kind, words):
    """What is outside its rule is named."""
    with pytest.raises(kind, match=words):
        analyse_cohorts(passes(14), **options)


def test_no_top_of_few_systems():
    """Ten systems have no top ten."""
    with pytest.raises(ScoresError, match="by default the top 10; there are 10 systems"):
        analyse_cohorts(passes(15, 10))
