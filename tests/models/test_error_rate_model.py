"""The Bayesian model of the error rate: known and counted truths, the laws of its scores, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit, ndtr

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import as_scores

TOLERANCES = (0.0, 0.05, 0.15)
LAWS = ("log_scale", "slope")
seeds, few = st.integers(0, 1000), settings(max_examples=8)


def made(seed, *, n_systems=8, n_topics=24, noise=0.15):
    """Positive scores of systems with effects of their own, on easy and hard topics."""
    generator = np.random.default_rng(seed)
    values = 0.5 + 0.08 * generator.normal(size=(n_systems, 1)) + 0.05 * generator.normal(size=n_topics)
    return np.abs(values + noise * generator.normal(size=(n_systems, n_topics)))


def fitted(values, **options):
    """Fit with few draws, which is enough to see a law."""
    return bayesian_error_rate(values, **{"tolerances": TOLERANCES, "n_draws": 28, "rng": 1} | options)


def rates_of(result):
    return result.tree["posterior"]["error_rate"].to_numpy()


def test_intervals_hold_a_truth_known_exactly():
    """Of normal scores the 90 % intervals at 20 and 50 topics hold the rate of these very systems in most samples."""
    held = []
    for seed in range(12):
        generator = np.random.default_rng([3, seed])
        effects = generator.normal(0, 0.08, 20)
        values = effects[:, None] + generator.normal(0, 0.12, (20, 50))
        first, second = np.triu_indices(20, 1)
        below = ndtr(-(effects[first] - effects[second]) / (0.12 * np.sqrt(2)) * np.sqrt([[20], [50]]))
        truth = (2 * below * (1 - below)).mean(axis=1)
        band = bayesian_error_rate(values, rng=seed, n_draws=200).curves([20, 50])
        held.append((band["low"] <= truth) & (truth <= band["high"]))
    assert np.mean(held) > 0.7  # 24 intervals of 90 %, two and two together


def test_a_hundred_topics_foretell_the_rest(data_folder):
    """On MQ2007 the intervals from 100 topics hold the error rates counted on all 1,153, beyond those 100 too."""
    path = data_folder / "trec-matrices" / "mq2007_statap_top26.csv.gz"
    table = pd.read_csv(path, index_col=0).to_numpy(dtype=float)
    assert table.shape == (26, 1153)
    counted = swap_method(table, sizes=[20, 50, 100, 300], tolerances=[0, 0.05], n_trials=60, rng=0).rates(
        half_swaps=True
    )
    held = []
    for seed in range(5):
        sample = table[:, np.random.default_rng(seed).choice(1153, 100, replace=False)]
        frame = bayesian_error_rate(sample, tolerances=[0, 0.05], rng=seed, n_draws=200).curves(counted["size"])
        known = frame["median"].notna().to_numpy()
        assert known.tolist() == [True] * 7 + [False]  # no rate past the topics at hand at tolerances above 0
        frame, truth = frame[known], counted[0].to_numpy().ravel()[known]
        held.append((frame["low"].to_numpy() <= truth) & (truth <= frame["high"].to_numpy()))
    assert np.mean(held) > 0.75  # five samples of 90 %, seven numbers together in each
    assert np.all(held[0])


def test_the_check_expects_what_is_counted():
    """Of scores as the model has them the counts lie within what it predicts, at nearly every size."""
    frames = [
        bayesian_error_rate(made(seed, n_topics=60), tolerances=TOLERANCES, rng=seed).predicted() for seed in (1, 2, 3)
    ]
    frame = pd.concat(frames)
    inside = (frame["predicted_low"] <= frame["observed"]) & (frame["observed"] <= frame["predicted_high"])
    assert inside.mean() > 0.75


def test_a_noisier_metric_needs_more_topics():
    """Thrice the noise needs about nine times the topics, and the model is sure of it."""
    generator = np.random.default_rng(1)
    effects, noise = generator.normal(0, 0.1, (20, 1)), generator.normal(size=(20, 60))
    scores = as_scores(np.stack([effects + 0.1 * noise, effects + 0.3 * noise]), metrics=["quiet", "loud"])
    found = bayesian_error_rate(scores, rng=5)
    row = found.minimum_topics().set_index("metric")["median"]
    assert 3 < row["loud"] / row["quiet"] < 27
    assert found.fewer().set_index("metric_a")["p_fewer"]["quiet"] > 0.95


@few
@given(seeds, st.sampled_from([0.1, 10.0, 1000.0, 1e-9, 1e9]))
def test_the_unit_of_the_scores_does_not_matter(seed, factor):
    """Relative tolerances stay and absolute ones scale, in the answer, the counts and the check."""
    for unit, scale in (("relative", 1.0), ("absolute", factor)):
        plain = fitted(made(seed), tolerance_unit=unit)
        other = fitted(factor * made(seed), tolerances=[scale * one for one in TOLERANCES], tolerance_unit=unit)
        np.testing.assert_allclose(rates_of(other), rates_of(plain), rtol=1e-6, atol=1e-11)
        columns = ["predicted_low", "predicted_high", "observed"]
        np.testing.assert_allclose(other.predicted()[columns], plain.predicted()[columns], atol=1e-12)


@few
@given(seeds)
def test_tenths_counts_and_whole_numbers_are_one(seed):
    """Scores in tenths, in counts and as integers have the same rates and the same counts, ties included."""
    whole = np.random.default_rng(seed).integers(0, 11, (6, 24)) + np.arange(6)[:, None]
    plain = fitted(whole)
    for other in (fitted(whole / 10), fitted(whole.astype(float) * 100)):
        np.testing.assert_allclose(rates_of(other), rates_of(plain), rtol=1e-6, atol=1e-11)
        np.testing.assert_array_equal(other.predicted()["observed"], plain.predicted()["observed"])


@few
@given(seeds, st.floats(-3, 3))
def test_a_constant_added_changes_nothing_at_tolerance_0(seed, shift):
    """Nor does it with absolute tolerances."""
    for tolerances in ((0.0,), TOLERANCES):
        plain, other = (
            fitted(values, tolerances=tolerances, tolerance_unit="absolute")
            for values in (made(seed), made(seed) + shift)
        )
        np.testing.assert_allclose(rates_of(other), rates_of(plain), rtol=1e-6, atol=1e-11)


@few
@given(seeds)
def test_orders_change_no_more_than_the_draws(seed):
    """Shuffled systems and topics have the same law; their rates differ as other draws do; systems' counts stay."""
    generator = np.random.default_rng(seed)
    values = made(seed)
    plain = fitted(values, n_draws=400)
    systems, topics = generator.permutation(8), generator.permutation(24)
    for other in (fitted(values[systems], n_draws=400), fitted(values[:, topics], n_draws=400)):
        for name in LAWS:
            np.testing.assert_allclose(
                other.tree["posterior"][name], plain.tree["posterior"][name], rtol=1e-6, atol=1e-6
            )
        one, two = (logit(result.error_rate([10, 50]).to_numpy()).reshape(400, -1) for result in (plain, other))
        error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / 400)
        assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) < 5 * error).all()
    again = fitted(values[systems])
    np.testing.assert_array_equal(again.predicted()["observed"], plain.predicted()["observed"])


