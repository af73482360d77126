"""Simulated scores: their distributions, their known truth, and a null that is one."""

import numpy as np
import pytest
import xarray as xr
from scipy import integrate, stats

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.io.tables import read_scores
from metaeval.simulate.marginals import METRIC_KINDS
from metaeval.simulate.scores import Components, simulate_population, simulate_scores
from metaeval.table.scores import identical_systems

EVERY = ["AP", "nDCG", "nDCG@10", "P@10", "P@5", "RR", "RR@10", "ERR@20", "Success@5", "Normal"]


def _components(values):
    """Return unbiased estimates of the variances of system, topic and interaction; `values` are (system, topic)."""
    n_systems, n_topics = values.shape
    interaction = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    within = (interaction**2).sum() / ((n_systems - 1) * (n_topics - 1))
    between = values.mean(axis=1).var(ddof=1) - within / n_topics
    topics = values.mean(axis=0).var(ddof=1) - within / n_systems
    return np.array([between, topics, within])


def _mean_and_error(samples):
    samples = np.asarray(samples)
    return samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(len(samples))


# ----------------------------------------------------------------------------------------------------------- the scores


def test_scores_lie_on_the_scale_of_their_metric():
    """P@k comes in 1/k, RR in 1/rank, Success in 0 and 1, everything but Normal between 0 and 1."""
    scores = simulate_scores(n_systems=10, n_topics=500, metrics=EVERY, rng=1)
    values = {name: scores.sel(metric=name).to_numpy() for name in EVERY}
    for name in EVERY[:-1]:
        assert values[name].min() >= 0
        assert values[name].max() <= 1
    assert values["Normal"].min() < 0
    for name, steps in (("P@10", 10), ("P@5", 5), ("Success@5", 1)):
        assert set(np.unique(values[name])) == {step / steps for step in range(steps + 1)}
    for name, depth in (("RR", 1000), ("RR@10", 10)):
        ranks = 1 / values[name][values[name] > 0]
        np.testing.assert_allclose(ranks, np.round(ranks), rtol=1e-12)
        assert ranks.max() <= depth
        assert (values[name] == 0).any()


def test_shorter_cutoffs_give_lower_scores():
    """RR@10 is RR where the document is within 10, and 0 below: the two have one distribution above."""
    population = simulate_population(
        n_systems=2, metrics=["RR", "RR@10", "Success@10"], correlation=Components(1, 1, 1), rng=0
    )
    full, cut, found = population.draw(2000, rng=1).to_numpy()
    np.testing.assert_array_equal(cut, np.where(full >= 0.1, full, 0))
    np.testing.assert_array_equal(found, full >= 0.1)


def test_the_same_seed_gives_the_same_bytes():
    """A seed fixes the systems and the topics; another one changes them."""
    options = {"n_systems": 6, "n_topics": 9, "n_groups": 2, "metrics": ["AP", "P@10"]}
    one, again, other = (simulate_scores(**options, rng=seed) for seed in (3, 3, 4))
    assert one.to_numpy().tobytes() == again.to_numpy().tobytes()
    assert not np.array_equal(one, other)
    population = simulate_population(n_systems=6, metrics=["AP"], rng=3)
    xr.testing.assert_identical(population.draw(5, rng=1), population.draw(5, rng=1))
    assert "seed 1" in population.draw(5, rng=1).attrs["notes"][0]
    assert "seed 3" in population.draw(5, rng=1).attrs["notes"][0]


def test_draws_without_a_seed_differ():
    """Fresh entropy is drawn where no seed is given, and recorded."""
    population = simulate_population(n_systems=3, metrics=["AP"])
    one, other = population.draw(5), population.draw(5)
    assert not np.array_equal(one, other)
    assert one.attrs["notes"] != other.attrs["notes"]


REAL = {
    "AP": [f"adhoc{year}_ap.csv" for year in (5, 6, 7, 8)],
    "P@10": [f"adhoc{year}_p10.csv" for year in (5, 6, 7, 8)],
    "RR": [f"adhoc{year}_rr.csv" for year in (5, 6, 7, 8)],
    "nDCG@20": [f"web{year}_ndcg20.csv" for year in range(2010, 2015)],
    "ERR@20": [f"web{year}_err20.csv" for year in range(2010, 2015)],
    "nDCG": ["terabyte2006_ndcg.csv"],
}


