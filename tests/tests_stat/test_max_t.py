import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat import max_t
from metaeval.tests_stat.max_t import count_successive_maxima, max_t_test, pair_statistic
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.permutations import draw_seed, topic_permutations


def read_matrix(path):
    return np.array([[float(cell) for cell in line.split()] for line in path.read_text().splitlines()])


def signed_square(x, y):
    """Square the paired t but keep its sign, up to the increasing map t -> T t**2 / (T - 1 + t**2)."""
    differences = [int(a) - int(b) for a, b in zip(x, y, strict=True)]
    total, squares = sum(differences), sum(d * d for d in differences)
    return Fraction(total * abs(total), squares) if squares else Fraction(0)


def literal_counts(scores, pairs, sides, orders):
    """Count extreme permutations of whole-number scores, exact and one hypothesis at a time: (raw, step-down)."""

    def statistics(matrix):
        values = [(signed_square(matrix[a], matrix[b]), side) for side in sides for a, b in pairs]
        return [abs(value) if side == 0 else side * value for value, side in values]

    observed = statistics(scores)
    permuted = [statistics(np.take_along_axis(scores.T, order, axis=1).T) for order in orders]
    raw = [sum(row[h] >= observed[h] for row in permuted) for h in range(len(observed))]
    ranking = sorted(range(len(observed)), key=lambda h: -observed[h])
    stepped, largest_so_far = [0] * len(observed), 0
    for rank, hypothesis in enumerate(ranking):
        rest = ranking[rank:]
        count = sum(max(row[h] for h in rest) >= observed[hypothesis] for row in permuted)
        largest_so_far = max(largest_so_far, count)
        stepped[hypothesis] = largest_so_far
    return np.array(raw), np.array(stepped)


@pytest.mark.parametrize("baseline", [None, 1])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_equal_to_exact_fractions_on_the_same_permutations(alternative, baseline):
    """Whole-number scores, full of ties, counted with fractions: raw and step-down p-values agree exactly."""
    n_systems, n_topics, n_resamples = 4, 5, 60
    scores = np.random.default_rng(3).integers(0, 4, (n_systems, n_topics))
    seed = draw_seed(np.random.default_rng(8))
    orders = topic_permutations(seed, 0, n_resamples, n_topics=n_topics, n_systems=n_systems)
    pairs = (
        list(itertools.combinations(range(n_systems), 2))
        if baseline is None
        else [(other, baseline) for other in range(n_systems) if other != baseline]
    )
    sides = {"two-sided": (0,), "greater": (1,), "less": (-1,), "better": (1, -1)}[alternative]
    raw, stepped = literal_counts(scores, pairs, sides, orders)
    if alternative == "better":
        ahead = np.array([scores[a].sum() >= scores[b].sum() for a, b in pairs])
        raw, stepped = (np.where(ahead, *np.split(counts, 2)) for counts in (raw, stepped))
    result = max_t_test(
        scores / 10,
        alternative=alternative,
        baseline=None if baseline is None else f"system{baseline + 1}",
        n_resamples=n_resamples,
        p_value_rule="plain",
        rng=np.random.default_rng(8),
    )
    np.testing.assert_array_equal(result.data["p_value"][0], raw / n_resamples)
    np.testing.assert_array_equal(result.data["p_family_wise"][0], stepped / n_resamples)
    np.testing.assert_array_equal(result.data["p_corrected"], result.data["p_family_wise"])