@few
@given(seeds, st.sampled_from(["relative", "absolute"]))
def test_more_topics_or_tolerance_never_err_more(seed, unit):
    """In every draw the rate falls with the topics and with the tolerance, and so does the count."""
    found = fitted(made(seed), tolerance_unit=unit)
    assert (np.diff(rates_of(found), axis=-1) <= 0).all()
    assert (np.diff(rates_of(found), axis=-2) <= 0).all()
    needed = found.tree["posterior"]["minimum_topics"].to_numpy()
    assert (needed[..., 1:] <= needed[..., :-1]).all()


def test_a_laxer_limit_needs_fewer_topics():
    """The draws do not depend on the limit, the counts do."""
    strict, lax = (fitted(made(1), max_error=limit) for limit in (0.05, 0.15))
    np.testing.assert_array_equal(rates_of(strict), rates_of(lax))
    columns = ["median", "low", "high"]
    assert (lax.minimum_topics()[columns] <= strict.minimum_topics()[columns]).all(axis=None)


@few
@given(seeds)
def test_another_metric_changes_nothing(seed):
    """A metric has the numbers it has alone, whatever stands beside it, refused metrics too."""
    one, other, mute = made(seed), made(seed + 1, noise=0.4), np.tile(np.linspace(0.1, 0.9, 8)[:, None], 24)
    alone = fitted(as_scores(one[None], metrics=["one"]))
    for stack, names in (((one, other), ["one", "b"]), ((other, one), ["b", "one"]), ((mute, one), ["b", "one"])):
        beside = fitted(as_scores(np.stack(stack), metrics=names))
        for group in ("posterior", "posterior_predictive", "observed_data"):
            xr.testing.assert_identical(
                beside.tree[group].to_dataset().sel({"metric": ["one"]}), alone.tree[group].to_dataset()
            )


