import itertools
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat import randomisation
from metaeval.tests_stat.randomisation import every_sign_vector, random_signs, randomisation_test


def p_values(values, **options):
    return randomisation_test(values, correction="none", **options).data["p_value"].to_numpy()


def all_signed_sums(differences):
    """Sum the whole-number differences under every sign vector: exact, one topic at a time."""
    sums = np.zeros(1, dtype=np.int64)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def precision_at_10():
    """Two made systems over 20 topics, in tenths, whose exact p-value has much of its weight on ties."""
    x = [7, 3, 5, 9, 2, 6, 4, 8, 1, 5, 6, 3, 7, 4, 2, 9, 5, 6, 3, 8]
    y = [5, 4, 3, 6, 2, 3, 6, 5, 1, 2, 7, 3, 4, 5, 1, 7, 6, 3, 3, 8]
    return np.array([x, y])


def test_exact_p_value_of_a_discrete_table_whatever_the_order_of_its_topics():
    """All 2**20 sign vectors in whole numbers give the p-value; scores in tenths give the same, in any order."""
    tenths = precision_at_10()
    sums = all_signed_sums(tenths[0] - tenths[1])
    observed = (tenths[0] - tenths[1]).sum()
    expected = (np.abs(sums) >= abs(observed)).mean()
    assert (np.abs(sums) == abs(observed)).mean() > 0.01  # the ties matter
    rng = np.random.default_rng(0)
    for order in (np.arange(20), np.arange(20)[::-1], rng.permutation(20)):
        result = randomisation_test(tenths[:, order] / 10, n_resamples=2**20, correction="none")
        assert result.details["method"] == "exact"
        assert result.data["p_value"].item() == expected