@pytest.mark.parametrize("metric", ["map", "P_10", "Rprec", "err", "ndcg"])
def test_published_permutation_tests(metric, data_folder):
    """Raw, against system 0, and all pairs: within 0.015 of the p-values of another program's random run."""
    folder = data_folder / "golden" / "permtest"
    scores = read_matrix(folder / "matrix" / f"matrix.{metric}")
    raw, one, every = (
        read_matrix(folder / f"pValues{kind}" / f"pvalues.{metric}") for kind in ("Unadjusted", "MaxT", "MaxTPairWise")
    )
    options = {"n_resamples": 20_000, "p_value_rule": "plain", "rng": 1}
    pairs = np.triu_indices(4, 1)
    result = max_t_test(scores, **options)
    np.testing.assert_allclose(result.data["p_value"][0], raw[pairs], atol=0.015)
    np.testing.assert_allclose(result.data["p_family_wise"][0], every[pairs], atol=0.015)
    against = max_t_test(scores, baseline="system1", **options)
    np.testing.assert_allclose(against.data["p_value"][0], raw[0, 1:], atol=0.015)
    np.testing.assert_allclose(against.data["p_family_wise"][0], one[0, 1:], atol=0.015)


def test_neither_blocks_nor_threads_change_the_answer(monkeypatch):
    """The same seed gives the same bytes."""
    values = np.random.default_rng(0).random((2, 5, 12))

    def run(**options):
        data = max_t_test(values, n_resamples=200, rng=4, **options).data
        return data["p_value"].to_numpy().tobytes() + data["p_family_wise"].to_numpy().tobytes()

    expected = run()
    assert run(n_threads=1) == expected
    for cells in (1, 1000, 10**7):
        monkeypatch.setattr(max_t, "_BLOCK_CELLS", cells)
        assert run() == expected


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(3, 9))
def test_step_down_p_values_are_ordered(seed, n_systems, n_topics):
    """Family-wise p-values are no smaller than raw ones and rise as the statistic falls; doubling changes nothing."""
    values = np.random.default_rng(seed).random((n_systems, n_topics))
    data = max_t_test(values, n_resamples=100, rng=seed).data
    family_wise = data["p_family_wise"].to_numpy()[0]
    assert (family_wise >= data["p_value"].to_numpy()[0]).all()
    order = np.argsort(-np.abs(data["statistic"].to_numpy()[0]))
    assert (np.diff(family_wise[order]) >= 0).all()
    np.testing.assert_array_equal(
        max_t_test(2 * values, n_resamples=100, rng=seed).data["p_family_wise"][0], family_wise
    )


def test_swapping_two_systems_swaps_the_tails():
    """With two systems "greater" of one order is "less" of the other, within Monte-Carlo error."""
    values = np.random.default_rng(1).random((2, 12)) + np.array([[0.2], [0.0]])
    forth = max_t_test(values, alternative="greater", n_resamples=20_000, rng=1).data["p_value"].item()
    back = max_t_test(values[::-1], alternative="less", n_resamples=20_000, rng=2).data["p_value"].item()
    assert forth == pytest.approx(back, abs=5 * np.sqrt(2 * forth / 20_000))


def test_statistic_is_the_paired_t():
    """The reported statistic is that of the t test, with the sign of the difference."""
    values = as_scores(np.random.default_rng(1).random((4, 12)), higher_is_better=False)
    expected = paired_t_test(values).data["statistic"]
    np.testing.assert_array_equal(max_t_test(values, n_resamples=9, rng=0).data["statistic"], expected)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_equal_systems_have_p_1(alternative):
    """Whatever the permutations do, two systems equal on every topic are not told apart."""
    values = np.random.default_rng(0).random((4, 10))
    values[2] = values[0]
    data = max_t_test(values, alternative=alternative, n_resamples=99, rng=0).data
    pair = list(itertools.combinations(range(4), 2)).index((0, 2))
    assert data["p_value"][0, pair].item() == data["p_family_wise"][0, pair].item() == 1.0


def test_constant_difference_can_reach_the_smallest_p():
    """A difference that is the same on every topic is infinite in units of its error."""
    topics = np.random.default_rng(0).random(40)
    data = max_t_test(np.array([topics + 1, topics, topics]), n_resamples=99, rng=0).data
    np.testing.assert_array_equal(data["p_family_wise"][0], [0.01, 0.01, 1.0])
    assert np.isinf(data["statistic"][0, 0])