@few
@given(seeds)
def test_equal_metrics_are_a_toss(seed):
    """A metric and its copy need fewer topics than each other with probability exactly a half."""
    found = fitted(as_scores(np.stack([made(seed)] * 2), metrics=["one", "two"]))
    assert (found.fewer()["p_fewer"] == 0.5).all()


@few
@given(seeds)
def test_lower_is_better_is_the_negated_scores(seed):
    """At tolerance 0 and with an absolute one a metric turned round has the rates of its negative."""
    turned = as_scores(made(seed), higher_is_better=False)
    for options in ({"tolerances": [0]}, {"tolerance_unit": "absolute"}):
        negated, found = fitted(-made(seed), **options), fitted(turned, **options)
        np.testing.assert_allclose(rates_of(found), rates_of(negated), rtol=1e-9)
        np.testing.assert_array_equal(found.predicted()["observed"], negated.predicted()["observed"])


@few
@given(seeds)
def test_a_share_of_a_mean_does_not_mind_the_direction(seed):
    """Which of two systems wins does not matter to a swap: relative tolerances of either direction are one."""
    up, down = (fitted(as_scores(made(seed), higher_is_better=better)) for better in (True, False))
    np.testing.assert_array_equal(rates_of(up), rates_of(down))
    pd.testing.assert_frame_equal(up.predicted(), down.predicted())


def test_the_answer_depends_on_the_seed_and_not_on_the_cores():
    """The same seed gives the same tree on one core and two; another seed does not."""
    one, two, other = (fitted(made(2), n_threads=cores, rng=seed) for cores, seed in ((1, 4), (2, 4), (1, 5)))
    for group in ("posterior", "posterior_predictive", "observed_data", "constant_data"):
        xr.testing.assert_identical(one.tree[group].to_dataset(), two.tree[group].to_dataset())
    assert (rates_of(one) != rates_of(other)).any()


def test_counts_at_hand_are_used():
    """Counts that were made before stand in the check, and the draws do not depend on them."""
    counted = swap_method(made(3), sizes=[4, 8, 12], tolerances=[0, 0.05, 0.1, 0.15], n_trials=7, rng=9)
    found, own = fitted(made(3), observed=counted), fitted(made(3))
    np.testing.assert_array_equal(rates_of(found), rates_of(own))
    assert found.predicted()["size"].unique().tolist() == [4, 8, 12]
    expected = counted.rates(half_swaps=True).sel({"tolerance": list(TOLERANCES)})
    np.testing.assert_array_equal(found.predicted()["observed"], expected.to_numpy().ravel())
    at_zero = swap_method(made(3), tolerances=[0], tolerance_unit="absolute", rng=9)
    assert fitted(made(3), tolerances=[0], observed=at_zero).metrics == ("metric1",)


