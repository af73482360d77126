"""CR2 for weighted means of clustered differences: against the matrices it comes from, statsmodels and SciPy."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.api import OLS

from metaeval import as_scores
from metaeval.table.structure import with_clusters
from metaeval.table.units import units_of
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.robust import mean_estimates, pair_estimates

EVERY = ("clusters", "strata", "weights", "gaps")


def labelled(values, *, clusters=None, weights=None, strata=False):
    """Return scores with one cluster and weight a topic, in order."""
    names = [str(place + 1) for place in range(np.shape(values)[-1])]
    scores = as_scores(
        np.asarray(values, dtype=float),
        clusters=None if clusters is None else dict(zip(names, map(str, clusters), strict=True)),
        weights=None if weights is None else dict(zip(names, weights, strict=True)),
        missing="pairwise",
    )
    return with_clusters(scores, "fixed") if strata else scores


def literal_cr2(z, weights, clusters):
    """Follow Pustejovsky and Tipton (2018), sections 2 and 3, matrix by matrix, for a regression on 1 alone.

    Bread, hat matrix, adjustment matrices by eigenvalues, sandwich; degrees of freedom by the moments of the quadratic
    form under independent errors of one variance.
    """
    n = len(z)
    design, weight = np.ones((n, 1)), np.diag(weights)
    bread = np.linalg.inv(design.T @ weight @ design)
    rest = np.eye(n) - design @ bread @ design.T @ weight
    meat, forms = 0.0, []
    for one in np.unique(clusters):
        own = np.flatnonzero(clusters == one)
        values, vectors = np.linalg.eigh((rest @ rest.T)[np.ix_(own, own)])
        adjustment = vectors @ np.diag(np.where(values > 1e-12, np.abs(values), np.inf) ** -0.5) @ vectors.T
        row = bread @ design[own].T @ weight[np.ix_(own, own)] @ adjustment
        meat += float((row @ (rest @ z)[own]).item() ** 2)
        forms.append((row @ rest[own]).ravel())
    gram = np.array(forms) @ np.array(forms).T
    return (bread @ design.T @ weight @ z).item(), meat**0.5, np.trace(gram) ** 2 / (gram**2).sum()


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(2, 8), st.booleans(), st.booleans())
def test_equal_to_the_matrices(seed, n_clusters, clustered, weighted):
    """The closed form is the sandwich, cluster by cluster, for clusters of any sizes and weights of any spread."""
    generator = np.random.default_rng(seed)
    n = n_clusters + int(generator.integers(1, 12))
    clusters = np.concatenate([np.arange(n_clusters), generator.integers(0, n_clusters, n - n_clusters)])
    generator.shuffle(clusters)
    clusters = clusters if clustered else np.arange(n)
    weights = generator.gamma(0.7, size=n) + 0.01 if weighted else np.ones(n)
    values = generator.random((3, n))
    question = ask(labelled(values, clusters=clusters, weights=weights), uses=EVERY)
    found = pair_estimates(question)
    for place, (a, b) in enumerate(itertools.combinations(values, 2)):
        mean, error, freedom = literal_cr2(a - b, weights, clusters)
        assert found.mean[0, place] == pytest.approx(mean, abs=1e-12)
        assert found.error[0, place] == pytest.approx(error, rel=1e-9)
        assert found.freedom[0, place] == pytest.approx(freedom, rel=1e-8)
        assert found.n_units[0, place] == len(set(clusters))


def test_equal_clusters_are_those_of_statsmodels_and_of_cluster_means():
    """With clusters of one size, CR2 is CR1 of statsmodels without its factor of N, and t that of the cluster means."""
    values = np.random.default_rng(3).random((2, 36))
    clusters = np.arange(36) // 4
    data = paired_t_test(labelled(values, clusters=clusters), correction="none").data
    fit = OLS(values[0] - values[1], np.ones(36)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert data["standard_error"].item() == pytest.approx(fit.bse.item() * (9 / 8) ** 0.5)
    expected = scipy.stats.ttest_rel(*values.reshape(2, 9, 4).mean(axis=2))
    assert data["statistic"].item() == pytest.approx(expected.statistic)
    assert data["p_value"].item() == pytest.approx(expected.pvalue)
    assert data["degrees_of_freedom"].item() == pytest.approx(8)


def test_each_topic_a_cluster_is_hc2_of_statsmodels_and_plain_t():
    """Without clusters and with weights that are nearly equal it comes to HC2, which is the plain standard error."""
    values = np.random.default_rng(4).random((2, 15))
    weights = np.ones(15)
    weights[0] += 1e-12
    data = paired_t_test(labelled(values, weights=weights), correction="none").data
    fit = OLS(values[0] - values[1], np.ones(15)).fit(cov_type="HC2")
    assert data["standard_error"].item() == pytest.approx(fit.bse.item())
    assert data["degrees_of_freedom"].item() == pytest.approx(14)
    assert data["p_value"].item() == pytest.approx(scipy.stats.ttest_rel(*values).pvalue)


def test_strata_follow_cochran():
    """Variances of the strata by themselves, put together by squared shares, and Satterthwaite's degrees of freedom."""
    values = np.random.default_rng(5).random((2, 20)) * np.repeat([1.0, 4.0], [8, 12])
    strata = np.repeat(["a", "b"], [8, 12])
    data = paired_t_test(labelled(values, clusters=strata, strata=True), correction="none").data
    z = values[0] - values[1]
    parts = [(len(one) / 20) ** 2 * one.var(ddof=1) / len(one) for one in (z[:8], z[8:])]
    assert data["standard_error"].item() == pytest.approx(sum(parts) ** 0.5)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 7 + parts[1] ** 2 / 11)
    assert data["degrees_of_freedom"].item() == pytest.approx(freedom)
    t = z.mean() / sum(parts) ** 0.5
    assert data["p_value"].item() == pytest.approx(2 * scipy.stats.t.sf(abs(t), freedom))


