import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat import tukey
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.permutations import draw_seed, topic_permutations
from metaeval.tests_stat.tails import LEAST
from metaeval.tests_stat.tukey import studentised_range_quantile, studentised_range_tail, tukey_hsd_test


def literal_ranges(scores, orders):
    """Range of the system sums under each permutation, in whole numbers and one topic at a time."""
    ranges = []
    for order in orders:
        sums = [0] * len(scores)
        for topic, positions in enumerate(order):
            for place, system in enumerate(positions):
                sums[place] += int(scores[system, topic])
        ranges.append(max(sums) - min(sums))
    return np.array(ranges)


@pytest.mark.parametrize("rule", ["plus-one", "plain"])
def test_randomised_equals_a_literal_loop_on_the_same_permutations(rule):
    """Scores in tenths, full of ties, against whole numbers; both metrics use the same permutations."""
    n_resamples = 150
    tenths = np.random.default_rng(3).integers(0, 6, (2, 5, 8))
    orders = topic_permutations(draw_seed(np.random.default_rng(6)), 0, n_resamples, n_topics=8, n_systems=5)
    expected = []
    for scores in tenths:
        ranges = literal_ranges(scores, orders)
        for a, b in itertools.combinations(scores, 2):
            count = int((ranges >= abs(int(a.sum()) - int(b.sum()))).sum())
            expected.append((count + 1) / (n_resamples + 1) if rule == "plus-one" else count / n_resamples)
    result = tukey_hsd_test(
        tenths / 10, n_resamples=n_resamples, p_value_rule=rule, rng=np.random.default_rng(6), alpha=0.1
    )
    np.testing.assert_array_equal(result.data["p_value"].to_numpy().ravel(), expected)
    quantiles = [np.quantile(literal_ranges(scores, orders), 0.9) / 80 for scores in tenths]
    np.testing.assert_allclose(result.details["difference_required"], quantiles)


@pytest.mark.parametrize("freedom", [1, 3, 20, 128, 6272])
@pytest.mark.parametrize("n_means", [2, 3, 10, 129])
def test_studentised_range_is_scipys(n_means, freedom):
    """The tail agrees with SciPy's double integral from far below the centre to far out."""
    q = np.array([0.05, 1.0, 3.0, 4.5, 6.5, 12.0])
    expected = [scipy.stats.studentized_range.sf(value, n_means, freedom) for value in q]
    np.testing.assert_allclose(studentised_range_tail(q, n_means=n_means, freedom=freedom).p, expected, atol=1e-10)


@given(st.floats(0, 50), st.integers(1, 500))
def test_range_of_two_means_is_students_t(q, freedom):
    """With two means Q = sqrt(2) |t|, to nine digits however small the tail."""
    expected = 2 * scipy.stats.t.sf(q / np.sqrt(2), freedom)
    found = studentised_range_tail(np.array([q]), n_means=2, freedom=freedom).p.item()
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_table_is_fine_enough(monkeypatch):
    """Halving any step of the quadrature changes nothing above 1e-12."""
    q = np.array([0.3, 2.0, 3.7, 5.0, 9.0, 30.0])
    cases = [(2, 1), (5, 4), (40, 39), (129, 128), (129, 6272)]

    def tails():
        tukey._table_of_range.cache_clear()
        return np.array([studentised_range_tail(q, n_means=k, freedom=freedom).p for k, freedom in cases])

    expected = tails()
    for step in ("_OUTER_STEP", "_INNER_STEP", "_KNOT_STEP"):
        with monkeypatch.context() as patch:
            patch.setattr(tukey, step, getattr(tukey, step) / 2)
            np.testing.assert_allclose(tails(), expected, rtol=0, atol=1e-12)
    tukey._table_of_range.cache_clear()


