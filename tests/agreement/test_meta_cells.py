"""The scores of a set by people and metrics, what people say of pairs, and the threshold of ties: all literally."""

from itertools import combinations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from metaeval.agreement.meta_cells import best_threshold, cells_of_set
from metaeval.errors import ScoresError

HUMAN = np.array([[3.0, 1.0, np.nan, 2.0, 1.0], [1.0, 1.0, 2.0, np.nan, 0.0], [2.0, 5.0, 2.0, 1.0, 4.0]])
METRIC = np.array([[0.5, 0.5, 0.1, 0.7, 0.2], [0.5, 0.3, np.nan, np.nan, 0.2], [0.5, 0.5, 0.3, 0.7, 0.1]])


def table(human=HUMAN, metrics=(METRIC,), **coords):
    """Lay out people's scores and metrics A, B, …, of systems s0, s1, … on items 0, 1, …."""
    values = np.array([human, *metrics])
    names = {"metric": ["human", *"AB"[: len(metrics)]], "system": [f"s{n}" for n in range(len(human))]}
    names["item"] = [str(n) for n in range(human.shape[1])]
    return xr.DataArray(values, dims=("metric", "system", "item"), coords=names | coords, attrs={"reference": "human"})


def cells(scores, *, over="all", as_published=True, **options):
    """Lay out a set in the order of names."""
    return cells_of_set("", scores, "human", over=over, as_published=as_published, **options)


def gapless(metric=METRIC):
    return np.where(np.isfinite(HUMAN) & ~np.isfinite(metric), 0.4, metric)


def test_means_of_systems_are_over_the_items_that_are_asked_for():
    """People's over what they scored; a metric's over all items, or those in common; what is given comes before."""
    scores = table(metrics=[gapless()])
    people = [7 / 4, 1.0, 14 / 5]
    for over in ("all", "common"):
        assert cells(scores, over=over).human_means == pytest.approx(people)
    # where the metric has no score either, the system's mean stands
    filled = [np.nanmean(row) for row in gapless()]
    assert cells(scores, over="all").metric_means == pytest.approx(np.array([filled]))
    common = [gapless()[row][np.isfinite(HUMAN[row])].mean() for row in range(3)]
    assert cells(scores, over="common").metric_means == pytest.approx(np.array([common]))
    own = (("metric", "system"), [[9.0, np.nan, 8.0], [np.nan, 6.0, 7.0]])
    given_scores = scores.assign_coords(system_score=own)
    assert cells(given_scores).human_means == pytest.approx([9.0, people[1], 8.0])
    assert cells(given_scores).metric_means == pytest.approx(np.array([[filled[0], 6.0, 7.0]]))
    assert cells(given_scores, over="common").human_means == pytest.approx(people)
    assert cells(given_scores, over="common").metric_means == pytest.approx(np.array([common]))


def test_a_metric_of_which_less_is_better_is_turned():
    """With its own scores of systems."""
    scores = table(metrics=[gapless()]).assign_coords(higher_is_better=("metric", [True, False]))
    scores = scores.assign_coords(system_score=(("metric", "system"), np.array([[1.0, 2, 3], [4, 5, 6]])))
    found = cells(scores)
    np.testing.assert_array_equal(found.scores, -gapless()[None])
    np.testing.assert_array_equal(found.given, [[-4.0, -5, -6]])
    np.testing.assert_array_equal(found.human, HUMAN)
    np.testing.assert_array_equal(found.given_human, [1.0, 2, 3])


def test_items_are_ordered_where_scores_beside_those_of_people_differ():
    """A constant item, one with scores of one system, and scores that differ by rounding alone do not count."""
    metric = gapless()
    metric[:, 0] = [0.1 + 0.2, 0.3, 0.3]
    # item 0 is equal up to rounding, 2 and 3 have two systems, of which those of item 3 are equal, 4 has all
    assert cells(table(metrics=[metric])).n_ordered.tolist() == [3]
    alone = HUMAN.copy()
    alone[1:, 1] = np.nan
    assert cells(table(alone, [metric])).n_ordered.tolist() == [2]
    assert cells(table(metrics=[np.ones((3, 5)), -metric])).n_ordered.tolist() == [0, 3]