@pytest.mark.parametrize("metric", REAL)
def test_distributions_are_like_those_of_real_runs(data_folder, metric):
    """Mean, spread, shares of zeros and ones and the distribution between are near those of the runs fitted to."""
    real = np.concatenate(
        [read_scores(data_folder / "trec-matrices" / name).to_numpy().ravel() for name in REAL[metric]]
    )
    scores = np.concatenate(
        [
            simulate_scores(n_systems=20, n_topics=500, metrics=[metric], rng=seed).to_numpy().ravel()
            for seed in range(20)
        ]
    )
    for one, other in ((scores.mean(), real.mean()), (scores.std(), real.std()), (scores == 1, real == 1)):
        assert np.mean(one) == pytest.approx(np.mean(other), abs=0.035)
    for level in (0.0, 0.1, 0.25, 0.5, 0.75, 0.9):
        assert np.mean(scores <= level) == pytest.approx(np.mean(real <= level), abs=0.035)


def test_shares_of_variance_are_as_published():
    """AP has the shares of TREC-3 ad hoc: 6.8, 68.4 and 24.7 % of the 30 best runs (G-study in gt4ireval's manual)."""
    estimates = [_components(simulate_scores(metrics=["AP"], rng=seed).to_numpy()[0]) for seed in range(150)]
    shares = np.mean(estimates, axis=0) / np.mean(estimates, axis=0).sum()
    np.testing.assert_allclose(shares, [0.0685, 0.684, 0.247], atol=0.03)
    np.testing.assert_allclose(np.mean(estimates, axis=0), [0.0028, 0.0281, 0.0102], rtol=0.3)


# ------------------------------------------------------------------------------------------------- the structure behind


def test_an_analysis_of_variance_recovers_the_components():
    """For a metric that is the normal variable itself, the estimates are unbiased for what was asked."""
    shares = Components(0.2, 0.5, 0.3)
    population = simulate_population(n_systems=12, metrics=["Normal"], shares=shares, topic_spread=0.2, rng=5)
    mean, error = _mean_and_error([_components(population.draw(40, rng=seed).to_numpy()[0]) for seed in range(300)])
    expected = [population.effects[0].var(ddof=1), shares.topic, shares.interaction]
    assert (np.abs(mean - expected) < 4 * error).all()
    effects = [
        simulate_population(n_systems=12, metrics=["AP"], shares=shares, rng=s).effects.var(ddof=1) for s in range(400)
    ]
    mean, error = _mean_and_error(effects)
    assert abs(mean - shares.system) < 4 * error


def test_metrics_are_correlated_in_every_part():
    """Effects of systems and topics, and the interaction, correlate between metrics as asked."""
    asked = Components(0.9, 0.5, 0.2)
    populations = [
        simulate_population(n_systems=200, metrics=["AP", "RR"], correlation=asked, rng=s) for s in range(30)
    ]
    mean, error = _mean_and_error([np.corrcoef(population.effects)[0, 1] for population in populations])
    assert abs(mean - asked.system) < 4 * error
    found = []
    for seed in range(30):
        generator = np.random.default_rng(seed)
        latent = populations[0]._latent(300, generator) - populations[0].effects[:, :, None]
        topics = latent.mean(axis=1)
        parting = latent - topics[:, None]
        found.append([np.corrcoef(topics)[0, 1], np.corrcoef(parting.reshape(2, -1))[0, 1]])
    mean, error = _mean_and_error(found)
    # means over 200 systems still hold a little of the interaction
    assert (np.abs(mean - asked[1:]) < 4 * error + 0.002).all()


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_topics_part_the_systems_unequally(spread):
    """The log of the spread of systems over topics varies as asked, and the variance stays what it was."""
    shares = Components(0.0, 0.4, 0.6)
    population = simulate_population(n_systems=400, metrics=["Normal"], shares=shares, topic_spread=spread, rng=0)
    deviations = population.draw(800, rng=2).to_numpy()[0].std(axis=0, ddof=1)
    sampling = 1 / np.sqrt(2 * 399)
    assert np.log(deviations).std() == pytest.approx(np.hypot(spread, sampling), rel=0.1)
    assert np.mean(deviations**2) == pytest.approx(shares.interaction, rel=0.15 if spread else 0.02)


# ------------------------------------------------------------------------------------------------------------ the truth


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_the_truth_is_the_mean_over_many_topics(spread):
    """For every kind of metric, means over 40000 topics lie within their standard error of the true ones."""
    population = simulate_population(n_systems=4, metrics=EVERY, topic_spread=spread, n_groups=2, rng=3)
    scores = population.draw(40_000, rng=1)
    error = scores.std("topic") / np.sqrt(scores.sizes["topic"])
    assert float(np.abs((scores.mean("topic") - population.true_means()) / error).max()) < 4