def test_ends_of_the_studentised_range():
    """No range is certain, an infinite one as good as impossible, and the shape is kept."""
    found = studentised_range_tail(np.array([[0.0, np.inf]]), n_means=7, freedom=30)
    np.testing.assert_array_equal(found.p, [[1.0, LEAST]])


@pytest.mark.parametrize(
    ("n_means", "freedom", "printed"), [(3, 10, 3.88), (5, 20, 4.23), (10, 60, 4.65), (2, 5, 3.64)]
)
def test_quantiles_are_those_of_printed_tables(n_means, freedom, printed):
    """Upper 5 % points as every textbook prints them, to two decimals."""
    assert studentised_range_quantile(0.05, n_means=n_means, freedom=freedom) == pytest.approx(printed, abs=0.005)


def test_parametric_uses_the_residuals_of_system_and_topic():
    """p-values from a least-squares fit of the two-way layout and SciPy's studentised range."""
    values = np.random.default_rng(4).random((4, 9))
    systems, topics = (np.eye(size)[index.ravel()] for size, index in zip((4, 9), np.indices((4, 9)), strict=True))
    design = np.hstack([systems, topics])
    _, _, rank, _ = np.linalg.lstsq(design, values.ravel())
    fitted = design @ np.linalg.lstsq(design, values.ravel())[0]
    freedom = values.size - rank
    error = np.sqrt(((values.ravel() - fitted) ** 2).sum() / freedom / 9)
    result = tukey_hsd_test(values, method="parametric")
    for place, (a, b) in enumerate(itertools.combinations(values.mean(axis=1), 2)):
        expected = scipy.stats.studentized_range.sf(abs(a - b) / error, 4, freedom)
        assert result.data["p_value"][0, place].item() == pytest.approx(expected, abs=1e-10)
        assert result.data["statistic"][0, place].item() == pytest.approx((a - b) / error)
    required = scipy.stats.studentized_range.ppf(0.95, 4, freedom) * error
    assert result.details["difference_required"] == [pytest.approx(required, rel=1e-6)]


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(2, 30))
def test_two_systems_are_a_paired_t_test(seed, n_topics):
    """With one pair there is no family, and the blocked parametric form is the t test."""
    values = np.random.default_rng(seed).random((2, n_topics))
    expected = paired_t_test(values, correction="none").data["p_value"].item()
    assert tukey_hsd_test(values, method="parametric").data["p_value"].item() == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("method", ["randomised", "parametric"])
def test_topic_difficulty_does_not_matter(method):
    """Topics are blocks: adding a constant to every score of a topic changes nothing."""
    rng = np.random.default_rng(5)
    values = rng.integers(0, 8, (4, 10)).astype(float)
    harder = values + rng.integers(0, 100, 10)
    first, second = (
        tukey_hsd_test(table, method=method, n_resamples=500, rng=0).data["p_value"] for table in (values, harder)
    )
    np.testing.assert_allclose(first, second, atol=1e-12)


@pytest.mark.parametrize("method", ["randomised", "parametric"])
def test_a_larger_difference_has_a_smaller_p(method):
    """One yardstick serves all pairs, so p falls with the size of the difference."""
    values = np.random.default_rng(6).random((8, 15))
    data = tukey_hsd_test(values, method=method, n_resamples=2000, rng=0).data
    order = np.argsort(np.abs(data["difference"].to_numpy()[0]))
    assert (np.diff(data["p_value"].to_numpy()[0][order]) <= 0).all()


@pytest.mark.parametrize("method", ["randomised", "parametric"])
def test_difference_required_divides_the_decisions(method):
    """Pairs that differ by clearly more than the difference required are significant, by less are not."""
    values = np.random.default_rng(6).random((30, 15)) + np.linspace(0, 0.6, 30)[:, None]
    result = tukey_hsd_test(values, method=method, n_resamples=5000, rng=0)
    (required,) = result.details["difference_required"]
    size = np.abs(result.data["difference"].to_numpy())
    significant = result.data["significant"].to_numpy()
    assert significant[size > 1.02 * required].all()
    assert not significant[size < 0.98 * required].any()
    assert 0 < significant.mean() < 1