def test_a_verdict_is_on_two_systems_that_people_scored():
    """Each item weighs as much, whatever the number of its pairs."""
    found = cells(table(metrics=[gapless()]))
    pairs = list(combinations(range(3), 2))
    wanted = {
        (pair, item): np.sign(HUMAN[pair[0], item] - HUMAN[pair[1], item])
        for item in range(5)
        for pair in pairs
        if np.isfinite(HUMAN[list(pair), item]).all()
    }
    verdicts = found.verdicts
    told = {
        (pairs[pair], item): sign for pair, item, sign in zip(verdicts.pair, verdicts.item, verdicts.human, strict=True)
    }
    assert told == wanted
    per_item = np.bincount(verdicts.item)
    assert verdicts.weight.tolist() == (1 / per_item[verdicts.item]).tolist()
    assert verdicts.n_items == 5
    one = HUMAN.copy()
    one[1:, 0] = np.nan
    assert cells(table(one, [gapless()])).verdicts.n_items == 4


@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans(), st.sampled_from([1.0, 0.5, 0.25])), max_size=9)
)
def test_the_threshold_of_ties_is_the_least_of_the_best(drawn):
    """Every difference is tried, and those that are equal up to rounding become ties together."""
    sizes = np.array([0.1 * size + 1e-14 * place for place, (size, *_) in enumerate(drawn)])
    tied = np.array([row[1] for row in drawn], dtype=bool)
    agree = np.array([row[2] and not row[1] for row in drawn], dtype=bool)
    weight = np.array([row[3] for row in drawn])
    least, highest = best_threshold(sizes, np.ones(len(drawn)), agree, tied, weight)

    def share(threshold):
        return sum(
            w * (t if size <= threshold + 1e-9 else a) for size, t, a, w in zip(sizes, tied, agree, weight, strict=True)
        )

    best = (share(-1.0), 0.0, 0.0)
    for step in sorted({round(size, 1) for size in sizes}):
        own = [size for size in sizes if round(size, 1) == step]
        if share(step) > best[0] + 1e-9:
            best = (share(step), min(own), max(own))
    assert (least, highest) == best[1:]


def test_a_set_is_what_people_scored():
    """A system without any score of theirs is out, other people are apart, and a set of one system is refused."""
    human = np.vstack([HUMAN, np.full(5, np.nan)])
    metrics = [np.vstack([one, np.ones(5)]) for one in (gapless(), HUMAN)]
    scores = table(human, metrics, cluster=("item", [*"xxyyz"]))
    found = cells(scores, ceiling=["B"])
    assert (found.metrics, found.systems) == (("A",), ("s0", "s1", "s2"))
    np.testing.assert_array_equal(found.second, HUMAN[None])
    assert {"xxyyz"[item] + str(code) for item, code in enumerate(found.clusters)} == {
        f"{name}{found.clusters[item]}" for name, item in (("x", 0), ("y", 2), ("z", 4))
    }
    assert sorted({*found.clusters}) == [0, 1, 2]
    metrics[1][0, 0] = np.nan
    assert np.isnan(cells(table(human, metrics), ceiling=["B"]).second).all()
    with pytest.raises(
        ScoresError, match="B has no score in 1 of the cells that people scored, such as system s0, item 0"
    ):
        cells(table(human, metrics))
    human[1:] = np.nan
    with pytest.raises(ScoresError, match=r"people \(human\) scored 1 system; a comparison takes two"):
        cells(table(human, metrics))


def test_metrics_are_exchanged_in_one_unit():
    """Mean 0 and variance 1 over the cells that people scored; a constant one keeps its spread of nothing."""
    found = cells(table(metrics=[gapless(), np.full((3, 5), 7.0)])).standardised()
    on_cells = found.scores[:, np.isfinite(HUMAN)]
    assert on_cells.mean(axis=1) == pytest.approx([0.0, 0.0])
    assert on_cells.std(axis=1) == pytest.approx([1.0, 0.0])
    plain, there = gapless(), gapless()[np.isfinite(HUMAN)]
    wanted = [(np.nanmean(row) - there.mean()) / there.std() for row in plain]
    assert found.given[0] == pytest.approx(wanted)
