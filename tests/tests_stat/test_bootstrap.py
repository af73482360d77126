"""The bootstrap tests against a literal loop in exact arithmetic, published numbers, laws and degenerate input."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.running import draws
from metaeval.running.draws import bootstrap_indices
from metaeval.table.scores import as_scores
from metaeval.tests_stat import studentised
from metaeval.tests_stat.bootstrap import bootstrap_test

METHODS = ("studentised", "percentile", "shifted")
INFINITE = Fraction(10**40)


def signed_square_of_t(sample):
    """Return the sign of t times t squared, exactly; a huge number for c/0 and None for 0/0."""
    n = len(sample)
    mean = Fraction(sum(sample), n)
    variance = sum((value - mean) ** 2 for value in sample) / (n - 1)
    if variance == 0:
        return None if mean == 0 else INFINITE * (1 if mean > 0 else -1)
    return mean * abs(mean) * n / variance


def literal_counts(z, indices, method):
    """Count far, above and below for one pair of whole-number differences z, resample by resample as the papers say."""
    z = [Fraction(int(value)) for value in z]
    mean = sum(z) / len(z)
    shifted = [value - mean for value in z]
    far = above = below = zero = constant = 0
    if method == "studentised":
        observed = signed_square_of_t(z)
        if observed is None:
            return [len(indices)] * 3 + [len(indices), 0]
        for row in indices:
            statistic = signed_square_of_t([shifted[place] for place in row])
            if statistic is None:
                zero += 1
                continue
            constant += abs(statistic) == INFINITE
            far += abs(statistic) >= abs(observed)
            above += statistic >= observed
            below += statistic <= observed
        return [far, above, below, zero, constant]
    values, observed = (shifted, mean) if method == "shifted" else (z, 0)
    for row in indices:
        statistic = sum(values[place] for place in row) / len(z)
        far += abs(statistic) >= abs(observed)
        above += statistic >= observed
        below += statistic <= observed
    return [far, above, below, zero, constant]


def expected_p(counts, n_resamples, method, alternative):
    """Return the plain p-value of literal counts."""
    far, above, below = (count / n_resamples for count in counts[:3])
    if method == "percentile":
        above, below = below, above
        far = min(1.0, 2 * min(above, below))
    return {"two-sided": far, "greater": above, "less": below}[alternative]


def tenths(seed, n_systems=6, n_topics=14, highest=6):
    """Scores like P@10, full of ties, with a copy, a constant shift and many zero topics."""
    whole = np.random.default_rng(seed).integers(0, highest, (n_systems, n_topics))
    whole[1] = whole[0]
    whole[2] = whole[0] + 1
    whole[3, : n_topics - 2] = whole[4, : n_topics - 2]
    return whole


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("seed", "n_topics"), [(1, 14), (2, 5), (3, 2), (4, 3)])
def test_equals_a_literal_loop_in_exact_arithmetic(method, alternative, seed, n_topics):
    """Counts equal those of a loop over pairs and resamples in fractions, ties and degenerate resamples included."""
    whole = tenths(seed, n_topics=n_topics)
    n_resamples = 80
    result = bootstrap_test(
        whole / 10,
        method=method,
        alternative=alternative,
        correction="none",
        n_resamples=n_resamples,
        p_value_rule="plain",
        rng=seed,
    )
    indices = bootstrap_indices(np.random.default_rng(seed), n_resamples, n_topics)
    literal = [literal_counts(whole[a] - whole[b], indices, method) for a, b in combinations(range(len(whole)), 2)]
    expected = [expected_p(counts, n_resamples, method, alternative) for counts in literal]
    assert result.data["p_value"].to_numpy()[0].tolist() == expected
    if method == "studentised":
        assert result.details["zero_over_zero"]["metric1"] == sum(counts[3] for counts in literal)
        assert result.details["constant_over_zero"]["metric1"] == sum(counts[4] for counts in literal)


def smallest_gap(z, indices):
    """Return how close |t*| comes to |t| without being equal, relative and squared; 0 where t itself is near 0."""
    z = [Fraction(int(value)) for value in z]
    observed = abs(signed_square_of_t(z) or 0)
    if observed < Fraction(1, 1000):
        return 0.0
    squares = {signed_square_of_t([z[place] - sum(z) / len(z) for place in row]) for row in indices} - {None}
    return float(min((abs(abs(square) / observed - 1) for square in squares if abs(square) != observed), default=1))


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("n_topics", [5, 6])
def test_near_ties_beyond_single_precision_are_told_apart(alternative, n_topics):
    """Where t* differs from t in the seventh digit, beyond what single precision can see, counts are exact."""
    rng = np.random.default_rng(n_topics)
    coarse = rng.integers(0, 5, (14, n_topics))
    whole = 10_000_000 * coarse + rng.integers(0, 4, coarse.shape)
    indices = bootstrap_indices(np.random.default_rng(1), 100, n_topics)
    result = bootstrap_test(
        whole / 1e8, alternative=alternative, correction="none", n_resamples=100, p_value_rule="plain", rng=1
    )
    near = 0
    for (a, b), found in zip(combinations(range(14), 2), result.data["p_value"].to_numpy()[0], strict=True):
        z = whole[a] - whole[b]
        gap = smallest_gap(z, indices)
        if gap > 1e-9:  # closer than that, rounding of the scores themselves decides
            near += gap < 1e-6
            assert found == expected_p(literal_counts(z, indices, "studentised"), 100, "studentised", alternative)
    assert near >= 3


def test_degenerate_resamples_do_occur_in_the_literal_comparison():
    """The tables above hold pairs with some resamples of 0/0 or c/0, so that the comparison is not empty."""
    whole = tenths(2, n_topics=5)
    indices = bootstrap_indices(np.random.default_rng(2), 80, 5)
    literal = [literal_counts(whole[a] - whole[b], indices, "studentised") for a, b in combinations(range(6), 2)]
    assert any(0 < counts[3] < 80 for counts in literal)
    assert sum(counts[4] for counts in literal) > 10


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e7])
def test_equals_a_loop_over_pairs_on_continuous_scores(scale):
    """On continuous scores of any size, counts equal those of a NumPy loop that computes t of every resample."""
    values = np.random.default_rng(5).beta(1, 4, (9, 40)) * scale
    result = bootstrap_test(values, correction="none", n_resamples=300, p_value_rule="plain", rng=11)
    indices = bootstrap_indices(np.random.default_rng(11), 300, 40)
    for pair, (a, b) in enumerate(combinations(range(9), 2)):
        z = values[a] - values[b]
        resampled = (z - z.mean())[indices]
        t = resampled.mean(axis=1) / (resampled.std(axis=1, ddof=1) / np.sqrt(40))
        observed = stats.ttest_1samp(z, 0).statistic
        assert result.data["p_value"].to_numpy()[0, pair] == (np.abs(t) >= abs(observed)).mean()
        assert result.data["statistic"].to_numpy()[0, pair] == pytest.approx(observed, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_same_bytes_for_any_threads_tiles_and_chunks(monkeypatch, method, alternative):
    """The same seed gives the same bytes for one and two threads, and for any tile width and chunk of resamples."""
    values = np.random.default_rng(3).integers(0, 11, (2, 12, 23)) / 10

    def run(n_threads):
        result = bootstrap_test(
            values,
            method=method,
            alternative=alternative,
            n_resamples=257,
            p_value_rule="plain",
            rng=0,
            n_threads=n_threads,
        )
        return {name: result.data[name].to_numpy().tobytes() for name in ("p_value", "p_corrected", "statistic")}

    expected = run(1)
    assert run(2) == expected
    for tile, chunk in ((1, 257), (7, 100), (1000, 9)):
        monkeypatch.setattr(studentised, "_TILE", tile)
        monkeypatch.setattr(draws, "_CHUNK_RESAMPLES", chunk)
        assert run(2) == expected


def test_published_shifted_bootstrap(data_folder):
    """The one- and two-sided p-values published for TREC-8 systems 126 and 125 come out, within Monte-Carlo error."""
    published = json.loads((data_folder / "trec-matrices/published/published.json").read_text())["adhoc8_ap.csv"]
    table = pd.read_csv(data_folder / "trec-matrices/adhoc8_ap.csv")
    scores = as_scores({"AP": table.iloc[:, [125, 124]]})
    n_resamples = 200_000
    for alternative, expected in zip(("greater", "two-sided"), published["bootstrap_1e6_random"], strict=True):
        result = bootstrap_test(
            scores, method="shifted", alternative=alternative, correction="none", n_resamples=n_resamples, rng=1
        )
        error = np.sqrt(expected / n_resamples + expected / 1e6)
        assert abs(result.data["p_value"].item() - expected) < 4 * error


def test_orientation_on_trec8(data_folder):
    """Discriminative power of AP on TREC-8 is the .712 that the method's specification names, B = 1000."""
    scores = as_scores({"AP": pd.read_csv(data_folder / "trec-matrices/adhoc8_ap.csv")})
    result = bootstrap_test(scores, correction="none", p_value_rule="plain", rng=0)
    assert result.n_pairs == 8256
    assert result.discriminative_power()["power"].item() == pytest.approx(0.712, abs=0.005)