@pytest.mark.parametrize("name", EVERY)
def test_the_truth_is_an_integral_over_the_normal_variable(name):
    """Without spread over topics, the true mean is the integral of the scores over the normal density."""
    population = simulate_population(n_systems=3, metrics=[name], topic_spread=0, rng=8)
    word, _, cutoff = name.partition("@")
    marginal = METRIC_KINDS[word].marginal(int(cutoff or 0))
    scale = np.sqrt(population.shares.topic + population.shares.interaction)
    for effect, truth in zip(population.effects[0], population.true_means().to_numpy()[0], strict=True):
        grid = np.linspace(effect - 9 * scale, effect + 9 * scale, 2_000_001)
        plain = integrate.trapezoid(marginal.scores(grid) * stats.norm.pdf(grid, effect, scale), grid)
        assert truth == pytest.approx(plain, abs=2e-5)


def test_better_systems_are_better_under_every_metric():
    """With one effect for all metrics, the order of the true means is one order."""
    population = simulate_population(n_systems=10, metrics=EVERY, correlation=Components(1, 0.5, 0.5), rng=4)
    orders = np.argsort(population.true_means().to_numpy(), axis=1)
    assert (orders == orders[0]).all()
    assert population.true_means().dims == ("metric", "system")


@pytest.mark.parametrize("metric", ["AP", "P@10", "RR", "Normal"])
@pytest.mark.parametrize("n_groups", [None, 5])
def test_the_null_is_one(metric, n_groups):
    """All systems have one true mean, and the paired t test rejects at its level, whatever the distribution."""
    population = simulate_population(n_systems=40, metrics=[metric], null=True, n_groups=n_groups, rng=0)
    assert np.ptp(population.true_means().to_numpy()) == 0
    rejected = []
    for seed in range(100):
        values = population.draw(50, rng=seed).to_numpy()[0]
        rejected.append(np.mean(stats.ttest_rel(values[:20], values[20:], axis=1).pvalue <= 0.05))
    mean, error = _mean_and_error(rejected)
    assert abs(mean - 0.05) < 4 * error


def test_systems_differ_unless_the_null_is_asked_for():
    """By default no two true means are equal."""
    means = simulate_population(n_systems=30, metrics=["AP"], rng=0).true_means().to_numpy()
    assert len(np.unique(means)) == 30


# ------------------------------------------------------------------------------------------------ groups and duplicates


def test_groups_are_of_nearly_equal_size():
    """Every system has a group, sizes differ by at most one, and names tell the group."""
    scores = simulate_scores(n_systems=10, n_topics=3, n_groups=4, metrics=["AP"], rng=0)
    groups = scores["group"].to_numpy()
    sizes = np.unique_counts(groups).counts
    assert len(sizes) == 4
    assert np.ptp(sizes) <= 1
    assert all(name.startswith(f"{group}-") for name, group in zip(scores["system"].to_numpy(), groups, strict=True))
    assert "group" not in simulate_scores(n_systems=3, n_topics=3, rng=0).coords


@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_members_of_a_group_are_alike(share):
    """Effects correlate within a group by the share asked for, and not between groups."""
    within, between = [], []
    for seed in range(400):
        effects = simulate_population(n_systems=6, metrics=["AP"], n_groups=3, group_share=share, rng=seed).effects[0]
        within.append((effects[::2] * effects[1::2]).mean() / 0.08)
        between.append(effects[0] * effects[2] / 0.08)
    (inside, inside_error), (outside, outside_error) = _mean_and_error(within), _mean_and_error(between)
    assert abs(inside - share) < 4 * inside_error
    assert abs(outside) < 4 * outside_error


def test_a_group_that_shares_everything_is_one_system():
    """With all variance in common, the members of a group score the same on every topic."""
    scores = simulate_scores(n_systems=6, n_topics=10, n_groups=3, group_share=1, metrics=EVERY, rng=0)
    assert len(identical_systems(scores)) == 3


def test_duplicates_are_exact():
    """So many systems equal another one on every topic, and no others do; a copy stays in the group."""
    scores = simulate_scores(n_systems=10, n_topics=20, n_duplicates=3, n_groups=2, metrics=["AP", "P@10"], rng=0)
    names, groups = scores["system"].to_numpy(), scores["group"].to_numpy()
    pairs = identical_systems(scores)
    assert pairs == tuple((str(names[place]), str(names[7 + place])) for place in range(3))
    assert (groups[:3] == groups[7:]).all()


