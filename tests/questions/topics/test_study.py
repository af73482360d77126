"""The topics study: rows, curves, posterior, parts that cannot be estimated, seeds and options."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models.topic_counts import minimum_topics
from metaeval.questions.topics import study as topics
from metaeval.questions.topics.study import ABSOLUTE_TOLERANCES, COUNTS, DIFFERENCES, SAMPLED, study_topics
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import as_scores


def simulated_scores(n_metrics=2, n_systems=10, n_topics=40, *, spread=0.1, noise=0.15, **options):
    rng = np.random.default_rng(3)
    quality = np.linspace(-1.5, 1.5, n_systems)[None, :, None] * spread
    values = 0.5 + quality + noise * rng.normal(size=(n_metrics, n_systems, n_topics))
    return as_scores(np.clip(values, 0, 1), **options)


@pytest.fixture(scope="module")
def study():
    """Two metrics, two tolerances, with the Bayesian model."""
    return study_topics(simulated_scores(), tolerances=[0, 0.1], n_trials=20, rng=7)


def test_the_rows_are_those_of_the_parts(study):
    """One row a metric and tolerance, with what the swap method and the minimum-topics model answer by themselves."""
    frame = study.to_frame()
    assert list(zip(frame["metric"], frame["tolerance"], strict=True)) == [
        ("metric1", 0.0), ("metric1", 0.1), ("metric2", 0.0), ("metric2", 0.1),
    ]  # fmt: skip
    rates = swap_method(simulated_scores(), sizes=range(5, 21), tolerances=[0, 0.1], n_trials=20, rng=7)
    last = rates.rates().sel(size=20)
    for table, column in ((minimum_topics(rates), "text"), (minimum_topics(rates, family="exponential"), None)):
        for row in table.to_frame().to_dict("records"):
            own = frame[(frame["metric"] == row["metric"]) & (frame["tolerance"] == row["tolerance"])].iloc[0]
            assert own[column or "text_published"] == row["text"]
            assert own["error_rate"] == float(last.sel({"metric": row["metric"], "tolerance": row["tolerance"]}))
    assert (frame["topics_at_hand"] == 40).all()
    assert (frame["size"] == 20).all()


def test_the_posterior_holds_together(study):
    """Low, median and high are in order, the chance of enough topics agrees with them, and pairs add up to one."""
    counts = study.posterior.minimum_topics()
    assert (counts["low"] <= counts["median"]).all()
    assert (counts["median"] <= counts["high"]).all()
    assert ((counts["p_enough"] >= 0.5) == (counts["median"] <= 40)).all()
    fewer = study.posterior.fewer().set_index(["tolerance", "metric_a", "metric_b"])["p_fewer"]
    for tolerance in (0.0, 0.1):
        both = fewer[tolerance, "metric1", "metric2"] + fewer[tolerance, "metric2", "metric1"]
        assert both == pytest.approx(1.0)
    assert (counts["median"].to_numpy() == study.to_frame()["posterior_median"].to_numpy()).all()


def test_curves_go_from_the_smallest_size_to_the_limit(study):
    """Seen rates stand at the observed sizes only, and bands hold their medians."""
    curves = study.curves()
    assert curves["size"].min() == 5
    assert curves["size"].max() == study.minimum.limit == 40
    seen = curves[curves["seen"].notna()]
    assert sorted(set(seen["size"])) == list(range(5, 21))
    rates = study.error_rates.rates(half_swaps=True)
    for row in seen.to_dict("records"):
        assert row["seen"] == float(
            rates.sel({"metric": row["metric"], "tolerance": row["tolerance"], "size": row["size"]})
        )
    assert (curves["low"] <= curves["median"]).all()
    assert (curves["median"] <= curves["high"]).all()
    assert (curves.groupby(["metric", "tolerance"])["fitted"].diff().dropna() <= 0).all()


def test_the_published_curves_are_the_rates_seen_and_their_exponential_beyond(study):
    """Ties are no swaps; least squares on the logarithm goes on after the last size seen."""
    curves = study.published_curves()
    rates = study.error_rates.rates()
    assert list(dict.fromkeys(curves["metric"])) == ["metric1", "metric2"]
    for (metric, tolerance), part in curves.groupby(["metric", "tolerance"]):
        assert part["size"].tolist() == list(range(5, 41))
        seen = rates.sel({"metric": metric, "tolerance": tolerance}).to_numpy()
        assert part["seen"].tolist()[:16] == part["fitted"].tolist()[:16] == seen.tolist()
        assert part["seen"].isna().tolist()[16:] == [True] * 20
        sizes = np.arange(5, 21)[seen > 0]
        slope, start = np.polyfit(sizes, np.log(seen[seen > 0]), 1)
        assert part["fitted"].to_numpy()[16:] == pytest.approx(np.exp(start + slope * np.arange(21, 41)))


def test_the_published_curves_cross_where_the_published_table_says():
    """Close systems: all that is needed lies beyond the sizes seen, at the first size under the line."""
    study = study_topics(simulated_scores(spread=0.05), tolerances=[0, 0.02], n_trials=20, bayesian=False, rng=7)
    rows = study.to_frame().set_index(["metric", "tolerance"])
    beyond = rows[rows["text_published"].str.endswith("*")]
    assert len(beyond)
    curves = study.published_curves().set_index(["metric", "tolerance"])
    for key, row in beyond.iterrows():
        part = curves.loc[key]
        assert part["size"][(part["fitted"] <= 0.05) & (part["size"] > 20)].iloc[0] == row["n_topics_published"]


def test_the_same_seed_gives_the_same_study(study):
    """Another run gives the same numbers, one thread too; leaving the model out changes no other part."""
    again = study_topics(simulated_scores(), tolerances=[0, 0.1], n_trials=20, bayesian=False, n_threads=1, rng=7)
    assert again.posterior is None
    shared = [name for name in again.to_frame() if name in study.to_frame()]
    assert again.to_frame().equals(study.to_frame()[shared])
    assert again.bins.to_frame().equals(study.bins.to_frame())


def test_difference_bins_are_those_of_the_largest_size(study):
    """The bins are what the function gives for the largest size, at the study's level."""
    alone = difference_bins(simulated_scores(), sizes=[20], n_trials=20, confidence_level=0.9, rng=7)
    assert alone.to_frame().equals(study.bins.to_frame())