def test_percentile_agrees_with_scipy():
    """The percentile p is the share of SciPy's own bootstrap distribution at or below 0, within Monte-Carlo error."""
    x, y = np.random.default_rng(8).normal([[0.15], [0.0]], 0.4, (2, 30))
    n_resamples = 20_000
    reference = stats.bootstrap((x - y,), np.mean, n_resamples=n_resamples, method="percentile", rng=3)
    expected = (reference.bootstrap_distribution <= 0).mean()
    result = bootstrap_test(
        [x, y], method="percentile", alternative="greater", correction="none", n_resamples=n_resamples, rng=4
    )
    assert 0.001 < expected < 0.2
    assert abs(result.data["p_value"].item() - expected) < 4 * np.sqrt(2 * expected / n_resamples)


small_tables = arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(2, 9)), elements=st.integers(0, 10))


@settings(max_examples=25)
@given(small_tables, st.sampled_from(METHODS), st.integers(0, 99))
def test_swapping_two_systems_flips_the_sign(whole, method, seed):
    """In reverse order of the systems the differences change sign, two-sided p stays and the tails change places."""
    options = {"method": method, "correction": "none", "n_resamples": 40, "rng": seed}
    there, back = (whole / 10, whole[::-1] / 10)
    order = np.array([(a, b) for a, b in combinations(range(len(whole)), 2)])
    place = {tuple(pair): number for number, pair in enumerate(order.tolist())}
    mirror = [place[len(whole) - 1 - b, len(whole) - 1 - a] for a, b in order.tolist()]
    one, other = (bootstrap_test(table, **options).data for table in (there, back))
    assert np.array_equal(one["p_value"], other["p_value"][:, mirror])
    assert np.allclose(one["statistic"], -other["statistic"][:, mirror])
    greater = bootstrap_test(there, alternative="greater", **options).data["p_value"]
    less = bootstrap_test(back, alternative="less", **options).data["p_value"]
    assert np.array_equal(greater, less[:, mirror])


