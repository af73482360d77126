"""Aggregates as metrics: literal loops, SciPy's z-scores, laws, and what constant topics and gaps give."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.agreement.aggregates import aggregate_scores, aggregate_table
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.scores import as_scores
from metaeval.table.structure import mean_over_topics, topics_by_cluster
from metaeval.tests_stat.paired_t import paired_t_test

COUNTS = hnp.arrays(float, (4, 6), elements=st.integers(0, 10))
CLUSTERS = {"1": "x", "2": "y", "3": "y", "4": "y", "5": "z", "6": "z"}


def part(scores, name):
    """Return one aggregate as an array (system, topic)."""
    return aggregate_scores(scores).sel(metric=name).to_numpy()


@given(COUNTS)
def test_wins_by_counting(counts):
    """Each system against each other, topic by topic, in tenths as in counts."""
    borda = np.zeros_like(counts)
    for topic in range(6):
        for one in range(4):
            for other in set(range(4)) - {one}:
                borda[one, topic] += (counts[one, topic] > counts[other, topic]) + 0.5 * (
                    counts[one, topic] == counts[other, topic]
                )
    for scores in (counts, counts / 10, np.add(counts / 10, 0.2) - 0.2):
        made = aggregate_scores(scores, aggregates=["Borda", "win rate"]).to_numpy()
        assert made.tolist() == [borda.tolist(), (borda / 3).tolist()]


@given(COUNTS)
def test_z_scores_are_those_of_scipy(counts):
    """With n - 1, and 0 where all systems score alike."""
    varies = np.ptp(counts, axis=0) > 0
    expected = np.zeros_like(counts)
    expected[:, varies] = stats.zscore(counts[:, varies], axis=0, ddof=1)
    np.testing.assert_allclose(part(counts / 10, "z-score"), expected, atol=1e-9)


def test_a_constant_topic_lets_nobody_stand_out():
    """Also where the scores are equal up to rounding only."""
    scores = [[0.3, 0.5], [0.1 + 0.2, 0.1], [0.3, 0.4]]
    assert part(scores, "win rate")[:, 0].tolist() == [0.5] * 3
    assert part(scores, "Borda")[:, 0].tolist() == [1.0] * 3
    assert part(scores, "z-score")[:, 0].tolist() == [0.0] * 3


def test_macro_means_and_their_errors_are_those_of_the_clusters():
    """The mean of the values is the mean of cluster means; with clusters of one size, so is the test."""
    values = np.random.default_rng(1).normal(0, 1, (3, 6))
    scores = as_scores(values, clusters=CLUSTERS)
    made = aggregate_scores(scores)
    assert made["metric"].to_numpy().tolist() == ["mean", "macro mean", "Borda", "win rate", "z-score"]
    expected = np.stack([values[:, :1].mean(1), values[:, 1:4].mean(1), values[:, 4:].mean(1)]).mean(axis=0)
    np.testing.assert_allclose(made.sel(metric="macro mean").mean("topic"), expected)
    sums = made.sel(metric="macro mean").groupby("cluster").sum()
    by_hand = np.stack([values[:, :1].mean(1), values[:, 1:4].mean(1), values[:, 4:].mean(1)], axis=1)
    np.testing.assert_allclose(  # what a cluster adds to the error
        sums - expected[:, None] * np.array([1, 3, 2]), (by_hand - expected[:, None]) * 6 / 3
    )
    even = as_scores(np.random.default_rng(2).normal(0, 1, (3, 6)), clusters=dict(zip("123456", "aabbcc", strict=True)))
    result = paired_t_test(aggregate_scores(even, aggregates=["macro mean"]), correction="none")
    plain = paired_t_test(topics_by_cluster(even), correction="none")
    np.testing.assert_allclose(result.data["p_value"], plain.data["p_value"])


def test_macro_mean_of_weighted_topics():
    """Weighted means in every cluster, each cluster counting once."""
    values = np.random.default_rng(3).normal(0, 1, (2, 6))
    weights = np.array([1, 2, 3, 1, 0.5, 4])
    scores = as_scores(values, clusters=CLUSTERS, weights=dict(zip("123456", weights, strict=True)))
    made = aggregate_scores(scores, aggregates=["mean", "macro mean"])
    expected = [np.average(values, axis=1, weights=weights)]
    expected.append(
        np.mean([np.average(values[:, own], axis=1, weights=weights[own]) for own in ([0], [1, 2, 3], [4, 5])], axis=0)
    )
    np.testing.assert_allclose(mean_over_topics(made), expected)


def test_gaps_leave_the_systems_that_are_there():
    """Shares are of the others on the topic; a topic with one system says nothing of order."""
    scores = as_scores([[0.9, 0.5, 0.1], [0.5, np.nan, np.nan], [0.1, 0.7, np.nan]], missing="pairwise")
    np.testing.assert_array_equal(part(scores, "win rate"), [[1, 0, np.nan], [0.5, np.nan, np.nan], [0, 1, np.nan]])
    np.testing.assert_array_equal(part(scores, "Borda"), [[2, 0, np.nan], [1, np.nan, np.nan], [0, 1, np.nan]])
    np.testing.assert_allclose(part(scores, "z-score")[:2, :2], [[1, -(0.5**0.5)], [0, np.nan]], atol=1e-12)
    np.testing.assert_array_equal(part(scores, "mean"), scores.to_numpy()[0])


def test_a_system_that_lacks_a_cluster_has_no_macro_mean():
    """The message names all that must go, systems or clusters, so that its advice is followed once."""
    values = np.ones((4, 6))
    values[1:3, 0] = np.nan
    scores = as_scores(values, clusters=CLUSTERS, missing="pairwise")
    with pytest.raises(ScoresError, match=r"leave out 1 cluster in which some systems have no score: x$"):
        aggregate_scores(scores)
    values[1:3, 1:] = [[np.nan, np.nan, 1, 1, 1], [1, 1, np.nan, np.nan, np.nan]]
    scores = as_scores(values, clusters=CLUSTERS, missing="pairwise")
    with pytest.raises(ScoresError, match=r"leave out 2 systems .*: `exclude_systems=\['system2', 'system3'\]`$"):
        aggregate_scores(scores)
    assert np.isfinite(aggregate_scores(scores.isel(system=[0, 3])).to_numpy()).all()


def test_names_directions_and_coordinates():
    """Several metrics put their name first; means keep their direction, the others rise; topics keep what they have."""
    scores = as_scores(
        np.random.default_rng(4).random((2, 3, 6)),
        metrics=["BLEU", "TER"],
        higher_is_better={"TER": False},
        clusters=CLUSTERS,
        groups={"system1": "a", "system2": "a", "system3": "b"},
    )
    made = aggregate_scores(scores, aggregates=["mean", "win rate"])
    assert made["metric"].to_numpy().tolist() == ["BLEU mean", "BLEU win rate", "TER mean", "TER win rate"]
    assert made["higher_is_better"].to_numpy().tolist() == [True, True, False, True]
    assert made["cluster"].to_numpy().tolist() == list(CLUSTERS.values())
    assert made["group"].to_numpy().tolist() == ["a", "a", "b"]
    turned = aggregate_scores(as_scores(-scores.to_numpy()[1]), aggregates=["win rate"])
    assert made.sel(metric="TER win rate").to_numpy().tolist() == turned.to_numpy()[0].tolist()


def test_table_of_values_and_ranks():
    """Means over topics; ties on paper share the better rank, and a metric that falls ranks its lowest first."""
    table = aggregate_table([[0.1, 0.2], [0.2, 0.1], [0.0, 0.9]], aggregates=["mean", "win rate"])
    assert table["rank"].tolist() == [2, 2, 1, 1, 1, 1]
    assert table["value"].to_numpy() == pytest.approx([0.15, 0.15, 0.45, 0.5, 0.5, 0.5])
    lower = aggregate_table(as_scores([[0.1, 0.2], [0.2, 0.3]], higher_is_better=False), aggregates=["mean"])
    assert lower["rank"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("aggregates", "words"),
    [(["median"], "median"), ([], "each aggregate once"), (["mean", "mean"], "once"), (["macro mean"], "clusters")],
)
def test_refusals(aggregates, words):
    """What is unknown, missing or asked for twice is named."""
    with pytest.raises(InvalidOptionError, match=words):
        aggregate_scores([[0.1, 0.4], [0.2, 0.3]], aggregates=aggregates)


@settings(max_examples=20)
@given(COUNTS, st.integers(0, 100))
def test_laws(counts, seed):
    """Order of systems and topics goes along; unit, zero and direction leave wins and z-scores as they are."""
    rng = np.random.default_rng(seed)
    systems, topics = rng.permutation(4), rng.permutation(6)
    own = aggregate_scores(counts).to_numpy()
    np.testing.assert_allclose(
        aggregate_scores(counts[systems][:, topics]).to_numpy(), own[:, systems][:, :, topics], atol=1e-9
    )
    for other in (counts / 10 + 3, as_scores(-counts, higher_is_better=False)):
        np.testing.assert_allclose(aggregate_scores(other).to_numpy()[1:], own[1:], atol=1e-9)
    assert np.allclose(own[2].mean(axis=0), 0.5)


def test_standards_are_those_of_the_paper():
    """Urbano, Lima and Hanjalic's R, with N, U (0.15 z + 0.5) and E: pnorm, punif and ecdf over a topic, by SciPy."""
    values = np.random.default_rng(4).normal(size=(7, 5))
    mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
    made = aggregate_scores(values, aggregates=["N-std", "U-std", "E-std"]).to_numpy()
    np.testing.assert_allclose(made[0], stats.norm(mean, spread).cdf(values), rtol=1e-12)
    low = mean - spread * 0.5 / 0.15
    np.testing.assert_allclose(made[1], stats.uniform(low, spread / 0.15).cdf(values), rtol=1e-12)
    np.testing.assert_allclose(made[2], (values[:, None] >= values[None]).mean(axis=1), rtol=1e-12)
    tied = aggregate_scores([[0.3, 1], [0.1 + 0.2, 2], [0.1, 3]], aggregates=["E-std"]).to_numpy()
    assert tied[0, :, 0].tolist() == [1.0, 1.0, 1 / 3]


def test_points_of_mteb_count_a_missing_task_as_lost():
    """MTEB's rule in pandas: n less the mean rank, and nothing for a model that did not do the task."""
    values = np.random.default_rng(5).normal(size=(5, 4))
    values[0, 1] = values[3, 2] = values[2, 2] = np.nan
    frame = pd.DataFrame(values)
    expected = (len(frame) - frame.rank(method="average", ascending=False)).fillna(0.0).to_numpy()
    scores = as_scores(values, missing="pairwise")
    np.testing.assert_allclose(aggregate_scores(scores, aggregates=["Borda (MTEB)"]).to_numpy()[0], expected)
