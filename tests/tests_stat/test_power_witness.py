"""On which topics it rests that a metric finds more significant pairs: beside every test done anew."""

from itertools import combinations

import numpy as np

from metaeval import as_scores, paired_t_test, simulate_scores
from metaeval.tests_stat.power_witness import finds_more_without


def lead(scores, gone=()):
    """Return how many more pairs the first metric finds without some topics, by the test itself."""
    left = scores.isel(topic=~scores["topic"].isin(list(gone)).to_numpy())
    counts = paired_t_test(left, correction="none").data["significant"].sum("pair").to_numpy()
    return counts[0] - counts[1]


def _pair_of_metrics(seed, **given):
    """Return scores under A, and under B as A with some noise."""
    first = simulate_scores(n_systems=6, n_topics=20, metrics=["AP"], rng=seed).to_numpy()[0]
    noise = np.random.default_rng(seed).normal(0, (0.03, 0.2)[seed % 2], first.shape)
    return as_scores(np.stack([first, np.clip(first + noise, 0, 1)]), metrics=["A", "B"], **given)


def test_it_is_what_tests_without_each_topic_say():
    seen = set()
    for seed in range(40):
        scores = _pair_of_metrics(seed)
        if lead(scores) <= 0:
            continue
        names = scores["topic"].to_numpy().tolist()
        found = finds_more_without(scores, "A", "B", alpha=0.05)
        seen.add(len(found))
        alone = {name: lead(scores, [name]) for name in names}
        assert (len(found) == 1) == (min(alone.values()) <= 0)
        if found:
            assert lead(scores, found) <= 0
        else:
            least = sorted(names, key=lambda name: (alone[name], names.index(name)))[:3]
            assert all(lead(scores, gone) > 0 for gone in combinations(least, 2))
    assert seen == {0, 1, 2}


def test_nothing_is_said_of_clusters():
    clusters = {str(place): str(place // 2) for place in range(1, 21)}
    assert finds_more_without(_pair_of_metrics(1, clusters=clusters), "A", "B", alpha=0.05) is None