@settings(max_examples=25)
@given(
    small_tables,
    st.sampled_from(METHODS),
    arrays(np.int64, 9, elements=st.integers(-50, 50)),
    st.sampled_from([0.01, 1 / 3, 7.0]),
)
def test_topic_constants_and_positive_factors_change_nothing(whole, method, shifts, factor):
    """A constant added on a topic to every system, and a positive factor, leave every p-value where it was."""
    options = {"method": method, "correction": "none", "n_resamples": 40, "rng": 1}
    moved = (whole / 10 + shifts[: whole.shape[1]] / 10) * factor
    assert np.array_equal(
        bootstrap_test(whole / 10, **options).data["p_value"], bootstrap_test(moved, **options).data["p_value"]
    )


@settings(max_examples=25)
@given(small_tables, st.sampled_from(METHODS))
def test_lower_is_better_swaps_the_tails(whole, method):
    """Under a metric where lower is better, "greater" asks what "less" asks of the same numbers read upwards."""
    options = {"method": method, "correction": "none", "n_resamples": 40, "rng": 1}
    down = as_scores(whole / 10, higher_is_better=False)
    assert np.array_equal(
        bootstrap_test(down, alternative="greater", **options).data["p_value"],
        bootstrap_test(whole / 10, alternative="less", **options).data["p_value"],
    )
    one, other = (bootstrap_test(table, **options).data for table in (down, whole / 10))
    assert np.array_equal(one["p_value"], other["p_value"])
    assert np.array_equal(one["difference"], other["difference"])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_identical_systems_have_p_one(method, alternative):
    """Systems equal on every topic have p = 1 under every method and alternative."""
    row = np.array([0.1, 0.7, 0.30000000000000004, 0.0])
    same = [row, [0.1, 0.7, 0.3, 0.0]]
    result = bootstrap_test(same, method=method, alternative=alternative, correction="none", n_resamples=99, rng=0)
    assert result.data["p_value"].item() == 1.0
    assert result.data["statistic"].item() == 0.0