def test_neither_blocks_nor_threads_change_the_answer(monkeypatch):
    """The same seed gives the same bytes."""
    values = np.random.default_rng(0).random((6, 12))

    def run(**options):
        return tukey_hsd_test(values, n_resamples=300, rng=4, **options).data["p_value"].to_numpy().tobytes()

    expected = run()
    assert run(n_threads=1) == expected
    monkeypatch.setattr(tukey, "_BLOCK", 7)
    assert run() == expected


@pytest.mark.parametrize("method", ["randomised", "parametric"])
def test_degenerate_tables(method):
    """Equal systems have p = 1; systems apart by a constant are told apart by signs; equal scores never."""
    topics = np.random.default_rng(0).random(40)
    data = tukey_hsd_test(np.array([topics + 1, topics, topics]), method=method, n_resamples=99, rng=0).data
    smallest = 0.01 if method == "randomised" else 3 * 2.0**-39
    np.testing.assert_array_equal(data["p_value"][0], [smallest, smallest, 1.0])
    assert (tukey_hsd_test(np.full((3, 7), 0.3), method=method, n_resamples=50, rng=0).data["p_value"] == 1).all()


def test_lower_is_better_keeps_the_raw_sign():
    """Difference and statistic are raw; who is better follows the metric's direction."""
    scores = as_scores(np.array([[0.2, 0.3, 0.1], [0.8, 0.9, 0.6]]), higher_is_better=False)
    data = tukey_hsd_test(scores, method="parametric").data
    assert data["statistic"].item() < 0 < data["better"].item()


def test_power_on_trec_8(data_folder):
    """Blocked Tukey over 8256 pairs: .415 parametric, .323 randomised within Monte-Carlo error."""
    scores = pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv").to_numpy().T
    parametric = tukey_hsd_test(scores, method="parametric").discriminative_power()["power"].item()
    randomised = tukey_hsd_test(scores, n_resamples=5000, rng=0).discriminative_power()["power"].item()
    assert parametric == pytest.approx(0.415, abs=5e-4)
    assert randomised == pytest.approx(0.323, abs=0.005)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "greater"}, "two-sided only, not `alternative='greater'`.*max_t"),
        ({"baseline": "system1"}, "takes no baseline .*max_t"),
        ({"correction": "holm"}, "take no further correction"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"n_threads": 0}, "n_threads"),
    ],
)
def test_wrong_options_are_refused(options, message):
    """Each says what the test cannot do, and what to use instead."""
    with pytest.raises(InvalidOptionError, match=message):
        tukey_hsd_test(np.eye(3), **options)


def test_unknown_method_is_refused():
    """The message lists the two forms."""
    with pytest.raises(UnknownNameError, match=r"no method 'independent'.*randomised, parametric"):
        tukey_hsd_test(np.eye(3), method="independent")


def test_clusters_are_permuted_whole():
    """It is the test of the clusters' sums; the difference required is in the unit of the mean over topics."""
    values, clusters = np.random.default_rng(5).random((4, 24)), np.arange(24) % 8
    scores = as_scores(values, clusters={str(place + 1): str(one) for place, one in enumerate(clusters)})
    found = tukey_hsd_test(scores, n_resamples=300, rng=1)
    sums = np.stack([values[:, clusters == one].sum(axis=1) for one in range(8)], axis=1)
    expected = tukey_hsd_test(sums, n_resamples=300, rng=1)
    np.testing.assert_array_equal(found.data["p_value"], expected.data["p_value"])
    required = found.details["difference_required"][0]
    assert required == pytest.approx(expected.details["difference_required"][0] * 8 / 24)
    with pytest.raises(InvalidOptionError, match="tukey_parametric"):
        tukey_hsd_test(scores, method="parametric")
