"""Topics needed to part two systems: against the literal search with SciPy, laws, and degenerate input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval.errors import InvalidOptionError
from metaeval.models.sample_size import topic_set_size_for_t, units_for_effect
from metaeval.models.separation import topics_to_separate
from metaeval.table.scores import as_scores


def literal(effect, *, alpha=0.05, power=0.8, share=1.0):
    """Count up until both tails of SciPy's non-central t are enough."""
    units = 2
    while True:
        worth = share * units
        if worth > 1:
            critical = stats.t.isf(alpha / 2, worth - 1)
            shift = effect * np.sqrt(worth)
            if stats.nct.sf(critical, worth - 1, shift) + stats.nct.cdf(-critical, worth - 1, shift) >= power:
                return units
        units += 1


def separated(*rows, **labels):
    """Return scores of systems named by their order."""
    return as_scores(np.array(rows, dtype=float), **labels)


@pytest.mark.parametrize("alpha", [0.05, 0.004])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_units_for_effect_by_counting_up(alpha, share):
    """All effects at once, as one by one."""
    effects = np.array([0.35, 0.5, 0.8, 1.2])
    found = units_for_effect(effects, share=share, alpha=alpha)
    assert found.tolist() == [literal(effect, alpha=alpha, share=share) for effect in effects]


def test_units_for_effect_at_its_limits():
    """No effect is never found, an immense one with two topics; nothing known stays so; the sign is no matter."""
    found = units_for_effect([0.0, 1e-6, 1e6, np.nan, -0.5, 0.5])
    assert found[:3].tolist() == [np.inf, np.inf, 2.0]
    assert np.isnan(found[3])
    assert found[4] == found[5] == topic_set_size_for_t(0.5, 1.0)


def test_a_pair_by_hand():
    """The effect seen, and the topics that the ends of what is likely ask for; more are needed than for the likely."""
    rng = np.random.default_rng(1)
    scores = separated(rng.normal(0.45, 1, 60), rng.normal(0, 0.4, 60), rng.normal(0.2, 1, 60))
    table = topics_to_separate(scores, pairs="all").to_frame()
    for row in table.itertuples():
        difference = np.subtract(*scores.sel(system=[row.first, row.second]).to_numpy()[0])
        assert row.effect == pytest.approx(difference.mean() / difference.std(ddof=1))
        assert row.topics_needed_low == literal(max(abs(row.likely_low), abs(row.likely_high)))
        assert row.topics_needed > units_for_effect(row.likely)
    assert (table["likely_low"] < 0).sum() == np.isinf(table["topics_needed_high"]).sum() > 0
    sure = table[table["likely_low"] > 0].iloc[0]
    assert sure["topics_needed_high"] == literal(sure["likely_low"])


def test_what_other_systems_differ_by_says_what_is_likely():
    """The same two systems among equal ones need more topics than among systems far apart."""
    rng = np.random.default_rng(2)
    two = rng.normal([[0.3], [0.0]], 1, (2, 50))
    needed = []
    for away in (0.0, 2.0):
        others = rng.normal(away * np.arange(-4, 5)[:, None], 1, (9, 50))
        among = separated(*two, *others)
        needed.append(topics_to_separate(among, pairs=[("system1", "system2")]).to_frame()["topics_needed"][0])
    assert needed[0] > 1.2 * needed[1]


def test_clusters_of_one_size_count_as_their_means():
    """Clusters needed are what the cluster means ask for; topics are so many times the size."""
    names = [str(number) for number in range(60)]
    values = np.random.default_rng(3).normal([[0.4], [0.0]], 1, (2, 60)) + np.repeat(
        np.random.default_rng(4).normal(0, 0.5, (2, 12)), 5, axis=1
    )
    clusters = {name: f"c{int(name) // 5}" for name in names}
    found = topics_to_separate(as_scores(values, topics=names, clusters=clusters))
    means = topics_to_separate(values.reshape(2, 12, 5).mean(axis=2)).to_frame().iloc[0]
    row = found.to_frame().iloc[0]
    assert found.unit == "cluster"
    assert (row["units"], row["topics"]) == (12, 60)
    for name in ("units_needed", "units_needed_low", "units_needed_high"):
        assert row[name] == means[name]
    for name in ("effect", "likely", "likely_low", "likely_high"):
        assert row[name] == pytest.approx(means[name])
    assert row["topics_needed"] == 5 * means["topics_needed"]


def test_pairs_that_do_not_vary_say_nothing():
    """Equal systems, and systems a constant apart, have no effect size."""
    one = np.array([0.1, 0.4, 0.7, 0.2])
    table = topics_to_separate(separated(one, one, one + 0.1), pairs="all").to_frame()
    assert table["effect"].isna().all()
    assert table["topics_needed"].isna().all()
    assert table["error"].tolist() == [0, 0, 0]


def test_adjacent_pairs_go_down_the_ranking():
    """By the means, best first, also where lower is better; ties share the better rank and keep their order."""
    values = np.array([[1.0, 2, 3], [7, 8, 9.5], [3, 2, 1], [4, 5, 7]])
    table = topics_to_separate(values).to_frame()
    assert table["first"].tolist() == ["system2", "system4", "system1"]
    assert table["rank"].tolist() == [1, 2, 3]
    lower = topics_to_separate(as_scores(values, higher_is_better=False)).to_frame()
    assert lower["first"].tolist() == ["system1", "system3", "system4"]
    assert lower["rank"].tolist() == [1, 1, 3]
    assert (lower["difference"] >= 0).all()
    assert topics_to_separate(values, pairs="top").to_frame()["second"].tolist() == ["system4"]
    named = topics_to_separate(values, pairs=[("system3", "system2")]).to_frame()
    assert named["rank"].tolist() == [3]
    both = topics_to_separate(np.stack([values, values**2])).to_frame()
    assert both["metric"].tolist() == ["metric1"] * 3 + ["metric2"] * 3
    assert both.index.tolist() == list(range(6))
    assert named["difference"][0] < 0


def test_a_correction_asks_for_more():
    """The level is that of the first step over the pairs asked for."""
    values = np.random.default_rng(5).normal(np.arange(4)[:, None] / 2, 1, (4, 30))
    plain, corrected = (topics_to_separate(values, correction=name).to_frame() for name in ("none", "holm"))
    assert (corrected["topics_needed"] > plain["topics_needed"]).all()
    assert corrected["topics_needed_low"][0] == literal(corrected["likely_high"][0], alpha=0.05 / 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"pairs": "best"}, "`pairs` must be"), ({"pairs": []}, "`pairs` lists"), ({"confidence_level": 2}, "confidence")],
)
def test_refusals(options, words):
    """What is outside its rule is named."""
    with pytest.raises(InvalidOptionError, match=words):
        topics_to_separate([[0.1, 0.4], [0.2, 0.3]], **options)


@settings(max_examples=15)
@given(st.integers(0, 1000))
def test_laws(seed):
    """Order of topics, tenths for counts and the direction change nothing."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 11, (3, 20)).astype(float)
    columns = ["first", "effect", "topics_needed", "topics_needed_low", "topics_needed_high"]
    own = topics_to_separate(counts).to_frame()[columns]
    for other in (
        counts[:, rng.permutation(20)],
        counts / 10,
        as_scores(-counts, higher_is_better=False),
    ):
        found = topics_to_separate(other).to_frame()[columns]
        assert found["first"].tolist() == own["first"].tolist()
        np.testing.assert_allclose(found[columns[1:]], own[columns[1:]], rtol=1e-9, atol=1e-9)