def test_the_one_topic_of_a_stratum_counts_with_its_distance_from_the_mean_of_all():
    """Its own spread is unknown, and the distance errs on the safe side."""
    z = np.array([1.0, 2.0, 4.0, 9.0])
    scores = labelled([z, 0 * z], clusters=list("aaab"), strata=True)
    found = pair_estimates(ask(scores, uses=EVERY))
    expected = (3 / 4) ** 2 * z[:3].var(ddof=1) / 3 + (1 / 4) ** 2 * (9.0 - 4.0) ** 2
    assert found.error.item() == pytest.approx(expected**0.5)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from(["", "clusters", "strata"]), st.booleans())
def test_with_gaps_every_pair_is_tested_on_what_it_has_in_common(seed, kind, weighted):
    """A pair's answer is that of the same test on its common topics alone."""
    generator = np.random.default_rng(seed)
    values = generator.random((4, 24))
    values[generator.random(values.shape) < 0.15] = np.nan
    clusters = np.concatenate([np.arange(6), generator.integers(0, 6, 18)])
    weights = generator.random(24) + 0.1 if weighted else None
    options = {"clusters": clusters if kind else None, "weights": weights, "strata": kind == "strata"}
    data = paired_t_test(labelled(values, **options), correction="none").data
    for place, (a, b) in enumerate(itertools.combinations(values, 2)):
        both = np.isfinite(a - b)
        own = {
            "clusters": clusters[both] if kind else None,
            "weights": None if weights is None else weights[both],
            "strata": kind == "strata",
        }
        alone = paired_t_test(labelled(np.stack([a, b])[:, both], **own), correction="none").data
        for name in ("difference", "statistic", "p_value"):
            assert data[name][0, place].item() == pytest.approx(alone[name].item(), rel=1e-9)
        assert data["n_common"][0, place].item() == both.sum()


