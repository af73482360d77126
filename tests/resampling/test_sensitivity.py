"""Bootstrap sensitivity against a literal reading of the method, known figures, laws and degenerate input."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running.draws import bootstrap_indices
from metaeval.table.scores import as_scores
from metaeval.tests_stat import studentised
from metaeval.tests_stat.bootstrap import bootstrap_test


def square_of_t(sample):
    """Return t squared exactly, infinity for c/0 and -1 for 0/0, which comes last in the order."""
    n = len(sample)
    mean = Fraction(sum(sample), n)
    variance = sum((value - mean) ** 2 for value in sample) / (n - 1)
    if variance == 0:
        return Fraction(-1) if mean == 0 else np.inf
    return mean**2 * n / variance


def literal_difference(z, indices, place):
    """Sort the resamples by |t(w*)|, go to the place, take the largest |mean(w*)| among those that tie there."""
    z = [Fraction(int(value)) for value in z]
    w = [value - sum(z) / len(z) for value in z]
    resamples = [[w[topic] for topic in row] for row in indices]
    squares = [square_of_t(resample) for resample in resamples]
    there = sorted(squares, reverse=True)[place - 1]
    tied = [abs(sum(resample)) / len(z) for resample, one in zip(resamples, squares, strict=True) if one == there]
    return float(max(tied))


def whole_scores(seed, n_systems=6, n_topics=12):
    """Make scores in tenths with a copy, a constant shift and a pair that differs on two topics only."""
    whole = np.random.default_rng(seed).integers(0, 8, (n_systems, n_topics))
    whole[1] = whole[0]
    whole[2] = whole[0] + 1
    whole[3, 2:] = whole[4, 2:]
    return whole


@pytest.mark.parametrize(("seed", "n_topics", "alpha"), [(1, 12, 0.05), (2, 4, 0.05), (3, 12, 0.29), (4, 2, 0.5)])
def test_difference_required_equals_a_literal_reading(seed, n_topics, alpha):
    """The difference of every pair is the one a sort in exact arithmetic finds, ties and 0/0 included."""
    whole = whole_scores(seed, n_topics=n_topics)
    result = bootstrap_sensitivity(whole / 10, n_resamples=100, alpha=alpha, rng=seed)
    indices = bootstrap_indices(np.random.default_rng(seed), 100, n_topics)
    place = round(100 * alpha)
    expected = [literal_difference(whole[a] - whole[b], indices, place) / 10 for a, b in combinations(range(6), 2)]
    assert result.data["difference_required"].to_numpy()[0] == pytest.approx(expected, abs=1e-14)
    assert len({round(value, 9) for value in expected}) > 2


@pytest.mark.parametrize("n_topics", [4, 6])
def test_near_ties_beyond_single_precision_are_put_in_order(n_topics):
    """Where |t| differs in the seventh digit only, the resample at the place is still the one of an exact sort."""
    rng = np.random.default_rng(n_topics)
    coarse = rng.integers(0, 5, (8, n_topics))
    whole = 1_000_000 * coarse + rng.integers(0, 4, coarse.shape)
    result = bootstrap_sensitivity(whole / 1e7, n_resamples=200, alpha=0.2, rng=4)
    indices = bootstrap_indices(np.random.default_rng(4), 200, n_topics)
    near = 0
    for (a, b), found in zip(combinations(range(8), 2), result.data["difference_required"].to_numpy()[0], strict=True):
        z = [Fraction(int(value)) for value in whole[a] - whole[b]]
        squares = sorted(
            (square_of_t([z[topic] - sum(z) / n_topics for topic in row]) for row in indices), reverse=True
        )
        there = squares[39]
        gap = min((abs(one / there - 1) for one in squares if one not in (there, -1)), default=1)
        if gap > 1e-9 and there < 1000:  # closer or farther out, rounding of the scores themselves decides
            near += gap < 1e-6
            assert found == pytest.approx(literal_difference(z, indices, 40) / 1e7, rel=1e-10)
    assert near >= 3


def test_difference_required_on_continuous_scores():
    """On continuous scores the difference of every pair is that of a plain sort by |t| in NumPy."""
    values = np.random.default_rng(1).beta(1, 4, (8, 50))
    result = bootstrap_sensitivity(values, n_resamples=1000, rng=2)
    indices = bootstrap_indices(np.random.default_rng(2), 1000, 50)
    for pair, (a, b) in enumerate(combinations(range(8), 2)):
        z = values[a] - values[b]
        resampled = (z - z.mean())[indices]
        means = resampled.mean(axis=1)
        order = np.argsort(-np.abs(means / resampled.std(axis=1, ddof=1)))
        assert result.data["difference_required"].to_numpy()[0, pair] == pytest.approx(abs(means[order[49]]), rel=1e-12)


def test_a_rare_place_far_from_student_s_quantile_is_found():
    """Where the resampled t is nothing like Student's, the place is still the one a sort finds."""
    z = np.zeros(40)
    z[0] = 1.0
    result = bootstrap_sensitivity([z, np.zeros(40)], n_resamples=200, alpha=0.5, rng=3)
    indices = bootstrap_indices(np.random.default_rng(3), 200, 40)
    expected = literal_difference(z, indices, 100)
    assert result.data["difference_required"].item() == pytest.approx(expected, abs=1e-14)