def test_the_check_has_at_most_eight_sizes_from_two_on():
    """Sizes are spread evenly in their logarithm, both ends among them; one topic has no rate."""
    counted = swap_method(made(4, n_topics=80), sizes=range(1, 41), tolerances=[0], n_trials=2, rng=0)
    sizes = fitted(made(4, n_topics=80), tolerances=[0], observed=counted).predicted()["size"].tolist()
    assert sizes[0] == 2
    assert sizes[-1] == 40
    assert len(sizes) == 8
    single = swap_method(made(4), sizes=[1], tolerances=[0], rng=0)
    with pytest.raises(EstimationError, match="no topic sets of 2 topics or more"):
        fitted(made(4), tolerances=[0], observed=single)


def one_loud_topic(values):
    loud = values.copy()
    loud[:, 3] *= 1e9
    return loud


def mirrored(values):
    """Scores whose pairs of systems are half of them equal in the mean."""
    return np.concatenate([values[:4], values[:4, ::-1]])


def sparse(values):
    """Reciprocal ranks of a hard task: nine topics of ten at zero for every system."""
    generator = np.random.default_rng(0)
    return np.where(generator.random(values.shape) < 0.1, 1 / generator.integers(1, 9, values.shape), 0.0)


STRANGE = {
    "loud": one_loud_topic,
    "half equal": mirrored,
    "sparse": sparse,
    "four systems": lambda values: values[:4],
    "ten topics": lambda values: values[:, :10],
    "far ahead": lambda values: np.vstack([values, values[:1] + 50]),
    "constant lead": lambda values: np.vstack([values, values[:1] + 0.25]),
    "near copy": lambda values: np.vstack([values, values[:1] + 1e-7 * values[1:2]]),
    "broken system": lambda values: np.vstack([values, np.zeros((1, values.shape[1]))]),
    "empty topics": lambda values: np.hstack([values, np.zeros((len(values), 200))]),
    "right or wrong": lambda values: (values > 0.5).astype(int),
}


@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE)
def test_strange_scores_have_sound_answers(change):
    """Whatever the scores, every rate is a number up to a half, falls as it should, and the ends are in order."""
    for unit in ("relative", "absolute"):
        found = fitted(change(made(6)), tolerance_unit=unit)
        rates = rates_of(found)
        assert ((rates >= 0) & (rates <= 0.5)).all()
        assert (np.diff(rates, axis=-1) <= 0).all()
        assert (np.diff(rates, axis=-2) <= 0).all()
        frame = found.minimum_topics()
        assert ((frame["low"] >= 2) & (frame["low"] <= frame["median"]) & (frame["median"] <= frame["high"])).all()
        checked = found.predicted()
        assert (checked["predicted_low"] <= checked["predicted_high"]).all()


def test_a_lead_past_all_noise_takes_its_pairs_out():
    """One system far ahead errs against nobody: the rates are those of the others, over all pairs."""
    values = made(7, n_systems=12, n_topics=60)
    ahead = np.vstack([values, values[:1] + 50 + values[1:2]])
    with_one, without = (
        fitted(one, n_draws=400).error_rate([10, 40]).mean(("chain", "draw")) for one in (ahead, values)
    )
    np.testing.assert_allclose(with_one[0, 0] * 78 / 66, without[0, 0], rtol=0.15)


def test_systems_equal_under_one_metric_are_left_out_of_it():
    """Copies under one metric alone are compared under the other; its rate is that of the pairs that differ."""
    one, other = made(8), made(9)
    one[1] = one[0]
    found = fitted(as_scores(np.stack([one, other]), metrics=["one", "other"]), tolerances=[0])
    assert found.metrics == ("one", "other")
    assert found.n_systems == 8
    frame = found.predicted()
    counted = frame[frame["metric"] == "one"]["observed"].to_numpy()
    assert (counted >= 0.5 / 28).all()
    assert rates_of(found)[:, :, 0].min() < 0.5 / 28


def test_copies_under_every_metric_are_one_system():
    """A system that is there twice changes nothing."""
    twice = np.vstack([made(10), made(10)[2:3]])
    np.testing.assert_array_equal(rates_of(fitted(twice)), rates_of(fitted(made(10))))
    kept = swap_method(twice, tolerances=TOLERANCES, duplicates="keep", rng=0)
    np.testing.assert_array_equal(rates_of(fitted(twice, observed=kept)), rates_of(fitted(made(10))))