@pytest.mark.parametrize(("share", "again"), [(0.0, 0.0), (0.4, 0.0), (0.4, 0.5), (1.0, 0.2)])
def test_clusters_and_repeats_share_what_they_should(share, again):
    """Intraclass correlation of differences, and correlation of repeats, are the shares asked for (normal scores)."""
    population = simulate_population(n_systems=2, metrics=["Normal"], topic_spread=0.0, rng=3)
    scores = population.draw(8000, n_clusters=2000, cluster_share=share, n_repeats=2, repeat_share=again, rng=4)
    difference = scores.to_numpy()[0, 0] - scores.to_numpy()[0, 1]
    first, second = difference[::4], difference[1::4]  # of one cluster
    between = np.corrcoef(first[:, 0], second[:, 0])[0, 1]
    repeats = np.corrcoef(difference[:, 0], difference[:, 1])[0, 1]
    assert between == pytest.approx(share * (1 - again), abs=0.08)
    assert repeats == pytest.approx(1 - again, abs=0.05)
    assert scores["cluster"].to_numpy()[:5].tolist() == ["cluster1"] * 4 + ["cluster2"]
    plain = population.draw(8000, rng=4).to_numpy()[0]
    np.testing.assert_allclose(scores.to_numpy()[0].std(axis=(1, 2)), plain.std(axis=1), rtol=0.1)


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "kind", "rule"),
    [
        ({"metrics": ["nDGC@10"]}, UnknownNameError, "no metric that can be imitated 'nDGC@10'"),
        ({"metrics": ["AP@10"]}, InvalidOptionError, "AP has no cutoff; found 'AP@10'"),
        ({"metrics": ["P"]}, InvalidOptionError, "P needs a cutoff, as in P@10"),
        ({"metrics": ["P@0"]}, InvalidOptionError, "P needs a whole number from 1 after the @; found 'P@0'"),
        ({"metrics": ["P@x"]}, InvalidOptionError, "found 'P@x'"),
        ({"metrics": ["AP", "ap"]}, InvalidOptionError, "metric 'AP' appears twice"),
        ({"metrics": []}, InvalidOptionError, "at least one name"),
        ({"metrics": "AP"}, InvalidOptionError, "not 'AP'"),
        ({"n_systems": 1}, InvalidOptionError, "`n_systems` must be a whole number of at least 2, not 1"),
        ({"n_systems": 2.5}, InvalidOptionError, "not 2.5"),
        ({"n_topics": 1}, InvalidOptionError, "`n_topics` must be a whole number of at least 2, not 1"),
        ({"n_topics": True}, InvalidOptionError, "not True"),
        ({"n_groups": 0}, InvalidOptionError, "`n_groups` must be a whole number from 1 to 30"),
        ({"n_groups": 31}, InvalidOptionError, "not 31"),
        ({"n_duplicates": 16}, InvalidOptionError, "`n_duplicates` must be a whole number from 0 to 15"),
        ({"n_duplicates": -1}, InvalidOptionError, "not -1"),
        ({"shares": (0.5, 0.5, 0.5)}, InvalidOptionError, "add up to 1"),
        ({"shares": (1.2, -0.1, -0.1)}, InvalidOptionError, "`shares` must be at least 0"),
        ({"shares": (1, 0, 0)}, InvalidOptionError, "leave something to topics"),
        ({"correlation": (1.1, 0, 0)}, InvalidOptionError, "`correlation` must lie from 0 to 1, not 1.1"),
        ({"group_share": -0.1}, InvalidOptionError, "`group_share` must lie from 0 to 1"),
        ({"topic_spread": 2}, InvalidOptionError, "`topic_spread` must lie from 0 to 1"),
        ({"rng": -1}, InvalidOptionError, "`rng` must be None"),
        ({"n_clusters": 51}, InvalidOptionError, "`n_clusters` must be a whole number from 1 to 50"),
        ({"cluster_share": 1.5}, InvalidOptionError, "`cluster_share` must lie from 0 to 1"),
        ({"n_repeats": 0}, InvalidOptionError, "`n_repeats` must be"),
        ({"repeat_share": -1}, InvalidOptionError, "`repeat_share` must lie from 0 to 1"),
    ],
)
def test_options_are_checked(options, kind, rule):
    """An option outside its rule is an error that shows it."""
    with pytest.raises(kind, match=rule):
        simulate_scores(**options)


def test_metric_names_ignore_case():
    """Names come out as they are written in the table of kinds."""
    scores = simulate_scores(n_systems=2, n_topics=2, metrics=["ndcg@10", "NORMAL", "rr"], rng=0)
    assert scores["metric"].to_numpy().tolist() == ["nDCG@10", "Normal", "RR"]


def test_every_kind_says_what_it_is_like():
    """The table of kinds names the real scores behind each distribution."""
    for name, kind in METRIC_KINDS.items():
        assert kind.name == name
        assert kind.like
        assert kind.cutoff in {"required", "optional", "none"}
