"""Intervals for discriminative power: the fast outer loop against plain ones, published means, laws, refusals."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.draws import bootstrap_indices, resolve_rng
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.resampling.power_interval import discriminative_power_interval, run_choice_power, t_powers
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.scores import as_scores
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import ask

BOTH = ("none", "fdr_by")


def graded(seed=0, n_systems=9, n_topics=25, n_metrics=2):
    """Make systems that differ by steps, under several noisy metrics."""
    rng = np.random.default_rng(seed)
    return np.linspace(0, 0.8, n_systems)[:, None] + rng.normal(0, 0.5, (n_metrics, n_systems, n_topics))


def literal_t_power(values, correction, alpha):
    """Return the share of pairs that SciPy's paired t test and statsmodels' correction reject."""
    first, second = np.triu_indices(len(values), 1)
    z = values[first] - values[second]
    constant = np.ptp(z, axis=1) < 1e-12  # SciPy gives NaN here
    p_values = np.where(np.abs(z[:, 0]) < 1e-12, 1.0, 0.0)
    if not constant.all():
        p_values[~constant] = stats.ttest_1samp(z[~constant], 0, axis=1).pvalue
    if correction == "none":
        return np.mean(p_values <= alpha)
    return np.mean(multipletests(p_values, method=correction)[1] <= alpha)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_t_powers_equal_scipy_on_every_list_of_topics(correction, alpha):
    """The product form of the outer loop decides as SciPy and statsmodels do, copies and shifts included."""
    values = graded()
    values[0, 1] = values[0, 0]
    values[0, 2] = values[0, 0] + 0.25
    topics = bootstrap_indices(np.random.default_rng(3), 8, 25)
    found = t_powers(ask(values, alpha=alpha), topics, corrections=(correction,))
    expected = [[literal_t_power(values[metric][:, row], correction, alpha) for row in topics] for metric in range(2)]
    assert np.allclose(found[0], expected, rtol=0, atol=1e-12)
    assert 0.05 < found.mean() < 0.95


def test_t_powers_on_tied_scores_and_few_topics():
    """On P@10-like scores and lists of three topics, constant differences and equal means are decided aright."""
    values = np.random.default_rng(4).integers(0, 3, (6, 8)) / 10
    topics = bootstrap_indices(np.random.default_rng(5), 60, 3)
    found = t_powers(ask(values), topics)
    assert np.allclose(found[0, 0], [literal_t_power(values[:, row], "none", 0.05) for row in topics])
    assert found.max() > 0


def test_published_terabyte_2006_power(data_folder):
    """Mean power over random 50 of the 149 Terabyte 2006 topics is the published one, within Monte-Carlo error."""
    folder = data_folder / "trec-matrices"
    rng = np.random.default_rng(1)
    for metric, at_five_percent in (("ap", 0.6809), ("ndcg", 0.7216)):
        published = pd.read_csv(folder / f"published/terabyte2006_{metric}_power_within.csv").set_index("alpha")["raw"]
        assert published[0.05] == pytest.approx(at_five_percent, abs=5e-5)
        scores = as_scores({metric: pd.read_csv(folder / f"terabyte2006_{metric}.csv")})
        subsets = np.stack([rng.permutation(149)[:50] for _ in range(400)])
        for alpha in (0.001, 0.05):
            powers = t_powers(ask(scores, alpha=alpha), subsets)[0, 0]
            error = powers.std(ddof=1) * np.sqrt(1 / len(subsets) + 1 / 5000)
            assert abs(powers.mean() - published[alpha]) < 4 * error


def test_the_interval_is_power_and_t_times_the_spread():
    """The bounds are D plus and minus t s(D*) sqrt(T / (T - 1)), cut at 0 and 1, from D* of a plain loop."""
    values = graded()
    result = discriminative_power_interval(values, test="t", n_topic_resamples=50, rng=8)
    topics = bootstrap_indices(np.random.default_rng(8), 50, 25)  # the t test itself draws nothing
    frame = result.to_frame()
    for place, correction in enumerate(BOTH):
        resampled = np.array([[literal_t_power(one[:, row], correction, 0.05) for row in topics] for one in values])
        observed = np.array([literal_t_power(one, correction, 0.05) for one in values])
        half = stats.t.ppf(0.975, 24) * resampled.std(axis=1, ddof=1) * np.sqrt(25 / 24)
        own = frame.iloc[2 * place : 2 * place + 2]
        assert own["correction"].unique().tolist() == [correction]
        assert np.allclose(own["power"], observed)
        assert np.allclose(own["low"], np.maximum(0, observed - half))
        assert np.allclose(own["high"], np.minimum(1, observed + half))
        paired = (resampled[0] - resampled[1]).std(ddof=1) * np.sqrt(25 / 24)
        difference = result.differences().iloc[place]
        assert difference["difference"] == pytest.approx(observed[0] - observed[1])
        assert difference["standard_error"] == pytest.approx(paired)
        assert difference["high"] - difference["difference"] == pytest.approx(stats.t.ppf(0.975, 24) * paired)


@pytest.mark.parametrize("test", ["bootstrap_sensitivity", "bootstrap", "wilcoxon"])
def test_any_test_runs_in_the_outer_loop(test):
    """Other tests are repeated on the same topics; their spread is like that of the t test on well-behaved scores."""
    values = graded(n_systems=12)
    options = {"corrections": ("none",), "n_topic_resamples": 40, "rng": 8}
    result = discriminative_power_interval(values, test=test, n_resamples=200, **options).to_frame()
    by_t = discriminative_power_interval(values, test="t", **options).to_frame()
    assert np.allclose(result["standard_error"], by_t["standard_error"], rtol=0.6)
    assert np.allclose(result["power"], by_t["power"], atol=0.12)
    assert (result["test"] == test).all()


def test_power_is_that_of_the_test_alone_with_the_same_seed():
    """The power in the middle is what the test gives by itself from the same seed."""
    values = graded()
    found = discriminative_power_interval(values, n_resamples=100, n_topic_resamples=5, corrections=BOTH, rng=4)
    alone = bootstrap_sensitivity(values, n_resamples=100, rng=4).corrected("fdr_by")
    assert found.data["power"].sel(correction="none").to_numpy().tolist() == alone["power"].tolist()
    assert found.data["power"].sel(correction="fdr_by").to_numpy().tolist() == alone["power_corrected"].tolist()


def test_same_answer_for_any_number_of_workers():
    """One worker or two, one thread or two: the same bytes."""
    values = graded(n_systems=4, n_topics=10)
    options = {"n_resamples": 40, "n_topic_resamples": 6, "rng": 2}
    one = discriminative_power_interval(values, **options)
    two = discriminative_power_interval(values, n_jobs=2, **options)
    assert one.data["resampled"].to_numpy().tobytes() == two.data["resampled"].to_numpy().tobytes()
    fast = [
        discriminative_power_interval(graded(), test="t", n_topic_resamples=99, rng=2, n_threads=n_threads)
        for n_threads in (1, 2)
    ]
    assert fast[0].data["resampled"].to_numpy().tobytes() == fast[1].data["resampled"].to_numpy().tobytes()


def test_a_family_wise_test_takes_its_own_correction():
    """Tukey's test gives intervals under its own family-wise p-values, and refuses another correction."""
    values = graded(n_metrics=1)
    result = discriminative_power_interval(
        values, test="tukey_parametric", corrections=("family-wise",), n_topic_resamples=10, rng=1
    )
    assert result.to_frame()["correction"].tolist() == ["family-wise"]
    with pytest.raises(InvalidOptionError, match="family-wise"):
        discriminative_power_interval(values, test="tukey_parametric", n_topic_resamples=10, rng=1)