@pytest.mark.parametrize(("method", "two_sided"), [("studentised", 0.01), ("percentile", 0.02), ("shifted", 0.01)])
def test_a_constant_difference_has_the_smallest_p(method, two_sided):
    """A difference that is the same on every topic has the smallest p, and p = 1 on the other side."""
    table = np.array([[0.3, 0.8, 0.4, 0.6], [0.2, 0.7, 0.3, 0.5]])
    options = {"method": method, "correction": "none", "n_resamples": 99, "rng": 0}
    result = bootstrap_test(table, **options)
    assert result.data["p_value"].item() == pytest.approx(two_sided)
    assert result.details["smallest_p"] == pytest.approx(two_sided)
    assert bootstrap_test(table, alternative="greater", **options).data["p_value"].item() == pytest.approx(0.01)
    assert bootstrap_test(table, p_value_rule="plain", **options).data["p_value"].item() == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_all_zero_topics_and_all_zero_systems(method):
    """Topics on which everybody scores 0 and systems that score 0 everywhere give p-values, never NaN."""
    table = np.zeros((4, 12))
    table[0, 3:6] = [0.5, 0.2, 0.4]
    table[1, 3:6] = [0.4, 0.2, 0.4]
    result = bootstrap_test(table, method=method, correction="none", n_resamples=200, rng=0)
    p_values = result.data["p_value"].to_numpy()[0]
    assert np.isfinite(p_values).all()
    assert p_values[-1] == 1.0


def test_every_metric_gets_the_same_draws():
    """A metric gives the same answer alone as beside others."""
    values = np.random.default_rng(2).normal(size=(3, 5, 20))
    together = bootstrap_test(values, rng=6, n_resamples=200, correction="none")
    for metric in range(3):
        alone = bootstrap_test(values[metric], rng=6, n_resamples=200, correction="none")
        assert np.array_equal(alone.data["p_value"][0], together.data["p_value"][metric])


def test_a_baseline_picks_its_pairs():
    """Against a baseline, the p-values are those of its pairs among all pairs."""
    values = np.random.default_rng(2).normal(size=(5, 20))
    every = bootstrap_test(values, rng=6, n_resamples=200, correction="none").to_frame()
    some = bootstrap_test(values, rng=6, n_resamples=200, correction="none", baseline="system3").to_frame()
    held = every[(every["system_a"] == "system3") | (every["system_b"] == "system3")]
    assert some["p_value"].tolist() == held["p_value"].tolist()


def test_names_and_record_of_the_result():
    """The result names its test, B and seed, as the catalogue and the report expect."""
    names = [
        bootstrap_test([[0.1, 0.4], [0.3, 0.2]], method=method, n_resamples=9, rng=7, correction="none").signature
        for method in METHODS
    ]
    assert names == [
        f"{name}:B=9|two-sided|none|alpha=0.05|seed 7"
        for name in ("bootstrap", "bootstrap_percentile", "bootstrap_shifted")
    ]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"method": "studentized"}, UnknownNameError, "did you mean 'studentised'"),
        ({"n_resamples": 0}, InvalidOptionError, "`n_resamples` must be a whole number of at least 1, not 0"),
        ({"n_resamples": 10.5}, InvalidOptionError, "not 10.5"),
        ({"n_threads": 0}, InvalidOptionError, "`n_threads` must be a whole number of at least 1, not 0"),
        ({"n_threads": 1.5, "method": "shifted"}, InvalidOptionError, "`n_threads` must be .* not 1.5"),
        ({"p_value_rule": "exact"}, UnknownNameError, "plus-one, plain"),
        ({"alternative": "both"}, UnknownNameError, "two-sided"),
        ({"alpha": 1.0}, InvalidOptionError, "alpha"),
        ({"rng": -1}, InvalidOptionError, "rng"),
    ],
)
def test_refusals(options, error, words):
    """Every option outside its rule is refused, with the rule and the value."""
    with pytest.raises(error, match=words):
        bootstrap_test([[0.1, 0.4], [0.3, 0.2]], **options)