def test_defaults_follow_the_kind_of_margin():
    """Absolute tolerances have tolerances of their own, and negative scores are fine with them."""
    study = study_topics(
        simulated_scores() - 2.0, tolerance_unit="absolute", n_trials=5, bayesian=False, n_topic_resamples=0, rng=0
    )
    assert study.error_rates.tolerances == ABSOLUTE_TOLERANCES
    assert study.bins.bins["low"].isnull().all()


def test_many_topics_are_thinned_out_and_that_is_said():
    """Beyond some sixty sizes by default fifty are used, and a note says so."""
    study = study_topics(
        simulated_scores(1, 4, 240), tolerances=[0], n_trials=4, bayesian=False, n_topic_resamples=0, rng=0
    )
    assert len(study.error_rates.sizes) <= 50
    assert study.error_rates.sizes[-1] == 120
    assert any("evenly spaced" in note for note in study.notes)


def test_copies_of_systems_are_named():
    """One of two identical systems is kept and the other one named."""
    values = simulated_scores().to_numpy()
    copied = as_scores(np.concatenate([values, values[:, :1]], axis=1))
    study = study_topics(copied, tolerances=[0], n_trials=5, bayesian=False, n_topic_resamples=0, rng=0)
    assert study.error_rates.n_systems == 10
    assert any("system11" in note for note in study.notes)


def test_an_error_of_zero_is_said_and_the_rest_stands():
    """Systems far apart: no curve to fit, which says why, and the model and the table still answer."""
    study = study_topics(simulated_scores(noise=0.001), tolerances=[0], n_trials=5, rng=0)
    assert "zero" in study.unestimated["curve"]
    assert (study.posterior.minimum_topics()["high"] < 5).all()
    assert set(study.to_frame()["kind"]) == {"at most smallest"}
    assert study.curves()["fitted"].isna().all()
    published = study.published_curves()
    assert published["fitted"].notna().tolist() == published["seen"].notna().tolist()
    assert any(picture.name == "published_curves" and picture.draw() for picture in study.report().pictures())


def test_other_sampling_has_no_model_and_says_so():
    """The Bayesian model knows disjoint sets only."""
    study = study_topics(
        simulated_scores(), tolerances=[0], sampling="bootstrap", sizes=[5, 10, 20, 40], n_trials=5, rng=0
    )
    assert study.posterior is None
    assert "disjoint" in study.unestimated["intervals of the topic counts"]


def test_what_was_seen_stands_beside_what_the_model_expects(study):
    """At eight sizes a metric and tolerance stands the range that the model expects, and most counts lie within."""
    curves = study.curves()
    checked = curves.dropna(subset=["predicted_low"])
    assert (checked.groupby(["metric", "tolerance"]).size() == 8).all()
    assert (checked["predicted_low"] <= checked["predicted_high"]).all()
    within = checked["seen"].between(checked["predicted_low"], checked["predicted_high"])
    assert within.mean() > 0.8


def test_only_some_tolerances_may_be_modelled(study):
    """The model is fitted where it is asked for, and there it says what it says among all."""
    part = study_topics(simulated_scores(), tolerances=[0, 0.1], modelled=[0.1], differences=False, n_trials=20, rng=7)
    assert part.posterior.tolerances == (0.1,)
    assert part.bins is None
    assert DIFFERENCES not in part.unestimated
    both = study.posterior.minimum_topics()
    right = both[both["tolerance"] == 0.1].reset_index(drop=True)
    assert part.posterior.minimum_topics().equals(right)
    assert part.to_frame()["posterior_median"].isna().tolist() == [True, False, True, False]