def test_all_scores_equal():
    """Nothing to permute: every p-value is 1."""
    data = max_t_test(np.zeros((3, 5)), n_resamples=50, rng=0).data
    assert (data["p_value"] == 1).all()
    assert (data["p_family_wise"] == 1).all()


def test_another_correction_takes_the_raw_p_values():
    """The test's own adjustment is the default, not the only one."""
    result = max_t_test(np.random.default_rng(0).random((4, 10)), n_resamples=999, rng=0, correction="bonferroni")
    np.testing.assert_allclose(result.data["p_corrected"], np.minimum(1, 6 * result.data["p_value"]))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_resamples": 0}, InvalidOptionError),
        ({"p_value_rule": "none"}, UnknownNameError),
        ({"n_threads": 0}, InvalidOptionError),
        ({"baseline": "nobody"}, UnknownNameError),
    ],
)
def test_wrong_options_are_refused(options, error):
    """Each with the error of its kind."""
    with pytest.raises(error):
        max_t_test(np.eye(3), **options)


@pytest.mark.parametrize("rest", [0.0, 4e-16, -4e-16])
def test_systems_that_differ_by_rounding_alone_are_equal(rest):
    """Differences whose squares are a rest of rounding, in sums of 3, tell nothing, whatever their sum."""
    assert pair_statistic(-1e-15, 6.0, 3.0 + rest) == 0.0
    assert pair_statistic(-0.5, 6.1, 3.0 + rest) == pytest.approx(-0.25 / (0.1 - 2 * rest))


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(2, 24), st.sampled_from([(0,), (1,), (-1,), (1, -1)]))
def test_the_kernel_equals_a_literal_loop(seed, n_systems, sides):
    """One hypothesis of one permutation at a time, from the last to the first, whatever their number."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, (6, 4, n_systems)).astype(float)
    sums, products = scores.sum(axis=1), scores.transpose(0, 2, 1) @ scores
    first, second = np.triu_indices(n_systems, 1)
    order = rng.permutation(len(first) * len(sides))
    pair = np.tile(np.arange(len(first), dtype=np.uint32), len(sides))[order]
    turn = np.repeat(np.array(sides, dtype=float), len(first))[order]
    least = -np.sort(-rng.choice([-4.0, -1.0, -0.25, 0.0, 0.25, 1.0, 4.0, -np.inf], len(order)))
    expected = np.zeros((2, len(order)), dtype=int)
    for total, product in zip(sums, products, strict=True):
        largest = -np.inf
        for place in range(len(order) - 1, -1, -1):
            a, b = first[pair[place]], second[pair[place]]
            statistic = pair_statistic(total[a] - total[b], product[a, a] + product[b, b], product[a, b])
            statistic = statistic * turn[place] if turn[place] else abs(statistic)
            largest = max(largest, statistic)
            expected[:, place] += [statistic >= least[place], largest >= least[place]]
    np.testing.assert_array_equal(count_successive_maxima(sums, products, pair, turn, least), expected)


def _in_clusters(values, clusters):
    return as_scores(values, clusters={str(place + 1): str(one) for place, one in enumerate(clusters)})


def test_clusters_are_permuted_whole():
    """It is the test of the clusters' sums, whose systems are exchanged together; differences stay those of topics."""
    values, clusters = np.random.default_rng(5).random((4, 24)), np.arange(24) % 8
    options = {"n_resamples": 300, "rng": 1}
    found = max_t_test(_in_clusters(values, clusters), **options).data
    sums = np.stack([values[:, clusters == one].sum(axis=1) for one in range(8)], axis=1)
    expected = max_t_test(sums, **options).data
    np.testing.assert_array_equal(found["p_family_wise"], expected["p_family_wise"])
    np.testing.assert_allclose(found["statistic"], expected["statistic"])
    np.testing.assert_allclose(found["difference"], expected["difference"] * 8 / 24)
