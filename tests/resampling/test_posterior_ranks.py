"""Ranks from draws of the true means: against a loop, by laws, and where there is little to go by."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.models.probability_of_best import best_system
from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.resampling.exchangeable import places_of_systems
from metaeval.resampling.ranks import rank_intervals
from metaeval.resampling.true_means import draws_of_means
from metaeval.table.scores import as_scores


def board(n_systems, n_topics, *, seed=0, step=0.3):
    """Make scores of systems that get better by `step` standard deviations."""
    generator = np.random.default_rng(seed)
    return step * np.arange(n_systems)[:, None] + generator.normal(size=(n_systems, n_topics))


def literal(values, n_draws, level, seed, *, simultaneous):
    """Try every cut on every draw, by the formula: bands, pairs by the same cut, and what follows from them."""
    units, _ = residuals_of_units(as_scores(values)).scaled()
    places = places_of_systems(units.oriented[0], units.residual[0])
    start = int(np.random.default_rng(seed).spawn(1)[0].integers(2**63))
    draws = np.concatenate(list(draws_of_means(units, 0, places, n_draws, np.random.default_rng(start))))
    names = range(len(values))
    ranks = [[1 + sum(draw[i] > draw[j] for i in names) for j in names] for draw in draws]
    behind = {(a, b): sum(draw[b] > draw[a] for draw in draws) for a in names for b in names if a != b}
    ordered = [sorted(row[j] for row in ranks) for j in names]

    def inside(cut, systems):
        return [row for row in ranks if all(ordered[j][cut] <= row[j] <= ordered[j][-1 - cut] for j in systems)]

    found = []
    for systems in [list(names)] if simultaneous else [[j] for j in names]:
        allowed = range(round((1 - level) * len(draws)) + 1)  # beyond, a larger cut that is possible changes nothing
        cuts = [cut for cut in allowed if len(inside(cut, systems)) >= level * len(draws)]
        found += [max(cuts)] * len(systems)
    better = {(a, b) for (a, b), number in behind.items() if number <= min(found[a], found[b])}
    better |= {(a, c) for a, b in better for other, c in better if other == b and simultaneous}
    return found, ordered, better, len(draws)


@pytest.mark.parametrize("simultaneous", [True, False])
@pytest.mark.parametrize("step", [0.1, 0.5])
def test_agrees_with_a_loop(simultaneous, step):
    """Cuts, bands and pairs are those of a loop over cuts and draws."""
    values = board(5, 20, seed=3, step=step)
    values -= values.mean(axis=1, keepdims=True) - step * np.arange(5)[:, None]
    cuts, ordered, better, number = literal(values, 300, 0.8, 4, simultaneous=simultaneous)
    found = rank_intervals(values, confidence_level=0.8, simultaneous=simultaneous, n_draws=300, rng=4)
    np.testing.assert_allclose(found.data["critical_value"][0] * number, cuts)
    if simultaneous:
        low = [max(ordered[j][cuts[j]], 1 + sum(b == j for _, b in better)) for j in range(5)]
        high = [min(ordered[j][-1 - cuts[j]], 5 - sum(a == j for a, _ in better)) for j in range(5)]
        assert found.data["rank_low"][0].to_numpy().tolist() == low
        assert found.data["rank_high"][0].to_numpy().tolist() == high
        sides = list(combinations(range(5), 2))
        corrected = multipletests([stats.ttest_rel(values[a], values[b]).pvalue for a, b in sides], method="holm")[1]
        tested = {pair for pair, p in zip(sides, corrected, strict=True) if p <= 0.2}
        better = {(a, b) for a, b in better if (min(a, b), max(a, b)) in tested}
    names = [f"system{j + 1}" for j in range(5)]
    pairs = found.pairs()
    for row, verdict in zip(pairs.itertuples(), found.verdicts()[0], strict=True):
        a, b = names.index(row.system_a), names.index(row.system_b)
        assert verdict == ((a, b) in better) - int((b, a) in better)
        assert row.significant == bool(verdict)


def test_the_draws_are_those_of_the_best_system():
    """With as many draws, the share of draws in which one of two systems is ahead is its chance to be the best."""
    values = board(2, 15, seed=2, step=0.1)
    chances = best_system(values, n_draws=500, rng=5).data["p_best"][0].to_numpy()
    share = float(rank_intervals(values, n_draws=500, rng=5).data["p_better"][0, 0])
    luck = 2.0**-14  # of fifteen signs, which leave the chances to either
    assert (1 - luck) * share + luck / 2 == pytest.approx(chances[0])


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([(4, 2), (4, 3), (9, 4), (6, 15)]), st.booleans())
def test_decisions_are_an_order(seed, shape, coarse):
    """What follows from two decisions is decided; intervals hold the rank seen; few topics give an answer."""
    values = board(*shape, seed=seed, step=0.8)
    found = rank_intervals(np.round(values) if coarse else values, n_draws=200, confidence_level=0.8, rng=1)
    better = np.zeros((shape[0], shape[0]), dtype=bool)
    first, second = np.triu_indices(shape[0], 1)
    verdicts = found.verdicts()[0]
    better[first, second], better[second, first] = verdicts > 0, verdicts < 0
    assert not ((better.astype(int) @ better.astype(int) > 0) & ~better).any()
    frame = found.to_frame()
    assert (frame["rank_low"] >= 1 + frame["n_above"]).all()
    assert (frame["rank_high"] <= shape[0] - frame["n_below"]).all()
    assert frame["rank"].between(frame["rank_low"], frame["rank_high"]).all()


@given(st.permutations(range(4)))
def test_systems_that_can_be_exchanged_share_their_ranks(order):
    """Two systems alike in all but the topic on which they win, in any order of rows and under any names."""
    values = np.array([[1.0, 0, 0, 0, 0, 0], [0, 1.0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 0], [1, 1, 1, 1, 1, 0]])
    found = rank_intervals(values[list(order)], n_draws=300, rng=2).data
    back = np.argsort(order)
    for name in ("rank_low", "rank_high", "n_above", "n_below"):
        ends = found[name][0].to_numpy()[back]
        assert ends[0] == ends[1]


def test_clusters_that_repeat_their_topics_and_one_stratum_change_little():
    """Each topic three times in a cluster of its own is each topic once; a stratum of all topics is none."""
    values = board(6, 14)
    once = rank_intervals(values, rng=1).data
    names = np.repeat([f"c{one:02}" for one in range(14)], 3)
    thrice = as_scores(np.repeat(values, 3, axis=1)).assign_coords(cluster=("topic", names))
    stratum = as_scores(values).assign_coords(stratum=("topic", ["all"] * 14))
    for same in (thrice, stratum):
        found = rank_intervals(same, rng=1).data
        np.testing.assert_allclose(found["p_better"], once["p_better"], atol=0.02)
        assert np.abs(found["rank_low"] - once["rank_low"]).max() <= 1


def test_a_constant_lead_among_noisy_systems_is_certain():
    """A system that is always a little better than another comes first of the two in every draw."""
    values = board(4, 30, step=0.0)
    found = rank_intervals(np.vstack([values, values[0] + 0.01]), n_draws=1000, rng=0).pairs()
    row = found.set_index(["system_a", "system_b"]).loc[("system1", "system5")]
    assert row["significant"]
    assert row["difference"] < 0


def test_more_draws_decide_no_fewer_pairs():
    """What is decided does not depend on how many draws there are, but for their noise."""
    values = board(12, 30, step=0.15)
    few, many = (rank_intervals(values, n_draws=n, rng=1).data["significant"].sum() for n in (4000, 40_000))
    assert abs(few - many) <= 4
    narrow = rank_intervals(values, rng=1).data
    wide = rank_intervals(values, method="guaranteed", rng=1).data
    assert (narrow["rank_high"] - narrow["rank_low"]).sum() < (wide["rank_high"] - wide["rank_low"]).sum()