def test_orientation_on_trec8(data_folder):
    """AP on TREC-8: power .712, difference required at most .116, median .042, 95th percentile .071, B = 1000."""
    scores = as_scores({"AP": pd.read_csv(data_folder / "trec-matrices/adhoc8_ap.csv")})
    summaries = pd.concat([bootstrap_sensitivity(scores, rng=seed).summary() for seed in range(5)])
    assert (summaries["n_pairs"] == 8256).all()
    assert summaries["power"].mean() == pytest.approx(0.712, abs=0.003)
    assert summaries["difference_required_median"].mean() == pytest.approx(0.042, abs=0.001)
    assert summaries["difference_required_p95"].mean() == pytest.approx(0.071, abs=0.003)
    # a maximum over 8256 pairs differs by some .01 between seeds
    assert summaries["difference_required"].mean() == pytest.approx(0.116, abs=0.015)


def test_asl_is_the_plain_p_and_the_decision_is_strict():
    """ASL is k/B of the studentised bootstrap with the same seed, and ASL = alpha is no rejection."""
    values = np.random.default_rng(4).normal(size=(2, 12, 15))
    plain = bootstrap_test(values, n_resamples=100, correction="none", p_value_rule="plain", rng=5)
    alpha = float(np.sort(plain.data["p_value"].to_numpy().ravel())[30])
    result = bootstrap_sensitivity(values, n_resamples=100, alpha=alpha, rng=5)
    assert np.array_equal(result.data["asl"], plain.data["p_value"])
    assert np.array_equal(result.data["significant"], result.data["asl"] < alpha)
    assert (result.data["asl"] == alpha).any()
    assert np.array_equal(result.data["statistic"], plain.data["statistic"])


def test_same_bytes_for_any_threads_and_tiles(monkeypatch):
    """The same seed gives the same bytes for one and two threads and any tile width."""
    values = np.random.default_rng(3).integers(0, 11, (2, 12, 23)) / 10

    def run(n_threads):
        data = bootstrap_sensitivity(values, n_resamples=120, rng=0, n_threads=n_threads).data
        return {name: data[name].to_numpy().tobytes() for name in ("asl", "difference_required", "significant")}

    expected = run(1)
    assert run(2) == expected
    for tile in (1, 7, 1000):
        monkeypatch.setattr(studentised, "_TILE", tile)
        assert run(2) == expected