def test_intervals_cover_on_a_simulated_population():
    """Of 95 % intervals on 80 samples from one population, nearly all hold the expected power of such samples."""
    rng = np.random.default_rng(12)
    quality = np.linspace(0, 0.5, 12)[:, None]
    samples = [quality + rng.normal(0, 0.6, (12, 40)) for _ in range(80)]
    whole = np.arange(40)[None]
    others = (quality + rng.normal(0, 0.6, (12, 40)) for _ in range(400))
    target = np.mean([t_powers(ask(other), whole) for other in others])
    frames = [
        discriminative_power_interval(sample, test="t", corrections=("none",), n_topic_resamples=60, rng=1).to_frame()
        for sample in samples
    ]
    covered = sum(frame["low"].item() <= target <= frame["high"].item() for frame in frames)
    assert stats.binom.cdf(covered, 80, 0.95) > 0.001


@pytest.fixture(scope="module")
def grouped():
    """Twelve systems of four teams under two metrics."""
    groups = {f"system{number}": "abcd"[number % 4] for number in range(1, 13)}
    return as_scores(graded(n_systems=12), metrics=["one", "two"], groups=groups)


@pytest.mark.parametrize("test", ["t", "bootstrap_sensitivity"])
def test_run_choice_equals_testing_the_chosen_systems(grouped, test):
    """The power of a choice is that of the same test on the chosen systems alone."""
    result = run_choice_power(grouped, test=test, n_resamples=200, n_choices=15, rng=5)
    for choice in range(15):
        systems = result.data["chosen"].isel(choice=choice).to_numpy()
        assert sorted(grouped["group"].to_numpy()[systems]) == ["a", "b", "c", "d"]
        chosen = grouped.isel(system=np.flatnonzero(systems))
        for correction in BOTH:
            if test == "t":
                alone = paired_t_test(chosen, correction=correction).discriminative_power()["power"]
            else:
                whole = bootstrap_sensitivity(chosen, n_resamples=200, rng=5)
                alone = whole.comparison(correction).discriminative_power()["power"]
            found = result.data["power"].sel(correction=correction).isel(choice=choice)
            assert found.to_numpy().tolist() == alone.tolist()