def test_a_refused_sampling_leaves_the_fast_one(study, monkeypatch):
    """Where PyMC is refused the fast way stands in, and the refusal is named."""
    fit = topics.bayesian_error_rate

    def refuse(scores, *, method, **settings):
        if method == "pymc":
            raise EstimationError("did not converge")
        return fit(scores, method=method, **settings)

    monkeypatch.setattr(topics, "bayesian_error_rate", refuse)
    refused = study_topics(simulated_scores(), tolerances=[0, 0.1], n_trials=20, method="pymc", rng=7)
    assert refused.posterior.minimum_topics().equals(study.posterior.minimum_topics())
    assert refused.posterior.method == "fast"
    assert refused.unestimated[SAMPLED] == "did not converge"


def test_an_error_that_does_not_fall_has_no_topic_count():
    """Systems with the same mean: what one half of the topics favours the other half does not. No number, but why."""
    noise = np.random.default_rng(0).random((1, 6, 40))
    alike = 1 + noise - noise.mean(axis=2, keepdims=True)
    values = np.concatenate([alike, alike + np.linspace(0, 0.5, 6)[:, None]])
    study = study_topics(values, tolerances=[0], n_trials=20, bayesian=False, n_topic_resamples=0, rng=0)
    row, other = study.to_frame().to_dict("records")
    assert row["kind"] == "cannot be estimated"
    assert np.isnan(row["n_topics"])
    assert other["kind"] != "cannot be estimated"
    assert "does not fall" in study.unestimated[f"{COUNTS} under metric1 at tolerance 0"]


def test_one_size_gives_rates_and_no_curve():
    """With a single size there is an error rate and no course of it."""
    study = study_topics(simulated_scores(), sizes=[10], tolerances=[0], n_trials=5, rng=0)
    assert study.minimum.family is None
    assert "curve" in study.unestimated
    assert study.posterior is not None  # the model needs no course of it
    assert len(study.to_frame()) == 2


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"max_error": 0.5}, InvalidOptionError, "max_error"),
        ({"confidence_level": 1.0}, InvalidOptionError, "confidence_level"),
        ({"n_topic_resamples": 1}, InvalidOptionError, "n_topic_resamples"),
        ({"tolerances": [1.0]}, InvalidOptionError, "tolerances"),
        ({"sizes": [21]}, EstimationError, "too few"),
        ({"sizes": [5, 21]}, InvalidOptionError, "sizes"),
        ({"limit": 10}, InvalidOptionError, "limit"),
        ({"sampling": "split"}, InvalidOptionError, "disjoint"),
    ],
)
def test_refuses_what_it_cannot_do(options, error, words):
    """Each error names the argument and a way out."""
    with pytest.raises(error, match=words):
        study_topics(simulated_scores(), n_trials=3, bayesian=False, **options)


def test_refuses_too_few_topics_systems_and_negative_scores():
    """Nine topics hold no two sets of five; one system has no pair; a share of a negative mean is nothing."""
    with pytest.raises(EstimationError, match="9 topics are too few"):
        study_topics(simulated_scores(n_topics=9))
    with pytest.raises(ScoresError):
        study_topics(simulated_scores(n_systems=1))
    with pytest.raises(ScoresError, match="absolute"):
        study_topics(simulated_scores() - 2.0, tolerances=[0.1])


def test_scores_below_zero_are_answered_at_tolerance_zero():
    """A share of a negative mean is nothing, every lead is the same whatever the zero, and that it is asked is said."""
    options = {"n_trials": 5, "bayesian": False, "n_topic_resamples": 0, "rng": 0}
    found = study_topics(simulated_scores() - 2.0, **options)
    same = study_topics(simulated_scores(), tolerances=[0.0], **options)
    assert found.to_frame().equals(same.to_frame())
    assert any("every lead counts (tolerance 0)" in note for note in found.notes)
    assert not any("tolerance 0)" in note for note in same.notes)


def test_systems_of_which_no_pair_differs_are_said_so():
    """Drawn around one mean, no pair of ten differs; of means far apart some do. Both by scipy beside it."""
    rng = np.random.default_rng(3)
    topics_alone = rng.uniform(0.2, 0.8, 30)
    alike = topics_alone + rng.normal(0, 0.05, (1, 6, 30))
    least = min(ttest_rel(alike[0, a], alike[0, b]).pvalue for a in range(6) for b in range(a))
    assert least > 0.05 / 15
    options = {"n_trials": 10, "n_topic_resamples": 0, "rng": 0}
    assert any("none of 15 pairs differs significantly" in note for note in study_topics(alike, **options).notes)
    apart = alike + np.linspace(0, 0.5, 6)[None, :, None]
    assert not any("differs significantly" in note for note in study_topics(apart, **options).notes)