@settings(max_examples=25)
@given(
    arrays(np.int64, (4, 8), elements=st.integers(0, 10)),
    arrays(np.int64, 8, elements=st.integers(-50, 50)),
    st.sampled_from([0.01, 0.5, 7.0]),
)
def test_the_difference_required_has_the_unit_of_the_scores(whole, shifts, factor):
    """A factor on all scores multiplies it, a constant per topic leaves it; decisions stay."""
    one = bootstrap_sensitivity(whole / 10, n_resamples=60, rng=1).data
    other = bootstrap_sensitivity((whole + shifts) / 10 * factor, n_resamples=60, rng=1).data
    assert np.allclose(other["difference_required"], factor * one["difference_required"], rtol=1e-9, atol=1e-12)
    assert np.array_equal(one["significant"], other["significant"])


@settings(max_examples=25)
@given(arrays(np.int64, (4, 8), elements=st.integers(0, 10)))
def test_direction_of_the_metric_does_not_matter(whole):
    """A metric where lower is better has the same power and difference required; only "better" turns round."""
    up = bootstrap_sensitivity(whole / 10, n_resamples=60, rng=1).data
    down = bootstrap_sensitivity(as_scores(whole / 10, higher_is_better=False), n_resamples=60, rng=1).data
    for name in ("asl", "difference_required", "significant", "difference", "statistic"):
        assert np.array_equal(up[name], down[name]), name
    assert np.array_equal(up["better"], -down["better"])


def test_identical_systems_stay_in_the_denominator_and_are_listed():
    """Copies are never told apart, count among the pairs, and are named."""
    row = np.array([0.1, 0.5, 0.9, 0.3, 0.2, 0.7])
    result = bootstrap_sensitivity([row, row, row - 0.1], n_resamples=100, rng=0)
    summary = result.summary()
    assert (summary["n_significant"].item(), summary["n_pairs"].item()) == (2, 3)
    assert result.identical == (("system1", "system2"),)
    assert result.data["asl"].to_numpy()[0].tolist() == [1.0, 0.0, 0.0]
    assert result.data["difference_required"].to_numpy()[0].tolist() == [0.0, 0.0, 0.0]
    assert result.zero_variance_resamples["zero_over_zero"] == {"metric1": 300}


def test_all_scores_zero():
    """A metric that is 0 everywhere tells nothing apart, and no difference is known to do."""
    summary = bootstrap_sensitivity(np.zeros((3, 5)), n_resamples=40, rng=0).summary()
    assert summary[["n_significant", "power"]].to_numpy().tolist() == [[0, 0]]
    assert summary.filter(like="required").isna().all(axis=None)


def test_pairs_that_differ_on_too_few_topics_have_no_difference_required():
    """On five topics no exact test by signs reaches .05, on six it does; such pairs move no median either."""
    one = np.linspace(0.2, 0.8, 20)
    noise = np.random.default_rng(1).normal(0.0, 0.1, 20)
    rows = [one, one + np.where(np.arange(20) < 5, noise, 0.0), one + np.where(np.arange(20) < 6, noise, 0.0)]
    found = bootstrap_sensitivity(as_scores(np.array(rows[:2])), n_resamples=200, rng=0)
    assert found.to_frame()["difference_required"].isna().all()
    both = bootstrap_sensitivity(as_scores(np.array(rows)), n_resamples=200, rng=0)
    told = both.to_frame().set_index(["system_a", "system_b"])["difference_required"]
    assert told.notna().tolist() == [False, True, False]  # the last two differ on one topic
    summary = both.summary().filter(like="required").iloc[0]
    assert (summary == told.max()).all()


@pytest.fixture(scope="module")
def result():
    """Ten systems that differ by steps, under a metric, its mirror image and noise."""
    rng = np.random.default_rng(7)
    quality = np.linspace(0, 1, 10)[:, None] + rng.normal(0, 0.3, (10, 30))
    scores = as_scores(
        np.stack([quality, -quality, rng.normal(size=(10, 30))]),
        metrics=["up", "down", "noise"],
        higher_is_better={"down": False},
    )
    return bootstrap_sensitivity(scores, rng=0)