def test_pairs_with_fewer_than_two_common_topics_are_not_tested():
    """No p-value, no decision and no place in the family; the others are corrected for themselves."""
    gap = np.nan
    values = [[0.1, 0.5, gap, gap], [gap, gap, 0.2, 0.4], [gap, 0.3, 0.9, 0.6]]
    for alternative in ("two-sided", "better"):
        result = paired_t_test(labelled(values), correction="holm", alternative=alternative)
        assert result.data["n_common"].to_numpy().tolist() == [[0, 1, 2]]
        for name in ("p_value", "log10_p", "p_corrected", "p_reachable"):
            assert np.isnan(result.data[name].to_numpy()[0]).tolist() == [True, True, False]
        times = 2 if alternative == "better" else 1
        assert result.data["p_corrected"][0, 2] == min(1.0, times * result.data["p_value"][0, 2])
        assert result.n_tested.tolist() == [1]
        assert not result.verdicts().any()
        assert result.data["difference"].to_numpy()[0, 0] == 0.0
        assert result.details["pairs_without_evidence"] == [2]


def test_one_cluster_in_common_tells_nothing():
    """The spread between clusters takes two."""
    gap = np.nan
    values = [[0.1, 0.5, 0.7, gap, gap], [0.4, 0.4, 0.1, 0.3, 0.2]]
    result = paired_t_test(labelled(values, clusters=list("aaabb")), correction="none")
    assert np.isnan(result.data["p_value"].item())
    assert result.n_tested.tolist() == [0]
    assert result.details["pairs_without_evidence"] == [1]


def test_equal_systems_and_constant_differences():
    """As without clusters: p = 1 for systems equal up to rounding, that of three signs for one difference."""
    base = np.array([0.1 + 0.2, 0.7, 0.1, 0.4, 0.5, 0.2])
    same = np.array([0.3, 0.7, 0.1, 0.4, 0.5, 0.2])
    data = paired_t_test(labelled([base, same, base + 0.1], clusters=list("aabbcc")), correction="none").data
    assert data["p_value"].to_numpy().tolist() == [[1.0, 0.25, 0.25]]
    assert data["statistic"].to_numpy().tolist() == [[0.0, -np.inf, -np.inf]]


@pytest.mark.parametrize("unit", [0.1, 0.3, 1 / 7])
def test_the_unit_of_the_scores_does_not_matter(unit):
    """Equal means stay equal, and t and p are those of counts, where scores are tenths or sevenths."""
    counts = np.random.default_rng(8).integers(0, 4, (6, 18))
    clusters, weights = np.arange(18) // 3, 1.0 + np.arange(18) % 2
    one, other = (
        paired_t_test(labelled(values, clusters=clusters, weights=weights), correction="none").data
        for values in (counts.astype(float), counts * unit)
    )
    np.testing.assert_allclose(other["p_value"], one["p_value"], rtol=1e-9)
    assert (other["better"] == one["better"]).all()


def test_without_gaps_and_clusters_means_need_no_kernel():
    """A whole table and one with a system that has a gap have the same estimates of all other systems."""
    values = np.random.default_rng(9).random((2, 4, 20)) - 0.3
    values[0, 1], values[1, 2] = 0.1 + 0.2, 0.0  # without spread, and without anything
    gappy = values.copy()
    gappy[:, 3, 4] = np.nan
    plain, kernel = (mean_estimates(table, units_of(labelled(table))) for table in (values, gappy))
    for one, other in zip(plain, kernel, strict=True):
        np.testing.assert_allclose(one[:, :3], other[:, :3], rtol=1e-12)


def test_means_of_systems_are_differences_from_nothing():
    """The interval of a mean is that of its difference from a system of zeros."""
    values = np.random.default_rng(9).random((2, 3, 20))
    values[0, 1, 4] = np.nan
    scores = labelled(values, clusters=np.arange(20) % 6, weights=1.0 + np.arange(20) % 3)
    found = mean_estimates(values, units_of(scores))
    padded = labelled(
        np.concatenate([values, np.zeros((2, 1, 20))], axis=1),
        clusters=np.arange(20) % 6,
        weights=1.0 + np.arange(20) % 3,
    )
    pairs = pair_estimates(ask(padded, baseline="system4", uses=EVERY))
    for one, other in zip(found, pairs, strict=True):
        np.testing.assert_array_equal(one, other)
