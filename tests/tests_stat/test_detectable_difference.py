"""Minimum detectable differences: against statsmodels and enumeration, laws, degenerate input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from metaeval.errors import InvalidOptionError
from metaeval.table.scores import as_scores
from metaeval.tests_stat.detectable_difference import detectable_differences, first_level
from metaeval.tests_stat.sign import sign_test


def normal(n_systems=4, n_topics=30, seed=1, **labels):
    """Draw scores of systems that differ a little."""
    rng = np.random.default_rng(seed)
    return as_scores(rng.normal(np.arange(n_systems)[:, None] / 10, 1, (1, n_systems, n_topics)), **labels)


def test_each_pair_agrees_with_statsmodels():
    """Its own standard deviation times the effect that statsmodels finds at the pair's level."""
    scores = normal()
    frame = detectable_differences(scores, corrections=["none", "holm", "fdr_by"]).to_frame()
    harmonic = sum(1 / place for place in range(1, 7))
    levels = {"none": 0.05, "holm": 0.05 / 6, "fdr_by": 0.05 / 6 / harmonic}
    assert len(frame) == 18
    for row in frame.itertuples():
        difference = scores.sel(system=row.first).to_numpy() - scores.sel(system=row.second).to_numpy()
        effect = TTestPower().solve_power(nobs=30, alpha=levels[row.correction], power=0.8)
        assert row.difference == pytest.approx(effect * difference.std(ddof=1), rel=1e-6)
        assert row.level == pytest.approx(levels[row.correction])


def mcnemar_power(n_differ, share, alpha):
    """Power of the exact test by going through every outcome, each decided by SciPy's binomial test."""
    wins = np.arange(n_differ + 1)
    found = [stats.binomtest(int(one), n_differ).pvalue <= alpha for one in wins]
    return stats.binom.pmf(wins, n_differ, share)[found].sum()