def test_what_the_resamples_leave_open_has_the_unit_of_the_scores(result):
    """A row a metric, and an error of each figure where scores vary; of a maximum larger than of the median."""
    errors = result.required_errors()
    assert errors.index.tolist() == ["up", "down", "noise"]
    assert (errors > 0).all(axis=None)
    assert (errors["difference_required"] > errors["difference_required_median"]).all()
    np.testing.assert_allclose(errors.loc["up"], errors.loc["down"], rtol=0.5)  # one is the other, turned


def test_the_curves_hold_every_pair_in_order(result):
    """An ASL curve has one point a pair, rising, and its count below alpha is the power."""
    curves = result.asl_curves()
    for metric, part in curves.groupby("metric", sort=False):
        assert part["rank"].tolist() == list(range(1, 46))
        assert part["asl"].is_monotonic_increasing
        row = result.summary().set_index("metric").loc[metric]
        assert (part["asl"] < result.alpha).sum() == row["n_significant"]


def test_corrected_stands_beside_uncorrected(result):
    """The corrected power is that of the plain p-values under Benjamini and Yekutieli, strictly below alpha."""
    table = result.corrected("fdr_by").set_index("metric")
    for metric in result.metrics:
        asl = result.data["asl"].sel(metric=metric).to_numpy()
        adjusted = multipletests(asl, method="fdr_by")[1]
        assert table.loc[metric, "n_significant"] == (asl < 0.05).sum()
        assert table.loc[metric, "n_significant_corrected"] == (adjusted < 0.05).sum()
    assert (table["correction"] == "fdr_by").all()
    assert result.comparison("holm").correction == "holm"
    assert result.comparison().test == "bootstrap_sensitivity"


def test_to_frame_has_a_row_a_metric_and_pair(result):
    """The frame carries every variable of every pair."""
    frame = result.to_frame()
    assert len(frame) == 3 * 45
    assert frame["significant"].sum() == result.summary()["n_significant"].sum()
    assert result.n_systems == 10


def test_one_run_per_group():
    """Runs are chosen one per group, named in the result, and the same seed chooses the same."""
    values = np.random.default_rng(1).normal(size=(6, 20))
    groups = {f"system{number}": "ab"[number % 2] for number in range(1, 7)}
    scores = as_scores(values, groups=groups)
    chosen = {
        bootstrap_sensitivity(scores, choose="one-per-group", n_resamples=40, rng=seed).systems for seed in range(9)
    }
    assert all(groups[first] != groups[second] for first, second in chosen)
    assert len(chosen) > 1
    again = bootstrap_sensitivity(scores, choose="one-per-group", n_resamples=40, rng=3)
    assert again.systems == bootstrap_sensitivity(scores, choose="one-per-group", n_resamples=40, rng=3).systems
    assert (again.choose, again.n_pairs) == ("one-per-group", 1)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_resamples": 10}, InvalidOptionError, "use `n_resamples` of at least 20"),
        ({"n_resamples": 0}, InvalidOptionError, "n_resamples"),
        ({"alpha": 0.0}, InvalidOptionError, "`alpha` must lie between 0 and 1"),
        ({"choose": "some"}, InvalidOptionError, "`choose` must be"),
        ({"choose": "one-per-group"}, InvalidOptionError, "no groups"),
    ],
)
def test_refusals(options, error, words):
    """Every option outside its rule is refused, with the rule and the way out."""
    with pytest.raises(error, match=words):
        bootstrap_sensitivity([[0.1, 0.4], [0.3, 0.2]], **options)


def test_a_gap_is_refused():
    """A missing score is an error that names it."""
    with pytest.raises(ScoresError, match="system2"):
        bootstrap_sensitivity([[0.1, 0.4], [np.nan, 0.2]])


def test_plot_draws_a_line_a_metric(result):
    """The picture has a curve for every metric."""
    assert len(result.plot().axes[0].get_lines()) >= len(result.metrics)