def test_run_choice_describes_its_spread(grouped):
    """The frame has mean, deviation and quantiles of the choices; differences are paired within a choice."""
    result = run_choice_power(grouped, test="t", n_choices=60, corrections=("none",), rng=5)
    power = result.data["power"].to_numpy()[0]
    frame = result.to_frame()
    assert np.allclose(frame["mean"], power.mean(axis=1))
    assert np.allclose(frame["standard_deviation"], power.std(axis=1, ddof=1))
    assert np.allclose(frame["low"], np.quantile(power, 0.025, axis=1))
    assert np.allclose(frame["largest"], power.max(axis=1))
    assert (frame["n_systems"] == 4).all()
    difference = result.differences().iloc[0]
    assert (difference["metric_a"], difference["metric_b"]) == ("one", "two")
    assert difference["standard_deviation"] == pytest.approx((power[0] - power[1]).std(ddof=1))
    higher = (power[0] > power[1]).mean() + 0.5 * (power[0] == power[1]).mean()
    assert difference["first_higher"] == pytest.approx(higher)


def test_run_choice_of_a_number_of_systems(grouped):
    """A number of runs is drawn at random from all."""
    result = run_choice_power(grouped, test="sign", choose=5, n_choices=40, rng=5)
    chosen = result.data["chosen"].to_numpy()
    assert (chosen.sum(axis=1) == 5).all()
    assert chosen.any(axis=0).all()
    assert result.n_systems == 5


def test_one_metric_has_no_differences(grouped):
    """With a single metric the tables of differences are empty, columns and all."""
    alone = grouped.isel(metric=[0])
    intervals = discriminative_power_interval(alone, test="t", n_topic_resamples=5, rng=1)
    assert intervals.differences().empty
    assert "low" in intervals.differences().columns
    choices = run_choice_power(alone, test="t", n_choices=5, rng=1)
    assert choices.differences().empty
    assert "first_higher" in choices.differences().columns


def test_the_seed_is_recorded(grouped):
    """Both results say where their draws came from."""
    assert discriminative_power_interval(grouped, test="t", n_topic_resamples=5, rng=3).random_source == "seed 3"
    assert run_choice_power(grouped, test="t", n_choices=5, rng=resolve_rng(3)).random_source == "seed 3"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"test": "bootstrapp"}, UnknownNameError, "bootstrap"),
        ({"corrections": ("none", "bye")}, UnknownNameError, "fdr_by"),
        ({"corrections": ()}, InvalidOptionError, "at least one"),
        ({"confidence_level": 95}, InvalidOptionError, "confidence_level must lie between 0 and 1, not 95"),
        ({"alpha": 0}, InvalidOptionError, "alpha"),
    ],
)
def test_refusals_of_both(grouped, options, error, words):
    """Every option outside its rule is refused by both functions."""
    for function in (discriminative_power_interval, run_choice_power):
        with pytest.raises(error, match=words):
            function(grouped, **options)


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (
            discriminative_power_interval,
            {"n_topic_resamples": 1},
            "n_topic_resamples must be a whole number of at least 2",
        ),
        (discriminative_power_interval, {"test": "t", "corrections": ("family-wise",)}, "family-wise"),
        (run_choice_power, {"n_choices": 2.5}, "n_choices must be a whole number of at least 2, not 2.5"),
        (run_choice_power, {"choose": "all"}, "nothing to choose"),
        (run_choice_power, {"choose": 1}, "choose must be"),
        (run_choice_power, {"test": "tukey"}, "looks at all systems at once"),
        (run_choice_power, {"test": "t", "corrections": ("family-wise",)}, "family-wise"),
    ],
)
def test_refusals_of_one(grouped, function, options, words):
    """Every option outside its rule is refused, with the rule and the value."""
    with pytest.raises(InvalidOptionError, match=words):
        function(grouped, **options)


def test_groups_are_needed_for_one_run_per_group():
    """Without groups, the error says how to give them."""
    with pytest.raises(InvalidOptionError, match="no groups"):
        run_choice_power(graded(), test="t", rng=0)


def test_both_results_draw_themselves(grouped):
    """Plotting gives a figure, with an interval or a range for every metric."""
    for result in (
        discriminative_power_interval(grouped, test="t", n_topic_resamples=20, rng=1),
        run_choice_power(grouped, test="t", n_choices=20, rng=1),
    ):
        written = {text.get_text() for text in result.plot().findobj(Text)}
        assert written >= {"one", "two"}
