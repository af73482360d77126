"""The chance of being best: against sums and loops written out, by laws, and where there is little to go by."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import helmert
from scipy.special import ndtr
from scipy.stats import chi2, multivariate_normal

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.models.probability_of_best import best_system
from metaeval.resampling.exchangeable import places_of_systems, places_of_units
from metaeval.resampling.ranks import rank_intervals
from metaeval.running.draws import bootstrap_counts, bootstrap_indices
from metaeval.table.scores import as_scores

FEW = {"n_draws": 240, "n_resamples": 200, "rng": 1}


def board(n_systems=6, n_topics=25, *, seed=0, step=0.15):
    """Make scores of systems that get better step by step."""
    generator = np.random.default_rng(seed)
    return step * np.arange(n_systems)[:, None] + generator.normal(size=(n_systems, n_topics))


def chances(values, **options):
    """Return P(best) by the name of the system."""
    found = best_system(values, **(FEW | options)).data
    return dict(zip(found["system"].to_numpy().tolist(), found["p_best"].to_numpy()[0].tolist(), strict=True))


def laws_of_scale(freedom, n=32):
    """Return equally likely values of the scale of the noise."""
    return freedom / chi2.ppf((np.arange(n) + 0.5) / n, freedom)


def test_two_systems_by_summing_over_the_laws():
    """One contrast: a sum over scales and signals, each a normal probability; no topic is drawn."""
    values = board(2, 20, seed=3, step=0.25)
    difference = values[1] - values[0]
    y, noise = difference.mean(), difference.var(ddof=1) / 20
    signal = np.geomspace(1e-6, 1e14, 4000)
    won = []
    for scale in laws_of_scale(19):
        total = scale * noise * (1 + signal)
        weight = np.exp(-0.5 * y**2 / total) / np.sqrt(total) * signal / (1 + signal)
        kept = signal / (1 + signal)
        won.append((weight * ndtr(kept * y / np.sqrt(kept * noise * scale))).sum() / weight.sum())
    assert chances(values, n_draws=40_000)["system2"] == pytest.approx(np.mean(won), abs=0.01)


def literal(values, n_draws, seed):
    """Draw from every law of the docstring by the formulas for whole matrices, with no axes."""
    generator = np.random.default_rng(seed)
    n_systems, n_topics = values.shape
    contrast = helmert(n_systems)
    y, covariance = contrast @ values.mean(axis=1), np.cov(contrast @ values) / n_topics
    size, mean = n_systems - 1, np.trace(covariance) / (n_systems - 1)
    squares, square = (covariance**2).sum(), np.trace(covariance) ** 2
    pull = ((1 - 2 / size) * squares + square) / ((n_topics - 2 / size) * (squares - square / size))
    noise = (1 - pull) * covariance + pull * mean * np.eye(size)
    won = np.zeros(n_systems)
    for scale in laws_of_scale((n_topics - 1) * (1 + pull * (size - 1))):
        laws, weights = [], []
        for signal in np.geomspace(1e-4, 1e6, 300):
            laws.append(scale * signal * noise)
            density = multivariate_normal(np.zeros(size), laws[-1] + scale * noise).pdf(y)
            weights.append(density * signal / (1 + signal))
        for law in generator.choice(len(laws), n_draws // 32, p=np.array(weights) / np.sum(weights)):
            gain = laws[law] @ np.linalg.inv(laws[law] + scale * noise)
            drawn = generator.multivariate_normal(gain @ y, laws[law] - gain @ laws[law])
            won[np.argmax(contrast.T @ drawn)] += 1
    return won / won.sum()


def test_agrees_with_plain_matrices():
    """The same model without its axes; the plain one has a standard error of 0.009 at most."""
    values = board(5, 15, seed=2)
    found = list(chances(values, n_draws=20_000).values())
    np.testing.assert_allclose(found, literal(values, 3200, seed=5), atol=0.03)


def test_large_differences_leave_the_normal_law():
    """Where differences are large beside the noise, the prior is flat: two near-ties far ahead of a third."""
    values = np.random.default_rng(1).normal(size=(3, 4000))
    values += np.array([0.0, 1.0, 1.02])[:, None] - values.mean(axis=1, keepdims=True)
    expected = ndtr(0.02 / np.sqrt(np.var(values[2] - values[1], ddof=1) / 4000))
    assert chances(values, n_draws=6000)["system3"] == pytest.approx(expected, abs=0.03)


def test_shares_of_resamples_are_those_of_a_loop():
    """Means of resampled topics, ties shared; the topics stand where their scores put them."""
    values = np.round(board(4, 12, seed=4), 0)  # whole numbers tie
    residual = values - values.mean(axis=1, keepdims=True)
    order = places_of_systems(values.mean(axis=1), residual).order
    values = values[:, places_of_units(residual, np.ones(12), order, np.zeros(12))]
    found = best_system(values, n_draws=24, n_resamples=300, rng=9)
    _, resampling = np.random.default_rng(9).spawn(2)
    drawing = np.random.default_rng(int(resampling.integers(2**63)))
    won = np.zeros(4)
    for counts in bootstrap_counts(bootstrap_indices(drawing, 300, 12), 12):
        means = (values * counts).sum(axis=1)
        won += (means == means.max()) / (means == means.max()).sum()
    np.testing.assert_allclose(found.data["share_of_resamples"][0], won / 300)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.permutations(range(5)))
def test_laws(seed, order):
    """The order of systems, the unit and what a topic adds to all change nothing; chances add up."""
    values = board(5, 20, seed=seed)
    expected = chances(values)
    moved = as_scores(values[list(order)], systems=[f"system{one + 1}" for one in order])
    for same in (
        moved,
        values * 10.0,
        values * 1e200,
        values + np.random.default_rng(seed).normal(size=20),
        as_scores(-values, higher_is_better=False),
    ):
        assert chances(same) == pytest.approx(expected, abs=1e-12)
    found = best_system(values, k=[1, 2, 5], **FEW).data
    assert found["p_best"].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found["p_top"].sum("system")[0], [1.0, 2.0, 5.0])
    np.testing.assert_allclose(found["p_top"].sel(k=1), found["p_best"])
    np.testing.assert_allclose(found["p_top"].sel(k=5), 1.0)
    assert (found["p_top"].sel(k=2) >= found["p_best"] - 1e-12).all()
    assert found["share_of_resamples"].sum() == pytest.approx(1.0)


def test_copies_share_their_chances():
    """Two names for one system: each has half of what the one has, and they fill two places at the top."""
    values = board(4, 25, step=0.4)
    once = chances(values)
    twice = best_system(np.vstack([values, values[3]]), k=2, **FEW).data
    assert twice["p_best"][0, 3] == twice["p_best"][0, 4] == pytest.approx(once["system4"] / 2, abs=0.05)
    assert twice["p_top"][0, 3, 0] > 2 * twice["p_best"][0, 3] - 1e-12
    assert twice["share_of_resamples"][0, 3] == twice["share_of_resamples"][0, 4]


def test_without_noise_the_best_is_as_sure_as_signs():
    """A constant lead on ten topics may be luck once in 2 ** 9 times; systems equal everywhere share alike."""
    first = np.random.default_rng(0).random(10)
    leads = best_system(np.stack([first, first + 0.1, first - 0.2, first + 0.1]), **FEW).data
    luck = 2.0**-9
    np.testing.assert_allclose(leads["p_best"][0], np.array([0.0, 0.5, 0.0, 0.5]) * (1 - luck) + luck / 4)
    equal = best_system(np.stack([first] * 4), k=2, **FEW).data
    np.testing.assert_allclose(equal["p_best"], 0.25)
    np.testing.assert_allclose(equal["p_top"], 0.5)
    np.testing.assert_allclose(equal["share_of_resamples"], 0.25)


def test_a_constant_lead_among_noisy_systems_is_kept():
    """A system that is always a little better than another is never thought worse, or nearly so."""
    values = board(4, 60, step=0.0)
    found = chances(np.vstack([values, values[0] + 0.05]), n_draws=1200)
    assert found["system5"] > found["system1"]


def test_clusters_that_repeat_their_topics_change_nothing():
    """Each topic three times in a cluster of its own is each topic once."""
    values = board(4, 12)
    names = np.repeat([f"c{one:02}" for one in range(12)], 3)
    thrice = as_scores(np.repeat(values, 3, axis=1)).assign_coords(cluster=("topic", names))
    found = best_system(thrice, **FEW)
    assert (found.resampled, found.n_units, found.n_topics) == ("cluster", 12, 36)
    assert chances(thrice) == pytest.approx(chances(values), abs=0.03)


def test_one_stratum_is_none():
    """Strata keep their weight; one of all topics draws as no strata do."""
    values = board(4, 14)
    strata = np.repeat(["x", "y"], 7)
    one = as_scores(values).assign_coords(stratum=("topic", ["all"] * 14))
    assert chances(one) == pytest.approx(chances(values), abs=1e-9)
    lifted = values + np.outer(np.arange(4) - 3, np.where(strata == "x", 5.0, -5.0))  # a fixed effect of strata
    kept = chances(as_scores(lifted).assign_coords(stratum=("topic", strata)))
    assert kept["system4"] == pytest.approx(chances(values)["system4"], abs=0.15)
    assert abs(chances(lifted)["system4"] - kept["system4"]) > 0.02


def test_the_number_of_threads_changes_nothing():
    """One thread or two."""
    values = np.stack([board(seed=1), board(seed=2)])
    one, two = (best_system(values, n_threads=n, **FEW).data for n in (1, 2))
    assert one.identical(two)


def test_families():
    """The chance of a family is the sum of its members'; the scores' groups are the families."""
    values = board(4)
    names = {"system1": "x", "system2": "y", "system3": "x", "system4": "y"}
    found = best_system(values, families=names, **FEW)
    frame = found.to_frame()
    assert frame["family"].tolist() == [names[one] for one in frame["system"]]
    sums = found.family_frame().set_index("family")
    assert sums.loc["x", "p_best"] == pytest.approx(frame.loc[frame["family"] == "x", "p_best"].sum())
    assert sums["p_best"].is_monotonic_decreasing
    assert sums["n_systems"].tolist() == [2, 2]
    assert best_system(as_scores(values, groups=names), **FEW).family_frame().equals(found.family_frame())
    assert frame["rank"].tolist() == sorted(frame["rank"])


def test_the_picture_is_of_one_metric_the_first_unless_told():
    """Its label says which; a metric that was not asked about is refused."""
    found = best_system(as_scores(np.stack([board(3), board(3, seed=1)]), metrics=["AP", "P"]), **FEW)
    for metric, drawn in ((None, "AP"), ("AP", "AP"), ("P", "P")):
        assert found.plot(metric).axes[0].get_xlabel() == f"chance to be the best under {drawn}"
    with pytest.raises(UnknownNameError, match="no metric 'RR'"):
        found.plot("RR")


def test_says_what_is_wrong():
    """No families, systems without one, a top of too many, too few clusters."""
    values = board(4)
    with pytest.raises(InvalidOptionError, match=r"name each system's family \(`families`\)"):
        best_system(values, **FEW).family_frame()
    with pytest.raises(InvalidOptionError, match="covers 1 of 4 systems"):
        best_system(values, families={"system1": "x"}, **FEW)
    with pytest.raises(InvalidOptionError, match="from 1 to 4"):
        best_system(values, k=5, **FEW)
    with pytest.raises(InvalidOptionError, match="draws clusters whole, and 2 of them"):
        best_system(as_scores(values).assign_coords(cluster=("topic", ["a"] * 12 + ["b"] * 13)), **FEW)


def test_a_system_that_is_ahead_by_a_constant_is_hardly_ever_behind():
    """What holds on every topic is no chance but that of as many signs: in ranks and in the chance of being best."""
    rng = np.random.default_rng(0)
    first, other = rng.normal(0.5, 0.1, (2, 20))
    frame = best_system(np.stack([first - 0.001, first, other]), k=2, rng=1).to_frame().set_index("system")
    assert frame.loc["system1", "p_best"] == pytest.approx(2.0**-19 / 3)
    assert frame.loc["system1", "p_top_2"] < frame.loc["system2", "p_top_2"]
    behind = rank_intervals(np.stack([first - 0.001, first, other]), rng=1).to_frame().set_index("system")
    assert behind.loc["system1", "rank_low"] == 2
    equal = best_system(np.array([[0.5, 0.6], [0.5, 0.6], [0.4, 0.5], [0.2, 0.9]]), rng=1).to_frame()
    chances = equal.set_index("system")["p_best"]
    assert chances["system3"] == 1 / 8  # half of the chances, of four systems, is left to two signs
    assert chances["system1"] == pytest.approx(chances["system2"], abs=1e-12)