def test_plain_comparison_of_floating_point_sums_would_be_wrong():
    """On the same table a bare >= loses ties, so the check above can fail."""
    tenths = precision_at_10()
    sums = all_signed_sums(tenths[0] - tenths[1])
    expected = (np.abs(sums) >= abs((tenths[0] - tenths[1]).sum())).mean()
    naive = set()
    for order in (np.arange(20), np.arange(20)[::-1]):
        x, y = tenths[:, order] / 10
        signed = np.concatenate([block @ (x - y) for block in every_sign_vector(20, rows=2**16)])
        naive.add((np.abs(signed) >= abs((x - y).sum())).mean())
    assert naive != {expected}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_p_values_are_scipys(alternative):
    """With few topics every sign vector is taken, as by SciPy's permutation test of paired samples."""
    values = np.random.default_rng(5).integers(0, 11, (4, 8)) / 10
    expected = [
        scipy.stats.permutation_test(
            (a - b,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=2**8, vectorized=True
        ).pvalue
        for a, b in itertools.combinations(values, 2)
    ]
    # SciPy's two-sided p-value is twice the smaller tail; the distribution is symmetric, so it is the same number.
    np.testing.assert_allclose(p_values(values, alternative=alternative)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("rule", ["plus-one", "plain"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_random_p_values_equal_a_literal_loop_on_the_same_signs(alternative, rule):
    """One pair, one metric and one sign vector at a time, in whole numbers."""
    n_resamples, n_topics = 200, 15
    tenths = np.random.default_rng(2).integers(0, 11, (2, 5, n_topics))
    (signs,) = random_signs(np.random.default_rng(9), n_resamples, n_topics, rows=n_resamples)
    expected = []
    for metric in tenths:
        for a, b in itertools.combinations(metric, 2):
            observed = int((a - b).sum())
            flipped = [int(sum(sign * d for sign, d in zip(row, a - b, strict=True))) for row in signs]
            extreme = {
                "two-sided": sum(abs(total) >= abs(observed) for total in flipped),
                "greater": sum(total >= observed for total in flipped),
                "less": sum(total <= observed for total in flipped),
            }[alternative]
            expected.append((extreme + 1) / (n_resamples + 1) if rule == "plus-one" else extreme / n_resamples)
    found = p_values(
        tenths / 10, alternative=alternative, n_resamples=n_resamples, p_value_rule=rule, rng=np.random.default_rng(9)
    )
    np.testing.assert_array_equal(found.ravel(), expected)


def test_neither_blocks_nor_threads_change_the_answer(monkeypatch):
    """The same seed gives the same bytes."""
    values = np.random.default_rng(0).random((2, 6, 30))
    expected = p_values(values, n_resamples=500, rng=4).tobytes()
    assert p_values(values, n_resamples=500, rng=4, n_threads=1).tobytes() == expected
    for cells in (1, 700, 10**9):
        monkeypatch.setattr(randomisation, "_BLOCK_CELLS", cells)
        assert p_values(values, n_resamples=500, rng=4).tobytes() == expected
    assert p_values(values, n_resamples=500, rng=5).tobytes() != expected


@settings(max_examples=15)  # every example is four whole tests
@given(st.integers(0, 2**32), st.integers(2, 8))
def test_relabelling_topics_leaves_exact_p_values(seed, n_topics):
    """Exact p-values do not know the order of the topics, and swapping two systems swaps the tails."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 11, (3, n_topics)) / 10
    shuffled = values[:, rng.permutation(n_topics)]
    np.testing.assert_array_equal(p_values(values), p_values(shuffled))
    np.testing.assert_array_equal(
        p_values(values[:2], alternative="greater"), p_values(values[1::-1], alternative="less")
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
@pytest.mark.parametrize("n_topics", [4, 30])
def test_equal_systems_have_p_1(n_topics, alternative):
    """No flip changes a difference of nothing."""
    values = np.vstack([np.full((2, n_topics), 0.3), np.linspace(0, 1, n_topics)])
    result = randomisation_test(values, alternative=alternative, correction="none", n_resamples=99, rng=0)
    assert result.data["p_value"][0, 0].item() == 1.0


def test_constant_difference_gives_the_smallest_p():
    """Of 2**T sign vectors only the observed one, and its opposite, are as extreme."""
    values = np.array([np.full(6, 0.7), np.full(6, 0.2)])
    result = randomisation_test(values, correction="none")
    assert result.data["p_value"].item() == 2 / 64 == result.details["smallest_p"]
    assert result.n_resamples is None
    assert result.random_source is None
    longer = np.array([np.full(60, 0.7), np.full(60, 0.2)])
    drawn = randomisation_test(longer, correction="none", n_resamples=99, rng=0)
    assert drawn.data["p_value"].item() == 0.01 == drawn.details["smallest_p"]
    assert (drawn.n_resamples, drawn.random_source) == (99, "seed 0")


def test_exact_exactly_when_there_are_no_more_sign_vectors_than_resamples():
    """2**5 = 32 sign vectors: 32 resamples are enough, 31 are not."""
    values = np.random.default_rng(0).random((2, 5))
    assert randomisation_test(values, n_resamples=32).details["method"] == "exact"
    assert randomisation_test(values, n_resamples=31, rng=0).details["method"] == "random"


def test_signs_are_fair_and_independent():
    """Mean and correlations of 20 000 draws lie within five standard errors of nothing."""
    signs = np.concatenate(list(random_signs(np.random.default_rng(1), 20_000, 11, rows=3000)))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    moments = signs.T @ signs / len(signs)
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(len(signs))
    assert np.abs(moments - np.eye(11)).max() < 5 / np.sqrt(len(signs))


def test_lower_is_better_turns_the_alternative():
    """The first system's lower scores make it the better one."""
    values = np.array([np.full(5, 0.2), np.full(5, 0.7)])
    result = randomisation_test(as_scores(values, higher_is_better=False), alternative="greater", correction="none")
    assert result.data["p_value"].item() == 1 / 32
    assert result.data["statistic"].item() == pytest.approx(-0.5)


def test_published_p_values(data_folder):
    """The p-values printed beside the TREC-8 scores, within five standard errors of two random runs."""
    folder = data_folder / "trec-matrices"
    published = json.loads((folder / "published" / "published.json").read_text())["adhoc8_ap.csv"]
    scores = pd.read_csv(folder / "adhoc8_ap.csv").to_numpy().T[[124, 125]]
    n_resamples = 200_000
    for side, expected in zip(("less", "two-sided"), published["permutation_1e6_random"], strict=True):
        found = p_values(scores, alternative=side, n_resamples=n_resamples, rng=0).item()
        assert found == pytest.approx(expected, abs=5 * np.sqrt(expected / n_resamples + expected / 1e6))


@pytest.mark.parametrize("wrong", [0, -1, 2.5])
def test_resamples_must_be_counted(wrong):
    """A number of resamples below one, or a fraction, is refused."""
    with pytest.raises(InvalidOptionError, match="n_resamples"):
        randomisation_test(np.eye(2), n_resamples=wrong)


def test_unknown_rule_is_refused_before_the_work():
    """The rule for p-values is a name, also where the exact p-value would not need it."""
    with pytest.raises(UnknownNameError, match="no rule for p-values 'minus-one'"):
        randomisation_test(np.eye(2), p_value_rule="minus-one")


def _with_clusters(values, clusters, weights=None):
    names = [str(place + 1) for place in range(values.shape[-1])]
    return as_scores(
        values,
        clusters=dict(zip(names, map(str, clusters), strict=True)),
        weights=None if weights is None else dict(zip(names, weights, strict=True)),
        missing="pairwise",
    )


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_are_flipped_whole(gaps, weighted):
    """The exact p-value is the share of all sign vectors over clusters whose weighted sum is as large, one by one."""
    generator = np.random.default_rng(6)
    values, clusters = generator.random((3, 20)), generator.permutation(np.arange(20) % 7)
    if gaps:
        values[generator.random(values.shape) < 0.2] = np.nan
    weights = generator.random(20) + 0.1 if weighted else np.ones(20)
    result = randomisation_test(_with_clusters(values, clusters, weights), correction="none")
    assert result.details["n_sign_vectors"] == 2**7
    for place, (a, b) in enumerate(itertools.combinations(values, 2)):
        z = np.nan_to_num(a - b) * weights
        sums = [abs(sum(sign[cluster] * z[j] for j, cluster in enumerate(clusters))) for sign in _all_signs(7)]
        expected = np.mean([one >= abs(z.sum()) - 1e-12 for one in sums])
        assert result.data["p_value"][0, place].item() == pytest.approx(expected)


def _all_signs(n):
    return [np.array(signs) for signs in itertools.product([-1, 1], repeat=n)]


def test_with_gaps_the_draws_are_those_of_all_topics():
    """A system without gaps beside another has the answer that it has alone with it."""
    values = np.random.default_rng(2).random((3, 30))
    gappy = values.copy()
    gappy[2, :4] = np.nan
    whole = randomisation_test(values[:2], n_resamples=500, rng=4, correction="none").data["p_value"].item()
    data = randomisation_test(as_scores(gappy, missing="pairwise"), n_resamples=500, rng=4, correction="none").data
    assert data["p_value"][0, 0].item() == whole
