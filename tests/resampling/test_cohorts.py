"""Cohorts: counts in literal loops, chance by all draws and by SciPy, selection on equal systems, laws, refusals."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.resampling.cohorts import IDLE, _best_without, _idle_at_random, _idle_of_first, _kinds, analyse_cohorts
from metaeval.table.scores import as_scores

PASSES = hnp.arrays(float, (7, 9), elements=st.integers(0, 2))
QUICK = {"n_splits": 1, "rng": 0}
SHARES = ["idle", "idle_random", "idle_unseen", "stays"]


def passes(seed, n_systems=14, n_topics=40, **labels):
    """Draw scores of 0 and 1 of systems that get better one by one, on topics that get harder one by one."""
    rng = np.random.default_rng(seed)
    logit = np.linspace(-1, 2, n_systems)[:, None] + np.linspace(3, -3, n_topics)
    return as_scores((rng.random((n_systems, n_topics)) < 1 / (1 + np.exp(-logit))) * 1.0, **labels)


def idle(rows, near):
    """Say of a topic, by its scores that are there, whether it decides nothing; None where it cannot be told."""
    rows = rows[np.isfinite(rows)]
    return None if len(rows) < 2 else bool(np.ptp(rows) <= near + 1e-12)


def share(told):
    """Return the share of the topics that can be told."""
    told = [one for one in told if one is not None]
    return sum(told) / len(told)


def with_gaps(values, seed, rate=0.25):
    """Take scores out; system 1 and topic 1 keep all, so that all stay linked."""
    gone = np.random.default_rng(seed).random(values.shape) < rate
    gone[0] = gone[:, 0] = False
    return np.where(gone, np.nan, values)


@pytest.mark.parametrize("gaps", [False, True])
def test_chance_by_all_draws(gaps):
    """Expected topics that decide nothing over expected topics that two have, over every draw of k systems."""
    values = np.random.default_rng(2).integers(0, 4, (7, 12)) / 3
    values = with_gaps(values, 3, 0.4) if gaps else values
    near = 0.34
    for k, found in enumerate(_idle_at_random(values, near), start=2):
        told = [idle(values[list(draw), topic], near) for draw in combinations(range(7), k) for topic in range(12)]
        assert found == pytest.approx(share(told)), k


def test_chance_of_passes_is_hypergeometric():
    """Of 0 and 1: all drawn pass, or all fail, by SciPy."""
    values = passes(4, 30).to_numpy()[0]
    passed, k = values.sum(axis=0).astype(int), 8
    expected = stats.hypergeom.pmf(k, 30, passed, k) + stats.hypergeom.pmf(0, 30, passed, k)
    assert _idle_at_random(values, 0.01)[k - 2] == pytest.approx(expected.mean())


@pytest.mark.parametrize("kind", ["plain", "weights", "clusters", "gaps"])
def test_counts_in_loops(kind):
    """Kinds, topics without which the top is chosen anew, and systems left out, one at a time."""
    values, near, k = passes(5).to_numpy()[0], 0.01, 5
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
    assert row["n_systems"] == member.sum() >= k
    told = [idle(column, near) for column in own.T]
    assert row["idle"] == pytest.approx(share(told))
    table = found.topics()
    for name, level in (("all pass", 1.0), ("all fail", 0.0)):
        expected = [bool(one) and np.nanmax(own[:, place]) == level for place, one in enumerate(told)]
        assert (table["kind"] == name).tolist() == expected
    before = after = 0
    for left_out in range(len(own)):
        for column in own.T[np.isfinite(own[left_out])]:
            rest = np.delete(column, left_out)
            if idle(rest, near) and idle(column, near) is not None:
                before, after = before + 1, after + idle(column, near)
    assert row["stays"] == pytest.approx(after / before)
    if kind != "gaps":  # whose means have no short formula; see below
        unseen = []
        for topic in range(40):
            other = clusters != clusters[topic]
            means = np.round(values[:, other] @ weights[other] / weights[other].sum(), 12)
            best = means >= np.sort(means)[-k]
            unseen.append(idle(values[best, topic], near))
        assert row["idle_unseen"] == pytest.approx(share(unseen))


def test_the_top_without_a_topic_with_gaps():
    """A score on the topic itself makes no system one of the best there: whatever it is, the others decide."""
    values = with_gaps(passes(7).to_numpy()[0], 8, 0.1)
    found = _best_without(as_scores(values, missing="pairwise"), values, 4)
    turned = values.copy()
    turned[:, 5] += 1.0  # as hard for all
    again = _best_without(as_scores(turned, missing="pairwise"), turned, 4)
    np.testing.assert_array_equal(found, again)
    assert (found.sum(axis=0) >= 4).all()


def test_selection_lifts_the_count_among_equal_systems():
    """Of 40 equal systems the top 5 by the same 20 topics pass more of them; chosen without the topic they do not."""
    rng = np.random.default_rng(9)
    seen, unseen, chance = [], [], []
    for _ in range(80):
        values = (rng.random((40, 20)) < 0.7) * 1.0
        order = np.argsort(-values.mean(axis=1), kind="stable")
        seen.append(_idle_of_first(values[order], 0.01)[3])
        best = np.where(_best_without(as_scores(values), values, 5), values, np.nan)
        kind = _kinds(values, best, 0.01)[0]
        unseen.append(np.isin(kind, IDLE).mean() * 1.0)
        chance.append(_idle_at_random(values, 0.01)[3])
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
    assert set(found.members()["cohort"]) == {"small", "large", "top10"}


def test_degenerate_tables():
    """All equal: all decide nothing, whatever is drawn; two systems; one cluster, without which there is no top."""
    row = analyse_cohorts(np.full((12, 5), 0.3), **QUICK).to_frame().iloc[0]
    assert row["n_systems"] == 12  # all tie with the tenth
    assert row[SHARES].tolist() == [1, 1, 1, 1]
    two = passes(12, groups={f"system{place}": str(place // 2) for place in range(1, 15)})
    assert np.isnan(analyse_cohorts(two, cohorts=["1"], **QUICK).to_frame()["stays"].iloc[0])
    one = passes(13, clusters={str(place): "a" for place in range(1, 41)})
    assert np.isnan(analyse_cohorts(one, cohorts=["top5"], **QUICK).to_frame()["idle_unseen"].iloc[0])


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
    assert _idle_at_random(counts, 0.01)[-1] == pytest.approx((np.ptp(counts, axis=0) == 0).mean())
    moved = {"systems": [names[place] for place in systems], "topics": [labels["topics"][place] for place in topics]}
    others = {
        "order and tenths": as_scores(counts[systems][:, topics] / 10, **moved),
        "direction": as_scores(2 - counts, higher_is_better=False, **labels),
    }
    for scores in others.values():
        np.testing.assert_allclose(analyse_cohorts(scores, **asked).to_frame()[SHARES], own[SHARES])


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"cohorts": ["top15"]}, InvalidOptionError, "'top15' is of 15"),
        ({"cohorts": ["top1"]}, InvalidOptionError, "of 2 to 14 systems"),
        ({"cohorts": ["best"]}, UnknownNameError, r"cohort 'best'.*top10"),
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