def test_gaps_are_refused_as_scores_are():
    """A missing score is named."""
    values = made(11)
    values[2, 3] = np.nan
    with pytest.raises(ScoresError, match="system3"):
        fitted(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (made(12)[:3], "no error rate can be estimated: 3 systems differ"),
        (made(12)[:2], "2 systems differ"),
        (np.tile(np.linspace(0.1, 0.9, 8)[:, None], 24) + np.arange(24), "too few of the 24 topics"),
        (made(12)[:, :7], "7 topics are too few"),
        (np.hstack([made(12), 2 - made(12)]), "the means of all systems are equal"),
    ],
)
def test_scores_that_say_too_little_are_refused(values, message):
    """Three systems, constant leads, too few topics and equal means are refused with the reason."""
    with pytest.raises(EstimationError, match=message):
        fitted(values)


def test_one_system_or_copies_alone_are_refused():
    """There is nothing to compare."""
    with pytest.raises(ScoresError, match="at least two systems"):
        fitted(made(13)[:1])
    with pytest.raises(ScoresError, match="same scores"):
        fitted(np.tile(made(13)[:1], (4, 1)))


def test_a_share_of_negative_scores_is_refused():
    """As the swap method does."""
    with pytest.raises(ScoresError, match="`tolerance_unit='absolute'`"):
        fitted(made(14) - 1)


@pytest.mark.parametrize("sampling", ["overlapping", "bootstrap"])
def test_sets_that_share_topics_are_refused(sampling):
    """The model is that of disjoint sets."""
    counted = swap_method(made(15), tolerances=TOLERANCES, sampling=sampling, rng=0)
    with pytest.raises(EstimationError, match=f"knows disjoint topic sets, not {sampling}"):
        fitted(made(15), observed=counted)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (made(16, n_topics=60), {}, "must count the swaps of these scores, 8 systems on 24 topics"),
        (made(16, n_systems=9), {}, "not of 9 systems on 24 topics"),
        (as_scores(made(16), metrics=["else"]), {}, "under else"),
        (made(16), {"tolerance_unit": "absolute"}, "was counted with absolute tolerances, not relative ones"),
    ],
)
def test_counts_of_something_else_are_refused(values, options, message):
    """More topics, other systems, another metric or another unit of the tolerances."""
    counted = swap_method(values, tolerances=TOLERANCES, rng=0, **options)
    with pytest.raises(InvalidOptionError, match=message):
        fitted(made(16), observed=counted)


@pytest.mark.parametrize("tolerances", [(0.02,), (0.0, 0.2), (np.nan,), ()])
def test_tolerances_that_were_not_counted_are_refused(tolerances):
    """They have no counts to be held against."""
    counted = swap_method(made(17), tolerances=[0, 0.05], rng=0)
    with pytest.raises(InvalidOptionError, match="`tolerances` must be among those counted"):
        fitted(made(17), tolerances=tolerances, observed=counted)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"method": "grid"}, UnknownNameError, "fast"),
        ({"tolerance_unit": "relativ"}, UnknownNameError, "did you mean 'relative'"),
        ({"max_error": 0.5}, InvalidOptionError, "max_error"),
        ({"max_error": 0.0}, InvalidOptionError, "max_error"),
        ({"confidence_level": 1.0}, InvalidOptionError, "confidence_level"),
        ({"n_draws": 1}, InvalidOptionError, "n_draws"),
        ({"tolerances": [1.0]}, InvalidOptionError, "tolerances"),
        ({"tolerances": [-0.1]}, InvalidOptionError, "tolerances"),
    ],
)
def test_options_outside_their_rules_are_refused(options, kind, message):
    """With counts at hand too, where they were made under the rule."""
    with pytest.raises(kind, match=message):
        fitted(made(18), **options)
    if "tolerances" not in options:
        counted = swap_method(made(18), tolerances=TOLERANCES, rng=0)
        with pytest.raises(kind, match=message):
            fitted(made(18), observed=counted, **options)