@pytest.mark.parametrize("alpha", [0.05, 0.4])
@pytest.mark.parametrize("n_differ", [6, 9, 25, 60])
def test_mcnemar_by_enumeration(n_differ, alpha):
    """At the minimum detectable difference the exact test on so many differing topics has power .8."""
    n_topics = 100
    first, second = np.zeros(n_topics), np.zeros(n_topics)
    second[: n_differ // 2] = 1
    first[n_differ // 2 : n_differ] = 1
    found = detectable_differences([first, second], alpha=alpha, corrections=["none"])
    assert found.tests == {"metric1": "mcnemar"}
    assert float(found.data["discordance"][0, 0]) == n_differ / n_topics
    share = (float(found.data["difference"][0, 0, 0]) * n_topics / n_differ + 1) / 2
    assert mcnemar_power(n_differ, share, alpha) == pytest.approx(0.8, abs=1e-6)


def test_too_few_differing_topics_show_nothing():
    """With 5 differing topics no outcome is significant at .05, and the package's own test agrees."""
    first, second = np.ones(40), np.r_[np.zeros(5), np.ones(35)]
    assert float(sign_test([first, second], correction="none").data["p_value"][0, 0]) > 0.05
    found = detectable_differences([first, second, second], corrections=["none"])
    assert np.isinf(found.data["difference"].to_numpy()[0, :2, 0]).all()
    summary = found.summary().iloc[0]
    assert (summary["undetectable"], summary["no_variance"], summary["median"]) == (2, 1, np.inf)


def test_pairs_without_variance_are_counted_and_left_out():
    """Identical systems, and systems a constant apart on paper, have no detectable difference of their own."""
    rng = np.random.default_rng(0)
    one = rng.integers(0, 8, 20) / 10
    scores = as_scores([one, one, one + 0.1, rng.integers(0, 11, 20) / 10])
    found = detectable_differences(scores, corrections=["none"])
    assert np.isnan(found.data["difference"].to_numpy()[0, :, 0]).tolist() == [True, True, False, True, False, False]
    assert found.summary()["no_variance"].tolist() == [3]


def test_summary_takes_quantiles_that_are_there():
    """Median and 5 and 95 % of the pairs, as NumPy's inverse of the distribution function has them."""
    found = detectable_differences(normal(9), corrections=["none"])
    own = np.quantile(found.data["difference"].to_numpy().ravel(), (0.5, 0.05, 0.95), method="inverted_cdf")
    assert found.summary()[["median", "low", "high"]].to_numpy().ravel().tolist() == own.tolist()


def test_clusters_use_cr2_and_its_degrees_of_freedom():
    """With clusters of one size: the detectable difference of the cluster means."""
    names = [str(number) for number in range(30)]
    clusters = {name: str(number // 5) for number, name in enumerate(names)}
    scores = normal(topics=names, clusters=clusters)
    means = scores.to_numpy()[0].reshape(4, 6, 5).mean(axis=2)
    effect = TTestPower().solve_power(nobs=6, alpha=0.05, power=0.8)
    found = detectable_differences(scores, corrections=["none"]).data["difference"].to_numpy()[0, :, 0]
    expected = [(means[i] - means[j]).std(ddof=1) * effect for i in range(4) for j in range(i + 1, 4)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_clusters_and_repeats_leave_mcnemar_aside():
    """Its null asks for independent topics and single scores."""
    zeros = np.random.default_rng(2).integers(0, 2, (1, 3, 12)).astype(float)
    topics = [str(number) for number in range(12)]
    clustered = as_scores(zeros, topics=topics, clusters={name: str(int(name) // 3) for name in topics})
    assert detectable_differences(clustered).tests == {"metric1": "t"}
    repeated = as_scores(np.random.default_rng(2).integers(0, 2, (1, 3, 12, 2)).astype(float))
    assert detectable_differences(repeated).tests == {"metric1": "t"}
    with pytest.raises(InvalidOptionError, match="McNemar"):
        detectable_differences(clustered, test="mcnemar")
    assert detectable_differences(zeros, test="t").tests == {"metric1": "t"}


def test_gaps_leave_each_pair_its_common_topics():
    """The number of topics is counted pair by pair."""
    values = np.random.default_rng(3).normal(0, 1, (1, 3, 20))
    values[0, 0, :4] = np.nan
    values[0, 1, 2:6] = np.nan
    found = detectable_differences(as_scores(values, missing="pairwise"), corrections=["none"])
    assert found.data["n_topics"].to_numpy()[0].tolist() == [14, 16, 16]
    part = values[0, :2, 6:]
    effect = TTestPower().solve_power(nobs=14, alpha=0.05, power=0.8)
    assert float(found.data["difference"][0, 0, 0]) == pytest.approx((part[0] - part[1]).std(ddof=1) * effect, rel=1e-6)


def test_the_family_is_what_is_asked_for():
    """A baseline has N - 1 pairs, a list its own, and the corrected level follows."""
    scores = normal(5)
    assert detectable_differences(scores, baseline="system2").n_pairs == 4
    found = detectable_differences(scores, pairs=[("system1", "system5"), ("system2", "system3")], corrections=["holm"])
    assert found.data["level"].to_numpy().tolist() == [0.025]
    assert first_level("bonferroni", 0.05, 10) == first_level("holm", 0.05, 10) == first_level("fdr_bh", 0.05, 10)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"power": 0.05}, "`power` must lie between 0.05 and 1"),
        ({"power": 1.0}, "`power` must"),
        ({"alpha": 0.0}, "`alpha` must"),
        ({"test": "z"}, "test"),
        ({"pairs": []}, "`pairs` lists"),
        ({"pairs": [("system1", "system1")]}, "`pairs` lists"),
        ({"pairs": [("system1", "nobody")]}, "nobody"),
        ({"baseline": "nobody"}, "nobody"),
        ({"corrections": ["family-wise"]}, "family-wise"),
    ],
)
def test_refusals(options, words):
    """What is outside its rule is named."""
    with pytest.raises(InvalidOptionError, match=words):
        detectable_differences(normal(), **options)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.booleans())
def test_laws(seed, binary):
    """The observed differences do not matter, nor order, unit and direction; more power asks for more."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2 if binary else 11, (1, 3, 25)).astype(float)
    own = detectable_differences(counts).data["difference"].to_numpy()
    same = {"rtol": 1e-9}
    np.testing.assert_allclose(detectable_differences(counts[..., rng.permutation(25)]).data["difference"], own, **same)
    turned = detectable_differences(as_scores(counts, higher_is_better=False)).data["difference"]
    np.testing.assert_allclose(turned, own, **same)
    order = rng.permutation(3)
    moved = detectable_differences(as_scores(counts[:, order], systems=[f"s{number}" for number in order])).to_frame()
    plain = detectable_differences(as_scores(counts, systems=["s0", "s1", "s2"])).to_frame()
    named = [
        {(frozenset((row.first, row.second)), row.correction): row.difference for row in frame.itertuples()}
        for frame in (moved, plain)
    ]
    assert named[0] == pytest.approx(named[1], nan_ok=True)
    assert (detectable_differences(counts, power=0.9).data["difference"].to_numpy() >= own)[np.isfinite(own)].all()
    if not binary:
        shifted = counts / 10 + np.array([0.0, 0.3, 7.0])[:, None]
        np.testing.assert_allclose(10 * detectable_differences(shifted).data["difference"], own, rtol=1e-7)
