"""Intervals for discriminative power: the fast outer loop against plain ones, published means, laws, refusals."""

import numpy as np
import pytest
from matplotlib.text import Text
from scipy import stats

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.topic_resamples import t_powers
from metaeval.running.draws import bootstrap_indices, resolve_rng
from metaeval.tests_stat.pairs import ask

BOTH = ("none", "fdr_by")


def test_the_interval_is_power_and_t_times_the_spread(graded, literal_t_power):
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


def test_a_slow_test_is_asked_on_a_quarter_and_t_says_the_rest(graded, literal_t_power):
    """The spread is that of a straight line through the test's powers over the t test's, and of what it leaves."""
    values = graded(n_systems=9)
    found = discriminative_power_interval(values, test="sign", n_topic_resamples=240, rng=8)
    assert (found.n_rounds, found.n_topic_resamples) == (60, 240)
    topics = bootstrap_indices(np.random.default_rng(8), 240, 25)  # the sign test draws nothing either
    frame = found.to_frame().set_index(["correction", "metric"])["standard_error"]
    for correction in BOTH:
        asked = np.array([[_sign_power(one[:, row], correction) for row in topics[:60]] for one in values])
        by_t = np.array([[literal_t_power(one[:, row], correction, 0.05) for row in topics] for one in values])
        wanted = [_regressed(own, control) for own, control in zip(asked, by_t, strict=True)]
        assert frame[correction].to_numpy() == pytest.approx(np.array(wanted) * np.sqrt(25 / 24))
        paired = _regressed(asked[0] - asked[1], by_t[0] - by_t[1]) * np.sqrt(25 / 24)
        assert found.differences().set_index("correction")["standard_error"][correction] == pytest.approx(paired)


def _regressed(own, control):
    """Return the spread that a line through some rounds predicts for all, with what it leaves."""
    line = stats.linregress(control[: len(own)], own)
    left = own - line.intercept - line.slope * control[: len(own)]
    return np.sqrt(line.slope**2 * np.var(control, ddof=1) + np.sum(left**2) / (len(own) - 1))


def _sign_power(scores, correction):
    p_values = []
    for first in range(len(scores)):
        for second in range(first + 1, len(scores)):
            wins, losses = np.sum(scores[first] > scores[second]), np.sum(scores[first] < scores[second])
            p_values.append(stats.binomtest(int(wins), int(wins + losses)).pvalue if wins + losses else 1.0)
    adjusted = p_values if correction == "none" else stats.false_discovery_control(p_values, method="by")
    return np.mean(np.array(adjusted) <= 0.05)


@pytest.mark.parametrize(
    ("test", "n_resamples", "n_rounds"), [("t", 40, 40), ("sign", 40, 40), ("sign", 203, 50), ("sign", 204, 51)]
)
def test_a_slow_test_is_asked_in_fifty_rounds_at_least(test, n_resamples, n_rounds):
    """Or in a quarter of all, if that is more; t in all of them."""
    scores = np.random.default_rng(0).random((2, 12))
    assert discriminative_power_interval(scores, test=test, n_topic_resamples=n_resamples, rng=1).n_rounds == n_rounds


def test_powers_that_never_change_have_no_spread():
    """Where every resample says the same, of the test and of t, the interval is a point."""
    scores = np.arange(4.0)[:, None] * 10 + np.random.default_rng(0).random((4, 30))
    found = discriminative_power_interval(scores, test="wilcoxon", n_topic_resamples=60, rng=1).to_frame()
    assert found[["standard_error", "low", "high"]].drop_duplicates().to_numpy().tolist() == [[0.0, 1.0, 1.0]]


@pytest.mark.parametrize("test", ["bootstrap_sensitivity", "bootstrap", "wilcoxon"])
def test_any_test_runs_in_the_outer_loop(test, graded):
    """Other tests are repeated on the same topics; their spread is like that of the t test on well-behaved scores."""
    values = graded(n_systems=12)
    options = {"corrections": ("none",), "n_topic_resamples": 40, "rng": 8}
    result = discriminative_power_interval(values, test=test, n_resamples=200, **options).to_frame()
    by_t = discriminative_power_interval(values, test="t", **options).to_frame()
    assert np.allclose(result["standard_error"], by_t["standard_error"], rtol=0.6)
    assert np.allclose(result["power"], by_t["power"], atol=0.12)
    assert (result["test"] == test).all()


def test_power_is_that_of_the_test_alone_with_the_same_seed(graded):
    """The power in the middle is what the test gives by itself from the same seed."""
    values = graded()
    asked = {"n_topic_resamples": 5, "corrections": BOTH, "rng": 4}
    found = discriminative_power_interval(values, test="bootstrap_sensitivity", n_resamples=100, **asked)
    alone = bootstrap_sensitivity(values, n_resamples=100, rng=4).corrected("fdr_by")
    assert found.data["power"].sel(correction="none").to_numpy().tolist() == alone["power"].tolist()
    assert found.data["power"].sel(correction="fdr_by").to_numpy().tolist() == alone["power_corrected"].tolist()


def test_same_answer_for_any_number_of_workers(graded):
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


def test_a_family_wise_test_takes_its_own_correction(graded):
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
        ({"confidence_level": 95}, InvalidOptionError, "`confidence_level` must lie between 0 and 1, not 95"),
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
            "`n_topic_resamples` must be a whole number of at least 2",
        ),
        (discriminative_power_interval, {"test": "t", "corrections": ("family-wise",)}, "family-wise"),
        (run_choice_power, {"n_choices": 2.5}, "`n_choices` must be a whole number of at least 2, not 2.5"),
        (run_choice_power, {"choose": "all"}, "nothing to choose"),
        (run_choice_power, {"choose": 1}, "`choose` must be"),
        (run_choice_power, {"test": "tukey"}, "looks at all systems at once"),
        (run_choice_power, {"test": "t", "corrections": ("family-wise",)}, "family-wise"),
    ],
)
def test_refusals_of_one(grouped, function, options, words):
    """Every option outside its rule is refused, with the rule and the value."""
    with pytest.raises(InvalidOptionError, match=words):
        function(grouped, **options)


def test_both_results_draw_themselves(grouped):
    """Plotting gives a figure, with an interval or a range for every metric."""
    for result in (
        discriminative_power_interval(grouped, test="t", n_topic_resamples=20, rng=1),
        run_choice_power(grouped, test="t", n_choices=20, rng=1),
    ):
        written = {text.get_text() for text in result.plot().findobj(Text)}
        assert written >= {"one", "two"}
