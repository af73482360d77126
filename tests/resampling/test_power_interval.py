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
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import ask

BOTH = ("none", "fdr_by")


def _shrunken(values):
    """Return one metric's scores, the means of the systems drawn together by the variance that the noise has."""
    effects = values.mean(axis=1, keepdims=True) - values.mean()
    left = values - effects - values.mean(axis=0)
    n_systems, n_topics = values.shape
    noise = np.sum(left**2) / ((n_systems - 1) * (n_topics - 1)) / n_topics
    return values - (1 - np.sqrt(1 - noise / effects.var(ddof=1))) * effects


def test_the_interval_is_wilsons_for_as_many_pairs_as_the_spread_says(graded, literal_t_power):
    """The bounds solve (D - p)^2 = t^2 p (1 - p) / n, t a sixth more below, n from a loop over shrunken scores."""
    values = graded()
    result = discriminative_power_interval(values, test="t", n_topic_resamples=50, rng=8)
    topics = bootstrap_indices(np.random.default_rng(8), 50, 25)  # the t test itself draws nothing
    frame, quantile = result.to_frame(), stats.t.ppf(0.975, 24)
    shrunken = [_shrunken(one) for one in values]
    for place, correction in enumerate(BOTH):
        resampled = np.array([[literal_t_power(one[:, row], correction, 0.05) for row in topics] for one in shrunken])
        observed = np.array([literal_t_power(one, correction, 0.05) for one in values])
        own = frame.iloc[2 * place : 2 * place + 2]
        assert own["correction"].unique().tolist() == [correction]
        assert np.allclose(own["power"], observed)
        assert np.allclose(own["standard_error"], resampled.std(axis=1, ddof=1) * np.sqrt(25 / 24))
        for share, draws, low, high in zip(observed, resampled, own["low"], own["high"], strict=True):
            ends = []
            for side in (1, -1):
                moved = quantile * (1 - side * 0.75 / np.sqrt(24))
                ratio = moved**2 * draws.var(ddof=1) * 25 / 24 / (draws.mean() * (1 - draws.mean()))
                ends.append(np.sort(np.roots([1 + ratio, -2 * share - ratio, share**2]))[(1 + side) // 2])
            assert [high, low] == pytest.approx(ends)
        paired = (resampled[0] - resampled[1]).std(ddof=1) * np.sqrt(25 / 24)
        difference = result.differences().iloc[place]
        assert difference["difference"] == pytest.approx(observed[0] - observed[1])
        assert difference["standard_error"] == pytest.approx(paired)
        assert difference["high"] - difference["difference"] == pytest.approx(quantile * paired)


@pytest.mark.parametrize("test", ["bootstrap_sensitivity", "bootstrap", "wilcoxon", "sign", "max_t"])
def test_another_test_decides_on_the_topics_at_hand(test, graded):
    """On resampled topics t stands in for it, so that the interval is that of t around its own power."""
    values = graded(n_systems=9)
    correction, like = ("family-wise", "holm") if test == "max_t" else ("fdr_by", "fdr_by")
    options = {"n_resamples": 9000, "n_topic_resamples": 40}
    found = discriminative_power_interval(values, test=test, corrections=(correction,), rng=8, **options)
    own = compare_systems(values, test=test, n_resamples=9000, rng=np.random.default_rng(8))
    assert (found.to_frame()["power"] == own.with_correction(correction).discriminative_power()["power"]).all()
    by_t = discriminative_power_interval(values, test="t", corrections=(like,), rng=8, **options)
    if test in {"wilcoxon", "sign"}:  # these draw nothing before the topics are drawn
        assert (found.data["resampled"].to_numpy() == by_t.data["resampled"].to_numpy()).all()
    assert np.allclose(found.to_frame()["standard_error"], by_t.to_frame()["standard_error"], rtol=0.6)


@pytest.mark.parametrize("alternative", ["greater", "less", "better"])
def test_one_sided_powers_have_intervals_of_their_own(alternative, graded):
    """The stand-in takes the same side."""
    values = graded(n_systems=6)
    found = discriminative_power_interval(values, alternative=alternative, n_topic_resamples=30, rng=8)
    topics = bootstrap_indices(np.random.default_rng(8), 30, 25)
    row = as_scores(np.stack([_shrunken(one)[:, topics[7]] for one in values]))
    again = compare_systems(row, test="t", correction="fdr_by", alternative=alternative)
    assert again.discriminative_power()["power"].tolist() == found.data["resampled"][1, :, 7].to_numpy().tolist()


def test_powers_that_never_change_have_no_spread():
    """Where every resample says the same, of the test and of t, there is no interval."""
    scores = np.arange(4.0)[:, None] * 10 + np.random.default_rng(0).random((4, 30))
    found = discriminative_power_interval(scores, test="wilcoxon", n_topic_resamples=60, rng=1).to_frame()
    assert (found["standard_error"] == 0.0).all()
    assert found[["low", "high"]].isna().all(axis=None)


def test_power_is_that_of_the_test_alone_with_the_same_seed(graded):
    """The power in the middle is what the test gives by itself from the same seed."""
    values = graded()
    asked = {"n_topic_resamples": 5, "corrections": BOTH, "rng": 4}
    found = discriminative_power_interval(values, test="bootstrap_sensitivity", n_resamples=100, **asked)
    alone = bootstrap_sensitivity(values, n_resamples=100, rng=4).corrected("fdr_by")
    assert found.data["power"].sel(correction="none").to_numpy().tolist() == alone["power"].tolist()
    assert found.data["power"].sel(correction="fdr_by").to_numpy().tolist() == alone["power_corrected"].tolist()


def test_same_answer_for_any_number_of_threads(graded):
    """One thread or two: the same bytes."""
    one, two = (
        discriminative_power_interval(graded(), test="t", n_topic_resamples=99, rng=2, n_threads=n_threads)
        for n_threads in (1, 2)
    )
    assert one.data["resampled"].to_numpy().tobytes() == two.data["resampled"].to_numpy().tobytes()


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
